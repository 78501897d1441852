//! Loads of gfx12 that spread over registers and lanes in their own way: transposing loads for matrices, and blocks of registers.
//!
//! Transposing loads take a row of eight values from each lane and give each lane a column, in groups of eight lanes.
//! AMD's page on the builtins gives the pattern for values of 16 bits: element `e` of lane `l` comes from element `l %
//! 8` of lane `l - l % 8 + e`. For bytes, public measurements on gfx1201 agree on another pattern. In every sixteen
//! lanes, lanes 0 to 7 get columns of lanes 0 to 3 and 8 to 11, and lanes 8 to 15 those of the others. The pattern of
//! wave64 is not published.

use super::{Row, Shape};
use crate::{
    LANES,
    access::{
        flat,
        space::{Checked, unsupported},
    },
    engine::{Env, Stop},
    memory::{Fault, FaultKind},
    micro_op::{Data, Handler, MicroOp, flow},
    shell::{self, Body},
    state::Wave,
};

/// Address in scratch of the lane's dword at `offset` bytes more, if the lane has it.
fn private_address(wave: &Wave, op: &MicroOp, lane: usize, offset: u32) -> Result<u64, Box<Fault>> {
    let mut at = (op.vector_memory().offset as u32).wrapping_add(offset);
    if op.vector_memory().has_scalar_base() {
        at = at.wrapping_add(wave.sgpr(op.src[2].index as usize));
    }
    if op.vector_memory().has_vector_address() {
        at = at.wrapping_add(wave.vgpr(op.src[0].index as usize, lane));
    }
    let fault = |kind| {
        Box::new(Fault {
            kind,
            address: at.into(),
            bytes: 4,
            lane: lane as u32,
        })
    };
    if u64::from(at) + 4 > u64::from(wave.scratch_bytes_per_lane) {
        return Err(fault(FaultKind::ScratchOutOfRange));
    }
    if !at.is_multiple_of(4) {
        return Err(fault(FaultKind::Unaligned));
    }
    Ok(flat::scratch_address(wave, at, lane))
}

/// Address of every lane.
fn address(wave: &Wave, op: &MicroOp, lane: usize) -> u64 {
    let row = op.src[0].index as usize;
    let low = u64::from(wave.vgpr(row, lane));
    let base = if op.vector_memory().has_scalar_base() {
        wave.scalar64(op.src[2].index as usize).wrapping_add(low)
    } else {
        low | u64::from(wave.vgpr(row + 1, lane)) << 32
    };
    base.wrapping_add(i64::from(op.vector_memory().offset) as u64)
}

/// The load of every lane of a wave32.
fn load<const WORDS: usize>(
    wave: &Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
) -> Result<[[u32; WORDS]; 32], Box<Fault>> {
    let mut words = [[0; WORDS]; 32];
    for (lane, words) in words.iter_mut().enumerate() {
        let at = address(wave, op, lane);
        *words = env.memory.read_words(at, lane as u32).map_err(Box::new)?;
    }
    Ok(words)
}

/// Why a transposing load cannot be executed, if it cannot.
fn refusal(wave: &Wave) -> Option<&'static str> {
    if wave.wave_size != 32 {
        Some("transposing load in wave64, whose lanes AMD has not published")
    } else if wave.exec() != wave.full {
        Some("transposing load with lanes off")
    } else {
        None
    }
}

/// `global_load_tr_b128`: eight values of 16 bits.
struct Halves;

impl Body for Halves {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        if let Some(why) = refusal(wave) {
            return wave.stop(Stop::Unsupported(why.to_owned()));
        }
        let loaded = match load::<4>(wave, op, env) {
            Ok(loaded) => loaded,
            Err(fault) => return wave.stop(Stop::Fault(*fault)),
        };
        for lane in 0..32 {
            let column = lane % 8;
            let half = |element: usize| {
                let word = loaded[lane - column + element][column / 2];
                word >> (16 * (column % 2)) & 0xffff
            };
            for word in 0..4 {
                let value = half(2 * word) | half(2 * word + 1) << 16;
                wave.set_vgpr(op.dst as usize + word, lane, value);
            }
        }
        flow::NEXT
    }
}

