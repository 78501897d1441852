//! The engine that decides which kernels run instrumented: objects, kernels, variants, choice per launch, summary.
//!
//! It knows neither HSA nor how code is rewritten. Two traits connect it: [`Instrumenter`] (original object and kernel in,
//! [`Variant`] out) and [`Device`] (load code, allocate and copy device memory). [`Session`] stands between them:
//!
//! * what is loaded where is told to it ([`Session::loaded`], [`Session::unloaded`]);
//! * for each dispatch it answers which code runs ([`Session::dispatch`]); the first launch of a kernel builds its variant,
//!   or takes it from the disk [`cache`];
//! * each launch may run the original or one of several variants ([`Instrumenter::choose`]);
//! * at the end it makes a [`Summary`] out of plain counts. [`output`] has the names of the files that it writes.
//!
//! An error here is recorded, and the original kernel runs. Waits are bounded.
#![forbid(unsafe_code)]

mod ahead;
mod build;
pub mod cache;
pub mod config;
pub mod device;
mod fit;
mod globals;
pub mod identity;
pub mod instrument;
mod kernel;
mod live;
mod objects;
pub mod output;
mod packet;
mod patch;
pub mod records;
mod refusal;
pub mod selection;
mod session;
pub mod summary;
mod told;
pub mod usage;
mod vain;
pub mod workgroup;

pub use config::Config;
pub use device::{Agent, AgentId, Device, DeviceError, Loaded, MemoryKind};
pub use fit::Fit;
pub use identity::Identity;
pub use instrument::{
    BuiltIn, Content, Copied, Enqueued, Finish, Global, Instrumenter, Launch, Live, Patch,
    PatchKind, Report, Request, RingSpec, Symbol, Unmatched, Variant,
};
pub use objects::LoadedObject;
pub use packet::PacketBytes;
pub use refusal::Refusal;
pub use selection::{BadSetting, Selection};
pub use session::{Decision, Dispatch, Session, Substitute};
pub use summary::Summary;
pub use usage::Usage;
pub use vain::{NOWHERE, pattern_hint};

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// A panic elsewhere must not spread into the application: the data behind a poisoned lock is used as it is.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T: ?Sized>(data: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    data.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T: ?Sized>(data: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    data.write().unwrap_or_else(PoisonError::into_inner)
}
