//! Faults of running kernels, and what a user reads about them.

use std::fmt::Write as _;

use crate::{
    dispatch::Dispatch,
    executor::Counts,
    memory::{Memory, View},
};

/// Why a kernel stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A global, flat, scalar or instruction access to memory the device may not touch.
    Memory { address: u64, write: bool },
    /// An address in no aperture, or beyond the LDS or scratch aperture.
    Aperture { address: u64 },
    /// A misaligned access where the instruction demands alignment.
    Unaligned { address: u64 },
    /// A kernel's call of `free` for what it may not free.
    WrongFree { address: u64 },
    /// An encoding the target does not have.
    IllegalInstruction,
    /// An instruction of the target that the emulator does not execute.
    Unsupported,
    /// `s_trap`, for instance from a failed assertion.
    Trap { id: u32 },
    /// Waves of a workgroup wait for each other.
    Stuck,
}

/// A kernel's fault with everything known about the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub pc: u64,
    /// Disassembly of the instruction at `pc`; empty if unknown.
    pub instruction: String,
    pub workgroup: [u32; 3],
    /// Wave within the workgroup.
    pub wave: u32,
    pub lane: Option<u32>,
    /// Anything else worth saying.
    pub detail: Option<String>,
    /// Waves of the kernel had executed so much, if that is known.
    pub executed: Option<Box<Counts>>,
}

impl Fault {
    /// A fault of the dispatch as a whole, not of one of its instructions.
    pub fn of_dispatch(dispatch: &Dispatch, kind: FaultKind, detail: impl Into<String>) -> Fault {
        Fault {
            kind,
            pc: dispatch.entry,
            instruction: String::new(),
            workgroup: [0; 3],
            wave: 0,
            lane: None,
            detail: Some(detail.into()),
            executed: None,
        }
    }

    /// The message for the user: kernel, cause, program counter, instruction, source line, workgroup, wave and lane.
    pub fn text(&self, dispatch: &Dispatch, memory: &Memory, source: Option<&str>) -> String {
        let cause = self.kind.cause(memory.seen_by(dispatch.origin.node));
        let mut text = format!(
            "{} on {} stopped: {cause}",
            dispatch.label(),
            dispatch.target.name
        );
        let offset = self.pc.wrapping_sub(dispatch.entry) as i64;
        let sign = if offset < 0 { '-' } else { '+' };
        // Writing to a string cannot fail.
        let mut add = |arguments: std::fmt::Arguments<'_>| _ = text.write_fmt(arguments);
        add(format_args!(
            "\n  at pc {:#x} (entry {sign}{:#x})",
            self.pc,
            offset.unsigned_abs()
        ));
        if !self.instruction.is_empty() {
            add(format_args!(": {}", self.instruction.trim()));
        }
        if let Some(source) = source {
            add(format_args!("\n  from {source}"));
        }
        let [x, y, z] = self.workgroup;
        add(format_args!(
            "\n  in workgroup ({x}, {y}, {z}), wave {}",
            self.wave
        ));
        if let Some(lane) = self.lane {
            add(format_args!(", lane {lane}"));
        }
        if let Some(detail) = &self.detail {
            add(format_args!("\n  {detail}"));
        }
        text
    }
}

impl FaultKind {
    fn cause(&self, memory: View<'_>) -> String {
        match self {
            FaultKind::Memory { address, write } => {
                let access = if *write { "write to" } else { "read of" };
                format!("{access} {address:#x} ({})", memory.describe(*address))
            }
            FaultKind::Aperture { address } => {
                format!("address {address:#x} is outside its aperture")
            }
            FaultKind::Unaligned { address } => format!("misaligned access to {address:#x}"),
            FaultKind::WrongFree { address } => {
                let described = memory.describe(*address);
                format!("free of {address:#x}, where no living block begins ({described})")
            }
            FaultKind::IllegalInstruction => "illegal instruction".to_owned(),
            FaultKind::Unsupported => "the emulator does not execute this instruction".to_owned(),
            FaultKind::Stuck => "its waves wait for each other".to_owned(),
            FaultKind::Trap { id } => format!("trap {id}"),
        }
    }
}
