//! The functions that ours stand in front of: those of whoever comes behind in the order of loading.

use std::{
    ffi::{CStr, c_void},
    sync::atomic::{AtomicPtr, Ordering},
};

/// A function to be found by its name when it is first called.
pub struct Next {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Next {
    pub const fn new(name: &'static CStr) -> Next {
        Next {
            name,
            address: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// Its address; null if nobody has it.
    pub fn address(&self) -> *mut c_void {
        let known = self.address.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        // SAFETY: the name ends with a zero; looking symbols up is allowed at any time.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        self.address.store(found, Ordering::Relaxed);
        found
    }
}

/// Calls the function of that name behind ours: `next!("open"(path: *const c_char, ...) -> c_int, or -1)`. Whoever lacks it gets
/// the value behind `or`, with ENOSYS.
#[macro_export]
macro_rules! next {
    ($name:literal ($($value:ident => $type:ty),*) -> $result:ty, or $absent:expr) => {{
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

/// What a function answers for which a negative number is an error code.
pub fn answer(result: i32) -> i32 {
    if result < 0 {
        fail(-result);
        return -1;
    }
    result
}
