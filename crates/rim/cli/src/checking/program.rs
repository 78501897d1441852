//! A program that is checked while it runs on an emulated GPU.

mod found;
pub mod outliving;

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::Read,
    process::{Command, ExitStatus},
};

use anyhow::{Context, Result, bail};
use check::Checker;
use codeobj::CodeObject;
use launcher::{device, launch};

use super::{Check, Run, report::Report};
use crate::{chosen::fits_none, with_tools::WithTools};
use found::{Found, OfObject};
use outliving::Directory;

/// Finds wrong accesses by hooks.
const TOOL: &str = "mem-check";
/// The variables that name the directory for what the tool and the emulated device find.
const OUTPUT: &str = "LUTHIER_OUTPUT";
const FINDINGS: &str = "LUTHIER_CHECK";

/// Runs the program and takes in what was found.
pub fn run(check: &Check, run: &mut Run<'_>) -> Result<ExitStatus> {
    let variable = match check.hooks {
        true => OUTPUT,
        false => FINDINGS,
    };
    let directory = Directory::new(variable).context("cannot make a directory for findings")?;
    let status = match check.hooks {
        true => by_hooks(check, run, &directory)?,
        false => by_device(check, &directory)?,
    };
    take_in(check, run, &directory, status)?;
    Ok(status)
}

/// The tool's hooks look, on any device.
fn by_hooks(check: &Check, run: &mut Run<'_>, directory: &Directory) -> Result<ExitStatus> {
    let mut command = Command::new(&check.program[0]);
    command.args(&check.program[1..]);
    let ledger = WithTools::one(TOOL).apply(&mut command, false)?;
    command
        .env(OUTPUT, directory.path())
        .env("LUTHIER_OUTPUT_TEMPORARY", "1")
        .env("LUTHIER_OBJECTS", "1")
        // ROCr would carve small allocations out of large ones, so that what lies before one is in another.
        .env("HSA_DISABLE_FRAGMENT_ALLOCATOR", "1");
    if let Some(target) = device::choose(check.device.as_deref().unwrap_or("auto"))? {
        crate::run::check(&check.program[0], target, None)?;
        device::emulate(&mut command, target, None)?;
    }
    let status = launch::run_for(&mut command, check.injection.timeout())?;
    directory.settle();
    if ledger.is_some_and(|ledger| ledger.complain(status)) {
        run.report.left_out = Some(
            "a process that was killed or left by _exit or exec, or had a stack overflow in a thread that is not the first",
        );
    }
    Ok(status)
}

/// The emulated device looks.
fn by_device(check: &Check, directory: &Directory) -> Result<ExitStatus> {
    let wanted = check.device.as_deref().unwrap_or(device::DEFAULT_TARGET);
    let Some(target) = device::choose(wanted)? else {
        bail!(
            "a program is checked on an emulated GPU; add --device {}",
            device::DEFAULT_TARGET
        );
    };
    let mut command = Command::new(&check.program[0]);
    command.args(&check.program[1..]);
    crate::run::check(&check.program[0], target, None)?;
    device::emulate(&mut command, target, None)?;
    let wanted = [
        ("late", check.waits && check.late),
        ("waits", check.waits && !check.late),
        ("memory", check.memory),
        ("barriers", check.barriers),
        ("races", check.races),
        ("leaks", check.leaks),
        ("init", check.init),
        ("nan", check.nan),
        ("saturated", check.saturated),
        ("denormals", check.denormals),
    ];
    let wanted = wanted.iter().filter(|(_, wanted)| *wanted);
    let wanted: Vec<&str> = wanted.map(|(name, _)| *name).collect();
    command
        .env(FINDINGS, directory.path())
        .env("LUTHIER_CHECK_FOR", wanted.join(","));
    // Only an exact device knows where allocations begin and end.
    if check.memory || check.init {
        device::be_exact(&mut command);
    }
    let status = launch::run_for(&mut command, check.injection.timeout())?;
    directory.settle();
    Ok(status)
}

/// Reads the files of all processes, and notes which processes still run.
fn read(directory: &Directory, report: &mut Report) -> Result<Found> {
    let mut found = Found::default();
    let mut running = directory.processes();
    for entry in fs::read_dir(directory.path()).context("findings")? {
        let path = entry?.path();
        // One for each process.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("found-") || name.ends_with(".found") {
            let in_file = || path.display().to_string();
            let mut file = File::open(&path).with_context(in_file)?;
            let writer = outliving::writer(&file);
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).with_context(in_file)?;
            let text = String::from_utf8_lossy(&bytes);
            match writer {
                Some(_) => found.read_unfinished(&text)?,
                None => found.read(&text)?,
            }
            running.extend(writer);
        }
    }
    report.outliving = running.into_iter().map(outliving::named).collect();
    Ok(found)
}

