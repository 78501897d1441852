//! Compute queues of PM4 commands: a ring of dwords, processed in order.
//!
//! Positions count dwords. The host's grows without end; the device's, which the host reads, is the place in the ring. A dispatch is
//! waited for before the next command, which satisfies every command that waits for dispatches.

use std::sync::{
    Arc, Mutex, Weak,
    atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
};

use aql::KernelDispatchPacket;
use gfx::{Family, Target};

use crate::{
    clock,
    dispatch::{Descriptor, Dispatch, DispatchError, Origin, Scratch},
    events::MemoryFault,
    executor::{Job, Outcome, Record},
    fault::FaultKind,
    guard::guarded,
    machine::Shared,
    pm4::{Commands, Step},
    processor::Engine,
    queue::{queue_error, raise, tmpring_wave_bytes},
};

/// The first of the registers that SET_SH_REG numbers, and those of compute among them (dwords of the register space).
const SHADER_REGISTERS: u32 = 0x2c00;
const COMPUTE: std::ops::Range<u32> = 0x2e00..0x2f00;

/// Registers of a dispatch, by their distance from the first of compute.
#[rustfmt::skip]
mod register {
    pub const START:          usize = 0x04;
    pub const NUM_THREAD:     usize = 0x07;
    pub const PGM_LO:         usize = 0x0c;
    pub const SCRATCH_BASE:   usize = 0x10;
    pub const PGM_RSRC1:      usize = 0x12;
    pub const PGM_RSRC2:      usize = 0x13;
    pub const TMPRING_SIZE:   usize = 0x18;
    /// Since gfx10, and before.
    pub const PGM_RSRC3:      [usize; 2] = [0x28, 0x2d];
    pub const USER_DATA:      usize = 0x40;
}

/// Dwords of user data that a wave begins with at most.
const USER_DATA: usize = 16;
/// Bits of a dispatch's initiator.
mod initiator {
    pub const SHADER_ENABLED: u32 = 1 << 0;
    pub const FROM_ZERO: u32 = 1 << 2;
    pub const COUNTS_THREADS: u32 = 1 << 5;
    pub const WAVE32: u32 = 1 << 15;
}
/// The kernel code property of waves of 32 lanes.
const WAVE32: u16 = 1 << 10;
/// From the made-up descriptor to the code.
const ENTRY: u64 = 256;
/// Buffers that one leads to another by; no program has as many.
const DEEPEST: usize = 8;

struct Running {
    dispatch: Arc<Dispatch>,
    start: u64,
}

/// A buffer of commands, and how far it is done.
struct Buffer {
    address: u64,
    dwords: u64,
    done: u64,
}

struct State {
    running: Option<Running>,
    registers: [u32; 0x100],
    buffers: Vec<Buffer>,
    /// Dwords of the ring that are done.
    position: u64,
    dispatches: u64,
}

pub(crate) struct ComputeQueue {
    pub id: u64,
    pub node: u32,
    pub target: &'static Target,
    pub engines: u32,
    pub ring: u64,
    pub ring_bytes: u64,
    /// Address of the host's position, of 64 bits, and of the device's, of 32.
    pub write_pointer: u64,
    pub read_pointer: u64,
    /// Memory for the user data of a dispatch that is about to start.
    pub user_data: u64,
    pub save_area: u64,
    pub shared: Arc<Shared>,
    this: Weak<ComputeQueue>,
    turn: AtomicU32,
    state: Mutex<State>,
    finished: Mutex<Option<Outcome>>,
    stopped: AtomicBool,
    suspended: Arc<AtomicBool>,
    cancelled: Arc<AtomicBool>,
    /// The only compute units that may run the queue's kernels; None: all of them.
    units: Mutex<Option<Arc<[u32]>>>,
}

/// The parts of a queue.
pub(crate) struct Parts {
    pub id: u64,
    pub node: u32,
    pub target: &'static Target,
    pub engines: u32,
    pub ring: u64,
    pub ring_bytes: u64,
    pub write_pointer: u64,
    pub read_pointer: u64,
    pub user_data: u64,
    pub save_area: u64,
    pub shared: Arc<Shared>,
}

impl Engine for ComputeQueue {
    fn pump(&self) -> bool {
        if self.turn.fetch_add(1, Ordering::AcqRel) != 0 {
            return false;
        }
        let (mut progress, mut honoured) = (false, 1);
        loop {
            progress |= self.advance();
            let turn = &self.turn;
            match turn.compare_exchange(honoured, 0, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return progress,
                Err(now) => honoured = now,
            }
        }
    }
}

