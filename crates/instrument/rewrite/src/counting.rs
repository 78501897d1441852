//! Counters that a wave keeps in registers for its whole life: zeroed at entry, added to where control passes, written to
//! memory at the end of the program.

use crate::counter_use::CounterUse;
use crate::encode::Encodings;
use crate::instruction::{EXEC, Instruction, InstructionSink, Op, SourceOperand};
use crate::ir::Code;
use crate::lower::fixed;
use crate::registers::{Home, RegisterPool};
use crate::save::move_mask;
use crate::{Action, Plan, Refusal};
use lift::{FunctionIndex, Module};
use smallvec::SmallVec;
use std::collections::BTreeSet;
use template::RegisterFile;

/// One array of counters.
#[derive(Clone, Debug)]
pub(crate) struct Array {
    pub global: usize,
    /// The home of each counter's lower 32 bits.
    pub homes: Vec<Home>,
    /// The home of the upper 32 bits, where a wave may need them: the next SGPR, or the same lane of another VGPR.
    pub highs: Vec<Option<Home>>,
    /// VGPRs, one lane per counter, and those for upper halves.
    pub vgprs: Vec<u16>,
    pub high_vgprs: Vec<Option<u16>>,
}

impl Array {
    /// A lane for the upper half of the last counter that got a place.
    fn high_lane(&mut self, lane: u16, supply: &mut RegisterPool) -> Option<Home> {
        let vgpr = self.high_vgprs.last_mut()?;
        if vgpr.is_none() {
            *vgpr = supply.keep(RegisterFile::Vgpr, 1, 1, 0);
        }
        vgpr.map(|vgpr| Home::Lane(vgpr, lane))
    }
}

/// All counters of a kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counting {
    /// First of the pair of each accumulator.
    pub accumulators: Vec<u16>,
    pub arrays: Vec<Array>,
    /// Pair of SGPRs: one to add to a lane with, one to keep SCC in.
    scratch: Option<u16>,
}

/// The amounts that one block adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    accumulators: Amounts<usize>,
    /// By array and index.
    counters: Amounts<(usize, usize)>,
}

/// The amount for each counter, in order. Most blocks add to one.
type Amounts<K> = SmallVec<[(K, u32); 1]>;

fn add<K: Ord>(sums: &mut Amounts<K>, to: K, amount: u32) {
    let at = match sums.binary_search_by(|(known, _)| known.cmp(&to)) {
        Ok(at) => match sums[at].1.checked_add(amount) {
            Some(sum) => {
                sums[at].1 = sum;
                return;
            }
            None => at,
        },
        Err(at) => at,
    };
    sums.insert(at, (to, amount));
}

impl Sums {
    pub fn is_empty(&self) -> bool {
        self.accumulators.is_empty() && self.counters.is_empty()
    }

    /// Says whether the action is one that adds.
    pub fn add(&mut self, action: &Action) -> bool {
        match *action {
            Action::Accumulate { slot, amount } => add(&mut self.accumulators, slot, amount),
            Action::Count {
                array,
                index,
                amount,
            } => add(&mut self.counters, (array, index), amount),
            Action::Call { .. } => return false,
        }
        true
    }
}

/// SGPRs that are left to hooks when counters are spread.
const LEFT_TO_HOOKS: usize = 24;

impl Counting {
    /// Gives every counter of a kernel that consists of these functions a register. Counters that are added to often come first.
    pub fn new(
        plan: &Plan<'_>,
        module: &Module,
        functions: &BTreeSet<FunctionIndex>,
        supply: &mut RegisterPool,
        wave_size: u8,
    ) -> Result<Counting, Refusal> {
        let refused = |what| Refusal::Registers {
            what,
            reason: "no register is free in the whole kernel".to_owned(),
        };
        let mut counting = Counting::default();
        for _ in &plan.accumulators {
            let pair = supply
                .keep(RegisterFile::Sgpr, 2, 2, 0)
                .ok_or_else(|| refused("an accumulator"))?;
            counting.accumulators.push(pair);
        }
        if plan.counters.is_empty() && plan.accumulators.is_empty() {
            return Ok(counting);
        }
        counting.scratch = Some(
            supply
                .keep(RegisterFile::Sgpr, 2, 2, 0)
                .ok_or_else(|| refused("a counter"))?,
        );
        let CounterUse { repeated, wide } = CounterUse::new(plan, module, functions);
        for (number, wanted) in plan.counters.iter().enumerate() {
            let mut array = Array {
                global: wanted.global,
                homes: Vec::with_capacity(wanted.length),
                highs: Vec::with_capacity(wanted.length),
                vgprs: Vec::new(),
                high_vgprs: Vec::new(),
            };
            for index in 0..wanted.length {
                let lane = (index % usize::from(wave_size)) as u16;
                if lane == 0 {
                    array.vgprs.push(
                        supply
                            .keep(RegisterFile::Vgpr, 1, 1, 0)
                            .ok_or_else(|| refused("a counter"))?,
                    );
                    array.high_vgprs.push(None);
                }
                let wide = wide[number][index];
                let scalar = (repeated[number][index] && supply.free_scalars() > LEFT_TO_HOOKS)
                    .then(|| supply.keep(RegisterFile::Sgpr, 1 + u16::from(wide), 1, 0))
                    .flatten();
                let home = match (scalar, array.vgprs.last()) {
                    (Some(register), _) => Home::Scalar(register),
                    (None, Some(vgpr)) => Home::Lane(*vgpr, lane),
                    (None, None) => return Err(refused("a counter")),
                };
                let high = match (wide, home) {
                    (false, _) => None,
                    (true, Home::Scalar(register)) => Some(Home::Scalar(register + 1)),
                    (true, Home::Lane(_, lane) | Home::Stored(lane)) => {
                        let high = array.high_lane(lane, supply);
                        Some(high.ok_or_else(|| refused("a counter"))?)
                    }
                };
                array.homes.push(home);
                array.highs.push(high);
            }
            counting.arrays.push(array);
        }
        Ok(counting)
    }

