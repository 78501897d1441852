//! The folders of GPUs' cards and render nodes under `/sys/class/drm`, where libraries of system management look for GPUs.
//!
//! There is what says which GPUs there are and how much memory they have. Sensors, clocks, fans and power are not emulated, and have no
//! files.

use gpu::Machine;

use super::{discovery, files::Entry};
use crate::topology;

const CARD: &str = "card";
const RENDER: &str = "renderD";
const MONITOR: &str = "hwmon";

/// The entry at a path below `/sys/class/drm`.
pub fn look_up(machine: &Machine, parts: &[&str]) -> Option<Entry> {
    let nodes = 1..=machine.gpus().len() as u32;
    let Some((name, inside)) = parts.split_first() else {
        let cards = nodes.clone().map(|node| format!("/{CARD}{}", node - 1));
        let renders = nodes.map(|node| format!("/{RENDER}{}", topology::render_minor(node)));
        return Some(Entry::Directory(cards.chain(renders).collect()));
    };
    let node = match name.strip_prefix(RENDER) {
        Some(minor) => topology::render_node(machine, minor.parse().ok()?)?,
        None => name
            .strip_prefix(CARD)?
            .parse::<u32>()
            .ok()?
            .checked_add(1)?,
    };
    let gpu = machine.gpu(node)?;
    match inside {
        [] => Some(Entry::Directory(vec!["/device".to_owned()])),
        ["device", "ip_discovery", ..] => discovery::look_up(gpu.target.name, inside),
        // A place for sensors, without any.
        ["device", "hwmon"] => Some(Entry::Directory(vec![format!("/{MONITOR}{}", node - 1)])),
        ["device", "hwmon", name, inside @ ..] if *name == format!("{MONITOR}{}", node - 1) => {
            match inside {
                [] => Some(Entry::Directory(vec![
                    "name".to_owned(),
                    "in0_label".to_owned(),
                ])),
                ["name"] => Some(Entry::File("amdgpu\n".to_owned())),
                // ROCm's library of system management gives up without the name of the first voltage.
                ["in0_label"] => Some(Entry::File("vddgfx\n".to_owned())),
                _ => None,
            }
        }
        // The same GPU's nodes.
        ["device", "drm"] => Some(Entry::Directory(vec![
            format!("/{CARD}{}", node - 1),
            format!("/{RENDER}{}", topology::render_minor(node)),
        ])),
        ["device"] => {
            let mut names: Vec<String> = rows(machine, node)?
                .into_iter()
                .map(|(name, _)| name.to_owned())
                .collect();
            names.extend(["/drm", "/hwmon"].map(str::to_owned));
            if discovery::look_up(gpu.target.name, inside).is_some() {
                names.push("/ip_discovery".to_owned());
            }
            Some(Entry::Directory(names))
        }
        ["device", name] => {
            let found = rows(machine, node)?
                .into_iter()
                .find(|(known, _)| known == name);
            found.map(|(_, text)| Entry::File(text + "\n"))
        }
        _ => None,
    }
}

/// The entry at a path below `/sys/bus/pci/devices`: the same devices by their places on the bus.
pub fn on_bus(machine: &Machine, parts: &[&str]) -> Option<Entry> {
    let mut nodes = 1..=machine.gpus().len() as u32;
    let Some((name, inside)) = parts.split_first() else {
        return Some(Entry::Directory(
            nodes.map(|node| format!("/{}", bus(node))).collect(),
        ));
    };
    let node = nodes.find(|node| bus(*node) == *name)?;
    let card = format!("{CARD}{}", node - 1);
    look_up(machine, &[&[card.as_str(), "device"], inside].concat())
}

/// The place of a device on the bus.
fn bus(node: u32) -> String {
    format!("0000:{node:02x}:00.0")
}

/// The files of a device, by their names.
fn rows(machine: &Machine, node: u32) -> Option<Vec<(&'static str, String)>> {
    let gpu = machine.gpu(node)?;
    let properties = topology::node(machine, node).ok()?;
    let (total, unique) = (gpu.memory_bytes, properties.unique_id);
    let used = total.saturating_sub(machine.memory().available(node));
    let device = gpu.model().device_id;
    let bus = bus(node);
    Some(vec![
        ("vendor", "0x1002".to_owned()),
        ("device", format!("{device:#06x}")),
        ("subsystem_vendor", "0x1002".to_owned()),
        ("subsystem_device", format!("{device:#06x}")),
        ("revision", "0x00".to_owned()),
        ("class", "0x038000".to_owned()),
        ("unique_id", format!("{unique:016x}")),
        // rocm-smi takes a part number from between the dashes.
        ("vbios_version", "000-LUTHIER-000".to_owned()),
        ("product_name", gpu.model().marketing_name.to_owned()),
        ("mem_info_vram_total", total.to_string()),
        ("mem_info_vram_used", used.to_string()),
        ("mem_info_vis_vram_total", total.to_string()),
        ("mem_info_vis_vram_used", used.to_string()),
        (
            "uevent",
            format!(
                "DRIVER=amdgpu\nPCI_CLASS=38000\nPCI_ID=1002:{device:04X}\nPCI_SUBSYS_ID=1002:{device:04X}\nPCI_SLOT_NAME={bus}"
            ),
        ),
    ])
}
