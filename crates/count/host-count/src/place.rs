//! Placement by potentials on a spanning tree.
//!
//! Give every vertex a *debt*: what has been executed but not yet added when control is there. The root's debt is 0. Along
//! an arc of cost `c` from `u` to `v` the counter must grow by `debt(u) + c - debt(v)`. Debts can be chosen so that this
//! is 0 on every arc of a spanning tree; the remaining arcs (chords) carry code. With the most frequent arcs in the tree,
//! the code sits where it runs least. Any cycle through the root, that is any way from one observation point to the next,
//! then adds exactly its cost, whatever the tree.

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::exchange::{Prices, Tree};
use crate::flow::{Arc, CheckSite, Flow, ROOT, Site};

/// Add `amount` to the counter at `site`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Increment {
    /// Where.
    pub site: Site,
    /// How much; may be negative where a debt was over-paid.
    pub amount: i64,
    /// The counter: an index into the module's slots if counts are kept per function or line, else 0.
    pub slot: u32,
}

/// Compare the counter with the budget at `site`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    /// Its place; an increment at the same site comes first.
    pub site: Site,
    /// The amount that the counter lacks there; negative if it has been paid ahead.
    pub owed: i64,
}

/// The code to insert for a flow graph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Placed {
    /// The increments.
    pub increments: Vec<Increment>,
    /// The checks.
    pub checks: Vec<Check>,
}

/// Arcs that can hold no code must not need any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("code would be needed where none can be placed (arc {arc} of cost {cost})")]
pub struct Unplaceable {
    /// Index of the arc in the flow graph.
    pub arc: usize,
    /// Its cost.
    pub cost: i64,
}

/// Increments for `flow` on the chords of a maximum spanning tree. Code on a jump between a fork and a join costs
/// `split` times what it costs elsewhere. With `prices` the tree is then changed until it is cheap by these.
pub fn on_tree(flow: &Flow, split: f64, prices: Option<&Prices>) -> Result<Placed, Unplaceable> {
    let debts = debts_for_checks(flow, split, prices);
    let mut increments = Vec::new();
    for (index, arc) in flow.arcs.iter().enumerate() {
        let (Some(from), Some(to)) = (debts[arc.from], debts[arc.to]) else {
            continue;
        };
        let amount = from + arc.cost - to;
        match (amount, arc.site) {
            (0, _) => {}
            (_, None) => {
                return Err(Unplaceable {
                    arc: index,
                    cost: arc.cost,
                });
            }
            (_, Some(site)) => increments.push(Increment {
                site,
                amount,
                slot: 0,
            }),
        }
    }
    let checks = flow.checks.iter().map(|check| Check {
        site: check.site,
        owed: debts[check.vertex].unwrap_or(0) - check.ahead as i64,
    });
    Ok(Placed {
        increments,
        checks: checks.collect(),
    })
}

/// Increments for `flow` on every arc that costs something: the reference.
pub fn on_segments(flow: &Flow) -> Result<Placed, Unplaceable> {
    let mut increments = Vec::new();
    for (index, arc) in flow.arcs.iter().enumerate() {
        match (arc.cost, arc.site) {
            (0, _) => {}
            (cost, None) => return Err(Unplaceable { arc: index, cost }),
            (cost, Some(site)) => increments.push(Increment {
                site,
                amount: cost,
                slot: 0,
            }),
        }
    }
    // Everything is paid at once: nothing is ever owed.
    let checks = flow.checks.iter().map(|check| Check {
        site: check.site,
        owed: -(check.ahead as i64),
    });
    Ok(Placed {
        increments,
        checks: checks.collect(),
    })
}

/// The arcs that leave each vertex.
fn leaving(flow: &Flow) -> Vec<Vec<&Arc>> {
    let mut leaving = vec![Vec::new(); flow.vertices];
    for arc in &flow.arcs {
        leaving[arc.from].push(arc);
    }
    leaving
}

/// The cost of the cheapest way from `start` to one of `ends`; nothing if none of them can be reached. Ways end at the root.
pub fn cheapest_way(flow: &Flow, start: usize, ends: &[usize]) -> Option<u64> {
    let leaving = leaving(flow);
    let mut nearest = BinaryHeap::from([(Reverse(0), start)]);
    let mut seen = vec![false; flow.vertices];
    while let Some((Reverse(cost), vertex)) = nearest.pop() {
        if ends.contains(&vertex) {
            return Some(cost);
        }
        let goes_on = vertex != ROOT || start == ROOT;
        if goes_on && !std::mem::replace(&mut seen[vertex], true) {
            let ways = leaving[vertex].iter();
            nearest.extend(ways.map(|arc| (Reverse(cost + arc.cost.unsigned_abs()), arc.to)));
        }
    }
    None
}

