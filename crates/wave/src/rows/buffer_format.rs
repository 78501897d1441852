//! Typed buffer accesses: `buffer_*_format_*` (format in the descriptor) and `tbuffer_*` (format in the instruction).

use super::{
    Row, Shape,
    buffer::Buffer,
    lanes::{self, GROUP, Lanes},
    space::{self, Access, Checked, Space},
};
use crate::{
    engine::{Env, Stop},
    memory::Fault,
    micro_op::{Handler, MicroOp},
    shell::{self, Body},
    state::Wave,
};

/// Bits of a row's attribute. The low three hold the number of components.
mod bit {
    pub const D16: u16 = 8;
    pub const HIGH: u16 = 16;
    pub const TYPED: u16 = 32;
}

/// How a component's bits are a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    Float,
}

use Kind::*;

/// Number formats of gfx9 descriptors.
#[rustfmt::skip]
const NUMBERS: [Option<Kind>; 8] = [Some(Unorm), Some(Snorm), Some(Uscaled), Some(Sscaled), Some(Uint), Some(Sint), None, Some(Float)];

/// Component widths in bits, from the low end of the element. Indexed by gfx9's data format.
#[rustfmt::skip]
const WIDTHS: [&[u32]; 16] = [
    &[],               // invalid
    &[8],              // 8
    &[16],             // 16
    &[8, 8],           // 8_8
    &[32],             // 32
    &[16, 16],         // 16_16
    &[11, 11, 10],     // 10_11_11: the name lists the high end first
    &[10, 11, 11],     // 11_11_10
    &[2, 10, 10, 10],  // 10_10_10_2
    &[10, 10, 10, 2],  // 2_10_10_10
    &[8, 8, 8, 8],     // 8_8_8_8
    &[32, 32],         // 32_32
    &[16, 16, 16, 16], // 16_16_16_16
    &[32, 32, 32],     // 32_32_32
    &[32, 32, 32, 32], // 32_32_32_32
    &[],               // reserved
];

/// gfx10's unified formats: first number, gfx9's data format, and the number formats that follow each other.
#[rustfmt::skip]
const UNIFIED: [(u32, usize, &[Kind]); 14] = [
    ( 1,  1, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint]),
    ( 7,  2, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float]),
    (14,  3, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint]),
    (20,  4, &[Uint, Sint, Float]),
    (23,  5, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float]),
    (30,  6, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float]),
    (37,  7, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float]),
    (44,  8, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint]),
    (50,  9, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint]),
    (56, 10, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint]),
    (62, 11, &[Uint, Sint, Float]),
    (65, 12, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float]),
    (72, 13, &[Uint, Sint, Float]),
    (75, 14, &[Uint, Sint, Float]),
];

/// Component widths and kind of the instruction's format, and the destination selects. `None`: no such format.
fn format(wave: &Wave, op: &MicroOp) -> Option<(&'static [u32], Kind, u32)> {
    let w3 = wave.sgpr(op.src[1].index as usize + 3);
    let selects = w3 & 0xfff;
    let typed = op.attribute & bit::TYPED != 0;
    if op.modifiers & super::SINCE_GFX10 == 0 {
        let (data, number) = if typed {
            (op.extra & 15, op.extra >> 4 & 7)
        } else {
            (w3 >> 15 & 15, w3 >> 12 & 7)
        };
        let widths = WIDTHS[data as usize];
        return Some((widths, NUMBERS[number as usize]?, selects)).filter(|_| !widths.is_empty());
    }
    let number = if typed {
        op.extra & 0x7f
    } else {
        w3 >> 12 & 0x7f
    };
    UNIFIED.iter().find_map(|&(first, data, kinds)| {
        let kind = *kinds.get(number.checked_sub(first)? as usize)?;
        Some((WIDTHS[data], kind, selects))
    })
}

/// f32 (or integer) bits of a component.
fn decode(raw: u32, width: u32, kind: Kind) -> u32 {
    let signed = (raw << (32 - width)) as i32 >> (32 - width);
    let ones = (1u64 << width) - 1;
    match kind {
        Unorm => (f64::from(raw) / ones as f64) as f32,
        Snorm => (f64::from(signed) / (ones >> 1) as f64).max(-1.0) as f32,
        Uscaled => raw as f32,
        Sscaled => signed as f32,
        Uint => return raw,
        Sint => return signed as u32,
        Float => match width {
            16 => return numerics::convert::f32_from_f16_exact(raw as u16),
            // 5 exponent bits as in f16, no sign: shift the mantissa to f16's ten bits.
            10 | 11 => return numerics::convert::f32_from_f16_exact((raw << (15 - width)) as u16),
            _ => return raw,
        },
    }
    .to_bits()
}

