//! Addresses and other words of lanes against plain comparisons.

use std::process::Command;

use vectors::{
    GROUP, LANES,
    level::{level, use_less},
    steps::{breaks, lie_apart, set},
};

/// Says to a child which extensions it leaves alone, see [`use_less`].
const LESS: &str = "LUTHIER_TEST_LESS_VECTORS";

#[test]
fn addresses_lie_apart_by_one_step() {
    for step in [0, 4, 8, 12, 16, 20, u32::MAX] {
        for first in [0, 4, 0x1000, u32::MAX - 9] {
            let mut at: [u32; GROUP] =
                std::array::from_fn(|i| (0..i).fold(first, |before, _| before.wrapping_add(step)));
            for asked in [0, 4, 8, 12, 16, 20, u32::MAX] {
                assert_eq!(lie_apart(&at, asked), asked == step, "{step}, {asked}");
            }
            // One lane that lies elsewhere; if it is the first one, the others still lie apart by the step.
            for lane in 0..GROUP {
                for change in [1, 4, 1 << 31] {
                    at[lane] ^= change;
                    assert!(!lie_apart(&at, step), "{step}: lane {lane}");
                    at[lane] ^= change;
                }
            }
        }
    }
}

/// The masks of each level that the host has, one process each: a process keeps its level.
#[test]
fn masks_are_those_of_each_lane_at_each_level() {
    if let Some(less) = std::env::var_os(LESS) {
        use_less(
            less.to_str()
                .and_then(|less| less.parse().ok())
                .expect("a number"),
        );
        println!("{:?}", level());
        return masks_are_those_of_each_lane();
    }
    for less in 0..4 {
        let program = std::env::current_exe().expect("the test's own path");
        let mut child = Command::new(program);
        child.args([
            "--exact",
            "steps::masks_are_those_of_each_lane_at_each_level",
        ]);
        let output = child
            .env(LESS, less.to_string())
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&output.stdout);
        // A child that runs no test succeeds, too.
        let has_run = output.status.success() && said.contains("1 passed");
        assert!(has_run, "{less}: {output:?}");
    }
}

fn masks_are_those_of_each_lane() {
    let mut state = 7u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 32) as u32
    };
    let mask = |is_set: &dyn Fn(usize) -> bool| {
        (0..LANES).fold(0, |mask, lane| mask | u64::from(is_set(lane)) << lane)
    };
    for round in 0..4000 {
        let (first, step) = (random(), [0, 1, 4, 16, u32::MAX][round % 5]);
        let mut words: [u32; LANES] =
            std::array::from_fn(|lane| first.wrapping_add(step.wrapping_mul(lane as u32)));
        for _ in 0..random() % 4 {
            let from = random() as usize % LANES;
            let to = from + random() as usize % (LANES - from) + 1;
            let by = random();
            words[from..to].iter_mut().for_each(|word| *word ^= by);
        }
        let broken = mask(&|lane| lane > 0 && words[lane] != words[lane - 1].wrapping_add(step));
        assert_eq!(breaks(&words, step) & !1, broken, "{round}: {words:?}");
        for _ in 0..random() % 60 {
            words[random() as usize % LANES] = 0;
        }
        assert_eq!(
            set(&words),
            mask(&|lane| words[lane] != 0),
            "{round}: {words:?}"
        );
    }
}
