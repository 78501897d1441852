//! Scalar atomics (gfx9): `s_atomic_*` and `s_buffer_atomic_*`, one word for the whole wave.

use std::marker::PhantomData;

use super::{
    Row, Shape,
    scalar_memory::{buffer, offset, stop_at},
};
use crate::{
    access::modify::*,
    engine::Env,
    memory::{Fault, FaultKind},
    micro_op::{MicroOp, flow},
    shell::{self, Body},
    state::Wave,
};

/// A word in SGPRs from `first`.
fn word<W: Word>(wave: &Wave, first: usize) -> W {
    let high = if W::WORDS == 2 {
        wave.scalars.0[first + 1]
    } else {
        0
    };
    W::join(wave.scalars.0[first], high)
}

/// The data lie in the destination's registers; a comparison's second operand follows them.
struct Atomic<W, M>(PhantomData<(W, M)>);

impl<W: Word, M: Modify<W>> Body for Atomic<W, M> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let bytes = 4 * W::WORDS as u32;
        let at = offset(wave, op);
        let address = if op.scalar_memory().in_buffer() {
            let (base, limit) = buffer(wave, op);
            let at = at & !3;
            (at + u64::from(bytes) <= limit).then(|| base.wrapping_add(at))
        } else {
            Some(wave.scalar64(op.src[0].index as usize).wrapping_add(at) & !3)
        };
        let first = op.src[2].index as usize;
        let mut before = W::default();
        // Beyond a buffer's end nothing changes and zero returns.
        if let Some(address) = address {
            if !address.is_multiple_of(u64::from(bytes)) {
                let kind = FaultKind::Unaligned;
                return stop_at(
                    wave,
                    Fault {
                        kind,
                        address,
                        bytes,
                        lane: 0,
                    },
                );
            }
            let pointer = match env.memory.pointer(address, bytes, true, 0) {
                Ok(pointer) => pointer,
                Err(fault) => return stop_at(wave, fault),
            };
            let data = word::<W>(wave, first);
            let second = if M::TWO {
                word::<W>(wave, first + W::WORDS)
            } else {
                W::default()
            };
            let context = wave.mode.context();
            // SAFETY: found writable and aligned.
            before = unsafe { W::exchange(pointer, |old| M::apply(context, old, data, second)) };
        }
        if !op.scalar_memory().returns() {
            return flow::NEXT;
        }
        wave.scalars.0[op.dst as usize] = before.low();
        if W::WORDS == 2 {
            wave.scalars.0[op.dst as usize + 1] = before.high();
        }
        u32::from(op.after)
    }
}

/// Appends this file's rows.
#[rustfmt::skip]
pub(super) fn rows(rows: &mut Vec<Row>) {
    macro_rules! atomics {
        ($($modify:ident<$word:ident>: $name:literal, $registers:literal;)*) => {$(
            for (mnemonic, buffer) in [(concat!("s_atomic_", $name), false), (concat!("s_buffer_atomic_", $name), true)] {
                rows.push(Row {
                    mnemonic,
                    shape: Shape::ScalarMemory { words: $registers, buffer },
                    handler: shell::handler::<Atomic<$word, $modify>>,
                    changes_exec: false,
                });
            }
        )*};
    }
    // Column: registers of data.
    atomics! {
        Swap<u32>:        "swap",       1;
        CompareSwap<u32>: "cmpswap",    2;
        Add<u32>:         "add",        1;
        Subtract<u32>:    "sub",        1;
        SignedMin<u32>:   "smin",       1;
        UnsignedMin<u32>: "umin",       1;
        SignedMax<u32>:   "smax",       1;
        UnsignedMax<u32>: "umax",       1;
        And<u32>:         "and",        1;
        Or<u32>:          "or",         1;
        Xor<u32>:         "xor",        1;
        Increment<u32>:   "inc",        1;
        Decrement<u32>:   "dec",        1;
        Swap<u64>:        "swap_x2",    2;
        CompareSwap<u64>: "cmpswap_x2", 4;
        Add<u64>:         "add_x2",     2;
        Subtract<u64>:    "sub_x2",     2;
        SignedMin<u64>:   "smin_x2",    2;
        UnsignedMin<u64>: "umin_x2",    2;
        SignedMax<u64>:   "smax_x2",    2;
        UnsignedMax<u64>: "umax_x2",    2;
        And<u64>:         "and_x2",     2;
        Or<u64>:          "or_x2",      2;
        Xor<u64>:         "xor_x2",     2;
        Increment<u64>:   "inc_x2",     2;
        Decrement<u64>:   "dec_x2",     2;
    }
}
