//! Debug information of objects that [`create`](super::create) made, put together for objects that are packed into one.

use std::ffi::CStr;

use super::debug::{
    ABBREVIATIONS, ABBREVIATIONS_AT, ABSTRACT, CALL, CALL_WITH_CALLS, FUNCTION,
    FUNCTION_WITH_CALLS, INFORMATION, LINES, LINES_AT, UNIT, abbreviations,
};
use crate::elf::Elf;

/// Offset of the entries of a unit: behind length, version, abbreviations and the size of addresses.
const ENTRIES: usize = 11;
/// An address and a size.
const RANGE: usize = 16;
/// Offset of a line program's header: behind length, version and its own length.
const LINES_HEADER: usize = 10;

/// The debug sections of all objects so far.
#[derive(Default)]
pub struct Units {
    information: Vec<u8>,
    lines: Vec<u8>,
    /// Offsets of addresses in `information`, and in `lines`.
    addresses: [Vec<usize>; 2],
}

impl Units {
    /// Adds what an object says of its code, which goes elsewhere by `moved`; nothing if it says nothing, or as another program
    /// writes it.
    pub fn add(&mut self, elf: &Elf<'_>, moved: u64) {
        let section = |name| elf.section(name).map_or(&[][..], |section| section.data);
        if section(ABBREVIATIONS) != abbreviations() {
            return;
        }
        let (unit, program) = (self.information.len(), self.lines.len());
        let [in_unit, in_program] = [&self.addresses[0], &self.addresses[1]].map(Vec::len);
        self.information.extend_from_slice(section(INFORMATION));
        self.lines.extend_from_slice(section(LINES));
        if self.adjust(unit, program, moved).is_none() {
            self.information.truncate(unit);
            self.lines.truncate(program);
            self.addresses[0].truncate(in_unit);
            self.addresses[1].truncate(in_program);
        }
    }

    /// Makes the unit and the line program that begin there those of the moved code.
    fn adjust(&mut self, unit: usize, program: usize, moved: u64) -> Option<()> {
        let Units {
            information,
            lines,
            addresses: [in_units, in_programs],
        } = self;
        let (new, lines) = (information.get_mut(unit..)?, lines.get_mut(program..)?);
        if !is_alone(new) || !is_alone(lines) {
            return None;
        }
        let first = in_units.len();
        addresses(new, |at| in_units.push(unit + at))?;
        let offsets = [(ABBREVIATIONS_AT, 0), (LINES_AT, program)];
        for (at, offset) in offsets {
            let place = new.get_mut(at..)?.first_chunk_mut()?;
            *place = u32::try_from(offset).ok()?.to_le_bytes();
        }
        for at in &in_units[first..] {
            shift(new, at - unit, moved)?;
        }
        // The first instruction sets the address, behind three bytes.
        let header = lines.get(LINES_HEADER - 4..LINES_HEADER)?;
        let header = u32::from_le_bytes(header.try_into().ok()?) as usize;
        let at = LINES_HEADER.checked_add(header)? + 3;
        shift(lines, at, moved)?;
        in_programs.push(program + at);
        Some(())
    }

    /// The sections, for code that goes elsewhere by `moved` altogether.
    pub fn sections(mut self, moved: u64) -> Vec<(&'static str, Vec<u8>)> {
        if self.information.is_empty() {
            return Vec::new();
        }
        let [in_units, in_programs] = &self.addresses;
        for at in in_units {
            shift(&mut self.information, *at, moved);
        }
        for at in in_programs {
            shift(&mut self.lines, *at, moved);
        }
        vec![
            (ABBREVIATIONS, abbreviations()),
            (INFORMATION, self.information),
            (LINES, self.lines),
        ]
    }
}

fn shift(bytes: &mut [u8], at: usize, moved: u64) -> Option<()> {
    let place = bytes.get_mut(at..)?.first_chunk_mut()?;
    *place = u64::from_le_bytes(*place).wrapping_add(moved).to_le_bytes();
    Some(())
}

/// Returns `true` if there is one unit and nothing else.
fn is_alone(section: &[u8]) -> bool {
    let length = section
        .first_chunk()
        .map(|length| u32::from_le_bytes(*length));
    length.is_some_and(|length| section.len() == length as usize + 4)
}

/// Visits the offsets of the addresses in a unit; `None` if it is another program's.
fn addresses(unit: &[u8], mut visit: impl FnMut(usize)) -> Option<()> {
    let mut at = ENTRIES;
    while at < unit.len() {
        let number = unit[at];
        at += 1;
        match number {
            // The end of a list of children.
            0 => continue,
            UNIT => {}
            FUNCTION | FUNCTION_WITH_CALLS => at = behind_string(unit, at)?,
            ABSTRACT => {
                at = behind_string(unit, at)? + 1;
                continue;
            }
            CALL | CALL_WITH_CALLS => at = behind_number(unit, behind_number(unit, at + 4)?)?,
            _ => return None,
        }
        visit(at);
        at += RANGE;
        if number == UNIT {
            // The offset of its lines.
            at += 4;
        }
    }
    (at == unit.len()).then_some(())
}

fn behind_string(unit: &[u8], at: usize) -> Option<usize> {
    let text = CStr::from_bytes_until_nul(unit.get(at..)?).ok()?;
    Some(at + text.count_bytes() + 1)
}

fn behind_number(unit: &[u8], at: usize) -> Option<usize> {
    let more = unit.get(at..)?.iter().take_while(|byte| **byte & 0x80 != 0);
    Some(at + more.count() + 1)
}
