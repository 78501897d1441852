//! Queues of a whole machine with an executor that only pretends to run kernels.

use std::{
    collections::BTreeMap,
    mem::offset_of,
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use aql::{BarrierPacket, BarrierValuePacket, KernelDispatchPacket, packet_type};
use gpu::{
    Counts, Events, Executor, Fault, FaultKind, Job, Machine, Memory, Observer, Outcome, Record,
    events::{EventKind, MemoryFault},
    memory::{PAGE, Request},
    topology::Config,
};

/// Keeps jobs until the test answers them, or answers at once.
#[derive(Default)]
struct Pretend {
    answer_at_once: bool,
    jobs: Mutex<Vec<Job>>,
    invalidations: AtomicU32,
}

impl Executor for Pretend {
    fn submit(&self, job: Job) {
        if self.answer_at_once {
            job.finish(Ok(Counts::default()));
        } else {
            self.jobs.lock().unwrap().push(job);
        }
    }

    fn invalidate_code(&self) {
        self.invalidations.fetch_add(1, Ordering::SeqCst);
    }

    fn resident_waves(&self) -> u32 {
        4
    }
}

#[derive(Default)]
struct Log {
    finished: Mutex<Vec<bool>>,
    messages: Mutex<Vec<String>>,
}

impl Observer for Log {
    fn dispatch_finished(&self, record: &Record<'_>) {
        assert!(record.end >= record.start);
        self.finished.lock().unwrap().push(record.outcome.is_ok());
    }

    fn report(&self, message: &str) {
        self.messages.lock().unwrap().push(message.to_owned());
    }
}

struct Bench {
    machine: Machine,
    executor: Arc<Pretend>,
    log: Arc<Log>,
    kernel: u64,
}

/// An AQL queue of 8 packets in device memory.
struct Queue {
    id: u64,
    ring: u64,
    address: u64,
    inactive: u64,
}

impl Bench {
    fn new(answer_at_once: bool) -> Bench {
        let executor = Arc::new(Pretend {
            answer_at_once,
            ..Pretend::default()
        });
        let (log, memory) = (
            Arc::new(Log::default()),
            Arc::new(Memory::new(BTreeMap::new())),
        );
        let gpus = vec![Config::new("gfx90a").unwrap()];
        let machine = Machine::new(
            gpus,
            memory,
            Arc::new(Events::default()),
            executor.clone(),
            log.clone(),
        );
        let mut bench = Bench {
            machine,
            executor,
            log,
            kernel: 0,
        };
        bench.kernel = bench.page();
        write(bench.kernel + 16, 256_u64);
        bench
    }

    fn page(&self) -> u64 {
        let request = Request {
            node: 1,
            size: PAGE,
            flags: 0,
            writable: true,
            device_local: false,
            remote: false,
        };
        self.machine.memory().allocate(request).unwrap()
    }

    /// A signal with an event of its own.
    fn signal(&self, value: i64) -> (u64, u32) {
        let address = self.page();
        let event = self
            .machine
            .events()
            .create(EventKind::Signal, 1, false, false)
            .unwrap();
        write(address + offset_of!(aql::Signal, value) as u64, value);
        write(
            address + offset_of!(aql::Signal, event_mailbox_ptr) as u64,
            address + 1024,
        );
        write(address + offset_of!(aql::Signal, event_id) as u64, event);
        (address, event)
    }

    fn queue(&self) -> Queue {
        let (ring, address) = (self.page(), self.page());
        for slot in 0..8 {
            write(ring + slot * 64, u16::from(packet_type::INVALID));
        }
        let (inactive, _) = self.signal(0);
        write(
            address + offset_of!(aql::AmdQueue, queue_inactive_signal) as u64,
            inactive,
        );
        let queue = self
            .machine
            .create_aql_queue(1, ring, 512, address)
            .unwrap();
        assert_eq!(queue.read_pointer, address + 128);
        Queue {
            id: queue.id,
            ring,
            address,
            inactive,
        }
    }

    fn dispatch(&self, completion_signal: u64) -> KernelDispatchPacket {
        KernelDispatchPacket {
            header: u16::from(packet_type::KERNEL_DISPATCH),
            setup: 1,
            workgroup_size: [64, 1, 1],
            grid_size: [64, 1, 1],
            kernel_object: self.kernel,
            completion_signal,
            ..Default::default()
        }
    }

    fn job(&self) -> Job {
        until("a job arrives", || {
            !self.executor.jobs.lock().unwrap().is_empty()
        });
        self.executor.jobs.lock().unwrap().remove(0)
    }

    fn wait(&self, event: u32) {
        self.machine
            .events()
            .wait(&[event], false, Some(Duration::from_secs(20)))
            .unwrap();
    }
}

fn write<T>(address: u64, value: T) {
    // SAFETY: tests write inside pages they have allocated.
    unsafe { (address as *mut T).write_volatile(value) };
}

fn signal_value(signal: u64) -> i64 {
    // SAFETY: the signal is in an allocated page.
    unsafe { AtomicI64::from_ptr((signal + 8) as *mut i64) }.load(Ordering::SeqCst)
}

fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(20), "in vain: {what}");
        std::thread::sleep(Duration::from_micros(200));
    }
}

