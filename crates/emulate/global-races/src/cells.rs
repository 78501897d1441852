//! The last accesses to each dword of memory. Dwords that one instruction has accessed alike have one cell, and memory has the numbers of cells.
//! Scattered accesses miss the host's caches: a number is a quarter of a cell.

use std::collections::HashMap;

use crate::cell::{Cell, RecordId, Slot};

/// The number of a cell; 0: no wave has accessed the dword.
pub(crate) type CellId = u32;

/// Bytes of a row: what 32 lanes access with a dword each.
pub(crate) const ROW: u64 = 128;
const DWORDS: usize = ROW as usize / 4;
/// Bytes of memory that have their rows together.
const PAGE: u64 = 1 << 16;
const ROWS: usize = (PAGE / ROW) as usize;
/// Rows that have the cells of their dwords together, once one of them needs them.
const BLOCK: usize = 16;

/// Dwords of a row, a bit for each.
pub(crate) type Dwords = u32;
/// All dwords of a row.
pub(crate) const ALL: Dwords = !0;

/// Forms of rows: no wave has accessed a dword, all dwords have one cell, each has one of two cells, and all may differ.
const UNTOUCHED: u8 = 0;
const EVEN: u8 = 1;
const TWO: u8 = 2;
const UNEVEN: u8 = 3;

/// Scattered accesses look at the form of a row and then at one number. The forms are small enough for the host's caches.
struct Page {
    forms: [u8; ROWS],
    /// Rows with two cells: the dwords that have the second one.
    seconds: [Dwords; ROWS],
    /// Both cells. Even rows have the first one.
    pairs: [[CellId; 2]; ROWS],
    /// The numbers of the first uneven rows of blocks; 0: there is no block yet.
    blocks: [u32; ROWS / BLOCK],
}

type Row = [CellId; DWORDS];

/// The place of a dword of an uneven row among those of all uneven rows, as long as the row stays uneven.
#[derive(Clone, Copy)]
pub(crate) struct Uneven(usize);

impl Uneven {
    /// The row is not uneven.
    pub const NONE: Uneven = Uneven(0);

    #[inline]
    pub fn is_some(self) -> bool {
        self.0 != 0
    }
}

/// Adds a block to the uneven rows: the number of its first row.
#[cold]
#[inline(never)]
fn add_block(rows: &mut Vec<Row>) -> u32 {
    let first = rows.len().max(BLOCK);
    rows.resize(first + BLOCK, [0; DWORDS]);
    first as u32
}

/// The bit of each dword.
const BIT: [Dwords; DWORDS] = {
    let (mut bits, mut dword) = ([0; DWORDS], 0);
    while dword < DWORDS {
        bits[dword] = 1 << dword;
        dword += 1;
    }
    bits
};

/// Fewer dwords are not worth a look at the whole row.
const SOME: u32 = 4;

/// The dwords among these that have this cell.
fn having(row: &Row, dwords: Dwords, id: CellId) -> Dwords {
    if dwords.count_ones() <= SOME {
        let (mut left, mut all) = (dwords, dwords);
        while left != 0 {
            let dword = left.trailing_zeros() as usize;
            all ^= if row[dword] == id { 0 } else { BIT[dword] };
            left &= left - 1;
        }
        return all;
    }
    let mut all = 0;
    for dword in 0..DWORDS {
        all |= if row[dword] == id { BIT[dword] } else { 0 };
    }
    all & dwords
}

/// These dwords get this cell.
fn give(row: &mut Row, dwords: Dwords, id: CellId) {
    if dwords.count_ones() <= SOME {
        let mut left = dwords;
        while left != 0 {
            row[left.trailing_zeros() as usize] = id;
            left &= left - 1;
        }
        return;
    }
    for dword in 0..DWORDS {
        let own = row[dword];
        row[dword] = if dwords & BIT[dword] != 0 { id } else { own };
    }
}

impl Page {
    fn new() -> Page {
        Page {
            forms: [UNTOUCHED; ROWS],
            seconds: [0; ROWS],
            pairs: [[0; 2]; ROWS],
            blocks: [0; ROWS / BLOCK],
        }
    }

    /// No wave has accessed the page. Its other parts stay as they are: a row that becomes another one overwrites its own first.
    fn begin(&mut self) {
        self.forms = [UNTOUCHED; ROWS];
    }

