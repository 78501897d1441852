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
use guest::{
    library,
    memory::{self, Pieces},
};
use hsa_tool::{Origin, Uri};

use crate::images;

/// Address of ROCr's `r_debug`; 0 before it was told.
static DEBUG_LIST: AtomicU64 = AtomicU64::new(0);

/// The offset of the state in `r_debug`, and its value while ROCr does not change the list.
const STATE: u64 = 24;
/// The offset of the first entry's address.
const FIRST: u64 = 8;
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

/// ROCr's list as it was read.
pub struct List {
    pub objects: Vec<Loaded>,
    memory: Pieces,
}

impl List {
    /// Reads the list, but none of the objects. `None` if it cannot be read, or is being changed: who changes it looks at it afterwards.
    pub fn read() -> Option<List> {
        match DEBUG_LIST.load(Ordering::Acquire) {
            0 => None,
            debug => List::at(debug),
        }
    }

    fn at(debug: u64) -> Option<List> {
        let is_consistent = || Some(memory::word(debug + STATE)? as u32 == CONSISTENT);
        if !is_consistent()? {
            return None;
        }
        let mut memory = Pieces::default();
        let first = memory::word(debug + FIRST)?;
        memory.add(debug + FIRST, &first.to_le_bytes());
        let (objects, is_whole) = loaded(first, &mut memory);
        memory.add(debug + STATE, &CONSISTENT.to_le_bytes());
        (is_whole && is_consistent()?).then_some(List { objects, memory })
    }

    /// Returns `true` if the list has not changed since. It takes a quarter of the time that reading takes.
    pub fn is_current(&self) -> bool {
        self.memory.are_there()
    }
}

/// The loaded code object around `pc`: where its address 0 is, and its bytes.
pub fn object(pc: u64) -> Option<(u64, Vec<u8>)> {
    let debug = DEBUG_LIST.load(Ordering::Acquire);
    let list = match debug {
        0 => 0,
        debug => memory::word(debug + FIRST)?,
    };
    let (mut objects, _) = loaded(list, &mut Pieces::default());
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

/// Follows the linked list (`link_map` of the C library: address, name, dynamic section, next, previous); true if it came to the end. Adds
/// all that it reads to `pieces`.
fn loaded(mut entry: u64, pieces: &mut Pieces) -> (Vec<Loaded>, bool) {
    let mut objects = Vec::new();
    while entry != 0 && objects.len() < ENTRY_LIMIT {
        let mut read = || {
            let bytes = memory::bytes(entry, 32)?;
            let (words, _) = bytes.as_chunks::<8>();
            let [base, name, _, next] = *words else {
                return None;
            };
            let name = u64::from_le_bytes(name);
            let uri = memory::string(name, URI_LIMIT)?;
            pieces.add(entry, &bytes);
            pieces.add(name, &[uri.as_bytes(), &[0]].concat());
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
    #[cfg(test)]
    pub fn at(base: u64, uri: &str) -> Loaded {
        let uri = uri.to_owned();
        Loaded { base, uri }
    }

    /// Returns `true` if the object was loaded from memory of this process.
    pub fn is_in_memory(&self) -> bool {
        Uri::parse(&self.uri).is_some_and(|uri| matches!(uri.origin, Origin::Memory))
    }

    /// The code object's bytes.
    pub fn read(&self) -> Option<Vec<u8>> {
        match images::of(self) {
            Some(copy) => Some(copy.to_vec()),
            None => self.source(),
        }
    }

    /// The bytes that are now where the object was loaded from.
    pub fn source(&self) -> Option<Vec<u8>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A list as ROCr has it, of objects with names of one length.
    struct Made {
        debug: Box<[u64; 5]>,
        entries: Vec<[u64; 4]>,
        names: Vec<String>,
    }

    impl Made {
        fn new(count: u64) -> Made {
            let names = (0..count).map(|number| format!("file:///a#offset={number:06}\0"));
            let mut made = Made {
                debug: Box::new([1, 0, 0, CONSISTENT.into(), 0]),
                entries: vec![[0; 4]; count as usize],
                names: names.collect(),
            };
            made.link(count as usize);
            made
        }

        /// Puts so many objects into the list.
        fn link(&mut self, count: usize) {
            let next = |entries: &[[u64; 4]], at: usize| {
                let entry = (at < count).then(|| entries[at].as_ptr() as u64);
                entry.unwrap_or(0)
            };
            for at in 0..count {
                let name = self.names[at].as_ptr() as u64;
                let behind = next(&self.entries, at + 1);
                self.entries[at] = [at as u64 * 0x1000, name, 0, behind];
            }
            self.debug[1] = next(&self.entries, 0);
        }

        fn address(&self) -> u64 {
            self.debug.as_ptr() as u64
        }

        fn read(&self) -> List {
            List::at(self.address()).unwrap()
        }
    }

    #[test]
    fn a_list_is_current_until_it_changes() {
        let mut made = Made::new(700);
        made.link(699);
        let uris = |list: &List| {
            let all = list.objects.iter();
            all.map(|one| (one.base, one.uri.clone()))
                .collect::<Vec<_>>()
        };
        let all = (0..700u64).map(|at| (at * 0x1000, format!("file:///a#offset={at:06}")));
        let all: Vec<_> = all.collect();
        let known = made.read();
        assert_eq!(uris(&known), all[..699]);
        assert!(known.is_current());
        // An object behind the last one.
        made.link(700);
        assert!(!known.is_current());
        let known = made.read();
        assert_eq!(uris(&known), all);
        // Another one in the same place, with another name in its place.
        made.names[350].replace_range(17..18, "7");
        assert!(!known.is_current());
        assert_eq!(uris(&made.read())[350].1, "file:///a#offset=700350");
        made.names[350].replace_range(17..18, "0");
        assert!(known.is_current());
        made.entries[3][0] += 0x100;
        assert!(!known.is_current());
        made.entries[3][0] -= 0x100;
        // The first one is gone.
        made.debug[1] = made.entries[1].as_ptr() as u64;
        assert!(!known.is_current());
        made.link(700);
        assert!(known.is_current());
        // It is about to change.
        made.debug[3] = 1;
        assert!(!known.is_current() && List::at(made.address()).is_none());
    }
}