impl Queue {
    fn index(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: the queue structure is in an allocated page.
        unsafe { AtomicU64::from_ptr((self.address + offset as u64) as *mut u64) }
    }

    /// Publishes a packet as the HSA runtime does: claim a slot, fill it, store the header last.
    fn push<T: Copy>(&self, packet: T) {
        assert_eq!(size_of::<T>(), 64);
        let index = self
            .index(offset_of!(aql::AmdQueue, write_dispatch_id))
            .fetch_add(1, Ordering::SeqCst);
        let slot = self.ring + index % 8 * 64;
        // SAFETY: the slot is in the ring; `T` is a packet struct.
        unsafe {
            let words = (&raw const packet).cast::<u32>();
            for word in 1..16 {
                (slot as *mut u32)
                    .add(word)
                    .write_volatile(*words.add(word));
            }
            AtomicU32::from_ptr(slot as *mut u32).store(*words, Ordering::Release);
        }
    }

    fn processed(&self) -> u64 {
        self.index(offset_of!(aql::AmdQueue, read_dispatch_id))
            .load(Ordering::SeqCst)
    }
}

#[test]
fn packets_complete_in_order_and_the_ring_wraps() {
    let bench = Bench::new(true);
    let queue = bench.queue();
    let (signal, event) = bench.signal(50);
    for index in 0..50 {
        until("a slot is free", || queue.processed() + 8 > index);
        queue.push(bench.dispatch(signal));
    }
    until("all are done", || signal_value(signal) == 0);
    bench.wait(event);
    assert_eq!(
        (queue.processed(), bench.log.finished.lock().unwrap().len()),
        (50, 50)
    );
    // SAFETY: inside the ring.
    let header = unsafe { (queue.ring as *const u16).read_volatile() };
    assert_eq!(header, u16::from(packet_type::INVALID));
}

#[test]
fn a_barrier_waits_and_does_not_hold_up_other_queues() {
    let bench = Bench::new(true);
    let (blocked, free) = (bench.queue(), bench.queue());
    let ((gate, _), (other, _), (done, event)) =
        (bench.signal(1), bench.signal(1), bench.signal(3));
    let header = u16::from(packet_type::BARRIER_AND);
    let both = BarrierPacket {
        header,
        dep_signal: [gate, 0, other, 0, 0],
        completion_signal: done,
        ..Default::default()
    };
    blocked.push(both);
    blocked.push(bench.dispatch(done));
    free.push(BarrierPacket {
        header: u16::from(packet_type::BARRIER_OR),
        ..both
    });
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(signal_value(done), 3);
    write(other + 8, 0_i64);
    until("one of two suffices for OR", || signal_value(done) == 2);
    assert_eq!(blocked.processed(), 0);
    write(gate + 8, 0_i64);
    until("AND needs both", || signal_value(done) == 0);
    bench.wait(event);
}

