//! The one session of the process: who may use it when, and how it ends.
//!
//! * It ends in `OnUnload`, or when the program exits without shutting HSA down, as HIP programs do.
//! * A forked child has none: the runtime does not survive a fork. It gets its own when it starts HSA itself.
//! * Nothing here is ever freed: code of this library may run until the process ends.

use std::{
    ffi::{CStr, CString, OsStr},
    os::unix::ffi::{OsStrExt, OsStringExt},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering},
        mpsc,
    },
    time::Duration,
};

use session::{Config, Session, config::Level};

use crate::{
    api::Api, device::HsaDevice, hooks::Pending, ledger, lock, output, output::say, queues::Queues,
    signals, threads, tools, watch,
};

/// Longest time that the end of the program is held up, and that of one that dies.
pub const END: Duration = Duration::from_secs(15);
/// Part of [`END`] for kernels that are still running: a program may end without waiting for its last launches.
pub const SETTLE: Duration = Duration::from_secs(5);
pub const DEATH: Duration = Duration::from_secs(3);
const STACK: usize = 8 << 20;

pub struct State {
    process: u32,
    generation: u32,
    ended: AtomicBool,
    pub api: &'static Api,
    pub session: Arc<Session>,
    pub queues: Arc<Queues>,
    pub pending: Pending,
}

static CURRENT: AtomicPtr<State> = AtomicPtr::new(std::ptr::null_mut());
static GENERATION: AtomicU32 = AtomicU32::new(0);
static PINNED: AtomicBool = AtomicBool::new(false);
/// A signal is about to end the program.
static DYING: AtomicBool = AtomicBool::new(false);
/// What there was to note before there was a session.
static EARLY: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The session, for the hot path: a vfork child is not told apart, but it rings no doorbells.
pub fn running() -> Option<&'static State> {
    // SAFETY: null, or a leaked box.
    unsafe { CURRENT.load(Ordering::Acquire).as_ref() }
}

/// The session, unless it was never started or this is a forked child.
pub fn current() -> Option<&'static State> {
    let state = running()?;
    // A vfork child shares our memory but is not us.
    (state.process == std::process::id()).then_some(state)
}

/// Something the user should know, shown with the summary.
pub fn note(text: String) {
    match running() {
        Some(state) => state.session.note(text),
        None => lock(&EARLY).push(text),
    }
}

/// How long code of others may take at most.
pub fn patience() -> Duration {
    match DYING.load(Ordering::Relaxed) {
        true => DEATH / 4,
        false => Duration::MAX,
    }
}

/// Runs `act`; a panic is reported and answered with `None`.
pub fn guarded<T>(act: impl FnOnce() -> T) -> Option<T> {
    let outcome = catch_unwind(AssertUnwindSafe(act));
    if outcome.is_err() {
        say("internal error, kernels may run uninstrumented; please report this");
    }
    outcome.ok()
}

/// Starts a session if the environment asks for one; true if there is one now.
pub fn start(api: &'static Api) -> bool {
    // As early as can be, before the application puts something else there.
    files::standard_error::remember();
    let (mut config, problems) = Config::read(|name| std::env::var_os(name));
    if config.tools.is_empty() {
        return false;
    }
    if config.level >= Level::Warn {
        problems.iter().for_each(|problem| say(problem));
    }
    if let Some(problem) = &config.refused {
        say(&format!("{problem}; nothing is instrumented"));
        return false;
    }
    // Before anything of the tools' runs.
    signals::install();
    let own_path = own_path();
    config.build = own_path.as_deref().map(build_of).unwrap_or_default();
    let directory = own_path
        .and_then(|path| Some(path.parent()?.join("luthier-tools")))
        .unwrap_or_default();
    let instrumenter = match tools::instrumenter(&config, &directory) {
        Ok(instrumenter) => instrumenter,
        Err(problem) => {
            say(&format!("{problem}; nothing is instrumented"));
            return false;
        }
    };
    let queues = Arc::new(Queues::new(api));
    let device = match HsaDevice::new(api, Arc::clone(&queues)) {
        Ok(device) => device,
        Err(error) => {
            say(&format!("{error}; nothing is instrumented"));
            return false;
        }
    };
    let state = State {
        process: std::process::id(),
        generation: GENERATION.fetch_add(1, Ordering::Relaxed) + 1,
        ended: AtomicBool::new(false),
        api,
        session: Session::new(config, instrumenter, Arc::new(device)),
        queues,
        pending: Pending::default(),
    };
    let state: &State = Box::leak(Box::new(state));
    for text in lock(&EARLY).drain(..) {
        state.session.note(text);
    }
    CURRENT.store(std::ptr::from_ref(state).cast_mut(), Ordering::Release);
    watch::start(state);
    ledger::write(ledger::BEGAN);
    register_exit_handlers();
    true
}

