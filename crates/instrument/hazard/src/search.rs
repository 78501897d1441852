//! Looking back from each instruction.

use crate::Node;
use crate::rules::{RULES, Rule, Unit};
use gfx::Target;
use lift::{BlockIndex, Function};
use std::collections::BTreeMap;

/// Two instructions too close to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// [`Rule::name`].
    pub rule: &'static str,
    pub producer: u64,
    pub consumer: u64,
    pub distance: u32,
    pub needed: u32,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Violation {
            rule,
            producer,
            consumer,
            distance,
            needed,
        } = self;
        write!(
            f,
            "{rule}: {producer:#x} to {consumer:#x}, {distance} wait states of {needed}"
        )
    }
}

/// All violations in a function, by consumer.
pub fn check(function: &Function, target: &'static Target) -> Vec<Violation> {
    let rules: Vec<&'static Rule> = RULES.iter().filter(|rule| (rule.applies)(target)).collect();
    if rules.is_empty() {
        return Vec::new();
    }
    let nodes: Vec<Node> = function
        .insts
        .iter()
        .map(|inst| Node::new(inst, target, function.wave_size))
        .collect();
    let produces: Vec<u64> = nodes
        .iter()
        .map(|node| {
            let bits = rules.iter().enumerate();
            bits.filter(|(_, rule)| (rule.producer)(node))
                .fold(0, |bits, (index, _)| bits | 1 << index)
        })
        .collect();
    let mut violations = Vec::new();
    for (number, block) in function.blocks.iter().enumerate() {
        for index in block.range() {
            for (bit, rule) in rules.iter().enumerate() {
                if (rule.consumer)(&nodes[index]) {
                    let search = Search {
                        function,
                        nodes: &nodes,
                        produces: &produces,
                        rule,
                        bit,
                    };
                    violations.extend(search.back(number, index));
                }
            }
        }
    }
    violations
}

/// Transcendental instructions in between that end a hazard of [`Unit::Vector`].
const TRANSCENDENTAL_ENOUGH: u32 = 2;

/// What lies between two instructions.
#[derive(Clone, Copy, Default)]
struct PathDistance {
    /// In the rule's unit.
    distance: u32,
    transcendental: u32,
}

struct Search<'a> {
    function: &'a Function,
    nodes: &'a [Node],
    produces: &'a [u64],
    rule: &'static Rule,
    bit: usize,
}

impl Search<'_> {
    /// The closest conflicting producer on any path to `consumer`.
    fn back(&self, block: BlockIndex, consumer: usize) -> Option<Violation> {
        // Ends of stretches to look through: block, index behind the last instruction, way to there.
        let mut todo = vec![(block, consumer, PathDistance::default())];
        // Least distance at which the end of a block was reached, behind so many transcendental instructions.
        let mut reached: BTreeMap<(BlockIndex, u32), u32> = BTreeMap::new();
        let mut worst: Option<Violation> = None;
        while let Some((block, end, mut way)) = todo.pop() {
            let mut over = false;
            for index in (self.function.blocks[block].first..end).rev() {
                let node = &self.nodes[index];
                if self.produces[index] >> self.bit & 1 == 1
                    && self.rule.conflicts(&self.nodes[consumer], node)
                {
                    let distance = way.distance;
                    if worst.as_ref().is_none_or(|worst| distance < worst.distance) {
                        worst = Some(Violation {
                            rule: self.rule.name,
                            producer: node.inst.pc,
                            consumer: self.nodes[consumer].inst.pc,
                            distance,
                            needed: self.rule.distance,
                        });
                    }
                    over = true;
                    break;
                }
                way = self.pass(node, way);
                if way.distance >= self.rule.distance {
                    over = true;
                    break;
                }
            }
            if over {
                continue;
            }
            for &before in &self.function.blocks[block].predecessors {
                let place = (before, way.transcendental);
                let known = reached.get(&place).copied().unwrap_or(u32::MAX);
                if way.distance < known {
                    reached.insert(place, way.distance);
                    todo.push((before, self.function.blocks[before].end, way));
                }
            }
        }
        worst
    }

    fn pass(&self, node: &Node, mut way: PathDistance) -> PathDistance {
        match self.rule.unit {
            Unit::States => way.distance += node.states,
            Unit::Vector => {
                way.distance += u32::from(node.is_valu() || node.is_matrix());
                way.transcendental += u32::from(node.is_transcendental());
                let waited = node.waits_for_vector_results() || node.leaves_with_vector_results();
                if waited || way.transcendental == TRANSCENDENTAL_ENOUGH {
                    way.distance = self.rule.distance;
                }
            }
        }
        way
    }
}
