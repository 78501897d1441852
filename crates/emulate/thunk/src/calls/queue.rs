//! Queues.

use std::mem::offset_of;

use gpu::machine::{QueueError, UnitsError};
use kmt_sys::thunk::{QueueResource, Status, queue_type};

use crate::{
    ffi::{In, Out, Result},
    instance::instance,
    report::report,
};

fn status(error: QueueError) -> Status {
    report(&format!("luthier: {error}"));
    match error {
        QueueError::NoSuchNode { .. } => Status::InvalidNodeUnit,
        QueueError::BadRing { .. } | QueueError::BadQueue { .. } => Status::InvalidParameter,
        QueueError::TooMany | QueueError::Thread(_) => Status::OutOfResources,
        QueueError::Unknown { .. } => Status::InvalidHandle,
        QueueError::Memory(_) => Status::NoMemory,
    }
}

/// For AQL queues the position pointers are inputs, pointing into the `amd_queue_t`; for SDMA queues they are outputs.
pub fn create(node: u32, kind: u32, ring: u64, size: u64, resource: Out<QueueResource>) -> Result {
    let machine = &instance()?.machine;
    let mut value = resource.get()?;
    let queue = match kind {
        queue_type::COMPUTE_AQL => {
            let address = value
                .read_pointer
                .wrapping_sub(offset_of!(aql::AmdQueue, read_dispatch_id) as u64);
            machine.create_aql_queue(node, ring, size, address)
        }
        queue_type::SDMA | queue_type::SDMA_XGMI => {
            machine.create_sdma_queue(node, ring, size, None)
        }
        _ => return Err(Status::NotSupported),
    };
    let queue = queue.map_err(status)?;
    value.queue_id = queue.id;
    value.doorbell = queue.doorbell;
    value.write_pointer = queue.write_pointer;
    value.read_pointer = queue.read_pointer;
    resource.put(value)
}

/// A percentage of zero, or no ring, suspends the queue. ROCr does so after an error.
pub fn update(queue: u64, percentage: u32, ring: u64, size: u64) -> Result {
    let stop = percentage == 0 || ring == 0 || size == 0;
    let machine = &instance()?.machine;
    machine.suspend_queue(queue, stop).map_err(status)
}

/// Restricts a queue to compute units, by `count` bits.
pub fn set_mask(queue: u64, count: u32, mask: In<u32>) -> Result {
    if count == 0 || !count.is_multiple_of(32) {
        return Err(Status::InvalidParameter);
    }
    let mask = mask.list(count as usize / 32)?;
    let set = instance()?.machine.set_units(queue, &mask);
    set.map_err(|error| match error {
        UnitsError::Unknown { .. } => Status::InvalidHandle,
        UnitsError::Pairs => Status::Error,
    })
}

pub fn destroy(queue: u64) -> Result {
    instance()?.machine.destroy_queue(queue).map_err(status)
}

/// Global wave sync resources belong to the device, not to queues, so the first is always number 0.
pub fn allocate_wave_sync(first: Out<u32>) -> Result {
    first.put_if_wanted(0);
    Ok(())
}
