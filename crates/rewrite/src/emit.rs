//! One function into the new text: original instructions with what is inserted around them.

use crate::counting::{Counting, Kind, Sums};
use crate::encode::{Codes, Op, Source, Write};
use crate::kernel::pointed_to;
use crate::memory::MemoryAccess;
use crate::seam::{Exposed, Padding, Seam, Seams, Terrain};
use crate::splice::{Place, SCC_NUMBER, Splicer};
use crate::text::{Label, Text};
use crate::{Action, Change, Half, Insertion, Lanes, Plan, Point, Refusal, Symbol, Value};
use gfx::Family;
use isa::{Decoded, Effects, Inst, Operand, Reg, RegKind};
use lift::{
    Block, BlockIndex, Callee, EdgeKind, Function, FunctionIndex, InstIndex, Leave, LiveSet,
    Module, Pending, Reason, RegisterSet, Traits,
};
use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

/// What a plan says, by place.
pub(crate) struct Agenda {
    /// Anything is inserted on edges.
    edges: bool,
    /// Indices of insertions and changes.
    insertions: ByPlace,
    changes: ByPlace,
}

impl Agenda {
    pub fn of(plan: &Plan<'_>) -> Agenda {
        let insertions = plan.insertions.iter();
        let changes = plan.changes.iter();
        let on_edge = |insertion: &Insertion| matches!(insertion.point, Point::Edge(_));
        Agenda {
            edges: plan.insertions.iter().any(on_edge),
            insertions: ByPlace::new(
                insertions.map(|insertion| (insertion.function, insertion.inst)),
            ),
            changes: ByPlace::new(changes.map(|change| (change.function, change.inst))),
        }
    }

    /// Functions and instructions that are named.
    pub fn places(&self) -> impl Iterator<Item = Site> + '_ {
        let all = self.insertions.0.iter().chain(&self.changes.0);
        all.map(|(site, _)| *site)
    }

    fn any_in(&self, function: FunctionIndex, range: Range<InstIndex>) -> bool {
        !self.insertions.within(function, range).is_empty()
    }
}

type Site = (FunctionIndex, InstIndex);

/// Indices by what they are for, in order; those of one place in their own.
struct ByPlace(Vec<(Site, usize)>);

impl ByPlace {
    fn new(sites: impl Iterator<Item = Site>) -> ByPlace {
        let mut all: Vec<_> = sites.zip(0..).collect();
        all.sort_unstable();
        ByPlace(all)
    }

    fn at(&self, function: FunctionIndex, inst: InstIndex) -> &[(Site, usize)] {
        self.within(function, inst..inst + 1)
    }

    /// The first instruction from one on, of the same function, that there is anything for.
    fn next_from(&self, function: FunctionIndex, inst: InstIndex) -> Option<InstIndex> {
        if self.0.is_empty() {
            return None;
        }
        let next = self.0.partition_point(|(site, _)| *site < (function, inst));
        let ((of, at), _) = *self.0.get(next)?;
        (of == function).then_some(at)
    }

    fn within(&self, function: FunctionIndex, range: Range<InstIndex>) -> &[(Site, usize)] {
        let behind = |inst| self.0.partition_point(|(site, _)| *site < (function, inst));
        let start = behind(range.start);
        let rest = &self.0[start..];
        let count = rest
            .iter()
            .take_while(|(site, _)| *site < (function, range.end))
            .count();
        &rest[..count]
    }
}

pub(crate) struct Emitter<'a, 'p> {
    pub module: &'a Module,
    pub plan: &'a Plan<'p>,
    pub agenda: &'a Agenda,
    pub codes: &'a Codes,
    pub counting: &'a Counting,
    pub seams: &'a Seams,
    pub splicer: Splicer<'a>,
    pub text: Text,
    /// Of the function at hand.
    pub terrain: Terrain,
    /// What sums of each kind expose to hazards, with SCC kept or not.
    pub added: Vec<((Kind, bool), Rc<Exposed>)>,
}

/// Instructions that cannot be copied without a thought.
const SPECIAL: Traits = Traits::PLACED.or(Traits::CLAUSE).or(Traits::MESSAGE);

/// What is known in one block, found out when first asked for.
struct Facts<'a> {
    module: &'a Module,
    index: FunctionIndex,
    block: BlockIndex,
    /// What is live before each instruction and, last, behind the block.
    live: OnceCell<Vec<LiveSet>>,
    pending: OnceCell<Vec<Pending>>,
}

