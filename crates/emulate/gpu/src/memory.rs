//! The device's address space: which addresses a shader may touch, and what lies there.
//!
//! Device addresses are host addresses, except that registered user memory has a second name with [`ALIAS`] set. The map
//! therefore never translates; it answers "is this address mine, how far
//! does its range go, may it be written" for bounds checks, and "what is this pointer" for the runtime. Memory comes from
//! anonymous mappings without reservation, so memory that is never touched costs nothing.

use std::{
    collections::BTreeMap,
    fs::File,
    os::fd::{AsRawFd, FromRawFd, RawFd},
    os::unix::fs::FileExt,
    sync::{
        Mutex, OnceLock, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use crate::{Fill, guard::guarded, svm};

mod closed;
mod copies;
mod exact;
mod pageable;
mod placed;
mod reach;
mod unmapped;

pub use closed::Closing;
pub use copies::Copies;
pub use pageable::{LookUp, Mapping, Pages};
pub use placed::Placement;
pub use reach::View;
pub use wave::{Allocator, HeapCall};

/// Host page size, the granule of every allocation.
pub const PAGE: u64 = 4096;
/// Allocations of at least this size are aligned to it, as the kernel driver does for its large page-table entries.
const LARGE_PAGE: u64 = 2 << 20;
/// Allocations of this size and more are rather pools of which little is touched; the host gives them small pages.
const SPARSE: u64 = 1 << 30;

pub use wave::{ALIAS, AddressSpace, Range, host_address};

/// How a range of addresses became known to the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Allocated by the runtime.
    Allocated,
    /// The application's own memory, registered for device access.
    User,
    /// Another process's allocation.
    Imported,
}

/// Answer to a pointer query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerInfo {
    pub kind: Kind,
    pub node: u32,
    pub flags: u32,
    /// Address on the host.
    pub base: u64,
    /// Address on the device.
    pub device_base: u64,
    pub size: u64,
    /// Nodes the range is mapped to; interned, so it lives as long as the process.
    pub mapped_nodes: &'static [u32],
    pub user_data: u64,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// A size of zero, or one that does not fit the address space.
    #[error("allocation of {size} bytes is not possible")]
    BadSize { size: u64 },
    /// The node's memory is used up.
    #[error("{size} bytes requested, {free} left on node {node}")]
    NoDeviceMemory { size: u64, free: u64, node: u32 },
    /// The host refused the mapping.
    #[error("the host cannot map {size} bytes")]
    NoHostMemory { size: u64 },
    /// Something else is where memory was to be recreated.
    #[error(
        "{size} bytes at {address:#x} are in use in this process: run it again, it starts elsewhere each time"
    )]
    Occupied { address: u64, size: u64 },
    /// No range begins at, or contains, the address.
    #[error("no range at {address:#x}")]
    UnknownAddress { address: u64 },
}

/// Addresses that the device may use, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    pub start: u64,
    pub end: u64,
    pub origin: ExtentOrigin,
    pub writable: bool,
}

/// The source of an [`Extent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtentOrigin {
    Allocated,
    /// By [`Memory::register_user`].
    Registered,
    /// By [`Memory::share`].
    Shared,
}

/// An allocation to make.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub node: u32,
    /// Bytes; rounded up to pages.
    pub size: u64,
    /// The caller's flags, kept for pointer queries.
    pub flags: u32,
    pub writable: bool,
    /// Counts against the node's memory.
    pub device_local: bool,
    /// Fine-grained memory of the host.
    pub remote: bool,
}

struct Region {
    end: u64,
    /// First address that the device may not use: the end, or earlier where memory is exact.
    limit: u64,
    /// Freed as far as the device is concerned.
    retired: bool,
    kind: Kind,
    node: u32,
    flags: u32,
    writable: bool,
    device_local: bool,
    remote: bool,
    /// Nodes that it was mapped to, in the order of mapping.
    mapped_nodes: &'static [u32],
    /// Nodes reach it without having it mapped: nothing has been said of mappings yet.
    everywhere: bool,
    /// Times mapped (user memory only).
    mappings: u32,
    user_data: u64,
    /// Bytes as the caller stated them.
    size: u64,
    /// Times registered (user memory only).
    count: u32,
    /// The file behind the region, if other processes can map it too.
    file: Option<File>,
    backing: Backing,
}

/// The owner of the mapping behind a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Backing {
    /// Ours, with a page behind it.
    Own,
    /// Ours, in one of [`Map::adopted`], and unmapped with it.
    Adopted,
    /// Ours, on addresses that the runtime has reserved.
    Placed,
    /// The application's or the runtime's.
    Foreign,
}

impl Region {
    /// Writable memory of the host of which nothing further is known; `size` is what the caller stated.
    fn new(kind: Kind, end: u64, size: u64) -> Region {
        Region {
            end,
            limit: end,
            retired: false,
            kind,
            node: 0,
            flags: 0,
            writable: true,
            device_local: false,
            remote: false,
            mapped_nodes: &[],
            everywhere: true,
            mappings: 0,
            user_data: 0,
            size,
            count: 0,
            file: None,
            backing: Backing::Own,
        }
    }
}

