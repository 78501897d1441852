//! How instructions hand undefined bits on: one row for each that is exact. All others leave a result undefined if any of the bits that
//! they take are.

use crate::{
    lanes::{LANES, Row},
    moves::{Exchange, Permutation, PermuteBits},
    packed::{Halves, OfHalves},
};

/// The values of up to three sources.
pub(crate) type Words = [u32; 3];
pub(crate) type Pairs = [u64; 3];
/// A name, and what is undefined in the result by the sources and what is undefined in them.
type Exact<R> = (&'static str, R);
type OfPairs = fn(Pairs, Pairs) -> u64;

/// A rule of words, for one lane and for all at once.
#[derive(Clone, Copy)]
pub(crate) struct OfWords {
    /// If all bits or none are undefined in each source, so are those of the result: all if they are in one of so many first sources. Zero: it
    /// may be otherwise.
    pub joins: usize,
    pub word: fn(Words, Words) -> u32,
    pub rows: fn([&Row; 3], [&Row; 3], &mut Row),
}

/// The compiler makes vectors of each rule's own loop; calls by lane would take several times as long.
macro_rules! of_words {
    ($joins:literal: $(($name:literal, $rule:expr)),* $(,)?) => {
        &[$(($name, {
            const WORD: fn(Words, Words) -> u32 = $rule;
            fn rows(x: [&Row; 3], v: [&Row; 3], to: &mut Row) {
                for lane in 0..LANES {
                    to[lane] = WORD(x.map(|row| row[lane]), v.map(|row| row[lane]));
                }
            }
            OfWords { joins: $joins, word: WORD, rows }
        })),*]
    };
}

/// The way in which the undefined bits of a lane go to the result.
#[derive(Clone, Copy)]
pub(crate) enum Rule {
    /// The result is undefined if any bit is.
    Any,
    /// From the values and the undefined bits of words, those of the result.
    Words(OfWords),
    /// The same of pairs of registers.
    Pairs(fn(Pairs, Pairs) -> u64),
    /// A pair of registers, each of which takes a register of each source.
    PackedWords(Halves),
    /// A register whose halves each take a half of each source.
    PackedHalves(Halves, OfHalves),
    /// One of two sources, by the lane's bit of a mask.
    Select,
    /// A comparison; for equality `true`: known bits that differ decide.
    Compare(bool),
    /// The value of one lane, to a scalar register.
    FirstLane,
    ReadLane,
    WriteLane,
    /// Two registers change places, or runs of lanes of them.
    Swap(Exchange),
    /// Values move between lanes in a way that no rule knows, or all lanes have a part in each: as [`Rule::Any`] of all lanes.
    AllLanes,
    /// Each lane takes the value of a lane that an instruction of `v_permlane` chooses.
    Permute(Permutation, PermuteBits),
    /// Each lane fetches the value of the lane that its first source names, in bytes.
    Fetch(Reach),
    /// Each lane sends its value to the lane that its first source names, in bytes.
    Send(Reach),
}

/// The lane that another one names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    /// It is added to the source, in bytes.
    pub offset: u32,
    /// The number of lanes that exchange values: a power of two.
    pub lanes: u32,
}

impl Reach {
    /// By the source of `lane`.
    pub fn lane(self, lane: usize, named: u32) -> usize {
        let within = self.lanes - 1;
        let other = (named.wrapping_add(self.offset) >> 2) & within;
        lane & !(within as usize) | other as usize
    }
}

impl Rule {
    /// A lane's result may be made of what other lanes have.
    pub fn moves_lanes(&self) -> bool {
        match self {
            Rule::Any
            | Rule::Words(_)
            | Rule::Pairs(_)
            | Rule::PackedWords(_)
            | Rule::PackedHalves(..)
            | Rule::Select
            | Rule::Compare(_) => false,
            Rule::FirstLane
            | Rule::ReadLane
            | Rule::WriteLane
            | Rule::Swap(_)
            | Rule::AllLanes
            | Rule::Permute(..)
            | Rule::Fetch(_)
            | Rule::Send(_) => true,
        }
    }

