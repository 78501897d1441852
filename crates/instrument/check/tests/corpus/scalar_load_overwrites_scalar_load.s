# Two scalar loads into one register finish in any order.
# targets: gfx90a
# finding: certain write-early
    s_load_dword s4, s[2:3], 0x0
+   s_waitcnt lgkmcnt(0)
>   s_load_dword s4, s[2:3], 0x4
    s_waitcnt lgkmcnt(0)
    s_endpgm
