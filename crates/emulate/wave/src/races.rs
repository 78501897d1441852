//! Accesses to LDS by different waves that nothing puts in order.
//!
//! Each dword has a cell: the last write, and the last reads by two different waves. Any access that conflicts with an older one of another
//! wave is found in these three, because the older reads that a cell forgets had no later place in time.
//!
//! Time is counted in openings of the workgroup's barrier. A wave's *stamp* says how often it has arrived, and its *floor* how often it has
//! passed. An access is in order behind one whose stamp is below the floor.
//!
//! A wave that polls a word learns of all that the waves before did that wrote the word. Accesses that others may wait for end a *step* of the
//! wave's time between two barriers: atomics that return a value, and in kernels that poll the other atomics and stores as well. Within a
//! step, cells do not tell what came before the write from what came later, so that nothing of the step is held against the wave that polls.

mod published;

use crate::access::lanes::GROUP;
use published::{Published, Trust};

/// The kinds of accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    Read,
    Write,
    Atomic,
}

/// The rules that put accesses in order. A test switches them off, to see whether a corpus needs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The lanes of a wave go in step: no two accesses of one wave conflict.
    pub lockstep: bool,
    /// Accesses that others may wait for divide the time between two barriers into steps.
    pub steps: bool,
    /// A wave that polls a word learns of what came before the write.
    pub polling: bool,
}

impl Rules {
    pub const ALL: Rules = Rules {
        lockstep: true,
        steps: true,
        polling: true,
    };
}

impl Default for Rules {
    fn default() -> Rules {
        Rules::ALL
    }
}

/// One of two accesses that conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Side {
    pub access: Access,
    /// The low half of the instruction's address.
    pc: u32,
    /// In the workgroup.
    pub wave: u32,
}

/// Two accesses in no order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// In bytes from the start of the workgroup's LDS.
    pub address: u32,
    pub before: Side,
    pub after: Side,
    /// The lane of `after`.
    pub lane: u32,
    /// The address of `after`.
    pub pc: u64,
    /// False if the accesses may be in order all the same, or if the order does not matter.
    pub certain: bool,
    /// Accesses of these two instructions that were found.
    pub times: u64,
}

impl Race {
    /// The address of the instruction before.
    pub fn pc_before(&self) -> u64 {
        // Both lie in one code object, of less than 4 GiB.
        let distance = self.before.pc.wrapping_sub(self.pc as u32) as i32;
        self.pc.wrapping_add_signed(i64::from(distance))
    }
}

/// Bits 3:0: bytes of the dword. Bit 4: only atomics. Bits 9:5: the wave. Bits 17:10: the step. Higher ones: the stamp; 0 for no access.
type Word = u32;
const BYTES: Word = 0xf;
const ATOMIC: Word = 1 << 4;
const WAVE_SHIFT: u32 = 5;
const WAVE: Word = (MOST_WAVES - 1) << WAVE_SHIFT;
const STEP_SHIFT: u32 = 10;
const STEPS: u32 = 0xff;
const STAMP_SHIFT: u32 = 18;
/// Waves of a workgroup that a word has room for.
const MOST_WAVES: u32 = 32;
/// Stamps that a word has room for. Later on, all accesses are forgotten at once.
const MOST_STAMPS: u32 = 1 << (32 - STAMP_SHIFT);

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    write: Word,
    write_pc: u32,
    /// The last read, and the last one by another wave than that.
    reads: [Word; 2],
    read_pcs: [u32; 2],
}

/// All cells, each member in a row of its own, so that the host's vectors take many at once.
#[derive(Debug, Default)]
struct Cells {
    write: Vec<Word>,
    write_pc: Vec<u32>,
    reads: [Vec<Word>; 2],
    read_pcs: [Vec<u32>; 2],
}

impl Cells {
    fn rows(&mut self) -> [&mut Vec<u32>; 6] {
        let Cells {
            write,
            write_pc,
            reads: [last, other],
            read_pcs: [last_pc, other_pc],
        } = self;
        [write, write_pc, last, other, last_pc, other_pc]
    }

    fn make_room(&mut self, dwords: usize) {
        for row in self.rows() {
            row.resize(dwords.max(row.len()), 0);
        }
    }

    #[inline(always)]
    fn get(&self, at: usize) -> Cell {
        Cell {
            write: self.write[at],
            write_pc: self.write_pc[at],
            reads: [self.reads[0][at], self.reads[1][at]],
            read_pcs: [self.read_pcs[0][at], self.read_pcs[1][at]],
        }
    }

