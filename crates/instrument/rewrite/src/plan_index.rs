//! The contents of a plan, by place.

use crate::{Insertion, Plan, Point};
use lift::{FunctionIndex, InstIndex};
use std::ops::Range;

/// The contents of a plan, by place.
pub(crate) struct PlanIndex {
    /// Anything is inserted on edges.
    pub edges: bool,
    /// Indices of insertions and changes.
    pub insertions: BySite,
    pub changes: BySite,
}

impl PlanIndex {
    pub fn new(plan: &Plan<'_>) -> PlanIndex {
        let insertions = plan.insertions.iter();
        let changes = plan.changes.iter();
        let on_edge = |insertion: &Insertion| matches!(insertion.point, Point::Edge(_));
        PlanIndex {
            edges: plan.insertions.iter().any(on_edge),
            insertions: BySite::new(
                insertions.map(|insertion| (insertion.function, insertion.inst)),
            ),
            changes: BySite::new(changes.map(|change| (change.function, change.inst))),
        }
    }

    /// Functions and instructions that are named.
    pub fn places(&self) -> impl Iterator<Item = Site> + '_ {
        let all = self.insertions.0.iter().chain(&self.changes.0);
        all.map(|(site, _)| *site)
    }

    /// Returns `true` if anything is inserted or changed at one of these instructions.
    pub fn any_in(&self, function: FunctionIndex, range: Range<InstIndex>) -> bool {
        let (insertions, changes) = (&self.insertions, &self.changes);
        !insertions.within(function, range.clone()).is_empty()
            || !changes.within(function, range).is_empty()
    }
}

pub(crate) type Site = (FunctionIndex, InstIndex);

/// Indices by what they are for, in order; those of one place in their own.
pub(crate) struct BySite(Vec<(Site, usize)>);

impl BySite {
    fn new(sites: impl Iterator<Item = Site>) -> BySite {
        let mut all: Vec<_> = sites.zip(0..).collect();
        all.sort_unstable();
        BySite(all)
    }

    pub fn at(&self, function: FunctionIndex, inst: InstIndex) -> &[(Site, usize)] {
        self.within(function, inst..inst + 1)
    }

    /// The first instruction from one on, of the same function, that there is anything for.
    pub fn next_from(&self, function: FunctionIndex, inst: InstIndex) -> Option<InstIndex> {
        if self.0.is_empty() {
            return None;
        }
        let next = self.0.partition_point(|(site, _)| *site < (function, inst));
        let ((of, at), _) = *self.0.get(next)?;
        (of == function).then_some(at)
    }

    pub fn within(&self, function: FunctionIndex, range: Range<InstIndex>) -> &[(Site, usize)] {
        let behind = |inst| self.0.partition_point(|(site, _)| *site < (function, inst));
        let start = behind(range.start);
        let rest = &self.0[start..];
        let count = rest
            .iter()
            .take_while(|(site, _)| *site < (function, range.end))
            .count();
        &rest[..count]
    }
}
