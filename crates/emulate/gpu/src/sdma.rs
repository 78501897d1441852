//! System DMA queues: a ring of commands that copy, fill, store, wait and interrupt.
//!
//! Ring positions are bytes and only grow. Packets never wrap: the runtime pads the end of the ring with zero words. [`packets`] has what
//! each of them does. A packet may name a buffer of packets, which are done before the next one of the ring.

mod order;
mod packets;

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
};

use gfx::Family;

use crate::{
    events::MemoryFault, guard::guarded, machine::Shared, memory::host_address, order::Order,
    processor::Engine,
};
use packets::Packets;

/// The outcome of executing one packet.
enum Step {
    /// Go on behind so many dwords.
    Done(u64),
    /// Go on behind so many dwords, and then interrupt the host: who is woken finds that the packet is done.
    Interrupt { dwords: u64, event: u32 },
    /// Do so many dwords in a buffer, and then go on behind so many dwords here.
    Buffer {
        dwords: u64,
        address: u64,
        count: u64,
    },
    /// The packet's condition does not hold yet.
    Blocked,
    /// The packet touches memory the device may not.
    Fault { address: u64, write: bool },
    /// Not a packet we know.
    Unknown(&'static str),
}

/// A buffer of packets that is being done.
#[derive(Debug)]
pub(crate) struct Buffer {
    address: u64,
    bytes: u64,
    done: u64,
    /// How far the ring is done behind it.
    behind: u64,
}

pub(crate) struct SdmaQueue {
    pub id: u64,
    pub node: u32,
    pub family: Family,
    pub ring: u64,
    pub ring_bytes: u64,
    /// Address of the write position, which the host stores to.
    pub write_pointer: u64,
    pub read_pointer: u64,
    /// The page with both, if it was allocated for this queue.
    pub own_positions: Option<u64>,
    pub stopped: AtomicBool,
    /// Nothing is processed until this is taken back.
    pub suspended: AtomicBool,
    /// The thread that holds it processes packets.
    pub turn: Mutex<Option<Buffer>>,
    /// The place of the copy that is being done among launches, if someone wants to know it.
    pub copying: Mutex<Option<Arc<Order>>>,
    pub shared: Arc<Shared>,
}

impl Engine for SdmaQueue {
    fn pump(&self) -> bool {
        let Ok(mut buffer) = self.turn.try_lock() else {
            return false;
        };
        let mut progress = false;
        while !self.stopped.load(Ordering::Relaxed) && !self.suspended.load(Ordering::SeqCst) {
            let Some((packets, at, end)) = self.next(&mut buffer) else {
                self.ends();
                break;
            };
            // The program may take memory away between the check and the access.
            let step = guarded(&mut (), |_| packets.step(at, end));
            let step = step.unwrap_or_else(|fault| Step::Fault {
                address: fault.address,
                write: fault.write,
            });
            match step {
                Step::Done(dwords) => self.pass(&mut buffer, at + dwords * 4),
                Step::Interrupt { dwords, event } => {
                    self.pass(&mut buffer, at + dwords * 4);
                    // The event may have gone meanwhile; then no thread waits for it.
                    let _ = self.shared.events.set(event);
                }
                Step::Buffer {
                    dwords,
                    address,
                    count,
                } => {
                    *buffer = Some(Buffer {
                        address,
                        bytes: count * 4,
                        done: 0,
                        behind: at + dwords * 4,
                    });
                }
                // A buffer does not grow.
                Step::Blocked if packets.in_buffer && packets.is_cut(at, end) => {
                    self.unknown(&packets, at, "a packet that is longer than its buffer");
                }
                Step::Blocked => break,
                Step::Fault { address, write } => self.fault(address, write),
                Step::Unknown(what) => self.unknown(&packets, at, what),
            }
            progress = true;
        }
        progress
    }
}

impl SdmaQueue {
    fn position(&self, address: u64) -> &AtomicU64 {
        // SAFETY: both positions lie in memory that the machine allocated for this queue and frees after it, or in device
        // memory, as was checked, which the runtime frees after the queue.
        unsafe { AtomicU64::from_ptr(address as *mut u64) }
    }

