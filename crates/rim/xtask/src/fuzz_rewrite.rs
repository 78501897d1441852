//! `cargo xtask fuzz rewrite`: random kernels, compiled for a random target, instrumented and compared with themselves.
//!
//! Every kernel has a number; with the same number the same kernel is made. `luthier verify` runs it with and without tools, or with dead
//! registers overwritten, and compares at every instruction. Kernels with a difference are kept in `fuzz/artifacts/rewrite`.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

use crate::{fuzz_count::Random, root};

/// One of every family that is emulated.
const TARGETS: &[&str] = &[
    "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1100",
    "gfx1151", "gfx1201",
];
pub const LEVELS: &[&str] = &["-O0", "-O1", "-O2", "-O3", "-Os"];
/// Options of the checks.
const CHECKS: &[&[&str]] = &[
    &["-t", "instr-count"],
    &["-t", "bb-count"],
    &["-t", "mem-trace"],
    &["-t", "mem-coalesce"],
    &["-t", "instr-count,bb-count,mem-trace"],
    &["--poison"],
];
/// Words of the kernel's input.
const WORDS: u64 = 1024;
const DEPTH: u32 = 3;

/// Tries kernels from number `first` on for so many seconds.
pub fn run(seconds: u32, first: u64) -> Result<Vec<String>> {
    let luthier = root().join("target/release/luthier");
    ensure!(
        luthier.exists(),
        "{} is missing: run ./dev build",
        luthier.display()
    );
    let work = root().join("fuzz/target/rewrite");
    let artifacts = root().join("fuzz/artifacts/rewrite");
    for folder in [&work, &artifacts] {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let mut complaints = Vec::new();
    let (mut same, mut long, mut refused) = (0, 0, Vec::new());
    let (mut number, began) = (first, Instant::now());
    while began.elapsed() < Duration::from_secs(seconds.into()) {
        let mut random = Random::new(number);
        let (source, object) = (work.join("work.cl"), work.join("work.co"));
        fs::write(&source, kernel(&mut random)).context("cannot write the kernel")?;
        fs::write(work.join("in.bin"), input(&mut random)).context("cannot write the input")?;
        let (target, level) = (random.pick(TARGETS), random.pick(LEVELS));
        compile(&source, &object, target, level)?;
        let check = CHECKS[random.below(CHECKS.len() as u64) as usize];
        let output = verify(&luthier, &work, check)?;
        let what = format!("kernel {number} for {target} {level} {}", check.join(" "));
        match output.status.code() {
            Some(0) => same += 1,
            Some(3) => long += 1,
            Some(2) if !said(&output).contains("panicked") => {
                refused.push(format!("{what}: {}", said(&output).trim()))
            }
            _ => {
                for (file, ending) in [(&source, "cl"), (&object, "co")] {
                    fs::copy(file, artifacts.join(format!("{number}.{ending}")))?;
                }
                fs::copy(work.join("in.bin"), artifacts.join(format!("{number}.bin")))?;
                complaints.push(format!("{what}: {:?}: {}", output.status, said(&output)));
            }
        }
        number += 1;
    }
    println!(
        "rewrite: kernels {first} to {}: {same} the same, {long} the same as far as they were run, {} refused, {} not the same",
        number - 1,
        refused.len(),
        complaints.len()
    );
    refused.iter().for_each(|reason| println!("  {reason}"));
    Ok(complaints)
}

fn said(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8_lossy(&both).into_owned()
}

fn compile(source: &Path, object: &PathBuf, target: &str, level: &str) -> Result<()> {
    let output = Command::new("clang-22")
        .args(["--target=amdgcn-amd-amdhsa", "-nogpulib", "-w", level])
        .arg(format!("-mcpu={target}"))
        .arg(source)
        .arg("-o")
        .arg(object)
        .output()
        .context("cannot run clang-22; ./dev setup installs it")?;
    ensure!(
        output.status.success(),
        "clang-22 does not compile {}: {}",
        source.display(),
        said(&output)
    );
    Ok(())
}

fn verify(luthier: &Path, work: &Path, check: &[&str]) -> Result<Output> {
    Command::new(luthier)
        .current_dir(work)
        .args([
            "verify", "work.co", "-k", "work", "--grid", "2", "--block", "128",
        ])
        .args([
            "--limit",
            "10",
            "--arg",
            "zero:16384",
            "--arg",
            "file:in.bin",
        ])
        .args(check)
        .output()
        .context("cannot run luthier")
}

fn input(random: &mut Random) -> Vec<u8> {
    (0..WORDS)
        .flat_map(|_| (random.below(1 << 32) as u32).to_le_bytes())
        .collect()
}

/// A kernel that ends, and in which no wave changes another's results. No function calls itself: the compiler counts one frame for that, so
/// without optimisation deeper frames would lie in other waves' scratch. Products are hidden from their additions: otherwise the compiler
/// would do both with 64 bits whose upper half is any value in a register (`v_mad_u64_u32`). The value may be an old return address, which
/// differs when code has moved.
fn kernel(random: &mut Random) -> String {
    let mut text = String::from(
        "typedef unsigned int uint; typedef unsigned long ulong;\n\
         static __attribute__((always_inline)) uint product(uint a, uint b) { uint c = a * b; __asm__(\"\" : \"+v\"(c)); return c; }\n\
         __attribute__((noinline)) uint mixed(uint a, uint b) { return product(a ^ b >> 3, 2654435761u) + (b << 7); }\n\
         __attribute__((noinline)) float halved(float a, float b) { return a * 0.5f + (b != 0.0f ? a / b : 1.0f); }\n\
         __attribute__((noinline)) uint bottom(uint a, uint n) { return n ? (a ^ n) - (a >> 1) : a; }\n\
         __attribute__((noinline)) uint under(uint a, uint n) { return n ? bottom((a ^ n) - (a >> 1), n - 1) : a; }\n\
         __attribute__((noinline)) uint down(uint a, uint n) { return n ? under((a ^ n) - (a >> 1), n - 1) : a; }\n\
         kernel void work(global uint *out, global const uint *in) {\n\
         local uint room[128];\n\
         uint lane = __builtin_amdgcn_workitem_id_x();\n\
         uint self = __builtin_amdgcn_workgroup_id_x() * 128 + lane;\n\
         uint a = in[self], b = in[self + 256], c = lane, d = self * 7;\n\
         float f = (float)a, g = (float)(b & 255); ulong q = (ulong)a << 20 | b; double e = (double)c;\n\
         room[lane] = a;\n\
         __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, \"workgroup\"); __builtin_amdgcn_s_barrier();\n",
    );
    for _ in 0..4 + random.below(12) {
        statement(random, &mut text, DEPTH);
    }
    text.push_str(
        "__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, \"workgroup\"); __builtin_amdgcn_s_barrier();\n\
         c += room[lane ^ 1];\n\
         global uint *own = out + self * 8;\n\
         own[0] = a; own[1] = b; own[2] = c; own[3] = d; own[4] = as_uint_(f); own[5] = (uint)q; own[6] = (uint)(q >> 32); own[7] = (uint)(e * 3.0);\n}\n",
    );
    text.replace("as_uint_(f)", "__builtin_bit_cast(uint, f)")
}

fn variable(random: &mut Random) -> &'static str {
    ["a", "b", "c", "d"][random.below(4) as usize]
}

