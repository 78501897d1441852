//! Descriptors of the devices.
//!
//! They are files in memory whose time of modification encodes the device and its process. No list of them is needed: they can be closed,
//! duplicated by any call, inherited and passed on, and every process that has one has the device. The files are sealed, and their times
//! are older than any clock.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use kmt_sys::door::KFD;

use crate::emulator;

/// The second in which all devices were last changed: 1 January 1970 and some minutes.
const MARK: i64 = 1819;
/// The same of folders, whose files have their paths for contents.
const FOLDER_MARK: i64 = MARK + 1;
/// Devices a process can have, the driver among them; part of the number in the nanoseconds.
const DEVICES: u64 = 200;

/// True if this process has ever opened a device.
static OPENED: AtomicBool = AtomicBool::new(false);

/// The device behind a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    /// [`KFD`], or a GPU's number.
    pub number: u32,
    /// Opened by this process, not by one that it was forked from.
    pub own: bool,
}

/// Returns `true` if there can be devices among the descriptors. In processes that use no GPU, no other check is made.
pub fn any() -> bool {
    OPENED.load(Ordering::Relaxed)
}

/// Returns `true` if the system has a graphics card of its own, whose folders must stay as they are. Looked up once.
pub fn has_real_cards() -> bool {
    static KNOWN: AtomicU8 = AtomicU8::new(0);
    const NO: u8 = 1;
    const YES: u8 = 2;
    match KNOWN.load(Ordering::Relaxed) {
        NO => return false,
        YES => return true,
        _ => {}
    }
    let found = [c"/sys/class/drm/card0", c"/sys/class/drm/card1"]
        .iter()
        .any(|path| {
            // SAFETY: a string with its zero; the call looks at nothing else.
            unsafe { libc::syscall(libc::SYS_access, path.as_ptr(), libc::F_OK) == 0 }
        });
    KNOWN.store(if found { YES } else { NO }, Ordering::Relaxed);
    found
}

/// Returns `true` if a descriptor is the root folder's, in a process that has opened a device.
pub fn is_root(descriptor: i32) -> bool {
    if !any() || descriptor < 0 {
        return false;
    }
    // SAFETY: zeros are a valid `stat`, which the call fills in; the path ends with a zero.
    let root = unsafe {
        let mut root: libc::stat = std::mem::zeroed();
        (libc::syscall(libc::SYS_stat, c"/".as_ptr(), &raw mut root) == 0).then_some(root)
    };
    let found = status(descriptor);
    root.zip(found)
        .is_some_and(|(root, found)| (root.st_dev, root.st_ino) == (found.st_dev, found.st_ino))
}

fn process() -> u64 {
    // SAFETY: takes nothing and cannot fail.
    u64::from(unsafe { libc::getpid() } as u32)
}

/// The system's `stat` of the file of a descriptor.
fn status(descriptor: i32) -> Option<libc::stat> {
    // SAFETY: zeros are a valid `stat`, which the call fills in.
    unsafe {
        let mut status: libc::stat = std::mem::zeroed();
        (libc::syscall(libc::SYS_fstat, descriptor, &raw mut status) == 0).then_some(status)
    }
}

/// The emulated device behind `descriptor`, if it is one.
pub fn find(descriptor: i32) -> Option<Device> {
    if !any() || descriptor < 0 {
        return None;
    }
    let status = status(descriptor)?;
    if status.st_mtime != MARK || status.st_nlink != 0 || status.st_size != 0 {
        return None;
    }
    let code = status.st_mtime_nsec as u64;
    Some(Device {
        number: (code % DEVICES) as u32,
        own: code / DEVICES == process(),
    })
}

/// Returns `true` if `descriptor` is an emulated folder.
pub fn is_folder(descriptor: i32) -> bool {
    descriptor >= 0
        && status(descriptor).is_some_and(|status| {
            status.st_mtime == FOLDER_MARK && status.st_nlink == 0 && status.st_size > 0
        })
}

/// A new descriptor of a folder, or a negative error code.
pub fn open_folder(path: &[u8], flags: i32) -> i32 {
    let descriptor = new_text(c"kfd-folder", path, flags);
    match descriptor < 0 {
        true => descriptor,
        false => mark(descriptor, FOLDER_MARK, 0),
    }
}

/// Makes a new file what its time says, for good: the descriptor, or a negative error code.
fn mark(descriptor: i32, second: i64, nanoseconds: u64) -> i32 {
    let times = [
        libc::timespec {
            tv_sec: 0,
            tv_nsec: libc::UTIME_OMIT,
        },
        libc::timespec {
            tv_sec: second,
            tv_nsec: nanoseconds as i64,
        },
    ];
    // SAFETY: this function made the descriptor, and the array has the two elements that the call reads.
    if unsafe { libc::futimens(descriptor, times.as_ptr()) } != 0 {
        // SAFETY: this function made the descriptor, and no other code knows it.
        unsafe { libc::close(descriptor) };
        return -libc::ENOMEM;
    }
    seal(descriptor);
    descriptor
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
    let descriptor = mark(descriptor, MARK, code);
    if descriptor >= 0 {
        OPENED.store(true, Ordering::Relaxed);
    }
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

/// A file in memory with this text, at its beginning; or a negative error code.
pub fn new_text(name: &std::ffi::CStr, bytes: &[u8], flags: i32) -> i32 {
    let descriptor = new_file(name, flags);
    if descriptor < 0 {
        return descriptor;
    }
    // SAFETY: this function made the descriptor, and the buffer is readable for its length.
    let written = unsafe { libc::pwrite(descriptor, bytes.as_ptr().cast(), bytes.len(), 0) };
    if written != bytes.len() as isize {
        // SAFETY: this function made the descriptor, and no other code knows it.
        unsafe { libc::close(descriptor) };
        return -libc::ENOMEM;
    }
    descriptor
}

/// Seals the file, so that it cannot be changed any more.
pub fn seal(descriptor: i32) {
    let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_WRITE | libc::F_SEAL_SEAL;
    // SAFETY: the call only takes numbers.
    unsafe { libc::fcntl(descriptor, libc::F_ADD_SEALS, seals) };
}
