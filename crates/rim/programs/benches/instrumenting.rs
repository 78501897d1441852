//! Milliseconds that launches wait for their instrumented kernels: made for the first time, and from the cache.
//!
//! From the cache means reading, checking, filling in addresses and loading; the aim is 50 ms for a whole program.

use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use programs::{Emulator, Program};

const DEVICE: &str = "gfx90a";
/// From one small kernel to many large ones.
const PROGRAMS: [&str; 4] = ["hello", "streams", "lds", "math_float"];
const TOOLS: [&str; 2] = [
    "bb-count",
    "empty,instr-count,bb-count,mem-coalesce,mem-trace",
];

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<()> {
    let emulator = Emulator::find()?;
    println!(
        "{:<12} {:<52} {:>7} {:>8} {:>9} {:>9}",
        "program", "tools", "kernels", "places", "first ms", "cached ms"
    );
    for name in PROGRAMS {
        let program = &programs::named(name)?;
        for tools in TOOLS {
            let cache = tempfile::tempdir()?;
            let first = run(&emulator, program, tools, cache.path())?;
            let again = run(&emulator, program, tools, cache.path())?;
            ensure!(
                again.cached == again.kernels,
                "{name}: not all came from the cache"
            );
            println!(
                "{name:<12} {tools:<52} {:>7} {:>8} {:>9.1} {:>9.1}",
                first.kernels,
                first.places,
                first.seconds * 1e3,
                again.seconds * 1e3
            );
        }
    }
    Ok(())
}

/// Sums over the instrumented kernels of a run.
struct Waited {
    kernels: usize,
    cached: usize,
    places: u64,
    seconds: f64,
}

fn run(
    emulator: &Emulator,
    program: &Program,
    tools: &str,
    cache: &std::path::Path,
) -> Result<Waited> {
    let output = tempfile::tempdir()?;
    let done = emulator
        .command()
        .args(["run", "--device", DEVICE, "-t", tools, "--output"])
        .arg(output.path())
        .arg("--")
        .arg(programs::compile(program)?)
        .env("LUTHIER_CACHE", cache)
        .output()?;
    let errors = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success(), "{}: {errors}", program.name);
    let mut waited = Waited {
        kernels: 0,
        cached: 0,
        places: 0,
        seconds: 0.0,
    };
    for entry in std::fs::read_dir(output.path())? {
        let path = entry?.path();
        let file = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if !file.starts_with("summary.") {
            continue;
        }
        let summary: serde_json::Value = serde_json::from_slice(&std::fs::read(path)?)?;
        let kernels = summary["kernels"].as_array().context("kernels")?.iter();
        for kernel in kernels.filter(|kernel| kernel["status"] == "instrumented") {
            waited.kernels += 1;
            waited.cached += usize::from(kernel["from_cache"] == true);
            waited.places += kernel["sites"].as_u64().unwrap_or(0);
            waited.seconds += kernel["build_seconds"].as_f64().unwrap_or(0.0);
        }
    }
    Ok(waited)
}
