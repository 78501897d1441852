//! Counts per instruction, and launches that their caller ends.

use crate::common::{ENDLESS, NUMBER, SHAPE, compiled};
use codeobj::CodeObject;
use emulate::{Argument, Device, Error};

#[test]
fn instructions_are_counted_where_that_is_wanted() {
    let bytes = compiled(NUMBER);
    let object = CodeObject::parse(&bytes).unwrap();
    let entry = object.kernel("number").unwrap().entry;
    let device = Device::new(object, 2).unwrap();
    let out = device.buffer(&[], 6400 * 4).unwrap();
    let mut prepared = device
        .prepare("number", &SHAPE, &[Argument::pointer(out)])
        .unwrap();
    assert_eq!(device.run(&prepared).unwrap().instructions, []);
    prepared.count_instructions();
    let counts = device.run_while(&prepared, None, &mut || true).unwrap();
    let first = counts.instructions[0];
    assert_eq!(first.pc - device.base(), entry);
    assert_eq!(
        [first.wave_instructions, first.lane_instructions],
        [100, 6400]
    );
    let sum: u64 = counts
        .instructions
        .iter()
        .map(|one| one.lane_instructions)
        .sum();
    assert_eq!(sum, counts.lane_instructions);
    device.release(prepared).unwrap();
}

/// Half of the waves wait for the other half, and look again and again.
const HANDED: &str = "
kernel void handed(void) {
    if (__builtin_amdgcn_workgroup_id_x() < 50)
        __builtin_amdgcn_ds_gws_sema_p(1);
    else
        __builtin_amdgcn_ds_gws_sema_v(1);
}";

/// An instruction that waits has been executed when it is over, and not each time that it looks.
#[test]
fn a_wait_counts_once() {
    let bytes = compiled(HANDED);
    for threads in [1, 2] {
        let device = Device::new(CodeObject::parse(&bytes).unwrap(), threads).unwrap();
        let mut prepared = device.prepare("handed", &SHAPE, &[]).unwrap();
        prepared.count_instructions();
        let counts = device.run(&prepared).unwrap();
        assert!(counts.instructions.len() > 5);
        for one in &counts.instructions {
            assert!(
                matches!(one.wave_instructions, 50 | 100),
                "{:#x}: {}",
                one.pc - device.base(),
                one.wave_instructions
            );
        }
    }
}

#[test]
fn whoever_waits_may_end_a_launch() {
    let bytes = compiled(ENDLESS);
    let device = Device::new(CodeObject::parse(&bytes).unwrap(), 2).unwrap();
    let flag = device.buffer(&[], 4).unwrap();
    let prepared = device
        .prepare("endless", &SHAPE, &[Argument::pointer(flag)])
        .unwrap();
    let mut asked = 0;
    let outcome = device.run_while(&prepared, None, &mut || {
        asked += 1;
        asked < 3
    });
    assert!(matches!(outcome, Err(Error::Stopped { .. })));
    assert_eq!(asked, 3);
    // The device can go on.
    device.write(flag, &[1]).unwrap();
    assert_eq!(device.run(&prepared).unwrap().waves, 100);
}
