//! Commands that ask for properties of the driver and its devices.

use gpu::{
    clock,
    machine::{ExceptionError, RetryError},
};
use kmt_sys::kfd;

use super::{Errno, Result, arguments::Arguments, gpu};
use crate::{calls::device, instance::Instance, source};

/// 1.18: event ages (14), virtual memory management (15), SDMA queues by engine (17).
const VERSION: kfd::Version = kfd::Version {
    major: 1,
    minor: 18,
};

pub fn version(_: &Instance, arguments: Arguments) -> Result {
    arguments.put(VERSION)
}

/// The runtime maps device ticks to host time by two samples.
pub fn clocks(instance: &Instance, arguments: Arguments) -> Result {
    let mut value: kfd::ClockCounters = arguments.get()?;
    gpu(instance, value.gpu_id)?;
    let nanoseconds = clock::nanoseconds();
    value.gpu = clock::ticks_at(nanoseconds);
    value.cpu = nanoseconds;
    value.system = device::boot_nanoseconds();
    value.frequency = 1_000_000_000;
    arguments.put(value)
}

pub fn tiles(instance: &Instance, arguments: Arguments) -> Result {
    let mut value: kfd::TileConfig = arguments.get()?;
    gpu(instance, value.gpu_id)?;
    value.address_config = device::ADDRESS_CONFIG;
    (value.tile_count, value.macro_tile_count) = (0, 0);
    (value.banks, value.ranks) = (0, 0);
    arguments.put(value)
}

pub fn acquire(instance: &Instance, arguments: Arguments) -> Result {
    let value: kfd::AcquireVm = arguments.get()?;
    gpu(instance, value.gpu_id).map(|_| ())
}

impl From<RetryError> for Errno {
    fn from(error: RetryError) -> Errno {
        Errno(match error {
            RetryError::Queues => libc::EBUSY,
            RetryError::Unsupported => libc::EPERM,
        })
    }
}

/// Sets whether kernels retry accesses to missing pages. A negative number asks for the current mode.
pub fn xnack(instance: &Instance, arguments: Arguments) -> Result {
    let value: kfd::XnackMode = arguments.get()?;
    let machine = &instance.machine;
    match value.enabled {
        0.. => Ok(device::set_retries(machine, value.enabled != 0)?),
        _ => arguments.put(kfd::XnackMode {
            enabled: i32::from(machine.retries()),
        }),
    }
}

/// The bit of the mode that says whether the process enters or leaves the debugger's way of reporting errors.
const RUNTIME_ENABLE: u32 = 1;
/// The capability by which the driver says that it writes core files itself; else the runtime does. There are none here.
const CORE_DUMPS: u32 = 1 << 31;

impl From<ExceptionError> for Errno {
    fn from(error: ExceptionError) -> Errno {
        Errno(match error {
            ExceptionError::Already => libc::EBUSY,
            ExceptionError::Queues => libc::EEXIST,
        })
    }
}

/// From now on errors are reported by exceptions, or no longer. Leaving what was never entered is allowed.
pub fn runtime_enable(instance: &Instance, arguments: Arguments) -> Result {
    let mut value: kfd::RuntimeEnable = arguments.get()?;
    let on = value.mode & RUNTIME_ENABLE != 0;
    instance.machine.set_exceptions(on)?;
    if on && value.debug != 0 {
        source::set_debug_list(value.debug);
    }
    value.capabilities = if on { CORE_DUMPS } else { 0 };
    arguments.put(value)
}