    /// The number of first sources that decide alone, if all bits or none are undefined in each of them.
    pub fn joins(&self) -> usize {
        match self {
            Rule::Any => usize::MAX,
            Rule::Words(rule) => rule.joins,
            _ => 0,
        }
    }
}

/// The lowest undefined bit and all above it: what carries may change.
fn up(bits: u32) -> u32 {
    bits | bits.wrapping_neg()
}

fn up64(bits: u64) -> u64 {
    bits | bits.wrapping_neg()
}

/// All bits, or none.
pub(crate) fn all_if(undefined: bool) -> u32 {
    u32::from(undefined).wrapping_neg()
}

/// `shift` of the undefined bits by a defined amount.
fn by(amount: u32, amount_bits: u32, bits: impl Fn(u32) -> u32) -> u32 {
    match amount_bits & 31 {
        0 => bits(amount & 31),
        _ => !0,
    }
}

fn and(x: Words, v: Words) -> u32 {
    (v[0] | v[1]) & (x[0] | v[0]) & (x[1] | v[1])
}

fn or(x: Words, v: Words) -> u32 {
    (v[0] | v[1]) & (!x[0] | v[0]) & (!x[1] | v[1])
}

fn either(_: Words, v: Words) -> u32 {
    v[0] | v[1]
}

fn first(_: Words, v: Words) -> u32 {
    v[0]
}

fn sum(_: Words, v: Words) -> u32 {
    up(v[0] | v[1])
}

fn sum3(_: Words, v: Words) -> u32 {
    up(v[0] | v[1] | v[2])
}

/// The same of a half; sources are halves.
fn sum16(_: Words, v: Words) -> u32 {
    up(v[0] | v[1] | v[2]) & 0xffff
}

fn left(x: Words, v: Words) -> u32 {
    by(x[1], v[1], |amount| v[0] << amount)
}

fn left_and(x: Words, v: Words) -> u32 {
    (by(x[1], v[1], |amount| v[0] << amount)) | v[2]
}

fn right(x: Words, v: Words) -> u32 {
    by(x[1], v[1], |amount| v[0] >> amount)
}

fn right_signed(x: Words, v: Words) -> u32 {
    by(x[1], v[1], |amount| ((v[0] as i32) >> amount) as u32)
}

/// The bit that a comparison looks at: all others do not matter.
fn bit(x: Words, v: Words) -> u32 {
    by(x[1], v[1], |amount| v[0] >> amount & 1)
}

fn bit64(x: Pairs, v: Pairs) -> u64 {
    by64(x[1], v[1], |amount| v[0] >> amount & 1)
}

fn reversed(words: Words) -> Words {
    [words[1], words[0], words[2]]
}

fn field(x: Words, v: Words, signed: bool) -> u32 {
    // The scalar form has offset and width in one source.
    let (offset, width) = (x[1] & 31, x[2] & 31);
    if (v[1] | v[2]) & 31 != 0 {
        return !0;
    }
    extract(v[0], offset, width, signed)
}

fn scalar_field(x: Words, v: Words, signed: bool) -> u32 {
    if v[1] & 0x7f_001f != 0 {
        return !0;
    }
    extract(v[0], x[1] & 31, (x[1] >> 16 & 0x7f).min(32), signed)
}

fn extract(bits: u32, offset: u32, width: u32, signed: bool) -> u32 {
    if width == 0 {
        return 0;
    }
    let unused = 32 - width.min(32 - offset);
    let up = bits >> offset << unused;
    match signed {
        true => ((up as i32) >> unused) as u32,
        false => up >> unused,
    }
}

