//! Code addresses in registers: values, sets of addresses, and the state of all registers at one place.

use crate::registers::{RegisterSet, Span, VCC};
use isa::{Decoded, Effects, Inst, Known, Operand, Reg, RegKind, Traits};
use std::collections::{BTreeMap, HashMap};

/// Addresses that one register is followed for; a register that may hold more of them holds anything.
const MOST_ADDRESSES: usize = 32;
/// Sets that one walk makes; registers that would need more hold anything. Functions of compilers make some hundreds. Assembly for
/// matrix products with many returns to many places made millions, of 9 GB.
const MOST_SETS: usize = 1 << 14;

/// Position of a set in [`Sets`].
pub(crate) type SetNumber = u32;

/// Sets of addresses, each stored once.
#[derive(Default)]
pub(crate) struct Sets {
    all: Vec<Vec<u64>>,
    numbers: HashMap<Vec<u64>, SetNumber>,
}

impl Sets {
    /// `None` if there are too many addresses, or sets.
    fn number(&mut self, mut addresses: Vec<u64>) -> Option<SetNumber> {
        addresses.sort_unstable();
        addresses.dedup();
        if addresses.len() > MOST_ADDRESSES {
            return None;
        }
        if let Some(&known) = self.numbers.get(&addresses) {
            return Some(known);
        }
        if self.all.len() == MOST_SETS {
            return None;
        }
        let number = self.all.len() as SetNumber;
        self.all.push(addresses.clone());
        self.numbers.insert(addresses, number);
        Some(number)
    }

    pub fn get(&self, set: SetNumber) -> &[u64] {
        &self.all[set as usize]
    }

    fn one(&mut self, address: u64) -> Option<SetNumber> {
        self.number(vec![address])
    }

    fn union(&mut self, left: SetNumber, right: SetNumber) -> Option<SetNumber> {
        let both = [self.get(left), self.get(right)].concat();
        self.number(both)
    }

    fn map(&mut self, set: SetNumber, change: impl Fn(u64) -> u64) -> Option<SetNumber> {
        let changed = self.get(set).iter().map(|address| change(*address));
        let changed = changed.collect();
        self.number(changed)
    }

    /// Returns `true` if the low 32 bits of both sets' addresses are the same.
    fn low_halves_agree(&self, left: SetNumber, right: SetNumber) -> bool {
        let low = |set: SetNumber| {
            let mut halves: Vec<u32> = self.get(set).iter().map(|at| *at as u32).collect();
            halves.sort_unstable();
            halves.dedup();
            halves
        };
        left == right || low(left) == low(right)
    }
}

/// The value of an SGPR, or of a lane of a VGPR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Unknown,
    /// More than is followed.
    Many,
    /// Half of one of these addresses of this program; of the low half's address only the low 32 bits count.
    /// `sure`: it is nothing else on any path.
    Part {
        of: SetNumber,
        high: bool,
        sure: bool,
    },
    /// The same before a call that may have overwritten it.
    Left {
        of: SetNumber,
        high: bool,
    },
    /// Half of one of these addresses plus a number that is not known.
    Near {
        of: SetNumber,
        high: bool,
    },
    /// The value that the register of that number held when the function was entered.
    Entry(u16),
    /// Half of an entry of the pointer table at an address.
    Entries {
        table: u64,
        high: bool,
    },
}

/// A 64-bit value in two SGPRs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pair {
    Unknown,
    /// One of these addresses; `sure`: nothing else.
    Addresses {
        of: SetNumber,
        sure: bool,
    },
    /// One of these plus a number that is not known.
    Near(SetNumber),
    /// The value that the pair of registers from that number held when the function was entered.
    Entry(u16),
}

/// The carry that an addition to a low half has left in SCC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Carry {
    None,
    /// The carry of a constant that was added to these addresses or subtracted from them.
    Of {
        from: SetNumber,
        addend: u32,
        minus: bool,
    },
    /// The carry of an unknown number; the sum is near these.
    Near(SetNumber),
}

/// SGPRs and, behind them, both halves of VCC: compilers call through VCC where no SGPRs are left.
const SGPRS: usize = VCC as usize + 2;

/// The number of the register in a [`State`], if values are followed there.
fn number(reg: Reg) -> Option<u16> {
    match Span::from_register(reg)? {
        Span::Scalar(number, _) => (usize::from(number) < SGPRS).then_some(number),
        Span::Vector(..) => None,
    }
}

