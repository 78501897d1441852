//! The process's one emulated machine: made by the first `hsaKmtOpenKFD`, leaked, and made anew in a forked child.

use std::{
    collections::BTreeMap,
    env,
    ffi::{CString, c_void},
    sync::{
        Arc, LazyLock, Once,
        atomic::{AtomicBool, AtomicPtr, Ordering},
    },
};

use gpu::{
    Events, Fill, Machine, Memory,
    topology::{Config, ConfigError},
};
use kmt_sys::{
    door::{
        Action, COMPILE_SYMBOL, Compile, EXACT_VARIABLE, EXACTNESS_VARIABLE, LISTEN_SYMBOL,
        Unmapped,
    },
    thunk::Status,
};

use crate::{
    calls, door, exact, executor, ffi::Result, mappings, report::report, statistics::Statistics,
};

/// Slots of the page in which every event has its mailbox.
pub const MAILBOXES: u32 = gpu::events::EVENT_LIMIT;

pub struct Instance {
    pub machine: Machine,
    /// Address of mailbox 0.
    pub mailboxes: u64,
    /// Objects that were given out through the driver's interface.
    pub door: door::State,
    pub system_events: door::system_events::Listeners,
    pub submissions: door::submissions::State,
}

static INSTANCE: AtomicPtr<Instance> = AtomicPtr::new(std::ptr::null_mut());
/// This process is a child that has not opened the device itself: the parent's threads and locks are of no use here.
static FORKED: AtomicBool = AtomicBool::new(false);

/// Returns `true` if this is a forked child that has not opened the device itself.
pub fn is_forked_child() -> bool {
    FORKED.load(Ordering::Acquire)
}

/// The machine, if this process has opened it.
pub fn instance() -> Result<&'static Instance> {
    if FORKED.load(Ordering::Acquire) {
        return Err(Status::KernelIoChannelNotOpened);
    }
    let pointer = INSTANCE.load(Ordering::Acquire);
    // SAFETY: either null or leaked by `open`, so valid for ever and never written again.
    unsafe { pointer.as_ref() }.ok_or(Status::KernelIoChannelNotOpened)
}

/// Makes the machine unless this process has one.
pub fn open() -> Result<&'static Instance> {
    static AT_FORK: Once = Once::new();
    if let Ok(instance) = instance() {
        return Ok(instance);
    }
    AT_FORK.call_once(|| {
        extern "C" fn in_child() {
            FORKED.store(true, Ordering::Release);
        }
        // SAFETY: the handler only stores to an atomic, which is allowed in a forked child.
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    });
    let old = INSTANCE.load(Ordering::Acquire);
    let new = Box::into_raw(Box::new(build()?));
    if INSTANCE
        .compare_exchange(old, new, Ordering::AcqRel, Ordering::Acquire)
        .is_err()
    {
        // Another thread was faster. This instance has started no thread yet. SAFETY: `new` came from `Box::into_raw` above, and no other
        // thread has seen it.
        drop(unsafe { Box::from_raw(new) });
    }
    FORKED.store(false, Ordering::Release);
    instance()
}