fn value(random: &mut Random, depth: u32) -> String {
    if depth == 0 {
        return match random.below(4) {
            0 => format!("{}u", random.below(1 << 32)),
            1 => format!("{}u", random.below(64)),
            _ => variable(random).to_owned(),
        };
    }
    let (x, y) = (value(random, depth - 1), value(random, depth - 1));
    match random.below(15) {
        0..=1 => format!("({x} + {y})"),
        2 => format!("product({x}, {y})"),
        3 => format!("({x} ^ {y})"),
        4 => format!("({x} >> ({y} & 31))"),
        5 => format!("({x} / ({y} | 1u))"),
        6 => format!("in[{x} & {}u]", WORDS - 1),
        7 => "room[lane]".to_owned(),
        8 => format!("mixed({x}, {y})"),
        9 => format!("down({x}, {y} & 3u)"),
        10 => format!("__builtin_amdgcn_readfirstlane({x})"),
        11 => format!("__builtin_amdgcn_ds_bpermute(({x} & 31u) * 4, {y})"),
        12 => format!("__builtin_popcount({x})"),
        13 => "__builtin_amdgcn_mbcnt_lo(~0u, a & 15u)".to_owned(),
        _ => format!("(({x} < {y}) ? {x} : {y})"),
    }
}

fn statement(random: &mut Random, text: &mut String, depth: u32) {
    let kind = random.below(if depth == 0 { 7 } else { 12 });
    let (to, x) = (variable(random), value(random, 2));
    // Writing to a string cannot fail.
    let mut add = |part: std::fmt::Arguments<'_>| _ = text.write_fmt(part);
    match kind {
        0..=1 => add(format_args!("{to} = {x};\n")),
        2 => add(format_args!("{to} += {x};\n")),
        3 => add(format_args!("f = halved(f, (float)({x} & 1023u)) + g;\n")),
        4 => add(format_args!(
            "q = q * 6364136223846793005ul + {x}; {to} ^= (uint)(q >> 33);\n"
        )),
        5 => add(format_args!("e = e * 1.25 + (double)({x} & 4095u);\n")),
        6 => add(format_args!("room[lane] = {x};\n")),
        7 => {
            add(format_args!("if ({x} & {}u) {{\n", 1 << random.below(8)));
            statement(random, text, depth - 1);
            statement(random, text, depth - 1);
            text.push_str("} else {\n");
            statement(random, text, depth - 1);
            text.push_str("}\n");
        }
        8 | 9 => {
            let name = format!("i{depth}{}", random.below(1000));
            add(format_args!(
                "for (uint {name} = 0; {name} < ({x} & 7u); {name}++) {{\n"
            ));
            statement(random, text, depth - 1);
            if random.below(2) == 0 {
                let y = value(random, 1);
                _ = writeln!(text, "if ({y} & 16u) break;");
            }
            statement(random, text, depth - 1);
            text.push_str("}\n");
        }
        10 => {
            add(format_args!("switch ({x} & 7u) {{\n"));
            for case in 0..6 {
                _ = writeln!(text, "case {case}:");
                statement(random, text, 0);
                if random.below(4) != 0 {
                    text.push_str("break;\n");
                }
            }
            text.push_str("}\n");
        }
        _ => add(format_args!(
            "__atomic_fetch_add(out + 2048 + (self & 1023u), {x}, __ATOMIC_RELAXED);\n"
        )),
    }
}
