//! Scalar ALU: SOP1, SOP2, SOPC, SOPK. Manual: "Scalar ALU operations"; SCC rules per instruction.

use super::{
    Row, ScalarShape, Shape,
    indexed::{self, SKIP_VECTOR},
};
use crate::{
    engine::Env,
    micro_op::{Handler, MicroOp, flow},
    ports::Type,
    shell::{self, Body},
    state::{Wave, sreg},
};

/// Value and SCC of a result whose SCC says "not zero".
fn nonzero(value: u64) -> (u64, bool) {
    (value, value != 0)
}

/// The same for a 32-bit result.
fn nonzero32(value: u32) -> (u64, bool) {
    (u64::from(value), value != 0)
}

fn value32(value: u32, scc: bool) -> (u64, bool) {
    (u64::from(value), scc)
}

fn overflowing((value, scc): (u32, bool)) -> (u64, bool) {
    (u64::from(value), scc)
}

fn signed_overflowing((value, scc): (i32, bool)) -> (u64, bool) {
    (u64::from(value as u32), scc)
}

/// `ones` set bits from `offset` up; both already masked to their fields.
fn field_mask(ones: u64, offset: u64) -> u64 {
    ((1u64 << ones) - 1) << offset
}

/// Offset from bits 5:0 and width from bits 22:16, both able to span the whole word.
fn bit_field(value: u64, offset: u32, width: u32, word: u32, sign: bool) -> u64 {
    if width == 0 || offset >= word {
        return 0;
    }
    let width = width.min(64);
    if sign {
        let extended = if word == 32 {
            value as u32 as i32 as i64
        } else {
            value as i64
        };
        let shifted = extended >> offset;
        if width >= 64 {
            shifted as u64
        } else {
            ((shifted << (64 - width)) >> (64 - width)) as u64
        }
    } else {
        let shifted = value >> offset;
        if width >= 64 {
            shifted
        } else {
            shifted & ((1 << width) - 1)
        }
    }
}

/// EXEC or its low half: what the row's operands are wide, whatever the wave's size.
fn exec_part(wave: &Wave, op: &MicroOp) -> (u64, u64) {
    let ones = if op.scalar().words == 1 {
        0xffff_ffff
    } else {
        !0
    };
    let words = op.scalar().words.into();
    (wave.scalar_source(sreg::EXEC as u16, words), ones)
}

fn set_exec_part(wave: &mut Wave, op: &MicroOp, slot: usize, value: u64) {
    match op.scalar().words {
        2 => wave.set_scalar64(slot, value),
        _ => wave.scalars.0[slot] = value as u32,
    }
}

fn saveexec(wave: &mut Wave, op: &MicroOp, combine: impl Fn(u64, u64) -> u64) -> u32 {
    let (exec, ones) = exec_part(wave, op);
    let result = combine(wave.uniform_words(op, 0, op.scalar().words.into()), exec) & ones;
    set_exec_part(wave, op, op.dst as usize, exec);
    set_exec_part(wave, op, sreg::EXEC, result);
    wave.scc = result != 0;
    flow::EXEC_CHANGED
}

/// `*_wrexec`: the result goes to the destination as well.
fn wrexec(wave: &mut Wave, op: &MicroOp, combine: impl Fn(u64, u64) -> u64) -> u32 {
    let (exec, ones) = exec_part(wave, op);
    let result = combine(wave.uniform_words(op, 0, op.scalar().words.into()), exec) & ones;
    set_exec_part(wave, op, op.dst as usize, result);
    set_exec_part(wave, op, sreg::EXEC, result);
    wave.scc = result != 0;
    flow::EXEC_CHANGED
}

