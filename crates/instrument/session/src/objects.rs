//! The code objects of the process, and their addresses.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use codeobj::CodeObject;
use sha2::{Digest, Sha256};

use crate::{AgentId, BuiltIn, Report};

/// A code object that the application loaded on an agent.
#[derive(Debug)]
pub struct LoadedObject {
    /// The application's executable.
    pub executable: u64,
    pub agent: AgentId,
    /// First address on the device, and bytes.
    pub base: u64,
    pub size: u64,
    /// Load address minus address in the file.
    pub delta: u64,
    pub uri: String,
    /// The ELF file.
    pub bytes: Arc<[u8]>,
}

/// A code object in the registry.
#[derive(Debug)]
pub(crate) struct Object {
    pub loaded: LoadedObject,
    built_in: Option<BuiltIn>,
    hash: OnceLock<[u8; 32]>,
    kernels: OnceLock<Kernels>,
    /// Its kernels have been looked for in the cache.
    looked_ahead: AtomicBool,
}

/// Facts about the original kernel that handling a packet needs.
#[derive(Clone, Debug)]
pub(crate) struct Original {
    pub name: String,
    pub private_segment_size: u32,
    pub group_segment_size: u32,
    /// Bytes of its arguments.
    pub kernarg_size: u32,
}

/// By address of the descriptor in the file, or why there are none.
type Kernels = Result<BTreeMap<u64, Original>, String>;

impl Object {
    pub fn hash(&self) -> &[u8; 32] {
        self.hash
            .get_or_init(|| Sha256::digest(&self.loaded.bytes).into())
    }

    /// The hash in hexadecimal digits.
    pub fn hex(&self) -> String {
        let digits = self.hash().iter().map(|byte| format!("{byte:02x}"));
        digits.collect()
    }

    /// The result for a kernel when a tool was put into the file.
    pub fn built_in(&self, kernel: &str) -> Option<&Result<Report, String>> {
        self.built_in.as_ref()?.kernels.get(kernel)
    }

    /// The kernel whose descriptor lies at this device address.
    pub fn kernel_at(&self, kernel_object: u64) -> Result<Original, String> {
        let address = kernel_object.wrapping_sub(self.loaded.delta);
        let kernels = self.kernels.get_or_init(|| self.parse());
        let kernels = kernels.as_ref().map_err(Clone::clone)?;
        let missing = || format!("no kernel descriptor is at {address:#x} of its code object");
        kernels.get(&address).cloned().ok_or_else(missing)
    }

    /// All kernels with the device addresses of their descriptors; only the first time.
    pub fn look_ahead(&self) -> Vec<(u64, Original)> {
        if self.looked_ahead.swap(true, Ordering::Relaxed) {
            return Vec::new();
        }
        let kernels = self.kernels.get_or_init(|| self.parse());
        let kernels = kernels.iter().flatten();
        let placed = kernels
            .map(|(address, original)| (address.wrapping_add(self.loaded.delta), original.clone()));
        placed.collect()
    }

    fn parse(&self) -> Kernels {
        let unreadable = |error| format!("its code object is unreadable: {error}");
        let object = CodeObject::parse(&self.loaded.bytes).map_err(unreadable)?;
        let kernels = object.kernels().map_err(unreadable)?;
        let known = kernels.iter().map(|kernel| {
            let original = Original {
                name: kernel.name.to_owned(),
                private_segment_size: kernel.descriptor.private_segment_size(),
                group_segment_size: kernel.descriptor.group_segment_size(),
                kernarg_size: kernel.descriptor.kernarg_size(),
            };
            (kernel.descriptor_address, original)
        });
        Ok(known.collect())
    }
}

/// All loaded objects, by first address.
#[derive(Debug, Default)]
pub(crate) struct Objects(BTreeMap<u64, Arc<Object>>);

impl Objects {
    pub fn insert(&mut self, loaded: LoadedObject, built_in: Option<BuiltIn>) {
        let object = Object {
            built_in,
            hash: OnceLock::new(),
            kernels: OnceLock::new(),
            looked_ahead: AtomicBool::new(false),
            loaded,
        };
        self.0.insert(object.loaded.base, Arc::new(object));
    }

    pub fn find(&self, address: u64) -> Option<&Arc<Object>> {
        let (base, object) = self.0.range(..=address).next_back()?;
        (address - base < object.loaded.size).then_some(object)
    }

    pub fn remove(&mut self, executable: u64) {
        self.0
            .retain(|_, object| object.loaded.executable != executable);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(executable: u64, base: u64, size: u64) -> LoadedObject {
        LoadedObject {
            executable,
            agent: AgentId(1),
            base,
            size,
            delta: base,
            uri: String::new(),
            bytes: Arc::from(&b"not an object"[..]),
        }
    }

    #[test]
    fn addresses_belong_to_the_object_around_them() {
        let mut objects = Objects::default();
        objects.insert(loaded(1, 0x1000, 0x100), None);
        objects.insert(loaded(2, 0x2000, 0x100), None);
        let executable = |objects: &Objects, address| {
            objects.find(address).map(|object| object.loaded.executable)
        };
        for (address, expected) in [
            (0xfff, None),
            (0x1000, Some(1)),
            (0x10ff, Some(1)),
            (0x1100, None),
            (0x2050, Some(2)),
            (u64::MAX, None),
        ] {
            assert_eq!(executable(&objects, address), expected, "{address:#x}");
        }
        objects.remove(1);
        assert_eq!(executable(&objects, 0x1000), None);
        assert_eq!(executable(&objects, 0x2000), Some(2));
    }

    #[test]
    fn damaged_objects_have_no_kernels() {
        let mut objects = Objects::default();
        objects.insert(loaded(1, 0, 16), None);
        let error = objects.find(8).unwrap().kernel_at(8).unwrap_err();
        assert!(error.contains("unreadable"), "{error}");
    }
}
