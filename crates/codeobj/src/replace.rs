//! The same file with other code objects in it: code objects, bundles (plain, compressed, several in a row), host programs
//! and libraries. Whatever stays the same keeps its bytes.

mod host;

use crate::bundle::{self, Bundle};
use crate::compressed::{self, Header};
use crate::container::next_bundle;
use crate::elf::Elf;
use crate::{CodeObject, Error, Result};

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
    if CodeObject::is_code_object(data) {
        with(data)
    } else if is_bundle(data) {
        Ok(row(data, with)?.bytes)
    } else if Elf::is_elf(data) {
        host::fat_binaries(data, with)
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
    bytes: Vec<u8>,
    /// Where each was and where it is now.
    moved: Vec<(u64, u64)>,
}

fn row<E: From<Error>>(data: &[u8], with: Replacement<'_, E>) -> std::result::Result<Row, E> {
    let (mut bytes, mut moved) = (Vec::new(), Vec::new());
    let (mut at, mut changed) = (0, false);
    while let Some(start) = next_bundle(data, at) {
        let rest = &data[start as usize..];
        let (old, new) = one(rest, with)?;
        changed |= rest[..old as usize] != new;
        bytes.resize(bytes.len().next_multiple_of(ALIGNMENT as usize), 0);
        moved.push((start, bytes.len() as u64));
        bytes.extend(new);
        at = start + old;
    }
    if !changed {
        bytes = data.to_vec();
        moved.iter_mut().for_each(|(old, new)| *new = *old);
    }
    Ok(Row { bytes, moved })
}

/// The bundle at the start of `data`: how many bytes it takes, and the new one.
fn one<E: From<Error>>(
    data: &[u8],
    with: Replacement<'_, E>,
) -> std::result::Result<(u64, Vec<u8>), E> {
    if !data.starts_with(compressed::MAGIC) {
        return plain(data, with);
    }
    let header = Header::parse(data)?;
    let (unpacked, size) = compressed::unpack(data)?;
    let (_, replaced) = one(&unpacked, with)?;
    let old = &data[..size as usize];
    let new = if replaced == unpacked {
        old.to_vec()
    } else {
        compressed::pack(&replaced, header.version, header.method)?
    };
    Ok((size, new))
}

fn plain<E: From<Error>>(
    data: &[u8],
    with: Replacement<'_, E>,
) -> std::result::Result<(u64, Vec<u8>), E> {
    let parsed = Bundle::parse(data)?;
    let mut contents = Vec::with_capacity(parsed.entries.len());
    for entry in &parsed.entries {
        let new = if CodeObject::is_code_object(entry.bytes) {
            with(entry.bytes)?
        } else {
            entry.bytes.to_vec()
        };
        contents.push(new);
    }
    let entries = parsed.entries.iter().zip(&contents);
    let same = entries.clone().all(|(entry, new)| entry.bytes == *new);
    let new = if same {
        data[..parsed.size as usize].to_vec()
    } else {
        let entries: Vec<_> = entries.map(|(entry, new)| (entry.id, &new[..])).collect();
        bundle::write(&entries, ALIGNMENT)
    };
    Ok((parsed.size, new))
}

/// An edit of a host file that cannot be made.
fn refused<T>(what: impl Into<String>, reason: &'static str) -> Result<T> {
    Err(Error::BadEdit {
        what: what.into(),
        reason,
    })
}
