; One counter per kind of memory.
;! target gfx1200 gfx1201
;! function main kernel
main:
  global_load_b32 v2, v0, s[0:1]
  ds_load_b32 v4, v0
  s_load_b64 s[2:3], s[0:1], 0x0
  s_wait_kmcnt 0x0                      ;= pending s[2:3],v2,v4
  s_wait_loadcnt_dscnt 0x100            ;= pending v2,v4
  s_wait_loadcnt 0x0                    ;= pending v2
  s_endpgm                              ;= pending
