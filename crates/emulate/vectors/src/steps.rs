//! Addresses of the lanes of a group.

use crate::GROUP;

/// Returns `true` if address i is `first + step * i`.
#[inline(always)]
pub fn lie_apart(at: &[u32; GROUP], step: u32) -> bool {
    // The host compares all at once if the compiler knows the step. These are those of most instructions.
    match step {
        0 => lie_by::<0>(at),
        4 => lie_by::<4>(at),
        8 => lie_by::<8>(at),
        16 => lie_by::<16>(at),
        _ => (1..GROUP).all(|i| at[i] == at[0].wrapping_add(step.wrapping_mul(i as u32))),
    }
}

#[inline(always)]
fn lie_by<const STEP: u32>(at: &[u32; GROUP]) -> bool {
    let expected: [u32; GROUP] = std::array::from_fn(|i| at[0].wrapping_add(STEP * i as u32));
    *at == expected
}
