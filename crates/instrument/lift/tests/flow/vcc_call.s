; A compiler that has no SGPR left calls through VCC. A comparison overwrites VCC without naming it.
;! target gfx90a
;! function main kernel
;! function keeps device
;! function compares device
;! function other device
main:
  s_getpc_b64 vcc
  s_add_u32 vcc_lo, vcc_lo, keeps-.Lfirst
.Lfirst = main+4
  s_addc_u32 vcc_hi, vcc_hi, 0
  s_swappc_b64 s[30:31], vcc            ;= calls keeps
  s_swappc_b64 s[30:31], vcc            ;= calls keeps
  s_getpc_b64 vcc
  s_add_u32 vcc_lo, vcc_lo, compares-.Lsecond
.Lsecond = main+28
  s_addc_u32 vcc_hi, vcc_hi, 0
  s_mov_b64 s[36:37], vcc
  s_swappc_b64 s[30:31], vcc            ;= calls compares
  s_swappc_b64 s[30:31], s[36:37]       ;= calls compares
  s_swappc_b64 s[30:31], vcc            ;= calls unknown
  s_getpc_b64 s[36:37]
  s_add_u32 s36, s36, other-.Lthird
.Lthird = main+60
  s_addc_u32 s37, s37, 0
  s_mov_b64 vcc, s[36:37]
  s_swappc_b64 s[30:31], vcc            ;= calls other
  s_mov_b64 vcc, s[36:37]
  v_cmp_eq_u32_e32 vcc, v0, v1
  s_swappc_b64 s[30:31], vcc            ;= calls unknown
  s_endpgm
keeps:
  s_setpc_b64 s[30:31]
compares:
  v_cmp_eq_u32_e32 vcc, v0, v1
  s_setpc_b64 s[30:31]
other:
  s_setpc_b64 s[30:31]
