//! Source lines of loaded code, from the list that ROCr keeps for debuggers.
//!
//! The loader copies only what a kernel needs to the device, no debug information. But it lists every loaded code object
//! with its load address and a URI that says where the whole of it is: a range of a file, or of this process's memory.
//! Everything here is read through the kernel, because the list and what it points to may go away at any time.

use std::{
    fs::File,
    os::unix::fs::FileExt,
    sync::atomic::{AtomicU64, Ordering},
};

use codeobj::{CodeObject, SourceLines};
use guest::{library, memory};
use hsa_tool::{Origin, Uri};

/// Address of ROCr's `r_debug`; 0 before it was told.
static DEBUG_LIST: AtomicU64 = AtomicU64::new(0);

/// The offset of the state in `r_debug`, and its value while ROCr does not change the list.
const STATE: u64 = 24;
const CONSISTENT: u32 = 0;
/// Most entries read of a list, which could be damaged.
const ENTRY_LIMIT: usize = 100_000;
/// Longest URI read.
const URI_LIMIT: usize = 8 << 10;
/// Largest code object read; its debug sections take most of it.
const OBJECT_LIMIT: u64 = 1 << 30;

/// Remembers where the `r_debug` of ROCr is.
pub fn set_debug_list(address: u64) {
    DEBUG_LIST.store(address, Ordering::Release);
}

/// Finds the `r_debug` of a ROCr that keeps it to itself, by the name under which debuggers find it.
pub fn find_debug_list() {
    const RUNTIME: &std::ffi::CStr = c"libhsa-runtime64.so.1";
    const SYMBOL: &std::ffi::CStr = c"_amdgpu_r_debug";
    if DEBUG_LIST.load(Ordering::Acquire) != 0 {
        return;
    }
    let address = library::symbol(RUNTIME, SYMBOL).map_or_else(
        // SAFETY: the name ends with a zero.
        || unsafe { libc::dlsym(libc::RTLD_DEFAULT, SYMBOL.as_ptr()) },
        |symbol| symbol.as_ptr(),
    );
    set_debug_list(address as u64);
}

/// The source of the instruction at `pc`, if its code object has line tables.
pub fn describe(pc: u64) -> Option<String> {
    let (base, bytes) = object(pc)?;
    let object = CodeObject::parse(&bytes).ok()?;
    SourceLines::read(&object).ok()??.describe(pc - base)
}

/// File and line of the innermost function of the instruction at `pc`, if its code object has line tables.
pub fn line(pc: u64) -> Option<(String, u32)> {
    let (base, bytes) = object(pc)?;
    let object = CodeObject::parse(&bytes).ok()?;
    SourceLines::read(&object).ok()??.line(pc - base).ok()?
}

/// All loaded code objects, none of which has been read. `None` if the list cannot be read, or is being changed: who changes it looks
/// at it afterwards.
pub fn objects() -> Option<Vec<Loaded>> {
    let debug = DEBUG_LIST.load(Ordering::Acquire);
    if debug == 0 {
        return None;
    }
    let is_consistent = || Some(memory::word(debug + STATE)? as u32 == CONSISTENT);
    if !is_consistent()? {
        return None;
    }
    let (objects, is_whole) = loaded(memory::word(debug + 8)?);
    (is_whole && is_consistent()?).then_some(objects)
}

/// The loaded code object around `pc`: where its address 0 is, and its bytes.
pub fn object(pc: u64) -> Option<(u64, Vec<u8>)> {
    let debug = DEBUG_LIST.load(Ordering::Acquire);
    let list = match debug {
        0 => 0,
        debug => memory::word(debug + 8)?,
    };
    let (mut objects, _) = loaded(list);
    // The one that contains `pc` starts closest below it.
    objects.retain(|object| object.base <= pc);
    let found = objects.iter().max_by_key(|object| object.base)?;
    let bytes = found.read()?;
    let size = CodeObject::parse(&bytes).ok()?.image().size;
    (pc - found.base < size).then_some((found.base, bytes))
}

/// One entry of the list.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Loaded {
    /// The address of the code object's address 0.
    pub base: u64,
    uri: String,
}

/// Follows the linked list (`link_map` of the C library: address, name, dynamic section, next, previous); true if it came to the end.
fn loaded(mut entry: u64) -> (Vec<Loaded>, bool) {
    let mut objects = Vec::new();
    while entry != 0 && objects.len() < ENTRY_LIMIT {
        let read = || {
            let bytes = memory::bytes(entry, 32)?;
            let (words, _) = bytes.as_chunks::<8>();
            let [base, name, _, next] = *words else {
                return None;
            };
            let uri = memory::string(u64::from_le_bytes(name), URI_LIMIT)?;
            let base = u64::from_le_bytes(base);
            Some((Loaded { base, uri }, u64::from_le_bytes(next)))
        };
        let Some((object, next)) = read() else { break };
        objects.push(object);
        entry = next;
    }
    (objects, entry == 0)
}

impl Loaded {
    /// The code object's bytes.
    pub fn read(&self) -> Option<Vec<u8>> {
        let Uri {
            origin,
            offset,
            size,
        } = Uri::parse(&self.uri)?;
        let size = size.filter(|size| *size <= OBJECT_LIMIT);
        match origin {
            Origin::Memory => memory::bytes(offset?, size? as usize),
            Origin::File { path } => match offset.zip(size) {
                None => std::fs::read(path).ok(),
                Some((offset, size)) => {
                    let mut bytes = vec![0; size as usize];
                    let file = File::open(path).ok()?;
                    file.read_exact_at(&mut bytes, offset).ok()?;
                    Some(bytes)
                }
            },
        }
    }
}
