//! Facts about each function as a callee: whether a call of it returns, and whether it costs the same on every path.
//!
//! With good placement, the rest of the overhead comes from observation points, not from loops. A call that certainly returns to its
//! caller, without code reading the counter meanwhile, is no observation point.

use crate::flow::{ROOT, entry, exit};
use crate::library;
use crate::module::{
    Block, Call, Callee, End, Function, Item, Module, Shape, Tail, checked_starts, flow,
    retreating, retreating_edges,
};
use crate::options::{Granularity, Options};
use crate::place;

/// Functions charged by their callers may be this expensive at most when budgets are checked: the caller pays at once.
const MOST_CHARGED_AT_ONCE: u64 = 10_000;

/// Functions without recursion that cost at most this much on any way between two checks do not check at their entry; the limit may
/// be noticed that much later.
pub const MOST_WITHOUT_CHECK: u64 = 1_000;

/// The facts that callers may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// A call always returns normally or runs for ever, and no code reads the counter meanwhile.
    pub comes_back: bool,
    /// Every way through it costs this much; it holds no code, its callers pay.
    pub constant_cost: Option<u64>,
    /// Callers pay this much of it before they call it.
    pub prepaid: u64,
    /// It returns with so much of it not paid yet; callers pay with what they add next.
    pub owed: u64,
    /// It checks the budget: at its latches, and at its entry if [`Summary::checks_entry`].
    pub checks_budget: bool,
    /// It checks the budget at its entry.
    pub checks_entry: bool,
}

/// Returns `true` if a call certainly returns.
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

/// Returns `true` if a call is paid for together with the return behind it. (If no code reads the counter meanwhile, an addition may stand
/// before the call anyway.)
pub fn ends_function(call: &Call, summaries: &[Summary]) -> bool {
    call.tail != Tail::No && !comes_back(call, summaries)
}

/// The amount that a call charges to its caller for the callee's body.
pub fn charged(call: &Call, summaries: &[Summary]) -> u64 {
    match call.callee {
        Callee::Function(index) => {
            let summary = &summaries[index];
            summary.constant_cost.unwrap_or(summary.prepaid)
        }
        _ => 0,
    }
}

/// The amount that the caller still has to pay when a call returns.
pub fn owed(call: &Call, summaries: &[Summary]) -> u64 {
    match call.callee {
        Callee::Function(index) => summaries[index].owed,
        _ => 0,
    }
}

