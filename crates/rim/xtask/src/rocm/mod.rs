//! `./dev rocm NAME`: programs and test suites under the ROCm of another release of Debian or Ubuntu.

mod amd;
mod built;
mod checked;
mod compiled;
mod completion;
pub mod environment;
mod google_test;
mod known;
mod limited;
mod onnx;
mod operators;
mod order;
mod python;
mod renamed;
mod suites;
mod tally;
mod unit_tests;

use std::{collections::BTreeSet, path::PathBuf, process::Command};

use anyhow::{Context, Result, bail, ensure};

use crate::measured::{Row, note};
pub use checked::CHECKED;
use checked::Checks;
use environment::Environment;
use google_test::Shard;
use known::Known;
use limited::Setting;
use suites::{Kind, Suite};
use tally::Tally;

const HELP: &str = "Usage: ./dev rocm NAME [PROGRAM...] [OPTIONS]

Compiles and runs the programs (arguments choose some) under the ROCm of another release of Debian or Ubuntu, as root,
in target/rocm/NAME or $LUTHIER_ROCM_ROOT/NAME, which is made at first.

  --tools             with tools at every instruction, and their counts compared
  --samples           the samples of tools, with events of HSA and HIP, compiled there and run, and what they say
  --checks            bugs of memory, which `luthier check` has to find on the device and by hooks alike, and values that nothing has set
  --record            record every kernel, and compare it with itself below tools, instruction by instruction
  --suite NAME,...    run test suites instead, which are installed at first
  --device NAME,...   on these devices (gfx90a; programs: those that each is for)
  --seconds N         so long for each suite and device (150)
  --shard I/N         of every suite the I-th of N parts (of suites that are compiled here: of their programs)
  --seed N            programs of a suite, and tests of GoogleTest, in another order: other ones are left when time is over
  --only PATTERN,...  tests as --gtest_filter has them; operators of llama.cpp; tests of Thrust, with `*` at the end of a name alone
  --program PATTERN   programs of a suite, such as *scan*
  --source DIR        build kfdtest and rocrtst from this folder of ROCR-Runtime, not from the release's package of sources
  --table FILE        write a table of the tests that did not pass, with reasons, as Markdown
  --note              note the counts, with the date, in docs/measurements/stacks.md; with --check in docs/check/suites.md
  -t TOOL             put tools into the kernels of a suite
  --check NAME,...    run a suite under checks of `luthier check`, such as all, or races,init; certain findings are failures
";

/// Tests that compile and run samples.
const SAMPLES: &[&[&str]] = &[&["stock_tool"], &["tool_samples"]];

/// The tests of both ways of checking memory, and of what HIP itself gives and writes, with their filters.
const CHECKS: &[&[&str]] = &[&[
    "cli",
    "hooks::both_ways",
    "first_call::",
    "init::memory_that_hip_writes",
]];

