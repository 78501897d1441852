; Stores have a counter of their own and do not age loads.
;! target gfx1030
;! function main kernel
main:
  global_load_dword v2, v0, s[0:1]
  global_store_dword v0, v1, s[0:1]     ;= pending v2
  s_waitcnt vmcnt(1)
  s_waitcnt_vscnt null, 0x0             ;= pending v2
  s_waitcnt vmcnt(0)                    ;= pending v2
  s_endpgm                              ;= pending
