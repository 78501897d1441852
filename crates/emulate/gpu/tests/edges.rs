//! Packets of copy engines and PM4 commands at their edges: at the end of memory, in parts, too short, unknown, and in buffers.
//!
//! The memory that a packet must touch follows from AMD's definitions of its fields; the test chooses where memory ends.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use gpu::{
    Counts, Events, Executor, Job, Machine, Memory, Observer, Record,
    memory::{PAGE, Placement, Request},
    topology::Config,
};

struct AtOnce;

impl Executor for AtOnce {
    fn submit(&self, job: Job) {
        job.finish(Ok(Counts::default()));
    }

    fn invalidate_code(&self) {}

    fn resident_waves(&self) -> u32 {
        1
    }
}

#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl Observer for Log {
    fn dispatch_finished(&self, _record: &Record<'_>) {}

    fn report(&self, message: &str) {
        self.0.lock().unwrap().push(message.to_owned());
    }
}

struct Bench {
    machine: Machine,
    log: Arc<Log>,
    /// A page with nothing in front of it and behind it.
    page: u64,
}

fn bench(device: &str) -> Bench {
    let (log, memory) = (Arc::<Log>::default(), Memory::new(BTreeMap::new()));
    let gpus = vec![Config::new(device).unwrap()];
    let executor = Arc::new(AtOnce);
    let machine = Machine::new(
        gpus,
        Arc::new(memory),
        Arc::new(Events::default()),
        executor,
        log.clone(),
    );
    // SAFETY: a reservation of the test's own.
    let reserved = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            3 * PAGE as usize,
            libc::PROT_NONE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    assert_ne!(reserved, libc::MAP_FAILED);
    let page = reserved as u64 + PAGE;
    let memory = machine.memory();
    memory.put(Placement::Fresh(page), request(PAGE)).unwrap();
    memory.map_to_nodes(page, &[1]).unwrap();
    Bench { machine, log, page }
}

fn request(size: u64) -> Request {
    Request {
        node: 1,
        size,
        flags: 0,
        writable: true,
        device_local: false,
        remote: false,
    }
}

/// The results of packets.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Done,
    Stopped(String),
    Waits,
}

/// The two kinds of queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Copies,
    Commands,
}

impl Bench {
    fn end(&self) -> u64 {
        self.page + PAGE
    }

    /// Publishes so many dwords at a time, in a queue of its own.
    fn run(&self, kind: Kind, words: &[u32], at_a_time: usize) -> Outcome {
        let memory = self.machine.memory();
        let ring = memory.allocate(request(2 * PAGE)).unwrap();
        let positions = (ring + PAGE, ring + PAGE + 128);
        let queue = match kind {
            Kind::Copies => (self.machine).create_sdma_queue(1, ring, PAGE, Some(positions)),
            Kind::Commands => self
                .machine
                .create_compute_queue(1, ring, PAGE, positions, 0),
        };
        let queue = queue.unwrap();
        let scale = if kind == Kind::Copies { 4 } else { 1 };
        // SAFETY: the positions lie in the memory behind the ring, which is freed after the queue.
        let (written, read) = unsafe {
            (
                AtomicU64::from_ptr(positions.0 as *mut u64),
                AtomicU64::from_ptr(positions.1 as *mut u64),
            )
        };
        let known = self.log.0.lock().unwrap().len();
        let mut outcome = Outcome::Waits;
        for (index, part) in words.chunks(at_a_time).enumerate() {
            let begin = index * at_a_time;
            for (offset, word) in part.iter().enumerate() {
                let place = ring + (begin + offset) as u64 * 4;
                // SAFETY: inside the ring.
                unsafe { (place as *mut u32).write_volatile(*word) };
            }
            let end = (begin + part.len()) as u64 * scale;
            written.store(end, Ordering::SeqCst);
            self.machine.kick();
            let start = Instant::now();
            let patience = match begin + part.len() == words.len() {
                true => Duration::from_millis(300),
                false => Duration::from_millis(2),
            };
            outcome = loop {
                if read.load(Ordering::SeqCst) == end {
                    break Outcome::Done;
                }
                let news = self.log.0.lock().unwrap().get(known).cloned();
                if let (true, Some(said)) = (self.machine.has_stopped(queue.id), news) {
                    break Outcome::Stopped(said);
                }
                if start.elapsed() > patience {
                    break Outcome::Waits;
                }
                std::thread::sleep(Duration::from_micros(50));
            };
        }
        self.machine.destroy_queue(queue.id).unwrap();
        memory.free(ring).unwrap();
        outcome
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: the page is the device's and no queue is at work.
        unsafe { std::slice::from_raw_parts(self.page as *const u8, PAGE as usize) }
    }

