//! How far a kernel may grow: the largest workgroup that it allows has to fit a compute unit as it did.

use crate::registers::vector_registers;
use crate::{Kernels, Refusal};
use codeobj::resources::Footprint;
use codeobj::{CodeObject, KernelDescriptor, metadata::KernelEntry};

/// Work-items of a workgroup where nothing says how large one may be.
const LARGEST_WORKGROUP: u32 = 1024;

fn largest_workgroup(metadata: Option<KernelEntry<'_>>) -> u32 {
    metadata.map_or(LARGEST_WORKGROUP, KernelEntry::largest_workgroup)
}

/// VGPRs, AccVGPRs of a unified file included, that a wave of the kernel may have.
pub(crate) fn most_vgprs(descriptor: &KernelDescriptor, metadata: Option<KernelEntry<'_>>) -> u32 {
    let target = descriptor.target();
    let column = usize::from(descriptor.wave_size() == 32);
    let (total, addressable) = (target.vgpr_total[column], target.vgpr_addressable[column]);
    let waves = largest_workgroup(metadata).div_ceil(u32::from(descriptor.wave_size()));
    let both = target.has_work_group_processors() && descriptor.work_group_processor_mode();
    let simds = u32::from(target.simds_per_cu) * if both { 2 } else { 1 };
    let of_a_simd = waves.div_ceil(simds.max(1)).max(1);
    let granule = u32::from(target.vgpr_granule[column]).max(1);
    let fitting = u32::from(total) / of_a_simd / granule * granule;
    fitting.min(u32::from(addressable))
}

/// VGPRs that hooks in a wave of the kernel may have at a time; no bound where nothing is known of the kernel.
pub fn most_vgprs_of_hooks(object: &CodeObject<'_>, kernel: &str) -> u16 {
    let kernels = Kernels::chosen(object, |name| name == kernel).ok();
    let most = kernels.and_then(|kernels| {
        let (descriptor, entry) = kernels.each.get(kernel)?;
        let metadata = kernels.metadata.as_ref().zip(*entry);
        let metadata = metadata.and_then(|(metadata, entry)| metadata.kernel_at(entry));
        let (_, accumulators) = vector_registers(descriptor);
        let most = most_vgprs(descriptor, metadata).saturating_sub(accumulators);
        Some(most as u16)
    });
    most.unwrap_or(u16::MAX)
}

/// Refuses a kernel whose largest workgroup fitted a compute unit before and does not fit any more, or whose lanes would have more
/// scratch than hardware gives them.
pub(crate) fn check(
    before: &KernelDescriptor,
    after: &KernelDescriptor,
    metadata: Option<KernelEntry<'_>>,
) -> Result<(), Refusal> {
    let work_items = largest_workgroup(metadata);
    let fits = |descriptor: &KernelDescriptor| {
        let footprint = Footprint::new(descriptor);
        let scratch = descriptor.private_segment_size();
        footprint.workgroups(work_items, descriptor.group_segment_size()) > 0
            && scratch <= footprint.scratch_lane_bytes
    };
    if fits(after) || !fits(before) {
        return Ok(());
    }
    Err(Refusal::NoRoom {
        work_items,
        target: after.target().name,
        vgprs: after.vgpr_count(),
        sgprs: after.sgpr_count(),
        lds: after.group_segment_size(),
        scratch: after.private_segment_size(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gfx::{Family, TARGETS};

    /// With as many VGPRs the workgroup fits, with one granule more it does not.
    #[test]
    fn the_limit_is_the_last_count_that_fits() {
        let mut limits = 0;
        for target in TARGETS {
            for (wave32, wgp) in [(false, false), (false, true), (true, false), (true, true)] {
                let mut descriptor =
                    KernelDescriptor::from_bytes([0; KernelDescriptor::SIZE], target);
                let column = usize::from(wave32);
                let there = target.vgpr_granule[column] != 0
                    && (target.family > Family::Gfx9 || !wgp)
                    && (target.family < Family::Gfx12_5 || !wgp);
                if !there {
                    continue;
                }
                if target.family > Family::Gfx9 {
                    descriptor
                        .set("enable_wavefront_size32", wave32.into())
                        .unwrap();
                }
                if target.has_work_group_processors() {
                    descriptor.set("wgp_mode", wgp.into()).unwrap();
                }
                // (Nothing says how large a workgroup may be.)
                let most = most_vgprs(&descriptor, None);
                descriptor.require_vgprs(most).unwrap();
                let holds = |descriptor: &KernelDescriptor| {
                    Footprint::new(descriptor).workgroups(1024, 0) > 0
                };
                assert!(holds(&descriptor), "{} {wave32} {wgp}: {most}", target.name);
                if most < u32::from(target.vgpr_addressable[column]) {
                    limits += 1;
                    descriptor.require_vgprs(most + 1).unwrap();
                    assert!(
                        !holds(&descriptor),
                        "{} {wave32} {wgp}: {most}",
                        target.name
                    );
                }
            }
        }
        assert!(limits > 30, "{limits}");
    }
}
