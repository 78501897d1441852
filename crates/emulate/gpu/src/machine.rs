//! All devices of a process: their memory, events, queues and polling threads.

use std::{
    collections::HashMap,
    mem::offset_of,
    sync::{
        Arc, Mutex, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crate::{
    blit::{Blit, recognise},
    compute_queue::{ComputeQueue, Parts},
    dispatch::{DispatchError, Scratch},
    events::Events,
    executor::{Executor, Observer},
    memory::{Memory, MemoryError, PAGE, Request},
    names::kernel_name,
    order::{Orders, Published},
    processor::{Engine, Processor},
    queue::AqlQueue,
    sdma::SdmaQueue,
    topology::Config,
};

/// Doorbells of the page pair that the runtime indexes by address.
const DOORBELLS: u64 = 1024;
/// How long a destroyed queue's kernel may take to notice.
const STOP_LIMIT: Duration = Duration::from_secs(10);

/// Facts about a kernel that follow from its code.
#[derive(Clone, Default)]
pub(crate) struct Identity {
    pub name: Option<String>,
    pub blit: Option<Blit>,
}

/// The parts of the machine that queues need.
pub(crate) struct Shared {
    pub memory: Arc<Memory>,
    pub events: Arc<Events>,
    pub executor: Arc<dyn Executor>,
    pub observer: Arc<dyn Observer>,
    identities: RwLock<HashMap<u64, Identity>>,
    packets: Arc<Processor>,
    copies: Arc<Processor>,
    /// Errors are told as exceptions.
    exceptions: AtomicBool,
    /// The order of launches, if the executor wants to know it.
    pub orders: Option<Orders>,
}

impl Shared {
    /// Returns `true` if the runtime has asked for errors as exceptions.
    pub fn raises_exceptions(&self) -> bool {
        self.exceptions.load(Ordering::Relaxed)
    }

    /// Looks at all queues soon.
    pub fn kick(&self) {
        self.packets.kick();
        self.copies.kick();
    }

    /// Identifies the kernel whose descriptor is at `kernel_object` and whose code begins at `entry`.
    pub fn identify(&self, kernel_object: u64, entry: u64) -> Identity {
        let known = self
            .identities
            .read()
            .ok()
            .and_then(|known| known.get(&kernel_object).cloned());
        known.unwrap_or_else(|| {
            let blit = recognise(&self.memory, entry);
            let name = match blit {
                Some(blit) => Some(blit.name().to_owned()),
                None => kernel_name(&self.memory, kernel_object),
            };
            let identity = Identity { name, blit };
            if let Ok(mut known) = self.identities.write() {
                known.insert(kernel_object, identity.clone());
            }
            identity
        })
    }

    /// Code may have changed.
    pub fn forget_identities(&self) {
        if let Ok(mut identities) = self.identities.write() {
            identities.clear();
        }
    }

    /// Replaces a queue's scratch arena by one with larger slots.
    pub fn grow_scratch(
        &self,
        node: u32,
        old: Scratch,
        wave_bytes: u32,
    ) -> Result<Scratch, DispatchError> {
        let slots = self.executor.resident_waves().max(1);
        let bytes = u64::from(slots) * u64::from(wave_bytes);
        let request = Request {
            node,
            size: bytes,
            flags: 0,
            writable: true,
            device_local: false,
            remote: false,
        };
        let base = self
            .memory
            .allocate(request)
            .map_err(|_| DispatchError::NoScratch { bytes })?;
        if old.base != 0 {
            // No kernel of the queue runs, so no wave uses the old arena.
            let _ = self.memory.free(old.base);
        }
        Ok(Scratch {
            base,
            wave_bytes,
            slots,
        })
    }
}

#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    #[error("there is no GPU node {node}")]
    NoSuchNode { node: u32 },
    #[error(
        "the ring of {bytes} bytes at {address:#x} is not device memory, or its size is no power of two"
    )]
    BadRing { address: u64, bytes: u64 },
    #[error("what the queue keeps at {address:#x} is not device memory")]
    BadQueue { address: u64 },
    #[error("all {DOORBELLS} doorbells are in use")]
    TooMany,
    #[error("there is no queue {id}")]
    Unknown { id: u64 },
    #[error("no memory for the queue's positions: {0}")]
    Memory(#[from] MemoryError),
    #[error("cannot start a thread to process packets or run kernels: {0}")]
    Thread(#[from] std::io::Error),
}

/// Why the machine does not change whether devices retry accesses to pages that are not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RetryError {
    #[error("the mode changes only while there are no queues")]
    Queues,
    #[error("not all devices can retry accesses for one process and not for another")]
    Unsupported,
}

