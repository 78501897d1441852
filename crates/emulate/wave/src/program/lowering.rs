//! Lowers one instruction: what its row says, and the operand fields of its format, to a [`MicroOp`].

use isa::{Effects, Format, Inst, Known, Traits};

use super::{
    Config, memory,
    operands::{LITERAL, exec_after, scalar_destination, scalar_slot, source, vgpr},
    vector, wave_matrix,
};
use crate::{
    hwreg, messages,
    micro_op::{HardwareRegister, Message, MicroOp, Program, Scalar, Src, flow},
    ports::Type,
    rows::{self, Row, ScalarShape, Shape, VectorShape},
};
use isa::fields::{bits, signed};

/// The micro-ops of an instruction.
#[derive(Clone, Debug)]
pub(crate) struct Lowered {
    /// Micro-ops in their order.
    pub ops: Vec<MicroOp>,
    /// The instruction's operands as they are encoded, without the passes that `ops` may have around it.
    pub bare: MicroOp,
    /// The two of a dual instruction like that, if one after the other in this order does the same.
    pub halves: Option<[Half; 2]>,
}

/// An instruction within a dual one.
pub(crate) type Half = (&'static VectorShape, MicroOp);

impl Lowered {
    /// Waits and invalidations of caches usually do nothing. Here one may have to order stores, or to let waves of others catch up.
    pub(super) fn do_instead(&mut self, orders: bool, follows_others: bool) {
        if orders {
            self.ops[0].handler = rows::order_stores();
        } else if follows_others {
            self.ops[0].handler = rows::follow_others();
        }
    }
}

/// Lowers `inst` by `row` to one or more micro-ops. The error says what about it cannot execute.
pub(super) fn lower(config: &Config, inst: &Inst, row: &Row) -> Result<Lowered, String> {
    let mut op = row.micro_op();
    let immediate = inst.constant();
    match &row.shape {
        Shape::Nop => {}
        Shape::Program => op.set(Program::new(signed(immediate, 16))),
        Shape::Scalar(shape) => scalar(config, inst, shape, &mut op)?,
        Shape::Vector(shape) => return vector::lower(config, inst, shape, op),
        Shape::ScalarMemory { words, buffer } => {
            memory::scalar(config, inst, *words, *buffer, &mut op)?;
        }
        Shape::Flat {
            segment_relative,
            data,
        } => memory::flat(config, inst, *segment_relative, *data, &mut op)?,
        Shape::Lds { data, gds, .. } => memory::lds(config, inst, *data, *gds, &mut op)?,
        Shape::Buffer { data } => memory::buffer(config, inst, row, *data, &mut op)?,
        Shape::Image { operands, words } => {
            memory::image(config, inst, *operands, *words, &mut op)?;
        }
        Shape::WaveMatrix { instruction } => {
            wave_matrix::lower(config, inst, *instruction, &mut op)?;
        }
        Shape::Message { words } => {
            op.set(Message::new(bits(immediate, 7, 0), *words));
            let words = usize::from(*words);
            op.dst = scalar_destination(config, bits(inst.words[0], 22, 16), words)?;
            op.after = exec_after(op.dst, words);
        }
        Shape::LdsDirect => op.dst = vgpr(config, bits(inst.words[0], 7, 0) as u16)?,
    }
    if inst
        .op
        .has(Traits::READS_HARDWARE | Traits::WRITES_HARDWARE)
    {
        let field = immediate as u16;
        let reads = inst.op.has(Traits::READS_HARDWARE);
        let register = hwreg::check(config.target, reads, field)?;
        op.set(HardwareRegister::new(register, field, inst.words[1]));
    } else if let Some(Known::SSendmsg | Known::SSendmsghalt) = inst.op.known() {
        messages::check(config.target, immediate)?;
    }
    Ok(Lowered {
        ops: vec![op],
        bare: op,
        halves: None,
    })
}

/// A load of 8 or 16 bits into one half of a register.
pub(super) fn is_half_load(inst: &Inst) -> bool {
    let data = inst.op.data();
    inst.effects.contains(Effects::LOAD) && !data.formatted && data.half.is_some()
}

fn scalar(
    config: &Config,
    inst: &Inst,
    shape: &ScalarShape,
    op: &mut MicroOp,
) -> Result<(), String> {
    let [w0, literal, ..] = inst.words;
    let read = |op: &mut MicroOp, index: usize, code: u32| -> Result<(), String> {
        op.src[index] = source(config, code, shape.sources[index], literal)?;
        Ok(())
    };
    let mut immediate = 0;
    let mut destination = bits(w0, 22, 16);
    match inst.format {
        Format::Sop1 => {
            if shape.sources[0] != Type::None {
                read(op, 0, bits(w0, 7, 0))?;
            }
        }
        Format::Sop2 | Format::Sopc => {
            read(op, 0, bits(w0, 7, 0))?;
            read(op, 1, bits(w0, 15, 8))?;
            // s_fmaak_f32 and s_fmamk_f32.
            if shape.sources[2] != Type::None {
                read(op, 2, LITERAL)?;
            }
        }
        Format::Sopk => {
            immediate = signed(bits(w0, 15, 0), 16);
            // SOPK reads what it also writes.
            op.src[0] = Src::scalar(scalar_slot(config, destination));
        }
        other => return Err(format!("row is scalar, encoding is {other:?}")),
    }
    if inst.format == Format::Sopc {
        destination = 0;
    }
    let words = shape.result.words();
    if words > 0 {
        op.dst = scalar_destination(config, destination, words)?;
        if op.after == flow::NEXT as u8 {
            op.after = exec_after(op.dst, words);
        }
    } else {
        op.dst = scalar_slot(config, destination);
    }
    op.set(Scalar::new(immediate, inst.end(), words));
    Ok(())
}
