//! Line tables and function names for new code: one compilation unit, DWARF 4.

use super::create::NewObject;

/// From this offset of the text on the code is of that line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineRow {
    pub offset: u64,
    pub file: String,
    pub line: u32,
}

/// Numbers of the abbreviations.
const UNIT: u8 = 1;
const FUNCTION: u8 = 2;

const TAG_COMPILE_UNIT: u8 = 0x11;
const TAG_SUBPROGRAM: u8 = 0x2e;
const AT_STMT_LIST: u8 = 0x10;
const AT_LOW_PC: u8 = 0x11;
const AT_HIGH_PC: u8 = 0x12;
const AT_LINKAGE_NAME: u8 = 0x6e;
const FORM_ADDRESS: u8 = 0x01;
const FORM_STRING: u8 = 0x08;
const FORM_DATA8: u8 = 0x07;
const FORM_SECTION_OFFSET: u8 = 0x17;

const COPY: u8 = 1;
const ADVANCE_PC: u8 = 2;
const ADVANCE_LINE: u8 = 3;
const SET_FILE: u8 = 4;
const END_SEQUENCE: u8 = 1;
const SET_ADDRESS: u8 = 2;
/// Operands of the standard opcodes 1 to 12.
const OPERANDS: [u8; 12] = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];

/// `.debug_abbrev`, `.debug_info` and `.debug_line`; none if there are no lines. Rows are in order of their offsets.
pub(super) fn debug_sections(object: &NewObject<'_>, text: u64) -> Vec<(&'static str, Vec<u8>)> {
    let (rows, size) = (object.lines, object.text.len() as u64);
    if rows.is_empty() {
        return Vec::new();
    }
    #[rustfmt::skip]
    let abbreviations = vec![
        UNIT, TAG_COMPILE_UNIT, 1,
        AT_LOW_PC, FORM_ADDRESS, AT_HIGH_PC, FORM_DATA8, AT_STMT_LIST, FORM_SECTION_OFFSET, 0, 0,
        FUNCTION, TAG_SUBPROGRAM, 0,
        AT_LINKAGE_NAME, FORM_STRING, AT_LOW_PC, FORM_ADDRESS, AT_HIGH_PC, FORM_DATA8, 0, 0,
        0,
    ];
    let mut unit = Vec::new();
    unit.extend(4u16.to_le_bytes());
    unit.extend(0u32.to_le_bytes());
    unit.push(8);
    unit.push(UNIT);
    unit.extend(text.to_le_bytes());
    unit.extend(size.to_le_bytes());
    unit.extend(0u32.to_le_bytes());
    for (name, offset, size) in object.functions {
        unit.push(FUNCTION);
        unit.extend(name.bytes().filter(|byte| *byte != 0));
        unit.push(0);
        unit.extend((text + offset).to_le_bytes());
        unit.extend(size.to_le_bytes());
    }
    // The unit has no further children.
    unit.push(0);
    vec![
        (".debug_abbrev", abbreviations),
        (".debug_info", with_length(unit)),
        (".debug_line", with_length(line_program(rows, text, size))),
    ]
}

fn with_length(contents: Vec<u8>) -> Vec<u8> {
    [&(contents.len() as u32).to_le_bytes()[..], &contents].concat()
}

fn line_program(rows: &[LineRow], text: u64, size: u64) -> Vec<u8> {
    let mut files: Vec<&str> = Vec::new();
    let mut program = Vec::new();
    extended(&mut program, SET_ADDRESS, &text.to_le_bytes());
    let (mut at, mut file, mut line) = (0, 1, 1i64);
    for row in rows {
        let number = match files.iter().position(|known| *known == row.file) {
            Some(known) => known as u64 + 1,
            None => {
                files.push(&row.file);
                files.len() as u64
            }
        };
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

    let mut header = Vec::new();
    // Least instruction length, operations per instruction, statements by default, line base and range, first own opcode.
    header.extend([1, 1, 1, 0xfb, 14, OPERANDS.len() as u8 + 1]);
    header.extend(OPERANDS);
    // No directories: names are whole paths.
    header.push(0);
    for file in files {
        header.extend(file.bytes().filter(|byte| *byte != 0));
        // End of the name; directory, time and size.
        header.extend([0, 0, 0, 0]);
    }
    header.push(0);
    [&4u16.to_le_bytes()[..], &with_length(header), &program].concat()
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
