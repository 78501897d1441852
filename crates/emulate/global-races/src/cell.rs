//! The last accesses to a dword.

/// The number of a record; 0: none.
pub(crate) type RecordId = u32;

/// Three records of 32 bits, and above them the bytes that each accessed, and flags, of 8 bits. Words of this size stay in the host's registers.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Slot([u64; 2]);

/// A dword.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    /// The last write, and the last reads by two different waves.
    pub last: Slot,
    /// Earlier writes of which bytes are left, the newest first. No byte is of two writes.
    pub others: Slot,
}

/// The bits of a read's bytes, this much higher, say that the wave looked for a word of others and got what the last write to the byte has
/// stored.
pub(crate) const SEEN: u32 = 4;

/// Flags of a cell: there are earlier writes, waves have used it to put themselves in order, an atomic has written it last.
const DIVIDED: u8 = 1;
const SYNCHRONISES: u8 = 2;
const WORD: u8 = 4;

impl Slot {
    pub const NONE: Slot = Slot([0; 2]);

    #[inline(always)]
    fn new(records: [RecordId; 3], bytes: [u8; 3], flags: u8) -> Slot {
        let [one, two, three] = records;
        let bits = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], flags]);
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        Slot([pair(one, two), pair(three, bits)])
    }

    #[inline(always)]
    pub fn records(self) -> [RecordId; 3] {
        let [low, high] = self.0;
        [low as u32, (low >> 32) as u32, high as u32]
    }

    #[inline(always)]
    fn bytes(self) -> [u8; 3] {
        let [one, two, three, _] = ((self.0[1] >> 32) as u32).to_le_bytes();
        [one, two, three]
    }

    #[inline(always)]
    fn flags(self) -> u8 {
        (self.0[1] >> 56) as u8
    }

    /// A cell's first slot: there is a second one.
    #[inline(always)]
    pub fn is_divided(self) -> bool {
        self.flags() & DIVIDED != 0
    }
}

impl Cell {
    /// No wave has accessed it.
    pub const UNTOUCHED: Cell = Cell {
        last: Slot::NONE,
        others: Slot::NONE,
    };

    /// The last writer; 0: none.
    #[inline]
    pub fn writer(&self) -> RecordId {
        self.last.records()[0]
    }

    /// The last writer has written some of these bytes.
    #[inline]
    pub fn is_written(&self, bytes: u8) -> bool {
        self.last.bytes()[0] & bytes != 0
    }

    /// The writes before the last one of which some of these bytes are left, the oldest first.
    #[inline(always)]
    pub fn others(&self, bytes: u8) -> impl Iterator<Item = RecordId> + use<> {
        let (records, its) = (self.others.records(), self.others.bytes());
        let mut left = if self.last.is_divided() { 3 } else { 0 };
        std::iter::from_fn(move || {
            while left != 0 {
                left -= 1;
                if its[left] & bytes != 0 {
                    return Some(records[left]);
                }
            }
            None
        })
    }

    /// Both reads, those that there are, with their bytes.
    #[inline(always)]
    pub fn reads(&self) -> impl Iterator<Item = (RecordId, u8)> + use<> {
        let (records, its) = (self.last.records(), self.last.bytes());
        let mut next = 1;
        std::iter::from_fn(move || {
            while next < 3 {
                let read = (records[next], its[next]);
                next += 1;
                if read.0 != 0 {
                    return Some(read);
                }
            }
            None
        })
    }

    /// Waves have used it to put themselves in order.
    #[inline]
    pub fn synchronises(&self) -> bool {
        self.last.flags() & SYNCHRONISES != 0
    }

    /// No wave has written it or used it to put itself in order.
    pub fn is_only_read(&self) -> bool {
        self.writer() == 0 && self.last.flags() == 0
    }

    /// An atomic has written it last: the state knows more of what it tells.
    #[inline]
    pub fn is_word(&self) -> bool {
        self.last.flags() & WORD != 0
    }

