//! The fat binaries that the program and its libraries have registered with HIP.

use std::{ffi::c_void, sync::Mutex};

use drain::runtime::Registered;
use guest::{lock, memory};

use crate::{
    preload::{HIP, real_in},
    state,
};

/// First word of the structure that is registered: `HIPF`.
const MAGIC: u32 = 0x4849_5046;
/// Where the structure has the address of the fat binary.
const ADDRESS_AT: u64 = 8;

struct Known {
    /// What HIP calls it.
    handle: usize,
    binary: Registered,
}

struct List {
    last: u64,
    known: Vec<Known>,
}

static LIST: Mutex<List> = Mutex::new(List {
    last: 0,
    known: Vec::new(),
});

/// Those that are registered now. A forked child gets none if another thread of its parent was registering one.
pub fn all() -> Vec<Registered> {
    let list = LIST.try_lock();
    list.map_or_else(
        |_| Vec::new(),
        |list| list.known.iter().map(|known| known.binary).collect(),
    )
}

fn add(wrapper: u64, handle: usize) {
    let is_known = memory::word(wrapper).is_some_and(|word| word as u32 == MAGIC);
    let Some(address) = wrapper.checked_add(ADDRESS_AT).and_then(memory::word) else {
        return;
    };
    if !is_known {
        return;
    }
    let mut list = lock(&LIST);
    list.last += 1;
    let binary = Registered {
        number: list.last,
        address,
    };
    list.known.push(Known { handle, binary });
}

/// # Safety
/// The caller must keep the rules of the HIP function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __hipRegisterFatBinary(data: *const c_void) -> *mut *mut c_void {
    type Register = unsafe extern "C" fn(*const c_void) -> *mut *mut c_void;
    let address = real_in(HIP, c"__hipRegisterFatBinary");
    if address.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: the symbol of this name has this type.
    let handle = unsafe { std::mem::transmute::<*mut c_void, Register>(address)(data) };
    state::contained(|| add(data as u64, handle as usize));
    handle
}

/// # Safety
/// The caller must keep the rules of the HIP function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __hipUnregisterFatBinary(module: *mut *mut c_void) {
    state::dump();
    state::contained(|| {
        lock(&LIST)
            .known
            .retain(|known| known.handle != module as usize)
    });
    type Unregister = unsafe extern "C" fn(*mut *mut c_void);
    let address = real_in(HIP, c"__hipUnregisterFatBinary");
    if !address.is_null() {
        // SAFETY: the symbol of this name has this type.
        unsafe { std::mem::transmute::<*mut c_void, Unregister>(address)(module) }
    }
}
