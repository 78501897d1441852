//! `s_clause`: instructions that nothing may come between.

use lift::{Function, InstFlags, InstIndex};
use std::ops::Range;

/// `s_clause` and the instructions it holds together.
#[derive(Default)]
pub(crate) struct Clauses {
    /// Instructions left in the clause that is open.
    pub left: u32,
    broken: Option<InstIndex>,
}

impl Clauses {
    pub fn inside(&self) -> bool {
        self.left > 0
    }

    pub fn broken_at(&self, inst: InstIndex) -> bool {
        self.broken == Some(inst)
    }

    /// `is_split`: whether anything is inserted at one of these instructions.
    pub fn step(
        &mut self,
        function: &Function,
        inst: InstIndex,
        is_split: impl Fn(Range<InstIndex>) -> bool,
    ) {
        self.left = self.left.saturating_sub(1);
        let decoded = function.insts.at(inst);
        if !function.traits(inst).any(InstFlags::CLAUSE) {
            return;
        }
        let length = decoded.clause_length();
        if is_split(inst..inst + 1 + length as usize) {
            self.broken = Some(inst);
        } else {
            self.left = length;
        }
    }
}
