//! Changing a linked code object and writing it back.
//!
//! Existing bytes keep their addresses, because code addresses its data relative to itself. A section that grows gets a new place
//! behind the image, in a segment of its own. An unchanged object is written back byte by byte. [`create`] makes an object of one
//! kernel from nothing, and [`pack`] one of several such.

mod create;
mod debug;
mod own_units;
mod pack;
mod tables;
mod write;

pub use create::{Created, NewObject, create};
pub use debug::{CodeLines, InlinedCall, LineRow, LineUnit, append_lines};
pub use pack::pack;

use crate::elf::{Binding, Elf, SymbolKind, SymbolSection};
use crate::{CodeObject, Error, KernelDescriptor, Metadata, Result};
use object::LittleEndian as LE;
use object::elf as format;
use tables::{RelaRow, SymbolRow, SymbolTable};

/// Segments start on this boundary, in memory and in the file.
const PAGE: u64 = 4096;

/// Relocation types the ROCr loader applies to a linked object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DynamicRelocation {
    /// Low half of symbol + addend.
    Abs32Lo,
    /// High half of symbol + addend.
    Abs32Hi,
    /// Symbol + addend.
    Abs64,
    /// Load address + addend.
    Relative64,
}

impl DynamicRelocation {
    /// `R_AMDGPU_*`.
    pub fn number(self) -> u32 {
        match self {
            DynamicRelocation::Abs32Lo => 1,
            DynamicRelocation::Abs32Hi => 2,
            DynamicRelocation::Abs64 => 3,
            DynamicRelocation::Relative64 => 13,
        }
    }
}

/// Permissions for the memory of an appended section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Data that does not change.
    Read,
    /// Data that programs change.
    ReadWrite,
    /// Code.
    Execute,
}

/// A symbol to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSymbol {
    /// The name by which others look it up.
    pub name: String,
    /// Address.
    pub value: u64,
    /// In bytes.
    pub size: u64,
    /// The kind of thing that it names.
    pub kind: SymbolKind,
    /// Not [`Binding::Local`]: local symbols come first in a table, which is full.
    pub binding: Binding,
    /// `STV_*`.
    pub visibility: u8,
    /// The section that defines it.
    pub section: SymbolSection,
}

impl NewSymbol {
    /// A symbol that someone else defines. The ROCr loader looks up externals only if they have no type.
    pub fn undefined(name: &str) -> NewSymbol {
        NewSymbol {
            name: name.to_owned(),
            value: 0,
            size: 0,
            kind: SymbolKind::NoType,
            binding: Binding::Global,
            visibility: 0,
            section: SymbolSection::Undefined,
        }
    }
}

/// A section header that can change.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SectionRow {
    name: String,
    kind: u32,
    flags: u64,
    address: u64,
    file_offset: u64,
    size: u64,
    link: u32,
    info: u32,
    align: u64,
    entry_size: u64,
    /// New contents, which get a place in the file when it is written.
    contents: Option<Vec<u8>>,
}

/// A code object being changed.
#[derive(Clone, Debug)]
pub struct ElfEditor {
    bytes: Vec<u8>,
    /// While nothing is appended, changes are made in `bytes`.
    appended: bool,
    sections: Vec<SectionRow>,
    segments: Vec<format::ProgramHeader64<object::LittleEndian>>,
    symbols: SymbolTable,
    dynamic_symbols: SymbolTable,
    relocations: Vec<RelaRow>,
    relocations_changed: bool,
    /// The first address of new contents.
    first_address: u64,
    next_address: u64,
}

