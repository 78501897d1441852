//! The order of launches: which ones have ended before another one may begin, whatever the device does first.
//!
//! A packet with its barrier bit set begins when all packets before it in its queue have ended. No packet begins before those in front of it
//! have begun, and none behind a barrier packet begins before that has ended. A barrier packet waits for signals, and each signal knows
//! which packets have completed it. The host may have waited for whatever had ended when it published a packet.
//!
//! A launch that polls a word of another one knows what had ended before that one, and hands on that it has heard of it.
//!
//! Copies by SDMA are launches, too. They have no barrier bit: a copy waits for no other one of its ring.
//!
//! The device that this crate emulates does a queue's packets one after the other. The sequence on this device is therefore no order.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak},
};

/// Launches by chain: those of a chain, up to a number, have ended. Each launch of a chain begins when the one before has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ended(Vec<u32>);

/// A launch's place: its chain, and its number there, from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    chain: usize,
    number: u32,
}

impl Ended {
    fn has(&self, place: Place) -> bool {
        (self.0.get(place.chain)).is_some_and(|number| *number >= place.number)
    }

    fn join(&mut self, other: &Ended) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (one, other) in self.0.iter_mut().zip(&other.0) {
            *one = (*one).max(*other);
        }
    }

    /// Leaves what both have.
    fn meet(&mut self, other: &Ended) {
        self.0.truncate(other.0.len());
        for (one, other) in self.0.iter_mut().zip(&other.0) {
            *one = (*one).min(*other);
        }
    }

    fn add(&mut self, place: Place) {
        if self.0.len() <= place.chain {
            self.0.resize(place.chain + 1, 0);
        }
        self.0[place.chain] = self.0[place.chain].max(place.number);
    }
}

/// The launches that have ended, and those that are known by words alone. Launches of the second kind may run still: other
/// packets and the host do not know of them.
#[derive(Clone, Debug, Default)]
struct Known {
    ended: Ended,
    heard: Ended,
}

impl Known {
    fn join(&mut self, other: &Known) {
        self.ended.join(&other.ended);
        self.heard.join(&other.heard);
    }
}

/// A launch in the order of launches.
#[derive(Debug)]
pub struct Order {
    place: Place,
    /// These launches have ended before it begins.
    before: Ended,
    heard: OnceLock<Mutex<Heard>>,
    /// These have ended before it begins, and before all that can still begin.
    settled: Ended,
}

/// Launches that a launch knows by words that it has looked at.
#[derive(Clone, Debug, Default)]
struct Heard {
    /// These have written words for it. They may run still.
    from: Ended,
    /// These had ended before those began, or launches that ended before it had heard of them.
    before: Ended,
}

impl Order {
    /// The other launch has ended before this one begins, or before one began that this one has heard from.
    pub fn follows(&self, other: &Order) -> bool {
        self.before.has(other.place)
            || (self.heard.get()).is_some_and(|heard| locked(heard).before.has(other.place))
    }

    /// The launch has looked at a word that the other one has written for it.
    pub fn hears(&self, other: &Order) {
        let theirs = other.has_heard();
        let mut mine = locked(self.heard.get_or_init(Mutex::default));
        mine.from.join(&theirs.from);
        mine.from.add(other.place);
        mine.before.join(&theirs.before);
        mine.before.join(&other.before);
    }

    fn has_heard(&self) -> Heard {
        let heard = self.heard.get().map(|heard| locked(heard).clone());
        heard.unwrap_or_default()
    }

    /// The other launch has ended before this one begins, and before each one that begins later.
    pub fn settles(&self, other: &Order) -> bool {
        self.settled.has(other.place)
    }
}

fn locked<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The parts of the order, which tests switch off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Parts {
    /// A packet with its barrier bit set waits for all packets before it.
    barrier_bits: bool,
    /// No packet begins before those in front of it have begun.
    floors: bool,
    /// A packet follows what had ended when it was published.
    published: bool,
    /// A barrier packet follows those that have completed its signals, and no others.
    signals: bool,
    /// A signal that is used again tells of its last use alone.
    uses: bool,
    /// A signal may have been completed by the host.
    host: bool,
    /// A launch is settled when neither a running kernel nor a published packet can begin beside it.
    settled: bool,
    /// Packets behind a launch know what it has heard.
    heard: bool,
}

impl Default for Parts {
    fn default() -> Parts {
        Parts {
            barrier_bits: true,
            floors: true,
            published: true,
            signals: true,
            uses: true,
            host: true,
            settled: true,
            heard: true,
        }
    }
}

