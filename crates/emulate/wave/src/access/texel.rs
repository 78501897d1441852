//! Formats of typed buffers and images: an element's bits to up to four components and back.

/// How a component's bits are a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    Float,
    /// As `Unorm`, but the first three components are stored by the curve of sRGB.
    Srgb,
}

use Kind::*;

/// Number formats of gfx9 descriptors.
#[rustfmt::skip]
const NUMBERS: [Option<Kind>; 16] = [
    Some(Unorm), Some(Snorm), Some(Uscaled), Some(Sscaled), Some(Uint), Some(Sint), None, Some(Float),
    None, Some(Srgb), None, None, None, None, None, None,
];

/// Component widths in bits, from the low end of the element. Indexed by gfx9's data format; those behind the first sixteen
/// exist only for images.
#[rustfmt::skip]
const WIDTHS: [&[u32]; 20] = [
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
    &[5, 6, 5],        // 5_6_5
    &[5, 5, 5, 1],     // 1_5_5_5
    &[1, 5, 5, 5],     // 5_5_5_1
    &[4, 4, 4, 4],     // 4_4_4_4
];

/// gfx10's unified formats: first number, gfx9's data format, and the number formats that follow each other.
#[rustfmt::skip]
const UNIFIED: [(u32, usize, &[Kind]); 21] = [
    (  1,  1, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint]),
    (  7,  2, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float]),
    ( 14,  3, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint]),
    ( 20,  4, &[Uint, Sint, Float]),
    ( 23,  5, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float]),
    ( 30,  6, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float]),
    ( 37,  7, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float]),
    ( 44,  8, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint]),
    ( 50,  9, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint]),
    ( 56, 10, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint]),
    ( 62, 11, &[Uint, Sint, Float]),
    ( 65, 12, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float]),
    ( 72, 13, &[Uint, Sint, Float]),
    ( 75, 14, &[Uint, Sint, Float]),
    (128,  1, &[Srgb]),
    (129,  3, &[Srgb]),
    (130, 10, &[Srgb]),
    (133, 16, &[Unorm]),
    (134, 17, &[Unorm]),
    (135, 18, &[Unorm]),
    (136, 19, &[Unorm]),
];

/// gfx11's, of which there are fewer.
#[rustfmt::skip]
const UNIFIED_GFX11: [(u32, usize, &[Kind]); 22] = [
    ( 1,  1, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint]),
    ( 7,  2, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float]),
    (14,  3, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint]),
    (20,  4, &[Uint, Sint, Float]),
    (23,  5, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float]),
    (30,  6, &[Float]),
    (31,  7, &[Float]),
    (32,  8, &[Unorm, Snorm]),
    (34,  8, &[Uint, Sint]),
    (36,  9, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint]),
    (42, 10, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint]),
    (48, 11, &[Uint, Sint, Float]),
    (51, 12, &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float]),
    (58, 13, &[Uint, Sint, Float]),
    (61, 14, &[Uint, Sint, Float]),
    (64,  1, &[Srgb]),
    (65,  3, &[Srgb]),
    (66, 10, &[Srgb]),
    // (67: three components with one exponent.)
    (68, 16, &[Unorm]),
    (69, 17, &[Unorm]),
    (70, 18, &[Unorm]),
    (71, 19, &[Unorm]),
];

/// Layout and meaning of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    pub widths: &'static [u32],
    pub kind: Kind,
}

impl Format {
    /// gfx9's pair of numbers. `None`: reserved.
    pub fn of_pair(data: u32, number: u32) -> Option<Format> {
        let widths = *WIDTHS.get(data as usize)?;
        let kind = (*NUMBERS.get(number as usize)?)?;
        (!widths.is_empty()).then_some(Format { widths, kind })
    }

    /// The one number of gfx10, or of gfx11. `None`: reserved.
    pub fn of_unified(number: u32, since_gfx11: bool) -> Option<Format> {
        let formats = if since_gfx11 {
            &UNIFIED_GFX11[..]
        } else {
            &UNIFIED
        };
        formats.iter().find_map(|&(first, data, kinds)| {
            let kind = *kinds.get(number.checked_sub(first)? as usize)?;
            let widths = WIDTHS[data];
            Some(Format { widths, kind })
        })
    }

    /// Bytes of an element.
    pub fn bytes(self) -> u32 {
        self.widths.iter().sum::<u32>() / 8
    }

    /// Components are integers in registers, not singles.
    pub fn is_integer(self) -> bool {
        matches!(self.kind, Uint | Sint)
    }

