//! The places of the elements of A, B, C and D in the registers of a 64-lane wave.

/// `blocks` independent products of an `m` by `k` and a `k` by `n` matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub m: u32,
    pub n: u32,
    pub k: u32,
    pub blocks: u32,
    /// Consecutive rows of D that one lane holds: 4, or 1 for double precision.
    pub rows_per_lane: u32,
}

/// A lane and the position among the values that lane holds for the operand. Position `p` of a value of `w` bits starts
/// at bit `p * w` of the operand's registers, lowest register first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub lane: u32,
    pub position: u32,
}

impl Shape {
    /// Values of A (and of B) each lane holds.
    #[inline]
    pub const fn inputs_per_lane(&self) -> u32 {
        self.m * self.k * self.blocks / 64
    }

    /// Values of D (and of C) each lane holds.
    #[inline]
    pub const fn outputs_per_lane(&self) -> u32 {
        self.m * self.n * self.blocks / 64
    }

    /// The place of `A[row][k]` of `block`. With CBSZ, groups of 2^`cbsz` blocks all read block `abid` of their group.
    #[inline]
    pub const fn a(&self, row: u32, k: u32, block: u32, cbsz: u32, abid: u32) -> Place {
        self.input(self.m, row, k, self.source_block(block, cbsz, abid))
    }

    /// The block whose A reaches `block`, see [`Shape::a`].
    #[inline]
    pub const fn source_block(&self, block: u32, cbsz: u32, abid: u32) -> u32 {
        // A group cannot be larger than all blocks, whose number is a power of two.
        let group = ((1 << (cbsz & 7)) - 1) & (self.blocks - 1);
        if group == 0 {
            block
        } else {
            (block & !group) + (abid & group)
        }
    }

    /// Where `B[k][column]` of `block` is read from, after the lane pattern `blgp` (not for double precision, whose BLGP
    /// bits negate operands).
    #[inline]
    pub const fn b(&self, column: u32, k: u32, block: u32, blgp: u32) -> Place {
        let place = self.input(self.n, column, k, block);
        Place {
            lane: source_lane(place.lane, blgp),
            ..place
        }
    }

    /// The place from which `C[row][column]` is read and to which `D[row][column]` is written.
    #[inline]
    pub const fn d(&self, row: u32, column: u32, block: u32) -> Place {
        let groups_per_column = 64 / self.n;
        let group = row / self.rows_per_lane;
        let index = if self.m == 4 {
            block + self.blocks * group
        } else {
            group + self.m / self.rows_per_lane * block
        };
        Place {
            lane: column + self.n * (index % groups_per_column),
            position: self.rows_per_lane * (index / groups_per_column) + row % self.rows_per_lane,
        }
    }

    /// Row, column and block of what a place holds of D: the reverse of [`Shape::d`].
    #[inline(always)]
    pub const fn element(&self, place: Place) -> [u32; 3] {
        let (set, place_in_set) = divide(place.position, self.rows_per_lane);
        let (slot, column) = divide(place.lane, self.n);
        let index = slot + set * divide(64, self.n).0;
        let (group, block) = if self.m == 4 {
            divide(index, self.blocks)
        } else {
            let (block, group) = divide(index, divide(self.m, self.rows_per_lane).0);
            (group, block)
        };
        [self.rows_per_lane * group + place_in_set, column, block]
    }

    #[inline]
    const fn input(&self, side: u32, index: u32, k: u32, block: u32) -> Place {
        let per_lane = self.inputs_per_lane();
        Place {
            lane: index + side * (block + self.blocks * (k / per_lane)),
            position: k % per_lane,
        }
    }
}

/// Quotient and remainder; sizes of matrices are powers of two.
#[inline(always)]
const fn divide(x: u32, by: u32) -> (u32, u32) {
    (x >> by.trailing_zeros(), x & (by - 1))
}

/// The lane whose B value reaches `lane`. Pattern `blgp` 0: its own. 1: the lower half for all. 2: the upper half for all. 3: the lane
/// sixteen further on. 4 to 7: one quarter for all.
#[inline]
pub const fn source_lane(lane: u32, blgp: u32) -> u32 {
    match blgp & 7 {
        0 => lane,
        1 => lane % 32,
        2 => 32 + lane % 32,
        3 => (lane + 16) % 64,
        quarter => (quarter - 4) * 16 + lane % 16,
    }
}