/// Why errors are not told as exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExceptionError {
    #[error("errors are already reported as exceptions")]
    Already,
    #[error("this setting changes only while there are no queues")]
    Queues,
}

/// Why a queue's compute units cannot be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitsError {
    #[error("there is no compute queue {id}")]
    Unknown { id: u64 },
    #[error("the compute units of a work-group processor can only be chosen together")]
    Pairs,
}

/// A new queue, as the runtime needs to know it.
#[derive(Clone, Copy, Debug)]
pub struct NewQueue {
    pub id: u64,
    pub doorbell: u64,
    pub write_pointer: u64,
    pub read_pointer: u64,
}

enum Queue {
    Aql(Arc<AqlQueue>),
    Sdma(Arc<SdmaQueue>),
    Compute(Arc<ComputeQueue>),
}

impl Queue {
    fn engine(&self) -> Arc<dyn Engine> {
        match self {
            Queue::Aql(queue) => queue.clone(),
            Queue::Sdma(queue) => queue.clone(),
            Queue::Compute(queue) => queue.clone(),
        }
    }
}

#[derive(Default)]
struct Queues {
    by_id: HashMap<u64, Queue>,
    /// First of the doorbells, once allocated.
    doorbells: u64,
}

/// The emulated machine: node 0 is the host, nodes from 1 are GPUs.
pub struct Machine {
    shared: Arc<Shared>,
    gpus: Vec<Config>,
    queues: Mutex<Queues>,
}

impl Machine {
    pub fn new(
        gpus: Vec<Config>,
        memory: Arc<Memory>,
        events: Arc<Events>,
        executor: Arc<dyn Executor>,
        observer: Arc<dyn Observer>,
    ) -> Machine {
        let orders = executor.follows_order().then(Orders::default);
        let shared = Shared {
            orders,
            memory,
            events,
            executor,
            observer,
            identities: RwLock::default(),
            packets: Processor::new("luthier-queues"),
            copies: Processor::new("luthier-copies"),
            exceptions: AtomicBool::new(false),
        };
        Machine {
            shared: Arc::new(shared),
            gpus,
            queues: Mutex::default(),
        }
    }

    pub fn memory(&self) -> &Arc<Memory> {
        &self.shared.memory
    }

    pub fn events(&self) -> &Arc<Events> {
        &self.shared.events
    }

    /// The GPUs, in node order.
    pub fn gpus(&self) -> &[Config] {
        &self.gpus
    }

    /// The GPU that is node `node`.
    pub fn gpu(&self, node: u32) -> Option<&Config> {
        self.gpus.get(node.checked_sub(1)? as usize)
    }

    /// Looks for packets at once: call after ringing a doorbell.
    pub fn ring(&self) {
        // A processor that falls asleep just now looks for packets once more, and must then see the packet that the doorbell announces.
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        self.shared.packets.kick();
    }

    /// Looks for packets soon: call before the host goes to sleep.
    pub fn kick(&self) {
        self.shared.kick();
    }

