//! Rows as functions on host vectors, of which host code for runs of instructions is made: see [`crate::translate`].

use crate::{
    mode::Context,
    ports::{Lane, lanes},
};

#[cfg(target_arch = "x86_64")]
use super::simd::{Operation, Singles};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m512i, _mm512_castps_si512, _mm512_castsi512_ps, _mm512_setzero_si512};
#[cfg(target_arch = "x86_64")]
use vectors::host::Zmm;

/// Sixteen lanes of each source, by their bits, to sixteen lanes of the result. A row with fewer sources leaves the last ones alone.
#[cfg(target_arch = "x86_64")]
#[allow(improper_ctypes_definitions)] // No other language calls it.
pub(crate) type Code = unsafe extern "C" fn(__m512i, __m512i, __m512i) -> __m512i;
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type Code = std::convert::Infallible;

/// A row in the usual mode, without modifiers. For a row on pairs of singles it computes one of both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function {
    pub code: Code,
    /// The lane's bit of the mask that the row reads comes behind its other sources, as ones or zeros.
    pub takes_mask: bool,
    /// The bits of the mask that it writes beside its result, as ones and zeros.
    pub carry: Option<Code>,
    /// The second word of a result of two. Both functions take all words of all sources, one after the other.
    pub high: Option<Code>,
    pub nans: Nans,
}

impl Function {
    /// A function that is always right, of a row without masks.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn exact(code: Code) -> Function {
        Function {
            code,
            takes_mask: false,
            carry: None,
            high: None,
            nans: Nans::Exact,
        }
    }
}

/// How a row is right in host arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nans {
    /// Always.
    Exact,
    /// Unless the result is a NaN, which it is if one of its sources is.
    InResult,
    /// Unless a source is a NaN.
    InSources,
}

impl Function {
    /// An operation on singles.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn singles<O: Operation<Singles, SOURCES>, const SOURCES: usize>() -> Function {
        Function {
            nans: match (O::NO_NANS, O::NANS_OF_SOURCES) {
                (true, _) => Nans::Exact,
                (false, true) => Nans::InSources,
                (false, false) => Nans::InResult,
            },
            ..Function::exact(singles::<O, SOURCES>)
        }
    }
}

#[cfg(target_arch = "x86_64")]
vectors::compiled_for! { Avx512:
    // The host's ABI for vectors is what is asked for, and no other language calls it.
    #[allow(improper_ctypes_definitions)]
    #[inline]
    unsafe extern "C" fn singles<O: Operation<Singles, SOURCES>, const SOURCES: usize>(
        a: __m512i,
        b: __m512i,
        c: __m512i,
    ) -> __m512i {
        let all = [a, b, c];
        let mut sources = [_mm512_castsi512_ps(_mm512_setzero_si512()); SOURCES];
        let mut index = 0;
        while index < SOURCES {
            sources[index] = _mm512_castsi512_ps(all[index]);
            index += 1;
        }
        // SAFETY: the function is called, and its code used, only on hosts with AVX-512.
        _mm512_castps_si512(unsafe { O::apply::<Zmm>(sources) })
    }
}

/// Sixteen lanes of `lane`, of a row with one source.
///
/// # Safety
/// The types have one word.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn map1<A: Lane, R: Lane>(
    [a, _, _]: [__m512i; 3],
    lane: impl Fn(Context, A::Value) -> R::Value,
) -> __m512i {
    // SAFETY: the caller's promise; vectors have sixteen words.
    unsafe {
        let a = A::load((&raw const a).cast());
        stored::<R>(lanes(
            #[inline(always)]
            |i| lane(Context::PLAIN, a[i]),
        ))
    }
}

/// The same of a row with two sources.
///
/// # Safety
/// The types have one word.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn map2<A: Lane, B: Lane, R: Lane>(
    [a, b, _]: [__m512i; 3],
    lane: impl Fn(Context, A::Value, B::Value) -> R::Value,
) -> __m512i {
    // SAFETY: the caller's promise; vectors have sixteen words.
    unsafe {
        let (a, b) = (
            A::load((&raw const a).cast()),
            B::load((&raw const b).cast()),
        );
        stored::<R>(lanes(
            #[inline(always)]
            |i| lane(Context::PLAIN, a[i], b[i]),
        ))
    }
}

/// The same of a row with three sources.
///
/// # Safety
/// The types have one word.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn map3<A: Lane, B: Lane, C: Lane, R: Lane>(
    [a, b, c]: [__m512i; 3],
    lane: impl Fn(Context, A::Value, B::Value, C::Value) -> R::Value,
) -> __m512i {
    // SAFETY: the caller's promise; vectors have sixteen words.
    unsafe {
        let (a, b) = (
            A::load((&raw const a).cast()),
            B::load((&raw const b).cast()),
        );
        let c = C::load((&raw const c).cast());
        stored::<R>(lanes(
            #[inline(always)]
            |i| lane(Context::PLAIN, a[i], b[i], c[i]),
        ))
    }
}

/// # Safety
/// The type has one word.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn stored<R: Lane>(values: [R::Value; 16]) -> __m512i {
    let mut words = std::mem::MaybeUninit::<__m512i>::uninit();
    // SAFETY: the caller's promise; a vector has sixteen words, and all of them are written.
    unsafe {
        R::store(words.as_mut_ptr().cast(), values);
        words.assume_init()
    }
}

/// A lane's word of a mask.
#[inline(always)]
pub(super) fn mask_word(bit: bool) -> u32 {
    if bit { !0 } else { 0 }
}
