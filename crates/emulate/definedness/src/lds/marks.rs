//! Words of which all bits are undefined, or none.

use super::Bits;
use crate::lanes::{LANES, each};

/// A byte for each word: 1 if its bits are undefined. All outside is defined.
#[derive(Default)]
pub(super) struct Marks {
    marks: Vec<u8>,
    /// Words whose bits are undefined.
    undefined: usize,
}

/// Bits of a lane among those of 16 lanes: one for each word of an access.
const EACH: usize = 4;
const TOGETHER: usize = u64::BITS as usize / EACH;

impl Marks {
    /// LDS has so many words. All of them are undefined, or none.
    pub fn begin(&mut self, words: usize, undefined: bool) {
        self.marks.clear();
        self.marks.resize(words, undefined.into());
        self.undefined = if undefined { words } else { 0 };
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.marks.len()
    }

    #[inline]
    pub fn is_all_defined(&self) -> bool {
        self.undefined == 0
    }

    /// The undefined bits of each word.
    pub fn words(&self) -> impl Iterator<Item = u32> {
        self.marks.iter().map(|mark| bits(*mark))
    }

    /// The undefined bits of a word.
    #[inline]
    pub fn word(&self, index: usize) -> u32 {
        self.marks.get(index).map_or(0, |mark| bits(*mark))
    }

    pub fn set(&mut self, index: usize, undefined: bool) {
        if let Some(own) = self.marks.get_mut(index) {
            self.undefined += usize::from(undefined);
            self.undefined -= usize::from(*own);
            *own = undefined.into();
        }
    }

    /// How much of words that follow each other is undefined.
    pub fn look_at_run(&self, first: usize, count: usize) -> Bits {
        let marks = self.marks[first..][..count].iter();
        let seen = marks.fold((0, 1), |(any, all), mark| (any | mark, all & mark));
        Bits::of(seen.0 != 0, seen.1 != 0)
    }

    /// All bits of `count` words become undefined, or defined.
    pub fn fill_run(&mut self, first: usize, count: usize, undefined: bool) {
        let marks = &mut self.marks[first..][..count];
        self.undefined -= sum(marks);
        marks.fill(undefined.into());
        self.undefined += if undefined { count } else { 0 };
    }

    /// The lanes whose bits are undefined in each of `W` words from their places on.
    #[inline]
    pub fn gather<const W: usize>(&self, lanes: u64, place: impl Fn(usize) -> usize) -> [u64; W] {
        let take = |lane: usize| {
            let mut own = [0; EACH];
            if let Some(marks) = self.marks[place(lane)..].first_chunk::<W>() {
                own[..W].copy_from_slice(marks);
            }
            packed(own) << (EACH * (lane % TOGETHER))
        };
        let mut words = [0; W];
        for first in (0..LANES).step_by(TOGETHER) {
            let part = match lanes >> first & 0xffff {
                0 => continue,
                0xffff => (first..first + TOGETHER).fold(0, |all, lane| all | take(lane)),
                some => each(some).fold(0, |all, lane| all | take(first + lane)),
            };
            for (word, lanes) in words.iter_mut().enumerate() {
                *lanes |= every_fourth(part >> word) << first;
            }
        }
        words
    }

    /// The bits of `W` words from each lane's place on become undefined in these lanes, in the order of lanes, and defined in the others.
    #[inline]
    pub fn scatter<const W: usize>(
        &mut self,
        lanes: u64,
        place: impl Fn(usize) -> usize,
        undefined: [u64; W],
    ) {
        let mut change = 0;
        for first in (0..LANES).step_by(TOGETHER) {
            let words = undefined.iter().rev();
            let part = words.fold(0, |all, lanes| all << 1 | apart((lanes >> first) as u16));
            for lane in each(lanes >> first & 0xffff) {
                let new = unpacked(part >> (EACH * lane));
                if let Some(own) = self.marks[place(first + lane)..].first_chunk_mut::<W>() {
                    for (own, new) in own.iter_mut().zip(new) {
                        change += isize::from(new) - isize::from(*own);
                        *own = new;
                    }
                }
            }
        }
        self.undefined = self.undefined.wrapping_add_signed(change);
    }
}

fn bits(mark: u8) -> u32 {
    u32::from(mark).wrapping_neg()
}

/// How many of these are set. A byte has room for the sum of a few.
fn sum(marks: &[u8]) -> usize {
    let chunks = marks.chunks(usize::from(u8::MAX));
    chunks
        .map(|chunk| usize::from(chunk.iter().sum::<u8>()))
        .sum()
}

/// Four marks as the lowest bits: the product has them in its highest ones.
fn packed(marks: [u8; EACH]) -> u64 {
    const SHIFTS: u32 = 1 << 28 | 1 << 21 | 1 << 14 | 1 << 7;
    (u32::from_le_bytes(marks).wrapping_mul(SHIFTS) >> 28).into()
}

/// The lowest four bits as marks.
fn unpacked(bits: u64) -> [u8; EACH] {
    const SHIFTS: u32 = 1 | 1 << 7 | 1 << 14 | 1 << 21;
    ((bits as u32 & 0xf).wrapping_mul(SHIFTS) & 0x0101_0101).to_le_bytes()
}

/// The first bit of each four, one behind the other.
fn every_fourth(bits: u64) -> u64 {
    let bits = bits & 0x1111_1111_1111_1111;
    let bits = (bits | bits >> 3) & 0x0303_0303_0303_0303;
    let bits = (bits | bits >> 6) & 0x000f_000f_000f_000f;
    let bits = (bits | bits >> 12) & 0x0000_00ff_0000_00ff;
    (bits | bits >> 24) & 0xffff
}

/// The bits as the first ones of four each.
fn apart(bits: u16) -> u64 {
    let bits = u64::from(bits);
    let bits = (bits | bits << 24) & 0x0000_00ff_0000_00ff;
    let bits = (bits | bits << 12) & 0x000f_000f_000f_000f;
    let bits = (bits | bits << 6) & 0x0303_0303_0303_0303;
    (bits | bits << 3) & 0x1111_1111_1111_1111
}
