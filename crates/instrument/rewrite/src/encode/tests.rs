use super::*;
use crate::instruction::{EXEC, InstructionSink, TTMP7};
use gfx::Family;
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

fn encode(codes: &Encodings, instructions: &[Instruction]) -> Vec<u8> {
    let mut code = Vec::new();
    for instruction in instructions {
        let before = code.len();
        codes.encode(instruction, &mut code);
        assert_eq!(
            code.len() - before,
            codes.size(instruction),
            "{instruction:?}"
        );
    }
    code
}

/// LLVM reads back the operands that we fill in.
#[test]
fn fields_are_where_llvm_has_them() {
    for target in gfx::TARGETS {
        if target.family == Family::Gfx12_5 {
            continue;
        }
        let codes = Encodings::new(target, target.wave_size).expect("all rows assemble");
        let mut code: Vec<Instruction> = Vec::new();
        code.move_scalar(7, SourceOperand::Scalar(9));
        code.move_scalar(7, SourceOperand::Constant(u32::MAX));
        code.move_scalar(7, SourceOperand::Constant(64));
        code.move_scalar(codes.m0(), SourceOperand::Constant(65));
        code.scalar1(Op::SMovB64, EXEC, SourceOperand::Scalar(10));
        let (one, zero) = (SourceOperand::Constant(1), SourceOperand::Constant(0));
        code.scalar2(Op::SCselectB32, 3, one, zero);
        code.compare(Op::SCmpLgU32, SourceOperand::Scalar(3), zero);
        code.scalar2(
            Op::SAndB32,
            3,
            SourceOperand::Scalar(TTMP7),
            SourceOperand::Constant(0xffff),
        );
        code.scalar2(
            Op::SSubU32,
            3,
            SourceOperand::Scalar(4),
            SourceOperand::Constant(32),
        );
        code.move_vector(200, SourceOperand::Scalar(5));
        code.move_vector(200, SourceOperand::Vector(201));
        code.first_lane(6, 199);
        code.write_lane(77, 33, 12);
        code.read_lane(12, 77, 33);
        code.vector(
            Op::VAndB32,
            5,
            &[SourceOperand::Constant(1023), SourceOperand::Vector(6)],
        );
        code.vector(
            Op::VLshlrevB32,
            5,
            &[SourceOperand::Constant(3), SourceOperand::Vector(6)],
        );
        let field = [
            SourceOperand::Vector(0),
            SourceOperand::Constant(20),
            SourceOperand::Constant(10),
        ];
        code.vector(Op::VBfeU32, 5, &field);
        let all = SourceOperand::Constant(u32::MAX);
        code.vector(Op::VMbcntLo, 5, &[all, zero]);
        code.vector(Op::VMbcntHi, 5, &[all, SourceOperand::Vector(5)]);
        let expected = [
            "s_mov_b32 s7, s9",
            "s_mov_b32 s7, -1",
            "s_mov_b32 s7, 64",
            "s_mov_b32 m0, 0x41",
            "s_mov_b64 exec, s[10:11]",
            "s_cselect_b32 s3, 1, 0",
            "s_cmp_lg_u32 s3, 0",
            "s_and_b32 s3, ttmp7, 0xffff",
            "s_sub_u32 s3, s4, 32",
            "v_mov_b32_e32 v200, s5",
            "v_mov_b32_e32 v200, v201",
            "v_readfirstlane_b32 s6, v199",
            "v_writelane_b32 v77, s12, 33",
            "v_readlane_b32 s12, v77, 33",
            "v_and_b32_e32 v5, 0x3ff, v6",
            "v_lshlrev_b32_e32 v5, 3, v6",
            "v_bfe_u32 v5, v0, 20, 10",
            "v_mbcnt_lo_u32_b32 v5, -1, 0",
            "v_mbcnt_hi_u32_b32 v5, -1, v5",
        ];
        // From gfx12 on LLVM has another name for the same instruction.
        let found = text(target, &encode(&codes, &code)).join("\n");
        let found = found.replace("s_sub_co_u32", "s_sub_u32");
        assert_eq!(found, expected.join("\n"), "{}", target.name);
    }
}

