//! Other copies of this library in the process, such as one of another version that a program's environment names.

use std::{
    ffi::CStr,
    sync::atomic::{AtomicU32, Ordering},
};

/// The process in which this copy works; 0 if it does not. Other copies read it.
#[unsafe(no_mangle)]
pub static LUTHIER_INTERCEPT_PROCESS: AtomicU32 = AtomicU32::new(0);
const NAME: &CStr = c"LUTHIER_INTERCEPT_PROCESS";

/// This copy works from now on, or does not any more.
pub fn announce(working: bool) {
    let process = if working { std::process::id() } else { 0 };
    LUTHIER_INTERCEPT_PROCESS.store(process, Ordering::Release);
}

/// The file of another copy that works in this process.
pub fn other() -> Option<String> {
    guest::library::loaded().iter().find_map(|name| {
        // SAFETY: the names are strings; with RTLD_NOLOAD nothing is loaded or run, and the handle is given back.
        let process = unsafe {
            let handle = libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
            if handle.is_null() {
                return None;
            }
            let found = libc::dlsym(handle, NAME.as_ptr()).cast::<AtomicU32>();
            // The look-up also searches what a library depends on, so this may be our own.
            let theirs =
                !found.is_null() && !std::ptr::eq(found, &raw const LUTHIER_INTERCEPT_PROCESS);
            let process = theirs.then(|| (*found).load(Ordering::Acquire));
            libc::dlclose(handle);
            process
        };
        (process == Some(std::process::id())).then(|| name.to_string_lossy().into_owned())
    })
}
