# The load is issued in one arm, and its register written in another that s2 excludes: possible, not certain.
# targets: gfx1100
# finding: possible write-early
    s_cmp_eq_u32 s2, 0
    s_cbranch_scc1 first
    global_load_b32 v1, v0, s[4:5]
first:
    s_cmp_lg_u32 s2, 0
    s_cbranch_scc1 second
+   s_waitcnt vmcnt(0)
>   v_mov_b32 v1, v0
second:
    s_waitcnt vmcnt(0)
    v_mov_b32 v2, v1
    s_endpgm
