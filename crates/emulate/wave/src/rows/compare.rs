//! VOPC: comparisons of all types and conditions, with and without writing EXEC, and the class tests.

use super::{
    Destination, Row, VectorShape,
    loops::{compare, other_modes},
};
use crate::{
    engine::Env,
    micro_op::{MicroOp, flow},
    mode::Context,
    ports::*,
    shell::{Form, VectorBody},
    state::{Wave, sreg},
};
use numerics::Condition;

#[cfg(target_arch = "x86_64")]
use super::function::{Function, map2, mask_word};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::__m512i;

/// How two values of a lane type relate.
trait Compare: Lane {
    /// See [`VectorBody::MODE`].
    const MODE: bool;
    fn holds(condition: Condition, context: Context, a: Self::Value, b: Self::Value) -> bool;
}

macro_rules! integer_compare {
    ($($lane:ident)*) => {$(
        impl Compare for $lane {
            const MODE: bool = false;
            #[inline(always)]
            fn holds(condition: Condition, _: Context, a: Self::Value, b: Self::Value) -> bool {
                condition.of_integers(a, b)
            }
        }
    )*};
}

integer_compare!(B16 I16 B32 I32);

/// 64 bits compare as two words: as wide as those are, host vectors hold as many lanes as registers' do.
macro_rules! long_compare {
    ($($lane:ident, $high:ty;)*) => {$(
        impl Compare for $lane {
            const MODE: bool = false;
            #[inline(always)]
            fn holds(condition: Condition, _: Context, a: Self::Value, b: Self::Value) -> bool {
                let high = |x: Self::Value| (x >> 32) as $high;
                let same = high(a) == high(b);
                let less = (high(a) < high(b)) | same & ((a as u32) < b as u32);
                let equal = same & (a as u32 == b as u32);
                condition.holds(less, equal, !less & !equal, false)
            }
        }
    )*};
}

long_compare! {
    B64, u32;
    I64, i32;
}

macro_rules! float_compare {
    ($($lane:ident, $module:ident, $denormals:ident;)*) => {$(
        impl Compare for $lane {
            const MODE: bool = true;
            #[inline(always)]
            fn holds(condition: Condition, context: Context, a: Self::Value, b: Self::Value) -> bool {
                numerics::$module::compare(condition, a, b, context.$denormals)
            }
        }
    )*};
}

float_compare! {
    F16, float16, denormals64;
}

/// f32 and f64 compare as the host does, which is exact and one vector instruction.
macro_rules! native_compare {
    ($($lane:ident, $module:ident, $float:ty, $denormals:ident;)*) => {$(
        impl Compare for $lane {
            const MODE: bool = true;
            #[inline(always)]
            fn holds(condition: Condition, context: Context, a: Self::Value, b: Self::Value) -> bool {
                let a = <$float>::from_bits(numerics::$module::flush_in(a, context.$denormals));
                let b = <$float>::from_bits(numerics::$module::flush_in(b, context.$denormals));
                // One comparison of the host's each; the upper half of the conditions denies the lower one.
                let denied = condition.0 > 7;
                denied
                    ^ match if denied { 15 - condition.0 } else { condition.0 } {
                        0 => false,
                        1 => a < b,
                        2 => a == b,
                        3 => a <= b,
                        4 => a > b,
                        5 => (a < b) | (a > b),
                        6 => a >= b,
                        _ => !(a.is_nan() | b.is_nan()),
                    }
            }
        }
    )*};
}

native_compare! {
    F32, float32, f32, denormals32;
    F64, float64, f64, denormals64;
}

#[cfg(target_arch = "x86_64")]
vectors::compiled_for! { Avx512:
    // The host's ABI for vectors is what is asked for, and no other language calls it.
    #[allow(improper_ctypes_definitions)]
    unsafe extern "C" fn compared<L: Compare, const CONDITION: u8>(
        a: __m512i,
        b: __m512i,
        c: __m512i,
    ) -> __m512i {
        // SAFETY: only rows whose types have one word have this function.
        unsafe {
            map2::<L, L, B32>(
                [a, b, c],
                #[inline(always)]
                |context, a, b| mask_word(L::holds(Condition(CONDITION), context, a, b)),
            )
        }
    }
}

/// Test of a value's class against the mask in the second source.
trait Class: Lane {
    /// The mask, of which ten bits count.
    type Classes: Lane<Value: Into<u32>>;
    fn in_classes(value: Self::Value, classes: u32) -> bool;
}

macro_rules! class {
    ($($lane:ident, $classes:ident, $module:ident;)*) => {$(
        impl Class for $lane {
            type Classes = $classes;
            #[inline(always)]
            fn in_classes(value: Self::Value, classes: u32) -> bool {
                numerics::$module::class(value, classes)
            }
        }
    )*};
}

class! {
    F16, B16, float16;
    F32, B32, float32;
    F64, B32, float64;
}

