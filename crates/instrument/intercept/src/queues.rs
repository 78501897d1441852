//! All queues: every one is made an intercept queue of the runtime, with our handler.

use std::{
    collections::HashMap,
    ffi::c_void,
    mem, ptr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use aql::Queue;
use hsa_sys::{
    Handle, Status,
    constants::{self, status},
    tables::QueueError,
};

use crate::{
    api::{self, Api},
    intercepted::{Intercepted, handle},
    lock,
    queue_errors::Errors,
    state,
    times::Times,
};

/// The device's one queue for cooperative launches. The runtime hands out the same to all callers, and what one that is wrapped
/// is wrapped in must not be destroyed.
struct Shared {
    queue: *mut Queue,
    users: usize,
}

// SAFETY: the pointer is only handed out and compared.
unsafe impl Send for Shared {}

/// All intercepted queues.
pub struct Queues {
    pub(crate) api: &'static Api,
    owns_queue_create: bool,
    next: AtomicU64,
    pub(crate) next_ticket: AtomicU64,
    /// By address.
    pub(crate) known: Mutex<HashMap<usize, Arc<Intercepted>>>,
    /// By agent.
    shared: Mutex<HashMap<Handle, Shared>>,
}

impl Queues {
    pub fn new(api: &'static Api) -> Queues {
        Queues {
            api,
            owns_queue_create: api::owns_queue_create(api),
            next: AtomicU64::new(1),
            next_ticket: AtomicU64::new(1),
            known: Mutex::default(),
            shared: Mutex::default(),
        }
    }

    /// Makes an intercept queue in place of a plain one.
    ///
    /// # Safety
    /// The arguments must be those of an `hsa_queue_create` call.
    #[expect(
        clippy::too_many_arguments,
        reason = "as many as the function it replaces has"
    )]
    pub unsafe fn create(
        &self,
        agent: Handle,
        size: u32,
        kind: u32,
        callback: Option<QueueError>,
        data: *mut c_void,
        private: u32,
        group: u32,
        queue: *mut *mut Queue,
    ) -> Status {
        let (Some(plain), Some(intercept), Some(destroy)) = (
            self.api.core.queue_create,
            self.api.amd.queue_intercept_create,
            self.api.core.queue_destroy,
        ) else {
            return status::NOT_INITIALIZED;
        };
        // SAFETY: forwarding the caller's arguments; results are used only after success.
        unsafe {
            let mut shared = None;
            if kind == constants::QUEUE_TYPE_COOPERATIVE && !queue.is_null() {
                let known = shared.insert(lock(&self.shared));
                if let Some(cooperative) = known.get_mut(&agent) {
                    cooperative.users += 1;
                    *queue = cooperative.queue;
                    return status::SUCCESS;
                }
            }
            let (errors, callback, data) = Errors::route(callback, data);
            let make = |function: hsa_sys::tables::QueueCreate| {
                function(agent, size, kind, callback, data, private, group, queue)
            };
            if self.owns_queue_create {
                let status = make(intercept);
                if status != status::SUCCESS {
                    return status;
                }
                self.adopt(agent, *queue, errors);
            } else {
                // Another tool makes queues too. If it makes intercept queues, we join in.
                let status = make(plain);
                if status != status::SUCCESS {
                    return status;
                }
                if !self.adopt(agent, *queue, Arc::clone(&errors))
                    && kind != constants::QUEUE_TYPE_COOPERATIVE
                {
                    destroy(*queue);
                    let status = make(intercept);
                    if status != status::SUCCESS {
                        return status;
                    }
                    self.adopt(agent, *queue, errors);
                }
            }
            if let Some(mut known) = shared {
                known.insert(
                    agent,
                    Shared {
                        queue: *queue,
                        users: 1,
                    },
                );
            }
            status::SUCCESS
        }
    }

    /// Registers our handler; false if this is not an intercept queue.
    ///
    /// # Safety
    /// `queue` must be a living queue of `agent` that nothing has been written to.
    pub unsafe fn adopt(&self, agent: Handle, queue: *mut Queue, errors: Arc<Errors>) -> bool {
        let Some(register) = self.api.amd.queue_intercept_register else {
            return false;
        };
        let mut known = lock(&self.known);
        if queue.is_null() || known.contains_key(&(queue as usize)) {
            return !queue.is_null();
        }
        // SAFETY: a living queue, by the caller's promise. The handler's data lives in `known` until the queue is gone.
        unsafe {
            let id = self.next.fetch_add(1, Ordering::Relaxed);
            let observes = state::running().is_some_and(|state| state.session.observes_launches());
            let times = observes
                .then(|| Times::enable(self.api, agent, queue))
                .flatten();
            let intercepted = Intercepted::new(self.api, id, agent, &*queue, errors, times);
            let intercepted = Arc::new(intercepted);
            let data = Arc::as_ptr(&intercepted).cast_mut().cast::<c_void>();
            let registered = register(queue, handle, data) == status::SUCCESS;
            if registered {
                known.insert(queue as usize, intercepted);
            }
            registered
        }
    }

    /// True if this is a cooperative queue. It has one user less; behind the last one it is an empty shell.
    pub fn release_shared(&self, queue: *mut Queue) -> bool {
        let mut shared = lock(&self.shared);
        let found = shared.iter_mut().find(|(_, shared)| shared.queue == queue);
        let Some((&agent, found)) = found else {
            return false;
        };
        found.users = found.users.saturating_sub(1);
        // SAFETY: `queue` is the wrapped queue of `agent`, and its last user has just released it.
        if found.users == 0 && unsafe { self.destroy_inside(agent, queue) } {
            shared.remove(&agent);
            if let Some(intercepted) = self.remove(queue) {
                intercepted.harvest();
                intercepted.destroy_signals();
                // The shell keeps its address.
                mem::forget(intercepted);
            }
        }
        true
    }

    /// Destroys the queue inside a wrapped cooperative one. The runtime would do that together with the device, when the signals that it
    /// needs are gone: since 7.2, where HIP shuts the runtime down, programs crashed at their end.
    ///
    /// # Safety
    /// `queue` must be the intercept queue of `agent` for cooperative launches, which no thread uses.
    unsafe fn destroy_inside(&self, agent: Handle, queue: *mut Queue) -> bool {
        // If another tool makes the queues, the call below does not return a plain one.
        let (true, Some(plain), Some(destroy)) = (
            self.owns_queue_create,
            self.api.core.queue_create,
            self.api.core.queue_destroy,
        ) else {
            return false;
        };
        let mut inside: *mut Queue = ptr::null_mut();
        // SAFETY: the shell lives. The runtime answers with the queue inside, and counts us to its users, of which the shell is one.
        unsafe {
            let (size, kind) = ((*queue).size, constants::QUEUE_TYPE_COOPERATIVE);
            let (null, any) = (ptr::null_mut(), u32::MAX);
            let status = plain(agent, size, kind, None, null, any, any, &raw mut inside);
            let found = status == status::SUCCESS && inside != queue;
            found && destroy(inside) == status::SUCCESS && destroy(inside) == status::SUCCESS
        }
    }

    /// Forgets a queue that is about to be destroyed. No other thread may write to it from now on. The caller keeps the result until the
    /// queue is destroyed.
    pub fn remove(&self, queue: *mut Queue) -> Option<Arc<Intercepted>> {
        lock(&self.known).remove(&(queue as usize))
    }

    /// The queue was not destroyed after all.
    pub fn restore(&self, queue: *mut Queue, intercepted: Arc<Intercepted>) {
        lock(&self.known).insert(queue as usize, intercepted);
    }

    /// Tells the session which launches have ended, and how many were not watched.
    pub fn harvest(&self) -> u64 {
        let known: Vec<_> = lock(&self.known).values().cloned().collect();
        known.iter().for_each(|queue| queue.harvest());
        known
            .iter()
            .filter_map(|queue| queue.times.as_ref())
            .map(Times::untimed)
            .sum()
    }

    pub(crate) fn find(&self, id: u64) -> Option<Arc<Intercepted>> {
        let known = lock(&self.known);
        known.values().find(|queue| queue.id == id).cloned()
    }
}