impl ComputeQueue {
    pub fn new(parts: Parts) -> Arc<ComputeQueue> {
        Arc::new_cyclic(|this| ComputeQueue {
            id: parts.id,
            node: parts.node,
            target: parts.target,
            engines: parts.engines,
            ring: parts.ring,
            ring_bytes: parts.ring_bytes,
            write_pointer: parts.write_pointer,
            read_pointer: parts.read_pointer,
            user_data: parts.user_data,
            save_area: parts.save_area,
            shared: parts.shared,
            this: this.clone(),
            turn: AtomicU32::new(0),
            state: Mutex::new(State {
                running: None,
                registers: [0; 0x100],
                buffers: Vec::new(),
                position: 0,
                dispatches: 0,
            }),
            finished: Mutex::default(),
            stopped: AtomicBool::new(false),
            suspended: Arc::default(),
            cancelled: Arc::default(),
            units: Mutex::default(),
        })
    }

    /// Restricts the kernels that are started from now on to these compute units.
    pub fn set_units(&self, units: Option<Arc<[u32]>>) {
        if let Ok(mut current) = self.units.lock() {
            *current = units;
        }
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

    /// Stops for good, and tells the running kernel to.
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

    /// Processes commands until none is ready. One thread at a time runs it (see `turn`).
    fn advance(&self) -> bool {
        let Ok(mut state) = self.state.lock() else {
            return false;
        };
        let mut progress = false;
        loop {
            let finished = self.finished.lock().ok();
            if let Some(outcome) = finished.and_then(|mut finished| finished.take()) {
                self.conclude(&mut state, outcome);
                progress = true;
            }
            let stands =
                self.stopped.load(Ordering::SeqCst) || self.suspended.load(Ordering::SeqCst);
            if state.running.is_some() || stands {
                return progress;
            }
            if state
                .buffers
                .last()
                .is_some_and(|buffer| buffer.done >= buffer.dwords)
            {
                state.buffers.pop();
                self.publish(&state);
                continue;
            }
            let Some(commands) = self.commands(&state) else {
                return progress;
            };
            let step = guarded(&mut (), |_| commands.step());
            let step = step.unwrap_or_else(|fault| Step::Fault {
                address: fault.address,
                write: fault.write,
            });
            match step {
                Step::Blocked => return progress,
                Step::Done(done) => self.pass(&mut state, done),
                Step::Interrupt { done, event } => {
                    self.pass(&mut state, done);
                    // The event may have gone meanwhile; then no thread waits for it.
                    let _ = self.shared.events.set(event);
                }
                Step::Buffer {
                    done,
                    address,
                    dwords,
                } => {
                    if state.buffers.len() == DEEPEST {
                        self.unknown(&commands, "a buffer in too many buffers");
                    }
                    skip(&mut state, done);
                    state.buffers.push(Buffer {
                        address,
                        dwords,
                        done: 0,
                    });
                }
                Step::Registers { done, first } => {
                    match set(&commands, &mut state.registers, done, first) {
                        Ok(()) => self.pass(&mut state, done),
                        Err(what) => self.unknown(&commands, what),
                    }
                }
                Step::Dispatch {
                    done,
                    size,
                    initiator,
                } => {
                    match self.prepare(&mut state, size, initiator) {
                        Ok(Some(dispatch)) => self.start(&mut state, dispatch),
                        Ok(None) => {}
                        Err(error) => self.refuse(&error),
                    }
                    self.pass(&mut state, done);
                }
                Step::Unknown(what) => self.unknown(&commands, what),
                Step::Fault { address, write } => self.fault(address, write),
            }
            progress = true;
        }
    }

    /// Reports that a command names memory which the device cannot use like this.
    fn fault(&self, address: u64, write: bool) {
        let access = if write { "write to" } else { "read of" };
        let view = self.shared.memory.seen_by(self.node);
        self.report(&format!(
            "{access} {address:#x}, {}",
            view.describe(address)
        ));
        self.memory_fault(address, write);
    }

    /// The next command and what is behind it; None if there is nothing.
    fn commands(&self, state: &State) -> Option<Commands<'_>> {
        if let Some(buffer) = state.buffers.last() {
            return Some(Commands {
                shared: &self.shared,
                node: self.node,
                address: buffer.address + buffer.done * 4,
                dwords: buffer.dwords - buffer.done,
                ring: None,
            });
        }
        // SAFETY: the machine checked that the word lies in device memory and is aligned; the runtime destroys the queue before it
        // frees it; both sides access it atomically.
        let write =
            unsafe { AtomicU64::from_ptr(self.write_pointer as *mut u64) }.load(Ordering::Acquire);
        let left = write.checked_sub(state.position).filter(|left| *left > 0)?;
        Some(Commands {
            shared: &self.shared,
            node: self.node,
            address: self.ring + state.position * 4 % self.ring_bytes,
            dwords: left.min(self.ring_bytes / 4),
            ring: Some((self.ring, self.ring_bytes)),
        })
    }

