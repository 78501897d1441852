//! Instructions of two dwords that differ only in the numbers of vector registers.
//!
//! LLVM looks for an instruction of two dwords through thousands of table entries. Programs that use many registers
//! have tens of thousands of different instructions, but few shapes: the instruction without its numbers. A shape that
//! was met a few times is learnt from LLVM, which decodes it with two other sets of numbers. The operands must follow
//! the numbers, and all else must stay as it is. A shape that behaves otherwise is always decoded by LLVM.

use crate::{Decoded, Format, Operand, Reg, RegKind, format};
use gfx::{Family, Target};
use smallvec::SmallVec;
use std::collections::HashMap;

/// Both dwords.
type Words = [u32; 2];

/// A field with the number of a vector register: its dword, its lowest bit, and the bit in that dword that says whether it has
/// one, where it may have something else.
struct Field {
    dword: usize,
    bit: u32,
    mark: Option<u32>,
}

const fn always(dword: usize, bit: u32) -> Field {
    let mark = None;
    Field { dword, bit, mark }
}

/// A source of nine bits.
const fn source(bit: u32) -> Field {
    Field {
        dword: 1,
        bit,
        mark: Some(bit + 8),
    }
}

const VECTOR: &[Field] = &[always(0, 0), source(0), source(9), source(18)];

/// From the "Microcode formats" chapters of the ISA manuals.
#[rustfmt::skip]
const FIELDS: &[(Format, &[Field])] = &[
    (Format::Vop3,  VECTOR),
    (Format::Vop3p, VECTOR),
    (Format::Ds,    &[always(1, 0), always(1, 8), always(1, 16), always(1, 24)]),
    (Format::Flat,  &[always(1, 0), always(1, 8), always(1, 24)]),
    (Format::Mubuf, &[always(1, 0), always(1, 8)]),
    (Format::Mtbuf, &[always(1, 0), always(1, 8)]),
];

impl Field {
    fn is_in(&self, words: Words) -> bool {
        self.mark
            .is_none_or(|mark| words[self.dword] >> mark & 1 != 0)
    }

    fn extract(&self, words: Words) -> u16 {
        (words[self.dword] >> self.bit & 0xff) as u16
    }

    fn mask(&self) -> u32 {
        0xff << self.bit
    }

    fn set(&self, words: &mut Words, number: u16) {
        let word = &mut words[self.dword];
        *word = *word & !self.mask() | u32::from(number) << self.bit;
    }
}

/// The numbers with which fields are learnt, by field. They are all different and far enough from the end for the
/// widest operand. They are multiples of the alignment that register groups may need. They lie below and above 128,
/// where fields of gfx11 mean the other half of a register.
const OTHERS: [[u16; 4]; 2] = [[16, 24, 32, 40], [208, 192, 216, 200]];

/// Times that a shape is met before it is learnt.
const ENOUGH: u8 = 2;

/// Numbers of vector registers, and registers of each.
const REGISTERS: u16 = 256;

/// The shapes that a decoder has met.
pub(crate) struct Shapes {
    family: Family,
    /// Registers in a row begin at even numbers.
    aligned: bool,
    shapes: HashMap<Words, Shape>,
}

enum Shape {
    Met(u8),
    Learnt(Box<Template>),
    /// More than numbers differs.
    Other,
}

struct Template {
    decoded: Decoded,
    /// The field from which each operand comes.
    sources: SmallVec<[Option<u8>; 8]>,
    /// Bits of fields that no operand comes from: only seen as they are.
    fixed: Words,
}

/// A property that only LLVM can tell.
pub(crate) enum Unknown {
    Instruction,
    /// The instruction, to be shown to [`Shapes::learn`].
    Shape,
}

impl Shapes {
    pub fn new(target: &Target) -> Shapes {
        Shapes {
            family: target.family,
            aligned: target.unified_register_file || target.family >= Family::Gfx12_5,
            shapes: HashMap::new(),
        }
    }

