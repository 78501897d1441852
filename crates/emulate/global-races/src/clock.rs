//! A wave's knowledge of what others did. Copies share what is alike, since chains of waves hand on all that was before them.

use std::sync::Arc;

const BITS: u32 = 5;
const WIDTH: usize = 1 << BITS;

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

/// The entries of 32 waves, the stamps of each kind side by side: the host's vectors compare them.
#[derive(Clone, PartialEq, Eq)]
struct Leaf([[u32; WIDTH]; 3]);

impl Leaf {
    fn get(&self, at: usize) -> Entry {
        let [issued, waited, agent] = self.0.each_ref().map(|stamps| stamps[at]);
        Entry {
            issued,
            waited,
            agent,
        }
    }

    fn set(&mut self, at: usize, entry: Entry) {
        let stamps = [entry.issued, entry.waited, entry.agent];
        for (all, stamp) in self.0.iter_mut().zip(stamps) {
            all[at] = stamp;
        }
    }

    /// Returns `true` if there is nothing in `other` that this one does not know.
    fn knows(&self, other: &Leaf) -> bool {
        let pairs = self.0.iter().zip(&other.0);
        pairs.fold(true, |all, (known, stamps)| {
            let pairs = known.iter().zip(stamps);
            all & pairs.fold(true, |all, (known, stamp)| all & (known >= stamp))
        })
    }

    fn with(&self, other: &Leaf) -> Leaf {
        let mut all = self.clone();
        for (known, stamps) in all.0.iter_mut().zip(&other.0) {
            for (known, stamp) in known.iter_mut().zip(stamps) {
                *known = (*known).max(*stamp);
            }
        }
        all
    }
}

type Children = [Option<Arc<Node>>; WIDTH];

#[derive(Clone)]
enum Node {
    Inner(Children),
    Leaf(Leaf),
}

impl Node {
    fn new(level: u32) -> Node {
        match level {
            0 => Node::Leaf(Leaf([[0; WIDTH]; 3])),
            _ => Node::Inner(Default::default()),
        }
    }
}

/// Entries by the numbers of waves: a tree no higher than the waves need of which it knows. A workgroup's own waves mostly need one leaf.
#[derive(Clone, Default)]
pub(crate) struct Clock(Option<Root>);

#[derive(Clone)]
struct Root {
    level: u32,
    /// The bits above those of its level, which the numbers of all waves in the tree have in common.
    prefix: u32,
    node: Arc<Node>,
}

fn index(wave: u32, level: u32) -> usize {
    wave.checked_shr(BITS * level).unwrap_or(0) as usize % WIDTH
}

fn prefix(wave: u32, level: u32) -> u32 {
    wave.checked_shr(BITS * (level + 1)).unwrap_or(0)
}

impl Root {
    fn has(&self, wave: u32) -> bool {
        prefix(wave, self.level) == self.prefix
    }

    /// Some wave of the tree: the first one for which it has room.
    fn first(&self) -> u32 {
        let shift = BITS * (self.level + 1);
        self.prefix.checked_shl(shift).unwrap_or(0)
    }

    /// The tree as one that has room for a wave, too, and is no lower than `level`.
    fn wide(&self, wave: u32, level: u32) -> Root {
        let mut root = self.clone();
        while root.level < level || !root.has(wave) {
            let first = root.first();
            let mut nodes = Children::default();
            let level = root.level + 1;
            nodes[index(first, level)] = Some(root.node);
            root = Root {
                level,
                prefix: prefix(first, level),
                node: Arc::new(Node::Inner(nodes)),
            };
        }
        root
    }
}

/// Gives a wave below the node another entry, which `change` makes of the one that it has. Nodes that no other tree has are changed in place.
fn change_in(node: &mut Arc<Node>, wave: u32, change: &dyn Fn(Entry) -> Entry, level: u32) {
    match Arc::make_mut(node) {
        Node::Leaf(known) => {
            let at = index(wave, 0);
            known.set(at, change(known.get(at)));
        }
        Node::Inner(nodes) => {
            let below = &mut nodes[index(wave, level)];
            let below = below.get_or_insert_with(|| Arc::new(Node::new(level - 1)));
            change_in(below, wave, change, level - 1);
        }
    }
}

