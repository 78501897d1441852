//! Programs in an environment, on an emulated GPU, for a limited time.

use std::{
    io::{BufRead, BufReader, Read},
    os::unix::process::ExitStatusExt,
    process::{Child, Command, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};

use super::{checked::Checks, environment::Environment};

/// The environment and device to run on.
pub struct Setting<'a> {
    pub environment: &'a Environment,
    pub device: &'a str,
    /// Options of `luthier run`, such as tools.
    pub options: &'a [String],
    /// The seed of the order of tests. Without one they run in their own order.
    pub seed: Option<u32>,
    /// Programs run under these checks instead.
    pub checks: Option<Checks>,
    /// The folder with a HIP that knows the device, if the release's own does not.
    pub hip: Option<String>,
}

/// How a program ended.
pub enum End {
    /// With that status.
    Status(i32),
    /// Its time was over.
    Late,
}

/// The interval between looks at a program that prints nothing.
const A_WHILE: Duration = Duration::from_secs(1);
/// Lines of standard error that are kept.
const LAST: usize = 12;
/// The status that `timeout` ends with when time was over. If it had to use force, it ends by that signal itself.
const LATE: i32 = 124;
/// How many seconds a program has to end and to leave its report when its time is over.
const GRACE: &str = "20";
/// The number of `SIGKILL`.
const KILLED: i32 = 9;

impl Setting<'_> {
    /// `luthier run` on a program, that many seconds at most. Tests are packaged with libraries of theirs beside them, where nothing in them
    /// says to look.
    pub fn command(&self, seconds: u64, program: &str) -> Command {
        let mut command = self.environment.command("timeout");
        let beside = program.rsplit_once('/').map(|(folder, _)| folder);
        let folders: Vec<&str> = self.hip.as_deref().into_iter().chain(beside).collect();
        command
            .envs((!folders.is_empty()).then(|| ("LD_LIBRARY_PATH", folders.join(":"))))
            .args(["-k", GRACE, &seconds.max(1).to_string()])
            .arg(crate::root().join("target/release/luthier"))
            .args(self.arguments())
            .args(["--", program]);
        command
    }

    /// The command of `luthier` and its options.
    fn arguments(&self) -> Vec<String> {
        let checks = self.checks.as_ref().map(Checks::arguments);
        let mut arguments = checks.unwrap_or_else(|| vec!["run".to_owned()]);
        arguments.extend(["--device".to_owned(), self.device.to_owned()]);
        arguments.extend_from_slice(self.options);
        arguments
    }

    /// The same in a folder of the environment, with standard error in standard output.
    pub fn command_in(&self, seconds: u64, folder: &str, program: &str) -> Command {
        const ENTER: &str = r#"cd "$0"; exec "$@" 2>&1"#;
        let mut command = self.environment.command("timeout");
        command
            .envs(self.hip.as_ref().map(|folder| ("LD_LIBRARY_PATH", folder)))
            .args(["-k", GRACE, &seconds.max(1).to_string()])
            .args(["sh", "-euc", ENTER, folder])
            .arg(crate::root().join("target/release/luthier"))
            .args(self.arguments())
            .args(["--", program]);
        command
    }
}

/// The result of a program that was watched.
pub struct Watched {
    pub end: End,
    /// It printed no whole line for as long as it may, and was ended.
    pub stuck: bool,
    /// The last lines of standard error.
    pub errors: String,
}

/// Hands every line of standard output to `each`; returns how it ended, and the last lines of standard error.
pub fn lines(command: Command, each: impl FnMut(&str)) -> Result<(End, String)> {
    let watched = watched(command, Duration::MAX, each)?;
    Ok((watched.end, watched.errors))
}

