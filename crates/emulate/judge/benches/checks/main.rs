//! The cost of checks. Each program runs on an ordinary device and on one device for each check, by turns. The checks are those for wrong
//! accesses of memory, by the device and by the hooks of `mem-check`, barriers, races in LDS, races in global memory, undefined values and NaN.
//!
//! `cargo bench -p judge --bench checks` prints the ratios of processor time; a word after `--` chooses programs with it in their
//! names, a second word one check, and a third one a target. `luthier check --memory` and `luthier run --strict` run kernels on exact devices.

mod hooks;
#[allow(dead_code)]
#[path = "../../../emulate/benches/kernels/programs.rs"]
mod programs;
#[allow(dead_code)]
#[path = "../../../emulate/benches/kernels/time.rs"]
mod time;

use codeobj::CodeObject;
use definedness::{
    Definedness, Found, Sink,
    nan::{self, Nans, Wanted},
};
use emulate::{Argument, Device, Order, Race, Shape};
use global_races::GlobalRaces;
use gpu::Dispatch;
use hooks::Hooked;
use judge::{Barriers, MeetingSink, Unmet};
use programs::{Launches, PROGRAMS, Program, Run, Runner, line, number};
use std::{
    error::Error,
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

pub type Outcome<T> = Result<T, Box<dyn Error>>;

const TARGETS: [&str; 4] = ["gfx90a", "gfx1030", "gfx1100", "gfx1201"];
/// Both take turns so long, and at least five each.
const PATIENCE: Duration = Duration::from_secs(3);
const SIDE: u32 = 2048;
const PRODUCT_SIDE: u32 = 512;
const GROUPS: u32 = 512;
const ROUNDS: u32 = 256;

const OF_LDS: &[Program] = &[
    own("transpose 2048", transpose),
    own("matrix product 512", product),
    own("LDS, a dword a lane", |device| rounds(device, "sweep")),
    own("LDS, every other lane", |device| rounds(device, "halved")),
    own("LDS, 16 bytes a lane", |device| rounds(device, "wide")),
    own("LDS atomics", |device| rounds(device, "histogram")),
];

const OF_GLOBAL: &[Program] = &[
    own("scattered dwords, 2 M", scattered),
    own("copy 16 M, 16 bytes a lane", copy),
    own("bytes", |device| elements(device, "bytes", 1)),
    own("bytes and those beside", |device| {
        elements(device, "filter", 1)
    }),
    own("halves", |device| elements(device, "halves", 2)),
    own("every other dword", |device| elements(device, "pairs", 8)),
    own("two dwords of three", |device| {
        elements(device, "triples", 12)
    }),
    own("bytes of colours", |device| elements(device, "colours", 3)),
    own("volatile dwords", |device| elements(device, "looks", 4)),
];

const fn own(name: &'static str, prepare: programs::Prepare) -> Program {
    Program {
        name,
        prepare,
        share: None,
    }
}

fn transpose<'d>(device: &'d Device<'d>) -> Outcome<Run<'d>> {
    let bytes = 4 * u64::from(SIDE * SIDE);
    let [from, to] = [device.buffer(&[], bytes)?, device.buffer(&[], bytes)?];
    Ok(Box::new(move |launches| {
        let shape = Shape {
            grid: [SIDE / 32, SIDE / 32, 1],
            block: [256, 1, 1],
            dynamic_lds: 0,
        };
        let arguments = [Argument::pointer(from), Argument::pointer(to), number(SIDE)];
        launches.launch("transpose", &shape, &arguments)
    }))
}

fn product<'d>(device: &'d Device<'d>) -> Outcome<Run<'d>> {
    let bytes = 4 * u64::from(PRODUCT_SIDE * PRODUCT_SIDE);
    let mut buffers = Vec::new();
    for _ in 0..3 {
        buffers.push(device.buffer(&[], bytes)?);
    }
    Ok(Box::new(move |launches| {
        let shape = Shape {
            grid: [PRODUCT_SIDE / 16, PRODUCT_SIDE / 16, 1],
            block: [256, 1, 1],
            dynamic_lds: 0,
        };
        let mut arguments: Vec<_> = buffers.iter().map(|at| Argument::pointer(*at)).collect();
        arguments.push(number(PRODUCT_SIDE));
        launches.launch("product", &shape, &arguments)
    }))
}

fn rounds<'d>(device: &'d Device<'d>, kernel: &'static str) -> Outcome<Run<'d>> {
    let out = device.buffer(&[], 4 * 256 * u64::from(GROUPS))?;
    Ok(Box::new(move |launches| {
        let arguments = [Argument::pointer(out), number(ROUNDS)];
        launches.launch(kernel, &line(GROUPS, 256), &arguments)
    }))
}

