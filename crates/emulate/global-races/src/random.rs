//! Random numbers of tests, the same ones each time.

/// Each call gives a number below the one that it gets.
pub(crate) fn numbers() -> impl FnMut(u64) -> u64 {
    let mut random = 1u64;
    move |most| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1);
        (random >> 33) % most
    }
}