/// Bytes of the first two sources by the selector in the third.
fn permute(x: Words, v: Words) -> u32 {
    let both = u64::from(v[0]) << 32 | u64::from(v[1]);
    let mut bits = 0;
    for byte in 0..4 {
        let (select, unknown) = (x[2] >> (8 * byte) & 0xff, v[2] >> (8 * byte) & 0xff);
        let one = match select {
            _ if unknown != 0 => 0xff,
            0..=7 => (both >> (8 * select)) as u32 & 0xff,
            // Eight times the sign of a half.
            8..=11 => ((both >> (16 * (select - 8) + 15)) as u32 & 1) * 0xff,
            _ => 0,
        };
        bits |= one << (8 * byte);
    }
    bits
}

fn align(v: Words, amount: u32) -> u32 {
    ((u64::from(v[0]) << 32 | u64::from(v[1])) >> amount) as u32
}

fn insert(x: Words, v: Words) -> u32 {
    // Bits of the second source where the first is one, of the third elsewhere.
    v[0] & (x[1] ^ x[2]) | v[1] & (x[0] | v[0]) | v[2] & (!x[0] | v[0])
}

fn low24(words: Words) -> Words {
    [words[0] & 0xff_ffff, words[1] & 0xff_ffff, words[2]]
}

fn halves(low: u32, high: u32) -> u32 {
    low & 0xffff | high << 16
}

/// A number of each of two sources, each converted to a half.
fn converted(_: Words, v: Words) -> u32 {
    halves(all_if(v[0] != 0), all_if(v[1] != 0))
}

fn and64(x: Pairs, v: Pairs) -> u64 {
    (v[0] | v[1]) & (x[0] | v[0]) & (x[1] | v[1])
}

fn or64(x: Pairs, v: Pairs) -> u64 {
    (v[0] | v[1]) & (!x[0] | v[0]) & (!x[1] | v[1])
}

fn by64(amount: u64, amount_bits: u64, bits: impl Fn(u32) -> u64) -> u64 {
    match amount_bits & 63 {
        0 => bits(amount as u32 & 63),
        _ => !0,
    }
}

fn swapped(pairs: Pairs) -> Pairs {
    [pairs[1], pairs[0], pairs[2]]
}

/// Rules whose [`OfWords::joins`] is one source, two, or three.
#[rustfmt::skip]
const JOIN_1: &[Exact<OfWords>] = of_words![1:
    ("mov_b32", first), ("movk_i32", first), ("not_b32", first), ("accvgpr_write_b32", first), ("accvgpr_read_b32", first),
    ("accvgpr_mov_b32", first), ("mov_fed_b32", first),
];

#[rustfmt::skip]
const JOIN_2: &[Exact<OfWords>] = of_words![2:
    ("xor_b32", either), ("xnor_b32", either), ("xor_b16", either), ("add_u32", sum), ("add_i32", sum), ("sub_u32", sum),
    ("sub_i32", sum), ("subrev_u32", sum), ("add_nc_u32", sum), ("sub_nc_u32", sum), ("subrev_nc_u32", sum), ("add_co_u32", sum),
    ("sub_co_u32", sum), ("subrev_co_u32", sum), ("addk_i32", sum), ("mulk_i32", sum), ("mul_i32", sum), ("mul_lo_u32", sum),
    ("mul_lo_i32", sum), ("addc_u32", sum), ("subb_u32", sum), ("addc_co_u32", sum), ("subb_co_u32", sum), ("subbrev_co_u32", sum),
];

#[rustfmt::skip]
const JOIN_3: &[Exact<OfWords>] = of_words![3:
    ("xor3_b32", |_, v| v[0] | v[1] | v[2]), ("add3_u32", sum3), ("xad_u32", sum3),
];

