//! Where kernels run.

use std::{num::NonZero, thread, time::Duration};

use codeobj::CodeObject;
use emulate::{Argument, Device, Shape};
use hsa_device::Launch;

/// A code object and kernels of it to run, one after the other.
pub struct Job {
    pub object: Vec<u8>,
    pub launches: Vec<Launch>,
}

/// Why there is no output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It did not end in time.
    Endless,
    /// The process or the queue ended with it.
    Died(String),
    /// It was not run, or was refused.
    Refused(String),
}

/// Something that runs kernels.
pub trait Machine {
    /// The output of each launch, in order.
    fn run(&mut self, job: &Job) -> Vec<Result<Vec<u8>, Trouble>>;
}

/// The emulated device, in this process.
pub struct Emulated {
    threads: usize,
}

impl Emulated {
    /// With as many threads as there are processors.
    pub fn new() -> Emulated {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        Emulated { threads }
    }
}

impl Default for Emulated {
    fn default() -> Emulated {
        Emulated::new()
    }
}

impl Machine for Emulated {
    fn run(&mut self, job: &Job) -> Vec<Result<Vec<u8>, Trouble>> {
        let device = CodeObject::parse(&job.object)
            .map_err(emulate::Error::from)
            .and_then(|object| Device::new(object, self.threads));
        let outcomes = device.and_then(|device| {
            let most = |size: fn(&Launch) -> u64| job.launches.iter().map(size).max().unwrap_or(0);
            // All launches share them, as the device gives nothing back before its end.
            let input = device.buffer(&[], most(|launch| launch.input.len() as u64))?;
            let output = device.buffer(&[], most(|launch| launch.output))?;
            let launches = job.launches.iter();
            Ok(launches
                .map(|launch| run(&device, launch, [input, output]))
                .collect())
        });
        outcomes.unwrap_or_else(|error| vec![Err(refused(error)); job.launches.len()])
    }
}

fn refused(error: emulate::Error) -> Trouble {
    match error {
        emulate::Error::Endless { .. } => Trouble::Endless,
        error => Trouble::Refused(reason_of(&error.to_string())),
    }
}

fn run(device: &Device<'_>, launch: &Launch, buffers: [u64; 2]) -> Result<Vec<u8>, Trouble> {
    let outcome = || -> emulate::Result<Vec<u8>> {
        let mut bytes = vec![0; launch.output as usize];
        device.write(buffers[0], &launch.input)?;
        device.write(buffers[1], &bytes)?;
        let shape = Shape {
            grid: [launch.groups, 1, 1],
            block: [launch.block, 1, 1],
            dynamic_lds: launch.lds,
        };
        let arguments = buffers.map(Argument::pointer);
        let prepared = device.prepare(&launch.kernel, &shape, &arguments)?;
        device.run_within(&prepared, Duration::from_secs(launch.seconds))?;
        device.read(buffers[1], &mut bytes)?;
        Ok(bytes)
    };
    outcome().map_err(refused)
}

/// Messages of faults name the kernel, which says nothing here, then the instruction, and the reason in the end.
fn reason_of(text: &str) -> String {
    let lines = text.lines().map(str::trim);
    let reason = lines
        .clone()
        .find(|line| line.ends_with(')') && line.contains('['));
    let reason = reason.and_then(|line| line.rsplit_once('('));
    match reason {
        Some((_, reason)) => reason.trim_end_matches(')').to_owned(),
        None => text.lines().next().unwrap_or_default().to_owned(),
    }
}
