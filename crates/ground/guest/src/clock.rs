//! The clock of deadlines.

/// Nanoseconds of the monotonic clock.
pub fn monotonic() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the structure is this function's own.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    #[test]
    fn it_goes_as_the_standard_library_s_does() {
        let (began, first) = (Instant::now(), super::monotonic());
        std::thread::sleep(Duration::from_millis(2));
        let inner = super::monotonic() - first;
        let outer = began.elapsed().as_nanos() as u64;
        assert!((2_000_000..=outer).contains(&inner), "{inner} {outer}");
    }
}
