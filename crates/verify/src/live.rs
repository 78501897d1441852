//! What is live before each instruction, as registers of a wave.

use codeobj::KernelDescriptor;
use emulate::Wave;
use gfx::Matrix;
use lift::{
    FunctionKind, LiveSet, Module,
    registers::{AGPR_BASE, SGPR_COUNT},
};
use std::{collections::HashMap, fmt};

/// Numbers in a [`lift::registers::ScalarSet`] that are no operands of the scalar file.
mod number {
    pub const EXEC_LOW: u16 = 126;
    pub const EXEC_HIGH: u16 = 127;
    pub const SCC: u16 = 128;
    pub const MODE: u16 = 129;
}
/// VCC, M0 and their like in the scalar file have the operand numbers of the manuals, too.
const SCALAR_FILE: u16 = 126;
const LANES: usize = 64;

/// One 32-bit part of a wave's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Scalar(u16),
    /// Of a VGPR, or from [`AGPR_BASE`] on of an AccVGPR, in one lane.
    Vector(u16, u8),
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Part::Scalar(106) => write!(formatter, "vcc_lo"),
            Part::Scalar(107) => write!(formatter, "vcc_hi"),
            Part::Scalar(124) => write!(formatter, "m0"),
            Part::Scalar(number::EXEC_LOW) => write!(formatter, "exec_lo"),
            Part::Scalar(number::EXEC_HIGH) => write!(formatter, "exec_hi"),
            Part::Scalar(number::SCC) => write!(formatter, "scc"),
            Part::Scalar(number::MODE) => write!(formatter, "mode"),
            Part::Scalar(index) => write!(formatter, "s{index}"),
            Part::Vector(index, lane) if index >= AGPR_BASE => {
                write!(formatter, "a{} lane {lane}", index - AGPR_BASE)
            }
            Part::Vector(index, lane) => write!(formatter, "v{index} lane {lane}"),
        }
    }
}

/// Live registers before one instruction.
#[derive(Clone, Debug, Default)]
pub struct Live {
    pub scalars: Vec<u16>,
    /// In active lanes only, and in inactive ones only.
    pub active: Vec<u16>,
    pub inactive: Vec<u16>,
}

/// Where AccVGPRs lie in a wave of the emulated device.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    accumulators: usize,
}

impl Rows {
    pub fn of(descriptor: &KernelDescriptor) -> Rows {
        let accumulators = match descriptor.target().matrix {
            Matrix::Mfma1 => descriptor.vgpr_count(),
            _ => descriptor.accum_offset().unwrap_or(256),
        };
        Rows {
            accumulators: accumulators as usize,
        }
    }

    fn row(self, number: u16) -> usize {
        if number >= AGPR_BASE {
            self.accumulators + usize::from(number - AGPR_BASE)
        } else {
            usize::from(number)
        }
    }

    /// A part of the state; `None` for registers that the wave has not.
    pub fn read(self, wave: &Wave, part: Part) -> Option<u32> {
        match part {
            Part::Scalar(number::EXEC_LOW) => Some(wave.exec() as u32),
            Part::Scalar(number::EXEC_HIGH) => Some((wave.exec() >> 32) as u32),
            Part::Scalar(number::SCC) => Some(wave.scc().into()),
            Part::Scalar(number::MODE) => Some(wave.mode()),
            Part::Scalar(index) if index < SCALAR_FILE => Some(wave.sgpr(index.into())),
            Part::Scalar(_) => None,
            Part::Vector(number, lane) => {
                let row = self.row(number);
                (row < wave.vector_rows()).then(|| wave.vgpr(row, lane.into()))
            }
        }
    }

    /// Overwrites a general register.
    pub fn write(self, wave: &mut Wave, part: Part, value: u32) {
        match part {
            Part::Scalar(index) if index < SGPR_COUNT => wave.set_sgpr(index.into(), value),
            Part::Scalar(_) => {}
            Part::Vector(number, lane) => {
                let row = self.row(number);
                if row < wave.vector_rows() {
                    wave.set_vgpr(row, lane.into(), value);
                }
            }
        }
    }
}

impl Live {
    fn of(set: &LiveSet) -> Live {
        Live {
            scalars: set.scalars.iter().collect(),
            active: set.active.iter().collect(),
            inactive: set.inactive.iter().collect(),
        }
    }

    /// Every live part, given which lanes are active.
    pub fn parts(&self, exec: u64, wave_size: u32) -> impl Iterator<Item = Part> + '_ {
        let lanes = LANES.min(wave_size as usize) as u8;
        let vectors = move |list: &'_ [u16], wanted: bool| {
            let list: Vec<u16> = list.to_vec();
            list.into_iter().flat_map(move |register| {
                (0..lanes)
                    .filter(move |lane| (exec >> lane & 1 == 1) == wanted)
                    .map(move |lane| Part::Vector(register, lane))
            })
        };
        let scalars = self.scalars.iter().map(|&index| Part::Scalar(index));
        scalars
            .chain(vectors(&self.active, true))
            .chain(vectors(&self.inactive, false))
    }
}

/// Live registers before every instruction of a module, by address in the object.
pub fn by_pc(module: &Module) -> HashMap<u64, Live> {
    let mut live = HashMap::new();
    for (index, function) in module.functions.iter().enumerate() {
        let liveness = module.liveness(index);
        for block in 0..function.blocks.len() {
            liveness.walk(function, block, |inst, _, before| {
                live.insert(function.insts[inst].pc, Live::of(before));
            });
        }
    }
    live
}

/// Whether a kernel of that name is in the module.
pub fn kernel(module: &Module, name: &str) -> Option<usize> {
    let index = module.function(name)?;
    (module.functions[index].kind == FunctionKind::Kernel).then_some(index)
}
