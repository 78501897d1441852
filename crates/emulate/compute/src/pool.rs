//! The threads, and how they share the dispatches in flight.

use std::{
    collections::{BTreeMap, HashMap, hash_map::Entry},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use gfx::{Matrix, Target};
use gpu::{Dispatch, Events, Executor, Fault, FaultKind, Job, Memory, memory::View};
use wave::{Config, Counts, Env, Host, HostCode, NoHostCode, Program, SharedDecoder, Stop, Watch};

use crate::{
    aside::Pause,
    barriers::Barriers,
    board::RunQueue,
    devices::Devices,
    follow::Follower,
    gate::{Gate, Gated},
    imitation,
    observe::Observer,
    patience::Patience,
    races::Order,
    run::{Run, lock},
    schedule::{ThreadWork, Work},
    watch::Watchers,
    workgroup::{Slice, Turn, Workgroup, WorkgroupBuffers},
};

/// A thread stays with one run this long before it looks whether another needs it.
const LOYALTY: Duration = Duration::from_millis(5);
/// How long to wait at most for threads to leave a kernel that is to stand still.
const SETTLING: Duration = Duration::from_secs(1);
/// How often [`Pool::running`] looks for waves that do not show.
const LOOKS: u32 = 6;
/// Most lanes of a dispatch that the thread which hands it over executes itself, whatever the size of its waves.
const FEW_LANES: u64 = 256;
/// Wave slots per dispatch: all workgroups of a cooperative launch must be resident at once, and HIP lets one fill the
/// largest device shown, 110 compute units of 32 waves.
const RESIDENT_WAVES: u32 = 3584;

/// An executor that runs waves on all host cores.
pub struct Pool {
    inner: Arc<Inner>,
    started: Mutex<bool>,
    threads: usize,
    /// Held while running kernels are looked at.
    looking: Mutex<()>,
}

struct Inner {
    memory: Arc<Memory>,
    events: Arc<Events>,
    board: RunQueue,
    programs: Mutex<HashMap<Config, Arc<Program>>>,
    /// One for all programs of a target and wave size, which knows what any of them has shown it.
    decoders: Mutex<HashMap<(&'static str, u32), SharedDecoder>>,
    devices: Devices,
    threads: usize,
    /// Several host threads use the device's memory.
    shared: bool,
    observer: Option<Arc<dyn Observer>>,
    watchers: Option<Arc<dyn Watchers>>,
    /// The checker of barriers.
    gate: OnceLock<Arc<Gated>>,
    order: OnceLock<Arc<dyn Order>>,
    /// See [`Pool::translate`].
    native: OnceLock<HostCode>,
    follower: OnceLock<Arc<dyn Follower>>,
    /// See [`Pool::count_in_detail`].
    detailed: AtomicBool,
    /// The buffers that [`Inner::at_once`] gives to the workgroups of a small dispatch.
    spare: Mutex<WorkgroupBuffers>,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Pool")
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

/// The observers of waves.
#[derive(Default)]
struct Looking {
    observer: Option<Arc<dyn Observer>>,
    watchers: Option<Arc<dyn Watchers>>,
}

impl Looking {
    fn at_each(observer: Arc<dyn Observer>) -> Looking {
        Looking {
            observer: Some(observer),
            ..Looking::default()
        }
    }
}

/// A kernel that has not ended.
#[derive(Debug)]
pub struct Running {
    pub dispatch: Arc<Dispatch>,
    /// Waves by the address of their next instruction, once for every time that they were seen there.
    pub places: BTreeMap<u64, u64>,
    /// The least that the kernel has executed.
    pub counts: gpu::Counts,
}

impl Pool {
    /// A pool of `threads` threads (at least one), started by the first dispatch. No other thread uses the memory while a kernel runs.
    pub fn new(memory: Arc<Memory>, events: Arc<Events>, threads: usize) -> Pool {
        Pool::with(memory, events, threads, threads > 1, Looking::default())
    }

    /// The same for a program whose own threads use the memory, too.
    pub fn beside_program(memory: Arc<Memory>, events: Arc<Events>, threads: usize) -> Pool {
        Pool::with(memory, events, threads, true, Looking::default())
    }

    /// A pool whose threads tell watchers what waves have executed. `shared`: other threads use the memory, too.
    pub fn watched(
        memory: Arc<Memory>,
        events: Arc<Events>,
        threads: usize,
        shared: bool,
        watchers: Arc<dyn Watchers>,
    ) -> Pool {
        let looking = Looking {
            watchers: Some(watchers),
            ..Looking::default()
        };
        Pool::with(memory, events, threads, shared || threads > 1, looking)
    }

    /// A pool of one thread that shows every wave to `observer` before each instruction. Waves take their turns in the same
    /// order every time.
    pub fn observed(memory: Arc<Memory>, events: Arc<Events>, observer: Arc<dyn Observer>) -> Pool {
        Pool::with(memory, events, 1, false, Looking::at_each(observer))
    }

    /// The same for a program whose own threads use the memory, too.
    pub fn observed_beside_program(
        memory: Arc<Memory>,
        events: Arc<Events>,
        observer: Arc<dyn Observer>,
    ) -> Pool {
        Pool::with(memory, events, 1, true, Looking::at_each(observer))
    }

    fn with(
        memory: Arc<Memory>,
        events: Arc<Events>,
        threads: usize,
        shared: bool,
        looking: Looking,
    ) -> Pool {
        let inner = Inner {
            memory,
            events,
            board: RunQueue::new(threads),
            programs: Mutex::default(),
            decoders: Mutex::default(),
            devices: Devices::default(),
            threads: threads.max(1),
            shared,
            observer: looking.observer,
            watchers: looking.watchers,
            gate: OnceLock::new(),
            order: OnceLock::new(),
            native: OnceLock::new(),
            follower: OnceLock::new(),
            detailed: AtomicBool::new(false),
            spare: Mutex::default(),
        };
        Pool {
            inner: Arc::new(inner),
            started: Mutex::new(false),
            threads: threads.max(1),
            looking: Mutex::default(),
        }
    }

    /// From now on, the gate is told of barriers at which not all lanes of a workgroup meet. A kernel whose waves wait for each
    /// other ends.
    pub fn look_at_barriers(&self, gate: Arc<dyn Gate>) {
        let _ = self.inner.gate.set(Arc::new(Gated::new(gate)));
    }

    /// From now on, such runs of lane-wise instructions become host code in kernels that no observer looks at. The error says why the
    /// host does not allow that; everything is interpreted then.
    pub fn translate(&self, wanted: HostCode) -> Result<(), NoHostCode> {
        wave::host_code_is_possible()?;
        let _ = self.inner.native.set(wanted);
        Ok(())
    }

    /// From now on, `order` is told of accesses to LDS by different waves that nothing puts in order.
    pub fn look_for_races(&self, order: Arc<dyn Order>) {
        let _ = self.inner.order.set(order);
    }

    /// From now on, `follower` follows what instructions do. Said once, before the first kernel.
    pub fn follow(&self, follower: Arc<dyn Follower>) {
        let _ = self.inner.follower.set(follower);
    }

    /// The kernels that run, and how many waves were seen at which addresses within `time`. If none were seen, the look
    /// lasts some times as long: a kernel may be about to begin. Kernels that end meanwhile are left out.
    pub fn running(&self, time: Duration) -> Vec<Running> {
        // One at a time: what one waits for, another would take away.
        let _turn = lock(&self.looking);
        let mut runs: Vec<Arc<Run>> = Vec::new();
        for _ in 0..LOOKS {
            for run in self.inner.board.runs() {
                if !runs.iter().any(|known| Arc::ptr_eq(known, &run)) {
                    run.ask_for_places();
                    runs.push(run);
                }
            }
            thread::sleep(time);
            if runs.iter().any(|run| run.was_seen()) {
                break;
            }
        }
        let still = self.inner.board.runs();
        let asked = runs.iter().map(|run| (run, run.places()));
        asked
            .filter(|(run, _)| still.iter().any(|other| Arc::ptr_eq(run, other)))
            .map(|(run, (places, counts))| Running {
                dispatch: run.dispatch.clone(),
                places,
                counts,
            })
            .collect()
    }

    /// From now on dispatches tell their counters by AMD's names, and what of their results is not exact.
    pub fn count_in_detail(&self) {
        self.inner.detailed.store(true, Ordering::Relaxed);
    }

    /// The kernels that have not ended.
    pub fn dispatches(&self) -> Vec<Arc<Dispatch>> {
        let runs = self.inner.board.runs();
        runs.iter().map(|run| run.dispatch.clone()).collect()
    }

    /// Sets the counters of a device's barriers, as [`Executor::barriers`] told them.
    pub fn set_barriers(&self, node: u32, counters: &[u32]) {
        self.inner.devices.barriers(node).set(counters);
    }
}

impl Drop for Pool {
    /// The threads end after what they run. They are not waited for: they keep memory alive as long as they may touch it.
    fn drop(&mut self) {
        self.inner.board.close();
    }
}

impl Executor for Pool {
    /// Starts the threads, or as many as the host gives.
    fn start(&self) -> std::io::Result<()> {
        let mut started = lock(&self.started);
        if *started {
            return Ok(());
        }
        gpu::guard::install();
        for index in 0..self.threads {
            let inner = self.inner.clone();
            let worker = thread::Builder::new()
                .name(format!("gpu-cu{index}"))
                .spawn(move || work(&inner));
            match worker {
                Ok(_) => *started = true,
                Err(error) if index == 0 => return Err(error),
                Err(_) => break,
            }
        }
        Ok(())
    }

    fn submit(&self, job: Job) {
        if let Err(error) = self.start() {
            let detail = format!("the host gives no thread to run it: {error}");
            let fault = Fault::of_dispatch(&job.dispatch, FaultKind::Unsupported, detail);
            return job.finish(Err(fault));
        }
        match self.inner.prepare(job) {
            Ok(run) => {
                let run = Arc::new(run);
                if !self.inner.at_once(&run) {
                    self.inner.board.post(run);
                }
            }
            Err(refused) => {
                let (job, fault) = *refused;
                job.finish(Err(fault));
            }
        }
    }

    fn invalidate_code(&self) {
        lock(&self.inner.programs).clear();
    }

    fn settle(&self, queue: u64) {
        let began = Instant::now();
        let of_queue = |run: &Arc<Run>| run.dispatch.origin.queue_id == queue;
        let is_attended = |run: &Arc<Run>| of_queue(run) && run.is_attended();
        while began.elapsed() < SETTLING && self.inner.board.runs().iter().any(is_attended) {
            thread::yield_now();
        }
    }

    fn resume(&self) {
        self.inner.board.look_again();
    }

    fn barriers(&self, node: u32) -> Vec<u32> {
        self.inner.devices.barriers(node).counters()
    }

    fn resident_waves(&self) -> u32 {
        RESIDENT_WAVES
    }
}

impl Inner {
    /// Executes a small dispatch on this thread, which is quicker than to hand it to another one. It gets a moment only, because others
    /// may wait for this thread, and kernels for each other. False if there is something left to do.
    fn at_once(&self, run: &Arc<Run>) -> bool {
        let lanes = u64::from(run.dispatch.waves([0; 3]) * run.dispatch.wave_size);
        if self.observer.is_some() || run.schedule.total().saturating_mul(lanes) > FEW_LANES {
            return false;
        }
        let Ok(mut spare) = self.spare.try_lock() else {
            return false;
        };
        run.attach();
        let mut visit = Visit::new(Slice::MOMENT);
        serve(self, run, &mut spare, &mut visit);
        drop(spare);
        let over = run.detach(visit.counts);
        if over {
            run.finish();
        }
        over
    }

    fn device<'a>(&'a self, run: &'a Run) -> Device<'a> {
        Device {
            events: &self.events,
            devices: &self.devices,
            observer: self.observer.as_deref(),
            run,
        }
    }

    /// See [`Pool::translate`]. Watchers and checks see the interpreter alone.
    fn native(&self) -> Option<&HostCode> {
        let plain =
            self.observer.is_none() && self.watchers.is_none() && self.order.get().is_none();
        self.native.get().filter(|_| plain)
    }

    fn prepare(&self, job: Job) -> Result<Run, Box<(Job, Fault)>> {
        let dispatch = job.dispatch.clone();
        let config = Config {
            observed: self.observer.is_some(),
            ordered: self.shared,
            races: self.order.get().is_some(),
            native: self.native().copied(),
            ..config(&dispatch)
        };
        let program = match self.program(config) {
            Ok(program) => program,
            Err(detail) => {
                return Err(Box::new((
                    job,
                    Fault::of_dispatch(&dispatch, FaultKind::Unsupported, detail),
                )));
            }
        };
        let (offset, count) = dispatch.preloaded_dwords();
        let mut bytes = vec![0; 4 * count as usize];
        let address = dispatch.packet.kernarg_address + 4 * u64::from(offset);
        if !bytes.is_empty() && self.memory.read_bytes(address, &mut bytes).is_err() {
            let kind = FaultKind::Memory {
                address,
                write: false,
            };
            let detail = "the arguments to be preloaded";
            return Err(Box::new((job, Fault::of_dispatch(&dispatch, kind, detail))));
        }
        let kernarg = bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        Ok(Run::new(
            job,
            program,
            config.vector_rows as usize,
            kernarg,
            RESIDENT_WAVES,
            self.threads,
            self.detailed.load(Ordering::Relaxed),
        ))
    }

    /// Lets checkers look at a workgroup that begins.
    fn look_at(
        &self,
        workgroup: &mut Workgroup,
        dispatch: &Arc<Dispatch>,
        spare: &mut WorkgroupBuffers,
    ) {
        workgroup.look_at_barriers(self.gate.get(), dispatch);
        workgroup.look_for_races(self.order.get().map(|order| order.rules()), spare);
        workgroup.be_followed(self.follower.get(), dispatch);
    }

    /// Tells the gate if a workgroup has done more than to wait.
    fn notice(&self, turn: &Turn) {
        if let Some(gate) = self.gate.get()
            && !matches!(turn, Turn::Again(Pause::Waits))
        {
            gate.goes_on();
        }
    }

    /// Tells of the races of a workgroup's turn.
    fn tell_races(&self, dispatch: &Arc<Dispatch>, workgroup: &mut Workgroup) {
        if let Some(order) = self.order.get() {
            let found = workgroup.take_races();
            if !found.is_empty() {
                order.raced(dispatch, workgroup.id, &found);
            }
        }
    }

    fn program(&self, config: Config) -> Result<Arc<Program>, String> {
        let mut programs = lock(&self.programs);
        if let Some(program) = programs.get(&config) {
            return Ok(program.clone());
        }
        let decoder = match lock(&self.decoders).entry((config.target.name, config.wave_size)) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(free) => {
                let made = isa::Decoder::with_features(config.target, config.wave_size as u8, "");
                let made = made.map_err(|error| error.to_string())?;
                Arc::clone(free.insert(Arc::new(Mutex::new(made))))
            }
        };
        let planner = self.follower.get().map(|follower| follower.planner());
        let program = Arc::new(Program::sharing(config, decoder).planned_by(planner));
        programs.insert(config, program.clone());
        Ok(program)
    }
}

/// Register layout of a dispatch's waves.
pub(crate) fn config(dispatch: &Dispatch) -> Config {
    let vgprs = dispatch.vgprs;
    // gfx908 has as many AccVGPRs as VGPRs, in a file of their own.
    let (agpr_base, vector_rows) = match dispatch.target.matrix {
        Matrix::Mfma1 => (vgprs, 2 * vgprs),
        _ if dispatch.target.unified_register_file => (dispatch.accum_offset, vgprs),
        _ => (vgprs, vgprs),
    };
    Config {
        target: dispatch.target,
        wave_size: dispatch.wave_size,
        agpr_base,
        vector_rows,
        observed: false,
        native: None,
        exact: dispatch.exact,
        races: false,
        measured: imitation::of(dispatch.target),
        ordered: false,
    }
}

/// The device services instructions may use.
struct Device<'a> {
    events: &'a Events,
    devices: &'a Devices,
    observer: Option<&'a dyn Observer>,
    run: &'a Run,
}

impl Device<'_> {
    fn barriers(&self) -> &Barriers {
        self.devices.barriers(self.run.dispatch.origin.node)
    }
}

