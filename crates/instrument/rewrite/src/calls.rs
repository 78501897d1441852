//! Calls.

use crate::Refusal;
use crate::instruction::Op;
use crate::ir::{Item, Label};
use crate::jumps::scalar_encoding;
use crate::select::Selection;
use isa::Operand;
use lift::{BlockIndex, Callee, FunctionIndex, InstIndex};

impl Selection<'_, '_> {
    /// The return address is that of the original; what returns there is led back behind the new call.
    pub fn call(
        &mut self,
        index: FunctionIndex,
        number: BlockIndex,
        inst: InstIndex,
    ) -> Result<(), Refusal> {
        let function = &self.module.functions[index];
        let block = &function.blocks[number];
        let decoded = function.insts.at(inst);
        let pair = decoded.operands.iter().find_map(|operand| match operand {
            Operand::Def(reg) => scalar_encoding(*reg),
            _ => None,
        });
        let pair = pair.ok_or_else(|| Refusal::Unresolved {
            function: function.name.clone(),
            pc: decoded.pc,
            reason: "the return address goes to no SGPR".to_owned(),
        })?;
        match block.call {
            Some(Callee::Known(callee)) => {
                self.link(pair, decoded.end());
                self.code.branch(Op::SBranch, Label::Block(callee, 0));
                Ok(())
            }
            _ if block.reachable => self.go(index, inst, Some(pair), None),
            _ => {
                self.code.push(Item::Copy(inst));
                Ok(())
            }
        }
    }
}
