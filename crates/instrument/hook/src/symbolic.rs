//! Proves that EXEC, SCC and VCC behind a template are what they were before it, and that no lane is ever added to EXEC.
//!
//! A lane mask is a Boolean function, per lane, of "active at entry" and of the outcomes of comparisons: a truth table over
//! six variables. Without loops that decides whether `exec` is back to its first value; with loops comparisons are only
//! known to be subsets of the active lanes, which is enough for save and restore.

use crate::flow::Flow;
use isa::{Inst, Known, Logic, Operand, Reg, RegKind, Traits};
use std::collections::BTreeMap;

/// Truth table of "active at entry".
const ENTRY: u64 = 0xaaaa_aaaa_aaaa_aaaa;
/// Truth tables of the other variables.
const ATOMS: [u64; 5] = [
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    /// A lane mask.
    Mask(u64),
    /// A lane mask that selects only lanes active at entry.
    Subset,
    /// SCC as it was, as a number that is zero or not.
    Scc,
    /// VCC as it was.
    Vcc,
}

use Value::*;

impl Value {
    fn within_entry(self) -> bool {
        match self {
            Mask(table) => table & !ENTRY == 0,
            Subset => true,
            Scc | Vcc => false,
        }
    }
}

type Key = (RegKind, u16, u8);
type State = BTreeMap<Key, Value>;

const SCC: Key = (RegKind::Scc, 0, 1);

/// The result of the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Findings {
    pub exec_restored: bool,
    pub scc_preserved: bool,
    pub vcc_preserved: bool,
    /// Index of the first instruction that may add lanes to EXEC.
    pub widens: Option<usize>,
}

struct Walk<'a> {
    /// Dwords of a lane mask.
    width: u8,
    flow: &'a Flow,
    /// The variable of each instruction that compares.
    atoms: BTreeMap<usize, u64>,
}

pub(crate) fn examine(flow: &Flow, wave_size: u8) -> Findings {
    let width = wave_size / 32;
    let atoms = if flow.has_loop {
        BTreeMap::new()
    } else {
        let compares = flow.instructions.iter().enumerate();
        compares
            .filter(|(_, inst)| inst.op.has(Traits::COMPARES))
            .map(|(index, _)| index)
            .zip(ATOMS)
            .collect()
    };
    let walk = Walk { width, flow, atoms };
    // Saved as a whole even where lane masks have 32 bits.
    let (exec, vcc) = (walk.exec(), (RegKind::Vcc, 0, 2));
    let entry = State::from([(exec, Mask(ENTRY)), (SCC, Scc), (vcc, Vcc)]);
    let states = flow.solve(entry, join, |index, inst, state| {
        walk.step(index, inst, state)
    });
    let last = states.last().cloned().flatten().unwrap_or_default();
    let exec_at = |state: &Option<State>| state.as_ref().map(|state| state.get(&exec).copied());
    let widens = (1..states.len()).find_map(|index| match exec_at(&states[index]) {
        Some(value) if !value.is_some_and(Value::within_entry) => Some(index - 1),
        _ => None,
    });
    Findings {
        exec_restored: last.get(&exec) == Some(&Mask(ENTRY)),
        scc_preserved: last.get(&SCC) == Some(&Scc),
        vcc_preserved: last.get(&vcc) == Some(&Vcc),
        widens,
    }
}

fn join(left: &State, right: &State) -> State {
    let mut joined = State::new();
    for (key, value) in left {
        match right.get(key) {
            Some(other) if other == value => {
                joined.insert(*key, *value);
            }
            Some(other) if other.within_entry() && value.within_entry() => {
                joined.insert(*key, Subset);
            }
            _ => {}
        }
    }
    joined
}

fn key(reg: Reg) -> Key {
    (reg.kind, reg.index, reg.width)
}

fn overlap(left: Key, right: Key) -> bool {
    left.0 == right.0
        && u32::from(left.1) < u32::from(right.1) + u32::from(right.2)
        && u32::from(right.1) < u32::from(left.1) + u32::from(left.2)
}

