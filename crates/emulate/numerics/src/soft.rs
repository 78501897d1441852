//! Exact arithmetic on any small binary format with a single rounding in any direction.
//!
//! A finite nonzero value is a sign, an integer significand and a power of two. Operations work on those exactly (with a
//! sticky bit below everything that matters) and [`Format::pack`] rounds once. This is the slow path for MODE settings
//! other than round-to-nearest-even and the reference for conversions.

use crate::Round;
use core::cmp::Ordering;

/// A binary interchange-like format: sign, exponent, fraction; all-ones exponent is infinity and NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Stored fraction bits.
    pub mantissa: u32,
    /// Exponent bits.
    pub exponent: u32,
}

/// IEEE binary16.
pub const F16: Format = Format {
    mantissa: 10,
    exponent: 5,
};
/// bfloat16.
pub const BF16: Format = Format {
    mantissa: 7,
    exponent: 8,
};
/// IEEE binary32.
pub const F32: Format = Format {
    mantissa: 23,
    exponent: 8,
};
/// IEEE binary64.
pub const F64: Format = Format {
    mantissa: 52,
    exponent: 11,
};

/// `(-1)^negative * significand * 2^exponent`, plus something smaller than one unit of the significand when `sticky`.
/// The significand stays below 2^126.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    pub negative: bool,
    pub exponent: i32,
    pub significand: u128,
    pub sticky: bool,
}

/// The value of a bit pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Nan,
    Infinity { negative: bool },
    Zero { negative: bool },
    Finite(Exact),
}

impl Exact {
    /// The integer `value`; `None` for zero.
    #[inline]
    pub fn from_integer(value: i128) -> Option<Exact> {
        let significand = value.unsigned_abs();
        let exact = Exact {
            negative: value < 0,
            exponent: 0,
            significand,
            sticky: false,
        };
        (significand != 0).then_some(exact)
    }

    /// Exponent of the leading bit: the value is in `[2^e, 2^(e+1))`.
    #[inline]
    pub const fn magnitude(self) -> i32 {
        self.exponent
            .saturating_add(127 - self.significand.leading_zeros() as i32)
    }

    /// The value times 2^`power`.
    #[inline]
    pub const fn scaled(self, power: i32) -> Exact {
        Exact {
            exponent: self.exponent.saturating_add(power),
            ..self
        }
    }

    /// The product; both significands must be below 2^63 and without sticky bit.
    #[inline]
    pub const fn times(self, other: Exact) -> Exact {
        Exact {
            negative: self.negative != other.negative,
            exponent: self.exponent.saturating_add(other.exponent),
            significand: self.significand.wrapping_mul(other.significand),
            sticky: false,
        }
    }

    /// The sum, or `None` when it is exactly zero. Operands must not be sticky and must be below 2^120.
    #[inline]
    pub const fn plus(self, other: Exact) -> Option<Exact> {
        let (large, small) = if self.magnitude() >= other.magnitude() {
            (self, other)
        } else {
            (other, self)
        };
        let up = large.significand.leading_zeros().saturating_sub(3) as i32;
        let base = large.exponent.saturating_sub(up);
        let high = large.significand << up;
        let distance = small.exponent.saturating_sub(base);
        let (low, sticky) = if distance >= 0 {
            (small.significand << distance, false)
        } else if distance > -128 {
            let low = small.significand >> -distance;
            (low, low << -distance != small.significand)
        } else {
            (0, true)
        };
        let (negative, significand) = if large.negative == small.negative {
            (large.negative, high + low)
        } else if high >= low {
            (large.negative, (high - low).wrapping_sub(sticky as u128))
        } else {
            (small.negative, low - high)
        };
        if significand == 0 && !sticky {
            return None;
        }
        Some(Exact {
            negative,
            exponent: base,
            significand,
            sticky,
        })
    }
}

