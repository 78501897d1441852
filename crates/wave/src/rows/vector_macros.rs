//! The form of vector rows, and the loops they expand to.

use crate::{
    micro_op::{MicroOp, modifier},
    mode::Context,
    ports::{B32, Lane, Type, lanes},
    state::Wave,
};

/// Lanes of a group as array indices.
pub(super) const GROUP: usize = 16;

/// Runs `lane` with the context of the current mode; the compiler sees the usual mode as a constant.
#[inline(always)]
pub(super) fn with_context(wave: &mut Wave, op: &MicroOp, mut run: impl FnMut(&mut Wave, Context)) {
    if wave.mode.plain && op.modifiers & modifier::CLAMP == 0 {
        run(wave, Context::PLAIN);
    } else {
        let context = Context {
            clamp: op.modifiers & modifier::CLAMP != 0,
            ..wave.mode.context()
        };
        run(wave, context);
    }
}

#[inline(always)]
pub(super) fn map1<A: Lane, R: Lane>(
    wave: &mut Wave,
    op: &MicroOp,
    lane: impl Fn(Context, A::Value) -> R::Value,
) {
    let operands = wave.operands::<1>(op, [A::TYPE, Type::None, Type::None], R::TYPE);
    with_context(
        wave,
        op,
        #[inline(always)]
        |wave, context| {
            for group in 0..wave.groups {
                let a = operands.load::<A>(0, group);
                operands.store::<R>(
                    group,
                    lanes(
                        #[inline(always)]
                        |i| lane(context, a[i]),
                    ),
                );
            }
        },
    );
    wave.finish(op, &operands, R::TYPE);
}

#[inline(always)]
pub(super) fn map2<A: Lane, B: Lane, R: Lane>(
    wave: &mut Wave,
    op: &MicroOp,
    lane: impl Fn(Context, A::Value, B::Value) -> R::Value,
) {
    let operands = wave.operands::<2>(op, [A::TYPE, B::TYPE, Type::None], R::TYPE);
    with_context(
        wave,
        op,
        #[inline(always)]
        |wave, context| {
            for group in 0..wave.groups {
                let a = operands.load::<A>(0, group);
                let b = operands.load::<B>(1, group);
                operands.store::<R>(
                    group,
                    lanes(
                        #[inline(always)]
                        |i| lane(context, a[i], b[i]),
                    ),
                );
            }
        },
    );
    wave.finish(op, &operands, R::TYPE);
}

#[inline(always)]
pub(super) fn map3<A: Lane, B: Lane, C: Lane, R: Lane>(
    wave: &mut Wave,
    op: &MicroOp,
    lane: impl Fn(Context, A::Value, B::Value, C::Value) -> R::Value,
) {
    let operands = wave.operands::<3>(op, [A::TYPE, B::TYPE, C::TYPE], R::TYPE);
    with_context(
        wave,
        op,
        #[inline(always)]
        |wave, context| {
            for group in 0..wave.groups {
                let a = operands.load::<A>(0, group);
                let b = operands.load::<B>(1, group);
                let c = operands.load::<C>(2, group);
                operands.store::<R>(
                    group,
                    lanes(
                        #[inline(always)]
                        |i| lane(context, a[i], b[i], c[i]),
                    ),
                );
            }
        },
    );
    wave.finish(op, &operands, R::TYPE);
}

/// Whether any lane of a group is set; one vector test.
#[inline(always)]
pub(super) fn any(lane: impl Fn(usize) -> bool) -> bool {
    let mut any = false;
    let mut index = 0;
    while index < GROUP {
        any |= lane(index);
        index += 1;
    }
    any
}

/// [`map2`] with a short cut for the usual mode: `quick` gives a lane's value and whether it needs `lane` after all (a
/// NaN is involved). One such lane sends its group of 16 the long way.
#[inline(always)]
pub(super) fn quick2<A: Lane, B: Lane, R: Lane>(
    wave: &mut Wave,
    op: &MicroOp,
    quick: impl Fn(A::Value, B::Value) -> (R::Value, bool),
    lane: impl Fn(Context, A::Value, B::Value) -> R::Value,
) {
    let operands = wave.operands::<2>(op, [A::TYPE, B::TYPE, Type::None], R::TYPE);
    let plain = wave.mode.plain;
    let context = wave.mode.context();
    for group in 0..wave.groups {
        let a = operands.load::<A>(0, group);
        let b = operands.load::<B>(1, group);
        let mut values = lanes(
            #[inline(always)]
            |i| quick(a[i], b[i]).0,
        );
        let unusual = any(
            #[inline(always)]
            |i| quick(a[i], b[i]).1,
        );
        if unusual | !plain {
            values = lanes(
                #[inline(always)]
                |i| lane(context, a[i], b[i]),
            );
        }
        operands.store::<R>(group, values);
    }
    wave.finish(op, &operands, R::TYPE);
}

