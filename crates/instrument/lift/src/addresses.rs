//! Where jumps and calls through registers go: addresses that code makes of its own program counter (`s_getpc_b64` and
//! additions), takes from tables of pointers, chooses between, or passes on.
//!
//! A forward walk over one function with a symbolic value per SGPR. Values also survive in lanes of VGPRs, where compilers
//! keep return addresses. Over a call, the walk trusts registers that a known callee does not write, and registers that no calling
//! convention uses for results. Code that breaks the conventions could make it believe a wrong address there; nothing else depends
//! on that trust.

use crate::code_values::{FIRST_PRESERVED, Pair, Sets, State, Value, first_use};
use crate::function::{Block, BlockIndex, Callee, FunctionIndex, Leave};
use crate::registers::{RegisterSet, SGPR_COUNT, Span};
use crate::table::Code;
use isa::{Decoded, Effects, Inst, Known, LaneMask, Logic, Operand, Reg, RegKind, Traits};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Facts about indirect branches and calls, by index of the instruction.
#[derive(Default)]
pub(crate) struct Addresses {
    pub targets: BTreeMap<usize, Target>,
    /// Addresses that are used other than by jumping there.
    pub escaped: Vec<u64>,
    /// Addresses to which the code adds what it does not tell, to jump there or for a purpose that is not followed.
    pub near: Vec<u64>,
    /// Jumps out of the function, by index of the instruction, before which every register that calls leave a return address in
    /// holds what it held when the function was entered.
    pub passes_return_on: BTreeSet<usize>,
}

/// The targets of a jump or a call through registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// To one of these addresses, ascending.
    Known(Vec<u64>),
    /// To one of these, or elsewhere.
    Maybe(Vec<u64>),
    /// To one of these plus a number that is not known.
    Near(Vec<u64>),
    /// The address that the pair of registers from that number held when the function was entered.
    Entry(u16),
    /// To any pointer of the table there.
    Table(u64),
    Unknown,
}

impl Target {
    fn new(state: &State, reg: Reg, sets: &Sets) -> Target {
        if let Some(table) = state.table(reg) {
            return Target::Table(table);
        }
        match state.pair(reg, sets) {
            Pair::Addresses { of, sure: true } => Target::Known(sets.get(of).to_vec()),
            Pair::Addresses { of, .. } => Target::Maybe(sets.get(of).to_vec()),
            Pair::Near(of) => Target::Near(sets.get(of).to_vec()),
            Pair::Entry(first) => Target::Entry(first),
            Pair::Unknown => Target::Unknown,
        }
    }

    /// The only address, if there is but one.
    pub fn only(&self) -> Option<u64> {
        match self {
            Target::Known(addresses) => match **addresses {
                [address] => Some(address),
                _ => None,
            },
            _ => None,
        }
    }

    /// The addresses that it may be, as far as they are known one by one.
    pub fn addresses(&self) -> &[u64] {
        match self {
            Target::Known(addresses) | Target::Maybe(addresses) => addresses,
            _ => &[],
        }
    }
}

/// The facts that the walk needs besides the function.
pub(crate) struct Surroundings<'a> {
    /// 64-bit words in memory that hold an address of the program.
    pub pointers: &'a BTreeMap<u64, u64>,
    /// The registers that each function of the program writes, with its callees.
    pub written: &'a [RegisterSet],
    /// The addresses at which functions start.
    pub entries: &'a BTreeMap<u64, FunctionIndex>,
    /// First SGPR of the pairs in which calls of this program leave the return address.
    pub return_registers: &'a BTreeSet<u16>,
}