#[derive(Default)]
struct Map {
    allocations: BTreeMap<u64, Region>,
    user: BTreeMap<u64, Region>,
    /// Start to end of ranges given to the device by the shared-virtual-memory calls.
    shared: BTreeMap<u64, u64>,
    /// The attributes that those calls have set.
    attributes: svm::Ranges,
    node_lists: Vec<&'static [u32]>,
    /// Addresses and sizes of what [`Memory::adopt`] mapped.
    adopted: Vec<(u64, u64)>,
    closed: closed::Closed,
    /// Bytes used per node.
    used: BTreeMap<u32, u64>,
}

/// All ranges of one process.
pub struct Memory {
    map: RwLock<Map>,
    generation: AtomicU64,
    /// Bytes of local memory each node has; missing: unlimited.
    limits: BTreeMap<u32, u64>,
    /// Registered memory ends with its last byte, and not with its last page.
    exact: AtomicBool,
    /// Devices reach all memory of the program.
    pageable: AtomicBool,
    mappings: OnceLock<LookUp>,
    /// Pages of the program that devices have reached, while a recording watches them.
    watched: Mutex<Option<Pages>>,
    fill: OnceLock<Fill>,
    /// Allocations that were filled.
    filled: AtomicU64,
    notes: unmapped::Notes,
    /// Keeps account of the memory that kernels allocate.
    allocator: OnceLock<Box<dyn wave::Allocator>>,
    copies: OnceLock<std::sync::Arc<dyn Copies>>,
}

/// Bytes of a fresh allocation that are filled at most: programs reserve more than they use.
const MOST_FILLED: u64 = 1 << 30;

/// Checks that ranges that `find` knows cover all of `address..address + size`. The error is the first address that they do not cover.
fn span(
    address: u64,
    size: u64,
    write: bool,
    find: impl Fn(u64) -> Option<Range>,
) -> Result<(), u64> {
    let end = address.checked_add(size).ok_or(address)?;
    let mut at = address;
    while at < end {
        match find(at) {
            Some(range) if range.writable || !write => at = range.end,
            _ => return Err(at),
        }
    }
    Ok(())
}

impl Memory {
    /// `limits`: bytes of device-local memory per node.
    pub fn new(limits: BTreeMap<u32, u64>) -> Memory {
        Memory {
            map: RwLock::default(),
            generation: AtomicU64::new(1),
            limits,
            exact: AtomicBool::new(false),
            pageable: AtomicBool::new(false),
            mappings: OnceLock::new(),
            watched: Mutex::default(),
            fill: OnceLock::new(),
            filled: AtomicU64::new(0),
            notes: unmapped::Notes::default(),
            allocator: OnceLock::new(),
            copies: OnceLock::new(),
        }
    }

    /// Sets the contents of waves' registers, LDS, scratch and device memory before they are written. Called once, before there is any.
    pub fn fill_with(&self, fill: Fill) {
        let _ = self.fill.set(fill);
    }

