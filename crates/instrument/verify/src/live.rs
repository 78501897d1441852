//! The registers of a wave that are live before each instruction.

use codeobj::KernelDescriptor;
use emulate::Wave;
use gfx::Matrix;
use lift::{
    FunctionIndex, FunctionKind, LiveSet, Module, RegisterSet,
    registers::{AGPR_BASE, EXEC, M0, MODE, SCC, SGPR_COUNT, VCC, VectorSet},
};
use std::fmt;

/// The upper half of VCC.
pub const VCC_HIGH: u16 = VCC + 1;
const EXEC_HIGH: u16 = EXEC + 1;
/// VCC, M0 and their like in the scalar file have the operand numbers of the manuals, too.
const SCALAR_FILE: u16 = EXEC;
const LANES: usize = 64;

/// One 32-bit part of a wave's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    Scalar(u16),
    /// One lane of a VGPR, or, from [`AGPR_BASE`] on, of an AccVGPR.
    Vector(u16, u8),
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Part::Scalar(VCC) => write!(formatter, "vcc_lo"),
            Part::Scalar(VCC_HIGH) => write!(formatter, "vcc_hi"),
            Part::Scalar(M0) => write!(formatter, "m0"),
            Part::Scalar(EXEC) => write!(formatter, "exec_lo"),
            Part::Scalar(EXEC_HIGH) => write!(formatter, "exec_hi"),
            Part::Scalar(SCC) => write!(formatter, "scc"),
            Part::Scalar(MODE) => write!(formatter, "mode"),
            Part::Scalar(index) => write!(formatter, "s{index}"),
            Part::Vector(index, lane) if index >= AGPR_BASE => {
                write!(formatter, "a{} lane {lane}", index - AGPR_BASE)
            }
            Part::Vector(index, lane) => write!(formatter, "v{index} lane {lane}"),
        }
    }
}

impl Part {
    /// Every scalar part there is.
    pub fn scalars() -> impl Iterator<Item = Part> {
        (0..=MODE).map(Part::Scalar)
    }
}

/// Live registers before one instruction.
#[derive(Clone, Debug, Default)]
pub struct Live {
    pub scalars: Vec<u16>,
    /// In active lanes only, and in inactive ones only.
    pub active: Vec<u16>,
    pub inactive: Vec<u16>,
    /// The lists are complete: a register that is not in them is dead.
    pub complete: bool,
}

/// Vector registers of a wave of the emulated device.
#[derive(Clone, Copy, Debug)]
pub struct RegisterRows {
    /// Row of AccVGPR 0.
    accumulators: usize,
    /// Registers of each kind that are the application's.
    limits: [u16; 2],
}

impl RegisterRows {
    /// The registers of waves that run with `descriptor`, as far as the original has them too.
    pub fn new(descriptor: &KernelDescriptor, original: &KernelDescriptor) -> RegisterRows {
        let accumulators = |descriptor: &KernelDescriptor| match descriptor.target().matrix {
            Matrix::Mfma1 => descriptor.vgpr_count(),
            _ => descriptor.accum_offset().unwrap_or(descriptor.vgpr_count()),
        };
        let all = original.vgpr_count();
        let vectors = accumulators(original).min(all);
        let limits = match original.target().matrix {
            Matrix::Mfma1 => [all, all],
            _ => [vectors, all - vectors],
        };
        RegisterRows {
            accumulators: accumulators(descriptor) as usize,
            limits: limits.map(|limit| limit as u16),
        }
    }

    /// The row of a register that the application has.
    fn row(self, number: u16) -> Option<usize> {
        let [vectors, accumulators] = self.limits;
        match number.checked_sub(AGPR_BASE) {
            Some(index) if index < accumulators => Some(self.accumulators + usize::from(index)),
            None if number < vectors => Some(usize::from(number)),
            _ => None,
        }
    }

    /// The row of a register that both the application and the wave have.
    pub fn existing_row(self, wave: &Wave, number: u16) -> Option<usize> {
        self.row(number).filter(|row| *row < wave.vector_rows())
    }

    /// A part of the state; `None` for registers that the wave has not.
    pub fn read(self, wave: &Wave, part: Part) -> Option<u32> {
        match part {
            Part::Scalar(EXEC) => Some(wave.exec() as u32),
            Part::Scalar(EXEC_HIGH) => Some((wave.exec() >> 32) as u32),
            Part::Scalar(SCC) => Some(wave.scc().into()),
            Part::Scalar(MODE) => Some(wave.mode()),
            Part::Scalar(index) if index < SCALAR_FILE => Some(wave.sgpr(index.into())),
            Part::Scalar(_) => None,
            Part::Vector(number, lane) => {
                let row = self.existing_row(wave, number)?;
                (usize::from(lane) < LANES).then(|| wave.vgpr(row, lane.into()))
            }
        }
    }

    /// Overwrites a general register, VCC or SCC.
    pub fn write(self, wave: &mut Wave, part: Part, value: u32) {
        match part {
            Part::Scalar(SCC) => wave.set_scc(value != 0),
            Part::Scalar(index) if index < SGPR_COUNT || [VCC, VCC_HIGH].contains(&index) => {
                wave.set_sgpr(index.into(), value);
            }
            Part::Scalar(_) => {}
            Part::Vector(number, lane) => {
                if let Some(row) = self.existing_row(wave, number) {
                    wave.set_vgpr(row, lane.into(), value);
                }
            }
        }
    }
}

impl Live {
    /// If nothing else is known, only EXEC counts.
    pub fn exec_alone() -> Live {
        Live {
            scalars: vec![EXEC, EXEC_HIGH],
            ..Live::default()
        }
    }

    /// Registers that no code of the application names hold nothing of it, though who may call a function is not known. EXEC
    /// counts everywhere but where the program `ends`.
    pub fn new(set: &LiveSet, named: &RegisterSet, ends: bool) -> Live {
        let vectors = |set: &VectorSet| -> Vec<u16> {
            let named = |register: &u16| named.vectors.contains(*register);
            set.iter().filter(named).collect()
        };
        let exec = EXEC..=EXEC_HIGH;
        let scalars = set.scalars.iter();
        let (active, inactive) = (vectors(&set.active), vectors(&set.inactive));
        Live {
            scalars: scalars
                .filter(|index| match exec.contains(index) {
                    true => !ends,
                    false => named.scalars.contains(*index),
                })
                .collect(),
            active,
            inactive,
            complete: true,
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

/// Registers that the kernel and any function that it may come to name; of those that it calls through pointers, the ones
/// whose address is taken.
pub fn named(module: &Module, kernel: FunctionIndex) -> RegisterSet {
    let mut named = RegisterSet::default();
    for function in module.closure(kernel) {
        named.unite(module.named_alone(function));
    }
    named
}

/// Whether a kernel of that name is in the module.
pub fn kernel(module: &Module, name: &str) -> Option<usize> {
    let index = module.function(name)?;
    (module.functions[index].kind == FunctionKind::Kernel).then_some(index)
}
