//! Who has called, on the host.

use std::ffi::{CStr, c_void};

/// Most callers that are kept of one call.
const DEPTH: usize = 32;

/// Callers of one call, innermost first, as addresses of code.
pub type Callers = Vec<usize>;

/// Who has called, innermost first.
pub fn callers() -> Callers {
    let mut frames = [std::ptr::null_mut::<c_void>(); DEPTH];
    // SAFETY: the array has so many places.
    let count = unsafe { libc::backtrace(frames.as_mut_ptr(), DEPTH as i32) };
    let frames = frames.iter().take(usize::try_from(count).unwrap_or(0));
    frames.map(|frame| *frame as usize).collect()
}

/// The file of the code at an address, and where in it, in bytes from its first byte in memory.
pub fn module(address: usize) -> Option<(String, usize)> {
    // SAFETY: zeros are a value of it.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be asked for, and `info` is a local variable.
    let found = unsafe { libc::dladdr(address as *const c_void, &mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the name is a C string that belongs to the loader.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    let offset = address.checked_sub(info.dli_fbase as usize)?;
    Some((name.to_string_lossy().into_owned(), offset))
}
