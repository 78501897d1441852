//! Every setting of the drain, as environment variables name them.

use std::{path::PathBuf, time::Duration};

/// The settings: what to collect and where to write it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// File name pattern, see [`crate::naming`].
    pub pattern: String,
    /// Directory for loaded images; beside the profiles when none.
    pub images: Option<PathBuf>,
    /// One file per device instead of one per architecture.
    pub per_device: bool,
    /// Time between snapshots.
    pub interval: Option<Duration>,
    /// Signals that ask for a snapshot. None: all that end a process and that the program neither handles nor ignores.
    pub signals: Option<Vec<i32>>,
    /// Report what was found on standard error.
    pub verbose: bool,
    /// File to which processes add a line when they have found counters, and one when they have written them: [`Ledger`].
    pub ledger: Option<PathBuf>,
}

/// The entries that processes write to [`Config::ledger`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ledger {
    Found,
    Written,
}

impl Ledger {
    const WORDS: [(Ledger, &'static str); 2] =
        [(Ledger::Found, "counters"), (Ledger::Written, "written")];

    /// The line of this process.
    pub fn line(self) -> String {
        let word = Ledger::WORDS.iter().find(|(known, _)| *known == self);
        let (_, word) = word.unwrap_or(&Ledger::WORDS[0]);
        format!("{} {word}\n", std::process::id())
    }

    /// Processes that have found counters and written none, in order.
    pub fn silent(text: &str) -> Vec<u32> {
        let lines = text.lines().filter_map(|line| {
            let (process, word) = line.split_once(' ')?;
            let (what, _) = Ledger::WORDS.iter().find(|(_, known)| *known == word)?;
            Some((process.parse::<u32>().ok()?, *what))
        });
        let mut silent: Vec<u32> = Vec::new();
        for (process, what) in lines {
            silent.retain(|known| *known != process);
            if what == Ledger::Found {
                silent.push(process);
            }
        }
        silent
    }
}

/// Pattern of compiler-rt when nothing is set.
pub const DEFAULT_PATTERN: &str = "default.profraw";

/// Pattern override that leaves the host's `LLVM_PROFILE_FILE` alone.
pub const FILE: &str = "LUTHIER_PROFILE_FILE";
/// The pattern that host profiles use too.
pub const LLVM_FILE: &str = "LLVM_PROFILE_FILE";
/// Directory in which loaded images are kept.
pub const IMAGES: &str = "LUTHIER_PROFILE_IMAGES";
/// Directory with the device header, where sources of programs that hipRTC compiles are kept; nothing for no counters in
/// them.
pub const HIPRTC: &str = "LUTHIER_PROFILE_HIPRTC";
/// `1` for one file per device.
pub const PER_DEVICE: &str = "LUTHIER_PROFILE_PER_DEVICE";
/// Seconds between snapshots.
pub const INTERVAL: &str = "LUTHIER_PROFILE_INTERVAL";
/// Comma-separated signal names, such as `USR1,TERM`, or `none`. Without it: what ends a process by default.
pub const SIGNAL: &str = "LUTHIER_PROFILE_SIGNAL";
/// File for [`Ledger`].
pub const LEDGER: &str = "LUTHIER_PROFILE_LEDGER";
/// `1` for a report on standard error.
pub const VERBOSE: &str = "LUTHIER_PROFILE_VERBOSE";

#[rustfmt::skip]
const SIGNALS: &[(&str, i32)] = &[
    ("USR1", libc::SIGUSR1),
    ("USR2", libc::SIGUSR2),
    ("TERM", libc::SIGTERM),
    ("INT",  libc::SIGINT),
    ("HUP",  libc::SIGHUP),
    ("ABRT", libc::SIGABRT),
    ("SEGV", libc::SIGSEGV),
    ("BUS",  libc::SIGBUS),
    ("ILL",  libc::SIGILL),
    ("FPE",  libc::SIGFPE),
    ("QUIT", libc::SIGQUIT),
    ("PIPE", libc::SIGPIPE),
    ("ALRM", libc::SIGALRM),
    ("TRAP", libc::SIGTRAP),
    ("SYS",  libc::SIGSYS),
    ("XCPU", libc::SIGXCPU),
];

/// Returns the signals that a list names, or what is wrong with a name. The list `none` has no signals.
pub fn named(list: &str) -> impl Iterator<Item = Result<i32, String>> {
    let names = list.split(',').filter(move |_| list != "none");
    names.map(|name| {
        let plain = name.trim().trim_start_matches("SIG");
        let found = SIGNALS.iter().find(|(known, _)| *known == plain);
        found.map(|(_, number)| *number).ok_or_else(|| {
            let known: Vec<_> = SIGNALS.iter().map(|(known, _)| *known).collect();
            format!("{name} is not one of {}", known.join(", "))
        })
    })
}

impl Config {
    /// Reads the settings through `lookup`; also returns a line per setting that makes no sense and was ignored.
    pub fn read(lookup: impl Fn(&str) -> Option<String>) -> (Config, Vec<String>) {
        let mut problems = Vec::new();
        let set = |name: &str| lookup(name).filter(|value| !value.is_empty());
        let mut flag = |name: &str| match set(name).as_deref() {
            Some("0") | None => false,
            Some("1") => true,
            Some(value) => {
                problems.push(format!(
                    "{name}={value}: expected 1 or 0; it is taken for 1"
                ));
                true
            }
        };
        let (per_device, verbose) = (flag(PER_DEVICE), flag(VERBOSE));
        let mut interval = None;
        if let Some(text) = set(INTERVAL) {
            match text.parse::<f64>() {
                Ok(seconds) if seconds > 0.0 && seconds < 1e9 => {
                    interval = Some(Duration::from_secs_f64(seconds))
                }
                _ => problems.push(format!(
                    "{INTERVAL}={text} is not a number of seconds; no snapshots are taken"
                )),
            }
        }
        let signals = set(SIGNAL).map(|list| {
            let mut numbers = Vec::new();
            for signal in named(&list) {
                match signal {
                    Ok(number) => numbers.push(number),
                    Err(problem) => problems.push(format!("{SIGNAL}={problem}")),
                }
            }
            numbers
        });
        let pattern = set(FILE)
            .or_else(|| set(LLVM_FILE))
            .unwrap_or_else(|| DEFAULT_PATTERN.into());
        let images = set(IMAGES).map(PathBuf::from);
        let config = Config {
            pattern,
            images,
            per_device,
            interval,
            signals,
            ledger: set(LEDGER).map(PathBuf::from),
            verbose,
        };
        (config, problems)
    }
}
