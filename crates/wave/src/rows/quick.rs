//! Short cuts of float rows for the usual mode: the host's own arithmetic on whole vectors, which is right unless a NaN is
//! involved. A NaN in an active lane sends what is left of the instruction to the row's general copy.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use super::vector_macros::{GROUP, context, other_modes};
use crate::{
    LANES,
    engine::Env,
    micro_op::MicroOp,
    mode::Context,
    ports::{F16, F32, F64, Lane, Operands, PackedF16, Type, lanes},
    shell::{Form, VectorBody, general},
    state::Wave,
};

/// Lanes of a host vector of singles, which all kinds take at a time.
#[cfg(target_arch = "x86_64")]
const STEP: usize = 8;

/// What kind of numbers a row computes with, and how [`STEP`] lanes of them lie in host vectors.
pub(super) trait Kind {
    const TYPE: Type;
    type Bits: Copy + Default;

    /// Exact results of a group of lanes, one by one.
    fn exact<F: Form, const SOURCES: usize>(
        operands: &Operands,
        group: usize,
        lane: impl Fn([Self::Bits; SOURCES]) -> Self::Bits,
    );

    #[cfg(target_arch = "x86_64")]
    type Vector: Copy;
    /// Vectors whose results fit into the host's registers: those before the first store.
    #[cfg(target_arch = "x86_64")]
    const AT_ONCE: usize;

    /// # Safety
    /// The host has AVX2, and `word` points to [`STEP`] words in a row. For two-word types there are as many `second` words
    /// further.
    #[cfg(target_arch = "x86_64")]
    unsafe fn load(word: *const u32, second: isize) -> Self::Vector;
    /// # Safety
    /// As [`Kind::load`], writable.
    #[cfg(target_arch = "x86_64")]
    unsafe fn store(word: *mut u32, vector: Self::Vector);
    /// The vector with ones where the lane's word of `mask` is ones.
    ///
    /// # Safety
    /// As [`Kind::load`].
    #[cfg(target_arch = "x86_64")]
    unsafe fn mask(mask: *const u32) -> Self::Vector;
    /// # Safety
    /// The host has AVX2.
    #[cfg(target_arch = "x86_64")]
    unsafe fn uniform(value: u64) -> Self::Vector;
    /// The vector with zeros for lanes whose bits in `mask` are not set.
    ///
    /// # Safety
    /// The host has AVX2.
    #[cfg(target_arch = "x86_64")]
    unsafe fn only(mask: Self::Vector, vector: Self::Vector) -> Self::Vector;
    /// Stores the lanes whose word of `mask` is ones.
    ///
    /// # Safety
    /// As [`Kind::store`].
    #[cfg(target_arch = "x86_64")]
    unsafe fn store_active(word: *mut u32, vector: Self::Vector, mask: *const u32);
    /// Not zero if either has a NaN.
    ///
    /// # Safety
    /// The host has AVX2.
    #[cfg(target_arch = "x86_64")]
    unsafe fn nans(a: Self::Vector, b: Self::Vector) -> __m256;
}

/// An operation on `SOURCES` vectors of `K`.
pub(super) trait Operation<K: Kind, const SOURCES: usize> {
    /// NaNs are looked for in the sources, not in the result.
    const NANS_OF_SOURCES: bool;
    /// # Safety
    /// The host has AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    unsafe fn of(sources: [K::Vector; SOURCES]) -> K::Vector;
}

/// Element `lane` of every array.
#[inline(always)]
fn column<T: Copy + Default, const SOURCES: usize>(
    sources: &[[T; GROUP]; SOURCES],
    lane: usize,
) -> [T; SOURCES] {
    let mut values = [T::default(); SOURCES];
    let mut index = 0;
    while index < SOURCES {
        values[index] = sources[index][lane];
        index += 1;
    }
    values
}

