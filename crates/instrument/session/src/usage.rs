//! The resources that a kernel occupies, before and after instrumenting.

use codeobj::{
    KernelDescriptor,
    resources::{WorkgroupSizes, resources},
};
use serde::{Deserialize, Serialize};

/// Registers and memory of one wave, as allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// AccVGPRs of a unified register file included.
    pub vgprs: u32,
    pub sgprs: u32,
    /// Static bytes per workgroup.
    pub lds: u32,
    /// Bytes per work-item.
    pub scratch: u32,
    pub waves_per_simd: u32,
    /// Bytes that a workgroup can have on this target.
    #[serde(default = "unlimited")]
    pub most_lds: u32,
}

fn unlimited() -> u32 {
    u32::MAX
}

impl Usage {
    pub fn from_descriptor(descriptor: &KernelDescriptor) -> Usage {
        let resources = resources(descriptor, 0, WorkgroupSizes::default());
        Usage {
            vgprs: resources.allocated_vgprs,
            sgprs: resources.allocated_sgprs,
            lds: resources.lds_bytes,
            scratch: descriptor.private_segment_size(),
            waves_per_simd: resources.occupancy.waves_per_simd,
            most_lds: descriptor.target().lds_bytes,
        }
    }
}
