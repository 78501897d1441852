//! The machine's topology as the thunk's structs: node 0 is the host, nodes from 1 are GPUs.
//!
//! ROCr asserts much of this (Debian builds it with assertions): caches on every node, non-zero clocks, apertures with a
//! non-zero high half.

use gfx::Family;
use gpu::{
    Machine,
    dispatch::{LDS_APERTURE_BASE, SCRATCH_APERTURE_BASE},
    topology::Config,
};
use kmt_sys::thunk::{
    CacheProperties, IoLinkProperties, MemoryProperties, NodeProperties, Status, heap,
};

use crate::ffi::Result;

/// The driver's number of a GPU is this and its node.
pub const GPU_ID_BASE: u32 = 0x1000;
/// Minor number of the render node of the first GPU.
const FIRST_RENDER_MINOR: u32 = 128;

const PCI_EXPRESS: u32 = 2;
/// Cache type bits.
const DATA: u32 = 1;
const CPU: u32 = 4;
const COMPUTE: u32 = 8;

/// All-zero properties of a node.
fn no_node() -> NodeProperties {
    // SAFETY: the struct holds integers only, for which zero bytes are valid.
    unsafe { std::mem::zeroed() }
}

/// The minor number of a GPU's render node.
pub fn render_minor(node: u32) -> u32 {
    FIRST_RENDER_MINOR + node - 1
}

/// The GPU whose render node has this minor number.
pub fn render_node(machine: &Machine, minor: u32) -> Option<u32> {
    let node = minor.checked_sub(FIRST_RENDER_MINOR - 1)?;
    machine.gpu(node).map(|_| node)
}

pub fn node_count(machine: &Machine) -> u32 {
    machine.gpus().len() as u32 + 1
}

fn check(machine: &Machine, node: u32) -> Result {
    if node < node_count(machine) {
        Ok(())
    } else {
        Err(Status::InvalidNodeUnit)
    }
}

pub fn node(machine: &Machine, node: u32) -> Result<NodeProperties> {
    check(machine, node)?;
    Ok(match machine.gpu(node) {
        None => host_node(machine),
        Some(gpu) => gpu_node(machine, node, gpu),
    })
}

fn host_node(machine: &Machine) -> NodeProperties {
    let cores = std::thread::available_parallelism().map_or(1, |count| count.get() as u32);
    NodeProperties {
        num_cpu_cores: cores,
        num_memory_banks: 1,
        num_caches: host_caches().len() as u32,
        num_io_links: machine.gpus().len() as u32,
        max_engine_clock_mhz_c_compute: 3000,
        drm_render_minor: -1,
        marketing_name: utf16("Host CPU"),
        amd_name: ascii("cpu"),
        ..no_node()
    }
}

fn gpu_node(machine: &Machine, node: u32, gpu: &Config) -> NodeProperties {
    let (model, target) = (gpu.model(), gpu.target);
    let is_gfx9 = target.family == Family::Gfx9;
    let (compute_firmware, copy_firmware) = firmware(target);
    NodeProperties {
        num_f_compute_cores: gpu.simds(),
        num_memory_banks: 3,
        num_caches: 2,
        num_io_links: machine.gpus().len() as u32,
        f_compute_id_lo: 0x8000_0000 + (node << 12),
        capability: gpu.capability(),
        max_waves_per_simd: u32::from(target.max_waves_per_simd),
        lds_size_in_kb: target.lds_bytes / 1024,
        wave_front_size: u32::from(target.wave_size),
        num_shader_banks: gpu.shader_engines(),
        num_arrays: 1,
        num_cu_per_array: gpu.compute_units / gpu.shader_engines(),
        num_simd_per_cu: u32::from(target.simds_per_cu),
        max_slots_scratch_cu: 32,
        engine_id: gpu.engine_id() | compute_firmware,
        ucode_engine_versions: copy_firmware,
        vendor_id: 0x1002,
        device_id: model.device_id,
        location_id: node << 8,
        local_mem_size: gpu.memory_bytes,
        max_engine_clock_mhz_f_compute: model.engine_clock,
        drm_render_minor: render_minor(node) as i32,
        marketing_name: utf16(model.marketing_name),
        amd_name: ascii(target.name),
        num_sdma_engines: 2,
        num_sdma_queues_per_engine: 8,
        num_cp_queues: 24,
        num_gws: 64,
        unique_id: 0x1000_0000_0000_0000 + u64::from(node),
        vgpr_size_per_cu: if is_gfx9 { 512 << 10 } else { 256 << 10 },
        sgpr_size_per_cu: 12800,
        num_xcc: target.compute_dies.into(),
        kfd_gpu_id: GPU_ID_BASE + node,
        family_id: driver_family(target),
        ..no_node()
    }
}

