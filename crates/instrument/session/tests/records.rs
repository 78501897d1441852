//! Rings: a test plays the device, writing slots as `emit` does.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use crate::common::{HostDevice, config, launch, object, original, start};
use session::{
    Agent, Content, Device, Global, Identity, Instrumenter, MemoryKind, Refusal, Request, RingSpec,
    Session, Variant,
};

const CAPACITY: u64 = 64;

/// Collects 8-byte records.
#[derive(Default)]
struct Collecting(Mutex<Vec<u64>>);

impl Instrumenter for Collecting {
    fn name(&self) -> String {
        "collecting".into()
    }

    fn fingerprint(&self) -> Vec<u8> {
        Vec::new()
    }

    fn globals(&self) -> Vec<Global> {
        vec![Global {
            name: "stream".into(),
            size: 56,
            content: Content::Ring(RingSpec {
                record_size: 8,
                capacity: 5,
            }),
        }]
    }

    fn instrument(&self, request: &Request<'_>) -> Result<Variant, Refusal> {
        Identity.instrument(request)
    }

    fn records(&self, _: &Agent, global: &str, records: &[u8]) {
        assert_eq!(global, "stream");
        let values = records.chunks_exact(8);
        let values = values.map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap()));
        self.0.lock().unwrap().extend(values);
    }
}

/// The device's end of the ring, by the addresses in its control block.
struct Producer {
    device: Arc<HostDevice>,
    control: u64,
    slots: u64,
    consumed: u64,
}

impl Producer {
    fn new(device: Arc<HostDevice>) -> Producer {
        let control = {
            let memory = device.memory.lock().unwrap();
            let on_device = memory
                .kinds
                .iter()
                .find(|(_, kind)| *kind == MemoryKind::Device);
            on_device.unwrap().0
        };
        assert_eq!(device.peek(control + 24), CAPACITY, "what a wave appends");
        Producer {
            slots: device.peek(control + 32),
            consumed: device.peek(control + 40),
            device,
            control,
        }
    }

    fn complete(&self, index: u64, value: u64) {
        let slot = self.slots + index % CAPACITY * 12;
        self.device.poke(slot + 4, &value.to_le_bytes());
        self.device.poke(slot, &(index as u32 + 1).to_le_bytes());
    }

