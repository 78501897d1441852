//! The driver's folders in `/sys`, as text.

use std::fmt::Write;

use gpu::Machine;
use kmt_sys::thunk::IoLinkProperties;

use super::cards;
use crate::topology;

/// An entry at a path.
#[derive(Debug, PartialEq, Eq)]
pub enum Entry {
    File(String),
    /// Names; those of directories begin with a slash.
    Directory(Vec<String>),
    Device(u32),
}

const DRIVER: &str = "/dev/kfd";
const RENDER: &str = "/dev/dri/renderD";
const CARDS: &str = "/sys/class/drm";
const BUS: &str = "/sys/bus/pci/devices";
/// Two names of one folder.
const FOLDERS: [&str; 2] = ["/sys/devices/virtual/kfd", "/sys/class/kfd"];

/// The entry at an absolute path; None if there is none.
pub fn look_up(machine: &Machine, path: &str) -> Option<Entry> {
    if path == DRIVER {
        return Some(Entry::Device(kmt_sys::door::KFD));
    }
    if let Some(minor) = path.strip_prefix(RENDER) {
        let node = topology::render_node(machine, minor.parse().ok()?)?;
        return Some(Entry::Device(node));
    }
    if let Some(path) = path.strip_prefix(CARDS) {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        return cards::look_up(machine, &parts);
    }
    if let Some(path) = path.strip_prefix(BUS) {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        return cards::on_bus(machine, &parts);
    }
    let inside = FOLDERS
        .iter()
        .find_map(|folder| path.strip_prefix(folder))?;
    let parts: Vec<&str> = inside.split('/').filter(|part| !part.is_empty()).collect();
    below(machine, &parts)
}

fn below(machine: &Machine, parts: &[&str]) -> Option<Entry> {
    let directory = |names: &[&str]| {
        Some(Entry::Directory(
            names.iter().map(|name| (*name).to_owned()).collect(),
        ))
    };
    let topology = match parts {
        [] => return directory(&["/kfd"]),
        ["kfd"] => return directory(&["/topology", "/proc", "dev", "uevent"]),
        ["kfd", "proc"] => return directory(&[]),
        ["kfd", "dev"] => return Some(Entry::File("234:0\n".to_owned())),
        ["kfd", "uevent"] => {
            return Some(Entry::File("MAJOR=234\nMINOR=0\nDEVNAME=kfd\n".to_owned()));
        }
        ["kfd", "topology", rest @ ..] => rest,
        _ => return None,
    };
    match topology {
        [] => directory(&["/nodes", "generation_id", "system_properties"]),
        ["generation_id"] => Some(Entry::File("1\n".to_owned())),
        ["system_properties"] => {
            let text = lines(&[("platform_oem", 0), ("platform_id", 0), ("platform_rev", 0)]);
            Some(Entry::File(text))
        }
        ["nodes"] => Some(numbered(topology::node_count(machine) as usize)),
        ["nodes", number, rest @ ..] => {
            let number = number
                .parse()
                .ok()
                .filter(|node| *node < topology::node_count(machine))?;
            of_node(machine, number, rest)
        }
        _ => None,
    }
}

/// The capability that a device's firmware supports debuggers. The thunk asks the driver to report errors as exceptions only where all
/// devices have it, and ROCr 7.2 does not end without.
const DEBUG_FIRMWARE: u64 = 1 << 29;

/// Folders with numbers for names.
fn numbered(count: usize) -> Entry {
    Entry::Directory((0..count).map(|number| format!("/{number}")).collect())
}

fn lines(rows: &[(&str, u64)]) -> String {
    let mut text = String::new();
    for (name, value) in rows {
        let _ = writeln!(text, "{name} {value}");
    }
    text
}

const PARTS: [&str; 7] = [
    "/mem_banks",
    "/caches",
    "/io_links",
    "/p2p_links",
    "gpu_id",
    "name",
    "properties",
];

