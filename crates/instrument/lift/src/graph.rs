//! Dominators, post-dominators and natural loops of a control-flow graph.
//!
//! Dominators by the iterative algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm").

use crate::function::{Block, BlockIndex};
use std::sync::OnceLock;

const NONE: usize = usize::MAX;

/// A dominator tree. Post-dominators hang below a virtual exit, which has no index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dominators {
    /// Immediate dominator of each block, `NONE` for roots and unreachable blocks.
    parent: Vec<usize>,
    depth: Vec<u32>,
}

impl Dominators {
    /// The immediate dominator; `None` for the root, for blocks it does not reach, and (post-dominators) for blocks that
    /// only the virtual exit post-dominates.
    pub fn immediate(&self, block: BlockIndex) -> Option<BlockIndex> {
        self.parent
            .get(block)
            .copied()
            .filter(|parent| *parent != NONE)
    }

    /// Returns `true` if the tree reaches the block.
    pub fn reaches(&self, block: BlockIndex) -> bool {
        self.depth.get(block).is_some_and(|depth| *depth != 0)
    }

    /// Returns `true` if every path to `inner` (from it to the exit, for post-dominators) goes through `outer`. A block dominates
    /// itself; nothing is said of unreachable ones.
    pub fn dominates(&self, outer: BlockIndex, inner: BlockIndex) -> bool {
        if !self.reaches(outer) || !self.reaches(inner) {
            return false;
        }
        let mut block = inner;
        while self.depth[block] > self.depth[outer] {
            block = self.parent[block];
        }
        block == outer
    }
}

/// A natural loop: all blocks from which its header is reached again without leaving through the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The block that all ways into the loop pass.
    pub header: BlockIndex,
    /// Blocks that jump back to the header.
    pub latches: Vec<BlockIndex>,
    /// Ascending, header included.
    pub blocks: Vec<BlockIndex>,
    /// Index of the innermost loop around this one.
    pub parent: Option<usize>,
}

/// The tree from `roots` along `successors`, over `count` nodes. Several roots hang below a virtual one.
fn tree(
    count: usize,
    roots: &[usize],
    successors: &AdjacencyLists,
    predecessors: &AdjacencyLists,
) -> Dominators {
    // Node `count` is the virtual root.
    let order = postorder(count, roots, successors);
    let mut number = vec![NONE; count + 1];
    for (position, node) in order.iter().enumerate() {
        number[*node] = position;
    }
    number[count] = order.len();
    let mut parent = vec![NONE; count + 1];
    parent[count] = count;
    let mut is_root = vec![false; count];
    for root in roots {
        is_root[*root] = true;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for &node in order.iter().rev() {
            let mut best = if is_root[node] { count } else { NONE };
            for &before in predecessors.neighbours(node) {
                if number[before] == NONE || parent[before] == NONE {
                    continue;
                }
                best = if best == NONE {
                    before
                } else {
                    meet(best, before, &parent, &number)
                };
            }
            if parent[node] != best {
                parent[node] = best;
                changed = true;
            }
        }
    }
    let mut depth = vec![0; count + 1];
    for &node in order.iter().rev() {
        depth[node] = if parent[node] == count {
            1
        } else {
            depth[parent[node]] + 1
        };
    }
    for node in &mut parent {
        if *node == count {
            *node = NONE;
        }
    }
    parent.truncate(count);
    depth.truncate(count);
    Dominators { parent, depth }
}

fn meet(mut left: usize, mut right: usize, parent: &[usize], number: &[usize]) -> usize {
    while left != right {
        while number[left] < number[right] {
            left = parent[left];
        }
        while number[right] < number[left] {
            right = parent[right];
        }
    }
    left
}

/// Nodes reachable from `roots`, each behind its successors as far as cycles allow.
pub(crate) fn postorder(count: usize, roots: &[usize], successors: &AdjacencyLists) -> Vec<usize> {
    let mut seen = vec![false; count];
    let mut order = Vec::new();
    let mut stack = Vec::new();
    for &root in roots {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        stack.push((root, 0));
        while let Some((node, next)) = stack.last_mut() {
            match successors.neighbours(*node).get(*next) {
                Some(&child) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[child], true) {
                        stack.push((child, 0));
                    }
                }
                None => {
                    order.push(*node);
                    stack.pop();
                }
            }
        }
    }
    order
}

/// Facts that follow from the blocks of a function. Each is computed when it is first asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct GraphAnalyses {
    dominators: OnceLock<Dominators>,
    post_dominators: OnceLock<Dominators>,
    /// The loops, and `true` if the function has no other cycles.
    loops: OnceLock<(Vec<Loop>, bool)>,
}