/// Walks the function from its entry, and from where control may come in otherwise.
pub(crate) fn follow(code: Code<'_>, blocks: &[Block], around: &Surroundings<'_>) -> Addresses {
    let mut sets = Sets::default();
    // A call that no earlier walk could resolve may have its target in registers by now, which a loop over it must not lose.
    let callee = |block: &Block, inst: Inst<&Decoded>, state: &State, sets: &Sets| match block.call
    {
        Some(Callee::Known(function)) => around.written.get(function),
        Some(Callee::Unknown) => {
            let target = Target::new(state, first_use(inst)?, sets).only()?;
            around.written.get(*around.entries.get(&target)?)
        }
        None => None,
    };
    let mut starts: Vec<Option<State>> = vec![None; blocks.len()];
    let mut found = Addresses::default();
    let Some(entry) = starts.first_mut() else {
        return found;
    };
    *entry = Some(State::at_entry());
    let mut todo: VecDeque<BlockIndex> = VecDeque::from([0]);
    // Nothing is known of registers where control comes in from anywhere; what the function did before stays possible.
    for (index, block) in blocks.iter().enumerate().skip(1) {
        if block.entered {
            starts[index] = Some(State::anywhere());
            todo.push_back(index);
        }
    }
    while let Some(index) = todo.pop_front() {
        let block = &blocks[index];
        let Some(mut state) = starts[index].clone() else {
            continue;
        };
        for inst in block.range().map(|index| code.at(index)) {
            let callee = callee(block, inst, &state, &sets);
            state.step(inst, around.pointers, callee, &mut sets);
        }
        for edge in &block.successors {
            let changed = match &mut starts[edge.to] {
                Some(start) => start.meet(&state, &mut sets),
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
            look(&state, index, inst, around, &mut found, &mut sets);
            let leaves = |leave: &Leave| *leave != Leave::End;
            let goes_out = index + 1 == block.end && block.leaves.iter().any(leaves);
            if goes_out && passes_return_on(&state, around.return_registers, &sets) {
                found.passes_return_on.insert(index);
            }
            handed.look(&state, inst, goes_out, around, &sets);
            let callee = callee(block, inst, &state, &sets);
            state.step(inst, around.pointers, callee, &mut sets);
        }
    }
    found.escaped.extend(handed.arguments());
    found.escaped.sort_unstable();
    found.escaped.dedup();
    found.near.sort_unstable();
    found.near.dedup();
    found
}

fn pair_from(index: u16) -> Reg {
    Reg {
        kind: RegKind::Sgpr,
        index,
        width: 2,
        half: None,
    }
}

fn passes_return_on(state: &State, registers: &BTreeSet<u16>, sets: &Sets) -> bool {
    let mut pairs = registers.iter();
    pairs.all(|&first| state.pair(pair_from(first), sets) == Pair::Entry(first))
}

/// Addresses in registers where control goes elsewhere: pairs by first register, and what they hold.
#[derive(Default)]
struct EscapingAddresses {
    held: BTreeSet<(u16, u64)>,
    /// The targets. The pair may be left over from an earlier call, or be there for a later one.
    targets: BTreeSet<(u16, u64)>,
    /// Possible targets: the addresses that the registers held before a call that may have kept them. GCC calls such an address again.
    again: BTreeSet<u64>,
}

impl EscapingAddresses {
    /// `goes_out`: control may go to other functions behind the instruction.
    fn look(
        &mut self,
        state: &State,
        inst: Inst<&Decoded>,
        goes_out: bool,
        around: &Surroundings<'_>,
        sets: &Sets,
    ) {
        let calls = inst.effects.contains(Effects::CALL);
        let through_register = inst.effects.contains(Effects::INDIRECT);
        let addresses = |index| match state.pair(pair_from(index), sets) {
            Pair::Addresses { of, .. } => sets.get(of),
            _ => &[],
        };
        let pairs = (0..SGPR_COUNT - 1).step_by(2);
        for first in pairs.filter(|_| calls || goes_out) {
            let held = addresses(first).iter().filter(|address| {
                // No convention passes functions there; places within functions know no conventions.
                first < FIRST_PRESERVED || !around.entries.contains_key(address)
            });
            self.held.extend(held.map(|address| (first, *address)));
        }
        let Some(reg) = first_use(inst).filter(|_| through_register) else {
            return;
        };
        if reg.kind == RegKind::Sgpr {
            let targets = addresses(reg.index).iter();
            self.targets
                .extend(targets.map(|address| (reg.index, *address)));
        }
        if let Some(left) = state.left(reg, sets) {
            self.again.extend(sets.get(left));
        }
    }

    /// The addresses that a callee may get, that a caller may get back, and that may be called again.
    fn arguments(&self) -> impl Iterator<Item = u64> + '_ {
        let held = self.held.difference(&self.targets);
        held.map(|(_, address)| address).chain(&self.again).copied()
    }
}

