//! The life of a process that a tool is in: how it ends, and that a forked child is another process.

use std::sync::{
    Once,
    atomic::{AtomicPtr, Ordering},
};

use crate::library;

/// State that a process has once. A forked child has none until it makes its own, because the runtime does not survive a fork. It is never
/// freed, because Luthier's code may run on any thread until the process ends.
pub struct PerProcess<T>(AtomicPtr<Held<T>>);

struct Held<T> {
    process: u32,
    value: T,
}

impl<T: Send + Sync + 'static> PerProcess<T> {
    #[expect(clippy::new_without_default, reason = "statics need a constant")]
    pub const fn new() -> PerProcess<T> {
        PerProcess(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// Makes `value` the one of this process; one that was there before stays in memory.
    pub fn set(&self, value: T) -> &'static T {
        let process = std::process::id();
        let held: &'static Held<T> = Box::leak(Box::new(Held { process, value }));
        self.0
            .store(std::ptr::from_ref(held).cast_mut(), Ordering::Release);
        &held.value
    }

    /// The one of this process.
    pub fn get(&self) -> Option<&'static T> {
        let held = self.held()?;
        // A child of `vfork` shares our memory but is not us.
        (held.process == std::process::id()).then_some(&held.value)
    }

    /// The same without a system call. A child of `vfork` is not told apart.
    pub fn get_fast(&self) -> Option<&'static T> {
        self.held().map(|held| &held.value)
    }

    /// For the handler of [`at_end`] that runs in a forked child.
    pub fn forget(&self) {
        self.0.store(std::ptr::null_mut(), Ordering::Release);
    }

    fn held(&self) -> Option<&'static Held<T>> {
        // SAFETY: null, or what `set` leaked.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }
}

unsafe extern "C" {
    fn at_quick_exit(handler: extern "C" fn()) -> libc::c_int;
}

/// Has `ended` called at the end of the process, and `forked` in forked children. The first call of a library counts, which keeps
/// the library in memory.
///
/// HIP never shuts HSA down, so this is the only notice of the end. Handlers run in reverse order: if this is called inside the first
/// `hsa_init`, the handler runs before the HIP module's destructor unloads the code.
pub fn at_end(ended: extern "C" fn(), forked: extern "C" fn()) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        library::pin();
        // SAFETY: the handlers are functions of this library, which is pinned.
        unsafe {
            libc::atexit(ended);
            at_quick_exit(ended);
            libc::pthread_atfork(None, None, Some(forked));
        }
    });
}

/// Has `handler` called at the end of the process, also by a further thread that ends it while handlers run already. The library
/// must be in memory for good ([`at_end`]).
pub fn before_further_ends(handler: extern "C" fn()) {
    // SAFETY: the caller has pinned the library whose function this is.
    unsafe {
        libc::atexit(handler);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_what_it_made_last() {
        static CURRENT: PerProcess<u32> = PerProcess::new();
        assert_eq!(CURRENT.get(), None);
        let first = CURRENT.set(1);
        CURRENT.set(2);
        assert_eq!(
            (*first, CURRENT.get(), CURRENT.get_fast()),
            (1, Some(&2), Some(&2))
        );
        CURRENT.forget();
        assert_eq!((CURRENT.get(), CURRENT.get_fast()), (None, None));
    }
}
