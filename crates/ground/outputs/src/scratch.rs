//! Files for the time that a command runs, which other processes open by name.

use std::{
    fs::File,
    io::{self, Read, Seek},
    os::fd::{AsRawFd, FromRawFd},
    path::{Path, PathBuf},
};

/// A file in memory. Nothing of it remains when this process ends, however it does, and no directory has to be writable for it.
#[derive(Debug)]
pub struct Scratch {
    file: File,
    path: PathBuf,
}

impl Scratch {
    pub fn new() -> io::Result<Scratch> {
        // SAFETY: the name is a terminated string.
        let descriptor = unsafe { libc::memfd_create(c"luthier".as_ptr(), libc::MFD_CLOEXEC) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the call above has just made this descriptor, and no other value owns it.
        let file = unsafe { File::from_raw_fd(descriptor) };
        let path = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
        Ok(Scratch {
            file,
            path: path.into(),
        })
    }

    /// The path at which processes of the same user can open it while this process runs.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text that was written; bytes that are no text are replaced.
    pub fn read(&self) -> io::Result<String> {
        let mut file = &self.file;
        let mut bytes = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
