# A store to LDS is not waited for at the barrier behind which other waves read it.
# targets: gfx900 gfx90a gfx942 gfx1030
# finding: certain lds-barrier
    v_lshlrev_b32 v1, 2, v0
    ds_write_b32 v1, v0
+   s_waitcnt lgkmcnt(0)
>   s_barrier
    ds_read_b32 v2, v1 offset:4
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v3, v2
    s_endpgm
