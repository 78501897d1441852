//! How many waves fit: registers and LDS of a kernel against what a SIMD and a compute unit have.

use crate::KernelDescriptor;
use gfx::Family;

/// The resources that a kernel occupies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Resources {
    /// VGPRs one wave gets, after rounding to the allocation granule; AccVGPRs of a unified file included.
    pub allocated_vgprs: u32,
    /// SGPRs one wave gets.
    pub allocated_sgprs: u32,
    /// LDS bytes per workgroup, static and dynamic.
    pub lds_bytes: u32,
    /// How many of its waves and workgroups run on a compute unit at a time.
    pub occupancy: Occupancy,
}

/// Waves per SIMD, by each limit alone and all together. 0: a single workgroup or wave does not fit at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Occupancy {
    /// Waves that vector registers leave room for.
    pub by_vgprs: u32,
    /// Waves that scalar registers leave room for.
    pub by_sgprs: u32,
    /// Waves of whole workgroups that LDS leaves room for.
    pub by_lds: u32,
    /// Waves of whole workgroups, however little LDS they take.
    pub by_workgroups: u32,
    /// It is barriers, and not their size, that keep more workgroups away.
    pub barriers_are_scarce: bool,
    /// The least of the above.
    pub waves_per_simd: u32,
    /// SIMDs that share the LDS: 4 per compute unit of gfx9 and per work-group processor, else 2.
    pub simds: u32,
}

impl Occupancy {
    /// Waves per compute unit (or work-group processor).
    pub fn waves_per_compute_unit(&self) -> u32 {
        self.waves_per_simd * self.simds
    }

    /// The scarcest resource, or `None` if waves are limited by their number only.
    pub fn limit(&self, max_waves: u32) -> Option<&'static str> {
        let least = self.waves_per_simd;
        if least >= max_waves {
            return None;
        }
        let of_workgroups = match self.barriers_are_scarce {
            true => "barriers",
            false => "workgroup size",
        };
        // Nothing that a kernel could leave out helps where whole workgroups do not fit. LLVM allocates as many registers as cost no wave
        // then, so that these look as scarce.
        let limits = [
            (of_workgroups, self.by_workgroups),
            ("VGPRs", self.by_vgprs),
            ("SGPRs", self.by_sgprs),
            ("LDS", self.by_lds),
        ];
        limits
            .iter()
            .find(|(_, waves)| *waves == least)
            .map(|(name, _)| *name)
    }
}

/// Workgroup sizes (in lanes) for which occupancy by LDS is wanted: the best size in the range counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkgroupSizes {
    /// Work-items of the smallest.
    pub min: u32,
    /// Work-items of the largest.
    pub max: u32,
}

impl Default for WorkgroupSizes {
    fn default() -> Self {
        WorkgroupSizes { min: 1, max: 1024 }
    }
}

/// Computes what the kernel occupies when dispatched with `dynamic_lds` further bytes of LDS.
pub fn resources(
    descriptor: &KernelDescriptor,
    dynamic_lds: u32,
    sizes: WorkgroupSizes,
) -> Resources {
    let target = descriptor.target();
    let column = descriptor.wave_column();
    let max_waves = u32::from(target.max_waves_per_simd);

    let granule = u32::from(target.vgpr_granule[column]).max(1);
    let allocated_vgprs = descriptor.vgpr_count().next_multiple_of(granule);
    let by_vgprs = (u32::from(target.vgpr_total[column]) / allocated_vgprs).min(max_waves);

    let sgpr_granule = u32::from(target.sgpr_granule).max(1);
    let allocated_sgprs = descriptor.sgpr_count().next_multiple_of(sgpr_granule);
    let by_sgprs = match u32::from(target.sgpr_total) {
        0 => max_waves,
        total => (total / allocated_sgprs).min(max_waves),
    };

    let lds_bytes = descriptor.group_segment_size().saturating_add(dynamic_lds);
    let unit = ComputeUnit::for_kernel(descriptor);
    let wave_size = u32::from(descriptor.wave_size());
    let waves = |lds_bytes| unit.waves_by_lds(lds_bytes, wave_size, max_waves, sizes);
    let (by_lds, by_workgroups) = (waves(lds_bytes), waves(0));
    let plenty = ComputeUnit {
        barriers: u32::MAX,
        ..unit
    };
    let barriers_are_scarce = plenty.waves_by_lds(0, wave_size, max_waves, sizes) > by_workgroups;
    let waves_per_simd = by_vgprs.min(by_sgprs).min(by_lds);
    let occupancy = Occupancy {
        by_vgprs,
        by_sgprs,
        by_lds,
        by_workgroups,
        barriers_are_scarce,
        waves_per_simd,
        simds: unit.simds,
    };
    Resources {
        allocated_vgprs,
        allocated_sgprs,
        lds_bytes,
        occupancy,
    }
}

