//! The shared library with a tool's host code: its three entries and its variables.

use crate::{
    constructors,
    table::{API, Api},
};
use kmt_sys::aql::KernelDispatchPacket;
use std::{
    ffi::{CStr, CString, c_char, c_void},
    os::unix::ffi::OsStrExt,
    path::Path,
    ptr::NonNull,
};

/// Why a library cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    #[error("cannot load the host code of a tool: {0}")]
    Load(String),
    #[error("{file} has no {symbol}: a tool says MARK_LUTHIER_DEVICE_MODULE once")]
    NoEntry { file: String, symbol: String },
    #[error("{file}: {reason}")]
    Begin { file: String, reason: String },
}

/// Returns null or a reason, which is valid until the next call.
type Begin = unsafe extern "C" fn(*const Api) -> *const c_char;
type Launched = unsafe extern "C" fn(*mut KernelDispatchPacket, *const c_char) -> *const c_char;
type End = unsafe extern "C" fn() -> *const c_char;

/// A loaded library. It stays loaded until the process ends, because its code may be running on any thread.
pub struct Library {
    handle: NonNull<c_void>,
    file: String,
    launched: Launched,
    end: End,
}

// SAFETY: the handle is only used for look-ups, which may come from any thread; calls of the tool are made one at a time by
// `LibraryTool`.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

impl Library {
    /// Loads the library and lets the tool begin.
    pub fn load(path: &Path) -> Result<Library, LibraryError> {
        let file = path.display().to_string();
        // A name without a slash would be searched for.
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let name = CString::new(absolute.as_os_str().as_bytes())
            .map_err(|error| LibraryError::Load(error.to_string()))?;
        // SAFETY: a string; what the loader runs of the library is the tool author's.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        let Some(handle) = NonNull::new(handle) else {
            // SAFETY: the linker's message for the failure above, valid until its next call on this thread.
            let message = unsafe { said(libc::dlerror()) };
            return Err(LibraryError::Load(message.unwrap_or(file)));
        };
        let entry = |symbol: &str| {
            look_up(handle, symbol).ok_or_else(|| LibraryError::NoEntry {
                file: file.clone(),
                symbol: symbol.to_owned(),
            })
        };
        // SAFETY: just loaded.
        unsafe { constructors::run(handle) };
        // SAFETY: `MARK_LUTHIER_DEVICE_MODULE` defines the entries with these types.
        let (begin, launched, end) = unsafe {
            (
                std::mem::transmute::<NonNull<c_void>, Begin>(entry("luthier_tool_begin")?),
                std::mem::transmute::<NonNull<c_void>, Launched>(entry("luthier_tool_launch")?),
                std::mem::transmute::<NonNull<c_void>, End>(entry("luthier_tool_end")?),
            )
        };
        // SAFETY: the table lives for ever, and the result is a string or null.
        if let Some(reason) = unsafe { said(begin(&raw const API)) } {
            return Err(LibraryError::Begin { file, reason });
        }
        Ok(Library {
            handle,
            file,
            launched,
            end,
        })
    }

    pub fn file(&self) -> &str {
        &self.file
    }

    /// Tells the tool about a launch.
    pub fn launched(&self, packet: &mut KernelDispatchPacket, kernel: &str) -> Result<(), String> {
        let name = CString::new(kernel).unwrap_or_default();
        // SAFETY: both live during the call, and the result is a string or null.
        match unsafe { said((self.launched)(packet, name.as_ptr())) } {
            Some(reason) => Err(reason),
            None => Ok(()),
        }
    }

    /// The application has ended.
    pub fn end(&self) -> Result<(), String> {
        // SAFETY: the result is a string or null.
        match unsafe { said((self.end)()) } {
            Some(reason) => Err(reason),
            None => Ok(()),
        }
    }

    /// Writes a variable of the host code; false if it has none of this name.
    pub fn write(&self, name: &str, bytes: &[u8]) -> bool {
        let Some(variable) = look_up(self.handle, name) else {
            return false;
        };
        // SAFETY: the device's variable has this size, and host and device were compiled from one definition.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), variable.as_ptr().cast(), bytes.len())
        };
        true
    }
}

fn look_up(library: NonNull<c_void>, symbol: &str) -> Option<NonNull<c_void>> {
    let symbol = CString::new(symbol).ok()?;
    // SAFETY: a handle that was never closed, and a string.
    NonNull::new(unsafe { libc::dlsym(library.as_ptr(), symbol.as_ptr()) })
}

/// # Safety
/// A string or null.
unsafe fn said(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: by the caller's promise.
    let text = unsafe { CStr::from_ptr(text) };
    Some(text.to_string_lossy().into_owned())
}
