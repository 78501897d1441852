//! Single precision on `u32` bit patterns.

use crate::bits::representation;
use crate::native::native_arithmetic;
use crate::soft::{F32, Value};
use crate::{Condition, Denormals, Round};

representation!(u32, i32, mantissa 23, exponent 8);
native_arithmetic!(f32, u32, F32);

/// `v_mad_f32` and `v_mac_f32`: product rounded, then sum rounded; denormals are always flushed, in, between and out.
#[inline(always)]
pub fn mad(a: u32, b: u32, c: u32) -> u32 {
    add(mul(a, b, Denormals::FLUSH), c, Denormals::FLUSH)
}

/// `v_mad_legacy_f32`: as [`mad`], but a zero factor makes the product +0.
#[inline(always)]
pub fn mad_legacy(a: u32, b: u32, c: u32) -> u32 {
    add(mul_legacy(a, b, Denormals::FLUSH), c, Denormals::FLUSH)
}

/// `x * 2^power` rounded once, to nearest even.
#[inline(always)]
pub fn ldexp(x: u32, power: i32, denormals: Denormals) -> u32 {
    let x = flush_in(x, denormals);
    // Every f32 times 2^±400 is a normal f64 far outside f32's range, so clamping changes nothing and the product is exact.
    let power = power.clamp(-400, 400);
    let factor = f64::from_bits(((power + 1023) as u64) << 52);
    let r = ((value(x) as f64 * factor) as f32).to_bits();
    flush_out(settle_nan1(r, x), denormals)
}