/// Versions of the firmware of the compute and the copy engines, in 10 bits each: not older than what the kernel driver demands of a
/// device that supports debuggers (`kfd_topology_set_dbg_firmware_support`). Below 1000 ROCr takes no scratch back from queues of
/// gfx942 by itself.
fn firmware(target: &gfx::Target) -> (u32, u32) {
    match target.version {
        (9, 0, 8) => (71, 18),
        (9, 0, 10) => (79, 9),
        (9, 4, _) => (170, 22),
        (9, 5, _) => (60, 15),
        (9, ..) => (471, 430),
        (10, 1, _) => (157, 35),
        (10, ..) => (121, 76),
        (11, ..) => (640, 24),
        _ => (720, 36),
    }
}

/// The number by which the kernel driver tells families apart (`AMDGPU_FAMILY_*` in amdgpu_drm.h). ROCr's library for images
/// chooses layouts by it.
fn driver_family(target: &gfx::Target) -> u32 {
    match target.version {
        (9, 0, 2 | 9 | 12) => 142,
        (9, ..) => 141,
        (10, 3, 3) => 144,
        (10, 3, 5) => 146,
        (10, 3, 6) => 149,
        (10, ..) => 143,
        (11, 0, 3) => 148,
        (11, 0, _) => 145,
        (11, ..) => 150,
        _ => 152,
    }
}

/// The memory banks of a node.
pub fn memory(machine: &Machine, node: u32) -> Result<Vec<MemoryProperties>> {
    check(machine, node)?;
    let bank = |heap_type, size_in_bytes, virtual_base_address| MemoryProperties {
        heap_type,
        size_in_bytes,
        flags: 0,
        width: 64,
        memory_clock_max: 1600,
        virtual_base_address,
    };
    let Some(gpu) = machine.gpu(node) else {
        return Ok(vec![bank(heap::SYSTEM, host_memory(), 0)]);
    };
    let (width, memory_clock_max) = (gpu.model().memory_width, gpu.model().memory_clock);
    Ok(vec![
        MemoryProperties {
            width,
            memory_clock_max,
            ..bank(heap::FRAME_BUFFER_PUBLIC, gpu.memory_bytes, 0)
        },
        bank(
            heap::GPU_LDS,
            u64::from(gpu.target.lds_bytes),
            LDS_APERTURE_BASE,
        ),
        bank(heap::GPU_SCRATCH, 4 << 30, SCRATCH_APERTURE_BASE),
    ])
}

/// Level, KiB, line bytes and type of each cache of the host.
fn host_caches() -> [(u32, u32, u32, u32); 2] {
    [(1, 32, 64, DATA | CPU), (2, 1024, 64, DATA | CPU)]
}

/// The caches of a node.
pub fn caches(machine: &Machine, node: u32) -> Result<Vec<CacheProperties>> {
    check(machine, node)?;
    let rows = match machine.gpu(node).map(Config::model) {
        None => host_caches(),
        Some(model) => [
            (1, model.l1_kib, model.cache_line, DATA | COMPUTE),
            (2, model.l2_kib, model.cache_line, DATA | COMPUTE),
        ],
    };
    let cache = |(cache_level, cache_size, cache_line_size, cache_type)| CacheProperties {
        processor_id_low: 0,
        cache_level,
        cache_size,
        cache_line_size,
        cache_lines_per_tag: 1,
        cache_associativity: 16,
        cache_latency: 1,
        cache_type,
        sibling_map: [0; 256],
    };
    Ok(rows.into_iter().map(cache).collect())
}

/// Links from a node to every other. The link from the host to a GPU makes ROCr treat all of its memory as host visible.
pub fn links(machine: &Machine, node: u32) -> Result<Vec<IoLinkProperties>> {
    check(machine, node)?;
    let link = |node_to| IoLinkProperties {
        io_link_type: PCI_EXPRESS,
        version_major: 0,
        version_minor: 0,
        node_from: node,
        node_to,
        weight: if node == 0 || node_to == 0 { 20 } else { 40 },
        minimum_latency: 0,
        maximum_latency: 0,
        minimum_bandwidth: 312,
        maximum_bandwidth: 32_000,
        rec_transfer_size: 0,
        flags: 1,
    };
    Ok((0..node_count(machine))
        .filter(|other| *other != node)
        .map(link)
        .collect())
}

/// Bytes of host memory.
fn host_memory() -> u64 {
    // SAFETY: zero bytes are a valid `sysinfo`, which the call then fills in.
    let info = unsafe {
        let mut info: libc::sysinfo = std::mem::zeroed();
        if libc::sysinfo(&mut info) != 0 {
            return 16 << 30;
        }
        info
    };
    info.totalram * u64::from(info.mem_unit)
}

fn utf16(text: &str) -> [u16; 64] {
    let mut name = [0; 64];
    for (unit, character) in name.iter_mut().take(63).zip(text.encode_utf16()) {
        *unit = character;
    }
    name
}

fn ascii(text: &str) -> [u8; 64] {
    let mut name = [0; 64];
    for (unit, byte) in name.iter_mut().take(63).zip(text.bytes()) {
        *unit = byte;
    }
    name
}
