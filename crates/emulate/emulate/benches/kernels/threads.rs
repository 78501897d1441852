//! How programs scale over host threads.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    time::{Duration, Instant},
};

use crate::{
    Outcome, machine,
    programs::{Launches, PROGRAMS},
};

/// Each program runs until this is over, at least twice.
const PATIENCE: Duration = Duration::from_secs(2);

/// Times by the clock, with each number of threads. Programs of several kernels have a line for each.
pub fn scale(directory: &Path, target: &str, threads: &[usize], part: &str) -> Outcome<()> {
    let object = fs::read(directory.join(format!("{target}.co")))?;
    println!(
        "{:32} {:>7} {:>12} {:>10} {:>16} {:>9} {:>15}",
        target, "threads", "wave instr.", "seconds", "M/s per thread", "scaling", "M/s of CPU time"
    );
    machine::scaling(threads);
    for program in PROGRAMS {
        if !program.name.contains(part) {
            continue;
        }
        let mut alone = None;
        for &count in threads {
            let device = machine::device(&object, count)?;
            let mut run = (program.prepare)(&device)?;
            let began = Instant::now();
            let (mut best, mut least, mut instructions, mut turns) = (f64::MAX, f64::MAX, 0, 0);
            let mut kernels = BTreeMap::new();
            while turns < 2 || began.elapsed() < PATIENCE {
                let mut launches = Launches::new(&device);
                run(&mut launches)?;
                least = least.min(launches.time.processor);
                if launches.time.clock < best {
                    (best, kernels) = (launches.time.clock, launches.kernels);
                }
                instructions = launches.wave_instructions;
                turns += 1;
            }
            let busy = instructions as f64 / least / 1e6;
            let speed = instructions as f64 / best / 1e6 / count as f64;
            let scaling = speed / *alone.get_or_insert(speed);
            let name = program.name;
            println!(
                "{name:32} {count:7} {instructions:12} {best:10.4} {speed:16.1} {scaling:9.2} {busy:15.1}"
            );
            if kernels.len() > 1 {
                for (kernel, spent) in kernels {
                    println!("  {kernel:30} {:>7} {:>12} {:10.4}", "", "", spent.clock);
                }
            }
        }
    }
    if "untouched memory, 1 GiB".contains(part) {
        machine::untouched(&object)?;
    }
    Ok(())
}
