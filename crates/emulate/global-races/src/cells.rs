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
    /// The bytes of the write, and of both reads.
    pub bytes: [u8; 3],
    /// Waves have used it to put themselves in order.
    pub synchronises: bool,
}

/// Bytes of a row: what 32 lanes access with a dword each.
pub(crate) const ROW: u64 = 128;
const DWORDS: usize = ROW as usize / 4;
/// Bytes of memory that have their rows together.
const PAGE: u64 = 1 << 16;
const ROWS: usize = (PAGE / ROW) as usize;

#[derive(Clone)]
enum Row {
    Even(Cell),
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
            Row::Uneven(cells) => cells[dword(address)],
        }
    }

    pub fn set(&mut self, address: u64, cell: Cell) {
        let row = self.row(address);
        match row {
            Row::Even(known) if *known == cell => {}
            Row::Even(known) => {
                let mut cells = Box::new([*known; DWORDS]);
                cells[dword(address)] = cell;
                *row = Row::Uneven(cells);
            }
            Row::Uneven(cells) => cells[dword(address)] = cell,
        }
    }

    /// The cell of all dwords of the row, if they have one.
    pub fn even(&mut self, address: u64) -> Option<Cell> {
        match self.row(address) {
            Row::Even(cell) => Some(*cell),
            Row::Uneven(_) => None,
        }
    }

    /// Gives all dwords of the row the same cell.
    pub fn fill(&mut self, address: u64, cell: Cell) {
        *self.row(address) = Row::Even(cell);
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

    /// Rows against a plain table of dwords, under accesses of single dwords and of whole rows.
    #[test]
    fn rows_have_the_cells_of_their_dwords() {
        let mut cells = Cells::default();
        let mut plain = HashMap::new();
        let mut random = 1u64;
        let at = |dword: u64| 3 * PAGE - 8 * ROW + dword * 4;
        for step in 1..20_000 {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1);
            let (dword, value) = ((random >> 33) % 512, (random >> 50) as u32 % 3);
            if step % 3 == 0 {
                let first = dword / 32 * 32;
                match random >> 20 & 1 {
                    0 => cells.fill(at(first), written(value)),
                    _ => {
                        (first..first + 32).for_each(|dword| cells.set(at(dword), written(value)));
                        cells.settle(at(dword));
                        assert!(cells.even(at(first)) == Some(written(value)));
                    }
                }
                (first..first + 32).for_each(|dword| _ = plain.insert(dword, value));
            } else {
                cells.set(at(dword), written(value));
                plain.insert(dword, value);
            }
            let asked = (random >> 40) % 512;
            let expected = written(plain.get(&asked).copied().unwrap_or_default());
            assert!(cells.get(at(asked)) == expected, "{step}");
        }
    }
}