#[test]
fn a_value_barrier_compares_under_its_mask() {
    let bench = Bench::new(true);
    let queue = bench.queue();
    let ((watched, _), (done, event)) = (bench.signal(0xf00), bench.signal(1));
    queue.push(BarrierValuePacket {
        header: u16::from(packet_type::VENDOR_SPECIFIC),
        amd_format: 2,
        signal: watched,
        value: 5,
        mask: 0xff,
        condition: 3,
        completion_signal: done,
        ..Default::default()
    });
    std::thread::sleep(Duration::from_millis(10));
    assert_eq!(signal_value(done), 1);
    write(watched + 8, 0xf06_i64);
    bench.wait(event);
    assert_eq!(signal_value(done), 0);
}

#[test]
fn two_queues_run_two_kernels_at_once() {
    let bench = Bench::new(false);
    let queues = [bench.queue(), bench.queue()];
    let (signal, event) = bench.signal(2);
    for queue in &queues {
        queue.push(bench.dispatch(signal));
        queue.push(bench.dispatch(0));
    }
    let (first, second) = (bench.job(), bench.job());
    assert_ne!(
        first.dispatch.origin.queue_id,
        second.dispatch.origin.queue_id
    );
    assert!(
        bench.executor.jobs.lock().unwrap().is_empty(),
        "packets of one queue run one after the other"
    );
    second.finish(Ok(Counts::default()));
    first.finish(Ok(Counts::default()));
    bench.wait(event);
    assert_eq!(bench.job().dispatch.origin.dispatch_id, 1);
}

/// A command of type 3, as the driver's headers make them.
fn command(opcode: u32, body: &[u32]) -> Vec<u32> {
    let header = 3 << 30 | opcode << 8 | (body.len() as u32 - 1) << 16;
    [&[header], body].concat()
}

impl Bench {
    /// A packet that jumps to a buffer with these commands.
    fn commands(&self, words: &[u32], completion_signal: u64) -> [u32; 16] {
        let buffer = self.page();
        for (index, word) in words.iter().enumerate() {
            write(buffer + index as u64 * 4, *word);
        }
        let mut packet = [0_u32; 16];
        packet[0] = 1 << 16;
        packet[1] = 0xc002_3f00;
        packet[2..4].copy_from_slice(&halves(buffer));
        packet[4] = words.len() as u32 | 1 << 23;
        packet[14..].copy_from_slice(&halves(completion_signal));
        packet
    }
}

fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

#[test]
fn the_cache_command_reaches_the_executor() {
    let bench = Bench::new(true);
    let queue = bench.queue();
    let acquire = command(0x58, &[0x2800_0000, 0xffff_ffff, 0xff, 0, 0, 4]);
    queue.push(bench.commands(&acquire, 0));
    until("the command is done", || queue.processed() == 1);
    assert_eq!(bench.executor.invalidations.load(Ordering::SeqCst), 1);
}

#[test]
fn commands_wait_store_and_interrupt() {
    let bench = Bench::new(true);
    let queue = bench.queue();
    let (gate, results) = (bench.page(), bench.page());
    let ((_, event), (done, _)) = (bench.signal(1), bench.signal(1));
    let result = |index: u64| {
        // SAFETY: in an allocated page.
        unsafe { AtomicU64::from_ptr((results + index * 8) as *mut u64) }.load(Ordering::SeqCst)
    };
    let release = |what: u32, index: u64, value: u64, message: u32| {
        let ([low, high], [first, second]) = (halves(results + index * 8), halves(value));
        command(0x49, &[0x514, what, low, high, first, second, message])
    };
    let [low, high] = halves(gate);
    // Memory, at least; the lowest byte of 7 or more.
    let wait = command(0x3c, &[0x15, low, high, 7, 0xff, 4]);
    let words = [
        vec![0x8000_0000, 0xffff_1000],
        command(0x10, &[1, 2, 3]),
        // A register, write and wait for another.
        command(0x3c, &[0x40, 0x106, 0x107, 1, 1, 4]),
        release(1 << 29, 0, 0x1_0000_0005, 0),
        wait,
        release(2 << 29, 1, 0x1_0000_0006, 0),
        release(3 << 29, 2, 0, 0),
        // Two commands for other parts of the device than the first, one for it.
        command(0x23, &[2 << 24 | 16]),
        release(1 << 29, 3, 8, 0),
        release(1 << 29, 4, 8, 0),
        command(0x23, &[1 << 24 | 8]),
        release(1 << 29, 5, 9, 0),
        command(0x46, &[0x407]),
        release(1 << 29 | 2 << 24, 6, u64::from(event), event),
    ]
    .concat();
    write(gate, 0xf06_u32);
    queue.push(bench.commands(&words, done));
    until("what comes before the wait", || result(0) == 5);
    std::thread::sleep(Duration::from_millis(10));
    assert_eq!((result(1), signal_value(done)), (0, 1));
    write(gate, 0xf07_u32);
    bench.wait(event);
    until("the packet is done", || signal_value(done) == 0);
    assert_eq!(
        (result(1), result(3), result(4), result(5)),
        (0x1_0000_0006, 0, 0, 9)
    );
    assert_eq!(result(6), u64::from(event));
    assert_ne!(result(2), 0, "the GPU's clock");
    // The next buffer begins at its beginning.
    queue.push(bench.commands(&release(1 << 29, 0, 77, 0), 0));
    until("the second buffer", || result(0) == 77);
}

