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

/// Bytes of a row: what 32 lanes access with a dword each.
pub(crate) const ROW: u64 = 128;
const DWORDS: usize = ROW as usize / 4;
/// Bytes of memory that have their rows together.
const PAGE: u64 = 1 << 16;
const ROWS: usize = (PAGE / ROW) as usize;

#[derive(Clone)]
enum Row {
    Even(Cell),
    /// The dwords before this one have the first cell, the others the second.
    Cut(u8, [Cell; 2]),
    Uneven(Box<[Cell; DWORDS]>),
}

#[derive(Default)]
pub(crate) struct Cells {
    numbers: HashMap<u64, usize>,
    pages: Vec<Box<[Row]>>,
    /// Pages that were used, and their numbers.
    recent: [Option<(u64, usize)>; RECENT],
}

/// A launch that streams goes through a few arrays at a time.
const RECENT: usize = 32;

/// Arrays whose distance is a power of two have different slots for most of their pages.
fn slot(page: u64) -> usize {
    (page ^ page >> 5 ^ page >> 10) as usize % RECENT
}

fn cut_at(at: usize, first: Cell, second: Cell) -> Row {
    match first == second {
        true => Row::Even(first),
        false => Row::Cut(at as u8, [first, second]),
    }
}

fn dword(address: u64) -> usize {
    (address % ROW / 4) as usize
}

impl Cells {
    fn row(&mut self, address: u64) -> &mut Row {
        let page = address / PAGE;
        let number = match self.recent[slot(page)] {
            Some((recent, number)) if recent == page => number,
            _ => self.find(page),
        };
        &mut self.pages[number][(address % PAGE / ROW) as usize]
    }

    fn find(&mut self, page: u64) -> usize {
        let next = self.pages.len();
        let number = *self.numbers.entry(page).or_insert(next);
        if number == next {
            let rows = vec![Row::Even(Cell::default()); ROWS];
            self.pages.push(rows.into_boxed_slice());
        }
        self.recent[slot(page)] = Some((page, number));
        number
    }

    /// The cell of the dword at an address.
    pub fn get(&mut self, address: u64) -> Cell {
        match self.row(address) {
            Row::Even(cell) => *cell,
            Row::Cut(at, cells) => cells[usize::from(dword(address) >= usize::from(*at))],
            Row::Uneven(cells) => cells[dword(address)],
        }
    }

    pub fn set(&mut self, address: u64, cell: Cell) {
        self.fill(address, address + 4, cell);
    }

    /// The cell of the dword at an address, and how far up to `end`, in the same row, the others have it. None if they may all differ.
    pub fn alike(&mut self, address: u64, end: u64) -> Option<(Cell, u64)> {
        match self.row(address) {
            Row::Even(cell) => Some((*cell, end)),
            Row::Cut(at, cells) => {
                let cut = (address & !(ROW - 1)) + 4 * u64::from(*at);
                match address < cut {
                    true => Some((cells[0], end.min(cut))),
                    false => Some((cells[1], end)),
                }
            }
            Row::Uneven(_) => None,
        }
    }

    /// Gives the dwords from an address up to `end`, in the same row, one cell.
    pub fn fill(&mut self, address: u64, end: u64, cell: Cell) {
        let from = dword(address);
        let to = from + ((end - address) / 4) as usize;
        let row = self.row(address);
        let (cut, [first, second]) = match row {
            Row::Even(known) => (if from == 0 { 0 } else { DWORDS }, [*known; 2]),
            Row::Cut(at, cells) => (usize::from(*at), *cells),
            Row::Uneven(cells) => {
                cells[from..to].fill(cell);
                return;
            }
        };
        *row = match () {
            () if to - from == DWORDS => Row::Even(cell),
            () if from == 0 && to >= cut => cut_at(to, cell, second),
            () if to == DWORDS && from <= cut => cut_at(from, first, cell),
            () if first == cell && to <= cut || second == cell && from >= cut => return,
            () => {
                let known = |dword| if dword < cut { first } else { second };
                let mut cells = Box::new(std::array::from_fn(known));
                cells[from..to].fill(cell);
                Row::Uneven(cells)
            }
        };
    }

    /// The dwords of the row were all accessed: they may be alike now.
    pub fn settle(&mut self, address: u64) {
        let row = self.row(address);
        if let Row::Uneven(cells) = row
            && cells.iter().all(|cell| *cell == cells[0])
        {
            *row = Row::Even(cells[0]);
        }
    }

    pub fn clear(&mut self) {
        *self = Cells::default();
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
            let part = |from: u32, most: usize| (random >> from) as usize % most;
            let (row, value) = (part(33, 16) * DWORDS, part(50, 3) as u32);
            let (mut from, mut to) = (part(10, DWORDS), part(18, DWORDS) + 1);
            match part(40, 4) {
                0 => (from, to) = (0, DWORDS),
                1 => from = 0,
                2 => to = DWORDS,
                _ => to = to.max(from + 1),
            }
            cells.fill(at(row + from), at(row + to), written(value));
            plain[row + from..row + to].fill(value);
            if to - from == DWORDS {
                cells.settle(at(row));
            }
            for dword in row..row + DWORDS {
                let (cell, known) = (cells.get(at(dword)), written(plain[dword]));
                assert!(cell == known, "{step}: {dword}");
                if let Some((cell, end)) = cells.alike(at(dword), at(row + DWORDS)) {
                    let many = ((end - at(dword)) / 4) as usize;
                    let alike = &plain[dword..dword + many];
                    assert!(alike.iter().all(|value| written(*value) == cell), "{step}");
                }
            }
        }
    }

    #[test]
    fn a_row_whose_dwords_are_alike_again_is_even() {
        let mut cells = Cells::default();
        (0..ROW / 8).for_each(|pair| cells.set(8 * pair, written(1)));
        assert!(cells.alike(0, ROW).is_none());
        (0..ROW / 4).for_each(|dword| cells.set(4 * dword, written(2)));
        cells.settle(0);
        assert!(cells.alike(0, ROW) == Some((written(2), ROW)));
    }
}
