//! The registers of an instruction that a campaign may change.

use compute::Class;
use definedness::access::{self, Kind};
use isa::{Effects, Inst, Operand, Reg, RegKind, Traits, numbers};
use wave::{Config, Wave};

use crate::spec::{Place, Spec};

/// Registers that may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// Vector registers from `row` on, or a part of one.
    Rows {
        row: usize,
        words: usize,
        bits: Bits,
    },
    /// Scalar registers from `slot` on.
    Slots {
        slot: usize,
        words: usize,
    },
    Scc,
    Lds,
}

impl Spot {
    pub fn words(self) -> u64 {
        match self {
            Spot::Rows { words, .. } | Spot::Slots { words, .. } => words as u64,
            Spot::Scc | Spot::Lds => 1,
        }
    }
}

/// The bits of a word that may be changed: the lowest one, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bits {
    pub first: u32,
    pub count: u32,
}

impl Bits {
    pub const ALL: Bits = Bits {
        first: 0,
        count: 32,
    };

    /// The lowest bits of the low or the high half, or of the whole word.
    fn of(half: Option<bool>, count: u32) -> Bits {
        let most = if half.is_some() { 16 } else { 32 };
        Bits {
            first: if half == Some(true) { 16 } else { 0 },
            count: count.min(most),
        }
    }
}

/// How often an execution of the instruction counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// The campaign does not look at it.
    None,
    /// Once for the wave.
    Wave,
    /// Once for each lane that is on.
    Lanes,
    /// Once for each lane that the wave has.
    AllLanes,
}

/// The facts about an instruction that shadows need.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub pc: u64,
    pub name: &'static str,
    /// The word of its class.
    pub class: &'static str,
    pub weight: Weight,
    /// The change is made before the instruction is executed, not after it.
    pub before: bool,
    /// The row of a0.
    pub accumulators: usize,
    pub spots: Vec<Spot>,
}

impl Plan {
    pub fn of(config: &Config, inst: &Inst, spec: &Spec) -> Plan {
        let before = matches!(spec.place, Place::StoreData | Place::Address | Place::Lds);
        let spots = match spec.selects(inst) {
            true => spots(config, inst, spec.place),
            false => Vec::new(),
        };
        let in_lanes = spots.iter().any(|spot| matches!(spot, Spot::Rows { .. }));
        let weight = match in_lanes {
            _ if spots.is_empty() => Weight::None,
            false => Weight::Wave,
            true if inst.effects.contains(Effects::IGNORES_EXEC) => Weight::AllLanes,
            true => Weight::Lanes,
        };
        Plan {
            pc: inst.pc,
            name: inst.op.name(),
            class: Class::of(inst.effects).word,
            weight,
            before,
            accumulators: config.agpr_base as usize,
            spots,
        }
    }

    /// The lanes that count, as bits; none if it counts for the wave.
    pub fn lanes(&self, wave: &Wave) -> Option<u64> {
        match self.weight {
            Weight::None | Weight::Wave => None,
            Weight::Lanes => Some(wave.exec()),
            Weight::AllLanes => Some(!0 >> (64 - wave.wave_size())),
        }
    }

    /// How often this execution counts.
    pub fn count(&self, wave: &Wave) -> u64 {
        match self.weight {
            Weight::None => 0,
            Weight::Wave => 1,
            Weight::Lanes | Weight::AllLanes => self.lanes(wave).unwrap_or(0).count_ones().into(),
        }
    }
}

/// Returns `true` if the operands do not name what the instruction writes: the number of a register, or the lane, is in another register.
pub(crate) fn is_indirect(inst: &Inst) -> bool {
    let indexed = Traits::INDEXES_VECTORS | Traits::INDEXES_SCALARS | Traits::INDEX_MODE;
    let of_one_lane = inst.op.has(Traits::SELECTS_LANE) && !inst.op.has(Traits::LANE_TO_SCALAR);
    inst.op.has(indexed) || of_one_lane
}

