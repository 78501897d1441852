//! Streams of records: the host's end of `luthier::ring`.
//!
//! Kernels write slots in memory that host and device share: a sequence word, the low half of the record's index + 1, and
//! the record. Indices have no gaps, so the host follows them: a slot whose sequence word is the expected one is complete.
//! It copies complete slots, publishes how many it has taken, which makes room, and hands the records to the tool.
//! Counters of the device are read only at the end.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, TryLockError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use serde::Serialize;

use crate::{
    Agent, Device, DeviceError, Instrumenter, MemoryKind, RingSpec, build::message, lock,
    told::Told,
};

/// Bytes of `struct luthier::ring`.
pub const CONTROL_SIZE: usize = 56;
/// Its fields that the host reads at the end.
const RESERVED: usize = 8;
const DROPPED: usize = 16;
/// Lanes of the largest wave, which appends all its records at once or none.
const WAVE: u64 = 64;
/// Most slots copied at once.
const BATCH: u64 = 4096;
/// Pauses between looks at the rings: this after records came, and up to that when none come.
const BUSY: Duration = Duration::from_micros(500);
const IDLE: Duration = Duration::from_millis(16);
const STACK: usize = 4 << 20;
/// At the end, the session waits this much longer for the thread that empties the rings than for a tool. The thread also writes files,
/// which may take any time: one may be a pipe without a reader.
const LOOK: Duration = Duration::from_secs(1);
/// The longest wait, because clocks overflow.
const LONGEST: Duration = Duration::from_secs(1 << 20);
const STUCK: &str =
    "the tool or the file that takes them did not come back, so they were not counted";

/// One ring on one agent.
#[derive(Debug)]
pub(crate) struct Stream {
    agent: Arc<Agent>,
    name: String,
    record_size: u64,
    /// A power of two.
    capacity: u64,
    /// Address of the first slot.
    slots: u64,
    /// Address of the word that tells the device how far we are.
    consumed_word: u64,
    /// Records copied.
    consumed: u64,
    /// Slots that were reserved but never completed.
    unfinished: u64,
    dropped: u64,
    /// Why the tool gets no more records.
    problem: Option<String>,
}

/// How many records of one ring were written and dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordLine {
    pub name: String,
    /// Number of the agent.
    pub agent: u32,
    pub written: u64,
    /// Records that found the ring full, and the host standing still.
    pub dropped: u64,
    /// Records whose kernel died or was still running at the end.
    pub unfinished: u64,
    pub problem: Option<String>,
}

impl fmt::Display for RecordLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RecordLine {
            name,
            agent,
            written,
            dropped,
            ..
        } = self;
        write!(
            formatter,
            "records {name} (agent {agent}): {written} written, {dropped} dropped"
        )?;
        if self.unfinished != 0 {
            write!(formatter, ", {} unfinished", self.unfinished)?;
        }
        match &self.problem {
            Some(problem) => write!(formatter, "; {problem}"),
            None => Ok(()),
        }
    }
}

impl Stream {
    /// Allocates slots and the host's counter.
    pub fn make(
        device: &dyn Device,
        agent: &Arc<Agent>,
        name: &str,
        spec: RingSpec,
    ) -> Result<Stream, DeviceError> {
        let record_size = u64::from(spec.record_size).next_multiple_of(4);
        let capacity = u64::from(spec.capacity)
            .clamp(WAVE, 1 << 30)
            .next_power_of_two();
        let bytes = capacity * (4 + record_size);
        let shared = |size| device.allocate(agent.id, size as usize, MemoryKind::Shared);
        Ok(Stream {
            agent: Arc::clone(agent),
            name: name.to_owned(),
            record_size,
            capacity,
            slots: shared(bytes)?,
            consumed_word: shared(8)?,
            consumed: 0,
            unfinished: 0,
            dropped: 0,
            problem: None,
        })
    }

    /// First contents of the `luthier::ring`: nothing taken, reserved or dropped.
    pub fn control(&self) -> [u8; CONTROL_SIZE] {
        let mut bytes = [0; CONTROL_SIZE];
        let fields = [0, 0, 0, self.capacity, self.slots, self.consumed_word, 0];
        for (slot, field) in bytes.chunks_exact_mut(8).zip(fields) {
            slot.copy_from_slice(&field.to_le_bytes());
        }
        bytes
    }

