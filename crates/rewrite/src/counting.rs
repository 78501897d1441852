//! Counters that a wave keeps in registers for its whole life: zeroed at entry, added to where control passes, written to
//! memory at the end of the program.

use crate::encode::{Codes, EXEC, Op, Source, Write};
use crate::entry::assemble;
use crate::often::Often;
use crate::splice::{Place, Splicer};
use crate::supply::{Home, Supply};
use crate::{Action, Half, Plan, Refusal, Relocation, Symbol};
use gfx::Family;
use lift::registers::{RegisterSet, Span};
use lift::{FunctionIndex, Module};
use smallvec::SmallVec;
use std::collections::BTreeSet;
use template::RegisterFile;

/// One array of counters.
#[derive(Clone, Debug)]
struct Array {
    global: usize,
    /// Of each counter's lower 32 bits.
    homes: Vec<Home>,
    /// Of the upper ones, where a wave may need them: in the next SGPR, or the same lane of another VGPR.
    highs: Vec<Option<Home>>,
    /// VGPRs, one lane per counter, and those for upper halves.
    vgprs: Vec<u16>,
    high_vgprs: Vec<Option<u16>>,
}

impl Array {
    /// A lane for the upper half of the last counter that got a place.
    fn high_lane(&mut self, lane: u16, supply: &mut Supply) -> Option<Home> {
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
    arrays: Vec<Array>,
    /// Pair of SGPRs: one to add to a lane with, one to keep SCC in.
    scratch: Option<u16>,
}

/// What one block adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    accumulators: Amounts<usize>,
    /// By array and index.
    counters: Amounts<(usize, usize)>,
}

/// What is added to each, in order; mostly to one.
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

/// Sums that are alike but for registers: of one counter in a lane or not, of 64 bits or not, with its amount.
pub(crate) type Kind = (bool, bool, u32);

/// SGPRs that are left to hooks when counters are spread.
const LEFT_TO_HOOKS: usize = 24;

