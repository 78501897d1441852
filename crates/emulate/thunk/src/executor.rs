//! Chooses the executor that runs the kernels.

use std::sync::Arc;

use compute::Pool;
use gpu::{Events, Executor, Job, Memory, Transfer};

use crate::{
    check::Check, inject::Inject, interrupted, reached, record, report::report,
    statistics::Statistics,
};

/// The executor of this process. The memory, events and statistics are those of the machine.
pub fn build(
    memory: Arc<Memory>,
    events: Arc<Events>,
    statistics: Arc<Statistics>,
) -> Arc<dyn Executor> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let check = Check::from_environment(&memory);
    let inject = Inject::from_environment();
    let pool = Arc::new(match (&check, &inject) {
        (None, None) => Pool::beside_program(memory.clone(), events, threads),
        (_, Some(inject)) => inject.pool(memory.clone(), events),
        (Some(check), None) => check.pool(memory.clone(), events, threads),
    });
    if statistics.are_wanted() {
        pool.count_in_detail();
    }
    if statistics.follow_inexact() {
        reached::follow(&pool, &memory, statistics.clone());
    }
    if let Err(why) = pool.translate_as_wished() {
        report(&why);
    }
    interrupted::watch(pool.clone(), statistics.clone());
    let shared = Shared {
        pool,
        check,
        inject,
        statistics,
    };
    record::wrap(shared, memory)
}

/// The pool, of which others know too.
struct Shared {
    pool: Arc<Pool>,
    check: Option<Check>,
    inject: Option<Inject>,
    statistics: Arc<Statistics>,
}

impl Executor for Shared {
    fn start(&self) -> std::io::Result<()> {
        self.pool.start()
    }

    fn submit(&self, job: Job) {
        self.statistics.begins(&job.dispatch);
        let job = match &self.check {
            Some(check) => check.look_at(job),
            None => job,
        };
        let job = match &self.inject {
            Some(inject) => inject.look_at(job),
            None => job,
        };
        self.pool.submit(job);
    }

    fn invalidate_code(&self) {
        if let Some(check) = &self.check {
            check.forget_code();
        }
        self.pool.invalidate_code();
    }

    fn settle(&self, queue: u64) {
        self.pool.settle(queue);
    }

    fn resume(&self) {
        self.pool.resume();
    }

    fn barriers(&self, node: u32) -> Vec<u32> {
        self.pool.barriers(node)
    }

    fn follows_order(&self) -> bool {
        self.check.as_ref().is_some_and(Check::looks_for_races)
    }

    fn transfers(&self, transfer: &Transfer<'_>) {
        if let Some(check) = &self.check {
            check.transfers(transfer);
        }
    }

    fn native_blits(&self) -> bool {
        self.pool.native_blits()
    }

    fn resident_waves(&self) -> u32 {
        self.pool.resident_waves()
    }
}
