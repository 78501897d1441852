; The first turn of a loop reads masks of lanes that nothing has set. Half of an address may be left over there. It is not computed with.
;! target gfx900 gfx90a gfx1030 gfx1100 gfx1200
;! function inner device
;! function callee device
;! function main kernel
inner:
  s_setpc_b64 s[34:35]                  ;= leaves return
callee:
  s_getpc_b64 s[0:1]
.Lcallee = callee+4
  s_add_u32 s0, s0, inner-.Lcallee
  s_addc_u32 s1, s1, -1                 ;= entered no
  s_swappc_b64 s[34:35], s[0:1]         ;= calls inner | entered no
  s_setpc_b64 s[30:31]                  ;= leaves return
main:
  s_getpc_b64 s[6:7]
.Lmain = main+4
  s_add_u32 s6, s6, callee-.Lmain
  s_addc_u32 s7, s7, -1
  s_swappc_b64 s[30:31], s[6:7]         ;= calls callee
  s_swappc_b64 s[30:31], s[6:7]         ;= calls callee
.Lturn:
  s_and_b32 s0, exec_lo, s7
  s_or_b32 s1, s6, exec_lo
  s_or_b32 exec_lo, s7, s0
  s_cbranch_execnz .Lturn
  s_endpgm                              ;= entered no
