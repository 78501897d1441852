//! What is known of each function as a callee: whether a call of it comes back, and whether it costs the same on every way.
//!
//! Observation points, not loops, are what is left of the overhead after good placement. A call that surely comes back
//! to its caller, without anybody looking at the counter meanwhile, is none.

use crate::flow::{ROOT, entry, exit};
use crate::library;
use crate::module::{
    Block, Call, Callee, End, Function, Item, Module, Shape, Tail, checked_starts, flow,
    retreating_edges,
};
use crate::options::{Granularity, Options, Placement};
use crate::place;

/// Functions charged by their callers may be this expensive at most when budgets are checked: the caller pays at once.
const MOST_CHARGED_AT_ONCE: u64 = 10_000;

/// Functions without loops and recursion that cost at most this much on any way check no budget; the limit may be noticed
/// that much later.
pub const MOST_WITHOUT_CHECK: u64 = 1_000;

/// What callers may know of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// A call always returns normally or runs for ever, and nobody looks at the counter meanwhile.
    pub comes_back: bool,
    /// Every way through it costs this much; it holds no code, its callers pay.
    pub constant_cost: Option<u64>,
    /// Callers pay this much of it before they call it.
    pub prepaid: u64,
    /// It returns with so much of it not paid yet; callers pay with what they add next.
    pub owed: u64,
    /// It checks the budget at entry and at its latches.
    pub checks_budget: bool,
}

/// Whether a call surely comes back.
pub fn comes_back(call: &Call, summaries: &[Summary]) -> bool {
    if call.tail == Tail::Must {
        return false;
    }
    match &call.callee {
        Callee::Function(index) => summaries[*index].comes_back,
        Callee::Declared(name) => call.promised || library::always_returns(name),
        Callee::Unknown => call.promised,
    }
}

/// Whether a call is paid for together with the return behind it. (If nobody looks meanwhile, an addition may stand in front of
/// the call anyway.)
pub fn ends_function(call: &Call, summaries: &[Summary]) -> bool {
    call.tail != Tail::No && !comes_back(call, summaries)
}

/// What a call charges to its caller for the callee's body.
pub fn charged(call: &Call, summaries: &[Summary]) -> u64 {
    match call.callee {
        Callee::Function(index) => {
            let summary = &summaries[index];
            summary.constant_cost.unwrap_or(summary.prepaid)
        }
        _ => 0,
    }
}

/// What a call has left to its caller to pay when it returns.
pub fn owed(call: &Call, summaries: &[Summary]) -> u64 {
    match call.callee {
        Callee::Function(index) => summaries[index].owed,
        _ => 0,
    }
}

/// Summaries of all functions.
pub fn summarise(module: &Module, options: &Options) -> Vec<Summary> {
    let mut summaries = vec![Summary::default(); module.functions.len()];
    if options.placement != Placement::Tree {
        // The reference trusts nothing but the attributes.
        for (summary, function) in summaries.iter_mut().zip(&module.functions) {
            summary.checks_budget = options.budget && function.exempt.is_none();
        }
        return summaries;
    }
    find_constant_costs(module, options, &mut summaries);
    if options.budget {
        let most = most_costs(module, &summaries);
        for ((summary, function), most) in summaries.iter_mut().zip(&module.functions).zip(most) {
            summary.checks_budget =
                function.exempt.is_none() && summary.constant_cost.is_none() && most.is_none();
        }
    }
    find_comes_back(module, &mut summaries);
    find_owed(module, options, &mut summaries);
    find_prepaid(module, options, &mut summaries);
    summaries
}

