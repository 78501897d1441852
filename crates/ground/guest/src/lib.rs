//! Life inside an application's process.
//!
//! * [`Keeper`] and [`Kept`]: a thread with a descriptor table of its own, for files that stay open. The application can neither close nor
//!   reuse descriptors that are not in its table. [`apart`]: the same for one piece of work.
//! * [`standard_error`]: messages to the user, as long as standard error is the file that it was.
//! * [`contain`] and [`lock`]: no panic leaves Luthier's code.
//! * [`process`]: how the process ends, and that a forked child is another one; [`signals`], [`threads`], and [`Bell`]: how a signal handler
//!   wakes a thread, without descriptors.
//! * [`clock`]: the clock of deadlines.
//! * [`library`]: which library of the process we are, and staying loaded; [`memory`]: reading without crashing.
//! * [`own_thread_exit!`]: lets Luthier's threads start and end without a lock that the application may hold.
//!
//! Each library links its own copy of this crate, so statics here belong to one library.

mod bell;
pub mod clock;
mod keeper;
pub mod library;
pub mod memory;
pub mod process;
pub mod signals;
pub mod standard_error;
pub mod thread_exit;
pub mod threads;

pub use bell::Bell;
pub use keeper::{Keeper, Kept, apart};

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Runs `act`; a panic stays here: it is answered with `None` after `complain`, which must not panic.
pub fn contain<T>(act: impl FnOnce() -> T, complain: impl FnOnce()) -> Option<T> {
    let outcome = catch_unwind(AssertUnwindSafe(act));
    if outcome.is_err() {
        complain();
    }
    outcome.ok()
}

/// A panic elsewhere must not spread into the application: the data behind a poisoned lock is used as it is.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