/// SGPRs from here on are no arguments or results of calls: LLVM passes s0 to s29, GCC s24 to s29. A value that is read there
/// behind a call was there before it: LLVM preserves some of these registers, GCC all.
pub(crate) const FIRST_PRESERVED: u16 = 32;
/// First VGPR whose lanes may be preserved over calls.
const FIRST_PRESERVED_VGPR: u16 = 40;

/// The lane number that stands for every lane of a VGPR.
const EVERY_LANE: i64 = -1;

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct State {
    sgprs: [Value; SGPRS],
    carry: Carry,
    lanes: BTreeMap<(u16, i64), Value>,
}

/// The facts that two values have in common. The result never says more than `mine`, so that walks over loops end.
fn meet(sets: &mut Sets, mine: Value, theirs: Value) -> Value {
    use Value::{Left, Many, Near, Part, Unknown};
    if mine == theirs {
        return mine;
    }
    let half = |value| match value {
        Part { of, high, .. } | Left { of, high } | Near { of, high } => Some((of, high)),
        _ => None,
    };
    let (of, high) = match (half(mine), half(theirs)) {
        _ if mine == Many || theirs == Many => return Many,
        (None, None) => return Unknown,
        (Some(one), None) | (None, Some(one)) => one,
        (Some((left, high)), Some((right, other))) if high == other => {
            match sets.union(left, right) {
                Some(both) => (both, high),
                None => return Many,
            }
        }
        _ => return Many,
    };
    let either = |test: fn(&Value) -> bool| test(&mine) || test(&theirs);
    if either(|value| matches!(value, Near { .. })) {
        return Near { of, high };
    }
    if either(|value| matches!(value, Left { .. })) {
        return Left { of, high };
    }
    let sure = |value| matches!(value, Part { sure: true, .. });
    let sure = sure(mine) && sure(theirs);
    Part { of, high, sure }
}

impl State {
    pub fn at_entry() -> State {
        State {
            sgprs: std::array::from_fn(|index| match index as u16 {
                // No caller passes an address there.
                VCC.. => Value::Unknown,
                number => Value::Entry(number),
            }),
            carry: Carry::None,
            lanes: BTreeMap::new(),
        }
    }

    /// The state where control may come in from unknown places.
    pub fn anywhere() -> State {
        State {
            sgprs: [Value::Unknown; SGPRS],
            carry: Carry::None,
            lanes: BTreeMap::new(),
        }
    }

    /// Keeps what both agree on; says whether anything was lost.
    pub fn meet(&mut self, other: &State, sets: &mut Sets) -> bool {
        let mut changed = false;
        for (mine, theirs) in self.sgprs.iter_mut().zip(&other.sgprs) {
            let both = meet(sets, *mine, *theirs);
            changed |= both != *mine;
            *mine = both;
        }
        if self.carry != other.carry && self.carry != Carry::None {
            self.carry = Carry::None;
            changed = true;
        }
        let mut lanes = BTreeMap::new();
        for slot in self.lanes.keys().chain(other.lanes.keys()) {
            let of = |state: &State| state.lanes.get(slot).copied().unwrap_or(Value::Unknown);
            match meet(sets, of(self), of(other)) {
                Value::Unknown => {}
                both => drop(lanes.insert(*slot, both)),
            }
        }
        changed |= lanes != self.lanes;
        self.lanes = lanes;
        changed
    }

    pub fn get(&self, reg: Reg) -> Value {
        number(reg).map_or(Value::Unknown, |number| self.sgprs[usize::from(number)])
    }

