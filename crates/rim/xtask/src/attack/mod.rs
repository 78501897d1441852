//! Everything that once harmed a user, again, and a while of chance besides: `cargo xtask attack [--seconds N] [GROUP...]`.
//!
//! Groups of tests run as they are; the others take `--seconds` each (default 20): hostile objects by mutation, runs that are killed at any
//! moment, files that may not grow, litmus tests of the memory model at three scopes, and applications that tools, the scheduler or the
//! runtime could harm ([`harm`]). A line for each says how often it was tried, how often it failed and how long that took, as soon as it is
//! known. Failures are listed at the end.

mod harm;
mod jumps;

use std::{
    fs,
    io::Write as _,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};

/// Name of a group, of a test program and of the file in it, if the program has more than one.
const TESTS: &[(&str, &str, &str)] = &[
    ("outputs", "outputs", "outputs::"),
    ("outputs", "cli", "outputs::"),
    ("descriptors", "kept", ""),
    ("descriptors", "cli", "descriptors::"),
    ("permissions", "trusted", ""),
    ("permissions", "session", "cache::"),
    ("limits", "cli", "limits::"),
    ("options", "cli", "options::"),
    ("options", "coverage", "options::"),
    ("faults", "gpu", "guard::"),
    ("faults", "cli", "faults::"),
    ("faults", "hardware", "faults::"),
    ("strict", "cli", "strict::"),
    ("size", "cli", "large::"),
    ("packets", "gpu", "queues::"),
    ("registers", "wave", "hardware_registers::"),
    ("signals", "launcher", "signals::"),
    ("objects", "codeobj", "hostile::"),
    ("objects", "isa", "hostile::"),
    ("objects", "lift", "hostile::"),
];

/// A group that goes on for a while: its name, what it tries and how.
type Chance = (&'static str, &'static str, fn(&Setting) -> Result<Row>);
const CHANCES: &[Chance] = &[
    ("mutations", "objects with bytes changed", mutations),
    ("kills", "runs that are killed at any moment", kills),
    ("full", "files that may not grow", full),
    ("litmus", "the memory model at three scopes", litmus),
    (
        "room",
        "kernels that fill a compute unit, with tools",
        harm::room,
    ),
    (
        "waits",
        "workgroups that wait for each other in many ways, on few and on busy processors",
        harm::waits,
    ),
    (
        "restarts",
        "HSA that begins again and again",
        harm::restarts,
    ),
    ("frees", "blocks that are freed twice", harm::frees),
    ("absent", "registers that are not there", harm::absent),
    ("raised", "signals that are raised again", harm::raised),
    (
        "jumps",
        "kernels of computed jumps below hooks, compared with themselves",
        jumps::jumps,
    ),
];

const USAGE: &str = "\
Usage: cargo xtask attack [--seconds N] [GROUP...]

Tries again what once harmed a user, and prints a line for each group: how often it was tried, how often it failed, and how long that took.
Without groups, all are tried.

  --seconds N   how long each group of chance goes on (default 20)
  --help        print this
";

/// The groups by name.
fn usage() -> String {
    let mut text = format!("{USAGE}\nGroups of tests:\n");
    let mut known = "";
    for (group, ..) in TESTS.iter().filter(|(group, ..)| {
        let is_new = *group != known;
        known = group;
        is_new
    }) {
        let tests = TESTS.iter().filter(|(name, ..)| name == group);
        let tests: Vec<String> = tests
            .map(|(_, program, file)| format!("{program} {file}").trim_end().to_owned())
            .collect();
        text += &format!("  {group:<13} {}\n", tests.join(", "));
    }
    text += "\nGroups of chance:\n";
    for (group, what, _) in CHANCES {
        text += &format!("  {group:<13} {what}\n");
    }
    text
}

/// The setting of random groups.
struct Setting {
    luthier: PathBuf,
    folder: PathBuf,
    time: Duration,
}

/// One line of the table.
#[derive(Default)]
struct Row {
    tried: u64,
    failures: Vec<String>,
}

pub fn run(arguments: &[String]) -> Result<Vec<String>> {
    let mut seconds = 20;
    let mut groups = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--help" | "-h" => {
                print!("{}", usage());
                return Ok(Vec::new());
            }
            "--seconds" => {
                let number = rest.next().context("--seconds wants a number")?;
                seconds = number.parse().context("--seconds wants a number")?;
            }
            name if TESTS.iter().any(|(group, ..)| *group == name)
                || CHANCES.iter().any(|(group, ..)| *group == name) =>
            {
                groups.push(name)
            }
            other => bail!("there is no group {other}; cargo xtask attack --help lists them"),
        }
    }
    let chosen = |name: &str| groups.is_empty() || groups.contains(&name);
    let root = super::root();
    let luthier = root.join("target/release/luthier");
    ensure!(
        luthier.exists(),
        "{} is missing: run ./dev build",
        luthier.display()
    );
    let folder = root.join("target/attack");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let setting = Setting {
        luthier,
        folder,
        time: Duration::from_secs(seconds),
    };
    let mut failures = Vec::new();
    println!("{:<32} {:>8} {:>8} {:>8}", "attack", "tried", "failed", "s");
    for (group, program, file) in TESTS.iter().filter(|(group, ..)| chosen(group)) {
        let name = format!("{group}: {program} {}", file.trim_end_matches("::"));
        failures.extend(line(&name, || tests(&root, program, file))?);
    }
    for (group, _, attack) in CHANCES.iter().filter(|(group, ..)| chosen(group)) {
        failures.extend(line(group, || attack(&setting)).with_context(|| group.to_string())?);
    }
    Ok(failures)
}

