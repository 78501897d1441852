//! Memory operations whose results are touched before a wait for them: a scoreboard over the blocks of a function.
//!
//! Each operation that was issued is outstanding until a wait retires it. Its age is the number of younger operations of
//! its own kind on its counter. A wait for N retires operations of age N and more if the kind counts down in order, and
//! only a wait for 0 retires the others. A counter that is full stops the wave, so that an age of the counter's capacity
//! means that the operation is done. Three ages are kept for each operation at each place:
//!
//! * the least one on any path: an operation without it is certainly done;
//! * the greatest one, if it is outstanding on all paths;
//! * the least one on a likely path. This path begins with a branch that is taken while the operation is outstanding
//!   on all paths to it. It has no further branch but those back to a loop's head and those that skip code for which no
//!   lane is on.
//!
//! One of the last two makes a finding certain: no branch on the way is likely to contradict an earlier one. Where code is
//! skipped because no lane is on, the operation counts as outstanding on all paths if it is on the one with lanes.

use crate::touch::{Halves, Runs, Touch, shared};
use gfx::Family;
use isa::{Decoded, Effects, Format, Traits};
use lift::{
    Block, BlockIndex, Counter, Edge, EdgeKind, Function, FunctionIndex, InstIndex, Kind, Module,
    ReadUnit, Span, awaited, raised, read_unit, registers,
};
use smallvec::SmallVec;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// How an instruction conflicts with an operation that is outstanding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Conflict {
    /// It reads what the operation will write.
    Read,
    /// It writes what the operation will write later.
    Overwrite,
    /// It overwrites what the operation will read.
    OverwriteSource,
    /// It is a barrier, and the operation will write LDS.
    Barrier,
    /// It is a barrier, and the operation will load to LDS.
    BarrierLoad,
}

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// Wherever the instructions are executed at all.
    Certain,
    /// If a path can be taken on which branches might exclude each other.
    Possible,
}

/// An operation that an instruction should have waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingWait {
    pub conflict: Conflict,
    pub grade: Grade,
    /// The instruction that issued the operation.
    pub producer: InstIndex,
    /// The first instruction that conflicts with it.
    pub consumer: InstIndex,
    /// Address of the consumer.
    pub pc: u64,
    pub mnemonic: &'static str,
    /// On which one would have to wait.
    pub counter: Counter,
    /// The register that both touch; none at barriers.
    pub register: Option<Halves>,
    /// Further instructions that conflict with the same operation.
    pub others: usize,
}

impl std::fmt::Display for MissingWait {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let MissingWait {
            pc,
            mnemonic,
            counter,
            register,
            ..
        } = self;
        match register {
            Some(register) => write!(
                f,
                "{mnemonic} at {pc:#x} touches {register}, for which it would have to wait on {counter:?}"
            ),
            None => write!(
                f,
                "{mnemonic} at {pc:#x} would have to wait for LDS on {counter:?}"
            ),
        }
    }
}

/// All operations of a function that are not waited for, by producer. Calls are taken to wait for everything, as LLVM's
/// calling convention has it. Where unknown code may come from, nothing is outstanding.
pub fn check_waits(module: &Module, index: FunctionIndex) -> Vec<MissingWait> {
    Scoreboard::new(module).check(index)
}

/// One operation of an instruction.
#[derive(Debug)]
pub(crate) struct Operation {
    pub counter: Counter,
    pub kind: Kind,
    unit: ReadUnit,
    pub writes: Runs,
    reads: Runs,
    pub lds: Option<Conflict>,
    /// The instruction is a FLAT one.
    flat: bool,
}

impl Operation {
    /// Returns `true` if a wait for `left` means that the operation is done, with so many younger ones of its kind.
    pub fn is_done(&self, age: u8, left: u32) -> bool {
        left == 0 || self.kind.in_order() && u32::from(age) >= left
    }

