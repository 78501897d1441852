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
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use injection::{Line, Spec, Target};
use launcher::device;

use super::{
    super::Check,
    child::{self, End, Limits},
};

/// The word in the program's arguments that stands for a directory of the run.
const DIRECTORY: &[u8] = b"{}";
/// The variable that tells the emulated GPU the directory for its lines. No other process has it with the same value.
const MARK: &str = "LUTHIER_INJECT";
/// A run may write so much, and ten times what the run without a change has written.
const ROOM: u64 = 64 << 20;
/// Most bytes of what the command that compares says, if that is shown.
const SAID: usize = 4096;

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
    /// Most bytes that the run may write.
    pub room: Option<u64>,
}

/// A run that is over.
pub struct Ended {
    /// The directory that is compared, with `stdout` and `files`.
    pub directory: PathBuf,
    /// The directory with standard error and the lines of the emulated GPU.
    pub beside: PathBuf,
    pub end: End,
    /// The lines of each of its processes.
    pub told: Vec<Vec<Line>>,
    pub took: Duration,
}

impl Ended {
    /// The bytes that it has written.
    pub fn written(&self) -> u64 {
        child::bytes(&[&self.directory, &self.beside])
    }

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
            timeout: check.injection.timeout(),
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

    /// Most bytes of a run, if the run without a change wrote `golden`.
    pub fn room(&self, golden: u64) -> u64 {
        ROOM + 10 * golden
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
            .env(MARK, &told_in)
            .env("LUTHIER_INJECT_SPEC", &self.spec)
            .stdin(Stdio::null())
            .stdout(File::create(directory.join("stdout")).with_context(about)?)
            .stderr(File::create(beside.join("stderr")).with_context(about)?)
            .process_group(0);
        if let Some(target) = order.target {
            let (turn, place) = (&target.turn, &target.place);
            let at = format!(
                "{} {} {} {} {} {} {} {}",
                turn.node,
                turn.queue,
                turn.number,
                place.workgroup,
                place.wave,
                place.place,
                target.seed,
                target.kernel
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
        let directories = [&*directory, &*beside];
        let limits = Limits {
            time: order.limit,
            room: order.room.map(|most| (&directories[..], most)),
        };
        let Some(end) = child::wait(child, (MARK, told_in.as_os_str()), &limits)? else {
            return Ok(None);
        };
        Ok(Some(Ended {
            end,
            told: told(&told_in)?,
            took: began.elapsed(),
            directory,
            beside,
        }))
    }

    /// Returns `true` if the output of a run is as that of another one. None: the user has asked to end.
    pub fn alike(
        &self,
        golden: &Path,
        other: &Path,
        limit: Option<Duration>,
    ) -> Result<Option<bool>> {
        let Some(compare) = &self.compare else {
            let stdout = [golden, other].map(|one| one.join("stdout"));
            return Ok(Some(
                same_bytes(&stdout[0], &stdout[1])?
                    && same_files(&golden.join("files"), &other.join("files"))?,
            ));
        };
        let said = self.directory.join(format!(
            "{}.compared",
            other.file_name().unwrap_or_default().display()
        ));
        let about = || format!("cannot make {}", said.display());
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("{compare} \"$@\"")).arg("sh");
        command
            .arg(golden)
            .arg(other)
            .env(MARK, &said)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&said).with_context(about)?)
            .process_group(0);
        let child = command.spawn().context("cannot start sh")?;
        let limits = Limits {
            time: limit,
            room: None,
        };
        let Some(end) = child::wait(child, (MARK, said.as_os_str()), &limits)? else {
            return Ok(None);
        };
        let how = match end {
            End::Status(status) if status.code() == Some(0) => return Ok(Some(true)),
            End::Status(status) if status.code() == Some(1) => return Ok(Some(false)),
            End::Status(status) => status.to_string(),
            End::Late | End::Full => {
                format!("not ended after {} s", limit.unwrap_or_default().as_secs())
            }
        };
        let text = fs::read(&said).unwrap_or_default();
        let text = String::from_utf8_lossy(&text[..text.len().min(SAID)]);
        bail!(command::Said {
            line: format!(
                "--compare {compare}: {how}; it has to end with 0 if the runs are alike and with 1 if they differ"
            ),
            others: text.trim_end().to_owned(),
        })
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

/// Returns `true` if two files have the same bytes. A pipe or a socket holds nothing by itself.
fn same_bytes(one: &Path, other: &Path) -> Result<bool> {
    let [about, other_about] = [fs::symlink_metadata(one)?, fs::symlink_metadata(other)?];
    Ok(match () {
        () if about.file_type() != other_about.file_type() => false,
        () if !about.is_file() => true,
        () if about.len() != other_about.len() => false,
        () => fs::read(one)? == fs::read(other)?,
    })
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
            () => same_bytes(&one, &other)?,
        };
        if !same {
            return Ok(false);
        }
    }
    Ok(true)
}
