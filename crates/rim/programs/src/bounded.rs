//! Waiting for children that may never end: a test that hangs says nothing, a child that was stopped says where it hung.

use std::{
    fmt::Write as _,
    fs,
    io::Read,
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

/// A child that runs longer has failed. The slowest takes a few seconds on a free machine.
const LIMIT: Duration = Duration::from_secs(150);
const POLL: Duration = Duration::from_millis(5);

/// [`Command::output`] for what should end.
pub trait Bounded {
    /// The output of the command and how it ended. If it has not ended after `limit`, an error says where its threads were.
    fn output_within(&mut self, limit: Duration) -> Result<Output>;

    /// The same for what ends soon.
    fn bounded_output(&mut self) -> Result<Output> {
        self.output_within(LIMIT)
    }
}

impl Bounded for Command {
    fn output_within(&mut self, limit: Duration) -> Result<Output> {
        self.stdin(Stdio::null());
        self.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self
            .spawn()
            .with_context(|| format!("cannot start {}", self.get_program().display()))?;
        let began = Instant::now();
        let stdout = collect(child.stdout.take());
        let stderr = collect(child.stderr.take());
        let status = wait_within(&mut child, limit);
        // A process that the child started may hold the pipes for longer.
        let left = limit.saturating_sub(began.elapsed()).max(POLL);
        let (stdout, stderr) = (stdout.recv_timeout(left), stderr.recv_timeout(left));
        let (stdout, stderr) = (stdout.unwrap_or_default(), stderr.unwrap_or_default());
        let status = status.with_context(|| {
            let text = String::from_utf8_lossy;
            format!("it printed\n{}\n{}", text(&stdout), text(&stderr))
        })?;
        Ok(Output {
            status,
            stdout,
            stderr,
        })
    }
}

/// How a child ended that should end soon. One that does not is stopped, and the error says what its threads were at.
pub fn wait(child: &mut Child) -> Result<ExitStatus> {
    wait_within(child, LIMIT)
}

fn wait_within(child: &mut Child, limit: Duration) -> Result<ExitStatus> {
    let began = Instant::now();
    while began.elapsed() < limit {
        if let Some(status) = child.try_wait().context("cannot wait for the child")? {
            return Ok(status);
        }
        thread::sleep(POLL);
    }
    let threads = threads(child.id());
    child.kill().context("cannot stop the child")?;
    child.wait().context("cannot wait for the child")?;
    bail!("still running after {limit:?}\n{threads}")
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        let _ = send.send(bytes);
    });
    receive
}

/// The threads of a process and of those it has started: name, state, system call and, where gdb is, their calls.
fn threads(process: u32) -> String {
    let mut text = String::new();
    for process in family(process) {
        let folder = format!("/proc/{process}");
        let read = |path: String| {
            let bytes = fs::read(path).unwrap_or_default();
            String::from_utf8_lossy(&bytes)
                .replace('\0', " ")
                .trim()
                .to_owned()
        };
        let _ = writeln!(
            text,
            "process {process}: {}",
            read(format!("{folder}/cmdline"))
        );
        for thread in fs::read_dir(format!("{folder}/task"))
            .into_iter()
            .flatten()
            .flatten()
        {
            let of = |file: &str| read(format!("{}/{file}", thread.path().display()));
            let state = of("stat");
            let state = state.rsplit_once(") ").map_or("?", |(_, rest)| &rest[..1]);
            let (name, number) = (of("comm"), thread.file_name());
            let _ = writeln!(
                text,
                "  {} {name}: {state} {} {}",
                number.display(),
                of("wchan"),
                of("syscall")
            );
        }
        let calls = Command::new("gdb")
            .args(["-p", &process.to_string(), "-batch", "-nx"])
            .args(["-ex", "set debuginfod enabled off"])
            .args(["-ex", "thread apply all backtrace 25"])
            .stderr(Stdio::null())
            .output();
        if let Ok(calls) = calls {
            text.push_str(&String::from_utf8_lossy(&calls.stdout));
        }
    }
    text
}

/// The process and those it has started.
fn family(process: u32) -> Vec<u32> {
    let mut parents: Vec<(u32, u32)> = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(number) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let parent = stat
            .rsplit_once(") ")
            .and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
        if let Some(parent) = parent {
            parents.push((number, parent));
        }
    }
    let mut family = vec![process];
    let mut next = 0;
    while let Some(&parent) = family.get(next) {
        family.extend(
            parents
                .iter()
                .filter(|(_, of)| *of == parent)
                .map(|(number, _)| *number),
        );
        next += 1;
    }
    family
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_whole_and_threads_are_named() {
        let output = Command::new("sh")
            .args(["-c", "head -c 300000 /dev/zero; echo no >&2; exit 3"])
            .bounded_output()
            .unwrap();
        assert_eq!(output.status.code(), Some(3));
        assert_eq!(
            (output.stdout.len(), &*output.stderr),
            (300_000, &b"no\n"[..])
        );

        let mut sleeping = Command::new("sh")
            .args(["-c", "sleep 60; true"])
            .spawn()
            .unwrap();
        let shell = sleeping.id();
        let began = Instant::now();
        while family(shell).len() < 2 && began.elapsed() < LIMIT {
            thread::sleep(POLL);
        }
        let below = family(shell);
        let text = threads(shell);
        sleeping.kill().unwrap();
        sleeping.wait().unwrap();
        Command::new("kill")
            .arg(below[1].to_string())
            .status()
            .unwrap();
        assert!(
            text.contains("sleep 60; true") && text.contains(" sleep: "),
            "{text}"
        );
    }
}
