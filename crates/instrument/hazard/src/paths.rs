//! Missing waits along the paths that waves have taken: the scoreboard of [`crate::Scoreboard`] without alternatives.
//!
//! The set of operations that a wave has outstanding is a number. The effect of an instruction on such a number is
//! computed once and looked up from then on. The same holds of whole stretches of instructions: a stretch turns the
//! same number into the same number.

use crate::touch::{Halves, Touch};
use crate::waits::{Conflict, Facts, Operation};
use gfx::{Family, Target};
use isa::{Decoded, Effects, Inst, Traits};
use lift::{Access, Counter, Kind};
use smallvec::SmallVec;
use std::collections::HashMap;

/// An operation that a wave should have waited for, at addresses of its code.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Unwaited {
    pub conflict: Conflict,
    /// The instruction that issued the operation.
    pub producer: u64,
    /// The instruction that conflicts with it.
    pub consumer: u64,
    /// On which one would have to wait.
    pub counter: Counter,
    /// The register that both touch; none at barriers.
    pub register: Option<Halves>,
}

/// An operation that a wave has issued and not waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Issued {
    site: Site,
    /// The index of the operation among those of its instruction.
    slot: u8,
    /// Younger operations of its kind on its counter.
    age: u8,
    /// An instruction has conflicted with the operation. Later conflicts with it follow from the same bug.
    told: bool,
}

/// A store to LDS that was outstanding at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Stale {
    store: Site,
    barrier: Site,
    counter: Counter,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct State {
    /// Oldest first.
    issued: Vec<Issued>,
    stale: Option<Stale>,
}

/// An instruction at an address, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Site(u32);

/// The facts about one site.
#[derive(Debug)]
struct Known {
    pc: u64,
    /// None where there is no instruction.
    facts: Option<Facts>,
    /// Where control goes on, unless it may go elsewhere.
    behind: Option<u64>,
    /// Lanes that are off do not take part in it.
    needs_lanes: bool,
}

/// The number that an instruction leads to, with the findings on the way.
#[derive(Clone, Debug, Default)]
pub struct Step {
    pub next: u32,
    /// The findings by their numbers: see [`Paths::found`].
    pub found: SmallVec<[u32; 1]>,
}

/// The number of a wave with nothing outstanding, as all begin.
pub const NOTHING: u32 = 0;
/// More numbers than this are not kept.
const MOST_STATES: usize = 1 << 20;
/// Ages beyond every capacity are all the same.
const OLDEST: u8 = 64;

/// The paths of waves of one target and wave size.
#[derive(Debug)]
pub struct Paths {
    family: Family,
    wave_size: u8,
    numbers: HashMap<State, u32>,
    states: Vec<State>,
    steps: HashMap<(u32, Site, bool), Step>,
    sites: Vec<Known>,
    known: HashMap<(u64, Box<[u32]>), Site>,
    found: Vec<Unwaited>,
    found_before: HashMap<Unwaited, u32>,
    gave_up: bool,
}

impl Paths {
    pub fn new(target: &Target, wave_size: u8) -> Paths {
        Paths {
            family: target.family,
            wave_size,
            numbers: HashMap::from([(State::default(), NOTHING)]),
            states: vec![State::default()],
            steps: HashMap::new(),
            sites: Vec::new(),
            known: HashMap::new(),
            found: Vec::new(),
            found_before: HashMap::new(),
            gave_up: false,
        }
    }

    /// Returns `true` if there were more numbers than are kept: findings may be missing then.
    pub fn gave_up(&self) -> bool {
        self.gave_up
    }

    /// All that was found, by number.
    pub fn found(&self) -> &[Unwaited] {
        &self.found
    }

    /// The number of the instruction at an address, or of what is none. Other code at the same address is another site.
    pub fn site(&mut self, pc: u64, inst: Option<&Inst>) -> Site {
        let words = inst.map_or(&[][..], |inst| &inst.words[..usize::from(inst.size / 4)]);
        let key = (pc, Box::from(words));
        if let Some(site) = self.known.get(&key) {
            return *site;
        }
        let site = Site(self.sites.len() as u32);
        let leaves = Effects::BRANCH | Effects::CALL | Effects::RETURN | Effects::END;
        self.sites.push(Known {
            pc,
            facts: inst.map(|inst| facts(inst, self.wave_size, self.family)),
            behind: inst
                .filter(|inst| !inst.effects.intersects(leaves))
                .map(|inst| inst.end()),
            needs_lanes: inst.is_some_and(|inst| needs_lanes(inst)),
        });
        self.known.insert(key, site);
        site
    }

    /// A wave executes an instruction, with any lane on or none.
    pub fn step(&mut self, number: u32, site: Site, lanes: bool) -> &Step {
        let key = (number, site, lanes);
        if !self.steps.contains_key(&key) {
            let mut state = self.states[number as usize].clone();
            let found = self.execute(&mut state, site, lanes);
            let found = found.into_iter().map(|one| self.number_of(one)).collect();
            let next = self.number(state);
            self.steps.insert(key, Step { next, found });
        }
        &self.steps[&key]
    }

    /// Returns `true` if an instruction issues an operation whose results come later.
    pub fn issues(&self, site: Site, lanes: bool) -> bool {
        let operations = self.facts(site).into_iter();
        let mut operations = operations.flat_map(|facts| &facts.operations);
        operations.any(|one| one.is_kept(lanes))
    }

