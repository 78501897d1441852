//! Operand ports: how a vector instruction's sources reach its body and its result reaches the registers.
//!
//! A body sees 16 lanes of plain values. Each source is a vector row or, in the copies of hot bodies made for that, a value
//! that is the same for all lanes. Everything unusual (modifiers, SDWA, DPP, half registers, other uniform sources) is done
//! by micro-ops of its own before and after the body ([`crate::passes`]), through temporary rows.
//!
//! When lanes are off, a body writes its whole result to temporary rows, and [`Wave::deliver`] copies the active lanes. Hot
//! rows write the active lanes at once.

use crate::{
    micro_op::{MicroOp, Src, SrcKind, modifier},
    shell::{Form, multiversion},
    state::{LANES, VectorRow, Wave, sreg},
};

mod lane;
mod operands;

pub(crate) use lane::*;
pub(crate) use operands::Operands;

/// First temporary row of source `index` (two words each).
pub(crate) const SOURCE_ROWS: usize = 0;
/// Rows for results that a pass completes.
pub(crate) const RESULT_ROWS: usize = 6;
/// Rows for results of which only some lanes count.
const PARTIAL_ROWS: usize = 8;
/// Further rows that memory and cross-lane routines may use.
pub(crate) const SPARE_ROWS: usize = 12;

multiversion! {
    /// Copies the active lanes of `words` result rows to their place.
    #[cold]
    fn copy_active = copy_active_body(wave: &mut Wave, dst: usize, words: usize);
}

#[inline(always)]
fn copy_active_body(wave: &mut Wave, dst: usize, words: usize) {
    for word in 0..words {
        let values = *wave.temporary(PARTIAL_ROWS + word);
        let target = &mut wave.rows[dst + word].0;
        for lane in 0..LANES {
            let mask = wave.exec_lanes.0[lane];
            target[lane] = target[lane] & !mask | values.0[lane] & mask;
        }
    }
}

multiversion! {
    /// `op` with vector sources that are zero in lanes that are off.
    pub(crate) fn with_zeros = with_zeros_body(wave: &mut Wave, op: &MicroOp, types: [Type; 3]) -> MicroOp;
}

#[inline(always)]
fn with_zeros_body(wave: &mut Wave, op: &MicroOp, types: [Type; 3]) -> MicroOp {
    let mut zeroed = *op;
    for (index, kind) in types.into_iter().enumerate() {
        if op.src[index].kind != SrcKind::Vector {
            continue;
        }
        debug_assert!(!matches!(kind, Type::PackedF32), "its words lie elsewhere");
        for word in 0..kind.words() {
            let mut row = *wave.row(op.src[index].index as usize + word);
            for lane in 0..LANES {
                row.0[lane] &= wave.exec_lanes.0[lane];
            }
            *wave.temporary(SOURCE_ROWS + 2 * index + word) = row;
        }
        zeroed.src[index].index = (wave.temporaries + SOURCE_ROWS + 2 * index) as u16;
    }
    zeroed
}

/// Returns `true` if bodies for uniform sources know this kind; all others are copied to rows first.
pub(crate) fn has_form(kind: SrcKind) -> bool {
    matches!(
        kind,
        SrcKind::Scalar | SrcKind::Constant | SrcKind::ConstantSigned | SrcKind::ConstantHigh
    )
}

/// The words of a uniform pair of singles that op_sel and op_sel_hi of source `index` name, negated as neg_lo and neg_hi say.
#[inline(always)]
fn selected(op: &MicroOp, index: usize, value: u64) -> u64 {
    let bit = |base: u32| op.vector().modifier(base, index);
    let word = |select: u32, negate: u32| (value >> (32 * select)) as u32 ^ negate << 31;
    let low = word(bit(modifier::OP_SEL), bit(modifier::NEG));
    // VOP3P: the ABS bits are neg_hi.
    let high = word(bit(modifier::OP_SEL_HI), bit(modifier::ABS));
    u64::from(low) | u64::from(high) << 32
}

impl Src {
    /// Value of a constant of `words` words, of a kind that [`has_form`] names.
    #[inline(always)]
    pub(crate) fn constant_value(&self, words: usize) -> u64 {
        match self.kind {
            SrcKind::ConstantSigned if words == 2 => self.constant_word() as i32 as i64 as u64,
            SrcKind::ConstantHigh => u64::from(self.constant_word()) << 32,
            _ => u64::from(self.constant_word()),
        }
    }
}

impl Wave {
    #[inline(always)]
    pub(crate) fn row(&self, index: usize) -> &VectorRow {
        &self.rows[index]
    }

    #[inline(always)]
    pub(crate) fn row_mut(&mut self, index: usize) -> &mut VectorRow {
        &mut self.rows[index]
    }