/// The same with three sources.
#[inline(always)]
pub(super) fn quick3<A: Lane, B: Lane, C: Lane, R: Lane>(
    wave: &mut Wave,
    op: &MicroOp,
    quick: impl Fn(A::Value, B::Value, C::Value) -> (R::Value, bool),
    lane: impl Fn(Context, A::Value, B::Value, C::Value) -> R::Value,
) {
    let operands = wave.operands::<3>(op, [A::TYPE, B::TYPE, C::TYPE], R::TYPE);
    let plain = wave.mode.plain;
    let context = wave.mode.context();
    for group in 0..wave.groups {
        let a = operands.load::<A>(0, group);
        let b = operands.load::<B>(1, group);
        let c = operands.load::<C>(2, group);
        let mut values = lanes(
            #[inline(always)]
            |i| quick(a[i], b[i], c[i]).0,
        );
        let unusual = any(
            #[inline(always)]
            |i| quick(a[i], b[i], c[i]).1,
        );
        if unusual | !plain {
            values = lanes(
                #[inline(always)]
                |i| lane(context, a[i], b[i], c[i]),
            );
        }
        operands.store::<R>(group, values);
    }
    wave.finish(op, &operands, R::TYPE);
}

/// Both words of a packed pair of singles, `COUNT` sources.
#[inline(always)]
pub(super) fn quick_pair<const COUNT: usize>(
    wave: &mut Wave,
    op: &MicroOp,
    quick: impl Fn([u32; 3]) -> (u32, bool),
    lane: impl Fn(Context, [u32; 3]) -> u32,
) {
    let kind = |index| {
        if index < COUNT {
            Type::PackedF32
        } else {
            Type::None
        }
    };
    let operands = wave.operands::<COUNT>(op, [kind(0), kind(1), kind(2)], Type::PackedF32);
    let plain = wave.mode.plain;
    let context = wave.mode.context();
    for group in 0..wave.groups {
        let mut results = [[0; GROUP]; 2];
        let mut word = 0;
        while word < 2 {
            let mut sources = [[0; GROUP]; 3];
            let mut index = 0;
            while index < COUNT {
                sources[index] = operands.load_word::<B32>(index, group, word);
                index += 1;
            }
            let [a, b, c] = sources;
            let mut values = lanes(
                #[inline(always)]
                |i| quick([a[i], b[i], c[i]]).0,
            );
            let unusual = any(
                #[inline(always)]
                |i| quick([a[i], b[i], c[i]]).1,
            );
            if unusual | !plain {
                values = lanes(
                    #[inline(always)]
                    |i| lane(context, [a[i], b[i], c[i]]),
                );
            }
            results[word] = values;
            word += 1;
        }
        operands.store_word::<B32>(group, 0, results[0]);
        operands.store_word::<B32>(group, 1, results[1]);
    }
    wave.finish(op, &operands, Type::PackedF32);
}

/// Short cuts of the float rows: the host's operation, unusual if it gives NaN.
pub(super) mod quick {
    macro_rules! shortcuts {
        ($module:ident, $float:ty, $bits:ty, $signed:ty) => {
            pub(in super::super) mod $module {
                #[inline(always)]
                fn settled(value: $float) -> ($bits, bool) {
                    (value.to_bits(), value.is_nan())
                }

                #[inline(always)]
                pub fn add(a: $bits, b: $bits) -> ($bits, bool) {
                    settled(<$float>::from_bits(a) + <$float>::from_bits(b))
                }

                #[inline(always)]
                pub fn sub(a: $bits, b: $bits) -> ($bits, bool) {
                    settled(<$float>::from_bits(a) - <$float>::from_bits(b))
                }

                #[allow(dead_code)]
                #[inline(always)]
                pub fn subrev(a: $bits, b: $bits) -> ($bits, bool) {
                    sub(b, a)
                }

                #[inline(always)]
                pub fn mul(a: $bits, b: $bits) -> ($bits, bool) {
                    settled(<$float>::from_bits(a) * <$float>::from_bits(b))
                }

                #[inline(always)]
                pub fn fma(a: $bits, b: $bits, c: $bits) -> ($bits, bool) {
                    settled(
                        <$float>::from_bits(a)
                            .mul_add(<$float>::from_bits(b), <$float>::from_bits(c)),
                    )
                }

                /// An integer that orders all numbers, -0 below +0.
                #[inline(always)]
                fn order(x: $bits) -> $signed {
                    let x = x as $signed;
                    x ^ ((x >> (<$bits>::BITS - 1)) as $bits >> 1) as $signed
                }

                #[inline(always)]
                fn unordered(a: $bits, b: $bits) -> bool {
                    <$float>::from_bits(a).is_nan() | <$float>::from_bits(b).is_nan()
                }

                #[inline(always)]
                pub fn min(a: $bits, b: $bits) -> ($bits, bool) {
                    (if order(a) <= order(b) { a } else { b }, unordered(a, b))
                }

                #[inline(always)]
                pub fn max(a: $bits, b: $bits) -> ($bits, bool) {
                    (if order(a) >= order(b) { a } else { b }, unordered(a, b))
                }
            }
        };
    }
    shortcuts!(float32, f32, u32, i32);
    shortcuts!(float64, f64, u64, i64);
}

