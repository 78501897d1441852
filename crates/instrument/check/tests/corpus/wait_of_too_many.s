# The wait leaves two loads outstanding, and the second of three is used.
# targets: gfx1100
# finding: certain read-early
    global_load_b32 v1, v0, s[2:3]
    global_load_b32 v2, v0, s[2:3] offset:4
    global_load_b32 v3, v0, s[2:3] offset:8
-   s_waitcnt vmcnt(2)
+   s_waitcnt vmcnt(1)
>   v_add_nc_u32 v4, v1, v2
    s_waitcnt vmcnt(0)
    global_store_b32 v0, v4, s[2:3]
    s_endpgm
