//! Rows of one word for each lane.

pub(crate) const LANES: usize = wave::LANES;

/// A word for each lane.
pub(crate) type Row = [u32; LANES];

pub(crate) const NONE: Row = [0; LANES];
pub(crate) const ALL: Row = [!0; LANES];

/// The lanes of `mask`, lowest first.
pub(crate) fn each(mask: u64) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let lane = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

/// Lanes whose word is not zero.
pub(crate) fn set(row: &Row) -> u64 {
    let mut mask = 0;
    for (lane, word) in row.iter().enumerate() {
        mask |= u64::from(*word != 0) << lane;
    }
    mask
}
