//! Finds pairs of instructions that follow each other too closely for hardware without interlocks.
//!
//! Entry types: [`check`] over one lifted [`lift::Function`], [`RULES`], one row per hazard, and [`check_waits`] for loads. A checker of emitted code,
//! independent of whatever inserted the padding: it looks back from every instruction over all paths. Calls count as one
//! wait state and what is in the callee is not looked into, as the compiler does. Pure.
#![forbid(unsafe_code)]

mod node;
mod rules;
mod search;
mod waits;

pub use node::Node;
pub use rules::{RULES, Rule, Unit};
pub use search::{Violation, check};
pub use waits::{MissingWait, check_waits};