impl ElfEditor {
    /// Starts from a linked code object.
    pub fn new(data: &[u8]) -> Result<ElfEditor> {
        let object = CodeObject::parse(data)?;
        let refused = |reason| Error::BadEdit {
            what: "the code object".to_owned(),
            reason,
        };
        if !object.is_linked() {
            return Err(refused("it is relocatable; link it first (ld.lld -shared)"));
        }
        let elf = object.elf();
        if elf.sections.is_empty() || elf.section(".dynamic").is_none() {
            return Err(refused("it has no section headers"));
        }
        let end = object.image().size;
        // Real images have a few hundred megabytes at most; this keeps all further address arithmetic in range.
        if end > 1 << 47 {
            return Err(refused("its addresses leave no room"));
        }
        let next = page_after(end).ok_or_else(|| refused("its addresses leave no room"))?;
        Ok(ElfEditor {
            bytes: data.to_vec(),
            appended: false,
            sections: elf.sections.iter().map(SectionRow::new).collect(),
            segments: write::program_headers(data)?,
            symbols: SymbolTable::read(elf, format::SHT_SYMTAB.0)?,
            dynamic_symbols: SymbolTable::read(elf, format::SHT_DYNSYM.0)?,
            relocations: tables::relocations(elf)?,
            relocations_changed: false,
            first_address: next,
            next_address: next,
        })
    }

    /// Overwrites bytes of the loaded image that are in the file.
    pub fn write_at(&mut self, address: u64, bytes: &[u8]) -> Result<()> {
        // Appended sections first: they are not in `self.bytes` yet.
        let new = address >= self.first_address;
        for section in self.sections.iter_mut().filter(|_| new) {
            let Some(contents) = &mut section.contents else {
                continue;
            };
            if section.address == 0 || address < section.address {
                continue;
            }
            let start = (address - section.address) as usize;
            let end = start.checked_add(bytes.len());
            if let Some(place) = end.and_then(|end| contents.get_mut(start..end)) {
                place.copy_from_slice(bytes);
                return Ok(());
            }
        }
        let outside = || Error::BadEdit {
            what: format!("{} bytes at {address:#x}", bytes.len()),
            reason: "they are not in the file",
        };
        let at = self
            .in_file(address, bytes.len() as u64)
            .ok_or_else(outside)?;
        let place = self
            .bytes
            .get_mut(at..at + bytes.len())
            .ok_or_else(outside)?;
        place.copy_from_slice(bytes);
        Ok(())
    }

    /// The offset in the file of `length` bytes of the original image.
    fn in_file(&self, address: u64, length: u64) -> Option<usize> {
        let mut loaded = self
            .segments
            .iter()
            .filter(|segment| segment.p_type.get(LE) == format::PT_LOAD);
        let segment = loaded.find(|segment| {
            let start = address.checked_sub(segment.p_vaddr.get(LE));
            start.is_some_and(|start| start < segment.p_filesz.get(LE))
        })?;
        let start = address - segment.p_vaddr.get(LE);
        let inside = start.checked_add(length)? <= segment.p_filesz.get(LE);
        let at = segment.p_offset.get(LE).checked_add(start)?;
        usize::try_from(at).ok().filter(|_| inside)
    }

    /// Writes a kernel's descriptor back to its place.
    pub fn set_descriptor(&mut self, kernel: &str, descriptor: &KernelDescriptor) -> Result<()> {
        let name = format!("{kernel}.kd");
        let row = self
            .symbols
            .find(&name)
            .or_else(|| self.dynamic_symbols.find(&name));
        let missing = || {
            let rows = self.symbols.rows.iter().chain(&self.dynamic_symbols.rows);
            let mut known: Vec<_> = rows
                .filter_map(|row| row.name.strip_suffix(".kd"))
                .collect();
            known.sort_unstable();
            known.dedup();
            Error::NoSuchKernel {
                name: kernel.to_owned(),
                known: known.join(", "),
            }
        };
        let address = row.ok_or_else(missing)?.value;
        self.write_at(address, descriptor.bytes())
    }

    /// Appends a loaded section; returns its index and address. The address is final: later appends go behind it.
    pub fn append_section(
        &mut self,
        name: &str,
        access: Access,
        align: u64,
        contents: Vec<u8>,
    ) -> Result<(usize, u64)> {
        let flags = match access {
            Access::Read => 0,
            Access::ReadWrite => format::SHF_WRITE.0,
            Access::Execute => format::SHF_EXECINSTR.0,
        };
        let size = contents.len() as u64;
        let kind = format::SHT_PROGBITS;
        self.append(name, (kind, flags), align, size, contents)
    }

