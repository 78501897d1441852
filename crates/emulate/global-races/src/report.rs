//! The words for races.

/// The access that an instruction makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    Read,
    Write,
    Atomic,
}

/// The thing that two accesses lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Missing {
    /// Nothing puts them in order.
    Order,
    /// The write was not waited for, or not written back, before the word that tells of it was written.
    Performed,
    /// The read may find an older value in a cache.
    Fresh,
}

/// One of two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Side {
    pub pc: u64,
    pub access: Access,
    pub workgroup: [u32; 3],
    pub wave: u32,
}

/// A copy or a fill by an engine of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Copy {
    /// None: it fills memory.
    pub from: Option<u64>,
    pub to: u64,
    /// All that it has moved so far.
    pub bytes: u64,
}

/// The launch of the other access, if it is not that of the later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Other {
    /// A kernel with this descriptor.
    Kernel(u64),
    /// A copy, which may have come last nevertheless.
    Copy { copy: Copy, is_later: bool },
}

/// Two accesses that race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Found {
    /// The write stores another value than the one that was there.
    pub certain: bool,
    pub missing: Missing,
    /// The access that is told of as the earlier one is one of another launch. The side of a copy has no instruction.
    pub other: Option<Other>,
    pub before: Side,
    pub after: Side,
    /// The lane of the later access; a copy has none.
    pub lane: Option<u32>,
    pub address: u64,
    /// Instructions of waves that met so.
    pub times: u64,
}

/// Two copies that race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Copied {
    /// The later one does not write what is there already.
    pub certain: bool,
    pub before: (Copy, Access),
    pub after: (Copy, Access),
    pub address: u64,
}

/// Two pairs of accesses with an equal key are alike.
pub(crate) type Alike = (Missing, bool, Side, Side);

impl Found {
    pub(crate) fn alike(&self) -> Alike {
        let place = |side: Side| Side {
            workgroup: [0; 3],
            wave: 0,
            ..side
        };
        let sides = (place(self.before), place(self.after));
        (self.missing, self.certain, sides.0, sides.1)
    }

    /// The instruction that reads what the other one changes by an atomic.
    pub(crate) fn read_beside_atomic(&self) -> Option<u64> {
        match (self.before.access, self.after.access) {
            (Access::Read, Access::Atomic) => Some(self.before.pc),
            (Access::Atomic, Access::Read) => Some(self.after.pc),
            _ => None,
        }
    }
}

/// A race that is told of. Its times are told of when they have doubled, so that a process that ends at once loses less than half.
pub(crate) struct Told {
    /// The count includes the times that were not told of.
    found: Found,
    told: u64,
}

impl Told {
    /// The race is being told of for the first time.
    pub fn new(found: Found) -> Told {
        Told {
            told: found.times,
            found: Found { times: 0, ..found },
        }
    }

    pub fn found(&self) -> &Found {
        &self.found
    }

    /// It was met once more. The times to tell of now, if any.
    pub fn again(&mut self) -> Option<Found> {
        self.found.times += 1;
        if self.found.times < self.told {
            return None;
        }
        self.told += self.found.times;
        let rest = self.rest();
        self.found.times = 0;
        rest
    }

    /// The times that were not told of, if any.
    pub fn rest(&self) -> Option<Found> {
        (self.found.times != 0).then_some(self.found)
    }

    /// The times that were told of.
    pub fn told(&self) -> Found {
        Found {
            times: self.told,
            ..self.found
        }
    }

    /// From now on, it is a possible one.
    pub fn doubt(&mut self) {
        self.found.certain = false;
    }
}

/// Is told of races, by any thread.
pub trait Sink: Send + Sync {
    fn raced(&self, found: &[Found]);
    /// Races that it was told of were none.
    fn took_back(&self, found: &Found);
    /// Two copies race.
    fn copied(&self, found: &Copied);
    /// Accesses of instructions with this name were not judged.
    fn not_judged(&self, name: &'static str);
}
