//! Kernels, compiled, and launched with and without a judge.

pub mod corpus;

use codeobj::CodeObject;
use compiled::Compiler;
use emulate::{Argument, Device, Memory, Shape};
use gpu::Dispatch;
use judge::{Late, Sink, Unwaited, Waits};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

/// The kernels that the checker of files is tested with, too.
const SOURCE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../instrument/check/tests/kernels.cl"
);
/// A kernel that takes longer does not end.
const LIMIT: Duration = Duration::from_secs(5);

/// Numbers below the one that the caller gives, the same in each run.
pub fn random() -> impl FnMut(u64) -> u64 {
    let mut random = 1u64;
    move |most| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1);
        (random >> 33) % most
    }
}

/// None without a compiler.
pub fn compiled(target: &str, options: &[&str]) -> Option<Vec<u8>> {
    let text = std::fs::read_to_string(SOURCE).unwrap();
    compiled_text(target, options, &text)
}

pub fn compiled_text(target: &str, options: &[&str], text: &str) -> Option<Vec<u8>> {
    if !prerequisite::program("clang-22", "clang-22") {
        return None;
    }
    let work = tempfile::tempdir().unwrap();
    let (source, out) = (work.path().join("kernels.cl"), work.path().join("k.co"));
    std::fs::write(&source, text).unwrap();
    let output = Compiler::new("clang-22")
        .args(["-x", "cl", "-cl-std=CL2.0", "-nogpulib"])
        .args(options)
        .args(["-target", "amdgcn-amd-amdhsa"])
        .arg(format!("-mcpu={target}"))
        .arg(&source)
        .arg("-o")
        .arg(&out)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{target}: {errors}");
    Some(std::fs::read(&out).unwrap())
}

/// The reports, by place.
#[derive(Default)]
pub struct Told {
    found: Mutex<BTreeMap<usize, (Unwaited, u64)>>,
}

impl Told {
    pub fn places(&self) -> Vec<(Unwaited, u64)> {
        self.found.lock().unwrap().values().cloned().collect()
    }
}

impl Sink for Told {
    fn kernel(&self, _: &Dispatch) {}

    fn found(&self, place: usize, found: &Unwaited, times: u64) {
        let mut all = self.found.lock().unwrap();
        let known = all.entry(place).or_insert_with(|| (found.clone(), 0));
        assert_eq!(known.0, *found, "one number, two places");
        known.1 += times;
    }

    fn say(&self, message: &str) {
        panic!("{message}");
    }
}

/// The observer of a running kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judge {
    Nobody,
    /// On so many threads.
    Waits(usize),
    Late,
}

/// The result of a launch: its memory, or why it did not end.
pub type Ended = Result<Vec<Vec<u8>>, String>;

/// An argument of a kernel.
pub enum Given {
    /// Memory, with its contents.
    Buffer(Vec<u8>),
    /// Memory that holds addresses of pieces of other memory: how many, and the bytes of each.
    Pointers(usize, Vec<u8>),
    Int(i32),
    /// At this offset of LDS.
    Shared(u32),
}

pub struct Launch {
    pub kernel: &'static str,
    pub shape: Shape,
    pub given: Vec<Given>,
}

fn shape(groups: u32, items: u32, dynamic_lds: u32) -> Shape {
    Shape {
        grid: [groups, 1, 1],
        block: [items, 1, 1],
        dynamic_lds,
    }
}

fn bytes<const N: usize, T>(values: impl Iterator<Item = T>, of: fn(T) -> [u8; N]) -> Vec<u8> {
    values.flat_map(of).collect()
}

/// Memory that is 0xa5 in all bytes.
fn room(size: usize) -> Given {
    Given::Buffer(vec![0xa5; size])
}

