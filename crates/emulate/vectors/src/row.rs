/// Lanes that a row of registers holds; wave32 uses the first half.
pub const LANES: usize = 64;

/// Lanes of a group: a group's addresses are looked at together.
pub const GROUP: usize = 16;

/// One vector register: a 32-bit value per lane, aligned for the widest host vector.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct VectorRow(pub [u32; LANES]);

impl VectorRow {
    pub const ZERO: VectorRow = VectorRow([0; LANES]);
}
