//! The unusual operand paths, as passes over whole temporary rows.

use std::sync::OnceLock;

use super::{MASK_ROW, Operands, Port, RESULT_ROWS, SOURCE_ROWS, Type};
use crate::{
    micro_op::{Control, MicroOp, SrcKind, modifier, path},
    state::{LANES, VectorRow, Wave, expand},
};

/// Compiles a pass for the host's vector extensions as well: `name` chooses, `body` is the pass.
macro_rules! multiversion {
    ($(#[$doc:meta])* $name:ident = $body:ident ($($argument:ident: $type:ty),*) -> $result:ty;) => {
        $(#[$doc])*
        #[cold]
        pub(super) fn $name($($argument: $type),*) -> $result {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
                fn with_avx2($($argument: $type),*) -> $result {
                    $body($($argument),*)
                }
                if crate::shell::has_avx2() {
                    // SAFETY: the host has the features.
                    return unsafe { with_avx2($($argument),*) };
                }
            }
            $body($($argument),*)
        }
    };
}

multiversion! {
    /// Builds operands whose sources carry modifiers, SDWA or DPP, or whose result needs [`finish`].
    prepare = prepare_body (wave: &mut Wave, op: &MicroOp, sources: usize, types: [Type; 3], result: Type) -> Operands;
}

multiversion! {
    /// Output half: omod, clamp, then the merge into the destination that SDWA, op_sel or the 16-bit rule ask for.
    finish = finish_body (wave: &mut Wave, op: &MicroOp, exec: u64, result: Type) -> ();
}

/// Whether source `index` is not simply its register or constant.
#[inline(always)]
fn is_special(op: &MicroOp, index: usize, kind: Type) -> bool {
    let bit = |base: u32| op.modifiers >> (base + index as u32) & 1 != 0;
    let controlled = match op.control {
        Control::None => false,
        Control::Sdwa => index < 2,
        Control::Dpp16 | Control::Dpp8 => index == 0,
    };
    let swizzled = match kind {
        Type::PackedB16 | Type::PackedF16 | Type::PackedF32 | Type::PackedB32 => {
            bit(modifier::OP_SEL) || !bit(modifier::OP_SEL_HI)
        }
        Type::Mix => bit(modifier::OP_SEL_HI),
        _ => bit(modifier::OP_SEL),
    };
    controlled || swizzled || bit(modifier::NEG) || bit(modifier::ABS)
}

#[inline(always)]
fn prepare_body(
    wave: &mut Wave,
    op: &MicroOp,
    sources: usize,
    types: [Type; 3],
    result: Type,
) -> Operands {
    let mut exec = wave.exec();
    let mut src = [Port {
        word: std::ptr::null(),
        step: 0,
    }; 3];
    for index in 0..sources {
        let words = types[index].words();
        if op.path & path::PREPARE == 0 || !is_special(op, index, types[index]) {
            src[index] = wave.plain_port(op, index, words);
            continue;
        }
        let first = SOURCE_ROWS + 2 * index;
        stage(wave, op, index, words);
        match op.control {
            Control::Sdwa if index < 2 => sdwa_select(wave.temporary(first), op.extra, index),
            Control::Dpp16 if index == 0 => {
                let readable = readable_lanes(wave, op.extra);
                let table = &dpp_sources()[(op.extra >> 8 & 0x1ff) as usize];
                for word in 0..words {
                    permute(wave.temporary(first + word), table, readable);
                }
                exec &= writable_lanes(op.extra, readable);
            }
            Control::Dpp8 if index == 0 => {
                let (sources, readable) = dpp8(wave, op.extra);
                for word in 0..words {
                    permute(wave.temporary(first + word), &sources, readable);
                }
            }
            _ => {}
        }
        modify(wave, op, index, types[index]);
        src[index] = Port {
            word: wave.temporary(first).0.as_ptr(),
            step: 16,
        };
    }
    if op.path & path::FINISH != 0 {
        let dst = wave.result_pointer(wave.temporaries + RESULT_ROWS, result.words());
        return Operands {
            src,
            dst,
            exec,
            lanes: std::ptr::null(),
        };
    }
    let lanes = if exec == wave.full {
        std::ptr::null()
    } else if exec == wave.exec() {
        wave.exec_lanes.0.as_ptr()
    } else {
        expand(exec, wave.temporary(MASK_ROW));
        wave.temporary(MASK_ROW).0.as_ptr()
    };
    Operands {
        src,
        dst: wave.result_pointer(op.dst as usize, result.words()),
        exec,
        lanes,
    }
}

/// Copies source `index` into its temporary rows.
#[inline(always)]
fn stage(wave: &mut Wave, op: &MicroOp, index: usize, words: usize) {
    let src = op.src[index];
    let value = wave.uniform(op, index);
    for word in 0..words {
        *wave.temporary(SOURCE_ROWS + 2 * index + word) = match src.kind {
            SrcKind::Vector => *wave.row(src.index as usize + word),
            _ => VectorRow([(value >> (32 * word)) as u32; LANES]),
        };
    }
}

/// Input half of SDWA: byte or word selection and sign extension. Layout: bits 16-21 source 0, 24-29 source 1.
#[inline(always)]
fn sdwa_select(row: &mut VectorRow, control: u32, index: usize) {
    let field = control >> (16 + 8 * index);
    let (select, signed) = (field & 7, field & 8 != 0);
    let (shift, bits) = match select {
        0..=3 => (select * 8, 8),
        4 | 5 => ((select - 4) * 16, 16),
        _ => return,
    };
    for value in &mut row.0 {
        let up = *value << (32 - bits - shift);
        *value = if signed {
            ((up as i32) >> (32 - bits)) as u32
        } else {
            up >> (32 - bits)
        };
    }
}

/// No source lane.
const NOWHERE: u8 = 0xff;

/// Source lane of every lane for every DPP control; [`NOWHERE`] when it lies outside. Controls that leave rows of 16 exist
/// in wave64 only, all others are the same in wave32.
fn dpp_sources() -> &'static [[u8; LANES]; 512] {
    static TABLE: OnceLock<Box<[[u8; LANES]; 512]>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = Box::new([[NOWHERE; LANES]; 512]);
        for (control, row) in table.iter_mut().enumerate() {
            for (lane, source) in row.iter_mut().enumerate() {
                let from = dpp_source(control as u32, lane as i32);
                *source = u8::try_from(from).unwrap_or(NOWHERE);
            }
        }
        table
    })
}

