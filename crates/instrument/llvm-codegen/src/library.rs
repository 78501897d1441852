//! Loads the shim's shared object from this crate's bytes.

use crate::{
    Diagnostic, Error, Severity,
    ffi::{self, EntryPoints},
};
use std::{
    ffi::{CStr, CString, c_char, c_void},
    os::fd::{AsRawFd, FromRawFd, OwnedFd},
    sync::OnceLock,
};

static SHARED_OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libluthier_codegen.so"));

/// The shim's functions, loading it at the first call.
pub fn entry_points() -> Result<&'static EntryPoints, Error> {
    static LOADED: OnceLock<Result<EntryPoints, String>> = OnceLock::new();
    match LOADED.get_or_init(load) {
        Ok(entry_points) => Ok(entry_points),
        Err(reason) => Err(Error::Library {
            reason: reason.clone(),
        }),
    }
}

fn load() -> Result<EntryPoints, String> {
    let file = memory_file()?;
    let path = CString::new(format!("/proc/self/fd/{}", file.as_raw_fd()))
        .expect("the path has no zero byte");
    // SAFETY: the object is the one that this crate carries; its initialisers only register passes with the LLVM it brings along.
    // RTLD_LOCAL hides both from other objects' symbol lookups.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if handle.is_null() {
        // SAFETY: dlerror gives null or a string that lives until this thread's next dl call.
        let reason = unsafe { libc::dlerror() };
        if reason.is_null() {
            return Err("dlopen failed".to_owned());
        }
        // SAFETY: not null, see above.
        return Err(unsafe { CStr::from_ptr(reason) }
            .to_string_lossy()
            .into_owned());
    }
    let find = |name: &str| {
        let name = CString::new(name).expect("names have no zero byte");
        // SAFETY: the handle is open and never closed.
        unsafe { libc::dlsym(handle, name.as_ptr()) }
    };
    // SAFETY: the object was built together with these declarations from cxx/codegen.h.
    unsafe { EntryPoints::new(find) }.ok_or_else(|| "a function is missing in it".to_owned())
}

fn memory_file() -> Result<OwnedFd, String> {
    let failed = || std::io::Error::last_os_error().to_string();
    // SAFETY: the name is a C string; a non-negative result is a descriptor that no other value owns.
    let file = unsafe {
        let descriptor = libc::memfd_create(c"luthier_codegen".as_ptr(), libc::MFD_CLOEXEC);
        if descriptor < 0 {
            return Err(failed());
        }
        OwnedFd::from_raw_fd(descriptor)
    };
    let mut rest = SHARED_OBJECT;
    while !rest.is_empty() {
        // SAFETY: the descriptor is open and the bytes are readable for their length.
        let written = unsafe { libc::write(file.as_raw_fd(), rest.as_ptr().cast(), rest.len()) };
        match usize::try_from(written) {
            Ok(written) => rest = &rest[written..],
            Err(_) => return Err(failed()),
        }
    }
    Ok(file)
}

/// Text that a shim callback or getter lends for the moment.
///
/// # Safety
/// `bytes` is readable for `length`, or `length` is 0.
pub unsafe fn text(bytes: *const c_char, length: usize) -> String {
    if length == 0 {
        return String::new();
    }
    // SAFETY: by this function's contract.
    let bytes = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Diagnostic callback; `user` is a `Vec<Diagnostic>`.
pub unsafe extern "C" fn collect(
    user: *mut c_void,
    severity: u32,
    file: *const c_char,
    file_length: usize,
    line: u32,
    message: *const c_char,
    length: usize,
) {
    let severity = match severity {
        ffi::SEVERITY_ERROR => Severity::Error,
        ffi::SEVERITY_WARNING => Severity::Warning,
        _ => Severity::Note,
    };
    // SAFETY: the shim hands back the pointer it was given, a live vector, and lends the strings for the call.
    unsafe {
        (*user.cast::<Vec<Diagnostic>>()).push(Diagnostic {
            severity,
            file: text(file, file_length),
            line,
            message: text(message, length),
        });
    }
}

/// Text callback; `user` is a `Vec<String>`.
pub unsafe extern "C" fn collect_text(user: *mut c_void, bytes: *const c_char, length: usize) {
    // SAFETY: as in `collect`.
    unsafe { (*user.cast::<Vec<String>>()).push(text(bytes, length)) }
}

/// The same for bytes that are no text; `user` is a `Vec<u8>`.
pub unsafe extern "C" fn collect_bytes(user: *mut c_void, bytes: *const c_char, length: usize) {
    if length == 0 {
        return;
    }
    // SAFETY: as in `collect`.
    unsafe {
        let bytes = std::slice::from_raw_parts(bytes.cast::<u8>(), length);
        (*user.cast::<Vec<u8>>()).extend_from_slice(bytes);
    }
}
