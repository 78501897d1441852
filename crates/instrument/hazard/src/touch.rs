//! Registers of one instruction in units of half a register.
//!
//! Since gfx9 a load may fill one half of a VGPR, and since gfx11 most 16-bit operands are halves. A checker that counts
//! whole registers takes neighbours for conflicts.

use isa::{Decoded, Effects, Format, Operand, Reg, RegKind};
use lift::{Access, Span};
use smallvec::SmallVec;

/// Half registers in a row: VGPRs, then AccVGPRs, then scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Halves {
    /// Number of the first half.
    pub start: u16,
    /// How many.
    pub count: u16,
}

/// Some runs of half registers.
pub type Runs = SmallVec<[Halves; 4]>;

/// Number of the first half of s0.
const SCALARS: u16 = 1024;

impl Halves {
    /// The halves of whole registers.
    pub const fn of_span(span: Span) -> Halves {
        let (first, start, count) = match span {
            Span::Vector(start, count) => (0, start, count),
            Span::Scalar(start, count) => (SCALARS, start, count),
        };
        Halves {
            start: first + 2 * start,
            count: 2 * count,
        }
    }

    /// The halves of an operand; `None` for what is no register that programs can wait for.
    pub fn of_register(reg: Reg) -> Option<Halves> {
        let whole = Halves::of_span(Span::from_register(reg)?);
        Some(match reg.half {
            Some(upper) => whole.half(upper),
            None => whole,
        })
    }

    /// Returns `true` if they are of VGPRs or AccVGPRs.
    pub fn is_vector(self) -> bool {
        self.start < SCALARS
    }

    /// Returns `true` if any half is in both.
    pub fn meets(self, other: Halves) -> bool {
        self.start < other.start + other.count && other.start < self.start + self.count
    }

    /// One half of the first register.
    fn half(self, upper: bool) -> Halves {
        Halves {
            start: self.start + u16::from(upper),
            count: 1,
        }
    }

    /// The whole registers that they are in.
    pub fn span(self) -> Span {
        let base = if self.is_vector() { 0 } else { SCALARS };
        let (first, last) = (
            (self.start - base) / 2,
            (self.start + self.count - 1 - base) / 2,
        );
        match self.is_vector() {
            true => Span::Vector(first, last - first + 1),
            false => Span::Scalar(first, last - first + 1),
        }
    }
}

impl std::fmt::Display for Halves {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (reg, count) = match self.span() {
            Span::Vector(start, count) => (Some(lift::registers::vector(start)), count),
            Span::Scalar(start, count) => (lift::registers::scalar(start), count),
        };
        let Some(reg) = reg else {
            return write!(f, "a register");
        };
        let letter = match reg.kind {
            RegKind::Vgpr => "v",
            RegKind::Agpr => "a",
            RegKind::Sgpr => "s",
            RegKind::Ttmp => "ttmp",
            RegKind::Vcc => return write!(f, "vcc"),
            RegKind::Exec => return write!(f, "exec"),
            RegKind::Scc => return write!(f, "scc"),
            RegKind::M0 => return write!(f, "m0"),
            _ => return write!(f, "{:?}", reg.kind),
        };
        let first = reg.index;
        match (self.count, count) {
            (1, _) => {
                let half = if self.start.is_multiple_of(2) {
                    "l"
                } else {
                    "h"
                };
                write!(f, "{letter}{first}.{half}")
            }
            (_, 1) => write!(f, "{letter}{first}"),
            _ => write!(f, "{letter}[{first}:{}]", first + count - 1),
        }
    }
}

/// The first run of `left` that meets one of `right`, cut to what they share.
pub fn shared(left: &[Halves], right: &[Halves]) -> Option<Halves> {
    left.iter().find_map(|left| {
        let right = right.iter().find(|right| left.meets(**right))?;
        let start = left.start.max(right.start);
        let end = (left.start + left.count).min(right.start + right.count);
        Some(Halves {
            start,
            count: end - start,
        })
    })
}

/// The registers that an instruction reads and writes.
#[derive(Clone, Debug, Default)]
pub struct Touch {
    pub reads: Runs,
    pub writes: Runs,
}

