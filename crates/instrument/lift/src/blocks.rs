//! Instructions to basic blocks.

use crate::addresses::Target;
use crate::function::{Block, Callee, Edge, EdgeKind, FunctionIndex, Leave, Reason, Unresolved};
use crate::inst_flags::InstFlags;
use crate::program::FunctionKind;
use crate::table::Code;
use isa::{Effects, Known, Traits};
use smallvec::{SmallVec, smallvec};
use std::collections::{BTreeMap, BTreeSet};

/// The facts that are needed besides the instructions.
pub(crate) struct Context<'a> {
    pub kind: FunctionKind,
    pub entries: &'a BTreeMap<u64, FunctionIndex>,
    pub pointers: &'a BTreeMap<u64, u64>,
    /// Indirect branches and calls, by instruction.
    pub targets: &'a BTreeMap<usize, Target>,
    /// First SGPR of the pairs in which calls of this program leave the return address.
    pub return_registers: &'a BTreeSet<u16>,
    /// Addresses within functions that jumps through registers may go to.
    pub labels: &'a BTreeSet<u64>,
    /// True if jumps of unknown target may go to any instruction of the function.
    pub entered_anywhere: bool,
}

pub(crate) struct BuiltBlocks {
    pub blocks: Vec<Block>,
    pub unresolved: Vec<Unresolved>,
}

/// The places at which one instruction may continue.
#[derive(Default)]
struct Successors {
    jumps: SmallVec<[(u64, EdgeKind); 1]>,
    falls: Option<EdgeKind>,
    leaves: SmallVec<[Leave; 1]>,
    call: Option<Callee>,
    reason: Option<Reason>,
}

pub(crate) fn build(code: Code<'_>, context: &Context<'_>) -> BuiltBlocks {
    let ending = code.traits().iter().enumerate();
    let ways: Vec<(usize, Successors)> = ending
        .filter(|(_, traits)| traits.any(InstFlags::ENDS_BLOCK))
        .map(|(index, _)| (index, ways(index, code, context)))
        .collect();
    let labels = own_labels(code, context);
    let firsts = firsts(code, context, &ways, &labels);
    let falling = Successors {
        falls: Some(EdgeKind::Fall),
        ..Successors::default()
    };
    let mut begun = Vec::with_capacity(firsts.len());
    let mut ways = ways.iter().peekable();
    for (number, &first) in firsts.iter().enumerate() {
        let end = firsts.get(number + 1).copied().unwrap_or(code.len());
        // An instruction that control may leave otherwise ends a block.
        let own = ways.next_if(|(index, _)| *index == end - 1);
        let ways = own.map_or(&falling, |(_, ways)| ways);
        let known = own.and_then(|_| code.at(end - 1).op.known());
        let mut one = Begun {
            block: Block {
                first,
                end,
                successors: SmallVec::new(),
                predecessors: SmallVec::new(),
                leaves: ways.leaves.clone(),
                call: ways.call,
                reachable: false,
                entered: context.entered_anywhere || labels.binary_search(&first).is_ok(),
                exec_full_at_start: false,
            },
            reasons: ways.reason.into_iter().collect(),
            runs_on: None,
        };
        let block_at = |inst: usize| firsts.binary_search(&inst).ok();
        let taken_without_lanes = known == Some(Known::SCbranchExecz);
        for &(target, kind) in &ways.jumps {
            // A jump to our own start is a loop, not a call of ourselves.
            match code.find(target).and_then(block_at) {
                Some(to) => one.jump(to, kind, taken_without_lanes),
                None => one.jump_out(target, context),
            }
        }
        if let Some(kind) = ways.falls {
            let without_lanes = known == Some(Known::SCbranchExecnz);
            one.fall(number + 1, kind, without_lanes, code, context);
        }
        begun.push(one);
    }
    finish(begun, code)
}

/// The instructions that begin blocks, ascending.
fn firsts(
    code: Code<'_>,
    context: &Context<'_>,
    ways: &[(usize, Successors)],
    labels: &[usize],
) -> Vec<usize> {
    let mut leads = vec![context.entered_anywhere; code.len() + 1];
    leads[0] = true;
    for &label in labels {
        leads[label] = true;
    }
    for &(index, ref ways) in ways {
        leads[index + 1] = true;
        for &(target, _) in &ways.jumps {
            if let Some(target) = code.find(target) {
                leads[target] = true;
            }
        }
    }
    for next in (1..code.len()).filter(|_| code.places.gaps) {
        if code.end(next - 1) != code.pc(next) {
            leads[next] = true;
        }
    }
    (0..code.len()).filter(|&index| leads[index]).collect()
}

