//! Loads, stores and atomics of LDS.

use std::ops::Range;

use super::{Access, Kind, Own, Place, Row, Scene, each, lanes};

/// An address of an instruction: its number, the register of addresses, and what is added.
#[derive(Clone, Copy)]
pub(super) struct Address {
    pub which: usize,
    pub row: usize,
    pub offset: u32,
}

impl Scene<'_> {
    pub(super) fn in_lds(&mut self, access: &Access, address: Address) {
        let which = address.which;
        let words = access.bytes.div_ceil(4) as usize;
        let data = access.data[which];
        let known = self.known();
        let stored = match access.kind {
            Kind::Load => 0,
            _ => (data..data + words).fold(0, |all, row| all | known.undefined(row)) & self.exec,
        };
        if stored == 0
            && (self.of.own.lds.is_all_defined()
                || access.bytes < 4 && self.span_is_defined(access, which, self.exec))
        {
            return self.loads_defined(access, which);
        }
        self.in_undefined_lds(access, address, stored);
    }

    /// The same where LDS has undefined bits; `stored`: lanes that store some.
    #[inline(never)]
    fn in_undefined_lds(&mut self, access: &Access, address: Address, stored: u64) {
        let Address { row, offset, .. } = address;
        let words = access.bytes.div_ceil(4) as usize;
        let followed = match (
            access.half.is_none() && access.bytes.is_multiple_of(4),
            words,
        ) {
            (true, 1) => self.words::<1>(access, address, stored),
            (true, 2) => self.words::<2>(access, address, stored),
            (true, 3) => self.words::<3>(access, address, stored),
            (true, 4) => self.words::<4>(access, address, stored),
            _ => false,
        };
        if followed {
            return;
        }
        for word in 0..words {
            let at = 4 * word as u32;
            let bytes = (access.bytes - at).min(4);
            let places = (self.wave.vgpr_row(row), offset.wrapping_add(at));
            self.scattered(access, address, places, (word, bytes));
        }
    }

    /// Loads or stores whole words, all of each lane at once. Returns `false` if the words have to be looked at one by one.
    fn words<const W: usize>(&mut self, access: &Access, address: Address, stored: u64) -> bool {
        let Address { which, row, offset } = address;
        let (exec, data) = (self.exec, access.data[which]);
        let places = (self.wave.vgpr_row(row), offset);
        let run = self.run(access, address);
        let Own { waves, lds, .. } = &mut self.of.own;
        let registers = &waves[self.wave.index_in_workgroup as usize];
        let loaded = match (access.kind, run) {
            (Kind::Load, Some((first, lanes))) => lds.gather_run::<W>(first, lanes),
            (Kind::Load, None) => match lds.gather_words::<W>(places, exec) {
                Some(rows) => Some(rows),
                None => return false,
            },
            (Kind::Store, Some((first, lanes))) => {
                match stored {
                    0 => lds.define_run(first, W * lanes.len()),
                    _ => {
                        let mut rooms = [None; W];
                        let mut rows = [&lanes::NONE; W];
                        for (word, room) in rooms.iter_mut().enumerate() {
                            rows[word] = registers.row(data + word, room);
                        }
                        lds.scatter_run::<W>(first, rows.map(|row| &row[lanes.clone()]));
                    }
                }
                return true;
            }
            (Kind::Store, None) => {
                let mut rooms = [None; W];
                let mut rows = [&lanes::NONE; W];
                for (word, room) in rooms.iter_mut().enumerate() {
                    rows[word] = registers.row(data + word, room);
                }
                return lds.scatter_words::<W>(places, exec, rows);
            }
            (Kind::Atomic, _) => return false,
        };
        match loaded {
            None => self.loads_defined(access, which),
            Some(rows) => {
                for (word, bits) in rows.iter().enumerate() {
                    self.loaded(access, address, (word, 4), bits);
                }
            }
        }
        true
    }

    /// The number of the first word and the lanes, if each lane's words lie behind those of the lane before.
    fn run(
        &self,
        access: &Access,
        Address { row, offset, .. }: Address,
    ) -> Option<(usize, Range<usize>)> {
        let first = self.exec.trailing_zeros() as usize;
        let count = self.exec.count_ones() as usize;
        let lanes = first..first + count;
        if self.exec.leading_zeros() as usize + lanes.end != lanes::LANES {
            return None;
        }
        let addresses = &self.wave.vgpr_row(row)[lanes.clone()];
        let (mut next, mut differs) = (addresses[0], 0);
        for address in addresses {
            differs |= address ^ next;
            next = next.wrapping_add(access.bytes);
        }
        let start = addresses[0].wrapping_add(offset);
        let word = self.of.own.lds.inside(start, access.bytes * count as u32)?;
        (differs == 0).then_some((word, lanes))
    }

    /// A word, or less, at the place of each lane, in the order of lanes.
    fn scattered(
        &mut self,
        access: &Access,
        address: Address,
        places: (&Row, u32),
        (word, bytes): (usize, u32),
    ) {
        let exec = self.exec;
        let Own { waves, lds, .. } = &mut self.of.own;
        let registers = &waves[self.wave.index_in_workgroup as usize];
        let data = access.data[address.which] + word;
        let place = |lane: usize| places.0[lane].wrapping_add(places.1);
        let mut room = None;
        let loaded = match access.kind {
            Kind::Store => {
                let shift = if access.half == Some(true) { 16 } else { 0 };
                let data = registers.row(data, &mut room);
                return each(exec)
                    .for_each(|lane| lds.store(place(lane), bytes, data[lane] >> shift));
            }
            Kind::Load => lds.gather(places, exec, bytes),
            Kind::Atomic => {
                let mut loaded = lds.gather(places, exec, bytes);
                if registers.undefined(data) & exec != 0 || lanes::any(&loaded) {
                    // Lanes of one place come one after the other.
                    let data = registers.row(data, &mut room);
                    for lane in each(exec) {
                        loaded[lane] = lds.load(place(lane), bytes);
                        let any = loaded[lane] | data[lane] != 0;
                        lds.store(place(lane), bytes, u32::from(any).wrapping_neg());
                    }
                }
                loaded
            }
        };
        self.loaded(access, address, (word, bytes), &loaded);
    }

    /// These bits were loaded as the `word`-th word.
    fn loaded(
        &mut self,
        access: &Access,
        Address { which, row, offset }: Address,
        (word, bytes): (usize, u32),
        bits: &Row,
    ) {
        let Some(destination) = access.destination else {
            return;
        };
        let words = access.bytes.div_ceil(4) as usize;
        let undefined = lanes::set(bits);
        let origin = (undefined != 0).then(|| {
            let lane = undefined.trailing_zeros() as usize;
            let address = self.wave.vgpr(row, lane).wrapping_add(offset);
            self.id(self.came(Place::Lds(address), 4 * word as u32))
        });
        self.fill(
            access,
            destination + which * words + word,
            bits,
            bytes,
            origin,
        );
    }

    /// All that was loaded is defined.
    fn loads_defined(&mut self, access: &Access, which: usize) {
        let Some(destination) = access.destination else {
            return;
        };
        let words = access.bytes.div_ceil(4) as usize;
        let rows = destination + which * words..destination + (which + 1) * words;
        if access.half.is_none() {
            let exec = self.exec;
            let registers = self.registers();
            return rows.for_each(|row| registers.define(row, exec));
        }
        for row in rows {
            if self.known().undefined(row) & self.exec != 0 {
                self.fill(access, row, &lanes::NONE, access.bytes.min(4), None);
            }
        }
    }
}
