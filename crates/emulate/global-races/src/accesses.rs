//! One instruction that accesses memory, against what was accessed before.

use definedness::access::{Kind, Place};
use wave::{LANES, Wave};

use crate::{
    Shared,
    cells::{Cell, CellId, OTHERS, ROW, RecordId, SEEN, Spot},
    clock::{Clock, Entry},
    plan::{Decides, Memory},
    progress::Progress,
    records::Site,
    report::{Access, Found, Missing, Side},
    scope::Scope,
    state::State,
};

/// Records of a wave's loads.
#[derive(Default)]
pub(crate) struct Reads([Read; SLOTS]);

const SLOTS: usize = 16;

/// The instruction of a load, the wave's stamp, the era of the records, and the record.
#[derive(Clone, Copy, Default)]
struct Read {
    pc: u64,
    stamp: u32,
    era: u32,
    /// 0: the slot is empty.
    id: RecordId,
}

/// An instruction that a wave is about to execute.
pub(crate) struct Instruction<'a> {
    pub shared: &'a Shared,
    pub memory: &'a Memory,
    pub pc: u64,
    pub wave: &'a Wave,
    pub group: u32,
    pub shares_near: bool,
}

/// The bytes that a lane accesses in one dword.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub address: u64,
    pub bytes: u8,
    lane: usize,
    /// The first of the bytes in the lane's data.
    offset: usize,
}

/// The state while lanes are looked at.
struct Scene<'a> {
    progress: &'a mut Progress,
    id: RecordId,
    learns: Option<Clock>,
    /// The host may have written what is read.
    hears: bool,
    /// The writer that was learned of last.
    taught: RecordId,
    /// The last write that was asked about, and what is missing.
    last: Option<(RecordId, bool, Option<Missing>)>,
    found: Vec<Found>,
    /// The host may know of the write.
    told: bool,
}

