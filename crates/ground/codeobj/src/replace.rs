//! Writes the same file with other code objects in it: code objects, bundles (plain, compressed, several in a row), host programs and
//! libraries. Unchanged parts keep their bytes.
//!
//! Files may be larger than memory: [`stream`] holds one bundle that was compressed at a time, and what [`Replacing`] makes of one code
//! object.

mod host;
mod plain;
mod sink;

use crate::bundle::{self, Bundle};
use crate::compressed::{self, Header};
use crate::container::{is_bitcode, next_bundle};
use crate::elf::Elf;
use crate::{CodeObject, Error, Result};

pub use sink::Sink;

/// Code objects in bundles are mapped by page, and so are bundles in host files.
const ALIGNMENT: u64 = 4096;

/// Makes code objects out of others. It is told of several at once, so that it can work on several at once.
pub trait Replacing<E> {
    /// Calls `done` with what comes of each of `objects`, in their order. An error of its own or of `done` ends the work.
    fn each(&mut self, objects: &[&[u8]], done: Done<'_, E>) -> std::result::Result<(), E>;
}

/// Takes what came of a code object.
pub type Done<'d, E> = &'d mut dyn FnMut(&[u8]) -> std::result::Result<(), E>;

/// Makes one code object out of another.
pub type Replacement<'f, E> = &'f mut dyn FnMut(&[u8]) -> std::result::Result<Vec<u8>, E>;

struct OneByOne<'f, E>(Replacement<'f, E>);

impl<E> Replacing<E> for OneByOne<'_, E> {
    fn each(&mut self, objects: &[&[u8]], done: Done<'_, E>) -> std::result::Result<(), E> {
        objects
            .iter()
            .try_for_each(|object| done(&(self.0)(object)?))
    }
}

/// `data` with `with` applied to each of its linked code objects.
///
/// Host files grow by a segment at their end when the new code does not fit in the place of the old.
/// Archives and relocatable files are refused: they have to be linked first.
pub fn code_objects<E: From<Error>>(
    data: &[u8],
    with: Replacement<'_, E>,
) -> std::result::Result<Vec<u8>, E> {
    let mut out = Vec::new();
    stream(data, &mut out, &mut OneByOne(with))?;
    Ok(out)
}

/// [`code_objects`] into an empty `out`, piece by piece.
pub fn stream<E: From<Error>>(
    data: &[u8],
    out: &mut dyn Sink<E>,
    with: &mut dyn Replacing<E>,
) -> std::result::Result<(), E> {
    if CodeObject::is_code_object(data) {
        with.each(&[data], &mut |new| out.write(0, new))
    } else if is_bundle(data) {
        let row = row(data, 0, 0, out, with)?;
        if !row.changed {
            out.set_len(0)?;
            out.write(0, data)?;
        }
        Ok(())
    } else if Elf::is_elf(data) {
        host::fat_binaries(data, out, with)
    } else {
        let is_archive = [object::archive::MAGIC, object::archive::THIN_MAGIC]
            .map(|magic| data.starts_with(&magic));
        let reason = if is_archive.contains(&true) {
            "it is an archive; link it first"
        } else if is_bitcode(data) {
            "it is LLVM bitcode; link it first"
        } else {
            "it is no ELF file or offload bundle"
        };
        Err(Error::NotCodeObject { reason }.into())
    }
}

fn is_bundle(data: &[u8]) -> bool {
    data.starts_with(bundle::MAGIC) || data.starts_with(compressed::MAGIC)
}

/// Bundles one after the other.
#[derive(Default)]
struct Row {
    /// Bytes that they take now.
    length: u64,
    /// The old and the new place of each bundle.
    moved: Vec<(u64, u64)>,
    changed: bool,
}

impl Row {
    /// The place of the next bundle.
    fn next(&self) -> u64 {
        self.length.next_multiple_of(ALIGNMENT)
    }
}

/// Writes the bundles of `data`, which lies at `origin` in the file, to `out` from `start` on, which is its end.
fn row<E: From<Error>>(
    data: &[u8],
    origin: u64,
    start: u64,
    out: &mut dyn Sink<E>,
    with: &mut dyn Replacing<E>,
) -> std::result::Result<Row, E> {
    let mut row = Row::default();
    let mut at = 0;
    while let Some(old) = next_bundle(data, at) {
        let (neighbours, end) = plain::neighbours(data, old)?;
        if neighbours.is_empty() {
            let new = row.next();
            let done = packed(&data[old as usize..], start + new, out, with)?;
            row.changed |= done.changed;
            row.moved.push((old, new));
            row.length = new + done.length;
            at = old + done.old_length;
            out.progress(origin + at)?;
        } else {
            plain::write(&neighbours, Some(origin), start, &mut row, out, with)?;
            at = end;
        }
    }
    Ok(row)
}

/// A bundle that has been written.
struct WrittenBundle {
    /// Bytes that it took.
    old_length: u64,
    /// Bytes that it takes now.
    length: u64,
    changed: bool,
}

/// Writes the compressed bundle at the start of `data` to `out` at `start`, which is its end.
fn packed<E: From<Error>>(
    data: &[u8],
    start: u64,
    out: &mut dyn Sink<E>,
    with: &mut dyn Replacing<E>,
) -> std::result::Result<WrittenBundle, E> {
    let header = Header::parse(data)?;
    let (unpacked, old_length) = compressed::unpack(data)?;
    // The bytes to pack are several times as large as the unpacked bundle, so they wait in the output.
    let inner = one(&unpacked, start, out, with)?;
    drop(unpacked);
    let changed = inner.changed;
    let packed;
    let new = if changed {
        let mut read = |offset, bytes: &mut [u8]| out.read(start + offset, bytes);
        packed = compressed::pack_from(inner.length, &mut read, header.version, header.method)?;
        &packed[..]
    } else {
        &data[..old_length as usize]
    };
    out.set_len(start)?;
    out.write(start, new)?;
    Ok(WrittenBundle {
        old_length,
        length: new.len() as u64,
        changed,
    })
}

/// Writes what was compressed.
fn one<E: From<Error>>(
    data: &[u8],
    start: u64,
    out: &mut dyn Sink<E>,
    with: &mut dyn Replacing<E>,
) -> std::result::Result<WrittenBundle, E> {
    if data.starts_with(compressed::MAGIC) {
        return packed(data, start, out, with);
    }
    let bundle = Bundle::parse(data)?;
    let old_length = bundle.size;
    let mut row = Row::default();
    plain::write(&[(0, data, bundle)], None, start, &mut row, out, with)?;
    Ok(WrittenBundle {
        old_length,
        length: row.length,
        changed: row.changed,
    })
}

/// An edit of a host file that cannot be made.
fn refused<T>(what: impl Into<String>, reason: &'static str) -> Result<T> {
    Err(Error::BadEdit {
        what: what.into(),
        reason,
    })
}
