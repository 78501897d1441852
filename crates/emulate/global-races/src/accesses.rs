//! One instruction that accesses memory, against what was accessed before.

use definedness::access::Kind;
use smallvec::SmallVec;
use wave::{LANES, Wave};

use crate::{
    Shared,
    cell::{Cell, RecordId, SEEN},
    cells::{Dwords, Spot},
    clock::{Clock, Entry},
    look::Alike,
    plan::{Decides, Memory},
    progress::Progress,
    records::Site,
    report::{Access, Found, Missing, Side},
    scope::Scope,
    state::State,
};

/// Records of a wave's loads, and perhaps of the waves that had this memory before.
#[derive(Default)]
pub(crate) struct Reads([Read; SLOTS]);

const SLOTS: usize = 16;

/// The instruction of a load, the wave, its stamp, the era of the records, and the record.
#[derive(Clone, Copy, Default)]
struct Read {
    of: (u64, u32, u32, u32),
    /// 0: the slot is empty.
    id: RecordId,
}

/// A wave's workgroup.
pub(crate) struct Membership {
    pub number: u32,
    /// Its waves have one cache and see each other's stores in order.
    pub shares_near: bool,
}

/// An instruction that a wave is about to execute.
pub(crate) struct Instruction<'a> {
    pub shared: &'a Shared,
    pub memory: &'a Memory,
    pub pc: u64,
    pub wave: &'a Wave,
    pub group: &'a Membership,
}

/// The bytes that a lane accesses in one dword.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub address: u64,
    pub bytes: u8,
    pub lane: usize,
    /// The first of the bytes in the lane's data.
    pub offset: usize,
}

/// The state while lanes are looked at.
pub(crate) struct Scene<'a> {
    pub progress: &'a mut Progress,
    pub id: RecordId,
    learns: Option<Clock>,
    /// The host may have written what is read.
    pub hears: bool,
    /// The writer that was learned of last.
    taught: RecordId,
    /// The last write that was asked about, and what is missing.
    last: Option<(RecordId, bool, Option<Missing>)>,
    found: Vec<Found>,
    /// The host may know of the write.
    pub told: bool,
    pub alike: Alike,
    /// Dwords that have to be looked at lane by lane: their rows' addresses, and the dwords there.
    pub apart: SmallVec<[(u64, Dwords); 2]>,
}

