//! Reports the kernels that run when a user or a limit ends the program: the emulated device, if there is one, says where waves are, and
//! the session says which code is there.

use std::{
    collections::BTreeMap,
    ffi::c_void,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::Duration,
};

use guest::{library, threads};
use kmt_sys::running::{LIBRARY, RUNNING_PLACES, RunningPlaces, TELL_RUNNING, TellRunning};

use crate::{output::say, state};

/// Rewriting, which is done once more to find out what is where, may recurse over control flow.
const STACK: usize = 64 << 20;
/// Places told of.
const MOST: usize = 6;
/// Looks at what runs, until some wave is seen.
const TRIES: u32 = 8;

/// Some of what a wave counts lies in registers until it ends.
const STILL_RUNNING: &str = "instrumented kernels were still running when the program ended; what their waves had counted and not yet written is missing";

/// It was told already.
static TOLD: AtomicBool = AtomicBool::new(false);

/// Tells it once, and takes no longer than `limit`.
pub fn tell(limit: Duration) {
    if TOLD.swap(true, Ordering::AcqRel) {
        return;
    }
    let (done, wait) = mpsc::channel();
    let task = Box::new(move || {
        state::guarded(look);
        let _ = done.send(());
    });
    if threads::spawn("luthier-places", STACK, task) {
        let _ = wait.recv_timeout(limit);
    }
}

/// By kernel object and bytes behind its first instruction.
type Places = BTreeMap<(u64, i64), u64>;

fn look() {
    if let Some(tell) = library::symbol(LIBRARY, TELL_RUNNING) {
        // SAFETY: the function of this name takes and returns nothing.
        unsafe { std::mem::transmute::<*mut c_void, TellRunning>(tell.as_ptr())() };
    }
    let places = library::symbol(LIBRARY, RUNNING_PLACES);
    let (Some(state), Some(places)) = (state::current(), places) else {
        return;
    };
    let mut seen = Places::new();
    // SAFETY: the function of this name calls another with what it was given, on this thread.
    unsafe {
        let places = std::mem::transmute::<*mut c_void, RunningPlaces>(places.as_ptr());
        // On a busy machine it may take a while until any wave has had its turn.
        for _ in 0..TRIES {
            places(note, (&raw mut seen).cast());
            if !seen.is_empty() {
                break;
            }
        }
    }
    let mut told: BTreeMap<(u64, String), u64> = BTreeMap::new();
    let mut all: BTreeMap<u64, u64> = BTreeMap::new();
    for ((kernel, offset), waves) in seen {
        *all.entry(kernel).or_default() += waves;
        if let Some(place) = state.session.place(kernel, offset) {
            *told.entry((kernel, place)).or_default() += waves;
        }
    }
    let instrumented = |kernel: &u64| state.session.name_of(*kernel).is_some_and(|(_, is)| is);
    if all.keys().any(instrumented) {
        state.session.note(STILL_RUNNING.into());
    }
    let mut rows: Vec<_> = told.into_iter().collect();
    rows.sort_by_key(|(_, waves)| std::cmp::Reverse(*waves));
    for ((kernel, place), waves) in rows.into_iter().take(MOST) {
        let share = 100 * waves / all.get(&kernel).copied().unwrap_or(0).max(1);
        let name = state.session.name_of(kernel);
        let name = name.map_or_else(|| format!("{kernel:#x}"), |(name, _)| name);
        say(&format!("{share} % of the waves of {name} are {place}"));
    }
}

unsafe extern "C" fn note(data: *mut c_void, kernel: u64, offset: i64, waves: u64) {
    // SAFETY: the map of `look`, on its thread.
    let places = unsafe { &mut *data.cast::<Places>() };
    *places.entry((kernel, offset)).or_default() += waves;
}