/// Two sources, a vector result and a mask result; `carry` is the lane's bit of the source mask (`false` without one).
#[inline(always)]
pub(super) fn carry2<A: Lane, B: Lane, R: Lane>(
    wave: &mut Wave,
    op: &MicroOp,
    mask_source: bool,
    lane: impl Fn(Context, A::Value, B::Value, bool) -> (R::Value, bool),
) {
    let operands = wave.operands::<2>(op, [A::TYPE, B::TYPE, Type::None], R::TYPE);
    let carry = if mask_source {
        wave.mask(op.mask_src as usize)
    } else {
        0
    };
    let mut mask = 0u64;
    with_context(
        wave,
        op,
        #[inline(always)]
        |wave, context| {
            for group in 0..wave.groups {
                let a = operands.load::<A>(0, group);
                let b = operands.load::<B>(1, group);
                let carry = unpack((carry >> (GROUP * group)) as u16);
                let pairs: [(R::Value, bool); GROUP] = lanes(
                    #[inline(always)]
                    |i| lane(context, a[i], b[i], carry[i] != 0),
                );
                operands.store::<R>(
                    group,
                    lanes(
                        #[inline(always)]
                        |i| pairs[i].0,
                    ),
                );
                mask |= u64::from(pack(lanes(
                    #[inline(always)]
                    |i| pairs[i].1,
                ))) << (GROUP * group);
            }
        },
    );
    wave.finish(op, &operands, R::TYPE);
    wave.set_mask(op.mask_dst as usize, mask & operands.exec);
}

/// Two sources, a vector result and a mask result.
#[inline(always)]
pub(super) fn carry_out2<A: Lane, B: Lane, R: Lane>(
    wave: &mut Wave,
    op: &MicroOp,
    lane: impl Fn(Context, A::Value, B::Value) -> (R::Value, bool),
) {
    carry2::<A, B, R>(
        wave,
        op,
        false,
        #[inline(always)]
        |context, a, b, _| lane(context, a, b),
    );
}

/// The same with three sources.
#[inline(always)]
pub(super) fn carry3<A: Lane, B: Lane, C: Lane, R: Lane>(
    wave: &mut Wave,
    op: &MicroOp,
    lane: impl Fn(Context, A::Value, B::Value, C::Value) -> (R::Value, bool),
) {
    let operands = wave.operands::<3>(op, [A::TYPE, B::TYPE, C::TYPE], R::TYPE);
    let mut mask = 0u64;
    with_context(
        wave,
        op,
        #[inline(always)]
        |wave, context| {
            for group in 0..wave.groups {
                let a = operands.load::<A>(0, group);
                let b = operands.load::<B>(1, group);
                let c = operands.load::<C>(2, group);
                let pairs: [(R::Value, bool); GROUP] = lanes(
                    #[inline(always)]
                    |i| lane(context, a[i], b[i], c[i]),
                );
                operands.store::<R>(
                    group,
                    lanes(
                        #[inline(always)]
                        |i| pairs[i].0,
                    ),
                );
                mask |= u64::from(pack(lanes(
                    #[inline(always)]
                    |i| pairs[i].1,
                ))) << (GROUP * group);
            }
        },
    );
    wave.finish(op, &operands, R::TYPE);
    wave.set_mask(op.mask_dst as usize, mask & operands.exec);
}

