//! Line tables, function names and inlined calls for new code: one compilation unit, DWARF 4.

use std::collections::HashMap;
use std::sync::Arc;

use super::ElfEditor;
use super::create::NewObject;
use crate::Result;
use crate::elf::Elf;
use crate::lines::ByAddress;

/// From this offset of the text on the code is of that line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineRow {
    /// Bytes from the start of the code.
    pub offset: u64,
    /// Path.
    pub file: Arc<str>,
    /// Number of the line, from 1.
    pub line: u32,
    /// The inlined calls it is in, outermost first.
    pub calls: Arc<[InlinedCall]>,
}

/// A call that was inlined.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InlinedCall {
    /// The function that is called.
    pub function: Arc<str>,
    /// Where.
    pub file: Arc<str>,
    /// Number of the line that calls, from 1.
    pub line: u32,
}

/// Numbers of the abbreviations.
pub(super) const UNIT: u8 = 1;
/// A function with its code; with inlined calls in it; and one that only exists inlined.
pub(super) const FUNCTION: u8 = 2;
pub(super) const FUNCTION_WITH_CALLS: u8 = 3;
pub(super) const ABSTRACT: u8 = 4;
/// An inlined call; with further ones in it.
pub(super) const CALL: u8 = 5;
pub(super) const CALL_WITH_CALLS: u8 = 6;

const TAG_COMPILE_UNIT: u8 = 0x11;
const TAG_SUBPROGRAM: u8 = 0x2e;
const TAG_INLINED_SUBROUTINE: u8 = 0x1d;
const AT_STMT_LIST: u8 = 0x10;
const AT_LOW_PC: u8 = 0x11;
const AT_HIGH_PC: u8 = 0x12;
const AT_INLINE: u8 = 0x20;
const AT_ABSTRACT_ORIGIN: u8 = 0x31;
const AT_CALL_FILE: u8 = 0x58;
const AT_CALL_LINE: u8 = 0x59;
const AT_LINKAGE_NAME: u8 = 0x6e;
const FORM_ADDRESS: u8 = 0x01;
const FORM_DATA1: u8 = 0x0b;
const FORM_STRING: u8 = 0x08;
const FORM_UDATA: u8 = 0x0f;
const FORM_REF4: u8 = 0x13;
const FORM_DATA8: u8 = 0x07;
const FORM_SECTION_OFFSET: u8 = 0x17;

/// `DW_INL_inlined`.
const INLINED: u8 = 1;

const COPY: u8 = 1;
const ADVANCE_PC: u8 = 2;
const ADVANCE_LINE: u8 = 3;
const SET_FILE: u8 = 4;
const END_SEQUENCE: u8 = 1;
const SET_ADDRESS: u8 = 2;
/// Operands of the standard opcodes 1 to 12.
const OPERANDS: [u8; 12] = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];

/// New code and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct CodeLines<'a> {
    /// Bytes.
    pub size: u64,
    /// In order of their offsets in it.
    pub rows: &'a [LineRow],
    /// Functions: name, offset, bytes.
    pub functions: &'a [(&'a str, u64, u64)],
}

/// Debug information about code that has no place yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineUnit {
    information: Vec<u8>,
    lines: Vec<u8>,
    /// Offsets of addresses in `information`, which count from the start of the code.
    addresses: Vec<u32>,
    /// Offset of the code's address in `lines`.
    start: u32,
}

pub(super) const ABBREVIATIONS: &str = ".debug_abbrev";
pub(super) const INFORMATION: &str = ".debug_info";
pub(super) const LINES: &str = ".debug_line";

/// `.debug_abbrev`, `.debug_info` and `.debug_line`; none if there are no lines. Rows are in order of their offsets.
pub(super) fn debug_sections(object: &NewObject<'_>, text: u64) -> Vec<(&'static str, Vec<u8>)> {
    if object.lines.is_empty() {
        return Vec::new();
    }
    let unit = LineUnit::encode(&CodeLines {
        size: object.text.len() as u64,
        rows: object.lines,
        functions: object.functions,
    });
    let (mut information, mut lines) = (Vec::new(), Vec::new());
    unit.append(text, 0, &mut information, &mut lines);
    vec![
        (ABBREVIATIONS, abbreviations()),
        (INFORMATION, information),
        (LINES, lines),
    ]
}