fn of_node(machine: &Machine, node: u32, parts: &[&str]) -> Option<Entry> {
    let properties = topology::node(machine, node).ok()?;
    let gpu = machine.gpu(node);
    // The thunk adds local and private memory itself.
    let mut banks = topology::memory(machine, node).ok()?;
    banks.truncate(1);
    let caches = topology::caches(machine, node).ok()?;
    // The driver has GPUs that meet at the host's bus apart from what is joined by a link of its own.
    let links = topology::links(machine, node).ok()?;
    let at_bus = |link: &&IoLinkProperties| link.node_from != 0 && link.node_to != 0;
    let (peers, links): (Vec<&IoLinkProperties>, Vec<_>) = links.iter().partition(at_bus);
    let file = |rows: &[(&str, u64)]| Some(Entry::File(lines(rows)));
    let index = |text: &str, count: usize| -> Option<usize> {
        text.parse().ok().filter(|index| *index < count)
    };
    let counts = [
        ("mem_banks", banks.len()),
        ("caches", caches.len()),
        ("io_links", links.len()),
        ("p2p_links", peers.len()),
    ];
    match parts {
        [] => Some(Entry::Directory(PARTS.map(str::to_owned).to_vec())),
        ["gpu_id"] => Some(Entry::File(format!("{}\n", { properties.kfd_gpu_id }))),
        ["name"] => {
            let name: Vec<u8> = properties
                .amd_name
                .into_iter()
                .take_while(|byte| *byte != 0)
                .collect();
            Some(Entry::File(format!("{}\n", String::from_utf8_lossy(&name))))
        }
        ["properties"] => {
            let version = gpu.map_or(0, |gpu| {
                let (major, minor, step) = gpu.target.version;
                u64::from(major) * 10_000 + u64::from(minor) * 100 + u64::from(step)
            });
            let debugging = gpu.map_or(0, |_| DEBUG_FIRMWARE);
            file(&node_rows(&properties, &counts, version, debugging))
        }
        [kind] => {
            let (_, count) = counts.iter().find(|(name, _)| name == kind)?;
            Some(numbered(*count))
        }
        [kind, number] => {
            let (_, count) = counts.iter().find(|(name, _)| name == kind)?;
            index(number, *count)?;
            Some(Entry::Directory(vec!["properties".to_owned()]))
        }
        ["mem_banks", number, "properties"] => {
            let bank = banks[index(number, banks.len())?];
            file(&[
                ("heap_type", bank.heap_type.into()),
                ("size_in_bytes", bank.size_in_bytes),
                ("flags", bank.flags.into()),
                ("width", bank.width.into()),
                ("mem_clk_max", bank.memory_clock_max.into()),
            ])
        }
        ["caches", number, "properties"] => {
            let cache = caches[index(number, caches.len())?];
            let mut text = lines(&[
                ("processor_id_low", cache.processor_id_low.into()),
                ("level", cache.cache_level.into()),
                ("size", cache.cache_size.into()),
                ("cache_line_size", cache.cache_line_size.into()),
                ("cache_lines_per_tag", cache.cache_lines_per_tag.into()),
                ("association", cache.cache_associativity.into()),
                ("latency", cache.cache_latency.into()),
                ("type", cache.cache_type.into()),
            ]);
            text.push_str("sibling_map 1,0,0,0,0,0,0,0\n");
            Some(Entry::File(text))
        }
        [kind @ ("io_links" | "p2p_links"), number, "properties"] => {
            let of_kind = if *kind == "io_links" { &links } else { &peers };
            let link: &IoLinkProperties = of_kind[index(number, of_kind.len())?];
            file(&[
                ("type", link.io_link_type.into()),
                ("version_major", link.version_major.into()),
                ("version_minor", link.version_minor.into()),
                ("node_from", link.node_from.into()),
                ("node_to", link.node_to.into()),
                ("weight", link.weight.into()),
                ("min_latency", link.minimum_latency.into()),
                ("max_latency", link.maximum_latency.into()),
                ("min_bandwidth", link.minimum_bandwidth.into()),
                ("max_bandwidth", link.maximum_bandwidth.into()),
                ("recommended_transfer_size", link.rec_transfer_size.into()),
                ("recommended_sdma_engine_id_mask", 0),
                ("flags", link.flags.into()),
            ])
        }
        _ => None,
    }
}

/// The rows of a node's `properties`, in the driver's order.
#[rustfmt::skip]
fn node_rows(
    node: &kmt_sys::thunk::NodeProperties,
    counts: &[(&str, usize); 4],
    version: u64,
    debugging: u64,
) -> Vec<(&'static str, u64)> {
    let [banks, caches, links, p2p] = counts.map(|(_, count)| count as u64);
    vec![
        ("cpu_cores_count",            node.num_cpu_cores.into()),
        ("simd_count",                 node.num_f_compute_cores.into()),
        ("mem_banks_count",            banks),
        ("caches_count",               caches),
        ("io_links_count",             links),
        ("p2p_links_count",            p2p),
        ("cpu_core_id_base",           node.c_compute_id_lo.into()),
        ("simd_id_base",               node.f_compute_id_lo.into()),
        ("max_waves_per_simd",         node.max_waves_per_simd.into()),
        ("lds_size_in_kb",             node.lds_size_in_kb.into()),
        ("gds_size_in_kb",             node.gds_size_in_kb.into()),
        ("num_gws",                    node.num_gws.into()),
        ("wave_front_size",            node.wave_front_size.into()),
        ("array_count",                u64::from(node.num_shader_banks) * u64::from(node.num_arrays)),
        ("simd_arrays_per_engine",     node.num_arrays.into()),
        ("cu_per_simd_array",          node.num_cu_per_array.into()),
        ("simd_per_cu",                node.num_simd_per_cu.into()),
        ("max_slots_scratch_cu",       node.max_slots_scratch_cu.into()),
        ("gfx_target_version",         version),
        ("vendor_id",                  node.vendor_id.into()),
        ("device_id",                  node.device_id.into()),
        ("location_id",                node.location_id.into()),
        ("domain",                     node.domain.into()),
        ("drm_render_minor",           u64::try_from(node.drm_render_minor).unwrap_or(0)),
        ("hive_id",                    node.hive_id),
        ("num_sdma_engines",           node.num_sdma_engines.into()),
        ("num_sdma_xgmi_engines",      node.num_sdma_xgmi_engines.into()),
        ("num_sdma_queues_per_engine", node.num_sdma_queues_per_engine.into()),
        ("num_cp_queues",              node.num_cp_queues.into()),
        ("max_engine_clk_fcompute",    node.max_engine_clock_mhz_f_compute.into()),
        ("local_mem_size",             node.local_mem_size),
        ("fw_version",                 u64::from(node.engine_id) & 0x3ff),
        ("capability",                 u64::from(node.capability) | debugging),
        ("debug_prop",                 node.debug_properties),
        ("sdma_fw_version",            u64::from(node.ucode_engine_versions) & 0x3ff),
        ("unique_id",                  node.unique_id),
        ("num_xcc",                    node.num_xcc.into()),
        ("max_engine_clk_ccompute",    node.max_engine_clock_mhz_c_compute.into()),
    ]
}
