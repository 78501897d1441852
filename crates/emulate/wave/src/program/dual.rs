//! Lowers VOPD: two instructions in one, both of which read their sources before either writes its result.

use isa::{Inst, Op};

use super::{
    Config,
    lowering::Lowered,
    surround::surround,
    vector::{assign, two_sources},
};
use crate::{
    micro_op::{MicroOp, Src, SrcKind, Vector, modifier},
    passes,
    rows::{self, Shape},
    shell,
};
use isa::fields::bits;

/// Operand fields of one of the two.
struct Fields {
    sources: [u32; 2],
    destination: u32,
    literal: u32,
}

fn fields(inst: &Inst) -> [Fields; 2] {
    let [w0, w1, literal, ..] = inst.words;
    let x = bits(w1, 31, 24);
    [
        Fields {
            sources: [bits(w0, 8, 0), bits(w0, 16, 9)],
            destination: x,
            literal,
        },
        Fields {
            sources: [bits(w1, 8, 0), bits(w1, 16, 9)],
            // One of the results lies in an even register, the other one in an odd one.
            destination: bits(w1, 23, 17) << 1 | (!x & 1),
            literal,
        },
    ]
}

/// The micro-ops of a dual instruction. The error says what about it cannot execute.
pub(super) fn lower(config: &Config, inst: &Inst) -> Result<Lowered, String> {
    let halves = inst.op.halves().ok_or_else(String::new)?;
    if config.wave_size == 64 {
        return Err("dual instructions are for waves of 32 lanes".to_owned());
    }
    let [first, second] = fields(inst);
    let (x, y) = (
        operands(config, halves[0], &first)?,
        operands(config, halves[1], &second)?,
    );
    let reads = |op: &MicroOp, row| {
        let is_row = |src: &Src| src.kind == SrcKind::Vector && src.index == row;
        op.src.iter().any(is_row)
    };
    let mut ops = Vec::new();
    let mut push = |half: Op, op| complete(config, half, op, &mut ops);
    let [first, second] = [
        (shape_of(config, halves[0])?, x),
        (shape_of(config, halves[1])?, y),
    ];
    let mut in_order = None;
    if !reads(&y, x.dst) {
        in_order = Some([first, second]);
        push(halves[0], x)?;
        push(halves[1], y)?;
    } else if !reads(&x, y.dst) {
        in_order = Some([second, first]);
        push(halves[1], y)?;
        push(halves[0], x)?;
    } else {
        let kept = passes::spare_row(config.vector_rows);
        let mut late = y;
        for src in &mut late.src {
            if src.kind == SrcKind::Vector && src.index == x.dst {
                src.index = kept;
            }
        }
        push(halves[0], x)?;
        push(halves[1], late)?;
        ops.insert(0, passes::copy(x.dst, kept));
    }
    Ok(Lowered {
        ops,
        bare: x,
        halves: in_order,
    })
}

fn shape_of(config: &Config, half: Op) -> Result<&'static rows::VectorShape, String> {
    let row = rows::find(half, config.target).ok_or_else(String::new)?;
    match &row.shape {
        Shape::Vector(shape) => Ok(shape),
        _ => Err(format!("{half} as half of a dual instruction")),
    }
}

/// The instruction with its operands.
fn operands(config: &Config, half: Op, fields: &Fields) -> Result<MicroOp, String> {
    let shape = shape_of(config, half)?;
    let mut op =
        MicroOp::new(shell::handler::<passes::Bits>()).with(Vector::new(shape.instruction));
    op.vector_mut().modifiers =
        modifier::VECTOR_ALU | modifier::VECTOR_RESULT | 7 << modifier::OP_SEL_HI;
    let [source, second] = fields.sources;
    let codes = two_sources(shape, source, second);
    assign(
        config,
        shape,
        &mut op,
        codes,
        fields.destination,
        fields.literal,
    )?;
    Ok(op)
}

/// Appends `op` with the passes that its operands need.
fn complete(config: &Config, half: Op, op: MicroOp, ops: &mut Vec<MicroOp>) -> Result<(), String> {
    let shape = shape_of(config, half)?;
    let handlers = shape.handlers.ok_or_else(String::new)?;
    surround(config, shape, handlers(), op, ops)
}