#[test]
fn commands_that_are_not_known_are_named() {
    let bench = Bench::new(true);
    let cases = [
        (
            command(0x15, &[1, 1, 1, 0]),
            "0xc0031500: a command that AQL queues have packets for",
        ),
        (
            command(0x7f, &[0]),
            "0xc0007f00: a command that is not emulated",
        ),
        (
            vec![0x0000_1234],
            "0x00001234: a command that is not of type 3",
        ),
        (
            vec![0xc005_4900, 0],
            "0xc0054900: a command that does not end in its buffer",
        ),
        (
            command(0x3c, &[3, 0x106, 0, 1, 1, 4]),
            "0xc0053c00: WAIT_REG_MEM on a register",
        ),
    ];
    for (words, expected) in cases {
        let queue = bench.queue();
        queue.push(bench.commands(&words, 0));
        until("the error arrives", || signal_value(queue.inactive) != 0);
        assert_eq!(queue.processed(), 0);
        let messages = bench.log.messages.lock().unwrap();
        let last = messages.last().unwrap();
        assert!(last.contains(expected), "{last}");
    }
    // A place that is no memory, and a buffer that is none.
    let store = command(0x49, &[0x514, 1 << 29, 0x1000, 0, 1, 0, 0]);
    let mut nowhere = bench.commands(&store, 0);
    for packet in [nowhere, {
        nowhere[2..4].copy_from_slice(&halves(0x2000));
        nowhere
    }] {
        let queue = bench.queue();
        queue.push(packet);
        until("the error arrives", || signal_value(queue.inactive) != 0);
    }
    let messages = bench.log.messages.lock().unwrap();
    assert!(messages[5].contains("write to 0x1000"), "{messages:?}");
    assert!(messages[6].contains("read of 0x2000"), "{messages:?}");
}

#[test]
fn scratch_is_given_per_queue_and_grows() {
    let bench = Bench::new(false);
    let queue = bench.queue();
    for bytes in [16, 1000, 16] {
        queue.push(KernelDispatchPacket {
            private_segment_size: bytes,
            ..bench.dispatch(0)
        });
        let job = bench.job();
        let scratch = job.dispatch.scratch;
        assert_eq!(
            (scratch.wave_bytes, scratch.slots),
            ((bytes * 64).next_multiple_of(1024), 4)
        );
        assert!(
            bench
                .machine
                .memory()
                .covers(scratch.base, u64::from(scratch.wave_bytes) * 4, true)
                .is_ok()
        );
        job.finish(Ok(Counts::default()));
    }
}

fn fault(kind: FaultKind) -> Outcome {
    Err(Fault {
        kind,
        pc: 0x1234,
        instruction: "global_load_dword v1, v[2:3], off".to_owned(),
        workgroup: [3, 0, 0],
        wave: 1,
        lane: Some(17),
        detail: None,
        executed: None,
    })
}

