//! Waves that wait for what others do to memory let them; waves that work go on.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::harness::Machine;
use wave::Stop;

#[test]
fn who_waits_for_memory_lets_others_run() {
    for (target, vcc) in [("gfx90a", "vcc"), ("gfx1030", "vcc_lo")] {
        for wait in [
            &format!(
                "wait:
                 global_load_dword v4, v1, s[2:3] glc
                 s_waitcnt vmcnt(0)
                 v_cmp_eq_u32_e32 {vcc}, 0, v4
                 s_cbranch_vccnz wait
                 s_endpgm"
            ),
            // A tool counts the turns.
            &format!(
                "wait:
                 s_add_u32 s5, s5, 4
                 s_addc_u32 s6, s6, 0
                 v_readlane_b32 s7, v5, 3
                 s_add_u32 s7, s7, 1
                 v_writelane_b32 v5, s7, 3
                 flat_load_dword v4, v[2:3] glc
                 s_waitcnt vmcnt(0) lgkmcnt(0)
                 v_cmp_eq_u32_e32 {vcc}, 0, v4
                 s_cbranch_vccnz wait
                 s_endpgm"
            ),
            // It works first.
            "s_movk_i32 s5, 1000
             work:
             s_sub_u32 s5, s5, 1
             s_cmp_lg_u32 s5, 0
             s_cbranch_scc1 work
             wait:
             s_load_dword s4, s[2:3], 0x0 glc
             s_waitcnt lgkmcnt(0)
             s_cmp_eq_u32 s4, 0
             s_cbranch_scc1 wait
             s_endpgm",
            "wait:
             s_load_dword s4, s[2:3], 0x0 glc
             s_waitcnt lgkmcnt(0)
             s_cmp_eq_u32 s4, 0
             s_cbranch_scc1 wait
             s_endpgm",
        ] {
            let flag = [const { AtomicU64::new(0) }; 8];
            let mut m = Machine::new(target, wait);
            let base = m.map_shared(&flag);
            m.sgpr64(2, base).vgpr(1, |_| 0).vgpr64(2, |_| base);
            for _ in 0..3 {
                assert_eq!(m.stop(), Stop::Sleep, "{target}: {wait}");
            }
            flag[0].store(1, Ordering::Relaxed);
            assert_eq!(m.stop(), Stop::End, "{target}: {wait}");
        }
    }
}

/// A wave that waits for one word after the other, with a tool's counter in the loop and without. Between two words it works.
#[test]
fn a_wave_that_worked_before_it_waits_says_so_once() {
    for counts in [
        "",
        "s_add_u32 s5, s5, 4",
        "v_readlane_b32 s7, v5, 3\ns_add_u32 s7, s7, 1\nv_writelane_b32 v5, s7, 3",
    ] {
        let text = format!(
            "next:
             wait:
             {counts}
             s_load_dword s4, s[2:3], 0x0 glc
             s_waitcnt lgkmcnt(0)
             s_cmp_eq_u32 s4, 0
             s_cbranch_scc1 wait
             s_add_u32 s2, s2, 8
             s_addc_u32 s3, s3, 0
             s_sub_u32 s8, s8, 1
             s_cmp_lg_u32 s8, 0
             s_cbranch_scc1 next
             s_endpgm"
        );
        let flags = [const { AtomicU64::new(0) }; 8];
        let mut m = Machine::new("gfx90a", &text);
        let base = m.map_shared(&flags);
        m.sgpr64(2, base).sgpr(8, 8);
        for (number, flag) in flags.iter().enumerate() {
            let came = [(); 4].map(|()| {
                assert_eq!(m.stop(), Stop::Sleep, "{counts}: {number}");
                m.wave.came_to_wait()
            });
            assert_eq!(came, [true, false, false, false], "{counts}: {number}");
            assert!(m.wave.only_waits());
            flag.store(1, Ordering::Relaxed);
        }
        assert_eq!(m.stop(), Stop::End, "{counts}");
    }
}

#[test]
fn who_works_goes_on() {
    for work in [
        // The counter is a vector register, and nothing else changes.
        "work:
         v_add_u32_e32 v1, 1, v1
         v_cmp_gt_u32_e32 vcc, s2, v1
         s_cbranch_vccnz work
         s_endpgm",
        // One lane of it.
        "s_mov_b64 exec, 8
         work:
         v_add_u32_e32 v1, 1, v1
         v_cmp_gt_u32_e32 vcc, s2, v1
         s_cbranch_vccnz work
         s_endpgm",
        "work:
         s_sub_u32 s2, s2, 1
         s_cmp_lg_u32 s2, 0
         s_cbranch_scc1 work
         s_endpgm",
        // A carry.
        "s_mov_b32 s4, 0
         work:
         s_add_u32 s4, s4, 0x80000000
         s_addc_u32 s2, s2, -1
         s_cmp_lg_u32 s2, 0
         s_cbranch_scc1 work
         s_endpgm",
    ] {
        let mut m = Machine::new("gfx90a", work);
        m.sgpr(2, 1000).vgpr(1, |_| 0);
        assert_eq!(m.stop(), Stop::End, "{work}");
    }
}
