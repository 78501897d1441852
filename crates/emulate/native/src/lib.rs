//! Host code for runs of instructions, made from functions that the compiler has made already.
//!
//! A [`Stencil`] is such a function: it computes one result from vectors in host registers. Its instructions are read from memory, checked
//! against a table, and brought into a form in which registers are values. An [`Assembler`] joins stencils to a [`Routine`]: it gives
//! values host registers, loads rows at their first use and stores results at the end. An [`Executable`] holds routines in memory
//! that is never writable and executable at once.
//!
//! The crate knows vectors, rows and words. It knows no instruction of a GPU.

#[cfg(target_arch = "x86_64")]
mod allowed;
#[cfg(target_arch = "x86_64")]
mod assembler;
mod executable;
#[cfg(target_arch = "x86_64")]
mod registers;
#[cfg(target_arch = "x86_64")]
mod stencil;

#[cfg(target_arch = "x86_64")]
pub use assembler::{Assembler, Failure, MOST_MASKS, MOST_RESULTS, Nans, Operand, Sign, Source};
pub use executable::{Executable, Routine};
#[cfg(target_arch = "x86_64")]
pub use stencil::{Refusal, Stencil};

/// A function of an [`Executable`]: rows from the first group of lanes on, scalars, and how many groups there are. The result is
/// the number of groups that are done. The next group has a NaN among its numbers, and nothing of it is stored. Groups without lanes that are
/// on are done at once.
pub type Entry = unsafe extern "C" fn(rows: *mut u32, scalars: *mut u32, groups: usize) -> usize;

/// Bytes from one row to the next.
pub const ROW: usize = 256;
/// Bytes of a group of lanes in a row.
pub const GROUP: usize = 64;

/// The mnemonics that stencils may have.
#[cfg(target_arch = "x86_64")]
#[doc(hidden)]
pub fn allowed_mnemonics() -> Vec<String> {
    let all = allowed::VECTORS.iter().chain(allowed::MASKS);
    all.map(|mnemonic| format!("{mnemonic:?}").to_lowercase())
        .collect()
}
