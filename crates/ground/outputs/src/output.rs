//! A file that a user named.

use std::{
    ffi::{CString, OsStr, OsString},
    fs::{self, File, Metadata, OpenOptions, Permissions},
    io::{self, ErrorKind, Write},
    os::{
        fd::AsRawFd,
        unix::{
            ffi::OsStrExt,
            fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown},
        },
    },
    path::{Path, PathBuf},
};

use crate::permissions;

/// Links followed before we give up, as in the kernel.
const LINKS: usize = 40;
/// Type of the file system of processes, in whose links names say nothing.
const PROCESSES: i64 = 0x9fa0;
/// Ending of files that have no name of their own yet.
pub(crate) const UNFINISHED: &str = ".unfinished";

/// Returns the path for a file that a user named. If the user named a directory, the file gets its usual name there.
/// Every option takes either.
pub fn named(path: &Path, usual: impl AsRef<Path>) -> PathBuf {
    match path.is_dir() || path.as_os_str().as_bytes().ends_with(b"/") {
        true => path.join(usual),
        false => path.to_owned(),
    }
}

/// A file in the making.
///
/// A regular file, or a name that is still free, gets its complete contents by renaming when [`Output::finish`] is called. Until then the
/// contents have no name, and nothing of them remains if the process dies. All other targets are opened and written: devices, FIFOs,
/// standard output by its name in `/dev` or `/proc`, and files in directories where nothing can be renamed.
#[derive(Debug)]
pub struct Output(To);

#[derive(Debug)]
enum To {
    Whole {
        file: Unfinished,
        target: PathBuf,
        /// The metadata of the target before this output.
        before: Option<Box<Metadata>>,
    },
    Through(File),
}

/// A file that has no name, or a temporary one that goes with it.
#[derive(Debug)]
enum Unfinished {
    Nameless(File),
    Named(tempfile::NamedTempFile),
}

impl Unfinished {
    fn file(&self) -> &File {
        match self {
            Unfinished::Nameless(file) => file,
            Unfinished::Named(file) => file.as_file(),
        }
    }
}

impl Output {
    /// Opens what `path` leads to. Errors are the system's, and refusals before anything is written: directories, and files that
    /// may not be written.
    pub fn create(path: &Path) -> io::Result<Output> {
        let target = match follow(path)? {
            Destination::Name(target) => target,
            // Its offset is shared with other writers of the same file.
            Destination::OfProcess => return through(path, OpenOptions::new().append(true)),
        };
        let before = match fs::symlink_metadata(&target) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        match &before {
            Some(metadata) if metadata.is_dir() => Err(ErrorKind::IsADirectory.into()),
            Some(metadata) if metadata.file_type().is_socket() => Err(io::Error::new(
                ErrorKind::Unsupported,
                "it is a socket; name a file, a FIFO or a device",
            )),
            Some(metadata) if !metadata.is_file() => {
                through(&target, OpenOptions::new().write(true))
            }
            _ => whole(target, before),
        }
    }

    /// Gives a regular file these permissions. Devices and FIFOs keep theirs.
    pub fn set_permissions(&mut self, permissions: Permissions) -> io::Result<()> {
        match &mut self.0 {
            To::Whole { file, before, .. } => {
                *before = None;
                file.file().set_permissions(permissions)
            }
            To::Through(_) => Ok(()),
        }
    }

    /// The file, where it can be written in any order: a regular one.
    pub fn regular(&self) -> Option<&File> {
        match &self.0 {
            To::Whole { file, .. } => Some(file.file()),
            To::Through(_) => None,
        }
    }

    /// Completes the file.
    pub fn finish(self) -> io::Result<()> {
        match self.0 {
            To::Through(mut file) => file.flush(),
            To::Whole {
                file,
                target,
                before,
            } => {
                if let Some(before) = before {
                    keep_owner(file.file(), &before)?;
                }
                match file {
                    Unfinished::Named(file) => {
                        file.persist(&target).map_err(|error| error.error)?
                    }
                    Unfinished::Nameless(file) => name(file, &target)?,
                };
                Ok(())
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            To::Whole { file, .. } => file.file().write(bytes),
            To::Through(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes `bytes` to what `path` leads to, as an [`Output`].
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut output = Output::create(path)?;
    output.write_all(bytes)?;
    output.finish()
}

/// Returns `true` if two names lead to one file, so that the second output would replace the first. Devices, FIFOs and what a process has
/// opened get both.
pub fn are_one_file(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| -> Option<PathBuf> {
        let Destination::Name(path) = follow(path).ok()? else {
            return None;
        };
        if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
            return None;
        }
        let directory = fs::canonicalize(directory_of(&path)).ok()?;
        Some(directory.join(path.file_name()?))
    };
    let (a, b) = (place(a), place(b));
    a.is_some() && a == b
}

/// [`write_whole`] inside an application's process, with descriptors that the application cannot reach, if the system allows that.
pub fn write_apart(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match guest::apart(|| write_whole(path, bytes)) {
        Ok(written) => written,
        // If there can be no other thread, or none with a table of its own, the file is open for as short a time as possible.
        Err(_) => write_whole(path, bytes),
    }
}

enum Destination {
    Name(PathBuf),
    /// A descriptor of a process, by its link.
    OfProcess,
}

/// Follows symbolic links to the name that is to be written, which need not exist.
fn follow(path: &Path) -> io::Result<Destination> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => {}
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => return Ok(Destination::Name(path)),
        }
        let directory = directory_of(&path);
        if is_of_processes(&directory)? {
            return Ok(Destination::OfProcess);
        }
        path = directory.join(fs::read_link(&path)?);
    }
    Err(io::Error::from_raw_os_error(libc::ELOOP))
}

