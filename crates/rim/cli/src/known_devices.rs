//! Says before a program starts that the ROCm here is older than the device; ROCr shows no GPU then, and HIP crashes.

use std::collections::BTreeSet;

use memchr::memmem;
use outputs::Input;

use crate::doctor::{HIP, RUNTIME, library};

/// Every ROCm that is supported knows these.
const OLDEST: [&str; 5] = ["gfx900", "gfx906", "gfx908", "gfx90a", "gfx1030"];

/// A line for the user if ROCr or HIP, where the dynamic linker finds them, do not know one of the emulated `devices`.
pub fn complaint(devices: &str) -> Option<String> {
    let wanted: Vec<&str> = devices
        .split(',')
        .filter_map(|device| Some(gpu::topology::named(device.trim())?.name))
        .filter(|name| !OLDEST.contains(name))
        .collect();
    if wanted.is_empty() {
        return None;
    }
    let hip = HIP.iter().find_map(|name| library(name));
    [library(RUNTIME), hip]
        .into_iter()
        .flatten()
        .find_map(|path| {
            let input = Input::open(&path).ok()?;
            let known = names(input.bytes());
            // A library that names none keeps them in another way.
            if known.is_empty() {
                return None;
            }
            let unknown = wanted.iter().find(|name| !known.contains(**name))?;
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            Some(format!(
                "{} does not know {unknown}, so programs that use it see no such GPU: choose another --device ({known}) or a newer \
                 ROCm",
                path.display()
            ))
        })
}

/// The devices in a library's table of targets, where each is a string of its own, with features behind it or none.
fn names(library: &[u8]) -> BTreeSet<&'static str> {
    let ends = |target: &str, at: usize| {
        let behind = library.get(at + target.len());
        behind.is_some_and(|byte| [0, b':'].contains(byte))
    };
    let is_there = |target: &&str| {
        let mut places = memmem::find_iter(library, target.as_bytes());
        places.any(|at| ends(target, at))
    };
    gpu::topology::targets().filter(is_there).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_that_are_targets_are_known() {
        let table = b"\0amdgcn-amd-amdhsa--gfx1030\0gfx90a:xnack-\0__gfx942__\0gfx11-generic\0gfx12\0gfx9999\0";
        assert_eq!(names(table), BTreeSet::from(["gfx1030", "gfx90a"]));
    }

    #[test]
    fn the_oldest_are_emulated() {
        for name in OLDEST {
            assert!(gpu::topology::targets().any(|target| target == name));
        }
        assert_eq!(complaint("gfx90a, mi100"), None);
    }
}