    fn pass(&self, state: &mut State, dwords: u64) {
        skip(state, dwords);
        self.publish(state);
    }

    /// Tells the host how far the ring is done: not as long as a kernel or a buffer of it is.
    fn publish(&self, state: &State) {
        if state.running.is_some() || !state.buffers.is_empty() {
            return;
        }
        let place = state.position % (self.ring_bytes / 4);
        // SAFETY: the machine checked that the word lies in device memory and is aligned; the host reads it atomically.
        unsafe { AtomicU32::from_ptr(self.read_pointer as *mut u32) }
            .store(place as u32, Ordering::Release);
    }

    /// The dispatch that the registers describe; None if it has no workgroups.
    fn prepare(
        &self,
        state: &mut State,
        size: [u32; 3],
        initiator: u32,
    ) -> Result<Option<Dispatch>, DispatchError> {
        let registers = &state.registers;
        let bad = |what| DispatchError::BadCommand {
            what,
            command: initiator,
        };
        if initiator & initiator::SHADER_ENABLED == 0 {
            return Ok(None);
        }
        let starts = &registers[register::START..register::START + 3];
        if initiator & initiator::FROM_ZERO == 0 && starts.iter().any(|start| *start != 0) {
            return Err(bad("a dispatch that does not begin at its first workgroup"));
        }
        let threads: [u32; 3] =
            std::array::from_fn(|i| registers[register::NUM_THREAD + i] & 0xffff);
        let counts_threads = initiator & initiator::COUNTS_THREADS != 0;
        let grid: [u32; 3] = std::array::from_fn(|i| match counts_threads {
            true => size[i],
            false => size[i].saturating_mul(threads[i]),
        });
        if grid.contains(&0) {
            return Ok(None);
        }
        let long = |at: usize| u64::from(registers[at]) | u64::from(registers[at + 1]) << 32;
        let entry = (long(register::PGM_LO) & 0xff_ffff_ffff) << 8;
        let (rsrc1, rsrc2) = (
            registers[register::PGM_RSRC1],
            registers[register::PGM_RSRC2],
        );
        let older = usize::from(self.target.family < Family::Gfx10);
        // Bytes of LDS come in the granules that the descriptor counts in.
        let granule = if self.target.lds_bytes > 64 << 10 {
            1280
        } else {
            512
        };
        let wave_size = match initiator & initiator::WAVE32 != 0 && self.target.supports_wave32() {
            true => 32,
            false => 64,
        };
        let tmpring = registers[register::TMPRING_SIZE];
        let wave_bytes = if rsrc2 & 1 != 0 {
            tmpring_wave_bytes(self.target, tmpring)
        } else {
            0
        };
        let packet = KernelDispatchPacket {
            setup: 3,
            workgroup_size: threads.map(|count| count as u16),
            grid_size: grid,
            private_segment_size: wave_bytes / wave_size,
            group_segment_size: (rsrc2 >> 15 & 0x1ff) * granule,
            kernel_object: entry.wrapping_sub(ENTRY),
            kernarg_address: self.user_data,
            ..KernelDispatchPacket::default()
        };
        let descriptor = Descriptor {
            entry_offset: ENTRY as i64,
            rsrc1,
            rsrc2,
            rsrc3: registers[register::PGM_RSRC3[older]],
            properties: if wave_size == 32 { WAVE32 } else { 0 },
            // All user data come as if they were arguments.
            preload: USER_DATA as u16,
        };
        let words = registers[register::USER_DATA..register::USER_DATA + USER_DATA].iter();
        let bytes: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
        let no_code = DispatchError::BadCode {
            kernel_object: packet.kernel_object,
        };
        let memory = &self.shared.memory;
        memory
            .write_bytes(self.user_data, &bytes)
            .map_err(|_| no_code.clone())?;
        let origin = Origin {
            node: self.node,
            queue_id: self.id,
            dispatch_id: state.dispatches,
            ..Origin::default()
        };
        let mut dispatch = Dispatch::prepare(self.target, origin, packet, descriptor)?;
        let seen = memory.seen_by(self.node);
        seen.reaches(entry, 4, false).map_err(|_| no_code)?;
        dispatch.exact = memory.is_exact();
        dispatch.units = self.units.lock().ok().and_then(|units| units.clone());
        if wave_bytes != 0 {
            // Since gfx11 every shader engine has as many.
            let engines = if self.target.family >= Family::Gfx11 {
                self.engines
            } else {
                1
            };
            let slots = (tmpring & 0xfff).saturating_mul(engines);
            let slots = slots.min(self.shared.executor.resident_waves());
            if slots < dispatch.waves([0; 3]) {
                return Err(bad(
                    "a dispatch whose scratch memory has no room for one workgroup",
                ));
            }
            let base = long(register::SCRATCH_BASE) << 8;
            dispatch.scratch = Scratch {
                base,
                wave_bytes,
                slots,
            };
        }
        Ok(Some(dispatch))
    }

