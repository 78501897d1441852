//! Reading and writing.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
    path::{Path, PathBuf},
};

use crate::{Header, PAGE, Page, Recording};

const MAGIC: &[u8; 8] = b"LUTHIERD";
const VERSION: u32 = 1;
/// Largest header and code object that are believed.
const HEADER_LIMIT: u64 = 64 << 20;
const OBJECT_LIMIT: u64 = 2 << 30;
/// In place of a page's address: no more pages follow.
const END: u64 = u64::MAX;
/// Fast, and small enough: most pages are sparse.
const LEVEL: i32 = 1;

/// Why a recording cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot write {path}: {source}")]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot read {path}: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error("{path} is no recorded dispatch: it does not begin with LUTHIERD")]
    NotOne { path: PathBuf },
    #[error(
        "{path} is a recorded dispatch of version {version}; this program reads version {VERSION}: record it again"
    )]
    Version { path: PathBuf, version: u32 },
    #[error("{path} is damaged: {reason}")]
    Damaged { path: PathBuf, reason: String },
}

/// Writes a recording; the file appears when it is complete. `pages` come in any order.
pub fn write(
    path: &Path,
    header: &Header,
    object: &[u8],
    pages: impl Iterator<Item = (u64, Box<Page>)>,
) -> Result<(), Error> {
    let failed = |source| Error::Write {
        path: path.to_owned(),
        source,
    };
    let mut file = outputs::Output::create(path).map_err(failed)?;
    fill(&mut file, header, object, pages).map_err(failed)?;
    file.finish().map_err(failed)
}

fn fill(
    file: &mut impl Write,
    header: &Header,
    object: &[u8],
    pages: impl Iterator<Item = (u64, Box<Page>)>,
) -> io::Result<()> {
    file.write_all(MAGIC)?;
    file.write_all(&VERSION.to_le_bytes())?;
    let mut out = zstd::Encoder::new(BufWriter::new(file), LEVEL)?;
    for part in [&serde_json::to_vec(header)?[..], object] {
        out.write_all(&(part.len() as u64).to_le_bytes())?;
        out.write_all(part)?;
    }
    for (address, page) in pages {
        out.write_all(&address.to_le_bytes())?;
        out.write_all(&page[..])?;
    }
    out.write_all(&END.to_le_bytes())?;
    out.finish()?.flush()
}

/// Returns `true` if a file begins like a recording. Only regular files are read, because others could not be read
/// again.
pub fn is_one(path: &Path) -> Result<bool, Error> {
    let failed = |source| Error::Read {
        path: path.to_owned(),
        source,
    };
    if !path.metadata().map_err(failed)?.is_file() {
        return Ok(false);
    }
    let mut start = [0; MAGIC.len()];
    let file = File::open(path).map_err(failed)?;
    Ok(file
        .take(MAGIC.len() as u64)
        .read(&mut start)
        .map_err(failed)?
        == MAGIC.len()
        && start == *MAGIC)
}

/// Reads a whole recording.
pub fn read(path: &Path) -> Result<Recording, Error> {
    let failed = |source| Error::Read {
        path: path.to_owned(),
        source,
    };
    let mut file = BufReader::new(File::open(path).map_err(failed)?);
    let mut start = [0; 12];
    if file.read_exact(&mut start).is_err() || !start.starts_with(MAGIC) {
        return Err(Error::NotOne {
            path: path.to_owned(),
        });
    }
    let version = u32::from_le_bytes([start[8], start[9], start[10], start[11]]);
    if version != VERSION {
        return Err(Error::Version {
            path: path.to_owned(),
            version,
        });
    }
    contents(file).map_err(|error| Error::Damaged {
        path: path.to_owned(),
        reason: error.to_string(),
    })
}

fn contents(file: impl BufRead) -> io::Result<Recording> {
    let mut input = zstd::Decoder::with_buffer(file)?;
    let header = part(&mut input, HEADER_LIMIT)?;
    let header = serde_json::from_slice(&header)?;
    let object = part(&mut input, OBJECT_LIMIT)?;
    let mut pages = BTreeMap::new();
    loop {
        let address = number(&mut input)?;
        if address == END {
            break;
        }
        let mut page = Box::new([0; PAGE as usize]);
        input.read_exact(&mut page[..])?;
        pages.insert(address, page);
    }
    Ok(Recording {
        header,
        object,
        pages,
    })
}

fn number(input: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn part(input: &mut impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let size = number(input)?;
    if size > limit {
        let reason = format!("a part of {size} bytes; at most {limit} are possible");
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    let mut bytes = Vec::new();
    input.take(size).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != size {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, Range};

    fn recording() -> Recording {
        let mut page = Box::new([0; PAGE as usize]);
        page[17] = 3;
        Recording {
            header: Header {
                kernel: "k".to_owned(),
                device: "gfx90a".to_owned(),
                base: 0x1000,
                packet: vec![7; 64],
                packet_address: 0x2000,
                queue_address: 0x3000,
                dispatch_id: 5,
                ranges: vec![Range {
                    start: 0x1000,
                    size: 0x5000,
                    kind: Kind::Allocated,
                }],
                barriers: vec![0, 7],
            },
            object: vec![1, 2, 3],
            pages: BTreeMap::from([(0x4000, page)]),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("one.dispatch");
        let recording = recording();
        let pages = recording.pages.clone().into_iter();
        write(&path, &recording.header, &recording.object, pages).unwrap();
        assert_eq!(read(&path).unwrap(), recording);
    }

    #[test]
    fn every_truncation_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("one.dispatch");
        let recording = recording();
        let pages = recording.pages.clone().into_iter();
        write(&path, &recording.header, &recording.object, pages).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(read(&path).is_err(), "{length} bytes of {}", whole.len());
        }
    }
}