    pub fn is_empty(&self) -> bool {
        self.accumulators.is_empty() && self.arrays.is_empty()
    }

    /// Zeroes all, whatever EXEC is.
    pub fn prologue(&self, wave_size: u8, code: &mut Vec<Instruction>) {
        let zero = SourceOperand::Constant(0);
        for &pair in &self.accumulators {
            code.scalar1(Op::SMovB64, pair, zero);
        }
        for array in &self.arrays {
            let highs = array.highs.iter().flatten();
            for home in array.homes.iter().chain(highs) {
                if let Home::Scalar(register) = *home {
                    code.move_scalar(register, zero);
                }
            }
        }
        let mut vgprs: Vec<u16> = Vec::new();
        for array in &self.arrays {
            vgprs.extend(&array.vgprs);
            vgprs.extend(array.high_vgprs.iter().flatten());
        }
        let Some(saved) = self.scratch.filter(|_| !vgprs.is_empty()) else {
            return;
        };
        let op = move_mask(u16::from(wave_size / 32));
        code.scalar1(op, saved, SourceOperand::Scalar(EXEC));
        code.scalar1(op, EXEC, SourceOperand::Constant(u32::MAX));
        for vgpr in vgprs {
            code.move_vector(vgpr, zero);
        }
        code.scalar1(op, EXEC, SourceOperand::Scalar(saved));
    }

    /// Appends what one block adds.
    pub fn add(
        &self,
        sums: &Sums,
        keep_scc: bool,
        codes: &Encodings,
        code: &mut Code<'_>,
    ) -> Result<(), Refusal> {
        let scc = self
            .scratch
            .map(|scratch| scratch + 1)
            .filter(|_| keep_scc && self.loses_scc(sums, codes));
        if let Some(register) = scc {
            let (one, zero) = (SourceOperand::Constant(1), SourceOperand::Constant(0));
            code.scalar2(Op::SCselectB32, register, one, zero);
        }
        self.add_all(sums, codes, code)?;
        if let Some(register) = scc {
            let zero = SourceOperand::Constant(0);
            code.compare(Op::SCmpLgU32, SourceOperand::Scalar(register), zero);
        }
        Ok(())
    }

    fn add_all(&self, sums: &Sums, codes: &Encodings, code: &mut Code<'_>) -> Result<(), Refusal> {
        let wrong = |what, index| Refusal::BadPlan { what, index };
        for &(slot, amount) in &sums.accumulators {
            let pair = *self
                .accumulators
                .get(slot)
                .ok_or(wrong("accumulator", slot))?;
            let amount = SourceOperand::Constant(amount);
            if codes.has(Op::SAddNcU64) && amount_is_positive(amount) {
                code.scalar2(Op::SAddNcU64, pair, SourceOperand::Scalar(pair), amount);
                continue;
            }
            let (low, high) = (SourceOperand::Scalar(pair), SourceOperand::Scalar(pair + 1));
            code.scalar2(Op::SAddU32, pair, low, amount);
            code.scalar2(Op::SAddcU32, pair + 1, high, SourceOperand::Constant(0));
        }
        for &((array, index), amount) in &sums.counters {
            let wrong = || wrong("counter", index);
            let array = self.arrays.get(array).ok_or_else(wrong)?;
            let home = array.homes.get(index).ok_or_else(wrong)?;
            let high = array.highs.get(index).ok_or_else(wrong)?;
            let amount = SourceOperand::Constant(amount);
            self.add_to(*home, (Op::SAddU32, amount), codes, code);
            if let Some(high) = high {
                // Nothing that moves lanes touches the carry.
                let carry = (Op::SAddcU32, SourceOperand::Constant(0));
                self.add_to(*high, carry, codes, code);
            }
        }
        Ok(())
    }

    /// Adds to half a counter.
    fn add_to(
        &self,
        home: Home,
        (op, amount): (Op, SourceOperand),
        codes: &Encodings,
        code: &mut Code<'_>,
    ) {
        match (home, self.scratch) {
            (Home::Scalar(register), _) => {
                code.scalar2(op, register, SourceOperand::Scalar(register), amount);
            }
            (Home::Lane(vgpr, lane), Some(scratch)) => {
                code.read_lane(scratch, vgpr, lane);
                fixed(codes, code, Op::WaitAlu);
                code.scalar2(op, scratch, SourceOperand::Scalar(scratch), amount);
                fixed(codes, code, Op::LaneGap);
                code.write_lane(vgpr, lane, scratch);
            }
            (Home::Lane(..), None) | (Home::Stored(_), _) => {}
        }
    }

    /// True if the additions lose SCC.
    pub fn loses_scc(&self, sums: &Sums, codes: &Encodings) -> bool {
        !sums.counters.is_empty() || !codes.has(Op::SAddNcU64)
    }
}

/// Small numbers and literals are zero-extended; negative inline constants would be sign-extended.
fn amount_is_positive(source: SourceOperand) -> bool {
    matches!(source, SourceOperand::Constant(value) if value as i32 >= 0)
}
