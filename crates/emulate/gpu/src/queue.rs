//! AQL queues: a ring of 64-byte packets, processed in order.
//!
//! A queue never blocks a thread. [`AqlQueue::pump`] does what can be done now and returns. The polling thread calls it, and so does the
//! thread that finishes the queue's running kernel. In-order processing satisfies barrier bits. Device memory is host memory, so fences
//! need no work beyond the acquire and release accesses made here.

use std::{
    mem::offset_of,
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicBool, AtomicU16, AtomicU32, AtomicU64, Ordering},
    },
};

use aql::{HEADER_BARRIER, KernelDispatchPacket, amd_format, packet_type};
use gfx::{Family, Target};

use crate::{
    blit::{self, Blit},
    clock,
    dispatch::{DESCRIPTOR_SIZE, Descriptor, Dispatch, DispatchError, Origin, Scratch},
    events::MemoryFault,
    executor::{Job, Outcome, Record},
    fault::{Fault, FaultKind},
    guard::guarded,
    machine::Shared,
    memory::{View, host_address},
    order::{Orders, Published, Waited},
    pm4,
    processor::Engine,
    signals::Signal,
};

/// Values of a queue's inactive signal for faults of running kernels.
#[rustfmt::skip]
pub(crate) mod queue_error {
    pub const APERTURE_VIOLATION:  i64 = 0x2000_0000;
    pub const ILLEGAL_INSTRUCTION: i64 = 0x4000_0000;
    pub const EXCEPTION:           i64 = 0x8000_0000;
}

/// The kernel in flight.
struct Running {
    dispatch: Arc<Dispatch>,
    start: u64,
}

#[derive(Default)]
struct State {
    running: Option<Running>,
    scratch: Scratch,
    /// Dwords of the current packet's buffer of commands that are done.
    commands_done: u64,
}

/// The outcome of looking at one packet.
enum Step {
    /// The packet is done; `signal` is its completion signal.
    Retire { signal: u64 },
    /// A kernel now runs.
    Started,
    /// Nothing to do yet.
    Wait,
    /// The queue has failed.
    Failed,
}

pub(crate) struct AqlQueue {
    pub id: u64,
    pub node: u32,
    pub target: &'static Target,
    pub ring: u64,
    /// Packets, a power of two.
    pub size: u64,
    /// Where the runtime keeps how many packets it has written, and the device how many it has done.
    write_pointer: u64,
    read_pointer: u64,
    /// Address of the `amd_queue_t` around them, if there is one: it has scratch memory and a signal for errors.
    structure: Option<u64>,
    /// Address of the area for saved waves, whose head says where the runtime wants to be told of exceptions; 0: nowhere.
    pub save_area: u64,
    pub shared: Arc<Shared>,
    pub this: Weak<AqlQueue>,
    /// Calls of `pump` that have not been served yet. The thread that raises it from 0 does the work.
    turn: AtomicU32,
    state: Mutex<State>,
    finished: Mutex<Option<Outcome>>,
    /// Failed, suspended or destroyed.
    stopped: AtomicBool,
    /// Nothing is processed, and the running kernel stands still.
    suspended: Arc<AtomicBool>,
    /// Tells the running kernel to stop.
    cancelled: Arc<AtomicBool>,
    /// The only compute units that may run the queue's kernels; None: all of them.
    units: Mutex<Option<Arc<[u32]>>>,
}

impl Engine for AqlQueue {
    fn pump(&self) -> bool {
        if self.turn.fetch_add(1, Ordering::AcqRel) != 0 {
            return false;
        }
        let mut progress = false;
        let mut honoured = 1;
        loop {
            progress |= self.advance();
            match self
                .turn
                .compare_exchange(honoured, 0, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return progress,
                Err(now) => honoured = now,
            }
        }
    }
}

impl Published for AqlQueue {
    fn published(&self) -> u64 {
        self.written().load(Ordering::Acquire)
    }
}

