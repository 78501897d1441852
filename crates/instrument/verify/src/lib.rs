//! Instrumented kernels against the originals, on the emulated device.
//!
//! Entry types: [`Launch`] (one kernel with its arguments) and [`run`] (what it leaves behind: buffers, variables, counts).
//! [`lockstep`] compares every live register before every instruction, [`poison`] overwrites whatever is called dead.
//! The instrumenting column never sees the emulator; this crate is where both meet, to judge.
#![forbid(unsafe_code)]

mod builds;
mod calls;
mod code;
mod digest;
mod executed;
mod live;
mod lockstep;
mod record;
mod stage;
mod turns;

pub use builds::{Comparison, Difference as BuildDifference, MemoryPlace, Store, Written, compare};
pub use executed::{Access, Executed, Sink, Untraced, executed};
pub use live::Part;
pub use lockstep::{
    Difference, Divergence, Error, MemoryRead, ProgramPoint, StopReason, Verdict, Wait, lockstep,
    lockstep_within, poison, poison_within,
};

pub use recording::Recording;

use codeobj::CodeObject;
use emulate::{Argument, Device, Shape};

/// An argument of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A buffer with these contents, passed by its address.
    Buffer(Vec<u8>),
    /// The bytes of a value.
    Value(Vec<u8>),
}

impl Input {
    pub fn words(words: impl IntoIterator<Item = u32>) -> Input {
        Input::Buffer(words.into_iter().flat_map(u32::to_le_bytes).collect())
    }

    pub fn number(number: u32) -> Input {
        Input::Value(number.to_le_bytes().to_vec())
    }
}

/// One launch of one kernel.
#[derive(Clone, Debug)]
pub struct Launch {
    pub kernel: String,
    /// Workgroups, and work-items of each.
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Bytes.
    pub dynamic_lds: u32,
    pub inputs: Vec<Input>,
}

/// A buffer among the inputs of a launch, in device memory.
struct Buffer<'a> {
    /// Number of the argument.
    argument: usize,
    address: u64,
    /// Its contents before the launch.
    contents: &'a [u8],
}

impl Launch {
    /// Puts the buffers into device memory; the arguments that name them and the values.
    fn place(
        &self,
        device: &Device<'_>,
    ) -> Result<(Vec<Buffer<'_>>, Vec<Argument>), emulate::Error> {
        let (mut buffers, mut arguments) = (Vec::new(), Vec::new());
        for (argument, input) in self.inputs.iter().enumerate() {
            arguments.push(match input {
                Input::Buffer(contents) => {
                    let address = device.buffer(contents, contents.len() as u64)?;
                    buffers.push(Buffer {
                        argument,
                        address,
                        contents,
                    });
                    Argument::pointer(address)
                }
                Input::Value(bytes) => Argument(bytes.clone()),
            });
        }
        Ok((buffers, arguments))
    }

    fn shape(&self) -> Shape {
        Shape {
            grid: self.grid,
            block: self.block,
            dynamic_lds: self.dynamic_lds,
        }
    }
}

/// A run of a kernel to be judged.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// With arguments that were made up.
    Launch(&'a Launch),
    /// As an application ran it.
    Recording(&'a Recording),
}

impl<'a> Subject<'a> {
    pub fn kernel(self) -> &'a str {
        match self {
            Subject::Launch(launch) => &launch.kernel,
            Subject::Recording(recording) => &recording.header.kernel,
        }
    }

    /// Bytes of scratch that the launch asks for, for each lane.
    pub fn stack_size(self, object: &CodeObject<'_>) -> Result<u32, emulate::Error> {
        Ok(match self {
            Subject::Launch(launch) => {
                emulate::stack_size(&object.kernel(&launch.kernel)?.descriptor)
            }
            Subject::Recording(recording) => {
                emulate::recorded_packet(recording)?.private_segment_size
            }
        })
    }
}

impl<'a> From<&'a Launch> for Subject<'a> {
    fn from(launch: &'a Launch) -> Subject<'a> {
        Subject::Launch(launch)
    }
}

impl<'a> From<&'a Recording> for Subject<'a> {
    fn from(recording: &'a Recording) -> Subject<'a> {
        Subject::Recording(recording)
    }
}

/// The results of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Contents of the buffers among the inputs, in their order.
    pub buffers: Vec<Vec<u8>>,
    /// Their addresses.
    pub addresses: Vec<u64>,
    /// Contents of the variables that were asked for.
    pub variables: Vec<Vec<u8>>,
    /// Instructions that the device retired, each once per wave.
    pub wave_instructions: u64,
    /// Executed instructions, counted once per active lane.
    pub lane_instructions: u64,
}

/// Runs a launch of a linked code object on a fresh device and reads variables: name and bytes.
pub fn run(
    object: &[u8],
    launch: &Launch,
    variables: &[(&str, usize)],
) -> Result<Outcome, emulate::Error> {
    let device = Device::new(CodeObject::parse(object)?, 1)?;
    let (buffers, arguments) = launch.place(&device)?;
    let counts = device.launch(&launch.kernel, &launch.shape(), &arguments)?;
    let read = |address: u64, size: usize| {
        let mut bytes = vec![0; size];
        device.read(address, &mut bytes).map(|()| bytes)
    };
    Ok(Outcome {
        buffers: buffers
            .iter()
            .map(|buffer| read(buffer.address, buffer.contents.len()))
            .collect::<Result<_, _>>()?,
        addresses: buffers.iter().map(|buffer| buffer.address).collect(),
        variables: variables
            .iter()
            .map(|(name, size)| read(device.global(name)?, *size))
            .collect::<Result<_, _>>()?,
        wave_instructions: counts.wave_instructions,
        lane_instructions: counts.lane_instructions,
    })
}
