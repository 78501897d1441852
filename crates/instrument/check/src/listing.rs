//! The instructions around a finding.

use crate::Line;
use isa::Decoder;
use lift::{Function, InstIndex};
use std::collections::BTreeMap;

/// Instructions on either side of one that matters.
const AROUND: usize = 2;
/// Gaps of up to this many lines are shown whole.
const WHOLE: usize = 12;

/// Instructions around both, in the order in which the path runs through them.
pub fn listing(
    function: &Function,
    decoder: &Decoder,
    (producer, issued): (InstIndex, &str),
    (consumer, early): (InstIndex, &str),
) -> Vec<Line> {
    let near = |inst: InstIndex| {
        let block = &function.blocks[function.block_of(inst)];
        let first = inst.saturating_sub(AROUND).max(block.first);
        first..(inst + AROUND + 1).min(block.end)
    };
    let same_block = function.block_of(producer) == function.block_of(consumer);
    let straight = same_block && consumer > producer && consumer - producer <= WHOLE;
    let (first, second) = (near(producer), near(consumer));
    let overlap = same_block && second.end > first.start && first.end > second.start;
    let shown: Vec<InstIndex> = match straight || overlap {
        true => (first.start.min(second.start)..first.end.max(second.end)).collect(),
        false => first.chain(second).collect(),
    };
    let mut labels: BTreeMap<u64, usize> = BTreeMap::new();
    for (number, block) in function.blocks.iter().enumerate() {
        labels.insert(function.insts.pc(block.first), number);
    }
    let label = |pc: u64| labels.get(&pc).map(|number| format!("bb{number}"));
    let line = |inst: InstIndex| {
        let decoded = function.insts.at(inst);
        Line {
            offset: decoded.pc - function.entry,
            block: function.block_of(inst),
            text: decoder.print_with_target(&decoded.to_owned(), label),
            note: match inst {
                inst if inst == producer && inst == consumer => Some(format!("{issued}; {early}")),
                inst if inst == producer => Some(issued.to_owned()),
                inst if inst == consumer => Some(early.to_owned()),
                _ => None,
            },
        }
    };
    shown.into_iter().map(line).collect()
}