impl Format {
    /// Bit pattern of positive infinity.
    #[inline]
    pub const fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.mantissa
    }

    /// The sign bit.
    #[inline]
    pub const fn sign(self) -> u64 {
        1 << (self.mantissa + self.exponent)
    }

    /// Exponent of the smallest normal value.
    #[inline]
    pub const fn min_exponent(self) -> i32 {
        2 - (1 << (self.exponent - 1))
    }

    /// The value of `bits`.
    #[inline]
    pub const fn unpack(self, bits: u64) -> Value {
        let negative = bits & self.sign() != 0;
        let field = (bits & self.infinity()) >> self.mantissa;
        let fraction = bits & ((1 << self.mantissa) - 1);
        if bits & self.infinity() == self.infinity() {
            if fraction != 0 {
                Value::Nan
            } else {
                Value::Infinity { negative }
            }
        } else if field == 0 && fraction == 0 {
            Value::Zero { negative }
        } else {
            let implicit = if field == 0 { 0 } else { 1 << self.mantissa };
            let biased = if field == 0 { 1 } else { field as i32 };
            let exponent = self.min_exponent() + biased - 1 - self.mantissa as i32;
            Value::Finite(Exact {
                negative,
                exponent,
                significand: (fraction | implicit) as u128,
                sticky: false,
            })
        }
    }

    /// Rounds `exact` to this format once. Overflow becomes infinity or the largest finite value as `round` demands.
    #[inline]
    pub const fn pack(self, exact: Exact, round: Round) -> u64 {
        let magnitude = self.pack_magnitude(exact, round);
        let sign = if exact.negative { self.sign() } else { 0 };
        sign | magnitude
    }

    #[inline]
    const fn pack_magnitude(self, exact: Exact, round: Round) -> u64 {
        let smallest = self.min_exponent();
        if exact.significand == 0 {
            let up = exact.sticky && round.increments(exact.negative, false, Ordering::Less);
            return up as u64;
        }
        let leading = exact.magnitude();
        let normal = if leading < smallest {
            smallest
        } else {
            leading
        };
        let overflow = match round {
            Round::NearestEven => self.infinity(),
            Round::Up if !exact.negative => self.infinity(),
            Round::Down if exact.negative => self.infinity(),
            _ => self.infinity() - 1,
        };
        if normal > -smallest + 1 {
            return overflow;
        }
        let quantum = normal - self.mantissa as i32;
        let shift = quantum.saturating_sub(exact.exponent);
        let (kept, discarded) = if shift <= 0 {
            let kept = (exact.significand << -shift) as u64;
            if !exact.sticky {
                return self.assemble(normal, kept, overflow);
            }
            (kept, Ordering::Less)
        } else if shift >= 128 {
            (0, Ordering::Less)
        } else {
            let tail = exact.significand & ((1 << shift) - 1);
            let half = 1u128 << (shift - 1);
            if tail == 0 && !exact.sticky {
                return self.assemble(normal, (exact.significand >> shift) as u64, overflow);
            }
            let order = if tail > half || (tail == half && exact.sticky) {
                Ordering::Greater
            } else if tail == half {
                Ordering::Equal
            } else {
                Ordering::Less
            };
            ((exact.significand >> shift) as u64, order)
        };
        let up = round.increments(exact.negative, kept & 1 != 0, discarded);
        self.assemble(normal, kept + up as u64, overflow)
    }

    /// Joins exponent and significand (implicit bit included, carry allowed); infinity is replaced by `overflow`.
    #[inline]
    const fn assemble(self, exponent: i32, significand: u64, overflow: u64) -> u64 {
        let bits = (((exponent - self.min_exponent()) as u64) << self.mantissa) + significand;
        if bits >= self.infinity() {
            overflow
        } else {
            bits
        }
    }

    #[inline]
    const fn zero(self, negative: bool) -> u64 {
        if negative { self.sign() } else { 0 }
    }

    #[inline]
    const fn infinite(self, negative: bool) -> u64 {
        self.zero(negative) | self.infinity()
    }

    /// The generated NaN.
    #[inline]
    pub const fn nan(self) -> u64 {
        self.infinity() | 1 << (self.mantissa - 1)
    }

    /// `a + b`. Any NaN operand gives the generated NaN; callers choose payloads.
    #[inline]
    pub fn add(self, a: u64, b: u64, round: Round) -> u64 {
        self.add_values(self.unpack(a), self.unpack(b), round)
    }

    /// `a * b`.
    #[inline]
    pub fn mul(self, a: u64, b: u64, round: Round) -> u64 {
        match multiply(self.unpack(a), self.unpack(b)) {
            Value::Nan => self.nan(),
            Value::Infinity { negative } => self.infinite(negative),
            Value::Zero { negative } => self.zero(negative),
            Value::Finite(product) => self.pack(product, round),
        }
    }

    /// `a * b + c` with one rounding.
    #[inline]
    pub fn fma(self, a: u64, b: u64, c: u64, round: Round) -> u64 {
        self.add_values(
            multiply(self.unpack(a), self.unpack(b)),
            self.unpack(c),
            round,
        )
    }

    /// The sum of two exact values, rounded to this format.
    #[inline]
    pub fn add_values(self, a: Value, b: Value, round: Round) -> u64 {
        use Value::*;
        let empty = matches!(round, Round::Down);
        match (a, b) {
            (Nan, _) | (_, Nan) => self.nan(),
            (Infinity { negative: m }, Infinity { negative: n }) if m != n => self.nan(),
            (Infinity { negative }, _) | (_, Infinity { negative }) => self.infinite(negative),
            (Zero { negative: m }, Zero { negative: n }) => {
                self.zero(if m == n { m } else { empty })
            }
            (Zero { .. }, Finite(x)) | (Finite(x), Zero { .. }) => self.pack(x, round),
            (Finite(x), Finite(y)) => match x.plus(y) {
                Some(sum) => self.pack(sum, round),
                None => self.zero(empty),
            },
        }
    }

    /// `bits` of format `from`, rounded to this format; NaN becomes the generated NaN.
    #[inline]
    pub fn convert(self, bits: u64, from: Format, round: Round) -> u64 {
        match from.unpack(bits) {
            Value::Nan => self.nan(),
            Value::Infinity { negative } => self.infinite(negative),
            Value::Zero { negative } => self.zero(negative),
            Value::Finite(x) => self.pack(x, round),
        }
    }

    /// An integer rounded to this format; zero is +0.
    #[inline]
    pub fn from_integer(self, value: i128, round: Round) -> u64 {
        Exact::from_integer(value).map_or(0, |exact| self.pack(exact, round))
    }
}

/// The exact product of two values.
#[inline]
pub fn multiply(a: Value, b: Value) -> Value {
    use Value::*;
    match (a, b) {
        (Nan, _) | (_, Nan) | (Infinity { .. }, Zero { .. }) | (Zero { .. }, Infinity { .. }) => {
            Nan
        }
        (Infinity { negative: m }, Infinity { negative: n }) => Infinity { negative: m != n },
        (Infinity { negative: m }, Finite(x)) | (Finite(x), Infinity { negative: m }) => Infinity {
            negative: m != x.negative,
        },
        (Zero { negative: m }, Zero { negative: n }) => Zero { negative: m != n },
        (Zero { negative: m }, Finite(x)) | (Finite(x), Zero { negative: m }) => Zero {
            negative: m != x.negative,
        },
        (Finite(x), Finite(y)) => Finite(x.times(y)),
    }
}
