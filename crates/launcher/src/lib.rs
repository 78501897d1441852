//! Starting other people's programs: what all commands that do so have in common.
//!
//! * [`launch`]: a child whose exit status, signals and standard streams are the program's own;
//! * [`device`]: which GPU it shall see, and the environment that brings the emulated one under ROCr;
//! * [`hsa_tools`]: what ROCr is to load into it besides;
//! * [`libraries`]: where the libraries are that go into its process.

pub mod device;
pub mod hsa_tools;
pub mod launch;
pub mod libraries;
