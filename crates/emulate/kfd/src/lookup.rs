//! Functions that a program looks up in the C library itself, as Python's `ctypes.CDLL("libc.so.6")` does: what it gets opens and maps
//! our devices, too, and is the C library's own function for everything else.
//!
//! `dlsym` depends on the address it was called from, so this one leaves no frame: every other question reaches the next `dlsym` as if this
//! one did not exist.

use std::{
    ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void},
    ptr,
    sync::atomic::{AtomicPtr, Ordering},
};

use crate::{
    calls, compiler, first_call,
    next::{answer, fail},
    open, unmapping,
};

/// The next `dlsym` after this library's.
static BEHIND: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    core::arch::naked_asm!(
        "mov rdx, qword ptr [rsp]",
        "push rdi",
        "push rsi",
        "sub rsp, 8",
        "call {find}",
        "add rsp, 8",
        "pop rsi",
        "pop rdi",
        "test rax, rax",
        "jne 2f",
        "jmp qword ptr [rip + {behind}]",
        "2:",
        "ret",
        find = sym find,
        behind = sym BEHIND,
    )
}

/// The name by which programs open the C library.
const LIBRARY: &CStr = c"libc.so.6";

/// A function that stands for the C library's.
struct Function {
    name: &'static CStr,
    ours: unsafe extern "C" fn(),
    /// The C library's function, looked up when a program first asks for this library's.
    theirs: AtomicPtr<c_void>,
}

macro_rules! functions {
    ($($name:ident as $ours:ident ($($argument:ident: $type:ty),*) -> $result:ty, or $absent:expr => $here:expr;)*) => {
        static FUNCTIONS: [Function; 9] = [$(
            Function {
                name: {
                    // SAFETY: the name is given a zero at its end and has none before.
                    unsafe { CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes()) }
                },
                // SAFETY: only callers that know the function's type call it.
                ours: unsafe {
                    std::mem::transmute::<unsafe extern "C" fn($($type),*) -> $result, unsafe extern "C" fn()>($ours)
                },
                theirs: AtomicPtr::new(ptr::null_mut()),
            },
        )*];
        $(
            unsafe extern "C" fn $ours($($argument: $type),*) -> $result {
                // SAFETY: the arguments are the caller's own.
                if let Some(result) = unsafe { $here } {
                    return result;
                }
                let theirs = theirs(stringify!($name));
                if theirs.is_null() {
                    fail(libc::ENOSYS);
                    return $absent;
                }
                // SAFETY: this is the function of that name, which has this type.
                unsafe {
                    let theirs: unsafe extern "C" fn($($type),*) -> $result = std::mem::transmute(theirs);
                    theirs($($argument),*)
                }
            }
        )*
    };
}

functions! {
    mmap as map(address: *mut c_void, length: usize, protection: c_int, flags: c_int, descriptor: c_int, offset: i64) -> *mut c_void,
        or libc::MAP_FAILED => calls::map(address, length, protection, flags, descriptor, offset);
    mmap64 as map64(address: *mut c_void, length: usize, protection: c_int, flags: c_int, descriptor: c_int, offset: i64) -> *mut c_void,
        or libc::MAP_FAILED => calls::map(address, length, protection, flags, descriptor, offset);
    ioctl as command(descriptor: c_int, request: c_ulong, argument: *mut c_void) -> c_int,
        or -1 => calls::command(descriptor, request, argument);
    munmap as unmap(address: *mut c_void, length: usize) -> c_int,
        or -1 => unmapping::told(address, length);
    mremap as remap(address: *mut c_void, old: usize, new: usize, flags: c_int, place: *mut c_void) -> *mut c_void,
        or libc::MAP_FAILED => Some(unmapping::mremap(address, old, new, flags, place));
    open as open_file(path: *const c_char, flags: c_int, mode: c_uint) -> c_int,
        or -1 => open::descriptor(libc::AT_FDCWD, path, flags).map(answer);
    open64 as open_file64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int,
        or -1 => open::descriptor(libc::AT_FDCWD, path, flags).map(answer);
    openat as open_at(directory: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int,
        or -1 => open::descriptor(directory, path, flags).map(answer);
    openat64 as open_at64(directory: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int,
        or -1 => open::descriptor(directory, path, flags).map(answer);
}

fn theirs(name: &str) -> *mut c_void {
    let mut all = FUNCTIONS.iter();
    let found = all.find(|function| function.name.to_bytes() == name.as_bytes());
    found.map_or(ptr::null_mut(), |function| {
        function.theirs.load(Ordering::Acquire)
    })
}

type Lookup = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;

/// Finds nothing. Used if there is no `dlsym` after this library's.
unsafe extern "C" fn nothing(_: *mut c_void, _: *const c_char) -> *mut c_void {
    ptr::null_mut()
}

/// The address of this library's function if `name` is looked up in the C library; otherwise null, and `BEHIND` answers.
unsafe extern "C" fn find(
    handle: *mut c_void,
    name: *const c_char,
    caller: *const c_void,
) -> *mut c_void {
    let behind = behind();
    if name.is_null() || handle == libc::RTLD_DEFAULT || handle == libc::RTLD_NEXT {
        return ptr::null_mut();
    }
    // SAFETY: the caller's string.
    let name = unsafe { CStr::from_ptr(name) };
    first_call::be_in_time();
    if first_call::is_wanted() && first_call::is_of_hip(name) && !first_call::is_below(caller) {
        // SAFETY: the caller's handle and name.
        return first_call::instead_of(name, unsafe { behind(handle, name.as_ptr()) });
    }
    if name == compiler::NAME {
        // SAFETY: the caller's handle and name.
        return compiler::instead_of(unsafe { behind(handle, name.as_ptr()) });
    }
    let Some(function) = FUNCTIONS.iter().find(|function| function.name == name) else {
        return ptr::null_mut();
    };
    if handle != library() {
        return ptr::null_mut();
    }
    // SAFETY: the handle is the C library's, the name a string.
    let theirs = unsafe { behind(handle, name.as_ptr()) };
    if theirs.is_null() {
        return theirs;
    }
    function.theirs.store(theirs, Ordering::Release);
    function.ours as *mut c_void
}

fn behind() -> Lookup {
    let mut known = BEHIND.load(Ordering::Acquire);
    if known.is_null() {
        for version in [c"GLIBC_2.34", c"GLIBC_2.2.5"] {
            // SAFETY: both are strings; looking symbols up is allowed at any time.
            known = unsafe { libc::dlvsym(libc::RTLD_NEXT, c"dlsym".as_ptr(), version.as_ptr()) };
            if !known.is_null() {
                break;
            }
        }
        if known.is_null() {
            known = nothing as *const () as *mut c_void;
        }
        BEHIND.store(known, Ordering::Release);
    }
    // SAFETY: a function of this type.
    unsafe { std::mem::transmute::<*mut c_void, Lookup>(known) }
}

/// The handle that programs get of the C library.
fn library() -> *mut c_void {
    static HANDLE: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
    let known = HANDLE.load(Ordering::Acquire);
    if !known.is_null() {
        return known;
    }
    // SAFETY: the library is loaded, so nothing is but a handle counted.
    let handle = unsafe { libc::dlopen(LIBRARY.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    HANDLE.store(handle, Ordering::Release);
    handle
}
