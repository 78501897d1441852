//! Memory operations that may be on their way at each instruction, and the registers they will write or still read.
//!
//! Forward over blocks, per counter in the manner of a scoreboard: an operation's age is the least number of operations
//! issued behind it on its counter. A wait for N finishes those of age N and more, if all operations on the counter finish
//! in order; otherwise only a wait for 0 finishes any. A device function starts with everything on its way, and so does the
//! code behind a call of unknown code.

use crate::counters::Kind;
use crate::function::{BlockIndex, Callee, EdgeKind, Function, FunctionIndex, InstIndex, Leave};
use crate::inst_flags::InstFlags;
use crate::liveness::callees;
use crate::program::FunctionKind;
use crate::registers::{RegisterSet, Span};
use gfx::Family;
use isa::{COUNTERS, Counter, Effects};
use std::sync::OnceLock;

/// Registers of one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    counter: Counter,
    /// The registers are read, not written.
    reads: bool,
    vector: bool,
    start: u16,
    count: u16,
}

/// Age of the youngest operation with some registers; in order, as there are few and they are copied often.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Operations(Vec<(Key, u8)>);

impl Operations {
    fn keys(&self) -> impl Iterator<Item = &Key> {
        self.0.iter().map(|(key, _)| key)
    }

    /// The age of an operation, which is entered if it is not there.
    fn entry(&mut self, key: Key, new: u8) -> &mut u8 {
        let place = self.0.binary_search_by_key(&key, |(key, _)| *key);
        let place = place.unwrap_or_else(|place| {
            self.0.insert(place, (key, new));
            place
        });
        &mut self.0[place].1
    }

    fn retain(&mut self, mut keep: impl FnMut(&Key, u8) -> bool) {
        self.0.retain(|(key, age)| keep(key, *age));
    }
}

/// The operations that may be on their way at one place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    /// Age of the youngest operation with these registers.
    operations: Operations,
    /// Kinds of all outstanding operations, with registers or without, as bits, per counter.
    kinds: [u16; COUNTERS.len()],
    /// Counters with operations that we know nothing of.
    unknown: u8,
}

/// Ages beyond the largest count that a wait can name are all the same.
const OLDEST: u8 = 64;

impl Pending {
    /// Anything at all may be on its way.
    pub fn everything(family: Family) -> Pending {
        let mut pending = Pending::default();
        for counter in Counter::of_family(family) {
            pending.kinds[*counter as usize] = u16::MAX;
            pending.unknown |= 1 << *counter as u8;
        }
        pending
    }

    /// Registers that an operation may still write.
    pub fn written(&self) -> RegisterSet {
        let reading = 1 << Counter::Store as u8 | 1 << Counter::Export as u8;
        self.collect(|key| !key.reads, self.unknown & !reading != 0)
    }

    /// Registers that an operation may still write, for which one has to wait on `counter`.
    pub fn written_by(&self, counter: Counter) -> RegisterSet {
        let unknown = self.unknown >> counter as u8 & 1 == 1;
        self.collect(|key| !key.reads && key.counter == counter, unknown)
    }

    /// Registers that an operation may still read (exports and global data share).
    pub fn read(&self) -> RegisterSet {
        self.collect(
            |key| key.reads,
            self.unknown >> Counter::Export as u8 & 1 == 1,
        )
    }

    fn collect(&self, wanted: impl Fn(&Key) -> bool, everything: bool) -> RegisterSet {
        if everything {
            return RegisterSet::EVERYTHING;
        }
        let mut set = RegisterSet::default();
        for key in self.operations.keys().filter(|key| wanted(key)) {
            set.insert(if key.vector {
                Span::Vector(key.start, key.count)
            } else {
                Span::Scalar(key.start, key.count)
            });
        }
        set
    }

    /// Returns `true` if any operation on the counter may be outstanding.
    pub fn is_outstanding(&self, counter: Counter) -> bool {
        self.kinds[counter as usize] != 0
    }

    /// Returns `true` if nothing known or unknown may be outstanding on any counter.
    pub fn is_empty(&self) -> bool {
        self.kinds == [0; COUNTERS.len()]
    }

    fn unite(&mut self, other: &Pending) -> bool {
        let mut changed = false;
        for (key, age) in &other.operations.0 {
            let mine = self.operations.entry(*key, u8::MAX);
            if age < mine {
                *mine = *age;
                changed = true;
            }
        }
        for (mine, theirs) in self.kinds.iter_mut().zip(other.kinds) {
            changed |= theirs & !*mine != 0;
            *mine |= theirs;
        }
        changed |= other.unknown & !self.unknown != 0;
        self.unknown |= other.unknown;
        changed
    }

    /// From before an instruction to behind it.
    fn step(&mut self, function: &Function, index: InstIndex) {
        let Some(counts) = function.insts.counts(index) else {
            return;
        };
        for &(counter, left) in &counts.awaited {
            self.wait(counter, left);
        }
        for &(counter, kind) in &counts.raised {
            let access = function.access(index);
            self.kinds[counter as usize] |= 1 << kind as u16;
            for (key, age) in &mut self.operations.0 {
                if key.counter == counter {
                    *age = age.saturating_add(1).min(OLDEST);
                }
            }
            let reads = counter == Counter::Export;
            let spans: &[Span] = match (reads, kind) {
                (true, _) => &access.reads,
                // The message's answer comes by `s_sendmsg_rtn`, which writes a register; SCC and the like are not results.
                (false, Kind::Message) if !is_message(function, index) => &[],
                (false, _) => &access.writes,
            };
            for span in spans {
                let (vector, start, count) = match *span {
                    Span::Scalar(start, count) => (false, start, count),
                    Span::Vector(start, count) => (true, start, count),
                };
                let key = Key {
                    counter,
                    reads,
                    vector,
                    start,
                    count,
                };
                *self.operations.entry(key, 0) = 0;
            }
        }
    }

