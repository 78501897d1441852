//! `luthier run`: any HIP or HSA program, on an emulated device.

use std::{
    ffi::{OsStr, OsString},
    fs,
    io::IsTerminal,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::Instant,
};

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use gpu::Fill;
use outputs::Scratch;

use launcher::{address_space, device, launch, temporary};

use crate::{
    compatibility, fidelity, known_devices, ledger::Ledger, live::Live, pmc, privileged,
    ranks::Rank, report::Pages, summary, with_tools::WithTools,
};

/// How it is called.
const EXAMPLES: &str = "\
Examples:
  luthier run -- ./app arguments
  luthier run --device gfx1030 --stats -- ./app
  luthier run -t instr-count -t bb-count -k 'gemm.*' -- ./app
  luthier run --report app.html -- ./app";

/// Run a HIP or HSA program, on an emulated GPU if there is no real one.
///
/// The program is not modified, and its exit status, signals and standard streams stay its own.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Run {
    /// `hardware`, a target to emulate (gfx90a, gfx942, ...), a product (mi300x, rx6900xt, ...), several (gfx90a,mi300x), or `auto`
    #[arg(
        long,
        long_help = devices(),
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
    /// Follow results that a GPU may compute otherwise, and say which addresses, branches and memory that outlives the kernel depend on
    /// them. Implies --stats. Kernels take many times as long
    #[arg(long)]
    exactness: bool,
    /// Print these counters of each kernel, by the names that AMD's profilers give them: SQ_WAVES, SQ_INSTS_VALU, ... as far as they follow
    /// from what was executed. `docs/emulator/counters.md` defines each
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pmc: Vec<String>,
    /// Show in one line of the terminal what the emulated GPU is doing: kernels, launches, instructions per second, records, top kernel
    #[arg(long)]
    live: bool,
    /// Results of approximate functions as measured on a GPU: a file that `luthier hardware-check --numerics` wrote
    #[arg(long, value_name = "FILE")]
    numerics: Option<PathBuf>,
    /// Contents of registers, LDS, scratch and fresh device memory before the program writes them (on a GPU, they can be anything):
    /// `zero` (the default), `random` or `random:SEED`, or hexadecimal digits, 2 for a byte or 8 for a word, such as ff or 7fc00000
    #[arg(long, value_name = "PATTERN")]
    fill: Option<Fill>,
    #[command(flatten)]
    tools: WithTools,
    /// Directory for recorded dispatches, which `luthier verify` can run again: the first launch of every kernel, or with -k of
    /// those whose symbol matches
    #[arg(long, value_name = "DIR", conflicts_with_all = ["tools", "report"])]
    record: Option<PathBuf>,
    /// Write a page about the run that any browser opens: kernels, source and ISA with counts, graphs, memory, timeline. Without -t, all
    /// tools that the page can show run; with -t, the named tools and `hotspots`
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Leave texts of source files out of the report
    #[arg(long, requires = "report", conflicts_with = "record")]
    no_sources: bool,
    /// Write when launches ran, for Perfetto (ui.perfetto.dev) and Chrome; adds the tool launch-log
    #[arg(long, value_name = "FILE.json", conflicts_with = "record")]
    timeline: Option<PathBuf>,
    /// Directory for files: with --stats, statistics.json; traces and reports of tools. In an MPI job, each rank has a directory `rank=N`
    /// in it
    #[arg(short, long, value_name = "DIR")]
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

/// Everything that `--device` takes.
fn devices() -> String {
    let targets: Vec<_> = gpu::topology::targets().collect();
    let products: Vec<_> = gfx::PRODUCTS
        .iter()
        .filter(|product| targets.contains(&product.target))
        .map(|product| format!("{} ({})", product.name, product.target))
        .collect();
    format!(
        "`hardware`, `auto` (hardware if there is a GPU), or what to emulate, separated by commas.\n\nTargets: {}\n\nProducts: {}",
        targets.join(", "),
        products.join(", ")
    )
}

/// Whether the file of measured functions is whole, and of one of the devices: the emulated GPU, which reads it in the program's process,
/// could only say so and go on without.
fn of_a_device(file: &Path, devices: &str) -> Result<()> {
    let bytes = fs::read(file).with_context(|| file.display().to_string())?;
    let of = emulate::imitate(&bytes).map_err(|why| {
        anyhow!(
            "{}: {why}; luthier hardware-check --import makes such files",
            file.display()
        )
    })?;
    let is_one = |name: &str| {
        gpu::topology::Config::new(name.trim()).is_ok_and(|gpu| gpu.target.name == of.name)
    };
    ensure!(
        devices.split(',').any(is_one),
        "{} is of {}, and the emulated GPU is {devices}",
        file.display(),
        of.name
    );
    Ok(())
}