impl Host for Device<'_> {
    fn wants_turn(&self) -> bool {
        self.run.wants_turn()
    }

    fn send_message(&self, message: u32, m0: u32) {
        const INTERRUPT: u32 = 1;
        if message & 0xf == INTERRUPT {
            self.events.interrupt(m0);
        }
    }

    fn real_time(&self, _: &Target, elapsed: u64) -> u64 {
        self.run.show(elapsed);
        let shown = self.observer.and_then(Observer::time);
        shown.unwrap_or_else(|| self.run.epoch.show_ticks(elapsed))
    }

    fn core_time(&self, _: &Target, elapsed: u64) -> u64 {
        self.run.show(elapsed);
        let shown = self.observer.and_then(Observer::time);
        shown.unwrap_or_else(|| self.run.epoch.show_cycles(elapsed))
    }

    fn since_start(&self, elapsed: u64) -> u64 {
        self.observer.and_then(Observer::time).unwrap_or(elapsed)
    }

    fn latest(&self, _: &Target) -> u64 {
        self.run.latest()
    }

    fn barrier_init(&self, resource: u32, count: u32) {
        self.barriers().init(resource, count);
    }

    fn barrier_arrive(&self, resource: u32, count: u32) -> u64 {
        self.barriers().arrive(resource, count)
    }

    fn barrier_passed(&self, resource: u32, ticket: u64) -> bool {
        self.barriers().passed(resource, ticket)
    }

    fn semaphore_release(&self, resource: u32, count: u32) {
        self.barriers().release(resource, count);
    }

    fn semaphore_release_all(&self, resource: u32) {
        self.barriers().release_all(resource);
    }

    fn semaphore_wait(&self, resource: u32) -> u64 {
        self.barriers().wait(resource)
    }

    fn semaphore_passed(&self, resource: u32, ticket: u64) -> bool {
        self.barriers().admitted(resource, ticket)
    }
}

