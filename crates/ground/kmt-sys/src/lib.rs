//! Binary layouts shared with ROCm's user-mode stack: the thunk interface (`libhsakmt`) and the driver's.
//!
//! Entry modules: [`thunk`] (structs passed to `hsaKmt*` functions, packed to 4 bytes), [`kfd`] (the driver's commands),
//! [`drm`] (those of the render nodes), [`libdrm`] (what its functions take), [`door`] (between the two libraries that stand in for the driver), [`running`] (what tools may ask the emulated device). This crate defines data only, and declares no function.
//! Constant assertions pin every size and offset, and a test compares them with Debian's C headers.
#![forbid(unsafe_code)]

pub mod door;
pub mod drm;
pub mod kfd;
pub mod libdrm;
pub mod running;
pub mod thunk;
