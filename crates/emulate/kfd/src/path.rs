//! Which paths are the driver's.

use std::ffi::{CStr, c_char};

/// What a path means to us, before the emulator is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Everybody else's.
    Elsewhere,
    /// The driver or its folders.
    Driver,
    /// A render node: ours only in processes that have opened the driver before, for other GPUs have render nodes, too.
    Render,
    /// The file that says that the driver is loaded.
    State,
}

/// The contents of [`Place::State`].
pub const STATE: &[u8] = b"live\n";

const DRIVER: &[u8] = b"/dev/kfd";
const RENDER: &[u8] = b"/dev/dri/renderD";
const FOLDERS: [&[u8]; 2] = [b"/sys/devices/virtual/kfd", b"/sys/class/kfd"];
const STATE_PATH: &[u8] = b"/sys/module/amdgpu/initstate";

/// What `path` is.
///
/// # Safety
/// `path` is null or a string that ends with a zero.
pub unsafe fn place(path: *const c_char) -> Place {
    if path.is_null() {
        return Place::Elsewhere;
    }
    // SAFETY: the caller's word. Paths of the driver's begin with `/dev/` or `/sys/`; most others are told by two bytes.
    let first = unsafe {
        (
            path.read() as u8,
            path.add(usize::from(path.read() != 0)).read() as u8,
        )
    };
    if !matches!(first, (b'/', b'd' | b's')) {
        return Place::Elsewhere;
    }
    // SAFETY: as before.
    of(unsafe { CStr::from_ptr(path) }.to_bytes())
}

fn of(path: &[u8]) -> Place {
    let inside = |folder: &[u8]| {
        let rest = path.strip_prefix(folder);
        rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    };
    if path == DRIVER || FOLDERS.iter().any(|folder| inside(folder)) {
        Place::Driver
    } else if path.starts_with(RENDER) {
        Place::Render
    } else if path == STATE_PATH {
        Place::State
    } else {
        Place::Elsewhere
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_drivers_paths_are_taken() {
        for (path, expected) in [
            (c"/dev/kfd", Place::Driver),
            (c"/dev/kfd2", Place::Elsewhere),
            (c"/dev/dri/renderD128", Place::Render),
            (c"/dev/dri/card0", Place::Elsewhere),
            (c"/sys/class/kfd", Place::Driver),
            (c"/sys/class/kfdx", Place::Elsewhere),
            (
                c"/sys/devices/virtual/kfd/kfd/topology/nodes",
                Place::Driver,
            ),
            (c"/sys/module/amdgpu/initstate", Place::State),
            (c"/", Place::Elsewhere),
            (c"", Place::Elsewhere),
            (c"dev/kfd", Place::Elsewhere),
        ] {
            // SAFETY: a string with its zero.
            assert_eq!(unsafe { place(path.as_ptr()) }, expected, "{path:?}");
        }
        // SAFETY: null is allowed.
        assert_eq!(unsafe { place(std::ptr::null()) }, Place::Elsewhere);
    }
}