    fn queues(&self) -> std::sync::MutexGuard<'_, Queues> {
        self.queues
            .lock()
            .unwrap_or_else(|poison| poison.into_inner())
    }

    /// Returns `true` if devices retry accesses to missing pages, and so reach all memory of the program (XNACK).
    pub fn retries(&self) -> bool {
        self.shared.memory.is_pageable()
    }

    /// Lets them, or not. The rules are the kernel driver's.
    pub fn set_retries(&self, on: bool) -> Result<(), RetryError> {
        // No queue can be made while they are locked.
        let queues = self.queues();
        if !queues.by_id.is_empty() {
            return Err(RetryError::Queues);
        }
        if on && !self.gpus.iter().all(|gpu| gpu.target.retries_by_process) {
            return Err(RetryError::Unsupported);
        }
        if on != self.retries() {
            self.shared.memory.set_pageable(on);
        }
        Ok(())
    }

    /// Lets queues tell of errors as exceptions, or not. The rules are the kernel driver's.
    pub fn set_exceptions(&self, on: bool) -> Result<(), ExceptionError> {
        // No queue can be made while they are locked.
        let queues = self.queues();
        if on && self.shared.raises_exceptions() {
            return Err(ExceptionError::Already);
        }
        if on && !queues.by_id.is_empty() {
            return Err(ExceptionError::Queues);
        }
        self.shared.exceptions.store(on, Ordering::Relaxed);
        Ok(())
    }

    /// Creates an AQL queue whose `amd_queue_t` is at `queue_address`.
    pub fn create_aql_queue(
        &self,
        node: u32,
        ring: u64,
        bytes: u64,
        queue_address: u64,
    ) -> Result<NewQueue, QueueError> {
        let positions = (
            queue_address.wrapping_add(offset_of!(aql::AmdQueue, write_dispatch_id) as u64),
            queue_address.wrapping_add(offset_of!(aql::AmdQueue, read_dispatch_id) as u64),
        );
        self.create_saved_queue(node, ring, bytes, positions, 0)
    }

    /// The same for a runtime that says where it keeps its write and read position: in an `amd_queue_t`, or elsewhere. With an area
    /// for saved waves, whose head says where exceptions are told.
    pub fn create_saved_queue(
        &self,
        node: u32,
        ring: u64,
        bytes: u64,
        positions: (u64, u64),
        save_area: u64,
    ) -> Result<NewQueue, QueueError> {
        let target = self
            .gpu(node)
            .ok_or(QueueError::NoSuchNode { node })?
            .target;
        let memory = &self.shared.memory;
        if !bytes.is_power_of_two()
            || bytes < 64
            || !ring.is_multiple_of(64)
            || memory.covers(ring, bytes, true).is_err()
        {
            return Err(QueueError::BadRing {
                address: ring,
                bytes,
            });
        }
        let (write_pointer, read_pointer) = positions;
        for address in [write_pointer, read_pointer] {
            if !address.is_multiple_of(8) || memory.covers(address, 8, true).is_err() {
                return Err(QueueError::BadQueue { address });
            }
        }
        let structure =
            write_pointer.wrapping_sub(offset_of!(aql::AmdQueue, write_dispatch_id) as u64);
        let is_structure = structure.is_multiple_of(64)
            && read_pointer == structure + offset_of!(aql::AmdQueue, read_dispatch_id) as u64
            && memory
                .covers(structure, size_of::<aql::AmdQueue>() as u64, true)
                .is_ok();
        self.shared.executor.start()?;
        let mut queues = self.queues();
        let (id, doorbell) = self.doorbell(&mut queues)?;
        let queue = AqlQueue::new(
            id,
            node,
            target,
            (ring, bytes / 64),
            (
                write_pointer,
                read_pointer,
                is_structure.then_some(structure),
            ),
            save_area,
            self.shared.clone(),
        );
        self.follow_order(id, queue.clone());
        self.shared.packets.add(queue.clone())?;
        queues.by_id.insert(id, Queue::Aql(queue));
        Ok(NewQueue {
            id,
            doorbell,
            write_pointer,
            read_pointer,
        })
    }

    /// Creates a queue of PM4 commands. `positions`: where the runtime keeps its write and read position.
    pub fn create_compute_queue(
        &self,
        node: u32,
        ring: u64,
        bytes: u64,
        positions: (u64, u64),
        save_area: u64,
    ) -> Result<NewQueue, QueueError> {
        let gpu = self.gpu(node).ok_or(QueueError::NoSuchNode { node })?;
        let memory = &self.shared.memory;
        let fits = bytes.is_power_of_two() && bytes >= 64 && ring.is_multiple_of(4);
        if !fits || memory.covers(ring, bytes, false).is_err() {
            return Err(QueueError::BadRing {
                address: ring,
                bytes,
            });
        }
        let (write_pointer, read_pointer) = positions;
        for (address, size) in [(write_pointer, 8), (read_pointer, 4)] {
            if !address.is_multiple_of(size) || memory.covers(address, size, true).is_err() {
                return Err(QueueError::BadQueue { address });
            }
        }
        self.shared.executor.start()?;
        let mut queues = self.queues();
        let (id, doorbell) = self.doorbell(&mut queues)?;
        let user_data = memory.allocate(Request {
            node: 0,
            size: PAGE,
            flags: 0,
            writable: true,
            device_local: false,
            remote: false,
        })?;
        let queue = ComputeQueue::new(Parts {
            id,
            node,
            target: gpu.target,
            engines: gpu.shader_engines(),
            ring,
            ring_bytes: bytes,
            write_pointer,
            read_pointer,
            user_data,
            save_area,
            shared: self.shared.clone(),
        });
        if let Err(error) = self.shared.packets.add(queue.clone()) {
            let _ = memory.free(user_data);
            return Err(error.into());
        }
        queues.by_id.insert(id, Queue::Compute(queue));
        Ok(NewQueue {
            id,
            doorbell,
            write_pointer,
            read_pointer,
        })
    }

    /// Creates an SDMA queue. `positions`: where the runtime keeps its write and read position; else they are made.
    pub fn create_sdma_queue(
        &self,
        node: u32,
        ring: u64,
        bytes: u64,
        positions: Option<(u64, u64)>,
    ) -> Result<NewQueue, QueueError> {
        let family = self
            .gpu(node)
            .ok_or(QueueError::NoSuchNode { node })?
            .target
            .family;
        let memory = &self.shared.memory;
        if bytes < 64
            || !bytes.is_multiple_of(4)
            || !ring.is_multiple_of(4)
            || memory.covers(ring, bytes, false).is_err()
        {
            return Err(QueueError::BadRing {
                address: ring,
                bytes,
            });
        }
        for address in positions
            .into_iter()
            .flat_map(|(write, read)| [write, read])
        {
            if !address.is_multiple_of(8) || memory.covers(address, 8, true).is_err() {
                return Err(QueueError::BadQueue { address });
            }
        }
        let mut queues = self.queues();
        let (id, doorbell) = self.doorbell(&mut queues)?;
        let own_positions = match positions {
            Some(_) => None,
            None => Some(memory.allocate(Request {
                node: 0,
                size: PAGE,
                flags: 0,
                writable: true,
                device_local: false,
                remote: false,
            })?),
        };
        // Apart from each other, because host and device write one each.
        let own = own_positions.map(|page| (page, page + 128));
        let (write_pointer, read_pointer) = positions.or(own).unwrap_or_default();
        let queue = Arc::new(SdmaQueue {
            id,
            node,
            family,
            ring,
            ring_bytes: bytes,
            write_pointer,
            read_pointer,
            own_positions,
            stopped: Default::default(),
            suspended: Default::default(),
            turn: Mutex::default(),
            copying: Mutex::default(),
            shared: self.shared.clone(),
        });
        if let Err(error) = self.shared.copies.add(queue.clone()) {
            if let Some(page) = own_positions {
                let _ = memory.free(page);
            }
            return Err(error.into());
        }
        self.follow_order(id, queue.clone());
        queues.by_id.insert(id, Queue::Sdma(queue));
        Ok(NewQueue {
            id,
            doorbell,
            write_pointer,
            read_pointer,
        })
    }

    /// From now on, the queue's launches are among those whose order is known, if someone wants to know it.
    fn follow_order(&self, id: u64, queue: Arc<dyn Published>) {
        if let Some(orders) = &self.shared.orders {
            orders.add(id, Arc::downgrade(&queue));
        }
    }

    /// The lowest free queue id and its doorbell.
    fn doorbell(&self, queues: &mut Queues) -> Result<(u64, u64), QueueError> {
        if queues.doorbells == 0 {
            let size = DOORBELLS * 8 * 2;
            let request = Request {
                node: 0,
                size,
                flags: 0,
                writable: true,
                device_local: false,
                remote: false,
            };
            queues.doorbells = self
                .shared
                .memory
                .allocate(request)?
                .next_multiple_of(DOORBELLS * 8);
        }
        let id = (1..DOORBELLS)
            .find(|id| !queues.by_id.contains_key(id))
            .ok_or(QueueError::TooMany)?;
        Ok((id, queues.doorbells + id * 8))
    }

    /// Restricts the kernels of a queue to the compute units whose bits are set; without any set bit all of them may be used. The
    /// driver deals bits to shader engines in turn; since gfx10, pairs of bits.
    pub fn set_units(&self, id: u64, mask: &[u32]) -> Result<(), UnitsError> {
        let queues = self.queues();
        let unknown = UnitsError::Unknown { id };
        let queue = queues.by_id.get(&id).ok_or(unknown)?;
        let node = match queue {
            Queue::Aql(queue) => queue.node,
            Queue::Compute(queue) => queue.node,
            Queue::Sdma(_) => return Err(unknown),
        };
        let gpu = self.gpu(node).ok_or(unknown)?;
        let is_set = |bit: u32| {
            mask.get(bit as usize / 32)
                .is_some_and(|word| word >> (bit % 32) & 1 == 1)
        };
        let processor = if gpu.target.family >= gfx::Family::Gfx10 {
            2
        } else {
            1
        };
        let bits = mask.len() as u32 * 32;
        if processor == 2
            && (0..bits)
                .step_by(2)
                .any(|bit| is_set(bit) != is_set(bit + 1))
        {
            return Err(UnitsError::Pairs);
        }
        // Dies come first; a wave's die is told apart from its place there.
        let dies = u32::from(gpu.target.compute_dies).max(1);
        let engines = (gpu.shader_engines() / dies).max(1);
        let number = |bit: u32| {
            let place = bit / processor / dies;
            let (engine, row) = (place % engines, place / engines);
            engine << 4 | row
        };
        let set = (0..gpu.compute_units.min(bits)).filter(|bit| is_set(*bit));
        let mut units: Vec<u32> = set.map(number).collect();
        units.sort_unstable();
        units.dedup();
        let units = (!units.is_empty()).then(|| units.into());
        match queue {
            Queue::Aql(queue) => queue.set_units(units),
            Queue::Compute(queue) => queue.set_units(units),
            Queue::Sdma(_) => {}
        }
        Ok(())
    }

    /// Stops or continues a queue. When this returns, a queue that is stopped does nothing more.
    pub fn suspend_queue(&self, id: u64, suspended: bool) -> Result<(), QueueError> {
        match self.queues().by_id.get(&id) {
            Some(Queue::Aql(queue)) => queue.suspend(suspended),
            Some(Queue::Sdma(queue)) => queue.suspend(suspended),
            Some(Queue::Compute(queue)) => queue.suspend(suspended),
            None => return Err(QueueError::Unknown { id }),
        }
        self.kick();
        Ok(())
    }

    /// Returns `true` if a queue does nothing more, for an error or because it is destroyed.
    pub fn has_stopped(&self, id: u64) -> bool {
        match self.queues().by_id.get(&id) {
            Some(Queue::Aql(queue)) => queue.has_stopped(),
            Some(Queue::Sdma(queue)) => queue.stopped.load(Ordering::SeqCst),
            Some(Queue::Compute(queue)) => queue.has_stopped(),
            None => true,
        }
    }

    /// Waits until a destroyed queue has ended; false, with a message, if that takes too long.
    fn await_end(&self, is_idle: impl Fn() -> bool) -> bool {
        let start = Instant::now();
        while !is_idle() {
            if start.elapsed() > STOP_LIMIT {
                let observer = &self.shared.observer;
                observer.report("luthier: a kernel continues after its queue was destroyed");
                return false;
            }
            std::thread::sleep(Duration::from_micros(100));
        }
        true
    }

    /// Removes a queue; its running kernel is stopped first.
    pub fn destroy_queue(&self, id: u64) -> Result<(), QueueError> {
        let queue = self
            .queues()
            .by_id
            .remove(&id)
            .ok_or(QueueError::Unknown { id })?;
        let engine = queue.engine();
        if let Some(orders) = &self.shared.orders {
            orders.remove(id);
        }
        match &queue {
            Queue::Aql(queue) => {
                queue.stop();
                self.shared.packets.remove(&engine);
                if !self.await_end(|| queue.is_idle()) {
                    return Ok(());
                }
                if let Some(base) = queue.scratch_base() {
                    let _ = self.shared.memory.free(base);
                }
            }
            Queue::Compute(queue) => {
                queue.stop();
                self.shared.packets.remove(&engine);
                if self.await_end(|| queue.is_idle()) {
                    let _ = self.shared.memory.free(queue.user_data);
                }
            }
            Queue::Sdma(queue) => {
                queue.stopped.store(true, Ordering::SeqCst);
                self.shared.copies.remove(&engine);
                // A thread in the middle of a packet finishes it first.
                let _turn = queue.turn.lock();
                if let Some(page) = queue.own_positions {
                    let _ = self.shared.memory.free(page);
                }
            }
        }
        Ok(())
    }
}
