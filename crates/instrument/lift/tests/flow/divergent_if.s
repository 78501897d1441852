; A lane that skips the assignment keeps the old value: v3 is dead in active lanes only.
;! target gfx900 gfx90a gfx942
;! function main kernel
main:
  v_mov_b32_e32 v3, 0                   ;= live s[0:1],v0,v1 | inactive v1,v3 | succ 1 2 | idom none | unnamed s[2:5],v2,v[4:7]
  v_cmp_gt_u32_e32 vcc, 64, v0
  s_and_saveexec_b64 s[6:7], vcc        ;= live s[0:1],vcc,v1,v3 | inactive v1,v3
  s_cbranch_execz .Lskip                ;= live s[0:1],s[6:7],v1 | inactive v1,v3
  v_mov_b32_e32 v3, 1                   ;= live s[0:1],s[6:7],v1 | inactive v1,v3 | succ 2 | idom 0 | ipdom 2
.Lskip:
  s_or_b64 exec, exec, s[6:7]           ;= live s[0:1],s[6:7],v1,v3 | inactive v1,v3 | idom 0 | leaves end
  global_store_dword v1, v3, s[0:1]     ;= live s[0:1],v1,v3 | inactive
  s_endpgm                              ;= live
