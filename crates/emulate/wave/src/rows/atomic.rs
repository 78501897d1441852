//! Atomics on device memory (FLAT, GLOBAL and buffer forms): host atomics, lane by lane in lane order.

use std::marker::PhantomData;

use numerics::Denormals;

use super::{Row, buffer, global};
use crate::{
    LANES,
    access::{
        buffer::Buffer,
        flat::{Flat, Global},
        lanes::{self, GROUP, Lanes, operand, write_result},
        lds,
        modify::*,
        space::{self, Access, Checked, Space as AddressForm},
        spread::Spread,
    },
    engine::Env,
    memory::{Fault, FaultKind},
    micro_op::{Data, MicroOp, Space, flow},
    mode::Context,
    shell::{self, Body},
    state::Wave,
};

/// [`Data::Atomic`] holds the space.
struct Atomic<W, M>(PhantomData<(W, M)>);

/// The addresses of a group's words.
enum WordAddresses {
    Whole(Lanes),
    /// Low and high dwords of a doubleword in swizzled memory.
    Halves(Lanes, Lanes),
}

/// One copy for all rows.
#[inline(never)]
fn locate(
    wave: &Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    access: &Access,
) -> Result<WordAddresses, Box<Fault>> {
    match op.vector_memory().space {
        Space::GLOBAL => locate_in::<Global>(wave, op, env, access),
        Space::FLAT => locate_in::<Flat>(wave, op, env, access),
        _ => locate_in::<Buffer>(wave, op, env, access),
    }
}

fn locate_in<S: AddressForm>(
    wave: &Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    access: &Access,
) -> Result<WordAddresses, Box<Fault>> {
    if access.bytes == 8 && !S::contiguous(wave, op, env, access) {
        let half = |extra| Access {
            extra,
            bytes: 4,
            ..*access
        };
        let (mut low, mut high) = (Lanes::NONE, Lanes::NONE);
        S::resolve(wave, op, env, &half(0), &mut low)?;
        S::resolve(wave, op, env, &half(4), &mut high)?;
        return Ok(WordAddresses::Halves(low, high));
    }
    let mut lanes = Lanes::NONE;
    S::resolve(wave, op, env, access, &mut lanes)?;
    if let Some((i, address)) = lanes.unaligned(u64::from(access.bytes)) {
        return Err(Box::new(Fault {
            kind: FaultKind::Unaligned,
            address,
            bytes: access.bytes,
            lane: (GROUP * access.group + i) as u32,
        }));
    }
    Ok(WordAddresses::Whole(lanes))
}

impl<W: Word, M: Modify<W>> Body for Atomic<W, M> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let bytes = 4 * W::WORDS as u32;
        if let Some(spread) = spread(wave, op, env, bytes)
            && (!M::FLOAT || takes_floats(wave, env, &spread))
        {
            modify_spread::<W, M>(wave, op, &spread, context(wave, env));
            return flow::NEXT;
        }
        space::each_group(
            wave,
            bytes,
            true,
            #[inline(always)]
            |wave, access| modify_group::<W, M>(wave, op, env, &access),
        )
    }
}

/// MODE as atomics on device memory see it: f32 denormals stay or are flushed as the target has it.
#[inline(always)]
fn context(wave: &Wave, env: &Env<'_>) -> Context {
    let keeps = env.program.config().target.keeps_denormals_in_atomics();
    Context {
        denormals32: if keeps {
            Denormals::KEEP
        } else {
            Denormals::FLUSH
        },
        ..wave.mode.context()
    }
}

/// Aligned words of all lanes at once, if they have that form. One copy for all rows.
#[inline(never)]
fn spread(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>, bytes: u32) -> Option<Spread> {
    let spread = match op.vector_memory().space {
        Space::GLOBAL => Global::spread(wave, op, env, bytes, true),
        Space::FLAT => Flat::spread(wave, op, env, bytes, true),
        _ => None,
    }?;
    spread.is_aligned(wave, bytes).then_some(spread)
}

/// Returns `true` if the device's floating-point atomics change all of the words: else it is asked word by word.
#[inline(never)]
fn takes_floats(wave: &Wave, env: &mut Env<'_>, spread: &Spread) -> bool {
    if env.program.config().target.remote_float_atomics {
        return true;
    }
    let (lowest, highest) = spread.bounds(wave);
    in_lds(env, lowest) || env.memory.is_local(lowest, highest)
}

