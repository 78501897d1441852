//! Eight-bit floating point: the two OCP formats (gfx950, gfx12) and their FNUZ variants (gfx942).

use crate::Round;
use crate::float32;
use crate::soft::{Exact, F32, Format, Value};

/// An eight-bit format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fp8 {
    /// `fp8` of gfx942: four exponent bits, bias 8; 0x80 is the only NaN; no infinity, no -0.
    E4m3Fnuz,
    /// `bf8` of gfx942: five exponent bits, bias 16; 0x80 is the only NaN; no infinity, no -0.
    E5m2Fnuz,
    /// `fp8` of gfx950 and gfx12: bias 7, largest 448, NaN 0x7f and 0xff; no infinity.
    E4m3,
    /// `bf8` of gfx950 and gfx12: like a half with its fraction cut, infinities included.
    E5m2,
}

impl Fp8 {
    /// Stored fraction bits.
    #[inline(always)]
    pub const fn mantissa_bits(self) -> u32 {
        match self {
            Fp8::E4m3Fnuz | Fp8::E4m3 => 3,
            Fp8::E5m2Fnuz | Fp8::E5m2 => 2,
        }
    }

    #[inline(always)]
    const fn bias(self) -> i32 {
        match self {
            Fp8::E4m3Fnuz => 8,
            Fp8::E5m2Fnuz => 16,
            Fp8::E4m3 => 7,
            Fp8::E5m2 => 15,
        }
    }

    #[inline(always)]
    const fn is_fnuz(self) -> bool {
        matches!(self, Fp8::E4m3Fnuz | Fp8::E5m2Fnuz)
    }

    /// Largest finite magnitude.
    #[inline(always)]
    const fn max_finite(self) -> u8 {
        match self {
            Fp8::E4m3Fnuz | Fp8::E5m2Fnuz => 0x7f,
            Fp8::E4m3 => 0x7e,
            Fp8::E5m2 => 0x7b,
        }
    }

    #[inline(always)]
    const fn nan(self) -> u8 {
        if self.is_fnuz() { 0x80 } else { 0x7f }
    }

    /// The value of `x`.
    #[inline(always)]
    pub const fn unpack(self, x: u8) -> Value {
        let negative = x & 0x80 != 0;
        let magnitude = x & 0x7f;
        if self.is_fnuz() && x == 0x80 {
            return Value::Nan;
        }
        if !self.is_fnuz() && magnitude > self.max_finite() {
            return if matches!(self, Fp8::E5m2) && magnitude == 0x7c {
                Value::Infinity { negative }
            } else {
                Value::Nan
            };
        }
        if magnitude == 0 {
            return Value::Zero { negative };
        }
        let bits = self.mantissa_bits();
        let field = (magnitude >> bits) as i32;
        let fraction = (magnitude & ((1 << bits) - 1)) as u128;
        let significand = if field == 0 {
            fraction
        } else {
            fraction | 1 << bits
        };
        let biased = if field == 0 { 1 } else { field };
        Value::Finite(Exact {
            negative,
            exponent: biased - self.bias() - bits as i32,
            significand,
            sticky: false,
        })
    }

    /// The exact single-precision value (`v_cvt_f32_fp8`, `v_cvt_f32_bf8`).
    #[inline(always)]
    pub const fn to_f32(self, x: u8) -> u32 {
        match self.unpack(x) {
            Value::Nan => float32::NAN,
            Value::Infinity { negative } => float32::INFINITY | (negative as u32) << 31,
            Value::Zero { negative } => (negative as u32) << 31,
            Value::Finite(exact) => F32.pack(exact, Round::NearestEven) as u32,
        }
    }

    /// `x` rounded to nearest even (`v_cvt_pk_fp8_f32`, `v_cvt_pk_bf8_f32`). Denormals are kept. An overflow becomes the format's infinity,
    /// or NaN if the format has none; so does an infinite operand. With `fp16_ovfl` an overflow becomes the largest finite value, and in
    /// the OCP formats an infinity does too.
    #[inline(always)]
    pub const fn from_f32(self, x: u32, fp16_ovfl: bool) -> u8 {
        let exact = match F32.unpack(x as u64) {
            Value::Finite(exact) => exact,
            other => return self.special(other, fp16_ovfl),
        };
        self.round(exact, Round::NearestEven, fp16_ovfl)
    }

    /// `x` with random bits added below the kept fraction, then truncated (`v_cvt_sr_fp8_f32`, `v_cvt_sr_bf8_f32`). As many of the top bits
    /// of `random` are used as bits are cut off. By the manual's text, a carry out of the fraction would be dropped and the result rounded
    /// to nearest afterwards, which is no stochastic rounding. No hardware values are published. Here the carry moves into the exponent,
    /// and the rest is cut off.
    #[inline(always)]
    pub const fn from_f32_stochastic(self, x: u32, random: u32, fp16_ovfl: bool) -> u8 {
        let exact = match F32.unpack(x as u64) {
            Value::Finite(exact) => exact,
            other => return self.special(other, fp16_ovfl),
        };
        // Weight of the last kept bit: that of the result's exponent, or of its denormals.
        let lowest = 1 - self.bias() - self.mantissa_bits() as i32;
        let leading = exact.magnitude() - self.mantissa_bits() as i32;
        let unit = if leading < lowest { lowest } else { leading };
        let discarded = unit.saturating_sub(exact.exponent);
        if discarded <= 0 {
            return self.round(exact, Round::Zero, fp16_ovfl);
        }
        let discarded = if discarded > 60 { 60 } else { discarded };
        let noise = ((random as u128) << 32) >> (64 - discarded);
        let significand = exact.significand + noise;
        self.round(
            Exact {
                significand,
                ..exact
            },
            Round::Zero,
            fp16_ovfl,
        )
    }

    #[inline(always)]
    const fn special(self, value: Value, fp16_ovfl: bool) -> u8 {
        match value {
            // AMD's own model of gfx950 does this too; FNUZ formats have no infinity to limit.
            Value::Infinity { negative } if fp16_ovfl && !self.is_fnuz() => {
                self.max_finite() | (negative as u8) << 7
            }
            Value::Zero { negative } if !self.is_fnuz() => (negative as u8) << 7,
            Value::Zero { .. } => 0,
            Value::Infinity { negative } if matches!(self, Fp8::E5m2) => {
                0x7c | (negative as u8) << 7
            }
            _ => self.nan(),
        }
    }

    #[inline(always)]
    const fn round(self, exact: Exact, round: Round, fp16_ovfl: bool) -> u8 {
        let sign = (exact.negative as u8) << 7;
        // Packing into a format with a spare exponent bit leaves overflow to be decided here. Its bias is 2^e - 1.
        let exponent = 8 - self.mantissa_bits();
        let format = Format {
            mantissa: self.mantissa_bits(),
            exponent,
        };
        let bias = (1 << (exponent - 1)) - 1;
        let moved = exact.scaled(self.bias() - bias);
        let bits = format.pack(
            Exact {
                negative: false,
                ..moved
            },
            round,
        );
        if bits > self.max_finite() as u64 {
            return if fp16_ovfl {
                sign | self.max_finite()
            } else if matches!(self, Fp8::E5m2) {
                sign | 0x7c
            } else {
                self.nan()
            };
        }
        if self.is_fnuz() && bits == 0 {
            0
        } else {
            sign | bits as u8
        }
    }
}
