//! Records the first dispatch of every kernel of some programs and compares the kernel with tools at every place with the kernel
//! as it was, instruction by instruction: `luthier run --record`, then `luthier verify`.
//!
//! `cargo test --release --workspace --test recorded -- --all` takes every program; names choose some.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use programs::{Arguments, Bounded, Emulator, Program, Tally};
use serde_json::Value;

/// Different kinds of control flow, memory and calls, and two ways to wait.
const USUAL: &[&str] = &[
    "calls",
    "grid_sync",
    "lanes",
    "spin_on_host",
    "tiles",
    "wave_algorithms",
];
const TOOLS: &str = "empty,instr-count,bb-count,mem-trace";
/// A comparison that takes longer has failed. The longest takes about a minute on a free core.
const LIMIT: Duration = Duration::from_secs(280);

/// The other possible results of a comparison. [`Class::Same`] needs no reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// Equal up to the kernel's end.
    Same,
    /// Equal up to the fault that the program provokes.
    Fault,
    /// Equal until the kernel waits for something that a replay does not have: the host, or another kernel.
    Waits,
    /// Equal for the first millions of instructions, of which there are more.
    Long,
    /// The kernel does something else each time.
    Unrepeatable,
    /// Tools leave the kernel as it is, and say why.
    Refused,
}

/// Results that appear only with some releases of ROCm: with releases before HIP 7.2, no kernel of this program waits for the host.
const OF_SOME_RELEASES: &[(&str, Class)] = &[("device_malloc", Class::Waits)];

/// Every program whose kernels are not all the same up to their end, and why. A result that does not appear must not be listed here.
#[rustfmt::skip]
const REASONS: &[(&str, &[Class])] = &[
    ("all_generators",    &[Class::Long]),
    ("concurrent",        &[Class::Waits]),
    ("device_malloc",     &[Class::Waits]),
    ("device_printf",     &[Class::Waits]),
    ("fault_illegal",     &[Class::Refused]),
    ("fault_null",        &[Class::Fault]),
    ("fault_source_line", &[Class::Fault]),
    ("fault_unaligned",   &[Class::Fault]),
    ("fault_unsupported", &[Class::Fault]),
    ("fault_wild",        &[Class::Fault]),
    ("hostcall_load",     &[Class::Waits]),
    ("memory_calls",      &[Class::Waits]),
    ("persistent",        &[Class::Waits]),
    ("printf_storm",      &[Class::Waits]),
    ("spin_on_host",      &[Class::Waits]),
];

/// Messages of `luthier verify` for kernels that are left out.
const REFUSALS: &[&str] = &["refuse", "is not understood"];

/// Kernels by what their comparison came to, instructions compared, and what went wrong.
#[derive(Default)]
struct Seen {
    classes: BTreeMap<Class, usize>,
    compared: u64,
    wrong: Vec<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::own();
    if arguments.want_none() || !programs::can_compile() {
        return Tally::default().finish(Duration::ZERO);
    }
    let all = arguments.has("--all") || !arguments.names.is_empty();
    let wanted = |program: &Program| {
        let is_usual = all || USUAL.contains(&program.name.as_str());
        is_usual && arguments.choose(&program.name)
    };
    let emulator = Emulator::find().expect("the emulator is built");
    let mut chosen = programs::all().expect("programs can be listed");
    for (name, _) in REASONS {
        let source = programs::root().join(format!("programs/{name}.hip"));
        assert!(source.exists(), "there is no program {name}");
    }
    chosen.retain(wanted);
    if chosen.is_empty() {
        eprintln!("{}", programs::none_ran(&arguments.names));
    }
    let began = Instant::now();
    let seen = programs::side_by_side(chosen, |program, _| {
        let begun = Instant::now();
        let seen = judge(&emulator, program).unwrap_or_else(|error| Seen {
            wrong: vec![format!("{error:#}")],
            ..Seen::default()
        });
        println!(
            "{:24} {:8} {:5.1} s  {:>10} instructions  {:?}",
            program.name,
            program.header.devices.join(","),
            begun.elapsed().as_secs_f64(),
            seen.compared,
            seen.classes
        );
        for wrong in &seen.wrong {
            let devices = program.header.devices.join(",");
            eprintln!("FAILED {} for {devices}: {wrong}", program.name);
        }
        let passed = seen.wrong.is_empty();
        ((program.name.clone(), seen), passed)
    })
    .expect("there are cores");
    let mut total = Seen::default();
    let mut tally = Tally::default();
    for (name, seen) in seen {
        tally.note(&name, seen.wrong.is_empty());
        for (class, kernels) in seen.classes {
            *total.classes.entry(class).or_default() += kernels;
        }
        total.compared += seen.compared;
        total.wrong.extend(seen.wrong);
    }
    println!(
        "kernels: {:?}; {} instructions compared, {} failures",
        total.classes,
        total.compared,
        total.wrong.len()
    );
    // Nothing was compared to its end; why is said above.
    if total.wrong.is_empty() && !total.classes.contains_key(&Class::Same) {
        return ExitCode::FAILURE;
    }
    tally.finish(began.elapsed())
}

