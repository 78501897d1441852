//! Tools that stock HIP compilers made: a shared library with bitcode embedded in its device code.

use crate::{Error, built, constructors};
use codeobj::{container::EntryKind, elf::Elf};
use hook::{Bundle, Module};
use std::path::Path;

/// The section in which compilers embed bitcode.
const BITCODE: &str = ".llvmbc";
/// The section in which tools in Rust have their hooks; see `tool!` in `luthier-tool`.
const COMPILED: &str = ".luthier_hooks";

/// A stock tool in the two parts that `luthier tool build` makes.
pub struct Stock {
    /// Templates and variables.
    pub tool: Vec<u8>,
    /// Host code: the library, with its constructors hidden from the loader.
    pub library: Vec<u8>,
}

/// Compiles the hooks in a library that was built with `-Xclang -fembed-bitcode=all`.
pub fn from_library(path: &Path, library: &[u8]) -> Result<Stock, Error> {
    let file = path.display().to_string();
    if let Some(hooks) = compiled(library) {
        // Host code in Rust is there whatever hooks there are.
        let unreadable = |source| Error::Bundle {
            file: file.clone(),
            source,
        };
        let mut bundle = Bundle::from_bytes(&hooks).map_err(unreadable)?;
        luthier::mark(&mut bundle.globals);
        let hooks = bundle.to_bytes().map_err(unreadable)?;
        let mut host = library.to_vec();
        constructors::hide(&mut host);
        return Ok(Stock {
            tool: hooks,
            library: host,
        });
    }
    let bundle = compile(&file, library)?;
    if !luthier::is_marked(&bundle.globals) {
        let reason = "no device code of it was compiled with MARK_LUTHIER_DEVICE_MODULE".to_owned();
        return Err(Error::Library { file, reason });
    }
    let tool = bundle
        .to_bytes()
        .map_err(|source| Error::Bundle { file, source })?;
    let mut library = library.to_vec();
    constructors::hide(&mut library);
    Ok(Stock { tool, library })
}

/// The same of anything that has such device code in it (a library, a program, a bundle, a code object): templates and variables.
pub fn module(path: &Path, contents: &[u8]) -> Result<Vec<u8>, Error> {
    let file = path.display().to_string();
    let bundle = compile(&file, contents)?;
    bundle
        .to_bytes()
        .map_err(|source| Error::Bundle { file, source })
}

/// The hooks that a library has in it as `luthier tool build --module` made them.
fn compiled(library: &[u8]) -> Option<Vec<u8>> {
    let elf = Elf::parse(library).ok()?;
    Some(elf.section(COMPILED)?.data.to_vec())
}

/// Compiles what bitcode there is.
fn compile(file: &str, contents: &[u8]) -> Result<Bundle, Error> {
    let problem = |reason: String| Error::Library {
        file: file.to_owned(),
        reason,
    };
    let contents = codeobj::walk(contents).map_err(|error| problem(error.to_string()))?;
    let (mut modules, mut bare) = (Vec::new(), Vec::new());
    for entry in &contents.entries {
        if entry.kind != EntryKind::CodeObject {
            continue;
        }
        let object = entry
            .code_object()
            .map_err(|error| problem(error.to_string()))?;
        let target = object.target().target.name;
        let Some(section) = object.elf().section(BITCODE) else {
            bare.push(target);
            continue;
        };
        let units = hook::split_bitcode(section.data);
        let units = units.map_err(|error| problem(error.to_string()))?;
        // Units that were linked into one object (-fgpu-rdc) may use each other's functions.
        let bitcode = match &*units {
            [unit] => unit.to_vec(),
            units => hook::link_bitcode(units)
                .map_err(|error| problem(format!("its code for {target}: {error}")))?,
        };
        modules.push(Module {
            target: target.to_owned(),
            bitcode,
        });
    }
    if modules.is_empty() {
        return Err(problem(match bare.is_empty() {
            true => "there is no device code in it".to_owned(),
            false => format!(
                "its device code for {} has no bitcode in it; compile it with -Xclang -fembed-bitcode=all",
                bare.join(", ")
            ),
        }));
    }
    built(file, true, |hooks| {
        hook::build_modules(file, &modules, hooks)
    })
}
