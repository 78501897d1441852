//! Time from `luthier run` to the end of the smallest HIP program, per device: `cargo bench -p programs`.

use std::time::Instant;

use programs::Emulator;

/// What the project promises, in seconds.
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
    let program = programs::all()
        .expect("programs can be listed")
        .into_iter()
        .find(|program| program.name == "hello")
        .expect("programs/hello.hip");
    let executable = match programs::compile(&program) {
        Ok(executable) => executable,
        Err(why) => {
            eprintln!("skipped: {why:#}");
            return;
        }
    };
    println!("HIP hello world, {RUNS} runs (target: {TARGET} s)");
    for device in &program.header.devices {
        let mut seconds: Vec<f64> = (0..RUNS)
            .map(|_| {
                let began = Instant::now();
                programs::check(&emulator, &program, &executable, device)
                    .expect("hello world runs");
                began.elapsed().as_secs_f64()
            })
            .collect();
        seconds.sort_by(f64::total_cmp);
        println!(
            "{device:8} median {:.3} s, least {:.3} s, most {:.3} s",
            seconds[RUNS / 2],
            seconds[0],
            seconds[RUNS - 1]
        );
    }
}
