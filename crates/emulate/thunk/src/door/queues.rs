//! Queues.

use gpu::machine::{QueueError, UnitsError};
use kmt_sys::kfd::{self, queue_type};

use super::{
    Errno, Result,
    arguments::{Arguments, List},
    commands::once,
    gpu, gpu_id, refuse,
};
use crate::{instance::Instance, report::report, source};

/// Bytes of doorbells per GPU and process.
const DOORBELL_PAGE: u64 = 8 << 10;

impl From<QueueError> for Errno {
    fn from(error: QueueError) -> Errno {
        report(&format!("luthier: {error}"));
        Errno(match error {
            QueueError::NoSuchNode { .. }
            | QueueError::BadRing { .. }
            | QueueError::BadQueue { .. }
            | QueueError::Unknown { .. } => libc::EINVAL,
            QueueError::TooMany | QueueError::Thread(_) | QueueError::Memory(_) => libc::ENOMEM,
        })
    }
}

/// The driver's answer to a kind of queues that it does not know: a number of Linux's own, which C libraries have no name for.
const NOT_SUPPORTED: i32 = 524;
/// Behind the last address that a program can have.
const END_OF_PROGRAM: u64 = 1 << 47;

/// Refuses addresses that no program has.
fn check_addresses(addresses: &[u64]) -> Result {
    match addresses.iter().all(|address| *address < END_OF_PROGRAM) {
        true => Ok(()),
        false => refuse(libc::EFAULT),
    }
}

/// Refuses a queue's percentage, priority and ring as the driver does.
fn check(percentage: u32, priority: u32, ring_size: u32) -> Result {
    const MOST_PERCENT: u32 = 100;
    const HIGHEST_PRIORITY: u32 = 15;
    // The upper bits choose a die for queues that are none of AQL.
    let possible = percentage & 0xff <= MOST_PERCENT
        && priority <= HIGHEST_PRIORITY
        && (ring_size == 0 || ring_size.is_power_of_two());
    if possible {
        Ok(())
    } else {
        refuse(libc::EINVAL)
    }
}

/// Priorities and engines make no difference to what is computed.
pub fn create(instance: &Instance, arguments: Arguments) -> Result {
    let mut value: kfd::CreateQueue = arguments.get()?;
    check(value.percentage, value.priority, value.ring_size)?;
    check_addresses(&[
        value.ring,
        value.read_pointer,
        value.write_pointer,
        value.eop_buffer,
        value.context_area,
    ])?;
    let (node, _) = gpu(instance, value.gpu_id)?;
    let machine = &instance.machine;
    let size = u64::from(value.ring_size);
    let queue = match value.queue_type {
        queue_type::COMPUTE_AQL => {
            // These runtimes do not tell where their list of loaded code is.
            source::find_debug_list();
            let positions = (value.write_pointer, value.read_pointer);
            machine.create_saved_queue(node, value.ring, size, positions, value.context_area)?
        }
        queue_type::SDMA | queue_type::SDMA_XGMI | queue_type::SDMA_BY_ENGINE => {
            let positions = Some((value.write_pointer, value.read_pointer));
            machine.create_sdma_queue(node, value.ring, size, positions)?
        }
        queue_type::COMPUTE => {
            let positions = (value.write_pointer, value.read_pointer);
            machine.create_compute_queue(node, value.ring, size, positions, value.context_area)?
        }
        other => {
            once(
                u64::from(other),
                &format!("queues of type {other} are not emulated"),
            );
            return refuse(NOT_SUPPORTED);
        }
    };
    value.queue_id = queue.id as u32;
    value.doorbell_offset = kfd::MMAP_DOORBELL
        | u64::from(gpu_id(node)) << kfd::MMAP_GPU_SHIFT
        | (queue.id * 8) & (DOORBELL_PAGE - 1);
    arguments.put(value)
}

/// A percentage of zero, or no ring, suspends the queue.
pub fn update(instance: &Instance, arguments: Arguments) -> Result {
    let value: kfd::UpdateQueue = arguments.get()?;
    check(value.percentage, value.priority, value.ring_size)?;
    let stop = value.percentage & 0xff == 0 || value.ring == 0 || value.ring_size == 0;
    check_addresses(&[value.ring])?;
    let id = u64::from(value.queue_id);
    match instance.machine.suspend_queue(id, stop) {
        // Unlike the end of a queue that is not there.
        Err(QueueError::Unknown { .. }) => refuse(libc::EFAULT),
        other => Ok(other?),
    }
}

pub fn destroy(instance: &Instance, arguments: Arguments) -> Result {
    let value: kfd::Number = arguments.get()?;
    Ok(instance.machine.destroy_queue(u64::from(value.number))?)
}

pub fn set_mask(instance: &Instance, arguments: Arguments) -> Result {
    let value: kfd::CuMask = arguments.get()?;
    if value.bits == 0 || !value.bits.is_multiple_of(32) {
        return refuse(libc::EINVAL);
    }
    // No device has more units.
    let words = value.bits.min(1024) / 32;
    let mask = List::<u32>::new(value.mask, words as usize)?.get();
    let set = instance.machine.set_units(u64::from(value.queue_id), &mask);
    set.map_err(|error| {
        Errno(match error {
            UnitsError::Unknown { .. } => libc::EFAULT,
            UnitsError::Pairs => libc::EINVAL,
        })
    })
}

/// Global wave sync resources belong to the device, not to queues, so the first is always number 0.
pub fn allocate_wave_sync(_: &Instance, arguments: Arguments) -> Result {
    let value: kfd::AllocQueueGws = arguments.get()?;
    arguments.put(kfd::AllocQueueGws { first: 0, ..value })
}
