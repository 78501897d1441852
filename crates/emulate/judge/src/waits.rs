//! Watches waves at full speed.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use compute::{Watcher, Watchers};
use gpu::{Dispatch, Memory};
use wave::{Segment, Watch};

use crate::rules::{BoardNumber, Rules, Sink};

/// Stretches that a thread looks up without asking others.
const CACHE: usize = 1 << 12;
/// Segments that are kept before those are looked for that are gone.
const SEGMENTS: usize = 1 << 10;

/// Judges waits at full speed, on any number of threads.
pub struct Waits(Arc<Shared>);

struct Shared {
    rules: Rules,
    /// The results of threads about stretches.
    known: Mutex<Known>,
}

/// Number of a segment, never used again.
type SegmentNumber = u32;

#[derive(Default)]
struct Known {
    /// Segments by address, which stays the segment's as long as a weak reference exists.
    segments: HashMap<usize, (Weak<Segment>, SegmentNumber)>,
    next: SegmentNumber,
    stretches: HashMap<Stretch, Outcome>,
    /// Sets of places, by number; the first one is empty.
    found: Vec<Vec<usize>>,
    sets: HashMap<Vec<usize>, u32>,
}

impl Known {
    fn number(&mut self, segment: &Arc<Segment>) -> SegmentNumber {
        let address = Arc::as_ptr(segment) as usize;
        if let Some((_, number)) = self.segments.get(&address) {
            return *number;
        }
        if self.segments.len() >= SEGMENTS && self.segments.len().is_power_of_two() {
            self.forget_segments();
        }
        let number = self.next;
        self.next += 1;
        self.segments
            .insert(address, (Arc::downgrade(segment), number));
        number
    }

    /// Forgets those that are gone.
    fn forget_segments(&mut self) {
        self.segments
            .retain(|_, (segment, _)| segment.strong_count() > 0);
        let left: HashSet<SegmentNumber> =
            self.segments.values().map(|(_, number)| *number).collect();
        self.stretches
            .retain(|stretch, _| left.contains(&stretch.segment()));
    }

    fn set(&mut self, places: Vec<usize>) -> u32 {
        if places.is_empty() {
            return 0;
        }
        let next = self.found.len() as u32;
        let number = *self.sets.entry(places.clone()).or_insert(next);
        if number == next {
            self.found.push(places);
        }
        number
    }
}

/// Segment and a wave's number; first micro-op, end, and whether a lane was on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Stretch(u64, u64);

impl Stretch {
    /// Of no wave.
    const NONE: Stretch = Stretch(u64::MAX, u64::MAX);

    #[inline(always)]
    fn new(segment: SegmentNumber, number: u32, ops: &Range<usize>, lanes: bool) -> Stretch {
        Stretch(
            u64::from(segment) << 32 | u64::from(number),
            (ops.start as u64) << 32 | (ops.end as u64) << 1 | u64::from(lanes),
        )
    }

    fn segment(self) -> SegmentNumber {
        (self.0 >> 32) as u32
    }

    /// Its place in the cache.
    #[inline(always)]
    fn place(self) -> usize {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let mixed = (self.0.rotate_left(20) ^ self.1).wrapping_mul(ODD);
        (mixed >> 48) as usize % CACHE
    }
}

/// The effect of a stretch on a wave's number.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    next: u32,
    /// The set of places where a wait was missing.
    found: u32,
}

impl Waits {
    pub fn new(memory: Arc<Memory>, sink: Arc<dyn Sink>) -> Waits {
        let known = Known {
            found: vec![Vec::new()],
            ..Known::default()
        };
        Waits(Arc::new(Shared {
            rules: Rules::new(memory, sink),
            known: Mutex::new(known),
        }))
    }

    /// Code has changed, and is decoded anew before it is executed.
    pub fn forget_code(&self) {
        self.0.rules.forget_code();
    }
}

