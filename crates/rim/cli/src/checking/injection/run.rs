//! One run of the program.

use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    os::unix::{
        ffi::{OsStrExt, OsStringExt},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use injection::{Line, Spec, Target};
use launcher::{device, interrupt};

use super::super::Check;

/// The word in the program's arguments that stands for a directory of the run.
const DIRECTORY: &[u8] = b"{}";
/// The pauses between two looks whether the program has ended.
const SHORTEST: Duration = Duration::from_micros(500);
const LONGEST: Duration = Duration::from_millis(5);

/// The program, and everything that is the same in all its runs.
pub struct Program {
    words: Vec<OsString>,
    device: String,
    spec: String,
    /// Shell command that compares.
    compare: Option<String>,
    timeout: Option<Duration>,
    /// Each run has a directory in it.
    directory: PathBuf,
}

/// The limits of a run, and what is changed in it.
pub struct Order<'t> {
    pub target: Option<&'t Target>,
    pub budget: Option<u64>,
    pub limit: Option<Duration>,
}

/// A run that is over.
pub struct Ended {
    /// The directory that is compared, with `stdout` and `files`.
    pub directory: PathBuf,
    /// The directory with standard error and the lines of the emulated GPU.
    pub beside: PathBuf,
    /// None: it took too long.
    pub status: Option<ExitStatus>,
    /// The lines of each of its processes.
    pub told: Vec<Vec<Line>>,
    pub took: Duration,
}

impl Ended {
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        self.told.iter().flatten()
    }

    /// The run is not needed any more.
    pub fn remove(&self) -> io::Result<()> {
        fs::remove_dir_all(&self.directory)?;
        fs::remove_dir_all(&self.beside)
    }
}

impl Program {
    pub fn new(check: &Check, spec: &Spec, directory: &Path) -> Result<Program> {
        let wanted = check.device.as_deref().unwrap_or(device::DEFAULT_TARGET);
        let Some(target) = device::choose(wanted)? else {
            bail!(
                "values are changed on an emulated GPU; add --device {}",
                device::DEFAULT_TARGET
            );
        };
        crate::run::check(&check.program[0], target, None)?;
        Ok(Program {
            words: check.program.clone(),
            device: target.to_owned(),
            spec: spec.to_string(),
            compare: check.injection.compare.clone(),
            timeout: check.injection.timeout.map(Duration::from_secs),
            directory: directory.to_owned(),
        })
    }

    pub fn device(&self) -> &str {
        &self.device
    }

    /// The time after which the user takes any run to hang.
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// The time after which a run hangs, if the run without a change took `golden`.
    pub fn limit(&self, golden: Duration) -> Duration {
        self.timeout
            .unwrap_or(Duration::from_secs(60) + 100 * golden)
    }

    /// Runs it in a new directory. None: the user has asked to end.
    pub fn run(&self, name: &str, order: &Order<'_>) -> Result<Option<Ended>> {
        let directory = self.directory.join(name);
        let beside = self.directory.join(format!("{name}.beside"));
        let (files, told_in) = (directory.join("files"), beside.join("told"));
        let about = || format!("cannot make {}", directory.display());
        fs::create_dir_all(&files).with_context(about)?;
        fs::create_dir_all(&told_in).with_context(about)?;
        let mut command = Command::new(&self.words[0]);
        command.args(
            self.words[1..]
                .iter()
                .map(|word| in_directory(word, &files)),
        );
        device::emulate(&mut command, &self.device, None)?;
        command
            .env_remove("LUTHIER_INJECT_AT")
            .env_remove("LUTHIER_INJECT_BUDGET")
            .env("LUTHIER_INJECT", &told_in)
            .env("LUTHIER_INJECT_SPEC", &self.spec)
            .stdin(Stdio::null())
            .stdout(File::create(directory.join("stdout")).with_context(about)?)
            .stderr(File::create(beside.join("stderr")).with_context(about)?)
            .process_group(0);
        if let Some(target) = order.target {
            let place = &target.place;
            let at = format!(
                "{} {} {} {} {} {}",
                target.launch, place.workgroup, place.wave, place.place, target.seed, target.kernel
            );
            command.env("LUTHIER_INJECT_AT", at);
        }
        if let Some(budget) = order.budget {
            command.env("LUTHIER_INJECT_BUDGET", budget.to_string());
        }
        let began = Instant::now();
        let name = Path::new(&self.words[0]).display();
        let child = command
            .spawn()
            .with_context(|| format!("cannot start {name}"))?;
        let Some(status) = wait(child, began, order.limit)? else {
            return Ok(None);
        };
        Ok(Some(Ended {
            status: status.ended,
            told: told(&told_in)?,
            took: began.elapsed(),
            directory,
            beside,
        }))
    }

