//! One kernel with everything it may call.

use crate::counting::Counting;
use crate::emit::{Agenda, Emitter};
use crate::encode::{Codes, Op};
use crate::entry::{self, Needs};
use crate::seam::{Seams, Terrain};
use crate::splice::Splicer;
use crate::storage::Storage;
use crate::supply::Supply;
use crate::text::Text;
use crate::{Plan, Refusal, Report, Rewritten};
use crate::{mode, preload};
use codeobj::resources::{WorkgroupSizes, resources};
use codeobj::{CodeObject, KernelDescriptor, Metadata};
use gfx::Family;
use lift::{Callee, Function, FunctionIndex, FunctionKind, Leave, Module, Named};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use template::RegisterFile;

/// Kernels and functions start at multiples of this.
const ALIGNMENT: usize = 256;
/// Those that are not VCC, FLAT_SCRATCH or XNACK_MASK anywhere.
const GENERAL_SGPRS: u16 = 102;
/// Bytes behind the last instruction that the prefetcher may read.
const PREFETCH: usize = 256;

/// What an object says of its kernels, read once for many of them.
#[derive(Clone, Debug, Default)]
pub struct Kernels {
    /// Descriptor, and number of the entry in the metadata.
    each: BTreeMap<String, (KernelDescriptor, Option<usize>)>,
    metadata: Option<Metadata>,
}

impl Kernels {
    /// Of all kernels.
    pub fn of(object: &CodeObject<'_>) -> Result<Kernels, Refusal> {
        Kernels::chosen(object, |_| true)
    }

    fn chosen(object: &CodeObject<'_>, wanted: impl Fn(&str) -> bool) -> Result<Kernels, Refusal> {
        let unreadable = |error: codeobj::Error| Refusal::Object(error.to_string());
        let found = object.kernels().map_err(unreadable)?;
        let metadata = object.metadata().map_err(unreadable)?;
        let names = metadata.iter().flat_map(Metadata::names);
        let mut known: HashMap<&str, usize> = names.zip(0..).collect();
        let chosen = found.into_iter().filter(|kernel| wanted(kernel.name));
        let with_metadata = chosen.map(|kernel| {
            let entry = known.remove(kernel.name);
            (kernel.name.to_owned(), (kernel.descriptor, entry))
        });
        Ok(Kernels {
            each: with_metadata.collect(),
            metadata,
        })
    }

    /// The object's metadata without other kernels'.
    pub(crate) fn metadata_of(&self, kernel: &str) -> Option<Metadata> {
        Some(self.metadata.as_ref()?.of_kernel(kernel))
    }

    /// The object's metadata as it was read.
    pub fn into_metadata(self) -> Option<Metadata> {
        self.metadata
    }
}

/// Carries `plan` out on a kernel and the functions it may call.
pub fn rewrite(
    object: &CodeObject<'_>,
    module: &Module,
    kernel: FunctionIndex,
    plan: &Plan<'_>,
) -> Result<Rewritten, Refusal> {
    let function = module.functions.get(kernel);
    let name = function.map_or("", |function| &function.name);
    let kernels = Kernels::chosen(object, |known| known == name)?;
    rewrite_of(&kernels, module, kernel, plan)
}

/// Likewise, for many kernels of one object.
pub fn rewrite_of(
    kernels: &Kernels,
    module: &Module,
    kernel: FunctionIndex,
    plan: &Plan<'_>,
) -> Result<Rewritten, Refusal> {
    match attempt(kernels, module, kernel, plan, false) {
        // Room in scratch costs every wave something, so it is made only where registers do not suffice.
        Err(Refusal::NoRegisters { .. }) => attempt(kernels, module, kernel, plan, true),
        outcome => outcome,
    }
}

