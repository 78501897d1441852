//! Checks that a variant fits a launch as the original does. Only launches say how large workgroups are, and how much LDS and scratch they
//! ask for.

use codeobj::{KernelDescriptor, resources::Footprint};
use serde::{Deserialize, Serialize};

/// The resources that a kernel takes of a compute unit, without tools and with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fit {
    pub before: Footprint,
    pub after: Footprint,
}

/// Something that a launch asks for, for the original and for the variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Needed {
    pub before: u32,
    pub after: u32,
}

impl Needed {
    /// The packet may ask for more than the descriptor: dynamic LDS, a larger stack. Tools come on top of that.
    pub fn grown(packet: u32, before: u32, after: u32) -> Needed {
        let grown = packet.saturating_add(after.saturating_sub(before));
        Needed {
            before: packet,
            after: grown.max(after),
        }
    }
}

/// The sizes of a launch that matter here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaunchSize {
    /// Work-items of a workgroup.
    pub work_items: u32,
    /// Bytes per workgroup.
    pub lds: Needed,
    /// Bytes per work-item.
    pub scratch: Needed,
    /// All workgroups must be on the device at once.
    pub together: Option<Together>,
}

/// Workgroups of a cooperative launch, and the compute units that are there for them (0: not known).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Together {
    pub workgroups: u64,
    pub compute_units: u32,
}

impl Together {
    /// Returns `true` if all of them run at once if each unit of `footprint` holds so many.
    fn fit(&self, footprint: &Footprint, per_unit: u32) -> bool {
        let units = self.compute_units / footprint.compute_units.max(1);
        self.workgroups <= u64::from(units) * u64::from(per_unit)
    }
}

/// Why a launch runs the original although there is a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unfit {
    Lds,
    Scratch,
    Workgroup,
    Cooperative,
}

impl Fit {
    pub fn new(before: &KernelDescriptor, after: &KernelDescriptor) -> Fit {
        Fit {
            before: Footprint::new(before),
            after: Footprint::new(after),
        }
    }

