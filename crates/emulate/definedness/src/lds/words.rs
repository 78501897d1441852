//! Words of which some bits are undefined.

use std::ops::Range;

use super::{Bits, are_inside, load_from};
use crate::lanes::{NONE, Row, each, stretch};

/// A bit beside each bit, in dwords. All outside is defined.
#[derive(Default)]
pub(super) struct Words {
    words: Vec<u32>,
    /// Words with an undefined bit.
    undefined: usize,
}

impl Words {
    /// These are the undefined bits of all words.
    pub fn begin(&mut self, words: impl Iterator<Item = u32>) {
        self.words.clear();
        self.words.extend(words);
        self.undefined = undefined(&self.words);
    }

    /// Nothing in it is undefined.
    #[inline]
    pub fn is_all_defined(&self) -> bool {
        self.undefined == 0
    }

    /// How much of `W` words at each lane's address is undefined; `None` if the address of a lane is none of a word, or lies outside.
    pub fn look_at_words<const W: usize>(
        &self,
        (addresses, offset): (&Row, u32),
        lanes: u64,
    ) -> Option<Bits> {
        let place = |lane: usize| addresses[lane].wrapping_add(offset);
        let sizes = (4, 4 * W as u32);
        if !are_inside(self.words.len(), (addresses, offset), lanes, sizes) {
            return None;
        }
        let own = |lane: usize| self.words[(place(lane) / 4) as usize..].first_chunk::<W>();
        let mut seen = Seen::default();
        let mut see = |lane: usize| own(lane).into_iter().for_each(|own| seen.see(own));
        match stretch(lanes) {
            Some(lanes) => lanes.for_each(&mut see),
            None => each(lanes).for_each(&mut see),
        }
        Some(seen.bits())
    }

    /// The undefined bits of `W` words at each lane's address, which are words inside.
    pub fn gather_words<const W: usize>(
        &self,
        (addresses, offset): (&Row, u32),
        lanes: u64,
    ) -> [Row; W] {
        let mut rows = [NONE; W];
        let mut take = |lane: usize| {
            let at = addresses[lane].wrapping_add(offset);
            let own = self.words[(at / 4) as usize..].first_chunk::<W>();
            for (row, word) in rows.iter_mut().zip(own.into_iter().flatten()) {
                row[lane] = *word;
            }
        };
        match stretch(lanes) {
            Some(lanes) => lanes.for_each(&mut take),
            None => each(lanes).for_each(&mut take),
        }
        rows
    }

    /// `W` words at each lane's address get these bits. Returns `false`, and does nothing, if the address of a lane is none of a word, or lies
    /// outside.
    pub fn fill_words<const W: usize>(
        &mut self,
        (addresses, offset): (&Row, u32),
        lanes: u64,
        bits: u32,
    ) -> bool {
        let place = |lane: usize| addresses[lane].wrapping_add(offset);
        let sizes = (4, 4 * W as u32);
        if !are_inside(self.words.len(), (addresses, offset), lanes, sizes) {
            return false;
        }
        let mut change = 0;
        for lane in each(lanes) {
            let own = self.words[(place(lane) / 4) as usize..].first_chunk_mut::<W>();
            for own in own.into_iter().flatten() {
                change += isize::from(bits != 0) - isize::from(*own != 0);
                *own = bits;
            }
        }
        self.undefined = self.undefined.wrapping_add_signed(change);
        true
    }

    /// `W` words at each lane's address get these bits, in the order of lanes. Returns `false`, and does nothing, if lanes may have some
    /// words alone in common, or if the words of a lane lie outside.
    pub fn scatter_words<const W: usize>(
        &mut self,
        (addresses, offset): (&Row, u32),
        lanes: u64,
        rows: [&Row; W],
    ) -> bool {
        let place = |lane: usize| addresses[lane].wrapping_add(offset);
        let sizes = (4 * W as u32, 4 * W as u32);
        if !are_inside(self.words.len(), (addresses, offset), lanes, sizes) {
            return false;
        }
        let mut change = 0;
        for lane in each(lanes) {
            let own = self.words[(place(lane) / 4) as usize..].first_chunk_mut::<W>();
            for (own, row) in own.into_iter().flatten().zip(rows) {
                change += isize::from(row[lane] != 0) - isize::from(*own != 0);
                *own = row[lane];
            }
        }
        self.undefined = self.undefined.wrapping_add_signed(change);
        true
    }

    /// How much of words that follow each other is undefined.
    pub fn look_at_run(&self, first: usize, count: usize) -> Bits {
        let words = self.words[first..][..count].iter();
        let seen = words.fold((0, !0), |(any, all), word| (any | word, all & word));
        Bits::of(seen.0 != 0, seen.1 == !0)
    }

