//! The host's vectors: each width has one table of intrinsics.

// The trait says once what it asks of callers.
#![allow(clippy::missing_safety_doc)]

use std::arch::x86_64::*;

use crate::LANES;

/// Vectors of one width.
///
/// # Safety
/// Of all functions: the host has the vectors ([`crate::level::Level`] says which), and pointers lead to [`Host::STEP`] words.
pub trait Host {
    /// Singles in a vector.
    const STEP: usize;
    /// The result of a comparison: a mask of lanes.
    type Lanes: Copy;
    type Single: Copy;
    type Double: Copy;

    unsafe fn load(word: *const u32) -> Self::Single;
    unsafe fn store(word: *mut u32, vector: Self::Single);
    /// Stores 16 words in the widest vectors: a later load that spans two smaller stores would stall the processor.
    unsafe fn store_pair(word: *mut u32, low: __m256i, high: __m256i);
    unsafe fn splat(value: u32) -> Self::Single;
    unsafe fn splat64(value: u64) -> Self::Double;

    unsafe fn add(a: Self::Single, b: Self::Single) -> Self::Single;
    unsafe fn sub(a: Self::Single, b: Self::Single) -> Self::Single;
    unsafe fn mul(a: Self::Single, b: Self::Single) -> Self::Single;
    unsafe fn fma(a: Self::Single, b: Self::Single, c: Self::Single) -> Self::Single;
    unsafe fn div(a: Self::Single, b: Self::Single) -> Self::Single;
    unsafe fn sqrt(a: Self::Single) -> Self::Single;
    /// Multiplies singles by powers of two and rounds once, to nearest even. The second words are the powers, signed integers.
    unsafe fn scale(singles: Self::Single, powers: Self::Single) -> Self::Single;
    /// The same for doubles; the low words of the second lanes are the powers.
    unsafe fn scale64(doubles: Self::Double, powers: Self::Double) -> Self::Double;
    unsafe fn min(a: Self::Single, b: Self::Single) -> Self::Single;
    unsafe fn max(a: Self::Single, b: Self::Single) -> Self::Single;
    unsafe fn and(a: Self::Single, b: Self::Single) -> Self::Single;
    unsafe fn or(a: Self::Single, b: Self::Single) -> Self::Single;
    unsafe fn xor(a: Self::Single, b: Self::Single) -> Self::Single;
    /// `b` without the bits of `a`.
    unsafe fn without(a: Self::Single, b: Self::Single) -> Self::Single;

    unsafe fn add64(a: Self::Double, b: Self::Double) -> Self::Double;
    unsafe fn sub64(a: Self::Double, b: Self::Double) -> Self::Double;
    unsafe fn mul64(a: Self::Double, b: Self::Double) -> Self::Double;
    unsafe fn div64(a: Self::Double, b: Self::Double) -> Self::Double;
    unsafe fn fma64(a: Self::Double, b: Self::Double, c: Self::Double) -> Self::Double;
    unsafe fn min64(a: Self::Double, b: Self::Double) -> Self::Double;
    unsafe fn max64(a: Self::Double, b: Self::Double) -> Self::Double;
    unsafe fn and64(a: Self::Double, b: Self::Double) -> Self::Double;
    unsafe fn or64(a: Self::Double, b: Self::Double) -> Self::Double;
    unsafe fn xor64(a: Self::Double, b: Self::Double) -> Self::Double;

    /// Joins low and high words to lanes of 64 bits. One result has the first two lanes of every four, the other one the last two.
    unsafe fn interleave(low: Self::Single, high: Self::Single) -> [Self::Double; 2];
    /// Takes such lanes apart: low words, then high words.
    unsafe fn separate(lanes: [Self::Double; 2]) -> [Self::Single; 2];