    /// The values in lanes of VGPRs.
    pub fn lanes(&self, vgprs: std::ops::Range<u16>) -> impl Iterator<Item = Value> + '_ {
        let lanes = (self.lanes).range((vgprs.start, i64::MIN)..(vgprs.end, i64::MIN));
        lanes.map(|(_, value)| *value)
    }

    fn set(&mut self, index: u16, value: Value) {
        if let Some(slot) = self.sgprs.get_mut(usize::from(index)) {
            *slot = value;
        }
    }

    fn set_lane(&mut self, vgpr: u16, lane: i64, value: Value) {
        if value != Value::Unknown {
            self.lanes.insert((vgpr, lane), value);
            return;
        }
        self.lanes.remove(&(vgpr, lane));
        self.lanes.remove(&(vgpr, EVERY_LANE));
    }

    /// The values of a pair's halves.
    fn halves(&self, reg: Reg) -> (Value, Value) {
        let high = Reg {
            index: reg.index + 1,
            ..reg
        };
        (self.get(reg), self.get(high))
    }

    pub fn pair(&self, reg: Reg, sets: &Sets) -> Pair {
        use Value::{Near, Part};
        match self.halves(reg) {
            (
                Part {
                    of: low,
                    high: false,
                    sure: one,
                },
                Part {
                    of,
                    high: true,
                    sure: other,
                },
            ) if sets.low_halves_agree(low, of) => Pair::Addresses {
                of,
                sure: one && other,
            },
            (Near { high: false, .. } | Part { high: false, .. }, Near { of, high: true }) => {
                Pair::Near(of)
            }
            (Near { of, high: false }, Part { high: true, .. }) => Pair::Near(of),
            (Value::Entry(low), Value::Entry(high)) if high == low + 1 => Pair::Entry(low),
            _ => Pair::Unknown,
        }
    }

    /// The addresses that the pair still holds if callees preserve it.
    pub fn left(&self, reg: Reg, sets: &Sets) -> Option<SetNumber> {
        match self.halves(reg) {
            (
                Value::Left {
                    of: low,
                    high: false,
                },
                Value::Left { of, high: true },
            ) if sets.low_halves_agree(low, of) => Some(of),
            _ => None,
        }
    }

    /// The table whose entry the pair is.
    pub fn table(&self, reg: Reg) -> Option<u64> {
        match self.get(reg) {
            Value::Entries { table, high: false } => Some(table),
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
            let is_preserved = (FIRST_PRESERVED..VCC).contains(&(index as u16));
            if !is_preserved && !keeps_scalar(index) {
                *value = match *value {
                    Value::Part { of, high, .. } | Value::Left { of, high } => {
                        Value::Left { of, high }
                    }
                    Value::Many => Value::Many,
                    _ => Value::Unknown,
                };
            }
        }
        self.carry = Carry::None;
        self.lanes
            .retain(|(vgpr, _), _| *vgpr >= FIRST_PRESERVED_VGPR || keeps_vector(*vgpr));
    }

    pub fn step(
        &mut self,
        inst: Inst<&Decoded>,
        pointers: &BTreeMap<u64, u64>,
        callee: Option<&RegisterSet>,
        sets: &mut Sets,
    ) {
        if inst.effects.contains(Effects::CALL) {
            self.call(callee);
            // The address that it returns to.
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
        let result = def.and_then(|def| self.result(inst, def, pointers, sets));
        let carry = match result {
            Some(Outcome::Sum(_, carry)) => carry,
            _ => Carry::None,
        };
        let writes_scc = |reg: &Reg| reg.kind == RegKind::Scc;
        if inst.implicit_defs.iter().any(writes_scc) {
            self.carry = carry;
        }
        // Movrel writes a register that is not named.
        if inst.op.has(Traits::INDEXES_SCALARS) {
            self.sgprs = [Value::Unknown; SGPRS];
        }
        let named = inst.operands.iter().filter_map(|operand| match operand {
            Operand::Def(reg) => Some(*reg),
            _ => None,
        });
        let defs = named.chain(inst.implicit_defs.iter().copied());
        defs.for_each(|reg| self.forget(inst, reg));
        let (Some(def), Some(result)) = (def, result) else {
            return;
        };
        if let Outcome::Lane(lane, value) = result {
            self.set_lane(def.index, lane, value);
        }
        let Some(first) = number(def) else { return };
        match result {
            Outcome::Low(value) | Outcome::Sum(value, _) => self.set(first, value),
            Outcome::Both(low, high) => {
                self.set(first, low);
                self.set(first + 1, high);
            }
            Outcome::Lane(..) => {}
        }
    }

    fn forget(&mut self, inst: Inst<&Decoded>, reg: Reg) {
        match Span::from_register(reg) {
            Some(Span::Scalar(start, count)) => {
                for index in start..start + count {
                    self.set(index, Value::Unknown);
                }
            }
            Some(Span::Vector(start, count)) if !inst.op.is(Known::VWritelaneB32) => {
                self.lanes
                    .retain(|(vgpr, _), _| !(start..start + count).contains(vgpr));
            }
            _ => {}
        }
    }

    /// Returns `true` if the state says what the instruction makes of the addresses that it reads.
    pub fn understands(
        &self,
        inst: Inst<&Decoded>,
        pointers: &BTreeMap<u64, u64>,
        sets: &mut Sets,
    ) -> bool {
        let def = inst.operands.iter().find_map(|operand| match operand {
            Operand::Def(reg) => Some(*reg),
            _ => None,
        });
        def.is_some_and(|def| self.result(inst, def, pointers, sets).is_some())
    }

    fn result(
        &self,
        inst: Inst<&Decoded>,
        def: Reg,
        pointers: &BTreeMap<u64, u64>,
        sets: &mut Sets,
    ) -> Option<Outcome> {
        let address = |sets: &mut Sets, address| both(sets.one(address)?);
        match inst.op.known() {
            Some(Known::VWritelaneB32) => {
                let lane = last_constant(inst)?;
                let value = inst.operands.iter().find_map(|operand| match operand {
                    Operand::Use(reg) if number(*reg).is_some() => Some(self.get(*reg)),
                    _ => None,
                });
                return Some(Outcome::Lane(lane, value.unwrap_or(Value::Unknown)));
            }
            Some(Known::VMovB32) if def.kind == RegKind::Vgpr => {
                return Some(Outcome::Lane(EVERY_LANE, self.get(first_use(inst)?)));
            }
            _ if number(def).is_none() => return None,
            _ => {}
        }
        if inst.op.has(Traits::READS_PC) {
            return address(sets, inst.end());
        }
        match inst.op.known()? {
            Known::SAddU32 => self.low_sum(inst, false, sets),
            Known::SSubU32 => self.low_sum(inst, true, sets),
            Known::SAddcU32 => self.high_sum(inst, false, sets),
            Known::SSubbU32 => self.high_sum(inst, true, sets),
            // SCC is no carry behind these, so that the high half cannot be followed.
            known @ (Known::SAddI32 | Known::SSubI32) => {
                match self.low_sum(inst, known == Known::SSubI32, sets)? {
                    Outcome::Sum(Value::Part { of, .. } | Value::Near { of, .. }, _) => {
                        Some(Outcome::Low(Value::Near { of, high: false }))
                    }
                    _ => None,
                }
            }
            Known::SLshl1AddU32
            | Known::SLshl2AddU32
            | Known::SLshl3AddU32
            | Known::SLshl4AddU32 => {
                let base = inst.operands.iter().filter_map(used).nth(1)?;
                match self.get(base) {
                    Value::Part {
                        of, high: false, ..
                    }
                    | Value::Near { of, high: false } => {
                        let near = Value::Near { of, high: false };
                        Some(Outcome::Sum(near, Carry::Near(of)))
                    }
                    _ => None,
                }
            }
            Known::SAddNcU64 => self.wide_sum(inst, sets),
            // A program counter has 48 bits, so the sign extension of its high half changes nothing.
            Known::SSextI32I16 => match self.get(first_use(inst)?) {
                value @ (Value::Part { high: true, .. } | Value::Near { high: true, .. }) => {
                    Some(Outcome::Low(value))
                }
                _ => None,
            },
            Known::SMovB32 => Some(Outcome::Low(self.get(first_use(inst)?))),
            Known::SMovB64 => {
                let (low, high) = self.halves(first_use(inst)?);
                Some(Outcome::Both(low, high))
            }
            known @ (Known::SCselectB32 | Known::SCselectB64) => {
                let (one, other) = sources(inst)?;
                let halves = |source| match source {
                    Some(reg) => self.halves(reg),
                    None => (Value::Unknown, Value::Unknown),
                };
                let (one, other) = (halves(one), halves(other));
                let low = meet(sets, one.0, other.0);
                Some(match known {
                    Known::SCselectB32 => Outcome::Low(low),
                    _ => Outcome::Both(low, meet(sets, one.1, other.1)),
                })
            }
            Known::SCmovB32 => {
                let moved = first_use(inst).map_or(Value::Unknown, |reg| self.get(reg));
                Some(Outcome::Low(meet(sets, self.get(def), moved)))
            }
            Known::SCmovB64 => {
                let unknown = (Value::Unknown, Value::Unknown);
                let (low, high) = first_use(inst).map_or(unknown, |reg| self.halves(reg));
                let before = self.halves(def);
                let low = meet(sets, before.0, low);
                Some(Outcome::Both(low, meet(sets, before.1, high)))
            }
            Known::VReadlaneB32 => {
                let vgpr = first_use(inst)?.index;
                let lane = last_constant(inst)?;
                let value = (self.lanes.get(&(vgpr, lane)))
                    .copied()
                    .or_else(|| self.in_every_lane(vgpr))?;
                Some(Outcome::Low(value))
            }
            Known::VReadfirstlaneB32 => {
                let value = self.in_every_lane(first_use(inst)?.index)?;
                Some(Outcome::Low(value))
            }
            Known::SLoadDwordx2 => self.load(inst, pointers, sets),
            _ => None,
        }
    }

    /// The value that a move has put into all lanes that were on.
    fn in_every_lane(&self, vgpr: u16) -> Option<Value> {
        match *self.lanes.get(&(vgpr, EVERY_LANE))? {
            Value::Part { of, high, .. } => Some(Value::Part {
                of,
                high,
                sure: false,
            }),
            near @ Value::Near { .. } => Some(near),
            _ => None,
        }
    }

    /// A low half and a number.
    fn low_sum(&self, inst: Inst<&Decoded>, minus: bool, sets: &mut Sets) -> Option<Outcome> {
        let (left, right) = sources(inst)?;
        let is_low = |reg: Option<Reg>| match self.get(reg?) {
            value @ (Value::Part { high: false, .. } | Value::Near { high: false, .. }) => {
                Some(value)
            }
            _ => None,
        };
        let (base, other) = match (is_low(left), is_low(right)) {
            // A distance between two addresses.
            (Some(_), Some(_)) if minus => {
                return Some(Outcome::Sum(Value::Unknown, Carry::None));
            }
            (Some(base), None) => (base, right),
            (None, Some(base)) if !minus => (base, left),
            _ => return None,
        };
        let addend = match other {
            Some(_) => None,
            None => Some(constant(inst)?),
        };
        match (base, addend) {
            (Value::Part { of, sure, .. }, Some(addend)) => {
                let of_sum = sets.map(of, |address| plus(address, u64::from(addend), minus))?;
                let carry = Carry::Of {
                    from: of,
                    addend,
                    minus,
                };
                let value = Value::Part {
                    of: of_sum,
                    high: false,
                    sure,
                };
                Some(Outcome::Sum(value, carry))
            }
            (Value::Near { of, .. }, Some(addend)) => {
                let of = sets.map(of, |address| plus(address, u64::from(addend), minus))?;
                Some(Outcome::Sum(
                    Value::Near { of, high: false },
                    Carry::Near(of),
                ))
            }
            (Value::Part { of, .. } | Value::Near { of, .. }, None) => Some(Outcome::Sum(
                Value::Near { of, high: false },
                Carry::Near(of),
            )),
            _ => None,
        }
    }

    /// A high half, a number and the carry.
    fn high_sum(&self, inst: Inst<&Decoded>, minus: bool, sets: &mut Sets) -> Option<Outcome> {
        let (left, right) = sources(inst)?;
        let is_high = |reg: Option<Reg>| match self.get(reg?) {
            value @ (Value::Part { high: true, .. } | Value::Near { high: true, .. }) => {
                Some(value)
            }
            _ => None,
        };
        let (value, other) = match (is_high(left), is_high(right)) {
            (Some(value), None) => (value, right),
            (None, Some(value)) => (value, left),
            (Some(_), Some(_)) if minus => {
                return Some(Outcome::Low(Value::Unknown));
            }
            _ => return None,
        };
        let addend = match other {
            Some(_) => None,
            None => Some(u64::from(constant(inst)?) << 32),
        };
        match (self.carry, value, addend) {
            (
                Carry::Of {
                    from,
                    addend: low,
                    minus: was_minus,
                },
                Value::Part { of, sure, .. },
                Some(addend),
            ) if from == of && minus == was_minus => {
                let sum = |address| plus(plus(address, low.into(), minus), addend, minus);
                Some(Outcome::Low(Value::Part {
                    of: sets.map(of, sum)?,
                    high: true,
                    sure,
                }))
            }
            (Carry::Near(of), _, Some(addend)) => Some(Outcome::Low(Value::Near {
                of: sets.map(of, |address| plus(address, addend, minus))?,
                high: true,
            })),
            (Carry::Near(of), _, None) | (_, Value::Part { of, .. }, None) => {
                Some(Outcome::Low(Value::Near { of, high: true }))
            }
            _ => None,
        }
    }

    /// A pair and a number of 64 bits.
    fn wide_sum(&self, inst: Inst<&Decoded>, sets: &mut Sets) -> Option<Outcome> {
        let near = |of| {
            Outcome::Both(
                Value::Near { of, high: false },
                Value::Near { of, high: true },
            )
        };
        let (left, right) = sources(inst)?;
        let pair = |reg: Option<Reg>| reg.map_or(Pair::Unknown, |reg| self.pair(reg, sets));
        let (value, other) = match (pair(left), pair(right)) {
            (value @ (Pair::Addresses { .. } | Pair::Near(_)), _) => (value, right),
            (_, value) => (value, left),
        };
        match (value, other) {
            (Pair::Addresses { of, sure }, None) => {
                let addend = i64::from(constant(inst)? as i32);
                let of = sets.map(of, |address| address.wrapping_add_signed(addend))?;
                let half = |high| Value::Part { of, high, sure };
                Some(Outcome::Both(half(false), half(true)))
            }
            (Pair::Near(of), None) => {
                let addend = i64::from(constant(inst)? as i32);
                Some(near(
                    sets.map(of, |address| address.wrapping_add_signed(addend))?,
                ))
            }
            (Pair::Addresses { of, .. } | Pair::Near(of), Some(_)) => Some(near(of)),
            _ => None,
        }
    }

    /// A pointer from the global offset table, or any pointer of a table at a known address.
    fn load(
        &self,
        inst: Inst<&Decoded>,
        pointers: &BTreeMap<u64, u64>,
        sets: &mut Sets,
    ) -> Option<Outcome> {
        let (of, exact) = match self.pair(first_use(inst)?, sets) {
            Pair::Addresses { of, sure: true } => (of, true),
            Pair::Near(of) => (of, false),
            _ => return None,
        };
        let &[base] = sets.get(of) else { return None };
        let uses = inst
            .operands
            .iter()
            .filter(|operand| matches!(operand, Operand::Use(reg) if reg.kind != RegKind::Null));
        let offset = inst.operands.iter().find_map(|operand| match operand {
            Operand::Imm(value) => Some(*value),
            _ => None,
        });
        let place = base.wrapping_add_signed(offset.unwrap_or(0));
        if uses.count() > 1 || !exact {
            let half = |high| Value::Entries { table: place, high };
            let is_table = pointers.contains_key(&place);
            return is_table.then(|| Outcome::Both(half(false), half(true)));
        }
        both(sets.one(*pointers.get(&place)?)?)
    }
}

