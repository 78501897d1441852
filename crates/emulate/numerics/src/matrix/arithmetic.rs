//! How one element of D is summed.

use super::exact::Accumulator;
use crate::convert::{Fp8, Micro, f32_from_bf16, f32_from_f16_exact};
use crate::soft::{BF16, Exact, F16, F32, Format, Value, multiply};
use crate::{Denormals, Round, float32, float64};

/// Matrix-core generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// gfx908: groups of products and the running sum added exactly, one rounding per group, denormals kept.
    Mfma1,
    /// gfx90a: every product and every partial sum rounded to single precision; all denormals flushed.
    Mfma2,
    /// gfx942: products aligned to the largest and cut to 24 fraction bits, then added to the running sum and rounded.
    /// Also what gfx950 is assumed to do.
    Mfma3,
}

const KEEP: Denormals = Denormals::KEEP;
const FLUSH: Denormals = Denormals::FLUSH;

/// Single-precision inputs, every generation: a chain of fused multiply-adds, denormals kept.
#[inline]
pub fn accumulate_f32(c: u32, a: &[u32], b: &[u32]) -> u32 {
    a.iter()
        .zip(b)
        .fold(c, |sum, (&a, &b)| float32::fma(a, b, sum, KEEP))
}

/// Double precision: a chain of fused multiply-adds, denormals kept.
#[inline]
pub fn accumulate_f64(c: u64, a: &[u64], b: &[u64]) -> u64 {
    a.iter()
        .zip(b)
        .fold(c, |sum, (&a, &b)| float64::fma(a, b, sum, KEEP))
}

/// Signed bytes: exact, wrapping at 32 bits.
#[inline]
pub fn accumulate_i8(c: u32, a: &[u8], b: &[u8]) -> u32 {
    a.iter().zip(b).fold(c, |sum, (&a, &b)| {
        sum.wrapping_add((a as i8 as i32 * b as i8 as i32) as u32)
    })
}

/// Half-precision inputs. gfx908 and gfx90a take four `k` per step; gfx942 eight, or four when there are only four.
#[inline]
pub fn accumulate_f16(model: Model, c: u32, a: &[u16], b: &[u16]) -> u32 {
    match model {
        Model::Mfma1 => steps(c, a, b, 4, |c, a, b| exact_step(c, a, b, F16)),
        Model::Mfma2 => rounded_steps::<4>(c, a, b, flushed_f16),
        Model::Mfma3 => steps(c, a, b, 8, |c, a, b| aligned_step(c, a, b, F16)),
    }
}

/// bfloat16 inputs of the `bf16_1k` instructions (gfx90a) and of gfx942's `bf16`.
#[inline]
pub fn accumulate_bf16(model: Model, c: u32, a: &[u16], b: &[u16]) -> u32 {
    match model {
        Model::Mfma3 => steps(c, a, b, 8, |c, a, b| aligned_step(c, a, b, BF16)),
        Model::Mfma2 => rounded_steps::<4>(c, a, b, flushed_bf16),
        Model::Mfma1 => accumulate_bf16_pairs(model, c, a, b),
    }
}

/// bfloat16 inputs of the original `bf16` instructions (gfx908, gfx90a), which take two `k` per step.
#[inline]
pub fn accumulate_bf16_pairs(model: Model, c: u32, a: &[u16], b: &[u16]) -> u32 {
    match model {
        Model::Mfma1 => steps(c, a, b, 2, |c, a, b| exact_step(c, a, b, BF16)),
        Model::Mfma2 => rounded_steps::<2>(c, a, b, flushed_bf16),
        Model::Mfma3 => accumulate_bf16(model, c, a, b),
    }
}

/// An f16 operand as gfx90a reads it, as a single: denormals become +0.
#[inline(always)]
pub fn flushed_f16(x: u16) -> u32 {
    f32_from_f16_exact(if x & 0x7c00 == 0 { 0 } else { x })
}

/// A bfloat16 operand as gfx90a reads it, as a single: denormals become +0.
#[inline(always)]
pub fn flushed_bf16(x: u16) -> u32 {
    if x & 0x7f80 == 0 { 0 } else { f32_from_bf16(x) }
}

