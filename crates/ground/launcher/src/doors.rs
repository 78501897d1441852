//! By which of the two ways a ROCr reaches the emulated device.

use std::{fmt, fs, path::Path};

use anyhow::{Context, Result};
use object::{
    LittleEndian,
    elf::DT_NEEDED,
    read::elf::{Dyn, ElfFile64},
};

use crate::libraries::{DRIVER, THUNK_SONAME};

/// What the emulated device answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// ROCr loads a thunk library.
    Thunk,
    /// ROCr has a thunk of its own, which calls the kernel driver.
    Driver,
}

impl fmt::Display for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Door::Thunk => write!(
                f,
                "it loads a thunk library, and ours is found first ({THUNK_SONAME})"
            ),
            Door::Driver => write!(
                f,
                "its thunk is a part of it, so the kernel driver's interface is emulated ({DRIVER}, preloaded)"
            ),
        }
    }
}

/// The door that this `libhsa-runtime64.so` takes: whether the thunk is among the libraries it asks the dynamic linker for.
pub fn detect(runtime: &Path) -> Result<Door> {
    let bytes = fs::read(runtime).with_context(|| format!("cannot read {}", runtime.display()))?;
    let needed = needed(&bytes).with_context(|| format!("{} is no library", runtime.display()))?;
    let thunk = needed.iter().any(|name| name.starts_with(b"libhsakmt.so"));
    Ok(if thunk { Door::Thunk } else { Door::Driver })
}

/// The libraries that a library needs.
fn needed(bytes: &[u8]) -> Result<Vec<&[u8]>> {
    let file = ElfFile64::<LittleEndian>::parse(bytes)?;
    let sections = file.elf_section_table();
    let (dynamic, link) = sections
        .dynamic(LittleEndian, bytes)?
        .context("it has no dynamic section")?;
    let strings = sections.strings(LittleEndian, bytes, link)?;
    let needed = dynamic
        .iter()
        .filter(|entry| entry.d_tag(LittleEndian) == DT_NEEDED);
    needed
        .map(|entry| Ok(entry.string(LittleEndian, strings)?))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test program itself needs the C library, as `ldd` says of every program here.
    #[test]
    fn needed_libraries_are_read() {
        let bytes = fs::read("/proc/self/exe").unwrap();
        assert!(needed(&bytes).unwrap().contains(&&b"libc.so.6"[..]));
        assert_eq!(detect(Path::new("/proc/self/exe")).unwrap(), Door::Driver);
        let refusal = detect(Path::new("/proc/self/status"))
            .unwrap_err()
            .to_string();
        assert!(
            refusal.contains("/proc/self/status is no library"),
            "{refusal}"
        );
    }
}
