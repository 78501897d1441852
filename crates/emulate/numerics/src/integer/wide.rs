//! 24-bit and wide products, carries, and the saturation that CLAMP means for integers.

/// The low 24 bits, zero-extended.
#[inline(always)]
pub const fn u24(x: u32) -> u32 {
    x & 0xff_ffff
}

/// The low 24 bits, sign-extended.
#[inline(always)]
pub const fn i24(x: u32) -> i32 {
    ((x << 8) as i32) >> 8
}

/// `v_mul_u32_u24`.
#[inline(always)]
pub const fn mul_u32_u24(a: u32, b: u32) -> u32 {
    u24(a).wrapping_mul(u24(b))
}

/// `v_mul_i32_i24`.
#[inline(always)]
pub const fn mul_i32_i24(a: u32, b: u32) -> u32 {
    i24(a).wrapping_mul(i24(b)) as u32
}

/// `v_mul_hi_u32_u24`: bits 47:32 of the product.
#[inline(always)]
pub const fn mul_hi_u32_u24(a: u32, b: u32) -> u32 {
    ((u24(a) as u64 * u24(b) as u64) >> 32) as u32
}

/// `v_mul_hi_i32_i24`: the signed product shifted right by 32.
#[inline(always)]
pub const fn mul_hi_i32_i24(a: u32, b: u32) -> u32 {
    ((i24(a) as i64 * i24(b) as i64) >> 32) as u32
}

/// `v_mad_u32_u24`; `clamp` limits the exact sum to `u32`.
#[inline(always)]
pub const fn mad_u32_u24(a: u32, b: u32, c: u32, clamp: bool) -> u32 {
    let exact = u24(a) as u64 * u24(b) as u64 + c as u64;
    if clamp && exact > u32::MAX as u64 {
        u32::MAX
    } else {
        exact as u32
    }
}

/// `v_mad_i32_i24`; `clamp` limits the exact sum to `i32`.
#[inline(always)]
pub const fn mad_i32_i24(a: u32, b: u32, c: u32, clamp: bool) -> u32 {
    let exact = i24(a) as i64 * i24(b) as i64 + c as i32 as i64;
    if clamp {
        saturate_i32(exact)
    } else {
        exact as u32
    }
}

/// `v_mad_u32_u16`.
#[inline(always)]
pub const fn mad_u32_u16(a: u16, b: u16, c: u32, clamp: bool) -> u32 {
    let exact = a as u64 * b as u64 + c as u64;
    if clamp && exact > u32::MAX as u64 {
        u32::MAX
    } else {
        exact as u32
    }
}

/// `v_mad_i32_i16`.
#[inline(always)]
pub const fn mad_i32_i16(a: u16, b: u16, c: u32, clamp: bool) -> u32 {
    let exact = a as i16 as i64 * b as i16 as i64 + c as i32 as i64;
    if clamp {
        saturate_i32(exact)
    } else {
        exact as u32
    }
}

/// `v_mad_u16`; `clamp` limits the exact sum to `u16`.
#[inline(always)]
pub const fn mad_u16(a: u16, b: u16, c: u16, clamp: bool) -> u16 {
    let exact = a as u64 * b as u64 + c as u64;
    if clamp && exact > u16::MAX as u64 {
        u16::MAX
    } else {
        exact as u16
    }
}

/// `v_mad_i16`; `clamp` limits the exact sum to `i16`.
#[inline(always)]
pub const fn mad_i16(a: u16, b: u16, c: u16, clamp: bool) -> u16 {
    let exact = a as i16 as i32 * b as i16 as i32 + c as i16 as i32;
    if clamp {
        crate::convert::saturate_i16(exact)
    } else {
        exact as u16
    }
}

/// `v_mul_hi_u32`.
#[inline(always)]
pub const fn mul_hi_u32(a: u32, b: u32) -> u32 {
    ((a as u64 * b as u64) >> 32) as u32
}

