//! Errors in a raw profile.

use thiserror::Error;

/// Why a raw profile was refused. Offsets are bytes from the start of the input.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Error {
    /// The input is empty; `llvm-profdata` refuses such files too.
    #[error("empty file, not a raw profile (was the program killed while it wrote?)")]
    Empty,
    /// Not a raw profile at all.
    #[error(
        "offset {offset:#x}: magic {found:#018x} is not that of a 64-bit little-endian raw profile"
    )]
    BadMagic {
        /// The offset at which the magic was expected.
        offset: usize,
        /// The value that is there.
        found: u64,
    },
    /// A profile of a 32-bit or big-endian program.
    #[error(
        "offset {offset:#x}: raw profile of a {what} program, only 64-bit little-endian ones are supported"
    )]
    ForeignMagic {
        /// The offset of the magic.
        offset: usize,
        /// `32-bit` or `big-endian`.
        what: &'static str,
    },
    /// A version without a row in the layout table.
    #[error(
        "raw profile version {version} is not supported (known: 10 of LLVM 20 to 22, 11 of LLVM 23)"
    )]
    UnknownVersion {
        /// Number found.
        version: u64,
    },
    /// Input ends inside a part.
    #[error("offset {offset:#x}: truncated, {what} needs {needed} bytes but {available} are left")]
    Truncated {
        /// Start of the part.
        offset: usize,
        /// Name of the part.
        what: &'static str,
        /// Bytes the header promises.
        needed: u64,
        /// Bytes there are.
        available: u64,
    },
    /// A header word that contradicts the format.
    #[error("offset {offset:#x}: header word {what} has the impossible value {value:#x}")]
    BadHeader {
        /// Start of the header.
        offset: usize,
        /// Name of the word.
        what: &'static str,
        /// Its value.
        value: u64,
    },
    /// A malformed list of binary ids.
    #[error("offset {offset:#x}: malformed binary id")]
    BadBinaryId {
        /// Start of the entry.
        offset: usize,
    },
    /// A malformed function record.
    #[error("record {index} (name reference {name_ref:#018x}): {fault}")]
    BadRecord {
        /// Position in the record table.
        index: usize,
        /// MD5-derived reference of the function's name.
        name_ref: u64,
        /// The reason.
        fault: RecordFault,
    },
    /// Names that cannot be decoded.
    #[error("names, byte {offset:#x}: {reason}")]
    BadNames {
        /// Bytes from the start of the names.
        offset: usize,
        /// The reason.
        reason: &'static str,
    },
    /// Malformed value-profile data.
    #[error("record {index}: malformed value data: {reason}")]
    BadValues {
        /// Position in the record table.
        index: usize,
        /// The reason.
        reason: &'static str,
    },
    /// Two profiles that cannot be added.
    #[error("cannot merge profiles of version {left:?} and {right:?}")]
    VersionMismatch {
        /// Version of the destination.
        left: crate::Version,
        /// Version of the source.
        right: crate::Version,
    },
    /// A property of the profile that this crate cannot merge or write.
    #[error("not supported: {what}")]
    Unsupported {
        /// The property.
        what: &'static str,
    },
}

/// The mistake in one function record.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum RecordFault {
    /// LLVM's reader rejects functions without counters.
    #[error("has no counters")]
    NoCounters,
    /// The relative pointer leads outside of the section.
    #[error("{what} at relative offset {offset} lie outside the section of {size} bytes")]
    OutOfRange {
        /// `counters`, `uniform counters` or `bitmap bytes`.
        what: &'static str,
        /// Offset from the start of the section; negative when before it.
        offset: i64,
        /// Size of the section.
        size: usize,
    },
    /// Starts inside but ends outside.
    #[error("{count} {what} at offset {offset} run past the section of {size} bytes")]
    Overrun {
        /// `counters`, `uniform counters` or `bitmap bytes`.
        what: &'static str,
        /// How many the record claims.
        count: u32,
        /// Offset from the start of the section.
        offset: i64,
        /// Size of the section.
        size: usize,
    },
    /// A value LLVM's reader takes for corruption.
    #[error("counter {index} has the excessive value {value:#x}")]
    ExcessiveCount {
        /// The counter's index.
        index: usize,
        /// Its value.
        value: u64,
    },
}
