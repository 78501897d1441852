//! Measures when launches are enqueued, by which thread, and when they run. Its own signals take the place of the application's, and the
//! device leaves times on them.
//!
//! If a launch has a completion signal already, a barrier packet follows it, which waits for this module's signal and completes the
//! application's. Launches of one queue therefore do not overlap, and times that the application reads from its own signal are those of the
//! barrier.

use std::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering},
};

use aql::{BarrierPacket, KernelDispatchPacket, Packet, Queue, packet_type};
use hsa_sys::{Handle, constants::status, tables};
use session::{Enqueued, Session};

use crate::{api::Api, clock::Clock, lock};

/// Launches whose end is awaited; further ones go untimed. Signals are a scarce resource of the driver.
const MOST: usize = 1000;

/// The times of one queue.
pub struct Times {
    api: &'static Api,
    agent: Handle,
    clock: Clock,
    signals: Mutex<Signals>,
    untimed: AtomicU64,
}

#[derive(Default)]
struct Signals {
    /// In the order of their launches.
    awaited: Vec<Used>,
    /// Their launches have ended, but a barrier packet may still wait for them to be at 0.
    resting: Vec<Used>,
    free: Vec<Handle>,
}

struct Used {
    launch: u64,
    signal: Handle,
    followed: bool,
}

impl Times {
    /// Makes the device leave times on signals; `None` if the runtime cannot.
    ///
    /// # Safety
    /// `queue` must be a living queue of `agent`.
    pub unsafe fn enable(api: &'static Api, agent: Handle, queue: *mut Queue) -> Option<Times> {
        let enable = api.amd.profiling_set_profiler_enabled?;
        let clock = Clock::new(api)?;
        // SAFETY: the queue lives by the caller's promise.
        let enabled = unsafe { enable(queue, 1) };
        (enabled == status::SUCCESS).then(|| Times {
            api,
            agent,
            clock,
            signals: Mutex::default(),
            untimed: AtomicU64::new(0),
        })
    }

    /// The calling thread and the time, as who puts a launch into its queue now.
    pub fn enqueued(&self) -> Option<Enqueued> {
        self.clock.enqueued()
    }

    /// Puts a signal of this module on a launch. Returns the packet that has to follow the launch, if any.
    pub fn attach(
        &self,
        launch: u64,
        dispatch: &mut KernelDispatchPacket,
        signal: impl FnOnce() -> Option<Handle>,
    ) -> Option<Packet> {
        let mut signals = lock(&self.signals);
        let room = signals.awaited.len() + signals.resting.len() < MOST;
        let made = room.then(|| signals.free.pop().or_else(signal)).flatten();
        let (Some(signal), Some(store)) = (made, self.api.core.signal_store_screlease) else {
            self.untimed.fetch_add(1, Ordering::Relaxed);
            return None;
        };
        // SAFETY: this module made the signal and keeps it, and no thread waits for it.
        unsafe { store(signal, 1) };
        let theirs = std::mem::replace(&mut dispatch.completion_signal, signal);
        signals.awaited.push(Used {
            launch,
            signal,
            followed: theirs != 0,
        });
        if theirs == 0 {
            return None;
        }
        let mut follower = BarrierPacket {
            header: u16::from(packet_type::BARRIER_AND),
            completion_signal: theirs,
            ..BarrierPacket::default()
        };
        follower.dep_signal[0] = signal;
        // SAFETY: both are 64 plain bytes.
        Some(unsafe { std::mem::transmute::<BarrierPacket, Packet>(follower) })
    }

    /// Tells the session about launches that have ended.
    pub fn harvest(&self, session: &Session) {
        let (Some(load), Some(read)) = (
            self.api.core.signal_load_scacquire,
            self.api.amd.profiling_get_dispatch_time,
        ) else {
            return;
        };
        let mut signals = lock(&self.signals);
        let Signals {
            awaited,
            resting,
            free,
        } = &mut *signals;
        let mut last = 0;
        // SAFETY: this module made the signals and keeps them. Once one is at 0, the device does not write to it any more.
        for used in awaited.extract_if(.., |used| unsafe { load(used.signal) <= 0 }) {
            let mut times = tables::Times::default();
            // SAFETY: this module made the signal and keeps it, and the device has written its times.
            if unsafe { read(self.agent, used.signal, &raw mut times) } == status::SUCCESS {
                let (start, end) = (
                    self.clock.nanoseconds(times.start),
                    self.clock.nanoseconds(times.end),
                );
                session.ended(used.launch, start, end);
            }
            last = last.max(used.launch);
            match used.followed {
                true => resting.push(used),
                false => free.push(used.signal),
            }
        }
        // No launch ends before the barrier packets in front of it have been passed.
        let passed = resting.extract_if(.., |used| used.launch < last);
        free.extend(passed.map(|used| used.signal));
    }

    /// Launches that went untimed.
    pub fn untimed(&self) -> u64 {
        self.untimed.load(Ordering::Relaxed)
    }

    /// All signals of this module. Called when the queue is gone.
    pub fn signals(&self) -> Vec<Handle> {
        let signals = std::mem::take(&mut *lock(&self.signals));
        let used = signals.awaited.into_iter().chain(signals.resting);
        used.map(|used| used.signal).chain(signals.free).collect()
    }
}
