//! Functions of this crate in place of a library's, for the program and its libraries.
//!
//! Each object that is loaded has a table of addresses of functions that it calls. This module writes the addresses
//! of its replacements there. It replaces `dlsym` in the same way, so that programs that look functions up get the
//! replacements, too.

use std::{
    ffi::{CStr, c_char, c_int, c_void},
    sync::{
        Mutex,
        atomic::{AtomicPtr, AtomicU64, Ordering},
    },
};

use guest::{library, lock};

/// One function that is replaced.
#[derive(Clone, Copy)]
pub struct Wrap {
    pub name: &'static CStr,
    pub ours: Ours,
    /// The library's function.
    pub original: &'static AtomicPtr<c_void>,
}

/// The address of the function that stands in.
#[derive(Clone, Copy)]
pub struct Ours(pub *const ());

// SAFETY: the address of code, which all threads may call.
unsafe impl Sync for Ours {}
// SAFETY: the same.
unsafe impl Send for Ours {}

/// Objects whose calls stay as they are: the library itself, the libraries below it, and Luthier's.
const EXCEPT: [&[u8]; 7] = [
    b"libamdhip64",
    b"libhsa-runtime64",
    b"luthier",
    b"libhsakmt",
    b"vdso",
    b"ld-linux",
    b"libc.so",
];

const DYNAMIC: u32 = libc::PT_DYNAMIC;
const RELRO: u32 = libc::PT_GNU_RELRO;
const SYMBOL_TABLE: i64 = 6;
const STRING_TABLE: i64 = 5;
const RELOCATIONS: [(i64, i64); 2] = [(23, 2), (7, 8)];
/// `R_X86_64_JUMP_SLOT` and `R_X86_64_GLOB_DAT`; `R_AARCH64_*`.
#[cfg(target_arch = "x86_64")]
const OF_FUNCTIONS: [u32; 2] = [7, 6];
#[cfg(target_arch = "aarch64")]
const OF_FUNCTIONS: [u32; 2] = [1026, 1025];

#[repr(C)]
struct Dynamic {
    tag: i64,
    value: u64,
}

#[repr(C)]
struct Relocation {
    offset: u64,
    info: u64,
    addend: i64,
}

#[repr(C)]
struct Symbol {
    name: u32,
    info: u8,
    other: u8,
    section: u16,
    value: u64,
    size: u64,
}

/// The state of a walk over the objects.
struct Walk<'a> {
    wraps: &'a [Wrap],
    own_base: u64,
    page: u64,
}

/// Replaces the functions in all objects that are loaded, if the library is. Called again, it looks only at a process that
/// has loaded more.
pub fn install(library: &[u8], wraps: &'static [Wrap]) {
    static SEEN: AtomicU64 = AtomicU64::new(0);
    static ONE: Mutex<()> = Mutex::new(());
    let loads = library::loads();
    if SEEN.load(Ordering::Acquire) == loads {
        return;
    }
    let _one = lock(&ONE);
    let Some(library) = library::loaded_as(library) else {
        SEEN.store(loads, Ordering::Release);
        return;
    };
    for wrap in wraps {
        if wrap.original.load(Ordering::Acquire).is_null() {
            let found = library::symbol(&library, wrap.name);
            let found = found.map_or(std::ptr::null_mut(), |symbol| symbol.as_ptr());
            wrap.original.store(found, Ordering::Release);
        }
    }
    look_up::of(wraps);
    let own = library::base_of(install as *const c_void).unwrap_or_default();
    // SAFETY: the call takes a number and has no other effect.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64;
    let mut walk = Walk {
        wraps,
        own_base: own as u64,
        page,
    };
    // SAFETY: the function has the right type, and the walk outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(in_object), (&raw mut walk).cast()) };
    SEEN.store(loads, Ordering::Release);
}