#[derive(Default)]
struct Request {
    name: String,
    programs: Vec<String>,
    /// The tests of `programs` to run, with their options.
    tests: &'static [&'static [&'static str]],
    suites: Vec<&'static Suite>,
    devices: Vec<String>,
    /// The user chose them.
    chosen: bool,
    seconds: u64,
    shard: Option<Shard>,
    /// The seed of the order of programs and tests.
    seed: Option<u32>,
    only: Vec<String>,
    program: Option<String>,
    source: Option<PathBuf>,
    table: Option<PathBuf>,
    note: bool,
    /// Names of options of `luthier check`.
    checks: Option<String>,
    options: Vec<String>,
}

impl Request {
    /// The command that runs a suite in the same way.
    fn part_of(&self, suite: &Suite) -> String {
        let mut words = format!("`./dev rocm {} --suite {}", self.name, suite.name);
        if let Some(shard) = self.shard {
            words += &format!(" --shard {}/{}", shard.index + 1, shard.count);
        }
        if let Some(seed) = self.seed {
            words += &format!(" --seed {seed}");
        }
        if !self.only.is_empty() {
            words += &format!(" --only {}", self.only.join(","));
        }
        if let Some(pattern) = &self.program {
            words += &format!(" --program {pattern}");
        }
        for option in &self.options {
            words += &format!(" {option}");
        }
        if let Some(names) = &self.checks {
            words += &format!(" --check {names}");
        }
        words + "`"
    }
}

fn parse(arguments: &[String]) -> Result<Request> {
    let mut request = Request {
        seconds: 150,
        ..Request::default()
    };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut value = || {
            let value = arguments.next();
            value.with_context(|| format!("{argument} wants a value"))
        };
        let list = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
        match argument.as_str() {
            "--tools" => request.tests = &[&["instrumented"]],
            "--samples" => request.tests = SAMPLES,
            "--checks" => request.tests = CHECKS,
            "--record" => request.tests = &[&["recorded", "--all"]],
            "--suite" => {
                for name in value()?.split(',') {
                    let suite = suites::named(name);
                    request.suites.push(suite.with_context(|| {
                        format!("there is no suite {name}; there are {}", suites::names())
                    })?);
                }
            }
            "--device" => request.devices = list(value()?),
            "--seconds" => {
                let value = value()?;
                request.seconds = value
                    .parse()
                    .with_context(|| format!("--seconds {value} is no number"))?;
            }
            "--shard" => request.shard = Some(shard(value()?)?),
            "--seed" => request.seed = Some(order::seed(value()?)?),
            "--only" => request.only = list(value()?),
            "--program" => request.program = Some(value()?.clone()),
            "--source" => request.source = Some(value()?.into()),
            "--table" => request.table = Some(value()?.into()),
            "--note" => request.note = true,
            "-t" => request.options.extend(["-t".to_owned(), value()?.clone()]),
            "--check" => request.checks = Some(value()?.clone()),
            option if option.starts_with('-') => bail!("unknown option {option}\n\n{HELP}"),
            name if request.name.is_empty() => request.name = name.to_owned(),
            program => request.programs.push(program.to_owned()),
        }
    }
    ensure!(
        request.checks.is_none() || !request.suites.is_empty() && request.options.is_empty(),
        "--check goes with --suite, and without -t"
    );
    order::fits(request.seed, &request.suites)?;
    request.chosen = !request.devices.is_empty();
    if !request.chosen {
        request.devices.push("gfx90a".to_owned());
    }
    Ok(request)
}

fn shard(text: &str) -> Result<Shard> {
    let parts = text.split_once('/').and_then(|(index, count)| {
        let (index, count): (usize, usize) = (index.parse().ok()?, count.parse().ok()?);
        (index >= 1 && index <= count).then_some(Shard {
            index: index - 1,
            count,
        })
    });
    parts.with_context(|| format!("--shard {text}: a part and a number of parts, such as 1/8"))
}

pub fn run(arguments: &[String]) -> Result<Vec<String>> {
    let request = parse(arguments)?;
    if request.name.is_empty() {
        bail!("{HELP}\nThere are {}.", environment::names());
    }
    // Before anything is made: a minute's work for a misspelt name is a minute lost.
    check_programs(&request, &names_of_programs()?)?;
    let environment = Environment::open(&request.name)?;
    if !request.suites.is_empty() {
        return suites(&environment, &request);
    }
    let tests = match request.tests {
        [] => &[&["run"][..]],
        tests => tests,
    };
    if request.tests == CHECKS {
        // There is no cargo inside.
        validator()?;
    }
    let mut complaints = Vec::new();
    for test in tests {
        complaints.extend(programs(&environment, &request, test)?);
    }
    Ok(complaints)
}

/// Builds the validator of schemas, where tests look for it.
fn validator() -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--release", "--locked", "--target-dir"])
        .arg(crate::root().join("target/schemas"))
        .current_dir(crate::root().join("schemas"))
        .status()
        .context("cannot run cargo")?;
    ensure!(
        status.success(),
        "the validator of schemas is not built: {status}"
    );
    Ok(())
}

/// The names of the files of `programs`, without their extensions.
fn names_of_programs() -> Result<BTreeSet<String>> {
    let folder = crate::root().join("programs");
    let mut names = BTreeSet::new();
    for entry in
        std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?
    {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension != "h") {
            names.extend(
                path.file_stem()
                    .map(|name| name.to_string_lossy().into_owned()),
            );
        }
    }
    Ok(names)
}