#[test]
fn faults_stop_the_queue_as_the_runtime_expects() {
    #[rustfmt::skip]
    let rows = [
        (FaultKind::IllegalInstruction,        0x4000_0000),
        (FaultKind::Unsupported,               0x4000_0000),
        (FaultKind::Aperture { address: 1 },   0x2000_0000),
        (FaultKind::Unaligned { address: 1 },  0x2000_0000),
        (FaultKind::Trap { id: 2 },            0x8000_0000),
        (FaultKind::WrongFree { address: 1 },  0x8000_0000),
    ];
    for (kind, value) in rows {
        let bench = Bench::new(false);
        let queue = bench.queue();
        queue.push(bench.dispatch(0));
        queue.push(bench.dispatch(0));
        bench.job().finish(fault(kind));
        until("the error arrives", || {
            signal_value(queue.inactive) == value
        });
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(
            queue.processed(),
            0,
            "the packet stays for the runtime to look at"
        );
        assert!(bench.executor.jobs.lock().unwrap().is_empty());
    }
}

#[test]
fn a_memory_fault_tells_where() {
    let bench = Bench::new(false);
    let queue = bench.queue();
    let event = bench
        .machine
        .events()
        .create(EventKind::MemoryFault, 1, false, false)
        .unwrap();
    queue.push(bench.dispatch(0));
    bench.job().finish(fault(FaultKind::Memory {
        address: 0x5678,
        write: true,
    }));
    bench.wait(event);
    let expected = MemoryFault {
        node: 1,
        address: 0x5678,
        read_only: false,
    };
    assert_eq!(bench.machine.events().fault(event), Some(expected));
    let messages = bench.log.messages.lock().unwrap();
    for part in [
        "write to 0x5678",
        "pc 0x1234",
        "global_load_dword",
        "workgroup (3, 0, 0), wave 1, lane 17",
    ] {
        assert!(
            messages[0].contains(part),
            "{part:?} is missing in {}",
            messages[0]
        );
    }
}

#[test]
fn packets_that_cannot_run_are_refused() {
    let bench = Bench::new(true);
    let refused = |packet: KernelDispatchPacket| {
        let queue = bench.queue();
        queue.push(packet);
        until("the error arrives", || signal_value(queue.inactive) != 0);
        signal_value(queue.inactive)
    };
    assert_eq!(
        refused(KernelDispatchPacket {
            kernel_object: 0x1000,
            ..bench.dispatch(0)
        }),
        8
    );
    assert_eq!(
        refused(KernelDispatchPacket {
            group_segment_size: 70000,
            ..bench.dispatch(0)
        }),
        4
    );
    assert_eq!(
        refused(KernelDispatchPacket {
            grid_size: [0; 3],
            ..bench.dispatch(0)
        }),
        2
    );
    assert_eq!(
        refused(KernelDispatchPacket {
            header: 77,
            ..bench.dispatch(0)
        }),
        32
    );
}

#[test]
fn signals_that_are_not_there_stop_the_queue() {
    let bench = Bench::new(true);
    let (fine, _) = bench.signal(0);
    let barrier = |header, dep_signal, completion_signal| BarrierPacket {
        header: u16::from(header),
        dep_signal,
        completion_signal,
        ..Default::default()
    };
    let and = packet_type::BARRIER_AND;
    for packet in [
        barrier(and, [fine, 0x1240, 0, 0, 0], 0),
        barrier(and, [fine + 8, 0, 0, 0, 0], 0),
        barrier(
            packet_type::BARRIER_OR,
            [fine, 0xdead_beef_0000, 0, 0, 0],
            0,
        ),
        barrier(and, [0; 5], 0x1240),
    ] {
        let queue = bench.queue();
        queue.push(packet);
        until("the error arrives", || signal_value(queue.inactive) != 0);
        assert_eq!(queue.processed(), 0);
    }
    let value = BarrierValuePacket {
        header: u16::from(packet_type::VENDOR_SPECIFIC),
        amd_format: 2,
        signal: 0x1240,
        ..Default::default()
    };
    let odd = BarrierValuePacket {
        signal: fine,
        condition: 4,
        ..value
    };
    for packet in [value, odd] {
        let queue = bench.queue();
        queue.push(packet);
        until("the error arrives", || signal_value(queue.inactive) != 0);
    }
    // A kernel with a completion signal that is no signal does not begin.
    let queue = bench.queue();
    queue.push(bench.dispatch(0x1240));
    until("the error arrives", || signal_value(queue.inactive) != 0);
    let messages = bench.log.messages.lock().unwrap();
    assert!(
        messages[0].contains("a dependency is no signal: 0x1240"),
        "{messages:?}"
    );
    // A memory-fault event gets the address.
    let event = bench
        .machine
        .events()
        .create(EventKind::MemoryFault, 1, false, false)
        .unwrap();
    drop(messages);
    bench.queue().push(barrier(and, [0x1240, 0, 0, 0, 0], 0));
    bench.wait(event);
    let fault = bench.machine.events().fault(event).unwrap();
    assert_eq!(fault.address, 0x1240);
}

