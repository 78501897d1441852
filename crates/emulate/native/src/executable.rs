//! Memory for code.

use std::{io, ptr::NonNull};

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

use crate::Entry;

/// Position-independent code, with the constants that it reads in front.
#[derive(Clone, Debug)]
pub struct Routine {
    pub(crate) bytes: Vec<u8>,
    /// Offset of the first instruction.
    pub(crate) start: usize,
}

impl Routine {
    /// The instructions, without the constants.
    pub fn code(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

/// Routines that can be called. The memory is written first and made executable then; it is never both.
#[derive(Debug)]
pub struct Executable {
    memory: NonNull<u8>,
    bytes: usize,
    /// Offset of each routine's first instruction.
    starts: Vec<usize>,
}

// SAFETY: the memory is only read and executed from its creation to its end, and it belongs to no thread.
unsafe impl Send for Executable {}
// SAFETY: as above.
unsafe impl Sync for Executable {}

/// Constants are loaded as whole vectors.
const ALIGNMENT: usize = 64;

impl Executable {
    /// Puts `routines` into memory of their own. An error is the host's: it has no memory, or does not let the process execute it.
    pub fn new(routines: &[Routine]) -> io::Result<Executable> {
        let mut bytes = Vec::new();
        let mut starts = Vec::new();
        for routine in routines {
            bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
            starts.push(bytes.len() + routine.start);
            bytes.extend_from_slice(&routine.bytes);
        }
        let size = bytes.len().max(1);
        // SAFETY: the kernel chooses the place of a new mapping, so no other memory changes.
        let memory = unsafe {
            mmap_anonymous(
                std::ptr::null_mut(),
                size,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE,
            )?
        };
        let memory = NonNull::new(memory.cast::<u8>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let executable = Executable {
            memory,
            bytes: size,
            starts,
        };
        // SAFETY: the mapping is new, has at least as many bytes, and is writable.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory.as_ptr(), bytes.len()) };
        // SAFETY: the mapping belongs to `executable`, and no reference leads into it.
        unsafe {
            mprotect(
                memory.as_ptr().cast(),
                size,
                MprotectFlags::READ | MprotectFlags::EXEC,
            )?;
        }
        Ok(executable)
    }

    /// Routine `index`. The function may be called as long as `self` lives.
    pub fn entry(&self, index: usize) -> Entry {
        // SAFETY: the offset lies inside the mapping, and the first instruction of a function of this type is there.
        unsafe {
            let start = self.memory.as_ptr().add(self.starts[index]);
            std::mem::transmute::<*mut u8, Entry>(start)
        }
    }

    /// The instruction `offset` bytes behind the first one of routine `index`, as long as `self` lives.
    pub fn address(&self, index: usize, offset: usize) -> *const u8 {
        let at = self.starts[index] + offset;
        assert!(at < self.bytes, "inside the mapping");
        // SAFETY: the offset lies inside the mapping.
        unsafe { self.memory.as_ptr().add(at) }
    }

    /// Routine `index`, which is that of a loop. The function may be called as long as `self` lives.
    #[cfg(target_arch = "x86_64")]
    pub fn loop_entry(&self, index: usize) -> crate::LoopEntry {
        // SAFETY: the address lies inside the mapping, and the first instruction of a function of this type is there.
        unsafe { std::mem::transmute::<*const u8, crate::LoopEntry>(self.address(index, 0)) }
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        // SAFETY: the mapping belongs to `self`, and callers of entries promise that it outlives the calls. If the kernel refuses, it stays.
        let _ = unsafe { munmap(self.memory.as_ptr().cast(), self.bytes) };
    }
}
