//! `report`, `show`, `html`, `lcov`, `merge`: LLVM's tools, given the profiles and the images that belong to them.
//!
//! No object files are named: each device profile carries the hash of its image as binary id, and the images lie where
//! `llvm-cov` looks for that id.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    time::Duration,
};

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use drain::image::Image;
use indicatif::ProgressBar;
use rawprof::layout::MAGIC;

use crate::{DEFAULT_DIRECTORY, llvm::Tools};

/// First bytes of an indexed profile (`.profdata`), as a little-endian word.
pub const INDEXED_MAGIC: u64 = 0x8169_666f_7270_6cff;

/// The directories of headers of compilers, C and C++ libraries and ROCm.
#[rustfmt::skip]
const STANDARD: &[&str] = &[
    "/usr/include/c++/", "/usr/include/x86_64-linux-gnu/", "/usr/include/hip/", "/usr/lib/", "/usr/include/bits/", "/opt/rocm",
];

/// Text as a regular expression for itself.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        if !letter.is_alphanumeric() && !"/_-".contains(letter) {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

/// The inputs of a report.
#[derive(Debug, Args)]
pub struct Input {
    /// Output directories of `run`, or `.profraw` and `.profdata` files
    #[arg(default_value = DEFAULT_DIRECTORY)]
    inputs: Vec<PathBuf>,
    /// Instrumented host programs or libraries to include
    #[arg(long, value_name = "FILE")]
    object: Vec<PathBuf>,
    /// Only these source files or directories
    #[arg(long, value_name = "PATH")]
    source: Vec<PathBuf>,
    /// Leave out source files that match this regular expression
    #[arg(long, value_name = "REGEX")]
    ignore: Option<String>,
}

/// Arguments of `report`.
#[derive(Debug, Args)]
pub struct Report {
    #[command(flatten)]
    input: Input,
    /// One line per function instead of per file
    #[arg(long)]
    functions: bool,
    /// `text` or `json`
    #[arg(long, default_value = "text", value_parser = ["text", "json"])]
    format: String,
}

/// Arguments of `show`.
#[derive(Debug, Args)]
pub struct Show {
    #[command(flatten)]
    input: Input,
    /// Show branches and MC/DC decisions under each line
    #[arg(long)]
    branches: bool,
}

/// Arguments of `html`.
#[derive(Debug, Args)]
pub struct Html {
    #[command(flatten)]
    input: Input,
    /// Directory for the pages
    #[arg(long, short, value_name = "DIR", default_value = "coverage-html")]
    output: PathBuf,
}

/// The names of files.
const LCOV: &str = "coverage.lcov";
const PROFILE: &str = "coverage.profdata";

/// Arguments of `lcov`.
#[derive(Debug, Args)]
pub struct Lcov {
    #[command(flatten)]
    input: Input,
    /// File to write, or a directory for it; `-` is standard output
    #[arg(long, short, value_name = "FILE", default_value = LCOV)]
    output: PathBuf,
}

/// Arguments of `merge`.
#[derive(Debug, Args)]
pub struct Merge {
    /// Output directories of `run`, or `.profraw` and `.profdata` files
    #[arg(default_value = DEFAULT_DIRECTORY)]
    inputs: Vec<PathBuf>,
    /// File to write, or a directory for it
    #[arg(long, short, value_name = "FILE", default_value = PROFILE)]
    output: PathBuf,
}

impl Report {
    pub fn run(self) -> Result<ExitCode> {
        let prepared = self.input.prepare()?;
        let mut command = if self.format == "json" {
            let mut command = prepared.command("export");
            command.arg("-format=text").arg("-summary-only");
            command
        } else {
            prepared.command("report")
        };
        if self.functions {
            command.arg("-show-functions");
            // llvm-cov lists functions only of files that are named.
            if self.input.source.is_empty() {
                let files = prepared.files()?;
                command
                    .arg("-sources")
                    .args(files.into_iter().map(|(name, _)| name));
            }
        }
        prepared.print(command)
    }
}

impl Show {
    pub fn run(self) -> Result<ExitCode> {
        let prepared = self.input.prepare()?;
        let mut command = prepared.command("show");
        if self.branches {
            command.args(["-show-branches=count", "-show-mcdc"]);
        }
        prepared.print(command)
    }
}

