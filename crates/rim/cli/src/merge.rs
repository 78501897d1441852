//! `luthier merge`: one directory with the counts of many processes.

mod rows;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use serde_json::Value;

use command::Status;

use crate::{
    checking::{Destination, Form, injection},
    progress::Steps,
};

/// How it is called.
const EXAMPLES: &str = "\
Examples:
  mpirun -n 4 luthier run -t instr-count --output out -- ./app
  luthier merge out -o merged
  luthier merge part-*.json -o campaign.json";

/// Add up the counts of processes and ranks.
///
/// Writes a directory like that of one run, with the counts of all of them, for `luthier report` and `luthier query`. Counters are added,
/// exactly. Kernels, instructions and lines that several processes have become one. Traces and logs are no counters and are left out:
/// `luthier query` and `luthier report` read those of all ranks where they are.
///
/// Files of `luthier check --inject --format json` become one file, if they are parts of one campaign.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Merge {
    /// Directories of `luthier run --output`, each with all ranks in it; or files of `luthier check --inject`
    #[arg(required = true, value_name = "DIR")]
    inputs: Vec<PathBuf>,
    /// Directory to write; it has to be new, or empty. For files of `luthier check --inject`: the file to write
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

/// Results of tools that are no counters: each line of them is about one launch or copy of one process, or they are a report of their own.
const LEFT_OUT: [&str; 3] = ["launch-log", "copies", "coverage"];

/// Number of the process in names of merged files, which no process has.
const NOBODY: u32 = 0;

/// The files that have been read.
#[derive(Default)]
struct Merged {
    /// By name of the file without process.
    totals: BTreeMap<String, Value>,
    statistics: Option<Value>,
    /// Code objects by file name.
    objects: BTreeMap<String, PathBuf>,
    /// Names of what is not merged.
    left_out: BTreeSet<String>,
    files: usize,
}

impl Merge {
    pub fn execute(self) -> Result<ExitCode> {
        if self.inputs.iter().any(|input| input.is_file()) {
            return self.injections();
        }
        let there = fs::read_dir(&self.output).is_ok_and(|mut entries| entries.next().is_some());
        if there {
            return Err(not_empty(&self.output));
        }
        let steps = Steps::new();
        let (mut merged, mut seen) = (Merged::default(), BTreeSet::new());
        for input in &self.inputs {
            let before = merged.files;
            let mut listed = Vec::new();
            for place in report::places(input)? {
                listed.extend(files_of(&place.path)?);
                merged.note_objects(&place.path)?;
            }
            for (done, path) in listed.iter().enumerate() {
                steps.step("adding up", done, listed.len());
                let whole = fs::canonicalize(path).with_context(|| path.display().to_string())?;
                if !seen.insert(whole) {
                    bail!(
                        "{} would be counted twice: {} is named twice, or another directory holds it",
                        path.display(),
                        input.display()
                    );
                }
                merged.add(path)?;
            }
            if merged.files == before {
                bail!(
                    "{} has no counts of tools: luthier run -t TOOL --output {} -- PROGRAM",
                    input.display(),
                    input.display()
                );
            }
        }
        merged.write(&self.output)?;
        drop(steps);
        command::say!("{}: {} files added up", self.output.display(), merged.files);
        if !merged.left_out.is_empty() {
            let names: Vec<_> = merged.left_out.iter().map(String::as_str).collect();
            command::say!(
                "luthier: left out, as they are no counters: {}; luthier query and luthier report read them where they are",
                names.join(", ")
            );
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Merge {
    /// The parts of a campaign of fault injection become one file.
    fn injections(&self) -> Result<ExitCode> {
        if let Some(other) = self.inputs.iter().find(|input| !input.is_file()) {
            bail!(
                "{} is no file: merge either directories of luthier run or files of luthier check --inject",
                other.display()
            );
        }
        let file = injection::merge(&self.inputs)?;
        let destination = Destination::open(&self.output, injection::usual(Form::Json))?;
        injection::write(&file, Form::Json, Some(destination))?;
        injection::write(&file, Form::Text, None)?;
        Ok(match file.is_whole() {
            true => ExitCode::SUCCESS,
            false => Status::Incomplete.into(),
        })
    }
}

impl Merged {
    /// One file of a run.
    fn add(&mut self, path: &Path) -> Result<()> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name == "statistics.json" {
            self.count(None, path)?;
        } else if let Some((tool, ending)) = parts(&name) {
            let counts = ending == "json" && !tool.ends_with(".trace");
            match counts && !LEFT_OUT.contains(&tool) {
                true => self.count(Some(tool), path)?,
                false => drop(
                    self.left_out
                        .insert(tool.trim_end_matches(".trace").to_owned()),
                ),
            }
        }
        Ok(())
    }

    /// The code objects that the run of a directory kept.
    fn note_objects(&mut self, directory: &Path) -> Result<()> {
        let Ok(objects) = fs::read_dir(directory.join("objects")) else {
            return Ok(());
        };
        for entry in objects {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            self.objects.entry(name).or_insert_with(|| entry.path());
        }
        Ok(())
    }

    fn count(&mut self, tool: Option<&str>, path: &Path) -> Result<()> {
        let about = || path.display().to_string();
        let text = fs::read(path).with_context(about)?;
        let value: Value = serde_json::from_slice(&text).with_context(about)?;
        let total = match tool {
            Some(tool) => self
                .totals
                .entry(tool.to_owned())
                .or_insert_with(|| rows::empty(&value)),
            None => self.statistics.get_or_insert_with(|| rows::empty(&value)),
        };
        rows::add(total, value).with_context(about)?;
        self.files += 1;
        Ok(())
    }

    /// The files get their places when all are written, and the directory never has those of two commands.
    fn write(&self, output: &Path) -> Result<()> {
        fs::create_dir_all(output).with_context(|| cannot(output))?;
        let apart = output.join(UNFINISHED);
        match fs::create_dir(&apart) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(not_empty(output));
            }
            made => made.with_context(|| cannot(output))?,
        }
        let written = self
            .fill(&apart, output)
            .and_then(|()| settle(&apart, output));
        if written.is_err() {
            let _ = fs::remove_dir_all(&apart);
        }
        written
    }

