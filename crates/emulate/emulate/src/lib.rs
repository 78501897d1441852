//! Dispatches kernels of a code object on the emulated device without any ROCm library.
//!
//! Entry type: [`Device`]: load a code object, allocate buffers, launch a kernel, read the buffers back. Works for every
//! target whose instructions the wave engine knows, also those that the installed ROCr does not.
#![forbid(unsafe_code)]

mod arguments;
mod error;
mod image;
mod replay;

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use aql::KernelDispatchPacket;
pub use arguments::Argument;
use codeobj::{CodeObject, KernelDescriptor, SourceLines};
pub use compute::{
    Access, Gate, HostCode, Next, Observer, Order, Race, Side, Watcher, Watchers, imitate,
};
pub use error::{Error, Result};
pub use gpu::{Counts, Dispatch, Fill, Memory, executor::InstructionCount};
use gpu::{Events, Executor, Job, dispatch, dispatch::DispatchError};
pub use replay::recorded_packet;
pub use wave::{Measured, Wave};

/// Node number of the one device.
const NODE: u32 = 1;

/// Reads device memory from an address on.
pub type MemoryReader = Box<dyn Fn(u64, &mut [u8]) -> bool + Send + Sync>;

/// How a kernel is launched.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Workgroups per dimension.
    pub grid: [u32; 3],
    /// Work-items per workgroup and dimension.
    pub block: [u32; 3],
    /// LDS bytes beyond the kernel's own.
    pub dynamic_lds: u32,
}

impl Shape {
    /// Work-items per dimension, for which packets have 32 bits.
    fn work_items(&self) -> Result<[u32; 3]> {
        let mut grid = [0; 3];
        for (dimension, size) in grid.iter_mut().enumerate() {
            let (groups, work_items) = (self.grid[dimension], self.block[dimension]);
            *size = groups
                .checked_mul(work_items)
                .ok_or(Error::Grid { groups, work_items })?;
        }
        Ok(grid)
    }
}

/// Bytes that segments of arguments are multiples of.
const KERNARG_UNIT: u64 = 64;

/// Bytes of a kernel descriptor.
const DESCRIPTOR: usize = 64;

/// The place of the two segment sizes in a dispatch packet.
const PACKET_SIZES: u64 = 24;

/// Scratch slots of the smallest launch: recursion may go deeper than the compiler said, and small launches have room behind
/// theirs on hardware, too.
const LEAST_SLOTS: u64 = 64;

/// Bytes of scratch per lane for a kernel that recurses, or that calls functions which the compiler cannot see. Its descriptor counts none
/// of these frames, and the launch says how many bytes there may be (AMDGPU usage of LLVM, `.uses_dynamic_stack`). The number is HIP's
/// default of `hipLimitStackSize`.
const DYNAMIC_STACK: u32 = 1 << 10;

/// Most bytes of scratch for one launch: a descriptor may ask for any number per lane, and believing it has taken 22 GB. Launches have
/// as many waves at a time as fit.
const MOST_SCRATCH: u64 = 2 << 30;
/// How long waves are watched when a kernel does not end.
const WATCHED: Duration = Duration::from_millis(200);
/// How often who waits for a launch is asked whether it is to go on.
pub const STEP: Duration = Duration::from_millis(50);
/// Places told of a kernel that does not end.
const MOST_PLACES: usize = 4;

/// A launch with all that it needs in device memory, to be run any number of times.
#[derive(Clone, Debug)]
pub struct Prepared {
    kernel: String,
    packet: KernelDispatchPacket,
    origin: dispatch::Origin,
    scratch: Option<Scratch>,
    /// Counters of the device-wide barriers at the start.
    barriers: Vec<u32>,
    counted: bool,
}

impl Prepared {
    /// The packet that the device gets.
    pub fn packet(&self) -> KernelDispatchPacket {
        self.packet
    }

    /// From now on [`Counts::instructions`] are told, too. Their addresses are the device's: [`Device::base`] is that of the code
    /// object's address 0.
    pub fn count_instructions(&mut self) {
        self.counted = true;
    }
}

