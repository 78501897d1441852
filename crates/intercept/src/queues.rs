//! Queues whose packets pass through us.
//!
//! Every queue is one of the runtime's intercept queues: a ring in software, whose packets the runtime shows us in the
//! order of their indices before it copies them to the device's ring. We change dispatch packets, and add two kinds of our
//! own:
//!
//! * *Markers*. The runtime frees slots of the software ring at once, so applications do not notice when the device's ring
//!   is full, and ROCr 5.2 reorders packets that did not fit. A barrier packet every quarter of the ring, with a signal that
//!   counts down, tells how far the device has come, and we wait before the ring is full.
//! * *Tickets*. A barrier packet that waits for all packets before it tells that nothing before it is running any more;
//!   added only when somebody asks.

use std::{
    collections::HashMap,
    ffi::c_void,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use hsa_sys::{
    Handle, Status,
    constants::{self, status},
    packets::{BarrierPacket, HEADER_BARRIER, KernelDispatchPacket, Packet, Queue, packet_type},
    tables::{PacketWriter, QueueError},
};
use session::{AgentId, Decision, Dispatch};

use crate::{api::Api, state};

/// Longest wait for room in the device's ring. A kernel that waits for the very thread that launches may hold it up; then
/// the runtime has to cope.
const ROOM: Duration = Duration::from_secs(20);
/// Start of counting-down signals.
const COUNT: i64 = 1 << 62;
/// Markers in a ring, and how many of them may be on their way.
const MARKERS: u64 = 4;
const AHEAD: u64 = 2;

/// One intercepted queue.
struct Intercepted {
    /// Never used twice, unlike addresses.
    id: u64,
    api: &'static Api,
    agent: Handle,
    /// Packets between markers.
    chunk: u64,
    /// The following three change only inside the handler, which the runtime calls by one thread at a time.
    since_marker: AtomicU64,
    markers: AtomicU64,
    /// Counts down by one per marker; 0 until the first.
    marker_signal: AtomicU64,
    tickets: Mutex<Vec<Ticket>>,
    /// Some ticket has no packet yet.
    wanted: AtomicBool,
}

struct Ticket {
    number: u64,
    /// 0 until its packet is written; becomes 0 in value when that has completed.
    signal: Handle,
}

/// The device's one queue for cooperative launches. The runtime hands out the same to all callers, and one that is wrapped
/// must not be destroyed.
struct Shared {
    queue: *mut Queue,
    users: usize,
}

// SAFETY: the pointer is only handed out and compared.
unsafe impl Send for Shared {}

/// All intercepted queues.
pub struct Queues {
    api: &'static Api,
    next: AtomicU64,
    next_ticket: AtomicU64,
    /// By address.
    known: Mutex<HashMap<usize, Arc<Intercepted>>>,
    /// By agent.
    shared: Mutex<HashMap<Handle, Shared>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Queues {
    pub fn new(api: &'static Api) -> Queues {
        Queues {
            api,
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
            let make = |function: hsa_sys::tables::QueueCreate| {
                function(agent, size, kind, callback, data, private, group, queue)
            };
            if self.api.owns_queue_create {
                let status = make(intercept);
                if status != status::SUCCESS {
                    return status;
                }
                self.adopt(agent, *queue);
            } else {
                // Another tool makes queues too. If it makes intercept queues, we join in.
                let status = make(plain);
                if status != status::SUCCESS {
                    return status;
                }
                if !self.adopt(agent, *queue) && kind != constants::QUEUE_TYPE_COOPERATIVE {
                    destroy(*queue);
                    let status = make(intercept);
                    if status != status::SUCCESS {
                        return status;
                    }
                    self.adopt(agent, *queue);
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
    pub unsafe fn adopt(&self, agent: Handle, queue: *mut Queue) -> bool {
        let Some(register) = self.api.amd.queue_intercept_register else {
            return false;
        };
        let mut known = lock(&self.known);
        if queue.is_null() || known.contains_key(&(queue as usize)) {
            return !queue.is_null();
        }
        // SAFETY: a living queue, by the caller's promise. The handler's data lives in `known` until the queue is gone.
        unsafe {
            let intercepted = Arc::new(Intercepted {
                id: self.next.fetch_add(1, Ordering::Relaxed),
                api: self.api,
                agent,
                chunk: u64::from((*queue).size / MARKERS as u32).max(1),
                since_marker: AtomicU64::new(0),
                markers: AtomicU64::new(0),
                marker_signal: AtomicU64::new(0),
                tickets: Mutex::default(),
                wanted: AtomicBool::new(false),
            });
            let data = Arc::as_ptr(&intercepted).cast_mut().cast::<c_void>();
            let registered = register(queue, handle, data) == status::SUCCESS;
            if registered {
                known.insert(queue as usize, intercepted);
            }
            registered
        }
    }

    /// True if this is a cooperative queue: it stays, with one user less.
    pub fn release_shared(&self, queue: *mut Queue) -> bool {
        let mut shared = lock(&self.shared);
        let found = shared.values_mut().find(|shared| shared.queue == queue);
        match found {
            Some(shared) => {
                shared.users = shared.users.saturating_sub(1);
                true
            }
            None => false,
        }
    }

    /// A queue has been destroyed.
    pub fn forget(&self, queue: *mut Queue) {
        let Some(gone) = lock(&self.known).remove(&(queue as usize)) else {
            return;
        };
        if let Some(destroy) = self.api.core.signal_destroy {
            let tickets = lock(&gone.tickets);
            let signals = tickets.iter().map(|ticket| ticket.signal);
            for signal in signals.chain([gone.marker_signal.load(Ordering::Relaxed)]) {
                if signal != 0 {
                    // SAFETY: ours, and the queue that would have written to it is gone.
                    unsafe { destroy(signal) };
                }
            }
        }
    }

    fn find(&self, id: u64) -> Option<Arc<Intercepted>> {
        let known = lock(&self.known);
        known.values().find(|queue| queue.id == id).cloned()
    }

    /// See [`session::Device::ticket`].
    pub fn ticket(&self, id: u64) -> Option<u64> {
        let queue = self.find(id)?;
        let number = self.next_ticket.fetch_add(1, Ordering::Relaxed);
        lock(&queue.tickets).push(Ticket { number, signal: 0 });
        queue.wanted.store(true, Ordering::Release);
        Some(number)
    }

    /// See [`session::Device::drained`].
    pub fn drained(&self, id: u64, number: u64) -> bool {
        let Some(queue) = self.find(id) else {
            return true;
        };
        let (Some(load), Some(destroy)) = (
            self.api.core.signal_load_scacquire,
            self.api.core.signal_destroy,
        ) else {
            return false;
        };
        let mut tickets = lock(&queue.tickets);
        let Some(index) = tickets.iter().position(|ticket| ticket.number == number) else {
            return true;
        };
        let signal = tickets[index].signal;
        // SAFETY: a living signal of ours; once at 0 nobody writes to it any more.
        unsafe {
            if signal == 0 || load(signal) > 0 {
                return false;
            }
            destroy(signal);
        }
        tickets.swap_remove(index);
        true
    }
}

/// Packets on their way to the device: mostly one, rarely one or two of ours behind it.
#[derive(Default)]
struct Outgoing {
    packets: Vec<Packet>,
}

thread_local! {
    static OUTGOING: std::cell::RefCell<Outgoing> = const { std::cell::RefCell::new(Outgoing { packets: Vec::new() }) };
}

/// Called by the runtime for packets that the application has written, under a lock of the queue.
unsafe extern "C" fn handle(
    packets: *const Packet,
    count: u64,
    _index: u64,
    data: *mut c_void,
    writer: PacketWriter,
) {
    let rewritten = state::guarded(|| {
        // SAFETY: `data` is the registration's, which lives as long as its queue; the runtime passes `count` packets.
        let (queue, packets) = unsafe {
            (
                &*data.cast::<Intercepted>(),
                std::slice::from_raw_parts(packets, count as usize),
            )
        };
        OUTGOING.with(|outgoing| {
            let mut outgoing = outgoing.try_borrow_mut().ok()?;
            outgoing.packets.clear();
            outgoing.packets.extend_from_slice(packets);
            queue.rewrite(&mut outgoing.packets);
            // SAFETY: the runtime copies the packets before it returns.
            unsafe { writer(outgoing.packets.as_ptr(), outgoing.packets.len() as u64) };
            Some(())
        })
    });
    if rewritten.flatten().is_none() {
        // SAFETY: the packets as they came; nothing has been written yet, because writing is the last thing above.
        unsafe { writer(packets, count) };
    }
}

impl Intercepted {
    fn rewrite(&self, packets: &mut Vec<Packet>) {
        for packet in packets.iter_mut() {
            if packet.kind() == packet_type::KERNEL_DISPATCH {
                self.substitute(packet);
            }
        }
        if self.wanted.load(Ordering::Acquire) {
            self.add_ticket(packets);
        }
        self.mark(packets);
    }

    fn substitute(&self, packet: &mut Packet) {
        let Some(state) = state::current() else {
            return;
        };
        // SAFETY: both are 64 plain bytes with the same alignment, and the header says that this is a dispatch.
        let dispatch = unsafe { &mut *std::ptr::from_mut(packet).cast::<KernelDispatchPacket>() };
        let decision = state.session.dispatch(&Dispatch {
            agent: AgentId(self.agent),
            queue: self.id,
            kernel_object: dispatch.kernel_object,
            grid: dispatch.grid_size,
            workgroup: dispatch.workgroup_size,
            private_segment_size: dispatch.private_segment_size,
            group_segment_size: dispatch.group_segment_size,
        });
        if let Decision::Variant(substitute) = decision {
            dispatch.kernel_object = substitute.kernel_object;
            dispatch.private_segment_size = substitute.private_segment_size;
            dispatch.group_segment_size = substitute.group_segment_size;
            dispatch.reserved2 = substitute.launch;
        }
    }

    fn signal(&self, value: i64) -> Option<Handle> {
        let mut signal = 0;
        // SAFETY: no consumers are named, and the result is ours.
        let status =
            unsafe { self.api.core.signal_create?(value, 0, std::ptr::null(), &raw mut signal) };
        (status == status::SUCCESS).then_some(signal)
    }

    fn add_ticket(&self, packets: &mut Vec<Packet>) {
        let mut tickets = lock(&self.tickets);
        for ticket in tickets.iter_mut().filter(|ticket| ticket.signal == 0) {
            let Some(signal) = self.signal(1) else {
                return;
            };
            ticket.signal = signal;
            packets.push(barrier(HEADER_BARRIER, signal));
        }
        self.wanted.store(false, Ordering::Release);
    }

    /// Counts packets, adds a marker when it is time, and waits until enough of the earlier ones have passed.
    fn mark(&self, packets: &mut Vec<Packet>) {
        let since = self.since_marker.load(Ordering::Relaxed) + packets.len() as u64;
        self.since_marker.store(since, Ordering::Relaxed);
        if since < self.chunk {
            return;
        }
        let mut signal = self.marker_signal.load(Ordering::Relaxed);
        if signal == 0 {
            let Some(made) = self.signal(COUNT) else {
                return;
            };
            signal = made;
            self.marker_signal.store(signal, Ordering::Relaxed);
        }
        packets.push(barrier(0, signal));
        self.since_marker.store(0, Ordering::Relaxed);
        let markers = self.markers.fetch_add(1, Ordering::Relaxed) + 1;
        if markers > AHEAD {
            self.wait_below(signal, COUNT - (markers - AHEAD) as i64 + 1);
        }
    }

    fn wait_below(&self, signal: Handle, value: i64) {
        let Some(wait) = self.api.core.signal_wait_scacquire else {
            return;
        };
        /// About a tenth of a second in ticks of the system clock, whatever its rate is within reason.
        const TICKS: u64 = 100_000_000;
        let deadline = Instant::now() + ROOM;
        while Instant::now() < deadline {
            // SAFETY: a living signal of ours.
            let seen = unsafe {
                wait(
                    signal,
                    constants::CONDITION_LESS,
                    value,
                    TICKS,
                    constants::WAIT_BLOCKED,
                )
            };
            if seen < value {
                return;
            }
        }
    }
}

/// A barrier packet without dependencies or fences.
fn barrier(header: u16, completion_signal: Handle) -> Packet {
    let packet = BarrierPacket {
        header: u16::from(packet_type::BARRIER_AND) | header,
        completion_signal,
        ..BarrierPacket::default()
    };
    // SAFETY: both are 64 plain bytes.
    unsafe { std::mem::transmute(packet) }
}
