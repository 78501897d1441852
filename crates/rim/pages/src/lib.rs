//! The commands of a page of the documentation, and what they must print.
//!
//! ```` ```sh ```` blocks are commands. In ```` ```console ```` blocks each line that begins with `$ ` is a command, and must print what
//! follows it, where `[..]` stands for any characters and a line `...` for any lines. A block ```` ```cpp file=NAME ```` is written to that
//! file. `<!-- run: COMMAND -->` runs unseen, and `<!-- not run: REASON -->` before a block leaves it out.
//!
//! A page that begins with `<!-- release: NAME -->` needs that release of Debian or Ubuntu: `cargo xtask stacks` runs it there.

#![forbid(unsafe_code)]

mod pattern;
mod steps;

pub use pattern::matches;
pub use steps::{Step, notes, steps};
