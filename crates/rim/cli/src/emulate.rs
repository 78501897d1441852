//! `luthier emulate`: one kernel of a code object, without any ROCm library.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
    str::FromStr,
    time::Duration,
};

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use command::Status;
use emulate::{Argument, Device, Fill, Shape};
use outputs::{Input, Output};

use crate::{
    alone::{self, Alone},
    chosen::{self, Chosen, Which},
    format::{Format, print_json},
    progress, summary,
};

/// How it is called.
const EXAMPLES: &str = "\
Example, for a kernel (const float *a, float *b, int n):
  luthier emulate k.co --kernel scale --grid 4 --block 64 --arg file:a.bin --arg zero:1024 --arg i32:256 --dump 1:b.bin";

/// Run one kernel of a code object without any ROCm library.
///
/// Arguments are given in order. Scalars: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64, and bytes:HEX for structs. Buffers:
/// zero:SIZE or file:PATH.
///
/// Exit status: 0 when the kernel has ended, 3 when it did not within --limit, 2 for everything else, with a message on standard
/// error.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Emulate {
    /// A code object, or a file that contains code objects (executable, library, bundle)
    #[arg(value_name = "CODEOBJ")]
    file: PathBuf,
    /// The kernel's name, in the object or in the source, or a regular expression that fits one kernel
    #[arg(short, long, value_name = "NAME")]
    kernel: String,
    #[command(flatten)]
    made_up: MadeUp,
    /// Write buffer argument number INDEX (from 0) to FILE after the run
    #[arg(long, value_name = "INDEX:FILE")]
    dump: Vec<Dump>,
    #[command(flatten)]
    which: Which,
    /// Stop a kernel that runs longer, say where its waves are, and end with status 3
    #[arg(long, value_name = "SECONDS")]
    limit: Option<f64>,
    /// Stop accesses beyond the last byte of a buffer or of the workgroup's LDS, which hardware lets pass
    #[arg(long)]
    strict: bool,
    /// Contents of registers, LDS and scratch before the kernel writes them (on a GPU, they can be anything): `zero` (the default),
    /// `random` or `random:SEED`, or hexadecimal digits, 2 for a byte or 8 for a word, such as ff or 7fc00000. Buffers hold what --arg
    /// says
    #[arg(long, value_name = "PATTERN")]
    fill: Option<Fill>,
    /// Results of approximate functions as measured on a GPU: a file that `luthier hardware-check --numerics` wrote
    #[arg(long, value_name = "FILE")]
    numerics: Option<PathBuf>,
    /// A tool in the kernel: a name from `luthier tool list` or the path of a built tool; several are composed
    #[arg(short, long = "tool", value_name = "TOOL")]
    tools: Vec<String>,
    /// Only places where this holds, as of `luthier run`
    #[arg(long, value_name = "CONDITION")]
    site: Vec<String>,
    /// Write a page about the launch that any browser opens. Without -t with all tools that it can show, else with those and `hotspots`
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Directory for what tools write
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// `text` is one line on standard error, `json` is printed on standard output. With tools, both count their hooks, too
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// A launch that the user makes up.
#[derive(Args)]
pub struct MadeUp {
    /// Workgroups: X[,Y[,Z]] [default: 1]
    #[arg(long, value_name = "N")]
    grid: Option<Extent>,
    /// Work-items per workgroup: X[,Y[,Z]] [default: 64]
    #[arg(long, value_name = "N")]
    block: Option<Extent>,
    /// Dynamic LDS in bytes [default: 0]
    #[arg(long, value_name = "BYTES")]
    lds: Option<u32>,
    /// A kernel argument. TYPE is one of i8 u8 i16 u16 i32 u32 i64 u64 f32 f64, bytes (hexadecimal digits), zero (a buffer of so many
    /// bytes) or file (a buffer with that file's bytes)
    #[arg(long = "arg", value_name = "TYPE:VALUE")]
    pub arguments: Vec<Given>,
}

impl MadeUp {
    pub fn grid(&self) -> [u32; 3] {
        self.grid.map_or([1; 3], |extent| extent.0)
    }

    pub fn block(&self) -> [u32; 3] {
        self.block.map_or([64, 1, 1], |extent| extent.0)
    }

    pub fn lds(&self) -> u32 {
        self.lds.unwrap_or(0)
    }

