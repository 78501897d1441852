//! Finds every code object inside a file: host executables and libraries, offload bundles (plain, compressed, several in
//! a row, nested), archives, code objects in the data of host programs, and code objects as such.

pub(crate) mod embedded;
mod offload_binary;
mod wrapper;

pub use wrapper::{FatBinaryWrapper, fat_binary_wrappers};

use crate::bundle::{self, Bundle};
use crate::elf::Elf;
use crate::select::{SelectError, select};
use crate::{CodeObject, Error, Result, TargetId, compressed};
use object::read::archive::ArchiveFile;
use std::borrow::Cow;

/// Containers within containers are followed this deep.
const MAX_DEPTH: u32 = 8;

/// The format of an entry's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// An AMDGPU ELF file, linked or relocatable.
    CodeObject,
    /// LLVM bitcode for the device.
    Bitcode,
    /// Anything else, such as the (mostly empty) host entry of a bundle or code for other devices.
    Other,
}

/// One thing found in a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Offset in the file given to [`walk`]; `None` inside compressed bytes.
    pub file_offset: Option<u64>,
    /// Bundle entry id; for a bare code object its triple and target id.
    pub id: String,
    /// The containers it is in, outermost first: sections, archive members, bundles by index and offset.
    pub path: Vec<String>,
    /// Its format.
    pub kind: EntryKind,
    /// It lies in a host program's data by itself, as GCC's offload compilers leave it: nothing else says that it is device code.
    pub embedded: bool,
    /// Its contents, unpacked if they were compressed.
    pub bytes: Cow<'a, [u8]>,
}

impl Entry<'_> {
    /// The target in the entry's id, if it is an AMD GPU's.
    pub fn target(&self) -> Option<TargetId> {
        TargetId::parse(&self.id).ok()
    }

    /// The entry as a code object; an error if it is none.
    pub fn code_object(&self) -> Result<CodeObject<'_>> {
        CodeObject::parse(&self.bytes)
    }
}

/// The entries that [`walk`] found.
#[derive(Clone, Debug, Default)]
pub struct Contents<'a> {
    /// In the order of the file.
    pub entries: Vec<Entry<'a>>,
    /// Parts that could not be read, with where they are.
    pub problems: Vec<(String, Error)>,
}

impl<'a> Contents<'a> {
    /// Entries that are code objects.
    pub fn code_objects(&self) -> impl Iterator<Item = &Entry<'a>> {
        self.entries
            .iter()
            .filter(|entry| entry.kind == EntryKind::CodeObject)
    }

    /// The code object that fits `device` best; with several bundles, the first of equals.
    pub fn select(&self, device: &TargetId) -> std::result::Result<&Entry<'a>, SelectError> {
        let readable = self.code_objects().filter_map(|entry| {
            // The file's own header says more than the id its bundle gives it.
            let target = entry.code_object().map(|object| object.target()).ok();
            Some((entry, target.or_else(|| entry.target())?))
        });
        let (entries, targets): (Vec<_>, Vec<_>) = readable.unzip();
        match select(&targets, device) {
            Ok(index) => Ok(entries[index]),
            Err(SelectError::Empty { device }) => Err(match self.unknown_processors() {
                unknown if unknown.is_empty() => SelectError::Empty { device },
                unknown => SelectError::NoMatch {
                    available: unknown.join(", "),
                    device,
                    alternative: None,
                },
            }),
            Err(error) => Err(error),
        }
    }

    /// Processors that ids of bundle entries name, but that no target of this crate is.
    fn unknown_processors(&self) -> Vec<&str> {
        let ids = self.code_objects().filter(|entry| entry.target().is_none());
        let mut names: Vec<&str> = ids
            .filter_map(|entry| entry.id.rsplit("--").next())
            .filter(|name| name.starts_with("gfx"))
            .collect();
        names.dedup();
        names
    }
}

