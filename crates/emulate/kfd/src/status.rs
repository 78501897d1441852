//! Asking about paths without opening them: `access`, `stat` and their relatives; and about descriptors of devices and folders.

use std::ffi::{c_char, c_int, c_uint};

use crate::{
    device, folder, next,
    next::fail,
    open::{Found, look_up},
    path::{Spelling, link_target},
};

/// Mode, size and device number of what is at one of the driver's paths.
struct Status {
    mode: u32,
    size: u64,
    device: (u32, u32),
    inode: u64,
}

/// The numbers of the devices' special files: the driver's is given out at run time, render nodes have AMD's.
const KFD_MAJOR: u32 = 234;
const DRM_MAJOR: u32 = 226;
const FIRST_RENDER_MINOR: u32 = 128;

impl Status {
    fn of_device(number: u32) -> Status {
        let device = match number {
            kmt_sys::door::KFD => (KFD_MAJOR, 0),
            node => (DRM_MAJOR, FIRST_RENDER_MINOR + node - 1),
        };
        Status {
            mode: libc::S_IFCHR | 0o666,
            size: 0,
            device,
            inode: u64::from(number) + 1,
        }
    }

    /// The status of an entry that was found at a path.
    fn new(found: &Found, path: Spelling) -> Status {
        let (mode, size) = match found {
            Found::Device(number) => return Status::of_device(*number),
            Found::File(bytes) => (libc::S_IFREG | 0o444, bytes.len() as u64),
            Found::Directory(_) => (libc::S_IFDIR | 0o555, 0),
        };
        Status {
            mode,
            size,
            device: (0, 0),
            inode: inode(path.canonical().bytes()),
        }
    }

    fn of_link(path: Spelling, target: &str) -> Status {
        Status {
            mode: libc::S_IFLNK | 0o777,
            size: target.len() as u64,
            device: (0, 0),
            inode: inode(path.bytes()),
        }
    }
}

