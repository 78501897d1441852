//! The undefined bits of a workgroup, and what each instruction does to them.

use std::sync::Arc;

use compute::{Beginning, Snapshot};
use gpu::Dispatch;
use wave::{Shadow, Wave};

use crate::{
    Shared,
    access::{Access, Kind, Place},
    lanes::{self, ALL, LANES, NONE, Row, each},
    lds::Lds,
    lock,
    memory::View,
    moves::{Exchange, Part, Permutation, PermuteBits},
    plan::{Action, At, Condition, Listed, Plan, Scalar, Short, Source, Unfollowed, Vector},
    report::{Found, Origin, OriginId, Use},
    rules::{Reach, Rule, all_if},
    state::Registers,
    whole::Words,
};

/// The state of one workgroup. The next one may have it afterwards.
#[derive(Default)]
pub(crate) struct Own {
    waves: Vec<Registers>,
    lds: Lds,
    view: View,
    /// Room for results.
    rooms: Vec<Vec<Row>>,
}

/// The states of so many workgroups are kept.
const MOST_SPARE: usize = 64;

/// Follows the waves of one workgroup.
pub(crate) struct OfWorkgroup {
    shared: Arc<Shared>,
    dispatch: Arc<Dispatch>,
    workgroup: [u32; 3],
    /// None while an instruction is looked at.
    plans: Option<Snapshot<Listed>>,
    own: Own,
}

impl std::fmt::Debug for OfWorkgroup {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("OfWorkgroup")
    }
}

impl OfWorkgroup {
    pub fn new(shared: Arc<Shared>, beginning: &Beginning<'_>) -> OfWorkgroup {
        let spare = lock(&shared.spare).pop();
        let mut own = spare.unwrap_or_else(|| Own {
            view: View::new(),
            ..Own::default()
        });
        own.waves.resize_with(beginning.waves.len(), Registers::new);
        for (wave, registers) in beginning.waves.iter().zip(&mut own.waves) {
            if shared.inexact.is_some() {
                registers.begin(wave, usize::MAX, usize::MAX);
                continue;
            }
            let bytes = u64::from(wave.scratch_bytes_per_lane) * u64::from(wave.wave_size());
            if bytes != 0 {
                shared.memory.undefine(wave.scratch_base, bytes);
            }
            let (vectors, scalars) = (beginning.vector_registers, beginning.scalar_registers);
            registers.begin(wave, vectors, scalars);
        }
        own.lds.begin(beginning.lds_bytes);
        if shared.inexact.is_some() {
            own.lds.define_all();
        }
        OfWorkgroup {
            dispatch: beginning.dispatch.clone(),
            workgroup: beginning.workgroup,
            plans: Some(shared.plans.with(0)),
            own,
            shared,
        }
    }
}

impl Drop for OfWorkgroup {
    fn drop(&mut self) {
        let own = std::mem::take(&mut self.own);
        let mut spare = lock(&self.shared.spare);
        if spare.len() < MOST_SPARE {
            spare.push(own);
        }
    }
}

impl Shadow for OfWorkgroup {
    #[inline]
    fn before(&mut self, wave: &Wave, plan: u32) {
        let plans = self.plans.as_ref();
        if let Some(listed) = plans.and_then(|plans| plans.get(plan as usize)) {
            let is_done = match &listed.short {
                Short::Vector(quick) => {
                    let registers = &mut self.own.waves[wave.index_in_workgroup as usize];
                    registers.follow(quick, wave.exec())
                }
                Short::Words(words) => {
                    in_words(&mut self.own, &self.shared, wave, (words, &listed.plan))
                }
                Short::None => false,
            };
            if is_done {
                return;
            }
        }
        self.follow(wave, plan as usize);
    }
}

