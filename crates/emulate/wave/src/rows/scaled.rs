//! gfx950's conversions between wide floats and the microscaling formats, under a scale (`v_cvt_scalef32_*`).
//!
//! Operands are one value, two, or thirty-two along runs of registers, so bodies go lane by lane. The scale is the exponent of a
//! single, the last source; stochastic forms have random bits before it, which change from one value to the next.

use numerics::{
    convert::{self, Micro, Wide},
    soft::Value,
};

use super::{Row, Shape, VectorShape};
use crate::{
    engine::Env,
    micro_op::{MicroOp, SrcKind, modifier},
    mode::Context,
    ports::Type,
    shell::{self, Body},
    state::{LANES, Wave},
};

/// Most values of one conversion, which is also the most registers of an operand.
const MOST: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Narrow,
    Widen,
}

#[derive(Clone, Copy, Debug)]
struct Conversion {
    name: &'static str,
    wide: Wide,
    micro: Micro,
    direction: Direction,
    /// Values per lane.
    count: usize,
    stochastic: bool,
    /// Sources that wide values come from in turn.
    sources: usize,
}

const fn row(
    name: &'static str,
    wide: Wide,
    micro: Micro,
    direction: Direction,
    count: usize,
    stochastic: bool,
    sources: usize,
) -> Conversion {
    Conversion {
        name,
        wide,
        micro,
        direction,
        count,
        stochastic,
        sources,
    }
}

use {Direction::*, Micro::*, Wide::*};

/// Columns: wide format, small format, direction, values, whether random bits take part, sources of values.
#[rustfmt::skip]
static CONVERSIONS: &[Conversion] = &[
    row("v_cvt_scalef32_pk_fp8_f32",          F32,  E4m3, Narrow, 2,  false, 2),
    row("v_cvt_scalef32_pk_fp8_f16",          F16,  E4m3, Narrow, 2,  false, 1),
    row("v_cvt_scalef32_pk_fp8_bf16",         Bf16, E4m3, Narrow, 2,  false, 1),
    row("v_cvt_scalef32_sr_fp8_f32",          F32,  E4m3, Narrow, 1,  true,  1),
    row("v_cvt_scalef32_sr_fp8_f16",          F16,  E4m3, Narrow, 1,  true,  1),
    row("v_cvt_scalef32_sr_fp8_bf16",         Bf16, E4m3, Narrow, 1,  true,  1),
    row("v_cvt_scalef32_pk_f32_fp8",          F32,  E4m3, Widen,  2,  false, 1),
    row("v_cvt_scalef32_pk_f16_fp8",          F16,  E4m3, Widen,  2,  false, 1),
    row("v_cvt_scalef32_pk_bf16_fp8",         Bf16, E4m3, Widen,  2,  false, 1),
    row("v_cvt_scalef32_f32_fp8",             F32,  E4m3, Widen,  1,  false, 1),
    row("v_cvt_scalef32_f16_fp8",             F16,  E4m3, Widen,  1,  false, 1),
    row("v_cvt_scalef32_pk_bf8_f32",          F32,  E5m2, Narrow, 2,  false, 2),
    row("v_cvt_scalef32_pk_bf8_f16",          F16,  E5m2, Narrow, 2,  false, 1),
    row("v_cvt_scalef32_pk_bf8_bf16",         Bf16, E5m2, Narrow, 2,  false, 1),
    row("v_cvt_scalef32_sr_bf8_f32",          F32,  E5m2, Narrow, 1,  true,  1),
    row("v_cvt_scalef32_sr_bf8_f16",          F16,  E5m2, Narrow, 1,  true,  1),
    row("v_cvt_scalef32_sr_bf8_bf16",         Bf16, E5m2, Narrow, 1,  true,  1),
    row("v_cvt_scalef32_pk_f32_bf8",          F32,  E5m2, Widen,  2,  false, 1),
    row("v_cvt_scalef32_pk_f16_bf8",          F16,  E5m2, Widen,  2,  false, 1),
    row("v_cvt_scalef32_pk_bf16_bf8",         Bf16, E5m2, Widen,  2,  false, 1),
    row("v_cvt_scalef32_f32_bf8",             F32,  E5m2, Widen,  1,  false, 1),
    row("v_cvt_scalef32_f16_bf8",             F16,  E5m2, Widen,  1,  false, 1),
    row("v_cvt_scalef32_pk_fp4_f32",          F32,  E2m1, Narrow, 2,  false, 2),
    row("v_cvt_scalef32_pk_fp4_f16",          F16,  E2m1, Narrow, 2,  false, 1),
    row("v_cvt_scalef32_pk_fp4_bf16",         Bf16, E2m1, Narrow, 2,  false, 1),
    row("v_cvt_scalef32_sr_pk_fp4_f32",       F32,  E2m1, Narrow, 2,  true,  1),
    row("v_cvt_scalef32_sr_pk_fp4_f16",       F16,  E2m1, Narrow, 2,  true,  1),
    row("v_cvt_scalef32_sr_pk_fp4_bf16",      Bf16, E2m1, Narrow, 2,  true,  1),
    row("v_cvt_scalef32_pk_f32_fp4",          F32,  E2m1, Widen,  2,  false, 1),
    row("v_cvt_scalef32_pk_f16_fp4",          F16,  E2m1, Widen,  2,  false, 1),
    row("v_cvt_scalef32_pk_bf16_fp4",         Bf16, E2m1, Widen,  2,  false, 1),
    row("v_cvt_scalef32_2xpk16_fp6_f32",      F32,  E2m3, Narrow, 32, false, 2),
    row("v_cvt_scalef32_pk32_fp6_f16",        F16,  E2m3, Narrow, 32, false, 1),
    row("v_cvt_scalef32_pk32_fp6_bf16",       Bf16, E2m3, Narrow, 32, false, 1),
    row("v_cvt_scalef32_sr_pk32_fp6_f32",     F32,  E2m3, Narrow, 32, true,  1),
    row("v_cvt_scalef32_sr_pk32_fp6_f16",     F16,  E2m3, Narrow, 32, true,  1),
    row("v_cvt_scalef32_sr_pk32_fp6_bf16",    Bf16, E2m3, Narrow, 32, true,  1),
    row("v_cvt_scalef32_pk32_f32_fp6",        F32,  E2m3, Widen,  32, false, 1),
    row("v_cvt_scalef32_pk32_f16_fp6",        F16,  E2m3, Widen,  32, false, 1),
    row("v_cvt_scalef32_pk32_bf16_fp6",       Bf16, E2m3, Widen,  32, false, 1),
    row("v_cvt_scalef32_2xpk16_bf6_f32",      F32,  E3m2, Narrow, 32, false, 2),
    row("v_cvt_scalef32_pk32_bf6_f16",        F16,  E3m2, Narrow, 32, false, 1),
    row("v_cvt_scalef32_pk32_bf6_bf16",       Bf16, E3m2, Narrow, 32, false, 1),
    row("v_cvt_scalef32_sr_pk32_bf6_f32",     F32,  E3m2, Narrow, 32, true,  1),
    row("v_cvt_scalef32_sr_pk32_bf6_f16",     F16,  E3m2, Narrow, 32, true,  1),
    row("v_cvt_scalef32_sr_pk32_bf6_bf16",    Bf16, E3m2, Narrow, 32, true,  1),
    row("v_cvt_scalef32_pk32_f32_bf6",        F32,  E3m2, Widen,  32, false, 1),
    row("v_cvt_scalef32_pk32_f16_bf6",        F16,  E3m2, Widen,  32, false, 1),
    row("v_cvt_scalef32_pk32_bf16_bf6",       Bf16, E3m2, Widen,  32, false, 1),
];

