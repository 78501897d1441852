//! Device code of the libraries that a program is linked with.

use std::{
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use codeobj::{bundle, compressed, elf::Elf};
use outputs::Input;

/// The section in which compilers put bundles of device code.
const SECTION: &str = ".hip_fatbin";
/// Bundles that are larger than this when they are unpacked are not looked at: starting a program must stay quick.
const LARGEST: u64 = 64 << 20;

/// Libraries of the program that hold device code.
pub fn with_code(program: &Path) -> Vec<PathBuf> {
    let mut paths = linked(program).unwrap_or_default();
    paths.retain(|path| has_code(path).unwrap_or(false));
    paths
}

/// The libraries that the dynamic loader would load with the program, as the loader itself lists them.
fn linked(program: &Path) -> Option<Vec<PathBuf>> {
    let output = Command::new(loader(program)?)
        .arg("--list")
        .arg(program)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let lines = output.stdout.split(|&byte| byte == b'\n');
    Some(lines.filter_map(path_of).collect())
}

/// The path in a line such as `libm.so.6 => /lib/libm.so.6 (0x7f...)`, or `/lib/libm.so.6 (0x7f...)` where the program names it so.
fn path_of(line: &[u8]) -> Option<PathBuf> {
    const ARROW: &[u8] = b" => ";
    let line = line.trim_ascii_start();
    let arrow = line.windows(ARROW.len()).position(|part| part == ARROW);
    let path = &line[arrow.map_or(0, |arrow| arrow + ARROW.len())..];
    let end = path.windows(2).rposition(|part| part == b" (")?;
    path.starts_with(b"/")
        .then(|| PathBuf::from(OsStr::from_bytes(&path[..end])))
}

/// The program's dynamic loader, if it is glibc's: others do not know the option.
fn loader(program: &Path) -> Option<PathBuf> {
    let input = Input::open_for_parts(program).ok()?;
    let file = Elf::parse(input.bytes()).ok()?;
    let name = file.section(".interp")?.data;
    let path = Path::new(OsStr::from_bytes(name.strip_suffix(b"\0")?));
    let is_glibc = path.file_name()?.as_bytes().starts_with(b"ld-linux-");
    (is_glibc && path.is_absolute()).then(|| path.to_owned())
}

fn has_code(path: &Path) -> Option<bool> {
    let input = Input::open_for_parts(path).ok()?;
    let file = Elf::parse(input.bytes()).ok()?;
    Some(file.section(SECTION).is_some())
}

/// The answer of `look` for the first of the library's bundles. Usually all of them are for the same targets, and there may be gigabytes.
pub fn in_first_bundle<T>(path: &Path, look: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
    let input = Input::open_for_parts(path).ok()?;
    let file = Elf::parse(input.bytes()).ok()?;
    let code = file.section(SECTION)?.data;
    if code.starts_with(compressed::MAGIC) {
        let header = compressed::Header::parse(code).ok()?;
        if header.unpacked_size > LARGEST {
            return None;
        }
        return look(&compressed::unpack(code).ok()?.0);
    }
    let size = bundle::Bundle::parse(code).ok()?.size;
    look(code.get(..size as usize)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loader_names_libraries() {
        let line = b"\tlibm.so.6 => /lib/x86 64/libm.so.6 (0x00007f2709158000)";
        assert_eq!(path_of(line), Some("/lib/x86 64/libm.so.6".into()));
        assert_eq!(path_of(b"\t/opt/it (0x00007f)"), Some("/opt/it".into()));
        assert_eq!(path_of(b"\tlinux-vdso.so.1 (0x00007f2709275000)"), None);
        assert_eq!(path_of(b"\tlibgone.so.1 => not found"), None);
        let own = std::env::current_exe().unwrap();
        let found = linked(&own).unwrap();
        let is_c = |path: &PathBuf| path.ends_with("libc.so.6");
        assert!(found.iter().any(is_c), "{found:?}");
        assert_eq!(linked(Path::new("/dev/null")), None);
    }
}