/// Checks that the request names programs that exist, and only where names have a meaning.
fn check_programs(request: &Request, names: &BTreeSet<String>) -> Result<()> {
    let Some(first) = request.programs.first() else {
        return Ok(());
    };
    if !request.suites.is_empty() {
        bail!("{first}: a suite's programs are chosen with --program PATTERN");
    }
    for (option, tests) in [("--samples", SAMPLES), ("--checks", CHECKS)] {
        if request.tests == tests {
            bail!("{first}: {option} takes no names of programs");
        }
    }
    for name in &request.programs {
        if names.contains(name) {
            continue;
        }
        let parts: Vec<&str> = name.split('_').collect();
        let alike = names
            .iter()
            .filter(|known| known.split('_').any(|part| parts.contains(&part)));
        let alike: Vec<&str> = alike.map(String::as_str).collect();
        let list = match alike.as_slice() {
            [] => names.iter().map(String::as_str).collect::<Vec<_>>(),
            some => some.to_vec(),
        };
        bail!(
            "there is no program {name} in programs; there are {}",
            list.join(", ")
        );
    }
    Ok(())
}

/// Our own programs, by a test that runs them here too, and its options.
fn programs(environment: &Environment, request: &Request, test: &[&str]) -> Result<Option<String>> {
    let (test, options) = test.split_first().context("a test")?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // (Of the whole workspace: with features of one package alone, what `./dev` has built would be built a second time.)
    let built = Command::new(cargo)
        .args(["test", "--release", "--workspace", "--test", test])
        .arg("--no-run")
        .current_dir(crate::root())
        .output()
        .context("cannot run cargo")?;
    let printed = String::from_utf8_lossy(&built.stderr).into_owned();
    ensure!(built.status.success(), "{printed}");
    let executable = printed.lines().find_map(|line| {
        let (_, path) = line.trim().strip_prefix("Executable")?.split_once('(')?;
        path.strip_suffix(')')
    });
    let executable = executable.context("cargo names no executable")?;
    let folder = format!("target/programs-{}", environment.name);
    let devices = request.chosen.then(|| request.devices.join(","));
    let hip = renamed::folder(environment.root(), &request.devices)?;
    let status = environment
        .command(crate::root().join(executable))
        .env(prerequisite::BUILT, "1")
        .envs(hip.map(|folder| ("LD_LIBRARY_PATH", folder)))
        .args(options)
        .args(&request.programs)
        .env("LUTHIER_TEST_PROGRAMS", crate::root().join(folder))
        .envs(devices.map(|devices| ("LUTHIER_TEST_DEVICES", devices)))
        .status()?;
    let failed = !status.success();
    Ok(failed.then(|| format!("{test} under {}: {status}", environment.name)))
}

