//! Rewritten kernels to code objects.

use crate::{Half, Kernels, Refusal, Rewritten, Symbol};
use codeobj::edit::{
    Access, CodeLines, DynamicRelocation, ElfEditor, LineRow, LineUnit, NewObject, NewSymbol,
    append_lines, create,
};
use codeobj::elf::{Binding, Place, SymbolKind};
use codeobj::metadata::KernelEdit;
use codeobj::{CodeObject, KernelDescriptor, Metadata, Moved, SourceLines};
use std::{borrow::Cow, cell::OnceCell, collections::HashMap};
use template::Global;

/// A literal to patch before a live object is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LivePatch {
    /// In the file, in bytes.
    pub offset: u64,
    pub half: Half,
    pub symbol: Symbol,
    pub addend: i64,
}

/// `STV_PROTECTED`, as the compiler gives device variables.
const PROTECTED: u8 = 3;

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

/// Likewise, given the original's metadata, with one more loaded section at the end: its name and contents, which nobody asks
/// for before all else is done.
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
    let source = Source::new(original);
    let mut placed = Vec::with_capacity(kernels.len());
    for kernel in kernels {
        let found = original.kernel(&kernel.kernel).map_err(failed)?;
        check_stack(kernel, &found.descriptor)?;
        let name = format!(".text.{}", kernel.kernel);
        let (_, address) = editor
            .append_section(&name, Access::Execute, 256, kernel.text.clone())
            .map_err(failed)?;
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
        // Loaders look up the addresses of objects, of which the descriptor is one.
        let anchor = format!("{}.kd", kernel.kernel);
        let from_anchor = |target: u64| target.wrapping_sub(found.descriptor_address) as i64;
        for relocation in &kernel.relocations {
            let kind = kind_of(relocation.half);
            let (symbol, addend) = match &relocation.symbol {
                Symbol::Original(target) => (anchor.as_str(), from_anchor(*target)),
                Symbol::Text(offset) => (anchor.as_str(), from_anchor(address + offset)),
                Symbol::Tool(name) => (name.as_str(), 0),
            };
            let place = address + relocation.offset;
            editor
                .add_relocation(place, kind, Some(symbol), addend + relocation.addend)
                .map_err(failed)?;
        }
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

/// Whether [`static_object`] can take a kernel.
pub fn check_static(kernel: &Rewritten, original: &CodeObject<'_>) -> Result<(), Refusal> {
    let found = original
        .kernel(&kernel.kernel)
        .map_err(|error| Refusal::Object(error.to_string()))?;
    check_stack(kernel, &found.descriptor)
}

fn check_stack(kernel: &Rewritten, before: &KernelDescriptor) -> Result<(), Refusal> {
    let grown = kernel.descriptor.private_segment_size() > before.private_segment_size();
    if grown && before.get("uses_dynamic_stack") == Some(1) {
        return Err(Refusal::Object(format!(
            "{} has a stack whose size is decided at each launch, which leaves no room behind it for variables of hooks; \
             instrument it while it runs (luthier run), where launches are known",
            kernel.kernel
        )));
    }
    Ok(())
}

/// A new code object with this kernel only, and the literals that hold addresses from elsewhere. Those have to be patched
/// into the file before it is loaded; addresses of the new code itself are left to the loader.
pub fn live_object(
    kernel: &Rewritten,
    original: &CodeObject<'_>,
) -> Result<(Vec<u8>, Vec<LivePatch>), Refusal> {
    live_object_of(&Kernels::of(original)?, kernel, original)
}

/// Likewise, for one of many kernels of an object.
pub fn live_object_of(
    kernels: &Kernels,
    kernel: &Rewritten,
    original: &CodeObject<'_>,
) -> Result<(Vec<u8>, Vec<LivePatch>), Refusal> {
    let metadata = kernels.metadata_of(&kernel.kernel);
    let mut metadata = metadata.ok_or_else(|| Refusal::Object("it has no metadata".to_owned()))?;
    if let Some(edit) = metadata.kernel_mut(&kernel.kernel) {
        describe(edit, kernel);
    }
    let mut relocations = Vec::new();
    let mut patches = Vec::new();
    for relocation in &kernel.relocations {
        let kind = kind_of(relocation.half);
        match &relocation.symbol {
            Symbol::Text(offset) => {
                let meant = offset.wrapping_add_signed(relocation.addend);
                relocations.push((relocation.offset, kind, meant));
            }
            symbol => patches.push(LivePatch {
                offset: relocation.offset,
                half: relocation.half,
                symbol: symbol.clone(),
                addend: relocation.addend,
            }),
        }
    }
    let elf = original.elf();
    let rows = Source::new(original).lines(kernel).into_owned();
    let created = create(&NewObject {
        flags: elf.flags,
        abi_version: elf.abi_version,
        kernel: &kernel.kernel,
        text: &kernel.text,
        entry: kernel.entry,
        size: kernel.functions.first().map_or(0, |function| function.size),
        descriptor: kernel.descriptor.clone(),
        metadata: &metadata,
        relocations: &relocations,
        lines: &rows,
        functions: &functions(kernel),
    });
    for patch in &mut patches {
        patch.offset += created.text;
    }
    Ok((created.bytes, patches))
}

impl LivePatch {
    /// Writes the literal into the object, given the symbol's address in memory (for [`Symbol::Original`] the address at
    /// which the original has been loaded to).
    pub fn apply(&self, object: &mut [u8], address: u64) {
        let value = address.wrapping_add_signed(self.addend);
        let word = match self.half {
            Half::Low => value as u32,
            Half::High => (value >> 32) as u32,
        };
        let at = self.offset as usize;
        if let Some(place) = object.get_mut(at..at + 4) {
            place.copy_from_slice(&word.to_le_bytes());
        }
    }
}

impl Rewritten {
    /// Finds the lines of the new text, as far as the original tells; inserted code has the line of the place it is at. For
    /// who has the line tables at hand: else [`static_object`] and [`live_object`] read them.
    pub fn find_lines(&mut self, source: &SourceLines) {
        self.lines = Some(lines(self, source));
    }

    /// Prepares what [`static_object`] needs of the lines that were found, for that is the same wherever the code goes.
    pub fn encode_lines(&mut self) {
        let rows = self.lines.take();
        self.unit = rows.map(|rows| unit(self, &rows));
    }
}

fn lines(kernel: &Rewritten, source: &SourceLines) -> Vec<LineRow> {
    source.moved(kernel.pcs.iter().map(|run| Moved {
        offset: run.new,
        pc: run.old,
        length: run.length,
    }))
}

fn unit(kernel: &Rewritten, rows: &[LineRow]) -> LineUnit {
    LineUnit::of(&CodeLines {
        size: kernel.text.len() as u64,
        rows,
        functions: &functions(kernel),
    })
}

/// The original's line tables, read when they are first needed.
struct Source<'o, 'b> {
    original: &'o CodeObject<'b>,
    tables: OnceCell<Option<SourceLines>>,
}

impl<'o, 'b> Source<'o, 'b> {
    fn new(original: &'o CodeObject<'b>) -> Source<'o, 'b> {
        Source {
            original,
            tables: OnceCell::new(),
        }
    }

    fn lines<'k>(&self, kernel: &'k Rewritten) -> Cow<'k, [LineRow]> {
        if let Some(lines) = &kernel.lines {
            return Cow::Borrowed(lines);
        }
        // Damaged line tables cost the lines, not the result.
        let read = || SourceLines::of(self.original).ok().flatten();
        let tables = self.tables.get_or_init(read).as_ref();
        tables
            .map(|source| lines(kernel, source))
            .unwrap_or_default()
            .into()
    }
}

