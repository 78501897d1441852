//! One kernel of a loaded object: what it is, how often it ran, what became of it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Condvar, Mutex, OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use crate::{
    Agent, Fit, Loaded, Refusal, Report, Variant,
    fit::Unfit,
    lock,
    objects::{Object, Original},
};

/// The result of instrumenting a kernel.
#[derive(Debug)]
pub(crate) enum Outcome {
    Ready(Box<Ready>),
    Refused(Refusal),
}

/// A variant on its device.
#[derive(Debug)]
pub(crate) struct Ready {
    pub loaded: Loaded,
    pub private_segment_size: u32,
    pub group_segment_size: u32,
    pub fit: Fit,
    pub report: Report,
    pub from_cache: bool,
    /// The variant as the tool is told of it when the first launch comes, if the variant was loaded ahead of that.
    pub ahead: Mutex<Option<Box<Variant>>>,
}

#[derive(Debug)]
pub(crate) struct Kernel {
    pub original: Original,
    /// The name as a programmer writes it.
    pub pretty: String,
    pub object: Arc<Object>,
    pub agent: Arc<Agent>,
    pub selected: bool,
    pub launches: AtomicU64,
    pub instrumented: AtomicU64,
    /// Nanoseconds from the first launch's question to the answer.
    pub build_time: AtomicU64,
    outcome: OnceLock<Outcome>,
    building: Mutex<bool>,
    built: Condvar,
    /// A launch has waited in vain; the others do not try.
    late: AtomicBool,
    /// Launches that the variant did not fit, by why not, with the words for the first of them.
    unfit: Mutex<BTreeMap<Unfit, (u64, String)>>,
    /// Queues that ran the variant.
    queues: Mutex<BTreeSet<u64>>,
    last_queue: AtomicU64,
    address: u64,
    /// The number of this variant, see [`crate::Instrumenter::choose`].
    pub choice: u64,
    /// For which launches this variant is, see [`crate::Request::stack_size`].
    pub stack_size: Option<u32>,
    /// The number of the kernel's next launch, whatever that runs.
    pub ordinal: AtomicU64,
    /// Further variants of the kernel, by choice and stack; empty for all but variant 0.
    variants: Mutex<BTreeMap<VariantKey, Arc<Kernel>>>,
}

/// Choice and stack, see [`Kernel::choice`] and [`Kernel::stack_size`].
type VariantKey = (u64, Option<u32>);

/// Variants of a kernel that differ in their launches' stack alone: programs change its size seldom.
const STACK_SIZES: usize = 16;

impl Kernel {
    /// `address` is that of its descriptor on the device.
    pub fn new(
        address: u64,
        object: Arc<Object>,
        agent: Arc<Agent>,
        original: Original,
        selected: bool,
    ) -> Kernel {
        let outcome = OnceLock::new();
        if let Some(result) = object.built_in(&original.name) {
            let _ = outcome.set(match result {
                Ok(report) => Outcome::Ready(Box::new(Ready {
                    loaded: Loaded {
                        executable: object.loaded.executable,
                        kernel_object: address,
                    },
                    private_segment_size: original.private_segment_size,
                    group_segment_size: original.group_segment_size,
                    fit: Fit::default(),
                    report: report.clone(),
                    from_cache: false,
                    ahead: Mutex::default(),
                })),
                Err(reason) => Outcome::Refused(Refusal::BuiltIn(reason.clone())),
            });
        }
        Kernel {
            pretty: demangle::readable(&original.name),
            original,
            object,
            agent,
            selected,
            launches: AtomicU64::new(0),
            instrumented: AtomicU64::new(0),
            build_time: AtomicU64::new(0),
            outcome,
            building: Mutex::new(false),
            built: Condvar::new(),
            late: AtomicBool::new(false),
            unfit: Mutex::default(),
            queues: Mutex::new(BTreeSet::new()),
            last_queue: AtomicU64::new(0),
            address,
            choice: 0,
            stack_size: None,
            ordinal: AtomicU64::new(0),
            variants: Mutex::default(),
        }
    }

