//! Opening: `open`, `openat` and `fopen` in all their forms.
//!
//! C passes further arguments of functions like `open` in the same registers as named ones, so the functions here name them all.

use std::ffi::{c_char, c_int, c_uint};

use kmt_sys::door::entry;

use crate::{
    bus, device, emulator, folder, next,
    next::{answer, fail},
    path::{BUS, Contents, MODULE, MODULES, MODULES_LINE, PathOwner, Spelling, place},
};

/// The emulator's entry at a path.
pub enum Found {
    File(Vec<u8>),
    Directory(Vec<u8>),
    Device(u32),
}

/// The entry at one of the driver's paths, relative to the folder of a descriptor, and the path. None if the path is not the driver's. An
/// error code if it has no entry.
///
/// # Safety
/// `path` is null or a string that ends with a zero.
pub unsafe fn look_up(
    directory: c_int,
    path: *const c_char,
) -> Option<Result<(Found, Spelling), i32>> {
    // SAFETY: the caller's word.
    let (owner, path) = unsafe { place(directory, path) }?;
    let core = match owner {
        PathOwner::Elsewhere => return None,
        PathOwner::Module(row) => {
            let found = match MODULE[row].1 {
                Contents::Text(text) => Found::File(text.to_vec()),
                Contents::Folder(names) => Found::Directory(names.to_vec()),
            };
            return Some(Ok((found, path)));
        }
        PathOwner::Modules => return Some(Ok((Found::File(modules()), path))),
        PathOwner::Bus if bus::is_of_others(&path) => return None,
        PathOwner::Bus => emulator::loaded()?,
        PathOwner::Cards if device::has_real_cards() => return None,
        PathOwner::Cards => emulator::get()?,
        PathOwner::Render if emulator::loaded().is_none() && device::has_real_cards() => {
            return None;
        }
        PathOwner::Render => emulator::get()?,
        PathOwner::Driver => match emulator::get() {
            Some(core) => core,
            None => return Some(Err(libc::ENOENT)),
        },
    };
    let mut buffer = vec![0; 16 << 10];
    let (mut length, mut number) = (0, 0);
    let capacity = buffer.len();
    // SAFETY: the path ends with a zero; the buffer is as long as said.
    let kind = unsafe {
        (core.look_up)(
            path.as_ptr(),
            buffer.as_mut_ptr(),
            capacity,
            &mut length,
            &mut number,
        )
    };
    buffer.truncate(length);
    let found = match kind {
        entry::FILE if length <= capacity => Found::File(buffer),
        entry::DIRECTORY if length <= capacity => {
            if path.bytes() == BUS.to_bytes() {
                bus::add_others(&mut buffer);
            }
            Found::Directory(buffer)
        }
        entry::DEVICE => Found::Device(number),
        // The emulator has no entry there, so the path is another GPU's.
        entry::NOTHING if owner != PathOwner::Driver => return None,
        error if error < 0 => return Some(Err(-error)),
        _ => return Some(Err(libc::ENOENT)),
    };
    Some(Ok((found, path)))
}

