//! Interposed functions, for runtimes that load no tools and for deaths that run no exit handlers.
//!
//! In a preloaded library, or linked into the program, these come before the real ones in symbol order. They forward
//! everything; where the table hooks of [`crate::tool`] are in place, they do nothing else.

use std::{
    ffi::{CStr, CString, c_void},
    os::unix::ffi::OsStringExt,
    ptr::NonNull,
    sync::atomic::{AtomicBool, Ordering},
};

use guest::library;
use hsa_sys::{
    Handle, Status,
    constants::status,
    tables::{ExecutableDestroy, LoadAgentCodeObject, ShutDown},
};
use hsa_tool::Tables;

use crate::{
    runtime::NEEDED,
    state::{self, say},
    tool,
};

/// Connected through symbols, not through a table: only then do the interposers below act.
static BY_SYMBOLS: AtomicBool = AtomicBool::new(false);

/// Names of the HSA runtime, newest first.
const HSA: &[&CStr] = &[c"libhsa-runtime64.so.1", c"libhsa-runtime64.so"];
/// Names of the HIP runtime, and of hipRTC where that is a library of its own.
pub const HIP: &[&CStr] = &[
    c"libamdhip64.so.7",
    c"libamdhip64.so.6",
    c"libamdhip64.so.5",
    c"libamdhip64.so",
    c"libhiprtc.so.7",
    c"libhiprtc.so.6",
    c"libhiprtc.so",
];

/// The real function of this name. The runtime may have been opened with `RTLD_LOCAL`, where `RTLD_NEXT` does not look; under a name of its
/// own, as in Python's wheels; or it is a part of another library.
pub fn real_in(libraries: &[&CStr], name: &CStr) -> *mut c_void {
    let found = known(libraries, name).or_else(|| anywhere(libraries, name));
    found.map_or(std::ptr::null_mut(), NonNull::as_ptr)
}

/// The same for a function that is called with an address in the caller's library. A runtime inside of that library comes first.
pub fn real_near(near: *const c_void, libraries: &[&CStr], name: &CStr) -> *mut c_void {
    let path = || CString::new(library::path_of(near)?.into_os_string().into_vec()).ok();
    match next(name).or_else(|| in_library(&path()?, name)) {
        Some(found) => found.as_ptr(),
        None => real_in(libraries, name),
    }
}

fn next(name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: a plain look-up of a string.
    NonNull::new(unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) })
}

/// The function after us in symbol order, or that of a library with a usual name.
fn known(libraries: &[&CStr], name: &CStr) -> Option<NonNull<c_void>> {
    let named = || {
        libraries
            .iter()
            .find_map(|library| in_library(library, name))
    };
    next(name).or_else(named)
}

/// The function of any library of the process; first of those that have a usual name with something after it.
fn anywhere(libraries: &[&CStr], name: &CStr) -> Option<NonNull<c_void>> {
    let stems: Vec<_> = libraries.iter().filter_map(|name| stem(name)).collect();
    let mut loaded = library::loaded();
    loaded.sort_by_key(|path| {
        let is_named = |stem: &Vec<u8>| library::contains(path.to_bytes(), stem);
        !stems.iter().any(is_named)
    });
    loaded.iter().find_map(|path| in_library(path, name))
}

/// `/libhiprtc` of `libhiprtc.so.7`.
fn stem(library: &CStr) -> Option<Vec<u8>> {
    let (stem, _) = library.to_str().ok()?.split_once(".so")?;
    Some(format!("/{stem}").into_bytes())
}

/// The function of one library, or of what that depends on, unless this library has it. The program may close the library afterwards.
fn in_library(library: &CStr, name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: both are strings, and nothing is loaded. The handle is closed once, and the library has other users: it was loaded before.
    let found = unsafe {
        let handle = libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if handle.is_null() {
            return None;
        }
        let found = NonNull::new(libc::dlsym(handle, name.as_ptr()));
        libc::dlclose(handle);
        found
    };
    found.filter(|found| !library::is_same(found.as_ptr(), real_in as *const c_void))
}

fn real(name: &CStr) -> *mut c_void {
    real_in(HSA, name)
}

/// Calls the real function, or answers "not initialised" when there is none.
macro_rules! forward {
    ($name:literal => $type:ty $(, $argument:expr)*) => {{
        let address = real($name);
        if address.is_null() {
            status::NOT_INITIALIZED
        } else {
            // SAFETY: the symbol of this name has this type, and the arguments are the caller's.
            unsafe { std::mem::transmute::<*mut c_void, $type>(address)($($argument),*) }
        }
    }};
}

