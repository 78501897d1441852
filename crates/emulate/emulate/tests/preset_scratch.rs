//! Where hardware presets the address of a wave's scratch, kernels find it in FLAT_SCRATCH.

use crate::common::assembled_for;
use codeobj::CodeObject;
use emulate::{Argument, Device, Shape};

/// Stores to scratch, and loads the same through global memory: dword 2 of lane 0 lies behind two dwords of all 64 lanes.
fn kernel(target: &str) -> Vec<u8> {
    let text = format!(
        ".amdgcn_target \"amdgcn-amd-amdhsa--{target}\"
        .text
        .globl k
        .p2align 8
        .type k,@function
k:      s_load_dwordx2 s[0:1], s[0:1], 0x0
        v_and_b32_e32 v0, 0x3ff, v0
        v_add_u32_e32 v1, 0x64, v0
        scratch_store_dword off, v1, off offset:8
        v_lshlrev_b32_e32 v2, 2, v0
        s_mov_b32 s2, flat_scratch_lo
        s_mov_b32 s3, flat_scratch_hi
        s_waitcnt vmcnt(0) lgkmcnt(0)
        global_load_dword v3, v2, s[2:3] offset:512
        s_waitcnt vmcnt(0)
        global_store_dword v2, v3, s[0:1]
        s_endpgm
.Le:    .size k, .Le-k
        .rodata
        .p2align 6
        .amdhsa_kernel k
          .amdhsa_user_sgpr_kernarg_segment_ptr 1
          .amdhsa_kernarg_size 8
          .amdhsa_next_free_vgpr 8
          .amdhsa_next_free_sgpr 8
          .amdhsa_accum_offset 8
          .amdhsa_private_segment_fixed_size 16
          .amdhsa_enable_private_segment 1
        .end_amdhsa_kernel
        .amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--{target}
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 16
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args: [{{.address_space: global, .name: x, .offset: 0, .size: 8, .value_kind: global_buffer}}]
...
        .end_amdgpu_metadata
"
    );
    assembled_for(target, &text)
}

#[test]
fn flat_scratch_is_where_scratch_instructions_store() {
    for target in ["gfx942", "gfx950"] {
        let object = kernel(target);
        let device = Device::new(CodeObject::parse(&object).unwrap(), 1).unwrap();
        let out = device.buffer(&[], 256).unwrap();
        let shape = Shape {
            grid: [3, 1, 1],
            block: [64, 1, 1],
            dynamic_lds: 0,
        };
        device
            .launch("k", &shape, &[Argument::pointer(out)])
            .unwrap();
        let mut bytes = vec![0; 256];
        device.read(out, &mut bytes).unwrap();
        let words = bytes.chunks_exact(4);
        let words: Vec<u32> = words
            .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
            .collect();
        let expected: Vec<u32> = (100..164).collect();
        assert_eq!(words, expected, "{target}");
    }
}
