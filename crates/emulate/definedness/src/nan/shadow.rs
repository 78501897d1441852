//! Follows the waves of a workgroup.
//!
//! An instruction is shown before it is executed. Its results are noted, and looked at when the wave comes to the next one.

mod access;
mod limits;
mod product;
mod results;
mod sources;

use std::{collections::HashMap, sync::Arc};

use compute::{Beginning, Snapshot};
use gpu::Dispatch;
use wave::{Shadow, Wave};

use super::{
    Found, Shared, Use, Value,
    formats::{Class, Format},
    meaning::{Meaning, Numbers},
    origins::Origin,
    step::Step,
    taints::{Taint, Taints},
};
use crate::{
    lanes::{LANES, NONE, Row, each},
    plan::{Action, At, Scalar, Source, Unfollowed, Vector},
    rules::Rule,
};
use results::{How, To, Written};
use sources::View;

/// The taints of a workgroup's waves, and of what they have stored to LDS and to private memory, by dword.
pub(super) struct OfWorkgroup {
    context: Context,
    /// None while an instruction is looked at.
    steps: Option<Snapshot<Arc<Step>>>,
    waves: Vec<OfWave>,
    lds: HashMap<u32, Taint>,
    /// By wave, lane and dword.
    private: HashMap<(u32, u32, u32), Taint>,
}

/// The listener for findings, and the place of each.
struct Context {
    shared: Arc<Shared>,
    dispatch: Arc<Dispatch>,
    workgroup: [u32; 3],
}

struct OfWave {
    taints: Taints,
    /// The registers that the last instruction writes.
    written: Vec<Written>,
    /// The number of that instruction, and EXEC before it.
    last: u32,
    exec: u64,
    /// The sources that it has overwritten, and how many there are. The lanes that the wave does not have are not copied.
    saved: Vec<Row>,
    saved_count: usize,
}

impl OfWave {
    /// Keeps the sources that an instruction is about to overwrite.
    fn save(&mut self, step: &Step, wave: &Wave) {
        let rows = step.overwritten.iter();
        let rows = rows.take_while(|row| **row < wave.vector_rows());
        self.saved_count = 0;
        for row in rows {
            if self.saved_count == self.saved.len() {
                self.saved.push(NONE);
            }
            let words = step.lanes(wave, *row);
            self.saved[self.saved_count][..words.len()].copy_from_slice(words);
            self.saved_count += 1;
        }
    }
}

impl std::fmt::Debug for OfWorkgroup {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("OfWorkgroup")
    }
}

impl OfWorkgroup {
    pub fn new(shared: Arc<Shared>, beginning: &Beginning<'_>) -> OfWorkgroup {
        let waves = beginning.waves.iter().map(|wave| OfWave {
            taints: Taints::new(wave.vector_rows()),
            written: Vec::new(),
            last: 0,
            exec: 0,
            saved: Vec::new(),
            saved_count: 0,
        });
        OfWorkgroup {
            waves: waves.collect(),
            steps: Some(shared.steps.with(0)),
            lds: HashMap::new(),
            private: HashMap::new(),
            context: Context {
                dispatch: beginning.dispatch.clone(),
                workgroup: beginning.workgroup,
                shared,
            },
        }
    }
}

impl Shadow for OfWorkgroup {
    fn before(&mut self, wave: &Wave, plan: u32) {
        let number = plan as usize;
        let steps = match self.steps.take() {
            Some(steps) if number < steps.len() => steps,
            _ => self.context.shared.steps.with(number),
        };
        let step = &*steps[number];
        let own = &mut self.waves[wave.index_in_workgroup as usize];
        own.look_back(wave, &steps, &self.context);
        // Most instructions have numbers alone, and nothing else is done for them.
        if !step.matters && !own.taints.any() && self.lds.is_empty() && self.private.is_empty() {
            self.steps = Some(steps);
            return;
        }
        if step.is_left_out() {
            self.context.shared.does_not_look_at(step.plan.op.name());
        }
        let mut scene = Scene {
            step,
            number: plan,
            steps: &steps,
            exec: wave.exec(),
            wave,
            of: self,
        };
        match &step.plan.action {
            Action::Vector(vector) => scene.vector(vector, 0),
            Action::Dual(both) => {
                for (half, vector) in both.iter().enumerate() {
                    scene.vector(vector, half);
                }
            }
            Action::Scalar(scalar) => scene.scalar(scalar, step.halves[0].meaning),
            Action::Access(access) => scene.access(access),
            Action::Branch(_, slots) => scene.clear_slots(slots),
            Action::Unfollowed(unfollowed) => scene.unfollowed(unfollowed),
        }
        self.steps = Some(steps);
    }
}