fn suites(environment: &Environment, request: &Request) -> Result<Vec<String>> {
    let known = Known::read()?;
    let mut complaints = Vec::new();
    let mut table = tally::Table::default();
    println!("{}", tally::HEAD);
    for suite in &request.suites {
        environment.install(suite.packages)?;
        for device in &request.devices {
            let setting = Setting {
                environment,
                device,
                options: &request.options,
                seed: request.seed,
                checks: (request.checks.as_ref())
                    .map(|names| Checks::new(names, suite.name, device))
                    .transpose()?,
                hip: renamed::folder(environment.root(), std::slice::from_ref(device))?,
            };
            let tally = one(&setting, suite, request)?;
            let wrong = tally::report(suite.name, device, &tally, &known);
            table.add(suite.name, device, &tally, &known);
            let found = setting.checks.as_ref().map(Checks::found).transpose()?;
            let bugs = (found.as_ref()).map_or(0, |found| found.report(device, &known));
            if bugs > 0 {
                complaints.push(format!("{} on {device}: {bugs} findings", suite.name));
            }
            if request.note {
                let row = row(&setting, suite, request, &tally, &known)?;
                match &found {
                    Some(found) => {
                        let cells = found.cells(device, &known, &row.versions, &tally);
                        CHECKED.note(&row.name, device, &cells)?;
                    }
                    None => note(&row)?,
                }
            }
            if wrong > 0 {
                complaints.push(format!("{} on {device}: {wrong} unexplained", suite.name));
            }
            if tally.is_empty() {
                complaints.push(format!(
                    "{} on {device}: there was no test; do --only and --program match any?",
                    suite.name
                ));
            }
        }
    }
    if let Some(file) = &request.table {
        std::fs::write(file, table.markdown())
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(complaints)
}

/// Returns the row of `docs/measurements/stacks.md` for a run.
fn row(
    setting: &Setting<'_>,
    suite: &Suite,
    request: &Request,
    tally: &Tally,
    known: &Known,
) -> Result<Row> {
    let packages = suite.packages.split([' ', '|']).collect::<Vec<_>>();
    let runtime = [
        "libhsa-runtime64-1",
        "libamdhip64-5",
        "libamdhip64-6",
        "libamdhip64-7",
    ];
    let versions = setting
        .environment
        .versions(&[&packages[..], &runtime].concat())?;
    let mut why = Vec::new();
    for (test, _) in &tally.failed {
        let reason = known.reason(suite.name, setting.device, test);
        let reason = reason.unwrap_or("not explained").to_owned();
        if !why.contains(&reason) {
            why.push(reason);
        }
    }
    Ok(Row {
        name: request.part_of(suite),
        devices: setting.device.to_owned(),
        versions: versions.join(", "),
        counts: [
            tally.passed,
            tally.failed.len(),
            tally.skipped,
            tally.not_run,
        ],
        why: why.join("; "),
    })
}

fn one(setting: &Setting<'_>, suite: &Suite, request: &Request) -> Result<Tally> {
    let shard = request.shard.unwrap_or(Shard { index: 0, count: 1 });
    let files_of = |pattern: &str| -> Result<Vec<String>> {
        let mut files = setting.environment.files(pattern)?;
        if let Some(pattern) = &request.program {
            files.retain(|file| {
                let name = file.rsplit('/').next().unwrap_or(file);
                known::matches(pattern, name)
            });
        }
        order::arrange(&mut files, request.seed);
        Ok(files)
    };
    match &suite.kind {
        Kind::UnitTests { files } => {
            let files = files_of(files)?;
            unit_tests::run(setting, &files, &request.only, shard, request.seconds)
        }
        Kind::Operators => operators::run(setting, &request.only, shard, request.seconds),
        Kind::Completion => completion::run(setting, request.seconds),
        Kind::Onnx => {
            let only = request.only.join(":");
            let filter = if only.is_empty() { "*" } else { &only };
            onnx::run(setting, filter, shard, request.seconds)
        }
        Kind::Python(script) => python::run(setting, script, request.seconds),
        Kind::GoogleTest {
            files,
            arguments,
            filter,
        } => {
            let files = files_of(files)?;
            let only = request.only.join(":");
            let filter = if only.is_empty() { filter } else { &*only };
            let arguments = found(setting.environment, arguments)?;
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            google_tests(setting, &files, &arguments, filter, shard, request.seconds)
        }
        Kind::Compiled(sources) => {
            let pattern = request.program.as_deref().unwrap_or("*");
            let mut files = compiled::programs(setting, sources, pattern, shard)?;
            order::arrange(&mut files, request.seed);
            let only = request.only.join(":");
            let filter = if only.is_empty() { "*" } else { &only };
            // The parts of the suite are programs, so that not all of them need to be compiled.
            let whole = Shard { index: 0, count: 1 };
            google_tests(setting, &files, &[], filter, whole, request.seconds)
        }
        Kind::Built(program) => {
            let built = built::build(setting, program, request.source.as_deref())?;
            let only = request.only.join(":");
            let asked = !only.is_empty();
            let filter = if asked {
                only
            } else {
                program.filter(setting.device)
            };
            let run = google_test::Program {
                file: &built.file,
                arguments: program.arguments,
                folder: Some(&built.folder),
                variables: program.variables,
                skips: program.skips,
                patience: program.patience,
            };
            let mut tally = google_test::run(setting, &run, &filter, shard, request.seconds)?;
            if !asked {
                let unfit = program.left_out(setting.device);
                tally
                    .unfit
                    .extend(unfit.map(|row| (row.tests.to_owned(), row.reason.to_owned())));
            }
            Ok(tally)
        }
    }
}

/// Arguments with the files that those with `*` stand for.
fn found(environment: &Environment, arguments: &[&str]) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for argument in arguments {
        if argument.contains('*') {
            all.extend(environment.files(argument)?);
        } else {
            all.push((*argument).to_owned());
        }
    }
    Ok(all)
}