#[inline(always)]
fn exact_lanes<F: Form, L: Lane, const SOURCES: usize>(
    operands: &Operands,
    group: usize,
    lane: impl Fn([L::Value; SOURCES]) -> L::Value,
) where
    L::Value: Default,
{
    let mut sources = [[L::Value::default(); GROUP]; SOURCES];
    let mut index = 0;
    while index < SOURCES {
        sources[index] = operands.load::<F, L>(index, group);
        index += 1;
    }
    operands.store::<L>(
        group,
        lanes(
            #[inline(always)]
            |i| lane(column(&sources, i)),
        ),
    );
}

/// The host side of a [`Kind`].
macro_rules! host_vectors {
    (
        Vector = $vector:ty, $at_once:literal;
        load($load:ident, $second:ident) = $load_value:expr;
        mask($mask:ident) = $mask_value:expr;
        uniform($uniform:ident) = $uniform_value:expr;
        only($by:ident, $all:ident) = $only_value:expr;
        words($whole:ident) = $words_value:expr;
        nans($x:ident, $y:ident) = $nans_value:expr;
    ) => {
        type Vector = $vector;
        const AT_ONCE: usize = $at_once;
        #[inline(always)]
        unsafe fn load($load: *const u32, $second: isize) -> $vector {
            // SAFETY: the caller's promises, here and below.
            unsafe { $load_value }
        }
        #[inline(always)]
        unsafe fn mask($mask: *const u32) -> $vector {
            // SAFETY: as above.
            unsafe { $mask_value }
        }
        #[inline(always)]
        unsafe fn uniform($uniform: u64) -> $vector {
            // SAFETY: as above.
            unsafe { $uniform_value }
        }
        #[inline(always)]
        unsafe fn only($by: $vector, $all: $vector) -> $vector {
            // SAFETY: as above.
            unsafe { $only_value }
        }
        #[inline(always)]
        unsafe fn store(word: *mut u32, $whole: $vector) {
            // SAFETY: as above.
            unsafe {
                let words = $words_value;
                let mut index = 0;
                while index < words.len() {
                    _mm256_storeu_ps(word.add(LANES * index).cast(), words[index]);
                    index += 1;
                }
            }
        }
        #[inline(always)]
        unsafe fn store_active(word: *mut u32, $whole: $vector, mask: *const u32) {
            // SAFETY: as above.
            unsafe {
                let words = $words_value;
                let mask = _mm256_loadu_ps(mask.cast());
                let mut index = 0;
                while index < words.len() {
                    let at = word.add(LANES * index).cast::<f32>();
                    let old = _mm256_andnot_ps(mask, _mm256_loadu_ps(at));
                    _mm256_storeu_ps(at, _mm256_or_ps(_mm256_and_ps(mask, words[index]), old));
                    index += 1;
                }
            }
        }
        #[inline(always)]
        unsafe fn nans($x: $vector, $y: $vector) -> __m256 {
            // SAFETY: as above.
            unsafe { $nans_value }
        }
    };
}

/// One f32 per lane.
pub(super) enum Singles {}

impl Kind for Singles {
    const TYPE: Type = Type::F32;
    type Bits = u32;

    #[inline(always)]
    fn exact<F: Form, const SOURCES: usize>(
        operands: &Operands,
        group: usize,
        lane: impl Fn([u32; SOURCES]) -> u32,
    ) {
        exact_lanes::<F, F32, SOURCES>(operands, group, lane);
    }

    #[cfg(target_arch = "x86_64")]
    host_vectors! {
        Vector = __m256, 8;
        load(word, _second) = _mm256_loadu_ps(word.cast());
        mask(word) = _mm256_loadu_ps(word.cast());
        uniform(value) = _mm256_castsi256_ps(_mm256_set1_epi32(value as u32 as i32));
        only(mask, all) = _mm256_and_ps(mask, all);
        words(vector) = [vector];
        nans(a, b) = _mm256_cmp_ps::<_CMP_UNORD_Q>(a, b);
    }
}

/// One f64 per lane. The two words of a lane come from two rows; lanes 0, 1, 4 and 5 make the first host vector.
pub(super) enum Doubles {}

impl Kind for Doubles {
    const TYPE: Type = Type::F64;
    type Bits = u64;

    #[inline(always)]
    fn exact<F: Form, const SOURCES: usize>(
        operands: &Operands,
        group: usize,
        lane: impl Fn([u64; SOURCES]) -> u64,
    ) {
        exact_lanes::<F, F64, SOURCES>(operands, group, lane);
    }

