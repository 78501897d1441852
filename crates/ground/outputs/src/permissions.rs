//! Permissions of files that are made inside an application's process.
//!
//! Daemons set their umask to 0. Outputs belong to the user who started `luthier run`, so that user's umask counts too: [`UMASK`] holds it,
//! and a file gets a permission only if neither umask forbids it.

use std::{fs::DirBuilder, io, os::unix::fs::DirBuilderExt, path::Path};

/// The variable with the umask of the user who wants the outputs, in octal digits.
pub const UMASK: &str = "LUTHIER_UMASK";

/// This process's umask as the variable has it; none where the system does not say it.
pub fn umask() -> Option<String> {
    // The system call sets it at the same time, which other threads would notice.
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mut values = status
        .lines()
        .filter_map(|line| line.strip_prefix("Umask:"));
    Some(values.next()?.trim().to_owned())
}

/// Makes a directory, and those above it that are missing. One that is there stays as it is.
pub fn make_directories(path: &Path) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o777 & !taken())
        .create(path)
}

/// The mode that new files ask for; the process's own umask takes its share of it.
pub(crate) fn of_files() -> u32 {
    0o666 & !taken()
}

fn taken() -> u32 {
    let value = std::env::var(UMASK).unwrap_or_default();
    u32::from_str_radix(&value, 8).unwrap_or(0)
}
