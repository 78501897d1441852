//! A code object made from scratch: one kernel's code, its descriptor and its metadata.
//!
//! The layout is that of a linker, with addresses equal to file offsets, so that a loader can patch the file first.

use std::collections::HashSet;

use super::debug::{LineRow, debug_sections};
use super::{DynamicRelocation, PAGE};
use crate::{KernelDescriptor, Metadata};
use object::elf as format;

/// The parts of a new code object.
#[derive(Clone, Debug)]
pub struct NewObject<'a> {
    /// `e_flags`: target and features.
    pub flags: u32,
    /// Version of the code object, as in the ELF header.
    pub abi_version: u8,
    /// Name of the kernel; its descriptor is called so too, with `.kd`.
    pub kernel: &'a str,
    /// The code.
    pub text: &'a [u8],
    /// Offset of the kernel's first instruction in the text.
    pub entry: u64,
    /// Bytes of the kernel's code.
    pub size: u64,
    /// The entry's offset in it is set here.
    pub descriptor: KernelDescriptor,
    /// The note with what its kernels need.
    pub metadata: &'a Metadata,
    /// 32-bit words of the text that hold half an address of the text: offset, which half, offset meant.
    pub relocations: &'a [(u64, DynamicRelocation, u64)],
    /// Source lines, by offset in the text.
    pub lines: &'a [LineRow],
    /// Functions of the text: name, offset, bytes. Debuggers show the names where lines are known, and the symbol table has them.
    pub functions: &'a [(&'a str, u64, u64)],
}

/// A code object and where its text is, in the file and in memory alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Created {
    /// The object file.
    pub bytes: Vec<u8>,
    /// Address of the code.
    pub text: u64,
}

pub(super) const ELF_HEADER: u64 = 64;
pub(super) const PROGRAM_HEADER: u64 = 56;
pub(super) const PROGRAM_HEADERS: u64 = 5;
/// Bytes of an entry of a symbol table.
pub(super) const SYMBOL: usize = 24;
const OS_ABI_HSA: u8 = 64;
const MACHINE_AMDGPU: u16 = 224;
const TYPE_DYN: u16 = 3;
/// Symbols: local function, and global function and object, protected.
const LOCAL_FUNCTION: u8 = 2;
pub(super) const FUNCTION: u8 = 1 << 4 | 2;
pub(super) const OBJECT: u8 = 1 << 4 | 1;
const PROTECTED: u8 = 3;

pub(super) struct Section {
    pub(super) name: &'static str,
    kind: u32,
    flags: u64,
    offset: u64,
    size: u64,
    link: u32,
    info: u32,
    align: u64,
    entry_size: u64,
}

#[derive(Default)]
pub(super) struct File {
    pub(super) bytes: Vec<u8>,
    pub(super) sections: Vec<Section>,
}

impl File {
    pub(super) fn align(&mut self, to: u64) {
        let size = (self.bytes.len() as u64).next_multiple_of(to.max(1));
        self.bytes.resize(size as usize, 0);
    }