/// Source lane for one lane, negative if none.
fn dpp_source(control: u32, lane: i32) -> i32 {
    let lanes = LANES as i32;
    let (row, in_row) = (lane & !15, lane & 15);
    match control {
        0x000..=0x0ff => lane & !3 | (control >> (2 * (lane & 3)) & 3) as i32,
        0x101..=0x10f => within_row(row, in_row + (control & 15) as i32),
        0x111..=0x11f => within_row(row, in_row - (control & 15) as i32),
        0x121..=0x12f => row | (in_row - (control & 15) as i32) & 15,
        // Whole-wave shifts and rotates by one: gfx8 and gfx9.
        0x130 => within_wave(lane + 1, lanes),
        0x134 => (lane + 1) % lanes,
        0x138 => within_wave(lane - 1, lanes),
        0x13c => (lane + lanes - 1) % lanes,
        0x140 => row | (15 - in_row),
        0x141 => lane & !7 | (7 - (lane & 7)),
        0x142 => within_wave(row - 1, lanes),
        0x143 if lane >= 32 => 31,
        0x150..=0x15f => row | (control & 15) as i32,
        0x160..=0x16f => row | in_row ^ (control & 15) as i32,
        _ => -1,
    }
}

/// Lanes whose source exists and may be read.
#[inline(always)]
fn readable_lanes(wave: &Wave, control: u32) -> u64 {
    let table = &dpp_sources()[(control >> 8 & 0x1ff) as usize];
    let fetch_inactive = control >> 18 & 1 != 0;
    let exec = if fetch_inactive {
        wave.full
    } else {
        wave.exec()
    };
    let mut readable = 0u64;
    for (lane, &source) in table.iter().enumerate() {
        let read = source != NOWHERE && exec >> (source & 63) & 1 != 0;
        readable |= u64::from(read) << lane;
    }
    readable & wave.full
}

