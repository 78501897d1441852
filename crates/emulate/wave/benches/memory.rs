//! Speed of memory instructions in M wave64 instructions per second: `cargo bench -p wave --bench memory [-- PART]`
//! prints one line per pattern whose name contains PART.

#[allow(dead_code, reason = "tests use the rest")]
#[path = "../tests/harness/mod.rs"]
mod harness;

use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

use harness::Machine;

/// Copies of the instruction in the loop, and turns of the loop.
const UNROLL: usize = 64;
const TURNS: u32 = 100_000;
const TURNS_OF_SLOW: u32 = 10_000;

/// The address at which FLAT instructions see LDS.
const SHARED: u64 = 0x1_0000_0000_0000;
const HALF: u64 = 0x5555_5555_5555_5555;

struct Case {
    name: &'static str,
    instruction: &'static str,
    exec: u64,
    /// Bytes between lanes.
    stride: usize,
    turns: u32,
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case { name: "global load, consecutive",         instruction: "global_load_dword v8, v1, s[2:3]",            exec: !0,   stride: 4,   turns: TURNS },
    Case { name: "global load, stride 132",          instruction: "global_load_dword v8, v1, s[2:3]",            exec: !0,   stride: 132, turns: TURNS },
    Case { name: "global load, consecutive, half",   instruction: "global_load_dword v8, v1, s[2:3]",            exec: HALF, stride: 4,   turns: TURNS },
    Case { name: "global load, stride 132, half",    instruction: "global_load_dword v8, v1, s[2:3]",           exec: HALF, stride: 132, turns: TURNS },
    Case { name: "global load, 64-bit, half",        instruction: "global_load_dword v8, v[2:3], off",          exec: HALF, stride: 4,   turns: TURNS },
    Case { name: "global load, 64-bit, stride 132",  instruction: "global_load_dword v8, v[2:3], off",           exec: !0,   stride: 132, turns: TURNS },
    Case { name: "global load x4, consecutive",      instruction: "global_load_dwordx4 v[8:11], v1, s[2:3]",     exec: !0,   stride: 16,  turns: TURNS },
    Case { name: "global load x4, half",             instruction: "global_load_dwordx4 v[8:11], v1, s[2:3]",     exec: HALF, stride: 16,  turns: TURNS },
    Case { name: "global load x4, stride 132, half", instruction: "global_load_dwordx4 v[8:11], v1, s[2:3]",    exec: HALF, stride: 132, turns: TURNS },
    Case { name: "global load ubyte, consecutive",   instruction: "global_load_ubyte v8, v1, s[2:3]",            exec: !0,   stride: 1,   turns: TURNS },
    Case { name: "flat load, consecutive",           instruction: "flat_load_dword v8, v[2:3]",                  exec: !0,   stride: 4,   turns: TURNS },
    Case { name: "global store, consecutive",        instruction: "global_store_dword v1, v5, s[2:3]",           exec: !0,   stride: 4,   turns: TURNS },
    Case { name: "global store, stride 132",         instruction: "global_store_dword v1, v5, s[2:3]",           exec: !0,   stride: 132, turns: TURNS },
    Case { name: "global store, consecutive, half",  instruction: "global_store_dword v1, v5, s[2:3]",           exec: HALF, stride: 4,   turns: TURNS },
    Case { name: "global store, stride 132, half",   instruction: "global_store_dword v1, v5, s[2:3]",          exec: HALF, stride: 132, turns: TURNS },
    Case { name: "global store x4, consecutive",     instruction: "global_store_dwordx4 v1, v[4:7], s[2:3]",     exec: !0,   stride: 16,  turns: TURNS },
    Case { name: "global store x4, half",            instruction: "global_store_dwordx4 v1, v[4:7], s[2:3]",    exec: HALF, stride: 16,  turns: TURNS },
    Case { name: "LDS read, consecutive",            instruction: "ds_read_b32 v8, v4",                          exec: !0,   stride: 4,   turns: TURNS },
    Case { name: "LDS read, stride 132",             instruction: "ds_read_b32 v8, v4",                          exec: !0,   stride: 132, turns: TURNS },
    Case { name: "LDS read, consecutive, half",      instruction: "ds_read_b32 v8, v4",                          exec: HALF, stride: 4,   turns: TURNS },
    Case { name: "LDS read, uniform",                instruction: "ds_read_b32 v8, v4",                          exec: !0,   stride: 0,   turns: TURNS },
    Case { name: "LDS read2, uniform",               instruction: "ds_read2_b32 v[8:9], v4 offset1:1",           exec: !0,   stride: 0,   turns: TURNS },
    Case { name: "LDS read b128, consecutive",       instruction: "ds_read_b128 v[8:11], v4",                    exec: !0,   stride: 16,  turns: TURNS },
    Case { name: "LDS read b128, half",              instruction: "ds_read_b128 v[8:11], v4",                   exec: HALF, stride: 16,  turns: TURNS },
    Case { name: "LDS read b64, half",               instruction: "ds_read_b64 v[8:9], v4",                     exec: HALF, stride: 8,   turns: TURNS },
    Case { name: "LDS write, consecutive",           instruction: "ds_write_b32 v4, v5",                         exec: !0,   stride: 4,   turns: TURNS },
    Case { name: "LDS write, stride 132",            instruction: "ds_write_b32 v4, v5",                         exec: !0,   stride: 132, turns: TURNS },
    Case { name: "LDS write, consecutive, half",     instruction: "ds_write_b32 v4, v5",                         exec: HALF, stride: 4,   turns: TURNS },
    Case { name: "LDS write b64, half",              instruction: "ds_write_b64 v4, v[6:7]",                    exec: HALF, stride: 8,   turns: TURNS },
    Case { name: "ds_bpermute",                      instruction: "ds_bpermute_b32 v8, v4, v5",                  exec: !0,   stride: 132, turns: TURNS },
    Case { name: "ds_swizzle",                       instruction: "ds_swizzle_b32 v8, v5 offset:swizzle(SWAP,1)", exec: !0,  stride: 4,   turns: TURNS },
    Case { name: "LDS add, consecutive",             instruction: "ds_add_u32 v4, v5",                           exec: !0,   stride: 4,   turns: TURNS },
    Case { name: "LDS add returning, stride 132",    instruction: "ds_add_rtn_u32 v8, v4, v5",                   exec: !0,   stride: 132, turns: TURNS },
    Case { name: "LDS add, one address",             instruction: "ds_add_u32 v4, v5",                           exec: !0,   stride: 0,   turns: TURNS },
    Case { name: "global add, one address",          instruction: "global_atomic_add v1, v5, s[2:3]",            exec: !0,   stride: 0,   turns: TURNS },
    Case { name: "global add, consecutive",          instruction: "global_atomic_add v1, v5, s[2:3]",            exec: !0,   stride: 4,   turns: TURNS_OF_SLOW },
    Case { name: "global add f32, consecutive",      instruction: "global_atomic_add_f32 v1, v5, s[2:3]",        exec: !0,   stride: 4,   turns: TURNS_OF_SLOW },
    Case { name: "global add f32, one address",      instruction: "global_atomic_add_f32 v1, v5, s[2:3]",        exec: !0,   stride: 0,   turns: TURNS_OF_SLOW },
    Case { name: "global add f64, stride 136",       instruction: "global_atomic_add_f64 v1, v[6:7], s[2:3]",    exec: !0,   stride: 136, turns: TURNS_OF_SLOW },
    Case { name: "global add f64, one address",      instruction: "global_atomic_add_f64 v1, v[6:7], s[2:3]",    exec: !0,   stride: 0,   turns: TURNS_OF_SLOW },
    Case { name: "flat add f64, in LDS",             instruction: "flat_atomic_add_f64 v[10:11], v[6:7]",        exec: !0,   stride: 8,   turns: TURNS_OF_SLOW },
    Case { name: "global cmpswap, one address",      instruction: "global_atomic_cmpswap v8, v1, v[6:7], s[2:3] glc", exec: !0, stride: 0, turns: TURNS_OF_SLOW },
    Case { name: "buffer load, consecutive",         instruction: "buffer_load_dword v8, v1, s[4:7], 0 offen",   exec: !0,   stride: 4,   turns: TURNS },
    Case { name: "buffer load, half",                instruction: "buffer_load_dword v8, v1, s[4:7], 0 offen",   exec: HALF, stride: 4,   turns: TURNS },
    Case { name: "scratch spill (buffer store)",     instruction: "buffer_store_dword v5, off, s[8:11], 0 offset:16", exec: !0, stride: 4, turns: TURNS },
    Case { name: "scratch reload (buffer load)",     instruction: "buffer_load_dword v8, off, s[8:11], 0 offset:16",  exec: !0, stride: 4, turns: TURNS },
    Case { name: "private load, one index",          instruction: "buffer_load_dword v8, v9, s[8:11], 0 offen",  exec: !0,   stride: 4,   turns: TURNS },
    Case { name: "private load, own index",          instruction: "buffer_load_dword v8, v1, s[8:11], 0 offen",  exec: !0,   stride: 4,   turns: TURNS_OF_SLOW },
    Case { name: "private store, own index",         instruction: "buffer_store_dword v5, v1, s[8:11], 0 offen", exec: !0,   stride: 4,   turns: TURNS_OF_SLOW },
    Case { name: "private load, own index, half",    instruction: "buffer_load_dword v8, v1, s[8:11], 0 offen",  exec: HALF, stride: 4,   turns: TURNS_OF_SLOW },
    Case { name: "private load ubyte, one index",    instruction: "buffer_load_ubyte v8, v9, s[8:11], 0 offen",  exec: !0,   stride: 4,   turns: TURNS_OF_SLOW },
    Case { name: "private store byte, one index",    instruction: "buffer_store_byte v5, v9, s[8:11], 0 offen",  exec: !0,   stride: 4,   turns: TURNS_OF_SLOW },
    Case { name: "private load ubyte, own index",    instruction: "buffer_load_ubyte v8, v1, s[8:11], 0 offen",  exec: !0,   stride: 4,   turns: TURNS_OF_SLOW },
    Case { name: "private store byte, own index",    instruction: "buffer_store_byte v5, v1, s[8:11], 0 offen",  exec: !0,   stride: 4,   turns: TURNS_OF_SLOW },
];