/// By first names without `v_` or `s_`.
#[rustfmt::skip]
const WORDS: &[Exact<OfWords>] = of_words![0:
    ("bcnt0_i32_b32", |_, v| all_if(v[0] != 0)),
    ("mov_b16", |_, v| v[0] & 0xffff),
    ("bfrev_b32", |_, v| v[0].reverse_bits()), ("brev_b32", |_, v| v[0].reverse_bits()),
    ("and_b32", and), ("or_b32", or),
    ("nand_b32", and), ("nor_b32", or),
    ("andn2_b32", |x, v| and([x[0], !x[1], 0], v)), ("orn2_b32", |x, v| or([x[0], !x[1], 0], v)),
    ("and_b16", and), ("or_b16", or),
    ("or3_b32", |x, v| or([x[0] | x[1], x[2], 0], [or(x, v), v[2], 0])),
    ("and_or_b32", |x, v| or([x[0] & x[1], x[2], 0], [and(x, v), v[2], 0])),
    ("lshl_or_b32", |x, v| left_and([x[0], x[1], 0], [v[0], v[1], v[2]])),
    ("lshl_b32", left), ("lshr_b32", right), ("ashr_i32", right_signed),
    ("lshlrev_b32", |x, v| left(reversed(x), reversed(v))),
    ("lshrrev_b32", |x, v| right(reversed(x), reversed(v))),
    ("ashrrev_i32", |x, v| right_signed(reversed(x), reversed(v))),
    ("lshlrev_b16", |x, v| by(x[0] & 15, v[0], |amount| (v[1] & 0xffff) << amount & 0xffff)),
    ("lshrrev_b16", |x, v| by(x[0] & 15, v[0], |amount| (v[1] & 0xffff) >> amount)),
    ("mul_u32_u24", |x, v| sum(x, low24(v))), ("mul_i32_i24", |x, v| sum(x, low24(v))),
    ("mad_u32_u24", |x, v| sum3(x, low24(v))), ("mad_i32_i24", |x, v| sum3(x, low24(v))),
    ("lshl_add_u32", |x, v| up(left_and(x, v))),
    ("add_lshl_u32", |x, v| by(x[2], v[2], |amount| up(v[0] | v[1]) << amount)),
    ("add_u16", sum16), ("sub_u16", sum16), ("subrev_u16", sum16), ("add_nc_u16", sum16), ("sub_nc_u16", sum16),
    ("mul_lo_u16", sum16), ("mad_u16", sum16), ("mad_i16", sum16), ("mad_legacy_u16", sum16), ("mad_legacy_i16", sum16),
    ("bfe_u32", |x, v| field(x, v, false)), ("bfe_i32", |x, v| field(x, v, true)),
    ("bfi_b32", insert), ("perm_b32", permute),
    ("alignbit_b32", |x, v| by(x[2], v[2], |amount| align(v, amount))),
    ("alignbyte_b32", |x, v| by(8 * (x[2] & 3), v[2] & 3, |amount| align(v, amount))),
    ("sext_i32_i8", |_, v| v[0] as i8 as u32), ("sext_i32_i16", |_, v| v[0] as i16 as u32),
    ("pack_ll_b32_b16", |_, v| halves(v[0], v[1])), ("pack_lh_b32_b16", |_, v| halves(v[0], v[1] >> 16)),
    ("pack_hh_b32_b16", |_, v| halves(v[0] >> 16, v[1] >> 16)), ("pack_hl_b32_b16", |_, v| halves(v[0] >> 16, v[1])),
    ("pack_b32_f16", |_, v| halves(v[0], v[1])),
    ("cvt_pkrtz_f16_f32", converted), ("cvt_pk_f16_f32", converted), ("cvt_pk_bf16_f32", converted),
    ("cvt_pknorm_i16_f32", converted), ("cvt_pknorm_u16_f32", converted), ("cvt_pk_u16_u32", converted),
    ("cvt_pk_i16_i32", converted), ("cvt_pk_i16_f32", converted), ("cvt_pk_u16_f32", converted),
    ("cvt_pknorm_i16_f16", converted), ("cvt_pknorm_u16_f16", converted),
    ("cvt_off_f32_i4", |_, v| all_if(v[0] & 0xf != 0)), ("bfm_b32", |_, v| all_if((v[0] | v[1]) & 0x1f != 0)),
    ("cvt_f32_fp8", |_, v| all_if(v[0] & 0xff != 0)), ("cvt_f32_bf8", |_, v| all_if(v[0] & 0xff != 0)),
    ("cvt_f32_ubyte0", |_, v| all_if(v[0] & 0xff != 0)), ("cvt_f32_ubyte1", |_, v| all_if(v[0] >> 8 & 0xff != 0)),
    ("cvt_f32_ubyte2", |_, v| all_if(v[0] >> 16 & 0xff != 0)), ("cvt_f32_ubyte3", |_, v| all_if(v[0] >> 24 != 0)),
    ("lshl1_add_u32", |_, v| up(v[0] << 1 | v[1])), ("lshl2_add_u32", |_, v| up(v[0] << 2 | v[1])),
    ("lshl3_add_u32", |_, v| up(v[0] << 3 | v[1])), ("lshl4_add_u32", |_, v| up(v[0] << 4 | v[1])),
];

