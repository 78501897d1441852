//! The shared library with a tool's host code: its entries.

use crate::{constructors, registered::Registered, sized};
use aql::KernelDispatchPacket;
use luthier::{Copied, Enqueued};
use std::{
    ffi::{CStr, CString, c_char, c_int, c_void},
    os::unix::ffi::OsStrExt,
    path::Path,
    ptr::NonNull,
};
use tool_abi::{
    Api, Entries, constants,
    structures::{DispatchPacket, Packet, RawAllocation, RawCopy},
};

/// Null or a reason, which is valid until the next call on the thread.
type Reason = *const c_char;

// The packet is HSA's on both sides.
const _: () = assert!(size_of::<DispatchPacket>() == size_of::<KernelDispatchPacket>());

/// Why a library cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    #[error("cannot load the host code of a tool: {0}")]
    Load(String),
    #[error("{0} has no luthier_tool: a tool says MARK_LUTHIER_DEVICE_MODULE once")]
    NoEntry(String),
    #[error(
        "{file} was built with a luthier.h of version {found}, and this Luthier has version {}: build it again",
        constants::API_VERSION
    )]
    Version { file: String, found: u32 },
}

/// The size of the structure in tools that were built with the first headers.
const LEAST: usize = std::mem::offset_of!(Entries, records);

/// A loaded library. It stays loaded until the process ends, because its code may be running on any thread.
pub struct Library {
    entries: Entries,
    file: String,
}

impl Library {
    /// Loads the library; what its constructors do is done then. It may be a copy of the one that the user `named`.
    pub fn load(path: &Path, named: &Path) -> Result<Library, LibraryError> {
        let file = named.display().to_string();
        // A name without a slash would be searched for.
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let name = CString::new(absolute.as_os_str().as_bytes())
            .map_err(|error| LibraryError::Load(error.to_string()))?;
        // SAFETY: a string; what the loader runs of the library is the tool author's.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | how(path)) };
        let Some(handle) = NonNull::new(handle) else {
            // SAFETY: the linker's message for the failure above, valid until its next call on this thread.
            let message = unsafe { said(libc::dlerror()) };
            let message = message.map(|text| text.replace(&*absolute.to_string_lossy(), &file));
            return Err(LibraryError::Load(message.unwrap_or(file)));
        };
        let Some(entries) = look_up(handle, c"luthier_tool") else {
            return Err(match look_up(handle, c"luthier_tool_begin") {
                Some(_) => LibraryError::Version { file, found: 1 },
                None => LibraryError::NoEntry(file),
            });
        };
        // SAFETY: just loaded.
        unsafe { constructors::run(handle) };
        // SAFETY: `MARK_LUTHIER_DEVICE_MODULE` defines it with this type, of which size and version come first in all versions.
        let (size, version) = unsafe {
            let size = entries.cast::<usize>();
            (size.read(), size.add(1).cast::<u32>().read())
        };
        if version != constants::API_VERSION || size < LEAST {
            let found = version;
            return Err(LibraryError::Version { file, found });
        }
        // SAFETY: `MARK_LUTHIER_DEVICE_MODULE` defines it with this type; only entries that the first headers do not have may be missing, and may be zero.
        let entries = unsafe { sized::read(entries.cast::<Entries>().as_ptr()) };
        let entries = entries.map_err(LibraryError::Load)?;
        Ok(Library { entries, file })
    }

    pub fn file(&self) -> &str {
        &self.file
    }

    /// The kernels and variables that the compiler's start-up code registered.
    pub fn registered(&self) -> Registered {
        let mut count = 0;
        // SAFETY: the entry stores how many it lists; they live as long as the library, and have strings in them.
        unsafe {
            let list = (self.entries.registered)(&raw mut count);
            Registered::read(list, count)
        }
    }

    /// Has the tool's functions stand in for those of HIP that it wraps, if HIP is loaded.
    pub fn wrap(&self) {
        if let Some(wrap) = self.entries.wrap {
            // SAFETY: no arguments; the header's own code.
            unsafe { wrap() }
        }
    }

    /// The devices are there.
    pub fn begin(&self, api: &'static Api) -> Result<(), String> {
        // SAFETY: the table lives for ever, and the result is a string or null.
        unsafe { said((self.entries.begin)(api)) }.map_or(Ok(()), Err)
    }

    /// Tells the tool about a launch.
    pub fn launched(&self, packet: &mut KernelDispatchPacket, kernel: &str) -> Result<(), String> {
        let name = CString::new(kernel).unwrap_or_default();
        let packet = std::ptr::from_mut(packet).cast::<DispatchPacket>();
        // SAFETY: both live during the call, and the result is a string or null.
        unsafe { said((self.entries.launch)(packet, name.as_ptr())) }.map_or(Ok(()), Err)
    }

    /// Returns `true` if the tool wants to hear when launches have ended.
    pub fn wants_ends(&self) -> bool {
        self.entries.wants & constants::WANTS_ENDS != 0
    }

    /// Returns `true` if the tool wants to see packets.
    pub fn wants_packets(&self) -> bool {
        self.entries.packets.is_some() && self.entries.wants & constants::WANTS_PACKETS != 0
    }