impl Conversion {
    /// Registers of the sources and of the destination.
    fn runs(&self) -> [u16; 4] {
        let words = |bits: u32| (self.count as u32 * bits).div_ceil(32) as u16;
        let (wide, micro) = (words(self.wide.bits()), words(self.micro.bits()));
        match (self.direction, self.stochastic, self.sources) {
            (Widen, ..) => [micro, 1, 0, wide],
            (Narrow, true, _) => [wide, 1, 1, micro],
            (Narrow, false, 1) => [wide, 1, 0, micro],
            (Narrow, false, _) => [wide / 2, wide / 2, 1, micro],
        }
    }

    /// The source that is the scale: the last one.
    fn scale(&self) -> usize {
        if self.runs()[2] == 0 { 1 } else { 2 }
    }

    fn types(&self) -> [Type; 3] {
        std::array::from_fn(|index| match self.runs()[index] {
            0 => Type::None,
            1 if index == self.scale() || self.is_single(index) => Type::F32,
            _ => Type::B32,
        })
    }

    /// Returns `true` if source `index` is one single, which NEG and ABS apply to.
    fn is_single(&self, index: usize) -> bool {
        let value = self.direction == Narrow && index < self.sources && self.wide == F32;
        self.runs()[index] == 1 && (value || index == self.scale())
    }
}

/// One lane of source `index`, its registers from the first on.
fn words(wave: &Wave, op: &MicroOp, index: usize, count: usize, lane: usize) -> [u32; MOST] {
    let src = op.src[index];
    let mut words = [0; MOST];
    match src.kind {
        SrcKind::Vector => {
            for (word, value) in words[..count].iter_mut().enumerate() {
                *value = wave.row(src.index as usize + word).0[lane];
            }
        }
        _ if count <= 2 => {
            let value = wave.uniform(op, index);
            (words[0], words[1]) = (value as u32, (value >> 32) as u32);
        }
        // Every register of a long operand reads the constant.
        _ => words[..count].fill(wave.uniform32(op, index)),
    }
    words
}

/// Source `index`, one single, after ABS and NEG.
fn single(wave: &Wave, op: &MicroOp, index: usize, lane: usize) -> u32 {
    let bit = |base: u32| op.vector().modifier(base, index);
    let value = wave.lane_value(op, index, lane);
    (value & !(bit(modifier::ABS) << 31)) ^ bit(modifier::NEG) << 31
}