    /// Appends a loaded section that may be written and starts as zeros, which take no room in the file; likewise.
    pub fn append_zeros(&mut self, name: &str, align: u64, size: u64) -> Result<(usize, u64)> {
        let kind = (format::SHT_NOBITS, format::SHF_WRITE.0);
        self.append(name, kind, align, size, Vec::new())
    }

    fn append(
        &mut self,
        name: &str,
        (kind, flags): (format::SectionType, u64),
        align: u64,
        size: u64,
        contents: Vec<u8>,
    ) -> Result<(usize, u64)> {
        let (address, size) = self.place(name, align, size)?;
        self.sections.push(SectionRow {
            name: name.to_owned(),
            kind: kind.0,
            flags: format::SHF_ALLOC.0 | flags,
            address,
            file_offset: 0,
            size,
            link: 0,
            info: 0,
            align: align.max(1),
            entry_size: 0,
            contents: Some(contents),
        });
        Ok((self.sections.len() - 1, address))
    }

    /// Gives a section other contents. Loaded sections get a new address, which is returned (0 for others); their old
    /// bytes stay loaded where they were, and symbols stay where they are until [`ElfEditor::move_symbol`].
    pub fn replace_section(&mut self, name: &str, contents: Vec<u8>) -> Result<u64> {
        let missing = || Error::NoSuchSection {
            name: name.to_owned(),
        };
        let index = self
            .sections
            .iter()
            .position(|section| section.name == name)
            .ok_or_else(missing)?;
        let row = &self.sections[index];
        let loaded = row.flags & format::SHF_ALLOC.0 != 0;
        let (address, size) = if loaded {
            self.place(name, row.align, contents.len() as u64)?
        } else {
            (0, contents.len() as u64)
        };
        self.appended = true;
        let row = &mut self.sections[index];
        row.address = address;
        row.size = size;
        row.contents = Some(contents);
        if row.kind == format::SHT_NOBITS.0 {
            row.kind = format::SHT_PROGBITS.0;
        }
        Ok(address)
    }

    fn place(&mut self, name: &str, align: u64, size: u64) -> Result<(u64, u64)> {
        let refused = |reason| Error::BadEdit {
            what: format!("section {name:?}"),
            reason,
        };
        if align > PAGE || (align != 0 && !align.is_power_of_two()) {
            return Err(refused("its alignment is no power of two up to 4096"));
        }
        let address = self.next_address;
        let end = address.checked_add(size.max(1)).and_then(page_after);
        self.next_address = end.ok_or_else(|| refused("its addresses leave no room"))?;
        self.appended = true;
        Ok((address, size))
    }

    /// Moves a symbol, in both tables.
    pub fn move_symbol(&mut self, name: &str, address: u64, size: u64) -> Result<()> {
        let section = self.section_at(address);
        let mut found = false;
        for table in [&mut self.symbols, &mut self.dynamic_symbols] {
            if let Some(row) = table.find_mut(name) {
                row.value = address;
                row.size = size;
                if let Some(section) = section {
                    row.section = section as u16;
                }
                found = true;
            }
        }
        let missing = Error::BadEdit {
            what: format!("symbol {name:?}"),
            reason: "there is none",
        };
        if found { Ok(()) } else { Err(missing) }
    }

    fn section_at(&self, address: u64) -> Option<usize> {
        let inside = |section: &SectionRow| {
            let loaded = section.flags & format::SHF_ALLOC.0 != 0;
            loaded
                && (section.address..section.address.saturating_add(section.size))
                    .contains(&address)
        };
        self.sections.iter().position(inside)
    }

