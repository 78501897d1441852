//! `luthier bisect`: two builds of one kernel, and the store, the line and the pass of the compiler that tell them apart.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Output},
    time::Duration,
};

use anyhow::{Context, Result, anyhow, bail, ensure};
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
/// Limits with which the command fails are left out, and named.
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

/// If the middle of a search does not build, limits up to this distance from it are tried one by one, and then at twice the distance each.
const NEAR: i64 = 16;

/// A build that could be compared: its limit, the lines about passes that ran, and the comparison.
type Judged = (i64, Vec<String>, Comparison);

/// Builds with limits, in a folder of their own.
struct Builds<'a> {
    command: &'a str,
    out: PathBuf,
    judge: &'a dyn Fn(&Path) -> Result<Comparison>,
    /// Limits with which nothing could be made or compared, and why the first of them could not.
    failed: BTreeSet<i64>,
    why: Option<anyhow::Error>,
}

impl Builds<'_> {
    /// Starts the command of a build. An error is no property of the limit.
    fn start(&self, limit: i64) -> Result<(String, Output)> {
        let _ = fs::remove_file(&self.out);
        let command = self.command.replace("{limit}", &limit.to_string());
        let command = command.replace("{out}", &self.out.display().to_string());
        let output = Command::new("sh").args(["-c", &command]).output();
        Ok((command, output.context("cannot run sh")?))
    }

    /// The lines about passes that ran for a build, and the comparison.
    fn judged(&self, line: &str, output: &Output) -> Result<(Vec<String>, Comparison)> {
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            bail!(command::Said {
                line: format!("--build ended with {}: {line}", output.status),
                others: said.trim().to_owned(),
            });
        }
        ensure!(
            self.out.exists(),
            "--build has made no {}: {line}",
            self.out.display()
        );
        let lines = said.lines().filter(|line| line.starts_with(PASS));
        let ran = lines.filter(|line| !line.contains("NOT running"));
        Ok((ran.map(str::to_owned).collect(), (self.judge)(&self.out)?))
    }

    /// The build with all passes, which has to work.
    fn whole(&self) -> Result<(Vec<String>, Comparison)> {
        let (command, output) = self.start(-1)?;
        self.judged(&command, &output)
    }

    /// The first of the limits whose build can be compared. The others are noted.
    fn first(&mut self, limits: impl IntoIterator<Item = i64>) -> Result<Option<Judged>> {
        for limit in limits {
            if self.failed.contains(&limit) {
                continue;
            }
            let (command, output) = self.start(limit)?;
            match self.judged(&command, &output) {
                Ok((ran, comparison)) => return Ok(Some((limit, ran, comparison))),
                Err(why) => {
                    self.failed.insert(limit);
                    self.why.get_or_insert(why);
                }
            }
        }
        Ok(None)
    }

    /// A sentence about builds that were left out; nothing if there are none.
    fn left_out(&self) -> String {
        let Some(why) = &self.why else {
            return String::new();
        };
        let limits: Vec<String> = self.failed.iter().map(i64::to_string).collect();
        format!(
            "left out: {} with {{limit}} {}; the first: {why:#}\n",
            match limits.len() {
                1 => "the build",
                _ => "builds",
            },
            limits.join(", ")
        )
    }
}

/// The limits between two, those nearest to the middle first: all of them if they are few.
fn from_the_middle(right: i64, wrong: i64) -> impl Iterator<Item = i64> {
    let middle = right + (wrong - right) / 2;
    let far = std::iter::successors(Some(2 * NEAR), |by| Some(2 * by));
    let far = far.take_while(move |by| *by < wrong - right);
    let steps = (0..=NEAR).chain(far);
    let both = steps.flat_map(move |by| [middle - by, middle + by]);
    both.filter(move |limit| right < *limit && *limit < wrong)
}

/// The number of the pass that a line is about. Each job of a compiler counts its passes from 1.
fn number(line: &str) -> Option<i64> {
    line.split_once('(')?.1.split_once(')')?.0.parse().ok()
}

/// Searches for the first pass that makes a difference: the comparison of the build with it, and what to say of it.
fn passes(
    build: &str,
    judge: &dyn Fn(&Path) -> Result<Comparison>,
) -> Result<(Comparison, Option<String>)> {
    for word in ["{limit}", "{out}"] {
        ensure!(build.contains(word), "the command of --build has no {word}");
    }
    let folder = tempfile::tempdir().context("cannot make a temporary directory")?;
    let mut builds = Builds {
        command: build,
        out: folder.path().join("build"),
        judge,
        failed: BTreeSet::new(),
        why: None,
    };
    let (mut ran, mut at_most) = builds.whole()?;
    if at_most == Comparison::Same {
        return Ok((at_most, None));
    }
    let Some(all) = ran.iter().filter_map(|line| number(line)).max() else {
        bail!(
            "the compiler names no passes: does the command have -mllvm -opt-bisect-limit={{limit}}?"
        );
    };
    // The build with `right` passes is right, the one with `wrong` is not.
    let (mut right, mut wrong) = (None, all);
    let few = std::iter::once(0).chain(std::iter::successors(Some(1), |few| Some(2 * few)));
    let mut next = builds.first(few.take_while(|few| *few < all))?;
    if next.is_none() {
        return Err(builds.why.take().unwrap_or_else(|| anyhow!("no build")));
    }
    while let Some((limit, running, comparison)) = next {
        match comparison {
            Comparison::Same => right = Some(limit),
            other if limit == 0 => {
                let said = "the build is wrong without any optional pass, too";
                return Ok((other, Some(said.to_owned())));
            }
            other => (wrong, at_most, ran) = (limit, other, running),
        }
        next = builds.first(from_the_middle(right.unwrap_or(0), wrong))?;
    }
    let said = match right {
        Some(right) => {
            let maybe = |line: &&String| number(line).is_some_and(|of| right < of && of <= wrong);
            let lines: Vec<&String> = ran.iter().filter(maybe).collect();
            named(&lines, wrong - right, all)
        }
        None => format!(
            "the build is wrong with {wrong} of {} passes, and no right one with fewer was found\n",
            grouped(all as u64)
        ),
    };
    Ok((at_most, Some(said + &builds.left_out())))
}

