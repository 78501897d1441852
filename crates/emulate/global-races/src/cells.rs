//! The last accesses to each dword of memory. Dwords that one instruction has accessed alike have one cell, and memory has the numbers of cells.
//! Scattered accesses miss the host's caches: a number is a quarter of a cell.

use std::collections::HashMap;

/// The number of a record; 0: none.
pub(crate) type RecordId = u32;
/// The number of a cell; 0: no wave has accessed the dword.
pub(crate) type CellId = u32;

/// A dword.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    pub writer: RecordId,
    /// The last reads by two different waves.
    pub readers: [RecordId; 2],
    /// The bytes of the write, and of both reads. With `OTHERS`, other waves have written other bytes before.
    pub bytes: [u8; 3],
    /// Waves have used it to put themselves in order.
    pub synchronises: bool,
}

/// A bit beside those of a dword's bytes: the state has the writers of other ones.
pub(crate) const OTHERS: u8 = 16;
/// A read's bytes, so many bits up: the wave looked for a word of others, and got what the last write to the byte has stored.
pub(crate) const SEEN: u32 = 4;

impl Cell {
    /// No wave has read what is written to these bytes now.
    pub fn is_new(&mut self, bytes: u8) {
        self.bytes[1] &= !(bytes << SEEN);
        self.bytes[2] &= !(bytes << SEEN);
    }

    /// No wave has accessed it.
    pub const UNTOUCHED: Cell = Cell {
        writer: 0,
        readers: [0; 2],
        bytes: [0; 3],
        synchronises: false,
    };
}

/// Bytes of a row: what 32 lanes access with a dword each.
pub(crate) const ROW: u64 = 128;
const DWORDS: usize = ROW as usize / 4;
/// Bytes of memory that have their rows together.
const PAGE: u64 = 1 << 16;
const ROWS: usize = (PAGE / ROW) as usize;
/// Rows that have the cells of their dwords together, once one of them needs them.
const BLOCK: usize = 16;

/// Forms of rows. Any other is the first dword that has the second cell.
const EVEN: u8 = 0;
const UNEVEN: u8 = DWORDS as u8;
const UNTOUCHED: u8 = UNEVEN + 1;

/// Scattered accesses look at the form of a row and then at one number. The forms are small enough for the host's caches.
struct Page {
    forms: [u8; ROWS],
    /// The cells before and behind the cut. An even row has the first one, an untouched or an uneven one none.
    halves: [[CellId; 2]; ROWS],
    /// The cells of uneven rows.
    blocks: [Option<Box<Block>>; ROWS / BLOCK],
}

type Block = [[CellId; DWORDS]; BLOCK];

impl Page {
    fn new() -> Page {
        Page {
            forms: [UNTOUCHED; ROWS],
            halves: [[0; 2]; ROWS],
            blocks: [const { None }; ROWS / BLOCK],
        }
    }

    /// No wave has accessed the page. Its other parts stay as they are: a row that becomes another one overwrites its own first.
    fn begin(&mut self) {
        self.forms = [UNTOUCHED; ROWS];
    }

    fn uneven(&self, row: usize) -> Option<&[CellId; DWORDS]> {
        Some(&self.blocks[row / BLOCK].as_ref()?[row % BLOCK])
    }

    #[inline]
    fn uneven_mut(&mut self, row: usize) -> &mut [CellId; DWORDS] {
        let block = &mut self.blocks[row / BLOCK];
        let block = block.get_or_insert_with(|| Box::new([[0; DWORDS]; BLOCK]));
        &mut block[row % BLOCK]
    }

    /// The number of a dword's cell.
    #[inline]
    fn cell(&self, row: usize, dword: usize) -> CellId {
        match self.forms[row] {
            UNTOUCHED => 0,
            UNEVEN => self.uneven(row).map_or(0, |cells| cells[dword]),
            EVEN => self.halves[row][0],
            at => self.halves[row][usize::from(dword >= usize::from(at))],
        }
    }