/// Returns `true` if a host address is in the workgroup's LDS, which no other memory is part of.
#[inline(always)]
fn in_lds(env: &Env<'_>, address: u64) -> bool {
    let lds = env.lds.as_ptr_range();
    (lds.start.addr() as u64..lds.end.addr() as u64).contains(&address)
}

/// One word that all active lanes change, in lane order: others see that happen at once.
#[inline(always)]
fn modify_word<W: Word, M: Modify<W>>(
    wave: &mut Wave,
    op: &MicroOp,
    pointer: *mut u8,
    context: Context,
) {
    let row = op.src[1].index as usize;
    let mut before = [[W::default(); GROUP]; LANES / GROUP];
    let all = |word: W| {
        let mut word = word;
        for (group, before) in before[..wave.groups].iter_mut().enumerate() {
            let data = operand::<W>(wave, row, group);
            let second = second::<W, M>(wave, row, group);
            lanes::each_lane(
                lds::active(wave, group),
                #[inline(always)]
                |lane| {
                    before[lane] = word;
                    word = M::apply(context, word, data[lane], second[lane]);
                },
            );
        }
        word
    };
    // SAFETY: writable and aligned, as the spread is.
    unsafe { W::exchange(pointer, all) };
    if op.vector_memory().returns() {
        for (group, before) in before[..wave.groups].iter().enumerate() {
            write_result(wave, op.dst as usize, group, before);
        }
    }
}

/// The operand after the data, if `M` has one.
#[inline(always)]
fn second<W: Word, M: Modify<W>>(wave: &Wave, row: usize, group: usize) -> [W; GROUP] {
    if M::TWO {
        operand::<W>(wave, row + W::WORDS, group)
    } else {
        [W::default(); GROUP]
    }
}

#[inline(always)]
fn modify_spread<W: Word, M: Modify<W>>(
    wave: &mut Wave,
    op: &MicroOp,
    spread: &Spread,
    context: Context,
) {
    let returns = op.vector_memory().returns();
    let row = op.src[1].index as usize;
    if let Some(pointer) = spread.uniform(wave) {
        if !M::ASSOCIATIVE || returns {
            return modify_word::<W, M>(wave, op, pointer, context);
        }
        let all = (0..wave.groups)
            .filter_map(|group| {
                let data = operand::<W>(wave, row, group);
                combine::<W, M>(context, &data, lds::active(wave, group))
            })
            .reduce(|all, part| M::apply(context, all, part, part));
        if let Some(all) = all {
            // SAFETY: writable and aligned, as the spread is.
            unsafe { W::exchange(pointer, |old| M::apply(context, old, all, all)) };
        }
        return;
    }
    for group in 0..wave.groups {
        let data = operand::<W>(wave, row, group);
        let second = second::<W, M>(wave, row, group);
        let mut before = [W::default(); GROUP];
        spread.each(
            wave,
            group,
            #[inline(always)]
            |lane, pointer| {
                // SAFETY: writable and aligned, as the spread is.
                before[lane] = unsafe {
                    W::exchange(pointer, |old| {
                        M::apply(context, old, data[lane], second[lane])
                    })
                };
            },
        );
        if returns {
            write_result(wave, op.dst as usize, group, &before);
        }
    }
}

