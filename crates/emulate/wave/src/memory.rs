//! The emulated device's memory as a wave sees it: host addresses, checked against the allocations that exist.
//!
//! GPU virtual addresses are host virtual addresses, but for [`ALIAS`]. Every access is checked against an [`AddressSpace`] (with a small
//! cache of the ranges hit last), then done through raw pointers. Other threads and the host program share this memory, so the engine
//! never forms references to it. Atomics are host atomics.

use std::ptr;

use crate::{allocator::Allocator, order::Stores};
use vectors::element::{read_element, write_element};

/// Set in the addresses under which the device also reaches the application's own registered memory.
///
/// The range has two names, as behind the real driver: the host's address and the one with this bit. HIP 5.2 keeps
/// both in one table and aborts on unregistering if they are equal. No host address has the bit, and it is below the
/// apertures.
pub const ALIAS: u64 = 1 << 47;

/// The host's address of the memory that the device calls `address`.
#[inline(always)]
pub const fn host_address(address: u64) -> u64 {
    address & !ALIAS
}

/// One accessible allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub start: u64,
    /// First address behind it.
    pub end: u64,
    pub writable: bool,
}

/// The authority on which addresses exist.
pub trait AddressSpace: Send + Sync {
    /// Changes whenever a range went away or shrank.
    fn generation(&self) -> u64;
    /// The range that contains `address`.
    fn find(&self, address: u64) -> Option<Range>;
    /// The range that contains `address` if there can be code: all of it can be read.
    fn find_code(&self, address: u64) -> Option<Range> {
        self.find(address)
    }
    /// The range that contains `address`, for code of the kernels' allocator.
    fn find_in_allocator(&self, address: u64) -> Option<Range> {
        self.find(address)
    }
    /// The keeper of accounts of memory that kernels allocate themselves.
    fn allocator(&self) -> Option<&dyn Allocator> {
        None
    }
    /// True if `address` lies in fine-grained memory of the host, which the device reaches through its link, and
    /// for which addresses around it that is true as well. `None`: nothing is known about it. Spaces without a host have no
    /// such memory.
    fn link(&self, address: u64) -> Option<(Range, bool)> {
        self.find(address).map(|range| (range, false))
    }
}

/// The fault of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// No allocation at this address.
    NotMapped,
    /// The host took the memory away, or rights to it, while the device was allowed to use it.
    Withdrawn,
    ReadOnly,
    /// Atomic or scalar access whose address is not a multiple of its size.
    Unaligned,
    /// LDS access outside the workgroup's allocation through a FLAT instruction.
    LdsOutOfRange,
    /// Scratch access beyond the private segment.
    ScratchOutOfRange,
    /// A call that frees memory of no block, or of one that was freed before.
    WrongFree,
}

/// A refused memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind:?} at {address:#x} ({bytes} bytes, lane {lane})")]
pub struct Fault {
    pub kind: FaultKind,
    pub address: u64,
    pub bytes: u32,
    /// First lane that faulted; 0 for scalar accesses.
    pub lane: u32,
}

/// Instructions whose accesses are looked ahead for; more of them share places.
const REMEMBERED: usize = 16;
/// An access is prepared so many steps before it comes: one step of a short loop is over before the host's memory has answered.
const STEPS: u64 = 4;
/// Ranges remembered: kernel arguments, dispatch packet and scratch take three, the rest are for buffers.
const CACHED: usize = 8;

/// A thread's view of an address space.
pub struct Memory<'a> {
    space: &'a dyn AddressSpace,
    generation: u64,
    /// Most recently used first. Empty ranges never match.
    cache: [Range; CACHED],
    /// The last address of each instruction's access.
    last: [u64; REMEMBERED],
    /// See [`Memory::usual_accesses`].
    usual: u64,
    /// The range that was last asked about, and whether it is remote.
    link: (Range, bool),
    stores: Stores,
    /// Memory that kernels allocate is accounted for.
    has_allocator: bool,
    /// The code of their allocator is executed.
    in_allocator: bool,
}

