//! The results that a tool gets at the end.

use crate::{Error, Result, ToolFile};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use session::{
    output::file_name,
    summary::{DIGITS, KernelLine},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// The tool's results for one kernel.
#[derive(Clone, Debug)]
pub struct KernelResults {
    pub(crate) name: String,
    pub(crate) object_hash: [u8; 32],
    pub(crate) launches: u64,
    pub(crate) all_launches: u64,
    /// The device's target.
    pub(crate) target: Option<String>,
    /// A kernel of this name from another code object is instrumented, too.
    pub(crate) is_ambiguous: bool,
    pub(crate) counters: Vec<u64>,
    pub(crate) data: Box<RawValue>,
}

impl KernelResults {
    /// Its name in the symbol table.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// SHA-256 of the kernel's code object.
    pub fn object_hash(&self) -> &[u8; 32] {
        &self.object_hash
    }

    /// The same in hexadecimal digits, as files and reports name it.
    pub fn object(&self) -> String {
        let digits = self.object_hash.iter().map(|byte| format!("{byte:02x}"));
        digits.collect()
    }

    /// Its name in the source, with parameters.
    pub fn demangled(&self) -> String {
        demangle::readable(&self.name)
    }

    /// The same in a report, with its code object if others have an instrumented kernel of this name.
    pub fn label(&self) -> String {
        let name = self.demangled();
        if !self.is_ambiguous {
            return name;
        }
        let target = self
            .target
            .as_deref()
            .and_then(|target| target.split(':').next());
        let object = self.object();
        let digits = &object[..DIGITS];
        match target {
            Some(target) => format!("{name} ({target}, object {digits})"),
            None => format!("{name} (object {digits})"),
        }
    }

    /// Adds what the session knows of its launches.
    pub(crate) fn complete(&mut self, lines: &[KernelLine]) {
        let object = self.object();
        let is_its = |line: &&KernelLine| {
            line.symbol == self.name && line.hash.as_deref() == Some(object.as_str())
        };
        for line in lines.iter().filter(is_its) {
            self.launches += line.instrumented_launches;
            self.all_launches += line.launches;
            self.target = Some(line.target.clone());
        }
    }

    /// Instrumented launches.
    pub fn launches(&self) -> u64 {
        self.launches
    }

    /// All launches, also those that the user's choice left out.
    pub fn all_launches(&self) -> u64 {
        self.all_launches
    }

    /// In the order in which [`crate::Edit::counters`] gave them out, summed over devices.
    pub fn counters(&self) -> &[u64] {
        &self.counters
    }

    /// The data that was attached when the kernel was instrumented.
    pub fn data<T: DeserializeOwned>(&self) -> Result<T> {
        Ok(serde_json::from_str(self.data.get())?)
    }
}

/// Marks kernels whose name is that of a kernel of another code object.
pub(crate) fn tell_apart(kernels: &mut [KernelResults]) {
    let mut objects: BTreeMap<String, BTreeSet<[u8; 32]>> = BTreeMap::new();
    for kernel in kernels.iter() {
        let of = objects.entry(kernel.name.clone()).or_default();
        of.insert(kernel.object_hash);
    }
    for kernel in kernels {
        let of = objects.get(&kernel.name);
        kernel.is_ambiguous = of.is_some_and(|all| all.len() > 1);
    }
}

/// Everything a tool gets when the application has ended.
///
/// ```
/// use luthier::{Result, Results};
///
/// /// A line for each kernel, and one for a variable of the tool's HIP file.
/// fn report(results: &Results<'_>) -> Result<String> {
///     let mut text = String::new();
///     for kernel in results.kernels() {
///         let sum: u64 = kernel.counters().iter().sum();
///         text += &format!("{} {sum} in {} launches\n", kernel.demangled(), kernel.launches());
///     }
///     Ok(text + &format!("total {}\n", results.sum("total")?))
/// }
/// ```
pub struct Results<'a> {
    pub(crate) file: &'a ToolFile,
    pub(crate) kernels: Vec<KernelResults>,
    /// Contents of a variable, by full name, per device where anything ran.
    pub(crate) read: &'a dyn Fn(&str) -> Result<Vec<Vec<u8>>>,
    pub(crate) output: Option<&'a Path>,
    pub(crate) temporary: bool,
    pub(crate) session: u32,
}

impl Results<'_> {
    /// Kernels that ran instrumented.
    pub fn kernels(&self) -> impl Iterator<Item = &KernelResults> {
        self.kernels.iter()
    }

    /// Bytes of a variable on each device that ran an instrumented kernel.
    pub fn variable(&self, name: &str) -> Result<Vec<Vec<u8>>> {
        let global = self.file.global(name).ok_or_else(|| Error::NoGlobal {
            tool: self.file.name().to_owned(),
            name: name.to_owned(),
        })?;
        (self.read)(&global.name)
    }

    /// An integer variable of up to 64 bits, summed over devices.
    pub fn sum(&self, name: &str) -> Result<u64> {
        let copies = self.variable(name)?;
        Ok(copies
            .iter()
            .map(|bytes| {
                let mut wide = [0; 8];
                let length = bytes.len().min(8);
                wide[..length].copy_from_slice(&bytes[..length]);
                u64::from_le_bytes(wide)
            })
            .fold(0, u64::wrapping_add))
    }

    /// The path at which this session leaves a file with such a name, if the user wants files: `NAME.PID.EXTENSION` in the directory.
    pub fn file(&self, name: &str) -> Option<PathBuf> {
        self.report_file(name).filter(|_| !self.temporary)
    }

    /// The same of a file that `luthier report` reads, which need not be the user's: `run --report` has a directory of its own.
    pub fn report_file(&self, name: &str) -> Option<PathBuf> {
        Some(self.output?.join(file_name(name, self.session)))
    }

    /// Directory for files, if the user wants any.
    pub fn output(&self) -> Option<&Path> {
        self.output.filter(|_| !self.temporary)
    }
}

/// A copy of [`Results`], for tools whose host code runs on a thread of its own.
#[derive(Clone, Debug)]
pub struct DetachedResults {
    file: ToolFile,
    kernels: Vec<KernelResults>,
    /// By full name; why a variable cannot be read.
    variables: BTreeMap<String, std::result::Result<Vec<Vec<u8>>, String>>,
    output: Option<PathBuf>,
    temporary: bool,
    session: u32,
}

impl Results<'_> {
    /// Reads everything now.
    pub fn detach(&self) -> DetachedResults {
        let globals = self.file.globals().iter();
        let variables = globals.map(|global| {
            let copies = (self.read)(&global.name).map_err(|error| error.to_string());
            (global.name.clone(), copies)
        });
        DetachedResults {
            variables: variables.collect(),
            file: self.file.clone(),
            kernels: self.kernels.clone(),
            output: self.output.map(Path::to_owned),
            temporary: self.temporary,
            session: self.session,
        }
    }
}

impl DetachedResults {
    /// Runs `act` on the results.
    pub fn with<T>(&self, act: impl FnOnce(&Results<'_>) -> T) -> T {
        let read = |name: &str| match self.variables.get(name) {
            Some(Ok(copies)) => Ok(copies.clone()),
            Some(Err(reason)) => Err(Error::Variable(reason.clone())),
            None => Ok(Vec::new()),
        };
        act(&Results {
            file: &self.file,
            kernels: self.kernels.clone(),
            read: &read,
            output: self.output.as_deref(),
            temporary: self.temporary,
            session: self.session,
        })
    }
}