/// Debts with which the counter is never behind at a check. Otherwise the check would have to compare with a number other than 0, for which
/// there is no single instruction. (The counter may be ahead: the handler sees that it was called too early.)
fn debts_for_checks(flow: &Flow, split: f64, prices: Option<&Prices>) -> Vec<Option<i64>> {
    let mut tied = flow.clone();
    let mut done = vec![false; flow.vertices];
    loop {
        let (debts, inside) = debts(&tied, split);
        let owed =
            |check: &CheckSite| debts[check.vertex].map_or(0, |debt| debt - check.ahead as i64);
        let owing = (flow.checks.iter()).filter(|check| !done[check.vertex] && owed(check) > 0);
        // The largest debt first: others may then owe nothing.
        let Some(worst) = owing.max_by_key(|check| owed(check)) else {
            if let Some(prices) = prices {
                let mut tree = Tree {
                    flow: &tied,
                    debts,
                    inside,
                };
                tree.improve(prices);
                return tree.debts;
            }
            return debts;
        };
        done[worst.vertex] = true;
        tied.arcs.push(Arc {
            from: ROOT,
            to: worst.vertex,
            cost: worst.ahead as i64,
            site: None,
            frequency: 0.0,
            checked: false,
            needs_split: false,
        });
    }
}

/// The debt of every vertex, `None` for vertices no arc touches, and which arcs are in the tree.
fn debts(flow: &Flow, split: f64) -> (Vec<Option<i64>>, Vec<bool>) {
    let mut order: Vec<usize> = (0..flow.arcs.len()).collect();
    order.sort_by(|&a, &b| compare(&flow.arcs[b], &flow.arcs[a], split).then(a.cmp(&b)));

    let mut sets = DisjointSets::new(flow.vertices);
    let mut tree: Vec<Vec<(usize, i64)>> = vec![Vec::new(); flow.vertices];
    let mut touched = vec![false; flow.vertices];
    let mut inside = vec![false; flow.arcs.len()];
    touched[ROOT] = true;
    for index in order {
        let arc = &flow.arcs[index];
        touched[arc.from] = true;
        touched[arc.to] = true;
        if sets.join(arc.from, arc.to) {
            inside[index] = true;
            tree[arc.from].push((arc.to, arc.cost));
            tree[arc.to].push((arc.from, -arc.cost));
        }
    }

    let mut debts: Vec<Option<i64>> = vec![None; flow.vertices];
    // Parts not connected to the root (code that never leaves, nor is entered) get a potential of their own.
    for start in std::iter::once(ROOT).chain(0..flow.vertices) {
        if debts[start].is_some() || !touched[start] {
            continue;
        }
        debts[start] = Some(0);
        let mut pending = vec![(start, 0i64)];
        while let Some((vertex, debt)) = pending.pop() {
            for &(neighbour, cost) in &tree[vertex] {
                if debts[neighbour].is_none() {
                    debts[neighbour] = Some(debt + cost);
                    pending.push((neighbour, debt + cost));
                }
            }
        }
    }
    (debts, inside)
}

/// Arcs that can hold no code first, then by what code there costs.
fn compare(a: &Arc, b: &Arc, split: f64) -> std::cmp::Ordering {
    let price = |arc: &Arc| match (arc.checked, arc.needs_split) {
        (true, _) => 0.0,
        (_, true) => arc.frequency * split,
        _ => arc.frequency,
    };
    let key = |arc: &Arc| (arc.site.is_none(), price(arc));
    let (a, b) = (key(a), key(b));
    a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
}

struct DisjointSets {
    parent: Vec<usize>,
}

impl DisjointSets {
    fn new(count: usize) -> Self {
        DisjointSets {
            parent: (0..count).collect(),
        }
    }

    fn find(&mut self, mut vertex: usize) -> usize {
        while self.parent[vertex] != vertex {
            self.parent[vertex] = self.parent[self.parent[vertex]];
            vertex = self.parent[vertex];
        }
        vertex
    }

    /// Unites two sets; false if they were one already.
    fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a] = b;
        a != b
    }
}

/// The cost of every way from entry to return, if all ways cost the same and none meets an observation point on the way.
///
/// `returns` are the exit vertices of returning blocks. Unlike [`on_tree`] this looks at the graph *before* the returns are
/// tied to the root.
pub fn constant_cost(flow: &Flow, start: usize, returns: &[usize]) -> Option<u64> {
    let mut debts: Vec<Option<i64>> = vec![None; flow.vertices];
    let leaving = leaving(flow);
    debts[start] = Some(0);
    let mut pending = vec![start];
    while let Some(vertex) = pending.pop() {
        let debt = debts[vertex]?;
        for arc in &leaving[vertex] {
            let next = debt + arc.cost;
            match debts[arc.to] {
                None => {
                    debts[arc.to] = Some(next);
                    pending.push(arc.to);
                }
                Some(known) if known == next => {}
                Some(_) => return None,
            }
        }
    }
    let mut cost = None;
    for &vertex in returns {
        // A return that cannot be reached constrains nothing.
        let Some(debt) = debts[vertex] else { continue };
        if cost.is_some_and(|known| known != debt) {
            return None;
        }
        cost = Some(debt);
    }
    cost.map(|cost| cost as u64)
}
