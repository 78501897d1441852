//! Runs every program once without tools, and once with tools at every instruction, block and access. It compares the program's own
//! verdict, and the counts of the tools with those of the emulated GPU in the first run. Some programs have the tools put into their
//! executables before, and then run without options for tools.
//!
//! `cargo test --release --workspace --test instrumented -- lanes lds` runs those two; `-- --all-devices` takes every device of each
//! program instead of the first.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    path::Path,
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use programs::{Arguments, Bounded, Emulator, Program, Seat, Tally};
use serde_json::Value;

/// All at once, so that they also have to live with each other.
const TOOLS: &str =
    "empty,instr-count,hotspots,opcode-histogram,mem-coalesce,mem-trace,branch-divergence";

/// Programs that are also instrumented on disk: kernels that call each other, data that the host reaches by name, several
/// devices in a file, LDS, printf, streams, graphs.
const ON_DISK: &[&str] = &[
    "calls",
    "device_globals",
    "device_printf",
    "graphs",
    "lds",
    "managed",
    "streams",
];

/// The results for the kernels of a program.
#[derive(Default)]
struct Seen {
    compared: usize,
    refused: Vec<String>,
    instrumented: usize,
    /// Kernels whose counts did not fit in registers.
    in_memory: usize,
}

fn main() -> ExitCode {
    let arguments = Arguments::own();
    if arguments.want_none() || !programs::can_compile() {
        return Tally::default().finish(Duration::ZERO);
    }
    let every = arguments.has("--all-devices");
    let every_program = arguments.names.is_empty();
    let emulator = Emulator::find().expect("the emulator is built");
    let mut chosen = programs::all().expect("programs can be listed");
    chosen.retain(|program| arguments.choose(&program.name));
    let began = Instant::now();
    let verdicts = programs::side_by_side(chosen, |program, seat| {
        let devices = if every {
            program.header.devices.len()
        } else {
            1
        };
        let devices = program.header.devices.iter().take(devices);
        let verdicts: Vec<_> = devices
            .map(|device| {
                let verdict = judge(&emulator, program, device, seat);
                match &verdict {
                    Ok(seen) => println!(
                        "{:24} {device:8} {} kernels agree, {} refused",
                        program.name,
                        seen.compared,
                        seen.refused.len()
                    ),
                    Err(error) => eprintln!("FAILED {} on {device}: {error:#}", program.name),
                }
                let verdict = verdict.with_context(|| format!("{} on {device}", program.name));
                (program.name.clone(), verdict)
            })
            .collect();
        let passed = verdicts.iter().all(|(_, verdict)| verdict.is_ok());
        (verdicts, passed)
    })
    .expect("there are cores")
    .into_iter()
    .flatten();
    let (mut runs, mut failures, mut total) = (0, Vec::new(), Seen::default());
    let mut tally = Tally::default();
    for (name, verdict) in verdicts {
        runs += 1;
        tally.note(&name, verdict.is_ok());
        match verdict {
            Ok(seen) => {
                total.compared += seen.compared;
                total.refused.extend(seen.refused);
                total.instrumented += seen.instrumented;
                total.in_memory += seen.in_memory;
            }
            Err(error) => failures.push(error),
        }
    }
    if runs == 0 {
        eprintln!("{}", programs::none_ran(&arguments.names));
    }
    for refusal in &total.refused {
        println!("refused: {refusal}");
    }
    for failure in &failures {
        eprintln!("\nFAILED {failure:#}");
    }
    println!(
        "{runs} runs, {} failures; {} kernels agree, {} refused, {} of {} instrumented count in memory",
        failures.len(),
        total.compared,
        total.refused.len(),
        total.in_memory,
        total.instrumented
    );
    // Counting in memory is for the few kernels that leave no registers, of which some programs have little else.
    let are_few = !every_program || total.in_memory * 10 <= total.instrumented;
    // Kernels may be refused, with a reason, but one in a hundred at most.
    let instrumented_most = total.refused.len() * 100 <= total.instrumented;
    match runs > 0 && are_few && instrumented_most {
        true => tally.finish(began.elapsed()),
        false => ExitCode::FAILURE,
    }
}

/// Counts are compared, so kernels get one core; those whose counts vary anyway show that tools bear several.
fn judge(emulator: &Emulator, program: &Program, device: &str, seat: &Seat) -> Result<Seen> {
    let executable = programs::compile(program)?;
    if program.header.varies {
        run_both(emulator, program, &executable, device)
    } else {
        seat.on_one_core(|| run_both(emulator, program, &executable, device))
    }
}

/// The tools for a program, as `-t` takes them.
fn tools_for(program: &Program) -> Result<String> {
    let all = program.header.tools.as_deref().unwrap_or(TOOLS);
    let without = program.header.omits.as_deref();
    let left: Vec<&str> = all
        .split(',')
        .filter(|tool| Some(*tool) != without)
        .collect();
    ensure!(
        without.is_none() || left.len() < all.split(',').count(),
        "{} leaves out a tool that is not among {all}",
        program.name
    );
    Ok(left.join(","))
}

