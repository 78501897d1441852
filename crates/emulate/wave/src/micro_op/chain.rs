//! Chains.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// A chain of its segment.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct ChainNumber {
    /// Which one.
    pub number: u32,
    _reserved: [u32; 6],
}

impl ChainNumber {
    /// Chain `number` of the segment.
    pub fn new(number: usize) -> ChainNumber {
        ChainNumber {
            number: number as u32,
            ..ChainNumber::default()
        }
    }
}
