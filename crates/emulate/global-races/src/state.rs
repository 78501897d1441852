//! The accesses of all workgroups that run.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Arc, Weak},
};

use gpu::{Dispatch, Transfer, order::Order};

use crate::{
    accesses::Reads,
    cell::RecordId,
    cells::{self, Cells, Dwords, ROW, Spot},
    clock::{Clock, Entry},
    plan::Decides,
    progress::{Meeting, Progress},
    records::{Record, Records, Site},
    repeats::{Load, Reader, Repeats},
    report::{Copy, Found, Other, Told},
};

/// A workgroup.
pub(crate) struct Group {
    pub dispatch: u32,
    pub workgroup: [u32; 3],
    pub first_wave: u32,
}

/// The one step of a copy, when it has ended.
pub(crate) const DONE: Entry = Entry {
    issued: 1,
    waited: 1,
    agent: 1,
};

/// A launch.
struct Launch {
    /// None for a copy.
    dispatch: Weak<Dispatch>,
    order: Option<Arc<Order>>,
    what: Other,
    node: u32,
}

/// A word that waves change by atomics.
#[derive(Default)]
pub(crate) struct Word {
    /// The knowledge that it hands on.
    pub clock: Clock,
    /// Writes that the clock lacks.
    pub writers: Vec<RecordId>,
    /// The launches of all writers.
    launches: Vec<u32>,
}

/// Bytes of memory that is all of one kind.
const PAGE: u64 = 4096;
/// Records that are kept at a time.
const MOST_RECORDS: usize = 1 << 25;
/// Writers of a word that no wave has read since.
const MOST_WRITERS: usize = 1 << 12;

/// The load, the wave, the era of the records, and the record.
type Noted = (Site, Reader, u32, RecordId);
/// Places, and as many waves as a workgroup mostly has.
const NOTED: [usize; 2] = [16, 16];

#[derive(Default)]
pub(crate) struct State {
    pub cells: Cells,
    records: Records,
    /// Reads that the cells lack.
    repeats: Repeats,
    /// Records of such reads that cells got not long ago, by places of loads and by waves: a wave that repeats a load has one. Empty before
    /// the first one.
    noted: Vec<Option<Noted>>,
    pub words: HashMap<u64, Word>,
    pub groups: Vec<Group>,
    /// The meetings at resources of the device, by launch and resource, and then by number.
    meetings: BTreeMap<(u32, u32), BTreeMap<u64, Meeting>>,
    /// The number of the last one.
    met: u64,
    /// Names of instructions whose accesses are not judged.
    pub unknown: HashSet<&'static str>,
    /// How often all accesses were forgotten.
    pub era: u32,
    /// Plain loads of words about which an atomic of the same wave decided.
    decided: HashMap<u64, Decides>,
    /// Plain reads beside atomics.
    held: Vec<(Arc<Dispatch>, Told)>,
    doubted: Vec<(Arc<Dispatch>, Told)>,
    /// Races that were none, each with what it is now.
    pub revised: Vec<(Found, Option<Found>)>,
    /// All copies: the host may know that they have ended.
    pub copies: Clock,
    /// The work of waves of which the host may know.
    pub host: Clock,
    /// A page that was asked for, and whether it is the host's.
    page: Option<(u64, bool)>,
    /// The launches whose accesses are kept.
    launches: Vec<Launch>,
    waves: u32,
    live: usize,
    /// Memory of waves that have ended, by workgroup.
    pub spare: Vec<Vec<(Progress, Reads)>>,
}

impl State {
    /// The number of cells at which those are given up that no dword has any more.
    pub fn of(cells: usize) -> State {
        State {
            cells: Cells::with_most(cells),
            ..State::default()
        }
    }

    /// A workgroup begins: its number.
    pub fn begin(&mut self, dispatch: &Arc<Dispatch>, workgroup: [u32; 3], waves: u32) -> u32 {
        let of = |known: &Launch| Weak::as_ptr(&known.dispatch) == Arc::as_ptr(dispatch);
        let number = match self.launches.iter().rposition(of) {
            Some(number) => number,
            None => self.launched(Launch {
                dispatch: Arc::downgrade(dispatch),
                order: dispatch.order.clone(),
                what: Other::Kernel(dispatch.packet.kernel_object),
                node: dispatch.origin.node,
            }),
        };
        self.live += 1;
        self.group_of(number, workgroup, waves)
    }

