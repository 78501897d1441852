//! The HSA runtime's ABI as a tool sees it: API tables and the loader extension. Queues and packets are in `aql`.
//!
//! Entry modules: [`tables`] (what `OnLoad` is given), [`layouts`] (where runtimes of different age have its entries), [`loader`] (the
//! extension that tells which code lies where), [`constants`] (status codes and attributes). The crate has declarations only: nothing is linked, and a tool calls the functions that the runtime hands to it. Sizes and offsets are pinned by
//! const assertions and compared with Debian's C headers by a test. Source: HSA runtime specification 1.2 and the headers of ROCr 5.2.3.
#![forbid(unsafe_code)]

pub mod constants;
pub mod layouts;
pub mod loader;
pub mod tables;

/// `hsa_status_t`; 0 is success.
pub type Status = u32;
/// Handles are structs of one `u64` in C, which are passed as a `u64`.
pub type Handle = u64;
