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

    /// The words of 16 lanes, from a multiple of 16 on.
    #[inline(always)]
    pub fn group(&self, group: usize) -> [u32; 16] {
        *self.0[16 * group..].first_chunk().expect("a whole group")
    }

    /// Sets the words of [`VectorRow::group`].
    #[inline(always)]
    pub fn set_group(&mut self, group: usize, words: [u32; 16]) {
        *self.0[16 * group..]
            .first_chunk_mut()
            .expect("a whole group") = words;
    }
}