#[test]
fn carries_and_accumulators() {
    for target in gfx::TARGETS {
        if target.family == Family::Gfx12_5 {
            continue;
        }
        let codes = Encodings::new(target, target.wave_size).expect("all rows assemble");
        let mut code: Vec<Instruction> = Vec::new();
        code.add_vector(5, SourceOperand::Constant(1000), 6);
        code.add_carry_out(5, 12, SourceOperand::Scalar(7), SourceOperand::Vector(6));
        code.add_carry_in(6, 12, SourceOperand::Constant(0), SourceOperand::Vector(7));
        let found = text(target, &encode(&codes, &code));
        let add = match target.family {
            Family::Gfx9 => "v_add_u32_e32 v5, 0x3e8, v6",
            _ => "v_add_nc_u32_e32 v5, 0x3e8, v6",
        };
        assert_eq!(found[0], add, "{}", target.name);
        assert!(
            found[1].contains(" v5, s") && found[1].ends_with(", s7, v6"),
            "{found:?}"
        );
        assert!(
            found[2].contains(" v6, s") && found[2].contains(", 0, v7, s"),
            "{found:?}"
        );
        assert!(
            found[1..].iter().all(|text| text.contains("12")),
            "{found:?}"
        );
        if codes.has(Op::VAccRead) {
            let mut code: Vec<Instruction> = Vec::new();
            code.vector(Op::VAccRead, 3, &[SourceOperand::Vector(5)]);
            code.vector(Op::VAccWrite, 5, &[SourceOperand::Vector(3)]);
            let expected = ["v_accvgpr_read_b32 v3, a5", "v_accvgpr_write_b32 a5, v3"];
            let found = text(target, &encode(&codes, &code));
            assert_eq!(found, expected, "{}", target.name);
        }
    }
}

/// LLVM assembles the text to the bytes that we encode.
#[test]
fn memory_is_as_llvm_assembles_it() {
    for target in gfx::TARGETS {
        if target.family == Family::Gfx12_5 {
            continue;
        }
        let codes = Encodings::new(target, target.wave_size).expect("all rows assemble");
        let width = if target.family >= Family::Gfx11 {
            "b32"
        } else {
            "dword"
        };
        let add = if target.family >= Family::Gfx12 {
            "u64"
        } else {
            "x2"
        };
        let (v, s, c) = (
            SourceOperand::Vector,
            SourceOperand::Scalar,
            SourceOperand::Constant,
        );
        let rows = [
            (
                Op::SLoadDword,
                7,
                vec![s(2), c(24)],
                "s_load_dword s7, s[2:3], 24".to_owned(),
            ),
            (
                Op::SLoadDwordx2,
                4,
                vec![s(98), c(48)],
                "s_load_dwordx2 s[4:5], s[98:99], 48".to_owned(),
            ),
            (
                Op::ScratchStore,
                0,
                vec![v(200), s(99), c(252)],
                format!("scratch_store_{width} off, v200, s99 offset:252"),
            ),
            (
                Op::ScratchLoad,
                200,
                vec![s(99), c(252)],
                format!("scratch_load_{width} v200, off, s99 offset:252"),
            ),
            (
                Op::GlobalAtomicAddU64,
                0,
                vec![v(8), s(4), v(3)],
                format!("global_atomic_add_{add} v3, v[8:9], s[4:5]"),
            ),
        ];
        let assembler = Assembler::new(target).expect("an assembler");
        for (op, to, sources, text) in rows {
            let expected = assembler.assemble(&text).expect("assembles");
            let found = encode(&codes, &[Instruction::new(op, to, &sources)]);
            assert_eq!(found, expected, "{text} on {}", target.name);
        }
    }
}
