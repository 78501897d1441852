//! A child process with everything that it starts: how long it may run, how much it may write, and that nothing of it is left.

use std::{
    ffi::OsStr,
    fs, io,
    os::unix::ffi::OsStrExt,
    path::Path,
    process::{Child, ExitStatus},
    thread,
    time::{Duration, Instant},
};

use command::processes;
use launcher::interrupt;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, pidfd_open, pidfd_send_signal, waitid,
};

/// The pauses between two looks whether the child has ended.
const SHORTEST: Duration = Duration::from_micros(500);
const LONGEST: Duration = Duration::from_millis(5);
/// The part of the time that is spent on looking how much it has written, at most.
const SHARE: u32 = 20;
/// Processes that start others while they are ended are looked for so many times.
const ROUNDS: usize = 20;

/// The limits of a child.
pub struct Limits<'d> {
    pub time: Option<Duration>,
    /// The directories that it writes to, and the most bytes.
    pub room: Option<(&'d [&'d Path], u64)>,
}

/// The end of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Status(ExitStatus),
    /// It took too long.
    Late,
    /// It wrote too much.
    Full,
}

/// Waits for the leader of a group of processes, and ends the processes that it leaves in the group. `mark` is a variable of the environment
/// and its value, which only this child and its descendants have. Its descendants in other groups are ended, too. None: the user has asked to end.
pub fn wait(
    mut child: Child,
    mark: (&str, &OsStr),
    limits: &Limits<'_>,
) -> io::Result<Option<End>> {
    let is_full = || {
        let room = limits.room;
        room.is_some_and(|(directories, most)| bytes(directories) > most)
    };
    let began = Instant::now();
    let (mut pause, mut looked) = (SHORTEST, Instant::now());
    let mut until_look = Duration::ZERO;
    let id = Pid::from_child(&child);
    // The leader stays a zombie until its group is ended, so that no other process has its number.
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let early = loop {
        if waitid(WaitId::Pid(id), options)?.is_some() {
            break None;
        }
        if limits.time.is_some_and(|limit| began.elapsed() > limit) {
            break Some(End::Late);
        }
        if looked.elapsed() >= until_look {
            let before = Instant::now();
            if is_full() {
                break Some(End::Full);
            }
            looked = Instant::now();
            until_look = (SHARE * before.elapsed()).max(LONGEST);
        }
        if interrupt::came() {
            end(child.id(), mark);
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (2 * pause).min(LONGEST);
    };
    end(child.id(), mark);
    let status = child.wait()?;
    Ok(Some(match early {
        Some(end) => end,
        None if is_full() => End::Full,
        None => End::Status(status),
    }))
}

/// The bytes on disk of all files below these directories.
pub fn bytes(directories: &[&Path]) -> u64 {
    let of = |directory: &&Path| -> u64 {
        let Ok(entries) = fs::read_dir(directory) else {
            return 0;
        };
        let sizes = entries.flatten().map(|entry| {
            let path = entry.path();
            match fs::symlink_metadata(&path) {
                Ok(about) if about.is_dir() => bytes(&[&path]),
                Ok(about) => about.len(),
                Err(_) => 0,
            }
        });
        sizes.sum()
    };
    directories.iter().map(of).sum()
}

/// Ends the leader's group, and all other processes with the mark.
fn end(leader: u32, (name, value): (&str, &OsStr)) {
    interrupt::kill_group(leader);
    let entry = [name.as_bytes(), b"=", value.as_bytes()].concat();
    for _ in 0..ROUNDS {
        if !end_marked(leader, &entry) {
            return;
        }
        thread::sleep(SHORTEST);
    }
}

/// Returns `true` if there were any.
fn end_marked(leader: u32, entry: &[u8]) -> bool {
    let own = std::process::id();
    let mut found = false;
    for pid in processes::all().filter(|pid| ![own, leader].contains(pid)) {
        // The number may go to another process meanwhile; what is opened stays the same one.
        if processes::has_entry(pid, entry)
            && let Some(id) = Pid::from_raw(pid as i32)
            && let Ok(handle) = pidfd_open(id, PidfdFlags::empty())
            && processes::has_entry(pid, entry)
        {
            found |= pidfd_send_signal(handle, Signal::KILL).is_ok();
        }
    }
    found
}