impl Run {
    pub fn execute(mut self) -> Result<ExitCode> {
        let mut command = Command::new(&self.program[0]);
        command.args(&self.program[1..]);
        self.stats |= self.exactness;
        if self.report.is_some() {
            self.tools.for_report(&self.program[0]);
        }
        if self.timeline.is_some() {
            self.tools.add("launch-log");
        }
        let rank = Rank::own();
        if let Some(rank) = &rank {
            self.belong_to(rank);
        }
        let counters = pmc::chosen(&self.pmc)?;
        let pages = Pages::wanted(&self.report, &self.timeline, self.no_sources, &self.program)?;
        let ledger = self.tools.apply(&mut command, self.record.is_some())?;
        if let Some(directory) = &self.output {
            make(directory)?;
            if let Some(rank) = &rank {
                rank.describe(directory)?;
            }
        }
        let output = match (&self.output, &pages) {
            (Some(directory), _) => Some(fs::canonicalize(directory)?),
            (None, Some(pages)) => Some(pages.directory().to_owned()),
            (None, None) => None,
        };
        if let Some(directory) = &output {
            command.env("LUTHIER_OUTPUT", directory);
            // Files that tools write for the user would be deleted with the report's own directory.
            if self.output.is_none() {
                command.env("LUTHIER_OUTPUT_TEMPORARY", "1");
            }
        }
        if pages.is_some() {
            command.env("LUTHIER_OBJECTS", "1");
        }
        let Some(target) = device::choose(&self.device)? else {
            if let Some(option) = self.needs_emulation() {
                bail!(
                    "{option} needs the emulated GPU; add --device {}",
                    device::DEFAULT_TARGET
                );
            }
            return end(&mut command, ledger, pages, output);
        };
        check(&self.program[0], target, self.gpus)?;
        device::emulate(&mut command, target, self.gpus)?;
        if let Some(complaint) = known_devices::complaint(target) {
            // The emulator says it where a program loads ROCr.
            command.env("LUTHIER_OLD_RUNTIME", complaint);
        }
        if self.tools.exact_memory().is_some() {
            device::be_exact(&mut command);
        }
        if let Some(fill) = self.fill {
            device::fill(&mut command, &fill.to_string());
        }
        if let Some(file) = &self.numerics {
            let found = fs::canonicalize(file);
            let found = found.with_context(|| format!("cannot find {}", file.display()))?;
            of_a_device(&found, target)?;
            device::imitate(&mut command, &found);
        }
        if let Some(directory) = &self.record {
            make(directory)?;
            command.env("LUTHIER_RECORD", fs::canonicalize(directory)?);
            if let Some(pattern) = self.tools.kernel() {
                let about = |error| anyhow!("-k {pattern}: {}", command::regex_problem(&error));
                regex::Regex::new(pattern).map_err(about)?;
                command.env("LUTHIER_RECORD_KERNEL", pattern);
            }
        }
        let selects = self.record.is_some() && self.tools.kernel().is_some();
        if !self.stats && counters.is_empty() && !self.live && output.is_none() && !selects {
            return end(&mut command, ledger, None, None);
        }
        let statistics =
            Scratch::new().context("cannot make a file in memory for the statistics")?;
        command.env("LUTHIER_STATS", statistics.path());
        if self.exactness {
            command.env("LUTHIER_EXACTNESS", "1");
        }
        let began = Instant::now();
        let live = match self.live {
            true => {
                let records =
                    Scratch::new().context("cannot make a file in memory for counts of records")?;
                command.env("LUTHIER_LIVE", records.path());
                let line = Live::start(statistics.path().into(), records.path().into());
                Some((line, records))
            }
            false => None,
        };
        let status = launch::run(&mut command)?;
        drop(live);
        // The status is the program's, even if Luthier's own output fails.
        let counted = statistics
            .read()
            .map_err(Into::into)
            .and_then(|text| summary::read(&text, began.elapsed()));
        let delivered =
            counted.and_then(|counted| self.deliver(&counted, &counters, output.as_deref()));
        if let Err(error) = delivered {
            command::say!("luthier: no summary: {error:#}");
        }
        if let Some(ledger) = ledger {
            ledger.complain(status);
        }
        if let (Some(pages), Some(output)) = (pages, output) {
            pages.write(&output);
        }
        Ok(launch::end_like(status))
    }