/// The loop of a thread until the pool is dropped.
fn work(inner: &Inner) {
    let mut spare = WorkgroupBuffers::default();
    let mut visit = Visit::new(Slice::USUAL);
    while let Some(run) = inner.board.next() {
        serve(inner, &run, &mut spare, &mut visit);
        if run.detach(std::mem::take(&mut visit.counts)) {
            inner.board.remove(&run);
            run.finish();
        }
        if let Some(time) = visit.rest.take() {
            drop(run);
            inner.board.rest(time);
        }
    }
}

/// A thread's stay with a run, and what it takes along to the next one.
struct Visit {
    slice: Slice,
    /// The instructions that it has executed.
    counts: Counts,
    patience: Patience,
    /// The run can do nothing at the moment, and the thread is to rest for so long.
    rest: Option<Duration>,
}

impl Visit {
    fn new(slice: Slice) -> Visit {
        Visit {
            slice,
            counts: Counts::new(),
            patience: Patience::default(),
            rest: None,
        }
    }
}

/// The time of the kernel on one thread, which goes on where others have left.
struct ThreadTime<'a> {
    run: &'a Run,
    /// Cycles since the kernel began.
    now: u64,
}

impl ThreadTime<'_> {
    fn enter(run: &Run) -> ThreadTime<'_> {
        let now = run.time();
        ThreadTime { run, now }
    }
}