    #[inline(always)]
    fn set(&mut self, at: usize, cell: Cell) {
        self.write[at] = cell.write;
        self.write_pc[at] = cell.write_pc;
        for side in 0..2 {
            self.reads[side][at] = cell.reads[side];
            self.read_pcs[side][at] = cell.read_pcs[side];
        }
    }
}

/// Dwords that one lane accesses at most.
const FEW: usize = 4;

/// Steps between two barriers; what comes later belongs to the last one.
const LAST_STEP: u8 = 254;
/// The steps from here on are for words of which it is known that waves poll them.
const LATE_STEP: u8 = 128;

#[derive(Clone, Copy, Debug)]
struct Clock {
    stamp: u32,
    step: u8,
    floor: u32,
    /// Steps that are in order, and steps that may be.
    trusts: [Trust; 2],
}

impl Clock {
    const BEGIN: Clock = Clock {
        stamp: 1,
        step: 0,
        floor: 1,
        trusts: [[0; MOST_WAVES as usize]; 2],
    };
}

/// The accesses of a workgroup.
#[derive(Debug, Default)]
pub struct Races {
    cells: Cells,
    /// The workgroup has so many; there may be more cells.
    dwords: usize,
    /// The number of dwords that are looked at in rows, where accesses of one wave do not conflict.
    dwords_in_rows: usize,
    rules: Rules,
    clocks: Vec<Clock>,
    found: Vec<Race>,
    published: Published,
    /// The instruction has written a word that others may wait for.
    has_published: bool,
}

/// An access that a wave is about to make.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noted {
    pub access: Access,
    /// A loop does nothing but this until the word changes.
    pub polls: bool,
    /// An atomic whose result the wave gets.
    pub returns: bool,
    /// The kernel polls, so that other waves may wait for what this writes.
    pub publishes: bool,
    pub wave: u32,
    pub pc: u64,
}

impl Races {
    /// For a workgroup of so many waves; `None` if it has one wave only, or no LDS. `spare`: those of a workgroup that has ended.
    pub fn new(
        spare: Option<Box<Races>>,
        lds_bytes: u32,
        waves: u32,
        rules: Rules,
    ) -> Option<Box<Races>> {
        if lds_bytes == 0 || !(2..=MOST_WAVES).contains(&waves) {
            return None;
        }
        let mut races = spare.unwrap_or_default();
        let latest = races.clocks.iter().map(|clock| clock.stamp).max();
        races.rules = rules;
        races.dwords = lds_bytes.div_ceil(4) as usize;
        races.dwords_in_rows = if rules.lockstep { races.dwords } else { 0 };
        races.cells.make_room(races.dwords);
        races.found.clear();
        races.published = Published::default();
        races.clocks.clear();
        races.clocks.resize(waves as usize, Clock::BEGIN);
        // All accesses of the last workgroup lie behind the new floors.
        let begin = latest.unwrap_or(0) + 1;
        if begin < MOST_STAMPS / 2 {
            for clock in &mut races.clocks {
                (clock.stamp, clock.floor) = (begin, begin);
            }
        } else {
            races.forget();
        }
        Some(races)
    }

    /// A wave arrives at the barrier.
    pub fn arrives(&mut self, wave: u32) {
        let clock = &mut self.clocks[wave as usize];
        clock.stamp += 1;
        clock.step = 0;
        if clock.stamp == MOST_STAMPS {
            self.forget();
        }
    }

    /// A wave passes the barrier, which has opened since it arrived.
    pub fn passes(&mut self, wave: u32) {
        let clock = &mut self.clocks[wave as usize];
        clock.floor = clock.stamp;
        clock.trusts = Clock::BEGIN.trusts;
    }

    /// Begins anew, as if the workgroup had just met.
    #[cold]
    fn forget(&mut self) {
        for row in self.cells.rows() {
            row.fill(0);
        }
        self.clocks.fill(Clock::BEGIN);
        self.published = Published::default();
    }

    /// The races that were found since the last call.
    pub fn take_found(&mut self) -> Vec<Race> {
        std::mem::take(&mut self.found)
    }