    fn fill(&self, value: u8) {
        // SAFETY: the page is the device's and no queue is at work.
        unsafe { std::ptr::write_bytes(self.page as *mut u8, value, PAGE as usize) };
    }
}

fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

fn packet(head: u32, parts: &[&[u32]]) -> Vec<u32> {
    [&[head], &parts.concat()[..]].concat()
}

fn copy(from: u64, to: u64, bytes: u32) -> Vec<u32> {
    packet(1, &[&[bytes - 1, 0], &halves(from), &halves(to)])
}

fn fill(to: u64, value: u32, element: u32, bytes: u32) -> Vec<u32> {
    packet(11 | element << 30, &[&halves(to), &[value, bytes - 1]])
}

fn store(to: u64, words: &[u32]) -> Vec<u32> {
    packet(2, &[&halves(to), &[words.len() as u32 - 1], words])
}

fn fence(to: u64, value: u32) -> Vec<u32> {
    packet(5, &[&halves(to), &[value]])
}

fn command(opcode: u32, body: &[u32]) -> Vec<u32> {
    packet(
        3 << 30 | opcode << 8 | (body.len() as u32 - 1) << 16,
        &[body],
    )
}

const DEVICES: [&str; 4] = ["gfx90a", "gfx1030", "gfx1100", "gfx1201"];

#[track_caller]
fn faults(bench: &Bench, words: &[u32], access: &str, address: u64) {
    match bench.run(Kind::Copies, words, words.len()) {
        Outcome::Stopped(said) if said.contains(&format!("{access} {address:#x}")) => {}
        other => panic!("{access} {address:#x} expected of {words:x?}: {other:?}"),
    }
}

/// Copies, fills and stores that end where memory ends are done; one byte, element or dword more is a fault at the end.
#[test]
fn packets_reach_to_the_end_of_memory_and_no_further() {
    for device in DEVICES {
        let bench = bench(device);
        let done = |words: Vec<u32>| {
            let outcome = bench.run(Kind::Copies, &words, words.len());
            assert_eq!(outcome, Outcome::Done, "{device}: {words:x?}");
        };
        let (page, end) = (bench.page, bench.end());
        for size in [1_u32, 2, 3, 4, 5, 63, 64, 65, 1000, 2048] {
            bench.fill(7);
            done(copy(page, end - u64::from(size), size));
            done(copy(end - u64::from(size), page, size));
            faults(
                &bench,
                &copy(page, end - u64::from(size), size + 1),
                "write to",
                end,
            );
            faults(
                &bench,
                &copy(end - u64::from(size), page, size + 1),
                "read of",
                end,
            );
            for element in [0, 1, 2] {
                let width = 1 << element;
                if size % width != 0 {
                    continue;
                }
                bench.fill(0);
                let begin = end - u64::from(size);
                done(fill(begin, 0x0404_0404, element, size));
                let filled = bench.bytes().iter().filter(|byte| **byte == 4).count();
                assert_eq!(filled, size as usize, "{device}: {element}");
                let more = fill(begin, 0x0404_0404, element, size + width);
                faults(&bench, &more, "write to", end);
            }
        }
        for count in [1_usize, 2, 17] {
            let words: Vec<u32> = (0..count as u32 + 1).collect();
            let begin = end - count as u64 * 4;
            done(store(begin, &words[..count]));
            faults(&bench, &store(begin, &words), "write to", end);
        }
        done(fence(end - 4, 1));
        faults(&bench, &fence(end, 1), "write to", end);
        let time = |to: u64| packet(13 | 2 << 8, &[&halves(to)]);
        done(time(end - 8));
        faults(&bench, &time(end - 4), "write to", end);
        let wait = |at: u64| packet(8 | 1 << 31, &[&halves(at), &[0, 0, 0]]);
        done(wait(end - 4));
        faults(&bench, &wait(end), "read of", end);
        // Two destinations, the second of which does not fit.
        let twice = packet(
            1 | 1 << 27,
            &[&[7, 0], &halves(page), &halves(page + 64), &halves(end - 4)],
        );
        faults(&bench, &twice, "write to", end);
        // In front of the first byte there is nothing, either.
        faults(&bench, &fence(page - 4, 1), "write to", page - 4);
        faults(&bench, &copy(page - 1, page, 1), "read of", page - 1);
    }
}

