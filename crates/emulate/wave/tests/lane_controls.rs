//! DPP, SDWA, lane moves, index mode and carries: values by the rules of the manuals.

use crate::harness::cases::*;
use crate::harness::{Machine, POISON};
use wave::Stop;

/// v0 after `text` with v1 = 100 + lane and v2 = 1000 * lane; v0 poisoned.
fn lanes(target: (&str, u32), exec: u64, text: &str) -> Vec<u32> {
    let mut machine = Machine::with_wave_size(target.0, target.1, text);
    machine
        .vgpr(1, |lane| 100 + lane as u32)
        .vgpr(2, |lane| 1000 * lane as u32)
        .exec(exec)
        .run();
    machine.row(0)
}

const CDNA: (&str, u32) = ("gfx90a", 64);
const RDNA32: (&str, u32) = ("gfx1030", 32);
const RDNA64: (&str, u32) = ("gfx1030", 64);

/// Checks `v_mov_b32_dpp v0, v1 CONTROL`: `source(lane)` is the lane read, or why none is.
fn dpp(target: (&str, u32), exec: u64, control: &str, source: impl Fn(usize) -> Option<usize>) {
    let text = format!("v_mov_b32_dpp v0, v1 {control}");
    for (lane, value) in lanes(target, exec, &text).into_iter().enumerate() {
        let active = exec >> lane & 1 != 0;
        let expected = match source(lane).filter(|_| active) {
            Some(64) => 0,
            Some(from) => 100 + from as u32,
            None => POISON,
        };
        assert_eq!(value, expected, "{} {control} lane {lane}", target.0);
    }
}

#[test]
fn dpp16_sources() {
    let all = "row_mask:0xf bank_mask:0xf";
    for target in [CDNA, RDNA32, RDNA64] {
        let full = if target.1 == 64 { !0 } else { 0xffff_ffff };
        let within = |lane: usize, in_row: isize| {
            (0..16)
                .contains(&in_row)
                .then(|| (lane & !15) + in_row as usize)
        };
        dpp(
            target,
            full,
            &format!("quad_perm:[3,0,2,1] {all}"),
            |lane| Some(lane & !3 | [3, 0, 2, 1][lane & 3]),
        );
        dpp(target, full, &format!("row_shl:3 {all}"), |lane| {
            within(lane, (lane & 15) as isize + 3)
        });
        dpp(target, full, &format!("row_shr:5 {all}"), |lane| {
            within(lane, (lane & 15) as isize - 5)
        });
        dpp(
            target,
            full,
            &format!("row_shr:5 {all} bound_ctrl:1"),
            |lane| within(lane, (lane & 15) as isize - 5).or(Some(64)),
        );
        dpp(target, full, &format!("row_ror:4 {all}"), |lane| {
            Some(lane & !15 | (lane + 12) & 15)
        });
        dpp(target, full, &format!("row_mirror {all}"), |lane| {
            Some(lane & !15 | (15 - (lane & 15)))
        });
        dpp(target, full, &format!("row_half_mirror {all}"), |lane| {
            Some(lane & !7 | (7 - (lane & 7)))
        });
        // Masked rows and banks keep their old value.
        dpp(
            target,
            full,
            "quad_perm:[0,1,2,3] row_mask:0x1 bank_mask:0x5",
            |lane| (lane < 16 && lane / 4 % 2 == 0).then_some(lane),
        );
        // Inactive sources: no write, or zero with bound_ctrl.
        let odd = 0xaaaa_aaaa_aaaa_aaaa & full;
        dpp(target, odd, &format!("quad_perm:[1,0,3,2] {all}"), |_| None);
        dpp(
            target,
            odd,
            &format!("quad_perm:[1,0,3,2] {all} bound_ctrl:1"),
            |_| Some(64),
        );
    }
    dpp(CDNA, !0, &format!("wave_shl:1 {all}"), |lane| {
        (lane < 63).then_some(lane + 1)
    });
    dpp(CDNA, !0, &format!("wave_shr:1 {all}"), |lane| {
        lane.checked_sub(1)
    });
    dpp(CDNA, !0, &format!("wave_rol:1 {all}"), |lane| {
        Some((lane + 1) % 64)
    });
    dpp(CDNA, !0, &format!("wave_ror:1 {all}"), |lane| {
        Some((lane + 63) % 64)
    });
    dpp(CDNA, !0, &format!("row_bcast:15 {all}"), |lane| {
        (lane >= 16).then(|| (lane & !15) - 1)
    });
    dpp(CDNA, !0, &format!("row_bcast:31 {all}"), |lane| {
        (lane >= 32).then_some(31)
    });
    dpp(CDNA, !0, &format!("row_newbcast:6 {all}"), |lane| {
        Some(lane & !15 | 6)
    });
    for target in [RDNA32, RDNA64] {
        let full = if target.1 == 64 { !0 } else { 0xffff_ffff };
        dpp(target, full, &format!("row_share:6 {all}"), |lane| {
            Some(lane & !15 | 6)
        });
        dpp(target, full, &format!("row_xmask:5 {all}"), |lane| {
            Some(lane ^ 5)
        });
        let odd = 0xaaaa_aaaa_aaaa_aaaa & full;
        dpp(
            target,
            odd,
            &format!("quad_perm:[1,0,3,2] {all} fi:1"),
            |lane| Some(lane ^ 1),
        );
        dpp(target, full, "dpp8:[7,6,5,4,3,2,1,0]", |lane| {
            Some(lane ^ 7)
        });
        dpp(target, odd, "dpp8:[1,0,3,2,5,4,7,6]", |_| Some(64));
        dpp(target, odd, "dpp8:[1,0,3,2,5,4,7,6] fi:1", |lane| {
            Some(lane ^ 1)
        });
    }
}

