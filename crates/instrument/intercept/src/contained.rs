//! Threads that run code of others: what would end the process there ends the thread.
//!
//! The thread has a row in a table, where the handler of deadly signals ([`crate::signals`]) looks the thread up. If it is there, the
//! handler writes down the signal and never returns. Data that the thread held or had borrowed is not touched any more, and a thread that
//! waits for it sees the entry.

use std::{
    sync::{
        atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering},
        mpsc::{Receiver, RecvTimeoutError, TryRecvError},
    },
    time::{Duration, Instant},
};

use guest::threads;

/// Signals that a thread brings upon itself.
const OWN: [libc::c_int; 5] = [
    libc::SIGABRT,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGSEGV,
];
/// Handlers run here, for the thread's own stack may be what it used up.
const HANDLER_STACK: usize = 64 << 10;
/// Pause between looks at the table while a thread waits.
const LOOK: Duration = Duration::from_millis(20);

struct Row {
    /// 0 if the row is free.
    thread: AtomicI32,
    /// 0 while it lives, a signal that it died of, or [`EXITS`].
    signal: AtomicI32,
    /// The thread runs code that bounds its time itself.
    patient: AtomicBool,
}

/// Threads beyond these are not contained: what they do then ends the process.
static TABLE: [Row; 64] = [const {
    Row {
        thread: AtomicI32::new(0),
        signal: AtomicI32::new(0),
        patient: AtomicBool::new(false),
    }
}; 64];

