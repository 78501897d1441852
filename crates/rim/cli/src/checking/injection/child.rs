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

use launcher::interrupt;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, getpid, pidfd_open, pidfd_send_signal, waitid,
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

/// Waits for the leader of a group of processes, and ends what the group has left. `mark` is a variable of the environment and its value,
/// which nobody else has: processes with it are ended too, in whatever group they are. None: the user has asked to end.
pub fn wait(
    mut child: Child,
    mark: (&str, &OsStr),
    limits: &Limits<'_>,
) -> io::Result<Option<End>> {
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
        if let Some((directories, most)) = limits.room
            && looked.elapsed() >= until_look
        {
            let before = Instant::now();
            if bytes(directories) > most {
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
    let full = || {
        limits
            .room
            .is_some_and(|(directories, most)| bytes(directories) > most)
    };
    Ok(Some(match early {
        Some(end) => end,
        None if full() => End::Full,
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
    let Ok(processes) = fs::read_dir("/proc") else {
        return false;
    };
    let mut found = false;
    let own = getpid().as_raw_nonzero().get();
    for process in processes.flatten() {
        let number = process
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok());
        let Some(number) = number.filter(|number: &i32| *number != own && *number != leader as i32)
        else {
            continue;
        };
        let is_marked = || {
            let environment = fs::read(process.path().join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|one| one == entry)
        };
        if !is_marked() {
            continue;
        }
        // The number may have gone to another process meanwhile; what is opened stays the same one.
        if let Some(id) = Pid::from_raw(number)
            && let Ok(handle) = pidfd_open(id, PidfdFlags::empty())
            && is_marked()
        {
            found |= pidfd_send_signal(handle, Signal::KILL).is_ok();
        }
    }
    found
}
