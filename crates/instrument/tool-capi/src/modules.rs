//! Modules: hooks and variables that a tool loads while the application runs.

use crate::{
    table::{NULL, name, with_variables},
    variables::Variables,
};
use luthier::{Live, ToolFile};
use std::{
    collections::HashMap,
    ffi::{c_char, c_int, c_void},
    fs,
    path::{Path, PathBuf},
};
use tool_abi::{OWN_MODULE, Tool, constants};

/// Compiles the hooks of a module in a process of its own; where the `.tool` file lies that comes of it.
pub type Compile = fn(&Path) -> Result<PathBuf, String>;

/// An object of which host code has a handle. Names are those of [`luthier::Tool::modules`].
#[derive(Clone, Debug)]
pub enum Symbol {
    Hook {
        name: String,
        parameters: usize,
    },
    Variable {
        name: String,
        size: u64,
    },
    /// The handle is the memory's address.
    Managed {
        size: u64,
    },
}

/// The modules of one tool. They stay until the process ends, because kernels may be running their hooks.
#[derive(Default)]
pub struct Modules {
    files: Vec<&'static ToolFile>,
    /// In the same order.
    loaded: Vec<Module>,
    /// Hooks and variables of the tool's own file, if its host code has no addresses of them.
    own: Option<Module>,
    symbols: HashMap<usize, Symbol>,
}

struct Module {
    name: String,
    /// By kind and name.
    handles: HashMap<(u32, String), usize>,
}

type Result<T, E = String> = std::result::Result<T, E>;

impl Modules {
    pub fn files(&self) -> Vec<&'static ToolFile> {
        self.files.clone()
    }

    pub fn symbol(&self, handle: usize) -> Option<&Symbol> {
        self.symbols.get(&handle)
    }

    /// Gives the tool's own hooks and variables handles.
    pub fn add_own(&mut self, file: &ToolFile, live: &dyn Live) -> Result<()> {
        self.own = Some(self.register(file, live)?);
        Ok(())
    }

    /// Number of the module with this content, which is loaded once only.
    fn add(&mut self, file: ToolFile, live: &dyn Live) -> Result<usize> {
        let mut loaded = self.loaded.iter();
        if let Some(known) = loaded.position(|module| module.name == file.name()) {
            return Ok(known);
        }
        file.declare(live);
        let module = self.register(&file, live)?;
        self.loaded.push(module);
        self.files.push(Box::leak(Box::new(file)));
        Ok(self.loaded.len() - 1)
    }

    fn register(&mut self, file: &ToolFile, live: &dyn Live) -> Result<Module> {
        let mut found = Vec::new();
        for (hook, parameters) in file.exports() {
            let symbol = Symbol::Hook {
                name: file.full_name(hook),
                parameters: *parameters,
            };
            let kind = constants::REGISTERED_FUNCTION;
            found.push(((kind, hook.clone()), unique(), symbol));
        }
        let sizes: HashMap<String, u64> = file.variables().collect();
        for (variable, &size) in &sizes {
            // A managed variable is a pointer to its memory, and beside it what that begins with.
            let initial = format!("{variable}.managed");
            let (kind, handle, symbol) = match sizes.get(&initial) {
                Some(&size) => {
                    let memory = managed(file, live, (variable, &initial), size)?;
                    let kind = constants::REGISTERED_MANAGED;
                    (kind, memory, Symbol::Managed { size })
                }
                None => {
                    let name = file.full_name(variable);
                    let kind = constants::REGISTERED_VARIABLE;
                    (kind, unique(), Symbol::Variable { name, size })
                }
            };
            found.push(((kind, variable.clone()), handle, symbol));
        }
        let mut handles = HashMap::new();
        for (key, handle, symbol) in found {
            handles.insert(key, handle);
            self.symbols.insert(handle, symbol);
        }
        Ok(Module {
            name: file.name().to_owned(),
            handles,
        })
    }

    /// Handle of a module's hook or variable and the variable's size.
    fn find(&self, module: u64, kind: u32, name: &str) -> Result<(usize, u64)> {
        let known = match module {
            OWN_MODULE => self.own.as_ref(),
            number => usize::try_from(number)
                .ok()
                .and_then(|index| self.loaded.get(index)),
        };
        let module = known.ok_or_else(|| format!("there is no module {module}"))?;
        let found = module.handles.get(&(kind, name.to_owned()));
        let handle = *found.ok_or_else(|| {
            let mut there = module.handles.keys();
            let other = there.find(|(_, other)| other == name);
            missing(&module.name, kind, name, other.map(|(kind, _)| *kind))
        })?;
        let size = match self.symbols.get(&handle) {
            Some(Symbol::Variable { size, .. } | Symbol::Managed { size }) => *size,
            Some(Symbol::Hook { .. }) | None => 0,
        };
        Ok((handle, size))
    }
}

