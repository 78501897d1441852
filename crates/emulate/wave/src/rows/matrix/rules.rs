//! How the terms of an element are summed: one rule for each kind of operands and generation of devices.

// Functions in place of closures would be called, and leave the host's vectors behind.
#![allow(clippy::redundant_closure)]

use std::marker::PhantomData;

use numerics::{Denormals, float32, float64, matrix};

use super::{
    Plan, aligned,
    terms::{Terms, parts, product},
};
use crate::{micro_op::MicroOp, ports::lanes, rows::loops::GROUP, state::Wave};

/// A rule of accumulation.
pub(super) trait Rule {
    fn run(wave: &mut Wave, op: &MicroOp, plan: &Plan);
}

/// `fast` unless one of its results is a NaN, whose bits it does not know: then `exact`.
#[inline(always)]
fn unless_nan(fast: [u32; GROUP], exact: impl Fn() -> [u32; GROUP]) -> [u32; GROUP] {
    let mut nan = false;
    let mut lane = 0;
    while lane < GROUP {
        nan |= float32::is_nan(fast[lane]);
        lane += 1;
    }
    if nan { exact() } else { fast }
}

/// The sums of gfx90a, `STEP` terms at a time.
#[inline(always)]
fn rounded<const STEP: usize>(c: [u32; GROUP], terms: &Terms<'_, u32>) -> [u32; GROUP] {
    let fast = terms.fold::<_, STEP>(
        c,
        #[inline(always)]
        |c, a, b| matrix::quick_rounded_step(c, a, b),
    );
    unless_nan(
        fast,
        #[inline(always)]
        || {
            terms.fold::<_, STEP>(
                c,
                #[inline(always)]
                |c, a, b| matrix::rounded_step(c, a, b),
            )
        },
    )
}

/// [`rounded`] for halves. All their products are multiples of 2^-48, and so are the sums, which are therefore never denormal but
/// for C itself: nothing has to be flushed.
#[inline(always)]
fn rounded_halves(c: [u32; GROUP], terms: &Terms<'_, u32>) -> [u32; GROUP] {
    let start = lanes(
        #[inline(always)]
        |i| {
            if c[i] & float32::INFINITY == 0 {
                0
            } else {
                c[i]
            }
        },
    );
    let fast = terms.fold::<_, 4>(
        start,
        #[inline(always)]
        |c, a, b| {
            let product = |k: usize| float32::value(a[k]) * float32::value(b[k]);
            let sum = (product(0) + product(1)) + (product(2) + product(3));
            (float32::value(c) + sum).to_bits()
        },
    );
    unless_nan(
        fast,
        #[inline(always)]
        || {
            terms.fold::<_, 4>(
                c,
                #[inline(always)]
                |c, a, b| matrix::rounded_step(c, a, b),
            )
        },
    )
}

/// Singles, one fused multiply-add after another.
pub(super) struct Singles;

impl Rule for Singles {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, plan: &Plan) {
        product(
            wave,
            op,
            &plan.shape,
            op.mfma().blgp(),
            #[inline(always)]
            |rows, _, position| rows[position as usize].0,
            #[inline(always)]
            |c, terms| {
                let fast = terms.fold(
                    c,
                    #[inline(always)]
                    |c, [a], [b]| {
                        let [a, b, c] = [float32::value(a), float32::value(b), float32::value(c)];
                        a.mul_add(b, c).to_bits()
                    },
                );
                unless_nan(
                    fast,
                    #[inline(always)]
                    || terms.each(c, matrix::accumulate_f32),
                )
            },
        );
    }
}

/// Doubles.
pub(super) struct Doubles;

impl Rule for Doubles {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, plan: &Plan) {
        // The BLGP bits negate A, B and C.
        let blgp = op.mfma().blgp();
        let sign = |operand: usize| u64::from(blgp >> operand & 1) << 63;
        product(
            wave,
            op,
            &plan.shape,
            0,
            #[inline(always)]
            |rows, side, position| {
                let [low, high] = [0, 1].map(|word| &rows[2 * position as usize + word].0);
                lanes(
                    #[inline(always)]
                    |i| (u64::from(low[i]) | u64::from(high[i]) << 32) ^ sign(side),
                )
            },
            #[inline(always)]
            |c: [u64; GROUP], terms| {
                let c = lanes(
                    #[inline(always)]
                    |i| c[i] ^ sign(2),
                );
                terms.fold(
                    c,
                    #[inline(always)]
                    |c, a: [u64; 1], b: [u64; 1]| float64::fma(a[0], b[0], c, Denormals::KEEP),
                )
            },
        );
    }
}

/// Signed bytes.
pub(super) struct Bytes;

impl Rule for Bytes {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, plan: &Plan) {
        product(
            wave,
            op,
            &plan.shape,
            op.mfma().blgp(),
            #[inline(always)]
            |rows, _, position| {
                parts(
                    rows,
                    position,
                    8,
                    #[inline(always)]
                    |x| x as i8 as i32,
                )
            },
            #[inline(always)]
            |c: [u32; GROUP], terms| {
                terms.fold(
                    c,
                    #[inline(always)]
                    |c, [a], [b]| c.wrapping_add((a * b) as u32),
                )
            },
        );
    }
}

