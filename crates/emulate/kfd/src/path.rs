//! Which paths are the driver's.

use std::ffi::{CStr, c_char};

/// What a path means to us, before the emulator is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathOwner {
    /// Everybody else's.
    Elsewhere,
    /// The driver or its folders.
    Driver,
    /// A render node: ours only in processes that have opened the driver before, for other GPUs have render nodes, too.
    Render,
    /// The file that says that the driver is loaded.
    State,
}

/// The contents of [`PathOwner::State`].
pub const STATE: &[u8] = b"live\n";

const DRIVER: &[u8] = b"/dev/kfd";
const RENDER: &[u8] = b"/dev/dri/renderD";
const FOLDERS: [&[u8]; 2] = [b"/sys/devices/virtual/kfd", b"/sys/class/kfd"];
const STATE_PATH: &[u8] = b"/sys/module/amdgpu/initstate";

/// What `path` is.
///
/// # Safety
/// `path` is null or a string that ends with a zero.
pub unsafe fn place(path: *const c_char) -> PathOwner {
    if path.is_null() {
        return PathOwner::Elsewhere;
    }
    // SAFETY: the caller's word. Paths of the driver's begin with `/dev/` or `/sys/`; most others are told by two bytes.
    let first = unsafe {
        (
            path.read() as u8,
            path.add(usize::from(path.read() != 0)).read() as u8,
        )
    };
    if !matches!(first, (b'/', b'd' | b's')) {
        return PathOwner::Elsewhere;
    }
    // SAFETY: as before.
    classify(unsafe { CStr::from_ptr(path) }.to_bytes())
}

fn classify(path: &[u8]) -> PathOwner {
    let inside = |folder: &[u8]| {
        let rest = path.strip_prefix(folder);
        rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    };
    if path == DRIVER || FOLDERS.iter().any(|folder| inside(folder)) {
        PathOwner::Driver
    } else if path.starts_with(RENDER) {
        PathOwner::Render
    } else if path == STATE_PATH {
        PathOwner::State
    } else {
        PathOwner::Elsewhere
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_drivers_paths_are_taken() {
        for (path, expected) in [
            (c"/dev/kfd", PathOwner::Driver),
            (c"/dev/kfd2", PathOwner::Elsewhere),
            (c"/dev/dri/renderD128", PathOwner::Render),
            (c"/dev/dri/card0", PathOwner::Elsewhere),
            (c"/sys/class/kfd", PathOwner::Driver),
            (c"/sys/class/kfdx", PathOwner::Elsewhere),
            (
                c"/sys/devices/virtual/kfd/kfd/topology/nodes",
                PathOwner::Driver,
            ),
            (c"/sys/module/amdgpu/initstate", PathOwner::State),
            (c"/", PathOwner::Elsewhere),
            (c"", PathOwner::Elsewhere),
            (c"dev/kfd", PathOwner::Elsewhere),
        ] {
            // SAFETY: a string with its zero.
            assert_eq!(unsafe { place(path.as_ptr()) }, expected, "{path:?}");
        }
        // SAFETY: null is allowed.
        assert_eq!(unsafe { place(std::ptr::null()) }, PathOwner::Elsewhere);
    }
}