impl AqlQueue {
    pub fn new(
        id: u64,
        node: u32,
        target: &'static Target,
        (ring, size): (u64, u64),
        (write_pointer, read_pointer, structure): (u64, u64, Option<u64>),
        save_area: u64,
        shared: Arc<Shared>,
    ) -> Arc<AqlQueue> {
        Arc::new_cyclic(|this| AqlQueue {
            id,
            node,
            target,
            ring,
            size,
            write_pointer,
            read_pointer,
            structure,
            save_area,
            shared,
            this: this.clone(),
            turn: AtomicU32::new(0),
            state: Mutex::default(),
            finished: Mutex::default(),
            stopped: AtomicBool::new(false),
            suspended: Arc::default(),
            cancelled: Arc::default(),
            units: Mutex::default(),
        })
    }

    /// Stops or continues processing. When this returns, a running kernel stands still.
    pub fn suspend(&self, suspended: bool) {
        self.suspended.store(suspended, Ordering::SeqCst);
        if suspended {
            // A thread that has not seen it yet may be about to start a kernel.
            drop(self.state.lock());
            self.shared.executor.settle(self.id);
        } else {
            self.shared.executor.resume();
        }
    }

    /// Restricts the kernels that are started from now on to these compute units.
    pub fn set_units(&self, units: Option<Arc<[u32]>>) {
        if let Ok(mut current) = self.units.lock() {
            *current = units;
        }
    }

