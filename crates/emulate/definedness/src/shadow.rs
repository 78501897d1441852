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
    moves::{Permutation, PermuteBits},
    plan::{Action, At, Condition, Plan, Scalar, Source, Unfollowed, Vector},
    report::{Found, Origin, OriginId, Use},
    rules::{Rule, all_if},
    state::Registers,
};

/// The state of one workgroup. The next one may have it afterwards.
#[derive(Default)]
pub(crate) struct Own {
    waves: Vec<Registers>,
    lds: Lds,
    view: View,
}

/// The states of so many workgroups are kept.
const MOST_SPARE: usize = 64;

/// Follows the waves of one workgroup.
pub(crate) struct OfWorkgroup {
    shared: Arc<Shared>,
    dispatch: Arc<Dispatch>,
    workgroup: [u32; 3],
    /// None while an instruction is looked at.
    plans: Option<Snapshot<Plan>>,
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
    fn before(&mut self, wave: &Wave, plan: u32) {
        let number = plan as usize;
        // Put back below: a count of references would cost more than most instructions.
        let plans = match self.plans.take() {
            Some(plans) if number < plans.len() => plans,
            _ => self.shared.plans.with(number),
        };
        let plan = &*plans[number];
        let mut scene = Scene {
            plan,
            exec: wave.exec(),
            wave,
            of: self,
        };
        match &plan.action {
            Action::Vector(vector) if plan.starts() => scene.start(vector),
            Action::Vector(vector) => {
                if let Some(result) = scene.vector(vector) {
                    scene.write(vector, result);
                }
            }
            Action::Dual(both) => {
                let results = both.each_ref().map(|half| scene.vector(half));
                for (half, result) in both.iter().zip(results) {
                    if let Some(result) = result {
                        scene.write(half, result);
                    }
                }
            }
            Action::Scalar(scalar) => scene.scalar(scalar),
            Action::Access(access) => scene.access(access),
            Action::Branch(condition, slots) => scene.branch(*condition, slots),
            Action::Unfollowed(unfollowed) => scene.unfollowed(unfollowed),
        }
        self.plans = Some(plans);
    }
}

/// The undefined bits of an instruction's result.
struct Outcome {
    rows: Vec<Row>,
    /// Lanes that write.
    mask: u64,
    /// Undefined bits of a mask or a scalar.
    scalar: u64,
    origin: Option<OriginId>,
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

    /// The instruction as an origin, if it starts something to follow.
    fn started(&self) -> Option<Origin> {
        let (pc, op) = (self.plan.pc, self.plan.op);
        (self.plan.starts()).then_some(Origin::Instruction { pc, op })
    }

    /// The result is undefined whatever the sources are.
    fn start(&mut self, vector: &Vector) {
        let on = if vector.ignores_exec { !0 } else { self.exec };
        let words = vector.destination.map_or(0, |(_, words)| words);
        let outcome = Outcome {
            rows: vec![ALL; words],
            mask: vector.writing(on),
            scalar: !0,
            origin: self
                .started()
                .map(|origin| self.of.shared.reports.id(origin)),
        };
        self.write(vector, outcome);
    }

