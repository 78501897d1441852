//! `run --budget-per turn`: a program that talks with a referee over its standard input and output has a budget for each turn.
//!
//! This process stands between the referee and the program. A turn lasts from the moment when the program gets input until it waits for
//! input again. Input that follows without any output in between belongs to the same turn, so it does not matter in how many pieces the
//! referee writes. Nothing is handed over while the program works: what it executes in a turn depends on its input alone.

use crate::error::{Error, at};
use crate::run::POOL_FILE;
use crate::{sample, waiting};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// As much as a pipe takes at once if it is empty.
const CHUNK: usize = 4096;
/// Times between two looks at a program that works.
const SHORTEST: Duration = Duration::from_micros(50);
const LONGEST: Duration = Duration::from_millis(2);

/// Offsets of `granted`, `turn` and `before` in `struct pool` (`c/pool.c`).
const GRANTED: u64 = 32;
const TURN: u64 = 40;
const BEFORE: u64 = 48;

/// The words and the units of one turn: one line of the file of `--turns`. Turn 0 is the time before the first input.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    pub turn: u64,
    pub input: Said,
    pub output: Said,
    pub units: u64,
}

/// Text, or bytes that are no UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Said {
    Text(String),
    Bytes(Vec<u8>),
}

impl Default for Said {
    fn default() -> Said {
        Said::Text(String::new())
    }
}

impl From<Vec<u8>> for Said {
    fn from(bytes: Vec<u8>) -> Said {
        String::from_utf8(bytes).map_or_else(|error| Said::Bytes(error.into_bytes()), Said::Text)
    }
}

impl Said {
    fn bytes(&self) -> &[u8] {
        match self {
            Said::Text(text) => text.as_bytes(),
            Said::Bytes(bytes) => bytes,
        }
    }
}

/// The source of input.
enum Referee {
    /// Our standard input.
    Live,
    /// The turns of an earlier match.
    Recorded(std::vec::IntoIter<Turn>),
}

/// Reads the file of an earlier `--turns`.
pub fn read(path: &Path) -> Result<Vec<Turn>, Error> {
    let text = std::fs::read_to_string(path).map_err(at(path))?;
    let lines = text.lines().enumerate();
    let turns = lines.map(|(number, line)| {
        serde_json::from_str(line).map_err(|source| Error::Turns {
            path: path.to_owned(),
            line: number + 1,
            source,
        })
    });
    turns.collect()
}

/// Why a match went otherwise than the recorded one.
pub fn difference(then: &[Turn], now: &[Turn]) -> Option<String> {
    for (then, now) in then.iter().zip(now) {
        let what = match () {
            () if then.output != now.output => "wrote other output".to_owned(),
            () if then.input != now.input => "took other input".to_owned(),
            () if then.units != now.units => {
                format!("executed {} units, not {}", now.units, then.units)
            }
            () => continue,
        };
        return Some(format!("in turn {} the program {what}", now.turn));
    }
    (then.len() != now.len()).then(|| format!("there are {} turns, not {}", now.len(), then.len()))
}

/// Runs the program, and stands between the referee and it. `script`: the referee is this earlier match. A turn that takes longer than
/// `longest` of wall-clock time ends the program.
pub fn run(
    command: &mut Command,
    directory: &Path,
    script: Option<Vec<Turn>>,
    longest: Option<Duration>,
) -> std::io::Result<Match> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut table = Table {
        input: child.stdin.take(),
        output: child.stdout.take(),
        pool: File::options()
            .write(true)
            .read(true)
            .open(directory.join(POOL_FILE))?,
        directory: directory.to_owned(),
        referee: script.map_or(Referee::Live, |turns| Referee::Recorded(turns.into_iter())),
        took: Vec::new(),
        wrote: Vec::new(),
        began: 0,
        turns: Vec::new(),
    };
    let (status, overdue) = table.play(&mut child, longest)?;
    Ok(Match {
        status,
        turns: table.turns,
        overdue,
    })
}

/// The result of a run with turns.
pub struct Match {
    pub status: ExitStatus,
    pub turns: Vec<Turn>,
    /// The last turn took too much wall-clock time, and this process ended the program.
    pub overdue: bool,
}

/// The referee, the program, and this process in between.
struct Table {
    input: Option<ChildStdin>,
    output: Option<ChildStdout>,
    pool: File,
    directory: PathBuf,
    referee: Referee,
    /// Said in the present turn.
    took: Vec<u8>,
    wrote: Vec<u8>,
    /// Units that had been executed when the present turn began.
    began: u64,
    turns: Vec<Turn>,
}

impl Table {
    fn play(
        &mut self,
        child: &mut Child,
        longest: Option<Duration>,
    ) -> std::io::Result<(ExitStatus, bool)> {
        let mut pause = SHORTEST;
        let mut begun = Instant::now();
        let mut overdue = false;
        loop {
            if self.forward_output(pause)? {
                pause = SHORTEST;
                continue;
            }
            if let Some(status) = child.try_wait()? {
                while self.forward_output(Duration::ZERO)? {}
                self.end_turn(self.executed());
                return Ok((status, overdue));
            }
            if !overdue && longest.is_some_and(|longest| begun.elapsed() > longest) {
                overdue = true;
                self.kill(child)?;
            }
            pause = (pause * 2).min(LONGEST);
            if self.input.is_some()
                && let Some(units) = self.waits(child.id())
            {
                // It may have written between the two looks above.
                if self.forward_output(Duration::ZERO)? {
                    continue;
                }
                self.hand_over(units)?;
                (pause, begun) = (SHORTEST, Instant::now());
            }
        }
    }

