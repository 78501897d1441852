//! Several objects as [`create`](super::create) makes them in one, so that a loader has one to place and to copy.

use super::create::{
    ELF_HEADER, FUNCTION, File, OBJECT, PROGRAM_HEADER, PROGRAM_HEADERS, SYMBOL, all_symbols,
    dynamic_table, hash, note, program_headers, put, section_headers, string_table, symbol_table,
};
use super::{PAGE, own_units::Units};
use crate::elf::{Binding, SymbolKind, SymbolSection};
use crate::{CodeObject, Error, KernelDescriptor, Result};
use object::elf as format;

/// Code starts on this boundary, as a linker would have it.
const CODE: u64 = 256;

/// One object with the kernels of all of these, which have nothing but code and descriptors: no data, no relocations that are
/// left to the loader, and no two kernels of one name. Their lines and functions for debuggers come along.
pub fn pack(objects: &[CodeObject<'_>]) -> Result<Vec<u8>> {
    const READ: u64 = format::SHF_ALLOC.0;
    let first = objects.first().ok_or(unfit("there is none"))?;
    let mut metadata = first.metadata()?.ok_or(unfit("it has no metadata"))?;
    let (mut text, mut kernels, mut units) = (Vec::new(), Vec::new(), Units::default());
    let mut own = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        let code = only_code(object)?;
        let elf = object.elf();
        if (elf.flags, elf.abi_version) != (first.elf().flags, first.elf().abi_version) {
            return Err(unfit("it is for another target"));
        }
        if index > 0 {
            let more = object.metadata()?.ok_or(unfit("it has no metadata"))?;
            metadata.add_kernels(&more);
        }
        text.resize(text.len().next_multiple_of(CODE as usize), 0);
        let moved = (text.len() as u64).wrapping_sub(code.address);
        units.add(elf, moved);
        text.extend_from_slice(code.data);
        let theirs = object.kernels()?.into_iter();
        kernels.extend(theirs.map(|kernel| (kernel.entry.wrapping_add(moved), kernel)));
        own.extend(local_functions(object, moved));
    }
    let mut names: Vec<&str> = kernels.iter().map(|(_, kernel)| kernel.name).collect();
    names.sort_unstable();
    if names.is_empty() || names.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(unfit("its kernels have no names of their own"));
    }

    let mut file = File::default();
    let headers = ELF_HEADER + PROGRAM_HEADER * PROGRAM_HEADERS;
    file.bytes.resize(headers as usize, 0);
    let names: Vec<String> = kernels
        .iter()
        .flat_map(|(_, kernel)| [kernel.name.to_owned(), format!("{}.kd", kernel.name)])
        .collect();
    let (strings, offsets) = string_table(&names);
    let note = note(&metadata.encode());
    let note_at = file.section((".note", format::SHT_NOTE.0, READ), 4, 0, &note);
    // Filled in when everything has its place, as are the descriptors.
    let symbols = vec![0; SYMBOL * (names.len() + 1)];
    let symbols_at = file.section((".dynsym", format::SHT_DYNSYM.0, READ), 8, 24, &symbols);
    let hash_at = file.section((".hash", format::SHT_HASH.0, READ), 4, 4, &hash(&names));
    let strings_at = file.section((".dynstr", format::SHT_STRTAB.0, READ), 1, 0, &strings);
    let descriptors = vec![0; KernelDescriptor::SIZE * kernels.len()];
    let rodata = (".rodata", format::SHT_PROGBITS.0, READ);
    let descriptors_at = file.section(rodata, 64, 0, &descriptors);
    let read_only = file.bytes.len() as u64;
    file.align(PAGE);
    let execute = READ | format::SHF_EXECINSTR.0;
    let text_at = file.section((".text", format::SHT_PROGBITS.0, execute), CODE, 0, &text);
    file.align(PAGE);
    let tables = [symbols_at, strings_at, strings.len() as u64, hash_at];
    let dynamic = dynamic_table(tables, &[]);
    let write = READ | format::SHF_WRITE.0;
    let dynamic_at = file.section((".dynamic", format::SHT_DYNAMIC.0, write), 8, 16, &dynamic);
    file.align(PAGE);
    let loaded = file.bytes.len() as u64;

    for (name, contents) in units.sections(text_at) {
        file.section((name, format::SHT_PROGBITS.0, 0), 1, 0, &contents);
    }
    let (in_text, in_rodata) = (file.number(".text"), file.number(".rodata"));
    let mut symbols = Vec::new();
    for (index, (entry, kernel)) in kernels.iter().enumerate() {
        let entry = text_at + entry;
        let size = KernelDescriptor::SIZE as u64;
        let descriptor_at = descriptors_at + size * index as u64;
        let (name, descriptor_name) = (offsets[2 * index], offsets[2 * index + 1]);
        symbols.push((name, FUNCTION, in_text, entry, kernel.code_size));
        symbols.push((descriptor_name, OBJECT, in_rodata, descriptor_at, size));
        let mut descriptor = kernel.descriptor.clone();
        descriptor.set_entry_offset(entry.wrapping_sub(descriptor_at) as i64);
        put(&mut file.bytes, descriptor_at, descriptor.bytes());
    }
    let symbols = symbol_table(symbols);
    put(&mut file.bytes, symbols_at, &symbols);
    all_symbols(&mut file, text_at, &own, &names, &symbols);
    file.link(".dynsym", ".dynstr", 1);
    file.link(".hash", ".dynsym", 0);
    file.link(".dynamic", ".dynstr", 0);
    program_headers(
        &mut file,
        read_only,
        (text_at, text.len() as u64),
        (dynamic_at, loaded - dynamic_at, dynamic.len() as u64),
        (note_at, note.len() as u64),
    );
    let elf = first.elf();
    section_headers(&mut file, elf.flags, elf.abi_version);
    Ok(file.bytes)
}

