//! Opening, topology and clocks.

use std::{collections::BTreeSet, sync::Once};

use gpu::{Machine, clock, machine::RetryError};
use kmt_sys::thunk::{
    CacheProperties, ClockCounters, GpuTileConfig, IoLinkProperties, MemoryProperties,
    NodeProperties, Status, SystemProperties, VersionInfo,
};

use crate::{
    ffi::{Out, Result},
    instance::{self, instance},
    report::report,
    source, topology,
};

pub fn open() -> Result {
    instance::open().map(|_| ())
}

pub fn close() -> Result {
    instance().map(|_| ())
}

/// Only the classic way of reporting errors is offered; `debug` says where the list of loaded code is.
pub fn runtime_enable(debug: u64) -> Result {
    source::set_debug_list(debug);
    Err(Status::NotSupported)
}

/// Interface version: 1.0 exactly would turn interrupts off, and before 1.4 ROCr hides gfx906.
pub fn version(version: Out<VersionInfo>) -> Result {
    version.put(VersionInfo { major: 1, minor: 9 })
}

pub fn system(properties: Out<SystemProperties>) -> Result {
    let num_nodes = topology::node_count(&instance()?.machine);
    properties.put(SystemProperties {
        num_nodes,
        platform_oem: 0,
        platform_id: 0,
        platform_rev: 0,
    })
}

pub fn node(node: u32, properties: Out<NodeProperties>) -> Result {
    properties.put(topology::node(&instance()?.machine, node)?)
}

/// Stores as many rows as the caller asked for.
fn rows<T: Copy>(rows: Vec<T>, count: u32, out: Out<T>) -> Result {
    if count as usize > rows.len() {
        return Err(Status::InvalidParameter);
    }
    rows.into_iter()
        .take(count as usize)
        .enumerate()
        .try_for_each(|(index, row)| out.put_at(index, row))
}

pub fn node_memory(node: u32, count: u32, out: Out<MemoryProperties>) -> Result {
    rows(topology::memory(&instance()?.machine, node)?, count, out)
}

pub fn node_caches(node: u32, count: u32, out: Out<CacheProperties>) -> Result {
    rows(topology::caches(&instance()?.machine, node)?, count, out)
}

pub fn node_links(node: u32, count: u32, out: Out<IoLinkProperties>) -> Result {
    rows(topology::links(&instance()?.machine, node)?, count, out)
}

/// Lets kernels wait for pages that are not there, or not, and says what a user may not expect.
pub fn set_retries(machine: &Machine, on: bool) -> std::result::Result<(), RetryError> {
    static SAID: Once = Once::new();
    let outcome = machine.set_retries(on);
    let note = match outcome {
        Err(RetryError::Unsupported) => {
            let (mut lacking, mut able) = (BTreeSet::new(), BTreeSet::new());
            for target in machine.gpus().iter().map(|gpu| gpu.target) {
                if !target.retries_by_process {
                    lacking.insert(target.name);
                }
            }
            for target in gfx::TARGETS {
                if target.retries_by_process {
                    able.insert(target.name);
                }
            }
            let list = |names: BTreeSet<&str>| Vec::from_iter(names).join(", ");
            format!(
                "luthier: HSA_XNACK=1 has no effect on {}, as on hardware: it has on {}",
                list(lacking),
                list(able)
            )
        }
        Ok(()) if on && machine.memory().is_exact() => {
            "luthier: --strict: with XNACK on, kernels reach all memory of the program, by pages; only what is allocated for \
             the device is exact to the byte"
                .to_owned()
        }
        _ => return outcome,
    };
    SAID.call_once(|| report(&note));
    outcome
}

pub fn xnack(mode: Out<i32>) -> Result {
    mode.put(i32::from(instance()?.machine.retries()))
}

/// The statuses are those that the thunk makes of the driver's answers.
pub fn set_xnack(mode: i32) -> Result {
    set_retries(&instance()?.machine, mode != 0).map_err(|error| match error {
        RetryError::Queues => Status::Error,
        RetryError::Unsupported => Status::NotSupported,
    })
}

/// ROCr maps device ticks to host time by two samples; both must be of the same clocks and never equal.
pub fn clocks(node: u32, counters: Out<ClockCounters>) -> Result {
    topology::node(&instance()?.machine, node)?;
    let nanoseconds = clock::nanoseconds();
    counters.put(ClockCounters {
        gpu_clock_counter: clock::ticks_at(nanoseconds),
        cpu_clock_counter: nanoseconds,
        system_clock_counter: boot_nanoseconds(),
        system_clock_frequency_hz: 1_000_000_000,
    })
}

/// The time that the kernel driver reports as system clock: time since boot.
pub fn boot_nanoseconds() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid, writable timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The address configuration word of Vega 10, which the image code accepts for all targets here.
pub const ADDRESS_CONFIG: u32 = 0x2a11_4042;

pub fn tiles(node: u32, config: Out<GpuTileConfig>) -> Result {
    instance()?
        .machine
        .gpu(node)
        .ok_or(Status::InvalidNodeUnit)?;
    let mut value = config.get()?;
    value.gb_addr_config = ADDRESS_CONFIG;
    (value.num_banks, value.num_ranks) = (0, 0);
    (value.num_tile_configs, value.num_macro_tile_configs) = (0, 0);
    config.put(value)
}

/// ROCr 6 demands a handle that is not null; it comes back to [`gpu_info`] only.
pub fn handle(node: u32, handle: Out<u64>) -> Result {
    instance()?
        .machine
        .gpu(node)
        .ok_or(Status::InvalidNodeUnit)?;
    handle.put(u64::from(node))
}

/// The beginning of libdrm's `amdgpu_gpu_info`, as far as ROCr 6.1 reads it.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct GpuInfo {
    /// Device, internal and external revision, family.
    ids: [u32; 4],
    ids_flags: u64,
    max_engine_clock: u64,
    max_memory_clock: u64,
    counts: [u32; 8],
    /// kHz.
    counter_frequency: u32,
}
aql::assert_layout!(GpuInfo, 80, { ids_flags @ 16, counts @ 40, counter_frequency @ 72 });

/// The properties of a GPU that libdrm reports.
pub fn describe_gpu(machine: &Machine, node: u32) -> Option<GpuInfo> {
    let gpu = machine.gpu(node)?;
    let properties = topology::node(machine, node).ok()?;
    let (clock, memory_clock) = (gpu.model().engine_clock, gpu.model().memory_clock);
    let (engines, arrays) = (properties.num_shader_banks, properties.num_arrays);
    Some(GpuInfo {
        ids: [u32::from(gpu.model().device_id), 0, 0, properties.family_id],
        ids_flags: 0,
        // kHz.
        max_engine_clock: u64::from(clock) * 1000,
        max_memory_clock: u64::from(memory_clock) * 1000,
        counts: [engines, arrays, 0, 0, 0, 0, 0, 0],
        counter_frequency: (clock::TICKS_PER_SECOND / 1000) as u32,
    })
}

pub fn gpu_info(info: Out<GpuInfo>) -> Result {
    let mut value = info.get()?;
    value.counter_frequency = (clock::TICKS_PER_SECOND / 1000) as u32;
    info.put(value)
}
