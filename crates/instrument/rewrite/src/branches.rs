//! Branches, the ends of blocks, and what depends on where code is.

use crate::block_facts::falls_to;
use crate::edges::SplitEdge;
use crate::instruction::{InstructionSink, Op, SourceOperand};
use crate::ir::{Item, Label};
use crate::select::Selection;
use crate::{AddressHalf, Refusal, Symbol};
use isa::{Decoded, Effects, Inst};
use lift::{Block, BlockIndex, EdgeKind, Function, FunctionIndex, InstIndex, Leave, Reason};
use std::collections::BTreeMap;

impl Selection<'_, '_> {
    /// Refuses a block whose last instruction cannot be laid out anew.
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
            Some(place) => {
                let mnemonic = function.insts.at(block.end - 1).mnemonic();
                Err(unresolved(format!("{mnemonic}: {}", place.reason)))
            }
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
                        reason: format!("{} refers into a block", decoded.mnemonic()),
                    });
                }
                match falls_to(function, number) == Some(block) {
                    true => self.label_behind(index, number, block),
                    false => self.edge_label(index, number, block, detours),
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
                reason: format!("{} is not moved", decoded.mnemonic()),
            });
        }
        self.code.push(Item::Moved(inst as u32, label));
        Ok(())
    }

    /// `s_setpc_b64`: where there is one target the new text is branched to, else the address is translated.
    pub fn indirect(
        &mut self,
        index: FunctionIndex,
        number: BlockIndex,
        inst: InstIndex,
        detours: &mut Vec<SplitEdge>,
    ) -> Result<(), Refusal> {
        let module = self.module;
        let function = &module.functions[index];
        let block = &function.blocks[number];
        let tails = block.leaves.iter().filter_map(|leave| match leave {
            Leave::TailCall(function) => Some(*function),
            _ => None,
        });
        match (&*block.successors, &*block.leaves) {
            ([], [Leave::Return]) => self.give_back(index, number, inst),
            ([edge], []) if edge.kind == EdgeKind::Branch => {
                let to = self.edge_label(index, number, edge.to, detours);
                self.code.branch(Op::SBranch, to);
                Ok(())
            }
            ([], [Leave::TailCall(tail)]) => {
                self.code.branch(Op::SBranch, Label::Block(*tail, 0));
                Ok(())
            }
            (_, leaves) if leaves.contains(&Leave::Anywhere) => self.go(index, inst, None, None),
            (edges, _) => {
                let mut places = BTreeMap::new();
                for edge in edges {
                    let first = function.insts.pc(function.blocks[edge.to].first);
                    let label = self.edge_label(index, number, edge.to, detours);
                    places.insert(first, label);
                }
                for tail in tails {
                    places.insert(module.functions[tail].entry, Label::Block(tail, 0));
                }
                self.go(index, inst, None, Some(&places))
            }
        }
    }

    /// The address that it gave at its old place, for what is addressed relative to it has not moved.
    pub fn program_counter(&mut self, inst: Inst<&Decoded>) {
        let to = inst.scalar_destination();
        for (half, register) in [(AddressHalf::Low, to), (AddressHalf::High, to + 1)] {
            let literal = self.code.address(half, Symbol::Original(inst.end()), 0);
            self.code
                .move_scalar(register, SourceOperand::Address(literal));
        }
    }
}
