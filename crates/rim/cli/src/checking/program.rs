//! A program that is checked while it runs on an emulated GPU.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::{Command, ExitStatus},
};

use anyhow::{Context, Result, bail};
use check::{
    Allocation,
    barriers::{Met, Wave},
    global_races::GlobalRace,
    init::Used,
    leaks::Leaked,
    memory::{Accessed, Freed},
    nan::Made,
    races::Raced,
    reads::HostRead,
    waits::Executed,
};
use codeobj::CodeObject;
use launcher::{device, launch};

use super::{Check, Run, callers::Symbols};
use crate::with_tools::WithTools;

/// Finds wrong accesses by hooks.
const TOOL: &str = "mem-check";

/// Runs the program and takes in what was found.
pub fn run(check: &Check, run: &mut Run<'_>) -> Result<ExitStatus> {
    let directory = tempfile::tempdir().context("cannot make a directory for findings")?;
    let status = match check.hooks {
        true => by_hooks(check, directory.path())?,
        false => by_device(check, directory.path())?,
    };
    take_in(check, run, directory.path(), status)?;
    Ok(status)
}

/// The tool's hooks look, on any device.
fn by_hooks(check: &Check, directory: &Path) -> Result<ExitStatus> {
    let mut command = Command::new(&check.program[0]);
    command.args(&check.program[1..]);
    let ledger = WithTools::one(TOOL).apply(&mut command, false)?;
    command
        .env("LUTHIER_OUTPUT", directory)
        .env("LUTHIER_OUTPUT_TEMPORARY", "1")
        .env("LUTHIER_OBJECTS", "1")
        // ROCr would carve small allocations out of large ones, so that what lies before one is in another.
        .env("HSA_DISABLE_FRAGMENT_ALLOCATOR", "1");
    if let Some(target) = device::choose(check.device.as_deref().unwrap_or("auto"))? {
        crate::run::check(&check.program[0], target, None)?;
        device::emulate(&mut command, target, None)?;
    }
    let status = launch::run(&mut command)?;
    if let Some(ledger) = ledger {
        ledger.complain(status);
    }
    Ok(status)
}

/// The emulated device looks.
fn by_device(check: &Check, directory: &Path) -> Result<ExitStatus> {
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
    ];
    let wanted = wanted.iter().filter(|(_, wanted)| *wanted);
    let wanted: Vec<&str> = wanted.map(|(name, _)| *name).collect();
    command
        .env("LUTHIER_CHECK", directory)
        .env("LUTHIER_CHECK_FOR", wanted.join(","));
    // Only an exact device knows where allocations begin and end.
    if check.memory || check.init {
        device::be_exact(&mut command);
    }
    launch::run(&mut command)
}

fn take_in(check: &Check, run: &mut Run<'_>, directory: &Path, status: ExitStatus) -> Result<()> {
    let mut found = Found::default();
    for entry in fs::read_dir(directory).context("findings")? {
        let path = entry?.path();
        // One for each process.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("found-") || name.ends_with(".found") {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            found.read(&text)?;
        }
    }
    let name = check.program[0].to_string_lossy();
    run.tally.suppressions.in_file(&name);
    run.report.run = Some(found.kernels.len() as u64);
    run.report.not_followed = std::mem::take(&mut found.not_followed)
        .into_iter()
        .collect();
    run.report.not_looked_at = std::mem::take(&mut found.not_looked_at)
        .into_iter()
        .collect();
    run.report.not_ordered = std::mem::take(&mut found.not_ordered).into_iter().collect();
    check::memory::freed(std::mem::take(&mut found.frees), &mut run.tally);
    check::reads::read(std::mem::take(&mut found.reads), &mut run.tally);
    let leaks = std::mem::take(&mut found.leaks);
    match status.code() {
        Some(_) => check::leaks::leaked(leaks, &mut run.tally),
        // A program that is killed frees nothing.
        None if check.leaks => {
            run.report.left_out = Some("leaks, because a signal ended the program");
        }
        None => {}
    }
    for finding in run.tally.take() {
        run.writer.finding(&name, finding);
    }
    for (object, of) in found.by_object() {
        let (waits, accesses, meetings, races, global_races, uses, nans) = of;
        let bytes = fs::read(directory.join(&object)).with_context(|| object.clone())?;
        let parsed = CodeObject::parse(&bytes)?;
        let options = check::Options {
            selects: &|name| check.selects(name),
        };
        let tally = &mut run.tally;
        let lost = check::waits::executed(&parsed, "", &waits, &options, tally)?;
        let lost = lost.iter().map(|one| format!("a wait is missing: {one:?}"));
        let mut lost: Vec<String> = lost.collect();
        let stray = check::memory::accessed(&parsed, "", accesses, &options, tally)?;
        lost.extend(
            stray
                .iter()
                .map(|one| format!("a wrong access at {:#x}", one.pc)),
        );
        let stray = check::barriers::met(&parsed, "", meetings, &options, tally)?;
        lost.extend(
            stray
                .iter()
                .map(|one| format!("a barrier at {:#x}", one.pc)),
        );
        let stray = check::races::raced(&parsed, "", races, &options, tally)?;
        lost.extend(stray.iter().map(|one| format!("a race at {:#x}", one.pc)));
        let stray = check::global_races::raced(&parsed, "", global_races, &options, tally)?;
        lost.extend(
            stray
                .iter()
                .map(|one| format!("a race at {:#x}", one.after.pc)),
        );
        let stray = check::init::used(&parsed, "", uses, &options, tally)?;
        lost.extend(
            stray
                .iter()
                .map(|one| format!("an undefined value at {:#x}", one.pc)),
        );
        let makers = &mut run.report.makers;
        let stray = check::nan::made(&parsed, "", nans, &options, tally, makers)?;
        lost.extend(
            stray
                .iter()
                .map(|one| format!("a value that is no number: {one:?}")),
        );
        for one in lost {
            run.problem(&name, &format!("at a place of no function: {one}"));
        }
        for finding in run.tally.take() {
            run.writer.finding(&name, finding);
        }
    }
    Ok(())
}

