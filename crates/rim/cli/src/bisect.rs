//! `luthier bisect`: two builds of one kernel, and the store, the line and the pass of the compiler that tell them apart.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use codeobj::CodeObject;
use command::Status;
use command::grouped;
use verify::{Comparison, MemoryPlace, Subject, Written};

use crate::{
    chosen::{self, Chosen, Which},
    emulate::MadeUp,
    progress,
    verify::{elsewhere, launch},
};

/// How it is called.
const EXAMPLES: &str = "\
Examples:
  luthier bisect good.hsaco bad.hsaco -k sum --grid 4 --block 256 --arg zero:4096 --arg u32:1024
  luthier bisect good.hsaco bad.hsaco --launch DIR/sum.4711.1.dispatch
  luthier bisect good.hsaco --launch DIR/sum.4711.1.dispatch --build 'make OUT={out} LIMIT={limit}'";

/// Find the first store in which two builds of a kernel differ, and the pass of the compiler behind it.
///
/// Runs one launch with the kernel of either build on the emulated GPU and compares the memory that they leave behind. If it differs,
/// both run again, and the word that the good build finishes first is shown with the instruction and the source line that
/// write it in either build. The launch is made up, with arguments as for `luthier emulate`, or a dispatch that
/// `luthier run --record DIR` kept.
///
/// With --build, the bad build is made by that command again and again. `{limit}` in it is the number of passes that LLVM may run, for
/// `-mllvm -opt-bisect-limit={limit}`, and `{out}` is the file to make. The first pass that makes the kernel wrong is named.
///
/// Exit status: 0 if both builds leave the same memory behind; 1 if they differ, or one of them faults or does not end; 2 for errors, with
/// a message on standard error.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Bisect {
    /// A code object that is right, or a file that contains code objects
    #[arg(value_name = "GOOD")]
    good: PathBuf,
    /// The same kernel from another compiler or with other options
    #[arg(
        value_name = "BAD",
        required_unless_present = "build",
        conflicts_with = "build"
    )]
    bad: Option<PathBuf>,
    /// A shell command that makes {out} with at most {limit} passes of LLVM
    #[arg(long, value_name = "COMMAND")]
    build: Option<String>,
    /// A recorded dispatch, which says kernel and arguments
    #[arg(long, value_name = "FILE", conflicts_with_all = ["kernel", "grid", "block", "lds", "arguments"])]
    launch: Option<PathBuf>,
    /// The kernel's name, in the object or in the source, or a regular expression that fits one kernel; needed without --launch
    #[arg(short, long, value_name = "NAME", required_unless_present = "launch")]
    kernel: Option<String>,
    #[command(flatten)]
    made_up: MadeUp,
    #[command(flatten)]
    which: Which,
    /// A run of a kernel that takes longer than this has not ended
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    limit: f64,
}

impl Bisect {
    pub fn execute(self) -> Result<ExitCode> {
        self.run().or_else(elsewhere)
    }

    fn run(&self) -> Result<ExitCode> {
        let limit = Duration::try_from_secs_f64(self.limit);
        let limit = limit.context("--limit is a number of seconds")?;
        let recording = match &self.launch {
            Some(path) => Some(recording::read(path)?),
            None => None,
        };
        let name = match (&recording, &self.kernel) {
            (Some(recording), _) => &recording.header.kernel,
            (None, Some(kernel)) => kernel,
            (None, None) => bail!("which kernel? name it with -k"),
        };
        let good = self.read(&self.good, name)?;
        let made_up = launch(&good.kernel, &self.made_up).map_err(|error| self.of_good(error))?;
        let subject = match &recording {
            Some(recording) => {
                ensure!(
                    recording.object == good.object,
                    "{} has another code object than {} was recorded with; the recorded one must be GOOD",
                    self.good.display(),
                    self.launch.as_deref().unwrap_or(Path::new("")).display()
                );
                Subject::Recording(recording)
            }
            None => Subject::Launch(&made_up),
        };
        let judge = |bad: &Path| -> Result<Comparison> {
            let bad = self.read(bad, &good.kernel)?;
            let objects = [
                CodeObject::parse(&good.object)?,
                CodeObject::parse(&bad.object)?,
            ];
            let [good, bad] = &objects;
            ensure!(
                good.target().target == bad.target().target,
                "the builds are for different GPUs: {} and {}",
                good.target().target.name,
                bad.target().target.name
            );
            verify::compare(good, bad, subject, limit).map_err(|error| self.of_good(error.into()))
        };
        let waiting = progress::waiting("comparing builds");
        let (comparison, pass) = match (&self.build, &self.bad) {
            (Some(build), _) => passes(build, &judge)?,
            (None, Some(bad)) => (judge(bad)?, None),
            (None, None) => bail!("which build is bad? name it, or make it with --build"),
        };
        drop(waiting);
        command::print_output(format_args!(
            "{}",
            text(&demangle::readable(&good.kernel), &comparison)
        ));
        if let Some(pass) = pass {
            command::out!("{pass}");
        }
        Ok(match comparison {
            Comparison::Same => ExitCode::SUCCESS,
            _ => Status::Found.into(),
        })
    }

