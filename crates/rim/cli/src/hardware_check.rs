//! `luthier hardware-check`: whether a GPU does what the emulated one does.

use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use command::Status;
use hardware::{Child, Emulated, Options, Report, Ways, page};
use outputs::Output;

use crate::{
    about,
    format::{Format, print_json},
    progress::Steps,
};

/// How it is called.
const EXAMPLES: &str = "\
Examples:
  luthier hardware-check
  luthier hardware-check --only v_rcp --inputs 16777216
  luthier hardware-check --only v_add --program ./self_test -t instr-count
  luthier hardware-check --import gfx90a.json gfx1100.json
  luthier hardware-check --import gfx90a.json --numerics gfx90a.numerics";

/// Options that only a new check has: `--import` and `--numerics` refuse them.
const OF_CHECKS: [&str; 8] = [
    "output",
    "only",
    "inputs",
    "seed",
    "limit",
    "programs",
    "tools",
    "program_limit",
];

/// Compare an AMD GPU with the emulated one, instruction by instruction, and write a file to send.
///
/// Runs every instruction of arithmetic and memory that the GPU has, there and on the emulated device, and compares all registers. Both
/// start from the same random and special values, in every rounding and denormal mode. Functions that hardware approximates (reciprocals, roots,
/// exponentials, logarithms, sine, cosine) are measured in units of the last place. Instructions that cannot be tried alone are listed with
/// the reason.
///
/// Two files are written: FILE.json to send to Luthier's developers, and a page FILE.html to read. They say what GPU it is and
/// nothing about the machine, its name, users or files.
///
/// Exit status: 0 if both agree, 1 if something differs, 2 for errors.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub struct HardwareCheck {
    /// The file to write, or a directory for it; the page gets the same name with .html
    #[arg(
        short,
        long,
        value_name = "FILE.json",
        default_value = FILE
    )]
    output: PathBuf,
    /// Only instructions with TEXT in their mnemonic
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Number of inputs for each approximate function of 32 or 64 bits; those of 16 bits get all possible inputs
    #[arg(long, value_name = "N", default_value_t = 1 << 20, value_parser = clap::value_parser!(u32).range(64..=1 << 26))]
    inputs: u32,
    /// Seed of the random values: the same seed gives the same values
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Seconds for one kernel, after which it counts as endless
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=600))]
    limit: u64,
    /// Also run a program that checks itself and ends with status 0: alone, then under each tool
    #[arg(long = "program", value_name = "FILE")]
    programs: Vec<PathBuf>,
    /// Tools for --program; all of Luthier's if none is named
    #[arg(
        short,
        long = "tool",
        value_name = "NAME",
        requires = "programs",
        conflicts_with = "import"
    )]
    tools: Vec<String>,
    /// Seconds for one run of a program
    #[arg(long, requires = "programs", value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    program_limit: u64,
    /// Show the results in these files instead, then their approximate functions side by side
    #[arg(long, value_name = "FILE.json", num_args = 1.., conflicts_with_all = OF_CHECKS)]
    import: Vec<PathBuf>,
    /// Write the approximate functions in the one file of --import as a table for `luthier run --numerics` and `luthier emulate
    /// --numerics`. The emulated device of that target then returns the measured results
    #[arg(long, value_name = "FILE", requires = "import", conflicts_with_all = OF_CHECKS)]
    numerics: Option<PathBuf>,
    /// The output: a summary, or the contents of FILE.json; with --import, a list of them
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Run kernels for another process, which asks on standard input
    #[arg(long, hide = true)]
    serve: bool,
}

/// The name of the file.
const FILE: &str = "hardware-check.json";

