//! Sets of small numbers as machine words.

/// A set of the numbers below `64 * WORDS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bits<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Default for Bits<WORDS> {
    fn default() -> Self {
        Bits::EMPTY
    }
}

impl<const WORDS: usize> Bits<WORDS> {
    /// None is on.
    pub const EMPTY: Bits<WORDS> = Bits([0; WORDS]);
    /// All are on.
    pub const FULL: Bits<WORDS> = Bits([u64::MAX; WORDS]);

    /// The numbers for which `test` holds.
    pub fn from_fn(test: impl Fn(u16) -> bool) -> Bits<WORDS> {
        let mut bits = Bits::EMPTY;
        for number in (0..(64 * WORDS) as u16).filter(|number| test(*number)) {
            bits.insert_range(number, 1);
        }
        bits
    }

    /// The numbers below `end`.
    pub fn below(end: u16) -> Bits<WORDS> {
        let mut bits = Bits::EMPTY;
        bits.insert_range(0, end);
        bits
    }

    /// The same numbers in a set of another size, as far as they fit.
    pub fn resized<const OTHER: usize>(&self) -> Bits<OTHER> {
        Bits(std::array::from_fn(|index| {
            self.0.get(index).copied().unwrap_or(0)
        }))
    }

    /// The numbers at which `width` numbers in a row begin that are all in the set.
    #[inline]
    pub fn runs(&self, width: u16) -> Bits<WORDS> {
        let (mut starts, mut ahead) = (*self, *self);
        for _ in 1..width {
            ahead = ahead.lowered();
            starts = starts.intersection(&ahead);
        }
        starts
    }

    /// Each number less by one.
    #[inline]
    fn lowered(mut self) -> Bits<WORDS> {
        let mut carry = 0;
        for word in self.0.iter_mut().rev() {
            (*word, carry) = (*word >> 1 | carry, *word << 63);
        }
        self
    }

    /// Numbers from `start`, `count` of them; those beyond the end are left out.
    #[inline]
    pub fn insert_range(&mut self, start: u16, count: u16) {
        each_word(start, count, |index, mask| {
            if let Some(word) = self.0.get_mut(index) {
                *word |= mask;
            }
        });
    }

    /// Turns `count` bits from `start` on off.
    #[inline]
    pub fn remove_range(&mut self, start: u16, count: u16) {
        each_word(start, count, |index, mask| {
            if let Some(word) = self.0.get_mut(index) {
                *word &= !mask;
            }
        });
    }

    /// Returns `true` if bit `number` is on.
    pub fn contains(&self, number: u16) -> bool {
        let number = usize::from(number);
        self.0
            .get(number / 64)
            .is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Returns `true` if any of the numbers is in the set.
    pub fn intersects_range(&self, start: u16, count: u16) -> bool {
        let mut found = 0;
        each_word(start, count, |index, mask| {
            found |= self.0.get(index).map_or(0, |word| word & mask);
        });
        found != 0
    }

    /// Returns `true` if none is on.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// How many are on.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Adds all of `other`; says whether that changed anything.
    pub fn unite(&mut self, other: &Bits<WORDS>) -> bool {
        let mut added = 0;
        for (word, more) in self.0.iter_mut().zip(other.0) {
            added |= more & !*word;
            *word |= more;
        }
        added != 0
    }

    /// The bits that are on in either.
    pub fn union(mut self, other: &Bits<WORDS>) -> Bits<WORDS> {
        self.unite(other);
        self
    }

    /// The bits that are on in both.
    pub fn intersection(mut self, other: &Bits<WORDS>) -> Bits<WORDS> {
        for (word, mask) in self.0.iter_mut().zip(other.0) {
            *word &= mask;
        }
        self
    }

    /// The numbers of `self` that are not in `other`.
    pub fn without(mut self, other: &Bits<WORDS>) -> Bits<WORDS> {
        for (word, mask) in self.0.iter_mut().zip(other.0) {
            *word &= !mask;
        }
        self
    }

    /// In ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u16> + '_ {
        self.0.iter().enumerate().flat_map(|(index, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    (index * 64) as u16 + bit as u16
                })
            })
        })
    }
}

/// Visits the words that hold a range, each with the range's bits in it. Most ranges lie in one word.
#[inline]
fn each_word(start: u16, count: u16, mut visit: impl FnMut(usize, u64)) {
    let (mut start, mut left) = (usize::from(start), usize::from(count));
    while left > 0 {
        let bit = start % 64;
        let here = left.min(64 - bit);
        visit(start / 64, (u64::MAX >> (64 - here)) << bit);
        start += here;
        left -= here;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cross_words_and_stop_at_the_end() {
        let mut set = Bits::<2>::EMPTY;
        set.insert_range(62, 4);
        set.insert_range(127, 9);
        assert_eq!(set.iter().collect::<Vec<_>>(), [62, 63, 64, 65, 127]);
        set.remove_range(63, 2);
        assert_eq!(set.iter().collect::<Vec<_>>(), [62, 65, 127]);
        assert!(set.intersects_range(60, 3) && !set.intersects_range(63, 2));
        assert!(!set.unite(&set.clone()) && set.len() == 3);
    }

    #[test]
    fn runs_cross_words() {
        let mut set = Bits::<2>::EMPTY;
        set.insert_range(62, 4);
        set.insert_range(127, 1);
        let starts = |width| set.runs(width).iter().collect::<Vec<_>>();
        assert_eq!(starts(1), [62, 63, 64, 65, 127]);
        assert_eq!(starts(3), [62, 63]);
        assert_eq!(starts(4), [62]);
        assert_eq!(starts(5), []);
    }

    #[test]
    fn other_sizes_keep_what_fits() {
        let set = Bits::<2>::below(70);
        assert_eq!(set.resized::<1>(), Bits::FULL);
        assert_eq!(set.resized::<3>().resized(), set);
        assert_eq!(Bits::from_fn(|number| number < 70), set);
    }
}