fn judge(emulator: &Emulator, program: &Program) -> Result<Seen> {
    let executable = programs::compile(program)?;
    let folder = tempfile::tempdir()?;
    let device = program.header.devices.first().context("no device")?;
    let record = ["--record".as_ref(), folder.path().as_os_str()];
    programs::check_with(emulator, program, &executable, device, &record)?;
    let mut seen = Seen::default();
    for entry in fs::read_dir(folder.path())? {
        let path = entry?.path();
        match compare(emulator, &path) {
            Ok((class, compared)) => {
                *seen.classes.entry(class).or_default() += 1;
                seen.compared += compared;
            }
            Err(error) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                seen.wrong.push(format!("{name}: {error:#}"));
            }
        }
    }
    ensure!(
        !seen.classes.is_empty() || !seen.wrong.is_empty(),
        "nothing was recorded"
    );
    let stated = REASONS.iter().find(|(name, _)| *name == program.name);
    let stated: BTreeSet<Class> = stated
        .iter()
        .flat_map(|(_, classes)| *classes)
        .copied()
        .collect();
    let found: BTreeSet<Class> = seen.classes.keys().copied().collect();
    let found = &found - &BTreeSet::from([Class::Same]);
    let may_lack = |class: &Class| OF_SOME_RELEASES.contains(&(program.name.as_str(), *class));
    let unseen = (&stated - &found)
        .into_iter()
        .any(|class| !may_lack(&class));
    if unseen || !found.is_subset(&stated) {
        let text = format!("kernels are {found:?}, the reasons stated in this test are {stated:?}");
        seen.wrong.push(text);
    }
    Ok(seen)
}

/// The result of the comparison of one recorded dispatch, and the number of instructions at which all was equal.
fn compare(emulator: &Emulator, recording: &Path) -> Result<(Class, u64)> {
    let mut command = emulator.command();
    command
        .args(["verify", "--json", "-t", TOOLS])
        .arg(recording);
    let (status, said, error) = output(command)?;
    ensure!(status.is_some(), "it was killed: {said}{error}");
    if error.contains("luthier: ") && REFUSALS.iter().any(|refusal| error.contains(refusal)) {
        return Ok((Class::Refused, 0));
    }
    let verdict: Value = serde_json::from_str(&said).with_context(|| format!("{said}{error}"))?;
    let word = |name: &str| verdict[name].as_str().unwrap_or_default();
    let (class, expected) = match (word("verdict"), word("ended")) {
        ("same", "end") => (Class::Same, 0),
        ("same", "fault") => (Class::Fault, 0),
        ("same", "waits") => (Class::Waits, 3),
        ("same", "long") => (Class::Long, 3),
        ("unrepeatable", _) => (Class::Unrepeatable, 4),
        _ => bail!("{}", word("text")),
    };
    ensure!(status == Some(expected), "status {status:?}: {said}");
    let compared = verdict["compared"].as_u64().unwrap_or(0);
    let something = compared > 0 || class == Class::Unrepeatable;
    ensure!(something, "nothing was compared: {said}");
    if class == Class::Waits {
        let looks = verdict["reads"]
            .as_u64()
            .is_some_and(|address| address != 0);
        ensure!(looks, "it does not say where the kernel looks: {said}");
    }
    Ok((class, compared))
}

/// Status and output of a command that ends in time.
fn output(mut command: Command) -> Result<(Option<i32>, String, String)> {
    let output = command.output_within(LIMIT).context("no verdict")?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    ))
}
