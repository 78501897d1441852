//! Builds test programs and runs them under the library of this build.

use compiled::Compiler;
use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

/// The library under test, beside the test program's directory.
pub fn library() -> PathBuf {
    let program = env::current_exe().expect("a test program has a path");
    let directory = program
        .parent()
        .and_then(Path::parent)
        .expect("tests lie in target/*/deps");
    let library = directory.join("libhsakmt.so");
    assert!(
        library.exists(),
        "{} is missing: run `cargo build -p thunk`",
        library.display()
    );
    library
}

/// A built program in a directory of its own.
pub struct Program {
    directory: tempfile::TempDir,
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/programs")
        .join(name)
}

fn build(compiler: &str, arguments: &[&str], name: &str, after: &[&str]) -> Program {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let output = directory.path().join("program");
    let mut command = Compiler::new(compiler);
    command
        .args(arguments)
        .arg(source(name))
        .arg("-o")
        .arg(&output)
        .args(after);
    let result = command
        .output()
        .unwrap_or_else(|error| panic!("{compiler}: {error}"));
    assert!(
        result.status.success(),
        "{}",
        String::from_utf8_lossy(&result.stderr)
    );
    Program { directory }
}

/// A C program on ROCr.
pub fn c_program(name: &str) -> Program {
    build(
        "cc",
        &["-Wall", "-Werror", "-O1"],
        name,
        &["-lhsa-runtime64", "-lpthread"],
    )
}

/// A HIP program for one target.
pub fn hip_program(name: &str, target: &str) -> Program {
    build(
        "hipcc",
        &[&format!("--offload-arch={target}"), "-O2"],
        name,
        &[],
    )
}

impl Program {
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Runs it to the end, at most 60 s.
    pub fn run<V: AsRef<OsStr>>(&self, arguments: &[&str], variables: &[(&str, V)]) -> Output {
        let mut command = Command::new(self.path("program"));
        command
            .args(arguments)
            .env("LD_PRELOAD", library())
            .stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        for (name, value) in variables {
            command.env(name, value);
        }
        let mut child = command.spawn().expect("the program starts");
        let start = Instant::now();
        while child
            .try_wait()
            .expect("a child can be waited for")
            .is_none()
        {
            if start.elapsed() > Duration::from_secs(60) {
                let _ = child.kill();
                let output = child.wait_with_output().expect("a killed child has output");
                panic!("still running after 60 s: {}", text(&output));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        child.wait_with_output().expect("an ended child has output")
    }
}

/// Standard output and error together.
pub fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
