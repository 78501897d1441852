//! Work on several things at once whose results are wanted in the things' order, with bounds on how much is under way.

use std::{
    any::Any,
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use lift::TakenProcessor;

/// Things that are worked on at once: more would wait for memory. Each has its share of the processors that are left.
const MOST: usize = 8;
/// The bytes that may be worked on at once, except for a single thing that is larger. Work on a code object takes up to 20 times its bytes
/// for a while. Two of the largest objects that libraries have, of 14 MB, can be worked on at once.
const WEIGHT: usize = 32 << 20;
/// A finished thing that waits for its turn counts by this part, because it is hardly larger than its input.
const MADE: usize = 8;

/// Hands what `act` makes of each item to `done`, in the items' order. An error of `done` ends the work. `weight`: bytes of an item.
pub fn in_order<T: Sync, R: Send, E>(
    items: &[T],
    weight: impl Fn(&T) -> usize + Sync,
    act: impl Fn(&T) -> R + Sync,
    mut done: impl FnMut(&T, R) -> Result<(), E>,
) -> Result<(), E> {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let threads = processors.min(MOST).min(items.len());
    let queue = Queue {
        items,
        weight,
        state: Mutex::default(),
        changed: Condvar::new(),
    };
    thread::scope(|scope| {
        // However this function is left, no thread begins anything more.
        let _end = End(&queue);
        let work = || queue.work(&act);
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        // If there are no threads, or no use for them, this one does all the work.
        let started = match threads {
            0 | 1 => 0,
            threads => (0..threads).map_while(start).count(),
        };
        for (index, item) in items.iter().enumerate() {
            let made = match started {
                0 => act(item),
                _ => queue.take(index),
            };
            done(item, made)?;
            queue.put_away(item);
        }
        Ok(())
    })
}

struct Queue<'i, T, R, W> {
    items: &'i [T],
    weight: W,
    state: Mutex<State<R>>,
    changed: Condvar,
}

struct State<R> {
    /// The first that is not begun.
    next: usize,
    /// Bytes of those that are being worked on, and a part of the bytes of those that are made and not put away.
    under_way: usize,
    /// Things that were finished and are not taken yet. A panic continues where its thing is taken.
    made: BTreeMap<usize, Result<R, Box<dyn Any + Send>>>,
    ended: bool,
}

impl<R> Default for State<R> {
    fn default() -> State<R> {
        State {
            next: 0,
            under_way: 0,
            made: BTreeMap::new(),
            ended: false,
        }
    }
}

impl<T, R, W: Fn(&T) -> usize> Queue<'_, T, R, W> {
    fn lock(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State<R>>) -> MutexGuard<'s, State<R>> {
        let waited = self.changed.wait(state);
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    /// The work of a thread, until there is nothing more to begin.
    fn work(&self, act: impl Fn(&T) -> R) {
        while let Some((index, item)) = self.begin() {
            let processor = TakenProcessor::take();
            let made = catch_unwind(AssertUnwindSafe(|| act(item)));
            drop(processor);
            let mut state = self.lock();
            state.made.insert(index, made);
            self.lighter(state, self.weight(item) - self.weight(item) / MADE);
        }
    }

    fn begin(&self) -> Option<(usize, &T)> {
        let mut state = self.lock();
        loop {
            let index = state.next;
            let item = self.items.get(index).filter(|_| !state.ended)?;
            let weight = self.weight(item);
            if state.under_way == 0 || state.under_way + weight <= WEIGHT {
                state.next += 1;
                state.under_way += weight;
                return Some((index, item));
            }
            state = self.wait(state);
        }
    }

    /// Waits for what is made of the item with this index.
    fn take(&self, index: usize) -> R {
        let mut state = self.lock();
        loop {
            if let Some(made) = state.made.remove(&index) {
                drop(state);
                return made.unwrap_or_else(|panic| resume_unwind(panic));
            }
            state = self.wait(state);
        }
    }

    fn put_away(&self, item: &T) {
        self.lighter(self.lock(), self.weight(item) / MADE);
    }

    fn weight(&self, item: &T) -> usize {
        (self.weight)(item)
    }

    /// Less is under way.
    fn lighter(&self, mut state: MutexGuard<'_, State<R>>, weight: usize) {
        state.under_way = state.under_way.saturating_sub(weight);
        drop(state);
        self.changed.notify_all();
    }
}

struct End<'q, 'i, T, R, W>(&'q Queue<'i, T, R, W>);

impl<T, R, W> Drop for End<'_, '_, T, R, W> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.ended = true;
        drop(state);
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        sync::atomic::{AtomicUsize, Ordering::SeqCst},
        time::Duration,
    };

    /// Later items are quicker, and nothing is begun that would be too much.
    #[test]
    fn results_come_in_order_and_little_is_under_way() {
        let items: Vec<usize> = (0..40).map(|index| WEIGHT / (1 + index % 5)).collect();
        let under_way = AtomicUsize::new(0);
        let mut seen = Vec::new();
        let act = |item: &usize| {
            let now = under_way.fetch_add(*item, SeqCst) + item;
            thread::sleep(Duration::from_micros(*item as u64 >> 14));
            under_way.fetch_sub(item - item / MADE, SeqCst);
            (*item, now)
        };
        let all = in_order(
            &items,
            |item| *item,
            act,
            |item, (made, now)| {
                assert_eq!(*item, made);
                assert!(now <= WEIGHT, "{now} bytes at once");
                under_way.fetch_sub(item / MADE, SeqCst);
                seen.push(made);
                Ok::<_, ()>(())
            },
        );
        assert_eq!(all, Ok(()));
        assert_eq!(seen, items);
    }

    #[test]
    fn an_error_ends_the_work_and_a_panic_goes_on() {
        let items: Vec<usize> = (0..1000).collect();
        let begun = AtomicUsize::new(0);
        let act = |item: &usize| {
            begun.fetch_add(1, SeqCst);
            thread::sleep(Duration::from_millis(1));
            assert_ne!(*item, 70, "as it is to be");
        };
        let mut taken = 0;
        let failed = in_order(
            &items,
            |_| 1,
            act,
            |item, ()| {
                taken += 1;
                if *item == 5 { Err(*item) } else { Ok(()) }
            },
        );
        assert_eq!((failed, taken), (Err(5), 6));
        assert!(begun.load(SeqCst) < 900, "{begun:?}");
        let caught = catch_unwind(AssertUnwindSafe(|| {
            in_order(&items, |_| 1, act, |_, ()| Ok::<_, ()>(()))
        }));
        let panic = caught.expect_err("it goes on");
        let text = panic.downcast_ref::<String>().map_or("", String::as_str);
        assert!(text.contains("as it is to be"), "{text}");
    }
}
