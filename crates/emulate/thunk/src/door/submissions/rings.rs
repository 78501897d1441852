//! The rings of contexts.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use gpu::{
    Machine,
    memory::{PAGE, Request},
};
use kmt_sys::drm::{self, ring};

use super::super::{Result, commands::once, refuse};
use crate::instance::Instance;

/// Between two looks at whether a submission is done.
pub const PAUSE: Duration = Duration::from_micros(50);
/// The number that stands for the newest submission.
const NEWEST: u64 = u64::MAX;
/// Bytes of a ring.
const RING: u64 = PAGE;
/// Where in the page behind the ring the positions are, and the number of the last submission that is done.
const WRITTEN: u64 = 0;
const READ: u64 = 128;
const FINISHED: u64 = 256;
/// Where a program's commands must begin, and the longest buffer that packets can name, in dwords.
const ALIGNMENT: u64 = 4;
const LONGEST: u32 = 0xf_ffff;

/// The ring of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    kind: u32,
    instance: u32,
    number: u32,
}

impl Place {
    pub fn new(kind: u32, instance: u32, number: u32) -> Place {
        Place {
            kind,
            instance,
            number,
        }
    }

    /// Refuses a place that the driver has no ring at.
    pub fn check(self) -> Result {
        let rings = match self.kind {
            ring::COMPUTE => 4,
            ring::DMA => 2,
            other => {
                let what = match other {
                    ring::GRAPHICS => "graphics".to_owned(),
                    other => format!("hardware of kind {other}"),
                };
                once(
                    u64::from(other) << 8 | 6,
                    &format!(
                        "commands for {what} (amdgpu_cs_submit) are not emulated; those for compute and for copies are"
                    ),
                );
                return refuse(libc::EINVAL);
            }
        };
        if self.instance != 0 || self.number >= rings {
            return refuse(libc::EINVAL);
        }
        Ok(())
    }
}

/// A submission that may not be done yet.
struct Pending {
    number: u64,
    /// Where its packets begin, in dwords that were ever put into the ring.
    begin: u64,
    /// Rings that it waits for, which must stay.
    _awaited: Vec<Arc<Ring>>,
}

#[derive(Default)]
struct State {
    pending: VecDeque<Pending>,
    last: u64,
    /// Dwords that were ever put into the ring.
    end: u64,
}

/// A queue of the device that a context submits to.
pub struct Ring {
    kind: u32,
    queue: u64,
    memory: u64,
    state: Mutex<State>,
}

fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