fn joined(one: &Arc<Node>, other: &Arc<Node>) -> Arc<Node> {
    if Arc::ptr_eq(one, other) {
        return one.clone();
    }
    match (&**one, &**other) {
        (Node::Leaf(a), Node::Leaf(b)) => match () {
            () if a.knows(b) => one.clone(),
            () if b.knows(a) => other.clone(),
            () => Arc::new(Node::Leaf(a.with(b))),
        },
        (Node::Inner(a), Node::Inner(b)) => {
            let (mut all, mut is_other) = (Changed::of(a), true);
            for at in 0..WIDTH {
                match (&a[at], &b[at]) {
                    (Some(a), Some(b)) => {
                        let both = joined(a, b);
                        is_other &= Arc::ptr_eq(&both, b);
                        all.set(at, both);
                    }
                    (None, Some(b)) => all.set(at, b.clone()),
                    (Some(_), None) => is_other = false,
                    (None, None) => {}
                }
            }
            all.node(one, is_other.then_some(other))
        }
        _ => one.clone(),
    }
}

/// Returns the join, and `other` rebuilt of the join's nodes where both are equal.
fn united(one: &Arc<Node>, other: &Arc<Node>) -> [Arc<Node>; 2] {
    if Arc::ptr_eq(one, other) {
        return [one.clone(), one.clone()];
    }
    match (&**one, &**other) {
        (Node::Leaf(a), Node::Leaf(b)) => match (a.knows(b), b.knows(a)) {
            (true, true) => [one.clone(), one.clone()],
            (true, false) => [one.clone(), other.clone()],
            (false, true) => [other.clone(), other.clone()],
            (false, false) => [Arc::new(Node::Leaf(a.with(b))), other.clone()],
        },
        (Node::Inner(a), Node::Inner(b)) => {
            let (mut all, mut own, mut alike) = (Changed::of(a), Changed::of(b), true);
            for at in 0..WIDTH {
                match (&a[at], &b[at]) {
                    (Some(a), Some(b)) => {
                        let [both, kept] = united(a, b);
                        alike &= Arc::ptr_eq(&both, &kept);
                        all.set(at, both);
                        own.set(at, kept);
                    }
                    (None, Some(b)) => all.set(at, b.clone()),
                    (Some(_), None) => alike = false,
                    (None, None) => {}
                }
            }
            let is_other = alike && own.by.is_empty();
            let all = all.node(one, is_other.then_some(other));
            match alike {
                true => [all.clone(), all],
                false => [all, own.node(other, None)],
            }
        }
        _ => [one.clone(), other.clone()],
    }
}

/// The nodes below a node, and those that take their places. Most joins bring little that is new, so that nothing is copied before the end.
struct Changed<'n> {
    nodes: &'n Children,
    by: Vec<(usize, Arc<Node>)>,
}

impl Changed<'_> {
    fn of(nodes: &Children) -> Changed<'_> {
        let by = Vec::new();
        Changed { nodes, by }
    }

    fn set(&mut self, at: usize, node: Arc<Node>) {
        let same = self.nodes[at].as_ref();
        if !same.is_some_and(|same| Arc::ptr_eq(same, &node)) {
            self.by.push((at, node));
        }
    }

    /// The node with these below it: `before`, if none has changed, or else `same`, if there is such a node.
    fn node(self, before: &Arc<Node>, same: Option<&Arc<Node>>) -> Arc<Node> {
        match (&*self.by, same) {
            ([], _) => before.clone(),
            (_, Some(same)) => same.clone(),
            (_, None) => {
                let mut nodes = self.nodes.clone();
                for (at, node) in self.by {
                    nodes[at] = Some(node);
                }
                Arc::new(Node::Inner(nodes))
            }
        }
    }
}

impl Clock {
    pub fn get(&self, wave: u32) -> Entry {
        let Some(root) = self.0.as_ref().filter(|root| root.has(wave)) else {
            return Entry::default();
        };
        let (mut node, mut level) = (&*root.node, root.level);
        loop {
            match node {
                Node::Leaf(entries) => return entries.get(index(wave, 0)),
                Node::Inner(nodes) => match &nodes[index(wave, level)] {
                    Some(below) => (node, level) = (below, level - 1),
                    None => return Entry::default(),
                },
            }
        }
    }

