//! Outcomes that the memory model forbids, looked for with two host threads directly on the device: litmus tests whose roles meet in every
//! round.
//!
//! `LUTHIER_LITMUS_ROUNDS` is the number of rounds per test and target, for long runs. `LUTHIER_LITMUS_OBJECTS` names a folder that
//! keeps the compiled kernels: with a full one, this program needs no compiler and runs on other machines.

use std::{env, fs, path::PathBuf, thread};

use crate::common::compiled_for;
use codeobj::CodeObject;
use emulate::{Argument, Device, Shape};

/// One target of each family, and those of gfx9 that wait and write back in other ways.
const TARGETS: &[&str] = &[
    "gfx906", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1201",
];

/// Name, roles, and what each role does; `a` and `b` are what it sees.
const TESTS: &[(&str, &[&str])] = &[
    (
        "message passing",
        &[
            "STORE(x, RELAXED); STORE(y, RELEASE);",
            "a = LOAD(y, ACQUIRE); b = LOAD(x, RELAXED);",
        ],
    ),
    (
        "store buffering",
        &[
            "STORE(x, SEQ_CST); a = LOAD(y, SEQ_CST);",
            "STORE(y, SEQ_CST); a = LOAD(x, SEQ_CST);",
        ],
    ),
    (
        "store buffering with fences",
        &[
            "STORE(x, RELAXED); FENCE; a = LOAD(y, RELAXED);",
            "STORE(y, RELAXED); FENCE; a = LOAD(x, RELAXED);",
        ],
    ),
    (
        "load buffering",
        &[
            "a = LOAD(x, ACQUIRE); STORE(y, RELEASE);",
            "a = LOAD(y, ACQUIRE); STORE(x, RELEASE);",
        ],
    ),
    (
        "coherence of reads",
        &[
            "STORE(x, RELAXED);",
            "a = LOAD(x, RELAXED); b = LOAD(x, RELAXED);",
        ],
    ),
    (
        "independent reads",
        &[
            "STORE(x, SEQ_CST);",
            "STORE(y, SEQ_CST);",
            "a = LOAD(x, SEQ_CST); b = LOAD(y, SEQ_CST);",
            "a = LOAD(y, SEQ_CST); b = LOAD(x, SEQ_CST);",
        ],
    ),
];

/// Returns `true` if no order of the roles' steps shows `seen`, `a` and `b` of each role.
fn forbidden(test: &str, seen: &[[i32; 2]]) -> bool {
    match test {
        "message passing" => seen[1] == [1, 0],
        "load buffering" => seen[0][0] == 1 && seen[1][0] == 1,
        "coherence of reads" => seen[1] == [1, 0],
        "independent reads" => seen[2] == [1, 0] && seen[3] == [1, 0],
        _ => seen[0][0] == 0 && seen[1][0] == 0,
    }
}

/// Rounds of one launch: each has places of its own, in cache lines of their own.
const ROUNDS: usize = 4096;
const APART: usize = 32;
/// Rounds per test and target unless more are asked for.
const USUAL: usize = 2 * ROUNDS;

fn source() -> String {
    let mut text = r#"
#define STORE(at, order) __scoped_atomic_store_n(at, 1, __ATOMIC_##order, __MEMORY_SCOPE_DEVICE)
#define LOAD(at, order) __scoped_atomic_load_n(at, __ATOMIC_##order, __MEMORY_SCOPE_DEVICE)
#define FENCE __scoped_atomic_thread_fence(__ATOMIC_SEQ_CST, __MEMORY_SCOPE_DEVICE)
"#
    .to_owned();
    for (number, (_, roles)) in TESTS.iter().enumerate() {
        let count = roles.len();
        let cases: String = (roles.iter().enumerate())
            .map(|(role, act)| format!("case {role}: {act} break;\n"))
            .collect();
        text += &format!(
            "kernel void test{number}(global int *places, global int *seen, global int *met, int rounds) {{
    int group = __builtin_amdgcn_workgroup_id_x(), role = group % {count}, team = group / {count};
    places += team * rounds * {both};
    seen += team * rounds * {results};
    met += team * {roles_apart};
    for (int i = 0; i < rounds; i++) {{
        global int *x = places + i * {both}, *y = x + {APART};
        // Both places are in the cache of every host thread: a store waits for the other ones to give its line up, a load does not.
        LOAD(x, RELAXED);
        LOAD(y, RELAXED);
        // All roles begin together.
        __scoped_atomic_store_n(met + role * {APART}, i + 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
        for (int other = 0; other < {count}; other++)
            while (__scoped_atomic_load_n(met + other * {APART}, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE) <= i) ;
        int a = 0, b = 0;
        switch (role) {{ {cases} }}
        seen[i * {results} + role * 2] = a;
        seen[i * {results} + role * 2 + 1] = b;
    }}
}}\n",
            both = 2 * APART,
            results = 2 * count,
            roles_apart = count * APART,
        );
    }
    text
}