    /// These bytes are written, by an atomic or not. `synchronises` says whether waves put themselves in order by that.
    #[inline(always)]
    pub fn write(&mut self, id: RecordId, bytes: u8, atomic: bool, synchronises: bool) {
        let ([writer, one, other], [its, of_one, of_other]) =
            (self.last.records(), self.last.bytes());
        let own = if writer == id { its | bytes } else { bytes };
        let had = its & !own != 0 || self.last.is_divided();
        self.others = match had && own != 15 {
            true => self.left(own),
            false => Slot::NONE,
        };
        let flag = |flag: u8, is_set: bool| if is_set { flag } else { 0 };
        let flags = self.last.flags() & SYNCHRONISES
            | flag(SYNCHRONISES, synchronises)
            | flag(WORD, atomic)
            | flag(DIVIDED, self.others != Slot::NONE);
        // No wave has read what is written now.
        let unseen = !(bytes << SEEN);
        let bytes = [own, of_one & unseen, of_other & unseen];
        self.last = Slot::new([id, one, other], bytes, flags);
    }

    /// The writes of which bytes are left behind a write of these ones.
    #[inline(never)]
    fn left(self, own: u8) -> Slot {
        let (mut records, mut bytes, mut next) = ([0; 3], [0; 3], 0);
        let mut add = |writer: RecordId, its: u8| {
            // There are three bytes beside those of the last write, and so no more writers.
            if its & !own != 0 && next < 3 {
                (records[next], bytes[next]) = (writer, its & !own);
                next += 1;
            }
        };
        add(self.writer(), self.last.bytes()[0]);
        let (others, its) = (self.others.records(), self.others.bytes());
        for number in 0..3 {
            add(others[number], its[number]);
        }
        Slot::new(records, bytes, 0)
    }

    /// These bytes are read. `same` says whether a read is of the same wave, and `synchronises` whether waves put themselves in order by that.
    #[inline(always)]
    pub fn read(
        &mut self,
        id: RecordId,
        bytes: u8,
        same: impl Fn(RecordId) -> bool,
        synchronises: bool,
    ) {
        let ([writer, one, other], [its, of_one, of_other]) =
            (self.last.records(), self.last.bytes());
        let seen = if synchronises { bytes << SEEN } else { 0 };
        let is_same = one == id || one != 0 && same(one);
        let (other, bytes) = match is_same {
            true => (other, [its, of_one | bytes | seen, of_other]),
            false => (one, [its, bytes | seen, of_one]),
        };
        let flags = self.last.flags() | if synchronises { SYNCHRONISES } else { 0 };
        self.last = Slot::new([writer, id, other], bytes, flags);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes and reads of some bytes, against a plain list of accesses.
    #[test]
    fn cells_have_the_last_writer_of_each_byte_and_the_reads_of_two_waves() {
        let mut next = crate::random::numbers();
        for round in 0..200 {
            let (mut cell, mut writers, mut order) = (Cell::UNTOUCHED, [0; 4], Vec::new());
            // Four records of a wave are beside each other.
            let mut reads: Vec<(RecordId, u8)> = Vec::new();
            let wave = |id: RecordId| id / 4;
            let mut id = 4;
            for step in 0..40 {
                id += next(3) as RecordId;
                let bytes = 1 + next(15) as u8;
                if next(2) == 0 {
                    cell.write(id, bytes, false, false);
                    let its = writers.iter_mut().enumerate();
                    its.filter(|(byte, _)| bytes >> byte & 1 != 0)
                        .for_each(|(_, writer)| *writer = id);
                    order.retain(|other| *other != id);
                    order.push(id);
                } else {
                    cell.read(id, bytes, |other| wave(other) == wave(id), false);
                    match reads.first_mut() {
                        Some(last) if wave(last.0) == wave(id) => *last = (id, last.1 | bytes),
                        _ => reads.insert(0, (id, bytes)),
                    }
                    reads.truncate(2);
                }
                assert!(cell.reads().eq(reads.iter().copied()), "{round}: {step}");
                let last = order.last().copied().unwrap_or(0);
                assert_eq!(cell.writer(), last);
                for asked in 1..16 {
                    let has = |id: RecordId| {
                        (0..4).any(|byte| asked >> byte & 1 != 0 && writers[byte] == id)
                    };
                    assert_eq!(cell.is_written(asked), last != 0 && has(last));
                    let others = order.iter().copied();
                    let others = others.filter(|id| *id != last && has(*id));
                    assert!(cell.others(asked).eq(others), "{round}: {step}: {asked}");
                }
            }
        }
    }
}
