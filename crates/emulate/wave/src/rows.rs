//! The table of semantics: one row per mnemonic.
//!
//! Rows are grouped by kind of instruction, one file each. A row names its mnemonic, what its operands are (from which
//! decoding follows) and what it computes. To add an instruction, add its row to the file of its kind; nothing else.

use std::{collections::HashMap, sync::OnceLock};

use gfx::{Family, Target};
use isa::Op;

use crate::{
    engine::{Env, Stop},
    micro_op::{self, Data, Handler, ImageOperands, MicroOp, flow},
    ports::Type,
    shell::{self, Body, Handlers, VectorBody},
    state::Wave,
};

pub(crate) use chain::{Builder as ChainBuilder, Chain, pay as chains_pay};
pub(crate) use control::{follow_others, nop, order_stores};
pub use ds::swizzle_source;
pub(crate) use function::{Code, Function, Nans};
pub(crate) use indexed::SKIP_VECTOR;
pub(crate) use matrix::plan as matrix_plan;
pub(crate) use to_lds::to_lds;

mod vector_macros;

mod approximate;
mod atomic;
mod buffer;
mod buffer_format;
mod cdna;
mod chain;
mod compare;
mod control;
mod convert;
mod cross_lane;
mod device_barrier;
mod direct;
mod division;
mod dot;
mod ds;
mod eight_bit;
mod float64;
mod fp8;
mod function;
mod global;
mod half;
mod hardware;
mod image;
mod indexed;
mod lds_atomic;
pub(crate) mod lds_exact;
pub(crate) mod lds_noted;
mod lds_transpose;
mod loads_and_stores;
mod loops;
mod matrix;
pub(crate) mod measured;
mod minimum_maximum;
mod mix;
mod packed;
mod pseudo_scalar;
mod sad;
mod scalar;
mod scalar_atomic;
mod scalar_float;
mod scalar_memory;
mod scaled;
mod scratch;
mod simd;
mod specialization;
mod split_barrier;
mod to_lds;
mod transposed;
mod vector32;
mod wmma;

/// Instructions that mean something else from a family on under the name that they had: the row that they have there.
#[rustfmt::skip]
const OTHER_MEANINGS: &[(Family, &str, &str)] = &[
    // The order of the sums.
    (Family::Gfx11, "v_dot2_f32_bf16", "v_dot2_f32_bf16_since_gfx11"),
    // Formats, and op_sel for SDWA.
    (Family::Gfx12, "v_cvt_f32_fp8",    "v_cvt_f32_fp8_since_gfx12"),
    (Family::Gfx12, "v_cvt_f32_bf8",    "v_cvt_f32_bf8_since_gfx12"),
    (Family::Gfx12, "v_cvt_pk_f32_fp8", "v_cvt_pk_f32_fp8_since_gfx12"),
    (Family::Gfx12, "v_cvt_pk_f32_bf8", "v_cvt_pk_f32_bf8_since_gfx12"),
    (Family::Gfx12, "v_cvt_pk_fp8_f32", "v_cvt_pk_fp8_f32_since_gfx12"),
    (Family::Gfx12, "v_cvt_pk_bf8_f32", "v_cvt_pk_bf8_f32_since_gfx12"),
    (Family::Gfx12, "v_cvt_sr_fp8_f32", "v_cvt_sr_fp8_f32_since_gfx12"),
    (Family::Gfx12, "v_cvt_sr_bf8_f32", "v_cvt_sr_bf8_f32_since_gfx12"),
];

/// The register that a vector instruction writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    Vector,
    /// One SGPR (readlane).
    Scalar,
    /// A lane mask (compares).
    Mask,
}

/// How a matrix instruction's operands are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatrixForm {
    /// A, B and C.
    Dense,
    /// A and B are as long as their formats need; scales may come first.
    Micro,
    /// A is half as long as B, the third source holds indices, and D is C.
    Sparse,
}

/// Operands of a vector ALU instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VectorShape {
    pub sources: [Type; 3],
    pub result: Type,
    pub destination: Destination,
    /// The result is the source.
    pub copies: bool,
    /// Third source is the destination register.
    pub tied: bool,
    /// Reads a lane mask: VCC, or VOP3's third source.
    pub mask_source: bool,
    /// Writes a lane mask beside its vector result: VCC, or VOP3's second destination.
    pub mask_result: bool,
    /// v_cmpx.
    pub writes_exec: bool,
    /// VOP2 with a literal operand between the sources (1: fmamk) or behind them (2: fmaak).
    pub literal_position: u8,
    /// Matrix instructions: registers of A (and B), and of C and D. Zeros for all others.
    pub matrix_words: [u16; 2],
    pub matrix_form: MatrixForm,
    /// Registers of each source and of the destination, if they are runs that the body walks along. Zeros for all others.
    pub runs: [u16; 4],
    /// With `runs`: NEG, ABS and OMOD mean something else than elsewhere.
    pub raw_modifiers: bool,
    /// Moves to and from AccVGPRs: whether source and destination are ones.
    pub accumulators: Option<[bool; 2]>,
    /// A 16-bit result that leaves bits 31:16 of the destination alone even on gfx9.
    pub keep_high: bool,
    /// A 16-bit result that goes to bits 31:16 and leaves the others alone.
    pub high_half: bool,
    /// A pass that first finds the register of source 0 at run time.
    pub moved_source: Option<fn() -> Handler>,
    /// Bodies for the kinds of sources. Rows without do everything about their operands themselves.
    pub handlers: Option<fn() -> Handlers>,
    /// The row as a function on host vectors, if it is one.
    pub function: Option<fn() -> Option<Function>>,
    /// VOP3P: neg_lo says whether a source's elements are signed.
    pub neg_is_sign: bool,
    /// Number of the instruction in the table that the row was made from, for bodies that look there.
    pub instruction: u16,
    /// How it is a link of a [`Chain`], if it can be one.
    pub formula: Option<chain::Formula>,
}