impl Drop for ThreadTime<'_> {
    fn drop(&mut self) {
        self.run.leave_at(self.now);
    }
}

/// How long a thread stays with one run. To look at the clock costs as much as half a wave's start, so a thread looks after as many turns
/// as take some time together.
struct Loyalty {
    began: Instant,
    looked: Duration,
    /// Turns until the next look, and from the last look to that one.
    left: u32,
    pause: u32,
}

impl Loyalty {
    /// Between two looks, about.
    const PAUSE: Duration = Duration::from_micros(50);
    /// Most turns between two looks: they may become longer at any time.
    const MOST: u32 = 16;

    fn begin() -> Loyalty {
        Loyalty {
            began: Instant::now(),
            looked: Duration::ZERO,
            left: 1,
            pause: 1,
        }
    }

    /// Asked once for each turn.
    fn is_over(&mut self) -> bool {
        self.left -= 1;
        if self.left > 0 {
            return false;
        }
        let now = self.began.elapsed();
        self.pause = match now - self.looked < Self::PAUSE {
            true => (2 * self.pause).min(Self::MOST),
            false => 1,
        };
        (self.looked, self.left) = (now, self.pause);
        now > LOYALTY
    }

    /// A turn was long: the next one may be, too.
    fn look_soon(&mut self) {
        (self.left, self.pause) = (1, 1);
    }
}

