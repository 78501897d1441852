//! Destructors of thread-local variables without the dynamic linker's lock.
//!
//! Rust's standard library registers such destructors by `__cxa_thread_atexit_impl`, and glibc's version takes the lock of the dynamic
//! linker. An application that launches a kernel in the constructor of a library holds that lock and waits for Luthier's thread. The thread
//! would wait for the lock when it begins, or when it first uses such a variable. [`own_thread_exit!`](crate::own_thread_exit) gives a
//! library its own definition. It keeps destructors in a list, and a pthread key runs them when the thread ends. (They do not run for the
//! main thread at the end of a process, and Luthier needs none there.)

use std::{
    cell::Cell,
    ffi::{c_int, c_void},
    ptr,
    sync::OnceLock,
};

type Destructor = unsafe extern "C" fn(*mut c_void);

struct Entry {
    destroy: Destructor,
    object: *mut c_void,
    next: *mut Entry,
}

thread_local! {
    // (It has no destructor itself, so it is not registered anywhere.)
    static LAST: Cell<*mut Entry> = const { Cell::new(ptr::null_mut()) };
}

/// The function that the standard library calls for a variable's destructor. Returns 0, or -1 if the system has no key left.
///
/// # Safety
/// `destroy` may be called with `object` when this thread ends.
pub unsafe extern "C" fn register(
    destroy: Destructor,
    object: *mut c_void,
    _library: *mut c_void,
) -> c_int {
    static KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();
    let key = KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: the destructor is a function of this library, which stays loaded.
        (unsafe { libc::pthread_key_create(&raw mut key, Some(destroy_all)) } == 0).then_some(key)
    });
    let Some(key) = *key else { return -1 };
    let entry = Box::new(Entry {
        destroy,
        object,
        next: LAST.get(),
    });
    LAST.set(Box::into_raw(entry));
    // SAFETY: the key exists; any value but null has the destructor called.
    unsafe { libc::pthread_setspecific(key, ptr::dangling::<u8>().cast()) };
    0
}

extern "C" fn destroy_all(_: *mut c_void) {
    loop {
        let last = LAST.get();
        if last.is_null() {
            return;
        }
        // SAFETY: `register` made it, and it leaves the list here.
        let entry = unsafe { Box::from_raw(last) };
        LAST.set(entry.next);
        // SAFETY: the caller of the registration promised that the destructor takes this object.
        unsafe { (entry.destroy)(entry.object) };
    }
}

/// Defines the function that registers destructors of thread-local variables, for the library whose crate uses this macro. The function is
/// not visible outside of that library.
#[macro_export]
macro_rules! own_thread_exit {
    () => {
        #[cfg(target_arch = "x86_64")]
        core::arch::global_asm!(
            ".globl __cxa_thread_atexit_impl",
            ".hidden __cxa_thread_atexit_impl",
            ".type __cxa_thread_atexit_impl, @function",
            "__cxa_thread_atexit_impl: jmp {register}",
            ".size __cxa_thread_atexit_impl, . - __cxa_thread_atexit_impl",
            register = sym $crate::thread_exit::register,
        );
    };
}