/// A launch of each kernel of the file.
pub fn launches() -> Vec<Launch> {
    use Given::{Buffer, Int, Pointers, Shared};
    let ints = |count: i32, of: fn(i32) -> i32| Buffer(bytes((0..count).map(of), i32::to_le_bytes));
    let floats = |count: i32| {
        let values = (0..count).map(|one| 1.0 + one as f32 / 8.0);
        Buffer(bytes(values, f32::to_le_bytes))
    };
    let doubles = |count: i32| {
        let values = (0..count).map(|one| 1.5 + f64::from(one));
        Buffer(bytes(values, f64::to_le_bytes))
    };
    // 1, and a bit more each time.
    let halves = |count: u16| Buffer(bytes((0..count).map(|one| 0x3c00 + one), u16::to_le_bytes));
    vec![
        Launch {
            kernel: "reduce",
            shape: shape(2, 256, 1024),
            given: vec![room(8), floats(1001), Int(1000), Shared(0)],
        },
        Launch {
            kernel: "transpose",
            shape: shape(1, 64, 2048),
            given: vec![room(4096), floats(1024), Shared(0), Int(64)],
        },
        Launch {
            kernel: "flags",
            shape: shape(1, 256, 0),
            given: vec![
                room(4 * 260),
                ints(320, |one| one.wrapping_mul(0x9e37_79b9_u32 as i32) >> 8),
                ints(1024, |one| one * 3 + 1),
                Int(1000),
            ],
        },
        Launch {
            kernel: "halves",
            shape: shape(1, 256, 1028),
            given: vec![room(1024), halves(768), Shared(0), Int(256)],
        },
        Launch {
            kernel: "doubles",
            shape: shape(1, 64, 0),
            given: vec![room(512), doubles(8), doubles(80), Int(7)],
        },
        Launch {
            kernel: "pointers",
            shape: shape(1, 64, 0),
            given: vec![
                Pointers(64, bytes((1..9).map(|one| one * 5), i32::to_le_bytes)),
                room(256),
                Int(6),
            ],
        },
        Launch {
            kernel: "scalars",
            shape: shape(1, 64, 0),
            given: vec![
                ints(80, |one| one * 7 + 3),
                ints(64, |one| one + 2),
                Int(3),
                Int(5),
                Int(7),
                Int(20),
            ],
        },
    ]
}

/// Runs a kernel of an object.
pub fn launch(bytes: &[u8], launch: &Launch, judge: Judge, told: &Arc<Told>) -> Ended {
    let object = CodeObject::parse(bytes).unwrap();
    let sink = || told.clone() as Arc<dyn Sink>;
    let device = match judge {
        Judge::Nobody => Device::new(object, 1),
        Judge::Waits(threads) => Device::watched(object, threads, |memory: &Arc<Memory>| {
            Arc::new(Waits::new(memory.clone(), sink()))
        }),
        Judge::Late => Device::observed_by(object, |memory: &Arc<Memory>| {
            Arc::new(Late::new(memory.clone(), sink()))
        }),
    };
    let device = device.unwrap();
    let mut buffers = Vec::new();
    let mut buffer = |contents: &[u8]| {
        let address = device.buffer(contents, contents.len() as u64).unwrap();
        buffers.push((address, contents.len()));
        address
    };
    let mut addresses = Vec::new();
    let arguments: Vec<Argument> = launch
        .given
        .iter()
        .map(|given| match given {
            Given::Buffer(contents) => Argument::pointer(buffer(contents)),
            Given::Pointers(count, contents) => {
                let first = buffer(&contents.repeat(*count));
                let size = contents.len() as u64;
                let all = (0..*count as u64).map(|piece| first + size * piece);
                let all: Vec<u8> = all.flat_map(u64::to_le_bytes).collect();
                addresses.push(device.buffer(&all, all.len() as u64).unwrap());
                Argument::pointer(addresses[addresses.len() - 1])
            }
            Given::Int(value) => Argument(value.to_le_bytes().to_vec()),
            Given::Shared(offset) => Argument(offset.to_le_bytes().to_vec()),
        })
        .collect();
    let prepared = device.prepare(launch.kernel, &launch.shape, &arguments);
    let prepared = prepared.unwrap_or_else(|error| panic!("{}: {error}", launch.kernel));
    let ended = device.run_within(&prepared, LIMIT);
    ended.map_err(|error| error.to_string())?;
    let read = |(address, size): &(u64, usize)| {
        let mut contents = vec![0; *size];
        device.read(*address, &mut contents).unwrap();
        contents
    };
    Ok(buffers.iter().map(read).collect())
}
