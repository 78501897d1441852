//! Exact retired-instruction counts at almost no cost.
//!
//! Straight-line runs are recorded as two updates of a difference array; a prefix sum at the end gives how often every
//! instruction retired, and with how many active lanes. EXEC is constant within a run because the engine ends a run at
//! every write of EXEC. Host code of loops goes on there, and tells the difference of lanes when it comes back.

use std::{collections::HashMap, sync::Arc};

use native::Tallies;

use crate::Segment;

/// How often one instruction retired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstCount {
    /// Waves that executed it.
    pub waves: u64,
    /// Sum over those waves of the lanes active in EXEC.
    pub lanes: u64,
}

#[derive(Debug)]
struct SegmentCounts {
    segment: Arc<Segment>,
    /// `[waves, lanes]` differences, one more than there are micro-ops.
    differences: Vec<[i64; 2]>,
}

/// Counts of one thread over any number of waves.
#[derive(Debug, Default)]
pub struct Counts {
    current: usize,
    /// The differences of segment `current`, taken out of `segments` because they change all the time.
    active: Vec<[i64; 2]>,
    segments: Vec<SegmentCounts>,
    /// The numbers of the loop that is in host code. They are zero where none is.
    tallies: Box<Tallies>,
    /// Host code has the tallies. It has never come back if they are asked for again: a fault of the host has ended it.
    is_lent: bool,
    /// Lanes of floating-point atomics that changed nothing, because the device cannot do them on memory of the host.
    pub lost_atomics: u64,
}

impl Counts {
    pub fn new() -> Counts {
        Counts::default()
    }

    /// Makes `segment` the one that [`Counts::retire`] speaks of.
    #[inline(always)]
    pub(crate) fn enter(&mut self, segment: &Arc<Segment>) {
        match self.segments.get(self.current) {
            Some(counts) if Arc::ptr_eq(&counts.segment, segment) => {}
            _ => self.change_to(segment),
        }
    }

    #[inline(never)]
    fn change_to(&mut self, segment: &Arc<Segment>) {
        if let Some(before) = self.segments.get_mut(self.current) {
            std::mem::swap(&mut before.differences, &mut self.active);
        }
        self.current = match self
            .segments
            .iter()
            .position(|counts| Arc::ptr_eq(&counts.segment, segment))
        {
            Some(position) => position,
            None => {
                let differences = vec![[0; 2]; segment.ops.len() + 1];
                self.segments.push(SegmentCounts {
                    segment: segment.clone(),
                    differences,
                });
                self.segments.len() - 1
            }
        };
        self.active = std::mem::take(&mut self.segments[self.current].differences);
    }

    fn differences(&self, segment: usize) -> &[[i64; 2]] {
        if segment == self.current {
            &self.active
        } else {
            &self.segments[segment].differences
        }
    }

    /// Micro-ops `start..end` retired once, with `lanes` active.
    #[inline(always)]
    pub(crate) fn retire(&mut self, start: usize, end: usize, lanes: u32) {
        let differences = &mut self.active[..];
        let lanes = i64::from(lanes);
        differences[start][0] += 1;
        differences[start][1] += lanes;
        differences[end][0] -= 1;
        differences[end][1] -= lanes;
    }

    /// Micro-ops `start..end` retired once, and [`Counts::take_tallies`] says how the lanes changed between. `lanes` were active at the start and
    /// at the end.
    pub(crate) fn retire_changing(&mut self, start: usize, end: usize, lanes: [u32; 2]) {
        let differences = &mut self.active[..];
        let [before, after] = lanes.map(i64::from);
        differences[start][0] += 1;
        differences[start][1] += before;
        differences[end][0] -= 1;
        differences[end][1] -= after;
    }

    /// The place where host code of a loop counts. It is for one stay.
    pub(crate) fn lend_tallies(&mut self) -> *mut Tallies {
        if self.is_lent {
            *self.tallies = Tallies::default();
        }
        self.is_lent = true;
        &raw mut *self.tallies
    }

    /// Counts what a stay of host code has told: `branches` are the micro-ops of branches and of what they lead to, `changes` those that may
    /// write the lanes.
    pub(crate) fn take_tallies(&mut self, branches: &[(usize, usize)], changes: &[usize]) {
        for (index, &(from, to)) in branches.iter().enumerate() {
            let taken = std::mem::take(&mut self.tallies.taken[index]);
            if taken[0] != 0 {
                self.retire_branches(from + 1, to, taken);
            }
        }
        for (index, at) in changes.iter().enumerate() {
            let more = std::mem::take(&mut self.tallies.changes[index]);
            self.active[at + 1][1] += more;
        }
        self.is_lent = false;
    }

    /// A branch in front of micro-op `from` was taken to micro-op `to`. `taken` has how often, and the sum of the lanes that were active then.
    fn retire_branches(&mut self, from: usize, to: usize, taken: [u64; 2]) {
        let [waves, lanes] = taken.map(|number| number as i64);
        let differences = &mut self.active[..];
        differences[to][0] += waves;
        differences[to][1] += lanes;
        differences[from][0] -= waves;
        differences[from][1] -= lanes;
    }

    /// Adds another thread's counts.
    pub fn merge(&mut self, other: &Counts) {
        self.lost_atomics += other.lost_atomics;
        for (index, theirs) in other.segments.iter().enumerate() {
            self.enter(&theirs.segment);
            for (sum, more) in self.active.iter_mut().zip(other.differences(index)) {
                sum[0] += more[0];
                sum[1] += more[1];
            }
        }
    }

    /// Count per instruction address, over all segments.
    pub fn by_pc(&self) -> HashMap<u64, InstCount> {
        let mut counts: HashMap<u64, InstCount> = HashMap::new();
        self.for_each(|segment, inst, count| {
            let sum = counts.entry(segment.insts[inst].pc).or_default();
            sum.waves += count.waves;
            sum.lanes += count.lanes;
        });
        counts
    }

    /// Calls `visit(segment, index into Segment::insts, count)` for every instruction that retired at least once.
    pub fn for_each(&self, mut visit: impl FnMut(&Segment, usize, InstCount)) {
        for (index, counts) in self.segments.iter().enumerate() {
            let differences = self.differences(index);
            let mut per_op = Vec::with_capacity(differences.len());
            let mut running = [0i64; 2];
            for difference in differences {
                running[0] += difference[0];
                running[1] += difference[1];
                per_op.push(InstCount {
                    waves: running[0] as u64,
                    lanes: running[1] as u64,
                });
            }
            for (index, inst) in counts.segment.insts.iter().enumerate() {
                let count = per_op[inst.op as usize];
                if count.waves != 0 {
                    visit(&counts.segment, index, count);
                }
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Forgets everything, keeping no memory.
    pub fn clear(&mut self) {
        *self = Counts::default();
    }
}
