//! Counters that a wave keeps in registers for its whole life: zeroed at entry, added to where control passes, written to
//! memory at the end of the program.

use crate::encode::{Codes, EXEC, Op, Source, Write};
use crate::entry::assemble;
use crate::splice::{Place, Splicer};
use crate::supply::{Home, Supply};
use crate::{Action, Half, Plan, Refusal, Relocation, Symbol};
use gfx::Family;
use lift::registers::{RegisterSet, Span};
use lift::{FunctionIndex, InstIndex, Module};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::ops::Range;
use template::RegisterFile;

/// One array of counters.
#[derive(Clone, Debug)]
struct Array {
    global: usize,
    /// Of each counter, which has 32 bits.
    homes: Vec<Home>,
    /// VGPRs, one lane per counter.
    vgprs: Vec<u16>,
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
    match sums.binary_search_by(|(known, _)| known.cmp(&to)) {
        Ok(at) => sums[at].1 = sums[at].1.saturating_add(amount),
        Err(at) => sums.insert(at, (to, amount)),
    }
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

/// Sums that are alike but for registers: of one counter in a lane or not, with its amount.
pub(crate) type Kind = (bool, u32);

/// SGPRs that are left to hooks when counters are spread.
const LEFT_TO_HOOKS: usize = 24;

impl Counting {
    /// Gives every counter a register. Those that loops add to come first.
    pub fn new(
        plan: &Plan<'_>,
        module: &Module,
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
        let looping = in_loops(plan, module);
        for (number, array) in plan.counters.iter().enumerate() {
            let mut homes = Vec::with_capacity(array.length);
            let mut vgprs = Vec::new();
            for index in 0..array.length {
                let lane = (index % usize::from(wave_size)) as u16;
                if lane == 0 {
                    vgprs.push(
                        supply
                            .keep(RegisterFile::Vgpr, 1, 1, 0)
                            .ok_or_else(|| refused("a counter"))?,
                    );
                }
                let scalar = (looping[number][index] && supply.free_scalars() > LEFT_TO_HOOKS)
                    .then(|| supply.keep(RegisterFile::Sgpr, 1, 1, 0))
                    .flatten();
                homes.push(match (scalar, vgprs.last()) {
                    (Some(register), _) => Home::Scalar(register),
                    (None, Some(vgpr)) => Home::Lane(*vgpr, lane),
                    (None, None) => return Err(refused("a counter")),
                });
            }
            counting.arrays.push(Array {
                global: array.global,
                homes,
                vgprs,
            });
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
        let homes = self.arrays.iter().flat_map(|array| &array.homes);
        for home in homes {
            if let Home::Scalar(register) = *home {
                code.move_scalar(codes, register, zero);
            }
        }
        let vgprs: Vec<u16> = self
            .arrays
            .iter()
            .flat_map(|array| array.vgprs.iter().copied())
            .collect();
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
        let home = self.arrays.get(array)?.homes.get(index)?;
        only.then_some((matches!(home, Home::Lane(..)), amount))
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
            let home = self
                .arrays
                .get(array)
                .and_then(|array| array.homes.get(index))
                .ok_or(wrong("counter", index))?;
            let amount = Source::Constant(amount);
            match (*home, self.scratch) {
                (Home::Scalar(register), _) => {
                    let register = at(register);
                    code.scalar2(
                        codes,
                        Op::SAddU32,
                        register,
                        Source::Scalar(register),
                        amount,
                    );
                }
                (Home::Lane(vgpr, lane), Some(scratch)) => {
                    let (vgpr, lane, scratch) = (at(vgpr), at(lane), at(scratch));
                    code.read_lane(codes, scratch, vgpr, lane);
                    if codes.has(Op::WaitAlu) {
                        code.extend_from_slice(codes.bytes(Op::WaitAlu));
                    }
                    code.scalar2(codes, Op::SAddU32, scratch, Source::Scalar(scratch), amount);
                    if codes.has(Op::LaneGap) {
                        code.extend_from_slice(codes.bytes(Op::LaneGap));
                    }
                    code.write_lane(codes, vgpr, lane, scratch);
                }
                (Home::Lane(..), None) => {}
            }
        }
        Ok(())
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
        text += &format!(
            "v_lshlrev_b32 v{address}, 3, v{address}\nv_mov_b32 v{}, 0\n",
            data + 1
        );
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

/// Counters that a loop adds to.
fn in_loops(plan: &Plan<'_>, module: &Module) -> Vec<Vec<bool>> {
    let arrays = plan.counters.iter();
    let mut counters: Vec<Vec<bool>> = arrays.map(|array| vec![false; array.length]).collect();
    // By function, instructions that loops consist of.
    let mut looping: BTreeMap<FunctionIndex, Vec<Range<InstIndex>>> = BTreeMap::new();
    for insertion in &plan.insertions {
        let Action::Count { array, index, .. } = insertion.action else {
            continue;
        };
        let Some(function) = module.functions.get(insertion.function) else {
            continue;
        };
        let ranges = looping.entry(insertion.function).or_insert_with(|| {
            let loops = function.loops().iter();
            let mut blocks: Vec<_> = loops.flat_map(|found| &found.blocks).collect();
            blocks.sort_unstable();
            blocks.dedup();
            let blocks = blocks.into_iter();
            blocks
                .map(|&block| function.blocks[block].range())
                .collect()
        });
        let behind = ranges.partition_point(|range| range.end <= insertion.inst);
        let inside = ranges.get(behind);
        if inside.is_some_and(|range| range.start <= insertion.inst)
            && let Some(counter) = counters.get_mut(array).and_then(|of| of.get_mut(index))
        {
            *counter = true;
        }
    }
    counters
}
