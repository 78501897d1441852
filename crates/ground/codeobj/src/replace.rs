//! The same file with other code objects in it: code objects, bundles (plain, compressed, several in a row), host programs
//! and libraries. Whatever stays the same keeps its bytes.
//!
//! Files may be larger than memory: [`stream`] holds one bundle that was compressed, or one code object, and its replacement at a time.

mod host;
mod sink;

use crate::bundle::{self, Bundle};
use crate::compressed::{self, Header};
use crate::container::next_bundle;
use crate::elf::Elf;
use crate::{CodeObject, Error, Result};

pub use sink::Sink;

/// Code objects in bundles are mapped by page, and so are bundles in host files.
const ALIGNMENT: u64 = 4096;

/// Makes a code object out of another.
pub type Replacement<'f, E> = &'f mut dyn FnMut(&[u8]) -> std::result::Result<Vec<u8>, E>;

/// `data` with `with` applied to each of its linked code objects.
///
/// Host files grow by a segment at their end when the new code does not fit in the place of the old.
/// Archives and relocatable files are refused: they have to be linked first.
pub fn code_objects<E: From<Error>>(
    data: &[u8],
    with: Replacement<'_, E>,
) -> std::result::Result<Vec<u8>, E> {
    let mut out = Vec::new();
    stream(data, &mut out, with)?;
    Ok(out)
}

/// [`code_objects`] into an empty `out`, piece by piece.
pub fn stream<E: From<Error>>(
    data: &[u8],
    out: &mut dyn Sink<E>,
    with: Replacement<'_, E>,
) -> std::result::Result<(), E> {
    if CodeObject::is_code_object(data) {
        out.write(0, &with(data)?)
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
        let reason = if data.starts_with(&object::archive::MAGIC) {
            "it is an archive; link it first"
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
struct Row {
    /// Bytes that they take now.
    length: u64,
    /// Where each was and where it is now.
    moved: Vec<(u64, u64)>,
    changed: bool,
}

/// Writes the bundles of `data`, which lies at `origin` in the file, to `out` from `start` on, which is its end.
fn row<E: From<Error>>(
    data: &[u8],
    origin: u64,
    start: u64,
    out: &mut dyn Sink<E>,
    with: Replacement<'_, E>,
) -> std::result::Result<Row, E> {
    let mut row = Row {
        length: 0,
        moved: Vec::new(),
        changed: false,
    };
    let mut at = 0;
    while let Some(old) = next_bundle(data, at) {
        let new = row.length.next_multiple_of(ALIGNMENT);
        let done = one(&data[old as usize..], start + new, out, with)?;
        row.changed |= done.changed;
        row.moved.push((old, new));
        row.length = new + done.length;
        at = old + done.old_length;
        out.progress(origin + at)?;
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

/// Writes the bundle at the start of `data` to `out` at `start`, which is its end.
fn one<E: From<Error>>(
    data: &[u8],
    start: u64,
    out: &mut dyn Sink<E>,
    with: Replacement<'_, E>,
) -> std::result::Result<WrittenBundle, E> {
    if !data.starts_with(compressed::MAGIC) {
        return plain(data, start, out, with);
    }
    let header = Header::parse(data)?;
    let (unpacked, old_length) = compressed::unpack(data)?;
    // What is to be packed is several times as large as what was unpacked: the output is where it waits.
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

fn plain<E: From<Error>>(
    data: &[u8],
    start: u64,
    out: &mut dyn Sink<E>,
    with: Replacement<'_, E>,
) -> std::result::Result<WrittenBundle, E> {
    let parsed = Bundle::parse(data)?;
    let ids = parsed.entries.iter().map(|entry| entry.id);
    let mut layout = bundle::Layout::new(ids, ALIGNMENT);
    let mut changed = false;
    for entry in &parsed.entries {
        let new;
        let bytes = if CodeObject::is_code_object(entry.bytes) {
            new = with(entry.bytes)?;
            changed |= new != entry.bytes;
            &new[..]
        } else {
            entry.bytes
        };
        let offset = layout.place(bytes.len() as u64);
        out.write(start + offset, bytes)?;
    }
    let length = if changed {
        out.write(start, &layout.header())?;
        layout.end()
    } else {
        out.set_len(start)?;
        out.write(start, &data[..parsed.size as usize])?;
        parsed.size
    };
    Ok(WrittenBundle {
        old_length: parsed.size,
        length,
        changed,
    })
}

/// An edit of a host file that cannot be made.
fn refused<T>(what: impl Into<String>, reason: &'static str) -> Result<T> {
    Err(Error::BadEdit {
        what: what.into(),
        reason,
    })
}