    /// The dwords before this one get the first cell, the others the second.
    fn cut(&mut self, row: usize, at: usize, cells: [CellId; 2], is_even: bool) {
        self.forms[row] = if is_even { EVEN } else { at as u8 };
        self.halves[row] = cells;
    }

    /// The numbers that are in use.
    fn in_use(&mut self) -> impl Iterator<Item = &mut CellId> {
        let blocks = self.blocks.iter_mut().enumerate();
        let forms = &self.forms;
        let uneven = blocks.flat_map(|(number, block)| {
            let rows = block.iter_mut().flat_map(|block| block.iter_mut());
            let rows = rows.zip(&forms[BLOCK * number..]);
            rows.filter(|(_, form)| **form == UNEVEN)
                .flat_map(|(cells, _)| cells)
        });
        let halves = self.halves.iter_mut().zip(forms);
        let halves = halves.flat_map(|(halves, form)| {
            let count = match *form {
                UNTOUCHED | UNEVEN => 0,
                EVEN => 1,
                _ => 2,
            };
            &mut halves[..count]
        });
        uneven.chain(halves)
    }
}

/// Bytes of memory that have one table of pages.
const REGION: u64 = 1 << 30;
const PAGES: usize = (REGION / PAGE) as usize;

pub(crate) struct Cells {
    /// The cells by their numbers, and how many there may be before those are given up that no dword has any more.
    all: Vec<Cell>,
    most: usize,
    /// The tables of regions, by their numbers.
    numbers: HashMap<u64, usize>,
    /// Numbers of pages, counted from 1; 0: none.
    tables: Vec<Box<[u32]>>,
    /// Each with the number of its table and its place there.
    pages: Vec<(usize, usize, Box<Page>)>,
    /// Pages that were given up, for later ones: memory that the host has to clear first would cost more than many accesses.
    spare: Vec<Box<Page>>,
    /// Regions that were used, and the numbers of their tables.
    recent: [(u64, usize); RECENT],
}

const RECENT: usize = 8;
/// Fewer cells are not worth a look at all pages.
const FEW: usize = 1 << 20;
/// No address lies in this region.
const NOWHERE: (u64, usize) = (u64::MAX, 0);

impl Default for Cells {
    fn default() -> Cells {
        Cells {
            all: vec![Cell::UNTOUCHED],
            most: FEW,
            numbers: HashMap::new(),
            tables: Vec::new(),
            pages: Vec::new(),
            spare: Vec::new(),
            recent: [NOWHERE; RECENT],
        }
    }
}

/// The place of a dword's cell, until all cells are cleared: the number of its page, and that of the dword there.
#[derive(Clone, Copy)]
pub(crate) struct Spot(u64);

/// Dwords of a page.
const EACH: u64 = PAGE / 4;

impl Spot {
    /// No place.
    pub const NONE: Spot = Spot(u64::MAX);

    pub fn is_some(self) -> bool {
        self.0 != Spot::NONE.0
    }

    /// The dword at an address in the same row.
    #[inline]
    pub fn beside(self, address: u64) -> Spot {
        let dwords = DWORDS as u64;
        Spot(self.0 / dwords * dwords + address / 4 % dwords)
    }

    fn page(self) -> usize {
        (self.0 / EACH) as usize
    }

    fn row(self) -> usize {
        (self.0 % EACH) as usize / DWORDS
    }

    fn dword(self) -> usize {
        self.0 as usize % DWORDS
    }
}

impl Cells {
    #[inline]
    fn page(&mut self, spot: Spot) -> (&mut Page, usize) {
        (&mut self.pages[spot.page()].2, spot.row())
    }

    /// The place of the dword at an address.
    #[inline]
    pub fn spot(&mut self, address: u64) -> Spot {
        let number = match self.known(address) {
            Some(number) => number,
            None => self.find(address),
        };
        Spot(number as u64 * EACH + address / 4 % EACH)
    }

