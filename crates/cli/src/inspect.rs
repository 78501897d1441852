//! `luthier inspect`: what is inside a HIP file.

use std::{
    fs,
    io::{ErrorKind, Write},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

/// Show bundles, targets, kernels, symbols and code of HIP executables, shared libraries, code objects and bundles.
#[derive(Args)]
pub struct Inspect {
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// `json` holds everything there is
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Only kernels and functions whose name contains this
    #[arg(short, long, value_name = "TEXT")]
    kernel: Option<String>,
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
enum Format {
    Text,
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Cfg {
    Text,
    Dot,
}

impl Inspect {
    pub fn execute(self) -> Result<ExitCode> {
        let mut options = match self.format {
            Format::Json => inspect::Options::all(),
            Format::Text => inspect::Options {
                symbols: self.symbols,
                disassembly: self.disassemble,
                blocks: self.cfg.is_some(),
                histogram: self.histogram,
                ..inspect::Options::default()
            },
        };
        options.name_filter = self.kernel.clone();
        options.target_filter = self.target.clone();
        let mut reports = Vec::new();
        let mut failed = false;
        for file in &self.files {
            match self.one(file, &options) {
                Ok(report) => reports.push(report),
                Err(error) => {
                    files::say!("luthier: {error:#}");
                    failed = true;
                }
            }
        }
        let written = self.write(&reports);
        match written {
            // The reader has seen enough.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
            result => result.context("cannot write the report")?,
        }
        Ok(if failed {
            ExitCode::from(2)
        } else {
            ExitCode::SUCCESS
        })
    }

    fn one(&self, file: &PathBuf, options: &inspect::Options) -> Result<inspect::Report> {
        let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        Ok(inspect::inspect(
            &bytes,
            &file.display().to_string(),
            options,
        )?)
    }

    fn write(&self, reports: &[inspect::Report]) -> std::io::Result<()> {
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        if self.format == Format::Json {
            match reports {
                [report] => serde_json::to_writer_pretty(&mut out, report)?,
                reports => serde_json::to_writer_pretty(&mut out, reports)?,
            }
            writeln!(out)?;
            return out.flush();
        }
        for report in reports {
            if self.cfg == Some(Cfg::Dot) {
                report.write_dot(&mut out)?;
            } else {
                report.write_text(&mut out)?;
            }
        }
        out.flush()
    }
}