/// The preloaded library's function of that name; null if that library is not loaded.
fn preloaded(name: &str) -> *mut c_void {
    let Ok(name) = CString::new(name) else {
        return std::ptr::null_mut();
    };
    // SAFETY: the name ends with a zero, and symbols may be looked up at any time.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}

/// Luthier's threads open files through the preloaded library's functions, if that library is loaded. They must not look up the functions
/// behind those, which takes a lock; so all are looked up now.
fn resolve_preloaded() {
    let found = preloaded(kmt_sys::door::RESOLVE_SYMBOL);
    if !found.is_null() {
        // SAFETY: only one function has that name, and it has this type.
        unsafe { std::mem::transmute::<*mut c_void, extern "C" fn()>(found)() };
    }
}

/// Passes a function to the preloaded library's function of that name.
///
/// # Safety
/// The function of that name must take an `F`.
unsafe fn pass_to_preloaded<F>(name: &str, function: F) {
    let found = preloaded(name);
    if !found.is_null() {
        // SAFETY: only one function has that name, and the caller knows its type.
        unsafe { std::mem::transmute::<*mut c_void, extern "C" fn(F)>(found)(function) };
    }
}

/// comgr's status of an action that failed.
const FAILED: i32 = 1;

unsafe extern "C" fn compile(comgr: Action, kind: u32, info: u64, input: u64, result: u64) -> i32 {
    static CACHE: LazyLock<Option<comgr::Cache>> = LazyLock::new(comgr::Cache::of_user);
    // SAFETY: the program's own arguments, for comgr's own function.
    let act = || unsafe {
        match &*CACHE {
            Some(cache) => cache.act(comgr, kind, info, input, result),
            None => comgr(kind, info, input, result),
        }
    };
    guest::contain(act, || ()).unwrap_or(FAILED)
}

/// A forked child has shared nothing with the device yet.
unsafe extern "C" fn unmapped(address: u64, length: u64) {
    if let Ok(instance) = instance() {
        instance.machine.memory().unmapped(address, length);
    }
}

fn build() -> Result<Instance> {
    resolve_preloaded();
    // SAFETY: `kmt_sys::door` has these types at these names. The library tells of the addresses that the program unmaps, and passes on the
    // requests to the compiler inside HIP.
    unsafe {
        pass_to_preloaded::<Unmapped>(LISTEN_SYMBOL, unmapped);
        pass_to_preloaded::<Compile>(COMPILE_SYMBOL, compile);
    }
    guest::standard_error::remember();
    let gpus = gpus_from_environment().map_err(|error| {
        // ROCr opens the device again and again; saying it once is enough.
        static SAID: Once = Once::new();
        SAID.call_once(|| report(&format!("luthier: cannot emulate a device: {error}")));
        Status::Error
    })?;
    warn_of_old_runtime();
    static IMITATED: Once = Once::new();
    IMITATED.call_once(|| {
        if let Err(why) = imitate(&gpus) {
            report(&format!("luthier: {NUMERICS}: {why}"));
        }
    });
    check_flags();
    let fill = fill_from_environment();
    let limits: BTreeMap<u32, u64> = gpus
        .iter()
        .zip(1..)
        .map(|(gpu, node)| (node, gpu.memory_bytes))
        .collect();
    let (memory, events) = (Arc::new(Memory::new(limits)), Arc::new(Events::default()));
    if exact::is_wanted() {
        memory.be_exact();
    }
    memory.fill_with(fill);
    memory.look_up_mappings(mappings::at);
    let request = gpu::memory::Request {
        node: 0,
        size: u64::from(MAILBOXES) * 8,
        flags: 0,
        writable: true,
        device_local: false,
        remote: false,
    };
    events.on_fault(Box::new(|fault| {
        calls::event::tell(fault);
        if let Ok(instance) = instance() {
            instance.system_events.fault(fault);
        }
    }));
    let mailboxes = memory.allocate(request).map_err(|_| Status::NoMemory)?;
    let statistics = Arc::new(Statistics::from_environment());
    let executor = executor::build(memory.clone(), events.clone(), statistics.clone());
    let machine = Machine::new(gpus, memory, events, executor, statistics);
    Ok(Instance {
        machine,
        mailboxes,
        door: door::State::default(),
        system_events: Default::default(),
        submissions: Default::default(),
    })
}

/// A message from `luthier run` for programs that use ROCr: the ROCr is older than the device.
const OLD_RUNTIME: &str = "LUTHIER_OLD_RUNTIME";

/// Says it once in a process that has loaded ROCr. Other programs that open the device need none.
fn warn_of_old_runtime() {
    static SAID: Once = Once::new();
    const RUNTIME: &std::ffi::CStr = c"libhsa-runtime64.so.1";
    let Some(complaint) = env::var_os(OLD_RUNTIME).and_then(|text| text.into_string().ok()) else {
        return;
    };
    // SAFETY: the name ends with a zero; nothing is loaded.
    let loaded = unsafe { libc::dlopen(RUNTIME.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if !loaded.is_null() {
        SAID.call_once(|| report(&format!("luthier: {complaint}")));
    }
}

#[derive(Debug)]
enum EnvironmentError {
    Config(&'static str, ConfigError),
    NotANumber {
        variable: &'static str,
        value: String,
    },
}

impl std::fmt::Display for EnvironmentError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EnvironmentError::Config(variable, error) => write!(f, "{variable}: {error}"),
            EnvironmentError::NotANumber { variable, value } => {
                write!(f, "{variable}={value:?} is no number from 1 to 128")
            }
        }
    }
}

/// Names a file of what was measured of approximate functions, which devices of its target then give.
const NUMERICS: &str = "LUTHIER_NUMERICS";

fn imitate(gpus: &[Config]) -> std::result::Result<(), String> {
    let Some(path) = env::var_os(NUMERICS).filter(|path| !path.is_empty()) else {
        return Ok(());
    };
    let path = std::path::Path::new(&path);
    let about = |why: String| format!("{}: {why}", path.display());
    let file = std::fs::read(path).map_err(|error| about(error.to_string()))?;
    let target = compute::imitate(&file).map_err(about)?;
    match gpus.iter().any(|gpu| gpu.target.name == target.name) {
        true => Ok(()),
        false => Err(about(format!(
            "it is of {}, and no device of this machine is one",
            target.name
        ))),
    }
}

/// `LUTHIER_FILL`: what registers, LDS, scratch and fresh device memory hold before they are written.
fn fill_from_environment() -> Fill {
    let said = text("LUTHIER_FILL").unwrap_or_default();
    if said.is_empty() {
        return Fill::Zero;
    }
    said.parse().unwrap_or_else(|bad| {
        static SAID: Once = Once::new();
        SAID.call_once(|| report(&format!("luthier: LUTHIER_FILL is not used: {bad}")));
        Fill::Zero
    })
}

/// `LUTHIER_DEVICE`: targets separated by commas (default gfx90a). `LUTHIER_GPUS`: how often to repeat that list.
/// `LUTHIER_COMPUTE_UNITS`: of each device.
fn gpus_from_environment() -> std::result::Result<Vec<Config>, EnvironmentError> {
    let devices = text("LUTHIER_DEVICE").filter(|names| !names.is_empty());
    let repeat = number("LUTHIER_GPUS")?.unwrap_or(1);
    let compute_units = number("LUTHIER_COMPUTE_UNITS")?;
    let mut gpus = Vec::new();
    for name in devices.as_deref().unwrap_or("gfx90a").split(',') {
        let mut config = Config::new(name.trim())
            .map_err(|error| EnvironmentError::Config("LUTHIER_DEVICE", error))?;
        if let Some(count) = compute_units {
            config = config
                .with_compute_units(count)
                .map_err(|error| EnvironmentError::Config("LUTHIER_COMPUTE_UNITS", error))?;
        }
        gpus.push(config);
    }
    let one_round = gpus.clone();
    for _ in 1..repeat {
        gpus.extend(one_round.iter().copied());
    }
    Ok(gpus)
}

/// A variable that is text. If it has other bytes, it says nothing that is known, and those who read it say so.
fn text(variable: &str) -> Option<String> {
    env::var_os(variable).map(|value| value.to_string_lossy().into_owned())
}

/// Complains of variables that are neither 1 nor 0: they are taken for 0.
fn check_flags() {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        for name in [EXACT_VARIABLE, EXACTNESS_VARIABLE] {
            let value = kmt_sys::door::value(name).unwrap_or_default();
            if !["", "0", "1"].iter().any(|known| value == *known) {
                let (name, value) = (name.to_string_lossy(), value.display());
                report(&format!(
                    "luthier: {name}={value}: expected 1 or 0; it is ignored"
                ));
            }
        }
    });
}

fn number(variable: &'static str) -> std::result::Result<Option<u32>, EnvironmentError> {
    let Some(value) = text(variable) else {
        return Ok(None);
    };
    match value.trim().parse() {
        Ok(number @ 1..=128) => Ok(Some(number)),
        _ => Err(EnvironmentError::NotANumber { variable, value }),
    }
}