    /// Converts singles to signed integers, towards zero. A single that is out of range becomes the nearest integer, a NaN zero.
    unsafe fn whole(singles: Self::Single) -> Self::Single;
    /// Converts singles to unsigned integers by the same rules.
    unsafe fn whole_unsigned(singles: Self::Single) -> Self::Single;
    /// Converts singles to doubles: low words, then high words.
    unsafe fn doubled(singles: Self::Single) -> [Self::Single; 2];
    /// Rounds doubles, in the order of [`Host::interleave`], to singles, to nearest even.
    unsafe fn singled(lanes: [Self::Double; 2]) -> Self::Single;
    /// Converts such doubles to signed integers, towards zero. A double that is out of range becomes the nearest integer. No double may be
    /// a NaN.
    unsafe fn truncated(lanes: [Self::Double; 2]) -> Self::Single;
    /// Converts such doubles to unsigned integers by the same rules; a NaN becomes zero.
    unsafe fn truncated_unsigned(lanes: [Self::Double; 2]) -> Self::Single;
    /// Converts signed integers to doubles: low words, then high words.
    #[inline(always)]
    unsafe fn doubled_signed(words: Self::Single) -> [Self::Single; 2] {
        // SAFETY: the caller's promise about the host.
        unsafe {
            let above = Self::xor(words, Self::splat(1 << 31));
            Self::less(above, ((1_u64 << 52) + (1 << 31)) as f64)
        }
    }
    /// Converts unsigned integers to doubles.
    #[inline(always)]
    unsafe fn doubled_unsigned(words: Self::Single) -> [Self::Single; 2] {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe { Self::less(words, (1_u64 << 52) as f64) }
    }
    /// Converts unsigned integers to doubles and subtracts `least`: a low word under the high word of 2^52 is the sum of both.
    #[inline(always)]
    unsafe fn less(words: Self::Single, least: f64) -> [Self::Single; 2] {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let sums = Self::interleave(words, Self::splat(0x4330_0000));
            let least = Self::splat64(least.to_bits());
            Self::separate([Self::sub64(sums[0], least), Self::sub64(sums[1], least)])
        }
    }

    /// Converts singles to doubles: those of the first half of the lanes, then those of the second.
    unsafe fn halves_doubled(singles: Self::Single) -> [Self::Double; 2];
    /// Rounds such doubles to singles, to nearest even.
    unsafe fn halves_singled(halves: [Self::Double; 2]) -> Self::Single;
    /// Adds the low bits of `powers` to the exponents of `singles`; nothing keeps them from running over.
    unsafe fn raised(singles: Self::Single, powers: Self::Single) -> Self::Single;
    /// Positive normal singles as numbers from √½ up to √2, and powers of two to multiply these with, as singles.
    unsafe fn split(singles: Self::Single) -> [Self::Single; 2];
    /// The words `sum` less half of `words`, all unsigned.
    unsafe fn less_half(sum: u32, words: Self::Single) -> Self::Single;
    /// `results`, with a NaN where `singles` holds anything but a positive normal number.
    unsafe fn of_normal(results: Self::Single, singles: Self::Single) -> Self::Single;

    /// Lanes in which `a` or `b` is a NaN.
    unsafe fn nans(a: Self::Single, b: Self::Single) -> Self::Lanes;
    unsafe fn nans64(a: Self::Double, b: Self::Double) -> Self::Lanes;
    unsafe fn no_lanes() -> Self::Lanes;
    unsafe fn either(a: Self::Lanes, b: Self::Lanes) -> Self::Lanes;
    unsafe fn any(lanes: Self::Lanes) -> bool;

    /// Widens the low halves of words to singles.
    unsafe fn widen(words: Self::Single) -> Self::Single;
    /// Rounds singles to halves, to nearest even.
    unsafe fn narrow(singles: Self::Single) -> Self::Single;
    /// Rounds singles to halves, towards zero.
    unsafe fn narrow_toward_zero(singles: Self::Single) -> Self::Single;
    /// Widens both halves of words to singles, low and high ones by turns.
    unsafe fn widen_pairs(words: Self::Single) -> [Self::Single; 2];
    /// [`Host::widen_pairs`] of words in memory: the host converts from there without the shuffle that a register needs.
    unsafe fn load_widened_pairs(words: *const u32) -> [Self::Single; 2];
    /// Rounds singles in the order of [`Host::widen_pairs`] to halves, to nearest even.
    unsafe fn narrow_pairs(singles: [Self::Single; 2]) -> Self::Single;
    /// Repeats every word in the order of [`Host::widen_pairs`]; words are zeros or all ones.
    unsafe fn mask_pairs(words: Self::Single) -> [Self::Single; 2];
    /// Sorts the result of [`Host::widen_pairs`]: the singles of low halves, then those of high ones.
    unsafe fn apart(pairs: [Self::Single; 2]) -> [Self::Single; 2];
    unsafe fn high_halves(words: Self::Single) -> Self::Single;
    unsafe fn to_high_halves(words: Self::Single) -> Self::Single;
    /// Makes denormals zeros of the same sign.
    unsafe fn flushed(words: Self::Single) -> Self::Single;
    /// Multiplies the signed halves of words and adds both products to a third word.
    unsafe fn dot2(a: Self::Single, b: Self::Single, c: Self::Single) -> Self::Single;
    /// Multiplies the bytes of words, signed if `SIGNED`, and adds the four products to a third word.
    unsafe fn dot4<const SIGNED: bool>(
        a: Self::Single,
        b: Self::Single,
        c: Self::Single,
    ) -> Self::Single;
    /// Lanes whose words end in twelve zeros.
    unsafe fn rounded(words: Self::Single) -> Self::Lanes;
    /// Lanes of [`Host::rounded`] that may lie between two halves, and perhaps more of them: such a single is in the middle of two normal
    /// halves, or below all normal halves and not zero.
    unsafe fn between(words: Self::Single) -> Self::Lanes;
    /// `true` if [`Host::fma_to_odd`] costs less than to ask which rounding mode is set.
    const DIRECTED: bool = false;
    /// `a * b + c`, of which the product is exact, with the last bit set if anything was lost ("round to odd").
    #[inline(always)]
    unsafe fn fma_to_odd(a: Self::Single, b: Self::Single, c: Self::Single) -> Self::Single {
        // SAFETY: the caller's promise about the host.
        unsafe {
            let product = Self::mul(a, b);
            let sum = Self::add(product, c);
            // Knuth's exact error of a rounded sum; NaN, which counts as none, if the sum is infinite.
            let part = Self::sub(sum, product);
            let error = Self::add(Self::sub(product, Self::sub(sum, part)), Self::sub(c, part));
            Self::to_odd(sum, error)
        }
    }
    /// `sum` where `error` is zero or a NaN; else the next single towards zero, if the error points there, with its last bit set.
    unsafe fn to_odd(sum: Self::Single, error: Self::Single) -> Self::Single;
}

