//! The host's arithmetic on halves: vectors of 512 bits of which every word holds two, for hosts that have it (AVX512-FP16).

use std::arch::x86_64::*;

use crate::host::{Host, Zmm};

/// As [`Zmm`], but arithmetic and comparisons with NaN are those of two halves in each word. Doubles are none of its business.
pub enum Zph {}

macro_rules! halves {
    ($($name:ident($($x:ident),+) = $intrinsic:ident;)*) => {$(
        #[inline(always)]
        unsafe fn $name($($x: __m512),+) -> __m512 {
            // SAFETY: the caller's promises.
            unsafe { _mm512_castph_ps($intrinsic($(_mm512_castps_ph($x)),+)) }
        }
    )*};
}

macro_rules! as_zmm {
    ($($name:ident($($x:ident: $type:ty),*) -> $result:ty;)*) => {$(
        #[inline(always)]
        unsafe fn $name($($x: $type),*) -> $result {
            // SAFETY: the caller's promises.
            unsafe { Zmm::$name($($x),*) }
        }
    )*};
}

impl Host for Zph {
    const STEP: usize = Zmm::STEP;
    type Lanes = __mmask32;
    type Single = __m512;
    type Double = __m512d;

    halves! {
        add(a, b) = _mm512_add_ph;
        sub(a, b) = _mm512_sub_ph;
        mul(a, b) = _mm512_mul_ph;
        fma(a, b, c) = _mm512_fmadd_ph;
        div(a, b) = _mm512_div_ph;
        sqrt(a) = _mm512_sqrt_ph;
        min(a, b) = _mm512_min_ph;
        max(a, b) = _mm512_max_ph;
    }
    #[inline(always)]
    unsafe fn nans(a: __m512, b: __m512) -> __mmask32 {
        // SAFETY: the caller's promises.
        unsafe { _mm512_cmp_ph_mask::<_CMP_UNORD_Q>(_mm512_castps_ph(a), _mm512_castps_ph(b)) }
    }
    #[inline(always)]
    unsafe fn nans64(a: __m512d, b: __m512d) -> __mmask32 {
        // SAFETY: the caller's promises.
        unsafe { u32::from(Zmm::nans64(a, b)) }
    }
    #[inline(always)]
    unsafe fn no_lanes() -> __mmask32 {
        0
    }
    #[inline(always)]
    unsafe fn either(a: __mmask32, b: __mmask32) -> __mmask32 {
        a | b
    }
    #[inline(always)]
    unsafe fn any(lanes: __mmask32) -> bool {
        lanes != 0
    }
    #[inline(always)]
    unsafe fn rounded(words: __m512) -> __mmask32 {
        // SAFETY: the caller's promises.
        unsafe { u32::from(Zmm::rounded(words)) }
    }
    #[inline(always)]
    unsafe fn between(words: __m512) -> __mmask32 {
        // SAFETY: the caller's promises.
        unsafe { u32::from(Zmm::between(words)) }
    }
    #[inline(always)]
    unsafe fn dot4<const SIGNED: bool>(a: __m512, b: __m512, c: __m512) -> __m512 {
        // SAFETY: the caller's promises.
        unsafe { Zmm::dot4::<SIGNED>(a, b, c) }
    }

    as_zmm! {
        load(word: *const u32) -> __m512;
        store(word: *mut u32, vector: __m512) -> ();
        store_pair(word: *mut u32, low: __m256i, high: __m256i) -> ();
        splat(value: u32) -> __m512;
        splat64(value: u64) -> __m512d;
        and(a: __m512, b: __m512) -> __m512;
        or(a: __m512, b: __m512) -> __m512;
        xor(a: __m512, b: __m512) -> __m512;
        without(a: __m512, b: __m512) -> __m512;
        scale(singles: __m512, powers: __m512) -> __m512;
        scale64(doubles: __m512d, powers: __m512d) -> __m512d;
        add64(a: __m512d, b: __m512d) -> __m512d;
        sub64(a: __m512d, b: __m512d) -> __m512d;
        mul64(a: __m512d, b: __m512d) -> __m512d;
        div64(a: __m512d, b: __m512d) -> __m512d;
        fma64(a: __m512d, b: __m512d, c: __m512d) -> __m512d;
        min64(a: __m512d, b: __m512d) -> __m512d;
        max64(a: __m512d, b: __m512d) -> __m512d;
        and64(a: __m512d, b: __m512d) -> __m512d;
        or64(a: __m512d, b: __m512d) -> __m512d;
        xor64(a: __m512d, b: __m512d) -> __m512d;
        interleave(low: __m512, high: __m512) -> [__m512d; 2];
        separate(lanes: [__m512d; 2]) -> [__m512; 2];
        whole(singles: __m512) -> __m512;
        whole_unsigned(singles: __m512) -> __m512;
        doubled(singles: __m512) -> [__m512; 2];
        singled(lanes: [__m512d; 2]) -> __m512;
        truncated(lanes: [__m512d; 2]) -> __m512;
        halves_doubled(singles: __m512) -> [__m512d; 2];
        halves_singled(halves: [__m512d; 2]) -> __m512;
        raised(singles: __m512, powers: __m512) -> __m512;
        split(singles: __m512) -> [__m512; 2];
        less_half(sum: u32, words: __m512) -> __m512;
        of_normal(results: __m512, singles: __m512) -> __m512;
        truncated_unsigned(lanes: [__m512d; 2]) -> __m512;
        widen(words: __m512) -> __m512;
        narrow(singles: __m512) -> __m512;
        narrow_toward_zero(singles: __m512) -> __m512;
        widen_pairs(words: __m512) -> [__m512; 2];
        load_widened_pairs(words: *const u32) -> [__m512; 2];
        narrow_pairs(singles: [__m512; 2]) -> __m512;
        mask_pairs(words: __m512) -> [__m512; 2];
        apart(pairs: [__m512; 2]) -> [__m512; 2];
        high_halves(words: __m512) -> __m512;
        to_high_halves(words: __m512) -> __m512;
        flushed(words: __m512) -> __m512;
        dot2(a: __m512, b: __m512, c: __m512) -> __m512;
        to_odd(sum: __m512, error: __m512) -> __m512;
    }
}
