//! A device made of host memory, tools with a purpose, and code objects from clang.

use compiled::Compiler;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use codeobj::CodeObject;
use session::{
    Agent, AgentId, Config, Decision, Device, DeviceError, Dispatch, Identity, Instrumenter,
    Loaded, LoadedObject, MemoryKind, Refusal, Request, Session, Variant,
};

pub const AGENT: AgentId = AgentId(7);
/// The address at which [`original`] places the application's object.
pub const DELTA: u64 = 0x7f00_0000_0000;
/// First address of the device's memory.
const ARENA: u64 = 0x5000_0000_0000;

/// Compiles `kernels.hip` once per set of flags.
pub fn object(flags: &[&str]) -> Arc<[u8]> {
    static KNOWN: OnceLock<Mutex<BTreeMap<String, Arc<[u8]>>>> = OnceLock::new();
    let mut known = KNOWN.get_or_init(Mutex::default).lock().unwrap();
    let compile = || {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("kernels.co");
        let output = Compiler::new("clang-22")
            .args([
                "-x",
                "hip",
                "--offload-arch=gfx90a",
                "--offload-device-only",
            ])
            .args(["--no-gpu-bundle-output", "-nogpuinc", "-nogpulib", "-O2"])
            .arg("-fuse-cuid=none")
            .args(flags)
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/kernels.hip"))
            .arg("-o")
            .arg(&out)
            .output()
            .expect("clang-22 runs; `./dev setup` installs it");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        std::fs::read(out).unwrap().into()
    };
    Arc::clone(known.entry(flags.join(" ")).or_insert_with(compile))
}

/// The application's object, loaded at [`DELTA`].
pub fn original(executable: u64, bytes: &Arc<[u8]>) -> LoadedObject {
    let image = CodeObject::parse(bytes).unwrap().image();
    LoadedObject {
        executable,
        agent: AGENT,
        base: DELTA,
        size: image.size,
        delta: DELTA,
        uri: "memory://1#offset=0&size=1".into(),
        bytes: Arc::clone(bytes),
    }
}

/// A launch of one of its kernels.
pub fn launch(bytes: &[u8], kernel: &str) -> Dispatch {
    let object = CodeObject::parse(bytes).unwrap();
    let kernel = object.kernel(kernel).unwrap();
    Dispatch {
        agent: AGENT,
        queue: 1,
        kernel_object: DELTA + kernel.descriptor_address,
        kernarg: 0,
        grid: [64, 1, 1],
        workgroup: [64, 1, 1],
        private_segment_size: kernel.descriptor.private_segment_size(),
        group_segment_size: kernel.descriptor.group_segment_size(),
        cooperative: false,
        enqueued: None,
    }
}

#[derive(Default)]
pub struct Memory {
    pub bytes: Vec<u8>,
    pub kinds: Vec<(u64, MemoryKind)>,
    pub loaded: BTreeMap<u64, (Vec<u8>, String)>,
    pub unloaded: Vec<u64>,
    /// Queues whose dispatches are still running.
    pub busy: BTreeSet<u64>,
}

/// Memory is a vector; loading code keeps its bytes.
#[derive(Default)]
pub struct HostDevice {
    pub memory: Mutex<Memory>,
    /// Loading panics.
    pub breaks: AtomicBool,
    next: AtomicU64,
}

impl HostDevice {
    fn range(address: u64, size: usize) -> std::ops::Range<usize> {
        let start = usize::try_from(address - ARENA).unwrap();
        start..start + size
    }

    pub fn poke(&self, address: u64, bytes: &[u8]) {
        let mut memory = self.memory.lock().unwrap();
        memory.bytes[Self::range(address, bytes.len())].copy_from_slice(bytes);
    }

    pub fn peek(&self, address: u64) -> u64 {
        let memory = self.memory.lock().unwrap();
        let bytes = &memory.bytes[Self::range(address, 8)];
        u64::from_le_bytes(bytes.try_into().unwrap())
    }
}

impl Device for HostDevice {
    fn agents(&self) -> Vec<Agent> {
        vec![Agent {
            id: AGENT,
            number: 0,
            target: "gfx90a:sramecc+:xnack-".into(),
            product: "host memory".into(),
            compute_units: 1,
        }]
    }

