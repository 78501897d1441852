//! Wait states where inserted code meets the application's: how many no-operations each side needs.
//!
//! Hazards within a template are the compiler's business, those within the application too. Between them a rule counts
//! only if it meets in registers that both know, or in none; instructions of the template that are far enough from its
//! ends, or are kept apart by its own length, never matter, which is found out once per template.

use gfx::Target;
use hazard::{Node, RULES, Rule, Unit};
use isa::{Decoded, Decoder, Inst};
use lift::registers::RegisterSet;
use lift::{Access, Function, InstIndex, Span, WordHash};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// What one piece of inserted code exposes: per rule, how many wait states the rule still lacks at that end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Exposed {
    /// Rules of which it has a consumer near its start.
    entry: Vec<(usize, u32)>,
    /// Rules of which it has a producer near its end.
    exit: Vec<(usize, u32)>,
}

impl Exposed {
    /// Whether nothing around it matters.
    pub fn is_empty(&self) -> bool {
        self.entry.is_empty() && self.exit.is_empty()
    }
}

/// The seams of one target.
pub(crate) struct Seams {
    target: &'static Target,
    wave_size: u8,
    rules: Vec<&'static Rule>,
}

type ByCode = BTreeMap<Vec<u8>, Rc<Exposed>>;

/// What a thread has found out: decoders, what templates expose by their code, and instructions' roles by their words.
#[derive(Default)]
struct Memory {
    /// Roles of inserted code's instructions, by their first words.
    inserted: BTreeMap<(&'static str, u8), Inserted>,
    roles: BTreeMap<(&'static str, u8), Roles>,
    decoders: BTreeMap<(&'static str, u8), Option<Decoder>>,
    exposed: BTreeMap<(&'static str, u8), ByCode>,
}

type Roles = HashMap<Words, Role, WordHash>;

/// The words of an instruction, of which the first two tell most apart.
#[derive(PartialEq, Eq)]
struct Words([u32; 5]);

impl Hash for Words {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.0[0]) | u64::from(self.0[1]) << 32);
    }
}

/// Instructions of one word and of two.
#[derive(Default)]
struct Inserted {
    one: HashMap<u32, Role, WordHash>,
    two: HashMap<u64, Role, WordHash>,
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// Instructions whose roles are remembered; then all are forgotten.
const MOST_ROLES: usize = 1 << 18;

/// The instructions of one function as the rules see them, as far as anything asked: in pieces, for few are asked for.
#[derive(Default)]
pub(crate) struct Terrain(Vec<Option<Box<[Option<Role>; PIECE]>>>);

/// Instructions in a piece of a [`Terrain`].
const PIECE: usize = 64;

impl Terrain {
    fn at(&mut self, inst: InstIndex, count: usize) -> &mut Option<Role> {
        if self.0.is_empty() {
            self.0.resize_with(count.div_ceil(PIECE), || None);
        }
        let piece = self.0[inst / PIECE].get_or_insert_with(|| Box::new([None; PIECE]));
        &mut piece[inst % PIECE]
    }
}

/// What an instruction is to the rules, of which there is one per bit.
#[derive(Clone, Copy)]
struct Role {
    produces: u64,
    consumes: u64,
    states: u32,
    /// VALU or matrix.
    vector: bool,
    branches: bool,
}

/// No-operations in front of and behind inserted code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Padding {
    pub entry: u32,
    pub exit: u32,
    /// A wait for all vector results, where wait states do not count.
    pub entry_vector: bool,
    pub exit_vector: bool,
}

impl Seams {
    pub fn new(target: &'static Target, wave_size: u8) -> Seams {
        Seams {
            target,
            wave_size,
            rules: RULES.iter().filter(|rule| (rule.applies)(target)).collect(),
        }
    }

    /// Whether code can be put in anywhere without a thought.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// What an instruction is to the rules, by its words.
    fn role_of(&self, inst: Inst<&Decoded>, wave_size: u8, known: &mut Roles) -> Role {
        if known.len() > MOST_ROLES {
            known.clear();
        }
        *known
            .entry(Words(inst.words))
            .or_insert_with(|| self.role(inst, wave_size))
    }

