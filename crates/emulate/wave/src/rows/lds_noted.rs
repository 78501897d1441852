//! A note of each access to LDS by DS and FLAT instructions before it happens, for devices that look for races.
//!
//! The access gets a micro-op of its own in front, which looks at its addresses. Without the wish for that nothing costs time.

use std::collections::HashSet;

use isa::{Inst, Operand, fields::Buffer};
use vectors::steps::lie_apart;

mod reads;

pub(crate) use reads::Reads;

use super::{
    Row, Shape,
    lds_exact::{self, Addresses, COUNTER, LANE_NUMBER, REGISTER, addresses},
};
use crate::{
    access::{
        lanes::{self, GROUP},
        lds,
    },
    engine::Env,
    micro_op::{LdsBounds, LdsNote, MicroOp, flow},
    program::{Config, Lowered},
    races::{Access, Noted, Races},
    shell::{self, Body},
    state::Wave,
};

/// `lowered` with the note in front, where it may access LDS. `polls`: addresses of the accesses that loops of the kernel wait with. The error
/// says that nothing is known about the instruction's addresses.
pub(crate) fn noted(
    config: &Config,
    (row, inst): (&Row, &Inst),
    polls: &HashSet<u64>,
    mut lowered: Lowered,
) -> Result<Lowered, String> {
    let op = &lowered.bare;
    let named = lds_exact::named(row, op)?;
    let loads = loads(config, row, inst);
    let (handler, bounds, shift) = match (named, &row.shape) {
        (Some((addresses, bounds)), _) => {
            let handler = match addresses {
                Addresses::LaneNumbers => shell::wide_handler::<Note<LANE_NUMBER>>(),
                Addresses::Counter => shell::wide_handler::<Note<COUNTER>>(),
                _ => shell::wide_handler::<Note<REGISTER>>(),
            };
            (handler, bounds, op.lds().store_shift())
        }
        (None, Shape::Flat { .. }) if row.mnemonic.starts_with("flat_") => {
            let bytes = flat_bytes(row.mnemonic)
                .ok_or_else(|| "how many bytes it accesses is not known".to_owned())?;
            let offsets = [op.vector_memory().offset as u32; 2];
            let shift = op.vector_memory().store_shift();
            let bounds = LdsBounds { offsets, bytes };
            (shell::wide_handler::<NoteFlat>(), bounds, shift)
        }
        _ => match loads {
            Some(bytes) => {
                let offsets = [op.vector_memory().offset as u32; 2];
                let bounds = LdsBounds { offsets, bytes };
                (shell::wide_handler::<NoteLoad>(), bounds, 0)
            }
            None => return Ok(lowered),
        },
    };
    let returns = inst
        .operands
        .iter()
        .any(|operand| matches!(operand, Operand::Def(_)));
    let access = match loads {
        Some(_) => Access::Write,
        None => kind(row.mnemonic),
    };
    let by_register = matches!(named, Some((Addresses::Lanes | Addresses::Pairs(_), _)));
    let is_whole = access == Access::Read && bounds.bytes.is_multiple_of(4);
    let flags = [
        (LdsNote::PLAIN, by_register && is_whole && polls.is_empty()),
        (LdsNote::POLLS, polls.contains(&inst.pc)),
        (LdsNote::RETURNS, returns),
        (LdsNote::PUBLISHES, !polls.is_empty()),
        (LdsNote::LOADS, loads.is_some()),
    ];
    let flags = flags.map(|(flag, is_so)| flag * u8::from(is_so));
    let mut note = MicroOp::new(handler);
    note.src = op.src;
    let flags = flags.into_iter().sum();
    let swap = swap(row.mnemonic) as u8;
    note.set(LdsNote::new(
        inst.pc,
        bounds,
        shift,
        (access as u8, flags, swap),
    ));
    lowered.ops.insert(0, note);
    Ok(lowered)
}

/// The bytes in LDS of each lane of a load to there; `None` for other instructions.
fn loads(config: &Config, row: &Row, inst: &Inst) -> Option<u32> {
    let is_load = match row.shape {
        Shape::Buffer { .. } => {
            super::to_lds(row.mnemonic).is_some()
                && Buffer::decode(inst, config.target.family, false).lds
        }
        Shape::Flat { .. } => row.mnemonic.contains("_load_lds_"),
        _ => false,
    };
    let words = match row.mnemonic {
        name if name.ends_with("x3") => 3,
        name if name.ends_with("x4") => 4,
        _ => 1,
    };
    is_load.then_some(4 * words)
}

pub fn kind(mnemonic: &str) -> Access {
    let name = mnemonic.split_once('_').map_or("", |(_, name)| name);
    let is = |words: [&str; 2]| words.iter().any(|word| name.starts_with(word));
    match () {
        () if is(["read", "load"]) => Access::Read,
        () if is(["write", "store"]) => Access::Write,
        () => Access::Atomic,
    }
}

/// The registers of an atomic that a lock can be taken with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swap {
    /// It is another kind of atomic.
    No,
    /// One value, which is stored.
    Exchange,
    /// The first register holds the value to compare with, the next one the value to store.
    CompareFirst,
    /// The first register holds the value to store, the next one the value to compare with.
    StoreFirst,
    /// One tuple holds the same as `StoreFirst`.
    Tuple,
}

