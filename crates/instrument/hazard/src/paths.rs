//! Missing waits along the paths that waves have taken: the scoreboard of [`crate::Scoreboard`] without alternatives.
//!
//! What is outstanding in a wave is a number. What an instruction makes of a number is found out once, and looked up from
//! then on: waves that do the same cost one look-up for each instruction.

use crate::touch::{Halves, Touch};
use crate::waits::{Conflict, Facts, Operation};
use gfx::{Family, Target};
use isa::{Decoded, Effects, Inst};
use lift::{Access, Counter};
use std::collections::{HashMap, HashSet};

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
    /// What both touch; none at barriers.
    pub register: Option<Halves>,
}

/// An operation that a wave has issued and not waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Issued {
    pc: u64,
    /// Which of the instruction's operations.
    slot: u8,
    /// Younger operations of its kind on its counter.
    age: u8,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct State {
    /// Oldest first.
    issued: Vec<Issued>,
    /// A store to LDS that was outstanding at a barrier, that barrier, and the store's counter.
    stale: Option<(u64, u64, Counter)>,
}

/// What is known of the instruction at an address.
#[derive(Debug)]
struct Known {
    facts: Facts,
    /// Where control goes on, unless it may go elsewhere.
    behind: Option<u64>,
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
    steps: HashMap<(u32, u64), u32>,
    known_code: HashMap<u64, Option<Known>>,
    /// Producers that were found, in a register or at a barrier: what comes behind the first conflict follows from it.
    known: HashSet<(u64, bool)>,
    found: Vec<Unwaited>,
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
            known_code: HashMap::new(),
            known: HashSet::new(),
            found: Vec::new(),
            gave_up: false,
        }
    }

    /// The code has changed. Numbers stay.
    pub fn forget_code(&mut self) {
        self.steps.clear();
        self.known_code.clear();
        self.known.clear();
    }

    /// Whether there were more numbers than are kept, so that something may have been missed.
    pub fn gave_up(&self) -> bool {
        self.gave_up
    }

    /// What was found since it was asked for last.
    pub fn take(&mut self) -> Vec<Unwaited> {
        std::mem::take(&mut self.found)
    }

    /// A wave executes the instruction at `pc`: its number from then on. `decode` is asked once for each instruction.
    pub fn step(&mut self, number: u32, pc: u64, decode: &mut dyn FnMut() -> Option<Inst>) -> u32 {
        if let Some(next) = self.steps.get(&(number, pc)) {
            return *next;
        }
        let (family, wave_size) = (self.family, self.wave_size);
        self.known_code.entry(pc).or_insert_with(|| {
            let inst = decode()?;
            let leaves = Effects::BRANCH | Effects::CALL | Effects::RETURN | Effects::END;
            Some(Known {
                facts: facts(&inst, wave_size, family),
                behind: (!inst.effects.intersects(leaves)).then(|| inst.end()),
            })
        });
        let mut state = self.states[number as usize].clone();
        self.execute(&mut state, pc);
        let next = self.number(state);
        self.steps.insert((number, pc), next);
        next
    }

    /// How many operations of the instruction at `pc` are outstanding that write registers.
    pub fn outstanding(&self, number: u32, pc: u64) -> usize {
        let issued = self.states[number as usize].issued.iter();
        let mut slots = [0; 2];
        for one in issued.filter(|one| one.pc == pc) {
            slots[usize::from(one.slot).min(1)] += 1;
        }
        slots[0].max(slots[1])
    }

    /// The address behind the instruction at `pc`, which was executed before, if control always goes on there.
    pub fn behind(&self, pc: u64) -> Option<u64> {
        self.known_code.get(&pc)?.as_ref()?.behind
    }

    fn facts(&self, pc: u64) -> Option<&Facts> {
        let known = self.known_code.get(&pc)?.as_ref()?;
        Some(&known.facts)
    }

    /// Registers that the instruction at `pc` writes some time after it was issued.
    pub fn results(&self, pc: u64) -> impl Iterator<Item = Halves> {
        let facts = self.facts(pc).into_iter();
        let operations = facts.flat_map(|facts| &facts.operations);
        // Both operations of a FLAT instruction name the same.
        operations
            .take(1)
            .flat_map(|one| one.writes.iter().copied())
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
        let facts = self.facts(one.pc)?;
        facts.operations.get(usize::from(one.slot))
    }

    fn execute(&mut self, state: &mut State, pc: u64) {
        let Some(facts) = self.facts(pc) else {
            return;
        };
        for &(counter, left) in &facts.waits {
            state.issued.retain(|one| {
                let operation = self.operation(one);
                operation.is_some_and(|of| of.counter != counter || !of.is_done(one.age, left))
            });
        }
        let mut found: Vec<Unwaited> = Vec::new();
        found.extend(state.issued.iter().filter_map(|one| {
            let operation = self.operation(one)?;
            let (conflict, register) = operation.conflict(facts, self.family)?;
            Some(Unwaited {
                conflict,
                producer: one.pc,
                consumer: pc,
                counter: operation.counter,
                register: Some(register),
            })
        }));
        if facts.uses_lds || facts.flat {
            found.extend(
                state
                    .stale
                    .take()
                    .map(|(producer, barrier, counter)| Unwaited {
                        conflict: Conflict::Barrier,
                        producer,
                        consumer: barrier,
                        counter,
                        register: None,
                    }),
            );
        }
        if facts.barrier {
            let stores = state.issued.iter().find_map(|one| {
                let operation = self.operation(one)?;
                let stores = operation.lds == Some(Conflict::Barrier);
                stores.then_some((one.pc, pc, operation.counter))
            });
            state.stale = stores;
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
            if operation.matters() {
                let slot = slot as u8;
                state.issued.push(Issued { pc, slot, age: 0 });
            }
        }
        for one in found {
            if self.known.insert((one.producer, one.register.is_none())) {
                self.found.push(one);
            }
        }
    }
}

fn facts(inst: &Decoded, wave_size: u8, family: Family) -> Facts {
    let access = Access::new(inst, wave_size, false);
    let mut touch = Touch::new(inst, &access);
    if access.indexed.vectors {
        // Which vector registers it touches, nobody knows.
        touch.reads.retain(|run| !run.is_vector());
        touch.writes.retain(|run| !run.is_vector());
    }
    Facts::new(inst, touch, family)
}