    /// The number of shapes that were met.
    pub fn len(&self) -> usize {
        self.shapes.len()
    }

    fn fields(&self, first: u32) -> Option<&'static [Field]> {
        let format = format::of_word(self.family, first);
        let row = FIELDS.iter().find(|row| row.0 == format)?;
        Some(row.1)
    }

    /// The instruction at the start of `code`.
    pub fn find(&mut self, code: &[u8]) -> Result<Decoded, Unknown> {
        let words = words(code).ok_or(Unknown::Instruction)?;
        let fields = self.fields(words[0]).ok_or(Unknown::Instruction)?;
        let shape = self.shapes.entry(without_numbers(fields, words));
        match shape.or_insert(Shape::Met(0)) {
            Shape::Met(ENOUGH..) => Err(Unknown::Shape),
            Shape::Met(times) => {
                *times += 1;
                Err(Unknown::Instruction)
            }
            Shape::Learnt(template) => template
                .with(fields, words, self.aligned)
                .ok_or(Unknown::Instruction),
            Shape::Other => Err(Unknown::Instruction),
        }
    }

    /// Learns the shape of the instruction at the start of `code`, which is `seen`; `decode` asks LLVM.
    pub fn learn(
        &mut self,
        code: &[u8],
        seen: Option<&Decoded>,
        decode: impl Fn(Words) -> Option<Decoded>,
    ) {
        let Some((words, fields)) =
            words(code).and_then(|words| Some((words, self.fields(words[0])?)))
        else {
            return;
        };
        let learnt = seen.and_then(|seen| Template::learn(fields, words, seen, decode));
        let shape = learnt.map_or(Shape::Other, |template| Shape::Learnt(Box::new(template)));
        self.shapes.insert(without_numbers(fields, words), shape);
    }
}

fn words(code: &[u8]) -> Option<Words> {
    let (words, _) = code.as_chunks();
    let mut words = words.iter().map(|bytes| u32::from_le_bytes(*bytes));
    Some([words.next()?, words.next()?])
}

fn without_numbers(fields: &[Field], words: Words) -> Words {
    let mut shape = words;
    for field in fields.iter().filter(|field| field.is_in(words)) {
        field.set(&mut shape, 0);
    }
    shape
}

impl Template {
    fn learn(
        fields: &[Field],
        words: Words,
        seen: &Decoded,
        decode: impl Fn(Words) -> Option<Decoded>,
    ) -> Option<Template> {
        let mut others = SmallVec::<[Decoded; 2]>::new();
        for numbers in OTHERS {
            let mut changed = words;
            for (field, number) in fields.iter().zip(numbers) {
                if field.is_in(words) {
                    field.set(&mut changed, number);
                }
            }
            let other = decode(changed).filter(|other| is_alike(seen, other))?;
            others.push(other);
        }
        let mut sources = SmallVec::new();
        let mut fixed = [0; 2];
        for field in fields.iter().filter(|field| field.is_in(words)) {
            fixed[field.dword] |= field.mask();
        }
        for (index, &operand) in seen.operands.iter().enumerate() {
            let [low, high] = [&others[0], &others[1]].map(|other| other.operands[index]);
            if operand == low && operand == high {
                sources.push(None);
                continue;
            }
            let numbers = [(low, OTHERS[0]), (high, OTHERS[1])];
            let from = (0..fields.len()).find(|&field| {
                let is = |other, number| numbered(operand, number) == Some(other);
                fields[field].is_in(words)
                    && is(operand, fields[field].extract(words))
                    && numbers
                        .iter()
                        .all(|&(other, numbers)| is(other, numbers[field]))
            })?;
            fixed[fields[from].dword] &= !fields[from].mask();
            sources.push(Some(from as u8));
        }
        Some(Template {
            decoded: seen.clone(),
            sources,
            fixed,
        })
    }