/// A packet has no effect before its last dword is there, whatever its length.
#[test]
fn packets_that_come_in_parts_are_done_when_they_are_whole() {
    for device in DEVICES {
        let bench = bench(device);
        let page = bench.page;
        bench.fill(0);
        let words = [
            store(page, &[1, 2, 3]),
            copy(page, page + 64, 12),
            fence(page + 128, 9),
            vec![2 << 16, 0xffff_ffff, 0xffff_ffff],
            fill(page + 192, 5, 2, 16),
        ]
        .concat();
        for at_a_time in [1, 2, 3, 5] {
            bench.fill(0);
            assert_eq!(bench.run(Kind::Copies, &words, at_a_time), Outcome::Done);
            let at = |place: usize| bench.bytes()[place];
            let found = [0, 4, 8, 64, 72, 128, 192, 204].map(at);
            assert_eq!(found, [1, 2, 3, 1, 3, 9, 5, 5], "{device}, {at_a_time}");
            let cut = &words[..words.len() - 1];
            assert_eq!(bench.run(Kind::Copies, cut, at_a_time), Outcome::Waits);
        }
        let [low, high] = halves(page);
        let commands = [
            command(0x37, &[5 << 8, low, high, 1, 2]),
            command(0x10, &[0; 5]),
            command(0x37, &[5 << 8, low + 64, high, 3]),
        ]
        .concat();
        for at_a_time in [1, 2, 3] {
            bench.fill(0);
            let outcome = bench.run(Kind::Commands, &commands, at_a_time);
            assert_eq!(outcome, Outcome::Done);
            assert_eq!(
                [0, 4, 64].map(|place: usize| bench.bytes()[place]),
                [1, 2, 3]
            );
            let cut = &commands[..commands.len() - 1];
            assert_eq!(bench.run(Kind::Commands, cut, at_a_time), Outcome::Waits);
        }
    }
}

/// A buffer of packets is done before what comes behind it in the ring; its packets may not lead to another, nor end outside of it.
#[test]
fn copy_engines_do_buffers_of_packets() {
    for device in DEVICES {
        let bench = bench(device);
        let (page, buffer) = (bench.page, bench.page + 2048);
        let put = |words: &[u32]| {
            for (index, word) in words.iter().enumerate() {
                // SAFETY: inside the page.
                unsafe { ((buffer + index as u64 * 4) as *mut u32).write_volatile(*word) };
            }
            words.len() as u32
        };
        let jump = |count: u32| packet(4, &[&halves(buffer), &[count, 0, 0]]);
        let inside = [fence(page, 1), fence(page + 4, 2)].concat();
        let count = put(&inside);
        let words = [jump(count), fence(page + 8, 3), jump(0), jump(count)].concat();
        let outcome = bench.run(Kind::Copies, &words, words.len());
        assert_eq!(
            (outcome, &bench.bytes()[..12]),
            (Outcome::Done, &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0][..])
        );
        // One that waits holds up the ring.
        let count = put(&packet(
            8 | 3 << 28 | 1 << 31,
            &[&halves(page), &[7, !0, 0]],
        ));
        assert_eq!(bench.run(Kind::Copies, &jump(count), 6), Outcome::Waits);
        let stops = |words: &[u32], count: u32, expected: &str| {
            put(words);
            match bench.run(Kind::Copies, &jump(count), 6) {
                Outcome::Stopped(said) if said.contains(expected) => {}
                other => panic!("{device}: {expected}: {other:?}"),
            }
        };
        stops(&jump(2), 6, "an indirect buffer in another is not emulated");
        stops(
            &fence(page, 1),
            3,
            "a packet that is longer than its buffer",
        );
        stops(
            &store(page, &[1; 9]),
            3,
            "a packet that is longer than its buffer",
        );
        stops(&[0xff], 1, "an unknown opcode is not emulated");
        stops(&fence(0x1000, 1), 4, "write to 0x1000");
        let outside = packet(4, &[&halves(0x1000), &[4, 0, 0]]);
        faults(&bench, &outside, "read of", 0x1000);
        let cut = packet(4, &[&halves(bench.end() - 8), &[3, 0, 0]]);
        faults(&bench, &cut, "read of", bench.end());
    }
}

