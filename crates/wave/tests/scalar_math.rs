//! Scalar ALU rows: values and SCC by the manuals' pseudocode.

#[path = "harness/cases.rs"]
mod cases;
mod harness;

use cases::*;
use harness::Machine;

/// `text` with s[4:5] = `a`, s[6:7] = `b` and SCC = `scc` before leaves `value` in s0 (or s[0:1]) and `scc_after`.
#[track_caller]
fn scalar(targets: Targets, text: &str, [a, b]: [u64; 2], scc: bool, value: u64, scc_after: bool) {
    for &(target, wave_size) in targets {
        let mut machine = Machine::with_wave_size(target, wave_size, text);
        machine.sgpr64(4, a).sgpr64(6, b).sgpr64(0, 0);
        machine.wave.set_scc(scc);
        machine.run();
        let result = u64::from(machine.wave.sgpr(0)) | u64::from(machine.wave.sgpr(1)) << 32;
        assert_eq!(
            (result, machine.wave.scc()),
            (value, scc_after),
            "{target} {text}: {result:#x}"
        );
    }
}

#[rustfmt::skip]
#[test]
fn arithmetic_and_carries() {
    let m1 = 0xffff_ffff;
    scalar(ALL, "s_add_u32 s0, s4, s6", [m1, 2], false, 1, true);
    scalar(ALL, "s_add_u32 s0, s4, s6", [1, 2], true, 3, false);
    scalar(ALL, "s_sub_u32 s0, s4, s6", [1, 2], false, m1, true);
    scalar(ALL, "s_add_i32 s0, s4, s6", [0x7fff_ffff, 1], false, 0x8000_0000, true);
    scalar(ALL, "s_add_i32 s0, s4, s6", [m1, 1], true, 0, false);
    scalar(ALL, "s_sub_i32 s0, s4, s6", [0x8000_0000, 1], false, 0x7fff_ffff, true);
    scalar(ALL, "s_addc_u32 s0, s4, s6", [m1, 0], true, 0, true);
    scalar(ALL, "s_subb_u32 s0, s4, s6", [5, 5], true, m1, true);
    scalar(ALL, "s_subb_u32 s0, s4, s6", [5, m1], true, 5, true);
    scalar(ALL, "s_mul_i32 s0, s4, s6", [m1, 7], true, 0xffff_fff9, true);
    scalar(ALL, "s_mul_hi_u32 s0, s4, s6", [m1, m1], true, 0xffff_fffe, true);
    scalar(ALL, "s_mul_hi_i32 s0, s4, s6", [m1, 7], false, m1, false);
    scalar(ALL, "s_min_i32 s0, s4, s6", [m1, 7], false, m1, true);
    scalar(ALL, "s_min_u32 s0, s4, s6", [m1, 7], true, 7, false);
    scalar(ALL, "s_max_i32 s0, s4, s6", [m1, 7], true, 7, false);
    scalar(ALL, "s_max_u32 s0, s4, s6", [m1, 7], false, m1, true);
    scalar(ALL, "s_absdiff_i32 s0, s4, s6", [3, 10], false, 7, true);
    scalar(ALL, "s_abs_i32 s0, s4", [0x8000_0000, 0], false, 0x8000_0000, true);
    scalar(ALL, "s_lshl1_add_u32 s0, s4, s6", [0x8000_0001, 5], false, 7, true);
    scalar(ALL, "s_lshl2_add_u32 s0, s4, s6", [3, 5], true, 17, false);
    scalar(ALL, "s_lshl3_add_u32 s0, s4, s6", [3, 5], true, 29, false);
    scalar(ALL, "s_lshl4_add_u32 s0, s4, s6", [3, 5], true, 53, false);
    scalar(ALL, "s_addk_i32 s0, 0x7fff", [0, 0], true, 0x7fff, false);
    scalar(ALL, "s_mov_b32 s0, 0x7fffffff\ns_addk_i32 s0, 1", [0, 0], false, 0x8000_0000, true);
    scalar(ALL, "s_mov_b32 s0, 3\ns_mulk_i32 s0, -2", [0, 0], true, 0xffff_fffa, true);
    scalar(ALL, "s_movk_i32 s0, -3", [0, 0], true, 0xffff_fffd, true);
    scalar(ALL, "s_cmovk_i32 s0, 9", [0, 0], true, 9, true);
    scalar(ALL, "s_cmovk_i32 s0, 9", [0, 0], false, 0, false);
}

