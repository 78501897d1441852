//! Whole programs on the emulated gfx90a: wave64 instructions per second and core, the time against the same program on one
//! CPU thread, and scaling over host threads.
//!
//! `cargo bench -p emulate` compiles the programs with clang (`CLANG`, else `clang-22`) and runs them. For a machine without
//! compilers: `kernels --build DIR` here, then `kernels --run DIR [--threads 1,2,4] [PART]` there, with the same DIR.
//! Programs of several kernels have a line for each.

use std::{
    collections::BTreeMap,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Barrier,
    time::{Duration, Instant},
};

use codeobj::CodeObject;
use emulate::{Argument, Device, Prepared, Shape};

const DEVICE_SOURCE: &str = include_str!("kernels/device.cl");
const HOST_SOURCE: &str = include_str!("kernels/host.c");

const N: u32 = 16 << 20;
const SIDE: u32 = 512;
const KEYS: u32 = 1 << 20;
/// Keys per workgroup of the radix sort.
const KEYS_PER_GROUP: u32 = 256 * 16;
const WIDTH: u32 = 1024;
const LIMIT: u32 = 256;
/// Each program runs until this is over, at least twice.
const PATIENCE: Duration = Duration::from_secs(2);

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A program: prepares its buffers once and returns what runs it and checks its results.
type Prepare = for<'d> fn(&'d Device<'d>) -> Outcome<Run<'d>>;
type Run<'d> = Box<dyn FnMut(&mut Launches<'d>) -> Outcome<()> + 'd>;

/// The time of the kernels of one run, without copies, arguments and checks by the host.
struct Launches<'d> {
    device: &'d Device<'d>,
    seconds: f64,
    wave_instructions: u64,
    /// Seconds by kernel.
    kernels: BTreeMap<String, f64>,
}

impl Launches<'_> {
    fn launch(&mut self, kernel: &str, shape: &Shape, arguments: &[Argument]) -> Outcome<()> {
        let before = self.seconds;
        self.run(&self.device.prepare(kernel, shape, arguments)?)?;
        *self.kernels.entry(kernel.to_owned()).or_default() += self.seconds - before;
        Ok(())
    }

    fn run(&mut self, prepared: &Prepared) -> Outcome<()> {
        let start = Instant::now();
        let counts = self.device.run(prepared)?;
        self.seconds += start.elapsed().as_secs_f64();
        self.wave_instructions += counts.wave_instructions;
        Ok(())
    }
}

const PROGRAMS: &[(&str, Prepare)] = &[
    ("vector add 16 M", vector_add),
    ("sgemm 512", sgemm),
    ("radix sort 1 M", radix_sort),
    ("reduce 16 M", reduce),
    ("mandelbrot 1 M", mandelbrot),
    ("start of waves, 4 M", start),
    ("launches, 1000", launches),
];

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    if let Some(directory) = value("--build") {
        return build(Path::new(&directory));
    }
    let directory = match value("--run") {
        Some(directory) => PathBuf::from(directory),
        None => {
            let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels");
            build(&directory)?;
            directory
        }
    };
    let threads: Vec<usize> = match value("--threads") {
        Some(list) => list.split(',').map(str::parse).collect::<Result<_, _>>()?,
        None => doublings(std::thread::available_parallelism()?.get()),
    };
    let options = ["--run", "--threads"];
    let part = (0..arguments.len())
        .find(|&at| {
            !arguments[at].starts_with('-')
                && (at == 0 || !options.contains(&arguments[at - 1].as_str()))
        })
        .map_or("", |at| &arguments[at]);
    run(&directory, &threads, part)
}

/// 1, 2, 4, ... and `most`.
fn doublings(most: usize) -> Vec<usize> {
    let mut counts: Vec<usize> = (0..)
        .map(|power| 1 << power)
        .take_while(|&count| count < most)
        .collect();
    counts.push(most);
    counts
}

fn build(directory: &Path) -> Outcome<()> {
    fs::create_dir_all(directory)?;
    let clang = std::env::var("CLANG").unwrap_or_else(|_| "clang-22".into());
    let device = directory.join("device.cl");
    let host = directory.join("host.c");
    fs::write(&device, DEVICE_SOURCE)?;
    fs::write(&host, HOST_SOURCE)?;
    let for_device = "-x cl -cl-std=CL2.0 -Xclang -finclude-default-header -nogpulib --target=amdgcn-amd-amdhsa -mcpu=gfx90a -O2 -w";
    compile(&clang, for_device, &device, &directory.join("device.co"))?;
    compile(&clang, "-O2", &host, &directory.join("host"))
}