    pub fn fill(&self) -> Fill {
        self.fill.get().copied().unwrap_or_default()
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Map> {
        self.map.read().unwrap_or_else(|poison| poison.into_inner())
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, Map> {
        self.map
            .write()
            .unwrap_or_else(|poison| poison.into_inner())
    }

    /// Maps fresh memory and returns its address: zeroed if it is the host's, else as [`Memory::fill_with`] said.
    pub fn allocate(&self, request: Request) -> Result<u64, MemoryError> {
        let bad_size = MemoryError::BadSize { size: request.size };
        if request.size == 0 || request.size > 1 << 46 {
            return Err(bad_size);
        }
        let size = request.size.next_multiple_of(PAGE);
        let mut map = self.write();
        if request.device_local {
            self.account(&mut map, request.node, size)?;
        }
        let Some(start) = map_pages(size) else {
            if request.device_local {
                map.release(request.node, size);
            }
            return Err(MemoryError::NoHostMemory { size });
        };
        let fill = self.fill();
        if request.device_local && !fill.is_zero() {
            let length = size.min(MOST_FILLED) as usize;
            // SAFETY: `map_pages` has just mapped `size` writable bytes there. They are in no map yet, so no other thread uses them.
            let bytes = unsafe {
                std::slice::from_raw_parts_mut(
                    std::ptr::with_exposed_provenance_mut::<u8>(start as usize),
                    length,
                )
            };
            let number = self.filled.fetch_add(1, Ordering::Relaxed);
            fill.bytes(number, bytes);
        }
        map.allocations.insert(
            start,
            Region {
                node: request.node,
                flags: request.flags,
                writable: request.writable,
                device_local: request.device_local,
                remote: request.remote,
                ..Region::new(Kind::Allocated, start + size, size)
            },
        );
        self.grown();
        Ok(start)
    }

    /// Counts `size` bytes against the node's memory, if there are as many.
    fn account(&self, map: &mut Map, node: u32, size: u64) -> Result<(), MemoryError> {
        let used = map.used.entry(node).or_default();
        let free = self
            .limits
            .get(&node)
            .map_or(u64::MAX, |limit| limit.saturating_sub(*used));
        if size > free {
            return Err(MemoryError::NoDeviceMemory { size, free, node });
        }
        *used += size;
        Ok(())
    }

    /// Everything that the device may use.
    pub fn extents(&self) -> Vec<Extent> {
        let map = self.read();
        let of = |regions: &BTreeMap<u64, Region>, origin| -> Vec<Extent> {
            let regions = regions.iter();
            regions
                .map(|(&start, region)| Extent {
                    start,
                    end: region.end,
                    origin,
                    writable: region.writable,
                })
                .collect()
        };
        let mut extents = of(&map.allocations, ExtentOrigin::Allocated);
        extents.extend(of(&map.user, ExtentOrigin::Registered));
        extents.extend(map.shared.iter().map(|(&start, &end)| Extent {
            start,
            end,
            origin: ExtentOrigin::Shared,
            writable: true,
        }));
        extents
    }

    /// Recreates what [`Memory::extents`] said in another process: zeroed memory at the same addresses. Pages that something
    /// else here occupies are an error.
    pub fn adopt(&self, extents: &[Extent]) -> Result<(), MemoryError> {
        let pages = |extent: &Extent| {
            (
                extent.start & !(PAGE - 1),
                extent.end.next_multiple_of(PAGE),
            )
        };
        let mut spans: Vec<(u64, u64)> = extents.iter().map(pages).collect();
        spans.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for (start, end) in spans {
            match joined.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => joined.push((start, end)),
            }
        }
        for (start, end) in joined {
            if !map_fixed(start, end - start) {
                return Err(MemoryError::Occupied {
                    address: start,
                    size: end - start,
                });
            }
            self.write().adopted.push((start, end - start));
        }
        for extent in extents {
            let size = extent.end - extent.start;
            match extent.origin {
                ExtentOrigin::Registered => {
                    self.register_user(extent.start, size, 0, false)?;
                }
                ExtentOrigin::Shared => self
                    .share(extent.start, size, &[svm::COARSE_GRAINED])
                    .expect("a known attribute"),
                ExtentOrigin::Allocated => {
                    let region = Region {
                        writable: extent.writable,
                        backing: Backing::Adopted,
                        ..Region::new(Kind::Allocated, extent.end, size)
                    };
                    self.write().allocations.insert(extent.start, region);
                }
            }
        }
        Ok(())
    }

    /// Unmaps the allocation that begins at `address`.
    pub fn free(&self, address: u64) -> Result<(), MemoryError> {
        let mut map = self.write();
        let region = map
            .allocations
            .remove(&address)
            .ok_or(MemoryError::UnknownAddress { address })?;
        if region.device_local {
            map.release(region.node, region.end - address);
        }
        map.closed.open(address, region.end);
        self.generation.fetch_add(1, Ordering::SeqCst);
        if region.backing == Backing::Own {
            unmap_pages(address, region.end - address);
        }
        Ok(())
    }

    /// Makes the allocation that begins at `address` one that other processes can import, and returns the file in memory that
    /// holds it, and its descriptor for as long as the allocation lives. No kernel may write to the allocation meanwhile.
    pub fn export(&self, address: u64) -> Result<(RawFd, File), MemoryError> {
        let mut map = self.write();
        let region = map
            .allocations
            .get_mut(&address)
            .ok_or(MemoryError::UnknownAddress { address })?;
        let size = region.end - address;
        let refused = MemoryError::NoHostMemory { size };
        if region.file.is_none() {
            region.file = move_to_file(address, size);
        }
        let Some(file) = &region.file else {
            return Err(refused);
        };
        let copy = file.try_clone().map_err(|_| refused)?;
        Ok((file.as_raw_fd(), copy))
    }

    /// Maps what another process has exported; returns its address here. [`Memory::free`] unmaps it.
    pub fn import(&self, file: File, node: u32, size: u64) -> Result<u64, MemoryError> {
        if size == 0 || !size.is_multiple_of(PAGE) {
            return Err(MemoryError::BadSize { size });
        }
        let mut map = self.write();
        let start = map_pages(size).ok_or(MemoryError::NoHostMemory { size })?;
        if !map_file(start, size, &file) {
            unmap_pages(start, size);
            return Err(MemoryError::NoHostMemory { size });
        }
        map.allocations.insert(
            start,
            Region {
                node,
                file: Some(file),
                ..Region::new(Kind::Imported, start + size, size)
            },
        );
        self.grown();
        Ok(start)
    }

    /// Bytes of device-local memory left on `node`.
    pub fn available(&self, node: u32) -> u64 {
        let used = self.read().used.get(&node).copied().unwrap_or(0);
        self.limits
            .get(&node)
            .map_or(0, |limit| limit.saturating_sub(used))
    }

    /// Lets the device reach the application's own memory. The device sees whole pages. `remote`: as fine-grained memory.
    pub fn register_user(
        &self,
        address: u64,
        size: u64,
        flags: u32,
        remote: bool,
    ) -> Result<(), MemoryError> {
        let end = address
            .checked_add(size)
            .filter(|_| size != 0)
            .ok_or(MemoryError::BadSize { size })?;
        let mut map = self.write();
        let region = map.user.entry(address).or_insert(Region {
            flags,
            remote,
            ..Region::new(Kind::User, end, size)
        });
        region.count += 1;
        if end > region.end {
            region.end = end;
            region.limit = end;
            region.size = size;
        }
        self.grown();
        Ok(())
    }

    /// Undoes one [`Memory::register_user`].
    pub fn deregister_user(&self, address: u64) -> Result<(), MemoryError> {
        let mut map = self.write();
        let region = map
            .user
            .get_mut(&address)
            .ok_or(MemoryError::UnknownAddress { address })?;
        region.count -= 1;
        if region.count == 0 {
            let end = region.end;
            map.user.remove(&address);
            map.closed
                .open(address & !(PAGE - 1), end.next_multiple_of(PAGE));
            self.generation.fetch_add(1, Ordering::SeqCst);
        }
        Ok(())
    }

    /// Lets every device reach `address..address + size` of ordinary memory (managed memory), about which `attributes` say
    /// something: kinds and values.
    pub fn share(
        &self,
        address: u64,
        size: u64,
        attributes: &[(u32, u32)],
    ) -> Result<(), svm::UnknownKind> {
        let (mut start, mut end) = (address, address.saturating_add(size));
        self.settle();
        let map = &mut *self.write();
        map.attributes.set(start, end, attributes)?;
        // Threads remember what is fine-grained.
        self.generation.fetch_add(1, Ordering::SeqCst);
        let shared = &mut map.shared;
        let touching: Vec<u64> = shared
            .range(..=end)
            .rev()
            .take_while(|(_, e)| **e >= start)
            .map(|(s, _)| *s)
            .collect();
        for key in touching {
            start = start.min(key);
            end = end.max(shared.remove(&key).unwrap_or(end));
        }
        shared.insert(start, end);
        Ok(())
    }

    /// Answers `questions` about the attributes of `address..address + size`, in place.
    pub fn attributes(
        &self,
        address: u64,
        size: u64,
        questions: &mut [(u32, u32)],
    ) -> Result<(), svm::UnknownKind> {
        let end = address.saturating_add(size);
        let pageable = self.is_pageable();
        self.settle();
        self.read()
            .attributes
            .get(address, end, pageable, questions)
    }

    /// Returns `true` if [`Memory::share`] covers `address`.
    pub fn is_shared(&self, address: u64) -> bool {
        self.settle();
        self.read()
            .shared
            .range(..=address)
            .next_back()
            .is_some_and(|(_, end)| address < *end)
    }

    /// Attaches a value to the range containing `address`.
    pub fn set_user_data(&self, address: u64, user_data: u64) -> Result<(), MemoryError> {
        let mut map = self.write();
        map.region_mut(address)
            .ok_or(MemoryError::UnknownAddress { address })?
            .1
            .user_data = user_data;
        Ok(())
    }

    /// Returns `true` if the memory at `address` belongs to a device.
    pub fn is_device_local(&self, address: u64) -> bool {
        let map = self.read();
        let found = map.region(host_address(address));
        found.is_some_and(|(_, region)| region.device_local)
    }

    /// The kind and extent of the range that contains `address`.
    pub fn query(&self, address: u64) -> Option<PointerInfo> {
        let map = self.read();
        let (base, region) = map.region(host_address(address))?;
        let alias = if region.kind == Kind::User { ALIAS } else { 0 };
        if address & ALIAS & !alias != 0 {
            return None;
        }
        Some(PointerInfo {
            device_base: base | alias,
            kind: region.kind,
            node: region.node,
            flags: region.flags,
            base,
            size: region.size,
            mapped_nodes: region.mapped_nodes,
            user_data: region.user_data,
        })
    }

    /// One line on what is around `address`, for fault messages.
    pub fn describe(&self, address: u64) -> String {
        let mapping = self.describe_mapping(address);
        let near = self.describe_near(address);
        let said: Vec<String> = mapping.into_iter().chain(near).collect();
        match said.is_empty() {
            true => "no allocation near".to_owned(),
            false => said.join(", "),
        }
    }

    /// The block around or next to `address`.
    fn describe_near(&self, address: u64) -> Option<String> {
        let map = self.read();
        if let Some((base, region)) = map.region(address)
            && (address < region.limit || region.retired)
        {
            if region.retired {
                let bytes = region.limit - base;
                return Some(format!(
                    "inside {bytes} bytes at {base:#x} that have been freed"
                ));
            }
            if region.limit != region.end {
                let (before, size) = (region.limit - address, region.limit - base);
                return Some(format!(
                    "{before} bytes before the end of {size} bytes at {base:#x}"
                ));
            }
            let size = region.end - base;
            return Some(format!("inside a range of {size} bytes at {base:#x}"));
        }
        let host = host_address(address);
        if let Some((start, region)) = map.user.range(..=host).next_back()
            && host.wrapping_sub(region.end) < PAGE
        {
            return Some(format!(
                "{} bytes past the end of {} registered bytes at {start:#x}",
                host - region.end,
                region.end - start
            ));
        }
        let below = map.allocations.range(..=address).next_back();
        let above = map.allocations.range(address..).next();
        match (below, above) {
            (Some((start, region)), _) if address.wrapping_sub(region.limit) < 1 << 20 => {
                Some(format!(
                    "{} bytes past the end of {} bytes at {start:#x}",
                    address - region.limit,
                    region.limit - start
                ))
            }
            (_, Some((start, region))) if start - address < 1 << 20 => Some(format!(
                "{} bytes before {} bytes at {start:#x}",
                start - address,
                region.end - start
            )),
            _ => None,
        }
    }

    /// Copies bytes out of device-accessible memory; the error is the first address that is not.
    pub fn read_bytes(&self, address: u64, bytes: &mut [u8]) -> Result<(), u64> {
        let size = bytes.len() as u64;
        if let Err(unknown) = self.covers(address, size, false) {
            self.reaches(unknown, address + size - unknown, false)?;
        }
        // Part of what programs gave to the device they may have unmapped since.
        let copy = |bytes: &mut &mut [u8]| {
            // SAFETY: the range was mapped when the device was given it, or the copy ends with a fault. The bytes may change under
            // the copy, which leaves `bytes` mixed but valid.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    host_address(address) as *const u8,
                    bytes.as_mut_ptr(),
                    bytes.len(),
                )
            }
        };
        let mut bytes = bytes;
        guarded(&mut bytes, copy).map_err(|fault| fault.address)
    }

    /// Copies `bytes` into device memory; the error is the first address that is not writable.
    pub fn write_bytes(&self, address: u64, bytes: &[u8]) -> Result<(), u64> {
        self.covers(address, bytes.len() as u64, true)?;
        let copy = |bytes: &mut &[u8]| {
            // SAFETY: as in `read_bytes`, and the range is writable.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    bytes.as_ptr(),
                    host_address(address) as *mut u8,
                    bytes.len(),
                )
            }
        };
        let mut bytes = bytes;
        guarded(&mut bytes, copy).map_err(|fault| fault.address)
    }

    /// True if all of `address..address + size` was allocated for devices or given to them, and may be accessed.
    pub fn covers(&self, address: u64, size: u64, write: bool) -> Result<(), u64> {
        span(address, size, write, |at| self.known(at))
    }

    /// The range that was allocated for devices, or given to them, around `address`.
    fn known(&self, address: u64) -> Option<Range> {
        self.known_to(None, address)
    }

    /// Like [`Memory::known`], for the memory that this node reaches; None stands for the host.
    fn known_to(&self, node: Option<u32>, address: u64) -> Option<Range> {
        self.settle();
        let map = self.read();
        let exact = self.is_exact();
        if address & ALIAS != 0 {
            return map
                .find_user(host_address(address), exact, node)
                .map(|range| Range {
                    start: range.start | ALIAS,
                    end: range.end | ALIAS,
                    ..range
                });
        }
        if let Some((range, region)) = map.find_allocation(address) {
            return region.is_reached_by(node).then_some(range);
        }
        map.find_shared(address, node, self.is_pageable())
            .or_else(|| map.find_user(address, exact, node))
    }
}

