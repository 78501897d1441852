//! `luthier tool build`: a HIP file to a bundle. The one part of this crate that runs programs and touches files.

use crate::{
    Arg, BuildError, Bundle, Clobbers, CompileError, Compiler, Entry, Global, Request, Template,
};
use gfx::Target;
use llvm_codegen::{Appended, Bitcode};
use std::{collections::HashSet, path::Path, process::Command};

/// Targets a tool is built for unless told otherwise. A generic target's templates serve all chips that it covers, so that a
/// family costs as much to build as one chip; two chips have no generic target.
pub const TARGETS: [&str; 8] = [
    "gfx9-generic",
    "gfx908",
    "gfx90a",
    "gfx9-4-generic",
    "gfx10-1-generic",
    "gfx10-3-generic",
    "gfx11-generic",
    "gfx12-generic",
];

/// The facts about a translation unit before its hooks are compiled.
pub struct Unit<'a> {
    /// Its variables.
    pub globals: &'a [Global],
    /// The records that its functions append to rings.
    pub records: &'a [Appended],
}

/// A function that lists the hooks of a tool. The tool's variables may name them.
pub type HookList<'a> = dyn Fn(&Unit<'_>) -> Result<Vec<(String, Vec<Arg>)>, String> + 'a;

/// The input of a build.
#[derive(Clone)]
pub struct ToolRequest<'a> {
    /// The HIP file.
    pub source: &'a Path,
    /// The directory of `luthier_device.h`.
    pub include: &'a Path,
    /// Given a unit of the tool, the hooks with the arguments they are inserted with.
    pub hooks: &'a HookList<'a>,
    pub targets: &'a [&'a str],
    /// `clang-22` or a path.
    pub clang: &'a str,
}

/// Compiles every hook for every target, in all variants of what may be live: SCC and VCC. Hooks with very many values get a
/// second template for each, behind the first.
pub fn build_tool(request: &ToolRequest<'_>) -> Result<Bundle, BuildError> {
    let mut bundle = Bundle::default();
    let file = request.source.display().to_string();
    for name in request.targets {
        let target = find(name)?;
        let bitcode = compile_source(request, target)?;
        add_module(&mut bundle, &file, target, &bitcode, request.hooks)?;
    }
    check_variables(&bundle, &file)?;
    Ok(bundle)
}

/// The bitcode of one translation unit, or of several that were linked, and the processor that it was compiled for.
pub struct Module {
    pub target: String,
    pub bitcode: Vec<u8>,
}

/// The same from bitcode that compilers embedded in `file`.
pub fn build_modules(
    file: &str,
    modules: &[Module],
    hooks: &HookList<'_>,
) -> Result<Bundle, BuildError> {
    let mut bundle = Bundle::default();
    for module in modules {
        let target = find(&module.target)?;
        add_module(&mut bundle, file, target, &module.bitcode, hooks)?;
    }
    check_variables(&bundle, file)?;
    Ok(bundle)
}

/// Each variable that a hook uses is in one of the tool's sources.
fn check_variables(bundle: &Bundle, file: &str) -> Result<(), BuildError> {
    let known: HashSet<&str> = bundle.globals.iter().map(|it| it.name.as_str()).collect();
    for entry in &bundle.entries {
        let used = entry.template.relocations.iter();
        let mut used = used.filter(|used| used.value().is_none());
        if let Some(unknown) = used.find(|used| !known.contains(used.symbol.as_str())) {
            return Err(BuildError::Variable {
                file: file.to_owned(),
                hook: entry.hook.clone(),
                variable: demangle::readable(&unknown.symbol),
            });
        }
    }
    Ok(())
}

fn find(target: &str) -> Result<&'static Target, BuildError> {
    let found = Target::find(target);
    found.ok_or_else(|| BuildError::Target(target.to_owned()))
}

fn add_module(
    bundle: &mut Bundle,
    file: &str,
    target: &'static Target,
    bitcode: &[u8],
    hooks: &HookList<'_>,
) -> Result<(), BuildError> {
    let unreadable = |source| BuildError::Bitcode {
        file: file.to_owned(),
        target: target.name.to_owned(),
        source,
    };
    let mut module = Bitcode::parse(bitcode).map_err(unreadable)?;
    let globals = variables(module.globals().map_err(unreadable)?);
    let unit = Unit {
        globals: &globals,
        records: &module.records().map_err(unreadable)?,
    };
    let hooks = hooks(&unit).map_err(|reason| BuildError::Hooks {
        file: file.to_owned(),
        reason,
    })?;
    add_globals(bundle, globals);
    for &wave_size in wave_sizes(target) {
        let in_file = |source| BuildError::hook(file, source);
        let compiler = Compiler::new(target, wave_size, "").map_err(in_file)?;
        for (hook, arguments) in &hooks {
            let made_for = |entry: &Entry| {
                entry.hook == *hook
                    && entry.template.target == target.name
                    && entry.template.wave_size == wave_size
            };
            // Each unit contains the definitions of its headers.
            if !bundle.entries.iter().any(made_for) {
                add_variants(bundle, &compiler, &mut module, hook, arguments).map_err(in_file)?;
            }
        }
    }
    Ok(())
}