/// The pass that makes the difference, or those of which one does. `lines`: of all jobs. `many`: passes of one of them.
fn named(lines: &[&String], many: i64, of: i64) -> String {
    let of = grouped(of as u64);
    let mut names: Vec<&str> = lines
        .iter()
        .map(|line| line.trim_start_matches(PASS))
        .map(|line| line.trim_start_matches("running pass "))
        .collect();
    names.dedup();
    match &names[..] {
        [first, .., last] if many > 1 => format!(
            "one of {} passes makes the first difference, of {of}: {first} to {last}\n",
            grouped(many as u64)
        ),
        names => format!(
            "the first pass that makes a difference, of {of}: {}\n",
            names.join(", or ")
        ),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A compiler of 100 passes, of which the 37th makes the kernel wrong, and which fails with some limits.
    fn found(fails: &str) -> Result<String> {
        found_by(fails, "f")
    }

    /// The same with some jobs, each for a function.
    fn found_by(fails: &str, jobs: &str) -> Result<String> {
        let command = format!(
            "case {{limit}} in {fails}) echo no register is free >&2; exit 3;; esac; echo {{limit}} > {{out}}; \
             n={{limit}}; [ $n -ge 0 ] || n=100; for job in {jobs}; do i=0; \
             while [ $i -lt $n ]; do i=$((i + 1)); echo \"BISECT: running pass ($i) P on $job\" >&2; done; done"
        );
        let judge = |out: &Path| -> Result<Comparison> {
            let limit: i64 = fs::read_to_string(out)?.trim().parse()?;
            Ok(match limit {
                0..37 => Comparison::Same,
                _ => Comparison::Stopped(limit.to_string()),
            })
        };
        let (comparison, said) = passes(&command, &judge)?;
        // It is the one of the least limit that is wrong.
        assert_ne!(comparison, Comparison::Same);
        said.context("nothing is said")
    }

    #[test]
    fn limits_that_do_not_build_are_left_out_and_named() {
        let one = "the first pass that makes a difference, of 100: (37) P on f\n";
        assert_eq!(found("none").unwrap(), one);
        let said = found("50 | 0 | 51").unwrap();
        let rest = said.strip_prefix(one).expect(&said);
        let start =
            "left out: builds with {limit} 0, 50; the first: --build ended with exit status: 3: ";
        assert!(rest.starts_with(start), "{said}");
        let said = found("3[4-8]").unwrap();
        let some =
            "one of 6 passes makes the first difference, of 100: (34) P on f to (39) P on f\n";
        assert!(said.starts_with(some), "{said}");
        assert!(said.contains("{limit} 34, 35, 36, 37, 38; "), "{said}");
        // Few limits are tried far from the middle.
        let said = found("[1-9] | 1[0-9] | [2-8][0-9]").unwrap();
        assert!(said.starts_with("one of 100 passes"), "{said}");
        // Limits above the first that builds are tried, too.
        let said = found("[0-9] | [12][0-9] | 3[0-2]").unwrap();
        assert!(said.starts_with(one), "{said}");
        // No build below those that are wrong.
        let said = found("[0-9] | [12][0-9] | 3[0-6]").unwrap();
        let start = "the build is wrong with 37 of 100 passes, and no right one with fewer was found\nleft out: ";
        assert!(said.starts_with(start), "{said}");
        let two = found_by("none", "f g").unwrap();
        let names = "the first pass that makes a difference, of 100: (37) P on f, or (37) P on g\n";
        assert_eq!(two, names);
        assert!(found("-1").is_err());
        assert!(found("[0-9] | [0-9][0-9]").is_err());
    }

    #[test]
    fn limits_lie_between_and_the_middle_is_first() {
        let all: Vec<i64> = from_the_middle(0, 10).collect();
        assert_eq!(all[..4], [5, 5, 4, 6]);
        assert_eq!(BTreeSet::from_iter(all), (1..10).collect());
        assert_eq!(from_the_middle(3, 4).count(), 0);
        let far: BTreeSet<i64> = from_the_middle(0, 1000).collect();
        assert!(far.contains(&244) && far.contains(&756) && far.len() < 60);
    }
}
