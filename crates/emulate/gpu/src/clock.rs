//! The device's clocks.

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

/// Ticks of the device's constant clock.
pub fn ticks() -> u64 {
    nanoseconds() / (1_000_000_000 / TICKS_PER_SECOND)
}

/// Cycles of the engine clock that a device of this target is said to have: what `s_memtime` counts. What has no model has the
/// constant clock alone.
pub fn cycles(target: &Target) -> u64 {
    let megahertz = Model::for_target(target).map_or(TICKS_PER_SECOND / 1_000_000, |model| {
        u64::from(model.engine_clock)
    });
    (u128::from(nanoseconds()) * u128::from(megahertz) / 1_000) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tick_is_ten_nanoseconds() {
        let (ticks_before, nanoseconds_before) = (ticks(), nanoseconds());
        std::thread::sleep(std::time::Duration::from_millis(5));
        let (ticks_passed, nanoseconds_passed) =
            (ticks() - ticks_before, nanoseconds() - nanoseconds_before);
        assert!(ticks_passed >= 500_000);
        assert!(nanoseconds_passed.abs_diff(ticks_passed * 10) < 5_000_000);
    }

    #[test]
    fn cycles_go_at_the_rate_that_the_runtime_is_told() {
        for name in ["gfx90a", "gfx1030"] {
            let target = Target::find(name).unwrap();
            let megahertz = u128::from(Model::for_target(target).unwrap().engine_clock);
            let least = u128::from(nanoseconds()) * megahertz / 1_000;
            let shown = u128::from(cycles(target));
            let most = u128::from(nanoseconds()) * megahertz / 1_000;
            assert!((least..=most).contains(&shown), "{name}");
        }
    }
}