/// Lanes that row and bank mask enable and that have something to write.
#[inline(always)]
fn writable_lanes(control: u32, readable: u64) -> u64 {
    let bound_control = control >> 19 & 1 != 0;
    let mut enabled = 0u64;
    for quad in 0..16 {
        let on = control >> (24 + quad % 4) & control >> (28 + quad / 4) & 1 != 0;
        enabled |= (u64::from(on) * 15) << (4 * quad);
    }
    enabled & if bound_control { !0 } else { readable }
}

fn within_row(row: i32, in_row: i32) -> i32 {
    if (0..16).contains(&in_row) {
        row | in_row
    } else {
        -1
    }
}

fn within_wave(lane: i32, lanes: i32) -> i32 {
    if (0..lanes).contains(&lane) { lane } else { -1 }
}

/// DPP8: a permutation within groups of eight; without fetch-inactive an inactive source reads zero.
#[inline(always)]
fn dpp8(wave: &Wave, control: u32) -> ([u8; LANES], u64) {
    // The fetch-inactive form is told apart by the source field's marker, which decode moved to bit 0.
    let exec = if control & 1 != 0 {
        wave.full
    } else {
        wave.exec()
    };
    let mut sources = [0; LANES];
    let mut readable = 0u64;
    for (lane, source) in sources.iter_mut().enumerate() {
        let from = lane & !7 | (control >> (8 + 3 * (lane & 7)) & 7) as usize;
        *source = from as u8;
        readable |= (exec >> from & 1) << lane;
    }
    (sources, readable)
}

/// Moves lanes; those without a readable source become zero.
#[inline(always)]
fn permute(row: &mut VectorRow, sources: &[u8; LANES], readable: u64) {
    let old = *row;
    for (lane, value) in row.0.iter_mut().enumerate() {
        let keep = 0u32.wrapping_sub((readable >> lane & 1) as u32);
        *value = old.0[(sources[lane] & 63) as usize] & keep;
    }
}

/// Applies op_sel, ABS and NEG to the temporary rows of source `index`.
#[inline(always)]
fn modify(wave: &mut Wave, op: &MicroOp, index: usize, kind: Type) {
    let bit = |base: u32| op.modifiers >> (base + index as u32) & 1 != 0;
    let (neg, abs) = (bit(modifier::NEG), bit(modifier::ABS));
    let (op_sel, op_sel_hi) = (bit(modifier::OP_SEL), bit(modifier::OP_SEL_HI));
    let first = SOURCE_ROWS + 2 * index;
    let flip = |on: bool, sign: u32| if on { sign } else { 0 };
    match kind {
        Type::B16 | Type::F16 => {
            let (clear, toggle) = match kind {
                Type::F16 => (flip(abs, 0x8000), flip(neg, 0x8000)),
                _ => (0, 0),
            };
            let shift = if op_sel { 16 } else { 0 };
            map(wave.temporary(first), |value| {
                (value >> shift & 0xffff & !clear) ^ toggle
            });
        }
        Type::F32 | Type::B32 => {
            // Integer rows never see modifier bits; v_cndmask_b32 and v_mov_b32 treat them as on f32.
            let (clear, toggle) = (flip(abs, 1 << 31), flip(neg, 1 << 31));
            map(wave.temporary(first), |value| (value & !clear) ^ toggle);
        }
        Type::F64 | Type::B64 => {
            let (clear, toggle) = (flip(abs, 1 << 31), flip(neg, 1 << 31));
            map(wave.temporary(first + 1), |value| (value & !clear) ^ toggle);
        }
        Type::PackedB16 | Type::PackedF16 => {
            // VOP3P: the ABS bits are neg_hi.
            let float = kind == Type::PackedF16;
            let toggle = flip(neg && float, 0x8000) | flip(abs && float, 0x8000_0000);
            let half = |value: u32, high: bool| if high { value >> 16 } else { value & 0xffff };
            map(wave.temporary(first), |value| {
                (half(value, op_sel) | half(value, op_sel_hi) << 16) ^ toggle
            });
        }
        Type::PackedF32 | Type::PackedB32 => {
            let (low, high) = (*wave.temporary(first), *wave.temporary(first + 1));
            let pick = |high_word: bool| if high_word { high } else { low };
            *wave.temporary(first) = pick(op_sel);
            *wave.temporary(first + 1) = pick(op_sel_hi);
            if kind == Type::PackedF32 {
                map(wave.temporary(first), |value| value ^ flip(neg, 1 << 31));
                map(wave.temporary(first + 1), |value| {
                    value ^ flip(abs, 1 << 31)
                });
            }
        }
        Type::Mix => {
            // VOP3P mixed precision: op_sel_hi says "f16", op_sel which half; neg_lo is NEG and neg_hi is ABS.
            if op_sel_hi {
                let shift = if op_sel { 16 } else { 0 };
                map(wave.temporary(first), |value| {
                    numerics::convert::f32_from_f16_exact((value >> shift) as u16)
                });
            }
            let (clear, toggle) = (flip(abs, 1 << 31), flip(neg, 1 << 31));
            map(wave.temporary(first), |value| (value & !clear) ^ toggle);
        }
        Type::None | Type::B128 => {}
    }
}