/// Summaries of all functions.
pub fn summarise(module: &Module, options: &Options) -> Vec<Summary> {
    let mut summaries = vec![Summary::default(); module.functions.len()];
    if !options.placement.trusts_calls() {
        // The reference trusts nothing but the attributes.
        for (summary, function) in summaries.iter_mut().zip(&module.functions) {
            summary.checks_budget = options.budget && function.exempt.is_none();
            summary.checks_entry = summary.checks_budget;
        }
        return summaries;
    }
    find_constant_costs(module, options, &mut summaries);
    if options.budget {
        let stretches = stretches(module, &summaries, options.unwind);
        for ((summary, function), stretch) in
            summaries.iter_mut().zip(&module.functions).zip(stretches)
        {
            let counts = function.exempt.is_none() && summary.constant_cost.is_none();
            summary.checks_entry = counts && stretch.is_none();
            summary.checks_budget = summary.checks_entry
                || counts && (returns_again(function) || !retreating_edges(function).is_empty());
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
            let again = returns_again(function);
            let mut checked = returns.filter(|(index, _)| again || *index == 0 || starts[*index]);
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

/// Functions whose callers are all known begin with their cheapest path paid: to a return, or else to a call that is observed. The last
/// step of a recursion takes such a path most often, and so does a cache that is filled. Two additions in turn would cost more there than
/// everything else. (The pass only guesses how often code runs.)
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

/// A stretch of code between two checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stretch {
    /// Its largest cost.
    cost: u64,
    /// It calls code that is not seen here, which may call anything that others can call.
    leads_out: bool,
}

impl Stretch {
    const NOTHING: Stretch = Stretch {
        cost: 0,
        leads_out: false,
    };
}

/// The stretch that a call of each function adds to its caller's; None if the function must check at its entry. Latches check for
/// themselves. Every recursion meets a check: one that stays in this module, at a function that can reach itself through calls; others,
/// where they enter this module. Uncounted code may call a function again and again (`qsort`, `lfind`, signals, threads), so every function
/// that it can call checks, however cheap it is.
///
/// `throws`: a limit that throws at a latch passes by the handlers of its own function. So that it is seldom met there, whatever may
/// take long checks at its entry, too.
fn stretches(module: &Module, summaries: &[Summary], throws: bool) -> Vec<Option<Stretch>> {
    let functions = &module.functions;
    let callees: Vec<Vec<usize>> = functions.iter().map(callees).collect();
    let back = retreating(functions.len(), |from, number| {
        callees[from].get(number).copied()
    });
    let mut recursive = vec![false; functions.len()];
    for (from, number) in back {
        recursive[callees[from][number]] = true;
    }
    let mut order = Vec::new();
    let mut seen = vec![false; functions.len()];
    for start in 0..functions.len() {
        callees_first(start, &callees, &mut seen, &mut order);
    }
    let mut stretches = vec![None; functions.len()];
    for index in order {
        let function = &functions[index];
        stretches[index] = if let Some(cost) = summaries[index].constant_cost {
            Some(Stretch {
                cost,
                leads_out: false,
            })
        } else if function.exempt.is_some() {
            Some(Stretch {
                leads_out: true,
                ..Stretch::NOTHING
            })
        } else if recursive[index] || !function.priced_at_run_time.is_empty() {
            None
        } else {
            // The linker may take the body of an inline function from another module, which sees other callees, and in another order. The
            // other body must not lack the check that this module relies on.
            let callees_check = callees[index]
                .iter()
                .any(|&callee| stretches[callee].is_none());
            let loops = !retreating_edges(function).is_empty();
            let known_callers = function.only_called_here && function.is_local && !throws;
            let fit = function.only_called_here
                && !(callees_check && (throws || !function.is_local))
                && !(loops && throws);
            dearest_way(function, &stretches)
                .filter(|way| way.cost <= MOST_WITHOUT_CHECK && (known_callers || !way.leads_out))
                .filter(|_| fit)
        };
    }
    stretches
}

/// The functions of this module that a function calls by name. (What an exempt one calls has a caller that is not known.)
fn callees(function: &Function) -> Vec<usize> {
    if function.exempt.is_some() {
        return Vec::new();
    }
    let callee = |call: &Call| match call.callee {
        Callee::Function(index) => Some(index),
        _ => None,
    };
    calls_of(function).filter_map(callee).collect()
}

/// Appends what can be reached from `start` and has not been seen, callees before their callers.
fn callees_first(start: usize, callees: &[Vec<usize>], seen: &mut [bool], order: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[start], true) {
        return;
    }
    let mut stack = vec![(start, 0)];
    while let Some((index, number)) = stack.pop() {
        let Some(&callee) = callees[index].get(number) else {
            order.push(index);
            continue;
        };
        stack.push((index, number + 1));
        if !std::mem::replace(&mut seen[callee], true) {
            stack.push((callee, 0));
        }
    }
}

/// The dearest way through a function that passes no latch; what of it leads out, on any way. Callees that check end nothing here:
/// they are counted as nothing.
fn dearest_way(function: &Function, stretches: &[Option<Stretch>]) -> Option<Stretch> {
    let mut leads_out = false;
    let mut price = |block: &Block| -> u64 {
        let items = block.items.iter().map(|item| match item {
            Item::Cost { cost, .. } => *cost,
            Item::Call(call) => match &call.callee {
                Callee::Function(callee) => {
                    let stretch = stretches[*callee].unwrap_or(Stretch::NOTHING);
                    leads_out |= stretch.leads_out;
                    stretch.cost
                }
                Callee::Declared(name) => {
                    leads_out |= !call.promised && !library::always_returns(name);
                    0
                }
                Callee::Unknown => {
                    leads_out = true;
                    0
                }
            },
        });
        items.sum()
    };
    let prices: Vec<u64> = function.blocks.iter().map(&mut price).collect();
    let mut forward = vec![Vec::new(); function.blocks.len()];
    for (index, block) in blocks(function) {
        forward[index].extend(
            block
                .successors
                .iter()
                .map(|successor| Some(successor.block)),
        );
    }
    for (index, number) in retreating_edges(function) {
        forward[index][number] = None;
    }
    // Costs of the dearest way to each block's end, by relaxation: as many rounds as blocks at most.
    let mut dearest = prices.clone();
    loop {
        let mut changed = false;
        for index in 0..forward.len() {
            for to in forward[index].iter().flatten() {
                let cost = dearest[index].saturating_add(prices[*to]);
                if cost > dearest[*to] {
                    dearest[*to] = cost;
                    changed = true;
                }
            }
        }
        let cost = dearest.iter().copied().max().unwrap_or(0);
        if cost > MOST_WITHOUT_CHECK {
            return None;
        }
        if !changed {
            return Some(Stretch { cost, leads_out });
        }
    }
}

/// The largest cost of a block, if it calls no function that may take long.
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

/// Returns `true` if control can return to a call of this function that has returned already.
fn returns_again(function: &Function) -> bool {
    calls_of(function).any(|call| call.returns_again)
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
    use crate::module::Successor;

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

    /// The same with two ways to the end, one of which costs one more.
    fn forked(items: Vec<Item>) -> Function {
        let mut function = straight(items);
        function.blocks[0].end = End::Jump;
        function.blocks[0].successors = [1, 2].map(to).into();
        for items in [vec![cost(1)], Vec::new()] {
            function.blocks.extend(straight(items).blocks);
        }
        function
    }

    fn to(block: usize) -> Successor {
        Successor {
            block,
            frequency: 1.0,
            holds_code: true,
        }
    }

    fn call(callee: usize) -> Item {
        Item::Call(Call {
            callee: Callee::Function(callee),
            promised: false,
            tail: Tail::No,
            returns_again: false,
        })
    }

    fn cost(cost: u64) -> Item {
        Item::Cost { cost, location: 0 }
    }

    #[test]
    fn only_what_can_run_long_checks_the_budget() {
        let local = |function| Function {
            only_called_here: true,
            is_local: true,
            ..function
        };
        let unseen = || {
            straight(vec![Item::Call(Call {
                callee: Callee::Unknown,
                promised: false,
                returns_again: false,
                tail: Tail::No,
            })])
        };
        let seen = |function| Function {
            only_called_here: true,
            ..function
        };
        #[rustfmt::skip]
        let functions = [
            (seen(forked(vec![cost(MOST_WITHOUT_CHECK - 10)])), false),
            (seen(forked(vec![cost(5), call(0)])),          false),
            // Too dear with its callees.
            (seen(forked(vec![cost(9), call(1)])),          true),
            // Recursive; a recursion of two checks where it closes.
            (straight(vec![cost(1), call(3)]),              true),
            (local(straight(vec![cost(1), call(5)])),       true),
            (local(straight(vec![cost(1), call(4)])),       false),
            // Calls what checks; another module may see an inline function in another way.
            (local(straight(vec![cost(1), call(2)])),       false),
            (straight(vec![cost(1), call(2)]),              true),
            // Code that is not seen may call any function that can be called from outside.
            (unseen(),                                      true),
            (local(unseen()),                               false),
            (straight(vec![cost(1), call(9)]),              true),
            // Cheap, but code that is not seen may call it for ever.
            (straight(vec![cost(1)]),                       true),
            (local(straight(vec![cost(1)])),                false),
        ];
        let (functions, expected): (Vec<_>, Vec<_>) = functions.into_iter().unzip();
        let module = Module {
            functions,
            ..Module::default()
        };
        let options = Options::parse("budget").unwrap();
        let summaries = summarise(&module, &options);
        let checks: Vec<bool> = summaries.iter().map(|s| s.checks_entry).collect();
        assert_eq!(checks, expected);
    }
}
