//! Runs when the library is loaded. If it is preloaded, that is before the program's own code. Tools that wrap functions of HIP begin here,
//! because HSA, which calls this library later, is started by a call of HIP that they may want to see.

use std::ffi::{CStr, c_int, c_void};

use crate::state::guarded;

#[used]
#[unsafe(link_section = ".init_array")]
static LOADED: extern "C" fn() = loaded;

extern "C" fn loaded() {
    guarded(|| {
        if let Ok(libraries) = std::env::var(tool_capi::WRAPS)
            && has_hip()
        {
            tool_capi::wrap(&libraries);
        }
    });
}

/// Returns `true` if HIP's runtime is in the process: shells and other programs on the way to it are left alone.
fn has_hip() -> bool {
    unsafe extern "C" fn is_hip(
        object: *mut libc::dl_phdr_info,
        _: usize,
        _: *mut c_void,
    ) -> c_int {
        // SAFETY: the loader's description of an object, valid during the call, with a string in it.
        let name = unsafe { CStr::from_ptr((*object).dlpi_name) };
        let name = name.to_bytes();
        name.windows(HIP.len()).any(|part| part == HIP).into()
    }
    // SAFETY: a function of the right type, which keeps nothing.
    unsafe { libc::dl_iterate_phdr(Some(is_hip), std::ptr::null_mut()) != 0 }
}

const HIP: &[u8] = b"/libamdhip64.so";
