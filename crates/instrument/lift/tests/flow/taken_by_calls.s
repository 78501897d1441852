; GCC's way: arguments of calls are scalar registers, and what goes to memory goes through lanes.
;! target gfx900
;! function callee device
;! function argument device
;! function stored device
;! function kept device
;! function bystander device
;! function main kernel
callee:
  s_setpc_b64 s[18:19]
argument:
  s_setpc_b64 s[18:19]
stored:
  s_setpc_b64 s[18:19]
kept:
  s_setpc_b64 s[18:19]
bystander:
  s_setpc_b64 s[18:19]
main:
  s_getpc_b64 s[24:25]
  s_add_u32 s24, s24, argument-.Lfirst
.Lfirst = main+4
  s_addc_u32 s25, s25, -1
  s_getpc_b64 s[2:3]
  s_add_u32 s2, s2, callee-.Lsecond
.Lsecond = main+20
  s_addc_u32 s3, s3, -1
  s_getpc_b64 s[4:5]
  s_add_u32 s4, s4, bystander-.Lthird
.Lthird = main+36
  s_addc_u32 s5, s5, -1
  s_swappc_b64 s[18:19], s[2:3]         ;= calls callee
  s_getpc_b64 s[4:5]
  s_add_u32 s4, s4, bystander-.Lfourth
.Lfourth = main+56
  s_addc_u32 s5, s5, -1
  s_swappc_b64 s[18:19], s[4:5]         ;= calls bystander
  s_getpc_b64 s[6:7]
  s_add_u32 s6, s6, stored-.Lfifth
.Lfifth = main+76
  s_addc_u32 s7, s7, -1
  s_getpc_b64 s[46:47]
  s_add_u32 s46, s46, kept-.Lsixth
.Lsixth = main+92
  s_addc_u32 s47, s47, -1
  v_writelane_b32 v4, s6, 0
  v_writelane_b32 v5, s7, 0
  global_store_dwordx2 v1, v[4:5], s[0:1]     ;= taken argument stored kept
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  s_swappc_b64 s[18:19], s[2:3]
  s_mov_b64 s[24:25], s[46:47]
  s_getpc_b64 s[2:3]
  s_add_u32 s2, s2, callee-.Lseventh
.Lseventh = main+148
  s_addc_u32 s3, s3, -1
  s_swappc_b64 s[18:19], s[2:3]
  s_endpgm
