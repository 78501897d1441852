//! The last accesses to each dword of memory.

use std::collections::HashMap;

/// The number of a record; 0: none.
pub(crate) type RecordId = u32;

/// A dword.
#[derive(Clone, Copy, Default)]
pub(crate) struct Cell {
    pub writer: RecordId,
    /// The last reads by two different waves.
    pub readers: [RecordId; 2],
    /// The bytes of the write, and of both reads.
    pub bytes: [u8; 3],
    /// Waves have used it to put themselves in order.
    pub synchronises: bool,
}

/// Bytes of memory that have their cells together.
const PAGE: u64 = 1 << 16;
const CELLS: usize = PAGE as usize / 4;

#[derive(Default)]
pub(crate) struct Cells {
    numbers: HashMap<u64, usize>,
    pages: Vec<Box<[Cell]>>,
    /// The page that was used last, and its number.
    last: Option<(u64, usize)>,
}

impl Cells {
    /// The cell of the dword at an address.
    pub fn at(&mut self, address: u64) -> &mut Cell {
        let page = address / PAGE;
        let number = match self.last {
            Some((last, number)) if last == page => number,
            _ => self.find(page),
        };
        &mut self.pages[number][(address % PAGE / 4) as usize]
    }

    fn find(&mut self, page: u64) -> usize {
        let next = self.pages.len();
        let number = *self.numbers.entry(page).or_insert(next);
        if number == next {
            self.pages
                .push(vec![Cell::default(); CELLS].into_boxed_slice());
        }
        self.last = Some((page, number));
        number
    }

    pub fn clear(&mut self) {
        *self = Cells::default();
    }
}
