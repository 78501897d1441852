; A scalar loop: the counter lives around it, the temporary does not.
;! target gfx900 gfx90a gfx1030
;! function main kernel
main:
  s_mov_b32 s2, 0                       ;= succ 1 | live s[0:1],s3,v0,v1 | inactive
.Lloop:
  v_mul_lo_u32 v2, v0, v0               ;= succ 1 2 | idom 0 | loop 1 | live s[0:3],v0,v1
  v_add_f32_e32 v1, v2, v1              ;= live s[0:3],v[0:2]
  s_add_i32 s2, s2, 1                   ;= live s[0:3],v0,v1
  s_cmp_lt_u32 s2, s3                   ;= live s[0:3],v0,v1
  s_cbranch_scc1 .Lloop                 ;= live s[0:3],scc,v0,v1 | ipdom 2
  global_store_dword v0, v1, s[0:1]     ;= idom 1 | loop none | live s[0:1],v0,v1
  s_endpgm