    #[cfg(target_arch = "x86_64")]
    host_vectors! {
        Vector = [__m256d; 2], 4;
        load(word, second) = {
            let (low, high) = (_mm256_loadu_ps(word.cast()), _mm256_loadu_ps(word.offset(second).cast()));
            [_mm256_castps_pd(_mm256_unpacklo_ps(low, high)), _mm256_castps_pd(_mm256_unpackhi_ps(low, high))]
        };
        mask(word) = {
            let mask = _mm256_loadu_ps(word.cast());
            [_mm256_castps_pd(_mm256_unpacklo_ps(mask, mask)), _mm256_castps_pd(_mm256_unpackhi_ps(mask, mask))]
        };
        uniform(value) = [_mm256_castsi256_pd(_mm256_set1_epi64x(value as i64)); 2];
        only(mask, all) = [_mm256_and_pd(mask[0], all[0]), _mm256_and_pd(mask[1], all[1])];
        words(vector) = {
            let (a, b) = (_mm256_castpd_ps(vector[0]), _mm256_castpd_ps(vector[1]));
            [_mm256_shuffle_ps::<0x88>(a, b), _mm256_shuffle_ps::<0xdd>(a, b)]
        };
        nans(a, b) = _mm256_castpd_ps(_mm256_or_pd(
            _mm256_cmp_pd::<_CMP_UNORD_Q>(a[0], a[1]),
            _mm256_cmp_pd::<_CMP_UNORD_Q>(b[0], b[1]),
        ));
    }
}

/// Two f32 per lane, in two rows.
pub(super) enum Pairs {}

impl Kind for Pairs {
    const TYPE: Type = Type::PackedF32;
    type Bits = u32;

    #[inline(always)]
    fn exact<F: Form, const SOURCES: usize>(
        operands: &Operands,
        group: usize,
        lane: impl Fn([u32; SOURCES]) -> u32,
    ) {
        // Both words before the first result: pairs may overlap.
        let mut results = [[0; GROUP]; 2];
        let mut word = 0;
        while word < 2 {
            let mut sources = [[0; GROUP]; SOURCES];
            let mut index = 0;
            while index < SOURCES {
                sources[index] = operands.load_words::<F, GROUP>(index, GROUP * group, word);
                index += 1;
            }
            results[word] = lanes(
                #[inline(always)]
                |i| lane(column(&sources, i)),
            );
            word += 1;
        }
        operands.store_words(GROUP * group, 0, results[0]);
        operands.store_words(GROUP * group, 1, results[1]);
    }

    #[cfg(target_arch = "x86_64")]
    host_vectors! {
        Vector = [__m256; 2], 4;
        load(word, second) = [_mm256_loadu_ps(word.cast()), _mm256_loadu_ps(word.offset(second).cast())];
        mask(word) = [_mm256_loadu_ps(word.cast()); 2];
        uniform(value) = [
            _mm256_castsi256_ps(_mm256_set1_epi32(value as u32 as i32)),
            _mm256_castsi256_ps(_mm256_set1_epi32((value >> 32) as i32)),
        ];
        only(mask, all) = [_mm256_and_ps(mask[0], all[0]), _mm256_and_ps(mask[1], all[1])];
        words(vector) = vector;
        nans(a, b) = _mm256_or_ps(
            _mm256_cmp_ps::<_CMP_UNORD_Q>(a[0], a[1]),
            _mm256_cmp_ps::<_CMP_UNORD_Q>(b[0], b[1]),
        );
    }
}

/// 16-bit values in 32-bit lanes as single floats.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn widen(halves: __m256i) -> __m256 {
    // SAFETY: the callers' promise: the host has AVX2 and F16C.
    unsafe {
        let packed = _mm256_packus_epi32(halves, halves);
        let packed = _mm256_permute4x64_epi64::<0b1000>(packed);
        _mm256_cvtph_ps(_mm256_castsi256_si128(packed))
    }
}