/// A line of the table: its name while it is tried, the rest when that is done. Returns what failed.
fn line(name: &str, attack: impl FnOnce() -> Result<Row>) -> Result<Vec<String>> {
    print!("{name:<32} ");
    std::io::stdout().flush()?;
    let began = Instant::now();
    let done = attack();
    let time = began.elapsed().as_secs_f64();
    match &done {
        Ok(row) => println!("{:>8} {:>8} {time:>8.1}", row.tried, row.failures.len()),
        Err(_) => println!(),
    }
    Ok(done?.failures)
}

/// The tests of one file of a test program; how many, and which failed.
fn tests(root: &Path, program: &str, file: &str) -> Result<Row> {
    let output = Command::new("cargo")
        .current_dir(root)
        // By its package alone it would be built with other features than everything else, and all below it again.
        .args(["test", "--release", "--no-fail-fast", "--workspace"])
        .args(["--test", program, "--", file])
        .output()
        .context("cannot start cargo")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut row = Row::default();
    for line in text.lines().filter_map(|line| line.strip_prefix("test ")) {
        if let Some((name, result)) = line.split_once(" ... ") {
            row.tried += 1;
            if result.starts_with("FAILED") {
                row.failures.push(format!("{program}: {name}"));
            }
        }
    }
    if row.failures.is_empty() && (!output.status.success() || row.tried == 0) {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        row.failures.push(format!("{program}: {}", said.trim()));
    }
    Ok(row)
}

/// Numbers that look random and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// Waits for a process, but not for ever.
fn ended(mut command: Command, limit: Duration) -> Result<Option<ExitStatus>> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("cannot start luthier")?;
    let began = Instant::now();
    while began.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(Duration::from_millis(2));
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

/// A compiled program of `crates/rim/cli/tests/programs`.
fn compiled(setting: &Setting, compiler: &str, name: &str, flags: &[&str]) -> Result<PathBuf> {
    let source = super::root()
        .join("crates/rim/cli/tests/programs")
        .join(name);
    let out = setting.folder.join(name.replace('.', "-"));
    let status = Command::new(compiler)
        .arg(&source)
        .args(flags)
        .arg("-o")
        .arg(&out)
        .status()
        .with_context(|| format!("cannot start {compiler}"))?;
    ensure!(
        status.success(),
        "{compiler} does not compile {}",
        source.display()
    );
    Ok(out)
}

/// Damaged objects: whatever they say, commands end soon, with a status of their own.
fn mutations(setting: &Setting) -> Result<Row> {
    let flags = [
        "--target=amdgcn-amd-amdhsa",
        "-mcpu=gfx90a",
        "-nogpulib",
        "-O1",
    ];
    let object = compiled(setting, "clang-22", "tiny.cl", &flags)?;
    let good = fs::read(&object)?;
    let path = setting.folder.join("mutated.co");
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let (mut row, began) = (Row::default(), Instant::now());
    while began.elapsed() < setting.time {
        let mut bytes = good.clone();
        for _ in 0..1 + numbers.below(8) {
            let at = numbers.below(bytes.len());
            match numbers.below(4) {
                0 => bytes[at] ^= 1 << numbers.below(8),
                1 => bytes[at] = 0xff,
                2 => bytes.truncate(at.max(64)),
                _ => bytes[at] = numbers.next() as u8,
            }
        }
        fs::write(&path, &bytes)?;
        let commands: [&[&str]; 4] = [
            &["inspect", "--disassemble"],
            &["instrument", "-t", "instr-count", "-o", "/dev/null"],
            &[
                "emulate", "--kernel", "tiny", "--arg", "zero:256", "--limit", "2",
            ],
            &[
                "verify", "--kernel", "tiny", "--arg", "zero:256", "--limit", "2", "-t", "bb-count",
            ],
        ];
        for arguments in commands {
            row.tried += 1;
            let mut command = Command::new(&setting.luthier);
            command.args(arguments).arg(&path);
            let status = ended(command, Duration::from_secs(30))?;
            let good = status.is_some_and(|status| matches!(status.code(), Some(0 | 2 | 3 | 4)));
            if !good {
                let kept = setting
                    .folder
                    .join(format!("failed-{}.co", row.failures.len()));
                fs::copy(&path, &kept)?;
                let name = arguments[0];
                row.failures
                    .push(format!("luthier {name} {}: {status:?}", kept.display()));
            }
        }
    }
    Ok(row)
}