/// The word for a kind of symbols, for messages.
fn word(kind: u32) -> &'static str {
    match kind {
        constants::REGISTERED_FUNCTION => "hook (LUTHIER_EXPORT_FUNC)",
        constants::REGISTERED_VARIABLE => "__device__ variable",
        constants::REGISTERED_MANAGED => "__managed__ variable",
        _ => "symbol of this kind",
    }
}

fn missing(module: &str, kind: u32, name: &str, other: Option<u32>) -> String {
    let kind = word(kind);
    match other {
        Some(other) => format!("{name} of module {module} is a {}, no {kind}", word(other)),
        None => format!("module {module} has no {kind} {name}"),
    }
}

/// An address that nothing else has.
fn unique() -> usize {
    std::ptr::from_mut(Box::leak(Box::new(0_u64))) as usize
}

/// Memory for a managed variable that host and devices share; hooks go through the variable, which points to it.
fn managed(
    file: &ToolFile,
    live: &dyn Live,
    (variable, initial): (&str, &str),
    size: u64,
) -> Result<usize> {
    let address = live.shared((size as usize).max(1)).map_err(told)?;
    if let Some(initial) = file.initial(initial).filter(|bytes| !bytes.is_empty()) {
        live.write(address, initial).map_err(told)?;
    }
    let pointers = live.addresses(&file.full_name(variable)).map_err(told)?;
    for pointer in pointers {
        live.write(pointer, &address.to_le_bytes()).map_err(told)?;
    }
    Ok(address as usize)
}

fn told(error: impl std::error::Error) -> String {
    error.to_string()
}

impl Variables {
    /// Loads what a compiler or `luthier tool build` made, for the tool with this file.
    fn load_module(&self, path: &str) -> Result<u64> {
        let given = Path::new(path);
        let about = |problem: String| match problem.contains(path) {
            true => problem,
            false => format!("{path}: {problem}"),
        };
        let is_built = given
            .extension()
            .is_some_and(|extension| extension == tools::SUFFIX);
        let built = match is_built {
            true => given.to_owned(),
            false => {
                let absolute = std::path::absolute(given);
                self.compile(&absolute.map_err(|error| about(error.to_string()))?)
                    .map_err(about)?
            }
        };
        let bytes = fs::read(&built).map_err(|error| about(error.to_string()))?;
        let stem = given.file_stem().unwrap_or_default().to_string_lossy();
        let file = self.file().module(&stem, &bytes);
        let file = file.map_err(|error| about(error.to_string()))?;
        if file.exports().is_empty() {
            return Err(about(
                "it has no hooks: a module names them with LUTHIER_EXPORT_FUNC".to_owned(),
            ));
        }
        let number = self.modules().add(file, self.live()).map_err(about)?;
        Ok(number as u64)
    }
}

/// Entry of the table, see `include/luthier.h`.
pub unsafe extern "C" fn load_module(tool: Tool, path: *const c_char, module: *mut u64) -> c_int {
    let act = |variables: &Variables| {
        // SAFETY: null, or the caller's string and number.
        let (path, module) = unsafe { (name(path)?, module.as_mut().ok_or(NULL)?) };
        *module = variables.load_module(&path)?;
        Ok(())
    };
    // SAFETY: the table's.
    unsafe { with_variables(tool, act) }
}

/// Entry of the table, see `include/luthier.h`.
pub unsafe extern "C" fn module_symbol(
    tool: Tool,
    module: u64,
    kind: u32,
    symbol: *const c_char,
    handle: *mut *const c_void,
    size: *mut usize,
) -> c_int {
    let act = |variables: &Variables| {
        // SAFETY: null, or the caller's string.
        let symbol = unsafe { name(symbol)? };
        // SAFETY: null, or the caller's.
        let (handle, size) = unsafe { (handle.as_mut(), size.as_mut()) };
        let (handle, size) = handle.zip(size).ok_or(NULL)?;
        let (found, bytes) = variables.modules().find(module, kind, &symbol)?;
        *handle = found as *const c_void;
        *size = bytes as usize;
        Ok(())
    };
    // SAFETY: the table's.
    unsafe { with_variables(tool, act) }
}
