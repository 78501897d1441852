//! Addresses that code makes of its own program counter: `s_getpc_b64` and an addition, then a jump or a call.
//!
//! A forward walk over one function with a symbolic value per SGPR. Values also survive in lanes of VGPRs, where compilers
//! keep return addresses. Over a call, registers that a known callee does not write, and those that no calling convention
//! uses for results, are trusted: code that breaks the conventions could mislead us about an address held there, nothing
//! else rests on it.

use crate::function::{Block, BlockIndex, Callee, FunctionIndex};
use crate::registers::{RegisterSet, SGPR_COUNT, Span};
use crate::table::Code;
use isa::{Decoded, Effects, Inst, Operand, Reg, RegKind};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What an SGPR holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Unknown,
    /// Half of an address of this program; of the low half's address only the low 32 bits count.
    Part {
        address: u64,
        high: bool,
    },
    /// The same before a call that may have overwritten it.
    Left {
        address: u64,
        high: bool,
    },
    /// What the register of that number held when the function was entered.
    Entry(u16),
    /// Half of an entry of the pointer table at an address.
    Entries {
        table: u64,
        high: bool,
    },
}

/// A 64-bit value in two SGPRs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pair {
    Unknown,
    Address(u64),
    /// What the pair of registers from that number held when the function was entered.
    Entry(u16),
}

const SGPRS: usize = SGPR_COUNT as usize;

/// SGPRs from here on are no arguments or results of calls: LLVM passes s0 to s29, GCC s24 to s29. So what is read there
/// behind a call was there before it: LLVM preserves some of them, GCC all.
const FIRST_PRESERVED: u16 = 32;
/// First VGPR whose lanes may be preserved over calls.
const FIRST_PRESERVED_VGPR: u16 = 40;

#[derive(Clone, PartialEq, Eq)]
struct State {
    sgprs: [Value; SGPRS],
    /// After an addition to a low half: its address before, and the addend.
    carry: Option<(u64, u32)>,
    lanes: BTreeMap<(u16, i64), Value>,
}

impl State {
    fn at_entry() -> State {
        State {
            sgprs: std::array::from_fn(|index| Value::Entry(index as u16)),
            carry: None,
            lanes: BTreeMap::new(),
        }
    }

    /// Keeps what both agree on; says whether anything was lost.
    fn meet(&mut self, other: &State) -> bool {
        let mut changed = false;
        for (mine, theirs) in self.sgprs.iter_mut().zip(&other.sgprs) {
            if *mine != *theirs && *mine != Value::Unknown {
                *mine = Value::Unknown;
                changed = true;
            }
        }
        if self.carry != other.carry && self.carry.is_some() {
            self.carry = None;
            changed = true;
        }
        let before = self.lanes.len();
        self.lanes
            .retain(|slot, value| other.lanes.get(slot) == Some(value));
        changed | (self.lanes.len() != before)
    }

    fn get(&self, reg: Reg) -> Value {
        match reg.kind {
            RegKind::Sgpr => self
                .sgprs
                .get(usize::from(reg.index))
                .copied()
                .unwrap_or(Value::Unknown),
            _ => Value::Unknown,
        }
    }

    fn set(&mut self, index: u16, value: Value) {
        if let Some(slot) = self.sgprs.get_mut(usize::from(index)) {
            *slot = value;
        }
    }

    /// What a pair's halves hold.
    fn halves(&self, reg: Reg) -> (Value, Value) {
        let high = Reg {
            index: reg.index + 1,
            ..reg
        };
        (self.get(reg), self.get(high))
    }

    fn pair(&self, reg: Reg) -> Pair {
        match self.halves(reg) {
            (
                Value::Part {
                    address: low,
                    high: false,
                },
                Value::Part {
                    address,
                    high: true,
                },
            ) if low as u32 == address as u32 => Pair::Address(address),
            (Value::Entry(low), Value::Entry(high)) if high == low + 1 => Pair::Entry(low),
            _ => Pair::Unknown,
        }
    }

    /// An address that the pair still holds if callees preserve it.
    fn left(&self, reg: Reg) -> Option<u64> {
        match self.halves(reg) {
            (
                Value::Left {
                    address: low,
                    high: false,
                },
                Value::Left {
                    address,
                    high: true,
                },
            ) if low as u32 == address as u32 => Some(address),
            _ => None,
        }
    }