/// A signal, or another word that packets wait for.
#[derive(Default)]
struct Word {
    /// The launches that had ended when packets completed it.
    known: Known,
    /// The last completion made it 0: what comes then is about another use of the signal.
    reached: bool,
    /// How often one did.
    times: u64,
}

/// A queue whose packets may still be published: how many are.
pub(crate) trait Published: Send + Sync {
    fn published(&self) -> u64;
}

struct OfQueue {
    queue: Weak<dyn Published>,
    /// Packets before the first number were published when these launches had ended.
    published: VecDeque<(u64, Arc<Ended>)>,
    /// How many packets these are, with those that have begun.
    seen: u64,
    /// The launches that no packet from here on begins before.
    floor: Known,
    /// All that the queue has begun or waited for.
    all: Known,
    /// The kernel in flight.
    running: Option<Ended>,
    /// The signals that the next packet was seen to wait for, and how often they had been reached.
    waits: HashMap<u64, u64>,
}

impl OfQueue {
    /// This number of packets has begun.
    fn begun(&mut self, packets: u64) {
        let is_old = |front: &(u64, Arc<Ended>)| front.0 <= packets;
        while self.published.front().is_some_and(is_old) {
            self.published.pop_front();
        }
    }
}

#[derive(Default)]
struct Inner {
    parts: Parts,
    /// By the queue's number.
    queues: HashMap<u64, OfQueue>,
    /// By address.
    words: HashMap<u64, Word>,
    /// All launches that have ended. The host may know of them.
    ended: Arc<Ended>,
    /// The last number of each chain.
    chains: Vec<u32>,
}

/// The order of all packets of a machine.
#[derive(Default)]
pub(crate) struct Orders(Mutex<Inner>);

impl Inner {
    /// Notes what has been published, before the host can learn that more has ended.
    fn look(&mut self) {
        for of in self.queues.values_mut() {
            let Some(queue) = of.queue.upgrade() else {
                continue;
            };
            let published = queue.published();
            if published <= of.seen {
                continue;
            }
            of.seen = published;
            match of.published.back_mut() {
                Some((known, ended)) if Arc::ptr_eq(ended, &self.ended) => *known = published,
                _ => of.published.push_back((published, self.ended.clone())),
            }
        }
    }

    /// The launches that a packet of a queue begins after, by its place in the queue and its barrier bit.
    fn before(&mut self, queue: u64, index: u64, barrier: bool) -> Known {
        self.look();
        let Some(of) = self.queues.get_mut(&queue) else {
            return Known::default();
        };
        of.begun(index);
        let mut before = match barrier && self.parts.barrier_bits {
            true => of.all.clone(),
            false if self.parts.floors => of.floor.clone(),
            false => Known::default(),
        };
        if let Some((_, ended)) = of.published.front()
            && self.parts.published
        {
            before.ended.join(ended);
        }
        before
    }

    /// The launches that nothing can begin before any more.
    fn settled(&self) -> Ended {
        let mut all = (*self.ended).clone();
        let looked_at = self.queues.values().filter(|_| self.parts.settled);
        for of in looked_at {
            if let Some(running) = &of.running {
                all.meet(running);
            }
            if let Some((_, ended)) = of.published.front() {
                let mut next = of.floor.ended.clone();
                next.join(ended);
                all.meet(&next);
            }
        }
        all
    }
}