    /// Returns `true` if an instruction could conflict with the operation while it is outstanding.
    pub fn matters(&self) -> bool {
        !self.writes.is_empty() || !self.reads.is_empty() || self.lds.is_some()
    }

    /// The first register in which an instruction conflicts with the outstanding operation.
    pub fn conflict(&self, facts: &Facts, family: Family) -> Option<(Conflict, Halves)> {
        if let Some(register) = shared(&facts.touch.reads, &self.writes) {
            return Some((Conflict::Read, register));
        }
        if let Some(register) = shared(&facts.touch.writes, &self.writes)
            && !self.is_followed_by(facts, family)
        {
            return Some((Conflict::Overwrite, register));
        }
        let register = shared(&facts.touch.writes, &self.reads)?;
        Some((Conflict::OverwriteSource, register))
    }

    /// Returns `true` if the results of an instruction come behind those of the operation by themselves.
    fn is_followed_by(&self, facts: &Facts, family: Family) -> bool {
        if facts.flat {
            return false;
        }
        facts.operations.iter().any(|own| {
            if own.counter != self.counter || own.kind != self.kind {
                return false;
            }
            match self.counter {
                // Since gfx12 they count down in order, but may be written in any.
                Counter::Load | Counter::Sample | Counter::Bvh => {
                    family < Family::Gfx12 && own.unit == self.unit && !self.flat
                }
                _ => own.kind.in_order(),
            }
        })
    }
}

/// The facts about an instruction that do not depend on its place.
#[derive(Debug)]
pub(crate) struct Facts {
    touch: Touch,
    pub waits: SmallVec<[(Counter, u32); 3]>,
    pub operations: SmallVec<[Operation; 2]>,
    pub flat: bool,
    pub barrier: bool,
    pub uses_lds: bool,
}

const SCC: Halves = Halves::of_span(Span::Scalar(registers::SCC, 1));

impl Facts {
    pub fn new(inst: &Decoded, touch: Touch, family: Family) -> Facts {
        let effects = inst.effects;
        let flat = effects.contains(Effects::FLAT);
        let lds = lds_conflict(inst, &touch);
        let operations = raised(inst, family).into_iter().map(|(counter, kind)| {
            let direct = inst.format == Format::LdsDirect;
            let answers = kind != Kind::Message || inst.op.has(Traits::ANSWERED);
            let reads_late = counter == Counter::Export && !direct;
            let vectors =
                |runs: &Runs| runs.iter().copied().filter(|run| run.is_vector()).collect();
            Operation {
                counter,
                kind,
                unit: read_unit(inst),
                writes: match answers && !reads_late {
                    true => touch
                        .writes
                        .iter()
                        .copied()
                        .filter(|run| *run != SCC)
                        .collect(),
                    false => Runs::new(),
                },
                reads: match reads_late {
                    true => vectors(&touch.reads),
                    false => Runs::new(),
                },
                lds: lds.filter(|_| counter != Counter::Export),
                flat,
            }
        });
        Facts {
            waits: awaited(inst, family),
            operations: operations.collect(),
            flat,
            barrier: inst.op.has(Traits::ARRIVES),
            uses_lds: effects.contains(Effects::LDS)
                && effects.intersects(Effects::LOAD | Effects::STORE),
            touch,
        }
    }

    fn counts(&self) -> bool {
        !self.waits.is_empty() || !self.operations.is_empty()
    }
}

/// The conflict that an operation has with a barrier while it is outstanding.
fn lds_conflict(inst: &Decoded, touch: &Touch) -> Option<Conflict> {
    let effects = inst.effects;
    let stores = effects.intersects(Effects::STORE | Effects::ATOMIC);
    if inst.format == Format::Ds && effects.contains(Effects::LDS) && stores {
        return Some(Conflict::Barrier);
    }
    let loads = effects.contains(Effects::LOAD) && !effects.contains(Effects::ATOMIC);
    let buffer = matches!(inst.format, Format::Mubuf | Format::Global);
    let to_lds = loads && buffer && !touch.writes.iter().any(|run| run.is_vector());
    to_lds.then_some(Conflict::BarrierLoad)
}

