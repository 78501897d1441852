//! `cargo xtask fuzz device`: random programs, which the emulated GPU has to run as the host does.
//!
//! The C standard defines Csmith's programs for all values of their variables. Every lane, with values of its own, therefore has a result
//! that a host's compiler knows. LLVM and GCC are on one side; LLVM's code for the GPU, and Luthier's decoder and engine, on the other.
//! Every program has a number; the same number makes the same program. Programs with different results are kept in `fuzz/artifacts/device`.

mod program;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

use crate::{
    command::{done, said},
    csmith::Csmith,
    fuzz_count::Random,
    fuzz_rewrite::LEVELS,
    root,
};

#[rustfmt::skip]
const TARGETS: &[&str] = &[
    "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1012", "gfx1030", "gfx1100", "gfx1102", "gfx1150", "gfx1151",
    "gfx1200", "gfx1201",
];
/// Csmith's bounds: many functions, or deep ones. Its constants and constant pointers could not be changed for a lane.
#[rustfmt::skip]
const BOUNDS: [&[&str]; 2] = [
    &["--max-funcs", "5", "--max-block-depth", "3", "--max-expr-complexity", "6"],
    &["--max-funcs", "4", "--max-block-depth", "4", "--max-block-size", "3"],
];
#[rustfmt::skip]
const OPTIONS: &[&str] = &["--no-argc", "--quiet", "--concise", "--no-consts", "--no-const-pointers", "--output", "csmith.c"];
/// Flags of all compilers.
#[rustfmt::skip]
const FLAGS: &[&str] = &["-w", "-ffreestanding"];
/// Builds for a GPU of each program.
const BUILDS_OF_EACH: usize = 3;
/// The host's limit for all lanes (Csmith's programs need not end).
const SECONDS_ON_HOST: &str = "2";
const SECONDS_ON_DEVICE: &str = "60";

/// Tries programs from number `first` on for so many seconds.
pub fn run(seconds: u32, first: u64) -> Result<Vec<String>> {
    let work = root().join("fuzz/target/device");
    fs::create_dir_all(&work).with_context(|| work.display().to_string())?;
    let csmith = Csmith::find()?;
    let began = Instant::now();
    let (mut same, mut long, mut complaints) = (0, 0, Vec::new());
    let mut number = first;
    while began.elapsed() < Duration::from_secs(seconds.into()) {
        match check(&work, &csmith, number) {
            Ok(0) => long += 1,
            Ok(builds) => same += builds,
            Err(error) => {
                let kept = keep(&work, number)?;
                println!("device: program {number}: {error:#}");
                complaints.push(format!(
                    "device: program {number}: {error:#}\n  kept as {}",
                    kept.display()
                ));
            }
        }
        number += 1;
    }
    println!(
        "device: programs {first} to {}: {same} builds compute what the host does, {long} programs took too long, {} failed",
        number - 1,
        complaints.len()
    );
    Ok(complaints)
}

fn keep(work: &Path, number: u64) -> Result<PathBuf> {
    let kept = root().join("fuzz/artifacts/device");
    fs::create_dir_all(&kept).with_context(|| kept.display().to_string())?;
    let to = kept.join(format!("{number}.c"));
    fs::copy(work.join("program.c"), &to).with_context(|| to.display().to_string())?;
    Ok(to)
}

/// In how many builds the program computes what it should; 0 if it takes too long.
fn check(work: &Path, csmith: &Csmith, number: u64) -> Result<usize> {
    let mut random = Random::new(number);
    let mut writer = csmith.command(work);
    writer.args(["--seed", &number.to_string()]);
    let bounds = BOUNDS[random.below(2) as usize];
    done(writer.args(bounds).args(OPTIONS))?;
    let made = fs::read_to_string(work.join("csmith.c")).context("Csmith wrote nothing")?;
    let made = program::of_each_lane(&made, &mut random)?;
    fs::write(work.join("program.c"), made).context("cannot write the program")?;
    let Some(expected) = on_host(work, csmith, "gcc", "-O1")? else {
        return Ok(0);
    };
    let other = on_host(work, csmith, "clang-22", "-O2")?;
    ensure!(
        other.as_ref() == Some(&expected),
        "compilers for the host do not agree"
    );
    for _ in 0..BUILDS_OF_EACH {
        let (target, level) = (random.pick(TARGETS), random.pick(LEVELS));
        let found =
            on_device(work, csmith, target, level).with_context(|| format!("{target} {level}"))?;
        let lane = (0..program::LANES).find(|lane| {
            let bytes = 8 * lane..8 * lane + 8;
            found.get(bytes.clone()) != expected.get(bytes)
        });
        if let Some(lane) = lane {
            anyhow::bail!("{target} {level}: lane {lane} computes something else");
        }
    }
    Ok(BUILDS_OF_EACH)
}

/// The result of the program on the host, if it ends.
fn on_host(work: &Path, csmith: &Csmith, compiler: &str, level: &str) -> Result<Option<Vec<u8>>> {
    let mut build = Command::new(compiler);
    build.current_dir(work).args(FLAGS).args([
        &csmith.include,
        level,
        "program.c",
        "-o",
        "program",
    ]);
    done(&mut build)?;
    let output = Command::new("timeout")
        .arg(SECONDS_ON_HOST)
        .arg(work.join("program"))
        .output()
        .context("cannot run timeout")?;
    match output.status.code() {
        Some(0) => Ok(Some(output.stdout)),
        Some(124) => Ok(None),
        _ => anyhow::bail!("{compiler}: the program ends with {}", output.status),
    }
}

fn on_device(work: &Path, csmith: &Csmith, target: &str, level: &str) -> Result<Vec<u8>> {
    let mut build = Command::new("clang-22");
    build.current_dir(work).args(FLAGS).args([
        &csmith.include,
        "-x",
        "c",
        "--target=amdgcn-amd-amdhsa",
        "-nogpulib",
        level,
    ]);
    done(
        build
            .arg(format!("-mcpu={target}"))
            .args(["program.c", "-o", "program.co"]),
    )?;
    let bytes = 8 * program::LANES;
    let mut emulate = Command::new(root().join("target/release/luthier"));
    emulate.current_dir(work).args([
        "emulate",
        "program.co",
        "-k",
        "work",
        "--limit",
        SECONDS_ON_DEVICE,
    ]);
    said(emulate.args(["--arg", &format!("zero:{bytes}"), "--dump", "0:out.bin"]))?;
    fs::read(work.join("out.bin")).context("no result")
}
