; With full waves there is no inactive lane before EXEC is narrowed first.
;! target gfx90a
;! full_waves
;! function main kernel
main:
  v_mov_b32_e32 v3, 0                   ;= live s[0:1],v0,v1 | inactive
  v_cmp_gt_u32_e32 vcc, 64, v0          ;= inactive
  s_and_saveexec_b64 s[6:7], vcc        ;= inactive
  v_mov_b32_e32 v3, 1                   ;= live s[0:1],s[6:7],v1 | inactive v1,v3
  s_mov_b64 exec, s[6:7]                ;= inactive v1,v3
  global_store_dword v1, v3, s[0:1]
  s_endpgm
