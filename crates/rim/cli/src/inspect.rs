//! `luthier inspect`: what is inside a HIP file.

use std::{
    io::{BufWriter, ErrorKind, IsTerminal, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use command::Status;
use regex::Regex;

use crate::{format::Format, progress::Progress};

/// Show what is inside HIP executables, libraries, code objects and offload bundles.
#[derive(Args)]
pub struct Inspect {
    /// Executables, shared libraries, code objects or offload bundles
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// `json` has every field that the other options ask for
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Only kernels and functions whose name matches
    #[arg(short, long, value_name = "REGEX")]
    kernel: Option<Regex>,
    /// Only code objects for this target, such as gfx90a
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,
    /// List symbols
    #[arg(long)]
    symbols: bool,
    /// Disassemble, with source lines where the code object has debug information
    #[arg(short, long)]
    disassemble: bool,
    /// List basic blocks; `dot` prints a Graphviz graph instead of the report
    #[arg(long, value_enum, value_name = "FORM", num_args = 0..=1, default_missing_value = "text")]
    cfg: Option<Cfg>,
    /// Count mnemonics
    #[arg(long)]
    histogram: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Cfg {
    Text,
    Dot,
}

impl Inspect {
    pub fn execute(self) -> Result<ExitCode> {
        let options = inspect::Options {
            name_filter: self.kernel.clone(),
            names: None,
            target_filter: self.target.clone(),
            symbols: self.symbols,
            disassembly: self.disassemble,
            blocks: self.cfg.is_some(),
            histogram: self.histogram,
        };
        let mut out = BufWriter::new(std::io::stdout().lock());
        let mut failed = false;
        for (index, file) in self.files.iter().enumerate() {
            match self.one(file, index, &options, &mut out) {
                Ok(()) => {}
                // The reader has seen enough.
                Err(Failure::Writing(error)) if error.kind() == ErrorKind::BrokenPipe => {
                    return Ok(ExitCode::SUCCESS);
                }
                Err(Failure::Writing(error)) => {
                    return Err(error).context("cannot write the report");
                }
                Err(Failure::File(error)) => {
                    let line = command::error_line(&format!("{error:#}"), None);
                    command::say!("luthier: {line}");
                    failed = true;
                }
            }
        }
        let list_end = if self.format == Format::Json && self.files.len() > 1 {
            writeln!(out, "]").and_then(|()| out.flush())
        } else {
            out.flush()
        };
        match list_end {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                return Err(error).context("cannot write the report");
            }
            _ => {}
        }
        Ok(if failed {
            Status::Failed.into()
        } else {
            ExitCode::SUCCESS
        })
    }

    /// One file's report. JSON of several files is a list.
    fn one(
        &self,
        file: &Path,
        index: usize,
        options: &inspect::Options,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let input = outputs::Input::open(file)
            .with_context(|| format!("cannot read {}", file.display()))
            .map_err(Failure::File)?;
        let (bytes, name) = (input.bytes(), file.display().to_string());
        if self.cfg == Some(Cfg::Dot) {
            let report = inspect::inspect(bytes, &name, options)?;
            return Ok(report.write_dot(out)?);
        }
        // A user who sees the report appear knows how far it is.
        let progress = match std::io::stdout().is_terminal() {
            true => Progress::none(),
            false => Progress::new(bytes.len() as u64),
        };
        if self.format == Format::Json {
            return self.json(&input, &name, index, options, &progress, out);
        }
        let mut writer = inspect::TextWriter::new(&name, bytes.len() as u64);
        let mut written = Ok(());
        let found = inspect::stream(bytes, &name, options, &mut |part| {
            match part {
                inspect::Part::Object(object) => written = writer.object(out, &object),
                inspect::Part::Other(id, size) => writer.other(&id, size),
                inspect::Part::Problem(place, reason) => writer.problem(&place, &reason),
                inspect::Part::Reached(offset) => {
                    progress.reached(offset);
                    input.let_go(offset);
                }
            }
            written.is_ok()
        });
        written?;
        found?;
        Ok(writer.finish(out)?)
    }

    fn json(
        &self,
        input: &outputs::Input,
        name: &str,
        index: usize,
        options: &inspect::Options,
        progress: &Progress,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        if self.files.len() > 1 {
            write!(out, "{}", if index == 0 { "[" } else { ",\n" })?;
        }
        let mut reached = |offset| {
            progress.reached(offset);
            input.let_go(offset);
        };
        let mut held = Held {
            out: &mut *out,
            kept: Vec::new(),
        };
        let mut serializer = serde_json::Serializer::pretty(&mut held);
        let bytes = input.bytes();
        let written = inspect::write_json(bytes, name, options, &mut reached, &mut serializer);
        let written = written.map_err(|error| Failure::Writing(error.into()))?;
        if let Err(error) = written {
            // The value that has been written stays complete, so that a list of several files can be read.
            if self.files.len() > 1 {
                write!(out, "null")?;
            }
            return Err(error.into());
        }
        held.release()?;
        Ok(writeln!(out)?)
    }
}

/// Holds the beginning back: where there is nothing to report, nothing is written.
struct Held<'a> {
    out: &'a mut dyn Write,
    kept: Vec<u8>,
}

/// More than stands before the first object.
const BEGINNING: usize = 64 << 10;

impl Held<'_> {
    fn release(&mut self) -> std::io::Result<()> {
        self.out.write_all(&std::mem::take(&mut self.kept))
    }
}

impl Write for Held<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.kept.extend(bytes);
        if self.kept.len() > BEGINNING {
            self.release()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Why there is no report of a file, or no complete one.
enum Failure {
    File(anyhow::Error),
    Writing(std::io::Error),
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::Writing(error)
    }
}

impl From<inspect::Error> for Failure {
    fn from(error: inspect::Error) -> Failure {
        Failure::File(error.into())
    }
}
