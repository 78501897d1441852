//! `luthier verify`: an instrumented kernel against the original, on the emulated device.

use std::{
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Command, ExitCode},
    time::Duration,
};

use anyhow::{Context, Result};
use clap::Args;
use codeobj::CodeObject;
use command::Status;
use launcher::libraries;
use lift::Module;
use luthier::Engine;
use serde::Serialize;
use verify::{Input, Launch, StopReason, Subject, Verdict};

use crate::{
    chosen::{self, Chosen, Which},
    emulate::{Given, MadeUp},
    format::Format,
    progress,
    summary::counted,
};

/// How it is called.
const EXAMPLES: &str = "\
Examples:
  luthier verify kernels.hsaco -t bb-count -k saxpy --grid 4 --block 256 --arg f32:2 --arg zero:4096 --arg zero:4096
  luthier verify DIR/saxpy.4711.1.dispatch -t mem-trace";

/// Check on the emulated GPU, for one launch, that tools change nothing they must not.
///
/// Runs the kernel twice, without and with the tools. Before every instruction of the application it compares all registers that the kernel
/// may still read; at the end it compares all memory that the kernel can see. The launch is either made up here, with arguments as for
/// `luthier emulate`, or a dispatch that `luthier run --record DIR` kept.
///
/// Exit status: 0 if both are equal up to the end of the kernel, or up to the fault that ends it; 3 if both are equal as far as they ran,
/// but not to the end, because the kernel waits for something outside of the dispatch (an answer of the host, for example, or another
/// kernel), or is longer than the limit of the comparison or of --limit; 1 if they differ; 4 if two runs of the original differ, so that
/// nothing can be said; 2 for errors and refusals, with a message on standard error.
///
/// With --json: `verdict` is `same` (statuses 0 and 3), `different` or `unrepeatable`, `compared` counts instructions and
/// `waves` waves, `ended` says what ended the runs: `end`, `fault`, `waits` or `long`. `pc` is an address in the original code
/// object: where they differ, where it was stopped, or where it waits, looking at memory at `reads`, by the line of the source `source`. `text` is
/// what is printed otherwise.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Verify {
    /// A code object, a file that contains code objects (executable, library, bundle), or a recorded dispatch
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A tool: a name from `luthier tool list` or the path of a built tool; several are composed
    #[arg(short, long = "tool", value_name = "TOOL")]
    tools: Vec<String>,
    /// The kernel's name, in the object or in the source, or a regular expression that fits one kernel; needed unless the file is a
    /// recorded dispatch
    #[arg(short, long, value_name = "NAME")]
    kernel: Option<String>,
    #[command(flatten)]
    made_up: MadeUp,
    #[command(flatten)]
    which: Which,
    /// Only places where this holds, as for `luthier run`
    #[arg(long, value_name = "CONDITION")]
    site: Vec<String>,
    /// Check the analysis of registers instead, without -t and --site: before every instruction of the original, overwrite all registers that the kernel does
    /// not read any more
    #[arg(long, conflicts_with_all = ["tools", "site"])]
    poison: bool,
    /// Compare only as far as the original runs in this time; the comparison takes several times as long
    #[arg(long, value_name = "SECONDS")]
    limit: Option<f64>,
    /// The output: text, or one JSON object
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// A verdict as it is printed.
#[derive(Serialize)]
struct Said {
    kernel: String,
    verdict: Word,
    /// Instructions at which all live registers were compared, summed over waves.
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waves: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<Ended>,
    /// The instruction in the original object at which they differ, or at which it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pc: Option<u64>,
    /// The memory that a waiting kernel reads again and again.
    #[serde(skip_serializing_if = "Option::is_none")]
    reads: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Same,
    Different,
    Unrepeatable,
}

/// The reason why the runs ended.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Ended {
    /// The kernel ended.
    End,
    /// A fault.
    Fault,
    /// The kernel waits for something outside of the dispatch.
    Waits,
    /// The kernel is longer than is compared.
    Long,
}

