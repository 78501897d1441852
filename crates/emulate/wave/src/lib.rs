//! One wavefront: its state and what every instruction does to it.
//!
//! * [`Wave`] is the architectural state (SGPRs, VGPRs, EXEC, VCC, SCC, MODE, ...).
//! * [`Program`] turns instruction bytes into [`MicroOp`]s once per kernel; [`run`] executes them until the wave ends,
//!   reaches a barrier, uses up its time slice, faults or meets an instruction that is not implemented.
//! * `rows` holds the semantics: one table row per mnemonic. `access` knows where memory instructions point, and moves what lies
//!   there. `translate` makes
//!   host code of runs of instructions. `fields` knows the encodings, `ports` fetches plain operands,
//!   `passes` does what modifiers, SDWA and DPP ask for around that, `memory` is the only place that touches the memory of the emulated device.
//!
//! The crate never guesses: an instruction without a row stops with its name. It knows nothing about packets, queues or
//! files, and nothing about instrumentation.

mod access;
mod allocator;
mod barrier;
mod blame;
mod clock;
mod counts;
mod engine;
mod hwreg;
#[doc(hidden)]
pub mod inside;
mod measured;
mod memory;
mod messages;
mod micro_op;
mod mode;
mod order;
mod passes;
mod ports;
mod program;
pub mod races;
mod row_set;
mod rows;
mod shadow;
mod shell;
mod spin;
mod state;
mod step;
mod sync;
mod translate;
mod watch;

pub use access::scratch_descriptor;
pub use allocator::{Allocator, HeapCall};
pub use barrier::{Arrival, SplitBarrier};
pub use blame::NO_LANE;
pub use clock::ClockWait;
pub use counts::{Counts, InstCount};
pub use engine::{Env, Host, Stop, run};
pub use measured::Measured;
pub use memory::{ALIAS, AddressSpace, Fault, FaultKind, Memory, Range, host_address};
pub use mode::Mode;
pub use program::{Config, DecodedInst, Program, Segment, SharedDecoder};
pub use rows::{Row as SemanticsRow, all_rows, rows_of, swizzle_source};
pub use shadow::{Planner, Shadow};
pub use spin::{Meetings, Pose};
pub use state::{LANES, Preset, Start, Wave};
pub use step::step;
pub use translate::{HostCode, NoHostCode, host_code_is_possible};
#[doc(hidden)]
pub use translate::{code_of as host_code_of_row, report as host_code_of_rows};
#[doc(hidden)]
pub use vectors::level::use_less;
pub use watch::Watch;

/// Returns `true` if there is an emulated device for this target. Instructions of gfx1250 are decoded, but not all of them have rows.
pub fn executes(target: &gfx::Target) -> bool {
    target.family != gfx::Family::Gfx12_5
}