/// The size to which a kernel's scarcest resource must shrink so that one more wave of a SIMD finds room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct OneMore {
    /// `VGPRs`, `SGPRs` or `LDS`.
    pub of: &'static str,
    /// The amount that the kernel is given now: registers of a wave, bytes of a workgroup.
    pub now: u32,
    /// The most that leaves the room.
    pub at_most: u32,
    /// Waves per SIMD then.
    pub waves_per_simd: u32,
}

/// See [`OneMore`]; `None` where the number of waves is at the hardware's limit, or nothing that the kernel could leave out helps.
///
/// `used_vgprs`: those that the code uses, by its metadata. LLVM allocates as many more as cost no wave, so that the allocation says little
/// where LDS is the scarcest.
pub fn one_more(
    descriptor: &KernelDescriptor,
    used_vgprs: Option<u32>,
    sizes: WorkgroupSizes,
) -> Option<OneMore> {
    let target = descriptor.target();
    let column = descriptor.wave_column();
    let max_waves = u32::from(target.max_waves_per_simd);
    let used = resources(descriptor, 0, sizes);
    let granule = u32::from(target.vgpr_granule[column]).max(1);
    let total = u32::from(target.vgpr_total[column]);
    let vgprs = used_vgprs.map_or(used.allocated_vgprs, |vgprs| {
        let needed = vgprs.max(1).next_multiple_of(granule);
        needed.min(used.allocated_vgprs)
    });
    let occupancy = Occupancy {
        by_vgprs: (total / vgprs).min(max_waves),
        ..used.occupancy
    };
    let of = occupancy.limit(max_waves)?;
    let wanted = occupancy.waves_per_simd + 1;
    // The most that leaves room for one more, and for how many it does.
    let registers = |total: u32, granule: u32| {
        let most = total / wanted / granule.max(1) * granule.max(1);
        (most, total.checked_div(most).unwrap_or(0))
    };
    let mut next = occupancy;
    let (now, at_most) = match of {
        "VGPRs" => {
            let (most, waves) = registers(total, granule);
            next.by_vgprs = waves;
            (vgprs, most)
        }
        "SGPRs" => {
            let (most, waves) = registers(target.sgpr_total.into(), target.sgpr_granule.into());
            next.by_sgprs = waves;
            (used.allocated_sgprs, most)
        }
        "barriers" | "workgroup size" => return None,
        _ => {
            let unit = ComputeUnit::for_kernel(descriptor);
            let wave_size = u32::from(descriptor.wave_size());
            let waves = |granules: u32| {
                let bytes = granules * target.lds_granule;
                unit.waves_by_lds(bytes, wave_size, max_waves, sizes)
            };
            let (mut least, mut most) = (0, used.lds_bytes / target.lds_granule.max(1));
            while least < most {
                let middle = (least + most).div_ceil(2);
                match waves(middle) >= wanted {
                    true => least = middle,
                    false => most = middle - 1,
                }
            }
            next.by_lds = waves(least);
            (used.lds_bytes, least * target.lds_granule)
        }
    };
    // Another resource may be as scarce.
    let waves_per_simd = next.by_vgprs.min(next.by_sgprs).min(next.by_lds);
    let waves_per_simd = waves_per_simd.min(max_waves);
    (at_most > 0 && at_most < now && waves_per_simd >= wanted).then_some(OneMore {
        of,
        now,
        at_most,
        waves_per_simd,
    })
}

