//! The driver's paths.

use std::ffi::{CStr, c_char, c_int};

use crate::{device, folder};

/// The owner of a path, before the emulator is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathOwner {
    /// Not the driver's.
    Elsewhere,
    /// The driver or its folders.
    Driver,
    /// A render node or its folder. Emulated only in processes that have opened the driver before, because other GPUs have render nodes
    /// too.
    Render,
    /// The folder of all GPUs' nodes, and those of its cards. Emulated if the system has no card.
    Cards,
    /// The devices of the PCI bus: the emulated ones are among them in processes that have opened the driver before.
    Bus,
    /// A file that says that the driver is loaded, the same in all processes; the number is a row of [`MODULE`].
    Module(usize),
    /// The list of what is loaded, which has one line more.
    Modules,
}

/// Contents of a path that are the same in all processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    Text(&'static [u8]),
    /// Names, each with a zero behind it; those of folders begin with a slash.
    Folder(&'static [u8]),
}

/// The kernel module, as the system shows one that is loaded. Programs look there before they look for a GPU.
pub const MODULE: &[(&[u8], Contents)] = &[
    (
        b"/sys/module/amdgpu",
        Contents::Folder(b"/holders\0/parameters\0coresize\0initstate\0refcnt\0"),
    ),
    (b"/sys/module/amdgpu/holders", Contents::Folder(b"")),
    (
        b"/sys/module/amdgpu/parameters",
        Contents::Folder(b"cwsr_enable\0emu_mode\0sched_policy\0"),
    ),
    (b"/sys/module/amdgpu/coresize", Contents::Text(b"16384\n")),
    (b"/sys/module/amdgpu/initstate", Contents::Text(b"live\n")),
    (b"/sys/module/amdgpu/refcnt", Contents::Text(b"0\n")),
    // Waves of a queue that is stopped stand still and go on later; the device is no model of AMD's; more queues than a GPU has are
    // scheduled.
    (
        b"/sys/module/amdgpu/parameters/cwsr_enable",
        Contents::Text(b"1\n"),
    ),
    (
        b"/sys/module/amdgpu/parameters/emu_mode",
        Contents::Text(b"0\n"),
    ),
    (
        b"/sys/module/amdgpu/parameters/sched_policy",
        Contents::Text(b"0\n"),
    ),
];

/// The file in which the system lists its modules, and the emulated one's line there.
pub const MODULES: &std::ffi::CStr = c"/proc/modules";
pub const MODULES_LINE: &[u8] = b"amdgpu 16384 0 - Live 0x0000000000000000\n";

const DRIVER: &[u8] = b"/dev/kfd";
const RENDER: &[u8] = b"/dev/dri/renderD";
const RENDER_FOLDER: &[u8] = b"/sys/class/drm/renderD";
const FOLDERS: [&[u8]; 2] = [b"/sys/devices/virtual/kfd", b"/sys/class/kfd"];
const CARDS: &[u8] = b"/sys/class/drm";
pub const BUS: &CStr = c"/sys/bus/pci/devices";

/// A symbolic link among the driver's folders.
const LINK: &[u8] = b"/sys/class/kfd/kfd";
const LINK_TARGET: &str = "../../devices/virtual/kfd/kfd";
/// The numbers of the first GPU's nodes.
const NODES: [(&str, u32); 2] = [("card", 0), ("renderD", 128)];

/// The target of a symbolic link, if the path is one.
pub fn link_target(path: &[u8]) -> Option<String> {
    if path == LINK {
        return Some(LINK_TARGET.to_owned());
    }
    let name = path.strip_prefix(CARDS)?.strip_prefix(b"/")?;
    let name = std::str::from_utf8(name).ok()?;
    NODES.iter().find_map(|(kind, first)| {
        let number: u32 = name.strip_prefix(kind)?.parse().ok()?;
        // The bus on which the topology says that the GPU is.
        let bus = number.checked_sub(*first)? + 1;
        Some(format!(
            "../../devices/pci0000:00/0000:{bus:02x}:00.0/drm/{name}"
        ))
    })
}

/// Bytes of the longest path that can be the driver's, including its zero.
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

    /// `path` relative to this one, or `path` itself if it is absolute. None if the result is too long to be a path of the driver.
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

/// The owner of `path`, relative to the folder of a descriptor, and its spelling as the driver has it.
///
/// # Safety
/// `path` is null or a string that ends with a zero.
pub unsafe fn place(directory: c_int, path: *const c_char) -> Option<(PathOwner, Spelling)> {
    if path.is_null() {
        return None;
    }
    // SAFETY: the caller's word. Paths of the driver's begin with `/dev/`, `/sys/` or `/proc/`; most others are told by two bytes.
    let first = unsafe {
        (
            path.read() as u8,
            path.add(usize::from(path.read() != 0)).read() as u8,
        )
    };
    let from = match first {
        (b'/', b'd' | b's' | b'p' | b'/' | b'.') => Spelling::ROOT,
        (0 | b'/', _) => return None,
        // Libraries that look at another system's files spell all paths from its root, which is usually this one's.
        (b's', b'y') if device::is_root(directory) => Spelling::ROOT,
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
    } else if inside(CARDS) {
        PathOwner::Cards
    } else if inside(BUS.to_bytes()) {
        PathOwner::Bus
    } else if path == MODULES.to_bytes() {
        PathOwner::Modules
    } else {
        let row = MODULE.iter().position(|(known, _)| *known == path);
        row.map_or(PathOwner::Elsewhere, PathOwner::Module)
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
            (c"/sys/module/amdgpu/initstate", PathOwner::Module(4)),
            (c"/sys/module/amdgpu", PathOwner::Module(0)),
            (
                c"/sys/module/amdgpu/parameters/cwsr_enable",
                PathOwner::Module(6),
            ),
            (c"/sys/module/amdgpux", PathOwner::Elsewhere),
            (c"/sys/class/drm", PathOwner::Cards),
            (c"/sys/bus/pci/devices", PathOwner::Bus),
            (c"/sys/bus/pci/devices/0000:01:00.0/class", PathOwner::Bus),
            (c"/sys/bus/pci/drivers", PathOwner::Elsewhere),
            (c"sys/bus/pci/devices", PathOwner::Elsewhere),
            (c"/sys/class/drm/card0/device/vendor", PathOwner::Cards),
            (c"/proc/modules", PathOwner::Modules),
            (c"/proc/self/maps", PathOwner::Elsewhere),
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
