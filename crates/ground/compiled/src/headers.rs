//! HIP's headers, read once, and those of tools.
//!
//! `hipcc` reads them for the host and again for each target, and a short program has little else. The cache keeps them as precompiled
//! headers: one for the host and one for each target and set of options. Clang makes the same code with them, and refuses one that does
//! not fit: [`Entry`] then compiles without them. Device functions of `luthier.h`, and those in embedded bitcode, come in another order.
//! Debug information lacks the names that headers declare and the program does not use. (Tests compare both.)

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use crate::{Compiler, entry::Entry, plan::Plan};

/// The name of the header, and of what is made of it. Clang looks for the second where it is told to include the first.
const HEADER: &str = "hip.h";
const PRECOMPILED: &str = "hip.h.pch";
const HIP: &str = "#include <hip/hip_runtime.h>";
/// The header of tools, which begins with HIP's.
const TOOL: &str = "#include <luthier.h>";

/// Options on which declarations do not depend, and those that only the linker reads.
const WITHOUT_EFFECT: &[&str] = &["-c", "-g", "-rdynamic", "-shared", "-w"];
/// Other options have no effect either if they begin like this: warnings, what the linker is told, and libraries.
const WITHOUT_EFFECT_BEGIN: &[&str] = &["-W", "-l"];
/// Options on which declarations may depend. With others, headers are not precompiled: they may be for a part of the compilation, name
/// more headers, or define macros. With `-O0`, HIP's functions would come in another order.
const KEPT: &[&str] = &[
    "-fPIC",
    "-fPIE",
    "-ffp-contract=",
    "-fno-inline",
    "-fno-pie",
    "-mcode-object-version=",
    "-munsafe-fp-atomics",
    "-pthread",
    "-std=",
];

/// The only option that may stand behind `-Xclang`: no declaration depends on it.
const EMBED: &str = "-fembed-bitcode=all";

/// Options that have a compiler use precompiled headers, and what these were made of.
pub struct Headers {
    pub options: Vec<OsString>,
    /// A line for each header, as in [`Entry`]'s `made`.
    pub made: String,
}

impl Headers {
    /// None: this is not `hipcc`, its options are not understood, a source does not begin with HIP's header, or making them failed.
    pub fn of(compiler: &Compiler, cache: &Path) -> io::Result<Option<Headers>> {
        let Some(passes) = Passes::of(compiler) else {
            return Ok(None);
        };
        let mut headers = Headers {
            options: Vec::new(),
            made: String::new(),
        };
        let host = Some(("host", None));
        let targets = passes.targets.iter().map(|target| (*target, Some(*target)));
        for (name, target) in host.into_iter().chain(targets) {
            let Some((prefix, made)) = precompiled(compiler, &passes, target, cache)? else {
                return Ok(None);
            };
            let mut include = OsString::from("-include");
            include.push(prefix);
            headers
                .options
                .extend([format!("-Xarch_{name}").into(), include]);
            headers.made.push_str(&made);
        }
        Ok(Some(headers))
    }
}

/// The passes of a command: one for the host, and one for each target.
struct Passes<'a> {
    targets: Vec<&'a str>,
    /// The options on which the headers' declarations depend.
    kept: Vec<&'a str>,
    /// The line that all sources begin with.
    includes: &'static str,
}

impl Passes<'_> {
    fn of(compiler: &Compiler) -> Option<Passes<'_>> {
        if Path::new(&compiler.program).file_name()? != "hipcc" {
            return None;
        }
        let mut passes = Passes {
            targets: Vec::new(),
            kept: Vec::new(),
            includes: TOOL,
        };
        let mut sources = 0;
        let mut arguments = compiler.arguments.iter();
        while let Some(argument) = arguments.next() {
            let text = argument.to_str()?;
            let begins_with =
                |options: &[&str]| options.iter().any(|option| text.starts_with(option));
            if let Some(target) = text.strip_prefix("--offload-arch=") {
                passes.targets.push(plain(target)?);
            } else if text == "-o" {
                arguments.next();
            } else if text == "-I" {
                passes.kept.extend([text, arguments.next()?.to_str()?]);
            } else if matches!(text, "-O1" | "-O2" | "-O3") {
                // Declarations are the same for all of them.
                passes.kept.push("-O3");
            } else if begins_with(KEPT) {
                passes.kept.push(text);
            } else if !text.starts_with('-') {
                if first_header(&compiler.path(argument))? == HIP {
                    passes.includes = HIP;
                }
                sources += 1;
            } else if text == "-Xclang" {
                (arguments.next()?.to_str()? == EMBED).then_some(())?;
            } else if !WITHOUT_EFFECT.contains(&text) && !begins_with(WITHOUT_EFFECT_BEGIN) {
                return None;
            }
        }
        (sources > 0 && !passes.targets.is_empty()).then_some(passes)
    }
}

/// A target without features, which `-Xarch_` can name.
fn plain(target: &str) -> Option<&str> {
    let is_plain =
        target.starts_with("gfx") && target.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_plain.then_some(target)
}

/// The line that includes the first header that is not the system's, if that is HIP's or includes that first, and no macro is defined
/// before.
fn first_header(source: &Path) -> Option<&'static str> {
    let text = fs::read_to_string(source).ok()?;
    for line in text.lines().filter(|line| line.starts_with('#')) {
        if let Some(header) = [HIP, TOOL].into_iter().find(|header| *header == line) {
            return Some(header);
        }
        if let Some(name) = line.strip_prefix("#include \"") {
            return first_header(&source.with_file_name(name.strip_suffix('"')?));
        }
        if !line.starts_with("#include <") && line != "#pragma once" {
            return None;
        }
    }
    None
}

/// The precompiled header for the host or a target, made now if it is not in the cache: the path that is to be included, and its headers.
fn precompiled(
    compiler: &Compiler,
    passes: &Passes<'_>,
    target: Option<&str>,
    cache: &Path,
) -> io::Result<Option<(PathBuf, String)>> {
    let folder = tempfile::tempdir()?;
    let header = folder.path().join(HEADER);
    fs::write(&header, passes.includes)?;
    let arch = format!("--offload-arch={}", target.unwrap_or("gfx90a"));
    // With a form that is no machine code, one pass makes the output.
    let pass: &[&str] = match target {
        Some(_) => &["--cuda-device-only", "-emit-llvm"],
        None => &["--cuda-host-only"],
    };
    let mut pass_compiler = Compiler {
        arguments: Vec::new(),
        ..compiler.clone()
    };
    pass_compiler
        .args(&passes.kept)
        .arg(arch)
        .args(pass)
        .args(["-c", "-Xclang", "-emit-pch", "-x", "hip"])
        .arg(&header)
        .arg("-o")
        .arg(folder.path().join(PRECOMPILED));
    let Some(plan) = Plan::of(&pass_compiler) else {
        return Ok(None);
    };
    let entry = Entry::lock(cache, &plan.key)?;
    let Some(output) = entry.ready(&pass_compiler, &plan)? else {
        return Ok(None);
    };
    Ok(Some((output.with_extension(""), entry.headers()?)))
}
