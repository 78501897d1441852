# What v_accvgpr_read writes is stored two wait states later at the earliest.
# targets: gfx908
# finding: certain wait-states
    v_accvgpr_read_b32 v1, a0
-   s_nop 0
+   s_nop 1
>   global_store_dword v0, v1, s[2:3]
    s_endpgm