    fn stride(&self) -> u64 {
        4 + self.record_size
    }

    fn slot(&self, index: u64) -> u64 {
        self.slots + (index & (self.capacity - 1)) * self.stride()
    }

    fn is_complete(&self, device: &dyn Device, index: u64) -> bool {
        device.load_shared(self.slot(index)) == (index as u32).wrapping_add(1)
    }

    /// Takes what is complete, at most one ring full; returns how many records.
    fn drain(&mut self, device: &dyn Device, tool: &dyn Instrumenter) -> u64 {
        let first = self.consumed;
        while self.consumed - first < self.capacity {
            // A batch does not wrap around the end of the ring.
            let room = self.capacity - (self.consumed & (self.capacity - 1));
            let complete = (0..room.min(BATCH))
                .take_while(|&offset| self.is_complete(device, self.consumed + offset))
                .count() as u64;
            if complete == 0 {
                break;
            }
            let mut slots = vec![0; (complete * self.stride()) as usize];
            device.read_shared(self.slot(self.consumed), &mut slots);
            self.consumed += complete;
            device.store_shared(self.consumed_word, self.consumed);
            self.deliver(tool, &slots);
        }
        self.consumed - first
    }

    /// Hands slots to the tool, without their sequence words.
    fn deliver(&mut self, tool: &dyn Instrumenter, slots: &[u8]) {
        if self.problem.is_some() {
            return;
        }
        let mut records = Vec::with_capacity(slots.len());
        for slot in slots.chunks_exact(self.stride() as usize) {
            records.extend_from_slice(&slot[4..]);
        }
        let delivered = catch_unwind(AssertUnwindSafe(|| {
            tool.records(&self.agent, &self.name, &records);
        }));
        if let Err(panic) = delivered {
            self.problem = Some(format!("internal error: {}", message(&*panic)));
        }
    }

    /// The last drain: also takes what lies behind slots that will never be completed. `control` is what the `luthier::ring`
    /// was at the end.
    fn finish(
        &mut self,
        control: Result<[u8; CONTROL_SIZE], DeviceError>,
        device: &dyn Device,
        tool: &dyn Instrumenter,
    ) {
        self.drain(device, tool);
        let bytes = match control {
            Ok(bytes) => bytes,
            Err(error) => {
                self.problem = Some(format!("its counters cannot be read: {error}"));
                return;
            }
        };
        let field = |at: usize| {
            let mut field = [0; 8];
            field.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(field)
        };
        self.dropped = field(DROPPED);
        // Never more than a ring full, whatever a kernel may have written over the counter.
        let end = field(RESERVED).min(self.consumed + self.capacity);
        for index in self.consumed..end {
            if self.is_complete(device, index) {
                let mut slot = vec![0; self.stride() as usize];
                device.read_shared(self.slot(index), &mut slot);
                self.deliver(tool, &slot);
            } else {
                self.unfinished += 1;
            }
        }
        self.consumed = self.consumed.max(end);
        device.store_shared(self.consumed_word, self.consumed);
    }
}

/// The place of a stream's `luthier::ring`.
#[derive(Debug)]
enum RingLocation {
    At(u64),
    /// Gone; what it was at the end.
    Left(Result<[u8; CONTROL_SIZE], DeviceError>),
    Finished,
}

#[derive(Debug)]
struct Ring {
    agent: Arc<Agent>,
    name: String,
    /// Held for as long as a tool, or a file, takes records: the application's threads never wait for it.
    stream: Mutex<Stream>,
    location: Mutex<RingLocation>,
}

impl Ring {
    /// Finishes the stream if its ring is gone, or in any case.
    fn finish(&self, stream: &mut Stream, now: bool, device: &dyn Device, tool: &dyn Instrumenter) {
        let control = {
            let mut location = lock(&self.location);
            match std::mem::replace(&mut *location, RingLocation::Finished) {
                RingLocation::At(address) if now => control(device, address),
                RingLocation::Left(control) => control,
                other => {
                    *location = other;
                    return;
                }
            }
        };
        stream.finish(control, device, tool);
    }

