//! Bodies of the exported functions.

pub mod device;
pub mod event;
pub mod memory;
pub mod queue;
pub mod sharing;

use kmt_sys::thunk::Status;

use crate::ffi::Result;

/// The answer of functions whose absence ROCr copes with.
pub fn unsupported() -> Result {
    Err(Status::NotSupported)
}
