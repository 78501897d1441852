//! System DMA queues: a ring of commands that copy, fill, store, wait and interrupt.
//!
//! Ring positions are bytes and only grow. Packets never wrap: the runtime pads the end of the ring with zero words.
//! Source of the layouts: AMD's published SDMA packet definitions; opcodes and fields that ROCr uses are in the table of
//! [`step`](SdmaQueue::step).

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
};

use gfx::Family;

use crate::{
    atomic, clock, condition, events::MemoryFault, guard::guarded, machine::Shared,
    memory::host_address, processor::Engine,
};

/// The outcome of executing one packet.
enum Step {
    /// Go on behind so many dwords.
    Done(u64),
    /// Go on behind so many dwords, and then interrupt the host: who is woken finds that the packet is done.
    Interrupt { dwords: u64, event: u32 },
    /// The packet's condition does not hold yet.
    Blocked,
    /// The packet touches memory the device may not.
    Fault { address: u64, write: bool },
    /// Not a packet we know.
    Unknown(&'static str),
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
    pub turn: Mutex<()>,
    pub shared: Arc<Shared>,
}

impl Engine for SdmaQueue {
    fn pump(&self) -> bool {
        let Ok(_turn) = self.turn.try_lock() else {
            return false;
        };
        let mut progress = false;
        while !self.stopped.load(Ordering::Relaxed) && !self.suspended.load(Ordering::SeqCst) {
            let (read, write) = (
                self.position(self.read_pointer),
                self.position(self.write_pointer),
            );
            let (read_at, write_at) = (read.load(Ordering::Relaxed), write.load(Ordering::Acquire));
            if read_at >= write_at {
                break;
            }
            // The program may take memory away between the check and the access.
            let step = guarded(&mut (), |_| self.step(read_at, write_at));
            let step = step.unwrap_or_else(|fault| Step::Fault {
                address: fault.address,
                write: fault.write,
            });
            match step {
                Step::Done(dwords) => read.store(read_at + dwords * 4, Ordering::Release),
                Step::Interrupt { dwords, event } => {
                    read.store(read_at + dwords * 4, Ordering::Release);
                    // The event may have gone meanwhile; then nobody waits.
                    let _ = self.shared.events.set(event);
                }
                Step::Blocked => break,
                Step::Fault { address, write } => self.fault(address, write),
                Step::Unknown(what) => {
                    let word = self.dword(read_at, 0);
                    let message = format!(
                        "luthier: SDMA queue {} stopped: packet {word:#010x}: {what} is not emulated",
                        self.id
                    );
                    self.shared.observer.report(&message);
                    self.stopped.store(true, Ordering::Relaxed);
                }
            }
            progress = true;
        }
        progress
    }
}

/// The bit of a linear copy's header that says that it has a second destination.
const BROADCAST: u32 = 1 << 27;

/// Bits of the fields of packets that copy rectangles.
struct Rectangle {
    /// Bits of columns and rows, in the lower and the upper half of a dword.
    xy: u32,
    /// Bits of slices.
    z: u32,
    /// First bit of the distance of rows, which takes the rest of the dword.
    pitch_bit: u32,
    /// Bits of the distance of slices.
    slice: u32,
}

impl Rectangle {
    fn for_family(family: Family) -> Rectangle {
        let (xy, z, pitch_bit, slice) = match family >= Family::Gfx12 {
            true => (16, 14, 16, 32),
            false => (14, 11, 13, 28),
        };
        Rectangle {
            xy,
            z,
            pitch_bit,
            slice,
        }
    }
}

/// The lowest `bits` of a dword.
fn field(dword: u32, bits: u32) -> u64 {
    u64::from(dword) & ((1 << bits) - 1)
}

impl SdmaQueue {
    fn position(&self, address: u64) -> &AtomicU64 {
        // SAFETY: both positions lie in memory that the machine allocated for this queue and frees after it, or in device
        // memory, as was checked, which the runtime frees after the queue.
        unsafe { AtomicU64::from_ptr(address as *mut u64) }
    }

    fn dword(&self, at: u64, index: u64) -> u32 {
        let offset = (at + index * 4) % self.ring_bytes;
        // SAFETY: the ring was checked to be device memory of `ring_bytes` when the queue was made; the runtime frees it
        // after the queue.
        unsafe { ((self.ring + offset) as *const u32).read_volatile() }
    }

