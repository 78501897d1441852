//! The undefined bits of a workgroup's LDS.

mod marks;
mod words;

use std::ops::Range;

use crate::lanes::{self, LANES, NONE, Row, each, stretch};
use marks::Marks;
use words::Words;

/// Most kernels have no word there of which some bits are undefined and others not. All outside is defined.
#[derive(Default)]
pub(crate) struct Lds {
    marks: Marks,
    /// The bits of all words, once one has had such parts. The marks are old then.
    words: Words,
    has_parts: bool,
}

/// The places where lanes access whole words.
pub(crate) struct Places<'a> {
    pub addresses: &'a Row,
    pub offset: u32,
    pub lanes: u64,
    /// Lanes of these whose words do not lie behind those of the lane before.
    pub breaks: u64,
    /// The number of the first word and the lanes, if each lane's words lie behind those of the lane before.
    pub run: Option<(usize, Range<usize>)>,
}

impl Places<'_> {
    #[inline]
    fn address(&self, lane: usize) -> u32 {
        self.addresses[lane].wrapping_add(self.offset)
    }

    fn all(&self) -> (&Row, u32) {
        (self.addresses, self.offset)
    }
}

impl marks::Places for Places<'_> {
    #[inline]
    fn word(&self, lane: usize) -> u32 {
        self.address(lane % LANES) / 4
    }

    fn breaks(&self) -> u64 {
        self.breaks
    }
}

/// The undefined bits of `W` words of each lane.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Seen<const W: usize> {
    None,
    All,
    /// All bits of these lanes, for each word.
    Lanes([u64; W]),
    /// Some others.
    Parts,
}

impl Lds {
    /// All of so many bytes become undefined.
    pub fn begin(&mut self, bytes: usize) {
        self.marks.begin(bytes.div_ceil(4), true);
        self.has_parts = false;
    }

    pub fn define_all(&mut self) {
        self.marks.begin(self.marks.len(), false);
        self.has_parts = false;
    }

    /// Words may have parts from now on.
    fn divide(&mut self) {
        if !self.has_parts {
            self.words.begin(self.marks.words());
            self.has_parts = true;
        }
    }

    /// Each word is defined or undefined as a whole.
    pub fn is_whole(&self) -> bool {
        !self.has_parts
    }

    /// Nothing in it is undefined.
    #[inline]
    pub fn is_all_defined(&self) -> bool {
        match self.has_parts {
            true => self.words.is_all_defined(),
            false => self.marks.is_all_defined(),
        }
    }

    pub fn is_defined(&self, start: u64, end: u64) -> bool {
        let end = (end.div_ceil(4) as usize).min(self.marks.len());
        let first = (start / 4) as usize;
        first >= end || self.look_at_run(first, end - first) == Bits::None
    }

    fn look_at_run(&self, first: usize, count: usize) -> Bits {
        match self.has_parts {
            true => self.words.look_at_run(first, count),
            false => self.marks.look_at_run(first, count),
        }
    }