fn directory_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn c_string(path: &OsStr) -> io::Result<CString> {
    CString::new(path.as_bytes()).map_err(|_| ErrorKind::InvalidInput.into())
}

fn is_of_processes(directory: &Path) -> io::Result<bool> {
    let name = c_string(directory.as_os_str())?;
    // SAFETY: the structure is plain data, and the name is a terminated string.
    let mut about: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: the name is a terminated string, and the call fills the structure, which is a local variable.
    match unsafe { libc::statfs(name.as_ptr(), &raw mut about) } {
        0 => Ok(about.f_type as i64 == PROCESSES),
        _ => Err(io::Error::last_os_error()),
    }
}

fn through(path: &Path, options: &mut OpenOptions) -> io::Result<Output> {
    // A terminal must not become the process's own.
    let file = options.custom_flags(libc::O_NOCTTY).open(path)?;
    Ok(Output(To::Through(file)))
}

fn whole(target: PathBuf, before: Option<Metadata>) -> io::Result<Output> {
    if before.is_some() {
        match OpenOptions::new().write(true).open(&target) {
            Ok(_) => {}
            // A program that runs can be replaced, though not written.
            Err(error) if error.raw_os_error() == Some(libc::ETXTBSY) => {}
            Err(error) => return Err(error),
        }
    }
    match unfinished(&target) {
        Ok(file) => Ok(Output(To::Whole {
            file,
            target,
            before: before.map(Box::new),
        })),
        // The file may be written, but nothing may be put beside it.
        Err(error) if before.is_some() && error.kind() == ErrorKind::PermissionDenied => {
            through(&target, OpenOptions::new().write(true).truncate(true))
        }
        Err(error) => Err(error),
    }
}

fn unfinished(target: &Path) -> io::Result<Unfinished> {
    let directory = directory_of(target);
    let nameless = OpenOptions::new()
        .write(true)
        .read(true)
        .mode(permissions::of_files())
        .custom_flags(libc::O_TMPFILE)
        .open(&directory);
    match nameless {
        Ok(file) => Ok(Unfinished::Nameless(file)),
        Err(error)
            if matches!(
                error.raw_os_error(),
                Some(libc::EOPNOTSUPP | libc::EISDIR | libc::EINVAL | libc::ENOENT)
            ) =>
        {
            with_a_name(target).map(Unfinished::Named)
        }
        Err(error) => Err(error),
    }
}

/// A hidden file beside the target, which is not taken for a finished one.
fn with_a_name(target: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut prefix = OsString::from(".");
    prefix.push(target.file_name().unwrap_or(OsStr::new("luthier")));
    prefix.push(".");
    // The file is opened here, because an error of that library would name one that the user does not know.
    let open = |path: &Path| {
        OpenOptions::new()
            .write(true)
            .read(true)
            .create_new(true)
            .mode(permissions::of_files())
            .open(path)
    };
    tempfile::Builder::new()
        .prefix(&prefix)
        .suffix(UNFINISHED)
        .make_in(directory_of(target), open)
}

/// Gives a nameless file its name, in place of what has it.
fn name(file: File, target: &Path) -> io::Result<File> {
    let source = CString::new(format!("/proc/thread-self/fd/{}", file.as_raw_fd()))?;
    for attempt in 0..100u32 {
        let mut hidden = OsString::from(".");
        hidden.push(target.file_name().unwrap_or(OsStr::new("luthier")));
        hidden.push(format!(".{}-{attempt}{UNFINISHED}", std::process::id()));
        let hidden = directory_of(target).join(hidden);
        let hidden_name = c_string(hidden.as_os_str())?;
        // SAFETY: both names are terminated strings.
        let linked = unsafe {
            libc::linkat(
                libc::AT_FDCWD,
                source.as_ptr(),
                libc::AT_FDCWD,
                hidden_name.as_ptr(),
                libc::AT_SYMLINK_FOLLOW,
            )
        };
        if linked == 0 {
            return match fs::rename(&hidden, target) {
                Ok(()) => Ok(file),
                Err(error) => {
                    let _ = fs::remove_file(&hidden);
                    Err(error)
                }
            };
        }
        let error = io::Error::last_os_error();
        if error.kind() != ErrorKind::AlreadyExists {
            // No /proc, or a file system that has nameless files and cannot name them.
            return copy(&file, target);
        }
    }
    copy(&file, target)
}

fn copy(mut file: &File, target: &Path) -> io::Result<File> {
    use std::io::Seek;
    let mut named = with_a_name(target)?;
    file.rewind()?;
    io::copy(&mut file, named.as_file_mut())?;
    let permissions = file.metadata()?.permissions();
    named.as_file().set_permissions(permissions)?;
    named.persist(target).map_err(|error| error.error)
}

/// Owner and permissions of the file stay as they were, as far as this process may set them.
fn keep_owner(file: &File, before: &Metadata) -> io::Result<()> {
    let now = file.metadata()?;
    let mut mode = before.permissions().mode() & 0o7777;
    let (user, group) = (before.uid(), before.gid());
    if (now.uid(), now.gid()) != (user, group) && fchown(file, Some(user), Some(group)).is_err() {
        // A file of another user must not run with that user's rights any more.
        mode &= 0o777;
    }
    file.set_permissions(Permissions::from_mode(mode))
}
