//! When copies by the runtime are enqueued, by whom, and when they run.
//!
//! The application's signals stay on its copies. The runtime is asked to leave times on them (`hsa_amd_profiling_async_copy_enable`). These
//! are read while they are valid: once a copy has ended, and at the latest before its signal is used for something else or destroyed.
//! Functions and packets that do so pass through this library, so no destroyed signal is read.
//!
//! Tools are told where they are told of launches, never in the midst of a copy.

use std::sync::{
    Mutex, OnceLock,
    atomic::{AtomicU64, Ordering},
};

use aql::{Packet, packet_type};
use hsa_sys::{Handle, constants::status, tables};
use session::{AgentId, Copied, Enqueued, Session};

use crate::{api::Api, clock::Clock, lock};

/// Copies whose end is awaited; further ones go untimed.
const MOST: usize = 1000;
/// Offset of the completion signal in packets of all kinds.
const COMPLETION_SIGNAL: usize = 56;

/// Source and destination of a copy; no agent for memory that belongs to none.
#[derive(Clone, Copy)]
pub struct Transfer {
    pub from: Handle,
    pub to: Handle,
    pub bytes: u64,
}

/// All copies of the process.
pub struct Transfers {
    api: &'static Api,
    /// Once there was a copy; `None` if copies cannot be timed.
    clock: OnceLock<Option<Clock>>,
    next: AtomicU64,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    awaited: Vec<Awaited>,
    ended: Vec<Copied>,
}

struct Awaited {
    signal: Handle,
    copied: Copied,
}

/// A copy that is being asked for.
pub struct Begun {
    copied: Copied,
    /// Its signal tells when it has ended.
    awaited: bool,
}

impl Transfers {
    pub fn new(api: &'static Api) -> Transfers {
        Transfers {
            api,
            clock: OnceLock::new(),
            next: AtomicU64::new(0),
            kept: Mutex::default(),
        }
    }

    /// A copy is about to be asked for; what [`Transfers::done`] takes.
    pub fn begin(&self, session: &Session, transfer: &Transfer, signal: Handle) -> Option<Begun> {
        let copied = self.copied(session, transfer)?;
        let load = self.api.core.signal_load_scacquire?;
        let mut kept = lock(&self.kept);
        // The application may use it again: then the copy before this one has ended.
        self.settle(&mut kept, &|awaited| awaited == signal);
        // A signal that counts several things does not tell which of them has ended.
        // SAFETY: the application's signal, which lives until the copy has ended.
        let tells = signal != 0 && unsafe { load(signal) } == 1;
        // Before it is asked for: when it has ended, the signal may be gone.
        let awaited = tells && kept.awaited.len() < MOST;
        if awaited {
            kept.awaited.push(Awaited { signal, copied });
        }
        Some(Begun { copied, awaited })
    }

    /// The copy was asked for, or refused.
    pub fn done(&self, begun: Begun, refused: bool) {
        let Begun { copied, awaited } = begun;
        let mut kept = lock(&self.kept);
        match (awaited, refused) {
            (true, true) => kept
                .awaited
                .retain(|one| one.copied.number != copied.number),
            (false, false) => kept.ended.push(copied),
            // It will be known when it ends, or there is none.
            (true, false) | (false, true) => {}
        }
    }

    /// A copy that has ended when its call returned.
    pub fn waited_for(&self, copied: Copied) {
        let end = self.clock().and_then(Clock::now);
        let time = end.map(|end| (copied.enqueued.nanoseconds, end));
        lock(&self.kept).ended.push(Copied { time, ..copied });
    }

    /// The times of a copy, as far as they are known now.
    pub fn copied(&self, session: &Session, transfer: &Transfer) -> Option<Copied> {
        let enqueued: Enqueued = self.clock()?.enqueued()?;
        Some(Copied {
            number: self.next.fetch_add(1, Ordering::Relaxed),
            bytes: transfer.bytes,
            from: session.device_number(AgentId(transfer.from)),
            to: session.device_number(AgentId(transfer.to)),
            enqueued,
            time: None,
        })
    }

    /// A signal is about to be destroyed.
    pub fn destroyed(&self, signal: Handle) {
        self.settle(&mut lock(&self.kept), &|awaited| awaited == signal);
    }

    /// Packets are about to use their signals.
    pub fn used(&self, packets: &[Packet]) {
        let mut kept = lock(&self.kept);
        if kept.awaited.is_empty() {
            return;
        }
        for packet in packets {
            if packet.kind() != packet_type::INVALID {
                // SAFETY: packets are 64 plain bytes, and those of all kinds have a signal or 0 there.
                let signal = unsafe {
                    let first = std::ptr::from_ref(packet).cast::<u8>();
                    first.add(COMPLETION_SIGNAL).cast::<Handle>().read()
                };
                self.settle(&mut kept, &|awaited| awaited == signal);
            }
        }
    }

    /// Tells the session about copies that have ended.
    pub fn harvest(&self, session: &Session) {
        let ended = {
            let mut kept = lock(&self.kept);
            if let Some(load) = self.api.core.signal_load_scacquire {
                // SAFETY: signals of the application that it has not destroyed: that would have settled them.
                self.settle(&mut kept, &|signal| unsafe { load(signal) } <= 0);
            }
            std::mem::take(&mut kept.ended)
        };
        ended.iter().for_each(|copied| session.copied(copied));
    }

    /// The same for all, whether they have ended or not.
    pub fn finish(&self, session: &Session) {
        self.harvest(session);
        let rest = std::mem::take(&mut lock(&self.kept).awaited);
        rest.iter().for_each(|one| session.copied(&one.copied));
    }

    /// Returns `true` if times are wanted on copies: the application must not turn them off.
    pub fn is_timing(&self) -> bool {
        matches!(self.clock.get(), Some(Some(_)))
    }

    /// Reads the times of those copies that have ended, by their signals.
    fn settle(&self, kept: &mut Kept, ended: &dyn Fn(Handle) -> bool) {
        let Kept {
            awaited,
            ended: known,
        } = kept;
        let settled = awaited.extract_if(.., |one| ended(one.signal));
        known.extend(settled.map(|one| Copied {
            time: self.time(&one),
            ..one.copied
        }));
    }

    fn time(&self, one: &Awaited) -> Option<(u64, u64)> {
        let mut times = tables::Times::default();
        // SAFETY: a signal that still lives.
        let read =
            unsafe { self.api.amd.profiling_get_async_copy_time?(one.signal, &raw mut times) };
        let clock = self.clock().filter(|_| read == status::SUCCESS)?;
        let (start, end) = (clock.nanoseconds(times.start), clock.nanoseconds(times.end));
        // Not those of what the signal was used for before, which a copy that failed leaves there.
        (start <= end && end >= one.copied.enqueued.nanoseconds).then_some((start, end))
    }

    fn clock(&self) -> Option<&Clock> {
        let clock = self.clock.get_or_init(|| {
            let clock = Clock::new(self.api)?;
            // SAFETY: the runtime runs, because a thread is making a copy.
            let enabled = unsafe { self.api.amd.profiling_async_copy_enable?(true) };
            (enabled == status::SUCCESS).then_some(clock)
        });
        clock.as_ref()
    }
}