impl Map {
    /// Gives memory of a node back.
    fn release(&mut self, node: u32, size: u64) {
        if let Some(used) = self.used.get_mut(&node) {
            *used = used.saturating_sub(size);
        }
    }

    fn region(&self, address: u64) -> Option<(u64, &Region)> {
        if let Some((start, region)) = self.allocations.range(..=address).next_back()
            && address < region.end
        {
            return Some((*start, region));
        }
        self.user
            .range(..=address)
            .rev()
            .find(|(_, region)| address < region.end)
            .map(|(start, region)| (*start, region))
    }

    fn region_mut(&mut self, address: u64) -> Option<(u64, &mut Region)> {
        if let Some((start, region)) = self.allocations.range_mut(..=address).next_back()
            && address < region.end
        {
            return Some((*start, region));
        }
        let found = self
            .user
            .range_mut(..=address)
            .rev()
            .find(|(_, region)| address < region.end);
        found.map(|(start, region)| (*start, region))
    }
}

impl Map {
    fn find_allocation(&self, address: u64) -> Option<(Range, &Region)> {
        let (&start, region) = self.allocations.range(..=address).next_back()?;
        let range = Range {
            start,
            end: region.limit,
            writable: region.writable,
        };
        (address < region.limit && !region.retired).then_some((range, region))
    }