    /// The constant 1 in a register.
    pub fn one(self) -> u32 {
        if self.is_integer() {
            1
        } else {
            1.0f32.to_bits()
        }
    }

    /// Components of an element as f32 or integer bits; those that the format lacks are 0, 0, 1.
    #[inline]
    pub fn load(self, words: [u32; 4]) -> [u32; 4] {
        if self.widths[0] == 32 {
            // Whole words are components as they are.
            let missing = [0, 0, 0, self.one()];
            let count = self.widths.len();
            return std::array::from_fn(|i| if i < count { words[i] } else { missing[i] });
        }
        let mut colour = [0, 0, 0, self.one()];
        let mut position = 0;
        for (component, &width) in self.widths.iter().enumerate() {
            let raw = words[position as usize / 32] >> (position % 32) & ones(width);
            colour[component] = decode(raw, width, self.component_kind(component));
            position += width;
        }
        colour
    }

    /// Returns `true` if [`Format::store`] knows how.
    pub fn can_store(self) -> bool {
        let encodes =
            |(component, &width)| encode(0, width, self.component_kind(component)).is_some();
        self.widths.iter().enumerate().all(encodes)
    }

    /// The element of components that are f32 or integer bits.
    pub fn store(self, colour: [u32; 4]) -> [u32; 4] {
        let mut words = [0; 4];
        let mut position = 0;
        for (component, &width) in self.widths.iter().enumerate() {
            let kind = self.component_kind(component);
            let raw = encode(colour[component], width, kind).unwrap_or(0);
            words[position as usize / 32] |= raw << (position % 32);
            position += width;
        }
        words
    }

    fn component_kind(self, component: usize) -> Kind {
        match self.kind {
            Srgb if component == 3 => Unorm,
            kind => kind,
        }
    }
}

/// The components that a descriptor selects (three bits each: 0, 1, or one of the format's).
#[inline]
pub(crate) fn select(selects: u32, colour: [u32; 4], one: u32) -> [u32; 4] {
    const IDENTITY: u32 = 4 | 5 << 3 | 6 << 6 | 7 << 9;
    if selects == IDENTITY {
        return colour;
    }
    std::array::from_fn(|component| match selects >> (3 * component) & 7 {
        1 => one,
        select @ 4..=7 => colour[select as usize - 4],
        _ => 0,
    })
}

/// `width` ones.
fn ones(width: u32) -> u32 {
    ((1u64 << width) - 1) as u32
}

/// f32 (or integer) bits of a component.
fn decode(raw: u32, width: u32, kind: Kind) -> u32 {
    let signed = (raw << (32 - width)) as i32 >> (32 - width);
    let unorm = |raw: u32| f64::from(raw) / f64::from(ones(width));
    match kind {
        Unorm => unorm(raw) as f32,
        Snorm => (f64::from(signed) / f64::from(ones(width) >> 1)).max(-1.0) as f32,
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
        Srgb => linear(unorm(raw)) as f32,
    }
    .to_bits()
}

/// The light that a stored sRGB value stands for (IEC 61966-2-1).
fn linear(stored: f64) -> f64 {
    if stored <= 0.04045 {
        stored / 12.92
    } else {
        ((stored + 0.055) / 1.055).powf(2.4)
    }
}

/// A component's bits from f32 (or integer) bits. `None`: what the hardware does is not published.
///
/// Narrow integers saturate: OpenCL 1.2 (8.3.3) demands it of image writes, and AMD's device library leaves it to the
/// instruction.
fn encode(value: u32, width: u32, kind: Kind) -> Option<u32> {
    let float = f64::from(f32::from_bits(value));
    let scaled = |low: f64, scale: u32| {
        let clamped = if float.is_nan() {
            0.0
        } else {
            float.clamp(low, 1.0)
        };
        (clamped * f64::from(scale)).round_ties_even() as i64 as u32 & ones(width)
    };
    match (kind, width) {
        (Uint | Sint | Float, 32) => Some(value),
        (Uint, _) => Some(value.min(ones(width))),
        (Sint, _) => {
            let highest = (ones(width) >> 1) as i32;
            Some((value as i32).clamp(-highest - 1, highest) as u32 & ones(width))
        }
        (Float, 16) => Some(u32::from(numerics::convert::f16_from_f32_nearest(value))),
        (Unorm, _) => Some(scaled(0.0, ones(width))),
        (Snorm, _) => Some(scaled(-1.0, ones(width) >> 1)),
        _ => None,
    }
}
