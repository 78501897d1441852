//! The one collector of the process, and who may touch it when.
//!
//! * A forked child has no collector: the runtime does not survive a fork, and the counts belong to the parent. It gets
//!   its own when it starts HSA itself.
//! * Calls nest when our own copies run into our own hooks; the inner ones are let through untouched.
//! * Nothing here is ever freed: code of this library may run until the process ends.

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicPtr, Ordering},
        mpsc,
    },
    time::Duration,
};

use drain::{Collector, Config, Runtime};

use crate::runtime::{Api, HsaRuntime};

/// Longest time a dying program is held up.
pub const EMERGENCY: Duration = Duration::from_secs(10);

struct Shared {
    process: u32,
    collector: Mutex<Collector>,
    /// The functions to reach the runtime by, while it runs.
    api: Mutex<Option<Api>>,
}

static CURRENT: AtomicPtr<Shared> = AtomicPtr::new(std::ptr::null_mut());
static PINNED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static BUSY: Cell<bool> = const { Cell::new(false) };
}

fn current() -> Option<&'static Shared> {
    // SAFETY: the pointer is null or that of a leaked box.
    let shared = unsafe { CURRENT.load(Ordering::Acquire).as_ref() }?;
    // A vfork child shares our memory but is not us.
    (shared.process == std::process::id()).then_some(shared)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints one line; never fails, never panics.
pub fn say(message: &str) {
    files::standard_error::print(&format!("luthier coverage: {message}\n"));
}

/// Whether a runtime is connected.
pub fn is_armed() -> bool {
    current().is_some_and(|shared| lock(&shared.api).is_some())
}

/// Connects to the runtime. The collector of an earlier connection in this process goes on.
pub fn arm(api: Api) {
    files::standard_error::remember();
    if let Some(shared) = current() {
        *lock(&shared.api) = Some(api);
        return;
    }
    let (config, problems) = Config::read(|name| std::env::var(name).ok());
    problems.iter().for_each(|problem| say(problem));
    let shared = Shared {
        process: std::process::id(),
        collector: Mutex::new(Collector::new(config.clone())),
        api: Mutex::new(Some(api)),
    };
    CURRENT.store(Box::leak(Box::new(shared)), Ordering::Release);
    register_exit_handlers();
    crate::service::start(&config);
}

/// The runtime is gone; what was taken stays.
pub fn disarm() {
    if let Some(shared) = current() {
        *lock(&shared.api) = None;
    }
}

/// Runs `act` on the collector, unless this thread is already inside, or this process has none.
pub fn with<T>(act: impl FnOnce(&mut Collector, Option<&dyn Runtime>) -> T) -> Option<T> {
    let shared = current()?;
    let busy = BUSY.try_with(|busy| busy.replace(true)).unwrap_or(false);
    if busy {
        return None;
    }
    let outcome = contained(|| {
        let mut collector = lock(&shared.collector);
        let api = *lock(&shared.api);
        let runtime = api.and_then(|api| HsaRuntime::new(api).ok());
        let result = act(
            &mut collector,
            runtime.as_ref().map(|runtime| runtime as &dyn Runtime),
        );
        (result, collector.take_messages())
    });
    let _ = BUSY.try_with(|busy| busy.set(false));
    let (result, messages) = outcome?;
    messages.iter().for_each(|message| say(message));
    Some(result)
}

/// Runs `act`, which no panic leaves: the host program would end by it.
pub fn contained<T>(act: impl FnOnce() -> T) -> Option<T> {
    let outcome = catch_unwind(AssertUnwindSafe(act));
    if outcome.is_err() {
        say("internal error, profiles may be incomplete; please report this");
    }
    outcome.ok()
}

/// Writes all counts; 0 when everything worked.
pub fn dump() -> i32 {
    let failures = with(|collector, runtime| collector.dump(runtime).failures);
    i32::from(failures.is_some_and(|failures| failures != 0))
}

/// Writes all counts from another thread and waits a while: the caller is about to die and may hold any lock.
pub fn dump_in_emergency() {
    if current().is_none() {
        return;
    }
    contained(|| {
        let (done, wait) = mpsc::channel();
        let thread = std::thread::Builder::new().spawn(move || {
            dump();
            let _ = done.send(());
        });
        if thread.is_ok() && wait.recv_timeout(EMERGENCY).is_err() {
            say("the program died in a state that does not allow to read the counters");
        }
    });
}

extern "C" fn at_exit() {
    dump();
}

extern "C" fn after_fork_in_child() {
    CURRENT.store(std::ptr::null_mut(), Ordering::Release);
}

unsafe extern "C" {
    fn at_quick_exit(handler: extern "C" fn()) -> libc::c_int;
}

/// Handlers run in reverse order, and this is called inside the first `hsa_init`: mostly from `main`, so our turn comes
/// before the HIP module's destructor unloads the code.
fn register_exit_handlers() {
    if PINNED.swap(true, Ordering::AcqRel) {
        return;
    }
    // SAFETY: the handlers live as long as the process, because the library pins itself first.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(at_exit as *const () as *const libc::c_void, &raw mut info) != 0
            && !info.dli_fname.is_null()
        {
            libc::dlopen(
                info.dli_fname,
                libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE,
            );
        }
        libc::atexit(at_exit);
        at_quick_exit(at_exit);
        libc::pthread_atfork(None, None, Some(after_fork_in_child));
    }
}