/// Functions whose callers are all known return without having paid what every way to a return costs at least: the callers add
/// something behind the call anyway.
fn find_owed(module: &Module, options: &Options, summaries: &mut [Summary]) {
    if options.granularity != Granularity::Thread {
        return; // The cost would be booked on the caller.
    }
    let mut fit: Vec<bool> = (module.functions.iter().zip(&*summaries))
        .map(|(function, summary)| {
            let returns = blocks(function).filter(|(_, block)| block.end == End::Return);
            let starts = checked_starts(function, &retreating_edges(function));
            // (A check there would find something owed.)
            let mut checked = returns.filter(|(index, _)| *index == 0 || starts[*index]);
            function.only_called_here
                && function.is_local
                && function.exempt.is_none()
                && summary.constant_cost.is_none()
                && !(summary.checks_budget && checked.next().is_some())
        })
        .collect();
    // Behind the call there must be a place to pay, and nowhere else to return to.
    for function in &module.functions {
        for block in &function.blocks {
            for (index, item) in block.items.iter().enumerate() {
                let Item::Call(call) = item else { continue };
                let last = index + 1 == block.items.len();
                let parted = ends_function(call, summaries)
                    || last && block.end != End::Jump && block.end != End::Return;
                if let Callee::Function(callee) = call.callee
                    && (parted || function.exempt.is_some())
                {
                    fit[callee] = false;
                }
            }
        }
    }
    let owed: Vec<u64> = (module.functions.iter().zip(fit).enumerate())
        .map(|(index, (function, fit))| {
            let ends_in_call = calls_of(function).any(|call| ends_function(call, summaries));
            if !fit || ends_in_call || summaries[index].constant_cost.is_some() {
                return 0;
            }
            let flow = flow(function, summaries, Shape::LOOSE);
            let ends = returns(function);
            // (Without calls that are observed everything may be paid at the entry.)
            let Some(behind_calls) = place::cheapest_way(&flow, ROOT, &ends) else {
                return 0;
            };
            let at_once = place::cheapest_way(&flow, entry(0), &ends);
            let cheapest = at_once.map_or(behind_calls, |cost| cost.min(behind_calls));
            if cheapest <= MOST_WITHOUT_CHECK {
                cheapest
            } else {
                0
            }
        })
        .collect();
    for (summary, owed) in summaries.iter_mut().zip(owed) {
        summary.owed = owed;
    }
}

/// Functions whose callers are all known begin with their cheapest way paid: to a return, or else to a call that is observed.
/// (Recursion's last step, a cache that is filled: such ways run most, and two additions in turn cost more than all else
/// there. How often code runs is only guessed here.)
fn find_prepaid(module: &Module, options: &Options, summaries: &mut [Summary]) {
    if options.granularity != Granularity::Thread {
        return; // The cost would be booked on the caller.
    }
    let prepaid: Vec<u64> = (module.functions.iter().zip(&*summaries))
        .map(|(function, summary)| {
            // (Another module may see other ways through the same function, and prepay another sum.)
            let fit = function.only_called_here
                && function.is_local
                && function.exempt.is_none()
                && summary.constant_cost.is_none();
            if !fit {
                return 0;
            }
            let flow = flow(function, summaries, Shape::LOOSE);
            let cheapest = place::cheapest_way(&flow, entry(0), &returns(function))
                .map(|cost| cost - summary.owed.min(cost))
                .or_else(|| place::cheapest_way(&flow, entry(0), &[ROOT]));
            cheapest
                .filter(|cost| *cost <= MOST_CHARGED_AT_ONCE)
                .unwrap_or(0)
        })
        .collect();
    for (summary, prepaid) in summaries.iter_mut().zip(prepaid) {
        summary.prepaid = prepaid;
    }
}

/// What each function costs at most, callees included, if that is small and certain.
fn most_costs(module: &Module, summaries: &[Summary]) -> Vec<Option<u64>> {
    let mut most: Vec<Option<u64>> = summaries.iter().map(|s| s.constant_cost).collect();
    let acyclic: Vec<bool> = module
        .functions
        .iter()
        .map(|function| retreating_edges(function).is_empty())
        .collect();
    loop {
        let mut changed = false;
        for (index, function) in module.functions.iter().enumerate() {
            let fit = most[index].is_none()
                && acyclic[index]
                && function.exempt.is_none()
                && function.priced_at_run_time.is_empty();
            if !fit {
                continue;
            }
            most[index] = dearest_way(function, &most).filter(|cost| *cost <= MOST_WITHOUT_CHECK);
            changed |= most[index].is_some();
        }
        if !changed {
            return most;
        }
    }
}

/// The dearest way through a function without cycles; `None` if a call on it is of unknown cost.
fn dearest_way(function: &Function, most: &[Option<u64>]) -> Option<u64> {
    let price = |block: &Block| -> Option<u64> {
        let items = block.items.iter().map(|item| match item {
            Item::Cost { cost, .. } => Some(*cost),
            Item::Call(call) if call.tail == Tail::Must => None,
            Item::Call(call) => match &call.callee {
                Callee::Function(callee) => most[*callee],
                Callee::Declared(name) => {
                    (call.promised || library::always_returns(name)).then_some(0)
                }
                Callee::Unknown => None,
            },
        });
        items.sum()
    };
    let prices: Vec<u64> = function.blocks.iter().map(price).collect::<Option<_>>()?;
    // Costs of the dearest way to each block's end, by relaxation: as many rounds as blocks at most.
    let mut dearest = prices.clone();
    for _ in 0..=function.blocks.len() {
        let mut changed = false;
        for (index, block) in function.blocks.iter().enumerate() {
            for successor in &block.successors {
                let cost = dearest[index].saturating_add(prices[successor.block]);
                if cost > dearest[successor.block] {
                    dearest[successor.block] = cost;
                    changed = true;
                }
            }
        }
        if !changed {
            return dearest.into_iter().max();
        }
        if dearest.iter().any(|cost| *cost > MOST_WITHOUT_CHECK) {
            return None;
        }
    }
    None
}

