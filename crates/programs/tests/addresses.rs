//! Traced addresses are those that the emulated GPU used. `buffers.hip` tells the latter: what it loads names its place, and
//! what it stores names its lane.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    path::Path,
};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use programs::{Bounded, Emulator};

/// Bytes of the program's arrays.
const SIZE: u64 = 16384 * 4;
/// `luthier::access` of the accesses, without the space.
const LOAD: u64 = 1;
const STORE: u64 = 2;

/// Lanes and addresses of one launch.
type Places = Vec<(u64, u64)>;

fn hexadecimal(text: &str) -> u64 {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).expect("an address")
}

/// Places by launch, for loads and for stores.
fn traced(folder: &Path, memory: u64, target: u64) -> Vec<[Places; 2]> {
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
        let place = (field("lane"), address);
        if (memory..memory + SIZE).contains(&address) && kind & LOAD != 0 {
            launch[0].push(place);
        } else if (target..target + SIZE).contains(&address) && kind & STORE != 0 {
            launch[1].push(place);
        }
    }
    launches.into_values().collect()
}

#[test]
fn traced_addresses_are_those_of_the_emulated_gpu() {
    if !programs::can_compile() {
        return;
    }
    let emulator = Emulator::find().expect("the emulator is built");
    let program = programs::named("buffers").unwrap();
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
        let mut bases = BTreeMap::new();
        let mut reached: BTreeMap<u64, [Places; 2]> = BTreeMap::new();
        for line in stdout.lines() {
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                [name, base] => {
                    bases.insert(name, hexadecimal(base));
                }
                [launch, kind, lane, address] => {
                    let launch = reached.entry(launch.parse().unwrap()).or_default();
                    let place = (lane.parse().unwrap(), hexadecimal(address));
                    launch[usize::from(kind == "store")].push(place);
                }
                _ => panic!("{line}"),
            }
        }
        let (memory, target) = (bases["memory"], bases["target"]);
        let traced = traced(folder.path(), memory, target);
        // 9 descriptors, 4 forms, 2 scalar offsets.
        assert_eq!(traced.len(), 72, "{device}");
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
