//! Decides which wave runs when, and whether any wave still makes progress.
//!
//! Both runs of a kernel must interleave their waves alike, so only branches of the application and the live state before them count here.
//! A wave that comes back to an earlier state without having written anything waits for another wave, which then gets its turn. If all
//! waves that can run did so, and none of them wrote anything meanwhile, they wait for something outside of the dispatch.

use emulate::Next;

/// Branches of a wave after which another one gets its turn in any case: waits may count how often they looked.
const SLICE: u32 = 10_000;
/// A wave is compared with what it was up to this many branches ago.
const LONGEST: u32 = 256;

/// The state of a wave at a branch.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    site: u32,
    /// Digests of what is live and, if it is asked who waits and liveness does not say enough, of all registers.
    live: u64,
    all: Option<u64>,
    /// Numbers of writes of this wave, and of all waves.
    own_writes: u64,
    writes: u64,
    /// When nothing else was to be told of it: number of the turn among those of all workgroups.
    turn: u64,
}

/// Of one wave.
#[derive(Debug, Default)]
pub struct WavePace {
    anchor: Option<Anchor>,
    /// Branches since it was set, and how many there are to be until the next is.
    since: u32,
    renewed_after: u32,
    /// Branches since others had their turn.
    branches: u32,
    own_writes: u64,
    /// When it was looked at last.
    seen: u64,
    /// It waits, unless there were more writes than these.
    waits: Option<u64>,
}

/// A wave that is about to branch.
pub struct Branch<F> {
    /// Number of the instruction.
    pub site: u32,
    /// Digest of what is live; all that decides what the wave does if `complete`.
    pub live: u64,
    pub complete: bool,
    /// Digest of all registers.
    pub all: F,
}

/// The turns of all waves.
#[derive(Debug, Default)]
pub struct TurnSchedule {
    asked: bool,
    turn: u64,
    writes: u64,
    /// Branches of all waves.
    pub branches: u64,
}

impl TurnSchedule {
    /// `asked`: whether the caller needs to know which wave waits. It makes no difference to which wave runs.
    pub fn new(asked: bool) -> TurnSchedule {
        TurnSchedule {
            asked,
            ..TurnSchedule::default()
        }
    }

    /// A workgroup gets its turn.
    pub fn resumed(&mut self) {
        self.turn += 1;
    }

    /// The wave is looked at.
    pub fn seen(&self, pace: &mut WavePace) {
        pace.seen = self.turn;
    }

    /// The wave is about to change memory.
    pub fn writes(&mut self, pace: &mut WavePace) {
        pace.own_writes += 1;
        self.writes += 1;
    }

    /// A wave branches: whether others get their turn then, and since which turn it has been the same.
    pub fn branch(
        &mut self,
        pace: &mut WavePace,
        branch: Branch<impl FnOnce() -> u64>,
    ) -> (Next, Option<u64>) {
        self.branches += 1;
        pace.branches += 1;
        let mut repeats = false;
        let mut same_since = None;
        let all = || (self.asked && !branch.complete).then(branch.all);
        match &mut pace.anchor {
            Some(anchor) if (anchor.site, anchor.live) == (branch.site, branch.live) => {
                // Elsewhere every loop would count as a wait.
                repeats = branch.complete && anchor.own_writes == pace.own_writes;
                let all = all();
                if (anchor.writes, anchor.all) == (self.writes, all) {
                    if anchor.turn < self.turn {
                        pace.waits = Some(self.writes);
                        same_since = Some(anchor.turn);
                    }
                } else {
                    anchor.turn = self.turn;
                }
                anchor.all = all;
                anchor.writes = self.writes;
                anchor.own_writes = pace.own_writes;
            }
            _ => {
                pace.since += 1;
                if pace.since >= pace.renewed_after {
                    pace.since = 0;
                    pace.renewed_after = (2 * pace.renewed_after).clamp(1, LONGEST);
                    pace.anchor = Some(Anchor {
                        site: branch.site,
                        live: branch.live,
                        all: all(),
                        own_writes: pace.own_writes,
                        writes: self.writes,
                        turn: self.turn,
                    });
                }
            }
        }
        let next = if repeats || pace.branches >= SLICE {
            pace.branches = 0;
            Next::Yield
        } else {
            Next::GoOn
        };
        (next, same_since.filter(|_| self.asked))
    }

    /// Returns `true` if all waves that were observed in turn `since` or later wait for something that none of them does.
    pub fn are_stuck<'a>(&self, since: u64, mut paces: impl Iterator<Item = &'a WavePace>) -> bool {
        paces.all(|pace| pace.seen < since || pace.waits == Some(self.writes))
    }
}
