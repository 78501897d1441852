//! One kernel with everything it may call.

use crate::Refusal;
use codeobj::{CodeObject, KernelDescriptor, Metadata};
use gfx::Family;
use lift::{FunctionIndex, FunctionKind, Module, NamedRegisters};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An object's description of its kernels, read once for many of them.
#[derive(Clone, Debug, Default)]
pub struct Kernels {
    /// Descriptor, and number of the entry in the metadata.
    pub(crate) each: BTreeMap<String, (KernelDescriptor, Option<usize>)>,
    pub(crate) metadata: Option<Metadata>,
}

impl Kernels {
    /// Reads the description of all kernels.
    pub fn all(object: &CodeObject<'_>) -> Result<Kernels, Refusal> {
        Kernels::chosen(object, |_| true)
    }

    pub(crate) fn chosen(
        object: &CodeObject<'_>,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Kernels, Refusal> {
        let unreadable = |error: codeobj::Error| Refusal::Object(error.to_string());
        let found = object.kernels().map_err(unreadable)?;
        let metadata = object.metadata().map_err(unreadable)?;
        let names = metadata.iter().flat_map(Metadata::names);
        let mut known: HashMap<&str, usize> = names.zip(0..).collect();
        let chosen = found.into_iter().filter(|kernel| wanted(kernel.name));
        let with_metadata = chosen.map(|kernel| {
            let entry = known.remove(kernel.name);
            (kernel.name.to_owned(), (kernel.descriptor, entry))
        });
        Ok(Kernels {
            each: with_metadata.collect(),
            metadata,
        })
    }

    /// Names of all of them, those without code included.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.each.keys().map(String::as_str)
    }

    /// The object's metadata without other kernels'.
    pub(crate) fn metadata_of(&self, kernel: &str) -> Option<Metadata> {
        Some(self.metadata.as_ref()?.of_kernel(kernel))
    }

    /// The object's metadata as it was read.
    pub fn into_metadata(self) -> Option<Metadata> {
        self.metadata
    }
}

/// Registers that any of the functions names. A pointer may also call a function of which we saw no reference: that function
/// runs uninstrumented, and must find its arguments.
pub(crate) fn named(module: &Module, functions: &BTreeSet<FunctionIndex>) -> NamedRegisters {
    let mut named = NamedRegisters::default();
    let anywhere = functions
        .iter()
        .any(|index| module.functions[*index].goes_anywhere());
    let device = |index: &FunctionIndex| module.functions[*index].kind == FunctionKind::Device;
    let others = (0..module.functions.len()).filter(|index| anywhere && device(index));
    for index in functions.iter().copied().chain(others) {
        named.registers.unite(module.named_alone(index));
    }
    named
}

/// Since gfx11 the descriptor says how much code to prefetch, in units of 128 bytes.
pub(crate) fn prefetch(descriptor: &mut KernelDescriptor, size: usize) {
    if descriptor.target().family < Family::Gfx11 {
        return;
    }
    if let Some(before) = descriptor
        .get("inst_pref_size")
        .filter(|before| *before > 0)
    {
        let most = if descriptor.target().family >= Family::Gfx12 {
            0xff
        } else {
            0x3f
        };
        let wanted = (size.div_ceil(128) as u64).min(most).max(before);
        // The value fits its field.
        let _ = descriptor.set("inst_pref_size", wanted);
    }
}
