//! Instrumented kernels on disk, and refusals, which take as long to find out.
//!
//! One file per kernel, named by its key: `LUTHIERV`, format version, sizes, SHA-256 of the rest, then the variant or the
//! reason of the refusal as JSON, the variant's object, and what the tool keeps of it. Files appear by renaming, so readers
//! never see half of one; what does not check out is ignored and rewritten. The least recently used files go when the directory
//! grows beyond its limit. To find out takes a look at every file, while a launch waits, so it is done now and then: several
//! processes together may exceed the limit for a while, each by a part of it.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::SystemTime,
};

use sha2::{Digest, Sha256};

use crate::{Refusal, Variant};

const MAGIC: &[u8; 8] = b"LUTHIERV";
/// Changes with the layout of the file.
const FORMAT: u32 = 4;
/// Magic, format, sizes of JSON, object and tool's data, checksum.
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
    pub fn of(object_hash: &[u8; 32], kernel: &str, target: &str, fingerprint: &[u8]) -> Key {
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

/// What a look-up found.
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
pub struct Cache {
    directory: PathBuf,
    limit: u64,
    /// Bytes that may be written before the next look at the directory.
    room: AtomicU64,
}

impl Cache {
    /// Nothing is made on disk before the first [`Cache::put`].
    pub fn new(directory: PathBuf, limit: u64) -> Cache {
        Cache {
            directory,
            limit,
            room: AtomicU64::new(0),
        }
    }

    pub fn get(&self, key: &Key) -> Found {
        let path = self.directory.join(key.file_name());
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Found::Nothing,
            Err(error) => return Found::Damaged(format!("{}: {error}", path.display())),
        };
        match decode(&bytes) {
            Ok(kept) => {
                // The time of last use, for eviction; a directory that cannot be written just ages differently.
                let touched = fs::File::options().append(true).open(&path);
                let _ = touched.and_then(|file| file.set_modified(SystemTime::now()));
                match kept {
                    Ok(variant) => Found::Variant(Box::new(variant)),
                    Err(refusal) => Found::Refused(refusal),
                }
            }
            Err(reason) => Found::Damaged(format!("{}: {reason}", path.display())),
        }
    }

    /// Keeps what instrumenting came to, then makes room.
    pub fn put(&self, key: &Key, result: Result<&Variant, &Refusal>) -> io::Result<()> {
        let bytes = encode(result)?;
        let size = bytes.len() as u64;
        if size > self.limit {
            return Ok(());
        }
        fs::create_dir_all(&self.directory)?;
        let (mut file, unfinished) = self.unfinished()?;
        let path = self.directory.join(key.file_name());
        let written = file
            .write_all(&bytes)
            .and_then(|()| fs::rename(&unfinished, &path));
        if written.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        written?;
        let enough = |room: u64| room.checked_sub(size);
        let order = Ordering::Relaxed;
        match self.room.fetch_update(order, order, enough) {
            Ok(_) => Ok(()),
            Err(_) => self.make_room(&path),
        }
    }

    /// A file that is ours alone: another process may have our number, in a container of its own, or may have died with it.
    fn unfinished(&self) -> io::Result<(fs::File, PathBuf)> {
        static UNIQUE: AtomicU64 = AtomicU64::new(0);
        loop {
            let unique = UNIQUE.fetch_add(1, Ordering::Relaxed);
            let name = format!("{}.{unique}.unfinished", std::process::id());
            let path = self.directory.join(name);
            match fs::File::create_new(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return Ok((made?, path)),
            }
        }
    }

    /// Removes the least recently used files beyond the limit, but never `keep`, and what crashed writers left.
    fn make_room(&self, keep: &Path) -> io::Result<()> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            // Another process may have removed it in the meantime.
            let Ok(metadata) = fs::metadata(&path) else {
                continue;
            };
            let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            match path.extension().and_then(|extension| extension.to_str()) {
                Some(SUFFIX) => files.push((used, metadata.len(), path)),
                Some("unfinished") if used.elapsed().is_ok_and(|age| age.as_secs() > 3600) => {
                    let _ = fs::remove_file(&path);
                }
                _ => {}
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
                if path != keep && fs::remove_file(&path).is_ok() {
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

fn encode(result: Result<&Variant, &Refusal>) -> io::Result<Vec<u8>> {
    let json = serde_json::to_vec(&result.map_err(|refusal| &refusal.reason))?;
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
    let checksum = Sha256::digest(&bytes[HEADER..]);
    bytes[HEADER - 32..HEADER].copy_from_slice(&checksum);
    Ok(bytes)
}

/// What instrumenting came to, or what is wrong with the file.
fn decode(bytes: &[u8]) -> Result<Result<Variant, Refusal>, String> {
    let (header, rest) = bytes
        .split_at_checked(HEADER)
        .ok_or("shorter than a header")?;
    let word = |at: usize| header[at..at + 4].try_into().map_or(0, u32::from_le_bytes);
    if &header[..8] != MAGIC || word(8) != FORMAT {
        return Err("not a variant of this format".into());
    }
    let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
    let (json_length, object_length, data_length) = (u64::from(word(12)), long(16), long(24));
    let stated = json_length.checked_add(object_length);
    if stated.and_then(|stated| stated.checked_add(data_length)) != Some(rest.len() as u64) {
        return Err("its size is not the one it states".into());
    }
    if Sha256::digest(rest)[..] != header[HEADER - 32..] {
        return Err("its checksum is wrong".into());
    }
    let (json, rest) = rest.split_at(json_length as usize);
    let (object, tool_data) = rest.split_at(object_length as usize);
    let mut kept: Result<Variant, String> =
        serde_json::from_slice(json).map_err(|error| format!("its description: {error}"))?;
    if let Ok(variant) = &mut kept {
        variant.object = object.to_vec();
        variant.tool_data = tool_data.to_vec();
    }
    Ok(kept.map_err(Refusal::new))
}
