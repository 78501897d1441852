//! Starts a child whose exit status, signals and standard streams are the program's own.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Read},
    os::unix::process::{CommandExt, ExitStatusExt},
    path::Path,
    process::{Command, ExitCode, ExitStatus},
    sync::atomic::{AtomicI32, Ordering},
    thread,
    time::Duration,
};

use anyhow::{Context, Result, anyhow, bail};
use command::processes;

use crate::interrupt;

/// The number of bytes of a script's first line that the system reads.
const LONGEST_LINE: u64 = 256;
/// The machine of AMD GPUs in ELF files.
const EM_AMDGPU: u16 = 224;

/// The child, for the signal handler; 0 before it exists and after it ended.
static CHILD: AtomicI32 = AtomicI32::new(0);
/// A signal not passed on yet, for when it comes before the child does.
static PENDING: AtomicI32 = AtomicI32::new(0);

/// Signals that are meant for the program, besides the real-time ones. Signals that a process causes itself are not among them, nor signals
/// that a terminal's job control sends to the program anyway.
const FORWARDED: [libc::c_int; 13] = [
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGALRM,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGIO,
    libc::SIGPWR,
    libc::SIGSTKFLT,
    libc::SIGXCPU,
];

extern "C" fn forward(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel passes valid information to handlers installed with SA_SIGINFO.
    if unsafe { (*info).si_code } == libc::SI_KERNEL {
        // From the terminal, which has already sent it to the whole foreground group, the child included.
        return;
    }
    PENDING.store(signal, Ordering::SeqCst);
    pass_on();
}

/// Sends what is pending, if there is a child to send it to. Async-signal-safe.
fn pass_on() {
    let child = CHILD.load(Ordering::SeqCst);
    if child > 0 {
        let signal = PENDING.swap(0, Ordering::SeqCst);
        if signal != 0 {
            // SAFETY: kill is async-signal-safe, and the child was not waited for, so the number is still its own.
            unsafe { libc::kill(child, signal) };
        }
    }
}

/// Takes the signals of [`FORWARDED`], except those that this process was told to ignore: the child inherits that.
fn take_signals() {
    let real_time = libc::SIGRTMIN()..=libc::SIGRTMAX();
    for signal in FORWARDED.into_iter().chain(real_time) {
        let flags = libc::SA_SIGINFO | libc::SA_RESTART;
        interrupt::handle(signal, forward as *const () as usize, flags);
    }
}

/// Has the program end when this process is killed in a way that it cannot pass on.
fn die_together(command: &mut Command) {
    let parent = std::process::id() as libc::pid_t;
    let ask = move || {
        // SAFETY: both are system calls without pointers.
        unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            if libc::getppid() != parent {
                return Err(std::io::Error::other("luthier was killed"));
            }
        }
        Ok(())
    };
    // SAFETY: the closure allocates only when the parent has died and the program is not started.
    unsafe { command.pre_exec(ask) };
}

/// A shell runs a file without an interpreter line, as with `execvp`. A code object is no script, though.
fn refuse_code_objects(program: &Path) -> Result<()> {
    let mut start = [0; 20];
    let named = program.components().count() > 1;
    if !named
        || File::open(program)
            .and_then(|mut file| file.read_exact(&mut start))
            .is_err()
    {
        return Ok(());
    }
    let is_elf = start.starts_with(b"\x7fELF");
    let machine = u16::from_le_bytes([start[18], start[19]]);
    if is_elf && machine == EM_AMDGPU {
        bail!(
            "cannot start {}: it is an AMD GPU code object; `luthier emulate` runs its kernels",
            program.display()
        );
    }
    Ok(())
}

/// Why a program could not be started. "Not found" may also mean the interpreter or loader that the program needs.
fn not_started(program: &OsStr, error: io::Error) -> anyhow::Error {
    let program = Path::new(program);
    let mut reason = error.to_string();
    let exists = || program.components().count() > 1 && program.is_file();
    if error.kind() == io::ErrorKind::NotFound && exists() {
        reason = match interpreter(program) {
            Some(interpreter) => format!("{interpreter}, which its first line names, is missing"),
            None => format!("the loader that it asks for is missing ({error})"),
        };
    }
    anyhow!("cannot start {}: {reason}", program.display())
}

/// The interpreter that the first line of a script names.
fn interpreter(script: &Path) -> Option<String> {
    let mut start = Vec::new();
    let file = File::open(script).ok()?;
    file.take(LONGEST_LINE).read_to_end(&mut start).ok()?;
    let line = start
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    let mut words = line.split(|byte| byte.is_ascii_whitespace());
    let word = words.find(|word| !word.is_empty())?;
    Some(String::from_utf8_lossy(word).into_owned())
}

/// Files that are written in the program's process belong to the user who started `luthier run`, and have that user's modes.
fn tell_umask(command: &mut Command) {
    if let Some(umask) = outputs::umask() {
        command.env(outputs::UMASK, umask);
    }
}

/// Runs `command` to its end, passing signals on to it. If this process is killed by SIGKILL, so is the program.
pub fn run(command: &mut Command) -> Result<ExitStatus> {
    run_for(command, None)
}

/// The same, but the program and those that it has started are interrupted after a time, and ended if they go on.
pub fn run_for(command: &mut Command, limit: Option<Duration>) -> Result<ExitStatus> {
    let program = command.get_program().to_owned();
    refuse_code_objects(Path::new(&program))?;
    tell_umask(command);
    take_signals();
    die_together(command);
    // The child starts with default dispositions: execve resets handlers, so nothing needs undoing.
    let mut child = command
        .spawn()
        .map_err(|error| not_started(&program, error))?;
    CHILD.store(child.id() as i32, Ordering::SeqCst);
    pass_on();
    if let Some(limit) = limit {
        let child = child.id() as i32;
        thread::spawn(move || end_after(child, limit));
    }
    let status = child
        .wait()
        .with_context(|| format!("lost track of {}", program.display()))?;
    CHILD.store(0, Ordering::SeqCst);
    Ok(status)
}

/// How long a program may go on after it was interrupted, and after it was asked to end.
const GRACE: Duration = Duration::from_secs(10);

fn end_after(child: i32, limit: Duration) {
    let steps = [
        (limit, libc::SIGINT),
        (GRACE, libc::SIGTERM),
        (GRACE, libc::SIGKILL),
    ];
    for (time, signal) in steps {
        thread::sleep(time);
        if CHILD.load(Ordering::SeqCst) != child {
            return;
        }
        if signal == libc::SIGINT {
            eprintln!(
                "luthier: the program has run for {} s and is interrupted",
                limit.as_secs()
            );
        }
        for process in processes::with_descendants(child as u32) {
            // SAFETY: `kill` takes two numbers. The child has this one until it is waited for.
            unsafe { libc::kill(process as i32, signal) };
        }
    }
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
    }
    command::of_child(status)
}

/// Replaces this process by `command`, for when nothing remains to be done afterwards.
pub fn replace(command: &mut Command) -> anyhow::Error {
    if let Err(error) = refuse_code_objects(Path::new(command.get_program())) {
        return error;
    }
    let program = command.get_program().to_owned();
    tell_umask(command);
    not_started(&program, command.exec())
}
