//! Asking about paths without opening them: `access`, `stat` and their relatives.

use std::ffi::{c_char, c_int, c_uint};

use crate::{
    next,
    next::fail,
    open::{Found, look_up},
};

/// Mode, size and device number of what is at one of the driver's paths.
struct Status {
    mode: u32,
    size: u64,
    device: (u32, u32),
}

/// The numbers of the devices' special files: the driver's is given out at run time, render nodes have AMD's.
const KFD_MAJOR: u32 = 234;
const DRM_MAJOR: u32 = 226;
const FIRST_RENDER_MINOR: u32 = 128;

/// # Safety
/// `path` is null or a string that ends with a zero.
unsafe fn status(path: *const c_char) -> Option<Result<Status, i32>> {
    // SAFETY: the caller's word.
    let found = match unsafe { look_up(path) }? {
        Ok(found) => found,
        Err(code) => return Some(Err(code)),
    };
    let (mode, size, device) = match found {
        Found::File(bytes) => (libc::S_IFREG | 0o444, bytes.len() as u64, (0, 0)),
        Found::Directory(_) => (libc::S_IFDIR | 0o555, 0, (0, 0)),
        Found::Device(kmt_sys::door::KFD) => (libc::S_IFCHR | 0o666, 0, (KFD_MAJOR, 0)),
        Found::Device(node) => (
            libc::S_IFCHR | 0o666,
            0,
            (DRM_MAJOR, FIRST_RENDER_MINOR + node - 1),
        ),
    };
    Some(Ok(Status { mode, size, device }))
}

/// # Safety
/// `path` is null or a string that ends with a zero.
unsafe fn allowed(path: *const c_char, wanted: c_int) -> Option<c_int> {
    // SAFETY: the caller's word.
    Some(match unsafe { status(path) }? {
        Err(code) => {
            fail(code);
            -1
        }
        Ok(status) if status.mode as c_int & wanted == wanted => 0,
        Ok(_) => {
            fail(libc::EACCES);
            -1
        }
    })
}

/// Fills the caller's structure.
///
/// # Safety
/// `path` is null or a string that ends with a zero, `out` memory for a `stat`.
unsafe fn fill(path: *const c_char, out: *mut libc::stat) -> Option<c_int> {
    // SAFETY: the caller's word.
    Some(match unsafe { status(path) }? {
        Err(code) => {
            fail(code);
            -1
        }
        // SAFETY: as before; zeros are valid for the rest.
        Ok(status) => unsafe {
            let mut value: libc::stat = std::mem::zeroed();
            value.st_mode = status.mode;
            value.st_size = status.size as i64;
            value.st_nlink = 1;
            value.st_blksize = 4096;
            value.st_rdev = libc::makedev(status.device.0, status.device.1);
            out.write(value);
            0
        },
    })
}

macro_rules! asking {
    ($($name:ident $text:literal [$($before:ident: $type:ty)?] path [$($after:ident: $after_type:ty),*] => $body:expr;)*) => { $(
        /// # Safety
        /// As the C library's function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($before: $type,)? path: *const c_char $(, $after: $after_type)*) -> c_int {
            // SAFETY: the caller's string and memory.
            #[allow(clippy::redundant_closure_call)]
            match unsafe { $body(path $(, $after)*) } {
                Some(result) => result,
                None => next!($text($($before => $type,)? path => *const c_char $(, $after => $after_type)*) -> c_int, or -1),
            }
        }
    )* };
}

// `stat` and `stat64` are one structure where `off_t` has 64 bits.
const _: () = assert!(size_of::<libc::stat>() == size_of::<libc::stat64>());

type Out = *mut libc::stat;

asking! {
    access "access" [] path [mode: c_int] => |path, mode| allowed(path, mode);
    eaccess "eaccess" [] path [mode: c_int] => |path, mode| allowed(path, mode);
    euidaccess "euidaccess" [] path [mode: c_int] => |path, mode| allowed(path, mode);
    faccessat "faccessat" [directory: c_int] path [mode: c_int, flags: c_int] => |path, mode, _| allowed(path, mode);
    stat "stat" [] path [out: Out] => |path, out| fill(path, out);
    stat64 "stat64" [] path [out: Out] => |path, out| fill(path, out);
    lstat "lstat" [] path [out: Out] => |path, out| fill(path, out);
    lstat64 "lstat64" [] path [out: Out] => |path, out| fill(path, out);
    fstatat "fstatat" [directory: c_int] path [out: Out, flags: c_int] => |path, out, _| fill(path, out);
    fstatat64 "fstatat64" [directory: c_int] path [out: Out, flags: c_int] => |path, out, _| fill(path, out);
    __xstat "__xstat" [version: c_int] path [out: Out] => |path, out| fill(path, out);
    __xstat64 "__xstat64" [version: c_int] path [out: Out] => |path, out| fill(path, out);
    __lxstat "__lxstat" [version: c_int] path [out: Out] => |path, out| fill(path, out);
    __lxstat64 "__lxstat64" [version: c_int] path [out: Out] => |path, out| fill(path, out);
}

/// # Safety
/// As the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statx(
    directory: c_int,
    path: *const c_char,
    flags: c_int,
    mask: c_uint,
    out: *mut libc::statx,
) -> c_int {
    // SAFETY: the caller's string.
    match unsafe { status(path) } {
        None => {
            next!("statx"(directory => c_int, path => *const c_char, flags => c_int, mask => c_uint, out => *mut libc::statx) -> c_int, or -1)
        }
        Some(Err(code)) => {
            fail(code);
            -1
        }
        // SAFETY: the caller passes memory for the structure; zeros are valid for what is not said.
        Some(Ok(status)) => unsafe {
            let mut value: libc::statx = std::mem::zeroed();
            value.stx_mask =
                libc::STATX_TYPE | libc::STATX_MODE | libc::STATX_SIZE | libc::STATX_NLINK;
            value.stx_mode = status.mode as u16;
            value.stx_size = status.size;
            value.stx_nlink = 1;
            value.stx_blksize = 4096;
            (value.stx_rdev_major, value.stx_rdev_minor) = status.device;
            out.write(value);
            0
        },
    }
}
