//! A wave's knowledge of what others did. Copies share what is alike, since chains of waves hand on all that was before them.

use std::sync::Arc;

const BITS: u32 = 5;
const WIDTH: usize = 1 << BITS;
const LEVELS: u32 = 6;

/// Stamps of a wave: what it did up to then is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    /// It was issued.
    pub issued: u32,
    /// It went as far as it goes by itself, and was waited for.
    pub waited: u32,
    /// It was performed for the whole agent.
    pub agent: u32,
}

impl Entry {
    fn max(self, other: Entry) -> Entry {
        Entry {
            issued: self.issued.max(other.issued),
            waited: self.waited.max(other.waited),
            agent: self.agent.max(other.agent),
        }
    }
}

#[derive(Clone)]
enum Node {
    Inner(Box<[Option<Arc<Node>>; WIDTH]>),
    Leaf(Box<[Entry; WIDTH]>),
}

/// Entries by the numbers of waves.
#[derive(Clone, Default)]
pub(crate) struct Clock(Option<Arc<Node>>);

fn index(wave: u32, level: u32) -> usize {
    (wave >> (BITS * level)) as usize % WIDTH
}

/// The node with another entry for a wave, which `change` makes of the one that it has.
fn changed(
    node: Option<&Arc<Node>>,
    wave: u32,
    change: &dyn Fn(Entry) -> Entry,
    level: u32,
) -> Arc<Node> {
    let at = index(wave, level);
    Arc::new(match (node.map(|node| &**node), level) {
        (Some(Node::Leaf(known)), _) => {
            let mut all = known.clone();
            all[at] = change(all[at]);
            Node::Leaf(all)
        }
        (None, 0) => {
            let mut all = [Entry::default(); WIDTH];
            all[at] = change(all[at]);
            Node::Leaf(Box::new(all))
        }
        (known, level) => {
            let mut all = match known {
                Some(Node::Inner(known)) => known.clone(),
                _ => Box::default(),
            };
            all[at] = Some(changed(all[at].as_ref(), wave, change, level - 1));
            Node::Inner(all)
        }
    })
}

fn joined(one: &Arc<Node>, other: &Arc<Node>) -> Arc<Node> {
    if Arc::ptr_eq(one, other) {
        return one.clone();
    }
    match (&**one, &**other) {
        (Node::Leaf(a), Node::Leaf(b)) => {
            let all: [Entry; WIDTH] = std::array::from_fn(|at| a[at].max(b[at]));
            match () {
                () if all == **a => one.clone(),
                () if all == **b => other.clone(),
                () => Arc::new(Node::Leaf(Box::new(all))),
            }
        }
        (Node::Inner(a), Node::Inner(b)) => {
            let all: [Option<Arc<Node>>; WIDTH] =
                std::array::from_fn(|at| match (&a[at], &b[at]) {
                    (Some(a), Some(b)) => Some(joined(a, b)),
                    (a, b) => a.clone().or_else(|| b.clone()),
                });
            let is = |known: &[Option<Arc<Node>>; WIDTH]| {
                let mut pairs = all.iter().zip(known);
                pairs.all(|(a, b)| match (a, b) {
                    (Some(a), Some(b)) => Arc::ptr_eq(a, b),
                    (None, None) => true,
                    _ => false,
                })
            };
            match () {
                () if is(a) => one.clone(),
                () if is(b) => other.clone(),
                () => Arc::new(Node::Inner(Box::new(all))),
            }
        }
        _ => one.clone(),
    }
}

impl Clock {
    pub fn get(&self, wave: u32) -> Entry {
        let mut node = self.0.as_deref();
        for level in (0..LEVELS).rev() {
            match node {
                Some(Node::Inner(inner)) => node = inner[index(wave, level)].as_deref(),
                Some(Node::Leaf(entries)) => return entries[index(wave, 0)],
                None => break,
            }
        }
        match node {
            Some(Node::Leaf(entries)) => entries[index(wave, 0)],
            _ => Entry::default(),
        }
    }

    pub fn raise(&mut self, wave: u32, entry: Entry) {
        self.change(wave, &|known| known.max(entry));
    }

    /// Takes back what is known of a wave.
    pub fn forget(&mut self, wave: u32) {
        self.change(wave, &|_| Entry::default());
    }

    fn change(&mut self, wave: u32, change: &dyn Fn(Entry) -> Entry) {
        self.0 = Some(changed(self.0.as_ref(), wave, change, LEVELS - 1));
    }

    pub fn join(&mut self, other: &Clock) {
        self.0 = match (&self.0, &other.0) {
            (Some(one), Some(other)) => Some(joined(one, other)),
            (one, other) => one.clone().or_else(|| other.clone()),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(stamp: u32) -> Entry {
        Entry {
            issued: stamp,
            waited: stamp / 2,
            agent: stamp / 4,
        }
    }

    #[test]
    fn a_join_knows_what_either_side_knew() {
        let (mut one, mut other) = (Clock::default(), Clock::default());
        for wave in (0..5000).step_by(7) {
            one.raise(wave, entry(wave + 1));
        }
        for wave in (0..90_000).step_by(11) {
            other.raise(wave, entry(90_000 - wave));
        }
        let mut both = one.clone();
        both.join(&other);
        for wave in 0..90_000 {
            assert_eq!(both.get(wave), one.get(wave).max(other.get(wave)), "{wave}");
        }
    }

    #[test]
    fn a_join_with_what_is_known_makes_nothing_new() {
        let mut one = Clock::default();
        (0..100).for_each(|wave| one.raise(wave, entry(9)));
        let (mut more, before) = (one.clone(), one.clone());
        more.raise(7, entry(10));
        one.join(&before);
        assert!(Arc::ptr_eq(
            one.0.as_ref().unwrap(),
            before.0.as_ref().unwrap()
        ));
        one.join(&more);
        assert!(Arc::ptr_eq(
            one.0.as_ref().unwrap(),
            more.0.as_ref().unwrap()
        ));
    }
}