/// The functions that differ between widths only in the names of intrinsics.
macro_rules! alike {
    (
        $single:ty, $double:ty;
        $load:ident, $store:ident, $splat:ident, $from_words:ident, $splat64:ident, $from_words64:ident;
        $($name:ident($($x:ident),+) = $intrinsic:ident;)*;
        $($name64:ident($($x64:ident),+) = $intrinsic64:ident;)*;
        $to_double:ident, $to_single:ident, $unpack_low:ident, $unpack_high:ident, $shuffle:ident;
        $to_words:ident, $right:ident, $left:ident, $to_halves:ident, $to_unsigned:ident
    ) => {
        type Single = $single;
        type Double = $double;
        #[inline(always)]
        unsafe fn load(word: *const u32) -> $single {
            // SAFETY: the caller keeps what [`Host`] asks.
            unsafe { $load(word.cast()) }
        }
        #[inline(always)]
        unsafe fn store(word: *mut u32, vector: $single) {
            // SAFETY: the caller keeps what [`Host`] asks.
            unsafe { $store(word.cast(), vector) }
        }
        #[inline(always)]
        unsafe fn splat(value: u32) -> $single {
            // SAFETY: the caller keeps what [`Host`] asks.
            unsafe { $from_words($splat(value as i32)) }
        }
        #[inline(always)]
        unsafe fn splat64(value: u64) -> $double {
            // SAFETY: the caller keeps what [`Host`] asks.
            unsafe { $from_words64($splat64(value as i64)) }
        }
        $(
            #[inline(always)]
            unsafe fn $name($($x: $single),+) -> $single {
                // SAFETY: the caller keeps what [`Host`] asks.
                unsafe { $intrinsic($($x),+) }
            }
        )*
        $(
            #[inline(always)]
            unsafe fn $name64($($x64: $double),+) -> $double {
                // SAFETY: the caller keeps what [`Host`] asks.
                unsafe { $intrinsic64($($x64),+) }
            }
        )*
        #[inline(always)]
        unsafe fn interleave(low: $single, high: $single) -> [$double; 2] {
            // SAFETY: the caller keeps what [`Host`] asks.
            unsafe { [$to_double($unpack_low(low, high)), $to_double($unpack_high(low, high))] }
        }
        #[inline(always)]
        unsafe fn separate(lanes: [$double; 2]) -> [$single; 2] {
            // SAFETY: the caller keeps what [`Host`] asks.
            unsafe {
                let (a, b) = ($to_single(lanes[0]), $to_single(lanes[1]));
                [$shuffle::<0x88>(a, b), $shuffle::<0xdd>(a, b)]
            }
        }
        #[inline(always)]
        unsafe fn narrow(singles: $single) -> $single {
            // SAFETY: the caller keeps what [`Host`] asks.
            unsafe {
                let halves = $to_halves::<_MM_FROUND_TO_NEAREST_INT>(singles);
                $from_words($to_unsigned(halves))
            }
        }
        #[inline(always)]
        unsafe fn narrow_toward_zero(singles: $single) -> $single {
            // SAFETY: the caller keeps what [`Host`] asks.
            unsafe { $from_words($to_unsigned($to_halves::<_MM_FROUND_TO_ZERO>(singles))) }
        }
        #[inline(always)]
        unsafe fn high_halves(words: $single) -> $single {
            // SAFETY: the caller keeps what [`Host`] asks.
            unsafe { $from_words($right::<16>($to_words(words))) }
        }
        #[inline(always)]
        unsafe fn to_high_halves(words: $single) -> $single {
            // SAFETY: the caller keeps what [`Host`] asks.
            unsafe { $from_words($left::<16>($to_words(words))) }
        }
    };
}

/// `value` times two to `power`, rounded once.
#[inline(always)]
fn scaled64(value: f64, power: i32) -> f64 {
    let two_to = |power: i32| f64::from_bits(((power + 1023) as u64) << 52);
    // No power beyond these gives another result.
    let (mut value, mut power) = (value, power.clamp(-2200, 2200));
    // A step down leaves so much to the last one that it rounds nothing which the last one does not round away.
    for _ in 0..2 {
        let step = match power {
            1024.. => 1023,
            ..-1022 => -969,
            _ => 0,
        };
        value *= two_to(step);
        power -= step;
    }
    value * two_to(power.clamp(-1022, 1023))
}

/// The first single that is no signed integer.
const TWO_TO_31: f32 = 2_147_483_648.0;

/// √½, rounded to a single.
const ROOT_OF_HALF: i32 = std::f32::consts::FRAC_1_SQRT_2.to_bits() as i32;
/// The largest finite single.
const LARGEST: i32 = f32::MAX.to_bits() as i32;

/// Vectors of 256 bits: AVX2, FMA and F16C.
pub enum Ymm {}

impl Host for Ymm {
    const STEP: usize = 8;
    type Lanes = __m256;

    alike! {
        __m256, __m256d;
        _mm256_loadu_ps, _mm256_storeu_ps, _mm256_set1_epi32, _mm256_castsi256_ps, _mm256_set1_epi64x, _mm256_castsi256_pd;
        add(a, b) = _mm256_add_ps;
        sub(a, b) = _mm256_sub_ps;
        mul(a, b) = _mm256_mul_ps;
        fma(a, b, c) = _mm256_fmadd_ps;
        div(a, b) = _mm256_div_ps;
        sqrt(a) = _mm256_sqrt_ps;
        min(a, b) = _mm256_min_ps;
        max(a, b) = _mm256_max_ps;
        and(a, b) = _mm256_and_ps;
        or(a, b) = _mm256_or_ps;
        xor(a, b) = _mm256_xor_ps;
        without(a, b) = _mm256_andnot_ps;
        ;
        add64(a, b) = _mm256_add_pd;
        sub64(a, b) = _mm256_sub_pd;
        mul64(a, b) = _mm256_mul_pd;
        div64(a, b) = _mm256_div_pd;
        fma64(a, b, c) = _mm256_fmadd_pd;
        min64(a, b) = _mm256_min_pd;
        max64(a, b) = _mm256_max_pd;
        and64(a, b) = _mm256_and_pd;
        or64(a, b) = _mm256_or_pd;
        xor64(a, b) = _mm256_xor_pd;
        ;
        _mm256_castps_pd, _mm256_castpd_ps, _mm256_unpacklo_ps, _mm256_unpackhi_ps, _mm256_shuffle_ps;
        _mm256_castps_si256, _mm256_srli_epi32, _mm256_slli_epi32, _mm256_cvtps_ph, _mm256_cvtepu16_epi32
    }

