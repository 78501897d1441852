//! Waves that wait for the time to come let others run meanwhile.

use crate::harness::{CYCLES_PER_TICK, Machine};
use wave::Stop;

/// Runs `text` to its end, with a clock that ticks when somebody looks at it; what it paused for.
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