/// Returns `true` if no more happens than what [`Words::follow`] follows.
#[inline(never)]
fn in_words(own: &mut Own, shared: &Shared, wave: &Wave, (words, plan): (&Words, &Plan)) -> bool {
    let (row, lds) = (usize::from(words.row), &mut own.lds);
    if row >= wave.vector_rows() {
        return false;
    }
    let registers = &mut own.waves[wave.index_in_workgroup as usize];
    words.follow(
        registers,
        lds,
        (wave.vgpr_row(row), wave.exec()),
        |address| {
            let (pc, address) = (plan.pc, address.into());
            plan.origins
                .id(Origin::Lds { pc, address }, &shared.reports)
        },
    )
}

impl OfWorkgroup {
    /// Most instructions do not come here, and need none of the registers that this saves.
    #[inline(never)]
    fn follow(&mut self, wave: &Wave, number: usize) {
        // Put back below: a count of references would cost more than most instructions.
        let plans = match self.plans.take() {
            Some(plans) if number < plans.len() => plans,
            _ => self.shared.plans.with(number),
        };
        let mut scene = Scene {
            plan: &plans[number].plan,
            exec: wave.exec(),
            wave,
            of: self,
        };
        scene.follow();
        self.plans = Some(plans);
    }
}

/// The undefined bits of an instruction's result.
struct Outcome {
    rows: Vec<Row>,
    /// Instead of rows: lanes of which all bits are undefined, in all registers.
    full: Option<u64>,
    /// Lanes that write.
    mask: u64,
    /// Undefined bits of a mask or a scalar.
    scalar: u64,
    origin: Option<OriginId>,
}

/// Values and undefined bits by lane.
type Taken<'a> = (&'a Row, &'a Row);

/// Room for the rows of a source that do not lie anywhere.
#[derive(Default)]
struct Room {
    values: Option<Row>,
    bits: Option<Row>,
}

/// An instruction that a wave is about to execute.
struct Scene<'a> {
    plan: &'a Plan,
    exec: u64,
    wave: &'a Wave,
    of: &'a mut OfWorkgroup,
}