    /// Passes on what the program has written, if it writes within this time.
    fn forward_output(&mut self, time: Duration) -> std::io::Result<bool> {
        let Some(output) = &mut self.output else {
            std::thread::sleep(time);
            return Ok(false);
        };
        let time = Timespec::try_from(time).map_err(std::io::Error::other)?;
        let mut ready = [PollFd::new(output, PollFlags::IN)];
        match poll(&mut ready, Some(&time)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(false),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let mut bytes = [0; CHUNK];
        let count = output.read(&mut bytes)?;
        self.wrote.extend(&bytes[..count]);
        let mut ours = std::io::stdout();
        // A referee that has gone is the program's to notice: it writes into a closed pipe, too.
        if count == 0
            || ours
                .write_all(&bytes[..count])
                .and_then(|()| ours.flush())
                .is_err()
        {
            self.output = None;
        }
        Ok(count > 0)
    }

    /// The units that the run has executed, if the program waits for input that it has not got.
    fn waits(&self, pid: u32) -> Option<u64> {
        let look = || {
            let input = self.input.as_ref()?;
            let unread = rustix::io::ioctl_fionread(input).ok()?;
            let pids = sample::announced(&self.directory).chain([pid]);
            (unread == 0 && waiting::wait_for_input(pids)).then(|| self.executed())
        };
        let units = look()?;
        // A thread that was just between two calls would have gone on by now.
        std::thread::sleep(SHORTEST);
        (look() == Some(units)).then_some(units)
    }

    /// Ends the program and its counted children.
    fn kill(&self, child: &mut Child) -> std::io::Result<()> {
        let pids = sample::announced(&self.directory).filter_map(|pid| i32::try_from(pid).ok());
        for pid in pids.filter_map(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        child.kill()
    }

    fn executed(&self) -> u64 {
        let mut before = [0; 8];
        let _ = self.pool.read_exact_at(&mut before, BEFORE);
        sample::executed(&self.directory).saturating_sub(u64::from_le_bytes(before))
    }

    /// The referee's next piece of input; empty at its end.
    fn next_input(&mut self) -> std::io::Result<Vec<u8>> {
        let Referee::Recorded(turns) = &mut self.referee else {
            let mut bytes = vec![0; CHUNK];
            loop {
                match std::io::stdin().lock().read(&mut bytes) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    count => bytes.truncate(count?),
                }
                return Ok(bytes);
            }
        };
        let turn = turns.find(|turn| !turn.input.bytes().is_empty());
        Ok(turn.map_or_else(Vec::new, |turn| turn.input.bytes().to_owned()))
    }

    fn hand_over(&mut self, units: u64) -> std::io::Result<()> {
        let bytes = self.next_input()?;
        if !self.wrote.is_empty() || self.turns.is_empty() {
            self.end_turn(units);
            self.pool
                .write_all_at(&(self.turns.len() as u64).to_le_bytes(), TURN)?;
            self.pool.write_all_at(&units.to_le_bytes(), GRANTED)?;
        }
        if bytes.is_empty() {
            self.input = None;
            return Ok(());
        }
        self.took.extend(&bytes);
        let written = (self.input.as_mut()).is_some_and(|input| input.write_all(&bytes).is_ok());
        if !written {
            self.input = None;
        }
        Ok(())
    }

    fn end_turn(&mut self, units: u64) {
        self.turns.push(Turn {
            turn: self.turns.len() as u64,
            input: std::mem::take(&mut self.took).into(),
            output: std::mem::take(&mut self.wrote).into(),
            units: units - self.began.min(units),
        });
        self.began = units;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_come_back() {
        for said in [&b"a\n"[..], b"\xff\x00", b""] {
            let turn = Turn {
                input: said.to_owned().into(),
                ..Turn::default()
            };
            let line = serde_json::to_string(&turn).unwrap();
            let back: Turn = serde_json::from_str(&line).unwrap();
            assert_eq!((back.input.bytes(), &back), (said, &turn));
        }
    }

    #[test]
    fn differences_name_the_turn() {
        let turn = |turn, output: &str, units| Turn {
            turn,
            output: Said::Text(output.to_owned()),
            units,
            ..Turn::default()
        };
        let then = [turn(0, "", 5), turn(1, "a", 7)];
        assert_eq!(difference(&then, &then), None);
        let says = |now: &[Turn]| difference(&then, now).unwrap();
        assert_eq!(
            says(&[turn(0, "", 5), turn(1, "b", 7)]),
            "in turn 1 the program wrote other output"
        );
        assert_eq!(
            says(&[turn(0, "", 6)]),
            "in turn 0 the program executed 6 units, not 5"
        );
        assert_eq!(says(&then[..1]), "there are 1 turns, not 2");
    }
}
