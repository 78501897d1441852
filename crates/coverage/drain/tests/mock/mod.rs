//! A GPU runtime made of bytes: loads real ELF images at chosen addresses, relocates them, and can be told to fail.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    process::Command,
};

use drain::{Agent, LoadedObject, Runtime, RuntimeError, Symbol, image, runtime::Registered};
use object::{LittleEndian, Object, ObjectSegment, ObjectSymbol, read::elf::ElfFile64};

const R_AMDGPU_RELATIVE64: u32 = 13;

/// One loaded object: its description, its file, its memory.
pub struct Loaded {
    pub object: LoadedObject,
    pub file: Vec<u8>,
    pub base: u64,
    pub memory: Vec<u8>,
}

#[derive(Default)]
pub struct Mock {
    pub agents: Vec<Agent>,
    pub loaded: RefCell<Vec<Loaded>>,
    next: Cell<u64>,
    /// Images cannot be read any more, as after their loader freed them.
    pub images_gone: Cell<bool>,
    /// The runtime was shut down.
    pub stopped: Cell<bool>,
    /// Reads of this object's memory fail.
    pub broken: Cell<u64>,
    pub copies: Cell<usize>,
    /// Host memory from address 0, and the fat binaries in it.
    pub host: Vec<u8>,
    pub registered: Vec<Registered>,
    pub mappings: Vec<u8>,
}

impl Mock {
    pub fn new(agents: &[&str]) -> Self {
        let agent = |(index, name): (usize, &&str)| Agent {
            handle: 100 + index as u64,
            name: name.to_string(),
            label: format!("node{index}"),
            targets: Vec::new(),
        };
        Mock {
            agents: agents.iter().enumerate().map(agent).collect(),
            next: Cell::new(1),
            ..Mock::default()
        }
    }

    /// Loads an image on an agent at `base`; returns the executable.
    pub fn load(&self, agent: usize, file: &[u8], base: u64) -> u64 {
        let elf = ElfFile64::<LittleEndian>::parse(file).unwrap();
        let end = elf
            .segments()
            .map(|segment| segment.address() + segment.size())
            .max()
            .unwrap();
        let mut memory = vec![0; end as usize];
        for segment in elf.segments() {
            let data = segment.data().unwrap();
            memory[segment.address() as usize..][..data.len()].copy_from_slice(data);
        }
        for (at, relocation) in elf.dynamic_relocations().into_iter().flatten() {
            if matches!(relocation.flags(), object::RelocationFlags::Elf { r_type } if r_type.0 == R_AMDGPU_RELATIVE64)
            {
                let value = base.wrapping_add(relocation.addend() as u64);
                memory[at as usize..][..8].copy_from_slice(&value.to_le_bytes());
            }
        }
        let id = self.next.get();
        self.next.set(id + 1);
        let object = LoadedObject {
            executable: id,
            handle: id + 1_000_000,
            agent: self.agents[agent].handle,
            load_delta: base,
            image_size: file.len() as u64,
            uri: format!("memory://1#offset={id}"),
        };
        self.loaded.borrow_mut().push(Loaded {
            object,
            file: file.to_vec(),
            base,
            memory,
        });
        id
    }

    pub fn unload(&self, executable: u64) {
        self.loaded
            .borrow_mut()
            .retain(|loaded| loaded.object.executable != executable);
    }

    /// Adds to the counters of a function, as a kernel would.
    pub fn count(&self, executable: u64, function: &str, counts: &[u64]) {
        let mut loaded = self.loaded.borrow_mut();
        let loaded = loaded
            .iter_mut()
            .find(|loaded| loaded.object.executable == executable)
            .unwrap();
        let elf = ElfFile64::<LittleEndian>::parse(loaded.file.as_slice()).unwrap();
        let name = format!("__profc_{function}");
        let symbol = elf
            .symbols()
            .find(|symbol| symbol.name() == Ok(&name))
            .unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(symbol.size(), counts.len() as u64 * 8, "{function}");
        for (index, extra) in counts.iter().enumerate() {
            let at = symbol.address() as usize + 8 * index;
            let old = u64::from_le_bytes(loaded.memory[at..at + 8].try_into().unwrap());
            loaded.memory[at..at + 8].copy_from_slice(&(old + extra).to_le_bytes());
        }
    }