    /// The number of a page that was used, in a region that was used not long ago.
    fn known(&self, address: u64) -> Option<usize> {
        let region = address / REGION;
        let (recent, table) = self.recent[region as usize % RECENT];
        if recent != region {
            return None;
        }
        let number = self.tables[table][(address % REGION / PAGE) as usize];
        (number as usize).checked_sub(1)
    }

    #[cold]
    #[inline(never)]
    fn find(&mut self, address: u64) -> usize {
        let (region, place) = (address / REGION, (address % REGION / PAGE) as usize);
        let next = self.tables.len();
        let table = *self.numbers.entry(region).or_insert(next);
        if table == next {
            self.tables.push(vec![0; PAGES].into_boxed_slice());
        }
        self.recent[region as usize % RECENT] = (region, table);
        let number = &mut self.tables[table][place];
        if *number == 0 {
            let page = match self.spare.pop() {
                Some(mut page) => {
                    page.begin();
                    page
                }
                None => Box::new(Page::new()),
            };
            self.pages.push((table, place, page));
            *number = self.pages.len() as u32;
        }
        *number as usize - 1
    }

    /// The number of the cell at a place.
    #[inline]
    pub fn id(&self, spot: Spot) -> CellId {
        let page = &self.pages[spot.page()].2;
        page.cell(spot.row(), spot.dword())
    }

    /// The cell of a number. It loads nothing of the cell itself.
    #[inline]
    pub fn of(&self, id: CellId) -> &Cell {
        &self.all[id as usize]
    }

    #[inline]
    pub fn at(&self, spot: Spot) -> &Cell {
        self.of(self.id(spot))
    }

    /// The number of a cell. Lanes of one instruction mostly set one after the other. Cells may get other numbers by that.
    #[inline]
    pub fn number(&mut self, cell: Cell) -> CellId {
        if self.all.last() != Some(&cell) {
            if self.all.len() >= self.most {
                self.sweep();
            }
            self.all.push(cell);
        }
        self.all.len() as CellId - 1
    }

    /// Gives up the cells that no dword has.
    #[cold]
    #[inline(never)]
    fn sweep(&mut self) {
        let before = std::mem::replace(&mut self.all, vec![Cell::UNTOUCHED]);
        let mut numbers = vec![0; before.len()];
        for (_, _, page) in &mut self.pages {
            for id in page.in_use().filter(|id| **id != 0) {
                let number = &mut numbers[*id as usize];
                if *number == 0 {
                    *number = self.all.len() as CellId;
                    self.all.push(before[*id as usize]);
                }
                *id = *number;
            }
        }
        self.most = self.most.max(2 * self.all.len());
    }

    #[inline]
    pub fn set(&mut self, spot: Spot, cell: Cell) {
        let id = self.number(cell);
        self.set_number(spot, id);
    }

    /// Gives a dword the cell of a number.
    #[inline]
    pub fn set_number(&mut self, spot: Spot, id: CellId) {
        let (page, row) = self.page(spot);
        match page.forms[row] {
            UNEVEN => page.uneven_mut(row)[spot.dword()] = id,
            _ => self.fill_with(spot, 1, id),
        }
    }

    /// The cell at a place, and how many dwords have it from there on, of `most` ones of the row. None if they may all
    /// differ.
    #[inline]
    pub fn alike(&self, spot: Spot, most: usize) -> Option<(Cell, usize)> {
        let page = &self.pages[spot.page()].2;
        let row = spot.row();
        let halves = &page.halves[row];
        let (id, count) = match page.forms[row] {
            UNEVEN => {
                let cells = &page.uneven(row)?[spot.dword()..][..most];
                let count = cells.iter().take_while(|id| **id == cells[0]).count();
                if count == 1 && most > 1 {
                    return None;
                }
                (cells[0], count)
            }
            UNTOUCHED => (0, most),
            EVEN => (halves[0], most),
            cut => match usize::from(cut).saturating_sub(spot.dword()) {
                0 => (halves[1], most),
                before => (halves[0], most.min(before)),
            },
        };
        Some((*self.of(id), count))
    }