impl Instruction<'_> {
    pub fn kind(&self) -> Access {
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
        if self.memory.is_scalar && self.is_repeated(state, progress) {
            return Vec::new();
        }
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
            alike: Alike::NONE,
            apart: SmallVec::new(),
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
        match self.group.shares_near {
            true => Scope::Workgroup,
            false => Scope::Near,
        }
    }

    pub fn site(&self, state: &State) -> Site {
        let raised = self.least();
        Site {
            dispatch: state.dispatch(self.group.number),
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
        let of = (self.pc, progress.number, progress.stamp, state.era);
        if slot.id != 0 && slot.of == of {
            return slot.id;
        }
        let (site, records) = (self.site(state), state.records());
        let id = records.add(progress.number, progress.stamp, site, None);
        // (The era is another one if there were too many records.)
        let of = (self.pc, progress.number, progress.stamp, state.era);
        *slot = Read { of, id };
        id
    }

    /// The thing that is missing between the last write and this access.
    pub fn missing_after(
        &self,
        state: &State,
        scene: &mut Scene<'_>,
        cell: &Cell,
        address: u64,
    ) -> Option<Missing> {
        let asked = (cell.writer(), cell.synchronises());
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

    pub fn part(&self, state: &mut State, scene: &mut Scene<'_>, part: Part, spot: Spot) {
        let cell = state.cells.at(spot);
        if let Some(decides) = self.memory.decides
            && self.shared.rules.deciding
        {
            self.decides(state, scene, &cell, decides);
        }
        let writer = cell.writer();
        let word = cell.is_word().then_some(part.address);
        if writer != scene.id && cell.is_written(part.bytes) {
            let missing = match self.follows_a_look(state, scene, (&cell, writer), part) {
                true => None,
                false => self.missing_after(state, scene, &cell, part.address),
            };
            match missing {
                Some(missing) => self.found(state, scene, (writer, missing), part),
                None => self.learn(state, scene, writer, word),
            }
        }
        scene.hears |= self.hears_host(state, &cell);
        for writer in cell.others(part.bytes) {
            match self.missing(state, scene, (writer, cell.synchronises()), part.address) {
                Some(_) if self.follows_a_look(state, scene, (&cell, writer), part) => {}
                Some(missing) => self.found(state, scene, (writer, missing), part),
                None => self.learn(state, scene, writer, word),
            }
        }
        if self.kind() != Access::Read {
            for (reader, bytes) in cell.reads() {
                let before = (reader, cell.synchronises());
                if bytes & part.bytes != 0
                    && let Some(missing) = self.missing(state, scene, before, part.address)
                {
                    self.found(state, scene, (reader, missing), part);
                }
            }
        }
        let noted = self.noted(state, scene, cell, part.bytes);
        let is_atomic = self.kind() == Access::Atomic;
        if self.kind() != Access::Read && (noted.synchronises() || is_atomic) {
            state.wrote(part.address, writer, scene.id, is_atomic);
        }
        state.cells.set(spot, noted);
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
        let looks = cell.reads();
        let mut looks = looks.filter(|(_, bytes)| bytes >> SEEN & part.bytes == part.bytes);
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
    pub fn hears_host(&self, state: &State, cell: &Cell) -> bool {
        let writer = cell.writer();
        let is_from_outside = writer == 0 || state.site(state.record(writer)).is_copy();
        let looks = self.kind() == Access::Read && self.memory.synchronises;
        self.shared.rules.host && looks && is_from_outside
    }

    /// The wave has loaded the word with a plain load, and now changes it by an atomic that makes up for an old value.
    fn decides(&self, state: &mut State, scene: &Scene<'_>, cell: &Cell, decides: Decides) {
        for (reader, _) in cell.reads() {
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
        let (first, then) = (site.dispatch, state.dispatch(self.group.number));
        first != then && (!self.shared.rules.launches || state.follows(first, then))
    }

    pub fn missing(
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
        let near_is_enough = same_group && self.group.shares_near;
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

    /// The wave reads what another one has written for it: a word, if atomics have changed it.
    pub fn learn(
        &self,
        state: &mut State,
        scene: &mut Scene<'_>,
        writer: RecordId,
        word: Option<u64>,
    ) {
        let reads = self.kind() == Access::Read || self.memory.returns;
        if !reads || !self.memory.synchronises {
            return;
        }
        let record = state.record(writer);
        let need = scene.progress.scope_to(record.wave);
        if record.wave == scene.progress.number && word.is_none() {
            return;
        }
        if state.site(record).says < need || self.memory.says < need {
            return;
        }
        if scene.taught == writer && word.is_none() {
            return;
        }
        scene.taught = writer;
        // Waves that change the word as well may take a number each, and then they do not wait for others.
        if self.shared.rules.launches && self.kind() == Access::Read {
            let first = state.site(record).dispatch;
            state.hears(word, first, state.dispatch(self.group.number));
        }
        let learns = scene.learns.get_or_insert_default();
        state.tell(word, writer, learns);
    }

    /// The cell after the access.
    #[inline(always)]
    pub fn noted(&self, state: &State, scene: &Scene<'_>, mut cell: Cell, bytes: u8) -> Cell {
        let (id, synchronises) = (scene.id, self.memory.synchronises);
        match self.kind() {
            Access::Read => {
                let of_wave = |id| state.record(id).wave == scene.progress.number;
                cell.read(id, bytes, of_wave, synchronises);
            }
            kind => cell.write(id, bytes, kind == Access::Atomic, synchronises),
        }
        cell
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
        let dispatch = state.dispatch(self.group.number);
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
                workgroup: state.groups[self.group.number as usize].workgroup,
                wave: self.wave.index_in_workgroup,
            },
            lane: Some(part.lane as u32),
            address: part.address,
            times: 1,
        });
    }
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