/// Programs of GoogleTest, each with its part of the time.
fn google_tests(
    setting: &Setting<'_>,
    files: &[String],
    arguments: &[&str],
    filter: &str,
    shard: Shard,
    seconds: u64,
) -> Result<Tally> {
    // The next program gets the time that a program does not use.
    let budget = limited::Budget::new(seconds);
    let mut tally = Tally::default();
    for (number, file) in files.iter().enumerate() {
        let left = budget.left().unwrap_or(0) / (files.len() - number) as u64;
        if left == 0 {
            println!("    {file}: not run");
            continue;
        }
        let program = google_test::Program {
            file,
            arguments,
            ..google_test::Program::default()
        };
        let part = google_test::run(setting, &program, filter, shard, left)?;
        tally.add(part);
    }
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let request = parse(&words(
            "debian-13 hello --device gfx900,gfx1030 --shard 2/8 -t empty",
        ))
        .unwrap();
        assert_eq!(request.name, "debian-13");
        assert_eq!(request.programs, ["hello"]);
        assert_eq!(request.devices, ["gfx900", "gfx1030"]);
        assert!(
            request
                .shard
                .is_some_and(|shard| (shard.index, shard.count) == (1, 8))
        );
        assert_eq!(request.options, ["-t", "empty"]);
        let llama = suites::named("llama").unwrap();
        let command = "`./dev rocm debian-13 --suite llama --shard 2/8 -t empty`";
        assert_eq!(request.part_of(llama), command);
        let request = parse(&words(
            "debian-13 --suite kfdtest,rocrtst --source a/b --table t.md",
        ))
        .unwrap();
        assert_eq!(request.suites.len(), 2);
        assert_eq!(request.source, Some("a/b".into()));
        assert_eq!(request.table, Some("t.md".into()));
        let names = names_of_programs().unwrap();
        let checked = |text: &str| check_programs(&parse(&words(text)).unwrap(), &names);
        checked("debian-testing hello openmp_fortran --tools").unwrap();
        for (text, said) in [
            // (An example, not a program.)
            (
                "debian-testing vector_add",
                "no program vector_add in programs; there are vector_types",
            ),
            ("debian-testing check", "no program check"),
            ("debian-testing hello --suite llama", "--program PATTERN"),
            ("debian-testing hello --samples", "takes no names"),
            ("debian-testing hello --checks", "takes no names"),
        ] {
            let error = checked(text).expect_err(text).to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
        let request = parse(&words("debian-testing --suite rocprim --check races,init")).unwrap();
        let rocprim = suites::named("rocprim").unwrap();
        let command = "`./dev rocm debian-testing --suite rocprim --check races,init`";
        assert_eq!(request.part_of(rocprim), command);
        let request = parse(&words("debian-testing --suite rocprim,kfdtest --seed 7")).unwrap();
        assert_eq!(request.seed, Some(7));
        let command = "`./dev rocm debian-testing --suite rocprim --seed 7`";
        assert_eq!(request.part_of(rocprim), command);
        for bad in [
            "debian-13 --suite none",
            "debian-13 --suite rocprim --seed 0",
            "debian-13 --suite rocprim --seed 100000",
            "debian-13 --suite rocprim --seed x",
            "debian-13 --suite rocprim,llama --seed 7",
            "debian-13 hello --seed 7",
            "debian-13 --shard 9/8",
            "x --oops",
            "x --device",
            "x --check all",
            "x --suite rocprim --check all -t empty",
        ] {
            assert!(parse(&words(bad)).is_err(), "{bad}");
        }
    }
}
