//! `LUTHIER_CHECK`: what `luthier check` looks for while a program runs.
//!
//! The variable names a directory for findings. `LUTHIER_CHECK_FOR` says what to look for:
//!
//! * `waits`: missing waits along the paths that waves take;
//! * `late`: the same, with results of loads and of LDS that come when they are waited for, not before;
//! * `barriers`: waves and lanes that do not meet at barriers;
//! * `races`: accesses to LDS and to global memory in no order;
//! * `init`: uses of values that nothing has set;
//! * `nan`: NaN and infinity that instructions make of numbers;
//! * `saturated`: besides, conversions of numbers that are out of range;
//! * `denormals`: besides, results that are too small;
//! * `leaks`: memory that is not freed;
//! * `memory`: accesses that stop a kernel, and who allocated what they miss.

use std::{
    env,
    sync::{Arc, OnceLock},
};

use allocations::{Event, Kind, facts};
use compute::{Follower, Pool, Together};
use definedness::nan::{Nans, Wanted};
use global_races::GlobalRaces;
use gpu::{Events, Job, Memory, Transfer};
use judge::{Barriers, Late, Waits};
use kmt_sys::door::{self, CHECK_VARIABLE};

use crate::{
    findings::{self, Findings},
    report::report,
};

/// The kinds of bugs to look for, with commas.
const WANTED: &str = "LUTHIER_CHECK_FOR";

/// The bugs that are looked for in this process's kernels.
pub struct Check {
    findings: Arc<Findings>,
    judge: Judge,
    memory: bool,
    barriers: bool,
    races: bool,
    /// The check for races in global memory, once there is a pool.
    global: OnceLock<Arc<GlobalRaces>>,
    init: bool,
    nan: bool,
    limits: Wanted,
}

enum Judge {
    None,
    AtFullSpeed(Arc<Waits>),
    Late(Arc<Late>),
}

/// The directory for findings, if there is one.
fn directory() -> Option<std::ffi::OsString> {
    door::value(CHECK_VARIABLE).filter(|name| !name.is_empty())
}

/// Returns `true` if something is looked for.
pub fn is_wanted() -> bool {
    directory().is_some()
}

/// The words of the second variable. It is read once: each object that is loaded asks for them, and other threads may change variables by then.
fn words() -> &'static [String] {
    static WORDS: OnceLock<Vec<String>> = OnceLock::new();
    WORDS.get_or_init(|| {
        let words = env::var(WANTED).unwrap_or_default();
        words.split(',').map(str::to_owned).collect()
    })
}

/// Returns `true` if something is looked for that names the program's allocations.
pub fn names_allocations() -> bool {
    looks_for_races() || words().iter().any(|word| word == "leaks")
}

/// Returns `true` if races are looked for.
pub fn looks_for_races() -> bool {
    words().iter().any(|word| word == "races")
}

/// From now on, this check is told of memory that kernels allocate.
fn hear_of_blocks(races: &Arc<GlobalRaces>) {
    static RACES: OnceLock<Arc<GlobalRaces>> = OnceLock::new();
    if RACES.set(races.clone()).is_ok() {
        facts::keep(Some(|event| {
            if let (Some(races), Event::Allocated(one)) = (RACES.get(), event)
                && one.kind == Kind::Heap
            {
                races.allocated(one.base, one.size);
            }
        }));
    }
}

impl Check {
    /// If the user wants it.
    pub fn from_environment(memory: &Arc<Memory>) -> Option<Check> {
        let directory = directory()?;
        let findings = Arc::new(Findings::in_directory(directory.into()));
        let mut check = Check {
            findings: findings.clone(),
            judge: Judge::None,
            memory: false,
            barriers: false,
            races: false,
            global: OnceLock::new(),
            init: false,
            nan: false,
            limits: Wanted::default(),
        };
        for word in words() {
            let (memory, sink) = (memory.clone(), findings.clone());
            match word.as_str() {
                "waits" => check.judge = Judge::AtFullSpeed(Arc::new(Waits::new(memory, sink))),
                "late" => check.judge = Judge::Late(Arc::new(Late::new(memory, sink))),
                "memory" => {
                    check.memory = true;
                    findings::hear_of_frees(&findings);
                }
                "barriers" => check.barriers = true,
                "races" => check.races = true,
                "leaks" => findings::look_for_leaks(&findings),
                "init" => check.init = true,
                "nan" => check.nan = true,
                "saturated" => check.limits.saturated = true,
                "denormals" => check.limits.denormals = true,
                other => report(&format!("luthier: {WANTED}: there is no check {other:?}")),
            }
        }
        Some(check)
    }

    /// The pool whose waves are looked at.
    pub fn pool(&self, memory: Arc<Memory>, events: Arc<Events>, threads: usize) -> Pool {
        let of_device = memory.clone();
        // Races in global memory are judged on one thread: which value a wave reads must be known.
        let threads = if self.races { 1 } else { threads };
        let pool = match &self.judge {
            Judge::None => Pool::beside_program(memory, events, threads),
            Judge::AtFullSpeed(waits) => {
                Pool::watched(memory, events, threads, true, waits.clone())
            }
            Judge::Late(late) => Pool::observed_beside_program(memory, events, late.clone()),
        };
        if self.barriers {
            pool.look_at_barriers(Arc::new(Barriers::new(self.findings.clone())));
        }
        if self.races {
            pool.look_for_races(self.findings.clone());
        }
        let mut followers: Vec<Arc<dyn Follower>> = Vec::new();
        if self.init {
            followers.push(findings::init::follow(self.findings.clone(), &of_device));
        }
        if self.nan {
            followers.push(Arc::new(Nans::new(self.findings.clone(), self.limits)));
        }
        if self.races {
            let sink = self.findings.clone();
            let kinds = of_device.clone();
            let read =
                move |address, bytes: &mut [u8]| of_device.read_bytes(address, bytes).is_ok();
            let is_host = move |address| !kinds.is_device_local(address);
            let races = GlobalRaces::new(Box::new(read), Box::new(is_host), sink);
            let races = self.global.get_or_init(|| Arc::new(races));
            hear_of_blocks(races);
            followers.push(races.clone());
        }
        match followers.len() {
            0 => {}
            1 => pool.follow(followers.remove(0)),
            _ => pool.follow(Arc::new(Together::new(followers))),
        }
        pool
    }

    /// A copy engine is about to write memory.
    pub fn transfers(&self, transfer: &Transfer<'_>) {
        if let Some(races) = self.global.get() {
            races.transfers(transfer);
        }
    }

    /// The order of launches matters.
    pub fn looks_for_races(&self) -> bool {
        self.races
    }

    /// The device was told that code has changed.
    pub fn forget_code(&self) {
        match &self.judge {
            Judge::None => {}
            Judge::AtFullSpeed(waits) => waits.forget_code(),
            Judge::Late(late) => late.forget_code(),
        }
    }

    /// The same job; if its kernel stops at an access of memory, that is a finding.
    pub fn look_at(&self, job: Job) -> Job {
        if !self.memory && !self.barriers && !self.races && !self.init && !self.nan {
            return job;
        }
        let findings = self.findings.clone();
        findings.launched(&job.dispatch);
        let (dispatch, paused, cancelled) = (job.dispatch.clone(), job.paused(), job.cancelled());
        let (of_dispatch, memory) = (dispatch.clone(), self.memory);
        let finish = move |outcome| {
            if memory && let Err(fault) = &outcome {
                findings.stopped(&of_dispatch, fault);
            }
            job.finish(outcome);
        };
        Job::new(dispatch, cancelled, Box::new(finish)).pausing(paused)
    }
}