    /// Gives so many dwords of a row, from a place on, one cell.
    pub fn fill(&mut self, spot: Spot, count: usize, cell: Cell) {
        let id = self.number(cell);
        self.fill_with(spot, count, id);
    }

    fn fill_with(&mut self, spot: Spot, count: usize, id: CellId) {
        let from = spot.dword();
        let to = from + count;
        let (all, page) = (&self.all, &mut self.pages[spot.page()].2);
        let row = spot.row();
        let is_same = |other: CellId| id == other || all[id as usize] == all[other as usize];
        if count == DWORDS {
            return page.cut(row, 0, [id; 2], true);
        }
        let end = if from == 0 { 0 } else { DWORDS };
        let (cut, [first, second]) = match page.forms[row] {
            UNEVEN => {
                let cells = page.uneven_mut(row);
                cells[from..to].fill(id);
                if to == DWORDS && cells.iter().all(|own| *own == id) {
                    page.cut(row, 0, [id; 2], true);
                }
                return;
            }
            UNTOUCHED => (end, [0; 2]),
            EVEN => (end, [page.halves[row][0]; 2]),
            at => (usize::from(at), page.halves[row]),
        };
        match () {
            () if from == 0 && to >= cut => page.cut(row, to, [id, second], is_same(second)),
            () if to == DWORDS && from <= cut => page.cut(row, from, [first, id], is_same(first)),
            () if is_same(first) && to <= cut || is_same(second) && from >= cut => {}
            () => {
                page.forms[row] = UNEVEN;
                let cells = page.uneven_mut(row);
                cells[..cut].fill(first);
                cells[cut..].fill(second);
                cells[from..to].fill(id);
            }
        }
    }

    /// The dwords of the row were all accessed: they may be alike now.
    pub fn settle(&mut self, spot: Spot) {
        let (all, page) = (&self.all, &mut self.pages[spot.page()].2);
        let row = spot.row();
        if page.forms[row] != UNEVEN {
            return;
        }
        if let Some(cells) = page.uneven(row)
            && let first = cells[0]
            && cells
                .iter()
                .all(|id| *id == first || all[*id as usize] == all[first as usize])
        {
            page.cut(row, 0, [first; 2], true);
        }
    }

    /// No wave has accessed the dwords between these addresses.
    pub fn forget(&mut self, start: u64, end: u64) {
        let mut at = start / 4 * 4;
        while at < end {
            let next = |bytes: u64| (at / bytes + 1).saturating_mul(bytes);
            let Some(table) = self.numbers.get(&(at / REGION)) else {
                at = next(REGION);
                continue;
            };
            if self.tables[*table][(at % REGION / PAGE) as usize] == 0 {
                at = next(PAGE);
                continue;
            }
            let row_end = next(ROW);
            let count = (row_end.min(end.next_multiple_of(4)) - at) / 4;
            let spot = self.spot(at);
            self.fill(spot, count as usize, Cell::UNTOUCHED);
            at = row_end;
        }
    }

