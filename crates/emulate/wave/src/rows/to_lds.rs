//! Loads whose lanes go to LDS instead of a register: buffer loads with the `lds` bit, and the instructions that gfx942 has for
//! global and private memory.

use super::{Row, global};
use crate::{
    access::{
        buffer::Buffer,
        flat::Global,
        lanes::{Fill, GROUP},
        lds,
        scratch::Scratch,
        space::{LoadBytes, LoadWords},
    },
    engine::Env,
    micro_op::{Data, Handler, MicroOp, flow},
    ports::SPARE_ROWS,
    shell::{self, Body},
    state::Wave,
};

/// A load of `WORDS` dwords whose lanes go to LDS at M0 + offset + 4 * WORDS * lane.
struct ToLds<B, const WORDS: usize>(std::marker::PhantomData<B>);

impl<B: Body, const WORDS: usize> Body for ToLds<B, WORDS> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let staging = wave.temporaries + SPARE_ROWS;
        let mut load = *op;
        load.dst = staging as u16;
        let code = B::run(wave, &load, env);
        if code != flow::NEXT {
            return code;
        }
        let limit = lds::limit(wave, env);
        // As many bits of M0 as an LDS address has.
        let bits = env.program.config().target.lds_bytes.next_power_of_two() - 1;
        let base = (wave.m0() & bits).wrapping_add(op.vector_memory().offset as u32);
        let step = 4 * WORDS as u32;
        lds::each_group(wave, |wave, group| {
            let at = std::array::from_fn(|i| base.wrapping_add(step * (GROUP * group + i) as u32));
            lds::write_words::<WORDS>(wave, env, staging, group, &at, limit);
        })
    }
}

/// Handler of buffer load `mnemonic` with its `lds` bit set.
pub(crate) fn to_lds(mnemonic: &str) -> Option<Handler> {
    Some(match mnemonic {
        "buffer_load_dword" => shell::handler::<ToLds<LoadWords<Buffer, 1>, 1>>(),
        "buffer_load_dwordx3" => shell::handler::<ToLds<LoadWords<Buffer, 3>, 3>>(),
        "buffer_load_dwordx4" => shell::handler::<ToLds<LoadWords<Buffer, 4>, 4>>(),
        "buffer_load_ubyte" | "buffer_load_sbyte" => {
            shell::handler::<ToLds<LoadBytes<Buffer, 1>, 1>>()
        }
        "buffer_load_ushort" | "buffer_load_sshort" => {
            shell::handler::<ToLds<LoadBytes<Buffer, 2>, 1>>()
        }
        _ => return None,
    })
}

/// Appends this file's rows.
pub(super) fn rows(rows: &mut Vec<Row>) {
    macro_rules! space {
        ($prefix:literal, $space:ident) => {
            let mut row = |mnemonic, fill, handler| {
                global::push(rows, mnemonic, Data::Fill(fill), handler, true);
            };
            row(
                concat!($prefix, "_load_lds_dword"),
                Fill::Zero,
                shell::handler::<ToLds<LoadWords<$space, 1>, 1>>,
            );
            let bytes = shell::handler::<ToLds<LoadBytes<$space, 1>, 1>>;
            row(concat!($prefix, "_load_lds_ubyte"), Fill::Zero, bytes);
            row(concat!($prefix, "_load_lds_sbyte"), Fill::Sign8, bytes);
            let halves = shell::handler::<ToLds<LoadBytes<$space, 2>, 1>>;
            row(concat!($prefix, "_load_lds_ushort"), Fill::Zero, halves);
            row(concat!($prefix, "_load_lds_sshort"), Fill::Sign16, halves);
        };
    }
    space!("global", Global);
    space!("scratch", Scratch);
    let mut wide = |mnemonic, handler| global::push(rows, mnemonic, Data::Plain, handler, true);
    wide(
        "global_load_lds_dwordx3",
        shell::handler::<ToLds<LoadWords<Global, 3>, 3>> as fn() -> Handler,
    );
    wide(
        "global_load_lds_dwordx4",
        shell::handler::<ToLds<LoadWords<Global, 4>, 4>>,
    );
}
