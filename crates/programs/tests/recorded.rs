//! Records the first dispatch of every kernel of some programs and compares the kernel with tools at every place with the kernel
//! as it was, instruction by instruction: `luthier run --record`, then `luthier verify`.
//!
//! `cargo test -p programs --test recorded -- --all` takes every program; names choose some.

use std::{fs, process::ExitCode};

use anyhow::{Context, Result, ensure};
use programs::{Emulator, Program};

/// Different kinds of control flow, memory and calls.
const USUAL: &[&str] = &["calls", "lanes", "tiles", "wave_algorithms"];
/// What the reasons say for which a kernel is left as it is.
const REFUSALS: &[&str] = &["refuse", "no SGPR is free", "is not understood"];
const TOOLS: &str = "empty,instr-count,bb-count,mem-trace";

/// Kernels of a program that were the same, those that tools refused or that do something else each time, and those with a
/// difference.
#[derive(Default)]
struct Seen {
    same: usize,
    refused: usize,
    unjudged: usize,
    different: Vec<String>,
}

fn main() -> ExitCode {
    if !programs::can_compile() {
        return ExitCode::SUCCESS;
    }
    let (options, names): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|argument| argument.starts_with('-'));
    let all = options.iter().any(|option| option == "--all");
    let wanted = |program: &Program| match names.is_empty() {
        true => all || USUAL.contains(&program.name.as_str()),
        false => names.contains(&program.name),
    };
    let emulator = Emulator::find().expect("the emulator is built");
    let mut chosen = programs::all().expect("programs can be listed");
    chosen.retain(wanted);
    let verdicts = programs::side_by_side(chosen, |program, _| {
        let verdict = judge(&emulator, program);
        match &verdict {
            Ok(seen) => {
                println!(
                    "{:24} {} kernels the same, {} refused, {} not to be judged",
                    program.name, seen.same, seen.refused, seen.unjudged
                );
                for difference in &seen.different {
                    eprintln!("FAILED {}: {difference}", program.name);
                }
            }
            Err(error) => eprintln!("FAILED {}: {error:#}", program.name),
        }
        verdict.map_or((1, 0), |seen| (seen.different.len(), seen.same))
    })
    .expect("there are cores");
    let failed: usize = verdicts.iter().map(|(failed, _)| failed).sum();
    let same: usize = verdicts.iter().map(|(_, same)| same).sum();
    println!("{same} kernels the same, {failed} failures");
    if failed == 0 && same > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn judge(emulator: &Emulator, program: &Program) -> Result<Seen> {
    let executable = programs::compile(program)?;
    let folder = tempfile::tempdir()?;
    let device = program.header.devices.first().context("no device")?;
    let record = ["--record".as_ref(), folder.path().as_os_str()];
    programs::check_with(emulator, program, &executable, device, &record)?;
    let mut seen = Seen::default();
    for entry in fs::read_dir(folder.path())? {
        let path = entry?.path();
        let verdict = emulator
            .command()
            .args(["verify", "-t", TOOLS])
            .arg(&path)
            .output()?;
        let said = String::from_utf8_lossy(&verdict.stdout).trim().to_owned();
        let error = String::from_utf8_lossy(&verdict.stderr).trim().to_owned();
        match verdict.status.code() {
            Some(0) => {
                ensure!(said.contains("the same at"), "{said}");
                seen.same += 1;
            }
            // A refusal keeps a kernel as it is, which is no difference.
            _ if REFUSALS.iter().any(|refusal| error.contains(refusal)) => seen.refused += 1,
            // Kernels that read the clock or wait for the host or each other.
            _ if error.contains("cannot be judged") || error.contains("not at its end") => {
                seen.unjudged += 1;
            }
            _ => seen.different.push(format!("{said}{error}")),
        }
    }
    ensure!(
        seen.same + seen.refused + seen.unjudged + seen.different.len() > 0,
        "nothing was recorded"
    );
    Ok(seen)
}
