//! Findings counted without bound, and shown up to a limit.

use crate::suppress::Suppressions;
use crate::{Finding, Grade, Kind, Sink, Unshown};
use std::collections::{BTreeMap, HashMap};

/// The findings that are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Possible findings too.
    pub possible: bool,
    /// The largest number of findings to show.
    pub limit: usize,
}

/// Counts findings, and keeps those that are to be shown until they are taken.
#[derive(Debug)]
pub struct Tally {
    selection: Selection,
    pub suppressions: Suppressions,
    /// How often each bug was found.
    seen: HashMap<String, u64>,
    /// Different bugs by grade and kind.
    different: BTreeMap<(Grade, Kind), u64>,
    /// All findings by grade, those that are the same too.
    all: BTreeMap<Grade, u64>,
    pub suppressed: u64,
    pub shown: usize,
    ready: Vec<Finding>,
}

impl Tally {
    pub fn new(selection: Selection, suppressions: Suppressions) -> Tally {
        Tally {
            selection,
            suppressions,
            seen: HashMap::new(),
            different: BTreeMap::new(),
            all: BTreeMap::new(),
            suppressed: 0,
            shown: 0,
            ready: Vec::new(),
        }
    }

    /// Findings of a grade, the same bug each time it was found.
    pub fn all(&self, grade: Grade) -> u64 {
        self.all.get(&grade).copied().unwrap_or(0)
    }

    /// Different bugs of a grade.
    pub fn different(&self, grade: Grade) -> u64 {
        let of_grade = self.different.iter().filter(|((of, _), _)| *of == grade);
        of_grade.map(|(_, count)| count).sum()
    }

    /// Different bugs by grade and kind.
    pub fn by_kind(&self) -> impl Iterator<Item = (Grade, Kind, u64)> + '_ {
        let counts = self.different.iter();
        counts.map(|((grade, kind), count)| (*grade, *kind, *count))
    }

    /// How often a bug was found.
    pub fn times(&self, fingerprint: &str) -> u64 {
        self.seen.get(fingerprint).copied().unwrap_or(0)
    }

    /// The findings since they were last asked for.
    pub fn take(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.ready)
    }
}

impl Sink for Tally {
    fn count(&mut self, finding: &Unshown) -> bool {
        if self.suppressions.take(finding) {
            self.suppressed += finding.times;
            return false;
        }
        *self.all.entry(finding.grade).or_default() += finding.times;
        let times = self.seen.entry(finding.fingerprint.clone()).or_default();
        let is_known = *times > 0;
        *times += finding.times;
        if is_known {
            return false;
        }
        *self
            .different
            .entry((finding.grade, finding.kind))
            .or_default() += 1;
        let wanted = finding.grade == Grade::Certain || self.selection.possible;
        let show = wanted && self.shown < self.selection.limit;
        self.shown += usize::from(show);
        show
    }

    fn show(&mut self, finding: Finding) {
        self.ready.push(finding);
    }
}