fn compile(clang: &str, flags: &str, source: &Path, result: &Path) -> Outcome<()> {
    let status = Command::new(clang)
        .args(flags.split(' '))
        .arg(source)
        .arg("-o")
        .arg(result)
        .status()
        .map_err(|error| format!("cannot run {clang}: {error}"))?;
    if !status.success() {
        return Err(format!("{clang} could not compile {}", source.display()).into());
    }
    Ok(())
}

fn run(directory: &Path, threads: &[usize], part: &str) -> Outcome<()> {
    let object = fs::read(directory.join("device.co"))?;
    let host = Command::new(directory.join("host").canonicalize()?).output()?;
    let host = String::from_utf8(host.stdout)?;
    let on_cpu = |name: &str| {
        let line = host.lines().find(|line| line.starts_with(name))?;
        line.rsplit(' ').next()?.parse::<f64>().ok()
    };
    println!(
        "{:22} {:>7} {:>12} {:>10} {:>16} {:>9} {:>14} {:>15}",
        "program",
        "threads",
        "wave instr.",
        "seconds",
        "M/s per thread",
        "scaling",
        "times one CPU",
        "M/s of CPU time"
    );
    machine(threads);
    for (name, prepare) in PROGRAMS {
        if !name.contains(part) {
            continue;
        }
        let mut alone = None;
        for &count in threads {
            let device = Device::new(CodeObject::parse(&object)?, count)?;
            let mut program = prepare(&device)?;
            let began = Instant::now();
            let (mut best, mut least, mut instructions, mut turns) = (f64::MAX, f64::MAX, 0, 0);
            let mut kernels = BTreeMap::new();
            while turns < 2 || began.elapsed() < PATIENCE {
                let mut launches = Launches {
                    device: &device,
                    seconds: 0.0,
                    wave_instructions: 0,
                    kernels: BTreeMap::new(),
                };
                let used = processor_seconds();
                program(&mut launches)?;
                least = least.min(processor_seconds() - used);
                if launches.seconds < best {
                    (best, kernels) = (launches.seconds, launches.kernels);
                }
                instructions = launches.wave_instructions;
                turns += 1;
            }
            let busy = instructions as f64 / least / 1e6;
            let speed = instructions as f64 / best / 1e6 / count as f64;
            let alone = *alone.get_or_insert(speed);
            let against_cpu =
                on_cpu(name).map_or(String::new(), |cpu| format!("{:.1}", best / cpu));
            println!(
                "{name:22} {count:7} {instructions:12} {best:10.4} {speed:16.1} {:9.2} {against_cpu:>14} {busy:15.1}",
                speed / alone
            );
            if kernels.len() > 1 {
                for (kernel, seconds) in kernels {
                    println!("  {kernel:20} {:>7} {:>12} {seconds:10.4}", "", "");
                }
            }
        }
    }
    if "untouched memory, 1 GiB".contains(part) {
        untouched(&object)?;
    }
    Ok(())
}

/// How arithmetic in registers scales on this machine itself: cores that share a clock or their units slow each other down
/// without any fault of the emulator's.
fn machine(threads: &[usize]) {
    const TURNS: usize = 1 << 20;
    let chains = || {
        let mut values = [1.0f32; 64];
        let began = Instant::now();
        for _ in 0..TURNS {
            for value in &mut values {
                *value = *value * 0.75 + 0.5;
            }
            // Keeps the compiler from working the end out.
            std::hint::black_box(&mut values);
        }
        began.elapsed().as_secs_f64()
    };
    let mut alone = None;
    for &count in threads {
        let slowest = || {
            let together = Barrier::new(count);
            std::thread::scope(|scope| {
                let start = || {
                    together.wait();
                    chains()
                };
                let running: Vec<_> = (0..count).map(|_| scope.spawn(start)).collect();
                let seconds = running.into_iter().filter_map(|thread| thread.join().ok());
                seconds.fold(0.0, f64::max)
            })
        };
        let best = (0..10).map(|_| slowest()).fold(f64::MAX, f64::min);
        let alone = *alone.get_or_insert(best);
        println!(
            "{:22} {count:7} {:>12} {best:10.4} {:>16} {:9.2}",
            "this machine's own",
            "",
            "",
            alone / best
        );
    }
}