/// # Safety
/// The caller must keep the rules of the HSA function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_init() -> Status {
    let status = forward!(c"hsa_init" => ShutDown);
    if status == status::SUCCESS && !state::is_armed() {
        state::contained(connect);
    }
    status
}

fn connect() {
    // One runtime's functions: what a known one lacks is not another's.
    let is_known = known(HSA, c"hsa_init").is_some();
    let find = |name: &str| match CString::new(name) {
        Ok(name) if is_known => known(HSA, &name).map_or(std::ptr::null_mut(), NonNull::as_ptr),
        Ok(name) => real(&name),
        Err(_) => std::ptr::null_mut(),
    };
    // SAFETY: these are the runtime's exported functions.
    match unsafe { Tables::of_symbols(find, NEEDED) } {
        Ok(tables) => {
            BY_SYMBOLS.store(true, Ordering::Release);
            state::arm(tables);
        }
        Err(missing) => say(&format!(
            "this HSA runtime lacks {missing}; no device profile is written"
        )),
    }
}

/// # Safety
/// The caller must keep the rules of the HSA function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_shut_down() -> Status {
    if BY_SYMBOLS.load(Ordering::Acquire) {
        state::dump();
    }
    forward!(c"hsa_shut_down" => ShutDown)
}

/// # Safety
/// The caller must keep the rules of the HSA function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_executable_destroy(executable: Handle) -> Status {
    if BY_SYMBOLS.load(Ordering::Acquire) {
        tool::before_destroy(executable);
    }
    forward!(c"hsa_executable_destroy" => ExecutableDestroy, executable)
}

/// # Safety
/// The caller must keep the rules of the HSA function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_executable_load_agent_code_object(
    executable: Handle,
    agent: Handle,
    reader: Handle,
    options: *const libc::c_char,
    object: *mut Handle,
) -> Status {
    let status = forward!(
        c"hsa_executable_load_agent_code_object" => LoadAgentCodeObject, executable, agent, reader, options, object
    );
    if status == status::SUCCESS && BY_SYMBOLS.load(Ordering::Acquire) {
        tool::after_load(executable);
    }
    status
}

fn exit_now(status: libc::c_int) -> ! {
    // SAFETY: ends the process as `_exit` does.
    unsafe {
        libc::syscall(libc::SYS_exit_group, status);
    }
    // The call above does not return; a trap is the only way left should it do so.
    std::process::abort()
}

/// No exit handler runs on this way out, so this is where it has to happen.
#[unsafe(no_mangle)]
pub extern "C" fn _exit(status: libc::c_int) -> ! {
    state::dump_in_emergency();
    exit_now(status)
}

/// The same under its C99 name.
#[unsafe(no_mangle)]
pub extern "C" fn _Exit(status: libc::c_int) -> ! {
    state::dump_in_emergency();
    exit_now(status)
}

/// Failed assertions of libraries, uncaught exceptions, and the runtime's answer to a GPU memory fault end here.
#[unsafe(no_mangle)]
pub extern "C" fn abort() -> ! {
    static ABORTING: AtomicBool = AtomicBool::new(false);
    if !ABORTING.swap(true, Ordering::AcqRel) {
        state::dump_in_emergency();
    }
    // SAFETY: the next `abort` is the C library's.
    unsafe {
        let address = libc::dlsym(libc::RTLD_NEXT, c"abort".as_ptr());
        if !address.is_null() {
            std::mem::transmute::<*mut c_void, extern "C" fn() -> !>(address)();
        }
        libc::signal(libc::SIGABRT, libc::SIG_DFL);
        libc::raise(libc::SIGABRT);
    }
    exit_now(134)
}

/// Failed assertions abort from inside the C library, past [`abort`]; ROCr's answer to a memory fault is one.
///
/// # Safety
/// The caller must keep the rules of the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __assert_fail(
    expression: *const libc::c_char,
    file: *const libc::c_char,
    line: libc::c_uint,
    function: *const libc::c_char,
) -> ! {
    type AssertFail = unsafe extern "C" fn(
        *const libc::c_char,
        *const libc::c_char,
        libc::c_uint,
        *const libc::c_char,
    ) -> !;
    state::dump_in_emergency();
    // SAFETY: the next function of this name is the C library's, and the arguments are the caller's.
    unsafe {
        let address = libc::dlsym(libc::RTLD_NEXT, c"__assert_fail".as_ptr());
        if !address.is_null() {
            std::mem::transmute::<*mut c_void, AssertFail>(address)(
                expression, file, line, function,
            )
        }
    }
    abort()
}
