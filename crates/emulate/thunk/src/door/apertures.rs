//! The address ranges of a device's apertures.

use gpu::dispatch::{LDS_APERTURE_BASE, SCRATCH_APERTURE_BASE};
use kmt_sys::kfd;

use super::{
    Result,
    arguments::{Arguments, List},
    gpu_id,
};
use crate::instance::Instance;

const APERTURE_SIZE: u64 = 4 << 30;
/// All that a program can have, which makes the thunk take addresses from the host's `mmap`.
const GPUVM: (u64, u64) = (0x100_0000, (1 << 47) - 1);

/// Fills as much as there is room for, and says how much that was. Without room it says how much there is.
pub fn list(instance: &Instance, arguments: Arguments) -> Result {
    let mut value: kfd::ProcessApertures = arguments.get()?;
    let nodes = 1..=instance.machine.gpus().len() as u32;
    let rows: Vec<kfd::Apertures> = nodes
        .map(|node| kfd::Apertures {
            lds_base: LDS_APERTURE_BASE,
            lds_limit: LDS_APERTURE_BASE + APERTURE_SIZE - 1,
            scratch_base: SCRATCH_APERTURE_BASE,
            scratch_limit: SCRATCH_APERTURE_BASE + APERTURE_SIZE - 1,
            gpuvm_base: GPUVM.0,
            gpuvm_limit: GPUVM.1,
            gpu_id: gpu_id(node),
            pad: 0,
        })
        .collect();
    if value.count == 0 {
        value.count = rows.len() as u32;
    } else {
        let room = value.count.min(rows.len() as u32);
        List::new(value.array, room as usize)?.put(&rows);
        value.count = room;
    }
    arguments.put(value)
}
