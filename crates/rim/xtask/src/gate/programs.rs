//! The test programs that cargo builds, and how one of them is run.

use std::{
    ffi::OsString,
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{
    harness::{self, Said},
    work,
};
use crate::{command, root};

/// The time that a test program may take. One that takes longer is killed in CI, so that the run ends with a name.
fn limit(arguments: &[String]) -> Duration {
    let is_long = arguments.iter().any(|argument| argument == "--ignored");
    Duration::from_secs(if is_long { 7200 } else { 1200 })
}

/// One test program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub package: String,
    /// How cargo is told to run it: `--test wave`, `--lib`, `--bin luthier`.
    pub target: String,
    pub file: PathBuf,
    /// The folder of its package, in which it runs.
    folder: PathBuf,
    /// Variables of its environment.
    environment: Vec<(&'static str, OsString)>,
}

/// The result of a run of a test program.
#[derive(Debug)]
pub struct Outcome {
    pub said: Option<Said>,
    pub succeeded: bool,
    pub time: Duration,
    /// Processor time of the program and of all that it started and waited for.
    pub work: Duration,
    /// How long each of its tests took, as far as that is known.
    pub tests: Vec<(Duration, String)>,
}

impl Outcome {
    /// Returns `true` if it failed without naming a test: it crashed, was killed, or its status does not fit its output.
    pub fn crashed(&self) -> bool {
        match &self.said {
            Some(said) => self.succeeded != (said.failed == 0),
            None => true,
        }
    }
}

impl Program {
    /// Its name in lists: `wave --test wave`.
    pub fn name(&self) -> String {
        format!("{} {}", self.package, self.target)
    }

    pub fn with_environment(
        &self,
        variables: &[(&'static str, PathBuf)],
        libraries: &OsString,
    ) -> Program {
        let mut program = self.clone();
        let variables = variables.iter();
        program.environment = variables
            .map(|(name, value)| (*name, value.clone().into()))
            .collect();
        program
            .environment
            .push(("LD_LIBRARY_PATH", libraries.clone()));
        program
    }

    /// The program as cargo starts it, but for a wrapper of the compiler: tests that build something build it as users do.
    fn command(&self, arguments: &[String]) -> Result<Command> {
        let mut command = match prerequisite::required() {
            true => {
                let mut timeout = Command::new("timeout");
                timeout.args(["--kill-after=10", &limit(arguments).as_secs().to_string()]);
                timeout.arg(&self.file);
                timeout
            }
            false => Command::new(&self.file),
        };
        command
            .args(arguments)
            .current_dir(&self.folder)
            .envs(configured(&root().join(".cargo/config.toml"))?)
            .env("CARGO_MANIFEST_DIR", &self.folder)
            .env_remove("RUSTC_WRAPPER")
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
        Ok(command)
    }

    /// Runs it. `hear` gets each line of standard output as it comes.
    pub fn run(&self, arguments: &[String], mut hear: impl FnMut(&[u8])) -> Result<Outcome> {
        let began = Instant::now();
        let mut child = self
            .command(arguments)?
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", self.file.display()))?;
        let mut text = Vec::new();
        let mut reader = BufReader::new(child.stdout.take().context("standard output")?);
        let mut line = Vec::new();
        let mut ends = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 {
            hear(&line);
            if let Some(test) = harness::ended(&String::from_utf8_lossy(&line)) {
                ends.push((test.to_owned(), began.elapsed()));
            }
            text.append(&mut line);
        }
        // The program has ended, because no process holds its standard output. The kernel keeps its times until
        // `wait` is called.
        let work = work::of(&child.id().to_string());
        let status = child.wait()?;
        let outcome = Outcome {
            said: harness::read(&String::from_utf8_lossy(&text)),
            succeeded: status.success(),
            time: began.elapsed(),
            work,
            tests: harness::durations(&ends, threads()),
        };
        if outcome.crashed() {
            hear(format!("{}: {status}\n", self.name()).as_bytes());
        }
        Ok(outcome)
    }
}

/// How many tests a program runs at a time.
pub fn threads() -> usize {
    let asked = std::env::var("RUST_TEST_THREADS").ok();
    let asked = asked.and_then(|number| number.parse().ok());
    let here = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.unwrap_or_else(here)
}

/// Variables that cargo sets for what it runs, unless the user has set them: `[env]` of its configuration.
fn configured(configuration: &Path) -> Result<Vec<(String, String)>> {
    let text = fs::read_to_string(configuration)
        .with_context(|| format!("cannot read {}", configuration.display()))?;
    let table: toml::Table = text.parse().context("the configuration of cargo")?;
    let variables = table.get("env").and_then(toml::Value::as_table);
    let variables = variables.into_iter().flatten();
    let unset = variables.filter(|(name, _)| std::env::var_os(name).is_none());
    let texts = unset.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    Ok(texts.collect())
}

/// Builds what `cargo test` with these arguments would run. Returns the programs in cargo's order, and where they look for libraries.
pub fn build(arguments: &[String]) -> Result<(Vec<Program>, OsString)> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["test", "--no-run", "--release", "--workspace"])
        .arg("--message-format=json-render-diagnostics")
        .args(arguments)
        .current_dir(root())
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    ensure!(output.status.success(), "the tests do not build");
    let (programs, linked) = read(&String::from_utf8_lossy(&output.stdout))?;
    let sysroot = command::said(Command::new("rustc").args(["--print", "sysroot"]))?;
    let release = root().join("target/release");
    let mut folders = linked;
    folders.push(release.join("deps"));
    folders.push(release);
    folders.push(Path::new(&sysroot).join("lib"));
    folders.extend(std::env::var_os("LD_LIBRARY_PATH").map(PathBuf::from));
    Ok((programs, std::env::join_paths(folders)?))
}

/// Cargo's messages: test programs, and folders with libraries that build scripts made.
fn read(messages: &str) -> Result<(Vec<Program>, Vec<PathBuf>)> {
    let (mut programs, mut linked) = (Vec::new(), Vec::new());
    for line in messages.lines().filter(|line| line.starts_with('{')) {
        let message: Value = serde_json::from_str(line).context("a message of cargo")?;
        match message["reason"].as_str() {
            Some("build-script-executed") => {
                let paths = message["linked_paths"].as_array().into_iter().flatten();
                let paths = paths.filter_map(Value::as_str);
                let paths = paths.map(|path| path.split_once('=').map_or(path, |(_, path)| path));
                let own = paths.filter(|path| path.contains("/target/"));
                linked.extend(own.map(PathBuf::from));
            }
            Some("compiler-artifact") if message["profile"]["test"] == true => {
                programs.extend(program(&message)?);
            }
            _ => {}
        }
    }
    linked.sort();
    linked.dedup();
    Ok((programs, linked))
}

fn program(message: &Value) -> Result<Option<Program>> {
    let Some(file) = message["executable"].as_str() else {
        return Ok(None);
    };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let manifest = text(&message["manifest_path"]).context("a manifest")?;
    let id = text(&message["package_id"]).context("a package")?;
    let name = text(&message["target"]["name"]).context("a target")?;
    let target = match message["target"]["kind"][0].as_str() {
        Some("bin") => format!("--bin {name}"),
        Some("test") => format!("--test {name}"),
        Some("bench") => format!("--bench {name}"),
        Some("example") => format!("--example {name}"),
        _ => "--lib".to_owned(),
    };
    Ok(Some(Program {
        package: package(&id).to_owned(),
        target,
        file: PathBuf::from(file),
        folder: Path::new(&manifest)
            .parent()
            .context("a manifest has a folder")?
            .to_owned(),
        environment: Vec::new(),
    }))
}

/// The name in `path+file:///folder/crates/ground/isa#0.1.0` or `path+file:///folder/crates/rim/python#luthier-python@0.1.0`.
fn package(id: &str) -> &str {
    let (place, version) = id.rsplit_once('#').unwrap_or((id, ""));
    match version.split_once('@') {
        Some((name, _)) => name,
        None => place.rsplit('/').next().unwrap_or(place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded from cargo 1.95, shortened.
    const MESSAGES: &str = r#"
{"reason":"compiler-artifact","package_id":"registry+https://github.com/rust-lang/crates.io-index#libc@0.2.177","manifest_path":"/r/libc/Cargo.toml","target":{"kind":["lib"],"name":"libc"},"profile":{"test":false},"executable":null,"fresh":true}
{"reason":"build-script-executed","package_id":"path+file:///a/crates/ground/llvm-shim#0.1.0","linked_paths":["native=/a/target/release/build/llvm-shim-1/out","native=/usr/lib/llvm-22/lib"]}
{"reason":"compiler-artifact","package_id":"path+file:///a/crates/emulate/wave#0.1.0","manifest_path":"/a/crates/emulate/wave/Cargo.toml","target":{"kind":["lib"],"name":"wave"},"profile":{"test":true},"executable":"/a/target/release/deps/wave-1","fresh":true}
{"reason":"compiler-artifact","package_id":"path+file:///a/crates/emulate/wave#0.1.0","manifest_path":"/a/crates/emulate/wave/Cargo.toml","target":{"kind":["test"],"name":"wave"},"profile":{"test":true},"executable":"/a/target/release/deps/wave-2","fresh":true}
{"reason":"compiler-artifact","package_id":"path+file:///a/crates/rim/python#luthier-python@0.1.0","manifest_path":"/a/crates/rim/python/Cargo.toml","target":{"kind":["bin"],"name":"luthier"},"profile":{"test":true},"executable":"/a/target/release/deps/luthier-3","fresh":false}
{"reason":"build-finished","success":true}
"#;

    #[test]
    fn every_test_program_is_found_with_its_crate_and_target() {
        let (programs, linked) = read(MESSAGES).unwrap();
        let names: Vec<String> = programs.iter().map(Program::name).collect();
        let expected = [
            "wave --lib",
            "wave --test wave",
            "luthier-python --bin luthier",
        ];
        assert_eq!(names, expected);
        assert_eq!(programs[1].file, Path::new("/a/target/release/deps/wave-2"));
        assert_eq!(programs[1].folder, Path::new("/a/crates/emulate/wave"));
        assert_eq!(
            linked,
            [Path::new("/a/target/release/build/llvm-shim-1/out")]
        );
    }

    #[test]
    fn tests_get_the_variables_that_cargo_gives_them() {
        let folder = std::env::temp_dir().join(format!("luthier-config.{}", std::process::id()));
        fs::write(
            &folder,
            "[env]\nLUTHIER_UNSET = \"1\"\nPATH = \"/nowhere\"\n",
        )
        .unwrap();
        let variables = configured(&folder).unwrap();
        fs::remove_file(&folder).unwrap();
        assert_eq!(variables, [("LUTHIER_UNSET".to_owned(), "1".to_owned())]);
        // Without it tests of random values would try others each time.
        let ours = fs::read_to_string(root().join(".cargo/config.toml")).unwrap();
        assert!(ours.contains("PROPTEST_RNG_SEED"));
    }

    #[test]
    fn tests_start_compilers_as_users_do() {
        let (programs, _) = read(MESSAGES).unwrap();
        let command = programs[0].command(&[]).unwrap();
        let mut variables = command.get_envs();
        assert!(variables.any(|variable| variable == ("RUSTC_WRAPPER".as_ref(), None)));
    }

    #[test]
    fn a_status_that_does_not_fit_is_a_crash() {
        let outcome = |said: Option<&str>, succeeded| Outcome {
            said: said.map(|line| harness::read(line).unwrap()),
            succeeded,
            time: Duration::ZERO,
            work: Duration::ZERO,
            tests: Vec::new(),
        };
        let good = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s";
        assert!(!outcome(Some(good), true).crashed());
        // All tests passed, and then a destructor crashed.
        assert!(outcome(Some(good), false).crashed());
        assert!(outcome(None, true).crashed() && outcome(None, false).crashed());
    }
}
