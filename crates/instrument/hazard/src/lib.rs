//! Finds instructions that do not wait for what hardware does not keep apart for them.
//!
//! * [`check`] finds pairs that follow each other too closely, by [`RULES`], one row per hazard. It looks back from every
//!   instruction over all paths. A call counts as one wait state, and callees are not looked into, as compilers do.
//! * [`Scoreboard`] (or [`check_waits`]) finds memory operations whose results are touched too early, and LDS stores that
//!   are outstanding at barriers.
//! * [`Paths`] does the same along the paths that waves have taken.
//! * [`check_scalars`] finds scalar registers that gfx12 reads while an old value is in a cache.
//!
//! All check emitted code and know nothing of what inserted the waits. Pure: no files, no environment.
#![forbid(unsafe_code)]

mod node;
mod paths;
mod rules;
mod scalars;
mod search;
mod touch;
mod waits;

pub use node::Node;
pub use paths::{NOTHING, Paths, Site, Step, Unwaited};
pub use rules::{RULES, Rule, Unit};
pub use scalars::{StaleScalar, Writer, check_scalars};
pub use search::{Violation, check};
pub use touch::Halves;
pub use waits::{Conflict, Grade, MissingWait, Scoreboard, check_waits};
