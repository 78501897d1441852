# The vector unit has read s[4:5]; what the scalar unit writes there is not seen without a wait.
# targets: gfx1200
# finding: certain scalar-read-early
    v_mov_b32 v1, s4
    s_mov_b32 s4, s6
+   s_wait_alu depctr_sa_sdst(0)
>   v_mov_b32 v2, s4
    s_endpgm
