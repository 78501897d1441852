//! The execution of a chain: all of its links with the results in host registers, or one instruction after the other.

use std::marker::PhantomData;

#[cfg(target_arch = "x86_64")]
use crate::micro_op::flow;
use crate::{
    engine::{Env, one_by_one},
    micro_op::MicroOp,
    shell::{self, VectorBody},
    state::Wave,
};
use vectors::chain::Number;
#[cfg(target_arch = "x86_64")]
use vectors::{
    GROUP, LANES, chain,
    host::{Host, Ymm, Zmm},
};

pub(super) struct Chained<N>(PhantomData<N>);

impl<N: Number> VectorBody for Chained<N> {
    const SOURCES: usize = 0;
    const MODE: bool = false;
    const HOT: bool = false;
    const AVX512_ALONE: bool = true;
    #[inline(always)]
    fn run<F: shell::Form>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        // Both ways end in calls, so that neither waits for host registers that the other one needs.
        #[cfg(target_arch = "x86_64")]
        if F::AVX2 && wave.wide_and_plain != 0 {
            // SAFETY: forms with AVX2 or AVX-512 exist only where the host has it.
            return unsafe {
                if F::AVX512 {
                    wide512::<N>(wave, op, env)
                } else {
                    wide256::<N>(wave, op, env)
                }
            };
        }
        one_by_one(wave, op, env)
    }
}

/// A chain for all lanes of a wave, with one width of the host's vectors.
#[cfg(target_arch = "x86_64")]
macro_rules! wide {
    ($name:ident, $level:ident, $host:ident, $singles:literal, $doubles:literal) => {
        vectors::compiled_for! { $level:
            /// # Safety
            /// The host has these features.
            #[inline(never)]
            unsafe fn $name<N: Number>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
                // SAFETY: arithmetic does not take a wave to another segment.
                let chains = unsafe { &wave.lent_segment().chains };
                let links = &chains[op.chain().number as usize].links;
                let rows = wave.rows.as_mut_ptr().cast::<u32>();
                let wave64 = wave.wide_and_plain == LANES / GROUP;
                let scalar = |slot| wave.scalar_source(slot, N::WORDS);
                // SAFETY: the caller's promise. The chain's rows were checked when the code of the wave was decoded, and
                // `Wave::enter` sees to it that the wave has as many.
                let done = unsafe {
                    match (N::WORDS, wave64) {
                        (1, true) => chain::run::<$host, N, $singles, { LANES / $singles / $host::STEP }>(rows, links, scalar),
                        (1, false) => chain::run::<$host, N, { $singles / 2 }, { LANES / $singles / $host::STEP }>(rows, links, scalar),
                        (_, true) => chain::run::<$host, N, $doubles, { LANES / $doubles / $host::STEP }>(rows, links, scalar),
                        (_, false) => chain::run::<$host, N, { $doubles / 2 }, { LANES / $doubles / $host::STEP }>(rows, links, scalar),
                    }
                };
                if done {
                    return flow::NEXT;
                }
                one_by_one(wave, op, env)
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
wide!(wide256, Avx2, Ymm, 8, 4);
#[cfg(target_arch = "x86_64")]
wide!(wide512, Avx512, Zmm, 4, 4);
