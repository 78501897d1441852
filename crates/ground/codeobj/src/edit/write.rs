//! Lays out the changed file: the loaded part of the original, then appended sections, then parts that are not loaded, then the section
//! headers. A replaced part that is not loaded leaves no hole.

use super::tables::{self, SymbolTable};
use super::{ElfEditor, PAGE, SectionRow};
use crate::bytes::{pod, pods, slice};
use crate::{Error, Result};
use object::LittleEndian as LE;
use object::elf as format;
use object::pod::bytes_of;
use object::{U16, U32, U64};

type ProgramHeader = format::ProgramHeader64<LE>;

pub(super) fn program_headers(data: &[u8]) -> Result<Vec<ProgramHeader>> {
    let header: &format::FileHeader64<LE> = pod(data, 0, "ELF header")?;
    let count = u64::from(header.e_phnum.get(LE));
    Ok(pods(data, header.e_phoff.get(LE), count, "program header table")?.to_vec())
}

pub(super) fn finish(mut editor: ElfEditor) -> Result<Vec<u8>> {
    if !editor.appended {
        // Symbols may have moved; both tables keep their size.
        for table in [&editor.symbols, &editor.dynamic_symbols] {
            write_in_place(&mut editor.bytes, &editor.sections, table);
        }
        return Ok(editor.bytes);
    }
    let moved_to = rebuild_symbols(&mut editor);
    let relative = rebuild_relocations(&mut editor, &moved_to)?;
    let tables = rebuild_dynamic(&mut editor, relative)?;
    lay_out(editor, tables)
}

/// The segment of program headers and loaded tables.
#[derive(Clone, Copy)]
struct Tables {
    address: u64,
    /// Bytes of program headers at its start.
    headers: u64,
    end: u64,
}

fn write_in_place(bytes: &mut [u8], sections: &[SectionRow], table: &SymbolTable) {
    if let Some(section) = table.section {
        let start = sections[section].file_offset as usize;
        let encoded = table.encode();
        // The reader checked the place of a table with rows; an empty one may claim any.
        if !encoded.is_empty() {
            bytes[start..start + encoded.len()].copy_from_slice(&encoded);
        }
    }
}

/// Gives grown symbol tables, their strings and their hash tables new contents. Returns where dynamic symbols went.
fn rebuild_symbols(editor: &mut ElfEditor) -> Vec<u32> {
    let unmoved = (0..editor.dynamic_symbols.rows.len() as u32).collect();
    if editor.symbols.added == 0 {
        write_in_place(&mut editor.bytes, &editor.sections, &editor.symbols);
    } else if let Some(section) = editor.symbols.section {
        set_contents(&mut editor.sections[section], editor.symbols.encode());
        let strings = editor.symbols.strings.clone();
        set_contents(
            &mut editor.sections[editor.symbols.strings_section],
            strings,
        );
    }
    let Some(section) = editor.dynamic_symbols.section else {
        return unmoved;
    };
    if editor.dynamic_symbols.added == 0 {
        write_in_place(&mut editor.bytes, &editor.sections, &editor.dynamic_symbols);
        return unmoved;
    }
    let moved_to = editor.dynamic_symbols.sort_for_hash();
    // Relocations refer to dynamic symbols by index.
    editor.relocations_changed |= !editor.relocations.is_empty();
    let table = &editor.dynamic_symbols;
    set_contents(&mut editor.sections[section], table.encode());
    editor.sections[section].info = table.first_global();
    set_contents(
        &mut editor.sections[table.strings_section],
        table.strings.clone(),
    );
    for row in &mut editor.sections {
        match format::SectionType(row.kind) {
            format::SHT_HASH => set_contents(row, table.system_v_hash()),
            format::SHT_GNU_HASH => set_contents(row, table.gnu_hash()),
            _ => {}
        }
    }
    moved_to
}

fn set_contents(row: &mut SectionRow, contents: Vec<u8>) {
    row.size = contents.len() as u64;
    row.contents = Some(contents);
}

