//! `luthier run`: any HIP or HSA program, on an emulated device.

use std::{
    env,
    ffi::OsString,
    fs,
    io::{IsTerminal, Write},
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::Instant,
};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::{compatibility, launch, libraries, summary::Summary, with_tools::WithTools};

/// Run a HIP or HSA program.
///
/// The program is not modified, and its exit status, signals and standard streams stay its own. Examples:
///
///   luthier run -- ./app arguments
///   luthier run --device gfx1030 --stats -- ./app
///   luthier run -t instr-count -t bb-count -k 'gemm.*' -- ./app
#[derive(Args)]
pub struct Run {
    /// `hardware`, a target to emulate (gfx90a, gfx908, gfx906, gfx900, gfx1030; several: gfx90a,gfx1030), or `auto`
    #[arg(
        long,
        default_value = "auto",
        value_name = "DEVICE",
        env = "LUTHIER_DEVICE"
    )]
    device: String,
    /// Number of emulated GPUs (repeats the list of --device)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=128))]
    gpus: Option<u32>,
    /// Print what the emulated GPU executed, per kernel and instruction class, when the program has ended
    #[arg(long)]
    stats: bool,
    #[command(flatten)]
    tools: WithTools,
    /// Directory for files: with --stats, statistics.json; traces and reports of tools
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// The program and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    program: Vec<OsString>,
}

/// Target emulated when none is named.
const DEFAULT_TARGET: &str = "gfx90a";

impl Run {
    pub fn execute(self) -> Result<ExitCode> {
        let mut command = Command::new(&self.program[0]);
        command.args(&self.program[1..]);
        self.tools.apply(&mut command)?;
        if let Some(directory) = &self.output {
            fs::create_dir_all(directory).with_context(|| {
                format!("cannot make the output directory {}", directory.display())
            })?;
            command.env("LUTHIER_OUTPUT", fs::canonicalize(directory)?);
        }
        let hardware = Path::new("/dev/kfd").exists();
        let target = match self.device.as_str() {
            "hardware" if hardware => None,
            "hardware" => bail!(
                "there is no AMD GPU here (/dev/kfd is missing); emulate one with --device gfx90a"
            ),
            "auto" if hardware => None,
            "auto" => {
                eprintln!(
                    "luthier: no AMD GPU here, emulating {DEFAULT_TARGET} (choose with --device)"
                );
                Some(DEFAULT_TARGET)
            }
            named => Some(named),
        };
        let Some(target) = target else {
            if self.stats {
                bail!("--stats counts on the emulated GPU; add --device {DEFAULT_TARGET}");
            }
            return Err(launch::replace(&mut command));
        };
        check_targets(target)?;
        if let Some(complaint) = compatibility::complaint(&self.program[0], target) {
            eprintln!("luthier: {complaint}");
        }
        emulate(&mut command, target, self.gpus)?;
        if !self.stats && self.output.is_none() {
            return Err(launch::replace(&mut command));
        }
        let statistics = tempfile::Builder::new()
            .prefix("luthier-")
            .suffix(".jsonl")
            .tempfile()
            .context("cannot make a temporary file for the statistics")?;
        command.env("LUTHIER_STATS", statistics.path());
        let began = Instant::now();
        let status = launch::run(&mut command)?;
        let summary = Summary::read(statistics.path(), began.elapsed());
        drop(statistics);
        match summary {
            Ok(summary) => self.deliver(&summary)?,
            Err(error) => eprintln!("luthier: no summary: {error:#}"),
        }
        Ok(launch::end_like(status))
    }

    fn deliver(&self, summary: &Summary) -> Result<()> {
        if let Some(directory) = &self.output {
            let mut file = tempfile::NamedTempFile::new_in(directory)
                .with_context(|| format!("cannot write to {}", directory.display()))?;
            serde_json::to_writer_pretty(&mut file, summary)
                .context("cannot write the statistics")?;
            file.flush().context("cannot write the statistics")?;
            file.persist(directory.join("statistics.json"))
                .context("cannot write the statistics")?;
        }
        if self.stats {
            let colour = std::io::stderr().is_terminal();
            eprint!("{}", summary.text(colour));
        }
        Ok(())
    }
}

/// Refuses unknown targets before the program starts.
fn check_targets(targets: &str) -> Result<()> {
    for target in targets.split(',') {
        gpu::topology::Config::new(target.trim())
            .map_err(|error| anyhow::anyhow!("--device {targets}: {error}"))?;
    }
    Ok(())
}

/// Makes ROCr find the emulated thunk.
fn emulate(command: &mut Command, target: &str, gpus: Option<u32>) -> Result<()> {
    let mut path = OsString::from(libraries::emulator_directory()?);
    if let Some(existing) = env::var_os("LD_LIBRARY_PATH").filter(|existing| !existing.is_empty()) {
        path.push(":");
        path.push(existing);
    }
    command
        .env("LD_LIBRARY_PATH", path)
        .env("LUTHIER_DEVICE", target);
    if let Some(gpus) = gpus {
        command.env("LUTHIER_GPUS", gpus.to_string());
    }
    Ok(())
}