/// The reverse, to nearest even.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn narrow(singles: __m256) -> __m256i {
    // SAFETY: as above.
    unsafe { _mm256_cvtepu16_epi32(_mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(singles)) }
}

/// One f16 per lane, in host vectors of singles: a single holds every sum and product of two halves well enough that
/// rounding it once more gives the right half.
pub(super) enum Halves {}

impl Kind for Halves {
    const TYPE: Type = Type::F16;
    type Bits = u16;

    #[inline(always)]
    fn exact<F: Form, const SOURCES: usize>(
        operands: &Operands,
        group: usize,
        lane: impl Fn([u16; SOURCES]) -> u16,
    ) {
        exact_lanes::<F, F16, SOURCES>(operands, group, lane);
    }

    #[cfg(target_arch = "x86_64")]
    host_vectors! {
        Vector = __m256, 8;
        load(word, _second) = {
            let low = _mm256_set1_epi32(0xffff);
            widen(_mm256_and_si256(_mm256_loadu_si256(word.cast()), low))
        };
        mask(word) = _mm256_loadu_ps(word.cast());
        uniform(value) = widen(_mm256_set1_epi32((value & 0xffff) as i32));
        only(mask, all) = _mm256_and_ps(mask, all);
        words(vector) = [_mm256_castsi256_ps(narrow(vector))];
        nans(a, b) = _mm256_cmp_ps::<_CMP_UNORD_Q>(a, b);
    }
}

/// Two f16 per lane.
pub(super) enum HalfPairs {}

impl Kind for HalfPairs {
    const TYPE: Type = Type::PackedF16;
    type Bits = u32;

    #[inline(always)]
    fn exact<F: Form, const SOURCES: usize>(
        operands: &Operands,
        group: usize,
        lane: impl Fn([u32; SOURCES]) -> u32,
    ) {
        exact_lanes::<F, PackedF16, SOURCES>(operands, group, lane);
    }

    #[cfg(target_arch = "x86_64")]
    host_vectors! {
        Vector = [__m256; 2], 4;
        load(word, _second) = {
            let words = _mm256_loadu_si256(word.cast());
            let low = _mm256_and_si256(words, _mm256_set1_epi32(0xffff));
            [widen(low), widen(_mm256_srli_epi32::<16>(words))]
        };
        mask(word) = [_mm256_loadu_ps(word.cast()); 2];
        uniform(value) = {
            let half = |half: u64| widen(_mm256_set1_epi32((half & 0xffff) as i32));
            [half(value), half(value >> 16)]
        };
        only(mask, all) = [_mm256_and_ps(mask[0], all[0]), _mm256_and_ps(mask[1], all[1])];
        words(vector) = {
            let (low, high) = (narrow(vector[0]), narrow(vector[1]));
            [_mm256_castsi256_ps(_mm256_or_si256(low, _mm256_slli_epi32::<16>(high)))]
        };
        nans(a, b) = _mm256_or_ps(
            _mm256_cmp_ps::<_CMP_UNORD_Q>(a[0], a[1]),
            _mm256_cmp_ps::<_CMP_UNORD_Q>(b[0], b[1]),
        );
    }
}

/// `a * b + c` of widened halves as a single whose last bit is set if anything was lost ("round to odd"): rounding that once
/// more gives the right half. The product is exact.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn odd_fma(a: __m256, b: __m256, c: __m256) -> __m256 {
    // SAFETY: the callers' promise: the host has AVX2.
    unsafe {
        let product = _mm256_mul_ps(a, b);
        let sum = _mm256_add_ps(product, c);
        // Knuth's exact error of a rounded sum; NaN, which counts as none, if the sum is infinite.
        let part = _mm256_sub_ps(sum, product);
        let error = _mm256_add_ps(
            _mm256_sub_ps(product, _mm256_sub_ps(sum, part)),
            _mm256_sub_ps(c, part),
        );
        let inexact = _mm256_cmp_ps::<_CMP_NEQ_OQ>(error, _mm256_setzero_ps());
        // All ones, which is -1, where the error points towards zero.
        let too_large = _mm256_srai_epi32::<31>(_mm256_castps_si256(_mm256_xor_ps(error, sum)));
        let toward_zero = _mm256_add_epi32(_mm256_castps_si256(sum), too_large);
        let odd = _mm256_or_si256(toward_zero, _mm256_set1_epi32(1));
        _mm256_blendv_ps(sum, _mm256_castsi256_ps(odd), inexact)
    }
}

