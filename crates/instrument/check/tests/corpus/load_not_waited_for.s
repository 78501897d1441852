# The first of two loads is used; a wait for one outstanding load is missing.
# targets: gfx90a gfx1030
# finding: certain read-early
    global_load_dword v1, v0, s[2:3]
    global_load_dword v2, v0, s[2:3] offset:4
+   s_waitcnt vmcnt(1)
>   v_lshlrev_b32 v3, 2, v1
    s_waitcnt vmcnt(0)
    global_store_dword v0, v3, s[2:3]
    s_endpgm
