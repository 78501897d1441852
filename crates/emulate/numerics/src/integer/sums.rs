//! Sums of absolute differences and byte averages.

/// Byte `index` of `x`.
#[inline(always)]
const fn byte(x: u32, index: u32) -> u32 {
    x >> (8 * index) & 0xff
}

/// `v_sad_u8`: four byte distances plus `add`.
#[inline(always)]
pub const fn sad_u8(a: u32, b: u32, add: u32) -> u32 {
    add.wrapping_add(byte(a, 0).abs_diff(byte(b, 0)))
        .wrapping_add(byte(a, 1).abs_diff(byte(b, 1)))
        .wrapping_add(byte(a, 2).abs_diff(byte(b, 2)))
        .wrapping_add(byte(a, 3).abs_diff(byte(b, 3)))
}

/// `v_sad_hi_u8`: the four byte distances, in the high half, plus `add`.
#[inline(always)]
pub const fn sad_hi_u8(a: u32, b: u32, add: u32) -> u32 {
    (sad_u8(a, b, 0) << 16).wrapping_add(add)
}

/// `v_sad_u16`: two half-word distances plus `add`.
#[inline(always)]
pub const fn sad_u16(a: u32, b: u32, add: u32) -> u32 {
    add.wrapping_add((a & 0xffff).abs_diff(b & 0xffff))
        .wrapping_add((a >> 16).abs_diff(b >> 16))
}

/// `v_sad_u32`: the unsigned distance plus `add`.
#[inline(always)]
pub const fn sad_u32(a: u32, b: u32, add: u32) -> u32 {
    a.abs_diff(b).wrapping_add(add)
}

/// Distance of one byte, 0 where the reference byte `b` is 0.
#[inline(always)]
const fn masked(a: u32, b: u32, index: u32) -> u32 {
    let reference = byte(b, index);
    if reference == 0 {
        0
    } else {
        byte(a, index).abs_diff(reference)
    }
}

/// `v_msad_u8`: as [`sad_u8`] but bytes where `b` is 0 do not count.
#[inline(always)]
pub const fn msad_u8(a: u32, b: u32, add: u32) -> u32 {
    add.wrapping_add(masked(a, b, 0))
        .wrapping_add(masked(a, b, 1))
        .wrapping_add(masked(a, b, 2))
        .wrapping_add(masked(a, b, 3))
}

/// The four bytes of `x` starting at byte `index`.
#[inline(always)]
const fn window(x: u64, index: u32) -> u32 {
    (x >> (8 * index)) as u32
}

/// Half-word `index` of `x`.
#[inline(always)]
const fn half(x: u64, index: u32) -> u32 {
    (x >> (16 * index)) as u32 & 0xffff
}

/// Four 16-bit results packed, each truncated, or limited to 65535 when `clamp`.
#[inline(always)]
const fn pack4(sums: [u32; 4], clamp: bool) -> u64 {
    let mut packed = 0;
    let mut i = 0;
    while i < 4 {
        let sum = if clamp && sums[i] > 0xffff {
            0xffff
        } else {
            sums[i] & 0xffff
        };
        packed |= (sum as u64) << (16 * i);
        i += 1;
    }
    packed
}

/// `v_qsad_pk_u16_u8`: four overlapping windows of `a` against `b`, accumulated on the halves of `add`.
#[inline(always)]
pub const fn qsad_pk_u16_u8(a: u64, b: u32, add: u64, clamp: bool) -> u64 {
    let sums = [
        sad_u8(window(a, 0), b, half(add, 0)),
        sad_u8(window(a, 1), b, half(add, 1)),
        sad_u8(window(a, 2), b, half(add, 2)),
        sad_u8(window(a, 3), b, half(add, 3)),
    ];
    pack4(sums, clamp)
}

/// `v_mqsad_pk_u16_u8`: as [`qsad_pk_u16_u8`], bytes where `b` is 0 do not count.
#[inline(always)]
pub const fn mqsad_pk_u16_u8(a: u64, b: u32, add: u64, clamp: bool) -> u64 {
    let sums = [
        msad_u8(window(a, 0), b, half(add, 0)),
        msad_u8(window(a, 1), b, half(add, 1)),
        msad_u8(window(a, 2), b, half(add, 2)),
        msad_u8(window(a, 3), b, half(add, 3)),
    ];
    pack4(sums, clamp)
}

/// `v_mqsad_u32_u8`: four overlapping windows, accumulated on four words.
#[inline(always)]
pub const fn mqsad_u32_u8(a: u64, b: u32, add: [u32; 4]) -> [u32; 4] {
    [
        msad_u8(window(a, 0), b, add[0]),
        msad_u8(window(a, 1), b, add[1]),
        msad_u8(window(a, 2), b, add[2]),
        msad_u8(window(a, 3), b, add[3]),
    ]
}

/// `v_lerp_u8`: per byte the average of `a` and `b`, rounded up where the low bit of that byte of `c` is set.
#[inline(always)]
pub const fn lerp_u8(a: u32, b: u32, c: u32) -> u32 {
    // Even and odd bytes apart, so that nine-bit sums have room.
    let even = ((a & 0x00ff_00ff) + (b & 0x00ff_00ff) + (c & 0x0001_0001)) >> 1 & 0x00ff_00ff;
    let odd = ((a >> 8 & 0x00ff_00ff) + (b >> 8 & 0x00ff_00ff) + (c >> 8 & 0x0001_0001)) >> 1
        & 0x00ff_00ff;
    even | odd << 8
}
