//! Traced addresses are those that the emulated GPU used. `buffers.hip` and `image_texels.hip` tell the latter: what they load
//! names its place, and what they store names its lane.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    path::Path,
};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use programs::{Bounded, Emulator};

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
    let mut files = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let path = files
        .find(|path| {
            path.extension()
                .is_some_and(|extension| extension == "parquet")
        })
        .expect("a trace");
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let mut launches: BTreeMap<u64, [Places; 2]> = BTreeMap::new();
    for row in reader.get_row_iter(None).unwrap() {
        let row = row.unwrap();
        let field = |name: &str| {
            let found = row.get_column_iter().find(|(known, _)| *known == name);
            match found.expect("a column").1 {
                Field::ULong(value) => *value,
                Field::UInt(value) => u64::from(*value),
                Field::UShort(value) => u64::from(*value),
                other => panic!("{name}: {other:?}"),
            }
        };
        let launch = launches.entry(field("dispatch")).or_default();
        let (address, kind) = (field("address"), field("kind"));
        let place = (field("lane"), address, field("size"));
        let kind = kind & !SAMPLE;
        if is_ours(address) && kind == space | LOAD {
            launch[0].push(place);
        } else if is_ours(address) && kind == space | STORE {
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

/// `size`: bytes of each of the program's arrays. `space`: kind of its accesses to them.
fn traced_addresses_are_those_of_the_emulated_gpu(name: &str, size: u64, space: u64) {
    if !programs::can_compile() {
        return;
    }
    let emulator = Emulator::find().expect("the emulator is built");
    let program = programs::named(name).unwrap();
    let executable = programs::compile(&program).unwrap();
    for device in &program.header.devices {
        let folder = tempfile::tempdir().unwrap();
        let run = emulator
            .command()
            .args([
                "run",
                "--device",
                device,
                "-t",
                "mem-trace",
                "-k",
                "access",
                "--output",
            ])
            .arg(folder.path())
            .arg("--")
            .arg(&executable)
            .env("LUTHIER_CACHE", "off")
            .bounded_output()
            .unwrap();
        let (stdout, stderr) = (
            String::from_utf8_lossy(&run.stdout),
            String::from_utf8_lossy(&run.stderr),
        );
        assert!(run.status.success(), "{device}: {stderr}");
        assert!(!stderr.contains("left out"), "{device}: {stderr}");
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