    /// Returns `true` if both are one in memory.
    pub fn is_same(&self, other: &Clock) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(&one.node, &other.node),
            (None, None) => true,
            _ => false,
        }
    }

    pub fn clear(&mut self) {
        self.0 = None;
    }

    pub fn raise(&mut self, wave: u32, entry: Entry) {
        self.change(wave, &|known| known.max(entry));
    }

    /// Takes back what is known of a wave.
    pub fn forget(&mut self, wave: u32) {
        self.change(wave, &|_| Entry::default());
    }

    fn change(&mut self, wave: u32, change: &dyn Fn(Entry) -> Entry) {
        let root = self.0.get_or_insert_with(|| Root {
            level: 0,
            prefix: prefix(wave, 0),
            node: Arc::new(Node::new(0)),
        });
        if !root.has(wave) {
            *root = root.wide(wave, 0);
        }
        change_in(&mut root.node, wave, change, root.level);
    }

    pub fn join(&mut self, other: &Clock) {
        let (Some(one), Some(other)) = (&self.0, &other.0) else {
            if self.0.is_none() {
                self.0.clone_from(&other.0);
            }
            return;
        };
        let node = match one.level == other.level && one.prefix == other.prefix {
            true => joined(&one.node, &other.node),
            false => {
                let [one, other] = [
                    one.wide(other.first(), other.level),
                    other.wide(one.first(), one.level),
                ];
                let node = joined(&one.node, &other.node);
                self.0 = Some(Root { node, ..one });
                return;
            }
        };
        if let Some(root) = &mut self.0 {
            root.node = node;
        }
    }

    /// [`Clock::join`], behind which both share what is alike in them. Words that the same waves have changed know the same, each by nodes of its
    /// own. A wave that meets many such words compares the nodes once.
    pub fn unite(&mut self, other: &mut Clock) {
        if let (Some(one), Some(other)) = (&mut self.0, &mut other.0)
            && (one.level, one.prefix) == (other.level, other.prefix)
        {
            [one.node, other.node] = united(&one.node, &other.node);
            return;
        }
        self.join(other);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

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
            &one.0.as_ref().unwrap().node,
            &before.0.as_ref().unwrap().node
        ));
        one.join(&more);
        assert!(Arc::ptr_eq(
            &one.0.as_ref().unwrap().node,
            &more.0.as_ref().unwrap().node
        ));
    }

    /// Two that have heard the same one by one are one in memory behind that, and where only a part is alike, that part is.
    #[test]
    fn what_is_alike_is_shared() {
        let heard = |waves: std::ops::Range<u32>| {
            let mut clock = Clock::default();
            waves.for_each(|wave| clock.raise(wave, entry(wave)));
            clock
        };
        let (mut one, mut other) = (heard(0..5000), heard(0..5000));
        assert!(!one.is_same(&other));
        one.unite(&mut other);
        assert!(one.is_same(&other));
        other.raise(7, entry(9000));
        one.raise(4000, entry(9000));
        let (knew, mut again) = (one.clone(), other.clone());
        one.unite(&mut again);
        assert!(!one.is_same(&again) && again.is_same(&other));
        // The wave's knowledge is the other's but for one wave.
        assert_eq!(one.get(4000), knew.get(4000));
        assert_eq!(one.get(7), other.get(7));
        assert_eq!(again.get(4000), entry(4000));
    }

    /// Clocks against plain maps: waves that lie near each other and far from each other, changes, joins and copies.
    #[test]
    fn clocks_are_plain_maps() {
        let mut next = crate::random::numbers();
        let bases = [0, 20, 1 << 10, 1 << 15, (1 << 30) - 8, u32::MAX - 40];
        for distinct in [1, 2, bases.len() as u64] {
            let mut all = vec![(Clock::default(), BTreeMap::<u32, Entry>::new()); 4];
            for step in 0..8000 {
                let (at, from) = (next(4) as usize, next(4) as usize);
                let wave = bases[next(distinct) as usize] + next(40) as u32;
                let entry = Entry {
                    issued: next(50) as u32,
                    waited: next(50) as u32,
                    agent: next(50) as u32,
                };
                let other = all[from].clone();
                let (clock, plain) = &mut all[at];
                match next(12) {
                    0 => (*clock, *plain) = (Clock::default(), BTreeMap::new()),
                    1 => (*clock, *plain) = other,
                    kind @ 2..5 => {
                        let (mut others, heard) = other;
                        match kind {
                            2 => clock.join(&others),
                            _ => clock.unite(&mut others),
                        }
                        for (&wave, entry) in &heard {
                            let known = plain.entry(wave).or_default();
                            *known = known.max(*entry);
                        }
                        if from != at {
                            all[from] = (others, heard);
                        }
                    }
                    5 => {
                        clock.forget(wave);
                        plain.remove(&wave);
                    }
                    _ => {
                        clock.raise(wave, entry);
                        let known = plain.entry(wave).or_default();
                        *known = known.max(entry);
                    }
                }
                for (clock, plain) in &all {
                    let asked = plain.keys().copied();
                    for wave in asked.chain([wave, next(1 << 32) as u32]) {
                        let known = plain.get(&wave).copied().unwrap_or_default();
                        assert_eq!(clock.get(wave), known, "{distinct}: {step}: {wave}");
                    }
                }
            }
        }
    }
}