#[rustfmt::skip]
#[test]
fn bits() {
    let big = 0x8000_0000_0000_0001;
    scalar(ALL, "s_and_b32 s0, s4, s6", [0xf0, 0x0f], true, 0, false);
    scalar(ALL, "s_or_b32 s0, s4, s6", [0xf0, 0x0f], false, 0xff, true);
    scalar(ALL, "s_xor_b64 s[0:1], s[4:5], s[6:7]", [big, 1], false, 1 << 63, true);
    scalar(ALL, "s_andn2_b32 s0, s4, s6", [0xff, 0x0f], false, 0xf0, true);
    scalar(ALL, "s_orn2_b32 s0, s4, s6", [0, 0xffff_fff0], false, 0xf, true);
    scalar(ALL, "s_nand_b32 s0, s4, s6", [0xffff_ffff, 0xffff_ffff], true, 0, false);
    scalar(ALL, "s_nor_b32 s0, s4, s6", [0, 0], false, 0xffff_ffff, true);
    scalar(ALL, "s_xnor_b64 s[0:1], s[4:5], s[6:7]", [big, big], false, !0, true);
    scalar(ALL, "s_not_b32 s0, s4", [0xffff_ffff, 0], true, 0, false);
    scalar(ALL, "s_lshl_b32 s0, s4, s6", [3, 33], false, 6, true);
    scalar(ALL, "s_lshr_b64 s[0:1], s[4:5], s6", [big, 63], false, 1, true);
    scalar(ALL, "s_ashr_i32 s0, s4, s6", [0x8000_0000, 31], false, 0xffff_ffff, true);
    scalar(ALL, "s_ashr_i64 s[0:1], s[4:5], s6", [big, 60], false, 0xffff_ffff_ffff_fff8, true);
    scalar(ALL, "s_bfm_b32 s0, s4, s6", [5, 3], true, 0xf8, true);
    scalar(ALL, "s_bfm_b64 s[0:1], s4, s6", [36, 4], false, 0xff_ffff_fff0, false);
    scalar(ALL, "s_bfe_u32 s0, s4, 0x80004", [0xabcd, 0], false, 0xbc, true);
    scalar(ALL, "s_bfe_i32 s0, s4, 0x40004", [0xabcd, 0], false, 0xffff_fffc, true);
    scalar(ALL, "s_bfe_u32 s0, s4, 0x200000", [0xffff_abcd, 0], false, 0xffff_abcd, true);
    scalar(ALL, "s_bfe_u64 s[0:1], s[4:5], 0x40003c", [big, 0], false, 8, true);
    scalar(ALL, "s_bfe_i64 s[0:1], s[4:5], 0x40003c", [big, 0], false, 0xffff_ffff_ffff_fff8, true);
    scalar(ALL, "s_brev_b32 s0, s4", [1, 0], true, 0x8000_0000, true);
    scalar(ALL, "s_brev_b64 s[0:1], s[4:5]", [2, 0], false, 1 << 62, false);
    scalar(ALL, "s_bcnt0_i32_b32 s0, s4", [0xffff_fff0, 0], false, 4, true);
    scalar(ALL, "s_bcnt1_i32_b64 s0, s[4:5]", [big, 0], false, 2, true);
    scalar(ALL, "s_ff0_i32_b32 s0, s4", [0x7, 0], true, 3, true);
    scalar(ALL, "s_ff1_i32_b32 s0, s4", [0, 0], false, 0xffff_ffff, false);
    scalar(ALL, "s_ff1_i32_b64 s0, s[4:5]", [1 << 40, 0], false, 40, false);
    scalar(ALL, "s_flbit_i32_b32 s0, s4", [0x0001_0000, 0], true, 15, true);
    scalar(ALL, "s_flbit_i32_b64 s0, s[4:5]", [1, 0], true, 63, true);
    scalar(ALL, "s_flbit_i32 s0, s4", [0xffff_0000, 0], true, 16, true);
    scalar(ALL, "s_flbit_i32 s0, s4", [0xffff_ffff, 0], true, 0xffff_ffff, true);
    scalar(ALL, "s_flbit_i32_i64 s0, s[4:5]", [0x00ff_0000_0000_0000, 0], true, 8, true);
    scalar(ALL, "s_sext_i32_i8 s0, s4", [0x80, 0], true, 0xffff_ff80, true);
    scalar(ALL, "s_sext_i32_i16 s0, s4", [0x8000, 0], false, 0xffff_8000, false);
    scalar(ALL, "s_bitset1_b32 s0, s4", [35, 0], true, 8, true);
    scalar(ALL, "s_mov_b64 s[0:1], -1\ns_bitset0_b64 s[0:1], s4", [63, 0], false, !0 >> 1, false);
    scalar(ALL, "s_quadmask_b32 s0, s4", [0x0f01_0080, 0], false, 0b0101_0010, true);
    scalar(ALL, "s_wqm_b32 s0, s4", [0x0100_0080, 0], false, 0x0f00_00f0, true);
    scalar(ALL, "s_bitreplicate_b64_b32 s[0:1], s4", [0x8000_0005, 0], true, 0xc000_0000_0000_0033, true);
    scalar(ALL, "s_pack_ll_b32_b16 s0, s4, s6", [0x1111_2222, 0x3333_4444], true, 0x4444_2222, true);
    scalar(ALL, "s_pack_lh_b32_b16 s0, s4, s6", [0x1111_2222, 0x3333_4444], false, 0x3333_2222, false);
    scalar(ALL, "s_pack_hh_b32_b16 s0, s4, s6", [0x1111_2222, 0x3333_4444], true, 0x3333_1111, true);
    scalar(ALL, "s_mov_b64 s[0:1], 0xffffffff", [0, 0], true, 0xffff_ffff, true);
    scalar(ALL, "s_mov_b64 s[0:1], -2", [0, 0], true, 0xffff_ffff_ffff_fffe, true);
    scalar(ALL, "s_cmov_b32 s0, s4", [5, 0], true, 5, true);
    scalar(ALL, "s_cmov_b64 s[0:1], s[4:5]", [big, 0], false, 0, false);
    scalar(ALL, "s_cselect_b32 s0, s4, s6", [5, 6], true, 5, true);
    scalar(ALL, "s_cselect_b64 s[0:1], s[4:5], s[6:7]", [5, 6], false, 6, false);
}

