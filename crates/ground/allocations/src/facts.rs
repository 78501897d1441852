//! Facts about the program's memory.
//!
//! A *region* is what HSA has allocated. A *block* is what HIP has given to the program out of a region, or out of memory
//! that HSA knows nothing of. A region that HIP asked for to make blocks of is HIP's own: only its blocks count. Freed
//! memory is known until other memory is allocated in its place.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use guest::lock;

use crate::{
    callers::{Callers, callers},
    graphs,
};

/// An address that is further away has nothing to do with the allocation.
const NEAR: u64 = 1 << 20;
/// Freed allocations that are kept.
const MOST_FREED: usize = 1 << 16;

static WANTED: AtomicBool = AtomicBool::new(false);
static NEXT: AtomicU64 = AtomicU64::new(1);
static KNOWN: Mutex<Known> = Mutex::new(Known {
    regions: Table::new(),
    blocks: Table::new(),
    arrays: BTreeMap::new(),
    leaving: Vec::new(),
    reached: Vec::new(),
    constants: BTreeSet::new(),
    modules: BTreeMap::new(),
});
static LISTENERS: Mutex<Vec<Listener>> = Mutex::new(Vec::new());

thread_local! {
    /// The function of HIP that this thread is in, as the program has called it.
    static CALL: Cell<Option<&'static str>> = const { Cell::new(None) };
    /// The region that this call has asked HSA for, and its size.
    static ASKED: Cell<Option<(u64, u64)>> = const { Cell::new(None) };
}

/// Is told of what happens to memory, after it has happened and on the thread where it did.
pub type Listener = fn(&Event<'_>);

/// The memory that the program asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Of HSA.
    Hsa,
    /// Device memory from HIP.
    Device,
    /// Host memory that devices reach.
    Pinned,
    /// Memory that host and devices share.
    Managed,
    /// The program's own, which devices were allowed to reach.
    Registered,
    /// Device memory in the order of a stream.
    Stream,
    /// Rows with padding between them.
    Pitched,
    /// An array for texture units.
    Array,
    /// Physical memory at addresses that the program has reserved.
    Mapped,
    /// Another process's.
    Imported,
    /// Memory of a node of a graph.
    Node,
    /// A variable of a module.
    Variable,
    /// Memory of a kernel, by `malloc` or `new`.
    Heap,
}

impl Kind {
    /// All kinds; a kind's number is its place.
    pub const ALL: [Kind; 13] = [
        Kind::Hsa,
        Kind::Device,
        Kind::Pinned,
        Kind::Managed,
        Kind::Registered,
        Kind::Stream,
        Kind::Pitched,
        Kind::Array,
        Kind::Mapped,
        Kind::Imported,
        Kind::Node,
        Kind::Variable,
        Kind::Heap,
    ];

    /// As reports name it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Hsa => "hsa",
            Kind::Device => "device",
            Kind::Pinned => "pinned",
            Kind::Managed => "managed",
            Kind::Registered => "registered",
            Kind::Stream => "stream-ordered",
            Kind::Pitched => "pitched",
            Kind::Array => "array",
            Kind::Mapped => "mapped",
            Kind::Imported => "imported",
            Kind::Node => "graph-node",
            Kind::Variable => "variable",
            Kind::Heap => "heap",
        }
    }

    /// Returns `true` if HIP divides a larger region for it, or takes memory that is no region.
    fn is_divided(self) -> bool {
        !matches!(
            self,
            Kind::Hsa | Kind::Device | Kind::Pinned | Kind::Pitched | Kind::Array
        )
    }
}

/// Rows of pitched memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Bytes of a row that the program asked for.
    pub width: u64,
    /// Bytes from one row to the next.
    pub pitch: u64,
    pub count: u64,
}

impl Rows {
    /// Where the padding of each row begins and ends, from the first byte of the first row on.
    pub fn paddings(self) -> impl Iterator<Item = (u64, u64)> {
        let rows = (0..self.count).map(move |row| row * self.pitch);
        rows.map(move |row| (row + self.width, row + self.pitch))
    }
}

