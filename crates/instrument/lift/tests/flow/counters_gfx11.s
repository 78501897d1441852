; The fields of s_waitcnt moved.
;! target gfx1100 gfx1150
;! function main kernel
main:
  global_load_b32 v2, v0, s[0:1]
  global_load_b32 v3, v0, s[0:1]
  ds_load_b32 v4, v0
  s_waitcnt vmcnt(1)                    ;= pending v[2:4]
  s_waitcnt lgkmcnt(0)                  ;= pending v[3:4]
  s_waitcnt vmcnt(0)                    ;= pending v3
  s_endpgm                              ;= pending