    /// The number of an uneven row.
    #[inline]
    fn uneven(&self, row: usize) -> usize {
        self.blocks[row / BLOCK] as usize + row % BLOCK
    }

    /// The row's cells among those of all uneven rows.
    #[inline]
    fn uneven_mut<'a>(&mut self, rows: &'a mut Vec<Row>, row: usize) -> &'a mut Row {
        let block = &mut self.blocks[row / BLOCK];
        if *block == 0 {
            *block = add_block(rows);
        }
        &mut rows[*block as usize + row % BLOCK]
    }

    /// The number of a dword's cell.
    #[inline]
    fn cell(&self, rows: &[Row], row: usize, dword: usize) -> CellId {
        match self.forms[row] {
            UNTOUCHED => 0,
            EVEN => self.pairs[row][0],
            UNEVEN => rows[self.uneven(row)][dword],
            _ => self.pairs[row][(self.seconds[row] >> dword & 1) as usize],
        }
    }

    #[inline]
    fn be_even(&mut self, row: usize, id: CellId) {
        self.forms[row] = EVEN;
        self.pairs[row][0] = id;
    }

    /// These dwords get the second cell, the others the first.
    #[inline]
    fn be_two(&mut self, row: usize, seconds: Dwords, cells: [CellId; 2]) {
        self.forms[row] = TWO;
        self.seconds[row] = seconds;
        self.pairs[row] = cells;
    }

    /// Calls `with` for each number that is in use. `uneven` are all uneven rows.
    fn in_use(&mut self, uneven: &mut [Row], mut with: impl FnMut(&mut CellId)) {
        for row in 0..ROWS {
            let cells = match self.forms[row] {
                UNTOUCHED => &mut [][..],
                EVEN => &mut self.pairs[row][..1],
                UNEVEN => &mut uneven[self.uneven(row)],
                _ => &mut self.pairs[row],
            };
            cells.iter_mut().for_each(&mut with);
        }
    }
}

/// Bytes of memory that have one table of pages.
const REGION: u64 = 1 << 30;
const PAGES: usize = (REGION / PAGE) as usize;

pub(crate) struct Cells {
    /// The cells by their numbers, and how many there may be before those are given up that no dword has any more. A cell with earlier writes has two
    /// slots.
    all: Vec<Slot>,
    /// The number of the last cell.
    last: CellId,
    most: usize,
    /// How often cells got other numbers.
    pub swept: u32,
    /// Memory of the last sweep: the host would have to clear other memory.
    swept_cells: Vec<Slot>,
    new_numbers: Vec<CellId>,
    /// The tables of regions, by their numbers.
    numbers: HashMap<u64, usize>,
    /// Numbers of pages, counted from 1; 0: none.
    tables: Vec<Box<[u32]>>,
    /// Each with the number of its table and its place there.
    pages: Vec<(usize, usize, Box<Page>)>,
    /// Uneven rows, in blocks. The first block is of no page.
    uneven: Vec<Row>,
    /// Pages that were given up, for later ones: memory that the host has to clear first would cost more than many accesses.
    spare: Vec<Box<Page>>,
    /// Regions that were used, and the numbers of their tables.
    recent: [(u64, usize); RECENT],
    /// Pages that were used, and their numbers.
    near: [(u64, u32); NEAR],
}

const RECENT: usize = 8;
const NEAR: usize = 256;
/// No address lies in this region.
const NOWHERE: (u64, usize) = (u64::MAX, 0);
/// No address lies in this page.
const NO_PAGE: (u64, u32) = (u64::MAX, 0);

/// Fewer cells are not worth a look at all pages.
pub(crate) const FEW: usize = 1 << 20;

impl Default for Cells {
    fn default() -> Cells {
        Cells::with_most(FEW)
    }
}

