//! Luthier's threads inside the application's process.

use std::mem::MaybeUninit;

/// Starts a thread that the application's signals do not reach, with a stack of so many bytes; false if there can be none.
pub fn spawn(name: &str, stack: usize, task: Box<dyn FnOnce() + Send>) -> bool {
    // Threads inherit the mask, so it is changed here: the new thread never runs with another one.
    // SAFETY: both sets are initialised by the calls that they are passed to first.
    unsafe {
        let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
        let started = std::thread::Builder::new()
            .name(name.into())
            .stack_size(stack)
            .spawn(task);
        libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut());
        started.is_ok()
    }
}
