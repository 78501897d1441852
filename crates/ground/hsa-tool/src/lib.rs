//! The runtime's side of the libraries that HSA loads as tools. `guest` is about the process that they are in.
//!
//! [`Tables`]: the runtime's functions as they were before any hook, from the tables that `OnLoad` is given or from exported symbols.
//! [`Original`]: the function that a hook replaced. [`Loader`]: which code lies where, and the file it came from; [`Uri`]: how the runtime
//! names that file. [`info`]: attributes of the runtime's objects.

mod error;
mod hook;
pub mod info;
mod loader;
mod tables;
mod uri;

pub use error::{Error, check};
pub use hook::Original;
pub use loader::{Image, Loader};
pub use tables::Tables;
pub use uri::{Origin, Uri};