/// The findings in a code object.
type OfObject = (
    Vec<Executed>,
    Vec<Accessed>,
    Vec<Met>,
    Vec<Raced>,
    Vec<GlobalRace>,
    Vec<Used>,
    Vec<Made>,
);

/// The subject of a line.
#[derive(Clone, Copy, Default)]
enum Last {
    #[default]
    Access,
    Free,
    Leak,
    Race,
    Use,
    Read,
    Nan,
}

/// The lines that the emulated device wrote.
#[derive(Default)]
struct Found {
    /// Target and name.
    kernels: BTreeSet<(String, String)>,
    /// By the file of the code object.
    waits: BTreeMap<String, Vec<Executed>>,
    /// Each with the file of its code object.
    accesses: Vec<(String, Accessed)>,
    frees: Vec<Freed>,
    leaks: Vec<Leaked>,
    reads: Vec<HostRead>,
    /// Each with the file of its code object.
    meetings: Vec<(String, Met)>,
    /// Each with the file of its code object.
    races: Vec<(String, Raced)>,
    /// Each with the file of its code object.
    global_races: Vec<(String, GlobalRace)>,
    /// Each with the file of its code object.
    uses: Vec<(String, Used)>,
    /// Each with the file of its code object.
    nans: Vec<(String, Made)>,
    /// Instructions whose numbers are not looked at.
    not_looked_at: BTreeSet<String>,
    /// Instructions of which nothing is known about undefined values.
    not_followed: BTreeSet<String>,
    /// Instructions whose accesses to global memory are not judged.
    not_ordered: BTreeSet<String>,
    /// The subject of the lines that follow.
    last: Last,
    symbols: Symbols,
}

