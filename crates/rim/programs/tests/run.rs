//! Compiles and runs every program of the `programs` folder on every device it is for.
//!
//! `cargo test --release --workspace --test run -- lanes lds` runs those two. Needs no GPU; skipped without hipcc. With
//! `LUTHIER_FILL=random:SEED`, what nothing has written (registers, LDS, fresh memory) is random.

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use programs::{Arguments, Emulator, Program, Tally, Verdict};

fn main() -> ExitCode {
    let arguments = Arguments::own();
    if arguments.want_none() || !programs::can_compile() {
        return Tally::default().finish(Duration::ZERO);
    }
    let emulator = Emulator::find().expect("the emulator is built");
    let mut chosen = programs::all().expect("programs can be listed");
    chosen.retain(|program| arguments.choose(&program.name));
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
    let began = Instant::now();
    let results = programs::side_by_side(chosen, |program, _| {
        let failures = judge(&emulator, program);
        let passed = failures.is_empty();
        ((program.name.clone(), failures), passed)
    })
    .expect("there are cores");
    let mut tally = Tally::default();
    for (name, failures) in &results {
        tally.note(name, failures.is_empty());
        for failure in failures {
            eprintln!("\nFAILED {failure}");
        }
    }
    // A misspelt name must not pass for a success.
    if results.is_empty() {
        eprintln!("{}", programs::none_ran(&arguments.names));
        return ExitCode::FAILURE;
    }
    tally.finish(began.elapsed())
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
