//! Code that an exact device lets pass, because compilers make it.

use crate::common::assembled_for;
use codeobj::CodeObject;
use emulate::{Argument, Device, Shape};

/// Three words of arguments, of which the compiler loads four at once.
const KERNEL: &str = "
        .amdgcn_target \"amdgcn-amd-amdhsa--gfx90a\"
        .text
        .globl k
        .p2align 8
        .type k,@function
k:      s_load_dwordx4 s[0:3], s[0:1], 0x0
        v_mov_b32_e32 v0, 0
        s_waitcnt lgkmcnt(0)
        v_mov_b32_e32 v1, s2
        global_store_dword v0, v1, s[0:1]
        s_endpgm
.Le:    .size k, .Le-k
        .rodata
        .p2align 6
        .amdhsa_kernel k
          .amdhsa_user_sgpr_kernarg_segment_ptr 1
          .amdhsa_kernarg_size 12
          .amdhsa_next_free_vgpr 8
          .amdhsa_next_free_sgpr 8
          .amdhsa_accum_offset 8
        .end_amdhsa_kernel
        .amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--gfx90a
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 12
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - {.address_space: global, .name: x, .offset: 0, .size: 8, .value_kind: global_buffer}
      - {.name: n, .offset: 8, .size: 4, .value_kind: by_value}
...
        .end_amdgpu_metadata
";

#[test]
fn a_load_may_reach_behind_the_last_argument() {
    let object = assembled_for("gfx90a", KERNEL);
    let device = Device::new(CodeObject::parse(&object).unwrap(), 1).unwrap();
    device.be_exact();
    let out = device.buffer(&[], 4).unwrap();
    let shape = Shape {
        grid: [1, 1, 1],
        block: [64, 1, 1],
        dynamic_lds: 0,
    };
    let arguments = [Argument::pointer(out), Argument(vec![7, 0, 0, 0])];
    device.launch("k", &shape, &arguments).unwrap();
    let mut stored = [0; 4];
    device.read(out, &mut stored).unwrap();
    assert_eq!(stored, [7, 0, 0, 0]);
    // Behind a buffer that is no segment of arguments, there is nothing.
    let arguments = [Argument::pointer(out + 4), Argument(vec![7, 0, 0, 0])];
    assert!(device.launch("k", &shape, &arguments).is_err());
}