    fn wait_consumed(&self, count: u64) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while self.device.peek(self.consumed) != count {
            assert!(
                Instant::now() < deadline,
                "consumed {}",
                self.device.peek(self.consumed)
            );
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn begin() -> (Arc<Collecting>, Arc<Session>, Producer) {
    let bytes = object(&[]);
    let tool = Arc::new(Collecting::default());
    let (session, device) = start(&bytes, config(&[]), Arc::clone(&tool) as _);
    session.dispatch(&launch(&bytes, "scale"));
    (tool, session, Producer::new(device))
}

#[test]
fn records_come_in_order_around_the_ring_while_the_program_runs() {
    let (tool, session, producer) = begin();
    for index in 0..3 * CAPACITY {
        if index >= CAPACITY {
            producer.wait_consumed(index);
        }
        producer.complete(index, index * 10);
    }
    producer
        .device
        .poke(producer.control + 8, &(3 * CAPACITY).to_le_bytes());
    let (summary, _) = session.finish().unwrap();
    let expected: Vec<u64> = (0..3 * CAPACITY).map(|index| index * 10).collect();
    assert_eq!(*tool.0.lock().unwrap(), expected);
    assert_eq!(summary.records[0].written, 3 * CAPACITY);
    assert_eq!(
        (summary.records[0].dropped, summary.records[0].unfinished),
        (0, 0)
    );
}

/// As `luthier run --live` looks on: each session of a run has a word in one file.
#[test]
fn how_many_came_is_told_while_the_program_runs() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    let sessions = [3, 5].map(|records| {
        let bytes = object(&[]);
        let settings = config(&[("LUTHIER_LIVE", path)]);
        let (session, device) = start(&bytes, settings, Arc::new(Collecting::default()) as _);
        session.dispatch(&launch(&bytes, "scale"));
        let producer = Producer::new(device);
        (0..records).for_each(|index| producer.complete(index, 1));
        (session, producer)
    });
    let deadline = Instant::now() + Duration::from_secs(20);
    let told = || {
        let bytes = std::fs::read(path).unwrap();
        let words = bytes.chunks_exact(8);
        let mut told: Vec<_> = words
            .map(|word| u64::from_le_bytes(word.try_into().unwrap()))
            .collect();
        told.sort_unstable();
        told
    };
    while told() != [3, 5] {
        assert!(Instant::now() < deadline, "{:?}", told());
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(sessions);
}

#[test]
fn a_slot_that_is_not_complete_holds_up_the_ones_behind_it() {
    let (tool, _session, producer) = begin();
    producer.complete(0, 100);
    producer.complete(2, 102);
    producer.complete(3, 103);
    producer.wait_consumed(1);
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(*tool.0.lock().unwrap(), [100]);
    producer.complete(1, 101);
    producer.wait_consumed(4);
    let deadline = Instant::now() + Duration::from_secs(20);
    while tool.0.lock().unwrap().len() < 4 {
        assert!(Instant::now() < deadline);
    }
    assert_eq!(*tool.0.lock().unwrap(), [100, 101, 102, 103]);
}

#[test]
fn the_end_takes_what_is_complete_and_counts_the_rest() {
    let (tool, session, producer) = begin();
    producer.complete(0, 7);
    // The wave that reserved index 1 died; 2 came through; 4 records found no room.
    producer.complete(2, 9);
    producer
        .device
        .poke(producer.control + 8, &3u64.to_le_bytes());
    producer
        .device
        .poke(producer.control + 16, &4u64.to_le_bytes());
    let (summary, _) = session.finish().unwrap();
    assert_eq!(*tool.0.lock().unwrap(), [7, 9]);
    let line = &summary.records[0];
    assert_eq!((line.written, line.dropped, line.unfinished), (2, 4, 1));
    let text = summary.text();
    assert!(
        text.contains("records stream (agent 0): 2 written, 4 dropped, 1 unfinished"),
        "{text}"
    );
}

#[test]
fn a_counter_that_a_kernel_overwrote_does_no_harm() {
    let (_, session, producer) = begin();
    producer
        .device
        .write(producer.control + 8, &[0xff; 8])
        .unwrap();
    let (summary, _) = session.finish().unwrap();
    assert_eq!(summary.records[0].unfinished, CAPACITY);
}

/// Takes records and never comes back.
struct Hanging;

impl Instrumenter for Hanging {
    fn name(&self) -> String {
        "hanging".into()
    }

    fn fingerprint(&self) -> Vec<u8> {
        Vec::new()
    }

    fn globals(&self) -> Vec<Global> {
        Collecting::default().globals()
    }

    fn instrument(&self, request: &Request<'_>) -> Result<Variant, Refusal> {
        Identity.instrument(request)
    }

    fn records(&self, _: &Agent, _: &str, _: &[u8]) {
        loop {
            std::thread::park();
        }
    }
}

/// The tool never returns, as if records went to a pipe without a reader.
#[test]
fn records_that_nobody_takes_hold_up_neither_the_application_nor_its_end() {
    let bytes = object(&[]);
    let settings = config(&[("LUTHIER_TOOL_LIMIT", "1")]);
    let (session, device) = start(&bytes, settings, Arc::new(Hanging) as _);
    session.dispatch(&launch(&bytes, "scale"));
    let producer = Producer::new(device);
    producer.complete(0, 1);
    producer.wait_consumed(1);
    session.unloaded(1);
    session.loaded(original(2, &bytes));
    session.dispatch(&launch(&bytes, "scale"));
    let (summary, _) = session.finish().unwrap();
    assert_eq!(summary.launches, 2);
    let problem = summary.records[0].problem.as_deref().unwrap();
    assert!(problem.contains("did not come back"), "{problem}");
}
