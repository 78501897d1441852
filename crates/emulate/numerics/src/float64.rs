//! Double precision on `u64` bit patterns.

use crate::bits::representation;
use crate::native::native_arithmetic;
use crate::soft::{F64, Value};
use crate::{Condition, Denormals, Round};

representation!(u64, i64, mantissa 52, exponent 11);
native_arithmetic!(f64, u64, F64);

/// `x * 2^power` rounded once, to nearest even.
#[inline(always)]
pub fn ldexp(x: u64, power: i32, denormals: Denormals) -> u64 {
    let x = flush_in(x, denormals);
    // Zero stays itself below; scaled like others it would become a denormal, for which the host takes its time.
    let (scaled, lift) = normalised(if is_zero(x) { ONE } else { x });
    let field = ((scaled & INFINITY) >> MANTISSA_BITS) as i32;
    let one_to_two = value((scaled & (SIGN | FRACTION)) | ONE);
    let exponent = (field - 1023 - lift).saturating_add(power);
    let normal = exponent.clamp(-1022, 1023);
    let rest = (exponent.saturating_sub(normal)).clamp(-100, 1);
    // The first product is exact; only the second can round.
    let r = (one_to_two * power_of_two(normal) * power_of_two(rest)).to_bits();
    let r = if is_zero(x) | is_infinite(x) { x } else { r };
    flush_out(settle_nan1(r, x), denormals)
}

/// 2^`exponent` for normal exponents.
#[inline(always)]
fn power_of_two(exponent: i32) -> f64 {
    value(((exponent + 1023) as u64) << 52)
}
