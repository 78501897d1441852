//! The device's clocks.
//!
//! Outside of kernels they follow the host's clock. A kernel starts with the host's time and has one of its own from there (`wave::clock`),
//! which goes on with what it executes and hardly ever runs ahead of the host's. No clock of the device is ever behind what a wave was shown.

use std::sync::atomic::{AtomicU64, Ordering};

use gfx::Target;

use crate::topology::Model;

/// Ticks per second of the device's constant clock: what `s_memrealtime` counts and what timestamps are in.
pub const TICKS_PER_SECOND: u64 = 100_000_000;

/// Nanoseconds of the raw monotonic clock.
pub fn nanoseconds() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid, writable timespec; the clock id is supported by every Linux since 2.6.28.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_RAW, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The latest tick that a wave was shown.
static SHOWN: AtomicU64 = AtomicU64::new(0);

/// Ticks of the device's constant clock.
pub fn ticks() -> u64 {
    ticks_at(nanoseconds())
}

/// Ticks of the device's constant clock when [`nanoseconds`] were so many.
pub fn ticks_at(nanoseconds: u64) -> u64 {
    let ticks = nanoseconds / (1_000_000_000 / TICKS_PER_SECOND);
    ticks.max(SHOWN.load(Ordering::Relaxed))
}

/// Engine clock of devices of this target, in cycles per microsecond. A target without a model has the rate of the constant clock.
fn megahertz(target: &Target) -> u64 {
    Model::for_target(target).map_or(TICKS_PER_SECOND / 1_000_000, |model| {
        u64::from(model.engine_clock)
    })
}

/// When a kernel began, and how fast its engine clock goes.
#[derive(Clone, Copy, Debug)]
pub struct Epoch {
    ticks: u64,
    cycles: u64,
    megahertz: u64,
}

impl Epoch {
    /// A kernel begins now on a device of this target.
    pub fn now(target: &Target) -> Epoch {
        let (ticks, megahertz) = (ticks(), megahertz(target));
        Epoch {
            ticks,
            cycles: ticks * megahertz / (TICKS_PER_SECOND / 1_000_000),
            megahertz,
        }
    }

    /// The constant clock, shown to a wave `elapsed` cycles later: what `s_memrealtime` counts.
    pub fn show_ticks(&self, elapsed: u64) -> u64 {
        let ticks = self.ticks + elapsed * (TICKS_PER_SECOND / 1_000_000) / self.megahertz;
        if SHOWN.load(Ordering::Relaxed) < ticks {
            SHOWN.fetch_max(ticks, Ordering::Relaxed);
        }
        ticks
    }

    /// The engine clock, shown to a wave `elapsed` cycles later: what `s_memtime` counts.
    pub fn show_cycles(&self, elapsed: u64) -> u64 {
        self.show_ticks(elapsed);
        self.cycles.wrapping_add(elapsed)
    }

    /// How long so many cycles take.
    pub fn nanoseconds(&self, cycles: u64) -> u64 {
        cycles.saturating_mul(1_000) / self.megahertz
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tick_is_ten_nanoseconds() {
        // Waves of other tests may have been shown ticks that are still to come, but none of the next day.
        let tomorrow = nanoseconds() + 24 * 3_600 * 1_000_000_000;
        assert_eq!(ticks_at(tomorrow + 5_000_000) - ticks_at(tomorrow), 500_000);
        let before = ticks_at(nanoseconds());
        assert!((before..ticks_at(tomorrow)).contains(&ticks()));
    }

    #[test]
    fn both_clocks_of_a_kernel_go_at_the_rates_that_the_runtime_is_told() {
        for name in ["gfx90a", "gfx1030"] {
            let target = Target::find(name).unwrap();
            let megahertz = u64::from(Model::for_target(target).unwrap().engine_clock);
            let before = ticks();
            let epoch = Epoch::now(target);
            assert!((before..=ticks()).contains(&epoch.show_ticks(0)), "{name}");
            // A millisecond.
            let elapsed = 1_000 * megahertz;
            assert_eq!(epoch.show_ticks(elapsed) - epoch.show_ticks(0), 100_000);
            assert_eq!(epoch.show_cycles(elapsed) - epoch.show_cycles(0), elapsed);
            assert_eq!(epoch.nanoseconds(elapsed), 1_000_000);
        }
    }

    #[test]
    fn what_a_wave_was_shown_is_past() {
        let epoch = Epoch::now(Target::find("gfx90a").unwrap());
        let shown = epoch.show_ticks(1 << 20);
        assert!(ticks() >= shown);
    }
}
