//! Fields of register operands in the formats of instructions.
//!
//! Source: the chapters "Microcode formats" of the ISA manuals. With it, every opcode of a format becomes an instruction on
//! registers of our choice, which the decoder then names.

mod memory;

pub use memory::two_offsets;

use gfx::{Family, Target};
use isa::Format;

use crate::frame::{FIRST, arena::Arena};

/// The contents that a field may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// The number of a vector register.
    Vector,
    /// The number of a scalar register.
    Scalar,
    /// Either: nine bits, of which the highest says vector.
    Either,
    /// A vector register's number, or a scalar one's where the instruction has such a result.
    Result,
}

/// A field with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub dword: usize,
    pub bit: u32,
    pub holds: Holds,
    /// 0 to 2 for the sources, 3 for the result: which slot of the frame it gets.
    pub slot: u16,
}

/// One format.
#[derive(Clone, Debug)]
pub struct Encoding {
    pub format: Format,
    base: u32,
    opcode_bit: u32,
    pub opcodes: u32,
    pub fields: &'static [Field],
    /// Further bits, each set tried in turn.
    pub extras: &'static [[u32; 3]],
    /// Further fields to try with the format, beyond [`Modifiers::for_format`].
    pub variants: &'static [Modifiers],
}

const fn field(dword: usize, bit: u32, holds: Holds, slot: u16) -> Field {
    Field {
        dword,
        bit,
        holds,
        slot,
    }
}

use Holds::{Either, Result, Scalar, Vector};

/// The slot of the result.
pub const RESULT: u16 = 3;
/// `op_sel_hi` of a packed instruction as it is when nothing is said: the second part is of the upper halves.
const UPPER: [u32; 3] = [1 << 14, 3 << 27, 0];
const PLAIN: &[[u32; 3]] = &[[0; 3]];
/// A literal behind the instruction, and the value of 16-bit constants.
pub const LITERAL: u32 = 0x3fc0_0000;
const CONSTANT: u32 = 0x1234;

const VOP3: &[Field] = &[
    field(1, 0, Either, 0),
    field(1, 9, Either, 1),
    field(1, 18, Either, 2),
    field(0, 0, Result, RESULT),
];
/// The second result of VOP3SD, a scalar.
pub const SECOND_RESULT: Field = field(0, 8, Scalar, 4);

const SOP1: &[Field] = &[field(0, 0, Scalar, 0), field(0, 16, Scalar, RESULT)];
const SOP2: &[Field] = &[
    field(0, 0, Scalar, 0),
    field(0, 8, Scalar, 1),
    field(0, 16, Scalar, RESULT),
];
const SOPC: &[Field] = &[field(0, 0, Scalar, 0), field(0, 8, Scalar, 1)];
const SOPK: &[Field] = &[field(0, 16, Scalar, RESULT)];
const VOP1: &[Field] = &[field(0, 0, Either, 0), field(0, 17, Vector, RESULT)];
const VOP2: &[Field] = &[
    field(0, 0, Either, 0),
    field(0, 9, Vector, 1),
    field(0, 17, Vector, RESULT),
];
const VOPC: &[Field] = &[field(0, 0, Either, 0), field(0, 9, Vector, 1)];

/// Both halves of two instructions in one. Results alternate between even and odd registers, and sources of one kind come from other banks.
const VOPD: &[Field] = &[
    field(0, 0, Either, 0),
    field(1, 0, Either, 1),
    field(0, 9, Vector, 2),
    field(1, 9, Vector, 3),
];
/// The slots have one register each: the results go to the third and the fourth.
const VOPD_RESULTS: [u32; 3] = [
    0,
    (FIRST as u32 + 2) << 24 | (FIRST as u32 + 3) >> 1 << 17,
    0,
];

