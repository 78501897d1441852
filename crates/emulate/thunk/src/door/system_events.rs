//! Events of system management: what happens on a device, as lines of text that a program reads from a descriptor. The program writes a mask
//! of the kinds that it wants.
//!
//! The descriptor is one end of a pair of sockets. A mask that was written waits in the pair until an event looks for it, so no thread has to.
//! The emulator's end lies in the program's table, and a program may close what it does not know: the file is compared before it is used.
//!
//! Faults and prefetches are told. The device never grows hot, is never reset, evicts no queue and serves no page faults.

use std::sync::{Mutex, PoisonError};

use gpu::events::MemoryFault;
use kmt_sys::kfd::{self, system_event as event};

use super::{Result, arguments::Arguments, exchange::identity_of, gpu, refuse};
use crate::instance::Instance;

/// The emulator's end of a pair.
struct Listener {
    node: u32,
    socket: i32,
    /// The socket's file.
    identity: (u64, u64),
    /// The mask that was written last.
    wanted: u64,
}

/// The listeners of a process.
#[derive(Default)]
pub struct Listeners(Mutex<Vec<Listener>>);

impl Listener {
    /// Takes over the last mask that was written.
    fn listen(&mut self) {
        let mut mask = [0; 8];
        loop {
            // SAFETY: room for as many bytes. The call neither waits nor touches anything else.
            let length = unsafe {
                libc::recv(
                    self.socket,
                    mask.as_mut_ptr().cast(),
                    mask.len(),
                    libc::MSG_DONTWAIT,
                )
            };
            if length != mask.len() as isize {
                return;
            }
            self.wanted = u64::from_ne_bytes(mask);
        }
    }

    /// Sends a line. False if the program has closed its end. If the program does not read for long, later lines are lost, as in the driver.
    fn tell(&self, line: &str) -> bool {
        let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
        // SAFETY: the text is readable for its length, and the call does not wait.
        let sent = unsafe { libc::send(self.socket, line.as_ptr().cast(), line.len(), flags) };
        let error = std::io::Error::last_os_error();
        sent >= 0 || error.kind() == std::io::ErrorKind::WouldBlock
    }
}

impl Listeners {
    /// Sends a line to all who listen to the node and want events of that kind.
    fn post(&self, node: u32, kind: u32, line: impl FnOnce() -> String) {
        let mut listeners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if listeners.is_empty() {
            return;
        }
        let line = format!("{kind:x} {}\n", line());
        listeners.retain_mut(|listener| {
            if identity_of(listener.socket) != Ok(listener.identity) {
                // The program has closed it, and the number may be a file of its own.
                return false;
            }
            listener.listen();
            let wants = listener.wanted >> (kind - 1) & 1 == 1;
            if listener.node != node || !wants || listener.tell(&line) {
                return true;
            }
            // SAFETY: the file is the one that `open` made, and the program has closed its other end.
            unsafe { libc::close(listener.socket) };
            false
        });
    }

    /// A device has accessed memory that it may not.
    pub fn fault(&self, fault: &MemoryFault) {
        self.post(fault.node, event::VM_FAULT, || {
            let name = std::fs::read_to_string("/proc/self/comm").unwrap_or_default();
            format!("{:x}:{}", std::process::id(), name.trim_end())
        });
    }

    /// A program has moved shared memory.
    pub fn moved(&self, planned: Option<Move>) {
        const PAGE: u64 = 4096;
        const PREFETCH: u32 = 0;
        const NO_ERROR: u32 = 0;
        let Some(it) = planned else { return };
        let head = || {
            let (process, page, pages) = (std::process::id(), it.start / PAGE, it.size / PAGE);
            let (from, to) = (it.from, it.to);
            format!(
                "{} -{process} @{page:x}({pages:x}) {from:x}->{to:x}",
                since_boot()
            )
        };
        self.post(it.node, event::MIGRATE_START, || {
            format!("{} {:x}:{:x} {PREFETCH}", head(), it.to, it.preferred)
        });
        self.post(it.node, event::MIGRATE_END, || {
            format!("{} {PREFETCH} {NO_ERROR}", head())
        });
    }
}

/// Nanoseconds.
fn since_boot() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call fills in the structure.
    unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

pub fn open(instance: &Instance, arguments: Arguments) -> Result {
    /// Out of the way of the program's own numbers.
    const LOWEST: i32 = 500;
    let mut value: kfd::SystemEvents = arguments.get()?;
    let (node, _) = gpu(instance, value.gpu_id)?;
    let mut ends = [-1; 2];
    let kind = libc::SOCK_STREAM | libc::SOCK_NONBLOCK;
    // SAFETY: room for two numbers.
    if unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) } != 0 {
        return refuse(libc::EMFILE);
    }
    let [theirs, ours] = ends;
    // SAFETY: the call above made both, and no other code knows the second one.
    let socket = unsafe {
        let moved = libc::fcntl(ours, libc::F_DUPFD_CLOEXEC, LOWEST);
        if moved >= 0 {
            libc::close(ours);
            moved
        } else {
            libc::fcntl(ours, libc::F_SETFD, libc::FD_CLOEXEC);
            ours
        }
    };
    let listener = Listener {
        node,
        socket,
        identity: identity_of(socket)?,
        wanted: 0,
    };
    let listeners = &instance.system_events;
    let mut all = listeners.0.lock().unwrap_or_else(PoisonError::into_inner);
    all.push(listener);
    value.descriptor = theirs as u32;
    arguments.put(value)
}

/// Shared memory that goes to another place. Locations are as the driver numbers them, and 0 is the host.
pub struct Move {
    /// The device that the memory comes to, or from.
    node: u32,
    start: u64,
    size: u64,
    from: u32,
    to: u32,
    preferred: u32,
}

/// Finds what will move when the driver sets these attributes.
pub fn planned(
    instance: &Instance,
    (start, size): (u64, u64),
    attributes: &[(u32, u32)],
) -> Option<Move> {
    const PREFERRED: u32 = 0;
    const PREFETCHED: u32 = 1;
    const UNDEFINED: u32 = u32::MAX;
    const HOST: u32 = 0;
    let last = |kind: u32| attributes.iter().rev().find(|row| row.0 == kind);
    let &(_, to) = last(PREFETCHED).filter(|row| row.1 != UNDEFINED)?;
    let mut now = [(PREFETCHED, 0), (PREFERRED, 0)];
    let memory = instance.machine.memory();
    memory.attributes(start, size, &mut now).ok()?;
    let [(_, from), (_, preferred)] = now;
    // Memory that was never moved is the host's.
    let from = if from == UNDEFINED { HOST } else { from };
    if from == to {
        return None;
    }
    let (node, _) = gpu(instance, if to == HOST { from } else { to }).ok()?;
    Some(Move {
        node,
        start,
        size,
        from,
        to,
        preferred: last(PREFERRED).map_or(preferred, |row| row.1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_whose_number_became_another_file_is_left_alone() {
        let file = std::fs::File::open("/dev/null").unwrap();
        let socket = std::os::fd::AsRawFd::as_raw_fd(&file);
        let listeners = Listeners::default();
        listeners.0.lock().unwrap().push(Listener {
            node: 1,
            socket,
            identity: (1, 1),
            wanted: u64::MAX,
        });
        listeners.post(1, event::VM_FAULT, || "text".to_owned());
        assert!(listeners.0.lock().unwrap().is_empty());
        assert!(file.metadata().is_ok());
    }
}
