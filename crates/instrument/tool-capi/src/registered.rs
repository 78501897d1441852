//! Registration by a HIP compiler's start-up code: the host's shadows of a tool's kernels and variables.

use std::{collections::HashMap, ffi::CStr};
use tool_abi::{constants, structures::RawRegistered};

/// The prefix that `LUTHIER_EXPORT_FUNC` gives a hook's name.
const WRAPPER: &str = "__luthier_wrap__";

/// A variable with a shadow on the host.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// The address of a managed variable's initial value. Its shadow is the pointer that host code goes through.
    pub initial: Option<usize>,
}

/// By address of the shadow.
#[derive(Debug, Default)]
pub struct Registered {
    hooks: HashMap<usize, String>,
    variables: HashMap<usize, Variable>,
}

impl Registered {
    /// # Safety
    /// `list` must be null or have `count` entries with strings in them.
    pub unsafe fn read(list: *const RawRegistered, count: usize) -> Registered {
        let mut registered = Registered::default();
        if list.is_null() {
            return registered;
        }
        // SAFETY: the caller's promise.
        for raw in unsafe { std::slice::from_raw_parts(list, count) } {
            if raw.name.is_null() {
                continue;
            }
            // SAFETY: the caller promises that names are strings.
            let name = unsafe { CStr::from_ptr(raw.name) };
            let name = name.to_string_lossy().into_owned();
            let host = raw.host as usize;
            match raw.kind {
                constants::REGISTERED_FUNCTION => {
                    if let Some(hook) = name.strip_prefix(WRAPPER) {
                        registered.hooks.insert(host, hook.to_owned());
                    }
                }
                constants::REGISTERED_VARIABLE | constants::REGISTERED_MANAGED => {
                    let variable = Variable {
                        name,
                        size: raw.size,
                        initial: (raw.kind == constants::REGISTERED_MANAGED)
                            .then_some(raw.initial as usize),
                    };
                    registered.variables.insert(host, variable);
                }
                _ => {}
            }
        }
        registered
    }

    /// Returns `true` if host code has no addresses of hooks and variables.
    pub fn is_empty(&self) -> bool {
        self.hooks.is_empty() && self.variables.is_empty()
    }

    /// The hook with this handle.
    pub fn hook(&self, handle: usize) -> Option<&str> {
        self.hooks.get(&handle).map(String::as_str)
    }

    /// The variable with this shadow. For a managed variable, host code passes the address that the pointer holds.
    pub fn variable(&self, host: usize) -> Option<&Variable> {
        self.variables.get(&host)
    }

    /// Managed variables with their shadows.
    pub fn managed(&self) -> impl Iterator<Item = (usize, &Variable)> {
        let all = self.variables.iter();
        all.filter(|(_, variable)| variable.initial.is_some())
            .map(|(host, variable)| (*host, variable))
    }
}
