//! Starting other people's programs: what all commands that do so have in common.
//!
//! * [`launch`]: a child whose exit status, signals and standard streams are the program's own;
//! * [`device`]: which GPU it shall see, and the environment that brings the emulated one under ROCr;
//! * [`doors`]: by which of two ways a ROCr comes to the emulated one;
//! * [`hsa_tools`]: what ROCr is to load into it besides;
//! * [`preload`]: what the dynamic linker is to load into it first;
//! * [`address_space`]: whether programs get the same addresses each time, and ROCr those that it reserves;
//! * [`temporary`]: what they need of the directory for temporary files;
//! * [`interrupt`]: signals that ask a command to end;
//! * [`libraries`]: where the libraries are that go into its process.

pub mod address_space;
pub mod device;
pub mod doors;
pub mod hsa_tools;
pub mod interrupt;
pub mod launch;
pub mod libraries;
pub mod preload;
pub mod temporary;
