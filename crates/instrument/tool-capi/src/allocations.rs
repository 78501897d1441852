//! The program's memory, for tools.

use crate::{
    sized,
    table::{CallResult, NULL, status},
    tool::lock,
};
use allocations::{Allocation, Event, Kind, Position, facts};
use std::{
    cell::RefCell,
    ffi::{CString, c_int},
    sync::{Arc, Mutex, Once},
};
use tool_abi::{constants, structures::RawAllocation};

/// Most events that wait for the next launch.
const MOST: usize = 1 << 16;

/// The events of memory since a tool was last told.
#[derive(Default)]
pub struct Heard {
    events: Vec<Allocation>,
    /// Events that there was no room for.
    lost: u64,
}

/// The events that all tools have heard.
static ALL: Mutex<Vec<Arc<Mutex<Heard>>>> = Mutex::new(Vec::new());

/// Facts are kept from now on; what happens is put there.
pub fn hear() -> Arc<Mutex<Heard>> {
    static ONCE: Once = Once::new();
    let heard = Arc::<Mutex<Heard>>::default();
    lock(&ALL).push(Arc::clone(&heard));
    ONCE.call_once(|| facts::keep(Some(listen)));
    heard
}

fn listen(event: &Event<'_>) {
    let (Event::Allocated(one) | Event::Freed(one)) = event else {
        return;
    };
    for heard in &*lock(&ALL) {
        let mut heard = lock(heard);
        match heard.events.len() < MOST {
            true => heard.events.push((*one).clone()),
            false => heard.lost += 1,
        }
    }
}

impl Heard {
    /// Tells all that has happened; the problems that the tool has with it.
    pub fn tell(
        heard: &Mutex<Heard>,
        tell: impl Fn(&RawAllocation) -> Result<(), String>,
    ) -> Vec<String> {
        let Heard { events, lost } = std::mem::take(&mut *lock(heard));
        let lost = (lost != 0).then(|| format!("{lost} allocations and frees were not told of"));
        let told = events.into_iter().map(|event| {
            let shown = Shown::new(event, Position::Inside(0));
            tell(&shown.raw())
        });
        told.filter_map(Result::err).chain(lost).collect()
    }
}

/// An allocation with all that its structure points to.
struct Shown {
    of: Allocation,
    position: Position,
    with: CString,
    name: Option<CString>,
}

impl Shown {
    fn new(of: Allocation, position: Position) -> Shown {
        let name = of.name.as_deref();
        Shown {
            with: CString::new(of.by).unwrap_or_default(),
            name: name.map(|name| CString::new(name).unwrap_or_default()),
            position,
            of,
        }
    }

    fn raw(&self) -> RawAllocation {
        let freed_by = self.of.freed.as_deref().unwrap_or_default();
        let (position, distance) = match self.position {
            Position::Inside(bytes) => (constants::POSITION_INSIDE, bytes),
            Position::Behind(bytes) => (constants::POSITION_BEHIND, bytes),
            Position::Before(bytes) => (constants::POSITION_BEFORE, bytes),
        };
        let rows = self.of.rows.map_or((0, 0), |rows| (rows.width, rows.pitch));
        RawAllocation {
            struct_size: size_of::<RawAllocation>(),
            number: self.of.id,
            address: self.of.base,
            size: self.of.size,
            kind: number(self.of.kind),
            freed: self.of.freed.is_some().into(),
            with: self.with.as_ptr(),
            name: self
                .name
                .as_ref()
                .map_or(std::ptr::null(), |name| name.as_ptr()),
            allocated_by: self.of.allocated.as_ptr(),
            allocated_by_count: self.of.allocated.len(),
            freed_by: freed_by.as_ptr(),
            freed_by_count: freed_by.len(),
            row_bytes: rows.0,
            pitch: rows.1,
            position,
            reserved: 0,
            distance,
        }
    }
}

fn number(kind: Kind) -> u32 {
    match kind {
        Kind::Hsa => constants::MEMORY_HSA,
        Kind::Device => constants::MEMORY_DEVICE,
        Kind::Pinned => constants::MEMORY_PINNED,
        Kind::Managed => constants::MEMORY_MANAGED,
        Kind::Registered => constants::MEMORY_REGISTERED,
        Kind::Stream => constants::MEMORY_STREAM,
        Kind::Pitched => constants::MEMORY_PITCHED,
        Kind::Array => constants::MEMORY_ARRAY,
        Kind::Mapped => constants::MEMORY_MAPPED,
        Kind::Imported => constants::MEMORY_IMPORTED,
        Kind::Node => constants::MEMORY_NODE,
        Kind::Variable => constants::MEMORY_VARIABLE,
        // Only the emulated device knows of blocks that kernels allocate, and it tells no tools.
        Kind::Heap => constants::MEMORY_DEVICE,
    }
}

thread_local! {
    /// The memory that the last answer on this thread points to.
    static ANSWER: RefCell<Option<Shown>> = const { RefCell::new(None) };
}

/// Entry of the table, see `include/luthier.h`.
pub unsafe extern "C" fn find_allocation(
    address: u64,
    into: *mut RawAllocation,
    found: *mut c_int,
) -> c_int {
    status(|| -> CallResult {
        // SAFETY: null, or the caller's.
        let found = unsafe { found.as_mut() }.ok_or(NULL)?;
        if !facts::are_kept() {
            return Err("no tool wants to hear of memory: define luthier_at_memory".to_owned());
        }
        let near = facts::nearest(address);
        *found = near.is_some().into();
        let Some((of, position)) = near else {
            return Ok(());
        };
        ANSWER.with_borrow_mut(|answer| {
            let shown = answer.insert(Shown::new(of, position));
            // SAFETY: null, or the caller's structure of the size that it says.
            unsafe { sized::fill(into, &shown.raw()) }
        })
    })
}
