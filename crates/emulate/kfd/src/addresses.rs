//! libdrm's functions that hand out addresses of a device. These are the process's own, so they are reserved in it.

use std::{
    ffi::{c_int, c_void},
    sync::Mutex,
};

use guest::lock;

use crate::{drm::node, next};

const RANGE: u64 = 0x4c78 << 48;
const MARK: u64 = 0xffff << 48;
const PAGE: u64 = 4096;
/// The flag that wants addresses below 2^32.
const LOW: u64 = 1;

/// Addresses and bytes that are handed out.
static HANDED_OUT: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());

/// Reserves addresses; none where there are none.
fn reserve(size: u64, alignment: u64, wanted: u64, low: bool) -> Option<u64> {
    let alignment = alignment.max(PAGE);
    let (hint, place) = match wanted {
        0 => (0, if low { libc::MAP_32BIT } else { 0 }),
        wanted => (wanted, libc::MAP_FIXED_NOREPLACE),
    };
    // As much more as it takes to find an aligned address inside.
    let more = if wanted == 0 { alignment - PAGE } else { 0 };
    let total = size.checked_add(more)?;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | place;
    // SAFETY: nothing is replaced.
    let base = unsafe {
        libc::mmap(
            hint as *mut c_void,
            total as usize,
            libc::PROT_NONE,
            flags,
            -1,
            0,
        )
    };
    if base == libc::MAP_FAILED {
        return None;
    }
    let base = base as u64;
    if wanted != 0 && base != wanted {
        release(base, total);
        return None;
    }
    let start = base.next_multiple_of(alignment);
    release(base, start - base);
    release(start + size, base + total - (start + size));
    Some(start)
}

/// Gives addresses up.
fn release(address: u64, size: u64) {
    if size != 0 {
        // SAFETY: these addresses are reserved by this module, and were given up.
        unsafe { libc::munmap(address as *mut c_void, size as usize) };
    }
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[allow(clippy::too_many_arguments, reason = "as many as libdrm's has")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_va_range_alloc(
    device: *mut c_void,
    kind: u32,
    size: u64,
    alignment: u64,
    wanted: u64,
    result: *mut u64,
    range: *mut *mut c_void,
    flags: u64,
) -> c_int {
    if node(device).is_none() {
        return next!("amdgpu_va_range_alloc"(device => *mut c_void, kind => u32, size => u64, alignment => u64, wanted => u64, result => *mut u64, range => *mut *mut c_void, flags => u64) -> c_int, or -libc::ENODEV);
    }
    let possible = size != 0 && (alignment == 0 || alignment.is_power_of_two());
    let (Some(size), true) = (size.checked_next_multiple_of(PAGE), possible) else {
        return -libc::EINVAL;
    };
    let Some(address) = reserve(size, alignment, wanted, flags & LOW != 0) else {
        return -libc::ENOMEM;
    };
    let mut all = lock(&HANDED_OUT);
    all.push((address, size));
    // SAFETY: the caller passes memory for both results.
    unsafe {
        result.write(address);
        range.write((RANGE | address) as *mut c_void);
    }
    0
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_va_range_free(range: *mut c_void) -> c_int {
    if range as u64 & MARK != RANGE {
        return next!("amdgpu_va_range_free"(range => *mut c_void) -> c_int, or -libc::ENODEV);
    }
    let address = range as u64 & !MARK;
    let mut all = lock(&HANDED_OUT);
    let Some(index) = all.iter().position(|(start, _)| *start == address) else {
        return -libc::EINVAL;
    };
    let (_, size) = all.swap_remove(index);
    release(address, size);
    0
}