#[rustfmt::skip]
#[test]
fn comparisons() {
    let case = |text: &str, a: u64, b: u64, expected: bool| scalar(ALL, text, [a, b], !expected, 0, expected);
    let m1 = 0xffff_ffff;
    case("s_cmp_eq_i32 s4, s6", 5, 5, true);
    case("s_cmp_lg_i32 s4, s6", 5, 5, false);
    case("s_cmp_gt_i32 s4, s6", m1, 5, false);
    case("s_cmp_ge_i32 s4, s6", 5, m1, true);
    case("s_cmp_lt_i32 s4, s6", m1, 5, true);
    case("s_cmp_le_i32 s4, s6", 6, 5, false);
    case("s_cmp_eq_u32 s4, s6", 5, m1, false);
    case("s_cmp_lg_u32 s4, s6", 5, m1, true);
    case("s_cmp_gt_u32 s4, s6", m1, 5, true);
    case("s_cmp_ge_u32 s4, s6", 5, m1, false);
    case("s_cmp_lt_u32 s4, s6", m1, 5, false);
    case("s_cmp_le_u32 s4, s6", 5, 5, true);
    case("s_cmp_eq_u64 s[4:5], s[6:7]", 1 << 40, 1 << 40, true);
    case("s_cmp_lg_u64 s[4:5], s[6:7]", 1 << 40, 0, true);
    case("s_bitcmp0_b32 s4, s6", 8, 3, false);
    case("s_bitcmp1_b32 s4, s6", 8, 35, true);
    case("s_bitcmp0_b64 s[4:5], s6", 1 << 40, 40, false);
    case("s_bitcmp1_b64 s[4:5], s6", 1 << 40, 40, true);
    case("s_cmpk_eq_i32 s4, -1", m1, 0, true);
    case("s_cmpk_eq_u32 s4, 0xffff", m1, 0, false);
    case("s_cmpk_gt_u32 s4, 0xffff", m1, 0, true);
    case("s_cmpk_lt_i32 s4, 0", m1, 0, true);
}

