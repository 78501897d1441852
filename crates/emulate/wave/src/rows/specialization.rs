//! The specializations of a vector row: copies of its body beyond the ones that every row has. Rows of `vector_rows!`
//! name theirs in braces.

use super::chain::Formula;

/// Nothing of it is on for a row that does not say so. Each method turns on what the field of its name says.
#[cfg_attr(not(wide), allow(dead_code, reason = "the choice of copies"))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Specialization {
    /// Bodies of its own for uniform sources, because compiled code spends most of its time in the row. Other rows reach their
    /// body with such sources copied to a temporary row first, which costs about as much as the row.
    pub hot: bool,
    /// The row is not hot but does so much for a lane that copies for 512 bits pay; copies for uniform sources would not.
    pub avx512: bool,
    /// Hosts with half-precision arithmetic do without conversions.
    pub fp16: bool,
    /// A denormal takes the host so long that inactive lanes get zeros first. For other rows that costs more than it
    /// saves (on a Xeon, with half the lanes on and integers in the rest: fma_mix 4 to 10, rcp_f64 2 to 13, but rcp_f32
    /// 56 to 24 M/s).
    pub zero_inactive: bool,
    /// How the row is a link of a chain.
    pub chain: Option<Formula>,
}

impl Specialization {
    pub const NONE: Specialization = Specialization {
        hot: false,
        avx512: false,
        fp16: false,
        zero_inactive: false,
        chain: None,
    };

    pub const fn hot(self) -> Specialization {
        Specialization { hot: true, ..self }
    }

    pub const fn avx512(self) -> Specialization {
        Specialization {
            avx512: true,
            ..self
        }
    }

    pub const fn fp16(self) -> Specialization {
        Specialization { fp16: true, ..self }
    }

    pub const fn zero_inactive(self) -> Specialization {
        Specialization {
            zero_inactive: true,
            ..self
        }
    }

    pub const fn chain(self, formula: Formula) -> Specialization {
        Specialization {
            chain: Some(formula),
            ..self
        }
    }
}
