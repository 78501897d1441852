//! Functions of a program that have allocated or freed memory.

use std::{collections::HashMap, fs, path::Path};

use object::{Object, ObjectSegment, SymbolMap, SymbolMapName};

/// Libraries between a program and the emulated device: what they do, they do for the program.
const BETWEEN: [&str; 4] = ["libhsakmt", "libhsa-runtime64", "libamdhip64", "libluthier"];

/// Names of functions in the files of programs and libraries.
#[derive(Default)]
pub struct Symbols {
    modules: HashMap<String, Option<Module>>,
}

/// One file.
struct Module {
    /// Address of its first byte in memory, as its own addresses count.
    base: u64,
    /// Functions by address, as their authors wrote them.
    names: SymbolMap<SymbolMapName<'static>>,
}

impl Symbols {
    /// The function at an offset of a file; none if it is of a library in between.
    pub fn caller(&mut self, module: &str, offset: &str) -> Option<String> {
        let file = Path::new(module).file_name().unwrap_or_default();
        let file = file.to_string_lossy();
        if BETWEEN.iter().any(|name| file.starts_with(name)) {
            return None;
        }
        let place = format!("{file}+{offset}");
        let offset = u64::from_str_radix(offset.strip_prefix("0x")?, 16).ok()?;
        let known = self.modules.entry(module.to_owned());
        let read = known.or_insert_with(|| Module::read(module));
        let name = read.as_ref().and_then(|module| module.name(offset));
        Some(match name {
            Some(name) => format!("{} ({place})", demangle::readable(name)),
            None => place,
        })
    }
}

impl Module {
    fn read(path: &str) -> Option<Module> {
        // Kept to the end, as are the names in it; there are few.
        let bytes: &'static [u8] = fs::read(path).ok()?.leak();
        let file = object::File::parse(bytes).ok()?;
        let base = file.segments().map(|segment| segment.address()).min()?;
        Some(Module {
            // As the loader rounds it.
            base: base & !0xfff,
            names: file.symbol_map(),
        })
    }

    fn name(&self, offset: u64) -> Option<&'static str> {
        let symbol = self.names.containing(self.base + offset)?;
        Some(symbol.name())
    }
}