    /// The places of `bytes` bytes, which are words, at each lane's address plus `offset`.
    pub fn places<'a>(
        &self,
        (addresses, offset): (&'a Row, u32),
        lanes: u64,
        bytes: u32,
    ) -> Places<'a> {
        let breaks = lanes::breaks(addresses, lanes, bytes);
        // The first lane begins anew, and no other one.
        let row = stretch(lanes).filter(|_| breaks.is_power_of_two());
        let run = row.and_then(|lanes| {
            let start = addresses[lanes.start].wrapping_add(offset);
            Some((self.inside(start, bytes * lanes.len() as u32)?, lanes))
        });
        Places {
            addresses,
            offset,
            lanes,
            breaks,
            run,
        }
    }

    /// The number of the first word of so many bytes, if they are whole words inside.
    fn inside(&self, start: u32, bytes: u32) -> Option<usize> {
        inside(self.marks.len(), start, bytes)
    }

    /// The undefined bits of `bytes` (at most 4) bytes at each lane's address.
    pub fn gather(&self, (addresses, offset): (&Row, u32), lanes: u64, bytes: u32) -> Row {
        let mut to = NONE;
        let mut take = |lane: usize| {
            to[lane] = self.load(addresses[lane].wrapping_add(offset), bytes);
        };
        match stretch(lanes) {
            Some(lanes) => lanes.for_each(&mut take),
            None => each(lanes).for_each(&mut take),
        }
        to
    }

    /// The undefined bits of words; `None` if the address of a lane is none of a word, or lies outside.
    pub fn look<const W: usize>(&self, places: &Places<'_>) -> Option<Seen<W>> {
        let seen = match &places.run {
            Some((first, lanes)) => self.look_at_run(*first, W * lanes.len()),
            None if self.has_parts => {
                (self.words).look_at_words::<W>(places.all(), places.lanes)?
            }
            None => {
                self.are_inside::<W>(places, 4)?;
                Bits::Some
            }
        };
        Some(match seen {
            Bits::None => Seen::None,
            Bits::All => Seen::All,
            Bits::Some if self.has_parts => Seen::Parts,
            Bits::Some => self.marks.look(places.lanes, places),
        })
    }

    /// The undefined bits of words that may have parts, which were looked at.
    pub fn parts<const W: usize>(&self, places: &Places<'_>) -> [Row; W] {
        match places.run.clone() {
            Some((first, lanes)) => self.words.gather_run::<W>(first, lanes),
            None => self.words.gather_words::<W>(places.all(), places.lanes),
        }
    }

    /// The places are multiples of `step` bytes, and `W` words from each of them on lie inside.
    fn are_inside<const W: usize>(&self, places: &Places<'_>, step: u32) -> Option<()> {
        let sizes = (step, 4 * W as u32);
        are_inside(self.marks.len(), places.all(), places.lanes, sizes).then_some(())
    }

    /// All bits of words become undefined, or defined. Returns `false`, and does nothing, if the address of a lane is none of a word, or lies
    /// outside.
    pub fn fill<const W: usize>(&mut self, places: &Places<'_>, undefined: bool) -> bool {
        let bits = u32::from(undefined).wrapping_neg();
        match &places.run {
            Some((first, lanes)) if self.has_parts => {
                self.words.fill_run(*first, W * lanes.len(), bits);
            }
            Some((first, lanes)) => self.marks.fill_run(*first, W * lanes.len(), undefined),
            None if self.has_parts => {
                return self.words.fill_words::<W>(places.all(), places.lanes, bits);
            }
            None if self.are_inside::<W>(places, 4).is_none() => return false,
            None => {
                let (lanes, all) = (places.lanes, u64::from(undefined).wrapping_neg());
                self.marks.scatter(lanes, places, [all; W]);
            }
        }
        true
    }

    /// All bits of words become undefined in these lanes, in the order of lanes, and defined in the others. Returns `false`, and does nothing,
    /// if lanes may have some words alone in common, if the words of a lane lie outside, or if words have parts.
    pub fn put_lanes<const W: usize>(&mut self, places: &Places<'_>, undefined: [u64; W]) -> bool {
        let is_known = places.run.is_some() || self.are_inside::<W>(places, 4 * W as u32).is_some();
        if self.has_parts || !is_known {
            return false;
        }
        self.marks.scatter(places.lanes, places, undefined);
        true
    }

    /// Words get these bits, in the order of lanes. Returns `false`, and does nothing, if lanes may have some words alone in common, or if the
    /// words of a lane lie outside.
    pub fn put_bits<const W: usize>(&mut self, places: &Places<'_>, rows: [&Row; W]) -> bool {
        self.divide();
        let Some((first, lanes)) = places.run.clone() else {
            return self
                .words
                .scatter_words::<W>(places.all(), places.lanes, rows);
        };
        let rows = rows.map(|row| &row[lanes.clone()]);
        self.words.scatter_run::<W>(first, rows);
        true
    }

    /// The bytes from `start` to before `end` become defined.
    pub fn define(&mut self, start: u64, end: u64) {
        let (mut at, end) = (start, end.min(4 * self.marks.len() as u64));
        while at < end {
            let next = (at / 4 * 4 + 4).min(end);
            self.store(at as u32, (next - at) as u32, 0);
            at = next;
        }
    }

    /// The undefined bits of `bytes` (at most 4) bytes.
    #[inline]
    pub fn load(&self, at: u32, bytes: u32) -> u32 {
        match self.has_parts {
            true => self.words.load(at, bytes),
            false => load_from(|index| self.marks.word(index), at, bytes),
        }
    }

    /// Sets the undefined bits of `bytes` (at most 4) bytes.
    #[inline]
    pub fn store(&mut self, at: u32, bytes: u32, bits: u32) {
        let is_word = at.is_multiple_of(4) && bytes == 4;
        let own = ((1u64 << (8 * bytes)) - 1) as u32;
        match () {
            () if self.has_parts => self.words.store(at, bytes, bits),
            () if is_word && (bits == 0 || bits == !0) => self.marks.set(word(at), bits != 0),
            // Bytes that are stored to defined words leave them whole.
            () if self.load(at, bytes) == bits & own => {}
            () => {
                self.divide();
                self.words.store(at, bytes, bits);
            }
        }
    }
}

/// The number of the word at an address.
#[inline]
fn word(address: u32) -> usize {
    (address / 4) as usize
}

