//! Runs of instructions as host code.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// A run of its segment.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct RunNumber {
    /// Which one.
    pub number: u32,
    _reserved: [u32; 6],
}

impl RunNumber {
    /// Run `number` of the segment.
    pub fn new(number: usize) -> RunNumber {
        RunNumber {
            number: number as u32,
            ..RunNumber::default()
        }
    }
}

/// The head of a loop of its segment.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct LoopNumber {
    /// Which one.
    pub number: u32,
    _reserved: [u32; 6],
}

impl LoopNumber {
    /// Head `number` of the segment.
    pub fn new(number: usize) -> LoopNumber {
        LoopNumber {
            number: number as u32,
            ..LoopNumber::default()
        }
    }
}
