//! A loop with divergence, scalar control, memory and carries, against the same computation on the host.

use gfx::Target;
use wave::{AddressSpace, Config, Counts, Env, Host, Memory, Program, Range, Stop, Wave, run};

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

struct Silent;

impl Host for Silent {
    fn send_message(&self, _: u32, _: u32) {}
    fn real_time(&self) -> u64 {
        0
    }
}

fn assemble(target: &'static Target, text: &str) -> Vec<u8> {
    isa::Assembler::new(target).unwrap().assemble(text).unwrap()
}

#[test]
fn triangular_numbers_by_divergent_loop() {
    let target = Target::find("gfx90a").unwrap();
    let code = assemble(
        target,
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
    );
    let config = Config {
        target,
        wave_size: 64,
        agpr_base: 8,
        vector_rows: 8,
    };
    let program = Program::new(config, isa::Decoder::new(target).unwrap());
    let mut memory = Memory::new(&Everything);
    let segment = program
        .segment(&mut memory, code.as_ptr().expose_provenance() as u64)
        .unwrap();
    let mut wave = Wave::new(segment, 8, 64, 0x3f0);
    let mut output = [0u32; 64];
    let pointer = output.as_mut_ptr().expose_provenance() as u64;
    wave.set_sgpr(0, pointer as u32);
    wave.set_sgpr(1, (pointer >> 32) as u32);
    for lane in 0..64 {
        wave.set_vgpr(0, lane, lane as u32);
    }
    let mut env = Env {
        memory,
        lds: Vec::new(),
        program: &program,
        host: &Silent,
        counts: Counts::new(),
    };
    assert_eq!(run(&mut wave, &mut env, 1_000_000), Stop::End);
    for (lane, &sum) in output.iter().enumerate() {
        assert_eq!(sum, (lane * (lane + 1) / 2) as u32, "lane {lane}");
    }
    // 3 before the loop; 63 full turns of 7, one of 3; 4 after.
    let mut total = wave::InstCount::default();
    env.counts.for_each(|_, _, count| {
        total.waves += count.waves;
        total.lanes += count.lanes;
    });
    assert_eq!(total.waves, 3 + 63 * 7 + 3 + 4);
    // The compare and the AND of turn t see the lanes that were active before, the body those whose counter is not yet zero.
    let head: u64 = (0..=63u64).map(|turn| 64 - turn).sum();
    let body: u64 = (0..63u64).map(|turn| 63 - turn).sum();
    assert_eq!(total.lanes, 3 * 64 + 2 * head + body * 5 + 3 * 64);
}
