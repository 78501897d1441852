# FLAT raises both counters; waiting on one of them is not enough.
# targets: gfx1030 gfx90a
# finding: certain read-early
    flat_load_dword v1, v[2:3]
-   s_waitcnt vmcnt(0)
+   s_waitcnt vmcnt(0) lgkmcnt(0)
>   v_mov_b32 v2, v1
    s_waitcnt lgkmcnt(0)
    s_endpgm