/// Bits `at..at + width` of a row of words.
fn bits(words: &[u32; MOST], at: usize, width: u32) -> u32 {
    let low = u64::from(words[at / 32]);
    let high = u64::from(*words.get(at / 32 + 1).unwrap_or(&0));
    ((low | high << 32) >> (at % 32)) as u32 & (!0 >> (32 - width))
}

fn set_bits(words: &mut [u32; MOST], at: usize, width: u32, value: u32) {
    let value = u64::from(value & (!0 >> (32 - width))) << (at % 32);
    words[at / 32] |= value as u32;
    if value >> 32 != 0 {
        words[at / 32 + 1] |= (value >> 32) as u32;
    }
}

struct Convert;

impl Body for Convert {
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let conversion = &CONVERSIONS[op.vector().instruction as usize];
        let context = wave.mode.context();
        let select = op.vector().op_sel();
        let exec = wave.exec();
        for lane in (0..LANES).filter(|lane| exec >> lane & 1 != 0) {
            let scale = convert::scale_of_f32(single(wave, op, conversion.scale(), lane));
            let result = match conversion.direction {
                Narrow => narrow(wave, op, context, conversion, scale, lane),
                Widen => widen(wave, op, context, conversion, scale, lane),
            };
            // A result shorter than a register goes to the part that op_sel names, and the other parts stay.
            let width = conversion.count as u32
                * match conversion.direction {
                    Narrow => conversion.micro.bits(),
                    Widen => conversion.wide.bits(),
                };
            let first = op.dst as usize;
            if width < 32 {
                let shift = match width {
                    8 => 8 * (select >> 2),
                    _ => 16 * (select >> 3),
                };
                let mask = ((1 << width) - 1) << shift;
                let target = &mut wave.row_mut(first).0[lane];
                *target = *target & !mask | result[0] << shift & mask;
                continue;
            }
            for word in 0..width as usize / 32 {
                wave.row_mut(first + word).0[lane] = result[word];
            }
        }
        u32::from(op.after)
    }
}

fn narrow(
    wave: &Wave,
    op: &MicroOp,
    context: Context,
    conversion: &Conversion,
    scale: u8,
    lane: usize,
) -> [u32; MOST] {
    let Conversion {
        wide,
        micro,
        count,
        sources,
        ..
    } = *conversion;
    let runs = conversion.runs();
    let inputs: [[u32; MOST]; 2] = std::array::from_fn(|index| {
        if index >= sources {
            [0; MOST]
        } else if conversion.is_single(index) {
            let mut words = [0; MOST];
            words[0] = single(wave, op, index, lane);
            words
        } else {
            words(wave, op, index, runs[index] as usize, lane)
        }
    });
    // One half alone is the one that op_sel names.
    let first = if count == 1 && wide != F32 {
        16 * (op.vector().op_sel() & 1) as usize
    } else {
        0
    };
    let mut random = if conversion.stochastic {
        wave.lane_value(op, 1, lane)
    } else {
        0
    };
    let clamps = context.fp16_overflow_clamps;
    let mut result = [0; MOST];
    for index in 0..count {
        let at = first + index / sources * wide.bits() as usize;
        let value = bits(&inputs[index % sources], at, wide.bits());
        let small = if conversion.stochastic {
            micro.narrow_stochastic(value, wide, scale, random, clamps)
        } else {
            micro.narrow(value, wide, scale, clamps)
        };
        random = convert::next_random(random);
        let width = micro.bits();
        set_bits(&mut result, index * width as usize, width, small.into());
    }
    result
}

fn widen(
    wave: &Wave,
    op: &MicroOp,
    context: Context,
    conversion: &Conversion,
    scale: u8,
    lane: usize,
) -> [u32; MOST] {
    let Conversion {
        wide, micro, count, ..
    } = *conversion;
    let source = words(wave, op, 0, conversion.runs()[0] as usize, lane);
    let select = (op.vector().op_sel() & 3) as usize;
    let first = match count as u32 * micro.bits() {
        8 => 8 * select,
        16 => 16 * (select & 1),
        _ => 0,
    };
    let mut result = [0; MOST];
    for index in 0..count {
        let width = micro.bits();
        let small = bits(&source, first + index * width as usize, width) as u8;
        let mut value = micro.widen(small, wide, scale);
        if wide == F16 {
            let infinite = matches!(micro.unpack(small), Value::Infinity { .. });
            let clamps = context.fp16_overflow_clamps;
            value = convert::limit_overflow(value as u16, infinite, clamps).into();
        }
        let width = wide.bits();
        set_bits(&mut result, index * width as usize, width, value);
    }
    result
}

/// Appends this file's rows.
pub(super) fn rows(rows: &mut Vec<Row>) {
    for (index, conversion) in CONVERSIONS.iter().enumerate() {
        rows.push(Row {
            mnemonic: conversion.name,
            shape: Shape::Vector(VectorShape {
                sources: conversion.types(),
                result: Type::B32,
                runs: conversion.runs(),
                instruction: index as u16,
                ..VectorShape::NONE
            }),
            handler: shell::handler::<Convert>,
            changes_exec: false,
        });
    }
}