impl HardwareCheck {
    pub fn execute(self) -> Result<ExitCode> {
        if self.serve {
            hardware::serve()?;
            return Ok(ExitCode::SUCCESS);
        }
        if !self.import.is_empty() {
            return self.show();
        }
        let output = outputs::named(&self.output, FILE);
        let paths = [output.clone(), output.with_extension("html")];
        // A place that cannot be written is an error before minutes of work.
        let [file, page] = [create(&paths[0])?, create(&paths[1])?];
        let programs: Result<Vec<PathBuf>> = self.programs.iter().map(|path| found(path)).collect();
        let programs = programs?;
        let own = env::current_exe().context("cannot find the luthier executable")?;
        let ways = Ways {
            with_tool: [own.clone()]
                .into_iter()
                .chain(["run", "--device", "hardware", "-t"].map(PathBuf::from))
                .collect(),
            tools: match self.tools.is_empty() {
                true => tools::TOOLS
                    .iter()
                    .map(|tool| tool.name.to_owned())
                    .collect(),
                false => self.tools,
            },
            limit: Duration::from_secs(self.program_limit),
            times: 2,
        };
        let mut gpu = Child::new(move || {
            let mut command = Command::new(&own);
            command.args(["hardware-check", "--serve"]);
            command
        });
        let device = gpu.about()?;
        let options = Options {
            seed: self.seed,
            sweep: self.inputs as usize,
            only: self.only,
            limit: self.limit,
        };
        let steps = Steps::new();
        let mut tell = |done, all| steps.step("comparing instructions", done, all);
        let mut report =
            hardware::check(&device, &mut gpu, &mut Emulated::new(), &options, &mut tell)?;
        let mut tell = |done, all| steps.step("running programs", done, all);
        report.programs = hardware::programs(&ways, &programs, &mut tell);
        drop(steps);
        write(file, &paths[0], &report.write())?;
        write(page, &paths[1], &page::html(std::slice::from_ref(&report)))?;
        match self.format {
            Format::Text => command::out!("{}", page::text(&report)),
            Format::Json => command::out!("{}", report.write()),
        }
        let [file, page] = paths.map(|path| path.display().to_string());
        command::say!("luthier: {file} is for sending, {page} for reading");
        Ok(match report.agrees() {
            true => ExitCode::SUCCESS,
            false => Status::Found.into(),
        })
    }

    /// The table of approximate functions.
    fn write_numerics(&self, reports: &[Report]) -> Result<()> {
        let Some(path) = &self.numerics else {
            return Ok(());
        };
        let [report] = reports else {
            bail!("--numerics is of one GPU; name one file with --import");
        };
        let (table, functions) = report.numerics()?;
        ensure!(
            functions > 0,
            "{} has no distances of approximate functions; run `luthier hardware-check` of this build on the GPU",
            self.import[0].display()
        );
        let mut output = create(path)?;
        output
            .write_all(&table)
            .and_then(|()| output.finish())
            .with_context(|| format!("cannot write {}", path.display()))?;
        command::say!(
            "luthier: {} has {functions} functions of {}",
            path.display(),
            report.device.target
        );
        Ok(())
    }

    fn show(&self) -> Result<ExitCode> {
        let mut reports = Vec::new();
        for path in &self.import {
            let bytes = fs::read(path).with_context(|| path.display().to_string())?;
            let report = Report::read(&String::from_utf8_lossy(&bytes))
                .map_err(|error| about(path, error.into()))?;
            reports.push(report);
        }
        self.write_numerics(&reports)?;
        if self.format == Format::Json {
            print_json(&reports)?;
            return Ok(ExitCode::SUCCESS);
        }
        for report in &reports {
            command::out!("{}", page::text(report));
        }
        command::out!("{}", page::table(&reports));
        Ok(ExitCode::SUCCESS)
    }
}

/// The absolute path of a program.
fn found(path: &Path) -> Result<PathBuf> {
    fs::canonicalize(path).with_context(|| format!("cannot find {}", path.display()))
}

fn create(path: &Path) -> Result<Output> {
    Output::create(path).with_context(|| format!("cannot write {}", path.display()))
}

fn write(mut output: Output, path: &Path, text: &str) -> Result<()> {
    output
        .write_all(text.as_bytes())
        .and_then(|()| output.finish())
        .with_context(|| format!("cannot write {}", path.display()))
}
