//! The rows that take the place of approximate functions where it was measured what hardware makes of them.

use gfx::{Family, Target};
use isa::Op;
use numerics::approx;

use super::{Row, VectorShape, loops::map1, row_name};
use crate::{
    engine::Env,
    measured::{Measured, part},
    micro_op::MicroOp,
    mode::Context,
    ports::*,
    shell::{Form, VectorBody},
    state::Wave,
};

/// A float as its bits.
trait Float: Lane {
    const BITS: u32;
    const INFINITY: u64;
    fn bits(value: Self::Value) -> u64;
    fn value(bits: u64) -> Self::Value;
}

macro_rules! floats {
    ($($lane:ident $value:ident $infinity:literal;)*) => {$(
        impl Float for $lane {
            const BITS: u32 = $value::BITS;
            const INFINITY: u64 = $infinity;
            fn bits(value: $value) -> u64 {
                value.into()
            }
            fn value(bits: u64) -> $value {
                bits as $value
            }
        }
    )*};
}

floats! {
    F16 u16 0x7c00;
    F32 u32 0x7f80_0000;
    F64 u64 0x7ff0_0000_0000_0000;
}

/// `result` moved by as many units of the last place as were measured for `input`.
fn moved<L: Float>(input: L::Value, result: L::Value, distances: &[i8]) -> L::Value {
    let bits = L::bits(result);
    let sign = 1_u64 << (L::BITS - 1);
    let magnitude = bits & (sign - 1);
    if distances.is_empty() || magnitude == 0 || magnitude >= L::INFINITY {
        return result;
    }
    let distance = match part(L::bits(input), L::BITS, distances.len()) {
        (_, true) => 0,
        (number, false) => i64::from(distances[number]),
    };
    // Floats in order are integers in order.
    let outwards = if bits & sign == 0 {
        distance
    } else {
        -distance
    };
    match magnitude.checked_add_signed(outwards) {
        Some(other) if other != 0 && other < L::INFINITY => L::value(bits & sign | other),
        _ => result,
    }
}

/// A function of one argument; `limited` is [`approx::sin_f32`]'s.
trait Function {
    type Lane: Float;
    const NUMBER: usize;
    fn exact(
        context: Context,
        argument: <Self::Lane as Lane>::Value,
        limited: bool,
    ) -> <Self::Lane as Lane>::Value;
}

struct Body<T>(std::marker::PhantomData<T>);

impl<T: Function> VectorBody for Body<T> {
    const SOURCES: usize = 1;
    const MODE: bool = true;
    const HOT: bool = false;
    fn run<F: Form>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let config = env.program.config();
        let limited = config.target.family == Family::Gfx9;
        let distances = match config.measured {
            Some(measured) => measured.distances(T::NUMBER),
            None => &[],
        };
        map1::<Self, F, T::Lane, T::Lane>(wave, op, env, |context, argument| {
            moved::<T::Lane>(argument, T::exact(context, argument, limited), distances)
        })
    }
}

macro_rules! functions {
    ($($name:ident: $lane:ident = |$context:ident, $argument:ident, $limited:ident| $result:expr;)*) => {
        /// Their rows' names.
        pub(crate) const FUNCTIONS: &[&str] = &[$(stringify!($name)),*];

        #[allow(non_camel_case_types)]
        enum Number {
            $($name),*
        }

        $(
            #[allow(non_camel_case_types)]
            struct $name;

            impl Function for $name {
                type Lane = $lane;
                const NUMBER: usize = Number::$name as usize;
                fn exact(
                    $context: Context,
                    $argument: <$lane as Lane>::Value,
                    $limited: bool,
                ) -> <$lane as Lane>::Value {
                    $result
                }
            }
        )*

        fn rows() -> Vec<Row> {
            vec![$(Row::vector::<Body<$name>>(
                stringify!($name),
                VectorShape {
                    sources: [<$lane as Lane>::TYPE, Type::None, Type::None],
                    result: <$lane as Lane>::TYPE,
                    ..VectorShape::NONE
                },
            )),*]
        }
    };
}

#[rustfmt::skip]
functions! {
    v_rcp_f32:        F32 = |_context, a, _limited| approx::rcp_f32(a);
    v_rcp_iflag_f32:  F32 = |_context, a, _limited| approx::rcp_f32(a);
    v_rsq_f32:        F32 = |_context, a, _limited| approx::rsq_f32(a);
    v_sqrt_f32:       F32 = |_context, a, _limited| approx::sqrt_f32(a);
    v_exp_f32:        F32 = |_context, a, _limited| approx::exp_f32(a);
    v_log_f32:        F32 = |_context, a, _limited| approx::log_f32(a);
    v_exp_legacy_f32: F32 = |_context, a, _limited| approx::exp_f32(a);
    v_log_legacy_f32: F32 = |_context, a, _limited| approx::log_f32(a);
    v_sin_f32:        F32 = |_context, a, limited| approx::sin_f32(a, limited);
    v_cos_f32:        F32 = |_context, a, limited| approx::cos_f32(a, limited);
    v_rcp_f16:        F16 = |context, a, _limited| approx::rcp_f16(a, context.denormals64);
    v_rsq_f16:        F16 = |context, a, _limited| approx::rsq_f16(a, context.denormals64);
    v_sqrt_f16:       F16 = |context, a, _limited| approx::sqrt_f16(a, context.denormals64);
    v_exp_f16:        F16 = |context, a, _limited| approx::exp_f16(a, context.denormals64);
    v_log_f16:        F16 = |context, a, _limited| approx::log_f16(a, context.denormals64);
    v_sin_f16:        F16 = |context, a, limited| approx::sin_f16(a, context.denormals64, limited);
    v_cos_f16:        F16 = |context, a, limited| approx::cos_f16(a, context.denormals64, limited);
    v_rcp_f64:        F64 = |context, a, _limited| approx::rcp_f64(a, context.denormals64);
    v_rsq_f64:        F64 = |context, a, _limited| approx::rsq_f64(a, context.denormals64);
    v_sqrt_f64:       F64 = |context, a, _limited| approx::sqrt_f64(a, context.denormals64);
}

/// The row of `op`, if that was measured.
pub(crate) fn find(measured: Option<Measured>, op: Op, target: &Target) -> Option<&'static Row> {
    static ROWS: std::sync::OnceLock<Vec<Row>> = std::sync::OnceLock::new();
    let measured = measured?;
    let name = row_name(op, target.family);
    let number = FUNCTIONS.iter().position(|known| *known == name)?;
    let is_known = !measured.distances(number).is_empty();
    is_known.then(|| &ROWS.get_or_init(rows)[number])
}
