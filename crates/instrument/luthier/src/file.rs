//! A built tool.

use crate::{
    Description, Error, Options, Result, Stream, executions::Executions, guard, options, printed,
};
use records::Layout;
use session::{Content, Live, MemoryKind, RingSpec};
use sha2::{Digest, Sha256};
use std::{collections::BTreeSet, sync::OnceLock};
use template::{Bundle, Global};

/// Variable of a HIP file that holds the description; see `LUTHIER_TOOL` in `luthier_device.h`.
pub(crate) const DESCRIPTION: &str = "__luthier_description";

/// Prefix of the variables that name hooks of tools with a library. The number of parameters follows as a digit; see `LUTHIER_EXPORT_FUNC`
/// in `luthier.h`.
const EXPORT: &str = "__luthier_export_";

/// Variable that `MARK_LUTHIER_DEVICE_MODULE` leaves in the device code.
const MODULE: &str = "__luthier_module";

/// Returns `true` if a unit with these variables says `MARK_LUTHIER_DEVICE_MODULE`.
pub fn is_marked(globals: &[Global]) -> bool {
    globals.iter().any(|global| global.name == MODULE)
}

/// Says that there is host code, as the header's mark does, for a tool whose host code is not in C++.
pub fn mark(globals: &mut Vec<Global>) {
    if !is_marked(globals) {
        globals.push(Global {
            name: MODULE.to_owned(),
            size: 1,
            alignment: 1,
            initial: None,
        });
    }
}

/// Returns `true` if the variables are those of a tool with host code in a library.
pub fn has_host_code(globals: &[Global]) -> bool {
    is_marked(globals) || !exports(globals).is_empty()
}

/// How ports are called that take the address of an LDS variable.
const LDS: &str = "lds:";

/// Hooks that every tool has, because `luthier_device.h` defines them: adds a number of 32 bits to a counter in memory.
pub(crate) const ADD: &str = "__luthier_add";
/// Adds one of 64 bits.
pub(crate) const FLUSH: &str = "__luthier_flush";

/// Hooks that host code in a library inserts, with their numbers of parameters, by the tool's variables.
pub fn exports(globals: &[Global]) -> Vec<(String, usize)> {
    let exports = globals.iter().filter_map(|global| {
        let hook = global.name.strip_prefix(EXPORT)?;
        let digit = *global.initial.as_ref()?.first()?;
        Some((hook.to_owned(), usize::from(digit.checked_sub(b'0')?)))
    });
    exports.collect()
}

/// Templates and variables of one tool, under the tool's name.
#[derive(Clone, Debug)]
pub struct ToolFile {
    name: String,
    bundle: Bundle,
    /// Its hooks, kept to some executions: of a workgroup, of those of a place, of both.
    guarded: [OnceLock<Bundle>; 3],
    description: Description,
    /// The description as it is in the HIP file.
    description_bytes: Vec<u8>,
    exports: Vec<(String, usize)>,
    has_host_code: bool,
    options: Options,
    hash: [u8; 32],
}

