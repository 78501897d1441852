//! Processes that ended without delivering what their tools collected.

use std::{
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Command, ExitStatus},
};

use anyhow::{Context, Result};
use outputs::Scratch;

use crate::stock::Prepared;

/// The signal that a seccomp filter sends.
const SIGSYS: i32 = 31;

/// A file in which every process with tools leaves a line when its session begins and one when it has delivered.
pub struct Ledger {
    file: Scratch,
    /// Things that must stay until the program has ended.
    kept: Vec<Prepared>,
}

impl Ledger {
    /// Has `command` and its children write to a new one.
    pub fn open(command: &mut Command) -> Result<Ledger> {
        let file = Scratch::new().context("cannot make a file in memory for the tools")?;
        command.env("LUTHIER_LEDGER", file.path());
        let kept = Vec::new();
        Ok(Ledger { file, kept })
    }

    pub fn keep(&mut self, prepared: Vec<Prepared>) {
        self.kept.extend(prepared);
    }

    /// Says which processes have not delivered and never will, of a program that ended like this; true if there are some.
    pub fn complain(&self, status: ExitStatus) -> bool {
        let text = self.file.read().unwrap_or_default();
        for said in said(&text) {
            command::print_error(format_args!("{said}"));
        }
        let silent = silent(&text);
        if status.signal() == Some(SIGSYS) && !silent.is_empty() {
            command::say!(
                "luthier: the program was ended by SIGSYS: if a seccomp filter of its own forbids to open files, tools cannot deliver in it"
            );
        }
        if status.success() && !has_used_a_gpu(&text) {
            command::say!("luthier: no process of the program has used a GPU: tools saw nothing");
        }
        let mut lost = false;
        for process in silent {
            // One that goes on in the background may still deliver.
            if !Path::new("/proc").join(process).exists() {
                lost = true;
                command::say!(
                    "luthier: process {process} was killed, left by _exit or exec, or had a stack overflow in a thread that is not the first; what \
                     tools collected in it is lost"
                );
            }
        }
        lost
    }
}

/// Prints messages of processes that could not print them.
fn said(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter_map(|line| {
        let text = line.split_once(" said ")?.1;
        let mut said = String::new();
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            said.push(match character {
                '\\' => match characters.next()? {
                    'n' => '\n',
                    other => other,
                },
                plain => plain,
            });
        }
        Some(said)
    })
}

/// Returns `true` if any process has used a GPU, with tools or where these were refused.
fn has_used_a_gpu(text: &str) -> bool {
    let mut lines = text.lines();
    lines.any(|line| matches!(line.split_once(' '), Some((_, "began" | "refused"))))
}

/// Processes with more beginnings than deliveries, in order.
fn silent(text: &str) -> Vec<&str> {
    let mut open: Vec<&str> = Vec::new();
    for line in text.lines() {
        match line.split_once(' ') {
            Some((process, "began")) => open.push(process),
            Some((process, "delivered")) => {
                if let Some(index) = open.iter().position(|known| *known == process) {
                    open.remove(index);
                }
            }
            _ => {}
        }
    }
    open.dedup();
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_comes_out_as_it_was() {
        let text = "7 began\n7 said a\\nb \\\\n said\\n\n8 said c\n7 delivered\n";
        let all: Vec<_> = said(text).collect();
        assert_eq!(all, ["a\nb \\n said\n", "c"]);
    }

    #[test]
    fn processes_that_never_delivered_are_found() {
        let text = "7 began\n8 began\n7 delivered\n9 began\n7 began\n8 deliv";
        assert_eq!(silent(text), ["8", "9", "7"]);
        assert!(silent("7 began\n7 delivered\nrubbish\n").is_empty());
        assert!(has_used_a_gpu(text) && has_used_a_gpu("7 refused\n"));
        assert!(!has_used_a_gpu("7 said that it began\n7 said refused\n"));
    }
}