    /// The registered pages around `address`.
    fn find_user(&self, address: u64, exact: bool, node: Option<u32>) -> Option<Range> {
        // A user range is reached through whole pages: the last candidate below may begin after `address`.
        let limit = address | (PAGE - 1);
        let below = self.user.range(..=limit).rev();
        let mut reached = below.filter(|(_, region)| region.is_reached_by(node));
        reached.find_map(|(start, region)| {
            let (start, end) = match exact {
                true => (*start, region.end),
                false => (start & !(PAGE - 1), region.end.next_multiple_of(PAGE)),
            };
            (start <= address && address < end).then_some(Range {
                start,
                end,
                writable: true,
            })
        })
    }
}

impl AddressSpace for Memory {
    fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    fn find(&self, address: u64) -> Option<Range> {
        match self.known(address) {
            None if self.is_pageable() => self.unknown(address),
            known => known,
        }
    }

    fn find_code(&self, address: u64) -> Option<Range> {
        self.known(address)
    }

    fn link(&self, address: u64) -> Option<(Range, bool)> {
        let map = self.read();
        if let Some((range, region)) = map.find_allocation(address) {
            return Some((range, region.remote));
        }
        // Exactly, not by pages: what lies beside it need not be the device's.
        let (host, alias) = (host_address(address), address & ALIAS);
        let mut before = map.user.range(..=host).rev();
        if let Some((start, region)) = before.find(|(_, region)| host < region.end) {
            let range = Range {
                start: start | alias,
                end: region.end | alias,
                writable: true,
            };
            return Some((range, region.remote));
        }
        match map.attributes.coherence(address) {
            // Memory without attributes is as coherent as managed memory.
            None if self.is_pageable() => Some((map.between(address)?, true)),
            said => said,
        }
    }
}

