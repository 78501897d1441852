//! Assembles a few instructions for a target, runs them on one wave and shows what they left behind.
//!
//! Registers that a test does not set hold [`POISON`], so that writes to inactive lanes or to the wrong register show up.

pub mod cases;
pub mod file;
pub mod probes;
pub mod random;
pub mod scene;

use std::{
    io::Write,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
};

use gfx::Target;
use wave::{
    AddressSpace, Config, Counts, Env, Host, HostCode, LANES, Memory, Program, Range, Segment,
    SplitBarrier, Stop, Wave, races::Races, run, step,
};

use documented::VECTOR_ROWS;
/// POISON is what every vector and scalar register holds at first.
pub use documented::{AGPR_BASE, POISON, assemble};
/// MODE of HIP kernels: nearest even, denormals kept, DX10_CLAMP and IEEE on.
pub const MODE: u32 = 0x3f0;

/// The allocations a test made known.
#[derive(Debug, Default)]
pub struct Allocations(Vec<Range>);

impl Allocations {
    pub fn new(ranges: Vec<Range>) -> Allocations {
        Allocations(ranges)
    }
}

impl AddressSpace for Allocations {
    fn generation(&self) -> u64 {
        0
    }
    fn find(&self, address: u64) -> Option<Range> {
        self.0
            .iter()
            .copied()
            .find(|range| range.start <= address && address < range.end)
    }
}

/// All of the host's memory but its first page.
pub struct Everything;

impl AddressSpace for Everything {
    fn generation(&self) -> u64 {
        0
    }
    fn find(&self, address: u64) -> Option<Range> {
        (address >= 4096).then_some(Range {
            start: 4096,
            end: !0,
            writable: true,
        })
    }
}

/// Cycles of a tick of the engine's clock, in tests.
pub const CYCLES_PER_TICK: u64 = 17;

/// Effects of instructions on the world outside the wave, and its answers.
#[derive(Debug, Default)]
pub struct Outside {
    /// The constant-rate counter.
    pub time: AtomicU64,
    /// How far it goes on at each look.
    pub tick: u64,
    /// The wave's own time is shown instead, in cycles.
    pub own_time: bool,
    /// `s_sendmsg`: id and M0 of each.
    pub messages: Mutex<Vec<(u32, u32)>>,
    /// `ds_gws_*`: resource and count of each, which is one for `sema_v` and none for `sema_p` and `sema_release_all`.
    pub barriers: Mutex<Vec<(u32, u32)>>,
    /// How often waves have asked whether they may pass a barrier, and how many questions are answered by no between two that are not.
    pub questions: AtomicU32,
    pub refusals: u32,
}

impl Host for Outside {
    fn send_message(&self, message: u32, m0: u32) {
        self.messages.lock().unwrap().push((message, m0));
    }
    fn real_time(&self, _target: &Target, elapsed: u64) -> u64 {
        if self.own_time {
            return elapsed;
        }
        self.time.fetch_add(self.tick, Ordering::Relaxed) + self.tick
    }
    fn core_time(&self, target: &Target, elapsed: u64) -> u64 {
        match self.own_time {
            true => elapsed,
            false => CYCLES_PER_TICK * self.real_time(target, elapsed),
        }
    }
    fn since_start(&self, elapsed: u64) -> u64 {
        match self.own_time {
            true => elapsed,
            false => {
                CYCLES_PER_TICK * self.time.fetch_add(self.tick, Ordering::Relaxed)
                    + CYCLES_PER_TICK * self.tick
            }
        }
    }
    fn barrier_init(&self, resource: u32, count: u32) {
        self.barriers.lock().unwrap().push((resource, count));
    }
    fn barrier_arrive(&self, resource: u32, count: u32) -> u64 {
        self.barriers.lock().unwrap().push((resource, count));
        0
    }
    fn barrier_passed(&self, _resource: u32, _ticket: u64) -> bool {
        let before = self.questions.fetch_add(1, Ordering::Relaxed);
        before % (self.refusals + 1) == self.refusals
    }
    fn semaphore_release(&self, resource: u32, count: u32) {
        self.barriers.lock().unwrap().push((resource, count));
    }
    fn semaphore_release_all(&self, resource: u32) {
        self.barriers.lock().unwrap().push((resource, 0));
    }
    fn semaphore_wait(&self, resource: u32) -> u64 {
        self.barriers.lock().unwrap().push((resource, 0));
        0
    }
}

