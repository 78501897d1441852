//! The rule for exit statuses. `docs/exit-status.md` says it for users, command by command; scripts rely on it.

use std::{
    os::unix::process::ExitStatusExt,
    process::{ExitCode, ExitStatus},
};

/// Added to the number of a signal, as shells do.
const SIGNAL: u8 = 128;

/// How a command ends that does not end as a program of the user's did ([`of_child`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// The command did what it was asked to, and its verdict is good.
    Done = 0,
    /// The command did what it was asked to, and found what it looks for: a difference, a bug, something missing.
    Found = 1,
    /// The command did not do what it was asked to: an error, a wrong option, nothing to work on.
    Failed = 2,
    /// There is no verdict on all of it: a kernel did not end, or a part was not looked at.
    Incomplete = 3,
    /// There is no verdict, because two runs of the same kernel differ.
    Unrepeatable = 4,
    /// The program was stopped, because it had used its budget.
    Stopped = 124,
}

/// `luthier count` ends with 1 after an error. Compilers do so too, and build systems see `luthier count cc` as one.
pub const COUNT_FAILED: Status = Status::Found;

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// The status of a command that a program's verdict decides: its own, or what a shell shows if a signal ended it.
pub fn of_child(status: ExitStatus) -> ExitCode {
    match (status.code(), status.signal()) {
        (Some(code), _) => ExitCode::from(code as u8),
        (None, Some(signal)) => ExitCode::from(of_signal(signal)),
        // A child that was waited for has ended in one of these ways.
        (None, None) => Status::Failed.into(),
    }
}

/// The status that a shell shows if this signal ended the program.
pub fn of_signal(signal: i32) -> u8 {
    SIGNAL.wrapping_add(signal as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The meaning of each status to users.
    const MEANINGS: [(Status, &str); 6] = [
        (
            Status::Done,
            "the command did what you asked, and its verdict is good",
        ),
        (
            Status::Found,
            "the command did what you asked, and found what it looks for: a difference, a bug, something missing",
        ),
        (
            Status::Failed,
            "the command did not do what you asked: an error, a wrong option, nothing to work on",
        ),
        (
            Status::Incomplete,
            "there is no verdict on all of it: a kernel did not end, or a part was not looked at",
        ),
        (
            Status::Unrepeatable,
            "there is no verdict, because two runs of the same kernel differ",
        ),
        (
            Status::Stopped,
            "the program was stopped, because it had used its budget",
        ),
    ];

    /// (The page's commands run as tests of `cli`: there the statuses are what commands end with.)
    #[test]
    fn the_page_says_the_rule() {
        let page = include_str!("../../../../docs/exit-status.md");
        for (status, meaning) in MEANINGS {
            let row = format!("| {} | {meaning} |", status as u8);
            assert!(page.contains(&row), "{row}");
        }
    }

    /// The answers of a shell are the second source.
    #[test]
    fn children_end_as_a_shell_shows_them() {
        for (script, expected) in [("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", 143)] {
            let shell = || std::process::Command::new("sh");
            let nested = format!("sh -c '{script}'; echo $?");
            let shown = shell().args(["-c", &nested]).output().expect("a shell");
            let shown = String::from_utf8_lossy(&shown.stdout);
            assert_eq!(shown.trim(), expected.to_string());
            let ended = shell().args(["-c", script]).status().expect("a shell");
            let code = ended.code().map_or_else(
                || of_signal(ended.signal().expect("a signal")),
                |code| code as u8,
            );
            assert_eq!(code, expected);
            assert_eq!(
                format!("{:?}", of_child(ended)),
                format!("{:?}", ExitCode::from(expected))
            );
        }
    }
}
