//! Errors in the bytes that a reader or editor is given.

/// Result of reading or editing a code object.
pub type Result<T> = std::result::Result<T, Error>;

/// A reason to reject input or an edit. Offsets count from the start of the bytes that were passed in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Something goes on behind the end of the data.
    #[error(
        "{what} at offset {offset:#x} is cut off: it needs {needed} bytes, {available} are there; \
         the file is probably truncated"
    )]
    Truncated {
        /// The part that was to be read.
        what: &'static str,
        /// Its offset, in bytes.
        offset: u64,
        /// Its length, in bytes.
        needed: u64,
        /// Bytes from there to the end.
        available: u64,
    },
    /// Something has values that it cannot have.
    #[error("{what} at offset {offset:#x} is damaged: {reason}")]
    Malformed {
        /// The part that was read.
        what: &'static str,
        /// Its offset, in bytes.
        offset: u64,
        /// The reason.
        reason: &'static str,
    },
    /// An ELF file that is no AMDGPU code object, or no ELF file at all.
    #[error("not an AMD GPU code object: {reason}")]
    NotCodeObject {
        /// The reason.
        reason: &'static str,
    },
    /// Version 2 of the format, which is not read.
    #[error(
        "code object v2 (ELF ABI version 0) is not supported: rebuild with -mcode-object-version=4 or newer"
    )]
    CodeObjectV2,
    /// A version of the format that is not known.
    #[error(
        "unknown code object: ELF ABI version {abi_version}; known are 1 to 4 (code object v3 to v6)"
    )]
    UnknownAbi {
        /// `EI_ABIVERSION`.
        abi_version: u8,
    },
    /// A processor that is not known.
    #[error("code for {}: the targets supported are gfx900 to gfx90c, gfx942, gfx950 and gfx10 to gfx1250", processor(*mach))]
    UnknownMach {
        /// `EF_AMDGPU_MACH`.
        mach: u8,
    },
    /// A target id that is none.
    #[error("{text:?} is not a target: {reason}")]
    BadTargetId {
        /// The target id.
        text: String,
        /// The reason.
        reason: &'static str,
    },
    /// The object has no kernel of this name.
    #[error("no kernel named {name:?}; there are: {known}")]
    NoSuchKernel {
        /// The name that was asked for.
        name: String,
        /// Names of the kernels that there are.
        known: String,
    },
    /// Metadata that are no MessagePack document.
    #[error("kernel metadata at offset {offset:#x} is not valid MessagePack: {reason}")]
    BadMessagePack {
        /// The offset at which reading stopped, in bytes.
        offset: u64,
        /// The reason.
        reason: String,
    },
    /// Compressed contents that cannot be unpacked.
    #[error("compressed bundle at offset {offset:#x} cannot be unpacked: {reason}")]
    BadCompression {
        /// Their offset, in bytes.
        offset: u64,
        /// The decompressor's error.
        reason: String,
    },
    /// Descriptors of the target have no such field.
    #[error("no descriptor field {field:?} on {target}")]
    NoSuchField {
        /// Name of the field.
        field: String,
        /// Name of the target.
        target: &'static str,
    },
    /// A value that a field has no room for.
    #[error("descriptor field {field:?} holds {width} bits; {value} does not fit")]
    FieldOverflow {
        /// Name of the field.
        field: &'static str,
        /// Bits of the field.
        width: u32,
        /// The value.
        value: u64,
    },
    /// The file holds no entry with this id.
    #[error("the bundle has no entry {id:?}; it has {known}")]
    NoSuchEntry {
        /// The id that was asked for.
        id: String,
        /// Ids that there are.
        known: String,
    },
    /// The object has no section of this name.
    #[error("no section {name:?}")]
    NoSuchSection {
        /// The name that was asked for.
        name: String,
    },
    /// An edit that cannot be made.
    #[error("cannot edit {what}: {reason}")]
    BadEdit {
        /// The change that was to be made.
        what: String,
        /// Why not.
        reason: &'static str,
    },
    /// Debug information that cannot be read.
    #[error("debug information: {reason}")]
    BadDwarf {
        /// The reader's error.
        reason: String,
    },
}

/// The name of a processor that has no row, or its number.
fn processor(mach: u8) -> String {
    match gfx::name_of_other(mach) {
        Some(name) => name.to_owned(),
        None => format!("an unknown processor (EF_AMDGPU_MACH {mach:#x})"),
    }
}

impl Error {
    /// The same error in bytes that have `before` other bytes in front of them.
    pub(crate) fn behind(mut self, before: u64) -> Error {
        if let Error::Truncated { offset, .. } | Error::Malformed { offset, .. } = &mut self {
            *offset = offset.saturating_add(before);
        }
        self
    }
}
