//! The undefined bits of a wave's registers.

use wave::Wave;

use crate::{
    lanes::{self, ALL, NONE, Row},
    plan::Quick,
    report::OriginId,
};

/// Operand numbers of scalar registers: SGPRs, VCC, M0, EXEC.
const SLOTS: usize = 128;

/// How much of a vector register is undefined.
#[derive(Clone, Copy)]
struct Undefined {
    /// Lanes with an undefined bit.
    lanes: u64,
    /// All bits of these lanes are, and the row of bits is not read.
    full: bool,
}

impl Undefined {
    const NOTHING: Undefined = Undefined::full(0);
    const ALL: Undefined = Undefined::full(!0);

    const fn full(lanes: u64) -> Undefined {
        Undefined { lanes, full: true }
    }
}

/// A bit is set if the register's bit is undefined.
pub(crate) struct Registers {
    undefined: Vec<Undefined>,
    /// Zero in lanes without an undefined bit.
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
            undefined: Vec::new(),
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
        self.undefined.clear();
        self.undefined.resize(rows, Undefined::ALL);
        self.undefined[..vectors.min(rows)].fill(Undefined::NOTHING);
        // Nothing is read of a row before some of its lanes are undefined, which writes all of it.
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

    /// Lanes of a row with an undefined bit.
    #[inline]
    pub fn undefined(&self, row: usize) -> u64 {
        self.undefined.get(row).map_or(0, |row| row.lanes)
    }

    pub fn is_defined(&self, row: usize) -> bool {
        self.undefined(row) == 0
    }

    /// All bits of the lanes that have an undefined one are undefined.
    pub fn is_full(&self, row: usize) -> bool {
        self.undefined.get(row).is_none_or(|row| row.full)
    }

    /// Returns `true` if no more happens than that all bits or none of some lanes are undefined in each source, and so in the result.
    #[inline]
    pub fn follow(&mut self, quick: &Quick, exec: u64) -> bool {
        let mask = if quick.ignores_exec { !0 } else { exec };
        // (Not by functions of arrays, which are called for each place.)
        let [one, other, third, fourth] = quick.rows;
        let undefined = |row: u16| self.undefined(row.into());
        let mut lanes = undefined(one) | undefined(other);
        let mut slots = 0;
        if !quick.few {
            lanes |= undefined(third) | undefined(fourth);
            let its = quick.slots.iter().map(|slot| usize::from(*slot));
            slots = its.fold(0, |all, slot| all | self.scalar(slot));
        }
        if slots == 0 && lanes & mask == 0 {
            self.define_results(quick, mask);
            return true;
        }
        slots == 0 && quick.joins && self.join(quick, lanes, mask)
    }

    /// Returns `true` if all bits or none of some lanes are undefined in each source. `lanes` are undefined in the result then.
    fn join(&mut self, quick: &Quick, lanes: u64, mask: u64) -> bool {
        let (mut are_full, mut first) = (true, None);
        for row in quick.rows.iter().rev().map(|row| usize::from(*row)) {
            if let Some(own) = self.undefined.get(row) {
                are_full &= own.full;
                first = if own.lanes != 0 { Some(row) } else { first };
            }
        }
        if !are_full {
            return false;
        }
        let origin = first.map(|row| self.origins[row]);
        self.set_full(quick.destination.0.into(), lanes, mask, origin);
        true
    }

    /// The results of an instruction are defined.
    #[inline]
    fn define_results(&mut self, quick: &Quick, mask: u64) {
        let all = |(first, count): (u16, u16)| usize::from(first)..usize::from(first + count);
        all(quick.destination).for_each(|row| self.define(row, mask));
        all(quick.mask_destination).for_each(|slot| self.set_scalar(slot, 0, None));
    }

    /// Zero in lanes without an undefined bit.
    pub fn row<'a>(&'a self, row: usize, room: &'a mut Option<Row>) -> &'a Row {
        match self.undefined.get(row) {
            None | Some(Undefined { lanes: 0, .. }) => &NONE,
            Some(Undefined { full: false, .. }) => &self.bits[row],
            Some(Undefined {
                lanes: u64::MAX, ..
            }) => &ALL,
            Some(Undefined { lanes, .. }) => room.insert(lanes::of_mask(*lanes)),
        }
    }

    pub fn origin(&self, row: usize) -> OriginId {
        self.origins.get(row).copied().unwrap_or_default()
    }

    /// The lanes of `mask` become defined.
    #[inline]
    pub fn define(&mut self, row: usize, mask: u64) {
        if self.undefined(row) & mask != 0 {
            self.define_some(row, mask);
        }
    }

    fn define_some(&mut self, row: usize, mask: u64) {
        let own = self.undefined[row];
        let left = own.lanes & !mask;
        if left & self.live == 0 {
            self.undefined[row] = Undefined::NOTHING;
            return;
        }
        if !own.full {
            lanes::clear(&mut self.bits[row], mask);
        }
        self.undefined[row].lanes = left;
    }

