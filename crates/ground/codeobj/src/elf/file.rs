//! One 64-bit little-endian ELF file, device or host: sections, segments, symbols, relocations, notes.

use crate::bytes::{pod, pods, slice, string};
use crate::{Error, Result};
use object::LittleEndian as LE;
use object::elf;

/// A section header with its bytes.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    /// Position in the section table.
    pub index: usize,
    /// From the section name table.
    pub name: &'a str,
    /// `SHT_*`.
    pub kind: u32,
    /// `SHF_*`.
    pub flags: u64,
    /// 0 if it is not loaded.
    pub address: u64,
    /// File offset of its contents, in bytes.
    pub file_offset: u64,
    /// Bytes in memory; [`Section::data`] is empty for `SHT_NOBITS`.
    pub size: u64,
    /// `sh_link`.
    pub link: u32,
    /// `sh_info`.
    pub info: u32,
    /// Alignment of its address, in bytes.
    pub align: u64,
    /// Bytes of each entry, if it is a table.
    pub entry_size: u64,
    /// Its contents; empty for sections without any in the file.
    pub data: &'a [u8],
}

impl Section<'_> {
    /// Returns `true` if it is loaded with the program.
    pub fn is_allocated(&self) -> bool {
        self.flags & elf::SHF_ALLOC.0 != 0
    }

    /// Returns `true` if it is loaded and holds instructions.
    pub fn is_code(&self) -> bool {
        self.is_allocated() && self.flags & elf::SHF_EXECINSTR.0 != 0
    }
}

/// A program header with its bytes.
#[derive(Clone, Debug)]
pub struct Segment<'a> {
    /// `PT_*`.
    pub kind: u32,
    /// `PF_*`: 1 execute, 2 write, 4 read.
    pub flags: u32,
    /// File offset of its contents, in bytes.
    pub file_offset: u64,
    /// The address at which it is loaded.
    pub address: u64,
    /// Bytes that it takes up when it is loaded.
    pub memory_size: u64,
    /// Alignment of its address, in bytes.
    pub align: u64,
    /// Bytes from the file; the rest of `memory_size` is zero.
    pub data: &'a [u8],
}

/// The section that defines a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SymbolSection {
    /// `SHN_UNDEF`: elsewhere.
    Undefined,
    /// `SHN_ABS`: its value is a number and no address.
    Absolute,
    /// `SHN_COMMON`: a linker makes room for it.
    Common,
    /// In the section with this index.
    Section(usize),
}

/// `STT_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SymbolKind {
    /// `STT_NOTYPE`.
    NoType,
    /// `STT_OBJECT`: data.
    Object,
    /// `STT_FUNC`: code.
    Function,
    /// `STT_SECTION`.
    Section,
    /// `STT_FILE`.
    File,
    /// Any other `STT_*` value.
    Raw(u8),
}

/// `STB_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Binding {
    /// `STB_LOCAL`: known in its own file.
    Local,
    /// `STB_GLOBAL`: known to all.
    Global,
    /// `STB_WEAK`: known to all, and gives way to a global one.
    Weak,
    /// Any other `STB_*` value.
    Raw(u8),
}

/// One entry of `.symtab` or `.dynsym`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol<'a> {
    /// Index in its table.
    pub index: usize,
    /// From the string table.
    pub name: &'a str,
    /// Address in a linked object, offset in its section in a relocatable one.
    pub value: u64,
    /// In bytes.
    pub size: u64,
    /// The kind of thing that it names.
    pub kind: SymbolKind,
    /// Its visibility to other files.
    pub binding: Binding,
    /// `STV_*`: 0 default, 1 internal, 2 hidden, 3 protected.
    pub visibility: u8,
    /// The section that defines it.
    pub section: SymbolSection,
}

impl Symbol<'_> {
    /// Returns `true` if this file defines it.
    pub fn is_defined(&self) -> bool {
        self.section != SymbolSection::Undefined
    }
}

/// One entry of a `SHT_REL` or `SHT_RELA` section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Address in a linked object, offset in the relocated section in a relocatable one.
    pub offset: u64,
    /// `R_AMDGPU_*` (or the host machine's) number.
    pub kind: u32,
    /// Index in the symbol table the section links to; 0: none.
    pub symbol: u32,
    /// `None` in `SHT_REL` sections, whose addend is in the relocated bytes.
    pub addend: Option<i64>,
}

/// One ELF note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note<'a> {
    /// The owner, which gives the note its meaning.
    pub owner: &'a [u8],
    /// The kind of note, as the owner numbers them.
    pub kind: u32,
    /// The contents.
    pub description: &'a [u8],
    /// File offset of the description.
    pub file_offset: u64,
}