    fn role(&self, inst: Inst<&Decoded>, wave_size: u8) -> Role {
        let node = Node::of(inst, self.target, wave_size);
        let bits = |test: fn(&Rule) -> fn(&Node) -> bool| {
            let rules = self.rules.iter().enumerate();
            rules
                .filter(|(_, rule)| test(rule)(&node))
                .fold(0u64, |bits, (index, _)| bits | 1 << index)
        };
        Role {
            produces: bits(|rule| rule.producer),
            consumes: bits(|rule| rule.consumer),
            states: node.states,
            vector: node.is_valu() || node.is_matrix(),
            branches: inst.effects.contains(isa::Effects::BRANCH),
        }
    }

    /// What code exposes. `own`: the template's code, if there is nothing around it but scalar moves; what it exposes is
    /// remembered.
    pub fn exposed(&self, code: &[u8], own: Option<&[u8]>) -> Rc<Exposed> {
        match own {
            Some(own) => self.examined(own, true),
            None => self.examined(code, false),
        }
    }

    /// What code exposes by rules that ask for no register.
    pub fn without_registers(&self, code: &[u8]) -> Rc<Exposed> {
        let all = self.examined(code, true);
        let matters = |(index, _): &&(usize, u32)| self.rules[*index].conflict.is_none();
        Rc::new(Exposed {
            entry: all.entry.iter().filter(matters).copied().collect(),
            exit: all.exit.iter().filter(matters).copied().collect(),
        })
    }

    fn examined(&self, code: &[u8], is_template: bool) -> Rc<Exposed> {
        MEMORY.with_borrow_mut(|memory| {
            let key = (self.target.name, self.wave_size);
            let known = memory.exposed.entry(key).or_default();
            if let Some(found) = known.get(code).filter(|_| is_template) {
                return found.clone();
            }
            let decoder = memory
                .decoders
                .entry(key)
                .or_insert_with(|| Decoder::with_features(self.target, self.wave_size, "").ok());
            let inserted = memory.inserted.entry(key).or_default();
            if inserted.one.len() + inserted.two.len() > MOST_ROLES {
                *inserted = Inserted::default();
            }
            let exposed = decoder
                .as_ref()
                .map(|decoder| self.examine(&self.roles(decoder, inserted, code)))
                .unwrap_or_default();
            let exposed = Rc::new(exposed);
            if is_template {
                known.insert(code.to_vec(), exposed.clone());
            }
            exposed
        })
    }