/// Memory that the program has asked for.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// Another number for each.
    pub id: u64,
    pub base: u64,
    pub size: u64,
    pub kind: Kind,
    /// The function of HSA or HIP that the program has called.
    pub by: &'static str,
    pub rows: Option<Rows>,
    /// The name of a variable; other blocks have none.
    pub name: Option<String>,
    pub allocated: Callers,
    pub freed: Option<Callers>,
}

/// The position of an address with respect to an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// Inside: the bytes from its start.
    Inside(u64),
    /// Behind it: the bytes from its last byte on.
    Behind(u64),
    /// Before it: the bytes up to its first byte.
    Before(u64),
}

impl Position {
    fn distance(self) -> u64 {
        match self {
            Position::Inside(_) => 0,
            Position::Behind(bytes) | Position::Before(bytes) => bytes,
        }
    }
}

impl Allocation {
    /// The address behind its last byte.
    pub fn end(&self) -> u64 {
        self.base.saturating_add(self.size)
    }

    fn position(&self, address: u64) -> Position {
        match address {
            before if before < self.base => Position::Before(self.base - before),
            behind if behind >= self.end() => Position::Behind(behind - self.end()),
            inside => Position::Inside(inside - self.base),
        }
    }

    /// The distance from the end of the row to an address in its padding.
    pub fn behind_row(&self, address: u64) -> Option<u64> {
        let rows = self.rows?;
        let at = address.checked_sub(self.base)?.checked_rem(rows.pitch)?;
        at.checked_sub(rows.width)
    }
}

/// An event in the life of memory.
#[derive(Debug)]
pub enum Event<'a> {
    Allocated(&'a Allocation),
    Freed(&'a Allocation),
    /// The host has written the memory, by a function of HIP: it need not have asked the device for it.
    Written {
        base: u64,
        size: u64,
    },
    /// A function of HIP has written memory that it does not name by address and size.
    WrittenAnywhere,
    /// The host has got a copy of device memory, and HIP has waited for it.
    Read {
        /// First bytes and sizes.
        rows: &'a [(u64, u64)],
        by: &'static str,
        callers: Callers,
    },
    /// The program frees what it may not free: an address in the middle, memory that was freed before, or memory that
    /// another function frees.
    WrongFree {
        address: u64,
        by: &'static str,
        allocation: &'a Allocation,
        callers: Callers,
    },
    /// HIP has given back all memory of a device, or is about to as it likes.
    Reset,
}

/// Allocations by their first byte.
pub(crate) struct Table {
    by_base: BTreeMap<u64, Entry>,
    freed: usize,
}

pub(crate) struct Entry {
    pub(crate) allocation: Allocation,
    /// HIP makes blocks of it.
    pub(crate) divided: bool,
}

pub(crate) struct Known {
    pub(crate) regions: Table,
    pub(crate) blocks: Table,
    /// Arrays by what HIP calls them; nothing is freed by the address of an array's memory.
    pub(crate) arrays: BTreeMap<u64, Allocation>,
    /// Blocks that are freed when their stream gets there.
    leaving: Vec<Allocation>,
    /// Blocks that their stream has come to before the call that frees them has returned.
    reached: Vec<u64>,
    /// Names of variables that only the host writes.
    constants: BTreeSet<String>,
    /// Modules by their first byte.
    pub(crate) modules: BTreeMap<u64, crate::modules::Loaded>,
}

impl Table {
    const fn new() -> Table {
        Table {
            by_base: BTreeMap::new(),
            freed: 0,
        }
    }

    fn insert(&mut self, entry: Entry) {
        let base = entry.allocation.base;
        self.forget_in(base, entry.allocation.end());
        self.by_base.insert(base, entry);
    }

    /// Forgets what was between these addresses, or reached in there: something else has taken the place.
    fn forget_in(&mut self, base: u64, end: u64) {
        let first = self.by_base.range(..=base).next_back();
        let from = first.map_or(base, |(start, _)| *start);
        let gone = self.by_base.range(from..end.max(base + 1));
        let gone: Vec<u64> = gone
            .filter(|(_, other)| other.allocation.end() > base)
            .map(|(start, _)| *start)
            .collect();
        for start in gone {
            self.forget(start);
        }
    }

    fn forget(&mut self, base: u64) {
        let gone = self.by_base.remove(&base);
        self.freed -= usize::from(gone.is_some_and(|one| one.allocation.freed.is_some()));
    }

    /// Marks what begins there as freed; what it was, if it lived.
    pub(crate) fn free(&mut self, base: u64, callers: Callers) -> Option<Allocation> {
        let entry = self.by_base.get_mut(&base)?;
        if entry.allocation.freed.is_some() {
            return None;
        }
        entry.allocation.freed = Some(callers);
        let freed = entry.allocation.clone();
        self.freed += 1;
        if self.freed > MOST_FREED {
            let mut all = self.by_base.iter();
            let first = all.find(|(_, one)| one.allocation.freed.is_some());
            let first = first.map(|(base, _)| *base);
            first.into_iter().for_each(|base| self.forget(base));
        }
        Some(freed)
    }

    /// The allocation at or before the address, and the one behind it.
    fn around(&self, address: u64) -> impl Iterator<Item = &Allocation> {
        let below = self.by_base.range(..=address).next_back();
        let above = self.by_base.range(address..).next();
        let both = [below, above].into_iter().flatten();
        both.filter(|(_, one)| !one.divided)
            .map(|(_, one)| &one.allocation)
    }

    pub(crate) fn containing(&self, address: u64) -> Option<&Entry> {
        let (_, below) = self.by_base.range(..=address).next_back()?;
        (address < below.allocation.end()).then_some(below)
    }
}

/// From now on facts are kept, and the listener is told of them.
pub fn keep(listener: Option<Listener>) {
    lock(&LISTENERS).extend(listener);
    WANTED.store(true, Ordering::Relaxed);
}

/// Returns `true` if facts are kept.
pub fn are_kept() -> bool {
    WANTED.load(Ordering::Relaxed)
}

pub(crate) fn known() -> MutexGuard<'static, Known> {
    lock(&KNOWN)
}

