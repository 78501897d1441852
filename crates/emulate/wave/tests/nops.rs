//! Waits and nops that share the micro-op of the instruction behind them: they are counted as if they did not.

use crate::harness::Machine;

/// Addresses are in bytes from the beginning; `s_nop` and the other instructions without literals have four.
const CODE: &str = "
    s_mov_b32 s0, 3
LOOP:
    s_nop 0
    s_nop 1
    s_sub_i32 s0, s0, 1
    s_and_b32 exec_lo, exec_lo, s1
    s_nop 2
    v_add_nc_u32 v0, v0, v1
    s_or_b32 exec_lo, exec_lo, s2
    s_nop 3
    s_cmp_lg_u32 s0, 0
    s_cbranch_scc1 LOOP
    s_nop 4";

fn looping(target: &str) -> Machine {
    let mut m = Machine::with_wave_size(target, 32, CODE);
    m.sgpr(1, 0x0000_ffff).sgpr(2, 0xffff_ffff);
    m.vgpr(0, |_| 0).vgpr(1, |lane| lane as u32 + 1);
    m
}

#[test]
fn they_are_counted_with_their_own_lanes() {
    for target in ["gfx1030", "gfx1100", "gfx1201"] {
        let mut m = looping(target);
        m.run();
        m.check(0, |lane| if lane < 16 { 3 * (lane as u32 + 1) } else { 0 });
        let mut counts: Vec<_> = m.counts.by_pc().into_iter().collect();
        counts.sort_unstable_by_key(|&(pc, _)| pc);
        let counts: Vec<_> = counts.iter().map(|(_, c)| (c.waves, c.lanes)).collect();
        let (all, half) = ((3, 3 * 32), (3, 3 * 16));
        let expected = [
            (1, 32),
            // The loop: two nops at its head, the subtraction, the write of EXEC.
            all,
            all,
            all,
            all,
            // A nop and the sum under half of the lanes, and the write of EXEC that ends that.
            half,
            half,
            half,
            all,
            all,
            all,
            // The nop behind the loop, and s_endpgm.
            (1, 32),
            (1, 32),
        ];
        assert_eq!(counts, expected, "{target}");
    }
}

#[test]
fn they_take_no_time_where_nothing_is_to_be_done() {
    for target in ["gfx1030", "gfx1100", "gfx1201"] {
        // s_mov; three turns of six instructions; s_nop, which may share nothing, with s_endpgm.
        assert_eq!(looping(target).micro_ops(), 1 + 3 * 6 + 2, "{target}");
    }
}

#[test]
fn control_may_arrive_between_them_and_the_next_instruction() {
    // The jump leads to s_mov, in whose micro-op the nop before it is; the code is entered there anew.
    let text = "
        s_getpc_b64 s[4:5]
        s_add_u32 s4, s4, 32
        s_addc_u32 s5, s5, 0
        s_mov_b32 s6, 1
        s_cmp_eq_u32 s7, 0
        s_cbranch_scc1 NOP
        s_mov_b32 s6, 2
        s_setpc_b64 s[4:5]
    NOP:
        s_nop 0
        s_mov_b32 s8, s6";
    for (chosen, last) in [(0, 1), (1, 2)] {
        let mut m = Machine::with_wave_size("gfx1100", 32, text);
        m.sgpr(7, chosen).run();
        assert_eq!(m.wave.sgpr(8), last);
        let nops = m.counts.by_pc().len();
        assert_eq!(
            nops,
            if chosen == 0 { 9 } else { 10 },
            "instructions that ran"
        );
    }
}

/// A wave that passes over vector instructions executes the scalar ones and the nops between them.
#[test]
fn they_are_counted_between_instructions_that_are_passed_over() {
    for (on, off, size) in [
        ("s_setvskip s4, 3", "s_setvskip s4, 2", 4),
        (
            "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1",
            "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 0",
            8,
        ),
    ] {
        let code = format!(
            "{on}
            v_mov_b32_e32 v1, v0
            s_add_u32 s0, s0, 1
            v_add_u32_e32 v1, v1, v0
            s_nop 0
            v_add_u32_e32 v1, v1, v0
            {off}"
        );
        for native in [None, Some(1)] {
            let mut m = Machine::native("gfx900", 64, &code, native);
            m.sgpr(0, 6).sgpr(4, 8);
            m.vgpr(0, |_| 1).vgpr(1, |_| 7);
            m.run();
            m.check(1, |_| 7);
            assert_eq!(m.wave.sgprs()[0], 7);
            let mut counts: Vec<_> = m.counts.by_pc().into_iter().collect();
            counts.sort_unstable_by_key(|&(pc, _)| pc);
            let executed: Vec<_> = counts
                .iter()
                .map(|(pc, count)| (pc - m.start(), count.waves))
                .collect();
            // On, two instructions between vector ones, off, s_endpgm.
            let expected = [0, size + 4, size + 12, size + 20, 2 * size + 20];
            assert_eq!(executed, expected.map(|pc| (pc, 1)), "{on} {native:?}");
        }
    }
}

/// One micro-op in front of both would note them.
#[test]
fn reads_that_follow_each_other_are_passed_over() {
    let mut m = Machine::noting(
        "gfx900",
        "s_setvskip s4, 3
        ds_read_b32 v1, v0
        ds_read_b32 v2, v0 offset:4
        s_setvskip s4, 2
        ds_read_b32 v3, v0
        ds_read_b32 v4, v0 offset:4",
    );
    m.sgpr(4, 8).lds_words(vec![1, 2]);
    m.vgpr(0, |_| 0).vgpr(1, |_| 7).vgpr(2, |_| 7);
    m.run();
    m.check(1, |_| 7);
    m.check(2, |_| 7);
    m.check(3, |_| 1);
    m.check(4, |_| 2);
}