    /// Writes the files; errors call the directory as the user does.
    fn fill(&self, place: &Path, output: &Path) -> Result<()> {
        let named = |(tool, total)| (format!("{tool}.{NOBODY}.json"), total);
        let statistics = self
            .statistics
            .iter()
            .map(|total| ("statistics.json".to_owned(), total));
        for (name, total) in self.totals.iter().map(named).chain(statistics) {
            outputs::write_whole(&place.join(&name), &serde_json::to_vec_pretty(total)?)
                .with_context(|| cannot(&output.join(name)))?;
        }
        if !self.objects.is_empty() {
            let objects = Path::new("objects");
            fs::create_dir_all(place.join(objects)).with_context(|| cannot(output))?;
            for (name, from) in &self.objects {
                let bytes = fs::read(from).with_context(|| from.display().to_string())?;
                let path = objects.join(name);
                outputs::write_whole(&place.join(&path), &bytes)
                    .with_context(|| cannot(&output.join(path)))?;
            }
        }
        Ok(())
    }
}

/// A directory in the output, with files that are not in their places yet.
const UNFINISHED: &str = ".unfinished";

/// Moves the files from `apart` to the directory around it, which has nothing else.
fn settle(apart: &Path, output: &Path) -> Result<()> {
    let context = || cannot(output);
    if fs::read_dir(output).with_context(context)?.count() > 1 {
        return Err(not_empty(output));
    }
    for entry in fs::read_dir(apart).with_context(context)? {
        let entry = entry.with_context(context)?;
        let place = output.join(entry.file_name());
        fs::rename(entry.path(), &place).with_context(|| cannot(&place))?;
    }
    fs::remove_dir(apart).with_context(context)
}

fn cannot(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

fn not_empty(output: &Path) -> anyhow::Error {
    anyhow!(
        "{} is not empty: merge into a new directory",
        output.display()
    )
}

/// The files of a directory, in the order of their names.
fn files_of(directory: &Path) -> Result<Vec<PathBuf>> {
    let listed = fs::read_dir(directory).with_context(|| directory.display().to_string())?;
    let mut paths = Vec::new();
    for entry in listed {
        paths.push(entry?.path());
    }
    paths.retain(|path| path.is_file());
    paths.sort();
    Ok(paths)
}

/// Name and ending of `NAME.PID.ENDING`; `NAME.PID-2.ENDING` is a second session of that process.
fn parts(file: &str) -> Option<(&str, &str)> {
    let (rest, ending) = file.rsplit_once('.')?;
    let (name, process) = rest.rsplit_once('.')?;
    let numbers = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    process.split('-').all(numbers).then_some((name, ending))
}