/// The same with a program that ends when it has printed no whole line for so long.
pub fn watched(
    mut command: Command,
    patience: Duration,
    mut each: impl FnMut(&str),
) -> Result<Watched> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot run unshare")?;
    let errors = child.stderr.take().context("standard error is a pipe")?;
    let errors = thread::spawn(move || {
        let mut last = std::collections::VecDeque::new();
        for line in BufReader::new(errors).split(b'\n').map_while(Result::ok) {
            last.push_back(String::from_utf8_lossy(&line).into_owned());
            if last.len() > LAST {
                last.pop_front();
            }
        }
        Vec::from(last).join("\n")
    });
    let mut output = child.stdout.take().context("standard output is a pipe")?;
    let (sender, pieces) = mpsc::channel();
    thread::spawn(move || {
        let mut piece = [0; 4096];
        while let Ok(length @ 1..) = output.read(&mut piece) {
            if sender.send(piece[..length].to_vec()).is_err() {
                break;
            }
        }
    });
    let mut unfinished = Vec::new();
    let mut since = Instant::now();
    let stuck = loop {
        let left = patience.saturating_sub(since.elapsed());
        match pieces.recv_timeout(left.min(A_WHILE)) {
            Ok(piece) => unfinished.extend(piece),
            Err(RecvTimeoutError::Disconnected) => break false,
            Err(RecvTimeoutError::Timeout) if since.elapsed() >= patience => {
                end(&child)?;
                break true;
            }
            Err(RecvTimeoutError::Timeout) => {
                if child.try_wait()?.is_some() {
                    // Only what it has left behind can still hold the pipe.
                    signal(&child, "-KILL", "-")?;
                }
            }
        }
        while let Some(at) = unfinished.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = unfinished.drain(..=at).collect();
            each(&plain(&line[..at]));
            since = Instant::now();
        }
    };
    let unfinished = plain(&unfinished);
    if !unfinished.is_empty() {
        each(&unfinished);
    }
    let status = child.wait()?;
    let errors = errors.join().unwrap_or_default();
    let end = match (status.code(), status.signal()) {
        (Some(LATE), _) | (_, Some(KILLED)) => End::Late,
        (code, _) => End::Status(code.unwrap_or(-1)),
    };
    Ok(Watched { end, stuck, errors })
}

/// Asks `timeout`, which the child has become, to end what it runs; it does so by force a little later.
fn end(child: &Child) -> Result<()> {
    signal(child, "-TERM", "")
}

/// Sends a signal to the child, or with a dash to all of its group: `timeout` has made one.
fn signal(child: &Child, signal: &str, dash: &str) -> Result<()> {
    let whom = format!("{dash}{}", child.id());
    let kill = ["-c", "kill \"$0\" \"$1\" 2>/dev/null", signal, &whom];
    let status = Command::new("sh").args(kill).status();
    status.context("cannot run sh")?;
    Ok(())
}

fn plain(line: &[u8]) -> String {
    without_colours(&String::from_utf8_lossy(line))
}

/// The text without the terminal's escape sequences.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, sequence)) = rest.split_once("\x1b[") {
        plain.push_str(before);
        rest = sequence
            .find(|letter: char| letter.is_ascii_alphabetic())
            .map_or("", |end| &sequence[end + 1..]);
    }
    plain.push_str(rest);
    plain
}

/// Time that is left of a budget.
pub struct Budget(Instant);

impl Budget {
    pub fn new(seconds: u64) -> Budget {
        Budget(Instant::now() + Duration::from_secs(seconds))
    }

    /// Whole seconds; None if there are none.
    pub fn left(&self) -> Option<u64> {
        let left = self.0.saturating_duration_since(Instant::now()).as_secs();
        (left > 0).then_some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::{Command, Duration, End, watched};

    #[test]
    fn escape_sequences_go() {
        let plain = super::without_colours("\x1b[1;32mOK\x1b[0m done");
        assert_eq!(plain, "OK done");
    }

    #[test]
    fn what_a_program_leaves_behind_holds_nobody_up() {
        let mut command = Command::new("timeout");
        let script = "(echo child; sleep 50) & sleep 0.2; echo parent; exit 3";
        command.args(["60", "sh", "-c", script]);
        let (began, mut lines) = (std::time::Instant::now(), Vec::new());
        let each = |line: &str| lines.push(line.to_owned());
        let watched = watched(command, Duration::MAX, each).unwrap();
        assert!(matches!(watched.end, End::Status(3)) && !watched.stuck);
        assert_eq!(lines, ["child", "parent"]);
        assert!(began.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_program_that_does_not_end_by_itself_is_late() {
        let mut command = Command::new("timeout");
        let script = "trap '' TERM; while :; do sleep 0.1; done";
        command.args(["-k", "1", "1", "sh", "-c", script]);
        let watched = watched(command, Duration::MAX, |_| {}).unwrap();
        assert!(matches!(watched.end, End::Late));
    }

    #[test]
    fn a_program_is_ended_when_it_is_stuck_in_a_line() {
        let run = |script: &str| {
            let mut command = Command::new("timeout");
            command.args(["-k", "5", "60", "sh", "-c", script]);
            let mut lines = Vec::new();
            let each = |line: &str| lines.push(line.to_owned());
            let watched = watched(command, Duration::from_secs(1), each).unwrap();
            (watched, lines)
        };
        let (stuck, lines) = run("echo one; printf 'two: '; sleep 50");
        assert!(stuck.stuck);
        assert_eq!(lines, ["one", "two: "]);
        // Longer than the patience in all, but not in any line.
        let (whole, lines) = run("for k in 1 2 3; do sleep 0.5; echo $k; done; exit 3");
        assert!(!whole.stuck && matches!(whole.end, End::Status(3)));
        assert_eq!(lines, ["1", "2", "3"]);
    }
}
