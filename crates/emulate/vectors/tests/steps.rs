//! Addresses of lanes against a plain comparison.

use vectors::{GROUP, steps::lie_apart};

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
