//! `cargo xtask gate [ARGUMENTS OF CARGO TEST] [-- ARGUMENTS OF TESTS]`: what `./dev test` runs when everything is built.
//!
//! Without arguments it is the gate: every test, and the checks of [`checks`]. A test that fails is run once more, alone ([`repeat`]).
//! Skipped, repeated and failed tests are listed at the end, and in `target/gate`.
//!
//! Programs run side by side ([`side_by_side`]), the longest of the last gate first.

mod checks;
mod harness;
mod hipcc;
mod programs;
mod repeat;
mod side_by_side;
mod work;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};

use crate::root;
use programs::Program;
use repeat::Repeated;

/// All tests together.
#[derive(Default)]
struct Total {
    passed: u64,
    failed: u64,
    ignored: u64,
    /// Programs that ended without naming a test.
    crashed: Vec<String>,
    failures: Vec<(Program, String)>,
    times: Vec<(Duration, String)>,
    /// Processor time of programs.
    work: Vec<(Duration, String)>,
    /// The figures of single tests.
    tests: Vec<(Duration, String)>,
}

/// A folder for temporary files: compilers leave some (clang leaves two empty directories for each target that it offloads to), and so
/// do tests that are killed.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> Result<Temporary> {
        let path = env::temp_dir().join(format!("luthier-gate.{}", std::process::id()));
        fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Temporary(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn run(arguments: &[String]) -> Result<Vec<String>> {
    let began = Instant::now();
    let known = repeat::known(&root())?;
    let folder = root().join("target/gate");
    let last = fs::read_to_string(folder.join(TIMES)).unwrap_or_default();
    let last = side_by_side::read(&last);
    if folder.exists() {
        fs::remove_dir_all(&folder).context("cannot remove target/gate")?;
    }
    fs::create_dir_all(&folder).context("cannot make target/gate")?;
    let temporary = Temporary::new()?;
    let mut environment = vec![
        ("TMPDIR", temporary.0.clone()),
        (prerequisite::LIST, folder.join("skipped.txt")),
        (prerequisite::BUILT, PathBuf::from("1")),
        (COMPILER, root().join("target/compiler")),
    ];
    let answers = hipcc::answers(&folder.join("hipcc"))?;
    environment.extend(answers.map(|answers| (hipcc::VARIABLE, answers)));
    let (cargo, tests) = split(arguments);
    let whole = arguments.is_empty();
    let (programs, libraries) = match whole {
        // (`--lib` would compile libraries that have no tests, once more.)
        true => programs::build(&["--tests".to_owned()])?,
        false => programs::build(&cargo)?,
    };
    forget_old_outputs();
    let checks = whole.then(|| checks::start(environment.clone()));
    let mut total = Total::default();
    let programs = programs.iter();
    let programs = programs.map(|program| program.with_environment(&environment, &libraries));
    let programs = side_by_side::order(programs.collect(), Program::name, &last);
    for (program, outcome) in side_by_side::run(programs, &tests, programs::threads())? {
        total.add(&program, outcome);
    }
    if whole {
        documentation(&environment, &mut total)?;
    }
    // (A gate of some tests leaves the times of all as they were.)
    let times = match whole {
        true => side_by_side::write(&total.times),
        false => side_by_side::write(
            &last
                .into_iter()
                .map(|(name, time)| (time, name))
                .collect::<Vec<_>>(),
        ),
    };
    fs::write(folder.join(TIMES), times).context("cannot write times.txt")?;
    let repeated = repeat::all(&total.failures, &known)?;
    let checks = match checks {
        Some(thread) => thread.join().expect("no check panics")?,
        None => Vec::new(),
    };
    finish(&total, &repeated, &checks, &folder, began.elapsed())
}

/// The variable that says where results of the compiler inside HIP are kept: thousands of tests start a HIP program, and a machine may have no
/// home directory.
const COMPILER: &str = "LUTHIER_COMPILER_CACHE";
/// How long each program of the last gate took, in `target/gate`.
const TIMES: &str = "times.txt";
/// Compiled tests that no test wanted for so long are removed, and the oldest ones if all need more than so many bytes.
const UNUSED: Duration = Duration::from_secs(14 * 24 * 3600);
const ROOM: u64 = 4 << 30;

/// Makes the cache of compiled tests as small as it has to be.
fn forget_old_outputs() {
    match compiled::forget(&root().join("target/compiled"), UNUSED, ROOM) {
        Ok(0) => {}
        Ok(count) => println!(
            "{count} compiled tests that no test wanted any more are gone from target/compiled"
        ),
        Err(error) => println!("target/compiled keeps old compiled tests: {error}"),
    }
}

/// The arguments before `--` and those behind it.
fn split(arguments: &[String]) -> (Vec<String>, Vec<String>) {
    let mut parts = arguments.splitn(2, |argument| argument == "--");
    let mut next = || parts.next().unwrap_or_default().to_vec();
    (next(), next())
}

impl Total {
    fn add(&mut self, program: &Program, outcome: programs::Outcome) {
        self.times.push((outcome.time, program.name()));
        self.work.push((outcome.work, program.name()));
        let name = program.name();
        let tests = outcome.tests.iter();
        self.tests
            .extend(tests.map(|(time, test)| (*time, format!("{name}: {test}"))));
        if outcome.crashed() {
            self.crashed.push(program.name());
        }
        let Some(said) = outcome.said else { return };
        self.passed += said.passed;
        self.failed += said.failed;
        self.ignored += said.ignored;
        let named = said.failures.into_iter();
        self.failures
            .extend(named.map(|test| (program.clone(), test)));
    }
}

/// The examples in the documentation of libraries; cargo compiles and runs them itself.
fn documentation(environment: &[(&'static str, PathBuf)], total: &mut Total) -> Result<()> {
    let began = Instant::now();
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args([
            "test",
            "--doc",
            "--release",
            "--workspace",
            "--no-fail-fast",
        ])
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .current_dir(root())
        .output()
        .context("cannot run cargo")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    print!("{text}");
    total
        .times
        .push((began.elapsed(), "cargo test --doc".to_owned()));
    for part in text.split_inclusive("finished in") {
        if let Some(said) = harness::read(part) {
            total.passed += said.passed;
            total.failed += said.failed;
            total.ignored += said.ignored;
        }
    }
    if !output.status.success() {
        print!("{}", String::from_utf8_lossy(&output.stderr));
        total.crashed.push("cargo test --doc".to_owned());
    }
    Ok(())
}

/// Says what came of everything, the most important last; returns why the gate fails.
fn finish(
    total: &Total,
    repeated: &[Repeated],
    checks: &[checks::Check],
    folder: &Path,
    time: Duration,
) -> Result<Vec<String>> {
    let mut complaints = Vec::new();
    for check in checks.iter().filter(|check| !check.passed) {
        println!("\nThe check `{}` failed:", check.name);
        let printed = fs::read(&check.printed).unwrap_or_default();
        println!("{}", String::from_utf8_lossy(&printed).trim_end());
        complaints.push(format!("the check `{}` fails", check.name));
    }
    longest("Longest", &total.times, 10);
    for check in checks {
        println!(
            "{:>8.1} s  the check `{}`",
            check.time.as_secs_f64(),
            check.name
        );
    }
    longest("Most processor time", &total.work, 10);
    println!("{}", used(time, work::of("self")));
    longest("Longest tests", &total.tests, 40);
    let skipped = fs::read_to_string(folder.join("skipped.txt")).unwrap_or_default();
    if !skipped.is_empty() {
        println!(
            "\nTests that were skipped, {}:\n{}",
            skipped.lines().count(),
            skipped.trim_end()
        );
    }
    if !repeated.is_empty() {
        let lines: Vec<String> = repeated.iter().map(Repeated::line).collect();
        let path = folder.join("repeated.txt");
        fs::write(&path, lines.join("\n") + "\n").context("cannot write repeated.txt")?;
        println!("\nTests that were repeated ({}):", path.display());
        println!("{}", lines.join("\n"));
    }
    for crashed in &total.crashed {
        complaints.push(format!("{crashed}: ended without naming a test that fails"));
    }
    complaints.extend(
        repeated
            .iter()
            .filter(|test| test.fails())
            .map(Repeated::line),
    );
    let forgiven = repeated.iter().filter(|test| !test.fails()).count() as u64;
    println!(
        "\n{}",
        last_line(total, forgiven, complaints.is_empty(), time)
    );
    Ok(complaints)
}

/// Prints the longest times.
fn longest(title: &str, times: &[(Duration, String)], count: usize) {
    if times.is_empty() {
        return;
    }
    let mut times = times.to_vec();
    times.sort();
    println!("\n{title}:");
    for (time, name) in times.iter().rev().take(count) {
        println!("{:>8.1} s  {name}", time.as_secs_f64());
    }
}

/// How much of the processors the gate and all that it started used.
fn used(time: Duration, work: Duration) -> String {
    let threads = programs::threads();
    let most = time.as_secs_f64() * threads as f64;
    format!(
        "{:>8.1} s  everything, {:.0} % of {threads} processors for {:.0} s",
        work.as_secs_f64(),
        100.0 * work.as_secs_f64() / most.max(0.001),
        time.as_secs_f64()
    )
}

/// The last line in the form that the test harness of Rust prints.
fn last_line(total: &Total, forgiven: u64, good: bool, time: Duration) -> String {
    format!(
        "test result: {}. {} passed; {} failed; {} ignored; 0 measured; 0 filtered out; finished in {:.2}s",
        if good { "ok" } else { "FAILED" },
        total.passed + forgiven,
        total.failed - forgiven + total.crashed.len() as u64,
        total.ignored,
        time.as_secs_f64()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_behind_two_dashes_are_for_tests() {
        let words = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let both = split(&words("--test wave -- atomics --exact"));
        assert_eq!(both, (words("--test wave"), words("atomics --exact")));
        assert_eq!(split(&words("--lib")), (words("--lib"), Vec::new()));
        assert_eq!(split(&[]), (Vec::new(), Vec::new()));
    }

    #[test]
    fn the_last_line_is_the_harness_s() {
        let total = Total {
            passed: 7,
            failed: 2,
            ignored: 1,
            crashed: vec!["wave --lib".to_owned()],
            ..Total::default()
        };
        let line = last_line(&total, 1, false, Duration::from_millis(1500));
        assert_eq!(
            line,
            "test result: FAILED. 8 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.50s"
        );
        let good = Total {
            passed: 7,
            ..Total::default()
        };
        let said = harness::read(&last_line(&good, 0, true, Duration::ZERO)).unwrap();
        assert_eq!((said.passed, said.failed), (7, 0));
    }
}