/// Tells listeners; the caller holds no lock of this crate.
pub(crate) fn tell(event: &Event<'_>) {
    let all = lock(&LISTENERS).clone();
    all.iter().for_each(|listener| listener(event));
}

/// A call of HIP by the program, for as long as it lasts. `None`: it is one of HIP's own.
pub(crate) struct Call;

impl Call {
    pub(crate) fn begin(function: &'static str) -> Option<Call> {
        if !are_kept() || CALL.get().is_some() {
            return None;
        }
        CALL.set(Some(function));
        ASKED.set(None);
        Some(Call)
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        CALL.set(None);
    }
}

pub(crate) fn new(base: u64, size: u64, kind: Kind, by: &'static str) -> Allocation {
    Allocation {
        id: NEXT.fetch_add(1, Ordering::Relaxed),
        base,
        size,
        kind,
        by,
        rows: None,
        name: None,
        allocated: callers(),
        freed: None,
    }
}

/// An entry of HSA has allocated memory.
pub fn region_allocated(base: u64, size: u64, by: &'static str) {
    if !are_kept() {
        return;
    }
    let allocation = new(base, size, Kind::Hsa, by);
    let told = CALL.get().is_none().then(|| allocation.clone());
    ASKED.set(Some((base, size)));
    let mut known = known();
    known.blocks.forget_in(base, allocation.end());
    known.regions.insert(Entry {
        allocation,
        divided: false,
    });
    drop(known);
    told.iter().for_each(|one| tell(&Event::Allocated(one)));
}

/// The last region that HSA was asked for in this call of HIP.
pub(crate) fn region_of_call() -> Option<(u64, u64)> {
    ASKED.get()
}

/// An entry of HSA has freed memory.
pub fn region_freed(base: u64) {
    if !are_kept() {
        return;
    }
    let callers = callers();
    let freed = known().regions.free(base, callers);
    // A call of HIP tells of it itself.
    if let Some(freed) = freed
        && CALL.get().is_none()
    {
        tell(&Event::Freed(&freed));
    }
}

/// A function of HIP has given memory to the program.
pub(crate) fn given(base: u64, size: u64, kind: Kind, by: &'static str, rows: Option<Rows>) {
    if base == 0 || size == 0 {
        return;
    }
    let allocation = Allocation {
        rows,
        ..new(base, size, kind, by)
    };
    give(allocation);
}