/// Writes a comparison's mask; v_cmpx also sets EXEC (gfx10 has only that result).
#[inline(always)]
fn deliver<const EXEC: bool>(wave: &mut Wave, op: &MicroOp, mask: u64) -> u32 {
    wave.set_mask(op.vector().mask_dst as usize, mask);
    if EXEC {
        wave.set_mask(sreg::EXEC, mask);
        return flow::EXEC_CHANGED;
    }
    u32::from(op.after)
}

struct Ordered<L, const CONDITION: u8, const EXEC: bool>(std::marker::PhantomData<L>);

impl<L: Compare, const CONDITION: u8, const EXEC: bool> VectorBody for Ordered<L, CONDITION, EXEC> {
    const SOURCES: usize = 2;
    const MODE: bool = L::MODE;
    /// Compiled code rarely writes EXEC by a comparison, and loops count in 32 bits.
    const HOT: bool = !EXEC && matches!(L::TYPE, Type::B32 | Type::F32);
    const AVX512_ALONE: bool = !EXEC && matches!(L::TYPE, Type::F64 | Type::B64);
    #[cfg(target_arch = "x86_64")]
    fn function() -> Option<Function> {
        let is_word = matches!(L::TYPE, Type::B32 | Type::F32);
        (is_word && !EXEC).then(|| Function::exact(compared::<L, CONDITION>))
    }
    #[inline(always)]
    fn run<F: Form>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        other_modes!(wave, op, env, Self, F);
        let mask = compare::<Self, F, L, L>(
            wave,
            op,
            #[inline(always)]
            |context, a, b| L::holds(Condition(CONDITION), context, a, b),
        );
        deliver::<EXEC>(wave, op, mask)
    }
}

struct InClass<L, const EXEC: bool>(std::marker::PhantomData<L>);

impl<L: Class, const EXEC: bool> VectorBody for InClass<L, EXEC> {
    const SOURCES: usize = 2;
    const MODE: bool = false;
    /// Every function of a mathematics library asks for the class of a single, by a constant mask.
    const HOT: bool = !EXEC && matches!(L::TYPE, Type::F32);
    const NO_AVX512: bool = true;
    #[inline(always)]
    fn run<F: Form>(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let mask = compare::<Self, F, L, L::Classes>(
            wave,
            op,
            #[inline(always)]
            |_, a, b| L::in_classes(a, b.into()),
        );
        deliver::<EXEC>(wave, op, mask)
    }
}

fn push<B: VectorBody>(
    rows: &mut Vec<Row>,
    mnemonic: &'static str,
    sources: [Type; 2],
    writes_exec: bool,
) {
    let shape = VectorShape {
        sources: [sources[0], sources[1], Type::None],
        destination: Destination::Mask,
        writes_exec,
        ..VectorShape::NONE
    };
    rows.push(Row::vector::<B>(mnemonic, shape));
}

macro_rules! conditions {
    ($rows:ident, $lane:ident, $suffix:literal: $($name:literal = $code:literal),*) => {$(
        push::<Ordered<$lane, $code, false>>($rows, concat!("v_cmp_", $name, "_", $suffix), [<$lane>::TYPE; 2], false);
        push::<Ordered<$lane, $code, true>>($rows, concat!("v_cmpx_", $name, "_", $suffix), [<$lane>::TYPE; 2], true);
    )*};
}

macro_rules! float_conditions {
    ($rows:ident, $lane:ident, $suffix:literal) => {
        conditions!($rows, $lane, $suffix: "f" = 0, "lt" = 1, "eq" = 2, "le" = 3, "gt" = 4, "lg" = 5, "ge" = 6, "o" = 7,
            "u" = 8, "nge" = 9, "nlg" = 10, "ngt" = 11, "nle" = 12, "neq" = 13, "nlt" = 14, "tru" = 15);
        push::<InClass<$lane, false>>($rows, concat!("v_cmp_class_", $suffix), [<$lane>::TYPE, <$lane as Class>::Classes::TYPE], false);
        push::<InClass<$lane, true>>($rows, concat!("v_cmpx_class_", $suffix), [<$lane>::TYPE, <$lane as Class>::Classes::TYPE], true);
    };
}

macro_rules! integer_conditions {
    ($rows:ident, $lane:ident, $suffix:literal) => {
        conditions!($rows, $lane, $suffix: "f" = 0, "lt" = 1, "eq" = 2, "le" = 3, "gt" = 4, "ne" = 5, "ge" = 6, "t" = 7);
    };
}

/// Appends this file's rows.
pub(super) fn rows(rows: &mut Vec<Row>) {
    float_conditions!(rows, F16, "f16");
    float_conditions!(rows, F32, "f32");
    float_conditions!(rows, F64, "f64");
    integer_conditions!(rows, I16, "i16");
    integer_conditions!(rows, B16, "u16");
    integer_conditions!(rows, I32, "i32");
    integer_conditions!(rows, B32, "u32");
    integer_conditions!(rows, I64, "i64");
    integer_conditions!(rows, B64, "u64");
}
