//! Waves that wait for the time to come let others run meanwhile.

use crate::harness::{CYCLES_PER_TICK, Machine};
use wave::Stop;

/// Runs `text` to its end, with a clock that ticks at each look at it; what it paused for.
fn pauses(text: &str) -> Vec<Stop> {
    let mut m = Machine::new("gfx90a", text);
    m.outside.tick = 1;
    let mut pauses = Vec::new();
    loop {
        match m.stop() {
            Stop::End => return pauses,
            pause => pauses.push(pause),
        }
        assert!(pauses.len() < 1_000, "the clock goes on");
    }
}

#[test]
fn waiting_for_a_time_lets_others_run() {
    for (clock, rate) in [("s_memtime", CYCLES_PER_TICK), ("s_memrealtime", 1)] {
        let time = 320 * rate;
        let text = format!(
            "wait:
             {clock} s[0:1]
             s_waitcnt lgkmcnt(0)
             s_cmp_lt_u32 s0, {time}
             s_cbranch_scc1 wait
             s_endpgm"
        );
        let pauses = pauses(&text);
        assert!((2..=160).contains(&pauses.len()), "{} pauses", pauses.len());
        assert!(pauses.iter().all(|pause| *pause == Stop::Sleep));
    }
}

#[test]
fn measuring_goes_on_at_once() {
    let text = "s_memtime s[0:1]
                s_mov_b32 s4, 0
                work:
                s_add_u32 s4, s4, 1
                s_cmp_lt_u32 s4, 1000
                s_cbranch_scc1 work
                s_memtime s[2:3]
                s_endpgm";
    assert_eq!(pauses(text), []);
}

/// Cycles between two looks at a clock, with `between` between them, and what the wave paused for.
fn measured(target: &str, clock: &str, between: &str) -> (u32, Vec<Stop>) {
    let text = format!(
        "{clock_first}
         {between}
         {clock_second}
         s_endpgm",
        clock_first = clock.replace("DST", "s[10:11]").replace("DEST", "s10"),
        clock_second = clock.replace("DST", "s[12:13]").replace("DEST", "s12"),
    );
    let mut m = Machine::new(target, &text);
    m.outside.own_time = true;
    let mut pauses = Vec::new();
    loop {
        match m.stop() {
            Stop::End => break,
            pause => pauses.push(pause),
        }
    }
    (m.wave.sgpr(12).wrapping_sub(m.wave.sgpr(10)), pauses)
}

/// Clocks of all families, and their wait for the result.
const CLOCKS: &[(&str, &str)] = &[
    ("gfx90a", "s_memtime DST"),
    ("gfx90a", "s_memrealtime DST"),
    ("gfx1030", "s_memtime DST"),
    (
        "gfx1030",
        "s_getreg_b32 DEST, hwreg(HW_REG_SHADER_CYCLES, 0, 20)",
    ),
    (
        "gfx1100",
        "s_getreg_b32 DEST, hwreg(HW_REG_SHADER_CYCLES, 0, 20)",
    ),
    (
        "gfx1100",
        "s_sendmsg_rtn_b64 DST, sendmsg(MSG_RTN_GET_REALTIME)",
    ),
    (
        "gfx1201",
        "s_getreg_b32 DEST, hwreg(HW_REG_SHADER_CYCLES_LO)",
    ),
    (
        "gfx1201",
        "s_sendmsg_rtn_b64 DST, sendmsg(MSG_RTN_GET_REALTIME)",
    ),
];

