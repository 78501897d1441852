//! Looking back from each instruction.

use crate::rules::{RULES, Rule, Unit};
use crate::{Grade, Node};
use gfx::Target;
use isa::Effects;
use lift::{BlockIndex, Function, InstIndex};
use std::collections::{BTreeMap, HashMap};

/// Two instructions too close to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// [`Rule::name`].
    pub rule: &'static str,
    pub producer: u64,
    pub consumer: u64,
    pub distance: u32,
    pub needed: u32,
    /// The remedy that must lie between the two if no distance is enough.
    pub remedy: Option<&'static str>,
    /// Blocks from the producer's to the consumer's.
    pub path: Vec<BlockIndex>,
}

impl Violation {
    /// Whether a branch on the way could contradict an earlier one: behind the first edge there is none if every block
    /// on the way has one successor.
    pub fn grade(&self, function: &Function) -> Grade {
        let between = self.path.iter().skip(1).rev().skip(1);
        let straight = |block: &BlockIndex| {
            let block = &function.blocks[*block];
            block.successors.len() + block.leaves.len() == 1
        };
        match between.clone().all(straight) {
            true => Grade::Certain,
            false => Grade::Possible,
        }
    }
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Violation {
            rule,
            producer,
            consumer,
            distance,
            needed,
            remedy,
            ..
        } = self;
        match remedy {
            Some(remedy) => write!(f, "{rule}: {producer:#x} to {consumer:#x} without {remedy}"),
            None => write!(
                f,
                "{rule}: {producer:#x} to {consumer:#x}, {distance} wait states of {needed}"
            ),
        }
    }
}

/// All violations in a function, by consumer.
pub fn check(function: &Function, target: &'static Target) -> Vec<Violation> {
    let rules: Vec<&'static Rule> = RULES.iter().filter(|rule| (rule.applies)(target)).collect();
    if rules.is_empty() {
        return Vec::new();
    }
    // Instructions that are alike are one node.
    let mut nodes: Vec<(Node, Roles)> = Vec::new();
    let mut known: HashMap<usize, u32> = HashMap::new();
    let numbers = 0..function.insts.len();
    let numbers: Vec<u32> = numbers
        .map(|index| {
            *known
                .entry(function.insts.number(index))
                .or_insert_with(|| {
                    let node = Node::new(function.insts.at(index), target, function.wave_size);
                    let roles = Roles::new(&node, &rules);
                    nodes.push((node, roles));
                    (nodes.len() - 1) as u32
                })
        })
        .collect();
    let code = Code {
        function,
        nodes: &nodes,
        numbers: &numbers,
    };
    let mut violations = Vec::new();
    for (number, block) in function.blocks.iter().enumerate() {
        for index in block.range() {
            let mut consumes = code.roles(index).consumes;
            while consumes != 0 {
                let bit = consumes.trailing_zeros() as usize;
                consumes &= consumes - 1;
                let search = Search {
                    code: &code,
                    rule: rules[bit],
                    bit,
                };
                violations.extend(search.back(number, index));
            }
        }
    }
    violations
}

/// The rules that an instruction may be producer or consumer of, one bit each.
#[derive(Clone, Copy)]
struct Roles {
    produces: u64,
    consumes: u64,
}

impl Roles {
    fn new(node: &Node, rules: &[&'static Rule]) -> Roles {
        let bits = |test: fn(&Rule) -> fn(&Node) -> bool| {
            let rules = rules.iter().enumerate();
            rules
                .filter(|(_, rule)| test(rule)(node))
                .fold(0, |bits, (index, _)| bits | 1 << index)
        };
        Roles {
            produces: bits(|rule| rule.producer),
            consumes: bits(|rule| rule.consumer),
        }
    }
}

/// A function with what its instructions are to the rules.
struct Code<'a> {
    function: &'a Function,
    nodes: &'a [(Node, Roles)],
    /// The position of each instruction in `nodes`.
    numbers: &'a [u32],
}

impl Code<'_> {
    fn node(&self, inst: InstIndex) -> &Node {
        &self.nodes[self.numbers[inst] as usize].0
    }

    fn roles(&self, inst: InstIndex) -> Roles {
        self.nodes[self.numbers[inst] as usize].1
    }
}

/// Transcendental instructions in between that end a hazard of [`Unit::Vector`].
const TRANSCENDENTAL_ENOUGH: u32 = 2;

/// The distance between two instructions, and what else lies on the way.
#[derive(Clone, Copy, Default)]
struct PathDistance {
    /// In the rule's unit.
    distance: u32,
    transcendental: u32,
    /// A branch, if the rule asks for one.
    branched: bool,
}

/// The blocks from a stretch on.
fn ahead(stretches: &[(BlockIndex, Option<usize>)], first: usize) -> Vec<BlockIndex> {
    let next = |at: &usize| stretches[*at].1;
    std::iter::successors(Some(first), next)
        .map(|at| stretches[at].0)
        .collect()
}

struct Search<'a> {
    code: &'a Code<'a>,
    rule: &'static Rule,
    bit: usize,
}

impl Search<'_> {
    /// The closest conflicting producer on any path to `consumer`.
    fn back(&self, block: BlockIndex, consumer: usize) -> Option<Violation> {
        // Blocks that were looked through, each with the one behind it.
        let mut stretches: Vec<(BlockIndex, Option<usize>)> = vec![(block, None)];
        // Stretches to look through: number, index behind the last instruction, way to there.
        let mut todo = vec![(0, consumer, PathDistance::default())];
        // Least distance at which the end of a block was reached, behind so many transcendental instructions.
        let mut reached: BTreeMap<(BlockIndex, u32, bool), u32> = BTreeMap::new();
        let mut worst: Option<Violation> = None;
        while let Some((stretch, end, mut way)) = todo.pop() {
            let block = stretches[stretch].0;
            let mut over = false;
            for index in (self.code.function.blocks[block].first..end).rev() {
                let node = self.code.node(index);
                let produces = self.code.roles(index).produces >> self.bit & 1 == 1;
                if let Unit::AcrossBranch(..) = self.rule.unit
                    && (produces && !way.branched
                        || self.code.roles(index).consumes >> self.bit & 1 == 1)
                {
                    over = true;
                    break;
                }
                if produces && self.rule.conflicts(self.code.node(consumer), node) {
                    let distance = way.distance;
                    if worst.as_ref().is_none_or(|worst| distance < worst.distance) {
                        worst = Some(Violation {
                            rule: self.rule.name,
                            producer: self.code.function.insts.pc(index),
                            consumer: self.code.function.insts.pc(consumer),
                            distance,
                            needed: self.rule.distance,
                            remedy: self.rule.unit.remedy(),
                            path: ahead(&stretches, stretch),
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
            for &before in &self.code.function.blocks[block].predecessors {
                let place = (before, way.transcendental, way.branched);
                let known = reached.get(&place).copied().unwrap_or(u32::MAX);
                if way.distance < known {
                    reached.insert(place, way.distance);
                    stretches.push((before, Some(stretch)));
                    let end = self.code.function.blocks[before].end;
                    todo.push((stretches.len() - 1, end, way));
                }
            }
        }
        worst
    }

    fn pass(&self, node: &Node, mut way: PathDistance) -> PathDistance {
        match self.rule.unit {
            Unit::States => way.distance += node.states,
            Unit::Until(ends, _) => {
                if ends(node) {
                    way.distance = self.rule.distance;
                }
            }
            Unit::AcrossBranch(ends, _) => {
                way.branched |= node.inst.effects.contains(Effects::BRANCH);
                if ends(node) {
                    way.distance = self.rule.distance;
                }
            }
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
