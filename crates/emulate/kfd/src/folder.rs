//! Folders that are not there: `opendir` and what belongs to it, and descriptors of them.
//!
//! A descriptor of a folder is a file in memory with its path in it, so that it can be passed on like those of devices. How far it has
//! been listed is where the file's position is.

use std::{
    ffi::{c_char, c_int, c_long, c_void},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use kmt_sys::door::DIRECTORY_MARK;

use crate::{
    device, next,
    next::{answer, fail},
    open::{Found, look_up},
    path::Spelling,
};

/// An open folder, which C code holds a pointer to.
struct Folder {
    path: Spelling,
    /// The caller's of `fdopendir`, or what `dirfd` has opened; -1: none.
    descriptor: c_int,
    names: Vec<Name>,
    next: usize,
    /// The entry that the last call returned.
    entry: libc::dirent64,
}

/// Type and name.
type Name = (u8, Vec<u8>);

/// Number of open emulated folders: 0 in most processes.
static OPEN: AtomicUsize = AtomicUsize::new(0);
static FOLDERS: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// The folder behind a pointer, if it is an emulated one.
fn own(folder: *mut libc::DIR) -> Option<*mut Folder> {
    if OPEN.load(Ordering::Acquire) == 0 {
        return None;
    }
    let folders = FOLDERS.lock().unwrap_or_else(|poison| poison.into_inner());
    folders
        .contains(&(folder as usize))
        .then_some(folder.cast())
}

/// True if a folder was ever opened as a descriptor.
static DESCRIPTORS: AtomicBool = AtomicBool::new(false);

/// A descriptor of a folder, or a negative error code.
pub fn open(path: &Spelling, flags: c_int) -> c_int {
    let descriptor = device::open_folder(path.bytes(), flags);
    if descriptor >= 0 {
        DESCRIPTORS.store(true, Ordering::Relaxed);
    }
    descriptor
}

/// The path of an emulated folder behind a descriptor.
pub fn path(descriptor: c_int) -> Option<Spelling> {
    if !DESCRIPTORS.load(Ordering::Relaxed) || !device::is_folder(descriptor) {
        return None;
    }
    let mut bytes = [0u8; 256];
    // SAFETY: the buffer is as long as said.
    let length =
        unsafe { libc::pread(descriptor, bytes.as_mut_ptr().cast(), bytes.len(), 0) }.max(0);
    Spelling::ROOT.join(&bytes[..length as usize])
}

/// The names in a folder, with `.` and `..` first.
fn names(listed: &[u8]) -> Vec<Name> {
    let mut names: Vec<Name> = [b".".to_vec(), b"..".to_vec()]
        .map(|name| (libc::DT_DIR, name))
        .into();
    let listed = listed
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty());
    names.extend(
        listed.map(|name| match name.strip_prefix(&[DIRECTORY_MARK]) {
            Some(name) => (libc::DT_DIR, name.to_vec()),
            None => (libc::DT_REG, name.to_vec()),
        }),
    );
    names
}

/// A stream on a folder, or null with an error number.
fn stream(found: Result<(Found, Spelling), i32>, descriptor: c_int) -> *mut libc::DIR {
    let (listed, path) = match found {
        Ok((Found::Directory(listed), path)) => (listed, path),
        other => {
            fail(other.err().unwrap_or(libc::ENOTDIR));
            return std::ptr::null_mut();
        }
    };
    let folder = Box::into_raw(Box::new(Folder {
        path,
        descriptor,
        names: names(&listed),
        next: 0,
        // SAFETY: integers only, for which zeros are valid.
        entry: unsafe { std::mem::zeroed() },
    }));
    let mut folders = FOLDERS.lock().unwrap_or_else(|poison| poison.into_inner());
    folders.push(folder as usize);
    OPEN.store(folders.len(), Ordering::Release);
    folder.cast()
}

/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn opendir(path: *const c_char) -> *mut libc::DIR {
    // SAFETY: the caller's string.
    match unsafe { look_up(libc::AT_FDCWD, path) } {
        Some(found) => stream(found, -1),
        None => {
            next!("opendir"(path => *const c_char) -> *mut libc::DIR, or std::ptr::null_mut())
        }
    }
}

/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fdopendir(descriptor: c_int) -> *mut libc::DIR {
    let found = path(descriptor).and_then(|path| {
        // SAFETY: the path ends with a zero.
        unsafe { look_up(libc::AT_FDCWD, path.as_ptr()) }
    });
    match found {
        Some(found) => stream(found, descriptor),
        None => {
            next!("fdopendir"(descriptor => c_int) -> *mut libc::DIR, or std::ptr::null_mut())
        }
    }
}

