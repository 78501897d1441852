//! How often a wave may add to a counter.

use crate::{Action, Plan};
use lift::{Callee, Function, FunctionIndex, Module};
use std::collections::{BTreeMap, BTreeSet};

/// Facts about the counters, by array and index.
pub(crate) struct CounterUse {
    /// True if a loop adds to the counter, or a function that is called more than once.
    pub repeated: Vec<Vec<bool>>,
    /// True if 32 bits may not be enough: a loop adds to the counter at several places or more than one, or one amount is too large.
    ///
    /// Where a loop adds one at one place, 32 bits suffice: the shortest loop runs for tens of seconds in one wave before they
    /// overflow. Carries everywhere would cost 0.37 instructions for each of the application's where blocks are counted, not 0.24.
    pub wide: Vec<Vec<bool>>,
}

impl CounterUse {
    pub fn new(
        plan: &Plan<'_>,
        module: &Module,
        functions: &BTreeSet<FunctionIndex>,
    ) -> CounterUse {
        let empty = || -> Vec<Vec<bool>> {
            let arrays = plan.counters.iter();
            arrays.map(|array| vec![false; array.length]).collect()
        };
        let (mut repeated, mut wide) = (empty(), empty());
        let arrays = plan.counters.iter();
        let mut most: Vec<Vec<u32>> = arrays.map(|array| vec![0; array.length]).collect();
        let mut loops: BTreeMap<FunctionIndex, Vec<bool>> = BTreeMap::new();
        let mut called: Option<BTreeSet<FunctionIndex>> = None;
        for insertion in &plan.insertions {
            let Action::Count {
                array,
                index,
                amount,
            } = insertion.action
            else {
                continue;
            };
            let (Some(function), Some(most)) = (
                module.functions.get(insertion.function),
                most.get_mut(array).and_then(|array| array.get_mut(index)),
            ) else {
                continue;
            };
            let loops = loops
                .entry(insertion.function)
                .or_insert_with(|| in_loops(function));
            let again = loops[function.block_of(insertion.inst)] || {
                let called = called.get_or_insert_with(|| called_again(module, functions));
                called.contains(&insertion.function)
            };
            repeated[array][index] |= again;
            let sum = most.checked_add(amount);
            wide[array][index] |= sum.is_none();
            *most = sum.unwrap_or(u32::MAX);
            wide[array][index] |= repeated[array][index] && *most > 1;
        }
        CounterUse { repeated, wide }
    }
}

/// For each block of a function: true if control may reach it more than once.
fn in_loops(function: &Function) -> Vec<bool> {
    let mut inside = vec![!function.is_reducible(); function.blocks.len()];
    let blocks = function.loops().iter().flat_map(|found| &found.blocks);
    blocks.for_each(|&block| inside[block] = true);
    inside
}

/// Functions, of those that a kernel consists of, that may be called again and again: from a loop, from themselves, through a
/// pointer, or from another such function.
fn called_again(module: &Module, functions: &BTreeSet<FunctionIndex>) -> BTreeSet<FunctionIndex> {
    let taken = |index: &FunctionIndex| module.functions[*index].address_taken;
    let mut again: BTreeSet<FunctionIndex> = functions.iter().copied().filter(taken).collect();
    let mut calls: BTreeSet<(FunctionIndex, FunctionIndex)> = BTreeSet::new();
    for &caller in functions {
        let function = &module.functions[caller];
        let callees = module.callees(caller);
        if callees.is_empty() {
            continue;
        }
        calls.extend(callees.into_iter().map(|callee| (caller, callee)));
        for (block, inside) in function.blocks.iter().zip(in_loops(function)) {
            if let (Some(Callee::Known(callee)), true) = (block.call, inside) {
                again.insert(callee);
            }
        }
    }
    // Remove functions that no remaining function calls. The rest is in a cycle, or called from one.
    let mut left = functions.clone();
    loop {
        let called: BTreeSet<FunctionIndex> = calls.iter().map(|(_, callee)| *callee).collect();
        let before = left.len();
        left.retain(|index| called.contains(index));
        calls.retain(|(caller, callee)| {
            let stays = left.contains(caller);
            if !stays && again.contains(caller) {
                again.insert(*callee);
            }
            stays
        });
        if left.len() == before {
            break;
        }
    }
    again.extend(left);
    again
}
