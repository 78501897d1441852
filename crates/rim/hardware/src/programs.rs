//! Programs that check themselves, alone and under tools: whether they still pass, and how much longer they take.

use std::{
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::report::{Program, Run};

/// How programs are run.
#[derive(Clone, Debug)]
pub struct Ways {
    /// The command that puts a tool into a program: this, then the tool's name, `--` and the program.
    pub with_tool: Vec<PathBuf>,
    pub tools: Vec<String>,
    /// For one run.
    pub limit: Duration,
    /// Runs of each kind, of which the fastest counts.
    pub times: u32,
}

/// How often it is looked whether a program has ended.
const GLANCE: Duration = Duration::from_millis(1);

/// Runs all of them. Status 0 is passing. `tell` hears how many of how many runs are done.
pub fn programs(
    ways: &Ways,
    programs: &[PathBuf],
    tell: &mut dyn FnMut(usize, usize),
) -> Vec<Program> {
    let all = programs.len() * (ways.tools.len() + 1);
    let mut done = 0;
    let mut found = Vec::new();
    for path in programs {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut program = Program {
            name: name.into_owned(),
            runs: Vec::new(),
        };
        for tool in std::iter::once("").chain(ways.tools.iter().map(String::as_str)) {
            program.runs.push(fastest(ways, path, tool));
            done += 1;
            tell(done, all);
        }
        found.push(program);
    }
    found
}

fn fastest(ways: &Ways, path: &Path, tool: &str) -> Run {
    let mut fastest: Option<Run> = None;
    for _ in 0..ways.times.max(1) {
        let run = once(ways, path, tool);
        if !run.passed {
            return run;
        }
        if fastest
            .as_ref()
            .is_none_or(|best| run.seconds < best.seconds)
        {
            fastest = Some(run);
        }
    }
    fastest.unwrap_or_default()
}

fn once(ways: &Ways, path: &Path, tool: &str) -> Run {
    let mut command = match (tool, ways.with_tool.split_first()) {
        ("", _) | (_, None) => Command::new(path),
        (tool, Some((first, rest))) => {
            let mut command = Command::new(first);
            command.args(rest).arg(tool).arg("--").arg(path);
            command
        }
    };
    // Its output is dropped, because it may name files and users.
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let start = Instant::now();
    let ended = wait(&mut command, ways.limit);
    Run {
        tool: tool.to_owned(),
        passed: ended.is_none(),
        ended,
        seconds: start.elapsed().as_secs_f64(),
    }
}

/// `None` for status 0, or what happened.
fn wait(command: &mut Command, limit: Duration) -> Option<String> {
    let mut process = match command.spawn() {
        Ok(process) => process,
        Err(error) => return Some(format!("did not start: {}", error.kind())),
    };
    let start = Instant::now();
    loop {
        match process.try_wait() {
            Ok(Some(status)) => return (!status.success()).then(|| words(status)),
            Ok(None) if start.elapsed() < limit => thread::sleep(GLANCE),
            Ok(None) | Err(_) => {
                let _ = process.kill();
                // A process inside a call of the driver may take for ever to end, so it is not waited for.
                thread::spawn(move || process.wait());
                return Some(format!("did not end within {} s", limit.as_secs()));
            }
        }
    }
}

fn words(status: ExitStatus) -> String {
    format!("ended with {status}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the program if the tool is called `good`.
    const SCRIPT: &str = "test \"$1\" = good && test \"$2\" = -- && shift 2 && exec \"$@\"";

    fn ways(tools: &[&str]) -> Ways {
        Ways {
            with_tool: ["/bin/sh", "-c", SCRIPT, "sh"].map(PathBuf::from).to_vec(),
            tools: tools.iter().map(|&tool| tool.to_owned()).collect(),
            limit: Duration::from_secs(20),
            times: 2,
        }
    }

    #[test]
    fn programs_pass_by_their_status() {
        let paths = ["/bin/true", "/bin/false", "/nonexistent/program"].map(PathBuf::from);
        let mut told = Vec::new();
        let found = programs(&ways(&[]), &paths, &mut |done, all| told.push((done, all)));
        let passed: Vec<_> = found.iter().map(|program| program.runs[0].passed).collect();
        assert_eq!(passed, [true, false, false]);
        assert_eq!(
            found[1].runs[0].ended.as_deref(),
            Some("ended with exit status: 1")
        );
        assert_eq!(
            found[2].runs[0].ended.as_deref(),
            Some("did not start: entity not found")
        );
        // By its own name, not where it lies.
        assert_eq!(found[2].name, "program");
        assert_eq!(told, [(1, 3), (2, 3), (3, 3)]);
    }

    #[test]
    fn what_does_not_end_is_ended() {
        let mut command = Command::new("/bin/sleep");
        let ended = wait(command.arg("1000"), Duration::from_millis(100));
        assert_eq!(ended.as_deref(), Some("did not end within 0 s"));
    }

    #[test]
    fn tools_stand_before_the_program() {
        let found = programs(
            &ways(&["good", "bad"]),
            &[PathBuf::from("/bin/true")],
            &mut |_, _| (),
        );
        let runs: Vec<_> = found[0]
            .runs
            .iter()
            .map(|run| (run.tool.as_str(), run.passed))
            .collect();
        assert_eq!(runs, [("", true), ("good", true), ("bad", false)]);
    }
}