/// What a block costs at most, if it calls nobody who may take long.
pub fn short_way(block: &Block, summaries: &[Summary]) -> Option<u64> {
    let items = block.items.iter().map(|item| match item {
        Item::Cost { cost, .. } => Some(*cost),
        Item::Call(call) if !comes_back(call, summaries) => None,
        Item::Call(call) => match call.callee {
            Callee::Function(index) => {
                Some(summaries[index].constant_cost.unwrap_or(MOST_WITHOUT_CHECK))
            }
            _ => Some(0),
        },
    });
    items.sum()
}

/// Greatest fixed point: a function comes back unless something in it, or in whom it calls, says otherwise.
fn find_comes_back(module: &Module, summaries: &mut [Summary]) {
    for (summary, function) in summaries.iter_mut().zip(&module.functions) {
        let unwinds = function.blocks.iter().any(|block| block.end == End::Resume);
        summary.comes_back = function.exempt.is_none() && !unwinds && !summary.checks_budget;
    }
    loop {
        let mut changed = false;
        for (index, function) in module.functions.iter().enumerate() {
            if summaries[index].comes_back
                && !calls_of(function).all(|call| comes_back(call, summaries))
            {
                summaries[index].comes_back = false;
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

/// Bottom-up over the call graph until nothing new is found; recursion never qualifies.
fn find_constant_costs(module: &Module, options: &Options, summaries: &mut [Summary]) {
    if options.granularity != Granularity::Thread {
        return; // The cost would be booked on the caller.
    }
    loop {
        let mut changed = false;
        for (index, function) in module.functions.iter().enumerate() {
            if summaries[index].constant_cost.is_some() || !may_be_constant(function, summaries) {
                continue;
            }
            if let Some(cost) = constant_cost(function, summaries)
                && cost <= MOST_CHARGED_AT_ONCE
            {
                summaries[index] = Summary {
                    comes_back: true,
                    constant_cost: Some(cost),
                    ..Summary::default()
                };
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

fn may_be_constant(function: &Function, summaries: &[Summary]) -> bool {
    let callable = function.only_called_here
        && function.exempt.is_none()
        && function.priced_at_run_time.is_empty();
    callable
        && function.blocks.iter().all(|block| block.end != End::Resume)
        && calls_of(function).all(|call| match call.callee {
            Callee::Function(index) => {
                call.tail != Tail::Must && summaries[index].constant_cost.is_some()
            }
            _ => comes_back(call, summaries),
        })
}

fn constant_cost(function: &Function, summaries: &[Summary]) -> Option<u64> {
    let flow = flow(function, summaries, Shape::LOOSE);
    place::constant_cost(&flow, entry(0), &returns(function))
}

/// The exit vertices of returning blocks.
fn returns(function: &Function) -> Vec<usize> {
    blocks(function)
        .filter(|(_, block)| block.end == End::Return)
        .map(|(index, _)| exit(index))
        .collect()
}

fn blocks(function: &Function) -> impl Iterator<Item = (usize, &Block)> {
    function.blocks.iter().enumerate()
}

fn calls_of(function: &Function) -> impl Iterator<Item = &Call> {
    function
        .blocks
        .iter()
        .flat_map(|block| &block.items)
        .filter_map(|item| match item {
            Item::Call(call) => Some(call),
            Item::Cost { .. } => None,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn straight(items: Vec<Item>) -> Function {
        Function {
            blocks: vec![Block {
                items,
                end: End::Return,
                holds_code: true,
                ..Block::default()
            }],
            ..Function::default()
        }
    }

    fn call(callee: usize) -> Item {
        Item::Call(Call {
            callee: Callee::Function(callee),
            promised: false,
            tail: Tail::No,
        })
    }

    fn cost(cost: u64) -> Item {
        Item::Cost { cost, location: 0 }
    }

    #[test]
    fn only_what_can_run_long_checks_the_budget() {
        let functions = vec![
            straight(vec![cost(MOST_WITHOUT_CHECK - 10)]),
            straight(vec![cost(10), call(0)]),
            straight(vec![cost(1), call(1)]),
            straight(vec![cost(1), call(3)]),
        ];
        let module = Module {
            functions,
            ..Module::default()
        };
        let options = Options::parse("budget").unwrap();
        let checks: Vec<bool> = summarise(&module, &options)
            .iter()
            .map(|summary| summary.checks_budget)
            .collect();
        // Cheap; just cheap enough with its callee; one too dear with its callees; recursive.
        assert_eq!(checks, [false, false, true, true]);
    }
}
