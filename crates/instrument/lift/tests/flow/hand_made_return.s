; A jump into a function with a return address that the code made: nothing is known of what lives behind the return.
;! target gfx900 gfx90a gfx1030 gfx1100 gfx1200
;! function callee device
;! function passer device
;! function inner device
;! function main kernel
callee:
  s_setpc_b64 s[30:31]                  ;= leaves return | callers unknown
passer:
  s_branch inner                        ;= leaves tail:inner | callers known
inner:
  s_setpc_b64 s[30:31]                  ;= leaves return | callers unknown
main:
  s_getpc_b64 s[30:31]
.Lhere = main+4
  s_add_u32 s30, s30, .Lback-.Lhere
  s_addc_u32 s31, s31, 0
  s_branch callee                       ;= leaves tail:callee
.Lback:
  s_nop 0                               ;= entered yes
  s_call_b64 s[30:31], passer
  s_endpgm