macro_rules! operations {
    ($($name:ident, $count:literal, $nans_of_sources:literal, [$($x:ident),+]: $single:expr, $double:expr, $half:expr;)*) => {$(
        #[allow(non_camel_case_types)]
        pub(super) enum $name {}
        impl Operation<Singles, $count> for $name {
            const NANS_OF_SOURCES: bool = $nans_of_sources;
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn of([$($x),+]: [__m256; $count]) -> __m256 {
                // SAFETY: the caller's promise about the host.
                unsafe { $single }
            }
        }
        impl Operation<Pairs, $count> for $name {
            const NANS_OF_SOURCES: bool = $nans_of_sources;
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn of([$($x),+]: [[__m256; 2]; $count]) -> [__m256; 2] {
                // SAFETY: the caller's promise about the host.
                unsafe {
                    [
                        <$name as Operation<Singles, $count>>::of([$($x[0]),+]),
                        <$name as Operation<Singles, $count>>::of([$($x[1]),+]),
                    ]
                }
            }
        }
        impl Operation<Halves, $count> for $name {
            const NANS_OF_SOURCES: bool = $nans_of_sources;
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn of([$($x),+]: [__m256; $count]) -> __m256 {
                // SAFETY: the caller's promise about the host.
                unsafe { $half }
            }
        }
        impl Operation<HalfPairs, $count> for $name {
            const NANS_OF_SOURCES: bool = $nans_of_sources;
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn of([$($x),+]: [[__m256; 2]; $count]) -> [__m256; 2] {
                // SAFETY: the caller's promise about the host.
                unsafe {
                    [
                        <$name as Operation<Halves, $count>>::of([$($x[0]),+]),
                        <$name as Operation<Halves, $count>>::of([$($x[1]),+]),
                    ]
                }
            }
        }
        impl Operation<Doubles, $count> for $name {
            const NANS_OF_SOURCES: bool = $nans_of_sources;
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn of([$($x),+]: [[__m256d; 2]; $count]) -> [__m256d; 2] {
                #[inline(always)]
                unsafe fn half([$($x),+]: [__m256d; $count]) -> __m256d {
                    // SAFETY: the caller's promise about the host.
                    unsafe { $double }
                }
                // SAFETY: as above.
                unsafe { [half([$($x[0]),+]), half([$($x[1]),+])] }
            }
        }
    )*};
}

// Of two equal numbers, which differ only if they are zeros, min and max take the one with or without the sign.
#[rustfmt::skip]
operations! {
add,    2, false, [a, b]:    _mm256_add_ps(a, b),      _mm256_add_pd(a, b), _mm256_add_ps(a, b);
    sub,    2, false, [a, b]:    _mm256_sub_ps(a, b),      _mm256_sub_pd(a, b), _mm256_sub_ps(a, b);
    subrev, 2, false, [a, b]:    _mm256_sub_ps(b, a),      _mm256_sub_pd(b, a), _mm256_sub_ps(b, a);
    mul,    2, false, [a, b]:    _mm256_mul_ps(a, b),      _mm256_mul_pd(a, b), _mm256_mul_ps(a, b);
    fma,    3, false, [a, b, c]: _mm256_fmadd_ps(a, b, c), _mm256_fmadd_pd(a, b, c), odd_fma(a, b, c);
    min,    2, true,  [a, b]:    _mm256_or_ps(_mm256_min_ps(a, b), _mm256_min_ps(b, a)),  _mm256_or_pd(_mm256_min_pd(a, b), _mm256_min_pd(b, a)), <min as Operation<Singles, 2>>::of([a, b]);
    max,    2, true,  [a, b]:    _mm256_and_ps(_mm256_max_ps(a, b), _mm256_max_ps(b, a)), _mm256_and_pd(_mm256_max_pd(a, b), _mm256_max_pd(b, a)), <max as Operation<Singles, 2>>::of([a, b]);
}

