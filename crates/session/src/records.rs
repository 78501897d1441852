//! Streams of records: the host's end of `luthier::ring`.
//!
//! Kernels write slots in memory that host and device share: a sequence word, the low half of the record's index + 1, and
//! the record. Indices have no gaps, so the host follows them: a slot whose sequence word is the expected one is complete.
//! It copies complete slots, publishes how many it has taken, which makes room, and hands the records to the tool.
//! Counters of the device are read only at the end.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, TryLockError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use serde::Serialize;

use crate::{Agent, Device, DeviceError, Instrumenter, MemoryKind, RingSpec, build::message, lock};

/// Bytes of `struct luthier::ring`.
pub const CONTROL_SIZE: usize = 48;
/// Its fields that the host reads at the end.
const RESERVED: usize = 8;
const DROPPED: usize = 16;
/// Most slots copied at once.
const BATCH: u64 = 4096;
/// Pauses between looks at the rings: this after records came, and up to that when none come.
const BUSY: Duration = Duration::from_micros(500);
const IDLE: Duration = Duration::from_millis(16);
const STACK: usize = 4 << 20;
/// How long the summary waits for the thread that empties the rings.
const LOOK: Duration = Duration::from_secs(1);

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

/// What became of the records of one ring.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordLine {
    pub name: String,
    /// Number of the agent.
    pub agent: u32,
    pub written: u64,
    /// Records that found the ring full.
    pub dropped: u64,
    /// Records whose kernel died or was still running at the end.
    pub unfinished: u64,
    pub problem: Option<String>,
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
            .clamp(1, 1 << 30)
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
        let fields = [0, 0, 0, self.capacity, self.slots, self.consumed_word];
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

    /// The last drain: also takes what lies behind slots that will never be completed.
    fn finish(&mut self, control: u64, device: &dyn Device, tool: &dyn Instrumenter) {
        self.drain(device, tool);
        let mut bytes = [0; CONTROL_SIZE];
        if let Err(error) = device.read(control, &mut bytes) {
            self.problem = Some(format!("its counters cannot be read: {error}"));
            return;
        }
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

/// All rings, each with the address of its `luthier::ring` while that exists.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    streams: Mutex<Vec<(Stream, Option<u64>)>>,
    consuming: AtomicBool,
    finished: AtomicBool,
}

impl Streams {
    pub fn add(&self, stream: Stream, control: u64) {
        lock(&self.streams).push((stream, Some(control)));
    }

    /// Starts the thread that empties the rings, if there are any and it does not run yet.
    pub fn consume(
        self: &Arc<Self>,
        device: &Arc<dyn Device>,
        tool: &Arc<dyn Instrumenter>,
    ) -> bool {
        if lock(&self.streams).is_empty() || self.consuming.swap(true, Ordering::AcqRel) {
            return true;
        }
        let (streams, tool) = (Arc::clone(self), Arc::clone(tool));
        let their_device = Arc::clone(device);
        let task = Box::new(move || {
            let mut pause = BUSY;
            while !streams.finished.load(Ordering::Acquire) {
                let came: u64 = lock(&streams.streams)
                    .iter_mut()
                    .map(|(stream, _)| stream.drain(&*their_device, &*tool))
                    .sum();
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

    /// The `luthier::ring` at this address, if there is one, is about to go.
    pub fn leave(&self, control: u64, device: &dyn Device, tool: &dyn Instrumenter) {
        for (stream, place) in lock(&self.streams).iter_mut() {
            if *place == Some(control) {
                stream.finish(control, device, tool);
                *place = None;
            }
        }
    }

    /// Stops the thread and takes what is left.
    pub fn finish(&self, device: &dyn Device, tool: &dyn Instrumenter) {
        if self.finished.swap(true, Ordering::AcqRel) {
            return;
        }
        for (stream, control) in lock(&self.streams).iter_mut() {
            if let Some(control) = control.take() {
                stream.finish(control, device, tool);
            }
        }
    }

    /// None while a tool does not come back from what it does with records.
    pub fn lines(&self) -> Vec<RecordLine> {
        let deadline = Instant::now() + LOOK;
        let streams = loop {
            match self.streams.try_lock() {
                Ok(streams) => break streams,
                Err(TryLockError::Poisoned(error)) => break error.into_inner(),
                Err(TryLockError::WouldBlock) if Instant::now() > deadline => return Vec::new(),
                Err(TryLockError::WouldBlock) => std::thread::sleep(BUSY),
            }
        };
        let line = |(stream, _): &(Stream, Option<u64>)| RecordLine {
            name: stream.name.clone(),
            agent: stream.agent.number,
            written: stream.consumed - stream.unfinished,
            dropped: stream.dropped,
            unfinished: stream.unfinished,
            problem: stream.problem.clone(),
        };
        streams.iter().map(line).collect()
    }
}
