//! The whole check.

use std::time::Instant;

use codeobj::TargetId;
use gfx::Target;
use hsa_device::{About, Launch};

use crate::{
    Case, Error, Kind, Result, cases,
    compare::Results,
    documented::{self, Documented, documented},
    frame::Frames,
    inputs,
    machine::{Job, Machine, Trouble},
    object::{Kernel, object},
    report::{Device, FromManuals, Instruction, NotTried, Outcome, Report, VERSION},
};

/// What to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// Seed of the random inputs.
    pub seed: u64,
    /// Inputs of each approximate function of 32 and 64 bits.
    pub sweep: usize,
    /// Only instructions whose mnemonic contains this.
    pub only: Option<String>,
    /// Seconds for one kernel.
    pub limit: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            seed: 1,
            sweep: 1 << 20,
            only: None,
            limit: 10,
        }
    }
}

/// Inputs for which there is no case yet: an instruction alone has no image.
const NOT_YET: &str =
    "images of other formats, layouts and numbers of samples than cases from manuals have";

/// Cases whose kernels are in one object: a device that fails costs a new process and the object's loading.
const TOGETHER: usize = 64;

/// Runs all cases on both machines. `tell` hears after each batch how many of how many are done.
pub fn check(
    about: &About,
    gpu: &mut dyn Machine,
    emulator: &mut dyn Machine,
    options: &Options,
    tell: &mut dyn FnMut(usize, usize),
) -> Result<Report> {
    let start = Instant::now();
    let target = TargetId::parse(&about.isa)
        .map_err(|error| Error::Target {
            target: about.isa.clone(),
            reason: error.to_string(),
        })?
        .target;
    let mut report = Report {
        version: VERSION,
        made_by: env!("CARGO_PKG_VERSION").to_owned(),
        device: Device {
            target: target.name.to_owned(),
            isa: about.isa.clone(),
            product: about.product.clone(),
            compute_units: about.compute_units,
            runtime: about.runtime.clone(),
        },
        seed: options.seed,
        notes: vec![NOT_YET.to_owned()],
        ..Default::default()
    };
    let mut work = Vec::new();
    for wave_size in wave_sizes(target) {
        let (mut cases, left) = cases(target, wave_size)?;
        if let Some(only) = &options.only {
            cases.retain(|case| case.mnemonic.contains(only.as_str()));
        }
        work.push((wave_size, cases));
        let left = left.into_iter().map(|left| NotTried {
            mnemonic: left.mnemonic.to_owned(),
            reason: left.reason.to_owned(),
        });
        report.not_tried.extend(left);
    }
    report
        .not_tried
        .sort_by(|a, b| (&a.reason, &a.mnemonic).cmp(&(&b.reason, &b.mnemonic)));
    report.not_tried.dedup();
    let mut written = Vec::new();
    for wave_size in wave_sizes(target) {
        let (mut cases, left) = documented(target, wave_size)?;
        if let Some(only) = &options.only {
            cases.retain(|case| case.text.contains(only.as_str()));
        }
        report.from_manuals.run += cases.len() as u32;
        for (reason, count) in left {
            *report
                .from_manuals
                .left
                .entry(reason.to_owned())
                .or_default() += count;
        }
        written.push((wave_size, cases));
    }
    let all = work.iter().map(|(_, cases)| cases.len()).sum::<usize>()
        + written.iter().map(|(_, cases)| cases.len()).sum::<usize>();
    let mut done = 0;
    for ((wave_size, cases), (_, written)) in work.iter().zip(&written) {
        let mut frames = Frames::new(target, *wave_size)?;
        for batch in cases.chunks(TOGETHER) {
            let job = job(target, &mut frames, *wave_size, batch, options)?;
            let launches = job.launches.clone();
            for ((case, launch), both) in
                batch.iter().zip(&launches).zip(on_both(gpu, emulator, job))
            {
                judge(&mut report, case, *wave_size, launch, both);
            }
            done += batch.len();
            tell(done, all);
        }
        let has_accvgprs = frames.has_accvgprs();
        for batch in written.chunks(TOGETHER) {
            let job = job_of_documented(target, &mut frames, *wave_size, batch, options)?;
            for (case, both) in batch.iter().zip(on_both(gpu, emulator, job)) {
                let outcome = both.map_or_else(
                    |outcome| outcome,
                    |(gpu, emulator)| case.compare(&gpu, &emulator, has_accvgprs),
                );
                report.instructions.push(Instruction {
                    mnemonic: case.mnemonic.clone(),
                    text: case.text.clone(),
                    format: FromManuals::FORMAT.to_owned(),
                    wave_size: *wave_size,
                    encoding: case.place.clone(),
                    outcome,
                });
            }
            done += batch.len();
            tell(done, all);
        }
    }
    report.seconds = start.elapsed().as_secs_f64();
    Ok(report)
}

/// The outputs of the GPU and of the emulated device, or why there is none.
type Both = std::result::Result<(Vec<u8>, Vec<u8>), Outcome>;

