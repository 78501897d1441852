//! Words of which all bits are undefined, or none.

use super::{Bits, Seen};
use crate::lanes::LANES;

/// A bit for each word: 1 if the word's bits are undefined. All outside is defined.
#[derive(Default)]
pub(super) struct Marks {
    /// The bits behind the last word are zero. There are enough of them for 64 to be read from any word on.
    marks: Vec<u64>,
    words: usize,
    /// Words whose bits are undefined.
    undefined: usize,
}

/// Words that have their marks together.
const EACH: usize = u64::BITS as usize;
/// Lanes that are looked at together, and how many such parts a wave has. Each lane has a bit for each of four words.
pub(super) const TOGETHER: usize = EACH / MOST;
const PARTS: usize = LANES / TOGETHER;
/// Words of an access.
const MOST: usize = 4;

impl Marks {
    /// LDS has so many words. All of them are undefined, or none.
    pub fn begin(&mut self, words: usize, undefined: bool) {
        self.marks.clear();
        self.marks.resize(words / EACH + 2, 0);
        (self.words, self.undefined) = (words, 0);
        self.fill_run(0, words, undefined);
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.words
    }

    #[inline]
    pub fn is_all_defined(&self) -> bool {
        self.undefined == 0
    }

    /// The undefined bits of each word.
    pub fn words(&self) -> impl Iterator<Item = u32> {
        (0..self.words).map(|index| self.word(index))
    }

    /// The undefined bits of a word.
    #[inline]
    pub fn word(&self, index: usize) -> u32 {
        let marks = self.marks.get(index / EACH).copied().unwrap_or(0);
        ((marks >> (index % EACH)) as u32 & 1).wrapping_neg()
    }

    pub fn set(&mut self, index: usize, undefined: bool) {
        if index < self.words {
            self.fill_run(index, 1, undefined);
        }
    }

    /// How much of words that follow each other is undefined.
    pub fn look_at_run(&self, first: usize, count: usize) -> Bits {
        let mut seen = (0, 0);
        for (at, mask) in stretches(first, count) {
            seen.0 |= self.marks[at] & mask;
            seen.1 |= !self.marks[at] & mask;
        }
        Bits::of(seen.0 != 0, seen.1 == 0)
    }

    /// All bits of `count` words become undefined, or defined.
    pub fn fill_run(&mut self, first: usize, count: usize, undefined: bool) {
        for (at, mask) in stretches(first, count) {
            let own = &mut self.marks[at];
            let new = if undefined { *own | mask } else { *own & !mask };
            // (The host may need many instructions to count.)
            if new != *own {
                self.undefined += new.count_ones() as usize;
                self.undefined -= own.count_ones() as usize;
                *own = new;
            }
        }
    }

    /// The marks of the words from one on.
    #[inline]
    fn read(&self, index: u32) -> u64 {
        let (at, shift) = (index as usize / EACH, index as usize % EACH);
        let [low, high] = [self.marks[at], self.marks[at + 1]];
        low >> shift | high << 1 << (EACH - 1 - shift)
    }

    /// The words from one on get these marks, as many as there are ones in `mask` from the lowest bit on.
    #[inline]
    fn write(&mut self, index: u32, mask: u64, new: u64) {
        let (at, shift) = (index as usize / EACH, index as usize % EACH);
        let mut put = |at: usize, mask: u64, new: u64| {
            self.marks[at] = self.marks[at] & !mask | new;
        };
        put(at, mask << shift, new << shift);
        let over = EACH - 1 - shift;
        if mask >> 1 >> over != 0 {
            put(at + 1, mask >> 1 >> over, new >> 1 >> over);
        }
    }

    /// How much is undefined of `W` words from each lane's place on.
    #[inline]
    pub fn look<const W: usize>(&self, lanes: u64, places: &impl Places) -> Seen<W> {
        let (mut parts, mut any, mut missing) = ([0; PARTS], 0, 0);
        for (number, part) in parts.iter_mut().enumerate() {
            let first = TOGETHER * number;
            let (mut left, breaks) = in_part(number, lanes, places.breaks());
            while let Some((lane, own)) = next::<W>(&mut left, breaks) {
                let bits = self.read(places.word(first + lane)) & own;
                (any, missing) = (any | bits, missing | bits ^ own);
                *part |= bits << (W * lane);
            }
        }
        match (any, missing) {
            (0, _) => Seen::None,
            (_, 0) => Seen::All,
            _ => {
                // (Not by functions of arrays, which are called for each place.)
                for part in &mut parts {
                    *part = spread::<W>(*part);
                }
                let (all, mut words) = (by_word(parts), [0; W]);
                words.copy_from_slice(&all[..W]);
                Seen::Lanes(words)
            }
        }
    }

    /// The bits of `W` words from each lane's place on become undefined in these lanes, in the order of lanes, and defined in the others.
    #[inline]
    pub fn scatter<const W: usize>(
        &mut self,
        lanes: u64,
        places: &impl Places,
        undefined: [u64; W],
    ) {
        let mut words = [0; MOST];
        words[..W].copy_from_slice(&undefined);
        let mut change = 0;
        for (number, part) in by_part(words).into_iter().enumerate() {
            let (first, part) = (TOGETHER * number, joined::<W>(part));
            let (mut left, breaks) = in_part(number, lanes, places.breaks());
            while let Some((lane, own)) = next::<W>(&mut left, breaks) {
                let at = places.word(first + lane);
                let (old, new) = (self.read(at) & own, part >> (W * lane) & own);
                if old != new {
                    change += new.count_ones() as isize - old.count_ones() as isize;
                    self.write(at, own, new);
                }
            }
        }
        self.undefined = self.undefined.wrapping_add_signed(change);
    }
}

