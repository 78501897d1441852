//! Parts that are shared by libraries that the HSA runtime loads as tools into application processes.
//!
//! The runtime's side: [`Tables`] (the runtime's functions as they were before any hook, from the tables that `OnLoad` is given or from
//! exported symbols), [`Original`] (the function that a hook replaced), [`Loader`] (which code lies where, and the file it came from),
//! [`Uri`] (how the runtime names that file).
//!
//! The process's side: [`contain`] (no panic leaves), [`memory`] (reading without crashing), [`process`] (exit, fork),
//! [`signals`] and [`threads`], [`library`] (where we are, and staying loaded), [`emulator`] (the emulated device, if the process
//! has one).
//!
//! Each tool links its own copy of this crate, so statics here belong to one library.

pub mod emulator;
mod error;
mod hook;
pub mod info;
pub mod library;
mod loader;
pub mod memory;
pub mod process;
pub mod signals;
mod tables;
pub mod threads;
mod uri;

pub use error::{Error, check};
pub use hook::Original;
pub use loader::{Image, Loader};
pub use tables::Tables;
pub use uri::{Origin, Uri};

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
