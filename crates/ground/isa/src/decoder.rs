//! Bytes to [`Inst`].

use crate::{
    DecodeError, Decoded, Error, Format, Inst, Operand, Reg, RegKind, fixups, format, ignored,
    lazy::Lazy,
    malformed,
    opcode::OpcodeFacts,
    registers,
    shape::{Shapes, Unknown},
};
use gfx::{Family, Target};
use llvm_shim::{DecodedInst, DecodedOperand, Mc, WINDOW};
use std::cell::RefCell;
use std::ops::Deref;
use std::sync::Arc;

/// Bytes of the longest instruction.
const LONGEST: usize = 20;

/// Decodes and prints instructions of one target. `Send`, not `Sync`: one per thread.
pub struct Decoder {
    target: &'static Target,
    wave_size: u8,
    llvm: RefCell<Llvm>,
    pub(crate) shapes: RefCell<Shapes>,
    opcodes: Lazy<Box<OpcodeFacts>>,
    registers: Lazy<Option<Reg>>,
}

struct Llvm {
    mc: Mc,
    scratch: DecodedInst,
}

impl Decoder {
    /// For the target's default wave size.
    pub fn new(target: &'static Target) -> Result<Decoder, Error> {
        Decoder::with_features(target, target.wave_size, "")
    }

    /// `features` are further LLVM features, as `+xnack,-sramecc`.
    pub fn with_features(
        target: &'static Target,
        wave_size: u8,
        features: &str,
    ) -> Result<Decoder, Error> {
        let features = feature_string(target, wave_size, features)?;
        let mc = Mc::new(target.name, &features).map_err(|error| Error::Backend {
            target: target.name,
            reason: error.to_string(),
        })?;
        let opcodes = Lazy::new(mc.opcode_count() as usize);
        let registers = Lazy::new(mc.register_count() as usize);
        let llvm = RefCell::new(Llvm {
            mc,
            scratch: DecodedInst::new(),
        });
        Ok(Decoder {
            target,
            wave_size,
            llvm,
            shapes: RefCell::new(Shapes::new(target)),
            opcodes,
            registers,
        })
    }

