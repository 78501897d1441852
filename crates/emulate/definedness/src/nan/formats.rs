//! Formats of floating-point numbers, and the classes of values by their bits.

use crate::lanes::{LANES, Row};

/// The format of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// IEEE's 16 bits.
    Half,
    /// `bf16`.
    Brain,
    Single,
    /// The high word of a pair says what it is.
    Double,
    /// Four bits of exponent: no infinity, and one NaN of each sign.
    Fp8,
    /// Five bits of exponent, as IEEE would have it.
    Bf8,
    /// The formats of gfx942: no infinity, and NaN in the place of the negative zero.
    Fp8Unsigned,
    Bf8Unsigned,
}

/// The kind of a value. The order is that of importance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Class {
    Number,
    Infinity,
    Nan,
}

/// The numbers of a word that are meant, by position: one of 32 bits, two of 16, or four of 8. Bit 0 is the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Elements(pub u8);

impl Elements {
    pub const LOWEST: Elements = Elements(1);
    pub const ALL: Elements = Elements(0xf);

    /// The numbers of the format in these bits of a word.
    pub fn in_bits(format: Format, shift: u32, width: u32) -> Elements {
        let bits = format.bits();
        if bits >= 32 {
            return Elements::LOWEST;
        }
        let count = (width / bits).max(1);
        Elements((((1 << count) - 1) << (shift / bits)) as u8)
    }
}

/// Lanes with values that are no numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Special {
    pub nan: u64,
    pub infinity: u64,
}

impl Special {
    pub fn any(self) -> u64 {
        self.nan | self.infinity
    }

    pub fn class(self, lane: usize) -> Class {
        match () {
            () if self.nan >> lane & 1 != 0 => Class::Nan,
            () if self.infinity >> lane & 1 != 0 => Class::Infinity,
            () => Class::Number,
        }
    }
}

/// The bits of a format: those of the exponent, and the value of the magnitude from which on it is no number.
pub(super) struct Shape {
    bits: u32,
    pub magnitude: u32,
    /// The least magnitude that is no number. With infinity, it has all bits of the exponent.
    pub first: u32,
    infinity: Option<u32>,
}

/// A quick look at the chosen numbers of a word: what it computes with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glance {
    field: u32,
    top: u32,
    /// The least bit of each number, or what takes the least magnitude that is no number to the bit above the magnitude.
    add: u32,
    is_unsigned: bool,
}

impl Glance {
    pub fn new(format: Format, elements: Elements) -> Glance {
        let shape = format.shape();
        let mut ones = 0;
        for at in 0..32 / shape.bits {
            ones |= u32::from(elements.0 >> at & 1 != 0) << (shape.bits * at);
        }
        let is_unsigned = format.is_unsigned();
        Glance {
            field: ones * shape.magnitude,
            top: ones << (shape.bits - 1),
            add: match is_unsigned {
                true => ones,
                false => ones * (shape.magnitude + 1 - shape.first),
            },
            is_unsigned,
        }
    }

    /// Returns `false` only if all chosen numbers of these words are numbers.
    #[inline]
    pub fn may_be_special(&self, words: &[u32]) -> bool {
        // The compiler makes better code for numbers of lanes that it knows.
        match (words.first_chunk::<LANES>(), words.first_chunk::<32>()) {
            (Some(words), _) if !self.is_unsigned => self.any_large(words),
            (None, Some(half)) if !self.is_unsigned && words.len() == 32 => self.any_large(half),
            _ => self.any(words),
        }
    }

    #[inline]
    fn any_large<const N: usize>(&self, words: &[u32; N]) -> bool {
        let Glance { field, add, .. } = *self;
        let large = |word: &u32| (word & field).wrapping_add(add);
        words.iter().fold(0, |all, word| all | large(word)) & self.top != 0
    }

    fn any(&self, words: &[u32]) -> bool {
        let mut all = 0;
        for word in words {
            all |= match self.is_unsigned {
                false => (word & self.field).wrapping_add(self.add),
                true => {
                    // NaN differs in no bit from its only pattern; a borrow from below only asks for a closer look.
                    let apart = (word ^ self.top) & self.field;
                    apart.wrapping_sub(self.add) & !apart
                }
            };
        }
        all & self.top != 0
    }
}

