//! Templates into kernels: one kernel and all functions it may call, laid out anew with insertions.
//!
//! Entry types: [`rewrite`] (a [`Plan`] of what goes where to a position-independent [`Rewritten`], or a [`Refusal`]),
//! [`static_object`] and [`live_object`] (to a code object). The original's data and code stay where they are. Pure: no
//! files, no environment, no threads.
//!
//! A kernel goes through [`PASSES`], one file each, over the items of `ir`; bytes come to be in the last one.
#![forbid(unsafe_code)]

mod absent;
mod addresses;
mod allocate;
mod bind;
mod block_facts;
mod branches;
mod calls;
mod changes;
mod clauses;
mod counter_use;
mod counting;
mod distances;
mod dump;
mod edges;
mod emit;
mod encode;
mod entry;
mod entry_homes;
mod error;
mod flush;
mod frame;
mod hazards;
mod hooks;
mod instruction;
mod ir;
mod islands;
mod jumps;
mod kernel;
mod layout;
mod lower;
mod memory;
mod mode;
mod object;
mod plan;
mod plan_index;
mod port_copies;
mod preload;
mod registers;
mod required_values;
mod reserve;
mod result;
mod rewriting;
mod roles;
mod room;
mod save;
mod select;
mod spill;
mod storage;
mod table;
mod target_tables;
mod values;
mod waits;

pub use absent::absent_registers;
pub use error::Refusal;
pub use kernel::Kernels;
pub use memory::{Address, MemoryAccess};
pub use object::{
    LivePatch, check_static, live_object, live_object_of, static_object, static_object_with,
};
pub use plan::{
    Accumulator, Action, Change, ChangeAt, CounterArray, HookVariants, Insertion, Lanes, Plan,
    Point, Value,
};
pub use preload::starts;
pub use result::{AddressHalf, NewFunction, PcPair, PcRun, Relocation, Report, Rewritten, Symbol};
pub use rewriting::{rewrite, rewrite_of, rewrite_with_dumps};
pub use room::most_vgprs_of_hooks;

type Pass = fn(&mut rewriting::Rewriting<'_, '_>) -> std::result::Result<(), Refusal>;

/// The passes over a kernel, in order.
const PASSES: &[(&str, Pass)] = &[
    ("reserve", reserve::run),
    ("select", select::run),
    ("hooks", hooks::run),
    ("waits", waits::run),
    ("hazards", hazards::run),
    ("layout", layout::run),
    ("emit", emit::run),
];
