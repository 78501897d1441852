//! What a function may run: all that it calls, and what is called through pointers.

use crate::function::{Callee, Function, FunctionIndex, Leave};
use crate::module::Module;
use crate::program::FunctionKind;
use std::collections::BTreeSet;

impl Function {
    /// Whether control may go from it to where nobody knows, by a call or a jump.
    pub fn goes_anywhere(&self) -> bool {
        let leaves = |leave: &Leave| *leave == Leave::Anywhere;
        self.blocks.iter().any(|block| {
            let unknown = block.call == Some(Callee::Unknown);
            block.reachable && (unknown || block.leaves.iter().any(leaves))
        })
    }
}

impl Module {
    /// Functions that pointers may point to. A kernel is started by the hardware alone, whoever has its address.
    pub fn pointed_to(&self) -> impl Iterator<Item = FunctionIndex> + '_ {
        let device = |index: &FunctionIndex| self.functions[*index].kind == FunctionKind::Device;
        self.address_taken().filter(device)
    }

    /// The function, and all that it may call: the nearest first. What is called from places that nothing leads to is among
    /// them, for those calls have targets, too; what is called by a pointer is any function of which something takes the
    /// address.
    pub fn closure(&self, function: FunctionIndex) -> Vec<FunctionIndex> {
        let mut found = vec![function];
        let mut seen = BTreeSet::from([function]);
        let mut next = 0;
        while let Some(&index) = found.get(next) {
            next += 1;
            let mut callees = self.callees(index);
            if self.functions[index].goes_anywhere() {
                callees.extend(self.pointed_to());
            }
            found.extend(callees.into_iter().filter(|callee| seen.insert(*callee)));
        }
        found
    }
}
