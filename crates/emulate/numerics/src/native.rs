//! Arithmetic of the two formats the host computes natively, written once for f32 and f64.

/// Defines arithmetic on bit patterns of the native float type in the module that invokes it. Needs `representation!`.
macro_rules! native_arithmetic {
    ($float:ty, $bits:ty, $format:expr) => {
        /// The host value with these bits.
        #[inline(always)]
        pub const fn value(x: $bits) -> $float {
            <$float>::from_bits(x)
        }

        /// `a + b`, to nearest even.
        #[inline(always)]
        pub fn add(a: $bits, b: $bits, denormals: Denormals) -> $bits {
            let (a, b) = (flush_in(a, denormals), flush_in(b, denormals));
            flush_out(
                settle_nan2((value(a) + value(b)).to_bits(), a, b),
                denormals,
            )
        }

        /// `a - b`, to nearest even. As on the GPU this is an addition of the negated second operand, NaN sign included.
        #[inline(always)]
        pub fn sub(a: $bits, b: $bits, denormals: Denormals) -> $bits {
            add(a, neg(b), denormals)
        }

        /// `a * b`, to nearest even.
        #[inline(always)]
        pub fn mul(a: $bits, b: $bits, denormals: Denormals) -> $bits {
            let (a, b) = (flush_in(a, denormals), flush_in(b, denormals));
            flush_out(
                settle_nan2((value(a) * value(b)).to_bits(), a, b),
                denormals,
            )
        }

        /// `a * b + c` rounded once, to nearest even.
        #[inline(always)]
        pub fn fma(a: $bits, b: $bits, c: $bits, denormals: Denormals) -> $bits {
            let (a, b, c) = (
                flush_in(a, denormals),
                flush_in(b, denormals),
                flush_in(c, denormals),
            );
            flush_out(
                settle_nan3(value(a).mul_add(value(b), value(c)).to_bits(), a, b, c),
                denormals,
            )
        }

        /// `a + b` in any direction.
        #[inline(always)]
        pub fn add_round(a: $bits, b: $bits, denormals: Denormals, round: Round) -> $bits {
            if round == Round::NearestEven {
                add(a, b, denormals)
            } else {
                add_directed(a, b, denormals, round)
            }
        }

        // Kept out of line so that the usual mode stays small enough to become vector code.
        #[cold]
        #[inline(never)]
        fn add_directed(a: $bits, b: $bits, denormals: Denormals, round: Round) -> $bits {
            let (a, b) = (flush_in(a, denormals), flush_in(b, denormals));
            let r = $format.add(a as u64, b as u64, round) as $bits;
            flush_out(settle_nan2(r, a, b), denormals)
        }

        /// `a - b` in any direction.
        #[inline(always)]
        pub fn sub_round(a: $bits, b: $bits, denormals: Denormals, round: Round) -> $bits {
            add_round(a, neg(b), denormals, round)
        }

        /// `a * b` in any direction.
        #[inline(always)]
        pub fn mul_round(a: $bits, b: $bits, denormals: Denormals, round: Round) -> $bits {
            if round == Round::NearestEven {
                mul(a, b, denormals)
            } else {
                mul_directed(a, b, denormals, round)
            }
        }

        #[cold]
        #[inline(never)]
        fn mul_directed(a: $bits, b: $bits, denormals: Denormals, round: Round) -> $bits {
            let (a, b) = (flush_in(a, denormals), flush_in(b, denormals));
            let r = $format.mul(a as u64, b as u64, round) as $bits;
            flush_out(settle_nan2(r, a, b), denormals)
        }

        /// `a * b + c` rounded once in any direction.
        #[inline(always)]
        pub fn fma_round(
            a: $bits,
            b: $bits,
            c: $bits,
            denormals: Denormals,
            round: Round,
        ) -> $bits {
            if round == Round::NearestEven {
                fma(a, b, c, denormals)
            } else {
                fma_directed(a, b, c, denormals, round)
            }
        }

        #[cold]
        #[inline(never)]
        fn fma_directed(a: $bits, b: $bits, c: $bits, denormals: Denormals, round: Round) -> $bits {
            let (a, b, c) = (
                flush_in(a, denormals),
                flush_in(b, denormals),
                flush_in(c, denormals),
            );
            let r = $format.fma(a as u64, b as u64, c as u64, round) as $bits;
            flush_out(settle_nan3(r, a, b, c), denormals)
        }

        /// Largest integral value not above `x`.
        #[inline(always)]
        pub fn floor(x: $bits, denormals: Denormals) -> $bits {
            let x = flush_in(x, denormals);
            settle_nan1(value(x).floor().to_bits(), x)
        }

        /// Smallest integral value not below `x`.
        #[inline(always)]
        pub fn ceil(x: $bits, denormals: Denormals) -> $bits {
            let x = flush_in(x, denormals);
            settle_nan1(value(x).ceil().to_bits(), x)
        }

        /// `x` without its fraction.
        #[inline(always)]
        pub fn trunc(x: $bits, denormals: Denormals) -> $bits {
            let x = flush_in(x, denormals);
            settle_nan1(value(x).trunc().to_bits(), x)
        }

        /// Nearest integral value, ties to even, whatever the rounding mode.
        #[inline(always)]
        pub fn rndne(x: $bits, denormals: Denormals) -> $bits {
            let x = flush_in(x, denormals);
            settle_nan1(value(x).round_ties_even().to_bits(), x)
        }

        /// `x - floor(x)`, kept below one; infinities give NaN, zeros give +0.
        #[inline(always)]
        pub fn fract(x: $bits, denormals: Denormals) -> $bits {
            let x = flush_in(x, denormals);
            let r = (value(x) - value(x).floor()).to_bits();
            let below_one = if r >= ONE { ONE - 1 } else { r };
            flush_out(
                settle_nan1(if is_nan(r) { r } else { below_one }, x),
                denormals,
            )
        }

        /// `v_frexp_mant`: `x` scaled into [0.5, 1), sign kept; zeros, infinities and NaNs (made quiet) pass. Denormals are
        /// normalised whatever the mode.
        #[inline(always)]
        pub const fn frexp_mant(x: $bits) -> $bits {
            let scaled = normalised(x).0;
            let half = (scaled & (SIGN | FRACTION)) | (ONE - MIN_NORMAL);
            let r = if is_zero(x) | is_infinite(x) { x } else { half };
            if is_nan(x) { quiet(x) } else { r }
        }

        /// `v_frexp_exp`: the exponent that goes with [`frexp_mant`]; 0 for zeros, infinities and NaNs.
        #[inline(always)]
        pub const fn frexp_exp(x: $bits) -> i32 {
            let (scaled, lift) = normalised(x);
            let field = ((scaled & INFINITY) >> MANTISSA_BITS) as i32;
            let r = field - (1 << (EXPONENT_BITS - 1)) + 2 - lift;
            if is_zero(x) | (x & INFINITY == INFINITY) {
                0
            } else {
                r
            }
        }

        /// A denormal brought to a normal pattern, with the power of two it was multiplied by.
        #[inline(always)]
        const fn normalised(x: $bits) -> ($bits, i32) {
            let fraction = x & FRACTION;
            let lift = fraction.leading_zeros() as i32 - EXPONENT_BITS as i32;
            let shifted = fraction.unbounded_shl(lift as u32) & FRACTION;
            let denormal = is_denormal(x);
            // The implicit bit of a denormal has the exponent field 1, lowered by `lift`.
            let scaled = (x & SIGN) | MIN_NORMAL | shifted;
            (
                if denormal { scaled } else { x },
                if denormal { lift } else { 0 },
            )
        }

        /// The OMOD modifier: 0 none, 1 times 2, 2 times 4, 3 times one half. It only works where output denormals are
        /// flushed, so denormal results become zero, and -0 becomes +0. The caller decides whether OMOD applies.
        #[inline(always)]
        pub fn omod(x: $bits, omod: u8) -> $bits {
            let factor = match omod & 3 {
                0 => return x,
                1 => 2.0,
                2 => 4.0,
                _ => 0.5,
            };
            let r = flush(settle_nan1((value(x) * factor).to_bits(), x));
            if is_zero(r) { 0 } else { r }
        }

        /// `x * 2^power` rounded once in any direction.
        #[inline(always)]
        pub fn ldexp_round(x: $bits, power: i32, denormals: Denormals, round: Round) -> $bits {
            if round == Round::NearestEven {
                ldexp(x, power, denormals)
            } else {
                ldexp_directed(x, power, denormals, round)
            }
        }

        #[cold]
        #[inline(never)]
        fn ldexp_directed(x: $bits, power: i32, denormals: Denormals, round: Round) -> $bits {
            let x = flush_in(x, denormals);
            let r = match $format.unpack(x as u64) {
                Value::Finite(exact) => $format.pack(exact.scaled(power), round) as $bits,
                _ => settle_nan1(x, x),
            };
            flush_out(r, denormals)
        }

        /// `mul_legacy` (`mul_dx9_zero`): a zero operand makes the product +0 whatever the other is.
        #[inline(always)]
        pub fn mul_legacy(a: $bits, b: $bits, denormals: Denormals) -> $bits {
            let zero = is_zero(flush_in(a, denormals)) | is_zero(flush_in(b, denormals));
            if zero { 0 } else { mul(a, b, denormals) }
        }

        /// `fma_legacy` (`fma_dx9_zero`): as [`mul_legacy`] for the product, then one rounded sum.
        #[inline(always)]
        pub fn fma_legacy(a: $bits, b: $bits, c: $bits, denormals: Denormals) -> $bits {
            let zero = is_zero(flush_in(a, denormals)) | is_zero(flush_in(b, denormals));
            if zero {
                add(0, c, denormals)
            } else {
                fma(a, b, c, denormals)
            }
        }
    };
}

pub(crate) use native_arithmetic;
