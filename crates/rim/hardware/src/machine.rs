//! The machines that run kernels.

use std::{
    collections::{HashMap, hash_map::Entry},
    num::NonZero,
    thread,
};

use codeobj::{CodeObject, TargetId};
use emulate::{Argument, Device, Prepared, Shape};
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

/// The emulated device, in this process. There is one for all jobs of a target, as it gives nothing back before the process ends.
pub struct Emulated {
    threads: usize,
    loaded: Option<Loaded>,
}

/// A device, whose first object has kernels of the names that all later ones have.
struct Loaded {
    device: Device<'static>,
    target: TargetId,
    names: Vec<String>,
    /// Address and size of the input and of the output that all launches share.
    buffers: [(u64, u64); 2],
    /// By kernel, workgroups, work-items of each, and LDS.
    prepared: HashMap<(String, [u32; 3]), Prepared>,
}

impl Emulated {
    /// With as many threads as there are processors.
    pub fn new() -> Emulated {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        Emulated {
            threads,
            loaded: None,
        }
    }

    fn load(&mut self, job: &Job, target: TargetId) -> emulate::Result<&mut Loaded> {
        let fits = |loaded: &Loaded| {
            let has = |launch: &Launch| loaded.names.contains(&launch.kernel);
            loaded.target == target && job.launches.iter().all(has)
        };
        if !self.loaded.as_ref().is_some_and(fits) {
            // As long as the device, which is as long as the process.
            let object = CodeObject::parse(Vec::leak(job.object.clone()))?;
            let kernels = object.kernels()?;
            let names = kernels.iter().map(|kernel| kernel.name.to_owned());
            self.loaded = Some(Loaded {
                target,
                names: names.collect(),
                device: Device::new(object, self.threads)?,
                buffers: [(0, 0); 2],
                prepared: HashMap::new(),
            });
        }
        self.loaded.as_mut().ok_or(emulate::Error::NotLinked)
    }
}

impl Default for Emulated {
    fn default() -> Emulated {
        Emulated::new()
    }
}

impl Machine for Emulated {
    fn run(&mut self, job: &Job) -> Vec<Result<Vec<u8>, Trouble>> {
        let mut outcomes = || -> emulate::Result<Vec<_>> {
            let object = CodeObject::parse(&job.object)?;
            let loaded = self.load(job, object.target())?;
            loaded.make_room(job)?;
            let base = loaded.device.add(&object)?;
            let launches = job.launches.iter();
            Ok(launches
                .map(|launch| loaded.run(launch, &object, base).map_err(refused))
                .collect())
        };
        outcomes().unwrap_or_else(|error| vec![Err(refused(error)); job.launches.len()])
    }
}

impl Loaded {
    /// Buffers that are large enough for every launch.
    fn make_room(&mut self, job: &Job) -> emulate::Result<()> {
        let launches = job.launches.iter();
        let needed = launches.fold([1, 1], |[input, output], launch| {
            [
                input.max(launch.input.len() as u64),
                output.max(launch.output),
            ]
        });
        for (buffer, needed) in self.buffers.iter_mut().zip(needed) {
            if buffer.1 < needed {
                *buffer = (self.device.buffer(&[], needed)?, needed);
                self.prepared.clear();
            }
        }
        Ok(())
    }

    fn run(
        &mut self,
        launch: &Launch,
        object: &CodeObject<'_>,
        base: u64,
    ) -> emulate::Result<Vec<u8>> {
        let [input, output] = self.buffers.map(|(address, _)| address);
        let mut bytes = vec![0; launch.output as usize];
        self.device.write(input, &launch.input)?;
        self.device.write(output, &bytes)?;
        let key = (
            launch.kernel.clone(),
            [launch.groups, launch.block, launch.lds],
        );
        let prepared = match self.prepared.entry(key) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let shape = Shape {
                    grid: [launch.groups, 1, 1],
                    block: [launch.block, 1, 1],
                    dynamic_lds: launch.lds,
                };
                let arguments = [input, output].map(Argument::pointer);
                entry.insert(self.device.prepare(&launch.kernel, &shape, &arguments)?)
            }
        };
        self.device.run_other(prepared, object, base)?;
        self.device.read(output, &mut bytes)?;
        Ok(bytes)
    }
}

fn refused(error: emulate::Error) -> Trouble {
    Trouble::Refused(reason_of(&error.to_string()))
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
        None => {
            let first = text.lines().next().unwrap_or_default();
            let stopped = first.split_once("stopped: ");
            stopped.map_or(first, |(_, why)| why).to_owned()
        }
    }
}
