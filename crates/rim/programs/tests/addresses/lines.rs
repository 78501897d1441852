//! `mem-coalesce` counts the lines that a program itself says it touches, and those of the addresses that `mem-trace` writes;
//! `lds-conflicts` the turns that a program says its accesses take.

use super::trace;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde_json::Value;

const LINE: u64 = 128;
/// `luthier::access` of LDS accesses, which have no lines.
const LDS: u64 = 64;

/// The counts of `mem-coalesce`.
const LINES: [&str; 3] = ["accesses", "lanes", "lines"];
/// The counts of `lds-conflicts`.
const TURNS: [&str; 2] = ["accesses", "turns"];

/// An instruction that ran, with what was counted.
struct Site<const WIDTH: usize> {
    kernel: String,
    text: String,
    pc: u64,
    counts: [u64; WIDTH],
}

fn counted<const WIDTH: usize>(
    folder: &Path,
    tool: &str,
    names: [&str; WIDTH],
) -> Vec<Site<WIDTH>> {
    let path = trace::file(folder, &format!("{tool}."), ".json");
    let kernels: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut counted = Vec::new();
    for kernel in kernels.as_array().unwrap() {
        for site in kernel["sites"].as_array().unwrap() {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let number = |name: &str| site[name].as_u64().unwrap();
            let counts = names.map(number);
            if counts[0] != 0 {
                counted.push(Site {
                    kernel: text(&kernel["kernel"]),
                    text: text(&site["text"]),
                    pc: number("pc"),
                    counts,
                });
            }
        }
    }
    counted
}

/// Runs a program that prints a pattern, its active lanes and something more for each of its kernels, and compares what is
/// counted at the one load of each.
fn counts_are_those_of<const WIDTH: usize>(
    program: &str,
    tool: &str,
    names: [&str; WIDTH],
    expected: impl Fn(u64, u64) -> [u64; WIDTH],
) {
    if !programs::can_compile() {
        return;
    }
    for device in &programs::named(program).unwrap().header.devices {
        let folder = tempfile::tempdir().unwrap();
        let run = trace::run(program, device, tool, folder.path());
        let counted = counted(folder.path(), tool, names);
        let stdout = String::from_utf8_lossy(&run.stdout);
        assert!(stdout.lines().count() > 10, "{stdout}");
        for line in stdout.lines() {
            let numbers = line.split_whitespace().map(|word| word.parse().unwrap());
            let [pattern, lanes, more] = numbers.collect::<Vec<u64>>()[..] else {
                panic!("{line}");
            };
            let name = format!("ILi{pattern}E");
            let ours: Vec<_> = counted
                .iter()
                .filter(|site| site.kernel.contains(&name))
                .filter(|site| site.text.contains("ubyte") || site.text.contains("read_u8"))
                .map(|site| site.counts)
                .collect();
            assert_eq!(ours, [expected(lanes, more)], "{device}, pattern {pattern}");
        }
    }
}

#[test]
fn lines_are_those_of_the_program() {
    counts_are_those_of("cache_lines", "mem-coalesce", LINES, |lanes, lines| {
        [1, lanes, lines]
    });
}

#[test]
fn turns_are_those_of_the_program() {
    counts_are_those_of("lds_banks", "lds-conflicts", TURNS, |_, turns| [1, turns]);
}

/// Programs whose workgroups have one wave of 64 lanes, which comes by each instruction once.
#[test]
fn lines_are_those_of_traced_addresses() {
    if !programs::can_compile() {
        return;
    }
    for name in ["buffers", "image_texels"] {
        let folder = tempfile::tempdir().unwrap();
        // An instruction that only has an image's address is in the trace with size 0, and is not counted.
        trace::run(name, "gfx90a", "mem-trace,mem-coalesce", folder.path());
        let mut waves: BTreeMap<(u64, u64, u64), Vec<u64>> = BTreeMap::new();
        for access in trace::accesses(folder.path()) {
            if access.size != 0 && access.kind & LDS == 0 {
                let wave = (access.pc, access.dispatch, access.workgroup);
                waves.entry(wave).or_default().push(access.address);
            }
        }
        let mut expected: BTreeMap<u64, [u64; 3]> = BTreeMap::new();
        for ((pc, ..), addresses) in waves {
            let lines: BTreeSet<u64> = addresses.iter().map(|address| address / LINE).collect();
            let [accesses, lanes, sum] = expected.entry(pc).or_default();
            *accesses += 1;
            *lanes += addresses.len() as u64;
            *sum += lines.len() as u64;
        }
        let counted: BTreeMap<u64, [u64; 3]> = counted(folder.path(), "mem-coalesce", LINES)
            .into_iter()
            .map(|site| (site.pc, site.counts))
            .collect();
        assert!(!expected.is_empty());
        assert_eq!(counted, expected, "{name}");
    }
}
