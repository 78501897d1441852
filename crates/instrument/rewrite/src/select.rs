//! The pass that lays the original's code out anew, function by function, together with the code between its instructions.
//! Additions to counters become instructions here. Hooks become places where a later pass lowers them.

use crate::addresses::KeptAddresses;
use crate::block_facts::{BlockFacts, falls_to};
use crate::changes::Changes;
use crate::clauses::Clauses;
use crate::counting::{Counting, Sums};
use crate::edges::SplitEdge;
use crate::encode::Encodings;
use crate::instruction::{InstructionSink, Op, SourceOperand};
use crate::ir::{Code, HazardScope, Item, Label, Seam, SplicePoint};
use crate::jumps::Jumps;
use crate::lower::SCC_NUMBER;
use crate::plan_index::{PlanIndex, Site};
use crate::rewriting::Rewriting;
use crate::{Action, Change, Insertion, Plan, Point, Refusal};
use gfx::Family;
use isa::{Effects, Traits};
use lift::{BlockIndex, Function, FunctionIndex, InstFlags, InstIndex, Module, RegisterSet};
use std::ops::Range;

/// Instructions that cannot be copied without a thought.
const SPECIAL: InstFlags = InstFlags::PLACED
    .or(InstFlags::CLAUSE)
    .or(InstFlags::MESSAGE);

/// Message of `s_sendmsg`, since gfx11.
const DEALLOCATE_VGPRS: u32 = 3;

pub(crate) fn run(rewriting: &mut Rewriting<'_, '_>) -> Result<(), Refusal> {
    let mut code = Code::default();
    let Some(sites) = rewriting.return_sites.take() else {
        return Err(Refusal::BadPlan {
            what: "a pass that comes too early: number",
            index: 1,
        });
    };
    let jumps = Jumps::new(
        rewriting.module,
        &rewriting.functions,
        &sites,
        rewriting.jump_registers,
        &mut code,
    );
    let mut selection = Selection {
        jumps,
        module: rewriting.module,
        plan: rewriting.plan,
        agenda: &rewriting.agenda,
        codes: rewriting.codes,
        counting: &rewriting.counting,
        addresses: &rewriting.addresses,
        changes: &rewriting.changes,
        code: &mut code,
        behind: None,
    };
    let kernel = rewriting.kernel;
    selection.code.push(Item::Function(kernel));
    for instruction in &rewriting.prologue {
        selection.code.put(*instruction);
    }
    selection.function(kernel)?;
    for &index in rewriting.functions.iter().filter(|index| **index != kernel) {
        selection.code.push(Item::FunctionEnd);
        selection.code.push(Item::Function(index));
        selection.function(index)?;
    }
    selection.shared(&mut rewriting.supply)?;
    selection.code.push(Item::FunctionEnd);
    rewriting.code = code;
    Ok(())
}

pub(crate) struct Selection<'a, 'p> {
    pub module: &'a Module,
    pub plan: &'p Plan<'p>,
    pub agenda: &'a PlanIndex,
    pub codes: &'a Encodings,
    pub counting: &'a Counting,
    pub addresses: &'a KeptAddresses,
    pub changes: &'a Changes,
    pub code: &'a mut Code<'p>,
    pub jumps: Jumps<'a>,
    /// To be put behind the branch that ends the block.
    pub behind: Option<Label>,
}

