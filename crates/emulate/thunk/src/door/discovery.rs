//! Versions of a GPU's parts: `ip_discovery` below `/sys/class/drm/renderD*/device`, for programs that program the queues themselves.
//!
//! Sources: the tables of products in the Linux kernel's documentation of the driver (graphics and copy engines), and which of the
//! driver's files serves a product (bus interface). GPUs without a row have no such folder.

use super::files::Entry;

type Version = [u8; 3];

/// Versions of one target's parts: graphics (GC), copy engines (SDMA), bus interface (NBIF).
struct Row {
    target: &'static str,
    versions: [Version; 3],
}

/// The parts' hardware numbers, in the order of a row's versions.
const PARTS: [&str; 3] = ["11", "42", "108"];
const NUMBERS: [&str; 3] = ["major", "minor", "revision"];

#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row { target: "gfx942",  versions: [[ 9, 4, 3], [4, 4, 2], [7, 9, 0]] },
    Row { target: "gfx1100", versions: [[11, 0, 0], [6, 0, 0], [4, 3, 0]] },
    Row { target: "gfx1200", versions: [[12, 0, 0], [7, 0, 0], [6, 3, 1]] },
    Row { target: "gfx1201", versions: [[12, 0, 1], [7, 0, 1], [6, 3, 1]] },
];

/// The entry at a path below the node's folder.
pub fn look_up(target: &str, parts: &[&str]) -> Option<Entry> {
    let row = ROWS.iter().find(|row| row.target == target)?;
    let folders = |names: &[&str]| {
        let names = names.iter().map(|name| format!("/{name}"));
        Some(Entry::Directory(names.collect()))
    };
    let rest = match parts {
        [] => return folders(&["device"]),
        ["device"] => return folders(&["ip_discovery"]),
        ["device", "ip_discovery"] => return folders(&["die"]),
        ["device", "ip_discovery", "die"] => return folders(&["0"]),
        ["device", "ip_discovery", "die", "0", rest @ ..] => rest,
        _ => return None,
    };
    let part = |name: &str| PARTS.iter().position(|part| *part == name);
    match rest {
        [] => folders(&PARTS),
        [name] => part(name).and_then(|_| folders(&["0"])),
        [name, "0"] => {
            part(name)?;
            Some(Entry::Directory(NUMBERS.map(str::to_owned).to_vec()))
        }
        [name, "0", number] => {
            let number = NUMBERS.iter().position(|known| known == number)?;
            let value = row.versions[part(name)?][number];
            Some(Entry::File(format!("{value}\n")))
        }
        _ => None,
    }
}
