//! The undefined bits of a wave's registers.

use wave::Wave;

use crate::{
    lanes::{self, ALL, NONE, Row},
    report::OriginId,
};

/// Operand numbers of scalar registers: SGPRs, VCC, M0, EXEC.
const SLOTS: usize = 128;

/// How much of a vector register is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rows {
    Defined,
    /// As its bits say.
    Partly,
    Undefined,
}

/// A bit is set if the register's bit is undefined.
pub(crate) struct Registers {
    kinds: Vec<Rows>,
    bits: Vec<Row>,
    origins: Vec<OriginId>,
    scalars: [u32; SLOTS],
    scalar_origins: [OriginId; SLOTS],
    scc: bool,
    scc_origin: OriginId,
    /// Lanes that the wave started with. The others never execute anything that matters.
    live: u64,
}

impl std::fmt::Debug for Registers {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Registers")
    }
}

impl Registers {
    pub fn new() -> Registers {
        Registers {
            kinds: Vec::new(),
            bits: Vec::new(),
            origins: Vec::new(),
            scalars: [0; SLOTS],
            scalar_origins: [OriginId::default(); SLOTS],
            scc: false,
            scc_origin: OriginId::default(),
            live: 0,
        }
    }

    /// Becomes the registers of a wave that starts with so many vector and scalar registers.
    pub fn begin(&mut self, wave: &Wave, vectors: usize, scalars: usize) {
        let rows = wave.vector_rows();
        self.kinds.clear();
        self.kinds.resize(rows, Rows::Undefined);
        self.kinds[..vectors.min(rows)].fill(Rows::Defined);
        // Nothing is read of a row before it is said to be partly defined, which writes all of it.
        self.bits.resize(rows, NONE);
        self.origins.clear();
        self.origins.extend((0..rows).map(OriginId::vector));
        // Other slots are registers that the hardware sets up.
        let own = usize::from(isa::numbers::SGPR_COUNT);
        self.scalars = [0; SLOTS];
        self.scalars[scalars.min(own)..own].fill(!0);
        // Some targets have the scratch base there.
        self.scalars[102..own].fill(0);
        self.scalar_origins = std::array::from_fn(OriginId::scalar);
        (self.scc, self.scc_origin) = (false, OriginId::default());
        self.live = wave.exec();
    }

    #[inline]
    pub fn is_defined(&self, row: usize) -> bool {
        self.kinds
            .get(row)
            .is_none_or(|kind| *kind == Rows::Defined)
    }

    pub fn row(&self, row: usize) -> &Row {
        match self.kinds.get(row) {
            None | Some(Rows::Defined) => &NONE,
            Some(Rows::Partly) => &self.bits[row],
            Some(Rows::Undefined) => &ALL,
        }
    }

    pub fn origin(&self, row: usize) -> OriginId {
        self.origins.get(row).copied().unwrap_or_default()
    }

    /// The lanes of `mask` become defined.
    #[inline]
    pub fn define(&mut self, row: usize, mask: u64) {
        if !self.is_defined(row) {
            self.define_some(row, mask);
        }
    }

    fn define_some(&mut self, row: usize, mask: u64) {
        if mask & self.live == self.live {
            self.kinds[row] = Rows::Defined;
        } else {
            self.set(row, &NONE, mask, None);
        }
    }

    /// The lanes of `mask` get these bits.
    pub fn set(&mut self, row: usize, bits: &Row, mask: u64, origin: Option<OriginId>) {
        if row >= self.kinds.len() {
            return;
        }
        if self.kinds[row] != Rows::Partly {
            self.bits[row] = *self.row(row);
        }
        let own = &mut self.bits[row];
        let mut some = 0;
        for lane in 0..lanes::LANES {
            let on = (mask >> lane & 1) as u32;
            let live = (self.live >> lane & 1) as u32;
            own[lane] = own[lane] & on.wrapping_sub(1) | bits[lane] & on.wrapping_neg();
            some |= own[lane] & live.wrapping_neg();
        }
        self.kinds[row] = if some == 0 {
            Rows::Defined
        } else {
            Rows::Partly
        };
        if let Some(origin) = origin {
            self.origins[row] = origin;
        }
    }

    pub fn scalar(&self, slot: usize) -> u32 {
        self.scalars.get(slot).copied().unwrap_or(0)
    }

    pub fn scalar_origin(&self, slot: usize) -> OriginId {
        self.scalar_origins.get(slot).copied().unwrap_or_default()
    }

    /// EXEC counts as defined: the write that left it undefined was told of.
    pub fn set_scalar(&mut self, slot: usize, bits: u32, origin: Option<OriginId>) {
        if slot >= usize::from(isa::numbers::EXEC) {
            return;
        }
        self.scalars[slot] = bits;
        if let Some(origin) = origin {
            self.scalar_origins[slot] = origin;
        }
    }

    pub fn scc(&self) -> (bool, OriginId) {
        (self.scc, self.scc_origin)
    }

    pub fn set_scc(&mut self, undefined: bool, origin: Option<OriginId>) {
        self.scc = undefined;
        if let Some(origin) = origin {
            self.scc_origin = origin;
        }
    }

    /// Nothing is known about which registers an instruction wrote: all count as defined.
    pub fn give_up(&mut self) {
        self.kinds.fill(Rows::Defined);
        self.scalars.fill(0);
        self.scc = false;
    }
}