    /// The bits of words that follow each other, `W` for each of these lanes.
    pub fn gather_run<const W: usize>(&self, first: usize, lanes: Range<usize>) -> [Row; W] {
        let words = &self.words[first..][..W * lanes.len()];
        let mut rows = [NONE; W];
        let to = rows.each_mut().map(|row| &mut row[lanes.clone()]);
        for (lane, own) in words.as_chunks::<W>().0.iter().enumerate() {
            for word in 0..W {
                to[word][lane] = own[word];
            }
        }
        rows
    }

    /// Words that follow each other get these bits, `W` for each lane.
    pub fn scatter_run<const W: usize>(&mut self, first: usize, rows: [&[u32]; W]) {
        let lanes = rows[0].len();
        let words = &mut self.words[first..][..W * lanes];
        self.undefined -= undefined(words);
        let (own, rows) = (words.as_chunks_mut::<W>().0, rows.map(|row| &row[..lanes]));
        let own = &mut own[..lanes];
        for lane in 0..lanes {
            for word in 0..W {
                own[lane][word] = rows[word][lane];
            }
        }
        self.undefined += undefined(words);
    }

    /// `count` words get these bits.
    pub fn fill_run(&mut self, first: usize, count: usize, bits: u32) {
        let words = &mut self.words[first..][..count];
        self.undefined -= undefined(words);
        words.fill(bits);
        self.undefined += if bits == 0 { 0 } else { count };
    }

    fn set(&mut self, word: usize, bits: u32) {
        if let Some(own) = self.words.get_mut(word) {
            self.undefined += usize::from(bits != 0);
            self.undefined -= usize::from(*own != 0);
            *own = bits;
        }
    }

    /// The undefined bits of `bytes` (at most 4) bytes.
    #[inline]
    pub fn load(&self, at: u32, bytes: u32) -> u32 {
        let word = |index: usize| self.words.get(index).copied().unwrap_or(0);
        load_from(word, at, bytes)
    }

    /// Sets the undefined bits of `bytes` (at most 4) bytes.
    #[inline]
    pub fn store(&mut self, at: u32, bytes: u32, bits: u32) {
        let index = (at / 4) as usize;
        if at.is_multiple_of(4) && bytes == 4 {
            return self.set(index, bits);
        }
        let shift = 8 * (at % 4);
        let mask = ((1u64 << (8 * bytes)) - 1) << shift;
        let new = u64::from(bits) << shift & mask;
        for (index, shift) in [(index, 0), (index + 1, 32)] {
            let (mask, new) = ((mask >> shift) as u32, (new >> shift) as u32);
            if let (Some(old), true) = (self.words.get(index).copied(), mask != 0) {
                self.set(index, old & !mask | new);
            }
        }
    }
}

/// Bits that are set in some word, and in all of them; two words at once.
struct Seen {
    any: u64,
    all: u64,
}

impl Default for Seen {
    fn default() -> Seen {
        Seen { any: 0, all: !0 }
    }
}

impl Seen {
    #[inline]
    fn see<const W: usize>(&mut self, own: &[u32; W]) {
        let (pairs, rest) = own.as_chunks::<2>();
        let both = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let pairs = pairs.iter().map(|[low, high]| both(*low, *high));
        for pair in pairs.chain(rest.iter().map(|word| both(*word, *word))) {
            self.any |= pair;
            self.all &= pair;
        }
    }

    fn bits(&self) -> Bits {
        Bits::of(self.any != 0, self.all == !0)
    }
}

