//! `luthier check`: bugs in compiled GPU code.

mod bitcode;
mod callers;
mod destination;
pub mod injection;
mod junit;
mod program;
mod report;
mod sarif;
mod sources;

use std::{
    ffi::OsString,
    fs,
    path::PathBuf,
    process::{ExitCode, ExitStatus},
};

use anyhow::{Context, Result, bail};
use check::{Checker, Covered, Grade, Selection, Suppressions, Tally};
use clap::{Args, ValueEnum};
use codeobj::{Entry, Found, TargetId, container::EntryKind};
use command::Status;
use launcher::launch;
use regex::Regex;

use crate::progress::Progress;
pub use destination::Destination;
use report::{Report, Writer};
use sources::Source;

/// How it is called.
const EXAMPLES: &str = "\
Examples:
  luthier check --waits libexample.so
  luthier check --waits --target gfx90a -k softmax wheels/
  luthier check --waits --format json -o found.json kernels.hsaco
  luthier check --waits -- ./app arguments
  luthier check --all -- ./app arguments
  luthier check --memory --hooks -- ./app arguments
  luthier check --inject bit --runs 1000 -- ./app arguments";

/// Arguments that stand in place of FILE: a program, or an option that asks for one.
const OF_PROGRAMS: [&str; 14] = [
    "program",
    "memory",
    "barriers",
    "races",
    "leaks",
    "init",
    "nan",
    "saturated",
    "denormals",
    "late",
    "hooks",
    "device",
    "timeout",
    "inject",
];

/// Find bugs in compiled GPU code: missing waits, wrong accesses of memory, barriers that waves or lanes miss, races, values that nothing
/// has set, NaN, leaks. Or change values on purpose, and count what comes of it.
///
/// `luthier check --waits FILE...` looks in files and runs nothing. FILE is a code object, an offload bundle, a program, a library, a wheel or
/// another zip archive, or a directory, which is searched with everything below it.
///
/// `luthier check --all -- PROGRAM` runs a program on an emulated GPU and looks while it runs. The program's standard streams stay its own.
/// Findings are on standard error.
///
/// docs/check has a page for each check. It says what the check finds, what it does not find, and how it decides.
///
/// A finding is certain if it is wrong wherever the instructions are executed. It is possible if it is wrong only along a path on which one
/// branch may exclude another. Possible findings are counted, and shown with --possible. They never change the exit status.
///
/// Exit status: 0 if there is no certain finding; 1, or what --error-exitcode says, if there is one that no suppression takes; 2 if a file or a
/// part of it could not be read, or an option is wrong; 3 with --complete, if a part could not be checked. The first of 1, 2 and 3 that holds
/// counts. For a program it is the program's own, or what --error-exitcode says if there is a certain finding, or 3 with --complete if the program ends with
/// 0 and a part could not be checked. With --inject: 0 if every run was
/// made, 2 if the program fails or differs without a change, 3 if a run was not made or did not come to its place.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Check {
    /// Code objects, bundles, programs, libraries, wheels, or directories of such
    #[arg(
        required_unless_present_any = OF_PROGRAMS,
        conflicts_with_all = OF_PROGRAMS,
        value_name = "FILE"
    )]
    files: Vec<PathBuf>,
    /// Look for missing waits: registers that are read or overwritten while a load is on its way, and LDS stores that are outstanding at a barrier;
    /// also instructions that follow each other too closely, and scalar registers that gfx12 reads too early. In a program: along the path that each
    /// wave takes
    #[arg(long)]
    waits: bool,
    /// In a program: look for accesses beyond an allocation, to freed memory, beyond LDS and scratch, or at addresses that are not aligned, and name who
    /// allocated the memory. Such an access stops the kernel
    #[arg(long, requires = "program")]
    memory: bool,
    /// In a program: look for barriers at which not all waves and lanes of a workgroup meet, and end kernels that wait for ever
    #[arg(long, requires = "program")]
    barriers: bool,
    /// In a program: look for accesses of two waves to the same bytes of LDS or of global memory, of which one writes and which nothing puts in order. For
    /// global memory, the waves may be of one launch or of two launches. Kernels run on one thread of the host
    #[arg(long, requires = "program")]
    races: bool,
    /// In a program: look for memory that it has allocated and not freed when it ends
    #[arg(long, requires = "program")]
    leaks: bool,
    /// In a program: look for addresses and branches that depend on memory, LDS or variables that nothing has set, and name where such a value came from
    #[arg(long, requires = "program")]
    init: bool,
    /// In a program: look for instructions that make NaN or infinity of numbers, if the result is stored to memory or compared
    #[arg(long, requires = "program")]
    nan: bool,
    /// With --nan: look for conversions of numbers that are out of range, which give the limit of a format, or an integer for NaN
    #[arg(long, requires = "program")]
    saturated: bool,
    /// With --nan: look for results that are denormals, or zero because they are too small
    #[arg(long, requires = "program")]
    denormals: bool,
    /// Look for all of these: in files for missing waits, in a program for everything
    #[arg(long, conflicts_with_all = ["waits", "memory", "barriers", "races", "init", "nan", "leaks", "hooks"])]
    all: bool,
    /// Only kernels and functions whose name matches, as in the object or as in the source
    #[arg(short, long, value_name = "REGEX")]
    kernel: Option<Regex>,
    /// In files: only code objects for this target, such as gfx90a
    #[arg(long, conflicts_with = "program", value_name = "TARGET")]
    target: Option<String>,
    /// Show possible findings too
    #[arg(long)]
    possible: bool,
    /// Show at most this many findings; all are counted
    #[arg(long, value_name = "N", default_value_t = 32)]
    print_limit: usize,
    /// Exit status if there is a certain finding; 0 to end as if there were none. Without it: 1 for files, and a program's own for a program
    #[arg(long, value_name = "N")]
    error_exitcode: Option<u8>,
    /// End with status 3 if a part could not be checked. In files, such a part is a kernel along all its paths, or code that is LLVM bitcode or SPIR-V. In a program that ends with 0, it is what the summary names
    #[arg(long)]
    complete: bool,
    /// Leave out findings that this file names, in Valgrind's form; may be repeated
    #[arg(long, value_name = "FILE")]
    suppressions: Vec<PathBuf>,
    /// Print a suppression after each finding
    #[arg(long)]
    gen_suppressions: bool,
    /// `json` has the form of docs/schemas/check.json; `sarif` is for code hosts and editors, `junit` for continuous integration
    #[arg(long, value_enum, default_value = "text")]
    format: Form,
    /// Write the report to this file, or to check.txt, .json, .sarif or .xml in this directory, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// In a program: the results of loads and of LDS come when they are waited for, not before, so that a missing wait changes what the program computes
    #[arg(long, requires = "program")]
    late: bool,
    /// In a program: find wrong accesses by the hooks of the tool mem-check, on a real GPU too. Kernels go on after a wrong access
    #[arg(long, requires = "memory", conflicts_with_all = ["waits", "barriers", "races", "init", "nan", "leaks", "late"])]
    hooks: bool,
    /// With a program: the GPU to emulate (gfx90a, mi300x, ...), as `luthier run` takes it; without it gfx90a, or with --hooks the GPU of
    /// this machine
    #[arg(long, requires = "program", value_name = "DEVICE")]
    device: Option<String>,
    #[command(flatten)]
    injection: injection::Injection,
    /// The program to run, and its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// How the report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// For people; changes from version to version
    Text,
    /// One JSON value, as docs/schemas says
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// JUnit's XML
    Junit,
}