    /// The roles of code's instructions, of which most were met before.
    fn roles(&self, decoder: &Decoder, known: &mut Inserted, code: &[u8]) -> Vec<Role> {
        let mut roles = Vec::with_capacity(code.len() / 4);
        let mut at = 0;
        while at < code.len() {
            let rest = &code[at..];
            let word = |index: usize| {
                let word = rest.get(4 * index..4 * index + 4)?;
                Some(u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            };
            let one = word(0);
            let two = one.zip(word(1));
            let two = two.map(|(one, two)| u64::from(one) | u64::from(two) << 32);
            if let Some(role) = one.and_then(|one| known.one.get(&one)) {
                roles.push(*role);
                at += 4;
                continue;
            }
            if let Some(role) = two.and_then(|two| known.two.get(&two)) {
                roles.push(*role);
                at += 8;
                continue;
            }
            let Ok(inst) = decoder.decode(rest, at as u64) else {
                at += 4;
                continue;
            };
            let role = self.role(inst.by_reference(), self.wave_size);
            match (inst.size, one, two) {
                (4, Some(one), _) => drop(known.one.insert(one, role)),
                (8, _, Some(two)) => drop(known.two.insert(two, role)),
                _ => {}
            }
            roles.push(role);
            at += usize::from(inst.size);
        }
        roles
    }

    fn examine(&self, roles: &[Role]) -> Exposed {
        let mut exposed = Exposed::default();
        let branches = roles.iter().any(|role| role.branches);
        for (index, rule) in self.rules.iter().enumerate() {
            // Branches inside only make ways shorter: what is behind one counts as if it came right away.
            let lacking = |roles: &mut dyn Iterator<Item = &Role>, test: fn(&Role) -> u64| {
                let mut distance = 0;
                let mut most = 0;
                for role in roles {
                    if test(role) >> index & 1 == 1 {
                        most = most.max(rule.distance.saturating_sub(distance));
                    }
                    distance += role.pass(rule);
                    if role.branches {
                        distance = distance.min(1);
                    }
                    if distance >= rule.distance && !branches {
                        break;
                    }
                }
                most
            };
            let entry = lacking(&mut roles.iter(), |role| role.consumes);
            if entry > 0 {
                exposed.entry.push((index, entry));
            }
            let exit = lacking(&mut roles.iter().rev(), |role| role.produces);
            if exit > 0 {
                exposed.exit.push((index, exit));
            }
        }
        exposed
    }

    /// Padding for code in front of the instruction of `place`, given what it exposes. `touched`: registers of the application
    /// that it reads or writes.
    pub fn padding(
        &self,
        function: &Function,
        terrain: &mut Terrain,
        place: Seam,
        exposed: &Exposed,
        touched: &RegisterSet,
    ) -> Padding {
        MEMORY.with_borrow_mut(|memory| {
            let key = (self.target.name, function.wave_size);
            let known = memory.roles.entry(key).or_default();
            self.padding_by(function, terrain, known, place, exposed, touched)
        })
    }

    fn padding_by(
        &self,
        function: &Function,
        terrain: &mut Terrain,
        known: &mut Roles,
        place: Seam,
        exposed: &Exposed,
        touched: &RegisterSet,
    ) -> Padding {
        let mut padding = Padding::default();
        // Registers that nothing touches cannot be in conflict.
        let matters = |rule: &Rule| rule.conflict.is_none() || !touched.is_empty();
        let mut role = |inst: InstIndex| {
            *terrain
                .at(inst, function.insts.len())
                .get_or_insert_with(|| {
                    self.role_of(function.insts.at(inst), function.wave_size, known)
                })
        };
        for &(index, lacking) in &exposed.entry {
            let rule = self.rules[index];
            if !matters(rule) {
                continue;
            }
            let mut look = |inst: InstIndex| {
                let role = role(inst);
                let meets = role.produces >> index & 1 == 1
                    && (rule.conflict.is_none() || shares(function.access(inst), touched));
                (meets, role.pass(rule))
            };
            if let Some(near) = back(function, place, lacking, &mut look) {
                match rule.unit {
                    Unit::States => padding.entry = padding.entry.max(lacking - near),
                    Unit::Vector => padding.entry_vector = true,
                }
            }
        }
        for &(index, lacking) in &exposed.exit {
            let rule = self.rules[index];
            if !matters(rule) {
                continue;
            }
            let mut look = |inst: InstIndex| {
                let role = role(inst);
                let meets = role.consumes >> index & 1 == 1
                    && (rule.conflict.is_none() || shares(function.access(inst), touched));
                (meets, role.pass(rule))
            };
            if let Some(near) = ahead(function, place, lacking, &mut look) {
                match rule.unit {
                    Unit::States => padding.exit = padding.exit.max(lacking - near),
                    Unit::Vector => padding.exit_vector = true,
                }
            }
        }
        padding
    }
}

fn shares(access: &Access, touched: &RegisterSet) -> bool {
    access
        .reads
        .iter()
        .chain(&access.writes)
        .any(|span| match *span {
            Span::Scalar(start, count) => touched.scalars.intersects_range(start, count),
            Span::Vector(start, count) => touched.vectors.intersects_range(start, count),
        })
}

/// Where code goes in: on the way to instruction `next`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seam {
    pub next: InstIndex,
}

impl Role {
    /// How far the instruction takes one away from a rule's other.
    fn pass(&self, rule: &Rule) -> u32 {
        match rule.unit {
            Unit::States => self.states,
            Unit::Vector => u32::from(self.vector),
        }
    }
}

/// Distance to the nearest instruction before the seam, over all paths, if it is less than `limit`. `look`: whether an
/// instruction is one of those meant, and how far it is to pass it.
fn back(
    function: &Function,
    seam: Seam,
    limit: u32,
    look: &mut dyn FnMut(InstIndex) -> (bool, u32),
) -> Option<u32> {
    if function.insts.is_empty() {
        return None;
    }
    let block = function
        .block_of(seam.next)
        .min(function.blocks.len().saturating_sub(1));
    let mut reached = BTreeMap::new();
    let mut todo = vec![(block, seam.next, 0)];
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

/// Likewise behind it.
fn ahead(
    function: &Function,
    seam: Seam,
    limit: u32,
    look: &mut dyn FnMut(InstIndex) -> (bool, u32),
) -> Option<u32> {
    if seam.next >= function.insts.len() {
        return None;
    }
    let mut reached = BTreeMap::new();
    let mut todo = vec![(function.block_of(seam.next), seam.next, 0)];
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