    fn start(&self, state: &mut State, mut dispatch: Dispatch) {
        let identity = self
            .shared
            .identify(dispatch.packet.kernel_object, dispatch.entry);
        dispatch.name = identity.name;
        let dispatch = Arc::new(dispatch);
        state.dispatches += 1;
        state.running = Some(Running {
            dispatch: dispatch.clone(),
            start: clock::ticks(),
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
        let job = Job::new(dispatch, self.cancelled.clone(), finish);
        self.shared
            .executor
            .submit(job.pausing(self.suspended.clone()));
    }

    /// Ends the running kernel.
    fn conclude(&self, state: &mut State, outcome: Outcome) {
        let Some(Running { dispatch, start }) = state.running.take() else {
            return;
        };
        if self.cancelled.load(Ordering::SeqCst) {
            return;
        }
        let record = Record {
            dispatch: &dispatch,
            start,
            end: clock::ticks(),
            outcome: &outcome,
        };
        self.shared.observer.dispatch_finished(&record);
        let Err(fault) = outcome else {
            return self.publish(state);
        };
        let source = self.shared.observer.source(fault.pc);
        let text = fault.text(&dispatch, &self.shared.memory, source.as_deref());
        self.shared.observer.report(&format!("luthier: {text}"));
        match fault.kind {
            FaultKind::Memory { address, write } => self.memory_fault(address, write),
            FaultKind::Aperture { .. } | FaultKind::Unaligned { .. } => {
                self.fail(queue_error::APERTURE_VIOLATION);
            }
            FaultKind::IllegalInstruction | FaultKind::Unsupported => {
                self.fail(queue_error::ILLEGAL_INSTRUCTION);
            }
            FaultKind::Trap { .. } | FaultKind::Stuck | FaultKind::WrongFree { .. } => {
                self.fail(queue_error::EXCEPTION)
            }
        }
    }

    fn report(&self, what: &str) {
        let message = format!("luthier: compute queue {} stopped: {what}", self.id);
        self.shared.observer.report(&message);
    }

    fn unknown(&self, commands: &Commands<'_>, what: &'static str) {
        let command = commands.header();
        self.refuse(&DispatchError::BadCommand { what, command });
    }

    fn refuse(&self, error: &DispatchError) {
        self.report(&error.to_string());
        self.fail(error.queue_error());
    }

    fn memory_fault(&self, address: u64, write: bool) {
        self.stopped.store(true, Ordering::SeqCst);
        let read_only = write && self.shared.memory.seen_by(self.node).is_read_only(address);
        self.shared.events.memory_fault(MemoryFault {
            node: self.node,
            address,
            read_only,
        });
    }

    fn fail(&self, error: i64) {
        self.stopped.store(true, Ordering::SeqCst);
        let _ = raise(&self.shared, self.save_area, error);
    }
}

/// Goes on behind so many dwords.
fn skip(state: &mut State, dwords: u64) {
    match state.buffers.last_mut() {
        Some(buffer) => buffer.done += dwords,
        None => state.position += dwords,
    }
}

/// Gives registers the values of a command; or says why not.
fn set(
    commands: &Commands<'_>,
    registers: &mut [u32; 0x100],
    done: u64,
    first: u32,
) -> Result<(), &'static str> {
    for index in 0..done.saturating_sub(2) {
        let register = SHADER_REGISTERS + first + index as u32;
        if !COMPUTE.contains(&register) {
            return Err("SET_SH_REG of a register that is not for compute");
        }
        let value = commands
            .dword(2 + index)
            .map_err(|_| "a command that cannot be read")?;
        registers[(register - COMPUTE.start) as usize] = value;
    }
    Ok(())
}