fn run_both(
    emulator: &Emulator,
    program: &Program,
    executable: &Path,
    device: &str,
) -> Result<Seen> {
    let folder = tempfile::tempdir()?;
    let plain = folder.path().join("plain");
    let tools = folder.path().join("tools");
    let run =
        |options: &[&OsStr]| programs::check_with(emulator, program, executable, device, options);
    let output = OsStr::new("--output");
    run(&[OsStr::new("--stats"), output, plain.as_os_str()]).context("as it is")?;
    run(&[
        OsStr::new("-t"),
        OsStr::new(&tools_for(program)?),
        output,
        tools.as_os_str(),
    ])
    .context("with tools")?;
    let expected = emulated(&plain)?;
    let mut seen = compare(program, &expected, &tools)?;
    if ON_DISK.contains(&program.name.as_str()) {
        let inside = folder.path().join("inside");
        let changed = executable.with_extension("instrumented");
        let made = emulator
            .command()
            .args(["instrument", "-t", TOOLS])
            .arg(executable)
            .arg("-o")
            .arg(&changed)
            .bounded_output()?;
        let errors = String::from_utf8_lossy(&made.stderr);
        ensure!(
            made.status.success(),
            "cannot be instrumented on disk: {errors}"
        );
        let options = [output, inside.as_os_str()];
        programs::check_with(emulator, program, &changed, device, &options)
            .context("instrumented on disk")?;
        let more = compare(program, &expected, &inside).context("instrumented on disk")?;
        ensure!(
            more.compared == seen.compared,
            "{} kernels counted on disk, {} in the process",
            more.compared,
            seen.compared
        );
        seen.refused.extend(more.refused);
    }
    Ok(seen)
}

/// Compares what tools left in a folder with what was expected.
fn compare(
    program: &Program,
    expected: &BTreeMap<String, (u64, u64)>,
    tools: &Path,
) -> Result<Seen> {
    let mut seen = Seen::default();
    let mut summaries = read_all(tools, "summary.")?;
    summaries.extend(read(&tools.join("summary.json")));
    ensure!(!summaries.is_empty(), "no summary was written");
    for summary in &summaries {
        for kernel in list(&summary["kernels"])? {
            if let Some(reason) = kernel["reason"].as_str() {
                let name = kernel["name"].as_str().unwrap_or_default();
                seen.refused
                    .push(format!("{} {name}: {reason}", program.name));
            }
            seen.instrumented += usize::from(kernel["status"] == "instrumented");
            let notes = kernel["notes"].as_array().into_iter().flatten();
            let mut notes = notes.filter_map(Value::as_str);
            seen.in_memory += usize::from(notes.any(|note| note.starts_with("counts in memory")));
        }
    }
    if program.header.varies {
        return Ok(seen);
    }
    let mut counted: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for kernels in read_all(tools, "instr-count.")? {
        for kernel in list(&kernels)? {
            let sum = counted.entry(name_of(kernel)?).or_default();
            sum.0 += kernel["wave_instructions"].as_u64().context("a count")?;
            sum.1 += kernel["lane_instructions"].as_u64().context("a count")?;
        }
    }
    // Two tools that count differently must agree too.
    let mut opcodes: BTreeMap<String, u64> = BTreeMap::new();
    for kernels in read_all(tools, "opcode-histogram.")? {
        for kernel in list(&kernels)? {
            let counts = kernel["opcodes"].as_object().context("opcodes by name")?;
            *opcodes.entry(name_of(kernel)?).or_default() +=
                counts.values().filter_map(Value::as_u64).sum::<u64>();
        }
    }
    let mut hot: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for kernels in read_all(tools, "hotspots.")? {
        for kernel in list(&kernels)? {
            let sum = hot.entry(name_of(kernel)?).or_default();
            for stretch in list(&kernel["stretches"])? {
                let of = |key: &str| stretch[key].as_u64().context("a count");
                sum.0 += of("waves")? * of("instructions")?;
                sum.1 += of("lanes")? * of("instructions")?;
            }
        }
    }
    for (name, counts) in &counted {
        let Some(emulated) = expected.get(name) else {
            bail!("{name} ran with tools only")
        };
        ensure!(
            counts == emulated,
            "{name}: the emulated GPU counted {emulated:?} wave and lane instructions, the tool {counts:?}"
        );
        let sum = opcodes.get(name).copied().unwrap_or(0);
        ensure!(
            sum == counts.0,
            "{name}: opcodes add up to {sum}, not {}",
            counts.0
        );
        if let Some(hot) = hot.get(name) {
            ensure!(
                hot == counts,
                "{name}: stretches add up to {hot:?}, not {counts:?}"
            );
        }
        seen.compared += 1;
    }
    Ok(seen)
}

/// Wave and lane instructions by kernel, as the emulated GPU counted them.
fn emulated(folder: &Path) -> Result<BTreeMap<String, (u64, u64)>> {
    let statistics = read(&folder.join("statistics.json"))?;
    let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for kernel in list(&statistics["kernels"])? {
        let name = kernel["kernel"].as_str().context("a kernel has a name")?;
        let sum = counts.entry(name.to_owned()).or_default();
        sum.0 += kernel["wave_instructions"].as_u64().unwrap_or(0);
        sum.1 += kernel["lane_instructions"].as_u64().unwrap_or(0);
    }
    Ok(counts)
}

fn read(path: &Path) -> Result<Value> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_slice(&bytes).with_context(|| format!("{} is damaged", path.display()))
}

/// All files whose name starts so, one for each process.
fn read_all(folder: &Path, prefix: &str) -> Result<Vec<Value>> {
    let mut values = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name.starts_with(prefix) && name.ends_with(".json") {
            values.push(read(&path)?);
        }
    }
    Ok(values)
}

fn name_of(kernel: &Value) -> Result<String> {
    Ok(kernel["kernel"]
        .as_str()
        .context("a kernel has a name")?
        .to_owned())
}

fn list(value: &Value) -> Result<&Vec<Value>> {
    value.as_array().context("a list was expected")
}