/// Finds everything in `data`. A damaged part is reported beside the rest; it is an error only if nothing else was found.
pub fn walk(data: &[u8]) -> Result<Contents<'_>> {
    let mut contents = Contents::default();
    each(data, &mut |found| match found {
        Found::Entry(entry) => contents.entries.push(entry),
        Found::Problem(place, error) => contents.problems.push((place, error)),
        Found::Reached(_) => {}
    });
    match contents.problems.first() {
        Some((_, error)) if contents.entries.is_empty() => Err(error.clone()),
        _ => Ok(contents),
    }
}

/// Something that [`each`] comes across.
#[derive(Clone, Debug)]
pub enum Found<'a> {
    /// Something that a bundle holds.
    Entry(Entry<'a>),
    /// A part that could not be read, with where it is.
    Problem(String, Error),
    /// Nothing that comes later lies before this offset of the file.
    Reached(u64),
}

/// Whom things are told of as they are found.
type Visitor<'v, 'a> = dyn FnMut(Found<'a>) + 'v;

/// Tells `visitor` of everything in `data`, in the order of the file. Unlike [`walk`], holds what was compressed only one bundle at
/// a time.
pub fn each<'a>(data: &'a [u8], visitor: &mut dyn FnMut(Found<'a>)) {
    let place = Nesting {
        file_offset: Some(0),
        path: Vec::new(),
        id: None,
        depth: 0,
        embedded: false,
    };
    visit(Cow::Borrowed(data), &place, visitor);
}

/// The position of the walk.
#[derive(Clone)]
struct Nesting {
    file_offset: Option<u64>,
    path: Vec<String>,
    /// Id of the bundle entry we are in.
    id: Option<String>,
    depth: u32,
    /// In data that no section name tells from other data.
    embedded: bool,
}

impl Nesting {
    /// `offset` bytes further in, one container deeper.
    fn inside(&self, label: String, offset: u64) -> Nesting {
        let mut path = self.path.clone();
        path.push(label);
        let file_offset = self.file_offset.map(|start| start.saturating_add(offset));
        Nesting {
            file_offset,
            path,
            id: self.id.clone(),
            depth: self.depth + 1,
            embedded: self.embedded,
        }
    }

    fn unpacked(&self, label: String) -> Nesting {
        Nesting {
            file_offset: None,
            ..self.inside(label, 0)
        }
    }
}

/// `length` bytes of `data`, borrowed if `data` is. The range has been checked, except that an empty one may lie anywhere.
fn part<'a>(data: &Cow<'a, [u8]>, offset: u64, length: usize) -> Cow<'a, [u8]> {
    if length == 0 {
        return Cow::Borrowed(&[]);
    }
    let start = offset as usize;
    match data {
        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[start..start + length]),
        Cow::Owned(bytes) => Cow::Owned(bytes[start..start + length].to_vec()),
    }
}

fn visit<'a>(data: Cow<'a, [u8]>, place: &Nesting, visitor: &mut Visitor<'_, 'a>) {
    if let Err(error) = visit_fallible(data, place, visitor) {
        visitor(Found::Problem(place.path.join(" / "), error));
    }
}

fn visit_fallible<'a>(
    data: Cow<'a, [u8]>,
    place: &Nesting,
    visitor: &mut Visitor<'_, 'a>,
) -> Result<()> {
    if place.depth > MAX_DEPTH {
        let offset = place.file_offset.unwrap_or(0);
        return Err(Error::Malformed {
            what: "container",
            offset,
            reason: "it is nested too deeply",
        });
    }
    let bytes: &[u8] = &data;
    if bytes.starts_with(bundle::MAGIC) || bytes.starts_with(compressed::MAGIC) {
        visit_bundles(data, place, visitor)
    } else if bytes.starts_with(&offload_binary::MAGIC) {
        for image in offload_binary::images(bytes)? {
            let mut inner = place.inside(
                format!("offload image at {:#x}", image.offset),
                image.offset,
            );
            inner.id = Some(image.id);
            visit(
                part(&data, image.offset, image.bytes.len()),
                &inner,
                visitor,
            );
        }
        Ok(())
    } else if bytes.starts_with(&object::archive::MAGIC) {
        visit_archive(data, place, visitor)
    } else if Elf::is_elf(bytes) && !CodeObject::is_code_object(bytes) {
        // A host's part may hold device code; what is said to be device code is none.
        match place.id.as_deref().is_some_and(|id| id.contains("amdgcn")) {
            true => Err(Error::NotCodeObject {
                reason: "it is an ELF file for another machine",
            }),
            false => visit_host(data, place, visitor),
        }
    } else if place.path.is_empty() && !CodeObject::is_code_object(bytes) && !is_bitcode(bytes) {
        let reason = if bytes.starts_with(&object::archive::THIN_MAGIC) {
            "it is a thin archive, which only names its members: name those"
        } else {
            "it is no ELF file, offload bundle or archive"
        };
        Err(Error::NotCodeObject { reason })
    } else {
        push(data, place, visitor);
        Ok(())
    }
}

