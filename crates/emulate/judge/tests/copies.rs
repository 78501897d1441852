//! Launches and copies by engines of one device that access the same memory, in the queues of a whole machine: scenes with a bug, and
//! right twins.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use codeobj::CodeObject;
use compute::{Beginning, Follower};
use emulate::{Argument, Device, Shape};
use global_races::{Access, Copied, Found, GlobalRaces, Other, Rules, Sink};
use gpu::{
    Events, Executor, Job, Machine, Observer, Record, Transfer, memory::PAGE, topology::Config,
};

use wave::{Planner, Shadow, Wave};

use crate::{common::compiled_text, global_races::ALL};

const SOURCE: &str = include_str!("copies.cl");
const TARGET: &str = "gfx90a";
/// A scene that takes longer does not end.
const LIMIT: Duration = Duration::from_secs(60);
/// Bytes that copies copy, and that a wave accesses the first part of.
const BYTES: u64 = 4096;

/// The findings that the sink was told, in words: who comes first, and what both do.
#[derive(Default)]
struct Told(Mutex<BTreeSet<String>>);

fn word(access: Access) -> &'static str {
    match access {
        Access::Read => "reads",
        Access::Write => "writes",
        Access::Atomic => "counts",
    }
}

impl Sink for Told {
    fn raced(&self, found: &[Found]) {
        let mut told = self.0.lock().unwrap();
        for one in found {
            let (before, after) = (word(one.before.access), word(one.after.access));
            let grade = if one.certain { "" } else { "perhaps " };
            told.insert(match one.other {
                None => format!("{grade}wave {before}, wave {after}"),
                Some(Other::Kernel(_)) => format!("{grade}kernel {before}, kernel {after}"),
                Some(Other::Copy { is_later, .. }) if is_later => {
                    format!("{grade}kernel {after}, copy {before}")
                }
                Some(Other::Copy { .. }) => format!("{grade}copy {before}, kernel {after}"),
            });
        }
    }

    fn took_back(&self, found: &Found) {
        panic!("no kernel compares and swaps: {found:?}");
    }

    fn copied(&self, found: &Copied) {
        let (before, after) = (word(found.before.1), word(found.after.1));
        let grade = if found.certain { "" } else { "perhaps " };
        let text = format!("{grade}copy {before}, copy {after}");
        self.0.lock().unwrap().insert(text);
    }

    fn not_judged(&self, name: &'static str) {
        panic!("{name} is not judged");
    }
}

/// Runs kernels, and tells of copies.
struct Runs {
    pool: compute::Pool,
    races: Arc<GlobalRaces>,
}

impl Executor for Runs {
    fn start(&self) -> std::io::Result<()> {
        self.pool.start()
    }

    fn submit(&self, job: Job) {
        self.pool.submit(job);
    }

    fn follows_order(&self) -> bool {
        true
    }

    fn transfers(&self, transfer: &Transfer<'_>) {
        self.races.transfers(transfer);
    }
}

struct Loud;

impl Observer for Loud {
    fn dispatch_finished(&self, record: &Record<'_>) {
        assert!(record.outcome.is_ok(), "{:?}", record.outcome);
    }

    fn report(&self, message: &str) {
        panic!("{message}");
    }
}

/// A ring, the address of its write position, and how much is written: packets, or bytes of commands.
struct Ring {
    base: u64,
    position: u64,
    written: Cell<u64>,
}

/// A device with three queues of packets and two engines.
struct Bench<'a> {
    device: &'a Device<'a>,
    machine: &'a Machine,
    queues: [Ring; 3],
    engines: [Ring; 2],
    data: u64,
    out: u64,
    host: u64,
    /// In memory of the host.
    flags: u64,
    signals: RefCell<Vec<u64>>,
}

fn halves(address: u64) -> [u32; 2] {
    [address as u32, (address >> 32) as u32]
}

/// A command that waits until a word has this value.
fn poll(word: u64, value: u32) -> [u32; 6] {
    let [low, high] = halves(word);
    [8 | 3 << 28 | 1 << 31, low, high, value, !0, 0xfff << 16 | 4]
}

