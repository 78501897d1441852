; Nobody knows what the callee reads.
;! target gfx90a
;! function main kernel
main:
  v_mov_b32_e32 v5, v0
  s_swappc_b64 s[30:31], s[4:5]         ;= calls unknown | succ 1
  s_nop 0                               ;= pending everything | live | unnamed
  s_endpgm
