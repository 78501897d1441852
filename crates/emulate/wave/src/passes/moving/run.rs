//! The execution of instructions whose first source DPP moves.

use std::arch::x86_64::*;

use super::Moving;
use crate::{
    engine::{Env, one_by_one},
    micro_op::{MicroOp, flow},
    passes::moved::Words,
    rows::{Function, Nans},
    shell::VectorBody,
    state::{LANES, Wave},
};

/// Executes the micro-op of a [`Moving`] of a row with body `B`, for waves with `COUNT` groups of lanes.
///
/// # Safety
/// The host has AVX-512. `op` is an instruction of the row in the code of the wave, which was decoded for as many groups.
#[inline(always)]
pub(crate) unsafe fn run<B: VectorBody, const COUNT: usize>(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
) -> u32 {
    // SAFETY: the caller's promises; arithmetic does not take a wave to another segment.
    let done = unsafe {
        let moving = &wave.lent_segment().moving[op.moving().number as usize];
        match (wave.all_lanes, !B::MODE || wave.mode.plain) {
            (true, true) => at_once::<B, COUNT, true>(wave, op, moving),
            (false, true) => some_lanes::<B, COUNT>(wave, op, moving),
            (_, false) => false,
        }
    };
    match done {
        true => flow::NEXT,
        false => one_by_one(wave, op, env),
    }
}

vectors::compiled_for! { Avx512:
    /// Sixteen words of a row.
    ///
    /// # Safety
    /// They can be read, and a line of the host's cache holds them.
    #[inline]
    unsafe fn load(words: *const u32) -> __m512i {
        // SAFETY: the caller's promise.
        unsafe { _mm512_load_si512(words.cast()) }
    }
}

vectors::compiled_for! { Avx512:
    /// [`at_once`] for waves with lanes off. It is not in line, so that the other case need not save registers of the host.
    ///
    /// # Safety
    /// The host has AVX-512. `moving` is what `op` stands for, an instruction of the row in the code of the wave, decoded for as many groups.
    #[inline(never)]
    unsafe fn some_lanes<B: VectorBody, const COUNT: usize>(
        wave: &mut Wave,
        op: &MicroOp,
        moving: &Moving,
    ) -> bool {
        // SAFETY: the caller's promises.
        unsafe { at_once::<B, COUNT, false>(wave, op, moving) }
    }
}