impl Drop for Memory {
    /// Unmaps the mappings that this map owns alone. Mappings on addresses of the runtime stay: it unmaps them itself.
    fn drop(&mut self) {
        let map = self
            .map
            .get_mut()
            .unwrap_or_else(|poison| poison.into_inner());
        for (&start, region) in &map.allocations {
            if region.backing == Backing::Own {
                unmap_pages(start, region.end - start);
            }
        }
        for &(start, size) in &map.adopted {
            // SAFETY: `adopt` mapped these pages where nothing was, and they have not been unmapped since.
            unsafe { libc::munmap(start as *mut libc::c_void, size as usize) };
        }
    }
}

/// Reserves `size` bytes with an inaccessible page behind, so that no two allocations touch and running off the end of one
/// is seen as a fault.
fn map_pages(size: u64) -> Option<u64> {
    let align = if size >= LARGE_PAGE { LARGE_PAGE } else { PAGE };
    let reserve = size.checked_add(PAGE)?.checked_add(align)?;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a fresh anonymous mapping at an address of the kernel's choice disturbs nothing.
    let base = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            reserve as usize,
            libc::PROT_NONE,
            flags,
            -1,
            0,
        )
    };
    if base == libc::MAP_FAILED {
        return None;
    }
    let base = base as u64;
    let start = base.next_multiple_of(align);
    let (behind, end) = (start + size + PAGE, base + reserve);
    // SAFETY: all three ranges lie inside the mapping made above, whose address no other code knows yet.
    unsafe {
        if start > base {
            libc::munmap(base as *mut libc::c_void, (start - base) as usize);
        }
        if end > behind {
            libc::munmap(behind as *mut libc::c_void, (end - behind) as usize);
        }
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        if libc::mprotect(start as *mut libc::c_void, size as usize, protection) != 0 {
            libc::munmap(start as *mut libc::c_void, (size + PAGE) as usize);
            return None;
        }
    }
    prefer_large_pages(start, size);
    Some(start)
}

/// Kernels walk over buffers with a stride per wave, which misses the processor's table of small pages. Only a wish: what was
/// never touched still takes no memory.
fn prefer_large_pages(start: u64, size: u64) {
    if (LARGE_PAGE..SPARSE).contains(&size) {
        // SAFETY: the call gives advice about a mapping that this function made, and does not change its contents.
        unsafe {
            libc::madvise(
                start as *mut libc::c_void,
                size as usize,
                libc::MADV_HUGEPAGE,
            )
        };
    }
}