/// The first words of lanes.
pub(super) trait Places {
    /// The number of the first word of a lane that is on.
    fn word(&self, lane: usize) -> u32;
    /// Lanes whose words do not lie behind those of the lane before.
    fn breaks(&self) -> u64;
}

/// The lanes of a part that are on, and those of it that begin anew.
#[inline]
fn in_part(number: usize, lanes: u64, breaks: u64) -> (u64, u64) {
    let first = number * TOGETHER;
    let on = lanes >> first & 0xffff;
    (on, breaks >> first | !on)
}

/// The first of the lanes that are left, and a one for each word of it and of those that go on behind it. They are left no more.
#[inline]
fn next<const W: usize>(left: &mut u64, breaks: u64) -> Option<(usize, u64)> {
    if *left == 0 {
        return None;
    }
    let lane = left.trailing_zeros() as usize;
    let count = 1 + (breaks >> lane >> 1).trailing_zeros() as usize;
    *left &= u64::MAX << lane << count;
    Some((lane, u64::MAX >> (EACH - W * count)))
}

/// The places that have the marks of `count` words from the first one on, and the bits of these there.
fn stretches(first: usize, count: usize) -> impl Iterator<Item = (usize, u64)> {
    let (mut at, end) = (first, first + count);
    std::iter::from_fn(move || {
        let start = at % EACH;
        let taken = (EACH - start).min(end - at);
        let found = (
            at / EACH,
            u64::MAX.checked_shr((EACH - taken) as u32)? << start,
        );
        at += taken;
        Some(found)
    })
}

/// The lower half of each `2 * fields` fields, where a field has `W` bits and each half begins behind room for four bits a field.
const fn lower_halves<const W: usize>(fields: usize) -> u64 {
    let (mut mask, mut at) = (0, 0);
    while at < EACH {
        mask |= ((1 << (fields * W)) - 1) << at;
        at += 2 * fields * MOST;
    }
    mask
}

/// 16 fields of `W` bits, one behind the other, get room for four bits each.
#[inline]
fn spread<const W: usize>(mut bits: u64) -> u64 {
    for fields in [8, 4, 2, 1] {
        let lower = lower_halves::<W>(fields);
        let upper = lower << (fields * MOST);
        bits = bits & lower | bits << (fields * (MOST - W)) & upper;
    }
    bits
}

/// The opposite.
#[inline]
fn joined<const W: usize>(mut bits: u64) -> u64 {
    for fields in [1, 2, 4, 8] {
        let lower = lower_halves::<W>(fields);
        let upper = lower << (fields * MOST);
        bits = bits & lower | (bits & upper) >> (fields * (MOST - W));
    }
    bits
}

/// The bits whose numbers have a one at each binary digit.
const DIGIT: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// Each bit goes where the higher one of two digits of its number and the lower one have changed places.
#[inline]
fn swapped<const HIGH: usize, const LOW: usize>(bits: u64) -> u64 {
    let shift = (1 << HIGH) - (1 << LOW);
    let moved = (bits >> shift ^ bits) & DIGIT[LOW] & !DIGIT[HIGH];
    bits ^ moved ^ moved << shift
}

/// The bits of `one` whose numbers have a one at a digit change places with those of `other` that have none.
#[inline]
fn exchange<const AT: usize>([one, other]: [u64; 2]) -> [u64; 2] {
    let moved = (one >> (1 << AT) ^ other) & !DIGIT[AT];
    [one ^ moved << (1 << AT), other ^ moved]
}

/// Four bits of each of 16 lanes change places with four of each of 16 words: see [`by_word`].
#[inline]
fn exchanged([a, b, c, d]: [u64; PARTS]) -> [u64; PARTS] {
    let ([a, b], [c, d]) = (exchange::<0>([a, b]), exchange::<0>([c, d]));
    let ([a, c], [b, d]) = (exchange::<1>([a, c]), exchange::<1>([b, d]));
    [a, b, c, d]
}

/// The lanes of each word, of parts with four words of each lane. The number of a bit has six digits and that of a part two: four for the lane
/// of the part, two for the word, and two for the part. They turn to two for the word, two for the part, and four for the lane.
#[inline]
fn by_word(parts: [u64; PARTS]) -> [u64; MOST] {
    let mut words = exchanged(parts);
    for word in &mut words {
        *word = swapped::<3, 1>(swapped::<5, 1>(*word));
        *word = swapped::<2, 0>(swapped::<4, 0>(*word));
    }
    words
}

/// The opposite.
#[inline]
fn by_part(mut words: [u64; MOST]) -> [u64; PARTS] {
    for word in &mut words {
        *word = swapped::<5, 1>(swapped::<3, 1>(*word));
        *word = swapped::<4, 0>(swapped::<2, 0>(*word));
    }
    exchanged(words)
}
