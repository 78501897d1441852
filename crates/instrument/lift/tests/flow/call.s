; What the callee does not read and overwrites is dead at the call; what it leaves alone lives through it.
;! target gfx90a
;! function main kernel
;! function callee device
main:
  v_mov_b32_e32 v5, v0                  ;= live s[0:1],v0,v1,v2,v6 | inactive
  s_getpc_b64 s[4:5]
  s_add_u32 s4, s4, callee-.Lhere
.Lhere = main+8
  s_addc_u32 s5, s5, 0
  s_swappc_b64 s[30:31], s[4:5]         ;= calls callee | succ 1 | live s[0:1],s[4:5],v0,v1,v2,v5,v6
  global_store_dword v5, v3, s[0:1]     ;= idom 0 | live s[0:1],v2,v3,v5,v6 | pending v9
  global_store_dword v2, v6, s[0:1]
  s_endpgm
callee:
  v_add_f32_e32 v3, v0, v1              ;= leaves return | live s[0:1],s[30:31],v0,v1,v2,v5,v6 | pending everything
  s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
  global_load_dword v9, v0, s[0:1]      ;= pending
  s_setpc_b64 s[30:31]                  ;= live s[0:1],s[30:31],v2,v3,v5,v6
