//! Loads, stores and atomics of LDS.

use super::{Access, Kind, OfWorkgroup, Origin, OriginId, Own, Place, Row, Scene, each, lanes};
use crate::lds::{Seen, are_all};

/// An address of an instruction: its number, the register of addresses, and what is added.
#[derive(Clone, Copy)]
pub(super) struct Address {
    pub which: usize,
    pub row: usize,
    pub offset: u32,
}

impl<'a> Scene<'a> {
    /// The addresses of lanes, and what is added to them.
    fn of_lanes(&self, Address { row, offset, .. }: Address) -> (&'a Row, u32) {
        (self.wave.vgpr_row(row), offset)
    }
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
        match access.kind {
            Kind::Load => self.load_words::<W>(access, address),
            Kind::Store => self.store_words::<W>(access, address, stored),
            Kind::Atomic => false,
        }
    }

    fn load_words<const W: usize>(&mut self, access: &Access, address: Address) -> bool {
        let lds = &self.of.own.lds;
        let places = lds.places(self.of_lanes(address), self.exec, access.bytes);
        match lds.look::<W>(&places) {
            None => return false,
            Some(Seen::None) => self.loads_defined(access, address.which),
            Some(Seen::All) => self.loads_lanes(access, address, [self.exec; W]),
            Some(Seen::Lanes(words)) => self.loads_lanes(access, address, words),
            Some(Seen::Parts) => {
                let rows = lds.parts::<W>(&places);
                for (word, bits) in rows.iter().enumerate() {
                    self.loaded(access, address, (word, 4), bits);
                }
            }
        }
        true
    }

    fn store_words<const W: usize>(
        &mut self,
        access: &Access,
        address: Address,
        stored: u64,
    ) -> bool {
        let (exec, data) = (self.exec, access.data[address.which]);
        let addresses = self.of_lanes(address);
        let Own { waves, lds, .. } = &mut self.of.own;
        let places = lds.places(addresses, exec, access.bytes);
        let registers = &waves[self.wave.index_in_workgroup as usize];
        if stored == 0 {
            return lds.fill::<W>(&places, false);
        }
        let lanes: [u64; W] = std::array::from_fn(|word| registers.undefined(data + word) & exec);
        if (data..data + W).all(|row| registers.is_full(row)) {
            if are_all(&lanes, exec) {
                return lds.fill::<W>(&places, true);
            }
            if lds.is_whole() {
                return lds.put_lanes(&places, lanes);
            }
        }
        let mut rooms = [None; W];
        let mut rows = [&lanes::NONE; W];
        for (word, room) in rooms.iter_mut().enumerate() {
            rows[word] = registers.row(data + word, room);
        }
        lds.put_bits(&places, rows)
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
        address: Address,
        (word, bytes): (usize, u32),
        bits: &Row,
    ) {
        let Some(destination) = access.destination else {
            return;
        };
        let words = access.bytes.div_ceil(4) as usize;
        let undefined = lanes::set(bits);
        let origin = self.origin_in_lds(address, (word, undefined));
        let row = destination + address.which * words + word;
        if bytes == 4 && access.half.is_none() {
            let exec = self.exec;
            let registers = self.registers();
            return registers.set_known(row, (bits, undefined), exec, origin);
        }
        self.fill(access, row, bits, bytes, origin);
    }

    /// All bits of these lanes are undefined in each of whole words that were loaded, and none of the others.
    fn loads_lanes<const W: usize>(
        &mut self,
        access: &Access,
        address: Address,
        undefined: [u64; W],
    ) {
        let Some(destination) = access.destination else {
            return;
        };
        let (exec, wave, plan) = (self.exec, self.wave, self.plan);
        let OfWorkgroup { own, shared, .. } = &mut *self.of;
        let registers = &mut own.waves[wave.index_in_workgroup as usize];
        registers.load(
            destination + address.which * W,
            undefined,
            exec,
            |word, lane| {
                let own = wave.vgpr(address.row, lane).wrapping_add(address.offset);
                let came = Origin::Lds {
                    pc: plan.pc,
                    address: own.wrapping_add(4 * word as u32).into(),
                };
                plan.origins.id(came, &shared.reports)
            },
        );
    }

    /// The origin of what was loaded as the `word`-th word, if it is undefined in a lane.
    fn origin_in_lds(&self, address: Address, (word, undefined): (usize, u64)) -> Option<OriginId> {
        (undefined != 0).then(|| {
            let lane = undefined.trailing_zeros() as usize;
            let address = self
                .wave
                .vgpr(address.row, lane)
                .wrapping_add(address.offset);
            self.id(self.came(Place::Lds(address), 4 * word as u32))
        })
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