/// The cost of a gigabyte of device memory that is never accessed.
fn untouched(object: &[u8]) -> Outcome<()> {
    let device = Device::new(CodeObject::parse(object)?, 1)?;
    let (before, began) = (resident_bytes(), Instant::now());
    let address = device.buffer(&[], 1 << 30)?;
    let seconds = began.elapsed().as_secs_f64();
    let grown = resident_bytes() - before;
    println!("untouched memory, 1 GiB: {seconds:.6} s, {grown} bytes of host memory more");
    let mut last = [1];
    device.read(address + (1 << 30) - 1, &mut last)?;
    expect(last == [0], "the last byte")
}

/// Memory that this process really has, in bytes.
fn resident_bytes() -> i64 {
    let pages = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let resident = pages
        .split(' ')
        .nth(1)
        .and_then(|word| word.parse::<i64>().ok());
    4096 * resident.unwrap_or(0)
}

/// Processor time that the device's threads have had, which other load on the machine does not stretch.
fn processor_seconds() -> f64 {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten();
    let nanoseconds = |task: fs::DirEntry| -> Option<f64> {
        let name = fs::read_to_string(task.path().join("comm")).ok()?;
        if !name.starts_with("gpu-cu") {
            return Some(0.0);
        }
        let times = fs::read_to_string(task.path().join("schedstat")).ok()?;
        times.split(' ').next()?.parse().ok()
    };
    tasks.flatten().filter_map(nanoseconds).sum::<f64>() / 1e9
}

fn line(groups: u32, block: u32) -> Shape {
    Shape {
        grid: [groups, 1, 1],
        block: [block, 1, 1],
        dynamic_lds: 0,
    }
}

fn number(value: u32) -> Argument {
    Argument(value.to_le_bytes().to_vec())
}

fn bytes_of(words: impl Iterator<Item = u32>) -> Vec<u8> {
    words.flat_map(u32::to_le_bytes).collect()
}

fn words_at(device: &Device<'_>, address: u64, count: u32) -> Outcome<Vec<u32>> {
    let mut bytes = vec![0; 4 * count as usize];
    device.read(address, &mut bytes)?;
    let words = bytes.chunks_exact(4);
    Ok(words
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect())
}

fn expect(right: bool, what: &str) -> Outcome<()> {
    if right {
        Ok(())
    } else {
        Err(format!("{what} is wrong").into())
    }
}

fn vector_add<'d>(device: &'d Device<'d>) -> Outcome<Run<'d>> {
    let a = device.buffer(&bytes_of((0..N).map(|i| ((i % 1000) as f32).to_bits())), 0)?;
    let b = device.buffer(&bytes_of((0..N).map(|i| ((i % 7) as f32).to_bits())), 0)?;
    let c = device.buffer(&[], 4 * u64::from(N))?;
    Ok(Box::new(move |launches| {
        let arguments = [a, b, c].map(Argument::pointer);
        let arguments = [&arguments[..], &[number(N)]].concat();
        launches.launch("vector_add", &line(N / 256, 256), &arguments)?;
        let sums = words_at(device, c + 4 * 123_456, 16)?;
        let right = (0..16).all(|i| {
            let at = 123_456 + i;
            f32::from_bits(sums[i as usize]) == (at % 1000 + at % 7) as f32
        });
        expect(right, "a sum")?;
        Ok(())
    }))
}

fn sgemm<'d>(device: &'d Device<'d>) -> Outcome<Run<'d>> {
    let element = |i: u32, period: u32| ((i % period) as f32).to_bits();
    let a = device.buffer(&bytes_of((0..SIDE * SIDE).map(|i| element(i, 5))), 0)?;
    let b = device.buffer(&bytes_of((0..SIDE * SIDE).map(|i| element(i, 3))), 0)?;
    let c = device.buffer(&[], 4 * u64::from(SIDE * SIDE))?;
    let (row, column) = (301, 77);
    let expected: u32 = (0..SIDE)
        .map(|k| (row * SIDE + k) % 5 * ((k * SIDE + column) % 3))
        .sum();
    Ok(Box::new(move |launches| {
        let shape = Shape {
            grid: [SIDE / 64, SIDE / 64, 1],
            block: [256, 1, 1],
            dynamic_lds: 0,
        };
        let arguments = [a, b, c].map(Argument::pointer);
        let arguments = [&arguments[..], &[number(SIDE)]].concat();
        launches.launch("sgemm", &shape, &arguments)?;
        let product = words_at(device, c + 4 * u64::from(row * SIDE + column), 1)?[0];
        expect(f32::from_bits(product) == expected as f32, "a product")?;
        Ok(())
    }))
}

