//! Finds accesses to global memory that nothing puts in order, by waves of one launch or of two launches.
//!
//! A store is *performed* at a scope when it went, or was written back, as far as that scope, and its wave has waited for it. A load is
//! *fresh* at a scope when it passes over the caches that are nearer, or when these were invalidated since. A wave knows what another one
//! did before it wrote a word, once it has read the word, at the scope that both need, and has waited for the value.
//!
//! A copy by an engine of the device is a launch of one wave, which has no instructions.
//!
//! Entry type: [`GlobalRaces`], a [`compute::Follower`]. The device must run its waves on one host thread.
#![forbid(unsafe_code)]

mod accesses;
mod bytes;
mod cell;
mod cells;
mod clock;
mod copies;
mod lines;
mod look;
mod plan;
mod progress;
#[cfg(test)]
mod random;
mod records;
mod repeats;
mod report;
mod scope;
mod state;
mod workgroup;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use compute::{Beginning, Follower, Numbered, Planner};
use isa::Inst;
use wave::{Config, Shadow};

use plan::Plan;
pub use report::{Access, Copied, Copy, Found, Missing, Other, Side, Sink};
use state::State;
use workgroup::OfWorkgroup;

/// The parts of the judgement, which tests switch off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// A store has to be performed before it is known.
    pub performed: bool,
    /// A load has to be fresh to see what is known.
    pub fresh: bool,
    /// Words that all access at the scope that they need do not race.
    pub synchronising: bool,
    /// A load that the wave's compare-and-swap of the same word makes up for does not race with atomics.
    pub deciding: bool,
    /// A write of a word, whose last value its wave or a wave before has looked at, does not race with the write of that value.
    pub looks: bool,
    /// Barriers of the whole device put waves in order.
    pub meetings: bool,
    /// Lines that were loaded between the invalidation and a barrier of the device say nothing of other lines.
    pub lines: bool,
    /// Launches race that nothing puts in order.
    pub launches: bool,
    /// Copies by engines of the device are launches.
    pub copies: bool,
    /// The host may pass on to waves that copies have ended, and to copies what waves have done.
    pub host: bool,
    /// Accesses of the functions by which kernels allocate memory do not race.
    pub heap: bool,
    /// Dwords that are accessed alike are looked at together. It finds nothing else than a look at one after the other, and takes less time.
    pub together: bool,
    /// The number of cells of dwords at which those are given up that no dword has any more.
    pub cells: usize,
}

/// Reads memory from an address on; false if it is not mapped.
pub type Read = Box<dyn Fn(u64, &mut [u8]) -> bool + Send + Sync>;

/// Returns `true` if an address lies in memory of the host.
pub type IsHost = Box<dyn Fn(u64) -> bool + Send + Sync>;

/// Watches the accesses to global memory of all kernels of a device.
pub struct GlobalRaces {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub rules: Rules,
    pub read: Read,
    pub is_host: IsHost,
    pub sink: Arc<dyn Sink>,
    pub state: Mutex<State>,
    pub plans: Numbered<Arc<Plan>>,
}

impl GlobalRaces {
    /// `sink` is told of races in the memory that `read` reads.
    pub fn new(read: Read, is_host: IsHost, sink: Arc<dyn Sink>) -> GlobalRaces {
        let all = Rules {
            performed: true,
            fresh: true,
            synchronising: true,
            deciding: true,
            looks: true,
            meetings: true,
            lines: true,
            launches: true,
            copies: true,
            host: true,
            heap: true,
            together: true,
            cells: cells::FEW,
        };
        GlobalRaces::by_rules(read, is_host, sink, all)
    }

    /// The same with some rules only.
    pub fn by_rules(read: Read, is_host: IsHost, sink: Arc<dyn Sink>, rules: Rules) -> GlobalRaces {
        GlobalRaces {
            shared: Arc::new(Shared {
                state: Mutex::new(State::of(rules.cells)),
                rules,
                read,
                is_host,
                sink,
                plans: Numbered::default(),
            }),
        }
    }
}

impl GlobalRaces {
    /// A kernel has allocated these bytes: what was accessed there before was other memory. Its functions, which pass memory from wave to
    /// wave, put both in order.
    pub fn allocated(&self, address: u64, size: u64) {
        if self.shared.rules.heap {
            lock(&self.shared.state).anew(address, size);
        }
    }
}

impl Follower for GlobalRaces {
    fn begin(&self, beginning: &Beginning<'_>) -> Box<dyn Shadow> {
        Box::new(OfWorkgroup::new(self.shared.clone(), beginning))
    }

    fn planner(&self) -> Arc<dyn Planner> {
        self.shared.clone()
    }
}

impl Planner for Shared {
    fn plan(&self, config: &Config, inst: &Inst) -> Option<u32> {
        Some(self.plans.add(Arc::new(Plan::of(config, inst)?)))
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
