//! `libluthier_intercept.so`: the HSA tool that runs instrumented kernels in place of the originals.
//!
//! The runtime loads it by `HSA_TOOLS_LIB` and calls `OnLoad`. [`hooks`] replaces a few entries of the API tables, so that code objects are
//! seen when they are loaded and every queue is one whose packets pass through [`intercepted`]. The `session` crate decides what to do with
//! a packet, and reaches the device through [`device`]. [`state`] holds the one session of the process and ends it; [`output`] delivers the
//! summary.
//!
//! The application must not notice: no call from here changes a result or an exit status, no panic leaves, and whatever
//! goes wrong means that the original kernel runs.
//!
//! [`early`] is for tools whose functions stand in for some of HIP: then the library is preloaded, too.

mod api;
mod clock;
mod contained;
mod copies;
mod device;
mod early;
mod guarded;
mod hooks;
mod intercepted;
mod ledger;
mod output;
mod own;
mod queue_errors;
mod queues;
mod references;
mod running;
mod signals;
mod state;
mod tickets;
mod times;
mod tools;
mod transfer_hooks;
mod transfers;
mod watch;

pub use own::{OwnTool, OwnTools};

guest::own_thread_exit!();

use guest::lock;
