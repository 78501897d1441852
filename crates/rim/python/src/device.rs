//! A device for Python: the code object's bytes and the device that borrows them.

use std::{mem::ManuallyDrop, process, time::Duration};

use codeobj::CodeObject;
use emulate::{Argument, Counts, Device, Error, Shape};
use pyo3::prelude::*;

use crate::error::{Class, OrRaise, exception};

/// A code object on a device of its own.
pub struct Loaded {
    device: ManuallyDrop<Device<'static>>,
    /// The bytes that `device` borrows. They never change.
    bytes: ManuallyDrop<Box<[u8]>>,
    /// The process whose threads execute kernels. A forked child has none of them.
    process: u32,
}

/// A launch as Python asks for it.
pub struct Launch {
    pub kernel: String,
    pub shape: Shape,
    pub arguments: Vec<Argument>,
    pub limit: Option<Duration>,
    /// Counts per instruction, too.
    pub counted: bool,
}

impl Loaded {
    pub fn new(bytes: Vec<u8>, threads: usize, exact: bool) -> Result<Loaded, Error> {
        let bytes = bytes.into_boxed_slice();
        // SAFETY: the box is neither moved out of nor dropped before the device, see `drop`; moving `Loaded` moves no bytes.
        let borrowed: &'static [u8] = unsafe { &*std::ptr::from_ref(&*bytes) };
        let device = Device::new(CodeObject::parse(borrowed)?, threads)?;
        if exact {
            device.be_exact();
        }
        Ok(Loaded {
            device: ManuallyDrop::new(device),
            bytes: ManuallyDrop::new(bytes),
            process: process::id(),
        })
    }

    /// The device, in the process that made it.
    pub fn device(&self, py: Python<'_>) -> PyResult<&Device<'static>> {
        if self.process == process::id() {
            return Ok(&self.device);
        }
        let text = format!(
            "this device belongs to process {}, of which this one is a child: make one here",
            self.process
        );
        Err(exception(py, Class::Error, text))
    }

    /// Runs a kernel while other Python threads go on. Signals are looked for every [`emulate::STEP`]; what their handlers raise ends
    /// the kernel.
    pub fn launch(&self, py: Python<'_>, launch: &Launch) -> PyResult<String> {
        let device = self.device(py)?;
        let mut interrupted = None;
        let outcome = py.detach(|| {
            let mut prepared = device.prepare(&launch.kernel, &launch.shape, &launch.arguments)?;
            if launch.counted {
                prepared.count_instructions();
            }
            let mut go_on = || {
                interrupted = Python::attach(|py| py.check_signals()).err();
                interrupted.is_none()
            };
            let outcome = device.run_while(&prepared, launch.limit, &mut go_on);
            device.release(prepared)?;
            outcome
        });
        match outcome {
            Ok(counted) => Ok(told(&launch.kernel, &counted, device.base())),
            Err(Error::Stopped { .. }) if interrupted.is_some() => {
                interrupted.map_or_else(|| Ok(String::new()), Err)
            }
            Err(error @ Error::Fault { .. }) => Err(exception(py, Class::Fault, error)),
            Err(error @ Error::Endless { .. }) => Err(exception(py, Class::Endless, error)),
            other => other.map(|_| String::new()).or_raise(py),
        }
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        if self.process != process::id() {
            // Locks may be held by threads that are not here; the pages are the child's own and go with it.
            return;
        }
        // SAFETY: neither is used again, and the device goes before what it borrows.
        unsafe {
            ManuallyDrop::drop(&mut self.device);
            ManuallyDrop::drop(&mut self.bytes);
        }
    }
}

/// Addresses of instructions are those in the code object.
fn told(kernel: &str, counted: &Counts, base: u64) -> String {
    let instructions = counted.instructions.iter().map(|one| {
        let pc = one.pc.wrapping_sub(base);
        (pc, one.wave_instructions, one.lane_instructions)
    });
    let launch = counts::Launch {
        kernel,
        executed: counted.into(),
        instructions: Some(instructions.collect()),
    };
    serde_json::to_string(&launch).expect("names and numbers")
}
