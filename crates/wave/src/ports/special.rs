//! The unusual operand paths, as passes over whole temporary rows.

use super::{MASK_ROW, Operands, Port, RESULT_ROWS, SOURCE_ROWS, Type};
use crate::{
    micro_op::{Control, MicroOp, SrcKind, modifier, path},
    state::{LANES, VectorRow, Wave, expand},
};

/// Builds operands whose sources carry modifiers, SDWA or DPP, or whose result needs [`finish`].
#[cold]
#[inline(never)]
pub(super) fn prepare(
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
        if op.path & path::PREPARE == 0 {
            src[index] = wave.plain_port(op, index, types[index].words());
            continue;
        }
        let first = SOURCE_ROWS + 2 * index;
        stage(wave, op, index, types[index].words());
        match op.control {
            Control::Sdwa if index < 2 => sdwa_select(wave.temporary(first), op.extra, index),
            Control::Dpp16 if index == 0 => {
                let (sources, valid) = dpp16(wave, op.extra);
                for word in 0..types[0].words() {
                    permute(wave.temporary(first + word), &sources);
                }
                exec &= valid;
            }
            Control::Dpp8 if index == 0 => {
                let sources = dpp8(wave, op.extra);
                for word in 0..types[0].words() {
                    permute(wave.temporary(first + word), &sources);
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

/// Source lane of every lane (64: reads zero), and the lanes that may write.
fn dpp16(wave: &Wave, control: u32) -> ([u8; LANES], u64) {
    let dpp_ctrl = control >> 8 & 0x1ff;
    let fetch_inactive = control >> 18 & 1 != 0;
    let bound_control = control >> 19 & 1 != 0;
    let bank_mask = control >> 24 & 0xf;
    let row_mask = control >> 28 & 0xf;
    let exec = wave.exec();
    let lanes = wave.wave_size as i32;
    let mut sources = [64u8; LANES];
    let mut valid = 0u64;
    for lane in 0..lanes {
        let (row, in_row) = (lane & !15, lane & 15);
        let source = match dpp_ctrl {
            0x000..=0x0ff => lane & !3 | (dpp_ctrl >> (2 * (lane & 3)) & 3) as i32,
            0x101..=0x10f => within_row(row, in_row + (dpp_ctrl & 15) as i32),
            0x111..=0x11f => within_row(row, in_row - (dpp_ctrl & 15) as i32),
            0x121..=0x12f => row | (in_row - (dpp_ctrl & 15) as i32) & 15,
            // Whole-wave shifts and rotates by one: gfx8 and gfx9.
            0x130 => within_wave(lane + 1, lanes),
            0x134 => (lane + 1) % lanes,
            0x138 => within_wave(lane - 1, lanes),
            0x13c => (lane + lanes - 1) % lanes,
            0x140 => row | (15 - in_row),
            0x141 => lane & !7 | (7 - (lane & 7)),
            0x142 => within_wave(row - 1, lanes),
            0x143 => {
                if lane >= 32 {
                    31
                } else {
                    -1
                }
            }
            0x150..=0x15f => row | (dpp_ctrl & 15) as i32,
            0x160..=0x16f => row | in_row ^ (dpp_ctrl & 15) as i32,
            _ => -1,
        };
        if row_mask >> (lane >> 4) & 1 == 0 || bank_mask >> (lane >> 2 & 3) & 1 == 0 {
            continue;
        }
        let readable = source >= 0 && (fetch_inactive || exec >> source & 1 != 0);
        if readable {
            sources[lane as usize] = source as u8;
        }
        if readable || bound_control {
            valid |= 1 << lane;
        }
    }
    (sources, valid)
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
fn dpp8(wave: &Wave, control: u32) -> [u8; LANES] {
    // The fetch-inactive form is told apart by the source field's marker, which decode moved to bit 0.
    let fetch_inactive = control & 1 != 0;
    let exec = wave.exec();
    std::array::from_fn(|lane| {
        let source = lane & !7 | (control >> (8 + 3 * (lane & 7)) & 7) as usize;
        if fetch_inactive || exec >> source & 1 != 0 {
            source as u8
        } else {
            64
        }
    })
}

fn permute(row: &mut VectorRow, sources: &[u8; LANES]) {
    let old = *row;
    for (value, &source) in row.0.iter_mut().zip(sources) {
        *value = if source < 64 {
            old.0[source as usize]
        } else {
            0
        };
    }
}

/// Applies op_sel, ABS and NEG to the temporary rows of source `index`.
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

fn map(row: &mut VectorRow, change: impl Fn(u32) -> u32) {
    for value in &mut row.0 {
        *value = change(*value);
    }
}

/// Output half: omod, clamp, then the merge into the destination that SDWA, op_sel or the 16-bit rule ask for.
#[cold]
#[inline(never)]
pub(super) fn finish(wave: &mut Wave, op: &MicroOp, exec: u64, result: Type) {
    let omod = op.modifiers >> modifier::OMOD & 3;
    let clamp = op.modifiers & modifier::CLAMP != 0;
    let mode = wave.mode;
    let words = result.words();
    let omod = if omod != 0 && output_modifier_applies(mode, result) {
        omod
    } else {
        0
    };
    let mut staged = [VectorRow::ZERO; 2];
    for (word, row) in staged.iter_mut().enumerate().take(words) {
        *row = *wave.temporary(RESULT_ROWS + word);
    }
    for lane in 0..wave.wave_size as usize {
        if exec >> lane & 1 == 0 {
            continue;
        }
        let value = u64::from(staged[0].0[lane]) | u64::from(staged[1].0[lane]) << 32;
        let value = scale_and_clamp(value, result, omod, clamp, mode.dx10_clamp());
        let row = op.dst as usize;
        let old = wave.rows[row].0[lane];
        wave.rows[row].0[lane] = merge(op, result, old, value as u32);
        if words == 2 {
            wave.rows[row + 1].0[lane] = (value >> 32) as u32;
        }
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

/// Places a 32-bit or narrower result into the old register value.
fn merge(op: &MicroOp, kind: Type, old: u32, value: u32) -> u32 {
    if op.control == Control::Sdwa {
        return sdwa_merge(op.extra, old, value);
    }
    if !matches!(kind, Type::B16 | Type::F16) {
        return value;
    }
    if op.modifiers >> (modifier::OP_SEL + 3) & 1 != 0 {
        return old & 0xffff | value << 16;
    }
    if op.modifiers & modifier::PRESERVE_HIGH != 0 {
        old & 0xffff_0000 | value & 0xffff
    } else {
        value & 0xffff
    }
}

/// Output half of SDWA: bits 8-10 select where the result goes, bits 11-12 what happens to the rest.
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
