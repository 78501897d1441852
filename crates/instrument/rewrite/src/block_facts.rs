//! Facts about one block of the original. Each is computed when it is first asked for.

use lift::{
    Block, BlockIndex, Function, FunctionIndex, InstIndex, Leave, LiveSet, Module, Pending,
};
use std::cell::OnceCell;

/// Facts about one block. Each is computed when it is first asked for.
pub(crate) struct BlockFacts<'a> {
    module: &'a Module,
    pub index: FunctionIndex,
    pub block: BlockIndex,
    /// The live set before each instruction and, last, behind the block.
    live: OnceCell<Vec<LiveSet>>,
    pending: OnceCell<Vec<Pending>>,
}

impl<'a> BlockFacts<'a> {
    pub fn new(module: &'a Module, index: FunctionIndex, number: BlockIndex) -> BlockFacts<'a> {
        BlockFacts {
            module,
            index,
            block: number,
            live: OnceCell::new(),
            pending: OnceCell::new(),
        }
    }

    /// The live set before instruction number `position` of the block. Behind the last instruction, it is what the next block starts
    /// with.
    pub fn live(&self, position: usize) -> LiveSet {
        let function = &self.module.functions[self.index];
        let block = &function.blocks[self.block];
        let step = |live: &mut LiveSet, inst: InstIndex| {
            live.step_back(function.access(inst), function.exec_is_full_before(inst));
        };
        if self.live.get().is_none() && position + 1 == block.len() && ends_program(block) {
            let mut live = LiveSet::default();
            step(&mut live, block.end - 1);
            return live;
        }
        let all = self.live.get_or_init(|| {
            let (mut behind, next) = match ends_program(block) {
                true => (LiveSet::default(), None),
                false => {
                    let liveness = self.module.liveness(self.index);
                    let next = falls_to(function, self.block).map(|next| *liveness.live_in(next));
                    (*liveness.live_out(self.block), next)
                }
            };
            let mut live = vec![next.unwrap_or(behind); block.len() + 1];
            for inst in block.range().rev() {
                step(&mut behind, inst);
                live[inst - block.first] = behind;
            }
            live
        });
        all[position]
    }

    /// Before instruction number `position` of the block; behind the last there is what the next block starts with.
    pub fn pending(&self, position: usize) -> Pending {
        let function = &self.module.functions[self.index];
        let block = &function.blocks[self.block];
        let operations = self.module.pending(self.index);
        let all = self.pending.get_or_init(|| {
            let mut all = Vec::with_capacity(block.len() + 1);
            operations.walk(function, self.block, |_, before| all.push(before.clone()));
            all.push(match falls_to(function, self.block) {
                Some(next) => operations.at_start(next).clone(),
                None => Pending::everything(self.module.target.family),
            });
            all
        });
        all[position].clone()
    }
}

/// True if the program ends with the block, so that nothing is live behind it.
fn ends_program(block: &Block) -> bool {
    *block.leaves == [Leave::End] && block.successors.is_empty() && block.call.is_none()
}

/// The block that is reached without a branch.
pub(crate) fn falls_to(function: &Function, block: BlockIndex) -> Option<BlockIndex> {
    // Blocks are in order, with nothing between them.
    let mut successors = function.blocks[block].successors.iter();
    let falls = successors.any(|edge| edge.to == block + 1);
    falls.then_some(block + 1)
}
