//! How long something takes: by the clock, and of processors.

use std::time::{Duration, Instant};

/// Seconds by the clock, and of all threads of this process together. Other load on the machine stretches only the first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    pub clock: f64,
    pub processor: f64,
}

impl Spent {
    pub fn add(&mut self, more: Spent) {
        self.clock += more.clock;
        self.processor += more.processor;
    }

    /// The least of each.
    pub fn least(self, other: Spent) -> Spent {
        Spent {
            clock: self.clock.min(other.clock),
            processor: self.processor.min(other.processor),
        }
    }
}

pub fn of<T>(act: impl FnOnce() -> T) -> (T, Spent) {
    let (began, before) = (Instant::now(), of_process());
    let result = act();
    let spent = Spent {
        clock: began.elapsed().as_secs_f64(),
        processor: (of_process() - before).as_secs_f64(),
    };
    (result, spent)
}

/// Processor time of this process, threads that have ended included: it never goes back.
fn of_process() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is that of a local variable.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