impl Orders {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        locked(&self.0)
    }

    pub fn add(&self, id: u64, queue: Weak<dyn Published>) {
        let mut inner = self.inner();
        let floor = Known {
            ended: (*inner.ended).clone(),
            heard: Ended::default(),
        };
        let of = OfQueue {
            queue,
            published: VecDeque::new(),
            seen: 0,
            all: floor.clone(),
            floor,
            running: None,
            waits: HashMap::new(),
        };
        inner.queues.insert(id, of);
    }

    /// The queue goes away. When this returns, nothing of it is looked at any more.
    pub fn remove(&self, id: u64) {
        self.inner().queues.remove(&id);
    }

    /// The kernel of a packet begins.
    pub fn begins(&self, queue: u64, index: u64, barrier: bool) -> Order {
        let mut inner = self.inner();
        let known = inner.before(queue, index, barrier);
        let before = known.ended.clone();
        let is_known = |(chain, number): (usize, &u32)| {
            let number = *number;
            before.has(Place { chain, number })
        };
        let chain = match inner.chains.iter().enumerate().position(is_known) {
            Some(chain) => chain,
            None => {
                inner.chains.push(0);
                inner.chains.len() - 1
            }
        };
        inner.chains[chain] += 1;
        let place = Place {
            chain,
            number: inner.chains[chain],
        };
        if let Some(of) = inner.queues.get_mut(&queue) {
            // Packets behind this one begin when it has begun.
            of.floor.join(&known);
            of.all.join(&known);
            of.all.ended.add(place);
            of.running = Some(before.clone());
            of.begun(index + 1);
        }
        let mut settled = inner.settled();
        settled.meet(&before);
        Order {
            place,
            before,
            heard: match known.heard == Ended::default() {
                true => OnceLock::new(),
                false => OnceLock::from(Mutex::new(Heard {
                    from: Ended::default(),
                    before: known.heard,
                })),
            },
            settled,
        }
    }

    /// The kernel ends, and then completes the signal at this address, which has this value before.
    pub fn ends(&self, queue: u64, order: &Order, signal: u64, value: i64) {
        let mut inner = self.inner();
        inner.look();
        let mut known = Known {
            ended: order.before.clone(),
            heard: Ended::default(),
        };
        known.ended.add(order.place);
        Arc::make_mut(&mut inner.ended).join(&known.ended);
        if inner.parts.heard {
            let heard = order.has_heard();
            known.heard.join(&heard.before);
            known.heard.join(&heard.from);
        }
        if let Some(of) = inner.queues.get_mut(&queue) {
            of.running = None;
            of.all.join(&known);
        }
        inner.complete(signal, value, &known);
    }

    /// A ring of commands is done up to this position.
    pub fn done(&self, queue: u64, position: u64) {
        if let Some(of) = self.inner().queues.get_mut(&queue) {
            of.begun(position);
        }
    }

    /// The next packet waits still for the signal at this address.
    pub fn waits(&self, queue: u64, signal: u64) {
        let mut inner = self.inner();
        let times = inner.words.get(&signal).map_or(0, |word| word.times);
        if let Some(of) = inner.queues.get_mut(&queue) {
            of.waits.entry(signal).or_insert(times);
        }
    }

    /// A packet ends that has waited for the signals, which have become 0, or for something that only the host knows. Then it completes
    /// a signal, which has this value before.
    pub fn passes(
        &self,
        (queue, index, barrier): (u64, u64, bool),
        waited: Waited<'_>,
        (signal, value): (u64, i64),
    ) {
        let mut inner = self.inner();
        let mut known = inner.before(queue, index, barrier);
        let seen = inner.queues.get_mut(&queue);
        let seen = seen.map_or_else(HashMap::new, |of| std::mem::take(&mut of.waits));
        let everything = inner.ended.clone();
        match waited {
            Waited::Unknown => known.ended.join(&everything),
            Waited::Signals(signals) => {
                for signal in signals {
                    let parts = inner.parts;
                    match inner.words.get(signal) {
                        _ if !parts.signals => {}
                        // A packet has completed it for the last time, and not the host.
                        Some(word)
                            if !parts.host
                                || word.reached
                                    && seen.get(signal).is_none_or(|times| *times < word.times) =>
                        {
                            known.join(&word.known);
                        }
                        _ => known.ended.join(&everything),
                    }
                }
            }
        }
        if let Some(of) = inner.queues.get_mut(&queue) {
            of.floor.join(&known);
            of.all.join(&known);
            of.begun(index + 1);
        }
        inner.complete(signal, value, &known);
    }
}

/// The launches that a packet has waited for.
pub(crate) enum Waited<'a> {
    /// Signals, by the addresses of their values' structures.
    Signals(&'a [u64]),
    /// Something that the host may have done at any time.
    Unknown,
}

