; Loads finish in order, so vmcnt(1) finishes all but the youngest; scalar loads do not.
;! target gfx900 gfx908 gfx90a gfx942
;! function main kernel
main:
  global_load_dword v2, v0, s[0:1]      ;= pending
  global_load_dwordx2 v[4:5], v0, s[0:1] ;= pending v2
  s_load_dwordx2 s[2:3], s[0:1], 0x0    ;= pending v2,v[4:5]
  s_load_dword s4, s[0:1], 0x8
  s_waitcnt vmcnt(1)                    ;= pending v2,v[4:5],s[2:4]
  v_mov_b32_e32 v6, v2                  ;= pending v[4:5],s[2:4]
  s_waitcnt lgkmcnt(1)
  s_nop 0                               ;= pending v[4:5],s[2:4]
  s_waitcnt lgkmcnt(0)
  global_store_dword v0, v6, s[0:1]     ;= pending v[4:5]
  s_waitcnt vmcnt(1)
  ds_read_b32 v7, v0                    ;= pending
  ds_read_b32 v8, v0                    ;= pending v7
  s_waitcnt lgkmcnt(1)
  s_waitcnt lgkmcnt(0)                  ;= pending v8
  s_cbranch_scc0 .Lend                  ;= pending
  global_load_dword v9, v0, s[0:1]
.Lend:
  s_nop 0                               ;= pending v9
  flat_load_dword v3, v[4:5]
  s_waitcnt vmcnt(0)                    ;= pending v3,v9
  s_nop 0                               ;= pending v3
  s_waitcnt lgkmcnt(0)
  s_endpgm                              ;= pending
