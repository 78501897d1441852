//! Who has allocated and freed which memory, for `luthier check --memory`.
//!
//! Facts come from the entries of the HSA runtime that [`crate::exact`] replaces. Freed memory is known until other memory
//! is allocated in its place.

use std::{
    collections::BTreeMap,
    ffi::{CStr, c_void},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// Most callers that are kept of one call.
const DEPTH: usize = 32;
/// What is further away from an allocation has nothing to do with it.
const NEAR: u64 = 1 << 20;
/// Freed allocations that are kept.
const MOST_FREED: usize = 1 << 16;

static WANTED: AtomicBool = AtomicBool::new(false);
static KNOWN: Mutex<Known> = Mutex::new(Known {
    by_base: BTreeMap::new(),
    freed: 0,
});

struct Known {
    by_base: BTreeMap<u64, Allocation>,
    /// How many of them are freed.
    freed: usize,
}

/// Callers of one call, innermost first, as addresses of code.
type Callers = Vec<usize>;

/// Memory that the program has asked for.
#[derive(Clone, Debug)]
pub struct Allocation {
    pub base: u64,
    pub size: u64,
    pub allocated: Callers,
    pub freed: Option<Callers>,
}

/// Where an address lies with respect to an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// So many bytes from its start.
    Inside(u64),
    /// So many bytes behind its last byte.
    Behind(u64),
    /// So many bytes before its first byte.
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
    fn end(&self) -> u64 {
        self.base + self.size
    }

    fn position(&self, address: u64) -> Position {
        match address {
            before if before < self.base => Position::Before(self.base - before),
            behind if behind >= self.end() => Position::Behind(behind - self.end()),
            inside => Position::Inside(inside - self.base),
        }
    }
}

/// From now on facts are kept.
pub fn keep() {
    WANTED.store(true, Ordering::Relaxed);
}

fn known() -> MutexGuard<'static, Known> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The program has allocated memory.
pub fn allocated(base: u64, size: u64) {
    if !WANTED.load(Ordering::Relaxed) {
        return;
    }
    let allocated = callers();
    let mut known = known();
    let end = base.saturating_add(size.max(1));
    // What was freed there before is there no more.
    let first = known.by_base.range(..=base).next_back();
    let from = first.map_or(base, |(start, _)| *start);
    let gone = known.by_base.range(from..end);
    let gone: Vec<u64> = gone
        .filter(|(_, other)| other.end() > base)
        .map(|(start, _)| *start)
        .collect();
    for start in gone {
        known.forget(start);
    }
    known.by_base.insert(
        base,
        Allocation {
            base,
            size,
            allocated,
            freed: None,
        },
    );
}

/// The program has freed memory.
pub fn freed(base: u64) {
    if !WANTED.load(Ordering::Relaxed) {
        return;
    }
    let callers = callers();
    let mut known = known();
    if let Some(allocation) = known.by_base.get_mut(&base)
        && allocation.freed.is_none()
    {
        allocation.freed = Some(callers);
        known.freed += 1;
    }
    if known.freed > MOST_FREED {
        let mut all = known.by_base.values();
        let first = all.find(|one| one.freed.is_some()).map(|one| one.base);
        first.into_iter().for_each(|base| known.forget(base));
    }
}

impl Known {
    fn forget(&mut self, base: u64) {
        let gone = self.by_base.remove(&base);
        self.freed -= usize::from(gone.is_some_and(|one| one.freed.is_some()));
    }
}

/// The allocation that an address lies in, or else the one that is nearest, if one is near.
pub fn nearest(address: u64) -> Option<(Allocation, Position)> {
    let known = known();
    let below = known.by_base.range(..=address).next_back();
    let above = known.by_base.range(address..).next();
    let both = [below, above].into_iter().flatten();
    let places = both.map(|(_, one)| (one, one.position(address)));
    let near = places.filter(|(_, position)| position.distance() < NEAR);
    let nearest = near.min_by_key(|(_, position)| position.distance());
    nearest.map(|(one, position)| (one.clone(), position))
}

/// Who has called, innermost first.
fn callers() -> Callers {
    let mut frames = [std::ptr::null_mut::<c_void>(); DEPTH];
    // SAFETY: the array has so many places.
    let count = unsafe { libc::backtrace(frames.as_mut_ptr(), DEPTH as i32) };
    let frames = frames.iter().take(usize::try_from(count).unwrap_or(0));
    frames.map(|frame| *frame as usize).collect()
}

/// The file of the code at an address, and where in it, in bytes from its first byte in memory.
pub fn module(address: usize) -> Option<(String, usize)> {
    // SAFETY: zeros are a value of it.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be asked for, and `info` is a local variable.
    let found = unsafe { libc::dladdr(address as *const c_void, &mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the name is a C string that belongs to the loader.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    let offset = address.checked_sub(info.dli_fbase as usize)?;
    Some((name.to_string_lossy().into_owned(), offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All in one test: the facts are those of the process.
    #[test]
    fn the_nearest_side_counts_and_freed_memory_is_known_until_its_place_is_taken() {
        keep();
        allocated(0x1000, 100);
        allocated(0x3000, 100);
        let at = |address| nearest(address).map(|(one, position)| (one.base, position));
        assert_eq!(at(0x1000), Some((0x1000, Position::Inside(0))));
        assert_eq!(at(0x1063), Some((0x1000, Position::Inside(99))));
        assert_eq!(at(0x1064), Some((0x1000, Position::Behind(0))));
        assert_eq!(at(0x2ffc), Some((0x3000, Position::Before(4))));
        assert_eq!(at(0x3000 + (1 << 21)), None);
        assert_eq!(at(0xffc), Some((0x1000, Position::Before(4))));
        freed(0x1000);
        let (one, position) = nearest(0x1008).unwrap();
        assert_eq!(position, Position::Inside(8));
        assert!(one.freed.is_some() && !one.allocated.is_empty());
        // Other memory in its place, and around it.
        allocated(0xf00, 0x200);
        let (one, position) = nearest(0x1008).unwrap();
        assert_eq!((one.base, position), (0xf00, Position::Inside(0x108)));
        assert!(one.freed.is_none());
        let (module, _) = module(one.allocated[0]).unwrap();
        assert!(!module.is_empty());
    }
}
