//! The note of several reads from LDS that follow each other. The lanes' addresses are looked at once for all reads by one register, and reads
//! of dwords that lie behind each other are noted at once.

use crate::{
    access::lanes::GROUP,
    engine::Env,
    micro_op::{MicroOp, ReadsNumber, flow},
    races::{Access, Noted, Races},
    shell::{self, Body},
    state::{LANES, Wave},
};
use vectors::steps::lie_apart;

/// Most registers of addresses, and most reads at their offsets.
const MOST_ROWS: usize = 4;
const MOST_PARTS: usize = u64::BITS as usize;
/// Groups of lanes that a wave has at most.
const GROUPS: usize = LANES / GROUP;

/// Reads that follow each other.
#[derive(Debug, Default)]
pub(crate) struct Reads {
    /// The rows of their addresses.
    rows: Vec<u16>,
    /// In the order of the instructions.
    parts: Vec<Part>,
    stretches: Vec<Stretch>,
    /// The notes of the instructions one by one.
    notes: Vec<MicroOp>,
}

/// All that an instruction reads at one of its offsets.
#[derive(Debug)]
struct Part {
    pc: u64,
    /// The number of the row of addresses.
    row: usize,
    offset: u32,
    dwords: usize,
}

/// Parts whose dwords lie behind each other, if all lanes of a group read at one address.
#[derive(Debug)]
struct Stretch {
    row: usize,
    offset: u32,
    /// The address of the instruction that reads each dword.
    pcs: Vec<u32>,
    /// A bit for each of them.
    parts: u64,
}

impl Stretch {
    fn end(&self) -> u32 {
        self.offset.wrapping_add(4 * self.pcs.len() as u32)
    }
}

impl Reads {
    /// Adds a read by its note. Returns `false`, and does nothing, if there is no room for it.
    pub fn add(&mut self, note: MicroOp) -> bool {
        let row = note.src[0].index;
        let known = self.rows.iter().position(|known| *known == row);
        if known.is_none() && self.rows.len() == MOST_ROWS || self.parts.len() + 2 > MOST_PARTS {
            return false;
        }
        let row = known.unwrap_or_else(|| {
            self.rows.push(row);
            self.rows.len() - 1
        });
        let read = note.lds_note();
        let [first, second] = read.offsets;
        let offsets = [Some(first), (first != second).then_some(second)];
        for offset in offsets.into_iter().flatten() {
            let part = Part {
                pc: read.pc(),
                row,
                offset,
                dwords: read.bytes as usize / 4,
            };
            self.stretch(&part);
            self.parts.push(part);
        }
        self.notes.push(note);
        true
    }

    /// Adds the next part to the stretch that it goes on.
    fn stretch(&mut self, part: &Part) {
        let pcs = std::iter::repeat_n(part.pc as u32, part.dwords);
        let own = 1 << self.parts.len();
        let mut known = self.stretches.iter_mut();
        match known.find(|known| known.row == part.row && known.end() == part.offset) {
            Some(known) => {
                known.pcs.extend(pcs);
                known.parts |= own;
            }
            None => self.stretches.push(Stretch {
                row: part.row,
                offset: part.offset,
                pcs: pcs.collect(),
                parts: own,
            }),
        }
    }

    /// The micro-op of number `number` of the segment's list of these.
    pub fn micro_op(&self, number: usize) -> MicroOp {
        MicroOp::new(shell::wide_handler::<NoteReads>()).with(ReadsNumber::new(number))
    }

    /// Notes all reads of a wave with all lanes on. Returns `false`, and has told of nothing, if one conflicts with an older access or lanes lie
    /// otherwise: each read has to be noted by itself then, those again that were noted here.
    #[inline(always)]
    fn note(&self, wave: &Wave, races: &mut Races) -> bool {
        let mut all = [Lanes::default(); MOST_ROWS];
        for (lanes, row) in all.iter_mut().zip(&self.rows) {
            match Lanes::of(wave, *row) {
                Some(of_row) => *lanes = of_row,
                None => return false,
            }
        }
        let mut done = 0;
        for stretch in &self.stretches {
            let lanes = &all[stretch.row % MOST_ROWS];
            if !stretch.parts.is_power_of_two() && lanes.lie_apart(stretch) {
                if !stretch.note(wave, lanes, races) {
                    return false;
                }
                done |= stretch.parts;
            }
        }
        let mut parts = self.parts.iter().enumerate();
        parts.all(|(number, part)| {
            let lanes = &all[part.row % MOST_ROWS];
            done >> number & 1 != 0 || part.note(wave, lanes, races)
        })
    }
}