    /// Why the variant does not fit the launch although the original does, if that is so; with words for the user.
    pub(crate) fn judge(&self, launch: &LaunchSize) -> Option<(Unfit, String)> {
        let (before, after) = (&self.before, &self.after);
        let Needed {
            before: lds_before,
            after: lds_after,
        } = launch.lds;
        let room = [
            before.workgroups(launch.work_items, lds_before),
            after.workgroups(launch.work_items, lds_after),
        ];
        // The footprint of tools in the application's own object is not known. A launch that does not fit without tools is refused by the
        // device.
        if room[0] == 0 {
            return None;
        }
        let most = after.workgroup_lds;
        if lds_after > most {
            let more = lds_after - lds_before;
            let reason = format!(
                "tools need {more} bytes of LDS beside what the launch asks for, and a workgroup has at most {most}"
            );
            return Some((Unfit::Lds, reason));
        }
        let (scratch, most) = (launch.scratch, after.scratch_lane_bytes);
        if scratch.after > most && scratch.before <= most {
            let more = scratch.after - scratch.before;
            let reason = format!(
                "tools need {more} bytes of scratch beside what the launch asks for, and a work-item has at most {most}"
            );
            return Some((Unfit::Scratch, reason));
        }
        if room[1] == 0 {
            let largest = after.largest_workgroup(lds_after);
            let reason = format!(
                "with the registers of tools, workgroups of more than {largest} work-items do not fit a compute unit"
            );
            return Some((Unfit::Workgroup, reason));
        }
        let together = launch.together?;
        (room[1] < room[0] && !together.fit(after, room[1])).then(|| {
            let reason = format!(
                "it is a cooperative launch, all of whose {} workgroups have to run at once: without tools {} of them fit per compute \
                 unit, and with tools {}",
                together.workgroups, room[0], room[1]
            );
            (Unfit::Cooperative, reason)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// gfx90a: 64 VGPRs without tools and 72 with them.
    fn fit() -> Fit {
        let before = Footprint {
            wave_size: 64,
            waves: 32,
            lds_bytes: 65536,
            workgroup_lds: 65536,
            lds_granule: 512,
            barriers: 16,
            scratch_lane_bytes: 131_056,
            compute_units: 1,
        };
        let after = Footprint {
            waves: 28,
            ..before
        };
        Fit { before, after }
    }

    fn launch(work_items: u32, lds: u32) -> LaunchSize {
        LaunchSize {
            work_items,
            lds: Needed::grown(lds, 0, 0),
            scratch: Needed::grown(0, 0, 0),
            together: None,
        }
    }

    fn unfit(fit: &Fit, launch: LaunchSize) -> Option<Unfit> {
        fit.judge(&launch).map(|(unfit, _)| unfit)
    }

    #[test]
    fn workgroups_fit_by_waves() {
        let tight = Fit {
            after: Footprint {
                waves: 12,
                ..fit().after
            },
            ..fit()
        };
        let of = |work_items| unfit(&tight, launch(work_items, 0));
        assert_eq!([64, 768].map(of), [None; 2]);
        assert_eq!([769, 1024].map(of), [Some(Unfit::Workgroup); 2]);
    }

    #[test]
    fn cooperative_launches_need_as_many_workgroups_at_once() {
        let of = |work_items, lds| {
            let cooperative = LaunchSize {
                together: Some(Together {
                    workgroups: 1000,
                    compute_units: 0,
                }),
                ..launch(work_items, lds)
            };
            unfit(&fit(), cooperative)
        };
        // 32 waves are 4 workgroups of 8, 28 are 3; of 4 waves 8 and 7.
        assert_eq!(of(512, 0), Some(Unfit::Cooperative));
        assert_eq!(of(256, 0), Some(Unfit::Cooperative));
        // LDS is the limit anyway: 3 workgroups, and of 16 waves 1.
        assert_eq!(of(512, 20_000), None);
        assert_eq!(of(1024, 40_000), None);
        assert_eq!(of(1024, 0), Some(Unfit::Cooperative));
        assert_eq!(unfit(&fit(), launch(512, 0)), None);
    }

    #[test]
    fn a_small_grid_fits_with_fewer_workgroups_per_unit() {
        let of = |workgroups, compute_units, seen_as_one| {
            let together = Together {
                workgroups,
                compute_units,
            };
            let mut fit = fit();
            fit.after.compute_units = seen_as_one;
            let launch = LaunchSize {
                together: Some(together),
                ..launch(512, 0)
            };
            unfit(&fit, launch)
        };
        // 3 of 8 waves per unit, with tools.
        assert_eq!(of(3 * 104, 104, 1), None);
        assert_eq!(of(3 * 104 + 1, 104, 1), Some(Unfit::Cooperative));
        assert_eq!(of(3 * 52, 104, 2), None);
        assert_eq!(of(3 * 52 + 1, 104, 2), Some(Unfit::Cooperative));
        assert_eq!(of(1, 0, 1), Some(Unfit::Cooperative));
    }

    #[test]
    fn lds_and_scratch_come_on_top_of_what_launches_ask_for() {
        let with = |lds, scratch| LaunchSize {
            lds: Needed::grown(lds, 0, 271),
            scratch: Needed::grown(scratch, 16, 288),
            ..launch(64, 0)
        };
        assert_eq!(unfit(&fit(), with(65_265, 0)), None);
        assert_eq!(unfit(&fit(), with(65_266, 0)), Some(Unfit::Lds));
        // It does not fit without tools either.
        assert_eq!(unfit(&fit(), with(65_537, 0)), None);
        assert_eq!(unfit(&fit(), with(0, 130_784)), None);
        assert_eq!(unfit(&fit(), with(0, 130_788)), Some(Unfit::Scratch));
        assert_eq!(unfit(&Fit::default(), with(65_536, 0)), None);
    }
}
