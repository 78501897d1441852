# One half of v1 is loaded. What reads the whole register waits; what stores the other half need not.
# targets: gfx1100
# finding: certain read-early
    ds_load_u16_d16_hi v1, v0
    ds_store_b16 v0, v1 offset:64
+   s_waitcnt lgkmcnt(1)
>   v_add_nc_u32 v2, v1, v1
    s_endpgm
