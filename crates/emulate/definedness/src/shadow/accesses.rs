//! Loads, stores and atomics.

use super::{
    Access, Kind, LANES, NONE, Origin, OriginId, Place, Row, Scene, Use, each, in_lds::Address,
    lanes,
};
use crate::access::Space;

/// Bytes that are looked at together; lanes that are further apart are looked at one by one.
const MOST_AT_ONCE: u64 = 4096;
/// Lanes that are looked at together where all lie too far apart.
const PART: u32 = 16;

impl Scene<'_> {
    pub(super) fn access(&mut self, access: &Access) {
        let memory = &self.of.shared.memory;
        self.of.own.view.refresh(memory);
        self.addresses(access);
        if matches!(access.space, Space::Scalar { .. }) {
            return self.scalar_load(access);
        }
        if self.exec == 0 {
            return;
        }
        for which in 0..access.addresses {
            if let (Space::Lds { row, offsets }, false) = (access.space, self.plan.starts()) {
                let offset = offsets[which];
                self.in_lds(access, Address { which, row, offset });
            } else if self.plan.starts() || !self.is_clean(access, which) {
                self.by_lanes(access, which);
            }
        }
    }

    #[inline(never)]
    fn by_lanes(&mut self, access: &Access, which: usize) {
        let words = access.bytes.div_ceil(4) as usize;
        let mut places = [Place::Nowhere; LANES];
        access.places(self.wave, self.exec, which, &mut places);
        if places.contains(&Place::Unknown) {
            self.of.shared.does_not_follow(self.plan.op.name());
        }
        if !self.plan.starts() && self.is_usual(access, which, words, &places) {
            return;
        }
        for word in 0..words {
            let at = 4 * word as u32;
            let bytes = (access.bytes - at).min(4);
            self.word(access, (which, word, words), &places, (at, bytes));
        }
    }

    /// Returns `true` if all that is loaded or stored is defined, and what was loaded is defined now, as is where it was stored. Places of
    /// lanes are not looked at one by one.
    fn is_clean(&mut self, access: &Access, which: usize) -> bool {
        let words = access.bytes.div_ceil(4) as usize;
        let (exec, data) = (self.exec, access.data[which]);
        let known = self.known();
        let destination = access.destination.map(|first| first + which * words);
        let halves = access.half.is_some();
        if access.kind != Kind::Load && !self.are_defined(data..data + words)
            || halves && destination.is_some_and(|first| known.undefined(first) & exec != 0)
        {
            return false;
        }
        if !self.reaches_defined(access, which) {
            return false;
        }
        if let (false, Some(first)) = (halves, destination) {
            let registers = self.registers();
            (first..first + words).for_each(|row| registers.define(row, exec));
        }
        true
    }

    /// Returns `true` if all bytes that are accessed are defined, or are so now because defined data are stored there.
    fn reaches_defined(&mut self, access: &Access, which: usize) -> bool {
        let (lds, view) = (&self.of.own.lds, &self.of.own.view);
        let is_known = match access.space {
            Space::Lds { .. } => lds.is_all_defined(),
            Space::Address { flat: true, .. } => view.is_all_defined() && lds.is_all_defined(),
            Space::Address { .. } | Space::Private { .. } => view.is_all_defined(),
            Space::Buffer { .. } | Space::Scalar { .. } => false,
        };
        is_known
            || self.span_is_defined(access, which, self.exec)
            || self.parts_are_defined(access, which)
    }

    /// The same of some lanes, by the bytes between the lowest and the highest.
    pub(super) fn span_is_defined(&mut self, access: &Access, which: usize, lanes: u64) -> bool {
        let memory = &self.of.shared.memory;
        let (lds, view) = (&mut self.of.own.lds, &mut self.of.own.view);
        let Some(span) = access.span(self.wave, lanes, which) else {
            return false;
        };
        let (start, end) = (span.start, span.end);
        if end - start > MOST_AT_ONCE {
            return false;
        }
        let is_defined = match span.in_lds {
            true => lds.is_defined(start, end),
            false => view.is_defined(memory, start, end),
        };
        let becomes_defined = !is_defined && access.kind == Kind::Store && span.is_whole;
        if becomes_defined {
            match span.in_lds {
                true => lds.define(start, end),
                false => view.define(memory, start, end),
            }
        }
        is_defined || becomes_defined
    }

    /// The same of all lanes, some of them at a time: tiles have rows of fewer lanes than a wave.
    #[inline(never)]
    fn parts_are_defined(&mut self, access: &Access, which: usize) -> bool {
        let exec = self.exec;
        let parts = (0..LANES as u32).step_by(PART as usize);
        let parts = parts.map(|first| exec & ((1 << PART) - 1) << first);
        let mut parts = parts.filter(|lanes| *lanes != 0);
        parts.all(|lanes| self.span_is_defined(access, which, lanes))
    }

    /// Returns `true` if the lanes that are on have defined bits only in these registers.
    fn are_defined(&self, mut rows: std::ops::Range<usize>) -> bool {
        rows.all(|row| self.known().undefined(row) & self.exec == 0)
    }

    /// Returns `true` if all that is loaded or stored is defined and was so before, and what was loaded is defined now.
    fn is_usual(
        &mut self,
        access: &Access,
        which: usize,
        words: usize,
        places: &[Place; LANES],
    ) -> bool {
        let exec = self.exec;
        let data = access.data[which];
        let stores = access.kind != Kind::Load;
        if access.half.is_some() || stores && !self.are_defined(data..data + words) {
            return false;
        }
        let (mut low, mut high) = (u64::MAX, 0);
        let mut in_lds = false;
        for lane in each(exec) {
            let (at, is_lds) = match places[lane] {
                Place::Memory(address) => (address, false),
                Place::Lds(address) => (address.into(), true),
                Place::Private(offset) if words == 1 => (self.private(offset, lane), false),
                _ => return false,
            };
            if low != u64::MAX && in_lds != is_lds {
                return false;
            }
            in_lds = is_lds;
            (low, high) = (low.min(at), high.max(at));
        }
        let end = high + u64::from(access.bytes);
        if low > high || end - low > MOST_AT_ONCE {
            return low > high;
        }
        let defined = match in_lds {
            true => self.of.own.lds.is_defined(low, end),
            false => self
                .of
                .own
                .view
                .is_defined(&self.of.shared.memory, low, end),
        };
        if let (true, Some(first)) = (defined, access.destination) {
            let first = first + which * words;
            let registers = self.registers();
            (first..first + words).for_each(|row| registers.define(row, exec));
        }
        defined
    }

    /// One dword at each lane's place.
    fn word(
        &mut self,
        access: &Access,
        (which, word, words): (usize, usize, usize),
        places: &[Place; LANES],
        (at, bytes): (u32, u32),
    ) {
        let data = *self.known().row(access.data[which] + word, &mut None);
        let shift = if access.half == Some(true) { 16 } else { 0 };
        let mut loaded = NONE;
        let mut first = None;
        let mut output = None;
        for lane in each(self.exec) {
            let place = places[lane];
            let old = match access.kind {
                Kind::Store => 0,
                _ if self.plan.starts() => !0,
                _ => self.load(place, at, lane, bytes),
            };
            loaded[lane] = old;
            if old != 0 && first.is_none() {
                first = Some(self.started().unwrap_or_else(|| self.came(place, at)));
            }
            let stores = access.kind != Kind::Load && data[lane] >> shift != 0;
            if (stores || self.plan.starts()) && matches!(place, Place::Memory(_)) {
                output.get_or_insert(lane);
            }
            match access.kind {
                Kind::Load => {}
                Kind::Store => self.store(place, at, lane, bytes, data[lane] >> shift),
                Kind::Atomic => {
                    let any = old | data[lane] != 0;
                    self.store(place, at, lane, bytes, u32::from(any).wrapping_neg());
                }
            }
        }
        if let (Some(lane), true) = (output, self.of.shared.inexact.is_some()) {
            let origin = match self.started() {
                Some(origin) => self.id(origin),
                None => self.known().origin(access.data[which] + word),
            };
            self.tell(Use::Output, origin, lane);
        }
        let Some(destination) = access.destination else {
            return;
        };
        let row = destination + which * words + word;
        let origin = first.map(|origin| self.id(origin));
        self.fill(access, row, &loaded, bytes, origin);
    }

    pub(super) fn came(&self, place: Place, at: u32) -> Origin {
        let pc = self.plan.pc;
        let at = u64::from(at);
        match place {
            Place::Lds(address) => Origin::Lds {
                pc,
                address: u64::from(address) + at,
            },
            Place::Private(offset) => Origin::Private {
                pc,
                offset: u64::from(offset) + at,
            },
            Place::Memory(address) => Origin::Memory {
                pc,
                address: address + at,
            },
            Place::Nowhere | Place::Unknown => Origin::Memory { pc, address: 0 },
        }
    }

    /// Writes what was loaded to a register.
    pub(super) fn fill(
        &mut self,
        access: &Access,
        row: usize,
        loaded: &Row,
        bytes: u32,
        origin: Option<OriginId>,
    ) {
        let exec = self.exec;
        let registers = self.registers();
        if access.half.is_none() && !lanes::any(loaded) {
            registers.define(row, exec);
            return;
        }
        if access.half.is_none() && !(access.signed && bytes < 4) {
            registers.set(row, loaded, exec, origin);
            return;
        }
        let old = *registers.row(row, &mut None);
        let mut bits = *loaded;
        for lane in 0..LANES {
            if access.signed && bytes < 4 {
                let unused = 32 - 8 * bytes;
                bits[lane] = ((bits[lane] << unused) as i32 >> unused) as u32;
            }
            bits[lane] = match access.half {
                Some(true) => old[lane] & 0xffff | bits[lane] << 16,
                Some(false) => old[lane] & 0xffff_0000 | bits[lane] & 0xffff,
                None => bits[lane],
            };
        }
        registers.set(row, &bits, exec, origin);
    }

    fn private(&self, offset: u32, lane: usize) -> u64 {
        let dword = u64::from(offset >> 2) * u64::from(self.wave.wave_size()) + lane as u64;
        self.wave.scratch_base + dword * 4 + u64::from(offset & 3)
    }

    /// The undefined bits at a place plus `at`.
    fn load(&mut self, place: Place, at: u32, lane: usize, bytes: u32) -> u32 {
        match place {
            Place::Memory(address) => self.load_memory(address + u64::from(at), bytes),
            Place::Lds(address) => self.of.own.lds.load(address.wrapping_add(at), bytes),
            Place::Private(offset) => {
                let offset = offset.wrapping_add(at);
                if offset & 3 == 0 || offset & 3 <= 4 - bytes {
                    return self.load_memory(self.private(offset, lane), bytes);
                }
                (0..bytes).rev().fold(0, |bits, byte| {
                    bits << 8 | self.load_memory(self.private(offset + byte, lane), 1)
                })
            }
            Place::Nowhere | Place::Unknown => 0,
        }
    }

    fn load_memory(&mut self, address: u64, bytes: u32) -> u32 {
        self.of
            .own
            .view
            .load(&self.of.shared.memory, address, bytes)
    }

    fn store(&mut self, place: Place, at: u32, lane: usize, bytes: u32, bits: u32) {
        let memory = &self.of.shared.memory;
        match place {
            Place::Memory(address) => {
                self.of
                    .own
                    .view
                    .store(memory, address + u64::from(at), bytes, bits);
            }
            Place::Lds(address) => {
                self.of.own.lds.store(address.wrapping_add(at), bytes, bits);
            }
            Place::Private(offset) => {
                let offset = offset.wrapping_add(at);
                for byte in 0..bytes {
                    let address = self.private(offset + byte, lane);
                    self.of
                        .own
                        .view
                        .store(memory, address, 1, bits >> (8 * byte) & 0xff);
                }
            }
            Place::Nowhere | Place::Unknown => {}
        }
    }

    /// Tells of undefined addresses.
    fn addresses(&mut self, access: &Access) {
        self.scalar_address(&access.address_slots);
        let exec = self.exec;
        for row in access.address_rows.iter().copied() {
            let undefined = self.known().undefined(row) & exec;
            if undefined != 0 {
                let origin = self.known().origin(row);
                self.tell(Use::Address, origin, undefined.trailing_zeros() as usize);
                self.registers().define(row, undefined);
            }
        }
    }

    fn scalar_load(&mut self, access: &Access) {
        let Some(first) = access.destination else {
            return;
        };
        let (address, exists) = access.scalar_address(self.wave);
        let start = wave::host_address(address);
        let end = start.saturating_add(exists.min(access.bytes.into()));
        let (memory, view) = (&self.of.shared.memory, &mut self.of.own.view);
        if view.is_all_defined() || view.is_defined(memory, start, end) {
            let registers = self.registers();
            (0..access.bytes.div_ceil(4) as usize)
                .for_each(|word| registers.set_scalar(first + word, 0, None));
            return;
        }
        for word in 0..access.bytes.div_ceil(4) {
            let at = 4 * word;
            let bytes = (access.bytes - at).min(4);
            let inside = u64::from(at + bytes) <= exists;
            let mut bits = match inside {
                true => self.load_memory(wave::host_address(address) + u64::from(at), bytes),
                false => 0,
            };
            if access.signed && bytes < 4 {
                let unused = 32 - 8 * bytes;
                bits = ((bits << unused) as i32 >> unused) as u32;
            }
            let origin = (bits != 0).then(|| {
                let (pc, address) = (self.plan.pc, address + u64::from(at));
                self.id(Origin::Memory { pc, address })
            });
            self.registers()
                .set_scalar(first + word as usize, bits, origin);
        }
    }
}
