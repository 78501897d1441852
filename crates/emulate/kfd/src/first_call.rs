//! The program's first call of HIP, which opens the driver: an emulator that is loaded then has missed it, and the memory that it gives.
//!
//! If the emulator follows what the program does with memory, it is therefore loaded before. A program that is linked with HIP gets it when the
//! program begins. Any other program gets it when it looks up the first function after HIP was loaded.

use std::{
    ffi::{CStr, c_void},
    os::unix::ffi::OsStrExt,
    path::Path,
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use guest::library;
use kmt_sys::door::EARLY_VARIABLES;

use crate::emulator;

#[used]
#[unsafe(link_section = ".init_array")]
static BEGUN: extern "C" fn() = be_in_time;

/// Loads the emulator if it is needed, HIP is loaded, and this was not tried yet.
pub extern "C" fn be_in_time() {
    static SEEN: AtomicU64 = AtomicU64::new(0);
    static TRIED: AtomicBool = AtomicBool::new(false);
    if !is_wanted() || TRIED.load(Ordering::Acquire) {
        return;
    }
    let loads = library::loads();
    // The emulator, while it is loaded, looks functions up as well.
    if SEEN.swap(loads, Ordering::AcqRel) != loads
        && library::is_loaded(library::HIP)
        && !TRIED.swap(true, Ordering::AcqRel)
    {
        emulator::get();
    }
}

/// The function that a program gets which looks up this one. Null stays null.
pub fn instead_of(name: &CStr, found: *mut c_void) -> *mut c_void {
    match emulator::loaded() {
        // SAFETY: the name is a string.
        Some(core) if is_wanted() && !found.is_null() => unsafe {
            (core.instead_of)(name.as_ptr(), found)
        },
        _ => found,
    }
}

/// Returns `true` if the user has the emulator follow what the program does with memory.
pub fn is_wanted() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| {
        EARLY_VARIABLES.iter().any(|name| {
            // SAFETY: the name is a string; the value is one, or null, and stays as it is during the call.
            unsafe {
                let value = libc::getenv(name.as_ptr());
                !value.is_null() && *value != 0
            }
        })
    })
}

/// Returns `true` if this code is HIP's or Luthier's own, which look up what HIP itself does.
pub fn is_below(code: *const c_void) -> bool {
    const FILES: [&[u8]; 3] = [b"libamdhip64", b"luthier", b"libhsakmt"];
    let path = library::path_of(code);
    let file = path.as_deref().and_then(Path::file_name);
    file.is_some_and(|file| {
        let file = file.as_bytes();
        FILES.iter().any(|part| library::contains(file, part))
    })
}

/// Returns `true` if a function of HIP may have this name.
pub fn is_of_hip(name: &CStr) -> bool {
    let name = name.to_bytes();
    name.starts_with(b"hip") || name.starts_with(b"__hip")
}
