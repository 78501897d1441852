//! A fixed-point register wide enough to add single-precision values and products of bfloat16 values without rounding.

use crate::Round;
use crate::soft::{Exact, F32};

/// Weight of the lowest bit, as a power of two: below the smallest product of two bfloat16 denormals.
const UNIT: i32 = -272;

/// Two's complement, least significant word first. Covers up to 2^367, far above the largest product, 2^256.
#[derive(Clone, Copy, Debug)]
pub struct Accumulator([u64; 10]);

impl Accumulator {
    pub const ZERO: Accumulator = Accumulator([0; 10]);

    /// Adds `x`, whose significand must be below 2^64 and whose exponent not below -272.
    #[inline]
    pub fn add(&mut self, x: Exact) {
        let place = x.exponent.saturating_sub(UNIT).max(0) as usize;
        let wide = (x.significand & u64::MAX as u128) << (place % 64);
        let addend = [wide as u64, (wide >> 64) as u64];
        let mut carry = x.negative;
        for (index, limb) in self.0.iter_mut().enumerate() {
            let magnitude = match index.wrapping_sub(place / 64) {
                part @ 0..=1 => addend[part],
                _ => 0,
            };
            let term = if x.negative { !magnitude } else { magnitude };
            let (sum, first) = limb.overflowing_add(term);
            let (sum, second) = sum.overflowing_add(carry as u64);
            *limb = sum;
            carry = first | second;
        }
    }

    /// The sum rounded to single precision; `None` for exactly zero.
    #[inline]
    pub fn round(self, round: Round) -> Option<u32> {
        let negative = self.0[9] >> 63 != 0;
        let mut limbs = self.0;
        if negative {
            let mut carry = true;
            for limb in &mut limbs {
                let (flipped, overflow) = (!*limb).overflowing_add(carry as u64);
                *limb = flipped;
                carry = overflow;
            }
        }
        let top = limbs.iter().rposition(|&limb| limb != 0)?;
        let below = top.saturating_sub(1);
        let significand = if top == 0 {
            limbs[0] as u128
        } else {
            (limbs[top] as u128) << 64 | limbs[below] as u128
        };
        let sticky = limbs[..below].iter().any(|&limb| limb != 0);
        // Two bits are given up so that the significand stays within what packing expects.
        let lost = significand & 3 != 0;
        let exponent = UNIT + 64 * below as i32 + 2;
        let exact = Exact {
            negative,
            exponent,
            significand: significand >> 2,
            sticky: sticky | lost,
        };
        if top == 0 {
            let exact = Exact {
                negative,
                exponent: UNIT,
                significand,
                sticky: false,
            };
            return Some(F32.pack(exact, round) as u32);
        }
        Some(F32.pack(exact, round) as u32)
    }
}
