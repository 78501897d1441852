# Scalar loads finish in any order: a wait that leaves one outstanding finishes none.
# targets: gfx900 gfx1030 gfx1100
# finding: certain read-early
    s_load_dword s4, s[2:3], 0x0
    s_load_dword s5, s[2:3], 0x4
-   s_waitcnt lgkmcnt(1)
+   s_waitcnt lgkmcnt(0)
>   s_add_u32 s6, s4, s4
    s_waitcnt lgkmcnt(0)
    s_endpgm
