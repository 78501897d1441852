//! Random numbers of tests, the same ones each time.

/// The states of a linear congruential generator. Their low bits are not random.
pub(crate) fn steps(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state
    }
}