impl std::fmt::Debug for Memory<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Memory")
            .field("cache", &self.cache)
            .finish_non_exhaustive()
    }
}

const EMPTY: Range = Range {
    start: 1,
    end: 0,
    writable: false,
};

/// Calls `visit` for each of the host's lines from the device's `address` on.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn each_line(address: u64, bytes: usize, visit: impl Fn(*const i8)) {
    let first = ptr::without_provenance::<i8>(host_address(address) as usize);
    let mut at = 0;
    while at < bytes {
        visit(first.wrapping_add(at));
        at += 64;
    }
}

/// The `N` words at `address` of the device.
///
/// # Safety
/// They are mapped; races with the host are those of the emulated program.
#[inline(always)]
unsafe fn read_words_at<const N: usize>(address: u64) -> [u32; N] {
    let pointer = ptr::with_exposed_provenance_mut::<u8>(host_address(address) as usize);
    // SAFETY: the caller's promise.
    unsafe {
        match N {
            2 => read_element::<N>(pointer),
            _ => ptr::read_unaligned(pointer.cast::<[u32; N]>()),
        }
    }
}

impl<'a> Memory<'a> {
    pub fn new(space: &'a dyn AddressSpace) -> Memory<'a> {
        Memory {
            space,
            generation: space.generation(),
            cache: [EMPTY; CACHED],
            last: [0; REMEMBERED],
            usual: 0,
            link: (EMPTY, false),
            stores: Stores::default(),
            has_allocator: space.allocator().is_some(),
            in_allocator: false,
        }
    }

    /// Lets all threads see what was stored before the next load.
    #[inline(always)]
    pub(crate) fn settle_stores(&mut self) {
        self.stores.settle();
    }

    /// Returns `true` if `address`, the device's or the host's, lies in fine-grained memory of the host.
    #[inline(always)]
    pub(crate) fn is_remote(&mut self, address: u64) -> bool {
        let (range, remote) = self.link;
        if address >= range.start && address < range.end {
            return remote;
        }
        self.ask_remote(address)
    }

    #[cold]
    #[inline(never)]
    fn ask_remote(&mut self, address: u64) -> bool {
        self.space.link(address).is_some_and(|link| {
            self.link = link;
            link.1
        })
    }

    /// Returns `true` if one range, none of it fine-grained memory of the host, has all addresses from `first` to `last`.
    #[inline(always)]
    pub(crate) fn is_local(&mut self, first: u64, last: u64) -> bool {
        !self.is_remote(first) && first >= self.link.0.start && last < self.link.0.end
    }

    /// Asks the host to have the `bytes` ready that a load, known by `key`, will want [`STEPS`] steps later if it goes on as it does.
    /// Kernels step through memory in strides that the host's own look-ahead does not see, and nothing else hides their
    /// latency.
    #[inline(always)]
    pub(crate) fn look_ahead(&mut self, key: usize, address: u64, bytes: usize) {
        let next = self.expected(key, address);
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a hint; it may name any address.
            each_line(next, bytes, |line| unsafe {
                _mm_prefetch::<_MM_HINT_T0>(line);
            });
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (next, bytes);
    }

    /// Does the same for a store on a host with AVX-512. A store waits until its core owns the line, and later stores wait behind it.
    #[cfg(all(target_arch = "x86_64", wide))]
    #[inline(always)]
    pub(crate) fn look_ahead_to_store(&mut self, key: usize, address: u64, bytes: usize) {
        let next = self.expected(key, address);
        // SAFETY: a hint; it may name any address. Hosts with AVX-512 have the instruction.
        each_line(next, bytes, |line| unsafe {
            std::arch::asm!("prefetchw [{}]", in(reg) line.addr(), options(nostack, nomem, preserves_flags));
        });
    }

    /// The address that the access known by `key`, which is at `address` now, has [`STEPS`] steps later, if it steps on as it did.
    #[inline(always)]
    fn expected(&mut self, key: usize, address: u64) -> u64 {
        let last = &mut self.last[key % REMEMBERED];
        let step = address.wrapping_sub(*last);
        *last = address;
        address.wrapping_add(step.wrapping_mul(STEPS))
    }

    /// Checks that `first..=last` lies in one range. `None`: it does not, or is not writable as asked.
    #[inline(always)]
    pub(crate) fn covers(&mut self, first: u64, last: u64, write: bool) -> bool {
        self.stores.note(write);
        let range = self.cache[0];
        if first >= range.start && last < range.end && (range.writable || !write) && first <= last {
            return true;
        }
        self.covers_slow(first, last, write)
    }

    /// The range among those hit last that holds `address`: its first address, and the last address at which `bytes`
    /// bytes still fit. `None` also if these are not below 2^63.
    #[inline(always)]
    pub(crate) fn window(&mut self, address: u64, bytes: u32, write: bool) -> Option<(u64, u64)> {
        self.stores.note(write);
        for range in &self.cache {
            if address >= range.start && address < range.end && (range.writable || !write) {
                let last = range.end.checked_sub(u64::from(bytes))?;
                return (range.end >> 63 == 0 && last >= range.start)
                    .then_some((range.start, last));
            }
        }
        None
    }

    /// Like [`Memory::covers`], for accesses that go back and forth between ranges: the cache keeps its order.
    #[inline(always)]
    pub(crate) fn allows(&mut self, first: u64, last: u64, write: bool) -> bool {
        self.remembers(first, last, write) || self.covers_slow(first, last, write)
    }

    /// A wave's dwords go the usual way, because they are no one piece of memory or nothing is known about it.
    #[cfg(all(target_arch = "x86_64", wide))]
    pub(crate) fn goes_usual_way(&mut self) {
        self.usual += 1;
    }

    /// How often instructions with a quick way for one piece of memory went the usual way, where the host has the quick one.
    #[doc(hidden)]
    pub fn usual_accesses(&self) -> u64 {
        self.usual
    }

    /// [`Memory::allows`] without a question to the address space: `false` if a range would have to be found first. A caller with another
    /// way then makes no call, which would take registers of the host.
    #[inline(always)]
    pub(crate) fn remembers(&mut self, first: u64, last: u64, write: bool) -> bool {
        self.stores.note(write);
        let mut index = 0;
        while index < CACHED {
            let range = &self.cache[index];
            if first >= range.start && last < range.end && (range.writable | !write) {
                return first <= last;
            }
            index += 1;
        }
        false
    }

    /// [`Memory::read_words`] from the range that was hit last, in the same way.
    #[inline(always)]
    pub(crate) fn read_near<const N: usize>(&mut self, address: u64) -> Option<[u32; N]> {
        let range = self.cache[0];
        let last = address.wrapping_add(4 * N as u64 - 1);
        if address < range.start || last >= range.end || address > last {
            return None;
        }
        // SAFETY: the range check says that all bytes are mapped.
        Some(unsafe { read_words_at(address) })
    }

    #[cold]
    #[inline(never)]
    fn covers_slow(&mut self, first: u64, last: u64, write: bool) -> bool {
        if first > last {
            return false;
        }
        for index in 1..CACHED {
            let range = self.cache[index];
            if first >= range.start && last < range.end && (range.writable || !write) {
                // Code that goes back and forth between ranges comes here often, and to keep their order would take longer.
                self.cache.swap(0, index);
                return true;
            }
        }
        let Some(mut range) = self.find(first) else {
            return false;
        };
        // Neighbouring allocations may be accessed in one go: they are adjacent host memory.
        while last >= range.end {
            match self.find(range.end) {
                Some(next) => {
                    range = Range {
                        start: range.start,
                        end: next.end,
                        writable: range.writable && next.writable,
                    }
                }
                None => return false,
            }
        }
        if write && !range.writable {
            return false;
        }
        self.cache.copy_within(0..CACHED - 1, 1);
        self.cache[0] = range;
        true
    }

    #[inline]
    fn find(&self, address: u64) -> Option<Range> {
        match self.in_allocator {
            true => self.space.find_in_allocator(address),
            false => self.space.find(address),
        }
    }

    /// Returns `true` if memory that kernels allocate is accounted for.
    #[inline(always)]
    pub(crate) fn has_allocator(&self) -> bool {
        self.has_allocator
    }

    pub(crate) fn allocator(&self) -> Option<&'a dyn Allocator> {
        self.space.allocator()
    }

