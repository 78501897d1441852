//! The fat binaries that the program and its libraries have registered with HIP.

use std::{
    ffi::{CStr, c_void},
    sync::{Mutex, MutexGuard, TryLockError},
    time::Duration,
};

use drain::runtime::Registered;
use guest::memory;

use crate::{
    preload::{HIP, real_in, real_near},
    state,
};

/// First word of the structure that is registered: `HIPF`.
const MAGIC: u32 = 0x4849_5046;
/// The offset of the fat binary's address in the structure.
const ADDRESS_AT: u64 = 8;

/// Tries to get at the list, with a pause after each. A forked child never gets it if another thread of its parent held it.
const TRIES: u32 = 200;
const PAUSE: Duration = Duration::from_millis(1);

const REGISTER: &CStr = c"__hipRegisterFatBinary";
const UNREGISTER: &CStr = c"__hipUnregisterFatBinary";

type Register = unsafe extern "C" fn(*const c_void) -> *mut *mut c_void;
type Unregister = unsafe extern "C" fn(*mut *mut c_void);

struct Known {
    /// HIP's handle of it.
    handle: usize,
    /// The function of the HIP that has it.
    unregister: usize,
    /// None if it is no fat binary that we know.
    binary: Option<Registered>,
}

struct List {
    last: u64,
    known: Vec<Known>,
}

static LIST: Mutex<List> = Mutex::new(List {
    last: 0,
    known: Vec::new(),
});

/// None if it stays locked: a program that registers or ends must not wait for ever.
fn list() -> Option<MutexGuard<'static, List>> {
    for _ in 0..TRIES {
        match LIST.try_lock() {
            Ok(list) => return Some(list),
            Err(TryLockError::Poisoned(list)) => return Some(list.into_inner()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
    None
}

/// The fat binaries that are registered now. A forked child gets none if another thread of its parent was registering one.
pub fn all() -> Vec<Registered> {
    let list = list();
    let known = list.iter().flat_map(|list| &list.known);
    known.filter_map(|known| known.binary).collect()
}

/// Address of the fat binary in the structure that is registered.
fn binary(wrapper: u64) -> Option<u64> {
    memory::word(wrapper).filter(|word| *word as u32 == MAGIC)?;
    memory::word(wrapper.checked_add(ADDRESS_AT)?)
}

/// An entry that is missing or stale, for want of the list, is harmless: the bytes at its address are checked.
fn add(wrapper: u64, handle: usize, unregister: usize) {
    let address = binary(wrapper);
    let Some(mut list) = list() else { return };
    list.last += 1;
    let number = list.last;
    list.known.push(Known {
        handle,
        unregister,
        binary: address.map(|address| Registered { number, address }),
    });
}

/// Forgets it, and returns the function of the HIP that has it.
fn take(handle: usize) -> Option<usize> {
    let mut list = list()?;
    let at = list.known.iter().position(|known| known.handle == handle)?;
    let unregister = list.known.remove(at).unregister;
    (unregister != 0).then_some(unregister)
}

/// # Safety
/// The caller must keep the rules of the HIP function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __hipRegisterFatBinary(data: *const c_void) -> *mut *mut c_void {
    let find = |name| state::contained(|| real_near(data, HIP, name));
    let address = find(REGISTER).unwrap_or(std::ptr::null_mut());
    if address.is_null() {
        return std::ptr::null_mut();
    }
    let unregister = find(UNREGISTER).map_or(0, |address| address as usize);
    // SAFETY: the symbol of this name has this type.
    let handle = unsafe { std::mem::transmute::<*mut c_void, Register>(address)(data) };
    state::contained(|| add(data as u64, handle as usize, unregister));
    handle
}

/// # Safety
/// The caller must keep the rules of the HIP function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __hipUnregisterFatBinary(module: *mut *mut c_void) {
    state::dump();
    let address = state::contained(|| {
        let known = take(module as usize).map(|address| address as *mut c_void);
        known.unwrap_or_else(|| real_in(HIP, UNREGISTER))
    });
    if let Some(address) = address.filter(|address| !address.is_null()) {
        // SAFETY: the symbol of this name has this type.
        unsafe { std::mem::transmute::<*mut c_void, Unregister>(address)(module) }
    }
}