    /// The next packet: where it is, and where packets end. None if there is none yet.
    fn next(&self, buffer: &mut Option<Buffer>) -> Option<(Packets<'_>, u64, u64)> {
        let read = self.position(self.read_pointer);
        if let Some(Buffer {
            address,
            bytes,
            done,
            behind,
        }) = *buffer
        {
            if done < bytes {
                let packets = Packets {
                    queue: self,
                    base: address,
                    bytes,
                    in_buffer: true,
                };
                return Some((packets, done, bytes));
            }
            self.has_done(behind);
            *buffer = None;
        }
        let write = self.position(self.write_pointer);
        let (read_at, write_at) = (read.load(Ordering::Relaxed), write.load(Ordering::Acquire));
        let packets = Packets {
            queue: self,
            base: self.ring,
            bytes: self.ring_bytes,
            in_buffer: false,
        };
        (read_at < write_at).then_some((packets, read_at, write_at))
    }

    /// The packets of the buffer, or else of the ring, are done as far as this.
    fn pass(&self, buffer: &mut Option<Buffer>, position: u64) {
        match buffer {
            Some(buffer) => buffer.done = position,
            None => self.has_done(position),
        }
    }

    /// The ring is done up to this position.
    fn has_done(&self, position: u64) {
        if let Some(orders) = &self.shared.orders {
            orders.done(self.id, position);
        }
        self.position(self.read_pointer)
            .store(position, Ordering::Release);
    }

    fn unknown(&self, packets: &Packets<'_>, at: u64, what: &str) {
        let word = packets.dword(at, 0);
        let message = format!(
            "luthier: SDMA queue {} stopped: packet {word:#010x}: {what} is not emulated",
            self.id
        );
        self.shared.observer.report(&message);
        self.stopped.store(true, Ordering::Relaxed);
    }

    fn allowed(&self, address: u64, size: u64, write: bool) -> Result<(), Step> {
        self.shared
            .memory
            .seen_by(self.node)
            .reaches(address, size, write)
            .map_err(|address| Step::Fault { address, write })
    }

    /// Stops or continues processing. When this returns, nothing is done any more.
    pub fn suspend(&self, suspended: bool) {
        self.suspended.store(suspended, Ordering::SeqCst);
        if suspended {
            // A thread in the middle of a packet finishes it first.
            drop(self.turn.lock());
        }
    }

    fn copy(&self, source: u64, destination: u64, size: u64) -> Result<(), Step> {
        self.allowed(source, size, false)?;
        self.allowed(destination, size, true)?;
        self.transfers(Some(source), destination, size);
        // SAFETY: both ranges were just checked; overlap is allowed; racing host accesses see bytes old or new.
        unsafe {
            std::ptr::copy(
                host_address(source) as *const u8,
                host_address(destination) as *mut u8,
                size as usize,
            )
        };
        self.shared.memory.copied(destination, source, size);
        Ok(())
    }

    /// Fills elements of 1, 2 or 4 bytes. The count is the bytes less one, of which the bits below an element do not count.
    fn fill(&self, address: u64, value: u32, count: u32, element: u32) -> Result<(), Step> {
        if element > 2 {
            return Err(Step::Unknown("a fill with elements of 8 bytes"));
        }
        let width = 1_u64 << element;
        let size = (u64::from(count) & !(width - 1)) + width;
        self.allowed(address, size, true)?;
        self.transfers(None, address, size);
        for offset in (0..size).step_by(width as usize) {
            let at = host_address(address + offset);
            // SAFETY: inside the range just checked, which is whole elements long.
            unsafe {
                match element {
                    0 => (at as *mut u8).write(value as u8),
                    1 => (at as *mut u16).write_unaligned(value as u16),
                    _ => (at as *mut u32).write_unaligned(value),
                }
            }
        }
        self.shared.memory.written(address, size);
        Ok(())
    }

    fn cell32(&self, address: u64, write: bool) -> Result<&AtomicU32, Step> {
        self.allowed(address & !3, 4, write)?;
        // SAFETY: just checked and aligned; the host accesses such words atomically.
        Ok(unsafe { AtomicU32::from_ptr(host_address(address & !3) as *mut u32) })
    }

    fn store(&self, address: u64, value: u32) -> Result<(), Step> {
        let cell = self.cell32(address, true)?;
        self.completes(address, value == 0);
        cell.store(value, Ordering::SeqCst);
        self.shared.memory.written(address & !3, 4);
        Ok(())
    }

    fn fault(&self, address: u64, write: bool) {
        self.stopped.store(true, Ordering::Relaxed);
        let access = if write { "write to" } else { "read of" };
        let place = self.shared.memory.seen_by(self.node).describe(address);
        let message = format!(
            "luthier: SDMA queue {} stopped: {access} {address:#x}, {place}",
            self.id
        );
        self.shared.observer.report(&message);
        let read_only = write && self.shared.memory.seen_by(self.node).is_read_only(address);
        self.shared.events.memory_fault(MemoryFault {
            node: self.node,
            address,
            read_only,
        });
    }
}
