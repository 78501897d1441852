//! What ran when somebody lost patience: a signal that is about to end the program has the kernels told that are running, and where
//! their waves are.
//!
//! Only signals that nobody handles are touched. The handler rings a bell and waits, for a bounded time, for a thread that reports; then
//! the signal takes its course.

use std::{
    ffi::c_void,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use compute::Pool;
use files::Bell;

use crate::{report::report, source};

const SIGNALS: [libc::c_int; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];
/// How long waves are watched, and how much longer the program waits for the report.
const WATCHED: Duration = Duration::from_millis(150);
const LIMIT: Duration = Duration::from_millis(1500);
/// Places told of a kernel.
const MOST: usize = 4;

static BELL: Bell = Bell::new();
static OWNER: AtomicU32 = AtomicU32::new(0);
static POOL: Mutex<Option<Arc<Pool>>> = Mutex::new(None);

/// Reports on this pool from now on. The last one counts: a forked child has its own.
pub fn watch(pool: Arc<Pool>) {
    // A child must not wait for a lock that another thread of its parent had.
    if OWNER.swap(std::process::id(), Ordering::AcqRel) == std::process::id() {
        return;
    }
    if let Ok(mut known) = POOL.try_lock() {
        *known = Some(pool);
    }
    if std::env::var_os("LUTHIER_TOOL").is_some_and(|tools| !tools.is_empty()) {
        // Those who deliver what tools collected handle these signals, and ask.
        return;
    }
    let serve = || {
        loop {
            if BELL.wait(None).is_some() {
                tell();
                BELL.answer();
            }
        }
    };
    if gpu::processor::spawn("gpu-report", serve).is_ok() {
        SIGNALS.into_iter().for_each(handle);
    }
}

/// Tells of the kernels that run now, for who handles signals in our place. Takes a fraction of a second.
#[unsafe(no_mangle)]
pub extern "C" fn luthier_tell_running() {
    if OWNER.load(Ordering::Acquire) == std::process::id() {
        // Nothing may unwind into the caller; what was said so far has been said.
        let _ = std::panic::catch_unwind(tell);
    }
}

/// Hears of a place where waves of a running kernel were seen: the packet's kernel object, bytes behind the kernel's first
/// instruction, and how often.
type Seen = unsafe extern "C" fn(data: *mut c_void, kernel_object: u64, offset: i64, waves: u64);

/// Says where waves are, for who knows more about the code than we do. Takes a fraction of a second.
///
/// # Safety
/// `seen` must take `data`, on this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn luthier_running_places(seen: Seen, data: *mut c_void) {
    if OWNER.load(Ordering::Acquire) != std::process::id() {
        return;
    }
    let looked = std::panic::catch_unwind(|| {
        let pool = POOL.lock().unwrap_or_else(PoisonError::into_inner).clone();
        pool.map_or_else(Vec::new, |pool| pool.places(WATCHED))
    });
    for (dispatch, places) in looked.into_iter().flatten() {
        for (pc, waves) in places {
            let offset = pc.wrapping_sub(dispatch.entry) as i64;
            // SAFETY: the caller's promise.
            unsafe { seen(data, dispatch.packet.kernel_object, offset, waves) };
        }
    }
}

fn tell() {
    let pool = POOL.lock().unwrap_or_else(PoisonError::into_inner).clone();
    for (dispatch, places) in pool.iter().flat_map(|pool| pool.places(WATCHED)) {
        let mut places: Vec<_> = places.into_iter().collect();
        places.sort_by_key(|(_, waves)| std::cmp::Reverse(*waves));
        let mut text = format!(
            "luthier: {} on {} was still running ({} workgroups)",
            dispatch.label(),
            dispatch.target.name,
            dispatch.workgroup_count()
        );
        let all: u64 = places.iter().map(|(_, waves)| waves).sum();
        for (pc, waves) in places.iter().take(MOST) {
            let share = 100 * waves / all.max(1);
            let offset = pc.wrapping_sub(dispatch.entry) as i64;
            text += &format!("\n  {share} % of its waves seen at pc {pc:#x} (entry {offset:+#x})");
            if let Some(source) = source::describe(*pc) {
                text += &format!(", {source}");
            }
        }
        report(&text);
    }
}

fn handle(signal: libc::c_int) {
    // SAFETY: `sigaction` structures are plain data, and the handler does only what handlers may.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(signal, std::ptr::null(), &raw mut before) != 0
            || before.sa_sigaction != libc::SIG_DFL
        {
            return;
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_signal as *const () as usize;
        action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK;
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(signal, &raw const action, std::ptr::null_mut());
    }
}

extern "C" fn on_signal(signal: libc::c_int) {
    // SAFETY: only functions that are safe in signal handlers; `errno` is kept for the interrupted code.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        let errno = *libc::__errno_location();
        if libc::getpid() as u32 == OWNER.load(Ordering::Acquire) {
            BELL.ring_and_wait(signal.unsigned_abs(), LIMIT);
        }
        *libc::__errno_location() = errno;
        // Pending until the handler returns.
        libc::raise(signal);
    }
}
