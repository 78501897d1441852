; A table of pointers at 0x8000, indexed by s6.
;! target gfx90a
;! function main kernel
;! pointer 0x8000 .Lfirst
;! pointer 0x8008 .Lsecond
main:
  s_getpc_b64 s[4:5]
  s_add_u32 s4, s4, 0x3ffc
  s_addc_u32 s5, s5, 0
  s_load_dwordx2 s[2:3], s[4:5], s6
  s_waitcnt lgkmcnt(0)                  ;= pending s[2:3]
  s_setpc_b64 s[2:3]                    ;= succ 1 2
.Lfirst:
  s_endpgm                              ;= idom 0
.Lsecond:
  s_nop 0                               ;= idom 0
  s_endpgm