/// Ends the session and delivers its summary; the second call does nothing. Takes at most about `limit`; launches that are
/// still running get `settle` of that.
pub fn finish(limit: Duration, settle: Duration) {
    let Some(state) = current().filter(|state| !state.ended.swap(true, Ordering::AcqRel)) else {
        return;
    };
    let (done, wait) = mpsc::channel();
    let end = move || {
        guarded(|| {
            // In a thread of its own, because it may come behind a launch that waits for a kernel.
            let (settled, wait) = mpsc::channel();
            let task = Box::new(move || {
                let _ = settled.send(guarded(|| state.queues.settle(settle)) == Some(true));
            });
            if !settle.is_zero()
                && threads::spawn("luthier-settle", STACK, task)
                && !wait.recv_timeout(settle).unwrap_or(false)
            {
                state.session.note(
                    "kernels were still running when the program ended; what they counted is missing".into(),
                );
            }
            let untimed = state.queues.harvest();
            if untimed != 0 {
                state.session.note(format!(
                    "{untimed} launches were not timed, because too many were on their way"
                ));
            }
            if let Some((summary, text)) = state.session.finish() {
                output::deliver(&state.session, &summary, &text, state.generation);
            }
        });
        let _ = done.send(());
    };
    // Tools take their time one after the other.
    let config = state.session.config();
    let limit = match settle.is_zero() {
        true => limit,
        false => {
            let tools = u32::try_from(config.tools.len()).unwrap_or(u32::MAX);
            limit.saturating_add(config.tool_limit.saturating_mul(tools))
        }
    };
    // A device that hangs must not keep the program from ending.
    let started = threads::spawn("luthier-end", STACK, Box::new(end));
    if !started || wait.recv_timeout(limit).is_err() {
        say("the devices do not answer, or a tool; what tools collected is lost");
        print_without_tool(state);
    }
    ledger::write(ledger::DELIVERED);
}

fn print_without_tool(state: &State) {
    guarded(|| {
        output::deliver(
            &state.session,
            &state.session.summary(),
            "",
            state.generation,
        )
    });
}

/// The program dies.
pub fn die() {
    DYING.store(true, Ordering::Relaxed);
    finish(DEATH, Duration::ZERO);
}

extern "C" fn at_exit() {
    finish(END, SETTLE);
}

extern "C" fn after_fork_in_child() {
    CURRENT.store(std::ptr::null_mut(), Ordering::Release);
}

unsafe extern "C" {
    fn at_quick_exit(handler: extern "C" fn()) -> libc::c_int;
}

/// Tells this library's file from those that other builds made.
fn build_of(path: &Path) -> String {
    let file = std::fs::metadata(path);
    let modified = file.as_ref().map(|file| file.modified().ok()).ok();
    format!("{:?} {:?}", file.map(|file| file.len()).ok(), modified)
}

/// Where this library lies.
pub fn own_path() -> Option<PathBuf> {
    // SAFETY: an all-zero `Dl_info` is a valid value for `dladdr` to overwrite.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the address is one of our functions; on success the name is a string that lives as long as the library.
    unsafe {
        if libc::dladdr(at_exit as *const () as *const libc::c_void, &raw mut info) == 0
            || info.dli_fname.is_null()
        {
            return None;
        }
        let name = CStr::from_ptr(info.dli_fname);
        Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
    }
}

/// HIP never shuts HSA down, so the end of the program is the only end there is. Handlers run in reverse order, and this is
/// called inside the first `hsa_init`: our turn comes before the HIP module's destructor unloads the code.
fn register_exit_handlers() {
    if PINNED.swap(true, Ordering::AcqRel) {
        return;
    }
    if let Some(path) =
        own_path().and_then(|path| CString::new(path.into_os_string().into_vec()).ok())
    {
        let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE;
        // SAFETY: the path is a string; the library is loaded already, so nothing runs.
        unsafe { libc::dlopen(path.as_ptr(), flags) };
    }
    // SAFETY: the handlers live as long as the process, because the library pinned itself.
    unsafe {
        libc::atexit(at_exit);
        at_quick_exit(at_exit);
        libc::pthread_atfork(None, None, Some(after_fork_in_child));
    }
}
