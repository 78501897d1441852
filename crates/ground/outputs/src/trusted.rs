//! State of one user on disk, which is accepted only if no other user can have made it.
//!
//! Directories get mode 0700 and files 0600, whatever the application's umask is. A file is opened without following a link or waiting for
//! a FIFO. The open file must then be a regular file of this user, which no other user may write, and no larger than expected. No function
//! here keeps a descriptor; inside an application's process they are called on a [`crate::Keeper`]'s thread.

use std::{
    fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions},
    io::{self, ErrorKind, Read, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use crate::output::UNFINISHED;

const DIRECTORY: u32 = 0o700;
const FILE: u32 = 0o600;
const OTHERS_WRITE: u32 = 0o022;
/// Name and size of the file with the user's secret.
const SECRET: &str = "secret";
const SECRET_SIZE: usize = 32;

/// A directory that belongs to this user alone.
#[derive(Clone, Debug)]
pub struct Directory(PathBuf);

fn refused(reason: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::PermissionDenied, reason.into())
}

fn user() -> u32 {
    // SAFETY: no arguments, cannot fail.
    unsafe { libc::geteuid() }
}

fn of_user(metadata: &Metadata) -> io::Result<()> {
    match metadata.uid() == user() {
        true => Ok(()),
        false => Err(refused(format!(
            "it belongs to user {}, and this is user {}",
            metadata.uid(),
            user()
        ))),
    }
}

impl Directory {
    /// The directory at `path`, which must exist. Permissions of other users are removed.
    pub fn open(path: &Path) -> io::Result<Directory> {
        let metadata = fs::metadata(path)?;
        if !metadata.is_dir() {
            return Err(ErrorKind::NotADirectory.into());
        }
        of_user(&metadata)?;
        if metadata.permissions().mode() & 0o777 != DIRECTORY {
            fs::set_permissions(path, Permissions::from_mode(DIRECTORY))?;
        }
        Ok(Directory(path.to_owned()))
    }

    /// The directory at `path`, made with those above it if it does not exist.
    pub fn create(path: &Path) -> io::Result<Directory> {
        DirBuilder::new()
            .recursive(true)
            .mode(DIRECTORY)
            .create(path)?;
        Directory::open(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Opens a file for reading and tells its size, which is at most `limit`.
    pub fn open_file(&self, name: &str, limit: u64) -> io::Result<(File, u64)> {
        open_file(&self.0.join(name), limit)
    }

    /// A whole file.
    pub fn read(&self, name: &str, limit: u64) -> io::Result<Vec<u8>> {
        let (file, size) = self.open_file(name, limit)?;
        let mut bytes = Vec::new();
        file.take(size).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Puts a whole file in place of what has the name.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let (_held, path) = self.unfinished(bytes)?;
        fs::rename(&path, self.0.join(name)).inspect_err(|_| drop(fs::remove_file(&path)))
    }

    /// A file of this call alone. Another process may have the same number, in a container of its own, or a process that died may have left
    /// its file.
    fn unfinished(&self, bytes: &[u8]) -> io::Result<(File, PathBuf)> {
        static UNIQUE: AtomicU64 = AtomicU64::new(0);
        loop {
            let unique = UNIQUE.fetch_add(1, Ordering::Relaxed);
            let name = format!("{}.{unique}{UNFINISHED}", std::process::id());
            let path = self.0.join(name);
            let made = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(FILE)
                .open(&path);
            let mut file = match made {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                made => made?,
            };
            // The lock is held as long as the file has this name, so that other processes see that it is not left over. If one of them
            // removed the file before it was locked, a new one is made.
            if file.try_lock().is_err() || file.metadata()?.nlink() == 0 {
                continue;
            }
            let written = file
                .set_permissions(Permissions::from_mode(FILE))
                .and_then(|()| file.write_all(bytes));
            return match written {
                Ok(()) => Ok((file, path)),
                Err(error) => {
                    let _ = fs::remove_file(&path);
                    Err(error)
                }
            };
        }
    }

    /// Removes what writers left that were killed.
    pub fn sweep(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.0)? {
            let path = entry?.path();
            if path.to_str().is_some_and(|path| path.ends_with(UNFINISHED))
                && let Ok((file, _)) = open_file(&path, u64::MAX)
                && file.try_lock().is_ok()
            {
                let _ = fs::remove_file(&path);
            }
        }
        Ok(())
    }

    /// A secret of this user's, made when it is first asked for. All processes of the user get the same one.
    pub fn secret(&self) -> io::Result<[u8; SECRET_SIZE]> {
        let path = self.0.join(SECRET);
        let read = || -> io::Result<[u8; SECRET_SIZE]> {
            let bytes = self.read(SECRET, SECRET_SIZE as u64)?;
            let secret = <[u8; SECRET_SIZE]>::try_from(bytes);
            secret.map_err(|_| refused("the secret has another size"))
        };
        match read() {
            Ok(secret) => return Ok(secret),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            // Another user made it, or a full disk cut it off.
            Err(_) => fs::remove_file(&path)?,
        }
        let mut secret = [0; SECRET_SIZE];
        File::open("/dev/urandom")?.read_exact(&mut secret)?;
        let (_held, unfinished) = self.unfinished(&secret)?;
        // If several processes do this at once, the first one wins.
        let linked = fs::hard_link(&unfinished, &path);
        let _ = fs::remove_file(&unfinished);
        match linked {
            Ok(()) => Ok(secret),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => read(),
            Err(error) => Err(error),
        }
    }
}

/// Opens a file that only this user can have written.
fn open_file(path: &Path, limit: u64) -> io::Result<(File, u64)> {
    // Opening alone makes some devices do things.
    regular(&fs::symlink_metadata(path)?)?;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)?;
    let metadata = file.metadata()?;
    regular(&metadata)?;
    of_user(&metadata)?;
    if metadata.permissions().mode() & OTHERS_WRITE != 0 {
        return Err(refused("others may write it"));
    }
    if metadata.len() > limit {
        return Err(refused(format!(
            "it has {} bytes; at most {limit} are possible",
            metadata.len()
        )));
    }
    Ok((file, metadata.len()))
}

fn regular(metadata: &Metadata) -> io::Result<()> {
    match metadata.is_file() {
        true => Ok(()),
        false => Err(refused("it is no regular file")),
    }
}