/// A parsed ELF file.
#[derive(Clone, Debug)]
pub struct Elf<'a> {
    /// The whole file.
    pub data: &'a [u8],
    /// `EM_*`.
    pub machine: u16,
    /// `ET_*`.
    pub kind: u16,
    /// `EI_OSABI`.
    pub os_abi: u8,
    /// `EI_ABIVERSION`.
    pub abi_version: u8,
    /// `e_flags`.
    pub flags: u32,
    /// In the order of the section table.
    pub sections: Vec<Section<'a>>,
    /// In the order of the program headers.
    pub segments: Vec<Segment<'a>>,
}

impl<'a> Elf<'a> {
    /// Returns `true` if `data` starts as an ELF file does.
    pub fn is_elf(data: &[u8]) -> bool {
        data.starts_with(&elf::ELFMAG)
    }

    /// Reads headers and names; fails if any section or segment lies outside `data`.
    pub fn parse(data: &'a [u8]) -> Result<Elf<'a>> {
        if !Elf::is_elf(data) {
            return Err(Error::NotCodeObject {
                reason: "it does not start with the ELF magic number",
            });
        }
        let header: &elf::FileHeader64<LE> = pod(data, 0, "ELF header")?;
        if header.e_ident.class != elf::ELFCLASS64 || header.e_ident.data != elf::ELFDATA2LSB {
            return Err(Error::NotCodeObject {
                reason: "it is not a 64-bit little-endian ELF file",
            });
        }
        let sections = sections(data, header)?;
        let segments = segments(data, header)?;
        Ok(Elf {
            data,
            machine: header.e_machine.get(LE).0,
            kind: header.e_type.get(LE).0,
            os_abi: header.e_ident.os_abi.0,
            abi_version: header.e_ident.abi_version,
            flags: header.e_flags.get(LE).0,
            sections,
            segments,
        })
    }

    /// The section with this name, if there is one.
    pub fn section(&self, name: &str) -> Option<&Section<'a>> {
        self.sections.iter().find(|section| section.name == name)
    }

    /// Entries of the first symbol table of type `SHT_SYMTAB` or `SHT_DYNSYM`; none if there is no such table.
    pub fn symbols(&self, table_kind: u32) -> Result<Vec<Symbol<'a>>> {
        let Some(table) = self
            .sections
            .iter()
            .find(|section| section.kind == table_kind)
        else {
            return Ok(Vec::new());
        };
        let names = self
            .sections
            .get(table.link as usize)
            .ok_or(Error::Malformed {
                what: "symbol table",
                offset: table.file_offset,
                reason: "its string table does not exist",
            })?;
        let count = table.data.len() as u64 / size_of::<elf::Sym64<LE>>() as u64;
        let entries: &[elf::Sym64<LE>] = pods(table.data, 0, count, "symbol table")?;
        entries
            .iter()
            .enumerate()
            .map(|(index, entry)| symbol(index, entry, names))
            .collect()
    }

    /// Entries of a `SHT_REL` or `SHT_RELA` section.
    pub fn relocations(&self, section: &Section<'a>) -> Result<Vec<Relocation>> {
        let bytes = section.data;
        if section.kind == elf::SHT_RELA.0 {
            let count = bytes.len() as u64 / size_of::<elf::Rela64<LE>>() as u64;
            let entries: &[elf::Rela64<LE>] = pods(bytes, 0, count, "relocation section")?;
            let relocation = |entry: &elf::Rela64<LE>| Relocation {
                addend: Some(entry.r_addend.get(LE)),
                ..relocation(entry.r_offset.get(LE), entry.r_info.get(LE))
            };
            Ok(entries.iter().map(relocation).collect())
        } else if section.kind == elf::SHT_REL.0 {
            let count = bytes.len() as u64 / size_of::<elf::Rel64<LE>>() as u64;
            let entries: &[elf::Rel64<LE>] = pods(bytes, 0, count, "relocation section")?;
            Ok(entries
                .iter()
                .map(|entry| relocation(entry.r_offset.get(LE), entry.r_info.get(LE)))
                .collect())
        } else {
            Ok(Vec::new())
        }
    }

    /// Notes of every note section, or of the note segments if there are no section headers.
    pub fn notes(&self) -> Result<Vec<Note<'a>>> {
        let mut places: Vec<(&[u8], u64)> = Vec::new();
        let sections = self
            .sections
            .iter()
            .filter(|section| section.kind == elf::SHT_NOTE.0);
        places.extend(sections.map(|section| (section.data, section.file_offset)));
        if places.is_empty() {
            let segments = self
                .segments
                .iter()
                .filter(|segment| segment.kind == elf::PT_NOTE.0);
            places.extend(segments.map(|segment| (segment.data, segment.file_offset)));
        }
        let mut notes = Vec::new();
        for (bytes, file_offset) in places {
            read_notes(bytes, file_offset, &mut notes)?;
        }
        Ok(notes)
    }

    /// File bytes loaded at `address`, as many as there are up to `length`; `None` if nothing from the file is there.
    pub fn bytes_at(&self, address: u64, length: u64) -> Option<&'a [u8]> {
        let loaded = self
            .segments
            .iter()
            .filter(|segment| segment.kind == elf::PT_LOAD.0);
        for segment in loaded {
            let Some(start) = address.checked_sub(segment.address) else {
                continue;
            };
            let available = segment.data.len() as u64;
            if start < available {
                let end = start.saturating_add(length).min(available);
                return Some(&segment.data[start as usize..end as usize]);
            }
        }
        None
    }

    /// The file offset of the byte that is loaded at `address`.
    pub fn file_offset_of(&self, address: u64) -> Option<u64> {
        let loaded = self
            .segments
            .iter()
            .filter(|segment| segment.kind == elf::PT_LOAD.0);
        for segment in loaded {
            let Some(start) = address.checked_sub(segment.address) else {
                continue;
            };
            if start < segment.data.len() as u64 {
                return Some(segment.file_offset + start);
            }
        }
        None
    }
}

