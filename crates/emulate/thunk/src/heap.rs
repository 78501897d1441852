//! Memory that kernels allocate with `malloc` and `new`, on an exact device: kernels reach their blocks, and the functions that
//! make blocks reach what lies between them.

use std::{collections::BTreeMap, sync::RwLock};

use allocations::facts;
use codeobj::{CodeObject, elf::SymbolKind};
use gpu::{
    Memory,
    memory::{Allocator, Closing, HeapCall},
};
use guest::contain;

/// The functions of AMD's device library, which compilers do not inline.
const FUNCTIONS: [(&str, HeapCall); 2] = [
    ("__ockl_dm_alloc", HeapCall::Allocate),
    ("__ockl_dm_dealloc", HeapCall::Free),
];
/// The device library's variables have no names, which the compiler makes up then.
const NAMELESS: &str = "__unnamed_";
/// The smallest variable that may be the state of the heap; HIP 6 and later keep it in memory of their own.
const STATE: u64 = 1 << 12;

/// The memory between blocks.
pub const BESIDE: Closing = Closing {
    to_writes: false,
    what: "beside memory that kernels have allocated",
};

/// The functions of loaded code objects, by address.
static LOADED: RwLock<BTreeMap<u64, HeapCall>> = RwLock::new(BTreeMap::new());

struct Account;

impl Allocator for Account {
    fn function(&self, pc: u64) -> Option<HeapCall> {
        let loaded = LOADED.read();
        let loaded = loaded.unwrap_or_else(|poison| poison.into_inner());
        loaded.get(&pc).copied()
    }

    fn allocated(&self, address: u64, size: u64) {
        let _ = contain(|| facts::heap_allocated(address, size), || ());
    }

    fn freed(&self, address: u64) {
        let _ = contain(|| facts::heap_freed(address), || ());
    }
}

/// An object was loaded at this address. True if its kernels allocate memory.
pub fn loaded(memory: &Memory, base: u64, object: &CodeObject<'_>) -> bool {
    let symbols = object.symbols().iter();
    let functions = symbols.filter(|symbol| symbol.kind == SymbolKind::Function);
    let found: Vec<(u64, HeapCall)> = functions
        .filter_map(|symbol| {
            let mut all = FUNCTIONS.iter();
            let (_, request) = all.find(|(name, _)| *name == symbol.name)?;
            Some((base + symbol.value, *request))
        })
        .collect();
    if found.is_empty() {
        return false;
    }
    let loaded = LOADED.write();
    loaded
        .unwrap_or_else(|poison| poison.into_inner())
        .extend(found);
    memory.keep_account(Box::new(Account));
    true
}

/// Returns `true` if a variable is the state of the heap, of an object whose kernels allocate memory.
pub fn is_state(name: &str, size: u64) -> bool {
    name.starts_with(NAMELESS) && size >= STATE
}

/// The memory around a block, if it is to be closed: the functions make further blocks of it.
pub fn memory_around(memory: &Memory, block: u64) -> Option<(u64, u64)> {
    let (start, end) = memory.around(block)?;
    // Closed before, when the first block in it was given away.
    (memory.closing(start) != Some(BESIDE)).then_some((start, end))
}