/// A bit of the second source gets a value, and the first says which. `others`: the bits that have another value now.
fn set_bit(x: Words, v: Words, others: u32) -> u32 {
    match v[0] & 31 {
        0 => v[1] & !(1 << (x[0] & 31)),
        _ => v[1] | others,
    }
}

fn set_bit64(x: Pairs, v: Pairs, others: u64) -> u64 {
    match v[0] & 63 {
        0 => v[1] & !(1 << (x[0] & 63)),
        _ => v[1] | others,
    }
}

/// Scalar instructions that differ from the vector instruction of that name.
#[rustfmt::skip]
const SCALAR_WORDS: &[Exact<OfWords>] = of_words![0:
    ("bfe_u32", |x, v| scalar_field(x, v, false)), ("bfe_i32", |x, v| scalar_field(x, v, true)),
    ("andn1_b32", |x, v| and([!x[0], x[1], 0], v)), ("orn1_b32", |x, v| or([!x[0], x[1], 0], v)),
    ("bitset0_b32", |x, v| set_bit(x, v, x[1])), ("bitset1_b32", |x, v| set_bit(x, v, !x[1])), ("bitcmp0_b32", bit), ("bitcmp1_b32", bit), ("pack_hl_b32_b16", |_, v| halves(v[0] >> 16, v[1])),
];

#[rustfmt::skip]
const PAIRS: &[Exact<OfPairs>] = &[
    ("mov_b64", |_, v| v[0]), ("not_b64", |_, v| v[0]), ("brev_b64", |_, v| v[0].reverse_bits()),
    ("and_b64", and64), ("or_b64", or64), ("xor_b64", |_, v| v[0] | v[1]), ("xnor_b64", |_, v| v[0] | v[1]),
    ("nand_b64", and64), ("nor_b64", or64),
    ("andn2_b64", |x, v| and64([x[0], !x[1], 0], v)), ("orn2_b64", |x, v| or64([x[0], !x[1], 0], v)),
    ("andn1_b64", |x, v| and64([!x[0], x[1], 0], v)), ("orn1_b64", |x, v| or64([!x[0], x[1], 0], v)),
    ("lshl_b64", |x, v| by64(x[1], v[1], |amount| v[0] << amount)),
    ("lshr_b64", |x, v| by64(x[1], v[1], |amount| v[0] >> amount)),
    ("ashr_i64", |x, v| by64(x[1], v[1], |amount| ((v[0] as i64) >> amount) as u64)),
    ("lshlrev_b64", |x, v| PAIR_LEFT(swapped(x), swapped(v))),
    ("lshrrev_b64", |x, v| PAIR_RIGHT(swapped(x), swapped(v))),
    ("ashrrev_i64", |x, v| PAIR_RIGHT_SIGNED(swapped(x), swapped(v))),
    ("lshl_add_u64", |x, v| up64(by64(x[1], v[1], |amount| v[0] << amount) | v[2])),
    // Both factors have one register.
    ("mad_u64_u32", |_, v| up64(v[0] | v[1] | v[2])), ("mad_i64_i32", |_, v| up64(v[0] | v[1] | v[2])),
    ("add_nc_u64", |_, v| up64(v[0] | v[1])), ("sub_nc_u64", |_, v| up64(v[0] | v[1])),
    ("add_u64", |_, v| up64(v[0] | v[1])), ("sub_u64", |_, v| up64(v[0] | v[1])),
    ("bitcmp0_b64", bit64), ("bitcmp1_b64", bit64),
    ("bitset0_b64", |x, v| set_bit64(x, v, x[1])), ("bitset1_b64", |x, v| set_bit64(x, v, !x[1])),
];