/// The functions of an object that only it knows, moved by so many bytes.
fn local_functions<'o>(
    object: &'o CodeObject<'_>,
    moved: u64,
) -> impl Iterator<Item = (&'o str, u64, u64)> {
    let functions = object
        .symbols()
        .iter()
        .filter(|symbol| symbol.kind == SymbolKind::Function && symbol.binding == Binding::Local);
    functions.map(move |one| (one.name, one.value.wrapping_add(moved), one.size))
}

/// The one section with code of an object that has nothing else which could not be moved.
fn only_code<'a, 'o>(object: &'o CodeObject<'a>) -> Result<&'o crate::elf::Section<'a>> {
    if !object.dynamic_relocations()?.is_empty() {
        return Err(unfit("it has relocations"));
    }
    let elf = object.elf();
    // The sections that `create` makes. Any other section may be data that code refers to.
    const KNOWN: [&str; 7] = [
        ".note", ".dynsym", ".hash", ".dynstr", ".rodata", ".text", ".dynamic",
    ];
    let mut allocated = elf.sections.iter().filter(|section| section.is_allocated());
    if !allocated.all(|section| KNOWN.contains(&section.name)) {
        return Err(unfit("it has other sections"));
    }
    let descriptors = KernelDescriptor::SIZE as u64 * object.kernels()?.len() as u64;
    let rodata = elf.section(".rodata").map_or(0, |section| section.size);
    let undefined = object
        .dynamic_symbols()
        .iter()
        .skip(1)
        .any(|symbol| symbol.section == SymbolSection::Undefined);
    if rodata != descriptors || undefined {
        return Err(unfit("it has data"));
    }
    elf.section(".text").ok_or(unfit("it has no code"))
}

fn unfit(reason: &'static str) -> Error {
    Error::Malformed {
        what: "object to pack",
        offset: 0,
        reason,
    }
}
