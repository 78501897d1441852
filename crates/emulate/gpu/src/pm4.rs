//! PM4 commands in indirect buffers, which AQL queues take as vendor packets: caches, waits, stores with a time or an interrupt.
//!
//! Caches are none here, and what comes before a command has ended, for queues work in order; so most of it is nothing to do. Source of
//! the layouts: the packet definitions in the Linux kernel's driver (`soc15d.h`, `nvd.h`).

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::{clock, condition, machine::Shared, memory::host_address};

/// `amd_aql_pm4_ib_packet_t`: an AQL packet around the command that jumps to the buffer.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct BufferPacket {
    pub header: u32,
    jump: u32,
    address: [u32; 2],
    control: u32,
    rest: [u32; 9],
    pub completion_signal: u64,
}

/// What came of a command.
#[derive(Debug)]
pub enum Step {
    /// Go on behind so many dwords.
    Done(u64),
    /// What it waits for has not come.
    Blocked,
    Fault {
        address: u64,
        write: bool,
    },
    Unknown(&'static str),
}

/// Commands of type 3 and their opcodes.
mod opcode {
    pub const NOP: u32 = 0x10;
    pub const PRED_EXEC: u32 = 0x23;
    pub const WAIT_REG_MEM: u32 = 0x3c;
    pub const INDIRECT_BUFFER: u32 = 0x3f;
    pub const EVENT_WRITE: u32 = 0x46;
    pub const RELEASE_MEM: u32 = 0x49;
    pub const ACQUIRE_MEM: u32 = 0x58;
}

/// Command of type 2: one dword that does nothing.
const FILLER: u32 = 0x8000_0000;
/// The count of a NOP that has no body.
const NO_BODY: u32 = 0x3fff;

/// The opcode of a command of type 3, and its dwords without the first.
fn parse(header: u32) -> Option<(u32, u64)> {
    (header >> 30 == 3).then_some((header >> 8 & 0xff, u64::from(header >> 16 & 0x3fff) + 1))
}

impl BufferPacket {
    /// Address of the buffer and its dwords; None if the packet holds another command.
    pub fn buffer(&self) -> Option<(u64, u64)> {
        let (opcode, _) = parse(self.jump)?;
        let address = u64::from(self.address[0] & !3) | u64::from(self.address[1]) << 32;
        (opcode == opcode::INDIRECT_BUFFER).then_some((address, u64::from(self.control & 0xf_ffff)))
    }
}

/// The commands that are left of a buffer.
pub struct Commands<'a> {
    pub shared: &'a Shared,
    /// The device that does them.
    pub node: u32,
    pub address: u64,
    pub dwords: u64,
}