#[test]
fn exec_masks_and_mode() {
    let mut machine = Machine::new(
        "gfx90a",
        "s_mov_b64 s[4:5], 0xff\ns_and_saveexec_b64 s[0:1], s[4:5]\nv_mov_b32_e32 v0, 1\ns_mov_b64 exec, s[0:1]",
    );
    machine.exec(0xf0f0).run();
    assert_eq!((machine.wave.sgpr(0), machine.wave.sgpr(1)), (0xf0f0, 0));
    assert!(machine.wave.scc());
    assert_eq!(
        (machine.wave.vgpr(0, 4), machine.wave.vgpr(0, 12)),
        (1, harness::POISON)
    );
    let rows = [
        ("s_or_saveexec_b64", 0xf0ffu64),
        ("s_xor_saveexec_b64", 0xf00f),
        ("s_andn2_saveexec_b64", 0x000f),
        ("s_orn2_saveexec_b64", !0xf0f0 | 0xff),
        ("s_nand_saveexec_b64", !0xf0),
        ("s_nor_saveexec_b64", !0xf0ff),
        ("s_xnor_saveexec_b64", !0xf00f),
        ("s_andn1_saveexec_b64", 0xf000),
        ("s_orn1_saveexec_b64", !0xff | 0xf0f0),
    ];
    for (mnemonic, expected) in rows {
        let mut machine = Machine::new(
            "gfx90a",
            &format!("s_mov_b64 s[4:5], 0xff\n{mnemonic} s[0:1], s[4:5]"),
        );
        machine.exec(0xf0f0).run();
        assert_eq!(
            (machine.wave.exec(), machine.wave.sgpr(0)),
            (expected_exec(mnemonic, expected), 0xf0f0),
            "{mnemonic}"
        );
    }
    let mut machine = Machine::new("gfx1030", "s_movk_i32 s4, 0xff\ns_andn1_wrexec_b32 s0, s4");
    machine.exec(0xf0f0).run();
    assert_eq!(
        (machine.wave.exec(), machine.wave.sgpr(0)),
        (0xf000, 0xf000)
    );
    let mut machine = Machine::new(
        "gfx90a",
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 6\ns_getreg_b32 s0, hwreg(HW_REG_MODE, 1, 3)\ns_getreg_b32 s1, hwreg(HW_REG_MODE)",
    );
    machine.run();
    assert_eq!((machine.wave.sgpr(0), machine.wave.sgpr(1)), (3, 0x3f6));
}

/// S op EXEC for S = 0xff, EXEC = 0xf0f0.
fn expected_exec(mnemonic: &str, fallback: u64) -> u64 {
    let (s, exec) = (0xffu64, 0xf0f0u64);
    match mnemonic {
        "s_andn2_saveexec_b64" => s & !exec,
        "s_orn2_saveexec_b64" => s | !exec,
        "s_andn1_saveexec_b64" => !s & exec,
        "s_orn1_saveexec_b64" => !s | exec,
        "s_nand_saveexec_b64" => !(s & exec),
        "s_nor_saveexec_b64" => !(s | exec),
        "s_xnor_saveexec_b64" => !(s ^ exec),
        _ => fallback,
    }
}

#[test]
fn calls_and_program_counter() {
    let text = "s_getpc_b64 s[10:11]
        s_add_u32 s10, s10, 16
        s_addc_u32 s11, s11, 0
        s_swappc_b64 s[12:13], s[10:11]
        s_branch done
        s_movk_i32 s0, 7
        s_setpc_b64 s[12:13]
        done:";
    // getpc gives the address of s_add_u32; three instructions and the branch lie between it and the callee.
    let mut machine = Machine::new("gfx90a", text);
    machine.run();
    assert_eq!(machine.wave.sgpr(0), 7);
}
