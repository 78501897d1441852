//! All lanes of an instruction, against what was accessed before. Lanes mostly find one cell, or few, and leave one behind for each: dwords of a
//! row that have one cell, and of which the same bytes are accessed, are looked at once.

use definedness::access::{Place, Steps};
use wave::LANES;

use crate::{
    accesses::{Instruction, Part, Scene, dwords},
    bytes::{self, Bytes},
    cell::Cell,
    cells::{self, CellId, Dwords, ROW, Spot, Uneven},
    progress::Progress,
    repeats::Load,
    report::Access,
    scope::Scope,
    state::State,
};

/// Cells that this instruction found, the bytes that it accessed there, and the cells that it left behind.
pub(crate) struct Alike([(CellId, u8, CellId); KNOWN]);

/// Most rows have fewer cells for one instruction.
const KNOWN: usize = 8;

impl Alike {
    pub const NONE: Alike = Alike([(0, 0, 0); KNOWN]);

    #[inline]
    fn slot(&mut self, before: CellId, bytes: u8) -> &mut (CellId, u8, CellId) {
        &mut self.0[(before as usize ^ usize::from(bytes)) % KNOWN]
    }
}

/// The cell that an instruction leaves behind: the one that it found, or another. Numbers do not tell: a cell may get the number that another had.
enum Behind {
    Same,
    Other(CellId),
}

/// Lanes may lie in one row if they are no further apart.
const NEAR: u64 = ROW / 2;

