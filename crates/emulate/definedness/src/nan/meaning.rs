//! The meaning of names for the numbers of instructions: which formats they take and make.

use super::formats::Format;
use crate::moves::Part;

/// The formats of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    One(Format),
    /// The meanings of the first, the second and the third source.
    Each([Format; 3]),
    /// Halves where the instruction takes a half of a word, else singles.
    HalvesAndSingles(Format),
    Integers,
}

impl Taken {
    /// The format of a source; none if it is an integer.
    pub fn of(self, index: usize, part: Part) -> Option<Format> {
        match self {
            Taken::Integers => None,
            Taken::One(format) => Some(format),
            Taken::Each(formats) => Some(formats[index.min(2)]),
            Taken::HalvesAndSingles(half) => Some(match part.width {
                16 => half,
                _ => Format::Single,
            }),
        }
    }
}

/// The numbers of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    /// None of a comparison.
    pub result: Option<Format>,
    pub taken: Taken,
    /// All numbers that fit into the place of the result are results.
    pub packed: bool,
    /// The number of sources that are numbers, which are the first ones.
    pub count: usize,
    /// The result is zero only if a source is, or if it is too small.
    pub scales: bool,
}

/// Integers that a conversion of numbers makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Integer {
    pub bits: u32,
    pub signed: bool,
}

/// The meaning of a name for the numbers of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Computes(Numbers),
    /// It converts numbers of a format to integers, which it moves as bits.
    ToIntegers(Format, Integer, bool),
    /// It multiplies matrices of numbers.
    Multiplies,
    /// It moves or changes bits.
    Bits,
    /// Its results are integers, whatever it takes.
    Integers,
    /// It computes with numbers in a way that is not looked at.
    NotLookedAt,
}

enum Kind {
    Float(Format),
    Integer(Option<Integer>),
    /// Formats of less than 8 bits, or with scales.
    Small,
}

fn kind(token: &str, unsigned_zero: bool) -> Option<Kind> {
    let digits = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    let is = |start: &str| token.strip_prefix(start).is_some_and(digits);
    let integer = |signed| match token[1..].parse() {
        Ok(bits @ (16 | 32)) => Some(Integer { bits, signed }),
        _ => None,
    };
    match token {
        "f16" => Some(Kind::Float(Format::Half)),
        "bf16" => Some(Kind::Float(Format::Brain)),
        "f32" => Some(Kind::Float(Format::Single)),
        "f64" => Some(Kind::Float(Format::Double)),
        "fp8" if unsigned_zero => Some(Kind::Float(Format::Fp8Unsigned)),
        "bf8" if unsigned_zero => Some(Kind::Float(Format::Bf8Unsigned)),
        "fp8" => Some(Kind::Float(Format::Fp8)),
        "bf8" => Some(Kind::Float(Format::Bf8)),
        _ if ["fp", "bf"].into_iter().any(is) => Some(Kind::Small),
        _ if is("i") => Some(Kind::Integer(integer(true))),
        _ if is("u") => Some(Kind::Integer(integer(false))),
        _ if ["ubyte", "b"].into_iter().any(is) => Some(Kind::Integer(None)),
        _ => None,
    }
}

/// Comparisons that ask whether a value is a number, or do not depend on values.
const QUESTIONS: [&str; 7] = ["class", "u", "o", "t", "tru", "f", "false"];

const PRODUCTS: [&str; 4] = ["v_mfma", "v_smfmac", "v_wmma", "v_swmmac"];

/// Conversions to integers that give the nearest one to what is out of range, on purpose: fractions of one, and bytes of a pixel.
const CLAMPS: [&str; 3] = ["norm", "pk_u8", "frexp_exp"];

/// Instructions whose result is zero if a source is zero or the result is too small.
const SCALES: [&str; 3] = ["_mul_f", "_ldexp_f", "_cvt_"];

