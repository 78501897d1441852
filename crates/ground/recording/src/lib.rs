//! One dispatch of one kernel with all memory that it could reach, as a file.
//!
//! The emulated GPU writes it while an application runs; `luthier verify` runs the dispatch again and again from there. The
//! file is `LUTHIERD`, a version, and then compressed with zstd: the [`Header`] as JSON, the code object, and the pages of
//! memory that are not zero. Lengths and addresses are 64 bits, little endian.
#![forbid(unsafe_code)]

mod file;
mod touched;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use file::{Error, is_one, read, write};
pub use touched::touched;

/// Bytes of a page.
pub const PAGE: u64 = 4096;

/// A page of memory.
pub type Page = [u8; PAGE as usize];

/// How the device got the memory of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Allocated by the runtime.
    Allocated,
    /// The application's own, registered for the device, which knows it by a second address.
    Registered,
    /// The application's own, given to the device at its own address.
    Shared,
}

/// Memory that the device may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    pub start: u64,
    /// Bytes.
    pub size: u64,
    pub kind: Kind,
}

/// All about a dispatch but its memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Symbol without `.kd`.
    pub kernel: String,
    /// Processor of the device, such as `gfx90a`.
    pub device: String,
    /// The address of the code object's address 0.
    pub base: u64,
    /// The AQL packet, 64 bytes.
    pub packet: Vec<u8>,
    /// Its place in its queue, and the queue's descriptor (`amd_queue_t`).
    pub packet_address: u64,
    pub queue_address: u64,
    /// Number of the packet in its queue.
    pub dispatch_id: u64,
    pub ranges: Vec<Range>,
    /// Counters of the device-wide barriers: waves still to come, less one. Older recordings have none, which means zeros.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub barriers: Vec<u32>,
}

/// A recorded dispatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    pub header: Header,
    /// The code object as the application loaded it.
    pub object: Vec<u8>,
    /// By address. Pages that are not here were zero.
    pub pages: BTreeMap<u64, Box<Page>>,
}
