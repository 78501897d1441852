//! SMEM: scalar loads and stores, scalar buffer loads and stores, clocks. Atomics are in `scalar_atomic`.

use super::{Row, Shape, hardware};
use crate::{
    engine::{Env, Stop},
    memory::Fault,
    micro_op::{MicroOp, SrcKind, flow},
    shell::{self, Body},
    state::Wave,
};

/// Byte offset from soffset and the immediate.
#[inline(always)]
pub(super) fn offset(wave: &Wave, op: &MicroOp) -> u64 {
    let soffset = if op.src[1].kind == SrcKind::None {
        0
    } else {
        u64::from(wave.uniform32(op, 1))
    };
    soffset.wrapping_add(op.scalar_memory().offset as i64 as u64)
}

pub(super) fn stop_at(wave: &mut Wave, fault: Fault) -> u32 {
    wave.stop(Stop::Fault(fault))
}

/// Address and bytes of the buffer that a resource describes.
pub(super) fn buffer(wave: &Wave, op: &MicroOp) -> (u64, u64) {
    let descriptor = op.src[0].index as usize;
    let base = wave.scalar64(descriptor) & 0xffff_ffff_ffff;
    let stride = wave.scalars.0[descriptor + 1] >> 16 & 0x3fff;
    let records = u64::from(wave.scalars.0[descriptor + 2]);
    (base, records * u64::from(stride.max(1)))
}

/// `s_load_dword*`: the low two address bits are ignored.
struct Load<const WORDS: usize>;

impl<const WORDS: usize> Load<WORDS> {
    #[inline(always)]
    fn address(wave: &Wave, op: &MicroOp) -> u64 {
        let base = wave.scalar64(op.src[0].index as usize);
        base.wrapping_add(offset(wave, op)) & !3
    }

    #[inline(always)]
    fn set(wave: &mut Wave, op: &MicroOp, words: [u32; WORDS]) -> u32 {
        let first = op.dst as usize;
        wave.scalars.0[first..first + WORDS].copy_from_slice(&words);
        u32::from(op.after)
    }

    /// Words in another range than the last ones.
    #[inline(never)]
    fn elsewhere(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        match env.memory.read_words::<WORDS>(Self::address(wave, op), 0) {
            Ok(words) => Self::set(wave, op, words),
            Err(fault) => stop_at(wave, fault),
        }
    }
}

impl<const WORDS: usize> Body for Load<WORDS> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        match env.memory.read_near::<WORDS>(Self::address(wave, op)) {
            Some(words) => Self::set(wave, op, words),
            None => Self::elsewhere(wave, op, env),
        }
    }
}

/// `s_buffer_load_dword*`: dwords at or beyond num_records read zero.
struct BufferLoad<const WORDS: usize>;

impl<const WORDS: usize> Body for BufferLoad<WORDS> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let (base, bytes) = buffer(wave, op);
        let start = offset(wave, op) & !3;
        let mut words = [0; WORDS];
        for (index, word) in words.iter_mut().enumerate() {
            let at = start + 4 * index as u64;
            if at + 4 > bytes {
                continue;
            }
            match env.memory.read_words::<1>(base.wrapping_add(at), 0) {
                Ok([value]) => *word = value,
                Err(fault) => return stop_at(wave, fault),
            }
        }
        let first = op.dst as usize;
        wave.scalars.0[first..first + WORDS].copy_from_slice(&words);
        u32::from(op.after)
    }
}

/// `s_load_u8` and so on (gfx12): `BYTES` at any address, with zeros or the sign above.
struct LoadPart<const BYTES: usize, const SIGNED: bool>;

impl<const BYTES: usize, const SIGNED: bool> Body for LoadPart<BYTES, SIGNED> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let base = wave.scalar64(op.src[0].index as usize);
        let address = base.wrapping_add(offset(wave, op));
        match env.memory.read_bytes::<BYTES>(address, 0) {
            Ok(bytes) => {
                wave.scalars.0[op.dst as usize] = extended::<SIGNED>(&bytes);
                u32::from(op.after)
            }
            Err(fault) => stop_at(wave, fault),
        }
    }
}