    #[inline(always)]
    unsafe fn scale(singles: __m256, powers: __m256) -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            // No power of more than these gives another result. As doubles, all products of these are exact.
            let powers = _mm256_castps_si256(powers);
            let powers = _mm256_min_epi32(powers, _mm256_set1_epi32(400));
            let powers = _mm256_max_epi32(powers, _mm256_set1_epi32(-400));
            let scaled = |singles: __m128, powers: __m128i| {
                let biased = _mm256_cvtepi32_epi64(_mm_add_epi32(powers, _mm_set1_epi32(1023)));
                let factors = _mm256_castsi256_pd(_mm256_slli_epi64::<52>(biased));
                _mm256_cvtpd_ps(_mm256_mul_pd(_mm256_cvtps_pd(singles), factors))
            };
            let first = scaled(
                _mm256_castps256_ps128(singles),
                _mm256_castsi256_si128(powers),
            );
            let second = scaled(
                _mm256_extractf128_ps::<1>(singles),
                _mm256_extracti128_si256::<1>(powers),
            );
            _mm256_set_m128(second, first)
        }
    }
    #[inline(always)]
    unsafe fn scale64(doubles: __m256d, powers: __m256d) -> __m256d {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let mut results = [0.0; 4];
            let (mut values, mut words) = ([0.0; 4], [0.0; 4]);
            _mm256_storeu_pd(values.as_mut_ptr(), doubles);
            _mm256_storeu_pd(words.as_mut_ptr(), powers);
            for lane in 0..4 {
                results[lane] = scaled64(values[lane], words[lane].to_bits() as i32);
            }
            _mm256_loadu_pd(results.as_ptr())
        }
    }
    #[inline(always)]
    unsafe fn store_pair(word: *mut u32, low: __m256i, high: __m256i) {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            _mm256_storeu_si256(word.cast(), low);
            _mm256_storeu_si256(word.add(8).cast(), high);
        }
    }
    #[inline(always)]
    unsafe fn whole(singles: __m256) -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            // The host makes the least number of all that there is none for: with all bits changed it is the largest.
            let large = _mm256_cmp_ps::<_CMP_GE_OQ>(singles, _mm256_set1_ps(TWO_TO_31));
            let number = _mm256_cmp_ps::<_CMP_ORD_Q>(singles, singles);
            let cut = _mm256_castsi256_ps(_mm256_cvttps_epi32(singles));
            _mm256_and_ps(_mm256_xor_ps(cut, large), number)
        }
    }
    #[inline(always)]
    unsafe fn whole_unsigned(singles: __m256) -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            // (Of a NaN and zero, the host makes the second.)
            let x = _mm256_max_ps(singles, _mm256_setzero_ps());
            let half = _mm256_set1_ps(TWO_TO_31);
            let upper = _mm256_cmp_ps::<_CMP_GE_OQ>(x, half);
            let lower = _mm256_cvttps_epi32(_mm256_sub_ps(x, _mm256_and_ps(upper, half)));
            let bit = _mm256_slli_epi32::<31>(_mm256_castps_si256(upper));
            let cut = _mm256_castsi256_ps(_mm256_xor_si256(lower, bit));
            let large = _mm256_cmp_ps::<_CMP_GE_OQ>(x, _mm256_set1_ps(2.0 * TWO_TO_31));
            _mm256_or_ps(cut, large)
        }
    }
    #[inline(always)]
    unsafe fn doubled(singles: __m256) -> [__m256; 2] {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let first = _mm256_cvtps_pd(_mm256_castps256_ps128(singles));
            let second = _mm256_cvtps_pd(_mm256_extractf128_ps::<1>(singles));
            Self::apart([_mm256_castpd_ps(first), _mm256_castpd_ps(second)])
        }
    }
    #[inline(always)]
    unsafe fn singled(lanes: [__m256d; 2]) -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let [first, second] = [_mm256_cvtpd_ps(lanes[0]), _mm256_cvtpd_ps(lanes[1])];
            let all = _mm256_castps_pd(_mm256_set_m128(second, first));
            _mm256_castpd_ps(_mm256_permute4x64_pd::<0b1101_1000>(all))
        }
    }
    #[inline(always)]
    unsafe fn truncated(lanes: [__m256d; 2]) -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            // (The host makes the least number of all that there is none for.)
            let most = _mm256_set1_pd(i32::MAX.into());
            let first = _mm256_cvttpd_epi32(_mm256_min_pd(lanes[0], most));
            let second = _mm256_cvttpd_epi32(_mm256_min_pd(lanes[1], most));
            let all = _mm256_set_m128i(second, first);
            _mm256_castsi256_ps(_mm256_permute4x64_epi64::<0b1101_1000>(all))
        }
    }
    #[inline(always)]
    unsafe fn truncated_unsigned(lanes: [__m256d; 2]) -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let within = |x| {
                let x = _mm256_max_pd(x, _mm256_setzero_pd());
                let x = _mm256_floor_pd(_mm256_min_pd(x, _mm256_set1_pd(u32::MAX.into())));
                // The low word of the sum is the number.
                _mm256_add_pd(x, _mm256_set1_pd((1_u64 << 52) as f64))
            };
            let [first, second] = [within(lanes[0]), within(lanes[1])];
            Self::separate([first, second])[0]
        }
    }
    #[inline(always)]
    unsafe fn halves_doubled(singles: __m256) -> [__m256d; 2] {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            [
                _mm256_cvtps_pd(_mm256_castps256_ps128(singles)),
                _mm256_cvtps_pd(_mm256_extractf128_ps::<1>(singles)),
            ]
        }
    }
    #[inline(always)]
    unsafe fn halves_singled(halves: [__m256d; 2]) -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe { _mm256_set_m128(_mm256_cvtpd_ps(halves[1]), _mm256_cvtpd_ps(halves[0])) }
    }
    #[inline(always)]
    unsafe fn raised(singles: __m256, powers: __m256) -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let powers = _mm256_slli_epi32::<23>(_mm256_castps_si256(powers));
            _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(singles), powers))
        }
    }
    #[inline(always)]
    unsafe fn split(singles: __m256) -> [__m256; 2] {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            // Subtracting √½ from the bits makes the exponent change at √½ instead of at 1.
            let words = _mm256_castps_si256(singles);
            let offset = _mm256_sub_epi32(words, _mm256_set1_epi32(ROOT_OF_HALF));
            let exponent = _mm256_and_si256(offset, _mm256_set1_epi32(-1 << 23));
            let whole = _mm256_cvtepi32_ps(_mm256_srai_epi32::<23>(exponent));
            [
                _mm256_castsi256_ps(_mm256_sub_epi32(words, exponent)),
                whole,
            ]
        }
    }
    #[inline(always)]
    unsafe fn less_half(sum: u32, words: __m256) -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let half = _mm256_srli_epi32::<1>(_mm256_castps_si256(words));
            _mm256_castsi256_ps(_mm256_sub_epi32(_mm256_set1_epi32(sum as i32), half))
        }
    }
    #[inline(always)]
    unsafe fn of_normal(results: __m256, singles: __m256) -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let words = _mm256_castps_si256(singles);
            let small = _mm256_cmpgt_epi32(_mm256_set1_epi32(1 << 23), words);
            let large = _mm256_cmpgt_epi32(words, _mm256_set1_epi32(LARGEST));
            let wrong = _mm256_castsi256_ps(_mm256_or_si256(small, large));
            _mm256_or_ps(results, wrong)
        }
    }
    #[inline(always)]
    unsafe fn nans(a: __m256, b: __m256) -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe { _mm256_cmp_ps::<_CMP_UNORD_Q>(a, b) }
    }
    #[inline(always)]
    unsafe fn nans64(a: __m256d, b: __m256d) -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe { _mm256_castpd_ps(_mm256_cmp_pd::<_CMP_UNORD_Q>(a, b)) }
    }
    #[inline(always)]
    unsafe fn no_lanes() -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe { _mm256_setzero_ps() }
    }
    #[inline(always)]
    unsafe fn either(a: __m256, b: __m256) -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe { _mm256_or_ps(a, b) }
    }
    #[inline(always)]
    unsafe fn any(lanes: __m256) -> bool {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe { _mm256_movemask_ps(lanes) != 0 }
    }
    #[inline(always)]
    unsafe fn widen(words: __m256) -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let low = _mm256_and_si256(_mm256_castps_si256(words), _mm256_set1_epi32(0xffff));
            let packed = _mm256_permute4x64_epi64::<0b1000>(_mm256_packus_epi32(low, low));
            _mm256_cvtph_ps(_mm256_castsi256_si128(packed))
        }
    }
    #[inline(always)]
    unsafe fn widen_pairs(words: __m256) -> [__m256; 2] {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let words = _mm256_castps_si256(words);
            [
                _mm256_cvtph_ps(_mm256_castsi256_si128(words)),
                _mm256_cvtph_ps(_mm256_extracti128_si256::<1>(words)),
            ]
        }
    }
    #[inline(always)]
    unsafe fn load_widened_pairs(words: *const u32) -> [__m256; 2] {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let four = |first: usize| _mm256_cvtph_ps(_mm_loadu_si128(words.add(first).cast()));
            [four(0), four(4)]
        }
    }
    #[inline(always)]
    unsafe fn narrow_pairs(singles: [__m256; 2]) -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let first = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(singles[0]);
            let second = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(singles[1]);
            _mm256_castsi256_ps(_mm256_set_m128i(second, first))
        }
    }
    #[inline(always)]
    unsafe fn mask_pairs(words: __m256) -> [__m256; 2] {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let words = _mm256_castps_si256(words);
            let first = _mm256_cvtepi16_epi32(_mm256_castsi256_si128(words));
            let second = _mm256_cvtepi16_epi32(_mm256_extracti128_si256::<1>(words));
            [_mm256_castsi256_ps(first), _mm256_castsi256_ps(second)]
        }
    }
    #[inline(always)]
    unsafe fn apart(pairs: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let low = _mm256_castps_pd(_mm256_shuffle_ps::<0x88>(pairs[0], pairs[1]));
            let high = _mm256_castps_pd(_mm256_shuffle_ps::<0xdd>(pairs[0], pairs[1]));
            [
                _mm256_castpd_ps(_mm256_permute4x64_pd::<0b1101_1000>(low)),
                _mm256_castpd_ps(_mm256_permute4x64_pd::<0b1101_1000>(high)),
            ]
        }
    }
    #[inline(always)]
    unsafe fn flushed(words: __m256) -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let bits = _mm256_castps_si256(words);
            let exponent = _mm256_and_si256(bits, _mm256_set1_epi32(0x7f80_0000));
            let none = _mm256_cmpeq_epi32(exponent, _mm256_setzero_si256());
            let fraction = _mm256_and_si256(none, _mm256_set1_epi32(0x7fff_ffff));
            _mm256_castsi256_ps(_mm256_andnot_si256(fraction, bits))
        }
    }
    #[inline(always)]
    unsafe fn dot2(a: __m256, b: __m256, c: __m256) -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let products = _mm256_madd_epi16(_mm256_castps_si256(a), _mm256_castps_si256(b));
            _mm256_castsi256_ps(_mm256_add_epi32(products, _mm256_castps_si256(c)))
        }
    }
    #[inline(always)]
    unsafe fn dot4<const SIGNED: bool>(a: __m256, b: __m256, c: __m256) -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let halves = |words: __m256| {
                let words = _mm256_castps_si256(words);
                let up = _mm256_slli_epi16::<8>(words);
                if SIGNED {
                    [_mm256_srai_epi16::<8>(up), _mm256_srai_epi16::<8>(words)]
                } else {
                    [_mm256_srli_epi16::<8>(up), _mm256_srli_epi16::<8>(words)]
                }
            };
            let ([a0, a1], [b0, b1]) = (halves(a), halves(b));
            let products = _mm256_add_epi32(_mm256_madd_epi16(a0, b0), _mm256_madd_epi16(a1, b1));
            _mm256_castsi256_ps(_mm256_add_epi32(products, _mm256_castps_si256(c)))
        }
    }
    #[inline(always)]
    unsafe fn rounded(words: __m256) -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let shifted = _mm256_slli_epi32::<20>(_mm256_castps_si256(words));
            _mm256_castsi256_ps(_mm256_cmpeq_epi32(shifted, _mm256_setzero_si256()))
        }
    }
    #[inline(always)]
    unsafe fn between(words: __m256) -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let bits = _mm256_castps_si256(words);
            let last = _mm256_and_si256(bits, _mm256_set1_epi32(0x1fff));
            let middle = _mm256_cmpeq_epi32(last, _mm256_set1_epi32(0x1000));
            let size = _mm256_and_si256(bits, _mm256_set1_epi32(0x7fff_ffff));
            let small = _mm256_cmpgt_epi32(_mm256_set1_epi32((127 - 14) << 23), size);
            let zero = _mm256_cmpeq_epi32(size, _mm256_setzero_si256());
            _mm256_castsi256_ps(_mm256_or_si256(middle, _mm256_andnot_si256(zero, small)))
        }
    }
    #[inline(always)]
    unsafe fn to_odd(sum: __m256, error: __m256) -> __m256 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let inexact = _mm256_cmp_ps::<_CMP_NEQ_OQ>(error, _mm256_setzero_ps());
            // All ones, which is -1, where the error points towards zero.
            let too_large = _mm256_srai_epi32::<31>(_mm256_castps_si256(_mm256_xor_ps(error, sum)));
            let toward_zero = _mm256_add_epi32(_mm256_castps_si256(sum), too_large);
            let odd = _mm256_or_si256(toward_zero, _mm256_set1_epi32(1));
            _mm256_blendv_ps(sum, _mm256_castsi256_ps(odd), inexact)
        }
    }
}

