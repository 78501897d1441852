//! Small floats under a shared scale: the element formats of OCP's microscaling specification as gfx950 converts them.
//!
//! A scale is the exponent field of a single: 127 stands for one, 0 for 2^-127, and 255 makes everything NaN. Instructions that narrow
//! divide by it; instructions that widen multiply. Overflows, and the place where random bits are added, follow the host versions that
//! AMD's HIP headers give for these instructions.

use super::Fp8;
use crate::Round;
use crate::soft::{BF16, Exact, F16, F32, Format, Value};

/// An element format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Micro {
    /// `fp8`, [`Fp8::E4m3`].
    E4m3,
    /// `bf8`, [`Fp8::E5m2`].
    E5m2,
    /// `fp6`: bias 1, largest 7.5; neither infinity nor NaN.
    E2m3,
    /// `bf6`: bias 3, largest 28; neither infinity nor NaN.
    E3m2,
    /// `fp4`: bias 1, largest 6; neither infinity nor NaN.
    E2m1,
}

/// The wider side of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wide {
    F32,
    F16,
    Bf16,
}

impl Wide {
    #[inline(always)]
    const fn format(self) -> Format {
        match self {
            Wide::F32 => F32,
            Wide::F16 => F16,
            Wide::Bf16 => BF16,
        }
    }

    /// Bits of one value.
    #[inline(always)]
    pub const fn bits(self) -> u32 {
        match self {
            Wide::F32 => 32,
            Wide::F16 | Wide::Bf16 => 16,
        }
    }
}

/// The scale that a single stands for: its exponent field.
#[inline(always)]
pub const fn scale_of_f32(x: u32) -> u8 {
    (x >> 23) as u8
}

/// `v_prng_b32`: the next state of a shift register.
#[inline(always)]
pub const fn next_random(x: u32) -> u32 {
    x << 1 ^ if x >> 31 != 0 { 0xc5 } else { 0 }
}

impl Micro {
    /// The format that matrix instructions number so in CBSZ and BLGP.
    #[inline]
    pub const fn from_code(code: u32) -> Option<Micro> {
        Some(match code {
            0 => Micro::E4m3,
            1 => Micro::E5m2,
            2 => Micro::E2m3,
            3 => Micro::E3m2,
            4 => Micro::E2m1,
            _ => return None,
        })
    }

    /// Bits of one value.
    #[inline(always)]
    pub const fn bits(self) -> u32 {
        match self {
            Micro::E4m3 | Micro::E5m2 => 8,
            Micro::E2m3 | Micro::E3m2 => 6,
            Micro::E2m1 => 4,
        }
    }

    /// Stored fraction bits.
    #[inline(always)]
    pub const fn mantissa_bits(self) -> u32 {
        match self {
            Micro::E4m3 | Micro::E2m3 => 3,
            Micro::E5m2 | Micro::E3m2 => 2,
            Micro::E2m1 => 1,
        }
    }

    #[inline(always)]
    const fn bias(self) -> i32 {
        match self {
            Micro::E4m3 => 7,
            Micro::E5m2 => 15,
            Micro::E3m2 => 3,
            Micro::E2m3 | Micro::E2m1 => 1,
        }
    }

    #[inline(always)]
    const fn eight_bit(self) -> Option<Fp8> {
        match self {
            Micro::E4m3 => Some(Fp8::E4m3),
            Micro::E5m2 => Some(Fp8::E5m2),
            _ => None,
        }
    }

    #[inline(always)]
    const fn sign(self, negative: bool) -> u8 {
        (negative as u8) << (self.bits() - 1)
    }

    /// Largest magnitude of the formats that have numbers only.
    #[inline(always)]
    const fn largest(self) -> u8 {
        (1 << (self.bits() - 1)) - 1
    }

    /// The value of the low bits of `x`.
    #[inline]
    pub const fn unpack(self, x: u8) -> Value {
        if let Some(format) = self.eight_bit() {
            return format.unpack(x);
        }
        let negative = x & self.sign(true) != 0;
        let magnitude = x & self.largest();
        if magnitude == 0 {
            return Value::Zero { negative };
        }
        let mantissa = self.mantissa_bits();
        let field = (magnitude >> mantissa) as i32;
        let fraction = (magnitude & ((1 << mantissa) - 1)) as u128;
        Value::Finite(Exact {
            negative,
            exponent: if field == 0 { 1 } else { field } - self.bias() - mantissa as i32,
            significand: if field == 0 {
                fraction
            } else {
                fraction | 1 << mantissa
            },
            sticky: false,
        })
    }

