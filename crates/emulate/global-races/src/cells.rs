//! The last accesses to each dword of memory. Dwords of a row that were accessed alike have one cell.

use std::collections::HashMap;

/// The number of a record; 0: none.
pub(crate) type RecordId = u32;

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

impl Cell {
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

/// Scattered accesses look at the form of a row and then at one cell. The forms are small enough for the host's caches.
struct Page {
    forms: [u8; ROWS],
    /// The cells before and behind the cut. An even row has the first one.
    halves: [[Cell; 2]; ROWS],
    /// The cells of uneven rows.
    blocks: [Option<Box<Block>>; ROWS / BLOCK],
}

type Block = [[Cell; DWORDS]; BLOCK];

impl Page {
    fn new() -> Page {
        Page {
            forms: [EVEN; ROWS],
            halves: [[Cell::UNTOUCHED; 2]; ROWS],
            blocks: [const { None }; ROWS / BLOCK],
        }
    }

    /// No wave has accessed the page. The blocks keep their old cells: a row that becomes uneven overwrites its own first.
    fn begin(&mut self) {
        self.forms = [EVEN; ROWS];
        self.halves = [[Cell::UNTOUCHED; 2]; ROWS];
    }

    fn uneven(&self, row: usize) -> Option<&[Cell; DWORDS]> {
        Some(&self.blocks[row / BLOCK].as_ref()?[row % BLOCK])
    }

    #[inline]
    fn uneven_mut(&mut self, row: usize) -> &mut [Cell; DWORDS] {
        let block = &mut self.blocks[row / BLOCK];
        let block = block.get_or_insert_with(|| Box::new([[Cell::UNTOUCHED; DWORDS]; BLOCK]));
        &mut block[row % BLOCK]
    }

    fn cell(&self, row: usize, dword: usize) -> &Cell {
        match self.forms[row] {
            UNEVEN => self
                .uneven(row)
                .map_or(&Cell::UNTOUCHED, |cells| &cells[dword]),
            EVEN => &self.halves[row][0],
            at => &self.halves[row][usize::from(dword >= usize::from(at))],
        }
    }

    /// The dwords before this one get the first cell, the others the second.
    fn cut(&mut self, row: usize, at: usize, cells: [Cell; 2]) {
        let is_even = cells[0] == cells[1];
        self.forms[row] = if is_even { EVEN } else { at as u8 };
        self.halves[row] = cells;
    }
}

/// Bytes of memory that have one table of pages.
const REGION: u64 = 1 << 30;
const PAGES: usize = (REGION / PAGE) as usize;

pub(crate) struct Cells {
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
/// No address lies in this region.
const NOWHERE: (u64, usize) = (u64::MAX, 0);

impl Default for Cells {
    fn default() -> Cells {
        Cells {
            numbers: HashMap::new(),
            tables: Vec::new(),
            pages: Vec::new(),
            spare: Vec::new(),
            recent: [NOWHERE; RECENT],
        }
    }
}

fn dword(address: u64) -> usize {
    (address % ROW / 4) as usize
}

fn row(address: u64) -> usize {
    (address % PAGE / ROW) as usize
}

/// The place of a dword's cell, until all cells are cleared.
#[derive(Clone, Copy)]
pub(crate) struct Spot {
    page: u32,
    row: u16,
    dword: u8,
}

impl Spot {
    fn of(page: usize, address: u64) -> Spot {
        Spot {
            page: page as u32,
            row: row(address) as u16,
            dword: dword(address) as u8,
        }
    }

    /// The dword at an address in the same row.
    #[inline]
    pub fn beside(self, address: u64) -> Spot {
        Spot {
            dword: dword(address) as u8,
            ..self
        }
    }
}

impl Cells {
    #[inline]
    fn page(&mut self, spot: Spot) -> (&mut Page, usize) {
        let page = &mut self.pages[spot.page as usize].2;
        (page, usize::from(spot.row) % ROWS)
    }

    /// The place of the dword at an address.
    #[inline]
    pub fn spot(&mut self, address: u64) -> Spot {
        let number = match self.known(address) {
            Some(number) => number,
            None => self.find(address),
        };
        Spot::of(number, address)
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

    /// The cell at a place. It loads nothing of the cell itself.
    #[inline]
    pub fn at(&self, spot: Spot) -> &Cell {
        let page = &self.pages[spot.page as usize].2;
        page.cell(usize::from(spot.row) % ROWS, usize::from(spot.dword))
    }

    #[inline]
    pub fn set(&mut self, spot: Spot, cell: Cell) {
        let (page, row) = self.page(spot);
        match page.forms[row] {
            UNEVEN => page.uneven_mut(row)[usize::from(spot.dword)] = cell,
            _ => self.fill(spot, 1, cell),
        }
    }

    /// The cell at a place, and how many dwords have it from there on, of `most` ones of the row. None if they may all differ.
    #[inline]
    pub fn alike(&self, spot: Spot, most: usize) -> Option<(Cell, usize)> {
        let page = &self.pages[spot.page as usize].2;
        let row = usize::from(spot.row) % ROWS;
        let halves = &page.halves[row];
        match page.forms[row] {
            UNEVEN => None,
            EVEN => Some((halves[0], most)),
            cut => match cut.checked_sub(spot.dword) {
                None | Some(0) => Some((halves[1], most)),
                Some(before) => Some((halves[0], most.min(usize::from(before)))),
            },
        }
    }

    /// Gives so many dwords of a row, from a place on, one cell.
    pub fn fill(&mut self, spot: Spot, count: usize, cell: Cell) {
        let from = usize::from(spot.dword);
        let to = from + count;
        let (page, row) = self.page(spot);
        let (cut, [first, second]) = match page.forms[row] {
            UNEVEN => {
                page.uneven_mut(row)[from..to].fill(cell);
                return;
            }
            EVEN => (if from == 0 { 0 } else { DWORDS }, [page.halves[row][0]; 2]),
            at => (usize::from(at), page.halves[row]),
        };
        match () {
            () if to - from == DWORDS => page.cut(row, 0, [cell; 2]),
            () if from == 0 && to >= cut => page.cut(row, to, [cell, second]),
            () if to == DWORDS && from <= cut => page.cut(row, from, [first, cell]),
            () if first == cell && to <= cut || second == cell && from >= cut => {}
            () => {
                page.forms[row] = UNEVEN;
                let cells = page.uneven_mut(row);
                cells[..cut].fill(first);
                cells[cut..].fill(second);
                cells[from..to].fill(cell);
            }
        }
    }

    /// The dwords of the row were all accessed: they may be alike now.
    pub fn settle(&mut self, spot: Spot) {
        let (page, row) = self.page(spot);
        if page.forms[row] != UNEVEN {
            return;
        }
        if let Some(cells) = page.uneven(row)
            && cells.iter().all(|cell| *cell == cells[0])
        {
            let cell = cells[0];
            page.cut(row, 0, [cell; 2]);
        }
    }

    pub fn clear(&mut self) {
        for (table, place, page) in self.pages.drain(..) {
            self.tables[table][place] = 0;
            self.spare.push(page);
        }
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

    /// Rows against a plain table of dwords, under accesses of some dwords of a row and of whole ones.
    #[test]
    fn rows_have_the_cells_of_their_dwords() {
        let mut cells = Cells::default();
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
            let spot = cells.spot(at(row + from));
            cells.fill(spot, to - from, written(value));
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