/// Entries of a folder as the system call writes them, from the file's position on; the bytes, or a negative error code.
fn entries(descriptor: c_int, path: &Spelling, buffer: &mut [u8]) -> isize {
    const NAME: usize = std::mem::offset_of!(libc::dirent64, d_name);
    // SAFETY: the path ends with a zero.
    let found = unsafe { look_up(libc::AT_FDCWD, path.as_ptr()) };
    let Some(Ok((Found::Directory(listed), _))) = found else {
        return -(libc::ENOENT as isize);
    };
    // SAFETY: the call only takes numbers. The file belongs to this library, and nothing else reads its position.
    let start = unsafe { libc::lseek(descriptor, 0, libc::SEEK_CUR) }.max(0);
    let (mut used, mut at) = (0, start);
    for (kind, name) in names(&listed).into_iter().skip(start as usize) {
        let length = (NAME + name.len() + 1).next_multiple_of(8);
        let Some(room) = buffer.get_mut(used..used + length) else {
            break;
        };
        at += 1;
        room.fill(0);
        room[..8].copy_from_slice(&(at as u64).to_ne_bytes());
        room[8..16].copy_from_slice(&at.to_ne_bytes());
        room[16..18].copy_from_slice(&(length as u16).to_ne_bytes());
        room[18] = kind;
        room[NAME..NAME + name.len()].copy_from_slice(&name);
        used += length;
    }
    if used == 0 && at == start && (start as usize) < names(&listed).len() {
        return -(libc::EINVAL as isize);
    }
    // SAFETY: the call only takes numbers. The file belongs to this library.
    unsafe { libc::lseek(descriptor, at, libc::SEEK_SET) };
    used as isize
}

/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getdents64(descriptor: c_int, buffer: *mut c_void, size: usize) -> isize {
    let Some(path) = path(descriptor) else {
        return next!("getdents64"(descriptor => c_int, buffer => *mut c_void, size => usize) -> isize, or -1);
    };
    if buffer.is_null() {
        fail(libc::EFAULT);
        return -1;
    }
    // SAFETY: the caller's buffer, of that size.
    let buffer = unsafe { std::slice::from_raw_parts_mut(buffer.cast(), size) };
    answer(entries(descriptor, &path, buffer) as i32) as isize
}

/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn readdir64(folder: *mut libc::DIR) -> *mut libc::dirent64 {
    let Some(ours) = own(folder) else {
        return next!("readdir64"(folder => *mut libc::DIR) -> *mut libc::dirent64, or std::ptr::null_mut());
    };
    // SAFETY: made by `opendir` and not closed yet; one thread at a time may read a folder.
    let ours = unsafe { &mut *ours };
    let Some((kind, name)) = ours.names.get(ours.next) else {
        return std::ptr::null_mut();
    };
    ours.next += 1;
    ours.entry.d_ino = ours.next as u64;
    ours.entry.d_off = ours.next as i64;
    ours.entry.d_reclen = size_of::<libc::dirent64>() as u16;
    ours.entry.d_type = *kind;
    let room = ours.entry.d_name.len() - 1;
    ours.entry.d_name.fill(0);
    for (to, from) in ours.entry.d_name.iter_mut().zip(name.iter().take(room)) {
        *to = *from as c_char;
    }
    &mut ours.entry
}

// Both entries have one layout where `off_t` has 64 bits.
const _: () = assert!(size_of::<libc::dirent>() == size_of::<libc::dirent64>());

/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn readdir(folder: *mut libc::DIR) -> *mut libc::dirent {
    if own(folder).is_some() {
        // SAFETY: the caller's folder.
        return unsafe { readdir64(folder) }.cast();
    }
    next!("readdir"(folder => *mut libc::DIR) -> *mut libc::dirent, or std::ptr::null_mut())
}

/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rewinddir(folder: *mut libc::DIR) {
    match own(folder) {
        // SAFETY: `own` found the folder, so `opendir` made it and it is not closed; one thread at a time may read it.
        Some(ours) => unsafe { (*ours).next = 0 },
        None => next!("rewinddir"(folder => *mut libc::DIR) -> (), or ()),
    }
}

/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn telldir(folder: *mut libc::DIR) -> c_long {
    match own(folder) {
        // SAFETY: `own` found the folder, so `opendir` made it and it is not closed; one thread at a time may read it.
        Some(ours) => unsafe { (*ours).next as c_long },
        None => next!("telldir"(folder => *mut libc::DIR) -> c_long, or -1),
    }
}

/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seekdir(folder: *mut libc::DIR, at: c_long) {
    match own(folder) {
        // SAFETY: `own` found the folder, so `opendir` made it and it is not closed; one thread at a time may read it.
        Some(ours) => unsafe { (*ours).next = at.max(0) as usize },
        None => next!("seekdir"(folder => *mut libc::DIR, at => c_long) -> (), or ()),
    }
}

/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dirfd(folder: *mut libc::DIR) -> c_int {
    let Some(ours) = own(folder) else {
        return next!("dirfd"(folder => *mut libc::DIR) -> c_int, or -1);
    };
    // SAFETY: `own` found the folder, so `opendir` made it and it is not closed; one thread at a time may read it.
    let ours = unsafe { &mut *ours };
    if ours.descriptor < 0 {
        ours.descriptor = open(&ours.path, libc::O_CLOEXEC);
    }
    answer(ours.descriptor)
}

/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn closedir(folder: *mut libc::DIR) -> c_int {
    let Some(ours) = own(folder) else {
        return next!("closedir"(folder => *mut libc::DIR) -> c_int, or -1);
    };
    let mut folders = FOLDERS.lock().unwrap_or_else(|poison| poison.into_inner());
    folders.retain(|open| *open != folder as usize);
    OPEN.store(folders.len(), Ordering::Release);
    drop(folders);
    // SAFETY: made by `stream`, and just forgotten.
    let ours = unsafe { Box::from_raw(ours) };
    if ours.descriptor >= 0 {
        // SAFETY: the stream's own.
        unsafe { libc::close(ours.descriptor) };
    }
    0
}