fn object(target: &str) -> Vec<u8> {
    let Some(folder) = env::var_os("LUTHIER_LITMUS_OBJECTS").map(PathBuf::from) else {
        return compiled_for(target, &source());
    };
    let path = folder.join(format!("{target}.co"));
    if let Ok(kept) = fs::read(&path) {
        return kept;
    }
    let made = compiled_for(target, &source());
    fs::create_dir_all(&folder).unwrap();
    fs::write(&path, &made).unwrap();
    made
}

/// Outcomes, and how many of them are forbidden.
fn outcomes(device: &Device<'_>, number: usize, rounds: usize, teams: usize) -> (usize, usize) {
    let (name, roles) = TESTS[number];
    let roles = roles.len();
    let (places, seen) = (
        teams * ROUNDS * 2 * APART * 4,
        teams * ROUNDS * roles * 2 * 4,
    );
    let met = teams * roles * APART * 4;
    let [at_places, at_seen, at_met] =
        [places, seen, met].map(|size| device.buffer(&[], size as u64).unwrap());
    let shape = Shape {
        grid: [(teams * roles) as u32, 1, 1],
        block: [1, 1, 1],
        dynamic_lds: 0,
    };
    let arguments = [
        Argument::pointer(at_places),
        Argument::pointer(at_seen),
        Argument::pointer(at_met),
        Argument((ROUNDS as u32).to_le_bytes().to_vec()),
    ];
    let (zeros, mut bytes) = (vec![0; places], vec![0; seen]);
    let (mut tried, mut bad) = (0, 0);
    while tried < rounds {
        device.write(at_places, &zeros).unwrap();
        device.write(at_met, &zeros[..met]).unwrap();
        let kernel = format!("test{number}");
        device.launch(&kernel, &shape, &arguments).unwrap();
        device.read(at_seen, &mut bytes).unwrap();
        for round in bytes.chunks_exact(roles * 8) {
            let word = |at: &[u8]| i32::from_le_bytes(at.try_into().unwrap());
            let seen: Vec<_> = round
                .chunks_exact(8)
                .map(|role| [word(&role[..4]), word(&role[4..])])
                .collect();
            bad += usize::from(forbidden(name, &seen));
        }
        tried += teams * ROUNDS;
    }
    for at in [at_places, at_seen, at_met] {
        device.free(at).unwrap();
    }
    (tried, bad)
}

#[test]
fn forbidden_outcomes_do_not_occur() {
    let rounds = env::var("LUTHIER_LITMUS_ROUNDS").ok();
    let rounds: usize = rounds.map_or(USUAL, |rounds| rounds.parse().expect("a number of rounds"));
    let threads = thread::available_parallelism().map_or(2, |threads| threads.get().max(2));
    let mut found = Vec::new();
    for target in TARGETS {
        let bytes = object(target);
        let device = Device::new(CodeObject::parse(&bytes).unwrap(), threads).unwrap();
        for (number, (name, roles)) in TESTS.iter().enumerate() {
            let teams = (threads / roles.len()).max(1);
            let (tried, bad) = outcomes(&device, number, rounds, teams);
            let line = format!("{target}, {name}: {bad} of {tried} outcomes are forbidden ones");
            println!("{line}");
            if bad > 0 {
                found.push(line);
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
