//! Hooks in the runtime's tables, and the functions that the tables held before.

use std::{
    ffi::c_void,
    marker::PhantomData,
    ptr,
    sync::atomic::{AtomicPtr, Ordering},
};

/// The function that a hook replaced. It is in a static, because hooks get no argument that could lead to it. `F` is the type of the
/// function.
pub struct Original<F>(AtomicPtr<c_void>, PhantomData<F>);

impl<F: Copy + Send + Sync + 'static> Original<F> {
    const IS_POINTER: () = assert!(
        size_of::<F>() == size_of::<*mut c_void>()
            && size_of::<Option<F>>() == size_of::<*mut c_void>()
    );

    #[expect(clippy::new_without_default, reason = "statics need a constant")]
    pub const fn new() -> Original<F> {
        let () = Self::IS_POINTER;
        Original(AtomicPtr::new(ptr::null_mut()), PhantomData)
    }

    /// Puts `ours` into `entry`, and keeps the function that was there. If the entry is empty or holds `ours` already, nothing happens and
    /// the answer is false: tables survive a restart of the runtime.
    pub fn replace(&self, entry: &mut Option<F>, ours: F) -> bool {
        let Some(original) = *entry else { return false };
        let (original, address) = (address(original), address(ours));
        if original == address {
            return false;
        }
        // This comes before any thread can see the entry.
        self.0.store(original, Ordering::Release);
        *entry = Some(ours);
        true
    }

    /// The function that the hook replaced, for the hook itself. It cannot be called before [`Original::replace`] has put it in place. (If
    /// it were, the hook could not continue, and the process is aborted.)
    pub fn behind(&self) -> F {
        self.get().unwrap_or_else(|| std::process::abort())
    }

    /// The function that [`Original::replace`] kept; `None` before that.
    fn get(&self) -> Option<F> {
        let address = self.0.load(Ordering::Acquire);
        // SAFETY: `Option<F>` has the size of a pointer and null for `None`, and what is stored here came from an `F`.
        unsafe { std::mem::transmute_copy::<*mut c_void, Option<F>>(&address) }
    }
}

fn address<F: Copy>(function: F) -> *mut c_void {
    // SAFETY: `Original::new` has checked that `F` is a pointer that is never null.
    unsafe { std::mem::transmute_copy::<F, *mut c_void>(&function) }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Function = extern "C" fn(u32) -> u32;

    extern "C" fn theirs(value: u32) -> u32 {
        value + 1
    }

    extern "C" fn ours(value: u32) -> u32 {
        value + 2
    }

    #[test]
    fn an_original_is_kept_once() {
        static ORIGINAL: Original<Function> = Original::new();
        let mut entry: Option<Function> = None;
        assert!(!ORIGINAL.replace(&mut entry, ours));
        assert!(entry.is_none() && ORIGINAL.get().is_none());
        entry = Some(theirs);
        assert!(ORIGINAL.replace(&mut entry, ours));
        // As after a second `hsa_init`: the hook must not end up behind itself.
        assert!(!ORIGINAL.replace(&mut entry, ours));
        assert_eq!(entry.map(|function| function(1)), Some(3));
        assert_eq!(ORIGINAL.behind()(1), 2);
    }
}