    /// `written`: what the callee writes, if that is known.
    fn call(&mut self, written: Option<&RegisterSet>) {
        let keeps_scalar =
            |index: usize| written.is_some_and(|written| !written.scalars.contains(index as u16));
        let keeps_vector =
            |vgpr: u16| written.is_some_and(|written| !written.vectors.contains(vgpr));
        for (index, value) in self.sgprs.iter_mut().enumerate() {
            if index < usize::from(FIRST_PRESERVED) && !keeps_scalar(index) {
                *value = match *value {
                    Value::Part { address, high } | Value::Left { address, high } => {
                        Value::Left { address, high }
                    }
                    _ => Value::Unknown,
                };
            }
        }
        self.carry = None;
        self.lanes
            .retain(|(vgpr, _), _| *vgpr >= FIRST_PRESERVED_VGPR || keeps_vector(*vgpr));
    }

    fn step(
        &mut self,
        inst: Inst<&Decoded>,
        pointers: &BTreeMap<u64, u64>,
        callee: Option<&RegisterSet>,
    ) {
        if inst.effects.contains(Effects::CALL) {
            self.call(callee);
            // Where it returns to.
            for operand in &inst.operands {
                if let Operand::Def(reg) = operand {
                    self.forget(inst, *reg);
                }
            }
            return;
        }
        let def = inst.operands.iter().find_map(|operand| match operand {
            Operand::Def(reg) => Some(*reg),
            _ => None,
        });
        let result = def.and_then(|def| self.result(inst, def, pointers));
        let carry = self.carry_of(inst);
        let writes_scc = |reg: &Reg| reg.kind == RegKind::Scc;
        if inst.implicit_defs.iter().any(writes_scc) {
            self.carry = carry;
        }
        // Movrel writes a register that is not named.
        if inst.mnemonic.starts_with("s_movrel") {
            self.sgprs = [Value::Unknown; SGPRS];
        }
        for operand in &inst.operands {
            if let Operand::Def(reg) = operand {
                self.forget(inst, *reg);
            }
        }
        match (def, result) {
            (Some(def), Some(Outcome::Low(value))) => self.set(def.index, value),
            (Some(def), Some(Outcome::Both(low, high))) => {
                self.set(def.index, low);
                self.set(def.index + 1, high);
            }
            (Some(def), Some(Outcome::Lane(lane, value))) => {
                self.lanes.insert((def.index, lane), value);
            }
            _ => {}
        }
    }

    fn forget(&mut self, inst: Inst<&Decoded>, reg: Reg) {
        match Span::from_register(reg) {
            Some(Span::Scalar(start, count)) => {
                for index in start..start + count {
                    self.set(index, Value::Unknown);
                }
            }
            Some(Span::Vector(start, count)) if inst.mnemonic != "v_writelane_b32" => {
                self.lanes
                    .retain(|(vgpr, _), _| !(start..start + count).contains(vgpr));
            }
            _ => {}
        }
    }

    fn carry_of(&self, inst: Inst<&Decoded>) -> Option<(u64, u32)> {
        if !matches!(inst.mnemonic, "s_add_u32" | "s_add_co_u32") {
            return None;
        }
        let (reg, addend) = register_and_constant(inst)?;
        match self.get(reg) {
            Value::Part {
                address,
                high: false,
            } => Some((address, addend)),
            _ => None,
        }
    }

    fn result(
        &self,
        inst: Inst<&Decoded>,
        def: Reg,
        pointers: &BTreeMap<u64, u64>,
    ) -> Option<Outcome> {
        let low_and_high = |address| {
            Outcome::Both(
                Value::Part {
                    address,
                    high: false,
                },
                Value::Part {
                    address,
                    high: true,
                },
            )
        };
        if inst.mnemonic == "v_writelane_b32" {
            let lane = last_constant(inst)?;
            let value = inst.operands.iter().find_map(|operand| match operand {
                Operand::Use(reg) if reg.kind == RegKind::Sgpr => Some(self.get(*reg)),
                _ => None,
            });
            return Some(Outcome::Lane(lane, value.unwrap_or(Value::Unknown)));
        }
        if def.kind != RegKind::Sgpr {
            return None;
        }
        match inst.mnemonic {
            "s_getpc_b64" | "s_get_pc_i64" => Some(low_and_high(inst.end())),
            "s_add_u32" | "s_add_co_u32" => {
                let (base, addend) = self.carry_of(inst)?;
                let address = base.wrapping_add(u64::from(addend));
                Some(Outcome::Low(Value::Part {
                    address,
                    high: false,
                }))
            }
            "s_addc_u32" | "s_add_co_ci_u32" => {
                let (reg, addend) = register_and_constant(inst)?;
                let (base, low) = self.carry?;
                match self.get(reg) {
                    Value::Part {
                        address,
                        high: true,
                    } if address == base => {
                        let sum = base
                            .wrapping_add(u64::from(low))
                            .wrapping_add(u64::from(addend) << 32);
                        Some(Outcome::Low(Value::Part {
                            address: sum,
                            high: true,
                        }))
                    }
                    _ => None,
                }
            }
            "s_add_u64" | "s_add_nc_u64" => {
                let (reg, addend) = register_and_constant(inst)?;
                match self.pair(reg) {
                    Pair::Address(base) => Some(low_and_high(
                        base.wrapping_add_signed(i64::from(addend as i32)),
                    )),
                    _ => None,
                }
            }
            // Of a program counter of 48 bits: nothing changes.
            "s_sext_i32_i16" => match self.get(first_use(inst)?) {
                value @ Value::Part { high: true, .. } => Some(Outcome::Low(value)),
                _ => None,
            },
            "s_mov_b32" => Some(Outcome::Low(self.get(first_use(inst)?))),
            "s_mov_b64" => {
                let from = first_use(inst)?;
                let high = Reg {
                    index: from.index + 1,
                    ..from
                };
                Some(Outcome::Both(self.get(from), self.get(high)))
            }
            "v_readlane_b32" => {
                let lane = last_constant(inst)?;
                let value = self.lanes.get(&(first_use(inst)?.index, lane))?;
                Some(Outcome::Low(*value))
            }
            "s_load_dwordx2" | "s_load_b64" => self.load(inst, pointers),
            _ => None,
        }
    }