    /// One lane's access of `bytes` bytes at `address`. `is_same` tells if the bytes of the dword at an address keep their values.
    #[inline(always)]
    pub(crate) fn note(
        &mut self,
        noted: &Noted,
        lane: u32,
        (address, bytes): (u32, u32),
        is_same: impl Fn(u32) -> bool,
    ) {
        let end = address.saturating_add(bytes);
        let mut at = address;
        while at < end {
            let dword = at / 4;
            let next = (4 * dword + 4).min(end);
            let mask = ((1 << (next - at)) - 1) << (at % 4);
            let place = (lane, at);
            if (dword as usize) < self.dwords {
                match noted.access {
                    Access::Read => self.reads(noted, place, mask),
                    _ => self.writes(noted, place, mask, &is_same),
                }
            }
            at = next;
        }
    }

    /// Plain accesses to all bytes of `count` dwords, if none of them conflicts with an older one. False: each has to be noted by itself,
    /// those again that were noted here.
    #[inline(always)]
    pub(crate) fn note_row(&mut self, noted: &Noted, address: u32, count: usize) -> bool {
        let start = (address / 4) as usize;
        let end = start + count;
        if noted.publishes && self.published.polls_any(start..end) {
            return false;
        }
        if noted.polls || !address.is_multiple_of(4) || end > self.dwords_in_rows {
            return false;
        }
        let mut at = start;
        // Four are what a lane reads at most, and all lanes may read the same.
        self.note_by::<GROUP>(noted, &mut at, end)
            && self.note_by::<FEW>(noted, &mut at, end)
            && self.note_by::<1>(noted, &mut at, end)
    }

    /// Plain reads of all bytes of dwords that follow each other, each by the instruction at its address, which is the last one that reads it
    /// here. False as above.
    #[inline(always)]
    pub(crate) fn note_reads(&mut self, noted: &Noted, address: u32, pcs: &[u32]) -> bool {
        let start = (address / 4) as usize;
        if !address.is_multiple_of(4) || start + pcs.len() > self.dwords_in_rows {
            return false;
        }
        let (many, rest) = pcs.as_chunks::<GROUP>();
        let (few, rest) = rest.as_chunks::<FEW>();
        let mut at = start;
        self.note_chunks(noted, &mut at, many)
            && self.note_chunks(noted, &mut at, few)
            && self.note_chunks(noted, &mut at, rest.as_chunks::<1>().0)
    }

    #[inline(always)]
    fn note_chunks<const COUNT: usize>(
        &mut self,
        noted: &Noted,
        at: &mut usize,
        chunks: &[[u32; COUNT]],
    ) -> bool {
        chunks.iter().all(|pcs| {
            let start = std::mem::replace(at, *at + COUNT);
            self.reads_row::<COUNT, true>(noted, start, pcs)
        })
    }

    /// Notes dwords from `at` on, so many at once, while they lie before `end`.
    #[inline(always)]
    fn note_by<const COUNT: usize>(&mut self, noted: &Noted, at: &mut usize, end: usize) -> bool {
        while *at + COUNT <= end {
            let is_noted = match noted.access {
                Access::Read => self.reads_row::<COUNT, false>(noted, *at, &[]),
                _ => self.writes_row::<COUNT>(noted, *at),
            };
            if !is_noted {
                return false;
            }
            *at += COUNT;
        }
        true
    }

    /// The number of dwords is known, so that the host's vectors take them at once. All are loaded before one is stored: the compiler does not see
    /// that rows lie apart. `APART`: the instructions are those of `pcs`, and a dword that the wave has read already keeps the one that it has.
    #[inline(always)]
    fn reads_row<const COUNT: usize, const APART: bool>(
        &mut self,
        noted: &Noted,
        start: usize,
        pcs: &[u32],
    ) -> bool {
        let clock = &self.clocks[noted.wave as usize];
        let (floor, mine) = (clock.floor << STAMP_SHIFT, word(clock, noted.wave) | BYTES);
        let of_mine = |word: Word| (word ^ mine) & WAVE == 0;
        let Cells {
            write,
            reads: [last, other],
            read_pcs: [last_pc, other_pc],
            ..
        } = &mut self.cells;
        let last = words::<COUNT>(last, start);
        let before = *last;
        // A write since this wave has read the same was told of then.
        if before.iter().fold(true, |all, word| all & (*word == mine)) {
            return true;
        }
        let is_free = |all: bool, word: &Word| all & ((*word < floor) | of_mine(*word));
        if !words::<COUNT>(write, start).iter().fold(true, is_free) {
            return false;
        }
        let (last_pc, other_pc) = (
            words::<COUNT>(last_pc, start),
            words::<COUNT>(other_pc, start),
        );
        let other = words::<COUNT>(other, start);
        let (pcs_before, mut others, mut other_pcs) = (*last_pc, *other, *other_pc);
        let mut new = [noted.pc as u32; COUNT];
        if APART {
            new.copy_from_slice(pcs);
        }
        for at in 0..COUNT {
            let moves = (before[at] != 0) & !of_mine(before[at]);
            others[at] = if moves { before[at] } else { others[at] };
            other_pcs[at] = if moves { pcs_before[at] } else { other_pcs[at] };
            let keeps = APART & (before[at] == mine);
            new[at] = if keeps { pcs_before[at] } else { new[at] };
        }
        (*last, *last_pc, *other, *other_pc) = ([mine; COUNT], new, others, other_pcs);
        true
    }