/// Scalar rows: `mnemonic: (source types) -> result type = |a, b, scc| (value, scc);` with operands as zero-extended
/// 64-bit values. `None` stands for no operand or no result.
macro_rules! scalar_rows {
    ($($name:ident: ($a:ident, $b:ident) -> $result:ident = |$x:pat_param, $y:pat_param, $scc:pat_param| $body:expr;)*) => {$(
        #[allow(non_camel_case_types)]
        struct $name;
        impl Body for $name {
            #[inline(always)]
            fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
                let a = wave.uniform_words(op, 0, Type::$a.words());
                let b = wave.uniform_words(op, 1, Type::$b.words());
                let body = |$x: u64, $y: u64, $scc: bool| -> (u64, bool) { $body };
                let (value, scc) = body(a, b, wave.scc);
                wave.scc = scc;
                match Type::$result.words() {
                    1 => wave.scalars.0[op.dst as usize] = value as u32,
                    2 => wave.set_scalar64(op.dst as usize, value),
                    _ => {}
                }
                u32::from(op.after)
            }
        }
    )*
    fn table_rows(rows: &mut Vec<Row>) {
        $(rows.push(Row {
            mnemonic: stringify!($name),
            shape: Shape::Scalar(ScalarShape { sources: [Type::$a, Type::$b, Type::None], result: Type::$result, pure: true }),
            handler: shell::handler::<$name>,
            changes_exec: false,
        });)*
    }};
}