    fn long(&self, at: u64, index: u64) -> u64 {
        u64::from(self.dword(at, index)) | u64::from(self.dword(at, index + 1)) << 32
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

    /// The dwords of the packet at `at`, whose header this is.
    fn length(&self, at: u64, header: u32) -> Result<u64, Step> {
        let (opcode, sub_opcode) = (header & 0xff, header >> 8 & 0xff);
        let gfx10 = self.family >= Family::Gfx10;
        #[rustfmt::skip]
        let dwords = match (opcode, sub_opcode) {
            // A count of words to skip.
            (0, _)  => 1 + u64::from(header >> 16 & 0x3fff),
            (1, 0) if header & BROADCAST != 0 => 9,
            (1, 0)  => 7,
            (1, 4)  => 13,
            (1, _)  => return Err(Step::Unknown("a copy that is neither linear nor a rectangle of linear memory")),
            (2, 0)  => 4 + self.written_dwords(at),
            (2, _)  => return Err(Step::Unknown("a write to tiled memory")),
            (4, _)  => return Err(Step::Unknown("an indirect buffer")),
            (5, _)  => 4,
            (6, _)  => 2,
            (7, _)  => return Err(Step::Unknown("a semaphore")),
            (8, 0)  => 6,
            (8, _)  => return Err(Step::Unknown("a poll of anything but one word in memory")),
            (9, _)  => 5,
            (10, _) => 8,
            (11, _) => 5,
            (13, 0..=2) => 3,
            (14, _) => return Err(Step::Unknown("a write to a register")),
            (17, _) if gfx10 => 5,
            _       => return Err(Step::Unknown("an unknown opcode")),
        };
        Ok(dwords)
    }

    /// The dwords of data that a write packet has; the count is one less.
    fn written_dwords(&self, at: u64) -> u64 {
        u64::from(self.dword(at, 3) & 0xf_ffff) + 1
    }

    fn step(&self, at: u64, write_at: u64) -> Step {
        self.execute(at, write_at).unwrap_or_else(|step| step)
    }

    fn execute(&self, at: u64, write_at: u64) -> Result<Step, Step> {
        let header = self.dword(at, 0);
        let (opcode, sub_opcode) = (header & 0xff, header >> 8 & 0xff);
        let left = (write_at - at) / 4;
        // The length of a write is in the packet, which must be there as far as that.
        if opcode == 2 && left < 4 {
            return Ok(Step::Blocked);
        }
        let mut dwords = self.length(at, header)?;
        if dwords > left {
            return Ok(Step::Blocked);
        }
        match (opcode, sub_opcode) {
            (1, 0) => {
                let (source, size) = (
                    self.long(at, 3),
                    u64::from(self.dword(at, 1) & 0x3fff_ffff) + 1,
                );
                self.copy(source, self.long(at, 5), size)?;
                if header & BROADCAST != 0 {
                    self.copy(source, self.long(at, 7), size)?;
                }
            }
            (1, 4) => self.copy_rectangle(at)?,
            (2, 0) => {
                let (address, count) = (self.long(at, 1), self.written_dwords(at));
                self.allowed(address, count * 4, true)?;
                for index in 0..count {
                    let value = self.dword(at, 4 + index);
                    // SAFETY: inside the range just checked.
                    unsafe {
                        (host_address(address + index * 4) as *mut u32).write_unaligned(value)
                    };
                }
            }
            (5, _) => self.store(self.long(at, 1), self.dword(at, 3))?,
            (6, _) => {
                let event = self.dword(at, 1);
                return Ok(Step::Interrupt { dwords, event });
            }
            (8, _) if header >> 31 == 1 => self.poll(at, header >> 28 & 7)?,
            (9, _) => {
                let reference = self.dword(at, 3);
                if self
                    .cell32(self.long(at, 1), false)?
                    .load(Ordering::Acquire)
                    != reference
                {
                    dwords += u64::from(self.dword(at, 4) & 0x3fff);
                    if dwords > left {
                        return Ok(Step::Blocked);
                    }
                }
            }
            (10, _) => self.atomic(at, header)?,
            (11, _) => self.fill(
                self.long(at, 1),
                self.dword(at, 3),
                self.dword(at, 4) & 0x3fff_ffff,
                header >> 30,
            )?,
            (13, 1 | 2) => {
                let address = self.long(at, 1);
                self.allowed(address, 8, true)?;
                // SAFETY: just checked; misalignment is allowed for.
                unsafe { (host_address(address) as *mut u64).write_unaligned(clock::ticks()) };
            }
            _ => {}
        }
        Ok(Step::Done(dwords))
    }

    fn copy(&self, source: u64, destination: u64, size: u64) -> Result<(), Step> {
        self.allowed(source, size, false)?;
        self.allowed(destination, size, true)?;
        // SAFETY: both ranges were just checked; overlap is allowed; racing host accesses see bytes old or new.
        unsafe {
            std::ptr::copy(
                host_address(source) as *const u8,
                host_address(destination) as *mut u8,
                size as usize,
            )
        };
        Ok(())
    }

    fn copy_rectangle(&self, at: u64) -> Result<(), Step> {
        let layout = Rectangle::for_family(self.family);
        let element = 1 << (self.dword(at, 0) >> 29);
        let side = |first: u64| {
            let (xy, z_pitch) = (self.dword(at, first + 2), self.dword(at, first + 3));
            let pitch = (u64::from(z_pitch >> layout.pitch_bit) + 1) * element;
            let slice = (field(self.dword(at, first + 4), layout.slice) + 1) * element;
            let (x, y, z) = (
                field(xy, layout.xy),
                field(xy >> 16, layout.xy),
                field(z_pitch, layout.z),
            );
            (
                self.long(at, first) + x * element + y * pitch + z * slice,
                pitch,
                slice,
            )
        };
        let (source, source_pitch, source_slice) = side(1);
        let (destination, destination_pitch, destination_slice) = side(6);
        let (xy, z) = (self.dword(at, 11), self.dword(at, 12));
        let row = (field(xy, layout.xy) + 1) * element;
        for z in 0..=field(z, layout.z) {
            for y in 0..=field(xy >> 16, layout.xy) {
                let from = source + y * source_pitch + z * source_slice;
                self.copy(
                    from,
                    destination + y * destination_pitch + z * destination_slice,
                    row,
                )?;
            }
        }
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
        Ok(())
    }

    fn cell32(&self, address: u64, write: bool) -> Result<&AtomicU32, Step> {
        self.allowed(address & !3, 4, write)?;
        // SAFETY: just checked and aligned; the host accesses such words atomically.
        Ok(unsafe { AtomicU32::from_ptr(host_address(address & !3) as *mut u32) })
    }

    fn store(&self, address: u64, value: u32) -> Result<(), Step> {
        self.cell32(address, true)?.store(value, Ordering::SeqCst);
        Ok(())
    }

    fn poll(&self, at: u64, function: u32) -> Result<(), Step> {
        let (reference, mask) = (self.dword(at, 3), self.dword(at, 4));
        let value = self
            .cell32(self.long(at, 1), false)?
            .load(Ordering::Acquire)
            & mask;
        // The one number that means nothing is taken for the last that means something.
        let holds = condition::holds(function, value, reference).unwrap_or(value > reference);
        if holds { Ok(()) } else { Err(Step::Blocked) }
    }

    fn atomic(&self, at: u64, header: u32) -> Result<(), Step> {
        let number = header >> 25;
        let (address, data, compared) = (self.long(at, 1), self.long(at, 3), self.long(at, 5));
        let stored = if let Some(operation) = atomic::narrow(number) {
            atomic::update32(self.cell32(address, true)?, operation, data, compared)
        } else if let Some(operation) = atomic::wide(number) {
            let address = address & !7;
            self.allowed(address, 8, true)?;
            // SAFETY: just checked and aligned; all parties access such words atomically.
            let cell = unsafe { AtomicU64::from_ptr(host_address(address) as *mut u64) };
            atomic::update64(cell, operation, data, compared)
        } else {
            return Err(Step::Unknown("an atomic operation of this number"));
        };
        // An exchange on comparison can be one that is tried until it happens.
        if !stored && header >> 16 & 1 == 1 {
            return Err(Step::Blocked);
        }
        self.shared.kick();
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