fn take_in(
    check: &Check,
    run: &mut Run<'_>,
    directory: &Directory,
    status: ExitStatus,
) -> Result<()> {
    let found = read(directory, &mut run.report)?;
    let name = check.program[0].to_string_lossy();
    run.tally.suppressions.in_file(&name);
    run.report.run = Some(selected(check, &found.kernels));
    run.report.not_followed = found.not_followed.into_iter().collect();
    run.report.not_looked_at = found.not_looked_at.into_iter().collect();
    run.report.not_ordered = found.not_ordered.into_iter().collect();
    check::memory::freed(found.frees, &mut run.tally);
    check::reads::read(found.reads, &mut run.tally);
    check::copies::raced(found.copies, &mut run.tally);
    match status.code() {
        Some(_) => check::leaks::leaked(found.leaks, &mut run.tally),
        // A program that is killed frees nothing.
        None if check.leaks => {
            run.report.left_out = Some("leaks, because a signal ended the program");
        }
        None => {}
    }
    if run.report.run == Some(0) && check.checkers() != [Checker::Leaks] {
        let reason = match (found.kernels.is_empty(), check.hooks) {
            (true, false) => "kernels, because none ran",
            (true, true) => "kernels, because none ran with hooks",
            (false, _) => "kernels, because none that ran was chosen",
        };
        run.report.left_out.get_or_insert(reason);
    }
    for finding in run.tally.take() {
        run.writer.finding(&name, finding);
    }
    for what in found.unplaced {
        run.without_place(&name, &format!("in code that cannot be read: {what}"), 1);
    }
    for (object, found) in found.objects {
        let bytes = fs::read(directory.path().join(&object)).with_context(|| object.clone())?;
        let count = found.count();
        match in_object(check, run, &bytes, found) {
            Ok(lost) => {
                for one in lost {
                    run.without_place(&name, &format!("at a place of no function: {one}"), 1);
                }
            }
            Err(error) => run.without_place(&name, &format!("in {object}: {error:#}"), count),
        }
        for finding in run.tally.take() {
            run.writer.finding(&name, finding);
        }
    }
    Ok(())
}

/// How many of the kernels that ran are of the selection. Without any, findings are left out because of a wrong word.
fn selected(check: &Check, kernels: &BTreeSet<(String, String)>) -> u64 {
    let named = kernels
        .iter()
        .map(|(_, name)| (name, demangle::readable(name)));
    let (chosen, others): (Vec<_>, Vec<_>) =
        named.partition(|(name, readable)| check.selects(name) || check.selects(readable));
    if let (Some(pattern), true, false) = (&check.kernel, chosen.is_empty(), others.is_empty()) {
        let others: Vec<&str> = others.iter().map(|(_, readable)| &**readable).collect();
        let complaint = fits_none(pattern.as_str(), &others);
        command::say!("luthier: warning: nothing is checked: -k {complaint}");
    }
    chosen.len() as u64
}

/// Takes in the findings in a code object. The result are those at places of no function, in words.
fn in_object(
    check: &Check,
    run: &mut Run<'_>,
    bytes: &[u8],
    found: OfObject,
) -> Result<Vec<String>> {
    let object = CodeObject::parse(bytes)?;
    let options = check::Options {
        selects: &|name| check.selects(name),
    };
    let tally = &mut run.tally;
    let mut lost = Vec::new();
    let mut at = |what: &str, pc: u64| lost.push(format!("{what} at {pc:#x}"));
    for one in check::waits::executed(&object, "", &found.waits, &options, tally)? {
        at("a missing wait", one.consumer);
    }
    for one in check::memory::accessed(&object, "", found.accesses, &options, tally)? {
        at("a wrong access", one.pc);
    }
    for one in check::barriers::met(&object, "", found.meetings, &options, tally)? {
        at("a barrier", one.pc);
    }
    for one in check::races::raced(&object, "", found.races, &options, tally)? {
        at("a race", one.pc);
    }
    for one in check::global_races::raced(&object, "", found.global_races, &options, tally)? {
        at("a race", one.after.pc);
    }
    for one in check::init::used(&object, "", found.uses, &options, tally)? {
        at("an undefined value", one.pc);
    }
    let makers = &mut run.report.makers;
    for one in check::nan::made(&object, "", found.nans, &options, tally, makers)? {
        at("a value that is no number", one.pc);
    }
    Ok(lost)
}