/// A component's bits from f32 (or integer) bits. `None`: what the hardware does is not published.
fn encode(value: u32, width: u32, kind: Kind) -> Option<u32> {
    let ones = ((1u64 << width) - 1) as u32;
    let float = f64::from(f32::from_bits(value));
    let scaled = |low: f64, high: f64, scale: f64| {
        let clamped = if float.is_nan() {
            0.0
        } else {
            float.clamp(low, high)
        };
        (clamped * scale).round_ties_even() as i64 as u32 & ones
    };
    match (kind, width) {
        (Uint | Sint | Float, 32) => Some(value),
        (Float, 16) => Some(u32::from(numerics::convert::f16_from_f32_nearest(value))),
        (Unorm, _) => Some(scaled(0.0, 1.0, f64::from(ones))),
        (Snorm, _) => Some(scaled(-1.0, 1.0, f64::from(ones >> 1))),
        _ => None,
    }
}

fn unsupported(wave: &mut Wave, what: &str) -> u32 {
    let pc = wave.pc();
    wave.stop(Stop::Unsupported(format!(
        "buffer format {what} near {pc:#x}"
    )))
}

/// The parts of an element that are resolved separately: (offset, bytes).
fn parts(bytes: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..bytes.div_ceil(4)).map(move |word| (4 * word, (bytes - 4 * word).min(4)))
}

/// Raw words of the element of every lane.
fn read(
    wave: &Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    access: &Access,
) -> Result<[[u32; GROUP]; 4], Box<Fault>> {
    let mut words = [[0; GROUP]; 4];
    for (extra, bytes) in parts(access.bytes) {
        let part = Access {
            extra,
            bytes,
            ..*access
        };
        let mut lanes = Lanes::NONE;
        Buffer::resolve(wave, op, env, &part, &mut lanes)?;
        lanes.each(|i, pointer| {
            for byte in 0..bytes {
                // SAFETY: resolved for `bytes` bytes.
                let value = unsafe { pointer.add(byte as usize).read() };
                words[extra as usize / 4][i] |= u32::from(value) << (8 * byte);
            }
        });
    }
    Ok(words)
}

fn write(
    wave: &Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    access: &Access,
    words: &[[u32; GROUP]; 4],
) -> Checked {
    for (extra, bytes) in parts(access.bytes) {
        let part = Access {
            extra,
            bytes,
            ..*access
        };
        let mut lanes = Lanes::NONE;
        Buffer::resolve(wave, op, env, &part, &mut lanes)?;
        lanes.each(|i, pointer| {
            for byte in 0..bytes {
                let value = (words[extra as usize / 4][i] >> (8 * byte)) as u8;
                // SAFETY: resolved for writing `bytes` bytes.
                unsafe { pointer.add(byte as usize).write(value) };
            }
        });
    }
    Ok(())
}

/// Bit `position..position + width` of an element.
fn extract(words: &[[u32; GROUP]; 4], lane: usize, position: u32, width: u32) -> u32 {
    let ones = ((1u64 << width) - 1) as u32;
    words[position as usize / 32][lane] >> (position % 32) & ones
}

struct Load;

impl Body for Load {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let Some((widths, kind, selects)) = format(wave, op) else {
            return unsupported(wave, "reserved");
        };
        let components = usize::from(op.attribute & 7);
        let integer = matches!(kind, Uint | Sint);
        let one = if integer { 1 } else { 1.0f32.to_bits() };
        let bytes = widths.iter().sum::<u32>() / 8;
        space::each_group(wave, bytes, false, |wave, access| {
            let words = read(wave, op, env, &access)?;
            let mut values = [[0; GROUP]; 4];
            for lane in 0..GROUP {
                // Components that the format lacks read 0, 0, 1.
                let mut colour = [0, 0, 0, one];
                let mut position = 0;
                for (component, &width) in widths.iter().enumerate() {
                    colour[component] = decode(extract(&words, lane, position, width), width, kind);
                    position += width;
                }
                for (component, values) in values.iter_mut().enumerate().take(components) {
                    values[lane] = match selects >> (3 * component) & 7 {
                        1 => one,
                        select @ 4..=7 => colour[select as usize - 4],
                        _ => 0,
                    };
                }
            }
            write_components(wave, op, access.group, &values[..components], integer);
            Ok(())
        })
    }
}