impl Html {
    pub fn run(self) -> Result<ExitCode> {
        let prepared = self.input.prepare()?;
        let mut command = prepared.command("show");
        command.args(["-format=html", "-show-branches=count", "-show-mcdc"]);
        let failed = || format!("cannot write {}", self.output.display());
        let is_new = !self.output.exists();
        fs::create_dir_all(&self.output).with_context(failed)?;
        let done = self.fill(&prepared.tools, command).with_context(failed);
        if done.is_err() && is_new {
            // (It may be empty or not; this command alone has put files there.)
            let _ = fs::remove_dir_all(&self.output);
        }
        done?;
        crate::print(&format!("{}\n", self.output.join("index.html").display()))?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Html {
    /// Pages are made beside their places and moved there when all are whole: LLVM would leave half of them on a full disk.
    fn fill(&self, tools: &Tools, mut command: Command) -> Result<()> {
        let pages = tempfile::tempdir_in(&self.output)?;
        let mut directory = OsString::from("-output-dir=");
        directory.push(pages.path());
        tools.output({
            command.arg(directory);
            command
        })?;
        Ok(move_all(pages.path(), &self.output)?)
    }
}

/// Moves what is in a directory to another one of the same file system, over what is there.
fn move_all(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            fs::create_dir_all(&place)?;
            move_all(&entry.path(), &place)?;
        } else {
            fs::rename(entry.path(), place)?;
        }
    }
    Ok(())
}