    /// A launch begins: its number. Records that nothing can race with any more are forgotten.
    fn launched(&mut self, launch: Launch) -> usize {
        if self.live == 0 && self.is_over(launch.order.as_deref()) {
            self.forget();
            self.groups.clear();
            self.meetings.clear();
            self.decided.clear();
            self.launches.clear();
            self.copies = Clock::default();
            self.host = Clock::default();
            self.waves = 0;
        }
        // Memory may have become another kind meanwhile.
        self.page = None;
        self.launches.push(launch);
        self.launches.len() - 1
    }

    fn group_of(&mut self, launch: usize, workgroup: [u32; 3], waves: u32) -> u32 {
        self.groups.push(Group {
            dispatch: launch as u32,
            workgroup,
            first_wave: self.waves,
        });
        self.waves += waves;
        self.groups.len() as u32 - 1
    }

    /// A copy begins or goes on: its workgroup of one wave, and what it has moved with this piece.
    pub fn copies(&mut self, piece: &Transfer<'_>) -> (u32, Copy) {
        let of = |known: &Launch| {
            let order = known.order.as_ref();
            order.is_some_and(|order| Arc::ptr_eq(order, piece.order))
        };
        if let Some(number) = self.launches.iter().rposition(of)
            && let Some(group) = (self.groups.iter()).rposition(|of| of.dispatch == number as u32)
            && let Other::Copy { copy, .. } = &mut self.launches[number].what
        {
            copy.bytes += piece.bytes;
            return (group as u32, *copy);
        }
        let copy = Copy {
            from: piece.from,
            to: piece.to,
            bytes: piece.bytes,
        };
        let number = self.launched(Launch {
            dispatch: Weak::new(),
            order: Some(piece.order.clone()),
            what: Other::Copy {
                copy,
                is_later: false,
            },
            node: piece.node,
        });
        self.copies.raise(self.waves, DONE);
        (self.group_of(number, [0; 3], 1), copy)
    }

    /// A wave writes to this address. If it lies in memory of the host, the host may learn what the wave has done.
    pub fn tells_host(&mut self, address: u64, id: RecordId, is_host: impl Fn(u64) -> bool) {
        let page = address / PAGE;
        let is_host = match self.page {
            Some((known, is_host)) if known == page => is_host,
            _ => is_host(address),
        };
        self.page = Some((page, is_host));
        if is_host {
            self.records.tell(id, &mut self.host);
        }
    }

    /// Nothing can begin any more beside the launches whose accesses are kept.
    fn is_over(&self, next: Option<&Order>) -> bool {
        let Some(next) = next else {
            return true;
        };
        let orders = self.launches.iter().map(|launch| &launch.order);
        orders.flatten().all(|order| next.settles(order))
    }

    /// The first launch had ended when the other one began, or their order is not judged.
    pub fn follows(&self, first: u32, then: u32) -> bool {
        let [first, then] = [first, then].map(|number| &self.launches[number as usize]);
        match (&first.order, &then.order) {
            (Some(one), Some(other)) if first.node == then.node => other.follows(one),
            _ => true,
        }
    }

    /// A wave of launch `then` has looked at what a wave of launch `first` has written last: a word, if atomics have changed it.
    pub fn hears(&self, word: Option<u64>, first: u32, then: u32) {
        let order = |number: u32| self.launches[number as usize].order.as_ref();
        let word = word.and_then(|address| self.words.get(&address));
        let writers = word.map_or(&[][..], |word| &word.launches);
        for writer in writers.iter().copied().chain([first]) {
            if let (Some(one), Some(other)) = (order(writer), order(then))
                && writer != then
                && !other.follows(one)
            {
                other.hears(one);
            }
        }
    }

    /// The kernel of a launch, or its copy.
    pub fn launch(&self, dispatch: u32) -> Other {
        self.launches[dispatch as usize].what
    }

