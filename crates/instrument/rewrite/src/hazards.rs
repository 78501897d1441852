//! The pass of hazards: wait states where inserted code meets the application's.
//!
//! The compiler has dealt with hazards within a template and within the application. Between the two, a rule counts only if it
//! names registers that both know, or no register. Instructions of the template that are far enough from its ends, or that its
//! own length keeps apart, never matter. The pass computes this once per template.

use crate::Refusal;
use crate::distances::{ahead, back};
use crate::encode::Encodings;
use crate::instruction::{Instruction, Op};
use crate::ir::{Code, HazardScope, Item, Padding, Seam};
use crate::layout::padding_size;
use crate::rewriting::Rewriting;
use crate::roles::{Role, Roles};
use hazard::{Rule, Unit};
use isa::Format;
use lift::registers::RegisterSet;
use lift::{Access, Function, FunctionIndex, InstIndex, Span, WordHash};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::rc::Rc;

/// The hazards that one piece of inserted code exposes: per rule, how many wait states are still missing at that end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct HazardDistances {
    /// Rules of which it has a consumer near its start.
    entry: Vec<(usize, u32)>,
    /// Rules of which it has a producer near its end.
    exit: Vec<(usize, u32)>,
}

impl HazardDistances {
    /// True if the code around it does not matter.
    fn is_empty(&self) -> bool {
        self.entry.is_empty() && self.exit.is_empty()
    }
}

/// The instructions of one function as the rules see them, as far as anything asked: in pieces, for few are asked for.
#[derive(Default)]
struct RolesOfFunction(Vec<Option<Box<[Option<Role>; PIECE]>>>);

/// Instructions in a piece of [`RolesOfFunction`].
const PIECE: usize = 64;

impl RolesOfFunction {
    fn at(&mut self, inst: InstIndex, count: usize) -> &mut Option<Role> {
        if self.0.is_empty() {
            self.0.resize_with(count.div_ceil(PIECE), || None);
        }
        let piece = self.0[inst / PIECE].get_or_insert_with(|| Box::new([None; PIECE]));
        &mut piece[inst % PIECE]
    }
}

pub(crate) fn run(rewriting: &mut Rewriting<'_, '_>) -> Result<(), Refusal> {
    if rewriting.roles.rules.is_empty() || rewriting.code.seams.is_empty() {
        return Ok(());
    }
    let uses_lds = rewriting.codes.has(Op::SettleStores) && uses_lds(rewriting);
    let mut seams = std::mem::take(&mut rewriting.code.seams);
    let rules = rewriting.roles.rules.clone();
    let mut hazards = Hazards {
        codes: rewriting.codes,
        code: &rewriting.code,
        rules: &rules,
        roles: rewriting.roles,
        templates: HashMap::default(),
        sums: HashMap::default(),
        function: rewriting.kernel,
        known: RolesOfFunction::default(),
    };
    let mut entered = 0;
    let mut nops = 0;
    for (at, item) in rewriting.code.items.iter().enumerate() {
        match *item {
            Item::Enter(_) => entered = at,
            Item::Leave(index) => {
                let seam = &mut seams[index as usize];
                let function = &rewriting.module.functions[seam.function];
                let items = &rewriting.code.items[entered + 1..at];
                seam.padding = hazards.padding(function, seam, items);
                seam.padding.settles = settles(rewriting.codes, seam, items, uses_lds);
                let Padding {
                    entry,
                    exit,
                    entry_vector,
                    exit_vector,
                    settles,
                } = seam.padding;
                nops += 2 * settles.len();
                nops += padding_size(rewriting.codes, entry, entry_vector) / 4;
                nops += padding_size(rewriting.codes, exit, exit_vector) / 4;
            }
            _ => {}
        }
    }
    rewriting.code.seams = seams;
    rewriting.report.seam_nops += nops as u32;
    Ok(())
}