impl<'a> Facts<'a> {
    fn of(module: &'a Module, index: FunctionIndex, number: BlockIndex) -> Facts<'a> {
        Facts {
            module,
            index,
            block: number,
            live: OnceCell::new(),
            pending: OnceCell::new(),
        }
    }

    /// What is live before instruction number `position` of the block; behind the last, with what the next block starts with.
    fn live(&self, position: usize) -> LiveSet {
        let function = &self.module.functions[self.index];
        let block = &function.blocks[self.block];
        let step = |live: &mut LiveSet, inst: InstIndex| {
            live.step_back(function.access(inst), function.exec_is_full_before(inst));
        };
        if self.live.get().is_none() && position + 1 == block.len() && ends_program(block) {
            let mut live = LiveSet::default();
            step(&mut live, block.end - 1);
            return live;
        }
        let all = self.live.get_or_init(|| {
            let (mut behind, next) = match ends_program(block) {
                true => (LiveSet::default(), None),
                false => {
                    let liveness = self.module.liveness(self.index);
                    let next = falls_to(function, self.block).map(|next| *liveness.live_in(next));
                    (*liveness.live_out(self.block), next)
                }
            };
            let mut live = vec![next.unwrap_or(behind); block.len() + 1];
            for inst in block.range().rev() {
                step(&mut behind, inst);
                live[inst - block.first] = behind;
            }
            live
        });
        all[position]
    }

    /// Before instruction number `position` of the block; behind the last there is what the next block starts with.
    fn pending(&self, position: usize) -> Pending {
        let function = &self.module.functions[self.index];
        let block = &function.blocks[self.block];
        let operations = self.module.pending(self.index);
        let all = self.pending.get_or_init(|| {
            let mut all = Vec::with_capacity(block.len() + 1);
            operations.walk(function, self.block, |_, before| all.push(before.clone()));
            all.push(match falls_to(function, self.block) {
                Some(next) => operations.at_start(next).clone(),
                None => Pending::everything(self.module.target.family),
            });
            all
        });
        all[position].clone()
    }
}

/// Whether nothing comes behind the block, so that nothing is live there.
fn ends_program(block: &Block) -> bool {
    *block.leaves == [Leave::End] && block.successors.is_empty() && block.call.is_none()
}

/// The block that is reached without a branch.
fn falls_to(function: &Function, block: BlockIndex) -> Option<BlockIndex> {
    // Blocks are in order, with nothing between them.
    let mut successors = function.blocks[block].successors.iter();
    let falls = successors.any(|edge| edge.to == block + 1);
    falls.then_some(block + 1)
}

/// An edge that goes through code of its own.
struct Detour {
    label: Label,
    block: BlockIndex,
    to: BlockIndex,
}

impl Emitter<'_, '_> {
    /// Appends a function; `prologue` runs once before its first instruction.
    pub fn function(&mut self, index: FunctionIndex, prologue: &[u8]) -> Result<(), Refusal> {
        let module = self.module;
        let function = &module.functions[index];
        let start = self.text.offset();
        self.terrain = Terrain::default();
        self.text.start_function(index, function);
        self.text.bytes.extend_from_slice(prologue);
        let mut clause = Clauses::default();
        let mut detours = Vec::new();
        for number in 0..function.blocks.len() {
            self.block(index, number, &mut clause, &mut detours)?;
        }
        for detour in detours {
            self.text.mark_own(detour.label);
            self.insert_on_edge(index, detour.block, detour.to)?;
            let to = Label::Block(index, detour.to);
            self.text.branch(self.codes, Op::SBranch, to);
        }
        self.text.functions.push(crate::NewFunction {
            name: function.name.clone(),
            old: function.entry,
            offset: start,
            size: self.text.offset() - start,
        });
        Ok(())
    }

