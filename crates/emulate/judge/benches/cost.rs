//! The cost of judging waits: kernel time of the programs of `cargo bench -p emulate`, with a judge and without, by turns.
//!
//! `cargo bench -p judge` prints the ratios of processor time for two targets; a word after `--` chooses programs with it in
//! their names.

#[allow(dead_code)]
#[path = "../../emulate/benches/kernels/programs.rs"]
mod programs;
#[allow(dead_code)]
#[path = "../../emulate/benches/kernels/time.rs"]
mod time;

use codeobj::CodeObject;
use emulate::{Device, Memory};
use gpu::Dispatch;
use judge::{Sink, Unwaited, Waits};
use programs::{Launches, PROGRAMS};
use std::{
    error::Error,
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

pub type Outcome<T> = Result<T, Box<dyn Error>>;

const TARGETS: [&str; 3] = ["gfx90a", "gfx1100", "gfx1201"];
const SOURCE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../emulate/benches/kernels/device.cl"
);
/// Both take turns so long, and at least five each.
const PATIENCE: Duration = Duration::from_secs(3);

/// Expects nothing to be found.
struct Silent;

impl Sink for Silent {
    fn kernel(&self, _: &Dispatch) {}

    fn found(&self, _: usize, found: &Unwaited, _: u64) {
        panic!("{found:?}");
    }

    fn say(&self, message: &str) {
        panic!("{message}");
    }
}

fn compile(target: &str) -> Outcome<Vec<u8>> {
    let work = tempfile::tempdir()?;
    let out = work.path().join("k.co");
    let status = Command::new("clang-22")
        .args(["-x", "cl", "-cl-std=CL2.0", "-nogpulib", "-O3", "-w"])
        .args(["-target", "amdgcn-amd-amdhsa"])
        .arg(format!("-mcpu={target}"))
        .args([SOURCE, "-o"])
        .arg(&out)
        .status()?;
    if !status.success() {
        return Err("clang-22 failed".into());
    }
    Ok(std::fs::read(out)?)
}

fn main() -> Outcome<()> {
    let word = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let word = word.unwrap_or_default();
    let (mut sum, mut count) = (0.0, 0);
    println!("| target | program | ms | with a judge | ratio |\n|---|---|---|---|---|");
    for target in TARGETS {
        let bytes = compile(target)?;
        for program in PROGRAMS.iter().filter(|one| one.name.contains(&word)) {
            let plain = Device::new(CodeObject::parse(&bytes)?, 1)?;
            let judged = Device::watched(CodeObject::parse(&bytes)?, 1, |memory: &Arc<Memory>| {
                Arc::new(Waits::new(memory.clone(), Arc::new(Silent)))
            })?;
            let devices = [&plain, &judged];
            let mut runs = [(program.prepare)(&plain)?, (program.prepare)(&judged)?];
            let mut best = [f64::MAX; 2];
            let (began, mut turns) = (Instant::now(), 0);
            while turns < 5 || began.elapsed() < PATIENCE {
                for (index, run) in runs.iter_mut().enumerate() {
                    let mut launches = Launches::new(devices[index]);
                    run(&mut launches)?;
                    best[index] = best[index].min(launches.time.processor);
                }
                turns += 1;
            }
            let ratio = best[1] / best[0];
            let [plain, judged] = best.map(|seconds| 1e3 * seconds);
            let name = program.name;
            println!("| {target} | {name} | {plain:.2} | {judged:.2} | {ratio:.3} |");
            sum += ratio.ln();
            count += 1;
        }
    }
    println!("mean: {:.3}", (sum / f64::from(count.max(1))).exp());
    Ok(())
}
