//! `run`: starts a program with the drain in it.

use std::{
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    sync::atomic::{AtomicI32, Ordering},
    time::SystemTime,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use drain::{config, output::Manifest};

use crate::{DEFAULT_DIRECTORY, exit_code};

const LIBRARY: &str = "libluthier_drain.so";
const EMULATOR: &[&str] = &["libhsakmt.so.1", "libhsakmt.so"];

/// Arguments of `run`.
#[derive(Debug, Args)]
pub struct Run {
    /// Directory for profiles and loaded images
    #[arg(long, short, default_value = DEFAULT_DIRECTORY)]
    output: PathBuf,
    /// File name pattern below the output directory, as in LLVM_PROFILE_FILE; `%m` merges processes into one file
    #[arg(long, default_value = "%p.profraw")]
    pattern: String,
    /// Device to run on: `hardware`, or a target such as gfx90a to emulate
    #[arg(long)]
    device: Option<String>,
    /// One profile per device instead of one per architecture
    #[arg(long)]
    per_device: bool,
    /// Write a snapshot every so many seconds
    #[arg(long, value_name = "SECONDS")]
    interval: Option<f64>,
    /// Write a snapshot on these signals, for example USR1,TERM
    #[arg(long, value_name = "NAMES")]
    signal: Option<String>,
    /// Say what the drain found
    #[arg(long, short)]
    verbose: bool,
    /// The program and its arguments
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

impl Run {
    pub fn run(self) -> Result<ExitCode> {
        let (program, arguments) = self.command.split_first().context("no program given")?;
        let library = find(&[LIBRARY], "LUTHIER_DRAIN_LIBRARY").with_context(|| {
            format!("{LIBRARY} was not found beside this program; build it (./dev build) or set LUTHIER_DRAIN_LIBRARY")
        })?;
        fs::create_dir_all(&self.output)
            .and_then(|()| tempfile::tempfile_in(&self.output).map(drop))
            .with_context(|| {
                format!(
                    "cannot write to {}; choose another place with --output",
                    self.output.display()
                )
            })?;
        let directory = fs::canonicalize(&self.output)?;

        let mut command = Command::new(program);
        let mut preload = vec![library.clone().into_os_string()];
        if let Some(device) = self
            .device
            .as_deref()
            .filter(|device| *device != "hardware")
        {
            let emulator = find(EMULATOR, "LUTHIER_EMULATOR_LIBRARY").with_context(|| {
                format!(
                    "the emulator ({}) was not found beside this program",
                    EMULATOR[0]
                )
            })?;
            preload.push(emulator.into_os_string());
            if device != "auto" {
                command.env("LUTHIER_DEVICE", device);
            }
        }
        command.args(arguments);
        command.env(
            "HSA_TOOLS_LIB",
            joined("HSA_TOOLS_LIB", &[library.into_os_string()], " "),
        );
        command.env("LD_PRELOAD", joined("LD_PRELOAD", &preload, ":"));
        command.env(config::FILE, directory.join(&self.pattern));
        command.env(config::IMAGES, &directory);
        for (name, flag) in [
            (config::PER_DEVICE, self.per_device),
            (config::VERBOSE, self.verbose),
        ] {
            if flag {
                command.env(name, "1");
            }
        }
        if let Some(interval) = self.interval {
            if !(interval > 0.0 && interval < 1e9) {
                bail!("--interval {interval} is not a positive number of seconds");
            }
            command.env(config::INTERVAL, interval.to_string());
        }
        if let Some(signals) = &self.signal {
            command.env(config::SIGNAL, signals);
        }

        let started = SystemTime::now();
        let status = supervise(&mut command)
            .with_context(|| format!("cannot start {}", program.to_string_lossy()))?;
        summarise(&directory, &self.output, started);
        Ok(exit_code(status))
    }
}

static CHILD: AtomicI32 = AtomicI32::new(0);

extern "C" fn pass_on(signal: libc::c_int) {
    let child = CHILD.load(Ordering::Acquire);
    if child > 0 {
        // SAFETY: `kill` is allowed in signal handlers.
        unsafe { libc::kill(child, signal) };
    }
}

/// Runs the child; signals sent to us go to it, since it is what the user means.
fn supervise(command: &mut Command) -> std::io::Result<std::process::ExitStatus> {
    let mut child = command.spawn()?;
    CHILD.store(child.id() as i32, Ordering::Release);
    // SAFETY: the handler only calls `kill`; the terminal sends interrupts to the child itself.
    unsafe {
        for signal in [libc::SIGINT, libc::SIGQUIT] {
            libc::signal(signal, libc::SIG_IGN);
        }
        for signal in [libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1, libc::SIGUSR2] {
            libc::signal(signal, pass_on as *const () as libc::sighandler_t);
        }
    }
    let status = child.wait();
    CHILD.store(0, Ordering::Release);
    status
}

/// Beside this program, in the places of an installation and of a build tree.
fn find(names: &[&str], variable: &str) -> Option<PathBuf> {
    if let Some(path) = std::env::var_os(variable).filter(|path| !path.is_empty()) {
        return Some(PathBuf::from(path)).filter(|path| path.is_file());
    }
    let executable = std::env::current_exe().ok()?;
    let home = executable.parent()?;
    let places = [
        home.to_path_buf(),
        home.join("../lib/luthier"),
        home.join("deps"),
        home.join(".."),
    ];
    let files = places
        .iter()
        .flat_map(|place| names.iter().map(move |name| place.join(name)));
    files
        .into_iter()
        .find(|file| file.is_file())
        .and_then(|file| fs::canonicalize(file).ok())
}

/// The value of an environment variable with `ours` in front.
fn joined(variable: &str, ours: &[OsString], separator: &str) -> OsString {
    let theirs = std::env::var_os(variable).filter(|value| !value.is_empty());
    let parts: Vec<&OsStr> = ours
        .iter()
        .map(OsString::as_os_str)
        .chain(theirs.as_deref())
        .collect();
    parts.join(OsStr::new(separator))
}

/// Says what was written since `started`, or why nothing was.
fn summarise(directory: &Path, shown: &Path, started: SystemTime) {
    // File systems may store coarser times than the clock gives.
    let since = started - std::time::Duration::from_secs(2);
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files = 0;
    let (mut images, mut records, mut dropped) = (0, 0, 0);
    for entry in entries {
        let path = entry.path();
        let fresh = entry
            .metadata()
            .and_then(|metadata| metadata.modified())
            .is_ok_and(|time| time >= since);
        if !fresh || !path.to_string_lossy().ends_with(".profraw.json") {
            continue;
        }
        let manifest: Option<Manifest> = fs::read(&path)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if let Some(manifest) = manifest {
            files += 1;
            images += manifest.images.len();
            records += manifest
                .images
                .iter()
                .map(|image| image.records)
                .sum::<usize>();
            dropped += manifest
                .images
                .iter()
                .map(|image| image.dropped)
                .sum::<usize>();
        }
    }
    if files == 0 {
        eprintln!(
            "luthier coverage: no device profile was written: the program loaded no device code with counters (build \
             it with `luthier coverage build`), or used no GPU (is there one, or is --device missing?)"
        );
        return;
    }
    let losses = if dropped == 0 {
        String::new()
    } else {
        format!(", {dropped} records dropped")
    };
    eprintln!(
        "luthier coverage: {files} profile(s), {images} image(s), {records} function(s){losses}; \
         next: luthier coverage report {}",
        shown.display()
    );
}
