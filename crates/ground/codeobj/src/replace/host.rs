//! Fat binaries of host programs and libraries: sections `.hip_fatbin*`, to which records in `.hipFatBinSegment` point.
//!
//! The new contents go into a read-only segment at the end of the file. Everything that points to the old place then points to the new one:
//! relative relocations, symbols, pointers in the records, the section header. The pages of the old contents are removed from the file
//! ([`Cut`]). If that is not possible, a section whose new contents fit is overwritten; otherwise the old bytes are zeroed, and the program
//! headers, which have grown by one, go to the new segment.

mod cut;

use super::{ALIGNMENT, Replacing, Row, Sink, refused, row};
use crate::bytes::{slice, u16_at, u32_at, u64_at};
use crate::container::{NO_DEVICE_CODE, embedded, fat_binary_wrappers};
use crate::elf::{Elf, Section};
use crate::{Error, Result};
use cut::Cut;
use object::elf;

/// The new segment lies as far behind the first as it lies in the file, because kernels before Linux 5.18 compute the
/// headers' address that way. Programs with more zero-initialised memory than this would become files with huge holes.
const LARGEST_HOLE: u64 = 256 << 20;

const WHAT: &str = "host file";
const PROGRAM_HEADER: usize = 56;
const SECTION_HEADER: u64 = 64;
const SYMBOL: u64 = 24;
const RELOCATION: u64 = 24;
/// Relative relocations, which know no symbol: `R_X86_64_RELATIVE`, `R_AARCH64_RELATIVE`, by `e_machine`.
const RELATIVE: [(u16, u32); 2] = [(62, 8), (183, 1027)];

/// A section with its new contents.
struct Moved<'e, 'a> {
    section: &'e Section<'a>,
    row: Row,
    /// The new place of the contents.
    file_offset: u64,
    address: u64,
}

impl Moved<'_, '_> {
    /// The new address of what is at `address`; an error inside of a bundle, whose layout has changed.
    fn lead(&self, address: u64) -> Option<Result<u64>> {
        let offset = address.checked_sub(self.section.address)?;
        if offset >= self.section.data.len() as u64 {
            return None;
        }
        let bundle = self.row.moved.iter().find(|(old, _)| *old == offset);
        Some(match bundle {
            Some((_, new)) => Ok(self.address + new),
            None if offset == 0 => Ok(self.address),
            None => refused(
                self.section.name,
                "something points into the middle of one of its bundles",
            ),
        })
    }
}

pub(super) fn fat_binaries<E: From<Error>>(
    data: &[u8],
    out: &mut dyn Sink<E>,
    with: &mut dyn Replacing<E>,
) -> std::result::Result<(), E> {
    let host = Elf::parse(data)?;
    check(data, &host)?;
    let mut fat: Vec<_> = host
        .sections
        .iter()
        .filter(|section| section.name.starts_with(".hip_fatbin") && !section.data.is_empty())
        .collect();
    fat.sort_by_key(|section| section.file_offset);
    if let Some(cut) = Cut::find(data, &host, &fat)? {
        return shortened(data, &host, &cut, &fat, out, with);
    }
    host_parts(data, &fat, &|offset| offset, out)?;
    out.set_len(data.len() as u64)?;
    // New contents go to the end first: only then is it known whether they fit in the place of the old.
    let room = NewSegment::find(data, &host);
    let mut next = match &room {
        Ok(room) => room.place + room.table_size(),
        Err(_) => data.len() as u64,
    };
    let mut moved: Vec<Moved<'_, '_>> = Vec::new();
    for section in fat {
        let start = next.next_multiple_of(ALIGNMENT);
        let row = row(section.data, section.file_offset, start, out, &mut *with)?;
        if row.moved.is_empty() {
            refused(section.name, "no offload bundle is in it")?;
        }
        if !row.changed {
            out.set_len(next.max(data.len() as u64))?;
            out.write(section.file_offset, section.data)?;
            continue;
        }
        next = start + row.length;
        moved.push(Moved {
            section,
            row,
            file_offset: start,
            address: 0,
        });
    }
    if moved.is_empty() {
        return out.set_len(data.len() as u64);
    }
    let fits = |part: &Moved<'_, '_>| part.row.length <= part.section.data.len() as u64;
    if moved.iter().all(fits) {
        for part in &mut moved {
            copy(
                out,
                part.file_offset,
                part.section.file_offset,
                part.row.length,
            )?;
            part.file_offset = part.section.file_offset;
            part.address = part.section.address;
        }
        out.set_len(data.len() as u64)?;
    } else {
        append_segment(&room?, out, &mut moved, next)?;
    }
    lead(data, out, &host, &moved, &|offset| offset)
}