/// HIP has made a variable that host and devices share.
pub(crate) fn shared_variable(base: u64, size: u64, by: &'static str, name: &str) {
    if base != 0 && size != 0 {
        give(Allocation {
            name: Some(name.to_owned()),
            ..new(base, size, Kind::Managed, by)
        });
    }
}

/// A kernel has allocated memory itself.
pub fn heap_allocated(base: u64, size: u64) {
    if are_kept() && size != 0 {
        give(Allocation {
            allocated: Callers::new(),
            ..new(base, size, Kind::Heap, "malloc in a kernel")
        });
    }
}

/// A kernel frees a block. False: no kernel has allocated one that begins there and lives.
pub fn heap_freed(base: u64) -> bool {
    let mut known = known();
    let block = known.blocks.containing(base);
    let is_right = block.is_some_and(|entry| {
        let one = &entry.allocation;
        one.kind == Kind::Heap && one.base == base && one.freed.is_none()
    });
    let freed = match is_right {
        true => known.blocks.free(base, Callers::new()),
        false => None,
    };
    // Listeners ask for facts themselves.
    drop(known);
    freed.iter().for_each(|one| tell(&Event::Freed(one)));
    is_right
}

/// The host has written memory.
pub(crate) fn written(base: u64, size: u64) {
    if size != 0 {
        if graphs::are_recorded() {
            graphs::writes(base, size);
        }
        tell(&Event::Written { base, size });
    }
}

/// A function of HIP has written memory.
pub(crate) fn written_anywhere() {
    if graphs::are_recorded() {
        graphs::writes_anywhere();
    }
    tell(&Event::WrittenAnywhere);
}

/// The program has copied memory by `hipMemcpy`, of a kind that it named.
pub(crate) fn copied(to: u64, from: u64, size: u64, kind: i32) {
    if comes_from_host(from, kind) {
        written(to, size);
    }
}

/// Returns `true` if a copy of this kind comes from the host. Copies between devices' memory are the device's work.
pub(crate) fn comes_from_host(from: u64, kind: i32) -> bool {
    const HOST_TO_DEVICE: i32 = 1;
    kind == HOST_TO_DEVICE || kind == TO_BE_FOUND_OUT && !is_of_device(from)
}

/// `hipMemcpyDefault`.
const TO_BE_FOUND_OUT: i32 = 4;

fn is_of_device(address: u64) -> bool {
    nearest(address).is_some_and(|(one, position)| {
        let kinds = [Kind::Device, Kind::Stream, Kind::Pitched];
        matches!(position, Position::Inside(_)) && kinds.contains(&one.kind)
    })
}

/// The program has copied rows, and HIP has waited for it. `to` is one place that was written.
pub(crate) fn has_read(to: u64, rows: &[(u64, u64)], kind: i32, by: &'static str) {
    const DEVICE_TO_HOST: i32 = 2;
    let found_out = || {
        let of_device = |row: &(u64, u64)| is_of_device(row.0);
        !is_of_device(to) && rows.first().is_some_and(of_device)
    };
    if kind == DEVICE_TO_HOST || kind == TO_BE_FOUND_OUT && found_out() {
        let callers = callers();
        tell(&Event::Read { rows, by, callers });
    }
}

fn give(allocation: Allocation) {
    let (base, kind) = (allocation.base, allocation.kind);
    let mut known = known();
    let around = known.regions.containing(base);
    let around = around.map(|entry| (entry.allocation.base, entry.allocation.size));
    match around {
        Some((start, _)) if start == base && !kind.is_divided() => {
            known.regions.insert(Entry {
                allocation: allocation.clone(),
                divided: false,
            });
        }
        _ => {
            if let Some((start, _)) = around
                && let Some(region) = known.regions.by_base.get_mut(&start)
            {
                region.divided = true;
            }
            known.blocks.insert(Entry {
                allocation: allocation.clone(),
                divided: false,
            });
        }
    }
    drop(known);
    tell(&Event::Allocated(&allocation));
}

/// The program has said that only the host writes its variable of this name.
pub(crate) fn constant(name: &str) {
    known().constants.insert(name.to_owned());
}

/// Returns `true` if the program has said so.
pub fn is_constant(name: &str) -> bool {
    known().constants.contains(name)
}

