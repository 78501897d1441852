//! `mem-coalesce` counts the lines that a program itself says it touches, and those of the addresses that `mem-trace` writes.

use crate::trace;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde_json::Value;

const LINE: u64 = 128;
/// `luthier::access` of LDS accesses, which have no lines.
const LDS: u64 = 64;

/// Accesses, lanes and lines.
type Counts = [u64; 3];

/// Kernel, text and program counter of each instruction that ran, with what was counted.
fn counted(folder: &Path) -> Vec<(String, String, u64, Counts)> {
    let path = trace::file(folder, "mem-coalesce.", ".json");
    let kernels: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut counted = Vec::new();
    for kernel in kernels.as_array().unwrap() {
        for site in kernel["sites"].as_array().unwrap() {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let number = |name: &str| site[name].as_u64().unwrap();
            let counts = ["accesses", "lanes", "lines"].map(number);
            if counts[0] != 0 {
                counted.push((
                    text(&kernel["kernel"]),
                    text(&site["text"]),
                    number("pc"),
                    counts,
                ));
            }
        }
    }
    counted
}

#[test]
fn lines_are_those_of_the_program() {
    if !programs::can_compile() {
        return;
    }
    for device in &programs::named("cache_lines").unwrap().header.devices {
        let folder = tempfile::tempdir().unwrap();
        let run = trace::run("cache_lines", device, "mem-coalesce", folder.path());
        let counted = counted(folder.path());
        let stdout = String::from_utf8_lossy(&run.stdout);
        assert!(stdout.lines().count() > 10, "{stdout}");
        for line in stdout.lines() {
            let numbers = line.split_whitespace().map(|word| word.parse().unwrap());
            let [pattern, lanes, lines] = numbers.collect::<Vec<u64>>()[..] else {
                panic!("{line}");
            };
            let name = format!("ILi{pattern}E");
            let ours: Vec<_> = counted
                .iter()
                .filter(|site| site.0.contains(&name) && site.1.contains("ubyte"))
                .map(|site| site.3)
                .collect();
            assert_eq!(ours, [[1, lanes, lines]], "{device}, pattern {pattern}");
        }
    }
}

/// Programs whose workgroups have one wave of 64 lanes, which comes by each instruction once.
#[test]
fn lines_are_those_of_traced_addresses() {
    if !programs::can_compile() {
        return;
    }
    for name in ["buffers", "image_texels"] {
        let folder = tempfile::tempdir().unwrap();
        // What only has an image's address is in the trace with size 0, and not counted.
        trace::run(name, "gfx90a", "mem-trace,mem-coalesce", folder.path());
        let mut waves: BTreeMap<(u64, u64, u64), Vec<u64>> = BTreeMap::new();
        for access in trace::accesses(folder.path()) {
            if access.size != 0 && access.kind & LDS == 0 {
                let wave = (access.pc, access.dispatch, access.workgroup);
                waves.entry(wave).or_default().push(access.address);
            }
        }
        let mut expected: BTreeMap<u64, Counts> = BTreeMap::new();
        for ((pc, ..), addresses) in waves {
            let lines: BTreeSet<u64> = addresses.iter().map(|address| address / LINE).collect();
            let [accesses, lanes, sum] = expected.entry(pc).or_default();
            *accesses += 1;
            *lanes += addresses.len() as u64;
            *sum += lines.len() as u64;
        }
        let counted: BTreeMap<u64, Counts> = counted(folder.path())
            .into_iter()
            .map(|(_, _, pc, counts)| (pc, counts))
            .collect();
        assert!(!expected.is_empty());
        assert_eq!(counted, expected, "{name}");
    }
}