#[test]
fn dpp_on_arithmetic_permutes_the_first_source_only() {
    let values = lanes(
        CDNA,
        !0,
        "v_subrev_u32_dpp v0, v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf",
    );
    assert_eq!(values[0], POISON);
    assert_eq!(values[5], 5000 - 104);
    let values = lanes(
        CDNA,
        !0,
        "v_add_f32_dpp v0, -v1, |v2| quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf",
    );
    assert_eq!(
        f32::from_bits(values[3]),
        -f32::from_bits(100) + f32::from_bits(3000)
    );
    // 64-bit sources move as a pair.
    let mut machine = Machine::new(
        "gfx90a",
        "v_ceil_f64_dpp v[0:1], v[4:5] row_newbcast:2 row_mask:0xf bank_mask:0xf",
    );
    machine
        .vgpr64(4, |lane| (lane as f64 + 0.5).to_bits())
        .run();
    assert_eq!(machine.row64(0)[20], 19f64.to_bits());
}

#[rustfmt::skip]
#[test]
fn sdwa_selects_and_merges() {
    let sdwa = |text: &str, a: u64, b: u64, expected: u64| {
        for targets in [GFX9, GFX10] { check(targets, text, &[(&[a, b], expected)]); }
    };
    sdwa("v_mov_b32_sdwa v0, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2", 0x1122_3344, 0, 0x22);
    sdwa("v_mov_b32_sdwa v0, sext(v4) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1", 0x8122_3344, 0, 0xffff_8122);
    sdwa("v_mov_b32_sdwa v0, v4 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0", 0x1122_3344, 0, 0xdead_44ad);
    sdwa("v_mov_b32_sdwa v0, v4 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:DWORD", 0x1122_3384, 0, 0x8400);
    sdwa("v_mov_b32_sdwa v0, v4 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT src0_sel:DWORD", 0x1122_3384, 0, 0xffff_8400);
    sdwa("v_mov_b32_sdwa v0, v4 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD", 0x1122_3384, 0, 0x3384_0bad);
    sdwa("v_or_b32_sdwa v0, v4, v8 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:WORD_1", 0x1122_3344, 0x5566_7788, 0x5566 | 0x44);
    sdwa("v_mul_f16_sdwa v0, -v4, |v8| dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:WORD_0", 0x4200_0000, 0xc000, 0xc600_0bad);
    check(GFX9, "v_add_u32_sdwa v0, v4, v8 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:BYTE_3", &[(&[0x1_0005, 0x0700_0000], 12)]);
    assert_eq!(mask(CDNA, "v_cmp_lt_i32_sdwa s[8:9], sext(v4), v8 src0_sel:BYTE_0 src1_sel:DWORD", 8, &[&[0xff, 1], &[0]]), 0x5555_5555_5555_5555);
    // Carry out of the selected operands reaches VCC.
    assert_eq!(mask(CDNA, "v_add_co_u32_sdwa v0, vcc, v4, v8 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0", 106, &[&[0xffff_ffff, 0xffff_ff00], &[0x101]]), 0x5555_5555_5555_5555);
    check_with(GFX9, "v_cndmask_b32_sdwa v0, v4, v8, vcc dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:WORD_1", &[(&[0x1111_2222, 0x3333_4444], 0x3333), (&[0x1111_2222, 0x3333_4444], 0x2222)], |m| { m.sgpr64(106, 0x5555_5555_5555_5555); });
}

