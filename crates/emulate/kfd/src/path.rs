//! Which paths are the driver's.

use std::ffi::{CStr, c_char, c_int};

use crate::folder;

/// What a path means to us, before the emulator is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathOwner {
    /// Everybody else's.
    Elsewhere,
    /// The driver or its folders.
    Driver,
    /// A render node or its folder: ours only in processes that have opened the driver before, for other GPUs have render nodes, too.
    Render,
    /// The file that says that the driver is loaded.
    State,
}

/// The contents of [`PathOwner::State`].
pub const STATE: &[u8] = b"live\n";

const DRIVER: &[u8] = b"/dev/kfd";
const RENDER: &[u8] = b"/dev/dri/renderD";
const RENDER_FOLDER: &[u8] = b"/sys/class/drm/renderD";
const FOLDERS: [&[u8]; 2] = [b"/sys/devices/virtual/kfd", b"/sys/class/kfd"];
const STATE_PATH: &[u8] = b"/sys/module/amdgpu/initstate";

/// The one symbolic link among the driver's folders, and what it says.
pub const LINK: &[u8] = b"/sys/class/kfd/kfd";
pub const LINK_TARGET: &[u8] = b"../../devices/virtual/kfd/kfd";

/// Bytes of the longest path that can be ours, its zero among them.
const LONGEST: usize = 256;

/// A path as the driver's are spelt: absolute, without `.`, `..` and empty parts. It lies on the stack, for nothing is allocated in
/// processes that use no driver.
#[derive(Clone, Copy)]
pub struct Spelling {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Spelling {
    pub const ROOT: Spelling = Spelling {
        bytes: [0; LONGEST],
        length: 0,
    };

    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    pub fn as_ptr(&self) -> *const c_char {
        self.bytes.as_ptr().cast()
    }

    /// That path, seen from this one if it is relative; None if it is too long to be one of ours.
    pub fn join(mut self, path: &[u8]) -> Option<Spelling> {
        if path.starts_with(b"/") {
            self = Spelling::ROOT;
        }
        for part in path.split(|byte| *byte == b'/') {
            match part {
                b"" | b"." => {}
                b".." => {
                    let parent = self.bytes().iter().rposition(|byte| *byte == b'/');
                    self.length = parent.unwrap_or(0);
                }
                _ => {
                    let end = self.length + 1 + part.len();
                    // The last byte stays zero.
                    let room = self.bytes.get_mut(self.length..end.min(LONGEST - 1))?;
                    let (slash, name) = room.split_first_mut()?;
                    (name.len() == part.len()).then(|| name.copy_from_slice(part))?;
                    *slash = b'/';
                    self.length = end;
                }
            }
        }
        self.bytes[self.length..].fill(0);
        Some(self)
    }

    /// The same file's path without the link.
    pub fn canonical(self) -> Spelling {
        let inside = self.bytes().strip_prefix(FOLDERS[1]);
        let moved = inside.and_then(|rest| {
            let base = Spelling::ROOT.join(FOLDERS[0])?;
            base.join(rest.strip_prefix(b"/").unwrap_or(rest))
        });
        moved.unwrap_or(self)
    }
}

/// Whose `path` is, seen from the folder that a descriptor stands for, and how the driver spells it.
///
/// # Safety
/// `path` is null or a string that ends with a zero.
pub unsafe fn place(directory: c_int, path: *const c_char) -> Option<(PathOwner, Spelling)> {
    if path.is_null() {
        return None;
    }
    // SAFETY: the caller's word. Paths of the driver's begin with `/dev/` or `/sys/`; most others are told by two bytes.
    let first = unsafe {
        (
            path.read() as u8,
            path.add(usize::from(path.read() != 0)).read() as u8,
        )
    };
    let from = match first {
        (b'/', b'd' | b's' | b'/' | b'.') => Spelling::ROOT,
        (0 | b'/', _) => return None,
        _ => folder::path(directory)?,
    };
    // SAFETY: as before.
    let path = from.join(unsafe { CStr::from_ptr(path) }.to_bytes())?;
    let owner = classify(path.bytes());
    (owner != PathOwner::Elsewhere).then_some((owner, path))
}

fn classify(path: &[u8]) -> PathOwner {
    let inside = |folder: &[u8]| {
        let rest = path.strip_prefix(folder);
        rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    };
    if path == DRIVER || FOLDERS.iter().any(|folder| inside(folder)) {
        PathOwner::Driver
    } else if path.starts_with(RENDER) || path.starts_with(RENDER_FOLDER) {
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

    fn owner(path: &CStr) -> PathOwner {
        // SAFETY: a string with its zero.
        let found = unsafe { place(libc::AT_FDCWD, path.as_ptr()) };
        found.map_or(PathOwner::Elsewhere, |(owner, _)| owner)
    }

    #[test]
    fn only_the_drivers_paths_are_taken() {
        for (path, expected) in [
            (c"/dev/kfd", PathOwner::Driver),
            (c"/dev/kfd2", PathOwner::Elsewhere),
            (c"/dev/dri/renderD128", PathOwner::Render),
            (c"/sys/class/drm/renderD128/device", PathOwner::Render),
            (c"/dev/dri/card0", PathOwner::Elsewhere),
            (c"/sys/class/kfd", PathOwner::Driver),
            (c"/sys/class/kfdx", PathOwner::Elsewhere),
            (
                c"/sys/devices/virtual/kfd/kfd/topology/nodes",
                PathOwner::Driver,
            ),
            (c"//sys/./class//kfd/", PathOwner::Driver),
            (c"/../dev/dri/../kfd", PathOwner::Driver),
            (c"/sys/class/kfd/..", PathOwner::Elsewhere),
            (c"/sys/module/amdgpu/initstate", PathOwner::State),
            (c"/", PathOwner::Elsewhere),
            (c"", PathOwner::Elsewhere),
            (c"dev/kfd", PathOwner::Elsewhere),
        ] {
            assert_eq!(owner(path), expected, "{path:?}");
        }
        // SAFETY: null is allowed.
        assert!(unsafe { place(libc::AT_FDCWD, std::ptr::null()) }.is_none());
    }

    #[test]
    fn paths_that_are_too_long_are_somebody_elses() {
        let path = [b"/sys/class/kfd/".as_slice(), &[b'x'; LONGEST]].concat();
        assert!(Spelling::ROOT.join(&path).is_none());
        let longest = Spelling::ROOT.join(&path[..LONGEST - 1]).unwrap();
        assert_eq!(longest.bytes(), &path[..LONGEST - 1]);
        assert!(Spelling::ROOT.join(&path[..LONGEST]).is_none());
    }

    #[test]
    fn one_folder_has_two_names() {
        for (path, expected) in [
            (
                "/sys/class/kfd/kfd/topology",
                "/sys/devices/virtual/kfd/kfd/topology",
            ),
            ("/sys/class/kfd", "/sys/devices/virtual/kfd"),
            ("/dev/kfd", "/dev/kfd"),
        ] {
            let path = Spelling::ROOT.join(path.as_bytes()).unwrap();
            assert_eq!(path.canonical().bytes(), expected.as_bytes());
        }
    }
}
