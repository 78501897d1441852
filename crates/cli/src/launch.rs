//! Starts a child whose exit status, signals and standard streams are the program's own.

use std::{
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Command, ExitCode, ExitStatus},
    sync::atomic::{AtomicI32, Ordering},
};

use anyhow::{Context, Result};

/// The child, for the signal handler.
static CHILD: AtomicI32 = AtomicI32::new(0);

/// Signals that a terminal or supervisor sends to the process it started.
const FORWARDED: [libc::c_int; 5] = [
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGUSR1,
    libc::SIGUSR2,
];

extern "C" fn forward(signal: libc::c_int) {
    let child = CHILD.load(Ordering::Relaxed);
    // A terminal has already sent its signals to the whole foreground group, the child included.
    // SAFETY: kill and isatty are async-signal-safe.
    unsafe {
        let from_terminal = signal == libc::SIGINT && libc::isatty(0) == 1;
        if child > 0 && !from_terminal {
            libc::kill(child, signal);
        }
    }
}

/// Runs `command` to its end, passing signals on to it.
pub fn run(command: &mut Command) -> Result<ExitStatus> {
    let program = command.get_program().to_string_lossy().into_owned();
    for signal in FORWARDED {
        // SAFETY: `forward` only does async-signal-safe things.
        unsafe { libc::signal(signal, forward as *const () as libc::sighandler_t) };
    }
    // The child starts with default dispositions: execve resets handlers, so nothing needs undoing.
    let mut child = command
        .spawn()
        .with_context(|| format!("cannot start {program}"))?;
    CHILD.store(child.id() as i32, Ordering::Relaxed);
    let status = child
        .wait()
        .with_context(|| format!("lost track of {program}"))?;
    CHILD.store(0, Ordering::Relaxed);
    Ok(status)
}

/// Ends this process as the child ended: with its exit code, or by the same signal.
pub fn end_like(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal() {
        // SAFETY: setting a default disposition, disabling our own core dump and raising are always allowed.
        unsafe {
            let no_core = libc::rlimit {
                rlim_cur: 0,
                rlim_max: 0,
            };
            libc::setrlimit(libc::RLIMIT_CORE, &no_core);
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
        return ExitCode::from(128u8.wrapping_add(signal as u8));
    }
    ExitCode::from(status.code().unwrap_or(1) as u8)
}

/// Replaces this process by `command`, for when nothing remains to be done afterwards.
pub fn replace(command: &mut Command) -> anyhow::Error {
    let program = command.get_program().to_string_lossy().into_owned();
    let error = command.exec();
    anyhow::Error::new(error).context(format!("cannot start {program}"))
}