    #[inline(always)]
    fn writes_row<const COUNT: usize>(&mut self, noted: &Noted, start: usize) -> bool {
        let clock = &self.clocks[noted.wave as usize];
        let (floor, mine) = (clock.floor << STAMP_SHIFT, word(clock, noted.wave) | BYTES);
        let of_mine = |word: Word| (word ^ mine) & WAVE == 0;
        let is_free = |all: bool, word: &Word| all & ((*word < floor) | of_mine(*word));
        let Cells {
            write,
            write_pc,
            reads: [last, other],
            ..
        } = &mut self.cells;
        let write = words::<COUNT>(write, start);
        for row in [&*write, words(last, start), words(other, start)] {
            if !row.iter().fold(true, is_free) {
                return false;
            }
        }
        write.fill(mine);
        words::<COUNT>(write_pc, start).fill(noted.pc as u32);
        true
    }

    /// Plain accesses of the lanes of a group to all bytes of `count` dwords each, if none conflicts with an older one. False: each has to be
    /// noted by itself.
    #[inline(always)]
    pub(crate) fn note_words(
        &mut self,
        noted: &Noted,
        at: &[u32; GROUP],
        active: u16,
        count: usize,
    ) -> bool {
        let reads = noted.access == Access::Read;
        if noted.polls || noted.publishes && !reads {
            return false;
        }
        // A lane that is off does what the first one does that is on.
        let first = at[active.trailing_zeros() as usize % GROUP];
        let at: [u32; GROUP] =
            std::array::from_fn(|i| if active >> i & 1 != 0 { at[i] } else { first });
        let (mut highest, mut bits) = (0, 0);
        for address in &at {
            highest = highest.max(*address);
            bits |= *address;
        }
        if !bits.is_multiple_of(4) || (highest / 4) as usize + count > self.dwords_in_rows {
            return false;
        }
        for word in 0..count {
            let at = at.map(|address| (address / 4) as usize + word);
            let is_noted = match reads {
                true => self.reads_words(noted, &at),
                false => self.writes_words(noted, &at),
            };
            if !is_noted {
                return false;
            }
        }
        true
    }

    #[inline(always)]
    fn reads_words(&mut self, noted: &Noted, at: &[usize; GROUP]) -> bool {
        let clock = &self.clocks[noted.wave as usize];
        let (floor, mine) = (clock.floor << STAMP_SHIFT, word(clock, noted.wave) | BYTES);
        let pc = noted.pc as u32;
        let of_mine = |word: Word| (word ^ mine) & WAVE == 0;
        let Cells {
            write,
            reads: [last, other],
            read_pcs: [last_pc, other_pc],
            ..
        } = &mut self.cells;
        let lasts = at.map(|at| last[at]);
        if lasts.iter().fold(true, |all, word| all & (*word == mine)) {
            return true;
        }
        let is_free = |all: bool, word: Word| all & ((word < floor) | of_mine(word));
        if !at.map(|at| write[at]).into_iter().fold(true, is_free) {
            return false;
        }
        for (&at, &before) in at.iter().zip(&lasts) {
            if before != 0 && !of_mine(before) && last[at] == before {
                (other[at], other_pc[at]) = (before, last_pc[at]);
            }
            (last[at], last_pc[at]) = (mine, pc);
        }
        true
    }

    #[inline(always)]
    fn writes_words(&mut self, noted: &Noted, at: &[usize; GROUP]) -> bool {
        let clock = &self.clocks[noted.wave as usize];
        let (floor, mine) = (clock.floor << STAMP_SHIFT, word(clock, noted.wave) | BYTES);
        let of_mine = |word: Word| (word ^ mine) & WAVE == 0;
        let is_free = |all: bool, word: Word| all & ((word < floor) | of_mine(word));
        let [last, other] = &self.cells.reads;
        for row in [&self.cells.write, last, other] {
            if !at.map(|at| row[at]).into_iter().fold(true, is_free) {
                return false;
            }
        }
        let pc = noted.pc as u32;
        for &at in at {
            (self.cells.write[at], self.cells.write_pc[at]) = (mine, pc);
        }
        true
    }

