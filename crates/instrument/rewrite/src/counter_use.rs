//! How often a wave may add to a counter.

use crate::{Action, Plan};
use lift::{Callee, Function, FunctionIndex, Module};
use std::collections::{BTreeMap, BTreeSet};

/// What there is to know of the counters, by array and index.
pub(crate) struct CounterUse {
    /// Added to again and again, by a loop or in a function that is called again and again.
    pub repeated: Vec<Vec<bool>>,
    /// 32 bits may not be enough: it is repeated, and not just one is added at one place; or what is added is too much. The
    /// shortest loop counts for tens of seconds, in one wave, before 32 bits are not enough for ones; carries everywhere would
    /// add 0.37 instructions to each of the application's where blocks are counted, instead of 0.24.
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

/// Whether control may come to each block of a function again and again.
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
    // Take away those that nobody calls who is left: what remains is in a circle, or called from one.
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