/// `s_buffer_load_u8` and so on (gfx12): what is not all in the buffer reads zero.
struct BufferLoadPart<const BYTES: usize, const SIGNED: bool>;

impl<const BYTES: usize, const SIGNED: bool> Body for BufferLoadPart<BYTES, SIGNED> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let (base, limit) = buffer(wave, op);
        let at = offset(wave, op);
        let mut value = 0;
        if at.checked_add(BYTES as u64).is_some_and(|end| end <= limit) {
            match env.memory.read_bytes::<BYTES>(base.wrapping_add(at), 0) {
                Ok(bytes) => value = extended::<SIGNED>(&bytes),
                Err(fault) => return stop_at(wave, fault),
            }
        }
        wave.scalars.0[op.dst as usize] = value;
        u32::from(op.after)
    }
}

fn extended<const SIGNED: bool>(bytes: &[u8]) -> u32 {
    let value = bytes
        .iter()
        .rev()
        .fold(0, |value, &byte| value << 8 | u32::from(byte));
    let unused = 32 - 8 * bytes.len() as u32;
    if SIGNED {
        ((value << unused) as i32 >> unused) as u32
    } else {
        value
    }
}

/// `s_store_dword*` (gfx9).
struct Store<const WORDS: usize>;

impl<const WORDS: usize> Body for Store<WORDS> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let base = wave.scalar64(op.src[0].index as usize);
        let address = base.wrapping_add(offset(wave, op)) & !3;
        let first = op.src[2].index as usize;
        let words = std::array::from_fn::<u32, WORDS, _>(|word| wave.scalars.0[first + word]);
        match env.memory.write_words(address, words, 0) {
            Ok(()) => flow::NEXT,
            Err(fault) => stop_at(wave, fault),
        }
    }
}

/// `s_buffer_store_dword*` (gfx9): dwords at or beyond num_records are dropped.
struct BufferStore<const WORDS: usize>;

impl<const WORDS: usize> Body for BufferStore<WORDS> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let (base, bytes) = buffer(wave, op);
        let start = offset(wave, op) & !3;
        for word in 0..WORDS {
            let at = start + 4 * word as u64;
            if at + 4 > bytes {
                continue;
            }
            let value = wave.scalars.0[op.src[2].index as usize + word];
            if let Err(fault) = env.memory.write_words(base.wrapping_add(at), [value], 0) {
                return stop_at(wave, fault);
            }
        }
        flow::NEXT
    }
}

/// `s_scratch_*` (gfx9): the scalar offset counts 64 bytes.
fn scratch_address(wave: &Wave, op: &MicroOp) -> u64 {
    let soffset = if op.src[1].kind == SrcKind::None {
        0
    } else {
        64 * u64::from(wave.uniform32(op, 1))
    };
    let base = wave.scalar64(op.src[0].index as usize);
    base.wrapping_add(soffset)
        .wrapping_add(op.scalar_memory().offset as i64 as u64)
        & !3
}

struct ScratchLoad<const WORDS: usize>;

impl<const WORDS: usize> Body for ScratchLoad<WORDS> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let address = scratch_address(wave, op);
        match env.memory.read_words::<WORDS>(address, 0) {
            Ok(words) => {
                let first = op.dst as usize;
                wave.scalars.0[first..first + WORDS].copy_from_slice(&words);
                u32::from(op.after)
            }
            Err(fault) => stop_at(wave, fault),
        }
    }
}

struct ScratchStore<const WORDS: usize>;

impl<const WORDS: usize> Body for ScratchStore<WORDS> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let address = scratch_address(wave, op);
        let first = op.src[2].index as usize;
        let words = std::array::from_fn::<u32, WORDS, _>(|word| wave.scalars.0[first + word]);
        match env.memory.write_words(address, words, 0) {
            Ok(()) => flow::NEXT,
            Err(fault) => stop_at(wave, fault),
        }
    }
}

/// `s_memtime`, or `s_memrealtime` where `REAL`.
struct Time<const REAL: bool>;

