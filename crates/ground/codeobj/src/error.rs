//! What can be wrong with the bytes we are given.

/// Result of reading or editing a code object.
pub type Result<T> = std::result::Result<T, Error>;

/// A reason to reject input or an edit. Offsets count from the start of the bytes that were passed in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error(
        "{what} at offset {offset:#x} is cut off: it needs {needed} bytes, {available} are there; \
         the file is probably truncated"
    )]
    Truncated {
        what: &'static str,
        offset: u64,
        needed: u64,
        available: u64,
    },
    #[error("{what} at offset {offset:#x} is damaged: {reason}")]
    Malformed {
        what: &'static str,
        offset: u64,
        reason: &'static str,
    },
    #[error("not an AMD GPU code object: {reason}")]
    NotCodeObject { reason: &'static str },
    #[error(
        "code object v2 (ELF ABI version 0) is not supported: rebuild with -mcode-object-version=4 or newer"
    )]
    CodeObjectV2,
    #[error(
        "unknown code object: ELF ABI version {abi_version}; known are 1 to 4 (code object v3 to v6)"
    )]
    UnknownAbi { abi_version: u8 },
    #[error("code for {}: the targets supported are gfx900 to gfx90c, gfx942, gfx950 and gfx10 to gfx1250", processor(*mach))]
    UnknownMach { mach: u8 },
    #[error("{text:?} is not a target: {reason}")]
    BadTargetId { text: String, reason: &'static str },
    #[error("no kernel named {name:?}; there are: {known}")]
    NoSuchKernel { name: String, known: String },
    #[error("kernel metadata at offset {offset:#x} is not valid MessagePack: {reason}")]
    BadMessagePack { offset: u64, reason: String },
    #[error("compressed bundle at offset {offset:#x} cannot be unpacked: {reason}")]
    BadCompression { offset: u64, reason: String },
    #[error("no descriptor field {field:?} on {target}")]
    NoSuchField { field: String, target: &'static str },
    #[error("descriptor field {field:?} holds {width} bits; {value} does not fit")]
    FieldOverflow {
        field: &'static str,
        width: u32,
        value: u64,
    },
    #[error("the bundle has no entry {id:?}; it has {known}")]
    NoSuchEntry { id: String, known: String },
    #[error("no section {name:?}")]
    NoSuchSection { name: String },
    #[error("cannot edit {what}: {reason}")]
    BadEdit { what: String, reason: &'static str },
    #[error("debug information: {reason}")]
    BadDwarf { reason: String },
}

/// The name of a processor that has no row, or its number.
fn processor(mach: u8) -> String {
    match gfx::name_of_other(mach) {
        Some(name) => name.to_owned(),
        None => format!("an unknown processor (EF_AMDGPU_MACH {mach:#x})"),
    }
}