/// Feeds `step` with groups of `size` products; the result of one group is the C of the next.
#[inline]
fn steps<T>(c: u32, a: &[T], b: &[T], size: usize, step: impl Fn(u32, &[T], &[T]) -> u32) -> u32 {
    a.chunks(size)
        .zip(b.chunks(size))
        .fold(c, |c, (a, b)| step(c, a, b))
}

/// gfx90a: steps of `SIZE` products; what a last step lacks are zeros, which change no sum because no sum is -0.
#[inline]
fn rounded_steps<const SIZE: usize>(
    c: u32,
    a: &[u16],
    b: &[u16],
    input: impl Fn(u16) -> u32,
) -> u32 {
    let whole = |part: &[u16]| std::array::from_fn(|i| part.get(i).map_or(0, |&x| input(x)));
    steps(c, a, b, SIZE, |c, a, b| {
        rounded_step::<SIZE>(c, whole(a), whole(b))
    })
}

/// One step of gfx90a, of operands as [`flushed_f16`] and [`flushed_bf16`] give them.
#[inline(always)]
pub fn rounded_step<const SIZE: usize>(c: u32, a: [u32; SIZE], b: [u32; SIZE]) -> u32 {
    rounded_sum(
        c,
        a,
        b,
        #[inline(always)]
        |x, y| float32::mul(x, y, FLUSH),
        #[inline(always)]
        |x, y| float32::add(x, y, FLUSH),
    )
}

/// [`rounded_step`] in the host's arithmetic: if the result is a NaN, it may be another one.
#[inline(always)]
pub fn quick_rounded_step<const SIZE: usize>(c: u32, a: [u32; SIZE], b: [u32; SIZE]) -> u32 {
    rounded_sum(
        c,
        a,
        b,
        #[inline(always)]
        |x, y| float32::flush((float32::value(x) * float32::value(y)).to_bits()),
        #[inline(always)]
        |x, y| float32::flush((float32::value(x) + float32::value(y)).to_bits()),
    )
}

/// Products, pairs, the pair of pairs and the sum with C, each rounded to nearest and flushed.
#[inline(always)]
fn rounded_sum<const SIZE: usize>(
    c: u32,
    a: [u32; SIZE],
    b: [u32; SIZE],
    mul: impl Fn(u32, u32) -> u32,
    add: impl Fn(u32, u32) -> u32,
) -> u32 {
    const { assert!(SIZE == 2 || SIZE == 4) };
    let c = if c & float32::INFINITY == 0 { 0 } else { c };
    let mut sum = add(mul(a[0], b[0]), mul(a[1], b[1]));
    if SIZE == 4 {
        let second = add(mul(a[SIZE - 2], b[SIZE - 2]), mul(a[SIZE - 1], b[SIZE - 1]));
        sum = add(sum, second);
    }
    add(c, sum)
}

/// The host double with the value of an f16 or bf16.
#[inline]
fn double(x: u16, format: Format) -> f64 {
    let single = if format.mantissa == F16.mantissa {
        f32_from_f16_exact(x)
    } else {
        f32_from_bf16(x)
    };
    float32::value(single) as f64
}

/// gfx908: C and the products added exactly, then rounded once.
#[inline]
fn exact_step(c: u32, a: &[u16], b: &[u16], format: Format) -> u32 {
    // Most sums are exact in double precision; an error-free transformation tells which.
    let mut sum = float32::value(c) as f64;
    let mut exact = true;
    for (&a, &b) in a.iter().zip(b) {
        let product = double(a, format) * double(b, format);
        let next = sum + product;
        let part = next - sum;
        exact &= (sum - (next - part)) + (product - part) == 0.0;
        sum = next;
    }
    if exact {
        (sum as f32).to_bits()
    } else {
        exact_sum(c, a, b, format)
    }
}

/// [`exact_step`] without shortcuts.
fn exact_sum(c: u32, a: &[u16], b: &[u16], format: Format) -> u32 {
    let mut sum = Accumulator::ZERO;
    let mut infinity = None;
    let products = a
        .iter()
        .zip(b)
        .map(|(&a, &b)| multiply(format.unpack(a as u64), format.unpack(b as u64)));
    for term in products.chain([F32.unpack(c as u64)]) {
        match term {
            Value::Nan => return float32::NAN,
            Value::Infinity { negative } if infinity.is_some_and(|other| other != negative) => {
                return float32::NAN;
            }
            Value::Infinity { negative } => infinity = Some(negative),
            Value::Zero { .. } => {}
            Value::Finite(x) => sum.add(x),
        }
    }
    match infinity {
        Some(negative) => float32::INFINITY | (negative as u32) << 31,
        // Terms that cancel exactly give +0.
        None => sum.round(Round::NearestEven).unwrap_or(0),
    }
}