/// Returns the number of relative relocations if the table was rebuilt.
fn rebuild_relocations(editor: &mut ElfEditor, moved_to: &[u32]) -> Result<Option<u64>> {
    if !editor.relocations_changed {
        return Ok(None);
    }
    let (bytes, relative) = tables::encode_relocations(&editor.relocations, moved_to)?;
    let loaded =
        |row: &SectionRow| row.kind == format::SHT_RELA.0 && row.flags & format::SHF_ALLOC.0 != 0;
    if let Some(row) = editor.sections.iter_mut().find(|row| loaded(row)) {
        set_contents(row, bytes);
    } else {
        editor.sections.push(SectionRow {
            name: ".rela.dyn".to_owned(),
            kind: format::SHT_RELA.0,
            flags: format::SHF_ALLOC.0,
            address: 0,
            file_offset: 0,
            size: bytes.len() as u64,
            link: editor.dynamic_symbols.section.unwrap_or(0) as u32,
            info: 0,
            align: 8,
            entry_size: 24,
            contents: Some(bytes),
        });
    }
    Ok(Some(relative))
}

/// `.dynamic` names the tables by address, so they get their addresses here: one read-only segment behind everything
/// else, which starts with the program headers.
fn rebuild_dynamic(editor: &mut ElfEditor, relative: Option<u64>) -> Result<Tables> {
    let tables = editor.next_address;
    let new_segments = editor
        .sections
        .iter()
        .filter(|row| has_own_segment(row))
        .count();
    let headers = 56 * (editor.segments.len() + new_segments + 1) as u64;
    let mut at = tables + headers;

    let refused = |reason| Error::BadEdit {
        what: "the code object".to_owned(),
        reason,
    };
    let dynamic = editor
        .sections
        .iter()
        .position(|row| row.kind == format::SHT_DYNAMIC.0);
    let dynamic = dynamic.ok_or_else(|| refused("it has no .dynamic section"))?;
    let mut entries = dynamic_entries(&editor.bytes, &editor.sections[dynamic])?;
    for row in &mut editor.sections {
        let loaded = row.flags & format::SHF_ALLOC.0 != 0;
        if row.contents.is_none() || !loaded || !is_table(row) {
            continue;
        }
        at = at.next_multiple_of(row.align.clamp(1, PAGE));
        row.address = at;
        at += row.size;
        let (tag, size_tag) = match format::SectionType(row.kind) {
            format::SHT_DYNSYM => (format::DT_SYMTAB, None),
            format::SHT_STRTAB => (format::DT_STRTAB, Some(format::DT_STRSZ)),
            format::SHT_HASH => (format::DT_HASH, None),
            format::SHT_GNU_HASH => (format::DT_GNU_HASH, None),
            format::SHT_RELA => (format::DT_RELA, Some(format::DT_RELASZ)),
            _ => continue,
        };
        set_entry(&mut entries, tag.0, row.address);
        if let Some(size_tag) = size_tag {
            set_entry(&mut entries, size_tag.0, row.size);
        }
    }
    if let Some(relative) = relative {
        set_entry(&mut entries, format::DT_RELAENT.0, 24);
        set_entry(&mut entries, format::DT_RELACOUNT.0, relative);
    }
    let mut bytes: Vec<u8> = Vec::new();
    for (tag, value) in &entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(value.to_le_bytes());
    }
    bytes.extend([0; 16]);
    let row = &mut editor.sections[dynamic];
    if bytes.len() as u64 <= row.size {
        let start = row.file_offset as usize;
        editor.bytes[start..start + bytes.len()].copy_from_slice(&bytes);
    } else {
        row.address = at.next_multiple_of(8);
        at = row.address + bytes.len() as u64;
        set_contents(row, bytes);
        let address = editor.sections[dynamic].address;
        if let Some(symbol) = editor.symbols.find_mut("_DYNAMIC") {
            symbol.value = address;
            let encoded = editor.symbols.encode();
            if let Some(section) = editor.symbols.section {
                match &mut editor.sections[section].contents {
                    Some(contents) => *contents = encoded,
                    None => write_in_place(&mut editor.bytes, &editor.sections, &editor.symbols),
                }
            }
        }
    }
    Ok(Tables {
        address: tables,
        headers,
        end: at,
    })
}

