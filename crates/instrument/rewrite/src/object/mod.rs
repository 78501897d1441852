//! Rewritten kernels to code objects.

mod lines;
mod live_object;
mod static_object;

pub use live_object::{LivePatch, live_object, live_object_of};
pub use static_object::{check_static, static_object, static_object_with};

use crate::{AddressHalf, Rewritten};
use codeobj::edit::DynamicRelocation;
use codeobj::metadata::KernelEdit;

fn kind_of(half: AddressHalf) -> DynamicRelocation {
    match half {
        AddressHalf::Low => DynamicRelocation::Abs32Lo,
        AddressHalf::High => DynamicRelocation::Abs32Hi,
    }
}

/// Writes the kernel's present needs into its descriptor and metadata.
fn describe(mut edit: KernelEdit<'_>, kernel: &Rewritten) {
    let descriptor = &kernel.descriptor;
    let report = &kernel.report;
    if report.vgprs.1 > report.vgprs.0 {
        edit.raise(".vgpr_count", u64::from(descriptor.vgpr_count()));
    }
    if report.sgprs.1 > report.sgprs.0 {
        edit.raise(".sgpr_count", u64::from(descriptor.sgpr_count()));
    }
    if report.scratch.1 > report.scratch.0 {
        let bytes = u64::from(descriptor.private_segment_size());
        edit.raise(".private_segment_fixed_size", bytes);
    }
    if report.lds.1 > report.lds.0 {
        let bytes = u64::from(descriptor.group_segment_size());
        edit.raise(".group_segment_fixed_size", bytes);
    }
}