    /// The lanes of `mask` get these bits.
    pub fn set(&mut self, row: usize, bits: &Row, mask: u64, origin: Option<OriginId>) {
        self.set_known(row, (bits, lanes::set(bits)), mask, origin);
    }

    /// The same with the lanes whose bits are not all zero.
    pub fn set_known(
        &mut self,
        row: usize,
        (bits, undefined): (&Row, u64),
        mask: u64,
        origin: Option<OriginId>,
    ) {
        let new = undefined & mask;
        if lanes::are_full(bits) {
            return self.set_full(row, new, mask, origin);
        }
        let Some(left) = self.left(row, new, mask, origin) else {
            return;
        };
        if mask == !0 {
            self.bits[row] = *bits;
        } else {
            self.write_out(row);
            lanes::blend(&mut self.bits[row], bits, mask);
        }
        self.undefined[row] = Undefined {
            lanes: left,
            full: false,
        };
    }

    /// The lanes of `mask` become defined, but for `undefined`, of which all bits become undefined.
    #[inline]
    pub fn set_full(&mut self, row: usize, undefined: u64, mask: u64, origin: Option<OriginId>) {
        let undefined = undefined & mask;
        let Some(left) = self.left(row, undefined, mask, origin) else {
            return;
        };
        let own = &mut self.undefined[row];
        if own.full || own.lanes & !mask == 0 {
            *own = Undefined::full(left);
            return;
        }
        own.lanes = left;
        self.blend_full(row, undefined, mask);
    }

    /// In a row with parts, all bits of these lanes of `mask` are undefined, and none of the others.
    #[inline(never)]
    fn blend_full(&mut self, row: usize, undefined: u64, mask: u64) {
        lanes::blend(&mut self.bits[row], &lanes::of_mask(undefined), mask);
    }

    /// Rows from the first one on get what was loaded: all bits of these lanes are undefined. `came` tells the origin of a word and a lane, which all share.
    #[inline]
    pub fn load<const W: usize>(
        &mut self,
        first: usize,
        undefined: [u64; W],
        exec: u64,
        came: impl FnOnce(usize, usize) -> OriginId,
    ) {
        let word = undefined.iter().position(|lanes| *lanes != 0);
        let origin = word.map(|word| came(word, undefined[word].trailing_zeros() as usize));
        for (word, lanes) in undefined.into_iter().enumerate() {
            let origin = origin.filter(|_| lanes != 0);
            self.set_full(first + word, lanes, exec, origin);
        }
    }

    /// Lanes of a row that are undefined after those of `mask` have become so if `new` says so. `None` if the row is defined then, or does
    /// not exist.
    #[inline]
    fn left(&mut self, row: usize, new: u64, mask: u64, origin: Option<OriginId>) -> Option<u64> {
        let own = self.undefined.get_mut(row)?;
        if let Some(origin) = origin {
            self.origins[row] = origin;
        }
        let left = new | own.lanes & !mask;
        if left & self.live == 0 {
            *own = Undefined::NOTHING;
            return None;
        }
        Some(left)
    }