    /// `x` times the scale, rounded to nearest even; too large becomes infinity.
    #[inline]
    pub const fn widen(self, x: u8, to: Wide, scale: u8) -> u32 {
        let format = to.format();
        let sign = if x & self.sign(true) != 0 {
            format.sign()
        } else {
            0
        };
        let nan = match to {
            Wide::F32 => format.nan(),
            // AMD's version sets the whole fraction.
            Wide::F16 | Wide::Bf16 => format.infinity() | ((1 << format.mantissa) - 1),
        };
        let bits = match self.unpack(x) {
            _ if scale == 255 => sign | nan,
            Value::Nan => sign | nan,
            Value::Infinity { .. } => sign | format.infinity(),
            Value::Zero { .. } => sign,
            Value::Finite(exact) => {
                format.pack(exact.scaled(scale as i32 - 127), Round::NearestEven)
            }
        };
        bits as u32
    }

    /// `x` divided by the scale, to nearest even. A result that is too large becomes the format's infinity, or NaN if the format has none.
    /// With `fp16_ovfl` it becomes the largest number. In formats with neither infinity nor NaN it is always the largest number, and so is
    /// the result for NaN.
    #[inline]
    pub const fn narrow(self, x: u32, from: Wide, scale: u8, fp16_ovfl: bool) -> u8 {
        match self.operand(x, from, scale, fp16_ovfl) {
            Ok(exact) => self.round(exact, Round::NearestEven, fp16_ovfl),
            Err(special) => special,
        }
    }

    /// [`Micro::narrow`] with the upper bits of `random` added below the kept fraction, as many as the wide format has there,
    /// and the rest cut.
    #[inline]
    pub const fn narrow_stochastic(
        self,
        x: u32,
        from: Wide,
        scale: u8,
        random: u32,
        fp16_ovfl: bool,
    ) -> u8 {
        let exact = match self.operand(x, from, scale, fp16_ovfl) {
            Ok(exact) => exact,
            Err(special) => return special,
        };
        let (kept, held) = (self.mantissa_bits(), from.format().mantissa);
        // The significand as the wide format has it, also of its denormals.
        let up = held as i32 - (127 - exact.significand.leading_zeros() as i32);
        let (significand, exponent) = (exact.significand << up, exact.exponent - up);
        // Below the format's normal numbers, bits are lost before anything is added.
        let lowest = 1 - self.bias();
        let lost = lowest - (exponent + held as i32);
        let lost = if lost < 0 {
            0
        } else if lost > 63 {
            63
        } else {
            lost
        };
        let noise = (random >> (32 - held + kept)) as u128;
        let sum = Exact {
            negative: exact.negative,
            exponent: exponent + lost,
            significand: (significand >> lost) + noise,
            sticky: false,
        };
        if sum.significand == 0 {
            return self.sign(exact.negative);
        }
        self.round(sum, Round::Zero, fp16_ovfl)
    }

    /// The operand over the scale, or the result if that is no number other than zero.
    #[inline]
    const fn operand(self, x: u32, from: Wide, scale: u8, fp16_ovfl: bool) -> Result<Exact, u8> {
        let format = from.format();
        let sign = self.sign(x as u64 & format.sign() != 0);
        Err(match format.unpack(x as u64) {
            _ if scale == 255 => sign | self.nan(),
            Value::Nan => sign | self.nan(),
            Value::Infinity { .. } => sign | self.overflow(fp16_ovfl),
            Value::Zero { .. } => sign,
            Value::Finite(exact) => return Ok(exact.scaled(127 - scale as i32)),
        })
    }

    #[inline(always)]
    const fn nan(self) -> u8 {
        match self {
            Micro::E4m3 | Micro::E5m2 => 0x7f,
            _ => self.largest(),
        }
    }

    #[inline(always)]
    const fn overflow(self, fp16_ovfl: bool) -> u8 {
        match self {
            Micro::E4m3 => 0x7f - fp16_ovfl as u8,
            Micro::E5m2 => 0x7c - fp16_ovfl as u8,
            _ => self.largest(),
        }
    }

    #[inline]
    const fn round(self, exact: Exact, round: Round, fp16_ovfl: bool) -> u8 {
        let mantissa = self.mantissa_bits();
        // Packed into a format with exponents to spare, so that overflow is decided here.
        let format = Format {
            mantissa,
            exponent: 8,
        };
        let moved = exact.scaled(self.bias() - 127);
        let bits = format.pack(
            Exact {
                negative: false,
                ..moved
            },
            round,
        );
        let largest = match self {
            Micro::E4m3 => 0x7e,
            Micro::E5m2 => 0x7b,
            _ => self.largest(),
        };
        let magnitude = if bits > largest as u64 {
            self.overflow(fp16_ovfl)
        } else {
            bits as u8
        };
        self.sign(exact.negative) | magnitude
    }
}