/// The limit and the caller's function that may end a launch early.
struct Watch<'a> {
    limit: Option<Duration>,
    go_on: &'a mut dyn FnMut() -> bool,
}

/// Memory for scratch.
#[derive(Clone, Copy, Debug)]
struct Scratch {
    base: u64,
    slots: u32,
    wave_bytes: u32,
}

/// A device with one code object loaded.
pub struct Device<'a> {
    object: CodeObject<'a>,
    memory: Arc<Memory>,
    pool: compute::Pool,
    /// The address of the code object's address 0.
    base: u64,
}

impl<'a> Device<'a> {
    /// Loads `object` into a fresh device that runs on `threads` host threads.
    pub fn new(object: CodeObject<'a>, threads: usize) -> Result<Device<'a>> {
        let memory = Arc::new(Memory::new(BTreeMap::new()));
        let pool = compute::Pool::new(memory.clone(), Arc::new(Events::default()), threads);
        Device::with(object, memory, pool)
    }

    /// A device with one thread and an observer.
    pub fn observed(object: CodeObject<'a>, observer: Arc<dyn Observer>) -> Result<Device<'a>> {
        let memory = Arc::new(Memory::new(BTreeMap::new()));
        let events = Arc::new(Events::default());
        let pool = compute::Pool::observed(memory.clone(), events, observer);
        Device::with(object, memory, pool)
    }

    /// [`Device::observed`], by an observer that is made for the device's memory.
    pub fn observed_by(
        object: CodeObject<'a>,
        observer: impl FnOnce(&Arc<Memory>) -> Arc<dyn Observer>,
    ) -> Result<Device<'a>> {
        let memory = Arc::new(Memory::new(BTreeMap::new()));
        let observer = observer(&memory);
        let pool = compute::Pool::observed(memory.clone(), Arc::new(Events::default()), observer);
        Device::with(object, memory, pool)
    }

    /// A device whose threads tell watchers, which are made for the device's memory, what waves have executed.
    pub fn watched(
        object: CodeObject<'a>,
        threads: usize,
        watchers: impl FnOnce(&Arc<Memory>) -> Arc<dyn Watchers>,
    ) -> Result<Device<'a>> {
        let memory = Arc::new(Memory::new(BTreeMap::new()));
        let watchers = watchers(&memory);
        let events = Arc::new(Events::default());
        let pool = compute::Pool::watched(memory.clone(), events, threads, false, watchers);
        Device::with(object, memory, pool)
    }

