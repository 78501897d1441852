//! One queue whose packets pass through us: the handler that the runtime calls.
//!
//! The runtime's intercept queues are a ring in software, whose packets are shown to us in the order of their indices before
//! they are copied to the device's ring. We change dispatch packets, and add four kinds of our own:
//!
//! * *Markers*. The runtime frees slots of the software ring at once, so applications do not notice when the device's ring is full, and
//!   ROCr 5.2 reorders packets that did not fit or fails an assertion. A barrier packet every quarter of the ring, with a signal that
//!   counts down, tells how far the device has come. Launches wait before the ring is full, as the application would without interception.
//!   It waits for all packets before it, because a slot is free only when its kernel has ended; kernels of one queue do not overlap across
//!   a marker.
//! * *Followers* of launches whose duration is measured, see [`crate::times`].
//! * *Ends* of launches that are watched, see [`crate::watch`].
//! * *Tickets*. A barrier packet that waits for all packets before it shows that nothing before it is running any more. It is added only on
//!   request.

use std::{
    ffi::c_void,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use aql::{BarrierPacket, HEADER_BARRIER, KernelDispatchPacket, Packet, Queue, packet_type};
use hsa_sys::{
    Handle,
    constants::{self, status},
    tables::PacketWriter,
};
use session::{AgentId, Decision, Dispatch, Enqueued, PacketBytes};

use crate::{
    api::Api, lock, queue_errors::Errors, state, tickets::Ticket, times::Times, watch::Watch,
};

/// Longest wait for room in the device's ring; then the runtime has to cope. Kernels may run long.
const ROOM: Duration = Duration::from_secs(600);
/// Start of counting-down signals.
pub const COUNT: i64 = 1 << 62;
/// Markers in a ring, and how many of them may be on their way when another joins them. One more chunk follows before the
/// next wait; the rest is for packets that other tools add.
const MARKERS: u64 = 4;
const AHEAD: u64 = 2;

/// One intercepted queue.
pub struct Intercepted {
    /// Never used twice, unlike addresses.
    pub id: u64,
    api: &'static Api,
    agent: Handle,
    cooperative: bool,
    /// Packets between markers.
    chunk: u64,
    /// The following three change only inside the handler, which the runtime calls by one thread at a time.
    since_marker: AtomicU64,
    markers: AtomicU64,
    /// Counts down by one per marker; 0 until the first.
    marker_signal: AtomicU64,
    /// Packets on their way to the device: mostly one launch, rarely with one or two inserted packets behind it.
    outgoing: Mutex<Vec<Packet>>,
    /// Some launch was given to a variant.
    pub substituted: AtomicBool,
    /// A launch waits for room, under the queue's lock.
    pub waiting: AtomicBool,
    pub tickets: Mutex<Vec<Ticket>>,
    /// Some ticket has no packet yet.
    pub wanted: AtomicBool,
    pub errors: Arc<Errors>,
    /// Only if the tool wants to know when launches run.
    pub times: Option<Times>,
    /// Only if the settings say so.
    pub watch: Option<Watch>,
}

/// Called by the runtime for packets that the application has written, under a lock of the queue.
///
/// # Safety
/// `data` must be an [`Intercepted`] that lives as long as its queue.
pub unsafe extern "C" fn handle(
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
        if queue.errors.failed() {
            // The device takes nothing from this queue any more; a ring that fills up would end the program.
            return;
        }
        // Not a thread-local: exit handlers ring doorbells when those are gone.
        let mut outgoing = lock(&queue.outgoing);
        outgoing.clear();
        outgoing.extend_from_slice(packets);
        queue.rewrite(&mut outgoing);
        // SAFETY: the runtime copies the packets before it returns.
        unsafe { writer(outgoing.as_ptr(), outgoing.len() as u64) };
    });
    if rewritten.is_none() {
        // SAFETY: the packets as they came; nothing has been written yet, because writing is the last thing above.
        unsafe { writer(packets, count) };
    }
}

impl Intercepted {
    pub fn new(
        api: &'static Api,
        id: u64,
        agent: Handle,
        queue: &Queue,
        errors: Arc<Errors>,
        times: Option<Times>,
    ) -> Self {
        let mut intercepted = Intercepted {
            id,
            api,
            agent,
            cooperative: queue.queue_type == constants::QUEUE_TYPE_COOPERATIVE,
            chunk: (u64::from(queue.size) / MARKERS).max(1),
            since_marker: AtomicU64::new(0),
            markers: AtomicU64::new(0),
            marker_signal: AtomicU64::new(0),
            outgoing: Mutex::default(),
            substituted: AtomicBool::new(false),
            waiting: AtomicBool::new(false),
            tickets: Mutex::default(),
            wanted: AtomicBool::new(false),
            errors,
            times,
            watch: None,
        };
        let signal = || intercepted.signal(COUNT);
        let watch = state::running().and_then(|state| Watch::new(state, signal));
        intercepted.watch = watch;
        intercepted
    }

    /// Destroys our signals; the queue that wrote to them is gone.
    pub fn destroy_signals(&self) {
        let Some(destroy) = self.api.core.signal_destroy else {
            return;
        };
        let tickets = lock(&self.tickets);
        let signals = tickets.iter().map(|ticket| ticket.signal);
        let times = self.times.as_ref().map(Times::signals).unwrap_or_default();
        let marker = self.marker_signal.load(Ordering::Relaxed);
        let watch = self.watch.iter().map(Watch::end);
        for signal in signals.chain([marker]).chain(times).chain(watch) {
            if signal != 0 {
                // SAFETY: this queue made the signal, and the device does not write to it any more.
                unsafe { destroy(signal) };
            }
        }
    }