/// How many of these words have an undefined bit.
fn undefined(words: &[u32]) -> usize {
    words
        .iter()
        .fold(0, |all, bits| all + u32::from(*bits != 0)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::steps;

    /// Asserts that the words are as they were seen.
    fn agrees(seen: Bits, mut words: impl Iterator<Item = u32>) {
        let is_it = match seen {
            Bits::None => words.all(|bits| bits == 0),
            Bits::All => words.all(|bits| bits == !0),
            Bits::Some => true,
        };
        assert!(is_it, "{seen:?}");
    }

    /// Loads and stores of all lanes at once are those of one lane after the other.
    #[test]
    fn lanes_together_are_lanes_one_by_one() {
        let mut steps = steps(99);
        let mut random = || (steps() >> 33) as u32;
        for round in 0..2000 {
            match round % 4 {
                0 => lanes_agree::<1>(round, &mut random),
                1 => lanes_agree::<2>(round, &mut random),
                2 => lanes_agree::<3>(round, &mut random),
                _ => lanes_agree::<4>(round, &mut random),
            }
        }
    }

    fn lanes_agree<const W: usize>(round: u32, random: &mut impl FnMut() -> u32) {
        const WORDS: u32 = 300;
        let mut lds = Words::default();
        lds.begin(std::iter::repeat_n(!0, WORDS as usize));
        for word in 0..WORDS {
            match round / 4 % 3 {
                0 => {}
                1 => lds.store(4 * word, 4, 0),
                _ if random().is_multiple_of(2) => {
                    lds.store(4 * word, 4, [0, random()][(random() % 2) as usize]);
                }
                _ => {}
            }
        }
        let (step, wild) = (4 * W as u32, round % 5);
        let addresses: Row = std::array::from_fn(|_| match wild {
            0 => random() % (4 * WORDS + 40),
            1 => random() % (WORDS / W as u32) * step,
            _ => random() % 40 * step,
        });
        let lanes = match random() % 3 {
            0 => !0,
            _ => u64::from(random()) << 32 | u64::from(random()),
        };
        let offset = [0, 8 * step, 2][(random() % 3) as usize];
        let place = |lane: usize, word: usize| {
            (addresses[lane].wrapping_add(offset)).wrapping_add(4 * word as u32)
        };
        if let Some(seen) = lds.look_at_words::<W>((&addresses, offset), lanes) {
            let rows = lds.gather_words::<W>((&addresses, offset), lanes);
            for (word, row) in rows.iter().enumerate() {
                for lane in each(lanes) {
                    assert_eq!(row[lane], lds.load(place(lane, word), 4));
                }
                agrees(seen, each(lanes).map(|lane| row[lane]));
            }
        }
        let mut random_row = || std::array::from_fn(|_| random() & random() & 1);
        let rows: [Row; W] = std::array::from_fn(|_| random_row());
        let (mut plain, run) = (lds.words.clone(), lds.words.clone());
        let by_lane = |lanes: &mut dyn Iterator<Item = usize>, to: &mut Vec<u32>| {
            let mut own = Words::default();
            own.begin(to.drain(..));
            let lanes: Vec<usize> = lanes.collect();
            for (word, row) in rows.iter().enumerate() {
                for lane in &lanes {
                    own.store(place(*lane, word), 4, row[*lane]);
                }
            }
            *to = own.words;
        };
        by_lane(&mut each(lanes), &mut plain);
        let before = lds.words.clone();
        let done = lds.scatter_words::<W>((&addresses, offset), lanes, rows.each_ref());
        assert_eq!(lds.words, if done { plain } else { before });
        assert_eq!(lds.undefined, undefined(&lds.words));
        fills_agree::<W>(&mut lds, (&addresses, offset), lanes);
        lds.words = run;
        lds.undefined = undefined(&lds.words);
        let (first, lanes) = ((random() % 8) as usize, 3..4 + (random() % 60) as usize);
        runs_agree(&mut lds, (first, lanes), &rows);
    }

    fn fills_agree<const W: usize>(lds: &mut Words, places: (&Row, u32), lanes: u64) {
        let place = |lane: usize| places.0[lane].wrapping_add(places.1);
        for bits in [!0, 0] {
            let mut plain = lds.words.clone();
            let inside = each(lanes).all(|lane| {
                let at = place(lane);
                at.is_multiple_of(4) && (at as usize / 4) + W <= plain.len()
            });
            for lane in each(lanes).filter(|_| inside) {
                plain[place(lane) as usize / 4..][..W].fill(bits);
            }
            let done = lds.fill_words::<W>(places, lanes, bits);
            assert_eq!((&lds.words, done), (&plain, inside));
            assert_eq!(lds.undefined, undefined(&lds.words));
        }
    }

    fn runs_agree<const W: usize>(
        lds: &mut Words,
        (first, lanes): (usize, Range<usize>),
        rows: &[Row; W],
    ) {
        let (mut plain, count) = (lds.words.clone(), W * lanes.len());
        let words = plain[first..][..count].iter_mut();
        for (at, own) in words.enumerate() {
            *own = rows[at % W][lanes.start + at / W];
        }
        lds.scatter_run::<W>(first, rows.each_ref().map(|row| &row[lanes.clone()]));
        assert_eq!((&lds.words, lds.undefined), (&plain, undefined(&plain)));
        let gathered = lds.gather_run::<W>(first, lanes.clone());
        for (found, row) in gathered.iter().zip(rows) {
            assert_eq!(found[lanes.clone()], row[lanes.clone()]);
        }
        let seen = lds.look_at_run(first, count);
        agrees(seen, plain[first..][..count].iter().copied());
        for (bits, seen) in [(0, Bits::None), (!0, Bits::All)] {
            lds.fill_run(first, count, bits);
            assert_eq!(lds.look_at_run(first, count), seen);
            assert_eq!(lds.undefined, undefined(&lds.words));
        }
    }
}