    /// The instruction with these numbers; `None` if only LLVM knows.
    fn with(&self, fields: &[Field], words: Words, aligned: bool) -> Option<Decoded> {
        let known = &self.decoded.words;
        if (0..2).any(|dword| (words[dword] ^ known[dword]) & self.fixed[dword] != 0) {
            return None;
        }
        let mut decoded = self.decoded.clone();
        decoded.words[..2].copy_from_slice(&words);
        for (operand, source) in decoded.operands.iter_mut().zip(&self.sources) {
            let Some(source) = source else { continue };
            let number = fields[usize::from(*source)].extract(words);
            let (Operand::Def(reg) | Operand::Use(reg)) = operand else {
                return None;
            };
            let odd = aligned && reg.width > 1 && !number.is_multiple_of(2);
            if odd || number + u16::from(reg.width) > REGISTERS {
                return None;
            }
            reg.index = number;
        }
        Some(decoded)
    }
}

/// The operand as it would be with another register; `None` if it is no whole vector register.
fn numbered(operand: Operand, number: u16) -> Option<Operand> {
    let with = |reg: Reg| {
        let vector = matches!(reg.kind, RegKind::Vgpr | RegKind::Agpr) && reg.half.is_none();
        vector.then_some(Reg {
            index: number,
            ..reg
        })
    };
    match operand {
        Operand::Def(reg) => with(reg).map(Operand::Def),
        Operand::Use(reg) => with(reg).map(Operand::Use),
        Operand::Imm(_) | Operand::PcRel(_) => None,
    }
}

/// Returns `true` if both are the same instruction of two dwords, apart from their operands.
fn is_alike(one: &Decoded, other: &Decoded) -> bool {
    one.size == 8
        && other.size == 8
        && one.opcode == other.opcode
        && one.op == other.op
        && one.format == other.format
        && one.effects == other.effects
        && one.operands.len() == other.operands.len()
        && one.implicit_defs == other.implicit_defs
        && one.implicit_uses == other.implicit_uses
}

#[cfg(test)]
mod tests {
    use crate::Decoder;

    /// Random instructions of two dwords of every opcode, with changing numbers in all fields of registers: what comes of the
    /// shape is what LLVM says, and most come of it.
    #[test]
    fn shapes_are_what_llvm_says() {
        const NUMBERS: [u16; 12] = [0, 1, 2, 7, 64, 126, 127, 128, 200, 249, 254, 255];
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 24) as u32
        };
        for target in gfx::TARGETS {
            let decoder = Decoder::new(target).expect("LLVM knows it");
            let (mut known, mut sound) = (0, 0);
            for upper in 0xc000..=0xffff_u32 {
                // Sparse bits, as modifiers are rare; sources are vector registers more often than not.
                let sparse = random() & random() & random();
                let first = upper << 16 | sparse & 0xffff;
                let second = random() & random() & random() | (random() | random()) & 0x0402_0100;
                let Some(fields) = decoder.shapes.borrow().fields(first) else {
                    continue;
                };
                for _ in 0..16 {
                    let mut words = [first, second];
                    for field in fields.iter().filter(|field| field.is_in([first, second])) {
                        field.set(&mut words, NUMBERS[random() as usize % NUMBERS.len()]);
                    }
                    let code = words.map(u32::to_le_bytes).concat();
                    let by_llvm = decoder.by_llvm(&code, words[0], 0);
                    if let Ok(found) = decoder.shapes.borrow_mut().find(&code) {
                        let by_llvm = by_llvm.as_ref().map(|inst| format!("{inst:?}"));
                        let (name, found) = (target.name, format!("{found:?}"));
                        assert_eq!(by_llvm, Ok(found), "{name}: {words:08x?}");
                        known += 1;
                    }
                    sound += usize::from(by_llvm.is_ok());
                    let _ = decoder.decode_alone(&code, 0);
                }
            }
            assert!(known * 6 > sound, "{}: {known} of {sound}", target.name);
            println!("{}: {known} of {sound}", target.name);
        }
    }
}
