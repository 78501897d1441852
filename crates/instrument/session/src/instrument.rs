//! The interface between the engine and the instrumenter, which rewrites code.

use crate::{
    Agent, DeviceError, Fit, MemoryKind, PacketBytes, Refusal, Usage, summary::KernelLine,
};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

/// One kernel to instrument.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The original code object, an ELF file.
    pub object: &'a [u8],
    /// SHA-256 of `object`.
    pub object_hash: &'a [u8; 32],
    /// The URI it was loaded from, e.g. `file:///usr/bin/app#offset=8192&size=4096`.
    pub uri: &'a str,
    /// Without `.kd`.
    pub kernel: &'a str,
    /// The device that will run it.
    pub agent: &'a Agent,
    /// The number of the kernel's variant, see [`Instrumenter::choose`].
    pub choice: u64,
    /// Bytes of scratch per lane that the launches ask for which it is for, a multiple of 4; `None`: it is for all. Asked for after
    /// [`Refusal::StackSize`] only.
    pub stack_size: Option<u32>,
}

/// The value that a literal in the new code gets.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Symbol {
    /// This address of the original code object, where that is loaded.
    Original(u64),
    /// A global of the tool.
    Tool(String),
}

/// The half of the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PatchKind {
    Low32,
    High32,
}

/// Four bytes of a variant that depend on where things are loaded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Patch {
    /// Offset in [`Variant::object`].
    pub file_offset: u64,
    pub kind: PatchKind,
    pub symbol: Symbol,
    /// Added to the symbol's 64-bit address before it is halved.
    pub addend: i64,
}

/// The changes that instrumenting made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub before: Usage,
    pub after: Usage,
    /// Places where something was inserted.
    pub sites: u64,
    /// Bytes of code that came with it.
    pub added_bytes: u64,
    /// Remarks for the user.
    pub notes: Vec<String>,
    /// Among [`Variant::globals`] the one whose first byte is other than 0 once a wave went to code that is not instrumented.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,
    /// Insertions of tools that found no place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmatched: Vec<Unmatched>,
}

/// A hook that a tool's description places nowhere in a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unmatched {
    /// Tool, hook and condition, in words.
    pub what: String,
    /// Names in the kernel that are like those in the condition.
    pub near: Vec<String>,
}

/// An instrumented kernel. It holds no address, so it may be kept on disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// A linked code object with this kernel.
    #[serde(skip)]
    pub object: Vec<u8>,
    /// Symbol of the kernel descriptor, with `.kd`.
    pub kernel_symbol: String,
    pub patches: Vec<Patch>,
    /// Bytes per work-item and per workgroup that the new descriptor asks for.
    pub private_segment_size: u32,
    pub group_segment_size: u32,
    /// The launches that it fits.
    #[serde(default)]
    pub fit: Fit,
    pub report: Report,
    /// Data that the instrumenter needs again when the variant comes from the cache, such as its list of sites.
    #[serde(skip)]
    pub tool_data: Vec<u8>,
    /// Variables of this kernel alone, such as its counters, besides those of [`Instrumenter::globals`].
    #[serde(default)]
    pub globals: Vec<Global>,
}

/// A variable of the tool; each agent gets its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Global {
    pub name: String,
    /// Bytes.
    pub size: u64,
    pub content: Content,
}

/// The contents of a global.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content {
    /// Plain memory: these first bytes, the rest is zero.
    Memory { kind: MemoryKind, initial: Vec<u8> },
    /// A `luthier::ring`, which the engine makes and empties while kernels run, see [`Instrumenter::records`].
    Ring(RingSpec),
}

/// A stream of records, `luthier::ring` in `luthier_device.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RingSpec {
    /// Bytes of one record, a multiple of 4.
    pub record_size: u32,
    /// Records; rounded up to a power of two.
    pub capacity: u32,
}

/// Tools that `luthier instrument` put into a code object before it was loaded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BuiltIn {
    /// The tool's variables, with their addresses in the file.
    pub globals: Vec<(Global, u64)>,
    /// The result of instrumenting, by kernel: a report, or why it was refused. Kernels that were not selected are missing.
    pub kernels: BTreeMap<String, Result<Report, String>>,
}

/// The thread that put a launch into its queue, and the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enqueued {
    /// The host thread that told the queue about it (rang its doorbell), by the kernel's number (TID).
    pub thread: u32,
    /// The thread's name at that moment, filled up with zeroes.
    pub name: [u8; 16],
    /// In nanoseconds of the clock of [`Instrumenter::ended`]. A launch that waited for its variant waited after this.
    pub nanoseconds: u64,
}

impl Enqueued {
    pub fn thread_name(&self) -> Cow<'_, str> {
        let bytes = self.name.split(|byte| *byte == 0).next();
        String::from_utf8_lossy(bytes.unwrap_or_default())
    }
}

/// A copy of memory by the runtime, which has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// Counted from 0 over all copies.
    pub number: u64,
    pub bytes: u64,
    /// Number of the device that the memory is of; `None`: the host.
    pub from: Option<u32>,
    pub to: Option<u32>,
    pub enqueued: Enqueued,
    /// Start and end of the launch, in nanoseconds of the same clock; `None` if they are not known.
    pub time: Option<(u64, u64)>,
}