pub fn swap(mnemonic: &str) -> Swap {
    let kinds = [
        ("ds_wrxchg_", Swap::Exchange),
        ("ds_cmpstore_", Swap::StoreFirst),
        ("ds_cmpst_", Swap::CompareFirst),
        ("flat_atomic_swap", Swap::Exchange),
        ("flat_atomic_cmpswap", Swap::Tuple),
    ];
    let mut kinds = kinds.into_iter();
    let found = kinds.find(|(begin, _)| mnemonic.starts_with(begin));
    found.map_or(Swap::No, |(_, swap)| swap)
}

/// The bytes in memory of a FLAT instruction.
pub fn flat_bytes(mnemonic: &str) -> Option<u32> {
    let name = mnemonic.strip_prefix("flat_")?;
    if let Some(atomic) = name.strip_prefix("atomic_") {
        let wide = atomic.ends_with("_x2") || atomic.ends_with("_f64");
        return Some(if wide { 8 } else { 4 });
    }
    let (_, data) = name.split_once('_')?;
    let words = data
        .strip_prefix("dword")
        .map(|count| count.strip_prefix('x'));
    match words {
        Some(None) => Some(4),
        Some(Some(count)) => Some(4 * count.parse::<u32>().ok()?),
        None if data.contains("byte") => Some(1),
        None if data.contains("short") => Some(2),
        None => None,
    }
}

/// The note of a DS instruction.
struct Note<const ADDRESSES: u8>;

impl<const ADDRESSES: u8> Body for Note<ADDRESSES> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let Some(mut races) = env.races.take() else {
            return flow::NEXT;
        };
        let mut scene = Scene::new(wave, op, env, &mut races);
        let [first, second] = op.lds_note().offsets;
        scene.all::<ADDRESSES>(0, first);
        if first != second {
            scene.all::<ADDRESSES>(1, second);
        }
        scene.end();
        env.races = Some(races);
        flow::NEXT
    }
}

/// The note of a FLAT instruction: it is about the lanes whose base lies in LDS.
struct NoteFlat;

impl Body for NoteFlat {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let Some(mut races) = env.races.take() else {
            return flow::NEXT;
        };
        let mut scene = Scene::new(wave, op, env, &mut races);
        let aperture = (wave.shared_aperture >> 32) as u32;
        let row = op.src[0].index as usize;
        for group in 0..wave.groups {
            let high = lanes::words(wave, row + 1, group);
            let inside =
                (0..GROUP).fold(0, |inside, i| inside | u16::from(high[i] == aperture) << i);
            let active = lds::active(wave, group) & inside;
            if active != 0 {
                let at = lds::addresses(wave, op, group, op.lds_note().offsets[0]);
                if active != !0 || !scene.side_by_side(&at, 0) {
                    scene.group((0, group), &at, active);
                }
            }
        }
        scene.end();
        env.races = Some(races);
        flow::NEXT
    }
}

/// The note of a load from memory to LDS, at M0 and the lane's number.
struct NoteLoad;

impl Body for NoteLoad {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let Some(mut races) = env.races.take() else {
            return flow::NEXT;
        };
        let mut scene = Scene::new(wave, op, env, &mut races);
        let bits = env.program.config().target.lds_bytes.next_power_of_two() - 1;
        let LdsNote { offsets, bytes, .. } = *op.lds_note();
        let base = (wave.m0() & bits).wrapping_add(offsets[0]);
        for group in 0..wave.groups {
            let at = std::array::from_fn(|i| base.wrapping_add(bytes * (GROUP * group + i) as u32));
            let active = lds::active(wave, group);
            if active != !0 || !scene.side_by_side(&at, 0) {
                scene.group((0, group), &at, active);
            }
        }
        scene.end();
        env.races = Some(races);
        flow::NEXT
    }
}

/// One instruction's accesses.
struct Scene<'a, 'e> {
    wave: &'a Wave,
    op: &'a MicroOp,
    env: &'a Env<'e>,
    races: &'a mut Races,
    noted: Noted,
}

impl<'a, 'e> Scene<'a, 'e> {
    #[inline(always)]
    fn new(
        wave: &'a Wave,
        op: &'a MicroOp,
        env: &'a Env<'e>,
        races: &'a mut Races,
    ) -> Scene<'a, 'e> {
        let note = op.lds_note();
        let noted = Noted {
            access: match note.access {
                0 => Access::Read,
                1 => Access::Write,
                _ => Access::Atomic,
            },
            polls: note.has(LdsNote::POLLS),
            returns: note.has(LdsNote::RETURNS),
            publishes: note.has(LdsNote::PUBLISHES),
            wave: wave.index_in_workgroup,
            pc: note.pc(),
        };
        Scene {
            wave,
            op,
            env,
            races,
            noted,
        }
    }

