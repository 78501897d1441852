//! `luthier report`, and what `luthier run --report` and `--timeline` write in the end.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use tempfile::TempDir;

use crate::{advice, progress::Steps, summary::counted};

/// How it is called.
const EXAMPLES: &str = "\
Examples:
  luthier run --report app.html -- ./app
  luthier run -t hotspots,mem-coalesce --output out -- ./app; luthier report out -o app.html
  luthier check --races --format json -o races.json -- ./app; luthier report out --findings races.json
  luthier report --diff before.html after.html -o change.html";

/// Make one HTML page from the files of `luthier run --output`, or compare two runs.
///
/// The page is one file, and loads nothing from a network.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Report {
    /// Directories of `luthier run --output`; with --diff, two of them, or two pages. A page shows code only if the run kept it:
    /// `luthier run --report`, or LUTHIER_OBJECTS=1
    #[arg(required = true, value_name = "DIR")]
    inputs: Vec<PathBuf>,
    /// A page, or what stands out in the kernels, as text or JSON on standard output
    #[arg(long, value_enum, default_value_t = Form::Html, conflicts_with = "diff")]
    format: Form,
    /// The file to write, or a directory for it; report.html for a page
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Compare two runs: what changed, by kernel, source line and opcode
    #[arg(long)]
    diff: bool,
    /// Heading of the page
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Leave texts of source files out
    #[arg(long)]
    no_sources: bool,
    /// Show what `luthier check --format json` found, at the instructions in this file; may be repeated
    #[arg(long, value_name = "FILE.json", conflicts_with = "diff")]
    findings: Vec<PathBuf>,
    /// Also write when launches ran, for Perfetto (ui.perfetto.dev) and Chrome
    #[arg(long, value_name = "FILE.json", conflicts_with = "diff")]
    timeline: Option<PathBuf>,
}

/// The output that `luthier report` makes.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    Text,
    Json,
    Html,
}

impl Report {
    pub fn execute(self) -> Result<ExitCode> {
        let steps = Steps::new();
        if self.format != Form::Html {
            return self.advise(steps);
        }
        let output = self.output.as_deref().unwrap_or(Path::new(PAGE));
        let output = outputs::named(output, PAGE);
        one_for_each(Some(&output), self.timeline.as_deref())?;
        let mut page = Vec::new();
        if self.diff {
            let [a, b] = self.inputs.as_slice() else {
                bail!(
                    "--diff compares two runs: the command names {}",
                    self.inputs.len()
                );
            };
            let runs = [self.one(a, &steps)?, self.one(b, &steps)?];
            report::comparison_page(&report::compare(&runs[0], &runs[1]), &mut page)?;
        } else {
            let mut run = self.read(&self.inputs, &steps)?;
            self.add_findings(&mut run)?;
            if let Some(path) = &self.timeline {
                timeline(&run, path)?;
            }
            report::page(&run, &mut page)?;
        }
        write(&output, &page)?;
        drop(steps);
        command::say!("{}", output.display());
        Ok(ExitCode::SUCCESS)
    }

    /// The findings of the rules, without a page.
    fn advise(&self, steps: Steps) -> Result<ExitCode> {
        for (is_given, option) in [
            (self.timeline.is_some(), "--timeline"),
            (self.title.is_some(), "--title"),
            (self.no_sources, "--no-sources"),
        ] {
            if is_given {
                bail!("{option} is for a page: leave --format out");
            }
        }
        let mut run = match &self.inputs[..] {
            [page] if !page.is_dir() => report::read_page(page)?,
            directories => self.read(directories, &steps)?,
        };
        self.add_findings(&mut run)?;
        drop(steps);
        let said = match self.format {
            Form::Json => format!("{}\n", serde_json::to_string_pretty(&advice::json(&run))?),
            _ => advice::text(&run),
        };
        match &self.output {
            Some(output) => {
                let usual = match self.format {
                    Form::Json => "report.json",
                    _ => "report.txt",
                };
                write(&outputs::named(output, usual), said.as_bytes())?;
            }
            None => command::print_output(format_args!("{said}")),
        }
        Ok(ExitCode::SUCCESS)
    }

    fn add_findings(&self, run: &mut report::Run) -> Result<()> {
        // The findings of the file that was named first come first.
        for file in self.findings.iter().rev() {
            if let Some(sentence) = run.add_findings(&report::Findings::read(file)?) {
                command::say!("luthier: {sentence}");
            }
        }
        Ok(())
    }

    /// A directory or a page.
    fn one(&self, input: &Path, steps: &Steps) -> Result<report::Run> {
        match input.is_dir() {
            true => self.read(&[input.to_owned()], steps),
            false => Ok(report::read_page(input)?),
        }
    }

    fn read(&self, directories: &[PathBuf], steps: &Steps) -> Result<report::Run> {
        let names: Vec<_> = directories
            .iter()
            .map(|directory| directory.display().to_string())
            .collect();
        let options = report::Options {
            title: self.title.clone().unwrap_or_else(|| names.join(", ")),
            command: String::new(),
            sources: !self.no_sources,
            beside: None,
        };
        let step = |what: &str, done, all| steps.step(what, done, all);
        Ok(report::Run::read(directories, &options, &step)?)
    }
}

/// The name of a page.
pub const PAGE: &str = "report.html";

