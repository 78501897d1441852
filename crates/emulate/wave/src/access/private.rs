//! Private memory as the hardware keeps it: dword d of lane l at `4 * (d << shift | l)` of the wave's backing, where `shift` is
//! the logarithm of the lanes that it interleaves. Arrays that kernels index are reached this way, each lane at an index of its own.

use super::spread::{Offsets, Spread};
use crate::{LANES, engine::Env, micro_op::MicroOp, state::Wave};

/// The lanes' elements.
pub(crate) struct Private {
    /// The offsets of the elements in the backing.
    pub offsets: Offsets,
    /// First byte behind all of them, as each lane counts its own.
    pub end: u64,
}

/// Elements of `bytes` bytes at each lane's address, the sum of `row` and `add`. `None`: no lane is active, some element has
/// parts in two dwords, or 32 bits do not say where it is.
#[inline(never)]
pub(crate) fn elements(
    wave: &mut Wave,
    row: usize,
    add: u32,
    shift: u32,
    bytes: u32,
) -> Option<Private> {
    #[cfg(target_arch = "x86_64")]
    {
        vectors::compiled_for! { Avx2:
            fn with_avx2(
                wave: &mut Wave,
                row: usize,
                add: u32,
                shift: u32,
                bytes: u32,
            ) -> Option<Private> {
                interleaved(wave, row, add, shift, bytes)
            }
        }
        if wave.avx2 {
            // SAFETY: the host has it.
            return unsafe { with_avx2(wave, row, add, shift, bytes) };
        }
    }
    interleaved(wave, row, add, shift, bytes)
}

/// The same in the wave's scratch, at addresses from the first source plus `add`.
pub(crate) fn in_scratch(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    add: u32,
    bytes: u32,
    write: bool,
) -> Option<Spread> {
    let (row, shift) = (op.src[0].index as usize, wave.wave_size.trailing_zeros());
    let private = elements(wave, row, add, shift, bytes)?;
    if private.end > u64::from(wave.scratch_bytes_per_lane) {
        return None;
    }
    private
        .offsets
        .in_memory(env, wave.scratch_base, bytes, write)
}

#[inline(always)]
fn interleaved(wave: &mut Wave, row: usize, add: u32, shift: u32, bytes: u32) -> Option<Private> {
    let exec = wave.exec();
    if exec == 0 || bytes > 4 {
        return None;
    }
    let addresses = &wave.row(row).0;
    // Wraps where `fits` refuses.
    let place =
        |address: u32, lane: u32| ((address & !3) << shift).wrapping_add(4 * lane + (address & 3));
    let first = exec.trailing_zeros() as usize & (LANES - 1);
    let stand_in = place(addresses[first].wrapping_add(add), first as u32);
    let mut places = [0; LANES];
    let (mut highest, mut behind) = (0, 0);
    let mut lane = 0;
    while lane < LANES {
        let mask = wave.exec_lanes.0[lane];
        let address = addresses[lane].wrapping_add(add) & mask;
        highest = highest.max(address);
        behind = behind.max(((address & 3) + bytes) & mask);
        places[lane] = place(address, lane as u32) & mask | stand_in & !mask;
        lane += 1;
    }
    let fits = (u64::from(highest) << shift) + 4 * LANES as u64 <= u64::from(u32::MAX);
    (fits && behind <= 4).then(|| Private {
        offsets: Offsets::staged(wave, &places),
        end: u64::from(highest) + u64::from(bytes),
    })
}
