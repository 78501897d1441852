//! `run`: starts a program with the drain in it.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Command, ExitCode, ExitStatus},
    time::SystemTime,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use drain::{
    config::{self, Ledger},
    output::Manifest,
};
use launcher::{device, hsa_tools, launch, libraries, preload};
use outputs::Scratch;

use crate::{DEFAULT_DIRECTORY, compile::header_in};

/// SIGKILL, on every Linux.
const KILL: i32 = 9;
const LIBRARY: &str = "libluthier_drain.so";

/// Arguments of `run`.
#[derive(Debug, Args)]
pub struct Run {
    /// Directory for profiles and loaded images
    #[arg(long, short, value_name = "DIR", default_value = DEFAULT_DIRECTORY)]
    output: PathBuf,
    /// File name pattern in the output directory, as in LLVM_PROFILE_FILE, with the ending .profraw; `%m` merges processes into one file
    #[arg(long, default_value = "%p.profraw")]
    pattern: String,
    /// `hardware`, a target to emulate (gfx90a, gfx1030, ...; several: gfx90a,gfx1030), or `auto`
    #[arg(long, default_value = "auto", value_name = "DEVICE", env = device::VARIABLE)]
    device: String,
    /// Number of emulated GPUs (repeats the list of --device)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=128))]
    gpus: Option<u32>,
    /// One profile per device instead of one per architecture
    #[arg(long)]
    per_device: bool,
    /// Write a snapshot whenever this many seconds have passed
    #[arg(long, value_name = "SECONDS")]
    interval: Option<f64>,
    /// Write a snapshot on these signals, for example USR1,TERM, or on `none` (default: those that end the program)
    #[arg(long, value_name = "NAMES")]
    signal: Option<String>,
    /// Also add counters to kernels that the program compiles with hipRTC
    #[arg(long)]
    hiprtc: bool,
    /// Print what the drain found
    #[arg(long, short)]
    verbose: bool,
    /// The program and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    command: Vec<OsString>,
}

impl Run {
    pub fn starts(&self) -> Option<(&OsStr, &str)> {
        Some((self.command.first()?, &self.device))
    }

    pub fn run(self) -> Result<ExitCode> {
        let (program, arguments) = self.command.split_first().context("no program given")?;
        if let Some(interval) = self.interval
            && !(interval > 0.0 && interval < 1e9)
        {
            bail!("--interval {interval} is not a positive number of seconds");
        }
        let mut signals = self.signal.iter().flat_map(|list| config::named(list));
        if let Some(Err(problem)) = signals.find(Result::is_err) {
            bail!("--signal {problem}");
        }
        if self.pattern.contains('/') || self.pattern.replace("%%", "").contains("%t") {
            bail!(
                "--pattern {} names a folder: choose it with --output",
                self.pattern
            );
        }
        if !self.pattern.ends_with(".profraw") {
            bail!(
                "--pattern {} does not end with .profraw, by which reports know profiles",
                self.pattern
            );
        }
        let library = libraries::library(LIBRARY, "LUTHIER_DRAIN_LIBRARY")?;
        fs::create_dir_all(&self.output)
            .and_then(|()| tempfile::tempfile_in(&self.output).map(drop))
            .with_context(|| {
                format!(
                    "cannot write to {}; choose another place with --output",
                    self.output.display()
                )
            })?;
        let directory = fs::canonicalize(&self.output)?;
        if directory.to_str().is_none() {
            bail!(
                "{}: names of profiles are patterns, which must be UTF-8; choose another place with --output",
                directory.display()
            );
        }

        let mut command = Command::new(program);
        if let Some(target) = device::choose(&self.device)? {
            device::emulate(&mut command, target, self.gpus)?;
        }
        command.args(arguments);
        hsa_tools::put_first(&mut command, library.as_os_str());
        preload::put_first(&mut command, library.as_os_str());
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
        if self.hiprtc {
            let sources = directory.join("hiprtc");
            header_in(&sources)?;
            command.env(config::HIPRTC, sources);
        }
        if let Some(interval) = self.interval {
            command.env(config::INTERVAL, interval.to_string());
        }
        if let Some(signals) = &self.signal {
            command.env(config::SIGNAL, signals);
        }

        let ledger = Scratch::new().context("cannot make a file in memory for the drain")?;
        command.env(config::LEDGER, ledger.path());
        let started = SystemTime::now();
        let status = launch::run(&mut command)?;
        let silent = Ledger::silent(&ledger.read().unwrap_or_default());
        summarise(&directory, &self.output, started, status, &silent);
        Ok(launch::end_like(status))
    }
}

