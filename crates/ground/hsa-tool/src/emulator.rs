//! The emulated device, if the process has one: it answers what the driver's library cannot.

use std::{
    ffi::{CStr, c_void},
    ptr::NonNull,
};

use crate::library;

/// The emulator has the name of the library that it stands in for.
const LIBRARY: &CStr = c"libhsakmt.so.1";
/// `extern "C" fn()`: tells the user which kernels run, on standard error. The driver's library has no function of this name.
pub const TELL_RUNNING: &CStr = c"luthier_tell_running";
/// `unsafe extern "C" fn(Seen, *mut c_void)`: where waves are, see `luthier_running_places` of the emulator.
pub const RUNNING_PLACES: &CStr = c"luthier_running_places";

/// A function of the emulator's; `None` if there is no emulator.
pub fn function(name: &CStr) -> Option<NonNull<c_void>> {
    library::symbol(LIBRARY, name)
}

/// Whether a signal handler is the emulator's.
pub fn has_handler(handler: libc::sighandler_t) -> bool {
    handler != libc::SIG_DFL
        && handler != libc::SIG_IGN
        && function(TELL_RUNNING)
            .is_some_and(|tells| library::is_same(tells.as_ptr(), handler as *const c_void))
}
