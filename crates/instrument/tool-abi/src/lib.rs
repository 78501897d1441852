//! The interface between Luthier and tools, one row for each fact: numbers ([`mod@constants`]), structures ([`mod@structures`]), functions
//! that a tool may call ([`Api`]) and that it exports ([`Entries`]), and values that hooks can ask for ([`HookValue`]).
//!
//! Both sides in Rust, `tool-capi` and `luthier-tool`, use the types here. `cargo xtask tool-abi` writes the same into
//! `include/luthier.h`, `include/luthier_device.h` and `docs/tools/reference.md`.
#![forbid(unsafe_code)]

mod c;
pub mod constants;
pub mod structures;
mod tables;
mod values;

pub use c::InC;
pub use constants::{CONSTANTS, Constant, Enumeration, Form, OWN_MODULE, argument_kinds};
pub use structures::{Member, Structure};
pub use tables::{Api, Entries, Tool};
pub use values::{Asked, HOOK_VALUES, HookValue, HookValueRow};

/// All structures, in an order in which C can declare them.
pub fn all_structures() -> impl Iterator<Item = &'static Structure> {
    structures::STRUCTURES.iter().chain(tables::TABLES)
}

/// All enumerations; the kinds of arguments have those of [`HOOK_VALUES`].
pub fn enumerations() -> impl Iterator<Item = (&'static Enumeration, Vec<Constant>)> {
    constants::ENUMERATIONS.iter().map(|enumeration| {
        let constants = match enumeration.name {
            constants::ARGUMENT_KINDS => argument_kinds(),
            _ => enumeration.constants.to_vec(),
        };
        (enumeration, constants)
    })
}