    fn block(
        &mut self,
        index: FunctionIndex,
        number: BlockIndex,
        clauses: &mut Clauses,
        detours: &mut Vec<Detour>,
    ) -> Result<(), Refusal> {
        let module = self.module;
        let function = &module.functions[index];
        let block = &function.blocks[number];
        self.check(function, block)?;
        let insertions = self.agenda.insertions.within(index, block.range());
        let facts = Facts::of(module, index, number);
        let sums = self.sums(function, insertions);
        let add_at = match sums.is_empty() {
            true => None,
            false => Some(self.place_for(index, number, &sums)?),
        };
        self.text.mark(index, number);
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
                self.run(function, inst..stop, &mut clauses.left);
                inst = stop;
                continue;
            }
            let mut inserted = false;
            while let Some((_, number)) = insertions.next_if(|((_, at), _)| *at == inst) {
                let insertion = &self.plan.insertions[*number];
                // What a block adds is added at one place of it.
                inserted |= matches!(insertion.action, Action::Call { .. })
                    || self.is_alone(function, insertion);
            }
            let decoded = function.insts.at(inst);
            if !clauses.inside() {
                self.text.gap();
            }
            if let Some((_, keep_scc)) = add_at.filter(|(at, _)| *at == inst) {
                self.text.inserted(decoded.pc);
                self.add(function, inst, &sums, keep_scc)?;
            }
            if inserted {
                self.insert(&facts, inst, Point::Before, inst - block.first)?;
            }
            if function.traits(inst).any(Traits::ENDS_BLOCK)
                && decoded.effects.contains(Effects::END)
            {
                self.flush(&facts, inst, inst - block.first)?;
            }
            self.change_beside(index, inst, Point::Before);
            let run = self.text.replace(decoded.pc);
            clauses.step(function, inst, |covered| self.agenda.any_in(index, covered));
            self.original(index, number, inst, clauses, detours)?;
            self.text.is_copy(run, decoded.size.into());
            self.change_beside(index, inst, Point::After);
            if inserted {
                self.insert(&facts, inst, Point::After, inst + 1 - block.first)?;
            }
            inst += 1;
        }
        self.fall_through(index, number)
    }

    /// Instructions that stay as they are, with nothing between them. `clause`: how many of them are left in a clause.
    fn run(&mut self, function: &Function, insts: Range<InstIndex>, clause: &mut u32) {
        let start = self.text.offset();
        if insts.is_empty() {
            return;
        }
        let base = function.insts.pc(insts.start);
        let code = function.code(insts.clone());
        if self.text.wants_gap(start + code.len() as u64) {
            for (pc, before) in function.insts.pcs(insts.clone()).zip(0..) {
                if before >= *clause {
                    self.text.gap_at(start + (pc - base));
                }
            }
        }
        *clause = clause.saturating_sub(insts.len() as u32);
        self.text.copy(base, code);
    }

    /// Adds what a block adds to its counters.
    fn add(
        &mut self,
        function: &Function,
        next: InstIndex,
        sums: &Sums,
        keep_scc: bool,
    ) -> Result<(), Refusal> {
        let start = self.text.bytes.len();
        self.counting
            .add(sums, keep_scc, self.codes, &mut self.text.bytes)?;
        if self.seams.is_empty() {
            return Ok(());
        }
        // Few kinds of sums are all there are, and what they expose does not depend on registers.
        let kind = self.counting.kind(sums).map(|kind| (kind, keep_scc));
        let known = self.added.iter().find(|(known, _)| Some(*known) == kind);
        let exposed = match known {
            Some((_, exposed)) => exposed.clone(),
            None => {
                let own = self.counting.pattern(sums, keep_scc, self.codes)?;
                let exposed = self.seams.without_registers(&own);
                self.added.extend(kind.map(|kind| (kind, exposed.clone())));
                exposed
            }
        };
        if !exposed.is_empty() {
            self.pad_exposed(function, next, start, &exposed, &RegisterSet::default());
        }
        Ok(())
    }

    /// Whether what the block ends with can be laid out anew.
    fn check(&self, function: &Function, block: &Block) -> Result<(), Refusal> {
        let unresolved = |reason: String| Refusal::Unresolved {
            function: function.name.clone(),
            pc: function.insts.pc(block.end - 1),
            reason,
        };
        if !block.reachable {
            return Ok(());
        }
        let pc = function.insts.pc(block.end - 1);
        // Computed targets are translated at run time, and what runs off the function's end is stopped there.
        let reason = function.unresolved.iter().find(|place| {
            let handled = matches!(
                place.reason,
                Reason::IndirectBranch | Reason::IndirectCall | Reason::RunsOff
            );
            place.pc == pc && !handled
        });
        match reason {
            Some(place) => Err(unresolved(place.reason.to_string())),
            None => Ok(()),
        }
    }

    fn fall_through(&mut self, index: FunctionIndex, number: BlockIndex) -> Result<(), Refusal> {
        let module = self.module;
        let function = &module.functions[index];
        let block = &function.blocks[number];
        if let Some(next) = falls_to(function, number) {
            return self.insert_on_edge(index, number, next);
        }
        // Into another function that comes next in memory.
        let last = function.insts.at(block.end - 1);
        let next = module.function_at(last.end());
        let falls = !last
            .effects
            .intersects(Effects::BRANCH | Effects::END | Effects::RETURN)
            || last
                .effects
                .intersects(Effects::CONDITIONAL | Effects::CALL);
        if let Some(next) =
            next.filter(|next| falls && block.leaves.contains(&Leave::TailCall(*next)))
        {
            self.text
                .branch(self.codes, Op::SBranch, Label::Block(next, 0));
        } else if falls && block.leaves.contains(&Leave::Anywhere) {
            // Behind a call that does not return, such as that of a failed assertion.
            self.text.bytes.extend(self.codes.bytes(Op::STrap));
        }
        Ok(())
    }

    /// The instruction itself, as it has to be at its new place.
    fn original(
        &mut self,
        index: FunctionIndex,
        number: BlockIndex,
        inst: InstIndex,
        clauses: &Clauses,
        detours: &mut Vec<Detour>,
    ) -> Result<(), Refusal> {
        let module = self.module;
        let function = &module.functions[index];
        let (decoded, traits) = (function.insts.at(inst), function.traits(inst));
        if let Some(replaced) = self.replacement(index, inst) {
            self.text.bytes.extend(replaced);
            return Ok(());
        }
        let block = &function.blocks[number];
        if !traits.any(SPECIAL) {
            self.copy(decoded);
            return Ok(());
        }
        let deallocates = traits.any(Traits::MESSAGE)
            && decoded.words[0] & 0xffff == DEALLOCATE_VGPRS
            && module.target.family >= Family::Gfx11;
        // VGPRs are needed until the end.
        let needed = deallocates
            && (!self.counting.is_empty() || self.agenda.any_in(index, inst + 1..block.end));
        if clauses.broken_at(inst) || needed {
            self.text.bytes.extend(self.codes.no_operation(1));
            return Ok(());
        }
        let last = inst + 1 == block.end;
        if last && decoded.effects.contains(Effects::CALL) {
            return self.call(function, block, decoded);
        }
        if let Some(target) = decoded.target() {
            return self.direct(index, number, decoded, target, detours);
        }
        if last && decoded.effects.contains(Effects::INDIRECT) && block.reachable {
            return self.indirect(index, number, decoded);
        }
        if matches!(decoded.mnemonic, "s_getpc_b64" | "s_get_pc_i64") {
            return self.program_counter(decoded);
        }
        self.copy(decoded);
        Ok(())
    }

    fn copy(&mut self, inst: Inst<&Decoded>) {
        for word in &inst.words[..usize::from(inst.size) / 4] {
            self.text.bytes.put(*word);
        }
    }

    fn replacement(&self, index: FunctionIndex, inst: InstIndex) -> Option<Vec<u8>> {
        let changes = self.agenda.changes.at(index, inst);
        changes
            .iter()
            .find_map(|(_, change)| match &self.plan.changes[*change].change {
                Change::Remove => Some(Vec::new()),
                Change::Replace(bytes) => Some(bytes.clone()),
                Change::Add { .. } => None,
            })
    }

    fn change_beside(&mut self, index: FunctionIndex, inst: InstIndex, wanted: Point) {
        for (_, change) in self.agenda.changes.at(index, inst) {
            if let Change::Add { point, bytes } = &self.plan.changes[*change].change
                && *point == wanted
            {
                let insts = &self.module.functions[index].insts;
                self.text.inserted(match point {
                    Point::Before | Point::Edge(_) => insts.pc(inst),
                    Point::After => insts.end(inst),
                });
                self.text.bytes.extend_from_slice(bytes);
            }
        }
    }

    /// The return address is that behind the new call, and so the callee returns to the new text.
    fn call(
        &mut self,
        function: &Function,
        block: &Block,
        inst: Inst<&Decoded>,
    ) -> Result<(), Refusal> {
        let unresolved = |reason: &str| Refusal::Unresolved {
            function: function.name.clone(),
            pc: inst.pc,
            reason: reason.to_owned(),
        };
        let pair = inst.operands.iter().find_map(|operand| match operand {
            Operand::Def(reg) => scalar_encoding(*reg),
            _ => None,
        });
        let pair = pair.ok_or_else(|| unresolved("the return address goes to no SGPR"))?;
        let Some(Callee::Known(callee)) = block.call else {
            if !block.reachable {
                self.copy(inst);
                return Ok(());
            }
            let candidates = self.functions_pointed_to();
            return self.translate(function, inst, &candidates, Some(pair));
        };
        let word = self.codes.branch(Op::SCallB64, pair, 0);
        self.text.branch_word(word, Label::Block(callee, 0));
        Ok(())
    }

    fn direct(
        &mut self,
        index: FunctionIndex,
        number: BlockIndex,
        inst: Inst<&Decoded>,
        target: u64,
        detours: &mut Vec<Detour>,
    ) -> Result<(), Refusal> {
        let module = self.module;
        let function = &module.functions[index];
        let label = match function.inst_at(target) {
            Some(to) => {
                let block = function.block_of(to);
                if function.blocks[block].first != to {
                    return Err(Refusal::Unresolved {
                        function: function.name.clone(),
                        pc: inst.pc,
                        reason: format!("{} refers into a block", inst.mnemonic),
                    });
                }
                if self.has_edge(index, function.blocks[number].end - 1, block)
                    && falls_to(function, number) != Some(block)
                {
                    let label = self.text.new_label();
                    detours.push(Detour {
                        label,
                        block: number,
                        to: block,
                    });
                    label
                } else {
                    Label::Block(index, block)
                }
            }
            None => match module.function_at(target) {
                Some(other) => Label::Block(other, 0),
                None if !function.blocks[number].reachable => {
                    self.copy(inst);
                    return Ok(());
                }
                None => {
                    return Err(Refusal::Unresolved {
                        function: function.name.clone(),
                        pc: inst.pc,
                        reason: "branch to a place where no instruction starts".to_owned(),
                    });
                }
            },
        };
        if inst.size != 4 {
            return Err(Refusal::Unresolved {
                function: function.name.clone(),
                pc: inst.pc,
                reason: format!("{} is not moved", inst.mnemonic),
            });
        }
        self.text.branch_word(inst.words[0].to_le_bytes(), label);
        Ok(())
    }

    /// Whether anything is inserted on the edge from the block that `inst` ends.
    fn has_edge(&self, index: FunctionIndex, inst: InstIndex, to: BlockIndex) -> bool {
        if !self.agenda.edges {
            return false;
        }
        let mut list = self.agenda.insertions.at(index, inst).iter();
        list.any(|(_, number)| self.plan.insertions[*number].point == Point::Edge(to))
    }

    /// `s_setpc_b64`: a return stays; where there is one target the new text is branched to.
    fn indirect(
        &mut self,
        index: FunctionIndex,
        number: BlockIndex,
        inst: Inst<&Decoded>,
    ) -> Result<(), Refusal> {
        let function = &self.module.functions[index];
        let block = &function.blocks[number];
        let tails: Vec<FunctionIndex> = block
            .leaves
            .iter()
            .filter_map(|leave| match leave {
                Leave::TailCall(function) => Some(*function),
                _ => None,
            })
            .collect();
        match (&*block.successors, &*tails, &*block.leaves) {
            ([], [], [Leave::Return]) => self.copy(inst),
            ([edge], [], []) if edge.kind == EdgeKind::Branch => {
                let to = Label::Block(index, edge.to);
                self.text.branch(self.codes, Op::SBranch, to);
            }
            ([], [tail], [_]) => {
                self.text
                    .branch(self.codes, Op::SBranch, Label::Block(*tail, 0));
            }
            (edges, tails, leaves) => {
                let mut candidates = Vec::new();
                for edge in edges {
                    let first = function.blocks[edge.to].first;
                    candidates.push((function.insts.pc(first), Label::Block(index, edge.to)));
                }
                for &tail in tails {
                    candidates.push((self.module.functions[tail].entry, Label::Block(tail, 0)));
                }
                if leaves.contains(&Leave::Anywhere) {
                    candidates.extend(self.functions_pointed_to());
                }
                self.translate(function, inst, &candidates, None)?;
            }
        }
        Ok(())
    }

    /// Addresses in the original, and what is at them now.
    fn functions_pointed_to(&self) -> Vec<(u64, Label)> {
        pointed_to(self.module)
            .map(|index| (self.module.functions[index].entry, Label::Block(index, 0)))
            .collect()
    }

    /// Code that goes where the original's target is now. An address that is none of the candidates stays as it is, and what is
    /// there runs as it was. Needs no register: SCC alone changes, and so there is one copy of the code for either value of it,
    /// which puts that back. `link`: the pair of the return address, of a call.
    fn translate(
        &mut self,
        function: &Function,
        inst: Inst<&Decoded>,
        candidates: &[(u64, Label)],
        link: Option<u16>,
    ) -> Result<(), Refusal> {
        let source = inst.operands.iter().find_map(|operand| match operand {
            Operand::Use(reg) => scalar_encoding(*reg),
            _ => None,
        });
        let source = source.ok_or_else(|| Refusal::Unresolved {
            function: function.name.clone(),
            pc: inst.pc,
            reason: "the target is in no SGPR".to_owned(),
        })?;
        let codes = self.codes;
        let (done, is_set) = (self.text.new_label(), self.text.new_label());
        self.text.branch(codes, Op::SCbranchScc1, is_set);
        for scc in [false, true] {
            if scc {
                self.text.mark_own(is_set);
            }
            let op = if scc { Op::SCmpEqU32 } else { Op::SCmpLgU32 };
            let zero = Source::Constant(0);
            for &(address, label) in candidates {
                let next = self.text.new_label();
                for (half, register) in [(Half::Low, source), (Half::High, source + 1)] {
                    self.text
                        .bytes
                        .compare_literal(codes, Op::SCmpEqU32, register);
                    let literal = self.text.offset() - 4;
                    self.text
                        .relocate(literal, half, Symbol::Original(address), 0);
                    self.text.branch(codes, Op::SCbranchScc0, next);
                }
                self.text.bytes.compare(codes, op, zero, zero);
                match link {
                    Some(pair) => {
                        let word = codes.branch(Op::SCallB64, pair, 0);
                        self.text.branch_word(word, label);
                        self.comes_back(inst, done);
                    }
                    None => self.text.branch(codes, Op::SBranch, label),
                }
                self.text.mark_own(next);
            }
            self.text.bytes.compare(codes, op, zero, zero);
            self.copy(inst);
            if link.is_some() {
                self.comes_back(inst, done);
            }
        }
        self.text.mark_own(done);
        Ok(())
    }

    /// Where a call returns to instead of the instruction behind it.
    fn comes_back(&mut self, inst: Inst<&Decoded>, done: Label) {
        self.text.inserted(inst.end());
        self.text.branch(self.codes, Op::SBranch, done);
    }

    /// The address that it gave at its old place, for what is addressed relative to it has not moved.
    fn program_counter(&mut self, inst: Inst<&Decoded>) -> Result<(), Refusal> {
        // SOP1 has its destination in bits 16 to 22.
        let to = (inst.words[0] >> 16 & 0x7f) as u16;
        for (half, register) in [(Half::Low, to), (Half::High, to + 1)] {
            let literal = self.text.offset() + 4;
            self.text.bytes.move_literal(self.codes, register, 0);
            self.text
                .relocate(literal, half, Symbol::Original(inst.end()), 0);
        }
        Ok(())
    }

    fn insert_on_edge(
        &mut self,
        index: FunctionIndex,
        number: BlockIndex,
        to: BlockIndex,
    ) -> Result<(), Refusal> {
        let module = self.module;
        let function = &module.functions[index];
        let last = function.blocks[number].end - 1;
        if !self.has_edge(index, last, to) {
            return Ok(());
        }
        let facts = Facts::of(module, index, to);
        self.insert_at(&facts, last, Point::Edge(to), 0, function.blocks[to].first)
    }

    fn insert(
        &mut self,
        facts: &Facts<'_>,
        inst: InstIndex,
        point: Point,
        position: usize,
    ) -> Result<(), Refusal> {
        let function = &self.module.functions[facts.index];
        let block = &function.blocks[facts.block];
        if point == Point::After
            && inst + 1 == block.end
            && falls_to(function, facts.block).is_none()
        {
            return Ok(());
        }
        self.insert_at(facts, inst, point, position, block.first + position)
    }

    /// Whether the insertion is not passed whenever its block is.
    fn is_alone(&self, function: &Function, insertion: &Insertion) -> bool {
        match insertion.point {
            Point::Before => false,
            Point::After => {
                let block = function.block_of(insertion.inst);
                insertion.inst + 1 == function.blocks[block].end
            }
            Point::Edge(_) => true,
        }
    }

    /// All that is added whenever a block is passed, of its insertions.
    fn sums(&self, function: &Function, insertions: &[(Site, usize)]) -> Sums {
        let mut sums = Sums::default();
        for (_, number) in insertions {
            let insertion = &self.plan.insertions[*number];
            if !self.is_alone(function, insertion) {
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
        let mut clause_end = 0;
        let mut inst = block.first;
        while inst < block.end {
            let next = inst + 1;
            let decoded = function.insts.at(inst);
            if function.traits(inst).any(Traits::CLAUSE) {
                clause_end = next + (decoded.words[0] & 0x3f) as usize + 1;
            } else if inst < clause_end {
                inst = next;
                continue;
            }
            if function.indexing_before(inst) {
                inst = next;
                continue;
            }
            match loses_scc.then(|| keeps(inst)) {
                // Clauses that start meanwhile are to be seen all the same.
                Some((true, end)) => {
                    inst = function.next_with(next..end.max(next), Traits::CLAUSE);
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
        Ok((block.first, keeps(block.first).0))
    }

    /// Everything that is kept in registers to memory, before the end of the program.
    fn flush(
        &mut self,
        facts: &Facts<'_>,
        inst: InstIndex,
        position: usize,
    ) -> Result<(), Refusal> {
        if self.counting.is_empty() {
            return Ok(());
        }
        let function = &self.module.functions[facts.index];
        let pc = function.insts.pc(inst);
        self.text.inserted(pc);
        let pending = || facts.pending(position);
        let place = Place {
            pc,
            site: 0,
            wave_size: function.wave_size,
            live: facts.live(position),
            pending: &pending,
            indexing: index_mode(function, inst)?,
            memory: &|| None,
        };
        let plan = self.plan;
        for (accumulator, first) in plan.accumulators.iter().zip(&self.counting.accumulators) {
            let hook = plan.hooks.get(accumulator.flush).ok_or(Refusal::BadPlan {
                what: "hook",
                index: accumulator.flush,
            })?;
            let half = |index: u16| {
                Value::Register(Reg {
                    kind: RegKind::Sgpr,
                    index,
                    width: 1,
                    half: None,
                })
            };
            let mut arguments = vec![
                ("parameter:0".to_owned(), half(*first)),
                ("parameter:1".to_owned(), half(first + 1)),
            ];
            arguments.extend(accumulator.arguments.iter().cloned());
            let start = self.text.bytes.len();
            let spliced = self.splicer.call(
                hook,
                &arguments,
                Lanes::First,
                &place,
                &mut self.text.bytes,
                &mut self.text.relocations,
            )?;
            self.pad(function, inst, start, spliced.own, &spliced.touched);
        }
        let start = self.text.bytes.len();
        let touched = self.counting.flush(
            &mut self.splicer,
            &place,
            &mut self.text.bytes,
            &mut self.text.relocations,
        )?;
        self.pad(function, inst, start, None, &touched);
        Ok(())
    }

    /// Puts no-operations around what was inserted from `start` on, where it meets the application too closely.
    fn pad(
        &mut self,
        function: &Function,
        next: InstIndex,
        start: usize,
        own: Option<&[u8]>,
        touched: &RegisterSet,
    ) {
        let code = &self.text.bytes[start..];
        if code.is_empty() || self.seams.is_empty() {
            return;
        }
        let exposed = self.seams.exposed(code, own);
        self.pad_exposed(function, next, start, &exposed, touched);
    }

    /// Likewise, for code of which it is known what it exposes.
    fn pad_exposed(
        &mut self,
        function: &Function,
        next: InstIndex,
        start: usize,
        exposed: &Exposed,
        touched: &RegisterSet,
    ) {
        let seam = Seam { next };
        let padding = self
            .seams
            .padding(function, &mut self.terrain, seam, exposed, touched);
        if padding == Padding::default() {
            return;
        }
        let codes = self.codes;
        let nops = |states: u32, vector: bool| {
            let mut bytes = Vec::new();
            let mut left = states;
            while left > 0 {
                bytes.extend(codes.no_operation(left));
                left = left.saturating_sub(8);
            }
            if vector {
                bytes.extend_from_slice(codes.bytes(Op::WaitVector));
            }
            bytes
        };
        let behind = nops(padding.exit, padding.exit_vector);
        let before = nops(padding.entry, padding.entry_vector);
        self.splicer.report.seam_nops += (before.len() + behind.len()) as u32 / 4;
        self.text.bytes.extend(behind);
        if !before.is_empty() {
            let moved = before.len() as u64;
            self.text.bytes.splice(start..start, before);
            for relocation in self.text.relocations.iter_mut().rev() {
                if relocation.offset < start as u64 {
                    break;
                }
                relocation.offset += moved;
            }
        }
    }

    /// `position` counts in the block of `facts`; `next` is the instruction behind.
    fn insert_at(
        &mut self,
        facts: &Facts<'_>,
        inst: InstIndex,
        point: Point,
        position: usize,
        next: InstIndex,
    ) -> Result<(), Refusal> {
        let plan = self.plan;
        let list = self.agenda.insertions.at(facts.index, inst);
        let function = &self.module.functions[facts.index];
        for &(_, number) in list {
            let insertion = &plan.insertions[number];
            if insertion.point != point {
                continue;
            }
            let pc = function.insts.pc(inst);
            self.text.inserted(pc);
            let Action::Call {
                hook,
                arguments,
                lanes,
            } = &insertion.action
            else {
                if self.is_alone(function, insertion) {
                    let mut sums = Sums::default();
                    sums.add(&insertion.action);
                    let keep_scc = facts.live(position).scalars.contains(SCC_NUMBER);
                    self.counting
                        .add(&sums, keep_scc, self.codes, &mut self.text.bytes)?;
                }
                continue;
            };
            let hook = plan.hooks.get(*hook).ok_or(Refusal::BadPlan {
                what: "hook",
                index: *hook,
            })?;
            let pending = || facts.pending(position);
            let family = self.module.target.family;
            let memory = || accessed(function, inst, point, family);
            let place = Place {
                pc,
                site: number,
                wave_size: function.wave_size,
                live: facts.live(position),
                pending: &pending,
                indexing: index_mode(function, next)?,
                memory: &memory,
            };
            let start = self.text.bytes.len();
            let spliced = self.splicer.call(
                hook,
                arguments,
                *lanes,
                &place,
                &mut self.text.bytes,
                &mut self.text.relocations,
            )?;
            self.pad(function, next, start, spliced.own, &spliced.touched);
        }
        Ok(())
    }
}

/// The enables of index mode if it is on before the instruction.
fn index_mode(function: &Function, next: InstIndex) -> Result<Option<u8>, Refusal> {
    if !function.indexing_before(next) {
        return Ok(None);
    }
    let first = function.blocks[function.block_of(next)].first;
    let set = (first..next).rev().find_map(|inst| {
        let inst = function.insts.at(inst);
        // In the place of a second source, or in the immediate.
        match inst.mnemonic {
            "s_set_gpr_idx_on" => Some(inst.words[0] >> 8),
            "s_set_gpr_idx_mode" => Some(inst.words[0]),
            _ => None,
        }
    });
    match set {
        Some(enables) => Ok(Some((enables & 0xf) as u8)),
        None => Err(Refusal::Place {
            pc: function.insts.pc(next),
            reason: "index mode is on, and was set in another block",
        }),
    }
}

/// What the instruction accesses, unless its address is gone at the point.
fn accessed(
    function: &Function,
    inst: InstIndex,
    point: Point,
    family: Family,
) -> Option<MemoryAccess> {
    let memory = MemoryAccess::of(&function.insts.at(inst), family)?;
    let writes = &function.access(inst).writes;
    let mut written = RegisterSet::default();
    writes.iter().for_each(|span| written.insert(*span));
    let gone = point != Point::Before && memory.registers().any(|reg| written.touches(reg));
    (!gone).then_some(memory)
}

/// Message of `s_sendmsg`, since gfx11.
const DEALLOCATE_VGPRS: u32 = 3;

/// An SGPR's operand encoding.
fn scalar_encoding(reg: Reg) -> Option<u16> {
    match reg.kind {
        RegKind::Sgpr => Some(reg.index),
        RegKind::Vcc => Some(crate::encode::VCC + reg.index),
        _ => None,
    }
}

/// `s_clause` and the instructions it holds together.
#[derive(Default)]
struct Clauses {
    /// Instructions left in the clause that is open.
    left: u32,
    broken: Option<InstIndex>,
}

impl Clauses {
    fn inside(&self) -> bool {
        self.left > 0
    }

    fn broken_at(&self, inst: InstIndex) -> bool {
        self.broken == Some(inst)
    }

    /// `is_split`: whether anything is inserted at one of these instructions.
    fn step(
        &mut self,
        function: &Function,
        inst: InstIndex,
        is_split: impl Fn(Range<InstIndex>) -> bool,
    ) {
        self.left = self.left.saturating_sub(1);
        let decoded = function.insts.at(inst);
        if !function.traits(inst).any(Traits::CLAUSE) {
            return;
        }
        let length = (decoded.words[0] & 0x3f) + 1;
        if is_split(inst..inst + 1 + length as usize) {
            self.broken = Some(inst);
        } else {
            self.left = length;
        }
    }
}