    fn rewrite(&self, packets: &mut Vec<Packet>) {
        // The time is taken before this library does any work.
        let enqueued = self.times.as_ref().and_then(Times::enqueued);
        let is_launch = |packet: &Packet| packet.kind() == packet_type::KERNEL_DISPATCH;
        if let Some(watch) = &self.watch {
            let launches = packets.iter().filter(|packet| is_launch(packet)).count();
            watch.begin(launches as u64, |signal, value| {
                self.wait_below(signal, value)
            });
        }
        self.harvest();
        if let Some(state) = state::running().filter(|_| self.times.is_some()) {
            state.transfers.used(packets);
        }
        self.show(packets);
        let mut index = 0;
        while let Some(packet) = packets.get_mut(index) {
            index += 1;
            if !is_launch(packet) {
                continue;
            }
            let follower = self.substitute(packet, enqueued);
            let end = self
                .watch
                .as_ref()
                .map(|watch| watch.behind(dispatch(packet)));
            for more in follower.into_iter().chain(end) {
                packets.insert(index, more);
                index += 1;
            }
        }
        if self.wanted.load(Ordering::Acquire) {
            self.add_ticket(packets);
        }
        self.mark(packets);
    }

    /// Shows tools that want to see them the application's packets.
    fn show(&self, packets: &mut [Packet]) {
        let Some(state) = state::running().filter(|state| state.session.observes_packets()) else {
            return;
        };
        let (first, count) = (packets.as_mut_ptr().cast::<[u8; 64]>(), packets.len());
        // SAFETY: packets are 64 plain bytes, whatever these are.
        let bytes = unsafe { std::slice::from_raw_parts_mut(first, count) };
        state.session.packets(AgentId(self.agent), self.id, bytes);
    }

    /// Tells the session which launches have ended.
    pub fn harvest(&self) {
        if let (Some(times), Some(state)) = (&self.times, state::running()) {
            times.harvest(&state.session);
            state.transfers.harvest(&state.session);
        }
    }

    /// Returns a packet that has to follow this one, if any.
    fn substitute(&self, packet: &mut Packet, enqueued: Option<Enqueued>) -> Option<Packet> {
        let state = state::running()?;
        // SAFETY: a packet is 64 plain bytes, whatever these are, and they are copied at once.
        let mut bytes = unsafe { *std::ptr::from_ref(packet).cast::<PacketBytes>() };
        let dispatch = dispatch(packet);
        let launch = Dispatch {
            agent: AgentId(self.agent),
            queue: self.id,
            kernel_object: dispatch.kernel_object,
            kernarg: dispatch.kernarg_address,
            grid: dispatch.grid_size,
            workgroup: dispatch.workgroup_size,
            private_segment_size: dispatch.private_segment_size,
            group_segment_size: dispatch.group_segment_size,
            cooperative: self.cooperative,
            enqueued,
        };
        let decision = state.session.dispatch_packet(&launch, &mut bytes);
        // SAFETY: all 64 bytes are set, and a dispatch packet is 64 plain bytes of which every value is one.
        *dispatch = unsafe {
            std::ptr::from_ref(&bytes)
                .cast::<KernelDispatchPacket>()
                .read_unaligned()
        };
        let watched = match &decision {
            Decision::Original => return None,
            Decision::Watched(launch) => *launch,
            Decision::Variant(substitute) => substitute.launch,
        };
        if let Decision::Variant(substitute) = decision {
            dispatch.kernel_object = substitute.kernel_object;
            dispatch.private_segment_size = substitute.private_segment_size;
            dispatch.group_segment_size = substitute.group_segment_size;
            dispatch.reserved2 = substitute.launch;
            self.substituted.store(true, Ordering::Relaxed);
        }
        let times = self.times.as_ref()?;
        times.attach(watched, dispatch, || self.signal(1))
    }

    /// Makes a signal for this library's own use.
    pub fn signal(&self, value: i64) -> Option<Handle> {
        let mut signal = 0;
        // SAFETY: no consumers are named, and the result goes to a local variable.
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
            packets.push(barrier(signal));
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
        packets.push(barrier(signal));
        self.since_marker.store(0, Ordering::Relaxed);
        let markers = self.markers.fetch_add(1, Ordering::Relaxed) + 1;
        if markers > AHEAD {
            self.waiting.store(true, Ordering::Relaxed);
            self.wait_below(signal, COUNT - (markers - AHEAD) as i64 + 1);
            self.waiting.store(false, Ordering::Relaxed);
        }
    }

    fn wait_below(&self, signal: Handle, value: i64) {
        let Some(wait) = self.api.core.signal_wait_scacquire else {
            return;
        };
        /// About a tenth of a second in ticks of the system clock, whatever its rate is within reason.
        const TICKS: u64 = 100_000_000;
        let deadline = Instant::now() + ROOM;
        while Instant::now() < deadline && !self.errors.failed() {
            // SAFETY: this queue made the signal and destroys it only at its own end.
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

/// The dispatch that a packet is, by its header.
fn dispatch(packet: &mut Packet) -> &mut KernelDispatchPacket {
    // SAFETY: both are 64 plain bytes with the same alignment, and any bytes are a dispatch.
    unsafe { &mut *std::ptr::from_mut(packet).cast::<KernelDispatchPacket>() }
}

/// A packet that completes when all packets before it have, without fences.
pub fn barrier(completion_signal: Handle) -> Packet {
    let packet = BarrierPacket {
        header: u16::from(packet_type::BARRIER_AND) | HEADER_BARRIER,
        completion_signal,
        ..BarrierPacket::default()
    };
    // SAFETY: both are 64 plain bytes.
    unsafe { std::mem::transmute(packet) }
}
