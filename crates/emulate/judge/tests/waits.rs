//! Waits that are judged at full speed, and one instruction at a time.

use crate::common::{Given, Judge, Launch, Told, compiled, compiled_text, launch, launches};
use emulate::Shape;
use judge::Conflict;
use std::sync::Arc;

const TARGETS: [&str; 7] = [
    "gfx900", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1201",
];

/// Compilers wait for what they use, and a judge changes nothing.
#[test]
fn what_compilers_make_is_silent_and_computes_the_same() {
    for target in TARGETS {
        for options in [["-O1"], ["-O2"], ["-O3"]] {
            let Some(bytes) = compiled(target, &options) else {
                return;
            };
            for one in launches() {
                let run = |judge| {
                    let told = Arc::new(Told::default());
                    let ended = launch(&bytes, &one, judge, &told);
                    let name = format!("{} of {target}, {options:?}, {judge:?}", one.kernel);
                    assert_eq!(told.places(), [], "{name}");
                    ended.unwrap_or_else(|why| panic!("{name}: {why}"))
                };
                let plain = run(Judge::Nobody);
                for judge in [Judge::Waits(1), Judge::Waits(2), Judge::Late] {
                    let judged = run(judge);
                    // Floating-point atomics are in the order of the waves, integers give the same in any.
                    assert!(judged == plain, "{} of {target}, {judge:?}", one.kernel);
                }
            }
        }
    }
}

/// 4 bytes a lane; the second loop round meets another state than the first.
const UNWAITED: &str = "kernel void unwaited(global int *out, global int *in, int rounds) {
    unsigned at = 4 * __builtin_amdgcn_workitem_id_x();
    int value = 0;
    for (int i = 0; i < rounds; i++) {
        int loaded;
        __asm__ volatile(\"global_load_dword %0, %2, off\\n\"
                         \"v_add_u32_e32 %1, %0, %1\\n\"
                         \"s_waitcnt vmcnt(0)\"
                         : \"=&v\"(loaded), \"+v\"(value) : \"v\"(in + at / 4) : \"memory\");
    }
    out[64 * __builtin_amdgcn_workgroup_id_x() + at / 4] = value;
}";

#[test]
fn a_place_is_told_with_how_often_waves_came_there() {
    let Some(bytes) = compiled_text("gfx90a", &["-O1"], UNWAITED) else {
        return;
    };
    let (groups, rounds) = (30, 7);
    let one = Launch {
        kernel: "unwaited",
        shape: Shape {
            grid: [groups, 1, 1],
            block: [64, 1, 1],
            dynamic_lds: 0,
        },
        given: vec![
            Given::Buffer(vec![0; 64 * 4 * groups as usize]),
            Given::Buffer(vec![1; 256]),
            Given::Int(rounds),
        ],
    };
    for judge in [Judge::Waits(1), Judge::Waits(2), Judge::Late] {
        let told = Arc::new(Told::default());
        launch(&bytes, &one, judge, &told).unwrap();
        let places = told.places();
        assert_eq!(places.len(), 1, "{judge:?}: {places:#?}");
        let (found, times) = &places[0];
        assert_eq!(found.conflict, Conflict::Read, "{judge:?}");
        // A load and its use are one dword of code or two.
        assert_eq!(found.consumer - found.producer, 8, "{judge:?}");
        assert_eq!(*times, u64::from(groups) * rounds as u64, "{judge:?}");
    }
}

/// gfx9's index mode executes what is behind the instruction that begins it: a wait there counts.
const INDEXED: &str = "kernel void indexed(global int *out, global int *in) {
    unsigned at = 4 * __builtin_amdgcn_workitem_id_x();
    int value, copy;
    __asm__ volatile(\"global_load_dword %0, %2, off\\n\"
                     \"s_set_gpr_idx_on 0, gpr_idx(SRC0)\\n\"
                     \"s_waitcnt vmcnt(0)\\n\"
                     \"v_mov_b32_e32 %1, %0\\n\"
                     \"s_set_gpr_idx_off\\n\"
                     \"v_add_u32_e32 %1, %0, %1\"
                     : \"=&v\"(value), \"=&v\"(copy) : \"v\"(in + at / 4) : \"memory\");
    out[at / 4] = copy;
}";

#[test]
fn waits_in_index_mode_count() {
    let missing = INDEXED.replace("s_waitcnt vmcnt(0)", "s_nop 0");
    for (text, places) in [(INDEXED, 0), (&missing, 1)] {
        let Some(bytes) = compiled_text("gfx906", &["-O1"], text) else {
            return;
        };
        let one = Launch {
            kernel: "indexed",
            shape: Shape {
                grid: [1, 1, 1],
                block: [64, 1, 1],
                dynamic_lds: 0,
            },
            given: vec![Given::Buffer(vec![0; 256]), Given::Buffer(vec![3; 256])],
        };
        for judge in [Judge::Waits(1), Judge::Late] {
            let told = Arc::new(Told::default());
            launch(&bytes, &one, judge, &told).unwrap();
            assert_eq!(
                told.places().len(),
                places,
                "{judge:?}: {:#?}",
                told.places()
            );
        }
    }
}
