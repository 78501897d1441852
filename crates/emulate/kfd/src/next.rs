//! The functions that this library's functions replace: the next ones in the order of loading.

use std::{
    ffi::{CStr, c_char, c_void},
    sync::atomic::{AtomicPtr, Ordering},
};

/// A function to be found by its name when it is first called.
#[repr(C)]
pub struct Next {
    /// Ends with a zero.
    name: *const c_char,
    address: AtomicPtr<c_void>,
}

// SAFETY: the name is a constant.
unsafe impl Sync for Next {}

impl Next {
    pub const fn new(name: &'static CStr) -> Next {
        Next {
            name: name.as_ptr(),
            address: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// Its address; null if no library has it.
    pub fn address(&self) -> *mut c_void {
        let known = self.address.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        // SAFETY: the name ends with a zero; looking symbols up is allowed at any time.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name) };
        self.address.store(found, Ordering::Relaxed);
        found
    }
}

/// Looks up everything that was not called yet: `kmt_sys::door::RESOLVE_SYMBOL`.
#[unsafe(no_mangle)]
pub extern "C" fn luthier_kfd_resolve() {
    unsafe extern "C" {
        /// The linker's names of where the section begins and ends.
        #[link_name = "__start_luthier_next"]
        static FIRST: Next;
        #[link_name = "__stop_luthier_next"]
        static END: Next;
    }
    let end = &raw const END;
    let mut next = &raw const FIRST;
    while next < end {
        // SAFETY: nothing but such statics lies in the section, one behind the other.
        unsafe {
            (*next).address();
            next = next.add(1);
        }
    }
}

/// Calls the next function of that name: `next!("open"(path: *const c_char, ...) -> c_int, or -1)`. If no library has it, the result is the
/// value behind `or`, with ENOSYS.
#[macro_export]
macro_rules! next {
    ($name:literal ($($value:ident => $type:ty),*) -> $result:ty, or $absent:expr) => {{
        // With all others in one section, for [`luthier_kfd_resolve`].
        #[used]
        #[unsafe(link_section = "luthier_next")]
        static NEXT: $crate::next::Next = $crate::next::Next::new(unsafe {
            // SAFETY: the literal is given a zero at its end and has none before.
            std::ffi::CStr::from_bytes_with_nul_unchecked(concat!($name, "\0").as_bytes())
        });
        let address = NEXT.address();
        if address.is_null() {
            $crate::next::fail(libc::ENOSYS);
            $absent
        } else {
            // SAFETY: this is the function of that name, which has this type; the arguments are the caller's own.
            unsafe {
                let function: unsafe extern "C" fn($($type),*) -> $result = std::mem::transmute(address);
                function($($value),*)
            }
        }
    }};
}

/// Sets the thread's error number.
pub fn fail(code: i32) {
    // SAFETY: the address is the calling thread's own.
    unsafe { *libc::__errno_location() = code };
}

/// The answer of a function whose negative results are error codes.
pub fn answer(result: i32) -> i32 {
    if result < 0 {
        fail(-result);
        return -1;
    }
    result
}