#[inline(always)]
fn modify_group<W: Word, M: Modify<W>>(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    access: &Access,
) -> Checked {
    let returns = op.vector_memory().returns();
    let context = context(wave, env);
    let row = if op.vector_memory().space == Space::BUFFER {
        op.dst as usize
    } else {
        op.src[1].index as usize
    };
    let data = operand::<W>(wave, row, access.group);
    let second = second::<W, M>(wave, row, access.group);
    let mut before = [W::default(); GROUP];
    match locate(wave, op, env, access)? {
        // Only this wave reaches its swizzled memory: no need for indivisible steps.
        WordAddresses::Halves(low, high) => {
            let mut pointers = [std::ptr::null_mut(); GROUP];
            high.each(|i, pointer| pointers[i] = pointer.cast::<u32>());
            low.each(|i, low| {
                if high.valid() >> i & 1 == 0 {
                    return;
                }
                let low = low.cast::<u32>();
                // SAFETY: both halves were resolved for a dword.
                unsafe {
                    let old = W::join(low.read_unaligned(), pointers[i].read_unaligned());
                    let new = M::apply(context, old, data[i], second[i]);
                    low.write_unaligned(new.low());
                    pointers[i].write_unaligned(new.high());
                    before[i] = old;
                }
            });
        }
        WordAddresses::Whole(mut lanes) => {
            if M::FLOAT && !env.program.config().target.remote_float_atomics {
                let left_out = lanes.keep(|at| in_lds(env, at) || !env.memory.is_remote(at));
                env.counts.lost_atomics += u64::from(left_out);
            }
            if M::ASSOCIATIVE
                && !returns
                && let Some(pointer) = lanes.uniform()
            {
                let all = combine::<W, M>(context, &data, lanes.valid());
                if let Some(all) = all {
                    // SAFETY: resolved as writable and found aligned.
                    unsafe { W::exchange(pointer, |old| M::apply(context, old, all, all)) };
                }
                return Ok(());
            }
            lanes.each(
                #[inline(always)]
                |i, pointer| {
                    // SAFETY: resolved as writable and found aligned.
                    before[i] = unsafe {
                        W::exchange(pointer, |old| M::apply(context, old, data[i], second[i]))
                    };
                },
            );
        }
    }
    if returns {
        write_result(wave, op.dst as usize, access.group, &before);
    }
    Ok(())
}

/// Appends this file's rows.
#[rustfmt::skip]
pub(super) fn rows(rows: &mut Vec<Row>) {
    macro_rules! atomics {
        ($($modify:ident<$word:ident>: $name:literal;)*) => {$(
            global::push(rows, concat!("global_atomic_", $name), Data::Atomic(Space::GLOBAL), shell::scalar_handler::<Atomic<$word, $modify>>, true);
            if $name != "csub" {
                global::push(rows, concat!("flat_atomic_", $name), Data::Atomic(Space::FLAT), shell::scalar_handler::<Atomic<$word, $modify>>, false);
            }
            buffer::push(rows, concat!("buffer_atomic_", $name), Data::Atomic(Space::BUFFER), shell::scalar_handler::<Atomic<$word, $modify>>);
        )*};
    }
    atomics! {
        Swap<u32>:              "swap";
        CompareSwap<u32>:       "cmpswap";
        Add<u32>:               "add";
        Subtract<u32>:          "sub";
        SubtractClamped<u32>:   "csub";
        SignedMin<u32>:         "smin";
        UnsignedMin<u32>:       "umin";
        SignedMax<u32>:         "smax";
        UnsignedMax<u32>:       "umax";
        And<u32>:               "and";
        Or<u32>:                "or";
        Xor<u32>:               "xor";
        Increment<u32>:         "inc";
        Decrement<u32>:         "dec";
        FloatCompareSwap<u32>:  "fcmpswap";
        FloatMin<u32>:          "fmin";
        FloatMax<u32>:          "fmax";
        FloatAddMemory<u32>:    "add_f32";
        PackedHalfAdd<u32>:     "pk_add_f16";
        PackedBf16Add<u32>:     "pk_add_bf16";
        // Since gfx12.
        SubtractIfEnough<u32>:  "cond_sub_u32";
        SubtractClamped<u32>:   "sub_clamp_u32";
        NumberMin<u32>:         "min_num_f32";
        NumberMax<u32>:         "max_num_f32";
        Swap<u64>:              "swap_x2";
        CompareSwap<u64>:       "cmpswap_x2";
        Add<u64>:               "add_x2";
        Subtract<u64>:          "sub_x2";
        SignedMin<u64>:         "smin_x2";
        UnsignedMin<u64>:       "umin_x2";
        SignedMax<u64>:         "smax_x2";
        UnsignedMax<u64>:       "umax_x2";
        And<u64>:               "and_x2";
        Or<u64>:                "or_x2";
        Xor<u64>:               "xor_x2";
        Increment<u64>:         "inc_x2";
        Decrement<u64>:         "dec_x2";
        FloatCompareSwap<u64>:  "fcmpswap_x2";
        FloatMin<u64>:          "fmin_x2";
        FloatMax<u64>:          "fmax_x2";
        FloatAddMemory<u64>:    "add_f64";
        FloatMin<u64>:          "min_f64";
        FloatMax<u64>:          "max_f64";
    }
}
