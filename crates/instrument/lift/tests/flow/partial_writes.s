; What keeps half of its destination does not kill it.
;! target gfx90a gfx942
;! function main kernel
main:
  v_mov_b32_e32 v4, 0                   ;= live s[0:1],scc,v[0:2]
  ds_read_u16_d16_hi v4, v1             ;= live s[0:1],scc,v[0:2],v4
  s_waitcnt lgkmcnt(0)                  ;= pending v4
  v_mov_b32_sdwa v4, v2 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:DWORD ;= live s[0:1],scc,v0,v2,v4 | pending
  s_cmov_b32 s0, s1                     ;= live s[0:1],scc,v0,v4
  v_writelane_b32 v4, s0, 3             ;= live s[0:1],v0,v4
  global_store_dword v0, v4, s[0:1]
  s_endpgm
