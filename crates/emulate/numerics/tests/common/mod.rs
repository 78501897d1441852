//! Inputs shared by the tests: a small generator that favours the corners of floating-point formats.

/// SplitMix64: deterministic and good enough to reach every exponent.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Bits of a float with `mantissa` fraction and `exponent` exponent bits: a third uniform, a third with exponents near
    /// `1.0`, a third special or with few significant bits.
    pub fn float(&mut self, mantissa: u32, exponent: u32) -> u64 {
        let raw = self.bits();
        let mask = (1u64 << mantissa) - 1;
        let width = mantissa + exponent;
        let all = if width == 63 {
            u64::MAX
        } else {
            (1u64 << (width + 1)) - 1
        };
        let infinity = ((1u64 << exponent) - 1) << mantissa;
        let sign = (raw & 1) << width;
        match self.bits() % 9 {
            0..=2 => raw & all,
            3..=5 => {
                let bias = (1u64 << (exponent - 1)) - 1;
                let near =
                    bias.wrapping_add(self.bits() % 9).wrapping_sub(4) & ((1 << exponent) - 1);
                sign | near << mantissa | (raw >> 1) & mask
            }
            6 => sign | (raw >> 1) & mask,
            7 => {
                let few = (raw >> 8) & !(u64::MAX >> ((raw >> 3) % 8)) >> (64 - mantissa) & mask;
                sign | (self.bits() << mantissa & infinity) | few & mask
            }
            _ => {
                let list = [
                    0,
                    1,
                    1 << mantissa,
                    mask,
                    infinity,
                    infinity - 1,
                    infinity | 1,
                    infinity | 1 << (mantissa - 1),
                ];
                sign | list[(raw >> 1) as usize % list.len()]
            }
        }
    }

    pub fn f16(&mut self) -> u16 {
        self.float(10, 5) as u16
    }

    pub fn f32(&mut self) -> u32 {
        self.float(23, 8) as u32
    }

    pub fn f64(&mut self) -> u64 {
        self.float(52, 11)
    }
}

/// Cases per property: `NUMERICS_CASES`, or 200,000.
pub fn cases() -> u32 {
    std::env::var("NUMERICS_CASES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(200_000)
}
