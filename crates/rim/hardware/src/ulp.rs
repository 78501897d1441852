//! Distances between floats, in units of the last place.

/// A format of floats by its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float {
    F16,
    Bf16,
    F32,
    F64,
}

impl Float {
    /// The format that a part of a mnemonic names.
    pub fn named(part: &str) -> Option<Float> {
        Some(match part {
            "f16" => Float::F16,
            "bf16" => Float::Bf16,
            "f32" => Float::F32,
            "f64" => Float::F64,
            _ => return None,
        })
    }

    /// Bits in all, and of the mantissa.
    fn bits(self) -> (u32, u32) {
        match self {
            Float::F16 => (16, 10),
            Float::Bf16 => (16, 7),
            Float::F32 => (32, 23),
            Float::F64 => (64, 52),
        }
    }

    fn magnitude(self, bits: u64) -> u64 {
        bits & (u64::MAX >> (65 - self.bits().0))
    }

    fn infinity(self) -> u64 {
        let (bits, mantissa) = self.bits();
        (u64::MAX >> (65 - bits)) & !((1 << mantissa) - 1)
    }

    pub fn is_nan(self, bits: u64) -> bool {
        self.magnitude(bits) > self.infinity()
    }

    /// Neither infinite nor NaN.
    pub fn is_finite(self, bits: u64) -> bool {
        self.magnitude(bits) < self.infinity()
    }

    /// Smaller than any normal number, and not zero.
    pub fn is_denormal(self, bits: u64) -> bool {
        let magnitude = self.magnitude(bits);
        magnitude != 0 && magnitude < 1 << self.bits().1
    }

    /// Floats in order are integers in order; both zeros are 0.
    fn ordered(self, bits: u64) -> i128 {
        let negative = bits >> (self.bits().0 - 1) & 1 != 0;
        let magnitude = i128::from(self.magnitude(bits));
        if negative { -magnitude } else { magnitude }
    }

    /// How many floats `value` is above `reference`; `None` if either is no number.
    pub fn distance(self, value: u64, reference: u64) -> Option<i64> {
        if !self.is_finite(value) || !self.is_finite(reference) {
            return None;
        }
        let distance = self.ordered(value) - self.ordered(reference);
        Some(distance.clamp(i64::MIN.into(), i64::MAX.into()) as i64)
    }

    /// All bits of one value.
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits().0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_apart() {
        let f32 = |value: f32| u64::from(value.to_bits());
        let one = f32(1.0);
        assert_eq!(Float::F32.distance(one + 1, one), Some(1));
        assert_eq!(Float::F32.distance(f32(-1.0) + 2, f32(-1.0)), Some(-2));
        // From the least denormal below zero to the one above.
        assert_eq!(Float::F32.distance(1, 0x8000_0001), Some(2));
        assert_eq!(Float::F32.distance(0x8000_0000, 0), Some(0));
        assert_eq!(Float::F32.distance(f32(f32::INFINITY), one), None);
        assert_eq!(
            Float::F64.distance(1.5f64.to_bits(), 1.0f64.to_bits()),
            Some(1 << 51)
        );
        assert_eq!(Float::F16.distance(0x3c01, 0x3bff), Some(2));
    }

    #[test]
    fn kinds_of_values() {
        assert!(Float::F32.is_nan(0x7fc0_0000) && Float::F32.is_nan(0xff80_0001));
        assert!(!Float::F32.is_nan(0x7f80_0000) && !Float::F32.is_finite(0xff80_0000));
        assert!(Float::F16.is_denormal(0x8001) && !Float::F16.is_denormal(0x0400));
        assert!(Float::Bf16.is_nan(0x7fc0) && Float::Bf16.is_finite(0x7f7f));
    }
}
