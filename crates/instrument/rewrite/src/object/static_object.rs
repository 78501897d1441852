//! The original object with rewritten kernels in it.

use super::lines::OriginalLines;
use super::{describe, kind_of};
use crate::{Refusal, Rewritten, Symbol};
use codeobj::edit::{Access, ElfEditor, NewSymbol, append_lines};
use codeobj::elf::{Binding, SymbolKind, SymbolSection};
use codeobj::{CodeObject, Metadata};
use std::collections::HashMap;
use template::Global;

/// `STV_PROTECTED`, as the compiler gives device variables.
const PROTECTED: u8 = 3;

/// The size of a text section is a multiple of this.
const CODE_ALIGNMENT: usize = crate::layout::ALIGNMENT as usize;

/// The original object with rewritten kernels instead of its own, and the tool's variables. All addresses come out right
/// when a loader applies its relocations. Byte by byte the original if there is nothing to put in.
pub fn static_object(
    kernels: &[Rewritten],
    original: &CodeObject<'_>,
    globals: &[Global],
) -> Result<Vec<u8>, Refusal> {
    let metadata = original
        .metadata()
        .map_err(|error| Refusal::Object(error.to_string()))?;
    static_object_with(kernels, original, globals, metadata, || None)
}

/// The same, given the original's metadata, with one more loaded section at the end: its name and contents, which are computed
/// when all else is done.
pub fn static_object_with(
    kernels: &[Rewritten],
    original: &CodeObject<'_>,
    globals: &[Global],
    mut metadata: Option<Metadata>,
    section: impl FnOnce() -> Option<(&'static str, Vec<u8>)>,
) -> Result<Vec<u8>, Refusal> {
    let bytes = original.elf().data;
    if kernels.is_empty() && globals.is_empty() {
        return Ok(bytes.to_vec());
    }
    let failed = |error: codeobj::Error| Refusal::Object(error.to_string());
    let mut editor = ElfEditor::new(bytes).map_err(failed)?;
    add_globals(&mut editor, globals).map_err(failed)?;
    let source = OriginalLines::new(original);
    // One segment for all: a page and a header for each would be more than most kernels are.
    let mut text = Vec::with_capacity(kernels.iter().map(|kernel| kernel.text.len()).sum());
    for kernel in kernels {
        debug_assert!(text.len().is_multiple_of(CODE_ALIGNMENT));
        text.extend_from_slice(&kernel.text);
    }
    let mut next = 0;
    if !text.is_empty() {
        let (access, align) = (Access::Execute, CODE_ALIGNMENT as u64);
        let appended = editor.append_section(".text.luthier", access, align, text);
        (_, next) = appended.map_err(failed)?;
    }
    let mut placed = Vec::with_capacity(kernels.len());
    for kernel in kernels {
        let found = original.kernel(&kernel.kernel).map_err(failed)?;
        check_static(kernel)?;
        let address = next;
        next += kernel.text.len() as u64;
        placed.push((address, source.unit(kernel)));
        let entry = address + kernel.entry;
        let mut descriptor = kernel.descriptor.clone();
        descriptor.set_entry_offset(entry.wrapping_sub(found.descriptor_address) as i64);
        editor
            .set_descriptor(&kernel.kernel, &descriptor)
            .map_err(failed)?;
        let size = kernel.functions.first().map_or(0, |function| function.size);
        editor
            .move_symbol(&kernel.kernel, entry, size)
            .map_err(failed)?;
        relocate(&mut editor, kernel, address, found.descriptor_address).map_err(failed)?;
    }
    if let Some(metadata) = &mut metadata {
        let by_name: HashMap<&str, &Rewritten> = (kernels.iter())
            .map(|kernel| (&*kernel.kernel, kernel))
            .collect();
        metadata.each_kernel_mut(|name, edit| {
            if let Some(kernel) = by_name.get(name) {
                describe(edit, kernel);
            }
        });
        editor.set_metadata(metadata).map_err(failed)?;
    }
    let units: Vec<_> = (placed.iter())
        .map(|(address, unit)| (*address, &**unit))
        .collect();
    append_lines(&mut editor, original.elf(), &units).map_err(failed)?;
    if let Some((name, contents)) = section() {
        let appended = editor.append_section(name, Access::Read, 8, contents);
        appended.map_err(failed)?;
    }
    editor.finish().map_err(failed)
}

/// Adds the relocations of a kernel whose code lies at `address`.
fn relocate(
    editor: &mut ElfEditor,
    kernel: &Rewritten,
    address: u64,
    descriptor_address: u64,
) -> codeobj::Result<()> {
    // Loaders look up the addresses of objects, of which the descriptor is one.
    let anchor = format!("{}.kd", kernel.kernel);
    let from_anchor = |target: u64| target.wrapping_sub(descriptor_address) as i64;
    for relocation in &kernel.relocations {
        let kind = kind_of(relocation.half);
        let (symbol, addend) = match &relocation.symbol {
            Symbol::Original(target) => (anchor.as_str(), from_anchor(*target)),
            Symbol::Text(offset) => (anchor.as_str(), from_anchor(address + offset)),
            Symbol::Tool(name) => (name.as_str(), 0),
        };
        let place = address + relocation.offset;
        editor.add_relocation(place, kind, Some(symbol), addend + relocation.addend)?;
    }
    Ok(())
}

/// Refuses a kernel that [`static_object`] cannot take.
pub fn check_static(kernel: &Rewritten) -> Result<(), Refusal> {
    match kernel.stack_is_unknown {
        true => Err(Refusal::DynamicStack),
        false => Ok(()),
    }
}

/// Variables that start with something, and behind them those that start as zeros, which take no room in the file.
fn add_globals(editor: &mut ElfEditor, globals: &[Global]) -> codeobj::Result<()> {
    let (zeros, others): (Vec<&Global>, Vec<&Global>) = (globals.iter())
        .partition(|global| (global.initial.iter().flatten()).all(|byte| *byte == 0));
    let (offsets, size) = places(&others);
    if !others.is_empty() {
        let mut contents = vec![0; size as usize];
        for (global, &offset) in others.iter().zip(&offsets) {
            let initial = global.initial.as_deref().unwrap_or_default();
            let length = initial.len().min(global.size as usize);
            let start = offset as usize;
            contents[start..start + length].copy_from_slice(&initial[..length]);
        }
        let access = Access::ReadWrite;
        let at = editor.append_section(".data.luthier", access, ALIGNMENT, contents)?;
        add_symbols(editor, at, &others, &offsets)?;
    }
    let (offsets, size) = places(&zeros);
    if !zeros.is_empty() {
        let at = editor.append_zeros(".bss.luthier", ALIGNMENT, size)?;
        add_symbols(editor, at, &zeros, &offsets)?;
    }
    Ok(())
}

/// The alignment of sections of variables, and the largest alignment of a variable.
const ALIGNMENT: u64 = 4096;

/// Offsets of variables in a section of their own, and the section's size.
fn places(globals: &[&Global]) -> (Vec<u64>, u64) {
    let mut end = 0;
    let place = |global: &&Global| {
        let align = global.alignment.clamp(8, ALIGNMENT);
        let offset = u64::next_multiple_of(end, align.next_power_of_two());
        end = offset + global.size;
        offset
    };
    let offsets = globals.iter().map(place).collect();
    (offsets, end)
}

fn add_symbols(
    editor: &mut ElfEditor,
    (section, address): (usize, u64),
    globals: &[&Global],
    offsets: &[u64],
) -> codeobj::Result<()> {
    for (global, offset) in globals.iter().zip(offsets) {
        editor.add_symbol(&NewSymbol {
            name: global.name.clone(),
            value: address + offset,
            size: global.size,
            kind: SymbolKind::Object,
            binding: Binding::Global,
            visibility: PROTECTED,
            section: SymbolSection::Section(section),
        })?;
    }
    Ok(())
}
