//! The steps that follow the body: output modifiers, and placement into part of a register.

use crate::{
    engine::Env,
    micro_op::{Completion, Control, MicroOp, modifier},
    ports::{RESULT_ROWS, Type, each_group, lanes},
    shell::Body,
    state::Wave,
};

/// Output half: omod, clamp, then the merge into the destination that SDWA, op_sel or the 16-bit rule ask for.
pub(crate) struct Finish;

impl Body for Finish {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let result = op.completion().result();
        let first = wave.temporaries + RESULT_ROWS;
        if let Some(nan_to_zero) = clamps_singles(wave, op, result) {
            replace(
                wave,
                first,
                op.dst as usize,
                #[inline(always)]
                |_, staged| numerics::float32::clamp(staged, nan_to_zero),
            );
            return u32::from(op.after);
        }
        modify(wave, op, result);
        place(wave, op, result, first);
        for word in 1..result.words() {
            replace(
                wave,
                first + word,
                op.dst as usize + word,
                #[inline(always)]
                |_, staged| staged,
            );
        }
        u32::from(op.after)
    }
}

/// All that [`Finish`] does for most 16-bit results: they go into one half of the active lanes' registers, and nothing else happens to them.
pub(crate) struct PlaceHalf;

impl PlaceHalf {
    /// Returns `true` if it will do for a result that needs something behind the body.
    pub(crate) fn is_all(completion: &Completion) -> bool {
        matches!(completion.result(), Type::B16 | Type::F16)
            && completion.control != Control::SDWA
            && completion.modifiers & modifier::OUTPUT == 0
    }
}

impl Body for PlaceHalf {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let high = op.completion().modifiers >> (modifier::OP_SEL + 3) & 1 != 0;
        let (shift, half) = if high { (16, 0xffff_0000) } else { (0, 0xffff) };
        let (groups, result) = (wave.groups(), wave.temporaries + RESULT_ROWS);
        let [staged, target] = wave
            .rows
            .get_disjoint_mut([result, op.dst as usize])
            .expect("results are staged behind all registers");
        let exec = &wave.exec_lanes;
        each_group(
            groups,
            #[inline(always)]
            |group| {
                let (mask, staged) = (exec.group(group), staged.group(group));
                let held = target.group(group);
                let words = lanes(
                    #[inline(always)]
                    |lane| {
                        let changed = held[lane] ^ staged[lane] << shift;
                        held[lane] ^ changed & mask[lane] & half
                    },
                );
                target.set_group(group, words);
            },
        );
        u32::from(op.after)
    }
}

/// omod and clamp on floats, in place.
#[inline(always)]
fn modify(wave: &mut Wave, op: &MicroOp, result: Type) {
    let float = matches!(
        result,
        Type::F32 | Type::F64 | Type::F16 | Type::PackedF16 | Type::PackedF32
    );
    let omod = op.completion().modifiers >> modifier::OMOD & 3;
    let omod = if omod != 0 && output_modifier_applies(wave.mode, op, result) {
        omod
    } else {
        0
    };
    let clamp = op.completion().modifiers & modifier::CLAMP != 0;
    if !float || omod == 0 && !clamp {
        return;
    }
    let nan_to_zero = wave.mode.dx10_clamp();
    let first = wave.temporaries + RESULT_ROWS;
    for lane in 0..wave.wave_size as usize {
        let (low, high) = (wave.row(first).0[lane], wave.row(first + 1).0[lane]);
        let value = u64::from(low) | u64::from(high) << 32;
        let value = scale_and_clamp(value, result, omod, clamp, nan_to_zero);
        wave.row_mut(first).0[lane] = value as u32;
        wave.row_mut(first + 1).0[lane] = (value >> 32) as u32;
    }
}

/// Clamps the floats of type `kind` that are in active lanes from row `first` on.
pub(crate) fn clamp(wave: &mut Wave, first: usize, kind: Type) {
    let nan_to_zero = wave.mode.dx10_clamp();
    let exec = wave.exec();
    for lane in (0..wave.wave_size as usize).filter(|lane| exec >> lane & 1 != 0) {
        let low = u64::from(wave.row(first).0[lane]);
        let is_wide = kind.words() > 1;
        let high = if is_wide {
            u64::from(wave.row(first + 1).0[lane])
        } else {
            0
        };
        let value = scale_and_clamp(low | high << 32, kind, 0, true, nan_to_zero);
        wave.row_mut(first).0[lane] = value as u32;
        if is_wide {
            wave.row_mut(first + 1).0[lane] = (value >> 32) as u32;
        }
    }
}