const PAIR_LEFT: fn(Pairs, Pairs) -> u64 = |x, v| by64(x[1], v[1], |amount| v[0] << amount);
const PAIR_RIGHT: fn(Pairs, Pairs) -> u64 = |x, v| by64(x[1], v[1], |amount| v[0] >> amount);
const PAIR_RIGHT_SIGNED: fn(Pairs, Pairs) -> u64 =
    |x, v| by64(x[1], v[1], |amount| ((v[0] as i64) >> amount) as u64);

#[rustfmt::skip]
const OTHERS: &[(&str, Rule)] = &[
    ("cndmask_b32", Rule::Select), ("cndmask_b16", Rule::Select), ("cselect_b32", Rule::Select), ("cselect_b64", Rule::Select),
    ("cmov_b32", Rule::Select), ("cmov_b64", Rule::Select), ("cmovk_i32", Rule::Select),
    ("readfirstlane_b32", Rule::FirstLane), ("readlane_b32", Rule::ReadLane), ("writelane_b32", Rule::WriteLane),
    ("swap_b32", Rule::Swap(Exchange::Whole)), ("swap_b16", Rule::Swap(Exchange::Whole)),
];

/// `v_pk_mov_b32`: a word of each source; bit 0 of `op_sel` chooses that of the first one, bit 1 that of the second.
pub(crate) fn pair_of_halves(op_sel: u32) -> Rule {
    fn joined(v: Pairs, first: u32, second: u32) -> u64 {
        v[0] >> (32 * first) & 0xffff_ffff | v[1] >> (32 * second) << 32
    }
    Rule::Pairs(match op_sel {
        0 => |_, v| joined(v, 0, 0),
        1 => |_, v| joined(v, 1, 0),
        2 => |_, v| joined(v, 0, 1),
        _ => |_, v| joined(v, 1, 1),
    })
}

