//! A note of each access to LDS before it happens, for devices that look for races.
//!
//! The access gets a micro-op of its own in front, which looks at its addresses. Without the wish for that nothing costs time.

use isa::{Inst, Operand};

use super::{
    Row, Shape,
    lds_exact::{Addresses, access},
};
use crate::{
    access::{lanes::GROUP, lds},
    engine::Env,
    micro_op::{LdsNote, MicroOp, flow},
    program::Lowered,
    races::{Access, Noted},
    shell::{self, Body},
    state::Wave,
};

/// `lowered` with the note in front, where it accesses LDS. `polls`: a loop does nothing but this until the word changes. The error says that
/// nothing is known about the instruction's addresses.
pub(crate) fn noted(
    row: &Row,
    inst: &Inst,
    polls: bool,
    mut lowered: Lowered,
) -> Result<Lowered, String> {
    if !matches!(row.shape, Shape::Lds { .. }) {
        return Ok(lowered);
    }
    let (addresses, bytes) = access(row.mnemonic)
        .ok_or_else(|| "how many bytes of LDS it accesses is not known".to_owned())?;
    let mut note = MicroOp::new(match addresses {
        Addresses::None => return Ok(lowered),
        Addresses::Lanes | Addresses::Pairs(_) => shell::wide_handler::<Note<REGISTER>>(),
        Addresses::LaneNumbers => shell::wide_handler::<Note<LANE_NUMBER>>(),
        Addresses::Counter => shell::wide_handler::<Note<COUNTER>>(),
    });
    let op = &lowered.bare;
    let offsets = match addresses {
        Addresses::Pairs(unit) => op.lds().offsets().map(|offset| offset * bytes * unit),
        _ => [op.lds().offset; 2],
    };
    let name = row.mnemonic;
    let is = |word: &str| {
        name.strip_prefix("ds_")
            .is_some_and(|name| name.starts_with(word))
    };
    let access = match () {
        () if is("read") => Access::Read,
        () if is("write") => Access::Write,
        () => Access::Atomic,
    };
    let returns = inst
        .operands
        .iter()
        .any(|operand| matches!(operand, Operand::Def(_)));
    note.src = op.src;
    note.set(LdsNote::new(
        offsets,
        bytes,
        op.lds().store_shift(),
        (access as u8, polls, returns),
    ));
    lowered.ops.insert(0, note);
    Ok(lowered)
}

const REGISTER: u8 = 0;
const LANE_NUMBER: u8 = 1;
const COUNTER: u8 = 2;

struct Note<const ADDRESSES: u8>;

impl<const ADDRESSES: u8> Body for Note<ADDRESSES> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let Some(mut races) = env.races.take() else {
            return flow::NEXT;
        };
        let note = op.lds_note();
        let noted = Noted {
            access: match note.access {
                0 => Access::Read,
                1 => Access::Write,
                _ => Access::Atomic,
            },
            polls: note.polls(),
            returns: note.returns(),
            wave: wave.index_in_workgroup,
            pc: wave.pc_of(op),
        };
        let [first, second] = note.offsets;
        for (index, offset) in [first, second].into_iter().enumerate() {
            if index == 1 && first == second {
                break;
            }
            for group in 0..wave.groups {
                let active = lds::active(wave, group);
                if active == 0 {
                    continue;
                }
                let at = Self::addresses(wave, op, group, offset);
                // All lanes at one word are as one.
                let one = lds::uniform(&at) && noted.access != Access::Write;
                let dwords = note.bytes as usize / 4;
                let of_row = match one {
                    true => dwords,
                    false => GROUP * dwords,
                };
                if active == !0
                    && noted.access != Access::Atomic
                    && note.bytes.is_multiple_of(4)
                    && (one || is_row(&at, note.bytes))
                    && races.note_row(&noted, at[0], of_row)
                {
                    continue;
                }
                for i in 0..GROUP {
                    if active >> i & 1 == 0 {
                        continue;
                    }
                    let lane = GROUP * group + i;
                    let is_same = |address: u32| {
                        let word = (address.wrapping_sub(at[i]) / 4) as usize;
                        is_same(wave, op, env, (index, word), lane, address)
                    };
                    races.note(&noted, lane as u32, (at[i], note.bytes), is_same);
                    if one {
                        break;
                    }
                }
            }
        }
        if noted.access == Access::Atomic && noted.returns {
            races.steps(noted.wave);
        }
        env.races = Some(races);
        flow::NEXT
    }
}

/// Returns `true` if the lanes' elements follow each other.
#[inline(always)]
fn is_row(at: &[u32; GROUP], bytes: u32) -> bool {
    let mut all = true;
    for (index, address) in at.iter().enumerate() {
        all &= *address == at[0].wrapping_add(bytes * index as u32);
    }
    all
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
    let note = op.lds_note();
    let row = op.src[1 + index].index as usize + word;
    let value = wave.row(row).0[lane] >> note.shift;
    let bytes = (note.bytes as usize - (4 * word).min(note.bytes as usize)).clamp(1, 4);
    let start = address as usize;
    let old = env.lds.get(start..start + bytes);
    old.is_some_and(|old| *old == value.to_le_bytes()[..bytes])
}

impl<const ADDRESSES: u8> Note<ADDRESSES> {
    #[inline(always)]
    fn addresses(wave: &Wave, op: &MicroOp, group: usize, offset: u32) -> [u32; GROUP] {
        let base = (wave.m0() & 0xffff).wrapping_add(offset);
        match ADDRESSES {
            REGISTER => lds::addresses(wave, op, group, offset),
            LANE_NUMBER => {
                std::array::from_fn(|i| base.wrapping_add(4 * (GROUP * group + i) as u32))
            }
            _ => [base; GROUP],
        }
    }
}