impl Found {
    fn read(&mut self, text: &str) -> Result<()> {
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let read = self.line(&fields);
            read.with_context(|| format!("the emulated GPU wrote {line:?}"))?;
        }
        Ok(())
    }

    /// None if the line is none that the device writes.
    fn line(&mut self, fields: &[&str]) -> Option<()> {
        match fields {
            [_, "kernel", target, name] => {
                let kernel = ((*target).to_owned(), (*name).to_owned());
                self.kernels.insert(kernel);
            }
            [times, "wait", object, rest @ ..] => {
                let of = self.waits.entry((*object).to_owned()).or_default();
                of.push(Executed::parse(times, rest)?);
            }
            [times, "access", object, rest @ ..] => {
                let accessed = Accessed::parse(times, rest)?;
                self.accesses.push(((*object).to_owned(), accessed));
                self.last = Last::Access;
            }
            [times, "free", rest @ ..] => {
                self.frees.push(Freed::parse(times, rest)?);
                self.last = Last::Free;
            }
            [times, "read", rest @ ..] => {
                self.reads.push(HostRead::parse(times, rest)?);
                self.last = Last::Read;
            }
            [times, "leak", rest @ ..] => {
                self.leaks.push(Leaked::parse(times, rest)?);
                self.last = Last::Leak;
            }
            [times, "barrier", object, rest @ ..] => {
                let met = Met::parse(times, rest)?;
                self.meetings.push(((*object).to_owned(), met));
            }
            [times, "race", object, rest @ ..] => {
                let raced = Raced::parse(times, rest)?;
                self.races.push(((*object).to_owned(), raced));
            }
            [times, "global-race", object, rest @ ..] => {
                let raced = GlobalRace::parse(times, rest)?;
                self.global_races.push(((*object).to_owned(), raced));
                self.last = Last::Race;
            }
            [_, "not-ordered", instruction] => {
                self.not_ordered.insert((*instruction).to_owned());
            }
            [times, "undefined", object, rest @ ..] => {
                let used = Used::parse(times, rest)?;
                self.uses.push(((*object).to_owned(), used));
                self.last = Last::Use;
            }
            [times, "nan", object, rest @ ..] => {
                let made = Made::parse(times, rest)?;
                self.nans.push(((*object).to_owned(), made));
                self.last = Last::Nan;
            }
            [_, "not-looked-at", instruction] => {
                self.not_looked_at.insert((*instruction).to_owned());
            }
            [_, "not-followed", instruction] => {
                self.not_followed.insert((*instruction).to_owned());
            }
            // Lines behind a barrier.
            [_, "wave", rest @ ..] => {
                let (_, met) = self.meetings.last_mut()?;
                met.waves.push(Wave::parse(rest)?);
            }
            // Lines behind an access or a free say more of it.
            [_, "allocation", rest @ ..] => {
                let allocation = Allocation::parse(rest)?;
                match self.last {
                    Last::Access => {
                        let (_, accessed) = self.accesses.last_mut()?;
                        accessed.access.allocation = Some(allocation);
                    }
                    Last::Free => self.frees.last_mut()?.free.allocation = allocation,
                    Last::Leak => self.leaks.last_mut()?.leak.allocation = allocation,
                    Last::Race => self.global_races.last_mut()?.1.allocation = Some(allocation),
                    Last::Use => self.uses.last_mut()?.1.allocation = Some(allocation),
                    Last::Read => self.reads.last_mut()?.read.allocation = Some(allocation),
                    Last::Nan => self.nans.last_mut()?.1.allocation = Some(allocation),
                }
            }
            [_, done @ ("allocated" | "freed" | "by"), module, offset] => {
                // The frames that call the program's first function are the same in all programs.
                let last = self.frames(done)?.last();
                if !last.is_some_and(|last| last.starts_with("main (")) {
                    let caller = self.symbols.caller(module, offset);
                    self.frames(done)?.extend(caller);
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// The allocation that the last lines were about.
    fn last_allocation(&mut self) -> Option<&mut Allocation> {
        match self.last {
            Last::Access => self.accesses.last_mut()?.1.access.allocation.as_mut(),
            Last::Race => self.global_races.last_mut()?.1.allocation.as_mut(),
            Last::Use => self.uses.last_mut()?.1.allocation.as_mut(),
            Last::Read => self.reads.last_mut()?.read.allocation.as_mut(),
            Last::Nan => self.nans.last_mut()?.1.allocation.as_mut(),
            Last::Free => Some(&mut self.frees.last_mut()?.free.allocation),
            Last::Leak => Some(&mut self.leaks.last_mut()?.leak.allocation),
        }
    }

    /// The functions that have allocated, freed, or made the call that the last lines were about.
    fn frames(&mut self, done: &str) -> Option<&mut Vec<String>> {
        Some(match done {
            "freed" => &mut self.last_allocation()?.freed_by,
            "by" if matches!(self.last, Last::Read) => &mut self.reads.last_mut()?.read.called_by,
            "by" => &mut self.frees.last_mut()?.free.called_by,
            _ => &mut self.last_allocation()?.allocated_by,
        })
    }

    /// By the file of the code object.
    fn by_object(self) -> BTreeMap<String, OfObject> {
        let mut all: BTreeMap<String, OfObject> = BTreeMap::new();
        for (object, waits) in self.waits {
            all.entry(object).or_default().0 = waits;
        }
        for (object, accessed) in self.accesses {
            all.entry(object).or_default().1.push(accessed);
        }
        for (object, met) in self.meetings {
            all.entry(object).or_default().2.push(met);
        }
        for (object, raced) in self.races {
            all.entry(object).or_default().3.push(raced);
        }
        for (object, raced) in self.global_races {
            all.entry(object).or_default().4.push(raced);
        }
        for (object, used) in self.uses {
            all.entry(object).or_default().5.push(used);
        }
        for (object, made) in self.nans {
            all.entry(object).or_default().6.push(made);
        }
        all
    }
}
