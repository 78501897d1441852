//! Reads from LDS that follow each other: one micro-op in front of them notes them all.
//!
//! Control comes to a later one from the one before only, and none of them changes what is noted of the others. On exact devices a read may
//! stop the wave, and those behind it are not made.

use super::{Config, Segment};
use crate::{
    micro_op::{LdsNote, MicroOp},
    program::Lowered,
    row_set::RowSet,
    rows::lds_noted::Reads,
};

/// Finds such reads while instructions are lowered one after the other.
pub(super) struct Sharing {
    wanted: bool,
    last: Option<Last>,
}

/// The reads up to the last instruction.
struct Last {
    /// The micro-op that notes them.
    note: usize,
    /// The rows that they write.
    written: RowSet,
}

impl Sharing {
    /// `skips`: waves may pass over some of the reads.
    pub fn new(config: &Config, skips: bool) -> Sharing {
        Sharing {
            wanted: config.races && !config.exact && !config.observed && !skips,
            last: None,
        }
    }

    /// Takes the note away of the next instruction, whose micro-ops will be the last ones of the segment, if an earlier note can be of it, too.
    /// `follows`: control comes from the instruction before only. `plan`: a shadow is shown the instruction, which keeps its own note then. Returns
    /// `true` if the note was taken away.
    pub fn share(
        &mut self,
        segment: &mut Segment,
        (follows, plan): (bool, Option<u32>),
        lowered: &mut Lowered,
    ) -> bool {
        let Some(note) = lowered.ops.first().copied().filter(|_| self.wanted) else {
            return false;
        };
        let Some(read) = note.plain_read().filter(|_| plan.is_none()) else {
            self.last = None;
            return false;
        };
        let last = self.last.take_if(|last| {
            let address = usize::from(note.src[0].index);
            follows && !last.written.holds(address) && add(segment, last.note, note)
        });
        let is_shared = last.is_some();
        let mut last = last.unwrap_or(Last {
            note: segment.ops.len(),
            written: RowSet::default(),
        });
        targets(&lowered.bare, read).for_each(|row| last.written.add(row));
        self.last = Some(last);
        if is_shared {
            lowered.ops.remove(0);
        }
        is_shared
    }
}

/// The rows that a read writes, and perhaps more.
fn targets(op: &MicroOp, read: &LdsNote) -> impl Iterator<Item = usize> + use<> {
    let words = 2 * read.bytes as usize / 4;
    usize::from(op.dst)..usize::from(op.dst) + words
}

/// Makes a micro-op that notes reads note one more. Returns `false` if they are too different for that.
fn add(segment: &mut Segment, first: usize, note: MicroOp) -> bool {
    let op = segment.ops[first];
    if let Some(number) = op.reads_number() {
        return segment.reads[number].add(note);
    }
    let mut reads = Reads::default();
    let is_one = reads.add(op) && reads.add(note);
    if is_one {
        segment.ops[first] = reads.micro_op(segment.reads.len());
        segment.reads.push(reads);
    }
    is_one
}
