//! The one session of the process: who may use it when, and how it ends.
//!
//! * It ends with the last `hsa_shut_down`, in `OnUnload`, or when the program exits without shutting HSA down, as HIP programs do.
//! * A forked child has none: the runtime does not survive a fork. It gets its own when it starts HSA itself.
//! * Nothing here is ever freed: code of this library may run until the process ends.

use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use guest::{
    library,
    process::{self, PerProcess},
    threads,
};
use session::{Config, Session, config::Level, output::session_number};

use crate::{
    api::Api, contained, device::HsaDevice, hooks::Pending, ledger, lock, output, output::say,
    queues::Queues, signals, tools, transfer_hooks, transfers::Transfers, watch,
};

/// Longest time that the end of the program is held up, and that of one that dies.
pub const END: Duration = Duration::from_secs(15);
/// Part of [`END`] for kernels that are still running: a program may end without waiting for its last launches.
pub const SETTLE: Duration = Duration::from_secs(5);
pub const DEATH: Duration = Duration::from_secs(3);
/// Longest time that the end by a tool's `exit` waits for other threads to leave the runtime.
const RELEASE: Duration = Duration::from_secs(1);
const STACK: usize = 8 << 20;
/// Pause between looks at what another thread does.
const LOOK: Duration = Duration::from_millis(5);

pub struct State {
    ended: AtomicBool,
    pub api: &'static Api,
    pub session: Arc<Session>,
    pub queues: Arc<Queues>,
    pub pending: Pending,
    pub transfers: Transfers,
}

impl State {
    /// It has delivered or does so now; the runtime may be gone.
    pub fn is_over(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }
}

static CURRENT: PerProcess<State> = PerProcess::new();
/// Sessions of this process.
static BEGAN: AtomicU32 = AtomicU32::new(0);
/// A signal is about to end the program.
static DYING: AtomicBool = AtomicBool::new(false);
/// No end of a session is on its way.
static DELIVERED: AtomicBool = AtomicBool::new(true);
/// Notes from before the session began.
static EARLY: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The session, for the hot path: a vfork child is not told apart, but it rings no doorbells.
pub fn running() -> Option<&'static State> {
    CURRENT.get_fast()
}

/// The session, unless it was never started or this is a forked child.
pub fn current() -> Option<&'static State> {
    CURRENT.get()
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
    guest::contain(act, || {
        say("internal error, kernels may run uninstrumented; please report this");
    })
}

/// Starts a session if the environment asks for one; true if there is one now.
pub fn start(api: &'static Api) -> bool {
    // As early as possible, before the application puts another file there.
    guest::standard_error::remember();
    let (mut config, problems) = Config::read(|name| std::env::var_os(name));
    if config.tools.is_empty() {
        return false;
    }
    if config.level >= Level::Warn {
        problems.iter().for_each(|problem| say(problem));
    }
    if let Some(problem) = &config.refused {
        return refuse(problem);
    }
    let began = BEGAN.fetch_add(1, Ordering::Relaxed) + 1;
    config.session = session_number(config.output.as_deref(), began);
    // Before anything of the tools' runs.
    signals::install();
    if began == 1 {
        library::pin();
        process::before_further_ends(at_exit_before_start);
    }
    let own_path = library::own_path();
    config.build = own_path.as_deref().map(build_of).unwrap_or_default();
    let directory = own_path
        .and_then(|path| Some(path.parent()?.join("luthier-tools")))
        .unwrap_or_default();
    let instrumenter = match tools::instrumenter(&config, &directory) {
        Ok(instrumenter) => instrumenter,
        Err(problem) => return refuse(&problem.to_string()),
    };
    let queues = Arc::new(Queues::new(api));
    let device = match HsaDevice::new(api, Arc::clone(&queues)) {
        Ok(device) => device,
        Err(error) => return refuse(&error.to_string()),
    };
    let state = CURRENT.set(State {
        ended: AtomicBool::new(false),
        api,
        session: Session::new(config, instrumenter, Arc::new(device)),
        queues,
        pending: Pending::default(),
        transfers: Transfers::new(api),
    });
    if state.session.observes_launches() {
        transfer_hooks::install(api);
    }
    for text in lock(&EARLY).drain(..) {
        state.session.note(text);
    }
    watch::start(state);
    ledger::write(ledger::BEGAN);
    // Handlers run in reverse order, and libraries that tools are linked with must still be there when tools are called at the end.
    process::at_end(at_exit, after_fork_in_child);
    true
}