/// `aside`: VGPRs may be put aside in scratch.
fn attempt(
    kernels: &Kernels,
    module: &Module,
    kernel: FunctionIndex,
    plan: &Plan<'_>,
    aside: bool,
) -> Result<Rewritten, Refusal> {
    let function = module.functions.get(kernel).ok_or(Refusal::BadPlan {
        what: "kernel",
        index: kernel,
    })?;
    let (before, entry) = (kernels.each)
        .get(&function.name)
        .ok_or_else(|| Refusal::NoDescriptor(function.name.clone()))?;
    let metadata = kernels.metadata.as_ref().zip(*entry);
    let metadata = metadata.and_then(|(metadata, entry)| metadata.kernel_at(entry));
    let metadata = metadata.as_ref();
    let agenda = Agenda::of(plan);
    let functions = closure(module, kernel);
    for (index, inst) in agenda.places() {
        let known = functions.contains(&index) && inst < module.functions[index].insts.len();
        if !known {
            return Err(Refusal::BadPlan {
                what: "an instruction that the kernel does not have, number",
                index: inst,
            });
        }
    }
    let codes = Codes::of(module.target, function.wave_size)?;
    let mut descriptor = before.clone();
    preload::give_up(function, &mut descriptor)?;
    let named = named(module, &functions);
    let mut supply = Supply::new(&named, &descriptor, metadata);
    let mut storage = Storage::of(plan);
    let mut scratch = None;
    if aside {
        let (with_room, start) = storage.with_room_aside(before)?;
        (storage, scratch) = (with_room, Some(start));
        // FLAT_SCRATCH has to be among the SGPRs of the wave.
        let highest = named
            .registers
            .scalars
            .iter()
            .filter(|number| *number < GENERAL_SGPRS);
        supply.use_up(
            RegisterFile::Sgpr,
            highest.max().map_or(0, |number| number + 1),
        );
    }
    let (entry, mut prologue) = entry::keep(
        Needs::of(plan),
        &storage,
        &codes,
        &mut supply,
        &mut descriptor,
        metadata,
    )?;
    let counting = Counting::new(plan, module, &functions, &mut supply, function.wave_size)?;
    counting.prologue(&codes, function.wave_size, &mut prologue);
    let mut report = Report::default();
    let splicer = Splicer {
        codes: &codes,
        supply: &mut supply,
        entry: &entry,
        named: named.registers,
        globals: &plan.globals,
        report: &mut report,
        spill: None,
        scratch,
        foreign_mode: mode::is_foreign(
            before,
            functions.iter().map(|index| &module.functions[*index]),
        ),
    };
    let mut emitter = Emitter {
        module,
        plan,
        agenda: &agenda,
        codes: &codes,
        counting: &counting,
        seams: &Seams::new(module.target, function.wave_size),
        splicer,
        text: Text::default(),
        terrain: Terrain::default(),
        added: Vec::new(),
    };
    emitter.function(kernel, &prologue)?;
    for &index in functions.iter().filter(|index| **index != kernel) {
        pad(&mut emitter.text.bytes, &codes, ALIGNMENT);
        emitter.function(index, &[])?;
    }
    let mut text = emitter.text;
    text.finish(&codes)?;
    let end = text.bytes.len();
    let padding = codes.bytes(Op::EndPadding);
    while text.bytes.len() < end + PREFETCH {
        text.bytes.extend_from_slice(padding);
    }
    pad(&mut text.bytes, &codes, ALIGNMENT);

    supply.apply(&mut descriptor)?;
    prefetch(&mut descriptor, text.bytes.len());
    for &index in &functions {
        let function = &module.functions[index];
        report.instructions_before += function.insts.len() as u32;
        report.text_before += function.size;
    }
    report.sites = plan.insertions.len() as u32;
    report.text_after = end as u64;
    report.vgprs = (before.vgpr_count(), descriptor.vgpr_count());
    report.sgprs = (before.sgpr_count(), descriptor.sgpr_count());
    report.scratch = (
        before.private_segment_size(),
        descriptor.private_segment_size(),
    );
    report.lds = (before.group_segment_size(), descriptor.group_segment_size());
    let waves = |descriptor| {
        let resources = resources(descriptor, 0, WorkgroupSizes::default());
        resources.occupancy.waves_per_simd
    };
    report.occupancy = (waves(before), waves(&descriptor));
    let offset = text.functions.first().map_or(0, |function| function.offset);
    Ok(Rewritten {
        kernel: function.name.clone(),
        text: text.bytes,
        entry: offset,
        functions: text.functions,
        relocations: text.relocations,
        descriptor,
        pcs: text.pcs,
        lines: None,
        unit: None,
        report,
    })
}

/// The kernel and all it may call. What is called by a pointer is one of the functions whose address is taken.
fn closure(module: &Module, kernel: FunctionIndex) -> BTreeSet<FunctionIndex> {
    let mut functions = BTreeSet::new();
    let mut todo = vec![kernel];
    let mut unknown = false;
    while let Some(index) = todo.pop() {
        if !functions.insert(index) {
            continue;
        }
        todo.extend(module.callees(index));
        if !unknown && goes_anywhere(&module.functions[index]) {
            unknown = true;
            todo.extend(pointed_to(module));
        }
    }
    functions
}

/// Functions that pointers may point to.
pub(crate) fn pointed_to(module: &Module) -> impl Iterator<Item = FunctionIndex> + '_ {
    module
        .address_taken()
        .filter(|index| module.functions[*index].kind == FunctionKind::Device)
}

fn goes_anywhere(function: &Function) -> bool {
    function.blocks.iter().any(|block| {
        block.reachable
            && (block.call == Some(Callee::Unknown) || block.leaves.contains(&Leave::Anywhere))
    })
}

/// Registers that any of the functions names. What is called by a pointer may also be a function of which we saw no
/// reference: it runs uninstrumented, and must find its arguments.
fn named(module: &Module, functions: &BTreeSet<FunctionIndex>) -> Named {
    let mut named = Named::default();
    let anywhere = functions
        .iter()
        .any(|index| goes_anywhere(&module.functions[*index]));
    let device = |index: &FunctionIndex| module.functions[*index].kind == FunctionKind::Device;
    let others = (0..module.functions.len()).filter(|index| anywhere && device(index));
    for index in functions.iter().copied().chain(others) {
        named.registers.unite(module.named_alone(index));
    }
    named
}

fn pad(bytes: &mut Vec<u8>, codes: &Codes, alignment: usize) {
    while !bytes.len().is_multiple_of(alignment) {
        bytes.extend_from_slice(codes.bytes(Op::EndPadding));
    }
}

/// Since gfx11 the descriptor says how much code to prefetch, in units of 128 bytes.
fn prefetch(descriptor: &mut KernelDescriptor, size: usize) {
    if descriptor.target().family < Family::Gfx11 {
        return;
    }
    if let Some(before) = descriptor
        .get("inst_pref_size")
        .filter(|before| *before > 0)
    {
        let most = if descriptor.target().family >= Family::Gfx12 {
            0xff
        } else {
            0x3f
        };
        let wanted = (size.div_ceil(128) as u64).min(most).max(before);
        // The value fits its field.
        let _ = descriptor.set("inst_pref_size", wanted);
    }
}