impl VectorShape {
    /// How many sources there are.
    pub fn source_count(&self) -> usize {
        let exists = |kind: &&Type| **kind != Type::None;
        self.sources.iter().filter(exists).count()
    }

    /// The shape of a row with one to three sources and no attributes.
    pub const fn of(sources: &[Type], result: Type) -> VectorShape {
        let mut shape = VectorShape {
            result,
            ..VectorShape::NONE
        };
        let mut index = 0;
        while index < sources.len() {
            shape.sources[index] = sources[index];
            index += 1;
        }
        shape
    }

    /// The result is the source.
    const fn copies(self) -> VectorShape {
        VectorShape {
            copies: true,
            ..self
        }
    }

    /// The last source is the destination.
    const fn tied(self) -> VectorShape {
        VectorShape { tied: true, ..self }
    }

    /// Reads a lane mask.
    const fn carry_in(self) -> VectorShape {
        VectorShape {
            mask_source: true,
            ..self
        }
    }

    /// Writes a lane mask.
    const fn carry_out(self) -> VectorShape {
        VectorShape {
            mask_result: true,
            ..self
        }
    }

    /// VOP2 has a literal before (1) or behind (2) its second source.
    const fn literal(self, position: u8) -> VectorShape {
        VectorShape {
            literal_position: position,
            ..self
        }
    }

    /// A 16-bit result leaves the high half of its register alone.
    const fn keep_high(self) -> VectorShape {
        VectorShape {
            keep_high: true,
            ..self
        }
    }

    /// A 16-bit result goes to the high half of its register.
    const fn high_half(self) -> VectorShape {
        VectorShape {
            high_half: true,
            ..self
        }
    }

    pub const NONE: VectorShape = VectorShape {
        sources: [Type::None; 3],
        result: Type::None,
        destination: Destination::Vector,
        copies: false,
        tied: false,
        mask_source: false,
        mask_result: false,
        writes_exec: false,
        literal_position: 0,
        matrix_words: [0; 2],
        matrix_form: MatrixForm::Dense,
        runs: [0; 4],
        raw_modifiers: false,
        accumulators: None,
        keep_high: false,
        high_half: false,
        moved_source: None,
        handlers: None,
        function: None,
        neg_is_sign: false,
        instruction: 0,
        formula: None,
    };
}

/// Operands of a scalar ALU instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScalarShape {
    pub sources: [Type; 3],
    pub result: Type,
    /// It reads nothing but its sources and SCC, and changes nothing but its result and SCC.
    pub pure: bool,
}

/// The encoding of a row's operands.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// Nothing to do in an in-order model (waits, hints).
    Nop,
    /// SOPP: a 16-bit immediate, perhaps a branch displacement.
    Program,
    Scalar(ScalarShape),
    Vector(VectorShape),
    /// SMEM with `words` registers of data.
    ScalarMemory {
        words: u8,
        /// The base is a buffer resource.
        buffer: bool,
    },
    /// FLAT, GLOBAL and SCRATCH.
    Flat {
        segment_relative: bool,
        data: Data,
    },
    /// DS.
    Lds {
        data: Data,
        /// The GDS bit may be set, though there is no GDS memory.
        gds: bool,
        /// The handler itself stops waves that leave LDS, on a device that wants that.
        looks: bool,
    },
    Buffer {
        data: Data,
    },
    /// `words`: registers of data, if they are more than the data mask says.
    Image {
        operands: ImageOperands,
        words: u8,
    },
    /// WMMA and SWMMAC: the number of `numerics::wmma`'s instruction.
    WaveMatrix {
        instruction: u16,
    },
    /// SOP1 whose source field is the number of a message that `words` registers answer.
    Message {
        words: u8,
    },
    /// LDSDIR.
    LdsDirect,
}

/// Semantics of one mnemonic.
#[derive(Clone, Debug)]
pub struct Row {
    pub mnemonic: &'static str,
    pub(crate) shape: Shape,
    pub(crate) handler: fn() -> Handler,
    /// Set if the handler may change EXEC regardless of its operands.
    pub(crate) changes_exec: bool,
}

