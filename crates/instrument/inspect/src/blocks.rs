//! Basic blocks of one function, from its decoded instructions.
//!
//! This is the view for a reader: calls do not end blocks, and an indirect branch has no known successors. The analysis
//! that instrumentation rests on is another one.

use isa::{DecodeError, Effects, Inst};
use serde::Serialize;
use std::collections::BTreeSet;

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// Into the next block.
    Falls,
    /// Unconditional branch.
    Jumps,
    /// Conditional branch.
    Branches,
    /// End of the program.
    Ends,
    /// To the caller.
    Returns,
    /// Branch to an address in a register.
    Indirect,
    /// Into bytes that are no instruction, or over the function's end.
    RunsOff,
}

/// A run of instructions entered only at its start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Block {
    pub index: usize,
    pub start: u64,
    /// Address behind the last instruction.
    pub end: u64,
    pub instructions: u64,
    pub exit: Exit,
    /// Indices of the blocks that may follow, the branch's target before the next block.
    pub successors: Vec<usize>,
    /// Direct branch target outside the function, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaves_to: Option<u64>,
}

/// Splits decoded code that ends at `end` into blocks.
pub(crate) fn split(code: &[Result<Inst, DecodeError>], end: u64) -> Vec<Block> {
    let Some(first) = code.first().map(address) else {
        return Vec::new();
    };
    let starts: BTreeSet<u64> = code.iter().map(address).collect();
    let mut leaders = BTreeSet::from([first]);
    for inst in code.iter().flatten() {
        if !ends_block(inst) {
            continue;
        }
        leaders.extend(inst.target().filter(|target| starts.contains(target)));
        leaders.extend(Some(inst.end()).filter(|next| starts.contains(next)));
    }
    // Bytes that cannot be decoded are a block of their own.
    for pair in code.windows(2) {
        if pair[0].is_ok() != pair[1].is_ok() {
            leaders.insert(address(&pair[1]));
        }
    }
    let leaders: Vec<u64> = leaders.into_iter().collect();
    let index_of = |address: u64| leaders.binary_search(&address).ok();
    let mut blocks = Vec::with_capacity(leaders.len());
    let mut rest = code;
    for (index, start) in leaders.iter().enumerate() {
        let stop = leaders.get(index + 1).copied().unwrap_or(end);
        let count = rest.iter().take_while(|inst| address(inst) < stop).count();
        let (own, others) = rest.split_at(count);
        rest = others;
        let mut block = Block {
            index,
            start: *start,
            end: stop,
            instructions: own.iter().flatten().count() as u64,
            exit: Exit::RunsOff,
            successors: Vec::new(),
            leaves_to: None,
        };
        let next = (index + 1 < leaders.len()).then_some(index + 1);
        if let Some(Ok(last)) = own.last() {
            leave(last, next, index_of, &mut block);
        }
        blocks.push(block);
    }
    blocks
}

fn address(inst: &Result<Inst, DecodeError>) -> u64 {
    match inst {
        Ok(inst) => inst.pc,
        Err(error) => error.pc(),
    }
}

fn ends_block(inst: &Inst) -> bool {
    let effects = inst.effects;
    let jumps =
        effects.intersects(Effects::BRANCH | Effects::RETURN) && !effects.contains(Effects::CALL);
    jumps || effects.contains(Effects::END)
}

/// Fills in how `block`, whose last instruction is `last`, is left.
fn leave(
    last: &Inst,
    next: Option<usize>,
    index_of: impl Fn(u64) -> Option<usize>,
    block: &mut Block,
) {
    let effects = last.effects;
    if !ends_block(last) {
        block.exit = if next.is_some() {
            Exit::Falls
        } else {
            Exit::RunsOff
        };
        block.successors.extend(next);
        return;
    }
    if effects.contains(Effects::END) {
        block.exit = Exit::Ends;
    } else if let Some(target) = last.target() {
        match index_of(target) {
            Some(index) => block.successors.push(index),
            None => block.leaves_to = Some(target),
        }
        block.exit = Exit::Jumps;
        if effects.contains(Effects::CONDITIONAL) {
            block.exit = Exit::Branches;
            block
                .successors
                .extend(next.filter(|next| !block.successors.contains(next)));
        }
    } else if effects.contains(Effects::RETURN) {
        block.exit = Exit::Returns;
    } else {
        block.exit = Exit::Indirect;
    }
}