impl Format {
    pub const ALL: [Format; 8] = [
        Format::Half,
        Format::Brain,
        Format::Single,
        Format::Double,
        Format::Fp8,
        Format::Bf8,
        Format::Fp8Unsigned,
        Format::Bf8Unsigned,
    ];

    pub fn shape(self) -> Shape {
        let (bits, magnitude, first, has_infinity) = match self {
            Format::Half => (16, 0x7fff, 0x7c00, true),
            Format::Brain => (16, 0x7fff, 0x7f80, true),
            Format::Single => (32, 0x7fff_ffff, 0x7f80_0000, true),
            Format::Double => (32, 0x7fff_ffff, 0x7ff0_0000, true),
            Format::Fp8 => (8, 0x7f, 0x7f, false),
            Format::Bf8 => (8, 0x7f, 0x7c, true),
            // All bits count: NaN is 0x80 alone.
            Format::Fp8Unsigned | Format::Bf8Unsigned => (8, 0xff, 0x80, false),
        };
        Shape {
            bits,
            magnitude,
            first,
            infinity: has_infinity.then_some(first),
        }
    }

    fn is_unsigned(self) -> bool {
        matches!(self, Format::Fp8Unsigned | Format::Bf8Unsigned)
    }

    /// Bits of a number in one word.
    pub fn bits(self) -> u32 {
        self.shape().bits
    }

    /// The class of the number in the lowest bits; `low`: the other word of a pair.
    fn of_bits(self, word: u32, low: u32) -> Class {
        let shape = self.shape();
        let magnitude = word & shape.magnitude;
        let is_number = match self.is_unsigned() {
            true => magnitude != shape.first,
            false => magnitude < shape.first,
        };
        match () {
            () if is_number => Class::Number,
            () if shape.infinity != Some(magnitude) => Class::Nan,
            () if self == Format::Double && low != 0 => Class::Nan,
            () => Class::Infinity,
        }
    }

    /// The worst class among the chosen numbers of a word.
    pub fn class(self, word: u32, low: u32, elements: Elements) -> Class {
        self.each(word, elements)
            .map(|bits| self.of_bits(bits, low))
            .max()
            .unwrap_or(Class::Number)
    }

    /// The chosen numbers of a word, lowest first.
    pub fn each(self, word: u32, elements: Elements) -> impl Iterator<Item = u32> {
        let bits = self.bits();
        let chosen = (0..32 / bits).filter(move |at| elements.0 >> at & 1 != 0);
        chosen.map(move |at| word >> (bits * at))
    }

    /// Returns `false` only if all chosen numbers of these lanes are numbers. It looks at many lanes at once.
    #[inline]
    pub fn may_be_special(self, row: &[u32], elements: Elements) -> bool {
        let glance = Glance::new(self, elements);
        glance.may_be_special(row)
    }