    /// Appends a section; returns its offset.
    pub(super) fn section(
        &mut self,
        (name, kind, flags): (&'static str, u32, u64),
        align: u64,
        entry_size: u64,
        contents: &[u8],
    ) -> u64 {
        self.align(align);
        let offset = self.bytes.len() as u64;
        self.bytes.extend_from_slice(contents);
        self.sections.push(Section {
            name,
            kind,
            flags,
            offset,
            size: contents.len() as u64,
            link: 0,
            info: 0,
            align,
            entry_size,
        });
        offset
    }

    /// Number of the section of that name; 0 if there is none.
    pub(super) fn number(&self, name: &str) -> u16 {
        let found = self
            .sections
            .iter()
            .position(|section| section.name == name);
        found.map_or(0, |number| number as u16 + 1)
    }

    pub(super) fn link(&mut self, name: &str, to: &str, info: u32) {
        let number = self.number(to).into();
        if let Some(section) = self
            .sections
            .iter_mut()
            .find(|section| section.name == name)
        {
            section.link = number;
            section.info = info;
        }
    }
}

/// A string table with these names, and where each is in it.
pub(super) fn string_table(names: &[String]) -> (Vec<u8>, Vec<u32>) {
    let mut strings = vec![0];
    let offsets = names.iter().map(|name| {
        let offset = strings.len() as u32;
        strings.extend(name.as_bytes());
        strings.push(0);
        offset
    });
    let offsets = offsets.collect();
    (strings, offsets)
}

/// A symbol table: of each symbol the name's place, kind, section, value and size.
pub(super) fn symbol_table(symbols: impl IntoIterator<Item = (u32, u8, u16, u64, u64)>) -> Vec<u8> {
    let mut table = vec![0; SYMBOL];
    for (name, info, section, value, size) in symbols {
        table.extend(name.to_le_bytes());
        table.extend([info, PROTECTED]);
        table.extend(section.to_le_bytes());
        table.extend(value.to_le_bytes());
        table.extend(size.to_le_bytes());
    }
    table
}

/// Writes the table of all symbols: functions that only the object knows, each with its name, offset in the text and bytes, and behind them those
/// of the table `global`, which have these names. A function with one of the names is a copy that another kernel calls, and gets no symbol.
pub(super) fn all_symbols(
    file: &mut File,
    text_at: u64,
    own: &[(&str, u64, u64)],
    names: &[String],
    global: &[u8],
) {
    let (mut strings, _) = string_table(names);
    let in_text = file.number(".text");
    let names: HashSet<&str> = names.iter().map(String::as_str).collect();
    let own = own.iter().filter(|(name, ..)| !names.contains(name));
    let own = own.map(|(name, offset, size)| {
        let place = strings.len() as u32;
        strings.extend(name.as_bytes());
        strings.push(0);
        let address = text_at.wrapping_add(*offset);
        (place, LOCAL_FUNCTION, in_text, address, *size)
    });
    let mut table = symbol_table(own);
    let first_global = (table.len() / SYMBOL) as u32;
    table.extend(&global[SYMBOL..]);
    file.section((".symtab", format::SHT_SYMTAB.0, 0), 8, 24, &table);
    file.section((".strtab", format::SHT_STRTAB.0, 0), 1, 0, &strings);
    file.link(".symtab", ".strtab", first_global);
}

/// A dynamic table, which is given where the tables for the loader are, and its own entries `more`.
pub(super) fn dynamic_table(
    [symbols, strings, string_bytes, hash]: [u64; 4],
    more: &[(u64, u64)],
) -> Vec<u8> {
    let tables = [
        (format::DT_SYMTAB.0 as u64, symbols),
        (format::DT_SYMENT.0 as u64, SYMBOL as u64),
        (format::DT_STRTAB.0 as u64, strings),
        (format::DT_STRSZ.0 as u64, string_bytes),
        (format::DT_HASH.0 as u64, hash),
    ];
    let entries = tables.iter().chain(more).chain(&[(0, 0)]);
    entries
        .flat_map(|(tag, value)| [tag.to_le_bytes(), value.to_le_bytes()].concat())
        .collect()
}

/// Writes the object.
pub fn create(object: &NewObject<'_>) -> Created {
    const READ: u64 = format::SHF_ALLOC.0;
    let mut file = File::default();
    file.bytes
        .resize((ELF_HEADER + PROGRAM_HEADER * PROGRAM_HEADERS) as usize, 0);
    let names = [object.kernel.to_owned(), format!("{}.kd", object.kernel)];
    let (strings, offsets) = string_table(&names);

    let note = note(&object.metadata.encode());
    let note_at = file.section((".note", format::SHT_NOTE.0, READ), 4, 0, &note);
    // Filled in when everything has its place.
    let symbols_at = file.section((".dynsym", format::SHT_DYNSYM.0, READ), 8, 24, &[0; 72]);
    let hash = hash(&names);
    let hash_at = file.section((".hash", format::SHT_HASH.0, READ), 4, 4, &hash);
    let strings_at = file.section((".dynstr", format::SHT_STRTAB.0, READ), 1, 0, &strings);
    let relocations = vec![0; object.relocations.len() * 24];
    let relocations_at = if relocations.is_empty() {
        0
    } else {
        file.section((".rela.dyn", format::SHT_RELA.0, READ), 8, 24, &relocations)
    };
    let rodata = (".rodata", format::SHT_PROGBITS.0, READ);
    let descriptor_at = file.section(rodata, 64, 0, object.descriptor.bytes());
    let read_only = file.bytes.len() as u64;
    let execute = READ | format::SHF_EXECINSTR.0;
    file.align(PAGE);
    let text_at = file.section(
        (".text", format::SHT_PROGBITS.0, execute),
        256,
        0,
        object.text,
    );
    file.align(PAGE);
    let mut for_relocations = Vec::new();
    if relocations_at != 0 {
        for_relocations = vec![
            (format::DT_RELA.0 as u64, relocations_at),
            (format::DT_RELASZ.0 as u64, relocations.len() as u64),
            (format::DT_RELAENT.0 as u64, 24),
        ];
    }
    let tables = [symbols_at, strings_at, strings.len() as u64, hash_at];
    let dynamic = dynamic_table(tables, &for_relocations);
    let write = READ | format::SHF_WRITE.0;
    let dynamic_at = file.section((".dynamic", format::SHT_DYNAMIC.0, write), 8, 16, &dynamic);
    file.align(PAGE);
    let loaded = file.bytes.len() as u64;

    for (name, contents) in debug_sections(object, text_at) {
        file.section((name, format::SHT_PROGBITS.0, 0), 1, 0, &contents);
    }
    let entry = text_at + object.entry;
    let (in_text, in_rodata) = (file.number(".text"), file.number(".rodata"));
    let size = KernelDescriptor::SIZE as u64;
    let symbols = symbol_table([
        (offsets[0], FUNCTION, in_text, entry, object.size),
        (offsets[1], OBJECT, in_rodata, descriptor_at, size),
    ]);
    put(&mut file.bytes, symbols_at, &symbols);
    all_symbols(&mut file, text_at, object.functions, &names, &symbols);
    for (index, (offset, kind, meant)) in object.relocations.iter().enumerate() {
        // Against the descriptor, which is an object and so looked up by address.
        let addend = (text_at + meant).wrapping_sub(descriptor_at);
        let row = [
            (text_at + offset).to_le_bytes(),
            (2u64 << 32 | u64::from(kind.number())).to_le_bytes(),
            addend.to_le_bytes(),
        ];
        let at = relocations_at + 24 * index as u64;
        put(&mut file.bytes, at, &row.concat());
    }
    let mut descriptor = object.descriptor.clone();
    descriptor.set_entry_offset(entry.wrapping_sub(descriptor_at) as i64);
    put(&mut file.bytes, descriptor_at, descriptor.bytes());
    file.link(".dynsym", ".dynstr", 1);
    file.link(".hash", ".dynsym", 0);
    file.link(".rela.dyn", ".dynsym", 0);
    file.link(".dynamic", ".dynstr", 0);

    program_headers(
        &mut file,
        read_only,
        (text_at, object.text.len() as u64),
        (dynamic_at, loaded - dynamic_at, dynamic.len() as u64),
        (note_at, note.len() as u64),
    );
    section_headers(&mut file, object.flags, object.abi_version);
    Created {
        bytes: file.bytes,
        text: text_at,
    }
}

/// The table of segments: what is only read, from the file's first byte; the text; the dynamic section with the rest of its
/// segment; the note. Offsets and bytes.
pub(super) fn program_headers(
    file: &mut File,
    read_only: u64,
    (text_at, text): (u64, u64),
    (dynamic_at, written, dynamic): (u64, u64, u64),
    (note_at, note): (u64, u64),
) {
    let segments = [
        (1u32, 4u32, 0, read_only, PAGE),
        (1, 5, text_at, text, PAGE),
        (1, 6, dynamic_at, written, PAGE),
        (2, 6, dynamic_at, dynamic, 8),
        (4, 4, note_at, note, 4),
    ];
    let mut headers = Vec::new();
    for (kind, flags, offset, size, align) in segments {
        headers.extend(kind.to_le_bytes());
        headers.extend(flags.to_le_bytes());
        for word in [offset, offset, offset, size, size, align] {
            headers.extend(u64::to_le_bytes(word));
        }
    }
    put(&mut file.bytes, ELF_HEADER, &headers);
}

/// The table of sections at the end, and the file's header.
pub(super) fn section_headers(file: &mut File, flags: u32, abi_version: u8) {
    const NAMES: &str = ".shstrtab";
    let mut names = vec![0];
    let mut offsets = Vec::new();
    let sections = file.sections.iter().map(|section| section.name);
    for name in sections.chain([NAMES]) {
        offsets.push(names.len() as u32);
        names.extend(name.as_bytes());
        names.push(0);
    }
    file.section((NAMES, format::SHT_STRTAB.0, 0), 1, 0, &names);
    file.align(8);
    let table = file.bytes.len() as u64;
    file.bytes.extend([0; 64]);
    for (section, name) in file.sections.iter().zip(offsets) {
        let loaded = section.flags & format::SHF_ALLOC.0 != 0;
        let address = if loaded { section.offset } else { 0 };
        file.bytes.extend(name.to_le_bytes());
        file.bytes.extend(section.kind.to_le_bytes());
        for word in [section.flags, address, section.offset, section.size] {
            file.bytes.extend(word.to_le_bytes());
        }
        file.bytes.extend(section.link.to_le_bytes());
        file.bytes.extend(section.info.to_le_bytes());
        file.bytes.extend(section.align.to_le_bytes());
        file.bytes.extend(section.entry_size.to_le_bytes());
    }
    let count = file.sections.len() as u16 + 1;
    let mut header = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, OS_ABI_HSA, abi_version];
    header.resize(16, 0);
    header.extend(TYPE_DYN.to_le_bytes());
    header.extend(MACHINE_AMDGPU.to_le_bytes());
    header.extend(1u32.to_le_bytes());
    for word in [0, ELF_HEADER, table] {
        header.extend(word.to_le_bytes());
    }
    header.extend(flags.to_le_bytes());
    let halves = [
        ELF_HEADER as u16,
        PROGRAM_HEADER as u16,
        PROGRAM_HEADERS as u16,
        64,
        count,
        count - 1,
    ];
    header.extend(halves.iter().flat_map(|half| half.to_le_bytes()));
    put(&mut file.bytes, 0, &header);
}

pub(super) fn put(bytes: &mut [u8], at: u64, contents: &[u8]) {
    let at = at as usize;
    bytes[at..at + contents.len()].copy_from_slice(contents);
}

pub(super) fn note(metadata: &[u8]) -> Vec<u8> {
    const OWNER: &[u8; 8] = b"AMDGPU\0\0";
    let mut note = Vec::new();
    note.extend(7u32.to_le_bytes());
    note.extend((metadata.len() as u32).to_le_bytes());
    note.extend(crate::elf::NT_AMDGPU_METADATA.to_le_bytes());
    note.extend(OWNER);
    note.extend(metadata);
    note.resize(note.len().next_multiple_of(4), 0);
    note
}

/// `.hash` with one bucket; symbol 0 is none.
pub(super) fn hash(names: &[String]) -> Vec<u8> {
    let count = names.len() as u32 + 1;
    let mut words = vec![1, count, 1, 0];
    // A chain over all symbols in order.
    words.extend((1..count).map(|index| if index + 1 < count { index + 1 } else { 0 }));
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