#[rustfmt::skip]
#[test]
fn modifiers_on_selects_and_moves() {
    check_with(GFX9, "v_cndmask_b32_e64 v0, -v4, |v8|, vcc", &[(&[f(1.0), f(-2.0)], f(2.0)), (&[f(1.0), f(-2.0)], f(-1.0))], |m| { m.sgpr64(106, 0x5555_5555_5555_5555); });
    check(GFX10, "v_add3_u32 v0, v4, 0x12345678, v8", &[(&[1, 2], 0x1234_567b)]);
    check(GFX9, "v_fma_f32 v0, v4, v8, v12 clamp", &[(&[f(2.0), f(3.0), f(1.0)], f(1.0)), (&[f(-2.0), f(3.0), f(1.0)], 0)]);
    // omod needs IEEE off and denormals flushed.
    check(GFX9, "s_setreg_imm32_b32 hwreg(HW_REG_MODE), 0x100\nv_add_f32_e64 v0, v4, v8 mul:4", &[(&[f(2.0), f(3.0)], f(20.0))]);
    check(GFX9, "v_add_f32_e64 v0, v4, v8 mul:4", &[(&[f(2.0), f(3.0)], f(5.0))]);
    check(GFX9, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1\nv_add_f32_e32 v0, v4, v8", &[(&[f(1.0), f(2f32.powi(-60))], 0x3f80_0001)]);
    check(GFX9, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\nv_add_f32_e32 v0, v4, v8", &[(&[1, f(1.0)], f(1.0)), (&[0x8000_0001, 0x8000_0001], 0x8000_0000)]);
    check(GFX10, "s_denorm_mode 12\nv_mul_f32_e32 v0, v4, v8", &[(&[0x0080_0000, f(0.5)], 0)]);
    check(GFX10, "s_round_mode 3\nv_add_f32_e32 v0, v4, v8", &[(&[f(1.0), f(-(2f32.powi(-60)))], 0x3f7f_ffff)]);
}

#[test]
fn lane_moves() {
    let mut machine = Machine::new(
        "gfx90a",
        "s_movk_i32 s10, 70\nv_readlane_b32 s8, v1, s10\nv_readfirstlane_b32 s9, v1\nv_writelane_b32 v0, s8, 3",
    );
    machine.vgpr(1, |lane| 100 + lane as u32).exec(0xf0).run();
    assert_eq!(machine.wave.sgpr(8), 106, "lane number is taken modulo 64");
    assert_eq!(machine.wave.sgpr(9), 104);
    assert_eq!(machine.wave.vgpr(0, 3), 106, "writelane ignores EXEC");
    let mut machine = Machine::new("gfx90a", "v_readfirstlane_b32 s9, v1");
    machine.vgpr(1, |lane| 100 + lane as u32).exec(0).run();
    assert_eq!(machine.wave.sgpr(9), 100);
    for target in [RDNA32, RDNA64] {
        let full = if target.1 == 64 { !0 } else { 0xffff_ffff };
        let reversed = "s_mov_b32 s8, 0x89abcdef\ns_mov_b32 s9, 0x01234567\n";
        let values = lanes(
            target,
            full,
            &format!("{reversed}v_permlane16_b32 v0, v1, s8, s9"),
        );
        assert!(
            values
                .iter()
                .enumerate()
                .all(|(lane, &value)| value == 100 + (lane as u32 ^ 15))
        );
        let values = lanes(
            target,
            full,
            &format!("{reversed}v_permlanex16_b32 v0, v1, s8, s9"),
        );
        assert!(
            values
                .iter()
                .enumerate()
                .all(|(lane, &value)| value == 100 + (lane as u32 ^ 31))
        );
        // Inactive sources: keep, zero (bound_ctrl) or fetch.
        let low = 0x00ff & full;
        let text = |flags| format!("{reversed}v_permlane16_b32 v0, v1, s8, s9 op_sel:[{flags}]");
        assert_eq!(lanes(target, low, &text("0,0"))[2], POISON);
        assert_eq!(lanes(target, low, &text("0,1"))[2], 0);
        assert_eq!(lanes(target, low, &text("1,0"))[2], 113);
        // mbcnt over all lanes is the lane number.
        let values = lanes(
            target,
            full,
            "v_mbcnt_lo_u32_b32 v0, -1, 0\nv_mbcnt_hi_u32_b32 v0, -1, v0",
        );
        assert!(
            values
                .iter()
                .enumerate()
                .all(|(lane, &value)| value == lane as u32)
        );
    }
    let values = lanes(
        CDNA,
        !0,
        "v_mbcnt_lo_u32_b32 v0, -1, 0\nv_mbcnt_hi_u32_b32 v0, -1, v0",
    );
    assert!(
        values
            .iter()
            .enumerate()
            .all(|(lane, &value)| value == lane as u32)
    );
}

#[test]
fn carries_and_masks() {
    // 96-bit addition: all ones plus one.
    let text = "v_add_co_u32_e32 v4, vcc, 1, v4\nv_addc_co_u32_e32 v5, vcc, 0, v5, vcc\nv_addc_co_u32_e64 v0, s[8:9], 0, v8, vcc";
    let mut machine = Machine::new("gfx90a", text);
    machine
        .vgpr64(4, |lane| if lane % 2 == 0 { !0 } else { 7 })
        .vgpr(8, |_| 41)
        .exec(0xff)
        .run();
    assert_eq!(machine.wave.vgpr(0, 0), 42);
    assert_eq!(machine.wave.vgpr(0, 1), 41);
    assert_eq!(machine.wave.sgpr(106), 0x55, "inactive lanes carry nothing");
    assert_eq!(machine.wave.sgpr(107), 0);
    assert_eq!(machine.wave.sgpr(8), 0);
    let text = "v_sub_co_u32 v4, vcc_lo, v4, v8\nv_sub_co_ci_u32_e32 v0, vcc_lo, v5, v9, vcc_lo";
    let mut machine = Machine::new("gfx1030", text);
    machine.vgpr64(4, |_| 0x5_0000_0000).vgpr64(8, |_| 1).run();
    assert_eq!(machine.wave.vgpr(0, 7), 4);
    assert_eq!(machine.wave.sgpr(107), POISON, "wave32 writes one word");
    // v_cmpx on gfx9 writes VCC and EXEC, on gfx10 EXEC only.
    let mut machine = Machine::new("gfx90a", "v_cmpx_gt_u32_e32 vcc, 4, v1");
    machine.vgpr(1, |lane| lane as u32).run();
    assert_eq!((machine.wave.exec(), machine.wave.sgpr(106)), (0xf, 0xf));
    let mut machine = Machine::new("gfx1030", "v_cmpx_gt_u32_e32 4, v1");
    machine.vgpr(1, |lane| lane as u32).run();
    assert_eq!((machine.wave.exec(), machine.wave.sgpr(106)), (0xf, POISON));
}

#[test]
fn registers_by_index() {
    let text = "s_mov_b32 s8, 3\ns_set_gpr_idx_on s8, gpr_idx(SRC0)\nv_mov_b32_e32 v0, v4\ns_set_gpr_idx_off\nv_mov_b32_e32 v1, v4";
    let mut machine = Machine::new("gfx90a", text);
    machine.vgpr(4, |_| 40).vgpr(7, |_| 70).run();
    assert_eq!((machine.wave.vgpr(0, 9), machine.wave.vgpr(1, 9)), (70, 40));
    let text = "s_mov_b32 s8, 2\ns_set_gpr_idx_on s8, gpr_idx(DST)\nv_mov_b32_e32 v0, v4\ns_set_gpr_idx_idx s9\nv_mov_b32_e32 v0, v5\ns_set_gpr_idx_off";
    let mut machine = Machine::new("gfx900", text);
    machine.vgpr(4, |_| 40).vgpr(5, |_| 50).sgpr(9, 3).run();
    assert_eq!(
        (
            machine.wave.vgpr(2, 9),
            machine.wave.vgpr(3, 9),
            machine.wave.vgpr(0, 9)
        ),
        (40, 50, POISON)
    );
    let text = "s_mov_b32 m0, 3\nv_movrels_b32_e32 v0, v4\nv_movreld_b32_e32 v1, v8\nv_movrelsd_b32_e32 v2, v4\ns_mov_b32 m0, 0x20001\nv_movrelsd_2_b32_e32 v10, v8\ns_mov_b32 m0, 2\ns_movrels_b32 s10, s20\ns_movreld_b64 s[30:31], s[22:23]";
    let mut machine = Machine::new("gfx1030", text);
    machine
        .vgpr(7, |_| 70)
        .vgpr(8, |_| 80)
        .vgpr(9, |_| 90)
        .sgpr(22, 220)
        .sgpr(23, 230)
        .run();
    let row = |index| machine.wave.vgpr(index, 5);
    assert_eq!([row(0), row(4), row(5), row(12)], [70, 80, 70, 90]);
    assert_eq!(
        (
            machine.wave.sgpr(10),
            machine.wave.sgpr(32),
            machine.wave.sgpr(33)
        ),
        (220, 220, 230)
    );
}

#[test]
fn a_fault_in_index_mode_is_told_with_its_own_address() {
    let before = "s_set_gpr_idx_on s8, gpr_idx(SRC0)\nv_mov_b32_e32 v0, v4\n";
    let text = format!("{before}global_load_dword v1, v[2:3], off\ns_set_gpr_idx_off");
    let mut machine = Machine::new("gfx90a", &text);
    let start = machine.wave.stopped_at();
    let stop = machine.sgpr(8, 3).vgpr64(2, |_| 64).stop();
    assert!(matches!(stop, Stop::Fault(_)), "{stop:?}");
    // Both instructions before it have one dword.
    assert_eq!(machine.wave.stopped_at() - start, 8);
}

/// LLVM's printer writes a remark in place of a control that the target does not have. The listed controls stop, all others run.
#[test]
fn dpp16_controls_that_are_reserved_stop() {
    for target in gfx::TARGETS {
        if target.family > gfx::Family::Gfx12 {
            continue;
        }
        let decoder = isa::Decoder::new(target).unwrap();
        for control in 0..512u32 {
            let words = [0x7e00_02fa, 0xff00_0001 | control << 8];
            let code = words.map(u32::to_le_bytes).concat();
            let inst = decoder.decode(&code, 0).unwrap();
            let reserved = decoder.print(&inst).contains("/*");
            let text = format!(".long {}\n.long {}\ns_endpgm", words[0], words[1]);
            let wave_size = decoder.wave_size().into();
            let stop = Machine::with_wave_size(target.name, wave_size, &text).stop();
            match stop {
                Stop::Unsupported(why) => {
                    assert!(
                        reserved && why.contains(&format!("{control:#05x}")),
                        "{}: {why}",
                        target.name
                    )
                }
                stop => assert!(
                    !reserved && stop == Stop::End,
                    "{} {control:#05x}",
                    target.name
                ),
            }
        }
    }
}