/// Three sources and VCC, a vector result.
#[inline(always)]
pub(super) fn masked3<A: Lane, B: Lane, C: Lane, R: Lane>(
    wave: &mut Wave,
    op: &MicroOp,
    lane: impl Fn(Context, A::Value, B::Value, C::Value, bool) -> R::Value,
) {
    let operands = wave.operands::<3>(op, [A::TYPE, B::TYPE, C::TYPE], R::TYPE);
    let mask = wave.mask(op.mask_src as usize);
    with_context(
        wave,
        op,
        #[inline(always)]
        |wave, context| {
            for group in 0..wave.groups {
                let a = operands.load::<A>(0, group);
                let b = operands.load::<B>(1, group);
                let c = operands.load::<C>(2, group);
                let bits = unpack((mask >> (GROUP * group)) as u16);
                operands.store::<R>(
                    group,
                    lanes(
                        #[inline(always)]
                        |i| lane(context, a[i], b[i], c[i], bits[i] != 0),
                    ),
                );
            }
        },
    );
    wave.finish(op, &operands, R::TYPE);
}

/// Two sources selected by a lane mask.
#[inline(always)]
pub(super) fn select<A: Lane>(wave: &mut Wave, op: &MicroOp) {
    let operands = wave.operands::<2>(op, [A::TYPE, A::TYPE, Type::None], A::TYPE);
    let mask = wave.mask(op.mask_src as usize);
    for group in 0..wave.groups {
        let a = operands.load::<A>(0, group);
        let b = operands.load::<A>(1, group);
        let chosen = unpack((mask >> (GROUP * group)) as u16);
        operands.store::<A>(
            group,
            lanes(
                #[inline(always)]
                |i| if chosen[i] != 0 { b[i] } else { a[i] },
            ),
        );
    }
    wave.finish(op, &operands, A::TYPE);
}

/// A comparison: mask of active lanes for which `lane` holds.
#[inline(always)]
pub(super) fn compare<A: Lane, B: Lane>(
    wave: &mut Wave,
    op: &MicroOp,
    lane: impl Fn(Context, A::Value, B::Value) -> bool,
) -> u64 {
    let operands = wave.operands::<2>(op, [A::TYPE, B::TYPE, Type::None], Type::None);
    let mut mask = 0u64;
    with_context(
        wave,
        op,
        #[inline(always)]
        |wave, context| {
            for group in 0..wave.groups {
                let a = operands.load::<A>(0, group);
                let b = operands.load::<B>(1, group);
                let holds: [bool; GROUP] = lanes(
                    #[inline(always)]
                    |i| lane(context, a[i], b[i]),
                );
                mask |= u64::from(pack(holds)) << (GROUP * group);
            }
        },
    );
    mask & operands.exec
}

/// One bit per lane.
#[inline(always)]
pub(super) fn pack(holds: [bool; GROUP]) -> u16 {
    let bytes: [u8; GROUP] = lanes(
        #[inline(always)]
        |i| if holds[i] { 0xff } else { 0 },
    );
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: SSE2 is part of x86-64; the types have equal size.
        unsafe {
            use std::arch::x86_64::{__m128i, _mm_movemask_epi8};
            _mm_movemask_epi8(std::mem::transmute::<[u8; GROUP], __m128i>(bytes)) as u16
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        bytes
            .iter()
            .enumerate()
            .fold(0, |mask, (lane, &byte)| mask | u16::from(byte & 1) << lane)
    }
}

/// One word of zero or non-zero per lane.
#[inline(always)]
pub(super) fn unpack(mask: u16) -> [u32; GROUP] {
    let mask = u32::from(mask);
    lanes(
        #[inline(always)]
        |lane| mask & (1 << lane),
    )
}

/// Vector rows: `mnemonic: (source types) -> result type [attributes] = |context, a, b, ..| value;`.
///
/// `quick module::function` after the result names a short cut of [`quick`] for the usual mode.
/// Attributes: `tied` (the last source is the destination), `literal = N` (fmamk, fmaak), `carry_in` and `carry_out` (the
/// body takes the lane's bit of the mask as last argument and returns `(value, carry)`), `keep_high` and `high_half` (where a
/// 16-bit result goes).
macro_rules! vector_rows {
    ($($name:ident: ($($source:ident),+) -> $result:ident $(quick $module:ident::$quick:ident)?
        $([$($attribute:ident $(= $setting:expr)?),*])? = |$($argument:pat_param),*| $body:expr;)*) => {
        $(
            #[allow(non_camel_case_types)]
            struct $name;
            impl crate::shell::Body for $name {
                #[inline(always)]
                fn run(
                    wave: &mut crate::state::Wave,
                    op: &crate::micro_op::MicroOp,
                    _: &mut crate::engine::Env<'_>,
                ) -> u32 {
                    $crate::rows::vector_macros::vector_body!(
                        wave, op, ($($source),+) -> $result $(quick $module::$quick)? [$($($attribute),*)?],
                        #[inline(always)] |$($argument),*| $body
                    );
                    u32::from(op.after)
                }
            }
        )*
        /// Appends this file's rows.
        pub(super) fn rows(rows: &mut Vec<crate::rows::Row>) {
            $(
                #[allow(unused_mut)]
                let mut shape = crate::rows::VectorShape {
                    sources: $crate::rows::vector_macros::source_types!($($source),+),
                    result: <$result as crate::ports::Lane>::TYPE,
                    ..crate::rows::VectorShape::NONE
                };
                $($($crate::rows::vector_macros::vector_attribute!(shape, $attribute $(= $setting)?);)*)?
                rows.push(crate::rows::Row {
                    mnemonic: stringify!($name),
                    shape: crate::rows::Shape::Vector(shape),
                    handler: crate::shell::handler::<$name>,
                    width: 0,
                    attribute: 0,
                    changes_exec: false,
                });
            )*
        }
    };
}

