//! Events: what interrupts wake and threads sleep on.
//!
//! A thread looks at a signal, finds it unchanged and waits for the signal's event. A setting between the two must not be lost, even if
//! another thread that waits for the same event takes the wake-up. The kernel driver lets one waiter consume a setting for all. Here,
//! events remember which threads have seen which setting: a wait returns at once if the event was set since this thread's last wait for it.
//! A wait that is too short makes its thread look again; a wait that is too long may never end.

use std::{
    sync::{Condvar, Mutex, MutexGuard, OnceLock},
    time::{Duration, Instant},
};

/// Highest number of events, as in the kernel driver.
pub const EVENT_LIMIT: u32 = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// Set by a signal's completion or by the host.
    Signal,
    /// Set by a memory access fault.
    MemoryFault,
    /// Any other; only the host sets it.
    Passive,
}

/// A shader's bad memory access, as told to the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryFault {
    pub node: u32,
    pub address: u64,
    /// A write to memory that may only be read; otherwise nothing is mapped there.
    pub read_only: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    #[error("{EVENT_LIMIT} events exist already")]
    TooMany,
    #[error("no such event")]
    Unknown,
    #[error("timed out")]
    Timeout,
    #[error("the event was destroyed while it was waited for")]
    Destroyed,
}

/// An event that a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watch {
    pub id: u32,
    /// The event's age when the waiter looked last, which is how often it had been set, plus one. It ends the wait if the event
    /// has another age. 0: the waiter does not know; then the thread's own last wait counts.
    pub age: u64,
}

/// Threads whose last look is remembered per event. Others see one setting twice.
const WATCHERS: usize = 8;

/// How long a thread that comes again with an age that it was told to be over waits for news before it is told once more. ROCr 7.2 does
/// not take over the ages of signals that were used before, and asks without end while a kernel runs that needs the processor.
const REPEATED: Duration = Duration::from_millis(1);

struct Slot {
    kind: EventKind,
    node: u32,
    manual_reset: bool,
    /// Set until it is reset by hand or, for an event that resets itself, until one thread has waited for it.
    set: bool,
    /// Times set.
    fires: u64,
    /// The value of `fires` up to which threads that the event does not remember have missed nothing.
    forgotten: u64,
    /// Threads and the `fires` of their last wait, the oldest first.
    watchers: Vec<(i32, u64)>,
    fault: Option<MemoryFault>,
}

/// All events of a process. Ids start at 1.
#[derive(Default)]
pub struct Events {
    slots: Mutex<Vec<Option<Slot>>>,
    wake: Condvar,
    faults: OnceLock<Box<FaultListener>>,
}

/// Hears of every memory fault, whether there is an event for it or not.
pub type FaultListener = dyn Fn(&MemoryFault) + Send + Sync;

