//! Programs in an environment, on an emulated GPU, for a limited time.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};

use super::environment::Environment;

/// What is run, and on what.
pub struct Setting<'a> {
    pub environment: &'a Environment,
    pub device: &'a str,
    /// Options of `luthier run`, such as tools.
    pub options: &'a [String],
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

/// Lines of standard error that are kept.
const LAST: usize = 12;
/// Statuses that `timeout` ends with when time was over.
const LATE: [i32; 2] = [124, 137];

impl Setting<'_> {
    /// `luthier run` on a program, that many seconds at most.
    pub fn command(&self, seconds: u64, program: &str) -> Command {
        let mut command = self.environment.command("timeout");
        command
            .envs(self.hip.iter().map(|folder| ("LD_LIBRARY_PATH", folder)))
            .args(["-k", "5", &seconds.max(1).to_string()])
            .arg(crate::root().join("target/release/luthier"))
            .args(["run", "--device", self.device])
            .args(self.options)
            .args(["--", program]);
        command
    }
}

/// Hands every line of standard output to `each`; returns how it ended, and the last lines of standard error.
pub fn lines(mut command: Command, mut each: impl FnMut(&str)) -> Result<(End, String)> {
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
    let output = child.stdout.take().context("standard output is a pipe")?;
    for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
        each(&without_colours(&String::from_utf8_lossy(&line)));
    }
    let status = child.wait()?;
    let errors = errors.join().unwrap_or_default();
    let code = status.code().unwrap_or(-1);
    let end = if LATE.contains(&code) {
        End::Late
    } else {
        End::Status(code)
    };
    Ok((end, errors))
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
    #[test]
    fn escape_sequences_go() {
        let plain = super::without_colours("\x1b[1;32mOK\x1b[0m done");
        assert_eq!(plain, "OK done");
    }
}