fn spots(config: &Config, inst: &Inst, place: Place) -> Vec<Spot> {
    match place {
        Place::Lds => vec![Spot::Lds],
        Place::StoreData | Place::Address => accessed(config, inst, place),
        Place::Result | Place::Vgpr | Place::Sgpr | Place::Mask => {
            if is_indirect(inst) {
                return Vec::new();
            }
            let written = written(inst).filter_map(|reg| result(config, inst, reg));
            let wanted = |of: Place| place == Place::Result || place == of;
            written
                .filter(|(of, _)| wanted(*of))
                .map(|(_, spot)| spot)
                .collect()
        }
    }
}

fn written(inst: &Inst) -> impl Iterator<Item = Reg> + '_ {
    let named = inst.operands.iter().filter_map(|operand| match operand {
        Operand::Def(reg) => Some(*reg),
        _ => None,
    });
    named.chain(inst.implicit_defs.iter().copied())
}

/// A register that is written, and the place that it belongs to.
fn result(config: &Config, inst: &Inst, reg: Reg) -> Option<(Place, Spot)> {
    let index = usize::from(reg.index);
    let words = usize::from(reg.width.max(1));
    let rows = |row| Spot::Rows {
        row,
        words,
        bits: Bits::of(reg.half, 32),
    };
    let slots = |slot| Spot::Slots { slot, words };
    // A scalar result of the vector unit is a mask, unless it is a lane's value.
    let of_lanes = inst.effects.contains(Effects::VALU)
        && !inst.op.has(Traits::LANE_TO_SCALAR | Traits::CROSS_LANE);
    Some(match reg.kind {
        RegKind::Vgpr => (Place::Vgpr, rows(index)),
        RegKind::Agpr => (Place::Vgpr, rows(config.agpr_base as usize + index)),
        RegKind::Sgpr if of_lanes => (Place::Mask, slots(index)),
        RegKind::Sgpr => (Place::Sgpr, slots(index)),
        RegKind::M0 => (Place::Sgpr, slots(usize::from(numbers::M0))),
        RegKind::Vcc => (Place::Mask, slots(usize::from(numbers::VCC) + index)),
        RegKind::Exec => (Place::Mask, slots(usize::from(numbers::EXEC) + index)),
        RegKind::Scc => (Place::Mask, Spot::Scc),
        _ => return None,
    })
}

fn accessed(config: &Config, inst: &Inst, place: Place) -> Vec<Spot> {
    let Some(access) = access::of(config, inst) else {
        return Vec::new();
    };
    let row = |row| Spot::Rows {
        row,
        words: 1,
        bits: Bits::ALL,
    };
    if place == Place::Address {
        let slots = access.address_slots.iter();
        let slots = slots.map(|&slot| Spot::Slots { slot, words: 1 });
        return access
            .address_rows
            .iter()
            .map(|&one| row(one))
            .chain(slots)
            .collect();
    }
    if access.kind == Kind::Load {
        return Vec::new();
    }
    let words = access.bytes.div_ceil(4) as usize;
    // Only what is stored: the rest of the register goes nowhere.
    let bits = match access.bytes {
        bytes @ ..4 => Bits::of(access.half, 8 * bytes),
        _ => Bits::ALL,
    };
    let first = access.data.iter().take(access.addresses);
    first.map(|&row| Spot::Rows { row, words, bits }).collect()
}

/// Returns `true` if the instruction may have a value that the campaign looks for, but the decoder does not know where.
pub(crate) fn is_missed(config: &Config, inst: &Inst, spec: &Spec) -> bool {
    if !spec.selects(inst) {
        return false;
    }
    let accesses = Effects::LOAD | Effects::STORE | Effects::ATOMIC;
    match spec.place {
        Place::Lds => false,
        Place::Address => inst.effects.intersects(accesses) && access::of(config, inst).is_none(),
        Place::StoreData => {
            let stores = inst.effects.intersects(Effects::STORE | Effects::ATOMIC);
            stores && access::of(config, inst).is_none()
        }
        _ => is_indirect(inst),
    }
}
