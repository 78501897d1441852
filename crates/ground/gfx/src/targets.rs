//! The table of targets. Sources: LLVM's AMDGPU usage guide (processors, `EF_AMDGPU_MACH`, register granules) and
//! AMD's ISA manuals.

use crate::{Family::*, Feature::*, Matrix::*, Target};

/// The largest number of a field of so many bits, in units of so many dwords, in bytes.
const fn field(bits: u32, dwords: u32) -> u32 {
    ((1 << bits) - 1) * dwords * 4
}

/// gfx9 compute defaults; rows override what differs.
pub(crate) const GFX9: Target = Target {
    name: "",
    mach: 0,
    family: Gfx9,
    version: (9, 0, 0),
    wave_size: 64,
    vgpr_granule: [4, 0],
    vgpr_encoding_granule: [4, 0],
    vgpr_total: [256, 0],
    vgpr_addressable: [256, 0],
    sgpr_addressable: 102,
    sgpr_granule: 16,
    sgpr_total: 800,
    max_waves_per_simd: 10,
    simds_per_cu: 4,
    lds_bytes: 65536,
    lds_granule: 512,
    scratch_wave_bytes: field(13, 256),
    barriers_per_cu: 16,
    matrix: None,
    xnack: Selectable,
    retries_by_process: false,
    sramecc: Absent,
    packed_work_item_ids: false,
    remote_float_atomics: true,
    unified_register_file: false,
    architected_flat_scratch: false,
    compute_dies: 1,
};

pub(crate) const GFX90A: Target = Target {
    vgpr_granule: [8, 0],
    vgpr_encoding_granule: [8, 0],
    vgpr_total: [512, 0],
    vgpr_addressable: [512, 0],
    max_waves_per_simd: 8,
    matrix: Mfma2,
    retries_by_process: true,
    sramecc: Selectable,
    packed_work_item_ids: true,
    remote_float_atomics: false,
    unified_register_file: true,
    ..GFX9
};

pub(crate) const GFX940: Target = Target {
    matrix: Mfma3,
    remote_float_atomics: true,
    architected_flat_scratch: true,
    compute_dies: 8,
    ..GFX90A
};

pub(crate) const GFX10: Target = Target {
    family: Gfx10,
    wave_size: 32,
    vgpr_granule: [4, 8],
    vgpr_encoding_granule: [4, 8],
    vgpr_total: [512, 1024],
    vgpr_addressable: [256, 256],
    sgpr_addressable: 106,
    sgpr_granule: 0,
    sgpr_total: 0,
    max_waves_per_simd: 20,
    simds_per_cu: 2,
    ..GFX9
};

pub(crate) const GFX10_3: Target = Target {
    family: Gfx10_3,
    vgpr_granule: [8, 16],
    max_waves_per_simd: 16,
    xnack: Absent,
    ..GFX10
};

pub(crate) const GFX11: Target = Target {
    family: Gfx11,
    scratch_wave_bytes: field(15, 64),
    vgpr_granule: [12, 24],
    vgpr_total: [768, 1536],
    matrix: Wmma,
    packed_work_item_ids: true,
    architected_flat_scratch: true,
    ..GFX10_3
};

/// The smaller RDNA 3 register file.
pub(crate) const GFX11_SMALL: Target = Target {
    vgpr_granule: [8, 16],
    vgpr_total: [512, 1024],
    ..GFX11
};

pub(crate) const GFX12: Target = Target {
    family: Gfx12,
    scratch_wave_bytes: field(18, 64),
    ..GFX11
};

pub(crate) const GFX12_5: Target = Target {
    family: Gfx12_5,
    wave_size: 32,
    vgpr_granule: [0, 16],
    vgpr_encoding_granule: [0, 16],
    vgpr_total: [0, 1024],
    vgpr_addressable: [0, 1024],
    simds_per_cu: 4,
    lds_bytes: 327680,
    lds_granule: 2048,
    xnack: Absent,
    ..GFX12
};

