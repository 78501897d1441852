//! The thread that looks for new packets.
//!
//! Doorbells are plain memory, so a thread has to poll them. Right after work the thread yields and looks again; the longer nothing
//! happens, the longer it sleeps. Without a queue, it sleeps until there is one. Host calls that precede a wait kick it, and so do
//! doorbells that are rung through ROCr's table. Launches therefore rarely wait for a long sleep to end.

use std::{
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Something with a ring of packets.
pub(crate) trait Engine: Send + Sync {
    /// Does what can be done without blocking; returns whether anything was done.
    fn pump(&self) -> bool;
}

/// How long to sleep when nothing has happened for so long.
#[rustfmt::skip]
const SLEEPS: [(Duration, Duration); 4] = [
    (Duration::from_micros(500), Duration::from_micros(20)),
    (Duration::from_millis(5),   Duration::from_micros(100)),
    (Duration::from_millis(500), Duration::from_micros(500)),
    (Duration::MAX,              Duration::from_millis(2)),
];
/// Yield instead of sleeping for so long after the last packet.
const YIELD: Duration = Duration::from_micros(60);

#[derive(Default)]
struct State {
    engines: Vec<Arc<dyn Engine>>,
    /// Counts changes of `engines`, so that the thread copies the list only then.
    version: u64,
    running: bool,
    kicked: bool,
}

/// A polling thread, started with its first engine and never stopped.
pub(crate) struct Processor {
    name: &'static str,
    state: Mutex<State>,
    wake: Condvar,
    asleep: AtomicBool,
}

impl Processor {
    pub fn new(name: &'static str) -> Arc<Processor> {
        Arc::new(Processor {
            name,
            state: Mutex::default(),
            wake: Condvar::new(),
            asleep: AtomicBool::new(false),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .unwrap_or_else(|poison| poison.into_inner())
    }

    /// Starts looking at an engine. Fails if the host gives no thread.
    pub fn add(self: &Arc<Self>, engine: Arc<dyn Engine>) -> std::io::Result<()> {
        let mut state = self.lock();
        if !state.running {
            // Programs may take memory away while its packets are processed.
            crate::guard::install();
            let processor = self.clone();
            spawn(self.name, move || processor.run())?;
            state.running = true;
        }
        state.engines.push(engine);
        state.version += 1;
        drop(state);
        self.kick();
        Ok(())
    }

    /// Stops looking at an engine.
    pub fn remove(&self, engine: &Arc<dyn Engine>) {
        let mut state = self.lock();
        state.engines.retain(|other| !Arc::ptr_eq(other, engine));
        state.version += 1;
    }

    /// Looks at all engines soon. Cheap unless the thread sleeps.
    pub fn kick(&self) {
        if self.asleep.load(Ordering::SeqCst) {
            self.lock().kicked = true;
            self.wake.notify_one();
        }
    }

    fn run(&self) {
        let (mut engines, mut version) = (Vec::new(), u64::MAX);
        let mut last_progress = Instant::now();
        loop {
            {
                let state = self.lock();
                if state.version != version {
                    engines = state.engines.clone();
                    version = state.version;
                }
            }
            let mut progress = false;
            for engine in &engines {
                progress |= engine.pump();
            }
            let now = Instant::now();
            if progress {
                last_progress = now;
            }
            let idle = now - last_progress;
            if idle < YIELD {
                std::thread::yield_now();
                continue;
            }
            let sleep = SLEEPS
                .iter()
                .find(|(limit, _)| idle < *limit)
                .map_or(SLEEPS[3].1, |(_, sleep)| *sleep);
            self.asleep.store(true, Ordering::SeqCst);
            // A caller that rang before that store was visible has not kicked.
            if engines
                .iter()
                .fold(false, |any, engine| any | engine.pump())
            {
                self.asleep.store(false, Ordering::SeqCst);
                last_progress = Instant::now();
                continue;
            }
            let state = self.lock();
            let mut state = match (state.kicked || state.version != version, engines.len()) {
                (true, _) => state,
                (false, 0) => self
                    .wake
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
                (false, _) => {
                    let waited = self.wake.wait_timeout(state, sleep);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
            if std::mem::take(&mut state.kicked) {
                last_progress = Instant::now();
            }
            drop(state);
            self.asleep.store(false, Ordering::SeqCst);
        }
    }
}

/// Starts a thread that takes none of the application's signals and whose sleeps end on time.
pub fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    // SAFETY: both sets are valid for the calls; blocking signals around the creation makes the new thread inherit the full
    // mask, and the caller's own mask is restored whether or not the creation succeeds.
    unsafe {
        let (mut all, mut old) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&mut all);
        // A fault in our own thread must still kill the process.
        for signal in [
            libc::SIGSEGV,
            libc::SIGBUS,
            libc::SIGILL,
            libc::SIGFPE,
            libc::SIGABRT,
            libc::SIGTRAP,
        ] {
            libc::sigdelset(&mut all, signal);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut old);
        let result = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                libc::prctl(libc::PR_SET_TIMERSLACK, 5_000_u64, 0, 0, 0);
                body();
            });
        libc::pthread_sigmask(libc::SIG_SETMASK, &old, std::ptr::null_mut());
        result.map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, sync::atomic::AtomicUsize};

    use super::*;

    /// Counts how often it is looked at.
    #[derive(Default)]
    struct Ring(AtomicUsize);

    impl Engine for Ring {
        fn pump(&self) -> bool {
            self.0.fetch_add(1, Ordering::SeqCst);
            false
        }
    }

    /// How often the thread of that name has slept, as Linux counts it.
    fn slept(name: &str) -> u64 {
        let threads = fs::read_dir("/proc/self/task").unwrap();
        let mut folders = threads.map(|entry| entry.unwrap().path());
        let is_it = |folder: &std::path::PathBuf| {
            fs::read_to_string(folder.join("comm")).is_ok_and(|comm| comm.trim() == name)
        };
        let folder = folders.find(is_it).expect("the thread never ends");
        let status = fs::read_to_string(folder.join("status")).unwrap();
        let mut lines = status.lines();
        let slept = lines.find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        slept.unwrap().trim().parse().unwrap()
    }

    #[test]
    fn without_a_queue_nothing_is_looked_at_until_there_is_one() {
        let processor = Processor::new("test-queues");
        let (first, second) = (Arc::new(Ring::default()), Arc::new(Ring::default()));
        let engines: [Arc<dyn Engine>; 2] = [first.clone(), second.clone()];
        let looked_at = |ring: &Ring| {
            let before = ring.0.load(Ordering::SeqCst);
            while ring.0.load(Ordering::SeqCst) < before + 3 {
                std::thread::yield_now();
            }
        };
        processor.add(engines[0].clone()).unwrap();
        looked_at(&first);
        processor.remove(&engines[0]);
        // It sleeps for the last time, and no more than that however long this takes.
        let mut last = slept("test-queues");
        loop {
            std::thread::sleep(Duration::from_millis(50));
            let now = slept("test-queues");
            if now == last {
                break;
            }
            last = now;
        }
        processor.add(engines[1].clone()).unwrap();
        looked_at(&second);
    }
}
