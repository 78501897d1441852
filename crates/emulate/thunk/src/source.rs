//! Source lines of loaded code, from the list that ROCr keeps for debuggers.
//!
//! The loader copies only what a kernel needs to the device, no debug information. But it lists every loaded code object
//! with its load address and a URI that says where the whole of it is: a range of a file, or of this process's memory.
//! Everything here is read through `/proc/self/mem`, because the list and what it points to may go away at any time.

use std::{
    fs::File,
    os::unix::fs::FileExt,
    sync::atomic::{AtomicU64, Ordering},
};

use codeobj::{CodeObject, SourceLines};

/// Address of ROCr's `r_debug`; 0 before it was told.
static DEBUG_LIST: AtomicU64 = AtomicU64::new(0);

/// Most entries read of a list, which could be damaged.
const ENTRY_LIMIT: usize = 100_000;
/// Longest URI read.
const URI_LIMIT: u64 = 8 << 10;
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
    // SAFETY: both names end with a zero; the library is only asked for if it is loaded already, and stays loaded: the
    // program uses it.
    let address = unsafe {
        let runtime = libc::dlopen(RUNTIME.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if runtime.is_null() {
            libc::dlsym(libc::RTLD_DEFAULT, SYMBOL.as_ptr())
        } else {
            libc::dlsym(runtime, SYMBOL.as_ptr())
        }
    };
    set_debug_list(address as u64);
}

/// Where the instruction at `pc` comes from, if its code object has line tables.
pub fn describe(pc: u64) -> Option<String> {
    let (base, bytes) = object(pc)?;
    let object = CodeObject::parse(&bytes).ok()?;
    SourceLines::read(&object).ok()??.describe(pc - base)
}

/// The loaded code object around `pc`: where its address 0 is, and its bytes.
pub fn object(pc: u64) -> Option<(u64, Vec<u8>)> {
    let memory = OwnMemory::open()?;
    let debug = DEBUG_LIST.load(Ordering::Acquire);
    let list = if debug == 0 {
        0
    } else {
        memory.word(debug + 8)?
    };
    let mut objects = loaded(&memory, list);
    // The one that contains `pc` starts closest below it.
    objects.retain(|object| object.base <= pc);
    let found = objects.iter().max_by_key(|object| object.base)?;
    let bytes = found.read(&memory)?;
    let size = CodeObject::parse(&bytes).ok()?.image().size;
    (pc - found.base < size).then_some((found.base, bytes))
}

/// One entry of the list.
struct Loaded {
    /// Where the code object's address 0 is.
    base: u64,
    uri: String,
}

/// Follows the linked list (`link_map` of the C library: address, name, dynamic section, next, previous).
fn loaded(memory: &OwnMemory, mut entry: u64) -> Vec<Loaded> {
    let mut objects = Vec::new();
    while entry != 0 && objects.len() < ENTRY_LIMIT {
        let read = || {
            let base = memory.word(entry)?;
            let uri = memory.string(memory.word(entry + 8)?)?;
            Some((Loaded { base, uri }, memory.word(entry + 24)?))
        };
        let Some((object, next)) = read() else { break };
        objects.push(object);
        entry = next;
    }
    objects
}

impl Loaded {
    /// The code object's bytes.
    fn read(&self, memory: &OwnMemory) -> Option<Vec<u8>> {
        match Place::parse(&self.uri)? {
            Place::Memory { address, size } => memory.bytes(address, size),
            Place::File { path, range: None } => std::fs::read(path).ok(),
            Place::File {
                path,
                range: Some((offset, size)),
            } => read_at(&File::open(path).ok()?, offset, size),
        }
    }
}

/// What a URI says. Source: AMDGPU usage guide, "Loaded Code Object Path Uniform Resource Identifier".
#[derive(Debug, PartialEq, Eq)]
enum Place {
    File {
        path: String,
        range: Option<(u64, u64)>,
    },
    Memory {
        address: u64,
        size: u64,
    },
}

impl Place {
    fn parse(uri: &str) -> Option<Place> {
        let (body, fields) = match uri.split_once(['#', '?']) {
            Some((body, fields)) => (body, Some(fields)),
            None => (uri, None),
        };
        let field = |name| {
            let value = fields?
                .split('&')
                .find_map(|field| field.strip_prefix(name)?.strip_prefix('='))?;
            number(value)
        };
        let range = field("offset").zip(field("size"));
        if let Some(path) = body.strip_prefix("file://") {
            let path = unescape(path)?;
            return Some(Place::File { path, range });
        }
        body.strip_prefix("memory://")?;
        let (address, size) = range?;
        Some(Place::Memory { address, size })
    }
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Undoes percent encoding.
fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        match (first, tail) {
            (b'%', [high, low, after @ ..]) => {
                let digits = [*high, *low];
                let code = u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?;
                bytes.push(code);
                rest = after;
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// This process's memory as a file: reading what is not mapped is an error, not a crash.
pub struct OwnMemory(File);

impl OwnMemory {
    pub fn open() -> Option<OwnMemory> {
        File::open("/proc/self/mem").ok().map(OwnMemory)
    }

    fn word(&self, address: u64) -> Option<u64> {
        let mut bytes = [0; 8];
        self.0.read_exact_at(&mut bytes, address).ok()?;
        Some(u64::from_le_bytes(bytes))
    }

    pub fn bytes(&self, address: u64, size: u64) -> Option<Vec<u8>> {
        read_at(&self.0, address, size)
    }

    fn string(&self, address: u64) -> Option<String> {
        let mut bytes = vec![0; URI_LIMIT as usize];
        // The string may end just before memory that is not mapped.
        let read = self.0.read_at(&mut bytes, address).ok()?;
        let end = bytes[..read].iter().position(|byte| *byte == 0)?;
        bytes.truncate(end);
        String::from_utf8(bytes).ok()
    }
}

fn read_at(file: &File, offset: u64, size: u64) -> Option<Vec<u8>> {
    if size > OBJECT_LIMIT {
        return None;
    }
    let mut bytes = vec![0; size as usize];
    file.read_exact_at(&mut bytes, offset).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the usage guide.
    #[test]
    fn places_of_code_objects_are_understood() {
        let file = |path: &str, range| Place::File {
            path: path.to_owned(),
            range,
        };
        for (uri, place) in [
            (
                "file:///dir1/dir2/file1",
                Some(file("/dir1/dir2/file1", None)),
            ),
            (
                "file:///dir3/dir4/file2#offset=0x2000&size=3000",
                Some(file("/dir3/dir4/file2", Some((0x2000, 3000)))),
            ),
            (
                "memory://1234#offset=0x20000&size=3000",
                Some(Place::Memory {
                    address: 0x20000,
                    size: 3000,
                }),
            ),
            ("file:///a%20b%25", Some(file("/a b%", None))),
            ("memory://1234", None),
            ("http://elsewhere", None),
        ] {
            assert_eq!(Place::parse(uri), place, "{uri}");
        }
    }

    #[test]
    fn unmapped_memory_is_no_crash() {
        let memory = OwnMemory::open().expect("Linux has /proc/self/mem");
        assert_eq!(memory.word(8), None);
        let value = 0x0123_4567_89ab_cdef_u64;
        assert_eq!(memory.word(&raw const value as u64), Some(value));
    }
}
