# VCC has a field of its own.
# targets: gfx1200
# finding: certain scalar-read-early
    v_cndmask_b32_e32 v3, v0, v1, vcc_lo
    v_cmp_eq_u32_e32 vcc_lo, v0, v1
-   s_wait_alu depctr_va_sdst(0)
+   s_wait_alu depctr_va_vcc(0)
>   v_cndmask_b32_e32 v2, v0, v1, vcc_lo
    s_endpgm
