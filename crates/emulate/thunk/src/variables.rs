//! Loaded code objects, as a check knows them. Images are kept. On an exact device, kernels do not reach the bytes between variables, and do
//! not write constants.

use std::{
    collections::BTreeSet,
    mem::offset_of,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use allocations::{
    facts,
    modules::{self, Part},
};
use codeobj::CodeObject;
use gpu::{Memory, memory::Closing};
use guest::{contain, lock};
use hsa_sys::{
    Handle, Status,
    constants::status,
    tables::{CoreTable, ExecutableDestroy, ExecutableFreeze, covers},
};
use hsa_tool::Original;

use crate::{
    check, exact, heap, images,
    instance::instance,
    source::{List, Loaded},
};

static FREEZE: Original<ExecutableFreeze> = Original::new();
static DESTROY: Original<ExecutableDestroy> = Original::new();
static SEEN: Mutex<Seen> = Mutex::new(Seen {
    objects: BTreeSet::new(),
    list: None,
    changes: 0,
});
/// Counts code that is about to be given up, and since the first time also code that is complete.
static CHANGES: AtomicU64 = AtomicU64::new(0);

struct Seen {
    /// The objects that were looked at and are still loaded.
    objects: BTreeSet<Loaded>,
    /// The list that they were in.
    list: Option<List>,
    /// The changes that were known then.
    changes: u64,
}

const BESIDE: Closing = Closing {
    to_writes: false,
    what: "beside the variables of a module",
};
const CONSTANT: Closing = Closing {
    to_writes: true,
    what: "in constants or code of a module",
};

/// Replaces the entries by which a program says that its code is complete, and by which it gives code up.
///
/// # Safety
/// The table is ROCr's, as long as its version says.
pub unsafe fn watch(core: *mut CoreTable) {
    // SAFETY: every table begins with its version.
    let version = unsafe { (*core).version };
    if covers(&version, offset_of!(CoreTable, executable_freeze)) {
        // SAFETY: the table reaches beyond this entry, and the other one is in front of it.
        unsafe {
            FREEZE.replace(&mut (*core).executable_freeze, freeze);
            DESTROY.replace(&mut (*core).executable_destroy, destroy);
        }
    }
}

unsafe extern "C" fn freeze(executable: Handle, options: *const std::ffi::c_char) -> Status {
    // SAFETY: the caller of the entry passed these arguments, and they go on unchanged.
    let answer = unsafe { FREEZE.behind()(executable, options) };
    if answer == status::SUCCESS {
        if CHANGES.load(Ordering::Acquire) != 0 {
            CHANGES.fetch_add(1, Ordering::AcqRel);
        }
        let _ = contain(look, || ());
    }
    answer
}

/// The next object may have the same place and the same name, and another thread may load it before the look here.
unsafe extern "C" fn destroy(executable: Handle) -> Status {
    CHANGES.fetch_add(1, Ordering::AcqRel);
    // SAFETY: the caller of the entry passed this argument, and it goes on unchanged.
    let answer = unsafe { DESTROY.behind()(executable) };
    let _ = contain(look, || ());
    answer
}

/// Returns `true` if kernels may read what lies at an address, and not write it.
pub fn is_constant(address: u64) -> bool {
    let memory = instance().map(|instance| instance.machine.memory());
    memory.is_ok_and(|memory| memory.closing(address) == Some(CONSTANT))
}

/// Looks at the objects that were loaded since. A library has hundreds, and each of them is read once.
pub fn look() {
    let Ok(instance) = instance() else { return };
    let memory = instance.machine.memory();
    // Held to the end: who finds nothing new relies on all that was found before.
    let mut seen = lock(&SEEN);
    // Each new piece of code has this called, and a program may have loaded hundreds of objects.
    let changes = CHANGES.load(Ordering::Acquire);
    if seen.changes == changes && seen.list.as_ref().is_some_and(List::is_current) {
        return;
    }
    let Some(mut list) = List::read() else {
        return;
    };
    let objects = std::mem::take(&mut list.objects);
    seen.list = Some(list);
    if std::mem::replace(&mut seen.changes, changes) != changes {
        for one in images::renew(|loaded, bytes| is_there(memory, loaded.base, bytes)) {
            seen.objects.remove(&one);
        }
    }
    let new = unseen(&mut seen.objects, objects);
    images::retain(&seen.objects);
    // Other checks have no use for what is in files, and libraries have hundreds of objects there.
    let is_parsed = exact::is_wanted() || check::looks_for_races();
    for loaded in new {
        if !is_parsed && !loaded.is_in_memory() {
            continue;
        }
        let Some(bytes) = loaded.read() else { continue };
        images::keep(&loaded, &bytes);
        if !is_parsed {
            continue;
        }
        match CodeObject::parse(&bytes) {
            Ok(object) if exact::is_wanted() => close_around(memory, loaded.base, &object),
            // The waves tell of memory that kernels allocate.
            Ok(object) => _ = heap::loaded(memory, loaded.base, &object),
            Err(_) => {}
        }
    }
}

/// Returns `true` if the code and the constants of this object are in memory at its base.
fn is_there(memory: &Memory, base: u64, bytes: &[u8]) -> bool {
    let Ok(object) = CodeObject::parse(bytes) else {
        return false;
    };
    let image = object.image();
    let mut fixed = image.segments.iter().filter(|one| !one.writable);
    fixed.all(|segment| {
        let mut there = vec![0; segment.data.len()];
        let read = memory.read_bytes(base + segment.address, &mut there);
        read.is_ok() && there == segment.data
    })
}

/// The loaded objects that no earlier call has returned. An object that was unloaded is forgotten.
fn unseen<T: Clone + Ord>(seen: &mut BTreeSet<T>, objects: Vec<T>) -> Vec<T> {
    let objects = BTreeSet::from_iter(objects);
    let new = objects.difference(seen).cloned().collect();
    *seen = objects;
    new
}

fn close_around(memory: &Memory, base: u64, object: &CodeObject<'_>) {
    let allocates = heap::loaded(memory, base, object);
    for bytes in modules::between_segments(object) {
        memory.close(base + bytes.start, base + bytes.end, BESIDE);
    }
    for segment in object.image().segments.iter().filter(|one| !one.writable) {
        let end = segment.address + segment.memory_size;
        memory.close(base + segment.address, base + end, CONSTANT);
    }
    for part in modules::parts(object) {
        let (name, bytes) = match part {
            Part::Beside(bytes) => {
                memory.close(base + bytes.start, base + bytes.end, BESIDE);
                continue;
            }
            Part::Variable { name, bytes } => (name, bytes),
        };
        let size = bytes.end - bytes.start;
        let (start, end) = (base + bytes.start, base + bytes.end);
        let is_written = object.image().segments.iter().any(|one| {
            one.writable && (one.address..one.address + one.memory_size).contains(&bytes.start)
        });
        if allocates && is_written && heap::is_state(name, size) {
            memory.close(start, end, heap::BESIDE);
            continue;
        }
        if facts::is_constant(name) {
            memory.close(start, end, CONSTANT);
        }
        facts::variable(start, size, name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_looked_at_once_for_as_long_as_they_are_loaded() {
        let mut seen = BTreeSet::new();
        assert_eq!(unseen(&mut seen, vec![1, 2]), [1, 2]);
        assert_eq!(unseen(&mut seen, vec![1, 2, 3]), [3]);
        assert!(unseen(&mut seen, vec![1, 3]).is_empty());
        assert_eq!(unseen(&mut seen, vec![1, 2, 3]), [2], "loaded again");
    }
}