/// Vectors of 512 bits: AVX-512 F and DQ.
pub enum Zmm {}

impl Host for Zmm {
    const STEP: usize = 16;
    type Lanes = __mmask16;

    alike! {
        __m512, __m512d;
        _mm512_loadu_ps, _mm512_storeu_ps, _mm512_set1_epi32, _mm512_castsi512_ps, _mm512_set1_epi64, _mm512_castsi512_pd;
        add(a, b) = _mm512_add_ps;
        sub(a, b) = _mm512_sub_ps;
        mul(a, b) = _mm512_mul_ps;
        fma(a, b, c) = _mm512_fmadd_ps;
        div(a, b) = _mm512_div_ps;
        sqrt(a) = _mm512_sqrt_ps;
        min(a, b) = _mm512_min_ps;
        max(a, b) = _mm512_max_ps;
        and(a, b) = _mm512_and_ps;
        or(a, b) = _mm512_or_ps;
        xor(a, b) = _mm512_xor_ps;
        without(a, b) = _mm512_andnot_ps;
        ;
        add64(a, b) = _mm512_add_pd;
        sub64(a, b) = _mm512_sub_pd;
        mul64(a, b) = _mm512_mul_pd;
        div64(a, b) = _mm512_div_pd;
        fma64(a, b, c) = _mm512_fmadd_pd;
        min64(a, b) = _mm512_min_pd;
        max64(a, b) = _mm512_max_pd;
        and64(a, b) = _mm512_and_pd;
        or64(a, b) = _mm512_or_pd;
        xor64(a, b) = _mm512_xor_pd;
        ;
        _mm512_castps_pd, _mm512_castpd_ps, _mm512_unpacklo_ps, _mm512_unpackhi_ps, _mm512_shuffle_ps;
        _mm512_castps_si512, _mm512_srli_epi32, _mm512_slli_epi32, _mm512_cvtps_ph, _mm512_cvtepu16_epi32
    }

