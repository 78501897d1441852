//! Follows the waves of a workgroup.
//!
//! An instruction is shown before it is executed. Its results are noted, and looked at when the wave comes to the next one.

mod access;
mod sources;

use std::{collections::HashMap, sync::Arc};

use compute::{Beginning, Snapshot};
use gpu::Dispatch;
use wave::{Shadow, Wave};

use super::{
    Class, Found, Shared, Use,
    formats::{Format, Halves, Meaning, Numbers},
    step::Step,
    taints::{Taint, Taints},
};
use crate::{
    lanes::{LANES, Row, each},
    moves::Part,
    plan::{Action, At, Scalar, Source, Unfollowed, Vector},
    rules::Rule,
};

/// The taints of a workgroup's waves, and of what they have stored to LDS and to private memory, by dword.
pub(super) struct OfWorkgroup {
    shared: Arc<Shared>,
    dispatch: Arc<Dispatch>,
    workgroup: [u32; 3],
    /// None while an instruction is looked at.
    steps: Option<Snapshot<Step>>,
    waves: Vec<OfWave>,
    lds: HashMap<u32, Taint>,
    /// By wave, lane and dword.
    private: HashMap<(u32, u32, u32), Taint>,
}

struct OfWave {
    taints: Taints,
    /// The registers that the last instruction writes.
    written: Vec<Written>,
}

/// A register that an instruction writes.
struct Written {
    to: To,
    /// Lanes that write.
    mask: u64,
    how: How,
}

#[derive(Clone, Copy)]
enum To {
    Row(usize),
    Slot(usize),
}

/// The way in which a register gets its taint.
enum How {
    Nothing,
    /// The lane's own, if the value is no number.
    Lanes(Box<Row>),
    /// The taint of an equal word, in whatever lane it was.
    Words(Vec<(u32, Taint)>),
    Computed(Computed),
}

/// The result of an instruction that computes with numbers.
struct Computed {
    step: u32,
    format: Format,
    halves: Halves,
    /// The other half of the word stays.
    partial: bool,
    sources: sources::Gathered,
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
        });
        OfWorkgroup {
            waves: waves.collect(),
            dispatch: beginning.dispatch.clone(),
            workgroup: beginning.workgroup,
            steps: Some(shared.steps.with(0)),
            lds: HashMap::new(),
            private: HashMap::new(),
            shared,
        }
    }
}

impl Shadow for OfWorkgroup {
    fn before(&mut self, wave: &Wave, plan: u32) {
        let number = plan as usize;
        let steps = match self.steps.take() {
            Some(steps) if number < steps.len() => steps,
            _ => self.shared.steps.with(number),
        };
        let step = &*steps[number];
        self.waves[wave.index_in_workgroup as usize].look_back(wave);
        if step.is_left_out() {
            self.shared.does_not_look_at(step.plan.op.name());
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
            Action::Vector(vector) => scene.vector(vector, step.meanings[0]),
            Action::Dual(both) => {
                for (half, meaning) in both.iter().zip(step.meanings) {
                    scene.vector(half, meaning);
                }
            }
            Action::Scalar(scalar) => scene.scalar(scalar, step.meanings[0]),
            Action::Access(access) => scene.access(access),
            Action::Branch(_, slots) => scene.clear_slots(slots),
            Action::Unfollowed(unfollowed) => scene.unfollowed(unfollowed),
        }
        self.steps = Some(steps);
    }
}

impl OfWave {
    /// Looks at what the last instruction wrote.
    fn look_back(&mut self, wave: &Wave) {
        let OfWave { taints, written } = self;
        for one in written.drain(..) {
            match one.to {
                To::Row(row) => look_at_row(taints, wave, row, &one),
                To::Slot(slot) => {
                    let word = wave.sgpr(slot);
                    let taint = match &one.how {
                        How::Lanes(lanes) => Taint(lanes[0]).of_word(word),
                        How::Words(words) => equal(words, word),
                        How::Computed(computed) => {
                            computed.taint(0, computed.format.class(word, 0, computed.halves))
                        }
                        How::Nothing => Taint::NONE,
                    };
                    taints.set_slot(slot, taint);
                }
            }
        }
    }
}

