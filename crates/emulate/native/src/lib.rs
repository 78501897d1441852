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
mod anchor;
#[cfg(target_arch = "x86_64")]
mod assembler;
#[cfg(target_arch = "x86_64")]
mod control;
mod executable;
#[cfg(target_arch = "x86_64")]
mod load;
#[cfg(target_arch = "x86_64")]
mod registers;
#[cfg(target_arch = "x86_64")]
mod stencil;

#[cfg(target_arch = "x86_64")]
pub use anchor::{Anchor, MOST_ANCHORS, Near};
#[cfg(target_arch = "x86_64")]
pub use assembler::{Assembler, Failure, MOST_MASKS, MOST_RESULTS, Nans, Operand, Sign, Source};
#[cfg(target_arch = "x86_64")]
pub use control::{
    Call, Exit, Function, Journey, LoopEntry, MOST_BRANCHES, MOST_CHANGES, Operation, Relation,
    Scalar, Step, Tallies, When, Word, loop_routine,
};
pub use executable::{Executable, Routine};
#[cfg(target_arch = "x86_64")]
pub use load::Load;
#[cfg(target_arch = "x86_64")]
pub use stencil::{Refusal, Stencil};

/// A function of an [`Executable`]: rows from the first group of lanes on, and scalars. The result is the number of groups that are done. The
/// next group has a NaN among its numbers, or loads from outside of local memory. Nothing of it is stored but in rows that the
/// routine writes before it reads them. Groups without lanes that are on are done at once.
pub type Entry = unsafe extern "C" fn(
    rows: *mut u32,
    scalars: *mut u32,
    surroundings: *const Surroundings,
) -> usize;

/// The facts outside of the wave's registers that a routine uses.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Surroundings {
    /// How many groups of lanes there are.
    pub groups: usize,
    /// The first byte of local memory.
    pub local: *const u8,
    /// Bytes of local memory.
    pub local_bytes: u32,
}

impl Surroundings {
    /// Without local memory.
    pub fn of_groups(groups: usize) -> Surroundings {
        Surroundings {
            groups,
            local: std::ptr::null(),
            local_bytes: 0,
        }
    }
}

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
