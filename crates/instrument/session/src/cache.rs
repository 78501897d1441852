//! Instrumented kernels on disk, and refusals, which take as long to find out.
//!
//! One file per kernel, named by its key: `LUTHIERV`, format version, sizes, a code that only this user's processes can make (HMAC-SHA-256
//! of key, sizes and the rest, under a secret in the directory), then the variant or the refusal as JSON, the variant's object, and the
//! tool's data about it. Files appear by renaming, so readers never see half of one. A file that is damaged, or that another user could
//! have written ([`outputs::trusted`]), is ignored and rewritten. When the directory exceeds its limit, the least recently used files are
//! removed. A process finds the size of the directory by looking at every file while a launch waits, so it does this only sometimes.
//! Several processes together may exceed the limit for a while, each by a part of it.
//!
//! Files are opened by a thread whose descriptors the application does not share.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::SystemTime,
};

use guest::Keeper;
use hmac::{Hmac, KeyInit, Mac};
use outputs::trusted::Directory;
use sha2::{Digest, Sha256};

use crate::{Refusal, Variant};

const MAGIC: &[u8; 8] = b"LUTHIERV";
/// Changes with the layout of the file.
const FORMAT: u32 = 7;
/// Magic, format, sizes of JSON, object and tool's data, code.
const HEADER: usize = 8 + 4 + 4 + 8 + 8 + 32;
const SUFFIX: &str = "variant";
/// Parts of the limit: one goes in addition when the directory is full, and a process writes at most some of them unseen.
const PARTS: u64 = 64;
const UNSEEN: u64 = 4;

/// Names a variant by everything that decides what it contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key([u8; 32]);

impl Key {
    /// Object hash, kernel, target, fingerprint of the instrumenter; our own version joins them.
    pub fn new(object_hash: &[u8; 32], kernel: &str, target: &str, fingerprint: &[u8]) -> Key {
        let mut hasher = Sha256::new();
        let parts: [&[u8]; 5] = [
            env!("CARGO_PKG_VERSION").as_bytes(),
            object_hash,
            kernel.as_bytes(),
            target.as_bytes(),
            fingerprint,
        ];
        for part in parts {
            // The length keeps apart what would be the same when joined.
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Key(hasher.finalize().into())
    }

    fn file_name(&self) -> String {
        use std::fmt::Write;
        let mut name = String::with_capacity(72);
        for byte in self.0 {
            let _ = write!(name, "{byte:02x}");
        }
        name + "." + SUFFIX
    }
}

/// The result of a look-up.
#[derive(Debug)]
pub enum Found {
    Variant(Box<Variant>),
    Refused(Refusal),
    Nothing,
    /// There is a file, and this is wrong with it.
    Damaged(String),
}

/// A directory of variants. Any number of processes may use it at once.
#[derive(Debug)]
pub struct Cache(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    directory: PathBuf,
    limit: u64,
    /// Bytes that may be written before the next look at the directory.
    room: AtomicU64,
    secret: OnceLock<Secret>,
}

type Secret = [u8; 32];

static KEEPER: Keeper = Keeper::new("luthier-cache");

impl Cache {
    /// Nothing is made on disk before the first [`Cache::put`].
    pub fn new(directory: PathBuf, limit: u64) -> Cache {
        Cache(Arc::new(Inner {
            directory,
            limit,
            room: AtomicU64::new(0),
            secret: OnceLock::new(),
        }))
    }

