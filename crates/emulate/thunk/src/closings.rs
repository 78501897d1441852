//! Parts of memory that are none of the program's, on an exact device: what HIP leaves between the blocks that it makes.

use std::{
    collections::HashSet,
    sync::{Mutex, Once},
};

use allocations::{Allocation, Callers, Event, Kind, callers, facts, frees};
use gpu::{
    Memory,
    memory::{Closing, PAGE},
};

use crate::{check, exact, findings, heap, instance::instance, report::report, statistics};

/// Blocks of a stream's memory begin at multiples of this, in all versions of HIP.
const STEP: u64 = 256;

const BEHIND: Closing = Closing {
    to_writes: false,
    what: "beside memory that the program has asked for",
};
const FREED: Closing = Closing {
    to_writes: false,
    what: "in memory that a stream has freed",
};
const KEPT: Closing = Closing {
    to_writes: false,
    what: "in memory that the program has freed",
};
const FREED_BY_KERNEL: Closing = Closing {
    to_writes: false,
    what: "in memory that a kernel has freed",
};
/// Kernels may read the padding, as wide loads do, and not use it.
const PADDING: Closing = Closing {
    to_writes: true,
    what: "in the padding of a row",
};

#[used]
#[unsafe(link_section = ".init_array")]
static LOADED: extern "C" fn() = loaded;

/// Runs when the library is loaded. If the program is linked with HIP, that is before the program's own code, which registers
/// its variables.
extern "C" fn loaded() {
    let _ = guest::contain(
        || {
            if exact::is_wanted() {
                follow();
            } else if check::names_allocations() || statistics::wants_exactness() {
                facts::keep(None);
                allocations::hip::watch();
            }
        },
        || (),
    );
}

/// Facts are kept from now on, and the device follows them.
pub fn follow() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        frees::refuse();
        facts::keep(Some(listen));
    });
    allocations::hip::watch();
}

/// The device is there. HIP has made the variables before that host and devices share.
pub fn begin() {
    follow();
    if let Ok(instance) = instance() {
        let memory = instance.machine.memory();
        let shared = |one: &Allocation| one.kind == Kind::Managed && one.name.is_some();
        for one in facts::blocks(0, u64::MAX).iter().filter(|one| shared(one)) {
            allocated(memory, one);
        }
    }
}

/// The device has got memory at these addresses. Memory of a graph is there for a part of each launch.
pub fn mapped(memory: &Memory, start: u64, end: u64) {
    if exact::is_wanted() {
        let of_graphs = facts::blocks(start, end).into_iter();
        for one in of_graphs.filter(|one| one.kind == Kind::Node) {
            allocated(memory, &one);
        }
    }
}

fn listen(event: &Event<'_>) {
    if let Event::WrongFree { .. } = event {
        return wrongly_freed(event);
    }
    let Ok(instance) = instance() else { return };
    let memory = instance.machine.memory();
    match event {
        // Closed around with their module.
        Event::Allocated(one) if one.kind == Kind::Variable => {}
        Event::Allocated(one) => allocated(memory, one),
        Event::Freed(one) => freed(memory, one),
        Event::WrongFree { .. }
        | Event::Reset
        | Event::Written { .. }
        | Event::WrittenAnywhere
        | Event::Read { .. } => {}
    }
}

/// Says once for each place of the program what it wrongly frees, unless that is a finding.
fn wrongly_freed(event: &Event<'_>) {
    static SAID: Mutex<Option<HashSet<Callers>>> = Mutex::new(None);
    let Event::WrongFree {
        address,
        by,
        allocation,
        callers,
    } = event
    else {
        return;
    };
    if findings::hears_of_frees() {
        return;
    }
    let mut said = guest::lock(&SAID);
    if !said.get_or_insert_default().insert(callers.clone()) {
        return;
    }
    drop(said);
    let place = |callers: &Callers| callers::in_program(callers);
    let place = |callers| place(callers).map_or_else(String::new, |at| format!(" at {at}"));
    let (size, with) = (allocation.size, allocation.by);
    let what = match (&allocation.freed, address - allocation.base) {
        (Some(freed), 0) => format!("that it has freed before{}", place(freed)),
        (_, 0) => format!("that {by} does not free"),
        (_, offset) => format!("of which it names the address {offset} bytes from the start"),
    };
    report(&format!(
        "luthier: --strict: the program calls {by}{} for {size} bytes at {:#x} {what}; it allocated them with {with}{}. \
         HIP does not get the call, and the program gets an error.",
        place(callers),
        allocation.base,
        place(&allocation.allocated),
    ));
}

fn allocated(memory: &Memory, one: &Allocation) {
    let (start, end) = match one.kind {
        Kind::Stream => (one.base, one.end().next_multiple_of(STEP)),
        Kind::Managed | Kind::Node => (one.base, one.end().next_multiple_of(PAGE)),
        Kind::Registered => (page_of(one.base), one.end().next_multiple_of(PAGE)),
        _ => (one.base, one.end()),
    };
    memory.open(one.base, one.end());
    if one.kind == Kind::Heap
        && let Some((start, end)) = heap::memory_around(memory, one.base)
    {
        close_around(memory, start, end, heap::BESIDE);
    }
    close_around(memory, start, one.base, BEHIND);
    close_around(memory, one.end(), end, BEHIND);
    for (from, to) in one.rows.into_iter().flat_map(|rows| rows.paddings()) {
        memory.close(one.base + from, one.base + to, PADDING);
    }
}

/// The first byte of the page with this address.
fn page_of(address: u64) -> u64 {
    address & !(PAGE - 1)
}

fn freed(memory: &Memory, one: &Allocation) {
    match one.kind {
        Kind::Stream => close_around(memory, one.base, one.end(), FREED),
        Kind::Heap => close_around(memory, one.base, one.end(), FREED_BY_KERNEL),
        Kind::Managed | Kind::Registered => {
            memory.open(page_of(one.base), one.end().next_multiple_of(PAGE));
        }
        // HIP may keep it, as for a texture. Retired memory is closed anyway, and at addresses without memory other memory may come.
        Kind::Device | Kind::Pinned | Kind::Pitched | Kind::Array
            if memory.around(one.base).is_some() && !memory.is_retired(one.base) =>
        {
            close_around(memory, one.base, one.end(), KEPT);
        }
        _ => {}
    }
}

/// Closes what is no living block's.
fn close_around(memory: &Memory, start: u64, end: u64, closing: Closing) {
    memory.close(start, end, closing);
    for (from, to) in facts::living(start, end) {
        memory.open(from, to);
    }
}
