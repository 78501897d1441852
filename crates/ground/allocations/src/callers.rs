//! The functions of the host that led to a call.

use std::ffi::{CStr, c_char, c_void};

/// Most callers that are kept of one call.
const DEPTH: usize = 32;

/// Callers of one call, innermost first, as addresses of code.
pub type Callers = Vec<usize>;

/// The callers, innermost first.
pub fn callers() -> Callers {
    let mut frames = [std::ptr::null_mut::<c_void>(); DEPTH];
    // SAFETY: the array has so many places.
    let count = unsafe { libc::backtrace(frames.as_mut_ptr(), DEPTH as i32) };
    let frames = frames.iter().take(usize::try_from(count).unwrap_or(0));
    frames.map(|frame| *frame as usize).collect()
}

/// Parts of the names of files that stand between the program and memory, and are not the program.
const BETWEEN: [&str; 6] = [
    "libamdhip64",
    "libhsa-runtime64",
    "libhsakmt",
    "luthier",
    "libc.so",
    "ld-linux",
];

/// The innermost caller in the program: its file, and where in it. `None`: no caller is known.
pub fn in_program(callers: &[usize]) -> Option<String> {
    callers.iter().find_map(|caller| {
        // The address is where the call returns to.
        let (path, offset) = module(caller.saturating_sub(1))?;
        let file = path.rsplit('/').next().unwrap_or(&path);
        if BETWEEN.iter().any(|part| file.contains(part)) {
            return None;
        }
        Some(format!("{file}+{offset:#x}"))
    })
}

/// The file of the code at an address, and where in it, in bytes from its first byte in memory.
pub fn module(address: usize) -> Option<(String, usize)> {
    let info = loaders(address)?;
    let offset = address.checked_sub(info.dli_fbase as usize)?;
    Some((text(info.dli_fname)?, offset))
}

/// The function with the code at an address, if its file exports it.
pub(crate) fn function(address: usize) -> Option<String> {
    text(loaders(address)?.dli_sname)
}

/// The loader's account of an address.
fn loaders(address: usize) -> Option<libc::Dl_info> {
    // SAFETY: zeros are a value of it.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be asked for, and `info` is a local variable.
    let found = unsafe { libc::dladdr(address as *const c_void, &mut info) };
    (found != 0).then_some(info)
}

/// A name of the loader's; none if there is none.
fn text(name: *const c_char) -> Option<String> {
    if name.is_null() {
        return None;
    }
    // SAFETY: the loader's names are C strings that it keeps.
    let name = unsafe { CStr::from_ptr(name) };
    Some(name.to_string_lossy().into_owned())
}