/// `v_mul_hi_i32`.
#[inline(always)]
pub const fn mul_hi_i32(a: u32, b: u32) -> u32 {
    ((a as i32 as i64 * b as i32 as i64) >> 32) as u32
}

/// `v_mad_u64_u32`: the sum and its carry out of 64 bits.
#[inline(always)]
pub const fn mad_u64_u32(a: u32, b: u32, c: u64) -> (u64, bool) {
    (a as u64 * b as u64).overflowing_add(c)
}

/// `v_mad_i64_i32`: the sum and bit 64 of the exact 65-bit signed sum, which is its sign.
#[inline(always)]
pub const fn mad_i64_i32(a: u32, b: u32, c: u64) -> (u64, bool) {
    let exact = a as i32 as i128 * b as i32 as i128 + c as i64 as i128;
    (exact as u64, exact < 0)
}

/// `v_add_co_u32`: sum and carry.
#[inline(always)]
pub const fn add_co(a: u32, b: u32) -> (u32, bool) {
    a.overflowing_add(b)
}

/// `v_addc_co_u32`: sum with carry in, and carry out.
#[inline(always)]
pub const fn addc_co(a: u32, b: u32, carry: bool) -> (u32, bool) {
    let wide = a as u64 + b as u64 + carry as u64;
    (wide as u32, wide > u32::MAX as u64)
}

/// `v_sub_co_u32`: difference and borrow.
#[inline(always)]
pub const fn sub_co(a: u32, b: u32) -> (u32, bool) {
    a.overflowing_sub(b)
}

/// `v_subb_co_u32`: difference with borrow in, and borrow out.
#[inline(always)]
pub const fn subb_co(a: u32, b: u32, borrow: bool) -> (u32, bool) {
    (
        a.wrapping_sub(b).wrapping_sub(borrow as u32),
        b as u64 + borrow as u64 > a as u64,
    )
}

/// An exact sum limited to `i32`.
#[inline(always)]
pub const fn saturate_i32(x: i64) -> u32 {
    let x = if x > i32::MAX as i64 {
        i32::MAX as i64
    } else {
        x
    };
    (if x < i32::MIN as i64 {
        i32::MIN as i64
    } else {
        x
    }) as u32
}

/// An exact sum limited to `u32`.
#[inline(always)]
pub const fn saturate_u32(x: i64) -> u32 {
    let x = if x > u32::MAX as i64 {
        u32::MAX as i64
    } else {
        x
    };
    (if x < 0 { 0 } else { x }) as u32
}

/// `v_add_u32` with CLAMP.
#[inline(always)]
pub const fn add_clamp_u32(a: u32, b: u32) -> u32 {
    a.saturating_add(b)
}

/// `v_sub_u32` with CLAMP.
#[inline(always)]
pub const fn sub_clamp_u32(a: u32, b: u32) -> u32 {
    a.saturating_sub(b)
}

/// `v_add_i32` with CLAMP.
#[inline(always)]
pub const fn add_clamp_i32(a: u32, b: u32) -> u32 {
    (a as i32).saturating_add(b as i32) as u32
}

/// `v_sub_i32` with CLAMP.
#[inline(always)]
pub const fn sub_clamp_i32(a: u32, b: u32) -> u32 {
    (a as i32).saturating_sub(b as i32) as u32
}

/// Signed addition and its overflow: SCC of `s_add_i32` and `s_addk_i32`.
#[inline(always)]
pub const fn add_overflow_i32(a: u32, b: u32) -> (u32, bool) {
    let (sum, overflow) = (a as i32).overflowing_add(b as i32);
    (sum as u32, overflow)
}

/// Signed subtraction and its overflow: SCC of `s_sub_i32`.
#[inline(always)]
pub const fn sub_overflow_i32(a: u32, b: u32) -> (u32, bool) {
    let (difference, overflow) = (a as i32).overflowing_sub(b as i32);
    (difference as u32, overflow)
}