/// The number of the first word of so many bytes, if they are whole words inside of `words` ones.
fn inside(words: usize, start: u32, bytes: u32) -> Option<usize> {
    let end = u64::from(start) + u64::from(bytes);
    let fits = (start | bytes).is_multiple_of(4) && end <= 4 * words as u64;
    fits.then_some(word(start))
}

/// The addresses of lanes plus an offset are multiples of `step`, a power of two, and each has so many bytes inside of `words` words.
fn are_inside(
    words: usize,
    (addresses, offset): (&Row, u32),
    lanes: u64,
    (step, bytes): (u32, u32),
) -> bool {
    let any = lanes::any_bit(addresses, lanes, offset);
    let fits = |address: u32| inside(words, address, bytes).is_some();
    // No address is above the number that has the bits of all.
    step.is_power_of_two()
        && any.is_multiple_of(step)
        && (fits(any) || fits(lanes::highest(addresses, lanes, offset)))
}

/// The undefined bits of `bytes` (at most 4) bytes, given those of each word.
#[inline]
fn load_from(word_at: impl Fn(usize) -> u32, at: u32, bytes: u32) -> u32 {
    let low = word_at(word(at));
    if at.is_multiple_of(4) && bytes == 4 {
        return low;
    }
    let both = u64::from(low) | u64::from(word_at(word(at) + 1)) << 32;
    (both >> (8 * (at % 4)) & ((1 << (8 * bytes)) - 1)) as u32
}

/// How much of some words is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bits {
    None,
    All,
    Some,
}

impl Bits {
    fn of(any: bool, all: bool) -> Bits {
        match (any, all) {
            (false, _) => Bits::None,
            (true, true) => Bits::All,
            (true, false) => Bits::Some,
        }
    }
}

