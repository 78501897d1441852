//! Memory that the program has asked HIP or HSA for.

use crate::{
    abi::{constants, structures::RawAllocation},
    host::{Result, api, check, list, text},
};

/// Memory that the program has asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Another one for each.
    pub number: u64,
    pub address: u64,
    /// In bytes.
    pub size: u64,
    /// One of `abi::constants::MEMORY_*`.
    pub kind: u32,
    pub freed: bool,
    /// The function of HIP or HSA that the program has called, or `module`.
    pub with: String,
    /// Name of a variable.
    pub name: Option<String>,
    /// Addresses of the host's code to which the calls return, innermost first.
    pub allocated_by: Vec<usize>,
    pub freed_by: Vec<usize>,
    /// Bytes of a row, and from one row to the next, of pitched memory.
    pub rows: Option<(u64, u64)>,
}

/// Where an address lies with respect to an allocation, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// From its first byte.
    Inside(u64),
    /// Behind its last byte; 0 is the byte that follows.
    Behind(u64),
    /// Before its first byte.
    Before(u64),
}

impl Allocation {
    /// # Safety
    /// Luthier's structure, and what it points to.
    pub(crate) unsafe fn read(raw: &RawAllocation) -> Allocation {
        // SAFETY: the caller's promise, for each of them.
        unsafe {
            Allocation {
                number: raw.number,
                address: raw.address,
                size: raw.size,
                kind: raw.kind,
                freed: raw.freed != 0,
                with: text(raw.with),
                name: (!raw.name.is_null()).then(|| text(raw.name)),
                allocated_by: list(raw.allocated_by, raw.allocated_by_count),
                freed_by: list(raw.freed_by, raw.freed_by_count),
                rows: (raw.pitch != 0).then_some((raw.row_bytes, raw.pitch)),
            }
        }
    }
}

/// The program's memory that an address lies in, or else the nearest within 1 MiB. Facts are kept if [`crate::Tool::MEMORY`] is true.
pub fn find_allocation(address: u64) -> Result<Option<(Allocation, Position)>> {
    // SAFETY: zero is a value of all members.
    let mut raw: RawAllocation = unsafe { std::mem::zeroed() };
    raw.struct_size = size_of::<RawAllocation>();
    let mut found = 0;
    // SAFETY: a structure of the size that it says, and a place for the answer.
    check(unsafe { (api()?.find_allocation)(address, &raw mut raw, &raw mut found) })?;
    if found == 0 {
        return Ok(None);
    }
    let position = match raw.position {
        constants::POSITION_BEHIND => Position::Behind(raw.distance),
        constants::POSITION_BEFORE => Position::Before(raw.distance),
        _ => Position::Inside(raw.distance),
    };
    // SAFETY: Luthier has just filled the structure; what it points to is valid until the next call on this thread.
    Ok(Some((unsafe { Allocation::read(&raw) }, position)))
}
