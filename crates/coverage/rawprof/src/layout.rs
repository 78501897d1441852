//! The layouts of raw profile versions as tables: one row per version, nothing else in the crate knows an offset.

use crate::Error;

/// First eight bytes of a little-endian 64-bit raw profile, read as a little-endian word.
pub const MAGIC: u64 = 0xff6c_7072_6f66_7281;
/// The same magic for 32-bit programs (`R` instead of `r`).
pub const MAGIC_32: u64 = 0xff6c_7072_6f66_5281;
/// Highest value kind that both supported versions know: indirect calls, memory operations, vtables.
pub const VALUE_KIND_LAST: u64 = 2;
/// Value kinds per record.
pub const VALUE_KINDS: usize = 3;
/// Size of one vtable record: name hash, address, size, padding.
pub const VTABLE_RECORD_SIZE: usize = 24;

/// The version word: a number in the low 32 bits, properties of the instrumentation ("variants") in the high ones.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Version(pub u64);

/// Variant bits and their names, as the compiler sets them in `__llvm_profile_raw_version`.
#[rustfmt::skip]
pub const VARIANTS: &[(u64, &str)] = &[
    (1 << 55, "loop entry counts"),
    (1 << 56, "IR level"),
    (1 << 57, "context sensitive"),
    (1 << 58, "entry first"),
    (1 << 59, "debug-info correlation"),
    (1 << 60, "byte coverage"),
    (1 << 61, "function entry only"),
    (1 << 62, "memory profile"),
    (1 << 63, "temporal"),
];

impl Version {
    const IR_LEVEL: u64 = 1 << 56;
    const BYTE_COVERAGE: u64 = 1 << 60;
    const TEMPORAL: u64 = 1 << 63;
    const CORRELATED: u64 = 1 << 59;

    /// The format number, 10 or 11 in what this crate reads.
    pub fn number(self) -> u64 {
        self.0 & 0xffff_ffff
    }

    /// Counters are of the optimiser's code (`-fprofile-generate`), and belong to no lines.
    pub fn is_ir_level(self) -> bool {
        self.0 & Self::IR_LEVEL != 0
    }

    /// Counters are single bytes, 0 for "reached" and 0xff for "not reached".
    pub fn is_byte_coverage(self) -> bool {
        self.0 & Self::BYTE_COVERAGE != 0
    }

    /// The first counter of a function is a time stamp, which cannot be added.
    pub fn is_temporal(self) -> bool {
        self.0 & Self::TEMPORAL != 0
    }

    /// Names and records live in debug info, not in the profile.
    pub fn is_correlated(self) -> bool {
        self.0 & Self::CORRELATED != 0
    }

    /// Bytes per counter.
    pub fn counter_size(self) -> usize {
        if self.is_byte_coverage() { 1 } else { 8 }
    }

    /// Names of the variant bits that are set.
    pub fn variants(self) -> impl Iterator<Item = &'static str> {
        VARIANTS
            .iter()
            .filter(move |(bit, _)| self.0 & bit != 0)
            .map(|(_, name)| *name)
    }

    /// The layout of this version, or an error that names the version.
    pub fn layout(self) -> Result<&'static Layout, Error> {
        LAYOUTS
            .iter()
            .find(|layout| layout.version == self.number())
            .ok_or(Error::UnknownVersion {
                version: self.number(),
            })
    }
}

impl std::fmt::Debug for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.number())?;
        for variant in self.variants() {
            write!(f, " + {variant}")?;
        }
        Ok(())
    }
}

/// One word of the file header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Word {
    Magic,
    Version,
    BinaryIdsSize,
    NumData,
    PaddingBeforeCounters,
    NumCounters,
    PaddingAfterCounters,
    NumBitmapBytes,
    PaddingAfterBitmap,
    NumUniformCounters,
    PaddingAfterUniformCounters,
    UniformCountersDelta,
    NamesSize,
    CountersDelta,
    BitmapDelta,
    NamesDelta,
    NumVTables,
    VNamesSize,
    ValueKindLast,
}

/// The offsets in one raw profile version, in bytes from the start of a function record.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Layout {
    pub version: u64,
    /// Header words, all u64 little-endian, in file order.
    pub header: &'static [Word],
    pub record_size: usize,
    pub name_ref: usize,
    pub function_hash: usize,
    pub counter_pointer: usize,
    pub uniform_pointer: Option<usize>,
    pub bitmap_pointer: usize,
    pub function_pointer: usize,
    pub num_counters: usize,
    pub num_value_sites: usize,
    pub wave_size: Option<usize>,
    pub num_bitmap_bytes: usize,
}

impl Layout {
    /// Size of the file header in bytes.
    pub fn header_size(&self) -> usize {
        self.header.len() * 8
    }
}

/// Every version this crate reads and writes. Source: `llvm/ProfileData/InstrProfData.inc` of LLVM 22 and 23.
#[rustfmt::skip]
pub static LAYOUTS: &[Layout] = &[
    Layout {
        version: 10, header: HEADER_10, record_size: 64,
        name_ref: 0, function_hash: 8, counter_pointer: 16, uniform_pointer: None,     bitmap_pointer: 24,
        function_pointer: 32, num_counters: 48, num_value_sites: 52, wave_size: None,     num_bitmap_bytes: 60,
    },
    Layout {
        version: 11, header: HEADER_11, record_size: 72,
        name_ref: 0, function_hash: 8, counter_pointer: 16, uniform_pointer: Some(24), bitmap_pointer: 32,
        function_pointer: 40, num_counters: 56, num_value_sites: 60, wave_size: Some(66), num_bitmap_bytes: 68,
    },
];

const HEADER_10: &[Word] = &[
    Word::Magic,
    Word::Version,
    Word::BinaryIdsSize,
    Word::NumData,
    Word::PaddingBeforeCounters,
    Word::NumCounters,
    Word::PaddingAfterCounters,
    Word::NumBitmapBytes,
    Word::PaddingAfterBitmap,
    Word::NamesSize,
    Word::CountersDelta,
    Word::BitmapDelta,
    Word::NamesDelta,
    Word::NumVTables,
    Word::VNamesSize,
    Word::ValueKindLast,
];

const HEADER_11: &[Word] = &[
    Word::Magic,
    Word::Version,
    Word::BinaryIdsSize,
    Word::NumData,
    Word::PaddingBeforeCounters,
    Word::NumCounters,
    Word::PaddingAfterCounters,
    Word::NumBitmapBytes,
    Word::PaddingAfterBitmap,
    Word::NumUniformCounters,
    Word::PaddingAfterUniformCounters,
    Word::UniformCountersDelta,
    Word::NamesSize,
    Word::CountersDelta,
    Word::BitmapDelta,
    Word::NamesDelta,
    Word::NumVTables,
    Word::VNamesSize,
    Word::ValueKindLast,
];