/// Names of hidden and unfinished files below a directory.
fn leftovers(directory: &Path) -> Result<Vec<String>> {
    let mut left = Vec::new();
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') || name.contains("unfinished") {
            left.push(name);
        }
    }
    Ok(left)
}

/// A run that is killed at some moment; nothing remains, and the next run works.
fn kills(setting: &Setting) -> Result<Row> {
    let flags = ["-O1", "-w", "--offload-arch=gfx90a"];
    let program = compiled(setting, "hipcc", "launch.hip", &flags)?;
    let directory = setting.folder.join("kills");
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let (mut row, began) = (Row::default(), Instant::now());
    while began.elapsed() < setting.time {
        row.tried += 1;
        let _ = fs::remove_dir_all(&directory);
        let (output, temporary) = (directory.join("out"), directory.join("tmp"));
        fs::create_dir_all(&temporary)?;
        let mut command = |killed: bool| {
            let mut command = Command::new(&setting.luthier);
            command
                .args([
                    "run",
                    "--device",
                    "gfx90a",
                    "-t",
                    "mem-trace,instr-count",
                    "--stats",
                    "--output",
                ])
                .arg(&output)
                .arg("--")
                .arg(&program)
                .env("TMPDIR", &temporary)
                .env("XDG_CACHE_HOME", directory.join("cache"));
            let time = if killed {
                numbers.below(900) as u64
            } else {
                60_000
            };
            (command, Duration::from_millis(time))
        };
        let (first, time) = command(true);
        ended(first, time)?;
        let (second, time) = command(false);
        let status = ended(second, time)?;
        let mut left = leftovers(&temporary)?;
        left.extend(leftovers(&output)?);
        if !status.is_some_and(|status| status.success()) || !left.is_empty() {
            row.failures
                .push(format!("after a kill: {status:?}, left: {left:?}"));
        }
    }
    Ok(row)
}

/// Files may not grow beyond a few bytes once the runtime has made its own. The program's status stays its own, and no file of Luthier's is
/// incomplete.
fn full(setting: &Setting) -> Result<Row> {
    let flags = ["-O1", "-w", "--offload-arch=gfx90a"];
    let program = compiled(setting, "hipcc", "launch.hip", &flags)?;
    let mut numbers = Numbers(0x1234_5678_9abc_def1);
    let (mut row, began) = (Row::default(), Instant::now());
    while began.elapsed() < setting.time {
        row.tried += 1;
        let most = [0, 1, 100, 4096][numbers.below(4)] + numbers.below(2048);
        let directory = setting.folder.join("full");
        let _ = fs::remove_dir_all(&directory);
        let mut command = Command::new(&setting.luthier);
        command
            .args([
                "run",
                "--device",
                "gfx90a",
                "-t",
                "mem-trace",
                "--stats",
                "--output",
            ])
            .arg(&directory)
            .arg("--")
            .arg(&program)
            .arg(most.to_string())
            .env("XDG_CACHE_HOME", directory.join("cache"));
        let status = ended(command, Duration::from_secs(60))?;
        let left = leftovers(&directory)?;
        if !status.is_some_and(|status| status.success()) || !left.is_empty() {
            let how = status.map(|status| (status.code(), status.signal()));
            row.failures
                .push(format!("files of {most} bytes: {how:?}, left: {left:?}"));
        }
    }
    Ok(row)
}

/// Outcomes that the memory model forbids, between waves, workgroups, and the device and its host.
fn litmus(setting: &Setting) -> Result<Row> {
    const ROUNDS: &str = "2000";
    let flags = [
        "-O2",
        "-w",
        "--offload-arch=gfx90a",
        "--offload-arch=gfx1030",
    ];
    let program = compiled(setting, "hipcc", "litmus.hip", &flags)?;
    let (mut row, began) = (Row::default(), Instant::now());
    while began.elapsed() < setting.time {
        for device in ["gfx90a", "gfx1030"] {
            let output = Command::new(&setting.luthier)
                .args(["run", "--device", device, "--"])
                .arg(&program)
                .arg(ROUNDS)
                .output()
                .context("cannot start luthier")?;
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let last = said.lines().last().unwrap_or_default();
            let tried = last
                .split(' ')
                .next()
                .and_then(|number| number.parse().ok());
            row.tried += tried.unwrap_or(0u64);
            if !output.status.success() {
                row.failures
                    .push(format!("litmus on {device}: {}", said.trim()));
            }
        }
    }
    Ok(row)
}
