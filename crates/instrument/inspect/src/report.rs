//! The report and how it is gathered.

use crate::Options;
use crate::code::{self, Context, Function};
use codeobj::container::Entry;
use codeobj::elf::{Binding, SymbolKind, SymbolSection};
use codeobj::metadata::{Argument, KernelMetadata};
use codeobj::resources::{OneMore, WhatIf, WorkgroupSizes, one_more, resources, what_if};
use codeobj::{CodeObject, Kernel, SourceLines, SourceParameter};
use isa::Decoder;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Everything found in one file.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub file: String,
    /// In bytes.
    pub size: u64,
    pub objects: Vec<ObjectReport>,
    /// Entries that are no code objects (host code, bitcode): id and size.
    pub others: Vec<(String, u64)>,
    /// Parts that could not be read: where and why.
    pub problems: Vec<(String, String)>,
}

/// One code object.
#[derive(Clone, Debug, Serialize)]
pub struct ObjectReport {
    /// Bundle entry id, or triple and target id.
    pub id: String,
    /// Containers around it, outermost first.
    pub path: Vec<String>,
    /// Offset in the file; none inside compressed bytes.
    pub file_offset: Option<u64>,
    pub size: u64,
    pub target: String,
    /// 3 to 6.
    pub code_object_version: u8,
    pub linked: bool,
    /// Hexadecimal.
    pub build_id: Option<String>,
    pub has_debug_lines: bool,
    pub has_bitcode: bool,
    /// Name, address, size of every loaded section.
    pub sections: Vec<(String, u64, u64)>,
    pub kernels: Vec<KernelReport>,
    /// Device functions; only when code was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<Function>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<SymbolReport>,
}

/// One symbol.
#[derive(Clone, Debug, Serialize)]
pub struct SymbolReport {
    pub name: String,
    pub address: u64,
    pub size: u64,
    pub kind: SymbolKind,
    pub binding: Binding,
    /// Section name, `undefined`, `absolute` or `common`.
    pub place: String,
}

/// Registers of one wave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Registers {
    /// By the metadata: what the code uses, AccVGPRs of a unified file included.
    pub vgprs: Option<u64>,
    pub agprs: Option<u64>,
    pub sgprs: Option<u64>,
    /// VGPRs that the hardware allocates.
    pub allocated_vgprs: u32,
    pub allocated_sgprs: u32,
    /// The first AccVGPR in a unified register file.
    pub accum_offset: Option<u32>,
    pub vgpr_spills: u64,
    pub sgpr_spills: u64,
}

/// Waves per SIMD for the best workgroup size, without dynamic LDS.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Occupancy {
    pub waves_per_simd: u32,
    pub max_waves_per_simd: u32,
    /// `VGPRs`, `SGPRs`, `LDS`, `workgroup size` or `barriers`; none at the maximum.
    pub limited_by: Option<&'static str>,
    /// The size to which that must shrink for one more wave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one_more: Option<OneMore>,
    /// Each resource, and what a piece less of it would give.
    pub what_if: Vec<WhatIf>,
}