fn radix_sort<'d>(device: &'d Device<'d>) -> Outcome<Run<'d>> {
    let unsorted = bytes_of((0..KEYS).map(|i| i.wrapping_mul(2_654_435_761)));
    let keys = device.buffer(&unsorted, 0)?;
    let other = device.buffer(&[], 4 * u64::from(KEYS))?;
    let groups = KEYS / KEYS_PER_GROUP;
    let counts = device.buffer(&[], 4 * 16 * u64::from(groups))?;
    Ok(Box::new(move |launches| {
        device.write(keys, &unsorted)?;
        let (mut from, mut to) = (keys, other);
        for shift in (0..32).step_by(4) {
            let pointer = Argument::pointer;
            let (shape, shift) = (line(groups, 256), number(shift));
            let kernels = [
                (
                    "radix_count",
                    shape,
                    vec![
                        pointer(from),
                        pointer(counts),
                        shift.clone(),
                        number(groups),
                    ],
                ),
                (
                    "radix_scan",
                    line(1, 256),
                    vec![pointer(counts), number(16 * groups)],
                ),
                (
                    "radix_scatter",
                    shape,
                    vec![
                        pointer(from),
                        pointer(to),
                        pointer(counts),
                        shift,
                        number(groups),
                    ],
                ),
            ];
            for (kernel, shape, arguments) in kernels {
                launches.launch(kernel, &shape, &arguments)?;
            }
            std::mem::swap(&mut from, &mut to);
        }
        let sorted = words_at(device, from, KEYS)?;
        expect(sorted.is_sorted(), "the order")
    }))
}

fn reduce<'d>(device: &'d Device<'d>) -> Outcome<Run<'d>> {
    const GROUPS: u32 = 1024;
    let data = device.buffer(&bytes_of((0..N).map(|i| i % 1000)), 0)?;
    let sums = device.buffer(&[], 4 * u64::from(GROUPS))?;
    let expected: u32 = (0..N).fold(0, |sum, i| sum.wrapping_add(i % 1000));
    Ok(Box::new(move |launches| {
        let arguments = [
            Argument::pointer(data),
            Argument::pointer(sums),
            number(N),
            number(GROUPS),
        ];
        launches.launch("reduce", &line(GROUPS, 256), &arguments)?;
        let total = words_at(device, sums, GROUPS)?
            .into_iter()
            .fold(0, u32::wrapping_add);
        expect(total == expected, "the sum")?;
        Ok(())
    }))
}

fn mandelbrot<'d>(device: &'d Device<'d>) -> Outcome<Run<'d>> {
    let turns = device.buffer(&[], 4 * u64::from(WIDTH * WIDTH))?;
    Ok(Box::new(move |launches| {
        let arguments = [
            Argument::pointer(turns),
            number(WIDTH),
            number(WIDTH),
            number(LIMIT),
        ];
        let shape = line(WIDTH * WIDTH / 256, 256);
        launches.launch("mandelbrot", &shape, &arguments)?;
        // The middle of the main body never leaves.
        let inside = words_at(device, turns + 4 * u64::from(WIDTH / 2 * WIDTH + 700), 1)?[0];
        expect(inside == LIMIT, "a point")?;
        Ok(())
    }))
}

fn start<'d>(device: &'d Device<'d>) -> Outcome<Run<'d>> {
    let out = device.buffer(&[], 4)?;
    Ok(Box::new(move |launches| {
        let shape = line(1 << 20, 256);
        launches.launch("nothing", &shape, &[Argument::pointer(out)])?;
        Ok(())
    }))
}

/// A workgroup does next to nothing, so that this is what a launch costs by itself.
fn launches<'d>(device: &'d Device<'d>) -> Outcome<Run<'d>> {
    let out = device.buffer(&[], 4)?;
    let prepared = device.prepare("nothing", &line(1, 256), &[Argument::pointer(out)])?;
    Ok(Box::new(move |launches| {
        (0..1000).try_for_each(|_| launches.run(&prepared))
    }))
}
