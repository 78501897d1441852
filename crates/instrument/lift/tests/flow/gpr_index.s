; In index mode a vector operand may be any register.
;! target gfx900 gfx90a
;! function main kernel
main:
  v_mov_b32_e32 v1, 0
  s_set_gpr_idx_on s2, gpr_idx(SRC0)
  v_mov_b32_e32 v1, v3
  s_set_gpr_idx_off
  global_store_dword v0, v1, s[0:1]     ;= live s[0:1],v0,v1
  s_endpgm                              ;= unnamed s[3:7]
