//! Chooses the executor that runs the kernels.

use std::sync::Arc;

use compute::Pool;
use gpu::{Events, Executor, Job, Memory};

use crate::{check::Check, interrupted, record, statistics::Statistics};

/// The executor of this process. The memory, events and statistics are those of the machine.
pub fn build(
    memory: Arc<Memory>,
    events: Arc<Events>,
    statistics: Arc<Statistics>,
) -> Arc<dyn Executor> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let check = Check::from_environment(&memory);
    let pool = Arc::new(match &check {
        None => Pool::beside_program(memory.clone(), events, threads),
        Some(check) => check.pool(memory.clone(), events, threads),
    });
    interrupted::watch(pool.clone(), statistics);
    record::wrap(Shared(pool, check), memory)
}

/// The pool, of which others know too.
struct Shared(Arc<Pool>, Option<Check>);

impl Executor for Shared {
    fn start(&self) -> std::io::Result<()> {
        self.0.start()
    }

    fn submit(&self, job: Job) {
        let job = match &self.1 {
            Some(check) => check.look_at(job),
            None => job,
        };
        self.0.submit(job);
    }

    fn invalidate_code(&self) {
        if let Some(check) = &self.1 {
            check.forget_code();
        }
        self.0.invalidate_code();
    }

    fn settle(&self, queue: u64) {
        self.0.settle(queue);
    }

    fn resume(&self) {
        self.0.resume();
    }

    fn barriers(&self) -> Vec<u32> {
        self.0.barriers()
    }

    fn native_blits(&self) -> bool {
        self.0.native_blits()
    }

    fn resident_waves(&self) -> u32 {
        self.0.resident_waves()
    }
}