/// The instructions that gfx10.1 needs between inserted code and the application's, whatever the distance. Each seam gets them,
/// because a search for the instructions nearby would have to follow all paths, and few people use these chips.
fn settles(codes: &Encodings, seam: &Seam, items: &[Item<'_>], uses_lds: bool) -> &'static [Op] {
    let nothing = items.is_empty() && seam.waits.is_empty();
    // Sums are scalar and touch registers of their own.
    let sums = matches!(seam.meets, HazardScope::NoRegister);
    match (codes.has(Op::SettleRegisters), uses_lds) {
        (false, _) => &[],
        _ if nothing || sums => &[],
        (true, false) => &[Op::SettleRegisters, Op::SettleLoads],
        (true, true) => &[Op::SettleRegisters, Op::SettleLoads, Op::SettleStores],
    }
}

/// True if the kernel, a function that it may call or a hook accesses LDS: accesses to LDS and to memory conflict across a branch.
fn uses_lds(rewriting: &Rewriting<'_, '_>) -> bool {
    let functions = rewriting.functions.iter();
    let functions = functions.map(|index| &rewriting.module.functions[*index]);
    let mut insts = functions
        .flat_map(|function| (0..function.insts.len()).map(move |inst| function.insts.at(inst)));
    insts.any(|inst| inst.format == Format::Ds)
        || rewriting.code.bound.iter().any(|bound| {
            let code = &bound.template.code[..];
            let mut at = 0;
            std::iter::from_fn(|| {
                let inst = rewriting
                    .roles
                    .decoder()
                    .decode(code.get(at..)?, at as u64)
                    .ok()?;
                at += usize::from(inst.size);
                Some(inst.format)
            })
            .any(|format| format == Format::Ds)
        })
}

/// Sums consist of the same few instructions again and again.
type Ops = SmallVec<[Op; 8]>;

struct Hazards<'a, 'p> {
    codes: &'a Encodings,
    code: &'a Code<'p>,
    rules: &'a [&'static Rule],
    roles: &'a mut Roles,
    /// The hazards that templates expose, by the template's address.
    templates: HashMap<*const template::Template, Rc<HazardDistances>, WordHash>,
    sums: HashMap<Ops, Rc<HazardDistances>, WordHash>,
    /// The function at hand and what is known of it.
    function: FunctionIndex,
    known: RolesOfFunction,
}

impl Hazards<'_, '_> {
    fn padding(&mut self, function: &Function, seam: &Seam, items: &[Item<'_>]) -> Padding {
        if items.is_empty() && seam.waits.is_empty() {
            return Padding::default();
        }
        let exposed = match seam.meets {
            HazardScope::Template(index) => self.of_template(index),
            HazardScope::All => Rc::new(examine(self.rules, &self.of_items(seam, items))),
            HazardScope::NoRegister => self.of_sums(seam, items),
        };
        if exposed.is_empty() {
            return Padding::default();
        }
        if self.function != seam.function {
            self.function = seam.function;
            self.known = RolesOfFunction::default();
        }
        self.between(function, seam, &exposed)
    }

    fn of_template(&mut self, index: u32) -> Rc<HazardDistances> {
        let template = self.code.bound[index as usize].template;
        if let Some(known) = self.templates.get(&std::ptr::from_ref(template)) {
            return known.clone();
        }
        let exposed = Rc::new(examine(self.rules, &self.roles.template(template)));
        self.templates.insert(template, exposed.clone());
        exposed
    }

    /// The hazards that sums expose, by rules that name no register.
    fn of_sums(&mut self, seam: &Seam, items: &[Item<'_>]) -> Rc<HazardDistances> {
        let ops = items.iter().filter_map(|item| match item {
            Item::Ours(instruction) => Some(instruction.op),
            _ => None,
        });
        let ops: Ops = ops.collect();
        if let Some(known) = self.sums.get(&ops) {
            return known.clone();
        }
        let all = examine(self.rules, &self.of_items(seam, items));
        let matters = |(index, _): &(usize, u32)| self.rules[*index].conflict.is_none();
        let exposed = Rc::new(HazardDistances {
            entry: all.entry.into_iter().filter(matters).collect(),
            exit: all.exit.into_iter().filter(matters).collect(),
        });
        self.sums.insert(ops, exposed.clone());
        exposed
    }

    fn of_items(&mut self, seam: &Seam, items: &[Item<'_>]) -> Vec<Role> {
        let codes = self.codes;
        let waits = seam.waits.iter().map(|wait| Instruction::fixed(*wait));
        let mut roles: Vec<Role> = waits.map(|wait| self.roles.ours(&wait, codes)).collect();
        for item in items {
            match item {
                Item::Ours(instruction) => roles.push(self.roles.ours(instruction, codes)),
                Item::Template(index) => {
                    let template = self.code.bound[*index as usize].template;
                    roles.extend_from_slice(&self.roles.template(template));
                }
                _ => {}
            }
        }
        roles
    }

    /// Padding for code that exposes this.
    fn between(&mut self, function: &Function, seam: &Seam, exposed: &HazardDistances) -> Padding {
        let (rules, touched) = (self.rules, &seam.registers);
        let (known, roles) = (&mut self.known, &mut *self.roles);
        let next = seam.spot.next;
        let mut padding = Padding::default();
        // Registers that nothing touches cannot be in conflict.
        let matters = |rule: &Rule| rule.conflict.is_none() || !touched.is_empty();
        let mut role = |inst: InstIndex| {
            *known
                .at(inst, function.insts.len())
                .get_or_insert_with(|| roles.original(function.insts.at(inst)))
        };
        for &(index, lacking) in &exposed.entry {
            let rule = rules[index];
            if !matters(rule) {
                continue;
            }
            let mut look = |inst: InstIndex| {
                let role = role(inst);
                let meets = role.produces >> index & 1 == 1
                    && (rule.conflict.is_none() || shares(function.access(inst), touched));
                (meets, role.pass(rule))
            };
            if let Some(near) = back(function, next, lacking, &mut look) {
                match rule.unit {
                    Unit::States => padding.entry = padding.entry.max(lacking - near),
                    Unit::Vector => padding.entry_vector = true,
                    Unit::Until(..) | Unit::AcrossBranch(..) => {}
                }
            }
        }
        for &(index, lacking) in &exposed.exit {
            let rule = rules[index];
            if !matters(rule) {
                continue;
            }
            let mut look = |inst: InstIndex| {
                let role = role(inst);
                let meets = role.consumes >> index & 1 == 1
                    && (rule.conflict.is_none() || shares(function.access(inst), touched));
                (meets, role.pass(rule))
            };
            if let Some(near) = ahead(function, next, lacking, &mut look) {
                match rule.unit {
                    Unit::States => padding.exit = padding.exit.max(lacking - near),
                    Unit::Vector => padding.exit_vector = true,
                    Unit::Until(..) | Unit::AcrossBranch(..) => {}
                }
            }
        }
        padding
    }
}

/// True if an instruction of the application reads or writes any of the registers.
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

/// The hazards that inserted code exposes, by the roles of its instructions.
fn examine(rules: &[&'static Rule], roles: &[Role]) -> HazardDistances {
    let mut exposed = HazardDistances::default();
    let branches = roles.iter().any(|role| role.branches);
    for (index, rule) in rules.iter().enumerate() {
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
