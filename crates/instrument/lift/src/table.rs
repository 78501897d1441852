//! The different instructions of a program, each once, and the instructions of a function as numbers in that table.
//!
//! The meaning of an instruction does not depend on its address, and hardly one in twenty is new. Functions therefore hold
//! numbers, which lie side by side, and need no count or allocation for each of them.

use crate::{Access, Counter, InstFlags, Kind, counters};
use gfx::Family;
use isa::{Decoded, Inst};
use smallvec::SmallVec;
use std::sync::Arc;

/// Position in a [`Table`].
pub(crate) type Number = u32;

/// The facts about instructions that do not depend on their addresses, by number.
#[derive(Debug, Default)]
pub(crate) struct Table {
    decoded: Vec<Decoded>,
    accesses: Vec<Access>,
    /// The effects of instructions on counters of memory operations.
    counts: Vec<Option<Box<Counts>>>,
}

/// The counters that an instruction waits for, and those that it raises.
#[derive(Debug)]
pub(crate) struct Counts {
    pub awaited: SmallVec<[(Counter, u32); 3]>,
    pub raised: SmallVec<[(Counter, Kind); 2]>,
}

impl Table {
    /// With room for so many.
    pub fn with_capacity(capacity: usize) -> Table {
        Table {
            decoded: Vec::with_capacity(capacity),
            accesses: Vec::with_capacity(capacity),
            counts: Vec::with_capacity(capacity),
        }
    }

    pub fn enter(&mut self, entry: Entry) -> Number {
        self.decoded.push(entry.decoded);
        self.accesses.push(entry.access);
        self.counts.push(entry.counts);
        (self.decoded.len() - 1) as Number
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.decoded.len()
    }

    pub fn decoded(&self, number: Number) -> &Decoded {
        &self.decoded[number as usize]
    }

    pub fn access(&self, number: Number) -> &Access {
        &self.accesses[number as usize]
    }
}

/// An instruction that is new.
pub(crate) struct Entry {
    decoded: Decoded,
    access: Access,
    pub traits: InstFlags,
    counts: Option<Box<Counts>>,
}

impl Entry {
    pub fn new(decoded: Decoded, access: Access, family: Family) -> Entry {
        let traits = InstFlags::new(&decoded, &access);
        let counts = traits.any(InstFlags::COUNTS).then(|| {
            Box::new(Counts {
                awaited: counters::awaited(&decoded, family),
                raised: counters::raised(&decoded, family),
            })
        });
        Entry {
            decoded,
            access,
            traits,
            counts,
        }
    }
}

/// Where the instructions of a function are, and which they are, in address order.
#[derive(Clone, Debug, Default)]
pub(crate) struct InstPositions {
    /// Address that offsets count from.
    pub entry: u64,
    pub offsets: Vec<u32>,
    pub numbers: Vec<Number>,
    /// The traits of each instruction.
    pub traits: Vec<InstFlags>,
    /// There are bytes between them that are none.
    pub gaps: bool,
}

/// Bytes of code that one function may have; what is behind them belongs to none.
pub(crate) const LONGEST_FUNCTION: u64 = u32::MAX as u64;

/// Instructions of one function with what they are.
#[derive(Clone, Copy)]
pub(crate) struct Code<'a> {
    pub places: &'a InstPositions,
    pub table: &'a Table,
}

impl<'a> Code<'a> {
    pub fn len(self) -> usize {
        self.places.numbers.len()
    }

    pub fn traits(self) -> &'a [InstFlags] {
        &self.places.traits
    }

    pub fn at(self, index: usize) -> Inst<&'a Decoded> {
        let decoded = self.table.decoded(self.places.numbers[index]);
        Inst::new(self.pc(index), decoded)
    }

    pub fn pc(self, index: usize) -> u64 {
        self.places.entry + u64::from(self.places.offsets[index])
    }

    /// Address behind an instruction.
    pub fn end(self, index: usize) -> u64 {
        match self.places.offsets.get(index + 1) {
            Some(&next) if !self.places.gaps => self.places.entry + u64::from(next),
            _ => self.at(index).end(),
        }
    }

    /// The instruction at an address.
    pub fn find(self, pc: u64) -> Option<usize> {
        let offset = pc.checked_sub(self.places.entry)?;
        let offset = u32::try_from(offset).ok()?;
        self.places.offsets.binary_search(&offset).ok()
    }
}

/// The instructions of a function, in address order; undecodable dwords are missing.
#[derive(Clone, Debug)]
pub struct Insts {
    pub(crate) places: InstPositions,
    table: Arc<Table>,
}

impl Insts {
    pub(crate) fn new(places: InstPositions, table: Arc<Table>) -> Insts {
        Insts { places, table }
    }

    pub(crate) fn code(&self) -> Code<'_> {
        Code {
            places: &self.places,
            table: &self.table,
        }
    }

    pub(crate) fn access(&self, index: usize) -> &Access {
        self.table.access(self.places.numbers[index])
    }

    /// Visits what each different instruction accesses.
    pub(crate) fn each_different(&self, visit: &mut impl FnMut(&Access)) {
        let mut seen = vec![0u64; self.table.accesses.len().div_ceil(64)];
        for &number in &self.places.numbers {
            let (word, bit) = (&mut seen[number as usize / 64], 1 << (number % 64));
            if *word & bit == 0 {
                *word |= bit;
                visit(self.table.access(number));
            }
        }
    }

    pub(crate) fn counts(&self, index: usize) -> Option<&Counts> {
        self.table.counts[self.places.numbers[index] as usize].as_deref()
    }

    /// A number that instructions of the module have in common if they are alike wherever they lie.
    pub fn number(&self, index: usize) -> usize {
        self.places.numbers[index] as usize
    }

    /// Number of instructions.
    pub fn len(&self) -> usize {
        self.code().len()
    }

    /// Returns `true` if there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Panics when there are not so many.
    pub fn at(&self, index: usize) -> Inst<&Decoded> {
        self.code().at(index)
    }

    /// Instruction `index`, if there are so many.
    pub fn get(&self, index: usize) -> Option<Inst<&Decoded>> {
        (index < self.len()).then(|| self.at(index))
    }

    /// The instruction at the highest address, if there is any.
    pub fn last(&self) -> Option<Inst<&Decoded>> {
        self.get(self.len().checked_sub(1)?)
    }

    /// Address of an instruction.
    pub fn pc(&self, index: usize) -> u64 {
        self.code().pc(index)
    }

    /// Address behind an instruction.
    pub fn end(&self, index: usize) -> u64 {
        self.code().end(index)
    }

    /// Addresses of some, one after the other.
    pub fn pcs(&self, range: std::ops::Range<usize>) -> impl ExactSizeIterator<Item = u64> + '_ {
        let offsets = self.places.offsets[range].iter();
        offsets.map(|offset| self.places.entry + u64::from(*offset))
    }

    /// All, in address order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Inst<&Decoded>> + DoubleEndedIterator {
        (0..self.len()).map(|index| self.at(index))
    }

    /// Takes one out, for who asks what would be without it.
    pub fn remove(&mut self, index: usize) {
        let places = &mut self.places;
        places.offsets.remove(index);
        places.numbers.remove(index);
        places.traits.remove(index);
        places.gaps = true;
    }
}