#[test]
fn destroying_a_queue_cancels_its_kernel() {
    let bench = Arc::new(Bench::new(false));
    let queue = bench.queue();
    queue.push(bench.dispatch(0));
    let job = bench.job();
    let destroyer = {
        let bench = bench.clone();
        std::thread::spawn(move || bench.machine.destroy_queue(queue.id))
    };
    until("the job is cancelled", || job.is_cancelled());
    job.finish(Ok(Counts::default()));
    destroyer.join().unwrap().unwrap();
    assert!(bench.machine.destroy_queue(queue.id).is_err());
}

#[test]
fn positions_may_lie_anywhere_in_device_memory() {
    let bench = Bench::new(true);
    let (ring, positions) = (bench.page(), bench.page());
    for slot in 0..8 {
        write(ring + slot * 64, u16::from(packet_type::INVALID));
    }
    // At the page's beginning, so that no `amd_queue_t` can be around them.
    let (written, done) = (positions + 8, positions);
    let queue = bench
        .machine
        .create_saved_queue(1, ring, 512, (written, done), 0)
        .unwrap();
    assert_eq!((queue.write_pointer, queue.read_pointer), (written, done));
    let (signal, event) = bench.signal(1);
    // SAFETY: a slot of the ring.
    unsafe { (ring as *mut KernelDispatchPacket).write(bench.dispatch(signal)) };
    write(written, 1_u64);
    bench.machine.ring();
    bench.wait(event);
    assert_eq!(signal_value(signal), 0);
    // SAFETY: an allocated page.
    let done = unsafe { AtomicU64::from_ptr(done as *mut u64) };
    assert_eq!(done.load(Ordering::SeqCst), 1);
    // The program named no signal for errors; the queue stops all the same.
    write(ring + 64, 77_u16);
    write(written, 2_u64);
    bench.machine.ring();
    until("the packet is refused", || {
        let messages = bench.log.messages.lock().unwrap();
        messages.iter().any(|line| line.contains("refused"))
    });
    bench.machine.destroy_queue(queue.id).unwrap();
    assert!(
        bench
            .machine
            .create_saved_queue(1, ring, 512, (0x1000, positions), 0)
            .is_err()
    );
}

/// The runtime takes room for further packets from the position that it finds when it is woken.
#[test]
fn who_is_interrupted_finds_the_packet_done() {
    let bench = Bench::new(true);
    let (ring, positions, copies) = (bench.page(), bench.page(), bench.page());
    let value = bench.page();
    let (_, event) = bench.signal(0);
    let queue = bench
        .machine
        .create_compute_queue(1, ring, PAGE, (positions, positions + 8), 0)
        .unwrap();
    let sdma = bench
        .machine
        .create_sdma_queue(1, copies, PAGE, Some((positions + 16, positions + 24)))
        .unwrap();
    let index = |offset: u64| {
        // SAFETY: an allocated page.
        unsafe { AtomicU64::from_ptr((positions + offset) as *mut u64) }
    };
    // RELEASE_MEM of 32 bits with an interrupt, and SDMA's TRAP.
    let release = [
        0xc006_4900,
        0,
        1 << 29 | 2 << 24,
        value as u32,
        (value >> 32) as u32,
        event,
        0,
        event,
    ];
    let trap = [6, event];
    let events = bench.machine.events();
    let wait = || while events.wait(&[event], false, Some(Duration::ZERO)).is_err() {};
    for round in 1..=1000_u64 {
        for (offset, dword) in release.iter().enumerate() {
            write(ring + ((round - 1) * 32 + offset as u64 * 4) % PAGE, *dword);
        }
        index(0).store(round * 8, Ordering::SeqCst);
        bench.machine.ring();
        wait();
        let done = index(8).load(Ordering::SeqCst) as u32;
        assert_eq!(u64::from(done), round * 8 % (PAGE / 4), "round {round}");
        for (offset, dword) in trap.iter().enumerate() {
            write(
                copies + ((round - 1) * 8 + offset as u64 * 4) % PAGE,
                *dword,
            );
        }
        index(16).store(round * 8, Ordering::SeqCst);
        bench.machine.kick();
        wait();
        assert_eq!(
            index(24).load(Ordering::SeqCst),
            round * 8,
            "round {round} of copies"
        );
    }
    bench.machine.destroy_queue(queue.id).unwrap();
    bench.machine.destroy_queue(sdma.id).unwrap();
}

