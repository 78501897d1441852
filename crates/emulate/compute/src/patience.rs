//! Waiting of a thread that finds only workgroups which wait for another thread.
//!
//! The other thread needs a core of the host. It belongs to the device or to the program. On a host with nothing else to do, to offer the
//! core costs next to nothing, and the thread sees at once what has changed. On a busy host the same offer costs the time that other
//! processes get, which is thousands of times as long. A thread must then not make it for every workgroup that waits; a short sleep is
//! better.

use std::{
    thread,
    time::{Duration, Instant},
};

use crate::aside::Pause;

/// A thread offers its core for so long before it rests.
const OFFERS: Duration = Duration::from_micros(200);
/// An offer that took longer than this was accepted by another process.
const ACCEPTED: Duration = Duration::from_micros(500);
/// Waits without offers after one that was accepted.
const CROWDED_WAITS: u32 = 64;
/// The shortest and the longest rest. Between them it is this part of the time that was waited.
const SHORTEST: Duration = Duration::from_micros(50);
const LONGEST: Duration = Duration::from_millis(1);
const PART: u32 = 8;

/// How long one thread has found nothing but workgroups that wait.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    /// Turns in a row that came to nothing.
    turns: usize,
    /// One of them was of a workgroup that may have worked.
    dozed: bool,
    since: Option<Instant>,
    /// Waits that go on without offers.
    crowded: u32,
}

impl Patience {
    /// Something was done.
    pub fn worked(&mut self) {
        if self.turns > 0 || self.since.is_some() {
            *self = Patience {
                crowded: self.crowded.saturating_sub(1),
                ..Patience::default()
            };
        }
    }

    /// A turn ended in this way, and so many workgroups are set aside if all of those wait. The time that the thread should rest now,
    /// which it does best where it holds nothing.
    pub fn paused(&mut self, pause: Pause, waiting: Option<usize>) -> Option<Duration> {
        if matches!(pause, Pause::Sliced | Pause::Came) {
            self.worked();
            return None;
        }
        self.turns += 1;
        self.dozed |= pause == Pause::Dozed;
        // Once around, and no workgroup had anything to do.
        if waiting.is_none_or(|waiting| self.turns <= waiting) {
            return None;
        }
        self.turns = 1;
        let dozed = std::mem::take(&mut self.dozed);
        let now = Instant::now();
        let waited = now - *self.since.get_or_insert(now);
        if dozed || (waited < OFFERS && self.crowded == 0) {
            thread::yield_now();
            if now.elapsed() > ACCEPTED {
                self.crowded = CROWDED_WAITS;
            }
            return None;
        }
        Some((waited / PART).clamp(SHORTEST, LONGEST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Turns until the first rest or offer, and whether it was a rest.
    fn first_rest(patience: &mut Patience, pause: Pause, waiting: usize) -> Option<usize> {
        (1..1_000).find(|_| patience.paused(pause, Some(waiting)).is_some())
    }

    fn crowded() -> Patience {
        Patience {
            crowded: 10,
            ..Patience::default()
        }
    }

    #[test]
    fn a_thread_rests_once_in_a_round() {
        let mut patience = crowded();
        assert_eq!(first_rest(&mut patience, Pause::Waits, 200), Some(201));
        assert_eq!(first_rest(&mut patience, Pause::Waits, 200), Some(200));
    }

    #[test]
    fn a_turn_that_works_begins_the_round_anew() {
        let mut patience = crowded();
        assert_eq!(
            (0..200).find_map(|_| patience.paused(Pause::Waits, Some(200))),
            None
        );
        for works in [Pause::Sliced, Pause::Came] {
            assert_eq!(patience.paused(works, Some(200)), None);
            assert_eq!(first_rest(&mut patience, Pause::Waits, 200), Some(201));
        }
    }

    #[test]
    fn a_workgroup_that_may_have_worked_keeps_the_thread_awake() {
        assert_eq!(first_rest(&mut crowded(), Pause::Dozed, 3), None);
        let mut patience = crowded();
        let mut turn = |pause| patience.paused(pause, Some(3)).is_some();
        let round = [Pause::Waits, Pause::Dozed, Pause::Waits, Pause::Waits].map(&mut turn);
        assert_eq!(round, [false; 4]);
        assert_eq!([Pause::Waits; 3].map(turn), [false, false, true]);
    }

    #[test]
    fn nobody_rests_while_a_workgroup_with_something_to_do_is_set_aside() {
        let mut patience = crowded();
        assert!((0..100).all(|_| patience.paused(Pause::Waits, None).is_none()));
    }

    #[test]
    fn rests_grow_with_the_wait_up_to_a_bound() {
        let mut patience = crowded();
        let mut rest = || loop {
            if let Some(rest) = patience.paused(Pause::Waits, Some(1)) {
                break rest;
            }
        };
        assert_eq!(rest(), SHORTEST);
        thread::sleep(Duration::from_millis(20));
        assert_eq!(rest(), LONGEST);
    }
}
