# gfx12 signals and waits apart: the LDS atomic has to be done at the signal.
# targets: gfx1200
# finding: certain lds-barrier
    v_lshlrev_b32 v1, 2, v0
    ds_add_u32 v1, v0
+   s_wait_dscnt 0x0
>   s_barrier_signal -1
    s_barrier_wait -1
    ds_load_b32 v2, v1
    s_wait_dscnt 0x0
    v_mov_b32 v3, v2
    s_endpgm