    /// The launch that both builds get is the one that the good build is for.
    fn of_good(&self, error: anyhow::Error) -> anyhow::Error {
        crate::about(&self.good, error)
    }

    fn read(&self, path: &Path, kernel: &str) -> Result<Chosen> {
        let input = outputs::Input::open(path);
        let input = input.with_context(|| format!("cannot read {}", path.display()))?;
        chosen::choose(input.bytes(), kernel, &self.which)
            .with_context(|| path.display().to_string())
    }
}

/// LLVM's line for a pass that it runs or leaves out.
const PASS: &str = "BISECT: ";

/// Searches for the first pass that makes a difference: the comparison of the build with it, and what to say of it.
fn passes(
    build: &str,
    judge: &dyn Fn(&Path) -> Result<Comparison>,
) -> Result<(Comparison, Option<String>)> {
    for word in ["{limit}", "{out}"] {
        ensure!(build.contains(word), "the command of --build has no {word}");
    }
    let folder = tempfile::tempdir().context("cannot make a temporary directory")?;
    let out = folder.path().join("build");
    // Makes a build; the lines about passes that ran.
    let make = |limit: i64| -> Result<Vec<String>> {
        let _ = fs::remove_file(&out);
        let command = build.replace("{limit}", &limit.to_string());
        let command = command.replace("{out}", &out.display().to_string());
        let output = Command::new("sh").args(["-c", &command]).output();
        let output = output.context("cannot run sh")?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.status.success() {
            bail!(command::Said {
                line: format!("--build ended with {}: {command}", output.status),
                others: said.trim().to_owned(),
            });
        }
        ensure!(
            out.exists(),
            "--build has made no {}: {command}",
            out.display()
        );
        let lines = said.lines().filter(|line| line.starts_with(PASS));
        let ran = lines.filter(|line| !line.contains("NOT running"));
        Ok(ran.map(str::to_owned).collect())
    };
    let all = make(-1)?;
    let mut at_most = judge(&out)?;
    if at_most == Comparison::Same {
        return Ok((at_most, None));
    }
    ensure!(
        !all.is_empty(),
        "the compiler names no passes: does the command have -mllvm -opt-bisect-limit={{limit}}?"
    );
    make(0)?;
    if judge(&out)? != Comparison::Same {
        return Ok((
            at_most,
            Some("the build is wrong without any optional pass, too".to_owned()),
        ));
    }
    // The build with `right` passes is right, the one with `wrong` is not.
    let (mut right, mut wrong) = (0, all.len() as i64);
    let mut name = all.last().cloned();
    while wrong - right > 1 {
        let middle = right + (wrong - right) / 2;
        let ran = make(middle)?;
        match judge(&out)? {
            Comparison::Same => right = middle,
            other => {
                (wrong, at_most) = (middle, other);
                name = ran.last().cloned();
            }
        }
    }
    let name = name.unwrap_or_default();
    let name = name
        .trim_start_matches(PASS)
        .trim_start_matches("running pass ");
    Ok((
        at_most,
        Some(format!(
            "the first pass that makes a difference, of {}: {name}\n",
            grouped(all.len() as u64)
        )),
    ))
}

fn text(kernel: &str, comparison: &Comparison) -> String {
    match comparison {
        Comparison::Same => format!("{kernel}: both builds leave the same memory behind\n"),
        Comparison::Stopped(why) => {
            format!("{kernel}: the bad build is stopped\n  good: ends\n  bad:  {why}\n")
        }
        Comparison::Different(different) => {
            let words = match different.words {
                1 => "1 word differs".to_owned(),
                many => format!("{} words differ", grouped(many)),
            };
            let place = match &different.place {
                MemoryPlace::Argument(number, offset) => format!("argument {number} + {offset:#x}"),
                MemoryPlace::Variable(name, offset) => format!("variable {name} + {offset:#x}"),
                MemoryPlace::Address(address) => format!("{address:#x}"),
            };
            format!(
                "{kernel}: {words}; the first, {place}:\n{}{}",
                side("good", &different.good),
                side("bad", &different.bad)
            )
        }
    }
}

fn side(name: &str, written: &Written) -> String {
    let value = format!("  {name:4}  {:#010x}", written.value);
    let Some(store) = &written.by else {
        return format!("{value}, as it was before the launch\n");
    };
    let [x, y, z] = store.workgroup;
    let source = store
        .source
        .iter()
        .map(|source| format!("\n        {source}"));
    format!(
        "{value} by workgroup {x},{y},{z} wave {} at {:#x} {}{}\n",
        store.wave,
        store.pc,
        store.instruction,
        source.collect::<String>()
    )
}