/// gfx942's reduced-precision singles: inputs cut to ten fraction bits, four products per step.
#[inline]
pub fn accumulate_xf32(c: u32, a: &[u32], b: &[u32]) -> u32 {
    let read = |x: &u32| F32.unpack((x & !0x1fff) as u64);
    a.chunks(4).zip(b.chunks(4)).fold(c, |c, (a, b)| {
        let products = a
            .iter()
            .zip(b)
            .map(|(a, b)| Term::product(read(a), read(b), 46));
        aligned_sum(c, products, 46)
    })
}

/// gfx942's eight-bit inputs, sixteen products per step. Even and odd products are summed apart.
#[inline]
pub fn accumulate_fp8(c: u32, a: &[u8], a_format: Fp8, b: &[u8], b_format: Fp8) -> u32 {
    let fraction = a_format.mantissa_bits() + b_format.mantissa_bits();
    a.chunks(16).zip(b.chunks(16)).fold(c, |c, (a, b)| {
        halves_sum(c, fraction, |parity| {
            let pairs = a.iter().zip(b).skip(parity).step_by(2);
            pairs.map(|(&a, &b)| Term::product(a_format.unpack(a), b_format.unpack(b), fraction))
        })
    })
}

/// gfx950's formats under scales, of which there is one for every 32 `k` on either side. No model of these sums is published;
/// they are taken to go as gfx942's eight-bit ones do, with the scales added to the products' exponents.
#[inline]
pub fn accumulate_micro(
    c: u32,
    a: &[u8],
    (a_format, a_scales): (Micro, &[u8]),
    b: &[u8],
    (b_format, b_scales): (Micro, &[u8]),
) -> u32 {
    let fraction = a_format.mantissa_bits() + b_format.mantissa_bits();
    let blocks = a.chunks(32).zip(b.chunks(32));
    blocks
        .zip(a_scales.iter().zip(b_scales))
        .fold(c, |c, ((a, b), (&a_scale, &b_scale))| {
            if a_scale == 255 || b_scale == 255 {
                return float32::NAN;
            }
            let scale = i32::from(a_scale) + i32::from(b_scale) - 254;
            a.chunks(16).zip(b.chunks(16)).fold(c, |c, (a, b)| {
                halves_sum(c, fraction, |parity| {
                    let pairs = a.iter().zip(b).skip(parity).step_by(2);
                    pairs.map(move |(&a, &b)| {
                        let a = match a_format.unpack(a) {
                            Value::Finite(x) => Value::Finite(x.scaled(scale)),
                            other => other,
                        };
                        Term::product(a, b_format.unpack(b), fraction)
                    })
                })
            })
        })
}

/// Sums even and odd products apart, then both with C.
#[inline]
fn halves_sum<I: Iterator<Item = Term> + Clone>(
    c: u32,
    fraction: u32,
    terms: impl Fn(usize) -> I,
) -> u32 {
    if let Some(special) = special(c, terms(0).chain(terms(1))) {
        return special;
    }
    let (even, even_exponent) = align(terms(0), fraction);
    let (odd, odd_exponent) = align(terms(1), fraction);
    let exponent = even_exponent.max(odd_exponent);
    let sum = shift(even, even_exponent - exponent) + shift(odd, odd_exponent - exponent);
    // C is dropped when it lies more than 25 binary orders below.
    let (_, c_exponent) = split(c);
    let c = if c_exponent < exponent - 25 { 0 } else { c };
    add_c(sum, exponent, c)
}

/// One group of gfx942's half and bfloat16 products.
#[inline]
fn aligned_step(c: u32, a: &[u16], b: &[u16], format: Format) -> u32 {
    let fraction = 2 * format.mantissa;
    let read = |x: u16| format.unpack(x as u64);
    let products = a
        .iter()
        .zip(b)
        .map(|(&a, &b)| Term::product(read(a), read(b), fraction));
    aligned_sum(c, products, fraction)
}