/// A float row: `O` where it is right, else `lane`.
#[inline(always)]
pub(super) fn run<V, F, K, O, const SOURCES: usize>(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    lane: impl Fn(Context, [K::Bits; SOURCES]) -> K::Bits,
) -> u32
where
    V: VectorBody,
    F: Form,
    K: Kind,
    O: Operation<K, SOURCES>,
{
    #[cfg(target_arch = "x86_64")]
    if F::USUAL && F::AVX2 {
        if !(wave.wide && wave.mode.plain) {
            // SAFETY: forms with AVX2 exist only where the host has it.
            return unsafe { not_wide::<V, F, K, O, SOURCES>(wave, op, env) };
        }
        // This is what most instructions of most programs do: nothing but this is in line, so that no register of the
        // host has to be saved.
        let operands = wave.wide_operands::<F, SOURCES>(op, [K::TYPE; 3]);
        let mut first = 0;
        while first < LANES / STEP {
            // SAFETY: as above; `operands` are rows.
            let simple = unsafe {
                let (target, mask) = (operands.target(), std::ptr::null());
                if K::AT_ONCE == 8 {
                    part::<F, K, O, SOURCES, false, 8>(&operands, target, mask, first)
                } else {
                    part::<F, K, O, SOURCES, false, 4>(&operands, target, mask, first)
                }
            };
            if !simple {
                let done = first * STEP / GROUP;
                return go_on::<V, F>(wave, op, env, K::TYPE.words(), done);
            }
            first += K::AT_ONCE;
        }
        return u32::from(op.after);
    }
    other_modes!(wave, op, env, V, F);
    let operands = wave.operands::<F, SOURCES>(op, [K::TYPE; 3]);
    let context = context::<F>(wave, op);
    for group in std::mem::take(&mut wave.groups_done)..wave.groups {
        K::exact::<F, SOURCES>(
            &operands,
            group,
            #[inline(always)]
            |sources| lane(context, sources),
        );
    }
    wave.deliver::<F>(op, K::TYPE.words())
}

/// The short cut for waves of 32 lanes, and with lanes off.
///
/// # Safety
/// The host has what forms with AVX2 stand for.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
unsafe fn not_wide<V, F, K, O, const SOURCES: usize>(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
) -> u32
where
    V: VectorBody,
    F: Form,
    K: Kind,
    O: Operation<K, SOURCES>,
{
    other_modes!(wave, op, env, V, F);
    let operands = wave.operands::<F, SOURCES>(op, [K::TYPE; 3]);
    // SAFETY: the caller's promise; `operands` are rows.
    let done = unsafe {
        if wave.all_lanes {
            vectors::<F, K, O, SOURCES, false>(wave, op, &operands)
        } else {
            vectors::<F, K, O, SOURCES, true>(wave, op, &operands)
        }
    };
    if done != wave.groups {
        return go_on::<V, F>(wave, op, env, K::TYPE.words(), done);
    }
    u32::from(op.after)
}

/// Leaves all groups of lanes but the first `done`, whose results are in place, to the general copy.
#[cfg(target_arch = "x86_64")]
#[cold]
#[inline(never)]
fn go_on<V: VectorBody, F: Form>(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    words: usize,
    done: usize,
) -> u32 {
    if !wave.all_lanes {
        // The general copy delivers staged results of all groups.
        for word in 0..words {
            let (staged, dst) = (wave.partial_row() + word, op.dst as usize + word);
            *wave.row_mut(staged) = *wave.row(dst);
        }
    }
    wave.groups_done = done;
    general::<V, F>(wave, op, env)
}