impl Said {
    fn new(kernel: &str, verdict: Verdict) -> Said {
        let mut said = Said {
            kernel: kernel.to_owned(),
            verdict: Word::Same,
            compared: None,
            waves: None,
            ended: None,
            pc: None,
            reads: None,
            source: None,
            text: String::new(),
        };
        let mut agreed = |compared, waves, ended| {
            (said.compared, said.waves, said.ended) = (Some(compared), Some(waves), Some(ended));
            let places = counted(compared, "instruction");
            let waves = counted(waves, "wave");
            format!("{kernel}: the same at {places} of {waves}")
        };
        said.text = match verdict {
            Verdict::Same {
                compared,
                waves,
                stopped: None,
            } => agreed(compared, waves, Ended::End) + ", and in memory",
            Verdict::Same {
                compared,
                waves,
                stopped: Some(why),
            } => format!(
                "{}, until both were stopped\n{why}",
                agreed(compared, waves, Ended::Fault)
            ),
            Verdict::Part {
                compared,
                waves,
                why,
            } => {
                let ended = match why {
                    StopReason::Waits(_) => Ended::Waits,
                    StopReason::Long(_) => Ended::Long,
                };
                let text = agreed(compared, waves, ended);
                let text = format!("{text}, and in memory; {why}");
                match why {
                    StopReason::Waits(wait) => {
                        said.pc = wait.place.map(|place| place.pc);
                        said.reads = wait.reads.as_ref().map(|read| read.address);
                        said.source = wait.reads.and_then(|read| read.source);
                    }
                    StopReason::Long(place) => said.pc = place.map(|place| place.pc),
                }
                text
            }
            Verdict::Unrepeatable { place } => {
                said.verdict = Word::Unrepeatable;
                said.pc = place.as_ref().map(|place| place.pc);
                let place = place.map_or("in memory".to_owned(), |place| place.to_string());
                format!(
                    "{kernel} cannot be judged: two runs of the original differ, {place}; it depends on time or on chance"
                )
            }
            Verdict::Diverged(divergence) => {
                said.verdict = Word::Different;
                said.pc = divergence.place.as_ref().map(|place| place.pc);
                format!("{kernel}: {divergence}")
            }
        };
        said
    }

    fn status(&self) -> ExitCode {
        match (self.verdict, self.ended) {
            (Word::Different, _) => Status::Found.into(),
            (Word::Unrepeatable, _) => Status::Unrepeatable.into(),
            (Word::Same, Some(Ended::Waits | Ended::Long)) => Status::Incomplete.into(),
            (Word::Same, _) => Status::Done.into(),
        }
    }
}

impl Verify {
    pub fn execute(self) -> Result<ExitCode> {
        self.run().map_err(|error| crate::about(&self.file, error))
    }

    fn run(&self) -> Result<ExitCode> {
        if recording::is_one(&self.file)? {
            chosen::by_recording(&self.kernel, &self.made_up, &self.which)?;
            let waiting = progress::waiting(&format!("reading {}", self.file.display()));
            let recording = recording::read(&self.file)?;
            drop(waiting);
            let verdict = self.judge(&recording.object, Subject::Recording(&recording));
            return verdict.or_else(elsewhere);
        }
        let input = outputs::Input::open(&self.file)
            .with_context(|| format!("cannot read {}", self.file.display()))?;
        let Some(kernel) = &self.kernel else {
            return Err(chosen::unnamed(input.bytes()));
        };
        let Chosen { object, kernel } = chosen::choose(input.bytes(), kernel, &self.which)
            .with_context(|| self.file.display().to_string())?;
        let launch = launch(&kernel, &self.made_up)?;
        self.judge(&object, Subject::Launch(&launch))
    }

    /// Says why the kernel is compared with itself.
    fn say_why(&self, kernel: &str, meant: &str) {
        let why = match (self.tools.is_empty(), self.site.is_empty()) {
            (true, _) => "no tool is named".to_owned(),
            (_, true) => format!("the tools insert nothing into {kernel}"),
            _ => format!(
                "--site {} holds at no place of {kernel}",
                self.site.join(";")
            ),
        };
        command::say!("luthier: warning: {why}: it is compared with itself{meant}");
    }