/// Moves, of which the state knows where they put an address.
const MOVES: &[Known] = &[
    Known::SMovB32,
    Known::SMovB64,
    Known::SCselectB32,
    Known::SCselectB64,
    Known::SCmovB32,
    Known::SCmovB64,
    Known::SSextI32I16,
    Known::VWritelaneB32,
    Known::VReadlaneB32,
    Known::VReadfirstlaneB32,
];

/// Returns `true` if the scalar unit combines bits of EXEC and others. The result is a mask of lanes, and so are the sources, although one may
/// be left over from an address: the first turn of a loop reads masks that nothing has set.
fn makes_masks(inst: Inst<&Decoded>) -> bool {
    let combines = |mask: LaneMask| mask.logic != Logic::Move;
    let is_exec = |reg: &Reg| reg.kind == RegKind::Exec;
    let named = |operand: &Operand| matches!(operand, Operand::Def(reg) | Operand::Use(reg) if is_exec(reg));
    let mut implicit = inst.implicit_defs.iter().chain(&inst.implicit_uses);
    inst.op.lane_mask().is_some_and(combines)
        && (inst.operands.iter().any(named) || implicit.any(is_exec))
}

fn look(
    state: &State,
    index: usize,
    inst: Inst<&Decoded>,
    around: &Surroundings<'_>,
    found: &mut Addresses,
    sets: &mut Sets,
) {
    if inst.effects.contains(Effects::INDIRECT) {
        let Some(reg) = first_use(inst) else { return };
        let target = Target::new(state, reg, sets);
        match &target {
            Target::Near(addresses) => found.near.extend(addresses),
            // One callee is known as such; several are called like any that a pointer may name.
            target if inst.effects.contains(Effects::CALL) && target.only().is_none() => {
                found.escaped.extend(target.addresses());
            }
            _ => {}
        }
        found.targets.insert(index, target);
        return;
    }
    if makes_masks(inst) {
        return;
    }
    let stores = inst.effects.intersects(Effects::STORE | Effects::ATOMIC);
    let moves = inst.op.known().is_some_and(|known| MOVES.contains(&known));
    if moves || inst.effects.contains(Effects::SMEM) && !stores {
        return;
    }
    let computes =
        inst.effects.intersects(Effects::SALU | Effects::VALU) && !inst.op.has(Traits::SELECTS);
    if computes && state.understands(inst, around.pointers, sets) {
        return;
    }
    let mut use_value = |value| match value {
        // A sum's carry is in the high half, so a low half alone says too much behind a jump backwards: the program has
        // no such address.
        Value::Part { of, .. } if computes => found.near.extend(sets.get(of)),
        Value::Part { of, .. } => found.escaped.extend(sets.get(of)),
        Value::Near { of, .. } => found.near.extend(sets.get(of)),
        _ => {}
    };
    for operand in &inst.operands {
        let Operand::Use(reg) = operand else { continue };
        if let Some(Span::Vector(start, count)) = Span::from_register(*reg) {
            state.lanes(start..start + count).for_each(&mut use_value);
        }
        for index in reg.index..reg.index + u16::from(reg.width).max(1) {
            use_value(state.get(Reg { index, ..*reg }));
        }
    }
}