    /// The variant of this choice; launches and outcomes are counted for each.
    pub fn variant(self: &Arc<Self>, choice: u64) -> Arc<Kernel> {
        if choice == self.choice {
            return Arc::clone(self);
        }
        let mut variants = lock(&self.variants);
        let made = variants.entry((choice, None));
        Arc::clone(made.or_insert_with(|| Arc::new(self.other(choice, None))))
    }

    /// The variant of this choice for launches that give each lane so many bytes of scratch; `None` if there are too many by now.
    pub fn variant_with_stack(self: &Arc<Self>, choice: u64, size: u32) -> Option<Arc<Kernel>> {
        let mut variants = lock(&self.variants);
        let key = (choice, Some(size.next_multiple_of(4)));
        let sizes = variants.range((choice, Some(0))..=(choice, Some(u32::MAX)));
        if sizes.count() >= STACK_SIZES && !variants.contains_key(&key) {
            return None;
        }
        let made = variants.entry(key);
        let made = made.or_insert_with(|| Arc::new(self.other(choice, key.1)));
        Some(Arc::clone(made))
    }

    fn other(&self, choice: u64, stack_size: Option<u32>) -> Kernel {
        let (object, agent) = (Arc::clone(&self.object), Arc::clone(&self.agent));
        let original = self.original.clone();
        let mut kernel = Kernel::new(self.address, object, agent, original, self.selected);
        (kernel.choice, kernel.stack_size) = (choice, stack_size);
        if choice != 0 {
            kernel.pretty = format!("{} [variant {choice}]", self.pretty);
        }
        kernel
    }

    /// All variants that were asked for, variant 0 first.
    pub fn variants(self: &Arc<Self>) -> Vec<Arc<Kernel>> {
        let further = lock(&self.variants);
        std::iter::once(Arc::clone(self))
            .chain(further.values().cloned())
            .collect()
    }

    /// Returns `true` if the application's own code object has the tool in it.
    pub fn is_built_in(&self) -> bool {
        matches!(self.object.built_in(&self.original.name), Some(Ok(_)))
    }

    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.get()
    }

    /// The outcome, once `start` has made a thread call [`Kernel::finish`]; `None` if that takes longer than `limit`.
    pub fn wait(&self, limit: Duration, start: impl FnOnce()) -> Option<&Outcome> {
        if self.outcome.get().is_none() && !self.late.load(Ordering::Relaxed) {
            let first = !std::mem::replace(&mut *lock(&self.building), true);
            if first {
                start();
            }
            let waiting = self
                .built
                .wait_timeout_while(lock(&self.building), limit, |_| {
                    self.outcome.get().is_none()
                });
            drop(waiting);
            if self.outcome.get().is_none() {
                self.late.store(true, Ordering::Relaxed);
            }
        }
        self.outcome.get()
    }

    /// Makes the caller the one that calls [`Kernel::finish`]; false if another thread does or did so.
    pub fn claim(&self) -> bool {
        self.outcome.get().is_none() && !std::mem::replace(&mut *lock(&self.building), true)
    }

    /// Returns `true` if a launch had to go out before the variant was there.
    pub fn was_late(&self) -> bool {
        self.late.load(Ordering::Relaxed)
    }

    pub fn finish(&self, outcome: Outcome) {
        let _building = lock(&self.building);
        let _ = self.outcome.set(outcome);
        self.built.notify_all();
    }

    /// Notes that a launch ran the original because the variant did not fit it.
    pub fn did_not_fit(&self, unfit: Unfit, reason: String) {
        let mut launches = lock(&self.unfit);
        launches.entry(unfit).or_insert((0, reason)).0 += 1;
    }

    /// How many launches the variant did not fit, and why.
    pub fn unfit_launches(&self) -> Vec<(u64, String)> {
        lock(&self.unfit).values().cloned().collect()
    }

    /// Remembers that `queue` runs the variant.
    pub fn ran_on(&self, queue: u64) {
        if self.last_queue.swap(queue, Ordering::Relaxed) != queue {
            lock(&self.queues).insert(queue);
        }
    }

    pub fn queues(&self) -> Vec<u64> {
        lock(&self.queues).iter().copied().collect()
    }
}
