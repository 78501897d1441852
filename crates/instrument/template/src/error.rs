//! Errors of this crate.

use crate::RegisterFile;

/// Registers that a template cannot be bound to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    #[error("the template has {expected} register groups, {given} registers are given")]
    Count { expected: usize, given: usize },
    #[error("group {group} needs {file:?} registers aligned to {alignment}, {first} is not")]
    Alignment {
        group: usize,
        file: RegisterFile,
        alignment: u16,
        first: u16,
    },
    #[error(
        "group {group} needs {width} {file:?} registers below {limit}, from {first} they are not"
    )]
    Limit {
        group: usize,
        file: RegisterFile,
        width: u16,
        limit: u16,
        first: u16,
    },
}

/// A tool file that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    #[error("this is no tool bundle: it does not begin with the right eight bytes")]
    Magic,
    #[error(
        "the bundle has version {found}, this program reads version {expected}; build the tool again"
    )]
    Version { found: u32, expected: u32 },
    #[error("the bundle is damaged: {0}")]
    Damaged(String),
}
