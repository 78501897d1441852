//! The execution of a chain: all of its links with the results in host registers, or one instruction after the other.

use std::{marker::PhantomData, sync::Arc};

use super::Chain;
#[cfg(target_arch = "x86_64")]
use super::{Form, Link, Port};
use crate::{
    engine::Env,
    micro_op::{MicroOp, flow},
    rows::simd::{Doubles, Kind, Operation, Singles, fma},
    shell::{self, VectorBody},
    state::Wave,
};
#[cfg(target_arch = "x86_64")]
use vectors::{
    GROUP, LANES,
    host::{Host, Ymm, Zmm},
};

/// A kind that chains compute with.
trait Number: Kind {
    /// # Safety
    /// As of [`Host`].
    #[cfg(target_arch = "x86_64")]
    unsafe fn xor<H: Host>(a: Self::Vector<H>, b: Self::Vector<H>) -> Self::Vector<H>;
    /// # Safety
    /// As of [`Host`].
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn negate<H: Host, const COUNT: usize>(vectors: &mut [Self::Vector<H>; COUNT]) {
        let mut index = 0;
        while index < COUNT {
            // SAFETY: the caller's promise.
            unsafe {
                vectors[index] = Self::xor::<H>(vectors[index], Self::uniform::<H>(Self::SIGN))
            };
            index += 1;
        }
    }
}

impl Number for Singles {
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn xor<H: Host>(a: H::Single, b: H::Single) -> H::Single {
        // SAFETY: the caller's promise.
        unsafe { H::xor(a, b) }
    }
}

impl Number for Doubles {
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn xor<H: Host>(a: [H::Double; 2], b: [H::Double; 2]) -> [H::Double; 2] {
        // SAFETY: the caller's promise.
        unsafe { [H::xor64(a[0], b[0]), H::xor64(a[1], b[1])] }
    }
}

pub(super) struct Chained<K>(PhantomData<K>);

impl<K: Number> VectorBody for Chained<K>
where
    fma: Operation<K, 3>,
{
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
                    wide512::<K>(wave, op, env)
                } else {
                    wide256::<K>(wave, op, env)
                }
            };
        }
        one_by_one(wave, op, env)
    }
}

/// The chain that `op` stands for. It lies in the wave's segment, of which a clone would make all threads write one count.
///
/// # Safety
/// The wave does not leave its segment as long as the result is used.
#[inline(always)]
unsafe fn chain<'a>(wave: &Wave, op: &MicroOp) -> &'a Chain {
    let segment = Arc::as_ptr(&wave.segment);
    // SAFETY: the wave keeps its segment alive until it leaves it.
    let segment = unsafe { &*segment };
    &segment.chains[op.chain().number as usize]
}

#[inline(never)]
fn one_by_one(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
    // SAFETY: arithmetic does not take a wave to another segment.
    let chain = unsafe { chain(wave, op) };
    for op in &chain.ops {
        // Arithmetic neither stops nor writes EXEC.
        // SAFETY: of the wave's own segment.
        unsafe { shell::call(op, wave, env) };
    }
    flow::NEXT
}

