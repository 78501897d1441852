//! Effects of an opcode, from LLVM's flags where they are right and from [`crate::Op`] where they say nothing.

use crate::{Effects, Format, Op, Traits};
use gfx::{Family, Target};
use llvm_shim::flags;

/// LLVM's flag to our bits.
#[rustfmt::skip]
const FROM_FLAGS: &[(u64, Effects)] = &[
    (flags::SALU,          Effects::SALU),
    (flags::SMRD,          Effects::SMEM),
    (flags::MUBUF,         Effects::VMEM),
    (flags::MTBUF,         Effects::VMEM),
    (flags::MIMG,          Effects::VMEM),
    (flags::VIMAGE,        Effects::VMEM),
    (flags::VSAMPLE,       Effects::VMEM),
    (flags::FLAT,          Effects::VMEM),
    (flags::FLAT_SCRATCH,  Effects::SCRATCH),
    (flags::TRANS,         Effects::TRANSCENDENTAL),
    (flags::WMMA,          Effects::MATRIX.union(Effects::IGNORES_EXEC)),
    (flags::SDWA,          Effects::SDWA),
    (flags::TIED_NOT_READ, Effects::PARTIAL_WRITE),
    (flags::COUNTS_LGKM,   Effects::COUNTS_LGKM),
];

pub(crate) fn of_opcode(target: &Target, op: Op, format: Format, bits: u64) -> Effects {
    let mut effects = op.effects();
    for &(flag, effect) in FROM_FLAGS {
        if bits & flag != 0 {
            effects |= effect;
        }
    }
    if format == Format::Ds && !op.has(Traits::GWS) {
        effects |= Effects::LDS;
    }
    if format == Format::Flat {
        effects |= Effects::FLAT;
    }
    let memory = effects.intersects(Effects::SMEM | Effects::VMEM | Effects::LDS);
    if !memory && bits & flags::VALU != 0 {
        effects |= Effects::VALU;
    }
    if memory && !op.has(Traits::NO_DATA) {
        effects |= data_effects(op, bits);
    }
    effects | counters(target, op, format, bits, effects)
}

fn data_effects(op: Op, bits: u64) -> Effects {
    let mut effects = Effects::empty();
    if bits & flags::MAY_LOAD != 0 {
        effects |= Effects::LOAD;
    }
    if bits & flags::MAY_STORE != 0 {
        effects |= Effects::STORE;
    }
    // LLVM's "atomic without result" bit is also set on plain LDS writes, and neither bit on append and consume.
    let counter = op.has(Traits::LDS_COUNTER);
    let flagged =
        bits & (flags::ATOMIC_RET | flags::ATOMIC_NORET) != 0 && !op.has(Traits::PLAIN_STORE);
    if counter {
        effects |= Effects::ATOMIC_RETURN;
    }
    if flagged || counter || op.has(Traits::ATOMIC) {
        effects |= Effects::ATOMIC | Effects::LOAD | Effects::STORE;
    }
    if bits & flags::ATOMIC_RET != 0 {
        effects |= Effects::ATOMIC_RETURN;
    }
    effects
}

fn counters(target: &Target, op: Op, format: Format, bits: u64, effects: Effects) -> Effects {
    let mut counters = Effects::empty();
    if bits & flags::COUNTS_VM != 0 && effects.contains(Effects::VMEM) {
        // gfx10 split stores, and atomics that return nothing, from vmcnt.
        let returns = !effects.contains(Effects::STORE)
            || effects.contains(Effects::ATOMIC_RETURN)
            || effects.contains(Effects::LOAD) && !effects.contains(Effects::ATOMIC);
        let split = target.family >= Family::Gfx10;
        counters |= if split && !returns {
            Effects::COUNTS_VS
        } else {
            Effects::COUNTS_VM
        };
    }
    // Since gfx8 memory stores no longer hold expcnt, though LLVM's flag says so.
    if format == Format::Exp || op.has(Traits::GWS) || format == Format::LdsDirect {
        counters |= Effects::COUNTS_EXP;
    }
    counters
}
