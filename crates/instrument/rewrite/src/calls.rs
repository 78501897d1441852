//! Calls and computed targets.

use crate::instruction::{InstructionSink, Op, SourceOperand, VCC};
use crate::ir::{Item, Label};
use crate::select::Selection;
use crate::{AddressHalf, Refusal, Symbol};
use isa::{Operand, Reg, RegKind};
use lift::{Block, Callee, Function, InstIndex};

impl Selection<'_, '_> {
    /// The return address is that behind the new call, and so the callee returns to the new text.
    pub fn call(
        &mut self,
        function: &Function,
        block: &Block,
        inst: InstIndex,
    ) -> Result<(), Refusal> {
        let decoded = function.insts.at(inst);
        let unresolved = |reason: &str| Refusal::Unresolved {
            function: function.name.clone(),
            pc: decoded.pc,
            reason: reason.to_owned(),
        };
        let pair = decoded.operands.iter().find_map(|operand| match operand {
            Operand::Def(reg) => scalar_encoding(*reg),
            _ => None,
        });
        let pair = pair.ok_or_else(|| unresolved("the return address goes to no SGPR"))?;
        let Some(Callee::Known(callee)) = block.call else {
            if !block.reachable {
                self.code.push(Item::Copy(inst));
                return Ok(());
            }
            let candidates = self.functions_pointed_to();
            return self.translate(function, inst, &candidates, Some(pair));
        };
        self.code.call(pair, Label::Block(callee, 0));
        Ok(())
    }

    /// Addresses in the original, and what is at them now.
    pub fn functions_pointed_to(&self) -> Vec<(u64, Label)> {
        let functions = self.module.pointed_to();
        functions
            .map(|index| (self.module.functions[index].entry, Label::Block(index, 0)))
            .collect()
    }

    /// Code that goes where the original's target is now. An address that is none of the candidates stays as it is, and what is
    /// there runs as it was. Needs no register: SCC alone changes, and so there is one copy of the code for either value of it,
    /// which puts that back. `link`: the pair of the return address, of a call.
    pub fn translate(
        &mut self,
        function: &Function,
        inst: InstIndex,
        candidates: &[(u64, Label)],
        link: Option<u16>,
    ) -> Result<(), Refusal> {
        let decoded = function.insts.at(inst);
        let source = decoded.operands.iter().find_map(|operand| match operand {
            Operand::Use(reg) => scalar_encoding(*reg),
            _ => None,
        });
        let source = source.ok_or_else(|| Refusal::Unresolved {
            function: function.name.clone(),
            pc: decoded.pc,
            reason: "the target is in no SGPR".to_owned(),
        })?;
        let (done, is_set) = (self.code.new_label(), self.code.new_label());
        self.code.branch(Op::SCbranchScc1, is_set);
        for scc in [false, true] {
            if scc {
                self.code.push(Item::Label(is_set));
            }
            for &(address, label) in candidates {
                let next = self.code.new_label();
                for (half, register) in
                    [(AddressHalf::Low, source), (AddressHalf::High, source + 1)]
                {
                    let literal = self.code.address(half, Symbol::Original(address), 0);
                    let (register, literal) = (
                        SourceOperand::Scalar(register),
                        SourceOperand::Address(literal),
                    );
                    self.code.compare(Op::SCmpEqU32, register, literal);
                    self.code.branch(Op::SCbranchScc0, next);
                }
                self.put_back(scc);
                match link {
                    Some(pair) => {
                        self.code.call(pair, label);
                        self.comes_back(decoded.end(), done);
                    }
                    None => self.code.branch(Op::SBranch, label),
                }
                self.code.push(Item::Label(next));
            }
            self.put_back(scc);
            self.code.push(Item::Copy(inst));
            if link.is_some() {
                self.comes_back(decoded.end(), done);
            }
        }
        self.code.push(Item::Label(done));
        Ok(())
    }

    /// SCC as it was.
    fn put_back(&mut self, scc: bool) {
        let op = if scc { Op::SCmpEqU32 } else { Op::SCmpLgU32 };
        let zero = SourceOperand::Constant(0);
        self.code.compare(op, zero, zero);
    }

    /// Where a call returns to instead of the instruction behind it, which is at `behind`.
    fn comes_back(&mut self, behind: u64, done: Label) {
        self.code.push(Item::Inserted(behind));
        self.code.branch(Op::SBranch, done);
    }
}

/// An SGPR's operand encoding.
fn scalar_encoding(reg: Reg) -> Option<u16> {
    match reg.kind {
        RegKind::Sgpr => Some(reg.index),
        RegKind::Vcc => Some(VCC + reg.index),
        _ => None,
    }
}
