//! A file that a user named, read without holding all of it.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Read},
    os::{
        fd::AsRawFd,
        unix::fs::{FileTypeExt, OpenOptionsExt},
    },
    path::Path,
    ptr::NonNull,
    sync::Once,
};

/// Files of this size and larger are mapped.
const LARGE: u64 = 32 << 20;
/// Pages are let go in steps of this size.
const STEP: u64 = 1 << 20;

/// The bytes of a file. Large regular files are mapped, so that they take no memory but for what is being looked at; everything else
/// (pipes, small files) is read. Devices are refused: many of them never end.
#[derive(Debug)]
pub struct Input(Bytes);

#[derive(Debug)]
enum Bytes {
    Read(Vec<u8>),
    Mapped { start: NonNull<u8>, length: usize },
}

// SAFETY: the mapping is only read, and this value alone unmaps it when it is dropped.
unsafe impl Send for Input {}
// SAFETY: the mapping is only read, from any number of threads, and this value alone unmaps it when it is dropped.
unsafe impl Sync for Input {}

impl Input {
    /// For commands: if another process makes a mapped file shorter meanwhile, this process ends with a message and status 2.
    pub fn open(path: &Path) -> io::Result<Input> {
        Input::mapped_from(path, LARGE)
    }

    /// The same for a caller that looks at few of the bytes: regular files of all sizes are mapped. Each start of a program has such looks at
    /// its libraries, and to read them took a fifth of its processor time.
    pub fn open_for_parts(path: &Path) -> io::Result<Input> {
        Input::mapped_from(path, 1)
    }

    fn mapped_from(path: &Path, large: u64) -> io::Result<Input> {
        let kind = fs::metadata(path)?.file_type();
        if kind.is_char_device() || kind.is_block_device() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "it is a device"));
        }
        let mut file = File::open(path)?;
        let about = file.metadata()?;
        if !about.is_file() || about.len() < large {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            return Ok(Input(Bytes::Read(bytes)));
        }
        watch_for_shrinking();
        let length = usize::try_from(about.len()).map_err(io::Error::other)?;
        // SAFETY: a new private mapping disturbs nothing; the file's descriptor is open.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_READ,
                libc::MAP_PRIVATE | libc::MAP_NORESERVE,
                file.as_raw_fd(),
                0,
            )
        };
        match NonNull::new(start.cast::<u8>()) {
            Some(start) if start.as_ptr().cast() != libc::MAP_FAILED => {
                Ok(Input(Bytes::Mapped { start, length }))
            }
            _ => Err(io::Error::last_os_error()),
        }
    }

    pub fn bytes(&self) -> &[u8] {
        match &self.0 {
            Bytes::Read(bytes) => bytes,
            // SAFETY: the mapping is as long and lives as long as `self`. A process that writes to the file meanwhile changes the bytes
            // that are read; all readers here accept any bytes.
            Bytes::Mapped { start, length } => unsafe {
                std::slice::from_raw_parts(start.as_ptr(), *length)
            },
        }
    }

    /// Says that bytes before `offset` are not needed for now. The system may release their memory. They may still be read.
    pub fn let_go(&self, offset: u64) {
        if let Bytes::Mapped { start, length } = &self.0 {
            let size = (offset.min(*length as u64) / STEP * STEP) as usize;
            // SAFETY: pages of a private mapping that were never written to are read from the file again.
            unsafe { libc::madvise(start.as_ptr().cast(), size, libc::MADV_DONTNEED) };
        }
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        if let Bytes::Mapped { start, length } = self.0 {
            // SAFETY: mapped in `mapped_from`, and nothing borrows it any more.
            unsafe { libc::munmap(start.as_ptr().cast(), length) };
        }
    }
}

/// Reads a whole regular file of at most `limit` bytes. Everything else is refused at once, so the caller never waits for a FIFO's writer
/// or for the end of a device.
pub fn read_regular(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let refused = |reason: String| io::Error::new(ErrorKind::InvalidInput, reason);
    // Without this flag, opening a FIFO waits.
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path)?;
    let about = file.metadata()?;
    if about.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !about.is_file() {
        return Err(refused("it is no regular file".to_owned()));
    }
    if about.len() > limit {
        let size = about.len();
        return Err(refused(format!(
            "it has {size} bytes; at most {limit} are accepted"
        )));
    }
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reading beyond the end of a mapped file is a signal. Without this it would end the command without a word.
fn watch_for_shrinking() {
    extern "C" fn said(_: libc::c_int) {
        const WORDS: &[u8] = b"luthier: a file became shorter while it was read\n";
        // SAFETY: both calls are allowed in signal handlers.
        unsafe {
            libc::write(2, WORDS.as_ptr().cast(), WORDS.len());
            libc::_exit(2);
        }
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: zeros are a valid `sigaction`, and the handler makes only calls that are allowed in signal handlers.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = said as extern "C" fn(libc::c_int) as usize;
            libc::sigaction(libc::SIGBUS, &raw const action, std::ptr::null_mut());
        }
    });
}
