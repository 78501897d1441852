//! The form of vector rows, and the loops they expand to.

use crate::{
    micro_op::{MicroOp, modifier},
    mode::Context,
    ports::{B32, Lane, Operands, Type, lanes},
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
fn any(lane: impl Fn(usize) -> bool) -> bool {
    let mut any = 0u32;
    let mut index = 0;
    while index < GROUP {
        any |= u32::from(lane(index));
        index += 1;
    }
    any != 0
}

/// A short cut for the usual mode: the value of one lane, and whether it is not right after all (a NaN is involved). One
/// such lane sends its group of 16 the long way.
pub(super) trait Quick<const COUNT: usize, T> {
    fn value(sources: [T; COUNT]) -> T;
    fn unusual(sources: [T; COUNT], value: T) -> bool;
}

/// The long way of [`quick2`], out of line: what it needs would otherwise crowd the registers of the short one.
#[cold]
#[inline(never)]
fn exact2<A: Lane, B: Lane, R: Lane>(
    operands: &Operands,
    group: usize,
    lane: impl Fn(Context, A::Value, B::Value) -> R::Value,
) {
    let a = operands.load::<A>(0, group);
    let b = operands.load::<B>(1, group);
    operands.store::<R>(group, lanes(|i| lane(Context::PLAIN, a[i], b[i])));
}

/// The long way of [`quick3`].
#[cold]
#[inline(never)]
fn exact3<A: Lane, B: Lane, C: Lane, R: Lane>(
    operands: &Operands,
    group: usize,
    lane: impl Fn(Context, A::Value, B::Value, C::Value) -> R::Value,
) {
    let a = operands.load::<A>(0, group);
    let b = operands.load::<B>(1, group);
    let c = operands.load::<C>(2, group);
    operands.store::<R>(group, lanes(|i| lane(Context::PLAIN, a[i], b[i], c[i])));
}

/// [`map2`] with a short cut.
#[inline(always)]
pub(super) fn quick2<T, A, B, R, Q>(
    wave: &mut Wave,
    op: &MicroOp,
    lane: impl Fn(Context, T, T) -> T + Copy,
) where
    T: Copy,
    A: Lane<Value = T>,
    B: Lane<Value = T>,
    R: Lane<Value = T>,
    Q: Quick<2, T>,
{
    if !wave.mode.plain {
        return map2::<A, B, R>(wave, op, lane);
    }
    let operands = wave.operands::<2>(op, [A::TYPE, B::TYPE, Type::None], R::TYPE);
    for group in 0..wave.groups {
        let a = operands.load::<A>(0, group);
        let b = operands.load::<B>(1, group);
        let values = lanes(
            #[inline(always)]
            |i| Q::value([a[i], b[i]]),
        );
        let unusual = any(
            #[inline(always)]
            |i| Q::unusual([a[i], b[i]], values[i]),
        );
        if unusual {
            exact2::<A, B, R>(&operands, group, lane);
        } else {
            operands.store::<R>(group, values);
        }
    }
    wave.finish(op, &operands, R::TYPE);
}

/// [`map3`] with a short cut.
#[inline(always)]
pub(super) fn quick3<T, A, B, C, R, Q>(
    wave: &mut Wave,
    op: &MicroOp,
    lane: impl Fn(Context, T, T, T) -> T + Copy,
) where
    T: Copy,
    A: Lane<Value = T>,
    B: Lane<Value = T>,
    C: Lane<Value = T>,
    R: Lane<Value = T>,
    Q: Quick<3, T>,
{
    if !wave.mode.plain {
        return map3::<A, B, C, R>(wave, op, lane);
    }
    let operands = wave.operands::<3>(op, [A::TYPE, B::TYPE, C::TYPE], R::TYPE);
    for group in 0..wave.groups {
        let a = operands.load::<A>(0, group);
        let b = operands.load::<B>(1, group);
        let c = operands.load::<C>(2, group);
        let values = lanes(
            #[inline(always)]
            |i| Q::value([a[i], b[i], c[i]]),
        );
        let unusual = any(
            #[inline(always)]
            |i| Q::unusual([a[i], b[i], c[i]], values[i]),
        );
        if unusual {
            exact3::<A, B, C, R>(&operands, group, lane);
        } else {
            operands.store::<R>(group, values);
        }
    }
    wave.finish(op, &operands, R::TYPE);
}

/// Lane `lane` of every source.
#[inline(always)]
fn gather<const COUNT: usize>(sources: &[[u32; GROUP]; COUNT], lane: usize) -> [u32; COUNT] {
    let mut values = [0; COUNT];
    let mut index = 0;
    while index < COUNT {
        values[index] = sources[index][lane];
        index += 1;
    }
    values
}

/// The exact values of word `word` of a pair.
#[cold]
#[inline(never)]
fn exact_word<const COUNT: usize>(
    operands: &Operands,
    group: usize,
    word: usize,
    context: Context,
    lane: impl Fn(Context, [u32; COUNT]) -> u32,
) -> [u32; GROUP] {
    let mut sources = [[0; GROUP]; COUNT];
    for (index, source) in sources.iter_mut().enumerate() {
        *source = operands.load_word::<B32>(index, group, word);
    }
    lanes(|i| lane(context, gather(&sources, i)))
}

/// Both words of a packed pair of singles.
#[inline(always)]
pub(super) fn quick_pair<const COUNT: usize, Q: Quick<COUNT, u32>>(
    wave: &mut Wave,
    op: &MicroOp,
    lane: impl Fn(Context, [u32; COUNT]) -> u32 + Copy,
) {
    let mut types = [Type::None; 3];
    let mut index = 0;
    while index < COUNT {
        types[index] = Type::PackedF32;
        index += 1;
    }
    let operands = wave.operands::<COUNT>(op, types, Type::PackedF32);
    let plain = wave.mode.plain;
    let context = wave.mode.context();
    for group in 0..wave.groups {
        let mut results = [[0; GROUP]; 2];
        let mut word = 0;
        while word < 2 {
            let mut sources = [[0; GROUP]; COUNT];
            let mut index = 0;
            while index < COUNT {
                sources[index] = operands.load_word::<B32>(index, group, word);
                index += 1;
            }
            let values = lanes(
                #[inline(always)]
                |i| Q::value(gather(&sources, i)),
            );
            let unusual = any(
                #[inline(always)]
                |i| Q::unusual(gather(&sources, i), values[i]),
            );
            results[word] = if unusual | !plain {
                exact_word::<COUNT>(&operands, group, word, context, lane)
            } else {
                values
            };
            word += 1;
        }
        operands.store_word::<B32>(group, 0, results[0]);
        operands.store_word::<B32>(group, 1, results[1]);
    }
    wave.finish(op, &operands, Type::PackedF32);
}

/// Short cuts of the float rows: the host's operation, unusual if it gives NaN.
#[allow(non_camel_case_types, dead_code)]
pub(super) mod quick {
    use super::Quick;

    macro_rules! arithmetic {
        ($name:ident, $float:ty, $bits:ty, $count:literal, [$($x:ident),+] $value:expr) => {
            pub(in super::super::super) enum $name {}
            impl Quick<$count, $bits> for $name {
                #[inline(always)]
                fn value([$($x),+]: [$bits; $count]) -> $bits {
                    $(let $x = <$float>::from_bits($x);)+
                    let value: $float = $value;
                    value.to_bits()
                }
                #[inline(always)]
                fn unusual(_: [$bits; $count], value: $bits) -> bool {
                    is_nan(value)
                }
            }
        };
    }

    macro_rules! shortcuts {
        ($module:ident, $float:ty, $bits:ty, $signed:ty) => {
            pub(in super::super) mod $module {
                use super::Quick;

                /// As a signed comparison, which is one instruction on 256-bit vectors.
                #[inline(always)]
                fn is_nan(x: $bits) -> bool {
                    (x & numerics::$module::SIGN.wrapping_sub(1)) as $signed
                        > numerics::$module::INFINITY as $signed
                }

                /// An integer that orders all numbers, -0 below +0.
                #[inline(always)]
                fn order(x: $bits) -> $signed {
                    let x = x as $signed;
                    x ^ ((x >> (<$bits>::BITS - 1)) as $bits >> 1) as $signed
                }

                arithmetic!(add, $float, $bits, 2, [a, b] a + b);
                arithmetic!(sub, $float, $bits, 2, [a, b] a - b);
                arithmetic!(subrev, $float, $bits, 2, [a, b] b - a);
                arithmetic!(mul, $float, $bits, 2, [a, b] a * b);
                arithmetic!(fma, $float, $bits, 3, [a, b, c] a.mul_add(b, c));

                pub(in super::super::super) enum min {}
                impl Quick<2, $bits> for min {
                    #[inline(always)]
                    fn value([a, b]: [$bits; 2]) -> $bits {
                        if order(a) <= order(b) { a } else { b }
                    }
                    #[inline(always)]
                    fn unusual([a, b]: [$bits; 2], _: $bits) -> bool {
                        is_nan(a) | is_nan(b)
                    }
                }

                pub(in super::super::super) enum max {}
                impl Quick<2, $bits> for max {
                    #[inline(always)]
                    fn value([a, b]: [$bits; 2]) -> $bits {
                        if order(a) >= order(b) { a } else { b }
                    }
                    #[inline(always)]
                    fn unusual([a, b]: [$bits; 2], _: $bits) -> bool {
                        is_nan(a) | is_nan(b)
                    }
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
        crate::rows::vector_macros::quick2::<
            _,
            $a,
            $b,
            $r,
            crate::rows::vector_macros::quick::$module::$quick,
        >($wave, $op, $lane)
    };
    ($wave:expr, $op:expr, ($a:ident, $b:ident, $c:ident) -> $r:ident quick $module:ident::$quick:ident [$($attribute:ident),*], $lane:expr) => {
        crate::rows::vector_macros::quick3::<
            _,
            $a,
            $b,
            $c,
            $r,
            crate::rows::vector_macros::quick::$module::$quick,
        >($wave, $op, $lane)
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
