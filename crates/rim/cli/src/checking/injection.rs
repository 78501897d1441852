//! `luthier check --inject`: a campaign of runs in which one value each is changed.

mod campaign;
mod child;
mod golden;
mod page;
mod results;
mod run;

use std::{num::NonZeroUsize, ops::Range, process::ExitCode, str::FromStr, time::Duration};

use anyhow::{Error, Result, bail};
use clap::Args;
use command::Status;
use injection::Spec;
use launcher::{address_space, interrupt};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use session::Selection;

use super::{Check, Form};
use golden::Golden;
use run::Program;

pub use page::{usual, write};
pub use results::{File, merge};

/// Options that do not go with `--inject`. Clap does not ask for an option that another one excludes, so that the options that need --inject exclude
/// these, too.
const CHECKS: [&str; 20] = [
    "files",
    "all",
    "waits",
    "memory",
    "barriers",
    "races",
    "init",
    "nan",
    "saturated",
    "denormals",
    "leaks",
    "late",
    "hooks",
    "suppressions",
    "gen_suppressions",
    "possible",
    "error_exitcode",
    "target",
    "complete",
    "print_limit",
];

#[derive(Args)]
#[command(next_help_heading = "Fault injection")]
pub struct Injection {
    /// Run the program many times, change one value in each run, and tell how often that is masked, changes the output, is detected, or makes
    /// the program hang. SPEC is MODEL[:PLACE][,class=CLASS][,op=REGEX], such as bit or two-bits:vgpr,class=valu; docs/check/inject.md has
    /// the words
    #[arg(long, requires = "program", value_name = "SPEC", conflicts_with_all = CHECKS)]
    pub inject: Option<Spec>,
    /// With --inject: the runs, N for 0..N, or FIRST..END, a part of a campaign that several machines share
    #[arg(long, requires = "inject", conflicts_with_all = CHECKS, value_name = "N", default_value = "1000")]
    runs: Runs,
    /// With --inject: the number that decides what each run changes
    #[arg(long, requires = "inject", conflicts_with_all = CHECKS, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// With --inject: runs at the same time; without it, as many as there are processors
    #[arg(long, requires = "inject", conflicts_with_all = CHECKS, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// With --inject: only these launches of each kernel, counted from 0: N, N.., N..M (without M), N..=M, or several: 0,4..8
    #[arg(long, requires = "inject", conflicts_with_all = CHECKS, value_name = "N,...")]
    launch: Option<String>,
    /// With --inject: a shell command that compares a run with the one without a change. It gets two directories, each with `stdout` and
    /// `files`, and ends with 0 if they are alike and with 1 if they differ. Without it, all bytes have to be the same
    #[arg(long, requires = "inject", conflicts_with_all = CHECKS, value_name = "COMMAND")]
    compare: Option<String>,
    /// With --inject: a run hangs if it executes so many times the instructions of the run without a change
    #[arg(long, requires = "inject", conflicts_with_all = CHECKS, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(2..))]
    hang_factor: u64,
    /// Interrupt the program after so many seconds, and report what was found by then. With --inject: a run hangs after so many seconds, otherwise
    /// after a minute and a hundred times the run without a change
    #[arg(long, requires = "program", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,
}

impl Injection {
    /// How long a program, or a run of a campaign, may take.
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout.map(Duration::from_secs)
    }

    /// The launches whose values may be changed.
    fn selection(&self, check: &Check) -> Result<Selection> {
        let kernel = check.kernel.as_ref();
        let kernel = kernel.map(|kernel| ("--kernel", kernel.as_str()));
        let launch = self.launch.as_deref().map(|launch| ("--launch", launch));
        Ok(Selection::of_options(kernel.into_iter().chain(launch))?)
    }
}

/// The runs of a part of a campaign.
#[derive(Clone, Debug)]
struct Runs(Range<u64>);

impl FromStr for Runs {
    type Err = String;

    fn from_str(text: &str) -> Result<Runs, String> {
        let number = |digits: &str| {
            let number = digits.trim().parse::<u64>();
            number.map_err(|_| format!("{digits:?} is no number; expected N or FIRST..END"))
        };
        let range = match text.split_once("..") {
            None => 0..number(text)?,
            Some((first, end)) => number(first)?..number(end)?,
        };
        match range.is_empty() {
            true => Err(format!("{text} has no runs")),
            false => Ok(Runs(range)),
        }
    }
}

/// Makes the runs. The directory with their output is gone when this returns, because a command whose reader left ends while it prints.
fn run(check: &Check, spec: &Spec, selection: &Selection) -> Result<(File, Option<Error>)> {
    let options = &check.injection;
    let directory = tempfile::tempdir()?;
    let program = Program::new(check, spec, directory.path())?;
    interrupt::watch();
    leave_no_cores();
    if let Err(error) = address_space::fix_addresses() {
        command::say!(
            "luthier: programs start with other addresses each time here ({error}): runs that change an address may end otherwise when they are repeated"
        );
    }
    let golden = Golden::take(&program)?;
    let selected = golden.selected(selection, spec)?;
    let campaign = campaign::Campaign::new(check, &golden, selected, &program);
    let description = campaign.describe(check, spec)?;
    let asked = options.runs.0.clone();
    let (runs, failure) = campaign.run(&program, asked.clone(), options.jobs);
    let file = File::new(description, vec![[asked.start, asked.end]], runs);
    Ok((file, failure))
}

/// Runs a campaign, or a part of one.
pub fn execute(check: &Check, spec: &Spec) -> Result<ExitCode> {
    let options = &check.injection;
    if !matches!(check.format, Form::Text | Form::Json) {
        bail!("the results of --inject have the formats text and json");
    }
    let selection = options.selection(check)?;
    let destination = check.destination(usual(check.format))?;
    let (file, failure) = run(check, spec, &selection)?;
    write(&file, check.format, destination)?;
    // Runs that are done are not lost with the one that could not be judged.
    if let Some(failure) = failure {
        return Err(failure);
    }
    Ok(match file.is_whole() {
        true => Status::Done.into(),
        false => Status::Incomplete.into(),
    })
}

/// A campaign lets programs crash on purpose: they leave no images of their memory behind.
fn leave_no_cores() {
    let none = Rlimit {
        current: Some(0),
        ..getrlimit(Resource::Core)
    };
    // A system that refuses this keeps its images.
    let _ = setrlimit(Resource::Core, none);
}
