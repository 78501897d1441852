//! The directory for findings, and processes that still write to it when the program has ended.
//!
//! Every process of the program has the directory's name in its environment. A process may overwrite that, as those do that set the title
//! `ps` shows. A lock on its file marks each process on the emulated GPU, too, as long as it runs. With hooks there is no such file.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs::{self, File},
    io::{self, ErrorKind},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use command::processes;
use rustix::process::{Flock, FlockType, fcntl_getlk};
use serde::Serialize;

/// Processes that end with the program get this time.
const MOMENT: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(20);
/// Removal is tried so often, because processes may still make files in the directory.
const ROUNDS: usize = 20;

/// A process that outlives the program.
#[derive(Debug, Serialize)]
pub struct Outliving {
    process: u32,
    /// As `ps` shows it.
    name: String,
}

impl std::fmt::Display for Outliving {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "process {} ({})", self.process, self.name)
    }
}

/// A process with this number.
pub fn named(process: u32) -> Outliving {
    let name = fs::read(format!("/proc/{process}/comm")).unwrap_or_default();
    let name = String::from_utf8_lossy(name.strip_suffix(b"\n").unwrap_or(&name)).into_owned();
    Outliving {
        process,
        name: name.replace(char::is_control, "?"),
    }
}

/// A directory that goes with this value.
pub struct Directory {
    path: PathBuf,
    /// The variable that names it to processes of the program.
    variable: &'static str,
}

impl Directory {
    pub fn new(variable: &'static str) -> io::Result<Directory> {
        let path = tempfile::tempdir()?.keep();
        Ok(Directory { path, variable })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives processes that are about to end a moment for it.
    pub fn settle(&self) {
        let began = Instant::now();
        while began.elapsed() < MOMENT && !self.processes().is_empty() {
            thread::sleep(PAUSE);
        }
    }

    /// The numbers of processes that may still write to the directory.
    pub fn processes(&self) -> BTreeSet<u32> {
        let mut entry = OsString::from(self.variable);
        entry.push("=");
        entry.push(&self.path);
        let marked = processes::all().filter(|pid| processes::has_entry(*pid, entry.as_bytes()));
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let writing = entries.filter_map(|entry| writer(&File::open(entry.path()).ok()?));
        marked.chain(writing).collect()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // Processes that go on know the old name, so that they make no file from here on.
        let mut gone = self.path.clone().into_os_string();
        gone.push("-read");
        let path = match fs::rename(&self.path, &gone) {
            Ok(()) => PathBuf::from(gone),
            Err(_) => self.path.clone(),
        };
        for _ in 0..ROUNDS {
            match fs::remove_dir_all(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => thread::sleep(PAUSE),
                _ => return,
            }
        }
    }
}

/// The process that holds the lock on a file, and so still writes to it.
pub fn writer(file: &File) -> Option<u32> {
    let all = Flock::from(FlockType::WriteLock);
    let held = fcntl_getlk(file, &all).ok()??;
    Some(held.pid?.as_raw_nonzero().get().unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_goes_with_what_is_in_it() {
        let directory = Directory::new("A_VARIABLE").unwrap();
        let path = directory.path().to_owned();
        let late = path.join("late");
        fs::write(path.join("found-1"), "a line\n").unwrap();
        assert!(directory.processes().is_empty());
        drop(directory);
        assert!(!path.exists());
        // A process cannot make a file there later.
        assert_eq!(File::create(late).unwrap_err().kind(), ErrorKind::NotFound);
    }
}
