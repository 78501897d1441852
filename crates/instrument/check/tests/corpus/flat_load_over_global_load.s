# A FLAT load may turn out to be of LDS, and come before an older load of global memory.
# targets: gfx1030
# finding: certain write-early
    global_load_dword v1, v0, s[2:3]
+   s_waitcnt vmcnt(0)
>   flat_load_dword v1, v[2:3]
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_mov_b32 v2, v1
    s_endpgm
