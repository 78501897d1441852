# One half of v1 is loaded. A store of the other half to scratch need not wait, with and without an address.
# targets: gfx1100
# finding: certain read-early
    global_load_d16_hi_u8 v1, v0, s[2:3]
    scratch_store_b8 off, v1, off
    scratch_store_b16 v2, v1, off
    scratch_store_b8 off, v1, s0
    scratch_store_b16 v2, v1, s0
+   s_waitcnt vmcnt(0)
>   scratch_store_d16_hi_b8 off, v1, off offset:4
    s_endpgm