/// An age that is none.
const NONE: u8 = u8::MAX;
/// Ages beyond every capacity are all the same.
const OLDEST: u8 = 64;
/// After so many visits of a block, an age that still grows is given up.
const PATIENCE: u32 = 4;

/// An operation that is outstanding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Outstanding {
    /// The instruction, and which of its operations.
    key: u32,
    /// The least age on any path.
    least: u8,
    /// The greatest age, if it is outstanding on all paths.
    greatest: u8,
    /// The least age on a path that no branch contradicts.
    sure: u8,
}

impl Outstanding {
    fn inst(self) -> InstIndex {
        (self.key / 2) as InstIndex
    }

    fn grade(self) -> Grade {
        match self.greatest != NONE || self.sure != NONE {
            true => Grade::Certain,
            false => Grade::Possible,
        }
    }

    fn ages(&mut self) -> [&mut u8; 3] {
        [&mut self.least, &mut self.greatest, &mut self.sure]
    }
}

/// The operations that are outstanding at one place, by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct State {
    operations: Vec<Outstanding>,
    /// Came only along branches that are taken while no lane is on.
    without_lanes: bool,
}

impl State {
    /// Returns `true` if anything changed. `settle`: ages do not grow any more.
    fn unite(&mut self, other: &State, settle: bool) -> bool {
        let before = std::mem::take(&mut self.operations);
        let mut united = Vec::with_capacity(before.len().max(other.operations.len()));
        let (mut mine, mut theirs) = (before.iter().peekable(), other.operations.iter().peekable());
        // Code that is skipped where no lane is on is taken to be executed.
        let mine_alone = |one: &Outstanding| Outstanding {
            greatest: if other.without_lanes {
                one.greatest
            } else {
                NONE
            },
            ..*one
        };
        let empty = self.without_lanes;
        let theirs_alone = |one: &Outstanding| Outstanding {
            greatest: if empty { one.greatest } else { NONE },
            ..*one
        };
        loop {
            match (mine.peek(), theirs.peek()) {
                (Some(one), Some(two)) if one.key == two.key => {
                    let grows = two.greatest > one.greatest;
                    united.push(Outstanding {
                        key: one.key,
                        least: one.least.min(two.least),
                        greatest: match grows && settle {
                            true => NONE,
                            false => one.greatest.max(two.greatest),
                        },
                        sure: one.sure.min(two.sure),
                    });
                    mine.next();
                    theirs.next();
                }
                (Some(one), Some(two)) if one.key < two.key => {
                    united.push(mine_alone(one));
                    mine.next();
                }
                (_, Some(two)) => {
                    united.push(theirs_alone(two));
                    theirs.next();
                }
                (Some(one), None) => {
                    united.push(mine_alone(one));
                    mine.next();
                }
                (None, None) => break,
            }
        }
        let changed = united != before || self.without_lanes && !other.without_lanes;
        self.operations = united;
        self.without_lanes &= other.without_lanes;
        changed
    }
}

/// Finds missing waits in the functions of one module.
pub struct Scoreboard<'m> {
    module: &'m Module,
    /// By number of the instruction.
    facts: Vec<Option<Rc<Facts>>>,
}

