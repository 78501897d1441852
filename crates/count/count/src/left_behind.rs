//! Processes of a run that outlive the program that `run` started.
//!
//! They belong to the run: they share its budget, and their counts are part of its total. A counted process announces itself in the run's
//! directory (`PID.live`) and takes that back when it has reported. One that has just begun may not have come so far: every process of the
//! run has the directory's name in its environment, and has a moment to announce itself. Others, not counted, are left alone.

use crate::{sample, waiting};
use command::processes;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a process may take from its beginning to its announcement.
const BEGINNING: Duration = Duration::from_millis(500);
/// After so long the user is told what is waited for.
const PATIENCE: Duration = Duration::from_secs(2);
const INTERVAL: Duration = Duration::from_millis(5);

/// Waits until no counted process of the run in `directory` is left. `program` is the one that has ended.
pub fn wait(directory: &Path, program: &str) {
    let begun = Instant::now();
    let mut told = false;
    loop {
        let counted = announced(directory);
        if counted.is_empty() && (begun.elapsed() > BEGINNING || !others(directory)) {
            // (One may have announced itself between the two looks.)
            if announced(directory).is_empty() {
                return;
            }
        }
        if !told && !counted.is_empty() && begun.elapsed() > PATIENCE {
            told = true;
            let pids: Vec<String> = counted.iter().map(u32::to_string).collect();
            command::say!(
                "luthier count: `{program}` has ended; waiting for the processes that it left behind: {}",
                pids.join(", ")
            );
        }
        std::thread::sleep(INTERVAL);
    }
}

/// The processes of the run that have announced themselves, have not reported and still run. Only processes with the directory's name in
/// their environment count: in a namespace of its own, a process has another number than here.
fn announced(directory: &Path) -> Vec<u32> {
    let live = sample::announced(directory);
    live.filter(|&pid| belongs(pid, directory)).collect()
}

/// Returns `true` if any process but this one is of the run.
fn others(directory: &Path) -> bool {
    let own = std::process::id();
    processes::all().any(|pid| pid != own && belongs(pid, directory))
}

/// Returns `true` if a process has the directory's name in its environment and has not ended (its parent may not have asked for its status).
fn belongs(pid: u32, directory: &Path) -> bool {
    let mut ours = OsString::from("LUTHIER_COUNT_OUTPUT=");
    ours.push(directory);
    processes::has_entry(pid, ours.as_bytes()) && runs(pid)
}

fn runs(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !matches!(waiting::state(&status), None | Some('Z' | 'X'))
}