impl Row {
    /// A vector ALU row with body `B`.
    pub(crate) fn vector<B: VectorBody>(mnemonic: &'static str, shape: VectorShape) -> Row {
        Row {
            mnemonic,
            shape: Shape::Vector(VectorShape {
                handlers: Some(shell::vector_handlers::<B>),
                function: Some(B::function),
                ..shape
            }),
            handler: shell::vector_handler::<B>,
            changes_exec: false,
        }
    }

    /// Operands of a vector ALU row.
    pub(crate) fn vector_shape(&self) -> Option<&VectorShape> {
        match &self.shape {
            Shape::Vector(shape) => Some(shape),
            _ => None,
        }
    }

    pub(crate) fn micro_op(&self) -> MicroOp {
        let mut op = MicroOp::new((self.handler)());
        if self.changes_exec {
            op.after = flow::EXEC_CHANGED as u8;
        }
        op
    }
}

/// Every row, in table order.
pub fn all_rows() -> &'static [Row] {
    static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let mut rows = Vec::new();
        approximate::rows(&mut rows);
        approximate::special_rows(&mut rows);
        atomic::rows(&mut rows);
        buffer::rows(&mut rows);
        buffer_format::rows(&mut rows);
        cdna::rows(&mut rows);
        cdna::special_rows(&mut rows);
        compare::rows(&mut rows);
        control::rows(&mut rows);
        direct::rows(&mut rows);
        convert::rows(&mut rows);
        cross_lane::rows(&mut rows);
        division::rows(&mut rows);
        division::special_rows(&mut rows);
        dot::rows(&mut rows);
        dot::special_rows(&mut rows);
        ds::rows(&mut rows);
        eight_bit::rows(&mut rows);
        eight_bit::special_rows(&mut rows);
        float64::rows(&mut rows);
        fp8::fnuz::append(&mut rows);
        half::rows(&mut rows);
        hardware::rows(&mut rows);
        image::rows(&mut rows);
        indexed::rows(&mut rows);
        matrix::rows(&mut rows);
        mix::rows(&mut rows);
        packed::rows(&mut rows);
        packed::special_rows(&mut rows);
        sad::rows(&mut rows);
        sad::special_rows(&mut rows);
        device_barrier::rows(&mut rows);
        global::rows(&mut rows);
        lds_atomic::rows(&mut rows);
        lds_transpose::rows(&mut rows);
        scalar::rows(&mut rows);
        scaled::rows(&mut rows);
        scratch::rows(&mut rows);
        to_lds::rows(&mut rows);
        scalar_memory::rows(&mut rows);
        scalar_atomic::rows(&mut rows);
        vector32::rows(&mut rows);
        vector32::special_rows(&mut rows);
        pseudo_scalar::rows(&mut rows);
        scalar_float::rows(&mut rows);
        split_barrier::rows(&mut rows);
        minimum_maximum::rows(&mut rows);
        transposed::rows(&mut rows);
        wmma::rows(&mut rows);
        rows
    })
}

/// The row of `op` on `target`.
pub(crate) fn find(op: Op, target: &Target) -> Option<&'static Row> {
    static INDEX: OnceLock<HashMap<&'static str, &'static Row>> = OnceLock::new();
    static OCP: OnceLock<Vec<Row>> = OnceLock::new();
    let name = row_name(op, target.family);
    let ocp = OCP.get_or_init(|| {
        let mut rows = Vec::new();
        fp8::ocp::append(&mut rows);
        rows
    });
    if !target.has_fnuz_fp8()
        && name.contains("8_f32") | name.contains("f32_fp8") | name.contains("f32_bf8")
        && let Some(row) = ocp.iter().find(|row| row.mnemonic == name)
    {
        return Some(row);
    }
    INDEX
        .get_or_init(|| all_rows().iter().map(|row| (row.mnemonic, row)).collect())
        .get(name)
        .copied()
}

/// The row's name for `op` on targets of `family`.
fn row_name(op: Op, family: Family) -> &'static str {
    let name = op.first_name();
    let other = OTHER_MEANINGS
        .iter()
        .find(|(since, known, _)| family >= *since && *known == name);
    other.map_or(name, |(_, _, row)| row)
}

/// The names of the rows that execute `op` on `target`: two for dual instructions. `None` if there are none.
pub fn rows_of(op: Op, target: &Target) -> Option<Vec<&'static str>> {
    let row = |op: Op| find(op, target).map(|row| row.mnemonic);
    match op.halves() {
        Some(halves) => halves.into_iter().map(row).collect(),
        None => Some(vec![row(op)?]),
    }
}

struct Unsupported;

impl Body for Unsupported {
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let message = wave.segment.messages[op.unsupported().message as usize].clone();
        wave.stop(Stop::Unsupported(message))
    }
}

/// An op that stops the wave with message `message` of its segment.
pub(crate) fn unsupported(message: u32) -> MicroOp {
    MicroOp::new(shell::handler::<Unsupported>()).with(micro_op::Unsupported::new(message))
}

struct Leave;

impl Body for Leave {
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        wave.next_pc = op.leave().address();
        flow::JUMP
    }
}

/// An op that continues at `pc` in another segment.
pub(crate) fn leave(pc: u64) -> MicroOp {
    MicroOp::new(shell::handler::<Leave>()).with(micro_op::Leave::new(pc))
}
