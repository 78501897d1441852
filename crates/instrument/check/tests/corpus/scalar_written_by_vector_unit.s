# The same for a mask that a compare writes. A register of the same pair was read before.
# targets: gfx1200 gfx1201
# finding: certain scalar-read-early
    v_mov_b32 v1, s5
    v_cmp_eq_u32_e64 s4, v0, v1
+   s_wait_alu depctr_va_sdst(0)
>   v_cndmask_b32_e64 v2, v0, v1, s4
    s_endpgm
