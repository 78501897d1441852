//! `munmap` and `mremap`: the emulator hears which addresses the program gives up.
//!
//! The kernel tells its driver. Memory that the C library unmaps by itself, as `free` does, is not heard of.

use std::{
    ffi::{c_int, c_void},
    sync::atomic::{AtomicPtr, Ordering},
};

use kmt_sys::door::Unmapped;

use crate::next;

/// The emulator's function; null until this process has an emulated device.
static LISTENER: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// Called by the emulator: `kmt_sys::door::LISTEN_SYMBOL`.
#[unsafe(no_mangle)]
pub extern "C" fn luthier_kfd_listen(listener: Unmapped) {
    LISTENER.store(listener as *mut c_void, Ordering::Release);
}

/// Tells the emulator that the program gives up these addresses, unless the kernel refuses that.
pub fn tell(address: *mut c_void, length: usize) {
    const PAGE: usize = 4096;
    let listener = LISTENER.load(Ordering::Acquire);
    if listener.is_null() || !(address as usize).is_multiple_of(PAGE) {
        return;
    }
    let Some(length) = length.checked_next_multiple_of(PAGE) else {
        return;
    };
    // SAFETY: the emulator passed a function of this type, and is never unloaded.
    unsafe {
        let listener = std::mem::transmute::<*mut c_void, Unmapped>(listener);
        listener(address as u64, length as u64);
    }
}

/// The same before a call of `munmap` that another function makes.
///
/// # Safety
/// The caller must keep the rules of the C library's `munmap`.
pub unsafe fn told(address: *mut c_void, length: usize) -> Option<c_int> {
    tell(address, length);
    None
}

/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn munmap(address: *mut c_void, length: usize) -> c_int {
    // Before the call: afterwards another thread may have mapped something there.
    tell(address, length);
    next!("munmap"(address => *mut c_void, length => usize) -> c_int, or -1)
}

/// The C library takes the last argument only where `flags` say that there is one.
///
/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mremap(
    address: *mut c_void,
    old_length: usize,
    new_length: usize,
    flags: c_int,
    new_address: *mut c_void,
) -> *mut c_void {
    if flags & libc::MREMAP_FIXED != 0 {
        tell(new_address, new_length);
    }
    let moved = next!("mremap"(
        address => *mut c_void, old_length => usize, new_length => usize, flags => c_int, new_address => *mut c_void
    ) -> *mut c_void, or libc::MAP_FAILED);
    if moved != libc::MAP_FAILED {
        if moved != address {
            tell(address, old_length);
        } else if let Some(behind) = old_length.checked_sub(new_length) {
            tell(address.wrapping_byte_add(new_length), behind);
        }
    }
    moved
}
