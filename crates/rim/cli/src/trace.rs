//! `luthier trace`: what the waves of a launch execute, as files that simulators read.

mod accel_sim;
mod file;
mod lines;
mod sass;

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use codeobj::CodeObject;
use command::{Status, grouped};
use verify::{Sink, Subject, Untraced};

use crate::{
    chosen::{self, Chosen, Which},
    emulate::MadeUp,
    progress,
    verify::{elsewhere, launch},
};

/// How it is called.
const EXAMPLES: &str = "\
Examples:
  luthier run --record DIR -- ./app
  luthier trace --as accel-sim -o traces DIR/*.dispatch
  luthier trace -o traces kernels.hsaco -k saxpy --grid 4 --block 256 --arg f32:2 --arg zero:4096 --arg zero:4096";

/// Write what the waves of a launch execute, for simulators.
///
/// Runs launches on the emulated GPU and writes each instruction of each wave, in order, with the lanes that are on and the address of
/// each access in each lane. A launch is a dispatch that `luthier run --record DIR` kept, or is made up, with arguments as for
/// `luthier emulate`.
///
/// `lines` makes FILE.jsonl for each launch: one JSON object for the launch, then one for each instruction. `accel-sim` makes
/// `kernelslist.g` and `kernel-N.traceg`, which Accel-Sim reads. It knows instructions of NVIDIA's GPUs only, so that each AMD
/// instruction is written as one that does the same kind of work; docs/trace.md has the table.
///
/// A kernel that waits for an answer of the host, as after `printf` or `malloc`, waits for ever: give a `--limit`. A launch that cannot be
/// traced leaves the others as they are.
///
/// Exit status: 0 if all launches were written; 2 for errors, with a message on standard error.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Trace {
    /// Recorded dispatches, or one code object or file that contains code objects
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The directory for the trace
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// The files that are made
    #[arg(long = "as", value_name = "FORM", value_enum, default_value = "lines")]
    form: Form,
    /// The kernel's name, in the object or in the source, or a regular expression that fits one kernel; needed unless the files are
    /// recorded dispatches
    #[arg(short, long, value_name = "NAME")]
    kernel: Option<String>,
    #[command(flatten)]
    made_up: MadeUp,
    #[command(flatten)]
    which: Which,
    /// A launch that takes longer than this is an error
    #[arg(long, value_name = "SECONDS")]
    limit: Option<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// One JSON object a line
    Lines,
    /// The traces of Accel-Sim
    AccelSim,
}

/// Where a launch's trace goes, and how the launch was.
struct Place<'a> {
    directory: &'a Path,
    /// From 1 on.
    number: usize,
    /// Name of the file without its end. No other launch of the run has it.
    stem: String,
    object: &'a CodeObject<'a>,
    kernel: &'a str,
    launch: Launched,
}

/// The launch as the device got it.
#[derive(Clone, Copy)]
struct Launched {
    /// Workgroups.
    grid: [u32; 3],
    /// Work-items of a workgroup.
    block: [u32; 3],
    /// LDS in bytes, with the dynamic part.
    lds: u32,
}

impl Launched {
    fn of(subject: Subject<'_>, object: &CodeObject<'_>) -> Result<Launched> {
        Ok(match subject {
            Subject::Launch(launch) => {
                let kernel = object.kernel(&launch.kernel)?;
                Launched {
                    grid: launch.grid,
                    block: launch.block,
                    lds: kernel
                        .descriptor
                        .group_segment_size()
                        .saturating_add(launch.dynamic_lds),
                }
            }
            Subject::Recording(recording) => {
                let packet = emulate::recorded_packet(recording)?;
                let block = packet.workgroup_size.map(|size| u32::from(size).max(1));
                let [x, y, z] = packet.grid_size;
                let grid = [
                    x.div_ceil(block[0]),
                    y.div_ceil(block[1]),
                    z.div_ceil(block[2]),
                ];
                Launched {
                    grid,
                    block,
                    lds: packet.group_segment_size,
                }
            }
        })
    }
}

impl Trace {
    pub fn execute(self) -> Result<ExitCode> {
        self.run().or_else(elsewhere)
    }

    fn run(&self) -> Result<ExitCode> {
        outputs::make_directories(&self.output)
            .with_context(|| format!("cannot make {}", self.output.display()))?;
        self.check()?;
        let (mut files, mut status) = (Vec::new(), Status::Done);
        let named = self.files.iter().zip(stems(&self.files));
        for (index, (file, stem)) in named.enumerate() {
            let written = self
                .one(index + 1, stem, file)
                .map_err(|error| crate::about(file, error));
            match written {
                Ok(name) => files.push(name),
                // The other launches are no worse for it.
                Err(error) if self.files.len() > 1 && !crate::verify::is_occupied(&error) => {
                    command::say!("luthier: {}", crate::said(&error));
                    status = Status::Failed;
                }
                Err(error) => return Err(error),
            }
        }
        if self.form == Form::AccelSim {
            let list: String = files.iter().map(|file| format!("{file}\n")).collect();
            let path = self.output.join("kernelslist.g");
            outputs::write_whole(&path, list.as_bytes())
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(status.into())
    }

    /// Refuses what is wrong with the command rather than with one of its launches.
    fn check(&self) -> Result<()> {
        self.limit()?;
        for file in &self.files {
            let check = || {
                if recording::is_one(file)? {
                    return chosen::by_recording(&self.kernel, &self.made_up, &self.which);
                }
                ensure!(
                    self.files.len() == 1,
                    "it is no recorded dispatch, and a code object has to be the only FILE"
                );
                Ok(())
            };
            check().map_err(|error| crate::about(file, error))?;
        }
        Ok(())
    }

    fn limit(&self) -> Result<Option<Duration>> {
        let limit = self.limit.map(Duration::try_from_secs_f64).transpose();
        limit.context("--limit is a number of seconds")
    }

    /// Writes one launch; the name of its file.
    fn one(&self, number: usize, stem: String, file: &Path) -> Result<String> {
        if recording::is_one(file)? {
            let recording = recording::read(file)?;
            return self.write(
                number,
                stem,
                &recording.object,
                Subject::Recording(&recording),
            );
        }
        let input = outputs::Input::open(file);
        let input = input.with_context(|| format!("cannot read {}", file.display()))?;
        let Some(kernel) = &self.kernel else {
            return Err(chosen::unnamed(input.bytes()));
        };
        let Chosen { object, kernel } = chosen::choose(input.bytes(), kernel, &self.which)?;
        let launch = launch(&kernel, &self.made_up)?;
        self.write(number, stem, &object, Subject::Launch(&launch))
    }

    fn write(
        &self,
        number: usize,
        stem: String,
        bytes: &[u8],
        subject: Subject<'_>,
    ) -> Result<String> {
        let object = CodeObject::parse(bytes)?;
        emulate::check_target(&object)?;
        let limit = self.limit()?;
        let place = Place {
            directory: &self.output,
            number,
            stem,
            object: &object,
            kernel: subject.kernel(),
            launch: Launched::of(subject, &object)?,
        };
        let waiting = progress::waiting(&format!("tracing {}", place.kernel));
        let (name, said) = match self.form {
            Form::Lines => run(&object, subject, limit, lines::Writer::new(&place)?)?.finish()?,
            Form::AccelSim => {
                run(&object, subject, limit, accel_sim::Writer::new(&place)?)?.finish()?
            }
        };
        drop(waiting);
        command::say!("luthier: {}: {said}", self.output.join(&name).display());
        Ok(name)
    }
}

/// The name of each file without its end. If files in different folders have one name, the later ones get a number behind it.
fn stems(files: &[PathBuf]) -> Vec<String> {
    let stem = |file: &PathBuf| {
        let stem = file.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    };
    let own: Vec<String> = files.iter().map(stem).collect();
    let mut taken: HashSet<String> = HashSet::new();
    let unique = own.iter().map(|stem| {
        if taken.insert(stem.clone()) {
            return stem.clone();
        }
        let numbered = (2..).map(|number| format!("{stem}-{number}"));
        let mut free = numbered.filter(|name| !own.contains(name) && taken.insert(name.clone()));
        free.next().expect("numbers do not end")
    });
    unique.collect()
}

/// Runs a launch with a writer.
fn run<W: Sink + 'static>(
    object: &CodeObject<'_>,
    subject: Subject<'_>,
    limit: Option<Duration>,
    writer: W,
) -> Result<W> {
    match verify::executed(object, subject, limit, writer) {
        Ok((writer, _)) => Ok(writer),
        Err(Untraced::Launch(error)) => Err(error.into()),
        Err(other) => Err(other.into()),
    }
}

/// The registers that an instruction names as written.
fn written(inst: &isa::Decoded) -> impl Iterator<Item = &isa::Reg> {
    inst.operands.iter().filter_map(|operand| match operand {
        isa::Operand::Def(register) => Some(register),
        _ => None,
    })
}

/// The registers that an instruction names as read.
fn read(inst: &isa::Decoded) -> impl Iterator<Item = &isa::Reg> {
    inst.operands.iter().filter_map(|operand| match operand {
        isa::Operand::Use(register) => Some(register),
        _ => None,
    })
}

/// How much was written, for people.
fn amount(instructions: u64, waves: u64) -> String {
    let plural = |count: u64| if count == 1 { "" } else { "s" };
    format!(
        "{} instruction{} of {} wave{}",
        grouped(instructions),
        plural(instructions),
        grouped(waves),
        plural(waves)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_name_get_numbers() {
        let files = ["a/x.hsaco", "b/x.hsaco", "x-2.luthier", "c/x.luthier", "y"];
        let stems = stems(&files.map(PathBuf::from));
        assert_eq!(stems, ["x", "x-3", "x-2", "x-4", "y"]);
    }
}
