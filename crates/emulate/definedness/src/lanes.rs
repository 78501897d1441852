//! Rows of one word for each lane.

use std::ops::Range;

use vectors::steps;

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

/// The lanes of `mask`, if there is none between them that is off.
#[inline]
pub(crate) fn stretch(mask: u64) -> Option<Range<usize>> {
    let first = mask.trailing_zeros() as usize;
    let lanes = first..first + mask.count_ones() as usize;
    (lanes.end + mask.leading_zeros() as usize == LANES).then_some(lanes)
}

/// The bits of a mask that stand for one half of the lanes.
const HALF: usize = 32;
/// The bit of each lane in the mask of its half.
const BIT: [u32; HALF] = {
    let (mut bits, mut lane) = ([0; HALF], 0);
    while lane < HALF {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

/// Lanes whose word is not zero.
pub(crate) fn set(row: &Row) -> u64 {
    steps::set(row)
}

/// The halves of a row with the lanes of each that are on, but for halves without any.
fn halves(row: &Row, lanes: u64) -> impl Iterator<Item = (usize, &[u32; HALF], u32)> {
    let halves = row.as_chunks().0.iter().enumerate();
    let halves =
        halves.map(move |(number, half)| (number, half, (lanes >> (HALF * number)) as u32));
    halves.filter(|(_, _, on)| *on != 0)
}

/// Lanes of `lanes` that do not follow the lane before: it is not one of them, or the address is not `step` above that lane's.
pub(crate) fn breaks(addresses: &Row, lanes: u64, step: u32) -> u64 {
    lanes & (steps::breaks(addresses, step) | !(lanes << 1))
}

/// The bits that are set in some address of `lanes` plus `offset`.
pub(crate) fn any_bit(addresses: &Row, lanes: u64, offset: u32) -> u32 {
    let either = |any: u32, word: &u32| any | word.wrapping_add(offset);
    halves(addresses, lanes).fold(0, |any, (_, own, on)| match on {
        u32::MAX => own.iter().fold(any, either),
        _ => each(on.into()).fold(any, |any, lane| either(any, &own[lane])),
    })
}

/// The highest address of `lanes` plus `offset`; zero without lanes.
pub(crate) fn highest(addresses: &Row, lanes: u64, offset: u32) -> u32 {
    let sums = each(lanes).map(|lane| addresses[lane].wrapping_add(offset));
    sums.fold(0, u32::max)
}

/// Returns `true` if each word is zero or all ones.
pub(crate) fn are_full(row: &Row) -> bool {
    let odd = |word: &u32| word ^ ((*word as i32) >> 31) as u32;
    row.iter().fold(0, |all, word| all | odd(word)) == 0
}

/// All ones in the lanes of `mask`, zero elsewhere.
pub(crate) fn of_mask(mask: u64) -> Row {
    let mut row = ALL;
    clear(&mut row, !mask);
    row
}

/// The lanes of `mask` become zero.
pub(crate) fn clear(row: &mut Row, mask: u64) {
    for (words, mask) in row.chunks_exact_mut(HALF).zip([mask, mask >> HALF]) {
        for (word, bit) in words.iter_mut().zip(&BIT) {
            *word = if mask as u32 & bit != 0 { 0 } else { *word };
        }
    }
}

/// The lanes of `mask` get the words of `from`.
pub(crate) fn blend(row: &mut Row, from: &Row, mask: u64) {
    let halves = row.chunks_exact_mut(HALF).zip(from.chunks_exact(HALF));
    for ((words, from), mask) in halves.zip([mask, mask >> HALF]) {
        for ((word, from), bit) in words.iter_mut().zip(from).zip(&BIT) {
            *word = if mask as u32 & bit != 0 { *from } else { *word };
        }
    }
}

/// Returns `true` if a lane's word is not zero.
pub(crate) fn any(row: &Row) -> bool {
    row.iter().fold(0, |all, word| all | word) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaks_are_where_a_lane_does_not_follow_the_one_before() {
        let mut state = 7u64;
        let mut unbroken = 0;
        for round in 0..4000 {
            let mut random = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                state ^ state >> 31
            };
            let (start, step) = (random() as u32, [4, 8, 12, 16][round % 4]);
            let mut addresses: Row =
                std::array::from_fn(|lane| start.wrapping_add(step * lane as u32));
            for _ in 0..random() % 3 {
                let from = random() as usize % LANES;
                let moved = addresses[from..].iter_mut();
                let by = random() as u32 % 64;
                moved.for_each(|address| *address ^= by);
            }
            let lanes = match round % 3 {
                0 => !0,
                1 => 0xffff_ffff,
                _ => random() | random() | random(),
            };
            let is_on = |lane: usize| lanes >> lane & 1 != 0;
            let follows = |lane: usize| {
                lane > 0
                    && is_on(lane - 1)
                    && addresses[lane] == addresses[lane - 1].wrapping_add(step)
            };
            let broken = (0..LANES).filter(|lane| is_on(*lane) && !follows(*lane));
            let expected = broken.fold(0, |all, lane| all | 1u64 << lane);
            assert_eq!(breaks(&addresses, lanes, step), expected, "{round}");
            unbroken += u32::from(expected.is_power_of_two());
        }
        assert!((500..3000).contains(&unbroken), "{unbroken}");
    }

    #[test]
    fn masks_and_rows_are_those_of_each_lane() {
        let mut state = 3u64;
        for round in 0..500 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let mask = state ^ state >> 31;
            let row: Row = std::array::from_fn(|lane| {
                let word = (state as u32).rotate_left(lane as u32) | 1 << (round % 32);
                if mask.rotate_left(7) >> lane & 1 != 0 {
                    word
                } else {
                    0
                }
            });
            let is_on = |mask: u64, lane: usize| mask >> lane & 1 != 0;
            for mask in [mask, !0 << (round % 64), !0 >> (round % 60) << (round % 7)] {
                let all: Vec<usize> = (0..LANES).filter(|lane| is_on(mask, *lane)).collect();
                let is_stretch = all.windows(2).all(|pair| pair[1] == pair[0] + 1);
                let expected = is_stretch.then_some(all);
                assert_eq!(stretch(mask).map(Iterator::collect), expected);
            }
            let all: u64 = (0..LANES)
                .map(|lane| u64::from(row[lane] != 0) << lane)
                .sum();
            assert_eq!((set(&row), any(&row)), (all, all != 0));
            let (mut cleared, mut blended) = (row, row);
            clear(&mut cleared, mask);
            blend(&mut blended, &ALL, mask);
            for lane in 0..LANES {
                let on = is_on(mask, lane);
                assert_eq!(cleared[lane], if on { 0 } else { row[lane] });
                assert_eq!(blended[lane], if on { !0 } else { row[lane] });
                assert_eq!(of_mask(mask)[lane], if on { !0 } else { 0 });
            }
            assert!(are_full(&of_mask(mask)) && !are_full(&row));
        }
        assert_eq!((set(&NONE), any(&NONE), set(&ALL)), (0, false, !0));
        assert!(are_full(&NONE) && are_full(&ALL));
    }
}