/// The shortest body of each command, in dwords, as AMD defines it.
const SHORTEST: [(u32, &str, usize); 15] = [
    (0x15, "DISPATCH_DIRECT", 4),
    (0x16, "DISPATCH_INDIRECT", 3),
    (0x1e, "ATOMIC_MEM", 8),
    (0x22, "COND_EXEC", 4),
    (0x23, "PRED_EXEC", 1),
    (0x37, "WRITE_DATA", 4),
    (0x3c, "WAIT_REG_MEM", 6),
    (0x3f, "INDIRECT_BUFFER", 3),
    (0x40, "COPY_DATA", 5),
    (0x46, "EVENT_WRITE", 1),
    (0x49, "RELEASE_MEM", 7),
    (0x58, "ACQUIRE_MEM", 6),
    (0x76, "SET_SH_REG", 2),
    (0x93, "WAIT_REG_MEM64", 8),
    (0x9b, "SET_SH_REG_INDEX", 2),
];

/// Commands that change nothing here.
const WITHOUT_EFFECT: [u32; 3] = [0x10, 0x95, 0x98];

/// A command whose count is too small stops its queue, instead of taking the next command for its own end.
#[test]
fn commands_that_are_too_short_are_named() {
    for device in DEVICES {
        let bench = bench(device);
        for (opcode, name, shortest) in SHORTEST {
            for length in 1..shortest {
                let words = [command(opcode, &vec![0; length]), command(0x10, &[0; 16])].concat();
                let head = words[0];
                let outcome = bench.run(Kind::Commands, &words, words.len());
                let expected = format!("{head:#010x}: a command that is too short");
                match outcome {
                    Outcome::Stopped(said) if said.contains(&expected) => {}
                    other => panic!("{device}: {name} of {length}: {other:?}"),
                }
            }
        }
    }
}

/// Every opcode is done, or stops its queue with its name and place: none is passed over or waits for ever.
#[test]
fn every_opcode_is_done_or_named() {
    for device in ["gfx90a", "gfx1201"] {
        let bench = bench(device);
        let mut known: BTreeSet<u32> = SHORTEST.iter().map(|(opcode, ..)| *opcode).collect();
        known.extend(WITHOUT_EFFECT);
        for opcode in 0..=0xff {
            let words = command(opcode, &[0; 8]);
            let named = format!("{:#010x}: ", words[0]);
            match bench.run(Kind::Commands, &words, words.len()) {
                Outcome::Done => assert!(known.contains(&opcode), "{device}: {opcode:#x}"),
                Outcome::Stopped(said) if said.contains("a command that is not emulated") => {
                    assert!(!known.contains(&opcode), "{device}: {said}");
                    assert!(said.contains(&named), "{device}: {said}");
                }
                Outcome::Stopped(said) => {
                    // Address 0 is no memory, and some do nothing sensible with a body of zeros.
                    let has_reason = said.contains(&named) || said.contains(" 0x0");
                    assert!(known.contains(&opcode) && has_reason, "{device}: {said}");
                }
                Outcome::Waits => panic!("{device}: command {opcode:#x} waits for ever"),
            }
        }
        // Elements, conditions and engines are in the upper bits. (Those of a packet that does nothing are its length.)
        let kinds = (0..=31).flat_map(|opcode| (0..8).map(move |sub| opcode | sub << 8));
        let uppers = [1 << 31, 7 << 29, 1 << 27];
        let with_upper = (1..=31).flat_map(|opcode| uppers.map(|upper| opcode | upper));
        for head in kinds.chain(with_upper).chain([32, 0x7f, 0xff]) {
            let words = packet(head, &[&[0; 16]]);
            match bench.run(Kind::Copies, &words, words.len()) {
                Outcome::Done => {}
                Outcome::Stopped(said) => {
                    let named = said.contains("is not emulated") || said.contains(" 0x0");
                    assert!(named, "{device}: {said}");
                }
                Outcome::Waits => panic!("{device}: packet {head:#x} waits for ever"),
            }
        }
    }
}
