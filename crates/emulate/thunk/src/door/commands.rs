//! All commands of the driver: their names, and what answers them.

use std::{ffi::c_void, sync::Mutex};

use kmt_sys::{door, kfd, kfd::command::*};

use super::{
    Errno, Result, apertures, arguments::Arguments, buffers, devices, events, exchange, memory,
    queues, refuse, shared, system_events,
};
use crate::{
    ffi::traced,
    instance::{Instance, instance},
    report::report,
};

type Body = fn(&Instance, Arguments) -> Result;

/// The answer to a command.
enum Answer {
    Does(Body),
    /// Taken notice of; there is nothing to do.
    Accepted,
    /// The runtime copes with this error.
    Refused(i32),
    /// The error of a driver or a device that lacks it, and what it is.
    Unsupported(i32, &'static str),
    /// Not emulated. The message asks the user to report it.
    Missing(&'static str),
}

use Answer::{Accepted, Does, Missing, Refused, Unsupported};

#[rustfmt::skip]
const COMMANDS: &[(u8, &str, Answer)] = &[
    (GET_VERSION,               "GET_VERSION",               Does(devices::version)),
    (CREATE_QUEUE,              "CREATE_QUEUE",              Does(queues::create)),
    (DESTROY_QUEUE,             "DESTROY_QUEUE",             Does(queues::destroy)),
    (SET_MEMORY_POLICY,         "SET_MEMORY_POLICY",         Accepted),
    (GET_CLOCK_COUNTERS,        "GET_CLOCK_COUNTERS",        Does(devices::clocks)),
    (GET_PROCESS_APERTURES,     "GET_PROCESS_APERTURES",     Missing("GET_PROCESS_APERTURES_NEW is there since 2016")),
    (UPDATE_QUEUE,              "UPDATE_QUEUE",              Does(queues::update)),
    (CREATE_EVENT,              "CREATE_EVENT",              Does(events::create)),
    (DESTROY_EVENT,             "DESTROY_EVENT",             Does(events::destroy)),
    (SET_EVENT,                 "SET_EVENT",                 Does(events::set)),
    (RESET_EVENT,               "RESET_EVENT",               Does(events::reset)),
    (WAIT_EVENTS,               "WAIT_EVENTS",               Does(events::wait)),
    (DBG_REGISTER,              "DBG_REGISTER",              Refused(libc::EPERM)),
    (DBG_UNREGISTER,            "DBG_UNREGISTER",            Refused(libc::EPERM)),
    (DBG_ADDRESS_WATCH,         "DBG_ADDRESS_WATCH",         Refused(libc::EPERM)),
    (DBG_WAVE_CONTROL,          "DBG_WAVE_CONTROL",          Refused(libc::EPERM)),
    (SET_SCRATCH_BACKING_VA,    "SET_SCRATCH_BACKING_VA",    Accepted),
    (GET_TILE_CONFIG,           "GET_TILE_CONFIG",           Does(devices::tiles)),
    (SET_TRAP_HANDLER,          "SET_TRAP_HANDLER",          Accepted),
    (GET_PROCESS_APERTURES_NEW, "GET_PROCESS_APERTURES_NEW", Does(apertures::list)),
    (ACQUIRE_VM,                "ACQUIRE_VM",                Does(devices::acquire)),
    (ALLOC_MEMORY_OF_GPU,       "ALLOC_MEMORY_OF_GPU",       Does(memory::allocate)),
    (FREE_MEMORY_OF_GPU,        "FREE_MEMORY_OF_GPU",        Does(memory::free)),
    (MAP_MEMORY_TO_GPU,         "MAP_MEMORY_TO_GPU",         Does(memory::map)),
    (UNMAP_MEMORY_FROM_GPU,     "UNMAP_MEMORY_FROM_GPU",     Does(memory::unmap)),
    (SET_CU_MASK,               "SET_CU_MASK",               Does(queues::set_mask)),
    (GET_QUEUE_WAVE_STATE,      "GET_QUEUE_WAVE_STATE",      Missing("queues are not saved to memory")),
    (GET_DMABUF_INFO,           "GET_DMABUF_INFO",           Does(exchange::describe)),
    (IMPORT_DMABUF,             "IMPORT_DMABUF",             Does(exchange::import_descriptor)),
    (ALLOC_QUEUE_GWS,           "ALLOC_QUEUE_GWS",           Does(queues::allocate_wave_sync)),
    (SMI_EVENTS,                "SMI_EVENTS",                Does(system_events::open)),
    (SVM,                       "SVM",                       Does(shared::attributes)),
    (SET_XNACK_MODE,            "SET_XNACK_MODE",            Does(devices::xnack)),
    (CRIU_OP,                   "CRIU_OP",                   Missing("checkpoints")),
    (AVAILABLE_MEMORY,          "AVAILABLE_MEMORY",          Does(memory::available)),
    (EXPORT_DMABUF,             "EXPORT_DMABUF",             Does(exchange::export_descriptor)),
    (RUNTIME_ENABLE,            "RUNTIME_ENABLE",            Does(devices::runtime_enable)),
    (DBG_TRAP,                  "DBG_TRAP",                  Unsupported(libc::EPERM, "debuggers, for which waves are saved and run trap handlers,")),
    (CREATE_PROCESS,            "CREATE_PROCESS",            Missing("a second context of one process")),
    (IPC_IMPORT_HANDLE,         "IPC_IMPORT_HANDLE",         Does(exchange::import_handle)),
    (IPC_EXPORT_HANDLE,         "IPC_EXPORT_HANDLE",         Does(exchange::export_handle)),
    (OLD_DBG_TRAP,              "DBG_TRAP (0x82)",           Refused(libc::EINVAL)),
    (CROSS_MEMORY_COPY,         "CROSS_MEMORY_COPY",         Missing("copies between processes")),
    (RLC_SPM,                   "RLC_SPM",                   Unsupported(libc::EINVAL, "streams of performance counters")),
    (PC_SAMPLE,                 "PC_SAMPLE",                 Unsupported(libc::EOPNOTSUPP, "sampling of program counters")),
    (PROFILER,                  "PROFILER",                  Unsupported(libc::EINVAL, "performance counters")),
    (AIS,                       "AIS",                       Missing("copies between files and devices")),
];

/// Runs a command; zero, or a negative error code.
pub fn run(device: u32, request: u64, argument: *mut c_void) -> i32 {
    let (kind, number) = ((request >> 8) as u8, request as u8);
    let row = COMMANDS.iter().find(|(row, ..)| *row == number);
    let of_driver = device == door::KFD && kind == kfd::TYPE;
    let arguments = Arguments::new(request, argument);
    let result = match row.filter(|_| of_driver) {
        Some((_, name, answer)) => {
            let result = guarded(|| answered(name, answer, arguments));
            trace(name, result);
            result
        }
        None if device != door::KFD && kind == buffers::TYPE => {
            let result = guarded(|| {
                let instance = instance().map_err(|_| Errno(libc::EBADF))?;
                buffers::command(instance, device, number, arguments)
            });
            trace("a command of the render node", result);
            result
        }
        None => {
            let place = if device == door::KFD {
                "/dev/kfd"
            } else {
                "a render node"
            };
            once(
                request,
                &format!("command {request:#x} to {place} is not known"),
            );
            // The driver's answer to what it does not know; other kinds of files' commands are none of its own.
            let is_own = matches!((device, kind), (door::KFD, kfd::TYPE));
            refuse(if is_own { libc::EINVAL } else { libc::ENOTTY })
        }
    };
    result.err().map_or(0, |Errno(code)| -code)
}

fn answered(name: &str, answer: &Answer, arguments: Arguments) -> Result {
    let instance = instance().map_err(|_| Errno(libc::EBADF))?;
    match answer {
        Does(body) => body(instance, arguments),
        Accepted => Ok(()),
        Refused(code) => refuse(*code),
        Unsupported(code, what) => {
            told_once(
                name.as_ptr() as u64,
                &format!(
                    "the emulated driver: AMDKFD_IOC_{name} is not emulated: {what} are answered as unsupported"
                ),
            );
            refuse(*code)
        }
        Missing(what) => {
            once(
                name.as_ptr() as u64,
                &format!("AMDKFD_IOC_{name} is not emulated ({what})"),
            );
            refuse(libc::EINVAL)
        }
    }
}

/// A panic becomes an error instead of unwinding into C.
pub fn guarded<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    guest::contain(body, || ()).unwrap_or(refuse(libc::EIO))
}

pub fn trace(name: &str, result: Result) {
    if traced() {
        report(&match result {
            Ok(()) => format!("luthier: {name}: done"),
            Err(Errno(code)) => format!("luthier: {name}: error {code}"),
        });
    }
}

/// Tells the user what is missing, once for each `key`.
pub fn once(key: u64, what: &str) {
    told_once(
        key,
        &format!("the emulated driver: {what}; please report it with the versions of ROCr and HIP"),
    );
}

/// Tells the user something, once for each `key`.
pub fn told_once(key: u64, what: &str) {
    static SAID: Mutex<Vec<u64>> = Mutex::new(Vec::new());
    let Ok(mut said) = SAID.lock() else { return };
    if !said.contains(&key) {
        said.push(key);
        report(&format!("luthier: {what}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_up_to_the_last_has_its_row_in_order() {
        let numbers: Vec<u8> = COMMANDS.iter().map(|(number, ..)| *number).collect();
        let all: Vec<u8> = (GET_VERSION..=CREATE_PROCESS)
            .chain(IPC_IMPORT_HANDLE..=AIS)
            .collect();
        assert_eq!(numbers, all);
    }
}