    fn wait(&mut self, counter: Counter, left: u32) {
        let kinds = self.kinds[counter as usize];
        if left == 0 {
            self.operations.retain(|key, _| key.counter != counter);
            self.kinds[counter as usize] = 0;
            self.unknown &= !(1 << counter as u8);
            return;
        }
        let in_order_kinds = (1u16 << (Kind::Export as u16 + 1)) - 1;
        debug_assert!(Kind::Export.in_order() && !Kind::Gds.in_order());
        if kinds.count_ones() == 1 && kinds & in_order_kinds != 0 {
            self.operations
                .retain(|key, age| key.counter != counter || u32::from(age) < left);
        }
    }
}

fn is_message(function: &Function, index: InstIndex) -> bool {
    let effects = function.insts.at(index).effects;
    effects.contains(Effects::SENDMSG)
}

/// Results for one function.
#[derive(Clone, Debug)]
pub struct PendingOperations {
    starts: Vec<Pending>,
}

impl PendingOperations {
    /// The operations that may be on their way before the first instruction of a block.
    pub fn at_start(&self, block: BlockIndex) -> &Pending {
        &self.starts[block]
    }

    /// The operations that may be on their way before an instruction. Walks its block: for all sites, use [`PendingOperations::walk`].
    pub fn pending_before(&self, function: &Function, inst: InstIndex) -> Pending {
        let mut found = Pending::default();
        self.walk(function, function.block_of(inst), |index, before| {
            if index == inst {
                found = before.clone();
            }
        });
        found
    }

    /// Visits the instructions of a block in order, each with what may be on its way before it.
    pub fn walk(
        &self,
        function: &Function,
        block: BlockIndex,
        mut visit: impl FnMut(InstIndex, &Pending),
    ) {
        let mut pending = self.starts[block].clone();
        for index in function.blocks[block].range() {
            visit(index, &pending);
            if function.traits(index).any(InstFlags::COUNTS) {
                pending.step(function, index);
            }
        }
    }
}

/// The pending operations of all functions. No caller needs those at the end of a function without callers, so they are computed
/// when they are first asked for.
#[derive(Clone, Debug)]
pub(crate) struct Results {
    each: Vec<OnceLock<PendingOperations>>,
    /// The operations that are on their way when a function returns.
    returns: Vec<Pending>,
    family: Family,
}

impl Results {
    /// `functions` are those that were solved.
    pub fn function(&self, functions: &[Function], index: FunctionIndex) -> &PendingOperations {
        self.each[index].get_or_init(|| {
            let (starts, _) = solve_one(&functions[index], &self.returns, self.family);
            PendingOperations { starts }
        })
    }
}

/// `order` has callees before their callers, as far as recursion allows.
pub(crate) fn solve(functions: &[Function], order: &[usize], family: Family) -> Results {
    let mut returns: Vec<Pending> = vec![Pending::everything(family); functions.len()];
    let each: Vec<_> = functions.iter().map(|_| OnceLock::new()).collect();
    let mut called = vec![false; functions.len()];
    for callee in functions.iter().flat_map(callees) {
        called[callee] = true;
    }
    for &index in order.iter().filter(|index| called[**index]) {
        let (starts, at_return) = solve_one(&functions[index], &returns, family);
        returns[index] = at_return;
        each[index].get_or_init(|| PendingOperations { starts });
    }
    Results {
        each,
        returns,
        family,
    }
}

fn solve_one(function: &Function, returns: &[Pending], family: Family) -> (Vec<Pending>, Pending) {
    let blocks = &function.blocks;
    let anywhere = function.jumps_anywhere();
    let mut starts = vec![Pending::default(); blocks.len()];
    for (index, start) in starts.iter_mut().enumerate() {
        let from_outside = index == 0 && function.kind == FunctionKind::Device;
        // No known edge: perhaps an unresolved one.
        let unseen = blocks[index].predecessors.is_empty() || blocks[index].entered;
        let from_anywhere = index != 0 && (anywhere || unseen);
        if from_outside || from_anywhere {
            *start = Pending::everything(family);
        }
    }
    let mut at_return = Pending::default();
    // Blocks in front come first.
    let (mut stale, mut next) = (vec![true; blocks.len()], 0);
    while next < blocks.len() {
        let index = next;
        next += 1;
        if !std::mem::replace(&mut stale[index], false) {
            continue;
        }
        let block = &blocks[index];
        let mut pending = starts[index].clone();
        let mut inst = function.next_with(block.range(), InstFlags::COUNTS);
        while inst < block.end {
            pending.step(function, inst);
            inst = function.next_with(inst + 1..block.end, InstFlags::COUNTS);
        }
        let behind_call = match block.call {
            Some(Callee::Known(callee)) => Some(returns[callee].clone()),
            Some(Callee::Unknown) => Some(Pending::everything(family)),
            None => None,
        };
        for leave in &block.leaves {
            match *leave {
                Leave::Return => at_return.unite(behind_call.as_ref().unwrap_or(&pending)),
                Leave::TailCall(callee) => at_return.unite(&returns[callee]),
                Leave::Anywhere => at_return.unite(&Pending::everything(family)),
                Leave::End => false,
            };
        }
        for edge in &block.successors {
            let arrives = match (&behind_call, edge.kind) {
                (Some(behind), EdgeKind::CallReturn) => behind,
                _ => &pending,
            };
            if starts[edge.to].unite(arrives) {
                stale[edge.to] = true;
                next = next.min(edge.to);
            }
        }
    }
    (starts, at_return)
}
