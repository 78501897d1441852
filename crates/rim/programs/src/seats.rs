//! Judges programs side by side.

use std::{collections::VecDeque, sync::Mutex, thread};

use anyhow::{Context, Result};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::Program;

/// Programs in work at once. hipcc may take half a gigabyte for one, and the emulator uses all cores by itself.
const SEATS: usize = 2;

/// A place in which one program at a time is judged.
#[derive(Debug)]
pub struct Seat {
    all: CpuSet,
    own: CpuSet,
}

impl Seat {
    /// Processes that `work` starts get one core, so that the emulated GPU runs workgroups in their order: how often workgroups
    /// that wait for each other look is the same each time then.
    pub fn on_one_core<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        sched_setaffinity(None, &self.own).context("cannot choose a core")?;
        let result = work();
        sched_setaffinity(None, &self.all).context("cannot choose all cores")?;
        result
    }
}

/// The results of `judge` for all programs, in the order in which they are ready.
///
/// `judge` also says whether the program passed. That is printed as Rust's test harness does, so that `./dev test` knows how many
/// programs are left and how long each took.
pub fn side_by_side<T: Send>(
    programs: Vec<Program>,
    judge: impl Fn(&Program, &Seat) -> (T, bool) + Sync,
) -> Result<Vec<T>> {
    println!("{}", announced(programs.len()));
    let all = sched_getaffinity(None).context("cannot tell which cores there are")?;
    let cores = (0..CpuSet::MAX_CPU).filter(|&core| all.is_set(core));
    let queue = Mutex::new(VecDeque::from(programs));
    let results = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for core in cores.cycle().take(SEATS) {
            let mut own = CpuSet::new();
            own.set(core);
            let seat = Seat { all, own };
            let (queue, results, judge) = (&queue, &results, &judge);
            scope.spawn(move || {
                loop {
                    let next = queue.lock().expect("no judge panics").pop_front();
                    let Some(program) = next else { return };
                    let (result, passed) = judge(&program, &seat);
                    println!("{}", ended(&program.name, passed));
                    results.lock().expect("no judge panics").push(result);
                }
            });
        }
    });
    Ok(results.into_inner().expect("no judge panics"))
}

fn announced(programs: usize) -> String {
    let noun = if programs == 1 { "test" } else { "tests" };
    format!("running {programs} {noun}")
}

fn ended(program: &str, passed: bool) -> String {
    let outcome = if passed { "ok" } else { "FAILED" };
    format!("test {program} ... {outcome}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_told_as_rust_tells_tests() {
        assert_eq!(announced(1), "running 1 test");
        assert_eq!(announced(203), "running 203 tests");
        assert_eq!(ended("lanes", true), "test lanes ... ok");
        assert_eq!(ended("lds", false), "test lds ... FAILED");
    }
}
