//! Wait counters: which an instruction raises, and which a wait instruction waits for.

use gfx::Family;
use isa::{COUNTERS, Counter, Decoded, Effects, Format, Operand, RegKind, Traits, Waits};
use smallvec::SmallVec;

/// Operations that count down in the order of issue among themselves. Different kinds on one counter, and any of the last
/// four kinds, do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Vector memory. Before gfx12, images through a sampler and ray intersections count down in order with it.
    Vector,
    /// Images through a sampler, on a counter of their own.
    Sample,
    /// Ray intersections, on a counter of their own.
    Bvh,
    /// LDS.
    Lds,
    /// Exports and parameters.
    Export,
    /// GDS.
    Gds,
    /// FLAT before gfx10, which may turn out to be LDS. Since gfx10 it counts down in order, with vector memory on one
    /// counter and with LDS on the other.
    Flat,
    /// Scalar memory.
    Scalar,
    /// Messages to the host.
    Message,
}

impl Kind {
    /// Returns `true` if operations of this kind count down in the order of issue.
    pub fn in_order(self) -> bool {
        self <= Kind::Export
    }
}

/// Counters that the instruction raises.
pub fn raised(inst: &Decoded, family: Family) -> SmallVec<[(Counter, Kind); 2]> {
    let effects = inst.effects;
    let mut counters = SmallVec::new();
    let split = family >= Family::Gfx12;
    let flat = effects.contains(Effects::FLAT);
    let vector = match flat && family < Family::Gfx10 {
        true => Kind::Flat,
        false => Kind::Vector,
    };
    if effects.contains(Effects::COUNTS_VM) {
        counters.push(match read_unit(inst) {
            ReadUnit::Bvh if split => (Counter::Bvh, Kind::Bvh),
            ReadUnit::Sampler if split => (Counter::Sample, Kind::Sample),
            _ => (Counter::Load, vector),
        });
    }
    if effects.contains(Effects::COUNTS_VS) {
        counters.push((Counter::Store, vector));
    }
    if effects.contains(Effects::COUNTS_LGKM) {
        let kind = if effects.contains(Effects::SMEM) {
            Kind::Scalar
        } else if flat && family < Family::Gfx10 {
            Kind::Flat
        } else if flat {
            Kind::Lds
        } else if effects.contains(Effects::SENDMSG) || inst.format != Format::Ds {
            Kind::Message
        } else if effects.contains(Effects::COUNTS_EXP) {
            Kind::Gds
        } else {
            Kind::Lds
        };
        let scalar = matches!(kind, Kind::Scalar | Kind::Message);
        counters.push((
            if split && scalar {
                Counter::Scalar
            } else {
                Counter::Data
            },
            kind,
        ));
    }
    if effects.contains(Effects::COUNTS_EXP) {
        let kind = if inst.format == Format::Ds {
            Kind::Gds
        } else {
            Kind::Export
        };
        counters.push((Counter::Export, kind));
    }
    counters
}

/// The part of the memory unit that returns what an instruction reads. Results of different parts arrive in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadUnit {
    /// Without a sampler.
    Plain,
    /// Through a sampler.
    Sampler,
    /// Ray intersections.
    Bvh,
}

/// The part that returns what an instruction of vector memory reads.
pub fn read_unit(inst: &Decoded) -> ReadUnit {
    if inst.op.has(Traits::RAY_COUNTER) {
        ReadUnit::Bvh
    } else if inst.op.has(Traits::SAMPLE_COUNTER) {
        ReadUnit::Sampler
    } else {
        ReadUnit::Plain
    }
}

/// Counters that the instruction waits for, each until at most so many operations are left.
pub fn awaited(inst: &Decoded, family: Family) -> SmallVec<[(Counter, u32); 3]> {
    let mut waits = SmallVec::new();
    if inst.format == Format::Vinterp {
        waits.push((Counter::Export, inst.interpolation_wait()));
        return waits;
    }
    let asked = inst.op.waits();
    if asked == Waits::All {
        waits.extend(COUNTERS.map(|counter| (counter, 0)));
        return waits;
    }
    let adds_a_register = inst
        .operands
        .iter()
        .any(|operand| matches!(operand, Operand::Use(reg) | Operand::Def(reg) if reg.kind != RegKind::Null));
    if !adds_a_register {
        let fields = asked.fields(family).iter();
        waits.extend(fields.map(|field| (field.counter, field.count(inst.constant()))));
    }
    waits
}
