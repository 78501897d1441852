//! Messages to the user from inside an application's process.
//!
//! Standard error is a number, 2. An application may have put another file there. Daemons, for example, close standard error, and the
//! next file that they open gets the number. [`remember`] therefore notes which file it was, and messages go only to that file.

use std::{
    io,
    sync::atomic::{AtomicU64, Ordering},
};

use crate::keeper::{run_in_scope, with_signals_blocked};

const NUMBER: libc::c_int = 2;

/// Device and inode of the file that standard error was. All ones: not looked up yet. Zeros: no file that Luthier may write to.
static DEVICE: AtomicU64 = AtomicU64::new(u64::MAX);
static INODE: AtomicU64 = AtomicU64::new(u64::MAX);

/// Looks up standard error for later messages, unless that was done already. A library calls it when it is loaded.
///
/// The file that is open there by then may already be the application's own. A stream that was inherited does not close at `exec` and is
/// not open for reading; messages do not go to regular files for which that is not true.
pub fn remember() {
    if INODE.load(Ordering::Acquire) != u64::MAX {
        return;
    }
    let (device, inode) = identity().filter(|_| is_inherited()).unwrap_or((0, 0));
    DEVICE.store(device, Ordering::Release);
    INODE.store(inode, Ordering::Release);
}

/// Writes `text` in one piece, so that lines of several processes do not mix; says whether it could. Signals that writing brings
/// (SIGPIPE, SIGXFSZ) do not reach the application. Threads with a table of their own ([`crate::Keeper`], [`crate::apart`]) have no
/// standard error, so they cannot print.
pub fn print(text: &str) -> bool {
    remember();
    if INODE.load(Ordering::Acquire) == 0 {
        return false;
    }
    // On a thread with a copy of the table, so that no other thread can put something else there between check and write.
    run_in_scope(|| {
        copy_table();
        write(text)
    })
    .unwrap_or_else(|_| write_here(text))
}

fn write(text: &str) -> bool {
    let remembered = (
        DEVICE.load(Ordering::Acquire),
        INODE.load(Ordering::Acquire),
    );
    if identity() != Some(remembered) {
        return false;
    }
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        // SAFETY: a pointer to bytes, and how many there are.
        let written = unsafe { libc::write(NUMBER, rest.as_ptr().cast(), rest.len()) };
        match usize::try_from(written) {
            Ok(written) => rest = &rest[written..],
            Err(_) if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
    true
}

/// On this thread, when there can be no other.
fn write_here(text: &str) -> bool {
    with_signals_blocked(|| {
        let written = write(text);
        if !written {
            // SAFETY: takes what the write left pending for this thread, without waiting.
            unsafe {
                let mut brought = std::mem::zeroed();
                libc::sigemptyset(&raw mut brought);
                libc::sigaddset(&raw mut brought, libc::SIGPIPE);
                libc::sigaddset(&raw mut brought, libc::SIGXFSZ);
                let at_once: libc::timespec = std::mem::zeroed();
                libc::sigtimedwait(&raw const brought, std::ptr::null_mut(), &raw const at_once);
            }
        }
        written
    })
}

/// Gives this thread a table of its own with the standard streams in it. Where the system refuses, it goes on with the common one.
fn copy_table() {
    // SAFETY: closes descriptors in a table that this call makes for this thread alone.
    unsafe {
        libc::syscall(
            libc::SYS_close_range,
            3 as libc::c_uint,
            libc::c_uint::MAX,
            libc::CLOSE_RANGE_UNSHARE,
        );
    }
}

fn status() -> Option<libc::stat> {
    // SAFETY: plain data that the call fills in.
    unsafe {
        let mut status: libc::stat = std::mem::zeroed();
        (libc::fstat(NUMBER, &raw mut status) == 0).then_some(status)
    }
}

fn identity() -> Option<(u64, u64)> {
    status().map(|status| (status.st_dev, status.st_ino))
}

fn is_inherited() -> bool {
    let is_regular = status().is_some_and(|status| status.st_mode & libc::S_IFMT == libc::S_IFREG);
    // SAFETY: asks for flags.
    let (of_descriptor, of_file) = unsafe {
        (
            libc::fcntl(NUMBER, libc::F_GETFD),
            libc::fcntl(NUMBER, libc::F_GETFL),
        )
    };
    let access = of_file & libc::O_ACCMODE;
    let may_write = of_file >= 0 && access != libc::O_RDONLY;
    may_write
        && (!is_regular || (of_descriptor & libc::FD_CLOEXEC == 0 && access == libc::O_WRONLY))
}