fn equal(words: &[(u32, Taint)], word: u32) -> Taint {
    let known = words.iter().find(|(known, _)| *known == word);
    known.map_or(Taint::NONE, |(_, taint)| taint.of_word(word))
}

fn look_at_row(taints: &mut Taints, wave: &Wave, row: usize, written: &Written) {
    if row >= wave.vector_rows() {
        return;
    }
    let words = wave.vgpr_row(row);
    match &written.how {
        How::Nothing => taints.clear(row, written.mask),
        How::Lanes(lanes) => taints.set(row, written.mask, |lane| {
            Taint(lanes[lane]).of_word(words[lane])
        }),
        How::Words(known) => taints.set(row, written.mask, |lane| equal(known, words[lane])),
        How::Computed(computed) => {
            let double = computed.format == Format::Double && row > 0;
            let low = double.then(|| wave.vgpr_row(row - 1));
            let mut special = [Class::Number; LANES];
            let mut any = false;
            for lane in each(written.mask) {
                let low = low.map_or(0, |low| low[lane]);
                special[lane] = computed.format.class(words[lane], low, computed.halves);
                any |= special[lane] != Class::Number;
            }
            if !any && (taints.row(row).is_none() || computed.partial) {
                return;
            }
            let before = computed.partial.then(|| taints.row(row).copied()).flatten();
            taints.set(row, written.mask, |lane| {
                let new = computed.taint(lane, special[lane]);
                // A number in one half leaves the other half what it was.
                match (new.is_none(), &before) {
                    (true, Some(before)) => Taint(before[lane]).of_word(words[lane]),
                    _ => new,
                }
            });
        }
    }
}

impl Computed {
    /// The origin of a result of this class.
    fn taint(&self, lane: usize, class: Class) -> Taint {
        let bit = |mask: u64| mask >> lane & 1 != 0;
        let sources = &self.sources;
        let comes_from_outside = match class {
            Class::Number => return Taint::NONE,
            Class::Nan => bit(sources.nan),
            Class::Infinity => bit(sources.nan | sources.infinity),
        };
        if comes_from_outside {
            return Taint::NONE;
        }
        match sources.taint(lane) {
            Taint::NONE => Taint::new(self.step, self.format),
            known => known.with_format(self.format),
        }
    }
}

/// An instruction that a wave is about to execute.
struct Scene<'a> {
    step: &'a Step,
    number: u32,
    steps: &'a Snapshot<Step>,
    exec: u64,
    wave: &'a Wave,
    of: &'a mut OfWorkgroup,
}