/// The waves that one resource of a kernel leaves room for, and those that its next smaller piece would.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct WhatIf {
    /// `VGPRs`, `SGPRs` or `LDS`.
    pub of: &'static str,
    /// The kernel's need, in the pieces in which the resource is given out: registers of a wave, bytes of a workgroup.
    pub now: u32,
    /// Waves per SIMD that this resource alone leaves room for.
    pub waves_per_simd: u32,
    /// One piece less.
    pub less: u32,
    /// Waves per SIMD, by all resources, if the kernel needed no more than that.
    pub waves_with_less: u32,
}

/// See [`WhatIf`]; a row for each resource of which the kernel can have less and that limits waves on this target. `used_vgprs`: as for
/// [`one_more`].
pub fn what_if(
    descriptor: &KernelDescriptor,
    used_vgprs: Option<u32>,
    sizes: WorkgroupSizes,
) -> Vec<WhatIf> {
    let target = descriptor.target();
    let column = descriptor.wave_column();
    let max_waves = u32::from(target.max_waves_per_simd);
    let used = resources(descriptor, 0, sizes);
    let unit = ComputeUnit::for_kernel(descriptor);
    let wave_size = u32::from(descriptor.wave_size());
    let by_registers = |total: u16, count: u32| (u32::from(total) / count.max(1)).min(max_waves);
    let vgpr_total = target.vgpr_total[column];
    let vgprs = used_vgprs.map_or(used.allocated_vgprs, |vgprs| {
        vgprs.min(used.allocated_vgprs)
    });
    // Name, need, granule, and waves by an amount of it.
    type Kind<'a> = (&'static str, u32, u32, &'a dyn Fn(u32) -> u32);
    let kinds: [Kind<'_>; 3] = [
        (
            "VGPRs",
            vgprs.max(1),
            target.vgpr_granule[column].into(),
            &|count| by_registers(vgpr_total, count),
        ),
        (
            "SGPRs",
            used.allocated_sgprs,
            target.sgpr_granule.into(),
            &|count| by_registers(target.sgpr_total, count),
        ),
        ("LDS", used.lds_bytes, target.lds_granule, &|bytes| {
            unit.waves_by_lds(bytes, wave_size, max_waves, sizes)
        }),
    ];
    let rows = kinds.into_iter().map(|(of, needed, granule, waves)| {
        let granule = granule.max(1);
        let now = needed.next_multiple_of(granule);
        (of, now, now.saturating_sub(granule), waves)
    });
    let rows: Vec<_> = rows
        .filter(|(of, now, ..)| *now > 0 && (*of != "SGPRs" || target.sgpr_total > 0))
        .collect();
    let of_the_rest = |of: &str| {
        let others = rows.iter().filter(|(other, ..)| *other != of);
        let least = others.map(|(_, now, _, waves)| waves(*now)).min();
        least.unwrap_or(max_waves).min(used.occupancy.by_workgroups)
    };
    let smaller = rows
        .iter()
        .filter(|(of, _, less, _)| *less > 0 || *of == "LDS");
    smaller
        .map(|(of, now, less, waves)| WhatIf {
            of,
            now: *now,
            waves_per_simd: waves(*now),
            less: *less,
            waves_with_less: waves(*less).min(of_the_rest(of)),
        })
        .collect()
}

/// The resources that a kernel takes of a compute unit, and those that the compute unit has: enough to compute how many workgroups fit,
/// whatever their size and LDS. It contains no target, so it can be kept beside a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Footprint {
    /// 32 or 64.
    pub wave_size: u32,
    /// Waves that the unit's SIMDs hold together, by their number and by registers.
    pub waves: u32,
    /// Bytes of the unit's LDS.
    pub lds_bytes: u32,
    /// Bytes of it that one workgroup may have.
    pub workgroup_lds: u32,
    /// It is given out in multiples of so many bytes.
    pub lds_granule: u32,
    /// Workgroups of more than one wave that the unit holds.
    pub barriers: u32,
    /// Bytes of scratch that one lane can have.
    pub scratch_lane_bytes: u32,
    /// The unit is so many of those that a device has.
    pub compute_units: u32,
}