/// The formats of a family.
#[rustfmt::skip]
pub fn encodings(target: &Target) -> Vec<Encoding> {
    let family = target.family;
    let (vop3, vop3p) = match family {
        Family::Gfx9 => (0xd000_0000, 0xd380_0000),
        _ => (0xd400_0000, 0xcc00_0000),
    };
    let new = |format, base, opcode_bit, opcodes, fields, extras| {
        Encoding { format, base, opcode_bit, opcodes, fields, extras, variants: &[] }
    };
    let mut encodings = vec![
        new(Format::Sop1,  0xbe80_0000, 8,  256,  SOP1, PLAIN),
        new(Format::Sop2,  0x8000_0000, 23, 128,  SOP2, PLAIN),
        new(Format::Sopc,  0xbf00_0000, 16, 128,  SOPC, PLAIN),
        new(Format::Sopk,  0xb000_0000, 23, 32,   SOPK, &[[CONSTANT, 0, 0]]),
        new(Format::Vop1,  0x7e00_0000, 9,  256,  VOP1, PLAIN),
        new(Format::Vop2,  0,           25, 64,   VOP2, PLAIN),
        new(Format::Vopc,  0x7c00_0000, 17, 256,  VOPC, PLAIN),
        new(Format::Vop3,  vop3,        16, 1024, VOP3, PLAIN),
        new(Format::Vop3p, vop3p,       16, 128,  VOP3, &[UPPER, [0; 3]]),
    ];
    if family >= Family::Gfx11 {
        encodings.push(new(Format::Vopd, 0xc800_0000, 17, 512, VOPD, &[VOPD_RESULTS]));
    }
    encodings.extend(memory::encodings(target));
    encodings
}

/// The sources that are vector registers, of those that may be either, in the order in which they are tried.
pub const SOURCES: &[[bool; 3]] = &[
    [true, true, true],
    [true, true, false],
    [true, false, true],
    [true, false, false],
    [false, true, true],
    [false, false, true],
    [false, false, false],
];

/// Bits that change what an instruction does with its operands: which to clear, then which to set, in the first words.
#[derive(Clone, Copy, Debug)]
pub struct Modifiers {
    clear: [u32; 3],
    set: [u32; 3],
    /// `true` if the result's register has to be named. Without this bit, the instruction has no result.
    pub returns: bool,
}

const fn set(first: u32, second: u32) -> Modifiers {
    Modifiers {
        clear: [0; 3],
        set: [first, second, 0],
        returns: false,
    }
}

/// NEG of all sources in the second word, NEG_HI or ABS in the first.
const NEGATED: Modifiers = set(0, 7 << 29);
const ABSOLUTE: Modifiers = set(7 << 8, 0);
const NEGATED_ABSOLUTE: Modifiers = set(1 << 8, 1 << 29);
const CLAMPED: Modifiers = set(1 << 15, 0);
/// The halves of packed sources in each other's place.
const CROSSED: Modifiers = Modifiers {
    clear: UPPER,
    ..set(7 << 11, 0)
};
/// Upper halves of 16-bit operands, the result's last.
const UPPER_SOURCES: Modifiers = set(7 << 11, 0);
const UPPER_RESULT: Modifiers = set(1 << 14, 0);

impl Modifiers {
    /// The modifiers of a format.
    pub fn for_format(format: Format) -> &'static [Modifiers] {
        match format {
            Format::Vop3 => &[
                NEGATED,
                ABSOLUTE,
                NEGATED_ABSOLUTE,
                CLAMPED,
                UPPER_SOURCES,
                UPPER_RESULT,
            ],
            Format::Vop3Sd => &[NEGATED, CLAMPED],
            Format::Vop3p => &[NEGATED, ABSOLUTE, CLAMPED, CROSSED],
            _ => &[],
        }
    }

    pub fn apply(&self, words: [u32; 4]) -> [u32; 4] {
        let mut changed = words;
        for (index, word) in changed.iter_mut().take(3).enumerate() {
            *word = *word & !self.clear[index] | self.set[index];
        }
        changed
    }
}

/// Something else in place of the first source's vector register: what the field has, and the dword behind if it needs one.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    source: u16,
    second: Option<u32>,
}

const fn form(source: u16) -> Form {
    Form {
        source,
        second: None,
    }
}

/// A lane of another place: DPP with its control, all rows and banks or some, and zeros from lanes that are none or the old value.
const fn dpp(control: u32, masks: u32, zero: bool) -> Form {
    let second = FIRST as u32 | control << 8 | (zero as u32) << 19 | masks << 24;
    Form {
        source: 250,
        second: Some(second),
    }
}