    pub fn clear(&mut self) {
        for (table, place, page) in self.pages.drain(..) {
            self.tables[table][place] = 0;
            self.spare.push(page);
        }
        self.all.truncate(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(writer: RecordId) -> Cell {
        Cell {
            writer,
            ..Cell::default()
        }
    }

    #[test]
    fn only_dwords_between_the_addresses_are_forgotten() {
        let mut cells = Cells::default();
        let (first, last) = (0x1000, 3 * PAGE);
        for at in (first..last).step_by(4) {
            let spot = cells.spot(at);
            cells.set(spot, written(5));
        }
        let (start, end) = (first + 50, 2 * PAGE + 4 * DWORDS as u64 + 13);
        cells.forget(start, end);
        for at in (first..last).step_by(4) {
            let spot = cells.spot(at);
            let is_gone = at + 4 > start && at < end;
            assert_eq!(*cells.at(spot) == Cell::UNTOUCHED, is_gone, "{at:#x}");
        }
        let pages = cells.pages.len();
        cells.forget(last, 1 << 47);
        assert_eq!(cells.pages.len(), pages);
    }

    /// Rows against a plain table of dwords, under accesses of some dwords of a row and of whole ones. Cells are given up again and again.
    #[test]
    fn rows_have_the_cells_of_their_dwords() {
        let mut cells = Cells {
            most: 40,
            ..Cells::default()
        };
        let mut swept = 0;
        let mut plain = [0; 512];
        let mut random = 1u64;
        let at = |dword: usize| 3 * PAGE - 8 * ROW + dword as u64 * 4;
        for step in 0..40_000 {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1);
            if step % 500 == 499 {
                // Pages are used again.
                cells.clear();
                plain.fill(0);
            }
            let part = |from: u32, most: usize| (random >> from) as usize % most;
            let (row, value) = (part(33, 16) * DWORDS, part(50, 3) as u32);
            let (mut from, mut to) = (part(10, DWORDS), part(18, DWORDS) + 1);
            match part(40, 4) {
                0 => (from, to) = (0, DWORDS),
                1 => from = 0,
                2 => to = DWORDS,
                _ => to = to.max(from + 1),
            }
            let (spot, before) = (cells.spot(at(row + from)), cells.all.len());
            match to - from {
                1 => cells.set(spot, written(value)),
                count => cells.fill(spot, count, written(value)),
            }
            swept += u32::from(cells.all.len() < before);
            plain[row + from..row + to].fill(value);
            if to - from == DWORDS {
                let spot = cells.spot(at(row));
                cells.settle(spot);
            }
            for dword in row..row + DWORDS {
                let spot = cells.spot(at(dword));
                assert!(*cells.at(spot) == written(plain[dword]), "{step}: {dword}");
                if let Some((cell, many)) = cells.alike(spot, row + DWORDS - dword) {
                    let alike = &plain[dword..dword + many];
                    assert!(alike.iter().all(|value| written(*value) == cell), "{step}");
                }
            }
        }
        assert!(swept > 100, "{swept}");
    }

    #[test]
    fn a_row_whose_dwords_are_alike_again_is_even() {
        let mut cells = Cells::default();
        let row = cells.spot(0);
        (0..ROW / 8).for_each(|pair| cells.set(row.beside(8 * pair), written(1)));
        assert!(cells.alike(row, DWORDS).is_none());
        (0..ROW / 4).for_each(|dword| cells.set(row.beside(4 * dword), written(2)));
        cells.settle(row);
        assert!(cells.alike(row, DWORDS) == Some((written(2), DWORDS)));
    }

    /// Regions that share a slot of `recent`, pages at both ends of a region, and the last row of the address space.
    #[test]
    fn pages_of_far_regions_are_told_apart_and_cleared() {
        let mut cells = Cells::default();
        let ends = [0, PAGE, REGION - ROW];
        let slots = RECENT as u64 * REGION;
        let mut places: Vec<u64> = (0..40)
            .flat_map(|region| ends.map(|end| region / 2 * slots + region % 2 * REGION + end))
            .collect();
        places.push(u64::MAX - ROW + 1);
        for turn in 1..3 {
            for (number, place) in places.iter().enumerate() {
                let spot = cells.spot(*place);
                assert!(*cells.at(spot) == Cell::UNTOUCHED, "{turn}: {place:#x}");
                cells.set(spot, written(turn * 1000 + number as RecordId));
            }
            for (number, place) in places.iter().enumerate() {
                let expected = written(turn * 1000 + number as RecordId);
                let spot = cells.spot(*place);
                assert!(*cells.at(spot) == expected, "{turn}: {place:#x}");
                assert!(*cells.at(spot.beside(*place + 4)) == Cell::UNTOUCHED);
            }
            cells.clear();
        }
    }
}