/// The program's message about the profiles that it has written since it started.
fn written(directory: &Path, started: SystemTime) -> Vec<Manifest> {
    // File systems may store coarser times than the clock gives.
    let since = started - std::time::Duration::from_secs(2);
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let fresh = entries.filter(|entry| {
        let time = entry.metadata().and_then(|metadata| metadata.modified());
        time.is_ok_and(|time| time >= since)
    });
    let paths = fresh.map(|entry| entry.path());
    let manifests = paths.filter(|path| path.to_string_lossy().ends_with(".profraw.json"));
    manifests
        .filter_map(|path| serde_json::from_slice(&fs::read(path).ok()?).ok())
        .collect()
}

/// The images in profiles, their functions, and the records that were dropped. Several processes may have loaded one image.
fn totals(profiles: &[Manifest]) -> (usize, usize, usize) {
    let mut functions: BTreeMap<&str, usize> = BTreeMap::new();
    let mut dropped = 0;
    for image in profiles.iter().flat_map(|profile| &profile.images) {
        // (An image that could not be read has its place only.)
        let name = image.sha1.as_ref().unwrap_or(&image.uri);
        let most = functions.entry(name).or_default();
        *most = image.records.max(*most);
        dropped += image.dropped;
    }
    (functions.len(), functions.values().sum(), dropped)
}

/// Says what was written since `started`, or why nothing was. `silent`: processes that had counters and wrote none.
fn summarise(
    directory: &Path,
    shown: &Path,
    started: SystemTime,
    status: ExitStatus,
    silent: &[u32],
) {
    let written = written(directory, started);
    let files = written.len();
    let (images, records, dropped) = totals(&written);
    let lost = silent.iter().filter(|process| {
        // (One that goes on in the background may still write.)
        !Path::new(&format!("/proc/{process}")).exists()
    });
    for process in lost {
        command::say!(
            "luthier coverage: process {process} had counters on its device and ended without a chance to write them (SIGKILL, a \
             system call past the C library, or a stack overflow in a thread that is not the first); they are lost. --interval SECONDS takes snapshots before"
        );
    }
    if files == 0 && !silent.is_empty() && status.signal().is_none() {
        command::say!("luthier coverage: no device profile was written");
        return;
    }
    if files == 0
        && let Some(signal) = status.signal()
    {
        let hint = match signal {
            KILL => "nothing can be written then; --interval SECONDS takes snapshots before",
            _ => {
                "the program handles or blocks that signal itself, or used no GPU code with counters until then"
            }
        };
        eprintln!(
            "luthier coverage: no device profile was written: the program was ended by signal {signal}; {hint}"
        );
        return;
    }
    if files == 0 {
        command::say!(
            "luthier coverage: no device profile was written: the program loaded no device code with counters (build \
             it with `luthier coverage build`), used no GPU, or goes on in the background and writes when it ends"
        );
        return;
    }
    let losses = if dropped == 0 {
        String::new()
    } else {
        format!(", {dropped} records dropped")
    };
    command::say!(
        "luthier coverage: {files} profile(s), {images} image(s), {records} function(s){losses}; \
         next: luthier coverage report {}",
        shown.display()
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use drain::output::ManifestImage;

    #[test]
    fn an_image_of_several_processes_is_one() {
        let image = |sha1: Option<&str>, uri: &str, records| ManifestImage {
            sha1: sha1.map(str::to_owned),
            uri: uri.to_owned(),
            records,
            dropped: 1,
            ..ManifestImage::default()
        };
        let profile = |images| Manifest {
            images,
            ..Manifest::default()
        };
        let profiles = [
            profile(vec![image(Some("a"), "x", 5), image(Some("b"), "x", 2)]),
            profile(vec![image(Some("a"), "y", 5)]),
            profile(vec![image(None, "x", 3), image(None, "y", 4)]),
        ];
        assert_eq!(totals(&profiles), (4, 14, 5));
    }
}