impl Ring {
    pub fn new(machine: &Machine, node: u32, place: Place) -> Result<Ring> {
        let memory = machine.memory().allocate(Request {
            node,
            size: RING + PAGE,
            flags: 0,
            writable: true,
            device_local: false,
            remote: false,
        })?;
        let positions = (memory + RING + WRITTEN, memory + RING + READ);
        let queue = match place.kind {
            ring::DMA => machine.create_sdma_queue(node, memory, RING, Some(positions)),
            _ => machine.create_compute_queue(node, memory, RING, positions, 0),
        };
        match queue {
            Ok(queue) => Ok(Ring {
                kind: place.kind,
                queue: queue.id,
                memory,
                state: Mutex::default(),
            }),
            Err(error) => {
                let _ = machine.memory().free(memory);
                Err(error.into())
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        guest::lock(&self.state)
    }

    fn cell(&self, offset: u64) -> &AtomicU64 {
        // SAFETY: in the page behind the ring, which is freed after this ring is given up; aligned, and both sides access it atomically.
        unsafe { AtomicU64::from_ptr((self.memory + RING + offset) as *mut u64) }
    }

    /// The packets that lead to a buffer of commands.
    fn jump(&self, buffer: &drm::Commands) -> Result<Vec<u32>> {
        let dwords = buffer.bytes / 4;
        if buffer.bytes == 0
            || !buffer.bytes.is_multiple_of(4)
            || !buffer.address.is_multiple_of(ALIGNMENT)
            || dwords > LONGEST
        {
            return refuse(libc::EINVAL);
        }
        let [low, high] = halves(buffer.address);
        Ok(match self.kind {
            ring::DMA => vec![4, low, high, dwords, 0, 0],
            _ => vec![0xc002_3f00, low, high, dwords],
        })
    }

    /// The packet that writes a submission's number.
    fn mark(&self, number: u64) -> Vec<u32> {
        let ([low, high], [first, second]) =
            (halves(self.memory + RING + FINISHED), halves(number));
        match self.kind {
            ring::DMA => vec![2, low, high, 1, first, second],
            _ => vec![0xc004_3700, 5 << 8 | 1 << 20, low, high, first, second],
        }
    }

    /// The packet that waits for a submission to another ring.
    fn wait_for(&self, other: &Ring, number: u64) -> Vec<u32> {
        const AT_LEAST: u32 = 5;
        let ([low, high], value) = (halves(other.memory + RING + FINISHED), number as u32);
        match self.kind {
            ring::DMA => vec![8 | AT_LEAST << 28 | 1 << 31, low, high, value, !0, 0],
            _ => vec![0xc005_3c00, AT_LEAST | 1 << 4, low, high, value, !0, 4],
        }
    }

    /// Puts buffers of commands into the ring, to be done behind other submissions; the submission's number.
    pub fn submit(
        &self,
        instance: &Instance,
        first: &[(Arc<Ring>, u64)],
        buffers: &[drm::Commands],
    ) -> Result<u64> {
        let mut words = Vec::new();
        let mut awaited = Vec::new();
        for (ring, number) in first {
            // The submissions to one ring are done in order.
            if !ring.finish(instance, *number, Some(Instant::now()))? && ring.queue != self.queue {
                words.extend(self.wait_for(ring, ring.resolve(*number)?));
                awaited.push(ring.clone());
            }
        }
        for buffer in buffers {
            words.extend(self.jump(buffer)?);
        }
        let mut state = self.state();
        let number = state.last + 1;
        words.extend(self.mark(number));
        let count = words.len() as u64;
        if count > RING / 4 {
            return refuse(libc::EINVAL);
        }
        loop {
            self.forget(&mut state);
            let free = match state.pending.front() {
                None => RING / 4,
                // The space in front of the oldest one that is not done is free.
                Some(oldest) => RING / 4 - (state.end - oldest.begin),
            };
            if free >= count {
                break;
            }
            if instance.machine.has_stopped(self.queue) {
                return refuse(libc::ECANCELED);
            }
            std::thread::sleep(PAUSE);
        }
        for (index, word) in words.iter().enumerate() {
            let place = (state.end + index as u64) % (RING / 4);
            // SAFETY: inside the ring; the device is done with this place.
            unsafe { ((self.memory + place * 4) as *mut u32).write_volatile(*word) };
        }
        let begin = state.end;
        state.pending.push_back(Pending {
            number,
            begin,
            _awaited: awaited,
        });
        state.end += count;
        state.last = number;
        let scale = if self.kind == ring::DMA { 4 } else { 1 };
        self.cell(WRITTEN)
            .store(state.end * scale, Ordering::SeqCst);
        instance.machine.kick();
        Ok(number)
    }

    /// Forgets submissions that are done.
    fn forget(&self, state: &mut State) {
        let finished = self.cell(FINISHED).load(Ordering::Acquire);
        while state
            .pending
            .front()
            .is_some_and(|oldest| oldest.number <= finished)
        {
            state.pending.pop_front();
        }
    }

    /// The number of a submission that there was.
    fn resolve(&self, number: u64) -> Result<u64> {
        match self.state().last {
            last if number == NEWEST => Ok(last),
            last if number > last => refuse(libc::EINVAL),
            _ => Ok(number),
        }
    }

    /// Waits for a submission; whether it is done. Without a deadline it waits as long as it takes.
    pub fn finish(
        &self,
        instance: &Instance,
        number: u64,
        deadline: Option<Instant>,
    ) -> Result<bool> {
        let number = self.resolve(number)?;
        loop {
            if self.cell(FINISHED).load(Ordering::Acquire) >= number {
                return Ok(true);
            }
            // A message has said why.
            if instance.machine.has_stopped(self.queue) {
                return refuse(libc::ECANCELED);
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Ok(false);
            }
            instance.machine.kick();
            std::thread::sleep(PAUSE);
        }
    }

    /// Gives the ring up if all of its submissions are done; else it stays, as the driver's jobs do.
    pub fn end(self, machine: &Machine) {
        let last = self.state().last;
        let is_done = self.cell(FINISHED).load(Ordering::Acquire) >= last;
        if (is_done || machine.has_stopped(self.queue)) && machine.destroy_queue(self.queue).is_ok()
        {
            let _ = machine.memory().free(self.memory);
        }
    }
}