#[inline(always)]
fn map(row: &mut VectorRow, change: impl Fn(u32) -> u32) {
    for value in &mut row.0 {
        *value = change(*value);
    }
}

#[inline(always)]
fn finish_body(wave: &mut Wave, op: &MicroOp, exec: u64, result: Type) {
    let omod = op.modifiers >> modifier::OMOD & 3;
    let omod = if omod != 0 && output_modifier_applies(wave.mode, result) {
        omod
    } else {
        0
    };
    let clamp = op.modifiers & modifier::CLAMP != 0;
    let nan_to_zero = wave.mode.dx10_clamp();
    let words = result.words();
    let mut staged = [VectorRow::ZERO; 2];
    for (word, row) in staged.iter_mut().enumerate().take(words) {
        *row = *wave.temporary(RESULT_ROWS + word);
    }
    let float = matches!(
        result,
        Type::F32 | Type::F64 | Type::F16 | Type::PackedF16 | Type::PackedF32
    );
    if float && omod == 0 && clamp && result == Type::F32 {
        map(&mut staged[0], |value| {
            numerics::float32::clamp(value, nan_to_zero)
        });
    } else if float && (omod != 0 || clamp) {
        for lane in 0..wave.wave_size as usize {
            let value = u64::from(staged[0].0[lane]) | u64::from(staged[1].0[lane]) << 32;
            let value = scale_and_clamp(value, result, omod, clamp, nan_to_zero);
            staged[0].0[lane] = value as u32;
            staged[1].0[lane] = (value >> 32) as u32;
        }
    }
    let row = op.dst as usize;
    place(op, result, wave.row(row), &mut staged[0]);
    expand(exec, wave.temporary(MASK_ROW));
    let mask = *wave.temporary(MASK_ROW);
    for (word, staged) in staged.iter().enumerate().take(words) {
        let target = wave.row_mut(row + word);
        for lane in 0..LANES {
            target.0[lane] ^= (target.0[lane] ^ staged.0[lane]) & mask.0[lane];
        }
    }
}

/// Combines a result of 32 bits or less with the old register value where only part of it is written.
#[inline(always)]
fn place(op: &MicroOp, kind: Type, old: &VectorRow, staged: &mut VectorRow) {
    let pairs = staged.0.iter_mut().zip(&old.0);
    if op.control == Control::Sdwa {
        pairs.for_each(
            #[inline(always)]
            |(value, &old)| *value = sdwa_merge(op.extra, old, *value),
        );
    } else if !matches!(kind, Type::B16 | Type::F16) {
    } else if op.modifiers >> (modifier::OP_SEL + 3) & 1 != 0 {
        pairs.for_each(
            #[inline(always)]
            |(value, &old)| *value = old & 0xffff | *value << 16,
        );
    } else if op.modifiers & modifier::PRESERVE_HIGH != 0 {
        pairs.for_each(
            #[inline(always)]
            |(value, &old)| *value = old & 0xffff_0000 | *value & 0xffff,
        );
    } else {
        pairs.for_each(
            #[inline(always)]
            |(value, _)| *value &= 0xffff,
        );
    }
}