struct NoteReads;

impl Body for NoteReads {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        // SAFETY: notes do not take a wave to another segment.
        let segment = unsafe { wave.lent_segment() };
        let reads = &segment.reads[op.reads().number as usize];
        let Some(races) = &mut env.races else {
            return flow::NEXT;
        };
        if !wave.all_lanes || !reads.note(wave, races) {
            for note in &reads.notes {
                // SAFETY: of the wave's own segment.
                unsafe { shell::call(note, wave, env) };
            }
        }
        flow::NEXT
    }
}

/// The addresses in a row, by group.
#[derive(Clone, Copy, Default)]
struct Lanes {
    /// The first lane's.
    first: [u32; GROUPS],
    /// Bytes from each lane to the next one.
    step: [u32; GROUPS],
    /// Groups of one address each have addresses so many bytes apart, or the same; 0 if there is another group.
    gap: u32,
}

impl Lanes {
    /// `None` if the lanes of a group do not have addresses that are 0, 4, 8 or 16 bytes apart.
    #[inline(always)]
    fn of(wave: &Wave, row: u16) -> Option<Lanes> {
        let mut lanes = Lanes {
            gap: u32::MAX,
            ..Lanes::default()
        };
        let groups = wave.row(row.into()).0.as_chunks::<GROUP>().0;
        for (group, at) in groups.iter().enumerate().take(wave.groups()) {
            let step = at[1].wrapping_sub(at[0]);
            if !matches!(step, 0 | 4 | 8 | 16) || !lie_apart(at, step) {
                return None;
            }
            (lanes.first[group], lanes.step[group]) = (at[0], step);
            if step != 0 {
                lanes.gap = 0;
            }
            for other in &lanes.first[..group] {
                let apart = at[0].abs_diff(*other);
                let apart = if apart == 0 { u32::MAX } else { apart };
                lanes.gap = lanes.gap.min(apart);
            }
        }
        Some(lanes)
    }

    /// A group has the addresses of the one before.
    #[inline(always)]
    fn is_again(&self, group: usize) -> bool {
        let is_same = |of: &[u32; GROUPS]| group > 0 && of[group] == of[group - 1];
        is_same(&self.first) && is_same(&self.step)
    }

    /// Each group reads a stretch at one place, and no two groups read some of its dwords alone in common.
    #[inline(always)]
    fn lie_apart(&self, stretch: &Stretch) -> bool {
        self.gap as usize >= 4 * stretch.pcs.len()
    }
}

/// A plain read by the instruction at `pc`.
#[inline(always)]
fn read(wave: &Wave, pc: u64) -> Noted {
    Noted {
        access: Access::Read,
        polls: false,
        returns: true,
        publishes: false,
        wave: wave.index_in_workgroup,
        pc,
    }
}

impl Stretch {
    #[inline(always)]
    fn note(&self, wave: &Wave, lanes: &Lanes, races: &mut Races) -> bool {
        let noted = read(wave, 0);
        (0..wave.groups()).all(|group| {
            let address = lanes.first[group].wrapping_add(self.offset);
            lanes.is_again(group) || races.note_reads(&noted, address, &self.pcs)
        })
    }
}

impl Part {
    #[inline(always)]
    fn note(&self, wave: &Wave, lanes: &Lanes, races: &mut Races) -> bool {
        let noted = read(wave, self.pc);
        (0..wave.groups()).all(|group| {
            let count = match lanes.step[group] {
                0 => self.dwords,
                step if step == 4 * self.dwords as u32 => GROUP * self.dwords,
                _ => return false,
            };
            let address = lanes.first[group].wrapping_add(self.offset);
            lanes.is_again(group) || races.note_row(&noted, address, count)
        })
    }
}
