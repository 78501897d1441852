//! Waves that wait for the time to come let others run meanwhile.

use std::sync::atomic::{AtomicU64, Ordering};

use gfx::Target;
use wave::{AddressSpace, Config, Counts, Env, Host, Memory, Program, Range, Stop, Wave, run};

/// The code, wherever it lies.
struct Everything;

impl AddressSpace for Everything {
    fn generation(&self) -> u64 {
        0
    }
    fn find(&self, address: u64) -> Option<Range> {
        (address >= 4096).then_some(Range {
            start: 4096,
            end: !0,
            writable: true,
        })
    }
}

/// A clock that ticks when somebody looks at it.
struct Clock(AtomicU64);

impl Host for Clock {
    fn send_message(&self, _: u32, _: u32) {}
    fn real_time(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// Runs `text` to its end; what it paused for.
fn pauses(text: &str) -> Vec<Stop> {
    let target = Target::find("gfx90a").unwrap();
    let code = isa::Assembler::new(target).unwrap().assemble(text).unwrap();
    let config = Config {
        target,
        wave_size: 64,
        agpr_base: 8,
        vector_rows: 8,
    };
    let program = Program::new(config, isa::Decoder::new(target).unwrap());
    let mut memory = Memory::new(&Everything);
    let entry = code.as_ptr().expose_provenance() as u64;
    let segment = program.segment(&mut memory, entry).unwrap();
    let mut wave = Wave::new(segment, 8, 64, 0x3f0);
    let mut env = Env {
        memory,
        lds: Vec::new(),
        program: &program,
        host: &Clock(AtomicU64::new(0)),
        counts: Counts::new(),
    };
    let mut pauses = Vec::new();
    loop {
        match run(&mut wave, &mut env, 1_000_000) {
            Stop::End => return pauses,
            pause => pauses.push(pause),
        }
        assert!(pauses.len() < 1_000, "the clock goes on");
    }
}

#[test]
fn waiting_for_a_time_lets_others_run() {
    for clock in ["s_memtime", "s_memrealtime"] {
        let text = format!(
            "wait:
             {clock} s[0:1]
             s_waitcnt lgkmcnt(0)
             s_cmp_lt_u32 s0, 320
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