/// Every target this project knows, oldest first.
#[rustfmt::skip]
pub static TARGETS: &[Target] = &[
    Target { name: "gfx900",  mach: 0x2c, version: (9, 0, 0),   ..GFX9 },
    Target { name: "gfx902",  mach: 0x2d, version: (9, 0, 2),   ..GFX9 },
    Target { name: "gfx904",  mach: 0x2e, version: (9, 0, 4),   ..GFX9 },
    Target { name: "gfx906",  mach: 0x2f, version: (9, 0, 6),   sramecc: Selectable, ..GFX9 },
    Target { name: "gfx908",  mach: 0x30, version: (9, 0, 8),   sramecc: Selectable, matrix: Mfma1, ..GFX9 },
    Target { name: "gfx909",  mach: 0x31, version: (9, 0, 9),   ..GFX9 },
    Target { name: "gfx90c",  mach: 0x32, version: (9, 0, 12),  ..GFX9 },
    Target { name: "gfx90a",  mach: 0x3f, version: (9, 0, 10),  ..GFX90A },
    Target { name: "gfx942",  mach: 0x4c, version: (9, 4, 2),   ..GFX940 },
    Target { name: "gfx950",  mach: 0x4f, version: (9, 5, 0),   lds_bytes: 163840, lds_granule: 1280, matrix: Mfma4, ..GFX940 },
    Target { name: "gfx1010", mach: 0x33, version: (10, 1, 0),  ..GFX10 },
    Target { name: "gfx1011", mach: 0x34, version: (10, 1, 1),  ..GFX10 },
    Target { name: "gfx1012", mach: 0x35, version: (10, 1, 2),  ..GFX10 },
    Target { name: "gfx1013", mach: 0x42, version: (10, 1, 3),  ..GFX10 },
    Target { name: "gfx1030", mach: 0x36, version: (10, 3, 0),  ..GFX10_3 },
    Target { name: "gfx1031", mach: 0x37, version: (10, 3, 1),  ..GFX10_3 },
    Target { name: "gfx1032", mach: 0x38, version: (10, 3, 2),  ..GFX10_3 },
    Target { name: "gfx1033", mach: 0x39, version: (10, 3, 3),  ..GFX10_3 },
    Target { name: "gfx1034", mach: 0x3e, version: (10, 3, 4),  ..GFX10_3 },
    Target { name: "gfx1035", mach: 0x3d, version: (10, 3, 5),  ..GFX10_3 },
    Target { name: "gfx1036", mach: 0x45, version: (10, 3, 6),  ..GFX10_3 },
    Target { name: "gfx1100", mach: 0x41, version: (11, 0, 0),  ..GFX11 },
    Target { name: "gfx1101", mach: 0x46, version: (11, 0, 1),  ..GFX11 },
    Target { name: "gfx1102", mach: 0x47, version: (11, 0, 2),  ..GFX11_SMALL },
    Target { name: "gfx1103", mach: 0x44, version: (11, 0, 3),  ..GFX11_SMALL },
    Target { name: "gfx1150", mach: 0x43, version: (11, 5, 0),  ..GFX11_SMALL },
    Target { name: "gfx1151", mach: 0x4a, version: (11, 5, 1),  ..GFX11 },
    Target { name: "gfx1152", mach: 0x55, version: (11, 5, 2),  ..GFX11_SMALL },
    Target { name: "gfx1153", mach: 0x58, version: (11, 5, 3),  ..GFX11_SMALL },
    Target { name: "gfx1200", mach: 0x48, version: (12, 0, 0),  ..GFX12 },
    Target { name: "gfx1201", mach: 0x4e, version: (12, 0, 1),  ..GFX12 },
    Target { name: "gfx1250", mach: 0x49, version: (12, 5, 0),  ..GFX12_5 },
];
