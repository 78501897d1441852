//! Results on disk.
//!
//! One file for each request, named by its key: `LUTHIERC`, the format's version, the number of data objects, each object with its kind and
//! sizes, and a hash of all that. Files appear by renaming. They are opened by a thread whose descriptors the application does not share.

use std::{fs, io, path::PathBuf};

use outputs::trusted::Directory;

use crate::{library::Data, request::hash};

const MAGIC: &[u8; 8] = b"LUTHIERC";
const FORMAT: u32 = 2;
const HASH: usize = size_of::<u128>();
const SUFFIX: &str = ".made";
/// The largest file, and the number of files at which the directory is emptied: HIP's own kernels take three for each target.
const LIMIT: u64 = 16 << 20;
const FILES: usize = 384;

#[derive(Clone, Debug)]
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn get(&self, key: &str) -> Option<Vec<Data>> {
        let read = || Directory::open(&self.0)?.read(&format!("{key}{SUFFIX}"), LIMIT);
        let bytes = guest::apart(read).flatten().ok()?;
        decode(&bytes)
    }

    /// Keeps a result if that is possible.
    pub fn put(&self, key: &str, made: &[Data]) {
        let bytes = encode(made);
        if bytes.len() as u64 > LIMIT {
            return;
        }
        let _ = guest::apart(|| {
            let directory = Directory::create(&self.0)?;
            self.make_room()?;
            directory.write(&format!("{key}{SUFFIX}"), &bytes)
        });
    }

    fn make_room(&self) -> io::Result<()> {
        let names = fs::read_dir(&self.0)?.flatten().map(|entry| entry.path());
        let is_made = |path: &PathBuf| path.to_string_lossy().ends_with(SUFFIX);
        let files: Vec<PathBuf> = names.filter(is_made).collect();
        if files.len() >= FILES {
            for file in files {
                fs::remove_file(file)?;
            }
        }
        Ok(())
    }
}

fn encode(made: &[Data]) -> Vec<u8> {
    let mut bytes = [
        MAGIC.as_slice(),
        &FORMAT.to_le_bytes(),
        &(made.len() as u32).to_le_bytes(),
    ]
    .concat();
    for data in made {
        bytes.extend(data.kind.to_le_bytes());
        bytes.extend((data.name.len() as u32).to_le_bytes());
        bytes.extend((data.bytes.len() as u64).to_le_bytes());
        bytes.extend(&data.name);
        bytes.extend(&data.bytes);
    }
    let hash = hash(&bytes);
    bytes.extend(hash.to_le_bytes());
    bytes
}

fn decode(bytes: &[u8]) -> Option<Vec<Data>> {
    let (mut rest, said) = bytes.split_at_checked(bytes.len().checked_sub(HASH)?)?;
    if hash(rest).to_le_bytes() != said
        || take(&mut rest, 8)? != MAGIC
        || number(&mut rest)? != FORMAT
    {
        return None;
    }
    let mut all = Vec::new();
    for _ in 0..number(&mut rest)? {
        let kind = number(&mut rest)?;
        let name = number(&mut rest)? as usize;
        let size = u64::from_le_bytes(take(&mut rest, 8)?.try_into().ok()?);
        let name = take(&mut rest, name)?.to_vec();
        let bytes = take(&mut rest, usize::try_from(size).ok()?)?.to_vec();
        all.push(Data { kind, name, bytes });
    }
    rest.is_empty().then_some(all)
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (part, behind) = rest.split_at_checked(count)?;
    *rest = behind;
    Some(part)
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(take(rest, 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Vec<Data> {
        let data = |kind, name: &str, bytes: &[u8]| Data {
            kind,
            name: name.into(),
            bytes: bytes.into(),
        };
        vec![
            data(5, "comgr.log", b""),
            data(6, "linked.bc", b"BC\xc0\xde"),
            data(7, "", &[0; 1000]),
        ]
    }

    #[test]
    fn a_result_comes_back_whole_or_not_at_all() {
        let bytes = encode(&some());
        assert_eq!(decode(&bytes), Some(some()));
        for end in 0..bytes.len() {
            assert_eq!(decode(&bytes[..end]), None, "cut after {end} bytes");
        }
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1;
            assert_eq!(decode(&damaged), None, "byte {place}");
        }
    }

    #[test]
    fn a_full_directory_is_emptied() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Folder(folder.path().join("new"));
        assert_eq!(kept.get("0"), None);
        for name in 0..FILES {
            kept.put(&name.to_string(), &some());
        }
        fs::write(kept.0.join("other"), "stays").unwrap();
        assert_eq!(kept.get("0"), Some(some()));
        kept.put("more", &some());
        assert_eq!((kept.get("0"), kept.get("more")), (None, Some(some())));
        assert!(kept.0.join("other").exists());
    }
}