/// Adds units for new code, each with the address of its code, to the debug information that an object has; nothing if it
/// has none.
pub fn append_lines(
    editor: &mut ElfEditor,
    elf: &Elf<'_>,
    code: &[(u64, &LineUnit)],
) -> Result<()> {
    const COMPRESSED: u64 = 1 << 11;
    let room = |part: fn(&LineUnit) -> usize| -> usize {
        code.iter().map(|(_, unit)| part(unit)).sum::<usize>()
    };
    let section = |name, room| {
        let found = elf.section(name)?;
        (found.flags & COMPRESSED == 0).then(|| {
            let mut bytes = Vec::with_capacity(found.data.len() + room);
            bytes.extend_from_slice(found.data);
            bytes
        })
    };
    let further = abbreviations();
    let (Some(mut shared), Some(mut units), Some(mut lines)) = (
        section(ABBREVIATIONS, further.len()),
        section(INFORMATION, room(|unit| unit.information.len())),
        section(LINES, room(|unit| unit.lines.len())),
    ) else {
        return Ok(());
    };
    let abbreviations_at = shared.len() as u32;
    for (text, unit) in code {
        unit.append(*text, abbreviations_at, &mut units, &mut lines);
    }
    shared.extend(further);
    for (name, contents) in [
        (ABBREVIATIONS, shared),
        (INFORMATION, units),
        (LINES, lines),
    ] {
        editor.replace_section(name, contents)?;
    }
    Ok(())
}

/// Where in a unit the offsets of its abbreviations and lines are: behind length and version, and behind those, the size of
/// addresses, a number and a range.
pub(super) const ABBREVIATIONS_AT: usize = 6;
pub(super) const LINES_AT: usize = 28;

impl LineUnit {
    /// Empty if there are no lines.
    pub fn encode(code: &CodeLines<'_>) -> LineUnit {
        if code.rows.is_empty() {
            return LineUnit::default();
        }
        let mut files = Files::default();
        let program = line_program(code.rows, &mut files, code.size);
        let (unit, addresses) = Unit::build(code, &mut files);
        let lines = with_length(line_header(&files, &program));
        LineUnit {
            information: with_length(unit),
            // The first instruction sets the address, behind three bytes.
            start: (lines.len() - program.len()) as u32 + 3,
            lines,
            addresses,
        }
    }

    fn append(
        &self,
        text: u64,
        abbreviations: u32,
        information: &mut Vec<u8>,
        lines: &mut Vec<u8>,
    ) {
        if self.information.is_empty() {
            return;
        }
        let (unit, program) = (information.len(), lines.len());
        information.extend_from_slice(&self.information);
        lines.extend_from_slice(&self.lines);
        let unit = &mut information[unit..];
        put(unit, ABBREVIATIONS_AT, &abbreviations.to_le_bytes());
        put(unit, LINES_AT, &(program as u32).to_le_bytes());
        for &at in &self.addresses {
            let at = at as usize;
            let mut address = [0; 8];
            address.copy_from_slice(&unit[at..at + 8]);
            let address = u64::from_le_bytes(address) + text;
            put(unit, at, &address.to_le_bytes());
        }
        put(
            &mut lines[program..],
            self.start as usize,
            &text.to_le_bytes(),
        );
    }
}

fn put(bytes: &mut [u8], at: usize, contents: &[u8]) {
    bytes[at..at + contents.len()].copy_from_slice(contents);
}

pub(super) fn abbreviations() -> Vec<u8> {
    const RANGE: [u8; 4] = [AT_LOW_PC, FORM_ADDRESS, AT_HIGH_PC, FORM_DATA8];
    const NAME: [u8; 2] = [AT_LINKAGE_NAME, FORM_STRING];
    #[rustfmt::skip]
    const SITE: [u8; 6] =
        [AT_ABSTRACT_ORIGIN, FORM_REF4, AT_CALL_FILE, FORM_UDATA, AT_CALL_LINE, FORM_UDATA];
    let (with_name, with_site) = ([&NAME[..], &RANGE].concat(), [&SITE[..], &RANGE].concat());
    let unit = [&RANGE[..], &[AT_STMT_LIST, FORM_SECTION_OFFSET]].concat();
    let inlined = [&NAME[..], &[AT_INLINE, FORM_DATA1]].concat();
    #[rustfmt::skip]
    let entries: [(u8, u8, u8, &[u8]); 6] = [
        (UNIT,                TAG_COMPILE_UNIT,       1, &unit),
        (FUNCTION,            TAG_SUBPROGRAM,         0, &with_name),
        (FUNCTION_WITH_CALLS, TAG_SUBPROGRAM,         1, &with_name),
        (ABSTRACT,            TAG_SUBPROGRAM,         0, &inlined),
        (CALL,                TAG_INLINED_SUBROUTINE, 0, &with_site),
        (CALL_WITH_CALLS,     TAG_INLINED_SUBROUTINE, 1, &with_site),
    ];
    let mut bytes = Vec::new();
    for (number, tag, children, attributes) in entries {
        bytes.extend([number, tag, children]);
        bytes.extend(attributes);
        bytes.extend([0, 0]);
    }
    bytes.push(0);
    bytes
}

