; A jump to an address plus a number that nothing bounds, where no table is: it may go to any instruction.
;! target gfx900 gfx90a gfx1030 gfx1100 gfx1200
;! function bystander device
;! function main kernel
bystander:
  s_nop 0                               ;= entered no
  s_setpc_b64 s[30:31]                  ;= leaves return | entered no
main:
  s_getpc_b64 s[4:5]
.Lhere = main+4
  s_lshl_b32 s11, s11, 2
  s_add_u32 s4, s4, s11
  s_addc_u32 s5, s5, 0
  s_add_u32 s4, s4, .Lfirst-.Lhere
  s_addc_u32 s5, s5, 0
  s_setpc_b64 s[4:5]                    ;= leaves anywhere | entered yes
.Lfirst:
  v_mov_b32 v0, 1                       ;= entered yes | succ 8
  v_mov_b32 v0, 2                       ;= entered yes | succ 9
  s_endpgm                              ;= entered yes
