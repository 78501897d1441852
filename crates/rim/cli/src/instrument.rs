//! `luthier instrument`: tools put into code objects on disk.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::IsTerminal,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use codeobj::{
    CodeObject,
    elf::Elf,
    replace::{Done, Replacing},
};
use luthier::{Engine, KernelOutcome, Offline};
use outputs::{Input, Output};
use regex::Regex;
use serde::Serialize;
use session::summary::plural;

use launcher::libraries;

use crate::{
    ahead, built_in,
    format::{Format, print_json},
    pieces::Pieces,
};

/// Put tools into programs, libraries, bundles and code objects on disk.
///
/// `luthier run` shows what tools in a program found out when it ends; for those in libraries and files that a program
/// loads, say `luthier run -t built-in`. The tools' variables are also symbols of the code object, which the program can
/// read (hipModuleGetGlobal). Kernels that cannot be instrumented stay as they are.
#[derive(Args)]
pub struct Instrument {
    /// A program, library, offload bundle or code object
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// A tool: a name from `luthier tool list` or the path of a built tool; several are composed
    #[arg(short, long = "tool", value_name = "TOOL", required = true)]
    tools: Vec<String>,
    /// The file to write, with the tools in it, or a directory for it
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Only kernels whose name matches
    #[arg(short, long, value_name = "REGEX")]
    kernel: Option<Regex>,
    /// Only places where this holds, as for `luthier run`
    #[arg(long, value_name = "CONDITION")]
    site: Vec<String>,
    /// The summary: text on standard error, or JSON on standard output
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Names that may have been meant, as a message goes on with them.
pub fn meant(near: &BTreeSet<String>) -> String {
    const NAMES: usize = 3;
    let first: Vec<&str> = near.iter().take(NAMES).map(String::as_str).collect();
    match first.is_empty() {
        true => String::new(),
        false => format!("; did you mean {}?", first.join(" or ")),
    }
}

impl Instrument {
    pub fn execute(mut self) -> Result<ExitCode> {
        let output = outputs::named(&self.output, self.input.file_name().unwrap_or_default());
        if output != self.output
            && fs::canonicalize(&output).ok() == fs::canonicalize(&self.input).ok()
        {
            bail!(
                "{} has the input in it, which would be replaced: name another directory, or the file",
                self.output.display()
            );
        }
        self.output = output;
        let name = self.input.display();
        let input = Input::open(&self.input).with_context(|| format!("cannot read {name}"))?;
        let directory = libraries::tools_directory()?;
        let tools = tools::open_all(&self.tools, &directory)?;
        let engine = Engine::new(tools, &self.site.join(";"), None)?;
        let writing = || format!("cannot write {}", self.output.display());
        let output = self.open().with_context(writing)?;
        let mut pieces = Pieces::new(output, &input).with_context(writing)?;
        let report = self
            .file(&engine, input.bytes(), &mut pieces)
            .map_err(|error| match error.downcast::<std::io::Error>() {
                Ok(error) => anyhow::Error::new(error).context(writing()),
                Err(error) => error.context(name.to_string()),
            })?;
        // Only host files are run; what others consist of is for their readers.
        let start = pieces.start(64).with_context(writing)?;
        if report.instrumented != 0 && Elf::is_elf(&start) && !CodeObject::is_code_object(&start) {
            let distinct = tools::distinct(&self.tools).chosen;
            let names: Vec<_> = distinct.iter().map(|(_, name)| name.as_str()).collect();
            let mark = built_in::mark(&names);
            pieces.append(&mark).with_context(writing)?;
        }
        pieces.finish().with_context(writing)?;
        self.warn(&report, input.bytes());
        match self.format {
            Format::Text => report.print(&self.output),
            Format::Json => print_json(&report)?,
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Says what the user selected that is not there.
    fn warn(&self, report: &Report, input: &[u8]) {
        let name = self.input.display();
        match &self.kernel {
            Some(pattern) if report.kernels == 0 => {
                let mut kernels = Vec::new();
                codeobj::each(input, &mut |found| {
                    if let codeobj::Found::Entry(entry) = found
                        && let Ok(object) = entry.code_object()
                    {
                        let known = object.kernels().unwrap_or_default();
                        kernels.extend(known.iter().map(|kernel| demangle::readable(kernel.name)));
                    }
                });
                kernels.sort();
                kernels.dedup();
                command::say!(
                    "luthier: warning: -k {pattern} fits no kernel of {name}, which has {}",
                    crate::chosen::list(&kernels)
                );
            }
            _ if report.instrumented == 0 && report.without_site != 0 => command::say!(
                "luthier: warning: --site {} holds at no place of the {} kernels that were looked at{}",
                self.site.join(";"),
                report.without_site,
                meant(&report.near)
            ),
            _ => {}
        }
    }

    fn open(&self) -> std::io::Result<Output> {
        // Asked before, for both may be one file. Programs stay programs.
        let permissions = fs::metadata(&self.input)?.permissions();
        let mut output = Output::create(&self.output)?;
        output.set_permissions(permissions)?;
        Ok(output)
    }

    fn file(&self, engine: &Engine, input: &[u8], pieces: &mut Pieces<'_>) -> Result<Report> {
        let mut objects = Objects {
            command: self,
            engine,
            report: Report::default(),
            found: 0,
        };
        codeobj::replace::stream(input, pieces, &mut objects)?;
        let report = objects.report;
        match report.left.first_key_value() {
            Some((reason, count)) if *count == objects.found => bail!("{reason}"),
            _ => Ok(report),
        }
    }

    fn object(&self, engine: &Engine, object: &[u8]) -> Result<Made> {
        let target = match CodeObject::parse(object) {
            Ok(parsed) => parsed.target().target,
            Err(error) if is_of_others(&error) => return Ok(Made::Left(error.to_string())),
            Err(error) => return Err(error.into()),
        };
        if let Some(reason) = engine.lacks_hooks(target) {
            return Ok(Made::Left(reason));
        }
        let done = engine.instrument_object(object, self.kernel.as_ref())?;
        Ok(Made::Instrumented(done, target.name))
    }
}

/// The result for a code object.
enum Made {
    /// It stays as it is, for this reason.
    Left(String),
    /// With the target's name.
    Instrumented(Offline, &'static str),
}

/// The code objects of a file.
struct Objects<'a> {
    command: &'a Instrument,
    engine: &'a Engine,
    report: Report,
    /// Code objects found so far.
    found: usize,
}

impl Replacing<anyhow::Error> for Objects<'_> {
    fn each(&mut self, objects: &[&[u8]], done: Done<'_, anyhow::Error>) -> Result<()> {
        let (command, engine) = (self.command, self.engine);
        let make = |object: &&[u8]| command.object(engine, object);
        ahead::in_order(
            objects,
            |object| object.len(),
            make,
            |object, made| {
                self.found += 1;
                let selected = !command.site.is_empty();
                let made = match objects.len() {
                    1 => made?,
                    _ => made.with_context(|| format!("code object {} of the file", self.found))?,
                };
                let (made, target) = match made {
                    Made::Instrumented(made, target) => (made, target),
                    Made::Left(reason) => {
                        *self.report.left.entry(reason).or_default() += 1;
                        return done(object);
                    }
                };
                let in_it = |kernel: &KernelOutcome| {
                    let report = kernel.result.as_ref();
                    report.is_ok_and(|report| report.sites != 0 || !selected)
                };
                let changed = made.kernels.iter().any(in_it);
                self.report.without_code += made.without_code as u64;
                self.report.kernels += made.without_code as u64;
                for kernel in made.kernels {
                    self.report.add(kernel, target, selected);
                }
                // The same bytes, and not the same thing built anew.
                done(if changed { &made.object } else { object })
            },
        )
    }
}

/// Code objects that may stand beside those we know, for devices or runtimes that we do not.
fn is_of_others(error: &codeobj::Error) -> bool {
    use codeobj::Error::{CodeObjectV2, UnknownAbi, UnknownMach};
    matches!(error, CodeObjectV2 | UnknownAbi { .. } | UnknownMach { .. })
}

/// Names of kernels of which the same is said.
#[derive(Default, Serialize)]
struct Said {
    kernels: u64,
    /// The first of them, with their targets.
    first: Vec<String>,
}

/// The number of names that are kept for each reason.
const KEPT: usize = 10_000;

impl Said {
    fn add(&mut self, kernel: &str, target: &str) {
        self.kernels += 1;
        if self.first.len() < KEPT {
            self.first.push(format!("{kernel} ({target})"));
        }
    }
}

#[derive(Default, Serialize)]
struct Report {
    kernels: u64,
    instrumented: u64,
    sites: u64,
    /// Kernels in which no place was selected.
    without_site: u64,
    /// Names in those that are like those in the conditions.
    #[serde(skip)]
    near: BTreeSet<String>,
    /// Kernels that have no code of their own, which `luthier inspect` counts as well.
    without_code: u64,
    refused: u64,
    /// By the reason.
    refusals: BTreeMap<String, Said>,
    /// By the remark.
    notes: BTreeMap<String, Said>,
    /// Why code objects stay as they are, and how many.
    left: BTreeMap<String, usize>,
}

impl Report {
    /// `selected`: the user has named places.
    fn add(&mut self, kernel: KernelOutcome, target: &str, selected: bool) {
        self.kernels += 1;
        match kernel.result {
            Ok(done) if done.sites == 0 && selected => {
                self.without_site += 1;
                self.near
                    .extend(done.unmatched.into_iter().flat_map(|one| one.near));
            }
            Ok(done) => {
                self.instrumented += 1;
                self.sites += done.sites;
                for note in done.notes {
                    self.notes
                        .entry(note)
                        .or_default()
                        .add(&kernel.name, target);
                }
            }
            Err(refusal) => {
                self.refused += 1;
                let said = self.refusals.entry(refusal.to_string()).or_default();
                said.add(&kernel.name, target);
            }
        }
    }