    fn with(
        object: CodeObject<'a>,
        memory: Arc<Memory>,
        pool: compute::Pool,
    ) -> Result<Device<'a>> {
        check_target(&object)?;
        let base = image::load(&object, &memory)?;
        Ok(Device {
            object,
            memory,
            pool,
            base,
        })
    }

    /// From now on, the gate is told of barriers at which not all lanes of a workgroup meet, and a kernel whose waves wait for each
    /// other ends. Said once.
    pub fn look_at_barriers(&self, gate: Arc<dyn Gate>) {
        self.pool.look_at_barriers(gate);
    }

    /// From now on, `order` is told of accesses to LDS by different waves that nothing puts in order. Said once.
    pub fn look_for_races(&self, order: Arc<dyn Order>) {
        self.pool.look_for_races(order);
    }

    /// From now on, runs of at least `least` lane-wise instructions are host code. The error says why the host does not allow that. Said once.
    pub fn translate(
        &self,
        wanted: compute::HostCode,
    ) -> std::result::Result<(), compute::NoHostCode> {
        self.pool.translate(wanted)
    }

    /// The same as the user says in `LUTHIER_NATIVE`. The error is for the user.
    pub fn translate_as_wished(&self) -> std::result::Result<(), String> {
        self.pool.translate_as_wished()
    }

    /// From now on, `follower` follows what instructions do. Said once, before the first launch.
    pub fn follow(&self, follower: Arc<dyn compute::Follower>) {
        self.pool.follow(follower);
    }

    /// Loads a further code object; returns where its address 0 lies.
    pub fn add(&self, object: &CodeObject<'_>) -> Result<u64> {
        image::load(object, &self.memory)
    }

    /// Gives back a buffer that [`Device::buffer`] made. No launch may run that uses it.
    pub fn free(&self, address: u64) -> Result<()> {
        let freed = self.memory.free(address);
        freed.map_err(|_| Error::NotMapped { address })
    }

    /// Gives back what [`Device::prepare`] put into device memory.
    pub fn release(&self, prepared: Prepared) -> Result<()> {
        let scratch = prepared.scratch.map(|scratch| scratch.base);
        let own = [
            prepared.packet.kernarg_address,
            prepared.origin.packet_address,
        ];
        own.into_iter()
            .chain(scratch)
            .try_for_each(|address| self.free(address))
    }

    /// From now on buffers end with their last byte and LDS with what a launch asks for; accesses beyond are faults.
    pub fn be_exact(&self) {
        self.memory.be_exact();
    }

    /// From now on, waves tell of memory that kernels allocate themselves.
    pub fn keep_account(&self, allocator: Box<dyn gpu::memory::Allocator>) {
        self.memory.keep_account(allocator);
    }

    /// The address of address 0 of the device's own code object.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// From now on registers, LDS and scratch hold this until a kernel writes them, and not zeros. Said once.
    pub fn fill_with(&self, fill: Fill) {
        self.memory.fill_with(fill);
    }

    /// The first address and the size of everything that is allocated.
    pub fn allocated(&self) -> Vec<(u64, u64)> {
        let extents = self.memory.extents().into_iter();
        extents
            .map(|one| (one.start, one.end - one.start))
            .collect()
    }

    /// Allocates a buffer that starts with `contents` and is zero up to `size` bytes.
    pub fn buffer(&self, contents: &[u8], size: u64) -> Result<u64> {
        let size = size.max(contents.len() as u64).max(1);
        let address = allocate(&self.memory, size)?;
        if self.memory.is_exact() {
            // It has just been allocated with this size.
            let _ = self.memory.limit(address, size);
        }
        self.write(address, contents)?;
        Ok(address)
    }

    /// Reads device memory.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<()> {
        self.memory
            .read_bytes(address, bytes)
            .map_err(|address| Error::NotMapped { address })
    }

    /// The device's memory.
    pub fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// Reads device memory from anywhere, such as an observer: false if the memory is not mapped.
    pub fn reader(&self) -> MemoryReader {
        let memory = self.memory.clone();
        Box::new(move |address, bytes| memory.read_bytes(address, bytes).is_ok())
    }

    /// Writes device memory.
    pub fn write(&self, address: u64, bytes: &[u8]) -> Result<()> {
        self.memory
            .write_bytes(address, bytes)
            .map_err(|address| Error::NotMapped { address })
    }

    /// Address of a global variable of the code object.
    pub fn global(&self, name: &str) -> Result<u64> {
        let symbol = self.object.symbol(name).ok_or_else(|| Error::NoSymbol {
            name: name.to_owned(),
        })?;
        Ok(self.base + symbol.value)
    }

    /// Runs `kernel` to its end. `arguments` are the explicit ones, in order.
    pub fn launch(&self, kernel: &str, shape: &Shape, arguments: &[Argument]) -> Result<Counts> {
        let prepared = self.prepare(kernel, shape, arguments)?;
        let outcome = self.run(&prepared);
        self.release(prepared)?;
        outcome
    }

    /// Puts everything for a launch into device memory.
    pub fn prepare(&self, kernel: &str, shape: &Shape, arguments: &[Argument]) -> Result<Prepared> {
        let found = self.object.kernel(kernel)?;
        let metadata = self
            .object
            .metadata()?
            .and_then(|metadata| metadata.kernel(kernel));
        let kernarg = arguments::segment(kernel, metadata.as_ref(), shape, arguments)?;
        // Compilers load more than the last argument with it: up to 16 words at once. Runtimes give segments that room.
        let bytes = (kernarg.len() as u64).next_multiple_of(KERNARG_UNIT);
        let kernarg_address = self.buffer(&kernarg, bytes)?;
        let grid = shape.work_items()?;
        let packet = KernelDispatchPacket {
            setup: 3,
            workgroup_size: shape.block.map(|size| size.min(u32::from(u16::MAX)) as u16),
            grid_size: grid,
            private_segment_size: stack_size(&found.descriptor),
            group_segment_size: found
                .descriptor
                .group_segment_size()
                .saturating_add(shape.dynamic_lds),
            kernel_object: self.base + found.descriptor_address,
            kernarg_address,
            ..Default::default()
        };
        let origin = dispatch::Origin {
            node: NODE,
            packet_address: self.buffer(&packet.to_bytes(), 64)?,
            ..Default::default()
        };
        let mut prepared = Prepared {
            kernel: kernel.to_owned(),
            packet,
            origin,
            scratch: None,
            barriers: Vec::new(),
            counted: false,
        };
        let dispatch = self.dispatch(&prepared, prepared.packet, found.descriptor.bytes())?;
        prepared.scratch = self.scratch(&dispatch)?;
        Ok(prepared)
    }

    /// Gives every lane of a launch so many bytes of private memory more: with as much for each, two kernels find theirs at the
    /// same addresses.
    pub fn grow_scratch(&self, prepared: &mut Prepared, bytes: u32) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        let asked = prepared.packet.private_segment_size.next_multiple_of(4);
        prepared.packet.private_segment_size = asked.saturating_add(bytes);
        let own = self.object.kernel(&prepared.kernel)?;
        let dispatch = self.dispatch(prepared, prepared.packet, own.descriptor.bytes())?;
        prepared.scratch = self.scratch(&dispatch)?;
        Ok(())
    }

    /// Fills a launch's private memory with zeros, which the hardware does not: for who compares launches.
    pub fn clear_scratch(&self, prepared: &Prepared) -> Result<()> {
        let Some(scratch) = prepared.scratch else {
            return Ok(());
        };
        let zeros = vec![0; scratch.wave_bytes as usize];
        (0..scratch.slots).try_for_each(|slot| {
            let at = u64::from(slot) * u64::from(scratch.wave_bytes);
            self.write(scratch.base + at, &zeros)
        })
    }

    /// Runs a launch to its end.
    pub fn run(&self, prepared: &Prepared) -> Result<Counts> {
        let found = self.object.kernel(&prepared.kernel)?;
        self.execute(prepared, prepared.packet, found.descriptor.bytes(), None)
    }

    /// [`Device::run`], stopped after `limit` like [`Device::run_within`], or with [`Error::Stopped`] when `go_on`, which is asked
    /// every [`STEP`], says no.
    pub fn run_while(
        &self,
        prepared: &Prepared,
        limit: Option<Duration>,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Counts> {
        let found = self.object.kernel(&prepared.kernel)?;
        let watch = Watch { limit, go_on };
        self.execute(
            prepared,
            prepared.packet,
            found.descriptor.bytes(),
            Some(watch),
        )
    }

    /// [`Device::run`], stopped after `limit`: [`Error::Endless`] says where its waves were.
    pub fn run_within(&self, prepared: &Prepared, limit: Duration) -> Result<Counts> {
        let found = self.object.kernel(&prepared.kernel)?;
        let watch = Watch {
            limit: Some(limit),
            go_on: &mut || true,
        };
        self.execute(
            prepared,
            prepared.packet,
            found.descriptor.bytes(),
            Some(watch),
        )
    }

    /// Runs a launch with the code that another object, loaded at `base`, has for the kernel.
    pub fn run_other(
        &self,
        prepared: &Prepared,
        object: &CodeObject<'_>,
        base: u64,
    ) -> Result<Counts> {
        let own = self.object.kernel(&prepared.kernel)?;
        let other = object.kernel(&prepared.kernel)?;
        let dynamic_lds = prepared
            .packet
            .group_segment_size
            .saturating_sub(own.descriptor.group_segment_size());
        let packet = KernelDispatchPacket {
            private_segment_size: other
                .descriptor
                .private_segment_size()
                .max(prepared.packet.private_segment_size),
            group_segment_size: other
                .descriptor
                .group_segment_size()
                .saturating_add(dynamic_lds),
            kernel_object: base + other.descriptor_address,
            ..prepared.packet
        };
        // Kernels may read their sizes there.
        let sizes = [packet.private_segment_size, packet.group_segment_size];
        let at = prepared.origin.packet_address + PACKET_SIZES;
        let mut own = [0; 8];
        self.read(at, &mut own)?;
        self.write(at, sizes.map(u32::to_le_bytes).as_flattened())?;
        let outcome = self.execute(prepared, packet, other.descriptor.bytes(), None);
        self.write(at, &own)?;
        outcome
    }

    /// Runs a launch with another packet, such as one that names a kernel of an object that was [`Device::add`]ed. Like
    /// [`Device::run_while`].
    pub fn run_packet(
        &self,
        prepared: &Prepared,
        packet: KernelDispatchPacket,
        limit: Option<Duration>,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Counts> {
        let mut descriptor = [0; DESCRIPTOR];
        self.read(packet.kernel_object, &mut descriptor)?;
        // Kernels may read it.
        self.write(prepared.origin.packet_address, &packet.to_bytes())?;
        let watch = Watch { limit, go_on };
        self.execute(prepared, packet, &descriptor, Some(watch))
    }

    fn dispatch(
        &self,
        prepared: &Prepared,
        packet: KernelDispatchPacket,
        descriptor: &[u8; DESCRIPTOR],
    ) -> Result<Dispatch> {
        let descriptor = dispatch::Descriptor::parse(descriptor);
        let target = self.object.target().target;
        let mut dispatch = Dispatch::prepare(target, prepared.origin, packet, descriptor)?;
        dispatch.name = Some(prepared.kernel.clone());
        dispatch.exact = self.memory.is_exact();
        dispatch.counted = prepared.counted;
        Ok(dispatch)
    }

    /// Scratch memory for a dispatch, if it needs some.
    fn scratch(&self, dispatch: &Dispatch) -> Result<Option<Scratch>> {
        let wave_bytes = dispatch.scratch.wave_bytes;
        if wave_bytes == 0 {
            return Ok(None);
        }
        // No workgroup has more waves than the first.
        let waves = dispatch.workgroup_count() * u64::from(dispatch.waves([0; 3]));
        let resident = u64::from(self.pool.resident_waves());
        let fitting = MOST_SCRATCH / u64::from(wave_bytes);
        let workgroup = u64::from(dispatch.waves([0; 3]));
        if fitting < workgroup {
            return Err(Error::Memory {
                size: workgroup * u64::from(wave_bytes),
                reason: format!(
                    "{} asks for {wave_bytes} bytes of scratch per wave, and a workgroup of {workgroup} waves may have {MOST_SCRATCH}",
                    dispatch.label()
                ),
            });
        }
        let slots = waves.max(LEAST_SLOTS).min(resident).min(fitting) as u32;
        let base = allocate(&self.memory, u64::from(slots) * u64::from(wave_bytes))?;
        Ok(Some(Scratch {
            base,
            slots,
            wave_bytes,
        }))
    }

    fn execute(
        &self,
        prepared: &Prepared,
        packet: KernelDispatchPacket,
        descriptor: &[u8; DESCRIPTOR],
        watch: Option<Watch<'_>>,
    ) -> Result<Counts> {
        let mut dispatch = self.dispatch(prepared, packet, descriptor)?;
        let scratch = match prepared.scratch {
            Some(scratch) if scratch.wave_bytes >= dispatch.scratch.wave_bytes => Some(scratch),
            _ => self.scratch(&dispatch)?,
        };
        if let Some(scratch) = scratch {
            dispatch.scratch.slots = scratch.slots;
            dispatch.scratch.base = scratch.base;
        }
        let node = dispatch.origin.node;
        self.pool.set_barriers(node, &prepared.barriers);
        let (sender, receiver) = mpsc::channel();
        let finish = Box::new(move |outcome| {
            // The receiver waits below until it has the outcome.
            let _ = sender.send(outcome);
        });
        let dispatch = Arc::new(dispatch);
        let cancelled = Arc::new(AtomicBool::new(false));
        self.pool
            .submit(Job::new(dispatch.clone(), cancelled.clone(), finish));
        let cancel = || {
            cancelled.store(true, Ordering::Relaxed);
            let _ = receiver.recv();
        };
        let kernel = || prepared.kernel.clone();
        let answer = match watch {
            None => receiver.recv().ok(),
            Some(Watch { limit, go_on }) => {
                let began = Instant::now();
                loop {
                    let left = limit.map(|limit| limit.saturating_sub(began.elapsed()));
                    match receiver.recv_timeout(left.map_or(STEP, |left| left.min(STEP))) {
                        Err(mpsc::RecvTimeoutError::Timeout) => {}
                        answer => break answer.ok(),
                    }
                    if let Some(limit) = limit.filter(|limit| began.elapsed() >= *limit) {
                        let places = self.places();
                        cancel();
                        return Err(Error::Endless {
                            kernel: kernel(),
                            seconds: limit.as_secs_f64(),
                            places,
                        });
                    }
                    if !go_on() {
                        cancel();
                        return Err(Error::Stopped { kernel: kernel() });
                    }
                }
            }
        };
        match answer {
            Some(Ok(counts)) => Ok(counts),
            Some(Err(fault)) => {
                let source = self.source(fault.pc);
                Err(Error::Fault {
                    text: fault.text(&dispatch, &self.memory, source.as_deref()),
                })
            }
            None => Err(Error::Lost { kernel: kernel() }),
        }
    }

    /// Where the waves of the kernel that runs are, the most frequent first.
    fn places(&self) -> String {
        let running = self.pool.running(WATCHED).into_iter();
        let all: BTreeMap<u64, u64> = running.flat_map(|running| running.places).collect();
        let mut all: Vec<_> = all.into_iter().collect();
        all.sort_by_key(|(_, waves)| std::cmp::Reverse(*waves));
        let sum: u64 = all.iter().map(|(_, waves)| waves).sum();
        let place = |(pc, waves): &(u64, u64)| {
            let source = self.source(*pc).map(|source| format!(", {source}"));
            let (share, offset) = (100 * waves / sum.max(1), pc.wrapping_sub(self.base));
            let source = source.unwrap_or_default();
            format!("\n  {share} % of its waves seen at {offset:#x} of the code object{source}")
        };
        all.iter().take(MOST_PLACES).map(place).collect()
    }

    /// Where the instruction at `pc` comes from, if the code object has line tables.
    fn source(&self, pc: u64) -> Option<String> {
        let lines = SourceLines::read(&self.object).ok()??;
        lines.describe(pc.checked_sub(self.base)?)
    }
}

pub(crate) fn allocate(memory: &Memory, size: u64) -> Result<u64> {
    let request = gpu::memory::Request {
        node: NODE,
        size,
        flags: 0,
        writable: true,
        device_local: false,
        remote: false,
    };
    memory.allocate(request).map_err(|error| Error::Memory {
        size,
        reason: error.to_string(),
    })
}

/// Refuses an object whose target's instructions are decoded, but not all of them executed.
pub fn check_target(object: &CodeObject<'_>) -> Result<()> {
    let target = object.target().target;
    match dispatch::executes(target) {
        true => Ok(()),
        false => Err(DispatchError::NotExecuted {
            target: target.name,
        }
        .into()),
    }
}

/// Bytes of scratch that [`Device::prepare`] gives each lane of a kernel: its own frame, or room for many.
pub fn stack_size(descriptor: &KernelDescriptor) -> u32 {
    let fixed = descriptor.private_segment_size();
    match descriptor.get("uses_dynamic_stack") {
        Some(1) => fixed.max(DYNAMIC_STACK),
        _ => fixed,
    }
}
