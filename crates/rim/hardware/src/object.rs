//! Code objects of kernels that are nothing but code.

use codeobj::{
    CodeObject, KernelDescriptor, Metadata,
    edit::{NewObject, create, pack},
};
use gfx::{Feature, Target};
use rmpv::Value;

use crate::{
    Result,
    frame::{FIRST, SLOTS},
};

/// `EF_AMDGPU_FEATURE_*_ANY_V4`: the code runs with the feature on and off.
const XNACK_ANY: u32 = 0x100;
const SRAMECC_ANY: u32 = 0x400;
/// `ELFABIVERSION_AMDGPU_HSA_V4`.
const ABI_VERSION: u8 = 2;
/// All scalar registers that kernels may name everywhere, VCC and its neighbours included.
const SGPRS: u32 = 96;
/// Bytes of the two arguments.
const ARGUMENTS: u32 = 16;

/// A kernel to be, with two arguments: the addresses of what it reads and of what it writes.
pub struct Kernel {
    pub name: String,
    pub code: Vec<u8>,
    /// Vector registers of a slot of the frame.
    pub width: u16,
    /// Bytes of scratch of a work-item.
    pub scratch: u32,
}

/// One linked code object with all of these.
pub fn object(target: &'static Target, wave_size: u8, kernels: &[Kernel]) -> Result<Vec<u8>> {
    let mut flags = u32::from(target.mach);
    for (feature, any) in [(target.xnack, XNACK_ANY), (target.sramecc, SRAMECC_ANY)] {
        if feature == Feature::Selectable {
            flags |= any;
        }
    }
    let mut objects = Vec::new();
    for kernel in kernels {
        let created = create(&NewObject {
            flags,
            abi_version: ABI_VERSION,
            kernel: &kernel.name,
            text: &kernel.code,
            entry: 0,
            size: kernel.code.len() as u64,
            descriptor: descriptor(target, wave_size, kernel)?,
            metadata: &metadata(target, wave_size, kernel)?,
            relocations: &[],
            lines: &[],
            functions: &[],
        });
        objects.push(created.bytes);
    }
    let objects: codeobj::Result<Vec<_>> = objects
        .iter()
        .map(|bytes| CodeObject::parse(bytes))
        .collect();
    Ok(pack(&objects?)?)
}

/// Vector registers in all.
fn vgprs(width: u16) -> u32 {
    u32::from(FIRST + SLOTS * width).next_multiple_of(8)
}

fn descriptor(target: &'static Target, wave_size: u8, kernel: &Kernel) -> Result<KernelDescriptor> {
    let mut descriptor = KernelDescriptor::from_bytes([0; KernelDescriptor::SIZE], target);
    let vgprs = vgprs(kernel.width);
    // As compilers set them for HIP.
    let with_scratch = u64::from(kernel.scratch != 0);
    // Where waves find scratch themselves, they are told where it is, behind the arguments' address.
    let told = u64::from(kernel.scratch != 0 && !target.architected_flat_scratch);
    let settings = [
        ("kernarg_size", u64::from(ARGUMENTS)),
        ("enable_sgpr_kernarg_segment_ptr", 1),
        ("private_segment_fixed_size", kernel.scratch.into()),
        ("enable_private_segment", with_scratch),
        ("enable_sgpr_flat_scratch_init", told),
        ("user_sgpr_count", 2 + 2 * told),
        ("enable_sgpr_workgroup_id_x", 1),
        ("float_denorm_mode_32", 3),
        ("float_denorm_mode_16_64", 3),
        ("enable_wavefront_size32", u64::from(wave_size == 32)),
        ("enable_dx10_clamp", 1),
        ("enable_ieee_mode", 1),
        ("mem_ordered", 1),
        ("accum_offset", u64::from(vgprs / 4 - 1)),
    ];
    for (field, value) in settings {
        if descriptor.get(field).is_some() {
            descriptor.set(field, value)?;
        }
    }
    // AccVGPRs have the numbers of the vector registers that they stand beside.
    let files = if descriptor.get("accum_offset").is_some() {
        2
    } else {
        1
    };
    descriptor.require_vgprs(files * vgprs)?;
    descriptor.require_sgprs(SGPRS)?;
    Ok(descriptor)
}

fn metadata(target: &'static Target, wave_size: u8, kernel: &Kernel) -> Result<Metadata> {
    let map = |entries: Vec<(&str, Value)>| {
        Value::Map(
            entries
                .into_iter()
                .map(|(key, value)| (key.into(), value))
                .collect(),
        )
    };
    let argument = |name: &str, offset: u32| {
        map(vec![
            (".name", name.into()),
            (".address_space", "global".into()),
            (".offset", offset.into()),
            (".size", 8.into()),
            (".value_kind", "global_buffer".into()),
        ])
    };
    let entry = map(vec![
        (".name", kernel.name.as_str().into()),
        (".symbol", format!("{}.kd", kernel.name).into()),
        (
            ".args",
            Value::Array(vec![argument("input", 0), argument("output", 8)]),
        ),
        (".kernarg_segment_size", ARGUMENTS.into()),
        (".kernarg_segment_align", 8.into()),
        (".group_segment_fixed_size", 0.into()),
        (".private_segment_fixed_size", kernel.scratch.into()),
        (".wavefront_size", wave_size.into()),
        (".max_flat_workgroup_size", 64.into()),
        (".sgpr_count", SGPRS.into()),
        (".vgpr_count", vgprs(kernel.width).into()),
    ]);
    let root = map(vec![
        ("amdhsa.version", Value::Array(vec![1.into(), 1.into()])),
        (
            "amdhsa.target",
            format!("amdgcn-amd-amdhsa--{}", target.name).into(),
        ),
        ("amdhsa.kernels", Value::Array(vec![entry])),
    ]);
    let mut metadata = Metadata::parse(&[0x80], 0)?;
    *metadata.document_mut() = root;
    Ok(metadata)
}
