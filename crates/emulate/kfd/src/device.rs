//! Descriptors of the devices.
//!
//! They are files in memory whose time of modification says which device and whose process they are. So nothing needs to be
//! remembered of them: they can be closed, duplicated by any call, inherited and passed on, and whoever holds one holds the device. Such
//! files are sealed, and their times are older than any clock.

use std::sync::atomic::{AtomicBool, Ordering};

use kmt_sys::door::KFD;

use crate::emulator;

/// The second in which all devices were last changed: 1 January 1970 and some minutes.
const MARK: i64 = 1819;
/// Devices a process can have, the driver among them; part of the number in the nanoseconds.
const DEVICES: u64 = 200;

/// Whether this process has ever opened a device.
static OPENED: AtomicBool = AtomicBool::new(false);

/// What a descriptor of ours is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    /// [`KFD`], or a GPU's number.
    pub number: u32,
    /// Opened by this process, not by one that it was forked from.
    pub own: bool,
}

/// Whether there can be devices among the descriptors. The only question in processes that use no GPU.
pub fn any() -> bool {
    OPENED.load(Ordering::Relaxed)
}

fn process() -> u64 {
    // SAFETY: takes nothing and cannot fail.
    u64::from(unsafe { libc::getpid() } as u32)
}

/// What `descriptor` is, if it is a device of ours.
pub fn find(descriptor: i32) -> Option<Device> {
    if !any() || descriptor < 0 {
        return None;
    }
    // SAFETY: zeros are a valid `stat`, which the call fills in.
    let status = unsafe {
        let mut status: libc::stat = std::mem::zeroed();
        if libc::syscall(libc::SYS_fstat, descriptor, &raw mut status) != 0 {
            return None;
        }
        status
    };
    if status.st_mtime != MARK || status.st_nlink != 0 || status.st_size != 0 {
        return None;
    }
    let code = status.st_mtime_nsec as u64;
    Some(Device {
        number: (code % DEVICES) as u32,
        own: code / DEVICES == process(),
    })
}

/// A new descriptor of a device, or a negative error code. `flags`: of `open`.
pub fn open(number: u32, flags: i32) -> i32 {
    let Some(core) = emulator::get() else {
        return -libc::ENODEV;
    };
    // SAFETY: the table's functions can be called by any thread.
    let answer = unsafe { (core.open)(number) };
    if answer < 0 {
        return answer;
    }
    let name = if number == KFD { c"kfd" } else { c"renderD" };
    let descriptor = new_file(name, flags);
    if descriptor < 0 {
        return descriptor;
    }
    let code = process() * DEVICES + u64::from(number);
    let times = [
        libc::timespec {
            tv_sec: 0,
            tv_nsec: libc::UTIME_OMIT,
        },
        libc::timespec {
            tv_sec: MARK,
            tv_nsec: code as i64,
        },
    ];
    // SAFETY: the descriptor is ours, the array has its two elements.
    if unsafe { libc::futimens(descriptor, times.as_ptr()) } != 0 {
        // SAFETY: nobody has been told of the descriptor.
        unsafe { libc::close(descriptor) };
        return -libc::ENOMEM;
    }
    seal(descriptor);
    OPENED.store(true, Ordering::Relaxed);
    descriptor
}

/// An empty file in memory, or a negative error code.
pub fn new_file(name: &std::ffi::CStr, flags: i32) -> i32 {
    let close = if flags & libc::O_CLOEXEC != 0 {
        libc::MFD_CLOEXEC
    } else {
        0
    };
    // SAFETY: the name ends with a zero.
    let descriptor = unsafe { libc::memfd_create(name.as_ptr(), close | libc::MFD_ALLOW_SEALING) };
    if descriptor < 0 {
        // SAFETY: the thread's own error number.
        return -unsafe { *libc::__errno_location() };
    }
    descriptor
}

/// Lets nobody change the file any more.
pub fn seal(descriptor: i32) {
    let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_WRITE | libc::F_SEAL_SEAL;
    // SAFETY: the descriptor is ours.
    unsafe { libc::fcntl(descriptor, libc::F_ADD_SEALS, seals) };
}