    #[inline(always)]
    unsafe fn scale(singles: __m512, powers: __m512) -> __m512 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            // (Powers that are no singles are so large that what is near them does as well.)
            _mm512_scalef_ps(singles, _mm512_cvtepi32_ps(_mm512_castps_si512(powers)))
        }
    }
    #[inline(always)]
    unsafe fn scale64(doubles: __m512d, powers: __m512d) -> __m512d {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let up = _mm512_slli_epi64::<32>(_mm512_castpd_si512(powers));
            let powers = _mm512_cvtepi64_pd(_mm512_srai_epi64::<32>(up));
            _mm512_scalef_pd(doubles, powers)
        }
    }
    #[inline(always)]
    unsafe fn store_pair(word: *mut u32, low: __m256i, high: __m256i) {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let both = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
            _mm512_storeu_si512(word.cast(), both);
        }
    }
    #[inline(always)]
    unsafe fn whole(singles: __m512) -> __m512 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let large = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(singles, _mm512_set1_ps(TWO_TO_31));
            let number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(singles, singles);
            let cut = _mm512_maskz_cvttps_epi32(number, singles);
            let most = _mm512_set1_epi32(i32::MAX);
            _mm512_castsi512_ps(_mm512_mask_mov_epi32(cut, large, most))
        }
    }
    #[inline(always)]
    unsafe fn whole_unsigned(singles: __m512) -> __m512 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            // (Of a NaN and zero, the host makes the second, and of what is too large the largest number.)
            let x = _mm512_max_ps(singles, _mm512_setzero_ps());
            _mm512_castsi512_ps(_mm512_cvttps_epu32(x))
        }
    }
    #[inline(always)]
    unsafe fn doubled(singles: __m512) -> [__m512; 2] {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let first = _mm512_cvtps_pd(_mm512_castps512_ps256(singles));
            let second = _mm512_cvtps_pd(_mm512_extractf32x8_ps::<1>(singles));
            Self::apart([_mm512_castpd_ps(first), _mm512_castpd_ps(second)])
        }
    }
    #[inline(always)]
    unsafe fn singled(lanes: [__m512d; 2]) -> __m512 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let [first, second] = [_mm512_cvtpd_ps(lanes[0]), _mm512_cvtpd_ps(lanes[1])];
            in_order(
                _mm512_castps256_ps512(first),
                _mm512_castps256_ps512(second),
            )
        }
    }
    #[inline(always)]
    unsafe fn truncated(lanes: [__m512d; 2]) -> __m512 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            // (The host makes the least number of all that there is none for.)
            let most = _mm512_set1_pd(i32::MAX.into());
            let [first, second] =
                lanes.map(|x| _mm512_castsi256_si512(_mm512_cvttpd_epi32(_mm512_min_pd(x, most))));
            in_order(_mm512_castsi512_ps(first), _mm512_castsi512_ps(second))
        }
    }
    #[inline(always)]
    unsafe fn truncated_unsigned(lanes: [__m512d; 2]) -> __m512 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            // (Of what is too large the host makes the largest number.)
            let zero = _mm512_setzero_pd();
            let [first, second] =
                lanes.map(|x| _mm512_castsi256_si512(_mm512_cvttpd_epu32(_mm512_max_pd(x, zero))));
            in_order(_mm512_castsi512_ps(first), _mm512_castsi512_ps(second))
        }
    }
    #[inline(always)]
    unsafe fn halves_doubled(singles: __m512) -> [__m512d; 2] {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            [
                _mm512_cvtps_pd(_mm512_castps512_ps256(singles)),
                _mm512_cvtps_pd(_mm512_extractf32x8_ps::<1>(singles)),
            ]
        }
    }
    #[inline(always)]
    unsafe fn halves_singled(halves: [__m512d; 2]) -> __m512 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let first = _mm512_castps256_ps512(_mm512_cvtpd_ps(halves[0]));
            _mm512_insertf32x8::<1>(first, _mm512_cvtpd_ps(halves[1]))
        }
    }
    #[inline(always)]
    unsafe fn raised(singles: __m512, powers: __m512) -> __m512 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let powers = _mm512_slli_epi32::<23>(_mm512_castps_si512(powers));
            _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(singles), powers))
        }
    }
    #[inline(always)]
    unsafe fn split(singles: __m512) -> [__m512; 2] {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            // Subtracting √½ from the bits makes the exponent change at √½ instead of at 1.
            let words = _mm512_castps_si512(singles);
            let offset = _mm512_sub_epi32(words, _mm512_set1_epi32(ROOT_OF_HALF));
            let exponent = _mm512_and_si512(offset, _mm512_set1_epi32(-1 << 23));
            let whole = _mm512_cvtepi32_ps(_mm512_srai_epi32::<23>(exponent));
            [
                _mm512_castsi512_ps(_mm512_sub_epi32(words, exponent)),
                whole,
            ]
        }
    }
    #[inline(always)]
    unsafe fn less_half(sum: u32, words: __m512) -> __m512 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let half = _mm512_srli_epi32::<1>(_mm512_castps_si512(words));
            _mm512_castsi512_ps(_mm512_sub_epi32(_mm512_set1_epi32(sum as i32), half))
        }
    }
    #[inline(always)]
    unsafe fn of_normal(results: __m512, singles: __m512) -> __m512 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let least = _mm512_set1_epi32(1 << 23);
            let above = _mm512_sub_epi32(_mm512_castps_si512(singles), least);
            let wrong = _mm512_cmpgt_epu32_mask(above, _mm512_set1_epi32(LARGEST - (1 << 23)));
            let ones = _mm512_castsi512_ps(_mm512_set1_epi32(-1));
            _mm512_mask_mov_ps(results, wrong, ones)
        }
    }
    #[inline(always)]
    unsafe fn nans(a: __m512, b: __m512) -> __mmask16 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe { _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(a, b) }
    }
    #[inline(always)]
    unsafe fn nans64(a: __m512d, b: __m512d) -> __mmask16 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe { u16::from(_mm512_cmp_pd_mask::<_CMP_UNORD_Q>(a, b)) }
    }
    #[inline(always)]
    unsafe fn no_lanes() -> __mmask16 {
        0
    }
    #[inline(always)]
    unsafe fn either(a: __mmask16, b: __mmask16) -> __mmask16 {
        a | b
    }
    #[inline(always)]
    unsafe fn any(lanes: __mmask16) -> bool {
        lanes != 0
    }
    #[inline(always)]
    unsafe fn widen(words: __m512) -> __m512 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe { _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_castps_si512(words))) }
    }
    #[inline(always)]
    unsafe fn widen_pairs(words: __m512) -> [__m512; 2] {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let words = _mm512_castps_si512(words);
            [
                _mm512_cvtph_ps(_mm512_castsi512_si256(words)),
                _mm512_cvtph_ps(_mm512_extracti64x4_epi64::<1>(words)),
            ]
        }
    }
    #[inline(always)]
    unsafe fn load_widened_pairs(words: *const u32) -> [__m512; 2] {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe { [widened_at(words), widened_at(words.add(8))] }
    }
    #[inline(always)]
    unsafe fn narrow_pairs(singles: [__m512; 2]) -> __m512 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let first = _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(singles[0]);
            let second = _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(singles[1]);
            let both = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(first), second);
            _mm512_castsi512_ps(both)
        }
    }
    #[inline(always)]
    unsafe fn mask_pairs(words: __m512) -> [__m512; 2] {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let words = _mm512_castps_si512(words);
            let first = _mm512_cvtepi16_epi32(_mm512_castsi512_si256(words));
            let second = _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64::<1>(words));
            [_mm512_castsi512_ps(first), _mm512_castsi512_ps(second)]
        }
    }
    #[inline(always)]
    unsafe fn apart(pairs: [__m512; 2]) -> [__m512; 2] {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let low = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
            let high = _mm512_add_epi32(low, _mm512_set1_epi32(1));
            [
                _mm512_permutex2var_ps(pairs[0], low, pairs[1]),
                _mm512_permutex2var_ps(pairs[0], high, pairs[1]),
            ]
        }
    }
    #[inline(always)]
    unsafe fn flushed(words: __m512) -> __m512 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let bits = _mm512_castps_si512(words);
            let none = _mm512_testn_epi32_mask(bits, _mm512_set1_epi32(0x7f80_0000));
            let sign = _mm512_set1_epi32(i32::MIN);
            _mm512_castsi512_ps(_mm512_mask_and_epi32(bits, none, bits, sign))
        }
    }
    #[inline(always)]
    unsafe fn dot2(a: __m512, b: __m512, c: __m512) -> __m512 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let products = _mm512_madd_epi16(_mm512_castps_si512(a), _mm512_castps_si512(b));
            _mm512_castsi512_ps(_mm512_add_epi32(products, _mm512_castps_si512(c)))
        }
    }
    #[inline(always)]
    unsafe fn dot4<const SIGNED: bool>(a: __m512, b: __m512, c: __m512) -> __m512 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let halves = |words: __m512| {
                let words = _mm512_castps_si512(words);
                let up = _mm512_slli_epi16::<8>(words);
                if SIGNED {
                    [_mm512_srai_epi16::<8>(up), _mm512_srai_epi16::<8>(words)]
                } else {
                    [_mm512_srli_epi16::<8>(up), _mm512_srli_epi16::<8>(words)]
                }
            };
            let ([a0, a1], [b0, b1]) = (halves(a), halves(b));
            let products = _mm512_add_epi32(_mm512_madd_epi16(a0, b0), _mm512_madd_epi16(a1, b1));
            _mm512_castsi512_ps(_mm512_add_epi32(products, _mm512_castps_si512(c)))
        }
    }
    #[inline(always)]
    unsafe fn rounded(words: __m512) -> __mmask16 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe { _mm512_testn_epi32_mask(_mm512_castps_si512(words), _mm512_set1_epi32(0xfff)) }
    }
    #[inline(always)]
    unsafe fn between(words: __m512) -> __mmask16 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let bits = _mm512_castps_si512(words);
            let last = _mm512_and_si512(bits, _mm512_set1_epi32(0x1fff));
            let middle = _mm512_cmpeq_epi32_mask(last, _mm512_set1_epi32(0x1000));
            let size = _mm512_and_si512(bits, _mm512_set1_epi32(0x7fff_ffff));
            // Zero less one is the largest number.
            let less = _mm512_sub_epi32(size, _mm512_set1_epi32(1));
            let small = _mm512_cmplt_epu32_mask(less, _mm512_set1_epi32(((127 - 14) << 23) - 1));
            middle | small
        }
    }
    const DIRECTED: bool = true;
    #[inline(always)]
    unsafe fn fma_to_odd(a: __m512, b: __m512, c: __m512) -> __m512 {
        const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
        const UP: i32 = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            // Neighbours, of which one is odd, or the exact sum twice; of zeros the positive one comes from rounding up.
            let below = _mm512_fmadd_round_ps::<DOWN>(a, b, c);
            let above = _mm512_fmadd_round_ps::<UP>(a, b, c);
            let odd = _mm512_test_epi32_mask(_mm512_castps_si512(below), _mm512_set1_epi32(1));
            _mm512_mask_mov_ps(above, odd, below)
        }
    }
    #[inline(always)]
    unsafe fn to_odd(sum: __m512, error: __m512) -> __m512 {
        // SAFETY: the caller keeps what [`Host`] asks.
        unsafe {
            let inexact = _mm512_cmp_ps_mask::<_CMP_NEQ_OQ>(error, _mm512_setzero_ps());
            // All ones, which is -1, where the error points towards zero.
            let too_large = _mm512_srai_epi32::<31>(_mm512_castps_si512(_mm512_xor_ps(error, sum)));
            let toward_zero = _mm512_add_epi32(_mm512_castps_si512(sum), too_large);
            let odd = _mm512_or_si512(toward_zero, _mm512_set1_epi32(1));
            _mm512_mask_blend_ps(inexact, sum, _mm512_castsi512_ps(odd))
        }
    }
}

const _: () = assert!(LANES.is_multiple_of(Zmm::STEP));

/// One word of each lane, of which [`Host::interleave`] has made two vectors, in the lower halves of these.
///
/// # Safety
/// As of [`Host`].
#[inline(always)]
unsafe fn in_order(first: __m512, second: __m512) -> __m512 {
    // SAFETY: the caller's promise.
    unsafe {
        let by_pairs = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
        let (first, second) = (_mm512_castps_pd(first), _mm512_castps_pd(second));
        _mm512_castpd_ps(_mm512_permutex2var_pd(first, by_pairs, second))
    }
}

/// The sixteen halves in eight words. `_mm512_cvtph_ps` suppresses exceptions, which the host has no form for that reads memory; none
/// is asked for.
///
/// # Safety
/// As of [`Host`]; eight words are readable.
#[inline(always)]
unsafe fn widened_at(words: *const u32) -> __m512 {
    // SAFETY: the caller's promise.
    unsafe { _mm512_cvt_roundph_ps::<_MM_FROUND_CUR_DIRECTION>(_mm256_loadu_si256(words.cast())) }
}
