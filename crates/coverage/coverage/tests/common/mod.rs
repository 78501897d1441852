//! Programs built with `luthier coverage build`, and run with `luthier coverage run` on emulated devices.

use std::{
    collections::BTreeMap,
    env, fs,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

pub const TOOL: &str = env!("CARGO_BIN_EXE_luthier-coverage");

/// The directory of test programs' sources.
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// The directory of this build's libraries.
pub fn libraries() -> PathBuf {
    let program = env::current_exe().expect("a test program has a path");
    program
        .parent()
        .expect("tests lie in target/*/deps")
        .to_path_buf()
}

pub fn drain_library() -> PathBuf {
    libraries().join("libluthier_drain.so")
}

pub fn drain_archive() -> PathBuf {
    libraries().join("libluthier_drain.a")
}

/// The emulated thunk, for programs started without a launcher.
pub fn emulator() -> PathBuf {
    let library = match env::var_os(launcher::libraries::EMULATOR_VARIABLE) {
        Some(directory) => Path::new(&directory).join("libhsakmt.so.1"),
        None => libraries().join("../libhsakmt.so"),
    };
    assert!(
        library.exists(),
        "{} is missing: run `cargo build --release -p thunk`",
        library.display()
    );
    library
}

/// A directory of test output, with the header cache in it.
pub struct Workspace {
    pub directory: tempfile::TempDir,
}

impl Workspace {
    pub fn new() -> Self {
        Workspace {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn tool(&self) -> Command {
        let mut command = Command::new(TOOL);
        command
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("LUTHIER_DRAIN_LIBRARY", drain_library())
            .stdin(Stdio::null())
            .current_dir(self.directory.path());
        command
    }

    /// `luthier coverage build [options] -- clang++-22 -x hip -O1 --offload-arch=TARGET [flags] SOURCE -o NAME`.
    pub fn build(
        &self,
        name: &str,
        source: &str,
        targets: &[&str],
        options: &[&str],
        flags: &[&str],
    ) -> PathBuf {
        let output = self.path(name);
        // As `tool`, but with headers that are still there the next time, so that programs are compiled once.
        let mut command = compiled::Compiler::new(TOOL);
        command
            .uses(libraries().join("libluthier_coverage_pass.so"))
            .env(
                "XDG_CACHE_HOME",
                sources().join("../../../../../target/coverage-headers"),
            )
            .current_dir(self.directory.path())
            .arg("build")
            .args(options)
            .args(["--", "clang++-22", "-x", "hip", "-O1"]);
        command.args(
            targets
                .iter()
                .map(|target| format!("--offload-arch={target}")),
        );
        command.arg(format!(
            "-I{}",
            sources()
                .join("../../../../../runtime/device-profile")
                .display()
        ));
        command
            .arg(sources().join(source))
            .args(["-x", "none"])
            .args(flags)
            .arg("-o")
            .arg(&output);
        if !flags.contains(&"--offload-device-only") {
            command.arg("-lamdhip64");
        }
        let result = command.output().unwrap();
        assert!(result.status.success(), "{}", text(&result));
        output
    }

    /// `luthier coverage run --device DEVICE -o OUT [options] -- PROGRAM ARGUMENTS`, at most five minutes.
    pub fn run(
        &self,
        device: &str,
        out: &str,
        options: &[&str],
        program: &Path,
        arguments: &[&str],
    ) -> Output {
        finish(self.start(device, out, options, program, arguments))
    }

    pub fn start(
        &self,
        device: &str,
        out: &str,
        options: &[&str],
        program: &Path,
        arguments: &[&str],
    ) -> Child {
        let mut command = self.tool();
        command
            .args(["run", "--device", device, "-o", out])
            .args(options)
            .arg("--")
            .arg(program)
            .args(arguments);
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Runs a reporting command that must succeed; its standard output.
    pub fn report(&self, arguments: &[&str]) -> String {
        let output = self.tool().args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", text(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The raw profiles of an output directory.
    pub fn profiles(&self, out: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path(out))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path());
        let mut files: Vec<_> = entries
            .filter(|path| path.extension().is_some_and(|e| e == "profraw"))
            .collect();
        files.sort();
        files
    }

    /// Counters by function, summed over all profiles of an output directory.
    pub fn counts(&self, out: &str) -> BTreeMap<String, Vec<u64>> {
        let mut sums = BTreeMap::new();
        for file in self.profiles(out) {
            add_counts(&file, &mut sums);
        }
        sums
    }

    /// How often a function was entered.
    pub fn entries(&self, out: &str, function: &str) -> u64 {
        self.counts(out).get(function).map_or(0, |counts| counts[0])
    }
}

pub fn add_counts(file: &Path, sums: &mut BTreeMap<String, Vec<u64>>) {
    for profile in rawprof::parse(&fs::read(file).unwrap()).unwrap() {
        let names = rawprof::names::index(&profile.names).unwrap();
        for record in profile.records {
            let name = names.get(&record.name_ref).cloned().unwrap_or_default();
            let sum = sums
                .entry(name)
                .or_insert_with(|| vec![0; record.counters.len()]);
            sum.iter_mut()
                .zip(&record.counters)
                .for_each(|(total, count)| *total += count);
        }
    }
}

pub fn finish(mut child: Child) -> Output {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(300) {
            let _ = child.kill();
            panic!(
                "still running after five minutes: {}",
                text(&child.wait_with_output().unwrap())
            );
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

/// The exit code of a program, or the negated number of the signal that ended it.
pub fn ending(output: &Output) -> i32 {
    let status = output.status;
    status
        .code()
        .or(status.signal().map(|signal| -signal))
        .expect("it ended")
}

/// Standard output and error together.
pub fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
