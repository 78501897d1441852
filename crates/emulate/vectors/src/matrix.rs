//! Products of matrices that lie in rows of registers, in vectors of 512 bits.
//!
//! `ordinary` has the instructions that round as the host does, `aligned` those that cut products to the bits of the largest
//! one, with `side`, `sum`, `whole` and `wide` below it; `micro` reads operands of microscaling formats. `tile` has the products of
//! RDNA, whose `layout` is data. A product that the host's
//! arithmetic would not get right is left to the caller, who is told so before anything is written.

use numerics::matrix::Shape;

#[cfg(target_arch = "x86_64")]
pub mod aligned;
pub mod layout;
#[cfg(target_arch = "x86_64")]
pub mod micro;
#[cfg(target_arch = "x86_64")]
pub mod ordinary;
#[cfg(target_arch = "x86_64")]
pub mod side;
#[cfg(target_arch = "x86_64")]
mod sum;
#[cfg(target_arch = "x86_64")]
pub mod tile;
#[cfg(target_arch = "x86_64")]
mod whole;
#[cfg(target_arch = "x86_64")]
mod wide;

/// The instruction's fields that say which block's rows of A the blocks of a product take.
#[derive(Clone, Copy, Debug)]
pub struct Sources {
    pub cbsz: u32,
    pub abid: u32,
}

impl Sources {
    /// Each block takes its own.
    pub const OWN: Sources = Sources { cbsz: 0, abid: 0 };

    #[inline]
    pub fn of(self, shape: &Shape, block: usize) -> usize {
        shape.source_block(block as u32, self.cbsz, self.abid) as usize
    }
}

/// Registers of a product.
#[derive(Clone, Copy, Debug)]
pub struct Operands {
    /// The first rows of A and of B.
    pub inputs: [*const u32; 2],
    pub addend: Addend,
    /// The first row of D.
    pub target: *mut u32,
}

/// The source of C.
#[derive(Clone, Copy, Debug)]
pub enum Addend {
    /// Its first row.
    Rows(*const u32),
    Constant(u32),
}

/// Layout of microscaling operands.
pub mod scaled {
    /// Values of A or B that a lane holds.
    pub const PER_LANE: usize = 32;
    /// `k` that share a scale.
    pub const BLOCK: usize = 32;
    /// The scale one.
    pub const ONE: u8 = 127;

    /// The `k` of value `position` in a lane of group `lane / side`, in a format of `bits` bits.
    pub fn k_of(bits: usize, k: usize, group: usize, position: usize) -> usize {
        if bits == 8 {
            // Two halves of all `k`, sixteen in each.
            position / 16 * (k / 2) + 16 * group + position % 16
        } else {
            PER_LANE * group + position
        }
    }
}