    #[inline(always)]
    fn reads(&mut self, noted: &Noted, place: (u32, u32), mask: Word) {
        let clock = &self.clocks[noted.wave as usize];
        let mut cell = self.cells.get((place.1 / 4) as usize);
        if noted.polls {
            // A wave that polls shares the word on purpose.
            self.learn(noted.wave, place.1 / 4, cell.write, 0);
            return;
        }
        let mine = word(clock, noted.wave) | mask;
        let stamp = clock.stamp;
        if conflicts(clock, self.rules, noted.wave, cell.write, mask) {
            self.tell(noted, place, (cell.write, cell.write_pc), false, true);
        }
        let pc = noted.pc as u32;
        if wave(cell.reads[0]) == noted.wave || cell.reads[0] == 0 {
            let is_now = cell.reads[0] >> STAMP_SHIFT == stamp;
            let bytes = if is_now { cell.reads[0] & BYTES } else { 0 };
            (cell.reads[0], cell.read_pcs[0]) = (mine | bytes, pc);
        } else {
            cell.reads = [mine, cell.reads[0]];
            cell.read_pcs = [pc, cell.read_pcs[0]];
        }
        self.cells.set((place.1 / 4) as usize, cell);
    }

    #[inline(always)]
    fn writes(
        &mut self,
        noted: &Noted,
        place: (u32, u32),
        mask: Word,
        is_same: &impl Fn(u32) -> bool,
    ) {
        let atomic = noted.access == Access::Atomic;
        let mut cell = self.cells.get((place.1 / 4) as usize);
        let among_atomics = atomic && cell.write & ATOMIC != 0;
        let dword = place.1 / 4;
        if noted.polls {
            self.learn(noted.wave, dword, cell.write, 0);
            if !is_same(place.1) {
                self.publish(noted, dword);
            }
            return;
        }
        if among_atomics && noted.returns {
            self.learn(noted.wave, dword, cell.write, 1);
        }
        if noted.publishes && (atomic || self.published.polls(dword)) {
            self.publish(noted, dword);
        }
        let clock = &self.clocks[noted.wave as usize];
        let is_race = |word| conflicts(clock, self.rules, noted.wave, word, mask);
        let write = !among_atomics && is_race(cell.write);
        let read = cell.reads.iter().position(|word| is_race(*word));
        if write || read.is_some() {
            let matters = atomic || !is_same(place.1);
            if write {
                self.tell(noted, place, (cell.write, cell.write_pc), false, matters);
            }
            if let Some(which) = read {
                let before = (cell.reads[which], cell.read_pcs[which]);
                self.tell(noted, place, before, true, matters);
            }
        }

        let mut mine = word(&self.clocks[noted.wave as usize], noted.wave) | mask;
        if atomic {
            mine |= ATOMIC;
        }
        let mut pc = noted.pc as u32;
        if (cell.write ^ mine) >> WAVE_SHIFT == 0 {
            if cell.write & ATOMIC < mine & ATOMIC {
                // A plain write conflicts with more than an atomic.
                pc = cell.write_pc;
            }
            mine = (mine | cell.write & BYTES) & (cell.write | !ATOMIC);
        }
        (cell.write, cell.write_pc) = (mine, pc);
        self.cells.set((place.1 / 4) as usize, cell);
    }

    /// A wave's accesses of one instruction have been noted.
    #[inline(always)]
    pub(crate) fn ends(&mut self, noted: &Noted) {
        let begins = match noted.access {
            Access::Read => false,
            Access::Write => noted.publishes,
            Access::Atomic => noted.publishes || noted.returns,
        };
        if begins && self.rules.steps {
            self.steps(noted);
        }
    }

    #[inline(never)]
    fn steps(&mut self, noted: &Noted) {
        let published = std::mem::take(&mut self.has_published);
        let step = &mut self.clocks[noted.wave as usize].step;
        let may = match noted.access {
            // Most stores are not waited for, and steps are few.
            Access::Write => *step < LATE_STEP,
            _ => noted.returns && !noted.polls,
        };
        if published || may {
            *step = (*step + 1).min(LAST_STEP);
        }
    }

