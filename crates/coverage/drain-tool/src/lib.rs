//! The drain inside a HIP program: an HSA tool, with a preload and a link mode as fallbacks.
//!
//! * [`runtime`]: [`drain::Runtime`] over the HSA functions of the process; every device address is checked against pointer info before a copy;
//! * [`state`]: the process-wide collector and the rules of who may touch it when;
//! * [`hiprtc`]: counters for programs compiled at run time;
//! * [`tool`]: `OnLoad`/`OnUnload` and the table hooks; [`preload`], [`registered`] and [`exec`]: interposed functions; [`service`]: snapshots and
//!   signals; [`capi`]: what programs may call.
//!
//! The host program must not notice: no call from here changes a result, an exit status or the host's own profile.

mod capi;
mod exec;
mod hiprtc;
mod preload;
mod registered;
mod runtime;
mod service;
mod state;
mod tool;
