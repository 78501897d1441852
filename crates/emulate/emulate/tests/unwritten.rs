//! Contents of registers and LDS before a kernel writes them.

use crate::common::assembled_for;
use codeobj::CodeObject;
use emulate::{Argument, Device, Fill, Shape};

/// Stores v9, s30, the word at 128 of LDS and an AccVGPR, where there are some, of every lane; then leaves something else in the registers
/// for the next wave that has them.
fn kernel(target: &str) -> Vec<u8> {
    let gfx9 = target.starts_with("gfx9");
    let (global, lds, wait) = match target {
        "gfx90a" | "gfx942" | "gfx1030" => (
            "global_store_dword",
            "ds_read_b32",
            "s_waitcnt vmcnt(0) lgkmcnt(0)",
        ),
        "gfx1100" => (
            "global_store_b32",
            "ds_load_b32",
            "s_waitcnt vmcnt(0) lgkmcnt(0)",
        ),
        _ => (
            "global_store_b32",
            "ds_load_b32",
            "s_wait_loadcnt_dscnt 0x0\ns_wait_kmcnt 0x0",
        ),
    };
    let load = if target < "gfx11" || gfx9 {
        "s_load_dwordx2"
    } else {
        "s_load_b64"
    };
    let wave_size = if gfx9 { 64 } else { 32 };
    let rest = if gfx9 {
        ".amdhsa_next_free_sgpr 40"
    } else {
        ".amdhsa_next_free_sgpr 40\n.amdhsa_wavefront_size32 1"
    };
    let accum = if matches!(target, "gfx90a" | "gfx942") {
        ".amdhsa_accum_offset 16"
    } else {
        ""
    };
    let (agpr, leave) = if matches!(target, "gfx90a" | "gfx942") {
        ("v_accvgpr_read_b32 v8, a3", "v_accvgpr_write_b32 a3, 5")
    } else {
        ("v_mov_b32_e32 v8, v9", "")
    };
    let text = format!(
        ".amdgcn_target \"amdgcn-amd-amdhsa--{target}\"
        .text
        .globl k
        .p2align 8
        .type k,@function
k:      {load} s[0:1], s[0:1], 0x0
        v_and_b32_e32 v0, 0x3ff, v0
        v_lshlrev_b32_e32 v0, 4, v0
        v_mov_b32_e32 v4, 0x80
        v_mov_b32_e32 v5, s30
        {lds} v6, v4
        {agpr}
        {wait}
        {global} v0, v9, s[0:1]
        {global} v0, v5, s[0:1] offset:4
        {global} v0, v6, s[0:1] offset:8
        {global} v0, v8, s[0:1] offset:12
        v_mov_b32_e32 v9, 7
        s_mov_b32 s30, 9
        {leave}
        s_endpgm
.Le:    .size k, .Le-k
        .rodata
        .p2align 6
        .amdhsa_kernel k
          .amdhsa_user_sgpr_kernarg_segment_ptr 1
          .amdhsa_kernarg_size 8
          .amdhsa_next_free_vgpr 24
          .amdhsa_group_segment_fixed_size 256
          {rest}
          {accum}
        .end_amdhsa_kernel
        .amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--{target}
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 256
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: {wave_size}
    .sgpr_count: 40
    .vgpr_count: 24
    .max_flat_workgroup_size: 256
    .args: [{{.address_space: global, .name: x, .offset: 0, .size: 8, .value_kind: global_buffer}}]
...
        .end_amdgpu_metadata
"
    );
    assembled_for(target, &text)
}

/// The values that the lanes of two workgroups read: 4 words each.
fn seen(object: &[u8], fill: Option<Fill>) -> Vec<[u32; 4]> {
    let device = Device::new(CodeObject::parse(object).unwrap(), 1).unwrap();
    if let Some(fill) = fill {
        device.fill_with(fill);
    }
    let out = device.buffer(&[], 64 * 16).unwrap();
    let shape = Shape {
        grid: [2, 1, 1],
        block: [64, 1, 1],
        dynamic_lds: 0,
    };
    // A workgroup of the first launch leaves its buffers to the second launch's.
    let mut all = Vec::new();
    for _ in 0..2 {
        device
            .launch("k", &shape, &[Argument::pointer(out)])
            .unwrap();
        let mut bytes = vec![0; 64 * 16];
        device.read(out, &mut bytes).unwrap();
        let words = bytes.chunks_exact(16);
        all.extend(words.map(|lane| {
            std::array::from_fn(|i| u32::from_le_bytes(lane[4 * i..][..4].try_into().unwrap()))
        }));
    }
    all
}

#[test]
fn registers_and_lds_hold_what_was_asked_for() {
    for target in ["gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"] {
        let object = kernel(target);
        for fill in [None, Some(Fill::Zero)] {
            assert!(
                seen(&object, fill).iter().all(|words| *words == [0; 4]),
                "{target}"
            );
        }
        let nan = Some(Fill::Word(0x7fc0_0000));
        assert!(
            seen(&object, nan)
                .iter()
                .all(|words| *words == [0x7fc0_0000; 4]),
            "{target}"
        );
        let [one, again, two] = [1, 1, 2].map(|seed| seen(&object, Some(Fill::Random(seed))));
        assert_eq!(one, again, "{target}");
        for (one, two) in one.iter().zip(&two) {
            assert!(one.iter().zip(two).all(|(one, two)| one != two), "{target}");
        }
        // Lanes have values of their own in vector registers.
        assert_ne!(one[0][0], one[1][0], "{target}");
    }
}