/// Says why there is no session. The launcher learns that this process has used a GPU all the same. Returns `false`.
pub fn refuse(problem: &str) -> bool {
    say(&format!("{problem}; nothing is instrumented"));
    ledger::write(ledger::REFUSED);
    false
}

/// Ends the session and delivers its summary; the second call does nothing. Takes at most about `limit`; launches that are
/// still running get `settle` of that.
pub fn finish(limit: Duration, settle: Duration) {
    let Some(state) = current().filter(|state| !state.ended.swap(true, Ordering::AcqRel)) else {
        return;
    };
    let (done, wait) = mpsc::channel();
    DELIVERED.store(false, Ordering::Release);
    // (A process that dies of a signal must not wait for what the signal has interrupted.)
    if !settle.is_zero() {
        process::before_further_ends(while_ending);
    }
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
            state.transfers.finish(&state.session);
            if untimed != 0 {
                state.session.note(format!(
                    "{untimed} launches were not timed, because too many were on their way"
                ));
            }
            if let Some((summary, text)) = state.session.finish() {
                output::deliver(&state.session, &summary, &text);
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
    let reason = match started {
        true if wait.recv_timeout(limit).is_ok() => None,
        true => Some("a device or a tool does not answer"),
        false => Some("no thread could be started to call the tools"),
    };
    if let Some(reason) = reason {
        say(&format!("{reason}; the results of tools are lost"));
        print_without_tool(state);
    }
    ledger::write(ledger::DELIVERED);
    DELIVERED.store(true, Ordering::Release);
}

fn print_without_tool(state: &State) {
    guarded(|| output::deliver(&state.session, &state.session.summary(), ""));
}

/// The program dies.
pub fn die() {
    DYING.store(true, Ordering::Relaxed);
    finish(DEATH, Duration::ZERO);
}

extern "C" fn at_exit() {
    let by_tool = contained::exits();
    guarded(|| finish(END, SETTLE));
    if by_tool {
        contained::let_go(RELEASE);
    }
}

/// The process ends, perhaps before there is a session.
extern "C" fn at_exit_before_start() {
    if current().is_none() && contained::exits() {
        say(
            "the host code of a tool called exit before the application launched anything, which ends the application, too",
        );
    }
}

/// The process ends while [`finish`] runs: another thread called `exit`. The process must not end before everything is told; and if
/// the tool called it in what it does at the end, the application has its own status to end with.
extern "C" fn while_ending() {
    if DELIVERED.load(Ordering::Acquire) {
        return;
    }
    if contained::exits() {
        contained::stop();
    }
    let began = Instant::now();
    while !DELIVERED.load(Ordering::Acquire) && began.elapsed() < END + SETTLE {
        std::thread::sleep(LOOK);
    }
}

extern "C" fn after_fork_in_child() {
    DELIVERED.store(true, Ordering::Release);
    BEGAN.store(0, Ordering::Relaxed);
    contained::after_fork_in_child();
    CURRENT.forget();
}

/// Tells this library's file from those that other builds made.
fn build_of(path: &Path) -> String {
    let file = std::fs::metadata(path);
    let modified = file.as_ref().map(|file| file.modified().ok()).ok();
    format!("{:?} {:?}", file.map(|file| file.len()).ok(), modified)
}