    /// Shows the tool packets of a queue, which it may change.
    pub fn packets(&self, queue: u64, device: u32, packets: &mut [[u8; 64]]) -> Result<(), String> {
        let Some(show) = self.entries.packets.filter(|_| self.wants_packets()) else {
            return Ok(());
        };
        let mut aligned: Vec<Packet> = packets.iter().map(|packet| Packet(*packet)).collect();
        // SAFETY: as many packets as it is told; the result is a string or null.
        unsafe { said(show(aligned.as_mut_ptr(), aligned.len(), queue, device)) }
            .map_or(Ok(()), Err)?;
        for (packet, changed) in packets.iter_mut().zip(aligned) {
            *packet = changed.0;
        }
        Ok(())
    }

    /// A launch has run, from one time to another, in nanoseconds.
    pub fn ended(&self, launch: u64, start: u64, end: u64) -> Result<(), String> {
        let Some(ended) = self.entries.ended.filter(|_| self.wants_ends()) else {
            return Ok(());
        };
        // SAFETY: the result is a string or null.
        unsafe { said(ended(launch, start, end)) }.map_or(Ok(()), Err)
    }

    /// Returns `true` if the tool wants to hear of copies.
    pub fn wants_copies(&self) -> bool {
        self.entries.copied.is_some() && self.entries.wants & constants::WANTS_COPIES != 0
    }

    /// A copy by the runtime has ended.
    pub fn copied(&self, copied: &Copied) -> Result<(), String> {
        let Some(tell) = self.entries.copied.filter(|_| self.wants_copies()) else {
            return Ok(());
        };
        let name = thread_name(&copied.enqueued);
        let device = |number: Option<u32>| number.unwrap_or(constants::NO_DEVICE);
        let (start, end) = copied.time.unwrap_or_default();
        let raw = RawCopy {
            struct_size: size_of::<RawCopy>(),
            number: copied.number,
            bytes: copied.bytes,
            from: device(copied.from),
            to: device(copied.to),
            enqueued: copied.enqueued.nanoseconds,
            thread: copied.enqueued.thread,
            reserved: 0,
            thread_name: name.as_ptr(),
            start,
            end,
        };
        // SAFETY: the structure and its string live during the call, and the result is a string or null.
        unsafe { said(tell(&raw const raw)) }.map_or(Ok(()), Err)
    }

    /// Returns `true` if the tool wants to hear of memory.
    pub fn wants_memory(&self) -> bool {
        self.entries.memory.is_some() && self.entries.wants & constants::WANTS_MEMORY != 0
    }

    /// The program has allocated or freed memory.
    pub fn memory(&self, allocation: &RawAllocation) -> Result<(), String> {
        let Some(tell) = self.entries.memory else {
            return Ok(());
        };
        // SAFETY: the structure and what it points to live during the call, and the result is a string or null.
        unsafe { said(tell(allocation)) }.map_or(Ok(()), Err)
    }

    /// Records of a stream; whether the tool took them.
    pub fn records(&self, stream: &str, records: &[u8]) -> bool {
        let wanted = self.entries.wants & constants::WANTS_RECORDS != 0;
        let (Some(take), Ok(name)) = (self.entries.records, CString::new(stream)) else {
            return false;
        };
        // SAFETY: name and records live during the call.
        wanted && unsafe { take(name.as_ptr(), records.as_ptr().cast(), records.len()) == 1 }
    }

    /// The application has ended.
    pub fn end(&self) -> Result<(), String> {
        // SAFETY: the result is a string or null.
        unsafe { said((self.entries.end)()) }.map_or(Ok(()), Err)
    }
}

/// The name of a host thread.
pub fn thread_name(by: &Enqueued) -> CString {
    CString::new(by.thread_name().as_bytes()).unwrap_or_default()
}

/// A tool that is preloaded itself has all its names in the program already; the copy that is called keeps to its own.
fn how(library: &Path) -> c_int {
    let preloaded = std::env::var("LD_PRELOAD").unwrap_or_default();
    let mut preloaded = preloaded
        .split([':', ' '])
        .filter(|path| !path.is_empty())
        .map(Path::new);
    // (The copy of `libNAME.so` is called `NAME.so`.)
    let name = |path: &Path| tools::name_of(&path.to_string_lossy());
    match preloaded.any(|other| name(other) == name(library)) {
        true => libc::RTLD_LOCAL | libc::RTLD_DEEPBIND,
        false => libc::RTLD_LOCAL,
    }
}

fn look_up(library: NonNull<c_void>, symbol: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: a handle that was never closed, and a string.
    NonNull::new(unsafe { libc::dlsym(library.as_ptr(), symbol.as_ptr()) })
}

/// # Safety
/// A string or null.
unsafe fn said(text: Reason) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: by the caller's promise.
    let text = unsafe { CStr::from_ptr(text) };
    Some(in_one_line(&text.to_string_lossy()))
}

/// The text with escapes in place of control characters, which would go on in another line or act on a terminal.
fn in_one_line(text: &str) -> String {
    let mut line = String::new();
    for letter in text.chars() {
        match letter.is_control() {
            true => line.extend(letter.escape_default()),
            false => line.push(letter),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_one_line() {
        let text = c"a\x1b[31mb\n\tc \xc2\x9b \xc3\xa9";
        // SAFETY: a string.
        let said = unsafe { said(text.as_ptr()) }.unwrap();
        assert_eq!(said, "a\\u{1b}[31mb\\n\\tc \\u{9b} é");
    }
}