    /// Stops for good. The running kernel, if any, is told to stop; see [`AqlQueue::is_idle`].
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.cancelled.store(true, Ordering::SeqCst);
        self.shared.executor.resume();
    }

    pub fn has_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// No kernel is in flight, and no thread is inside `pump`.
    pub fn is_idle(&self) -> bool {
        self.turn.load(Ordering::Acquire) == 0
            && self.state.lock().is_ok_and(|state| state.running.is_none())
    }

    /// The scratch arena, to be freed with the queue.
    pub fn scratch_base(&self) -> Option<u64> {
        self.state
            .lock()
            .ok()
            .map(|state| state.scratch.base)
            .filter(|base| *base != 0)
    }

    /// Memory as the queue's device sees it.
    fn view(&self) -> View<'_> {
        self.shared.memory.seen_by(self.node)
    }

    /// How many packets the device has done.
    fn done(&self) -> &AtomicU64 {
        // SAFETY: the machine checked that both positions lie in device memory and are aligned; the runtime destroys the queue
        // before it frees them; both sides access them atomically.
        unsafe { AtomicU64::from_ptr(self.read_pointer as *mut u64) }
    }

    /// How many packets the runtime has written.
    fn written(&self) -> &AtomicU64 {
        // SAFETY: as in `done`.
        unsafe { AtomicU64::from_ptr(self.write_pointer as *mut u64) }
    }

    /// Processes packets until none is ready. Only ever run by one thread at a time (see `turn`).
    fn advance(&self) -> bool {
        let Ok(mut state) = self.state.lock() else {
            return false;
        };
        let mut progress = false;
        loop {
            let outcome = self
                .finished
                .lock()
                .ok()
                .and_then(|mut finished| finished.take());
            if let Some(outcome) = outcome {
                self.conclude(&mut state, outcome);
                progress = true;
            }
            if state.running.is_some()
                || self.stopped.load(Ordering::SeqCst)
                || self.suspended.load(Ordering::SeqCst)
            {
                return progress;
            }
            let read = self.done().load(Ordering::Relaxed);
            let write = self.written().load(Ordering::Acquire);
            if read >= write {
                return progress;
            }
            match self.step(&mut state, read) {
                Step::Retire { signal } => self.retire(read, signal, None),
                Step::Started => {}
                Step::Wait => return progress,
                Step::Failed => self.stopped.store(true, Ordering::SeqCst),
            }
            progress = true;
        }
    }

    fn packet_address(&self, index: u64) -> u64 {
        self.ring + (index & (self.size - 1)) * 64
    }

    fn step(&self, state: &mut State, index: u64) -> Step {
        let address = self.packet_address(index);
        // SAFETY: inside the ring, which was checked when the queue was made; the host publishes a packet by storing its first
        // dword with release order.
        let header = unsafe { AtomicU32::from_ptr(address as *mut u32) }.load(Ordering::Acquire);
        match header as u8 {
            packet_type::INVALID => Step::Wait,
            packet_type::KERNEL_DISPATCH => self.start(state, index, self.packet(address)),
            packet_type::BARRIER_AND => self.barrier(index, self.packet(address), true),
            packet_type::BARRIER_OR => self.barrier(index, self.packet(address), false),
            packet_type::VENDOR_SPECIFIC if (header >> 16) as u8 == amd_format::PM4_IB => {
                self.commands(state, index, self.packet(address))
            }
            packet_type::VENDOR_SPECIFIC if (header >> 16) as u8 == amd_format::BARRIER_VALUE => {
                self.barrier_value(index, self.packet(address))
            }
            other => self.refuse(&DispatchError::BadPacket { packet_type: other }),
        }
    }

    /// Copies a published packet.
    fn packet<T: Copy>(&self, address: u64) -> T {
        const { assert!(size_of::<T>() == 64) };
        // SAFETY: inside the ring; `T` is one of the 64-byte packet structs, for which any bits are valid.
        unsafe { (address as *const T).read_volatile() }
    }

    /// Does the commands in a buffer, as far as none waits.
    fn commands(&self, state: &mut State, index: u64, packet: pm4::BufferPacket) -> Step {
        let Some((address, dwords)) = packet.buffer() else {
            let what = "a packet without an indirect buffer";
            return self.refuse(&DispatchError::BadCommand { what, command: 0 });
        };
        while state.commands_done < dwords {
            let commands = pm4::Commands {
                shared: &self.shared,
                node: self.node,
                address: address + state.commands_done * 4,
                dwords: dwords - state.commands_done,
                ring: None,
            };
            let step = guarded(&mut (), |_| commands.step());
            let step = step.unwrap_or_else(|fault| pm4::Step::Fault {
                address: fault.address,
                write: fault.write,
            });
            match step {
                pm4::Step::Done(dwords) => state.commands_done += dwords,
                pm4::Step::Interrupt { done, event } => {
                    state.commands_done += done;
                    // The event may have gone meanwhile; then no thread waits for it.
                    let _ = self.shared.events.set(event);
                }
                pm4::Step::Blocked => return Step::Wait,
                pm4::Step::Buffer { .. }
                | pm4::Step::Registers { .. }
                | pm4::Step::Dispatch { .. } => {
                    let what = "a command that AQL queues have packets for";
                    let command = commands.header();
                    return self.refuse(&DispatchError::BadCommand { what, command });
                }
                pm4::Step::Unknown(what) => {
                    let command = commands.header();
                    return self.refuse(&DispatchError::BadCommand { what, command });
                }
                pm4::Step::Fault { address, write } => {
                    let access = if write { "write to" } else { "read of" };
                    self.shared.observer.report(&format!(
                        "luthier: a command on queue {} is refused: {access} {address:#x}, {}",
                        self.id,
                        self.view().describe(address)
                    ));
                    let read_only = write && self.view().is_read_only(address);
                    self.memory_fault(address, read_only, queue_error::APERTURE_VIOLATION);
                    return Step::Failed;
                }
            }
        }
        state.commands_done = 0;
        self.pass(index, Waited::Unknown, packet.completion_signal)
    }

    /// The order of launches, if someone wants to know it.
    fn orders(&self) -> Option<&Orders> {
        self.shared.orders.as_ref()
    }

    /// The packet's barrier bit is set: all packets before it must have ended.
    fn has_barrier_bit(&self, index: u64) -> bool {
        // SAFETY: inside the ring; the host does not touch a packet until it is done.
        let header = unsafe { AtomicU16::from_ptr(self.packet_address(index) as *mut u16) };
        header.load(Ordering::Relaxed) & HEADER_BARRIER != 0
    }

    /// A packet that is no kernel has done its waiting.
    fn pass(&self, index: u64, waited: Waited<'_>, signal: u64) -> Step {
        if let Some(orders) = self.orders() {
            let packet = (self.id, index, self.has_barrier_bit(index));
            orders.passes(packet, waited, (signal, self.value(signal)));
        }
        Step::Retire { signal }
    }

    /// The value of a signal that is to be completed; 0 if there is none.
    fn value(&self, signal: u64) -> i64 {
        Signal::new(signal, &self.shared.memory).map_or(0, |signal| signal.value())
    }

    fn barrier(&self, index: u64, packet: aql::BarrierPacket, all: bool) -> Step {
        let mut dependencies = Vec::new();
        for handle in packet.dep_signal.into_iter().filter(|handle| *handle != 0) {
            match self.signal("a dependency", handle) {
                Ok(signal) => dependencies.push((handle, signal)),
                Err(step) => return step,
            }
        }
        if let Err(step) = self.completion(packet.completion_signal) {
            return step;
        }
        let (reached, others): (Vec<_>, Vec<_>) = dependencies
            .into_iter()
            .partition(|(_, signal)| signal.value() == 0);
        let satisfied = others.is_empty() || !all && !reached.is_empty();
        if satisfied {
            let reached: Vec<u64> = reached.into_iter().map(|(handle, _)| handle).collect();
            self.pass(index, Waited::Signals(&reached), packet.completion_signal)
        } else {
            for (handle, _) in others {
                if let Some(orders) = self.orders() {
                    orders.waits(self.id, handle);
                }
            }
            Step::Wait
        }
    }

    fn barrier_value(&self, index: u64, packet: aql::BarrierValuePacket) -> Step {
        let watched = match packet.signal {
            // There is nothing to wait for.
            0 => Ok(None),
            handle => self.signal("the signal to wait for", handle).map(Some),
        };
        let signal = match (watched, self.completion(packet.completion_signal)) {
            (Err(step), _) | (_, Err(step)) => return step,
            (Ok(None), Ok(())) => {
                return self.pass(index, Waited::Signals(&[]), packet.completion_signal);
            }
            (Ok(Some(signal)), Ok(())) => signal,
        };
        let value = signal.value() & packet.mask;
        #[rustfmt::skip]
        let satisfied = match packet.condition {
            0 => value == packet.value,
            1 => value != packet.value,
            2 => value <  packet.value,
            3 => value >= packet.value,
            condition => return self.refuse(&DispatchError::BadCondition { condition }),
        };
        if satisfied {
            self.pass(index, Waited::Unknown, packet.completion_signal)
        } else {
            Step::Wait
        }
    }

    /// A signal that a packet names. The packet processor's access to one that is not there is a memory fault, which stops the queue.
    fn signal(&self, what: &'static str, handle: u64) -> Result<Signal, Step> {
        Signal::new(handle, &self.shared.memory).ok_or_else(|| {
            let error = DispatchError::BadSignal { what, handle };
            self.shared.observer.report(&format!(
                "luthier: a packet on queue {} is refused: {error} ({})",
                self.id,
                self.view().describe(handle)
            ));
            self.memory_fault(handle, false, error.queue_error());
            Step::Failed
        })
    }

    /// Checks the signal of a packet that has one to complete.
    fn completion(&self, handle: u64) -> Result<(), Step> {
        match handle {
            0 => Ok(()),
            handle => self.signal("the completion signal", handle).map(drop),
        }
    }

    fn start(&self, state: &mut State, index: u64, packet: KernelDispatchPacket) -> Step {
        if let Err(step) = self.completion(packet.completion_signal) {
            return step;
        }
        let origin = Origin {
            node: self.node,
            queue_id: self.id,
            queue_address: self.structure.unwrap_or(0),
            packet_address: self.packet_address(index),
            dispatch_id: index,
        };
        let mut dispatch = match self.prepare(state, origin, packet) {
            Ok(dispatch) => dispatch,
            Err(error) => return self.refuse(&error),
        };
        let identity = self.shared.identify(packet.kernel_object, dispatch.entry);
        dispatch.name = identity.name;
        dispatch.order = self.orders().map(|orders| {
            let barrier = packet.header & HEADER_BARRIER != 0;
            Arc::new(orders.begins(self.id, index, barrier))
        });
        let dispatch = Arc::new(dispatch);
        let start = clock::ticks();
        if let Some(blit) = identity
            .blit
            .filter(|_| self.shared.executor.native_blits())
            && let Some(outcome) = self.blit(blit, &dispatch, packet.kernarg_address)
        {
            state.running = Some(Running { dispatch, start });
            self.conclude(state, outcome);
            return Step::Started;
        }
        state.running = Some(Running {
            dispatch: dispatch.clone(),
            start,
        });
        let this = self.this.clone();
        let finish = Box::new(move |outcome| {
            if let Some(queue) = this.upgrade() {
                if let Ok(mut finished) = queue.finished.lock() {
                    *finished = Some(outcome);
                }
                queue.pump();
                // Another queue may have waited for this one.
                queue.shared.kick();
            }
        });
        self.shared.executor.submit(
            Job::new(dispatch, self.cancelled.clone(), finish).pausing(self.suspended.clone()),
        );
        Step::Started
    }

    /// Does one of ROCr's own kernels natively.
    fn blit(&self, blit: Blit, dispatch: &Dispatch, kernarg: u64) -> Option<Outcome> {
        let memory = &self.shared.memory;
        let done = guarded(&mut (), |_| {
            blit::run(self.view(), blit, dispatch.entry, kernarg)
        });
        done.unwrap_or_else(|fault| {
            let kind = FaultKind::Memory {
                address: fault.address,
                write: fault.write,
            };
            let detail = memory.why_withdrawn(fault.address);
            Some(Err(Fault {
                detail: detail.map(str::to_owned),
                ..Fault::of_dispatch(dispatch, kind, "")
            }))
        })
    }

    fn prepare(
        &self,
        state: &mut State,
        origin: Origin,
        packet: KernelDispatchPacket,
    ) -> Result<Dispatch, DispatchError> {
        let mut bytes = [0; DESCRIPTOR_SIZE as usize];
        let bad_code = |_| DispatchError::BadCode {
            kernel_object: packet.kernel_object,
        };
        self.shared
            .memory
            .read_bytes(packet.kernel_object, &mut bytes)
            .map_err(bad_code)?;
        let mut dispatch =
            Dispatch::prepare(self.target, origin, packet, Descriptor::parse(&bytes))?;
        dispatch.exact = self.shared.memory.is_exact();
        dispatch.units = self.units.lock().ok().and_then(|units| units.clone());
        self.shared
            .memory
            .covers(dispatch.entry, 4, false)
            .map_err(bad_code)?;
        let wave_bytes = dispatch.scratch.wave_bytes;
        if let Some(scratch) = self.given_scratch(&dispatch) {
            dispatch.scratch = scratch;
            return Ok(dispatch);
        }
        if wave_bytes > state.scratch.wave_bytes {
            state.scratch = self
                .shared
                .grow_scratch(self.node, state.scratch, wave_bytes)?;
        }
        if wave_bytes != 0 {
            // The arena only grows; a smaller stride within it keeps the slots dense.
            dispatch.scratch = Scratch {
                wave_bytes,
                ..state.scratch
            };
        }
        Ok(dispatch)
    }

    /// The scratch memory that the runtime has put into the `amd_queue_t`, if it suffices for the dispatch. ROCr puts none there
    /// before the device asks for it, and this one does not ask.
    fn given_scratch(&self, dispatch: &Dispatch) -> Option<Scratch> {
        let needed = dispatch.scratch.wave_bytes;
        if needed == 0 {
            return None;
        }
        let structure = self.structure?;
        // SAFETY: the machine checked that the `amd_queue_t` lies in device memory; the runtime destroys the queue before it
        // frees it. Any bits are valid.
        let queue = unsafe { (structure as *const aql::AmdQueue).read_volatile() };
        let wave_bytes = tmpring_wave_bytes(self.target, queue.compute_tmpring_size);
        let waves = queue.compute_tmpring_size & 0xfff;
        let (base, bytes) = (
            queue.scratch_backing_memory_location,
            queue.scratch_backing_memory_byte_size,
        );
        if base == 0 || waves == 0 || wave_bytes < needed {
            return None;
        }
        let slots = u32::try_from(bytes / u64::from(wave_bytes)).ok()?;
        let slots = slots.min(self.shared.executor.resident_waves());
        let size = u64::from(slots) * u64::from(wave_bytes);
        let suffices =
            slots >= dispatch.waves([0; 3]) && self.view().reaches(base, size, true).is_ok();
        suffices.then_some(Scratch {
            base,
            wave_bytes,
            slots,
        })
    }

    /// Frees the packet's slot, then signals its completion.
    fn retire(&self, index: u64, signal: u64, times: Option<(u64, u64)>) {
        let signal = Signal::new(signal, &self.shared.memory);
        let header = self.packet_address(index) as *mut u16;
        // SAFETY: the first half-word of a packet in the ring, aligned to 64 bytes.
        unsafe { AtomicU16::from_ptr(header) }
            .store(u16::from(packet_type::INVALID), Ordering::Release);
        self.done().store(index + 1, Ordering::SeqCst);
        if let Some(signal) = signal {
            let now = clock::ticks();
            let (start, end) = times.unwrap_or((now, now));
            signal.set_times(start, end);
            signal.complete(&self.shared.events);
        }
    }

    /// Ends the running kernel.
    fn conclude(&self, state: &mut State, outcome: Outcome) {
        let Some(Running { dispatch, start }) = state.running.take() else {
            return;
        };
        let end = clock::ticks();
        let cancelled = self.cancelled.load(Ordering::SeqCst);
        if !cancelled {
            let record = Record {
                dispatch: &dispatch,
                start,
                end,
                outcome: &outcome,
            };
            self.shared.observer.dispatch_finished(&record);
        }
        if let (Some(orders), Some(order)) = (self.orders(), &dispatch.order) {
            let signal = dispatch.packet.completion_signal;
            orders.ends(self.id, order, signal, self.value(signal));
        }
        match outcome {
            Ok(_) if cancelled => {}
            Ok(_) => self.retire(
                dispatch.origin.dispatch_id,
                dispatch.packet.completion_signal,
                Some((start, end)),
            ),
            Err(_) if cancelled => {}
            Err(fault) => self.fail(&dispatch, &fault),
        }
    }

    /// Stops the queue because a packet cannot be processed.
    fn refuse(&self, error: &DispatchError) -> Step {
        self.shared.observer.report(&format!(
            "luthier: a packet on queue {} is refused: {error}",
            self.id
        ));
        self.signal_error(error.queue_error());
        Step::Failed
    }

    /// Stops the queue because of a kernel's fault.
    fn fail(&self, dispatch: &Dispatch, fault: &Fault) {
        self.stopped.store(true, Ordering::SeqCst);
        let source = self.shared.observer.source(fault.pc);
        let text = fault.text(dispatch, &self.shared.memory, source.as_deref());
        self.shared.observer.report(&format!("luthier: {text}"));
        match fault.kind {
            FaultKind::Memory { address, write } => {
                let read_only = write && self.view().is_read_only(address);
                self.memory_fault(address, read_only, queue_error::APERTURE_VIOLATION);
            }
            FaultKind::Aperture { .. } | FaultKind::Unaligned { .. } => {
                self.signal_error(queue_error::APERTURE_VIOLATION)
            }
            FaultKind::IllegalInstruction | FaultKind::Unsupported => {
                self.signal_error(queue_error::ILLEGAL_INSTRUCTION)
            }
            FaultKind::Trap { .. } | FaultKind::Stuck | FaultKind::WrongFree { .. } => {
                self.signal_error(queue_error::EXCEPTION)
            }
        }
    }

    /// Tells the runtime of a memory fault, by `error` if it does not listen to those.
    fn memory_fault(&self, address: u64, read_only: bool, error: i64) {
        let told = self.shared.events.memory_fault(MemoryFault {
            node: self.node,
            address,
            read_only,
        });
        if !told {
            self.signal_error(error);
        }
    }

    fn signal_error(&self, value: i64) {
        if raise(&self.shared, self.save_area, value).is_some() {
            return;
        }
        let Some(structure) = self.structure else {
            return;
        };
        let inactive = structure + offset_of!(aql::AmdQueue, queue_inactive_signal) as u64;
        // SAFETY: inside the `amd_queue_t`, of which the same holds as of the positions.
        let handle = unsafe { AtomicU64::from_ptr(inactive as *mut u64) }.load(Ordering::Acquire);
        if let Some(signal) = Signal::new(handle, &self.shared.memory) {
            signal.store(value, &self.shared.events);
        }
    }
}

