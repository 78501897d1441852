//! The bytes of a row that an instruction accesses, a bit for each, and the dwords that they are of.

use crate::cells::{Dwords, ROW};

pub(crate) type Bytes = u128;

/// The first byte of each dword.
const FIRSTS: Bytes = Bytes::MAX / 15;

/// The first `count` bytes of a row.
#[inline]
pub(crate) fn first(count: u64) -> Bytes {
    match count < ROW {
        true => (1 << count) - 1,
        false => Bytes::MAX,
    }
}

/// The first `bytes` bytes, and as many again at each step. The step is not zero.
pub(crate) fn again(bytes: u64, step: u64) -> Bytes {
    let (mut all, mut step) = (first(bytes), step);
    while step < ROW {
        all |= all << step;
        step *= 2;
    }
    all
}

/// The dwords whose first bytes are among these, which has no other ones.
#[inline]
fn dwords(firsts: Bytes) -> Dwords {
    let half = |bits: u64| {
        let bits = (bits | bits >> 3) & 0x0303_0303_0303_0303;
        let bits = (bits | bits >> 6) & 0x000f_000f_000f_000f;
        let bits = (bits | bits >> 12) & 0x0000_00ff_0000_00ff;
        (bits | bits >> 24) as Dwords & 0xffff
    };
    half(firsts as u64) | half((firsts >> 64) as u64) << 16
}

/// Calls `tell` for each pattern of bytes, with all dwords that are accessed so.
pub(crate) fn kinds(bytes: Bytes, mut tell: impl FnMut(u8, Dwords)) {
    let firsts = bytes & FIRSTS;
    if bytes != 0 && firsts * 15 == bytes {
        return tell(15, dwords(firsts));
    }
    let any_of = |bits: Bytes| (bits | bits >> 1 | bits >> 2 | bits >> 3) & FIRSTS;
    let mut left = any_of(bytes);
    while left != 0 {
        let kind = bytes >> left.trailing_zeros() & 15;
        let alike = left & !any_of(bytes ^ (kind * FIRSTS));
        tell(kind as u8, dwords(alike));
        left &= !alike;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_the_bytes_of_each_dword_once() {
        let mut next = crate::random::numbers();
        for round in 0..2000 {
            let mut bytes = (0..5).fold(0, |all, _| (all << 31) | Bytes::from(next(1 << 31)));
            match round % 4 {
                0 => bytes = first(next(129)) << next(128),
                1 => bytes &= Bytes::MAX / 7,
                2 => bytes |= (bytes >> 1) | (bytes << 3),
                _ => {}
            }
            let (mut told, mut seen, mut before) = (0, 0, 0u16);
            kinds(bytes, |kind, dwords| {
                assert!(kind != 0 && dwords != 0 && seen & dwords == 0, "{bytes:x}");
                assert_eq!(before >> kind & 1, 0, "{bytes:x}");
                before |= 1 << kind;
                seen |= dwords;
                for dword in (0..32).filter(|dword| dwords >> dword & 1 != 0) {
                    told |= Bytes::from(kind) << (4 * dword);
                }
            });
            assert_eq!(told, bytes);
        }
    }

    #[test]
    fn bytes_come_again_at_each_step() {
        for bytes in 1..=16 {
            for step in 1..130 {
                let expected = (0..ROW)
                    .filter(|at| at % step < bytes || step < bytes)
                    .fold(0, |all, at| all | 1 << at);
                assert_eq!(again(bytes, step), expected, "{bytes} {step}");
            }
        }
    }
}