impl Walk<'_> {
    fn exec(&self) -> Key {
        (RegKind::Exec, 0, self.width)
    }

    fn step(&self, index: usize, inst: &Inst, before: &State) -> State {
        let mut after = before.clone();
        let explicit = inst.operands.iter().filter_map(|operand| match operand {
            Operand::Def(reg) => Some(*reg),
            _ => None,
        });
        for written in explicit.chain(inst.implicit_defs.iter().copied()) {
            after.retain(|held, _| !overlap(*held, key(written)));
        }
        for (written, value) in self.results(index, inst, before) {
            if let Some(value) = value {
                after.insert(written, value);
            }
        }
        debug_assert!(index < self.flow.instructions.len());
        after
    }

    /// Registers whose new value is known.
    fn results(&self, index: usize, inst: &Inst, before: &State) -> Vec<(Key, Option<Value>)> {
        let exec = self.exec();
        let active = before.get(&exec).copied();
        let def = inst.operands.iter().find_map(|operand| match operand {
            Operand::Def(reg) => Some(key(*reg)),
            _ => None,
        });
        let uses: Vec<Option<Value>> = inst
            .operands
            .iter()
            .filter(|operand| !matches!(operand, Operand::Def(_)))
            .map(|operand| match operand {
                Operand::Use(reg) => before.get(&key(*reg)).copied(),
                Operand::Imm(0) => Some(Mask(0)),
                _ => None,
            })
            .collect();
        let source = |number: usize| uses.get(number).copied().flatten();
        if inst.op.has(Traits::COMPARES) {
            let lanes = match (active, self.atoms.get(&index)) {
                (Some(Mask(active)), Some(atom)) => Some(Mask(active & atom)),
                (Some(active), _) if active.within_entry() => Some(Subset),
                _ => None,
            };
            let to_exec = inst.op.has(Traits::COMPARES_TO_EXEC);
            let implicit = inst.implicit_defs.iter().map(|reg| key(*reg));
            let mut written: Vec<Key> = def.into_iter().chain(implicit).collect();
            if to_exec {
                written.push(exec);
            }
            let mask = |key: &Key| matches!(key.0, RegKind::Sgpr | RegKind::Vcc | RegKind::Exec);
            written.retain(mask);
            return written.into_iter().map(|key| (key, lanes)).collect();
        }
        let written = def.unwrap_or(exec);
        let mask = inst.op.lane_mask();
        if let Some(mask) = mask.filter(|mask| mask.dwords == self.width && !mask.writes_exec) {
            let (first, second) = match mask.saves_exec {
                true => (source(0), active),
                false => (source(0), source(1)),
            };
            let result = match mask.logic {
                Logic::Move => Some(first),
                Logic::And => Some(and(first, second)),
                Logic::Or => Some(or(first, second)),
                Logic::Xor => Some(xor(first, second)),
                Logic::AndNotB => Some(and_not(first, second)),
                _ => None,
            };
            match result {
                Some(result) if mask.saves_exec => return vec![(written, active), (exec, result)],
                Some(result) => return vec![(written, result)],
                None => {}
            }
        }
        match inst.op.known() {
            Some(Known::SMovB64 | Known::SMovB32) => vec![(written, source(0))],
            // Not zero exactly when SCC is set.
            Some(Known::SCselectB32) => {
                let kept = matches!(
                    &inst.operands[1..],
                    [Operand::Imm(set), Operand::Imm(0), ..] if *set != 0
                );
                vec![(written, before.get(&SCC).copied().filter(|_| kept))]
            }
            Some(Known::SCmpLgU32 | Known::SCmpLgI32) => {
                let zero = matches!(inst.operands.last(), Some(Operand::Imm(0)));
                let value = source(0).filter(|value| zero && *value == Scc);
                vec![(SCC, value)]
            }
            _ => Vec::new(),
        }
    }
}

fn and(left: Option<Value>, right: Option<Value>) -> Option<Value> {
    match (left, right) {
        (Some(Mask(left)), Some(Mask(right))) => Some(Mask(left & right)),
        (Some(one), _) | (_, Some(one)) if one.within_entry() => Some(Subset),
        (_, Some(one)) if one.within_entry() => Some(Subset),
        _ => None,
    }
}

fn or(left: Option<Value>, right: Option<Value>) -> Option<Value> {
    match (left?, right?) {
        (Mask(left), Mask(right)) => Some(Mask(left | right)),
        (Mask(ENTRY), other) | (other, Mask(ENTRY)) if other.within_entry() => Some(Mask(ENTRY)),
        (left, right) if left.within_entry() && right.within_entry() => Some(Subset),
        _ => None,
    }
}

fn xor(left: Option<Value>, right: Option<Value>) -> Option<Value> {
    match (left?, right?) {
        (Mask(left), Mask(right)) => Some(Mask(left ^ right)),
        (left, right) if left.within_entry() && right.within_entry() => Some(Subset),
        _ => None,
    }
}

fn and_not(left: Option<Value>, right: Option<Value>) -> Option<Value> {
    match (left, right) {
        (Some(Mask(left)), Some(Mask(right))) => Some(Mask(left & !right)),
        (Some(left), _) if left.within_entry() => Some(Subset),
        _ => None,
    }
}