impl Context {
    /// Tells of lanes that use what `of` says: the taint, the class, and an address.
    fn tell(
        &self,
        (used, step, steps): (Use, &Step, &Snapshot<Arc<Step>>),
        wave: &Wave,
        lanes: u64,
        of: impl Fn(usize) -> (Taint, Class, Option<u64>),
    ) {
        let mut all: Vec<Found> = Vec::new();
        for lane in each(lanes) {
            let (taint, class, address) = of(lane);
            let Some(value) = Value::of(class).filter(|_| !taint.is_none()) else {
                continue;
            };
            let made = steps[taint.step()].plan.pc;
            match all
                .iter_mut()
                .find(|one| (one.made, one.value) == (made, value))
            {
                Some(known) => known.lanes += 1,
                None => all.push(Found {
                    used,
                    value,
                    made,
                    pc: step.plan.pc,
                    workgroup: self.workgroup,
                    wave: wave.index_in_workgroup,
                    lane: lane as u32,
                    lanes: 1,
                    address,
                }),
            }
        }
        for found in all {
            self.shared.sink.met(&self.dispatch, &found);
        }
    }
}

/// The half of its result's register that an instruction writes, if it leaves the other one.
fn half_of(vector: &Vector) -> Option<bool> {
    let is_half = vector.preserves && vector.part.width == 16;
    is_half.then_some(vector.part.shift == 16)
}

/// An instruction that a wave is about to execute.
struct Scene<'a> {
    step: &'a Step,
    number: u32,
    steps: &'a Snapshot<Arc<Step>>,
    exec: u64,
    wave: &'a Wave,
    of: &'a mut OfWorkgroup,
}