impl Cells {
    /// The number of cells at which those are given up that no dword has any more.
    pub fn with_most(most: usize) -> Cells {
        Cells {
            all: vec![Slot::NONE],
            last: 0,
            most,
            swept: 0,
            swept_cells: Vec::new(),
            new_numbers: Vec::new(),
            numbers: HashMap::new(),
            tables: Vec::new(),
            pages: Vec::new(),
            uneven: Vec::new(),
            spare: Vec::new(),
            recent: [NOWHERE; RECENT],
            near: [NO_PAGE; NEAR],
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

    /// The next `count` dwords of the row, with this one.
    fn dwords(self, count: usize) -> Dwords {
        (ALL >> (DWORDS - count)) << self.dword()
    }
}

/// Cells with these numbers are alike.
#[inline]
fn is_same(all: &[Slot], id: CellId, other: CellId) -> bool {
    let (one, two) = (id as usize, other as usize);
    id == other || all[one] == all[two] && (!all[one].is_divided() || all[one + 1] == all[two + 1])
}

impl Cells {
    #[inline]
    fn page(&mut self, spot: Spot) -> (&mut Page, usize) {
        (&mut self.pages[spot.page()].2, spot.row())
    }

    /// The place of the dword at an address.
    #[inline]
    pub fn spot(&mut self, address: u64) -> Spot {
        let page = address / PAGE;
        // Arrays often lie at a distance that is a power of two.
        let slot = (page ^ page >> 10) as usize % NEAR;
        if self.near[slot].0 != page {
            let number = match self.known(address) {
                Some(number) => number,
                None => self.find(address),
            };
            self.near[slot] = (page, number as u32);
        }
        Spot(u64::from(self.near[slot].1) * EACH + address / 4 % EACH)
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
        page.cell(&self.uneven, spot.row(), spot.dword())
    }

    /// The place of a dword among uneven rows.
    #[inline]
    pub fn uneven(&self, spot: Spot) -> Uneven {
        let (page, row) = (&self.pages[spot.page()].2, spot.row());
        match page.forms[row] {
            UNEVEN => Uneven(page.uneven(row) * DWORDS + spot.dword()),
            _ => Uneven::NONE,
        }
    }

    #[inline]
    pub fn uneven_id(&self, place: Uneven) -> CellId {
        self.uneven.as_flattened()[place.0]
    }

    /// The number of the cell of each place; 0 for none.
    #[inline]
    pub fn ids(&self, places: &[Uneven], ids: &mut [CellId]) {
        let all = self.uneven.as_flattened();
        for (id, place) in ids.iter_mut().zip(places) {
            *id = all.get(place.0).copied().unwrap_or(0);
        }
    }

    #[inline]
    pub fn set_uneven(&mut self, place: Uneven, id: CellId) {
        self.uneven.as_flattened_mut()[place.0] = id;
    }

    /// The records of the cell of a number, but for earlier writes.
    #[inline]
    pub fn records(&self, id: CellId) -> [RecordId; 3] {
        self.all[id as usize].records()
    }

    /// The cell of a number.
    #[inline(always)]
    pub fn of(&self, id: CellId) -> Cell {
        let last = self.all[id as usize];
        let others = match last.is_divided() {
            true => self.all[id as usize + 1],
            false => Slot::NONE,
        };
        Cell { last, others }
    }

    #[inline]
    pub fn at(&self, spot: Spot) -> Cell {
        self.of(self.id(spot))
    }

    /// The number of a cell. Lanes of one instruction mostly set one after the other. Cells may get other numbers by that.
    #[inline(always)]
    pub fn number(&mut self, cell: Cell) -> CellId {
        if self.of(self.last) != cell {
            self.make_room();
            self.add(cell);
        }
        self.last
    }

    /// There is a number for another cell. Cells may get other numbers by that.
    #[inline(always)]
    pub fn make_room(&mut self) {
        if self.all.len() >= self.most {
            self.sweep();
        }
    }

    #[cfg(test)]
    pub fn numbers_in_use(&self) -> usize {
        self.all.len()
    }

    /// The number of a cell. No other cell gets another number by that.
    pub fn kept_number(&mut self, cell: Cell) -> CellId {
        if self.of(self.last) != cell {
            self.add(cell);
        }
        self.last
    }

    #[inline]
    fn add(&mut self, cell: Cell) {
        self.last = self.all.len() as CellId;
        self.all.push(cell.last);
        if cell.last.is_divided() {
            self.all.push(cell.others);
        }
    }

    /// Gives up the cells that no dword has.
    #[cold]
    #[inline(never)]
    fn sweep(&mut self) {
        self.swept += 1;
        let mut before = std::mem::take(&mut self.swept_cells);
        std::mem::swap(&mut self.all, &mut before);
        self.all.clear();
        self.all.push(Slot::NONE);
        let numbers = &mut self.new_numbers;
        numbers.clear();
        numbers.resize(before.len(), 0);
        for (_, _, page) in &mut self.pages {
            page.in_use(&mut self.uneven, |id| {
                if *id == 0 {
                    return;
                }
                let (old, number) = (*id as usize, &mut numbers[*id as usize]);
                if *number == 0 {
                    *number = self.all.len() as CellId;
                    self.all.push(before[old]);
                    if before[old].is_divided() {
                        self.all.push(before[old + 1]);
                    }
                }
                *id = *number;
            });
        }
        self.swept_cells = before;
        self.last = 0;
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
        let (page, row) = (&mut self.pages[spot.page()].2, spot.row());
        match page.forms[row] {
            UNEVEN => page.uneven_mut(&mut self.uneven, row)[spot.dword()] = id,
            _ => self.give(spot, spot.dwords(1), id),
        }
    }

    /// The number of the cell of the first of these dwords of a row, and those of them that have it. There is one at least.
    #[inline]
    pub fn same(&self, spot: Spot, dwords: Dwords) -> (CellId, Dwords) {
        let (page, row) = (&self.pages[spot.page()].2, spot.row());
        let first = dwords.trailing_zeros() as usize % DWORDS;
        match page.forms[row] {
            UNTOUCHED => (0, dwords),
            EVEN => (page.pairs[row][0], dwords),
            UNEVEN => {
                let cells = &self.uneven[page.uneven(row)];
                (cells[first], having(cells, dwords, cells[first]))
            }
            _ => {
                let (seconds, [one, other]) = (page.seconds[row], page.pairs[row]);
                match seconds >> first & 1 {
                    0 => (one, dwords & !seconds),
                    _ => (other, dwords & seconds),
                }
            }
        }
    }

    /// The cell at a place, and how many dwords have it from there on, of `most` ones of the row.
    pub fn alike(&self, spot: Spot, most: usize) -> (Cell, usize) {
        let (id, dwords) = self.same(spot, spot.dwords(most));
        let count = (dwords >> spot.dword()).trailing_ones();
        (self.of(id), count as usize)
    }

    /// Gives so many dwords of a row, from a place on, one cell.
    pub fn fill(&mut self, spot: Spot, count: usize, cell: Cell) {
        let id = self.number(cell);
        self.give(spot, spot.dwords(count), id);
    }

    /// Gives these dwords of a row the cell of a number.
    #[inline]
    pub fn give(&mut self, spot: Spot, dwords: Dwords, id: CellId) {
        if dwords != ALL {
            return self.give_some(spot, dwords, id);
        }
        let (page, row) = self.page(spot);
        page.be_even(row, id);
    }

    #[inline(never)]
    fn give_some(&mut self, spot: Spot, dwords: Dwords, id: CellId) {
        let (all, page) = (&self.all, &mut self.pages[spot.page()].2);
        let row = spot.row();
        let is_same = |other: CellId| is_same(all, id, other);
        let (seconds, [one, other]) = match page.forms[row] {
            UNTOUCHED => (0, [0; 2]),
            EVEN => (0, [page.pairs[row][0]; 2]),
            UNEVEN => return give(page.uneven_mut(&mut self.uneven, row), dwords, id),
            _ => (page.seconds[row], page.pairs[row]),
        };
        // Dwords that keep their cells.
        let left = match (!seconds & !dwords, seconds & !dwords) {
            (_, 0) => one,
            (0, _) => other,
            _ if is_same(one) => return page.be_two(row, seconds & !dwords, [one, other]),
            _ if is_same(other) => return page.be_two(row, seconds | dwords, [one, other]),
            _ => {
                page.forms[row] = UNEVEN;
                let cells = page.uneven_mut(&mut self.uneven, row);
                cells.fill(one);
                give(cells, seconds, other);
                give(cells, dwords, id);
                return;
            }
        };
        match is_same(left) {
            true => page.be_even(row, left),
            false => page.be_two(row, dwords, [left, id]),
        }
    }

    /// The dwords of the row were all accessed: they may be alike now.
    pub fn settle(&mut self, spot: Spot) {
        let (all, page) = (&self.all, &mut self.pages[spot.page()].2);
        let row = spot.row();
        if page.forms[row] != UNEVEN {
            return;
        }
        let cells = &self.uneven[page.uneven(row)];
        let first = cells[0];
        if cells.iter().all(|id| is_same(all, *id, first)) {
            page.be_even(row, first);
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
        self.near = [NO_PAGE; NEAR];
        self.all.truncate(1);
        self.last = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(writer: RecordId) -> Cell {
        let mut cell = Cell::UNTOUCHED;
        if writer != 0 {
            cell.write(writer, 15, false, false);
        }
        cell
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
            assert_eq!(cells.at(spot) == Cell::UNTOUCHED, is_gone, "{at:#x}");
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
        let mut plain = [0; 512];
        let mut uneven = 0;
        let mut next = crate::random::numbers();
        let at = |dword: usize| 3 * PAGE - 8 * ROW + dword as u64 * 4;
        for step in 0..40_000 {
            if step % 500 == 499 {
                // Pages are used again.
                cells.clear();
                plain.fill(0);
            }
            let (row, value) = (next(16) as usize * DWORDS, next(3) as u32);
            let (ends, any) = ([next(32), next(32)], next(1 << 32) as Dwords);
            let dwords = match next(6) {
                0 => ALL,
                1 => ALL << ends[0],
                2 => ALL >> ends[0],
                3 => ALL << ends[0] & ALL >> ends[1] | 1 << ends[0],
                4 => [0x5555_5555, 0x9249_2492, 0xf0f0_f0f0][ends[0] as usize % 3] << (ends[1] % 3),
                _ => any | 1 << ends[0],
            };
            let spot = cells.spot(at(row));
            match dwords.count_ones() {
                1 => {
                    let one = spot.beside(at(row + dwords.trailing_zeros() as usize));
                    cells.set(one, written(value));
                }
                _ => {
                    let id = cells.number(written(value));
                    cells.give(spot, dwords, id);
                }
            }
            (0..DWORDS)
                .filter(|dword| dwords >> dword & 1 != 0)
                .for_each(|dword| plain[row + dword] = value);
            if dwords == ALL {
                cells.settle(spot);
            }
            for dword in 0..DWORDS {
                let spot = cells.spot(at(row + dword));
                let own = plain[row + dword];
                let place = cells.uneven(spot);
                if place.is_some() {
                    cells.set_uneven(place, cells.uneven_id(place));
                    let mut ids = [CellId::MAX; 2];
                    cells.ids(&[Uneven::NONE, place], &mut ids);
                    assert_eq!(ids, [0, cells.id(spot)], "{step}: {dword}");
                    uneven += 1;
                }
                assert!(cells.at(spot) == written(own), "{step}: {dword}");
                let (cell, many) = cells.alike(spot, DWORDS - dword);
                let alike = &plain[row + dword..][..many];
                assert!(alike.iter().all(|value| written(*value) == cell), "{step}");
            }
            let asked = any | 1 << ends[1];
            let (id, same) = cells.same(spot, asked);
            let first = asked.trailing_zeros();
            assert!(same & !asked == 0 && same >> first & 1 != 0, "{step}");
            let its = (0..DWORDS).filter(|dword| same >> dword & 1 != 0);
            for dword in its {
                assert!(cells.of(id) == written(plain[row + dword]), "{step}");
            }
        }
        assert!(cells.swept > 100, "{}", cells.swept);
        assert!(uneven > 1000, "{uneven}");
    }

    #[test]
    fn a_row_whose_dwords_are_alike_again_is_even() {
        let mut cells = Cells::default();
        let row = cells.spot(0);
        (0..ROW / 8).for_each(|pair| cells.set(row.beside(8 * pair), written(1)));
        assert!(cells.alike(row, DWORDS) == (written(1), 1));
        (0..ROW / 4).for_each(|dword| cells.set(row.beside(4 * dword), written(2)));
        cells.settle(row);
        assert!(cells.alike(row, DWORDS) == (written(2), DWORDS));
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
                assert!(cells.at(spot) == Cell::UNTOUCHED, "{turn}: {place:#x}");
                cells.set(spot, written(turn * 1000 + number as RecordId));
            }
            for (number, place) in places.iter().enumerate() {
                let expected = written(turn * 1000 + number as RecordId);
                let spot = cells.spot(*place);
                assert!(cells.at(spot) == expected, "{turn}: {place:#x}");
                assert!(cells.at(spot.beside(*place + 4)) == Cell::UNTOUCHED);
            }
            cells.clear();
        }
    }
}
