# The scalar unit waits for the vector unit before it reads a trap register, as LLVM's pass has it.
# targets: gfx1200 gfx1201
# finding: certain scalar-read-early
    v_mov_b32 v1, s5
    v_cmp_eq_u32_e64 s4, v0, v1
+   s_cmp_lg_u32 ttmp9, 0
>   v_cndmask_b32_e64 v2, v0, v1, s4
    s_endpgm
