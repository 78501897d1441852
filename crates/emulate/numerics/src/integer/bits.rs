//! Bit fields, permutes, scans and masks.

/// `v_bfe_u32`: `width` bits of `x` from `offset`; both from their low five bits, width 0 gives 0.
#[inline(always)]
pub const fn bfe_u32(x: u32, offset: u32, width: u32) -> u32 {
    (x >> (offset & 31)) & ((1 << (width & 31)) - 1)
}

/// `v_bfe_i32`: as [`bfe_u32`], sign-extended from the top bit of the field.
#[inline(always)]
pub const fn bfe_i32(x: u32, offset: u32, width: u32) -> u32 {
    sign_extend_field((((x as i32) >> (offset & 31)) as u32) as u64, width & 31) as u32
}

/// The low `width` (at most 63) bits, the highest of them repeated above; 0 for width 0.
#[inline(always)]
const fn sign_extend_field(field: u64, width: u32) -> u64 {
    let mask = (1u64 << (width & 63)) - 1;
    let sign = mask ^ (mask >> 1);
    let kept = field & mask;
    (kept ^ sign).wrapping_sub(sign)
}

/// `s_bfe_u32`: offset in bits 4:0 and width in bits 22:16 of `control`. SCC is "result not zero".
#[inline(always)]
pub const fn s_bfe_u32(x: u32, control: u32) -> u32 {
    let width = (control >> 16) & 0x7f;
    let field = x >> (control & 31);
    if width >= 32 {
        field
    } else {
        field & ((1 << width) - 1)
    }
}

/// `s_bfe_i32`: as [`s_bfe_u32`], sign-extended.
#[inline(always)]
pub const fn s_bfe_i32(x: u32, control: u32) -> u32 {
    let width = (control >> 16) & 0x7f;
    let field = ((x as i32) >> (control & 31)) as u32;
    if width >= 32 {
        field
    } else {
        sign_extend_field(field as u64, width) as u32
    }
}

/// `s_bfe_u64`: offset in bits 5:0 and width in bits 22:16 of `control`.
#[inline(always)]
pub const fn s_bfe_u64(x: u64, control: u32) -> u64 {
    let width = (control >> 16) & 0x7f;
    let field = x >> (control & 63);
    if width >= 64 {
        field
    } else {
        field & ((1 << width) - 1)
    }
}

/// `s_bfe_i64`: as [`s_bfe_u64`], sign-extended.
#[inline(always)]
pub const fn s_bfe_i64(x: u64, control: u32) -> u64 {
    let width = (control >> 16) & 0x7f;
    let field = ((x as i64) >> (control & 63)) as u64;
    if width >= 64 {
        field
    } else {
        sign_extend_field(field, width)
    }
}

/// `v_bfi_b32`: bits of `a` where `mask` is set, else of `b`.
#[inline(always)]
pub const fn bfi(mask: u32, a: u32, b: u32) -> u32 {
    (mask & a) | (!mask & b)
}

/// `v_bfm_b32`, `s_bfm_b32`: `width` ones starting at `offset`.
#[inline(always)]
pub const fn bfm_b32(width: u32, offset: u32) -> u32 {
    ((1u32 << (width & 31)) - 1) << (offset & 31)
}

/// `s_bfm_b64`.
#[inline(always)]
pub const fn bfm_b64(width: u32, offset: u32) -> u64 {
    ((1u64 << (width & 63)) - 1) << (offset & 63)
}

/// `v_alignbit_b32`: the 64 bits `high:low` shifted right by the low five bits of `amount`.
#[inline(always)]
pub const fn alignbit(high: u32, low: u32, amount: u32) -> u32 {
    (((high as u64) << 32 | low as u64) >> (amount & 31)) as u32
}

/// `v_alignbyte_b32`: as [`alignbit`] by the low two bits of `amount`, in bytes.
#[inline(always)]
pub const fn alignbyte(high: u32, low: u32, amount: u32) -> u32 {
    (((high as u64) << 32 | low as u64) >> (8 * (amount & 3))) as u32
}

/// `v_perm_b32`: each selector byte picks one of eight bytes (0 to 3 from `b`, 4 to 7 from `a`), a sign fill (8 to 11),
/// 00 (12) or FF.
#[inline(always)]
pub const fn perm(a: u32, b: u32, selectors: u32) -> u32 {
    perm_byte(a, b, selectors & 0xff)
        | perm_byte(a, b, selectors >> 8 & 0xff) << 8
        | perm_byte(a, b, selectors >> 16 & 0xff) << 16
        | perm_byte(a, b, selectors >> 24) << 24
}

