//! Tools that stock HIP compilers made: a shared library with bitcode embedded in its device code.

use crate::{Error, constructors, hooks};
use codeobj::container::EntryKind;
use hook::Module;
use std::path::Path;

/// Where compilers embed bitcode.
const BITCODE: &str = ".llvmbc";

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
    let problem = |reason: String| Error::Library {
        file: file.clone(),
        reason,
    };
    let contents = codeobj::walk(library).map_err(|error| problem(error.to_string()))?;
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
        for unit in units.map_err(|error| problem(error.to_string()))? {
            modules.push(Module {
                target: target.to_owned(),
                bitcode: unit.to_vec(),
            });
        }
    }
    if modules.is_empty() {
        return Err(problem(match bare.is_empty() {
            true => "there is no device code in it".to_owned(),
            false => format!(
                "its device code for {} has no bitcode in it; compile the tool with -Xclang -fembed-bitcode=all",
                bare.join(", ")
            ),
        }));
    }
    let bundle = hook::build_modules(&file, &modules, &|globals| hooks(globals, true))?;
    if !luthier::is_marked(&bundle.globals) {
        return Err(problem(
            "no device code of it was compiled with MARK_LUTHIER_DEVICE_MODULE".to_owned(),
        ));
    }
    let tool = bundle
        .to_bytes()
        .map_err(|source| Error::Bundle { file, source })?;
    let mut library = library.to_vec();
    constructors::hide(&mut library);
    Ok(Stock { tool, library })
}