#[derive(Clone, Copy)]
enum Outcome {
    Low(Value),
    /// A sum, and the carry that it leaves in SCC.
    Sum(Value, Carry),
    Both(Value, Value),
    Lane(i64, Value),
}

fn plus(address: u64, addend: u64, minus: bool) -> u64 {
    match minus {
        true => address.wrapping_sub(addend),
        false => address.wrapping_add(addend),
    }
}

/// Both halves of an address.
fn both(of: SetNumber) -> Option<Outcome> {
    let half = |high| Value::Part {
        of,
        high,
        sure: true,
    };
    Some(Outcome::Both(half(false), half(true)))
}

fn used(operand: &Operand) -> Option<Reg> {
    match operand {
        Operand::Use(reg) => Some(*reg),
        _ => None,
    }
}

/// The first register that an instruction names as a source.
pub(crate) fn first_use(inst: Inst<&Decoded>) -> Option<Reg> {
    inst.operands.iter().find_map(used)
}

/// Both sources: registers, or else numbers.
fn sources(inst: Inst<&Decoded>) -> Option<(Option<Reg>, Option<Reg>)> {
    let mut sources = inst
        .operands
        .iter()
        .filter(|operand| !matches!(operand, Operand::Def(_)))
        .map(used);
    Some((sources.next()?, sources.next()?))
}

/// The only constant among the sources.
fn constant(inst: Inst<&Decoded>) -> Option<u32> {
    let mut constants = inst.operands.iter().filter_map(|operand| match operand {
        Operand::Imm(value) => Some(*value as u32),
        _ => None,
    });
    constants.next()
}

fn last_constant(inst: Inst<&Decoded>) -> Option<i64> {
    let constants = inst.operands.iter().rev();
    constants
        .filter_map(|operand| match operand {
            Operand::Imm(value) => Some(*value),
            _ => None,
        })
        .next()
}