/// gfx90a reads 16-bit values as singles, in which it computes.
macro_rules! read_as_singles {
    ($($(#[$doc:meta])* $name:ident: $read:ident, |$c:ident, $terms:ident| $sum:expr;)*) => {$(
        $(#[$doc])*
        pub(super) struct $name;

        impl Rule for $name {
            #[inline(always)]
            fn run(wave: &mut Wave, op: &MicroOp, plan: &Plan) {
                product(
                    wave,
                    op,
                    &plan.shape,
                    op.mfma().blgp(),
                    #[inline(always)]
                    |rows, _, position| {
                        parts(
                            rows,
                            position,
                            16,
                            #[inline(always)]
                            |x| matrix::$read(x as u16),
                        )
                    },
                    #[inline(always)]
                    |$c, $terms| $sum,
                );
            }
        }
    )*};
}

read_as_singles! {
    /// Halves of gfx90a.
    RoundedHalves: flushed_f16, |c, terms| rounded_halves(c, terms);
    /// bfloat16 values of gfx90a, four at a time.
    RoundedBfloats: flushed_bf16, |c, terms| rounded::<4>(c, terms);
    /// The same rule for two terms at a time.
    RoundedPairs: flushed_bf16, |c, terms| rounded::<2>(c, terms);
}

/// Lanes that are summed one after the other, by what `numerics` has for all terms of an element.
macro_rules! one_by_one {
    ($($(#[$doc:meta])* $name:ident: $bits:literal as $input:ty, |$plan:ident, $c:ident, $a:ident, $b:ident| $sum:expr;)*) => {$(
        $(#[$doc])*
        pub(super) struct $name;

        impl Rule for $name {
            #[inline(always)]
            fn run(wave: &mut Wave, op: &MicroOp, $plan: &Plan) {
                product(
                    wave,
                    op,
                    &$plan.shape,
                    op.mfma().blgp(),
                    #[inline(always)]
                    |rows, _, position| {
                        parts(
                            rows,
                            position,
                            $bits,
                            #[inline(always)]
                            |x| x as $input,
                        )
                    },
                    #[inline(always)]
                    |c, terms| terms.each(c, |$c, $a, $b| $sum),
                );
            }
        }
    )*};
}

one_by_one! {
    /// Singles cut to ten fraction bits.
    Cut: 32 as u32, |_plan, c, a, b| matrix::accumulate_xf32(c, a, b);
    /// Halves.
    Halves: 16 as u16, |plan, c, a, b| matrix::accumulate_f16(plan.model, c, a, b);
    /// bfloat16 values.
    Bfloats: 16 as u16, |plan, c, a, b| matrix::accumulate_bf16(plan.model, c, a, b);
    /// bfloat16 values, two at a time.
    BfloatPairs: 16 as u16, |plan, c, a, b| matrix::accumulate_bf16_pairs(plan.model, c, a, b);
    /// Eight-bit floats.
    Eights: 8 as u8, |plan, c, a, b| matrix::accumulate_fp8(c, a, plan.eight[0], b, plan.eight[1]);
}

/// Rule `R`, after a try in the host's floats: gfx942 and later cut the products of 16-bit values to the bits of the largest.
pub(super) struct Aligned<R, const IS_BFLOAT: bool>(PhantomData<R>);

impl<R: Rule, const IS_BFLOAT: bool> Rule for Aligned<R, IS_BFLOAT> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, plan: &Plan) {
        let shape = &plan.shape;
        let source = |block| shape.source_block(block, op.mfma().cbsz(), op.mfma().abid());
        if op.mfma().blgp() != 0 || !aligned::product(wave, op, shape, IS_BFLOAT, source) {
            R::run(wave, op, plan);
        }
    }
}

/// Hands the rule for `$kind` on `$model` to `$with`.
macro_rules! with_rule {
    (($kind:expr, $model:expr), $with:ident) => {
        match ($kind, $model) {
            (Kind::F32, _) => $with!(Singles),
            (Kind::Xf32, _) => $with!(Cut),
            (Kind::F64, _) => $with!(Doubles),
            (Kind::I8, _) => $with!(Bytes),
            (Kind::F16, Model::Mfma1) => $with!(Halves),
            (Kind::F16, Model::Mfma2) => $with!(RoundedHalves),
            (Kind::F16, Model::Mfma3) => $with!(Aligned<Halves, false>),
            (Kind::Bf16, Model::Mfma1) => $with!(Bfloats),
            (Kind::Bf16, Model::Mfma2) => $with!(RoundedBfloats),
            (Kind::Bf16, Model::Mfma3) => $with!(Aligned<Bfloats, true>),
            (Kind::Bf16Pairs, Model::Mfma2) => $with!(RoundedPairs),
            (Kind::Bf16Pairs, _) => $with!(BfloatPairs),
            (Kind::Fp8 { .. }, _) => $with!(Eights),
        }
    };
}
pub(super) use with_rule;