    /// All lanes, for the `index`-th data register.
    #[inline(always)]
    fn all<const ADDRESSES: u8>(&mut self, index: usize, offset: u32) {
        let (wave, op) = (self.wave, self.op);
        let row = &wave.row(op.src[0].index as usize).0;
        let part = |group: usize| row[GROUP * group..].first_chunk::<GROUP>();
        // Tiles are read in rows of fewer lanes than a wave, again and again.
        let mut was_read = false;
        for group in 0..wave.groups {
            let active = lds::active(wave, group);
            if ADDRESSES == REGISTER
                && active == !0
                && let Some(at) = part(group)
            {
                let is_noted =
                    was_read && part(group - 1) == Some(at) || self.side_by_side(at, offset);
                was_read = is_noted && self.noted.access == Access::Read;
                if is_noted {
                    continue;
                }
            }
            was_read = false;
            let at = addresses::<ADDRESSES>(wave, op, group, offset);
            if ADDRESSES != REGISTER && active == !0 && self.side_by_side(&at, 0) {
                continue;
            }
            self.group((index, group), &at, active);
        }
    }

    /// Plain accesses of all lanes of a group to one place or to places side by side. False: each has to be noted by itself. `at` lies in
    /// the registers: the host is slow to load at once what it has just stored in parts.
    #[inline(always)]
    fn side_by_side(&mut self, at: &[u32; GROUP], offset: u32) -> bool {
        let (noted, bytes) = (&self.noted, self.op.lds_note().bytes);
        if noted.access == Access::Atomic || !bytes.is_multiple_of(4) {
            return false;
        }
        let dwords = bytes as usize / 4;
        let step = at[1].wrapping_sub(at[0]);
        let count = match () {
            () if step == bytes && lie_apart(at, bytes) => GROUP * dwords,
            () if step == 0 && noted.access == Access::Read && lie_apart(at, 0) => dwords,
            () => return false,
        };
        self.races
            .note_row(noted, at[0].wrapping_add(offset), count)
    }

    /// The lanes of `active` in a group, at the addresses of the `index`-th data register.
    #[inline(always)]
    fn group(&mut self, (index, group): (usize, usize), at: &[u32; GROUP], active: u16) {
        if active == 0 {
            return;
        }
        let (noted, bytes) = (&self.noted, self.op.lds_note().bytes);
        // All lanes at one word are as one.
        let one = lds::uniform(at) && noted.access != Access::Write;
        let dwords = bytes as usize / 4;
        if noted.access != Access::Atomic
            && bytes.is_multiple_of(4)
            && self.races.note_words(noted, at, active, dwords)
        {
            return;
        }
        for i in (0..GROUP).filter(|i| active >> i & 1 != 0) {
            let lane = GROUP * group + i;
            let is_same = |address: u32| {
                let word = (address.wrapping_sub(at[i]) / 4) as usize;
                let place = (index, word);
                match noted.access {
                    _ if self.op.lds_note().has(LdsNote::LOADS) => false,
                    Access::Atomic => !swaps(self.wave, self.op, self.env, word, lane, address),
                    _ => is_same(self.wave, self.op, self.env, place, lane, address),
                }
            };
            self.races.note(noted, lane as u32, (at[i], bytes), is_same);
            if one {
                break;
            }
        }
    }

    #[inline(always)]
    fn end(self) {
        self.races.ends(&self.noted);
    }
}

/// Returns `true` if the store leaves the bytes at `address` as they are. They are the lane's `word`-th of those that the `index`-th data register
/// begins.
#[cold]
fn is_same(
    wave: &Wave,
    op: &MicroOp,
    env: &Env<'_>,
    (index, word): (usize, usize),
    lane: usize,
    address: u32,
) -> bool {
    is_at(wave, op, env, (index, word), lane, address)
}

/// Returns `true` if an atomic that polls changes the dword at `address`, so that a lock is taken or given back.
#[cold]
fn swaps(wave: &Wave, op: &MicroOp, env: &Env<'_>, word: usize, lane: usize, address: u32) -> bool {
    let swap = op.lds_note().swap;
    let is_kind = |kind: Swap| swap == kind as u8;
    let words = op.lds_note().bytes as usize / 4;
    let (stored, compared) = match () {
        () if is_kind(Swap::CompareFirst) => ((1, word), (0, word)),
        () if is_kind(Swap::StoreFirst) => ((0, word), (1, word)),
        () if is_kind(Swap::Tuple) => ((0, word), (0, word + words)),
        () => ((0, word), (0, word)),
    };
    let is = |place| is_at(wave, op, env, place, lane, address);
    !is(stored) && (stored == compared || is(compared))
}

/// Returns `true` if the bytes at `address` are those of a lane's data: the `word`-th of those that the `index`-th data register begins.
fn is_at(
    wave: &Wave,
    op: &MicroOp,
    env: &Env<'_>,
    (index, word): (usize, usize),
    lane: usize,
    address: u32,
) -> bool {
    let note = op.lds_note();
    let row = op.src[1 + index].index as usize + word;
    let value = wave.row(row).0[lane] >> note.shift;
    let bytes = (note.bytes as usize).saturating_sub(4 * word).clamp(1, 4);
    let start = address as usize;
    let old = env.lds.get(start..start + bytes);
    old.is_some_and(|old| *old == value.to_le_bytes()[..bytes])
}
