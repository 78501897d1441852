//! Compiles and runs every program of the `programs` folder on every device it is for.
//!
//! `cargo test -p programs --test run -- lanes lds` runs those two. Needs no GPU; skipped without hipcc.

use std::{collections::VecDeque, process::ExitCode, sync::Mutex, thread, time::Instant};

use programs::{Emulator, Program};

/// Programs in work at once. hipcc may take half a gigabyte for one, and the emulator uses all cores by itself.
const WORKERS: usize = 2;

fn main() -> ExitCode {
    if !programs::can_compile() {
        return ExitCode::SUCCESS;
    }
    let names: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let emulator = Emulator::find().expect("the emulator is built");
    let chosen: VecDeque<Program> = programs::all()
        .expect("programs can be listed")
        .into_iter()
        .filter(|program| names.is_empty() || names.contains(&program.name))
        .collect();
    let total = chosen.len();
    let queue = Mutex::new(chosen);
    let failures = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().expect("no worker panics").pop_front();
                    let Some(program) = next else { return };
                    for failure in judge(&emulator, &program) {
                        failures.lock().expect("no worker panics").push(failure);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no worker panics");
    for failure in &failures {
        eprintln!("\nFAILED {failure}");
    }
    println!("{total} programs, {} failures", failures.len());
    // A misspelt name must not pass for a success.
    if failures.is_empty() && total > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn judge(emulator: &Emulator, program: &Program) -> Vec<String> {
    let started = Instant::now();
    let executable = match programs::compile(program) {
        Ok(executable) => executable,
        Err(error) => return vec![format!("{}: {error:#}", program.name)],
    };
    let compiled = started.elapsed().as_secs_f64();
    let mut failures = Vec::new();
    for device in &program.header.devices {
        let started = Instant::now();
        let result = programs::check(emulator, program, &executable, device);
        let seconds = started.elapsed().as_secs_f64();
        let verdict = if result.is_ok() { "ok" } else { "FAILED" };
        println!(
            "{:24} {device:8} {verdict:6} compiled in {compiled:.1} s, ran {seconds:.1} s",
            program.name
        );
        if let Err(error) = result {
            failures.push(format!("{} on {device}: {error:#}", program.name));
        }
    }
    failures
}