/// Sets the words of row `dst` in active lanes to what `new` makes of them and of those of row `staged`.
#[inline(always)]
fn replace(wave: &mut Wave, staged: usize, dst: usize, new: impl Fn(u32, u32) -> u32) {
    each_group(
        wave.groups(),
        #[inline(always)]
        |group| {
            let staged = wave.row(staged).group(group);
            let mask = wave.exec_lanes.group(group);
            let old = wave.row(dst).group(group);
            wave.row_mut(dst).set_group(
                group,
                lanes(
                    #[inline(always)]
                    |i| old[i] & !mask[i] | new(old[i], staged[i]) & mask[i],
                ),
            );
        },
    );
}

/// Whether all that the result needs is the clamp of singles, and if so, whether that makes zeros of NaNs.
#[inline(always)]
fn clamps_singles(wave: &Wave, op: &MicroOp, result: Type) -> Option<bool> {
    let Completion {
        modifiers, control, ..
    } = *op.completion();
    let is_all = result == Type::F32
        && modifiers & modifier::OUTPUT == modifier::CLAMP
        && control != Control::SDWA;
    is_all.then(|| wave.mode.dx10_clamp())
}

/// Combines a result of 32 bits or less, in row `staged`, with the old register value where only part of it is written.
#[inline(always)]
fn place(wave: &mut Wave, op: &MicroOp, kind: Type, staged: usize) {
    let dst = op.dst as usize;
    if op.completion().control == Control::SDWA {
        return sdwa_merge(wave, op.completion().control_word, staged, dst);
    }
    if kind == Type::B8 {
        let shift = 8 * (op.completion().modifiers >> (modifier::OP_SEL + 2) & 3);
        return replace(
            wave,
            staged,
            dst,
            #[inline(always)]
            |old, value| old & !(0xff << shift) | (value & 0xff) << shift,
        );
    }
    if !matches!(kind, Type::B16 | Type::F16) {
        return replace(
            wave,
            staged,
            dst,
            #[inline(always)]
            |_, value| value,
        );
    }
    if op.completion().modifiers >> (modifier::OP_SEL + 3) & 1 != 0 {
        replace(
            wave,
            staged,
            dst,
            #[inline(always)]
            |old, value| old & 0xffff | value << 16,
        );
    } else if op.completion().modifiers & modifier::PRESERVE_HIGH != 0 {
        replace(
            wave,
            staged,
            dst,
            #[inline(always)]
            |old, value| old & 0xffff_0000 | value & 0xffff,
        );
    } else {
        replace(
            wave,
            staged,
            dst,
            #[inline(always)]
            |_, value| value & 0xffff,
        );
    }
}

/// omod is ignored in IEEE mode, where there is such a mode, and when denormal results are kept.
fn output_modifier_applies(mode: crate::Mode, op: &MicroOp, result: Type) -> bool {
    let ieee = mode.ieee() && op.completion().modifiers & modifier::NO_IEEE == 0;
    let keeps_denormals = match result {
        Type::F32 => !mode.flush_outputs32(),
        _ => !mode.flush_outputs64(),
    };
    !ieee && !keeps_denormals
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
fn sdwa_merge(wave: &mut Wave, control: u32, staged: usize, dst: usize) {
    let (shift, bits) = match control >> 8 & 7 {
        select @ 0..=3 => (select * 8, 8),
        select @ 4..=5 => ((select - 4) * 16, 16),
        _ => {
            return replace(
                wave,
                staged,
                dst,
                #[inline(always)]
                |_, value| value,
            );
        }
    };
    let ones = (1u32 << bits) - 1;
    match control >> 11 & 3 {
        0 => replace(
            wave,
            staged,
            dst,
            #[inline(always)]
            |_, value| (value & ones) << shift,
        ),
        1 => replace(
            wave,
            staged,
            dst,
            #[inline(always)]
            |_, value| (((value << (32 - bits)) as i32 >> (32 - bits)) as u32) << shift,
        ),
        _ => replace(
            wave,
            staged,
            dst,
            #[inline(always)]
            |old, value| old & !(ones << shift) | (value & ones) << shift,
        ),
    }
}
