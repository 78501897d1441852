//! Wait counters: which an instruction raises, and which a wait instruction waits for.
//!
//! Field positions are those of the "s_waitcnt" sections of the ISA manuals.

use gfx::Family;
use isa::{Decoded, Effects, Format, Operand, RegKind};
use smallvec::SmallVec;

/// Counters of memory operations on their way. Before gfx12, `Load` is vmcnt, `Store` vscnt and `Data` lgkmcnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Counter {
    /// vmcnt; loadcnt since gfx12.
    Load,
    /// samplecnt, gfx12.
    Sample,
    /// bvhcnt, gfx12.
    Bvh,
    /// vscnt since gfx10; storecnt since gfx12.
    Store,
    /// lgkmcnt; dscnt since gfx12.
    Data,
    /// kmcnt, gfx12.
    Scalar,
    /// expcnt.
    Export,
}

/// All counters, in the order of their numbers.
pub const COUNTERS: [Counter; 7] = [
    Counter::Load,
    Counter::Sample,
    Counter::Bvh,
    Counter::Store,
    Counter::Data,
    Counter::Scalar,
    Counter::Export,
];

/// The counters that exist.
pub fn of_family(family: Family) -> &'static [Counter] {
    match family {
        Family::Gfx9 => &[Counter::Load, Counter::Data, Counter::Export],
        Family::Gfx10 | Family::Gfx10_3 | Family::Gfx11 => &[
            Counter::Load,
            Counter::Store,
            Counter::Data,
            Counter::Export,
        ],
        Family::Gfx12 | Family::Gfx12_5 => &COUNTERS,
    }
}

impl Counter {
    /// The largest count that the counter holds. The hardware issues nothing that would raise it further.
    pub fn capacity(self, family: Family) -> u32 {
        match self {
            Counter::Load | Counter::Sample | Counter::Store => 63,
            Counter::Data if family == Family::Gfx9 => 15,
            Counter::Data => 63,
            Counter::Scalar => 31,
            Counter::Bvh | Counter::Export => 7,
        }
    }

    /// As the family's assembly calls it.
    pub fn name(self, family: Family) -> &'static str {
        let split = family >= Family::Gfx12;
        match self {
            Counter::Load if split => "loadcnt",
            Counter::Load => "vmcnt",
            Counter::Sample => "samplecnt",
            Counter::Bvh => "bvhcnt",
            Counter::Store if split => "storecnt",
            Counter::Store => "vscnt",
            Counter::Data if split => "dscnt",
            Counter::Data => "lgkmcnt",
            Counter::Scalar => "kmcnt",
            Counter::Export => "expcnt",
        }
    }
}

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
    /// Whether operations of this kind count down in the order of issue.
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
    if inst.mnemonic.starts_with("image_bvh") {
        ReadUnit::Bvh
    } else if inst.format == Format::Mimg && samples(inst.mnemonic) {
        ReadUnit::Sampler
    } else {
        ReadUnit::Plain
    }
}

fn samples(mnemonic: &str) -> bool {
    [
        "image_sample",
        "image_gather4",
        "image_get_lod",
        "image_msaa_load",
    ]
    .iter()
    .any(|prefix| mnemonic.starts_with(prefix))
}

/// A field of `s_waitcnt`'s immediate: counter, and (shift, bits) of its parts from the lowest.
type Field = (Counter, [(u32, u32); 2]);

#[rustfmt::skip]
const GFX9:  &[Field] = &[(Counter::Load, [(0, 4), (14, 2)]),  (Counter::Export, [(4, 3), (0, 0)]), (Counter::Data, [(8, 4), (0, 0)])];
#[rustfmt::skip]
const GFX10: &[Field] = &[(Counter::Load, [(0, 4), (14, 2)]),  (Counter::Export, [(4, 3), (0, 0)]), (Counter::Data, [(8, 6), (0, 0)])];
#[rustfmt::skip]
const GFX11: &[Field] = &[(Counter::Load, [(10, 6), (0, 0)]),  (Counter::Export, [(0, 3), (0, 0)]), (Counter::Data, [(4, 6), (0, 0)])];

/// A counter, and the position and bits of its count.
type Part = (Counter, u32, u32);

/// Wait instructions of one or two counters: mnemonic, fields of the immediate.
#[rustfmt::skip]
const SINGLE: &[(&str, &[Part])] = &[
    ("s_waitcnt_vmcnt",        &[(Counter::Load,   0, 6)]),
    ("s_waitcnt_vscnt",        &[(Counter::Store,  0, 6)]),
    ("s_waitcnt_expcnt",       &[(Counter::Export, 0, 3)]),
    ("s_waitcnt_lgkmcnt",      &[(Counter::Data,   0, 6)]),
    ("s_wait_loadcnt",         &[(Counter::Load,   0, 6)]),
    ("s_wait_samplecnt",       &[(Counter::Sample, 0, 6)]),
    ("s_wait_bvhcnt",          &[(Counter::Bvh,    0, 3)]),
    ("s_wait_storecnt",        &[(Counter::Store,  0, 6)]),
    ("s_wait_dscnt",           &[(Counter::Data,   0, 6)]),
    ("s_wait_kmcnt",           &[(Counter::Scalar, 0, 5)]),
    ("s_wait_expcnt",          &[(Counter::Export, 0, 3)]),
    ("s_wait_loadcnt_dscnt",   &[(Counter::Load,   8, 6), (Counter::Data, 0, 6)]),
    ("s_wait_storecnt_dscnt",  &[(Counter::Store,  8, 6), (Counter::Data, 0, 6)]),
];

/// Counters that the instruction waits for, each until at most so many operations are left.
pub fn awaited(inst: &Decoded, family: Family) -> SmallVec<[(Counter, u32); 3]> {
    let mut waits = SmallVec::new();
    if inst.format == Format::Vinterp {
        waits.push((Counter::Export, inst.words[0] >> 8 & 7));
        return waits;
    }
    if !inst.effects.contains(Effects::WAIT) {
        return waits;
    }
    if inst.mnemonic == "s_wait_idle" {
        waits.extend(COUNTERS.map(|counter| (counter, 0)));
        return waits;
    }
    let adds_a_register = inst
        .operands
        .iter()
        .any(|operand| matches!(operand, Operand::Use(reg) | Operand::Def(reg) if reg.kind != RegKind::Null));
    // The immediate is the low half of the first dword.
    let immediate = inst.words[0] & 0xffff;
    if inst.mnemonic == "s_waitcnt" {
        let fields = match family {
            Family::Gfx9 => GFX9,
            Family::Gfx10 | Family::Gfx10_3 => GFX10,
            _ => GFX11,
        };
        for (counter, [(low, low_bits), (high, high_bits)]) in fields {
            let part = |shift: u32, bits: u32| immediate >> shift & ((1 << bits) - 1);
            waits.push((
                *counter,
                part(*low, *low_bits) | part(*high, *high_bits) << low_bits,
            ));
        }
    } else if let Some((_, fields)) = SINGLE.iter().find(|row| row.0 == inst.mnemonic) {
        for &(counter, shift, bits) in fields.iter() {
            if !adds_a_register {
                waits.push((counter, immediate >> shift & ((1 << bits) - 1)));
            }
        }
    }
    waits
}
