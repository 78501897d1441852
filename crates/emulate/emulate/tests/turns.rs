//! A turn of a workgroup ends, whatever its waves do: kernels wait for workgroups that have had none.

use std::{sync::mpsc, thread, time::Duration};

use crate::common::compiled_for;
use codeobj::CodeObject;
use emulate::{Argument, Device, Shape};

/// Every workgroup but the last one polls a flag of the last one; what else it does in each round is `ROUND`.
const POLLING: &str = r#"
#define BARRIER __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup"); __builtin_amdgcn_s_barrier()
#define LOAD(at) __scoped_atomic_load_n(at, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE)
kernel void poll(global int *flag, global int *out, int groups) {
    local int seen[1];
    int id = __builtin_amdgcn_workitem_id_x(), group = __builtin_amdgcn_workgroup_id_x();
    if (group == groups - 1) {
        if (id == 0) __scoped_atomic_store_n(flag, 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
    } else {
        int done, rounds = 0;
        do { ROUND rounds++; } while (!done);
        out[groups + group] = rounds;
    }
    if (id == 0) out[group] = 1;
}"#;

const ROUNDS: &[(&str, &str)] = &[
    (
        "a barrier behind one lane's load",
        "if (id == 0) seen[0] = LOAD(flag); BARRIER; done = seen[0]; BARRIER;",
    ),
    (
        "a barrier, and work between barriers",
        "for (int i = 0; i < 100; i++) out[2 * groups + id] += i; BARRIER; if (id == 0) seen[0] = LOAD(flag); BARRIER; done = seen[0]; BARRIER;",
    ),
    (
        "a store and a barrier",
        "out[2 * groups + id]++; if (id == 0) seen[0] = LOAD(flag); BARRIER; done = seen[0]; BARRIER;",
    ),
    ("a sleep", "__builtin_amdgcn_s_sleep(2); done = LOAD(flag);"),
    ("nothing", "done = LOAD(flag);"),
    ("a store", "out[2 * groups + id]++; done = LOAD(flag);"),
    (
        "an atomic operation",
        "done = __scoped_atomic_fetch_add(flag, 0, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE);",
    ),
    (
        "one wave at the barrier, the other one polling",
        "if (id < 64) { while (!(done = LOAD(flag))) ; } BARRIER; done = 1;",
    ),
    (
        "a trap that debuggers use",
        "__asm__ volatile(\"s_sethalt 0\"); done = LOAD(flag);",
    ),
    (
        "a message",
        "__builtin_amdgcn_s_sendmsg(1, 0); done = LOAD(flag);",
    ),
    (
        "the clock",
        "__builtin_readcyclecounter(); done = LOAD(flag);",
    ),
];

/// Runs on fewer threads than workgroups. A process whose launch hangs ends all the same.
fn ends(target: &'static str, what: &'static str, round: &str, waves: u32) {
    let text = format!("#define ROUND {round}\n{POLLING}");
    let bytes = compiled_for(target, &text);
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let device = Device::new(CodeObject::parse(&bytes).unwrap(), 1).unwrap();
        let flag = device.buffer(&[], 4).unwrap();
        let groups = 8u32;
        let out = device.buffer(&[], 1 << 16).unwrap();
        let shape = Shape {
            grid: [groups, 1, 1],
            block: [64 * waves, 1, 1],
            dynamic_lds: 0,
        };
        let arguments = [
            Argument::pointer(flag),
            Argument::pointer(out),
            Argument(groups.to_le_bytes().to_vec()),
        ];
        device.launch("poll", &shape, &arguments).unwrap();
        let mut ended = [0; 32];
        device.read(out, &mut ended).unwrap();
        sender.send(ended == [1, 0, 0, 0].repeat(8)[..]).unwrap();
    });
    let all = receiver.recv_timeout(Duration::from_secs(60));
    assert_eq!(all, Ok(true), "{target}: {what} with {waves} waves");
}

#[test]
fn polling_workgroups_do_not_keep_others_from_their_turn() {
    for target in ["gfx90a", "gfx1030", "gfx1100", "gfx1201"] {
        for (what, round) in ROUNDS {
            for waves in [1, 2] {
                ends(target, what, round, waves);
            }
        }
    }
}
