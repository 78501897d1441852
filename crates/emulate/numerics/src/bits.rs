//! Operations that only look at the representation, written once for f16, f32 and f64.

/// Defines the representation-level functions of one binary format in the module that invokes it.
macro_rules! representation {
    ($bits:ty, $signed:ty, mantissa $mantissa:literal, exponent $exponent:literal) => {
        /// Stored fraction bits.
        pub const MANTISSA_BITS: u32 = $mantissa;
        /// Exponent bits.
        pub const EXPONENT_BITS: u32 = $exponent;
        /// The sign bit.
        pub const SIGN: $bits = 1 << ($mantissa + $exponent);
        /// The exponent field, which alone is positive infinity.
        pub const INFINITY: $bits = ((1 << $exponent) - 1) << $mantissa;
        /// The fraction field.
        pub const FRACTION: $bits = (1 << $mantissa) - 1;
        /// The bit that tells quiet NaNs from signalling ones.
        pub const QUIET: $bits = 1 << ($mantissa - 1);
        /// The NaN an operation generates: positive, quiet, no payload.
        pub const NAN: $bits = INFINITY | QUIET;
        /// The largest finite value.
        pub const MAX_FINITE: $bits = INFINITY - 1;
        /// The smallest positive normal value.
        pub const MIN_NORMAL: $bits = 1 << $mantissa;
        /// 1.0
        pub const ONE: $bits = ((1 << ($exponent - 1)) - 1) << $mantissa;

        /// Any NaN.
        #[inline(always)]
        pub const fn is_nan(x: $bits) -> bool {
            x & !SIGN > INFINITY
        }

        /// A NaN whose quiet bit is clear.
        #[inline(always)]
        pub const fn is_signalling(x: $bits) -> bool {
            is_nan(x) & (x & QUIET == 0)
        }

        #[inline(always)]
        pub const fn is_infinite(x: $bits) -> bool {
            x & !SIGN == INFINITY
        }

        /// Zero of either sign.
        #[inline(always)]
        pub const fn is_zero(x: $bits) -> bool {
            x & !SIGN == 0
        }

        /// Nonzero with a zero exponent field.
        #[inline(always)]
        pub const fn is_denormal(x: $bits) -> bool {
            (x & INFINITY == 0) & (x & FRACTION != 0)
        }

        /// `x` with the quiet bit set; meant for NaNs.
        #[inline(always)]
        pub const fn quiet(x: $bits) -> $bits {
            x | QUIET
        }

        /// `x` with its sign bit inverted; the NEG source modifier, NaN included.
        #[inline(always)]
        pub const fn neg(x: $bits) -> $bits {
            x ^ SIGN
        }

        /// `x` with its sign bit cleared; the ABS source modifier, NaN included.
        #[inline(always)]
        pub const fn abs(x: $bits) -> $bits {
            x & !SIGN
        }

        /// Zero of the same sign if `x` is denormal, else `x`.
        #[inline(always)]
        pub const fn flush(x: $bits) -> $bits {
            if x & INFINITY == 0 { x & SIGN } else { x }
        }

        /// An operand as the mode lets the operation see it.
        #[inline(always)]
        pub const fn flush_in(x: $bits, denormals: Denormals) -> $bits {
            if denormals.flush_inputs { flush(x) } else { x }
        }

        /// A result as the mode lets it out.
        #[inline(always)]
        pub const fn flush_out(x: $bits, denormals: Denormals) -> $bits {
            if denormals.flush_outputs { flush(x) } else { x }
        }

        /// `result` of a one-operand operation with the GPU's NaN choice.
        #[inline(always)]
        pub const fn settle_nan1(result: $bits, a: $bits) -> $bits {
            let nan = if is_nan(a) { quiet(a) } else { NAN };
            if is_nan(result) | is_nan(a) {
                nan
            } else {
                result
            }
        }

        /// `result` of a two-operand operation with the GPU's NaN choice: the first NaN operand made quiet, else the
        /// generated NaN. `result` must already be NaN whenever an operand is.
        #[inline(always)]
        pub const fn settle_nan2(result: $bits, a: $bits, b: $bits) -> $bits {
            let nan = if is_nan(b) { quiet(b) } else { NAN };
            let nan = if is_nan(a) { quiet(a) } else { nan };
            if is_nan(result) { nan } else { result }
        }

        /// Like [`settle_nan2`], for three operands.
        #[inline(always)]
        pub const fn settle_nan3(result: $bits, a: $bits, b: $bits, c: $bits) -> $bits {
            let nan = if is_nan(c) { quiet(c) } else { NAN };
            let nan = if is_nan(b) { quiet(b) } else { nan };
            let nan = if is_nan(a) { quiet(a) } else { nan };
            if is_nan(result) { nan } else { result }
        }

        /// An integer that orders all non-NaN values, -0 below +0.
        #[inline(always)]
        const fn order(x: $bits) -> $signed {
            let signed = x as $signed;
            signed ^ (((signed >> (<$bits>::BITS - 1)) as $bits) >> 1) as $signed
        }

        #[inline(always)]
        const fn smaller(a: $bits, b: $bits) -> $bits {
            if order(a) <= order(b) { a } else { b }
        }

        #[inline(always)]
        const fn larger(a: $bits, b: $bits) -> $bits {
            if order(a) >= order(b) { a } else { b }
        }

        /// Returns the result of a min or max of `a` and `b`, of which `chosen` is right for numbers. A NaN loses to a number. In
        /// IEEE mode a signalling NaN wins over everything, and the result is its quiet form.
        #[inline(always)]
        const fn number_wins(chosen: $bits, a: $bits, b: $bits, ieee: bool) -> $bits {
            let r = if is_nan(b) { a } else { chosen };
            let r = if is_nan(a) { b } else { r };
            let r = if ieee & is_signalling(b) { quiet(b) } else { r };
            if ieee & is_signalling(a) { quiet(a) } else { r }
        }

        /// `v_min` of gfx9 to gfx11; `ieee` is the MODE bit.
        #[inline(always)]
        pub const fn min(a: $bits, b: $bits, ieee: bool, denormals: Denormals) -> $bits {
            let (a, b) = (flush_in(a, denormals), flush_in(b, denormals));
            flush_out(number_wins(smaller(a, b), a, b, ieee), denormals)
        }

        /// `v_max` of gfx9 to gfx11; `ieee` is the MODE bit.
        #[inline(always)]
        pub const fn max(a: $bits, b: $bits, ieee: bool, denormals: Denormals) -> $bits {
            let (a, b) = (flush_in(a, denormals), flush_in(b, denormals));
            flush_out(number_wins(larger(a, b), a, b, ieee), denormals)
        }

        /// `v_min3` of gfx9 to gfx11.
        #[inline(always)]
        pub const fn min3(a: $bits, b: $bits, c: $bits, ieee: bool, denormals: Denormals) -> $bits {
            min(min(a, b, ieee, denormals), c, ieee, denormals)
        }

        /// `v_max3` of gfx9 to gfx11.
        #[inline(always)]
        pub const fn max3(a: $bits, b: $bits, c: $bits, ieee: bool, denormals: Denormals) -> $bits {
            max(max(a, b, ieee, denormals), c, ieee, denormals)
        }

        /// The middle of three numbers in the order that puts -0 below +0.
        #[inline(always)]
        const fn middle(a: $bits, b: $bits, c: $bits) -> $bits {
            larger(smaller(a, b), smaller(larger(a, b), c))
        }

        /// `v_med3` of gfx9 to gfx11: with any NaN among the operands it is `min3`.
        #[inline(always)]
        pub const fn med3(a: $bits, b: $bits, c: $bits, ieee: bool, denormals: Denormals) -> $bits {
            let (a, b, c) = (
                flush_in(a, denormals),
                flush_in(b, denormals),
                flush_in(c, denormals),
            );
            let least = min3(a, b, c, ieee, denormals);
            if is_nan(a) | is_nan(b) | is_nan(c) {
                least
            } else {
                flush_out(middle(a, b, c), denormals)
            }
        }

        /// NaN rules of the gfx12 `_num` operations: numbers win, two NaNs give the first made quiet.
        #[inline(always)]
        const fn number_or_quiet(chosen: $bits, a: $bits, b: $bits) -> $bits {
            let r = if is_nan(b) { a } else { chosen };
            let r = if is_nan(a) { b } else { r };
            if is_nan(a) & is_nan(b) { quiet(a) } else { r }
        }

        /// `v_min_num` of gfx12.
        #[inline(always)]
        pub const fn min_num(a: $bits, b: $bits, denormals: Denormals) -> $bits {
            let (a, b) = (flush_in(a, denormals), flush_in(b, denormals));
            flush_out(number_or_quiet(smaller(a, b), a, b), denormals)
        }

        /// `v_max_num` of gfx12.
        #[inline(always)]
        pub const fn max_num(a: $bits, b: $bits, denormals: Denormals) -> $bits {
            let (a, b) = (flush_in(a, denormals), flush_in(b, denormals));
            flush_out(number_or_quiet(larger(a, b), a, b), denormals)
        }

        /// `v_min3_num` of gfx12.
        #[inline(always)]
        pub const fn min3_num(a: $bits, b: $bits, c: $bits, denormals: Denormals) -> $bits {
            min_num(min_num(a, b, denormals), c, denormals)
        }

        /// `v_max3_num` of gfx12.
        #[inline(always)]
        pub const fn max3_num(a: $bits, b: $bits, c: $bits, denormals: Denormals) -> $bits {
            max_num(max_num(a, b, denormals), c, denormals)
        }

        /// `v_med3_num` of gfx12: with any NaN among the operands it is `min3_num`.
        #[inline(always)]
        pub const fn med3_num(a: $bits, b: $bits, c: $bits, denormals: Denormals) -> $bits {
            let (a, b, c) = (
                flush_in(a, denormals),
                flush_in(b, denormals),
                flush_in(c, denormals),
            );
            let least = min3_num(a, b, c, denormals);
            if is_nan(a) | is_nan(b) | is_nan(c) {
                least
            } else {
                flush_out(middle(a, b, c), denormals)
            }
        }

        /// NaN rules of `minimum`/`maximum`: signalling first, then quiet, operand order within each.
        #[inline(always)]
        const fn nan_wins(chosen: $bits, a: $bits, b: $bits) -> $bits {
            let r = if is_nan(b) { quiet(b) } else { chosen };
            let r = if is_nan(a) { quiet(a) } else { r };
            let r = if is_signalling(b) { quiet(b) } else { r };
            if is_signalling(a) { quiet(a) } else { r }
        }

        /// `v_minimum`: NaN propagates, -0 is below +0.
        #[inline(always)]
        pub const fn minimum(a: $bits, b: $bits, denormals: Denormals) -> $bits {
            let (a, b) = (flush_in(a, denormals), flush_in(b, denormals));
            flush_out(nan_wins(smaller(a, b), a, b), denormals)
        }

        /// `v_maximum`: NaN propagates, -0 is below +0.
        #[inline(always)]
        pub const fn maximum(a: $bits, b: $bits, denormals: Denormals) -> $bits {
            let (a, b) = (flush_in(a, denormals), flush_in(b, denormals));
            flush_out(nan_wins(larger(a, b), a, b), denormals)
        }

        /// `v_minimum3`.
        #[inline(always)]
        pub const fn minimum3(a: $bits, b: $bits, c: $bits, denormals: Denormals) -> $bits {
            minimum(minimum(a, b, denormals), c, denormals)
        }

        /// `v_maximum3`.
        #[inline(always)]
        pub const fn maximum3(a: $bits, b: $bits, c: $bits, denormals: Denormals) -> $bits {
            maximum(maximum(a, b, denormals), c, denormals)
        }

        /// One of the sixteen VOPC comparisons. Operands obey the input half of the denormal mode.
        #[inline(always)]
        pub const fn compare(
            condition: Condition,
            a: $bits,
            b: $bits,
            denormals: Denormals,
        ) -> bool {
            let (a, b) = (flush_in(a, denormals), flush_in(b, denormals));
            let unordered = is_nan(a) | is_nan(b);
            let zeros = (a | b) & !SIGN == 0;
            let equal = !unordered & ((a == b) | zeros);
            let less = !unordered & !zeros & (order(a) < order(b));
            let greater = !unordered & !zeros & (order(a) > order(b));
            condition.holds(less, equal, greater, unordered)
        }

        /// `v_cmp_class`: whether the raw bits belong to a class selected in `mask`. Bits: 0 signalling NaN, 1 quiet NaN,
        /// 2 -infinity, 3 -normal, 4 -denormal, 5 -0, 6 +0, 7 +denormal, 8 +normal, 9 +infinity.
        #[inline(always)]
        pub const fn class(x: $bits, mask: u32) -> bool {
            let negative = x & SIGN != 0;
            let magnitude = x & !SIGN;
            let (minus, plus) = if magnitude == INFINITY {
                (2, 9)
            } else if magnitude >= MIN_NORMAL {
                (3, 8)
            } else if magnitude != 0 {
                (4, 7)
            } else {
                (5, 6)
            };
            let number = if negative { minus } else { plus };
            let nan = if x & QUIET != 0 { 1 } else { 0 };
            let bit = if is_nan(x) { nan } else { number };
            mask >> bit & 1 != 0
        }

        /// The float CLAMP modifier: into [+0, 1]; NaN becomes +0 when `dx10_clamp`, else stays.
        #[inline(always)]
        pub const fn clamp(x: $bits, dx10_clamp: bool) -> $bits {
            let negative = x & SIGN != 0;
            let r = if x > ONE { ONE } else { x };
            let r = if negative { 0 } else { r };
            let nan = if dx10_clamp { 0 } else { x };
            if is_nan(x) { nan } else { r }
        }
    };
}

pub(crate) use representation;