    pub fn get(&self, key: &Key) -> Found {
        let (inner, theirs) = (Arc::clone(&self.0), *key);
        let (name, directory) = (key.file_name(), self.0.directory.clone());
        match KEEPER.run(move || inner.read(&theirs)).flatten() {
            Ok((bytes, secret)) => match decode(&bytes, key, &secret) {
                Ok(Ok(variant)) => Found::Variant(Box::new(variant)),
                Ok(Err(refusal)) => Found::Refused(refusal),
                Err(reason) => {
                    let path = directory.join(&name);
                    Found::Damaged(format!("{}: {reason}", path.display()))
                }
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Found::Nothing,
            Err(error) => Found::Damaged(error.to_string()),
        }
    }

    /// Keeps what instrumenting came to, then makes room.
    pub fn put(&self, key: &Key, result: Result<&Variant, &Refusal>) -> io::Result<()> {
        let bytes = encode(result)?;
        if bytes.len() as u64 > self.0.limit {
            return Ok(());
        }
        let (inner, key) = (Arc::clone(&self.0), *key);
        KEEPER.run(move || inner.write(&key, bytes))?
    }
}

/// An error that says which file or directory it is about.
fn about(path: &Path) -> impl Fn(io::Error) -> io::Error {
    move |error| io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// These functions run on the keeper's thread.
impl Inner {
    fn read(&self, key: &Key) -> io::Result<(Vec<u8>, Secret)> {
        let directory = Directory::open(&self.directory).map_err(about(&self.directory))?;
        let path = self.directory.join(key.file_name());
        self.read_entry(&directory, key).map_err(about(&path))
    }

    fn read_entry(&self, directory: &Directory, key: &Key) -> io::Result<(Vec<u8>, Secret)> {
        let (mut file, size) = directory.open_file(&key.file_name(), self.limit)?;
        let mut bytes = vec![0; HEADER.min(size as usize)];
        io::Read::read_exact(&mut file, &mut bytes)?;
        // A file with holes may state any size; its header tells before it is read.
        if stated(&bytes) == Some(size - bytes.len() as u64) {
            io::Read::read_to_end(&mut file, &mut bytes)?;
        }
        // The time of last use, for eviction; where that cannot be said, files just age differently.
        let _ = file.set_modified(SystemTime::now());
        Ok((bytes, self.secret(directory)?))
    }

    fn secret(&self, directory: &Directory) -> io::Result<Secret> {
        if let Some(secret) = self.secret.get() {
            return Ok(*secret);
        }
        let secret = directory.secret()?;
        Ok(*self.secret.get_or_init(|| secret))
    }

    fn write(&self, key: &Key, bytes: Vec<u8>) -> io::Result<()> {
        let written = self.write_entry(key, bytes);
        written.map_err(about(&self.directory))
    }

    fn write_entry(&self, key: &Key, mut bytes: Vec<u8>) -> io::Result<()> {
        let directory = Directory::create(&self.directory)?;
        let code = code(&self.secret(&directory)?, key, &bytes)
            .finalize()
            .into_bytes();
        bytes[HEADER - 32..HEADER].copy_from_slice(&code);
        let name = key.file_name();
        directory.write(&name, &bytes)?;
        let size = bytes.len() as u64;
        let order = Ordering::Relaxed;
        let enough = |room: u64| room.checked_sub(size);
        match self.room.fetch_update(order, order, enough) {
            Ok(_) => Ok(()),
            Err(_) => {
                directory.sweep()?;
                self.make_room(&name)
            }
        }
    }

    /// Removes the least recently used files beyond the limit, but never `keep`.
    fn make_room(&self, keep: &str) -> io::Result<()> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            // Another process may have removed it in the meantime.
            let Ok(metadata) = fs::symlink_metadata(&path) else {
                continue;
            };
            let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            if path
                .extension()
                .is_some_and(|extension| extension == SUFFIX)
            {
                files.push((used, metadata.len(), path));
            }
        }
        let mut total: u64 = files.iter().map(|(_, size, _)| size).sum();
        let part = self.limit / PARTS;
        if total > self.limit {
            files.sort();
            for (_, size, path) in files {
                if total <= self.limit - part {
                    break;
                }
                if path.file_name().is_none_or(|name| name != keep)
                    && fs::remove_file(&path).is_ok()
                {
                    total -= size;
                }
            }
        }
        // Other processes write, too.
        let room = (self.limit.saturating_sub(total) / 2).min(part * UNSEEN);
        self.room.store(room, Ordering::Relaxed);
        Ok(())
    }
}

/// The code of an entry, which stands in its header.
fn code(secret: &Secret, key: &Key, bytes: &[u8]) -> Hmac<Sha256> {
    // Any length of key will do.
    let mut code =
        <Hmac<Sha256> as KeyInit>::new_from_slice(secret).unwrap_or_else(|_| unreachable!());
    code.update(&key.0);
    code.update(&bytes[..HEADER - 32]);
    code.update(&bytes[HEADER..]);
    code
}

fn word(header: &[u8], at: usize) -> u32 {
    let word = header.get(at..at + 4).and_then(|word| word.try_into().ok());
    word.map_or(0, u32::from_le_bytes)
}

fn long(header: &[u8], at: usize) -> u64 {
    u64::from(word(header, at)) | u64::from(word(header, at + 4)) << 32
}

/// Bytes behind the header, as it states them.
fn stated(header: &[u8]) -> Option<u64> {
    if header.len() < HEADER {
        return None;
    }
    let stated = u64::from(word(header, 12)).checked_add(long(header, 16))?;
    stated.checked_add(long(header, 24))
}

/// An entry without its code.
fn encode(result: Result<&Variant, &Refusal>) -> io::Result<Vec<u8>> {
    let json = serde_json::to_vec(&result)?;
    let object = result.map_or(&[][..], |variant| &variant.object);
    let tool_data = result.map_or(&[][..], |variant| &variant.tool_data);
    let length = u32::try_from(json.len()).map_err(io::Error::other)?;
    let mut bytes = Vec::with_capacity(HEADER + json.len() + object.len() + tool_data.len());
    bytes.extend(MAGIC);
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend(length.to_le_bytes());
    bytes.extend((object.len() as u64).to_le_bytes());
    bytes.extend((tool_data.len() as u64).to_le_bytes());
    bytes.extend([0; 32]);
    bytes.extend(&json);
    bytes.extend(object);
    bytes.extend(tool_data);
    Ok(bytes)
}

/// The variant or refusal in a file, or what is wrong with the file.
fn decode(bytes: &[u8], key: &Key, secret: &Secret) -> Result<Result<Variant, Refusal>, String> {
    let (header, rest) = bytes
        .split_at_checked(HEADER)
        .ok_or("shorter than a header")?;
    if &header[..8] != MAGIC || word(header, 8) != FORMAT {
        return Err("not a variant of this format".into());
    }
    if stated(header) != Some(rest.len() as u64) {
        return Err("its size is not the one it states".into());
    }
    if code(secret, key, bytes)
        .verify_slice(&header[HEADER - 32..])
        .is_err()
    {
        return Err("its code is not one of this user's".into());
    }
    let (json_length, object_length) = (word(header, 12), long(header, 16));
    let (json, rest) = rest.split_at(json_length as usize);
    let (object, tool_data) = rest.split_at(object_length as usize);
    let mut kept: Result<Variant, Refusal> =
        serde_json::from_slice(json).map_err(|error| format!("its description: {error}"))?;
    if let Ok(variant) = &mut kept {
        variant.object = object.to_vec();
        variant.tool_data = tool_data.to_vec();
    }
    Ok(kept)
}
