//! Throughput of the vector and scalar ALU rows: millions of wave64 instructions per second on one core.
//!
//! Each stream is a loop over a repeated body; the loop's own three scalar instructions are not counted. Arguments select
//! streams by substring.

use std::time::Instant;

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

const ROWS: usize = 32;
/// Instructions per loop turn, about.
const BODY: usize = 96;

/// Name, EXEC, repeated text.
#[rustfmt::skip]
const STREAMS: &[(&str, u64, &str)] = &[
    ("fma dependent, vector sources",  !0, "v_fma_f32 v0, v0, v1, v2"),
    ("fma dependent, scalar source",   !0, "v_fma_f32 v0, v0, s4, v2"),
    ("fma dependent, half EXEC",       0x5555_5555_5555_5555, "v_fma_f32 v0, v0, v1, v2"),
    ("fmac dependent",                 !0, "v_fmac_f32_e32 v0, v1, v2"),
    ("fma 8 chains",                   !0, "v_fma_f32 v8, v8, v1, v2\nv_fma_f32 v9, v9, v1, v2\nv_fma_f32 v10, v10, v1, v2\nv_fma_f32 v11, v11, v1, v2\nv_fma_f32 v12, v12, v1, v2\nv_fma_f32 v13, v13, v1, v2\nv_fma_f32 v14, v14, v1, v2\nv_fma_f32 v15, v15, v1, v2"),
    ("fma 8 chains, half EXEC",        0x5555_5555_5555_5555, "v_fma_f32 v8, v8, v1, v2\nv_fma_f32 v9, v9, v1, v2\nv_fma_f32 v10, v10, v1, v2\nv_fma_f32 v11, v11, v1, v2\nv_fma_f32 v12, v12, v1, v2\nv_fma_f32 v13, v13, v1, v2\nv_fma_f32 v14, v14, v1, v2\nv_fma_f32 v15, v15, v1, v2"),
    ("add, mul",                       !0, "v_add_f32_e32 v8, v8, v1\nv_mul_f32_e32 v9, v9, v1"),
    ("max, min",                       !0, "v_max_f32_e32 v8, v8, v1\nv_min_f32_e32 v9, v9, v1"),
    ("integer and logic",              !0, "v_add_u32_e32 v3, v3, v4\nv_xor_b32_e32 v4, v3, v5\nv_and_b32_e32 v5, v3, v6\nv_lshlrev_b32_e32 v6, 3, v4\nv_or_b32_e32 v5, v5, v6\nv_sub_u32_e32 v3, v4, v5\nv_max_u32_e32 v6, v3, v4\nv_lshl_add_u32 v4, v5, 2, v3"),
    ("integer and logic, half EXEC",   0x5555_5555_5555_5555, "v_add_u32_e32 v3, v3, v4\nv_xor_b32_e32 v4, v3, v5\nv_and_b32_e32 v5, v3, v6\nv_lshlrev_b32_e32 v6, 3, v4\nv_or_b32_e32 v5, v5, v6\nv_sub_u32_e32 v3, v4, v5\nv_max_u32_e32 v6, v3, v4\nv_lshl_add_u32 v4, v5, 2, v3"),
    ("compare and select",             !0, "v_cmp_lt_i32_e32 vcc, v3, v4\nv_cndmask_b32_e32 v5, v6, v5, vcc"),
    ("compare alone",                  !0, "v_cmp_lt_i32_e32 vcc, v3, v4"),
    ("compare f32",                    !0, "v_cmp_lt_f32_e32 vcc, v1, v2"),
    ("select alone",                   !0, "v_cndmask_b32_e32 v5, v6, v5, vcc"),
    ("carry chain",                    !0, "v_add_co_u32_e32 v3, vcc, v3, v4\nv_addc_co_u32_e32 v5, vcc, v5, v6, vcc"),
    ("mad_u64_u32",                    !0, "v_mad_u64_u32 v[8:9], s[4:5], v3, v4, v[8:9]"),
    ("lshlrev_b64",                    !0, "v_lshlrev_b64 v[8:9], 2, v[8:9]"),
    ("mul_lo_u32",                     !0, "v_mul_lo_u32 v3, v3, v4"),
    ("pk_fma_f32",                     !0, "v_pk_fma_f32 v[8:9], v[8:9], v[10:11], v[12:13]"),
    ("fma_f64",                        !0, "v_fma_f64 v[8:9], v[8:9], v[10:11], v[12:13]"),
    ("pk_fma_f16",                     !0, "v_pk_fma_f16 v8, v8, v9, v10"),
    ("fma_f16",                        !0, "v_fma_f16 v8, v8, v9, v10"),
    ("exp_f32",                        !0, "v_exp_f32_e32 v3, v1"),
    ("rcp_f32",                        !0, "v_rcp_f32_e32 v3, v1"),
    ("sin_f32",                        !0, "v_sin_f32_e32 v3, v1"),
    ("cvt f32 to i32 and back",        !0, "v_cvt_i32_f32_e32 v3, v1\nv_cvt_f32_i32_e32 v4, v3"),
    ("cvt f16",                        !0, "v_cvt_f16_f32_e32 v3, v1\nv_cvt_f32_f16_e32 v4, v3"),
    ("cvt f64",                        !0, "v_cvt_f64_f32_e32 v[8:9], v1\nv_cvt_f32_f64_e32 v4, v[8:9]"),
    ("DPP add",                        !0, "v_add_f32_dpp v3, v3, v1 row_shr:1 row_mask:0xf bank_mask:0xf"),
    ("SDWA add",                       !0, "v_add_u32_sdwa v3, v3, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD"),
    ("negated source",                 !0, "v_fma_f32 v0, -v0, v1, v2"),
    ("division",                       !0, "v_div_scale_f32 v3, s[4:5], v2, v2, v1\nv_div_fmas_f32 v4, v1, v2, v1\nv_div_fixup_f32 v5, v4, v2, v1"),
    ("mov",                            !0, "v_mov_b32_e32 v3, v4"),
    ("readlane, writelane",            !0, "v_readlane_b32 s8, v3, 5\nv_writelane_b32 v3, s8, 7"),
    ("scalar mix",                     !0, "s_add_u32 s4, s4, s5\ns_lshl_b32 s6, s4, 3\ns_and_b64 s[8:9], s[4:5], s[6:7]\ns_cselect_b32 s5, s4, s6"),
];

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    for &(name, exec, text) in STREAMS {
        if wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str())) {
            println!("{name:34} {:8.1} M/s", measure(exec, text));
        }
    }
}