impl Bench<'_> {
    fn write(&self, address: u64, dwords: &[u32]) {
        let bytes: Vec<u8> = dwords.iter().flat_map(|one| one.to_le_bytes()).collect();
        self.device.write(address, &bytes).unwrap();
    }

    fn value(&self, address: u64) -> u32 {
        let mut bytes = [0; 4];
        self.device.read(address, &mut bytes).unwrap();
        u32::from_le_bytes(bytes)
    }

    fn until(&self, what: &str, condition: impl Fn() -> bool) {
        let start = Instant::now();
        while !condition() {
            assert!(start.elapsed() < LIMIT, "in vain: {what}");
            self.machine.kick();
            std::thread::yield_now();
        }
    }

    /// A signal that something is to complete.
    fn signal(&self) -> u64 {
        let signal = self.device.buffer(&[], PAGE).unwrap();
        self.write(signal, &[1, 0, 1, 0]);
        self.signals.borrow_mut().push(signal);
        signal
    }

    fn wait(&self, signal: u64) {
        self.until("a signal", || self.value(signal + 8) == 0);
    }

    fn push(&self, queue: usize, packet: &[u32]) {
        let ring = &self.queues[queue];
        let index = ring.written.get();
        let slot = ring.base + index * 64;
        self.write(slot + 4, &packet[1..]);
        self.write(slot, &packet[..1]);
        ring.written.set(index + 1);
        self.write(ring.position, &[index as u32 + 1, 0]);
        self.machine.ring();
    }

    /// Launches a kernel on `data`, behind all packets of the queue. Returns its signal.
    fn launch(&self, queue: usize, kernel: &str) -> u64 {
        self.launch_on(queue, kernel, self.data)
    }

    fn launch_on(&self, queue: usize, kernel: &str, data: u64) -> u64 {
        let shape = Shape {
            grid: [1; 3],
            block: [64, 1, 1],
            dynamic_lds: 0,
        };
        let arguments = [data, self.out, self.flags, self.flags + 256].map(Argument::pointer);
        let prepared = self.device.prepare(kernel, &shape, &arguments).unwrap();
        let signal = self.signal();
        let mut packet = prepared.packet();
        packet.header = 2 | 1 << 8;
        packet.completion_signal = signal;
        let bytes = packet.to_bytes();
        let dwords = bytes
            .as_chunks()
            .0
            .iter()
            .map(|one| u32::from_le_bytes(*one));
        self.push(queue, &dwords.collect::<Vec<u32>>());
        signal
    }

    /// The next packet of the queue waits for a signal.
    fn await_signal(&self, queue: usize, signal: u64) {
        let mut packet = [0; 16];
        packet[0] = 3 | 1 << 8;
        [packet[2], packet[3]] = halves(signal);
        self.push(queue, &packet);
    }

    /// Puts commands into an engine's ring.
    fn command(&self, engine: usize, commands: &[u32]) {
        let ring = &self.engines[engine];
        let written = ring.written.get();
        self.write(ring.base + written, commands);
        ring.written.set(written + commands.len() as u64 * 4);
        self.write(ring.position, &[ring.written.get() as u32, 0]);
        self.machine.kick();
    }

    /// An engine waits until a word has this value.
    fn poll(&self, engine: usize, word: u64, value: u32) {
        self.command(engine, &poll(word, value));
    }

    /// Copies behind these signals. Returns the copy's own.
    fn copy(&self, engine: usize, from: u64, to: u64, waits: &[u64]) -> u64 {
        self.copy_and(engine, (from, to), waits, |value| {
            let [low, high] = halves(value);
            vec![10 | 47 << 25, low, high, !0, !0, 0, 0, 0]
        })
    }

    /// The same, with a fence that completes the signal.
    fn copy_and_fence(&self, engine: usize, from: u64, to: u64) -> u64 {
        self.copy_and(engine, (from, to), &[], |value| {
            let [low, high] = halves(value);
            vec![5, low, high, 0]
        })
    }

    /// The last commands complete the signal whose value has this address.
    fn copy_and(
        &self,
        engine: usize,
        (from, to): (u64, u64),
        waits: &[u64],
        last: fn(u64) -> Vec<u32>,
    ) -> u64 {
        let signal = self.signal();
        let both = waits.iter().flat_map(|waited| [waited + 12, waited + 8]);
        let mut commands: Vec<u32> = both.flat_map(|half| poll(half, 0)).collect();
        // In two pieces.
        for at in [0, BYTES / 2] {
            commands.extend([1, BYTES as u32 / 2 - 1, 0]);
            commands.extend([from + at, to + at].into_iter().flat_map(halves));
        }
        commands.extend(last(signal + 8));
        self.command(engine, &commands);
        signal
    }

    fn to_device(&self, engine: usize, waits: &[u64]) -> u64 {
        self.copy(engine, self.host, self.data, waits)
    }

    fn to_host(&self, engine: usize, waits: &[u64]) -> u64 {
        self.copy(engine, self.data, self.host + BYTES, waits)
    }

    fn await_begin(&self) {
        self.until("a kernel that begins", || self.value(self.flags) != 0);
    }

    /// Kernels that last end.
    fn go(&self) {
        self.write(self.flags + 256, &[1]);
    }

    fn end(&self) {
        self.go();
        let signals = self.signals.take();
        signals.into_iter().for_each(|signal| self.wait(signal));
    }
}

