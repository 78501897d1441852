//! Two facts that hold or do not hold before each instruction: EXEC has all lanes on; index mode may be on.

use crate::access::ExecChange;
use crate::function::{Block, EdgeKind, jumps_anywhere};
use crate::inst_flags::InstFlags;
use crate::table::Code;
use isa::Known;

/// The instruction-wise results; empty where the fact never holds.
pub(crate) struct Modes {
    pub exec_full: Vec<bool>,
    pub indexing: Vec<bool>,
}

/// `exec`: what each instruction does to EXEC. `full_at_entry`: all lanes are on when the function is entered.
pub(crate) fn find(
    code: Code<'_>,
    blocks: &mut [Block],
    exec: impl Fn(usize) -> Option<ExecChange>,
    full_at_entry: bool,
) -> Modes {
    let traits = code.traits();
    let any = |wanted: InstFlags| traits.iter().any(|traits| traits.any(wanted));
    let full_after = |full: bool, index: usize| match exec(index) {
        _ if !traits[index].any(InstFlags::EXEC) => full,
        None => full,
        Some(ExecChange::ALL) => true,
        Some(ExecChange::WIDEN) => full,
        Some(_) => false,
    };
    let exec_full = if full_at_entry || any(InstFlags::EXEC_ALL) {
        // Greatest solution: true unless some path says otherwise.
        solve(code.len(), blocks, full_at_entry, true, false, &full_after)
    } else {
        Vec::new()
    };
    for block in blocks.iter_mut() {
        block.exec_full_at_start = exec_full.get(block.first).copied().unwrap_or(false);
    }
    let on_after = |on: bool, index: usize| match code.at(index).op.known() {
        Some(Known::SSetGprIdxOn) => true,
        Some(Known::SSetGprIdxOff) => false,
        _ => on,
    };
    let indexing = if any(InstFlags::INDEXING) {
        solve(code.len(), blocks, false, false, false, &on_after)
    } else {
        Vec::new()
    };
    Modes {
        exec_full,
        indexing,
    }
}

/// Forward over the blocks. `all`: a fact must hold on all paths; otherwise on some path.
fn solve(
    count: usize,
    blocks: &[Block],
    at_entry: bool,
    all: bool,
    after_call: bool,
    step: &impl Fn(bool, usize) -> bool,
) -> Vec<bool> {
    let mut starts = vec![all; blocks.len()];
    if let Some(entry) = starts.first_mut() {
        *entry = at_entry;
    }
    let anywhere = jumps_anywhere(blocks);
    // A block that no known edge reaches may be entered from anywhere.
    for (start, block) in starts.iter_mut().zip(blocks).skip(1) {
        if block.predecessors.is_empty() || block.entered || anywhere {
            *start = !all;
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for (index, block) in blocks.iter().enumerate() {
            let end = block.range().fold(starts[index], step);
            for edge in &block.successors {
                let arrives = if edge.kind == EdgeKind::CallReturn {
                    after_call
                } else {
                    end
                };
                let start = &mut starts[edge.to];
                let met = if all {
                    *start && arrives
                } else {
                    *start || arrives
                };
                changed |= met != *start;
                *start = met;
            }
        }
    }
    let mut before = vec![false; count];
    for (block, start) in blocks.iter().zip(starts) {
        let mut fact = start;
        for index in block.range() {
            before[index] = fact;
            fact = step(fact, index);
        }
    }
    before
}
