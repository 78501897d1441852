//! Packed instructions: each part of a result takes one half of each source.

use isa::{Decoded, Format, fields::bits};

use crate::rules::{self, Rule, Words, all_if};

/// Halves of the three sources, a bit for each: the upper one if it is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Halves {
    /// For the lower part of the result.
    pub low: u32,
    /// For the upper part.
    pub high: u32,
}

/// The undefined bits of half a result by the values and the undefined bits of halves.
pub(crate) type OfHalves = fn(Words, Words) -> u32;

impl Halves {
    /// The lower halves make the lower part.
    const STRAIGHT: Halves = Halves { low: 0, high: 7 };

    /// The halves that `op_sel` and `op_sel_hi` name.
    pub fn of(inst: &Decoded) -> Halves {
        match (inst.format, inst.words.get(1)) {
            (Format::Vop3p, Some(second)) => Halves {
                low: bits(inst.words[0], 13, 11),
                high: bits(*second, 28, 27) | bits(inst.words[0], 14, 14) << 2,
            },
            _ => Halves::STRAIGHT,
        }
    }

    /// The halves for a part of the result.
    pub fn part(self, upper: bool) -> u32 {
        match upper {
            true => self.high,
            false => self.low,
        }
    }
}

/// The rule of a packed instruction by its name without `v_pk_`, whose result has so many registers. It may be limited to what a half
/// holds.
pub(crate) fn rule(stem: &str, inst: &Decoded, words: usize, saturates: bool) -> Rule {
    let halves = Halves::of(inst);
    if words == 2 {
        return Rule::PackedWords(halves);
    }
    // The rule of the instruction that does the same with one number.
    let one = match rules::of(&format!("v_{stem}")) {
        Rule::Words(rule) if !saturates => rule.word,
        _ => |_: Words, v: Words| all_if(v != [0; 3]),
    };
    Rule::PackedHalves(halves, one)
}

/// The undefined bits of a register of two halves.
pub(crate) fn word(halves: Halves, rule: OfHalves, x: Words, v: Words) -> u32 {
    let half = |upper: bool| {
        let chosen = halves.part(upper);
        let of = |words: Words| -> Words {
            std::array::from_fn(|at| words[at] >> (16 * (chosen >> at & 1)) & 0xffff)
        };
        rule(of(x), of(v)) & 0xffff
    };
    half(false) | half(true) << 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_half_of_a_result_has_halves_of_its_own() {
        let any: OfHalves = |_, v| all_if(v != [0; 3]);
        let undefined = [0x1000_0000, 0x0000_0001, 0];
        for (low, high, expected) in [
            (0, 7, 0xffff_ffff),
            (0b10, 0b10, 0),
            (0b11, 0b10, 0x0000_ffff),
            (0b10, 0b01, 0xffff_0000),
        ] {
            let halves = Halves { low, high };
            assert_eq!(
                word(halves, any, [0; 3], undefined),
                expected,
                "{low} {high}"
            );
        }
    }

    #[test]
    fn shifts_of_halves_move_undefined_bits_within_them() {
        let Rule::Words(left) = rules::of("v_lshlrev_b16") else {
            panic!("no rule");
        };
        let amounts = 0x0004_0008;
        let bits = word(
            Halves::STRAIGHT,
            left.word,
            [amounts, 0, 0],
            [0, 0x00f0_00ff, 0],
        );
        assert_eq!(bits, 0x0f00_ff00);
    }
}