impl<'m> Scoreboard<'m> {
    pub fn new(module: &'m Module) -> Scoreboard<'m> {
        Scoreboard {
            module,
            facts: Vec::new(),
        }
    }

    /// All operations of a function that are not waited for, by producer.
    pub fn check(&mut self, index: FunctionIndex) -> Vec<MissingWait> {
        let module = self.module;
        let function = &module.functions[index];
        let walk = self.walk(function);
        let starts = walk.solve();
        walk.find(&starts)
    }

    /// The blocks on a shortest path from the producer to the consumer on which the operation stays outstanding.
    pub fn path(&mut self, index: FunctionIndex, missing: &MissingWait) -> Vec<BlockIndex> {
        let module = self.module;
        self.walk(&module.functions[index]).path(missing)
    }

    fn walk(&mut self, function: &'m Function) -> Walk<'m> {
        let family = self.module.target.family;
        let count = function.insts.len();
        let mut facts = Vec::with_capacity(count);
        for index in 0..count {
            let number = function.insts.number(index);
            if self.facts.len() <= number {
                self.facts.resize(number + 1, None);
            }
            let known = self.facts[number].get_or_insert_with(|| {
                let inst = function.insts.at(index);
                let touch = Touch::new(&inst, function.access(index));
                Rc::new(Facts::new(&inst, touch, family))
            });
            facts.push(known.clone());
        }
        Walk {
            function,
            family,
            facts,
            anywhere: function.jumps_to_unknown_places(),
        }
    }
}

/// The scoreboard of one function.
struct Walk<'m> {
    function: &'m Function,
    family: Family,
    facts: Vec<Rc<Facts>>,
    /// Control may go to unknown places, perhaps to this function's blocks.
    anywhere: bool,
}

impl Walk<'_> {
    fn operation(&self, key: u32) -> &Operation {
        &self.facts[(key / 2) as usize].operations[(key % 2) as usize]
    }

    fn wait(&self, state: &mut State, facts: &Facts) {
        for &(counter, left) in &facts.waits {
            state.operations.retain_mut(|one| {
                let operation = self.operation(one.key);
                operation.counter != counter || self.retire(operation, one, left)
            });
        }
    }

    /// Takes the ages away that say that the operation is done; whether any is left.
    fn retire(&self, operation: &Operation, one: &mut Outstanding, left: u32) -> bool {
        for age in one.ages() {
            if *age != NONE && operation.is_done(*age, left) {
                *age = NONE;
            }
        }
        one.least != NONE
    }

    fn issue(&self, state: &mut State, facts: &Facts, inst: InstIndex) {
        for (slot, operation) in facts.operations.iter().enumerate() {
            let capacity = operation.counter.capacity(self.family);
            state.operations.retain_mut(|one| {
                let other = self.operation(one.key);
                if other.counter != operation.counter || other.kind != operation.kind {
                    return true;
                }
                for age in one.ages() {
                    if *age != NONE {
                        *age = (*age + 1).min(OLDEST);
                    }
                }
                self.retire(other, one, capacity)
            });
            if operation.matters() && slot < 2 {
                let key = (inst as u32) * 2 + slot as u32;
                let new = Outstanding {
                    key,
                    least: 0,
                    greatest: 0,
                    sure: NONE,
                };
                match state.operations.binary_search_by_key(&key, |one| one.key) {
                    Ok(place) => state.operations[place] = new,
                    Err(place) => state.operations.insert(place, new),
                }
            }
        }
    }

    fn step(&self, state: &mut State, inst: InstIndex) {
        let facts = &self.facts[inst];
        if facts.counts() {
            self.wait(state, facts);
            self.issue(state, facts, inst);
        }
    }

