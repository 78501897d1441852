//! The few instructions that we write ourselves, as words with register fields to fill in.
//!
//! LLVM assembles each once per target; the places of the fields are the same on every family (ISA manuals, "Microcode
//! formats"). What differs, opcode numbers and the prefix of VOP3, comes from LLVM.

use crate::Refusal;
use gfx::{Family, Target};
use isa::Assembler;
use lift::Counter;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Instructions with a row in [`ROWS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Op {
    SMovB32,
    SMovB64,
    SCselectB32,
    SCmpLgU32,
    SCmpEqU32,
    SAddU32,
    SAddcU32,
    SAddNcU64,
    SNop,
    /// Between a scalar register that a VALU instruction wrote, however it changed since, and one that reads it, with one other
    /// instruction there.
    LaneGap,
    /// Between a vector instruction that wrote a scalar register and one that reads it, of any kind.
    ScalarGap,
    STrap,
    SBranch,
    SCbranchScc1,
    SCbranchScc0,
    SCbranchExecnz,
    SCallB64,
    VMovB32,
    VReadfirstlaneB32,
    VReadlaneB32,
    VWritelaneB32,
    VAddU32,
    VAddCo,
    VAddCi,
    VAccRead,
    VAccWrite,
    WaitLoad,
    WaitSample,
    WaitBvh,
    WaitStore,
    WaitData,
    WaitScalar,
    WaitExport,
    WaitAlu,
    WaitVector,
    IndexOff,
    IndexOn,
    EndPadding,
}

/// Which targets have an instruction.
type On = fn(&Target, u8) -> bool;

fn any(_: &Target, _: u8) -> bool {
    true
}
fn gfx9(target: &Target, _: u8) -> bool {
    target.family == Family::Gfx9
}
fn gfx940_up(target: &Target, _: u8) -> bool {
    gfx9(target, 64) && target.architected_flat_scratch
}
fn accumulators(target: &Target, _: u8) -> bool {
    target.matrix != gfx::Matrix::None && gfx9(target, 64)
}
fn gfx10_up(target: &Target, _: u8) -> bool {
    target.family >= Family::Gfx10
}
fn wave32(target: &Target, wave_size: u8) -> bool {
    target.family >= Family::Gfx10 && wave_size == 32
}
fn wave64(target: &Target, wave_size: u8) -> bool {
    target.family >= Family::Gfx10 && wave_size == 64
}
fn gfx11(target: &Target, _: u8) -> bool {
    target.family == Family::Gfx11
}
fn gfx10_to_11(target: &Target, _: u8) -> bool {
    target.family >= Family::Gfx10 && target.family < Family::Gfx12
}
fn before_gfx12(target: &Target, _: u8) -> bool {
    target.family < Family::Gfx12
}
fn gfx12_up(target: &Target, _: u8) -> bool {
    target.family >= Family::Gfx12
}

/// Instruction, where it exists, its text with all fields zero.
#[rustfmt::skip]
const ROWS: &[(Op, On, &str)] = &[
    (Op::SMovB32,           any,          "s_mov_b32 s0, s0"),
    (Op::SMovB64,           any,          "s_mov_b64 s[0:1], s[0:1]"),
    (Op::SCselectB32,       any,          "s_cselect_b32 s0, s0, s0"),
    (Op::SCmpLgU32,         any,          "s_cmp_lg_u32 s0, s0"),
    (Op::SCmpEqU32,         any,          "s_cmp_eq_u32 s0, s0"),
    (Op::SAddU32,           any,          "s_add_u32 s0, s0, s0"),
    (Op::SAddcU32,          any,          "s_addc_u32 s0, s0, s0"),
    (Op::SAddNcU64,         gfx12_up,     "s_add_nc_u64 s[0:1], s[0:1], s[0:1]"),
    (Op::SNop,              any,          "s_nop 0"),
    (Op::LaneGap,           gfx940_up,    "s_nop 0"),
    (Op::ScalarGap,         gfx9,         "s_nop 4"),
    (Op::STrap,             any,          "s_trap 0x2"),
    (Op::SBranch,           any,          "s_branch 0"),
    (Op::SCbranchScc1,      any,          "s_cbranch_scc1 0"),
    (Op::SCbranchScc0,      any,          "s_cbranch_scc0 0"),
    (Op::SCbranchExecnz,    any,          "s_cbranch_execnz 0"),
    (Op::SCallB64,          any,          "s_call_b64 s[0:1], 0"),
    (Op::VMovB32,           any,          "v_mov_b32 v0, s0"),
    (Op::VReadfirstlaneB32, any,          "v_readfirstlane_b32 s0, v0"),
    (Op::VReadlaneB32,      any,          "v_readlane_b32 s0, v0, s0"),
    (Op::VWritelaneB32,     any,          "v_writelane_b32 v0, s0, s0"),
    (Op::VAddU32,           gfx9,         "v_add_u32_e32 v0, s0, v0"),
    (Op::VAddU32,           gfx10_up,     "v_add_nc_u32_e32 v0, s0, v0"),
    (Op::VAddCo,            gfx9,         "v_add_co_u32_e64 v0, s[0:1], v0, v0"),
    (Op::VAddCi,            gfx9,         "v_addc_co_u32_e64 v0, s[0:1], v0, v0, s[0:1]"),
    (Op::VAddCo,            wave32,       "v_add_co_u32 v0, s0, v0, v0"),
    (Op::VAddCi,            wave32,       "v_add_co_ci_u32_e64 v0, s0, v0, v0, s0"),
    (Op::VAddCo,            wave64,       "v_add_co_u32 v0, s[0:1], v0, v0"),
    (Op::VAddCi,            wave64,       "v_add_co_ci_u32_e64 v0, s[0:1], v0, v0, s[0:1]"),
    (Op::VAccRead,          accumulators, "v_accvgpr_read_b32 v0, a0"),
    (Op::VAccWrite,         accumulators, "v_accvgpr_write_b32 a0, v0"),
    (Op::WaitLoad,          before_gfx12, "s_waitcnt vmcnt(0)"),
    (Op::WaitData,          before_gfx12, "s_waitcnt lgkmcnt(0)"),
    (Op::WaitExport,        before_gfx12, "s_waitcnt expcnt(0)"),
    (Op::WaitStore,         gfx10_to_11,  "s_waitcnt_vscnt null, 0x0"),
    (Op::WaitLoad,          gfx12_up,     "s_wait_loadcnt 0x0"),
    (Op::WaitSample,        gfx12_up,     "s_wait_samplecnt 0x0"),
    (Op::WaitBvh,           gfx12_up,     "s_wait_bvhcnt 0x0"),
    (Op::WaitStore,         gfx12_up,     "s_wait_storecnt 0x0"),
    (Op::WaitData,          gfx12_up,     "s_wait_dscnt 0x0"),
    (Op::WaitScalar,        gfx12_up,     "s_wait_kmcnt 0x0"),
    (Op::WaitExport,        gfx12_up,     "s_wait_expcnt 0x0"),
    (Op::WaitAlu,           gfx12_up,     "s_wait_alu 0x0"),
    (Op::WaitVector,        gfx11,        "s_waitcnt_depctr 0xfff"),
    (Op::IndexOff,          gfx9,         "s_set_gpr_idx_off"),
    (Op::IndexOn,           gfx9,         "s_set_gpr_idx_on s0, 0x0"),
    (Op::EndPadding,        gfx10_up,     "s_code_end"),
    (Op::EndPadding,        gfx9,         "s_nop 0"),
];

/// The instruction that waits until nothing is outstanding on a counter.
#[rustfmt::skip]
const WAITS: &[(Counter, Op)] = &[
    (Counter::Load,   Op::WaitLoad),
    (Counter::Sample, Op::WaitSample),
    (Counter::Bvh,    Op::WaitBvh),
    (Counter::Store,  Op::WaitStore),
    (Counter::Data,   Op::WaitData),
    (Counter::Scalar, Op::WaitScalar),
    (Counter::Export, Op::WaitExport),
];

/// Operand encodings that do not depend on the family.
pub(crate) const VCC: u16 = 106;
pub(crate) const EXEC: u16 = 126;
const SCC_SOURCE: u16 = 253;
const LITERAL: u16 = 255;
const FIRST_VGPR: u16 = 256;

/// A 32-bit source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// SGPR or special register by its encoding.
    Scalar(u16),
    Vector(u16),
    Constant(u32),
    Scc,
}

impl Source {
    /// The field, and the literal behind the instruction.
    fn field(self) -> (u16, Option<u32>) {
        match self {
            Source::Scalar(register) => (register, None),
            Source::Vector(register) => (FIRST_VGPR + register, None),
            Source::Scc => (SCC_SOURCE, None),
            Source::Constant(value @ 0..=64) => (128 + value as u16, None),
            Source::Constant(value) if value as i32 >= -16 && (value as i32) < 0 => {
                ((192 - value as i32) as u16, None)
            }
            Source::Constant(value) => (LITERAL, Some(value)),
        }
    }
}

/// Encodings for one target.
#[derive(Debug)]
pub(crate) struct Codes {
    pub target: &'static Target,
    pub wave_size: u8,
    words: BTreeMap<Op, Vec<u8>>,
}

impl Codes {
    /// Assembled when a target is first asked for.
    pub fn of(target: &'static Target, wave_size: u8) -> Result<Arc<Codes>, Refusal> {
        static KNOWN: Mutex<BTreeMap<(&str, u8), Arc<Codes>>> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(codes) = known.get(&(target.name, wave_size)) {
            return Ok(codes.clone());
        }
        let refused = |reason: String| Refusal::Assembler {
            target: target.name.to_owned(),
            reason,
        };
        let assembler = Assembler::with_features(target, wave_size, "")
            .map_err(|error| refused(error.to_string()))?;
        let mut words = BTreeMap::new();
        for (op, on, text) in ROWS {
            if on(target, wave_size) {
                let code = assembler
                    .assemble(text)
                    .map_err(|error| refused(format!("{text}: {error}")))?;
                words.insert(*op, code);
            }
        }
        let codes = Arc::new(Codes {
            target,
            wave_size,
            words,
        });
        known.insert((target.name, wave_size), codes.clone());
        Ok(codes)
    }

    /// M0's operand encoding.
    pub fn m0(&self) -> u16 {
        if self.target.family >= Family::Gfx11 {
            125
        } else {
            124
        }
    }

    pub fn has(&self, op: Op) -> bool {
        self.words.contains_key(&op)
    }

    /// The encoding with all fields zero.
    pub fn bytes(&self, op: Op) -> &[u8] {
        self.words.get(&op).map_or(&[], |bytes| bytes)
    }

    fn word(&self, op: Op) -> u32 {
        let bytes = self.bytes(op);
        debug_assert!(!bytes.is_empty(), "{op:?} on {}", self.target.name);
        bytes
            .first_chunk()
            .map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }

    /// An instruction whose lowest 16 bits are a signed number of dwords behind it: a branch, or with a register pair a call.
    pub fn branch(&self, op: Op, pair: u16, dwords: i16) -> [u8; 4] {
        (self.word(op) & !0xffff | u32::from(pair) << 16 | u32::from(dwords as u16)).to_le_bytes()
    }

    /// Turns index mode on again: index as in M0, with these of its four enables.
    pub fn index_on(&self, enables: u8) -> [u8; 4] {
        let fields = u32::from(enables) << 8 | u32::from(self.m0());
        (self.word(Op::IndexOn) & !0xffff | fields).to_le_bytes()
    }

    pub fn no_operation(&self, states: u32) -> [u8; 4] {
        (self.word(Op::SNop) & !0xffff | (states.clamp(1, 8) - 1)).to_le_bytes()
    }

    pub fn wait(&self, counter: Counter) -> &[u8] {
        let row = WAITS.iter().find(|row| row.0 == counter);
        row.map_or(&[], |row| self.bytes(row.1))
    }
}

/// Code being written.
pub(crate) trait Write {
    fn put(&mut self, word: u32);

    fn literal(&mut self, literal: Option<u32>) {
        if let Some(literal) = literal {
            self.put(literal);
        }
    }

    /// SOP1 with a 32-bit or 64-bit source.
    fn scalar1(&mut self, codes: &Codes, op: Op, to: u16, source: Source) {
        let (field, literal) = source.field();
        self.put(codes.word(op) & !0x007f_00ff | u32::from(to) << 16 | u32::from(field));
        self.literal(literal);
    }

    /// SOP2.
    fn scalar2(&mut self, codes: &Codes, op: Op, to: u16, left: Source, right: Source) {
        let ((left, one), (right, other)) = (left.field(), right.field());
        let fields = u32::from(to) << 16 | u32::from(right) << 8 | u32::from(left);
        self.put(codes.word(op) & !0x007f_ffff | fields);
        self.literal(one.or(other));
    }

    /// SOPC.
    fn compare(&mut self, codes: &Codes, op: Op, left: Source, right: Source) {
        let ((left, one), (right, other)) = (left.field(), right.field());
        self.put(codes.word(op) & !0xffff | u32::from(right) << 8 | u32::from(left));
        self.literal(one.or(other));
    }

    /// SOPC with a register and a literal that is kept as such.
    fn compare_literal(&mut self, codes: &Codes, op: Op, left: u16) {
        let fields = u32::from(LITERAL) << 8 | u32::from(left);
        self.put(codes.word(op) & !0xffff | fields);
        self.put(0);
    }

    fn move_scalar(&mut self, codes: &Codes, to: u16, source: Source) {
        self.scalar1(codes, Op::SMovB32, to, source);
    }

    /// A move whose source is a literal even if it would fit the instruction; offset of the literal behind the start.
    fn move_literal(&mut self, codes: &Codes, to: u16, literal: u32) {
        self.put(codes.word(Op::SMovB32) & !0x007f_00ff | u32::from(to) << 16 | u32::from(LITERAL));
        self.put(literal);
    }

    /// Under EXEC.
    fn move_vector(&mut self, codes: &Codes, to: u16, source: Source) {
        let (field, literal) = source.field();
        self.put(codes.word(Op::VMovB32) & !0x01fe_01ff | u32::from(to) << 17 | u32::from(field));
        self.literal(literal);
    }

    /// Likewise, with room for a literal.
    fn move_vector_literal(&mut self, codes: &Codes, to: u16, literal: u32) {
        let fields = u32::from(to) << 17 | u32::from(LITERAL);
        self.put(codes.word(Op::VMovB32) & !0x01fe_01ff | fields);
        self.put(literal);
    }

    /// The first active lane (lane 0 if there is none) of a VGPR.
    fn first_lane(&mut self, codes: &Codes, to: u16, from: u16) {
        let fields = u32::from(to) << 17 | u32::from(FIRST_VGPR + from);
        self.put(codes.word(Op::VReadfirstlaneB32) & !0x01fe_01ff | fields);
    }

    /// VOP3 and VOP3P with an 8-bit destination and two 9-bit sources.
    fn three(&mut self, codes: &Codes, op: Op, to: u16, first: u16, second: u16) {
        let bytes = codes.bytes(op);
        let word = |at: usize| {
            let bytes = bytes.get(at..at + 4).unwrap_or(&[0; 4]);
            u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
        };
        self.put(word(0) & !0xff | u32::from(to));
        self.put(word(4) & !0x0003_ffff | u32::from(second) << 9 | u32::from(first));
    }

    /// VOP2 on VGPRs but for the first source: `to = left + right`.
    fn add_vector(&mut self, codes: &Codes, to: u16, left: Source, right: u16) {
        let (field, literal) = left.field();
        let fields = u32::from(to) << 17 | u32::from(right) << 9 | u32::from(field);
        self.put(codes.word(Op::VAddU32) & !0x01ff_ffff | fields);
        self.literal(literal);
    }

    /// `to = left + right`, carries to an SGPR (pair). No literals.
    fn add_carry_out(&mut self, codes: &Codes, to: u16, carry: u16, left: Source, right: Source) {
        self.three_with_carry(codes, Op::VAddCo, [to, carry], left, right, 0);
    }

    /// `to = left + right + carry`.
    fn add_carry_in(&mut self, codes: &Codes, to: u16, carry: u16, left: Source, right: Source) {
        self.three_with_carry(codes, Op::VAddCi, [to, carry], left, right, carry);
    }

    /// VOP3 with a scalar destination.
    fn three_with_carry(
        &mut self,
        codes: &Codes,
        op: Op,
        [to, carry]: [u16; 2],
        left: Source,
        right: Source,
        third: u16,
    ) {
        let fields = u32::from(carry) << 8 | u32::from(to);
        self.put(codes.word(op) & !0x7fff | fields);
        let bytes = codes.bytes(op).get(4..8).unwrap_or(&[0; 4]);
        let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let sources =
            u32::from(third) << 18 | u32::from(right.field().0) << 9 | u32::from(left.field().0);
        self.put(word & !0x07ff_ffff | sources);
    }

    fn write_lane(&mut self, codes: &Codes, vgpr: u16, lane: u16, from: u16) {
        self.three(codes, Op::VWritelaneB32, vgpr, from, 128 + lane);
    }

    fn read_lane(&mut self, codes: &Codes, to: u16, vgpr: u16, lane: u16) {
        self.three(codes, Op::VReadlaneB32, to, FIRST_VGPR + vgpr, 128 + lane);
    }
}

impl Write for Vec<u8> {
    fn put(&mut self, word: u32) {
        self.extend_from_slice(&word.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isa::Decoder;

    fn text(target: &'static Target, code: &[u8]) -> Vec<String> {
        let decoder = Decoder::new(target).expect("a decoder");
        let insts = decoder.decode_all(code, 0);
        insts
            .map(|inst| {
                let text = decoder.print(&inst.expect("decodes"));
                text.split_whitespace().collect::<Vec<_>>().join(" ")
            })
            .collect()
    }

    /// What we fill in is what LLVM reads back.
    #[test]
    fn fields_are_where_llvm_has_them() {
        for target in gfx::TARGETS {
            let wave_size = target.wave_size;
            if target.family == Family::Gfx12_5 {
                continue;
            }
            let codes = Codes::of(target, wave_size).expect("all rows assemble");
            let mut code = Vec::new();
            code.move_scalar(&codes, 7, Source::Scalar(9));
            code.move_scalar(&codes, 7, Source::Constant(u32::MAX));
            code.move_scalar(&codes, 7, Source::Constant(64));
            code.move_scalar(&codes, codes.m0(), Source::Constant(65));
            code.scalar1(&codes, Op::SMovB64, EXEC, Source::Scalar(10));
            code.scalar2(
                &codes,
                Op::SCselectB32,
                3,
                Source::Constant(1),
                Source::Constant(0),
            );
            code.compare(
                &codes,
                Op::SCmpLgU32,
                Source::Scalar(3),
                Source::Constant(0),
            );
            code.move_vector(&codes, 200, Source::Scalar(5));
            code.move_vector(&codes, 200, Source::Vector(201));
            code.first_lane(&codes, 6, 199);
            code.write_lane(&codes, 77, 33, 12);
            code.read_lane(&codes, 12, 77, 33);
            code.add_vector(&codes, 5, Source::Constant(1000), 6);
            let carry_at = code.len();
            code.add_carry_out(&codes, 5, 12, Source::Scalar(7), Source::Vector(6));
            code.add_carry_in(&codes, 6, 12, Source::Constant(0), Source::Vector(7));
            let carries = text(target, &code[carry_at..]);
            assert!(
                carries[0].contains(" v5, s") && carries[0].ends_with(", s7, v6"),
                "{carries:?}"
            );
            assert!(
                carries[1].contains(" v6, s") && carries[1].contains(", 0, v7, s"),
                "{carries:?}"
            );
            assert!(
                carries.iter().all(|text| text.contains("12")),
                "{carries:?}"
            );
            code.truncate(carry_at);
            let add = if target.family == Family::Gfx9 {
                "v_add_u32"
            } else {
                "v_add_nc_u32"
            };
            let add = format!("{add}_e32 v5, 0x3e8, v6");
            let expected = [
                "s_mov_b32 s7, s9",
                "s_mov_b32 s7, -1",
                "s_mov_b32 s7, 64",
                "s_mov_b32 m0, 0x41",
                "s_mov_b64 exec, s[10:11]",
                "s_cselect_b32 s3, 1, 0",
                "s_cmp_lg_u32 s3, 0",
                "v_mov_b32_e32 v200, s5",
                "v_mov_b32_e32 v200, v201",
                "v_readfirstlane_b32 s6, v199",
                "v_writelane_b32 v77, s12, 33",
                "v_readlane_b32 s12, v77, 33",
                add.as_str(),
            ];
            assert_eq!(text(target, &code), expected, "{}", target.name);
            if codes.has(Op::VAccRead) {
                let mut code = Vec::new();
                code.three(&codes, Op::VAccRead, 3, FIRST_VGPR + 5, 0);
                code.three(&codes, Op::VAccWrite, 5, FIRST_VGPR + 3, 0);
                assert_eq!(
                    text(target, &code),
                    ["v_accvgpr_read_b32 v3, a5", "v_accvgpr_write_b32 a5, v3"],
                    "{}",
                    target.name
                );
            }
        }
    }
}