    /// A pointer from the global offset table, or any pointer of a table at a known address.
    fn load(&self, inst: Inst<&Decoded>, pointers: &BTreeMap<u64, u64>) -> Option<Outcome> {
        let base = match self.pair(first_use(inst)?) {
            Pair::Address(base) => base,
            _ => return None,
        };
        let uses = inst
            .operands
            .iter()
            .filter(|operand| matches!(operand, Operand::Use(reg) if reg.kind != RegKind::Null));
        let offset = inst.operands.iter().find_map(|operand| match operand {
            Operand::Imm(value) => Some(*value),
            _ => None,
        });
        if uses.count() > 1 {
            let table = base.wrapping_add_signed(offset.unwrap_or(0));
            return pointers.contains_key(&table).then_some(Outcome::Both(
                Value::Entries { table, high: false },
                Value::Entries { table, high: true },
            ));
        }
        let address = *pointers.get(&base.wrapping_add_signed(offset.unwrap_or(0)))?;
        Some(Outcome::Both(
            Value::Part {
                address,
                high: false,
            },
            Value::Part {
                address,
                high: true,
            },
        ))
    }
}

enum Outcome {
    Low(Value),
    Both(Value, Value),
    Lane(i64, Value),
}

fn first_use(inst: Inst<&Decoded>) -> Option<Reg> {
    inst.operands.iter().find_map(|operand| match operand {
        Operand::Use(reg) => Some(*reg),
        _ => None,
    })
}

fn last_constant(inst: Inst<&Decoded>) -> Option<i64> {
    let constants = inst.operands.iter().rev();
    constants.into_iter().find_map(|operand| match operand {
        Operand::Imm(value) => Some(*value),
        _ => None,
    })
}

/// The two sources, if one is a register and the other is not.
fn register_and_constant(inst: Inst<&Decoded>) -> Option<(Reg, u32)> {
    let mut sources = inst
        .operands
        .iter()
        .filter(|operand| !matches!(operand, Operand::Def(_)));
    match (sources.next()?, sources.next()?) {
        (Operand::Use(reg), Operand::Imm(value)) | (Operand::Imm(value), Operand::Use(reg)) => {
            Some((*reg, *value as u32))
        }
        _ => None,
    }
}

/// What is known of indirect branches and calls, by index of the instruction.
#[derive(Default)]
pub(crate) struct Addresses {
    pub targets: BTreeMap<usize, Target>,
    /// Addresses that are used other than by jumping there.
    pub escaped: Vec<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Pair(Pair),
    /// Any pointer of the table there.
    Table(u64),
}

