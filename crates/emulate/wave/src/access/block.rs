//! Dwords of all lanes of a wave that are one piece of memory: most accesses of most kernels are like that. This way is quick
//! because it needs few registers of the host. Every other access goes the usual way.

use vectors::block;

use super::{
    flat::Global,
    space::{LoadWords, StoreWords},
};
use crate::{
    engine::Env,
    memory::host_address,
    micro_op::{MicroOp, flow},
    shell::{self, Body},
    state::Wave,
};

/// `global_load_dword` on hosts with AVX-512.
pub(crate) struct LoadBlock;

/// `global_store_dword` on hosts with AVX-512.
pub(crate) struct StoreBlock;

/// Device address of the one piece that the lanes access, if all are on and it is known that they may do so.
#[inline(always)]
fn piece(wave: &Wave, op: &MicroOp, env: &mut Env<'_>, write: bool) -> Option<u64> {
    let groups = wave.wide;
    if groups == 0 {
        return None;
    }
    let (row, memory) = (op.src[0].index as usize, op.vector_memory());
    let low = wave.row(row);
    let (high, base) = match memory.has_scalar_base() {
        true => (None, wave.scalar64(op.src[2].index as usize)),
        false => {
            let high = wave.row(row + 1);
            (Some(high), u64::from(high.0[0]) << 32)
        }
    };
    // SAFETY: rows with these handlers are for hosts with AVX-512.
    if !unsafe { block::is_one(groups, low, high) } {
        return None;
    }
    let first = base
        .wrapping_add(i64::from(memory.offset) as u64)
        .wrapping_add(low.0[0].into());
    let last = first.wrapping_add(bytes(groups) as u64 - 1);
    env.memory.remembers(first, last, write).then_some(first)
}

/// A dword for each lane.
#[inline(always)]
fn bytes(groups: usize) -> usize {
    4 * vectors::GROUP * groups
}

/// The number by which [`crate::Memory`] knows this instruction when it looks ahead.
#[inline(always)]
fn key(op: &MicroOp) -> usize {
    std::ptr::from_ref(op).addr() / size_of::<MicroOp>()
}

impl Body for LoadBlock {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let Some(first) = piece(wave, op, env, false) else {
            // SAFETY: hosts with AVX-512 have AVX2.
            return unsafe { shell::usual::<LoadWords<Global, 1>>(wave, op, env) };
        };
        let groups = wave.wide;
        // A wave of 32 lanes asks for the next wave's words, too: that one mostly loads the piece behind this one.
        env.memory.look_ahead(key(op), first, 4 * vectors::LANES);
        let from = std::ptr::with_exposed_provenance(host_address(first) as usize);
        let to = wave.row_mut(op.dst as usize).0.as_mut_ptr();
        // SAFETY: the host has AVX-512, the lanes may read the piece, and a row has as many words.
        unsafe { block::copy(groups, from, to) };
        flow::NEXT
    }
}

impl Body for StoreBlock {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let Some(first) = piece(wave, op, env, true) else {
            // SAFETY: hosts with AVX-512 have AVX2.
            return unsafe { shell::usual::<StoreWords<Global, 1>>(wave, op, env) };
        };
        let groups = wave.wide;
        env.memory
            .look_ahead_to_store(key(op), first, bytes(groups));
        let from = wave.row(op.src[1].index as usize).0.as_ptr();
        let to = std::ptr::with_exposed_provenance_mut(host_address(first) as usize);
        // SAFETY: the host has AVX-512, the lanes may write the piece, and a row has as many words.
        unsafe { block::copy(groups, from, to) };
        flow::NEXT
    }
}
