//! Makes placement cheaper where an addition's price depends on its sign.
//!
//! With budget checks a negative addition goes to a word of its own (see `CheckedLanes` in the pass), while all other additions wait for
//! each other. The signs of the chords' amounts are known only when the spanning tree is complete. The tree is therefore changed
//! afterwards. An arc leaves the tree. The debts of the part that it held change so that the amount of another arc between the parts
//! becomes 0. The other arc enters the tree. (These are the pivots of the network simplex method. Because prices jump at 0, the end is only a
//! local optimum.)

use crate::flow::{Arc, Flow, ROOT};

/// Prices of additions, per execution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices {
    /// Price of a positive addition.
    pub add: f64,
    /// Price of a negative addition.
    pub take_back: f64,
    /// How many times that it costs on a jump between a fork and a join.
    pub split: f64,
}

impl Prices {
    fn cost(&self, arc: &Arc, amount: i64) -> f64 {
        let once = match amount {
            0 => return 0.0,
            _ if arc.checked => return 0.0,
            _ if arc.site.is_none() => return f64::INFINITY,
            1.. => self.add,
            _ => self.take_back,
        };
        let split = if arc.needs_split { self.split } else { 1.0 };
        arc.frequency * once * split
    }
}

/// Exchanges are tried as long as they get cheaper, at most so many times for each arc.
const MOST_PASSES: usize = 4;
/// Steps at most, for functions of many thousand blocks.
const MOST_STEPS: usize = 100_000_000;

/// A spanning tree and the debts of its vertices.
pub struct Tree<'a> {
    pub flow: &'a Flow,
    pub debts: Vec<Option<i64>>,
    /// Whether each arc is in the tree.
    pub inside: Vec<bool>,
}

/// The tree hung up at the root: vertices in an order in which each subtree is a range.
struct Order {
    vertices: Vec<usize>,
    /// Place of each vertex there; `usize::MAX` for what is not connected with the root.
    place: Vec<usize>,
    /// End of its subtree's range.
    end: Vec<usize>,
    /// The arc to the vertex it hangs at.
    above: Vec<usize>,
}

impl Tree<'_> {
    /// Exchanges arcs as long as that is cheaper. No check comes to owe more than it has to.
    pub fn improve(&mut self, prices: &Prices) {
        let mut most = vec![None; self.flow.vertices];
        for check in &self.flow.checks {
            most[check.vertex] = Some(check.ahead as i64);
        }
        let mut incident = vec![Vec::new(); self.flow.vertices];
        for (index, arc) in self.flow.arcs.iter().enumerate() {
            incident[arc.from].push(index);
            incident[arc.to].push(index);
        }
        let mut steps = 0;
        for _ in 0..MOST_PASSES {
            let mut order = self.order(&incident);
            let mut changed = false;
            for at in (1..order.vertices.len()).rev() {
                let Some((leaves, enters, change)) =
                    self.best(&order, at, &incident, prices, &most, &mut steps)
                else {
                    continue;
                };
                for &vertex in &order.vertices[at..order.end[at]] {
                    if let Some(debt) = &mut self.debts[vertex] {
                        *debt += change;
                    }
                }
                self.inside[leaves] = false;
                self.inside[enters] = true;
                order = self.order(&incident);
                steps += self.flow.vertices;
                changed = true;
            }
            if !changed || steps > MOST_STEPS {
                break;
            }
        }
    }

    fn amount(&self, arc: &Arc) -> i64 {
        let debt = |vertex: usize| self.debts[vertex].unwrap_or(0);
        debt(arc.from) + arc.cost - debt(arc.to)
    }

    fn order(&self, incident: &[Vec<usize>]) -> Order {
        let count = self.flow.vertices;
        let mut order = Order {
            vertices: Vec::new(),
            place: vec![usize::MAX; count],
            end: Vec::new(),
            above: Vec::new(),
        };
        let mut pending = vec![(ROOT, usize::MAX, usize::MAX)];
        let mut hangs_at = Vec::new();
        while let Some((vertex, above, parent)) = pending.pop() {
            if order.place[vertex] != usize::MAX {
                continue;
            }
            let place = order.vertices.len();
            order.place[vertex] = place;
            order.vertices.push(vertex);
            order.above.push(above);
            hangs_at.push(parent);
            for &index in incident[vertex].iter().filter(|&&index| self.inside[index]) {
                let arc = &self.flow.arcs[index];
                let other = arc.from + arc.to - vertex;
                if order.place[other] == usize::MAX {
                    pending.push((other, index, place));
                }
            }
        }
        order.end = (1..=order.vertices.len()).collect();
        for place in (1..order.vertices.len()).rev() {
            let parent = hangs_at[place];
            order.end[parent] = order.end[parent].max(order.end[place]);
        }
        order
    }

    /// The best exchange for the arc above the vertex at `at`: what leaves, what enters, how the debts below change.
    fn best(
        &self,
        order: &Order,
        at: usize,
        incident: &[Vec<usize>],
        prices: &Prices,
        most: &[Option<i64>],
        steps: &mut usize,
    ) -> Option<(usize, usize, i64)> {
        let leaves = order.above[at];
        self.flow.arcs[leaves].site?;
        let below = &order.vertices[at..order.end[at]];
        *steps += below.len();
        if *steps > MOST_STEPS {
            return None;
        }
        // An arc between the parts, its amount, and whether a change of the debts below increases or decreases it.
        let mut crossing: Vec<(usize, i64, i64)> = Vec::new();
        let mut room = i64::MAX;
        for &vertex in below {
            if let (Some(debt), Some(most)) = (self.debts[vertex], most[vertex]) {
                room = room.min(most - debt);
            }
            for &index in &incident[vertex] {
                let arc = &self.flow.arcs[index];
                let inside = |vertex: usize| (at..order.end[at]).contains(&order.place[vertex]);
                match (inside(arc.from), inside(arc.to)) {
                    (true, false) => crossing.push((index, self.amount(arc), 1)),
                    (false, true) => crossing.push((index, self.amount(arc), -1)),
                    _ => {}
                }
            }
        }
        let price = |change: i64| -> f64 {
            (crossing.iter())
                .map(|&(index, amount, sign)| {
                    prices.cost(&self.flow.arcs[index], amount + sign * change)
                })
                .sum()
        };
        let now = price(0);
        let mut best = (now * (1.0 - 1e-9), None);
        for &(enters, amount, sign) in &crossing {
            let change = -sign * amount;
            if change == 0 || change > room {
                continue;
            }
            *steps += crossing.len();
            let then = price(change);
            if then < best.0 {
                best = (then, Some((leaves, enters, change)));
            }
        }
        best.1
    }
}