    /// How many operations of an instruction are outstanding that write registers.
    pub fn outstanding(&self, number: u32, site: Site) -> usize {
        let issued = self.states[number as usize].issued.iter();
        let mut slots = [0; 2];
        for one in issued.filter(|one| one.site == site) {
            slots[usize::from(one.slot).min(1)] += 1;
        }
        slots[0].max(slots[1])
    }

    /// The address behind an instruction, if control always goes on there.
    pub fn behind(&self, site: Site) -> Option<u64> {
        self.of(site).behind
    }

    fn of(&self, site: Site) -> &Known {
        &self.sites[site.0 as usize]
    }

    fn facts(&self, site: Site) -> Option<&Facts> {
        self.of(site).facts.as_ref()
    }

    /// Registers that an instruction writes some time after it was issued.
    pub fn results(&self, site: Site) -> impl Iterator<Item = Halves> {
        let facts = self.facts(site).into_iter();
        let operations = facts.flat_map(|facts| &facts.operations);
        // Both operations of a FLAT instruction name the same.
        operations
            .take(1)
            .flat_map(|one| one.writes.iter().copied())
    }

    fn number_of(&mut self, found: Unwaited) -> u32 {
        let next = self.found.len() as u32;
        let number = *self.found_before.entry(found.clone()).or_insert(next);
        if number == next {
            self.found.push(found);
        }
        number
    }

    fn number(&mut self, state: State) -> u32 {
        if let Some(number) = self.numbers.get(&state) {
            return *number;
        }
        if self.states.len() >= MOST_STATES {
            self.gave_up = true;
            return NOTHING;
        }
        let number = self.states.len() as u32;
        self.numbers.insert(state.clone(), number);
        self.states.push(state);
        number
    }

    fn operation(&self, one: &Issued) -> Option<&Operation> {
        let facts = self.facts(one.site)?;
        facts.operations.get(usize::from(one.slot))
    }

    fn execute(&self, state: &mut State, site: Site, lanes: bool) -> Vec<Unwaited> {
        let Some(facts) = self.facts(site) else {
            return Vec::new();
        };
        for &(counter, left) in &facts.waits {
            state.issued.retain(|one| {
                let operation = self.operation(one);
                operation.is_some_and(|of| of.counter != counter || !of.is_done(one.age, left))
            });
        }
        let takes_part = lanes || !self.of(site).needs_lanes;
        let mut found: Vec<Unwaited> = Vec::new();
        for one in &mut state.issued {
            let conflict = self
                .operation(one)
                .and_then(|operation| Some((operation, operation.conflict(facts, self.family)?)));
            let Some((operation, (conflict, register))) = conflict else {
                continue;
            };
            if one.told || !takes_part && register.is_vector() {
                continue;
            }
            one.told = true;
            found.push(Unwaited {
                conflict,
                producer: self.of(one.site).pc,
                consumer: self.of(site).pc,
                counter: operation.counter,
                register: Some(register),
            });
        }
        if facts.uses_lds || facts.flat {
            found.extend(state.stale.take().map(|stale| Unwaited {
                conflict: Conflict::Barrier,
                producer: self.of(stale.store).pc,
                consumer: self.of(stale.barrier).pc,
                counter: stale.counter,
                register: None,
            }));
        }
        if facts.barrier {
            state.stale = state.issued.iter().find_map(|one| {
                let operation = self.operation(one)?;
                let stores = operation.lds == Some(Conflict::Barrier);
                stores.then_some(Stale {
                    store: one.site,
                    barrier: site,
                    counter: operation.counter,
                })
            });
        }
        for (slot, operation) in facts.operations.iter().enumerate().take(2) {
            let capacity = operation.counter.capacity(self.family);
            state.issued.retain_mut(|one| {
                let Some(other) = self.operation(one) else {
                    return false;
                };
                if other.counter != operation.counter || other.kind != operation.kind {
                    return true;
                }
                one.age = (one.age + 1).min(OLDEST);
                !other.is_done(one.age, capacity)
            });
            if operation.is_kept(lanes) {
                state.issued.push(Issued {
                    site,
                    slot: slot as u8,
                    age: 0,
                    told: false,
                });
            }
        }
        found
    }
}

impl Operation {
    /// Returns `true` if an instruction could conflict with the operation while it is outstanding. Without active lanes, vector
    /// data is neither loaded nor stored.
    fn is_kept(&self, lanes: bool) -> bool {
        let scalar = matches!(self.kind, Kind::Scalar | Kind::Message);
        self.matters() && (lanes || scalar)
    }
}

/// Returns `true` if an instruction touches vector registers only for active lanes.
fn needs_lanes(inst: &Decoded) -> bool {
    let memory = Effects::VMEM | Effects::LDS | Effects::FLAT | Effects::SCRATCH;
    let across = Traits::CROSS_LANE | Traits::LANE_TO_SCALAR | Traits::SELECTS_LANE;
    let vector = inst.effects.intersects(memory | Effects::VALU);
    vector && !inst.effects.contains(Effects::MATRIX) && !inst.op.has(across)
}

fn facts(inst: &Decoded, wave_size: u8, family: Family) -> Facts {
    let access = Access::new(inst, wave_size, false);
    let mut touch = Touch::new(inst, &access);
    if access.indexed.vectors {
        // It is unknown which vector registers the instruction touches.
        touch.reads.retain(|run| !run.is_vector());
        touch.writes.retain(|run| !run.is_vector());
    }
    Facts::new(inst, touch, family)
}