impl Footprint {
    /// The footprint of a kernel with this descriptor.
    pub fn new(descriptor: &KernelDescriptor) -> Footprint {
        let target = descriptor.target();
        let unit = ComputeUnit::for_kernel(descriptor);
        let wave_size = u32::from(descriptor.wave_size());
        let occupancy = resources(descriptor, 0, WorkgroupSizes::default()).occupancy;
        Footprint {
            wave_size,
            waves: occupancy.by_vgprs.min(occupancy.by_sgprs) * unit.simds,
            lds_bytes: unit.lds_bytes,
            workgroup_lds: target.lds_bytes,
            lds_granule: target.lds_granule,
            barriers: unit.barriers,
            scratch_lane_bytes: target.scratch_lane_bytes(wave_size),
            compute_units: unit.units,
        }
    }

    /// Workgroups of so many work-items with so many bytes of LDS that run on one unit at a time; 0: not even one can.
    pub fn workgroups(&self, work_items: u32, lds_bytes: u32) -> u32 {
        if lds_bytes > self.workgroup_lds {
            return 0;
        }
        let waves = work_items.div_ceil(self.wave_size.max(1)).max(1);
        let by_waves = self.waves / waves;
        let lds = lds_bytes.next_multiple_of(self.lds_granule.max(1));
        let by_lds = self.lds_bytes.checked_div(lds).unwrap_or(u32::MAX);
        // A single wave needs no barrier.
        let by_barriers = if waves == 1 { u32::MAX } else { self.barriers };
        by_waves.min(by_lds).min(by_barriers)
    }

    /// Work-items of the largest workgroup that fits with so many bytes of LDS.
    pub fn largest_workgroup(&self, lds_bytes: u32) -> u32 {
        match self.workgroups(1, lds_bytes) {
            0 => 0,
            _ => (self.waves * self.wave_size).min(1024),
        }
    }
}

/// The hardware that shares one LDS.
struct ComputeUnit {
    units: u32,
    simds: u32,
    lds_bytes: u32,
    barriers: u32,
}

impl ComputeUnit {
    fn for_kernel(descriptor: &KernelDescriptor) -> ComputeUnit {
        let target = descriptor.target();
        // A workgroup in work-group-processor mode sees two units as one.
        let units = if target.family < Family::Gfx12_5 && descriptor.work_group_processor_mode() {
            2
        } else {
            1
        };
        ComputeUnit {
            units,
            simds: units * u32::from(target.simds_per_cu),
            lds_bytes: units * target.lds_bytes,
            barriers: units * u32::from(target.barriers_per_cu),
        }
    }

    /// Waves per SIMD for the best workgroup size in the range, waves spread evenly over the SIMDs.
    fn waves_by_lds(
        &self,
        lds_bytes: u32,
        wave_size: u32,
        max_waves: u32,
        sizes: WorkgroupSizes,
    ) -> u32 {
        let workgroups_by_lds = self.lds_bytes / lds_bytes.max(1);
        let slots = max_waves * self.simds;
        let first = sizes.min.max(1).div_ceil(wave_size);
        let last = sizes.max.clamp(1, 1024).div_ceil(wave_size).max(first);
        let waves_with = |waves_per_workgroup: u32| {
            // A single wave needs no barrier.
            let by_barriers = if waves_per_workgroup == 1 {
                slots
            } else {
                self.barriers
            };
            let workgroups = (slots / waves_per_workgroup)
                .min(by_barriers)
                .min(workgroups_by_lds);
            workgroups * waves_per_workgroup
        };
        let waves = (first..=last).map(waves_with).max().unwrap_or(0);
        waves.div_ceil(self.simds).min(max_waves)
    }
}