/// The findings of a scene.
fn told(bytes: &[u8], rules: Rules, scene: fn(&Bench<'_>)) -> BTreeSet<String> {
    told_by(bytes, rules, scene, |races, _| races)
}

/// The same, by the follower that is made of the checker and of what reads the flags.
fn told_by(
    bytes: &[u8],
    rules: Rules,
    scene: fn(&Bench<'_>),
    follower: impl FnOnce(Arc<GlobalRaces>, Flags) -> Arc<dyn Follower>,
) -> BTreeSet<String> {
    let device = Device::new(CodeObject::parse(bytes).unwrap(), 1).unwrap();
    let memory = device.memory().clone();
    let [data, out, host, flags] = [0, 1, 2, 3].map(|_| device.buffer(&[], 4 * PAGE).unwrap());
    let numbers: Vec<u8> = (0..BYTES).map(|at| at as u8 | 1).collect();
    device.write(host, &numbers).unwrap();
    let told = Arc::new(Told::default());
    let is_host = move |address| (flags..flags + 4 * PAGE).contains(&address);
    let races = GlobalRaces::by_rules(device.reader(), Box::new(is_host), told.clone(), rules);
    let races = Arc::new(races);
    let events = Arc::new(Events::default());
    let pool = compute::Pool::new(memory.clone(), events.clone(), 1);
    let read = device.reader();
    let flag = move |offset| {
        let mut bytes = [0; 4];
        assert!(read(flags + offset, &mut bytes));
        u32::from_le_bytes(bytes) != 0
    };
    pool.follow(follower(races.clone(), Arc::new(flag)));
    let executor = Arc::new(Runs { pool, races });
    let gpus = vec![Config::new(TARGET).unwrap()];
    let machine = Machine::new(gpus, memory, events, executor, Arc::new(Loud));
    let mut ids = Vec::new();
    let queues = [0, 1, 2].map(|_| {
        let base = device
            .buffer(&[1_u8, 0].repeat(32).repeat(64), PAGE)
            .unwrap();
        let structure = device.buffer(&[], PAGE).unwrap();
        let queue = machine.create_aql_queue(1, base, PAGE, structure).unwrap();
        ids.push(queue.id);
        Ring {
            base,
            position: queue.write_pointer,
            written: Cell::new(0),
        }
    });
    let engines = [0, 1].map(|_| {
        let base = device.buffer(&[], PAGE).unwrap();
        let queue = machine.create_sdma_queue(1, base, PAGE, None).unwrap();
        ids.push(queue.id);
        Ring {
            base,
            position: queue.write_pointer,
            written: Cell::new(0),
        }
    });
    let bench = Bench {
        device: &device,
        machine: &machine,
        queues,
        engines,
        data,
        out,
        host,
        flags,
        signals: RefCell::default(),
    };
    scene(&bench);
    bench.end();
    for id in ids {
        machine.destroy_queue(id).unwrap();
    }
    let told = told.0.lock().unwrap();
    told.clone()
}

/// A scene's name, what it does, and what is to be found.
type Scene = (&'static str, fn(&Bench<'_>), &'static [&'static str]);