/// A chain for all lanes of a wave, with one width of the host's vectors.
#[cfg(target_arch = "x86_64")]
macro_rules! wide {
    ($name:ident, $level:ident, $host:ident, $singles:literal, $doubles:literal) => {
        vectors::compiled_for! { $level:
            /// # Safety
            /// The host has these features.
            #[inline(never)]
            unsafe fn $name<K>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32
            where
                K: Number,
                fma: Operation<K, 3>,
            {
                // SAFETY: arithmetic does not take a wave to another segment.
                let chain = unsafe { chain(wave, op) };
                // SAFETY: the caller's promise.
                let done = unsafe {
                    match (K::PARTS, wave.wide_and_plain == LANES / GROUP) {
                        (1, true) => links::<$host, K, $singles, { LANES / $singles / $host::STEP }>(wave, chain),
                        (1, false) => links::<$host, K, { $singles / 2 }, { LANES / $singles / $host::STEP }>(wave, chain),
                        (_, true) => links::<$host, K, $doubles, { LANES / $doubles / $host::STEP }>(wave, chain),
                        (_, false) => links::<$host, K, { $doubles / 2 }, { LANES / $doubles / $host::STEP }>(wave, chain),
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

/// Does `chain` for `PASSES` times `COUNT` host vectors, which make 64 or 32 lanes. If a NaN is involved, which stays one to the end,
/// the last result is not stored, nothing that the chain read has changed, and the result is false.
///
/// # Safety
/// The host has the vectors of `H`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn links<H, K, const COUNT: usize, const PASSES: usize>(
    wave: &mut Wave,
    chain: &Chain,
) -> bool
where
    H: Host,
    K: Number,
    fma: Operation<K, 3>,
{
    const { assert!(matches!(LANES / (COUNT * PASSES * H::STEP), 1 | 2)) };
    // SAFETY: the caller's promise.
    unsafe {
        let zero = K::uniform::<H>(0);
        let mut results = [[zero; COUNT]; PASSES];
        let mut nans = H::no_lanes();
        let mut pass = 0;
        while pass < PASSES {
            let first = pass * COUNT * H::STEP;
            let mut result = fetch::<H, K, COUNT>(wave, chain.start, first, &[zero; COUNT]);
            for link in &chain.links {
                follow::<H, K, COUNT>(wave, link, first, &mut result);
                if let Some(row) = link.store {
                    store::<H, K, COUNT>(wave, row, first, &result);
                }
            }
            results[pass] = result;
            let mut index = 0;
            while index < COUNT {
                nans = H::either(nans, K::nans::<H>(result[index], result[index + 1]));
                index += 2;
            }
            pass += 1;
        }
        if H::any(nans) {
            return false;
        }
        pass = 0;
        while pass < PASSES {
            let first = pass * COUNT * H::STEP;
            store::<H, K, COUNT>(wave, chain.target, first, &results[pass]);
            pass += 1;
        }
    }
    true
}

/// One link for `COUNT` host vectors from lane `first` on.
///
/// # Safety
/// As [`links`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn follow<H, K, const COUNT: usize>(
    wave: &Wave,
    link: &Link,
    first: usize,
    result: &mut [K::Vector<H>; COUNT],
) where
    H: Host,
    K: Number,
    fma: Operation<K, 3>,
{
    // SAFETY: the caller's promises.
    unsafe {
        // Operands of the usual kinds come from memory when they are used: host registers are few.
        let row = |port| row_of(wave, port, first);
        let all = |port| K::uniform::<H>(uniform::<K>(wave, port));
        match link.form {
            Form::Rows => {
                let (factor, addend) = (row(link.factor), row(link.addend));
                add_product::<H, K, COUNT>(
                    link,
                    result,
                    #[inline(always)]
                    |index| vector::<H, K>(factor, index),
                    #[inline(always)]
                    |index| vector::<H, K>(addend, index),
                )
            }
            Form::RowAndUniform => {
                let (factor, addend) = (row(link.factor), all(link.addend));
                add_product::<H, K, COUNT>(
                    link,
                    result,
                    #[inline(always)]
                    |index| vector::<H, K>(factor, index),
                    #[inline(always)]
                    |_| addend,
                )
            }
            Form::UniformAndRow => {
                let (factor, addend) = (all(link.factor), row(link.addend));
                add_product::<H, K, COUNT>(
                    link,
                    result,
                    #[inline(always)]
                    |_| factor,
                    #[inline(always)]
                    |index| vector::<H, K>(addend, index),
                )
            }
            Form::Any => {
                let mut factor = fetch::<H, K, COUNT>(wave, link.factor, first, result);
                let mut addend = fetch::<H, K, COUNT>(wave, link.addend, first, result);
                if link.negated[0] {
                    K::negate::<H, COUNT>(&mut factor);
                }
                if link.negated[1] {
                    K::negate::<H, COUNT>(&mut addend);
                }
                add_product::<H, K, COUNT>(
                    link,
                    result,
                    #[inline(always)]
                    |index| factor[index],
                    #[inline(always)]
                    |index| addend[index],
                )
            }
        }
    }
}

/// The multiply-add of `link` on operands that are given by the number of the host vector.
///
/// # Safety
/// As [`links`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn add_product<H, K, const COUNT: usize>(
    link: &Link,
    result: &mut [K::Vector<H>; COUNT],
    factor: impl Fn(usize) -> K::Vector<H>,
    addend: impl Fn(usize) -> K::Vector<H>,
) where
    H: Host,
    K: Number,
    fma: Operation<K, 3>,
{
    let mut index = 0;
    // SAFETY: the caller's promises.
    unsafe {
        if link.result_is_factor {
            while index < COUNT {
                result[index] = fma::apply::<H>([result[index], factor(index), addend(index)]);
                index += 1;
            }
        } else {
            while index < COUNT {
                result[index] = fma::apply::<H>([factor(index), addend(index), result[index]]);
                index += 1;
            }
        }
    }
}

/// The host vectors of an operand from lane `first` on.
///
/// # Safety
/// As [`links`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn fetch<H: Host, K: Kind, const COUNT: usize>(
    wave: &Wave,
    port: Port,
    first: usize,
    result: &[K::Vector<H>; COUNT],
) -> [K::Vector<H>; COUNT] {
    // SAFETY: the caller's promises.
    unsafe {
        match port {
            Port::Result => *result,
            Port::Row(_) => {
                let words = row_of(wave, port, first);
                let mut vectors = *result;
                let mut index = 0;
                while index < COUNT {
                    vectors[index] = vector::<H, K>(words, index);
                    index += 1;
                }
                vectors
            }
            Port::Scalar(_) | Port::Constant(_) => {
                [K::uniform::<H>(uniform::<K>(wave, port)); COUNT]
            }
        }
    }
}

/// Value of an operand that is equal for all lanes.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn uniform<K: Kind>(wave: &Wave, port: Port) -> u64 {
    match port {
        Port::Scalar(slot) => wave.scalar_source(slot, K::TYPE.words()),
        Port::Constant(value) => value,
        Port::Result | Port::Row(_) => 0,
    }
}

/// The words from lane `first` on of an operand that is a row.
///
/// # Safety
/// The operand belongs to the code that the wave runs: the row was checked when that was decoded, and [`Wave::enter`] sees to it
/// that the wave has as many.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn row_of(wave: &Wave, port: Port, first: usize) -> *const u32 {
    let Port::Row(row) = port else {
        return std::ptr::null();
    };
    debug_assert!((row as usize) < wave.rows.len() && first < LANES);
    // SAFETY: as said.
    unsafe {
        wave.rows
            .as_ptr()
            .add(row as usize)
            .cast::<u32>()
            .add(first)
    }
}

/// Host vector `index` of those at `words`.
///
/// # Safety
/// As [`links`]; there are so many.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn vector<H: Host, K: Kind>(words: *const u32, index: usize) -> K::Vector<H> {
    // SAFETY: the caller's promises.
    unsafe { K::load::<H>(words.add(H::STEP * index), LANES as isize) }
}

/// Writes host vectors to a row, or two, from lane `first` on.
///
/// # Safety
/// As [`links`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn store<H: Host, K: Kind, const COUNT: usize>(
    wave: &mut Wave,
    row: u16,
    first: usize,
    result: &[K::Vector<H>; COUNT],
) {
    let rows = wave.rows.as_mut_ptr();
    let mut index = 0;
    while index < COUNT {
        // SAFETY: the caller's promises, and as in `row_of`.
        unsafe {
            let to = rows
                .add(row as usize)
                .cast::<u32>()
                .add(first + H::STEP * index);
            let words = K::words::<H>(result[index]);
            let mut word = 0;
            while word < K::TYPE.words() {
                H::store(to.add(LANES * word), words[word]);
                word += 1;
            }
        }
        index += 1;
    }
}