impl Events {
    fn lock(&self) -> MutexGuard<'_, Vec<Option<Slot>>> {
        self.slots
            .lock()
            .unwrap_or_else(|poison| poison.into_inner())
    }

    /// Creates an event and returns its id, the lowest free one.
    pub fn create(
        &self,
        kind: EventKind,
        node: u32,
        manual_reset: bool,
        set: bool,
    ) -> Result<u32, EventError> {
        let mut slots = self.lock();
        let slot = Slot {
            kind,
            node,
            manual_reset,
            set,
            fires: 0,
            forgotten: 0,
            watchers: Vec::new(),
            fault: None,
        };
        if slots.is_empty() {
            slots.push(None);
        }
        let free = slots
            .iter()
            .skip(1)
            .position(Option::is_none)
            .map(|index| index + 1);
        let id = match free {
            Some(id) => id,
            None if slots.len() < EVENT_LIMIT as usize => {
                slots.push(None);
                slots.len() - 1
            }
            None => return Err(EventError::TooMany),
        };
        slots[id] = Some(slot);
        Ok(id as u32)
    }

    /// Removes an event; waits for it end with an error.
    pub fn destroy(&self, id: u32) -> Result<(), EventError> {
        let removed = self.lock().get_mut(id as usize).and_then(Option::take);
        self.wake.notify_all();
        removed.map(|_| ()).ok_or(EventError::Unknown)
    }

    /// Sets an event.
    pub fn set(&self, id: u32) -> Result<(), EventError> {
        let mut slots = self.lock();
        slots
            .get_mut(id as usize)
            .and_then(Option::as_mut)
            .ok_or(EventError::Unknown)?
            .fire();
        self.wake.notify_all();
        Ok(())
    }

    /// Clears an event.
    pub fn reset(&self, id: u32) -> Result<(), EventError> {
        let mut slots = self.lock();
        let slot = slots
            .get_mut(id as usize)
            .and_then(Option::as_mut)
            .ok_or(EventError::Unknown)?;
        slot.set = false;
        slot.forgotten = slot.fires;
        slot.watchers.clear();
        Ok(())
    }

    /// A shader's `s_sendmsg(MSG_INTERRUPT)`: hardware passes 8 bits of the event id, so every event they fit is set.
    /// Waiters look at their signal again, hence too many wake-ups are harmless.
    pub fn interrupt(&self, message: u32) {
        let mut slots = self.lock();
        let candidates = slots
            .iter_mut()
            .skip((message & 0xff) as usize)
            .step_by(256);
        for slot in candidates
            .flatten()
            .filter(|slot| slot.kind == EventKind::Signal)
        {
            slot.fire();
        }
        self.wake.notify_all();
    }

    /// From now on, tells of memory faults. Only the first listener is heard.
    pub fn on_fault(&self, listener: Box<FaultListener>) {
        let _ = self.faults.set(listener);
    }

    /// Sets every memory fault event of the fault's node. Returns false if there is none.
    pub fn memory_fault(&self, fault: MemoryFault) -> bool {
        if let Some(listener) = self.faults.get() {
            listener(&fault);
        }
        let mut slots = self.lock();
        let mut any = false;
        for slot in slots
            .iter_mut()
            .flatten()
            .filter(|slot| slot.kind == EventKind::MemoryFault)
        {
            // ROCr makes one event for all nodes, under the number of the first.
            let _ = slot.node;
            slot.fault = Some(fault);
            slot.fire();
            any = true;
        }
        self.wake.notify_all();
        any
    }

    /// Returns `true` if this is a signal's event.
    pub fn is_signal(&self, id: u32) -> bool {
        let slots = self.lock();
        let slot = slots.get(id as usize).and_then(Option::as_ref);
        slot.is_some_and(|slot| slot.kind == EventKind::Signal)
    }

    /// The fault a memory fault event was last set by.
    pub fn fault(&self, id: u32) -> Option<MemoryFault> {
        self.lock().get(id as usize)?.as_ref()?.fault
    }

    /// Waits until one (`all`: every one) of `ids` has been set. `None`: no time limit. An event that is destroyed meanwhile
    /// is never set again.
    pub fn wait(
        &self,
        ids: &[u32],
        all: bool,
        timeout: Option<Duration>,
    ) -> Result<(), EventError> {
        let mut watches: Vec<Watch> = ids.iter().map(|&id| Watch { id, age: 0 }).collect();
        self.watch(&mut watches, all, timeout)
    }

    /// The same for waiters that may know ages; those are brought up to date.
    pub fn watch(
        &self,
        watches: &mut [Watch],
        all: bool,
        timeout: Option<Duration>,
    ) -> Result<(), EventError> {
        let thread = this_thread();
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut slots = self.lock();
        let known = |watch: &Watch| slots.get(watch.id as usize).is_some_and(Option::is_some);
        if !watches.iter().all(known) {
            return Err(EventError::Unknown);
        }
        let mut patience = None;
        loop {
            let slot_of = |watch: &Watch| slots.get(watch.id as usize).and_then(Option::as_ref);
            if watches.iter().any(|watch| slot_of(watch).is_none()) {
                return Err(EventError::Destroyed);
            }
            let is_set = |watch: &Watch| {
                slot_of(watch).is_some_and(|slot| slot.is_set_for(thread, watch.age))
            };
            let is_news =
                |watch: &Watch| slot_of(watch).is_some_and(|slot| slot.is_set_for(thread, 0));
            let satisfied = match all {
                true => watches.iter().all(is_set),
                false => watches.iter().any(is_set),
            };
            let limit = if satisfied {
                if watches.iter().any(|watch| is_set(watch) && is_news(watch)) {
                    break;
                }
                let patience = *patience.get_or_insert_with(|| Instant::now() + REPEATED);
                Some(deadline.map_or(patience, |deadline| deadline.min(patience)))
            } else {
                deadline
            };
            slots = match limit {
                None => self
                    .wake
                    .wait(slots)
                    .unwrap_or_else(|poison| poison.into_inner()),
                Some(limit) => {
                    let left = limit.saturating_duration_since(Instant::now());
                    if left.is_zero() && satisfied {
                        break;
                    }
                    if left.is_zero() {
                        // Part of what was waited for may have happened: the next wait sees it.
                        return Err(EventError::Timeout);
                    }
                    self.wake
                        .wait_timeout(slots, left)
                        .unwrap_or_else(|poison| poison.into_inner())
                        .0
                }
            };
        }
        for watch in watches {
            if let Some(slot) = slots.get_mut(watch.id as usize).and_then(Option::as_mut) {
                slot.saw(thread);
                if watch.age != 0 {
                    watch.age = slot.age();
                }
            }
        }
        Ok(())
    }
}