impl Instruction<'_> {
    pub fn look(&self, state: &mut State, scene: &mut Scene<'_>) {
        let access = &self.memory.access;
        let mut exec = self.wave.exec();
        if self.memory.is_scalar {
            let bytes = self.scalar_bytes();
            return self.scalar(state, scene, bytes);
        }
        if !self.shared.rules.together {
            return self.each_lane(state, scene, exec);
        }
        let steps = access.steps(self.wave, exec);
        // A write by several lanes to one place stores what one of them has.
        if let Some(Steps { step: 0, first, .. }) = steps
            && self.kind() != Access::Write
        {
            exec = 1 << first;
        }
        match steps {
            // The state has to know each lane's write to a word.
            _ if self.kind() == Access::Atomic => {
                let places = self.places(exec);
                fetch(state, &places);
                return self.lanes(state, scene, &places);
            }
            Some(steps) if steps.step <= NEAR => self.in_steps(state, scene, steps),
            _ => self.anywhere(state, scene, exec),
        }
        if !scene.apart.is_empty() {
            self.each_lane(state, scene, exec);
        }
    }

    fn places(&self, exec: u64) -> [Place; LANES] {
        let mut places = [Place::Nowhere; LANES];
        let access = &self.memory.access;
        access.places(self.wave, exec, 0, &mut places);
        places
    }

    fn each_lane(&self, state: &mut State, scene: &mut Scene<'_>, exec: u64) {
        self.lanes(state, scene, &self.places(exec));
    }

    /// Looks at each dword of each lane by itself: at those that were put apart, or at all if there are none.
    fn lanes(&self, state: &mut State, scene: &mut Scene<'_>, places: &[Place; LANES]) {
        let apart = std::mem::take(&mut scene.apart);
        let is_apart = |address: u64| {
            let (row, dword) = (address / ROW * ROW, address / 4 % 32);
            let mut of_row = apart.iter().filter(|(other, _)| *other == row);
            apart.is_empty() || of_row.any(|(_, dwords)| dwords >> dword & 1 != 0)
        };
        for (lane, place) in places.iter().enumerate() {
            let Place::Memory(start) = *place else {
                continue;
            };
            self.tells_host(state, scene, start);
            dwords(start, self.memory.access.bytes.into(), |part| {
                if !is_apart(part.address) {
                    return;
                }
                self.fills(scene, part.address);
                let offset = (part.address.max(start) - start) as usize;
                let spot = state.spot(part.address);
                let part = Part {
                    lane,
                    offset,
                    ..part
                };
                self.part(state, scene, part, spot);
            });
        }
    }

    /// The address of a scalar load, and how many bytes it loads.
    fn scalar_bytes(&self) -> (u64, u64) {
        let access = &self.memory.access;
        let (address, most) = access.scalar_address(self.wave);
        (address, most.min(access.bytes.into()))
    }

    /// The scalar load is one that other waves have executed just so, and the cells need not know of it yet.
    pub fn is_repeated(&self, state: &mut State, progress: &Progress) -> bool {
        let (start, bytes) = self.scalar_bytes();
        let before = start % ROW;
        if (start | bytes) % 4 != 0 || bytes == 0 || before + bytes > ROW {
            return false;
        }
        let load = Load {
            site: self.site(state),
            row: start - before,
            dwords: cells::ALL >> (32 - bytes / 4) << (before / 4),
        };
        let reader = (progress.number, progress.stamp);
        self.shared.rules.together && state.repeats(&load, reader)
    }

    /// The wave loads so many bytes at an address into scalar registers.
    fn scalar(&self, state: &mut State, scene: &mut Scene<'_>, (start, bytes): (u64, u64)) {
        self.stretch(state, scene, start, bytes);
        for (row, which) in std::mem::take(&mut scene.apart) {
            dwords(start, bytes, |part| {
                let dword = part.address.wrapping_sub(row) / 4;
                if dword < 32 && which >> dword & 1 != 0 {
                    let spot = state.spot(part.address);
                    self.part(state, scene, part, spot);
                }
            });
        }
    }

    /// The lanes access `count` bytes in a row.
    fn stretch(&self, state: &mut State, scene: &mut Scene<'_>, start: u64, count: u64) {
        // Nothing lies at the end of the address space: the access will fault.
        let Some(end) = start.checked_add(count + ROW).map(|end| end - ROW) else {
            return;
        };
        let mut at = start;
        while at < end {
            let row = at / ROW * ROW;
            let stop = end.min(row + ROW);
            match (at | stop) % 4 {
                0 => {
                    let dwords = cells::ALL >> (32 - (stop - at) / 4) << ((at - row) / 4);
                    self.whole(state, scene, row, dwords);
                }
                _ => {
                    let bytes = bytes::first(stop - row) & !bytes::first(at - row);
                    self.row(state, scene, row, bytes);
                }
            }
            at = stop;
        }
    }

    /// Each lane accesses bytes at the same distance from those of the lane before.
    fn in_steps(&self, state: &mut State, scene: &mut Scene<'_>, steps: Steps) {
        let (each, step) = (u64::from(self.memory.access.bytes), steps.step);
        let all = (steps.count - 1) * step + each;
        self.tells_host(state, scene, steps.address);
        if step <= each || steps.address.checked_add(all + ROW).is_none() {
            return self.stretch(state, scene, steps.address, all);
        }
        let again = bytes::again(each, step);
        let (mut row, mut left) = (steps.address / ROW * ROW, steps.count);
        // The first lane of the row begins there, and bytes of the lane before may lie in the row.
        let (mut first, mut before) = (steps.address - row, 0);
        while left != 0 {
            let lanes = ((ROW - 1 - first) / step + 1).min(left);
            let end = first + (lanes - 1) * step + each;
            let bytes = again << first & bytes::first(end) | before;
            self.row(state, scene, row, bytes);
            before = bytes::first(end.saturating_sub(ROW));
            left -= lanes;
            first = first + lanes * step - ROW.min(first + lanes * step);
            row += ROW;
        }
        if before != 0 {
            self.row(state, scene, row, before);
        }
    }

    /// Lanes access memory anywhere: many lanes one row, or each another one.
    fn anywhere(&self, state: &mut State, scene: &mut Scene<'_>, exec: u64) {
        let places = self.places(exec);
        let places = &places[..LANES - exec.leading_zeros() as usize];
        let row_of = |place: &Place| match place {
            Place::Memory(address) => Some(address / ROW),
            _ => None,
        };
        let pairs = places.iter().zip(places.iter().skip(1));
        let beside = pairs.filter(|(one, other)| {
            let row = row_of(one);
            row.is_some() && row == row_of(other)
        });
        if beside.count() < LANES / 4 {
            return self.scattered(state, scene, places);
        }
        let each = u64::from(self.memory.access.bytes);
        let (mut row, mut bytes) = (0, 0);
        for place in places {
            let Place::Memory(address) = *place else {
                continue;
            };
            self.tells_host(state, scene, address);
            let at = address % ROW;
            if address - at != row {
                self.row(state, scene, row, bytes);
                (row, bytes) = (address - at, 0);
            }
            bytes |= bytes::first(each) << at;
            if at + each > ROW && row.checked_add(ROW).is_some() {
                self.row(state, scene, row, bytes);
                (row, bytes) = (row + ROW, bytes::first(at + each - ROW));
            }
        }
        self.row(state, scene, row, bytes);
    }

    /// Lanes access memory far apart from each other.
    fn scattered(&self, state: &mut State, scene: &mut Scene<'_>, places: &[Place]) {
        let each = u64::from(self.memory.access.bytes);
        let (spots, uneven) = fetch(state, places);
        for ((place, spot), known) in places.iter().zip(spots).zip(uneven) {
            let Place::Memory(address) = *place else {
                continue;
            };
            self.tells_host(state, scene, address);
            let in_dword = address % 4;
            if in_dword + each > 4 {
                // A lane accesses too few bytes to make a row even: the places below stay as they are.
                self.stretch(state, scene, address, each);
                continue;
            }
            self.fills(scene, address);
            let before = match known.is_some() {
                true => state.cells.uneven_id(known),
                false => state.cells.id(spot),
            };
            let bytes = (bytes::first(each) << in_dword) as u8;
            match self.behind(state, scene, (before, bytes), address) {
                Some(Behind::Same) => {}
                Some(Behind::Other(behind)) if known.is_some() => {
                    state.cells.set_uneven(known, behind);
                }
                Some(Behind::Other(behind)) => state.cells.set_number(spot, behind),
                None => {
                    let dword = address / 4 % 32;
                    scene.apart.push((address / ROW * ROW, 1 << dword));
                }
            }
        }
    }

    /// These bytes of a row are accessed.
    fn row(&self, state: &mut State, scene: &mut Scene<'_>, address: u64, bytes: Bytes) {
        if bytes == 0 {
            return;
        }
        self.fills(scene, address);
        let spot = state.spot(address);
        bytes::kinds(bytes, |bytes, dwords| {
            self.alike(state, scene, (address, spot), (bytes, dwords));
        });
    }

    /// All bytes of these dwords of a row are accessed.
    fn whole(&self, state: &mut State, scene: &mut Scene<'_>, address: u64, dwords: Dwords) {
        self.fills(scene, address);
        let spot = state.spot(address);
        self.alike(state, scene, (address, spot), (15, dwords));
    }

    /// The same bytes of these dwords of a row are accessed.
    fn alike(
        &self,
        state: &mut State,
        scene: &mut Scene<'_>,
        (address, spot): (u64, Spot),
        (bytes, dwords): (u8, Dwords),
    ) {
        let (mut left, mut kinds) = (dwords, 0);
        while left != 0 {
            let (before, same) = state.cells.same(spot, left);
            left &= !same;
            kinds += 1;
            match self.behind(state, scene, (before, bytes), address) {
                Some(Behind::Same) => {}
                Some(Behind::Other(behind)) => state.cells.give(spot, same, behind),
                None => scene.apart.push((address, same)),
            }
        }
        if dwords == cells::ALL && kinds > 1 {
            state.cells.settle(spot);
        }
    }

    /// The cell of a dword behind an access of these bytes, if nothing is found there. None: the dword has to be looked at by itself.
    #[inline(always)]
    fn behind(
        &self,
        state: &mut State,
        scene: &mut Scene<'_>,
        (before, bytes): (CellId, u8),
        address: u64,
    ) -> Option<Behind> {
        let known = *scene.alike.slot(before, bytes);
        if (known.0, known.1) != (before, bytes) {
            return self.new_behind(state, scene, (before, bytes), address);
        }
        Some(match known.2 == before {
            true => Behind::Same,
            false => Behind::Other(known.2),
        })
    }

    /// The same for a cell that is not known yet.
    fn new_behind(
        &self,
        state: &mut State,
        scene: &mut Scene<'_>,
        (before, bytes): (CellId, u8),
        address: u64,
    ) -> Option<Behind> {
        let cell = state.cells.of(before);
        let noted = self.silent(state, scene, (&cell, bytes), address)?;
        let swept = state.cells.swept;
        let (behind, number) = match noted == cell {
            true => (Behind::Same, before),
            false => {
                let number = state.cells.number(noted);
                (Behind::Other(number), number)
            }
        };
        if swept != state.cells.swept {
            // The known ones have other numbers.
            scene.alike = Alike::NONE;
        } else if scene.progress.everywhere.is_empty() {
            // Behind a meeting of the device, lines differ.
            *scene.alike.slot(before, bytes) = (before, bytes, number);
        }
        Some(behind)
    }

    /// The cell of a dword behind an access of these bytes, if nothing is found there.
    #[inline(always)]
    fn silent(
        &self,
        state: &mut State,
        scene: &mut Scene<'_>,
        (cell, bytes): (&Cell, u8),
        address: u64,
    ) -> Option<Cell> {
        // The state knows more of a word than its cell does.
        if cell.is_word() {
            return None;
        }
        let marked = cell.synchronises();
        let is_written = cell.writer() != scene.id && cell.is_written(bytes);
        if is_written && self.missing_after(state, scene, cell, address).is_some() {
            return None;
        }
        let is_missing = |id| self.missing(state, scene, (id, marked), address).is_some();
        let mut readers = cell.reads().filter(|(_, its)| its & bytes != 0);
        if cell.others(bytes).any(is_missing)
            || self.kind() != Access::Read && readers.any(|(reader, _)| is_missing(reader))
        {
            return None;
        }
        if self.memory.synchronises {
            scene.hears |= self.hears_host(state, cell);
            let last = is_written.then_some(cell.writer());
            for writer in last.into_iter().chain(cell.others(bytes)) {
                self.learn(state, scene, writer, None);
            }
        }
        Some(self.noted(state, scene, *cell, bytes))
    }

    /// Lanes write to memory of one kind: the first one says whether the host may look at it.
    fn tells_host(&self, state: &mut State, scene: &mut Scene<'_>, address: u64) {
        if !std::mem::replace(&mut scene.told, true) {
            state.tells_host(address, scene.id, &self.shared.is_host);
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
}

/// The places of the lanes' first dwords, and their places among uneven rows. It asks for all that they need, so that the host's caches miss at
/// the same time and not one after the other. Each step does no more than to ask for what the next one needs. The step that reads numbers
/// misses most: it has few instructions, so that the host begins with many lanes before the first one is there.
fn fetch(state: &mut State, places: &[Place]) -> ([Spot; LANES], [Uneven; LANES]) {
    let (mut spots, mut uneven) = ([Spot::NONE; LANES], [Uneven::NONE; LANES]);
    for (spot, place) in spots.iter_mut().zip(places) {
        if let Place::Memory(address) = place {
            *spot = state.spot(*address);
        }
    }
    for (uneven, spot) in uneven.iter_mut().zip(&spots[..places.len()]) {
        if spot.is_some() {
            *uneven = state.cells.uneven(*spot);
        }
    }
    let mut ids = [0; LANES];
    state.cells.ids(&uneven[..places.len()], &mut ids);
    let mut touched = 0;
    for id in ids[..places.len()].iter().filter(|id| **id != 0) {
        let records = state.cells.records(*id).into_iter();
        for record in records.filter(|record| *record != 0) {
            touched ^= state.record(record).stamp;
        }
    }
    std::hint::black_box(touched);
    (spots, uneven)
}