/// Lanes that use a value that the same instruction made.
struct Uses {
    step: usize,
    value: Class,
    lane: usize,
    lanes: u32,
    address: Option<u64>,
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
                To::Row(_) => {}
            }
        }
        own.written.push(Written { to, mask, how });
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
        let mut all: Vec<Uses> = Vec::new();
        for lane in each(lanes & self.exec) {
            let (taint, value, address) = of(lane);
            if taint.is_none() || value == Class::Number {
                continue;
            }
            let step = taint.step();
            match all
                .iter_mut()
                .find(|one| (one.step, one.value) == (step, value))
            {
                Some(known) => known.lanes += 1,
                None => all.push(Uses {
                    step,
                    value,
                    lane,
                    lanes: 1,
                    address,
                }),
            }
        }
        for one in all {
            let found = Found {
                used,
                value: one.value,
                made: self.steps[one.step].plan.pc,
                pc: self.step.plan.pc,
                workgroup: self.of.workgroup,
                wave: self.wave.index_in_workgroup,
                lane: one.lane as u32,
                lanes: one.lanes,
                address: one.address,
            };
            self.of.shared.sink.met(&self.of.dispatch, &found);
        }
    }

    fn vector(&mut self, vector: &Vector, meaning: Meaning) {
        let exec = match vector.ignores_exec {
            true => !0,
            false => self.exec,
        };
        match meaning {
            Meaning::Computes(numbers) => match numbers.result {
                Some(format) => self.computes(vector, numbers, format, exec),
                None => self.compares(vector, numbers, exec),
            },
            Meaning::Bits => self.moves(vector, exec),
            Meaning::NotLookedAt => {
                let rows = vector
                    .destination
                    .map_or(0..0, |(row, words)| row..row + words);
                rows.for_each(|row| self.writes(To::Row(row), exec, How::Nothing));
            }
        }
        if let Some(slot) = vector.mask_destination {
            let slots: Vec<usize> = (slot..slot + self.step.plan.mask_words).collect();
            self.clear_slots(&slots);
        }
    }

    fn computes(&mut self, vector: &Vector, numbers: Numbers, format: Format, exec: u64) {
        let (sources, mask) = self.gather(&vector.sources, vector.dpp.as_deref(), numbers, exec);
        let Some((row, words)) = vector.destination else {
            // All that it takes and makes is in scalar registers.
            if let Some(slot) = vector.mask_destination {
                self.computes_scalar((slot, 1), numbers, format, sources.in_first_lane(exec));
            }
            return;
        };
        let (halves, partial) = match vector.part {
            Part {
                width: 16,
                shift: 16,
                ..
            } => (Halves::High, true),
            Part { width: 16, .. } => (Halves::Low, true),
            _ if numbers.packed => (Halves::Both, false),
            _ => (Halves::Low, false),
        };
        let computed = |sources| {
            How::Computed(Computed {
                step: self.number,
                format,
                halves,
                partial,
                sources,
            })
        };
        if format == Format::Double {
            let from = computed(sources);
            self.writes(To::Row(row), mask, How::Nothing);
            return self.writes(To::Row(row + 1), mask, from);
        }
        let all: Vec<How> = (0..words).map(|_| computed(sources.clone())).collect();
        for (row, from) in (row..).zip(all) {
            self.writes(To::Row(row), mask, from);
        }
    }

    fn compares(&mut self, vector: &Vector, numbers: Numbers, exec: u64) {
        let (sources, mask) = self.gather(&vector.sources, vector.dpp.as_deref(), numbers, exec);
        let lanes = sources.tainted_nan & mask;
        if lanes != 0 {
            self.tell(Use::Compared, lanes, |lane| {
                (sources.taint(lane), Class::Nan, None)
            });
        }
    }

    /// Its result is made of bits of its sources.
    fn moves(&mut self, vector: &Vector, exec: u64) {
        let from_lanes = vector.dpp.is_some()
            || matches!(
                vector.rule,
                Rule::FirstLane
                    | Rule::ReadLane
                    | Rule::WriteLane
                    | Rule::Swap
                    | Rule::AllLanes
                    | Rule::Fetch
                    | Rule::Send
            );
        let any = self.any_tainted(vector);
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
            self.writes(To::Row(row), mask, from);
        }
        if let (Rule::Swap, true) = (vector.rule, any) {
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

    fn computes_scalar(
        &mut self,
        (slot, words): (usize, usize),
        numbers: Numbers,
        format: Format,
        sources: sources::Gathered,
    ) {
        let halves = match numbers.packed {
            true => Halves::Both,
            false => Halves::Low,
        };
        for slot in slot..slot + words {
            let computed = Computed {
                step: self.number,
                format,
                halves,
                partial: false,
                sources: sources.clone(),
            };
            self.writes(To::Slot(slot), 1, How::Computed(computed));
        }
    }

    fn scalar(&mut self, scalar: &Scalar, meaning: Meaning) {
        if let Meaning::Computes(numbers) = meaning {
            // Lane 0 stands for all.
            let sources = self.gather(&scalar.sources, None, numbers, 1).0;
            match (numbers.result, scalar.destination) {
                (Some(format), Some(destination)) => {
                    self.computes_scalar(destination, numbers, format, sources);
                }
                (None, _) if sources.tainted_nan != 0 => {
                    let first = self.exec & self.exec.wrapping_neg();
                    self.tell(Use::Compared, first, |_| {
                        (sources.taint(0), Class::Nan, None)
                    });
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