/// One launch that runs instrumented.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Counted from 0 over all kernels and devices; what hooks read as their dispatch id.
    pub number: u64,
    pub kernel: &'a str,
    /// SHA-256 of its code object: several objects may have a kernel of one name.
    pub object_hash: &'a [u8; 32],
    pub agent: &'a Agent,
    /// Work-items.
    pub grid: [u32; 3],
    pub workgroup: [u16; 3],
    /// Names the queue.
    pub queue: u64,
    /// The address of the kernel's descriptor on the device, as in the packet.
    pub kernel_object: u64,
    /// The address of its arguments.
    pub kernarg: u64,
    /// Its arguments as they lie in memory, if [`Instrumenter::observes_launches`] and they can be read.
    pub arguments: &'a [u8],
    /// The thread that launched it, if [`Instrumenter::observes_launches`] and the runtime measures times.
    pub enqueued: Option<Enqueued>,
}

/// Access to the tool's globals when all is over.
pub trait Finish {
    /// All kernels that were launched, with what became of them and how often they ran.
    fn kernels(&self) -> &[KernelLine];
    fn agents(&self) -> &[Agent];
    /// The bytes of a global on an agent, once for each place that has it: none if no variant ever ran there, several if it
    /// is in code objects that were loaded.
    fn global(&self, agent: &Agent, name: &str) -> Vec<Result<Vec<u8>, DeviceError>>;
}

/// Access to the tool's globals while the program runs. Calls may come from any thread, also while a launch waits for the tool.
pub trait Live: Send + Sync {
    /// Zero-filled memory that the host and all devices see, never freed; its address.
    fn shared(&self, size: usize) -> Result<u64, DeviceError>;
    /// Zero-filled memory of the first device, and its end.
    fn allocate(&self, size: usize) -> Result<u64, DeviceError>;
    fn free(&self, address: u64);
    /// Copies between any addresses of host and devices.
    fn read(&self, address: u64, into: &mut [u8]) -> Result<(), DeviceError>;
    fn write(&self, address: u64, from: &[u8]) -> Result<(), DeviceError>;
    /// The place where the runtime keeps the address of the function with this name, see [`crate::Device::entry`].
    fn entry(&self, function: &str) -> Option<u64>;
    /// The addresses of a global on all devices; it is allocated now if it was not. None if no global has this name.
    fn addresses(&self, global: &str) -> Result<Vec<u64>, DeviceError>;
    /// More globals, besides those of [`Instrumenter::globals`]. One whose name is known already stays what it is.
    fn declare(&self, globals: Vec<Global>);
}

/// A tool, or several composed.
pub trait Instrumenter: Send + Sync {
    /// For the user.
    fn name(&self) -> String;
    /// Everything besides object, kernel and target that decides what [`Instrumenter::instrument`] returns: the tool's code,
    /// its options, the version of the rewriter. Part of the cache key.
    fn fingerprint(&self) -> Vec<u8>;
    fn globals(&self) -> Vec<Global> {
        Vec::new()
    }
    /// Everything that decides the contents of one variant of a kernel. It is part of the key under which the variant is kept on disk;
    /// `None` if it must not be kept.
    fn key(&self, _kernel: &str, _object_hash: &[u8; 32], _choice: u64) -> Option<Vec<u8>> {
        Some(self.fingerprint())
    }
    /// Called once, when the devices are there, before anything is launched.
    fn connect(&self, _live: Arc<dyn Live>) {}
    /// Chooses what a launch runs: the original (`None`) or a variant, by a number of the instrumenter's own. `code` is the code object of
    /// `request` once more, for an instrumenter that keeps it. It is only called for chosen launches of chosen kernels. `packet` is the
    /// packet in the queue; changes to it take effect.
    fn choose(
        &self,
        _launch: &Launch<'_>,
        _request: &Request<'_>,
        _code: &Arc<[u8]>,
        _packet: &mut PacketBytes,
    ) -> Option<u64> {
        Some(0)
    }
    /// False if there is nothing to do for kernels but look at what is built in.
    fn builds(&self) -> bool {
        true
    }
    /// Finds out whether a code object that was just loaded has tools in it already.
    fn built_in(&self, _object: &[u8]) -> Option<BuiltIn> {
        None
    }
    /// Called from several threads at once, for different kernels.
    fn instrument(&self, request: &Request<'_>) -> Result<Variant, Refusal>;
    /// A variant is about to be used, whether built now or found in the cache.
    fn adopt(&self, _request: &Request<'_>, _variant: &Variant) {}
    /// Returns `true` if [`Launch::arguments`] are wanted, and [`Instrumenter::ended`].
    fn observes_launches(&self) -> bool {
        false
    }
    /// Returns `true` if [`Instrumenter::packets`] is wanted.
    fn observes_packets(&self) -> bool {
        false
    }
    /// Packets that the application has written to a queue of a device, before anything else is done to them; they may be changed.
    fn packets(&self, _queue: u64, _device: u32, _packets: &mut [[u8; 64]]) {}
    /// Describes the code of a variant at `offset` bytes from the first instruction of its kernel; `None` if it is not known.
    fn place(&self, _request: &Request<'_>, _offset: i64) -> Option<String> {
        None
    }
    /// A variant is about to run.
    fn launch(&self, _launch: &Launch<'_>) {}
    /// The launch with this number has run, from one time to another, in nanoseconds of a clock that all devices share.
    fn ended(&self, _launch: u64, _start: u64, _end: u64) {}
    /// A copy has ended, if [`Instrumenter::observes_launches`].
    fn copied(&self, _copied: &Copied) {}
    /// Complete records of a ring, one after the other, in the order of their indices. Calls for one ring come one at a time.
    fn records(&self, _agent: &Agent, _global: &str, _records: &[u8]) {}
    /// The last call; whatever it returns is printed behind the summary.
    fn finish(&self, _globals: &dyn Finish) -> String {
        String::new()
    }
}