impl Form {
    /// The report's name in a directory.
    fn file(self) -> &'static str {
        match self {
            Form::Text => "check.txt",
            Form::Json => "check.json",
            Form::Sarif => "check.sarif",
            Form::Junit => "check.xml",
        }
    }
}

impl Check {
    pub fn execute(mut self) -> Result<ExitCode> {
        if let Some(spec) = &self.injection.inject {
            return injection::execute(&self, spec);
        }
        if self.all {
            self.choose_all();
        }
        if self.checkers().is_empty() {
            bail!("nothing to check for: choose a check, such as --waits, or --all");
        }
        if self.late && !self.waits {
            bail!("--late changes when --waits sees results come: add --waits");
        }
        if (self.saturated || self.denormals) && !self.nan {
            bail!(
                "--saturated and --denormals say what --nan looks for besides NaN and infinity: add --nan"
            );
        }
        let mut suppressions = Suppressions::default();
        for file in &self.suppressions {
            let text = fs::read_to_string(file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            let read = suppressions.read(&text);
            read.map_err(|bad| anyhow::anyhow!("{}: {bad}", file.display()))?;
        }
        let selection = Selection {
            possible: self.possible,
            limit: self.print_limit,
        };
        let destination = self.destination(self.format.file())?;
        let mut run = Run {
            tally: Tally::new(selection, suppressions),
            writer: Writer::new(self.format, self.gen_suppressions, self.checkers()),
            report: Report::default(),
            destination,
            options: &self,
        };
        if !self.program.is_empty() {
            let status = program::run(&self, &mut run)?;
            return run.finish_program(status);
        }
        for file in &self.files {
            sources::each(file, &mut |source| run.source(source));
        }
        run.finish()
    }

    /// The file for the report, if the user names one. `usual`: its name in a directory.
    fn destination(&self, usual: &str) -> Result<Option<Destination>> {
        let output = self.output.as_deref();
        output
            .map(|path| Destination::open(path, usual))
            .transpose()
    }

    fn choose_all(&mut self) {
        self.waits = true;
        if !self.program.is_empty() {
            (self.memory, self.barriers, self.races) = (true, true, true);
            (self.init, self.leaks, self.nan) = (true, true, true);
        }
    }

    /// The checks that the user chose.
    fn checkers(&self) -> Vec<Checker> {
        let chosen = [
            (Checker::Waits, self.waits),
            (Checker::Memory, self.memory),
            (Checker::Barriers, self.barriers),
            (Checker::Races, self.races),
            (Checker::Leaks, self.leaks),
            (Checker::Init, self.init),
            (Checker::Nan, self.nan),
        ];
        let chosen = chosen.iter().filter(|(_, chosen)| *chosen);
        chosen.map(|(checker, _)| *checker).collect()
    }

    fn selects(&self, name: &str) -> bool {
        let pattern = self.kernel.as_ref();
        pattern.is_none_or(|pattern| pattern.is_match(name))
    }

    /// Returns `true` if the code of this target was asked for.
    fn selects_id(&self, id: &TargetId) -> bool {
        let wanted = self.target.as_deref();
        wanted.is_none_or(|wanted| wanted == id.target.name || wanted == id.to_string())
    }
}

/// The contents of a file.
#[derive(Default)]
struct Parts {
    /// Code objects that were checked.
    objects: u64,
    /// The targets of code that was not asked for.
    other_targets: Vec<String>,
    /// There is LLVM bitcode, for any machine.
    has_bitcode: bool,
    /// Device code that the linker or the runtime compiles.
    uncompiled: u64,
    /// The parts that could not be read, with the reason.
    problems: Vec<(String, String)>,
}

impl Parts {
    fn is_empty(&self) -> bool {
        self.objects == 0 && self.other_targets.is_empty() && self.uncompiled == 0
    }