    /// A wave writes a word that others poll.
    #[cold]
    fn publish(&mut self, noted: &Noted, dword: u32) {
        let clock = &self.clocks[noted.wave as usize];
        let mut trusts = clock.trusts;
        for trust in &mut trusts {
            trust[noted.wave as usize] = clock.step + 1;
        }
        // An atomic adds to what the word tells, a store takes its place.
        let joins = noted.access == Access::Atomic;
        self.published.tells(dword, clock.stamp, trusts, joins);
        self.has_published = true;
    }

    /// A wave has read a word that others write for it; `sure` 0 if it waits for the word, 1 if it may.
    #[cold]
    fn learn(&mut self, who: u32, dword: u32, written: Word, sure: usize) {
        if sure == 0 {
            self.published.is_polled(dword);
        }
        if !self.rules.polling {
            return;
        }
        let clock = &mut self.clocks[who as usize];
        if let Some(told) = self.published.told(dword, clock.floor) {
            for (mine, told) in clock.trusts[sure..].iter_mut().zip(&told[sure..]) {
                published::join(mine, told);
            }
        }
        if !trusts(clock, sure, written) {
            self.trust(who, written, sure);
        }
    }

    /// A wave has learned of the one that wrote a word; `sure` 0 for certain, 1 for perhaps.
    fn trust(&mut self, who: u32, written: Word, sure: usize) {
        let other = wave(written);
        let floor = self.clocks[who as usize].floor;
        if written >> STAMP_SHIFT < floor || other == who {
            return;
        }
        let others = self.clocks[other as usize].trusts;
        let mine = &mut self.clocks[who as usize].trusts;
        let steps = (written >> STEP_SHIFT & STEPS) as u8 + 1;
        for which in sure..2 {
            let step = &mut mine[which][other as usize];
            *step = (*step).max(steps);
            published::join(&mut mine[which], &others[which]);
        }
    }

    #[cold]
    #[inline(never)]
    fn tell(
        &mut self,
        noted: &Noted,
        (lane, address): (u32, u32),
        (written, pc): (Word, u32),
        was_read: bool,
        matters: bool,
    ) {
        let before = Side {
            access: match written & ATOMIC {
                _ if was_read => Access::Read,
                0 => Access::Write,
                _ => Access::Atomic,
            },
            pc,
            wave: wave(written),
        };
        let after = Side {
            access: noted.access,
            pc: noted.pc as u32,
            wave: noted.wave,
        };
        let may_trust = trusts(&self.clocks[noted.wave as usize], 1, written);
        let certain = matters && !may_trust;
        let mut known = self.found.iter_mut();
        let known = known.find(|race| {
            (race.before.pc, race.before.access) == (before.pc, before.access)
                && (race.after.pc, race.after.access) == (after.pc, after.access)
        });
        match known {
            Some(race) => {
                race.times += 1;
                race.certain |= certain;
            }
            None => self.found.push(Race {
                address,
                before,
                after,
                lane,
                pc: noted.pc,
                certain,
                times: 1,
            }),
        }
    }
}

/// `COUNT` words of a row.
#[inline(always)]
fn words<const COUNT: usize>(row: &mut [Word], start: usize) -> &mut [Word; COUNT] {
    row[start..]
        .first_chunk_mut()
        .expect("the caller looked at the number of dwords")
}

/// Returns `true` if an access of `mask` by the wave is in no order with that of `word`.
#[inline(always)]
fn conflicts(clock: &Clock, rules: Rules, who: u32, word: Word, mask: Word) -> bool {
    word >> STAMP_SHIFT >= clock.floor
        && word & mask & BYTES != 0
        && (wave(word) != who || !rules.lockstep)
        && !trusts(clock, 0, word)
}

/// Returns `true` if the access of `word` belongs to a step that is in order (0) or may be (1).
#[inline(always)]
fn trusts(clock: &Clock, sure: usize, word: Word) -> bool {
    let steps = clock.trusts[sure][wave(word) as usize];
    (word >> STEP_SHIFT & STEPS) < u32::from(steps)
}

#[inline(always)]
fn word(clock: &Clock, wave: u32) -> Word {
    clock.stamp << STAMP_SHIFT | u32::from(clock.step) << STEP_SHIFT | wave << WAVE_SHIFT
}

#[inline(always)]
fn wave(word: Word) -> u32 {
    word >> WAVE_SHIFT & (MOST_WAVES - 1)
}