    /// The outstanding operations at the start of each block that known edges reach.
    fn solve(&self) -> Vec<Option<State>> {
        let blocks = &self.function.blocks;
        let mut starts: Vec<Option<State>> = blocks
            .iter()
            .enumerate()
            .map(|(index, block)| {
                (index == 0 || block.predecessors.is_empty() || block.entered).then(State::default)
            })
            .collect();
        let mut stale: Vec<bool> = starts.iter().map(Option::is_some).collect();
        let mut visits = vec![0u32; blocks.len()];
        let mut next = 0;
        while next < blocks.len() {
            let index = next;
            next += 1;
            if !std::mem::replace(&mut stale[index], false) {
                continue;
            }
            let Some(mut state) = starts[index].clone() else {
                continue;
            };
            visits[index] += 1;
            let block = &blocks[index];
            block.range().for_each(|inst| self.step(&mut state, inst));
            for edge in &block.successors {
                let returns = block.call.is_some() && edge.kind == EdgeKind::CallReturn;
                let mut arrives = match returns {
                    true => State::default(),
                    false => self.leaving(&state, index, edge),
                };
                arrives.without_lanes = edge.without_lanes && is_entered_otherwise(blocks, edge.to);
                let changed = match &mut starts[edge.to] {
                    Some(to) => to.unite(&arrives, visits[edge.to] > PATIENCE),
                    none => {
                        *none = Some(arrives);
                        true
                    }
                };
                if changed {
                    stale[edge.to] = true;
                    next = next.min(edge.to);
                }
            }
        }
        starts
    }

    /// The outstanding operations that arrive along an edge from the end of a block.
    fn leaving(&self, state: &State, from: BlockIndex, edge: &Edge) -> State {
        let block = &self.function.blocks[from];
        let branches = block.successors.len() + block.leaves.len() > 1;
        let returns = || self.function.dominators().dominates(edge.to, from);
        let free = !branches || edge.without_lanes || returns();
        let mut arrives = state.clone();
        for one in &mut arrives.operations {
            one.sure = match one.greatest {
                NONE if free => one.sure,
                NONE => NONE,
                greatest => one.sure.min(greatest),
            };
            // The next block may be entered from elsewhere.
            if self.anywhere {
                one.greatest = NONE;
            }
        }
        arrives
    }

    fn find(&self, starts: &[Option<State>]) -> Vec<MissingWait> {
        let mut found: BTreeMap<InstIndex, MissingWait> = BTreeMap::new();
        for (index, block) in self.function.blocks.iter().enumerate() {
            let Some(mut state) = starts[index].clone() else {
                continue;
            };
            for inst in block.range() {
                let facts = &self.facts[inst];
                if !state.operations.is_empty() {
                    self.wait(&mut state, facts);
                    self.meet(&state, facts, inst, &mut found);
                }
                self.step(&mut state, inst);
            }
        }
        found.into_values().collect()
    }

    /// Compares an instruction with all that is outstanding before it.
    fn meet(
        &self,
        state: &State,
        facts: &Facts,
        inst: InstIndex,
        found: &mut BTreeMap<InstIndex, MissingWait>,
    ) {
        let touches = !facts.touch.reads.is_empty() || !facts.touch.writes.is_empty();
        if !touches && !facts.barrier {
            return;
        }
        let indexed = self.function.access(inst).indexed.vectors;
        for one in &state.operations {
            let operation = self.operation(one.key);
            let Some((conflict, register)) = self.conflict(operation, facts, inst) else {
                continue;
            };
            // It is unknown which vector registers the instruction touches.
            if indexed && register.is_some_and(Halves::is_vector) {
                continue;
            }
            let grade = match conflict {
                // Loads to another part of LDS may be meant to be outstanding there.
                Conflict::BarrierLoad => Grade::Possible,
                _ => one.grade(),
            };
            let decoded = self.function.insts.at(inst);
            let missing = MissingWait {
                conflict,
                grade,
                producer: one.inst(),
                consumer: inst,
                pc: decoded.pc,
                mnemonic: decoded.mnemonic(),
                counter: operation.counter,
                register,
                others: 0,
            };
            match found.get_mut(&one.inst()) {
                None => drop(found.insert(one.inst(), missing)),
                // The two counters of one instruction.
                Some(known) if known.consumer == inst => {}
                Some(known) => {
                    let others = known.others + 1;
                    if grade < known.grade {
                        *known = missing;
                    }
                    known.others = others;
                }
            }
        }
    }