/// Aligns, truncates and sums `products`, adds `c` and rounds.
#[inline]
fn aligned_sum(c: u32, products: impl Iterator<Item = Term> + Clone, fraction: u32) -> u32 {
    if let Some(special) = special(c, products.clone()) {
        return special;
    }
    let (sum, exponent) = align(products, fraction);
    add_c(sum, exponent, c)
}

/// A product before alignment: `significand * 2^(exponent - fraction)`. Inputs are not normalised, so products of
/// denormals keep the exponent of the format's smallest normals.
#[derive(Clone, Copy)]
enum Term {
    Finite { significand: i64, exponent: i32 },
    Zero,
    Infinity { negative: bool },
    Nan,
}

impl Term {
    #[inline]
    fn product(a: Value, b: Value, fraction: u32) -> Term {
        match multiply(a, b) {
            Value::Nan => Term::Nan,
            Value::Infinity { negative } => Term::Infinity { negative },
            Value::Zero { .. } => Term::Zero,
            // A product at or above 2^128 counts as infinite.
            Value::Finite(x) if x.magnitude() >= 128 => Term::Infinity {
                negative: x.negative,
            },
            Value::Finite(x) => {
                let magnitude = x.significand as i64;
                let significand = if x.negative { -magnitude } else { magnitude };
                Term::Finite {
                    significand,
                    exponent: x.exponent + fraction as i32,
                }
            }
        }
    }
}

/// The result when C or a product is not finite.
#[inline]
fn special(c: u32, mut products: impl Iterator<Item = Term>) -> Option<u32> {
    let mut infinity = float32::is_infinite(c).then_some(c >> 31 != 0);
    let nan = float32::is_nan(c)
        || products.any(|term| match term {
            Term::Nan => true,
            Term::Infinity { negative } => infinity
                .replace(negative)
                .is_some_and(|other| other != negative),
            _ => false,
        });
    if nan {
        Some(float32::NAN)
    } else {
        infinity.map(|negative| float32::INFINITY | (negative as u32) << 31)
    }
}

/// The sum in units of 2^(exponent - 24), and that exponent: the largest of the products.
#[inline]
fn align(products: impl Iterator<Item = Term> + Clone, fraction: u32) -> (i64, i32) {
    let exponents = products.clone().filter_map(|term| match term {
        Term::Finite { exponent, .. } => Some(exponent),
        _ => None,
    });
    let Some(largest) = exponents.max() else {
        return (0, -252);
    };
    let sum = products.fold(0, |sum, term| match term {
        Term::Finite {
            significand,
            exponent,
        } => {
            let magnitude = shift(significand.abs(), 24 - fraction as i32 + exponent - largest);
            sum + if significand < 0 {
                -magnitude
            } else {
                magnitude
            }
        }
        _ => sum,
    });
    (sum, largest)
}

/// `x * 2^by`, rounded down.
#[inline]
fn shift(x: i64, by: i32) -> i64 {
    if by >= 0 {
        x << by.min(31)
    } else {
        x >> (-by).min(63)
    }
}

/// Signed significand with 23 fraction bits and exponent of a finite single, denormals not normalised.
#[inline]
fn split(c: u32) -> (i64, i32) {
    let field = (c >> 23 & 0xff) as i32;
    let magnitude = (c & float32::FRACTION) as i64 | if field == 0 { 0 } else { 1 << 23 };
    (
        if c >> 31 != 0 { -magnitude } else { magnitude },
        field.max(1) - 127,
    )
}

/// `sum * 2^(exponent - 24) + c`: the sum kept to 31 and C to 24 fraction bits below the larger exponent, both rounded
/// down, then the total rounded to nearest.
#[inline]
fn add_c(sum: i64, exponent: i32, c: u32) -> u32 {
    let (c, c_exponent) = split(c);
    let largest = exponent.max(c_exponent);
    let sum = shift(sum, 7 + exponent - largest);
    let c = shift(c, 1 + c_exponent - largest);
    let total = sum + (c << 7);
    let exact = Exact {
        negative: total < 0,
        exponent: largest - 31,
        significand: total.unsigned_abs() as u128,
        sticky: false,
    };
    if total == 0 {
        0
    } else {
        F32.pack(exact, Round::NearestEven) as u32
    }
}
