; Compilers keep vector registers in accumulators, and scalar registers in lanes of vector registers. An address is copied, not computed with.
;! target gfx908 gfx90a gfx942
;! function callee device
;! function main kernel
callee:
  s_nop 0
  s_nop 1                               ;= entered no
  s_setpc_b64 s[30:31]                  ;= leaves return | entered no
main:
  s_getpc_b64 s[6:7]
.Lhere = main+4
  s_add_u32 s6, s6, callee-.Lhere
  s_addc_u32 s7, s7, -1
  v_writelane_b32 v40, s6, 0
  v_writelane_b32 v40, s7, 1
  v_accvgpr_write_b32 a1, v40           ;= taken callee
  v_accvgpr_read_b32 v41, a1
  v_readlane_b32 s8, v41, 0
  v_readlane_b32 s9, v41, 1
  s_swappc_b64 s[30:31], s[8:9]
  s_endpgm                              ;= entered no
