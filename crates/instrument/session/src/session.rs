//! The session itself: what is told to it, and what it answers.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex, RwLock,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use crate::{
    Agent, AgentId, BuiltIn, Config, Copied, Device, Enqueued, Instrumenter, Launch, LoadedObject,
    Refusal, Summary, build,
    cache::Cache,
    fit::{LaunchSize, Needed, Together},
    globals::{Final, Globals},
    kernel::{Kernel, Outcome},
    live::Access,
    lock,
    objects::{Object, Objects, Original},
    packet::{self, PacketBytes},
    read,
    records::Streams,
    summary, vain, workgroup, write,
};

/// Notes beyond this number are counted, not kept.
const NOTES: usize = 100;

/// A kernel dispatch packet, as the application wrote it.
#[derive(Clone, Copy, Debug)]
pub struct Dispatch {
    pub agent: AgentId,
    /// Names the queue, see [`Device::ticket`].
    pub queue: u64,
    pub kernel_object: u64,
    /// Address of its arguments.
    pub kernarg: u64,
    /// Work-items.
    pub grid: [u32; 3],
    pub workgroup: [u16; 3],
    /// Bytes per work-item and per workgroup.
    pub private_segment_size: u32,
    pub group_segment_size: u32,
    /// All workgroups must be on the device at once, or they wait for each other for ever.
    pub cooperative: bool,
    /// Only where launches are observed, see [`Session::observes_launches`].
    pub enqueued: Option<Enqueued>,
}

impl Dispatch {
    /// Workgroups in each dimension, partial ones included.
    fn workgroup_counts(&self) -> [u32; 3] {
        std::array::from_fn(|dimension| {
            let size = u32::from(self.workgroup[dimension]).max(1);
            self.grid[dimension].div_ceil(size)
        })
    }

    /// Workgroups, partial ones included.
    fn workgroups(&self) -> u64 {
        let counts = self.workgroup_counts().into_iter();
        counts.fold(1, |product, count| {
            u64::saturating_mul(product, count.into())
        })
    }
}

/// The values to write into the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Substitute {
    pub kernel_object: u64,
    pub private_segment_size: u32,
    pub group_segment_size: u32,
    /// The launch's number, which hooks read as their dispatch id.
    pub launch: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The packet stays as it is.
    Original,
    /// The same for the launch with this number, whose times are wanted.
    Watched(u64),
    Variant(Substitute),
}

/// Variants whose kernels were unloaded: they go when these queues have passed these tickets.
#[derive(Debug)]
struct Retired {
    executable: u64,
    variants: u64,
    tickets: Vec<(u64, u64)>,
}

/// See the crate. All functions may be called from any thread.
pub struct Session {
    pub(crate) config: Config,
    pub(crate) instrumenter: Arc<dyn Instrumenter>,
    pub(crate) device: Arc<dyn Device>,
    pub(crate) cache: Option<Cache>,
    pub(crate) globals: Arc<Globals>,
    pub(crate) streams: Arc<Streams>,
    agents: Vec<Arc<Agent>>,
    objects: RwLock<Objects>,
    /// By address of the kernel object.
    kernels: RwLock<HashMap<u64, Arc<Kernel>>>,
    /// Kernels whose object was unloaded.
    gone: Mutex<Vec<summary::KernelLine>>,
    /// Objects of launched kernels that were unloaded, by hash; empty unless they are to be kept.
    gone_objects: Mutex<BTreeMap<String, Arc<[u8]>>>,
    retired: Mutex<Vec<Retired>>,
    /// Variants that were loaded and unloaded.
    pub(crate) loads: AtomicU64,
    unloads: AtomicU64,
    launches: AtomicU64,
    /// Launches of code whose loading the session did not see.
    unknown: AtomicU64,
    notes: Mutex<Vec<String>>,
    seen: vain::Seen,
    met: workgroup::Met,
    began: Instant,
    finished: AtomicBool,
    observes: bool,
    /// Launches that waited for a variant as long as they may.
    pub(crate) in_vain: AtomicU32,
}

