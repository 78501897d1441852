//! One change of one value.

use isa::numbers;
use wave::Wave;

use crate::{
    draw::Draws,
    sites::{Bits, Plan, Spot},
    spec::Model,
};

/// The change that was made, for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Struck {
    /// From the kernel's first instruction to the one that was chosen.
    pub offset: i64,
    /// Its mnemonic.
    pub op: String,
    /// Its class, as specs name it.
    pub class: String,
    /// The register's name, such as `v7` or `vcc_lo`, or the place in LDS: `lds+0x40`.
    pub register: String,
    /// For vector registers.
    pub lane: Option<u32>,
    pub before: u32,
    pub after: u32,
    /// File and line of the instruction, if the sink knows them.
    pub source: Option<String>,
}

/// A change that was chosen, and not made yet.
#[derive(Clone, Debug)]
pub(crate) struct Flip {
    spot: Spot,
    lane: u32,
    model: Model,
    draws: Draws,
    pub pc: u64,
    op: &'static str,
    class: &'static str,
    accumulators: usize,
}

impl Flip {
    /// Chooses a change at the `number`-th place of the execution that `plan` describes.
    pub fn choose(plan: &Plan, wave: &Wave, number: u64, model: Model, mut draws: Draws) -> Flip {
        let all: u64 = plan.spots.iter().map(|spot| spot.words()).sum();
        let mut word = draws.below(all.max(1));
        let mut chosen = plan.spots[0];
        for &spot in &plan.spots {
            chosen = spot;
            if word < spot.words() {
                break;
            }
            word -= spot.words();
        }
        // One word of it.
        let spot = match chosen {
            Spot::Rows { row, bits, .. } => Spot::Rows {
                row: row + word as usize,
                words: 1,
                bits,
            },
            Spot::Slots { slot, .. } => Spot::Slots {
                slot: slot + word as usize,
                words: 1,
            },
            other => other,
        };
        let lane = plan.lanes(wave).map_or(0, |lanes| nth_lane(lanes, number));
        Flip {
            spot,
            lane,
            model,
            draws,
            pc: plan.pc,
            op: plan.name,
            class: plan.class,
            accumulators: plan.accumulators,
        }
    }

    /// Makes the change. The second result says whether EXEC was changed.
    pub fn make(mut self, wave: &mut Wave, lds: &mut [u8], entry: u64) -> (Struck, bool) {
        let (register, before, after, exec) = match self.spot {
            Spot::Rows { row, bits, .. } => {
                let before = wave.vgpr(row, self.lane as usize);
                let after = self.changed(before, bits);
                wave.set_vgpr(row, self.lane as usize, after);
                let name = match row.checked_sub(self.accumulators) {
                    Some(number) if self.accumulators > 0 => format!("a{number}"),
                    _ => format!("v{row}"),
                };
                (name, before, after, false)
            }
            Spot::Slots { slot, .. } => {
                let before = wave.sgpr(slot);
                let after = self.changed(before, Bits::ALL);
                wave.set_sgpr(slot, after);
                let exec = usize::from(numbers::EXEC);
                (
                    name_of(slot),
                    before,
                    after,
                    slot == exec || slot == exec + 1,
                )
            }
            Spot::Scc => {
                let before = wave.scc();
                let after = match self.model {
                    Model::Bit | Model::TwoBits => !before,
                    Model::Random => self.draws.below(2) == 1,
                    Model::Zero => false,
                };
                wave.set_scc(after);
                ("scc".to_owned(), before.into(), after.into(), false)
            }
            Spot::Lds => {
                let (at, before, after) = self.in_lds(lds);
                (format!("lds+{at:#x}"), before, after, false)
            }
        };
        let struck = Struck {
            offset: self.pc.wrapping_sub(entry) as i64,
            op: self.op.to_owned(),
            class: self.class.to_owned(),
            register,
            lane: matches!(self.spot, Spot::Rows { .. }).then_some(self.lane),
            before,
            after,
            source: None,
        };
        (struck, exec)
    }

    fn in_lds(&mut self, lds: &mut [u8]) -> (usize, u32, u32) {
        let words = lds.len() / 4;
        if words == 0 {
            return (0, 0, 0);
        }
        let at = 4 * self.draws.below(words as u64) as usize;
        let Some(word) = lds[at..].first_chunk_mut::<4>() else {
            return (0, 0, 0);
        };
        let before = u32::from_le_bytes(*word);
        let after = self.changed(before, Bits::ALL);
        *word = after.to_le_bytes();
        (at, before, after)
    }

    /// The value instead of this one, which differs in these bits alone.
    fn changed(&mut self, before: u32, Bits { first, count }: Bits) -> u32 {
        let mask = (u32::MAX >> (32 - count)) << first;
        let mut one_of = |count: u32| first + self.draws.below(count.into()) as u32;
        match self.model {
            Model::Bit => before ^ 1 << one_of(count),
            Model::TwoBits => before ^ 3 << one_of(count - 1),
            Model::Random => before & !mask | self.draws.draw() as u32 & mask,
            Model::Zero => before & !mask,
        }
    }
}

/// The lane of bit number `number` of those that are set.
fn nth_lane(mut lanes: u64, number: u64) -> u32 {
    for _ in 0..number {
        lanes &= lanes.wrapping_sub(1);
    }
    lanes.trailing_zeros().min(63)
}

fn name_of(slot: usize) -> String {
    let special = [
        (usize::from(numbers::VCC), "vcc"),
        (usize::from(numbers::EXEC), "exec"),
    ];
    for (first, name) in special {
        match slot.wrapping_sub(first) {
            0 => return format!("{name}_lo"),
            1 => return format!("{name}_hi"),
            _ => {}
        }
    }
    match slot == usize::from(numbers::M0) {
        true => "m0".to_owned(),
        false => format!("s{slot}"),
    }
}
