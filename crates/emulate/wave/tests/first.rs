//! A loop with divergence, scalar control, memory and carries, against the same computation on the host; and what is counted.

use gfx::Target;
use wave::{Counts, Env, Host, InstCount, Memory, Program, Stop, Wave, run};

use crate::harness::{Everything, plain};

struct Silent;

impl Host for Silent {
    fn send_message(&self, _: u32, _: u32) {}
    fn real_time(&self, _target: &Target, _elapsed: u64) -> u64 {
        0
    }
    fn core_time(&self, _target: &Target, _elapsed: u64) -> u64 {
        0
    }
}

fn assemble(target: &'static Target, text: &str) -> Vec<u8> {
    isa::Assembler::new(target).unwrap().assemble(text).unwrap()
}

/// Runs `text` on gfx90a to its end.
fn count(text: &str, prepare: impl Fn(&mut Wave)) -> InstCount {
    count_and_decoded(text, prepare).0
}

/// The same, and how many pieces of code were decoded, with their instructions.
fn count_and_decoded(text: &str, prepare: impl Fn(&mut Wave)) -> (InstCount, (usize, usize)) {
    let target = Target::find("gfx90a").unwrap();
    let code = assemble(target, text);
    let config = plain(target, 64, 8);
    let program = Program::new(config, isa::Decoder::new(target).unwrap());
    let mut memory = Memory::new(&Everything);
    let segment = program
        .segment(&mut memory, code.as_ptr().expose_provenance() as u64)
        .unwrap();
    let mut wave = Wave::new(segment, 8, 64, 0x3f0);
    for lane in 0..64 {
        wave.set_vgpr(0, lane, lane as u32);
    }
    prepare(&mut wave);
    let mut env = Env {
        memory,
        lds: Vec::new(),
        barrier: Default::default(),
        races: None,
        shadow: None,
        program: &program,
        host: &Silent,
        counts: Counts::new(),
        watch: None,
    };
    assert_eq!(run(&mut wave, &mut env, 1_000_000), Stop::End);
    let mut total = InstCount::default();
    env.counts.for_each(|_, _, count| {
        total.waves += count.waves;
        total.lanes += count.lanes;
    });
    (total, program.decoded())
}

#[test]
fn triangular_numbers_by_divergent_loop() {
    let mut output = [0u32; 64];
    let pointer = output.as_mut_ptr().expose_provenance() as u64;
    let total = count(
        "v_mov_b32_e32 v1, 0
         v_mov_b32_e32 v2, v0
         s_mov_b64 s[4:5], exec
         loop:
         v_cmp_ne_u32_e32 vcc, 0, v2
         s_and_b64 exec, exec, vcc
         s_cbranch_execz done
         s_nop 0
         v_add_u32_e32 v1, v1, v2
         v_subrev_u32_e32 v2, 1, v2
         s_branch loop
         done:
         s_mov_b64 exec, s[4:5]
         v_lshlrev_b32_e32 v3, 2, v0
         global_store_dword v3, v1, s[0:1]
         s_endpgm",
        |wave| {
            wave.set_sgpr(0, pointer as u32);
            wave.set_sgpr(1, (pointer >> 32) as u32);
        },
    );
    for (lane, &sum) in output.iter().enumerate() {
        assert_eq!(sum, (lane * (lane + 1) / 2) as u32, "lane {lane}");
    }
    // 3 before the loop; 63 full turns of 7, one of 3; 4 after.
    assert_eq!(total.waves, 3 + 63 * 7 + 3 + 4);
    // The compare and the AND of turn t see the lanes that were active before, the body those whose counter is not yet zero.
    let head: u64 = (0..=63u64).map(|turn| 64 - turn).sum();
    let body: u64 = (0..63u64).map(|turn| 63 - turn).sum();
    assert_eq!(total.lanes, 3 * 64 + 2 * head + body * 5 + 3 * 64);
}

/// Each instruction behind one that writes EXEC runs with the new lanes, also if it does nothing.
#[test]
fn waits_count_the_lanes_that_are_on_then() {
    // With lanes 0 to 7 on, and 8 to 19 in s[6:7].
    for (text, lanes) in [
        ("s_mov_b64 s[4:5], s[6:7]", 8),
        ("s_mov_b64 exec, s[6:7]", 12),
        ("s_or_saveexec_b64 s[4:5], s[6:7]", 20),
        ("s_and_saveexec_b64 s[4:5], s[6:7]", 0),
        ("s_andn2_wrexec_b64 s[4:5], s[6:7]", 12),
        ("v_cmpx_gt_u32 vcc, 3, v0", 3),
        // Instructions that leave it as it is.
        ("s_mov_b64 exec, exec", 8),
        ("s_or_b64 exec, exec, s[8:9]", 8),
        ("s_and_saveexec_b64 s[4:5], exec", 8),
        ("v_cmpx_gt_u32 vcc, 64, v0", 8),
    ] {
        let total = count(
            &format!("{text}\ns_waitcnt lgkmcnt(0)\ns_nop 0\ns_endpgm"),
            |wave| {
                wave.set_exec(0xff);
                wave.set_sgpr(6, 0xf_ff00);
            },
        );
        assert_eq!((total.waves, total.lanes), (4, 8 + 3 * lanes), "{text}");
    }
}

/// Places behind calls through registers lie in code that was decoded already.
#[test]
fn returning_decodes_nothing_again() {
    let (total, (pieces, _)) = count_and_decoded(
        "s_getpc_b64 s[2:3]
         s_add_u32 s2, s2, 24
         s_addc_u32 s3, s3, 0
         s_swappc_b64 s[4:5], s[2:3]
         s_swappc_b64 s[4:5], s[2:3]
         s_endpgm
         s_nop 0
         s_setpc_b64 s[4:5]",
        |_| {},
    );
    assert_eq!((total.waves, pieces), (8, 2));
}

/// More code than one segment holds, from which control goes on to eight places that all lead back to it.
#[test]
fn code_of_any_size_is_decoded_once() {
    const SECTIONS: usize = 43;
    const PLACES: usize = 8;
    let mut text = "s_getpc_b64 s[2:3]
         base:
         s_add_u32 s2, s2, place0-base
         s_addc_u32 s3, s3, 0
         s_cmp_eq_u32 s2, s3
         s_cbranch_scc1 back0
         s_setpc_b64 s[2:3]
         back0: s_nop 0
         "
    .to_owned();
    for section in 1..SECTIONS {
        let before = section - 1;
        text += &format!(
            ".fill 25000, 4, 0xbf800000
             s_branch over{section}
             back{section}: s_branch back{before}
             over{section}: s_nop 0
             "
        );
    }
    text += "s_endpgm\n";
    for place in 0..PLACES {
        let (next, last) = (place + 1, SECTIONS - 1);
        text += &format!(
            "place{place}: s_cbranch_scc1 back{last}
             s_add_u32 s2, s2, place{next}-place{place}
             s_addc_u32 s3, s3, 0
             s_cmp_eq_u32 s2, s3
             s_setpc_b64 s[2:3]
             "
        );
    }
    text += &format!("place{PLACES}: s_endpgm");
    let (total, (pieces, instructions)) = count_and_decoded(&text, |_| {});
    assert_eq!(total.waves, 6 + 5 * PLACES as u64 + 1);
    assert_eq!(pieces, 1 + PLACES + 1);
    let all = 25_002 * SECTIONS + 10 * PLACES;
    assert!(instructions <= all, "{instructions} of {all} at most");
}
