//! The files that `luthier check` looks into: named ones, those below directories, those in wheels.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::Path,
};

use codeobj::{bundle, compressed, container::BITCODE};
use outputs::Input;
use rawzip::{CompressionMethod, ZipArchive, ZipSliceEntry};

/// One thing below what the user named.
pub enum Source<'s> {
    File {
        name: String,
        input: Input,
        /// The user named it.
        named: bool,
    },
    /// A file below a directory or in an archive that begins as no file with code objects does.
    Skipped,
    Problem {
        name: String,
        reason: &'s str,
    },
}

/// Kinds of files, told from their first bytes.
const STARTS: [&[u8]; 7] = [
    b"\x7fELF",
    bundle::MAGIC,
    compressed::MAGIC,
    b"!<arch>\n",
    b"\x10\xff\x10\xad",
    BITCODE[0],
    BITCODE[1],
];
const ZIP: &[u8] = b"PK\x03\x04";
/// Bytes that are looked at.
const START: usize = 24;
/// Directories and archives within each other are followed this deep.
const DEEPEST: u32 = 64;

/// Tells `visit` of everything at and below `path`.
pub fn each(path: &Path, visit: &mut dyn FnMut(Source<'_>)) {
    let name = path.display().to_string();
    if let Err(error) = at(path, true, 0, visit) {
        let reason = format!("cannot read it: {error}");
        visit(Source::Problem {
            name,
            reason: &reason,
        });
    }
}

fn at(path: &Path, named: bool, depth: u32, visit: &mut dyn FnMut(Source<'_>)) -> io::Result<()> {
    if depth > DEEPEST {
        return Err(io::Error::other("directories are nested too deeply"));
    }
    if fs::metadata(path)?.is_dir() {
        return directory(path, depth, visit);
    }
    let input = Input::open(path)?;
    let name = path.display().to_string();
    if input.bytes().starts_with(ZIP) {
        return archive(&name, &input, depth, visit);
    }
    if named || is_known(input.bytes()) {
        visit(Source::File { name, input, named });
    } else {
        visit(Source::Skipped);
    }
    Ok(())
}

fn is_known(bytes: &[u8]) -> bool {
    STARTS.iter().any(|start| bytes.starts_with(start))
}

/// In the order of names. Links to directories are not followed, so that no directory comes twice.
fn directory(path: &Path, depth: u32, visit: &mut dyn FnMut(Source<'_>)) -> io::Result<()> {
    let mut entries: Vec<_> = fs::read_dir(path)?.collect::<io::Result<_>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type()?);
        let is_file = || fs::metadata(&path).is_ok_and(|about| about.is_file());
        let below = match () {
            () if kind.is_dir() => at(&path, false, depth + 1, visit),
            () if kind.is_file() || kind.is_symlink() && is_file() => {
                small_start(&path).and_then(|known| match known {
                    true => at(&path, false, depth + 1, visit),
                    false => {
                        visit(Source::Skipped);
                        Ok(())
                    }
                })
            }
            () => {
                visit(Source::Skipped);
                Ok(())
            }
        };
        if let Err(error) = below {
            let reason = format!("cannot read it: {error}");
            let name = path.display().to_string();
            visit(Source::Problem {
                name,
                reason: &reason,
            });
        }
    }
    Ok(())
}

/// Whether a file begins as one that is looked into; the rest is not read.
fn small_start(path: &Path) -> io::Result<bool> {
    let mut start = Vec::with_capacity(START);
    File::open(path)?
        .take(START as u64)
        .read_to_end(&mut start)?;
    Ok(is_known(&start) || start.starts_with(ZIP))
}

/// Members are unpacked one by one to a temporary file, so that large ones take no memory.
fn archive(
    name: &str,
    input: &Input,
    depth: u32,
    visit: &mut dyn FnMut(Source<'_>),
) -> io::Result<()> {
    let archive = ZipArchive::from_slice(input.bytes()).map_err(io::Error::other)?;
    let mut entries = archive.entries();
    while let Some(entry) = entries.next_entry().map_err(io::Error::other)? {
        if entry.is_dir() {
            continue;
        }
        let path = entry.file_path();
        let name = format!("{name}/{}", String::from_utf8_lossy(path.as_ref()));
        let method = entry.compression_method();
        let member = archive.get_entry(entry.wayfinder());
        let unpacked = member
            .map_err(io::Error::other)
            .and_then(|member| unpack(&member, method));
        let input = unpacked.and_then(|file| match file {
            Some(file) => Input::open(file.path()).map(Some),
            None => Ok(None),
        });
        match input {
            Ok(None) => visit(Source::Skipped),
            Ok(Some(inner)) if inner.bytes().starts_with(ZIP) && depth < DEEPEST => {
                if let Err(error) = self::archive(&name, &inner, depth + 1, visit) {
                    let reason = format!("cannot read it: {error}");
                    visit(Source::Problem {
                        name,
                        reason: &reason,
                    });
                }
            }
            Ok(Some(input)) => visit(Source::File {
                name,
                input,
                named: false,
            }),
            Err(error) => {
                let reason = format!("cannot unpack it: {error}");
                visit(Source::Problem {
                    name,
                    reason: &reason,
                });
            }
        }
    }
    Ok(())
}

/// A member as a file, if it begins as one that is looked into.
fn unpack(
    member: &ZipSliceEntry<'_>,
    method: CompressionMethod,
) -> io::Result<Option<tempfile::NamedTempFile>> {
    let packed = member.data();
    let plain: Box<dyn Read> = match method {
        CompressionMethod::STORE => Box::new(packed),
        CompressionMethod::DEFLATE => Box::new(flate2::bufread::DeflateDecoder::new(packed)),
        other => {
            let reason = format!("it is compressed in a way that is not known here ({other:?})");
            return Err(io::Error::other(reason));
        }
    };
    let mut plain = member.verifying_reader(plain);
    let mut start = Vec::with_capacity(START);
    (&mut plain).take(START as u64).read_to_end(&mut start)?;
    if !is_known(&start) && !start.starts_with(ZIP) {
        return Ok(None);
    }
    let mut file = tempfile::NamedTempFile::new()?;
    file.write_all(&start)?;
    io::copy(&mut plain, &mut file)?;
    file.flush()?;
    Ok(Some(file))
}