impl Session {
    pub fn new(
        config: Config,
        instrumenter: Arc<dyn Instrumenter>,
        device: Arc<dyn Device>,
    ) -> Arc<Session> {
        let cache = config
            .cache
            .clone()
            .map(|directory| Cache::new(directory, config.cache_limit));
        let globals = Arc::new(Globals::new(instrumenter.globals()));
        let agents: Vec<_> = device.agents().into_iter().map(Arc::new).collect();
        let streams: Arc<Streams> = Arc::default();
        instrumenter.connect(Arc::new(Access {
            device: Arc::clone(&device),
            globals: Arc::clone(&globals),
            agents: agents.clone(),
            streams: Arc::clone(&streams),
        }));
        Arc::new(Session {
            observes: instrumenter.observes_launches(),
            cache,
            globals,
            streams,
            agents,
            config,
            instrumenter,
            device,
            objects: RwLock::default(),
            kernels: RwLock::default(),
            gone: Mutex::default(),
            gone_objects: Mutex::default(),
            retired: Mutex::default(),
            loads: AtomicU64::new(0),
            unloads: AtomicU64::new(0),
            launches: AtomicU64::new(0),
            unknown: AtomicU64::new(0),
            notes: Mutex::default(),
            seen: vain::Seen::default(),
            met: workgroup::Met::default(),
            began: Instant::now(),
            finished: AtomicBool::new(false),
            in_vain: AtomicU32::new(0),
        })
    }

    /// Returns `true` if [`Session::ended`] is wanted.
    pub fn observes_launches(&self) -> bool {
        self.observes
    }

    /// The launch with this number ran from one time to another, in nanoseconds of a clock that all devices share.
    pub fn ended(&self, launch: u64, start: u64, end: u64) {
        self.instrumenter.ended(launch, start, end);
    }

    /// A copy has ended, if [`Session::observes_launches`].
    pub fn copied(&self, copied: &Copied) {
        self.instrumenter.copied(copied);
    }

    /// The number of a device; `None` for what is no GPU.
    pub fn device_number(&self, agent: AgentId) -> Option<u32> {
        let found = self.agents.iter().find(|known| known.id == agent);
        found.map(|device| device.number)
    }

    /// Returns `true` if [`Session::packets`] is wanted.
    pub fn observes_packets(&self) -> bool {
        self.instrumenter.observes_packets()
    }

    /// The application has written these packets, which may be changed.
    pub fn packets(&self, agent: AgentId, queue: u64, packets: &mut [[u8; 64]]) {
        let device = self.agents.iter().find(|known| known.id == agent);
        if let Some(device) = device.filter(|_| !self.finished.load(Ordering::Relaxed)) {
            self.instrumenter.packets(queue, device.number, packets);
        }
    }

    /// The kernel that a packet with this kernel object runs, whatever was put into the packet.
    fn kernel_of(&self, kernel_object: u64) -> Option<(Arc<Kernel>, bool)> {
        let kernels = read(&self.kernels);
        if let Some(kernel) = kernels.get(&kernel_object) {
            return Some((Arc::clone(kernel), false));
        }
        let mut variants = kernels.values().flat_map(Kernel::variants);
        let found = variants.find(|kernel| match kernel.outcome() {
            Some(Outcome::Ready(ready)) => ready.loaded.kernel_object == kernel_object,
            _ => false,
        });
        Some((found?, true))
    }

    /// Its name, and whether it is instrumented.
    pub fn name_of(&self, kernel_object: u64) -> Option<(String, bool)> {
        let (kernel, changed) = self.kernel_of(kernel_object)?;
        Some((kernel.pretty.clone(), changed || kernel.is_built_in()))
    }