fn scattered<'d>(device: &'d Device<'d>) -> Outcome<Run<'d>> {
    const DWORDS: u32 = 1 << 21;
    let bytes = 4 * u64::from(DWORDS);
    let [from, to] = [device.buffer(&[], bytes)?, device.buffer(&[], bytes)?];
    Ok(Box::new(move |launches| {
        let arguments = [
            Argument::pointer(from),
            Argument::pointer(to),
            number(DWORDS - 1),
        ];
        launches.launch("scattered", &line(DWORDS / 256, 256), &arguments)
    }))
}

fn copy<'d>(device: &'d Device<'d>) -> Outcome<Run<'d>> {
    const LANES: u32 = 1 << 22;
    let bytes = 16 * u64::from(LANES);
    let [from, to] = [device.buffer(&[], bytes)?, device.buffer(&[], bytes)?];
    Ok(Box::new(move |launches| {
        let arguments = [from, to].map(Argument::pointer);
        launches.launch("copy", &line(LANES / 256, 256), &arguments)
    }))
}

/// A kernel from one array to another, whose elements have so many bytes.
fn elements<'d>(device: &'d Device<'d>, kernel: &'static str, bytes: u64) -> Outcome<Run<'d>> {
    const ELEMENTS: u32 = 1 << 21;
    // Some lanes read what lies beside.
    let bytes = bytes * u64::from(ELEMENTS) + 16;
    let [from, to] = [device.buffer(&[], bytes)?, device.buffer(&[], bytes)?];
    Ok(Box::new(move |launches| {
        let arguments = [from, to].map(Argument::pointer);
        launches.launch(kernel, &line(ELEMENTS / 256, 256), &arguments)
    }))
}

fn compile(target: &str, source: &str) -> Outcome<Vec<u8>> {
    let work = tempfile::tempdir()?;
    let out = work.path().join("k.co");
    let status = Command::new("clang-22")
        .args(["-x", "cl", "-cl-std=CL2.0", "-nogpulib", "-O3", "-w"])
        .args(["-target", "amdgcn-amd-amdhsa"])
        .arg(format!("-mcpu={target}"))
        .args([source, "-o"])
        .arg(&out)
        .status()?;
    if !status.success() {
        return Err("clang-22 failed".into());
    }
    Ok(std::fs::read(out)?)
}

fn main() -> Outcome<()> {
    let mut words = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'));
    let (word, check) = (words.next().unwrap_or_default(), words.next());
    let only = words.next();
    let is_wanted = |target: &&str| only.as_deref().is_none_or(|only| *target == only);
    let chosen = |one: &&Check| check.as_deref().is_none_or(|check| one.0 == check);
    let checks: Vec<&Check> = CHECKS.iter().filter(chosen).collect();
    if checks.is_empty() {
        return Err("no such check".into());
    }
    let here = env!("CARGO_MANIFEST_DIR");
    let sources = [
        (format!("{here}/benches/checks/lds.cl"), OF_LDS),
        (format!("{here}/benches/checks/global.cl"), OF_GLOBAL),
        (
            format!("{here}/../emulate/benches/kernels/device.cl"),
            PROGRAMS,
        ),
    ];
    let names: Vec<&str> = checks.iter().map(|check| check.0).collect();
    println!("| target | program | ms | {} |", names.join(" | "));
    println!("|---|---|---|{}", "---|".repeat(names.len()));
    for target in TARGETS.into_iter().filter(is_wanted) {
        for (source, programs) in &sources {
            let bytes = compile(target, source)?;
            for program in programs.iter().filter(|one| one.name.contains(&word)) {
                measure(target, &bytes, program, &checks)?;
            }
        }
    }
    Ok(())
}

/// Expects nothing to be found at barriers.
struct Silent;

impl MeetingSink for Silent {
    fn unmet(&self, _: &Dispatch, found: &Unmet<'_>) {
        panic!("{found:?}");
    }
}

impl Order for Silent {
    fn raced(&self, _: &Arc<Dispatch>, _: [u32; 3], _: &[Race]) {
        // The kernels that only sweep over LDS do race.
    }
}

