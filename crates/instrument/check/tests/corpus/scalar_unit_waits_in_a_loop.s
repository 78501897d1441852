# The scalar unit waits for the vector unit before it reads s6, because the vector unit has read s6 in the round before.
# targets: gfx1200 gfx1201
# finding: certain scalar-read-early
    v_mov_b32 v1, s5
again:
    v_cmp_eq_u32_e64 s4, v0, v1
+   s_add_co_u32 s7, s6, 1
    s_cbranch_scc0 next
next:
>   v_cndmask_b32_e64 v2, v0, v1, s4
    v_mov_b32 v3, s6
    s_cbranch_scc1 again
    s_endpgm
