; A branch out of range of its 16 bits goes through the program counter.
;! target gfx90a gfx1030
;! function main kernel
main:
  s_cbranch_scc0 .Lnear                 ;= succ 1 2
  s_getpc_b64 s[4:5]                    ;= succ 3 | idom 0
  s_add_u32 s4, s4, .Lfar-.Lpc
.Lpc = main+8
  s_addc_u32 s5, s5, 0
  s_setpc_b64 s[4:5]                    ;= leaves
.Lnear:
  s_endpgm                              ;= leaves end
.Lfar:
  s_nop 0                               ;= idom 1 | leaves end | live
  s_endpgm
