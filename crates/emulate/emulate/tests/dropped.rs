//! A device that is dropped, and a buffer that is freed, give everything back. The one test of its process: it counts threads.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use crate::common::{NUMBER, SHAPE, compiled};
use codeobj::CodeObject;
use emulate::{Argument, Device};

/// Four of these do not fit into the address space together.
const HUGE: u64 = 1 << 45;
fn threads() -> usize {
    fs::read_dir("/proc/self/task").unwrap().count()
}

#[test]
fn dropped_devices_leave_no_thread_and_no_memory() {
    let bytes = compiled(NUMBER);
    let before = threads();
    for _ in 0..8 {
        let device = Device::new(CodeObject::parse(&bytes).unwrap(), 3).unwrap();
        let out = device.buffer(&[], HUGE).unwrap();
        let counts = device
            .launch("number", &SHAPE, &[Argument::pointer(out)])
            .unwrap();
        assert_eq!(counts.waves, 100);
        drop(device);
        // Threads are not waited for, and memory goes with the last of them.
        let began = Instant::now();
        while threads() > before {
            assert!(began.elapsed() < Duration::from_secs(120), "threads stay");
            thread::sleep(Duration::from_millis(1));
        }
    }
    let device = Device::new(CodeObject::parse(&bytes).unwrap(), 1).unwrap();
    for _ in 0..8 {
        let out = device.buffer(&[], HUGE).unwrap();
        device.free(out).unwrap();
        assert!(device.free(out).is_err());
    }
}