/// Programs tell by the number whether two names are one file: 64 bits of FNV-1a.
fn inode(path: &[u8]) -> u64 {
    path.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// The status of a path relative to the folder of a descriptor. Links are followed unless `flags` forbid it.
///
/// # Safety
/// `path` is null or a string that ends with a zero.
unsafe fn status(
    directory: c_int,
    path: *const c_char,
    flags: c_int,
) -> Option<Result<Status, i32>> {
    // SAFETY: the caller's word.
    unsafe {
        if flags & libc::AT_EMPTY_PATH != 0 && (path.is_null() || path.read() == 0) {
            return of_descriptor(directory);
        }
        Some(match look_up(directory, path)? {
            Ok((found, path)) => {
                let follows = flags & libc::AT_SYMLINK_NOFOLLOW == 0;
                match link_target(path.bytes()).filter(|_| !follows) {
                    Some(target) => Ok(Status::of_link(path, &target)),
                    None => Ok(Status::new(&found, path)),
                }
            }
            Err(code) => Err(code),
        })
    }
}

/// The status of a descriptor of a device or a folder. None if it is not emulated.
fn of_descriptor(descriptor: c_int) -> Option<Result<Status, i32>> {
    if let Some(path) = folder::path(descriptor) {
        // SAFETY: the path ends with a zero.
        let found = unsafe { look_up(libc::AT_FDCWD, path.as_ptr()) }?;
        return Some(found.map(|(found, path)| Status::new(&found, path)));
    }
    let device = device::find(descriptor)?;
    Some(Ok(Status::of_device(device.number)))
}

/// # Safety
/// `path` is null or a string that ends with a zero.
unsafe fn allowed(directory: c_int, path: *const c_char, wanted: c_int) -> Option<c_int> {
    // SAFETY: the caller's word.
    Some(match unsafe { status(directory, path, 0) }? {
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
/// `out` is memory for a `stat`.
unsafe fn fill(status: Option<Result<Status, i32>>, out: *mut libc::stat) -> Option<c_int> {
    Some(match status? {
        Err(code) => {
            fail(code);
            -1
        }
        // SAFETY: the caller's word; zeros are valid for the rest.
        Ok(status) => unsafe {
            let mut value: libc::stat = std::mem::zeroed();
            value.st_mode = status.mode;
            value.st_size = status.size as i64;
            value.st_nlink = 1;
            value.st_blksize = 4096;
            value.st_ino = status.inode;
            value.st_rdev = libc::makedev(status.device.0, status.device.1);
            out.write(value);
            0
        },
    })
}

macro_rules! asking {
    ($($name:ident $text:literal [$($before:ident: $type:ty)?] path [$($after:ident: $after_type:ty),*] => $body:expr;)*) => { $(
        /// # Safety
        /// The caller must keep the rules of the C library's function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($before: $type,)? path: *const c_char $(, $after: $after_type)*) -> c_int {
            // SAFETY: the caller's string and memory.
            #[allow(clippy::redundant_closure_call)]
            match unsafe { $body($($before,)? path $(, $after)*) } {
                Some(result) => result,
                None => next!($text($($before => $type,)? path => *const c_char $(, $after => $after_type)*) -> c_int, or -1),
            }
        }
    )* };
}

// `stat` and `stat64` are one structure where `off_t` has 64 bits.
const _: () = assert!(size_of::<libc::stat>() == size_of::<libc::stat64>());

type Out = *mut libc::stat;

const HERE: c_int = libc::AT_FDCWD;
const LINKS: c_int = libc::AT_SYMLINK_NOFOLLOW;

asking! {
    access "access" [] path [mode: c_int] => |path, mode| allowed(HERE, path, mode);
    eaccess "eaccess" [] path [mode: c_int] => |path, mode| allowed(HERE, path, mode);
    euidaccess "euidaccess" [] path [mode: c_int] => |path, mode| allowed(HERE, path, mode);
    faccessat "faccessat" [directory: c_int] path [mode: c_int, flags: c_int] => |directory, path, mode, _| allowed(directory, path, mode);
    stat "stat" [] path [out: Out] => |path, out| fill(status(HERE, path, 0), out);
    stat64 "stat64" [] path [out: Out] => |path, out| fill(status(HERE, path, 0), out);
    lstat "lstat" [] path [out: Out] => |path, out| fill(status(HERE, path, LINKS), out);
    lstat64 "lstat64" [] path [out: Out] => |path, out| fill(status(HERE, path, LINKS), out);
    fstatat "fstatat" [directory: c_int] path [out: Out, flags: c_int] => |directory, path, out, flags| fill(status(directory, path, flags), out);
    fstatat64 "fstatat64" [directory: c_int] path [out: Out, flags: c_int] => |directory, path, out, flags| fill(status(directory, path, flags), out);
    __xstat "__xstat" [version: c_int] path [out: Out] => |_, path, out| fill(status(HERE, path, 0), out);
    __xstat64 "__xstat64" [version: c_int] path [out: Out] => |_, path, out| fill(status(HERE, path, 0), out);
    __lxstat "__lxstat" [version: c_int] path [out: Out] => |_, path, out| fill(status(HERE, path, LINKS), out);
    __lxstat64 "__lxstat64" [version: c_int] path [out: Out] => |_, path, out| fill(status(HERE, path, LINKS), out);
}

macro_rules! asking_descriptors {
    ($($name:ident $text:literal [$($version:ident)?];)*) => { $(
        /// # Safety
        /// The caller must keep the rules of the C library's function of that name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($version: c_int,)? descriptor: c_int, out: Out) -> c_int {
            // SAFETY: the caller's memory.
            match unsafe { fill(of_descriptor(descriptor), out) } {
                Some(result) => result,
                None => next!($text($($version => c_int,)? descriptor => c_int, out => Out) -> c_int, or -1),
            }
        }
    )* };
}

asking_descriptors! {
    fstat "fstat" [];
    fstat64 "fstat64" [];
    __fxstat "__fxstat" [version];
    __fxstat64 "__fxstat64" [version];
}

/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statx(
    directory: c_int,
    path: *const c_char,
    flags: c_int,
    mask: c_uint,
    out: *mut libc::statx,
) -> c_int {
    // SAFETY: the caller's string.
    match unsafe { status(directory, path, flags) } {
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
            value.stx_mask = libc::STATX_TYPE
                | libc::STATX_MODE
                | libc::STATX_SIZE
                | libc::STATX_NLINK
                | libc::STATX_INO;
            value.stx_mode = status.mode as u16;
            value.stx_size = status.size;
            value.stx_nlink = 1;
            value.stx_ino = status.inode;
            value.stx_blksize = 4096;
            (value.stx_rdev_major, value.stx_rdev_minor) = status.device;
            out.write(value);
            0
        },
    }
}