impl global_races::Sink for Silent {
    fn took_back(&self, _: &global_races::Found) {}

    fn raced(&self, _: &[global_races::Found]) {
        // Launches write the same results again.
    }

    fn copied(&self, found: &global_races::Copied) {
        panic!("a kernel copies nothing: {found:?}");
    }

    fn not_judged(&self, name: &'static str) {
        panic!("{name} is not judged");
    }
}

impl Sink for Silent {
    fn used(&self, _: &Arc<Dispatch>, _: &Found, _: u64) {
        // The kernels that only sweep over LDS read what nothing has written.
    }
}

impl nan::Sink for Silent {
    fn met(&self, _: &Arc<Dispatch>, found: &nan::Found) {
        panic!("{found:?}");
    }
}

/// A check, and what lets a device do it.
type Check = (&'static str, Way);

enum Way {
    Device(fn(&Device<'_>)),
    Hooks,
}

const CHECKS: &[Check] = &[
    ("memory", Way::Device(|device| device.be_exact())),
    ("by hooks", Way::Hooks),
    (
        "barriers",
        Way::Device(|device| {
            device.look_at_barriers(Arc::new(Barriers::new(Arc::new(Silent))));
        }),
    ),
    (
        "races",
        Way::Device(|device| device.look_for_races(Arc::new(Silent))),
    ),
    (
        "global races",
        Way::Device(|device| {
            let races = GlobalRaces::new(device.reader(), Box::new(|_| false), Arc::new(Silent));
            device.follow(Arc::new(races));
        }),
    ),
    (
        "init",
        Way::Device(|device| {
            device.follow(Arc::new(Definedness::new(Arc::new(Silent))));
        }),
    ),
    (
        "nan",
        Way::Device(|device| {
            device.follow(Arc::new(Nans::new(Arc::new(Silent), Wanted::default())));
        }),
    ),
];

/// A device that runs a program.
enum Subject<'b> {
    Device(Box<Device<'b>>),
    Hooked(Hooked),
}

impl<'b> Subject<'b> {
    fn new(bytes: &'b [u8], way: Option<&Way>) -> Outcome<Subject<'b>> {
        if let Some(Way::Hooks) = way {
            return Ok(Subject::Hooked(Hooked::new(bytes)?));
        }
        let device = Device::new(CodeObject::parse(bytes)?, 1)?;
        if let Some(Way::Device(begin)) = way {
            begin(&device);
        }
        Ok(Subject::Device(Box::new(device)))
    }

    /// Returns the function that runs a launch in the device's place.
    fn runner(&self) -> Option<Box<Runner<'_>>> {
        match self {
            Subject::Device(_) => None,
            Subject::Hooked(hooked) => Some(hooked.runner()),
        }
    }

    fn device(&self) -> &Device<'b> {
        match self {
            Subject::Device(device) => device,
            Subject::Hooked(hooked) => hooked.device(),
        }
    }
}

fn measure(target: &str, bytes: &[u8], program: &Program, checks: &[&Check]) -> Outcome<()> {
    let mut subjects = vec![Subject::new(bytes, None)?];
    for (_, way) in checks {
        subjects.push(Subject::new(bytes, Some(way))?);
    }
    let instead: Vec<_> = subjects.iter().map(Subject::runner).collect();
    let mut runs = Vec::new();
    for subject in &subjects {
        runs.push((program.prepare)(subject.device())?);
        if let Subject::Hooked(hooked) = subject {
            hooked.tell_what_is_allocated();
        }
    }
    let mut best = vec![f64::MAX; subjects.len()];
    let (began, mut turns) = (Instant::now(), 0);
    while turns < 5 || began.elapsed() < PATIENCE {
        for (index, run) in runs.iter_mut().enumerate() {
            let mut launches = Launches::new(subjects[index].device());
            launches.instead = instead[index].as_deref();
            run(&mut launches)?;
            best[index] = best[index].min(launches.time.processor);
        }
        turns += 1;
    }
    for subject in &subjects {
        if let Subject::Hooked(hooked) = subject {
            hooked.finish()?;
        }
    }
    let ratios = best[1..].iter().map(|seconds| seconds / best[0]);
    let ratios: Vec<String> = ratios.map(|ratio| format!("{ratio:.2}")).collect();
    let (name, plain) = (program.name, 1e3 * best[0]);
    println!(
        "| {target} | {name} | {plain:.2} | {} |",
        ratios.join(" | ")
    );
    Ok(())
}