/// Writes loaded components as dwords, or as packed halves for d16.
fn write_components(
    wave: &mut Wave,
    op: &MicroOp,
    group: usize,
    values: &[[u32; GROUP]],
    integer: bool,
) {
    let dst = op.dst as usize;
    if op.attribute & bit::D16 == 0 {
        for (component, &values) in values.iter().enumerate() {
            lanes::write_active(wave, dst + component, group, values);
        }
        return;
    }
    let half = |value: u32| {
        if integer {
            value & 0xffff
        } else {
            u32::from(numerics::convert::f16_from_f32_nearest(value))
        }
    };
    for (register, pair) in values.chunks(2).enumerate() {
        let old = *lanes::words(wave, dst + register, group);
        let packed = std::array::from_fn(|i| {
            let first = half(pair[0][i]);
            match pair.get(1) {
                Some(second) => first | half(second[i]) << 16,
                None if op.attribute & bit::HIGH != 0 => old[i] & 0xffff | first << 16,
                None => old[i] & 0xffff_0000 | first,
            }
        });
        lanes::write_active(wave, dst + register, group, packed);
    }
}

struct Store;

impl Body for Store {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let Some((widths, kind, _)) = format(wave, op) else {
            return unsupported(wave, "reserved");
        };
        if widths.iter().any(|&width| encode(0, width, kind).is_none()) {
            return unsupported(
                wave,
                "conversion of a narrow integer, scaled or small float store",
            );
        }
        let components = usize::from(op.attribute & 7);
        let integer = matches!(kind, Uint | Sint);
        let bytes = widths.iter().sum::<u32>() / 8;
        space::each_group(wave, bytes, true, |wave, access| {
            let mut words = [[0u32; GROUP]; 4];
            let mut position = 0;
            // Components that the instruction lacks repeat its first.
            for (component, &width) in widths.iter().enumerate() {
                let source = if component < components { component } else { 0 };
                for (lane, word) in words[position as usize / 32].iter_mut().enumerate() {
                    let value = component_of(wave, op, access.group, source, lane, integer);
                    let raw = encode(value, width, kind).unwrap_or(0);
                    *word |= raw << (position % 32);
                }
                position += width;
            }
            write(wave, op, env, &access, &words)
        })
    }
}

/// Component `index` of the stored value as f32 or integer bits.
fn component_of(
    wave: &Wave,
    op: &MicroOp,
    group: usize,
    index: usize,
    lane: usize,
    integer: bool,
) -> u32 {
    let dst = op.dst as usize;
    if op.attribute & bit::D16 == 0 {
        return lanes::words(wave, dst + index, group)[lane];
    }
    let word = lanes::words(wave, dst + index / 2, group)[lane];
    let high = !index.is_multiple_of(2) || op.attribute & bit::HIGH != 0;
    let half = (word >> if high { 16 } else { 0 }) as u16;
    if integer {
        u32::from(half)
    } else {
        numerics::convert::f32_from_f16_exact(half)
    }
}

/// Appends this file's rows.
#[rustfmt::skip]
pub(super) fn rows(rows: &mut Vec<Row>) {
    fn push(rows: &mut Vec<Row>, mnemonic: &'static str, attribute: u16, handler: fn() -> Handler) {
        let typed = attribute & bit::TYPED != 0;
        rows.push(Row { mnemonic, shape: Shape::Buffer { typed }, handler, width: 0, attribute, changes_exec: false });
    }
    macro_rules! formats {
        ($prefix:literal, $typed:expr) => {
            formats!($prefix, $typed, "x", 1, "xy", 2, "xyz", 3, "xyzw", 4);
        };
        ($prefix:literal, $typed:expr, $($suffix:literal, $components:literal),*) => {$(
            push(rows, concat!($prefix, "_load_format_", $suffix), $typed | $components, shell::scalar_handler::<Load>);
            push(rows, concat!($prefix, "_store_format_", $suffix), $typed | $components, shell::scalar_handler::<Store>);
            push(rows, concat!($prefix, "_load_format_d16_", $suffix), $typed | bit::D16 | $components, shell::scalar_handler::<Load>);
            push(rows, concat!($prefix, "_store_format_d16_", $suffix), $typed | bit::D16 | $components, shell::scalar_handler::<Store>);
        )*};
    }
    formats!("buffer", 0);
    formats!("tbuffer", bit::TYPED);
    push(rows, "buffer_load_format_d16_hi_x",  bit::D16 | bit::HIGH | 1, shell::scalar_handler::<Load>);
    push(rows, "buffer_store_format_d16_hi_x", bit::D16 | bit::HIGH | 1, shell::scalar_handler::<Store>);
}