/// The lanes of each eight in reverse.
const DPP8: Form = Form {
    source: 233,
    second: Some(FIRST as u32 | 0o0123_4567 << 8),
};
/// SDWA: the upper word of the first source and byte 2 of the second, to byte 1 of the result, whose rest is kept.
const SDWA: Form = Form {
    source: 249,
    second: Some(FIRST as u32 | 1 << 8 | 2 << 11 | 5 << 16 | 2 << 24),
};
/// A scalar register; 1.0; -1; 0.15915494 (or what else the number means); a literal.
const OTHERS: &[Form] = &[form(FIRST), form(242), form(193), form(248), form(255)];
const LANES: &[Form] = &[
    dpp(0xb1, 0xff, true),
    dpp(0x111, 0xff, false),
    dpp(0x123, 0xff, true),
    dpp(0x140, 0x5a, false),
    dpp(0x142, 0xaf, false),
    dpp(0x155, 0xff, true),
    dpp(0x163, 0xff, true),
    DPP8,
    SDWA,
];

impl Form {
    /// The variants to try with a format.
    pub fn for_format(format: Format) -> impl Iterator<Item = &'static Form> {
        let lanes = match format {
            Format::Vop1 | Format::Vop2 | Format::Vopc => LANES,
            _ => &[],
        };
        let others = match format {
            Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3 | Format::Vop3p => OTHERS,
            _ => &[],
        };
        others.iter().chain(lanes)
    }

    pub fn apply(&self, encoding: &Encoding, words: [u32; 4]) -> [u32; 4] {
        let mut changed = words;
        put(&mut changed, &encoding.fields[0], (self.source, false));
        if let Some(second) = self.second {
            changed[1] = second;
        }
        changed
    }
}

/// Some fields of a format.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    fields: &'static [Field],
    mask: u8,
}

impl Used {
    pub fn contains(&self, field: &Field) -> bool {
        let is_chosen = |index: usize| self.mask >> index & 1 != 0;
        self.fields
            .iter()
            .enumerate()
            .any(|(index, other)| other == field && is_chosen(index))
    }
}

impl Encoding {
    /// An instruction of the opcode. `number` says which register a field names, and whether it is a vector register.
    pub fn words(
        &self,
        opcode: u32,
        extra: [u32; 3],
        number: impl Fn(&Field) -> (u16, bool),
    ) -> [u32; 4] {
        let mut words = [
            self.base | opcode << self.opcode_bit | extra[0],
            extra[1],
            extra[2],
            0,
        ];
        for field in self.fields {
            put(&mut words, field, number(field));
        }
        // The words after the instruction's own may be its literal.
        for word in &mut words[self.size()..] {
            *word = LITERAL;
        }
        words
    }

    /// The fields to try with registers, the others being zeros. Memory instructions do not decode if fields that they lack are set.
    pub fn subsets(&self) -> impl Iterator<Item = Used> + use<> {
        let all = (1_u8 << self.fields.len()) - 1;
        let least = match Arena::of_format(self.format) {
            Arena::None => all,
            Arena::Global | Arena::Lds | Arena::Scratch => 0,
        };
        let fields = self.fields;
        (least..=all).rev().map(move |mask| Used { fields, mask })
    }

    /// Words without a literal.
    fn size(&self) -> usize {
        match self.format {
            Format::Vop3 | Format::Vop3p | Format::Vopd | Format::Ds | Format::Smem => 2,
            Format::Flat | Format::Global | Format::Scratch | Format::Mubuf | Format::Mtbuf => 3,
            _ => 1,
        }
    }
}

/// Writes a register's number into a field.
pub fn put(words: &mut [u32; 4], field: &Field, (number, vector): (u16, bool)) {
    let bits = match field.holds {
        Holds::Scalar => 0x7f,
        Holds::Vector | Holds::Result => 0xff,
        Holds::Either => 0x1ff,
    };
    let marked = u32::from(vector && field.holds == Holds::Either) << 8;
    let word = &mut words[field.dword];
    *word = *word & !(bits << field.bit) | (u32::from(number) | marked) << field.bit;
}