    /// Counts what is no machine code.
    fn other(&mut self, entry: &Entry<'_>, options: &Check) {
        let is_bitcode = entry.kind == EntryKind::Bitcode;
        self.has_bitcode |= is_bitcode;
        let is_device = match entry.id.is_empty() {
            true => is_bitcode && bitcode::is_for_amdgcn(&entry.bytes),
            false => entry.id.contains("amdgcn") && !entry.bytes.is_empty(),
        };
        if !is_device {
            return;
        }
        let form = match is_bitcode {
            true => "LLVM bitcode",
            false if entry.bytes.starts_with(bitcode::SPIRV) => "SPIR-V",
            false => {
                let reason = "it is neither machine code, LLVM bitcode nor SPIR-V";
                self.problems.push((place(entry), reason.to_owned()));
                return;
            }
        };
        // Code of no target, such as SPIR-V, is for each.
        match entry.target().filter(|id| !options.selects_id(id)) {
            Some(other) => self.other_targets.push(format!("{other} ({form})")),
            None => self.uncompiled += 1,
        }
    }

    /// The reason why the file counts as not read. `target`: the one that was asked for.
    fn problem(&self, target: Option<&str>, named: bool) -> Option<String> {
        if let Some((place, reason)) = self.problems.first() {
            let place = if place.is_empty() {
                String::new()
            } else {
                format!("{place}: ")
            };
            let more = match self.problems.len() {
                1 => String::new(),
                count => format!(" (and {} more parts that cannot be read)", count - 1),
            };
            return Some(format!("{place}{reason}{more}"));
        }
        if self.objects > 0 || !named {
            return None;
        }
        if self.uncompiled > 0 {
            let of_target = target.map_or(String::new(), |target| format!(" for {target}"));
            return Some(format!(
                "its device code{of_target} is LLVM bitcode or SPIR-V, such as -fgpu-rdc leaves until it is linked: check the program \
                 that is linked with it"
            ));
        }
        Some(match &self.other_targets[..] {
            [] if self.has_bitcode => {
                "it is LLVM bitcode, not machine code: check the program that is linked with it"
                    .to_owned()
            }
            [] => "it holds no AMD GPU code object".to_owned(),
            targets => format!(
                "it has no code object for {}; it has {}",
                target.unwrap_or_default(),
                targets.join(", ")
            ),
        })
    }
}

/// The containers that the entry is in, and its id.
fn place(entry: &Entry<'_>) -> String {
    let mut place = entry.path.clone();
    place.extend((!entry.path.is_empty()).then(|| entry.id.clone()));
    place.join(" / ")
}

/// Returns `true` for the place of a host file: none of the containers around it holds device code.
fn is_host(place: &str) -> bool {
    const OF_DEVICES: [&str; 6] = [
        "bundle ",
        "compressed bundle ",
        "offload image at ",
        ".hip_fatbin",
        ".llvm.offloading",
        "__CLANG_OFFLOAD_BUNDLE__",
    ];
    let mut containers = place.split(" / ");
    !containers.any(|container| OF_DEVICES.iter().any(|start| container.starts_with(start)))
}

/// The results of the files so far.
struct Run<'c> {
    options: &'c Check,
    tally: Tally,
    writer: Writer,
    report: Report,
    destination: Option<Destination>,
}

