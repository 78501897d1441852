//! Sets of vector registers: which ones code may write, and which ones of a wave may hold something.

use isa::{Inst, Operand, RegKind};

use crate::program::Config;

/// Rows that a set tells apart; those beyond are in every set. No target that is executed has more.
const ROWS: usize = 512;

/// A set of rows of the register file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowSet([u64; ROWS / 64]);

impl RowSet {
    #[inline]
    pub fn add(&mut self, row: usize) {
        if row < ROWS {
            self.0[row / 64] |= 1 << (row % 64);
        }
    }

    /// Takes out the first `count` rows.
    #[inline]
    pub fn remove_first(&mut self, count: usize) {
        for row in 0..count.min(ROWS) {
            self.0[row / 64] &= !(1 << (row % 64));
        }
    }

    /// Puts in the first `count` rows.
    #[inline]
    pub fn add_first(&mut self, count: usize) {
        for row in 0..count.min(ROWS) {
            self.0[row / 64] |= 1 << (row % 64);
        }
    }

    /// A bit for each of the first 64 rows.
    #[inline]
    pub fn first_word(&self) -> u64 {
        self.0[0]
    }

    pub fn holds(&self, row: usize) -> bool {
        row >= ROWS || self.0[row / 64] >> (row % 64) & 1 != 0
    }

    #[inline]
    pub fn unite(&mut self, other: &RowSet) {
        for (words, more) in self.0.iter_mut().zip(&other.0) {
            *words |= more;
        }
    }

    /// Its rows among the first `count`.
    #[inline]
    pub fn for_each(&self, count: usize, mut visit: impl FnMut(usize)) {
        self.for_each_word(count, |first, set| {
            let mut word = set;
            while word != 0 {
                visit(first + word.trailing_zeros() as usize);
                word &= word - 1;
            }
        });
    }

    /// Its rows among the first `count`, in words that are not zero: bit i stands for the row with the number of the first one plus i.
    #[inline]
    pub fn for_each_word(&self, count: usize, mut visit: impl FnMut(usize, u64)) {
        for first in (0..count).step_by(64) {
            let left = count - first;
            let within = if left < 64 { (1 << left) - 1 } else { !0 };
            // Rows beyond those that are told apart are in every set.
            let set = self.0.get(first / 64).copied().unwrap_or(!0) & within;
            if set != 0 {
                visit(first, set);
            }
        }
    }

    /// Adds the rows that `inst` may write under `config`.
    pub fn add_writes(&mut self, config: &Config, inst: &Inst) {
        // It names one register and writes others, too, which M0 chooses.
        let chosen_later = ["movrel", "swaprel", "gpr_idx"];
        if chosen_later
            .iter()
            .any(|part| inst.mnemonic().contains(part))
        {
            self.0 = [!0; ROWS / 64];
            return;
        }
        let named = inst.operands.iter().filter_map(|operand| match operand {
            Operand::Def(register) => Some(register),
            _ => None,
        });
        for register in named.chain(&inst.implicit_defs) {
            let first = match register.kind {
                RegKind::Vgpr => 0,
                RegKind::Agpr => config.agpr_base as usize,
                _ => continue,
            };
            let first = first + usize::from(register.index);
            (first..first + usize::from(register.width)).for_each(|row| self.add(row));
        }
    }
}
