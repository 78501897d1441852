//! Luthier's files and descriptors, in commands and inside application processes.
//!
//! * [`Output`]: a file that a user named. It appears whole or not at all; devices, FIFOs and what links lead to are written, not
//!   replaced. [`named`]: where it belongs.
//! * [`Input`]: a file that a user named, which may be larger than memory; [`read_regular`]: one that has to be a file.
//! * [`Behind`]: what is complete of a long output goes to its disk and out of memory.
//! * [`make_directories`]: directories of outputs, which follow the user's umask as outputs do, whatever a daemon's is.
//! * [`Keeper`] and [`Kept`]: a thread with a descriptor table of its own, for files that stay open inside an application's process. The
//!   application can neither close nor reuse descriptors that are not in its table.
//! * [`standard_error`]: messages to the user from inside an application's process, as long as standard error is the file it was.
//! * [`Bell`]: how a signal handler wakes a thread, without descriptors.
//! * [`Scratch`]: files in memory that processes of a run share, of which nothing can remain.
//! * [`trusted`]: state of one user, which no other user can have made.
//! * [`own_thread_exit!`]: lets Luthier's threads start and end without a lock that the application may hold.
//! * [`grouped`] and [`html`]: numbers and names for people to read.
//! * [`say!`] and [`out!`]: what commands print; a full disk or a reader that left is no reason to panic.

mod behind;
mod bell;
mod console;
mod input;
mod keeper;
mod output;
mod permissions;
mod scratch;
pub mod standard_error;
mod text;
pub mod thread_exit;
pub mod trusted;

pub use behind::Behind;
pub use bell::Bell;
pub use console::{print_error, print_output};
pub use input::{Input, read_regular};
pub use keeper::{Keeper, Kept, apart};
pub use output::{Output, named, write_apart, write_whole};
pub use permissions::{UMASK, make_directories, umask};
pub use scratch::Scratch;
pub use text::{grouped, html};