fn sections<'a>(data: &'a [u8], header: &elf::FileHeader64<LE>) -> Result<Vec<Section<'a>>> {
    let table_offset = header.e_shoff.get(LE);
    if table_offset == 0 {
        return Ok(Vec::new());
    }
    if usize::from(header.e_shentsize.get(LE)) != size_of::<elf::SectionHeader64<LE>>() {
        return Err(Error::Malformed {
            what: "ELF header",
            offset: 0x3a,
            reason: "unknown section header size",
        });
    }
    let first: &elf::SectionHeader64<LE> = pod(data, table_offset, "section header table")?;
    // Counts that do not fit the header's 16 bits are in the first section header.
    let count = match u64::from(header.e_shnum.get(LE)) {
        0 => first.sh_size.get(LE),
        count => count,
    };
    let names_index = match header.e_shstrndx.get(LE) {
        elf::SHN_XINDEX => first.sh_link.get(LE),
        index => u32::from(index.0),
    };
    let headers: &[elf::SectionHeader64<LE>] =
        pods(data, table_offset, count, "section header table")?;
    let names = match headers.get(names_index as usize) {
        Some(names) if names_index != 0 => names,
        _ => {
            let reason = "the section name table does not exist";
            return Err(Error::Malformed {
                what: "ELF header",
                offset: 0x3e,
                reason,
            });
        }
    };
    let names_offset = names.sh_offset.get(LE);
    let names = slice(
        data,
        names_offset,
        names.sh_size.get(LE),
        "section name table",
    )?;
    let mut sections = Vec::with_capacity(headers.len());
    for (index, header) in headers.iter().enumerate() {
        let kind = header.sh_type.get(LE).0;
        let file_offset = header.sh_offset.get(LE);
        let size = header.sh_size.get(LE);
        // Section 0 holds overflow counts, not a place.
        let occupies_file = index != 0 && kind != elf::SHT_NOBITS.0 && kind != elf::SHT_NULL.0;
        let bytes = if occupies_file {
            slice(data, file_offset, size, "section")?
        } else {
            &[]
        };
        sections.push(Section {
            index,
            name: string(
                names,
                u64::from(header.sh_name.get(LE)),
                names_offset,
                "section name",
            )?,
            kind,
            flags: header.sh_flags.get(LE).0,
            address: header.sh_addr.get(LE),
            file_offset,
            size: if index == 0 { 0 } else { size },
            link: header.sh_link.get(LE),
            info: header.sh_info.get(LE),
            align: header.sh_addralign.get(LE),
            entry_size: header.sh_entsize.get(LE),
            data: bytes,
        });
    }
    Ok(sections)
}