/// The short cut; returns the groups of lanes that are done.
///
/// # Safety
/// The host has AVX2 and FMA, and `operands` belong to `op`, whose registers `wave` has.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn vectors<F, K, O, const SOURCES: usize, const MASKED: bool>(
    wave: &mut Wave,
    op: &MicroOp,
    operands: &Operands,
) -> usize
where
    F: Form,
    K: Kind,
    O: Operation<K, SOURCES>,
{
    let dst = wave.row_mut(op.dst as usize).0.as_mut_ptr();
    let mask = wave.exec_lanes.0.as_ptr();
    let total = wave.groups * GROUP / STEP;
    let mut first = 0;
    // SAFETY: the caller's promises; vectors lie inside of rows.
    unsafe {
        while first < total {
            if !part::<F, K, O, SOURCES, MASKED, 4>(operands, dst, mask, first) {
                break;
            }
            first += 4;
        }
    }
    first * STEP / GROUP
}

/// `COUNT` vectors from vector `first` on: stores nothing and returns false if a NaN is involved.
///
/// # Safety
/// As [`vectors`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn part<F, K, O, const SOURCES: usize, const MASKED: bool, const COUNT: usize>(
    operands: &Operands,
    dst: *mut u32,
    mask: *const u32,
    first: usize,
) -> bool
where
    F: Form,
    K: Kind,
    O: Operation<K, SOURCES>,
{
    // SAFETY: the caller's promises.
    unsafe {
        let zero = K::uniform(0);
        let mut results = [zero; COUNT];
        let mut nans = _mm256_setzero_ps();
        let mut previous = zero;
        let mut index = 0;
        while index < COUNT {
            let at = STEP * (first + index);
            let mut sources = [zero; SOURCES];
            let mut source = 0;
            while source < SOURCES {
                sources[source] = if F::UNIFORM >> source & 1 != 0 {
                    K::uniform(operands.uniform(source))
                } else {
                    K::load(operands.row(source).add(at), operands.second(source))
                };
                source += 1;
            }
            results[index] = O::of(sources);
            let active = |vector: K::Vector| {
                if MASKED {
                    K::only(K::mask(mask.add(at)), vector)
                } else {
                    vector
                }
            };
            if O::NANS_OF_SOURCES {
                let pair = K::nans(active(sources[0]), active(sources[SOURCES - 1]));
                nans = _mm256_or_ps(nans, pair);
            } else if index % 2 == 0 {
                previous = active(results[index]);
            } else {
                nans = _mm256_or_ps(nans, K::nans(previous, active(results[index])));
            }
            index += 1;
        }
        if _mm256_movemask_ps(nans) != 0 {
            return false;
        }
        let mut index = 0;
        while index < COUNT {
            let at = STEP * (first + index);
            if MASKED {
                K::store_active(dst.add(at), results[index], mask.add(at));
            } else {
                K::store(dst.add(at), results[index]);
            }
            index += 1;
        }
    }
    true
}

/// A row whose result is simple for ordinary values: `simple` gives it for one lane, and whether it is right. One active lane
/// for which it is not sends what is left of the instruction to the row's general copy. With `MASK` the row's mask result is
/// zero in the simple case.
#[inline(always)]
pub(super) fn guarded<V, F, L, const MASK: bool>(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    simple: impl Fn(L::Value, L::Value, L::Value) -> (L::Value, bool),
) -> u32
where
    V: VectorBody,
    F: Form,
    L: Lane,
{
    other_modes!(wave, op, env, V, F);
    let operands = wave.operands::<F, 3>(op, [L::TYPE; 3]);
    for group in 0..wave.groups {
        let a = operands.load::<F, L>(0, group);
        let b = operands.load::<F, L>(1, group);
        let c = operands.load::<F, L>(2, group);
        let results: [(L::Value, bool); GROUP] = lanes(
            #[inline(always)]
            |i| simple(a[i], b[i], c[i]),
        );
        let mut wrong = 0;
        let mut lane = 0;
        while lane < GROUP {
            let active = wave.exec_lanes.0[GROUP * group + lane];
            wrong |= u32::from(!results[lane].1) & active;
            lane += 1;
        }
        if wrong != 0 {
            wave.groups_done = group;
            return general::<V, F>(wave, op, env);
        }
        operands.store::<L>(
            group,
            lanes(
                #[inline(always)]
                |i| results[i].0,
            ),
        );
    }
    let after = wave.deliver::<F>(op, L::TYPE.words());
    if MASK {
        wave.set_mask(op.mask_dst as usize, 0);
    }
    after
}
