//! Registers as numbers in sets: scalars in one space, vector registers of both files in another.

use crate::bits::Bits;
pub use isa::numbers::SGPR_COUNT;
use isa::{Reg, RegKind, numbers};

/// SGPRs, VCC, TTMPs, M0, EXEC, SCC, MODE, FLAT_SCRATCH and XNACK_MASK, one number per dword.
pub type ScalarSet = Bits<3>;
/// VGPRs from 0, AccVGPRs from [`AGPR_BASE`].
pub type VectorSet = Bits<8>;

/// Number of AccVGPR 0 in a [`VectorSet`].
pub const AGPR_BASE: u16 = 256;
/// Registers of one vector file.
pub const FILE_SIZE: u16 = 256;

/// Numbers in a [`ScalarSet`].
pub const VCC: u16 = numbers::VCC;
/// On every family.
pub const M0: u16 = numbers::M0;
/// Its low half.
pub const EXEC: u16 = numbers::EXEC;
/// Behind the numbers of operands.
pub const SCC: u16 = 128;
/// MODE.
pub const MODE: u16 = 129;

/// Kind, first number in a [`ScalarSet`], dwords. The first 128 are the operand encodings of the manuals.
#[rustfmt::skip]
const SCALARS: &[(RegKind, u16, u16)] = &[
    (RegKind::Sgpr,          0, SGPR_COUNT),
    (RegKind::Vcc,         VCC, 2),
    (RegKind::Ttmp,        numbers::TTMP, 16),
    (RegKind::M0,          M0, 1),
    (RegKind::Exec,        EXEC, 2),
    (RegKind::Scc,         SCC, 1),
    (RegKind::Mode,        MODE, 1),
    (RegKind::FlatScratch, 130, 2),
    (RegKind::XnackMask,   132, 2),
];

/// A run of numbers in one of the two spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// Registers of scalar space: the first number, and how many.
    Scalar(u16, u16),
    /// Registers of vector space: the first number, and how many.
    Vector(u16, u16),
}

impl Span {
    /// The place of a register; `None` for constants, the null register and hardware state that lifting does not follow.
    pub fn from_register(reg: Reg) -> Option<Span> {
        let width = u16::from(reg.width).max(1);
        match reg.kind {
            RegKind::Vgpr if reg.index < FILE_SIZE => {
                Some(Span::Vector(reg.index, width.min(FILE_SIZE - reg.index)))
            }
            RegKind::Agpr if reg.index < FILE_SIZE => Some(Span::Vector(
                AGPR_BASE + reg.index,
                width.min(FILE_SIZE - reg.index),
            )),
            kind => {
                let row = SCALARS.iter().find(|row| row.0 == kind)?;
                (reg.index < row.2)
                    .then(|| Span::Scalar(row.1 + reg.index, width.min(row.2 - reg.index)))
            }
        }
    }
}

/// The one-dword register with a number of a [`ScalarSet`].
pub fn scalar(number: u16) -> Option<Reg> {
    let row = SCALARS
        .iter()
        .find(|row| (row.1..row.1 + row.2).contains(&number))?;
    Some(one(row.0, number - row.1))
}

/// The one-dword register with a number of a [`VectorSet`].
pub fn vector(number: u16) -> Reg {
    if number >= AGPR_BASE {
        one(RegKind::Agpr, number - AGPR_BASE)
    } else {
        one(RegKind::Vgpr, number)
    }
}

fn one(kind: RegKind, index: u16) -> Reg {
    Reg {
        kind,
        index,
        width: 1,
        half: None,
    }
}

/// A set of registers of any kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegisterSet {
    /// Scalar registers.
    pub scalars: ScalarSet,
    /// Vector registers.
    pub vectors: VectorSet,
}

impl RegisterSet {
    /// Every register.
    pub const EVERYTHING: RegisterSet = RegisterSet {
        scalars: Bits::FULL,
        vectors: Bits::FULL,
    };

    /// Adds a run of registers.
    pub fn insert(&mut self, span: Span) {
        match span {
            Span::Scalar(start, count) => self.scalars.insert_range(start, count),
            Span::Vector(start, count) => self.vectors.insert_range(start, count),
        }
    }

    /// Takes a run of registers out.
    pub fn remove(&mut self, span: Span) {
        match span {
            Span::Scalar(start, count) => self.scalars.remove_range(start, count),
            Span::Vector(start, count) => self.vectors.remove_range(start, count),
        }
    }

    /// Returns `true` if any dword of `reg` is in the set.
    pub fn touches(&self, reg: Reg) -> bool {
        match Span::from_register(reg) {
            Some(Span::Scalar(start, count)) => self.scalars.intersects_range(start, count),
            Some(Span::Vector(start, count)) => self.vectors.intersects_range(start, count),
            None => false,
        }
    }

    /// Adds all of `other`; whether that changed anything.
    pub fn unite(&mut self, other: &RegisterSet) -> bool {
        self.scalars.unite(&other.scalars) | self.vectors.unite(&other.vectors)
    }

    /// Returns `true` if there is none.
    pub fn is_empty(&self) -> bool {
        self.scalars.is_empty() && self.vectors.is_empty()
    }

    /// One dword each: scalars, then VGPRs, then AccVGPRs.
    pub fn iter(&self) -> impl Iterator<Item = Reg> + '_ {
        let scalars = self.scalars.iter().filter_map(scalar);
        scalars.chain(self.vectors.iter().map(vector))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_registers_are_inverse() {
        for number in 0..192 {
            if let Some(reg) = scalar(number) {
                assert_eq!(Span::from_register(reg), Some(Span::Scalar(number, 1)));
            }
        }
        for number in 0..512 {
            assert_eq!(
                Span::from_register(vector(number)),
                Some(Span::Vector(number, 1))
            );
        }
        let tuple = Reg {
            kind: RegKind::Vgpr,
            index: 254,
            width: 4,
            half: None,
        };
        assert_eq!(Span::from_register(tuple), Some(Span::Vector(254, 2)));
    }
}
