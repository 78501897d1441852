//! Instruction words with every opcode of every encoding format.

use gfx::Family;

/// The ALU and control formats.
pub fn alu(family: Family) -> Vec<[u32; 3]> {
    let mut probes = Vec::new();
    let mut all = |first: u32, shift: u32, count: u32, rests: &[[u32; 2]]| {
        for opcode in 0..count {
            for &[second, third] in rests {
                probes.push([first | opcode << shift, second, third]);
            }
        }
    };
    let none = [[0, 0]];
    let vectors = 256 | 256 << 9 | 256 << 18;
    let vop3 = [
        [vectors, 0],
        [0, 0],
        [256, 0],
        [256 | 256 << 9, 0],
        [256 << 9, 0],
        [vectors & !511, 0],
    ];
    all(0xbe80_0000, 8, 256, &none);
    all(0xbf00_0000, 16, 128, &none);
    all(0xbf80_0000, 16, 128, &none);
    all(0xb000_0000, 23, 32, &[[0x1234, 0]]);
    all(0x8000_0000, 23, 128, &none);
    // Vector source v0, then scalar source s0.
    for source in [256, 0] {
        all(0x7e00_0000 | source, 9, 256, &none);
        all(0x7c00_0000 | source, 17, 256, &none);
        all(source, 25, 64, &none);
    }
    let (vop3_base, vop3p_base) = if family == Family::Gfx9 {
        (0xd000_0000, 0xd380_0000)
    } else {
        (0xd400_0000, 0xcc00_0000)
    };
    all(vop3_base, 16, 1024, &vop3);
    // gfx9 VOP3SD keeps its scalar destination where VOP3 has ABS; the same probes serve.
    all(vop3p_base, 16, 128, &vop3);
    all(
        vop3p_base,
        16,
        128,
        &[
            [vectors | 3 << 27, 0],
            [0x1800_0000 | vectors & !(511 << 18), 0],
        ],
    );
    probes
}

/// gfx950's products under scales: two encodings in one instruction.
pub fn scaled_products() -> Vec<[u32; 4]> {
    let vectors = 256 | 256 << 9 | 256 << 18;
    [0xd3ad_0000, 0xd3ae_0000]
        .map(|product| [0xd3ac_0000, 256 | 256 << 9, product, vectors])
        .to_vec()
}

/// The memory formats.
pub fn memory(family: Family) -> Vec<[u32; 3]> {
    match family {
        Family::Gfx9 | Family::Gfx10 | Family::Gfx10_3 => memory_to_gfx10(family),
        Family::Gfx11 => memory_of_gfx11(),
        Family::Gfx12 | Family::Gfx12_5 => memory_of_gfx12(),
    }
}

/// Every opcode of the formats of gfx11, VOPD and LDSDIR among them.
fn memory_of_gfx11() -> Vec<[u32; 3]> {
    let mut probes = Vec::new();
    let mut all = |first: u32, shift: u32, count: u32, seconds: &[u32]| {
        for opcode in 0..count {
            probes.extend(
                seconds
                    .iter()
                    .map(|&second| [first | opcode << shift, second, 0]),
            );
        }
    };
    // DS without and with GDS.
    all(0xd800_0000, 18, 256, &[0]);
    all(0xd800_0000 | 1 << 17, 18, 256, &[0]);
    for segment in 0..3 {
        all(
            0xdc00_0000 | segment << 16,
            18,
            128,
            &[0x007f_0000, 0, 0x007c_0000, 0x00fc_0000],
        );
    }
    all(0xe000_0000, 18, 256, &[0, 1 << 22, 0x7c00_0000]);
    all(0xe800_0000, 15, 16, &[0]);
    // Images with one component, or two; with their addresses in a row or apart.
    for first in [0xf000_0100, 0xf000_0300, 0xf000_0101, 0xf000_0301] {
        all(first, 18, 256, &[0]);
    }
    all(0xf400_0000, 18, 256, &[0xf800_0000, 0]);
    all(0xce00_0000, 16, 64, &[0]);
    // Both results are never in registers of the same parity, nor their sources in one bank.
    for opcode in 0..32 {
        all(
            0xc800_0000 | opcode << 17 | 1 << 9 | 256,
            22,
            16,
            &[2 << 17 | 2 << 9 | 257],
        );
    }
    probes
}

/// Every opcode of the formats of gfx12's memory, and the dual instructions.
fn memory_of_gfx12() -> Vec<[u32; 3]> {
    let mut probes = Vec::new();
    let mut all = |first: u32, shift: u32, count: u32, seconds: &[u32]| {
        for opcode in 0..count {
            probes.extend(
                seconds
                    .iter()
                    .map(|&second| [first | opcode << shift, second, 0]),
            );
        }
    };
    all(0xd800_0000, 18, 256, &[0]);
    // FLAT, SCRATCH and GLOBAL, without and with a scalar address; atomics also with a result.
    for segment in 0..3 {
        for scalar in [0x7c, 0] {
            all(
                0xec00_0000 | segment << 24 | scalar,
                14,
                256,
                &[0, 1 << 17, 1 << 20],
            );
        }
    }
    all(0xc400_007c, 14, 256, &[1 << 23, 1 << 23 | 1 << 20]);
    // Images with one component, or two.
    for components in [1 << 22, 3 << 22] {
        all(0xd000_0000 | components, 14, 256, &[0, 1 << 20]);
        all(0xe400_0000 | components, 14, 256, &[0]);
    }
    all(0xf400_0000, 13, 64, &[0xf800_0000, 0]);
    all(0xce00_0000, 16, 64, &[0]);
    for opcode in 0..32 {
        all(
            0xc800_0000 | opcode << 17 | 1 << 9 | 256,
            22,
            16,
            &[2 << 17 | 2 << 9 | 257],
        );
    }
    probes
}