impl Lcov {
    pub fn run(self) -> Result<ExitCode> {
        let prepared = self.input.prepare()?;
        let mut command = prepared.command("export");
        command.arg("-format=lcov");
        let (text, _) = prepared.tools.output(command)?;
        if self.output == Path::new("-") {
            crate::print(&String::from_utf8_lossy(&text))?;
        } else {
            let output = outputs::named(&self.output, LCOV);
            drain::output::write_atomically(&output, &text)?;
            crate::print(&format!("{}\n", output.display()))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Merge {
    pub fn run(self) -> Result<ExitCode> {
        let found = Profiles::find(&self.inputs)?;
        let tools = Tools::find(found.version)?;
        let output = outputs::named(&self.output, PROFILE);
        merge(&tools, &found.files, &output)?;
        crate::print(&format!("{}\n", output.display()))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The profiles among the inputs.
pub struct Profiles {
    /// Profile files, raw and indexed.
    pub files: Vec<PathBuf>,
    /// Directories with images.
    pub directories: BTreeSet<PathBuf>,
    /// Version of the raw ones.
    pub version: Option<u64>,
    /// All are of `build --pgo`, whose counters belong to no lines.
    without_lines: bool,
}

impl Profiles {
    /// Files as they are named, and all raw profiles in directories. Refuses what LLVM's tools would not read.
    pub fn find(inputs: &[PathBuf]) -> Result<Self> {
        let mut files = Vec::new();
        let mut directories = BTreeSet::new();
        for input in inputs {
            let metadata = fs::metadata(input);
            let metadata = metadata.with_context(|| {
                format!("cannot read {}; run the program first", input.display())
            })?;
            if metadata.is_dir() {
                directories.insert(input.clone());
                let before = files.len();
                let entries = fs::read_dir(input)
                    .with_context(|| format!("cannot list {}", input.display()))?;
                let paths = entries.flatten().map(|entry| entry.path());
                files.extend(paths.filter(|path| {
                    path.extension()
                        .is_some_and(|extension| extension == "profraw")
                }));
                if files.len() == before {
                    bail!(
                        "{} holds no .profraw file; was the program built with `luthier coverage build`?",
                        input.display()
                    );
                }
            } else {
                let parent = input
                    .parent()
                    .filter(|parent| !parent.as_os_str().is_empty());
                directories.insert(parent.unwrap_or(Path::new(".")).to_path_buf());
                files.push(input.clone());
            }
        }
        files.sort();
        named_once(&files)?;
        let mut version = None;
        let mut without_lines = !files.is_empty();
        for file in &files {
            let bytes =
                fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
            let word = |at: usize| {
                bytes
                    .get(at..at + 8)
                    .map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default()))
            };
            // Both kinds have it in the same bit of their version.
            without_lines &= word(8).is_some_and(|word| rawprof::Version(word).is_ir_level());
            match word(0) {
                Some(INDEXED_MAGIC) => continue,
                Some(MAGIC) => {}
                _ => bail!(
                    "{} is neither a raw nor an indexed LLVM profile",
                    file.display()
                ),
            }
            let found = word(8).map(|word| word & 0xffff_ffff);
            if version.is_some() && found.is_some() && version != found {
                bail!(
                    "{} has raw version {}, the profiles before it {}; no LLVM release reads both: report on them one by one",
                    file.display(),
                    found.unwrap_or(0),
                    version.unwrap_or(0)
                );
            }
            version = found;
        }
        Ok(Profiles {
            files,
            directories,
            version,
            without_lines,
        })
    }
}

/// Counts of a file that is named twice would be added twice.
fn named_once(files: &[PathBuf]) -> Result<()> {
    let mut seen = BTreeSet::new();
    for file in files {
        let whole =
            fs::canonicalize(file).with_context(|| format!("cannot read {}", file.display()))?;
        ensure!(
            seen.insert(whole),
            "{} would be counted twice: it is named twice, or it is in a directory that is named too",
            file.display()
        );
    }
    Ok(())
}

/// Profiles merged, ready for `llvm-cov`.
struct Prepared {
    tools: Tools,
    profile: PathBuf,
    directories: BTreeSet<PathBuf>,
    objects: Vec<PathBuf>,
    sources: Vec<PathBuf>,
    ignore: Vec<String>,
    _temporary: tempfile::TempDir,
}

impl Input {
    /// `llvm-cov` takes what it does not understand for nothing, and shows everything.
    fn check(&self) -> Result<()> {
        for object in &self.object {
            let bytes =
                fs::read(object).with_context(|| format!("cannot read {}", object.display()))?;
            // llvm-cov judges what is no ELF file of 64 bits.
            let is_empty = Image::parse(bytes).is_ok_and(|image| !image.has_mapping);
            ensure!(
                !is_empty,
                "--object {}: it has no coverage mapping, and nothing of it can be shown; build it with `luthier coverage build --host`",
                object.display()
            );
        }
        for source in &self.source {
            ensure!(
                source.exists(),
                "--source {}: there is no such file or directory; give sources where they lay when they were compiled",
                source.display()
            );
        }
        if let Some(pattern) = &self.ignore {
            regex::Regex::new(pattern).map_err(|error| {
                let why = command::regex_problem(&error);
                anyhow!("--ignore {pattern}: this is no regular expression: {why}")
            })?;
        }
        Ok(())
    }

    fn prepare(&self) -> Result<Prepared> {
        self.check()?;
        let found = Profiles::find(&self.inputs)?;
        ensure!(
            !found.without_lines,
            "these profiles are of `luthier coverage build --pgo`, for `build --use`, and know no lines; build without --pgo for a report"
        );
        let tools = Tools::find(found.version)?;
        for warning in crate::verify::atomicity_warnings(&tools, &found) {
            command::say!("luthier coverage: {warning}");
        }
        for warning in crate::earlier::warnings(&found.files) {
            command::say!("luthier coverage: {warning}");
        }
        let temporary = tempfile::tempdir().context("cannot create a temporary directory")?;
        let profile = temporary.path().join("merged.profdata");
        merge(&tools, &found.files, &profile)?;
        let mut prepared = Prepared {
            tools,
            profile,
            directories: found.directories,
            objects: self.object.clone(),
            sources: self.source.clone(),
            ignore: self.ignore.iter().cloned().collect(),
            _temporary: temporary,
        };
        prepared.leave_out_unused_headers()?;
        Ok(prepared)
    }
}

impl Prepared {
    fn command(&self, action: &str) -> Command {
        let with = |flag: &str, value: &Path| {
            let mut argument = OsString::from(flag);
            argument.push(value);
            argument
        };
        let mut command = self.tools.command("llvm-cov");
        command
            .arg(action)
            .arg(with("-instr-profile=", &self.profile));
        for directory in &self.directories {
            command.arg(with("-debug-file-directory=", directory));
        }
        // Luthier's header and hipRTC's are in every device image, and are not the user's code.
        command.arg("-ignore-filename-regex=/(luthier_profile|hiprtc_runtime)\\.h$");
        for pattern in &self.ignore {
            command.arg(format!("-ignore-filename-regex={pattern}"));
        }
        for (index, object) in self.objects.iter().enumerate() {
            // The first is positional, the others are an option's values.
            if index > 0 {
                command.arg("-object");
            }
            command.arg(object);
        }
        if !self.sources.is_empty() {
            command.arg("-sources").args(&self.sources);
        }
        command
    }

    /// The source files that the profile covers, and how many of their lines were executed.
    fn files(&self) -> Result<Vec<(String, u64)>> {
        let mut command = self.command("export");
        command.args(["-format=text", "-summary-only"]);
        let (json, _) = self.tools.output(command)?;
        let export: serde_json::Value =
            serde_json::from_slice(&json).context("llvm-cov wrote malformed JSON")?;
        let files = export
            .pointer("/data/0/files")
            .and_then(|files| files.as_array());
        let rows = files.into_iter().flatten().filter_map(|file| {
            let covered = file.pointer("/summary/lines/covered");
            let covered = covered.and_then(|lines| lines.as_u64()).unwrap_or(0);
            Some((file.get("filename")?.as_str()?.to_owned(), covered))
        });
        Ok(rows.collect())
    }

    /// With `--system-headers`, every header of the compiler and its libraries is in the mapping; those of which nothing was executed
    /// say nothing about the program.
    fn leave_out_unused_headers(&mut self) -> Result<()> {
        let unused = self.files()?.into_iter().filter(|(name, covered)| {
            *covered == 0 && STANDARD.iter().any(|place| name.starts_with(place))
        });
        let patterns = unused.map(|(name, _)| format!("^{}$", escaped(&name)));
        self.ignore.extend(patterns.collect::<Vec<_>>());
        Ok(())
    }

    /// Runs a command whose output is the user's.
    fn print(&self, mut command: Command) -> Result<ExitCode> {
        command.stdout(Stdio::piped());
        let (text, messages) = self.tools.output(command)?;
        if !messages.is_empty() {
            command::say!("{messages}");
        }
        crate::print(&String::from_utf8_lossy(&text))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// An indexed profile, merged first if it is raw or a directory of raw ones.
pub enum Ready {
    Given(PathBuf),
    Merged(PathBuf, #[allow(dead_code)] tempfile::TempDir),
}

impl Ready {
    pub fn path(&self) -> &Path {
        match self {
            Ready::Given(path) | Ready::Merged(path, _) => path,
        }
    }
}

/// Makes of `input` what `-fprofile-use` reads.
pub fn ready(input: &Path) -> Result<Ready> {
    let found = Profiles::find(&[input.to_owned()])?;
    if found.version.is_none() {
        return Ok(Ready::Given(fs::canonicalize(input)?));
    }
    let temporary = tempfile::tempdir().context("cannot create a temporary directory")?;
    let path = temporary.path().join("merged.profdata");
    merge(&Tools::find(found.version)?, &found.files, &path)?;
    Ok(Ready::Merged(path, temporary))
}

fn merge(tools: &Tools, files: &[PathBuf], output: &Path) -> Result<()> {
    let temporary = tempfile::tempdir().context("cannot create a temporary directory")?;
    let merged = temporary.path().join("merged.profdata");
    // A list in a file, because thousands of ranks make more arguments than a command line takes.
    let list = temporary.path().join("inputs");
    let lines: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
    fs::write(&list, lines.join("\n"))?;
    let mut command = tools.command("llvm-profdata");
    command
        .arg("merge")
        .arg("-sparse=false")
        .arg("-o")
        .arg(&merged)
        .arg("-f")
        .arg(&list);
    // LLVM does not say how far it is.
    let waiting =
        ProgressBar::new_spinner().with_message(format!("merging {} profiles", files.len()));
    waiting.enable_steady_tick(Duration::from_millis(500));
    let done = tools.output(command);
    waiting.finish_and_clear();
    done?;
    let failed = || format!("cannot write {}", output.display());
    let mut merged = fs::File::open(&merged).with_context(failed)?;
    let mut file = outputs::Output::create(output).with_context(failed)?;
    std::io::copy(&mut merged, &mut file).with_context(failed)?;
    file.finish().with_context(failed)
}
