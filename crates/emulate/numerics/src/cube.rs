//! `v_cubeid_f32`, `v_cubesc_f32`, `v_cubetc_f32`, `v_cubema_f32`: which face of a cube a direction points at, and where.

use crate::Denormals;
use crate::float32::{self, abs, is_nan, neg};

/// The axis of largest magnitude; later axes win ties, and a NaN never wins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Major {
    X,
    Y,
    Z,
}

#[inline]
fn at_least(a: u32, b: u32) -> bool {
    !is_nan(a) & !is_nan(b) & (abs(a) >= abs(b))
}

#[inline]
fn major(x: u32, y: u32, z: u32) -> Major {
    if at_least(z, x) & at_least(z, y) {
        Major::Z
    } else if at_least(y, x) {
        Major::Y
    } else {
        Major::X
    }
}

/// Below zero; not for -0 or NaN.
#[inline]
fn negative(x: u32) -> bool {
    (x >> 31 != 0) & !is_nan(x) & (abs(x) != 0)
}

/// Face number 0.0 to 5.0.
#[inline]
pub fn id(x: u32, y: u32, z: u32) -> u32 {
    let (positive, component) = match major(x, y, z) {
        Major::X => (0.0f32, x),
        Major::Y => (2.0, y),
        Major::Z => (4.0, z),
    };
    (positive + negative(component) as u8 as f32).to_bits()
}

/// The S coordinate on the face.
#[inline]
pub fn sc(x: u32, y: u32, z: u32) -> u32 {
    match major(x, y, z) {
        Major::Z if negative(z) => neg(x),
        Major::Z | Major::Y => x,
        Major::X if negative(x) => z,
        Major::X => neg(z),
    }
}

/// The T coordinate on the face.
#[inline]
pub fn tc(x: u32, y: u32, z: u32) -> u32 {
    match major(x, y, z) {
        Major::Y if negative(y) => neg(z),
        Major::Y => z,
        Major::X | Major::Z => neg(y),
    }
}

/// Twice the major component.
#[inline]
pub fn ma(x: u32, y: u32, z: u32, denormals: Denormals) -> u32 {
    let component = match major(x, y, z) {
        Major::X => x,
        Major::Y => y,
        Major::Z => z,
    };
    float32::mul(component, 2.0f32.to_bits(), denormals)
}