    /// The row of bits has what there is.
    fn write_out(&mut self, row: usize) {
        let own = self.undefined[row];
        if own.full {
            self.bits[row] = lanes::of_mask(own.lanes);
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
        self.undefined.fill(Undefined::NOTHING);
        self.scalars.fill(0);
        self.scc = false;
    }
}

#[cfg(test)]
impl Registers {
    /// The rows of a wave whose lanes are all on. All of them are defined.
    pub fn of_rows(rows: usize) -> Registers {
        Registers {
            undefined: vec![Undefined::NOTHING; rows],
            bits: vec![NONE; rows],
            origins: (0..rows as u32).map(OriginId).collect(),
            live: !0,
            ..Registers::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::LANES;
    use crate::random::steps;

    /// The rules in the plainest way: a word for each lane.
    struct ByLane {
        bits: Row,
        live: u64,
    }

    impl ByLane {
        fn set(&mut self, bits: &Row, mask: u64) {
            for lane in 0..LANES {
                if mask >> lane & 1 != 0 {
                    self.bits[lane] = bits[lane];
                }
            }
            let is_live = |lane: &usize| self.live >> lane & 1 != 0;
            if (0..LANES).filter(is_live).all(|lane| self.bits[lane] == 0) {
                self.bits = NONE;
            }
        }
    }

    #[test]
    fn rows_are_kept_as_a_word_for_each_lane() {
        let mut steps = steps(7);
        let mut random = || {
            let state = steps();
            state ^ state >> 29
        };
        for live in [!0, 0xffff_ffff, 0x1f, !0 << 60] {
            let mut registers = Registers {
                undefined: vec![Undefined::ALL],
                bits: vec![[0x5555; LANES]],
                origins: vec![OriginId::default()],
                live,
                ..Registers::new()
            };
            let mut plain = ByLane { bits: ALL, live };
            for round in 0..2000 {
                let mask = match random() % 4 {
                    0 => !0,
                    1 => live,
                    2 => random() & random(),
                    _ => random() | random(),
                };
                let mut bits: Row = std::array::from_fn(|_| random() as u32);
                if random().is_multiple_of(2) {
                    bits.iter_mut()
                        .for_each(|bits| *bits &= (*bits << 31) >> 31);
                }
                let full = lanes::of_mask(random());
                let expected = match round % 4 {
                    0 => &bits,
                    1 => &full,
                    _ => &NONE,
                };
                match round % 8 {
                    0 | 1 | 4 => registers.set(0, expected, mask, None),
                    5 => registers.set_full(0, lanes::set(expected), mask, None),
                    _ => registers.define(0, mask),
                }
                plain.set(expected, mask);
                let mut room = None;
                let found = registers.row(0, &mut room);
                assert_eq!(*found, plain.bits, "{round} {mask:#x}");
                let is_full = found.iter().all(|bits| matches!(*bits, 0 | u32::MAX));
                assert!(is_full || !registers.is_full(0), "{round}");
                let undefined = (0..LANES).filter(|lane| plain.bits[*lane] != 0);
                let expected = undefined.fold(0, |all, lane| all | 1u64 << lane);
                assert_eq!(registers.undefined(0), expected);
                assert_eq!(registers.is_defined(0), expected == 0);
            }
        }
    }

    /// A look at all sources of an instruction at once does what a look at each lane of each of them does.
    #[test]
    fn sources_are_joined_as_lane_by_lane() {
        const ROWS: usize = 4;
        let mut steps = steps(11);
        let mut random = || {
            let state = steps();
            state ^ state >> 29
        };
        let mut registers = Registers::of_rows(ROWS);
        let (mut defined, mut joined) = (0, 0);
        for round in 0..6000 {
            let row = (random() % ROWS as u64) as usize;
            let (lanes, mask) = (random() & random(), random() | random());
            match random() % 6 {
                0 => registers.set(row, &[random() as u32; LANES], mask, None),
                1..4 => registers.define(row, !0),
                _ => registers.set_full(row, lanes, mask, Some(OriginId(round))),
            }
            registers.scalars[row] = [0, !0, 0, random() as u32][(random() % 4) as usize];
            let mut number = |most: usize, one_of: u64| match random() % one_of {
                0 => (random() % most as u64) as u16,
                _ => Quick::NONE,
            };
            let few = round % 2 == 0;
            let mut quick = Quick {
                rows: std::array::from_fn(|_| number(ROWS + 1, 2)),
                slots: std::array::from_fn(|_| number(ROWS, 6)),
                few,
                destination: (number(ROWS, 1), 1),
                mask_destination: (0, 0),
                ignores_exec: false,
                joins: random() % 4 != 0,
            };
            if few {
                quick.rows[2..].fill(Quick::NONE);
                quick.slots.fill(Quick::NONE);
            }
            let exec = random() | random();
            let before = |row: usize| *registers.row(row, &mut None);
            let before: [Row; ROWS + 1] = std::array::from_fn(before);
            let sources = quick.rows.iter().map(|row| usize::from(*row));
            let sources: Vec<usize> = sources.filter(|row| *row <= ROWS).collect();
            let has = |lane: usize| sources.iter().any(|row| before[*row][lane] != 0);
            let undefined = (0..LANES).fold(0, |all, lane| all | u64::from(has(lane)) << lane);
            let mut slots = quick
                .slots
                .map(|slot| registers.scalar(slot.into()))
                .into_iter();
            let is_full = sources.iter().all(|row| registers.is_full(*row));
            let is_some = |row: &&usize| before[**row] != NONE;
            let origin = sources.iter().find(is_some);
            let origin = origin.map(|row| registers.origin(*row));

            let target = usize::from(quick.destination.0);
            let (is_defined, known) = (undefined & exec == 0, slots.all(|bits| bits == 0));
            let expected = known && (is_defined || quick.joins && is_full);
            assert_eq!(registers.follow(&quick, exec), expected, "{quick:?}");
            for (row, before) in before.iter().enumerate() {
                let after = *registers.row(row, &mut None);
                for lane in 0..LANES {
                    let written = expected && row == target && exec >> lane & 1 != 0;
                    let bits = match written {
                        true if undefined >> lane & 1 != 0 => !0,
                        true => 0,
                        false => before[lane],
                    };
                    assert_eq!(after[lane], bits, "{round}: {row}, {lane}: {quick:?}");
                }
            }
            if expected && !is_defined {
                assert_eq!(Some(registers.origin(target)), origin, "{quick:?}");
                joined += 1;
            }
            defined += u32::from(expected && is_defined);
        }
        assert!(defined > 300 && joined > 300, "{defined}, {joined}");
    }
}