/// The rule of an instruction by its first name.
pub(crate) fn of(name: &str) -> Rule {
    let scalar = name.starts_with("s_");
    let Some(stem) = name.strip_prefix("v_").or_else(|| name.strip_prefix("s_")) else {
        return Rule::Any;
    };
    if let Some(compare) = stem
        .strip_prefix("cmp_")
        .or_else(|| stem.strip_prefix("cmpx_"))
    {
        let equal = ["eq_", "ne_", "lg_"]
            .iter()
            .any(|part| compare.starts_with(part));
        return Rule::Compare(equal && !compare.contains("_f"));
    }
    let words = scalar.then_some(SCALAR_WORDS).into_iter();
    let words = words.chain([JOIN_1, JOIN_2, JOIN_3, WORDS]);
    let word = words.flatten().find(|row| row.0 == stem);
    let pair = PAIRS.iter().find(|row| row.0 == stem);
    let other = OTHERS.iter().find(|row| row.0 == stem);
    match (word, pair, other) {
        (Some(row), _, _) => Rule::Words(row.1),
        (_, Some(row), _) => Rule::Pairs(row.1),
        (_, _, Some(row)) => row.1,
        _ => Rule::Any,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_moves_take_a_word_of_each_source() {
        let sources = [0x1111_1111_0000_0000, 0x0000_0000_2222_2222, 0];
        for (op_sel, expected) in [
            (0, 0x2222_2222_0000_0000),
            (1, 0x2222_2222_1111_1111),
            (2, 0),
            (3, 0x1111_1111),
        ] {
            let Rule::Pairs(rule) = pair_of_halves(op_sel) else {
                panic!("no rule of pairs");
            };
            assert_eq!(rule([0; 3], sources), expected, "{op_sel}");
        }
    }

    fn words(name: &str, x: Words, v: Words) -> u32 {
        match of(name) {
            Rule::Words(rule) => (rule.word)(x, v),
            _ => panic!("{name}"),
        }
    }

    #[test]
    fn joined_sources_leave_all_bits_undefined_or_none() {
        for (name, rule) in [JOIN_1, JOIN_2, JOIN_3].into_iter().flatten() {
            for which in 0..8usize {
                let v = std::array::from_fn(|at| all_if(which >> at & 1 != 0));
                let expected = all_if(which & ((1 << rule.joins) - 1) != 0);
                for x in [[0; 3], [!0; 3], [1, 2, 3], [0x8000_0001, 77, 31]] {
                    assert_eq!((rule.word)(x, v), expected, "{name} {v:x?}");
                }
            }
        }
    }

    /// The rule of rows gives what the rule of words gives in each lane. Defined sources give a defined result.
    #[test]
    fn rows_are_what_each_lane_gives() {
        let mut state = 5u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state ^ state >> 15
        };
        let all = [JOIN_1, JOIN_2, JOIN_3, WORDS, SCALAR_WORDS];
        for (name, rule) in all.into_iter().flatten() {
            let x: [Row; 3] = std::array::from_fn(|_| std::array::from_fn(|_| random()));
            let v: [Row; 3] = std::array::from_fn(|_| {
                std::array::from_fn(|lane| {
                    if lane % 3 == 0 {
                        0
                    } else {
                        random() & random()
                    }
                })
            });
            let mut rows = [0x5555; LANES];
            (rule.rows)(x.each_ref(), v.each_ref(), &mut rows);
            for lane in 0..LANES {
                let [x, v] = [&x, &v].map(|rows| rows.each_ref().map(|row| row[lane]));
                assert_eq!(rows[lane], (rule.word)(x, v), "{name} {lane}");
                assert_eq!((rule.word)(x, [0; 3]), 0, "{name} {x:x?}");
            }
        }
    }

    /// A bit of a result is undefined if it changes with some choice of the undefined bits of the sources. The results are the host's.
    #[test]
    fn exact_rules_say_which_bits_may_change() {
        type Op = fn(Words) -> u32;
        let ops: [(&str, Op); 13] = [
            ("v_and_b32", |x| x[0] & x[1]),
            ("v_or_b32", |x| x[0] | x[1]),
            ("v_xor_b32", |x| x[0] ^ x[1]),
            ("s_andn2_b32", |x| x[0] & !x[1]),
            ("s_orn2_b32", |x| x[0] | !x[1]),
            ("v_lshlrev_b32", |x| x[1] << (x[0] & 31)),
            ("v_ashrrev_i32", |x| ((x[1] as i32) >> (x[0] & 31)) as u32),
            ("s_bitcmp1_b32", |x| x[0] >> (x[1] & 31) & 1),
            ("v_bfi_b32", |x| x[0] & x[1] | !x[0] & x[2]),
            ("v_and_or_b32", |x| x[0] & x[1] | x[2]),
            ("v_or3_b32", |x| x[0] | x[1] | x[2]),
            ("v_alignbit_b32", |x| {
                ((u64::from(x[0]) << 32 | u64::from(x[1])) >> (x[2] & 31)) as u32
            }),
            ("v_bfe_i32", |x| {
                let (offset, width) = (x[1] & 31, x[2] & 31);
                let bit = |at: u32| {
                    if offset + at < 32 {
                        x[0] >> (offset + at) & 1
                    } else {
                        x[0] >> 31
                    }
                };
                match width {
                    0 => 0,
                    _ => (0..32).fold(0, |all, at| all | bit(at.min(width - 1)) << at),
                }
            }),
        ];
        let mut state = 0x2545_f491_4f6c_dd1du64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 16) as u32
        };
        for (name, op) in ops {
            for round in 0..400 {
                let mut x: Words = std::array::from_fn(|_| random());
                // Few undefined bits, so that all choices can be tried.
                let bits: [(usize, u32); 5] =
                    std::array::from_fn(|_| (random() as usize % 3, random() % 32));
                let mut v: Words = [0; 3];
                for (source, bit) in bits.iter().take(1 + round % 5) {
                    v[*source] |= 1 << bit;
                }
                // Amounts of shifts are exact if they are defined.
                match name {
                    "v_lshlrev_b32" | "v_ashrrev_i32" => v[0] = 0,
                    "s_bitcmp1_b32" => v[1] = 0,
                    "v_alignbit_b32" => v[2] = 0,
                    "v_bfe_i32" => {
                        (v[1], v[2]) = (0, 0);
                        let offset = x[1] & 31;
                        x[2] = (x[2] & 31).min(32 - offset);
                    }
                    _ => {}
                }
                let (mut ones, mut zeros) = (0, 0);
                for choice in 0..32u32 {
                    let mut tried = x;
                    for (at, (source, bit)) in bits.iter().enumerate() {
                        if v[*source] >> bit & 1 != 0 {
                            tried[*source] ^= (choice >> at & 1) << bit;
                        }
                    }
                    let result = op(tried);
                    ones |= result;
                    zeros |= !result;
                }
                assert_eq!(words(name, x, v), ones & zeros, "{name} {x:x?} {v:x?}");
            }
        }
    }

    #[test]
    fn sums_are_undefined_from_the_lowest_bit_on() {
        assert_eq!(words("v_add_u32", [0; 3], [0x10, 0x100, 0]), !0xf);
        assert_eq!(words("v_lshl_add_u32", [0, 4, 0], [1, 0, 0]), !0xf);
        assert_eq!(words("v_mul_u32_u24", [0; 3], [0xff00_0000, 0, 0]), 0);
        assert_eq!(words("v_mad_u16", [0; 3], [0x200, 0, 0x100]), 0xff00);
        assert_eq!(words("v_add_nc_u16", [0; 3], [0, 0x10, 0]), 0xfff0);
    }

    #[test]
    fn lanes_are_named_by_source_and_offset() {
        let reach = |offset, lanes| Reach { offset, lanes };
        assert_eq!(reach(124, 32).lane(3, 0), 31);
        assert_eq!(reach(124, 32).lane(35, 8), 33);
        assert_eq!(reach(4, 64).lane(3, 4 * 40), 41);
        assert_eq!(reach(0, 64).lane(40, 4 * 65), 1);
    }

    #[test]
    fn bytes_are_chosen() {
        assert_eq!(
            words("v_perm_b32", [0, 0, 0x0c0c_0401], [0, 0xff00, 0]),
            0xff
        );
        assert_eq!(
            words("v_perm_b32", [0, 0, 0x0c0c_0007], [0xff00_0000, 0, 0]),
            0xff
        );
        assert_eq!(
            words("s_bfe_u32", [0, 0x0008_0008, 0], [0xff00, 0, 0]),
            0xff
        );
        assert_eq!(words("s_bfe_u32", [0, 0x0008_0010, 0], [0xff00, 0, 0]), 0);
    }

    #[test]
    fn known_names_have_rules() {
        let is_exact = |name| !matches!(of(isa::Op::of(name).first_name()), Rule::Any);
        for name in [
            "v_cndmask_b32",
            "v_cmp_eq_u32",
            "v_cmpx_lt_i32",
            "v_readlane_b32",
            "v_mov_b32",
            "s_mov_b64",
            "v_add_nc_u32",
            "s_add_i32",
            "v_lshlrev_b64",
            "s_and_not1_b64",
            "v_add_co_u32",
        ] {
            assert!(is_exact(name), "{name}");
        }
    }
}