unsafe extern "C" fn in_object(
    object: *mut libc::dl_phdr_info,
    _: usize,
    walk: *mut c_void,
) -> c_int {
    // SAFETY: the walk of `install`, which outlives this call.
    let walk = unsafe { &*walk.cast::<Walk<'_>>() };
    // SAFETY: the loader's description of an object, valid during the call.
    let object = unsafe { &*object };
    // SAFETY: a string of the loader's, valid during the call.
    let name = unsafe { CStr::from_ptr(object.dlpi_name) }.to_bytes();
    let is_except = EXCEPT.iter().any(|part| library::contains(name, part));
    if !is_except && object.dlpi_addr != walk.own_base {
        // SAFETY: the object is loaded and relocated, and the loader keeps it during the call.
        unsafe { walk.replace_in(object) };
    }
    0
}

impl Walk<'_> {
    /// # Safety
    /// The object is loaded and relocated, and stays during the call.
    unsafe fn replace_in(&self, object: &libc::dl_phdr_info) {
        // SAFETY: the object's program headers, so many.
        let parts =
            unsafe { std::slice::from_raw_parts(object.dlpi_phdr, object.dlpi_phnum.into()) };
        let Some(dynamic) = parts.iter().find(|part| part.p_type == DYNAMIC) else {
            return;
        };
        let guarded = parts.iter().find(|part| part.p_type == RELRO);
        let guarded = guarded.map_or(0..0, |part| {
            let start = object.dlpi_addr + part.p_vaddr;
            start..start + part.p_memsz
        });
        let value = |tag: i64| {
            let mut at = (object.dlpi_addr + dynamic.p_vaddr) as *const Dynamic;
            // SAFETY: the dynamic section is loaded, and ends with an entry of tag 0.
            unsafe {
                while (*at).tag != 0 && (*at).tag != tag {
                    at = at.add(1);
                }
                ((*at).tag == tag).then_some((*at).value)
            }
        };
        let (Some(symbols), Some(names)) = (value(SYMBOL_TABLE), value(STRING_TABLE)) else {
            return;
        };
        // The vdso's are not relocated by the loader.
        if symbols < object.dlpi_addr || names < object.dlpi_addr {
            return;
        }
        for (list, size) in RELOCATIONS {
            let (Some(list), Some(size)) = (value(list), value(size)) else {
                continue;
            };
            let count = size as usize / size_of::<Relocation>();
            // SAFETY: the object's list of relocations, whose size it says.
            let list = unsafe { std::slice::from_raw_parts(list as *const Relocation, count) };
            for place in list {
                let symbol = (place.info >> 32) as usize;
                if symbol == 0 || !OF_FUNCTIONS.contains(&(place.info as u32)) {
                    continue;
                }
                // SAFETY: relocations name symbols of the object's table, and symbols names of its strings.
                let name = unsafe {
                    let symbol = &*(symbols as *const Symbol).add(symbol);
                    CStr::from_ptr((names + u64::from(symbol.name)) as *const c_char)
                };
                let slot = object.dlpi_addr + place.offset;
                if let Some(ours) = self.replacement(name) {
                    // SAFETY: the slot holds the address of a function, and `ours` takes the same arguments.
                    unsafe { self.write(slot, ours, guarded.contains(&slot)) };
                }
            }
        }
    }

    fn replacement(&self, name: &CStr) -> Option<usize> {
        if name == c"dlsym" {
            return look_up::replacement();
        }
        let mut wraps = self.wraps.iter();
        let wrap = wraps.find(|wrap| wrap.name == name)?;
        (!wrap.original.load(Ordering::Acquire).is_null()).then_some(wrap.ours.0 as usize)
    }

    /// # Safety
    /// `slot` is an entry of an object's table of functions.
    unsafe fn write(&self, slot: u64, ours: usize, guarded: bool) {
        // SAFETY: other threads read the entry as a whole.
        let entry = unsafe { AtomicPtr::from_ptr(slot as *mut *mut c_void) };
        if entry.load(Ordering::Acquire) as usize == ours {
            return;
        }
        let page = (slot & !(self.page - 1)) as *mut c_void;
        let both = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the page belongs to the object's table, which the loader has made read-only; it is made so again.
        unsafe {
            if guarded && libc::mprotect(page, self.page as usize, both) != 0 {
                return;
            }
            entry.store(ours as *mut c_void, Ordering::Release);
            if guarded {
                libc::mprotect(page, self.page as usize, libc::PROT_READ);
            }
        }
    }
}

/// Returns the function for a program that looks up this name and would get `found`.
pub fn instead_of(wraps: &[Wrap], name: &CStr, found: *mut c_void) -> *mut c_void {
    let mut wraps = wraps.iter();
    let wrap =
        wraps.find(|wrap| wrap.name == name && wrap.original.load(Ordering::Acquire) == found);
    wrap.map_or(found, |wrap| wrap.ours.0 as *mut c_void)
}

/// `dlsym`, which answers with our functions.
#[cfg(target_arch = "x86_64")]
mod look_up {
    use super::{AtomicPtr, CStr, Ordering, Wrap, c_char, c_void};

    type LookUp = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;

    static WRAPS: AtomicPtr<&'static [Wrap]> = AtomicPtr::new(std::ptr::null_mut());
    static ORIGINAL: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

    pub fn of(wraps: &'static [Wrap]) {
        if WRAPS.load(Ordering::Acquire).is_null() {
            ORIGINAL.store(libc::dlsym as *mut c_void, Ordering::Release);
            WRAPS.store(Box::leak(Box::new(wraps)), Ordering::Release);
        }
    }

    pub fn replacement() -> Option<usize> {
        (!WRAPS.load(Ordering::Acquire).is_null()).then_some(find as *const () as usize)
    }

    /// `RTLD_NEXT` depends on the caller, so calls with it go on as if they came from there.
    #[unsafe(naked)]
    unsafe extern "C" fn find(library: *mut c_void, name: *const c_char) -> *mut c_void {
        core::arch::naked_asm!(
            "cmp rdi, -1",
            "jne {ours}",
            "mov rax, qword ptr [rip + {original}]",
            "jmp rax",
            ours = sym ours,
            original = sym ORIGINAL,
        )
    }

    unsafe extern "C" fn ours(library: *mut c_void, name: *const c_char) -> *mut c_void {
        // SAFETY: `of` has kept `dlsym` before a caller could come here.
        let original: LookUp = unsafe { std::mem::transmute(ORIGINAL.load(Ordering::Acquire)) };
        // SAFETY: the caller's arguments.
        let found = unsafe { original(library, name) };
        if found.is_null() || name.is_null() {
            return found;
        }
        // A library that was loaded since is used for the first time when something in it was looked up.
        crate::hip::watch();
        // SAFETY: null, or what `of` has leaked.
        let wraps = unsafe { WRAPS.load(Ordering::Acquire).as_ref() };
        // SAFETY: the caller's string, by which something was found.
        let name = unsafe { CStr::from_ptr(name) };
        wraps.map_or(found, |wraps| super::instead_of(wraps, name, found))
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod look_up {
    pub fn of(_: &'static [super::Wrap]) {}

    pub fn replacement() -> Option<usize> {
        None
    }
}