impl ToolFile {
    /// From the bytes that `luthier tool build` wrote.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<ToolFile> {
        let mut bundle =
            Bundle::from_bytes(bytes).map_err(|error| Error::NotATool(name.to_owned(), error))?;
        let description_bytes = bundle
            .globals
            .iter()
            .find(|global| global.name == DESCRIPTION)
            .and_then(|global| global.initial.clone())
            .unwrap_or_default();
        let text = String::from_utf8_lossy(&description_bytes);
        let mut description = Description::parse(name, text.trim_end_matches('\0'))?;
        if bundle
            .globals
            .iter()
            .any(|global| global.name == printed::RING)
        {
            description.stream.push(printed::stream());
        }
        bundle.globals.retain(|global| global.name != DESCRIPTION);
        let exports = exports(&bundle.globals);
        let has_host_code = has_host_code(&bundle.globals);
        let told = |global: &Global| global.name.starts_with(EXPORT) || global.name == MODULE;
        bundle.globals.retain(|global| !told(global));
        // Several tools share one kernel; their variables must not.
        for global in &mut bundle.globals {
            global.name = format!("{name}/{}", global.name);
        }
        for template in bundle.entries.iter_mut().map(|entry| &mut entry.template) {
            for relocation in &mut template.relocations {
                relocation.symbol = format!("{name}/{}", relocation.symbol);
            }
            for variable in &mut template.shared {
                variable.name = format!("{name}/{}", variable.name);
            }
            for port in &mut template.ports {
                if let Some(variable) = port.name.strip_prefix(LDS) {
                    port.name = format!("{LDS}{name}/{variable}");
                }
            }
        }
        let options = options::given(name, &description.parameter, [])?;
        Ok(ToolFile {
            options,
            name: name.to_owned(),
            bundle,
            guarded: Default::default(),
            description,
            description_bytes,
            exports,
            has_host_code,
            hash: Sha256::digest(bytes).into(),
        })
    }

    /// The same tool with what the user gave for its parameters. Kernels that were instrumented with other values are others.
    pub fn with_options<'a>(
        mut self,
        values: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<ToolFile> {
        self.options = options::given(&self.name, &self.description.parameter, values)?;
        let mut hash = Sha256::new();
        hash.update(self.hash);
        for text in self.options.iter().flat_map(|(name, value)| [name, value]) {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
        self.hash = hash.finalize().into();
        Ok(self)
    }

    /// Another file with hooks and variables for the same tool, that is called `stem`. Its name says what is in it, so that kernels
    /// with other hooks are other ones in the cache.
    pub fn module(&self, stem: &str, bytes: &[u8]) -> Result<ToolFile> {
        let digest = Sha256::digest(bytes);
        let digits: String = digest[..8]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        ToolFile::parse(&format!("{}+{stem}#{digits}", self.name), bytes)
    }

    /// Values of the tool's parameters in this run.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The name that users and reports use.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Hooks that host code in a library inserts, with their numbers of parameters.
    pub fn exports(&self) -> &[(String, usize)] {
        &self.exports
    }

    /// Returns `true` if there is a library with host code.
    pub fn has_host_code(&self) -> bool {
        self.has_host_code
    }

    /// The name under which the engine knows a variable.
    pub fn full_name(&self, variable: &str) -> String {
        format!("{}/{variable}", self.name)
    }

    /// Its variables as they are called in the HIP file, and their sizes in bytes.
    pub fn variables(&self) -> impl Iterator<Item = (String, u64)> + '_ {
        let own = self.name.len() + 1;
        let globals = self.bundle.globals.iter();
        globals.map(move |global| (global.name[own..].to_owned(), global.size))
    }

    /// The first contents of a variable, as far as they are not zero.
    pub fn initial(&self, variable: &str) -> Option<&[u8]> {
        self.global(variable)?.initial.as_deref()
    }

    /// Makes its variables known to a run that began without them; they are on devices when they are first asked for.
    pub fn declare(&self, live: &dyn Live) {
        live.declare(self.made_by_session());
    }

    /// Its variables as a session makes them.
    pub(crate) fn made_by_session(&self) -> Vec<session::Global> {
        let all = self.globals().iter().map(|global| session::Global {
            name: global.name.clone(),
            size: global.size,
            content: match self.stream(&global.name) {
                Some((stream, layout)) => Content::Ring(RingSpec {
                    record_size: layout.size as u32,
                    capacity: stream.capacity,
                }),
                None => Content::Memory {
                    kind: MemoryKind::Device,
                    initial: global.initial.clone().unwrap_or_default(),
                },
            },
        });
        all.collect()
    }

    /// A file with the same variables and description, for code that has the hooks already.
    pub(crate) fn without_hooks(&self) -> Result<Vec<u8>> {
        let own = format!("{}/", self.name);
        let mut globals = self.bundle.globals.clone();
        for global in &mut globals {
            if let Some(name) = global.name.strip_prefix(&own) {
                global.name = name.to_owned();
            }
        }
        globals.push(Global {
            name: DESCRIPTION.to_owned(),
            size: self.description_bytes.len() as u64,
            alignment: 1,
            initial: Some(self.description_bytes.clone()),
        });
        let entries = Vec::new();
        let bundle = Bundle { entries, globals };
        let bytes = bundle.to_bytes();
        bytes.map_err(|error| Error::NotATool(self.name.clone(), error))
    }

    /// The tool's description in its file.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// SHA-256 of the file.
    pub(crate) fn hash(&self) -> &[u8; 32] {
        &self.hash
    }

    /// Names of its hooks.
    pub fn hooks(&self) -> Vec<&str> {
        let hooks = self.bundle.entries.iter().map(|entry| &*entry.hook);
        // Not those that every tool has for its counters.
        let own: BTreeSet<&str> = hooks
            .filter(|hook| !hook.starts_with("__luthier_"))
            .collect();
        own.into_iter().collect()
    }

    /// The targets that its hooks are compiled for.
    pub fn targets(&self) -> Vec<&str> {
        let entries = self.bundle.entries.iter();
        let all: BTreeSet<&str> = entries.map(|entry| &*entry.template.target).collect();
        all.into_iter().collect()
    }

    pub(crate) fn bundle(&self) -> &Bundle {
        &self.bundle
    }

    /// The templates of its hooks when tools see these executions, which are not all.
    pub(crate) fn guarded(&self, executions: &Executions) -> &Bundle {
        let kind = match (executions.workgroup.is_some(), executions.are_counted()) {
            (true, false) => 0,
            (false, _) => 1,
            (true, true) => 2,
        };
        self.guarded[kind].get_or_init(|| guard::bundle(&self.bundle, executions))
    }

    /// All variables; their names have the tool's in front.
    pub(crate) fn globals(&self) -> &[Global] {
        &self.bundle.globals
    }

    /// A variable by its name in the HIP file.
    pub(crate) fn global(&self, name: &str) -> Option<&Global> {
        let full = format!("{}/{name}", self.name);
        self.bundle
            .globals
            .iter()
            .find(|global| global.name == full)
    }

    /// The stream whose ring has this full name.
    pub(crate) fn stream(&self, full: &str) -> Option<(&Stream, Layout)> {
        let name = full.strip_prefix(&self.name)?.strip_prefix('/')?;
        let mut streams = self.description.stream.iter();
        let stream = streams.find(|stream| stream.ring == name)?;
        Some((stream, Layout::parse(&stream.fields).ok()?))
    }

    /// Variable with the counters of a kernel of an object.
    /// `variant` is that of the session, 0 where there is but one.
    pub(crate) fn counters_name(&self, kernel: &str, object: &[u8; 32], variant: u64) -> String {
        let variant = match variant {
            0 => String::new(),
            number => format!("+{number}"),
        };
        let hash: String = object[..8]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        format!("{}/counters@{kernel}#{hash}{variant}", self.name)
    }
}