    /// Overwrites device memory at the address of a symbol.
    pub fn poke(&self, executable: u64, symbol: &str, offset: u64, bytes: &[u8]) {
        let mut loaded = self.loaded.borrow_mut();
        let loaded = loaded
            .iter_mut()
            .find(|loaded| loaded.object.executable == executable)
            .unwrap();
        let elf = ElfFile64::<LittleEndian>::parse(loaded.file.as_slice()).unwrap();
        let found = elf
            .symbols()
            .find(|candidate| candidate.name() == Ok(symbol))
            .unwrap();
        let at = (found.address() + offset) as usize;
        loaded.memory[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn access<T>(
        &self,
        agent: u64,
        address: u64,
        size: usize,
        act: impl FnOnce(&mut [u8]) -> T,
    ) -> Result<T, RuntimeError> {
        if self.stopped.get() {
            return Err(RuntimeError::NotRunning);
        }
        self.copies.set(self.copies.get() + 1);
        let mut loaded = self.loaded.borrow_mut();
        let holder = loaded.iter_mut().find(|loaded| {
            loaded.object.agent == agent
                && address >= loaded.base
                && address + size as u64 <= loaded.base + loaded.memory.len() as u64
        });
        match holder {
            Some(holder) if holder.object.executable == self.broken.get() => {
                Err(RuntimeError::Call {
                    call: "hsa_memory_copy",
                    status: 0x1000,
                })
            }
            Some(holder) => Ok(act(
                &mut holder.memory[(address - holder.base) as usize..][..size]
            )),
            None => Err(RuntimeError::OutsideAllocation {
                address,
                size: size as u64,
                found: "nothing".into(),
            }),
        }
    }
}

impl Runtime for Mock {
    fn agents(&self) -> Result<Vec<Agent>, RuntimeError> {
        if self.stopped.get() {
            Err(RuntimeError::NotRunning)
        } else {
            Ok(self.agents.clone())
        }
    }

    fn executables(&self) -> Result<Vec<u64>, RuntimeError> {
        Ok(self
            .loaded
            .borrow()
            .iter()
            .map(|loaded| loaded.object.executable)
            .collect())
    }

    fn objects(&self, executable: u64) -> Result<Vec<LoadedObject>, RuntimeError> {
        let loaded = self.loaded.borrow();
        // Executables are numbered in load order, so the list is sorted by them.
        let at = loaded.partition_point(|loaded| loaded.object.executable < executable);
        Ok(loaded[at..]
            .iter()
            .take_while(|l| l.object.executable == executable)
            .map(|l| l.object.clone())
            .collect())
    }

    fn symbols(&self, executable: u64, agent: u64) -> Result<Vec<Symbol>, RuntimeError> {
        let loaded = self.loaded.borrow();
        let found = loaded
            .iter()
            .find(|l| l.object.executable == executable && l.object.agent == agent)
            .unwrap();
        let elf = ElfFile64::<LittleEndian>::parse(found.file.as_slice()).unwrap();
        let symbols = elf
            .dynamic_symbols()
            .filter(|symbol| image::is_interesting(symbol.name().unwrap_or("")));
        Ok(symbols
            .map(|symbol| Symbol {
                name: symbol.name().unwrap().into(),
                address: symbol.address() + found.base,
                size: symbol.size(),
            })
            .collect())
    }

    fn read_image(&self, object: &LoadedObject, offset: u64, into: &mut [u8]) -> bool {
        let loaded = self.loaded.borrow();
        let at = loaded.partition_point(|loaded| loaded.object.executable < object.executable);
        let found = loaded
            .get(at)
            .filter(|loaded| loaded.object.executable == object.executable);
        let part = found.and_then(|found| {
            found
                .file
                .get(offset as usize..offset as usize + into.len())
        });
        match part.filter(|_| !self.images_gone.get()) {
            Some(part) => {
                into.copy_from_slice(part);
                true
            }
            None => false,
        }
    }

    fn read(&self, agent: u64, address: u64, into: &mut [u8]) -> Result<(), RuntimeError> {
        self.access(agent, address, into.len(), |memory| {
            into.copy_from_slice(memory)
        })
    }

    fn write(&self, agent: u64, address: u64, from: &[u8]) -> Result<(), RuntimeError> {
        self.access(agent, address, from.len(), |memory| {
            memory.copy_from_slice(from)
        })
    }

    fn registered(&self) -> Vec<Registered> {
        self.registered.clone()
    }

    fn read_host(&self, address: u64, into: &mut [u8]) -> bool {
        let at = address as usize;
        let bytes = self.host.get(at..at + into.len());
        bytes.inspect(|bytes| into.copy_from_slice(bytes)).is_some()
    }

    fn mappings(&self) -> Vec<u8> {
        self.mappings.clone()
    }
}

/// Device code that needs no HIP headers, so that compiling it takes a tenth of a second.
pub const SOURCE: &str = r#"
#define DEVICE __attribute__((device))
#define GLOBAL __attribute__((global))
static DEVICE int classify(int x) {
    if (x > 3)
        return x * 2;
    return x + 1;
}
GLOBAL void kern(int *a, int i, int n) {
    if (i >= n)
        return;
    for (int k = 0; k < i; ++k)
        a[k] += classify(k);
    if ((i & 1) && (i & 2 || n > 1000))
        a[0] = 7;
}
GLOBAL void idle(int *a) {
    a[0] = 1;
}
"#;

/// Compiles device code with counters for one target.
pub fn compile(directory: &Path, source: &str, target: &str, extra: &[&str]) -> Vec<u8> {
    let input = directory.join("kernels.hip");
    let output = directory.join("kernels.elf");
    std::fs::write(&input, source).unwrap();
    let header = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../runtime/device-profile/luthier_profile.h");
    let status = Command::new("clang++-22")
        .args([
            "-x",
            "hip",
            "--offload-device-only",
            "--no-gpu-bundle-output",
            "-nogpuinc",
            "-nogpulib",
            "-O1",
        ])
        .args([
            "-fprofile-instr-generate",
            "-fcoverage-mapping",
            "-fprofile-update=atomic",
        ])
        .arg(format!("--offload-arch={target}"))
        .arg("-include")
        .arg(header)
        .args(extra)
        .arg(&input)
        .arg("-o")
        .arg(&output)
        .status()
        .expect("clang++-22 (package clang-22) is needed");
    assert!(status.success());
    std::fs::read(output).unwrap()
}

/// Counters by function name, summed over all profiles in a file.
pub fn counts(file: &Path) -> BTreeMap<String, Vec<u64>> {
    let profiles = rawprof::parse(&std::fs::read(file).unwrap()).unwrap();
    let mut sums: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for profile in profiles {
        let names: HashMap<u64, String> = rawprof::names::index(&profile.names).unwrap();
        for record in profile.records {
            let name = names.get(&record.name_ref).cloned().unwrap_or_default();
            let sum = sums
                .entry(name)
                .or_insert_with(|| vec![0; record.counters.len()]);
            sum.iter_mut()
                .zip(&record.counters)
                .for_each(|(total, count)| *total += count);
        }
    }
    sums
}
