//! `luthier tool build`: a HIP file to a bundle. The one part of this crate that runs programs and touches files.

use crate::{Arg, BuildError, Bundle, CompileError, Compiler, Entry, Global, Request};
use gfx::Target;
use llvm_codegen::Bitcode;
use std::{path::Path, process::Command};

/// Targets a tool is built for unless told otherwise.
pub const TARGETS: [&str; 10] = [
    "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1150",
    "gfx1200",
];

/// What to build.
#[derive(Clone, Debug)]
pub struct ToolRequest<'a> {
    /// The HIP file.
    pub source: &'a Path,
    /// The directory of `luthier_device.h`.
    pub include: &'a Path,
    /// Hooks with the arguments they are inserted with.
    pub hooks: &'a [(&'a str, &'a [Arg])],
    pub targets: &'a [&'a str],
    /// `clang-22` or a path.
    pub clang: &'a str,
}

/// Compiles every hook for every target, in all variants of what may be live: SCC and VCC.
pub fn build_tool(request: &ToolRequest<'_>) -> Result<Bundle, BuildError> {
    let mut bundle = Bundle::default();
    for name in request.targets {
        let target = Target::find(name)
            .ok_or_else(|| BuildError::Hook(CompileError::Target((*name).to_owned())))?;
        let bitcode = compile_source(request, target)?;
        let unreadable = |source| BuildError::Bitcode {
            file: request.source.display().to_string(),
            target: target.name.to_owned(),
            source,
        };
        let mut module = Bitcode::parse(&bitcode).map_err(unreadable)?;
        let compiler = Compiler::new(target, target.wave_size, "")?;
        for (hook, arguments) in request.hooks {
            for (preserve_scc, preserve_vcc) in
                [(false, false), (true, false), (false, true), (true, true)]
            {
                let variant = Request {
                    hook,
                    arguments,
                    preserve_scc,
                    preserve_vcc,
                    attributes: &[],
                };
                bundle.entries.push(Entry {
                    hook: (*hook).to_owned(),
                    preserve_scc,
                    preserve_vcc,
                    template: compiler.template(&mut module, &variant)?,
                });
            }
        }
        for global in module.globals().map_err(unreadable)? {
            let known = bundle.globals.iter().any(|other| other.name == global.name);
            // The compilation unit's identifier, which clang adds.
            if known || !global.defined || global.name.starts_with("__hip_cuid_") {
                continue;
            }
            bundle.globals.push(Global {
                name: global.name,
                size: global.size,
                alignment: global.alignment,
                initial: global.initial,
            });
        }
    }
    Ok(bundle)
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
        .args(["-nogpulib", "-nogpuinc", "-gline-tables-only"])
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
