//! Traced addresses are those that the emulated GPU used. `buffers.hip` and `image_texels.hip` tell the latter: what they load
//! names its place, and what they store names its lane.

mod lines;
mod trace;

use programs::{Bounded, Emulator};

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// Bits of `luthier::access`.
const LOAD: u64 = 1;
const STORE: u64 = 2;
const GLOBAL: u64 = 16;
const IMAGE: u64 = 512;
const SAMPLE: u64 = 1024;

/// Lanes, addresses and sizes of one launch.
type Places = Vec<(u64, u64, u64)>;

fn hexadecimal(text: &str) -> u64 {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).expect("an address")
}

/// Places by launch, for loads and for stores of a kind.
fn traced(folder: &Path, space: u64, is_ours: impl Fn(u64) -> bool) -> Vec<[Places; 2]> {
    let mut launches: BTreeMap<u64, [Places; 2]> = BTreeMap::new();
    for access in trace::accesses(folder) {
        let launch = launches.entry(access.dispatch).or_default();
        let place = (access.lane, access.address, access.size);
        let kind = access.kind & !SAMPLE;
        if is_ours(access.address) && kind == space | LOAD {
            launch[0].push(place);
        } else if is_ours(access.address) && kind == space | STORE {
            launch[1].push(place);
        }
    }
    launches.into_values().collect()
}

#[test]
fn through_buffer_descriptors() {
    traced_addresses_are_those_of_the_emulated_gpu("buffers", 16384 * 4, GLOBAL);
}

#[test]
fn through_image_descriptors() {
    traced_addresses_are_those_of_the_emulated_gpu("image_texels", 2 * 16384 * 4, IMAGE);
}

/// An address that tools cannot compute does not keep a kernel from being instrumented.
#[test]
fn around_accesses_relative_to_m0() {
    if !programs::can_compile() {
        return;
    }
    let program = programs::named("lds").unwrap();
    for device in &program.header.devices {
        let folder = tempfile::tempdir().unwrap();
        let emulator = Emulator::find().expect("the emulator is built");
        let tools = "mem-trace,mem-coalesce,lds-conflicts";
        let run = emulator
            .command()
            .args(["run", "--device", device, "-t", tools, "-k", "append", "--"])
            .arg(programs::compile(&program).unwrap())
            .current_dir(folder.path())
            .env("LUTHIER_CACHE", "off")
            .bounded_output()
            .unwrap();
        let errors = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{device}: {errors}");
        assert!(errors.contains("0 refused"), "{device}: {errors}");
        for tool in ["mem-trace", "lds-conflicts"] {
            let told = format!("append(int*): {tool}: accesses left out");
            assert!(errors.contains(&told), "{device}: {errors}");
        }
    }
}

/// `size`: bytes of each of the program's arrays. `space`: kind of its accesses to them.
fn traced_addresses_are_those_of_the_emulated_gpu(name: &str, size: u64, space: u64) {
    if !programs::can_compile() {
        return;
    }
    for device in &programs::named(name).unwrap().header.devices {
        let folder = tempfile::tempdir().unwrap();
        let run = trace::run(name, device, "mem-trace", folder.path());
        let stdout = String::from_utf8_lossy(&run.stdout);
        let (mut bases, mut launches) = (Vec::new(), 0);
        let mut reached: BTreeMap<u64, [Places; 2]> = BTreeMap::new();
        for line in stdout.lines() {
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                ["launches", count] => launches = count.parse().unwrap(),
                [_, base] => bases.push(hexadecimal(base)),
                [launch, kind, lane, address, size] => {
                    let launch = reached.entry(launch.parse().unwrap()).or_default();
                    let number = |text: &str| text.parse().unwrap();
                    let place = (number(lane), hexadecimal(address), number(size));
                    launch[usize::from(kind == "store")].push(place);
                }
                _ => panic!("{line}"),
            }
        }
        let is_ours = |address: u64| {
            let inside = |base: &u64| (*base..*base + size).contains(&address);
            bases.iter().any(inside)
        };
        let traced = traced(folder.path(), space, is_ours);
        assert_eq!(traced.len(), launches, "{device}");
        for (number, [mut loads, stores]) in traced.into_iter().enumerate() {
            let [mut expected, survived] = reached.remove(&(number as u64)).unwrap_or_default();
            loads.sort_unstable();
            expected.sort_unstable();
            assert_eq!(loads, expected, "{device}, launch {number}: loads");
            // Each lane stores where it loaded, in the other array; of several that store to one place one survives.
            assert_eq!(stores.len(), loads.len(), "{device}, launch {number}");
            let all: BTreeSet<_> = stores.iter().copied().collect();
            assert!(
                survived.iter().all(|place| all.contains(place)),
                "{device}, launch {number}: stores"
            );
        }
        assert!(reached.is_empty(), "{device}: {reached:?} were not traced");
    }
}