/// Tables go together into the last segment; everything else that is loaded has a segment of its own already.
fn is_table(row: &SectionRow) -> bool {
    let kinds = [
        format::SHT_DYNSYM,
        format::SHT_HASH,
        format::SHT_GNU_HASH,
        format::SHT_RELA,
        format::SHT_DYNAMIC,
    ];
    kinds.iter().any(|kind| kind.0 == row.kind)
        || row.kind == format::SHT_STRTAB.0 && row.flags & format::SHF_ALLOC.0 != 0
}

/// Returns `true` if a section has new contents that are loaded by a segment of their own.
fn has_own_segment(row: &SectionRow) -> bool {
    row.contents.is_some() && row.flags & format::SHF_ALLOC.0 != 0 && !is_table(row)
}

/// Tag and value pairs up to the terminator.
fn dynamic_entries(bytes: &[u8], row: &SectionRow) -> Result<Vec<(i64, u64)>> {
    let entries: &[format::Dyn64<LE>] =
        pods(bytes, row.file_offset, row.size / 16, "dynamic section")?;
    let entries = entries
        .iter()
        .map(|entry| (entry.d_tag.get(LE).0, entry.d_val.get(LE)));
    Ok(entries.take_while(|(tag, _)| *tag != 0).collect())
}

fn set_entry(entries: &mut Vec<(i64, u64)>, tag: i64, value: u64) {
    match entries.iter_mut().find(|(known, _)| *known == tag) {
        Some(entry) => entry.1 = value,
        None => entries.push((tag, value)),
    }
}

/// Appends contents, program headers and section headers, and points the ELF header at them.
fn lay_out(mut editor: ElfEditor, tables: Tables) -> Result<Vec<u8>> {
    let old = std::mem::take(&mut editor.bytes);
    let loaded = &old[..end_of_loaded(&editor).min(old.len() as u64) as usize];
    let unloaded = Unloaded::find(&editor, &old, loaded.len())?;
    let tables_size = tables.end - tables.address;
    // Growing in steps would copy everything again and again.
    let new = editor.sections.iter().enumerate().map(|(index, row)| {
        let contents = unloaded.contents(index, row).unwrap_or_default();
        contents.len() as u64 + row.align.clamp(1, PAGE) + PAGE + row.name.len() as u64 + 128
    });
    let room = loaded.len() as u64 + new.sum::<u64>() + tables_size + 2 * PAGE;
    let mut out = Vec::with_capacity(room as usize);
    out.extend_from_slice(loaded);
    let mut loads = append_own_segments(&mut editor, &mut out);

    pad_to_page(&mut out);
    let tables_offset = out.len() as u64;
    let Tables {
        address: tables_address,
        headers,
        end,
    } = tables;
    let tables_size = end - tables_address;
    out.resize((tables_offset + tables_size) as usize, 0);
    for row in editor
        .sections
        .iter_mut()
        .filter(|row| is_loaded_table(row))
    {
        let Some(contents) = &row.contents else {
            continue;
        };
        row.file_offset = tables_offset + (row.address - tables_address);
        out[row.file_offset as usize..][..contents.len()].copy_from_slice(contents);
    }
    loads.push(load(
        tables_address,
        tables_offset,
        tables_size,
        format::PF_R.0,
    ));

    point_segments_at_sections(&mut editor, tables_offset, tables_address, headers);
    // PT_LOADs are in address order, so new ones follow the last old one.
    let last = editor
        .segments
        .iter()
        .rposition(|segment| segment.p_type.get(LE) == format::PT_LOAD);
    let at = last.map_or(editor.segments.len(), |last| last + 1);
    editor.segments.splice(at..at, loads);
    let mut at = tables_offset as usize;
    for segment in &editor.segments {
        out[at..at + 56].copy_from_slice(bytes_of(segment));
        at += 56;
    }

    unloaded.append(&mut editor.sections, &mut out);
    append_section_headers(&mut editor, &old, &mut out, tables_offset)?;
    Ok(out)
}