#[rustfmt::skip]
scalar_rows! {
    // SOP2: arithmetic.
    s_add_u32:          (B32, B32) -> B32 = |a, b, _| overflowing((a as u32).overflowing_add(b as u32));
    s_sub_u32:          (B32, B32) -> B32 = |a, b, _| overflowing((a as u32).overflowing_sub(b as u32));
    s_add_i32:          (B32, B32) -> B32 = |a, b, _| signed_overflowing((a as i32).overflowing_add(b as i32));
    s_sub_i32:          (B32, B32) -> B32 = |a, b, _| signed_overflowing((a as i32).overflowing_sub(b as i32));
    s_addc_u32:         (B32, B32) -> B32 = |a, b, c| { let sum = a + b + u64::from(c); (sum, sum >> 32 != 0) };
    s_subb_u32:         (B32, B32) -> B32 = |a, b, c| { let take = b + u64::from(c); (a.wrapping_sub(take), take > a) };
    s_min_i32:          (B32, B32) -> B32 = |a, b, _| { let less = (a as i32) < b as i32; (if less { a } else { b }, less) };
    s_min_u32:          (B32, B32) -> B32 = |a, b, _| { let less = a < b; (if less { a } else { b }, less) };
    s_max_i32:          (B32, B32) -> B32 = |a, b, _| { let more = a as i32 > b as i32; (if more { a } else { b }, more) };
    s_max_u32:          (B32, B32) -> B32 = |a, b, _| { let more = a > b; (if more { a } else { b }, more) };
    s_cselect_b32:      (B32, B32) -> B32 = |a, b, c| (if c { a } else { b }, c);
    s_cselect_b64:      (B64, B64) -> B64 = |a, b, c| (if c { a } else { b }, c);
    s_mul_i32:          (B32, B32) -> B32 = |a, b, c| value32((a as u32).wrapping_mul(b as u32), c);
    s_mul_hi_u32:       (B32, B32) -> B32 = |a, b, c| ((a * b) >> 32, c);
    s_mul_hi_i32:       (B32, B32) -> B32 = |a, b, c| (((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u64, c);
    s_absdiff_i32:      (B32, B32) -> B32 = |a, b, _| nonzero32((a as i32).wrapping_sub(b as i32).wrapping_abs() as u32);
    s_lshl1_add_u32:    (B32, B32) -> B32 = |a, b, _| { let sum = (a << 1) + b; (sum, sum >> 32 != 0) };
    s_lshl2_add_u32:    (B32, B32) -> B32 = |a, b, _| { let sum = (a << 2) + b; (sum, sum >> 32 != 0) };
    s_lshl3_add_u32:    (B32, B32) -> B32 = |a, b, _| { let sum = (a << 3) + b; (sum, sum >> 32 != 0) };
    s_lshl4_add_u32:    (B32, B32) -> B32 = |a, b, _| { let sum = (a << 4) + b; (sum, sum >> 32 != 0) };
    s_add_nc_u64:       (B64, B64) -> B64 = |a, b, c| (a.wrapping_add(b), c);
    s_sub_nc_u64:       (B64, B64) -> B64 = |a, b, c| (a.wrapping_sub(b), c);
    s_mul_u64:          (B64, B64) -> B64 = |a, b, c| (a.wrapping_mul(b), c);
    s_pack_ll_b32_b16:  (B32, B32) -> B32 = |a, b, c| (a & 0xffff | (b & 0xffff) << 16, c);
    s_pack_lh_b32_b16:  (B32, B32) -> B32 = |a, b, c| (a & 0xffff | b & 0xffff_0000, c);
    s_pack_hl_b32_b16:  (B32, B32) -> B32 = |a, b, c| (a >> 16 & 0xffff | (b & 0xffff) << 16, c);
    s_pack_hh_b32_b16:  (B32, B32) -> B32 = |a, b, c| (a >> 16 & 0xffff | b & 0xffff_0000, c);
    // SOP2: logic and shifts.
    s_and_b32:          (B32, B32) -> B32 = |a, b, _| nonzero(a & b);
    s_and_b64:          (B64, B64) -> B64 = |a, b, _| nonzero(a & b);
    s_or_b32:           (B32, B32) -> B32 = |a, b, _| nonzero(a | b);
    s_or_b64:           (B64, B64) -> B64 = |a, b, _| nonzero(a | b);
    s_xor_b32:          (B32, B32) -> B32 = |a, b, _| nonzero(a ^ b);
    s_xor_b64:          (B64, B64) -> B64 = |a, b, _| nonzero(a ^ b);
    s_andn2_b32:        (B32, B32) -> B32 = |a, b, _| nonzero(a & !b);
    s_andn2_b64:        (B64, B64) -> B64 = |a, b, _| nonzero(a & !b);
    s_orn2_b32:         (B32, B32) -> B32 = |a, b, _| nonzero32(a as u32 | !(b as u32));
    s_orn2_b64:         (B64, B64) -> B64 = |a, b, _| nonzero(a | !b);
    s_nand_b32:         (B32, B32) -> B32 = |a, b, _| nonzero32(!((a & b) as u32));
    s_nand_b64:         (B64, B64) -> B64 = |a, b, _| nonzero(!(a & b));
    s_nor_b32:          (B32, B32) -> B32 = |a, b, _| nonzero32(!((a | b) as u32));
    s_nor_b64:          (B64, B64) -> B64 = |a, b, _| nonzero(!(a | b));
    s_xnor_b32:         (B32, B32) -> B32 = |a, b, _| nonzero32(!((a ^ b) as u32));
    s_xnor_b64:         (B64, B64) -> B64 = |a, b, _| nonzero(!(a ^ b));
    s_lshl_b32:         (B32, B32) -> B32 = |a, b, _| nonzero32((a as u32) << (b & 31));
    s_lshl_b64:         (B64, B32) -> B64 = |a, b, _| nonzero(a << (b & 63));
    s_lshr_b32:         (B32, B32) -> B32 = |a, b, _| nonzero(a >> (b & 31));
    s_lshr_b64:         (B64, B32) -> B64 = |a, b, _| nonzero(a >> (b & 63));
    s_ashr_i32:         (B32, B32) -> B32 = |a, b, _| nonzero32((a as i32 >> (b & 31)) as u32);
    s_ashr_i64:         (B64, B32) -> B64 = |a, b, _| nonzero((a as i64 >> (b & 63)) as u64);
    s_bfm_b32:          (B32, B32) -> B32 = |a, b, c| (field_mask(a & 31, b & 31), c);
    s_bfm_b64:          (B32, B32) -> B64 = |a, b, c| (field_mask(a & 63, b & 63), c);
    s_bfe_u32:          (B32, B32) -> B32 = |a, b, _| nonzero32(bit_field(a, b as u32 & 31, b as u32 >> 16 & 127, 32, false) as u32);
    s_bfe_i32:          (B32, B32) -> B32 = |a, b, _| nonzero32(bit_field(a, b as u32 & 31, b as u32 >> 16 & 127, 32, true) as u32);
    s_bfe_u64:          (B64, B32) -> B64 = |a, b, _| nonzero(bit_field(a, b as u32 & 63, b as u32 >> 16 & 127, 64, false));
    s_bfe_i64:          (B64, B32) -> B64 = |a, b, _| nonzero(bit_field(a, b as u32 & 63, b as u32 >> 16 & 127, 64, true));
    // SOP1.
    s_mov_b32:          (B32, None) -> B32 = |a, _, c| (a, c);
    s_mov_b64:          (B64, None) -> B64 = |a, _, c| (a, c);
    s_not_b32:          (B32, None) -> B32 = |a, _, _| nonzero32(!(a as u32));
    s_not_b64:          (B64, None) -> B64 = |a, _, _| nonzero(!a);
    s_brev_b32:         (B32, None) -> B32 = |a, _, c| value32((a as u32).reverse_bits(), c);
    s_brev_b64:         (B64, None) -> B64 = |a, _, c| (a.reverse_bits(), c);
    s_bcnt0_i32_b32:    (B32, None) -> B32 = |a, _, _| nonzero32((a as u32).count_zeros());
    s_bcnt0_i32_b64:    (B64, None) -> B32 = |a, _, _| nonzero32(a.count_zeros());
    s_bcnt1_i32_b32:    (B32, None) -> B32 = |a, _, _| nonzero32(a.count_ones());
    s_bcnt1_i32_b64:    (B64, None) -> B32 = |a, _, _| nonzero32(a.count_ones());
    s_ff0_i32_b32:      (B32, None) -> B32 = |a, _, c| value32(first_one(u64::from(!(a as u32))), c);
    s_ff0_i32_b64:      (B64, None) -> B32 = |a, _, c| value32(first_one(!a), c);
    s_ff1_i32_b32:      (B32, None) -> B32 = |a, _, c| value32(first_one(a), c);
    s_ff1_i32_b64:      (B64, None) -> B32 = |a, _, c| value32(first_one(a), c);
    s_flbit_i32_b32:    (B32, None) -> B32 = |a, _, c| value32(if a == 0 { !0 } else { (a as u32).leading_zeros() }, c);
    s_flbit_i32_b64:    (B64, None) -> B32 = |a, _, c| value32(if a == 0 { !0 } else { a.leading_zeros() }, c);
    s_flbit_i32:        (B32, None) -> B32 = |a, _, c| value32(sign_run(a as i32 as i64, 32), c);
    s_flbit_i32_i64:    (B64, None) -> B32 = |a, _, c| value32(sign_run(a as i64, 64), c);
    s_sext_i32_i8:      (B32, None) -> B32 = |a, _, c| value32(a as i8 as i32 as u32, c);
    s_sext_i32_i16:     (B32, None) -> B32 = |a, _, c| value32(a as i16 as i32 as u32, c);
    s_abs_i32:          (B32, None) -> B32 = |a, _, _| nonzero32((a as i32).wrapping_abs() as u32);
    s_quadmask_b32:     (B32, None) -> B32 = |a, _, _| nonzero(quads(a));
    s_quadmask_b64:     (B64, None) -> B64 = |a, _, _| nonzero(quads(a));
    s_wqm_b32:          (B32, None) -> B32 = |a, _, _| nonzero(whole_quads(a));
    s_wqm_b64:          (B64, None) -> B64 = |a, _, _| nonzero(whole_quads(a));
    s_bitreplicate_b64_b32: (B32, None) -> B64 = |a, _, c| (replicate(a as u32), c);
    // SOPC.
    s_cmp_eq_i32:       (B32, B32) -> None = |a, b, _| (0, a == b);
    s_cmp_lg_i32:       (B32, B32) -> None = |a, b, _| (0, a != b);
    s_cmp_gt_i32:       (B32, B32) -> None = |a, b, _| (0, a as i32 > b as i32);
    s_cmp_ge_i32:       (B32, B32) -> None = |a, b, _| (0, a as i32 >= b as i32);
    s_cmp_lt_i32:       (B32, B32) -> None = |a, b, _| (0, (a as i32) < b as i32);
    s_cmp_le_i32:       (B32, B32) -> None = |a, b, _| (0, a as i32 <= b as i32);
    s_cmp_eq_u32:       (B32, B32) -> None = |a, b, _| (0, a == b);
    s_cmp_lg_u32:       (B32, B32) -> None = |a, b, _| (0, a != b);
    s_cmp_gt_u32:       (B32, B32) -> None = |a, b, _| (0, a > b);
    s_cmp_ge_u32:       (B32, B32) -> None = |a, b, _| (0, a >= b);
    s_cmp_lt_u32:       (B32, B32) -> None = |a, b, _| (0, a < b);
    s_cmp_le_u32:       (B32, B32) -> None = |a, b, _| (0, a <= b);
    s_cmp_eq_u64:       (B64, B64) -> None = |a, b, _| (0, a == b);
    s_cmp_lg_u64:       (B64, B64) -> None = |a, b, _| (0, a != b);
    s_bitcmp0_b32:      (B32, B32) -> None = |a, b, _| (0, a >> (b & 31) & 1 == 0);
    s_bitcmp1_b32:      (B32, B32) -> None = |a, b, _| (0, a >> (b & 31) & 1 == 1);
    s_bitcmp0_b64:      (B64, B32) -> None = |a, b, _| (0, a >> (b & 63) & 1 == 0);
    s_bitcmp1_b64:      (B64, B32) -> None = |a, b, _| (0, a >> (b & 63) & 1 == 1);
}

fn first_one(value: u64) -> u32 {
    if value == 0 {
        !0
    } else {
        value.trailing_zeros()
    }
}

/// Leading bits equal to the sign; all ones if every bit is.
fn sign_run(value: i64, word: u32) -> u32 {
    let magnitude = (if value < 0 { !value } else { value }) as u64;
    if magnitude == 0 {
        !0
    } else {
        magnitude.leading_zeros() - (64 - word)
    }
}

fn quads(mask: u64) -> u64 {
    (0..16).fold(0, |quads, quad| {
        quads | u64::from(mask >> (4 * quad) & 15 != 0) << quad
    })
}

fn whole_quads(mask: u64) -> u64 {
    (0..16).fold(0, |whole, quad| {
        if mask >> (4 * quad) & 15 != 0 {
            whole | 15 << (4 * quad)
        } else {
            whole
        }
    })
}

fn replicate(value: u32) -> u64 {
    (0..32).fold(0, |wide, bit| {
        wide | (u64::from(value >> bit & 1) * 3) << (2 * bit)
    })
}

/// Rows whose bodies need the whole wave: `mnemonic: (a, b) -> result [exec?] = |wave, op| flow;`.
macro_rules! scalar_wave_rows {
    ($($name:ident: ($a:ident, $b:ident) -> $result:ident = |$wave:ident, $op:ident| $body:expr;)*) => {$(
        #[allow(non_camel_case_types)]
        struct $name;
        impl Body for $name {
            #[inline(always)]
            fn run($wave: &mut Wave, $op: &MicroOp, _: &mut Env<'_>) -> u32 {
                $body
            }
        }
    )*
    fn wave_rows(rows: &mut Vec<Row>) {
        $(rows.push(Row {
            mnemonic: stringify!($name),
            shape: Shape::Scalar(ScalarShape { sources: [Type::$a, Type::$b, Type::None], result: Type::$result, pure: false }),
            handler: shell::handler::<$name>,
            changes_exec: false,
        });)*
    }};
}

fn write32(wave: &mut Wave, op: &MicroOp, value: u32) -> u32 {
    wave.scalars.0[op.dst as usize] = value;
    u32::from(op.after)
}

/// Compares the SOPK register with its immediate.
fn compare_immediate(wave: &mut Wave, op: &MicroOp, holds: impl Fn(u32, i32) -> bool) -> u32 {
    wave.scc = holds(wave.uniform32(op, 0), op.scalar().immediate);
    flow::NEXT
}

#[rustfmt::skip]
scalar_wave_rows! {
    s_and_saveexec_b64:    (B64, None) -> B64 = |wave, op| saveexec(wave, op, |s, exec| s & exec);
    s_or_saveexec_b64:     (B64, None) -> B64 = |wave, op| saveexec(wave, op, |s, exec| s | exec);
    s_xor_saveexec_b64:    (B64, None) -> B64 = |wave, op| saveexec(wave, op, |s, exec| s ^ exec);
    s_andn2_saveexec_b64:  (B64, None) -> B64 = |wave, op| saveexec(wave, op, |s, exec| s & !exec);
    s_orn2_saveexec_b64:   (B64, None) -> B64 = |wave, op| saveexec(wave, op, |s, exec| s | !exec);
    s_nand_saveexec_b64:   (B64, None) -> B64 = |wave, op| saveexec(wave, op, |s, exec| !(s & exec));
    s_nor_saveexec_b64:    (B64, None) -> B64 = |wave, op| saveexec(wave, op, |s, exec| !(s | exec));
    s_xnor_saveexec_b64:   (B64, None) -> B64 = |wave, op| saveexec(wave, op, |s, exec| !(s ^ exec));
    s_andn1_saveexec_b64:  (B64, None) -> B64 = |wave, op| saveexec(wave, op, |s, exec| !s & exec);
    s_orn1_saveexec_b64:   (B64, None) -> B64 = |wave, op| saveexec(wave, op, |s, exec| !s | exec);
    s_andn1_wrexec_b64:    (B64, None) -> B64 = |wave, op| wrexec(wave, op, |s, exec| !s & exec);
    s_andn2_wrexec_b64:    (B64, None) -> B64 = |wave, op| wrexec(wave, op, |s, exec| s & !exec);
    s_and_saveexec_b32:    (B32, None) -> B32 = |wave, op| saveexec(wave, op, |s, exec| s & exec);
    s_or_saveexec_b32:     (B32, None) -> B32 = |wave, op| saveexec(wave, op, |s, exec| s | exec);
    s_xor_saveexec_b32:    (B32, None) -> B32 = |wave, op| saveexec(wave, op, |s, exec| s ^ exec);
    s_andn2_saveexec_b32:  (B32, None) -> B32 = |wave, op| saveexec(wave, op, |s, exec| s & !exec);
    s_orn2_saveexec_b32:   (B32, None) -> B32 = |wave, op| saveexec(wave, op, |s, exec| s | !exec);
    s_nand_saveexec_b32:   (B32, None) -> B32 = |wave, op| saveexec(wave, op, |s, exec| !(s & exec));
    s_nor_saveexec_b32:    (B32, None) -> B32 = |wave, op| saveexec(wave, op, |s, exec| !(s | exec));
    s_xnor_saveexec_b32:   (B32, None) -> B32 = |wave, op| saveexec(wave, op, |s, exec| !(s ^ exec));
    s_andn1_saveexec_b32:  (B32, None) -> B32 = |wave, op| saveexec(wave, op, |s, exec| !s & exec);
    s_orn1_saveexec_b32:   (B32, None) -> B32 = |wave, op| saveexec(wave, op, |s, exec| !s | exec);
    s_andn1_wrexec_b32:    (B32, None) -> B32 = |wave, op| wrexec(wave, op, |s, exec| !s & exec);
    s_andn2_wrexec_b32:    (B32, None) -> B32 = |wave, op| wrexec(wave, op, |s, exec| s & !exec);
    s_cmov_b32:            (B32, None) -> B32 = |wave, op| { if wave.scc { wave.scalars.0[op.dst as usize] = wave.uniform32(op, 0); } u32::from(op.after) };
    s_cmov_b64:            (B64, None) -> B64 = |wave, op| { if wave.scc { let value = wave.uniform(op, 0); wave.set_scalar64(op.dst as usize, value); } u32::from(op.after) };
    s_bitset0_b32:         (B32, None) -> B32 = |wave, op| { let bit = 1 << (wave.uniform32(op, 0) & 31); wave.scalars.0[op.dst as usize] &= !bit; u32::from(op.after) };
    s_bitset1_b32:         (B32, None) -> B32 = |wave, op| { let bit = 1 << (wave.uniform32(op, 0) & 31); wave.scalars.0[op.dst as usize] |= bit; u32::from(op.after) };
    s_bitset0_b64:         (B32, None) -> B64 = |wave, op| { let value = wave.scalar64(op.dst as usize) & !(1 << (wave.uniform32(op, 0) & 63)); wave.set_scalar64(op.dst as usize, value); u32::from(op.after) };
    s_bitset1_b64:         (B32, None) -> B64 = |wave, op| { let value = wave.scalar64(op.dst as usize) | 1 << (wave.uniform32(op, 0) & 63); wave.set_scalar64(op.dst as usize, value); u32::from(op.after) };
    s_getpc_b64:           (None, None) -> B64 = |wave, op| { wave.set_scalar64(op.dst as usize, op.scalar().return_address()); flow::NEXT };
    s_setpc_b64:           (B64, None) -> None = |wave, op| { wave.next_pc = wave.uniform(op, 0); flow::JUMP };
    s_swappc_b64:          (B64, None) -> B64 = |wave, op| { wave.next_pc = wave.uniform(op, 0); wave.set_scalar64(op.dst as usize, op.scalar().return_address()); flow::JUMP };
    s_call_b64:            (None, None) -> B64 = |wave, op| { wave.set_scalar64(op.dst as usize, op.scalar().return_address()); wave.next = op.scalar().branch_target as usize; flow::BRANCH };
    // SOPK.
    s_movk_i32:            (None, None) -> B32 = |wave, op| write32(wave, op, op.scalar().immediate as u32);
    s_cmovk_i32:           (None, None) -> B32 = |wave, op| if wave.scc { write32(wave, op, op.scalar().immediate as u32) } else { flow::NEXT };
    s_addk_i32:            (B32, None) -> B32 = |wave, op| { let (sum, overflow) = (wave.uniform32(op, 0) as i32).overflowing_add(op.scalar().immediate); wave.scc = overflow; write32(wave, op, sum as u32) };
    s_mulk_i32:            (B32, None) -> B32 = |wave, op| { let product = (wave.uniform32(op, 0) as i32).wrapping_mul(op.scalar().immediate); write32(wave, op, product as u32) };
    s_cmpk_eq_i32:         (B32, None) -> None = |wave, op| compare_immediate(wave, op, |a, k| a as i32 == k);
    s_cmpk_lg_i32:         (B32, None) -> None = |wave, op| compare_immediate(wave, op, |a, k| a as i32 != k);
    s_cmpk_gt_i32:         (B32, None) -> None = |wave, op| compare_immediate(wave, op, |a, k| a as i32 > k);
    s_cmpk_ge_i32:         (B32, None) -> None = |wave, op| compare_immediate(wave, op, |a, k| a as i32 >= k);
    s_cmpk_lt_i32:         (B32, None) -> None = |wave, op| compare_immediate(wave, op, |a, k| (a as i32) < k);
    s_cmpk_le_i32:         (B32, None) -> None = |wave, op| compare_immediate(wave, op, |a, k| a as i32 <= k);
    s_cmpk_eq_u32:         (B32, None) -> None = |wave, op| compare_immediate(wave, op, |a, k| a == k as u32 & 0xffff);
    s_cmpk_lg_u32:         (B32, None) -> None = |wave, op| compare_immediate(wave, op, |a, k| a != k as u32 & 0xffff);
    s_cmpk_gt_u32:         (B32, None) -> None = |wave, op| compare_immediate(wave, op, |a, k| a > k as u32 & 0xffff);
    s_cmpk_ge_u32:         (B32, None) -> None = |wave, op| compare_immediate(wave, op, |a, k| a >= k as u32 & 0xffff);
    s_cmpk_lt_u32:         (B32, None) -> None = |wave, op| compare_immediate(wave, op, |a, k| a < k as u32 & 0xffff);
    s_cmpk_le_u32:         (B32, None) -> None = |wave, op| compare_immediate(wave, op, |a, k| a <= k as u32 & 0xffff);
}

/// `s_setvskip` (gfx9): bit S1 of S0 becomes MODE.vskip.
struct SetSkip;

impl Body for SetSkip {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let bit = wave.uniform32(op, 0) >> (wave.uniform32(op, 1) & 31) & 1;
        let before = wave.mode.bits();
        let others = before & !SKIP_VECTOR;
        wave.set_mode(crate::Mode::new(if bit == 0 {
            others
        } else {
            others | SKIP_VECTOR
        }));
        indexed::follow_mode(wave, op, env, before)
    }
}

/// Appends this file's rows.
pub(super) fn rows(rows: &mut Vec<Row>) {
    use Type::{B32, None};
    table_rows(rows);
    wave_rows(rows);
    let mut push = |mnemonic, handler, sources| {
        rows.push(Row {
            mnemonic,
            shape: Shape::Scalar(ScalarShape {
                sources,
                result: None,
                pure: false,
            }),
            handler,
            changes_exec: false,
        });
    };
    let skip = shell::handler::<SetSkip> as fn() -> Handler;
    push("s_setvskip", skip, [B32, B32, None]);
}