macro_rules! vector_body {
    ($wave:expr, $op:expr, ($a:ident, $b:ident) -> $r:ident quick $module:ident::$quick:ident [$($attribute:ident),*], $lane:expr) => {
        crate::rows::vector_macros::quick2::<$a, $b, $r>(
            $wave,
            $op,
            crate::rows::vector_macros::quick::$module::$quick,
            $lane,
        )
    };
    ($wave:expr, $op:expr, ($a:ident, $b:ident, $c:ident) -> $r:ident quick $module:ident::$quick:ident [$($attribute:ident),*], $lane:expr) => {
        crate::rows::vector_macros::quick3::<$a, $b, $c, $r>(
            $wave,
            $op,
            crate::rows::vector_macros::quick::$module::$quick,
            $lane,
        )
    };
    ($wave:expr, $op:expr, ($a:ident, $b:ident) -> $r:ident [carry_out], $lane:expr) => {
        crate::rows::vector_macros::carry_out2::<$a, $b, $r>($wave, $op, $lane)
    };
    ($wave:expr, $op:expr, ($a:ident, $b:ident) -> $r:ident [carry_in, carry_out], $lane:expr) => {
        crate::rows::vector_macros::carry2::<$a, $b, $r>($wave, $op, true, $lane)
    };
    ($wave:expr, $op:expr, ($a:ident, $b:ident, $c:ident) -> $r:ident [carry_out], $lane:expr) => {
        crate::rows::vector_macros::carry3::<$a, $b, $c, $r>($wave, $op, $lane)
    };
    ($wave:expr, $op:expr, ($a:ident, $b:ident, $c:ident) -> $r:ident [carry_in], $lane:expr) => {
        crate::rows::vector_macros::masked3::<$a, $b, $c, $r>($wave, $op, $lane)
    };
    ($wave:expr, $op:expr, ($a:ident) -> $r:ident [$($attribute:ident),*], $lane:expr) => {
        crate::rows::vector_macros::map1::<$a, $r>($wave, $op, $lane)
    };
    ($wave:expr, $op:expr, ($a:ident, $b:ident) -> $r:ident [$($attribute:ident),*], $lane:expr) => {
        crate::rows::vector_macros::map2::<$a, $b, $r>($wave, $op, $lane)
    };
    ($wave:expr, $op:expr, ($a:ident, $b:ident, $c:ident) -> $r:ident [$($attribute:ident),*], $lane:expr) => {
        crate::rows::vector_macros::map3::<$a, $b, $c, $r>($wave, $op, $lane)
    };
}

macro_rules! source_types {
    ($a:ident) => {
        [
            <$a as crate::ports::Lane>::TYPE,
            crate::ports::Type::None,
            crate::ports::Type::None,
        ]
    };
    ($a:ident, $b:ident) => {
        [
            <$a as crate::ports::Lane>::TYPE,
            <$b as crate::ports::Lane>::TYPE,
            crate::ports::Type::None,
        ]
    };
    ($a:ident, $b:ident, $c:ident) => {
        [
            <$a as crate::ports::Lane>::TYPE,
            <$b as crate::ports::Lane>::TYPE,
            <$c as crate::ports::Lane>::TYPE,
        ]
    };
}

macro_rules! vector_attribute {
    ($shape:expr, tied) => {
        $shape.tied = true
    };
    ($shape:expr, keep_high) => {
        $shape.keep_high = true
    };
    ($shape:expr, high_half) => {
        $shape.high_half = true
    };
    ($shape:expr, carry_in) => {
        $shape.mask_source = true
    };
    ($shape:expr, carry_out) => {
        $shape.mask_result = true
    };
    ($shape:expr, literal = $position:expr) => {
        $shape.literal_position = $position
    };
}

pub(super) use {source_types, vector_attribute, vector_body, vector_rows};