/// Tells the runtime of an error as the driver does since it supports debuggers: by a bit in a word and an event that the head of the
/// area for saved waves names. None if the runtime has not asked for that, or has named no word.
pub(crate) fn raise(shared: &Shared, save_area: u64, error: i64) -> Option<()> {
    let (_, code) = EXCEPTION_CODES.iter().find(|(value, _)| *value == error)?;
    let mut head = [0; SAVE_AREA_HEAD];
    if save_area == 0 || !shared.raises_exceptions() {
        return None;
    }
    let memory = &shared.memory;
    memory.read_bytes(save_area, &mut head).ok()?;
    let (word, event) = exception_target(&head);
    if word == 0 || !word.is_multiple_of(8) || memory.covers(word, 8, true).is_err() {
        return None;
    }
    // SAFETY: just checked and aligned; it is a signal's value, which all parties access atomically.
    let cell = unsafe { AtomicU64::from_ptr(host_address(word) as *mut u64) };
    cell.fetch_or(1 << (code - 1), Ordering::SeqCst);
    // The event may have been destroyed meanwhile; then no thread waits for it.
    let _ = shared.events.set(event);
    Some(())
}

/// Bytes of a wave's scratch memory that the register COMPUTE_TMPRING_SIZE says.
pub(crate) fn tmpring_wave_bytes(target: &Target, register: u32) -> u32 {
    match target.family {
        family if family >= Family::Gfx12 => (register >> 12 & 0x3_ffff) * 256,
        family if family >= Family::Gfx11 => (register >> 12 & 0x7fff) * 256,
        _ => (register >> 12 & 0x1fff) * 1024,
    }
}

/// Bytes of `kfd_context_save_area_header` up to the last that is needed here.
const SAVE_AREA_HEAD: usize = 36;

/// The place for exceptions that the head of an area for saved waves names: the address of a word, and an event.
fn exception_target(head: &[u8; SAVE_AREA_HEAD]) -> (u64, u32) {
    let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    (u64::from(word(24)) | u64::from(word(28)) << 32, word(32))
}

/// The driver's codes (`enum kfd_dbg_trap_exception_code`) of what the inactive signal has values for.
#[rustfmt::skip]
const EXCEPTION_CODES: &[(i64, u32)] = &[
    (queue_error::EXCEPTION,           2),
    (queue_error::ILLEGAL_INSTRUCTION, 4),
    (queue_error::APERTURE_VIOLATION,  6),
    (2,   16), // dimensions of a dispatch
    (4,   17), // LDS of a workgroup
    (8,   18), // code
    (32,  20), // packet
    (64,  21), // workgroup
    (128, 22), // registers
];