/// Runs a job on the emulated device, and on the GPU those cases that ended there. Cases that the emulated device does not execute cannot
/// be compared, so they are not run on the GPU.
fn on_both(gpu: &mut dyn Machine, emulator: &mut dyn Machine, job: Job) -> Vec<Both> {
    let emulated = emulator.run(&job);
    let executed = job.launches.into_iter().zip(&emulated);
    let executed = executed.filter(|(_, outcome)| outcome.is_ok());
    let mut on_gpu = gpu
        .run(&Job {
            object: job.object,
            launches: executed.map(|(launch, _)| launch).collect(),
        })
        .into_iter();
    let both = emulated.into_iter().map(|emulated| {
        let emulated = emulated.map_err(|trouble| Outcome::EmulatorFailed {
            reason: words_of(trouble),
        })?;
        let failed = |reason| Outcome::GpuFailed { reason };
        match on_gpu.next() {
            Some(Ok(gpu)) => Ok((gpu, emulated)),
            Some(Err(trouble)) => Err(failed(words_of(trouble))),
            None => Err(failed("no answer".to_owned())),
        }
    });
    both.collect()
}

/// The target's own first.
fn wave_sizes(target: &Target) -> Vec<u8> {
    match (target.supports_wave32(), target.vgpr_granule[0] != 0) {
        (true, true) => vec![32, 64],
        (true, false) => vec![32],
        (false, _) => vec![64],
    }
}

fn job(
    target: &'static Target,
    frames: &mut Frames,
    wave_size: u8,
    batch: &[Case],
    options: &Options,
) -> Result<Job> {
    job_of(target, wave_size, batch, |case, kernel| {
        let input = inputs::records(case, target, wave_size, options.seed, options.sweep);
        let layout = case.layout(wave_size);
        let scratch = case.arena.scratch();
        let launch = Launch {
            kernel: kernel.clone(),
            groups: input.groups,
            block: u32::from(wave_size),
            lds: case.arena.lds(wave_size),
            scratch,
            output: (layout.record() * input.groups as usize) as u64,
            input: input.bytes,
            seconds: options.limit,
        };
        let kernel = Kernel {
            name: kernel,
            code: frames.kernel(layout, &case.words)?,
            width: case.width,
            scratch,
        };
        Ok((kernel, launch))
    })
}

fn job_of_documented(
    target: &'static Target,
    frames: &mut Frames,
    wave_size: u8,
    batch: &[Documented],
    options: &Options,
) -> Result<Job> {
    job_of(target, wave_size, batch, |case, kernel| {
        let scratch = case.layout.scratch;
        let launch = Launch {
            kernel: kernel.clone(),
            groups: 1,
            block: u32::from(wave_size),
            lds: case.lds(),
            scratch,
            output: case.layout.record() as u64,
            input: case.input.clone(),
            seconds: options.limit,
        };
        let kernel = Kernel {
            name: kernel,
            code: frames.whole(case.layout, &case.code)?,
            width: documented::WIDTH,
            scratch,
        };
        Ok((kernel, launch))
    })
}

/// One object for all cases. `made`: what a case's kernel of that name is, and how it is launched.
fn job_of<C>(
    target: &'static Target,
    wave_size: u8,
    batch: &[C],
    mut made: impl FnMut(&C, String) -> Result<(Kernel, Launch)>,
) -> Result<Job> {
    let each = batch.iter().enumerate();
    let each = each.map(|(number, case)| made(case, format!("case{number}")));
    let (kernels, launches): (Vec<_>, Vec<_>) =
        each.collect::<Result<Vec<_>>>()?.into_iter().unzip();
    Ok(Job {
        object: object(target, wave_size, &kernels)?,
        launches,
    })
}

/// Notes what came of a case: the outputs of the GPU and of the emulated device, or why there is none.
fn judge(report: &mut Report, case: &Case, wave_size: u8, launch: &Launch, both: Both) {
    let words: Vec<String> = case
        .words
        .iter()
        .map(|word| format!("{word:08x}"))
        .collect();
    let instruction = |outcome| Instruction {
        mnemonic: case.mnemonic.to_owned(),
        text: case.text.clone(),
        format: format!("{:?}", case.format).to_uppercase(),
        wave_size,
        encoding: words.join(" "),
        outcome,
    };
    let (gpu, emulator) = match both {
        Ok(both) => both,
        Err(outcome) => return report.instructions.push(instruction(outcome)),
    };
    let results = Results {
        case,
        wave_size,
        input: &launch.input,
        gpu: &gpu,
        emulator: &emulator,
    };
    match case.kind {
        Kind::Exact => report.instructions.push(instruction(results.exact())),
        Kind::Approximate => {
            let mut found = results.approximate();
            // The function is one for both wave sizes.
            let known = report.approximations.iter();
            if known.clone().any(|other| other.mnemonic == found.mnemonic) {
                found.distances = None;
            }
            report.approximations.push(found);
        }
    }
}

fn words_of(trouble: Trouble) -> String {
    match trouble {
        Trouble::Endless => "the kernel did not end in time".to_owned(),
        Trouble::Died(why) | Trouble::Refused(why) => why,
    }
}
