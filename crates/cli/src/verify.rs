//! `luthier verify`: an instrumented kernel against the original, on the emulated device.

use std::{
    fs,
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Command, ExitCode},
};

use anyhow::{Context, Result, bail};
use clap::Args;
use codeobj::CodeObject;
use launcher::libraries;
use lift::Module;
use luthier::Engine;
use verify::{Input, Launch, Subject, Verdict};

use crate::emulate::{Extent, Given, choose};

/// Prove on the emulated GPU that tools change nothing they must not.
///
/// Runs the kernel twice, as it is and with the tools, and compares before every instruction of the application all registers
/// that it may still read, and at the end all memory that it can see. The launch is either made up here, with arguments as for
/// `luthier emulate`, or a dispatch that `luthier run --record DIR` kept. Examples:
///
///   luthier verify kernels.hsaco -t bb-count -k saxpy --grid 4 --block 256 --arg f32:2 --arg zero:4096 --arg zero:4096
///   luthier verify DIR/saxpy.4711.1.dispatch -t mem-trace
#[derive(Args)]
pub struct Verify {
    /// Code object, or a file that holds some (executable, library, bundle); or a recorded dispatch
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A tool: a name from `luthier tool list` or the path of a built tool; several are composed
    #[arg(short, long = "tool", value_name = "TOOL", value_delimiter = ',')]
    tools: Vec<String>,
    /// Needed unless the file is a recorded dispatch
    #[arg(short, long, value_name = "NAME")]
    kernel: Option<String>,
    /// Workgroups: X[,Y[,Z]]
    #[arg(long, value_name = "N", default_value = "1")]
    grid: Extent,
    /// Work-items per workgroup: X[,Y[,Z]]
    #[arg(long, value_name = "N", default_value = "64")]
    block: Extent,
    /// Dynamic LDS in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    lds: u32,
    /// A kernel argument, TYPE:VALUE
    #[arg(long = "arg", value_name = "TYPE:VALUE")]
    arguments: Vec<Given>,
    /// Which code object, where the file holds several
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,
    /// Only places where this holds, as of `luthier run`
    #[arg(long, value_name = "CONDITION")]
    site: Vec<String>,
    /// Check what is known about registers instead: overwrite all that nobody reads any more, before every instruction of the
    /// original
    #[arg(long)]
    poison: bool,
}

impl Verify {
    pub fn execute(self) -> Result<ExitCode> {
        if recording::is_one(&self.file)? {
            let recording = recording::read(&self.file)?;
            let verdict = self.judge(&recording.object, Subject::Recording(&recording));
            return verdict.or_else(elsewhere);
        }
        let bytes =
            fs::read(&self.file).with_context(|| format!("cannot read {}", self.file.display()))?;
        let Some(kernel) = &self.kernel else {
            bail!("which kernel? name it with -k; `luthier inspect` lists them");
        };
        let bytes = choose(&bytes, kernel, self.target.as_deref())
            .with_context(|| self.file.display().to_string())?;
        let launch = self.launch(kernel)?;
        self.judge(&bytes, Subject::Launch(&launch))
    }

    fn judge(&self, bytes: &[u8], subject: Subject<'_>) -> Result<ExitCode> {
        let object = CodeObject::parse(bytes)?;
        let module = Module::lift(&object)?;
        let kernel = subject.kernel();
        let verdict = if self.poison {
            verify::poison(&object, &module, subject, SEED)?
        } else {
            let directory = libraries::tools_directory()?;
            let tools = self.tools.iter().map(|tool| tools::open(tool, &directory));
            let engine = Engine::new(tools.collect::<Result<_, _>>()?, &self.site.join(";"), None)?;
            let (rewritten, globals) = engine.instrument_kernel(&object, &module, kernel)?;
            verify::lockstep(&object, &module, &rewritten, &globals, subject)?
        };
        match verdict {
            Verdict::Same {
                compared,
                waves,
                stopped: None,
            } => {
                println!(
                    "{kernel}: the same at {compared} instructions of {waves} waves, and in memory"
                );
                Ok(ExitCode::SUCCESS)
            }
            Verdict::Same {
                compared,
                waves,
                stopped: Some(why),
            } => {
                println!(
                    "{kernel}: the same at {compared} instructions of {waves} waves, until both were stopped\n{why}"
                );
                Ok(ExitCode::SUCCESS)
            }
            Verdict::Unrepeatable { place } => {
                let place = place.map_or("in memory".to_owned(), |place| place.to_string());
                bail!(
                    "{kernel} cannot be judged: two runs of the original differ, {place}; it depends on time or on chance"
                )
            }
            Verdict::Diverged(divergence) => {
                println!("{kernel}: {divergence}");
                Ok(ExitCode::FAILURE)
            }
        }
    }

    fn launch(&self, kernel: &str) -> Result<Launch> {
        let inputs = self.arguments.iter().map(|given| {
            Ok(match given {
                Given::Scalar(bytes) => Input::Value(bytes.clone()),
                Given::Zero(size) => Input::Buffer(vec![0; usize::try_from(*size)?]),
                Given::File(path) => Input::Buffer(
                    fs::read(path).with_context(|| format!("cannot read {}", path.display()))?,
                ),
            })
        });
        Ok(Launch {
            kernel: kernel.to_owned(),
            grid: self.grid.0,
            block: self.block.0,
            dynamic_lds: self.lds,
            inputs: inputs.collect::<Result<_>>()?,
        })
    }
}

/// Starts this command again if something of its own lay where recorded memory has to be: each process lies elsewhere.
fn elsewhere(error: anyhow::Error) -> Result<ExitCode> {
    const ATTEMPT: &str = "LUTHIER_VERIFY_ATTEMPT";
    const ATTEMPTS: u32 = 8;
    let occupied = matches!(
        error.downcast_ref(),
        Some(verify::Error::Emulate(emulate::Error::AddressInUse(_)))
    );
    let attempt = std::env::var(ATTEMPT).map_or(1, |text| text.parse().unwrap_or(ATTEMPTS));
    if !occupied || attempt >= ATTEMPTS {
        return Err(error);
    }
    let mut arguments = std::env::args_os();
    arguments.next();
    let failure = Command::new(std::env::current_exe()?)
        .args(arguments)
        .env(ATTEMPT, (attempt + 1).to_string())
        .exec();
    Err(failure).context("cannot start this command again")
}

/// Where the rubbish starts; any number does, but the same one finds the same again.
const SEED: u32 = 0x5eed;
