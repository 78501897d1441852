//! Files that users named, in commands and inside application processes.
//!
//! * [`Output`]: a file that a user named. It appears whole or not at all; devices, FIFOs and what links lead to are written, not
//!   replaced. [`named`]: where it belongs. [`write_apart`]: inside an application's process.
//! * [`Input`]: a file that a user named, which may be larger than memory; [`read_regular`]: one that has to be a file.
//! * [`Behind`]: what is complete of a long output goes to its disk and out of memory.
//! * [`make_directories`]: directories of outputs, which follow the user's umask as outputs do, whatever a daemon's is.
//! * [`Scratch`]: files in memory that processes of a run share, of which nothing can remain.
//! * [`trusted`]: state of one user, which no other user can have made.
//! * [`user_cache`]: where caches of a user lie.
//! * [`html`]: names and texts in pages.

mod behind;
mod caches;
mod input;
mod output;
mod permissions;
mod scratch;
mod text;
pub mod trusted;

pub use behind::Behind;
pub use caches::user_cache;
pub use input::{Input, read_regular};
pub use output::{Output, are_one_file, named, write_apart, write_whole};
pub use permissions::{UMASK, make_directories, umask};
pub use scratch::Scratch;
pub use text::html;
