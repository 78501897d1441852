//! Kernel metadata: the MessagePack document in the `AMDGPU` note.
//!
//! The document itself is what is kept: typed views read from it and edits change single keys, so keys we do not know
//! keep their values and their place.

mod view;

pub use view::{Argument, ArgumentKind, KernelEntry, KernelMetadata};

use crate::{Error, Result};
use rmpv::Value;

/// Deepest nesting accepted; real documents have five levels.
const MAX_DEPTH: usize = 32;

/// The metadata of one code object.
#[derive(Clone, Debug, PartialEq)]
pub struct Metadata {
    root: Value,
}

impl Metadata {
    /// Reads a document; `file_offset` is where it starts, for error messages.
    pub fn parse(bytes: &[u8], file_offset: u64) -> Result<Metadata> {
        let mut rest = bytes;
        let root =
            rmpv::decode::read_value_with_max_depth(&mut rest, MAX_DEPTH).map_err(|error| {
                let consumed = bytes.len() - rest.len();
                Error::BadMessagePack {
                    offset: file_offset + consumed as u64,
                    reason: error.to_string(),
                }
            })?;
        if !root.is_map() {
            let reason = "the document is not a map".to_owned();
            return Err(Error::BadMessagePack {
                offset: file_offset,
                reason,
            });
        }
        Ok(Metadata { root })
    }

    /// Writes the document.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        rmpv::encode::write_value(&mut bytes, &self.root).expect("writing to memory does not fail");
        bytes
    }

    /// The document as it is.
    pub fn document(&self) -> &Value {
        &self.root
    }

    /// The MessagePack document, for any change.
    pub fn document_mut(&mut self) -> &mut Value {
        &mut self.root
    }

    /// `amdhsa.version`: metadata version, e.g. (1, 2).
    pub fn version(&self) -> Option<(u64, u64)> {
        let version = get(&self.root, "amdhsa.version")?.as_array()?;
        Some((version.first()?.as_u64()?, version.get(1)?.as_u64()?))
    }

    /// `amdhsa.target`: the full target id.
    pub fn target(&self) -> Option<&str> {
        get(&self.root, "amdhsa.target")?.as_str()
    }

    /// `amdhsa.printf`: one "id:argc:sizes:format" string per call (OpenCL's buffered printf).
    pub fn printf(&self) -> Vec<&str> {
        let formats = get(&self.root, "amdhsa.printf").and_then(Value::as_array);
        formats
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    /// Typed copies of all kernels' entries.
    pub fn kernels(&self) -> Vec<KernelMetadata> {
        self.kernel_values()
            .iter()
            .map(KernelMetadata::read)
            .collect()
    }

    /// `.name` of all kernels' entries, in order; empty where there is none.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let names = self.kernel_values().iter();
        names.map(|kernel| get(kernel, ".name").and_then(Value::as_str).unwrap_or(""))
    }

    /// The entry with a number.
    pub fn kernel_at(&self, index: usize) -> Option<KernelEntry<'_>> {
        self.kernel_values().get(index).map(KernelEntry)
    }

    /// The typed copy of one kernel's entry, by its name (without `.kd`).
    pub fn kernel(&self, name: &str) -> Option<KernelMetadata> {
        self.kernel_values()
            .iter()
            .find(|kernel| is_kernel(kernel, name))
            .map(KernelMetadata::read)
    }

    fn kernel_values(&self) -> &[Value] {
        get(&self.root, "amdhsa.kernels")
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    /// The same without the entries of other kernels.
    pub fn of_kernel(&self, name: &str) -> Metadata {
        let entries = self.root.as_map().into_iter().flatten();
        let root = entries.map(|(key, value)| {
            let value = match (key.as_str(), value) {
                (Some("amdhsa.kernels"), Value::Array(kernels)) => {
                    let own = kernels.iter().filter(|kernel| is_kernel(kernel, name));
                    Value::Array(own.cloned().collect())
                }
                _ => value.clone(),
            };
            (key.clone(), value)
        });
        Metadata {
            root: Value::Map(root.collect()),
        }
    }

    /// Appends the entries of another object's kernels.
    pub fn add_kernels(&mut self, other: &Metadata) {
        let more = get(&other.root, "amdhsa.kernels").and_then(Value::as_array);
        if let Some(more) = more
            && let Some(Value::Array(kernels)) = get_mut(&mut self.root, "amdhsa.kernels")
        {
            kernels.extend(more.iter().cloned());
        }
    }

    /// All kernels' entries to edit, with their names.
    pub fn each_kernel_mut(&mut self, mut edit: impl FnMut(&str, KernelEdit<'_>)) {
        if let Some(Value::Array(kernels)) = get_mut(&mut self.root, "amdhsa.kernels") {
            for entry in kernels {
                if let Some(name) = name_of(entry).map(str::to_owned) {
                    edit(&name, KernelEdit { entry });
                }
            }
        }
    }

    /// One kernel's entry to edit.
    pub fn kernel_mut(&mut self, name: &str) -> Option<KernelEdit<'_>> {
        let kernels = get_mut(&mut self.root, "amdhsa.kernels")?;
        let Value::Array(kernels) = kernels else {
            return None;
        };
        let entry = kernels.iter_mut().find(|kernel| is_kernel(kernel, name))?;
        Some(KernelEdit { entry })
    }
}

