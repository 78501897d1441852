//! PM4 commands, in compute queues of their own and in indirect buffers that AQL queues take as vendor packets: registers, dispatches,
//! caches, waits, copies and stores, with a time or an interrupt.
//!
//! Caches are none here, and what comes before a command has ended, for queues work in order; so most of it is nothing to do. Source of
//! the layouts: the packet definitions in the Linux kernel's driver (`soc15d.h`, `nvd.h`).

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::{atomic, clock, condition, machine::Shared, memory::host_address};

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

/// The outcome of a command.
#[derive(Debug)]
pub enum Step {
    /// Go on behind so many dwords.
    Done(u64),
    /// Go on behind so many dwords, and then interrupt the host: who is woken finds that the command is done.
    Interrupt {
        done: u64,
        event: u32,
    },
    /// The packet waits for a value that has not come.
    Blocked,
    Fault {
        address: u64,
        write: bool,
    },
    Unknown(&'static str),
    /// Go on behind so many dwords, with the commands of another buffer first.
    Buffer {
        done: u64,
        address: u64,
        dwords: u64,
    },
    /// Go on behind so many dwords; the registers from `first` on have the values of the dwords from the third on.
    Registers {
        done: u64,
        first: u32,
    },
    /// Go on behind so many dwords; a dispatch is to be started.
    Dispatch {
        done: u64,
        size: [u32; 3],
        initiator: u32,
    },
}

/// Commands of type 3 and their opcodes.
mod opcode {
    pub const NOP: u32 = 0x10;
    pub const DISPATCH_DIRECT: u32 = 0x15;
    pub const DISPATCH_INDIRECT: u32 = 0x16;
    pub const ATOMIC_MEM: u32 = 0x1e;
    pub const COND_EXEC: u32 = 0x22;
    pub const PRED_EXEC: u32 = 0x23;
    pub const WRITE_DATA: u32 = 0x37;
    pub const WAIT_REG_MEM: u32 = 0x3c;
    pub const INDIRECT_BUFFER: u32 = 0x3f;
    pub const COPY_DATA: u32 = 0x40;
    pub const EVENT_WRITE: u32 = 0x46;
    pub const RELEASE_MEM: u32 = 0x49;
    pub const ACQUIRE_MEM: u32 = 0x58;
    pub const SET_SH_REG: u32 = 0x76;
    pub const WAIT_REG_MEM64: u32 = 0x93;
    pub const HDP_FLUSH: u32 = 0x95;
    pub const INVALIDATE_TLBS: u32 = 0x98;
    pub const SET_SH_REG_INDEX: u32 = 0x9b;
}

/// The dwords that commands have behind the first, at least.
#[rustfmt::skip]
const SHORTEST: &[(u32, u64)] = &[
    (opcode::DISPATCH_DIRECT,   4),
    (opcode::DISPATCH_INDIRECT, 3),
    (opcode::ATOMIC_MEM,        8),
    (opcode::COND_EXEC,         4),
    (opcode::WRITE_DATA,        4),
    (opcode::WAIT_REG_MEM,      6),
    (opcode::INDIRECT_BUFFER,   3),
    (opcode::COPY_DATA,         5),
    (opcode::RELEASE_MEM,       7),
    (opcode::ACQUIRE_MEM,       6),
    (opcode::SET_SH_REG,        2),
    (opcode::WAIT_REG_MEM64,    8),
    (opcode::SET_SH_REG_INDEX,  2),
];

/// A command that is too short would take the next command's dwords for its own, which its author cannot mean.
fn is_too_short(opcode: u32, body: u64) -> bool {
    let shortest = SHORTEST.iter().find(|(known, _)| *known == opcode);
    shortest.is_some_and(|(_, shortest)| body < *shortest)
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
    /// The ring that they lie in, with its bytes: behind its end it begins again. None: they lie in a buffer.
    pub ring: Option<(u64, u64)>,
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

    /// The opcode of the first command and its dwords without the first, all of which are there; None if it has one dword and does nothing.
    fn first(&self) -> Result<Option<(u32, u64)>, Step> {
        let header = self.dword(0)?;
        if header == FILLER {
            return Ok(None);
        }
        let (opcode, body) =
            parse(header).ok_or(Step::Unknown("a command that is not of type 3"))?;
        if opcode == opcode::NOP && body == u64::from(NO_BODY) + 1 {
            return Ok(None);
        }
        if body >= self.dwords && self.ring.is_some() {
            // The host has not written the rest of it yet.
            return Err(Step::Blocked);
        }
        if body >= self.dwords {
            return Err(Step::Unknown("a command that does not end in its buffer"));
        }
        if is_too_short(opcode, body) {
            return Err(Step::Unknown("a command that is too short"));
        }
        Ok(Some((opcode, body)))
    }

    fn execute(&self) -> Result<Step, Step> {
        let Some((opcode, body)) = self.first()? else {
            return Ok(Step::Done(1));
        };
        let done = 1 + body;
        let skipped = match opcode {
            opcode::NOP | opcode::EVENT_WRITE | opcode::HDP_FLUSH | opcode::INVALIDATE_TLBS => 0,
            opcode::INDIRECT_BUFFER => {
                return Ok(Step::Buffer {
                    done,
                    address: self.long(1)? & !3,
                    dwords: u64::from(self.dword(3)? & 0xf_ffff),
                });
            }
            opcode::SET_SH_REG | opcode::SET_SH_REG_INDEX => {
                let first = self.dword(1)? & 0xffff;
                return Ok(Step::Registers { done, first });
            }
            opcode::DISPATCH_DIRECT => {
                let size = [self.dword(1)?, self.dword(2)?, self.dword(3)?];
                let initiator = self.dword(4)?;
                return Ok(Step::Dispatch {
                    done,
                    size,
                    initiator,
                });
            }
            opcode::DISPATCH_INDIRECT => {
                let (size, initiator) = (self.size_at(self.long(1)? & !3)?, self.dword(3)?);
                return Ok(Step::Dispatch {
                    done,
                    size,
                    initiator,
                });
            }
            opcode::WRITE_DATA => self.write(body)?,
            opcode::COPY_DATA => self.copy()?,
            opcode::ATOMIC_MEM => self.atomic()?,
            opcode::COND_EXEC => {
                let cell = self.cell::<AtomicU32>(self.long(1)? & !3, false)?;
                match cell.load(Ordering::Acquire) {
                    0 => u64::from(self.dword(4)? & 0x3fff),
                    _ => 0,
                }
            }
            opcode::ACQUIRE_MEM => {
                self.shared.executor.invalidate_code();
                self.shared.forget_identities();
                0
            }
            opcode::RELEASE_MEM => {
                return Ok(match self.release()? {
                    Some(event) => Step::Interrupt { done, event },
                    None => Step::Done(done),
                });
            }
            opcode::WAIT_REG_MEM => self.wait()?,
            opcode::WAIT_REG_MEM64 => self.wait64()?,
            opcode::PRED_EXEC => self.predicate()?,
            _ => return Err(Step::Unknown("a command that is not emulated")),
        };
        Ok(Step::Done(done + skipped))
    }

    /// The size of a dispatch that lies in memory.
    fn size_at(&self, address: u64) -> Result<[u32; 3], Step> {
        let word = |index: u64| -> Result<u32, Step> {
            let cell = self.cell::<AtomicU32>(address + index * 4, false)?;
            Ok(cell.load(Ordering::Acquire))
        };
        Ok([word(0)?, word(1)?, word(2)?])
    }

    /// One of the buffer's dwords.
    pub fn dword(&self, index: u64) -> Result<u32, Step> {
        let mut address = self.address + index * 4;
        if let Some((base, bytes)) = self.ring {
            address = base + (address - base) % bytes;
        }
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

    /// Stores a value or the time; the event, if the host is to be interrupted.
    fn release(&self) -> Result<Option<u32>, Step> {
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
        self.shared.kick();
        // Without a number the driver looks through the mailboxes; the number is what was just stored in one.
        let event = if message == 0 { value as u32 } else { message };
        Ok(interrupt.then_some(event))
    }

    /// Waits for a value in memory. Waits for a register are only supported in the form that flushes the host's path to memory and waits
    /// for its end.
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
        let unknown = Step::Unknown("WAIT_REG_MEM with an unknown function");
        let holds = condition::holds(function, value, reference).ok_or(unknown)?;
        if holds { Ok(0) } else { Err(Step::Blocked) }
    }

    /// The same with 64 bits.
    fn wait64(&self) -> Result<u64, Step> {
        let control = self.dword(1)?;
        if control >> 4 & 1 == 0 || control >> 6 & 3 != 0 {
            return Err(Step::Unknown("WAIT_REG_MEM64 on a register"));
        }
        let (reference, mask) = (self.long(4)?, self.long(6)?);
        let cell = self.cell::<AtomicU64>(self.long(2)?, false)?;
        let value = cell.load(Ordering::Acquire) & mask;
        let unknown = Step::Unknown("WAIT_REG_MEM64 with an unknown function");
        let holds = condition::holds(control & 7, value, reference).ok_or(unknown)?;
        if holds { Ok(0) } else { Err(Step::Blocked) }
    }

    /// Stores dwords of the command, one behind the other or all at one address.
    fn write(&self, body: u64) -> Result<u64, Step> {
        let control = self.dword(1)?;
        // Memory, behind the second cache or in front of it.
        if !matches!(control >> 8 & 15, 2 | 5) {
            return Err(Step::Unknown("WRITE_DATA to anything but memory"));
        }
        let (address, step) = (
            self.long(2)? & !3,
            if control >> 16 & 1 == 0 { 4 } else { 0 },
        );
        for index in 0..body.saturating_sub(3) {
            let cell = self.cell::<AtomicU32>(address + index * step, true)?;
            cell.store(self.dword(4 + index)?, Ordering::SeqCst);
        }
        self.shared.kick();
        Ok(0)
    }

    /// Copies 32 or 64 bits of memory, of the command, or of the GPU's clock to memory.
    fn copy(&self) -> Result<u64, Step> {
        let control = self.dword(1)?;
        let is_wide = control >> 16 & 1 == 1;
        let (from, to) = (self.long(2)?, self.long(4)?);
        let value = match control & 15 {
            1 | 2 if is_wide => self.cell::<AtomicU64>(from, false)?.load(Ordering::Acquire),
            1 | 2 => u64::from(self.cell::<AtomicU32>(from, false)?.load(Ordering::Acquire)),
            5 => from,
            9 => clock::ticks(),
            _ => {
                return Err(Step::Unknown(
                    "COPY_DATA of anything but memory, immediates and the clock",
                ));
            }
        };
        match control >> 8 & 15 {
            2 | 5 if is_wide => self
                .cell::<AtomicU64>(to, true)?
                .store(value, Ordering::SeqCst),
            2 | 5 => self
                .cell::<AtomicU32>(to, true)?
                .store(value as u32, Ordering::SeqCst),
            _ => return Err(Step::Unknown("COPY_DATA to anything but memory")),
        }
        self.shared.kick();
        Ok(0)
    }

    /// One of the memory's operations, as copy engines have them.
    fn atomic(&self) -> Result<u64, Step> {
        let control = self.dword(1)?;
        let (address, data, compared) = (self.long(2)?, self.long(4)?, self.long(6)?);
        let number = control & 0x7f;
        let done = if let Some(operation) = atomic::narrow(number) {
            atomic::update32(self.cell(address, true)?, operation, data, compared)
        } else if let Some(operation) = atomic::wide(number) {
            atomic::update64(self.cell(address, true)?, operation, data, compared)
        } else {
            return Err(Step::Unknown(
                "ATOMIC_MEM with an operation that is not emulated",
            ));
        };
        self.shared.kick();
        // It may loop until its comparison holds.
        match !done && control >> 8 & 15 == 1 {
            true => Err(Step::Blocked),
            false => Ok(0),
        }
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
