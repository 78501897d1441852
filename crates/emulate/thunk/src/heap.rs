//! Memory that kernels allocate with `malloc` and `new`, on an exact device: kernels reach their blocks, and the functions that
//! make blocks reach what lies between them.

use std::{
    collections::BTreeMap,
    sync::{
        PoisonError, RwLock, RwLockReadGuard,
        atomic::{AtomicBool, Ordering},
    },
};

use allocations::facts;
use codeobj::{CodeObject, elf::SymbolKind, metadata::ArgumentKind};
use gpu::{
    Memory,
    memory::{Allocator, Closing, HeapCall},
};
use guest::contain;

use crate::{exact, variables};

/// The functions of AMD's device library, which compilers do not inline.
const FUNCTIONS: [(&str, HeapCall); 2] = [
    ("__ockl_dm_alloc", HeapCall::Allocate),
    ("__ockl_dm_dealloc", HeapCall::Free),
];
/// Hidden arguments by which these functions get memory from the host.
const NEEDED: [&str; 2] = ["hostcall_buffer", "heap_v1"];
/// The device library's variables have no names, which the compiler makes up then.
const NAMELESS: &str = "__unnamed_";
/// The smallest variable that may be the state of the heap; HIP 6 and later keep it in memory of their own.
const STATE: u64 = 1 << 12;

/// The memory between blocks.
pub const BESIDE: Closing = Closing {
    to_writes: false,
    what: "beside memory that kernels have allocated",
};

/// The functions of loaded code objects with functions of the heap.
static LOADED: RwLock<Known> = RwLock::new(Known {
    functions: BTreeMap::new(),
    numbers: BTreeMap::new(),
});

struct Known {
    /// By their first address.
    functions: BTreeMap<u64, Function>,
    /// By name: copies with hooks have the names of their originals.
    numbers: BTreeMap<String, u32>,
}

struct Function {
    /// The address behind it.
    end: u64,
    number: u32,
    effect: Option<HeapCall>,
}

fn known() -> RwLockReadGuard<'static, Known> {
    LOADED.read().unwrap_or_else(PoisonError::into_inner)
}

/// An object was loaded that may have the functions, and does not name functions of its own.
static SOME_ARE_UNKNOWN: AtomicBool = AtomicBool::new(false);

struct Account;

impl Allocator for Account {
    fn code_appears(&self) {
        // Tools load code by ROCr's own functions, and nothing else tells of it.
        let _ = contain(variables::look, || ());
    }

    fn function(&self, pc: u64) -> Option<HeapCall> {
        known().functions.get(&pc)?.effect
    }

    fn owner(&self, pc: u64) -> Option<u32> {
        let known = known();
        let (_, function) = known.functions.range(..=pc).next_back()?;
        (pc < function.end).then_some(function.number)
    }

    fn allocated(&self, address: u64, size: u64) {
        let _ = contain(|| facts::heap_allocated(address, size), || ());
    }

    fn freed(&self, address: u64) -> bool {
        let is_right = contain(|| facts::heap_freed(address), || ());
        let is_refused = exact::is_wanted() && !SOME_ARE_UNKNOWN.load(Ordering::Relaxed);
        is_right != Some(false) || !is_refused
    }
}

/// An object was loaded at this address. True if its kernels allocate memory.
pub fn loaded(memory: &Memory, base: u64, object: &CodeObject<'_>) -> bool {
    let symbols = object.symbols().iter();
    let functions = symbols.filter(|symbol| symbol.kind == SymbolKind::Function);
    let effect = |name: &str| {
        let mut all = FUNCTIONS.iter();
        all.find(|(known, _)| *known == name).map(|one| one.1)
    };
    if functions
        .clone()
        .all(|symbol| effect(symbol.name).is_none())
    {
        if !names_functions(object) && may_allocate(object) {
            SOME_ARE_UNKNOWN.store(true, Ordering::Relaxed);
        }
        return false;
    }
    let mut loaded = LOADED.write().unwrap_or_else(PoisonError::into_inner);
    let Known {
        functions: all,
        numbers,
    } = &mut *loaded;
    // An object that was there before leaves none behind.
    let place = base..base + object.image().size;
    all.retain(|start, _| !place.contains(start));
    for symbol in functions {
        let next = numbers.len() as u32;
        let number = *numbers.entry(symbol.name.to_owned()).or_insert(next);
        let start = base + symbol.value;
        let function = Function {
            end: start + symbol.size,
            number,
            effect: effect(symbol.name),
        };
        all.insert(start, function);
    }
    drop(loaded);
    memory.keep_account(Box::new(Account));
    true
}

/// Returns `true` if the symbol table has functions that only this object knows.
fn names_functions(object: &CodeObject<'_>) -> bool {
    let known = object.dynamic_symbols();
    let is_known = |name| known.iter().any(|one| one.name == name);
    let functions = object.symbols().iter();
    functions
        .filter(|symbol| symbol.kind == SymbolKind::Function)
        .any(|symbol| !is_known(symbol.name))
}

/// Returns `true` if a kernel gets what the device library needs in order to allocate.
fn may_allocate(object: &CodeObject<'_>) -> bool {
    let metadata = object.metadata().ok().flatten();
    let kernels = metadata.map(|metadata| metadata.kernels());
    let arguments = kernels.iter().flatten().flat_map(|one| &one.arguments);
    arguments
        .filter_map(|argument| match &argument.kind {
            ArgumentKind::Hidden(name) => Some(name.as_str()),
            _ => None,
        })
        .any(|name| NEEDED.contains(&name))
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