/// Changes keys of one kernel's entry; everything else keeps its value and place.
#[derive(Debug)]
pub struct KernelEdit<'a> {
    entry: &'a mut Value,
}

impl KernelEdit<'_> {
    /// Sets a key such as `.vgpr_count`, adding it at the end if it is missing.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        set(self.entry, key, value.into());
    }

    /// Raises a number to at least `value`.
    pub fn raise(&mut self, key: &str, value: u64) {
        if get(self.entry, key).and_then(Value::as_u64).unwrap_or(0) < value {
            self.set(key, value);
        }
    }

    /// The whole entry.
    pub fn value(&mut self) -> &mut Value {
        self.entry
    }
}

fn is_kernel(entry: &Value, name: &str) -> bool {
    name_of(entry) == Some(name)
}

/// The name of an entry, without `.kd`.
fn name_of(entry: &Value) -> Option<&str> {
    match get(entry, ".symbol").and_then(Value::as_str) {
        Some(symbol) => Some(symbol.strip_suffix(".kd").unwrap_or(symbol)),
        None => get(entry, ".name").and_then(Value::as_str),
    }
}

pub(crate) fn get<'a>(map: &'a Value, key: &str) -> Option<&'a Value> {
    let entries = map.as_map()?;
    entries
        .iter()
        .find(|(name, _)| name.as_str() == Some(key))
        .map(|(_, value)| value)
}

fn get_mut<'a>(map: &'a mut Value, key: &str) -> Option<&'a mut Value> {
    let Value::Map(entries) = map else {
        return None;
    };
    entries
        .iter_mut()
        .find(|(name, _)| name.as_str() == Some(key))
        .map(|(_, value)| value)
}

fn set(map: &mut Value, key: &str, value: Value) {
    if let Some(slot) = get_mut(map, key) {
        *slot = value;
    } else if let Value::Map(entries) = map {
        entries.push((key.into(), value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Metadata {
        let kernel = Value::Map(vec![
            (".symbol".into(), "f.kd".into()),
            (".vgpr_count".into(), 3.into()),
            (".made_up".into(), Value::Array(vec![1.into(), "x".into()])),
        ]);
        let root = Value::Map(vec![
            ("amdhsa.kernels".into(), Value::Array(vec![kernel])),
            ("vendor.key".into(), Value::Nil),
        ]);
        Metadata { root }
    }

    #[test]
    fn edits_keep_unknown_keys_and_order() {
        let mut metadata = document();
        let mut kernel = metadata.kernel_mut("f").unwrap();
        kernel.raise(".vgpr_count", 300);
        kernel.raise(".vgpr_count", 2);
        kernel.set(".new", true);
        let read = Metadata::parse(&metadata.encode(), 0).unwrap();
        let entry = get(read.document(), "amdhsa.kernels").unwrap()[0]
            .as_map()
            .unwrap();
        let keys: Vec<_> = entry.iter().map(|(key, _)| key.as_str().unwrap()).collect();
        assert_eq!(keys, [".symbol", ".vgpr_count", ".made_up", ".new"]);
        assert_eq!(entry[1].1, Value::from(300));
        assert!(get(read.document(), "vendor.key").unwrap().is_nil());
        assert!(metadata.kernel_mut("g").is_none());
    }

    #[test]
    fn hostile_documents_are_errors() {
        let nested = [0x91u8; 100_000];
        assert!(Metadata::parse(&nested, 0).is_err());
        // An array of 2^32 - 1 elements that are not there.
        assert!(Metadata::parse(&[0xdd, 0xff, 0xff, 0xff, 0xff, 0xc0], 0).is_err());
        assert!(
            Metadata::parse(&[], 7)
                .unwrap_err()
                .to_string()
                .contains("offset 0x7")
        );
        assert!(Metadata::parse(&[0xc0], 0).is_err());
    }
}