    /// A meeting of the launch of a workgroup. Waves are never two meetings behind others.
    pub fn meeting(&mut self, group: u32, resource: u32, number: u64) -> &mut Meeting {
        let dispatch = self.groups[group as usize].dispatch;
        let meetings = self.meetings.entry((dispatch, resource)).or_default();
        meetings.retain(|known, _| *known == 0 || *known + 2 > number);
        let meeting = meetings.entry(number).or_default();
        if meeting.number == 0 {
            self.met += 1;
            meeting.number = self.met;
        }
        meeting
    }

    /// An atomic decided about the word that the instruction at `pc` had loaded. Races of such loads are taken back.
    pub fn decided(&mut self, pc: u64, decides: Decides) {
        let known = self.decided.entry(pc).or_insert(decides);
        *known = (*known).max(decides);
        let decides = *known;
        let is_it = |told: &Told| told.found().read_beside_atomic() == Some(pc);
        for (dispatch, mut told) in self.held.extract_if(.., |(_, told)| is_it(told)) {
            let before = told.told();
            match decides {
                Decides::Surely => self.revised.push((before, None)),
                Decides::Perhaps if before.certain => {
                    told.doubt();
                    let now = Some(told.told());
                    self.revised.push((before, now));
                    self.doubted.push((dispatch, told));
                }
                Decides::Perhaps => self.doubted.push((dispatch, told)),
            }
        }
        self.held.append(&mut self.doubted);
    }

    /// A plain read beside an atomic. It is a race unless an atomic decides about the read. Returns what is to be told of now.
    pub fn beside_atomic(&mut self, dispatch: &Arc<Dispatch>, mut found: Found) -> Option<Found> {
        let pc = found.read_beside_atomic();
        match pc.and_then(|pc| self.decided.get(&pc)) {
            Some(Decides::Surely) => return None,
            Some(Decides::Perhaps) => found.certain = false,
            _ => {}
        }
        let is_it = |(of, told): &&mut (Arc<Dispatch>, Told)| {
            Arc::ptr_eq(of, dispatch) && told.found().alike() == found.alike()
        };
        match self.held.iter_mut().find(is_it) {
            Some((_, told)) => told.again(),
            None => {
                self.held.push((dispatch.clone(), Told::new(found)));
                Some(found)
            }
        }
    }

    /// A workgroup ends. With the last one come the times of races that were not told of.
    pub fn end(&mut self) -> Vec<Found> {
        self.live -= 1;
        if self.live != 0 {
            return Vec::new();
        }
        let held = self.held.drain(..);
        held.filter_map(|(_, told)| told.rest()).collect()
    }

    /// Other memory begins to live in these bytes: no access to them is known.
    pub fn anew(&mut self, address: u64, size: u64) {
        let end = address.saturating_add(size);
        while let Some((load, readers)) = self.repeats.take_any() {
            self.note(&load, readers);
        }
        self.cells.forget(address, end);
        let is_there = |at: u64| at + 4 > address && at < end;
        self.words.retain(|at, _| !is_there(*at));
    }

    /// No access is known any more.
    fn forget(&mut self) {
        self.era += 1;
        self.cells.clear();
        self.repeats = Repeats::default();
        self.records.clear();
        self.words.clear();
    }

    /// The place of the dword at an address. The cells of its row know of all reads.
    #[inline]
    pub fn spot(&mut self, address: u64) -> Spot {
        if self.repeats.may_have(address) {
            self.note_row(address / ROW * ROW, cells::ALL);
        }
        self.cells.spot(address)
    }

    /// The cells of these dwords of a row get the reads that they lack.
    #[cold]
    #[inline(never)]
    fn note_row(&mut self, row: u64, dwords: Dwords) {
        while let Some((load, readers)) = self.repeats.take(row, dwords) {
            self.note(&load, readers);
        }
    }

    /// The cells of a load's dwords get these reads. Cells keep their numbers, and instructions that know some may be on their way.
    pub fn note(&mut self, load: &Load, readers: [Option<Reader>; 2]) {
        let spot = self.cells.spot(load.row);
        for (wave, stamp) in readers.into_iter().flatten() {
            let id = self.noted(load.site, (wave, stamp));
            let mut left = load.dwords;
            while left != 0 {
                let (before, same) = self.cells.same(spot, left);
                left &= !same;
                let mut cell = self.cells.of(before);
                cell.read(id, 15, |other| self.records.get(other).wave == wave, false);
                let number = self.cells.kept_number(cell);
                self.cells.give(spot, same, number);
            }
        }
    }

