//! The packets of copy engines: their lengths, and what they do.
//!
//! Source of the layouts: AMD's published SDMA packet definitions; opcodes and fields that ROCr uses are in the table of
//! [`length`](Packets::length).

use std::sync::atomic::{AtomicU64, Ordering};

use gfx::Family;

use super::{SdmaQueue, Step};
use crate::{atomic, clock, condition, memory::host_address};

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

/// Packets in the ring, or in a buffer that a packet of the ring names.
pub(super) struct Packets<'a> {
    pub queue: &'a SdmaQueue,
    pub base: u64,
    pub bytes: u64,
    /// A buffer's packets cannot name another.
    pub in_buffer: bool,
}

impl Packets<'_> {
    pub fn dword(&self, at: u64, index: u64) -> u32 {
        let offset = (at + index * 4) % self.bytes;
        // SAFETY: this is a ring, which the machine checked to be device memory and the runtime frees after its queue, or a buffer that
        // the queue checked before it began with it. If the program frees that too early, `guarded` turns the signal into a fault.
        unsafe { (host_address(self.base + offset) as *const u32).read_volatile() }
    }

    fn long(&self, at: u64, index: u64) -> u64 {
        u64::from(self.dword(at, index)) | u64::from(self.dword(at, index + 1)) << 32
    }

    /// The dwords of the packet at `at`, whose header this is.
    fn length(&self, at: u64, header: u32) -> Result<u64, Step> {
        let (opcode, sub_opcode) = (header & 0xff, header >> 8 & 0xff);
        let gfx10 = self.queue.family >= Family::Gfx10;
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
            (4, _) if self.in_buffer => return Err(Step::Unknown("an indirect buffer in another")),
            (4, _)  => 6,
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

    /// Returns `true` if the packet at `at` has dwords behind `end`.
    pub fn is_cut(&self, at: u64, end: u64) -> bool {
        let header = self.dword(at, 0);
        let left = (end - at) / 4;
        header & 0xff == 2 && left < 4 || self.length(at, header).is_ok_and(|dwords| dwords > left)
    }

    /// Does the packet at `at`; packets are there as far as `write_at`.
    pub fn step(&self, at: u64, write_at: u64) -> Step {
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
            (1, 0) => self.copy_linear(at, header)?,
            (1, 4) => self.copy_rectangle(at)?,
            (2, 0) => self.write(at)?,
            (4, _) => {
                let (address, count) = (
                    self.long(at, 1) & !3,
                    u64::from(self.dword(at, 3) & 0xf_ffff),
                );
                self.queue.allowed(address, count * 4, false)?;
                return Ok(Step::Buffer {
                    dwords,
                    address,
                    count,
                });
            }
            (5, _) => self.queue.store(self.long(at, 1), self.dword(at, 3))?,
            (6, _) => {
                let event = self.dword(at, 1);
                self.queue.ends();
                return Ok(Step::Interrupt { dwords, event });
            }
            (8, _) if header >> 31 == 1 => self.poll(at, header >> 28 & 7)?,
            (9, _) => {
                dwords += self.skipped(at)?;
                if dwords > left && !self.in_buffer {
                    return Ok(Step::Blocked);
                }
            }
            (10, _) => self.atomic(at, header)?,
            (11, _) => self.queue.fill(
                self.long(at, 1),
                self.dword(at, 3),
                self.dword(at, 4) & 0x3fff_ffff,
                header >> 30,
            )?,
            (13, 1 | 2) => {
                let address = self.long(at, 1);
                self.queue.allowed(address, 8, true)?;
                // SAFETY: just checked; misalignment is allowed for.
                unsafe { (host_address(address) as *mut u64).write_unaligned(clock::ticks()) };
            }
            _ => {}
        }
        Ok(Step::Done(dwords))
    }

    /// Copies consecutive bytes, to one or two places.
    fn copy_linear(&self, at: u64, header: u32) -> Result<(), Step> {
        let source = self.long(at, 3);
        let size = u64::from(self.dword(at, 1) & 0x3fff_ffff) + 1;
        self.queue.copy(source, self.long(at, 5), size)?;
        if header & BROADCAST != 0 {
            self.queue.copy(source, self.long(at, 7), size)?;
        }
        Ok(())
    }

    /// Writes the packet's data.
    fn write(&self, at: u64) -> Result<(), Step> {
        let (address, count) = (self.long(at, 1), self.written_dwords(at));
        self.queue.allowed(address, count * 4, true)?;
        self.queue.transfers(None, address, count * 4);
        for index in 0..count {
            let value = self.dword(at, 4 + index);
            // SAFETY: inside the range just checked.
            unsafe { (host_address(address + index * 4) as *mut u32).write_unaligned(value) };
        }
        Ok(())
    }

    /// The dwords that a conditional packet skips behind itself: none if memory has the value that it names.
    fn skipped(&self, at: u64) -> Result<u64, Step> {
        let cell = self.queue.cell32(self.long(at, 1), false)?;
        Ok(match cell.load(Ordering::Acquire) == self.dword(at, 3) {
            true => 0,
            false => u64::from(self.dword(at, 4) & 0x3fff),
        })
    }

    fn copy_rectangle(&self, at: u64) -> Result<(), Step> {
        let layout = Rectangle::for_family(self.queue.family);
        let element = self.dword(at, 0) >> 29;
        if element > 4 {
            return Err(Step::Unknown(
                "a rectangle with elements of more than 16 bytes",
            ));
        }
        let element = 1 << element;
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
                self.queue.copy(
                    from,
                    destination + y * destination_pitch + z * destination_slice,
                    row,
                )?;
            }
        }
        Ok(())
    }

    fn poll(&self, at: u64, function: u32) -> Result<(), Step> {
        let (address, reference, mask) = (self.long(at, 1), self.dword(at, 3), self.dword(at, 4));
        let cell = self.queue.cell32(address, false)?;
        self.queue.ends();
        let value = cell.load(Ordering::Acquire) & mask;
        // The one number that means nothing is taken for the last that means something.
        let holds = condition::holds(function, value, reference).unwrap_or(value > reference);
        let is_zero = condition::holds(function, 0, reference) == Some(true)
            && condition::holds(function, 1, reference) == Some(false);
        self.queue.polled(address, is_zero, holds);
        if holds { Ok(()) } else { Err(Step::Blocked) }
    }

    fn atomic(&self, at: u64, header: u32) -> Result<(), Step> {
        let number = header >> 25;
        let (address, data, compared) = (self.long(at, 1), self.long(at, 3), self.long(at, 5));
        let stored = if let Some(operation) = atomic::narrow(number) {
            atomic::update32(self.queue.cell32(address, true)?, operation, data, compared)
        } else if let Some(operation) = atomic::wide(number) {
            let address = address & !7;
            self.queue.allowed(address, 8, true)?;
            // SAFETY: just checked and aligned; all parties access such words atomically.
            let cell = unsafe { AtomicU64::from_ptr(host_address(address) as *mut u64) };
            let now = cell.load(Ordering::Acquire);
            if let Some(next) = operation(now, data, compared) {
                self.queue.completes(address, next == 0);
            }
            atomic::update64(cell, operation, data, compared)
        } else {
            return Err(Step::Unknown("an atomic operation of this number"));
        };
        // An exchange on comparison can be one that is tried until it happens.
        if !stored && header >> 16 & 1 == 1 {
            return Err(Step::Blocked);
        }
        self.queue.shared.kick();
        Ok(())
    }
}