/// (A comparison of arrays would load at once what was just stored in parts, for which the host waits.)
#[inline]
pub(crate) fn are_all(words: &[u64], lanes: u64) -> bool {
    words.iter().fold(0, |all, word| all | word ^ lanes) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::steps;

    #[test]
    fn bytes_are_kept_as_in_a_row_of_bytes() {
        const BYTES: usize = 40;
        let mut lds = Lds::default();
        lds.begin(BYTES);
        let mut bytes = [0xffu8; BYTES + 8];
        bytes[BYTES..].fill(0);
        let mut state = 12345u32;
        for _ in 0..4000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (at, count) = (state >> 8 & 63, 1 + (state >> 16) % 4);
            let bits = if state >> 30 != 0 { 0 } else { state };
            if at as usize >= BYTES {
                lds.store(at, count, bits);
                continue;
            }
            for byte in 0..count as usize {
                if at as usize + byte < BYTES {
                    bytes[at as usize + byte] = (bits >> (8 * byte)) as u8;
                }
            }
            lds.store(at, count, bits);
            for at in 0..BYTES {
                let own = bytes[at..at + 4].iter().rev();
                let expected = own.fold(0, |all, byte| all << 8 | u32::from(*byte));
                assert_eq!(lds.load(at as u32, 4), expected);
            }
            let any = bytes.iter().any(|byte| *byte != 0);
            assert_eq!(lds.is_all_defined(), !any);
        }
        lds.begin(BYTES);
        lds.define(3, 38);
        assert_eq!(lds.load(0, 4), 0xff_ffff);
        assert_eq!(lds.load(36, 4), 0xffff_0000);
        assert!(lds.is_defined(4, 36) && !lds.is_defined(4, 37));
    }

    /// LDS with a bit for each word, LDS with the bits of each word and a plain row of words hold the same, whether all lanes access them at once
    /// or one lane does.
    #[test]
    fn whole_words_are_words_with_parts() {
        let mut steps = steps(5);
        let mut random = || (steps() >> 33) as u32;
        let mut both = [Lds::default(), Lds::default()];
        let (mut divided, mut lanes_seen) = (0, 0);
        for round in 0..6000 {
            if round % 40 == 0 {
                both.iter_mut()
                    .for_each(|lds| lds.begin(4 * WORDS as usize));
                both[1].divide();
            }
            lanes_seen += match random() % 4 {
                0 => accesses_agree::<1>(&mut both, &mut random),
                1 => accesses_agree::<2>(&mut both, &mut random),
                2 => accesses_agree::<3>(&mut both, &mut random),
                _ => accesses_agree::<4>(&mut both, &mut random),
            };
            let (at, bytes) = match random() % 20 {
                0 => (random() % (4 * WORDS + 8), 1 + random() % 4),
                _ => (random() % (WORDS + 2) * 4, 4),
            };
            let bits = match random() % 60 {
                0 => random(),
                1..20 => 0,
                _ => both[1].load(at, bytes),
            };
            both.iter_mut().for_each(|lds| lds.store(at, bytes, bits));
            let [whole, parts] = &both;
            for at in 0..4 * WORDS + 8 {
                assert_eq!(whole.load(at, 4), parts.load(at, 4), "{round}: {at}");
            }
            let (start, end) = (u64::from(at), u64::from(at + random() % 90));
            assert_eq!(whole.is_defined(start, end), parts.is_defined(start, end));
            assert_eq!(whole.is_all_defined(), parts.is_all_defined());
            divided += u32::from(!whole.is_whole());
        }
        assert!((500..5500).contains(&divided), "{divided}");
        assert!(lanes_seen > 300, "{lanes_seen}");
    }

    const WORDS: u32 = 300;

    fn places_are_those_of_each_lane(lds: &Lds, places: &Places<'_>, step: u32) {
        let (addresses, lanes) = (places.addresses, places.lanes);
        let follows = |lane: usize| {
            lane > 0
                && lanes >> (lane - 1) & 1 != 0
                && addresses[lane].wrapping_sub(addresses[lane - 1]) == step
        };
        let breaks: Vec<usize> = each(lanes).filter(|lane| !follows(*lane)).collect();
        assert_eq!(each(places.breaks).collect::<Vec<_>>(), breaks);
        let run = stretch(lanes).filter(|_| breaks.len() == 1);
        let run = run.and_then(|lanes| {
            let start = addresses[lanes.start].wrapping_add(places.offset);
            Some((lds.inside(start, step * lanes.len() as u32)?, lanes))
        });
        assert_eq!(places.run, run);
    }

    /// Returns 1 if lanes differed in what they loaded.
    fn accesses_agree<const W: usize>(
        both: &mut [Lds; 2],
        random: &mut impl FnMut() -> u32,
    ) -> u32 {
        let step = 4 * W as u32;
        let lanes = match random() % 3 {
            0 => !0,
            1 => !0 >> (random() % 60) << (random() % 4),
            _ => u64::from(random()) << 32 | u64::from(random()),
        };
        let (wild, first) = (random() % 5, random() % (4 * WORDS));
        let block: [u32; 4] = std::array::from_fn(|_| random() % 20 * step);
        let addresses: Row = std::array::from_fn(|lane| match wild {
            0 => random() % (4 * WORDS + 40),
            1 => random() % (WORDS / W as u32) * step,
            2 => random() % 20 * step,
            // Some lanes lie in a row, and others elsewhere.
            3 => block[lane / 16] + lane as u32 % 16 * step,
            _ => first / step * step + lane as u32 * step,
        });
        let offset = [0, 16][(random() % 2) as usize];
        let places = both[0].places((&addresses, offset), lanes, step);
        places_are_those_of_each_lane(&both[0], &places, step);
        let place = |lane: usize, word: usize| places.address(lane).wrapping_add(4 * word as u32);
        let [whole, parts] = both;
        let seen = whole.look::<W>(&places);
        let rows: [Row; W] = std::array::from_fn(|word| {
            let mut row = NONE;
            each(lanes).for_each(|lane| row[lane] = whole.load(place(lane, word), 4));
            row
        });
        assert_eq!(seen.is_some(), parts.look::<W>(&places).is_some());
        let all = |bits: u32| {
            rows.iter()
                .all(|row| each(lanes).all(|lane| row[lane] == bits))
        };
        match &seen {
            None => {}
            Some(Seen::None) => assert!(all(0)),
            Some(Seen::All) => assert!(all(!0)),
            Some(Seen::Lanes(words)) => {
                assert_eq!(words.map(crate::lanes::of_mask), rows);
            }
            Some(Seen::Parts) => assert_eq!(whole.parts::<W>(&places), rows),
        }
        let undefined: [u64; W] = std::array::from_fn(|_| u64::from(random()) * 0x1_0000_0801);
        let undefined = undefined.map(|own| own & lanes);
        let rows = undefined.map(crate::lanes::of_mask);
        match random() % 3 {
            0 => {
                let is_undefined = random().is_multiple_of(2);
                let done = whole.fill::<W>(&places, is_undefined);
                assert_eq!(done, parts.fill::<W>(&places, is_undefined));
            }
            _ if whole.is_whole() => {
                let done = whole.put_lanes::<W>(&places, undefined);
                assert_eq!(done, parts.put_bits::<W>(&places, rows.each_ref()));
            }
            _ => {
                let done = whole.put_bits::<W>(&places, rows.each_ref());
                assert_eq!(done, parts.put_bits::<W>(&places, rows.each_ref()));
            }
        }
        matches!(seen, Some(Seen::Lanes(_))).into()
    }
}
