//! Operand ports: how a vector instruction's sources reach its body and its result reaches the registers.
//!
//! A body sees 16 lanes of plain values. Uniform sources become a 16-lane splat read with step 0, so that one body serves
//! every mix of vector and scalar operands. Everything unusual (input and output modifiers, SDWA, DPP, half registers) is
//! done by passes over temporary rows before (`prepare`) and after (`finish`) the body, so that rows stay pure.

use crate::{
    micro_op::{MicroOp, SrcKind, path},
    state::{LANES, VectorRow, Wave, sreg},
};

mod lane;
mod special;

pub(crate) use lane::*;

/// First temporary row of source `index` (two words each).
const SOURCE_ROWS: usize = 0;
/// Result staging rows.
const RESULT_ROWS: usize = 6;
/// Lane mask staging row.
const MASK_ROW: usize = 8;
/// Further rows that memory and cross-lane routines may use.
pub(crate) const SPARE_ROWS: usize = 9;

/// Where a body reads 16 lanes of one source, or where it writes them.
#[derive(Clone, Copy)]
pub(crate) struct Port {
    word: *const u32,
    /// Words from one group of 16 lanes to the next: 16, or 0 for a splat.
    step: usize,
}

/// Everything a body needs of an instruction's operands.
pub(crate) struct Operands {
    pub src: [Port; 3],
    dst: *mut u32,
    /// Lanes that execute, after DPP's say.
    pub exec: u64,
    /// Row of lane masks for `exec`, or null when every lane may be written.
    lanes: *const u32,
}

impl Operands {
    /// Lanes of `group` of source `index`.
    #[inline(always)]
    pub fn load<T: Lane>(&self, index: usize, group: usize) -> [T::Value; 16] {
        let port = self.src[index];
        // SAFETY: `port.word` points to a row of the wave's register file (or a temporary row), `step * group` stays inside
        // its 64 words, and for two-word types `operands` checked that the following row exists.
        unsafe { T::load(port.word.add(port.step * group)) }
    }

    /// Lanes of `group` of 32-bit word `word` of source `index`.
    #[inline(always)]
    pub fn load_word<T: Lane>(&self, index: usize, group: usize, word: usize) -> [T::Value; 16] {
        let port = self.src[index];
        // SAFETY: as in `load`; word 1 lies one row further.
        unsafe { T::load(port.word.add(port.step * group + LANES * word)) }
    }

    /// Writes word `word` of a result.
    #[inline(always)]
    pub fn store_word<T: Lane>(&self, group: usize, word: usize, values: [T::Value; 16]) {
        // SAFETY: as in `store`; word 1 lies one row further.
        unsafe {
            let dst = self.dst.add(16 * group + LANES * word);
            if self.lanes.is_null() {
                T::store(dst, values);
            } else {
                T::blend(dst, values, self.lanes.add(16 * group));
            }
        }
    }

    /// Writes `values` to the active lanes of `group`.
    #[inline(always)]
    pub fn store<T: Lane>(&self, group: usize, values: [T::Value; 16]) {
        // SAFETY: as in `load`; `lanes` is null or points to a full row of lane masks.
        unsafe {
            let dst = self.dst.add(16 * group);
            if self.lanes.is_null() {
                T::store(dst, values);
            } else {
                T::blend(dst, values, self.lanes.add(16 * group));
            }
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
            SrcKind::Constant => u64::from(op.constant[index]),
            SrcKind::ConstantSigned => op.constant[index] as i32 as i64 as u64,
            SrcKind::ConstantHigh => u64::from(op.constant[index]) << 32,
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

    /// Resolves sources and destination of a vector instruction with `N` sources of types `types` and result `result`.
    #[inline(always)]
    pub(crate) fn operands<const N: usize>(
        &mut self,
        op: &MicroOp,
        types: [Type; 3],
        result: Type,
    ) -> Operands {
        if op.path != 0 {
            return special::prepare(self, op, N, types, result);
        }
        let mut src = [Port {
            word: std::ptr::null(),
            step: 0,
        }; 3];
        for (index, port) in src.iter_mut().enumerate().take(N) {
            *port = self.plain_port(op, index, types[index].words());
        }
        let exec = self.exec();
        Operands {
            src,
            dst: self.result_pointer(op.dst as usize, result.words()),
            exec,
            lanes: if exec == self.full {
                std::ptr::null()
            } else {
                self.exec_lanes.0.as_ptr()
            },
        }
    }

    #[inline(always)]
    fn plain_port(&mut self, op: &MicroOp, index: usize, words: usize) -> Port {
        let src = op.src[index];
        if src.kind == SrcKind::Vector {
            return self.vector_port(src.index as usize, words);
        }
        let value = match src.kind {
            SrcKind::Scalar if words == 1 => u64::from(self.scalars.0[src.index as usize]),
            SrcKind::Constant | SrcKind::ConstantSigned if words == 1 => {
                u64::from(op.constant[index])
            }
            _ => self.uniform_outlined(op, index),
        };
        self.splat(index, value, words)
    }

    /// [`Wave::uniform`] as a call, so that not every body contains it.
    #[inline(never)]
    fn uniform_outlined(&self, op: &MicroOp, index: usize) -> u64 {
        self.uniform(op, index)
    }

    #[inline(always)]
    fn vector_port(&self, row: usize, words: usize) -> Port {
        Port {
            word: self.rows[row..row + words][0].0.as_ptr(),
            step: 16,
        }
    }

    /// A 16-lane splat in the temporary rows of source `index`.
    #[inline(always)]
    fn splat(&mut self, index: usize, value: u64, words: usize) -> Port {
        let row = SOURCE_ROWS + 2 * index;
        self.temporary(row).0[..16].fill(value as u32);
        if words == 2 {
            self.temporary(row + 1).0[..16].fill((value >> 32) as u32);
        }
        Port {
            word: self.temporary(row).0.as_ptr(),
            step: 0,
        }
    }

    #[inline(always)]
    fn result_pointer(&mut self, row: usize, words: usize) -> *mut u32 {
        if words == 0 {
            return std::ptr::null_mut();
        }
        self.rows[row..row + words][0].0.as_mut_ptr()
    }

    /// Completes an instruction whose `path` has `FINISH`; called by every body after its loop.
    #[inline(always)]
    pub(crate) fn finish(&mut self, op: &MicroOp, operands: &Operands, result: Type) {
        if op.path & path::FINISH != 0 {
            special::finish(self, op, operands.exec, result);
        }
    }

    /// Value of one lane of a source in the plain (unmodified) form; for memory and cross-lane routines.
    #[inline(always)]
    pub(crate) fn lane_value(&self, op: &MicroOp, index: usize, lane: usize) -> u32 {
        let src = op.src[index];
        if src.kind == SrcKind::Vector {
            self.rows[src.index as usize].0[lane]
        } else {
            self.uniform(op, index) as u32
        }
    }

    /// M0.
    #[inline(always)]
    pub(crate) fn m0(&self) -> u32 {
        self.scalars.0[sreg::M0]
    }
}
