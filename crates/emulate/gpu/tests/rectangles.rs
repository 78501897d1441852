//! Rectangles that SDMA queues copy: gfx12 has other widths of fields than targets before it.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use gpu::{
    Events, Executor, Job, Machine, Memory, Observer, Record,
    memory::{PAGE, Request},
    topology::Config,
};

struct Idle;

impl Executor for Idle {
    fn submit(&self, _job: Job) {
        unreachable!("nothing is dispatched");
    }

    fn invalidate_code(&self) {}

    fn resident_waves(&self) -> u32 {
        1
    }
}

impl Observer for Idle {
    fn dispatch_finished(&self, _record: &Record<'_>) {}

    fn report(&self, message: &str) {
        panic!("{message}");
    }
}

/// A place in memory as packets name it: address, offset by columns, rows and slices, distances of rows and of slices.
struct Side {
    base: u64,
    offset: [u32; 3],
    row: u32,
    slice: u32,
}

/// Five dwords, with the distance of rows from that bit on. Distances are less by one.
fn side(side: &Side, pitch_bit: u32) -> [u32; 5] {
    let [x, y, z] = side.offset;
    [
        side.base as u32,
        (side.base >> 32) as u32,
        x | y << 16,
        z | (side.row - 1) << pitch_bit,
        side.slice - 1,
    ]
}

fn copy(device: &str, pitch_bit: u32) {
    let machine = Machine::new(
        vec![Config::new(device).unwrap()],
        Arc::new(Memory::new(BTreeMap::new())),
        Arc::new(Events::default()),
        Arc::new(Idle),
        Arc::new(Idle),
    );
    let page = || {
        let request = Request {
            node: 1,
            size: PAGE,
            flags: 0,
            writable: true,
            device_local: false,
            remote: false,
        };
        machine.memory().allocate(request).unwrap()
    };
    let (ring, source, destination) = (page(), page(), page());
    for word in 0..PAGE / 4 {
        // SAFETY: inside a page that was just allocated.
        unsafe { ((source + word * 4) as *mut u32).write(word as u32 + 1) };
    }
    let queue = machine.create_sdma_queue(1, ring, PAGE, None).unwrap();
    let from = Side {
        base: source,
        offset: [3, 2, 1],
        row: 16,
        slice: 128,
    };
    let to = Side {
        base: destination,
        offset: [1, 1, 0],
        row: 8,
        slice: 64,
    };
    // Three words in each of two rows of two slices; sizes are less by one as well.
    let mut packet = vec![1 | 4 << 8 | 2 << 29];
    packet.extend(side(&from, pitch_bit));
    packet.extend(side(&to, pitch_bit));
    packet.extend([2 | 1 << 16, 1]);
    for (index, word) in packet.iter().enumerate() {
        // SAFETY: the ring is memory of this test with room for the packet.
        unsafe { ((ring + index as u64 * 4) as *mut u32).write_volatile(*word) };
    }
    // SAFETY: the queue's positions are in memory that lives as long as the queue.
    let position = |address: u64| unsafe { AtomicU64::from_ptr(address as *mut u64) };
    let end = packet.len() as u64 * 4;
    position(queue.write_pointer).store(end, Ordering::SeqCst);
    let begun = Instant::now();
    while position(queue.read_pointer).load(Ordering::SeqCst) != end {
        assert!(begun.elapsed() < Duration::from_secs(20), "{device}");
        thread::sleep(Duration::from_millis(1));
    }
    for word in 0..PAGE / 4 {
        let (z, y, x) = (word / 64, word % 64 / 8, word % 8);
        let inside = z < 2 && (1..3).contains(&y) && (1..4).contains(&x);
        let expected = if inside {
            (1 + z) * 128 + (2 + y - 1) * 16 + 3 + x - 1 + 1
        } else {
            0
        };
        // SAFETY: the word lies in an allocation of this test.
        let found = unsafe { ((destination + word * 4) as *const u32).read_volatile() };
        assert_eq!(u64::from(found), expected, "{device}, word {word}");
    }
    machine.destroy_queue(queue.id).unwrap();
}

#[test]
fn rectangles_of_each_layout() {
    copy("gfx90a", 13);
    copy("gfx1030", 13);
    copy("gfx1200", 16);
}
