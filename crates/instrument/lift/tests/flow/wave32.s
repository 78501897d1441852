; In wave32, EXEC and VCC have one dword each.
;! target gfx1100 gfx1200
;! wave 32
;! function main kernel
main:
  v_cmp_gt_u32_e32 vcc_lo, 64, v0       ;= live s[0:1],v[0:1] | inactive v1,v3
  v_mov_b32_e32 v3, 0                   ;= live s[0:1],vcc_lo,v1 | inactive v1,v3
  s_and_saveexec_b32 s6, vcc_lo
  v_mov_b32_e32 v3, 1                   ;= live s[0:1],s6,v1 | inactive v1,v3
  s_or_b32 exec_lo, exec_lo, s6
  v_nop
  global_store_b32 v1, v3, s[0:1]       ;= live s[0:1],v1,v3 | inactive
  s_endpgm
