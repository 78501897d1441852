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
        let refused = |error: emulate::Error| Trouble::Refused(error.to_string());
        match device {
            Ok(device) => {
                let launches = job.launches.iter();
                launches.map(|launch| run(&device, launch)).collect()
            }
            Err(error) => vec![Err(refused(error)); job.launches.len()],
        }
    }
}

fn run(device: &Device<'_>, launch: &Launch) -> Result<Vec<u8>, Trouble> {
    let output = || -> emulate::Result<Vec<u8>> {
        let input = device.buffer(&launch.input, launch.input.len() as u64)?;
        let output = device.buffer(&[], launch.output)?;
        let shape = Shape {
            grid: [launch.groups, 1, 1],
            block: [launch.block, 1, 1],
            dynamic_lds: launch.lds,
        };
        let arguments = [input, output].map(Argument::pointer);
        let prepared = device.prepare(&launch.kernel, &shape, &arguments)?;
        device.run_within(&prepared, Duration::from_secs(launch.seconds))?;
        let mut bytes = vec![0; launch.output as usize];
        device.read(output, &mut bytes)?;
        Ok(bytes)
    };
    output().map_err(|error| match error {
        emulate::Error::Endless { .. } => Trouble::Endless,
        error => Trouble::Refused(first_line(&error.to_string())),
    })
}

/// Messages of faults have a line of what, then where.
fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