impl Scene<'_> {
    fn own(&mut self) -> &mut OfWave {
        &mut self.of.waves[self.wave.index_in_workgroup as usize]
    }

    fn taints(&self) -> &Taints {
        &self.of.waves[self.wave.index_in_workgroup as usize].taints
    }

    fn writes(&mut self, to: To, mask: u64, how: How) {
        let own = self.own();
        // Most instructions replace numbers by numbers.
        if matches!(how, How::Nothing) {
            match to {
                To::Row(row) if own.taints.row(row).is_none() => return,
                To::Slot(slot) => return own.taints.set_slot(slot, Taint::NONE),
                To::Row(_) | To::Rows(..) => {}
            }
        }
        own.written.push(Written { to, mask, how });
    }

    /// Adds the old taints of the half of a row that the instruction leaves. `written`: the half that it writes; `true` is the high one.
    fn beside(&self, row: usize, written: Option<bool>, how: How) -> How {
        let (Some(high), Some(old)) = (written, self.taints().row(row)) else {
            return how;
        };
        let mut lanes = match how {
            How::Nothing => Box::new(NONE),
            How::Lanes(lanes) => lanes,
            other => return other,
        };
        let words = self.wave.vgpr_row(row);
        for lane in 0..LANES {
            let taint = Taint(old[lane]);
            let kept = if high {
                words[lane] & 0xffff
            } else {
                words[lane] >> 16
            };
            // The low half of a single says nothing.
            let says = !high || taint.format() != Format::Single;
            if lanes[lane] == 0 && says && taint.class(kept, 0, 2) != Class::Number {
                lanes[lane] = taint.0;
            }
        }
        How::Lanes(lanes)
    }

    fn clear_slots(&mut self, slots: &[usize]) {
        slots
            .iter()
            .for_each(|slot| self.own().taints.set_slot(*slot, Taint::NONE));
    }

    fn unfollowed(&mut self, unfollowed: &Unfollowed) {
        let exec = self.exec;
        if unfollowed.all_registers {
            self.own().taints.clear_all();
        }
        for row in &unfollowed.rows {
            self.own().taints.clear(*row, exec);
        }
        self.clear_slots(&unfollowed.slots);
    }

    /// Tells of lanes of `exec` that use what `of` says: the taint, the class, and an address.
    fn tell(&self, used: Use, lanes: u64, of: impl Fn(usize) -> (Taint, Class, Option<u64>)) {
        let use_of = (used, self.step, self.steps);
        self.of
            .context
            .tell(use_of, self.wave, lanes & self.exec, of);
    }

    /// The sources before the instruction.
    fn view(&self) -> View<'_> {
        View {
            wave: self.wave,
            taints: self.taints(),
            saved: None,
        }
    }

    fn vector(&mut self, vector: &Vector, half: usize) {
        let exec = match vector.ignores_exec {
            true => !0,
            false => self.exec,
        };
        match self.step.halves[half].meaning {
            Meaning::Computes(numbers) => match numbers.result {
                Some(format) => self.computes(vector, (numbers, format), half, exec),
                None => self.compares(vector, numbers, exec),
            },
            Meaning::Multiplies => self.looks_back(How::Multiplied, vector, !0),
            Meaning::ToIntegers(..) => {
                if self.of.context.shared.wanted.saturated {
                    self.looks_back(How::Converted, vector, exec);
                } else {
                    self.moves(vector, exec);
                }
            }
            Meaning::Bits => self.moves(vector, exec),
            Meaning::Integers | Meaning::NotLookedAt => {
                let rows = vector
                    .destination
                    .map_or(0..0, |(row, words)| row..row + words);
                for row in rows {
                    let how = self.beside(row, half_of(vector), How::Nothing);
                    self.writes(To::Row(row), exec, how);
                }
            }
        }
        if let Some(slot) = vector.mask_destination {
            for slot in slot..slot + self.step.plan.mask_words {
                self.own().taints.set_slot(slot, Taint::NONE);
            }
        }
    }

    /// Looks at the registers of the result after the instruction, and at its sources if need be.
    fn looks_back(&mut self, how: How, vector: &Vector, mask: u64) {
        let Some((row, words)) = vector.destination else {
            return;
        };
        let (wave, step, number, exec) = (self.wave, self.step, self.number, self.exec);
        let own = self.own();
        (own.last, own.exec) = (number, exec);
        if own.written.is_empty() {
            own.save(step, wave);
        }
        let to = To::Rows(row, words);
        own.written.push(Written { to, mask, how });
    }

    fn computes(
        &mut self,
        vector: &Vector,
        (numbers, format): (Numbers, Format),
        half: usize,
        exec: u64,
    ) {
        if vector.destination.is_some() {
            return self.looks_back(How::Computed(half), vector, vector.writing(exec));
        }
        // All that it takes and makes is in scalar registers.
        if let Some(slot) = vector.mask_destination {
            let sources = self.view().of_vector(vector, &numbers, exec);
            let origin = sources.origin(exec.trailing_zeros() as usize % LANES);
            self.writes(To::Slot(slot), 1, How::Scalar(origin, self.number, format));
        }
    }

    fn compares(&mut self, vector: &Vector, numbers: Numbers, exec: u64) {
        if !self.taints().any() || !self.any_tainted(vector) {
            return;
        }
        let sources = self.view().of_vector(vector, &numbers, exec);
        self.tell(Use::Compared, vector.writing(exec), |lane| {
            let origin = sources.origin(lane);
            let class = match origin.tainted_nan {
                true => Class::Nan,
                false => Class::Number,
            };
            (origin.taint(), class, None)
        });
    }

    /// Its result is made of bits of its sources.
    fn moves(&mut self, vector: &Vector, exec: u64) {
        let from_lanes = vector.dpp.is_some() || vector.rule.moves_lanes();
        let any = self.taints().any() && self.any_tainted(vector);
        if let Some(slot) = vector.scalar_destination {
            let from = match any {
                true => How::Words(self.tainted_words(vector)),
                false => How::Nothing,
            };
            return self.writes(To::Slot(slot), 1, from);
        }
        let (first, words) = vector.destination.unwrap_or_default();
        for row in first..first + words {
            let (mask, from) = match (any, from_lanes) {
                (false, _) => (exec, How::Nothing),
                (_, true) => (!0, How::Words(self.tainted_words(vector))),
                _ => (exec, How::Lanes(self.own_lanes(vector, exec))),
            };
            let from = self.beside(row, half_of(vector), from);
            self.writes(To::Row(row), mask, from);
        }
        if let (Rule::Swap(_), true) = (vector.rule, any) {
            let words = self.tainted_words(vector);
            let others = vector.sources.iter().filter_map(|source| match source.at {
                At::Row(row) if row != first => Some(row),
                _ => None,
            });
            for row in others {
                self.writes(To::Row(row), !0, How::Words(words.clone()));
            }
        }
    }

    fn scalar(&mut self, scalar: &Scalar, meaning: Meaning) {
        if let Meaning::Computes(numbers) = meaning {
            // Lane 0 stands for all.
            let taken = (numbers.taken, numbers.count);
            let origin = self
                .view()
                .sources(&scalar.sources, None, taken, 1)
                .origin(0);
            match (numbers.result, scalar.destination) {
                (Some(format), Some((slot, words))) => {
                    for slot in slot..slot + words {
                        let how = How::Scalar(origin, self.number, format);
                        self.writes(To::Slot(slot), 1, how);
                    }
                }
                (None, _) if origin.tainted_nan => {
                    let first = self.exec & self.exec.wrapping_neg();
                    self.tell(Use::Compared, first, |_| (origin.taint(), Class::Nan, None));
                }
                _ => {}
            }
            return;
        }
        let taints = self.taints();
        let slots = scalar.sources.iter().flat_map(|source| match source.at {
            At::Slot(slot) => slot..slot + source.words,
            _ => 0..0,
        });
        let taint = slots
            .map(|slot| taints.slot(slot))
            .find(|one| !one.is_none());
        let from = |taint: Option<Taint>| match taint {
            Some(taint) => How::Lanes(Box::new([taint.0; LANES])),
            None => How::Nothing,
        };
        if let Some((slot, words)) = scalar.destination {
            for slot in slot..slot + words {
                self.writes(To::Slot(slot), 1, from(taint));
            }
        }
    }
}
