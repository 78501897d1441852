//! The device's time goes on with what kernels execute, and waits for a time take that time.

use std::time::{Duration, Instant};

use crate::common::compiled_for;
use codeobj::CodeObject;
use emulate::{Argument, Device, Shape};

const TARGETS: &[&str] = &[
    "gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201",
];

const TEXT: &str = r#"
#define CYCLES __builtin_readcyclecounter()
#define TICKS __builtin_readsteadycounter()
kernel void measure(global unsigned *out, int rounds) {
    int group = __builtin_amdgcn_workgroup_id_x();
    unsigned long before = CYCLES, ticks = TICKS;
    _Pragma("clang loop unroll(disable)")
    for (int i = 0; i < rounds; i++) __asm__ volatile("s_nop 0");
    unsigned long ticks_after = TICKS, after = CYCLES;
    out[2 * group] = after - before;
    out[2 * group + 1] = ticks_after - ticks;
}
kernel void wait(global unsigned long *out, unsigned long ticks) {
    unsigned long before = TICKS, now;
    do now = TICKS; while (now - before < ticks);
    out[__builtin_amdgcn_workgroup_id_x()] = now - before;
}
kernel void doze(global unsigned long *out, unsigned long ticks) {
    unsigned long before = TICKS, now;
    do { __builtin_amdgcn_s_sleep(5); now = TICKS; } while (now - before < ticks);
    out[__builtin_amdgcn_workgroup_id_x()] = now - before;
}
// Every workgroup looks at the clock after the one before it has, which it is told by a flag.
kernel void relay(global int *flag, global unsigned long *out) {
    int group = __builtin_amdgcn_workgroup_id_x();
    for (int i = 0; i < 1000 * (7 - group); i++) __asm__ volatile("s_nop 0");
    while (__scoped_atomic_load_n(flag, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE) != group) ;
    out[group] = TICKS;
    __scoped_atomic_store_n(flag, group + 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
}"#;

fn shape(groups: u32) -> Shape {
    Shape {
        grid: [groups, 1, 1],
        block: [64, 1, 1],
        dynamic_lds: 0,
    }
}

fn launch(device: &Device<'_>, kernel: &str, groups: u32, rest: &[Argument]) -> Vec<u8> {
    let out = device.buffer(&[], 4096).unwrap();
    let mut arguments = vec![Argument::pointer(out)];
    arguments.extend_from_slice(rest);
    device.launch(kernel, &shape(groups), &arguments).unwrap();
    let mut bytes = vec![0; 8 * groups as usize];
    device.read(out, &mut bytes).unwrap();
    bytes
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

fn long_words(bytes: &[u8]) -> Vec<u64> {
    let words = bytes.chunks_exact(8);
    words
        .map(|word| u64::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

#[test]
fn intervals_are_those_of_the_work_between() {
    for target in TARGETS {
        let bytes = compiled_for(target, TEXT);
        let mut all = Vec::new();
        for threads in [1, 1, 3] {
            let device = Device::new(CodeObject::parse(&bytes).unwrap(), threads).unwrap();
            let measured = |rounds: i32| {
                let rounds = Argument(rounds.to_le_bytes().to_vec());
                words(&launch(&device, "measure", 40, &[rounds]))
            };
            let [few, more, many] = [10, 1010, 60_010].map(measured);
            for ((few, more), many) in few.chunks(2).zip(more.chunks(2)).zip(many.chunks(2)) {
                // Three or four instructions a round.
                let round = (more[0] - few[0]) / 1000;
                assert!((3..8).contains(&round), "{target}: {few:?} {more:?}");
                assert_eq!(more[0] - few[0], 1000 * round);
                assert_eq!(many[0] - few[0], 60_000 * round);
                assert!(
                    few[1] > 0 && more[1] > few[1] && many[1] > more[1],
                    "{target}"
                );
            }
            all.push(
                few.iter()
                    .chain(&more)
                    .step_by(2)
                    .copied()
                    .collect::<Vec<_>>(),
            );
        }
        assert!(
            all.windows(2).all(|pair| pair[0] == pair[1]),
            "{target}: {all:?}"
        );
    }
}

#[test]
fn waits_for_a_time_take_it() {
    const TICKS: u64 = 3_000_000;
    for target in TARGETS {
        let bytes = compiled_for(target, TEXT);
        for kernel in ["wait", "doze"] {
            for groups in [1, 30] {
                let device = Device::new(CodeObject::parse(&bytes).unwrap(), 2).unwrap();
                let began = Instant::now();
                let ticks = Argument(TICKS.to_le_bytes().to_vec());
                let waited = long_words(&launch(&device, kernel, groups, &[ticks]));
                let took = began.elapsed();
                let least = Duration::from_nanos(10 * TICKS);
                assert!(took >= least * 9 / 10, "{target} {kernel}: {took:?}");
                // All wait at once.
                assert!(
                    took < least + Duration::from_secs(10),
                    "{target} {kernel} {groups}: {took:?}"
                );
                for waited in waited {
                    assert!(
                        (TICKS..TICKS + TICKS / 16).contains(&waited),
                        "{target} {kernel}: {waited}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_was_seen_of_others_is_past() {
    for target in TARGETS {
        let bytes = compiled_for(target, TEXT);
        for threads in [1, 3] {
            let device = Device::new(CodeObject::parse(&bytes).unwrap(), threads).unwrap();
            let out = device.buffer(&[], 64).unwrap();
            let flag = device.buffer(&[], 4).unwrap();
            let arguments = [Argument::pointer(flag), Argument::pointer(out)];
            // The time of one wave, however large that is.
            let one_lane = Shape {
                block: [1, 1, 1],
                ..shape(8)
            };
            device.launch("relay", &one_lane, &arguments).unwrap();
            let mut bytes = [0; 64];
            device.read(out, &mut bytes).unwrap();
            assert!(
                long_words(&bytes).is_sorted(),
                "{target}: {:?}",
                long_words(&bytes)
            );
        }
    }
}