    /// The target whose code this decoder reads.
    pub fn target(&self) -> &'static Target {
        self.target
    }

    /// 32 or 64.
    pub fn wave_size(&self) -> u8 {
        self.wave_size
    }

    /// How many shapes of instructions it remembers, which are what it grows by.
    pub fn remembered(&self) -> usize {
        self.shapes.borrow().len()
    }

    /// The instruction at the start of `code`, which lies at address `pc`.
    pub fn decode(&self, code: &[u8], pc: u64) -> Result<Inst, DecodeError> {
        let decoded = self.decode_alone(code, pc)?;
        Ok(Inst::new(pc, Arc::new(decoded)))
    }

    /// Decodes the instruction at the start of `code`, for callers that keep its place themselves. `pc` is for errors.
    pub fn decode_alone(&self, code: &[u8], pc: u64) -> Result<Decoded, DecodeError> {
        if code.len() < 4 {
            return Err(DecodeError::Truncated {
                pc,
                available: code.len(),
            });
        }
        let word = u32::from_le_bytes([code[0], code[1], code[2], code[3]]);
        if malformed::is_malformed(self.target, code) {
            return Err(self.not_an_instruction(word, pc));
        }
        let found = self.shapes.borrow_mut().find(code);
        let unknown = match found {
            Ok(decoded) => return Ok(decoded),
            Err(unknown) => unknown,
        };
        let decoded = self.by_llvm(code, word, pc);
        if matches!(unknown, Unknown::Shape) {
            let by_llvm = |words: [u32; 2]| {
                let [first, second] = words.map(u32::to_le_bytes);
                self.by_llvm(&[first, second].concat(), words[0], pc).ok()
            };
            let seen = decoded.as_ref().ok();
            self.shapes.borrow_mut().learn(code, seen, by_llvm);
        }
        decoded.or_else(|error| {
            let code = &code[..code.len().min(WINDOW)];
            ignored::without_unused(self.target.family, code, |bare| {
                let mut decoded = self.by_llvm(bare, word, pc).ok()?;
                for (word, given) in decoded.words.iter_mut().zip(code.chunks_exact(4)).take(2) {
                    *word = u32::from_le_bytes([given[0], given[1], given[2], given[3]]);
                }
                Some(decoded)
            })
            .ok_or(error)
        })
    }

    fn not_an_instruction(&self, word: u32, pc: u64) -> DecodeError {
        DecodeError::NotAnInstruction {
            pc,
            word,
            target: self.target.name,
        }
    }

    /// The instruction at the start of `code`, with first dword `word`, which is not malformed.
    pub(crate) fn by_llvm(&self, code: &[u8], word: u32, pc: u64) -> Result<Decoded, DecodeError> {
        let mut llvm = self.llvm.borrow_mut();
        let Llvm { mc, scratch } = &mut *llvm;
        let mut window = [0; WINDOW];
        let shown = code.len().min(WINDOW);
        window[..shown].copy_from_slice(&code[..shown]);
        ignored::clear(self.target.family, &mut window);
        let one = format::is_one_dword(self.target.family, word);
        let decoded =
            one && mc.decode(&window[..4], pc, scratch) || mc.decode(&window, pc, scratch);
        if !decoded || !scratch.size().is_multiple_of(4) || scratch.size() > LONGEST {
            return Err(self.not_an_instruction(word, pc));
        }
        if scratch.size() > code.len() {
            return Err(DecodeError::Truncated {
                pc,
                available: code.len(),
            });
        }
        let size = scratch.size();
        let mut words = [0; 5];
        for (word, bytes) in words.iter_mut().zip(code[..size].chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        let opcode = scratch.opcode();
        let entry = self.opcodes.get(opcode).expect("LLVM has this opcode");
        let facts = match entry.get() {
            Some(facts) => facts,
            None => {
                let facts = OpcodeFacts::learn(mc, scratch, self, &window, words[0]);
                entry.get_or_init(|| Box::new(facts))
            }
        };

        let mut inst = Decoded {
            size: size as u8,
            words,
            opcode,
            op: facts.op,
            format: facts.format,
            effects: facts.effects,
            operands: Default::default(),
            unprinted: facts.unprinted,
            implicit_defs: facts.implicit_defs.clone(),
            implicit_uses: facts.implicit_uses.clone(),
        };
        for index in 0..scratch.operand_count() {
            let operand = match scratch.operand(index) {
                DecodedOperand::Register(number) => match self.register(mc, number) {
                    Some(reg) if index < facts.definitions => Operand::Def(reg),
                    Some(reg) => Operand::Use(reg),
                    // "No register", e.g. an absent scalar offset: nothing is read.
                    None => Operand::Imm(0),
                },
                DecodedOperand::Immediate(value) | DecodedOperand::Literal(value) => {
                    if facts.pc_relative == Some(index) {
                        Operand::PcRel(facts.displacement(value))
                    } else {
                        Operand::Imm(value)
                    }
                }
                DecodedOperand::Opaque => Operand::Imm(0),
            };
            inst.operands.push(operand);
        }
        for &(operand, definition) in &facts.tied {
            if let Some(&Operand::Def(reg)) = inst.operands.get(usize::from(definition))
                && let Some(operand) = inst.operands.get_mut(usize::from(operand))
            {
                *operand = Operand::Use(reg);
            }
        }
        if facts.special {
            fixups::apply_to_inst(self.target, &mut inst);
        }
        Ok(inst)
    }

    /// Decodes `code` from start to end. Undecodable words come out as errors, and decoding goes on 4 bytes later.
    pub fn decode_all<'a>(&'a self, code: &'a [u8], pc: u64) -> DecodeAll<'a> {
        DecodeAll {
            decoder: self,
            code,
            pc,
        }
    }

    /// The instruction as `llvm-objdump` prints it; branch targets as the signed or unsigned dword count of the encoding.
    pub fn print<D: Deref<Target = Decoded>>(&self, inst: &Inst<D>) -> String {
        let mut window = window_of(inst);
        ignored::clear(self.target.family, &mut window);
        let print = |window: &[u8]| self.llvm.borrow_mut().mc.print(window, inst.pc);
        let text =
            print(&window).or_else(|| ignored::without_unused(self.target.family, &window, print));
        text.map_or_else(
            || format!(".long {:#010x}", inst.words[0]),
            |text| text.trim().to_owned(),
        )
    }

    /// Like [`Decoder::print`], with a direct branch target written by `name` (hexadecimal address when it has none).
    pub fn print_with_target(
        &self,
        inst: &Inst,
        name: impl FnOnce(u64) -> Option<String>,
    ) -> String {
        let text = self.print(inst);
        let Some(target) = inst.target() else {
            return text;
        };
        let target = name(target).unwrap_or_else(|| format!("{target:#x}"));
        // The displacement is the last operand of every direct branch and call.
        match text.rfind([' ', ',']) {
            Some(end) => format!("{}{target}", &text[..=end]),
            None => text,
        }
    }

    /// LLVM's encoding of the instruction that its decoder finds in `inst`; only for measuring how far the two agree. The
    /// product copies and patches application bytes, it never encodes them anew. `None` for forms that crash LLVM's
    /// encoder: a literal as buffer offset.
    pub fn encode(&self, inst: &Inst) -> Option<Vec<u8>> {
        if matches!(inst.format, Format::Mubuf | Format::Mtbuf) && inst.words[1] >> 24 == 255 {
            return None;
        }
        let window = window_of(inst);
        self.llvm.borrow_mut().mc.reencode(&window, inst.pc)
    }

    pub(crate) fn register(&self, mc: &Mc, number: u32) -> Option<Reg> {
        *self.registers.get(number)?.get_or_init(|| {
            mc.register(number)
                .map(|description| registers::canonical(&description))
        })
    }

    /// A register as an implicit list means it: LLVM always lists the 64-bit lane masks there.
    pub(crate) fn implicit_register(&self, mc: &Mc, number: u32) -> Option<Reg> {
        let mut reg = self.register(mc, number)?;
        if self.wave_size == 32 && matches!(reg.kind, RegKind::Vcc | RegKind::Exec) {
            reg.width = 1;
        }
        Some(reg)
    }
}

