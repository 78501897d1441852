//! Liveness of every register over a whole module.
//!
//! The walk goes backward over blocks. A call goes through the callee's [`Transfer`]. The live set at a function's return is the union
//! over its known callers, or everything if there may be others.

use crate::function::{Block, BlockIndex, Callee, Function, FunctionIndex, InstIndex, Leave};
use crate::graph::{AdjacencyLists, postorder};
use crate::live_set::{LiveSet, PROBES, Transfer};
use crate::parallel::{self, Workers};
use crate::program::FunctionKind;
use crate::registers::RegisterSet;
use std::sync::OnceLock;

/// Results for one function.
#[derive(Clone, Debug)]
pub struct Liveness {
    live_in: Vec<LiveSet>,
    live_out: Vec<LiveSet>,
}

impl Liveness {
    /// The live set before the first instruction of a block.
    pub fn live_in(&self, block: BlockIndex) -> &LiveSet {
        &self.live_in[block]
    }

    /// The live set behind the last instruction of a block; for a block that ends in a call, when the callee is entered.
    pub fn live_out(&self, block: BlockIndex) -> &LiveSet {
        &self.live_out[block]
    }

    /// The live set before an instruction. Walks the block from its end: for all sites of a block, use [`Liveness::walk`].
    pub fn live_before(&self, function: &Function, inst: InstIndex) -> LiveSet {
        let mut live = LiveSet::default();
        self.walk(function, function.block_of(inst), |index, _, before| {
            if index == inst {
                live = *before;
            }
        });
        live
    }

    /// The live set behind an instruction, on the way to the next one in its block.
    pub fn live_after(&self, function: &Function, inst: InstIndex) -> LiveSet {
        let mut live = LiveSet::default();
        self.walk(function, function.block_of(inst), |index, after, _| {
            if index == inst {
                live = *after;
            }
        });
        live
    }

    /// Visits the instructions of a block from its last to its first, each with what is live behind and before it.
    pub fn walk(
        &self,
        function: &Function,
        block: BlockIndex,
        mut visit: impl FnMut(InstIndex, &LiveSet, &LiveSet),
    ) {
        let mut live = self.live_out[block];
        for index in function.blocks[block].range().rev() {
            let after = live;
            live.step_back(function.access(index), function.exec_is_full_before(index));
            visit(index, &after, &live);
        }
    }
}

/// The liveness of all functions. A function without calls and callers depends on nothing else, and is solved when it is
/// first asked for.
#[derive(Clone, Debug)]
pub(crate) struct Results {
    each: Vec<OnceLock<Liveness>>,
    /// True for functions that call or are called.
    related: Vec<bool>,
    /// The transfers of functions that are called.
    summaries: Vec<Transfer>,
}

impl Results {
    /// Returns `true` if what is live in a function depends on others.
    pub fn is_solved_with_others(&self, index: FunctionIndex) -> bool {
        self.related[index]
    }

    /// `functions` are those that were solved.
    pub fn function(&self, functions: &[Function], index: FunctionIndex) -> &Liveness {
        let alone = || Solver::new(&functions[index]).solve(&LiveSet::EVERYTHING, &[]);
        self.each[index].get_or_init(alone)
    }

    /// In a function that returns to where this is live.
    pub fn returning(
        &self,
        functions: &[Function],
        index: FunctionIndex,
        at_return: &LiveSet,
    ) -> Liveness {
        Solver::new(&functions[index]).solve(at_return, &self.summaries)
    }

    /// Behind a block, or the call that ends it, in a function that returns to where `at_return` is live.
    pub fn behind(&self, block: &Block, liveness: &Liveness, at_return: &LiveSet) -> LiveSet {
        behind(block, &liveness.live_in, at_return, &self.summaries)
    }
}