    /// An option that was given and that hardware does not have.
    fn needs_emulation(&self) -> Option<&'static str> {
        let emulated_only = [
            (self.exactness, "--exactness"),
            (self.stats, "--stats"),
            (!self.pmc.is_empty(), "--pmc"),
            (self.record.is_some(), "--record"),
            (self.tools.exact_memory() == Some(true), "--strict=memory"),
            (self.live, "--live"),
            (self.numerics.is_some(), "--numerics"),
            (self.fill.is_some(), "--fill"),
        ];
        let mut given = emulated_only.iter().filter(|(given, _)| *given);
        given.next().map(|(_, option)| *option)
    }

    /// Gives outputs names that no other rank has.
    fn belong_to(&mut self, rank: &Rank) {
        for directory in [&mut self.output, &mut self.record].into_iter().flatten() {
            directory.push(rank.directory());
        }
        for file in [&mut self.report, &mut self.timeline].into_iter().flatten() {
            *file = rank.file(file);
        }
    }

    fn deliver(
        &self,
        counted: &counts::Run,
        counters: &[&compute::counters::Counter],
        output: Option<&Path>,
    ) -> Result<()> {
        if let (Some(_), Some(pattern)) = (&self.record, self.tools.kernel())
            && let Some(complaint) = summary::without(counted, pattern)?
        {
            command::say!("luthier: warning: nothing is recorded: -k {complaint}");
        }
        if self.stats {
            let colour = std::io::stderr().is_terminal();
            let exactness = fidelity::text(counted, self.numerics.is_some());
            command::print_error(format_args!(
                "{}{exactness}{}",
                summary::text(counted, colour),
                fidelity::reached(counted)
            ));
            command::print_error(format_args!("{}", fidelity::waits(counted)));
        }
        if !counters.is_empty() {
            command::print_error(format_args!("{}", pmc::text(counted, counters)));
        }
        if let Some(directory) = output {
            let path = directory.join("statistics.json");
            outputs::write_whole(&path, &serde_json::to_vec_pretty(counted)?)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }
}

/// Runs the program when nothing remains to be done behind it but to look at the ledger.
fn end(
    command: &mut Command,
    ledger: Option<Ledger>,
    pages: Option<Pages>,
    output: Option<PathBuf>,
) -> Result<ExitCode> {
    let Some(ledger) = ledger else {
        return Err(launch::replace(command));
    };
    let status = launch::run(command)?;
    ledger.complain(status);
    drop(ledger);
    if let (Some(pages), Some(output)) = (pages, output) {
        pages.write(&output);
    }
    Ok(launch::end_like(status))
}

fn make(directory: &Path) -> Result<()> {
    fs::create_dir_all(directory)
        .with_context(|| format!("cannot make the output directory {}", directory.display()))
}

/// Refuses unknown targets before the program starts, and says when it has no code for them.
pub fn check(program: &OsStr, targets: &str, gpus: Option<u32>) -> Result<()> {
    for target in targets.split(',') {
        let device = gpu::topology::Config::new(target.trim())
            .map_err(|error| anyhow::anyhow!("--device {targets}: {error}"))?;
        if target.contains(":xnack+") && !device.target.retries_by_process {
            let name = device.target.name;
            bail!(
                "--device {targets}: {name} has no XNACK that a program can ask for, as on hardware; gfx90a, gfx942 and gfx950 have it"
            );
        }
    }
    if let Some(complaint) = privileged::complaint(program) {
        command::say!("luthier: {complaint}");
    }
    if let Some(complaint) = temporary::complaint() {
        command::say!("luthier: {complaint}");
    }
    let listed = targets.split(',').count() as u64;
    if let Some(complaint) = address_space::complaint(gpus.map_or(listed, u64::from)) {
        command::say!("luthier: {complaint}");
    }
    for complaint in compatibility::complaints(program, targets, device::wants_xnack(targets)) {
        command::say!("luthier: {complaint}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_lists_what_can_be_emulated() {
        let help = devices();
        for name in ["gfx942", "gfx950", "mi300x (gfx942)", "rx6900xt (gfx1030)"] {
            assert!(help.contains(name), "{help}");
        }
    }
}