/// Walks the function from its entry.
/// `written`: what each function of the program writes, with its callees; `entries`: where functions start.
pub(crate) fn follow(
    code: Code<'_>,
    blocks: &[Block],
    pointers: &BTreeMap<u64, u64>,
    written: &[RegisterSet],
    entries: &BTreeMap<u64, FunctionIndex>,
) -> Addresses {
    // A call that no earlier walk could resolve may have its target in registers by now, which a loop over it must not lose.
    let callee = |block: &Block, inst: Inst<&Decoded>, state: &State| match block.call {
        Some(Callee::Known(function)) => written.get(function),
        Some(Callee::Unknown) => match state.pair(first_use(inst)?) {
            Pair::Address(address) => written.get(*entries.get(&address)?),
            _ => None,
        },
        None => None,
    };
    let mut starts: Vec<Option<State>> = vec![None; blocks.len()];
    let mut found = Addresses::default();
    let Some(entry) = starts.first_mut() else {
        return found;
    };
    *entry = Some(State::at_entry());
    let mut todo: VecDeque<BlockIndex> = VecDeque::from([0]);
    while let Some(index) = todo.pop_front() {
        let block = &blocks[index];
        let Some(mut state) = starts[index].clone() else {
            continue;
        };
        for inst in block.range().map(|index| code.at(index)) {
            let callee = callee(block, inst, &state);
            state.step(inst, pointers, callee);
        }
        for edge in &block.successors {
            let changed = match &mut starts[edge.to] {
                Some(start) => start.meet(&state),
                empty => {
                    *empty = Some(state.clone());
                    true
                }
            };
            if changed && !todo.contains(&edge.to) {
                todo.push_back(edge.to);
            }
        }
    }
    let mut handed = EscapingAddresses::default();
    for (block, start) in blocks.iter().zip(starts) {
        let Some(mut state) = start else { continue };
        for index in block.range() {
            let inst = code.at(index);
            look(&state, index, inst, &mut found);
            handed.look(&state, inst);
            let callee = callee(block, inst, &state);
            state.step(inst, pointers, callee);
        }
    }
    found.escaped.extend(handed.arguments());
    found
}

/// Addresses in registers where control goes elsewhere: pairs by first register, and what they hold.
#[derive(Default)]
struct EscapingAddresses {
    held: BTreeSet<(u16, u64)>,
    /// Where it goes. Such a pair may be left over from an earlier call, or be there for a later one.
    targets: BTreeSet<(u16, u64)>,
    /// Where it may go: what the registers held before a call that may have kept them. GCC calls such an address again.
    again: BTreeSet<u64>,
}

impl EscapingAddresses {
    fn look(&mut self, state: &State, inst: Inst<&Decoded>) {
        if !inst.effects.intersects(Effects::CALL | Effects::INDIRECT) {
            return;
        }
        let pair = |index| {
            let reg = Reg {
                kind: RegKind::Sgpr,
                index,
                width: 2,
                half: None,
            };
            match state.pair(reg) {
                Pair::Address(address) => Some((index, address)),
                _ => None,
            }
        };
        self.held
            .extend((0..FIRST_PRESERVED).step_by(2).filter_map(pair));
        let Some(reg) = first_use(inst) else { return };
        self.targets.extend(pair(reg.index));
        self.again.extend(state.left(reg));
    }

    /// What a callee may get, or a caller back, and what may be called again.
    fn arguments(&self) -> impl Iterator<Item = u64> + '_ {
        let held = self.held.difference(&self.targets);
        held.map(|(_, address)| address).chain(&self.again).copied()
    }
}

fn look(state: &State, index: usize, inst: Inst<&Decoded>, found: &mut Addresses) {
    if inst.effects.contains(Effects::INDIRECT) {
        let Some(reg) = first_use(inst) else { return };
        let table = match state.get(reg) {
            Value::Entries { table, high: false } => Some(table),
            _ => None,
        };
        let target = table.map_or_else(|| Target::Pair(state.pair(reg)), Target::Table);
        found.targets.insert(index, target);
        return;
    }
    let arithmetic = ["s_add", "s_sext", "s_mov_b", "v_writelane"];
    if arithmetic
        .iter()
        .any(|prefix| inst.mnemonic.starts_with(prefix))
        || inst.effects.contains(Effects::SMEM)
    {
        return;
    }
    for operand in &inst.operands {
        let Operand::Use(reg) = operand else { continue };
        if let Some(Span::Vector(start, count)) = Span::from_register(*reg)
            && inst.mnemonic != "v_readlane_b32"
        {
            let lanes = state
                .lanes
                .range((start, i64::MIN)..(start + count, i64::MIN));
            found
                .escaped
                .extend(lanes.filter_map(|(_, value)| match value {
                    Value::Part { address, .. } => Some(*address),
                    _ => None,
                }));
        }
        for index in reg.index..reg.index + u16::from(reg.width).max(1) {
            // A sum's carry is in the high half, so a low half alone says too much behind a jump backwards.
            if let Value::Part { address, .. } = state.get(Reg { index, ..*reg }) {
                found.escaped.push(address);
            }
        }
    }
}