/// [`serve_watched`] by a watcher, if there are any.
fn serve(inner: &Inner, run: &Arc<Run>, spare: &mut WorkgroupBuffers, visit: &mut Visit) {
    let Some(watchers) = &inner.watchers else {
        visit.counts = serve_watched(inner, run, spare, visit, None);
        return;
    };
    let mut watcher = match spare.watcher.take() {
        Some(watcher) => watcher,
        None => watchers.watcher(),
    };
    watcher.begin(&run.dispatch);
    visit.counts = serve_watched(inner, run, spare, visit, Some(&mut *watcher));
    watcher.leave();
    spare.watcher = Some(watcher);
}

/// The surroundings of the waves of `run`, without a workgroup.
fn environment<'e>(
    run: &'e Run,
    seen: &'e View<'e>,
    host: &'e Device<'e>,
    watch: Option<&'e mut (dyn Watch + 'static)>,
) -> Env<'e> {
    Env {
        memory: wave::Memory::new(seen),
        lds: Vec::new(),
        barrier: Default::default(),
        races: None,
        shadow: None,
        program: &run.program,
        host,
        counts: Counts::new(),
        watch,
    }
}

/// Works on `run` until it has nothing to do or another run has waited long enough; where turns are short, until one was not enough.
fn serve_watched(
    inner: &Inner,
    run: &Arc<Run>,
    spare: &mut WorkgroupBuffers,
    visit: &mut Visit,
    watch: Option<&mut (dyn Watch + 'static)>,
) -> Counts {
    let dispatch = &run.dispatch;
    let space: &Memory = &inner.memory;
    let seen = seen_by(space, dispatch);
    let device = &inner.device(run);
    let mut env = environment(run, &seen, device, watch);
    let Some(segment) = run.program.segment(&mut env.memory, dispatch.entry) else {
        run.fail(no_code(dispatch));
        return env.counts;
    };
    let mut loyalty = Loyalty::begin();
    let (mut hand, mut time) = (ThreadWork::default(), ThreadTime::enter(run));
    spare.next_dispatch(run);
    loop {
        // Asking takes locks, so not for every workgroup.
        if loyalty.is_over() {
            if inner.board.others_waiting(run) {
                run.schedule.give_back(&mut hand);
                return env.counts;
            }
            // A user may ask at any time, and the next turn may be long.
            run.hand_in(&mut env.counts);
            loyalty = Loyalty::begin();
        }
        let (mut workgroup, slice);
        match run.take(&mut hand) {
            Work::Start(index, slots) => {
                let begin = (index, time.now);
                workgroup = Workgroup::start(run, &segment, begin, slots, space, spare);
                inner.look_at(&mut workgroup, dispatch, spare);
                slice = run.first_slice(visit.slice);
            }
            Work::Resume(started) => (workgroup, slice) = (*started, run.later_slice(visit.slice)),
            Work::Nothing => return env.counts,
        }
        env.memory.refresh();
        let turn = take_turn(inner, run, &mut workgroup, &mut env, slice);
        inner.tell_races(dispatch, &mut workgroup);
        inner.notice(&turn);
        time.now = time.now.max(workgroup.elapsed());
        match turn {
            Turn::Ended => {
                visit.patience.worked();
                run.note(&workgroup, &mut env.counts);
                run.ended(workgroup.slots, &mut hand);
                // An observer compares executions, so registers must not hold values of other waves.
                if inner.observer.is_none() {
                    workgroup.recycle(spare);
                }
            }
            Turn::Again(pause) => {
                loyalty.look_soon();
                run.paused(pause);
                run.note(&workgroup, &mut env.counts);
                if !put_aside(inner, run, workgroup, pause, visit, &mut hand) {
                    return env.counts;
                }
            }
            Turn::Failed { wave, pc, stop } => {
                let fault = describe(run, space, &mut env, workgroup.id, wave, pc, stop);
                run.fail(fault);
                run.schedule.give_back(&mut hand);
                return env.counts;
            }
        }
    }
}

/// The memory as the dispatch's device sees it.
fn seen_by<'a>(space: &'a Memory, dispatch: &Dispatch) -> View<'a> {
    let seen = space.seen_by(dispatch.origin.node);
    match dispatch.is_of_runtime() {
        true => seen.as_runtime(),
        false => seen,
    }
}