/// The files that a run writes when its program has ended.
pub struct Pages {
    page: Option<PathBuf>,
    timeline: Option<PathBuf>,
    options: report::Options,
    /// For what tools leave, if the user named no directory.
    scratch: TempDir,
}

/// Files of records, which belong to the user even if no directory was named.
const RECORDS: [&str; 2] = ["parquet", "jsonl"];

impl Pages {
    /// `None` if neither is wanted. It is an error now, not after the run, if a file cannot be written.
    pub fn wanted(
        page: &Option<PathBuf>,
        timeline: &Option<PathBuf>,
        no_sources: bool,
        program: &[OsString],
    ) -> Result<Option<Pages>> {
        if page.is_none() && timeline.is_none() {
            return Ok(None);
        }
        let mut absolute = Vec::new();
        for path in [page, timeline] {
            absolute.push(path.as_ref().map(|path| checked(path)).transpose()?);
        }
        let timeline = absolute.pop().flatten();
        one_for_each(
            absolute.first().and_then(|page| page.as_deref()),
            timeline.as_deref(),
        )?;
        let words: Vec<_> = program.iter().map(|word| word.to_string_lossy()).collect();
        let name = Path::new(&program[0]).file_name().unwrap_or_default();
        Ok(Some(Pages {
            page: absolute.pop().flatten(),
            timeline,
            options: report::Options {
                title: name.to_string_lossy().into_owned(),
                command: words.join(" "),
                sources: !no_sources,
                beside: None,
            },
            scratch: TempDir::with_prefix("luthier-report-")
                .context("cannot make a directory for the report's data")?,
        }))
    }

    /// The same of launches without a program; sources that are named without a directory may lie in `beside`.
    pub fn of_launches(
        page: &Option<PathBuf>,
        title: &str,
        beside: Option<PathBuf>,
    ) -> Result<Option<Pages>> {
        let pages = Pages::wanted(page, &None, false, &[OsString::from(title)])?;
        Ok(pages.map(|mut pages| {
            pages.options.title = title.to_owned();
            pages.options.beside = beside;
            pages
        }))
    }

    pub fn directory(&self) -> &Path {
        self.scratch.path()
    }

    /// The status is the program's, even if the report fails.
    pub fn write(self, output: &Path) {
        if let Err(error) = self.written(output) {
            command::say!("luthier: no report: {error:#}");
        }
        if output == self.directory() {
            self.keep_records();
        }
    }

    pub fn written(&self, output: &Path) -> Result<()> {
        let steps = Steps::new();
        let step = |what: &str, done, all| steps.step(what, done, all);
        let run = report::Run::read(&[output.to_owned()], &self.options, &step)?;
        if let Some(path) = &self.timeline {
            timeline(&run, path)?;
            command::say!(
                "luthier: {}: {} launches and copies",
                path.display(),
                run.overview.timed
            );
        }
        if let Some(path) = &self.page {
            let mut page = Vec::new();
            report::page(&run, &mut page)?;
            write(path, &page)?;
            drop(steps);
            command::say!(
                "luthier: {}: {}; open it in a browser",
                path.display(),
                counted(run.overview.kernels.len() as u64, "kernel")
            );
        }
        Ok(())
    }

    /// Moves files of records to where they would be without a report.
    fn keep_records(&self) {
        let entries = fs::read_dir(self.directory()).into_iter().flatten();
        for path in entries.flatten().map(|entry| entry.path()) {
            let Some(name) = path.file_name() else {
                continue;
            };
            let ending = path.extension().and_then(|ending| ending.to_str());
            if !ending.is_some_and(|ending| RECORDS.contains(&ending)) {
                continue;
            }
            let moved = fs::File::create_new(name).and_then(|mut to| {
                let mut from = fs::File::open(&path)?;
                std::io::copy(&mut from, &mut to)
            });
            match moved {
                Ok(_) => command::say!("luthier: {}", Path::new(name).display()),
                Err(error) => {
                    command::say!(
                        "luthier: cannot write {}: {error}",
                        Path::new(name).display()
                    );
                }
            }
        }
    }
}

/// The path becomes absolute, because the program may change its directory. A missing directory is an error before the program runs.
fn checked(path: &Path) -> Result<PathBuf> {
    let path = std::path::absolute(path)?;
    let directory = path.parent().unwrap_or(Path::new("/"));
    if !directory.is_dir() {
        bail!(
            "cannot write {}: {} is no directory; make it first",
            path.display(),
            directory.display()
        );
    }
    if path.is_dir() {
        bail!("cannot write {}: it is a directory", path.display());
    }
    Ok(path)
}

fn timeline(run: &report::Run, path: &Path) -> Result<()> {
    let Some(timeline) = &run.timeline else {
        bail!(
            "{}: the tool launch-log has seen no launch; run with -t launch-log, without -k and --launch that fit none",
            path.display()
        );
    };
    let mut trace = Vec::new();
    timeline.write_trace(&mut trace)?;
    write(path, &trace)
}

/// Refuses one file for the page and the timeline: the second one would overwrite the first.
fn one_for_each(page: Option<&Path>, timeline: Option<&Path>) -> Result<()> {
    let (Some(page), Some(timeline)) = (page, timeline) else {
        return Ok(());
    };
    if outputs::are_one_file(page, timeline) {
        bail!(
            "{} would be the page and the timeline: name two files",
            page.display()
        );
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    outputs::write_whole(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