    /// Lanes of `mask` that have a value that is no number among those that are chosen.
    pub fn special(self, row: &Row, low: &Row, elements: Elements, mask: u64) -> Special {
        let mut special = Special::default();
        for lane in 0..LANES {
            let class = self.class(row[lane], low[lane], elements);
            special.nan |= u64::from(class == Class::Nan) << lane;
            special.infinity |= u64::from(class == Class::Infinity) << lane;
        }
        Special {
            nan: special.nan & mask,
            infinity: special.infinity & mask,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The host's own arithmetic says what a value is.
    #[test]
    fn classes_are_those_of_the_host() {
        let of = |is_nan: bool, is_infinite: bool| match (is_nan, is_infinite) {
            (true, _) => Class::Nan,
            (_, true) => Class::Infinity,
            _ => Class::Number,
        };
        let values = [
            0.0,
            -1.5,
            f64::MAX,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            1e-310,
        ];
        for value in values {
            let expected = of(value.is_nan(), value.is_infinite());
            let bits = value.to_bits();
            let found = Format::Double.class((bits >> 32) as u32, bits as u32, Elements::ALL);
            assert_eq!(found, expected, "{value}");
            let single = value as f32;
            let expected = of(single.is_nan(), single.is_infinite());
            let found = Format::Single.class(single.to_bits(), 0, Elements::ALL);
            assert_eq!(found, expected, "{single}");
            // The high half of a single is its bf16.
            let brain = f32::from_bits(single.to_bits() & 0xffff_0000);
            let expected = of(brain.is_nan(), brain.is_infinite());
            let found = Format::Brain.class(single.to_bits(), 0, Elements(2));
            assert_eq!(found, expected, "{brain}");
        }
        let signalling = f64::from_bits(0x7ff0_0000_0000_0001);
        assert!(signalling.is_nan());
        assert_eq!(
            Format::Double.class(0x7ff0_0000, 1, Elements::ALL),
            Class::Nan
        );
        for (bits, expected) in [
            (0x7bff, Class::Number),
            (0xfc00, Class::Infinity),
            (0x7e00, Class::Nan),
        ] {
            assert_eq!(Format::Half.class(bits, 0, Elements::LOWEST), expected);
            assert_eq!(Format::Half.class(bits << 16, 0, Elements::ALL), expected);
            assert_eq!(
                Format::Half.class(bits << 16, 0, Elements::LOWEST),
                Class::Number
            );
        }
    }

    /// The arithmetic of the emulated device says what eight bits are.
    #[test]
    fn classes_of_eight_bits_are_those_of_their_arithmetic() {
        use numerics::convert::Fp8;
        for (format, arithmetic) in [
            (Format::Fp8, Fp8::E4m3),
            (Format::Bf8, Fp8::E5m2),
            (Format::Fp8Unsigned, Fp8::E4m3Fnuz),
            (Format::Bf8Unsigned, Fp8::E5m2Fnuz),
        ] {
            for bits in 0..=0xff {
                let value = f32::from_bits(arithmetic.to_f32(bits));
                let expected = match () {
                    () if value.is_nan() => Class::Nan,
                    () if value.is_infinite() => Class::Infinity,
                    () => Class::Number,
                };
                let found = format.class(u32::from(bits), 0, Elements::LOWEST);
                assert_eq!(found, expected, "{format:?} {bits:#x}");
            }
        }
    }

    /// The quick look never says that there is none if there is one, and seldom says that there may be one if there is none.
    #[test]
    fn a_quick_look_agrees_with_a_close_one() {
        let mut word = 1u32;
        for format in Format::ALL {
            let mut needless = 0;
            for round in 0..4000 {
                let elements = Elements(1 << (round % (32 / format.bits())));
                for elements in [elements, Elements::ALL] {
                    let mut row = [0x2a2a_2a2a; LANES];
                    word = word.wrapping_mul(0x9e37_79b1).wrapping_add(0x0123_4567);
                    row[round as usize % LANES] = word ^ word >> 15;
                    let special = format.special(&row, &[0; LANES], elements, !0).any() != 0;
                    let quick = format.may_be_special(&row, elements);
                    assert!(quick || !special, "{format:?} {elements:?} {row:x?}");
                    needless += u32::from(quick && !special);
                }
            }
            assert!(needless < 100, "{format:?} {needless}");
        }
        let edge = |format: Format, word| format.may_be_special(&[word; LANES], Elements::ALL);
        assert!(!edge(Format::Single, f32::MAX.to_bits()) && edge(Format::Single, 0xff80_0000));
        assert!(!edge(Format::Half, 0x7bff_fbff) && edge(Format::Half, 0x7c00));
        assert!(!edge(Format::Brain, 0x7f7f_ff7f) && edge(Format::Brain, 0x7f80));
        assert!(!edge(Format::Fp8, 0x7efe_7efe) && edge(Format::Fp8, 0xff00));
        assert!(!edge(Format::Bf8, 0x7bfb_7bfb) && edge(Format::Bf8, 0xfc00));
        assert!(!edge(Format::Fp8Unsigned, 0x7fff_7fff) && edge(Format::Fp8Unsigned, 0x80_0000));
    }
}