    /// Adds a global or weak symbol to both tables.
    pub fn add_symbol(&mut self, symbol: &NewSymbol) -> Result<()> {
        let refused = |reason| Error::BadEdit {
            what: format!("symbol {:?}", symbol.name),
            reason,
        };
        if symbol.binding == Binding::Local {
            return Err(refused("local symbols cannot be added"));
        }
        if symbol.name.contains('\0') {
            return Err(refused("its name contains a zero byte"));
        }
        if self.dynamic_symbols.find(&symbol.name).is_some() {
            return Err(refused("it exists already"));
        }
        self.dynamic_symbols.add(symbol);
        if self.symbols.exists() {
            self.symbols.add(symbol);
        }
        self.appended = true;
        Ok(())
    }

    /// Adds a relocation of the word(s) at `address`, against a dynamic symbol or (`None`) the load address.
    pub fn add_relocation(
        &mut self,
        address: u64,
        kind: DynamicRelocation,
        symbol: Option<&str>,
        addend: i64,
    ) -> Result<()> {
        let refused = |reason| Error::BadEdit {
            what: format!("relocation at {address:#x}"),
            reason,
        };
        if (kind == DynamicRelocation::Relative64) != symbol.is_none() {
            return Err(refused(
                "relative relocations have no symbol, all others have one",
            ));
        }
        let unknown = || refused("its symbol is not in the dynamic symbol table");
        let find = |name| self.dynamic_symbols.position(name).ok_or_else(unknown);
        let symbol = symbol.map(find).transpose()?.unwrap_or(0) as u32;
        self.relocations.push(RelaRow {
            offset: address,
            kind: kind.number(),
            symbol,
            addend,
        });
        self.relocations_changed = true;
        self.appended = true;
        Ok(())
    }

    /// Replaces the kernel metadata; other notes stay as they are.
    pub fn set_metadata(&mut self, metadata: &Metadata) -> Result<()> {
        let elf = Elf::parse(&self.bytes)?;
        let note = elf
            .sections
            .iter()
            .find(|section| section.kind == format::SHT_NOTE.0);
        let Some(section) = note else {
            return Err(Error::NoSuchSection {
                name: ".note".to_owned(),
            });
        };
        let (index, file_offset, old_size) = (section.index, section.file_offset, section.size);
        let contents = tables::notes_with(&elf, metadata.encode())?;
        let name = section.name.to_owned();
        if contents.len() as u64 == old_size && self.sections[index].contents.is_none() {
            let start = file_offset as usize;
            self.bytes[start..start + contents.len()].copy_from_slice(&contents);
            return Ok(());
        }
        self.replace_section(&name, contents).map(drop)
    }

    /// The changed object.
    pub fn finish(self) -> Result<Vec<u8>> {
        write::finish(self)
    }
}

impl SectionRow {
    fn new(section: &crate::elf::Section<'_>) -> SectionRow {
        SectionRow {
            name: section.name.to_owned(),
            kind: section.kind,
            flags: section.flags,
            address: section.address,
            file_offset: section.file_offset,
            size: section.size,
            link: section.link,
            info: section.info,
            align: section.align,
            entry_size: section.entry_size,
            contents: None,
        }
    }
}

fn page_after(address: u64) -> Option<u64> {
    address.checked_next_multiple_of(PAGE)
}

impl SymbolRow {
    fn of_new(symbol: &NewSymbol, name_offset: u32) -> SymbolRow {
        let kind = match symbol.kind {
            SymbolKind::NoType => 0,
            SymbolKind::Object => 1,
            SymbolKind::Function => 2,
            SymbolKind::Section => 3,
            SymbolKind::File => 4,
            SymbolKind::Raw(raw) => raw & 0xf,
        };
        let binding = match symbol.binding {
            Binding::Local => 0,
            Binding::Global => 1,
            Binding::Weak => 2,
            Binding::Raw(raw) => raw & 0xf,
        };
        let section = match symbol.section {
            SymbolSection::Undefined => 0,
            SymbolSection::Absolute => 0xfff1,
            SymbolSection::Common => 0xfff2,
            SymbolSection::Section(index) => index as u16,
        };
        SymbolRow {
            name: symbol.name.clone(),
            name_offset,
            info: binding << 4 | kind,
            other: symbol.visibility & 3,
            section,
            value: symbol.value,
            size: symbol.size,
        }
    }
}
