//! Compiles the test programs, once, and runs them on an emulated device under the tool.

use std::{
    fs::File,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
    time::{Duration, Instant},
};

/// A run that takes longer has failed; most take a second.
const LIMIT: Duration = Duration::from_secs(120);

/// The result of a program.
#[derive(Debug)]
pub struct Outcome {
    pub stdout: String,
    pub stderr: String,
    pub status: Option<i32>,
    pub signal: Option<i32>,
}

impl Outcome {
    /// The tool's headline, which must be there once.
    pub fn headline(&self) -> &str {
        let lines: Vec<_> = self
            .stderr
            .lines()
            .filter(|line| line.starts_with("luthier identity: "))
            .collect();
        assert_eq!(lines.len(), 1, "{self:#?}");
        lines[0]
    }
}

/// The folder of this test, `target/PROFILE/deps`.
fn beside() -> PathBuf {
    let test = std::env::current_exe().expect("this test has a path");
    test.parent().expect("it lies in a folder").to_owned()
}

/// The launcher, which other packages build.
fn launcher() -> PathBuf {
    let path = beside().with_file_name("luthier");
    assert!(
        path.exists() && path.with_file_name("libhsakmt.so").exists(),
        "no luthier with libhsakmt.so beside it: run `cargo build --release -p cli -p thunk` first"
    );
    path
}

/// The tool, which cargo has just built for this test; what lies a folder higher may be older.
pub fn tool() -> PathBuf {
    let path = beside().join("libluthier_intercept.so");
    assert!(path.exists(), "{} is missing", path.display());
    path
}

/// A folder for outputs of all tests, kept with the other build outputs.
pub fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("intercept");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Compiles `tests/programs/NAME`.
pub fn compile(compiler: &str, name: &str, flags: &[&str]) -> PathBuf {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    compiled::program(compiler, &programs.join(name), flags, &folder())
}

/// The program with many modes.
pub fn launches() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let flags = [
        "-O2",
        "-w",
        "--offload-arch=gfx90a",
        "--offload-arch=gfx1030",
    ];
    PROGRAM.get_or_init(|| compile("hipcc", "launches.hip", &flags))
}

/// Runs a program with variables on top of `LUTHIER_TOOL=identity` and no cache.
pub fn run(
    device: &str,
    program: &Path,
    arguments: &[&str],
    variables: &[(&str, &str)],
) -> Outcome {
    static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let path = |kind: &str| folder().join(format!("{}-{number}.{kind}", std::process::id()));
    let (stdout, stderr) = (path("stdout"), path("stderr"));
    let mut command = Command::new(launcher());
    command
        .args(["run", "--device", device, "--"])
        .arg(program)
        .args(arguments)
        .env("HSA_TOOLS_LIB", tool())
        .env("LUTHIER_TOOL", "identity")
        .env("LUTHIER_CACHE", "off")
        .stdin(Stdio::null())
        .stdout(File::create(&stdout).unwrap())
        .stderr(File::create(&stderr).unwrap());
    for variable in [
        "LUTHIER_OUTPUT",
        "LUTHIER_KERNEL",
        "LUTHIER_LAUNCH",
        "LUTHIER_LOG",
    ] {
        command.env_remove(variable);
    }
    command.envs(variables.iter().copied());
    let mut child = command.spawn().unwrap();
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if began.elapsed() > LIMIT {
            child.kill().unwrap();
            break child.wait().unwrap();
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let take = |path: PathBuf| {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        let _ = std::fs::remove_file(path);
        text
    };
    Outcome {
        stdout: take(stdout),
        stderr: take(stderr),
        status: status.code(),
        signal: status.signal(),
    }
}