impl Source<'_, '_> {
    fn unit<'k>(&self, kernel: &'k Rewritten) -> Cow<'k, LineUnit> {
        match &kernel.unit {
            Some(unit) => Cow::Borrowed(unit),
            None => Cow::Owned(unit(kernel, &self.lines(kernel))),
        }
    }
}

/// Name, offset and bytes of the new functions.
fn functions(kernel: &Rewritten) -> Vec<(&str, u64, u64)> {
    let functions = kernel.functions.iter();
    functions
        .map(|function| (&*function.name, function.offset, function.size))
        .collect()
}

fn kind_of(half: Half) -> DynamicRelocation {
    match half {
        Half::Low => DynamicRelocation::Abs32Lo,
        Half::High => DynamicRelocation::Abs32Hi,
    }
}

fn add_globals(editor: &mut ElfEditor, globals: &[Global]) -> codeobj::Result<()> {
    for global in globals {
        let mut contents = global.initial.clone().unwrap_or_default();
        contents.resize(global.size as usize, 0);
        let align = global.alignment.clamp(8, 4096);
        let (section, address) = editor.append_section(
            &format!(".data.{}", global.name),
            Access::ReadWrite,
            align,
            contents,
        )?;
        editor.add_symbol(&NewSymbol {
            name: global.name.clone(),
            value: address,
            size: global.size,
            kind: SymbolKind::Object,
            binding: Binding::Global,
            visibility: PROTECTED,
            place: Place::Section(section),
        })?;
    }
    Ok(())
}

/// What the kernel needs now.
fn describe(mut edit: KernelEdit<'_>, kernel: &Rewritten) {
    let descriptor = &kernel.descriptor;
    let report = &kernel.report;
    if report.vgprs.1 > report.vgprs.0 {
        edit.raise(".vgpr_count", u64::from(descriptor.vgpr_count()));
    }
    if report.sgprs.1 > report.sgprs.0 {
        edit.raise(".sgpr_count", u64::from(descriptor.sgpr_count()));
    }
    if report.scratch.1 > report.scratch.0 {
        let bytes = u64::from(descriptor.private_segment_size());
        edit.raise(".private_segment_fixed_size", bytes);
    }
    if report.lds.1 > report.lds.0 {
        let bytes = u64::from(descriptor.group_segment_size());
        edit.raise(".group_segment_fixed_size", bytes);
    }
}
