//! Tests of this crate, one program.

mod header;
mod layout;
mod values;