vectors::compiled_for! { Avx512:
    /// The instruction at once; `FULL`: all lanes are on. Returns false and stores nothing if a NaN may be involved.
    ///
    /// Lanes that are off and not written compute with zeros: compilers leave integers there, which are denormals as floats and slow hosts down.
    ///
    /// # Safety
    /// The host has AVX-512. `moving` is what `op` stands for, an instruction of the row in the code of the wave, decoded for as many groups.
    #[inline]
    unsafe fn at_once<B: VectorBody, const COUNT: usize, const FULL: bool>(
        wave: &mut Wave,
        op: &MicroOp,
        moving: &Moving,
    ) -> bool {
        let Some(function) = B::function() else {
            return false;
        };
        let (rows, reach) = (wave.rows.as_mut_ptr(), &moving.reach);
        let zero = _mm512_setzero_si512();
        let (mut all, mut written) = ([[zero; COUNT]; 3], [zero; COUNT]);
        let mut group = 0;
        while group < COUNT {
            // SAFETY: decoding has checked the rows of all ops, and `Wave::enter` that the wave has them. These and other rows have `COUNT`
            // groups of words; groups are those of a row.
            unsafe {
                let at = 16 * group;
                let source = |index: usize| rows.add(op.src[index].index as usize).cast::<u32>();
                let places = load(reach.places.0.as_ptr().add(at));
                let from = 16 * reach.groups[group];
                all[0][group] = _mm512_permutex2var_epi32(zero, places, load(source(0).add(from)));
                if !FULL {
                    let active = load(wave.exec_lanes.0.as_ptr().add(from));
                    let active = if reach.all { _mm512_set1_epi32(-1) } else { active };
                    let readable = _mm512_permutex2var_epi32(zero, places, active);
                    let enabled = load(moving.enabled.0.as_ptr().add(at));
                    let active = load(wave.exec_lanes.0.as_ptr().add(at));
                    written[group] = _mm512_and_si512(enabled, active);
                    if !reach.bound {
                        written[group] = _mm512_and_si512(written[group], readable);
                    }
                    let lanes = _mm512_and_si512(written[group], readable);
                    all[0][group] = _mm512_and_si512(all[0][group], lanes);
                }
                let mut index = 1;
                while index < B::SOURCES {
                    let words = load(source(index).add(at));
                    let lanes = if FULL { _mm512_set1_epi32(-1) } else { written[group] };
                    all[index][group] = _mm512_and_si512(words, lanes);
                    index += 1;
                }
                if function.takes_mask {
                    let mask = wave.mask(op.moving().mask_src as usize);
                    all[B::SOURCES][group] = _mm512_movm_epi32((mask >> at) as u16);
                }
            }
            group += 1;
        }
        // SAFETY: the caller's promises; a row's code is for hosts with AVX-512.
        let Some(results) = (unsafe { computed(&function, &all) }) else {
            return false;
        };
        let (mut carries, mut group) = (0, 0);
        while group < COUNT {
            let [a, b, c] = [all[0][group], all[1][group], all[2][group]];
            let lanes = match FULL {
                true => (moving.written >> (16 * group)) as u16,
                false => _mm512_movepi32_mask(written[group]),
            };
            // SAFETY: decoding has checked the result's row, which has `COUNT` groups of words. The row's code is for hosts with AVX-512.
            unsafe {
                if let Some(carry) = function.carry {
                    let bits = _mm512_movepi32_mask(carry(a, b, c)) & lanes;
                    carries |= u64::from(bits) << (16 * group);
                }
                let target = rows.add(op.dst as usize).cast::<__m512i>().add(group);
                let is_whole = FULL && moving.writes_all;
                store(target, results[group], (!is_whole).then_some(lanes));
            }
            group += 1;
        }
        if function.carry.is_some() {
            wave.set_mask(op.moving().mask_dst as usize, carries);
        }
        true
    }
}

vectors::compiled_for! { Avx512:
    /// Writes all words, or some.
    ///
    /// # Safety
    /// `target` is a line of a row.
    #[inline]
    unsafe fn store(target: *mut __m512i, words: __m512i, some: Option<u16>) {
        // SAFETY: the caller's promise.
        unsafe {
            let all = match some {
                // The compiler would merge a usual load into a store of some words, for which the next load waits long.
                Some(lanes) => _mm512_mask_mov_epi32(std::ptr::read_volatile(target), lanes, words),
                None => words,
            };
            _mm512_store_si512(target, all);
        }
    }
}

vectors::compiled_for! { Avx512:
    /// The results of all lanes; `None` if a NaN may be involved.
    ///
    /// # Safety
    /// The host has AVX-512.
    #[inline]
    unsafe fn computed<const COUNT: usize>(
        function: &Function,
        all: &[Words<COUNT>; 3],
    ) -> Option<Words<COUNT>> {
        let mut results = [_mm512_setzero_si512(); COUNT];
        let mut group = 0;
        while group < COUNT {
            let [a, b, c] = [all[0][group], all[1][group], all[2][group]];
            // SAFETY: the caller's promise.
            results[group] = unsafe { (function.code)(a, b, c) };
            group += 1;
        }
        let wrong = match function.nans {
            Nans::Exact => false,
            Nans::InResult => has_nan(&results),
            Nans::InSources => has_nan(&all[0]) || has_nan(&all[1]) || has_nan(&all[2]),
        };
        (!wrong).then_some(results)
    }
}

vectors::compiled_for! { Avx512:
    /// Returns `true` if one of the words, as a single, is a NaN.
    #[inline]
    fn has_nan<const COUNT: usize>(words: &Words<COUNT>) -> bool {
        const { assert!(COUNT.is_multiple_of(2) && COUNT <= LANES / 16) };
        let mut nans = 0;
        let mut group = 0;
        while group < COUNT {
            let first = _mm512_castsi512_ps(words[group]);
            let second = _mm512_castsi512_ps(words[group + 1]);
            nans |= _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(first, second);
            group += 2;
        }
        nans != 0
    }
}