/// `global_load_tr_b64`: eight bytes.
struct Bytes;

impl Body for Bytes {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        if let Some(why) = refusal(wave) {
            return wave.stop(Stop::Unsupported(why.to_owned()));
        }
        let loaded = match load::<2>(wave, op, env) {
            Ok(loaded) => loaded,
            Err(fault) => return wave.stop(Stop::Fault(*fault)),
        };
        for lane in 0..32 {
            let column = lane % 8;
            let byte = |element: usize| {
                let from = lane / 16 * 16 + lane / 8 % 2 * 4 + element % 4 + element / 4 * 8;
                loaded[from][column / 4] >> (8 * (column % 4)) & 0xff
            };
            for word in 0..2 {
                let value = (0..4).fold(0, |all, part| all | byte(4 * word + part) << (8 * part));
                wave.set_vgpr(op.dst as usize + word, lane, value);
            }
        }
        flow::NEXT
    }
}

/// `global_load_block`, `global_store_block` and those of SCRATCH: up to 32 registers, those that M0 names, each from or to a dword of its own.
struct Block<const STORE: bool, const PRIVATE: bool>;

impl<const STORE: bool, const PRIVATE: bool> Body for Block<STORE, PRIVATE> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let named = wave.m0();
        let first = if STORE { op.src[1].index } else { op.dst } as usize;
        if first + 32 - named.leading_zeros() as usize > wave.vector_rows() {
            return unsupported(wave, "block of registers that the kernel does not have");
        }
        match move_block::<STORE, PRIVATE>(wave, op, env, named, first) {
            Ok(()) => flow::NEXT,
            Err(fault) => wave.stop(Stop::Fault(*fault)),
        }
    }
}

fn move_block<const STORE: bool, const PRIVATE: bool>(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    named: u32,
    first: usize,
) -> Checked {
    let exec = wave.exec();
    let at: [u64; LANES] = std::array::from_fn(|lane| {
        if exec >> lane & 1 != 0 && !PRIVATE {
            address(wave, op, lane)
        } else {
            0
        }
    });
    for index in (0..32).filter(|index| named >> index & 1 != 0) {
        for lane in (0..LANES).filter(|lane| exec >> lane & 1 != 0) {
            let at = match PRIVATE {
                true => private_address(wave, op, lane, 4 * index as u32)?,
                false => at[lane].wrapping_add(4 * index as u64),
            };
            if STORE {
                let word = [wave.vgpr(first + index, lane)];
                env.memory
                    .write_words(at, word, lane as u32)
                    .map_err(Box::new)?;
            } else {
                let [word] = env.memory.read_words(at, lane as u32).map_err(Box::new)?;
                wave.set_vgpr(first + index, lane, word);
            }
        }
    }
    Ok(())
}

/// Appends this file's rows.
pub(super) fn rows(rows: &mut Vec<Row>) {
    let mut push = |mnemonic, handler| {
        rows.push(Row {
            mnemonic,
            shape: Shape::Flat {
                segment_relative: true,
                data: Data::Plain,
            },
            handler,
            changes_exec: false,
        });
    };
    let halves = shell::scalar_handler::<Halves> as fn() -> Handler;
    push("global_load_tr_b128", halves);
    push("global_load_tr_b64", shell::scalar_handler::<Bytes>);
    push(
        "global_load_block",
        shell::scalar_handler::<Block<false, false>>,
    );
    push(
        "global_store_block",
        shell::scalar_handler::<Block<true, false>>,
    );
    push(
        "scratch_load_block",
        shell::scalar_handler::<Block<false, true>>,
    );
    push(
        "scratch_store_block",
        shell::scalar_handler::<Block<true, true>>,
    );
}