    /// The stream, unless another thread has it until `deadline`.
    fn stream_until(&self, deadline: Instant) -> Option<MutexGuard<'_, Stream>> {
        loop {
            match self.stream.try_lock() {
                Ok(stream) => return Some(stream),
                Err(TryLockError::Poisoned(error)) => return Some(error.into_inner()),
                Err(TryLockError::WouldBlock) if Instant::now() > deadline => return None,
                Err(TryLockError::WouldBlock) => std::thread::sleep(BUSY),
            }
        }
    }
}

fn control(device: &dyn Device, address: u64) -> Result<[u8; CONTROL_SIZE], DeviceError> {
    let mut bytes = [0; CONTROL_SIZE];
    device.read(address, &mut bytes).map(|()| bytes)
}

/// All rings.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    rings: Mutex<Vec<Arc<Ring>>>,
    consuming: AtomicBool,
    finished: AtomicBool,
}

impl Streams {
    pub fn add(&self, stream: Stream, control: u64) {
        lock(&self.rings).push(Arc::new(Ring {
            agent: Arc::clone(&stream.agent),
            name: stream.name.clone(),
            stream: Mutex::new(stream),
            location: Mutex::new(RingLocation::At(control)),
        }));
    }

    fn rings(&self) -> Vec<Arc<Ring>> {
        lock(&self.rings).clone()
    }

    /// Starts the thread that empties the rings, if there are any and it does not run yet; it says in the file `live` how many came.
    pub fn consume(
        self: &Arc<Self>,
        device: &Arc<dyn Device>,
        tool: &Arc<dyn Instrumenter>,
        live: Option<&Path>,
    ) -> bool {
        if lock(&self.rings).is_empty() || self.consuming.swap(true, Ordering::AcqRel) {
            return true;
        }
        let (streams, tool) = (Arc::clone(self), Arc::clone(tool));
        let their_device = Arc::clone(device);
        let told = live.map(Path::to_owned);
        let task = Box::new(move || {
            let mut told = told.and_then(|path| Told::new(path).ok());
            let mut pause = BUSY;
            while !streams.finished.load(Ordering::Acquire) {
                let empty = |ring: &Arc<Ring>| {
                    let mut stream = lock(&ring.stream);
                    ring.finish(&mut stream, false, &*their_device, &*tool);
                    stream.drain(&*their_device, &*tool)
                };
                let came: u64 = streams.rings().iter().map(empty).sum();
                if let Some(told) = &mut told {
                    told.add(came);
                }
                pause = if came == 0 {
                    (pause * 2).min(IDLE)
                } else {
                    BUSY
                };
                std::thread::sleep(pause);
            }
        });
        device.spawn("luthier-records", STACK, task)
    }

    /// The `luthier::ring` at this address, if there is one, is about to go. Its slots stay, and are emptied later.
    pub fn leave(&self, address: u64, device: &dyn Device) {
        for ring in self.rings() {
            let mut location = lock(&ring.location);
            if matches!(*location, RingLocation::At(at) if at == address) {
                *location = RingLocation::Left(control(device, address));
            }
        }
    }

    /// Stops the thread and takes what is left, unless the tool does not come back for `limit` from what it does with records.
    pub fn finish(&self, limit: Duration, device: &dyn Device, tool: &dyn Instrumenter) {
        if self.finished.swap(true, Ordering::AcqRel) {
            return;
        }
        let deadline = Instant::now() + limit.min(LONGEST) + LOOK;
        for ring in self.rings() {
            if let Some(mut stream) = ring.stream_until(deadline) {
                ring.finish(&mut stream, true, device, tool);
            }
        }
    }

    pub fn lines(&self) -> Vec<RecordLine> {
        let deadline = Instant::now() + LOOK;
        let line = |ring: Arc<Ring>| match ring.stream_until(deadline) {
            Some(stream) => RecordLine {
                name: ring.name.clone(),
                agent: ring.agent.number,
                written: stream.consumed - stream.unfinished,
                dropped: stream.dropped,
                unfinished: stream.unfinished,
                problem: stream.problem.clone(),
            },
            None => RecordLine {
                name: ring.name.clone(),
                agent: ring.agent.number,
                written: 0,
                dropped: 0,
                unfinished: 0,
                problem: Some(STUCK.to_owned()),
            },
        };
        self.rings().into_iter().map(line).collect()
    }
}