fn wave_sizes(target: &Target) -> &'static [u8] {
    if target.supports_wave32() {
        &[32, 64]
    } else {
        &[64]
    }
}

fn add_variants(
    bundle: &mut Bundle,
    compiler: &Compiler,
    module: &mut Bitcode,
    hook: &str,
    arguments: &[Arg],
) -> Result<(), CompileError> {
    let mut made: Vec<(Clobbers, Vec<Template>)> = Vec::new();
    let (scc, vcc) = (Clobbers::SCC, Clobbers::VCC);
    for preserved in [Clobbers::empty(), scc, vcc, scc | vcc] {
        let variant = Request {
            // Behind a colon stands what tells apart several entries for one function.
            hook: hook.split(':').next().unwrap_or(hook),
            arguments,
            preserve_scc: preserved.contains(scc),
            preserve_vcc: preserved.contains(vcc),
            attributes: &[],
        };
        // The compiler may have spared these registers without being told to: it would make the same code again.
        let spares = |(told, templates): &&(Clobbers, Vec<Template>)| {
            let mut clobbers = templates.iter().map(|template| template.clobbers);
            preserved.contains(*told) && !clobbers.any(|clobbers| clobbers.intersects(preserved))
        };
        let templates = match made.iter().find(spares) {
            Some((_, templates)) => templates.clone(),
            None => compiled(bundle, compiler, module, &variant)?,
        };
        let entries = templates.iter().map(|template| Entry {
            hook: hook.to_owned(),
            preserve_scc: variant.preserve_scc,
            preserve_vcc: variant.preserve_vcc,
            template: template.clone(),
        });
        bundle.entries.extend(entries);
        made.push((preserved, templates));
    }
    Ok(())
}

/// The template of a variant, and the small one where one is needed.
fn compiled(
    bundle: &mut Bundle,
    compiler: &Compiler,
    module: &mut Bitcode,
    variant: &Request<'_>,
) -> Result<Vec<Template>, CompileError> {
    let template = compiler.template(module, variant)?;
    let small = compiler.small_template(module, variant, &template);
    let mut templates: Vec<Template> = [Some(template), small].into_iter().flatten().collect();
    for template in &mut templates {
        add_globals(bundle, std::mem::take(&mut template.constants));
        let mut relocations = template.relocations.iter();
        if relocations.any(|relocation| relocation.symbol == PRINTF) {
            add_globals(bundle, vec![printf_ring()]);
        }
    }
    Ok(templates)
}

/// The stream through which hooks print: `luthier::ring`, and the number of the next message behind it.
const PRINTF: &str = "__luthier_printf";
const PRINTF_SIZE: u64 = 64;

fn printf_ring() -> Global {
    Global {
        name: PRINTF.to_owned(),
        size: PRINTF_SIZE,
        alignment: 8,
        initial: None,
    }
}

fn add_globals(bundle: &mut Bundle, globals: Vec<Global>) {
    for global in globals {
        if !bundle.globals.iter().any(|other| other.name == global.name) {
            bundle.globals.push(global);
        }
    }
}

/// The variables that a module defines.
fn variables(globals: Vec<llvm_codegen::Global>) -> Vec<Global> {
    let defined = globals.into_iter().filter(|global| {
        // The compilation unit's identifier, which clang adds.
        global.defined && !global.name.starts_with("__hip_cuid_")
    });
    let defined = defined.map(|global| Global {
        name: global.name,
        size: global.size,
        alignment: global.alignment,
        initial: global.initial,
    });
    defined.collect()
}

fn compile_source(request: &ToolRequest<'_>, target: &Target) -> Result<Vec<u8>, BuildError> {
    let file_error = |path: &Path, source| BuildError::File {
        path: path.display().to_string(),
        source,
    };
    let directory =
        tempfile::tempdir().map_err(|error| file_error(&std::env::temp_dir(), error))?;
    let bitcode = directory.path().join("hook.bc");
    let output = Command::new(request.clang)
        .args(["-x", "hip", "--cuda-device-only", "-O2", "-std=c++17"])
        .arg(format!("--offload-arch={}", target.name))
        // Hooks need no headers and no libraries of ROCm, and so tools build without any.
        .args([
            "-nogpulib",
            "-nogpuinc",
            "-gline-tables-only",
            "-DLUTHIER_WITHOUT_HIP",
        ])
        // Optimising is for later, when registers are known as such.
        .args(["-emit-llvm", "-c", "-Xclang", "-disable-llvm-passes"])
        .arg("-I")
        .arg(request.include)
        .arg(request.source)
        .arg("-o")
        .arg(&bitcode)
        .output()
        .map_err(|source| BuildError::Clang {
            program: request.clang.to_owned(),
            source,
        })?;
    if !output.status.success() {
        return Err(BuildError::Source {
            file: request.source.display().to_string(),
            target: target.name.to_owned(),
            output: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        });
    }
    std::fs::read(&bitcode).map_err(|error| file_error(&bitcode, error))
}
