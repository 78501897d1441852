//! The compute units: runs dispatches on the wave engine, workgroups in parallel on all host cores.
//!
//! Entry type: [`Pool`], an [`gpu::Executor`]. A workgroup runs on one host thread, wave by wave, each to its next barrier,
//! sleep or end of time slice. Workgroups that cannot end yet are set aside and rotated, so kernels may spin on each other, on
//! another queue or on the host. Nothing here knows packets, signals or the runtime above.
#![forbid(unsafe_code)]

mod aside;
mod barriers;
mod board;
mod classes;
pub mod counters;
mod devices;
pub mod fidelity;
mod follow;
mod gate;
mod imitation;
mod kind;
mod launched;
mod numbered;
mod observe;
mod patience;
mod pool;
mod races;
mod run;
mod schedule;
mod sync;
mod together;
mod watch;
mod wished;
mod workgroup;

pub use classes::Class;
pub use follow::{Beginning, Follower};
pub use gate::{Gate, Meeting, Outlook, There, WaveThere};
pub use imitation::imitate;
pub use kind::Kind;
pub use numbered::{Numbered, Snapshot};
pub use observe::{Next, Observer};
pub use pool::{Pool, Running};
pub use races::Order;
pub use together::Together;
pub use watch::{Watcher, Watchers};
pub use wave::{
    HostCode, NoHostCode, Planner, Shadow,
    races::{Access, Race, Side},
};
