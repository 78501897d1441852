//! The functions that a function may run: its callees, and the targets of calls through pointers.

use crate::function::{Callee, Function, FunctionIndex, Leave};
use crate::module::Module;
use crate::program::FunctionKind;
use std::collections::BTreeSet;

impl Function {
    /// Returns `true` if control may go from the function to an unknown place, by a call or a jump.
    pub fn goes_anywhere(&self) -> bool {
        let leaves = |leave: &Leave| *leave == Leave::Anywhere;
        self.blocks.iter().any(|block| {
            let unknown = block.call == Some(Callee::Unknown);
            block.reachable && (unknown || block.leaves.iter().any(leaves))
        })
    }
}

impl Module {
    /// Functions that pointers may point to. Kernels are not among them: the hardware alone starts a kernel.
    pub fn pointed_to(&self) -> impl Iterator<Item = FunctionIndex> + '_ {
        let device = |index: &FunctionIndex| self.functions[*index].kind == FunctionKind::Device;
        self.address_taken().filter(device)
    }

    /// The function, and all that it may call: the nearest first. Callees of unreachable places are among them, because those calls
    /// have targets, too. A call by a pointer may reach any function of which some code takes the address.
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
