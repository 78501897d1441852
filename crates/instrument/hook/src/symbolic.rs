//! Proves that EXEC, SCC and VCC behind a template are what they were before it, and that no lane is ever added to EXEC.
//!
//! A lane mask is a Boolean function, per lane, of "active at entry" and of the outcomes of comparisons: a truth table over
//! six variables. Without loops that decides whether `exec` is back to its first value; with loops comparisons are only
//! known to be subsets of the active lanes, which is enough for save and restore.

use crate::flow::Flow;
use isa::{Inst, Operand, Reg, RegKind};
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

/// What the walk found.
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
            .filter(|(_, inst)| inst.mnemonic.starts_with("v_cmp"))
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
        if inst.mnemonic.starts_with("v_cmp") {
            let lanes = match (active, self.atoms.get(&index)) {
                (Some(Mask(active)), Some(atom)) => Some(Mask(active & atom)),
                (Some(active), _) if active.within_entry() => Some(Subset),
                _ => None,
            };
            let to_exec = inst.mnemonic.starts_with("v_cmpx");
            let implicit = inst.implicit_defs.iter().map(|reg| key(*reg));
            let mut written: Vec<Key> = def.into_iter().chain(implicit).collect();
            if to_exec {
                written.push(exec);
            }
            let mask = |key: &Key| matches!(key.0, RegKind::Sgpr | RegKind::Vcc | RegKind::Exec);
            written.retain(mask);
            return written.into_iter().map(|key| (key, lanes)).collect();
        }
        let base = inst
            .mnemonic
            .strip_suffix(if self.width == 2 { "_b64" } else { "_b32" })
            .unwrap_or("");
        let written = def.unwrap_or(exec);
        match base {
            "s_mov" => return vec![(written, source(0))],
            "s_and" => return vec![(written, and(source(0), source(1)))],
            "s_or" => return vec![(written, or(source(0), source(1)))],
            "s_xor" => return vec![(written, xor(source(0), source(1)))],
            "s_andn2" | "s_and_not1" => {
                return vec![(written, and_not(source(0), source(1)))];
            }
            "s_and_saveexec" => {
                return vec![(written, active), (exec, and(source(0), active))];
            }
            "s_or_saveexec" => return vec![(written, active), (exec, or(source(0), active))],
            "s_xor_saveexec" => return vec![(written, active), (exec, xor(source(0), active))],
            // The source's lanes that are not active.
            "s_andn2_saveexec" | "s_and_not1_saveexec" => {
                return vec![(written, active), (exec, and_not(source(0), active))];
            }
            _ => {}
        }
        match inst.mnemonic {
            "s_mov_b64" | "s_mov_b32" => vec![(written, source(0))],
            // Not zero exactly when SCC is set.
            "s_cselect_b32" => {
                let kept = matches!(
                    &inst.operands[1..],
                    [Operand::Imm(set), Operand::Imm(0), ..] if *set != 0
                );
                vec![(written, before.get(&SCC).copied().filter(|_| kept))]
            }
            "s_cmp_lg_u32" | "s_cmp_lg_i32" => {
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
