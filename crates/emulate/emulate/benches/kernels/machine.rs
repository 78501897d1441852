//! Facts about this machine, and its own speed.

use std::{
    fs,
    process::Command,
    sync::{Barrier, OnceLock},
    time::Instant,
};

use codeobj::CodeObject;
use emulate::{Device, HostCode};

use crate::{Outcome, programs::expect};

/// The processor, its threads, the compiler, the day and the commit.
pub fn description(clang: &str) -> String {
    let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = |name: &str| {
        let line = information.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split(": ").nth(1))
            .unwrap_or("unknown")
    };
    let vectors = ["avx512fp16", "avx512f", "avx2"];
    let has = |name: &&&str| line("flags").split(' ').any(|flag| flag == **name);
    let threads = std::thread::available_parallelism().map_or(0, usize::from);
    let first_line = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        let text = text.unwrap_or_default();
        text.lines().next().unwrap_or("unknown").to_owned()
    };
    let changed =
        match first_line("git", &["status", "--porcelain", "--untracked-files=no"]).as_str() {
            "unknown" => "",
            _ => ", with changes",
        };
    format!(
        "{} (family {}, model {}; {}), {threads} threads; {}; {}; commit {}{changed}",
        line("model name"),
        line("cpu family"),
        line("model\t"),
        vectors.iter().find(has).unwrap_or(&"no AVX2"),
        first_line(clang, &["--version"]),
        first_line("date", &["-u", "+%Y-%m-%d"]),
        first_line("git", &["rev-parse", "--short=12", "HEAD"]),
    )
}

static NATIVE: OnceLock<Option<HostCode>> = OnceLock::new();

/// From now on, devices have these runs as host code.
pub fn translate(wanted: Option<HostCode>) {
    let _ = NATIVE.set(wanted);
}

/// A device with `object`.
pub fn device(object: &[u8], threads: usize) -> Outcome<Device<'_>> {
    let device = Device::new(CodeObject::parse(object)?, threads)?;
    match NATIVE.get() {
        Some(Some(wanted)) => device.translate(*wanted)?,
        Some(None) => {}
        None => device.translate_as_wished()?,
    }
    Ok(device)
}

/// How arithmetic in registers scales on this machine itself: cores that share a clock or their units slow each other down
/// without any fault of the emulator's.
pub fn scaling(threads: &[usize]) {
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

/// The cost of a gigabyte of device memory that is not touched.
pub fn untouched(object: &[u8]) -> Outcome<()> {
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
