# The store is in flight only behind the first round: at the loop's head it comes from the end of the loop.
# targets: gfx1100
# finding: certain lds-barrier
    v_lshlrev_b32 v1, 2, v0
    s_mov_b32 s2, 4
head:
+   s_waitcnt lgkmcnt(0)
>   s_barrier
    ds_load_b32 v2, v1 offset:4
    s_waitcnt lgkmcnt(0)
    v_add_nc_u32 v2, v2, v0
    s_barrier
    ds_store_b32 v1, v2
    s_sub_i32 s2, s2, 1
    s_cmp_lg_u32 s2, 0
    s_cbranch_scc1 head
    s_endpgm