impl Commands<'_> {
    /// The first dword, for a message; 0 if it cannot be read.
    pub fn header(&self) -> u32 {
        self.dword(0).unwrap_or(0)
    }

    /// Does the first command.
    pub fn step(&self) -> Step {
        self.execute().unwrap_or_else(|step| step)
    }

    fn execute(&self) -> Result<Step, Step> {
        let header = self.dword(0)?;
        if header == FILLER {
            return Ok(Step::Done(1));
        }
        let (opcode, body) =
            parse(header).ok_or(Step::Unknown("a command that is not of type 3"))?;
        if opcode == opcode::NOP && body == u64::from(NO_BODY) + 1 {
            return Ok(Step::Done(1));
        }
        if body >= self.dwords {
            return Err(Step::Unknown("a command that does not end in its buffer"));
        }
        let skipped = match opcode {
            opcode::NOP | opcode::EVENT_WRITE => 0,
            opcode::ACQUIRE_MEM => {
                self.shared.executor.invalidate_code();
                self.shared.forget_identities();
                0
            }
            opcode::RELEASE_MEM => self.release()?,
            opcode::WAIT_REG_MEM => self.wait()?,
            opcode::PRED_EXEC => self.predicate()?,
            _ => return Err(Step::Unknown("a command that is not emulated")),
        };
        Ok(Step::Done(1 + body + skipped))
    }

    /// One of the buffer's dwords.
    fn dword(&self, index: u64) -> Result<u32, Step> {
        let address = self.address + index * 4;
        if index >= self.dwords {
            return Err(Step::Unknown("a command that is too short"));
        }
        let cell: &AtomicU32 = self.cell(address, false)?;
        Ok(cell.load(Ordering::Relaxed))
    }

    fn long(&self, index: u64) -> Result<u64, Step> {
        Ok(u64::from(self.dword(index)?) | u64::from(self.dword(index + 1)?) << 32)
    }

    /// Memory that both sides access atomically.
    fn cell<T: Atomic>(&self, address: u64, write: bool) -> Result<&T, Step> {
        let size = size_of::<T>() as u64;
        let address = address & !(size - 1);
        let view = self.shared.memory.seen_by(self.node);
        let covered = view.reaches(address, size, write);
        covered.map_err(|address| Step::Fault { address, write })?;
        // SAFETY: just checked and aligned; `T` is an atomic integer, for which any bits are valid.
        Ok(unsafe { &*(host_address(address) as *const T) })
    }

    /// Stores a value or the time, then interrupts the host.
    fn release(&self) -> Result<u64, Step> {
        let (selection, address, value) = (self.dword(2)?, self.long(3)?, self.long(5)?);
        let message = self.dword(7)?;
        let interrupt = match selection >> 24 & 7 {
            0 | 3 => false,
            1 | 2 => true,
            _ => return Err(Step::Unknown("RELEASE_MEM with a conditional interrupt")),
        };
        match selection >> 29 {
            0 => {}
            1 => self
                .cell::<AtomicU32>(address, true)?
                .store(value as u32, Ordering::SeqCst),
            2 => self
                .cell::<AtomicU64>(address, true)?
                .store(value, Ordering::SeqCst),
            3 => self
                .cell::<AtomicU64>(address, true)?
                .store(clock::ticks(), Ordering::SeqCst),
            _ => {
                return Err(Step::Unknown(
                    "RELEASE_MEM of other data than values and the GPU's clock",
                ));
            }
        }
        if interrupt {
            // Without a number the driver looks through the mailboxes; the number is what was just stored in one.
            let event = if message == 0 { value as u32 } else { message };
            // The event may have gone meanwhile; then nobody waits.
            let _ = self.shared.events.set(event);
        }
        self.shared.kick();
        Ok(0)
    }

    /// Waits for a value in memory. Of registers only the idiom is known that flushes the host's path to memory and waits for its end.
    fn wait(&self) -> Result<u64, Step> {
        let control = self.dword(1)?;
        let (function, in_memory, operation) =
            (control & 7, control >> 4 & 1 == 1, control >> 6 & 3);
        let (reference, mask) = (self.dword(4)?, self.dword(5)?);
        match (in_memory, operation) {
            (false, 1) => return Ok(0),
            (true, 0) => {}
            _ => return Err(Step::Unknown("WAIT_REG_MEM on a register")),
        }
        let cell = self.cell::<AtomicU32>(self.long(2)?, false)?;
        let value = cell.load(Ordering::Acquire) & mask;
        let unknown = Step::Unknown("WAIT_REG_MEM with a function that there is none of");
        let holds = condition::holds(function, value, reference).ok_or(unknown)?;
        if holds { Ok(0) } else { Err(Step::Blocked) }
    }

    /// Skips commands that are not for the first part (XCC) of the device, which stands for all.
    fn predicate(&self) -> Result<u64, Step> {
        let control = self.dword(1)?;
        let skipped = u64::from(control & 0x3fff);
        Ok(if control >> 24 & 1 == 1 { 0 } else { skipped })
    }
}

/// Integers that are accessed atomically, of 32 and 64 bits.
trait Atomic {}
impl Atomic for AtomicU32 {}
impl Atomic for AtomicU64 {}