const SCENES: &[Scene] = &[
    (
        "a copy overwrites what a kernel that lasts has read",
        |bench| {
            bench.launch(0, "reads_and_lasts");
            bench.await_begin();
            bench.wait(bench.to_device(0, &[]));
        },
        &["kernel reads, copy writes"],
    ),
    (
        "it is copied when the kernel has ended",
        |bench| {
            let kernel = bench.launch(0, "reads_and_lasts");
            let copy = bench.to_device(0, &[kernel]);
            bench.go();
            bench.wait(copy);
        },
        &[],
    ),
    (
        "a copy takes what a kernel that lasts has written",
        |bench| {
            bench.launch(0, "writes_and_lasts");
            bench.await_begin();
            bench.wait(bench.to_host(0, &[]));
        },
        &["kernel writes, copy reads"],
    ),
    (
        "the host waits for the kernel",
        |bench| {
            let kernel = bench.launch(0, "writes_and_lasts");
            bench.go();
            bench.wait(kernel);
            bench.to_host(0, &[]);
        },
        &[],
    ),
    (
        "another kernel's end says nothing",
        |bench| {
            bench.launch(0, "writes_and_lasts");
            bench.await_begin();
            let other = bench.launch_on(1, "counts", bench.out + BYTES);
            bench.wait(bench.to_host(0, &[other]));
        },
        &["kernel writes, copy reads"],
    ),
    (
        "a kernel reads what a copy beside its queue has brought",
        |bench| {
            bench.launch(0, "waits");
            bench.launch(0, "reads");
            bench.wait(bench.to_device(0, &[]));
        },
        &["copy writes, kernel reads"],
    ),
    (
        "a kernel overwrites what a copy has taken",
        |bench| {
            bench.launch(0, "waits");
            bench.launch(0, "writes");
            bench.wait(bench.to_host(0, &[]));
        },
        &["copy reads, kernel writes"],
    ),
    (
        "a kernel's queue waits for the copy",
        |bench| {
            bench.launch(0, "waits");
            let copy = bench.to_device(0, &[]);
            bench.await_signal(0, copy);
            bench.launch(0, "reads");
        },
        &[],
    ),
    (
        "a kernel's queue waits for another copy",
        |bench| {
            bench.launch(0, "waits");
            let other = bench.copy(1, bench.host, bench.out + 2 * BYTES, &[]);
            bench.await_signal(0, other);
            bench.launch(0, "reads");
            bench.wait(bench.to_device(0, &[]));
        },
        &["copy writes, kernel reads"],
    ),
    (
        "a kernel's queue waits for another copy, which ends with a fence",
        |bench| {
            bench.launch(0, "waits");
            let other = bench.copy_and_fence(1, bench.host, bench.out + 2 * BYTES);
            bench.await_signal(0, other);
            bench.launch(0, "reads");
            bench.wait(bench.to_device(0, &[]));
        },
        &["copy writes, kernel reads"],
    ),
    (
        "a kernel's queue waits for the copy, which ends with a fence",
        |bench| {
            bench.launch(0, "waits");
            let copy = bench.copy_and_fence(0, bench.host, bench.data);
            bench.await_signal(0, copy);
            bench.launch(0, "reads");
        },
        &[],
    ),
    (
        "an engine waits for a word, which the host writes when the kernel has ended",
        |bench| {
            let kernel = bench.launch(0, "writes_and_lasts");
            bench.await_begin();
            bench.poll(0, bench.flags + 512, 1);
            let copy = bench.to_host(0, &[]);
            bench.go();
            bench.wait(kernel);
            bench.write(bench.flags + 512, &[1]);
            bench.wait(copy);
        },
        &[],
    ),
    (
        "a kernel that is published behind the copy's end",
        |bench| {
            bench.wait(bench.to_device(0, &[]));
            bench.launch(0, "reads");
        },
        &[],
    ),
    (
        "order goes through a kernel of another queue and a copy",
        |bench| {
            let first = bench.launch(0, "writes_and_lasts");
            bench.await_signal(1, first);
            let between = bench.launch_on(1, "counts", bench.out + BYTES);
            let copy = bench.to_host(0, &[between]);
            bench.await_signal(2, copy);
            bench.launch(2, "writes");
        },
        &[],
    ),
    (
        "two engines write and read the same memory",
        |bench| {
            let kernel = bench.launch(0, "waits");
            bench.to_device(0, &[kernel]);
            bench.to_host(1, &[kernel]);
            bench.go();
        },
        // Whichever is first.
        &["copy reads, copy writes|copy writes, copy reads"],
    ),
    (
        "two copies of one engine to the same place",
        |bench| {
            let kernel = bench.launch(0, "waits");
            bench.to_device(0, &[kernel]);
            bench.copy(0, bench.out, bench.data, &[kernel]);
            bench.go();
        },
        &["copy writes, copy writes"],
    ),
    (
        "two copies of the same numbers",
        |bench| {
            let kernel = bench.launch(0, "waits");
            bench.to_device(0, &[kernel]);
            bench.to_device(0, &[kernel]);
            bench.go();
        },
        &["perhaps copy writes, copy writes"],
    ),
    (
        "the second copy waits for the first one",
        |bench| {
            let kernel = bench.launch(0, "waits");
            let copy = bench.to_device(0, &[kernel]);
            bench.to_host(1, &[copy]);
            bench.go();
        },
        &[],
    ),
    (
        "copies read the same memory",
        |bench| {
            let kernel = bench.launch(0, "waits");
            bench.to_host(0, &[kernel]);
            bench.copy(1, bench.data, bench.out, &[kernel]);
            bench.go();
        },
        &[],
    ),
    (
        "a counter is copied while a kernel counts",
        |bench| {
            bench.launch(0, "waits");
            bench.launch(0, "counts");
            bench.wait(bench.to_host(0, &[]));
        },
        &[],
    ),
    (
        "a kernel that lasts tells the host, which copies",
        |bench| {
            bench.launch(0, "writes_and_tells");
            bench.await_begin();
            bench.wait(bench.to_host(0, &[]));
        },
        &[],
    ),
    (
        "the host copies, and then tells a kernel that lasts",
        |bench| {
            bench.launch(0, "hears_and_reads");
            bench.await_begin();
            bench.wait(bench.to_device(0, &[]));
        },
        &[],
    ),
    (
        "two kernels that nothing puts in order",
        |bench| {
            bench.launch(0, "writes_and_lasts");
            bench.await_begin();
            bench.launch(1, "waits");
            bench.launch(1, "reads");
        },
        &["kernel writes, kernel reads"],
    ),
    (
        "the second kernel's queue waits for the first one",
        |bench| {
            let kernel = bench.launch(0, "writes_and_lasts");
            bench.await_signal(1, kernel);
            bench.launch(1, "reads");
        },
        &[],
    ),
];