    /// Describes the code of an instrumented kernel at `offset` bytes from its first instruction.
    pub fn place(&self, kernel_object: u64, offset: i64) -> Option<String> {
        let (kernel, changed) = self.kernel_of(kernel_object)?;
        let request = build::request(&kernel);
        changed
            .then(|| self.instrumenter.place(&request, offset))
            .flatten()
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    /// A code object was loaded and its executable is frozen.
    pub fn loaded(&self, object: LoadedObject) {
        let built_in = self.instrumenter.built_in(&object.bytes);
        if let Some(built_in) = &built_in {
            self.enter(&object, built_in);
        }
        write(&self.objects).insert(object, built_in);
    }

    fn enter(&self, object: &LoadedObject, built_in: &BuiltIn) {
        let Some(agent) = self.agents.iter().find(|agent| agent.id == object.agent) else {
            return;
        };
        let entered = self.globals.enter(
            &*self.device,
            agent,
            object,
            &built_in.globals,
            &self.streams,
        );
        if let Err(error) = entered {
            self.note(format!("tools in {} do not work: {error}", object.uri));
        }
        self.consume();
    }

    /// An executable is about to be destroyed. Its variants follow when their last dispatch has completed.
    pub fn unloaded(&self, executable: u64) {
        if self.finished.load(Ordering::Acquire) {
            // The program is ending, and its last kernels may still be running variants.
            return;
        }
        write(&self.objects).remove(executable);
        self.globals.leave(&*self.device, executable, &self.streams);
        let mut kernels = write(&self.kernels);
        let gone: Vec<Arc<Kernel>> = kernels
            .extract_if(|_, kernel| kernel.object.loaded.executable == executable)
            .map(|(_, kernel)| kernel)
            .collect();
        drop(kernels);
        self.keep_objects(&mut lock(&self.gone_objects), gone.iter());
        for kernel in &gone {
            let lines = self.lines(kernel);
            lock(&self.gone).extend(lines);
        }
        for kernel in gone.iter().flat_map(Kernel::variants) {
            // A build that is still running loads its variant after this and keeps it: rare, and small.
            if let Some(Outcome::Ready(ready)) = kernel.outcome()
                && !kernel.is_built_in()
            {
                let tickets = kernel
                    .queues()
                    .into_iter()
                    .filter_map(|queue| Some((queue, self.device.ticket(queue)?)))
                    .collect();
                self.retire(ready.loaded.executable, tickets);
            }
        }
        self.sweep();
    }

    /// Several variants may lie in one executable.
    fn retire(&self, executable: u64, tickets: Vec<(u64, u64)>) {
        let mut retired = lock(&self.retired);
        match retired
            .iter_mut()
            .find(|known| known.executable == executable)
        {
            Some(known) => {
                known.tickets.extend(tickets);
                known.variants += 1;
            }
            None => retired.push(Retired {
                executable,
                variants: 1,
                tickets,
            }),
        }
    }

    /// Unloads retired variants that nothing uses any more.
    fn sweep(&self) {
        let mut retired = lock(&self.retired);
        let mut finished = Vec::new();
        retired.retain_mut(|variant| {
            variant
                .tickets
                .retain(|&(queue, ticket)| !self.device.drained(queue, ticket));
            let keep = !variant.tickets.is_empty();
            if !keep {
                finished.push((variant.executable, variant.variants));
            }
            keep
        });
        drop(retired);
        for (executable, variants) in finished {
            self.unloads.fetch_add(variants, Ordering::Relaxed);
            self.device.unload(executable);
        }
    }

    /// Chooses the code of one launch; the first launch of a kernel waits for its variant.
    pub fn dispatch(self: &Arc<Self>, dispatch: &Dispatch) -> Decision {
        self.dispatch_packet(dispatch, &mut dispatch.packet())
    }

    /// Like [`Session::dispatch`], for a launch whose packet tools may change. The changed packet is left in `packet`; the decision is
    /// applied on top of it.
    pub fn dispatch_packet(
        self: &Arc<Self>,
        dispatch: &Dispatch,
        packet: &mut PacketBytes,
    ) -> Decision {
        if self.finished.load(Ordering::Relaxed) {
            return Decision::Original;
        }
        let number = self.launches.fetch_add(1, Ordering::Relaxed);
        let Some(kernel) = self.kernel(dispatch) else {
            self.unknown.fetch_add(1, Ordering::Relaxed);
            return Decision::Original;
        };
        let ordinal = kernel.ordinal.fetch_add(1, Ordering::Relaxed);
        let chosen = kernel.selected && self.config.selection.launch(ordinal, dispatch.grid);
        if kernel.selected {
            self.seen.launch(chosen, dispatch.grid);
        }
        if let (Some(number), true) = (self.config.workgroup, chosen) {
            self.met.launch(number, dispatch.workgroup_counts());
        }
        let built_in = kernel.is_built_in();
        let arguments = match self.observes && (chosen || built_in) {
            true => self.arguments(dispatch, &kernel),
            false => Vec::new(),
        };
        let given = *packet;
        let launch = Launch {
            queue: dispatch.queue,
            arguments: &arguments,
            number,
            kernel: &kernel.original.name,
            object_hash: kernel.object.hash(),
            agent: &kernel.agent,
            grid: dispatch.grid,
            workgroup: dispatch.workgroup,
            kernel_object: dispatch.kernel_object,
            kernarg: dispatch.kernarg,
            enqueued: dispatch.enqueued,
        };
        let choice = match (built_in, chosen) {
            (true, _) => Some(0),
            (false, true) => self.ask(&launch, &kernel, packet),
            (false, false) => None,
        };
        let changed;
        let (dispatch, launch) = match *packet == given {
            true => (dispatch, launch),
            false => {
                self.keep_kind(&kernel, &given, packet);
                changed = dispatch.with_packet(packet);
                let launch = Launch {
                    grid: changed.grid,
                    workgroup: changed.workgroup,
                    kernarg: changed.kernarg,
                    ..launch
                };
                (&changed, launch)
            }
        };
        if dispatch.kernel_object != launch.kernel_object {
            // The tool launches other code in place of this kernel's.
            kernel.launches.fetch_add(1, Ordering::Relaxed);
            return Decision::Original;
        }
        let Some(choice) = choice else {
            kernel.launches.fetch_add(1, Ordering::Relaxed);
            return match self.observes && chosen {
                true => Decision::Watched(number),
                false => Decision::Original,
            };
        };
        let kernel = self.for_stack(&kernel, choice, dispatch.private_segment_size);
        kernel.launches.fetch_add(1, Ordering::Relaxed);
        self.substitute(dispatch, &kernel, &launch)
    }

    fn keep_kind(&self, kernel: &Kernel, given: &PacketBytes, packet: &mut PacketBytes) {
        if !packet::keeps_kind(given, packet) {
            self.note(format!(
                "{}: a tool changed the kind of a launch's packet, which only luthier_at_packets may do; the packet stayed a launch",
                kernel.pretty
            ));
        }
    }

    /// The kernel of its own that the tool wants in place of this one. It may change the packet.
    fn ask(&self, launch: &Launch<'_>, kernel: &Kernel, packet: &mut PacketBytes) -> Option<u64> {
        let request = build::request(kernel);
        let code = &kernel.object.loaded.bytes;
        self.instrumenter.choose(launch, &request, code, packet)
    }

    /// The arguments of a launch; none if they cannot be read.
    fn arguments(&self, dispatch: &Dispatch, kernel: &Kernel) -> Vec<u8> {
        let mut arguments = vec![0; kernel.original.kernarg_size as usize];
        if dispatch.kernarg == 0 || !self.device.peek(dispatch.kernarg, &mut arguments) {
            arguments.clear();
        }
        arguments
    }

    /// The variant in place of the original, if there is one that fits the launch.
    fn substitute(
        self: &Arc<Self>,
        dispatch: &Dispatch,
        kernel: &Arc<Kernel>,
        launch: &Launch<'_>,
    ) -> Decision {
        let Some(Outcome::Ready(ready)) = build::outcome(self, kernel) else {
            return Decision::Original;
        };
        let original = &kernel.original;
        let size = LaunchSize {
            work_items: dispatch.workgroup.iter().fold(1, |product, size| {
                u32::saturating_mul(product, (*size).into())
            }),
            lds: Needed::grown(
                dispatch.group_segment_size,
                original.group_segment_size,
                ready.group_segment_size,
            ),
            scratch: Needed::grown(
                dispatch.private_segment_size.next_multiple_of(4),
                original.private_segment_size,
                ready.private_segment_size,
            ),
            together: dispatch.cooperative.then(|| Together {
                workgroups: dispatch.workgroups(),
                compute_units: kernel.agent.compute_units,
            }),
        };
        if let Some((unfit, reason)) = ready.fit.judge(&size) {
            kernel.did_not_fit(unfit, reason);
            return Decision::Original;
        }
        kernel.instrumented.fetch_add(1, Ordering::Relaxed);
        kernel.ran_on(dispatch.queue);
        self.instrumenter.launch(launch);
        Decision::Variant(Substitute {
            kernel_object: ready.loaded.kernel_object,
            private_segment_size: size.scratch.after,
            group_segment_size: size.lds.after,
            launch: launch.number,
        })
    }

    /// The variant of a choice, made for launches with such a stack if there can be none for all.
    fn for_stack(self: &Arc<Self>, kernel: &Arc<Kernel>, choice: u64, size: u32) -> Arc<Kernel> {
        let for_all = kernel.variant(choice);
        let outcome = for_all.outcome();
        match outcome.or_else(|| build::outcome(self, &for_all)) {
            Some(Outcome::Refused(Refusal::StackSize(_))) => {
                let sized = kernel.variant_with_stack(choice, size);
                sized.unwrap_or(for_all)
            }
            _ => for_all,
        }
    }

    fn kernel(&self, dispatch: &Dispatch) -> Option<Arc<Kernel>> {
        let address = dispatch.kernel_object;
        if let Some(kernel) = read(&self.kernels).get(&address) {
            return Some(Arc::clone(kernel));
        }
        let object = Arc::clone(read(&self.objects).find(address)?);
        let original = match object.kernel_at(address) {
            Ok(original) => original,
            Err(problem) => {
                self.note(format!("a launch cannot be told apart: {problem}"));
                return None;
            }
        };
        let agent = self
            .agents
            .iter()
            .find(|agent| agent.id == dispatch.agent)?;
        self.expect(address, &object, agent, original)
    }

    /// Returns `true` if the settings choose a kernel.
    pub(crate) fn selects(&self, original: &Original) -> bool {
        let selection = &self.config.selection;
        self.instrumenter.builds()
            && selection.kernel(&original.name, &demangle::readable(&original.name))
    }

    /// A kernel that may be launched; `None` if its object has been unloaded.
    pub(crate) fn expect(
        &self,
        address: u64,
        object: &Arc<Object>,
        agent: &Arc<Agent>,
        original: Original,
    ) -> Option<Arc<Kernel>> {
        // Held until the kernel is known, so that unloading finds it.
        let objects = read(&self.objects);
        objects
            .find(address)
            .filter(|known| Arc::ptr_eq(known, object))?;
        let selected = self.selects(&original);
        let mut kernels = write(&self.kernels);
        let kernel = kernels.entry(address).or_insert_with(|| {
            let (object, agent) = (Arc::clone(object), Arc::clone(agent));
            Arc::new(Kernel::new(address, object, agent, original, selected))
        });
        Some(Arc::clone(kernel))
    }

    /// Starts the thread that empties rings, if there are any.
    pub(crate) fn consume(&self) {
        let live = self.config.live.as_deref();
        if !self.streams.consume(&self.device, &self.instrumenter, live) {
            self.note("no thread for records can be started; most of them will be dropped".into());
        }
    }

    /// The lines of a kernel and of its variants so far. If there is only one line, its name does not contain a variant.
    fn lines(&self, kernel: &Arc<Kernel>) -> Vec<summary::KernelLine> {
        let variants = kernel.variants();
        let lines = variants.iter().filter_map(|variant| self.line(variant));
        let mut lines: Vec<_> = lines.collect();
        if let [line] = &mut lines[..] {
            line.name.clone_from(&kernel.pretty);
        }
        lines
    }

    /// The line of a kernel, or of one of its variants, so far.
    fn line(&self, kernel: &Arc<Kernel>) -> Option<summary::KernelLine> {
        let left = match kernel.outcome() {
            Some(Outcome::Ready(ready)) => ready.report.left.as_deref(),
            _ => None,
        };
        let has_left = left
            .filter(|_| kernel.instrumented.load(Ordering::Relaxed) != 0)
            .is_some_and(|name| self.globals.is_set(&*self.device, kernel.agent.id, name));
        summary::KernelLine::new(kernel, self.config.keep_objects, has_left)
    }

    /// Something the user should know, shown with the summary.
    pub fn note(&self, text: String) {
        let mut notes = lock(&self.notes);
        if notes.len() < NOTES && !notes.contains(&text) {
            notes.push(text);
        }
    }

    /// The summary of the session so far.
    pub fn summary(&self) -> Summary {
        let mut lines = lock(&self.gone).clone();
        let kernels: Vec<Arc<Kernel>> = read(&self.kernels).values().cloned().collect();
        lines.extend(kernels.iter().flat_map(|kernel| self.lines(kernel)));
        let mut kernels = summary::merged(lines);
        let of_launches = match self.instrumenter.builds() {
            true => self.seen.complaint(&self.config.selection, &kernels),
            false => None,
        };
        let of_places = vain::places(&self.config.places, &kernels);
        let workgroup = self.config.workgroup;
        let of_workgroup = workgroup.and_then(|number| self.met.complaint(number));
        if of_places.is_some() {
            vain::without_places(&mut kernels);
        }
        Summary {
            tool: self.instrumenter.name(),
            process: std::process::id(),
            session: self.config.session,
            agents: self.agents.iter().map(|agent| (**agent).clone()).collect(),
            launches: self.launches.load(Ordering::Relaxed),
            unknown_launches: self.unknown.load(Ordering::Relaxed),
            variants_loaded: self.loads.load(Ordering::Relaxed),
            variants_unloaded: self.unloads.load(Ordering::Relaxed),
            seconds: Duration::as_secs_f64(&self.began.elapsed()),
            kernels,
            records: self.streams.lines(),
            warnings: [of_launches, of_places, of_workgroup]
                .into_iter()
                .flatten()
                .collect(),
            notes: lock(&self.notes).clone(),
        }
    }

    /// Code objects whose kernels were launched, by SHA-256 in hexadecimal digits; none unless [`Config::keep_objects`].
    pub fn launched_objects(&self) -> BTreeMap<String, Arc<[u8]>> {
        let mut objects = lock(&self.gone_objects).clone();
        self.keep_objects(&mut objects, read(&self.kernels).values());
        objects
    }

    fn keep_objects<'k>(
        &self,
        objects: &mut BTreeMap<String, Arc<[u8]>>,
        kernels: impl Iterator<Item = &'k Arc<Kernel>>,
    ) {
        let launched = |kernel: &Arc<Kernel>| {
            let mut variants = Kernel::variants(kernel).into_iter();
            variants.any(|variant| variant.launches.load(Ordering::Relaxed) != 0)
        };
        for kernel in kernels.filter(|kernel| self.config.keep_objects && launched(kernel)) {
            let object = &kernel.object;
            let bytes = || Arc::clone(&object.loaded.bytes);
            objects.entry(object.hex()).or_insert_with(bytes);
        }
    }

    /// Ends the session, once: later launches run originals. Returns the summary and what the tool has to say.
    pub fn finish(&self) -> Option<(Summary, String)> {
        if self.finished.swap(true, Ordering::AcqRel) {
            return None;
        }
        let agents: Vec<Agent> = self.agents.iter().map(|agent| (**agent).clone()).collect();
        let limit = self.config.tool_limit;
        self.streams
            .finish(limit, &*self.device, &*self.instrumenter);
        let text = self.instrumenter.finish(&Final {
            globals: &self.globals,
            device: &*self.device,
            agents: &agents,
            kernels: &self.summary().kernels,
            seen: Default::default(),
        });
        Some((self.summary(), text))
    }
}