/// A variable of a module was loaded.
pub fn variable(base: u64, size: u64, name: &str) {
    if !are_kept() {
        return;
    }
    let allocation = Allocation {
        name: Some(name.to_owned()),
        allocated: Callers::new(),
        ..new(base, size, Kind::Variable, "module")
    };
    known().blocks.insert(Entry {
        allocation: allocation.clone(),
        divided: false,
    });
    tell(&Event::Allocated(&allocation));
}

thread_local! {
    /// The number of the region that this thread's call of HIP is about to free, or 0.
    static LEAVING: Cell<u64> = const { Cell::new(0) };
}

/// A function of HIP is about to free what begins there. Afterwards another thread may have got the address.
pub(crate) fn about_to_leave(base: u64) {
    let known = known();
    let region = known
        .regions
        .by_base
        .get(&base)
        .map(|entry| &entry.allocation);
    let living = region.filter(|one| one.freed.is_none());
    LEAVING.set(living.map_or(0, |one| one.id));
}

/// A function of HIP has freed what begins there.
pub(crate) fn taken(base: u64) {
    let leaving = LEAVING.take();
    let callers = callers();
    let mut known = known();
    let block = known.blocks.free(base, callers.clone());
    let region = known.regions.by_base.get(&base);
    let region = region.filter(|entry| !entry.divided);
    let mut region = region.map(|entry| entry.allocation.clone());
    // HSA's entry was told already, if it was called. HIP keeps memory that a texture is of.
    match &region {
        Some(one) if one.freed.is_none() && one.id == leaving => {
            region = known.regions.free(base, callers);
        }
        Some(one) if one.freed.is_none() => region = None,
        _ => {}
    }
    drop(known);
    if let Some(freed) = block.or(region) {
        tell(&Event::Freed(&freed));
    }
}

/// The number of the block that lives at this address.
pub(crate) fn living_at(base: u64) -> Option<u64> {
    let known = known();
    let one = &known.blocks.by_base.get(&base)?.allocation;
    one.freed.is_none().then_some(one.id)
}

/// The block that begins there is freed in the order of a stream.
pub(crate) fn leaves(base: u64) {
    let callers = callers();
    let mut known = known();
    let Some(leaving) = known.blocks.free(base, callers) else {
        return;
    };
    let reached = known.reached.iter().position(|id| *id == leaving.id);
    let gone = match reached {
        Some(at) => {
            known.reached.swap_remove(at);
            Some(leaving)
        }
        None => {
            known.leaving.push(leaving);
            None
        }
    };
    drop(known);
    gone.iter().for_each(|one| tell(&Event::Freed(one)));
}

/// The stream has come to where this block is freed.
pub(crate) fn left(id: u64) {
    let mut known = known();
    let at = known.leaving.iter().position(|one| one.id == id);
    let gone = at.map(|at| known.leaving.swap_remove(at));
    if gone.is_none() {
        known.reached.push(id);
    }
    drop(known);
    gone.iter().for_each(|one| tell(&Event::Freed(one)));
}

/// Blocks that live, or that their streams still use, between these addresses.
pub fn living(start: u64, end: u64) -> Vec<(u64, u64)> {
    let known = known();
    // No block before the last one below reaches further.
    let first = known.blocks.by_base.range(..=start).next_back();
    let from = first.map_or(start, |(base, _)| *base);
    let blocks = known.blocks.by_base.range(from..end);
    let blocks = blocks.map(|(_, entry)| &entry.allocation);
    let live = blocks.filter(|one| one.freed.is_none());
    live.chain(&known.leaving)
        .map(|one| (one.base.max(start), one.end().min(end)))
        .filter(|(from, to)| from < to)
        .collect()
}

/// Blocks that live and begin between these addresses.
pub fn blocks(start: u64, end: u64) -> Vec<Allocation> {
    let known = known();
    let blocks = known.blocks.by_base.range(start..end);
    let blocks = blocks.map(|(_, entry)| &entry.allocation);
    blocks.filter(|one| one.freed.is_none()).cloned().collect()
}