    /// Temporary row `index`.
    #[inline(always)]
    pub(crate) fn temporary(&mut self, index: usize) -> &mut VectorRow {
        let row = self.temporaries + index;
        &mut self.rows[row]
    }

    /// The 64-bit value of a uniform source; 32-bit sources use its low word.
    #[inline(always)]
    pub(crate) fn uniform(&self, op: &MicroOp, index: usize) -> u64 {
        let src = op.src[index];
        match src.kind {
            SrcKind::Scalar => self.scalar64(src.index as usize),
            SrcKind::Constant => u64::from(src.constant_word()),
            SrcKind::ConstantSigned => src.constant_word() as i32 as i64 as u64,
            SrcKind::ConstantHigh => u64::from(src.constant_word()) << 32,
            SrcKind::InverseTwoPi64 => 0x3fc4_5f30_6dc9_c882,
            SrcKind::Condition => u64::from(match src.index {
                0 => self.scc,
                1 => self.vcc() == 0,
                _ => self.exec() == 0,
            }),
            SrcKind::Aperture => match src.index {
                0 => self.shared_aperture,
                1 => self.shared_aperture | 0xffff_ffff,
                2 => self.private_aperture,
                _ => self.private_aperture | 0xffff_ffff,
            },
            SrcKind::None | SrcKind::Vector => 0,
        }
    }

    /// The value of a uniform source of one word, whose other word is left alone: a load of both stalls where a store has just written
    /// this one.
    #[inline(always)]
    pub(crate) fn uniform32(&self, op: &MicroOp, index: usize) -> u32 {
        let src = op.src[index];
        match src.kind {
            SrcKind::Scalar => self.scalars.0[src.index as usize],
            _ => self.uniform(op, index) as u32,
        }
    }

    /// The value of a uniform source of so many words; of none, nothing.
    #[inline(always)]
    pub(crate) fn uniform_words(&self, op: &MicroOp, index: usize, words: usize) -> u64 {
        match words {
            0 => 0,
            1 => u64::from(self.uniform32(op, index)),
            _ => self.uniform(op, index),
        }
    }

    /// Completes an instruction whose body has written `words` rows of results.
    #[inline(always)]
    pub(crate) fn deliver<F: Form>(&mut self, op: &MicroOp, words: usize) -> u32 {
        if !self.all_lanes {
            copy_active::<F>(self, op.dst as usize, words);
        }
        u32::from(op.after)
    }

    /// First of the rows for results of which only some lanes count.
    #[inline(always)]
    pub(crate) fn partial_row(&self) -> usize {
        self.temporaries + PARTIAL_ROWS
    }

    /// Value of uniform source `index` of `words` words, of a kind that [`has_form`] names. No call in it: bodies would have
    /// to save host registers for that.
    #[inline(always)]
    fn uniform_source(&self, op: &MicroOp, index: usize, words: usize) -> u64 {
        let src = op.src[index];
        match src.kind {
            SrcKind::Scalar => self.scalar_source(src.index, words),
            _ => src.constant_value(words),
        }
    }

    /// Value of `words` scalar registers from `slot` on.
    #[inline(always)]
    pub(crate) fn scalar_source(&self, slot: u16, words: usize) -> u64 {
        match words {
            1 => u64::from(self.scalars.0[slot as usize]),
            _ => self.scalar64(slot as usize),
        }
    }

    /// `op` with every uniform source copied to a temporary row.
    pub(crate) fn with_rows_for_uniforms(&mut self, op: &MicroOp) -> MicroOp {
        let mut moved = *op;
        let pairs = op.vector().modifiers & modifier::PAIR != 0;
        for index in 0..3 {
            if matches!(op.src[index].kind, SrcKind::None | SrcKind::Vector) {
                continue;
            }
            let mut value = self.uniform(op, index);
            if pairs {
                value = selected(op, index, value);
            }
            let row = SOURCE_ROWS + 2 * index;
            *self.temporary(row) = VectorRow([value as u32; LANES]);
            *self.temporary(row + 1) = VectorRow([(value >> 32) as u32; LANES]);
            let temporary = (self.temporaries + row) as u16;
            moved.src[index] = if pairs {
                Src::pair(temporary, LANES as i32)
            } else {
                Src::vector(temporary)
            };
        }
        moved
    }

    /// Value of one lane of a source in the plain (unmodified) form; for memory and cross-lane routines.
    #[inline(always)]
    pub(crate) fn lane_value(&self, op: &MicroOp, index: usize, lane: usize) -> u32 {
        let src = op.src[index];
        if src.kind == SrcKind::Vector {
            self.rows[src.index as usize].0[lane]
        } else {
            self.uniform32(op, index)
        }
    }

    /// M0.
    #[inline(always)]
    pub(crate) fn m0(&self) -> u32 {
        self.scalars.0[sreg::M0]
    }
}