    /// Returns `true` if the output of a run is as that of another one.
    pub fn alike(&self, golden: &Path, other: &Path) -> Result<bool> {
        let Some(compare) = &self.compare else {
            return Ok(
                fs::read(golden.join("stdout"))? == fs::read(other.join("stdout"))?
                    && same_files(&golden.join("files"), &other.join("files"))?,
            );
        };
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("{compare} \"$@\"")).arg("sh");
        command.arg(golden).arg(other).stdin(Stdio::null());
        let output = command.output().context("cannot start sh")?;
        match output.status.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => bail!(
                "--compare {compare}: {}; it has to end with 0 if the runs are alike and with 1 if they differ\n{}",
                output.status,
                String::from_utf8_lossy(&output.stderr).trim_end()
            ),
        }
    }
}

/// Puts a run's directory in place of `{}`.
fn in_directory(word: &OsString, files: &Path) -> OsString {
    let mut rest = word.as_bytes();
    let mut all = Vec::new();
    while let Some(at) = rest
        .windows(DIRECTORY.len())
        .position(|two| two == DIRECTORY)
    {
        all.extend_from_slice(&rest[..at]);
        all.extend_from_slice(files.as_os_str().as_bytes());
        rest = &rest[at + DIRECTORY.len()..];
    }
    all.extend_from_slice(rest);
    OsString::from_vec(all)
}

struct Waited {
    /// None: it took too long.
    ended: Option<ExitStatus>,
}

/// None: the user has asked to end.
fn wait(mut child: Child, began: Instant, limit: Option<Duration>) -> io::Result<Option<Waited>> {
    let mut pause = SHORTEST;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(Waited {
                ended: Some(status),
            }));
        }
        let is_late = limit.is_some_and(|limit| began.elapsed() > limit);
        if is_late || interrupt::came() {
            interrupt::kill_group(child.id());
            child.wait()?;
            return Ok(is_late.then_some(Waited { ended: None }));
        }
        thread::sleep(pause);
        pause = (2 * pause).min(LONGEST);
    }
}

/// The lines of each process.
fn told(directory: &Path) -> Result<Vec<Vec<Line>>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(directory)? {
        let bytes = fs::read(entry?.path())?;
        let text = String::from_utf8_lossy(&bytes);
        all.push(text.lines().filter_map(Line::read).collect());
    }
    Ok(all)
}

/// Returns `true` if two directories have the same files with the same bytes.
fn same_files(one: &Path, other: &Path) -> Result<bool> {
    let names = |directory: &Path| -> Result<Vec<OsString>> {
        let listed = fs::read_dir(directory)?;
        let mut names: Vec<_> = listed
            .map(|entry| Ok(entry?.file_name()))
            .collect::<Result<_>>()?;
        names.sort();
        Ok(names)
    };
    let (ours, theirs) = (names(one)?, names(other)?);
    if ours != theirs {
        return Ok(false);
    }
    for name in ours {
        let (one, other) = (one.join(&name), other.join(&name));
        let kind = fs::symlink_metadata(&one)?.file_type();
        let other_kind = fs::symlink_metadata(&other)?.file_type();
        let same = match () {
            () if kind != other_kind => false,
            () if kind.is_dir() => same_files(&one, &other)?,
            () if kind.is_symlink() => fs::read_link(&one)? == fs::read_link(&other)?,
            () if kind.is_file() => fs::read(&one)? == fs::read(&other)?,
            // A pipe or a socket holds nothing by itself.
            () => true,
        };
        if !same {
            return Ok(false);
        }
    }
    Ok(true)
}