#[test]
fn time_goes_on_with_what_a_wave_executes() {
    for (target, clock) in CLOCKS {
        let cycles = |between: &str| measured(target, clock, between).0;
        let at_once = cycles("");
        assert!((1..200).contains(&at_once), "{target} {clock}: {at_once}");
        // One for each instruction, whatever joins them.
        for count in [1, 7, 100] {
            let moves = "v_mov_b32_e32 v1, v2\n".repeat(count);
            assert_eq!(cycles(&moves), at_once + count as u32, "{target} {clock}");
            let sums = "v_add_f32_e32 v1, v2, v1\n".repeat(count);
            assert_eq!(cycles(&sums), at_once + count as u32, "{target} {clock}");
        }
        let work = "s_mov_b32 s4, 0
                    work:
                    s_add_u32 s4, s4, 1
                    s_cmp_lt_u32 s4, 1000
                    s_cbranch_scc1 work";
        assert_eq!(cycles(work), at_once + 1 + 3 * 1000, "{target} {clock}");
        // Others ran meanwhile.
        let (slept, pauses) = measured(target, clock, "s_sleep 3");
        assert_eq!(slept, at_once + 1 + 3 * 64, "{target} {clock}");
        assert_eq!(pauses, [Stop::Sleep]);
    }
}

/// A loop that looks at a clock often and keeps what it sees does not wait, and its time does not leap.
#[test]
fn who_keeps_what_a_clock_shows_measures() {
    for (target, clock) in CLOCKS {
        let gfx9 = target.starts_with("gfx9");
        let (wait, store) = match *target {
            "gfx90a" | "gfx1030" => ("s_waitcnt lgkmcnt(0)", "ds_write_b32 v1, v2"),
            "gfx1100" => ("s_waitcnt lgkmcnt(0)", "ds_store_b32 v1, v2"),
            _ => ("s_wait_kmcnt 0x0", "ds_store_b32 v1, v2"),
        };
        let add = if gfx9 {
            "v_add_u32_e32"
        } else {
            "v_add_nc_u32_e32"
        };
        let text = format!(
            "v_mov_b32_e32 v1, 0
             s_mov_b32 s4, 0
             again:
             {look}
             {wait}
             v_mov_b32_e32 v2, s0
             {store}
             {add} v1, 4, v1
             s_add_u32 s4, s4, 1
             s_cmp_lt_u32 s4, 200
             s_cbranch_scc1 again
             s_endpgm",
            look = clock.replace("DST", "s[0:1]").replace("DEST", "s0"),
        );
        let mut m = Machine::new(target, &text);
        m.outside.own_time = true;
        m.lds_words([0; 256]);
        assert_eq!(m.stop(), Stop::End, "{target} {clock}");
        let seen: Vec<u32> = (0..200).map(|at| m.lds_word(at)).collect();
        let steps: Vec<u32> = seen.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(
            steps.iter().all(|step| *step == steps[0] && *step > 0),
            "{target} {clock}: {steps:?}"
        );
    }
}

/// A wait for a long time takes few looks, and ends soon after its time: each leap is a small part of what was waited.
#[test]
fn waits_end_in_time() {
    for (target, clock) in CLOCKS {
        for time in [5_000u32, 900_000] {
            let text = format!(
                "wait:
                 {look}
                 {wait}
                 s_cmp_lt_u32 s0, {time}
                 s_cbranch_scc1 wait
                 s_endpgm",
                look = clock.replace("DST", "s[0:1]").replace("DEST", "s0"),
                wait = if *target == "gfx1201" {
                    "s_wait_kmcnt 0x0"
                } else {
                    "s_waitcnt lgkmcnt(0)"
                },
            );
            let mut m = Machine::new(target, &text);
            m.outside.own_time = true;
            let mut waited = 0;
            let mut pauses = 0;
            while m.stop() == Stop::Sleep {
                let wait = m
                    .wave
                    .take_clock_wait()
                    .expect("it looks at the clock alone");
                assert!(wait.from < 100 && wait.to > waited);
                waited = wait.to;
                pauses += 1;
                assert!(pauses < 500, "{target} {clock}");
            }
            let ended = m.wave.sgpr(0);
            assert!(
                ended >= time && ended < time + 3_000 + time / 16,
                "{target} {clock}: {ended} for {time}"
            );
        }
    }
}
