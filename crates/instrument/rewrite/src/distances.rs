//! How far it is from a place to the nearest instruction of some kind, over all paths.

use lift::{Function, InstIndex};
use std::collections::BTreeMap;

/// Distance to the nearest instruction before instruction `next`, over all paths, if it is less than `limit`. `look`: whether an
/// instruction is one of those meant, and how far it is to pass it.
pub(crate) fn back(
    function: &Function,
    next: InstIndex,
    limit: u32,
    look: &mut dyn FnMut(InstIndex) -> (bool, u32),
) -> Option<u32> {
    if function.insts.is_empty() {
        return None;
    }
    let block = function
        .block_of(next)
        .min(function.blocks.len().saturating_sub(1));
    let mut reached = BTreeMap::new();
    let mut todo = vec![(block, next, 0)];
    let mut nearest: Option<u32> = None;
    while let Some((block, end, mut distance)) = todo.pop() {
        let mut over = false;
        for inst in (function.blocks[block].first..end).rev() {
            let (meets, length) = look(inst);
            if meets {
                nearest = Some(nearest.map_or(distance, |near| near.min(distance)));
                over = true;
                break;
            }
            distance += length;
            if distance >= limit {
                over = true;
                break;
            }
        }
        if over {
            continue;
        }
        for &before in &function.blocks[block].predecessors {
            let known = reached.get(&before).copied().unwrap_or(u32::MAX);
            if distance < known {
                reached.insert(before, distance);
                todo.push((before, function.blocks[before].end, distance));
            }
        }
    }
    nearest.filter(|near| *near < limit)
}

/// The same behind the instruction.
pub(crate) fn ahead(
    function: &Function,
    next: InstIndex,
    limit: u32,
    look: &mut dyn FnMut(InstIndex) -> (bool, u32),
) -> Option<u32> {
    if next >= function.insts.len() {
        return None;
    }
    let mut reached = BTreeMap::new();
    let mut todo = vec![(function.block_of(next), next, 0)];
    let mut nearest: Option<u32> = None;
    while let Some((block, start, mut distance)) = todo.pop() {
        let mut over = false;
        for inst in start..function.blocks[block].end {
            let (meets, length) = look(inst);
            if meets {
                nearest = Some(nearest.map_or(distance, |near| near.min(distance)));
                over = true;
                break;
            }
            distance += length;
            if distance >= limit {
                over = true;
                break;
            }
        }
        if over {
            continue;
        }
        for edge in &function.blocks[block].successors {
            let known = reached.get(&edge.to).copied().unwrap_or(u32::MAX);
            if distance < known {
                reached.insert(edge.to, distance);
                todo.push((edge.to, function.blocks[edge.to].first, distance));
            }
        }
    }
    nearest.filter(|near| *near < limit)
}