impl GraphAnalyses {
    pub fn dominators(&self, blocks: &[Block]) -> &Dominators {
        self.dominators.get_or_init(|| from_entry(&edges(blocks)))
    }

    pub fn post_dominators(&self, blocks: &[Block]) -> &Dominators {
        self.post_dominators.get_or_init(|| {
            let exits: Vec<usize> = (0..blocks.len())
                .filter(|&block| !blocks[block].leaves.is_empty())
                .collect();
            let (successors, predecessors) = edges(blocks);
            tree(blocks.len(), &exits, &predecessors, &successors)
        })
    }

    pub fn loops(&self, blocks: &[Block]) -> &(Vec<Loop>, bool) {
        self.loops.get_or_init(|| {
            // A cycle goes back somewhere.
            let goes_back = |(number, block): (usize, &Block)| {
                block.successors.iter().any(|edge| edge.to <= number)
            };
            if !blocks.iter().enumerate().any(goes_back) {
                return (Vec::new(), true);
            }
            let edges = edges(blocks);
            let dominators = self.dominators.get_or_init(|| from_entry(&edges));
            loops(dominators, &edges.0, &edges.1)
        })
    }
}

/// A list for every node, one behind the other.
pub(crate) struct AdjacencyLists {
    /// The end of each list.
    ends: Vec<usize>,
    all: Vec<usize>,
}

impl AdjacencyLists {
    pub fn new<I: IntoIterator<Item = usize>>(lists: impl Iterator<Item = I>) -> AdjacencyLists {
        let (mut ends, mut all) = (Vec::with_capacity(lists.size_hint().0), Vec::new());
        for list in lists {
            all.extend(list);
            ends.push(all.len());
        }
        AdjacencyLists { ends, all }
    }

    /// Successors of each block.
    pub fn successors(blocks: &[Block]) -> AdjacencyLists {
        let blocks = blocks.iter();
        AdjacencyLists::new(blocks.map(|block| block.successors.iter().map(|edge| edge.to)))
    }

    fn predecessors(blocks: &[Block]) -> AdjacencyLists {
        let blocks = blocks.iter();
        AdjacencyLists::new(blocks.map(|block| block.predecessors.iter().copied()))
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn neighbours(&self, node: usize) -> &[usize] {
        let start = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[node]]
    }
}

fn from_entry((successors, predecessors): &(AdjacencyLists, AdjacencyLists)) -> Dominators {
    let count = successors.len();
    let entry: &[usize] = if count == 0 { &[] } else { &[0] };
    tree(count, entry, successors, predecessors)
}

fn edges(blocks: &[Block]) -> (AdjacencyLists, AdjacencyLists) {
    (
        AdjacencyLists::successors(blocks),
        AdjacencyLists::predecessors(blocks),
    )
}

fn loops(
    dominators: &Dominators,
    successors: &AdjacencyLists,
    predecessors: &AdjacencyLists,
) -> (Vec<Loop>, bool) {
    let count = successors.len();
    let order = postorder(count, if count == 0 { &[] } else { &[0] }, successors);
    let mut number = vec![NONE; count];
    for (position, node) in order.iter().enumerate() {
        number[*node] = position;
    }
    let mut reducible = true;
    let mut found: Vec<Loop> = Vec::new();
    // The header of the last loop that each block was found in.
    let mut inside = vec![NONE; count];
    for &header in order.iter().rev() {
        let mut latches = Vec::new();
        for &latch in predecessors.neighbours(header) {
            // An edge against the order is the only way to close a cycle.
            if number[latch] == NONE || number[latch] > number[header] {
                continue;
            }
            if dominators.dominates(header, latch) {
                latches.push(latch);
            } else {
                reducible = false;
            }
        }
        if latches.is_empty() {
            continue;
        }
        inside[header] = header;
        let mut blocks = vec![header];
        let mut todo = latches.clone();
        while let Some(block) = todo.pop() {
            if std::mem::replace(&mut inside[block], header) != header {
                blocks.push(block);
                let before = predecessors.neighbours(block).iter().copied();
                todo.extend(before.filter(|&before| number[before] != NONE));
            }
        }
        blocks.sort_unstable();
        // Headers come in an order in which outer loops are met first.
        let parent = found
            .iter()
            .rposition(|outer| outer.blocks.binary_search(&header).is_ok());
        found.push(Loop {
            header,
            latches,
            blocks,
            parent,
        });
    }
    (found, reducible)
}
