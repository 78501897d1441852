//! comgr, the compiler inside HIP: the emulator keeps what it has made.
//!
//! HIP opens the library by its name and looks its functions up, so that [`crate::lookup`] can hand out this one instead.

use std::{
    ffi::{CStr, c_void},
    ptr,
    sync::atomic::{AtomicPtr, Ordering},
};

use kmt_sys::door::{Action, Compile};

pub const NAME: &CStr = c"amd_comgr_do_action";

/// comgr's function, of the first library that was asked for it.
static THEIRS: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
/// The emulator's; null until this process has an emulated device.
static COMPILE: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// Called by the emulator: `kmt_sys::door::COMPILE_SYMBOL`.
#[unsafe(no_mangle)]
pub extern "C" fn luthier_kfd_compile(compile: Compile) {
    COMPILE.store(compile as *mut c_void, Ordering::Release);
}

/// The function that a program gets instead of comgr's. A second comgr in the process keeps its own.
pub fn instead_of(theirs: *mut c_void) -> *mut c_void {
    if theirs.is_null() {
        return theirs;
    }
    let known =
        THEIRS.compare_exchange(ptr::null_mut(), theirs, Ordering::AcqRel, Ordering::Acquire);
    match known {
        Ok(_) => act as *mut c_void,
        Err(known) if known == theirs => act as *mut c_void,
        Err(_) => theirs,
    }
}

unsafe extern "C" fn act(kind: u32, info: u64, input: u64, result: u64) -> i32 {
    // SAFETY: a program gets this function when comgr's is known, which has this type. The arguments are the caller's own. The emulator
    // passed a function of its type, and is never unloaded.
    unsafe {
        let theirs = std::mem::transmute::<*mut c_void, Action>(THEIRS.load(Ordering::Acquire));
        let compile = COMPILE.load(Ordering::Acquire);
        if compile.is_null() {
            return theirs(kind, info, input, result);
        }
        std::mem::transmute::<*mut c_void, Compile>(compile)(theirs, kind, info, input, result)
    }
}
