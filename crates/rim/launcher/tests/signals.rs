//! A launcher between a sender of signals and a program: neither may notice it.
//!
//! The launcher is this test program itself, started again with its role in the environment.

use std::{
    env,
    io::{BufRead, BufReader},
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use launcher::launch;

const SCRIPT: &str = "LAUNCHER_TEST_SCRIPT";
const SIGNALS: [(i32, &str); 9] = [
    (libc::SIGINT, "INT"),
    (libc::SIGQUIT, "QUIT"),
    (libc::SIGTERM, "TERM"),
    (libc::SIGHUP, "HUP"),
    (libc::SIGUSR1, "USR1"),
    (libc::SIGUSR2, "USR2"),
    (libc::SIGALRM, "ALRM"),
    (libc::SIGPROF, "PROF"),
    (35, "RTMIN+1"),
];

/// Not a test by itself: what the others start.
#[test]
fn role() {
    if let Ok(script) = env::var(SCRIPT) {
        let status = launch::run(Command::new("sh").args(["-c", &script])).unwrap();
        let _ = launch::end_like(status);
        std::process::exit(status.code().unwrap_or(99));
    }
}

/// A launcher around `sh -c script`, whose output goes past the test harness.
fn launcher(script: &str) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args(["--exact", "signals::role", "--nocapture"])
        .env(SCRIPT, script)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    // Tests may be started by what ignores some of them: `nohup`, or a script with `&`.
    // SAFETY: `signal` is async-signal-safe.
    unsafe {
        command.pre_exec(|| {
            for (signal, _) in SIGNALS {
                libc::signal(signal, libc::SIG_DFL);
            }
            Ok(())
        });
    }
    command
}

/// Waits until the program says so.
fn ready(child: &mut Child) {
    let output = BufReader::new(child.stdout.take().unwrap());
    assert!(output.lines().any(|line| line.unwrap().contains("ready")));
}

fn send(child: &Child, signal: i32) {
    // SAFETY: sends a signal to a child that was not waited for.
    assert_eq!(unsafe { libc::kill(child.id() as i32, signal) }, 0);
}

fn end(mut child: Child) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if start.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            panic!("still running after 20 s");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn ends_are_the_programs_own() {
    for (script, expected) in [
        ("exit 0", (Some(0), None)),
        ("exit 77", (Some(77), None)),
        ("kill -KILL $$", (None, Some(libc::SIGKILL))),
        ("kill -SEGV $$", (None, Some(libc::SIGSEGV))),
    ] {
        let status = end(launcher(script).spawn().unwrap());
        assert_eq!((status.code(), status.signal()), expected, "{script}");
    }
}

#[test]
fn signals_reach_the_program() {
    for (signal, name) in SIGNALS {
        // One that handles it, and one that dies of it.
        let handling = format!("trap 'exit 42' {name}; echo ready; while :; do sleep 0.01; done");
        let mut child = launcher(&handling).spawn().unwrap();
        ready(&mut child);
        send(&child, signal);
        assert_eq!(end(child).code(), Some(42), "{name}");

        let mut child = launcher("echo ready; exec sleep 60").spawn().unwrap();
        ready(&mut child);
        send(&child, signal);
        assert_eq!(end(child).signal(), Some(signal), "{name}");
    }
}

/// `nohup` makes a program ignore SIGHUP by ignoring it before the program starts.
#[test]
fn ignored_signals_stay_ignored() {
    let mut command = launcher("echo ready; sleep 0.2; exit 5");
    // SAFETY: `signal` is async-signal-safe.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGHUP, libc::SIG_IGN);
            Ok(())
        });
    }
    let mut child = command.spawn().unwrap();
    ready(&mut child);
    send(&child, libc::SIGHUP);
    assert_eq!(end(child).code(), Some(5));
}

#[test]
fn a_killed_launcher_takes_the_program_with_it() {
    let mut child = launcher("echo ready $$; exec sleep 1000").spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let line = output
        .lines()
        .map(Result::unwrap)
        .find(|line| line.contains("ready"));
    let program: u32 = line.unwrap().rsplit(' ').next().unwrap().parse().unwrap();
    send(&child, libc::SIGKILL);
    child.wait().unwrap();
    let start = Instant::now();
    // A process that its parent has not waited for yet still has a folder, without a command line.
    let runs =
        || std::fs::read(format!("/proc/{program}/cmdline")).is_ok_and(|line| !line.is_empty());
    while runs() {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{program} still runs"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}
