//! How fast records of `mem-trace` are written, and in how much memory: `cargo bench -p records --bench trace -- RECORDS DIRECTORY`.
//!
//! Ten launches of a vector addition, as the tool writes them: three accesses of 4 bytes a lane. The directory is then one that `luthier query`
//! takes, with a log of the launches.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use records::{Layout, sink};

const FIELDS: [&str; 7] = [
    "address:u64",
    "pc:u64",
    "dispatch:u32",
    "workgroup:u32",
    "lane:u16",
    "size:u16",
    "kind:u32",
];
const LAUNCHES: u64 = 10;
const KERNEL: &str = "_Z10vector_addPKfS0_Pfi";
const LANES: u64 = 64;
const WORKGROUP: u64 = 256;
/// Address in the code object, and bits of a global load or store.
const ACCESSES: [(u64, u32); 3] = [(0x1a40, 17), (0x1a48, 17), (0x1a60, 18)];
/// Addresses of the buffers.
const BASES: [u64; 3] = [0x7f00_0000_0000, 0x7f10_0000_0000, 0x7f20_0000_0000];

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let wanted = words.first().map_or(10_000_000, |word| {
        word.parse().expect("a number of records")
    });
    let folder = words
        .get(1)
        .map_or(scratch.path(), |folder| Path::new(folder));
    fs::create_dir_all(folder).expect("a directory");
    let waves = wanted / LAUNCHES / LANES / ACCESSES.len() as u64;
    let path = folder.join("mem-trace.1.parquet");
    let layout = Layout::parse(FIELDS).expect("a layout");
    let mut file = sink(&path, &layout).expect("a file");
    let (mut spent, mut buffer) = (Duration::ZERO, Vec::new());
    for launch in 0..LAUNCHES {
        for wave in 0..waves {
            add(&mut buffer, launch as u32, wave);
            if buffer.len() >= 1 << 20 || wave + 1 == waves {
                let start = Instant::now();
                file.write(&buffer).expect("records are written");
                spent += start.elapsed();
                buffer.clear();
            }
        }
    }
    let start = Instant::now();
    let written = file.finish().expect("the file is complete");
    spent += start.elapsed();
    fs::write(folder.join("launch-log.1.json"), launches(waves)).expect("a log");
    println!(
        "{written} records in {spent:.1?}: {:.1} million a second; {} bytes, {:.2} a record; at most {}",
        written as f64 / spent.as_secs_f64() / 1e6,
        path.metadata().expect("the file").len(),
        path.metadata().expect("the file").len() as f64 / written as f64,
        peak()
    );
}

/// The accesses of one wave.
fn add(buffer: &mut Vec<u8>, launch: u32, wave: u64) {
    for ((pc, kind), base) in ACCESSES.into_iter().zip(BASES) {
        for lane in 0..LANES {
            buffer.extend((base + 4 * (wave * LANES + lane)).to_le_bytes());
            buffer.extend(pc.to_le_bytes());
            buffer.extend(launch.to_le_bytes());
            buffer.extend(((wave * LANES / WORKGROUP) as u32).to_le_bytes());
            buffer.extend((lane as u16).to_le_bytes());
            buffer.extend(4u16.to_le_bytes());
            buffer.extend(kind.to_le_bytes());
        }
    }
}

/// The records of the tool `launch-log`.
fn launches(waves: u64) -> String {
    let rows: Vec<_> = (0..LAUNCHES)
        .map(|launch| {
            serde_json::json!({
                "launch": launch, "kernel": KERNEL, "name": "vector_add", "device": 0, "queue": 0,
                "grid": [waves * LANES, 1, 1], "workgroup": [WORKGROUP, 1, 1],
                "arguments": { "0": format!("{:#x}", BASES[0]), "1": format!("{:#x}", BASES[1]), "2": format!("{:#x}", BASES[2]) },
            })
        })
        .collect();
    serde_json::Value::from(rows).to_string()
}

/// Memory of this process, from the kernel.
fn peak() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.map_or("?", |line| line["VmHWM:".len()..].trim())
        .to_owned()
}