impl Inner {
    fn complete(&mut self, signal: u64, value: i64, known: &Known) {
        if signal == 0 {
            return;
        }
        let word = self.words.entry(signal).or_default();
        if std::mem::take(&mut word.reached) && self.parts.uses {
            word.known = Known::default();
        }
        word.known.join(known);
        if value == 1 {
            word.reached = true;
            word.times += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A queue with so many packets published.
    #[derive(Default)]
    struct Ring(AtomicU64);

    impl Published for Ring {
        fn published(&self) -> u64 {
            self.0.load(Ordering::Relaxed)
        }
    }

    struct Device {
        orders: Orders,
        rings: Vec<Arc<Ring>>,
        done: Vec<u64>,
    }

    impl Device {
        fn new(queues: usize, parts: Parts) -> Device {
            let orders = Orders::default();
            orders.inner().parts = parts;
            let device = Device {
                orders,
                rings: (0..queues).map(|_| Arc::default()).collect(),
                done: vec![0; queues],
            };
            for (id, ring) in device.rings.iter().enumerate() {
                let ring: Arc<dyn Published> = ring.clone();
                device.orders.add(id as u64, Arc::downgrade(&ring));
            }
            device
        }

        fn publish(&self, queue: usize, packets: u64) {
            self.rings[queue].0.fetch_add(packets, Ordering::Relaxed);
        }

        fn next(&mut self, queue: usize) -> u64 {
            self.done[queue] += 1;
            assert!(self.done[queue] <= self.rings[queue].published());
            self.done[queue] - 1
        }

        fn begin(&mut self, queue: usize, barrier: bool) -> Order {
            let index = self.next(queue);
            self.orders.begins(queue as u64, index, barrier)
        }

        fn end(&self, queue: usize, order: &Order, signal: u64) {
            self.orders.ends(queue as u64, order, signal, 1);
        }

        fn run(&mut self, queue: usize, barrier: bool, signal: u64) -> Order {
            let order = self.begin(queue, barrier);
            self.end(queue, &order, signal);
            order
        }

        /// A barrier packet with its barrier bit clear.
        fn wait(&mut self, queue: usize, waited: Waited<'_>) {
            let packet = (queue as u64, self.next(queue), false);
            self.orders.passes(packet, waited, (0, 0));
        }
    }

    /// A scene's name, and what it checks.
    type Scene = (&'static str, fn(Parts));

    /// Scenes of packets, each of which ends with what is in order.
    const SCENES: [Scene; 7] = [
        (
            "packets of a queue are in order by their barrier bits",
            packets_of_a_queue_are_in_order_by_their_barrier_bits,
        ),
        (
            "queues are in order by signals",
            queues_are_in_order_by_signals,
        ),
        (
            "a signal that is used again tells of its last use",
            a_signal_that_is_used_again_tells_of_its_last_use,
        ),
        (
            "what had ended when a packet was published is before it",
            what_had_ended_when_a_packet_was_published_is_before_it,
        ),
        (
            "the host can complete a signal",
            the_host_can_complete_a_signal,
        ),
        (
            "launches are settled when nothing can begin beside them",
            launches_are_settled_when_nothing_can_begin_beside_them,
        ),
        (
            "a launch hands on what it has heard",
            a_launch_hands_on_what_it_has_heard,
        ),
    ];

    #[test]
    fn launches_are_in_order_as_the_queues_say() {
        for (name, scene) in SCENES {
            eprintln!("{name}");
            scene(Parts::default());
        }
    }

    /// The name of a part, and how a test switches it off.
    type Off = (&'static str, fn(&mut Parts));

    #[test]
    fn a_part_that_is_switched_off_is_missed_by_a_scene() {
        let off: [Off; 8] = [
            ("barrier bits", |parts| parts.barrier_bits = false),
            ("floors", |parts| parts.floors = false),
            ("published", |parts| parts.published = false),
            ("signals", |parts| parts.signals = false),
            ("uses", |parts| parts.uses = false),
            ("host", |parts| parts.host = false),
            ("settled", |parts| parts.settled = false),
            ("heard", |parts| parts.heard = false),
        ];
        for (name, switch) in off {
            let mut parts = Parts::default();
            switch(&mut parts);
            let fails = |(_, scene): &Scene| std::panic::catch_unwind(|| scene(parts)).is_err();
            assert!(SCENES.iter().any(fails), "no scene needs {name}");
        }
    }

    /// All commands of a submission are published at once, and the last ones begin nothing.
    #[test]
    fn a_ring_that_is_done_lets_launches_be_settled() {
        let mut device = Device::new(2, Parts::default());
        device.publish(1, 10);
        let copy = device.run(1, false, 64);
        device.publish(0, 1);
        assert!(!device.run(0, true, 0).settles(&copy));
        device.orders.done(1, 10);
        device.publish(0, 1);
        assert!(device.run(0, true, 0).settles(&copy));
    }

    fn packets_of_a_queue_are_in_order_by_their_barrier_bits(parts: Parts) {
        let mut device = Device::new(1, parts);
        device.publish(0, 4);
        let orders = [true, false, true, false].map(|barrier| device.run(0, barrier, 0));
        let follows = |one: usize, other: usize| orders[one].follows(&orders[other]);
        // The second one begins when the first one has begun.
        assert!(!follows(1, 0));
        assert!(follows(2, 0) && follows(2, 1));
        // Launches that the packet with the bit waits for have ended before the packets behind it.
        assert!(follows(3, 0) && follows(3, 1) && !follows(3, 2));
    }

    fn queues_are_in_order_by_signals(parts: Parts) {
        let mut device = Device::new(3, parts);
        (0..3).for_each(|queue| device.publish(queue, 2));
        let first = device.run(0, true, 64);
        let other = device.run(1, true, 128);
        device.wait(2, Waited::Signals(&[64]));
        let third = device.run(2, true, 0);
        assert!(third.follows(&first) && !third.follows(&other));
        assert!(!other.follows(&first) && !first.follows(&other));
        // Through the third queue's packets, knowledge goes on.
        device.wait(1, Waited::Signals(&[64]));
        device.publish(1, 1);
        assert!(device.run(1, false, 0).follows(&first));
    }

    fn a_signal_that_is_used_again_tells_of_its_last_use(parts: Parts) {
        let mut device = Device::new(2, parts);
        device.publish(0, 3);
        device.publish(1, 3);
        let first = device.run(0, true, 64);
        let second = device.run(1, true, 64);
        device.wait(0, Waited::Signals(&[64]));
        assert!(device.run(0, false, 0).follows(&second));
        device.wait(1, Waited::Signals(&[64]));
        assert!(!device.run(1, false, 0).follows(&first));
    }

    fn what_had_ended_when_a_packet_was_published_is_before_it(parts: Parts) {
        let mut device = Device::new(2, parts);
        device.publish(0, 1);
        let first = device.begin(0, true);
        device.publish(1, 1);
        device.end(0, &first, 0);
        device.publish(1, 1);
        let (early, late) = (device.run(1, false, 0), device.run(1, false, 0));
        assert!(!early.follows(&first));
        assert!(late.follows(&first));
    }

    fn the_host_can_complete_a_signal(parts: Parts) {
        let mut device = Device::new(2, parts);
        device.publish(0, 1);
        device.publish(1, 2);
        let first = device.run(0, true, 0);
        // No packet has completed it.
        device.wait(1, Waited::Signals(&[64]));
        assert!(device.run(1, true, 0).follows(&first));
        // A packet has, and was then told of another use, which the host has ended.
        device.publish(0, 2);
        device.publish(1, 2);
        device.run(0, true, 64);
        device.orders.waits(1, 64);
        let second = device.run(0, true, 0);
        device.wait(1, Waited::Signals(&[64]));
        assert!(device.run(1, true, 0).follows(&second));
    }

    fn launches_are_settled_when_nothing_can_begin_beside_them(parts: Parts) {
        let mut device = Device::new(2, parts);
        device.publish(0, 2);
        let first = device.run(0, true, 0);
        let second = device.begin(0, true);
        assert!(second.settles(&first));
        device.publish(1, 1);
        device.end(0, &second, 0);
        device.publish(0, 2);
        let third = device.begin(0, true);
        // The packet of the other queue was published when the second one had not ended.
        assert!(third.settles(&first) && third.follows(&second) && !third.settles(&second));
        let beside = device.run(1, true, 0);
        assert!(!beside.follows(&second));
        device.publish(1, 1);
        device.wait(1, Waited::Signals(&[]));
        device.end(0, &third, 0);
        assert!(device.run(0, true, 0).settles(&second));
        device.publish(0, 1);
        assert!(device.run(0, true, 0).settles(&third));
    }

    fn a_launch_hands_on_what_it_has_heard(parts: Parts) {
        let mut device = Device::new(4, parts);
        for queue in 0..3 {
            device.publish(queue, 2);
        }
        let first = device.run(0, true, 0);
        let raises = device.begin(0, true);
        let polls = device.begin(1, true);
        assert!(!polls.follows(&first));
        polls.hears(&raises);
        // Waves of the launch that polls know by the word alone what the other one has done.
        assert!(polls.follows(&first) && !polls.follows(&raises));
        device.end(1, &polls, 64);
        let behind = device.run(1, true, 0);
        assert!(behind.follows(&first) && behind.follows(&raises));
        device.wait(2, Waited::Signals(&[64]));
        let by_signal = device.run(2, true, 0);
        assert!(by_signal.follows(&raises));
        // The launch that raised the flag goes on: a launch that nothing tells of the flag does not know it.
        assert!(!by_signal.settles(&raises));
        device.publish(3, 1);
        assert!(!device.run(3, true, 0).follows(&raises));
    }
}