fn memory_to_gfx10(family: Family) -> Vec<[u32; 3]> {
    let mut probes = Vec::new();
    let mut all = |first: u32, shift: u32, count: u32, rests: &[[u32; 2]]| {
        for opcode in 0..count {
            for &[second, third] in rests {
                probes.push([first | opcode << shift, second, third]);
            }
        }
    };
    let none = [[0, 0]];
    all(
        0xd800_0000,
        if family == Family::Gfx9 { 17 } else { 18 },
        256,
        &none,
    );
    for segment in 0..3 {
        all(
            0xdc00_0000 | segment << 14,
            18,
            128,
            &[[0x007f_0000, 0], [0x0000_0000, 0], [0x007d_0000, 0]],
        );
    }
    // Global wave sync needs the GDS bit.
    all(
        0xd800_0000
            | if family == Family::Gfx9 {
                1 << 16
            } else {
                1 << 17
            },
        if family == Family::Gfx9 { 17 } else { 18 },
        256,
        &none,
    );
    all(0xe000_0000, 18, 128, &none);
    all(0xe000_0000 | 1 << 12, 18, 128, &none);
    // Images with one component, or two.
    all(0xf000_0100, 18, 128, &none);
    all(0xf000_0300, 18, 128, &none);
    if family == Family::Gfx9 {
        // Private memory of gfx94x with a vector address.
        all(
            0xdc00_0000 | 1 << 14 | 1 << 13,
            18,
            128,
            &[[0x007f_0000, 0]],
        );
        all(0xe800_0000, 15, 16, &none);
        all(0xc000_0000 | 1 << 17, 18, 256, &none);
        // Without offset: cache controls and clocks.
        all(0xc000_0000, 18, 256, &none);
    } else {
        // The d16 formats have the eighth opcode bit, and so have images.
        all(0xe200_0000, 18, 128, &none);
        all(0xf000_0101, 18, 128, &none);
        all(0xe800_0000, 16, 8, &[[0, 0], [1 << 21, 0]]);
        all(0xf400_0000, 18, 256, &[[0xfa00_0000, 0]]);
    }
    probes
}

/// Instructions that the emulated device does not have, by the prefixes of their mnemonics, and why compute code has
/// none of them.
#[rustfmt::skip]
const OUTSIDE: &[(&str, &str)] = &[
    ("image_load_",              "texels as they lie; no compiler emits it"),
    ("image_store_",             "likewise"),
    ("image_msaa_load",          "images with several samples, which the runtime does not make"),
    ("image_get_lod",            "levels of detail from neighbouring lanes, whose order only pixel shaders have"),
    ("image_gather4h",           "a row of four texels, of which no manual says which"),
    ("exp",                      "exports to the graphics pipeline"),
    ("v_interp_",                "attributes of pixel shaders"),
    ("s_endpgm_ordered_ps_done", "order of pixel shaders"),
    ("ds_ordered_count",         "order of waves through GDS, which is not there"),
    ("s_rfe",                    "return from a trap handler, whose part the device plays itself"),
    ("s_cbranch_i_fork",         "structured branches of older compilers, whose stack the runtime does not set up"),
    ("s_cbranch_g_fork",         "likewise"),
    ("s_cbranch_join",           "likewise"),
    ("s_subvector_loop",         "halves of a wave64 in a loop of their own; no compiler emits it"),
    ("v_illegal",                "stops by its nature"),
    ("v_mfma_ld_scale_b32",      "the first half of v_mfma_scale_*, which is one instruction with its second half"),
    ("v_screen_partition",       "rasterisation"),
    ("lds_param_load",           "attributes of pixel shaders"),
    ("ds_add_gs_reg_rtn",        "counters of the geometry pipeline"),
    ("ds_sub_gs_reg_rtn",        "likewise"),
    ("ds_bvh_stack_",            "stacks of ray tracing, whose intersections are not executed either"),
    ("image_bvh",                "intersections of ray tracing, whose trees only the driver's own code builds"),
    ("s_barrier_init",           "named barriers, which RDNA 4 reserves"),
    ("s_barrier_join",           "likewise"),
    ("s_barrier_leave",          "likewise"),
    ("s_alloc_vgpr",             "dynamic vector registers, with which the runtime starts no kernel"),
    ("global_atomic_ordered_add_b64", "order of the geometry pipeline's waves"),
    ("ds_param_load",            "attributes of pixel shaders"),
];

/// Returns `true` if `mnemonic` needs what the emulated device does not have.
pub fn is_outside(mnemonic: &str) -> bool {
    OUTSIDE
        .iter()
        .any(|(prefix, _)| mnemonic.starts_with(prefix))
}