    /// From now on, code of the kernels' allocator is executed, or other code.
    #[inline(always)]
    pub fn be_in_allocator(&mut self, is_in: bool) {
        if self.in_allocator != is_in {
            self.in_allocator = is_in;
            self.cache = [EMPTY; CACHED];
        }
    }

    /// Drops cached ranges if any range has gone away since; called once per time slice and at every wave start.
    pub fn refresh(&mut self) {
        let generation = self.space.generation();
        if generation != self.generation {
            self.generation = generation;
            self.cache = [EMPTY; CACHED];
            self.link = (EMPTY, false);
        }
    }

    /// A pointer to `bytes` accessible bytes at `address`.
    #[inline(always)]
    pub(crate) fn pointer(
        &mut self,
        address: u64,
        bytes: u32,
        write: bool,
        lane: u32,
    ) -> Result<*mut u8, Fault> {
        if self.covers(address, address.wrapping_add(u64::from(bytes) - 1), write) {
            return Ok(ptr::with_exposed_provenance_mut(
                host_address(address) as usize
            ));
        }
        Err(self.fault(address, bytes, write, lane))
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn fault(&self, address: u64, bytes: u32, write: bool, lane: u32) -> Fault {
        let kind = match self.find(address) {
            Some(range) if write && !range.writable => FaultKind::ReadOnly,
            _ => FaultKind::NotMapped,
        };
        Fault {
            kind,
            address,
            bytes,
            lane,
        }
    }

    /// Reads `N` words at any alignment.
    #[inline(always)]
    pub(crate) fn read_words<const N: usize>(
        &mut self,
        address: u64,
        lane: u32,
    ) -> Result<[u32; N], Fault> {
        self.pointer(address, 4 * N as u32, false, lane)?;
        // SAFETY: the range check says that all bytes are mapped.
        Ok(unsafe { read_words_at(address) })
    }

    /// Reads `N` bytes, 1 or 2.
    pub(crate) fn read_bytes<const N: usize>(
        &mut self,
        address: u64,
        lane: u32,
    ) -> Result<[u8; N], Fault> {
        let pointer = self.pointer(address, N as u32, false, lane)?;
        // SAFETY: as in `read_words`.
        Ok(unsafe { ptr::read_unaligned(pointer.cast::<[u8; N]>()) })
    }

    #[inline(always)]
    pub(crate) fn write_words<const N: usize>(
        &mut self,
        address: u64,
        words: [u32; N],
        lane: u32,
    ) -> Result<(), Fault> {
        let pointer = self.pointer(address, 4 * N as u32, true, lane)?;
        // SAFETY: as in `read_words`, and the range is writable.
        unsafe { write_element(pointer, words) };
        Ok(())
    }

    /// Copies up to `limit` bytes of code at `address`, less if the allocation ends earlier.
    pub fn read_code(&mut self, address: u64, limit: usize) -> Vec<u8> {
        let Some(range) = self.space.find_code(address) else {
            return Vec::new();
        };
        let available = ((range.end - address) as usize).min(limit);
        let mut code = vec![0; available];
        // SAFETY: the range is mapped up to `range.end`.
        unsafe {
            ptr::copy_nonoverlapping(
                ptr::with_exposed_provenance(host_address(address) as usize),
                code.as_mut_ptr(),
                available,
            );
        }
        code
    }
}