fn main() {
    let part = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'))
        .unwrap_or_default();
    for case in CASES.iter().filter(|case| case.name.contains(&part)) {
        println!("{:36} {:8.1} M/s", case.name, speed(case));
    }
}

fn speed(case: &Case) -> f64 {
    // The multiplied value tells the engine that the loop does not wait for memory: it does not grow evenly.
    let body = format!("{}\n", case.instruction).repeat(UNROLL);
    let text = format!(
        "s_mov_b32 s20, {}
         loop:
         {body}
         s_mul_i32 s21, s21, s22
         s_sub_u32 s20, s20, 1
         s_cmp_lg_u32 s20, 0
         s_cbranch_scc1 loop",
        case.turns
    );
    let mut memory = vec![0u32; 1 << 16];
    let mut m = Machine::new("gfx90a", &text);
    let base = m.map(&mut memory);
    m.lds_words(vec![0; 1 << 14]).exec(case.exec);
    m.sgpr64(2, base)
        .sgpr64(4, base)
        .sgpr(6, 1 << 18)
        .sgpr(7, 0);
    for (index, value) in wave::scratch_descriptor(base, 64, 1024, false)
        .into_iter()
        .enumerate()
    {
        m.sgpr(8 + index, value);
    }
    let offset = |lane: usize| (case.stride * lane) as u32;
    m.vgpr(1, offset)
        .vgpr64(2, |lane| base + u64::from(offset(lane)))
        .vgpr(5, |lane| lane as u32);
    m.wave.shared_aperture = SHARED;
    m.vgpr(9, |_| 64)
        .vgpr64(10, |lane| SHARED + u64::from(offset(lane)));
    // v4 overlaps the data of wide stores, which do not care.
    m.vgpr(4, offset);
    let start = processor_time();
    m.run();
    let seconds = (processor_time() - start).as_secs_f64();
    f64::from(UNROLL as u32 * case.turns) / seconds / 1e6
}

/// Time this thread has run, which other load on the machine does not stretch; wall time where Linux does not tell.
fn processor_time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse().ok())
        .map_or_else(|| START.elapsed(), Duration::from_nanos)
}