/// A file in memory of so many zeros.
pub fn new_file(size: u64) -> Option<File> {
    // SAFETY: the name is a terminated string.
    let descriptor =
        unsafe { libc::memfd_create(c"luthier-device-memory".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return None;
    }
    // SAFETY: the descriptor was just made, and no other value owns it.
    let file = unsafe { File::from_raw_fd(descriptor) };
    file.set_len(size).ok()?;
    Some(file)
}

/// Puts a file in memory under an allocation, with what is there now.
fn move_to_file(start: u64, size: u64) -> Option<File> {
    const CHUNK: usize = 1 << 16;
    let file = new_file(size)?;
    let mut chunk = [0; CHUNK];
    for offset in (0..size).step_by(CHUNK) {
        let bytes = &mut chunk[..CHUNK.min((size - offset) as usize)];
        // SAFETY: the caller's range is an allocation of this map, and the map is locked while it is read.
        unsafe {
            std::ptr::copy_nonoverlapping(
                (start + offset) as *const u8,
                bytes.as_mut_ptr(),
                bytes.len(),
            );
        }
        // Pages that were never written take no memory in the file either.
        if bytes.iter().any(|&byte| byte != 0) {
            file.write_all_at(bytes, offset).ok()?;
        }
    }
    map_file(start, size, &file).then_some(file)
}

/// Maps `file` over pages of an allocation.
fn map_file(start: u64, size: u64, file: &File) -> bool {
    // SAFETY: the range is an allocation of this map. The new pages are as long and allow the same accesses.
    let mapped = unsafe {
        libc::mmap(
            start as *mut libc::c_void,
            size as usize,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_NORESERVE | libc::MAP_FIXED,
            file.as_raw_fd(),
            0,
        )
    };
    mapped != libc::MAP_FAILED
}

/// Zeroed memory at just these addresses; false if there is something already.
fn map_fixed(start: u64, size: u64) -> bool {
    let flags =
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: the flag makes the call fail rather than replace anything that is mapped.
    let mapped = unsafe {
        libc::mmap(
            start as *mut libc::c_void,
            size as usize,
            libc::PROT_READ | libc::PROT_WRITE,
            flags,
            -1,
            0,
        )
    };
    mapped as u64 == start
}

fn unmap_pages(start: u64, size: u64) {
    // SAFETY: called once per mapping of `map_pages`, with its size, after it has left the map.
    unsafe { libc::munmap(start as *mut libc::c_void, (size + PAGE) as usize) };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memory of the first GPU's own that it may write.
    pub(super) fn request(size: u64) -> Request {
        Request {
            node: 1,
            size,
            flags: 0x20c1,
            writable: true,
            device_local: true,
            remote: false,
        }
    }

    #[test]
    fn what_is_exported_is_one_memory_with_what_is_imported() {
        let memory = || Memory::new(BTreeMap::new());
        let (here, there) = (memory(), memory());
        let size = 5 * PAGE;
        let base = here.allocate(request(size)).unwrap();
        here.write_bytes(base + 3 * PAGE, b"before").unwrap();
        let (descriptor, file) = here.export(base).unwrap();
        assert_eq!(here.export(base).unwrap().0, descriptor);
        let copy = there.import(file, 1, size).unwrap();
        assert_eq!(there.query(copy + 7).unwrap().kind, Kind::Imported);
        let mut seen = [0; 6];
        there.read_bytes(copy + 3 * PAGE, &mut seen).unwrap();
        assert_eq!(&seen, b"before");
        there.write_bytes(copy, b"behind").unwrap();
        here.read_bytes(base, &mut seen).unwrap();
        assert_eq!(&seen, b"behind");
        here.free(base).unwrap();
        there.read_bytes(copy, &mut seen).unwrap();
        assert_eq!(&seen, b"behind");
        there.free(copy).unwrap();
        let gone = here.export(base).unwrap_err();
        assert_eq!(gone, MemoryError::UnknownAddress { address: base });
    }

    #[test]
    fn untouched_memory_costs_nothing_and_large_memory_is_aligned() {
        let memory = Memory::new(BTreeMap::from([(1, 64 << 30)]));
        let resident = || {
            let text = std::fs::read_to_string("/proc/self/statm").unwrap();
            text.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * PAGE
        };
        let before = resident();
        let address = memory.allocate(request(32 << 30)).unwrap();
        assert_eq!(address % LARGE_PAGE, 0);
        assert!(resident() < before + (8 << 20));
        memory.free(address).unwrap();
    }

    #[test]
    fn a_node_runs_out_and_recovers() {
        let memory = Memory::new(BTreeMap::from([(1, 16 * PAGE)]));
        let address = memory.allocate(request(10 * PAGE)).unwrap();
        let full = MemoryError::NoDeviceMemory {
            size: 7 * PAGE,
            free: 6 * PAGE,
            node: 1,
        };
        assert_eq!(memory.allocate(request(7 * PAGE)), Err(full));
        memory.free(address).unwrap();
        assert_eq!(memory.available(1), 16 * PAGE);
        assert_eq!(
            memory.free(address),
            Err(MemoryError::UnknownAddress { address })
        );
        assert_eq!(
            memory.allocate(request(0)),
            Err(MemoryError::BadSize { size: 0 })
        );
    }

    #[test]
    fn ranges_are_found_and_forgotten() {
        let memory = Memory::new(BTreeMap::new());
        let address = memory
            .allocate(Request {
                device_local: false,
                remote: false,
                ..request(100)
            })
            .unwrap();
        let generation = memory.generation();
        let range = Range {
            start: address,
            end: address + PAGE,
            writable: true,
        };
        assert_eq!(memory.find(address + 99), Some(range));
        assert_eq!(memory.find(address + PAGE), None);
        assert_eq!(memory.find(address | ALIAS), None);
        assert_eq!(memory.query(address | ALIAS), None);
        assert_eq!(memory.covers(address, PAGE, true), Ok(()));
        assert_eq!(memory.covers(address, PAGE + 1, true), Err(address + PAGE));
        memory.free(address).unwrap();
        assert_ne!(memory.generation(), generation);
        assert_eq!(memory.find(address), None);
    }

    #[test]
    fn user_memory_is_known_exactly_but_reached_by_pages() {
        let memory = Memory::new(BTreeMap::new());
        memory.register_user(0x10_0123, 0x2000, 7, true).unwrap();
        memory.map_to_nodes(0x10_0123, &[1, 2]).unwrap();
        memory.set_user_data(0x10_0200, 99).unwrap();
        let info = memory.query(0x10_1000).unwrap();
        assert_eq!(
            (info.kind, info.base, info.size, info.flags),
            (Kind::User, 0x10_0123, 0x2000, 7)
        );
        assert_eq!((info.mapped_nodes, info.user_data), (&[1, 2][..], 99));
        assert_eq!(memory.query(0x10_0000), None);
        assert_eq!(info.device_base, 0x10_0123 | ALIAS);
        assert_eq!(memory.query(0x10_1000 | ALIAS), Some(info));
        assert_eq!(memory.covers(0x10_0000 | ALIAS, 0x3000, true), Ok(()));
        assert_eq!(memory.find(0x10_3000 | ALIAS), None);
        assert_eq!(
            memory.find(0x10_0000),
            Some(Range {
                start: 0x10_0000,
                end: 0x10_3000,
                writable: true
            })
        );
        memory.register_user(0x10_0123, 0x2000, 7, true).unwrap();
        memory.deregister_user(0x10_0123).unwrap();
        assert!(memory.find(0x10_0000).is_some());
        memory.deregister_user(0x10_0123).unwrap();
        assert!(memory.find(0x10_0000).is_none());
    }

    #[test]
    fn memory_is_recreated_where_it_was() {
        // Between the heap and where the kernel puts mappings.
        let address = 0x2000_0000_0000;
        let extent = |start, size, origin| Extent {
            start,
            end: start + size,
            origin,
            writable: true,
        };
        let extents = [
            extent(address, 3 * PAGE, ExtentOrigin::Allocated),
            extent(address + 0x10_0010, 0x20, ExtentOrigin::Registered),
        ];
        let memory = Memory::new(BTreeMap::new());
        memory.adopt(&extents).unwrap();
        assert_eq!(memory.extents(), extents);
        memory.write_bytes(address + PAGE, &[1, 2, 3]).unwrap();
        let mut bytes = [9; 4];
        memory.read_bytes(address + PAGE, &mut bytes).unwrap();
        assert_eq!(bytes, [1, 2, 3, 0]);
        let registered = (address + 0x10_0000) | ALIAS;
        assert_eq!(memory.covers(registered, PAGE, true), Ok(()));
        let occupied = MemoryError::Occupied {
            address,
            size: 3 * PAGE,
        };
        let other = Memory::new(BTreeMap::new());
        assert_eq!(other.adopt(&extents), Err(occupied));
    }

    #[test]
    fn what_is_dropped_leaves_its_addresses() {
        // Four of these do not fit into the address space together.
        const HUGE: u64 = 1 << 45;
        for _ in 0..8 {
            let memory = Memory::new(BTreeMap::new());
            memory.allocate(request(HUGE)).unwrap();
        }
        let extents = [Extent {
            start: 0x1200_0000_0000,
            end: 0x1200_0000_0000 + 3 * PAGE,
            origin: ExtentOrigin::Allocated,
            writable: true,
        }];
        for _ in 0..2 {
            let memory = Memory::new(BTreeMap::new());
            memory.adopt(&extents).unwrap();
            // Adopted pages go with all others that were adopted.
            memory.free(extents[0].start).unwrap();
        }
    }

    #[test]
    fn what_programs_took_away_of_their_memory_is_told() {
        crate::guard::install();
        let memory = Memory::new(BTreeMap::new());
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping.
        let pages = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                3 * PAGE as usize,
                rights,
                flags,
                -1,
                0,
            )
        };
        assert_ne!(pages, libc::MAP_FAILED);
        let address = pages as u64;
        memory.register_user(address, 3 * PAGE, 0, false).unwrap();
        let middle = address + PAGE;
        // SAFETY: the mapping is this test's own. (What is unmapped, another test's mapping may take the place of.)
        unsafe { libc::mprotect(middle as *mut _, PAGE as usize, libc::PROT_NONE) };
        let mut bytes = [1; 8];
        assert_eq!(memory.read_bytes(middle, &mut bytes), Err(middle));
        assert_eq!(memory.write_bytes(middle, &bytes), Err(middle));
        assert_eq!(memory.read_bytes(address, &mut bytes), Ok(()));
        assert_eq!(bytes, [0; 8]);
        // A search for a code object below a kernel comes across such pages.
        assert_eq!(crate::names::kernel_name(&memory, address + 2 * PAGE), None);
    }

    #[test]
    fn shared_ranges_merge() {
        let memory = Memory::new(BTreeMap::new());
        for (start, size) in [
            (0x1000, 0x1000),
            (0x5000, 0x1000),
            (0x2000, 0x1000),
            (0x2800, 0x3000),
        ] {
            memory.share(start, size, &[]).unwrap();
        }
        assert_eq!(
            memory.find(0x1000),
            Some(Range {
                start: 0x1000,
                end: 0x6000,
                writable: true
            })
        );
        assert!(!memory.is_shared(0x6000));
    }

    #[test]
    fn what_is_fine_grained() {
        let memory = Memory::new(BTreeMap::new());
        let remote = |address| memory.link(address).map(|(_, remote)| remote);
        memory.register_user(0x10_0123, 0x2000, 0, true).unwrap();
        memory.register_user(0x20_0000, 0x1000, 0, false).unwrap();
        assert_eq!(remote(0x10_1fff), Some(true));
        assert_eq!(remote(0x10_1fff | ALIAS), Some(true));
        assert_eq!(remote(0x10_2fff), None);
        assert_eq!(remote(0x20_0000), Some(false));
        assert_eq!(remote(0x30_0000), None);
        // Managed memory is, until its pages are said to be coarse-grained.
        memory.share(0x30_0000, 0x3000, &[]).unwrap();
        assert_eq!(remote(0x30_1000), Some(true));
        let generation = memory.generation();
        memory
            .share(0x30_1000, 0x1000, &[svm::COARSE_GRAINED])
            .unwrap();
        assert_ne!(memory.generation(), generation);
        let page = |start, remote| {
            let range = Range {
                start,
                end: start + 0x1000,
                writable: true,
            };
            Some((range, remote))
        };
        assert_eq!(memory.link(0x30_0fff), page(0x30_0000, true));
        assert_eq!(memory.link(0x30_1000), page(0x30_1000, false));
        assert_eq!(memory.link(0x30_2000), page(0x30_2000, true));
    }
}