impl Shared {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Executes a stretch by the rules.
    fn walk(
        &self,
        board: BoardNumber,
        segment: &Segment,
        number: u32,
        ops: Range<usize>,
        lanes: bool,
    ) -> Outcome {
        let insts = &segment.insts;
        let from = insts.partition_point(|inst| (inst.op as usize) < ops.start);
        let end = insts.partition_point(|inst| (inst.op as usize) < ops.end);
        let mut inner = self.rules.inner();
        let rules = inner.board(board);
        let (mut next, mut found) = (number, Vec::new());
        for inst in &insts[from..end] {
            let site = rules.site(&self.rules.memory, inst.pc);
            let step = rules.paths.step(next, site, lanes);
            next = step.next;
            found.extend_from_slice(&step.found);
        }
        let places = inner.places(board, &found);
        drop(inner);
        let found = self.known().set(places);
        Outcome { next, found }
    }
}

impl Watchers for Waits {
    fn watcher(&self) -> Box<dyn Watcher> {
        Box::new(Thread {
            shared: self.0.clone(),
            board: None,
            segment: Weak::new(),
            number: 0,
            cache: vec![(Stretch::NONE, Outcome { next: 0, found: 0 }); CACHE].into_boxed_slice(),
            times: HashMap::new(),
            told: HashSet::new(),
        })
    }
}

/// The watcher of one thread.
struct Thread {
    shared: Arc<Shared>,
    board: Option<BoardNumber>,
    /// The code that is executed, and its number.
    segment: Weak<Segment>,
    number: SegmentNumber,
    cache: Box<[(Stretch, Outcome)]>,
    /// How often waves came to sets of places since the sink was told.
    times: HashMap<u32, u64>,
    /// Sets that the sink was told of once.
    told: HashSet<u32>,
}

impl Watcher for Thread {
    fn begin(&mut self, dispatch: &Arc<Dispatch>) {
        self.board = self.shared.rules.begin(dispatch);
    }

    fn leave(&mut self) {
        let Some(board) = self.board.filter(|_| !self.times.is_empty()) else {
            return;
        };
        let known = self.shared.known();
        let mut places: HashMap<usize, u64> = HashMap::new();
        for (set, times) in self.times.drain() {
            for place in &known.found[set as usize] {
                *places.entry(*place).or_default() += times;
            }
        }
        drop(known);
        self.shared.rules.tell(board, places);
    }
}

impl Watch for Thread {
    fn enter(&mut self, segment: &Arc<Segment>) {
        if !std::ptr::eq(self.segment.as_ptr(), Arc::as_ptr(segment)) {
            self.segment = Arc::downgrade(segment);
            self.number = self.shared.known().number(segment);
        }
    }

    #[inline]
    fn executed(&mut self, number: u32, stretch: Range<usize>, lanes: u32) -> u32 {
        let key = Stretch::new(self.number, number, &stretch, lanes != 0);
        let (known, outcome) = self.cache[key.place()];
        let outcome = match known == key {
            true => outcome,
            false => self.look_up(key, number, stretch, lanes != 0),
        };
        if outcome.found != 0 {
            self.count(outcome.found);
        }
        outcome.next
    }
}

impl Thread {
    #[cold]
    #[inline(never)]
    fn look_up(&mut self, key: Stretch, number: u32, ops: Range<usize>, lanes: bool) -> Outcome {
        let known = self.shared.known().stretches.get(&key).copied();
        let outcome = match (known, self.board, self.segment.upgrade()) {
            (Some(known), ..) => known,
            (None, Some(board), Some(segment)) => {
                let outcome = self.shared.walk(board, &segment, number, ops, lanes);
                self.shared.known().stretches.insert(key, outcome);
                outcome
            }
            _ => Outcome {
                next: number,
                found: 0,
            },
        };
        self.cache[key.place()] = (key, outcome);
        outcome
    }

    #[cold]
    #[inline(never)]
    fn count(&mut self, found: u32) {
        let times = self.times.entry(found).or_default();
        *times += 1;
        // Told at once, in case that the program does not live to see the kernel's end.
        if self.told.insert(found) {
            self.leave();
        }
    }
}