fn measure(exec: u64, text: &str) -> f64 {
    let target = Target::find("gfx90a").expect("gfx90a");
    let per_text = text.lines().count();
    let repeats = BODY.div_ceil(per_text);
    let body = format!("{text}\n").repeat(repeats);
    let code = isa::Assembler::new(target)
        .map(|assembler| {
            assembler.assemble(&format!(
                "loop:\n{body}s_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 loop\ns_endpgm"
            ))
        })
        .expect("assembler")
        .expect("text");
    let config = Config {
        target,
        wave_size: 64,
        agpr_base: ROWS as u32,
        vector_rows: ROWS as u32,
    };
    let program = Program::new(config, isa::Decoder::new(target).expect("decoder"));
    let mut memory = Memory::new(&Everything);
    let segment = program
        .segment(&mut memory, code.as_ptr().expose_provenance() as u64)
        .expect("code");
    let mut wave = Wave::new(segment.clone(), ROWS, 64, 0x3f0);
    let mut env = Env {
        memory,
        lds: Vec::new(),
        program: &program,
        host: &Silent,
        counts: Counts::new(),
    };
    // Short runs, many of them: the best one is undisturbed even on a busy machine.
    let turns = 250u32;
    let mut best = f64::MAX;
    for _ in 0..80 {
        wave.restart(&segment, 0x3f0, 0x3f80_0000);
        for lane in 0..64 {
            wave.set_vgpr(1, lane, (0.5 + lane as f32 / 1000.0).to_bits());
            wave.set_vgpr(2, lane, 1.25f32.to_bits());
        }
        wave.set_sgpr(4, 0.75f32.to_bits());
        wave.set_sgpr(20, turns);
        wave.set_exec(exec);
        let start = Instant::now();
        assert_eq!(run(&mut wave, &mut env, u32::MAX), Stop::End);
        best = best.min(start.elapsed().as_secs_f64());
    }
    f64::from(turns) * (per_text * repeats) as f64 / best / 1e6
}