/// Iterator of [`Decoder::decode_all`].
pub struct DecodeAll<'a> {
    decoder: &'a Decoder,
    code: &'a [u8],
    pc: u64,
}

impl Iterator for DecodeAll<'_> {
    type Item = Result<Inst, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.code.is_empty() {
            return None;
        }
        let result = self.decoder.decode(self.code, self.pc);
        let step = result
            .as_ref()
            .map_or(4, |inst| usize::from(inst.size))
            .min(self.code.len());
        self.code = &self.code[step..];
        self.pc = self.pc.wrapping_add(step as u64);
        Some(result)
    }
}

/// The bytes of an instruction, padded to what LLVM wants to see.
fn window_of(inst: &Decoded) -> [u8; WINDOW] {
    let mut window = [0; WINDOW];
    for (chunk, word) in window.chunks_exact_mut(4).zip(inst.words) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
    window
}

/// LLVM's feature string for a wave size with halves of registers, checked against the target.
pub(crate) fn feature_string(
    target: &'static Target,
    wave_size: u8,
    further: &str,
) -> Result<String, Error> {
    let supported = match wave_size {
        32 => target.vgpr_granule[1] != 0,
        64 => target.vgpr_granule[0] != 0,
        _ => false,
    };
    if !supported {
        return Err(Error::WaveSize {
            target: target.name,
            wave_size,
        });
    }
    let mut features = Vec::new();
    // gfx9 has one wave size and no such feature to choose.
    if target.supports_wave32() && target.vgpr_granule[0] != 0 {
        features.push(format!("+wavefrontsize{wave_size}"));
    }
    // 16-bit operands are halves of registers there, whichever way a compiler uses them: the encodings are the same. LLVM's
    // decoder takes an upper half for a register of its own, 128 places further on, unless told so.
    if target.family >= Family::Gfx11 {
        features.push("+real-true16".to_owned());
    }
    if !further.is_empty() {
        features.push(further.to_owned());
    }
    Ok(features.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A word that is surely an instruction by itself is the same instruction to LLVM with more code behind it: every
    /// opcode of every target.
    #[test]
    fn shown_one_dword_llvm_finds_the_same() {
        const BEHIND: u32 = 0x1234_5678;
        for target in gfx::TARGETS {
            let mut mc = Mc::new(target.name, "").expect("LLVM knows it");
            let (mut short, mut long) = (DecodedInst::new(), DecodedInst::new());
            let mut alone = 0;
            for upper in 0..=0xffff_u32 {
                for lower in [0, 0x0105, 0x80c1, 0xfdff, upper.rotate_left(7) & 0xffff] {
                    let word = upper << 16 | lower;
                    let mut window = [0; WINDOW];
                    window[..4].copy_from_slice(&word.to_le_bytes());
                    window[4..8].copy_from_slice(&BEHIND.to_le_bytes());
                    if !format::is_one_dword(target.family, word)
                        || malformed::is_malformed(target, &window)
                        || !mc.decode(&window, 0, &mut long)
                    {
                        continue;
                    }
                    let found = mc.decode(&window[..4], 0, &mut short);
                    let (short, long) = (found.then(|| short.opcode()), long.opcode());
                    assert_eq!(short, Some(long), "{}: {word:#010x}", target.name);
                    alone += 1;
                }
            }
            assert_eq!(alone > 50_000, target.family < Family::Gfx11, "{alone}");
        }
    }
}