// Nothing wider than 32 bits, so that vectors of lanes stay as they are.
#[inline(always)]
const fn perm_byte(a: u32, b: u32, selector: u32) -> u32 {
    let of = if selector & 4 != 0 { a } else { b };
    let picked = of >> (8 * (selector & 3)) & 0xff;
    // Selectors 8 to 11 look at bytes 1, 3, 5 and 7.
    let of = if selector & 2 != 0 { a } else { b };
    let fill = (of as i32) << (16 * (!selector & 1)) >> 31;
    let fill = fill as u32 & 0xff;
    let r = if selector >= 8 { fill } else { picked };
    let r = if selector == 12 { 0 } else { r };
    if selector > 12 { 0xff } else { r }
}

/// `v_ffbh_u32` (`clz`), `s_flbit_i32_b32`: leading zeros; all ones if there is no one.
#[inline(always)]
pub const fn ffbh_u32(x: u32) -> u32 {
    if x == 0 { u32::MAX } else { x.leading_zeros() }
}

/// `v_ffbl_b32` (`ctz`), `s_ff1_i32_b32`: trailing zeros; all ones if there is no one.
#[inline(always)]
pub const fn ffbl_b32(x: u32) -> u32 {
    if x == 0 { u32::MAX } else { x.trailing_zeros() }
}

/// `v_ffbh_i32` (`cls`), `s_flbit_i32`: how many leading bits equal the sign, all ones if every bit does.
#[inline(always)]
pub const fn ffbh_i32(x: u32) -> u32 {
    ffbh_u32(x ^ ((x as i32) >> 31) as u32)
}

/// `s_flbit_i32_b64`.
#[inline(always)]
pub const fn ffbh_u64(x: u64) -> u32 {
    if x == 0 { u32::MAX } else { x.leading_zeros() }
}

/// `s_ff1_i32_b64`.
#[inline(always)]
pub const fn ffbl_b64(x: u64) -> u32 {
    if x == 0 { u32::MAX } else { x.trailing_zeros() }
}

/// `s_flbit_i32_i64`.
#[inline(always)]
pub const fn ffbh_i64(x: u64) -> u32 {
    ffbh_u64(x ^ ((x as i64) >> 63) as u64)
}

/// `v_bcnt_u32_b32`: ones of `x` plus `add`.
#[inline(always)]
pub const fn bcnt(x: u32, add: u32) -> u32 {
    x.count_ones().wrapping_add(add)
}

/// `v_mbcnt_lo_u32_b32`: ones of `mask` that belong to lanes below `lane`, among lanes 0 to 31, plus `add`.
#[inline(always)]
pub const fn mbcnt_lo(mask: u32, add: u32, lane: u32) -> u32 {
    let below = if lane >= 32 {
        u32::MAX
    } else {
        (1 << lane) - 1
    };
    bcnt(mask & below, add)
}

/// `v_mbcnt_hi_u32_b32`: as [`mbcnt_lo`] for lanes 32 to 63.
#[inline(always)]
pub const fn mbcnt_hi(mask: u32, add: u32, lane: u32) -> u32 {
    mbcnt_lo(mask, add, lane.saturating_sub(32))
}

