//! Folders that are not there: `opendir` and what belongs to it.

use std::{
    ffi::{c_char, c_int},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use kmt_sys::door::DIRECTORY_MARK;

use crate::{
    next,
    next::fail,
    open::{Found, look_up},
};

/// An open folder, which C code holds a pointer to.
struct Folder {
    /// Type and name.
    names: Vec<(u8, Vec<u8>)>,
    next: usize,
    /// What the last call returned.
    entry: libc::dirent64,
}

/// Open folders of ours: 0 in most processes.
static OPEN: AtomicUsize = AtomicUsize::new(0);
static FOLDERS: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// The folder behind a pointer, if it is one of ours.
fn own(folder: *mut libc::DIR) -> Option<*mut Folder> {
    if OPEN.load(Ordering::Acquire) == 0 {
        return None;
    }
    let folders = FOLDERS.lock().unwrap_or_else(|poison| poison.into_inner());
    folders
        .contains(&(folder as usize))
        .then_some(folder.cast())
}

/// # Safety
/// As the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn opendir(path: *const c_char) -> *mut libc::DIR {
    // SAFETY: the caller's string.
    let bytes = match unsafe { look_up(path) } {
        None => {
            return next!("opendir"(path => *const c_char) -> *mut libc::DIR, or std::ptr::null_mut());
        }
        Some(Ok(Found::Directory(bytes))) => bytes,
        Some(other) => {
            fail(other.err().unwrap_or(libc::ENOTDIR));
            return std::ptr::null_mut();
        }
    };
    let mut names: Vec<(u8, Vec<u8>)> = [b".".to_vec(), b"..".to_vec()]
        .map(|name| (libc::DT_DIR, name))
        .into();
    let listed = bytes
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty());
    names.extend(
        listed.map(|name| match name.strip_prefix(&[DIRECTORY_MARK]) {
            Some(name) => (libc::DT_DIR, name.to_vec()),
            None => (libc::DT_REG, name.to_vec()),
        }),
    );
    let folder = Box::into_raw(Box::new(Folder {
        names,
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
/// As the C library's function of that name.
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
/// As the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn readdir(folder: *mut libc::DIR) -> *mut libc::dirent {
    if own(folder).is_some() {
        // SAFETY: the caller's folder.
        return unsafe { readdir64(folder) }.cast();
    }
    next!("readdir"(folder => *mut libc::DIR) -> *mut libc::dirent, or std::ptr::null_mut())
}

/// # Safety
/// As the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rewinddir(folder: *mut libc::DIR) {
    match own(folder) {
        // SAFETY: as in `readdir64`.
        Some(ours) => unsafe { (*ours).next = 0 },
        None => next!("rewinddir"(folder => *mut libc::DIR) -> (), or ()),
    }
}

/// # Safety
/// As the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dirfd(folder: *mut libc::DIR) -> c_int {
    if own(folder).is_some() {
        fail(libc::ENOTSUP);
        return -1;
    }
    next!("dirfd"(folder => *mut libc::DIR) -> c_int, or -1)
}

/// # Safety
/// As the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn closedir(folder: *mut libc::DIR) -> c_int {
    let Some(ours) = own(folder) else {
        return next!("closedir"(folder => *mut libc::DIR) -> c_int, or -1);
    };
    let mut folders = FOLDERS.lock().unwrap_or_else(|poison| poison.into_inner());
    folders.retain(|open| *open != folder as usize);
    OPEN.store(folders.len(), Ordering::Release);
    // SAFETY: made by `opendir`, and just forgotten.
    drop(unsafe { Box::from_raw(ours) });
    0
}
