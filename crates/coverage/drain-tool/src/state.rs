//! The one collector of the process, and who may touch it when.
//!
//! * A forked child has no collector: the runtime does not survive a fork, and the counts belong to the parent. It gets
//!   its own when it starts HSA itself.
//! * Calls nest when our own copies run into our own hooks; the inner ones are let through untouched.
//! * Nothing here is ever freed: code of this library may run until the process ends.

use std::{
    cell::Cell,
    sync::{Mutex, mpsc},
    time::Duration,
};

use drain::{Collector, Config, Runtime};
use guest::{
    lock,
    process::{self, PerProcess},
    threads,
};
use hsa_tool::Tables;

use crate::runtime::HsaRuntime;

/// Longest time a dying program is held up.
pub const EMERGENCY: Duration = Duration::from_secs(10);

/// Bytes, of a thread that writes counts.
pub const STACK: usize = 8 << 20;

struct Shared {
    collector: Mutex<Collector>,
    /// The functions to reach the runtime by, while it runs.
    tables: Mutex<Option<&'static Tables>>,
}

static CURRENT: PerProcess<Shared> = PerProcess::new();

thread_local! {
    static BUSY: Cell<bool> = const { Cell::new(false) };
}

/// Prints one line; never fails, never panics.
pub fn say(message: &str) {
    guest::standard_error::print(&format!("luthier coverage: {message}\n"));
}

/// Returns `true` if a runtime is connected.
pub fn is_armed() -> bool {
    CURRENT
        .get()
        .is_some_and(|shared| lock(&shared.tables).is_some())
}

/// Connects to the runtime. The collector of an earlier connection in this process goes on.
pub fn arm(tables: Tables) {
    guest::standard_error::remember();
    let tables: &'static Tables = Box::leak(Box::new(tables));
    if let Some(shared) = CURRENT.get() {
        *lock(&shared.tables) = Some(tables);
        return;
    }
    let (config, problems) = Config::read(|name| std::env::var(name).ok());
    problems.iter().for_each(|problem| say(problem));
    CURRENT.set(Shared {
        collector: Mutex::new(Collector::new(config.clone())),
        tables: Mutex::new(Some(tables)),
    });
    process::at_end(at_exit, after_fork_in_child);
    crate::service::start(&config);
}

/// The runtime is gone; what was taken stays.
pub fn disarm() {
    if let Some(shared) = CURRENT.get() {
        *lock(&shared.tables) = None;
    }
}

/// Runs `act` on the collector, unless this thread is already inside, or this process has none.
pub fn with<T>(act: impl FnOnce(&mut Collector, Option<&dyn Runtime>) -> T) -> Option<T> {
    let shared = CURRENT.get()?;
    let busy = BUSY.try_with(|busy| busy.replace(true)).unwrap_or(false);
    if busy {
        return None;
    }
    let result = contained(|| {
        let (result, messages) = {
            let mut collector = lock(&shared.collector);
            let tables = *lock(&shared.tables);
            let runtime = tables.and_then(|tables| HsaRuntime::new(tables).ok());
            let runtime = runtime.as_ref().map(|runtime| runtime as &dyn Runtime);
            (act(&mut collector, runtime), collector.take_messages())
        };
        messages.iter().for_each(|message| say(message));
        result
    });
    let _ = BUSY.try_with(|busy| busy.set(false));
    result
}

/// Runs `act`, which no panic leaves: the host program would end by it.
pub fn contained<T>(act: impl FnOnce() -> T) -> Option<T> {
    guest::contain(act, || {
        say("internal error, profiles may be incomplete; please report this");
    })
}

/// Writes all counts; 0 when everything worked.
pub fn dump() -> i32 {
    let failures = with(|collector, runtime| collector.dump(runtime).failures);
    i32::from(failures.is_some_and(|failures| failures != 0))
}

/// Writes all counts from another thread and waits a while: the caller is about to die and may hold any lock.
pub fn dump_in_emergency() {
    if CURRENT.get().is_none() {
        return;
    }
    contained(|| {
        let (done, wait) = mpsc::channel();
        let task = Box::new(move || {
            dump();
            let _ = done.send(());
        });
        if threads::spawn("luthier-dump", STACK, task) && wait.recv_timeout(EMERGENCY).is_err() {
            say("the program died in a state that does not allow to read the counters");
        }
    });
}

extern "C" fn at_exit() {
    dump();
}

extern "C" fn after_fork_in_child() {
    CURRENT.forget();
}