#[test]
fn queues_outside_device_memory_are_refused() {
    let bench = Bench::new(true);
    let page = bench.page();
    assert!(
        bench
            .machine
            .create_aql_queue(1, 0x1000, 512, page)
            .is_err()
    );
    assert!(
        bench
            .machine
            .create_aql_queue(1, page, 512, 0x1000)
            .is_err()
    );
    assert!(bench.machine.create_aql_queue(1, page, 500, page).is_err());
    assert!(bench.machine.create_aql_queue(7, page, 512, page).is_err());
    assert!(
        bench
            .machine
            .create_sdma_queue(1, 0x1000, 4096, None)
            .is_err()
    );
}

#[test]
fn dma_copies_fills_waits_and_signals() {
    let bench = Bench::new(true);
    let (ring, data, flag) = (bench.page(), bench.page(), bench.page());
    let queue = bench
        .machine
        .create_sdma_queue(1, ring, PAGE, None)
        .unwrap();
    let event = bench
        .machine
        .events()
        .create(EventKind::Signal, 1, false, false)
        .unwrap();
    let low_high = |address: u64| [address as u32, (address >> 32) as u32];
    let mut words: Vec<u32> = Vec::new();
    // Fill 64 bytes, copy 60 of them, wait for the flag to become 3, add -1 to a counter, store, interrupt.
    words.extend(
        [11 | 2 << 30]
            .iter()
            .chain(&low_high(data))
            .chain(&[0x0101_0101, 60]),
    );
    words.extend(
        [1, 59, 0]
            .iter()
            .chain(&low_high(data))
            .chain(&low_high(data + 256)),
    );
    words.extend(
        [8 | 3 << 28 | 1 << 31]
            .iter()
            .chain(&low_high(flag))
            .chain(&[3, 0xff, 0]),
    );
    words.extend([10 | 47 << 25].iter().chain(&low_high(flag + 64)).chain(&[
        u32::MAX,
        u32::MAX,
        0,
        0,
        0,
    ]));
    words.extend([5].iter().chain(&low_high(flag + 128)).chain(&[99]));
    words.extend([6, event]);
    for (index, word) in words.iter().enumerate() {
        write(ring + index as u64 * 4, *word);
    }
    write(flag + 64, 10_u64);
    // SAFETY: the queue's positions are in memory that lives as long as the queue.
    let position = |address: u64| unsafe { AtomicU64::from_ptr(address as *mut u64) };
    position(queue.write_pointer).store(words.len() as u64 * 4, Ordering::SeqCst);
    until("it waits for the flag", || {
        position(queue.read_pointer).load(Ordering::SeqCst) == 12 * 4
    });
    write(flag, 0x103_u32);
    bench.wait(event);
    // SAFETY: inside allocated pages.
    let read = |address: u64| unsafe { (address as *const u32).read_volatile() };
    assert_eq!((read(data + 60), read(data + 64)), (0x0101_0101, 0));
    assert_eq!(
        (read(data + 256 + 56), read(data + 256 + 60)),
        (0x0101_0101, 0)
    );
    assert_eq!((read(flag + 64), read(flag + 128)), (9, 99));
    bench.machine.destroy_queue(queue.id).unwrap();
}