/// The system's list of modules with a line for the emulated one.
fn modules() -> Vec<u8> {
    let mut text = Vec::new();
    let (path, flags) = (MODULES.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
    let descriptor = next!("open"(path => *const c_char, flags => c_int) -> c_int, or -1);
    if descriptor >= 0 {
        let mut part = [0; 4096];
        loop {
            // SAFETY: the buffer is as long as said.
            let length = unsafe { libc::read(descriptor, part.as_mut_ptr().cast(), part.len()) };
            match usize::try_from(length) {
                Ok(0) | Err(_) => break,
                Ok(length) => text.extend_from_slice(&part[..length]),
            }
        }
        // SAFETY: this function opened the descriptor, and no other code has it.
        unsafe { libc::close(descriptor) };
    }
    let name = MODULES_LINE.split(|byte| *byte == b' ').next();
    let mut lines = text.split(|byte| *byte == b'\n');
    if !lines.any(|line| line.split(|byte| *byte == b' ').next() == name) {
        text.extend_from_slice(MODULES_LINE);
    }
    text
}

/// Opens one of the driver's paths. None if the path is not the driver's. Otherwise a descriptor, or a negative error code.
///
/// # Safety
/// The caller must keep the rules of [`look_up`].
pub unsafe fn descriptor(directory: c_int, path: *const c_char, flags: c_int) -> Option<c_int> {
    let reads = flags & libc::O_ACCMODE == libc::O_RDONLY;
    // SAFETY: the caller's word.
    Some(match unsafe { look_up(directory, path) }? {
        Err(code) => -code,
        Ok((Found::Directory(_), _)) if !reads => -libc::EISDIR,
        Ok((Found::Directory(_), path)) => folder::open(&path, flags),
        Ok(_) if flags & libc::O_DIRECTORY != 0 => -libc::ENOTDIR,
        Ok((Found::Device(number), _)) => device::open(number, flags),
        Ok((Found::File(_), _)) if !reads => -libc::EACCES,
        Ok((Found::File(bytes), _)) => file(&bytes, flags),
    })
}

/// A file with this text, at its beginning; or a negative error code.
fn file(bytes: &[u8], flags: c_int) -> c_int {
    let descriptor = device::new_text(c"kfd-text", bytes, flags);
    if descriptor >= 0 {
        device::seal(descriptor);
    }
    descriptor
}

macro_rules! opening {
    ($($name:ident $text:literal [$($before:ident: $type:ty)?] from $directory:expr, path flags [$($mode:ident)?];)*) => { $(
        /// # Safety
        /// The caller must keep the rules of the C library's function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($before: $type,)? path: *const c_char, flags: c_int $(, $mode: c_uint)?) -> c_int {
            // SAFETY: the caller's string.
            match unsafe { descriptor($directory, path, flags) } {
                Some(result) => answer(result),
                None => next!($text($($before => $type,)? path => *const c_char, flags => c_int $(, $mode => c_uint)?) -> c_int, or -1),
            }
        }
    )* };
}

opening! {
    open "open" [] from libc::AT_FDCWD, path flags [mode];
    open64 "open64" [] from libc::AT_FDCWD, path flags [mode];
    __open_2 "__open_2" [] from libc::AT_FDCWD, path flags [];
    __open64_2 "__open64_2" [] from libc::AT_FDCWD, path flags [];
    openat "openat" [directory: c_int] from directory, path flags [mode];
    openat64 "openat64" [directory: c_int] from directory, path flags [mode];
    __openat_2 "__openat_2" [directory: c_int] from directory, path flags [];
    __openat64_2 "__openat64_2" [directory: c_int] from directory, path flags [];
}

/// The flags of `open` that a mode of `fopen` stands for, as far as they matter here.
///
/// # Safety
/// `mode` is a string that ends with a zero.
unsafe fn flags_of(mode: *const c_char) -> c_int {
    // SAFETY: the caller's word.
    let mode = unsafe { std::ffi::CStr::from_ptr(mode) }.to_bytes();
    let access = match mode.first() {
        Some(b'r') if !mode.contains(&b'+') => libc::O_RDONLY,
        _ => libc::O_RDWR,
    };
    access
        | if mode.contains(&b'e') {
            libc::O_CLOEXEC
        } else {
            0
        }
}

/// A stream on one of the driver's files.
///
/// # Safety
/// `path` and `mode` are strings that end with a zero.
unsafe fn stream(path: *const c_char, mode: *const c_char) -> Option<*mut libc::FILE> {
    // SAFETY: the caller's word.
    let result = unsafe { descriptor(libc::AT_FDCWD, path, flags_of(mode)) }?;
    if result < 0 {
        fail(-result);
        return Some(std::ptr::null_mut());
    }
    // SAFETY: this function opened the descriptor, and the stream becomes its owner.
    let stream = unsafe { libc::fdopen(result, mode) };
    if stream.is_null() {
        // SAFETY: `fdopen` failed, so this function still owns the descriptor.
        unsafe { libc::close(result) };
    }
    Some(stream)
}

macro_rules! streams {
    ($($name:ident $text:literal;)*) => { $(
        /// # Safety
        /// The caller must keep the rules of the C library's function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(path: *const c_char, mode: *const c_char) -> *mut libc::FILE {
            // SAFETY: the caller's strings.
            match unsafe { stream(path, mode) } {
                Some(stream) => stream,
                None => next!($text(path => *const c_char, mode => *const c_char) -> *mut libc::FILE, or std::ptr::null_mut()),
            }
        }
    )* };
}

streams! {
    fopen "fopen";
    fopen64 "fopen64";
}