/// One turn of a workgroup, and what an observer hears of it.
fn take_turn(
    inner: &Inner,
    run: &Run,
    workgroup: &mut Workgroup,
    env: &mut Env<'_>,
    slice: Slice,
) -> Turn {
    let Some(observer) = inner.observer.as_deref() else {
        return workgroup.turn(env, None, &run.epoch, slice);
    };
    observer.chosen(&run.dispatch, workgroup.index);
    let turn = workgroup.turn(env, Some(observer), &run.epoch, slice);
    if matches!(turn, Turn::Ended | Turn::Failed { .. }) {
        observer.ended(&run.dispatch, workgroup.index);
    }
    turn
}

/// Puts a workgroup aside whose turn is over; false if the thread is to leave the run.
fn put_aside(
    inner: &Inner,
    run: &Run,
    workgroup: Workgroup,
    pause: Pause,
    visit: &mut Visit,
    hand: &mut ThreadWork,
) -> bool {
    if let Some(observer) = &inner.observer
        && observer.has_enough()
    {
        run.abandon("the observer had enough");
        run.schedule.give_back(hand);
        return false;
    }
    let (index, workgroup) = (workgroup.index, Box::new(workgroup));
    let waiting = run.schedule.suspend(index, workgroup, pause, hand);
    if visit.slice != Slice::MOMENT {
        visit.rest = visit.patience.paused(pause, waiting);
        if visit.rest.is_none() {
            return true;
        }
    }
    run.schedule.give_back(hand);
    false
}