/// The beginnings of LLVM bitcode: as such, and in a wrapper.
pub const BITCODE: [&[u8]; 2] = [b"BC\xc0\xde", b"\xde\xc0\x17\x0b"];

pub(crate) fn is_bitcode(bytes: &[u8]) -> bool {
    BITCODE.iter().any(|start| bytes.starts_with(start))
}

fn push<'a>(bytes: Cow<'a, [u8]>, place: &Nesting, visitor: &mut Visitor<'_, 'a>) {
    let kind = if CodeObject::is_code_object(&bytes) {
        EntryKind::CodeObject
    } else if is_bitcode(&bytes) {
        EntryKind::Bitcode
    } else {
        EntryKind::Other
    };
    let id = place
        .id
        .clone()
        .unwrap_or_else(|| match CodeObject::parse(&bytes) {
            Ok(object) => format!("amdgcn-amd-amdhsa--{}", object.target()),
            Err(_) => String::new(),
        });
    visitor(Found::Entry(Entry {
        file_offset: place.file_offset,
        id,
        path: place.path.clone(),
        kind,
        embedded: place.embedded,
        bytes,
    }));
}

/// Bundles one after the other, with padding between them, as linkers leave them in `.hip_fatbin`.
fn visit_bundles<'a>(
    data: Cow<'a, [u8]>,
    place: &Nesting,
    visitor: &mut Visitor<'_, 'a>,
) -> Result<()> {
    let bytes: &[u8] = &data;
    let mut at = 0u64;
    let mut index = 0;
    while let Some(start) = next_bundle(bytes, at) {
        let rest = &bytes[start as usize..];
        let label = |what| format!("{what} {index} at {start:#x}");
        if rest.starts_with(compressed::MAGIC) {
            let inner = place.unpacked(label("compressed bundle"));
            match compressed::unpack(rest) {
                Ok((unpacked, consumed)) => {
                    visit(Cow::Owned(unpacked), &inner, visitor);
                    at = start + consumed;
                }
                Err(error) => {
                    let error = error.behind(place.file_offset.map_or(0, |all| all + start));
                    visitor(Found::Problem(inner.path.join(" / "), error));
                    at = start + 4;
                }
            }
        } else {
            let inner = place.inside(label("bundle"), start);
            match Bundle::parse(rest) {
                Ok(bundle) => {
                    for entry in &bundle.entries {
                        let mut place = inner.clone();
                        place.file_offset = place.file_offset.map(|start| start + entry.offset);
                        place.id = Some(entry.id.to_owned());
                        visit(
                            part(&data, start + entry.offset, entry.bytes.len()),
                            &place,
                            visitor,
                        );
                    }
                    at = start + bundle.size;
                }
                Err(error) => {
                    let error = error.behind(place.file_offset.map_or(0, |all| all + start));
                    visitor(Found::Problem(inner.path.join(" / "), error));
                    at = start + 4;
                }
            }
        }
        index += 1;
        if let Some(origin) = place.file_offset {
            visitor(Found::Reached(origin + at));
        }
    }
    Ok(())
}

/// Start of the next bundle at or after `from`. Linkers align bundles, so only multiples of 8 are candidates after
/// padding; directly behind the previous bundle any offset is.
pub(crate) fn next_bundle(bytes: &[u8], from: u64) -> Option<u64> {
    let is_start = |at: usize| {
        bytes[at..].starts_with(bundle::MAGIC) || bytes[at..].starts_with(compressed::MAGIC)
    };
    let from = usize::try_from(from)
        .ok()
        .filter(|from| *from < bytes.len())?;
    if is_start(from) {
        return Some(from as u64);
    }
    (from.next_multiple_of(8)..bytes.len())
        .step_by(8)
        .find(|at| is_start(*at))
        .map(|at| at as u64)
}