impl Scene<'_> {
    fn registers(&mut self) -> &mut Registers {
        &mut self.of.own.waves[self.wave.index_in_workgroup as usize]
    }

    fn known(&self) -> &Registers {
        &self.of.own.waves[self.wave.index_in_workgroup as usize]
    }

    fn tell(&self, used: Use, origin: OriginId, lane: usize) {
        let (pc, op, workgroup) = (self.plan.pc, self.plan.op, self.of.workgroup);
        let wave = self.wave.index_in_workgroup;
        let reports = &self.of.shared.reports;
        reports.tell(&self.of.dispatch, origin, |origin| Found {
            used,
            pc,
            op,
            origin,
            workgroup,
            wave,
            lane: lane as u32,
        });
    }

    fn follow(&mut self) {
        let plan = self.plan;
        match &plan.action {
            Action::Vector(vector) if plan.starts() => self.start(vector),
            Action::Vector(vector) => {
                if let Some(result) = self.vector(vector) {
                    self.write(vector, result);
                }
            }
            Action::Dual(both) => {
                let results = both.each_ref().map(|half| self.vector(half));
                for (half, result) in both.iter().zip(results) {
                    if let Some(result) = result {
                        self.write(half, result);
                    }
                }
            }
            Action::Scalar(scalar) => self.scalar(scalar),
            Action::Access(access) => self.access(access),
            Action::Branch(condition, slots) => self.branch(*condition, slots),
            Action::Unfollowed(unfollowed) => self.unfollowed(unfollowed),
        }
    }

    /// The number of an origin that this instruction brings.
    fn id(&self, origin: Origin) -> OriginId {
        self.plan.origins.id(origin, &self.of.shared.reports)
    }

    /// The instruction as an origin, if it starts something to follow.
    fn started(&self) -> Option<Origin> {
        let (pc, op) = (self.plan.pc, self.plan.op);
        (self.plan.starts()).then_some(Origin::Instruction { pc, op })
    }

    /// The result is undefined whatever the sources are.
    #[inline(never)]
    fn start(&mut self, vector: &Vector) {
        let on = if vector.ignores_exec { !0 } else { self.exec };
        let words = vector.destination.map_or(0, |(_, words)| words);
        let outcome = Outcome {
            rows: vec![ALL; words],
            full: None,
            mask: vector.writing(on),
            scalar: !0,
            origin: self.started().map(|origin| self.id(origin)),
        };
        self.write(vector, outcome);
    }

    /// Lanes in which a source has an undefined bit.
    #[inline]
    fn undefined_in(&self, source: &Source) -> u64 {
        let known = self.known();
        let all_if = |is_undefined: bool| u64::from(is_undefined).wrapping_neg();
        match source.at {
            At::Row(row) => {
                let rows = row..row + source.words;
                rows.fold(0, |all, row| all | known.undefined(row))
            }
            At::Slot(slot) => {
                let mut slots = slot..slot + source.words;
                all_if(slots.any(|slot| known.scalar(slot) != 0))
            }
            At::Scc => all_if(known.scc().0),
            At::Constant(_) => 0,
        }
    }

    fn is_defined(&self, source: &Source) -> bool {
        self.undefined_in(source) == 0
    }

    fn origin(&self, source: &Source) -> OriginId {
        let known = self.known();
        let words = 0..source.words;
        match source.at {
            At::Row(row) => {
                let found = words
                    .map(|word| row + word)
                    .find(|row| !known.is_defined(*row));
                known.origin(found.unwrap_or(row))
            }
            At::Slot(slot) => {
                let found = words
                    .map(|word| slot + word)
                    .find(|slot| known.scalar(*slot) != 0);
                known.scalar_origin(found.unwrap_or(slot))
            }
            At::Scc => known.scc().1,
            At::Constant(_) => OriginId::default(),
        }
    }

    /// Values and undefined bits of the `word`-th register of a source, by lane.
    fn row<'a>(&'a self, source: &Source, word: usize, room: &'a mut Room) -> Taken<'a> {
        let (values, bits) = match source.at {
            At::Row(row) => {
                let row = row + word.min(source.words - 1);
                let values = match row < self.wave.vector_rows() {
                    true => self.wave.vgpr_row(row),
                    false => &NONE,
                };
                if source.part == Part::WHOLE {
                    return (values, self.known().row(row, &mut room.bits));
                }
                let read = |row: &Row| row.map(|word| source.part.read(word));
                (read(values), read(self.known().row(row, &mut None)))
            }
            _ => {
                let (value, bits) = match source.at {
                    At::Slot(slot) => {
                        let slot = slot + word.min(source.words - 1);
                        (self.wave.sgpr(slot), self.known().scalar(slot))
                    }
                    At::Constant(value) => ((value >> (32 * word.min(1))) as u32, 0),
                    _ => (u32::from(self.wave.scc()), 0),
                };
                let value = [source.part.read(value); LANES];
                match source.part.read(bits) {
                    0 => return (room.values.insert(value), &NONE),
                    bits => (value, [bits; LANES]),
                }
            }
        };
        (room.values.insert(values), room.bits.insert(bits))
    }

    fn mask(&self, slot: usize) -> (u64, u64) {
        let known = self.known();
        let pair = |word: &dyn Fn(usize) -> u32| match self.plan.mask_words {
            2 => u64::from(word(slot)) | u64::from(word(slot + 1)) << 32,
            _ => u64::from(word(slot)),
        };
        (
            pair(&|slot| self.wave.sgpr(slot)),
            pair(&|slot| known.scalar(slot)),
        )
    }

    /// Returns `true` if all that an instruction takes is defined in the lanes of `mask`, and so is what it makes.
    #[inline]
    fn is_usual_vector(&self, vector: &Vector, mask: u64) -> bool {
        let takes_any_lane = match vector.rule {
            Rule::Swap(_) | Rule::WriteLane | Rule::Send(_) | Rule::Permute(..) => return false,
            Rule::FirstLane | Rule::ReadLane => true,
            _ => vector.dpp.is_some(),
        };
        let lanes = if takes_any_lane { !0 } else { mask };
        let own = vector.destination.filter(|_| vector.preserves);
        let known = self.known();
        let sources = vector.sources.iter();
        sources.fold(0, |all, source| all | self.undefined_in(source)) & lanes == 0
            && vector
                .mask
                .is_none_or(|slot| self.mask(slot).1 & lanes == 0)
            && own.is_none_or(|(row, _)| known.undefined(row) & lanes == 0)
    }

    /// None if the usual happens: all that it takes is defined, and so is what it makes.
    #[inline]
    fn vector(&mut self, vector: &Vector) -> Option<Outcome> {
        let mask = match vector.ignores_exec {
            true => !0,
            false => self.exec,
        };
        if self.is_usual_vector(vector, mask) {
            self.defines(vector, mask);
            return None;
        }
        self.unusual(vector, mask)
    }

    #[inline(never)]
    fn unusual(&mut self, vector: &Vector, mut mask: u64) -> Option<Outcome> {
        let undefined = vector
            .sources
            .iter()
            .find(|source| !self.is_defined(source));
        let origin = match (undefined, vector.mask) {
            (Some(source), _) => Some(self.origin(source)),
            (None, Some(slot)) => Some(self.known().scalar_origin(slot)),
            _ => None,
        };
        if let Some(lanes) = self.full_lanes(vector, mask) {
            return Some(Outcome {
                rows: Vec::new(),
                full: Some(lanes & mask),
                mask,
                scalar: match vector.mask_destination.is_some() || vector.to_exec {
                    true => lanes & self.exec,
                    false => 0,
                },
                origin,
            });
        }
        let words = vector.destination.map_or(1, |(_, words)| words);
        let mut scalar = 0;
        let mut rows = self.of.own.rooms.pop().unwrap_or_default();
        match vector.rule {
            Rule::FirstLane | Rule::ReadLane => scalar = self.one_lane(vector),
            Rule::WriteLane => {
                let (lane, bits) = self.written_lane(vector);
                mask = 1 << lane;
                rows.push([bits; LANES]);
            }
            Rule::Swap(exchange) => {
                self.swap(vector, exchange);
                return None;
            }
            Rule::Permute(permutation, bits) => {
                rows.push(self.permuted(vector, permutation, bits, &mut mask));
            }
            Rule::Send(reach) | Rule::Fetch(reach) => {
                rows.push(self.through_lanes(vector, reach));
            }
            _ => {
                rows.resize(words, NONE);
                for (word, bits) in rows.iter_mut().enumerate() {
                    self.result(vector, word, &mut mask, bits);
                }
            }
        }
        if vector.mask_destination.is_some() || vector.to_exec {
            let first = rows.first().copied().unwrap_or(NONE);
            scalar = lanes::set(&first) & self.exec;
            if matches!(vector.rule, Rule::Compare(_)) {
                rows.clear();
            }
        }
        Some(Outcome {
            rows,
            full: None,
            mask,
            scalar,
            origin,
        })
    }

    #[inline]
    fn defines(&mut self, vector: &Vector, mask: u64) {
        let words = self.plan.mask_words;
        let registers = self.registers();
        if let Some((row, words)) = vector.destination {
            let rows = row..row + words;
            let mask = match &vector.dpp {
                Some(_) if rows.clone().any(|row| !registers.is_defined(row)) => {
                    vector.writing(mask)
                }
                _ => mask,
            };
            rows.for_each(|row| registers.define(row, mask));
        }
        if let Some(slot) = vector.mask_destination {
            (slot..slot + words).for_each(|slot| registers.set_scalar(slot, 0, None));
        }
        if let Some(slot) = vector.scalar_destination {
            registers.set_scalar(slot, 0, None);
        }
    }

    /// The lane that an operand names.
    fn lane(&self, source: Option<&Source>) -> usize {
        let lane = match source.map(|source| source.at) {
            Some(At::Slot(slot)) => self.wave.sgpr(slot),
            Some(At::Constant(value)) => value as u32,
            _ => 0,
        };
        (lane % self.wave.wave_size()) as usize
    }

    fn one_lane(&self, vector: &Vector) -> u64 {
        let lane = match vector.rule {
            Rule::ReadLane => self.lane(vector.sources.get(1)),
            _ => self.exec.trailing_zeros() as usize % LANES,
        };
        let Some(source) = vector.sources.first() else {
            return 0;
        };
        self.row(source, 0, &mut Room::default()).1[lane].into()
    }

    fn written_lane(&self, vector: &Vector) -> (usize, u32) {
        let bits = vector
            .sources
            .first()
            .map_or(0, |source| self.row(source, 0, &mut Room::default()).1[0]);
        (self.lane(vector.sources.get(1)), bits)
    }

    fn swap(&mut self, vector: &Vector, exchange: Exchange) {
        let exec = self.exec;
        let Some((one, _)) = vector.destination else {
            return;
        };
        let others = vector.sources.iter().filter_map(|source| match source.at {
            At::Row(row) => Some((row, source.part)),
            _ => None,
        });
        let part = vector.part;
        let Some((other, of_other)) = others.clone().find(|place| *place != (one, part)) else {
            return;
        };
        let registers = self.registers();
        let [a, b] = [one, other].map(|row| *registers.row(row, &mut None));
        let (of_a, of_b) = (registers.origin(one), registers.origin(other));
        let (to_a, to_b) = exchange.apply(&a, &b, exec);
        let put = |registers: &mut Registers,
                   (row, to): (usize, Part),
                   (bits, from): (&Row, Part),
                   origin| {
            let old = *registers.row(row, &mut None);
            let new = std::array::from_fn(|lane| to.write(old[lane], from.read(bits[lane])));
            registers.set(row, &new, exec, Some(origin));
        };
        put(registers, (one, part), (&to_a, of_other), of_b);
        put(registers, (other, of_other), (&to_b, part), of_a);
    }

    /// The first register of a source; a source that is not there is a defined zero.
    fn source<'a>(&'a self, vector: &Vector, index: usize, room: &'a mut Room) -> Taken<'a> {
        let source = vector.sources.get(index);
        source.map_or((&NONE, &NONE), |source| self.row(source, 0, room))
    }

    /// The undefined bits of the results of `ds_bpermute_b32` and `ds_permute_b32`.
    fn through_lanes(&self, vector: &Vector, reach: Reach) -> Row {
        let mut rooms: [Room; 2] = Default::default();
        let [room, other] = &mut rooms;
        let [to, data] = [(0, room), (1, other)].map(|(at, room)| self.source(vector, at, room));
        let mut bits = NONE;
        for lane in each(self.exec) {
            let other = reach.lane(lane, to.0[lane]);
            let unknown = to.1[lane] >> 2 & (reach.lanes - 1) != 0;
            match vector.rule {
                Rule::Fetch(_) if unknown => bits[lane] = !0,
                // A lane that is off gives zero.
                Rule::Fetch(_) if self.exec >> other & 1 == 0 => {}
                Rule::Fetch(_) => bits[lane] = data.1[other],
                _ => bits[other] = data.1[lane],
            }
        }
        bits
    }

    /// The undefined bits of lanes that take the values of others; lanes that cannot keep theirs, and leave the mask.
    fn permuted(
        &self,
        vector: &Vector,
        permutation: Permutation,
        bits: PermuteBits,
        mask: &mut u64,
    ) -> Row {
        let [mut moved_room, mut room, mut other]: [Room; 3] = Default::default();
        let selectors = [(1, &mut room), (2, &mut other)];
        let selectors = selectors.map(|(at, room)| self.source(vector, at, room));
        let values = selectors.map(|(values, _)| values);
        let moves = permutation.moves(values, bits, self.wave.wave_size());
        let moved = self.source(vector, 0, &mut moved_room).1;
        let (mut moved, writes) = moves.apply(moved, self.exec);
        *mask &= writes;
        for (_, unknown) in &selectors[..permutation.selectors()] {
            for lane in each(*mask) {
                moved[lane] |= all_if(unknown[lane] != 0);
            }
        }
        moved
    }

    #[inline(never)]
    fn write(&mut self, vector: &Vector, outcome: Outcome) {
        let Outcome {
            mut rows,
            full,
            mask,
            scalar,
            origin,
        } = outcome;
        let origin = origin.filter(|_| {
            scalar != 0
                || full.is_some_and(|lanes| lanes != 0)
                || rows.iter().any(|row| lanes::set(row) & mask != 0)
        });
        if vector.to_exec && scalar != 0 {
            self.tell(
                Use::Condition,
                origin.unwrap_or_default(),
                scalar.trailing_zeros() as usize,
            );
        }
        let words = self.plan.mask_words;
        let registers = self.registers();
        if let Some((first, words)) = vector.destination {
            if let Some(lanes) = full {
                let rows = first..first + words;
                rows.for_each(|row| registers.set_full(row, lanes, mask, origin));
            }
            for (row, bits) in (first..).zip(&mut rows) {
                if vector.part != Part::WHOLE {
                    let old = *registers.row(row, &mut None);
                    for lane in 0..LANES {
                        let kept = if vector.preserves { old[lane] } else { 0 };
                        bits[lane] = vector.part.write(kept, bits[lane]);
                    }
                }
                registers.set(row, bits, mask, origin);
            }
        }
        if let Some(slot) = vector.mask_destination {
            for word in 0..words {
                registers.set_scalar(slot + word, (scalar >> (32 * word)) as u32, origin);
            }
        }
        if let Some(slot) = vector.scalar_destination {
            registers.set_scalar(slot, scalar as u32, origin);
        }
        if full.is_none() {
            rows.clear();
            self.of.own.rooms.push(rows);
        }
    }

    #[inline(never)]
    fn unfollowed(&mut self, unfollowed: &Unfollowed) {
        if !unfollowed.is_exact {
            self.of.shared.does_not_follow(self.plan.op.name());
        }
        if unfollowed.memory {
            self.of.shared.memory.give_up();
            self.of.own.lds.define_all();
        }
        let exec = self.exec;
        let origin = self.started().map(|origin| self.id(origin));
        let bits = if origin.is_some() { !0 } else { 0 };
        let registers = self.registers();
        if unfollowed.all_registers {
            registers.give_up();
        }
        let (rows, slots) = (&unfollowed.rows, &unfollowed.slots);
        rows.iter().for_each(|row| registers.define(*row, exec));
        slots
            .iter()
            .for_each(|slot| registers.set_scalar(*slot, bits, origin));
    }

    fn branch(&mut self, condition: Option<Condition>, slots: &[usize]) {
        match condition {
            None => {}
            Some(Condition::Scc) => {
                let (undefined, origin) = self.known().scc();
                if undefined {
                    self.tell(Use::Condition, origin, 0);
                    self.registers().set_scc(false, None);
                }
            }
            Some(Condition::Vcc) => {
                let vcc = usize::from(isa::numbers::VCC);
                let (values, bits) = self.mask(vcc);
                // A known one decides.
                if bits != 0 && values & !bits == 0 {
                    let origin = self.known().scalar_origin(vcc);
                    self.tell(Use::Condition, origin, bits.trailing_zeros() as usize);
                }
            }
            Some(Condition::Target(slot)) => self.scalar_address(&[slot, slot + 1]),
        }
        let registers = self.registers();
        slots
            .iter()
            .for_each(|slot| registers.set_scalar(*slot, 0, None));
    }

    /// Tells of undefined registers that are an address, and lets them be defined from now on.
    fn scalar_address(&mut self, slots: &[usize]) {
        let undefined = slots.iter().find(|slot| self.known().scalar(**slot) != 0);
        if let Some(slot) = undefined {
            self.tell(Use::Address, self.known().scalar_origin(*slot), 0);
            let registers = self.registers();
            slots
                .iter()
                .for_each(|slot| registers.set_scalar(*slot, 0, None));
        }
    }
}

mod accesses;
mod in_lds;
mod results;
mod scalars;
