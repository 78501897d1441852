//! `ioctl` and `mmap` on the devices, and `madvise` on their memory.

use std::ffi::{c_int, c_ulong, c_void};

use crate::{
    device, emulator, next,
    next::{answer, fail},
    unmapping,
};

/// The `type` byte of commands to the driver and to render nodes.
const TYPES: [u8; 2] = [kmt_sys::kfd::TYPE, b'd'];

/// The answer to a command if the descriptor is an emulated device.
///
/// # Safety
/// The caller must keep the rules of the C library's `ioctl`.
pub unsafe fn command(descriptor: c_int, request: c_ulong, argument: *mut c_void) -> Option<c_int> {
    if !device::any() || !TYPES.contains(&((request >> 8) as u8)) {
        return None;
    }
    let (device, core) = (device::find(descriptor)?, emulator::loaded()?);
    if !device.own {
        // The driver gives this answer to a child that uses its parent's descriptor.
        return Some(answer(-libc::EBADF));
    }
    // Programs pass the request in 32 bits or with its sign.
    // SAFETY: the argument is the caller's, of the size that the request says.
    Some(answer(unsafe {
        (core.ioctl)(device.number, request & 0xffff_ffff, argument)
    }))
}

/// Maps memory if the descriptor is an emulated device.
///
/// # Safety
/// The caller must keep the rules of the C library's `mmap`.
pub unsafe fn map(
    address: *mut c_void,
    length: usize,
    protection: c_int,
    flags: c_int,
    descriptor: c_int,
    offset: i64,
) -> Option<*mut c_void> {
    if flags & libc::MAP_FIXED != 0 {
        unmapping::tell(address, length);
    }
    if descriptor < 0 || !device::any() {
        return None;
    }
    let (device, core) = (device::find(descriptor)?, emulator::loaded()?);
    let result = if device.own {
        let (address, length, offset) = (address as u64, length as u64, offset as u64);
        // SAFETY: the caller's own request.
        unsafe { (core.mmap)(device.number, address, length, protection, flags, offset) }
    } else {
        -i64::from(libc::EBADF)
    };
    if result < 0 {
        fail(-result as i32);
        return Some(libc::MAP_FAILED);
    }
    Some(result as *mut c_void)
}

/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ioctl(
    descriptor: c_int,
    request: c_ulong,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: the caller's own request.
    match unsafe { command(descriptor, request, argument) } {
        Some(result) => result,
        None => {
            next!("ioctl"(descriptor => c_int, request => c_ulong, argument => *mut c_void) -> c_int, or -1)
        }
    }
}

macro_rules! mapping {
    ($($name:ident $text:literal;)*) => { $(
        /// # Safety
        /// The caller must keep the rules of the C library's function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            address: *mut c_void,
            length: usize,
            protection: c_int,
            flags: c_int,
            descriptor: c_int,
            offset: i64,
        ) -> *mut c_void {
            // SAFETY: the caller's own request.
            match unsafe { map(address, length, protection, flags, descriptor, offset) } {
                Some(mapped) => mapped,
                None => next!($text(
                    address => *mut c_void, length => usize, protection => c_int, flags => c_int, descriptor => c_int, offset => i64
                ) -> *mut c_void, or libc::MAP_FAILED),
            }
        }
    )* };
}

mapping! {
    mmap "mmap";
    mmap64 "mmap64";
}

/// The thunk asks that forked children do not get any memory of the device. The first access of a child to a queue or a signal would then
/// be a segmentation fault without a message. With a copy of that memory, HIP comes to a wait, which reports that the child cannot use the
/// device.
///
/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int {
    if advice == libc::MADV_DONTFORK
        && device::any()
        && let Some(core) = emulator::loaded()
        // SAFETY: the function looks the range up and touches none of it.
        && unsafe { (core.holds)(address as u64, length as u64) } == 1
    {
        return 0;
    }
    next!("madvise"(address => *mut c_void, length => usize, advice => c_int) -> c_int, or -1)
}
