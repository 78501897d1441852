//! Changes one value of one wave while a program runs, and counts the places where that could be done.
//!
//! A *place* is one execution of an instruction in one lane, or in one wave if the instruction has one result for all lanes. A first run
//! counts the places of every wave; a campaign draws one of them for each further run.
//!
//! Entry type: [`Injector`], a [`compute::Follower`]. Waves have to execute alike in every run, so the device must run them on one
//! host thread.
#![forbid(unsafe_code)]

mod draw;
mod flip;
mod record;
mod sites;
mod spec;
mod workgroup;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use compute::{Beginning, Follower, Numbered, Planner};
use gpu::Dispatch;
use isa::{Effects, Inst};
use wave::{Config, Shadow};

pub use draw::Draws;
pub use flip::Struck;
pub use record::{InLaunch, Launch, Line, Turn};
use sites::Plan;
pub use spec::{BadSpec, Model, Place, Spec};
use workgroup::OfWorkgroup;

/// Is told what happens, by any thread.
pub trait Sink: Send + Sync {
    fn tell(&self, line: Line);
    /// File and line of the instruction at this address, if they are known.
    fn source(&self, pc: u64) -> Option<String>;
    /// More instructions were executed than the budget has: the process is to end.
    fn exhausted(&self);
}

/// The one change of a run.
#[derive(Clone, Debug)]
pub struct Target {
    /// The kernel's symbol, and the launch among those of this kernel.
    pub kernel: String,
    pub turn: Turn,
    pub place: InLaunch,
    /// Decides which register of several, and which bits.
    pub seed: u64,
}

/// Counts places, or makes the change.
pub struct Injector {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    spec: Spec,
    /// None: places are counted.
    target: Option<Target>,
    /// Most instructions of the process.
    budget: u64,
    executed: AtomicU64,
    sink: Arc<dyn Sink>,
    plans: Numbered<Arc<Plan>>,
    launches: Mutex<Launches>,
}

#[derive(Default)]
struct Launches {
    /// Launches so far, by kernel, node and queue.
    numbers: BTreeMap<(String, u32, u64), u64>,
    /// Launches that have not ended.
    open: Vec<Open>,
    missed: BTreeSet<&'static str>,
}

struct Open {
    dispatch: Arc<Dispatch>,
    launch: Launch,
    /// The counts of the waves of workgroups that have ended, by linear workgroup.
    counts: BTreeMap<u64, Vec<u64>>,
}

impl Injector {
    /// `budget`: most instructions of all kernels of the process; `target`: the change, or none to count.
    pub fn new(spec: Spec, target: Option<Target>, budget: u64, sink: Arc<dyn Sink>) -> Injector {
        Injector {
            shared: Arc::new(Shared {
                spec,
                target,
                budget,
                executed: AtomicU64::new(0),
                sink,
                plans: Numbered::default(),
                launches: Mutex::default(),
            }),
        }
    }

    /// A kernel is about to be launched.
    pub fn launched(&self, dispatch: &Arc<Dispatch>) {
        let mut launches = self.shared.launches();
        let kernel = dispatch.name.clone().unwrap_or_else(|| dispatch.label());
        let (node, queue) = (dispatch.origin.node, dispatch.origin.queue_id);
        let of_queue = (kernel.clone(), node, queue);
        let next = launches.numbers.entry(of_queue).or_default();
        let number = *next;
        *next += 1;
        launches.open.push(Open {
            dispatch: dispatch.clone(),
            launch: Launch {
                kernel,
                turn: Turn {
                    node,
                    queue,
                    number,
                },
                grid: dispatch.packet.grid_size,
                waves: dispatch.waves([0; 3]),
                ..Launch::default()
            },
            counts: BTreeMap::new(),
        });
    }

    /// A launch has ended.
    pub fn ended(&self, dispatch: &Arc<Dispatch>) {
        let mut launches = self.shared.launches();
        let at = launches
            .open
            .iter()
            .position(|open| Arc::ptr_eq(&open.dispatch, dispatch));
        let Some(at) = at else { return };
        let mut open = launches.open.swap_remove(at);
        drop(launches);
        if self.shared.target.is_some() {
            return;
        }
        for counts in open.counts.into_values() {
            for wave in 0..open.launch.waves as usize {
                open.launch.push(counts.get(wave).copied().unwrap_or(0));
            }
        }
        self.shared.sink.tell(Line::Launch(open.launch));
    }
}

impl Follower for Injector {
    fn begin(&self, beginning: &Beginning<'_>) -> Box<dyn Shadow> {
        let shared = self.shared.clone();
        let target = shared.target_in(beginning);
        Box::new(OfWorkgroup::new(shared, beginning, target))
    }

    fn planner(&self) -> Arc<dyn Planner> {
        self.shared.clone()
    }
}

impl Planner for Shared {
    fn plan(&self, config: &Config, inst: &Inst) -> Option<u32> {
        if sites::is_missed(config, inst, &self.spec)
            && self.launches().missed.insert(inst.op.name())
        {
            self.sink.tell(Line::Missed(inst.op.name().to_owned()));
        }
        // Nothing changes while a wave waits, and the engine leaves waits out that no follower looks at.
        let waits = inst.effects.intersects(Effects::WAIT);
        (!waits).then(|| self.plans.add(Arc::new(Plan::of(config, inst, &self.spec))))
    }
}

impl Shared {
    fn launches(&self) -> MutexGuard<'_, Launches> {
        self.launches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The place that is to be changed, if it is in this workgroup.
    fn target_in(&self, beginning: &Beginning<'_>) -> Option<Target> {
        let target = self.target.as_ref()?;
        if target.place.workgroup != linear(beginning) {
            return None;
        }
        let launches = self.launches();
        let mut open = launches.open.iter();
        let open = open.find(|open| Arc::ptr_eq(&open.dispatch, beginning.dispatch))?;
        let is_it = open.launch.kernel == target.kernel && open.launch.turn == target.turn;
        is_it.then(|| target.clone())
    }

    /// Instructions were executed.
    fn spend(&self, executed: u64) {
        let before = self.executed.fetch_add(executed, Ordering::Relaxed);
        if before <= self.budget && before + executed > self.budget {
            self.sink.tell(Line::Exhausted);
            self.sink.exhausted();
        }
    }

    /// The waves of a workgroup have ended, or will not go on.
    fn counted(&self, dispatch: &Arc<Dispatch>, workgroup: u64, executed: u64, counts: Vec<u64>) {
        let mut launches = self.launches();
        let mut open = launches.open.iter_mut();
        if let Some(open) = open.find(|open| Arc::ptr_eq(&open.dispatch, dispatch)) {
            open.launch.executed += executed;
            open.counts.insert(workgroup, counts);
        }
    }
}

/// The number of a workgroup in its dispatch.
fn linear(beginning: &Beginning<'_>) -> u64 {
    let [x, y, z] = beginning.workgroup.map(u64::from);
    let [across, down, _] = beginning.dispatch.workgroups.map(u64::from);
    x + across * (y + down * z)
}
