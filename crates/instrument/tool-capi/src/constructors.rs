//! Constructors of a tool's library, which `luthier tool build` hides from the loader: its lock must not be held by code that
//! may never come back.

use std::{
    collections::BTreeSet,
    ffi::{c_char, c_int, c_void},
    ptr::NonNull,
    sync::Mutex,
};

use crate::tool::lock;

/// As in `tool-build`.
const HIDDEN: u64 = 0x6000_1000;
/// `DT_INIT_ARRAY`, and the size of what it points to.
const ARRAY: u64 = HIDDEN + 25;
const ARRAY_SIZE: u64 = HIDDEN + 27;

/// The beginning of `struct link_map`.
#[repr(C)]
struct LinkMap {
    base: usize,
    name: *const c_char,
    dynamic: *const Dynamic,
}

/// `Elf64_Dyn`.
#[repr(C)]
struct Dynamic {
    tag: u64,
    value: u64,
}

type Constructor =
    extern "C" fn(c_int, *const *const c_char, *const *const c_char, *const *const c_char);

/// The addresses of libraries whose constructors have begun. A library that is loaded again has the same address.
static DONE: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

/// Runs the hidden constructors, in their order, the first time.
///
/// # Safety
/// `library` must be a library that `dlopen` has loaded.
pub unsafe fn run(library: NonNull<c_void>) {
    let mut map: *const LinkMap = std::ptr::null();
    // SAFETY: a loaded library; the result is a pointer to the loader's description of it, which lives as long.
    let found = unsafe {
        libc::dlinfo(
            library.as_ptr(),
            libc::RTLD_DI_LINKMAP,
            (&raw mut map).cast(),
        )
    };
    if found != 0 || map.is_null() {
        return;
    }
    // SAFETY: `dlinfo` has stored a pointer to the loader's description, which lives as long as the library.
    let base = unsafe { (*map).base };
    if !lock(&DONE).insert(base) {
        return;
    }
    let (mut array, mut size) = (0, 0);
    // SAFETY: the dynamic section ends with a tag of 0.
    unsafe {
        let mut entry = (*map).dynamic;
        while !entry.is_null() && (*entry).tag != 0 {
            match (*entry).tag {
                ARRAY => array = (*entry).value as usize,
                ARRAY_SIZE => size = (*entry).value as usize,
                _ => {}
            }
            entry = entry.add(1);
        }
    }
    if array == 0 {
        return;
    }
    // SAFETY: the entries give an array of functions in the library, relative to where it lies; the loader has relocated it.
    let constructors: &[Option<Constructor>] = unsafe {
        let first = (base + array) as *const Option<Constructor>;
        std::slice::from_raw_parts(first, size / size_of::<Constructor>())
    };
    for constructor in constructors.iter().flatten() {
        constructor(0, std::ptr::null(), std::ptr::null(), std::ptr::null());
    }
}