/// Notes the mnemonics of a test for `cargo xtask coverage`, which says in `LUTHIER_TESTED` in which file.
fn record(decoder: &isa::Decoder, code: &[u8]) {
    let Some(path) = std::env::var_os("LUTHIER_TESTED") else {
        return;
    };
    let place = format!("{} {}", decoder.target().name, decoder.wave_size());
    let lines: String = decoder
        .decode_all(code, 0)
        .filter_map(Result::ok)
        .flat_map(|inst| {
            inst.mnemonic()
                .split(" :: ")
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .map(|mnemonic| format!("{place} {mnemonic}\n"))
        .collect();
    let file = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(path);
    file.and_then(|mut file| file.write_all(lines.as_bytes()))
        .expect("LUTHIER_TESTED names a file that can be written");
}

/// Fewest instructions of a run that becomes host code, in a process that a test has started for that.
pub fn forced() -> Option<HostCode> {
    let least = std::env::var(NATIVE).ok()?;
    Some(HostCode::at_once(least.parse().expect("a number")))
}

/// No checks and no other host thread; all vector registers are VGPRs.
pub fn plain(target: &'static Target, wave_size: u32, rows: usize) -> Config {
    Config {
        target,
        wave_size,
        agpr_base: rows as u32,
        vector_rows: rows as u32,
        observed: false,
        native: forced(),
        exact: false,
        measured: None,
        races: false,
        ordered: false,
    }
}

/// The variable with [`forced`].
pub const NATIVE: &str = "LUTHIER_TEST_NATIVE";

/// The checks of a machine besides execution: see [`Config`].
#[derive(Default)]
struct Looks {
    exact: bool,
    races: bool,
    observed: bool,
}

/// One wave with code, registers, LDS and memory.
pub struct Machine {
    pub wave: Wave,
    /// LDS of the workgroup; its length is the allocation.
    pub lds: Vec<u8>,
    /// The barrier of the workgroup, where arriving and waiting are apart.
    pub barrier: SplitBarrier,
    /// The accesses to LDS of the workgroup, where they are noted.
    pub races: Option<Box<Races>>,
    pub outside: Outside,
    /// Counts of the last run.
    pub counts: Counts,
    /// [`Memory::usual_accesses`] of the last run.
    pub usual_accesses: u64,
    program: Program,
    segment: Arc<Segment>,
    allocations: Allocations,
    code: Vec<u8>,
}

impl Machine {
    /// `text` followed by `s_endpgm`, for `target` with its usual wave size.
    pub fn new(target: &str, text: &str) -> Machine {
        let wave_size = u32::from(Target::find(target).expect("target").wave_size);
        Machine::with_wave_size(target, wave_size, text)
    }

    pub fn with_wave_size(target: &str, wave_size: u32, text: &str) -> Machine {
        Machine::assembled(target, wave_size, text).unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`Machine::with_wave_size`], or what the assembler has against `text`.
    pub fn assembled(target: &str, wave_size: u32, text: &str) -> Result<Machine, String> {
        Machine::made(target, wave_size, text, Looks::default(), forced())
    }

    /// [`Machine::with_wave_size`] in which runs of at least `native` instructions are host code.
    pub fn native(target: &str, wave_size: u32, text: &str, native: Option<usize>) -> Machine {
        Machine::translated(target, wave_size, text, native.map(HostCode::at_once))
    }

    /// The same for runs that become host code when `native` says.
    pub fn translated(
        target: &str,
        wave_size: u32,
        text: &str,
        native: Option<HostCode>,
    ) -> Machine {
        let made = Machine::made(target, wave_size, text, Looks::default(), native);
        made.unwrap_or_else(|error| panic!("{error}"))
    }

    /// The same, and it may stop where an access goes beyond the LDS that there is.
    pub fn strict(target: &str, wave_size: u32, text: &str, native: Option<HostCode>) -> Machine {
        let looks = Looks {
            exact: true,
            ..Looks::default()
        };
        let made = Machine::made(target, wave_size, text, looks, native);
        made.unwrap_or_else(|error| panic!("{error}"))
    }

    /// One that stops where an access goes beyond the LDS that there is.
    pub fn exact(target: &str, text: &str) -> Machine {
        // Both checks get along with each other.
        Machine::noted(target, text, true, forced())
    }

    /// One whose accesses to LDS are noted.
    pub fn noting(target: &str, text: &str) -> Machine {
        Machine::noted(target, text, false, None)
    }

    fn noted(target: &str, text: &str, exact: bool, native: Option<HostCode>) -> Machine {
        let wave_size = u32::from(Target::find(target).expect("target").wave_size);
        let looks = Looks {
            exact,
            races: true,
            ..Looks::default()
        };
        let made = Machine::made(target, wave_size, text, looks, native);
        made.unwrap_or_else(|error| panic!("{error}"))
    }

    /// [`Machine::with_wave_size`] whose instructions each have micro-ops of their own, where passes do what is beside the body.
    pub fn observed(target: &str, wave_size: u32, text: &str) -> Machine {
        let looks = Looks {
            observed: true,
            ..Looks::default()
        };
        Machine::made(target, wave_size, text, looks, None)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    fn made(
        target: &str,
        wave_size: u32,
        text: &str,
        looks: Looks,
        native: Option<HostCode>,
    ) -> Result<Machine, String> {
        let target = Target::find(target).expect("target");
        let code = assemble(target, wave_size, &format!("{text}\ns_endpgm"))
            .map_err(|error| format!("{}: {error}\n{text}", target.name))?;
        let config = Config {
            agpr_base: AGPR_BASE as u32,
            observed: looks.observed,
            native,
            exact: looks.exact,
            races: looks.races,
            ordered: true,
            ..plain(target, wave_size, VECTOR_ROWS)
        };
        let decoder = isa::Decoder::with_features(target, wave_size as u8, "").unwrap();
        record(&decoder, &code);
        let program = Program::new(config, decoder);
        let start = code.as_ptr().expose_provenance() as u64;
        let allocations = Allocations(vec![Range {
            start,
            end: start + code.len() as u64,
            writable: false,
        }]);
        let segment = program
            .segment(&mut Memory::new(&allocations), start)
            .expect("code");
        let mut wave = Wave::new(segment.clone(), VECTOR_ROWS, wave_size, MODE);
        wave.fill(|| POISON);
        Ok(Machine {
            wave,
            lds: Vec::new(),
            barrier: SplitBarrier::default(),
            races: None,
            outside: Outside::default(),
            counts: Counts::new(),
            usual_accesses: 0,
            program,
            segment,
            allocations,
            code,
        })
    }

    /// Sets a vector register lane by lane.
    pub fn vgpr(&mut self, index: usize, value: impl Fn(usize) -> u32) -> &mut Machine {
        for lane in 0..self.wave.wave_size() as usize {
            self.wave.set_vgpr(index, lane, value(lane));
        }
        self
    }

    /// Sets a pair of vector registers.
    pub fn vgpr64(&mut self, index: usize, value: impl Fn(usize) -> u64) -> &mut Machine {
        self.vgpr(index, |lane| value(lane) as u32)
            .vgpr(index + 1, |lane| (value(lane) >> 32) as u32)
    }

    pub fn sgpr(&mut self, index: usize, value: u32) -> &mut Machine {
        self.wave.set_sgpr(index, value);
        self
    }

    pub fn sgpr64(&mut self, index: usize, value: u64) -> &mut Machine {
        self.sgpr(index, value as u32)
            .sgpr(index + 1, (value >> 32) as u32)
    }

    pub fn exec(&mut self, mask: u64) -> &mut Machine {
        self.wave.set_exec(mask);
        self
    }

    /// Fills LDS with the bytes of `words`.
    pub fn lds_words(&mut self, words: impl IntoIterator<Item = u32>) -> &mut Machine {
        self.lds = words.into_iter().flat_map(u32::to_le_bytes).collect();
        self
    }

    /// Word `index` of LDS.
    pub fn lds_word(&self, index: usize) -> u32 {
        u32::from_le_bytes(self.lds[4 * index..4 * index + 4].try_into().unwrap())
    }

    /// Makes `memory` accessible and returns its address. The caller keeps it alive and in place.
    pub fn map<T>(&mut self, memory: &mut [T]) -> u64 {
        let bytes = size_of_val(memory) as u64;
        let start = memory.as_mut_ptr().expose_provenance() as u64;
        self.allocations.0.push(Range {
            start,
            end: start + bytes,
            writable: true,
        });
        start
    }

    /// Like [`Machine::map`], for memory that other threads use too.
    pub fn map_shared(&mut self, memory: &[AtomicU64]) -> u64 {
        let start = memory.as_ptr().expose_provenance() as u64;
        self.allocations.0.push(Range {
            start,
            end: start + size_of_val(memory) as u64,
            writable: true,
        });
        start
    }

    /// Like [`Machine::map`], but stores fault.
    pub fn map_read_only<T>(&mut self, memory: &mut [T]) -> u64 {
        let start = self.map(memory);
        self.allocations.0.last_mut().unwrap().writable = false;
        start
    }

    /// Runs to the first stop.
    pub fn stop(&mut self) -> Stop {
        self.go(|wave, env| run(wave, env, 1_000_000))
    }

    /// Runs to the first stop, or until `slice` backward branches were taken.
    pub fn stop_once(&mut self, slice: u32) -> Stop {
        self.go(|wave, env| run(wave, env, slice))
    }

    /// Runs to a stop that is no pause, in slices of `slice` taken backward branches.
    pub fn stop_in_slices(&mut self, slice: u32) -> Stop {
        self.go(|wave, env| {
            loop {
                match run(wave, env, slice) {
                    Stop::Slice | Stop::Sleep => {}
                    stop => return stop,
                }
            }
        })
    }

    /// The same, which must be `s_endpgm`. The result is what is left of the slice at each stop.
    pub fn rests_of_slices(&mut self, slice: u32) -> Vec<u32> {
        let mut rests = Vec::new();
        let stop = self.go(|wave, env| {
            loop {
                let stop = run(wave, env, slice);
                rests.push(wave.slice_left);
                if !matches!(stop, Stop::Slice | Stop::Sleep) {
                    return stop;
                }
            }
        });
        assert_eq!(stop, Stop::End);
        rests
    }

    /// Address of the first instruction.
    pub fn start(&self) -> u64 {
        self.code.as_ptr().expose_provenance() as u64
    }

    /// Brings the wave back to its start. Decoded instructions stay.
    pub fn restart(&mut self) {
        self.wave.restart(&self.segment, MODE, &[]);
        self.wave.fill(|| POISON);
    }

    /// Returns `true` if runs of its instructions have become host code.
    pub fn has_host_code(&self) -> bool {
        self.segment.has_host_code()
    }

    /// How many loops of its instructions have become host code.
    pub fn host_loops(&self) -> usize {
        self.segment.host_loops()
    }

    /// Runs to `s_endpgm`, one micro-op at a time, and counts these.
    pub fn micro_ops(&mut self) -> usize {
        let mut count = 0;
        let stop = self.go(|wave, env| {
            loop {
                count += 1;
                if let Some(stop) = step(wave, env) {
                    return stop;
                }
            }
        });
        assert_eq!(stop, Stop::End);
        count
    }

    fn go(&mut self, go: impl FnOnce(&mut Wave, &mut Env<'_>) -> Stop) -> Stop {
        self.wave.lds_bytes = self.lds.len() as u32;
        let mut env = Env {
            memory: Memory::new(&self.allocations),
            lds: std::mem::take(&mut self.lds),
            barrier: self.barrier.clone(),
            races: self.races.take(),
            shadow: None,
            program: &self.program,
            host: &self.outside,
            counts: Counts::new(),
            watch: None,
        };
        let row = |row| *self.wave.vgpr_row(row);
        let before: Vec<_> = (0..VECTOR_ROWS).map(row).collect();
        let stop = go(&mut self.wave, &mut env);
        self.lds = env.lds;
        self.barrier = env.barrier;
        self.races = env.races;
        self.counts = env.counts;
        self.usual_accesses = env.memory.usual_accesses();
        self.check_written(&before);
        stop
    }

    /// The code that starts the next wave relies on it: code writes the rows that it says it may write, and no other ones.
    fn check_written(&self, before: &[[u32; LANES]]) {
        let mut changed: Vec<usize> = (0..VECTOR_ROWS).collect();
        changed.retain(|&row| before[row] != *self.wave.vgpr_row(row));
        self.counts
            .for_each(|segment, _, _| changed.retain(|&row| !segment.may_write(row)));
        assert!(
            changed.is_empty(),
            "no code says that it may write rows {changed:?}"
        );
    }

    /// Runs to `s_endpgm`.
    pub fn run(&mut self) -> &mut Machine {
        assert_eq!(self.stop(), Stop::End);
        self
    }

    /// All lanes of a vector register.
    pub fn row(&self, index: usize) -> Vec<u32> {
        (0..self.wave.wave_size() as usize)
            .map(|lane| self.wave.vgpr(index, lane))
            .collect()
    }

    pub fn row64(&self, index: usize) -> Vec<u64> {
        (0..self.wave.wave_size() as usize)
            .map(|lane| {
                u64::from(self.wave.vgpr(index, lane))
                    | u64::from(self.wave.vgpr(index + 1, lane)) << 32
            })
            .collect()
    }

    /// Asserts that vector register `index` holds `expected(lane)` in active lanes and its poison in the others.
    #[track_caller]
    pub fn check(&self, index: usize, expected: impl Fn(usize) -> u32) {
        let exec = self.wave.exec();
        for (lane, value) in self.row(index).into_iter().enumerate() {
            let want = if exec >> lane & 1 != 0 {
                expected(lane)
            } else {
                POISON
            };
            assert_eq!(value, want, "v{index} lane {lane}: {value:#x} != {want:#x}");
        }
    }
}
