//! The barrier of a workgroup as gfx12 has it: arriving and waiting are instructions of their own.

/// State of one workgroup's barrier. A wave that waits compares how often the barrier opened with how often it has passed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SplitBarrier {
    /// Waves that have not ended.
    members: u32,
    /// The waves that have arrived since the barrier opened last.
    arrived: u32,
    /// How often it has opened.
    opened: u64,
    /// The latest time, in cycles since the dispatch began, of the waves that have arrived.
    latest: u64,
    /// Workgroups of one wave have none.
    exists: bool,
    /// The waves that arrived, for a checker of barriers.
    log: Option<Box<Log>>,
}

/// The waves that arrived at a barrier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Log {
    /// Since it opened last.
    now: Vec<Arrival>,
    /// The waves that opened it since the checker looked.
    opened: Vec<Vec<Arrival>>,
}

/// A wave that has arrived at a split barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// In the workgroup.
    pub wave: u32,
    /// The address of its instruction.
    pub pc: u64,
    pub exec: u64,
}

impl SplitBarrier {
    /// For a workgroup of `waves` waves.
    pub fn new(waves: u32) -> SplitBarrier {
        SplitBarrier {
            members: waves,
            exists: waves > 1,
            ..SplitBarrier::default()
        }
    }

    /// From now on it keeps who arrives.
    pub fn be_watched(&mut self) {
        self.log = Some(Box::default());
    }

    /// The waves that have arrived since it opened last, if it is watched.
    pub fn arrivals(&self) -> &[Arrival] {
        self.log.as_ref().map_or(&[], |log| &log.now)
    }

    /// The waves that opened it, each time since the last call.
    pub fn take_opened(&mut self) -> Vec<Vec<Arrival>> {
        let log = self.log.as_mut();
        log.map_or_else(Vec::new, |log| std::mem::take(&mut log.opened))
    }

    /// A wave has ended: the barrier does not wait for it any more.
    #[inline]
    pub fn leave(&mut self) {
        self.members = self.members.saturating_sub(1);
        self.open_if_complete();
    }

    /// A wave arrives. Whether it is the first one since the barrier opened last.
    pub fn signal(&mut self, elapsed: u64, who: impl FnOnce() -> Arrival) -> bool {
        if !self.exists {
            return false;
        }
        if let Some(log) = &mut self.log {
            log.now.push(who());
        }
        self.latest = self.latest.max(elapsed);
        self.arrived += 1;
        let first = self.arrived == 1;
        self.open_if_complete();
        first
    }

    /// The time of the wave that came last.
    pub fn latest(&self) -> u64 {
        self.latest
    }

    #[inline]
    fn open_if_complete(&mut self) {
        if self.exists && self.arrived != 0 && self.arrived >= self.members {
            self.arrived = 0;
            self.opened += 1;
            if let Some(log) = &mut self.log {
                let now = std::mem::take(&mut log.now);
                log.opened.push(now);
            }
        }
    }

    /// The value that `s_get_barrier_state` reads: arrived waves in bits 22:16, members in bits 10:4, bit 0 for a
    /// barrier that exists.
    pub fn bits(&self) -> u32 {
        (self.arrived & 0x7f) << 16 | (self.members & 0x7f) << 4 | u32::from(self.exists)
    }

    /// Returns `true` if a wave that has passed it `passed` times may pass. Brings `passed` up to date if so.
    pub fn pass(&self, passed: &mut u64) -> bool {
        let open = !self.exists || self.opened > *passed;
        if open {
            *passed = self.opened;
        }
        open
    }
}
