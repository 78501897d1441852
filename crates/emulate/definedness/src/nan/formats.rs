//! Formats of floating-point numbers, and which of them an instruction takes and makes.

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
}

/// The kind of a value. The order is that of importance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    Number,
    Infinity,
    Nan,
}

/// The halves of a word that hold numbers of 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halves {
    Low,
    High,
    Both,
}

fn class(bits: u32, exponent: u32, mantissa: u32) -> Class {
    match () {
        () if bits & exponent != exponent => Class::Number,
        () if bits & mantissa == 0 => Class::Infinity,
        () => Class::Nan,
    }
}

impl Format {
    /// The class of the number in the lowest bits; `low`: the other word of a pair.
    fn of_bits(self, word: u32, low: u32) -> Class {
        match self {
            Format::Half => class(word, 0x7c00, 0x3ff),
            Format::Brain => class(word, 0x7f80, 0x7f),
            Format::Single => class(word, 0x7f80_0000, 0x7f_ffff),
            Format::Double => match class(word, 0x7ff0_0000, 0xf_ffff) {
                Class::Infinity if low != 0 => Class::Nan,
                other => other,
            },
        }
    }

    pub fn class(self, word: u32, low: u32, halves: Halves) -> Class {
        match (self, halves) {
            (Format::Single | Format::Double, _) | (_, Halves::Low) => self.of_bits(word, low),
            (_, Halves::High) => self.of_bits(word >> 16, 0),
            _ => self.of_bits(word, 0).max(self.of_bits(word >> 16, 0)),
        }
    }
}

/// The format of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    One(Format),
    /// Each source may have another one.
    Mixed,
    Integers,
}

impl Taken {
    pub fn class(self, word: u32, low: u32) -> Class {
        match self {
            Taken::Integers => Class::Number,
            Taken::One(format) => format.class(word, low, Halves::Both),
            Taken::Mixed => [Format::Single, Format::Half, Format::Brain]
                .map(|format| format.class(word, 0, Halves::Both))
                .into_iter()
                .max()
                .unwrap_or(Class::Number),
        }
    }
}

/// The numbers of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    /// None of a comparison.
    pub result: Option<Format>,
    pub taken: Taken,
    /// Both halves of a word are results.
    pub packed: bool,
    /// The other sources are integers.
    pub first_only: bool,
}

/// The meaning of a name for the numbers of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Computes(Numbers),
    /// It moves or changes bits.
    Bits,
    /// It computes with numbers in a way that is not looked at.
    NotLookedAt,
}

enum Kind {
    Float(Format),
    Integer,
    /// Formats of 8 bits and less.
    Small,
}

fn kind(token: &str) -> Option<Kind> {
    let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    let is = |start: &str| token.strip_prefix(start).is_some_and(is_number);
    match token {
        "f16" => Some(Kind::Float(Format::Half)),
        "bf16" => Some(Kind::Float(Format::Brain)),
        "f32" => Some(Kind::Float(Format::Single)),
        "f64" => Some(Kind::Float(Format::Double)),
        _ if ["fp", "bf"].into_iter().any(is) => Some(Kind::Small),
        _ if ["ubyte", "i", "u", "b"].into_iter().any(is) => Some(Kind::Integer),
        _ => None,
    }
}

/// Comparisons that ask whether a value is a number, or do not depend on values.
const QUESTIONS: [&str; 7] = ["class", "u", "o", "t", "tru", "f", "false"];

const PRODUCTS: [&str; 4] = ["v_mfma", "v_smfmac", "v_wmma", "v_swmmac"];