    fn is_defined(&self, source: &Source) -> bool {
        let known = self.known();
        match source.at {
            At::Row(row) => (row..row + source.words).all(|row| known.is_defined(row)),
            At::Slot(slot) => (slot..slot + source.words).all(|slot| known.scalar(slot) == 0),
            At::Scc => !known.scc().0,
            At::Constant(_) => true,
        }
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
    fn row(&self, source: &Source, word: usize) -> (Row, Row) {
        let (mut values, mut bits) = match source.at {
            At::Row(row) => {
                let row = row + word.min(source.words - 1);
                let values = match row < self.wave.vector_rows() {
                    true => *self.wave.vgpr_row(row),
                    false => NONE,
                };
                (values, *self.known().row(row))
            }
            At::Slot(slot) => {
                let slot = slot + word.min(source.words - 1);
                let known = self.known();
                ([self.wave.sgpr(slot); LANES], [known.scalar(slot); LANES])
            }
            At::Constant(value) => ([(value >> (32 * word.min(1))) as u32; LANES], NONE),
            At::Scc => ([u32::from(self.wave.scc()); LANES], NONE),
        };
        if source.part != crate::moves::Part::WHOLE {
            values
                .iter_mut()
                .chain(&mut bits)
                .for_each(|word| *word = source.part.read(*word));
        }
        (values, bits)
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

    /// None if the usual happens: all that it takes is defined, and so is what it makes.
    fn vector(&mut self, vector: &Vector) -> Option<Outcome> {
        let mut mask = match vector.ignores_exec {
            true => !0,
            false => self.exec,
        };
        let defined = vector.sources.iter().all(|source| self.is_defined(source))
            && vector.mask.is_none_or(|slot| self.mask(slot).1 == 0)
            && !(vector.preserves
                && vector
                    .destination
                    .is_some_and(|(row, _)| !self.known().is_defined(row)));
        if defined
            && vector.dpp.is_none()
            && !matches!(
                vector.rule,
                Rule::Swap | Rule::WriteLane | Rule::Send | Rule::Permute(..)
            )
        {
            self.defines(vector, mask);
            return None;
        }
        let undefined = vector
            .sources
            .iter()
            .find(|source| !self.is_defined(source));
        let origin = match (undefined, vector.mask) {
            (Some(source), _) => Some(self.origin(source)),
            (None, Some(slot)) => Some(self.known().scalar_origin(slot)),
            _ => None,
        };
        let words = vector.destination.map_or(1, |(_, words)| words);
        let mut scalar = 0;
        let mut rows = match vector.rule {
            Rule::FirstLane | Rule::ReadLane => {
                scalar = self.one_lane(vector);
                Vec::new()
            }
            Rule::WriteLane => {
                let (lane, bits) = self.written_lane(vector);
                mask = 1 << lane;
                vec![[bits; LANES]]
            }
            Rule::Swap => {
                self.swap(vector);
                return None;
            }
            Rule::Permute(permutation, bits) => {
                vec![self.permuted(vector, permutation, bits, &mut mask)]
            }
            Rule::Send | Rule::Fetch => vec![self.through_lanes(vector)],
            _ => (0..words)
                .map(|word| self.result(vector, word, &mut mask))
                .collect(),
        };
        if vector.mask_destination.is_some() || vector.to_exec {
            let first = rows.first().copied().unwrap_or(NONE);
            scalar = lanes::set(&first) & self.exec;
            if matches!(vector.rule, Rule::Compare(_)) {
                rows.clear();
            }
        }
        Some(Outcome {
            rows,
            mask,
            scalar,
            origin,
        })
    }

    fn defines(&mut self, vector: &Vector, mask: u64) {
        let words = self.plan.mask_words;
        let registers = self.registers();
        if let Some((row, words)) = vector.destination {
            (row..row + words).for_each(|row| registers.define(row, mask));
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
        self.row(source, 0).1[lane].into()
    }

    fn written_lane(&self, vector: &Vector) -> (usize, u32) {
        let bits = vector
            .sources
            .first()
            .map_or(0, |source| self.row(source, 0).1[0]);
        (self.lane(vector.sources.get(1)), bits)
    }

    fn swap(&mut self, vector: &Vector) {
        let rows: Vec<usize> = vector
            .sources
            .iter()
            .filter_map(|source| match source.at {
                At::Row(row) => Some(row),
                _ => None,
            })
            .collect();
        let (exec, first) = (self.exec, vector.destination.map(|(row, _)| row));
        let (Some(one), Some(other)) =
            (first, rows.iter().copied().find(|row| Some(*row) != first))
        else {
            return;
        };
        let registers = self.registers();
        let (a, b) = (*registers.row(one), *registers.row(other));
        let (of_a, of_b) = (registers.origin(one), registers.origin(other));
        registers.set(one, &b, exec, Some(of_b));
        registers.set(other, &a, exec, Some(of_a));
    }

    /// The undefined bits of the results of `ds_bpermute_b32` and `ds_permute_b32`.
    fn through_lanes(&self, vector: &Vector) -> Row {
        let [to, data] = [0, 1].map(|at| {
            let source = vector.sources.get(at);
            source.map_or((NONE, NONE), |source| self.row(source, 0))
        });
        let size = self.wave.wave_size();
        let mut bits = NONE;
        for lane in each(self.exec) {
            let other = (to.0[lane] / 4 % size) as usize;
            let unknown = to.1[lane] >> 2 & (size - 1) != 0;
            match vector.rule {
                Rule::Fetch if unknown => bits[lane] = !0,
                // A lane that is off gives zero.
                Rule::Fetch if self.exec >> other & 1 == 0 => {}
                Rule::Fetch => bits[lane] = data.1[other],
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
        let taken = |at: usize| {
            let source = vector.sources.get(at);
            source.map_or((NONE, NONE), |source| self.row(source, 0))
        };
        let selectors = [1, 2].map(taken);
        let moves = permutation.moves(
            [&selectors[0].0, &selectors[1].0],
            bits,
            self.wave.wave_size(),
        );
        let (mut moved, writes) = moves.apply(&taken(0).1, self.exec);
        *mask &= writes;
        for (_, unknown) in &selectors[..permutation.selectors()] {
            for lane in each(*mask) {
                moved[lane] |= all_if(unknown[lane] != 0);
            }
        }
        moved
    }

    fn write(&mut self, vector: &Vector, outcome: Outcome) {
        let Outcome {
            rows,
            mask,
            scalar,
            origin,
        } = outcome;
        let origin =
            origin.filter(|_| scalar != 0 || rows.iter().any(|row| lanes::set(row) & mask != 0));
        if vector.to_exec && scalar != 0 {
            self.tell(
                Use::Condition,
                origin.unwrap_or_default(),
                scalar.trailing_zeros() as usize,
            );
        }
        let words = self.plan.mask_words;
        let registers = self.registers();
        if let Some((first, _)) = vector.destination {
            for (row, bits) in (first..).zip(&rows) {
                let mut bits = *bits;
                if vector.part != crate::moves::Part::WHOLE {
                    let old = *registers.row(row);
                    for lane in 0..LANES {
                        let kept = if vector.preserves { old[lane] } else { 0 };
                        bits[lane] = vector.part.write(kept, bits[lane]);
                    }
                }
                registers.set(row, &bits, mask, origin);
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
        let origin = self
            .started()
            .map(|origin| self.of.shared.reports.id(origin));
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
mod results;
mod scalars;
