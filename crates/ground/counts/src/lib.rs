//! The counts of executed instructions, as the files and the output of commands have them. `docs/schemas` has the schema of each.
//!
//! * [`Executed`]: the counts themselves, which the others contain.
//! * [`Kernel`]: a kernel of a process on the emulated GPU. The emulated GPU writes one as a [`line`] of `LUTHIER_STATS`, and [`lines`] reads
//!   them.
//! * [`Run`]: all kernels of a run, `statistics.json`.
//! * [`Launch`]: one launch, of `luthier emulate` and of Python.
//! * [`OfTool`]: a kernel as the tool `instr-count` counted it, a row of `instr-count.PID.json`.
#![forbid(unsafe_code)]

mod executed;
mod kernel;
mod launch;
mod run;

pub use executed::{Class, Executed, Inexact, Name, Reached};
pub use kernel::{Kernel, OfTool, line, lines};
pub use launch::Launch;
pub use run::Run;