/// `s_bitreplicate_b64_b32`: every bit twice.
#[inline(always)]
pub const fn bitreplicate(x: u32) -> u64 {
    let x = x as u64;
    let x = (x | x << 16) & 0x0000_ffff_0000_ffff;
    let x = (x | x << 8) & 0x00ff_00ff_00ff_00ff;
    let x = (x | x << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    let x = (x | x << 2) & 0x3333_3333_3333_3333;
    let x = (x | x << 1) & 0x5555_5555_5555_5555;
    x | x << 1
}

/// Bit 0 of each group of four set if any bit of the group is.
#[inline(always)]
const fn any_of_quads(x: u64) -> u64 {
    let pairs = x | x >> 1;
    (pairs | pairs >> 2) & 0x1111_1111_1111_1111
}

/// `s_wqm_b64` (and `b32` on a zero-extended operand): every quad with a one becomes all ones.
#[inline(always)]
pub const fn wqm(x: u64) -> u64 {
    any_of_quads(x) * 15
}

/// `s_quadmask_b64` (and `b32` on a zero-extended operand): one bit per quad, packed.
#[inline(always)]
pub const fn quadmask(x: u64) -> u64 {
    let x = any_of_quads(x);
    let x = (x | x >> 3) & 0x0303_0303_0303_0303;
    let x = (x | x >> 6) & 0x000f_000f_000f_000f;
    let x = (x | x >> 12) & 0x0000_00ff_0000_00ff;
    (x | x >> 24) & 0xffff
}

/// `v_bitop3`: bit `4*a + 2*b + c` of `table`, for every bit position.
#[inline(always)]
pub const fn bitop3(a: u32, b: u32, c: u32, table: u8) -> u32 {
    let mut result = 0;
    let mut row = 0;
    while row < 8 {
        let x = if row & 4 != 0 { a } else { !a };
        let y = if row & 2 != 0 { b } else { !b };
        let z = if row & 1 != 0 { c } else { !c };
        let selected = if table >> row & 1 != 0 { u32::MAX } else { 0 };
        result |= x & y & z & selected;
        row += 1;
    }
    result
}

/// `v_prng_b32`: one step of the shift register.
#[inline(always)]
pub const fn prng(x: u32) -> u32 {
    (x << 1) ^ if x >> 31 != 0 { 0xc5 } else { 0 }
}

/// `v_lshl_add_u32`.
#[inline(always)]
pub const fn lshl_add_u32(x: u32, amount: u32, add: u32) -> u32 {
    (x << (amount & 31)).wrapping_add(add)
}

/// `v_add_lshl_u32`.
#[inline(always)]
pub const fn add_lshl_u32(a: u32, b: u32, amount: u32) -> u32 {
    a.wrapping_add(b) << (amount & 31)
}

/// `v_lshl_or_b32`.
#[inline(always)]
pub const fn lshl_or_b32(x: u32, amount: u32, or: u32) -> u32 {
    (x << (amount & 31)) | or
}

/// `v_lshl_add_u64`: the shift is the low three bits of `amount`.
#[inline(always)]
pub const fn lshl_add_u64(x: u64, amount: u32, add: u64) -> u64 {
    (x << (amount & 7)).wrapping_add(add)
}

/// `v_xad_u32`: `(a ^ b) + c`.
#[inline(always)]
pub const fn xad_u32(a: u32, b: u32, c: u32) -> u32 {
    (a ^ b).wrapping_add(c)
}

/// `s_lshl1_add_u32` to `s_lshl4_add_u32`: result and SCC, which is set when anything was carried out of 32 bits.
#[inline(always)]
pub const fn s_lshl_add_u32(x: u32, amount: u32, add: u32) -> (u32, bool) {
    let wide = ((x as u64) << (amount & 7)) + add as u64;
    (wide as u32, wide > u32::MAX as u64)
}

/// `s_absdiff_i32`: the wrapping difference made positive.
#[inline(always)]
pub const fn absdiff_i32(a: u32, b: u32) -> u32 {
    (a.wrapping_sub(b) as i32).wrapping_abs() as u32
}

/// `v_ashr_pk_i8_i32`: both shifted right and limited to signed bytes; `a` in the low byte.
#[inline(always)]
pub const fn ashr_pk_i8_i32(a: u32, b: u32, amount: u32) -> u16 {
    shifted_byte(a, amount, -128, 127) | shifted_byte(b, amount, -128, 127) << 8
}

/// `v_ashr_pk_u8_i32`: both shifted right and limited to unsigned bytes.
#[inline(always)]
pub const fn ashr_pk_u8_i32(a: u32, b: u32, amount: u32) -> u16 {
    shifted_byte(a, amount, 0, 255) | shifted_byte(b, amount, 0, 255) << 8
}

#[inline(always)]
const fn shifted_byte(x: u32, amount: u32, least: i32, greatest: i32) -> u16 {
    let x = (x as i32) >> (amount & 31);
    let x = if x < least { least } else { x };
    (if x > greatest { greatest } else { x }) as u16 & 0xff
}

/// `v_med3_i32`.
#[inline(always)]
pub const fn med3_i32(a: u32, b: u32, c: u32) -> u32 {
    let (a, b, c) = (a as i32, b as i32, c as i32);
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    let r = if c < high { c } else { high };
    (if r > low { r } else { low }) as u32
}

/// `v_med3_u32`.
#[inline(always)]
pub const fn med3_u32(a: u32, b: u32, c: u32) -> u32 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    let r = if c < high { c } else { high };
    if r > low { r } else { low }
}

/// `v_med3_i16`.
#[inline(always)]
pub const fn med3_i16(a: u16, b: u16, c: u16) -> u16 {
    med3_i32(a as i16 as u32, b as i16 as u32, c as i16 as u32) as u16
}

/// `v_med3_u16`.
#[inline(always)]
pub const fn med3_u16(a: u16, b: u16, c: u16) -> u16 {
    med3_u32(a as u32, b as u32, c as u32) as u16
}