/// A block whose predecessors are not known yet.
struct Begun {
    block: Block,
    /// The unknown part of where control goes from here, which counts if the block is reachable.
    reasons: SmallVec<[Reason; 2]>,
    /// The function that the block runs on into, without a jump.
    runs_on: Option<FunctionIndex>,
}

impl Begun {
    /// Control may jump to a block of the same function.
    fn jump(&mut self, to: usize, kind: EdgeKind, without_lanes: bool) {
        let edge = Edge {
            to,
            kind,
            without_lanes,
        };
        if !self.block.successors.contains(&edge) {
            self.block.successors.push(edge);
        }
    }

    /// Control may jump to an address at which no block of this function begins.
    fn jump_out(&mut self, target: u64, context: &Context<'_>) {
        if let Some(&function) = context.entries.get(&target) {
            self.block.leaves.push(Leave::TailCall(function));
            return;
        }
        self.block.leaves.push(Leave::Anywhere);
        // A label is in another function, which knows of it.
        self.reasons.push(match context.labels.contains(&target) {
            true => Reason::IndirectBranch,
            false => Reason::TargetNotAnInstruction,
        });
    }

    /// Control may go on behind the block, where block `to` is if code goes on there.
    fn fall(
        &mut self,
        to: usize,
        kind: EdgeKind,
        without_lanes: bool,
        code: Code<'_>,
        context: &Context<'_>,
    ) {
        let end = self.block.end;
        let behind = code.end(end - 1);
        let next = (end < code.len()).then(|| code.pc(end));
        if next == Some(behind) {
            match self.block.successors.iter_mut().find(|edge| edge.to == to) {
                Some(edge) => edge.without_lanes = false,
                None => self.jump(to, kind, without_lanes),
            }
            return;
        }
        if let Some(&function) = context.entries.get(&behind) {
            self.runs_on = Some(function);
            self.block.leaves.push(Leave::TailCall(function));
            return;
        }
        self.block.leaves.push(Leave::Anywhere);
        self.reasons.push(match next {
            Some(_) => Reason::Undecodable,
            None => Reason::RunsOff,
        });
    }
}

/// Links the blocks, and says what is not known of those that are reachable.
fn finish(begun: Vec<Begun>, code: Code<'_>) -> BuiltBlocks {
    let mut blocks = Vec::with_capacity(begun.len());
    let mut rest = Vec::with_capacity(begun.len());
    for one in begun {
        blocks.push(one.block);
        rest.push((one.reasons, one.runs_on));
    }
    link(&mut blocks);
    let mut unresolved = Vec::new();
    for (block, (reasons, runs_on)) in blocks.iter_mut().zip(rest) {
        if block.reachable {
            let pc = code.pc(block.end - 1);
            unresolved.extend(reasons.into_iter().map(|reason| Unresolved { pc, reason }));
            continue;
        }
        // Code that fills the room up to the next function does not call that function.
        let next = runs_on.map(Leave::TailCall);
        if let Some(leave) = (block.leaves.iter_mut()).find(|leave| Some(**leave) == next) {
            *leave = Leave::Anywhere;
        }
    }
    BuiltBlocks { blocks, unresolved }
}

fn link(blocks: &mut [Block]) {
    for index in 0..blocks.len() {
        for edge in 0..blocks[index].successors.len() {
            let to = blocks[index].successors[edge].to;
            if !blocks[to].predecessors.contains(&index) {
                blocks[to].predecessors.push(index);
            }
        }
    }
    let roots = blocks.iter().enumerate();
    let roots = roots.filter(|(index, block)| *index == 0 || block.entered);
    let mut todo: Vec<usize> = roots.map(|(index, _)| index).collect();
    let mut jumps_anywhere = false;
    loop {
        while let Some(index) = todo.pop() {
            if std::mem::replace(&mut blocks[index].reachable, true) {
                continue;
            }
            jumps_anywhere |= blocks[index].leaves.contains(&Leave::Anywhere);
            todo.extend(blocks[index].successors.iter().map(|edge| edge.to));
        }
        // Anywhere may be here.
        if !jumps_anywhere {
            return;
        }
        todo.extend((0..blocks.len()).filter(|&index| !blocks[index].reachable));
        if todo.is_empty() {
            return;
        }
    }
}

