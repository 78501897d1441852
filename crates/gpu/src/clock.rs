//! The device clock.

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
}