/// The allocation that an address lies in, or else the one that is nearest, if one is near.
pub fn nearest(address: u64) -> Option<(Allocation, Position)> {
    let known = known();
    let all = known
        .blocks
        .around(address)
        .chain(known.regions.around(address));
    let places = all.map(|one| (one, one.position(address)));
    let near = places.filter(|(_, position)| position.distance() < NEAR);
    let nearest = near.min_by_key(|(_, position)| position.distance());
    nearest.map(|(one, position)| (one.clone(), position))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frees::{Frees, is_wrong};

    /// All in one test: the facts are those of the process.
    #[test]
    fn the_nearest_side_counts_and_freed_memory_is_known_until_its_place_is_taken() {
        keep(None);
        region_allocated(0x1000, 100, "hsa");
        region_allocated(0x3000, 100, "hsa");
        let at = |address| nearest(address).map(|(one, position)| (one.base, position));
        assert_eq!(at(0x1000), Some((0x1000, Position::Inside(0))));
        assert_eq!(at(0x1063), Some((0x1000, Position::Inside(99))));
        assert_eq!(at(0x1064), Some((0x1000, Position::Behind(0))));
        assert_eq!(at(0x2ffc), Some((0x3000, Position::Before(4))));
        assert_eq!(at(0x3000 + (1 << 21)), None);
        assert_eq!(at(0xffc), Some((0x1000, Position::Before(4))));
        region_freed(0x1000);
        let (one, position) = nearest(0x1008).unwrap();
        assert_eq!(position, Position::Inside(8));
        assert!(one.freed.is_some() && !one.allocated.is_empty());
        // Other memory in its place, and around it.
        region_allocated(0xf00, 0x200, "hsa");
        let (one, position) = nearest(0x1008).unwrap();
        assert_eq!((one.base, position), (0xf00, Position::Inside(0x108)));
        assert!(one.freed.is_none());
        let (module, _) = crate::callers::module(one.allocated[0]).unwrap();
        assert!(!module.is_empty());

        // A pool of a stream: two blocks, of which the second takes the place of the first before its stream is there.
        region_allocated(0x10_0000, 0x1_0000, "hsa");
        given(0x10_0100, 5000, Kind::Stream, "hipMallocAsync", None);
        let old = living_at(0x10_0100).unwrap();
        assert_eq!(blocks(0x10_0000, 0x10_0100).len(), 0);
        assert_eq!(blocks(0x10_0000, 0x10_0101).len(), 1);
        leaves(0x10_0100);
        given(0x10_0100, 4600, Kind::Stream, "hipMallocAsync", None);
        assert_eq!(living(0x10_0000, 0x11_0000).len(), 2);
        left(old);
        assert_eq!(
            living(0x10_0000, 0x11_0000),
            [(0x10_0100, 0x10_0100 + 4600)]
        );
        let (one, position) = nearest(0x10_0100 + 4600).unwrap();
        assert_eq!((one.size, position), (4600, Position::Behind(0)));
        // The pool itself is not the program's.
        assert_eq!(at(0x10_0000), Some((0x10_0100, Position::Before(0x100))));

        // Managed memory comes from no region. Another allocation begins in the middle of what was freed.
        given(0x30_0000, 40_000, Kind::Managed, "hipMallocManaged", None);
        taken(0x30_0000);
        assert!(is_wrong(0x30_0000, "hipFree", Frees::Device));
        region_allocated(0x30_2000, 40_000, "hsa");
        given(0x30_2000, 40_000, Kind::Pinned, "hipHostMalloc", None);
        assert!(!is_wrong(0x30_2000, "hipHostFree", Frees::Host));
        let (one, _) = nearest(0x30_2000).unwrap();
        assert!(one.freed.is_none());

        // Rows.
        let rows = Rows {
            width: 100,
            pitch: 256,
            count: 3,
        };
        region_allocated(0x20_0000, 768, "hsa");
        given(0x20_0000, 768, Kind::Pitched, "hipMallocPitch", Some(rows));
        let (one, position) = nearest(0x20_0000 + 256 + 104).unwrap();
        assert_eq!(position, Position::Inside(360));
        assert_eq!(one.behind_row(0x20_0000 + 256 + 104), Some(4));
        assert_eq!(one.behind_row(0x20_0000 + 256 + 99), None);
        assert_eq!(rows.paddings().last(), Some((612, 768)));
    }
}