/// By an instruction's first name.
pub(super) fn meaning(name: &str) -> Meaning {
    let mut tokens = name.split('_');
    let unit = tokens.next().unwrap_or_default();
    let kinds: Vec<Kind> = tokens.filter_map(kind).collect();
    let small = kinds.iter().any(|kind| matches!(kind, Kind::Small));
    let is_product = PRODUCTS.iter().any(|start| name.starts_with(start));
    if small || is_product {
        return Meaning::NotLookedAt;
    }
    let [first, ..] = &kinds[..] else {
        return Meaning::Bits;
    };
    let last = match &kinds[kinds.len() - 1] {
        Kind::Float(format) => Taken::One(*format),
        _ => Taken::Integers,
    };
    let stem = name.strip_prefix(unit).unwrap_or_default();
    let compare = stem.strip_prefix("_cmp_");
    if let Some(compare) = compare.or_else(|| stem.strip_prefix("_cmpx_")) {
        let question = compare.split('_').next().unwrap_or_default();
        return match last {
            Taken::One(_) if !QUESTIONS.contains(&question) => Meaning::Computes(Numbers {
                result: None,
                taken: last,
                packed: false,
                first_only: false,
            }),
            _ => Meaning::Bits,
        };
    }
    let Kind::Float(result) = *first else {
        return Meaning::Bits;
    };
    let mixed = ["v_dot", "v_fma_mix", "v_mad_mix"];
    Meaning::Computes(Numbers {
        result: Some(result),
        taken: match mixed.iter().any(|start| name.starts_with(start)) {
            true => Taken::Mixed,
            false => last,
        },
        packed: name.contains("_pk"),
        first_only: name.contains("ldexp") || name.contains("trig_preop"),
    })
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
            let found = Format::Double.class((bits >> 32) as u32, bits as u32, Halves::Both);
            assert_eq!(found, expected, "{value}");
            let single = value as f32;
            let expected = of(single.is_nan(), single.is_infinite());
            let found = Format::Single.class(single.to_bits(), 0, Halves::Both);
            assert_eq!(found, expected, "{single}");
            // The high half of a single is its bf16.
            let brain = f32::from_bits(single.to_bits() & 0xffff_0000);
            let expected = of(brain.is_nan(), brain.is_infinite());
            let found = Format::Brain.class(single.to_bits(), 0, Halves::High);
            assert_eq!(found, expected, "{brain}");
        }
        let signalling = f64::from_bits(0x7ff0_0000_0000_0001);
        assert!(signalling.is_nan());
        assert_eq!(
            Format::Double.class(0x7ff0_0000, 1, Halves::Both),
            Class::Nan
        );
        for (bits, expected) in [
            (0x7bff, Class::Number),
            (0xfc00, Class::Infinity),
            (0x7e00, Class::Nan),
        ] {
            assert_eq!(Format::Half.class(bits, 0, Halves::Low), expected);
            assert_eq!(Format::Half.class(bits << 16, 0, Halves::Both), expected);
            assert_eq!(
                Format::Half.class(bits << 16, 0, Halves::Low),
                Class::Number
            );
        }
    }

    #[test]
    fn names_say_what_is_computed() {
        let computes = |name| match meaning(name) {
            Meaning::Computes(numbers) => (numbers.result, numbers.taken),
            other => panic!("{name}: {other:?}"),
        };
        let one = Taken::One;
        for (name, expected) in [
            ("v_add_f32", (Some(Format::Single), one(Format::Single))),
            ("v_cvt_f16_f32", (Some(Format::Half), one(Format::Single))),
            ("v_cvt_f32_ubyte0", (Some(Format::Single), Taken::Integers)),
            ("v_cvt_f64_i32", (Some(Format::Double), Taken::Integers)),
            ("v_cmp_lt_f64", (None, one(Format::Double))),
            ("v_cmpx_nlt_f16", (None, one(Format::Half))),
            ("s_cvt_f32_i32", (Some(Format::Single), Taken::Integers)),
            ("s_cmp_lt_f32", (None, one(Format::Single))),
            ("v_fma_mixlo_f16", (Some(Format::Half), Taken::Mixed)),
        ] {
            assert_eq!(computes(name), expected, "{name}");
        }
        for name in [
            "v_mov_b32",
            "v_bfi_b32",
            "v_cvt_i32_f32",
            "v_cmp_u_f32",
            "v_cmp_class_f32",
            "v_cmp_eq_u32",
            "v_add_u32",
            "s_mov_b32",
            "v_frexp_exp_i32_f64",
        ] {
            assert_eq!(meaning(name), Meaning::Bits, "{name}");
        }
        for name in ["v_mfma_f32_32x32x8f16", "v_cvt_pk_fp8_f32"] {
            assert_eq!(meaning(name), Meaning::NotLookedAt, "{name}");
        }
    }
}
