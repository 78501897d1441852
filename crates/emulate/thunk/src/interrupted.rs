//! Reports the kernels that are running, and where their waves are, when a signal is about to end the program.
//!
//! Only signals without a handler of the program are touched. The handler rings a bell and waits, for a bounded time, for a thread that
//! reports; then the signal ends the program.

use std::{
    ffi::c_void,
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::Duration,
};

use compute::{Pool, Running};
use guest::{
    process,
    signals::{self, Alarm},
};

use crate::{report::report, source, statistics::Statistics};

const SIGNALS: [libc::c_int; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];
/// How long waves are watched.
const TIME: Duration = Duration::from_millis(150);
/// How long the program waits for the report, or for its last counts. On a host with nothing else to do, the report takes little more than
/// `TIME`. On one with several busy programs, 1.5 seconds were too few once.
const LIMIT: Duration = Duration::from_secs(5);
/// How soon the statistics contain a kernel that has begun.
const SOON: Duration = Duration::from_millis(10);
/// How often the statistics are told what has been executed, in multiples of that, and how long waves are watched for it.
const PERIOD: u32 = 25;
const GLANCE: Duration = Duration::from_millis(5);
/// Places told of a kernel.
const MOST: usize = 4;

static ALARM: Alarm = Alarm::new();
static WATCHED: Mutex<Option<Watched>> = Mutex::new(None);

/// The kernels to report on, and the statistics that count them.
#[derive(Clone)]
struct Watched {
    pool: Arc<Pool>,
    statistics: Arc<Statistics>,
}

/// Reports on this pool from now on. The last one counts: a forked child has its own.
pub fn watch(pool: Arc<Pool>, statistics: Arc<Statistics>) {
    // A child must not wait for a lock that another thread of its parent had.
    if !ALARM.claim() {
        return;
    }
    if let Ok(mut known) = WATCHED.try_lock() {
        *known = Some(Watched {
            pool: pool.clone(),
            statistics: statistics.clone(),
        });
    }
    if statistics.are_wanted() {
        // Without it, kernels are counted when they have ended.
        let _ = gpu::processor::spawn("gpu-statistics", move || keep_current(&pool, &statistics));
        process::at_end(ended, forked);
    }
    if std::env::var_os("LUTHIER_TOOL").is_some_and(|tools| !tools.is_empty()) {
        // The library that delivers the results of tools handles these signals, and calls this one.
        return;
    }
    let serve = || {
        loop {
            if ALARM.wait(None).is_some() {
                tell();
                ALARM.answer();
            }
        }
    };
    if gpu::processor::spawn("gpu-report", serve).is_ok() {
        for signal in SIGNALS {
            signals::handle_by_default(signal, on_signal);
        }
    }
}

/// Has the statistics hold what runs for longer than a moment: a program may end by a signal that it raises itself, or that no handler sees.
fn keep_current(pool: &Pool, statistics: &Statistics) {
    let mut before = Vec::new();
    loop {
        for _ in 0..PERIOD {
            thread::sleep(SOON);
            statistics.tell_begun();
        }
        let now = pool.dispatches();
        if now
            .iter()
            .any(|one| before.iter().any(|old| Arc::ptr_eq(one, old)))
        {
            statistics.running(pool.running(GLANCE));
        }
        before = now;
    }
}

/// The program exits: has the statistics hold what still runs. Nothing here waits for a lock without a limit: the thread that exits
/// may have it.
extern "C" fn ended() {
    // In a forked child, others of the parent's threads may have had any lock.
    if ALARM.is_ours() {
        guest::contain(count_running, || ());
    }
}

/// A child has no kernels, and [`ended`] does nothing in it.
extern "C" fn forked() {}

fn count_running() {
    let Some(Watched { pool, statistics }) = WATCHED.try_lock().ok().and_then(|one| one.clone())
    else {
        return;
    };
    within(LIMIT, move || {
        if !pool.dispatches().is_empty() {
            statistics.running(pool.running(GLANCE));
        }
    });
}

/// Has another thread run `act`, and waits for that for at most `limit`.
fn within(limit: Duration, act: impl FnOnce() + Send + 'static) {
    let (done, wait) = mpsc::channel();
    let body = move || {
        guest::contain(act, || ());
        let _ = done.send(());
    };
    if gpu::processor::spawn("gpu-ending", body).is_ok() {
        let _ = wait.recv_timeout(limit);
    }
}

/// Tells of the kernels that run now, for who handles signals in our place. Takes a fraction of a second.
#[unsafe(no_mangle)]
pub extern "C" fn luthier_tell_running() {
    if ALARM.is_ours() {
        // Nothing may unwind into the caller; what was said so far has been said.
        guest::contain(tell, || ());
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
    if !ALARM.is_ours() {
        return;
    }
    let look = || known().map_or_else(Vec::new, |known| known.pool.running(TIME));
    let looked = guest::contain(look, || ());
    for Running {
        dispatch, places, ..
    } in looked.into_iter().flatten()
    {
        for (pc, waves) in places {
            let offset = pc.wrapping_sub(dispatch.entry) as i64;
            // SAFETY: the caller's promise.
            unsafe { seen(data, dispatch.packet.kernel_object, offset, waves) };
        }
    }
}

fn known() -> Option<Watched> {
    let known = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
    known.clone()
}

/// Says what runs, and has the statistics hold what it has executed so far.
fn tell() {
    let Some(Watched { pool, statistics }) = known() else {
        return;
    };
    let all = pool.running(TIME);
    for running in &all {
        let dispatch = &running.dispatch;
        let mut places: Vec<_> = running.places.iter().collect();
        places.sort_by_key(|(_, waves)| std::cmp::Reverse(**waves));
        let mut text = format!(
            "luthier: {} on {} was still running ({} workgroups, {} wave instructions so far)",
            dispatch.label(),
            dispatch.target.name,
            dispatch.workgroup_count(),
            running.counts.wave_instructions
        );
        let all: u64 = places.iter().map(|(_, waves)| **waves).sum();
        for &(pc, waves) in places.iter().take(MOST) {
            let share = 100 * waves / all.max(1);
            let offset = pc.wrapping_sub(dispatch.entry) as i64;
            text += &format!("\n  {share} % of its waves seen at pc {pc:#x} (entry {offset:+#x})");
            if let Some(source) = source::describe(*pc) {
                text += &format!(", {source}");
            }
        }
        report(&text);
    }
    statistics.running(all);
}

extern "C" fn on_signal(signal: libc::c_int, _: *mut libc::siginfo_t, _: *mut c_void) {
    ALARM.ring_and_end(signal, LIMIT);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_exits_with_the_lock_does_not_wait_for_it() {
        let held = WATCHED.lock().unwrap();
        count_running();
        drop(held);
    }

    #[test]
    fn what_never_ends_is_not_waited_for() {
        let (end, ended) = mpsc::channel::<()>();
        let (told, tells) = mpsc::channel();
        within(Duration::ZERO, move || {
            let _ = ended.recv();
            let _ = told.send(());
        });
        drop(end);
        tells.recv().unwrap();
    }
}
