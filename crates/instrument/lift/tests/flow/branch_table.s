; A computed jump into branches that lie one behind the other, as hand-written switches have them.
;! target gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1200
;! function main kernel
main:
  s_getpc_b64 s[4:5]
.Lhere = main+4
  s_add_u32 s4, s4, s11
  s_addc_u32 s5, s5, 0
  s_add_u32 s4, s4, .Ltable-.Lhere
  s_addc_u32 s5, s5, 0
  s_setpc_b64 s[4:5]                    ;= succ 1 2 3 | leaves
.Ltable:
  s_branch .La                          ;= succ 4 | idom 0
  s_branch .Lb                          ;= succ 5
  s_branch .La                          ;= succ 4
.La:
  s_nop 0                               ;= entered no
.Lb:
  s_endpgm                              ;= entered no
