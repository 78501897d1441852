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

    /// A wave has ended: the barrier does not wait for it any more.
    pub fn leave(&mut self) {
        self.members = self.members.saturating_sub(1);
        self.open_if_complete();
    }

    /// A wave arrives. Whether it is the first one since the barrier opened last.
    pub(crate) fn signal(&mut self, elapsed: u64) -> bool {
        if !self.exists {
            return false;
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

    fn open_if_complete(&mut self) {
        if self.exists && self.arrived != 0 && self.arrived >= self.members {
            self.arrived = 0;
            self.opened += 1;
        }
    }

    /// The value that `s_get_barrier_state` reads: arrived waves in bits 22:16, members in bits 10:4, bit 0 for a
    /// barrier that exists.
    pub(crate) fn bits(&self) -> u32 {
        (self.arrived & 0x7f) << 16 | (self.members & 0x7f) << 4 | u32::from(self.exists)
    }

    /// Whether a wave that has passed it `passed` times may pass. Brings `passed` up to date if so.
    pub(crate) fn pass(&self, passed: &mut u64) -> bool {
        let open = !self.exists || self.opened > *passed;
        if open {
            *passed = self.opened;
        }
        open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens_when_all_members_have_arrived() {
        let mut barrier = SplitBarrier::new(3);
        let (mut a, mut b) = (0, 0);
        assert!(barrier.signal(0));
        assert!(!barrier.signal(0));
        assert_eq!(barrier.bits(), 2 << 16 | 3 << 4 | 1);
        assert!(!barrier.pass(&mut a));
        assert!(!barrier.signal(0));
        assert!(barrier.pass(&mut a) && barrier.pass(&mut b));
        assert!(!barrier.pass(&mut a), "one opening lets a wave pass once");
        assert!(barrier.signal(0), "the first one again");
    }

    #[test]
    fn ended_waves_are_not_waited_for() {
        let mut barrier = SplitBarrier::new(2);
        let mut passed = 0;
        barrier.signal(0);
        assert!(!barrier.pass(&mut passed));
        barrier.leave();
        assert!(barrier.pass(&mut passed));
    }

    #[test]
    fn a_single_wave_has_no_barrier() {
        let mut barrier = SplitBarrier::new(1);
        assert!(!barrier.signal(0));
        assert!(barrier.pass(&mut 0));
    }
}