    /// The options that the user gave.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        let options = [
            ("--grid", self.grid.is_some()),
            ("--block", self.block.is_some()),
            ("--lds", self.lds.is_some()),
            ("--arg", !self.arguments.is_empty()),
        ];
        options
            .into_iter()
            .filter_map(|(name, is_given)| is_given.then_some(name))
    }
}

/// Up to three sizes.
#[derive(Clone, Copy)]
pub struct Extent(pub [u32; 3]);

impl FromStr for Extent {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Extent> {
        let mut sizes = [1; 3];
        let parts: Vec<_> = text.split(',').collect();
        if parts.len() > 3 {
            bail!("at most three sizes");
        }
        for (size, part) in sizes.iter_mut().zip(parts) {
            *size = part.trim().parse().context("a size is a positive number")?;
            if *size == 0 {
                bail!("a size is a positive number");
            }
        }
        Ok(Extent(sizes))
    }
}

#[derive(Clone)]
pub enum Given {
    Scalar(Vec<u8>),
    Zero(u64),
    File(PathBuf),
}

impl FromStr for Given {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Given> {
        let (kind, value) = text
            .split_once(':')
            .context("an argument is TYPE:VALUE, such as u32:5")?;
        macro_rules! scalar {
            ($type:ty) => {
                Given::Scalar(
                    value
                        .parse::<$type>()
                        .with_context(|| format!("{value} is no {kind}"))?
                        .to_le_bytes()
                        .to_vec(),
                )
            };
        }
        Ok(match kind {
            "i8" => scalar!(i8),
            "u8" => scalar!(u8),
            "i16" => scalar!(i16),
            "u16" => scalar!(u16),
            "i32" => scalar!(i32),
            "u32" => scalar!(u32),
            "i64" => scalar!(i64),
            "u64" => scalar!(u64),
            "f32" => scalar!(f32),
            "f64" => scalar!(f64),
            "bytes" => Given::Scalar(from_hex(value)?),
            "zero" => Given::Zero(value.parse().context("zero:SIZE in bytes")?),
            "file" => Given::File(value.into()),
            _ => bail!("{kind} is none of i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 bytes zero file"),
        })
    }
}

fn from_hex(text: &str) -> Result<Vec<u8>> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        bail!("bytes are pairs of hexadecimal digits");
    }
    (0..text.len() / 2)
        .map(|index| {
            u8::from_str_radix(&text[2 * index..2 * index + 2], 16)
                .context("bytes are hexadecimal digits")
        })
        .collect()
}

#[derive(Clone)]
struct Dump {
    index: usize,
    file: PathBuf,
}

impl FromStr for Dump {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Dump> {
        let (index, file) = text.split_once(':').context("a dump is INDEX:FILE")?;
        Ok(Dump {
            index: index.parse().context("INDEX is a number from 0")?,
            file: file.into(),
        })
    }
}

/// Bytes of a buffer that are in this process's memory at a time.
const PIECE: u64 = 1 << 20;

/// Writes a buffer to a file.
fn dumped(device: &Device<'_>, address: u64, size: u64, path: &Path) -> Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    let mut output = Output::create(path).with_context(cannot)?;
    for at in (0..size).step_by(PIECE as usize) {
        let mut piece = vec![0; PIECE.min(size - at) as usize];
        device.read(address + at, &mut piece)?;
        output.write_all(&piece).with_context(cannot)?;
    }
    output.finish().with_context(cannot)
}

/// `device` with the host code that the user wants.
fn translated<'d, 'o>(device: &'d Device<'o>) -> &'d Device<'o> {
    if let Err(why) = device.translate_as_wished() {
        command::say!("{why}");
    }
    device
}

/// The device that a kernel runs on.
enum Ground<'a> {
    Plain(Device<'a>),
    WithTools(Alone),
}

impl<'a> Ground<'a> {
    fn device(&self) -> &Device<'a> {
        match self {
            Ground::Plain(device) => device,
            Ground::WithTools(alone) => alone.device(),
        }
    }

    fn run(
        &self,
        prepared: &emulate::Prepared,
        limit: Option<Duration>,
    ) -> emulate::Result<emulate::Counts> {
        match (self, limit) {
            (Ground::WithTools(alone), limit) => alone.launch(prepared, limit),
            (Ground::Plain(device), Some(limit)) => device.run_within(prepared, limit),
            (Ground::Plain(device), None) => device.run(prepared),
        }
    }
}