    fn conflict(
        &self,
        operation: &Operation,
        facts: &Facts,
        inst: InstIndex,
    ) -> Option<(Conflict, Option<Halves>)> {
        if let Some((conflict, register)) = operation.conflict(facts, self.family) {
            return Some((conflict, Some(register)));
        }
        let conflict = operation.lds.filter(|_| facts.barrier)?;
        self.lds_is_used_behind(inst).then_some((conflict, None))
    }

    /// Returns `true` if an instruction between this barrier and the next one accesses LDS. Only then do the contents of LDS at
    /// the barrier matter.
    fn lds_is_used_behind(&self, barrier: InstIndex) -> bool {
        let blocks = &self.function.blocks;
        let mut seen = vec![false; blocks.len()];
        let first = self.function.block_of(barrier);
        let mut todo = vec![(first, barrier + 1)];
        while let Some((block, from)) = todo.pop() {
            let mut ended = false;
            for inst in from..blocks[block].end {
                let facts = &self.facts[inst];
                if facts.uses_lds || facts.flat {
                    return true;
                }
                if facts.barrier {
                    ended = true;
                    break;
                }
            }
            if ended {
                continue;
            }
            // The called function may use LDS.
            if blocks[block].call.is_some() {
                return true;
            }
            for edge in &blocks[block].successors {
                if !std::mem::replace(&mut seen[edge.to], true) {
                    todo.push((edge.to, blocks[edge.to].first));
                }
            }
        }
        false
    }

    fn path(&self, missing: &MissingWait) -> Vec<BlockIndex> {
        let blocks = &self.function.blocks;
        let mut operations = self.facts[missing.producer].operations.iter();
        let slot = operations.position(|operation| operation.counter == missing.counter);
        let key = (missing.producer * 2 + slot.unwrap_or(0)) as u32;
        // Stretches to look through: block, first instruction, age, number of the stretch before.
        let first = self.function.block_of(missing.producer);
        let mut stretches = vec![(first, None)];
        let mut todo = VecDeque::from([(0, missing.producer + 1, 0u8)]);
        let mut youngest = vec![NONE; blocks.len()];
        while let Some((stretch, from, age)) = todo.pop_front() {
            let block = &blocks[stretches[stretch].0];
            let mut state = State {
                operations: vec![Outstanding {
                    key,
                    least: age,
                    greatest: NONE,
                    sure: NONE,
                }],
                without_lanes: false,
            };
            for inst in from..block.end {
                if inst == missing.consumer {
                    self.wait(&mut state, &self.facts[inst]);
                    if !state.operations.is_empty() {
                        return back(&stretches, stretch);
                    }
                }
                self.step(&mut state, inst);
                // Issued anew, it is another operation.
                let anew = inst == missing.producer;
                state.operations.retain(|one| one.key == key && !anew);
                if state.operations.is_empty() {
                    break;
                }
            }
            let Some(one) = state.operations.first() else {
                continue;
            };
            for edge in &block.successors {
                if edge.kind == EdgeKind::CallReturn && block.call.is_some() {
                    continue;
                }
                if one.least < youngest[edge.to] {
                    youngest[edge.to] = one.least;
                    stretches.push((edge.to, Some(stretch)));
                    todo.push_back((stretches.len() - 1, blocks[edge.to].first, one.least));
                }
            }
        }
        Vec::new()
    }
}

/// The blocks up to a stretch, first one first.
fn back(stretches: &[(BlockIndex, Option<usize>)], last: usize) -> Vec<BlockIndex> {
    let mut path = Vec::new();
    let mut at = Some(last);
    while let Some(stretch) = at {
        path.push(stretches[stretch].0);
        at = stretches[stretch].1;
    }
    path.reverse();
    path
}

/// Returns `true` if a block is reached along an edge that is taken with lanes on.
fn is_entered_otherwise(blocks: &[Block], to: BlockIndex) -> bool {
    let edges = blocks[to].predecessors.iter();
    edges
        .flat_map(|before| &blocks[*before].successors)
        .any(|edge| edge.to == to && !edge.without_lanes)
}
