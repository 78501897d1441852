//! The tool's variables on devices, and memory that its host code asks for, while the program runs. HIP is not asked: it may be
//! waiting for the launch that host code is being told about.

use crate::{
    modules::{Compile, Modules, Symbol},
    registered::{Registered, Variable},
    tool::lock,
};
use luthier::{Live, ToolFile, serde_json};
use std::{
    collections::{BTreeMap, HashMap},
    ffi::{CStr, CString},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard},
};

/// See the module.
pub struct Variables {
    file: ToolFile,
    live: Arc<dyn Live>,
    registered: Registered,
    /// Managed variables by the address of their memory.
    managed: HashMap<usize, Variable>,
    modules: Mutex<Modules>,
    compile: Option<Compile>,
    /// The values that the user gave the tool's parameters.
    options: BTreeMap<String, CString>,
    /// Lines for the tool's part of the summary.
    reports: Mutex<Vec<String>>,
    /// The results as data.
    json: Mutex<serde_json::Value>,
}

impl Variables {
    /// Gives managed variables memory that host and devices share, with the contents they have now.
    pub fn new(
        file: ToolFile,
        live: Arc<dyn Live>,
        registered: Registered,
    ) -> Result<Variables, String> {
        let mut variables = Variables {
            file,
            live,
            registered,
            managed: HashMap::new(),
            modules: Mutex::default(),
            compile: None,
            options: BTreeMap::new(),
            reports: Mutex::default(),
            json: Mutex::default(),
        };
        let options = variables.file.options().iter();
        variables.options = options
            .map(|(key, value)| (key.clone(), CString::new(&**value).unwrap_or_default()))
            .collect();
        let managed: Vec<_> = variables.registered.managed().collect();
        let mut placed = Vec::new();
        for (host, variable) in managed {
            let size = variable.size as usize;
            let address = variables.live.shared(size.max(1)).map_err(|error| {
                format!(
                    "no memory for the managed variable {}: {error}",
                    variable.name
                )
            })?;
            let initial = variable.initial.unwrap_or_default();
            // SAFETY: the compiler registered that many bytes there, and the new memory has as many. Before the tool begins,
            // only its own constructors go through the shadow's pointer, and they ran on this thread.
            unsafe {
                if initial != 0 {
                    let (from, to) = (initial as *const u8, address as *mut u8);
                    std::ptr::copy_nonoverlapping(from, to, size);
                }
                *(host as *mut u64) = address;
            }
            placed.push((address, variable.clone()));
        }
        for (address, variable) in placed {
            // Device code goes through a pointer, too, which has the variable's name.
            for device in variables.places(&variable.name)? {
                let written = variables.live.write(device, &address.to_le_bytes());
                written.map_err(|error| error.to_string())?;
            }
            variables.managed.insert(address as usize, variable);
        }
        if variables.registered.is_empty() {
            let live = variables.live();
            variables.modules().add_own(&variables.file, live)?;
        }
        Ok(variables)
    }

    /// Name and number of parameters of the hook with this handle. `own`: those of the tool's file.
    pub fn hook(&self, handle: usize, own: &[(String, usize)]) -> Result<(String, usize), String> {
        if let Some(Symbol::Hook { name, parameters }) = self.modules().symbol(handle) {
            return Ok((name.clone(), *parameters));
        }
        let name = self.registered.hook(handle).ok_or_else(|| {
            format!("no hook has the handle {handle:#x}: is it named with LUTHIER_EXPORT_FUNC, in this library?")
        })?;
        let known = own.iter().find(|(known, _)| known == name);
        known
            .cloned()
            .ok_or_else(|| format!("hook {name} is not in the tool's device code"))
    }

    pub fn file(&self) -> &ToolFile {
        &self.file
    }

    pub fn modules(&self) -> MutexGuard<'_, Modules> {
        lock(&self.modules)
    }

    /// Sets the function that compiles modules.
    pub fn compile_with(&mut self, compile: Compile) {
        self.compile = Some(compile);
    }

    pub fn compile(&self, module: &Path) -> Result<PathBuf, String> {
        let compile = self.compile.ok_or("nothing compiles modules here")?;
        compile(module)
    }

    /// The variable's address on each device; none if its module was not compiled for the device.
    fn places(&self, name: &str) -> Result<Vec<u64>, String> {
        let placed = self.live.addresses(&self.file.full_name(name));
        placed.map_err(|error| error.to_string())
    }

    /// The variable that host code names, for an argument of a hook.
    pub fn name(&self, host: usize) -> Result<String, String> {
        if let Some(Symbol::Variable { name, .. }) = self.modules().symbol(host) {
            return Ok(name.clone());
        }
        let known = self.registered.variable(host);
        let known = known.filter(|variable| variable.initial.is_none());
        let unknown = || format!("no __device__ variable of the tool is at {host:#x}");
        known
            .map(|variable| variable.name.clone())
            .ok_or_else(unknown)
    }

    /// Addresses and size of what host code names: one address for each device, or the one of shared memory.
    pub fn find(&self, host: usize) -> Result<(Vec<u64>, u64), String> {
        if let Some(variable) = self.managed.get(&host) {
            return Ok((vec![host as u64], variable.size));
        }
        let symbol = self.modules().symbol(host).cloned();
        match symbol {
            Some(Symbol::Managed { size }) => return Ok((vec![host as u64], size)),
            Some(Symbol::Variable { name, size }) => {
                let places = self.live.addresses(&name);
                return Ok((places.map_err(|error| error.to_string())?, size));
            }
            Some(Symbol::Hook { .. }) | None => {}
        }
        let variable = self.registered.variable(host);
        let variable =
            variable.ok_or_else(|| format!("no variable of the tool is at {host:#x}"))?;
        let places = self.places(&variable.name)?;
        if places.is_empty() {
            return Err(format!("no hook uses the variable {}", variable.name));
        }
        Ok((places, variable.size))
    }

    /// Addresses of a part of a variable.
    pub fn part(&self, host: usize, size: usize, offset: usize) -> Result<Vec<u64>, String> {
        let (places, whole) = self.find(host)?;
        let end = offset.checked_add(size);
        if end.is_none_or(|end| end as u64 > whole) {
            return Err(format!(
                "{size} bytes from {offset} on are more than the variable has: {whole}"
            ));
        }
        Ok(places
            .into_iter()
            .map(|place| place + offset as u64)
            .collect())
    }

    pub fn option(&self, key: &str) -> Option<&CStr> {
        self.options.get(key).map(CString::as_c_str)
    }

    pub fn report(&self, text: String) {
        lock(&self.reports).push(text);
    }

    pub fn take_reports(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.reports))
    }

    pub fn set_json(&self, value: serde_json::Value) {
        *lock(&self.json) = value;
    }

    pub fn take_json(&self) -> serde_json::Value {
        std::mem::take(&mut *lock(&self.json))
    }

    pub fn live(&self) -> &dyn Live {
        &*self.live
    }
}