/// Without the pages of what there was before.
fn shortened<E: From<Error>>(
    data: &[u8],
    host: &Elf<'_>,
    cut: &Cut,
    fat: &[&Section<'_>],
    out: &mut dyn Sink<E>,
    with: &mut dyn Replacing<E>,
) -> std::result::Result<(), E> {
    let place = |offset| cut.moved(offset);
    host_parts(data, fat, &place, out)?;
    let mut next = cut.place;
    let mut moved: Vec<Moved<'_, '_>> = Vec::new();
    for section in fat {
        let start = next.next_multiple_of(ALIGNMENT);
        let row = row(section.data, section.file_offset, start, out, &mut *with)?;
        if row.moved.is_empty() {
            refused(section.name, "no offload bundle is in it")?;
        }
        next = start + row.length;
        moved.push(Moved {
            section,
            row,
            file_offset: start,
            address: cut.address + (start - cut.place),
        });
    }
    if !moved.iter().any(|part| part.row.changed) {
        out.set_len(0)?;
        return out.write(0, data);
    }
    let (table, rows) = cut.table(next);
    out.write(table, &rows.concat())?;
    out.write(32, &table.to_le_bytes())?;
    out.write(56, &(rows.len() as u16).to_le_bytes())?;
    for (at, offset) in cut.section_offsets(data)? {
        put(out, at, offset)?;
    }
    lead(data, out, host, &moved, &place)
}

/// Writes everything but `fat` to its place, by its offset in the old file.
fn host_parts<E>(
    data: &[u8],
    fat: &[&Section<'_>],
    place: &dyn Fn(u64) -> u64,
    out: &mut dyn Sink<E>,
) -> std::result::Result<(), E> {
    let mut at = 0;
    for section in fat {
        let start = section.file_offset as usize;
        if start > at {
            out.write(place(at as u64), &data[at..start])?;
        }
        at = at.max(start + section.data.len());
    }
    out.write(place(at as u64), &data[at.min(data.len())..])
}

/// Moves bytes towards the start of a file.
fn copy<E>(out: &mut dyn Sink<E>, from: u64, to: u64, length: u64) -> std::result::Result<(), E> {
    let mut chunk = vec![0; 1 << 20];
    let mut done = 0;
    while done < length {
        let size = (length - done).min(chunk.len() as u64);
        let bytes = &mut chunk[..size as usize];
        out.read(from + done, bytes)?;
        out.write(to + done, bytes)?;
        done += size;
    }
    Ok(())
}

fn check(data: &[u8], host: &Elf<'_>) -> Result<()> {
    if u16_at(data, 16, WHAT)? == elf::ET_REL.0 {
        return refused(WHAT, "it is relocatable; link it first");
    }
    if host.sections.is_empty() {
        return refused(
            WHAT,
            "its section headers are stripped, so that nothing says where its device code ends",
        );
    }
    if !host
        .sections
        .iter()
        .any(|section| section.name.starts_with(".hip_fatbin"))
    {
        let parts = embedded::parts(host);
        if let Some(part) = parts.iter().find(|part| embedded::has_any(part.data)) {
            return refused(
                format!("{WHAT}'s {}", part.name),
                "the program's data holds its code objects, as GCC's offload compilers leave them: there is no room for new code, \
                 and nothing says what points to it; run the program with tools instead (luthier run -t)",
            );
        }
        return Err(Error::NotCodeObject {
            reason: NO_DEVICE_CODE,
        });
    }
    Ok(())
}

/// The place where a new segment can begin.
struct NewSegment {
    /// Offset in the file: first the program headers, then what they lead to.
    place: u64,
    /// Address of the file's first byte.
    base: u64,
    /// The program headers as they are.
    rows: Vec<[u8; PROGRAM_HEADER]>,
}

impl NewSegment {
    fn find(data: &[u8], host: &Elf<'_>) -> Result<NewSegment> {
        let load = elf::PT_LOAD.0;
        let mut loads = host.segments.iter().filter(|segment| segment.kind == load);
        let Some(first) = loads.next() else {
            return refused(WHAT, "it has no segments");
        };
        let end = loads
            .chain([first])
            .map(|segment| segment.address.saturating_add(segment.memory_size))
            .max()
            .unwrap_or(0);
        let base = first.address.wrapping_sub(first.file_offset);
        let length = data.len() as u64;
        let place = end.saturating_sub(base).max(length);
        if place - length > LARGEST_HOLE {
            return refused(WHAT, "it has too much zero-initialised memory");
        }
        let rows = program_headers(data)?;
        Ok(NewSegment {
            place: place.next_multiple_of(ALIGNMENT),
            base,
            rows,
        })
    }

    /// Bytes of the program headers with one more.
    fn table_size(&self) -> u64 {
        ((self.rows.len() + 1) * PROGRAM_HEADER) as u64
    }
}

fn program_headers(data: &[u8]) -> Result<Vec<[u8; PROGRAM_HEADER]>> {
    let table = u64_at(data, 32, WHAT)?;
    let count = u64::from(u16_at(data, 56, WHAT)?);
    if u64::from(u16_at(data, 54, WHAT)?) != PROGRAM_HEADER as u64 || count >= 0xfffe {
        return refused(WHAT, "its program headers are unusual");
    }
    let size = count * PROGRAM_HEADER as u64;
    let rows = slice(data, table, size, "program headers")?.chunks_exact(PROGRAM_HEADER);
    Ok(rows
        .map(|row| row.try_into().expect("as long as a row"))
        .collect())
}

/// A program header: kind, flags; offset, two addresses, bytes in the file and in memory, alignment.
fn row_of_segment(kind: u32, flags: u32, numbers: [u64; 6]) -> [u8; PROGRAM_HEADER] {
    let mut row = [0; PROGRAM_HEADER];
    row[..4].copy_from_slice(&kind.to_le_bytes());
    row[4..8].copy_from_slice(&flags.to_le_bytes());
    for (place, number) in row[8..].chunks_exact_mut(8).zip(numbers) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    row
}

/// The number at an offset of a program header.
fn number(row: &[u8; PROGRAM_HEADER], at: usize) -> u64 {
    u64::from_le_bytes(row[at..at + 8].try_into().expect("eight bytes"))
}

/// Makes what lies from `room` to `end` a segment, with one more program header.
fn append_segment<E: From<Error>>(
    room: &NewSegment,
    out: &mut dyn Sink<E>,
    moved: &mut [Moved<'_, '_>],
    end: u64,
) -> std::result::Result<(), E> {
    let (base, place) = (room.base, room.place);
    for part in moved {
        part.address = base.wrapping_add(part.file_offset);
    }
    let segment = |kind: u32, start: u64, size: u64, align: u64| {
        let address = base.wrapping_add(start);
        row_of_segment(
            kind,
            elf::PF_R.0,
            [start, address, address, size, size, align],
        )
    };
    let kind = |row: &[u8; PROGRAM_HEADER]| u32::from_le_bytes(row[..4].try_into().expect("four"));
    let mut rows = room.rows.clone();
    for row in &mut rows {
        if kind(row) == elf::PT_PHDR.0 {
            *row = segment(elf::PT_PHDR.0, place, room.table_size(), 8);
        }
    }
    // Segments have to be in the order of their addresses.
    let behind = rows.iter().rposition(|row| kind(row) == elf::PT_LOAD.0);
    let at = behind.map_or(rows.len(), |last| last + 1);
    rows.insert(at, segment(elf::PT_LOAD.0, place, end - place, ALIGNMENT));
    out.write(place, &rows.concat())?;
    out.write(32, &place.to_le_bytes())?;
    out.write(56, &(rows.len() as u16).to_le_bytes())
}

/// Leads everything that points to old places to the new ones. `place`: where what was at an offset of the old file is.
fn lead<E: From<Error>>(
    bytes: &[u8],
    out: &mut dyn Sink<E>,
    host: &Elf<'_>,
    moved: &[Moved<'_, '_>],
    place: &dyn Fn(u64) -> u64,
) -> std::result::Result<(), E> {
    let lead = |address: u64| moved.iter().find_map(|part| part.lead(address));
    let machine = u16_at(bytes, 18, WHAT)?;
    let relative = RELATIVE
        .iter()
        .find(|(known, _)| *known == machine)
        .map(|(_, kind)| *kind);
    for section in &host.sections {
        let rows = |size: u64| {
            let count = section.data.len() as u64 / size;
            (0..count).map(move |index| section.file_offset + index * size)
        };
        if section.kind == elf::SHT_RELA.0 {
            for row in rows(RELOCATION) {
                let kind = u32_at(bytes, row + 8, "relocation")?;
                let addend = u64_at(bytes, row + 16, "relocation")?;
                if Some(kind) == relative
                    && let Some(new) = lead(addend)
                {
                    put(out, place(row + 16), new?)?;
                }
            }
        } else if section.kind == elf::SHT_DYNSYM.0 || section.kind == elf::SHT_SYMTAB.0 {
            for row in rows(SYMBOL) {
                let value = u64_at(bytes, row + 8, "symbol")?;
                // Symbols that point into the middle of a bundle are left as they are.
                if let Some(Ok(new)) = lead(value) {
                    put(out, place(row + 8), new)?;
                }
            }
        }
    }
    for wrapper in fat_binary_wrappers(host)? {
        let pointer = host.file_offset_of(wrapper.address + 8);
        let Some(pointer) = pointer else {
            return Ok(refused(".hipFatBinSegment", "it is not in the file")?);
        };
        // Position-independent files may have nothing here but a relocation.
        if let Some(new) = lead(u64_at(bytes, pointer, "fat binary wrapper")?) {
            put(out, place(pointer), new?)?;
        }
    }
    let headers = u64_at(bytes, 40, WHAT)?;
    for part in moved {
        let row = headers + part.section.index as u64 * SECTION_HEADER;
        slice(bytes, row, SECTION_HEADER, "section header")?;
        let row = place(row);
        put(out, row + 16, part.address)?;
        put(out, row + 24, part.file_offset)?;
        put(out, row + 32, part.row.length)?;
    }
    Ok(())
}

fn put<E>(out: &mut dyn Sink<E>, offset: u64, value: u64) -> std::result::Result<(), E> {
    out.write(offset, &value.to_le_bytes())
}