/// Appends the sections that have a segment of their own, in address order, and returns their program headers.
fn append_own_segments(editor: &mut ElfEditor, out: &mut Vec<u8>) -> Vec<ProgramHeader> {
    let mut own: Vec<usize> = (0..editor.sections.len())
        .filter(|index| has_own_segment(&editor.sections[*index]))
        .collect();
    own.sort_by_key(|index| editor.sections[*index].address);
    let mut loads = Vec::new();
    for index in own {
        pad_to_page(out);
        let row = &mut editor.sections[index];
        row.file_offset = out.len() as u64;
        let contents = row.contents.as_deref().unwrap_or_default();
        out.extend(contents);
        // The file does not contain memory that starts as zeros.
        loads.push(ProgramHeader {
            p_filesz: U64::new(LE, contents.len() as u64),
            ..load(
                row.address,
                row.file_offset,
                row.size,
                segment_flags(row.flags),
            )
        });
    }
    loads
}

/// The end of the last loaded part. It keeps its place. Everything behind it is written again, without the parts that were replaced.
fn end_of_loaded(editor: &ElfEditor) -> u64 {
    let stays = editor.sections.iter().filter(|row| {
        let loaded = row.flags & format::SHF_ALLOC.0 != 0;
        loaded && row.contents.is_none() && row.kind != format::SHT_NOBITS.0
    });
    let sections = stays.map(|row| row.file_offset.saturating_add(row.size));
    let segments = editor.segments.iter().map(|segment| {
        let start = segment.p_offset.get(LE);
        start.saturating_add(segment.p_filesz.get(LE))
    });
    let start = size_of::<format::FileHeader64<LE>>() as u64;
    sections.chain(segments).fold(start, u64::max)
}

/// Sections that are not loaded and do not lie among those that are.
struct Unloaded<'o> {
    /// By section, those that keep their contents.
    kept: Vec<Option<&'o [u8]>>,
}

impl<'o> Unloaded<'o> {
    /// For an object whose first `loaded` bytes stay where they are.
    fn find(editor: &ElfEditor, old: &'o [u8], loaded: usize) -> Result<Unloaded<'o>> {
        let names = names_index(old)?;
        let rows = editor.sections.iter().enumerate();
        let kept = rows.map(|(index, row)| {
            let kind = format::SectionType(row.kind);
            // Names are written anew.
            let elsewhere =
                [format::SHT_NULL, format::SHT_NOBITS].contains(&kind) || index == names;
            if !is_unloaded(row) || row.contents.is_some() || elsewhere {
                return Ok(None);
            }
            let bytes = slice(old, row.file_offset, row.size, "section")?;
            Ok((row.file_offset + row.size > loaded as u64).then_some(bytes))
        });
        let kept = kept.collect::<Result<_>>()?;
        Ok(Unloaded { kept })
    }

    /// The bytes that are written for a section.
    fn contents<'r>(&self, index: usize, row: &'r SectionRow) -> Option<&'r [u8]>
    where
        'o: 'r,
    {
        row.contents.as_deref().or(self.kept[index])
    }

    fn append(&self, sections: &mut [SectionRow], out: &mut Vec<u8>) {
        for (index, row) in sections.iter_mut().enumerate() {
            if !is_unloaded(row) {
                continue;
            }
            let align = row.align.clamp(1, PAGE) as usize;
            let Some(contents) = self.contents(index, row) else {
                continue;
            };
            out.resize(out.len().next_multiple_of(align), 0);
            let file_offset = out.len() as u64;
            out.extend_from_slice(contents);
            row.file_offset = file_offset;
        }
    }
}

fn is_unloaded(row: &SectionRow) -> bool {
    row.flags & format::SHF_ALLOC.0 == 0
}

/// The index of the section with the sections' names.
fn names_index(bytes: &[u8]) -> Result<usize> {
    let header: &format::FileHeader64<LE> = pod(bytes, 0, "ELF header")?;
    Ok(usize::from(header.e_shstrndx.get(LE).0))
}

fn is_loaded_table(row: &SectionRow) -> bool {
    is_table(row) && row.flags & format::SHF_ALLOC.0 != 0
}

fn pad_to_page(out: &mut Vec<u8>) {
    out.resize(out.len().next_multiple_of(PAGE as usize), 0);
}

fn segment_flags(section_flags: u64) -> u32 {
    let write = if section_flags & format::SHF_WRITE.0 != 0 {
        format::PF_W.0
    } else {
        0
    };
    let execute = if section_flags & format::SHF_EXECINSTR.0 != 0 {
        format::PF_X.0
    } else {
        0
    };
    format::PF_R.0 | write | execute
}