impl<'p> Selection<'_, 'p> {
    fn function(&mut self, index: FunctionIndex) -> Result<(), Refusal> {
        let mut clauses = Clauses::default();
        let mut detours = Vec::new();
        for number in 0..self.module.functions[index].blocks.len() {
            self.block(index, number, &mut clauses, &mut detours)?;
        }
        self.detours(index, detours)
    }

    fn block(
        &mut self,
        index: FunctionIndex,
        number: BlockIndex,
        clauses: &mut Clauses,
        detours: &mut Vec<SplitEdge>,
    ) -> Result<(), Refusal> {
        let module = self.module;
        let function = &module.functions[index];
        let block = &function.blocks[number];
        self.check(function, block)?;
        let insertions = self.agenda.insertions.within(index, block.range());
        let sums = self.sums(function, insertions);
        let add_at = match sums.is_empty() {
            true => None,
            false => Some(self.place_for(index, number, &sums)?),
        };
        self.code.push(Item::Label(Label::Block(index, number)));
        let mut insertions = insertions.iter().peekable();
        let mut inst = block.first;
        let mut special = function.next_with(block.range(), SPECIAL);
        while inst < block.end {
            if special < inst {
                special = function.next_with(inst..block.end, SPECIAL);
            }
            let inserted = insertions.peek().map(|((_, at), _)| *at);
            let added = add_at.map(|(at, _)| at).filter(|at| *at >= inst);
            let changed = self.agenda.changes.next_from(index, inst);
            let stops = [inserted, added, changed].into_iter().flatten();
            let stop = stops.fold(special, usize::min);
            if stop > inst {
                self.stretch(inst..stop, &mut clauses.left);
                inst = stop;
                continue;
            }
            let mut inserted = false;
            while let Some((_, number)) = insertions.next_if(|((_, at), _)| *at == inst) {
                let insertion = &self.plan.insertions[*number];
                // A block's amounts are added at one place of the block.
                inserted |= matches!(insertion.action, Action::Call { .. })
                    || is_alone(function, insertion);
            }
            if !clauses.inside() {
                self.code.push(Item::Gap);
            }
            if let Some((_, keep_scc)) = add_at.filter(|(at, _)| *at == inst) {
                self.add(index, number, inst, &sums, keep_scc)?;
            }
            self.instruction((index, number, inst), inserted, clauses, detours)?;
            inst += 1;
        }
        self.fall_through(index, number)
    }

    /// Instructions that stay as they are, with nothing between them. `clause`: how many of them are left in a clause.
    fn stretch(&mut self, insts: Range<InstIndex>, clause: &mut u32) {
        self.code.push(Item::Original {
            from: insts.start,
            to: insts.end,
            clause: *clause,
        });
        *clause = clause.saturating_sub(insts.len() as u32);
    }

    /// One instruction with what is inserted in front of it and behind it.
    fn instruction(
        &mut self,
        (index, number, inst): (FunctionIndex, BlockIndex, InstIndex),
        inserted: bool,
        clauses: &mut Clauses,
        detours: &mut Vec<SplitEdge>,
    ) -> Result<(), Refusal> {
        let module = self.module;
        let function = &module.functions[index];
        let spot = SplicePoint {
            inst,
            next: inst,
            block: number,
            position: inst - function.blocks[number].first,
        };
        if inserted {
            self.insert_at(index, Point::Before, spot)?;
        }
        self.change_beside(index, spot, Point::Before);
        let ends = function.traits(inst).any(InstFlags::ENDS_BLOCK)
            && function.insts.at(inst).effects.contains(Effects::END);
        // Behind all other code, for which something of the application may still be alive.
        if ends && !self.counting.is_empty() && self.replacement(index, inst).is_none() {
            self.code.push(Item::Inserted(function.insts.pc(inst)));
            self.flush(spot);
        }
        self.addresses.copy(module, index, spot, self.code);
        let agenda = self.agenda;
        clauses.step(function, inst, |covered| agenda.any_in(index, covered));
        let plain =
            !function.traits(inst).any(SPECIAL) && self.agenda.changes.at(index, inst).is_empty();
        if plain {
            // Islands may come before all that is inserted.
            self.stretch(inst..inst + 1, &mut 1);
        } else {
            self.code.push(Item::Replaced(inst));
            self.original((index, number, inst), spot, clauses, detours)?;
            self.code.push(Item::ReplacedEnd(inst));
        }
        self.change_beside(index, spot, Point::After);
        let is_last = inst + 1 == function.blocks[number].end;
        if is_last {
            self.comes_back(index, number);
            if let Some(label) = self.behind.take() {
                self.code.push(Item::Label(label));
            }
        }
        if inserted && (!is_last || falls_to(function, number).is_some()) {
            let behind = SplicePoint {
                next: inst + 1,
                position: spot.position + 1,
                ..spot
            };
            self.insert_at(index, Point::After, behind)?;
        }
        Ok(())
    }

    /// Adds what a block adds to its counters.
    fn add(
        &mut self,
        index: FunctionIndex,
        block: BlockIndex,
        inst: InstIndex,
        sums: &Sums,
        keep_scc: bool,
    ) -> Result<(), Refusal> {
        let function = &self.module.functions[index];
        let spot = SplicePoint {
            inst,
            next: inst,
            block,
            position: inst - function.blocks[block].first,
        };
        self.code.push(Item::Inserted(function.insts.pc(inst)));
        let seam = self.code.enter();
        self.counting.add(sums, keep_scc, self.codes, self.code)?;
        // The application names none of its registers.
        let none = RegisterSet::default();
        let met = Seam::new(index, spot, HazardScope::NoRegister, none);
        self.code.leave(seam, met);
        Ok(())
    }

    /// The instruction itself, as it has to be at its new place.
    fn original(
        &mut self,
        (index, number, inst): (FunctionIndex, BlockIndex, InstIndex),
        spot: SplicePoint,
        clauses: &Clauses,
        detours: &mut Vec<SplitEdge>,
    ) -> Result<(), Refusal> {
        let module = self.module;
        let function = &module.functions[index];
        let (decoded, traits) = (function.insts.at(inst), function.traits(inst));
        if let Some((change, bytes)) = self.replacement(index, inst) {
            self.given(change, bytes, spot);
            return Ok(());
        }
        let block = &function.blocks[number];
        if !traits.any(SPECIAL) {
            self.code.push(Item::Copy(inst));
            return Ok(());
        }
        let deallocates = traits.any(InstFlags::MESSAGE)
            && decoded.constant() == DEALLOCATE_VGPRS
            && module.target.family >= Family::Gfx11;
        // VGPRs are needed until the end.
        let needed = deallocates
            && (!self.counting.is_empty() || self.agenda.any_in(index, inst + 1..block.end));
        if clauses.broken_at(inst) || needed {
            self.code.scalar1(Op::SNop, 0, SourceOperand::Constant(0));
            return Ok(());
        }
        let last = inst + 1 == block.end;
        if last && decoded.effects.contains(Effects::CALL) {
            return self.call(index, number, inst);
        }
        if let Some(target) = decoded.target() {
            return self.direct(index, number, inst, target, detours);
        }
        if last && decoded.effects.contains(Effects::INDIRECT) && block.reachable {
            return self.indirect(index, number, inst, detours);
        }
        if decoded.op.has(Traits::READS_PC) {
            self.program_counter(decoded);
            return Ok(());
        }
        self.code.push(Item::Copy(inst));
        Ok(())
    }

    /// The replacement of an instruction: the change's number and machine code.
    fn replacement(&self, index: FunctionIndex, inst: InstIndex) -> Option<(usize, &'p [u8])> {
        let plan = self.plan;
        let mut changes = self.agenda.changes.at(index, inst).iter();
        changes.find_map(|(_, change)| match &plan.changes[*change].change {
            Change::Remove => Some((*change, &[][..])),
            Change::Replace(bytes) => Some((*change, &bytes[..])),
            Change::Add { .. } => None,
        })
    }

    fn change_beside(&mut self, index: FunctionIndex, spot: SplicePoint, wanted: Point) {
        let plan = self.plan;
        for (_, change) in self.agenda.changes.at(index, spot.inst) {
            if let Change::Add { point, bytes } = &plan.changes[*change].change
                && *point == wanted
            {
                let insts = &self.module.functions[index].insts;
                self.code.push(Item::Inserted(match point {
                    Point::Before | Point::Edge(_) => insts.pc(spot.inst),
                    Point::After => insts.end(spot.inst),
                }));
                self.given(*change, bytes, spot);
            }
        }
    }

    /// Machine code of a change. Where that ends the program, counters go to memory before.
    fn given(&mut self, change: usize, bytes: &'p [u8], spot: SplicePoint) {
        let end = self.changes.end_of(change);
        let end = end.filter(|_| !self.counting.is_empty());
        let (before, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
        self.code.push(Item::Given(before));
        if !rest.is_empty() {
            self.flush(spot);
            self.code.push(Item::Given(rest));
        }
    }

    /// Everything that is kept in registers to memory.
    fn flush(&mut self, spot: SplicePoint) {
        let spot = self.code.spot(spot);
        self.code.push(Item::Flush(spot));
    }

    /// Emits the code that is inserted at one point of an instruction.
    pub fn insert_at(
        &mut self,
        index: FunctionIndex,
        point: Point,
        spot: SplicePoint,
    ) -> Result<(), Refusal> {
        let plan = self.plan;
        let function = &self.module.functions[index];
        for &(_, number) in self.agenda.insertions.at(index, spot.inst) {
            let insertion = &plan.insertions[number];
            if insertion.point != point {
                continue;
            }
            self.code.push(Item::Inserted(function.insts.pc(spot.inst)));
            if matches!(insertion.action, Action::Call { .. }) {
                let spot = self.code.spot(spot);
                self.code.push(Item::Hook(number as u32, spot));
            } else if is_alone(function, insertion) {
                let mut sums = Sums::default();
                sums.add(&insertion.action);
                let mut live = BlockFacts::new(self.module, index, spot.block).live(spot.position);
                live.unite(&self.changes.live);
                let keep_scc = live.scalars.contains(SCC_NUMBER);
                self.counting.add(&sums, keep_scc, self.codes, self.code)?;
            }
        }
        Ok(())
    }

    /// All that is added whenever a block is passed, of its insertions.
    fn sums(&self, function: &Function, insertions: &[(Site, usize)]) -> Sums {
        let mut sums = Sums::default();
        for (_, number) in insertions {
            let insertion = &self.plan.insertions[*number];
            if !is_alone(function, insertion) {
                sums.add(&insertion.action);
            }
        }
        sums
    }

    /// The instruction before which to add, and whether SCC has to be kept there.
    fn place_for(
        &self,
        index: FunctionIndex,
        number: BlockIndex,
        sums: &Sums,
    ) -> Result<(InstIndex, bool), Refusal> {
        let function = &self.module.functions[index];
        let block = &function.blocks[number];
        let loses_scc = self.counting.loses_scc(sums, self.codes);
        let keeps = |inst: InstIndex| self.module.scc_live_before(index, number, inst);
        let always = self.changes.live.scalars.contains(SCC_NUMBER);
        let mut clause_end = 0;
        let mut inst = block.first;
        while inst < block.end {
            let next = inst + 1;
            let decoded = function.insts.at(inst);
            if function.traits(inst).any(InstFlags::CLAUSE) {
                clause_end = next + decoded.clause_length() as usize;
            } else if inst < clause_end {
                inst = next;
                continue;
            }
            if function.indexing_before(inst) {
                inst = next;
                continue;
            }
            match loses_scc.then(|| keeps(inst)) {
                _ if always && loses_scc => return Ok((inst, true)),
                // Clauses that start meanwhile are to be seen all the same.
                Some((true, end)) => {
                    inst = function.next_with(next..end.max(next), InstFlags::CLAUSE);
                }
                _ => return Ok((inst, false)),
            }
        }
        if function.indexing_before(block.first) {
            return Err(Refusal::Place {
                pc: function.insts.pc(block.first),
                reason: "index mode is on all over the block",
            });
        }
        Ok((block.first, always || keeps(block.first).0))
    }
}

/// Returns `true` if the insertion is not passed whenever its block is.
fn is_alone(function: &Function, insertion: &Insertion) -> bool {
    match insertion.point {
        Point::Before => false,
        Point::After => {
            let block = function.block_of(insertion.inst);
            insertion.inst + 1 == function.blocks[block].end
        }
        Point::Edge(_) => true,
    }
}
