//! The folder of the PCI bus, where the system's own devices are, too.

use std::{
    ffi::{c_char, c_int},
    mem::offset_of,
};

use kmt_sys::door::DIRECTORY_MARK;

use crate::{
    next,
    path::{BUS, Spelling},
};

/// Returns `true` if a path leads into the folder of a device that the system has itself.
pub fn is_of_others(path: &Spelling) -> bool {
    let bus = BUS.to_bytes().len();
    let inside = path.bytes().get(bus + 1..).unwrap_or(&[]);
    let Some(name) = inside
        .split(|byte| *byte == b'/')
        .next()
        .filter(|name| !name.is_empty())
    else {
        return false;
    };
    let device = Spelling::ROOT.join(&path.bytes()[..bus + 1 + name.len()]);
    // SAFETY: the path ends with a zero.
    device.is_some_and(|device| unsafe {
        libc::syscall(libc::SYS_access, device.as_ptr(), libc::F_OK) == 0
    })
}

/// Adds the system's own devices to the names of the emulated ones.
pub fn add_others(names: &mut Vec<u8>) {
    const FLAGS: i32 = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC;
    const LENGTH: usize = offset_of!(libc::dirent64, d_reclen);
    const NAME: usize = offset_of!(libc::dirent64, d_name);
    let (path, flags) = (BUS.as_ptr(), FLAGS);
    // (This is not the C library's `syscall`, which is replaced, too.)
    let folder = next!("open"(path => *const c_char, flags => c_int) -> c_int, or -1);
    if folder < 0 {
        return;
    }
    let mut entries = [0_u8; 4096];
    loop {
        // SAFETY: the buffer is as long as said.
        let used = unsafe {
            libc::syscall(
                libc::SYS_getdents64,
                folder,
                entries.as_mut_ptr(),
                entries.len(),
            )
        };
        let Some(mut rest) = usize::try_from(used)
            .ok()
            .filter(|used| *used > 0)
            .and_then(|used| entries.get(..used))
        else {
            break;
        };
        while let Some(length) = rest.get(LENGTH..LENGTH + 2) {
            let length = usize::from(u16::from_ne_bytes([length[0], length[1]]));
            let name = rest.get(NAME..length).unwrap_or(&[]);
            let name = name.split(|byte| *byte == 0).next().unwrap_or(&[]);
            if !name.starts_with(b".") && !name.is_empty() {
                names.push(DIRECTORY_MARK);
                names.extend_from_slice(name);
                names.push(0);
            }
            rest = rest.get(length.max(1)..).unwrap_or(&[]);
        }
    }
    // SAFETY: this function opened it above, and no other code has it.
    unsafe { libc::close(folder) };
}