impl Emulate {
    /// The tools that were asked for, on a device with the object.
    fn with_tools(&self, object: &[u8]) -> Result<Option<Alone>> {
        if self.tools.is_empty() && self.report.is_none() {
            let without = [
                ("--site", !self.site.is_empty()),
                ("--output", self.output.is_some()),
            ];
            if let Some((option, _)) = without.iter().find(|(_, given)| *given) {
                bail!("{option} is for tools, and there are none: add -t TOOL");
            }
            return Ok(None);
        }
        let wanted = alone::Wanted {
            tools: self.tools.clone(),
            site: self.site.join(";"),
            output: self.output.clone(),
            page: self.report.clone(),
            title: self.kernel.clone(),
            // Luthier does not guess the directories of sources of other code objects; names without one may lie beside the object.
            sources: self.file.parent().map(Path::to_owned),
        };
        wanted.open(object.to_vec()).map(Some)
    }

    pub fn execute(self) -> Result<ExitCode> {
        self.run().map_err(|error| crate::about(&self.file, error))
    }

    fn run(&self) -> Result<ExitCode> {
        let file = &self.file;
        let input = Input::open(file).with_context(|| format!("cannot read {}", file.display()))?;
        let Chosen { object, kernel } = chosen::choose(input.bytes(), &self.kernel, &self.which)
            .with_context(|| file.display().to_string())?;
        let code = codeobj::CodeObject::parse(&object)?;
        let own = code.target().target.name;
        let ground = match self.with_tools(&object)? {
            Some(alone) => Ground::WithTools(alone),
            None => Ground::Plain(Device::new(code, alone::threads())?),
        };
        let device = translated(ground.device());
        if let Some(path) = &self.numerics {
            let bytes = fs::read(path).with_context(|| path.display().to_string())?;
            let target =
                emulate::imitate(&bytes).map_err(|why| anyhow!("{}: {why}", path.display()))?;
            ensure!(
                target.name == own,
                "{} is of {}, and the code object of {}",
                path.display(),
                target.name,
                own
            );
        }
        if self.strict {
            device.be_exact();
        }
        if let Some(fill) = self.fill {
            device.fill_with(fill);
        }
        let mut arguments = Vec::new();
        // Address and size of buffer arguments.
        let mut buffers = Vec::new();
        for given in &self.made_up.arguments {
            let (contents, size) = match given {
                Given::Scalar(bytes) => {
                    arguments.push(Argument(bytes.clone()));
                    buffers.push(None);
                    continue;
                }
                Given::Zero(size) => (Vec::new(), *size),
                Given::File(path) => {
                    let contents = Input::open(path)
                        .with_context(|| format!("cannot read {}", path.display()))?;
                    let contents = contents.bytes().to_vec();
                    let size = contents.len() as u64;
                    (contents, size)
                }
            };
            let address = device.buffer(&contents, size)?;
            arguments.push(Argument::pointer(address));
            buffers.push(Some((address, size)));
        }
        for dump in &self.dump {
            if !matches!(buffers.get(dump.index), Some(Some(_))) {
                bail!(
                    "--dump {}: argument {} is no buffer",
                    dump.index,
                    dump.index
                );
            }
        }
        let shape = Shape {
            grid: self.made_up.grid(),
            block: self.made_up.block(),
            dynamic_lds: self.made_up.lds(),
        };
        let prepared = device.prepare(&kernel, &shape, &arguments)?;
        let limit = self.limit.map(Duration::try_from_secs_f64).transpose();
        let limit = limit.context("--limit is a number of seconds")?;
        let waiting = progress::waiting(&format!("running {}", self.kernel));
        let done = ground.run(&prepared, limit);
        drop(waiting);
        if let Ground::WithTools(alone) = &ground {
            alone.finish()?;
        }
        let counted = match done {
            Err(error @ emulate::Error::Endless { .. }) => {
                command::say!("luthier: {error}");
                return Ok(Status::Incomplete.into());
            }
            done => done?,
        };
        for dump in &self.dump {
            if let Some(Some((address, size))) = buffers.get(dump.index) {
                dumped(device, *address, *size, &dump.file)?;
            }
        }
        match self.format {
            Format::Json => print_json(&counts::Launch {
                kernel: &kernel,
                executed: (&counted).into(),
                instructions: None,
            })?,
            Format::Text => command::say!(
                "{kernel}: {}, {}, {}",
                summary::counted(counted.waves, "wave"),
                summary::counted(counted.wave_instructions, "wave instruction"),
                summary::counted(counted.lane_instructions, "lane instruction")
            ),
        }
        Ok(ExitCode::SUCCESS)
    }
}