impl Touch {
    /// `access`: the same in whole registers.
    pub fn new(inst: &Decoded, access: &Access) -> Touch {
        let scalars = |spans: &[Span]| -> Runs {
            let spans = spans.iter().copied();
            let scalars = spans.filter(|span| matches!(span, Span::Scalar(..)));
            scalars.map(Halves::of_span).collect()
        };
        let mut touch = Touch {
            reads: scalars(&access.reads),
            writes: scalars(&access.writes),
        };
        let narrow = Narrow::of(inst);
        for (index, operand) in inst.operands.iter().enumerate() {
            match *operand {
                Operand::Def(reg) => {
                    let half = narrow.loads.filter(|_| is_one_vector(reg));
                    touch.writes.extend(vector(reg, half));
                }
                // The part of its destination that a load keeps is not an operand that the load waits for.
                Operand::Use(_) if narrow.kept == Some(index) => {}
                Operand::Use(reg) => {
                    let half = narrow.stores.filter(|_| narrow.data == Some(index));
                    touch.reads.extend(vector(reg, half));
                }
                Operand::Imm(_) | Operand::PcRel(_) => {}
            }
        }
        let implied =
            |regs: &[Reg]| -> Runs { regs.iter().filter_map(|reg| vector(*reg, None)).collect() };
        touch.writes.extend(implied(&inst.implicit_defs));
        // On gfx9, only the first register of an image's address is an operand. The image's descriptor decides how many follow.
        if inst.format != Format::Mimg {
            touch.reads.extend(implied(&inst.implicit_uses));
        }
        touch
    }
}

fn is_vector(reg: Reg) -> bool {
    matches!(reg.kind, RegKind::Vgpr | RegKind::Agpr)
}

fn is_one_vector(reg: Reg) -> bool {
    is_vector(reg) && reg.width <= 1 && reg.half.is_none()
}

fn vector(reg: Reg, half: Option<bool>) -> Option<Halves> {
    let halves = Halves::of_register(reg).filter(|_| is_vector(reg))?;
    Some(match half {
        Some(upper) if reg.half.is_none() => halves.half(upper),
        _ => halves,
    })
}

/// The half of a register that a memory instruction fills or stores.
#[derive(Default)]
struct Narrow {
    /// The half that is written: `Some(true)` is the upper one.
    loads: Option<bool>,
    /// The operand that stands for the half that stays.
    kept: Option<usize>,
    /// The half that is stored.
    stores: Option<bool>,
    /// The operand that is stored.
    data: Option<usize>,
}

impl Narrow {
    fn of(inst: &Decoded) -> Narrow {
        let effects = inst.effects;
        let memory = effects.intersects(Effects::VMEM | Effects::LDS);
        if !memory || effects.contains(Effects::ATOMIC) {
            return Narrow::default();
        }
        let data = inst.op.data();
        let upper = data.half == Some(true);
        let vectors = || {
            let operands = inst.operands.iter().enumerate();
            operands.filter_map(|(index, operand)| match operand {
                Operand::Use(reg) if is_vector(*reg) => Some((index, *reg)),
                _ => None,
            })
        };
        if effects.contains(Effects::LOAD) && data.half.is_some() {
            let defined = inst.operands.iter().find_map(|operand| match operand {
                Operand::Def(reg) => Some(*reg),
                _ => None,
            });
            let last = vectors().next_back();
            return Narrow {
                loads: Some(upper),
                kept: last
                    .filter(|(_, reg)| Some(*reg) == defined)
                    .map(|(index, _)| index),
                ..Narrow::default()
            };
        }
        let narrow = data.bytes <= 2;
        if effects.contains(Effects::STORE) && !effects.contains(Effects::LOAD) && narrow {
            // Buffers and scratch, which may have no address, name what they store first, the others behind the address.
            let position = match inst.format {
                Format::Mubuf | Format::Mtbuf | Format::Scratch => 0,
                Format::Ds | Format::Flat | Format::Global => 1,
                _ => return Narrow::default(),
            };
            return Narrow {
                stores: Some(upper),
                data: vectors().nth(position).map(|(index, _)| index),
                ..Narrow::default()
            };
        }
        Narrow::default()
    }
}
