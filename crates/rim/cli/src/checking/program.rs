//! A program that is checked while it runs on an emulated GPU.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::{Command, ExitStatus},
};

use anyhow::{Context, Result, bail};
use check::waits::Executed;
use codeobj::CodeObject;
use launcher::{device, launch};

use super::{Check, Run};

/// Runs the program and takes in what the emulated device has found.
pub fn run(check: &Check, run: &mut Run<'_>) -> Result<ExitStatus> {
    let wanted = check.device.as_deref().unwrap_or(device::DEFAULT_TARGET);
    let Some(target) = device::choose(wanted)? else {
        bail!(
            "a program is checked on an emulated GPU; add --device {}",
            device::DEFAULT_TARGET
        );
    };
    let directory = tempfile::tempdir().context("cannot make a directory for findings")?;
    let mut command = Command::new(&check.program[0]);
    command.args(&check.program[1..]);
    crate::run::check(&check.program[0], target, None)?;
    device::emulate(&mut command, target, None)?;
    command.env("LUTHIER_CHECK_WAITS", directory.path());
    if check.late {
        command.env("LUTHIER_LATE", "1");
    }
    let status = launch::run(&mut command)?;
    take_in(check, run, directory.path())?;
    Ok(status)
}

fn take_in(check: &Check, run: &mut Run<'_>, directory: &Path) -> Result<()> {
    let (mut kernels, mut objects) = (BTreeSet::new(), BTreeMap::<String, Vec<Executed>>::new());
    for entry in fs::read_dir(directory).context("findings")? {
        let path = entry?.path();
        // One for each process.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with("found-") {
            continue;
        }
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            match &fields[..] {
                [_, "kernel", target, name] => {
                    kernels.insert(((*target).to_owned(), (*name).to_owned()));
                }
                [times, "wait", object, rest @ ..] => {
                    let found = Executed::parse(times, rest);
                    let found =
                        found.with_context(|| format!("the emulated GPU wrote {line:?}"))?;
                    objects.entry((*object).to_owned()).or_default().push(found);
                }
                _ => bail!("the emulated GPU wrote {line:?}"),
            }
        }
    }
    let name = check.program[0].to_string_lossy();
    run.tally.suppressions.in_file(&name);
    for (object, found) in objects {
        let bytes = fs::read(directory.join(&object)).with_context(|| object.clone())?;
        let parsed = CodeObject::parse(&bytes)?;
        let options = check::Options {
            selects: &|name| check.selects(name),
        };
        let lost = check::waits::executed(&parsed, "", &found, &options, &mut run.tally)?;
        for one in lost {
            run.problem(
                &name,
                &format!("a wait is missing at a place of no function: {one:?}"),
            );
        }
        for finding in run.tally.take() {
            run.writer.finding(&name, finding);
        }
    }
    run.report.run = Some(kernels.len() as u64);
    Ok(())
}
