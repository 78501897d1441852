//! Liveness of SCC alone, for those who only want to know whether they may overwrite it: few instructions name it, so that
//! this costs next to nothing beside the liveness of everything.

use crate::function::{BlockIndex, Callee, Function, FunctionIndex, InstIndex, Leave};
use crate::inst_flags::InstFlags;
use crate::module::Module;
use crate::registers::SCC;
use std::sync::OnceLock;

/// For functions without calls and callers, solved when first asked for: by block, true if SCC is live behind it.
#[derive(Clone, Debug)]
pub(crate) struct Results(Vec<OnceLock<Vec<bool>>>);

impl Results {
    pub fn new(functions: usize) -> Results {
        Results((0..functions).map(|_| OnceLock::new()).collect())
    }
}

impl Module {
    /// Whether SCC is live before an instruction: what [`Module::liveness`] says of it. The second part is the end of the
    /// instructions of its block of which the same is true, for those that ask for one after the other.
    pub fn scc_live_before(
        &self,
        index: FunctionIndex,
        block: BlockIndex,
        inst: InstIndex,
    ) -> (bool, InstIndex) {
        let function = &self.functions[index];
        // The accesses of indexed instructions are not in their traits.
        let alone = function.indexing.is_empty() && !self.liveness.is_solved_with_others(index);
        if !alone {
            let (mut live, mut same) = (false, inst + 1);
            let liveness = self.liveness(index);
            liveness.walk(function, block, |at, _, before| {
                let before = before.scalars.contains(SCC);
                if at >= inst && (before != live || at + 1 == function.blocks[block].end) {
                    (live, same) = (before, at + 1);
                }
            });
            return (live, same);
        }
        let end = function.blocks[block].end;
        let traits = &function.traits_of()[inst..end];
        let used = |traits: &InstFlags| traits.any(InstFlags::READS_SCC.or(InstFlags::KILLS_SCC));
        match traits.iter().position(used) {
            Some(at) => (traits[at].any(InstFlags::READS_SCC), inst + at + 1),
            None => {
                let behind = self.scc.0[index].get_or_init(|| solve(function));
                (behind[block], end)
            }
        }
    }
}

fn solve(function: &Function) -> Vec<bool> {
    let blocks = &function.blocks;
    // Before each block, where its own instructions decide.
    let decided: Vec<Option<bool>> = blocks
        .iter()
        .map(|block| {
            let traits = &function.traits_of()[block.range()];
            let mut used = traits
                .iter()
                .filter(|traits| traits.any(InstFlags::READS_SCC.or(InstFlags::KILLS_SCC)));
            used.next().map(|traits| traits.any(InstFlags::READS_SCC))
        })
        .collect();
    let from_outside = |leave: &Leave| *leave != Leave::End;
    let mut behind: Vec<bool> = blocks
        .iter()
        .map(|block| block.leaves.iter().any(from_outside) || block.call == Some(Callee::Unknown))
        .collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (number, block) in blocks.iter().enumerate().rev() {
            if behind[number] {
                continue;
            }
            let live = |to: BlockIndex| decided[to].unwrap_or(behind[to]);
            if block.successors.iter().any(|edge| live(edge.to)) {
                behind[number] = true;
                changed = true;
            }
        }
    }
    behind
}