/// Threads that wait for an answer of a contained thread.
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// A contained thread.
#[derive(Clone, Copy)]
pub struct Contained(Option<&'static Row>);

/// In the place of a signal: the thread has called `exit`, and runs the handlers of the process's end.
const EXITS: i32 = -1;

/// Why no answer came.
pub enum Silence {
    /// The thread called `exit`.
    Exit,
    /// The thread died of this signal.
    Signal(i32),
    Late,
}

/// Starts a thread; `None` if there can be none.
pub fn spawn(name: &str, stack: usize, task: Box<dyn FnOnce() + Send>) -> Option<Contained> {
    // The row is taken before the thread starts, so that a waiting thread has it.
    const TAKEN: i32 = -1;
    let free = |row: &&Row| {
        let taken = row
            .thread
            .compare_exchange(0, TAKEN, Ordering::AcqRel, Ordering::Relaxed);
        taken.is_ok()
    };
    let row = TABLE.iter().find(free);
    let contained = Box::new(move || {
        let Some(row) = row else {
            return task();
        };
        let stack = HandlerStack::new();
        // SAFETY: no arguments.
        row.thread
            .store(unsafe { libc::gettid() }, Ordering::Release);
        allow_own_signals();
        task();
        drop(stack);
        row.thread.store(0, Ordering::Release);
    });
    if threads::spawn(name, stack, contained) {
        return Some(Contained(row));
    }
    if let Some(row) = row {
        row.thread.store(0, Ordering::Release);
    }
    None
}

impl Contained {
    /// The value that the thread sends. Waits until `limit` is over or the thread has died; time inside [`patiently`] does not count.
    pub fn answer<T>(self, answered: &Receiver<T>, limit: Duration) -> Result<T, Silence> {
        WAITING.fetch_add(1, Ordering::AcqRel);
        let answer = self.wait(answered, limit);
        WAITING.fetch_sub(1, Ordering::AcqRel);
        answer
    }

    fn wait<T>(self, answered: &Receiver<T>, limit: Duration) -> Result<T, Silence> {
        let mut began = Instant::now();
        loop {
            if self
                .0
                .is_some_and(|row| row.patient.load(Ordering::Acquire))
            {
                began = Instant::now();
            }
            let left = limit.saturating_sub(began.elapsed());
            match answered.recv_timeout(left.min(LOOK)) {
                Ok(answer) => return Ok(answer),
                // It ended in a way of its own, as by `pthread_exit`.
                Err(RecvTimeoutError::Disconnected) => return Err(Silence::Late),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Some(end) = self.end(answered) {
                return end;
            }
            if left.is_zero() {
                return Err(Silence::Late);
            }
        }
    }

    /// Returns `true` if the thread has called `exit`.
    pub fn exits(self) -> bool {
        self.0
            .is_some_and(|row| row.signal.load(Ordering::Acquire) == EXITS)
    }

    /// How the thread ended, for a caller that had no answer a moment ago; `None` if it still runs.
    fn end<T>(self, answered: &Receiver<T>) -> Option<Result<T, Silence>> {
        let signal = self.0.map_or(0, |row| row.signal.load(Ordering::Acquire));
        if signal == 0 {
            return None;
        }
        // The thread may have answered and ended meanwhile, and the signal be that of the next one in its row. A row is free
        // when what its thread sent has arrived and its end of the channel is closed.
        Some(match answered.try_recv() {
            Ok(answer) => Ok(answer),
            Err(TryRecvError::Disconnected) => Err(Silence::Late),
            Err(TryRecvError::Empty) if signal == EXITS => Err(Silence::Exit),
            Err(TryRecvError::Empty) => Err(Silence::Signal(signal)),
        })
    }
}

/// Runs `act`, which bounds its time itself. Threads that wait for this thread do not give up meanwhile.
pub fn patiently<T>(act: impl FnOnce() -> T) -> T {
    let row = own_row();
    let set = |patient| {
        if let Some(row) = row {
            row.patient.store(patient, Ordering::Release);
        }
    };
    set(true);
    let done = act();
    set(false);
    done
}

/// For the handler of `signal`: does not return if this thread is contained and brought the signal upon itself.
///
/// # Safety
/// `info` must be what the handler was called with.
pub unsafe fn stop_here(signal: libc::c_int, info: *const libc::siginfo_t) {
    // SAFETY: the caller's promise.
    let from_elsewhere = unsafe { matches!((*info).si_code, libc::SI_USER | libc::SI_QUEUE) };
    if from_elsewhere || !OWN.contains(&signal) {
        return;
    }
    if let Some(row) = own_row() {
        row.signal.store(signal, Ordering::Release);
        stop();
    }
}

/// A forked child has no thread that waits.
pub fn after_fork_in_child() {
    WAITING.store(0, Ordering::Release);
}

/// The row of this thread, if it is contained.
fn own_row() -> Option<&'static Row> {
    // SAFETY: no arguments.
    let thread = unsafe { libc::gettid() };
    let mut rows = TABLE.iter();
    rows.find(|row| row.thread.load(Ordering::Acquire) == thread)
}

/// For handlers of the process's end: whether this thread is contained, so that code of others has called `exit` in it. Threads that
/// wait for it learn of that.
pub fn exits() -> bool {
    let row = own_row();
    if let Some(row) = row {
        row.signal.store(EXITS, Ordering::Release);
    }
    row.is_some()
}

/// For a contained thread that has called `exit`: lets other threads leave the runtime, whose destructors take away what its functions use.
/// They have left when none of them waits for a contained thread and all sleep in two looks. Takes at most `limit`.
pub fn let_go(limit: Duration) {
    let began = Instant::now();
    let mut still = 0;
    while still < 2 && began.elapsed() < limit {
        std::thread::sleep(LOOK);
        let quiet = WAITING.load(Ordering::Acquire) == 0 && others_sleep();
        still = if quiet { still + 1 } else { 0 };
    }
}

/// Returns `true` if no other thread of this process runs.
fn others_sleep() -> bool {
    // SAFETY: no arguments.
    let own = unsafe { libc::gettid() }.to_string();
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else {
        return true;
    };
    let mut others = threads
        .flatten()
        .filter(|thread| thread.file_name() != *own);
    !others.any(|thread| {
        let state = std::fs::read_to_string(thread.path().join("stat"));
        let state = state.as_deref().unwrap_or_default().rsplit_once(") ");
        state.is_some_and(|(_, rest)| rest.starts_with('R'))
    })
}

/// Never returns.
pub fn stop() -> ! {
    loop {
        // SAFETY: no arguments.
        unsafe { libc::pause() };
    }
}

/// Luthier's threads have all signals blocked, and a fault that is blocked ends the process.
fn allow_own_signals() {
    // SAFETY: the set is initialised by the first call.
    unsafe {
        let mut own = std::mem::MaybeUninit::uninit();
        libc::sigemptyset(own.as_mut_ptr());
        for signal in OWN {
            libc::sigaddset(own.as_mut_ptr(), signal);
        }
        libc::pthread_sigmask(libc::SIG_UNBLOCK, own.as_ptr(), std::ptr::null_mut());
    }
}

/// A stack for handlers on this thread.
struct HandlerStack(#[expect(dead_code, reason = "the kernel has its address")] Vec<u8>);

impl HandlerStack {
    fn new() -> HandlerStack {
        let mut stack = vec![0; HANDLER_STACK];
        set_handler_stack(stack.as_mut_ptr(), 0);
        HandlerStack(stack)
    }
}

impl Drop for HandlerStack {
    fn drop(&mut self) {
        set_handler_stack(std::ptr::null_mut(), libc::SS_DISABLE);
    }
}

fn set_handler_stack(stack: *mut u8, flags: libc::c_int) {
    let stack = libc::stack_t {
        ss_sp: stack.cast(),
        ss_flags: flags,
        ss_size: HANDLER_STACK,
    };
    // SAFETY: memory that lives until another call says that it is not used any more, or none.
    unsafe { libc::sigaltstack(&raw const stack, std::ptr::null_mut()) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    extern "C" fn handler(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
        // SAFETY: the kernel's arguments.
        unsafe { stop_here(signal, info) };
    }

    /// A thread that sends 1 and ends, or one that aborts; and what it sends.
    fn thread(dies: bool) -> (Contained, Receiver<u32>) {
        let (answer, answered) = mpsc::channel();
        let task = move || {
            if dies {
                // SAFETY: no arguments.
                unsafe { libc::raise(libc::SIGABRT) };
            }
            let _ = answer.send(1);
        };
        let thread = spawn("contained", 1 << 20, Box::new(task)).expect("a thread");
        (thread, answered)
    }

    /// Waits for a thread without receiving its answer.
    fn wait(thread: Contained, over: impl Fn(&Row) -> bool) {
        let row = thread.0.expect("the table has room");
        while !over(row) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_signal_is_that_of_the_thread_itself() {
        // SAFETY: `handler` does nothing that a handler may not do.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(libc::SIGABRT, &raw const action, std::ptr::null_mut());
        }
        let (first, answered) = thread(false);
        wait(first, |row| row.thread.load(Ordering::Acquire) == 0);
        let (second, never) = thread(true);
        let (row, next) = (first.0.expect("a row"), second.0.expect("a row"));
        assert!(std::ptr::eq(row, next), "the row is not used again");
        wait(second, |row| row.signal.load(Ordering::Acquire) != 0);

        assert!(matches!(first.end(&answered), Some(Ok(1))));
        assert!(matches!(
            second.answer(&never, Duration::MAX),
            Err(Silence::Signal(libc::SIGABRT))
        ));
        // A thread that ended without an answer has not died of that signal either.
        assert!(matches!(first.end(&answered), Some(Err(Silence::Late))));
    }
}