/// Numbers are used again, but only by threads that begin after the former one's last look.
fn this_thread() -> i32 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::gettid() }
}

impl Slot {
    fn fire(&mut self) {
        self.fires += 1;
        self.set |= self.manual_reset;
    }

    fn age(&self) -> u64 {
        self.fires + 1
    }

    fn is_set_for(&self, thread: i32, age: u64) -> bool {
        if age != 0 {
            return self.set || age != self.age();
        }
        let known = self.watchers.iter().find(|(watcher, _)| *watcher == thread);
        self.set || self.fires != known.map_or(self.forgotten, |(_, fires)| *fires)
    }

    /// The thread is about to look at everything that the event stands for.
    fn saw(&mut self, thread: i32) {
        self.set &= self.manual_reset;
        if let Some((_, fires)) = self
            .watchers
            .iter_mut()
            .find(|(watcher, _)| *watcher == thread)
        {
            *fires = self.fires;
            return;
        }
        if self.watchers.len() == WATCHERS {
            self.watchers.remove(0);
        }
        self.watchers.push((thread, self.fires));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    const NOW: Option<Duration> = Some(Duration::ZERO);

    #[test]
    fn a_set_event_waits_for_its_waiter_and_wakes_once() {
        let events = Events::default();
        let id = events.create(EventKind::Signal, 1, false, false).unwrap();
        assert_eq!(events.wait(&[id], false, NOW), Err(EventError::Timeout));
        events.set(id).unwrap();
        assert_eq!(events.wait(&[id], false, NOW), Ok(()));
        assert_eq!(events.wait(&[id], false, NOW), Err(EventError::Timeout));
    }

    #[test]
    fn manual_events_stay_set() {
        let events = Events::default();
        let id = events.create(EventKind::Passive, 0, true, true).unwrap();
        assert_eq!(events.wait(&[id], false, NOW), Ok(()));
        assert_eq!(events.wait(&[id], false, NOW), Ok(()));
        events.reset(id).unwrap();
        assert_eq!(events.wait(&[id], false, NOW), Err(EventError::Timeout));
    }

    #[test]
    fn all_waiters_of_one_event_wake() {
        let events = Arc::new(Events::default());
        let id = events.create(EventKind::Signal, 1, false, false).unwrap();
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let events = events.clone();
                std::thread::spawn(move || events.wait(&[id], false, Some(Duration::from_secs(20))))
            })
            .collect();
        std::thread::sleep(Duration::from_millis(20));
        events.set(id).unwrap();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), Ok(()));
        }
    }

    #[test]
    fn who_looked_before_another_was_woken_is_not_left_waiting() {
        let events = Arc::new(Events::default());
        let id = events.create(EventKind::Signal, 1, false, false).unwrap();
        for _ in 0..2 {
            // This thread looks at the signal here. Before it waits, the signal changes and the other one is woken.
            let other = events.clone();
            let woken = std::thread::spawn(move || {
                other.wait(&[id], false, NOW).ok();
                other.set(id).unwrap();
                other.wait(&[id], false, NOW)
            });
            assert_eq!(woken.join().unwrap(), Ok(()));
            assert_eq!(events.wait(&[id], false, NOW), Ok(()));
            assert_eq!(events.wait(&[id], false, NOW), Err(EventError::Timeout));
        }
    }

    #[test]
    fn ages_tell_what_was_missed() {
        let events = Events::default();
        let id = events.create(EventKind::Signal, 1, false, false).unwrap();
        let mut watches = [Watch { id, age: 1 }];
        assert_eq!(
            events.watch(&mut watches, false, NOW),
            Err(EventError::Timeout)
        );
        assert_eq!(watches[0].age, 1);
        events.set(id).unwrap();
        events.set(id).unwrap();
        // Every thread that has seen the earlier age is told of the new one, however many have been told.
        for _ in 0..2 {
            watches[0].age = 1;
            assert_eq!(events.watch(&mut watches, false, NOW), Ok(()));
            assert_eq!(watches[0].age, 3);
        }
        assert_eq!(
            events.watch(&mut watches, false, NOW),
            Err(EventError::Timeout)
        );
    }

    #[test]
    fn who_repeats_an_old_age_is_told_again_after_a_while_or_with_the_next_setting() {
        const LONG: Option<Duration> = Some(Duration::from_secs(20));
        let events = Arc::new(Events::default());
        let id = events.create(EventKind::Signal, 1, false, false).unwrap();
        events.set(id).unwrap();
        let told = |age| {
            let mut watches = [Watch { id, age }];
            let began = Instant::now();
            assert_eq!(events.watch(&mut watches, false, LONG), Ok(()));
            (watches[0].age, began.elapsed())
        };
        assert_eq!(told(1).0, 2);
        for _ in 0..3 {
            let (age, passed) = told(1);
            assert_eq!(age, 2);
            assert!(passed >= REPEATED, "{passed:?}");
        }
        // A wait of zero time is answered at once, and a new setting ends every wait.
        let mut watches = [Watch { id, age: 1 }];
        assert_eq!(events.watch(&mut watches, false, NOW), Ok(()));
        events.set(id).unwrap();
        assert_eq!(told(1).0, 3);
        // The age that is the event's own waits for a setting, however long that takes.
        let other = events.clone();
        let setting = std::thread::spawn(move || {
            std::thread::sleep(10 * REPEATED);
            other.set(id)
        });
        assert_eq!(told(3).0, 4);
        assert_eq!(setting.join().unwrap(), Ok(()));
    }

    #[test]
    fn more_threads_than_are_remembered_miss_nothing() {
        let events = Events::default();
        let id = events.create(EventKind::Signal, 1, false, false).unwrap();
        events.set(id).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..2 * WATCHERS {
                let waited = scope.spawn(|| events.wait(&[id], false, NOW)).join();
                assert_eq!(waited.unwrap(), Ok(()));
            }
        });
        events.reset(id).unwrap();
        assert_eq!(events.wait(&[id], false, NOW), Err(EventError::Timeout));
    }

    #[test]
    fn waiting_for_all_keeps_single_events_set() {
        let events = Events::default();
        let ids = [(); 2].map(|()| events.create(EventKind::Signal, 1, false, false).unwrap());
        events.set(ids[0]).unwrap();
        assert_eq!(events.wait(&ids, true, NOW), Err(EventError::Timeout));
        events.set(ids[1]).unwrap();
        assert_eq!(events.wait(&ids, true, NOW), Ok(()));
    }

    #[test]
    fn interrupts_carry_eight_bits() {
        let events = Events::default();
        let ids: Vec<u32> = (0..300)
            .map(|_| events.create(EventKind::Signal, 1, false, false).unwrap())
            .collect();
        assert_eq!((ids[0], ids[299]), (1, 300));
        events.interrupt(0x1234_0000 | (258 & 0xff));
        assert_eq!(events.wait(&[2], false, NOW), Ok(()));
        assert_eq!(events.wait(&[258], false, NOW), Ok(()));
        assert_eq!(events.wait(&[3], false, NOW), Err(EventError::Timeout));
    }

    #[test]
    fn ids_are_reused_and_limited() {
        let events = Events::default();
        let create = || events.create(EventKind::Signal, 1, false, false);
        let first = create().unwrap();
        for _ in 2..EVENT_LIMIT {
            create().unwrap();
        }
        assert_eq!(create(), Err(EventError::TooMany));
        events.destroy(first).unwrap();
        assert_eq!(events.set(first), Err(EventError::Unknown));
        assert_eq!(create(), Ok(first));
    }

    #[test]
    fn a_fault_reaches_its_event() {
        let events = Events::default();
        let fault = MemoryFault {
            node: 1,
            address: 0xdead_0000,
            read_only: false,
        };
        assert!(!events.memory_fault(fault));
        let id = events
            .create(EventKind::MemoryFault, 1, false, false)
            .unwrap();
        assert!(events.memory_fault(fault));
        assert_eq!(events.wait(&[id], false, NOW), Ok(()));
        assert_eq!(events.fault(id), Some(fault));
    }
}
