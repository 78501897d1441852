//! Time from `luthier run` to the end of the smallest HIP program, per device: `cargo bench -p programs`.

use std::time::Instant;

use programs::Emulator;

/// The project's goals, in seconds.
const TARGET: f64 = 0.5;
const RUNS: usize = 9;

fn main() {
    let emulator = match Emulator::find() {
        Ok(emulator) => emulator,
        Err(why) => {
            eprintln!("skipped: {why}");
            return;
        }
    };
    let program = programs::named("hello").expect("programs/hello.hip");
    let executable = match programs::compile(&program) {
        Ok(executable) => executable,
        Err(why) => {
            eprintln!("skipped: {why:#}");
            return;
        }
    };
    println!("HIP hello world, {RUNS} runs (target: {TARGET} s)");
    for device in &program.header.devices {
        let mut busy = f64::MAX;
        let mut seconds: Vec<f64> = (0..RUNS)
            .map(|_| {
                let (began, used) = (Instant::now(), processor_seconds());
                programs::check(&emulator, &program, &executable, device)
                    .expect("hello world runs");
                busy = busy.min(processor_seconds() - used);
                began.elapsed().as_secs_f64()
            })
            .collect();
        seconds.sort_by(f64::total_cmp);
        println!(
            "{device:8} median {:.3} s, least {:.3} s, most {:.3} s; processor time {busy:.2} s",
            seconds[RUNS / 2],
            seconds[0],
            seconds[RUNS - 1]
        );
    }
}

/// Processor time of all children that have ended, which other load on the machine does not stretch.
fn processor_seconds() -> f64 {
    /// Linux shows these times in hundredths of a second on every architecture.
    const TICKS: f64 = 100.0;
    let status = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The command's name, in parentheses, is the only field with spaces; user and system time are fields 16 and 17.
    let behind_name = status.rsplit(')').next().unwrap_or_default();
    let ticks = behind_name.split_whitespace().skip(13).take(2);
    ticks
        .filter_map(|word| word.parse::<f64>().ok())
        .sum::<f64>()
        / TICKS
}