fn no_code(dispatch: &Dispatch) -> Fault {
    let kind = FaultKind::Memory {
        address: dispatch.entry,
        write: false,
    };
    Fault::of_dispatch(dispatch, kind, "no code at the kernel's entry")
}

/// A call that frees no living block: the address says all.
fn wrong_free(fault: &wave::Fault, detail: &mut Option<String>) -> FaultKind {
    let address = fault.address;
    *detail = None;
    FaultKind::WrongFree { address }
}

/// An access beyond what `owner` has, which is `room` bytes.
fn beyond(fault: &wave::Fault, owner: &str, room: u32, detail: &mut Option<String>) -> FaultKind {
    let (bytes, address) = (fault.bytes, fault.address);
    let offset = address as u32;
    *detail = Some(format!(
        "{bytes} bytes at {offset:#x} of {owner} has {room} bytes"
    ));
    FaultKind::Aperture { address }
}

fn describe(
    run: &Run,
    space: &Memory,
    env: &mut Env<'_>,
    workgroup: [u32; 3],
    wave: u32,
    pc: u64,
    stop: Stop,
) -> Fault {
    let (mut lane, mut detail) = (None, None);
    let instruction = run
        .program
        .disassemble(&mut env.memory, pc)
        .unwrap_or_default();
    let writes = ["store", "atomic"];
    let may_write = || writes.iter().any(|part| instruction.contains(part));
    let kind = match stop {
        Stop::Fault(fault) => {
            lane = Some(fault.lane);
            detail = Some(fault.to_string());
            match fault.kind {
                wave::FaultKind::NotMapped => FaultKind::Memory {
                    address: fault.address,
                    // A missing page is found before the wave knows what for.
                    write: may_write(),
                },
                wave::FaultKind::Withdrawn => {
                    lane = Some(fault.lane).filter(|lane| *lane != wave::NO_LANE);
                    let why = space.why_withdrawn(fault.address);
                    let which = lane
                        .is_none()
                        .then_some("by this instruction or one soon after it");
                    let said: Vec<&str> = why.into_iter().chain(which).collect();
                    detail = Some(said.join(", ")).filter(|said| !said.is_empty());
                    FaultKind::Memory {
                        address: fault.address,
                        write: may_write(),
                    }
                }
                wave::FaultKind::ReadOnly => FaultKind::Memory {
                    address: fault.address,
                    write: true,
                },
                wave::FaultKind::Unaligned => {
                    let (bytes, address) = (fault.bytes, fault.address);
                    detail = Some(format!(
                        "{bytes} bytes at {address:#x}, which is no multiple of {bytes}"
                    ));
                    FaultKind::Unaligned { address }
                }
                wave::FaultKind::WrongFree => wrong_free(&fault, &mut detail),
                wave::FaultKind::LdsOutOfRange => {
                    let room = run.dispatch.lds_bytes();
                    let owner = "LDS, of which the workgroup";
                    beyond(&fault, owner, room, &mut detail)
                }
                wave::FaultKind::ScratchOutOfRange => {
                    let room = run.dispatch.packet.private_segment_size;
                    let owner = "scratch, of which a work-item";
                    beyond(&fault, owner, room, &mut detail)
                }
            }
        }
        Stop::Trap(id) => FaultKind::Trap { id: u32::from(id) },
        Stop::Stuck => FaultKind::Stuck,
        Stop::NoCode(address) => {
            detail = Some(format!(
                "control reached {address:#x}, where there is no code"
            ));
            FaultKind::Memory {
                address,
                write: false,
            }
        }
        Stop::Unsupported(what) => {
            detail = Some(what);
            // An instruction without text does not exist on this target.
            if instruction.is_empty() {
                FaultKind::IllegalInstruction
            } else {
                FaultKind::Unsupported
            }
        }
        other => {
            detail = Some(format!("unexpected stop {other:?}"));
            FaultKind::Unsupported
        }
    };
    Fault {
        kind,
        pc,
        instruction,
        workgroup,
        wave,
        lane,
        detail,
        executed: None,
    }
}
