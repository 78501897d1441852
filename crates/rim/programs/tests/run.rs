//! Compiles and runs every program of the `programs` folder on every device it is for.
//!
//! `cargo test -p programs --test run -- lanes lds` runs those two. Needs no GPU; skipped without hipcc.

use std::{process::ExitCode, time::Instant};

use programs::{Emulator, Program, Verdict};

fn main() -> ExitCode {
    if !programs::can_compile() {
        return ExitCode::SUCCESS;
    }
    let names: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let emulator = Emulator::find().expect("the emulator is built");
    let mut chosen = programs::all().expect("programs can be listed");
    chosen.retain(|program| names.is_empty() || names.contains(&program.name));
    chosen.retain(|program| {
        let fits = programs::fits_headers(program).expect("hipcc says what it is");
        if !fits {
            println!(
                "{:24} skipped: the headers of this HIP refuse it",
                program.name
            );
        }
        fits
    });
    let total = chosen.len();
    let failures = programs::side_by_side(chosen, |program, _| judge(&emulator, program))
        .expect("there are cores")
        .concat();
    for failure in &failures {
        eprintln!("\nFAILED {failure}");
    }
    if total == 0 {
        eprintln!("{}", programs::none_ran(&names));
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
        let verdict = match result {
            Ok(Verdict::Right) => "ok",
            // The compiler's code is wrong; the program's first lines say in what.
            Ok(Verdict::Known) => "known",
            Err(_) => "FAILED",
        };
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