impl<const REAL: bool> Body for Time<REAL> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let (elapsed, waits) = wave.look_at_clock(op, env);
        let target = env.program.config().target;
        let now = if REAL {
            env.host.real_time(target, elapsed)
        } else {
            env.host.core_time(target, elapsed)
        };
        wave.set_scalar64(op.dst as usize, now);
        hardware::after_look(wave, op, waits)
    }
}

/// `s_get_waveid_in_workgroup`, which only gfx10.1 executes.
struct WaveNumber;

impl Body for WaveNumber {
    fn run(wave: &mut Wave, op: &MicroOp, _env: &mut Env<'_>) -> u32 {
        wave.scalars.0[op.dst as usize] = wave.index_in_workgroup;
        u32::from(op.after)
    }
}

/// Appends this file's rows.
#[rustfmt::skip]
pub(super) fn rows(rows: &mut Vec<Row>) {
    fn push<B: Body>(rows: &mut Vec<Row>, mnemonic: &'static str, words: u8) {
        rows.push(Row {
            mnemonic,
            shape: Shape::ScalarMemory { words, buffer: false },
            handler: shell::handler::<B>,
            changes_exec: false,
        });
    }
    push::<Load<1>>(rows, "s_load_dword", 1);
    push::<Load<2>>(rows, "s_load_dwordx2", 2);
    push::<Load<4>>(rows, "s_load_dwordx4", 4);
    push::<Load<8>>(rows, "s_load_dwordx8", 8);
    push::<Load<16>>(rows, "s_load_dwordx16", 16);
    push::<BufferLoad<1>>(rows, "s_buffer_load_dword", 1);
    push::<BufferLoad<2>>(rows, "s_buffer_load_dwordx2", 2);
    push::<BufferLoad<4>>(rows, "s_buffer_load_dwordx4", 4);
    push::<BufferLoad<8>>(rows, "s_buffer_load_dwordx8", 8);
    push::<BufferLoad<16>>(rows, "s_buffer_load_dwordx16", 16);
    push::<Load<3>>(rows, "s_load_b96", 3);
    push::<BufferLoad<3>>(rows, "s_buffer_load_b96", 3);
    push::<LoadPart<1, false>>(rows, "s_load_u8", 1);
    push::<LoadPart<1, true>>(rows, "s_load_i8", 1);
    push::<LoadPart<2, false>>(rows, "s_load_u16", 1);
    push::<LoadPart<2, true>>(rows, "s_load_i16", 1);
    push::<BufferLoadPart<1, false>>(rows, "s_buffer_load_u8", 1);
    push::<BufferLoadPart<1, true>>(rows, "s_buffer_load_i8", 1);
    push::<BufferLoadPart<2, false>>(rows, "s_buffer_load_u16", 1);
    push::<BufferLoadPart<2, true>>(rows, "s_buffer_load_i16", 1);
    push::<Store<1>>(rows, "s_store_dword", 1);
    push::<Store<2>>(rows, "s_store_dwordx2", 2);
    push::<Store<4>>(rows, "s_store_dwordx4", 4);
    push::<BufferStore<1>>(rows, "s_buffer_store_dword", 1);
    push::<BufferStore<2>>(rows, "s_buffer_store_dwordx2", 2);
    push::<BufferStore<4>>(rows, "s_buffer_store_dwordx4", 4);
    push::<ScratchLoad<1>>(rows, "s_scratch_load_dword", 1);
    push::<ScratchLoad<2>>(rows, "s_scratch_load_dwordx2", 2);
    push::<ScratchLoad<4>>(rows, "s_scratch_load_dwordx4", 4);
    push::<ScratchStore<1>>(rows, "s_scratch_store_dword", 1);
    push::<ScratchStore<2>>(rows, "s_scratch_store_dwordx2", 2);
    push::<ScratchStore<4>>(rows, "s_scratch_store_dwordx4", 4);
    push::<Time<false>>(rows, "s_memtime", 2);
    push::<Time<true>>(rows, "s_memrealtime", 2);
    push::<WaveNumber>(rows, "s_get_waveid_in_workgroup", 1);
}
