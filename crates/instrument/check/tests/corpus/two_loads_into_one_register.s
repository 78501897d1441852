# gfx12 counts loads in order, but they may write in any. LLVM before 20 took them for ordered.
# targets: gfx1200
# finding: certain write-early
    global_load_b32 v1, v0, s[2:3]
+   s_wait_loadcnt 0x0
>   global_load_b32 v1, v0, s[2:3] offset:4
    s_wait_loadcnt 0x0
    v_mov_b32 v2, v1
    s_endpgm