impl Instruction<'_> {
    fn kind(&self) -> Access {
        match self.memory.access.kind {
            Kind::Load => Access::Read,
            Kind::Store => Access::Write,
            Kind::Atomic => Access::Atomic,
        }
    }

    /// Looks at all lanes. Returns the races.
    pub fn judge(
        &self,
        state: &mut State,
        progress: &mut Progress,
        reads: &mut Reads,
    ) -> Vec<Found> {
        let writes = self.kind() != Access::Read;
        let id = match writes {
            true => self.written(state, progress),
            false => self.read(state, progress, reads),
        };
        let mut scene = Scene {
            progress,
            id,
            learns: None,
            hears: false,
            taught: 0,
            last: None,
            found: Vec::new(),
            told: !writes || !self.shared.rules.host,
        };
        self.look(state, &mut scene);
        let Scene {
            learns,
            hears,
            found,
            ..
        } = scene;
        let learns = learns.filter(|_| !writes || self.memory.returns);
        match (writes, learns) {
            (true, Some(learns)) => progress.learns(self.memory.counts, learns),
            (false, learns) if !self.memory.is_scalar => {
                progress.loads(self.memory.counts, learns);
                if hears {
                    progress.hears_host(self.memory.counts);
                }
            }
            _ => {}
        }
        found
    }

    /// The scope that each access has at least.
    fn least(&self) -> Scope {
        match self.shares_near {
            true => Scope::Workgroup,
            false => Scope::Near,
        }
    }

    fn site(&self, state: &State) -> Site {
        let raised = self.least();
        Site {
            dispatch: state.dispatch(self.group),
            access: self.kind(),
            reach: self.memory.reach.max(raised),
            says: self.memory.says.max(raised),
            synchronises: self.memory.synchronises,
            pc: self.pc,
        }
    }

    fn written(&self, state: &mut State, progress: &mut Progress) -> RecordId {
        let own = progress.entry(progress.stamp);
        progress.stores(self.memory.counts);
        let (site, known) = (self.site(state), Some((own, &progress.ordered)));
        let records = state.records();
        records.add(progress.number, progress.stamp, site, known)
    }

    fn read(&self, state: &mut State, progress: &Progress, reads: &mut Reads) -> RecordId {
        let slot = &mut reads.0[self.pc as usize / 4 % SLOTS];
        let of_slot = (slot.pc, slot.stamp, slot.era);
        if slot.id != 0 && of_slot == (self.pc, progress.stamp, state.era) {
            return slot.id;
        }
        let (site, records) = (self.site(state), state.records());
        let id = records.add(progress.number, progress.stamp, site, None);
        *slot = Read {
            pc: self.pc,
            stamp: progress.stamp,
            era: state.era,
            id,
        };
        id
    }

    fn look(&self, state: &mut State, scene: &mut Scene<'_>) {
        let access = &self.memory.access;
        let bytes = u64::from(access.bytes);
        let exec = self.wave.exec();
        if self.memory.is_scalar {
            let (address, most) = access.scalar_address(self.wave);
            self.stretch(state, scene, (address, bytes.min(most), 0));
            return;
        }
        if !self.shared.rules.together {
            return self.one_by_one(state, scene, exec);
        }
        match access.stretch(self.wave, exec) {
            // A write by several lanes to one place stores what one of them has.
            Some((address, first, lanes)) if lanes > 1 || access.kind != Kind::Store => {
                self.stretch(state, scene, (address, lanes as u64 * bytes, first));
                return;
            }
            _ => {}
        }
        let mut places = [Place::Nowhere; LANES];
        access.places(self.wave, exec, 0, &mut places);
        let behind = |place: &Place, next: &Place| match (place, next) {
            (Place::Memory(one), Place::Memory(other)) => *other == one.wrapping_add(bytes),
            _ => false,
        };
        let pairs = places.iter().zip(&places[1..]);
        if pairs.filter(|(one, other)| behind(one, other)).count() < LANES / 4 {
            self.scattered(state, scene, &places);
            return;
        }
        let mut first = 0;
        for run in places.chunk_by(behind) {
            if let Place::Memory(address) = run[0] {
                self.stretch(state, scene, (address, run.len() as u64 * bytes, first));
            }
            first += run.len();
        }
    }

    /// Looks at each dword of each lane by itself.
    fn one_by_one(&self, state: &mut State, scene: &mut Scene<'_>, exec: u64) {
        let access = &self.memory.access;
        let mut places = [Place::Nowhere; LANES];
        access.places(self.wave, exec, 0, &mut places);
        for (lane, place) in places.iter().enumerate() {
            let Place::Memory(start) = *place else {
                continue;
            };
            self.tells_host(state, scene, start);
            dwords(start, access.bytes.into(), |part| {
                self.fills(scene, part.address);
                let offset = (part.address.max(start) - start) as usize;
                let spot = state.cells.spot(part.address);
                let part = Part {
                    lane,
                    offset,
                    ..part
                };
                self.part(state, scene, part, spot);
            });
        }
    }

    /// Lanes access memory far apart from each other.
    fn scattered(&self, state: &mut State, scene: &mut Scene<'_>, places: &[Place; LANES]) {
        let bytes = u64::from(self.memory.access.bytes);
        let spots = fetch(state, places);
        let mut last = None;
        for (lane, (place, spot)) in places.iter().zip(spots).enumerate() {
            match place {
                Place::Memory(address) if bytes == 4 && address.is_multiple_of(4) => {
                    self.tells_host(state, scene, *address);
                    self.fills(scene, *address);
                    if self.is_like(state, scene, (*address, spot), &mut last) {
                        continue;
                    }
                    let part = Part {
                        address: *address,
                        bytes: 15,
                        lane,
                        offset: 0,
                    };
                    self.part(state, scene, part, spot);
                }
                Place::Memory(address) => {
                    // It may give cells other numbers.
                    last = None;
                    self.stretch(state, scene, (*address, bytes, lane));
                }
                _ => {}
            }
        }
    }

    /// The dword of a lane, if nothing is found there. `last` has the numbers of the cells of the last such dword, before and behind the access.
    /// Scattered dwords of one instruction mostly had one cell before. False: the dword has to be looked at by itself.
    #[inline]
    fn is_like(
        &self,
        state: &mut State,
        scene: &mut Scene<'_>,
        (address, spot): (u64, Spot),
        last: &mut Option<[CellId; 2]>,
    ) -> bool {
        let before = state.cells.id(spot);
        match *last {
            Some([_, behind]) if before == behind => return true,
            Some([known, behind]) if before == known => {
                state.cells.set_number(spot, behind);
                return true;
            }
            _ => {}
        }
        let cell = *state.cells.of(before);
        let Some(noted) = self.silent(state, scene, cell, address) else {
            *last = None;
            return false;
        };
        let behind = state.cells.number(noted);
        // Numbers may have changed.
        let before = state.cells.id(spot);
        state.cells.set_number(spot, behind);
        // Behind a meeting of the device, lines differ.
        let is_alike = scene.progress.everywhere.is_empty();
        *last = is_alike.then_some([before, behind]);
        true
    }

    /// Lanes write to memory of one kind: the first one says whether the host may look at it.
    fn tells_host(&self, state: &mut State, scene: &mut Scene<'_>, address: u64) {
        if !std::mem::replace(&mut scene.told, true) {
            state.tells_host(address, scene.id, &self.shared.is_host);
        }
    }

    /// Lanes from `first` on access so many bytes in a row.
    fn stretch(
        &self,
        state: &mut State,
        scene: &mut Scene<'_>,
        (start, bytes, first): (u64, u64, usize),
    ) {
        let each = u64::from(self.memory.access.bytes);
        let placed = |part: Part| {
            let at = part.address.max(start) - start;
            Part {
                lane: first + (at / each) as usize,
                offset: (at % each) as usize,
                ..part
            }
        };
        // Nothing lies at the end of the address space: the access will fault.
        let Some(end) = start.checked_add(bytes + ROW).map(|end| end - ROW) else {
            return;
        };
        self.tells_host(state, scene, start);
        let mut at = start;
        while at < end {
            let stop = ((at / ROW + 1) * ROW).min(end);
            self.fills(scene, at);
            let spot = state.cells.spot(at);
            if at.is_multiple_of(4)
                && stop.is_multiple_of(4)
                && let Some(until) = self.alike(state, scene, (at, spot), stop)
            {
                at = until;
                continue;
            }
            dwords(at, stop - at, |part| {
                self.part(state, scene, placed(part), spot.beside(part.address));
            });
            if stop - at == ROW {
                state.cells.settle(spot);
            }
            at = stop;
        }
    }

    /// A load brings the line of an address into the caches that it looks into.
    fn fills(&self, scene: &mut Scene<'_>, address: u64) {
        if self.kind() != Access::Read || self.memory.is_scalar {
            return;
        }
        for (lines, reach) in scene
            .progress
            .loaded
            .iter_mut()
            .zip([Scope::Near, Scope::Workgroup])
        {
            if self.memory.reach <= reach {
                lines.load(address);
            }
        }
    }

    /// Dwords of one row are accessed. Returns how far they are alike and judged, if they have not to be looked at one by one.
    fn alike(
        &self,
        state: &mut State,
        scene: &mut Scene<'_>,
        (address, spot): (u64, Spot),
        stop: u64,
    ) -> Option<u64> {
        let (cell, count) = state.cells.alike(spot, ((stop - address) / 4) as usize)?;
        let noted = self.silent(state, scene, cell, address)?;
        state.cells.fill(spot, count, noted);
        Some(address + 4 * count as u64)
    }

    /// The cell of a dword behind an access of all its bytes, if nothing is found there and nothing else is to be known of it.
    fn silent(
        &self,
        state: &State,
        scene: &mut Scene<'_>,
        cell: Cell,
        address: u64,
    ) -> Option<Cell> {
        if cell.synchronises || self.memory.synchronises || cell.bytes[0] & OTHERS != 0 {
            return None;
        }
        let is_new = cell.writer != 0 && cell.writer != scene.id && cell.bytes[0] != 0;
        if is_new && self.missing_after(state, scene, &cell, address).is_some() {
            return None;
        }
        let mut readers = cell.readers.into_iter().filter(|reader| *reader != 0);
        let writes = self.kind() != Access::Read;
        if writes
            && readers.any(|reader| {
                self.missing(state, scene, (reader, false), address)
                    .is_some()
            })
        {
            return None;
        }
        Some(self.noted(state, scene, cell, 15).0)
    }

    /// The thing that is missing between the last write and this access.
    fn missing_after(
        &self,
        state: &State,
        scene: &mut Scene<'_>,
        cell: &Cell,
        address: u64,
    ) -> Option<Missing> {
        let asked = (cell.writer, cell.synchronises);
        match scene.last {
            Some((last, was, missing)) if (last, was) == asked => return missing,
            _ => {}
        }
        let missing = self.missing(state, scene, asked, address);
        // Behind a meeting of the device, lines differ.
        if scene.progress.everywhere.is_empty() {
            scene.last = Some((asked.0, asked.1, missing));
        }
        missing
    }

    fn part(&self, state: &mut State, scene: &mut Scene<'_>, part: Part, spot: Spot) {
        let kind = self.kind();
        let cell = *state.cells.at(spot);
        if let Some(decides) = self.memory.decides
            && self.shared.rules.deciding
        {
            self.decides(state, scene, &cell, decides);
        }
        if cell.writer != 0 && cell.writer != scene.id && cell.bytes[0] & part.bytes != 0 {
            let missing = match self.follows_a_look(state, scene, (&cell, cell.writer), part) {
                true => None,
                false => self.missing_after(state, scene, &cell, part.address),
            };
            match missing {
                Some(missing) => self.found(state, scene, (cell.writer, missing), part),
                None => self.learn(state, scene, cell.writer, part.address),
            }
        }
        scene.hears |= self.hears_host(state, &cell);
        for writer in state.writers(part.address, &cell, part.bytes) {
            match self.missing(state, scene, (writer, cell.synchronises), part.address) {
                _ if writer == scene.id => {}
                Some(_) if self.follows_a_look(state, scene, (&cell, writer), part) => {}
                Some(missing) => self.found(state, scene, (writer, missing), part),
                None => self.learn(state, scene, writer, part.address),
            }
        }
        if kind != Access::Read {
            for (reader, bytes) in cell.readers.into_iter().zip([cell.bytes[1], cell.bytes[2]]) {
                if reader != 0 && bytes & part.bytes != 0 {
                    let missing =
                        self.missing(state, scene, (reader, cell.synchronises), part.address);
                    if let Some(missing) = missing {
                        self.found(state, scene, (reader, missing), part);
                    }
                }
            }
        }
        self.note(state, scene, cell, (part, spot));
    }

    /// A wave has looked at the word and got what the last write stored, before it comes to this write. Accesses to one place are in order
    /// then: a waiter may take a flag back by a plain store.
    fn follows_a_look(
        &self,
        state: &State,
        scene: &Scene<'_>,
        (cell, writer): (&Cell, RecordId),
        part: Part,
    ) -> bool {
        if !self.shared.rules.looks || self.kind() == Access::Read {
            return false;
        }
        let writer = state.record(writer);
        let looks = cell.readers.into_iter().zip([cell.bytes[1], cell.bytes[2]]);
        let mut looks = looks
            .filter(|(reader, bytes)| *reader != 0 && bytes >> SEEN & part.bytes == part.bytes);
        looks.any(|(reader, _)| {
            let look = state.record(reader);
            let scopes = [look, writer].map(|one| scene.progress.scope_to(one.wave));
            let need = scopes[0].max(scopes[1]);
            let sees = state.site(look).says >= need && state.site(writer).says >= need;
            sees && self
                .missing(state, scene, (reader, false), part.address)
                .is_none()
        })
    }

    /// The wave looks whether a word has changed that no wave has written. The host may have changed it after copies had ended.
    fn hears_host(&self, state: &State, cell: &Cell) -> bool {
        let is_from_outside = cell.writer == 0 || state.site(state.record(cell.writer)).is_copy();
        let looks = self.kind() == Access::Read && self.memory.synchronises;
        self.shared.rules.host && looks && is_from_outside
    }

    /// The wave has loaded the word with a plain load, and now changes it by an atomic that makes up for an old value.
    fn decides(&self, state: &mut State, scene: &Scene<'_>, cell: &Cell, decides: Decides) {
        for reader in cell.readers.into_iter().filter(|reader| *reader != 0) {
            let record = state.record(reader);
            let (wave, site) = (record.wave, *state.site(record));
            if wave == scene.progress.number && site.access == Access::Read {
                state.decided(site.pc, decides);
            }
        }
    }

    /// Two accesses do not race on a word by which waves put themselves in order.
    fn is_synchronised(&self, site: &Site, need: Scope, marked: bool) -> bool {
        let both = site.says >= need && self.memory.says.max(self.least()) >= need;
        let some = marked || site.synchronises || self.memory.synchronises;
        self.shared.rules.synchronising && both && some
    }

    /// The instruction is of another launch, which is known to have ended.
    fn is_settled(&self, state: &State, site: &Site) -> bool {
        let (first, then) = (site.dispatch, state.dispatch(self.group));
        first != then && (!self.shared.rules.launches || state.follows(first, then))
    }

    fn missing(
        &self,
        state: &State,
        scene: &Scene<'_>,
        (id, marked): (RecordId, bool),
        address: u64,
    ) -> Option<Missing> {
        let (record, progress) = (state.record(id), &*scene.progress);
        let (site, need) = (state.site(record), progress.scope_to(record.wave));
        let same_group = need == Scope::Workgroup;
        if record.wave == progress.number || !same_group && self.is_settled(state, site) {
            return None;
        }
        if self.is_synchronised(site, need, marked) {
            return None;
        }
        let near_is_enough = same_group && self.shares_near;
        let rules = self.shared.rules;
        let performed = |entry: Entry| match () {
            () if site.access == Access::Read || near_is_enough || !rules.performed => entry.issued,
            () if same_group || site.reach >= Scope::Agent => entry.waited,
            () => entry.agent,
        };
        let entry = progress.ordered.get(record.wave);
        if record.stamp > entry.issued {
            return Some(Missing::Order);
        }
        if record.stamp > performed(entry) {
            return Some(Missing::Performed);
        }
        let looks_far = self.memory.reach >= need || near_is_enough;
        let reads_write = self.kind() == Access::Read && site.access != Access::Read;
        if !reads_write || looks_far || site.is_copy() || !rules.fresh {
            return None;
        }
        let is_known = |entry: Entry| record.stamp <= performed(entry);
        let knows = |clock: &Clock| is_known(clock.get(record.wave));
        let [near, far] = progress.everywhere.has(address, record.wave, is_known);
        let fresh = (near || knows(&progress.near)) && (same_group || far || knows(&progress.far));
        (!fresh).then_some(Missing::Fresh)
    }

    /// The wave reads what another one has written for it.
    fn learn(&self, state: &mut State, scene: &mut Scene<'_>, writer: RecordId, address: u64) {
        let reads = self.kind() == Access::Read || self.memory.returns;
        if !reads || !self.memory.synchronises {
            return;
        }
        let record = state.record(writer);
        let need = scene.progress.scope_to(record.wave);
        if record.wave == scene.progress.number && !state.words.contains_key(&address) {
            return;
        }
        if state.site(record).says < need || self.memory.says < need {
            return;
        }
        if scene.taught == writer && !state.words.contains_key(&address) {
            return;
        }
        scene.taught = writer;
        // Waves that change the word as well may take a number each, and then they do not wait for others.
        if self.shared.rules.launches && self.kind() == Access::Read {
            let first = state.site(state.record(writer)).dispatch;
            state.hears(address, first, state.dispatch(self.group));
        }
        let learns = scene.learns.get_or_insert_default();
        state.tell(address, writer, learns);
    }

    fn note(&self, state: &mut State, scene: &Scene<'_>, cell: Cell, (part, spot): (Part, Spot)) {
        let (mut noted, before) = self.noted(state, scene, cell, part.bytes);
        if self.kind() != Access::Read {
            let others = state.divided(part.address, &cell, scene.id, part.bytes);
            noted.bytes[0] = noted.bytes[0] & !OTHERS | others;
            let atomic = self.kind() == Access::Atomic;
            if noted.synchronises || atomic {
                state.wrote(part.address, before, scene.id, atomic);
            }
        }
        state.cells.set(spot, noted);
    }

    /// The cell after the access, and who wrote before.
    fn noted(
        &self,
        state: &State,
        scene: &Scene<'_>,
        mut cell: Cell,
        bytes: u8,
    ) -> (Cell, RecordId) {
        let (id, before) = (scene.id, cell.writer);
        cell.synchronises |= self.memory.synchronises;
        if self.kind() == Access::Read {
            let same_wave = |reader: RecordId| {
                reader != 0 && state.record(reader).wave == scene.progress.number
            };
            if cell.readers[0] != id {
                if !same_wave(cell.readers[0]) {
                    cell.readers[1] = cell.readers[0];
                    cell.bytes[2] = cell.bytes[1];
                    cell.bytes[1] = 0;
                }
                cell.readers[0] = id;
            }
            cell.bytes[1] |= bytes;
            if self.memory.synchronises {
                cell.bytes[1] |= bytes << SEEN;
            }
        } else {
            cell.writer = id;
            cell.is_new(bytes);
            cell.bytes[0] = match before == id {
                true => cell.bytes[0] | bytes,
                false => bytes,
            };
        }
        (cell, before)
    }

    /// The write stores what is there already. Several lanes may have the bytes: each the next ones.
    fn changes_nothing(&self, part: Part) -> bool {
        let access = &self.memory.access;
        let bytes = part.bytes.trailing_zeros() as usize..8 - part.bytes.leading_zeros() as usize;
        let mut there = [0; 4];
        // The dword's other bytes may be outside of the allocation.
        let start = part.address + bytes.start as u64;
        if access.kind != Kind::Store || !(self.shared.read)(start, &mut there[bytes.clone()]) {
            return false;
        }
        let each = access.bytes as usize;
        let high = 2 * usize::from(access.half == Some(true));
        let stored = |number: usize| {
            let at = part.offset + number;
            let (lane, byte) = (part.lane + at / each, at % each + high);
            let row = access.data[0] + byte / 4;
            let is_known = row < self.wave.vector_rows() && lane < LANES;
            is_known.then(|| self.wave.vgpr(row, lane).to_le_bytes()[byte % 4])
        };
        bytes
            .enumerate()
            .all(|(number, byte)| stored(number) == Some(there[byte]))
    }

    fn found(
        &self,
        state: &State,
        scene: &mut Scene<'_>,
        (before, missing): (RecordId, Missing),
        part: Part,
    ) {
        let record = state.record(before);
        let site = state.site(record);
        let is_alike = |found: &&Found| found.before.pc == site.pc && found.missing == missing;
        // Lanes that met alike are one finding, which is certain if one of them is.
        if scene
            .found
            .iter()
            .filter(is_alike)
            .any(|found| found.certain)
        {
            return;
        }
        let certain = !self.changes_nothing(part);
        if !certain && scene.found.iter().any(|found| is_alike(&found)) {
            return;
        }
        scene.found.retain(|found| !is_alike(&found));
        let group = state.group(record);
        let dispatch = state.dispatch(self.group);
        scene.found.push(Found {
            certain,
            missing,
            other: (group.dispatch != dispatch).then(|| state.launch(group.dispatch)),
            before: Side {
                pc: site.pc,
                access: site.access,
                workgroup: group.workgroup,
                wave: record.wave - group.first_wave,
            },
            after: Side {
                pc: self.pc,
                access: self.kind(),
                workgroup: state.groups[self.group as usize].workgroup,
                wave: self.wave.index_in_workgroup,
            },
            lane: Some(part.lane as u32),
            address: part.address,
            times: 1,
        });
    }
}

