//! Instructions that move control, wait, or send the host a message.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// SOPP.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct Program {
    /// simm16, sign-extended.
    pub immediate: i32,
    /// Where a branch goes, as micro-op index.
    pub branch_target: u32,
    _reserved: [u32; 5],
}

impl Program {
    /// An instruction with this immediate.
    pub fn new(immediate: i32) -> Program {
        Program {
            immediate,
            ..Program::default()
        }
    }
}

/// A message that is answered in registers.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct Message {
    /// Number of the message.
    pub message: u32,
    /// Registers of the answer.
    pub words: u32,
    _reserved: [u32; 5],
}

impl Message {
    /// Message `message` with an answer of `words` registers.
    pub fn new(message: u32, words: u8) -> Message {
        Message {
            message,
            words: words.into(),
            ..Message::default()
        }
    }
}

/// The way out of a segment.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct Leave {
    /// Low and high word.
    address: [u32; 2],
    _reserved: [u32; 5],
}

impl Leave {
    /// To `address`.
    pub fn new(address: u64) -> Leave {
        Leave {
            address: [address as u32, (address >> 32) as u32],
            ..Leave::default()
        }
    }

    /// The address at which to go on.
    pub fn address(&self) -> u64 {
        let [low, high] = self.address;
        u64::from(low) | u64::from(high) << 32
    }
}

/// An instruction that cannot execute.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct Unsupported {
    /// Number of the message of the segment that says why.
    pub message: u32,
    _reserved: [u32; 6],
}

impl Unsupported {
    /// For the reason that message `message` names.
    pub fn new(message: u32) -> Unsupported {
        Unsupported {
            message,
            ..Unsupported::default()
        }
    }
}
