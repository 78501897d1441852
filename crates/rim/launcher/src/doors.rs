//! By which of the two ways a ROCr reaches the emulated device.

use std::{fmt, path::Path};

use anyhow::{Context, Result};
use object::{
    LittleEndian,
    elf::DT_NEEDED,
    read::elf::{Dyn, ElfFile64, SectionHeader},
};

use outputs::Input;

use crate::libraries::{DRIVER, THUNK_SONAME};

pub const RUNTIME: &str = "libhsa-runtime64.so.1";
/// Functions that Luthier's thunk library lacks: the first makes queues in thunk libraries of ROCm 7.1; by the second, ROCr 5.7 opens the
/// GPU beside its thunk library.
const MORE: [&[u8]; 2] = [b"\0hsaKmtCreateQueueExt\0", b"\0drmOpenRender\0"];

/// The interface at which the emulated device answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// ROCr loads a thunk library.
    Thunk,
    /// ROCr has a thunk of its own, which calls the kernel driver.
    Driver,
    /// ROCr loads a thunk library and needs more of it than Luthier's has. The library calls the kernel driver.
    NewerThunk,
}

impl fmt::Display for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Door::Thunk => write!(
                f,
                "it loads a thunk library, and finds Luthier's first ({THUNK_SONAME})"
            ),
            Door::NewerThunk => write!(
                f,
                "it needs more than Luthier's thunk library has, so the kernel driver's interface is emulated ({DRIVER}, preloaded)"
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
    let input = Input::open_for_parts(runtime)
        .with_context(|| format!("cannot read {}", runtime.display()))?;
    let bytes = input.bytes();
    let needed = needed(bytes).with_context(|| format!("{} is no library", runtime.display()))?;
    let thunk = needed.iter().any(|name| name.starts_with(b"libhsakmt.so"));
    let newer = MORE.iter().any(|name| names(bytes, name).unwrap_or(false));
    Ok(match (thunk, newer) {
        (true, true) => Door::NewerThunk,
        (true, false) => Door::Thunk,
        (false, _) => Door::Driver,
    })
}

/// True if a library defines or imports a function of that name, which has zeros around it.
fn names(bytes: &[u8], name: &[u8]) -> Result<bool> {
    let file = ElfFile64::<LittleEndian>::parse(bytes)?;
    let sections = file.elf_section_table();
    let Some((_, link)) = sections.dynamic(LittleEndian, bytes)? else {
        return Ok(false);
    };
    let strings = sections.section(link)?.data(LittleEndian, bytes)?;
    Ok(strings.windows(name.len()).any(|window| window == name))
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
    use std::fs;

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

    /// Runtimes as a distribution links them, with thunk libraries that have the further functions and with ones that lack them.
    #[test]
    fn a_runtime_that_wants_more_than_our_thunk_has_takes_the_driver() {
        let folder = std::env::temp_dir().join(format!("luthier-doors-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let library = |name: &str, code: &str, more: &[&str]| {
            let source = folder.join("source.c");
            fs::write(&source, code).unwrap();
            let mut cc = std::process::Command::new("cc");
            cc.args(["-shared", "-fPIC", "-o"]).arg(folder.join(name));
            let done = cc.arg(&source).args(more).current_dir(&folder).status();
            assert!(done.unwrap().success());
            folder.join(name)
        };
        let functions = "void hsaKmtCreateQueue(void) {} void hsaKmtCreateQueueExt(void) {} void drmOpenRender(void) {}";
        library("libhsakmt.so.1", functions, &["-Wl,-soname,libhsakmt.so.1"]);
        for (function, door) in [
            ("hsaKmtCreateQueue", Door::Thunk),
            ("hsaKmtCreateQueueExt", Door::NewerThunk),
            ("drmOpenRender", Door::NewerThunk),
        ] {
            let code = format!(
                "void hsaKmtCreateQueue(void); void {function}(void); void queue(void) {{ hsaKmtCreateQueue(); {function}(); }}"
            );
            let runtime = library("libruntime.so", &code, &["libhsakmt.so.1"]);
            assert_eq!(detect(&runtime).unwrap(), door, "{function}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