impl Run<'_> {
    fn source(&mut self, source: Source<'_>) {
        match source {
            Source::File { name, input, named } => self.file(&name, &input, named),
            Source::Skipped => self.report.other_files += 1,
            Source::Problem { name, reason } => self.problem(&name, reason),
        }
    }

    fn problem(&mut self, name: &str, reason: &str) {
        let said = format!("luthier: {name}: {reason}");
        command::say!("{}", command::error_line(&said, None));
        self.report.problem(name, reason);
    }

    /// Counts findings in code that cannot be shown.
    fn without_place(&mut self, name: &str, reason: &str, count: u64) {
        self.problem(name, reason);
        self.report.without_place += count;
    }

    /// `named`: the user named the file, so that it has to hold something.
    fn file(&mut self, name: &str, input: &outputs::Input, named: bool) {
        let progress = Progress::new(input.bytes().len() as u64);
        self.tally.suppressions.in_file(name);
        let mut parts = Parts::default();
        codeobj::each(input.bytes(), &mut |found| match found {
            Found::Entry(entry) if entry.kind == EntryKind::CodeObject => {
                let place = place(&entry);
                match self.object(name, &entry, &place) {
                    Ok(Some(target)) => parts.other_targets.push(target),
                    Ok(None) => parts.objects += 1,
                    Err(error) => parts.problems.push((place, error.to_string())),
                }
            }
            Found::Entry(entry) => parts.other(&entry, self.options),
            // Host files without device code are among others everywhere.
            Found::Problem(place, codeobj::Error::NotCodeObject { .. })
                if is_host(&place) && !(named && place.is_empty()) => {}
            Found::Problem(place, error) => parts.problems.push((place, error.to_string())),
            Found::Reached(offset) => {
                progress.reached(offset);
                input.let_go(offset);
            }
        });
        progress.end();
        self.report.files += u64::from(parts.objects > 0);
        self.report.uncompiled += parts.uncompiled;
        match parts.problem(self.options.target.as_deref(), named) {
            Some(reason) => self.problem(name, &reason),
            None if parts.is_empty() => self.report.other_files += 1,
            None => {}
        }
    }

    /// The object's target, if it is none that was asked for.
    fn object(&mut self, name: &str, entry: &Entry<'_>, place: &str) -> Result<Option<String>> {
        let object = entry.code_object()?;
        let target = object.target();
        if !self.options.selects_id(&target) {
            return Ok(Some(target.to_string()));
        }
        let options = check::Options {
            selects: &|name| self.options.selects(name),
        };
        let covered = check::waits::object(&object, place, &options, &mut self.tally)?;
        self.report.add(covered);
        for finding in self.tally.take() {
            self.writer.finding(name, finding);
        }
        Ok(None)
    }

    fn finish(self) -> Result<ExitCode> {
        let unselected = self.report.covered == Covered::default() && self.options.kernel.is_some();
        if unselected && self.report.problems.is_empty() {
            let wanted = self.options.kernel.as_ref().map_or("", Regex::as_str);
            bail!("-k {wanted} fits no kernel and no function");
        }
        let incomplete = self.is_incomplete();
        let text = self.writer.finish(&self.report, &self.tally)?;
        match self.destination {
            None => command::print_output(format_args!("{text}")),
            Some(destination) => destination.write(&text)?,
        }
        // The user may want another status for certain findings, or none.
        let status = self.options.error_exitcode.unwrap_or(Status::Found as u8);
        let found = self.tally.all(Grade::Certain) > 0 && status != 0;
        Ok(match () {
            () if found => ExitCode::from(status),
            () if !self.report.problems.is_empty() => Status::Failed.into(),
            () if incomplete => Status::Incomplete.into(),
            () => Status::Done.into(),
        })
    }
}

impl Run<'_> {
    /// The report of a program that ended like this.
    fn finish_program(self, ended: ExitStatus) -> Result<ExitCode> {
        let incomplete = self.is_incomplete();
        let text = self.writer.finish(&self.report, &self.tally)?;
        match self.destination {
            None => command::print_error(format_args!("{text}")),
            Some(destination) => destination.write(&text)?,
        }
        match self.options.error_exitcode {
            Some(status) if status != 0 && self.tally.all(Grade::Certain) > 0 => {
                Ok(ExitCode::from(status))
            }
            _ if ended.success() && incomplete => Ok(Status::Incomplete.into()),
            _ => Ok(launch::end_like(ended)),
        }
    }

    /// A part could not be checked, and the user wants to know.
    fn is_incomplete(&self) -> bool {
        self.options.complete && !self.report.is_complete()
    }
}