/// Numbers of texts. Most are asked for again and again by the same reference, which is quicker to compare than the text.
struct Texts<'a, N> {
    numbers: HashMap<&'a str, N>,
    by_place: HashMap<usize, N, ByAddress>,
}

impl<N> Default for Texts<'_, N> {
    fn default() -> Self {
        Texts {
            numbers: HashMap::new(),
            by_place: HashMap::default(),
        }
    }
}

impl<'a, N: Copy> Texts<'a, N> {
    fn number(&mut self, text: &'a str, new: impl FnOnce() -> N) -> N {
        let numbers = &mut self.numbers;
        let place = text.as_ptr() as usize;
        // Other texts may start there that are shorter, but not among those that are shared: each has a place of its own.
        *(self.by_place.entry(place)).or_insert_with(|| *numbers.entry(text).or_insert_with(new))
    }
}

/// Files by number, from 1.
#[derive(Default)]
struct Files<'a> {
    names: Vec<&'a str>,
    numbers: Texts<'a, u64>,
}

impl<'a> Files<'a> {
    fn number(&mut self, name: &'a Arc<str>) -> u64 {
        let names = &mut self.names;
        self.numbers.number(name, || {
            names.push(name);
            names.len() as u64
        })
    }
}

/// An inlined call and the code that came from it.
struct Inlined<'a> {
    call: &'a InlinedCall,
    start: u64,
    end: u64,
    /// How many calls it is in.
    depth: usize,
}

/// The calls of the rows in `start..end`, joined over neighbouring rows; each is followed by those that are in it.
fn inlined(rows: &[LineRow], start: u64, end: u64) -> Vec<Inlined<'_>> {
    let mut all: Vec<Inlined<'_>> = Vec::new();
    // Positions of those that the row before was in, outermost first.
    let mut open: Vec<usize> = Vec::new();
    let mut before: Option<&Arc<[InlinedCall]>> = None;
    let first = rows.partition_point(|row| row.offset < start);
    let behind = rows.partition_point(|row| row.offset < end);
    let rows = &rows[first..behind.max(first)];
    for (index, row) in rows.iter().enumerate() {
        let next = rows.get(index + 1).map_or(end, |next| next.offset);
        let shared = match before {
            Some(before) if Arc::ptr_eq(before, &row.calls) => row.calls.len(),
            Some(before) => {
                let pairs = before.iter().zip(&*row.calls);
                pairs.take_while(|(a, b)| a == b).count()
            }
            None => 0,
        };
        open.truncate(shared);
        for &open in &open {
            all[open].end = next;
        }
        for (depth, call) in row.calls.iter().enumerate().skip(shared) {
            open.push(all.len());
            all.push(Inlined {
                call,
                start: row.offset,
                end: next,
                depth,
            });
        }
        before = Some(&row.calls);
    }
    all
}

/// The bytes of `.debug_info` behind its length.
struct Unit<'a, 'f> {
    bytes: Vec<u8>,
    /// Offsets of addresses, from the start of the unit.
    addresses: Vec<u32>,
    files: &'f mut Files<'a>,
    /// Offsets of the functions that are inlined, from the start of the unit.
    origins: Texts<'a, u32>,
}

