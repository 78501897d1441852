//! Runs a compiled program on an emulated device and judges what it did.

use std::{
    ffi::OsStr,
    fs::File,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, anyhow, bail, ensure};

use crate::{Program, known, root, wait};

const SIGABRT: i32 = 6;

/// The `luthier` under test.
#[derive(Clone, Debug)]
pub struct Emulator {
    luthier: PathBuf,
}

impl Emulator {
    /// The one built beside this test, in the same profile, or else the release build.
    pub fn find() -> Result<Emulator> {
        let test = std::env::current_exe().context("this test has no path")?;
        let beside = test
            .parent()
            .and_then(Path::parent)
            .map(|profile| profile.join("luthier"));
        let release = root().join("target/release/luthier");
        let complete =
            |luthier: &PathBuf| luthier.exists() && luthier.with_file_name("libhsakmt.so").exists();
        match beside.into_iter().chain([release]).find(complete) {
            Some(luthier) => Ok(Emulator { luthier }),
            None => bail!(
                "no luthier with libhsakmt.so beside it: run `cargo build --release -p cli -p thunk` first"
            ),
        }
    }
}

impl Emulator {
    /// A call of `luthier`, for everything besides running programs.
    pub fn command(&self) -> Command {
        Command::new(&self.luthier)
    }

    /// A library that lies beside `luthier`.
    pub fn library(&self, name: &str) -> PathBuf {
        self.luthier.with_file_name(name)
    }
}

/// How a program did what its header promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Right,
    /// Wrong in exactly what its compiler is known to make wrong.
    Known,
}

/// Runs `executable` on `device`; fails unless it does what its header promises.
pub fn check(
    emulator: &Emulator,
    program: &Program,
    executable: &Path,
    device: &str,
) -> Result<Verdict> {
    check_with(emulator, program, executable, device, &[])
}

/// The same with further options of `luthier run`.
pub fn check_with(
    emulator: &Emulator,
    program: &Program,
    executable: &Path,
    device: &str,
    options: &[&OsStr],
) -> Result<Verdict> {
    let output = |kind: &str| {
        let options = options.len();
        executable.with_extension(format!("{device}.{options}.{kind}"))
    };
    let (stdout, stderr) = (output("stdout"), output("stderr"));
    let mut command = Command::new(&emulator.luthier);
    if program.header.aborts {
        // HIP 7 returns an error of a kernel's end otherwise, and aborts like those before it when it is told to.
        command.env("HIP_SKIP_ABORT_ON_GPU_ERROR", "0");
    }
    let mut child = command
        .args(["run", "--device", device])
        .args(&program.header.run)
        .args(options)
        .arg("--")
        .arg(executable)
        .envs(program.header.environment.iter().cloned())
        .stdin(Stdio::null())
        .stdout(File::create(&stdout).with_context(|| format!("cannot make {}", stdout.display()))?)
        .stderr(File::create(&stderr).with_context(|| format!("cannot make {}", stderr.display()))?)
        .spawn()
        .with_context(|| format!("cannot start {}", emulator.luthier.display()))?;
    let status = wait(&mut child);
    let read = |path: &Path| -> Result<String> {
        let bytes =
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let (stdout, stderr) = (read(&stdout)?, read(&stderr)?);
    let printed = format!("\n--- stdout\n{stdout}\n--- stderr\n{stderr}");
    let status = status.with_context(|| printed.clone())?;
    if let Some(known) = known::here(&program.header.known, device)? {
        let judged = known.judge(status, &stdout);
        judged.map_err(|error| anyhow!("{error}{printed}"))?;
        return Ok(Verdict::Known);
    }
    if program.header.aborts {
        // `luthier run` becomes the program, or passes its signal on.
        ensure!(
            status.signal() == Some(SIGABRT),
            "ended with {status}, not with SIGABRT{printed}"
        );
    } else {
        ensure!(status.success(), "ended with {status}{printed}");
    }
    for (kind, all, parts) in [
        ("stdout", &stdout, &program.header.stdout),
        ("stderr", &stderr, &program.header.stderr),
    ] {
        for part in parts {
            ensure!(all.contains(part), "{part:?} is not in {kind}{printed}");
        }
    }
    Ok(Verdict::Right)
}
