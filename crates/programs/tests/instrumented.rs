//! Runs every program once as it is and once with tools at every instruction, block and access, and compares: the program's
//! own verdict, and what the tools counted with what the emulated GPU itself counted in the first run.
//!
//! `cargo test -p programs --test instrumented -- lanes lds` runs those two; `-- --all-devices` takes every device of each
//! program instead of the first.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    path::Path,
    process::{Command, ExitCode},
};

use anyhow::{Context, Result, bail, ensure};
use programs::{Emulator, Program};
use serde_json::Value;

/// All at once, so that they also have to live with each other.
const TOOLS: &str =
    "empty,instr-count,bb-count,opcode-histogram,mem-coalesce,mem-trace,branch-divergence";

/// What happened to the kernels of a program.
#[derive(Default)]
struct Seen {
    compared: usize,
    refused: Vec<String>,
}

fn main() -> ExitCode {
    if Command::new("hipcc").arg("--version").output().is_err() {
        eprintln!("skipped: hipcc is missing (Debian package hipcc)");
        return ExitCode::SUCCESS;
    }
    let (options, names): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|argument| argument.starts_with('-'));
    let every = options.iter().any(|option| option == "--all-devices");
    let emulator = Emulator::find().expect("the emulator is built");
    let chosen = programs::all().expect("programs can be listed");
    let chosen = chosen
        .into_iter()
        .filter(|program| names.is_empty() || names.contains(&program.name));
    let (mut runs, mut failures, mut total) = (0, Vec::new(), Seen::default());
    for program in chosen {
        let devices = if every {
            program.header.devices.len()
        } else {
            1
        };
        for device in program.header.devices.iter().take(devices) {
            runs += 1;
            match judge(&emulator, &program, device) {
                Ok(seen) => {
                    println!(
                        "{:24} {device:8} {} kernels agree, {} refused",
                        program.name,
                        seen.compared,
                        seen.refused.len()
                    );
                    total.compared += seen.compared;
                    total.refused.extend(seen.refused);
                }
                Err(error) => failures.push(format!("{} on {device}: {error:#}", program.name)),
            }
        }
    }
    for refusal in &total.refused {
        println!("refused: {refusal}");
    }
    for failure in &failures {
        eprintln!("\nFAILED {failure}");
    }
    println!(
        "{runs} runs, {} failures; {} kernels agree, {} refused",
        failures.len(),
        total.compared,
        total.refused.len()
    );
    if failures.is_empty() && runs > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn judge(emulator: &Emulator, program: &Program, device: &str) -> Result<Seen> {
    let executable = programs::compile(program)?;
    let folder = tempfile::tempdir()?;
    let plain = folder.path().join("plain");
    let tools = folder.path().join("tools");
    let run =
        |options: &[&OsStr]| programs::check_with(emulator, program, &executable, device, options);
    let output = OsStr::new("--output");
    run(&[OsStr::new("--stats"), output, plain.as_os_str()]).context("as it is")?;
    run(&[
        OsStr::new("-t"),
        OsStr::new(TOOLS),
        output,
        tools.as_os_str(),
    ])
    .context("with tools")?;
    let expected = emulated(&plain)?;
    let mut seen = Seen::default();
    let summary = read(&tools.join("summary.json"))?;
    for kernel in list(&summary["kernels"])? {
        if let Some(reason) = kernel["refused"].as_str() {
            let name = kernel["name"].as_str().unwrap_or_default();
            seen.refused
                .push(format!("{} {name}: {reason}", program.name));
        }
    }
    if program.header.varies {
        return Ok(seen);
    }
    let counted = read(&tools.join("instr-count.json"))?;
    for kernel in list(&counted)? {
        let name = kernel["kernel"].as_str().unwrap_or_default();
        let counts = (
            kernel["wave_instructions"].as_u64(),
            kernel["lane_instructions"].as_u64(),
        );
        let Some(&(waves, lanes)) = expected.get(name) else {
            bail!("{name} ran with tools only")
        };
        ensure!(
            counts == (Some(waves), Some(lanes)),
            "{name}: the emulated GPU counted {waves} wave and {lanes} lane instructions, the tool {counts:?}"
        );
        seen.compared += 1;
    }
    // Two tools that count differently must agree too.
    let histograms = read(&tools.join("opcode-histogram.json"))?;
    for kernel in list(&histograms)? {
        let name = kernel["kernel"].as_str().unwrap_or_default();
        let opcodes = kernel["opcodes"].as_object().context("opcodes by name")?;
        let sum: u64 = opcodes.values().filter_map(Value::as_u64).sum();
        let waves = expected.get(name).map_or(0, |counts| counts.0);
        ensure!(sum == waves, "{name}: opcodes add up to {sum}, not {waves}");
    }
    Ok(seen)
}

/// Wave and lane instructions by kernel, as the emulated GPU counted them.
fn emulated(folder: &Path) -> Result<BTreeMap<String, (u64, u64)>> {
    let statistics = read(&folder.join("statistics.json"))?;
    let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for kernel in list(&statistics["kernels"])? {
        let name = kernel["kernel"].as_str().context("a kernel has a name")?;
        let sum = counts.entry(name.to_owned()).or_default();
        sum.0 += kernel["wave_instructions"].as_u64().unwrap_or(0);
        sum.1 += kernel["lane_instructions"].as_u64().unwrap_or(0);
    }
    Ok(counts)
}

fn read(path: &Path) -> Result<Value> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_slice(&bytes).with_context(|| format!("{} is damaged", path.display()))
}

fn list(value: &Value) -> Result<&Vec<Value>> {
    value.as_array().context("a list was expected")
}
