//! The common part of all commands: what they print, and the status that they end with.
//!
//! * [`say!`] and [`out!`]: lines on standard error and standard output; a full disk or a reader that left is no reason to panic.
//! * [`error_line`]: an error as it is said. [`Said`]: one with what another program has said behind it.
//! * [`Status`]: the one rule for exit statuses. [`of_child`]: the status of a command that ends as a program did.
//! * [`grouped`]: numbers for people to read.
//! * [`processes`]: processes, and what they were started with.
#![forbid(unsafe_code)]

mod console;
mod number;
pub mod processes;
mod status;

pub use console::{Said, error_line, print_error, print_output, regex_problem};
pub use number::grouped;
pub use status::{COUNT_FAILED, Status, of_child, of_signal};
