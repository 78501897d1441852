; Addresses that are chosen between: by s_cselect, by a conditional move, by a branch; jumps go to each of them.
;! target gfx900 gfx90a gfx1030 gfx1100 gfx1200
;! function one device
;! function two device
;! function main kernel
one:
  s_setpc_b64 s[30:31]                  ;= leaves return
two:
  s_setpc_b64 s[30:31]                  ;= leaves return
main:
  s_getpc_b64 s[4:5]
.Lfirst = main+4
  s_add_u32 s6, s4, .La-.Lfirst
  s_addc_u32 s7, s5, 0
  s_add_u32 s8, s4, .Lb-.Lfirst
  s_addc_u32 s9, s5, 0
  s_cmp_eq_u32 s2, 0
  s_cselect_b32 s10, s6, s8
  s_cselect_b32 s11, s7, s9
  s_setpc_b64 s[10:11]                  ;= succ 1 2 | leaves
.La:
  s_cmp_eq_u32 s2, 1
  s_cselect_b64 s[10:11], s[6:7], s[8:9]
  s_setpc_b64 s[10:11]                  ;= succ 1 2 | leaves
.Lb:
  s_mov_b64 s[10:11], s[6:7]
  s_cmp_eq_u32 s2, 3
  s_cmov_b64 s[10:11], s[8:9]
  s_cbranch_scc1 .Lc
  s_mov_b64 s[10:11], s[6:7]
.Lc:
  s_setpc_b64 s[10:11]                  ;= succ 1 2 | leaves