/// One kernel.
#[derive(Clone, Debug, Serialize)]
pub struct KernelReport {
    pub name: String,
    /// The name in the source, if `name` is a mangled C++ name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub demangled: Option<String>,
    pub entry: u64,
    pub code_size: u64,
    pub wave_size: u8,
    pub arguments: Vec<Argument>,
    /// Bytes.
    pub kernarg_size: u32,
    pub registers: Registers,
    /// Bytes per workgroup known at compile time.
    pub lds: u32,
    /// Bytes per lane.
    pub scratch: u32,
    pub dynamic_stack: bool,
    pub max_workgroup_size: Option<u64>,
    pub occupancy: Occupancy,
    /// SGPRs that hold values at entry, in order, with their number of registers.
    pub initial_sgprs: Vec<(&'static str, u32)>,
    /// Every field of the kernel descriptor.
    pub descriptor: BTreeMap<&'static str, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Function>,
}

pub(crate) fn place(entry: &Entry<'_>) -> String {
    let mut parts = entry.path.clone();
    parts.push(entry.id.clone());
    parts.join(" / ")
}

/// Everything about one code object. `names`: those of its kernels.
pub(crate) fn object(
    entry: &Entry<'_>,
    options: &Options,
    problems: &mut Vec<(String, String)>,
    names: &mut Vec<String>,
) -> codeobj::Result<ObjectReport> {
    let object = entry.code_object()?;
    let mut report_problem =
        |what: &str, error: String| problems.push((format!("{} / {what}", place(entry)), error));
    let metadata = object.metadata().unwrap_or_else(|error| {
        report_problem("metadata", error.to_string());
        None
    });
    // Line tables are large; they are read only for a listing.
    let sources = if options.disassembly {
        SourceLines::read(&object).unwrap_or_else(|error| {
            report_problem("debug information", error.to_string());
            None
        })
    } else {
        None
    };
    let function_names: BTreeMap<u64, String> = object
        .functions()
        .iter()
        .map(|symbol| (symbol.value, symbol.name.to_owned()))
        .collect();

    let kernels = object.kernels()?;
    names.extend(kernels.iter().map(|kernel| kernel.name.to_owned()));
    let mut described: HashMap<String, KernelMetadata> = HashMap::new();
    for kernel in metadata.iter().flat_map(|metadata| metadata.kernels()) {
        let name = kernel
            .symbol
            .strip_suffix(".kd")
            .unwrap_or(&kernel.name)
            .to_owned();
        described.entry(name).or_insert(kernel);
    }
    let kernel_names: HashSet<&str> = kernels.iter().map(|kernel| kernel.name).collect();
    let mut decoders = Decoders::default();
    let mut reports = Vec::new();
    for kernel in kernels
        .iter()
        .filter(|kernel| selected(kernel.name, options))
    {
        let mut described = described.remove(kernel.name);
        if let Some(described) = &mut described {
            let known = sources.as_ref();
            let known = known.and_then(|sources| sources.parameters(kernel.entry));
            name_arguments(
                &mut described.arguments,
                kernel.name,
                known.unwrap_or_default(),
            );
        }
        let mut report = kernel_report(kernel, described);
        if options.wants_code() {
            let decoder = decoders.get(&object, kernel.descriptor.wave_size());
            let code = decoder.and_then(|decoder| {
                let context = Context {
                    object: &object,
                    decoder,
                    sources: sources.as_ref(),
                    names: &function_names,
                    options,
                };
                code::function(&context, kernel.name, kernel.entry, kernel.code_size)
                    .map_err(|error| error.to_string())
            });
            match code {
                Ok(code) => report.code = Some(code),
                Err(error) => report_problem(kernel.name, error),
            }
        }
        reports.push(report);
    }

    let mut functions = Vec::new();
    if options.wants_code() {
        // Device functions run in waves of their callers; all kernels of one object agree in practice.
        let wave_size = kernels
            .first()
            .map_or(object.target().target.wave_size, |kernel| {
                kernel.descriptor.wave_size()
            });
        for symbol in object.functions() {
            if kernel_names.contains(symbol.name) || !selected(symbol.name, options) {
                continue;
            }
            let code = decoders.get(&object, wave_size).and_then(|decoder| {
                let context = Context {
                    object: &object,
                    decoder,
                    sources: sources.as_ref(),
                    names: &function_names,
                    options,
                };
                code::function(&context, symbol.name, symbol.value, symbol.size)
                    .map_err(|error| error.to_string())
            });
            match code {
                Ok(code) => functions.push(code),
                Err(error) => report_problem(symbol.name, error),
            }
        }
    }

    let build_id = object.build_id().ok().flatten();
    Ok(ObjectReport {
        id: entry.id.clone(),
        path: entry.path.clone(),
        file_offset: entry.file_offset,
        size: entry.bytes.len() as u64,
        target: object.target().to_string(),
        code_object_version: object.version().number(),
        linked: object.is_linked(),
        build_id: build_id.map(|bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
        has_debug_lines: object.elf().section(".debug_line").is_some(),
        has_bitcode: object.embedded_bitcode().is_some(),
        sections: object
            .elf()
            .sections
            .iter()
            .filter(|section| section.is_allocated())
            .map(|section| (section.name.to_owned(), section.address, section.size))
            .collect(),
        kernels: reports,
        functions,
        symbols: if options.symbols {
            symbols(&object)
        } else {
            Vec::new()
        },
    })
}

/// One decoder per wave size, made when first needed: making one costs milliseconds.
#[derive(Default)]
struct Decoders {
    made: Vec<(u8, Result<Decoder, String>)>,
}

impl Decoders {
    fn get(&mut self, object: &CodeObject<'_>, wave_size: u8) -> Result<&Decoder, String> {
        let known = self.made.iter().position(|(size, _)| *size == wave_size);
        let index = known.unwrap_or_else(|| {
            let decoder = Decoder::with_features(object.target().target, wave_size, "");
            self.made
                .push((wave_size, decoder.map_err(|error| error.to_string())));
            self.made.len() - 1
        });
        self.made[index].1.as_ref().map_err(Clone::clone)
    }
}

/// Returns `true` if the name filter takes `name`, in either form.
fn selected(name: &str, options: &Options) -> bool {
    let named = options
        .names
        .as_ref()
        .is_none_or(|names| names.contains(name));
    named && (options.selects(name) || demangle(name).is_some_and(|name| options.selects(&name)))
}

/// The source-level form of a mangled C++ name.
fn demangle(name: &str) -> Option<String> {
    // Real names are far shorter; demanglers may take exponential time on hostile ones.
    if !name.starts_with("_Z") || name.len() > 4096 {
        return None;
    }
    demangle::demangled(name)
}

/// Fills in names and types that the metadata lacks, from debug information and from the kernel's mangled name.
fn name_arguments(arguments: &mut [Argument], kernel: &str, known: &[SourceParameter]) {
    let demangled = demangle(kernel).unwrap_or_default();
    let types = demangle::parameter_types(&demangled);
    let visible = |one: &&mut Argument| !one.kind.is_hidden();
    let count = arguments.iter().filter(|one| !one.kind.is_hidden()).count();
    let from_debug = known.len() == count;
    let from_name = types.len() == count;
    for (index, argument) in arguments.iter_mut().filter(visible).enumerate() {
        let debug = known.get(index).filter(|_| from_debug);
        let written = |text: &&str| !text.is_empty();
        if argument.name.is_none() {
            let name = debug.map(|known| known.name.as_str()).filter(written);
            argument.name = name.map(str::to_owned);
        }
        if argument.type_name.is_none() {
            let named = types.get(index).copied().filter(|_| from_name);
            let debug = debug.map(|known| known.type_name.as_str()).filter(written);
            argument.type_name = named.or(debug).map(str::to_owned);
        }
    }
}

fn kernel_report(kernel: &Kernel<'_>, described: Option<KernelMetadata>) -> KernelReport {
    let descriptor = &kernel.descriptor;
    let max = described
        .as_ref()
        .map(|described| described.max_flat_workgroup_size)
        .filter(|max| *max != 0);
    let exact = described
        .as_ref()
        .and_then(|described| described.reqd_workgroup_size);
    let sizes = match exact {
        Some([x, y, z]) => {
            let lanes = x.saturating_mul(y).saturating_mul(z).min(1024) as u32;
            WorkgroupSizes {
                min: lanes,
                max: lanes,
            }
        }
        None => WorkgroupSizes {
            min: 1,
            max: max.map_or(1024, |max| max.min(1024) as u32),
        },
    };
    let used = resources(descriptor, 0, sizes);
    let max_waves = u32::from(descriptor.target().max_waves_per_simd);
    let count = |read: fn(&KernelMetadata) -> u64| described.as_ref().map(read);
    let vgprs = count(|described| described.vgpr_count);
    let used_vgprs = vgprs.map(|vgprs| vgprs as u32);
    let more = one_more(descriptor, used_vgprs, sizes);
    KernelReport {
        name: kernel.name.to_owned(),
        demangled: demangle(kernel.name),
        entry: kernel.entry,
        code_size: kernel.code_size,
        wave_size: descriptor.wave_size(),
        kernarg_size: descriptor.kernarg_size(),
        registers: Registers {
            vgprs,
            agprs: count(|described| described.agpr_count),
            sgprs: count(|described| described.sgpr_count),
            allocated_vgprs: used.allocated_vgprs,
            allocated_sgprs: used.allocated_sgprs,
            accum_offset: descriptor.accum_offset(),
            vgpr_spills: count(|described| described.vgpr_spill_count).unwrap_or(0),
            sgpr_spills: count(|described| described.sgpr_spill_count).unwrap_or(0),
        },
        lds: descriptor.group_segment_size(),
        scratch: descriptor.private_segment_size(),
        dynamic_stack: descriptor.get("uses_dynamic_stack") == Some(1),
        max_workgroup_size: max,
        occupancy: Occupancy {
            waves_per_simd: used.occupancy.waves_per_simd,
            max_waves_per_simd: max_waves,
            limited_by: more
                .map(|more| more.of)
                .or_else(|| used.occupancy.limit(max_waves)),
            one_more: more,
            what_if: what_if(descriptor, used_vgprs, sizes),
        },
        initial_sgprs: descriptor.initial_sgprs(),
        descriptor: descriptor.fields().collect(),
        arguments: described
            .map(|described| described.arguments)
            .unwrap_or_default(),
        code: None,
    }
}

fn symbols(object: &CodeObject<'_>) -> Vec<SymbolReport> {
    let sections = &object.elf().sections;
    let place = |place| match place {
        SymbolSection::Undefined => "undefined".to_owned(),
        SymbolSection::Absolute => "absolute".to_owned(),
        SymbolSection::Common => "common".to_owned(),
        SymbolSection::Section(index) => sections
            .get(index)
            .map_or("?", |section| section.name)
            .to_owned(),
    };
    let named = object
        .all_symbols()
        .iter()
        .filter(|symbol| !symbol.name.is_empty());
    named
        .map(|symbol| SymbolReport {
            name: symbol.name.to_owned(),
            address: symbol.value,
            size: symbol.size,
            kind: symbol.kind,
            binding: symbol.binding,
            place: place(symbol.section),
        })
        .collect()
}