fn segments<'a>(data: &'a [u8], header: &elf::FileHeader64<LE>) -> Result<Vec<Segment<'a>>> {
    let table_offset = header.e_phoff.get(LE);
    let count = u64::from(header.e_phnum.get(LE));
    if table_offset == 0 || count == 0 {
        return Ok(Vec::new());
    }
    if usize::from(header.e_phentsize.get(LE)) != size_of::<elf::ProgramHeader64<LE>>() {
        return Err(Error::Malformed {
            what: "ELF header",
            offset: 0x36,
            reason: "unknown program header size",
        });
    }
    let headers: &[elf::ProgramHeader64<LE>] =
        pods(data, table_offset, count, "program header table")?;
    let mut segments = Vec::with_capacity(headers.len());
    for (index, header) in headers.iter().enumerate() {
        let what = "program segment";
        let damaged = |reason| Error::Malformed {
            what,
            offset: table_offset + 56 * index as u64,
            reason,
        };
        let address = header.p_vaddr.get(LE);
        let memory_size = header.p_memsz.get(LE);
        let loaded = header.p_type.get(LE) == elf::PT_LOAD;
        if loaded && memory_size < header.p_filesz.get(LE) {
            return Err(damaged("it is larger in the file than in memory"));
        }
        if loaded && address.checked_add(memory_size).is_none() {
            return Err(damaged("it wraps around the address space"));
        }
        segments.push(Segment {
            kind: header.p_type.get(LE).0,
            flags: header.p_flags.get(LE).0,
            file_offset: header.p_offset.get(LE),
            address,
            memory_size,
            align: header.p_align.get(LE),
            data: slice(data, header.p_offset.get(LE), header.p_filesz.get(LE), what)?,
        });
    }
    Ok(segments)
}

fn symbol<'a>(index: usize, entry: &elf::Sym64<LE>, names: &Section<'a>) -> Result<Symbol<'a>> {
    let name = u64::from(entry.st_name.get(LE));
    let kind = match entry.st_info.0 & 0xf {
        0 => SymbolKind::NoType,
        1 => SymbolKind::Object,
        2 => SymbolKind::Function,
        3 => SymbolKind::Section,
        4 => SymbolKind::File,
        raw => SymbolKind::Raw(raw),
    };
    let binding = match entry.st_info.0 >> 4 {
        0 => Binding::Local,
        1 => Binding::Global,
        2 => Binding::Weak,
        raw => Binding::Raw(raw),
    };
    let section = match entry.st_shndx.get(LE) {
        elf::SHN_UNDEF => SymbolSection::Undefined,
        elf::SHN_ABS => SymbolSection::Absolute,
        elf::SHN_COMMON => SymbolSection::Common,
        index => SymbolSection::Section(usize::from(index.0)),
    };
    Ok(Symbol {
        index,
        name: if names.data.is_empty() {
            ""
        } else {
            string(names.data, name, names.file_offset, "symbol name")?
        },
        value: entry.st_value.get(LE),
        size: entry.st_size.get(LE),
        kind,
        binding,
        visibility: entry.st_other.0 & 3,
        section,
    })
}

fn relocation(offset: u64, info: u64) -> Relocation {
    Relocation {
        offset,
        kind: info as u32,
        symbol: (info >> 32) as u32,
        addend: None,
    }
}

/// Appends the notes in `bytes`, which lie at `base` of the file. Names and descriptions are padded to 4 bytes.
fn read_notes<'a>(bytes: &'a [u8], base: u64, notes: &mut Vec<Note<'a>>) -> Result<()> {
    // Offsets in errors count from the file's start, hence not `bytes::slice` with a local offset.
    let cut = |needed: u64, at: u64| Error::Truncated {
        what: "ELF note",
        offset: base + at,
        needed,
        available: (bytes.len() as u64).saturating_sub(at),
    };
    let mut at = 0u64;
    // Trailing padding shorter than a header is not a note.
    while at + 12 <= bytes.len() as u64 {
        let header: &elf::NoteHeader64<LE> = pod(bytes, at, "ELF note")?;
        let name_size = u64::from(header.n_namesz.get(LE));
        let size = u64::from(header.n_descsz.get(LE));
        let owner_at = at + 12;
        let owner = slice(bytes, owner_at, name_size, "").map_err(|_| cut(name_size, owner_at))?;
        let description_at = (owner_at + name_size).next_multiple_of(4);
        let description =
            slice(bytes, description_at, size, "").map_err(|_| cut(size, description_at))?;
        notes.push(Note {
            owner: owner.strip_suffix(b"\0").unwrap_or(owner),
            kind: header.n_type.get(LE).0,
            description,
            file_offset: base + description_at,
        });
        at = (description_at + size).next_multiple_of(4);
    }
    Ok(())
}
