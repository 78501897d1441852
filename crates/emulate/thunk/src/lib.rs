//! `libhsakmt.so.1`: the thunk interface that ROCr calls, answered by an emulated machine; and behind it the driver's interface,
//! for ROCr that has a thunk of its own (`door`).
//!
//! This is a rim: it reads the environment (`LUTHIER_DEVICE`, `LUTHIER_GPUS`, `LUTHIER_COMPUTE_UNITS`, `LUTHIER_STATS`,
//! `LUTHIER_EXACTNESS`, `LUTHIER_RECORD`, `LUTHIER_EXACT`, `LUTHIER_CHECK`), writes to standard error, to the statistics file and to those of
//! findings, and holds the process's one [`instance`]. Everything real is in `gpu`. Entry points are in [`export`], one line each; their bodies are in `calls`. [`waits`] is what ROCr loads as a tool.
//!
//! Never here: destructors. A HIP program exits without shutting ROCr down, with ROCr's and our threads still inside this
//! library, so what lives in statics is leaked on purpose.

mod calls;
mod check;
mod closings;
mod door;
mod exact;
mod executor;
mod export;
mod ffi;
mod findings;
mod fresh;
mod heap;
mod images;
mod inject;
mod instance;
mod interrupted;
mod mappings;
mod reached;
mod record;
mod report;
mod source;
mod statistics;
mod topology;
mod variables;
mod waits;

guest::own_thread_exit!();
