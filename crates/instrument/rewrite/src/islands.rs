//! Islands: where a branch does not reach its target, it goes to a branch in reach that leads on.

use crate::ir::Label;
use crate::layout::Branch;
use std::collections::BTreeMap;

/// How far a branch reaches, in bytes, with some room for islands.
pub(crate) const REACH: u64 = 0x1fff0;
/// Distance between groups of islands.
pub(crate) const SPACING: u64 = 0x18000;

/// A group of islands: `s_branch` over it, then one `s_branch` per target.
#[derive(Debug)]
pub(crate) struct IslandPool {
    /// Offset in the text without islands.
    pub at: u64,
    /// With the number of its island.
    pub targets: BTreeMap<Label, u64>,
}

impl IslandPool {
    pub fn size(&self) -> u64 {
        if self.targets.is_empty() {
            0
        } else {
            4 + 4 * self.targets.len() as u64
        }
    }
}

/// Groups of islands with the targets that far branches pass them for. Empty if all branches reach. `gaps`: where islands may be;
/// `place_of`: where a label is.
pub(crate) fn pools(
    size: u64,
    gaps: &[u64],
    branches: &[Branch],
    place_of: &dyn Fn(Label) -> Option<u64>,
) -> Vec<IslandPool> {
    if size <= REACH {
        return Vec::new();
    }
    let gaps = gaps.iter();
    let mut pools: Vec<IslandPool> = gaps
        .map(|&gap| IslandPool {
            at: gap,
            targets: BTreeMap::new(),
        })
        .collect();
    // A branch that is longer than the spacing hops over every group in between.
    for branch in branches {
        let target = place_of(branch.to).unwrap_or(branch.at);
        if target.abs_diff(branch.at) <= SPACING {
            continue;
        }
        let (low, high) = (target.min(branch.at), target.max(branch.at));
        let from = pools.partition_point(|pool| pool.at <= low);
        let to = pools.partition_point(|pool| pool.at <= high);
        for pool in &mut pools[from..to] {
            let next = pool.targets.len() as u64;
            pool.targets.entry(branch.to).or_insert(next);
        }
    }
    pools.retain(|pool| !pool.targets.is_empty());
    pools
}

/// Where a branch goes: to its target, or to the last group of islands on the way that it reaches.
pub(crate) fn hop(
    pools: &[IslandPool],
    moved: &OffsetMap,
    at: u64,
    target: u64,
    label: Label,
) -> u64 {
    let reaches = |goal: u64| goal.abs_diff(at + 4) < REACH;
    if reaches(target) {
        return target;
    }
    let island = |number: usize| {
        let index = pools[number].targets.get(&label)?;
        let goal = moved.pool(number) + 4 + 4 * index;
        (goal != at && reaches(goal)).then_some(goal)
    };
    // Groups lie in order of their offsets: those on the way, from the one nearest to the target.
    let behind = |offset: u64| moved.pools_before(offset);
    let found = if target > at {
        (behind(at)..behind(target)).rev().find_map(island)
    } else {
        (behind(target)..behind(at)).find_map(island)
    };
    found.unwrap_or(target)
}

/// Offsets without islands to offsets with them.
#[derive(Debug, Default)]
pub(crate) struct OffsetMap {
    /// Offset, bytes put in there and before.
    places: Vec<(u64, u64)>,
}

impl OffsetMap {
    pub fn new(pools: &[IslandPool]) -> OffsetMap {
        let mut total = 0;
        let places = pools.iter().map(|pool| {
            total += pool.size();
            (pool.at, total)
        });
        OffsetMap {
            places: places.collect(),
        }
    }

    /// The new offset: code that was at a gap comes behind the islands there.
    pub fn now(&self, offset: u64) -> u64 {
        let passed = self.places.partition_point(|(at, _)| *at <= offset);
        match passed.checked_sub(1) {
            Some(last) => offset + self.places[last].1,
            None => offset,
        }
    }

    /// How many groups of islands start before an offset of the text with islands.
    fn pools_before(&self, offset: u64) -> usize {
        let (mut low, mut high) = (0, self.places.len());
        while low < high {
            let middle = (low + high) / 2;
            if self.pool(middle) < offset {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The offset at which a group of islands starts.
    pub fn pool(&self, number: usize) -> u64 {
        let before = match number.checked_sub(1) {
            Some(last) => self.places[last].1,
            None => 0,
        };
        self.places[number].0 + before
    }
}