fn visit_archive<'a>(
    data: Cow<'a, [u8]>,
    place: &Nesting,
    visitor: &mut Visitor<'_, 'a>,
) -> Result<()> {
    let bytes: &[u8] = &data;
    let offset = place.file_offset.unwrap_or(0);
    let damaged = |reason| Error::Malformed {
        what: "archive",
        offset,
        reason,
    };
    let archive =
        ArchiveFile::parse(bytes).map_err(|_| damaged("its header or symbol table is invalid"))?;
    for member in archive.members() {
        let member = member.map_err(|_| damaged("a member header is invalid"))?;
        let (start, length) = member.file_range();
        let name = String::from_utf8_lossy(member.name()).into_owned();
        crate::bytes::slice(bytes, start, length, "archive member")?;
        let inner = part(&data, start, length as usize);
        // Host objects without device code are what archives are full of.
        visit(inner, &place.inside(name, start), visitor);
    }
    Ok(())
}

fn visit_host<'a>(
    data: Cow<'a, [u8]>,
    place: &Nesting,
    visitor: &mut Visitor<'_, 'a>,
) -> Result<()> {
    let bytes: &[u8] = &data;
    let elf = Elf::parse(bytes)?;
    let mut found = false;
    for section in &elf.sections {
        let id = offload_id(section.name);
        // Clang's older relocatable bundles mark host code by a one-byte section.
        if !holds_bundles(section.name) || section.data.len() < 4 {
            continue;
        }
        found = true;
        let mut inner = place.inside(section.name.to_owned(), section.file_offset);
        inner.id = id.map(str::to_owned);
        visit(
            part(&data, section.file_offset, section.data.len()),
            &inner,
            visitor,
        );
    }
    if !found && elf.sections.is_empty() {
        // Section headers stripped: bundles are still recognisable.
        if let Some(start) = next_bundle(bytes, 0) {
            let inner = place.inside("stripped host file".to_owned(), start);
            return visit_bundles(
                part(&data, start, bytes.len() - start as usize),
                &inner,
                visitor,
            );
        }
    }
    let mut rest = embedded::parts(&elf);
    rest.retain(|rest| !holds_bundles(&rest.name));
    for rest in rest {
        let mut inner = place.inside(rest.name, rest.file_offset);
        inner.embedded = true;
        let region = part(&data, rest.file_offset, rest.data.len());
        found |= visit_embedded(region, &inner, visitor);
    }
    if !found && place.path.is_empty() {
        return Err(Error::NotCodeObject {
            reason: NO_DEVICE_CODE,
        });
    }
    Ok(())
}

/// The reason that errors give for host files without device code.
pub(crate) const NO_DEVICE_CODE: &str = "it is a host program or library without device code (no .hip_fatbin section, and no code object of GCC's offload compilers)";

/// The bundle entry that clang's older relocatable files name a section after.
fn offload_id(section: &str) -> Option<&str> {
    section.strip_prefix("__CLANG_OFFLOAD_BUNDLE__")
}

fn holds_bundles(section: &str) -> bool {
    section.starts_with(".hip_fatbin")
        || section == ".llvm.offloading"
        || offload_id(section).is_some()
}

/// Code objects in the data that is at `place`; whether there are any.
fn visit_embedded<'a>(data: Cow<'a, [u8]>, place: &Nesting, visitor: &mut Visitor<'_, 'a>) -> bool {
    let mut found = false;
    for (index, object) in embedded::find(&data).enumerate() {
        match object {
            Ok((start, length)) => {
                found = true;
                let inner = place.inside(format!("code object {index} at {start:#x}"), start);
                push(part(&data, start, length as usize), &inner, visitor);
            }
            Err(error) => visitor(Found::Problem(place.path.join(" / "), error)),
        }
    }
    found
}
