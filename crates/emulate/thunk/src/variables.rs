//! Variables of loaded code objects, on an exact device: kernels do not reach the bytes between them, and do not write constants.

use std::{collections::BTreeSet, mem::offset_of, sync::Mutex};

use allocations::facts;
use codeobj::{CodeObject, elf::SymbolKind};
use gpu::{
    Memory,
    memory::{Closing, PAGE},
};
use guest::{contain, lock};
use hsa_sys::{
    Handle, Status,
    constants::status,
    tables::{CoreTable, ExecutableFreeze, covers},
};
use hsa_tool::Original;

use crate::{heap, instance::instance, source};

static FREEZE: Original<ExecutableFreeze> = Original::new();
/// Addresses and sizes of the objects that were looked at.
static SEEN: Mutex<BTreeSet<(u64, u64)>> = Mutex::new(BTreeSet::new());

const BESIDE: Closing = Closing {
    to_writes: false,
    what: "beside the variables of a module",
};
const CONSTANT: Closing = Closing {
    to_writes: true,
    what: "in constants or code of a module",
};

const WRITE: u64 = 1;
/// Sections in which every variable has a symbol.
const OF_VARIABLES: [&str; 2] = [".data", ".bss"];

/// Replaces the entry by which a program says that its code is complete.
///
/// # Safety
/// The table is ROCr's, as long as its version says.
pub unsafe fn watch(core: *mut CoreTable) {
    // SAFETY: every table begins with its version.
    let version = unsafe { (*core).version };
    if covers(&version, offset_of!(CoreTable, executable_freeze)) {
        // SAFETY: the table reaches beyond this entry.
        FREEZE.replace(unsafe { &mut (*core).executable_freeze }, freeze);
    }
}

unsafe extern "C" fn freeze(executable: Handle, options: *const std::ffi::c_char) -> Status {
    // SAFETY: the caller of the entry passed these arguments, and they go on unchanged.
    let answer = unsafe { FREEZE.behind()(executable, options) };
    if answer == status::SUCCESS {
        let _ = contain(look, || ());
    }
    answer
}

/// Returns `true` if kernels may read what lies at an address, and not write it.
pub fn is_constant(address: u64) -> bool {
    let memory = instance().map(|instance| instance.machine.memory());
    memory.is_ok_and(|memory| memory.closing(address) == Some(CONSTANT))
}

/// Looks at the objects that were loaded since.
fn look() {
    let Ok(instance) = instance() else { return };
    let memory = instance.machine.memory();
    for (base, bytes) in source::objects() {
        let Ok(object) = CodeObject::parse(&bytes) else {
            continue;
        };
        let size = object.image().size;
        let is_new = lock(&SEEN).insert((base, size));
        if is_new {
            close_around(memory, base, &object);
        }
    }
}

fn close_around(memory: &Memory, base: u64, object: &CodeObject<'_>) {
    let allocates = heap::loaded(memory, base, object);
    let image = object.image();
    let mut behind = 0;
    for segment in &image.segments {
        memory.close(base + behind, base + segment.address, BESIDE);
        behind = segment.address + segment.memory_size;
        if !segment.writable {
            memory.close(base + segment.address, base + behind, CONSTANT);
        }
    }
    memory.close(base + behind, base + behind.next_multiple_of(PAGE), BESIDE);
    // A stripped object does not name its static variables.
    let symbols = object.symbols().iter();
    let variables = symbols.filter(|symbol| symbol.kind == SymbolKind::Object && symbol.size != 0);
    let mut variables: Vec<_> = variables.collect();
    variables.sort_by_key(|symbol| symbol.value);
    for section in object.elf().sections.iter().filter(|section| {
        OF_VARIABLES
            .iter()
            .any(|name| section.name.starts_with(name))
            && section.flags & WRITE != 0
            && section.address != 0
    }) {
        let end = section.address + section.size;
        let mut behind = section.address;
        for symbol in &variables {
            if symbol.value >= section.address && symbol.value < end {
                memory.close(base + behind, base + symbol.value.max(behind), BESIDE);
                behind = behind.max(symbol.value + symbol.size);
                if allocates && heap::is_state(symbol.name, symbol.size) {
                    memory.close(base + symbol.value, base + behind, heap::BESIDE);
                    continue;
                }
                if facts::is_constant(symbol.name) {
                    memory.close(base + symbol.value, base + behind, CONSTANT);
                }
                facts::variable(base + symbol.value, symbol.size, symbol.name);
            }
        }
        if behind != section.address {
            memory.close(base + behind, base + end.max(behind), BESIDE);
        }
    }
}