impl Counting {
    /// Gives every counter of a kernel that consists of these functions a register. Those that are added to often come first.
    pub fn new(
        plan: &Plan<'_>,
        module: &Module,
        functions: &BTreeSet<FunctionIndex>,
        supply: &mut Supply,
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
        let Often { repeated, wide } = Often::of(plan, module, functions);
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
                    (true, Home::Lane(_, lane)) => {
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
    pub fn prologue(&self, codes: &Codes, wave_size: u8, code: &mut Vec<u8>) {
        let zero = Source::Constant(0);
        for &pair in &self.accumulators {
            code.scalar1(codes, Op::SMovB64, pair, zero);
        }
        for array in &self.arrays {
            let highs = array.highs.iter().flatten();
            for home in array.homes.iter().chain(highs) {
                if let Home::Scalar(register) = *home {
                    code.move_scalar(codes, register, zero);
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
        let op = if wave_size == 64 {
            Op::SMovB64
        } else {
            Op::SMovB32
        };
        code.scalar1(codes, op, saved, Source::Scalar(EXEC));
        code.scalar1(codes, op, EXEC, Source::Constant(u32::MAX));
        for vgpr in vgprs {
            code.move_vector(codes, vgpr, zero);
        }
        code.scalar1(codes, op, EXEC, Source::Scalar(saved));
    }

    /// Appends what one block adds.
    pub fn add(
        &self,
        sums: &Sums,
        keep_scc: bool,
        codes: &Codes,
        code: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        self.add_at(sums, keep_scc, codes, code, |number| number)
    }

    /// What [`Counting::add`] appends, with register 0 for any other: the same for most blocks, and all the same to hazards
    /// with code that names none of the registers.
    pub fn pattern(&self, sums: &Sums, keep_scc: bool, codes: &Codes) -> Result<Vec<u8>, Refusal> {
        let mut code = Vec::new();
        self.add_at(sums, keep_scc, codes, &mut code, |_| 0)?;
        Ok(code)
    }

    /// The kind of sums; none if they are no usual ones.
    pub fn kind(&self, sums: &Sums) -> Option<Kind> {
        let mut counters = sums.counters.iter();
        let &((array, index), amount) = counters.next()?;
        let only = counters.next().is_none() && sums.accumulators.is_empty();
        let array = self.arrays.get(array)?;
        let (home, high) = (array.homes.get(index)?, array.highs.get(index)?);
        only.then_some((matches!(home, Home::Lane(..)), high.is_some(), amount))
    }

    /// `at` gives registers and lanes their numbers.
    fn add_at(
        &self,
        sums: &Sums,
        keep_scc: bool,
        codes: &Codes,
        code: &mut Vec<u8>,
        at: fn(u16) -> u16,
    ) -> Result<(), Refusal> {
        let scc = self
            .scratch
            .map(|scratch| at(scratch) + 1)
            .filter(|_| keep_scc && self.loses_scc(sums, codes));
        if let Some(register) = scc {
            let (one, zero) = (Source::Constant(1), Source::Constant(0));
            code.scalar2(codes, Op::SCselectB32, register, one, zero);
        }
        self.add_all(sums, codes, code, at)?;
        if let Some(register) = scc {
            let zero = Source::Constant(0);
            code.compare(codes, Op::SCmpLgU32, Source::Scalar(register), zero);
        }
        Ok(())
    }

    fn add_all(
        &self,
        sums: &Sums,
        codes: &Codes,
        code: &mut Vec<u8>,
        at: fn(u16) -> u16,
    ) -> Result<(), Refusal> {
        let wrong = |what, index| Refusal::BadPlan { what, index };
        for &(slot, amount) in &sums.accumulators {
            let pair = *self
                .accumulators
                .get(slot)
                .ok_or(wrong("accumulator", slot))?;
            let pair = at(pair);
            let amount = Source::Constant(amount);
            if codes.has(Op::SAddNcU64) && amount_is_positive(amount) {
                code.scalar2(codes, Op::SAddNcU64, pair, Source::Scalar(pair), amount);
                continue;
            }
            let (low, high) = (Source::Scalar(pair), Source::Scalar(pair + 1));
            code.scalar2(codes, Op::SAddU32, pair, low, amount);
            code.scalar2(codes, Op::SAddcU32, pair + 1, high, Source::Constant(0));
        }
        for &((array, index), amount) in &sums.counters {
            let wrong = || wrong("counter", index);
            let array = self.arrays.get(array).ok_or_else(wrong)?;
            let home = array.homes.get(index).ok_or_else(wrong)?;
            let high = array.highs.get(index).ok_or_else(wrong)?;
            let amount = Source::Constant(amount);
            self.add_to(*home, (Op::SAddU32, amount), codes, code, at);
            if let Some(high) = high {
                // Nothing that moves lanes touches the carry.
                let carry = (Op::SAddcU32, Source::Constant(0));
                self.add_to(*high, carry, codes, code, at);
            }
        }
        Ok(())
    }

    /// Adds to half a counter.
    fn add_to(
        &self,
        home: Home,
        (op, amount): (Op, Source),
        codes: &Codes,
        code: &mut Vec<u8>,
        at: fn(u16) -> u16,
    ) {
        match (home, self.scratch) {
            (Home::Scalar(register), _) => {
                let register = at(register);
                code.scalar2(codes, op, register, Source::Scalar(register), amount);
            }
            (Home::Lane(vgpr, lane), Some(scratch)) => {
                let (vgpr, lane, scratch) = (at(vgpr), at(lane), at(scratch));
                code.read_lane(codes, scratch, vgpr, lane);
                if codes.has(Op::WaitAlu) {
                    code.extend_from_slice(codes.bytes(Op::WaitAlu));
                }
                code.scalar2(codes, op, scratch, Source::Scalar(scratch), amount);
                if codes.has(Op::LaneGap) {
                    code.extend_from_slice(codes.bytes(Op::LaneGap));
                }
                code.write_lane(codes, vgpr, lane, scratch);
            }
            (Home::Lane(..), None) => {}
        }
    }

    /// Whether adding loses SCC.
    pub fn loses_scc(&self, sums: &Sums, codes: &Codes) -> bool {
        !sums.counters.is_empty() || !codes.has(Op::SAddNcU64)
    }

    /// Adds the arrays to memory, all lanes at once; nothing of the application is alive any more.
    pub fn flush(
        &self,
        splicer: &mut Splicer<'_>,
        place: &Place<'_>,
        code: &mut Vec<u8>,
        relocations: &mut Vec<Relocation>,
    ) -> Result<RegisterSet, Refusal> {
        if self.arrays.is_empty() {
            return Ok(RegisterSet::default());
        }
        let codes = splicer.codes;
        let (scalars, vectors) = splicer.borrow_at_end(2, 3)?;
        // Of three in a row from an even number: a pair, then the address.
        let (data, address) = (vectors, vectors + 2);
        let mut touched = RegisterSet::default();
        touched.insert(Span::Scalar(scalars, 2));
        touched.insert(Span::Vector(vectors, 3));
        splicer.waits(&touched, place, code);
        let gfx12 = codes.target.family >= Family::Gfx12;
        let wide = place.wave_size == 64;
        let all = if wide {
            "s_mov_b64 exec, -1"
        } else {
            "s_mov_b32 exec_lo, -1"
        };
        let mut text = format!("{all}\nv_mbcnt_lo_u32_b32 v{address}, -1, 0\n");
        if wide {
            text += &format!("v_mbcnt_hi_u32_b32 v{address}, -1, v{address}\n");
        }
        text += &format!("v_lshlrev_b32 v{address}, 3, v{address}\n");
        code.extend(assemble(codes, &text)?);
        for array in &self.arrays {
            for (index, home) in array.homes.iter().enumerate() {
                if let Home::Scalar(register) = *home {
                    let lane = index % usize::from(place.wave_size);
                    let vgpr = array.vgprs[index / usize::from(place.wave_size)];
                    code.write_lane(codes, vgpr, lane as u16, register);
                }
            }
            let name = splicer.globals.get(array.global).ok_or(Refusal::BadPlan {
                what: "global",
                index: array.global,
            })?;
            for (group, vgpr) in array.vgprs.iter().enumerate() {
                let first = group * usize::from(place.wave_size);
                for (half, register) in [(Half::Low, scalars), (Half::High, scalars + 1)] {
                    code.move_literal(codes, register, 0);
                    relocations.push(Relocation {
                        offset: code.len() as u64 - 4,
                        half,
                        symbol: Symbol::Tool(name.clone()),
                        addend: first as i64 * 8,
                    });
                }
                code.move_vector(codes, data, Source::Vector(*vgpr));
                let high = array.high_vgprs[group];
                let high = high.map_or(Source::Constant(0), Source::Vector);
                code.move_vector(codes, data + 1, high);
                for (lane, high) in (0..place.wave_size).zip(&array.highs[first..]) {
                    if let Some(Home::Scalar(register)) = *high {
                        code.write_lane(codes, data + 1, lane.into(), register);
                    }
                }
                let left = array.homes.len() - first;
                if left < usize::from(place.wave_size) {
                    let mask = (1u64 << left) - 1;
                    code.move_scalar(codes, EXEC, Source::Constant(mask as u32));
                    if wide {
                        code.move_scalar(codes, EXEC + 1, Source::Constant((mask >> 32) as u32));
                    }
                }
                let name = if gfx12 {
                    "global_atomic_add_u64"
                } else {
                    "global_atomic_add_x2"
                };
                let (last, end) = (data + 1, scalars + 1);
                code.extend(assemble(
                    codes,
                    &format!("{name} v{address}, v[{data}:{last}], s[{scalars}:{end}]"),
                )?);
                if left < usize::from(place.wave_size) && array.vgprs.len() == group + 1 {
                    code.extend(assemble(codes, all)?);
                }
            }
        }
        Ok(touched)
    }
}

/// Small numbers and literals are zero-extended; negative inline constants would be sign-extended.
fn amount_is_positive(source: Source) -> bool {
    matches!(source, Source::Constant(value) if value as i32 >= 0)
}