    fn judge(&self, bytes: &[u8], subject: Subject<'_>) -> Result<ExitCode> {
        let object = CodeObject::parse(bytes)?;
        emulate::check_target(&object)?;
        let module = Module::lift(&object)?;
        let kernel = subject.kernel();
        let limit = self.limit.map(Duration::try_from_secs_f64).transpose();
        let limit = limit.context("--limit is a number of seconds")?;
        let waiting = progress::waiting(&format!("comparing {kernel} at every instruction"));
        let verdict = if self.poison {
            verify::poison_within(&object, &module, subject, SEED, limit)?
        } else {
            let directory = libraries::tools_directory()?;
            let tools = tools::open_all(&self.tools, &directory)?;
            let engine = Engine::new(tools, &self.site.join(";"), None)?;
            let stack = subject.stack_size(&object)?.next_multiple_of(4);
            let (rewritten, globals, notes) =
                engine.instrument_kernel(&object, &module, kernel, Some(stack))?;
            for note in notes {
                command::say!("luthier: {note}");
            }
            if rewritten.report.sites == 0 {
                let meant = crate::instrument::meant(&engine.near(&object, &module, kernel));
                self.say_why(kernel, &meant);
            }
            verify::lockstep_within(&object, &module, &rewritten, &globals, subject, limit)?
        };
        drop(waiting);
        let said = Said::new(kernel, verdict);
        if self.json || self.format == Format::Json {
            command::out!("{}", serde_json::to_string(&said)?);
        } else {
            command::out!("{}", said.text);
        }
        Ok(said.status())
    }
}

/// A buffer as large as the user says: there may be no room for it.
fn zeros(size: u64) -> Result<Vec<u8>> {
    let size = usize::try_from(size)?;
    let mut room: Vec<u8> = Vec::new();
    let reserved = room.try_reserve_exact(size);
    reserved
        .map_err(|_| anyhow::anyhow!("zero:{size}: this machine does not give so many bytes"))?;
    // (A compiler may leave out memory that nothing uses.)
    drop(std::hint::black_box(room));
    // The system clears these pages when they are used.
    Ok(vec![0; size])
}

/// The launch that the user made up.
pub fn launch(kernel: &str, made_up: &MadeUp) -> Result<Launch> {
    let inputs = made_up.arguments.iter().map(|given| {
        Ok(match given {
            Given::Scalar(bytes) => Input::Value(bytes.clone()),
            Given::Zero(size) => Input::Buffer(zeros(*size)?),
            Given::File(path) => Input::Buffer(
                outputs::Input::open(path)
                    .with_context(|| format!("cannot read {}", path.display()))?
                    .bytes()
                    .to_vec(),
            ),
        })
    });
    Ok(Launch {
        kernel: kernel.to_owned(),
        grid: made_up.grid(),
        block: made_up.block(),
        dynamic_lds: made_up.lds(),
        inputs: inputs.collect::<Result<_>>()?,
    })
}

/// Something else lies where the recorded launch had its memory. Another process may find that place free.
pub fn is_occupied(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref(),
        Some(verify::Error::Emulate(emulate::Error::AddressInUse(_)))
    )
}

/// Starts this command again if something of its own lay where recorded memory has to be: each process lies elsewhere.
pub fn elsewhere(error: anyhow::Error) -> Result<ExitCode> {
    const ATTEMPT: &str = "LUTHIER_VERIFY_ATTEMPT";
    const ATTEMPTS: u32 = 8;
    let attempt = std::env::var(ATTEMPT).map_or(1, |text| text.parse().unwrap_or(ATTEMPTS));
    if !is_occupied(&error) || attempt >= ATTEMPTS {
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

/// The seed of the values that overwrite registers. The same seed gives the same values.
const SEED: u32 = 0x5eed;