/// Instructions of the function that jumps through registers may go to, ascending.
fn own_labels(code: Code<'_>, context: &Context<'_>) -> Vec<usize> {
    let Some(last) = code.len().checked_sub(1) else {
        return Vec::new();
    };
    let labels = context.labels.range(code.pc(0)..=code.pc(last));
    let labels = labels.filter_map(|label| code.find(*label));
    labels.filter(|label| *label != 0).collect()
}

/// The branches that lie one behind the other from an address on: a table of them, of which a computed jump takes one.
pub(crate) fn branch_table(code: Code<'_>, start: u64) -> Option<std::ops::Range<usize>> {
    let first = code.find(start)?;
    let is_branch = |index: &usize| code.at(*index).op.is(Known::SBranch);
    let end = first + (first..code.len()).take_while(is_branch).count();
    (end - first >= SHORTEST_TABLE).then_some(first..end)
}

/// One branch alone is none.
const SHORTEST_TABLE: usize = 2;

fn ways(index: usize, code: Code<'_>, context: &Context<'_>) -> Successors {
    let inst = code.at(index);
    let effects = inst.effects;
    let mut ways = Successors::default();
    let anywhere = |reason| Successors {
        leaves: smallvec![Leave::Anywhere],
        reason: Some(reason),
        ..Successors::default()
    };
    if effects.contains(Effects::END) {
        ways.leaves.push(Leave::End);
        return ways;
    }
    if effects.contains(Effects::RETURN) || inst.op.has(Traits::FORKS | Traits::JOINS) {
        return anywhere(Reason::Unsupported);
    }
    let known = context.targets.get(&index);
    if effects.contains(Effects::CALL) {
        let target = inst.target().or_else(|| known?.only());
        let callee = target.map(|target| context.entries.get(&target).copied());
        ways.call = Some(match callee {
            Some(Some(function)) => Callee::Known(function),
            _ => Callee::Unknown,
        });
        ways.reason = match callee {
            None => Some(Reason::IndirectCall),
            Some(None) => Some(Reason::TargetNotAnInstruction),
            Some(Some(_)) => None,
        };
        ways.falls = Some(EdgeKind::CallReturn);
        return ways;
    }
    if let Some(target) = inst.target() {
        ways.jumps.push((target, EdgeKind::Branch));
        if effects.contains(Effects::CONDITIONAL) {
            ways.falls = Some(EdgeKind::Fall);
        }
        return ways;
    }
    if !effects.contains(Effects::INDIRECT) {
        // Relative to a number in a register.
        return anywhere(Reason::Unsupported);
    }
    // Code that no walk has reached may be unused, or a jump that is not resolved may reach it.
    let mut unknown = anywhere(Reason::IndirectBranch);
    if !context.entered_anywhere {
        let labels = own_labels(code, context);
        let jumps = labels
            .iter()
            .map(|label| (code.pc(*label), EdgeKind::Table));
        unknown.jumps.extend(jumps);
    }
    match known {
        Some(Target::Known(targets)) => {
            let kind = match targets.len() {
                1 => EdgeKind::Branch,
                _ => EdgeKind::Table,
            };
            ways.jumps
                .extend(targets.iter().map(|target| (*target, kind)));
            ways
        }
        Some(Target::Entry(register)) if context.return_registers.contains(register) => {
            if context.kind == FunctionKind::Kernel {
                return anywhere(Reason::KernelReturn);
            }
            ways.leaves.push(Leave::Return);
            ways
        }
        Some(Target::Table(start)) => {
            // A table goes on as long as there are pointers, which may be too far, never too short.
            let mut place = *start;
            while let Some(target) = context.pointers.get(&place) {
                if !ways.jumps.iter().any(|(known, _)| known == target) {
                    ways.jumps.push((*target, EdgeKind::Table));
                }
                place = place.wrapping_add(8);
            }
            ways
        }
        Some(Target::Maybe(targets)) => {
            let targets = targets.iter().map(|target| (*target, EdgeKind::Table));
            unknown.jumps.extend(targets);
            unknown
        }
        Some(Target::Near(bases)) => {
            let tables = bases.iter().map(|base| branch_table(code, *base));
            match tables.collect::<Option<Vec<_>>>() {
                Some(tables) => {
                    let branches = tables.into_iter().flatten();
                    let jumps = branches.map(|branch| (code.pc(branch), EdgeKind::Table));
                    ways.jumps.extend(jumps);
                    ways
                }
                None => unknown,
            }
        }
        _ => unknown,
    }
}