impl<'a> Unit<'a, '_> {
    /// With the places of addresses. The offsets of abbreviations and lines are left zero.
    fn build(code: &CodeLines<'a>, files: &mut Files<'a>) -> (Vec<u8>, Vec<u32>) {
        let mut unit = Unit {
            // Most rows begin a call or two; memory that is not touched costs nothing.
            bytes: Vec::with_capacity(48 * code.rows.len() + 256),
            addresses: Vec::new(),
            files,
            origins: Texts::default(),
        };
        unit.bytes.extend(4u16.to_le_bytes());
        unit.bytes.extend(0u32.to_le_bytes());
        unit.bytes.push(8);
        unit.bytes.push(UNIT);
        unit.range(0, code.size);
        unit.bytes.extend(0u32.to_le_bytes());
        let mut before: Option<&Arc<[InlinedCall]>> = None;
        for row in code.rows {
            if before.is_none_or(|before| !Arc::ptr_eq(before, &row.calls)) {
                row.calls
                    .iter()
                    .for_each(|call| unit.origin(&call.function));
            }
            before = Some(&row.calls);
        }
        for (name, offset, size) in code.functions {
            let calls = inlined(code.rows, *offset, offset + size);
            let number = [FUNCTION, FUNCTION_WITH_CALLS][usize::from(!calls.is_empty())];
            unit.bytes.push(number);
            unit.string(name);
            unit.range(*offset, *size);
            unit.calls(&calls);
        }
        // The unit has no further children.
        unit.bytes.push(0);
        (unit.bytes, unit.addresses)
    }

    fn range(&mut self, offset: u64, size: u64) {
        // References count from the length before these bytes.
        self.addresses.push(self.bytes.len() as u32 + 4);
        self.bytes.extend(offset.to_le_bytes());
        self.bytes.extend(size.to_le_bytes());
    }

    fn string(&mut self, text: &str) {
        self.bytes.extend(text.bytes().filter(|byte| *byte != 0));
        self.bytes.push(0);
    }

    /// Describes a function that is inlined somewhere, once.
    fn origin(&mut self, name: &'a Arc<str>) {
        let offset = self.bytes.len() as u32 + 4;
        if self.origins.number(name, || offset) != offset {
            return;
        }
        self.bytes.push(ABSTRACT);
        self.string(name);
        self.bytes.push(INLINED);
    }

    /// The children of a function; nothing if there are none.
    fn calls(&mut self, calls: &[Inlined<'a>]) {
        let mut depth = 0;
        for (index, found) in calls.iter().enumerate() {
            self.ends(depth - depth.min(found.depth));
            depth = found.depth;
            let inner = calls.get(index + 1).is_some_and(|next| next.depth > depth);
            let number = [CALL, CALL_WITH_CALLS][usize::from(inner)];
            self.bytes.push(number);
            // All are known by now.
            let origin = self.origins.number(&found.call.function, || 0);
            self.bytes.extend(origin.to_le_bytes());
            let file = self.files.number(&found.call.file);
            unsigned(&mut self.bytes, file);
            unsigned(&mut self.bytes, u64::from(found.call.line));
            self.range(found.start, found.end - found.start);
        }
        if !calls.is_empty() {
            self.ends(depth + 1);
        }
    }

    /// Ends of so many lists of children.
    fn ends(&mut self, count: usize) {
        self.bytes.resize(self.bytes.len() + count, 0);
    }
}

fn with_length(contents: Vec<u8>) -> Vec<u8> {
    [&(contents.len() as u32).to_le_bytes()[..], &contents].concat()
}

/// From address 0 on.
fn line_program<'a>(rows: &'a [LineRow], files: &mut Files<'a>, size: u64) -> Vec<u8> {
    // Most rows take two to six bytes.
    let mut program = Vec::with_capacity(6 * rows.len() + 32);
    extended(&mut program, SET_ADDRESS, &0u64.to_le_bytes());
    let (mut at, mut file, mut line) = (0, 1, 1i64);
    for row in rows {
        let number = files.number(&row.file);
        if row.offset > at {
            program.push(ADVANCE_PC);
            unsigned(&mut program, row.offset - at);
            at = row.offset;
        }
        if number != file {
            program.push(SET_FILE);
            unsigned(&mut program, number);
            file = number;
        }
        if i64::from(row.line) != line {
            program.push(ADVANCE_LINE);
            signed(&mut program, i64::from(row.line) - line);
            line = i64::from(row.line);
        }
        program.push(COPY);
    }
    program.push(ADVANCE_PC);
    unsigned(&mut program, size.saturating_sub(at));
    extended(&mut program, END_SEQUENCE, &[]);
    program
}

/// A line program with its header.
fn line_header(files: &Files<'_>, program: &[u8]) -> Vec<u8> {
    let mut header = Vec::new();
    // Least instruction length, operations per instruction, statements by default, line base and range, first own opcode.
    header.extend([1, 1, 1, 0xfb, 14, OPERANDS.len() as u8 + 1]);
    header.extend(OPERANDS);
    // No directories: names are whole paths.
    header.push(0);
    for file in &files.names {
        header.extend(file.bytes().filter(|byte| *byte != 0));
        // End of the name; directory, time and size.
        header.extend([0, 0, 0, 0]);
    }
    header.push(0);
    [&4u16.to_le_bytes()[..], &with_length(header), program].concat()
}

fn extended(program: &mut Vec<u8>, opcode: u8, operands: &[u8]) {
    program.push(0);
    unsigned(program, operands.len() as u64 + 1);
    program.push(opcode);
    program.extend(operands);
}

fn unsigned(bytes: &mut Vec<u8>, mut value: u64) {
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            bytes.push(low);
            return;
        }
        bytes.push(low | 0x80);
    }
}

fn signed(bytes: &mut Vec<u8>, mut value: i64) {
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        let rest = if low & 0x40 == 0 { 0 } else { -1 };
        if value == rest {
            bytes.push(low);
            return;
        }
        bytes.push(low | 0x80);
    }
}
