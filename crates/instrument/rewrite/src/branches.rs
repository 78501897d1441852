//! Branches, the ends of blocks, and what depends on where code is.

use crate::block_facts::falls_to;
use crate::edges::SplitEdge;
use crate::instruction::{InstructionSink, Op, SourceOperand};
use crate::ir::{Item, Label};
use crate::select::Selection;
use crate::{AddressHalf, Refusal, Symbol};
use isa::{Decoded, Effects, Inst};
use lift::{Block, BlockIndex, EdgeKind, Function, FunctionIndex, InstIndex, Leave, Reason};

impl Selection<'_, '_> {
    /// Whether what the block ends with can be laid out anew.
    pub fn check(&self, function: &Function, block: &Block) -> Result<(), Refusal> {
        let unresolved = |reason: String| Refusal::Unresolved {
            function: function.name.clone(),
            pc: function.insts.pc(block.end - 1),
            reason,
        };
        if !block.reachable {
            return Ok(());
        }
        let pc = function.insts.pc(block.end - 1);
        // Computed targets are translated at run time, and what runs off the function's end is stopped there.
        let reason = function.unresolved.iter().find(|place| {
            let handled = matches!(
                place.reason,
                Reason::IndirectBranch | Reason::IndirectCall | Reason::RunsOff
            );
            place.pc == pc && !handled
        });
        match reason {
            Some(place) => Err(unresolved(place.reason.to_string())),
            None => Ok(()),
        }
    }

    pub fn fall_through(
        &mut self,
        index: FunctionIndex,
        number: BlockIndex,
    ) -> Result<(), Refusal> {
        let module = self.module;
        let function = &module.functions[index];
        let block = &function.blocks[number];
        if let Some(next) = falls_to(function, number) {
            return self.insert_on_edge(index, number, next);
        }
        // Into another function that comes next in memory.
        let last = function.insts.at(block.end - 1);
        let next = module.function_at(last.end());
        let falls = !last
            .effects
            .intersects(Effects::BRANCH | Effects::END | Effects::RETURN)
            || last
                .effects
                .intersects(Effects::CONDITIONAL | Effects::CALL);
        if let Some(next) =
            next.filter(|next| falls && block.leaves.contains(&Leave::TailCall(*next)))
        {
            self.code.branch(Op::SBranch, Label::Block(next, 0));
        } else if falls && block.leaves.contains(&Leave::Anywhere) {
            // Behind a call that does not return, such as that of a failed assertion.
            self.code.fixed(Op::STrap);
        }
        Ok(())
    }

    pub fn direct(
        &mut self,
        index: FunctionIndex,
        number: BlockIndex,
        inst: InstIndex,
        target: u64,
        detours: &mut Vec<SplitEdge>,
    ) -> Result<(), Refusal> {
        let module = self.module;
        let function = &module.functions[index];
        let decoded = function.insts.at(inst);
        let label = match function.inst_at(target) {
            Some(to) => {
                let block = function.block_of(to);
                if function.blocks[block].first != to {
                    return Err(Refusal::Unresolved {
                        function: function.name.clone(),
                        pc: decoded.pc,
                        reason: format!("{} refers into a block", decoded.mnemonic),
                    });
                }
                if self.has_edge(index, function.blocks[number].end - 1, block)
                    && falls_to(function, number) != Some(block)
                {
                    let label = self.code.new_label();
                    detours.push(SplitEdge {
                        label,
                        block: number,
                        to: block,
                    });
                    label
                } else {
                    Label::Block(index, block)
                }
            }
            None => match module.function_at(target) {
                Some(other) => Label::Block(other, 0),
                None if !function.blocks[number].reachable => {
                    self.code.push(Item::Copy(inst));
                    return Ok(());
                }
                None => {
                    return Err(Refusal::Unresolved {
                        function: function.name.clone(),
                        pc: decoded.pc,
                        reason: "branch to a place where no instruction starts".to_owned(),
                    });
                }
            },
        };
        if decoded.size != 4 {
            return Err(Refusal::Unresolved {
                function: function.name.clone(),
                pc: decoded.pc,
                reason: format!("{} is not moved", decoded.mnemonic),
            });
        }
        self.code.push(Item::Moved(inst as u32, label));
        Ok(())
    }

    /// `s_setpc_b64`: a return stays; where there is one target the new text is branched to.
    pub fn indirect(
        &mut self,
        index: FunctionIndex,
        number: BlockIndex,
        inst: InstIndex,
    ) -> Result<(), Refusal> {
        let function = &self.module.functions[index];
        let block = &function.blocks[number];
        let tails: Vec<FunctionIndex> = block
            .leaves
            .iter()
            .filter_map(|leave| match leave {
                Leave::TailCall(function) => Some(*function),
                _ => None,
            })
            .collect();
        match (&*block.successors, &*tails, &*block.leaves) {
            ([], [], [Leave::Return]) => self.code.push(Item::Copy(inst)),
            ([edge], [], []) if edge.kind == EdgeKind::Branch => {
                let to = Label::Block(index, edge.to);
                self.code.branch(Op::SBranch, to);
            }
            ([], [tail], [_]) => {
                self.code.branch(Op::SBranch, Label::Block(*tail, 0));
            }
            (edges, tails, leaves) => {
                let mut candidates = Vec::new();
                for edge in edges {
                    let first = function.blocks[edge.to].first;
                    candidates.push((function.insts.pc(first), Label::Block(index, edge.to)));
                }
                for &tail in tails {
                    candidates.push((self.module.functions[tail].entry, Label::Block(tail, 0)));
                }
                if leaves.contains(&Leave::Anywhere) {
                    candidates.extend(self.functions_pointed_to());
                }
                self.translate(function, inst, &candidates, None)?;
            }
        }
        Ok(())
    }

    /// The address that it gave at its old place, for what is addressed relative to it has not moved.
    pub fn program_counter(&mut self, inst: Inst<&Decoded>) {
        // SOP1 has its destination in bits 16 to 22.
        let to = (inst.words[0] >> 16 & 0x7f) as u16;
        for (half, register) in [(AddressHalf::Low, to), (AddressHalf::High, to + 1)] {
            let literal = self.code.address(half, Symbol::Original(inst.end()), 0);
            self.code
                .move_scalar(register, SourceOperand::Address(literal));
        }
    }
}