/// The scenes whose findings are not those of the table.
fn failed(bytes: &[u8], rules: Rules) -> Vec<String> {
    let mut failed = Vec::new();
    for (name, scene, expected) in SCENES {
        let told = told(bytes, rules, *scene);
        let fits = |(told, expected): (&String, &&str)| expected.split('|').any(|one| one == told);
        if told.len() != expected.len() || !told.iter().zip(*expected).all(fits) {
            failed.push(format!("{name}: {told:?}, not {expected:?}"));
        }
    }
    failed
}

#[test]
fn launches_and_copies_that_nothing_puts_in_order_are_found() {
    let Some(bytes) = compiled_text(TARGET, &["-O2"], SOURCE) else {
        return;
    };
    let failed = failed(&bytes, ALL);
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Reads the flag at an offset.
type Flags = Arc<dyn Fn(u64) -> bool + Send + Sync>;

/// A follower that holds a wave up, once it has begun, at one of its instructions: until the host has told it to go on.
struct HoldsUp {
    races: Arc<GlobalRaces>,
    flag: Flags,
    /// Instructions that it lets pass.
    passes: usize,
}

impl Follower for HoldsUp {
    fn begin(&self, beginning: &Beginning<'_>) -> Box<dyn Shadow> {
        Box::new(HeldUp {
            shadow: self.races.begin(beginning),
            flag: self.flag.clone(),
            passes: self.passes,
        })
    }

    fn planner(&self) -> Arc<dyn Planner> {
        self.races.planner()
    }
}

struct HeldUp {
    shadow: Box<dyn Shadow>,
    flag: Flags,
    passes: usize,
}

impl std::fmt::Debug for HeldUp {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("HeldUp").finish_non_exhaustive()
    }
}

impl Shadow for HeldUp {
    fn before(&mut self, wave: &Wave, plan: u32) {
        self.shadow.before(wave, plan);
        if !(self.flag)(0) {
            return;
        }
        let Some(passes) = self.passes.checked_sub(1) else {
            let start = Instant::now();
            while !(self.flag)(256) {
                assert!(start.elapsed() < LIMIT, "the host tells nothing");
                std::thread::yield_now();
            }
            return;
        };
        self.passes = passes;
    }
}

/// The checker sees an instruction before the wave executes it: a copy may end, and the host may tell the wave, in between.
#[test]
fn the_host_may_tell_a_wave_between_any_two_of_its_instructions() {
    let Some(bytes) = compiled_text(TARGET, &["-O2"], SOURCE) else {
        return;
    };
    for passes in 0..12 {
        let scene = |bench: &Bench<'_>| {
            bench.launch(0, "hears_and_reads");
            bench.await_begin();
            bench.wait(bench.to_device(0, &[]));
            bench.go();
        };
        let told = told_by(&bytes, ALL, scene, |races, flag| {
            Arc::new(HoldsUp {
                races,
                flag,
                passes,
            })
        });
        assert!(told.is_empty(), "after {passes} instructions: {told:?}");
    }
}

/// With a rule switched off, scenes fail.
#[test]
fn the_scenes_need_each_rule_of_launches() {
    let Some(bytes) = compiled_text(TARGET, &["-O2"], SOURCE) else {
        return;
    };
    for rules in [
        Rules {
            launches: false,
            ..ALL
        },
        Rules {
            copies: false,
            ..ALL
        },
        Rules { host: false, ..ALL },
    ] {
        let failed = failed(&bytes, rules);
        assert!(!failed.is_empty(), "no scene misses {rules:?}");
    }
}
