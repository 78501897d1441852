//! One raw profile in memory, free of the file's layout.

use crate::{Version, values::ValueKind};

/// Largest count LLVM's reader accepts; larger ones make it reject the whole file.
pub const COUNT_LIMIT: u64 = 1 << 56;

/// The counts of one function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Low 64 bits of the MD5 of the function's name.
    pub name_ref: u64,
    /// Hash of the function's structure; counts are only comparable when it agrees.
    pub function_hash: u64,
    /// Address of the function in the process, kept for indirect-call profiles.
    pub function_pointer: u64,
    /// Executions per counter. With byte coverage each is 0 (reached) or 0xff (not reached).
    pub counters: Vec<u64>,
    /// Version 11: executions with all lanes active, one per counter; empty when there are none.
    pub uniform: Vec<u64>,
    /// MC/DC test vectors seen, one bit each; empty when there are none.
    pub bitmap: Vec<u8>,
    /// Recorded values (call targets, operand sizes), one entry per kind with sites.
    pub values: Vec<ValueKind>,
    /// Version 11: lanes per wave of the device.
    pub wave_size: u16,
}

impl Record {
    /// The values that are equal in records of the same function.
    pub fn key(&self) -> (u64, u64) {
        (self.name_ref, self.function_hash)
    }
}

/// One raw profile: what one instrumented image counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Format number and instrumentation variants.
    pub version: Version,
    /// Build ids of the images, to find their coverage mappings without naming files.
    pub binary_ids: Vec<Vec<u8>>,
    /// One entry per function, in the order of the image.
    pub records: Vec<Record>,
    /// Names as the image carries them: see [`crate::names`].
    pub names: Vec<u8>,
    /// Vtable records, verbatim.
    pub vtables: Vec<u8>,
    /// Vtable names, verbatim.
    pub vtable_names: Vec<u8>,
}

impl Profile {
    /// A profile without any function.
    pub fn new(version: Version) -> Self {
        Profile {
            version,
            binary_ids: Vec::new(),
            records: Vec::new(),
            names: Vec::new(),
            vtables: Vec::new(),
            vtable_names: Vec::new(),
        }
    }

    /// Returns `true` if anything in this profile was executed.
    pub fn has_counts(&self) -> bool {
        let untouched = if self.version.is_byte_coverage() {
            0xff
        } else {
            0
        };
        self.records
            .iter()
            .any(|record| record.counters.iter().any(|&count| count != untouched))
    }
}
