//! Handles and numbers that the runtime has been given: allocations by handle, buffer objects by number.

use std::{
    collections::BTreeMap,
    fs::File,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{Errno, Result};

/// The object behind a handle of the driver.
#[derive(Debug)]
pub enum What {
    /// Memory of the device at this address.
    Memory { address: u64 },
    /// Memory that has no address yet.
    Floating {
        file: File,
        /// Bytes that count as used on the node.
        claimed: u64,
    },
    /// The doorbells' pages at this address, which the runtime maps itself.
    Doorbells { address: u64 },
}

#[derive(Debug)]
pub struct Allocation {
    pub node: u32,
    /// The flags that were asked for, bits of [`kmt_sys::kfd::memory_flag`].
    pub flags: u32,
    pub what: What,
}

/// A buffer object of the render node: memory, and where it has been put.
#[derive(Debug)]
pub struct Buffer {
    /// The device whose it is.
    pub node: u32,
    pub file: File,
    pub size: u64,
    /// Bytes that count as used on the node.
    pub claimed: u64,
    /// The host's address of it and the number of callers that asked for it, if any did.
    pub mapped: Option<(u64, u32)>,
}

/// A part of a file that is the device's at an address, for as many buffer objects as have put it there.
#[derive(Debug)]
pub struct Placed {
    pub identity: (u64, u64),
    pub offset: u64,
    pub size: u64,
    pub count: u32,
}

#[derive(Debug, Default)]
pub struct Handles {
    allocations: BTreeMap<u64, Allocation>,
    pub buffers: BTreeMap<u32, Buffer>,
    pub placed: BTreeMap<u64, Placed>,
    next: u64,
}

/// Offsets for mapping allocations: apart from those of doorbells, and one for each handle.
const MMAP_BASE: u64 = 1 << 32;
const PAGE_SHIFT: u32 = 12;

impl Handles {
    /// Remembers an allocation; returns its handle.
    pub fn add(&mut self, allocation: Allocation) -> u64 {
        self.next += 1;
        let handle = u64::from(super::gpu_id(allocation.node)) << 32 | self.next & 0xffff_ffff;
        self.allocations.insert(handle, allocation);
        handle
    }

    pub fn get(&self, handle: u64) -> Result<&Allocation> {
        self.allocations.get(&handle).ok_or(Errno(libc::EINVAL))
    }

    pub fn remove(&mut self, handle: u64) -> Result<Allocation> {
        self.allocations.remove(&handle).ok_or(Errno(libc::EINVAL))
    }

    pub fn iter(&self) -> impl Iterator<Item = (u64, &Allocation)> {
        self.allocations
            .iter()
            .map(|(handle, allocation)| (*handle, allocation))
    }

    /// The allocation that is mapped at this offset of its render node.
    pub fn at_offset(&self, node: u32, offset: u64) -> Result<&Allocation> {
        let number = offset.checked_sub(MMAP_BASE).ok_or(Errno(libc::EINVAL))? >> PAGE_SHIFT;
        self.get(u64::from(super::gpu_id(node)) << 32 | number)
    }

    pub fn add_buffer(&mut self, buffer: Buffer) -> u32 {
        let last = self.buffers.keys().next_back().copied().unwrap_or(0);
        self.buffers.insert(last + 1, buffer);
        last + 1
    }

    pub fn buffer(&self, number: u32) -> Result<&Buffer> {
        self.buffers.get(&number).ok_or(Errno(libc::ENOENT))
    }

    pub fn buffer_mut(&mut self, number: u32) -> Result<&mut Buffer> {
        self.buffers.get_mut(&number).ok_or(Errno(libc::ENOENT))
    }
}

/// The offset at which a handle's memory is mapped.
pub fn mmap_offset(handle: u64) -> u64 {
    MMAP_BASE + ((handle & 0xffff_ffff) << PAGE_SHIFT)
}

impl What {
    /// Its address in the devices to which it is mapped.
    pub fn address(&self) -> Option<u64> {
        match self {
            What::Memory { address } | What::Doorbells { address } => Some(*address),
            What::Floating { .. } => None,
        }
    }
}

/// The handles of a process.
#[derive(Debug, Default)]
pub struct State(Mutex<Handles>);

impl State {
    pub fn lock(&self) -> MutexGuard<'_, Handles> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
