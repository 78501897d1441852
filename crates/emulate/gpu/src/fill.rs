//! Contents of registers, LDS and fresh device memory before a program writes them. On hardware they hold anything.

use std::{
    fmt::{self, Display},
    str::FromStr,
};

/// Contents of what no instruction has written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fill {
    #[default]
    Zero,
    /// The same word everywhere.
    Word(u32),
    /// Other words everywhere, the same ones for the same seed.
    Random(u64),
}

/// Seed of `random` without one.
const SEED: u64 = 1;

/// Why a text names no [`Fill`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is no pattern: say zero, random, random:SEED with a number, or 2 or 8 hexadecimal digits for a byte or a word, for \
     example ff or 7fc00000"
)]
pub struct BadFill {
    text: String,
}

impl FromStr for Fill {
    type Err = BadFill;

    fn from_str(text: &str) -> Result<Fill, BadFill> {
        let bad = || BadFill {
            text: text.to_owned(),
        };
        if let Some(seed) = text.strip_prefix("random:") {
            return seed.parse().map(Fill::Random).map_err(|_| bad());
        }
        let digits = text.strip_prefix("0x").unwrap_or(text);
        let is_hex = digits.chars().all(|digit| digit.is_ascii_hexdigit());
        let word = u32::from_str_radix(digits, 16).unwrap_or(0);
        match (text, digits.len()) {
            ("zero", _) => Ok(Fill::Zero),
            ("random", _) => Ok(Fill::Random(SEED)),
            (_, 2) if is_hex => Ok(Fill::Word(word * 0x0101_0101)),
            (_, 8) if is_hex => Ok(Fill::Word(word)),
            _ => Err(bad()),
        }
    }
}

/// A text that names it.
impl Display for Fill {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fill::Zero => formatter.write_str("zero"),
            Fill::Word(word) => write!(formatter, "{word:08x}"),
            Fill::Random(seed) => write!(formatter, "random:{seed}"),
        }
    }
}

impl Fill {
    pub fn is_zero(self) -> bool {
        matches!(self, Fill::Zero | Fill::Word(0))
    }

    /// Words one after the other; `place` tells apart what is filled.
    pub fn words(self, place: u64) -> impl FnMut() -> u32 {
        let mut state = match self {
            Fill::Random(seed) => mix(seed ^ mix(place)),
            _ => 0,
        };
        move || match self {
            Fill::Zero => 0,
            Fill::Word(word) => word,
            Fill::Random(_) => {
                state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                (mix(state) >> 32) as u32
            }
        }
    }

    /// Fills `bytes`, whose address is a multiple of 4.
    pub fn bytes(self, place: u64, bytes: &mut [u8]) {
        let mut word = self.words(place);
        for chunk in bytes.chunks_mut(4) {
            let word = word().to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
    }
}

/// The finisher of SplitMix64: every bit of the result depends on every bit of `value`.
fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_named_in_each_form() {
        for (text, fill) in [
            ("zero", Fill::Zero),
            ("random", Fill::Random(SEED)),
            ("random:7", Fill::Random(7)),
            ("ff", Fill::Word(!0)),
            ("0xA5", Fill::Word(0xa5a5_a5a5)),
            ("7fc00000", Fill::Word(0x7fc0_0000)),
        ] {
            assert_eq!(text.parse(), Ok(fill), "{text}");
            assert_eq!(fill.to_string().parse(), Ok(fill), "{text}");
        }
        for text in [
            "", "f", "123", "random:", "random:x", "zeros", "0x", "gg", "+f",
        ] {
            let error = text.parse::<Fill>().unwrap_err().to_string();
            assert!(error.contains("random:SEED"), "{error}");
        }
    }

    #[test]
    fn random_words_are_those_of_their_seed_and_place() {
        let some = |seed, place| {
            let mut word = Fill::Random(seed).words(place);
            [word(), word(), word()]
        };
        assert_eq!(some(1, 2), some(1, 2));
        let all = [some(1, 2), some(1, 3), some(2, 2)].concat();
        let distinct: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
        let mut bytes = [0; 7];
        Fill::Word(0x0403_0201).bytes(0, &mut bytes);
        assert_eq!(bytes, [1, 2, 3, 4, 1, 2, 3]);
    }
}