/// The places of the lanes' first dwords. It asks for all that they need, so that the host's caches miss at the same time and not one after the
/// other. Each step does no more than to ask for what the next one needs.
fn fetch(state: &mut State, places: &[Place; LANES]) -> [Spot; LANES] {
    let (mut spots, mut ids) = ([Spot::NONE; LANES], [0; LANES]);
    for (spot, place) in spots.iter_mut().zip(places) {
        if let Place::Memory(address) = place {
            *spot = state.cells.spot(*address);
        }
    }
    for (id, spot) in ids.iter_mut().zip(&spots) {
        if spot.is_some() {
            *id = state.cells.id(*spot);
        }
    }
    let mut touched = 0;
    for id in ids.iter().filter(|id| **id != 0) {
        let cell = state.cells.of(*id);
        for record in [cell.writer, cell.readers[0], cell.readers[1]] {
            if record != 0 {
                touched ^= state.record(record).stamp;
            }
        }
    }
    std::hint::black_box(touched);
    spots
}

/// The dwords of `bytes` bytes from an address on, as those of the first lane.
pub(crate) fn dwords(address: u64, bytes: u64, mut act: impl FnMut(Part)) {
    let mut at = address;
    let end = address.wrapping_add(bytes);
    while at < end {
        let start = at & !3;
        let next = (start + 4).min(end);
        let mask = ((1u8 << (next - start)) - 1) & !((1u8 << (at - start)) - 1);
        act(Part {
            address: start,
            bytes: mask,
            lane: 0,
            offset: 0,
        });
        at = next;
    }
}
