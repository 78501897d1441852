//! The waves of a dispatch, by how many work-items they start with.

use std::{collections::BTreeMap, ops::Range};

use gpu::Dispatch;

/// Calls `each` with a number of work-items and how many waves start with it.
pub(crate) fn waves(dispatch: &Dispatch, mut each: impl FnMut(u32, u64)) {
    // All workgroups have the inner shape except those at the upper edges; count by dimension classes.
    let edges = |count: u32| match count {
        0 | 1 => vec![(0, 1)],
        more => vec![(0, u64::from(more) - 1), (more - 1, 1)],
    };
    let [x, y, z] = dispatch.workgroups;
    for (x, times_x) in edges(x) {
        for (y, times_y) in edges(y) {
            for (z, times_z) in edges(z) {
                let times = times_x * times_y * times_z;
                alike(dispatch, items([x, y, z], dispatch), times, &mut each);
            }
        }
    }
}

/// The same for these workgroups alone, by linear index. The time that it takes is short beside that which they took.
pub(crate) fn waves_of(
    dispatch: &Dispatch,
    workgroups: &[Range<u64>],
    mut each: impl FnMut(u32, u64),
) {
    let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
    for index in workgroups.iter().cloned().flatten() {
        *sizes
            .entry(items(dispatch.workgroup(index), dispatch))
            .or_default() += 1;
    }
    for (items, times) in sizes {
        alike(dispatch, items, times, &mut each);
    }
}

fn items(workgroup: [u32; 3], dispatch: &Dispatch) -> u32 {
    dispatch.workgroup_shape(workgroup).iter().product()
}

/// The waves of `times` workgroups that have so many work-items each.
fn alike(dispatch: &Dispatch, items: u32, times: u64, each: &mut impl FnMut(u32, u64)) {
    let (full, rest) = (items / dispatch.wave_size, items % dispatch.wave_size);
    if full > 0 {
        each(dispatch.wave_size, u64::from(full) * times);
    }
    if rest > 0 {
        each(rest, times);
    }
}