fn load(address: u64, file_offset: u64, size: u64, flags: u32) -> ProgramHeader {
    ProgramHeader {
        p_type: U32::new(LE, format::PT_LOAD),
        p_flags: U32::new(LE, format::ProgramFlags(flags)),
        p_offset: U64::new(LE, file_offset),
        p_vaddr: U64::new(LE, address),
        p_paddr: U64::new(LE, address),
        p_filesz: U64::new(LE, size),
        p_memsz: U64::new(LE, size),
        p_align: U64::new(LE, PAGE),
    }
}

/// Segments that describe one section or the program headers follow them.
fn point_segments_at_sections(
    editor: &mut ElfEditor,
    tables_offset: u64,
    tables_address: u64,
    headers: u64,
) {
    let sections = &editor.sections;
    for segment in &mut editor.segments {
        let mut point = |address: u64, offset: u64, size: u64| {
            segment.p_vaddr = U64::new(LE, address);
            segment.p_paddr = U64::new(LE, address);
            segment.p_offset = U64::new(LE, offset);
            segment.p_filesz = U64::new(LE, size);
            segment.p_memsz = U64::new(LE, size);
        };
        let moved = |kind: format::SectionType| {
            sections
                .iter()
                .find(|row| row.kind == kind.0 && row.contents.is_some())
        };
        match segment.p_type.get(LE) {
            format::PT_PHDR => point(tables_address, tables_offset, headers),
            format::PT_DYNAMIC => {
                if let Some(row) = moved(format::SHT_DYNAMIC) {
                    point(row.address, row.file_offset, row.size);
                }
            }
            format::PT_NOTE => {
                if let Some(row) = moved(format::SHT_NOTE) {
                    point(row.address, row.file_offset, row.size);
                }
            }
            _ => {}
        }
    }
}

/// Appends the section names and headers, and completes the ELF header.
fn append_section_headers(
    editor: &mut ElfEditor,
    old: &[u8],
    out: &mut Vec<u8>,
    program_headers: u64,
) -> Result<()> {
    let header: &format::FileHeader64<LE> = pod(old, 0, "ELF header")?;
    let mut header = *header;
    let names_index = names_index(old)?;
    let refused = |reason| Error::BadEdit {
        what: "the code object".to_owned(),
        reason,
    };
    if editor.sections.len() >= 0xff00 || names_index == 0 || names_index >= editor.sections.len() {
        return Err(refused("it has too many sections"));
    }
    let mut names = vec![0u8];
    let mut name_offsets = Vec::with_capacity(editor.sections.len());
    for row in &editor.sections {
        name_offsets.push(if row.name.is_empty() {
            0
        } else {
            names.len() as u32
        });
        if !row.name.is_empty() {
            names.extend(row.name.as_bytes());
            names.push(0);
        }
    }
    let row = &mut editor.sections[names_index];
    row.file_offset = out.len() as u64;
    row.size = names.len() as u64;
    out.extend_from_slice(&names);
    out.resize(out.len().next_multiple_of(8), 0);
    let table_offset = out.len() as u64;
    for (row, name) in editor.sections.iter().zip(name_offsets) {
        let header: format::SectionHeader64<LE> = format::SectionHeader64 {
            sh_name: U32::new(LE, name),
            sh_type: U32::new(LE, format::SectionType(row.kind)),
            sh_flags: U64::new(LE, format::SectionFlags(row.flags)),
            sh_addr: U64::new(LE, row.address),
            sh_offset: U64::new(LE, row.file_offset),
            sh_size: U64::new(LE, row.size),
            sh_link: U32::new(LE, row.link),
            sh_info: U32::new(LE, row.info),
            sh_addralign: U64::new(LE, row.align),
            sh_entsize: U64::new(LE, row.entry_size),
        };
        out.extend(bytes_of(&header));
    }
    header.e_phoff = U64::new(LE, program_headers);
    header.e_phnum = U16::new(LE, editor.segments.len() as u16);
    header.e_shoff = U64::new(LE, table_offset);
    header.e_shnum = U16::new(LE, editor.sections.len() as u16);
    out[..64].copy_from_slice(bytes_of(&header));
    Ok(())
}