/// By an instruction's first name. `unsigned_zero`: numbers of 8 bits have no negative zero.
pub(super) fn meaning(name: &str, unsigned_zero: bool) -> Meaning {
    let mut tokens = name.split('_');
    let unit = tokens.next().unwrap_or_default();
    let kinds: Vec<Kind> = tokens
        .filter_map(|token| kind(token, unsigned_zero))
        .collect();
    if PRODUCTS.iter().any(|start| name.starts_with(start)) {
        return Meaning::Multiplies;
    }
    let small = kinds.iter().any(|kind| matches!(kind, Kind::Small));
    if small || name.contains("scalef32") {
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
                count: usize::MAX,
                scales: false,
            }),
            _ => Meaning::Bits,
        };
    }
    let result = match (first, last) {
        (Kind::Float(result), _) => *result,
        (Kind::Integer(Some(integer)), Taken::One(taken))
            if stem.starts_with("_cvt_") && !CLAMPS.iter().any(|part| name.contains(part)) =>
        {
            return Meaning::ToIntegers(taken, *integer, name.contains("_pk"));
        }
        _ => return Meaning::Bits,
    };
    Meaning::Computes(Numbers {
        result: Some(result),
        taken: taken(name, result, &kinds, last),
        packed: name.contains("_pk"),
        // Behind the sources are modifiers of the encoding.
        count: match () {
            () if name.contains("cvt_sr_pk") || name.contains("_mul_f") => 2,
            () if ["ldexp", "trig_preop", "cvt_sr"]
                .iter()
                .any(|part| name.contains(part)) =>
            {
                1
            }
            () if name.contains("_cvt_") => 1 + usize::from(name.contains("_pk")),
            () => usize::MAX,
        },
        scales: SCALES.iter().any(|part| name.contains(part)) && last != Taken::Integers,
    })
}

fn taken(name: &str, result: Format, kinds: &[Kind], last: Taken) -> Taken {
    let brain = kinds
        .iter()
        .any(|kind| matches!(kind, Kind::Float(Format::Brain)));
    let half = if brain { Format::Brain } else { Format::Half };
    if name.starts_with("v_dot") {
        let mut floats = kinds.iter().skip(1).filter_map(|kind| match kind {
            Kind::Float(format) => Some(*format),
            _ => None,
        });
        let a = floats.next().unwrap_or(half);
        return Taken::Each([a, floats.next().unwrap_or(a), result]);
    }
    match ["v_fma_mix", "v_mad_mix"]
        .iter()
        .any(|start| name.starts_with(start))
    {
        true => Taken::HalvesAndSingles(half),
        false => last,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_computed() {
        let computes = |name| match meaning(name, false) {
            Meaning::Computes(numbers) => (numbers.result, numbers.taken),
            other => panic!("{name}: {other:?}"),
        };
        let one = Taken::One;
        let half = Format::Half;
        for (name, expected) in [
            ("v_add_f32", (Some(Format::Single), one(Format::Single))),
            ("v_cvt_f16_f32", (Some(half), one(Format::Single))),
            ("v_cvt_f32_ubyte0", (Some(Format::Single), Taken::Integers)),
            ("v_cvt_f64_i32", (Some(Format::Double), Taken::Integers)),
            ("v_cmp_lt_f64", (None, one(Format::Double))),
            ("v_cmpx_nlt_f16", (None, one(half))),
            ("s_cvt_f32_i32", (Some(Format::Single), Taken::Integers)),
            ("s_cmp_lt_f32", (None, one(Format::Single))),
            (
                "v_fma_mixlo_f16",
                (Some(half), Taken::HalvesAndSingles(half)),
            ),
            (
                "v_dot2_f32_f16",
                (
                    Some(Format::Single),
                    Taken::Each([half, half, Format::Single]),
                ),
            ),
            (
                "v_dot2_bf16_bf16",
                (Some(Format::Brain), Taken::Each([Format::Brain; 3])),
            ),
            (
                "v_dot4_f32_fp8_bf8",
                (
                    Some(Format::Single),
                    Taken::Each([Format::Fp8, Format::Bf8, Format::Single]),
                ),
            ),
            ("v_cvt_pk_fp8_f32", (Some(Format::Fp8), one(Format::Single))),
        ] {
            assert_eq!(computes(name), expected, "{name}");
        }
        for name in [
            "v_mov_b32",
            "v_bfi_b32",
            "v_cmp_u_f32",
            "v_cmp_class_f32",
            "v_cmp_eq_u32",
            "v_add_u32",
            "s_mov_b32",
            "v_frexp_exp_i32_f64",
            "v_cvt_pknorm_i16_f32",
            "v_cvt_pk_u8_f32",
        ] {
            assert_eq!(meaning(name, false), Meaning::Bits, "{name}");
        }
        let word = Integer {
            bits: 32,
            signed: true,
        };
        for name in ["v_cvt_i32_f32", "v_cvt_flr_i32_f32", "s_cvt_i32_f32"] {
            let expected = Meaning::ToIntegers(Format::Single, word, false);
            assert_eq!(meaning(name, false), expected, "{name}");
        }
        assert_eq!(meaning("v_mfma_f32_32x32x8f16", false), Meaning::Multiplies);
        for name in ["v_cvt_scalef32_pk_fp4_f32", "v_cvt_scalef32_f32_fp8"] {
            assert_eq!(meaning(name, false), Meaning::NotLookedAt, "{name}");
        }
    }
}