/// Returns the registers that are live behind a block and behind the call that ends it.
fn behind(
    block: &Block,
    live_in: &[LiveSet],
    at_return: &LiveSet,
    summaries: &[Transfer],
) -> LiveSet {
    let mut out = LiveSet::default();
    for edge in &block.successors {
        let mut arrives = live_in[edge.to];
        if edge.without_lanes {
            arrives.active = Default::default();
        }
        out.unite(&arrives);
    }
    for leave in &block.leaves {
        match *leave {
            Leave::End => {}
            Leave::Return => {
                out.unite(at_return);
            }
            Leave::TailCall(function) => {
                out.unite(&summaries[function].apply(at_return));
            }
            Leave::Anywhere => out = LiveSet::EVERYTHING,
        }
    }
    out
}

/// Registers that the instructions of each function name.
pub(crate) fn named(functions: &[Function], workers: Workers) -> Vec<RegisterSet> {
    parallel::map(functions, workers, |function| {
        let mut named = RegisterSet::default();
        function.each_access(|access| access.named().for_each(|span| named.insert(span)));
        named
    })
}

/// One function, ready for solving again and again.
struct Solver<'a> {
    function: &'a Function,
    transfers: Vec<Transfer>,
    order: Vec<BlockIndex>,
}

impl<'a> Solver<'a> {
    fn new(function: &'a Function) -> Solver<'a> {
        let blocks = &function.blocks;
        let transfers = blocks
            .iter()
            .map(|block| {
                let mut probes = PROBES;
                for index in block.range().rev() {
                    let access = function.access(index);
                    let full = function.exec_is_full_before(index);
                    for probe in &mut probes {
                        probe.step_back(access, full);
                    }
                }
                Transfer::from_probes(probes)
            })
            .collect();
        // Unreachable blocks come too, so that every instruction has an answer.
        let all: Vec<usize> = (0..blocks.len()).collect();
        let order = postorder(blocks.len(), &all, &AdjacencyLists::successors(blocks));
        Solver {
            function,
            transfers,
            order,
        }
    }

    fn out_of(
        &self,
        block: BlockIndex,
        live_in: &[LiveSet],
        at_return: &LiveSet,
        summaries: &[Transfer],
    ) -> LiveSet {
        let block = &self.function.blocks[block];
        let out = behind(block, live_in, at_return, summaries);
        match block.call {
            Some(Callee::Known(function)) => summaries[function].apply(&out),
            Some(Callee::Unknown) => LiveSet::EVERYTHING,
            None => out,
        }
    }

    fn solve(&self, at_return: &LiveSet, summaries: &[Transfer]) -> Liveness {
        let blocks = &self.function.blocks;
        let mut live_in = vec![LiveSet::default(); blocks.len()];
        let mut live_out = vec![LiveSet::default(); blocks.len()];
        // Blocks behind which more may be live than when they were looked at.
        let mut stale = vec![true; blocks.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &self.order {
                if !std::mem::replace(&mut stale[block], false) {
                    continue;
                }
                let out = self.out_of(block, &live_in, at_return, summaries);
                let before = self.transfers[block].apply(&out);
                if before != live_in[block] {
                    let predecessors = &blocks[block].predecessors;
                    predecessors.iter().for_each(|&index| stale[index] = true);
                    changed = true;
                }
                live_in[block] = before;
                live_out[block] = out;
            }
        }
        Liveness { live_in, live_out }
    }
}

/// Liveness of all functions.
pub(crate) fn solve(functions: &[Function], workers: Workers) -> Results {
    let numbers: Vec<FunctionIndex> = (0..functions.len()).collect();
    let mut called = vec![false; functions.len()];
    for callee in functions.iter().flat_map(callees) {
        called[callee] = true;
    }
    let related =
        |index: FunctionIndex| called[index] || callees(&functions[index]).next().is_some();
    let insts = (numbers.iter().filter(|&&index| related(index)))
        .map(|&index| functions[index].insts.len())
        .sum();
    let solvers: Vec<Option<Solver<'_>>> =
        parallel::map(&numbers, workers.worth(insts), |&index| {
            related(index).then(|| Solver::new(&functions[index]))
        });
    let summaries = summaries(functions, &solvers, &called);
    let mut at_return = known_at_return(functions, &called);
    let mut results: Vec<Option<Liveness>> = vec![None; functions.len()];
    let mut todo: Vec<FunctionIndex> = numbers;
    todo.retain(|index| solvers[*index].is_some());
    while let Some(index) = todo.pop() {
        let Some(solver) = &solvers[index] else {
            continue;
        };
        let result = solver.solve(&at_return[index], &summaries);
        for block in &functions[index].blocks {
            let mut reach = |callee: FunctionIndex, live: &LiveSet| {
                if at_return[callee].unite(live) && !todo.contains(&callee) {
                    todo.push(callee);
                }
            };
            if let Some(Callee::Known(callee)) = block.call {
                let mut behind = LiveSet::default();
                for edge in &block.successors {
                    behind.unite(&result.live_in[edge.to]);
                }
                if block.leaves.contains(&Leave::Anywhere) {
                    behind = LiveSet::EVERYTHING;
                }
                reach(callee, &behind);
            }
            for leave in &block.leaves {
                if let Leave::TailCall(callee) = *leave {
                    let live = at_return[index];
                    if at_return[callee].unite(&live) && !todo.contains(&callee) {
                        todo.push(callee);
                    }
                }
            }
        }
        results[index] = Some(result);
    }
    let known = |result| match result {
        Some(result) => OnceLock::from(result),
        None => OnceLock::new(),
    };
    let related = results.iter().map(Option::is_some).collect();
    let each = results.into_iter().map(known).collect();
    Results {
        each,
        related,
        summaries,
    }
}

/// Returns, for each function, the registers that are live behind it before any of its callers is looked at.
fn known_at_return(functions: &[Function], called: &[bool]) -> Vec<LiveSet> {
    let of_one = |(function, &called): (&Function, &bool)| {
        let is_device = function.kind == FunctionKind::Device;
        // A function without a known caller has unknown callers.
        match called && is_device && function.callers_are_known() {
            true => LiveSet::default(),
            false => LiveSet::EVERYTHING,
        }
    };
    functions.iter().zip(called).map(of_one).collect()
}

/// Functions that a function calls or jumps to.
pub(crate) fn callees(function: &Function) -> impl Iterator<Item = FunctionIndex> + '_ {
    function.blocks.iter().flat_map(|block| {
        let called = block.call.and_then(|callee| match callee {
            Callee::Known(function) => Some(function),
            Callee::Unknown => None,
        });
        let jumped = block.leaves.iter().filter_map(|leave| match leave {
            Leave::TailCall(function) => Some(*function),
            _ => None,
        });
        called.into_iter().chain(jumped)
    })
}

/// Least solution: recursion starts from "never returns and reads nothing" and grows.
fn summaries(
    functions: &[Function],
    solvers: &[Option<Solver<'_>>],
    wanted: &[bool],
) -> Vec<Transfer> {
    let count = functions.len();
    let callees = AdjacencyLists::new(functions.iter().map(callees));
    let all: Vec<usize> = (0..count).collect();
    let order = postorder(count, &all, &callees);
    let mut summaries = vec![Transfer::DEAD_END; count];
    let mut changed = true;
    while changed {
        changed = false;
        for &index in order.iter().filter(|&&index| wanted[index]) {
            let Some(solver) = &solvers[index] else {
                continue;
            };
            let entry = |probe: &LiveSet| {
                let liveness = solver.solve(probe, &summaries);
                liveness
                    .live_in
                    .first()
                    .copied()
                    .unwrap_or(LiveSet::EVERYTHING)
            };
            let summary =
                Transfer::from_probes([entry(&PROBES[0]), entry(&PROBES[1]), entry(&PROBES[2])]);
            changed |= summary != summaries[index];
            summaries[index] = summary;
        }
    }
    summaries
}
