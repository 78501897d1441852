//! Instructions whose first source DPP moves.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// An instruction of the segment's list of them, and the masks that it has.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct MovingNumber {
    /// Which one.
    pub number: u32,
    /// Scalar slot of a mask or carry source.
    pub mask_src: u16,
    /// Scalar slot of a carry result.
    pub mask_dst: u16,
    _reserved: [u32; 5],
}

impl MovingNumber {
    /// Instruction `number` of the list, which reads one mask and writes another one, if it has masks.
    pub fn new(number: usize, mask_src: u16, mask_dst: u16) -> MovingNumber {
        MovingNumber {
            number: number as u32,
            mask_src,
            mask_dst,
            ..MovingNumber::default()
        }
    }
}
