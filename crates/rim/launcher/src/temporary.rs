//! HIP's runtime compiles kernels of its own when it starts, in the directory for temporary files. Where that cannot be written, programs
//! only hear of an invalid value.

use std::{env, ffi::CString, os::unix::ffi::OsStrExt, path::Path};

/// The message about a directory for temporary files that cannot be written.
pub fn complaint() -> Option<String> {
    about(&env::temp_dir())
}

fn about(directory: &Path) -> Option<String> {
    let name = CString::new(directory.as_os_str().as_bytes()).ok()?;
    // SAFETY: the name is a terminated string.
    if unsafe { libc::access(name.as_ptr(), libc::W_OK | libc::X_OK) } == 0 {
        return None;
    }
    Some(format!(
        "{} cannot be written ({}), and HIP's runtime compiles kernels there: set TMPDIR to another directory if the program fails",
        directory.display(),
        std::io::Error::last_os_error()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_directories_that_cannot_be_written_are_told_of() {
        assert_eq!(about(&env::temp_dir()), None);
        let missing = about(Path::new("/nowhere")).unwrap();
        assert!(missing.contains("/nowhere cannot be written"), "{missing}");
    }
}