    fn print(&self, output: &Path) {
        let without_site = match self.without_site {
            0 => String::new(),
            count => format!(", {count} without such a place"),
        };
        let without_code = match self.without_code {
            0 => String::new(),
            count => format!(", {count} without code of their own"),
        };
        command::say!(
            "{}: {}, {} instrumented at {}, {} refused{without_site}{without_code}",
            output.display(),
            plural(self.kernels, "kernel"),
            self.instrumented,
            plural(self.sites, "place"),
            self.refused
        );
        if self.instrumented == 0 {
            command::say!("  nothing is instrumented: the output is the same as the input");
        }
        for (reason, count) in &self.left {
            match count {
                1 => command::say!("  a code object stays as it is: {reason}"),
                count => command::say!("  {count} code objects stay as they are: {reason}"),
            }
        }
        by_kernels("refused", &self.refusals);
        by_kernels("note", &self.notes);
    }
}

/// Prints what is said of kernels, each thing once, with their names.
fn by_kernels(label: &str, all: &BTreeMap<String, Said>) {
    // All names only for someone who can scroll.
    let most = if std::io::stderr().is_terminal() {
        5
    } else {
        KEPT
    };
    for (text, said) in all {
        command::say!("  {label}: {text}");
        for kernel in said.first.iter().take(most) {
            command::say!("    {kernel}");
        }
        let shown = said.first.len().min(most) as u64;
        if said.kernels > shown {
            command::say!("    and {} more", said.kernels - shown);
        }
    }
}