    fn load(
        &self,
        agent: AgentId,
        object: &[u8],
        symbols: &[&str],
    ) -> Result<Vec<Loaded>, DeviceError> {
        assert_eq!(agent, AGENT);
        assert!(!self.breaks.load(Ordering::Relaxed), "breaks on purpose");
        let executable = 100 + self.next.fetch_add(1, Ordering::Relaxed);
        let mut memory = self.memory.lock().unwrap();
        memory
            .loaded
            .insert(executable, (object.to_vec(), symbols.join(" ")));
        let kernel_objects = (0..symbols.len() as u64).map(|index| (executable << 32) + index);
        Ok(kernel_objects
            .map(|kernel_object| Loaded {
                executable,
                kernel_object,
            })
            .collect())
    }

    fn unload(&self, executable: u64) {
        let mut memory = self.memory.lock().unwrap();
        assert!(
            memory.loaded.remove(&executable).is_some(),
            "unloaded twice"
        );
        memory.unloaded.push(executable);
    }

    fn allocate(&self, _: AgentId, size: usize, kind: MemoryKind) -> Result<u64, DeviceError> {
        let mut memory = self.memory.lock().unwrap();
        let start = memory.bytes.len();
        memory
            .bytes
            .resize((start + size).next_multiple_of(4096), 0);
        let address = ARENA + start as u64;
        memory.kinds.push((address, kind));
        Ok(address)
    }

    fn free(&self, _: u64) {}

    fn read(&self, address: u64, into: &mut [u8]) -> Result<(), DeviceError> {
        let memory = self.memory.lock().unwrap();
        into.copy_from_slice(&memory.bytes[Self::range(address, into.len())]);
        Ok(())
    }

    fn write(&self, address: u64, from: &[u8]) -> Result<(), DeviceError> {
        self.poke(address, from);
        Ok(())
    }

    fn load_shared(&self, address: u64) -> u32 {
        self.peek(address & !7)
            .checked_shr((address as u32 & 4) * 8)
            .unwrap() as u32
    }

    fn peek(&self, address: u64, into: &mut [u8]) -> bool {
        self.read(address, into).is_ok()
    }

    fn read_shared(&self, address: u64, into: &mut [u8]) {
        self.read(address, into).unwrap();
    }

    fn store_shared(&self, address: u64, value: u64) {
        self.poke(address, &value.to_le_bytes());
    }

    fn spawn(&self, name: &str, _: usize, task: Box<dyn FnOnce() + Send>) -> bool {
        std::thread::Builder::new()
            .name(name.into())
            .spawn(task)
            .is_ok()
    }

    fn drained(&self, queue: u64, _: u64) -> bool {
        !self.memory.lock().unwrap().busy.contains(&queue)
    }

    fn ticket(&self, _: u64) -> Option<u64> {
        Some(self.next.fetch_add(1, Ordering::Relaxed))
    }
}

/// [`Identity`], changed by a function.
pub struct Changed<F>(pub F);

impl<F> Instrumenter for Changed<F>
where
    F: Fn(&Request<'_>, Variant) -> Result<Variant, Refusal> + Send + Sync,
{
    fn name(&self) -> String {
        "changed".into()
    }

    fn fingerprint(&self) -> Vec<u8> {
        b"changed".to_vec()
    }

    fn instrument(&self, request: &Request<'_>) -> Result<Variant, Refusal> {
        self.0(request, Identity.instrument(request)?)
    }
}

pub fn config(variables: &[(&str, &str)]) -> Config {
    let (config, problems) = Config::read(|name| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    });
    assert!(problems.is_empty(), "{problems:?}");
    config
}

/// A session in which [`object`] is loaded as executable 1.
pub fn start(
    bytes: &Arc<[u8]>,
    config: Config,
    tool: Arc<dyn Instrumenter>,
) -> (Arc<Session>, Arc<HostDevice>) {
    let device = Arc::new(HostDevice::default());
    let session = Session::new(config, tool, Arc::clone(&device) as Arc<dyn Device>);
    session.loaded(original(1, bytes));
    (session, device)
}

/// The kernel object that runs, if it is a variant's.
pub fn variant(decision: Decision) -> Option<u64> {
    match decision {
        Decision::Variant(substitute) => Some(substitute.kernel_object),
        Decision::Original | Decision::Watched(_) => None,
    }
}