/// omod is ignored in IEEE mode and when denormal results are kept.
fn output_modifier_applies(mode: crate::Mode, result: Type) -> bool {
    let keeps_denormals = match result {
        Type::F32 => !mode.flush_outputs32(),
        _ => !mode.flush_outputs64(),
    };
    !mode.ieee() && !keeps_denormals
}

fn scale_and_clamp(value: u64, kind: Type, omod: u32, clamp: bool, nan_to_zero: bool) -> u64 {
    let factor = [1.0f32, 2.0, 4.0, 0.5][omod as usize];
    match kind {
        Type::F32 => {
            let mut float = f32::from_bits(value as u32);
            if omod != 0 {
                float = positive_zero32(float * factor);
            }
            u64::from(if clamp {
                clamp32(float, nan_to_zero)
            } else {
                float.to_bits()
            })
        }
        Type::F64 => {
            let mut float = f64::from_bits(value);
            if omod != 0 {
                float *= f64::from(factor);
                float += 0.0;
            }
            if !clamp {
                return float.to_bits();
            }
            if float.is_nan() {
                return if nan_to_zero { 0 } else { float.to_bits() };
            }
            if float > 1.0 {
                1.0f64.to_bits()
            } else if float > 0.0 {
                float.to_bits()
            } else {
                0
            }
        }
        Type::F16 => u64::from(clamp_half(value as u16, omod, clamp, nan_to_zero)),
        Type::PackedF16 => {
            let low = clamp_half(value as u16, omod, clamp, nan_to_zero);
            let high = clamp_half((value >> 16) as u16, omod, clamp, nan_to_zero);
            u64::from(low) | u64::from(high) << 16
        }
        Type::PackedF32 if clamp => {
            let low = clamp32(f32::from_bits(value as u32), nan_to_zero);
            let high = clamp32(f32::from_bits((value >> 32) as u32), nan_to_zero);
            u64::from(low) | u64::from(high) << 32
        }
        // Integer saturation is the row's business.
        _ => value,
    }
}

fn positive_zero32(value: f32) -> f32 {
    if value == 0.0 { 0.0 } else { value }
}

fn clamp32(value: f32, nan_to_zero: bool) -> u32 {
    if value.is_nan() {
        return if nan_to_zero { 0 } else { value.to_bits() };
    }
    if value > 1.0 {
        1.0f32.to_bits()
    } else if value > 0.0 {
        value.to_bits()
    } else {
        0
    }
}

/// f16 keeps its order as a sign-magnitude integer, so clamping needs no conversion; omod goes through f32, which is exact.
fn clamp_half(bits: u16, omod: u32, clamp: bool, nan_to_zero: bool) -> u16 {
    let mut bits = bits;
    if omod != 0 {
        let scaled = f32::from_bits(numerics::convert::f32_from_f16_exact(bits))
            * [1.0, 2.0, 4.0, 0.5][omod as usize];
        bits = numerics::convert::f16_from_f32_nearest(positive_zero32(scaled).to_bits());
    }
    if !clamp {
        return bits;
    }
    if bits & 0x7fff > 0x7c00 {
        return if nan_to_zero { 0 } else { bits };
    }
    if bits & 0x8000 != 0 {
        0
    } else {
        bits.min(0x3c00)
    }
}

/// Output half of SDWA: bits 8-10 select where the result goes, bits 11-12 what happens to the rest.
#[inline(always)]
fn sdwa_merge(control: u32, old: u32, value: u32) -> u32 {
    let (shift, bits) = match control >> 8 & 7 {
        select @ 0..=3 => (select * 8, 8),
        select @ 4..=5 => ((select - 4) * 16, 16),
        _ => return value,
    };
    let ones = (1u32 << bits) - 1;
    let placed = (value & ones) << shift;
    match control >> 11 & 3 {
        0 => placed,
        1 => {
            let signed = ((value << (32 - bits)) as i32 >> (32 - bits)) as u32;
            signed << shift
        }
        _ => old & !(ones << shift) | placed,
    }
}