    /// The record of a read.
    fn noted(&mut self, site: Site, reader: Reader) -> RecordId {
        let [places, waves] = NOTED;
        self.noted.resize(places * waves, None);
        let slot = site.pc as usize / 4 % places * waves + reader.0 as usize % waves;
        match self.noted[slot] {
            Some((of, by, era, id)) if (of, by, era) == (site, reader, self.era) => id,
            _ => {
                let id = self.records.add(reader.0, reader.1, site, None);
                self.noted[slot] = Some((site, reader, self.era, id));
                id
            }
        }
    }

    /// A wave executes a scalar load. Returns `true` if the cells need not know of it yet: the load was executed just so before, and no wave has
    /// written what it reads.
    pub fn repeats(&mut self, load: &Load, reader: Reader) -> bool {
        if self.repeats.again(load, reader) {
            return true;
        }
        // No instruction that knows numbers of cells or records is on its way.
        self.records();
        self.cells.make_room();
        let is_known = self.repeats.is_known(load);
        if let Some((other, readers)) = self.repeats.take_slot(load) {
            self.note(&other, readers);
        }
        if !is_known || !self.is_only_read(load) {
            self.repeats.meets(load);
            return false;
        }
        self.note_row(load.row, load.dwords);
        self.repeats.keep(load, reader);
        true
    }

    /// No wave has written what a load reads, or used it to put itself in order.
    fn is_only_read(&mut self, load: &Load) -> bool {
        let spot = self.cells.spot(load.row);
        let mut left = load.dwords;
        while left != 0 {
            let (id, same) = self.cells.same(spot, left);
            if !self.cells.of(id).is_only_read() {
                return false;
            }
            left &= !same;
        }
        true
    }

    /// The records, with room for another one. When there are too many, the older ones are given up.
    pub fn records(&mut self) -> &mut Records {
        if self.records.len() >= MOST_RECORDS {
            self.forget();
        }
        &mut self.records
    }

    pub fn record(&self, id: RecordId) -> &Record {
        self.records.get(id)
    }

    /// The instruction of a record.
    pub fn site(&self, record: &Record) -> &Site {
        self.records.site(record)
    }

    /// The workgroup of a record's wave.
    pub fn group(&self, record: &Record) -> &Group {
        let later = self
            .groups
            .partition_point(|group| group.first_wave <= record.wave);
        &self.groups[later - 1]
    }

    /// The number of a workgroup's launch.
    pub fn dispatch(&self, group: u32) -> u32 {
        self.groups[group as usize].dispatch
    }

    /// A wave learns all that a word tells, or what its last writer tells if that is no word which atomics have changed.
    pub fn tell(&mut self, word: Option<u64>, writer: RecordId, learns: &mut Clock) {
        match word.and_then(|address| self.words.get_mut(&address)) {
            Some(word) => {
                fold(word, &self.records);
                learns.unite(&mut word.clock);
            }
            None => self.records.tell(writer, learns),
        }
    }

    /// A word was written. An atomic hands on what was told before.
    pub fn wrote(&mut self, address: u64, before: RecordId, id: RecordId, atomic: bool) {
        if !atomic {
            self.words.remove(&address);
            return;
        }
        let launch_of = |id: RecordId| self.records.site(self.records.get(id)).dispatch;
        let known = (before != 0).then_some(before);
        let word = self.words.entry(address).or_insert_with(|| Word {
            clock: Clock::default(),
            writers: known.into_iter().collect(),
            launches: known.map(launch_of).into_iter().collect(),
        });
        let launch = launch_of(id);
        if !word.launches.contains(&launch) {
            word.launches.push(launch);
        }
        if word.writers.last() != Some(&id) {
            word.writers.push(id);
        }
        if word.writers.len() > MOST_WRITERS {
            fold(word, &self.records);
        }
    }
}

fn fold(word: &mut Word, records: &Records) {
    for id in word.writers.drain(..) {
        records.tell(id, &mut word.clock);
    }
}
